#include "passes/flow/loops.h"

#include <spirv/unified1/spirv.h>

#include "passes/base/dominators.h"
#include "warpscope/base/arena.h"

/* One function. Blocks are indices within it here. */
struct work {
    struct ws_loops *loops;
    const struct ws_module *module;
    const struct ws_function *function;
    const struct ws_cfg *cfg;
    uint32_t *depths;       /* per loop */
    uint32_t *predecessors; /* per block: edges from live blocks */
};

static const struct ws_block *block_at(const struct work *work, uint32_t block)
{
    return &work->module->blocks[work->function->block_first + block];
}

/* The OpLoopMerge of a header, which stands in the last part of a block that was cut. WS_NONE where it has none. */
static uint32_t find_merge(const struct work *work, uint32_t block)
{
    const uint32_t last = ws_cfg_last_part(work->module, work->function->block_first + block);
    const struct ws_block *part = &work->module->blocks[last];
    const struct ws_instruction *merge = ws_cfg_merge(work->module, part);
    return merge != NULL && merge->opcode == SpvOpLoopMerge ? part->end - 2 : WS_NONE;
}

/* Whether a block begins with a label: parts behind a cut do not. */
static bool is_whole(const struct work *work, uint32_t block)
{
    return work->module->instructions[block_at(work, block)->first].opcode == SpvOpLabel;
}

static uint32_t successor_count(const struct work *work, uint32_t block)
{
    return work->cfg->successor_first[block + 1] - work->cfg->successor_first[block];
}

static uint32_t successor(const struct work *work, uint32_t block, uint32_t index)
{
    return work->cfg->successors[work->cfg->successor_first[block] + index];
}

/* Lists the headers, outer loops first, since dominators come first in `order`. */
static bool list_loops(struct work *work, struct ws_arena *arena, const struct ws_dominators *dominators)
{
    struct ws_loops *loops = work->loops;
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < dominators->order_count; i++) {
        const uint32_t block = dominators->order[i];
        const uint32_t merge = is_whole(work, block) ? find_merge(work, block) : WS_NONE;
        if (merge == WS_NONE)
            continue;
        struct ws_loop *list = ws_arena_grow(arena, loops->list, loops->count, &capacity, sizeof(*list));
        if (list == NULL)
            return false;
        loops->list = list;
        const uint32_t label = ws_operand(work->module, &work->module->instructions[merge], 0);
        const uint32_t target = ws_cfg_find_block(work->module, work->function, label);
        const bool is_live = target != WS_NONE && work->cfg->position[target] != WS_NONE;
        list[loops->count] = (struct ws_loop){.header = block,
                                              .instruction = merge,
                                              .merge = is_live ? target : WS_NONE,
                                              .iterate = block,
                                              .before = WS_NONE,
                                              .outer = WS_NONE};
        loops->header_of[block] = loops->count;
        if (is_live)
            loops->merge_of[target] = loops->count;
        loops->count++;
    }
    return true;
}

/* The loop that a block is in whose immediate dominator is in `loop`: the merge block of a loop is outside of it. */
static uint32_t leave_loops(const struct work *work, uint32_t loop, uint32_t block)
{
    const uint32_t ended = work->loops->merge_of[block];
    uint32_t outer = loop;
    if (ended == WS_NONE || loop == WS_NONE)
        return loop;
    while (outer != WS_NONE && outer != ended && work->depths[outer] > work->depths[ended])
        outer = work->loops->list[outer].outer;
    return outer == ended ? work->loops->list[ended].outer : loop;
}

/* Tells each block which loop it is in. False where loops are nested too deeply. */
static bool nest(struct work *work, const struct ws_dominators *dominators)
{
    struct ws_loops *loops = work->loops;
    for (uint32_t i = 0; i < dominators->order_count; i++) {
        const uint32_t block = dominators->order[i];
        const uint32_t above = dominators->immediate[block];
        uint32_t loop = above == WS_NONE ? WS_NONE : leave_loops(work, loops->innermost[above], block);
        const uint32_t own = loops->header_of[block];
        if (own != WS_NONE) {
            loops->list[own].outer = loop;
            work->depths[own] = loop == WS_NONE ? 0 : work->depths[loop] + 1;
            loop = own;
            if (work->depths[own] >= WS_LOOPS_DEPTH)
                return false;
        }
        loops->innermost[block] = loop;
    }
    return true;
}

static bool is_in(const struct work *work, uint32_t block, uint32_t loop)
{
    uint32_t inner = work->loops->innermost[block];
    while (inner != WS_NONE && inner != loop)
        inner = work->loops->list[inner].outer;
    return inner == loop;
}

