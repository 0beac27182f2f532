#include "analysis/memory/links/link_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

#define NONE UINT32_MAX

/* A link with the sum of its weights, to be sorted. */
struct choice {
    uint32_t from;
    uint32_t to;
    uint64_t weight;
    uint64_t place; /* buffer << 48 | address of `to`: the same in every run */
};

struct maker {
    const struct ws_links *links;
    struct ws_link_tree *tree;
    struct choice *choices; /* by `from`, highest weight first */
    uint32_t choice_count;
    uint32_t *first_choice; /* per element, + 1 for the end */
    bool *is_taken;         /* per element: it has a place */
    bool *begins;           /* per element: a link from the nodes buffer leads there */
    uint32_t *linear;       /* per element: the one behind it, where threads went on there; NONE */
};

uint64_t ws_link_element_index(const struct ws_links *links, uint32_t element)
{
    const struct ws_link_buffer *buffer = &links->buffers[links->elements[element].buffer];
    return buffer->stride > 0 ? (links->elements[element].address - buffer->begin) / buffer->stride : 0;
}

void ws_link_tree_finish(struct ws_link_tree *tree)
{
    free(tree->nodes);
    *tree = (struct ws_link_tree){0};
}

/* The element of a buffer where most threads begin; NONE where that is not more than half of them. */
static uint32_t find_begin(const struct ws_links *links, uint32_t buffer)
{
    uint64_t threads = 0;
    uint32_t elements = 0;
    uint32_t best = NONE;
    for (uint32_t i = 0; i < links->element_count; ++i) {
        const struct ws_link_element *element = &links->elements[i];
        if (element->buffer != buffer)
            continue;
        threads += element->first;
        elements++;
        if (best == NONE || element->first > links->elements[best].first)
            best = i;
    }
    return elements >= 2 && links->elements[best].first > threads / 2 ? best : NONE;
}

/* The root, and with it the nodes buffer. */
static uint32_t find_root(const struct ws_links *links)
{
    uint32_t root = NONE;
    uint64_t visits = 0;
    for (uint32_t i = 0; i < links->buffer_count; ++i) {
        const uint32_t begin = links->buffers[i].visits > visits ? find_begin(links, i) : NONE;
        if (begin == NONE)
            continue;
        root = begin;
        visits = links->buffers[i].visits;
    }
    return root;
}

