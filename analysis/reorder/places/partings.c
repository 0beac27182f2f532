#include "analysis/reorder/places/partings.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/reorder/places/loop_nests.h"
#include "warpscope/base/arena.h"
#include "warpscope/capture/budget.h"

#define LOOP_WEIGHT    8
#define LOOP_DEPTH_MAX 6

/* What code does that other threads would do otherwise: a bit for each reason. */
#define DOES(reason) (1u << (reason))
#define DOES_ANY     (DOES(WS_PARTING_BARRIER) | DOES(WS_PARTING_WORKGROUP) | DOES(WS_PARTING_SUBGROUP))

/* The work of finding them. Blocks are those of the module, as it was read. */
struct finding {
    const struct ws_module_record *record;
    const struct ws_shader_code *code;
    const struct ws_module *module;
    uint32_t *records;  /* per block: index in the catalog's; WS_NONE = it has none */
    uint8_t *does;      /* per block; once functions are known, calls included */
    bool *calls;        /* per block: it calls a function */
    uint8_t *functions; /* per function: what it does, calls included */
    uint8_t *behind;    /* likewise: what all that call it do */
    bool *waits;        /* likewise: it is in `list` */
    bool *reached;      /* per function: by a compute entry point */
    uint32_t *depths;   /* per block: loops around it, in its function */
    bool *region;       /* per block: of the selection that is looked at; */
    bool *called;       /* per function: called from there, */
    bool calls_some;    /* if any is */
    uint32_t *marks;    /* per function, for ws_calls_reached */
    uint32_t mark;
    uint32_t *list;   /* functions */
    uint32_t *stack;  /* blocks */
    uint32_t *around; /* merge blocks of what is around a header */
    bool *met;        /* likewise: behind the region */
};

void ws_partings_finish(struct ws_partings *partings)
{
    free(partings->inside);
    free(partings->begins);
    memset(partings, 0, sizeof(*partings));
}

const struct ws_parting *ws_parting_at(const struct ws_partings *partings, uint32_t offset)
{
    for (uint32_t i = 0; i < partings->count; ++i)
        if (partings->list[i].offset == offset)
            return &partings->list[i];
    return NULL;
}

const char *ws_parting_reason_words(uint32_t reason)
{
    static const char *const words[WS_PARTING_REASONS] = {
        [WS_PARTING_SMALL] = "too small to pay",
        [WS_PARTING_BARRIER] = "with barriers",
        [WS_PARTING_WORKGROUP] = "with workgroup memory",
        [WS_PARTING_SUBGROUP] = "with subgroup operations",
        [WS_PARTING_MANY] = "with fewer instructions than others of their module",
        [WS_PARTING_UNSEEN] = "beyond what --max-seconds allows",
    };
    return words[reason];
}

static bool begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* A barrier that is about memory of the device alone asks nothing of the other threads of a workgroup. */
static bool is_barrier(const struct ws_module *module, const struct ws_instruction *instruction,
                       const char *name)
{
    if (instruction->opcode != SpvOpMemoryBarrier)
        return begins_with(name, "OpControlBarrier");
    const struct ws_instruction *scope = ws_module_definition(module, ws_operand(module, instruction, 0));
    const uint32_t value =
        scope != NULL && scope->opcode == SpvOpConstant ? ws_operand(module, scope, 2) : SpvScopeWorkgroup;
    return value != SpvScopeDevice && value != SpvScopeQueueFamily && value != SpvScopeCrossDevice;
}

/* Whether an id is a pointer to workgroup memory. */
static bool is_shared(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *value = ws_module_definition(module, id);
    bool has_type = false;
    bool has_result = false;
    if (value == NULL)
        return false;
    ws_opcode_results(value->opcode, &has_type, &has_result);
    const struct ws_instruction *type =
        has_type ? ws_module_definition(module, ws_operand(module, value, 0)) : NULL;
    return type != NULL &&
           (type->opcode == SpvOpTypePointer || type->opcode == WS_OP_TYPE_UNTYPED_POINTER_KHR) &&
           ws_operand(module, type, 1) == SpvStorageClassWorkgroup;
}

