#include "equivalence.h"

#include <spirv/unified1/spirv.h>

#include "cycles.h"
#include "ir/arena.h"

/* One function at work. Places are indices in cfg->order; the graph for the cycles has nodes 2p and 2p + 1
 * for the begin and end of the block at place p, and EXIT last. */
struct work {
    struct ws_arena *arena;
    const struct ws_module *module;
    const struct ws_function *function;
    const struct ws_cfg *cfg;
    const bool *parts;
    uint32_t *contexts; /* per place: the place that its mask context is named after */
    uint32_t *classes;  /* per place: cycle equivalence class */
};

static const struct ws_block *block_at(const struct work *work, uint32_t place)
{
    return &work->module->blocks[work->function->block_first + work->cfg->order[place]];
}

/* Place of the block that operand `index` of a merge instruction names; WS_NONE when it is not reached. */
static uint32_t find_place(const struct work *work, const struct ws_instruction *merge, uint32_t index)
{
    uint32_t block = ws_cfg_find_block(work->module, work->function, ws_operand(work->module, merge, index));
    return block == WS_NONE ? WS_NONE : work->cfg->position[block];
}

/* Fills `headers`: per place, the place of the header that declares it as merge block or continue target,
 * or WS_NONE. A loop may declare one block as both; a header that comes later is malformed, and ignored.
 * A header may declare itself as its continue target (a loop of a single block): also ignored. */
static void find_headers(const struct work *work, uint32_t *headers)
{
    for (uint32_t place = 0; place < work->cfg->order_count; place++) {
        headers[place] = WS_NONE;
    }
    for (uint32_t place = 0; place < work->cfg->order_count; place++) {
        const struct ws_instruction *merge = ws_cfg_merge(work->module, block_at(work, place));
        if (merge == NULL) {
            continue;
        }
        uint32_t operand_count = merge->opcode == SpvOpLoopMerge ? 2 : 1;
        for (uint32_t operand = 0; operand < operand_count; operand++) {
            uint32_t declared = find_place(work, merge, operand);
            if (declared != WS_NONE && declared > place && headers[declared] == WS_NONE) {
                headers[declared] = place;
            }
        }
    }
}

/* Mask contexts, in an order in which headers and forward predecessors come first. */
static bool find_contexts(struct work *work)
{
    const struct ws_cfg *cfg = work->cfg;
    uint32_t *headers = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*headers));
    /* Per place: its forward predecessor, or itself when there are several. */
    uint32_t *before = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*before));
    work->contexts = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*work->contexts));
    if (headers == NULL || before == NULL || work->contexts == NULL) {
        return false;
    }

    find_headers(work, headers);
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        before[place] = WS_NONE;
    }
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        if (headers[place] != WS_NONE) {
            work->contexts[place] = work->contexts[headers[place]];
        } else if (before[place] == WS_NONE || before[place] == place) {
            work->contexts[place] = place;
        } else {
            work->contexts[place] = work->contexts[before[place]];
        }
        uint32_t block = cfg->order[place];
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; i++) {
            uint32_t next = cfg->position[cfg->successors[i]];
            if (next > place) {
                before[next] = before[next] == WS_NONE || before[next] == place ? place : next;
            }
        }
    }
    return true;
}

/* Per place: whether the block has an edge to EXIT. */
static bool *find_exits(const struct work *work)
{
    const struct ws_cfg *cfg = work->cfg;
    bool *exits = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*exits));
    bool *reaches = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*reaches));
    uint32_t *stack = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*stack));
    uint32_t *head = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*head));
    uint32_t edge_count = cfg->successor_first[cfg->block_count];
    uint32_t *next = ws_arena_allocate(work->arena, edge_count, sizeof(*next));
    uint32_t *from = ws_arena_allocate(work->arena, edge_count, sizeof(*from));
    if (exits == NULL || reaches == NULL || stack == NULL || head == NULL || next == NULL || from == NULL) {
        return NULL;
    }

    for (uint32_t place = 0; place < cfg->order_count; place++) {
        head[place] = WS_NONE;
    }
    uint32_t depth = 0;
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        uint32_t block = cfg->order[place];
        bool ends = cfg->successor_first[block] == cfg->successor_first[block + 1];
        exits[place] = ends || work->parts[work->function->block_first + block];
        reaches[place] = exits[place];
        if (exits[place]) {
            stack[depth++] = place;
        }
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; i++) {
            uint32_t target = cfg->position[cfg->successors[i]];
            from[i] = place;
            next[i] = head[target];
            head[target] = i;
        }
    }
    while (depth > 0) {
        for (uint32_t i = head[stack[--depth]]; i != WS_NONE; i = next[i]) {
            if (!reaches[from[i]]) {
                reaches[from[i]] = true;
                stack[depth++] = from[i];
            }
        }
    }
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        exits[place] = exits[place] || !reaches[place];
    }
    return exits;
}

