#include "warpscope/code/constructs.h"

#include <spirv/unified1/spirv.h>

#include "passes/base/dominators.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/sites.h"

/* One function at work. */
struct finding {
    struct ws_constructs *constructs;
    struct ws_arena *arena;
    const struct ws_module *module;
    const struct ws_function *function;
    const struct ws_cfg *cfg;
    bool is_entry;       /* of an entry point: its OpReturn ends lanes */
    bool *ends;          /* per header: lanes end between it and its merge block */
    bool *leaves;        /* per header: lanes leave a loop that is around it */
    uint32_t *header_of; /* per block: the header whose merge block it is; WS_NONE */
};

static uint32_t *per_block(struct finding *finding, uint32_t value)
{
    const uint32_t count = finding->cfg->block_count;
    uint32_t *array = ws_arena_allocate(finding->arena, count, sizeof(*array));
    for (uint32_t i = 0; array != NULL && i < count; ++i)
        array[i] = value;
    return array;
}

/* Numbers a tree from its parents. `order` has each block behind its parent. */
static bool number_tree(struct finding *finding, struct ws_block_tree *tree, const uint32_t *order,
                        uint32_t count)
{
    uint32_t *next = per_block(finding, 0);
    uint32_t roots = 0;
    tree->first = per_block(finding, 0);
    tree->size = per_block(finding, 0);
    if (next == NULL || tree->first == NULL || tree->size == NULL)
        return false;
    for (uint32_t i = count; i-- > 0;) {
        tree->size[order[i]]++;
        if (tree->parent[order[i]] != WS_NONE)
            tree->size[tree->parent[order[i]]] += tree->size[order[i]];
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t block = order[i];
        uint32_t *place = tree->parent[block] != WS_NONE ? &next[tree->parent[block]] : &roots;
        tree->first[block] = *place;
        *place += tree->size[block];
        next[block] = tree->first[block] + 1;
    }
    return true;
}

static bool find_dominators(struct finding *finding)
{
    const struct ws_cfg *cfg = finding->cfg;
    struct ws_constructs *constructs = finding->constructs;
    const struct ws_graph graph = {cfg->block_count, cfg->successor_first, cfg->successors};
    struct ws_dominators dominators;
    if (!ws_dominators_find(&dominators, finding->arena, &graph))
        return false;
    constructs->dominators.parent = dominators.immediate;
    constructs->order = dominators.order;
    constructs->order_count = dominators.order_count;
    return number_tree(finding, &constructs->dominators, dominators.order, dominators.order_count);
}

static const struct ws_block *block_at(const struct finding *finding, uint32_t block)
{
    return &finding->module->blocks[finding->function->block_first + block];
}

/* Sets the merge blocks, and which blocks are headers of loops. A merge block that its header does not dominate is
 * malformed, and is none. */
static bool find_headers(struct finding *finding)
{
    struct ws_constructs *constructs = finding->constructs;
    constructs->merge = per_block(finding, WS_NONE);
    constructs->loop_header = ws_arena_allocate(finding->arena, finding->cfg->block_count, sizeof(bool));
    finding->header_of = per_block(finding, WS_NONE);
    if (constructs->merge == NULL || constructs->loop_header == NULL || finding->header_of == NULL)
        return false;
    for (uint32_t i = 0; i < constructs->order_count; ++i) {
        const uint32_t block = constructs->order[i];
        const struct ws_instruction *instruction = ws_cfg_merge(finding->module, block_at(finding, block));
        if (instruction == NULL)
            continue;
        const uint32_t merge = ws_cfg_find_block(finding->module, finding->function,
                                                 ws_operand(finding->module, instruction, 0));
        constructs->loop_header[block] = instruction->opcode == SpvOpLoopMerge;
        if (merge == WS_NONE || merge == block)
            continue;
        constructs->merge[block] = merge;
        if (ws_block_tree_is_below(&constructs->dominators, merge, block))
            finding->header_of[merge] = block;
    }
    return true;
}

/* Where lanes go on for good: from the end of a loop's turn to its merge block, and not back. */
static uint32_t onward(const struct finding *finding, uint32_t block, uint32_t successor)
{
    const struct ws_constructs *constructs = finding->constructs;
    return constructs->loop_header[successor] && constructs->merge[successor] != WS_NONE &&
                   ws_block_tree_is_below(&constructs->dominators, block, successor)
               ? constructs->merge[successor]
               : successor;
}

/* The graph backwards: node 0 is the end, node b + 1 is block b. What comes behind something in it comes behind it in
 * the same turn of each loop around both. */