/* Whether a pointer is into a built-in variable that says which lane this is. */
static bool is_lane(const struct ws_values *values, uint32_t id)
{
    const uint32_t base = id < values->module->bound ? values->base[id] : 0;
    const uint32_t built_in = base != 0 ? values->built_in[base] : WS_NONE;
    return built_in == SpvBuiltInSubgroupLocalInvocationId || built_in == SpvBuiltInSubgroupId ||
           (built_in >= SpvBuiltInSubgroupEqMask && built_in <= SpvBuiltInSubgroupLtMask);
}

/* Derivatives are of the four threads of a quad, and so are levels that samples take by them. */
static bool asks_lanes(uint16_t opcode, const char *name)
{
    return (opcode >= SpvOpDPdx && opcode <= SpvOpFwidthCoarse) || opcode == SpvOpImageQueryLod ||
           strstr(name, "ImplicitLod") != NULL || begins_with(name, "OpGroup") ||
           begins_with(name, "OpSubgroup") || begins_with(name, "OpCooperativeMatrix");
}

static uint8_t find_does(const struct finding *finding, const struct ws_instruction *instruction)
{
    const struct ws_module *module = finding->module;
    const char *name = ws_opcode_name(instruction->opcode);
    uint32_t first;
    uint32_t end;
    uint32_t skipped;
    uint8_t does = 0;
    name = name != NULL ? name : "";
    if (is_barrier(module, instruction, name))
        does |= DOES(WS_PARTING_BARRIER);
    if (asks_lanes(instruction->opcode, name))
        does |= DOES(WS_PARTING_SUBGROUP);
    ws_value_operands(module, instruction, &first, &end, &skipped);
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t id = i != skipped ? ws_operand(module, instruction, i) : 0;
        if (is_shared(module, id))
            does |= DOES(WS_PARTING_WORKGROUP);
        if (is_lane(&finding->code->values, id))
            does |= DOES(WS_PARTING_SUBGROUP);
    }
    return does;
}

/* Adds a function and what it calls, however deep, to `called`, but for what was added with the same mark before. */
static void add_called(struct finding *finding, uint32_t function, bool *called)
{
    const uint32_t count =
        ws_calls_reached(&finding->code->calls, function, finding->marks, finding->mark, finding->list);
    for (uint32_t i = 0; i < count; ++i)
        called[finding->list[i]] = true;
}

/* Calls a function with each function that a block calls itself. */
static void each_call(struct finding *finding, uint32_t block,
                      void (*visit)(struct finding *finding, uint32_t function, void *user), void *user)
{
    const struct ws_block *known = &finding->module->blocks[block];
    for (uint32_t i = known->first; i < known->end; ++i) {
        const struct ws_instruction *instruction = &finding->module->instructions[i];
        const uint32_t callee = instruction->opcode == SpvOpFunctionCall
                                    ? ws_calls_callee(finding->module, instruction)
                                    : WS_NONE;
        if (callee != WS_NONE)
            visit(finding, callee, user);
    }
}

static void visit_called(struct finding *finding, uint32_t function, void *user)
{
    (void)user;
    add_called(finding, function, finding->called);
}

static void visit_does(struct finding *finding, uint32_t function, void *user)
{
    *(uint8_t *)user |= finding->functions[function];
}

/* Adds what a function is known to do; where that is new it waits until others are told. */
static void add_does(struct finding *finding, uint8_t *known, uint32_t function, uint8_t does,
                     uint32_t *waiting)
{
    if ((does & ~known[function]) == 0)
        return;
    known[function] |= does;
    if (!finding->waits[function])
        finding->list[(*waiting)++] = function;
    finding->waits[function] = true;
}

static uint32_t begin_waiting(struct finding *finding)
{
    for (uint32_t f = 0; f < finding->module->function_count; ++f) {
        finding->list[f] = f;
        finding->waits[f] = true;
    }
    return finding->module->function_count;
}

/* Finds what functions do, calls included, and what those do that call them. Each waits as often as it does something new: so
 * the time is linear in the calls. */