/* Cycle equivalence of the blocks: that of the edges from their begin to their end. */
static bool find_cycles(struct work *work)
{
    const struct ws_cfg *cfg = work->cfg;
    const bool *exits = find_exits(work);
    size_t room = (size_t)cfg->successor_first[cfg->block_count] + 2 * (size_t)cfg->order_count + 1;
    struct ws_edge *edges = ws_arena_allocate(work->arena, room, sizeof(*edges));
    work->classes = ws_arena_allocate(work->arena, room, sizeof(*work->classes));
    if (exits == NULL || edges == NULL || work->classes == NULL) {
        return false;
    }

    uint32_t exit = 2 * cfg->order_count;
    uint32_t edge_count = 0;
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        edges[edge_count++] = (struct ws_edge){2 * place, 2 * place + 1};
    }
    edges[edge_count++] = (struct ws_edge){exit, 0};
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        uint32_t block = cfg->order[place];
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; i++) {
            edges[edge_count++] = (struct ws_edge){2 * place + 1, 2 * cfg->position[cfg->successors[i]]};
        }
        if (exits[place]) {
            edges[edge_count++] = (struct ws_edge){2 * place + 1, exit};
        }
    }
    return ws_cycles_classify(work->arena, exit + 1, edges, edge_count, work->classes);
}

/* The first block of each class, from pairs of cycle class and context: places are sorted by cycle class,
 * then within one class the first place of each context leads. */
static uint32_t *find_leaders(const struct work *work)
{
    const struct ws_cfg *cfg = work->cfg;
    uint32_t class_count = 0;
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        class_count = work->classes[place] >= class_count ? work->classes[place] + 1 : class_count;
    }
    uint32_t *head = ws_arena_allocate(work->arena, class_count, sizeof(*head));
    uint32_t *next = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*next));
    uint32_t *seen = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*seen)); /* class + 1 */
    uint32_t *leader_of = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*leader_of));
    uint32_t *leaders = ws_arena_allocate(work->arena, cfg->block_count, sizeof(*leaders));
    if (head == NULL || next == NULL || seen == NULL || leader_of == NULL || leaders == NULL) {
        return NULL;
    }

    for (uint32_t block = 0; block < cfg->block_count; block++) {
        leaders[block] = WS_NONE;
    }
    for (uint32_t class = 0; class < class_count; class ++) {
        head[class] = WS_NONE;
    }
    for (uint32_t place = cfg->order_count; place-- > 0;) {
        next[place] = head[work->classes[place]];
        head[work->classes[place]] = place;
    }
    for (uint32_t class = 0; class < class_count; class ++) {
        for (uint32_t place = head[class]; place != WS_NONE; place = next[place]) {
            uint32_t context = work->contexts[place];
            if (seen[context] != class + 1) {
                seen[context] = class + 1;
                leader_of[context] = cfg->order[place];
            }
            leaders[cfg->order[place]] = leader_of[context];
        }
    }
    return leaders;
}

uint32_t *ws_equivalence_find(struct ws_arena *arena, const struct ws_module *module, uint32_t function,
                              const struct ws_cfg *cfg, const bool *parts, struct ws_error *error)
{
    struct work work = {arena, module, &module->functions[function], cfg, parts, NULL, NULL};
    uint32_t *leaders = NULL;
    if (find_contexts(&work) && find_cycles(&work)) {
        leaders = find_leaders(&work);
    }
    if (leaders == NULL) {
        ws_error_set(error, "out of memory for the block classes of a function");
    }
    return leaders;
}
