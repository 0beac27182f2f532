#include "passes/base/dominators.h"

#include "warpscope/base/arena.h"
#include "warpscope/instrument.h"

/* One graph at work. Nodes are named by their number in depth-first order, but in `number` and `order`. */
struct work {
    const struct ws_graph *graph;
    uint32_t *order;       /* per number: the node */
    uint32_t *number;      /* per node; WS_NONE = not reached */
    uint32_t count;        /* how many are reached */
    uint32_t *parent;      /* in the depth-first tree */
    uint32_t *source_next; /* per edge: the next edge into the same node; WS_NONE = last */
    uint32_t *source_from; /* per edge: where it begins */
    uint32_t *source_head; /* first edge into a node */
    uint32_t *semi;        /* semidominator */
    uint32_t *ancestor;    /* in the forest of what has been done; WS_NONE = a root */
    uint32_t *label;       /* the node of least semidominator on the way to the ancestor */
    uint32_t *bucket_head; /* nodes whose semidominator it is */
    uint32_t *bucket_next;
    uint32_t *dominator;
    uint32_t *stack;
    uint32_t *cursor; /* per node: the next edge of the search */
};

static bool allocate(struct work *work, struct ws_arena *arena)
{
    const uint32_t nodes = work->graph->node_count;
    const uint32_t edges = work->graph->first[nodes];
    uint32_t **const per_node[] = {&work->order,       &work->number,    &work->parent, &work->source_head,
                                   &work->semi,        &work->ancestor,  &work->label,  &work->bucket_head,
                                   &work->bucket_next, &work->dominator, &work->stack,  &work->cursor};
    for (size_t i = 0; i < sizeof(per_node) / sizeof(per_node[0]); i++) {
        *per_node[i] = ws_arena_allocate(arena, nodes, sizeof(uint32_t));
        if (*per_node[i] == NULL)
            return false;
    }
    work->source_next = ws_arena_allocate(arena, edges, sizeof(*work->source_next));
    work->source_from = ws_arena_allocate(arena, edges, sizeof(*work->source_from));
    return work->source_next != NULL && work->source_from != NULL;
}

static void visit(struct work *work, uint32_t node, uint32_t parent)
{
    work->number[node] = work->count;
    work->parent[work->count] = parent;
    work->order[work->count++] = node;
}

/* Numbers what the root reaches. */
static void search(struct work *work)
{
    const struct ws_graph *graph = work->graph;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        work->number[node] = WS_NONE;
        work->cursor[node] = graph->first[node];
    }
    uint32_t depth = 0;
    visit(work, 0, WS_NONE);
    work->stack[depth++] = 0;
    while (depth > 0) {
        const uint32_t node = work->stack[depth - 1];
        if (work->cursor[node] == graph->first[node + 1]) {
            depth--;
            continue;
        }
        const uint32_t next = graph->targets[work->cursor[node]++];
        if (work->number[next] == WS_NONE) {
            visit(work, next, work->number[node]);
            work->stack[depth++] = next;
        }
    }
}

static void note_sources(struct work *work)
{
    for (uint32_t v = 0; v < work->count; v++)
        work->source_head[v] = WS_NONE;
    for (uint32_t v = 0; v < work->count; v++) {
        const uint32_t node = work->order[v];
        for (uint32_t i = work->graph->first[node]; i < work->graph->first[node + 1]; i++) {
            const uint32_t target = work->number[work->graph->targets[i]];
            work->source_from[i] = v;
            work->source_next[i] = work->source_head[target];
            work->source_head[target] = i;
        }
    }
}

/* The node of least semidominator on the way from `v` to the root of its tree in the forest, the root left
 * out; shortens the way for the next time. */
static uint32_t evaluate(struct work *work, uint32_t v)
{
    if (work->ancestor[v] == WS_NONE)
        return v;
    uint32_t depth = 0;
    for (uint32_t u = v; work->ancestor[work->ancestor[u]] != WS_NONE; u = work->ancestor[u])
        work->stack[depth++] = u;
    while (depth > 0) {
        const uint32_t u = work->stack[--depth];
        const uint32_t above = work->ancestor[u];
        if (work->semi[work->label[above]] < work->semi[work->label[u]])
            work->label[u] = work->label[above];
        work->ancestor[u] = work->ancestor[above];
    }
    return work->label[v];
}

static void find(struct work *work)
{
    for (uint32_t v = 0; v < work->count; v++) {
        work->semi[v] = v;
        work->label[v] = v;
        work->ancestor[v] = WS_NONE;
        work->bucket_head[v] = WS_NONE;
    }
    for (uint32_t w = work->count; w-- > 1;) {
        const uint32_t parent = work->parent[w];
        for (uint32_t i = work->source_head[w]; i != WS_NONE; i = work->source_next[i]) {
            const uint32_t semi = work->semi[evaluate(work, work->source_from[i])];
            work->semi[w] = semi < work->semi[w] ? semi : work->semi[w];
        }
        work->bucket_next[w] = work->bucket_head[work->semi[w]];
        work->bucket_head[work->semi[w]] = w;
        work->ancestor[w] = parent;
        for (uint32_t v = work->bucket_head[parent]; v != WS_NONE; v = work->bucket_next[v]) {
            const uint32_t u = evaluate(work, v);
            work->dominator[v] = work->semi[u] < work->semi[v] ? u : parent;
        }
        work->bucket_head[parent] = WS_NONE;
    }
    for (uint32_t w = 1; w < work->count; w++)
        if (work->dominator[w] != work->semi[w])
            work->dominator[w] = work->dominator[work->dominator[w]];
}

bool ws_dominators_find(struct ws_dominators *dominators, struct ws_arena *arena,
                        const struct ws_graph *graph)
{
    struct work work = {.graph = graph};
    dominators->immediate = ws_arena_allocate(arena, graph->node_count, sizeof(*dominators->immediate));
    if (dominators->immediate == NULL || !allocate(&work, arena))
        return false;
    search(&work);
    note_sources(&work);
    find(&work);
    for (uint32_t node = 0; node < graph->node_count; node++) {
        const uint32_t v = work.number[node];
        dominators->immediate[node] = v == WS_NONE || v == 0 ? WS_NONE : work.order[work.dominator[v]];
    }
    dominators->order = work.order;
    dominators->order_count = work.count;
    return true;
}
