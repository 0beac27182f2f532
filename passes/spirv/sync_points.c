#include "warpscope/spirv/sync_points.h"

#include <spirv/unified1/spirv.h>

#include "passes/base/dominators.h"
#include "warpscope/base/arena.h"

/* A module at work. */
struct work {
    struct ws_sync *sync;
    const struct ws_module *module;
    const struct ws_cfg *cfgs;
    const uint16_t *opcodes;
    size_t opcode_count;
    bool *leads;    /* per function: it holds a call site, or calls one that does */
    uint32_t *kept; /* per loop of the function at work: its index in sync->loops, WS_NONE = not kept */
    uint32_t loop_capacity;
    uint32_t place_capacity;
};

/* A loop of the function at work. Blocks are named by their index within the function. */
struct loop {
    uint32_t header;
    uint32_t continue_target; /* WS_NONE where it is no block of the function */
    uint32_t merge;           /* likewise */
    uint32_t parent;          /* in the array of these */
    bool in_continue;         /* its header is in the continue construct of its parent */
};

/* What is around a block of the function at work. */
struct around {
    uint32_t loop;      /* innermost, in the array of loops; WS_NONE */
    uint32_t selection; /* merge block of the outermost; WS_NONE */
    bool in_continue;   /* it is in the continue construct of the innermost loop */
};

struct structure {
    struct loop *loops;
    uint32_t loop_count;
    struct around *around; /* per block */
};

static bool is_call_site(const struct work *work, uint16_t opcode)
{
    for (size_t i = 0; i < work->opcode_count; i++)
        if (work->opcodes[i] == opcode)
            return true;
    return false;
}

static bool is_reached(const struct work *work, uint32_t function, uint32_t block)
{
    const struct ws_cfg *cfg = &work->cfgs[function];
    return !cfg->opaque && cfg->position[block - work->module->functions[function].block_first] != WS_NONE;
}

/* Whether the function holds a call site. */
static bool holds_call_site(const struct work *work, uint32_t function)
{
    const struct ws_module *module = work->module;
    const struct ws_function *info = &module->functions[function];
    for (uint32_t b = info->block_first; b < info->block_first + info->block_count; b++)
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end; i++)
            if (is_call_site(work, module->instructions[i].opcode) && is_reached(work, function, b))
                return true;
    return false;
}

/* Fills work->leads. */
static bool find_leading(struct work *work)
{
    const struct ws_module *module = work->module;
    work->leads = ws_arena_allocate(module->arena, module->function_count, sizeof(*work->leads));
    if (work->leads == NULL)
        return false;
    for (uint32_t f = 0; f < module->function_count; f++)
        work->leads[f] = holds_call_site(work, f);
    return ws_calls_mark_callers(module, work->cfgs, work->leads);
}

/* The block, within the function, that operand `index` of a merge instruction names; WS_NONE. */
static uint32_t merge_target(const struct work *work, uint32_t function, const struct ws_instruction *merge,
                             uint32_t index)
{
    return ws_cfg_find_block(work->module, &work->module->functions[function],
                             ws_operand(work->module, merge, index));
}

/* The graph of structural control flow (SPIR-V 2.11): that of control flow, and edges from each header to
 * what its merge instruction names. So what comes behind a construct never seems to be within another one in
 * it, even if that one's merge block cannot be reached. */
static bool make_graph(struct ws_graph *graph, const struct work *work, uint32_t function)
{
    const struct ws_cfg *cfg = &work->cfgs[function];
    const struct ws_block *blocks = &work->module->blocks[work->module->functions[function].block_first];
    const size_t room = (size_t)cfg->successor_first[cfg->block_count] + 2 * (size_t)cfg->block_count;
    uint32_t *first = ws_arena_allocate(work->module->arena, (size_t)cfg->block_count + 1, sizeof(*first));
    uint32_t *targets = ws_arena_allocate(work->module->arena, room, sizeof(*targets));
    if (first == NULL || targets == NULL)
        return false;
    uint32_t count = 0;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        first[block] = count;
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; i++)
            targets[count++] = cfg->successors[i];
        const struct ws_instruction *merge = ws_cfg_merge(work->module, &blocks[block]);
        for (uint32_t i = 0; merge != NULL && i < (merge->opcode == SpvOpLoopMerge ? 2u : 1u); i++) {
            const uint32_t target = merge_target(work, function, merge, i);
            if (target != WS_NONE)
                targets[count++] = target;
        }
    }
    first[cfg->block_count] = count;
    *graph = (struct ws_graph){cfg->block_count, first, targets};
    return true;
}

