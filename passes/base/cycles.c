/* The bracket lists of Johnson, Pearson and Pingali, "The Program Structure Tree: Computing Control
 * Regions in Linear Time" (PLDI 1994), section 3.5.
 *
 * In a depth-first tree of an undirected graph every other edge joins a node to one of its ancestors. The
 * brackets of a tree edge are those edges that lead from below it to above it. Two tree edges are cycle
 * equivalent just when they have the same set of brackets, and a set is told by its topmost bracket
 * (the one pushed last) and its size, as long as the list is kept in order of where the brackets end: a
 * capping bracket stands for what breaks the order where subtrees are joined. */
#include "passes/base/cycles.h"

#include "warpscope/base/arena.h"

#define NOTHING UINT32_MAX

struct list {
    uint32_t top;
    uint32_t bottom;
    uint32_t size;
};

struct node {
    uint32_t number;      /* order of discovery */
    uint32_t parent_edge; /* NOTHING at the root */
    uint32_t high;        /* smallest number that a bracket from its subtree leads to */
    uint32_t cappings;    /* capping brackets that end here */
    struct list brackets;
};

/* An edge of the graph, or a capping bracket. */
struct bracket {
    uint32_t above; /* neighbours in the bracket list that it is in */
    uint32_t below;
    uint32_t class;
    uint32_t recent_size;  /* of the bracket list when it was last its top */
    uint32_t recent_class; /* and the class of the tree edge then */
    uint32_t next_capping;
};

struct search {
    const struct ws_edge *edges;
    uint32_t edge_count;
    uint32_t node_count;
    uint32_t *edge_first; /* per node, into `incident`; node_count + 1 entries */
    uint32_t *incident;   /* edges at each node */
    uint32_t *order;      /* nodes by number */
    struct node *nodes;
    struct bracket *brackets;
    uint32_t bracket_count;
    uint32_t class_count;
};

static uint32_t other_end(const struct search *search, uint32_t edge, uint32_t node)
{
    const struct ws_edge *ends = &search->edges[edge];
    return ends->from == node ? ends->to : ends->from;
}

static void list_push(struct search *search, struct list *list, uint32_t bracket)
{
    search->brackets[bracket].above = NOTHING;
    search->brackets[bracket].below = list->top;
    if (list->top != NOTHING)
        search->brackets[list->top].above = bracket;
    else
        list->bottom = bracket;
    list->top = bracket;
    list->size++;
}

static void list_delete(struct search *search, struct list *list, uint32_t bracket)
{
    uint32_t above = search->brackets[bracket].above;
    uint32_t below = search->brackets[bracket].below;
    if (above != NOTHING)
        search->brackets[above].below = below;
    else
        list->top = below;
    if (below != NOTHING)
        search->brackets[below].above = above;
    else
        list->bottom = above;
    list->size--;
}

/* Puts `upper` on top of `lower` and returns the whole. */
static struct list list_join(struct search *search, struct list upper, struct list lower)
{
    if (upper.size == 0)
        return lower;
    if (lower.size == 0)
        return upper;
    search->brackets[upper.bottom].below = lower.top;
    search->brackets[lower.top].above = upper.bottom;
    return (struct list){upper.top, lower.bottom, upper.size + lower.size};
}

static bool search_init(struct search *search, struct ws_arena *arena)
{
    size_t node_count = search->node_count;
    size_t edge_count = search->edge_count;
    search->edge_first = ws_arena_allocate(arena, node_count + 1, sizeof(*search->edge_first));
    search->incident = ws_arena_allocate(arena, 2 * edge_count, sizeof(*search->incident));
    search->order = ws_arena_allocate(arena, node_count, sizeof(*search->order));
    search->nodes = ws_arena_allocate(arena, node_count, sizeof(*search->nodes));
    search->brackets = ws_arena_allocate(arena, edge_count + node_count, sizeof(*search->brackets));
    if (search->edge_first == NULL || search->incident == NULL || search->order == NULL ||
        search->nodes == NULL || search->brackets == NULL)
        return false;

    /* Counting sort of the edges by node: counts, running ends, then filled from the back. */
    for (uint32_t edge = 0; edge < search->edge_count; edge++) {
        search->edge_first[search->edges[edge].from]++;
        search->edge_first[search->edges[edge].to]++;
    }
    for (uint32_t node = 1; node <= search->node_count; node++)
        search->edge_first[node] += search->edge_first[node - 1];
    for (uint32_t edge = 0; edge < search->edge_count; edge++) {
        search->incident[--search->edge_first[search->edges[edge].from]] = edge;
        search->incident[--search->edge_first[search->edges[edge].to]] = edge;
    }
    for (uint32_t edge = 0; edge < search->edge_count + search->node_count; edge++)
        search->brackets[edge] = (struct bracket){NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING};
    for (uint32_t node = 0; node < search->node_count; node++)
        search->nodes[node] = (struct node){NOTHING, NOTHING, NOTHING, NOTHING, {NOTHING, NOTHING, 0}};
    search->bracket_count = search->edge_count;
    return true;
}