static void find_functions(struct finding *finding)
{
    const struct ws_module *module = finding->module;
    const struct ws_calls *calls = &finding->code->calls;
    for (uint32_t b = 0; b < module->block_count; ++b)
        finding->functions[module->blocks[b].function] |= finding->does[b];
    for (uint32_t waiting = begin_waiting(finding); waiting > 0;) {
        const uint32_t f = finding->list[--waiting];
        finding->waits[f] = false;
        for (uint32_t i = calls->caller_first[f]; i < calls->caller_first[f + 1]; ++i)
            add_does(finding, finding->functions, module->blocks[calls->caller_blocks[i]].function,
                     finding->functions[f], &waiting);
    }
    for (uint32_t waiting = begin_waiting(finding); waiting > 0;) {
        const uint32_t f = finding->list[--waiting];
        finding->waits[f] = false;
        for (uint32_t i = calls->callee_first[f]; i < calls->callee_first[f + 1]; ++i)
            if (calls->callees[i] != WS_NONE && calls->callees[i] != f)
                add_does(finding, finding->behind, calls->callees[i],
                         finding->functions[f] | finding->behind[f], &waiting);
    }
}

/* Finds what blocks and functions do, and how many loops are around blocks. */
static void look_at_functions(struct finding *finding)
{
    const struct ws_module *module = finding->module;
    for (uint32_t b = 0; b < module->block_count; ++b) {
        const uint32_t function = module->blocks[b].function;
        const struct ws_constructs *constructs = &finding->code->constructs[function];
        const uint32_t begin = module->functions[function].block_first;
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end; ++i) {
            finding->does[b] |= find_does(finding, &module->instructions[i]);
            finding->calls[b] = finding->calls[b] || module->instructions[i].opcode == SpvOpFunctionCall;
        }
        /* Upwards through headers of loops: each is in the loop that its dominator is in. */
        for (uint32_t at = constructs->block_count > 0 ? constructs->loop[b - begin] : WS_NONE;
             at != WS_NONE && finding->depths[b] < LOOP_DEPTH_MAX;) {
            const uint32_t above = constructs->dominators.parent[at];
            finding->depths[b]++;
            at = above != WS_NONE ? constructs->loop[above] : WS_NONE;
        }
    }
    find_functions(finding);
    for (uint32_t b = 0; b < module->block_count; ++b)
        if (finding->calls[b])
            each_call(finding, b, visit_does, &finding->does[b]);
    finding->mark++;
    for (uint32_t e = 0; e < module->entry_point_count; ++e)
        if (module->entry_points[e].model == SpvExecutionModelGLCompute)
            add_called(finding, module->entry_points[e].function, finding->reached);
}

/* Finds the merge blocks of loops and selections that a header stands in, its own among them: what they dominate is not of its
 * region. Only those that the header dominates matter. Returns how many these are; `*all` = how many there are. */
static uint32_t find_around(struct finding *finding, const struct ws_constructs *constructs, uint32_t header,
                            uint32_t *all)
{
    const struct ws_block_tree *tree = &constructs->dominators;
    uint32_t count = 0;
    *all = 0;
    for (uint32_t at = header; at != WS_NONE; at = tree->parent[at]) {
        const uint32_t merge = constructs->merge[at];
        if (merge == WS_NONE || tree->size[merge] == 0 || ws_block_tree_is_below(tree, header, merge))
            continue;
        ++*all;
        if (ws_block_tree_is_below(tree, merge, header))
            finding->around[count++] = merge;
    }
    return count;
}

/* Whether a block is of the region of a header, which is of it itself if it is of a loop. */
static bool is_in_region(const struct finding *finding, const struct ws_constructs *constructs,
                         uint32_t header, uint32_t around, uint32_t block)
{
    const struct ws_block_tree *tree = &constructs->dominators;
    bool in = block != header ? ws_block_tree_is_below(tree, block, header) : constructs->loop_header[header];
    for (uint32_t i = 0; i < around && in; ++i)
        in = !ws_block_tree_is_below(tree, block, finding->around[i]);
    return in;
}

/* A region as it is looked at. */
struct region {
    uint64_t instructions; /* without what is called */
    uint64_t weighted;
    uint8_t does;
    bool loops;
    bool calls;
};