/* Finds from where control comes to each loop. */
static void find_before(struct work *work)
{
    struct ws_loops *loops = work->loops;
    uint32_t *before = work->depths; /* which are no longer needed: how many blocks lead there from outside */
    for (uint32_t i = 0; i < loops->count; i++)
        before[i] = 0;
    for (uint32_t i = 0; i < work->cfg->order_count; i++) {
        const uint32_t block = work->cfg->order[i];
        for (uint32_t s = 0; s < successor_count(work, block); s++) {
            const uint32_t loop = loops->header_of[successor(work, block, s)];
            if (loop == WS_NONE || is_in(work, block, loop))
                continue;
            before[loop]++;
            loops->list[loop].before = successor_count(work, block) == 1 ? block : WS_NONE;
        }
    }
    for (uint32_t i = 0; i < loops->count; i++)
        if (before[i] != 1)
            loops->list[i].before = WS_NONE;
}

/* Whether a target of a branch is the loop's merge block, or an empty block that jumps there. */
static bool leaves(const struct work *work, const struct ws_loop *loop, uint32_t target)
{
    const struct ws_block *block = block_at(work, target);
    if (target == loop->merge)
        return true;
    if (successor_count(work, target) != 1 || successor(work, target, 0) != loop->merge)
        return false;
    for (uint32_t i = block->first + 1; i + 1 < block->end; i++) {
        const uint16_t opcode = work->module->instructions[i].opcode;
        if (!ws_opcode_is_line(opcode) && opcode != SpvOpNop)
            return false;
    }
    return true;
}

/* Finds where an iteration begins. */
static void find_iterate(struct work *work, uint32_t index)
{
    struct ws_loop *loop = &work->loops->list[index];
    uint32_t block = loop->header;
    uint32_t steps = 0;
    while (successor_count(work, block) == 1 && steps++ < work->cfg->block_count) {
        block = successor(work, block, 0);
        if (work->loops->innermost[block] != index || work->loops->header_of[block] != WS_NONE)
            return;
    }
    const struct ws_instruction *last = &work->module->instructions[block_at(work, block)->end - 1];
    if (last->opcode != SpvOpBranchConditional || block_at(work, block)->is_cut || loop->merge == WS_NONE)
        return;
    const uint32_t targets[] = {successor(work, block, 0), successor(work, block, 1)};
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t other = targets[1 - i];
        if (leaves(work, loop, targets[i]) && !leaves(work, loop, other)) {
            if (work->predecessors[other] == 1 && is_in(work, other, index))
                loop->iterate = other;
            return;
        }
    }
}

static bool find(struct work *work, struct ws_arena *arena, const struct ws_dominators *dominators)
{
    struct ws_loops *loops = work->loops;
    const struct ws_cfg *cfg = work->cfg;
    if (!list_loops(work, arena, dominators))
        return false;
    work->depths = ws_arena_allocate(arena, loops->count, sizeof(*work->depths));
    if (work->depths == NULL)
        return false;
    if (!nest(work, dominators)) {
        loops->left_out = loops->count;
        loops->count = 0;
        for (uint32_t b = 0; b < cfg->block_count; b++)
            loops->innermost[b] = loops->merge_of[b] = loops->header_of[b] = WS_NONE;
    }
    find_before(work);
    for (uint32_t i = 0; i < cfg->order_count; i++)
        for (uint32_t s = 0; s < successor_count(work, cfg->order[i]); s++)
            work->predecessors[successor(work, cfg->order[i], s)]++;
    const uint32_t first = work->function->block_first;
    for (uint32_t i = 0; i < loops->count; i++)
        find_iterate(work, i);
    for (uint32_t i = 0; i < loops->count; i++) {
        struct ws_loop *loop = &loops->list[i];
        /* A header may be where an iteration of the loop around it begins, too: that one stands there. */
        if (loop->iterate != loop->header || loops->iterate_of[loop->header] == WS_NONE)
            loops->iterate_of[loop->iterate] = i;
        loop->header += first;
        loop->iterate += first;
        loop->merge += loop->merge == WS_NONE ? 0 : first;
        loop->before += loop->before == WS_NONE ? 0 : first;
    }
    return true;
}

bool ws_loops_find(struct ws_loops *loops, struct ws_arena *arena, const struct ws_module *module,
                   uint32_t function, const struct ws_cfg *cfg, struct ws_error *error)
{
    *loops = (struct ws_loops){0};
    struct work work = {
        .loops = loops, .module = module, .function = &module->functions[function], .cfg = cfg};
    uint32_t **const tables[] = {&loops->innermost, &loops->merge_of, &loops->iterate_of, &loops->header_of};
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
        *tables[t] = ws_arena_allocate(arena, cfg->block_count, sizeof(uint32_t));
        if (*tables[t] == NULL)
            return ws_error_set(error, "out of memory for the loops of a function");
        for (uint32_t b = 0; b < cfg->block_count; b++)
            (*tables[t])[b] = WS_NONE;
    }
    if (cfg->opaque || cfg->block_count == 0)
        return true;
    struct ws_dominators dominators;
    const struct ws_graph graph = {cfg->block_count, cfg->successor_first, cfg->successors};
    work.predecessors = ws_arena_allocate(arena, cfg->block_count, sizeof(*work.predecessors));
    if (work.predecessors == NULL || !ws_dominators_find(&dominators, arena, &graph) ||
        !find(&work, arena, &dominators))
        return ws_error_set(error, "out of memory for the loops of a function");
    return true;
}
