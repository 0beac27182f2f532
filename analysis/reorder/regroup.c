#include "analysis/reorder/regroup.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/branches.h"
#include "analysis/reorder/comers.h"
#include "analysis/reorder/hits.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

const struct ws_reorder_sort ws_reorder_sorts[WS_REORDER_SORTS] = {
    {WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_BY_INSTANCE, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_BY_GEOMETRY, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_BY_OCTANT, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_HIT, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_PAYLOAD, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_PATH, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_CALLED, 0},
    {WS_REORDER_CALLED, 1},
    {WS_REORDER_CALLED, 2},
    {WS_REORDER_CALLED, 3},
    {WS_REORDER_CALLED, 4},
    {WS_REORDER_CALLED, WS_REORDER_WINDOW_SPLIT},
    {WS_REORDER_BRANCH, WS_REORDER_WINDOW_SPLIT},
};

/* What is tried at partings: the same, but for the last. */
static const struct ws_reorder_sort in_groups = {WS_REORDER_CALLED, WS_REORDER_WINDOW_GROUP};

const struct ws_reorder_sort *ws_reorder_sort_at(uint32_t sort, bool parts)
{
    return parts && sort == WS_REORDER_SORTS - 1 ? &in_groups : &ws_reorder_sorts[sort];
}

static const uint32_t window_shifts[WS_REORDER_WINDOW_ALL] = {0, 2, 4, 6, 8};

/* Tails of a visit, of one worker. */
struct counting_run {
    uint32_t part;
    uint32_t run;
};

/* A new warp, of the threads up to a place in the order. */
struct counting_warp {
    uint64_t sum; /* of the hashes of their paths */
    uint32_t end;
};

/* The work of counting. */
struct counting {
    struct ws_regrouping *regrouping;
    const struct ws_replay_threads *threads;
    uint32_t shader_count;
    uint32_t *visit_places; /* per visit: its place in the order of call site, bounce and name */
    uint32_t *visit_order;  /* the reverse */
    uint32_t *path_ranks;
    uint32_t *key_ranks;       /* per node of the shaders' tree */
    uint32_t *key_first;       /* likewise: rank of its first shader */
    struct counting_run *runs; /* of tails, by visit's place, then as they were added */
    uint32_t *visit_runs;      /* per place, and one more: its first run */
    uint32_t *tails;           /* words of one visit (tails.h) */
    uint64_t tail_capacity;
    struct ws_comer *comers; /* of that visit, by warp and lane */
    uint32_t *order;         /* of these; and two of its size to sort with */
    uint32_t *spare;
    uint32_t *values;
    uint32_t *windows; /* per place of the order: what is in different ones does not come into one warp */
    uint32_t
        *called; /* their order by the key called, in windows of all, which is tried before smaller ones */
    uint32_t *called_windows; /* and the windows if it is split */
    uint32_t called_values;
    uint64_t *path_hashes; /* of the comers */
    struct counting_warp *new_warps;
    uint32_t new_count;
    uint32_t comer_capacity;
    struct ws_new_warps warps;
    struct ws_branch_table table;    /* of the branch that the call site's threads are sorted by */
    uint32_t *path_values;           /* values of it, for paths that are of the visit under way */
    uint32_t *path_visits;           /* that visit + 1 */
    struct ws_comer *sample;         /* WS_SEARCH_SAMPLE_MAX */
    uint32_t *sample_fields;         /* WS_SEARCH_FIELDS of each */
    struct ws_reorder_choice choice; /* of the call site */
    bool parts;                      /* the call site is a parting */
    uint8_t *
        turned; /* per place where a loop's visits begin: 1 = its warps turn it evenly, 2 = some do not; 0 = not known */
    bool *told;                           /* per place where a parting's visits begin: it is told */
    uint32_t groups[2];                   /* workgroups of the launch, there */
    bool has_rays;                        /* something is known of the rays of the visit */
    bool has_payloads;                    /* likewise of what is handed over */
    struct ws_reorder_after *visit_after; /* as `after`, of the visit under way */
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

/* The first shader of a key. */
static uint32_t first_shader(const struct ws_path_tree *shaders, uint32_t node)
{
    while (node > WS_PATH_LOST && shaders->nodes[node].parent > WS_PATH_LOST)
        node = shaders->nodes[node].parent;
    return node;
}

/* Puts runs of tails into the order of visits. */
static bool order_runs(struct counting *counting)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    size_t count = 0;
    for (uint32_t i = 0; i < regrouping->part_count; ++i)
        count += regrouping->parts[i].tails.run_count;
    counting->visit_runs = calloc((size_t)regrouping->visit_count + 2, sizeof(*counting->visit_runs));
    counting->runs = malloc((count + 1) * sizeof(*counting->runs));
    if (counting->visit_runs == NULL || counting->runs == NULL || count > UINT32_MAX)
        return false;
    /* Where the next run of a place stands; at last where the next place's begin. */
    uint32_t *next = counting->visit_runs + 1;
    for (uint32_t i = 0; i < regrouping->part_count; ++i)
        for (uint32_t j = 0; j < regrouping->parts[i].tails.run_count; ++j)
            next[counting->visit_places[regrouping->parts[i].tails.runs[j].visit]]++;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < regrouping->visit_count; ++i) {
        const uint32_t here = next[i];
        next[i] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < regrouping->part_count; ++i)
        for (uint32_t j = 0; j < regrouping->parts[i].tails.run_count; ++j) {
            const uint32_t place = counting->visit_places[regrouping->parts[i].tails.runs[j].visit];
            counting->runs[next[place]++] = (struct counting_run){i, j};
        }
    return true;
}

