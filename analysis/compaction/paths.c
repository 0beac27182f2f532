#include "analysis/compaction/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256
#define TEXT_RUN    32 /* characters of a run at most */

/* The finaliser of SplitMix64. */
static uint64_t mix(uint64_t key)
{
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return key ^ (key >> 31);
}

static uint64_t hash_of(uint32_t parent, uint32_t symbol, uint64_t run)
{
    return mix(mix((uint64_t)parent << 2 | symbol) + run);
}

void ws_path_tree_finish(struct ws_path_tree *tree)
{
    free(tree->nodes);
    free(tree->slots);
    memset(tree, 0, sizeof(*tree));
}

/* The slot of a node in the hash table, or the free slot where it belongs. */
static uint32_t *find(const struct ws_path_tree *tree, uint32_t parent, uint32_t symbol, uint64_t run)
{
    uint32_t index = (uint32_t)hash_of(parent, symbol, run) & (tree->slot_count - 1);
    for (;; index = (index + 1) & (tree->slot_count - 1)) {
        const struct ws_path_node *node = &tree->nodes[tree->slots[index]];
        if (tree->slots[index] == 0 || (node->parent == parent && node->symbol == symbol && node->run == run))
            return &tree->slots[index];
    }
}

static bool grow_slots(struct ws_path_tree *tree)
{
    uint32_t count = tree->slot_count > 0 ? tree->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(count, sizeof(*slots));
    if (slots == NULL)
        return false;
    free(tree->slots);
    tree->slots = slots;
    tree->slot_count = count;
    for (uint32_t i = WS_PATH_LOST + 1; i < tree->count; ++i)
        *find(tree, tree->nodes[i].parent, tree->nodes[i].symbol, tree->nodes[i].run) = i;
    return true;
}

/* Makes room for one more node; in an empty tree also for WS_PATH_EMPTY and WS_PATH_LOST. */
static bool grow(struct ws_path_tree *tree)
{
    if (tree->count == tree->capacity) {
        uint32_t capacity = tree->capacity > 0 ? tree->capacity * 2 : FIRST_SLOTS / 2;
        struct ws_path_node *nodes = realloc(tree->nodes, capacity * sizeof(*nodes));
        if (nodes == NULL)
            return false;
        tree->nodes = nodes;
        tree->capacity = capacity;
    }
    if (tree->count == 0) {
        memset(tree->nodes, 0, 2 * sizeof(*tree->nodes));
        tree->count = WS_PATH_LOST + 1;
    }
    return tree->count < tree->slot_count / 2 || grow_slots(tree);
}

bool ws_path_tree_child(struct ws_path_tree *tree, uint32_t parent, uint32_t symbol, uint64_t run,
                        uint32_t *node)
{
    if (!grow(tree))
        return false;
    uint32_t *slot = find(tree, parent, symbol, run);
    *node = *slot;
    if (*slot != 0)
        return true;
    *node = WS_PATH_LOST;
    if (parent == WS_PATH_LOST || tree->count >= (tree->limit > 0 ? tree->limit : WS_PATH_NODES_MAX))
        return true;
    *node = tree->count++;
    *slot = *node;
    tree->nodes[*node] = (struct ws_path_node){parent, symbol, run};
    return true;
}

bool ws_path_append(struct ws_path_tree *tree, struct ws_path *path, uint32_t symbol, uint64_t count)
{
    if (path->run > 0 && path->symbol == symbol) {
        path->run += count;
        return true;
    }
    if (path->run > 0 && !ws_path_tree_child(tree, path->node, path->symbol, path->run, &path->node))
        return false;
    path->symbol = symbol;
    path->run = count;
    return true;
}

bool ws_path_end(struct ws_path_tree *tree, const struct ws_path *path, uint32_t *node)
{
    *node = path->node;
    return path->run == 0 || ws_path_tree_child(tree, path->node, path->symbol, path->run, node);
}

