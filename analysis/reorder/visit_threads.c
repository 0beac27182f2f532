#include "analysis/reorder/visit_threads.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/hits.h"

#define LANE_BITS 7 /* of a number that has the warp before them */

static const uint32_t window_shifts[WS_REORDER_WINDOW_ALL] = {0, 2, 4, 6, 8};

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

/* The first shader of a key. */
static uint32_t first_shader(const struct ws_path_tree *shaders, uint32_t node)
{
    while (node > WS_PATH_LOST && shaders->nodes[node].parent > WS_PATH_LOST)
        node = shaders->nodes[node].parent;
    return node;
}

/* Puts runs of tails into the order of visits. */
static bool order_runs(struct ws_visit_threads *visit)
{
    const struct ws_regrouping *regrouping = visit->regrouping;
    size_t count = 0;
    for (uint32_t i = 0; i < regrouping->part_count; ++i)
        count += regrouping->parts[i].tails.run_count;
    visit->visit_runs = calloc((size_t)regrouping->visit_count + 2, sizeof(*visit->visit_runs));
    visit->runs = malloc((count + 1) * sizeof(*visit->runs));
    if (visit->visit_runs == NULL || visit->runs == NULL || count > UINT32_MAX)
        return false;
    /* Where the next run of a place stands; at last where the next place's begin. */
    uint32_t *next = visit->visit_runs + 1;
    for (uint32_t i = 0; i < regrouping->part_count; ++i)
        for (uint32_t j = 0; j < regrouping->parts[i].tails.run_count; ++j)
            next[visit->places[regrouping->parts[i].tails.runs[j].visit]]++;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < regrouping->visit_count; ++i) {
        const uint32_t here = next[i];
        next[i] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < regrouping->part_count; ++i)
        for (uint32_t j = 0; j < regrouping->parts[i].tails.run_count; ++j) {
            const uint32_t place = visit->places[regrouping->parts[i].tails.runs[j].visit];
            visit->runs[next[place]++] = (struct ws_visit_run){i, j};
        }
    return true;
}

bool ws_visit_threads_init(struct ws_visit_threads *visit)
{
    const struct ws_regrouping *regrouping = visit->regrouping;
    const uint32_t visits = regrouping->visit_count;
    visit->places = calloc((size_t)visits + 1, sizeof(*visit->places));
    visit->visits = calloc((size_t)visits + 1, sizeof(*visit->visits));
    visit->path_ranks = ws_spans_rank(&regrouping->spans);
    visit->key_ranks = ws_path_tree_rank(&regrouping->shaders);
    visit->key_first = calloc((size_t)regrouping->shaders.count + 2, sizeof(*visit->key_first));
    if (visit->places == NULL || visit->visits == NULL || visit->path_ranks == NULL ||
        visit->key_ranks == NULL || visit->key_first == NULL)
        return false;
    for (uint32_t i = 0; i < regrouping->shaders.count; ++i)
        visit->key_first[i] = visit->key_ranks[first_shader(&regrouping->shaders, i)];
    for (uint32_t i = 0; i < visits; ++i)
        visit->visits[i] = i;
    qsort_r(visit->visits, visits, sizeof(*visit->visits), compare_visits, (void *)regrouping);
    for (uint32_t i = 0; i < visits; ++i)
        visit->places[visit->visits[i]] = i;
    return order_runs(visit);
}

void ws_visit_threads_finish(struct ws_visit_threads *visit)
{
    free(visit->places);
    free(visit->visits);
    free(visit->path_ranks);
    free(visit->key_ranks);
    free(visit->key_first);
    free(visit->runs);
    free(visit->visit_runs);
    free(visit->words);
    free(visit->tails);
    free(visit->warps);
    free(visit->paths);
    free(visit->path_hashes);
    free(visit->groups_of);
    for (uint32_t i = 0; i < WS_REORDER_KEYS; ++i)
        free(visit->keys[i]);
    free(visit->order);
    free(visit->windows);
    free(visit->called);
    free(visit->called_windows);
    free(visit->spare);
    free(visit->values);
    memset(visit, 0, sizeof(*visit));
}

/* Room for one more thing of so many threads. */
static bool reserve_column(uint32_t **column, uint32_t count)
{
    uint32_t *more = realloc(*column, count * sizeof(*more));
    *column = more != NULL ? more : *column;
    return more != NULL;
}