static bool prepare(struct counting *counting)
{
    struct ws_regrouping *regrouping = counting->regrouping;
    const uint32_t visits = regrouping->visit_count;
    const uint32_t keys = regrouping->shaders.count + 2;
    counting->visit_places = calloc((size_t)visits + 1, sizeof(*counting->visit_places));
    counting->visit_order = calloc((size_t)visits + 1, sizeof(*counting->visit_order));
    counting->path_ranks = ws_spans_rank(&regrouping->spans);
    counting->key_ranks = ws_path_tree_rank(&regrouping->shaders);
    counting->key_first = calloc(keys, sizeof(*counting->key_first));
    counting->after = calloc((size_t)WS_REORDER_SORTS * counting->shader_count + 1, sizeof(*counting->after));
    counting->visit_after =
        calloc((size_t)WS_REORDER_SORTS * counting->shader_count + 1, sizeof(*counting->visit_after));
    counting->path_values = calloc((size_t)regrouping->spans.path_count + 1, sizeof(*counting->path_values));
    counting->path_visits = calloc((size_t)regrouping->spans.path_count + 1, sizeof(*counting->path_visits));
    counting->sample = malloc(WS_SEARCH_SAMPLE_MAX * sizeof(*counting->sample));
    counting->sample_fields =
        malloc((size_t)WS_SEARCH_SAMPLE_MAX * WS_SEARCH_FIELDS * sizeof(*counting->sample_fields));
    counting->before = calloc((size_t)counting->shader_count + 1, sizeof(*counting->before));
    counting->turned = calloc((size_t)visits + 1, sizeof(*counting->turned));
    counting->told = calloc((size_t)visits + 1, sizeof(*counting->told));
    if (counting->turned == NULL || counting->told == NULL || counting->visit_places == NULL ||
        counting->visit_order == NULL || counting->path_ranks == NULL || counting->key_ranks == NULL ||
        counting->key_first == NULL || counting->after == NULL || counting->visit_after == NULL ||
        counting->path_values == NULL || counting->path_visits == NULL || counting->sample == NULL ||
        counting->sample_fields == NULL || counting->before == NULL ||
        !ws_new_warps_init(&counting->warps, &regrouping->spans))
        return false;
    for (uint32_t i = 0; i < regrouping->shaders.count; ++i)
        counting->key_first[i] = counting->key_ranks[first_shader(&regrouping->shaders, i)];
    for (uint32_t i = 0; i < visits; ++i)
        counting->visit_order[i] = i;
    qsort_r(counting->visit_order, visits, sizeof(*counting->visit_order), compare_visits, regrouping);
    for (uint32_t i = 0; i < visits; ++i)
        counting->visit_places[counting->visit_order[i]] = i;
    if (regrouping->before_count > 0)
        qsort(regrouping->befores, regrouping->before_count, sizeof(*regrouping->befores), compare_befores);
    counting->table = (struct ws_branch_table){.catalog = regrouping->catalog,
                                               .spans = &regrouping->spans,
                                               .nests = regrouping->nests,
                                               .nest_count = regrouping->nest_count};
    return order_runs(counting);
}

/* Room for so many threads of a visit. False when there is no memory. */
static bool reserve_comers(struct counting *counting, uint32_t count)
{
    uint32_t **const arrays[] = {&counting->order,   &counting->spare,  &counting->values,
                                 &counting->windows, &counting->called, &counting->called_windows};
    if (count <= counting->comer_capacity)
        return true;
    struct ws_comer *comers = realloc(counting->comers, count * sizeof(*comers));
    bool grown = comers != NULL;
    counting->comers = grown ? comers : counting->comers;
    uint64_t *hashes = grown ? realloc(counting->path_hashes, count * sizeof(*hashes)) : NULL;
    counting->path_hashes = hashes != NULL ? hashes : counting->path_hashes;
    struct counting_warp *formed =
        hashes != NULL ? realloc(counting->new_warps, count * sizeof(*formed)) : NULL;
    counting->new_warps = formed != NULL ? formed : counting->new_warps;
    grown = formed != NULL;
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]) && grown; ++i) {
        uint32_t *array = realloc(*arrays[i], count * sizeof(*array));
        grown = array != NULL;
        *arrays[i] = grown ? array : *arrays[i];
    }
    if (grown)
        counting->comer_capacity = count;
    return grown;
}

/* The number of a thread's workgroup: groups of a launch are counted along x, y and z. */
static uint32_t group_of(const struct counting *counting, const struct ws_thread *thread, uint32_t shader)
{
    const uint32_t *size = counting->regrouping->catalog->shaders[shader].local_size;
    uint32_t group[3];
    for (int i = 0; i < 3; ++i)
        group[i] =
            thread->work[i] / (size[i] > 0 ? size[i] : 1); /* its size is not known: work is the group */
    return group[0] + counting->groups[0] * (group[1] + counting->groups[1] * group[2]);
}