/* Adds a block to the region. */
static void add_block(struct finding *finding, struct region *region, uint32_t block)
{
    const uint32_t record = finding->records[block];
    const uint32_t count = record != WS_NONE ? finding->record->blocks[record].info.instruction_count : 0;
    uint64_t weight = 1;
    for (uint32_t i = 0; i < finding->depths[block]; ++i)
        weight *= LOOP_WEIGHT;
    finding->region[block] = true;
    region->instructions += count;
    region->weighted += weight * count;
    region->calls = region->calls || finding->calls[block];
    region->does |= finding->does[block];
}

/* Finds the region of the selection or loop whose header is a block of a function: `finding->region` and `called`. `around`:
 * what find_around returned. */
static struct region find_region(struct finding *finding, uint32_t function, uint32_t header, uint32_t around)
{
    const struct ws_constructs *constructs = &finding->code->constructs[function];
    const uint32_t begin = finding->module->functions[function].block_first;
    struct region region = {0};
    finding->mark++;
    memset(finding->region + begin, 0, constructs->block_count * sizeof(*finding->region));
    if (finding->calls_some)
        memset(finding->called, 0, finding->module->function_count * sizeof(*finding->called));
    finding->calls_some = false;
    for (uint32_t b = 0; b < constructs->block_count; ++b) {
        if (!is_in_region(finding, constructs, header, around, b))
            continue;
        add_block(finding, &region, begin + b);
        region.loops = region.loops || constructs->loop_header[b];
        if (finding->calls[begin + b])
            each_call(finding, begin + b, visit_called, NULL);
    }
    finding->calls_some = region.calls;
    for (uint32_t f = 0; f < finding->module->function_count && region.calls; ++f)
        for (uint32_t b = 0; finding->called[f] && b < finding->module->functions[f].block_count; ++b) {
            const uint32_t record = finding->records[finding->module->functions[f].block_first + b];
            if (record != WS_NONE)
                region.weighted += finding->record->blocks[record].info.instruction_count;
        }
    return region;
}

/* Whether threads must go back behind the region: what they can come to from there does something that asks others. What calls
 * the function is all taken to be behind it. */
static bool must_go_back(struct finding *finding, uint32_t function, uint32_t header)
{
    const struct ws_module *module = finding->module;
    const struct ws_cfg *cfg = &finding->code->cfgs[function];
    const uint32_t begin = module->functions[function].block_first;
    uint32_t used = 0;
    uint8_t does = 0;
    memset(finding->met, 0, cfg->block_count * sizeof(*finding->met));
    finding->stack[used++] = header;
    while (used > 0) {
        const uint32_t from = finding->stack[--used];
        for (uint32_t i = cfg->successor_first[from]; i < cfg->successor_first[from + 1]; ++i) {
            const uint32_t to = cfg->successors[i];
            if (finding->met[to])
                continue;
            finding->met[to] = true;
            finding->stack[used++] = to;
            if (!finding->region[begin + to])
                does |= finding->does[begin + to];
        }
    }
    return ((does | finding->behind[function]) & DOES_ANY) != 0;
}

/* The reason not to look at a selection or loop; WS_PARTING_REASONS = there is none. */
static uint32_t reason_against(const struct region *region)
{
    if ((region->does & DOES(WS_PARTING_BARRIER)) != 0)
        return WS_PARTING_BARRIER;
    if ((region->does & DOES(WS_PARTING_WORKGROUP)) != 0)
        return WS_PARTING_WORKGROUP;
    if ((region->does & DOES(WS_PARTING_SUBGROUP)) != 0)
        return WS_PARTING_SUBGROUP;
    return region->instructions < WS_PARTING_LEAST && !region->loops && !region->calls ? WS_PARTING_SMALL
                                                                                       : WS_PARTING_REASONS;
}

/* Those of one kind that are kept. */
struct kept {
    struct ws_parting *list; /* WS_PARTINGS_MAX at most, in the order of weights */
    uint32_t count;
    uint32_t *skipped; /* by reason */
};

/* Keeps a parting; the one that falls out is counted. */
static void keep(struct kept *kept, const struct ws_parting *parting)
{
    uint32_t at = kept->count;
    while (at > 0 && kept->list[at - 1].instructions < parting->instructions)
        at--;
    if (kept->count == WS_PARTINGS_MAX)
        kept->skipped[WS_PARTING_MANY]++;
    if (at == WS_PARTINGS_MAX)
        return;
    kept->count += kept->count < WS_PARTINGS_MAX;
    memmove(kept->list + at + 1, kept->list + at, (kept->count - 1 - at) * sizeof(*kept->list));
    kept->list[at] = *parting;
}