/* Numbers the nodes depth-first from node 0. */
static bool number_nodes(struct search *search, struct ws_arena *arena)
{
    uint32_t *stack = ws_arena_allocate(arena, search->node_count, sizeof(*stack));
    uint32_t *cursor = ws_arena_allocate(arena, search->node_count, sizeof(*cursor));
    if (stack == NULL || cursor == NULL)
        return false;
    uint32_t number = 0;
    uint32_t depth = 0;
    for (uint32_t node = 0; node < search->node_count; node++)
        cursor[node] = search->edge_first[node];
    search->order[number] = 0;
    search->nodes[0].number = number++;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t node = stack[depth - 1];
        if (cursor[node] == search->edge_first[node + 1]) {
            depth--;
            continue;
        }
        uint32_t edge = search->incident[cursor[node]++];
        uint32_t next = other_end(search, edge, node);
        if (search->nodes[next].number == NOTHING) {
            search->nodes[next].parent_edge = edge;
            search->order[number] = next;
            search->nodes[next].number = number++;
            stack[depth++] = next;
        }
    }
    return true;
}

/* Joins the brackets of the children of a node, ends those that lead to it and begins those that lead up
 * from it, with a capping bracket where two children's brackets reach further up than its own. */
static void gather_brackets(struct search *search, uint32_t index)
{
    struct node *node = &search->nodes[index];
    uint32_t first = search->edge_first[index];
    uint32_t end = search->edge_first[index + 1];
    uint32_t own = NOTHING;     /* highest end of a bracket from the node itself */
    uint32_t highest = NOTHING; /* of its children */
    uint32_t second = NOTHING;
    for (uint32_t i = first; i < end; i++) {
        uint32_t edge = search->incident[i];
        const struct node *other = &search->nodes[other_end(search, edge, index)];
        if (other->parent_edge == edge) {
            if (other->high < highest) {
                second = highest;
                highest = other->high;
            } else if (other->high < second) {
                second = other->high;
            }
            node->brackets = list_join(search, other->brackets, node->brackets);
        } else if (edge != node->parent_edge && other->number < node->number && other->number < own) {
            own = other->number;
        }
    }
    node->high = own < highest ? own : highest;

    for (uint32_t capping = node->cappings; capping != NOTHING;
         capping = search->brackets[capping].next_capping)
        list_delete(search, &node->brackets, capping);
    for (uint32_t i = first; i < end; i++) {
        uint32_t edge = search->incident[i];
        const struct node *other = &search->nodes[other_end(search, edge, index)];
        if (other->parent_edge != edge && other->number > node->number) {
            list_delete(search, &node->brackets, edge);
            if (search->brackets[edge].class == NOTHING)
                search->brackets[edge].class = search->class_count++;
        }
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t edge = search->incident[i];
        const struct node *other = &search->nodes[other_end(search, edge, index)];
        if (edge != node->parent_edge && other->parent_edge != edge && other->number < node->number)
            list_push(search, &node->brackets, edge);
    }
    if (second < own && second < node->number) {
        struct node *target = &search->nodes[search->order[second]];
        uint32_t capping = search->bracket_count++;
        search->brackets[capping].next_capping = target->cappings;
        target->cappings = capping;
        list_push(search, &node->brackets, capping);
    }
}

/* Gives the tree edge above a node its class, by the topmost bracket and the number of brackets. */
static void classify_tree_edge(struct search *search, uint32_t index)
{
    const struct node *node = &search->nodes[index];
    if (node->parent_edge == NOTHING || node->brackets.size == 0)
        return;
    struct bracket *top = &search->brackets[node->brackets.top];
    if (top->recent_size != node->brackets.size) {
        top->recent_size = node->brackets.size;
        top->recent_class = search->class_count++;
    }
    search->brackets[node->parent_edge].class = top->recent_class;
    if (node->brackets.size == 1)
        top->class = top->recent_class; /* the edge and its only bracket are on the same cycles */
}

bool ws_cycles_classify(struct ws_arena *arena, uint32_t node_count, const struct ws_edge *edges,
                        uint32_t edge_count, uint32_t *classes)
{
    struct search search = {.edges = edges, .edge_count = edge_count, .node_count = node_count};
    if (!search_init(&search, arena) || !number_nodes(&search, arena))
        return false;
    for (uint32_t number = node_count; number-- > 0;) {
        gather_brackets(&search, search.order[number]);
        classify_tree_edge(&search, search.order[number]);
    }
    for (uint32_t edge = 0; edge < edge_count; edge++)
        classes[edge] = search.brackets[edge].class;
    return true;
}