/* How many workgroups a launch of the shader has along x and y. */
static void count_groups(struct counting *counting, uint32_t shader)
{
    const uint32_t *size = counting->regrouping->catalog->shaders[shader].local_size;
    memset(counting->groups, 0, sizeof(counting->groups));
    for (uint32_t t = 0; t < counting->threads->thread_count; ++t)
        for (int i = 0; i < 2; ++i) {
            const uint32_t group = counting->threads->threads[t].work[i] / (size[i] > 0 ? size[i] : 1);
            counting->groups[i] = group >= counting->groups[i] ? group + 1 : counting->groups[i];
        }
}

/* Reads the tails of the visit at a place of the order. `counting->called` receives where each begins, `counting->values` what
 * they are sorted by: warp and lane, or where these have too many bits, one of the two. False when there is no memory, or they
 * cannot be read. */
static bool read_tails(struct counting *counting, uint32_t place)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    const struct ws_reorder_visit *visit = &regrouping->visits[counting->visit_order[place]];
    uint64_t at = 0;
    if (visit->words > UINT32_MAX || visit->threads > UINT32_MAX ||
        !reserve_comers(counting, (uint32_t)visit->threads))
        return false;
    if (visit->words > counting->tail_capacity) {
        uint32_t *tails = realloc(counting->tails, visit->words * sizeof(*tails));
        if (tails == NULL)
            return false;
        counting->tails = tails;
        counting->tail_capacity = visit->words;
    }
    for (uint32_t i = counting->visit_runs[place], comer = 0; i < counting->visit_runs[place + 1]; ++i) {
        const struct ws_regrouping_tails *part = &regrouping->parts[counting->runs[i].part];
        const struct ws_tail_run *run = &part->tails.runs[counting->runs[i].run];
        if (!ws_tails_read(&part->tails, run, counting->tails + at))
            return false;
        for (uint32_t j = 0; j < run->count; ++j, ++comer) {
            struct ws_tail tail;
            memcpy(&tail, counting->tails + at, sizeof(tail));
            tail.path = part->paths[tail.path];
            tail.key = part->keys[tail.key];
            memcpy(counting->tails + at, &tail, sizeof(tail));
            counting->called[comer] = (uint32_t)at;
            at += ws_tail_words(&tail);
        }
    }
    return true;
}

/* Puts the visit's threads into the order of warps and lanes. */
static void order_threads(struct counting *counting, uint32_t count)
{
    for (int by = 0; by < 2; ++by) {
        for (uint32_t i = 0; i < count; ++i) {
            const struct ws_thread *thread =
                &counting->threads
                     ->threads[counting->tails[counting->called[i] +
                                               offsetof(struct ws_tail, thread) / sizeof(uint32_t)]];
            if (by == 0)
                counting->order[i] = i;
            counting->values[i] = by == 0 ? thread->lane : counting->threads->warp_index[thread->warp];
        }
        ws_comers_sort(counting->order, counting->spare, count, counting->values);
    }
}

/* What is known of the ray of a comer. False, and nothing done, where nothing is. */
static bool ray_of(const struct counting *counting, const struct ws_comer *comer, struct ws_reorder_ray *ray)
{
    struct ws_tail tail;
    memcpy(&tail, counting->tails + comer->tail, sizeof(tail));
    if (ws_tail_ray_words(&tail) != WS_REORDER_RAY_WORDS)
        return false;
    memcpy(ray, counting->tails + comer->tail + WS_TAIL_WORDS, sizeof(*ray));
    return true;
}

/* The threads of the visit at a place of the order. False when there is no memory, or they cannot be read. */
static bool take_comers(struct counting *counting, uint32_t place)
{
    const uint32_t count = (uint32_t)counting->regrouping->visits[counting->visit_order[place]].threads;
    counting->has_rays = false;
    counting->has_payloads = false;
    if (!read_tails(counting, place))
        return false;
    order_threads(counting, count);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at = counting->called[counting->order[i]];
        struct ws_tail tail;
        memcpy(&tail, counting->tails + at, sizeof(tail));
        const struct ws_thread *thread = &counting->threads->threads[tail.thread];
        counting->comers[i] = (struct ws_comer){.warp = counting->threads->warp_index[thread->warp],
                                                .path = tail.path,
                                                .rank = counting->path_ranks[tail.path],
                                                .called = counting->key_ranks[tail.key],
                                                .shader = counting->key_first[tail.key],
                                                .tail = at};
        counting->path_hashes[i] = ws_new_path_hash(tail.path);
        counting->has_rays = counting->has_rays || ws_tail_ray_words(&tail) > 0;
        counting->has_payloads = counting->has_payloads || ws_tail_handed_words(&tail) > 0;
    }
    return true;
}

static struct ws_branch_call call_of(const struct ws_reorder_visit *visit)
{
    return (struct ws_branch_call){(uint32_t)(visit->site >> 32), visit->block, visit->place};
}

