#include "analysis/reorder/regroup.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

#define STEPS_NODE 4 /* what it costs to look at a node of a path (budget.h) */

const struct ws_reorder_sort ws_reorder_sorts[WS_REORDER_SORTS] = {
    {WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_PATH, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_CALLED, 0},
    {WS_REORDER_CALLED, 1},
    {WS_REORDER_CALLED, 2},
    {WS_REORDER_CALLED, 3},
    {WS_REORDER_CALLED, 4},
};

static const uint32_t window_shifts[WS_REORDER_WINDOWS] = {0, 2, 4, 6, 8, 32};

void ws_regrouping_finish(struct ws_regrouping *regrouping)
{
    ws_path_tree_finish(&regrouping->tree);
    ws_path_tree_finish(&regrouping->shaders);
    ws_id_map_finish(&regrouping->names_at);
    ws_id_map_finish(&regrouping->visits_at);
    free(regrouping->names);
    free(regrouping->visits);
    free(regrouping->befores);
    free(regrouping->tails);
    memset(regrouping, 0, sizeof(*regrouping));
}

static bool add_names(struct ws_regrouping *regrouping, const struct ws_reorder_threads *part)
{
    for (uint32_t i = 0; i < part->name_count; ++i) {
        uint32_t at = 0;
        if (ws_id_map_get(&regrouping->names_at, part->names[i].name, &at))
            continue;
        struct ws_reorder_name *names = ws_array_grow(regrouping->names, &regrouping->name_capacity,
                                                      regrouping->name_count + 1, sizeof(*names));
        if (names == NULL)
            return false;
        regrouping->names = names;
        names[regrouping->name_count] = part->names[i];
        if (!ws_id_map_put(&regrouping->names_at, part->names[i].name, regrouping->name_count++))
            return false;
    }
    return true;
}

/* Adds the visits; `numbers` receives the number of each. */
static bool add_visits(struct ws_regrouping *regrouping, const struct ws_reorder_threads *part,
                       uint32_t *numbers)
{
    for (uint32_t i = 0; i < part->visit_count; ++i) {
        const struct ws_reorder_visit *visit = &part->visits[i];
        const uint64_t key = ws_walk_mix(visit->site, visit->name + visit->size);
        if (ws_id_map_get(&regrouping->visits_at, key, &numbers[i])) {
            regrouping->visits[numbers[i]].calls += visit->calls;
            continue;
        }
        struct ws_reorder_visit *visits = ws_array_grow(regrouping->visits, &regrouping->visit_capacity,
                                                        regrouping->visit_count + 1, sizeof(*visits));
        if (visits == NULL)
            return false;
        regrouping->visits = visits;
        numbers[i] = regrouping->visit_count;
        visits[numbers[i]] = *visit;
        if (!ws_id_map_put(&regrouping->visits_at, key, regrouping->visit_count++))
            return false;
    }
    return true;
}

static bool add_tails(struct ws_regrouping *regrouping, const struct ws_reorder_threads *part,
                      const uint32_t *visits, const uint32_t *nodes, const uint32_t *keys)
{
    for (uint32_t i = 0; i < part->tail_count; ++i) {
        const struct ws_reorder_tail *tail = &part->tails[i];
        if (nodes[tail->node] == WS_PATH_LOST || regrouping->tail_count >= WS_REORDER_TAILS_MAX) {
            regrouping->lost++;
            continue;
        }
        struct ws_reorder_tail *tails = ws_array_grow(regrouping->tails, &regrouping->tail_capacity,
                                                      regrouping->tail_count + 1, sizeof(*tails));
        if (tails == NULL)
            return false;
        regrouping->tails = tails;
        tails[regrouping->tail_count++] =
            (struct ws_reorder_tail){visits[tail->visit], tail->thread, nodes[tail->node], keys[tail->key]};
    }
    return true;
}