/* What is around a block, from what is around its immediate dominator: it leaves the constructs whose merge
 * block it is. */
static void find_around(struct structure *structure, uint32_t block, uint32_t dominator)
{
    struct around *around = &structure->around[block];
    *around = (struct around){WS_NONE, WS_NONE, false};
    if (dominator != WS_NONE)
        *around = structure->around[dominator];
    while (around->loop != WS_NONE && structure->loops[around->loop].merge == block) {
        const struct loop *loop = &structure->loops[around->loop];
        around->in_continue = loop->in_continue;
        around->loop = loop->parent;
    }
    if (around->loop != WS_NONE && structure->loops[around->loop].continue_target == block)
        around->in_continue = true;
    if (around->selection == block)
        around->selection = WS_NONE;
}

/* Puts a block within the loop that it is the header of. */
static void enter_loop(struct structure *structure, uint32_t block, uint32_t merge, uint32_t continue_target)
{
    struct around *around = &structure->around[block];
    structure->loops[structure->loop_count] =
        (struct loop){block, continue_target, merge, around->loop, around->in_continue};
    around->loop = structure->loop_count++;
    around->in_continue = continue_target == block;
}

/* Finds what is around each block of a function. A block's dominators come before it. */
static bool find_structure(struct structure *structure, const struct work *work, uint32_t function)
{
    struct ws_arena *arena = work->module->arena;
    const struct ws_function *info = &work->module->functions[function];
    struct ws_graph graph;
    struct ws_dominators dominators;
    structure->loop_count = 0;
    structure->loops = ws_arena_allocate(arena, info->block_count, sizeof(*structure->loops));
    structure->around = ws_arena_allocate(arena, info->block_count, sizeof(*structure->around));
    /* A selection is around what its header branches to, not around the header. */
    uint32_t *opens = ws_arena_allocate(arena, info->block_count, sizeof(*opens));
    if (structure->loops == NULL || structure->around == NULL || opens == NULL ||
        !make_graph(&graph, work, function) || !ws_dominators_find(&dominators, arena, &graph))
        return false;
    for (uint32_t i = 0; i < dominators.order_count; i++) {
        const uint32_t block = dominators.order[i];
        const uint32_t dominator = dominators.immediate[block];
        const uint32_t index = info->block_first + block;
        const struct ws_block *blocks = work->module->blocks;
        const struct ws_instruction *merge = ws_cfg_merge(work->module, &blocks[index]);
        opens[block] = WS_NONE;
        find_around(structure, block, dominator);
        struct around *around = &structure->around[block];
        if (dominator != WS_NONE && opens[dominator] != WS_NONE && opens[dominator] != block &&
            around->selection == WS_NONE)
            around->selection = opens[dominator];
        if (merge != NULL && merge->opcode == SpvOpSelectionMerge)
            opens[block] = merge_target(work, function, merge, 0);
        /* A loop begins with the first part of its header, wherever that was cut. */
        const bool begins = index == info->block_first || !blocks[index - 1].is_cut;
        merge = begins ? ws_cfg_merge(work->module, &blocks[ws_cfg_last_part(work->module, index)]) : NULL;
        if (merge != NULL && merge->opcode == SpvOpLoopMerge)
            enter_loop(structure, block, merge_target(work, function, merge, 0),
                       merge_target(work, function, merge, 1));
    }
    return true;
}

/* Index of a block of the function in the module; WS_NONE stays. */
static uint32_t block_index(const struct ws_function *info, uint32_t block)
{
    return block == WS_NONE ? WS_NONE : info->block_first + block;
}