/* Writes the fields of a thread by which threads may be sorted: what is not known is 0. */
static void fields_of(const struct counting *counting, const struct ws_comer *comer,
                      uint32_t fields[WS_SEARCH_FIELDS])
{
    struct ws_reorder_ray ray;
    struct ws_tail tail;
    memset(fields, 0, WS_SEARCH_FIELDS * sizeof(*fields));
    for (uint32_t field = 0; ray_of(counting, comer, &ray) && field < WS_REORDER_FIELDS; ++field)
        fields[field] = ws_reorder_ray_field(&ray, field);
    memcpy(&tail, counting->tails + comer->tail, sizeof(tail));
    const uint32_t *handed = counting->tails + comer->tail + WS_TAIL_WORDS + ws_tail_ray_words(&tail);
    memcpy(fields + WS_REORDER_FIELDS, handed, ws_tail_handed_words(&tail) * sizeof(*fields));
}

/* Whether a key can be tried for the threads of this visit. */
static bool is_known(const struct counting *counting, uint32_t key)
{
    if (counting->parts)
        return key <= WS_REORDER_CALLED || key == WS_REORDER_PATH;
    switch (key) {
    case WS_REORDER_BY_INSTANCE:
    case WS_REORDER_BY_GEOMETRY:
    case WS_REORDER_BY_OCTANT: return counting->has_rays;
    case WS_REORDER_HIT: return counting->has_rays && counting->choice.hit.count > 0;
    case WS_REORDER_PAYLOAD: return counting->has_payloads && counting->choice.payload.count > 0;
    case WS_REORDER_BRANCH: return counting->choice.parts;
    default: return true;
    }
}

/* Sets what the threads of a visit do at the branch, and the bits of what they hit and hand over. `number`: of the visit. At a
 * parting the sorts by `called` are by the side that they take. */
static void set_values(struct counting *counting, uint32_t number, uint32_t count)
{
    const struct ws_reorder_choice *choice = &counting->choice;
    const struct ws_branch_call call = call_of(&counting->regrouping->visits[number]);
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_comer *comer = &counting->comers[i];
        uint32_t fields[WS_SEARCH_FIELDS];
        if (is_known(counting, WS_REORDER_HIT) || is_known(counting, WS_REORDER_PAYLOAD)) {
            fields_of(counting, comer, fields);
            comer->hit = ws_reorder_bits_of(&choice->hit, fields);
            comer->bits = ws_reorder_bits_of(&choice->payload, fields);
        }
        if (!choice->parts)
            continue;
        if (counting->path_visits[comer->path] != number + 1) {
            counting->path_visits[comer->path] = number + 1;
            counting->path_values[comer->path] = ws_branch_value(&counting->table, comer->path, &call);
        }
        comer->branch = counting->path_values[comer->path];
        if (!counting->parts)
            continue;
        struct ws_tail tail;
        memcpy(&tail, counting->tails + comer->tail, sizeof(tail));
        comer->shader = comer->called = comer->branch;
        comer->group = group_of(counting, &counting->threads->threads[tail.thread], call.shader);
    }
}

/* Sets what threads are sorted by, behind what comes before it (before_of). Returns the bits that it has. */
static uint32_t set_keys(const struct counting *counting, uint32_t count, uint32_t key, uint32_t *values)
{
    const struct ws_comer *comers = counting->comers;
    const uint32_t field = key == WS_REORDER_BY_INSTANCE   ? WS_REORDER_INSTANCE
                           : key == WS_REORDER_BY_GEOMETRY ? WS_REORDER_GEOMETRY
                                                           : WS_REORDER_OCTANT;
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_reorder_ray ray = {.octant = 0};
        switch (key) {
        case WS_REORDER_PACKED: values[i] = 0; break;
        case WS_REORDER_SHADER: values[i] = comers[i].shader; break;
        case WS_REORDER_CALLED: values[i] = comers[i].called; break;
        case WS_REORDER_BY_INSTANCE:
        case WS_REORDER_BY_GEOMETRY:
        case WS_REORDER_BY_OCTANT:
            ray_of(counting, &comers[i], &ray);
            values[i] = ws_reorder_ray_field(&ray, field);
            break;
        case WS_REORDER_HIT: values[i] = comers[i].hit; break;
        case WS_REORDER_PAYLOAD: values[i] = comers[i].bits; break;
        case WS_REORDER_BRANCH: values[i] = comers[i].branch; break;
        default: values[i] = comers[i].rank;
        }
        any |= values[i];
    }
    return any > 0 ? 32 - (uint32_t)__builtin_clz(any) : 0;
}

/* The key that threads are sorted by before they are sorted by a key. */
static uint32_t before_of(uint32_t key)
{
    return key <= WS_REORDER_CALLED ? WS_REORDER_PACKED
           : key == WS_REORDER_PATH ? WS_REORDER_CALLED
                                    : WS_REORDER_SHADER;
}

/* Puts each value of the sorted threads in a window of its own, behind those of the windows that are there, if any. Returns how
 * many windows there are. */
static uint32_t part_windows(struct counting *counting, uint32_t count, bool there)
{
    uint32_t different = 0;
    uint32_t last = 0;
    uint32_t window = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t value = counting->values[counting->order[i]];
        const uint32_t had = there ? counting->windows[i] : 0;
        different += i == 0 || value != last || had != window;
        last = value;
        window = had;
        counting->windows[i] = different - 1;
    }
    return different;
}