bool ws_regrouping_add(struct ws_regrouping *regrouping, const struct ws_reorder_threads *part)
{
    uint32_t *visits = malloc(((size_t)part->visit_count + 1) * sizeof(*visits));
    uint32_t *nodes = ws_path_tree_translate(&regrouping->tree, &part->tree);
    uint32_t *keys = ws_path_tree_translate(&regrouping->shaders, &part->shaders);
    bool added = visits != NULL && nodes != NULL && keys != NULL && add_names(regrouping, part) &&
                 add_visits(regrouping, part, visits) && add_tails(regrouping, part, visits, nodes, keys);
    const uint32_t wanted = regrouping->before_count + part->before_count;
    if (added && part->before_count > 0) {
        struct ws_reorder_before *befores =
            ws_array_grow(regrouping->befores, &regrouping->before_capacity, wanted, sizeof(*befores));
        added = befores != NULL;
        if (added) {
            memcpy(befores + regrouping->before_count, part->befores, part->before_count * sizeof(*befores));
            regrouping->befores = befores;
            regrouping->before_count = wanted;
        }
    }
    regrouping->lost += part->lost;
    free(visits);
    free(nodes);
    free(keys);
    return added;
}

/* A thread that reaches a visit, as it is sorted. */
struct comer {
    uint64_t order;  /* by warp and lane */
    uint64_t window; /* of the warps that exchange threads */
    uint64_t key;
    uint32_t visit; /* its place in the order of visits */
    uint32_t node;
    uint32_t shaders; /* node of the key tree */
};

/* The work of counting. */
struct counting {
    struct ws_regrouping *regrouping;
    uint32_t shader_count;
    uint32_t *visit_places; /* per visit: its place in the order of call site, bounce and name */
    uint32_t *visit_order;  /* the reverse */
    uint32_t *node_ranks;   /* per node of the tree, as the order of a dictionary */
    uint32_t *key_ranks;    /* per node of the shaders' tree */
    uint32_t *node_names;   /* per node of the tree: index in names */
    uint32_t *node_stamps;  /* the last warp that was through */
    uint32_t *name_stamps;
    uint32_t stamp;
    struct comer *comers;
    struct ws_reorder_after *after;
    struct ws_reorder_before *before;
    bool stopped;
};

static int compare_visits(const void *left, const void *right, void *user)
{
    const struct ws_regrouping *regrouping = user;
    const struct ws_reorder_visit *a = &regrouping->visits[*(const uint32_t *)left];
    const struct ws_reorder_visit *b = &regrouping->visits[*(const uint32_t *)right];
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    if (a->bounce != b->bounce)
        return a->bounce < b->bounce ? -1 : 1;
    return a->name != b->name ? (a->name < b->name ? -1 : 1) : (a->size > b->size) - (a->size < b->size);
}

static int compare_befores(const void *left, const void *right)
{
    const struct ws_reorder_before *a = left;
    const struct ws_reorder_before *b = right;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return (a->bounce > b->bounce) - (a->bounce < b->bounce);
}