/* Room for so many threads. False when there is no memory. */
static bool reserve(struct ws_visit_threads *visit, uint32_t count)
{
    uint32_t **const columns[] = {&visit->tails,  &visit->warps,         &visit->paths,  &visit->groups_of,
                                  &visit->order,  &visit->spare,         &visit->values, &visit->windows,
                                  &visit->called, &visit->called_windows};
    if (count <= visit->capacity)
        return true;
    uint64_t *hashes = realloc(visit->path_hashes, count * sizeof(*hashes));
    visit->path_hashes = hashes != NULL ? hashes : visit->path_hashes;
    bool grown = hashes != NULL;
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]) && grown; ++i)
        grown = reserve_column(columns[i], count);
    for (uint32_t i = WS_REORDER_PACKED + 1; i < WS_REORDER_KEYS && grown; ++i)
        grown = reserve_column(&visit->keys[i], count);
    visit->capacity = grown ? count : visit->capacity;
    return grown;
}

static bool reserve_words(struct ws_visit_threads *visit, uint64_t count)
{
    if (count <= visit->word_capacity)
        return true;
    uint32_t *words = realloc(visit->words, count * sizeof(*words));
    if (words == NULL)
        return false;
    visit->words = words;
    visit->word_capacity = count;
    return true;
}

static struct ws_tail tail_at(const struct ws_visit_threads *visit, uint32_t at)
{
    struct ws_tail tail;
    memcpy(&tail, visit->words + at, sizeof(tail));
    return tail;
}

/* Reads a run, from a place in the words on. Its threads are the next in `called`, for now: where their tails begin. */
static bool read_run(struct ws_visit_threads *visit, const struct ws_visit_run *which, uint32_t *at,
                     uint32_t *thread)
{
    const struct ws_regrouping_tails *part = &visit->regrouping->parts[which->part];
    const struct ws_tail_run *run = &part->tails.runs[which->run];
    if (!ws_tails_read(&part->tails, run, visit->words + *at))
        return false;
    for (uint32_t j = 0; j < run->count; ++j, ++*thread) {
        struct ws_tail tail = tail_at(visit, *at);
        tail.path = part->paths[tail.path];
        tail.key = part->keys[tail.key];
        memcpy(visit->words + *at, &tail, sizeof(tail));
        visit->called[*thread] = *at;
        visit->has_rays = visit->has_rays || ws_tail_ray_words(&tail) > 0;
        visit->has_payloads = visit->has_payloads || ws_tail_handed_words(&tail) > 0;
        *at += ws_tail_words(&tail);
    }
    return true;
}

/* Puts them into the order of warps and lanes: by one number of both, or where that has too many bits, by one after the other.
 * `visit->order` receives it. */
static void order_threads(struct ws_visit_threads *visit)
{
    const struct ws_thread *threads = visit->threads->threads;
    const uint32_t *warp_index = visit->threads->warp_index;
    bool fits = true;
    for (uint32_t i = 0; i < visit->count; ++i) {
        const struct ws_thread *thread = &threads[tail_at(visit, visit->called[i]).thread];
        const uint32_t warp = warp_index[thread->warp];
        fits = fits && warp >> (32 - LANE_BITS) == 0 && thread->lane >> LANE_BITS == 0;
        visit->order[i] = i;
        visit->values[i] = warp << LANE_BITS | thread->lane;
    }
    for (int by = 0; by < 2 && !fits; ++by) {
        for (uint32_t i = 0; i < visit->count; ++i) {
            const struct ws_thread *thread = &threads[tail_at(visit, visit->called[i]).thread];
            visit->values[i] = by == 0 ? thread->lane : warp_index[thread->warp];
        }
        if (by == 0)
            ws_comers_sort(visit->order, visit->spare, visit->count, visit->values);
    }
    ws_comers_sort(visit->order, visit->spare, visit->count, visit->values);
    for (uint32_t i = 0; i < visit->count; ++i) {
        visit->tails[i] = visit->called[visit->order[i]];
        visit->warps[i] = visit->values[visit->order[i]] >> (fits ? LANE_BITS : 0);
    }
}

bool ws_visit_threads_read(struct ws_visit_threads *visit, uint32_t place)
{
    const struct ws_reorder_visit *which = &visit->regrouping->visits[visit->visits[place]];
    uint32_t at = 0;
    uint32_t thread = 0;
    visit->has_rays = false;
    visit->has_payloads = false;
    visit->count = 0;
    if (which->words > UINT32_MAX || which->threads > UINT32_MAX ||
        !reserve(visit, (uint32_t)which->threads) || !reserve_words(visit, which->words))
        return false;
    for (uint32_t i = visit->visit_runs[place]; i < visit->visit_runs[place + 1]; ++i)
        if (!read_run(visit, &visit->runs[i], &at, &thread))
            return false;
    visit->count = (uint32_t)which->threads;
    order_threads(visit);
    return true;
}