/* Keeps the loop and those around it, outer before inner, and makes their blocks sync points. */
static bool keep_loops(struct work *work, const struct structure *structure, uint32_t function, uint32_t loop)
{
    struct ws_sync *sync = work->sync;
    const struct ws_function *info = &work->module->functions[function];
    /* From the outside in: first the way out is counted, so that deep nesting needs no recursion. */
    uint32_t depth = 0;
    for (uint32_t l = loop; l != WS_NONE && work->kept[l] == WS_NONE; l = structure->loops[l].parent)
        depth++;
    for (uint32_t i = 0; i < depth; i++) {
        struct ws_sync_loop *loops = ws_arena_grow(work->module->arena, sync->loops, sync->loop_count,
                                                   &work->loop_capacity, sizeof(*loops));
        if (loops == NULL)
            return false;
        sync->loops = loops;
        sync->loop_count++;
    }
    uint32_t index = sync->loop_count;
    for (uint32_t l = loop; depth > 0; depth--, l = structure->loops[l].parent) {
        const struct loop *from = &structure->loops[l];
        work->kept[l] = --index;
        sync->loops[index] = (struct ws_sync_loop){
            .function = function,
            .header = info->block_first + from->header,
            .continue_target = block_index(info, from->continue_target),
            .merge = block_index(info, from->merge),
            .parent = WS_NONE,
        };
        if (depth > 1)
            sync->loops[index].parent = index - 1;
        else if (from->parent != WS_NONE)
            sync->loops[index].parent = work->kept[from->parent];
        if (from->continue_target != WS_NONE)
            sync->blocks[sync->loops[index].continue_target] = true;
        if (from->merge != WS_NONE)
            sync->blocks[sync->loops[index].merge] = true;
    }
    return true;
}

static bool add_place(struct work *work, const struct structure *structure, uint32_t function, uint32_t block,
                      uint32_t instruction, uint32_t callee)
{
    struct ws_sync *sync = work->sync;
    const struct ws_function *info = &work->module->functions[function];
    const struct around *around = &structure->around[block - info->block_first];
    struct ws_sync_place *places = ws_arena_grow(work->module->arena, sync->places, sync->place_count,
                                                 &work->place_capacity, sizeof(*places));
    if (places == NULL || !keep_loops(work, structure, function, around->loop))
        return false;
    sync->places = places;
    struct ws_sync_place *place = &places[sync->place_count++];
    *place = (struct ws_sync_place){
        .function = function,
        .block = block,
        .instruction = instruction,
        .offset = work->module->instructions[instruction].offset,
        .callee = callee,
        .loop = around->loop == WS_NONE ? WS_NONE : work->kept[around->loop],
        .selection = around->loop == WS_NONE ? block_index(info, around->selection) : WS_NONE,
        .in_continue = around->in_continue,
    };
    if (place->selection != WS_NONE)
        sync->blocks[place->selection] = true;
    return true;
}

/* Lists the places of a function that leads to call sites. */
static bool find_places(struct work *work, uint32_t function)
{
    const struct ws_module *module = work->module;
    const struct ws_function *info = &module->functions[function];
    struct structure structure;
    if (!find_structure(&structure, work, function))
        return false;
    work->kept = ws_arena_allocate(module->arena, structure.loop_count, sizeof(*work->kept));
    if (work->kept == NULL)
        return false;
    for (uint32_t i = 0; i < structure.loop_count; i++)
        work->kept[i] = WS_NONE;
    for (uint32_t b = info->block_first; b < info->block_first + info->block_count; b++) {
        if (!is_reached(work, function, b))
            continue;
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end; i++) {
            const struct ws_instruction *instruction = &module->instructions[i];
            const bool site = is_call_site(work, instruction->opcode);
            const uint32_t callee = !site && instruction->opcode == SpvOpFunctionCall
                                        ? ws_calls_callee(module, instruction)
                                        : WS_NONE;
            if ((site || (callee != WS_NONE && work->leads[callee])) &&
                !add_place(work, &structure, function, b, i, callee))
                return false;
        }
    }
    return true;
}

bool ws_sync_find(struct ws_sync *sync, const struct ws_module *module, const struct ws_cfg *cfgs,
                  const uint16_t *opcodes, size_t opcode_count, struct ws_error *error)
{
    struct work work = {
        .sync = sync, .module = module, .cfgs = cfgs, .opcodes = opcodes, .opcode_count = opcode_count};
    *sync = (struct ws_sync){.loops = NULL};
    sync->blocks = ws_arena_allocate(module->arena, module->block_count, sizeof(*sync->blocks));
    bool good = sync->blocks != NULL && find_leading(&work);
    for (uint32_t f = 0; f < module->function_count && good; f++)
        good = !work.leads[f] || find_places(&work, f);
    return good || ws_error_set(error, "out of memory for the sync points of a module");
}

const struct ws_sync_place *ws_sync_place_at(const struct ws_sync *sync, uint32_t instruction)
{
    uint32_t low = 0;
    uint32_t high = sync->place_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (sync->places[middle].instruction < instruction)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sync->place_count && sync->places[low].instruction == instruction ? &sync->places[low]
                                                                                   : NULL;
}