uint32_t *ws_path_tree_translate(struct ws_path_tree *to, const struct ws_path_tree *from)
{
    uint32_t *equals = malloc(((size_t)from->count + 2) * sizeof(*equals));
    if (equals == NULL)
        return NULL;
    equals[WS_PATH_EMPTY] = WS_PATH_EMPTY;
    equals[WS_PATH_LOST] = WS_PATH_LOST;
    /* A node comes after its parent, and after the path that a WS_PATH_SITE run stands for. */
    for (uint32_t i = WS_PATH_LOST + 1; i < from->count; ++i) {
        const struct ws_path_node *node = &from->nodes[i];
        uint64_t run = node->symbol == WS_PATH_SITE ? equals[node->run] : node->run;
        if (!ws_path_tree_child(to, equals[node->parent], node->symbol, run, &equals[i])) {
            free(equals);
            return NULL;
        }
    }
    return equals;
}

static char *site_text(const struct ws_path_tree *tree, uint32_t node, uint32_t most)
{
    char *inner = ws_path_text(tree, node, most);
    char *text = NULL;
    if (inner != NULL && asprintf(&text, "{%s}", inner) < 0)
        text = NULL;
    free(inner);
    return text;
}

static char *run_text(const struct ws_path_tree *tree, const struct ws_path_node *node, uint32_t most)
{
    char text[TEXT_RUN];
    if (node->symbol == WS_PATH_SITE)
        return site_text(tree, (uint32_t)node->run, most);
    if (node->symbol == WS_PATH_SEPARATOR) {
        size_t count = node->run < TEXT_RUN - 1 ? (size_t)node->run : TEXT_RUN - 1;
        memset(text, '|', count);
        text[count] = '\0';
    } else if (node->run == 1)
        snprintf(text, sizeof(text), "%" PRIu32, node->symbol);
    else
        snprintf(text, sizeof(text), "%" PRIu32 "^%" PRIu64, node->symbol, node->run);
    return strdup(text);
}

/* `text`, a space, and `more`; frees both. NULL when there is no memory. */
static char *join(char *text, char *more)
{
    char *joined = NULL;
    if (text == NULL)
        return more;
    if (more != NULL && asprintf(&joined, "%s %s", text, more) < 0)
        joined = NULL;
    free(text);
    free(more);
    return joined;
}

char *ws_path_text(const struct ws_path_tree *tree, uint32_t node, uint32_t most)
{
    uint64_t runs = 0;
    char *text = NULL;
    if (node == WS_PATH_EMPTY)
        return strdup("-");
    if (node == WS_PATH_LOST)
        return strdup("not kept: too many different paths");
    for (uint32_t i = node; i != WS_PATH_EMPTY; i = tree->nodes[i].parent)
        runs++;
    uint32_t shown = runs < most ? (uint32_t)runs : most;
    uint32_t *nodes = malloc(((size_t)shown + 1) * sizeof(*nodes));
    if (nodes == NULL)
        return NULL;
    uint64_t position = runs;
    for (uint32_t i = node; i != WS_PATH_EMPTY; i = tree->nodes[i].parent)
        if (--position < shown)
            nodes[position] = i;
    for (uint32_t i = 0; i < shown && (i == 0 || text != NULL); ++i)
        text = join(text, run_text(tree, &tree->nodes[nodes[i]], most));
    if (text != NULL && runs > shown)
        text = join(text, strdup("..."));
    free(nodes);
    return text;
}

void ws_path_counts_finish(struct ws_path_counts *counts)
{
    free(counts->slots);
    memset(counts, 0, sizeof(*counts));
}

static struct ws_path_count *find_count(struct ws_path_count *slots, uint32_t slot_count, uint64_t key)
{
    uint32_t index = (uint32_t)mix(key) & (slot_count - 1);
    while (slots[index].count != 0 && slots[index].key != key)
        index = (index + 1) & (slot_count - 1);
    return &slots[index];
}

static bool grow_counts(struct ws_path_counts *counts)
{
    uint32_t larger = counts->slot_count > 0 ? counts->slot_count * 2 : FIRST_SLOTS;
    struct ws_path_count *slots = calloc(larger, sizeof(*slots));
    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < counts->slot_count; ++i)
        if (counts->slots[i].count != 0)
            *find_count(slots, larger, counts->slots[i].key) = counts->slots[i];
    free(counts->slots);
    counts->slots = slots;
    counts->slot_count = larger;
    return true;
}

bool ws_path_counts_add(struct ws_path_counts *counts, uint32_t owner, uint32_t node, uint64_t count)
{
    const uint64_t key = (uint64_t)owner << 32 | node;
    if (count == 0)
        return true;
    if (counts->used >= counts->slot_count / 2 && !grow_counts(counts))
        return false;
    struct ws_path_count *slot = find_count(counts->slots, counts->slot_count, key);
    if (slot->count == 0)
        counts->used++;
    slot->key = key;
    slot->count += count;
    return true;
}