/* Puts the threads of a visit into the order of a key, and of what comes before it, each value in a window of its own. Returns
 * how many different values it has. */
static uint32_t sort_by_key(struct counting *counting, uint32_t count, uint32_t key)
{
    const uint32_t before = before_of(key);
    const uint32_t bits = set_keys(counting, count, key, counting->spare);
    const uint32_t more = set_keys(counting, count, before, counting->values);
    for (uint32_t i = 0; i < count; ++i)
        counting->order[i] = i;
    if (bits + more <= 32) {
        for (uint32_t i = 0; i < count && more > 0; ++i)
            counting->spare[i] |= counting->values[i] << bits;
        uint32_t *values = counting->spare;
        counting->spare = counting->values;
        counting->values = values;
        ws_comers_sort(counting->order, counting->spare, count, counting->values);
        return part_windows(counting, count, false);
    }
    /* There are too few bits for both. */
    set_keys(counting, count, key, counting->values);
    ws_comers_sort(counting->order, counting->spare, count, counting->values);
    set_keys(counting, count, before, counting->values);
    ws_comers_sort(counting->order, counting->spare, count, counting->values);
    part_windows(counting, count, false);
    set_keys(counting, count, key, counting->values);
    return part_windows(counting, count, true);
}

/* The same by the key called, which several sorts have. */
static uint32_t sort_by_called(struct counting *counting, uint32_t count, uint32_t window)
{
    const size_t size = count * sizeof(*counting->order);
    if (count == 0)
        return 0;
    if (window == WS_REORDER_WINDOW_ALL) {
        counting->called_values = sort_by_key(counting, count, WS_REORDER_CALLED);
        memcpy(counting->called, counting->order, size);
        memcpy(counting->called_windows, counting->windows, size);
    } else {
        memcpy(counting->order, counting->called, size);
        memcpy(counting->windows, counting->called_windows, size);
    }
    return counting->called_values;
}

/* Puts the threads of a visit into the order of a sort, and each place into its window. Returns how many different values the
 * key has. */
static uint32_t sort_comers(struct counting *counting, uint32_t count, const struct ws_reorder_sort *sort)
{
    const uint32_t different = sort->key == WS_REORDER_CALLED ? sort_by_called(counting, count, sort->window)
                                                              : sort_by_key(counting, count, sort->key);
    if (sort->window == WS_REORDER_WINDOW_SPLIT || count == 0)
        return different;
    if (sort->window == WS_REORDER_WINDOW_ALL) {
        memset(counting->windows, 0, count * sizeof(*counting->windows));
        return different;
    }
    for (uint32_t i = 0; i < count; ++i)
        counting->values[i] = sort->window == WS_REORDER_WINDOW_GROUP
                                  ? counting->comers[i].group
                                  : counting->comers[i].warp >> window_shifts[sort->window];
    ws_comers_sort(counting->order, counting->spare, count, counting->values);
    for (uint32_t i = 0; i < count; ++i)
        counting->windows[i] = counting->values[counting->order[i]];
    return different;
}

/* Forms the new warps that a sort makes: `counting->values` receives the paths of their threads. Returns a hash: equal ones are
 * counted once. Mixing once would not do: of doubled numbers it is the double now and then, and two warps of one thread each
 * would be taken for one warp of both. */
static uint64_t form_warps(struct counting *counting, uint32_t count, uint32_t size)
{
    uint64_t hash = 0;
    counting->new_count = 0;
    for (uint32_t j = 0, end = 0; j < count; j = end) {
        uint64_t sum = 0; /* which lanes they are in makes no difference */
        for (; end < count && end - j < size && counting->windows[end] == counting->windows[j]; ++end) {
            const uint32_t comer = counting->order[end];
            counting->values[end] = counting->comers[comer].path;
            sum += counting->path_hashes[comer];
        }
        counting->new_warps[counting->new_count++] = (struct counting_warp){sum, end};
        hash += ws_walk_mix(ws_walk_mix(sum, end - j), 1); /* likewise the order of warps */
    }
    return hash;
}

/* Counts the new warps that have been formed. False when there is no memory. */
static bool count_warps(struct counting *counting, uint32_t size, struct ws_reorder_after *after,
                        uint64_t *steps)
{
    struct ws_new_warps *warps = &counting->warps;
    const struct counting_warp *formed = counting->new_warps;
    uint64_t hash = 0;
    for (uint32_t i = 0, first = 0; i < counting->new_count; ++i) {
        const uint32_t threads = formed[i].end - first;
        if (i == 0)
            hash = ws_new_warp_hash_of(warps, size, formed[i].sum, threads);
        /* What the next one is known by is asked for before this one is counted. */
        const uint64_t next =
            i + 1 < counting->new_count
                ? ws_new_warp_hash_of(warps, size, formed[i + 1].sum, formed[i + 1].end - formed[i].end)
                : 0;
        if (!ws_new_warp_count(warps, hash, size, counting->values + first, threads, after))
            return false;
        *steps += threads + warps->steps;
        first = formed[i].end;
        hash = next;
    }
    return true;
}

