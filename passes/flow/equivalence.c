#include "passes/flow/equivalence.h"

#include <spirv/unified1/spirv.h>

#include "passes/base/cycles.h"
#include "warpscope/base/arena.h"

/* One function at work. Places are indices in cfg->order; the graph for the cycles has nodes 2p and 2p + 1
 * for the begin and end of the block at place p, and EXIT last. */
struct work {
    struct ws_arena *arena;
    const struct ws_module *module;
    const struct ws_function *function;
    const struct ws_cfg *cfg;
    const bool *parts;
    uint32_t *contexts; /* per place: the place that its mask context is named after */
    uint32_t *around;   /* per place: the same, if it were no loop header */
    uint32_t *classes;  /* per place: cycle equivalence class */
};

static const struct ws_block *block_at(const struct work *work, uint32_t place)
{
    return &work->module->blocks[work->function->block_first + work->cfg->order[place]];
}

/* Arrays of find_contexts, per place. */
struct contexts {
    uint32_t *given;  /* context that a header declared for it, or WS_NONE; the first declaration counts */
    uint32_t *before; /* its forward predecessor; itself when there are several; WS_NONE when none */
    bool *repeats;    /* an edge leads back to it */
};

static bool is_parting(const struct work *work, uint32_t place)
{
    return work->parts[work->function->block_first + work->cfg->order[place]];
}

/* Gives a context (WS_NONE: its own) to the block that operand `index` of a merge instruction names. One that
 * does not come later, such as a header that is its own continue target, has its context already. */
static void give_context(const struct work *work, struct contexts *contexts, uint32_t header,
                         const struct ws_instruction *merge, uint32_t index, uint32_t context)
{
    const uint32_t block =
        ws_cfg_find_block(work->module, work->function, ws_operand(work->module, merge, index));
    const uint32_t place = block == WS_NONE ? WS_NONE : work->cfg->position[block];
    if (place != WS_NONE && place > header && contexts->given[place] == WS_NONE)
        contexts->given[place] = context != WS_NONE ? context : place;
}

/* Notes the edges of every block: which repeat one, which lead to one later. */
static void note_edges(const struct ws_cfg *cfg, struct contexts *contexts)
{
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        contexts->given[place] = WS_NONE;
        contexts->before[place] = WS_NONE;
    }
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        const uint32_t block = cfg->order[place];
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; i++) {
            const uint32_t next = cfg->position[cfg->successors[i]];
            uint32_t *before = &contexts->before[next];
            if (next <= place)
                contexts->repeats[next] = true;
            else
                *before = *before == WS_NONE || *before == place ? place : next;
        }
    }
}

/* Mask contexts, in an order in which headers and forward predecessors come first. */
static bool find_contexts(struct work *work)
{
    const struct ws_cfg *cfg = work->cfg;
    struct contexts contexts;
    contexts.given = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*contexts.given));
    contexts.before = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*contexts.before));
    contexts.repeats = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*contexts.repeats));
    work->contexts = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*work->contexts));
    work->around = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*work->around));
    if (contexts.given == NULL || contexts.before == NULL || contexts.repeats == NULL ||
        work->contexts == NULL || work->around == NULL)
        return false;
    note_edges(cfg, &contexts);
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        const uint32_t before = contexts.before[place];
        const struct ws_instruction *merge = ws_cfg_merge(work->module, block_at(work, place));
        uint32_t context = place;
        if (contexts.given[place] != WS_NONE)
            context = contexts.given[place];
        else if (before != WS_NONE && before != place && !is_parting(work, before))
            context = work->contexts[before];
        const bool loop = merge != NULL && merge->opcode == SpvOpLoopMerge;
        work->around[place] = context;
        work->contexts[place] = loop || contexts.repeats[place] ? place : context;
        if (merge != NULL) {
            /* The context around a loop whose header starts it is named after the merge block, since the
             * loop's is named after the header. */
            const bool own =
                is_parting(work, place) || ((loop || contexts.repeats[place]) && context == place);
            give_context(work, &contexts, place, merge, 0, own ? WS_NONE : context);
        }
        if (loop)
            give_context(work, &contexts, place, merge, 1, place);
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
    if (exits == NULL || reaches == NULL || stack == NULL || head == NULL || next == NULL || from == NULL)
        return NULL;

    for (uint32_t place = 0; place < cfg->order_count; place++)
        head[place] = WS_NONE;
    uint32_t depth = 0;
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        uint32_t block = cfg->order[place];
        bool ends = cfg->successor_first[block] == cfg->successor_first[block + 1];
        exits[place] = ends || work->parts[work->function->block_first + block];
        reaches[place] = exits[place];
        if (exits[place])
            stack[depth++] = place;
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
    for (uint32_t place = 0; place < cfg->order_count; place++)
        exits[place] = exits[place] || !reaches[place];
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
    if (exits == NULL || edges == NULL || work->classes == NULL)
        return false;

    uint32_t exit = 2 * cfg->order_count;
    uint32_t edge_count = 0;
    for (uint32_t place = 0; place < cfg->order_count; place++)
        edges[edge_count++] = (struct ws_edge){2 * place, 2 * place + 1};
    edges[edge_count++] = (struct ws_edge){exit, 0};
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        uint32_t block = cfg->order[place];
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; i++)
            edges[edge_count++] = (struct ws_edge){2 * place + 1, 2 * cfg->position[cfg->successors[i]]};
        if (exits[place])
            edges[edge_count++] = (struct ws_edge){2 * place + 1, exit};
    }
    return ws_cycles_classify(work->arena, exit + 1, edges, edge_count, work->classes);
}