int ws_path_compare(const struct ws_path_tree *tree, uint32_t a, uint32_t b)
{
    uint32_t last_a = WS_PATH_EMPTY;
    uint32_t last_b = WS_PATH_EMPTY;
    /* The nodes of a path's beginning have smaller numbers. So the larger of two nodes is not in the path of
     * the other, and is replaced by its parent until both are the common beginning. */
    while (a != b)
        if (a > b) {
            last_a = a;
            a = tree->nodes[a].parent;
        } else {
            last_b = b;
            b = tree->nodes[b].parent;
        }
    if (last_a == WS_PATH_EMPTY || last_b == WS_PATH_EMPTY)
        return (last_a != WS_PATH_EMPTY) - (last_b != WS_PATH_EMPTY);
    const struct ws_path_node *left = &tree->nodes[last_a];
    const struct ws_path_node *right = &tree->nodes[last_b];
    if (left->symbol != right->symbol)
        return left->symbol < right->symbol ? -1 : 1;
    if (left->symbol == WS_PATH_SITE)
        return ws_path_compare(tree, (uint32_t)left->run, (uint32_t)right->run);
    return left->run < right->run ? -1 : 1;
}

static int compare_counts(const void *left, const void *right, void *tree)
{
    const struct ws_path_count *a = left;
    const struct ws_path_count *b = right;
    if (a->key >> 32 != b->key >> 32)
        return a->key < b->key ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return ws_path_compare(tree, (uint32_t)a->key, (uint32_t)b->key);
}

void ws_path_counts_sort(struct ws_path_counts *counts, struct ws_path_tree *tree)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < counts->slot_count; ++i)
        if (counts->slots[i].count != 0)
            counts->slots[kept++] = counts->slots[i];
    if (kept > 0)
        qsort_r(counts->slots, kept, sizeof(*counts->slots), compare_counts, tree);
}

/* A node among its siblings. */
struct sibling {
    uint32_t parent;
    uint32_t node;
    uint64_t run;
};

static int compare_siblings(const void *left, const void *right)
{
    const struct sibling *a = left;
    const struct sibling *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return (a->run > b->run) - (a->run < b->run);
}

/* A node's children share its numbers: so many as are below it. */
uint32_t *ws_path_tree_rank(const struct ws_path_tree *tree)
{
    const uint32_t count = tree->count > WS_PATH_LOST + 1 ? tree->count : WS_PATH_LOST + 1;
    const uint32_t first = WS_PATH_LOST + 1;
    uint32_t *ranks = calloc((size_t)count + 1, sizeof(*ranks));
    uint32_t *below = calloc((size_t)count + 1, sizeof(*below));
    uint32_t *begin = calloc((size_t)count + 1, sizeof(*begin));
    struct sibling *siblings = calloc((size_t)count + 1, sizeof(*siblings));
    uint32_t *work = calloc((size_t)count + 1, sizeof(*work));
    if (ranks != NULL && below != NULL && begin != NULL && siblings != NULL && work != NULL) {
        for (uint32_t i = first; i < count; ++i)
            siblings[i - first] = (struct sibling){tree->nodes[i].parent, i, tree->nodes[i].run};
        qsort(siblings, count - first, sizeof(*siblings), compare_siblings);
        for (uint32_t i = count; i-- > first;)
            below[tree->nodes[i].parent] += ++below[i];
        for (uint32_t i = count - first; i-- > 0;)
            begin[siblings[i].parent] = i;
        /* From parents to children. A node is given the numbers from its rank on. */
        uint32_t used = 0;
        work[used++] = WS_PATH_EMPTY;
        for (uint32_t i = 0; i < used; ++i) {
            uint32_t next = ranks[work[i]] + 1;
            for (uint32_t j = begin[work[i]]; j < count - first && siblings[j].parent == work[i]; ++j) {
                ranks[siblings[j].node] = next;
                next += below[siblings[j].node];
                work[used++] = siblings[j].node;
            }
        }
    } else {
        free(ranks);
        ranks = NULL;
    }
    free(below);
    free(begin);
    free(siblings);
    free(work);
    return ranks;
}