static int compare_first(const void *left, const void *right)
{
    const struct comer *a = left;
    const struct comer *b = right;
    if (a->visit != b->visit)
        return a->visit < b->visit ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int compare_comers(const void *left, const void *right)
{
    const struct comer *a = left;
    const struct comer *b = right;
    if (a->window != b->window)
        return a->window < b->window ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
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

/* Ranks of nodes in the order of a dictionary, by their runs: a path stands before those that it begins. The same
 * whichever path was added first. A node's children share its numbers: so many as are below it. NULL when there is no
 * memory. */
static uint32_t *rank_nodes(const struct ws_path_tree *tree)
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

static bool prepare(struct counting *counting, const struct ws_replay_threads *threads)
{
    struct ws_regrouping *regrouping = counting->regrouping;
    const struct ws_path_tree *tree = &regrouping->tree;
    const uint32_t visits = regrouping->visit_count;
    counting->visit_places = calloc((size_t)visits + 1, sizeof(*counting->visit_places));
    counting->visit_order = calloc((size_t)visits + 1, sizeof(*counting->visit_order));
    counting->node_ranks = rank_nodes(tree);
    counting->key_ranks = rank_nodes(&regrouping->shaders);
    counting->node_names = calloc((size_t)tree->count + 2, sizeof(*counting->node_names));
    counting->node_stamps = calloc((size_t)tree->count + 2, sizeof(*counting->node_stamps));
    counting->name_stamps = calloc((size_t)regrouping->name_count + 1, sizeof(*counting->name_stamps));
    counting->comers = calloc((size_t)regrouping->tail_count + 1, sizeof(*counting->comers));
    counting->after = calloc((size_t)WS_REORDER_SORTS * counting->shader_count + 1, sizeof(*counting->after));
    counting->before = calloc((size_t)counting->shader_count + 1, sizeof(*counting->before));
    if (counting->visit_places == NULL || counting->visit_order == NULL || counting->node_ranks == NULL ||
        counting->key_ranks == NULL || counting->node_names == NULL || counting->node_stamps == NULL ||
        counting->name_stamps == NULL || counting->comers == NULL || counting->after == NULL ||
        counting->before == NULL)
        return false;
    for (uint32_t i = WS_PATH_LOST + 1; i < tree->count; ++i)
        ws_id_map_get(&regrouping->names_at, tree->nodes[i].run, &counting->node_names[i]);
    for (uint32_t i = 0; i < visits; ++i)
        counting->visit_order[i] = i;
    qsort_r(counting->visit_order, visits, sizeof(*counting->visit_order), compare_visits, regrouping);
    for (uint32_t i = 0; i < visits; ++i)
        counting->visit_places[counting->visit_order[i]] = i;
    for (uint32_t i = 0; i < regrouping->tail_count; ++i) {
        const struct ws_reorder_tail *tail = &regrouping->tails[i];
        const struct ws_thread *thread = &threads->threads[tail->thread];
        const uint64_t warp = threads->warp_index[thread->warp];
        counting->comers[i] = (struct comer){.order = warp << 32 | thread->lane,
                                             .visit = counting->visit_places[tail->visit],
                                             .node = tail->node,
                                             .shaders = tail->key};
    }
    qsort(counting->comers, regrouping->tail_count, sizeof(*counting->comers), compare_first);
    if (regrouping->before_count > 0)
        qsort(regrouping->befores, regrouping->before_count, sizeof(*regrouping->befores), compare_befores);
    return true;
}

/* The first shader of a key. */
static uint32_t first_shader(const struct ws_path_tree *shaders, uint32_t node)
{
    while (node > WS_PATH_LOST && shaders->nodes[node].parent > WS_PATH_LOST)
        node = shaders->nodes[node].parent;
    return node;
}

static uint64_t key_of(const struct counting *counting, const struct comer *comer, uint32_t key)
{
    const uint32_t called = counting->key_ranks[comer->shaders];
    switch (key) {
    case WS_REORDER_SHADER:
        return counting->key_ranks[first_shader(&counting->regrouping->shaders, comer->shaders)];
    case WS_REORDER_CALLED: return called;
    case WS_REORDER_PATH: return (uint64_t)called << 32 | counting->node_ranks[comer->node];
    default: return 0;
    }
}

/* Counts what a new warp executes: each name once, however many of its threads have it. */
static void count_warp(struct counting *counting, const struct comer *comers, uint32_t count, uint32_t size,
                       struct ws_reorder_after *after)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    uint64_t steps = 0;
    counting->stamp++;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t node = comers[i].node;
             node > WS_PATH_LOST && counting->node_stamps[node] != counting->stamp;
             node = regrouping->tree.nodes[node].parent) {
            const uint32_t name = counting->node_names[node];
            counting->node_stamps[node] = counting->stamp;
            steps++;
            if (counting->name_stamps[name] == counting->stamp)
                continue;
            counting->name_stamps[name] = counting->stamp;
            struct ws_reorder_after *of = &after[regrouping->names[name].shader];
            of->executions++;
            of->slots += (uint64_t)regrouping->names[name].instructions * size;
        }
    counting->stopped = !ws_budget_spend(STEPS_NODE * steps + count) || counting->stopped;
}