/* Counts the new warps of one visit, for each sort. */
static bool count_visit(struct counting *counting, uint32_t count, uint32_t size,
                        struct ws_regrouped *regrouped)
{
    const size_t shaders = counting->shader_count;
    uint64_t hashes[WS_REORDER_SORTS];
    memset(counting->visit_after, 0, WS_REORDER_SORTS * shaders * sizeof(*counting->visit_after));
    for (uint32_t i = 0; i < WS_REORDER_SORTS && !counting->stopped; ++i) {
        const struct ws_reorder_sort *sort = ws_reorder_sort_at(i, counting->parts);
        struct ws_reorder_after *after = counting->visit_after + i * shaders;
        uint32_t same = WS_REORDER_SHADER;
        if (is_known(counting, sort->key)) {
            const uint32_t different = sort_comers(counting, count, sort);
            if (i < WS_REORDER_KEYS && regrouped->values[i] < different)
                regrouped->values[i] = different;
            if (sort->window == WS_REORDER_WINDOW_ALL || sort->window == WS_REORDER_WINDOW_SPLIT)
                regrouped->launches[i] += sort->window == WS_REORDER_WINDOW_SPLIT ? different : count > 0;
            hashes[i] = form_warps(counting, count, size);
            same = 0;
        } else {
            hashes[i] = hashes[same]; /* such keys have no smaller windows */
        }
        while (hashes[same] != hashes[i])
            same++;
        if (same < i) {
            memcpy(after, counting->visit_after + same * shaders, shaders * sizeof(*after));
            continue;
        }
        uint64_t steps = 0;
        if (!count_warps(counting, size, after, &steps))
            return false;
        counting->stopped = !ws_budget_spend(steps) || counting->stopped;
    }
    for (size_t i = 0; i < WS_REORDER_SORTS * shaders; ++i) {
        counting->after[i].executions += counting->visit_after[i].executions;
        counting->after[i].slots += counting->visit_after[i].slots;
        counting->after[i].partial_warp += counting->visit_after[i].partial_warp;
        counting->after[i].indirect_call += counting->visit_after[i].indirect_call;
    }
    return true;
}

/* One of the visits of a call site that is looked at before it is sorted. */
struct looked {
    uint32_t place; /* in the order */
    uint32_t count; /* threads */
};

/* Prepares a search in a visit, or with `other` in its second sample. False when there is no memory. */
static bool begin_search(struct counting *counting, const struct looked *looked, bool other,
                         struct ws_search *search)
{
    const struct ws_reorder_visit *visit =
        &counting->regrouping->visits[counting->visit_order[looked->place]];
    const uint32_t size = visit->size < WS_SEARCH_LANES_MAX ? visit->size : WS_SEARCH_LANES_MAX;
    if (!take_comers(counting, looked->place))
        return false;
    *search = (struct ws_search){.warps = &counting->warps,
                                 .table = &counting->table,
                                 .call = call_of(visit),
                                 .comers = counting->sample,
                                 .size = size,
                                 .fields = counting->sample_fields,
                                 .has_rays = counting->has_rays,
                                 .has_payloads = counting->has_payloads,
                                 .order = counting->order,
                                 .spare = counting->spare,
                                 .values = counting->values,
                                 .after = counting->visit_after,
                                 .shader_count = counting->shader_count};
    search->count = ws_search_sample(counting->comers, looked->count, size, other, counting->sample);
    for (uint32_t i = 0; i < search->count; ++i)
        fields_of(counting, &counting->sample[i], counting->sample_fields + (size_t)i * WS_SEARCH_FIELDS);
    return true;
}

/* Those of the call site's visits with most threads, from a place of the order on. Returns how many. */
static uint32_t find_largest(const struct counting *counting, uint32_t place,
                             struct looked found[WS_SEARCH_VISITS])
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    const uint64_t site = regrouping->visits[counting->visit_order[place]].site;
    uint32_t count = 0;
    for (; place < regrouping->visit_count; ++place) {
        const struct ws_reorder_visit *visit = &regrouping->visits[counting->visit_order[place]];
        uint32_t at = count;
        if (visit->site != site)
            break;
        while (at > 0 && found[at - 1].count < visit->threads)
            at--;
        if (at < WS_SEARCH_VISITS) {
            count += count < WS_SEARCH_VISITS;
            memmove(found + at + 1, found + at, (count - 1 - at) * sizeof(*found));
            found[at] = (struct looked){place, (uint32_t)visit->threads};
        }
    }
    return count;
}

/* The branch of a parting, of which nothing is sought: threads part there. False when there is no memory. */
static bool choose_parting(struct counting *counting, const struct ws_reorder_visit *visit)
{
    const uint32_t shader = (uint32_t)(visit->site >> 32);
    counting->choice = (struct ws_reorder_choice){
        .site = visit->site,
        .parts = true,
        .branch = {.shader = shader, .block = visit->block, .turns = visit->turns}};
    count_groups(counting, shader);
    return ws_branch_table_set(&counting->table, &counting->choice.branch, NULL, 0);
}

/* A call site begins, at a place of the order of visits: finds what its threads are to be sorted by. False when
 * there is no memory. */