/* The first block of each class, from pairs of cycle class and context: places are sorted by cycle class,
 * then within one class the first place of each context leads. */
static uint32_t *find_leaders(const struct work *work)
{
    const struct ws_cfg *cfg = work->cfg;
    uint32_t class_count = 0;
    for (uint32_t place = 0; place < cfg->order_count; place++)
        class_count = work->classes[place] >= class_count ? work->classes[place] + 1 : class_count;
    uint32_t *head = ws_arena_allocate(work->arena, class_count, sizeof(*head));
    uint32_t *next = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*next));
    uint32_t *seen = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*seen)); /* class + 1 */
    uint32_t *leader_of = ws_arena_allocate(work->arena, cfg->order_count, sizeof(*leader_of));
    uint32_t *leaders = ws_arena_allocate(work->arena, cfg->block_count, sizeof(*leaders));
    if (head == NULL || next == NULL || seen == NULL || leader_of == NULL || leaders == NULL)
        return NULL;

    for (uint32_t block = 0; block < cfg->block_count; block++)
        leaders[block] = WS_NONE;
    for (uint32_t class = 0; class < class_count; class ++)
        head[class] = WS_NONE;
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
    struct work work = {arena, module, &module->functions[function], cfg, parts, NULL, NULL, NULL};
    uint32_t *leaders = NULL;
    if (find_contexts(&work) && find_cycles(&work))
        leaders = find_leaders(&work);
    if (leaders == NULL)
        ws_error_set(error, "out of memory for the block classes of a function");
    return leaders;
}

uint32_t *ws_equivalence_contexts(struct ws_arena *arena, const struct ws_module *module, uint32_t function,
                                  const struct ws_cfg *cfg, const bool *parts, struct ws_error *error)
{
    struct work work = {arena, module, &module->functions[function], cfg, parts, NULL, NULL, NULL};
    uint32_t *contexts = ws_arena_allocate(arena, cfg->block_count, sizeof(*contexts));
    if (contexts == NULL || !find_contexts(&work)) {
        ws_error_set(error, "out of memory for the mask contexts of a function");
        return NULL;
    }
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        const uint32_t place = cfg->position[block];
        contexts[block] = place == WS_NONE ? WS_NONE : cfg->order[work.contexts[place]];
    }
    return contexts;
}

/* A place that leads nowhere but to one other, with all its lanes together. */
static bool leads_on(const struct work *work, uint32_t place)
{
    const uint32_t block = work->cfg->order[place];
    return work->cfg->successor_first[block + 1] - work->cfg->successor_first[block] == 1 &&
           !is_parting(work, place);
}

struct ws_block_sum *ws_equivalence_sums(struct ws_arena *arena, const struct ws_module *module,
                                         uint32_t function, const struct ws_cfg *cfg, const bool *parts,
                                         const uint32_t *leaders, struct ws_error *error)
{
    struct work work = {arena, module, &module->functions[function], cfg, parts, NULL, NULL, NULL};
    struct ws_block_sum *sums = ws_arena_allocate(arena, cfg->block_count, sizeof(*sums));
    uint32_t *edges = ws_arena_allocate(arena, cfg->block_count, sizeof(*edges)); /* that lead to a block */
    if (sums == NULL || edges == NULL || !find_contexts(&work)) {
        ws_error_set(error, "out of memory for the loops of a function");
        return NULL;
    }
    for (uint32_t block = 0; block < cfg->block_count; block++)
        sums[block] = (struct ws_block_sum){WS_NONE, WS_NONE};
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        const uint32_t block = cfg->order[place];
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; i++) {
            const uint32_t next = cfg->successors[i];
            edges[next]++;
            if (!leads_on(&work, place))
                continue;
            if (cfg->position[next] > place && work.contexts[place] == work.around[cfg->position[next]])
                sums[next].before = block;
            else if (work.contexts[place] == cfg->position[next])
                sums[next].again = block;
        }
    }
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        struct ws_block_sum *sum = &sums[block];
        if (edges[block] != 2 || sum->before == WS_NONE || sum->again == WS_NONE || leaders[block] != block ||
            leaders[sum->again] == block)
            *sum = (struct ws_block_sum){WS_NONE, WS_NONE};
    }
    return sums;
}