/* What is known of the ray of a thread: zeros where nothing is. */
static struct ws_reorder_ray ray_of(const struct ws_visit_threads *visit, uint32_t thread)
{
    struct ws_reorder_ray ray = {.octant = 0};
    const struct ws_tail tail = tail_at(visit, visit->tails[thread]);
    if (ws_tail_ray_words(&tail) == WS_REORDER_RAY_WORDS)
        memcpy(&ray, visit->words + visit->tails[thread] + WS_TAIL_WORDS, sizeof(ray));
    return ray;
}

struct ws_comer ws_visit_thread(const struct ws_visit_threads *visit, uint32_t thread)
{
    const struct ws_tail tail = tail_at(visit, visit->tails[thread]);
    return (struct ws_comer){.path = tail.path,
                             .rank = visit->path_ranks[tail.path],
                             .called = visit->key_ranks[tail.key],
                             .shader = visit->key_first[tail.key]};
}

void ws_visit_threads_describe(struct ws_visit_threads *visit)
{
    for (uint32_t i = 0; i < visit->count; ++i) {
        const struct ws_comer thread = ws_visit_thread(visit, i);
        visit->paths[i] = thread.path;
        visit->path_hashes[i] = ws_new_path_hash(thread.path);
        visit->keys[WS_REORDER_PATH][i] = thread.rank;
        visit->keys[WS_REORDER_CALLED][i] = thread.called;
        visit->keys[WS_REORDER_SHADER][i] = thread.shader;
    }
    for (uint32_t i = 0; i < visit->count && visit->has_rays; ++i) {
        const struct ws_reorder_ray ray = ray_of(visit, i);
        visit->keys[WS_REORDER_BY_INSTANCE][i] = ws_reorder_ray_field(&ray, WS_REORDER_INSTANCE);
        visit->keys[WS_REORDER_BY_GEOMETRY][i] = ws_reorder_ray_field(&ray, WS_REORDER_GEOMETRY);
        visit->keys[WS_REORDER_BY_OCTANT][i] = ws_reorder_ray_field(&ray, WS_REORDER_OCTANT);
    }
}

void ws_visit_thread_fields(const struct ws_visit_threads *visit, uint32_t thread,
                            uint32_t fields[WS_SEARCH_FIELDS])
{
    const struct ws_tail tail = tail_at(visit, visit->tails[thread]);
    const uint32_t *words = visit->words + visit->tails[thread] + WS_TAIL_WORDS;
    memset(fields, 0, WS_SEARCH_FIELDS * sizeof(*fields));
    if (ws_tail_ray_words(&tail) == WS_REORDER_RAY_WORDS) {
        struct ws_reorder_ray ray;
        memcpy(&ray, words, sizeof(ray));
        for (uint32_t field = 0; field < WS_REORDER_FIELDS; ++field)
            fields[field] = ws_reorder_ray_field(&ray, field);
    }
    memcpy(fields + WS_REORDER_FIELDS, words + ws_tail_ray_words(&tail),
           ws_tail_handed_words(&tail) * sizeof(*fields));
}

void ws_visit_threads_count_groups(struct ws_visit_threads *visit, uint32_t shader)
{
    const uint32_t *size = visit->regrouping->catalog->shaders[shader].local_size;
    memset(visit->groups, 0, sizeof(visit->groups));
    for (uint32_t t = 0; t < visit->threads->thread_count; ++t)
        for (int i = 0; i < 2; ++i) {
            const uint32_t group = visit->threads->threads[t].work[i] / (size[i] > 0 ? size[i] : 1);
            visit->groups[i] = group >= visit->groups[i] ? group + 1 : visit->groups[i];
        }
}

/* Groups of a launch are counted along x, y and z. */
void ws_visit_threads_set_groups(struct ws_visit_threads *visit, uint32_t shader)
{
    const uint32_t *size = visit->regrouping->catalog->shaders[shader].local_size;
    for (uint32_t t = 0; t < visit->count; ++t) {
        const struct ws_thread *thread = &visit->threads->threads[tail_at(visit, visit->tails[t]).thread];
        uint32_t group[3];
        for (int i = 0; i < 3; ++i)
            group[i] =
                thread->work[i] / (size[i] > 0 ? size[i] : 1); /* its size is not known: work is the group */
        visit->groups_of[t] = group[0] + visit->groups[0] * (group[1] + visit->groups[1] * group[2]);
    }
}