static bool choose(struct counting *counting, uint32_t place)
{
    const struct ws_reorder_visit *visit = &counting->regrouping->visits[counting->visit_order[place]];
    counting->parts = visit->parts;
    if (visit->parts)
        return choose_parting(counting, visit);
    const struct ws_regrouping *regrouping = counting->regrouping;
    const uint64_t site = regrouping->visits[counting->visit_order[place]].site;
    struct ws_reorder_choice *choice = ws_reorder_choice_at(regrouping->choices, site, true);
    struct looked looked[WS_SEARCH_VISITS];
    struct ws_search search = {.stopped = false};
    uint64_t most = 0;
    uint32_t best = 0;
    if (choice == NULL)
        return false;
    const bool found = choice->hit.count > 0 || choice->payload.count > 0 || choice->parts;
    const uint32_t count =
        choice->searches < WS_SEARCHES_MAX && !found ? find_largest(counting, place, looked) : 0;
    for (uint32_t i = 0; i < count && !search.stopped; ++i) {
        uint64_t by_shader = 0;
        uint64_t by_path = 0;
        if (!begin_search(counting, &looked[i], false, &search) ||
            !ws_search_bounds(&search, &by_shader, &by_path))
            return false;
        if (by_shader > by_path && by_shader - by_path > most) {
            most = by_shader - by_path;
            best = i;
        }
    }
    if (most > 0 &&
        (!begin_search(counting, &looked[best], false, &search) || !ws_search_run(&search, choice) ||
         !begin_search(counting, &looked[best], true, &search) ||
         (search.count > 0 && !ws_search_confirm(&search, choice))))
        return false;
    counting->stopped = counting->stopped || search.stopped;
    counting->choice = *choice;
    return !choice->parts || ws_branch_table_set(&counting->table, &choice->branch, NULL, 0);
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
        before->partial_warp += more->partial_warp;
        before->indirect_call += more->indirect_call;
        before->stay_partial_warp += more->stay_partial_warp;
        before->stay_indirect_call += more->stay_indirect_call;
        for (uint32_t i = 0; i < WS_REORDER_SORTS; ++i) {
            struct ws_reorder_after *after = &counting->after[(size_t)i * counting->shader_count + more->ran];
            after->executions += more->stay;
            after->slots += more->stay_slots;
            after->partial_warp += more->stay_partial_warp;
            after->indirect_call += more->stay_indirect_call;
        }
    }
}

/* Whether threads of one warp turn a loop differently often in a visit. False in `*read` when the visit cannot be read. */
static bool turns_differ(struct counting *counting, uint32_t place, bool *read)
{
    const uint32_t number = counting->visit_order[place];
    const uint32_t count = (uint32_t)counting->regrouping->visits[number].threads;
    bool differ = false;
    *read = take_comers(counting, place);
    if (!*read)
        return false;
    set_values(counting, number, count);
    for (uint32_t i = 1; i < count && !differ; ++i)
        differ = counting->comers[i].warp == counting->comers[i - 1].warp &&
                 counting->comers[i].branch != counting->comers[i - 1].branch;
    counting->stopped = !ws_budget_spend(count) || counting->stopped;
    return differ;
}

/* Finds out whether a loop, whose visits begin at a place, parts threads. False when there is no memory. */
static bool look_at_turns(struct counting *counting, uint32_t place)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    const struct ws_reorder_visit *first = &regrouping->visits[counting->visit_order[place]];
    bool differ = false;
    counting->parts = true;
    if (!choose_parting(counting, first))
        return false;
    for (uint32_t i = place; i < regrouping->visit_count && !differ && !counting->stopped; ++i) {
        bool read = true;
        if (regrouping->visits[counting->visit_order[i]].site != first->site)
            break;
        differ = turns_differ(counting, i, &read);
        if (!read)
            return false;
    }
    counting->turned[place] = differ ? 2 : 1;
    return true;
}

/* Whether visits of a call site begin at a place of the order. */
static bool begins_site(const struct counting *counting, uint32_t place)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    return place == 0 || regrouping->visits[counting->visit_order[place - 1]].site !=
                             regrouping->visits[counting->visit_order[place]].site;
}

/* Looks at all loops. False when there is no memory. */
static bool look_at_loops(struct counting *counting)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    bool looked = true;
    for (uint32_t i = 0; i < regrouping->visit_count && looked && !counting->stopped; ++i) {
        const struct ws_reorder_visit *visit = &regrouping->visits[counting->visit_order[i]];
        if (visit->turns && begins_site(counting, i))
            looked = look_at_turns(counting, i);
    }
    return looked;
}

/* A parting of threads whose warps are not all alike. */
struct parting {
    uint64_t site;
    uint64_t idle;  /* slots that it leaves */
    uint32_t place; /* where its visits begin */
    bool turns;
};

/* Partings of one kind and shader stand together, those first that leave most slots idle. */
static int compare_partings(const void *left, const void *right)
{
    const struct parting *a = left;
    const struct parting *b = right;
    if (a->site >> 32 != b->site >> 32)
        return a->site >> 32 < b->site >> 32 ? -1 : 1;
    if (a->turns != b->turns)
        return a->turns ? 1 : -1;
    if (a->idle != b->idle)
        return a->idle > b->idle ? -1 : 1;
    return (a->site > b->site) - (a->site < b->site);
}