static bool turn_graph(struct finding *finding, struct ws_graph *graph)
{
    const struct ws_cfg *cfg = finding->cfg;
    const uint32_t nodes = cfg->block_count + 1;
    const uint32_t edges = cfg->successor_first[cfg->block_count];
    uint32_t *first = ws_arena_allocate(finding->arena, (size_t)nodes + 2, sizeof(*first));
    uint32_t *targets = ws_arena_allocate(finding->arena, (size_t)edges + cfg->block_count, sizeof(*targets));
    if (first == NULL || targets == NULL)
        return false;
    /* first[node + 2] counts the targets of a node; added up, first[node + 1] is where its next target goes. */
    for (uint32_t block = 0; block < cfg->block_count; ++block)
        first[2] += cfg->successor_first[block] == cfg->successor_first[block + 1];
    for (uint32_t block = 0; block < cfg->block_count; ++block)
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; ++i)
            first[onward(finding, block, cfg->successors[i]) + 3]++;
    for (uint32_t i = 2; i < nodes + 2; ++i)
        first[i] += first[i - 1];
    for (uint32_t block = 0; block < cfg->block_count; ++block) {
        const uint32_t begin = cfg->successor_first[block];
        const uint32_t end = cfg->successor_first[block + 1];
        if (begin == end)
            targets[first[1]++] = block + 1;
        for (uint32_t i = begin; i < end; ++i)
            targets[first[onward(finding, block, cfg->successors[i]) + 2]++] = block + 1;
    }
    *graph = (struct ws_graph){nodes, first, targets};
    return true;
}

static bool find_postdominators(struct finding *finding)
{
    struct ws_block_tree *tree = &finding->constructs->postdominators;
    struct ws_graph graph;
    struct ws_dominators found;
    uint32_t count = 0;
    uint32_t *order = per_block(finding, 0);
    tree->parent = per_block(finding, WS_NONE);
    if (order == NULL || tree->parent == NULL || !turn_graph(finding, &graph) ||
        !ws_dominators_find(&found, finding->arena, &graph))
        return false;
    for (uint32_t i = 0; i < found.order_count; ++i) {
        const uint32_t node = found.order[i];
        if (node == 0)
            continue;
        order[count++] = node - 1;
        if (found.immediate[node] != WS_NONE && found.immediate[node] != 0)
            tree->parent[node - 1] = found.immediate[node] - 1;
    }
    return number_tree(finding, tree, order, count);
}

/* The innermost loop around what follows a block of `loop`, if that is `block`: without those that it merges. */
static uint32_t loop_around(const struct finding *finding, const uint32_t *outer, uint32_t loop,
                            uint32_t block)
{
    for (uint32_t around = loop; around != WS_NONE; around = outer[around])
        if (finding->constructs->merge[around] == block)
            loop = outer[around];
    return loop;
}

static bool find_loops(struct finding *finding)
{
    struct ws_constructs *constructs = finding->constructs;
    uint32_t *outer = per_block(finding, WS_NONE); /* of a loop's header: the loop around it */
    constructs->loop = per_block(finding, WS_NONE);
    if (outer == NULL || constructs->loop == NULL)
        return false;
    for (uint32_t i = 1; i < constructs->order_count; ++i) {
        const uint32_t block = constructs->order[i];
        const uint32_t before = constructs->loop[constructs->dominators.parent[block]];
        const uint32_t around = loop_around(finding, outer, before, block);
        outer[block] = around;
        constructs->loop[block] = constructs->loop_header[block] ? block : around;
    }
    return true;
}

/* Tells every header that has `block` between itself and its merge block. The way leads up the dominators, and from a
 * merge block to its header: what stands between these two is not around it. */
static void mark_around(const struct finding *finding, uint32_t block, bool *marks)
{
    const struct ws_constructs *constructs = finding->constructs;
    bool merged = false;
    for (uint32_t at = block; at != WS_NONE;) {
        if (constructs->merge[at] != WS_NONE && !merged)
            marks[at] = true;
        merged = finding->header_of[at] != WS_NONE;
        at = merged ? finding->header_of[at] : constructs->dominators.parent[at];
    }
}

/* Whether lanes may end in the block: by its terminator, or where it was cut. */
static bool ends_lanes(const struct finding *finding, uint32_t block)
{
    const struct ws_block *at = block_at(finding, block);
    return at->is_cut || ws_instruction_ends(&finding->module->instructions[at->end - 1], finding->is_entry);
}