/* Counts the new warps of one visit, for each sort. */
static void count_visit(struct counting *counting, struct comer *comers, uint32_t count, uint32_t size,
                        uint64_t values[WS_REORDER_KEYS])
{
    for (uint32_t sort = 0; sort < WS_REORDER_SORTS && !counting->stopped; ++sort) {
        for (uint32_t i = 0; i < count; ++i) {
            comers[i].window = comers[i].order >> 32 >> window_shifts[ws_reorder_sorts[sort].window];
            comers[i].key = key_of(counting, &comers[i], ws_reorder_sorts[sort].key);
        }
        qsort(comers, count, sizeof(*comers), compare_comers);
        uint64_t different = 0;
        for (uint32_t i = 0; i < count; ++i)
            different += i == 0 || comers[i].key != comers[i - 1].key;
        if (sort < WS_REORDER_KEYS && values[sort] < different)
            values[sort] = different;
        struct ws_reorder_after *after = counting->after + (size_t)sort * counting->shader_count;
        for (uint32_t i = 0, end = 0; i < count; i = end) {
            while (end < count && end - i < size && comers[end].window == comers[i].window)
                end++;
            count_warp(counting, comers + i, end - i, size, after);
        }
    }
}

/* Sums up what the warps were before; new warps and those that stay execute after. */
static void add_before(struct counting *counting, uint64_t site, uint32_t bounce, uint32_t *next)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    for (; *next < regrouping->before_count; ++*next) {
        const struct ws_reorder_before *more = &regrouping->befores[*next];
        if (more->site > site || (more->site == site && more->bounce > bounce))
            return;
        if (more->site != site || more->bounce != bounce)
            continue;
        struct ws_reorder_before *before = &counting->before[more->ran];
        before->executions += more->executions;
        before->slots += more->slots;
        before->active += more->active;
        before->active_after += more->active_after;
        before->stay += more->stay;
        before->stay_slots += more->stay_slots;
        for (uint32_t i = 0; i < WS_REORDER_SORTS; ++i) {
            struct ws_reorder_after *after = &counting->after[(size_t)i * counting->shader_count + more->ran];
            after->executions += more->stay;
            after->slots += more->stay_slots;
        }
    }
}

static bool tell_all(struct counting *counting,
                     bool (*tell)(void *user, const struct ws_regrouped *regrouped), void *user)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    uint32_t next_before = 0;
    uint32_t comer = 0;
    for (uint32_t i = 0; i < regrouping->visit_count && !counting->stopped;) {
        const struct ws_reorder_visit *first = &regrouping->visits[counting->visit_order[i]];
        struct ws_regrouped regrouped = {.site = first->site,
                                         .bounce = first->bounce,
                                         .after = counting->after,
                                         .before = counting->before};
        memset(counting->before, 0, counting->shader_count * sizeof(*counting->before));
        memset(counting->after, 0,
               (size_t)WS_REORDER_SORTS * counting->shader_count * sizeof(*counting->after));
        for (; i < regrouping->visit_count; ++i) {
            const struct ws_reorder_visit *visit = &regrouping->visits[counting->visit_order[i]];
            const uint32_t begin = comer;
            if (visit->site != first->site || visit->bounce != first->bounce)
                break;
            while (comer < regrouping->tail_count && counting->comers[comer].visit == i)
                comer++;
            regrouped.visits += comer - begin;
            regrouped.calls += visit->calls;
            count_visit(counting, counting->comers + begin, comer - begin, visit->size, regrouped.values);
        }
        add_before(counting, first->site, first->bounce, &next_before);
        if (!counting->stopped && !tell(user, &regrouped))
            return false;
    }
    return true;
}

bool ws_regrouping_tell(struct ws_regrouping *regrouping, const struct ws_replay_threads *threads,
                        bool (*tell)(void *user, const struct ws_regrouped *regrouped), void *user,
                        bool *stopped)
{
    struct counting counting = {.regrouping = regrouping, .shader_count = regrouping->catalog->shader_count};
    const bool told = prepare(&counting, threads) && tell_all(&counting, tell, user);
    *stopped = counting.stopped;
    free(counting.visit_places);
    free(counting.visit_order);
    free(counting.node_ranks);
    free(counting.key_ranks);
    free(counting.node_names);
    free(counting.node_stamps);
    free(counting.name_stamps);
    free(counting.comers);
    free(counting.after);
    free(counting.before);
    return told;
}