/* The key that threads are sorted by before they are sorted by a key. */
static uint32_t before_of(uint32_t key)
{
    return key <= WS_REORDER_CALLED ? WS_REORDER_PACKED
           : key == WS_REORDER_PATH ? WS_REORDER_CALLED
                                    : WS_REORDER_SHADER;
}

/* How many bits the numbers of a column have, each at most. */
static uint32_t bits_of(const uint32_t *column, uint32_t count)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count && column != NULL; ++i)
        any |= column[i];
    return any > 0 ? 32 - (uint32_t)__builtin_clz(any) : 0;
}

/* How many different values the sorted threads have, of one column or of both. `windows`: NULL, or receives one of its own for
 * each value. */
static uint32_t count_values(const struct ws_visit_threads *visit, const uint32_t *column,
                             const uint32_t *before, uint32_t *windows)
{
    uint32_t different = visit->count > 0;
    for (uint32_t i = 0; i < visit->count; ++i) {
        const uint32_t here = visit->order[i];
        const uint32_t last = visit->order[i > 0 ? i - 1 : 0];
        different += column[here] != column[last] || (before != NULL && before[here] != before[last]);
        if (windows != NULL)
            windows[i] = different - 1;
    }
    return different;
}

/* Puts the threads into the order of a key, and of what comes before it. Returns how many different values it has. `windows` as
 * above. */
static uint32_t sort_by_key(struct ws_visit_threads *visit, uint32_t key, uint32_t *windows)
{
    const uint32_t *column = visit->keys[key];
    const uint32_t *before = visit->keys[before_of(key)];
    const uint32_t count = visit->count;
    for (uint32_t i = 0; i < count; ++i)
        visit->order[i] = i;
    if (column == NULL) { /* they are in this order */
        if (windows != NULL && count > 0)
            memset(windows, 0, count * sizeof(*windows));
        return count > 0;
    }
    const uint32_t bits = bits_of(column, count);
    const uint32_t more = bits_of(before, count);
    if (more > 0 && bits + more <= 32) {
        for (uint32_t i = 0; i < count; ++i)
            visit->values[i] = before[i] << bits | column[i];
        column = visit->values;
    }
    ws_comers_sort(visit->order, visit->spare, count, column);
    if (more == 0 || column == visit->values)
        return count_values(visit, column, NULL, windows);
    /* There are too few bits for both. */
    ws_comers_sort(visit->order, visit->spare, count, before);
    return count_values(visit, column, before, windows);
}

/* The same by the key called, which several sorts have. */
static uint32_t sort_by_called(struct ws_visit_threads *visit, uint32_t window)
{
    const size_t size = visit->count * sizeof(*visit->order);
    if (visit->count == 0)
        return 0;
    if (window == WS_REORDER_WINDOW_ALL) {
        visit->called_values = sort_by_key(visit, WS_REORDER_CALLED, visit->called_windows);
        memcpy(visit->called, visit->order, size);
    } else {
        memcpy(visit->order, visit->called, size);
        if (window == WS_REORDER_WINDOW_SPLIT)
            memcpy(visit->windows, visit->called_windows, size);
    }
    return visit->called_values;
}

uint32_t ws_visit_threads_sort(struct ws_visit_threads *visit, const struct ws_reorder_sort *sort)
{
    const bool split = sort->window == WS_REORDER_WINDOW_SPLIT;
    const uint32_t different = sort->key == WS_REORDER_CALLED
                                   ? sort_by_called(visit, sort->window)
                                   : sort_by_key(visit, sort->key, split ? visit->windows : NULL);
    visit->windowed = sort->window != WS_REORDER_WINDOW_ALL;
    if (split || !visit->windowed || visit->count == 0)
        return different;
    for (uint32_t i = 0; i < visit->count; ++i)
        visit->values[i] = sort->window == WS_REORDER_WINDOW_GROUP
                               ? visit->groups_of[i]
                               : visit->warps[i] >> window_shifts[sort->window];
    ws_comers_sort(visit->order, visit->spare, visit->count, visit->values);
    for (uint32_t i = 0; i < visit->count; ++i)
        visit->windows[i] = visit->values[visit->order[i]];
    return different;
}