/* Whether a block ends in a branch to several blocks. */
static bool is_branch(const struct ws_cfg *cfg, uint32_t block)
{
    for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; ++i)
        if (cfg->successors[i] != cfg->successors[cfg->successor_first[block]])
            return true;
    return false;
}

/* Whether a side of the branch is not in the region: threads that take it stay. */
static bool is_skipped(const struct finding *finding, uint32_t function, uint32_t header)
{
    const struct ws_cfg *cfg = &finding->code->cfgs[function];
    const uint32_t begin = finding->module->functions[function].block_first;
    for (uint32_t i = cfg->successor_first[header]; i < cfg->successor_first[header + 1]; ++i)
        if (!finding->region[begin + cfg->successors[i]])
            return true;
    return false;
}

static bool is_entry(const struct ws_module *module, uint32_t function)
{
    for (uint32_t e = 0; e < module->entry_point_count; ++e)
        if (module->entry_points[e].function == function)
            return true;
    return false;
}

/* Looks at the selection or loop of a header in a function. */
static void look_at(struct finding *finding, struct kept *kept, uint32_t function, uint32_t header)
{
    const struct ws_module *module = finding->module;
    const struct ws_constructs *constructs = &finding->code->constructs[function];
    const struct ws_cfg *cfg = &finding->code->cfgs[function];
    const uint32_t begin = module->functions[function].block_first;
    const struct ws_block *block = &module->blocks[begin + header];
    const uint32_t merge = constructs->merge[header];
    const bool loop = constructs->loop_header[header];
    uint32_t all = 0;
    const uint32_t around = find_around(finding, constructs, header, &all);
    if (!ws_budget_spend((uint64_t)constructs->block_count * (1 + around) + module->block_count +
                         module->function_count + cfg->successor_first[cfg->block_count])) {
        kept->skipped[WS_PARTING_UNSEEN]++;
        return;
    }
    const struct region region = find_region(finding, function, header, around);
    const uint32_t reason = reason_against(&region);
    if (reason < WS_PARTING_REASONS) {
        kept->skipped[reason]++;
        return;
    }
    const bool meet = constructs->dominators.size[merge] > 0;
    const struct ws_parting parting = {
        .block = finding->records[begin + header],
        .offset = module->instructions[block->end - 1].offset,
        .merge = meet ? module->instructions[module->blocks[begin + merge].first].offset : WS_NONE,
        /* Only what it merges itself is around it. */
        .all_come = is_entry(module, function) && all <= 1,
        .back = (!loop && is_skipped(finding, function, header)) || must_go_back(finding, function, header),
        .loop = loop,
        .instructions = region.weighted};
    keep(kept, &parting);
}

/* Looks at the selections and loops of a function. */
static void look_at_headers(struct finding *finding, struct kept *selections, struct kept *loops,
                            uint32_t function)
{
    const struct ws_constructs *constructs = &finding->code->constructs[function];
    const uint32_t begin = finding->module->functions[function].block_first;
    for (uint32_t i = 0; i < constructs->order_count; ++i) {
        const uint32_t header = constructs->order[i];
        if (constructs->merge[header] == WS_NONE || finding->records[begin + header] == WS_NONE)
            continue;
        if (constructs->loop_header[header])
            look_at(finding, loops, function, header);
        else if (is_branch(&finding->code->cfgs[function], header))
            look_at(finding, selections, function, header);
    }
}

/* Finds all of them. */
static void find_partings(struct finding *finding, struct ws_partings *partings)
{
    struct ws_parting list[WS_PARTINGS_MAX];
    struct kept loops = {.list = list, .skipped = partings->skipped_loops};
    struct kept selections = {.list = partings->list, .skipped = partings->skipped};
    for (uint32_t f = 0; f < finding->module->function_count; ++f)
        if (finding->reached[f] && !finding->code->cfgs[f].opaque)
            look_at_headers(finding, &selections, &loops, f);
    memcpy(partings->list + selections.count, list, loops.count * sizeof(*list));
    partings->count = selections.count + loops.count;
}