/* The slots that a call site leaves idle. Call sites are asked for in their order. */
static uint64_t next_idle(const struct ws_regrouping *regrouping, uint64_t site, uint32_t *next)
{
    uint64_t idle = 0;
    for (; *next < regrouping->before_count && regrouping->befores[*next].site <= site; ++*next)
        if (regrouping->befores[*next].site == site)
            idle += regrouping->befores[*next].slots - regrouping->befores[*next].active;
    return idle;
}

/* Finds the partings to tell of: of each kind and shader those that leave most slots idle; loops only where they part threads.
 * Those that are not told are counted. `partings` has room for a parting at each visit. */
static void choose_partings(struct counting *counting, struct parting *partings)
{
    struct ws_regrouping *regrouping = counting->regrouping;
    uint32_t count = 0;
    uint32_t next = 0;
    uint32_t before = 0;
    for (uint32_t i = 0; i < regrouping->visit_count; ++i) {
        const struct ws_reorder_visit *visit = &regrouping->visits[counting->visit_order[i]];
        if (!visit->parts || !begins_site(counting, i))
            continue;
        const uint64_t idle = next_idle(regrouping, visit->site, &next);
        const bool even = visit->turns ? counting->turned[i] != 2 : idle == 0;
        regrouping->coherent += even && !visit->turns;
        regrouping->even += even && visit->turns;
        if (!even)
            partings[count++] = (struct parting){visit->site, idle, i, visit->turns};
    }
    qsort(partings, count, sizeof(*partings), compare_partings);
    for (uint32_t i = 0; i < count; ++i) {
        const bool same = i > 0 && partings[i].site >> 32 == partings[i - 1].site >> 32 &&
                          partings[i].turns == partings[i - 1].turns;
        before = same ? before + 1 : 0;
        counting->told[partings[i].place] = before < WS_REORDER_PARTINGS_TOLD;
        regrouping->fewer_idle += before >= WS_REORDER_PARTINGS_TOLD;
    }
}

/* The same, after a look at all loops. False when there is no memory. */
static bool look_at_partings(struct counting *counting)
{
    if (!look_at_loops(counting))
        return false;
    struct parting *partings = malloc(((size_t)counting->regrouping->visit_count + 1) * sizeof(*partings));
    if (partings == NULL)
        return false;
    choose_partings(counting, partings);
    free(partings);
    return true;
}

static bool tell_all(struct counting *counting,
                     bool (*tell)(void *user, const struct ws_regrouped *regrouped), void *user)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    uint32_t next_before = 0;
    bool skipped = false;
    if (!look_at_partings(counting))
        return false;
    for (uint32_t i = 0; i < regrouping->visit_count && !counting->stopped;) {
        const struct ws_reorder_visit *first = &regrouping->visits[counting->visit_order[i]];
        struct ws_regrouped regrouped = {.site = first->site,
                                         .bounce = first->bounce,
                                         .parts = first->parts,
                                         .after = counting->after,
                                         .before = counting->before};
        const bool begins = begins_site(counting, i);
        skipped = begins ? first->parts && !counting->told[i] : skipped;
        if (skipped) {
            i++;
            continue;
        }
        memset(counting->before, 0, counting->shader_count * sizeof(*counting->before));
        memset(counting->after, 0,
               (size_t)WS_REORDER_SORTS * counting->shader_count * sizeof(*counting->after));
        if (begins && !choose(counting, i))
            return false;
        for (; i < regrouping->visit_count; ++i) {
            const uint32_t number = counting->visit_order[i];
            const struct ws_reorder_visit *visit = &regrouping->visits[number];
            const uint32_t comers = (uint32_t)visit->threads;
            if (visit->site != first->site || visit->bounce != first->bounce)
                break;
            regrouped.visits += comers;
            regrouped.calls += visit->calls;
            regrouped.joined += visit->joined;
            if (!take_comers(counting, i))
                return false;
            set_values(counting, number, comers);
            ws_new_warps_visit(&counting->warps, visit->invocation);
            if (!count_visit(counting, comers, visit->size, &regrouped))
                return false;
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
    struct counting counting = {
        .regrouping = regrouping, .threads = threads, .shader_count = regrouping->catalog->shader_count};
    const bool prepared = prepare(&counting);
    counting.stopped = !prepared && !ws_budget_spend(0);
    const bool told = counting.stopped || (prepared && tell_all(&counting, tell, user));
    *stopped = counting.stopped;
    ws_new_warps_finish(&counting.warps);
    free(counting.turned);
    free(counting.told);
    free(counting.visit_places);
    free(counting.visit_order);
    free(counting.path_ranks);
    free(counting.key_ranks);
    free(counting.key_first);
    free(counting.runs);
    free(counting.visit_runs);
    free(counting.tails);
    free(counting.comers);
    free(counting.path_hashes);
    free(counting.new_warps);
    free(counting.order);
    free(counting.spare);
    free(counting.values);
    free(counting.windows);
    free(counting.called);
    free(counting.called_windows);
    ws_branch_table_finish(&counting.table);
    free(counting.path_values);
    free(counting.path_visits);
    free(counting.sample);
    free(counting.sample_fields);
    free(counting.visit_after);
    free(counting.after);
    free(counting.before);
    return told;
}