static int compare_choices(const void *a, const void *b)
{
    const struct choice *left = a;
    const struct choice *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    if (left->weight != right->weight)
        return left->weight > right->weight ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

/* Sorts the links that lead from the nodes buffer, and notes the linear ones. */
static void sort_choices(struct maker *maker)
{
    const struct ws_links *links = maker->links;
    for (uint32_t i = 0; i < links->element_count; ++i)
        maker->linear[i] = NONE;
    for (uint32_t i = 0; i < links->link_count; ++i) {
        const struct ws_link *link = &links->links[i];
        const struct ws_link_element *to = &links->elements[link->to];
        const uint64_t weight =
            link->weights[WS_LINK_CONSECUTIVE] + link->weights[WS_LINK_ACROSS] + link->weights[WS_LINK_STACK];
        if (link->weights[WS_LINK_LINEAR] > 0)
            maker->linear[link->from] = link->to;
        if (links->elements[link->from].buffer != maker->tree->buffer || weight == 0)
            continue;
        maker->begins[link->to] = true;
        maker->choices[maker->choice_count++] =
            (struct choice){link->from, link->to, weight, (uint64_t)to->buffer << 48 | to->address};
    }
    qsort(maker->choices, maker->choice_count, sizeof(*maker->choices), compare_choices);
    uint32_t next = 0;
    for (uint32_t i = 0; i <= links->element_count; ++i) {
        while (next < maker->choice_count && maker->choices[next].from < i)
            next++;
        maker->first_choice[i] = next;
    }
}

/* The elements of a leaf that begins here; they are taken. */
static uint32_t take_leaf(struct maker *maker, uint32_t element)
{
    uint32_t count = 1;
    for (uint32_t i = maker->linear[element]; i != NONE && !maker->begins[i] && !maker->is_taken[i];
         i = maker->linear[i]) {
        maker->is_taken[i] = true;
        count++;
    }
    return count;
}

static bool add_node(struct maker *maker, uint32_t element, uint32_t parent, uint64_t weight)
{
    struct ws_link_tree *tree = maker->tree;
    struct ws_link_node *nodes = ws_array_grow(tree->nodes, &tree->capacity, tree->count + 1, sizeof(*nodes));
    if (nodes == NULL)
        return false;
    tree->nodes = nodes;
    maker->is_taken[element] = true;
    const bool is_leaf = maker->links->elements[element].buffer != tree->buffer;
    const uint32_t depth = parent == NONE ? 0 : nodes[parent].depth + 1;
    const uint32_t count = is_leaf ? take_leaf(maker, element) : 0;
    nodes[tree->count++] = (struct ws_link_node){element, parent, depth, count, weight};
    tree->leaf_count += is_leaf;
    tree->face_count += count;
    tree->depth = depth + 1 > tree->depth ? depth + 1 : tree->depth;
    return true;
}

/* Gives a node its children. */
static bool add_children(struct maker *maker, uint32_t node)
{
    const uint32_t element = maker->tree->nodes[node].element;
    uint32_t added = 0;
    if (maker->tree->nodes[node].count > 0)
        return true;
    for (uint32_t i = maker->first_choice[element]; i < maker->first_choice[element + 1] && added < 2; ++i) {
        const struct choice *choice = &maker->choices[i];
        if (maker->is_taken[choice->to])
            continue;
        if (!add_node(maker, choice->to, node, choice->weight))
            return false;
        added++;
    }
    return true;
}

bool ws_link_tree_init(struct ws_link_tree *tree, const struct ws_links *links)
{
    const size_t elements = (size_t)links->element_count + 2;
    const uint32_t root = find_root(links);
    struct maker maker = {.links = links, .tree = tree};
    *tree = (struct ws_link_tree){0};
    if (root == NONE)
        return true;
    tree->buffer = links->elements[root].buffer;
    maker.choices = calloc((size_t)links->link_count + 1, sizeof(*maker.choices));
    maker.first_choice = calloc(elements, sizeof(*maker.first_choice));
    maker.is_taken = calloc(elements, sizeof(*maker.is_taken));
    maker.begins = calloc(elements, sizeof(*maker.begins));
    maker.linear = calloc(elements, sizeof(*maker.linear));
    bool made = maker.choices != NULL && maker.first_choice != NULL && maker.is_taken != NULL &&
                maker.begins != NULL && maker.linear != NULL;
    if (made) {
        sort_choices(&maker);
        made = add_node(&maker, root, NONE, 0);
    }
    for (uint32_t i = 0; made && i < tree->count; ++i)
        made = add_children(&maker, i);
    free(maker.choices);
    free(maker.first_choice);
    free(maker.is_taken);
    free(maker.begins);
    free(maker.linear);
    return made;
}

/* ---- against a known tree ---- */

/* Where the tree has what: index of a node, or of the first element of a leaf -> index in its nodes. Leaves of several
 * buffers are told apart by no file: the last one counts. */
struct places {
    struct ws_id_map nodes;
    struct ws_id_map leaves;
};

static bool find_places(struct places *places, const struct ws_link_tree *tree, const struct ws_links *links)
{
    for (uint32_t i = 0; i < tree->count; ++i)
        if (!ws_id_map_put(tree->nodes[i].count > 0 ? &places->leaves : &places->nodes,
                           ws_link_element_index(links, tree->nodes[i].element), i))
            return false;
    return true;
}

/* The index of a node's parent; UINT64_MAX = it has none. */
static uint64_t parent_of(const struct ws_link_tree *tree, const struct ws_links *links, uint32_t node)
{
    const uint32_t parent = tree->nodes[node].parent;
    return parent == NONE ? UINT64_MAX : ws_link_element_index(links, tree->nodes[parent].element);
}

/* Whether a node or leaf has this parent and so many elements. It is so once, however often the file says it. */
static bool take_right(struct ws_id_map *places, const struct ws_link_tree *tree,
                       const struct ws_links *links, uint64_t index, uint64_t parent, uint64_t count)
{
    uint32_t node = NONE;
    return ws_id_map_get(places, index, &node) && node != NONE && parent_of(tree, links, node) == parent &&
           tree->nodes[node].count == count && ws_id_map_put(places, index, NONE);
}

/* Reads a number at `*text`, and goes behind it. */
static bool read_number(const char **text, uint64_t *number)
{
    char *end = NULL;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* Counts a child of the known tree. */
static bool take_child(const char **text, uint64_t parent, const struct ws_link_tree *tree,
                       const struct ws_links *links, struct places *places, struct ws_link_rate *rate)
{
    uint64_t index = 0;
    uint64_t count = 0;
    while (**text == ' ')
        ++*text;
    if (!read_number(text, &index))
        return false;
    const bool is_leaf = **text == '+';
    if (is_leaf) {
        ++*text;
        if (!read_number(text, &count) || count == 0)
            return false;
    }
    const bool is_right =
        take_right(is_leaf ? &places->leaves : &places->nodes, tree, links, index, parent, count);
    rate->leaves += is_leaf;
    rate->nodes += !is_leaf;
    rate->right_leaves += is_leaf && is_right;
    rate->right_nodes += !is_leaf && is_right;
    return true;
}

/* One line of the file. */
static bool take_line(const char *text, const struct ws_link_tree *tree, const struct ws_links *links,
                      struct places *places, struct ws_link_rate *rate)
{
    uint64_t index = 0;
    if (*text == '#')
        return true;
    if (!read_number(&text, &index))
        return false;
    if (rate->nodes == 0) { /* the root, which no line names as a child */
        rate->nodes = 1;
        rate->right_nodes = take_right(&places->nodes, tree, links, index, UINT64_MAX, 0);
    }
    return take_child(&text, index, tree, links, places, rate) &&
           take_child(&text, index, tree, links, places, rate) &&
           (*text == '\n' || *text == '\r' || *text == '\0');
}

bool ws_link_tree_compare(const struct ws_link_tree *tree, const struct ws_links *links, const char *path,
                          struct ws_link_rate *rate, struct ws_error *error)
{
    struct places places = {0};
    unsigned long number = 0;
    char line[256];
    bool good = true;
    FILE *file = fopen(path, "re");
    *rate = (struct ws_link_rate){0};
    if (file == NULL)
        return ws_error_set(error, "cannot read \"%s\": %s", path, strerror(errno));
    if (!find_places(&places, tree, links))
        good = ws_error_set(error, "out of memory");
    while (good && fgets(line, sizeof(line), file) != NULL) {
        number++;
        if (!take_line(line, tree, links, &places, rate))
            good = ws_error_set(
                error,
                "\"%s\", line %lu: it is not the index of a node and its two children, such as 0 1 12+4",
                path, number);
    }
    if (good && ferror(file))
        good = ws_error_set(error, "cannot read \"%s\"", path);
    if (good && rate->nodes == 0)
        good = ws_error_set(error, "\"%s\" has no node", path);
    rate->wrong = tree->count - rate->right_nodes - rate->right_leaves;
    fclose(file);
    ws_id_map_finish(&places.nodes);
    ws_id_map_finish(&places.leaves);
    return good;
}