/* Which constructs have blocks that end lanes, or that leave a loop around the construct. */
static bool find_ways_out(struct finding *finding)
{
    const struct ws_constructs *constructs = finding->constructs;
    const struct ws_cfg *cfg = finding->cfg;
    finding->ends = ws_arena_allocate(finding->arena, cfg->block_count, sizeof(bool));
    finding->leaves = ws_arena_allocate(finding->arena, cfg->block_count, sizeof(bool));
    if (finding->ends == NULL || finding->leaves == NULL)
        return false;
    for (uint32_t i = 0; i < constructs->order_count; ++i) {
        const uint32_t block = constructs->order[i];
        const uint32_t loop = constructs->loop[block];
        bool leaves = false;
        for (uint32_t j = cfg->successor_first[block]; j < cfg->successor_first[block + 1]; ++j)
            leaves = leaves || (loop != WS_NONE && constructs->merge[loop] == cfg->successors[j]);
        if (leaves)
            mark_around(finding, block, finding->leaves);
        if (ends_lanes(finding, block))
            mark_around(finding, block, finding->ends);
    }
    return true;
}

/* The step from a merge block to the outer block of its header. */
static struct ws_step step_from_merge(const struct finding *finding, uint32_t block, uint32_t header)
{
    const struct ws_constructs *constructs = finding->constructs;
    const bool loop = constructs->loop_header[header];
    const uint32_t outer = loop ? constructs->dominators.parent[header] : header;
    if (outer != WS_NONE && finding->ends[header])
        return (struct ws_step){outer, header, WS_STEP_EXIT};
    if (outer == WS_NONE || ws_block_tree_is_below(&constructs->postdominators, header, block))
        return (struct ws_step){outer, WS_NONE, WS_STEP_NONE};
    if (loop)
        return (struct ws_step){outer, header, WS_STEP_LOOP};
    if (finding->leaves[header] && constructs->loop[header] != WS_NONE)
        return (struct ws_step){outer, constructs->loop[header], WS_STEP_LOOP};
    return (struct ws_step){outer, header, WS_STEP_BRANCH};
}

static struct ws_step step_of(const struct finding *finding, uint32_t block)
{
    const struct ws_constructs *constructs = finding->constructs;
    const struct ws_cfg *cfg = finding->cfg;
    const uint32_t outer = constructs->dominators.parent[block];
    if (constructs->loop_header[block])
        return (struct ws_step){outer, block, WS_STEP_LOOP};
    if (finding->header_of[block] != WS_NONE)
        return step_from_merge(finding, block, finding->header_of[block]);
    if (block_at(finding, outer)->is_cut)
        return (struct ws_step){outer, outer, WS_STEP_EXIT};
    if (cfg->successor_first[outer + 1] - cfg->successor_first[outer] < 2 ||
        ws_block_tree_is_below(&constructs->postdominators, outer, block))
        return (struct ws_step){outer, WS_NONE, WS_STEP_NONE};
    if ((constructs->merge[outer] == WS_NONE || constructs->loop_header[outer]) &&
        constructs->loop[outer] != WS_NONE)
        return (struct ws_step){outer, constructs->loop[outer], WS_STEP_LOOP};
    return (struct ws_step){outer, outer, WS_STEP_BRANCH};
}

static bool is_entry(const struct ws_module *module, uint32_t function)
{
    for (uint32_t i = 0; i < module->entry_point_count; ++i)
        if (module->entry_points[i].function == function)
            return true;
    return false;
}

bool ws_constructs_find(struct ws_constructs *constructs, struct ws_arena *arena,
                        const struct ws_module *module, uint32_t function, const struct ws_cfg *cfg)
{
    struct finding finding = {
        .constructs = constructs,
        .arena = arena,
        .module = module,
        .function = &module->functions[function],
        .cfg = cfg,
        .is_entry = is_entry(module, function),
    };
    *constructs = (struct ws_constructs){.block_count = 0};
    if (cfg->opaque || cfg->block_count == 0 || cfg->block_count > WS_CONSTRUCT_BLOCKS_MAX)
        return true;
    constructs->steps = ws_arena_allocate(arena, cfg->block_count, sizeof(*constructs->steps));
    if (constructs->steps == NULL || !find_dominators(&finding) || !find_headers(&finding) ||
        !find_postdominators(&finding) || !find_loops(&finding) || !find_ways_out(&finding))
        return false;
    for (uint32_t i = 0; i < cfg->block_count; ++i)
        constructs->steps[i] = (struct ws_step){WS_NONE, WS_NONE, WS_STEP_NONE};
    for (uint32_t i = 1; i < constructs->order_count; ++i)
        constructs->steps[constructs->order[i]] = step_of(&finding, constructs->order[i]);
    constructs->block_count = cfg->block_count;
    return true;
}