/* Sets which blocks of the catalog are in which regions. False when there is no memory. */
static bool set_inside(struct finding *finding, struct ws_partings *partings)
{
    const struct ws_module *module = finding->module;
    const uint32_t count = finding->record->block_count;
    if (partings->count == 0)
        return true;
    partings->inside = calloc((size_t)count + 1, sizeof(*partings->inside));
    partings->begins = calloc((size_t)count + 1, sizeof(*partings->begins));
    if (partings->inside == NULL || partings->begins == NULL) {
        ws_partings_finish(partings);
        return false;
    }
    for (uint32_t i = 0; i < partings->count; ++i) {
        const uint32_t block =
            ws_loop_nest_block_at(module, finding->record->blocks[partings->list[i].block].info.offset);
        const uint32_t function = module->blocks[block].function;
        const uint32_t header = block - module->functions[function].block_first;
        uint32_t all = 0;
        find_region(finding, function, header,
                    find_around(finding, &finding->code->constructs[function], header, &all));
        partings->begins[partings->list[i].block] = (uint8_t)(i + 1);
        for (uint32_t b = 0; b < module->block_count; ++b)
            if (finding->records[b] != WS_NONE &&
                ((module->blocks[b].function == function && finding->region[b]) ||
                 finding->called[module->blocks[b].function]))
                partings->inside[finding->records[b]] |= 1u << i;
    }
    return true;
}

bool ws_partings_init(struct ws_partings *partings, const struct ws_module_record *record,
                      const struct ws_shader_code *code)
{
    memset(partings, 0, sizeof(*partings));
    if (code == NULL)
        return true;
    const struct ws_module *module = &code->code->module;
    struct ws_arena *arena = ws_arena_create();
    if (arena == NULL)
        return false;
    const size_t blocks = (size_t)module->block_count + 1;
    const size_t functions = (size_t)module->function_count + 1;
    struct finding finding = {.record = record,
                              .code = code,
                              .module = module,
                              .records = ws_arena_allocate(arena, blocks, sizeof(uint32_t)),
                              .does = ws_arena_allocate(arena, blocks, sizeof(uint8_t)),
                              .calls = ws_arena_allocate(arena, blocks, sizeof(bool)),
                              .functions = ws_arena_allocate(arena, functions, sizeof(uint8_t)),
                              .behind = ws_arena_allocate(arena, functions, sizeof(uint8_t)),
                              .waits = ws_arena_allocate(arena, functions, sizeof(bool)),
                              .reached = ws_arena_allocate(arena, functions, sizeof(bool)),
                              .depths = ws_arena_allocate(arena, blocks, sizeof(uint32_t)),
                              .region = ws_arena_allocate(arena, blocks, sizeof(bool)),
                              .called = ws_arena_allocate(arena, functions, sizeof(bool)),
                              .marks = ws_arena_allocate(arena, functions, sizeof(uint32_t)),
                              .list = ws_arena_allocate(arena, functions, sizeof(uint32_t)),
                              .stack = ws_arena_allocate(arena, blocks, sizeof(uint32_t)),
                              .around = ws_arena_allocate(arena, blocks, sizeof(uint32_t)),
                              .met = ws_arena_allocate(arena, blocks, sizeof(bool))};
    bool made = finding.records != NULL && finding.does != NULL && finding.functions != NULL &&
                finding.reached != NULL && finding.depths != NULL && finding.region != NULL &&
                finding.called != NULL && finding.marks != NULL && finding.list != NULL &&
                finding.stack != NULL && finding.around != NULL && finding.calls != NULL &&
                finding.met != NULL && finding.behind != NULL && finding.waits != NULL;
    for (uint32_t b = 0; made && b < module->block_count; ++b)
        finding.records[b] = WS_NONE;
    for (uint32_t b = 0; made && b < record->block_count; ++b) {
        const uint32_t block = ws_loop_nest_block_at(module, record->blocks[b].info.offset);
        if (block != WS_NONE)
            finding.records[block] = b;
    }
    if (made)
        look_at_functions(&finding);
    if (made)
        find_partings(&finding, partings);
    made = made && set_inside(&finding, partings);
    ws_arena_destroy(arena);
    return made;
}
