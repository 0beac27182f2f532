#include "analysis/model/times_join.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analysis/model/catalog.h"
#include "analysis/model/launch.h"
#include "analysis/model/times.h"

/* A launch of a run. */
struct item {
    uint64_t content;
    uint64_t pipelines; /* the part of the content that is its pipelines */
    uint64_t frame;
    uint64_t index;
    uint64_t nanoseconds;
    uint32_t order; /* it comes as the first (0), second, ... of its content in its frame */
    bool known;     /* it has a time */
};

/* All launches of a run, sorted by content, order and frame. */
struct run {
    struct item *items;
    uint32_t count;
};

void ws_times_join_destroy(struct ws_times_join *join)
{
    if (join == NULL)
        return;
    free(join->path);
    free(join);
}

static int compare_numbers(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t hash_shader(const struct ws_catalog *catalog, uint32_t index)
{
    const struct ws_shader_record *shader = &catalog->shaders[index];
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &catalog->modules[shader->module].hash, sizeof(uint64_t));
    XXH3_64bits_update(&state, &shader->stage, sizeof(shader->stage));
    XXH3_64bits_update(&state, shader->name, strlen(shader->name) + 1);
    for (uint32_t i = 0; i < shader->specialization_count; ++i) {
        const struct ws_specialization *constant = &shader->specialization[i];
        const uint64_t words[3] = {constant->constant_id, constant->size, constant->value};
        XXH3_64bits_update(&state, words, sizeof(words));
    }
    return XXH3_64bits_digest(&state);
}

/* The hash of a set of hashes, which are sorted here; equal ones count once. */
static uint64_t hash_set(uint64_t *hashes, uint32_t count, uint32_t kind)
{
    uint32_t kept = 0;
    if (count > 0)
        qsort(hashes, count, sizeof(*hashes), compare_numbers);
    for (uint32_t i = 0; i < count; ++i)
        if (kept == 0 || hashes[i] != hashes[kept - 1])
            hashes[kept++] = hashes[i];
    return XXH3_64bits_withSeed(hashes, kept * sizeof(*hashes), kind);
}

/* The content of every pipeline. NULL without memory. */
static uint64_t *hash_pipelines(const struct ws_catalog *catalog)
{
    uint64_t *shaders = malloc(catalog->shader_count * sizeof(*shaders) + 1);
    uint64_t *pipelines = malloc(catalog->pipeline_count * sizeof(*pipelines) + 1);
    uint64_t *set = NULL;
    for (uint32_t i = 0; shaders != NULL && i < catalog->shader_count; ++i)
        shaders[i] = hash_shader(catalog, i);
    for (uint32_t i = 0; shaders != NULL && pipelines != NULL && i < catalog->pipeline_count; ++i) {
        const struct ws_pipeline_record *pipeline = &catalog->pipelines[i];
        uint64_t *larger = realloc(set, pipeline->shader_count * sizeof(*set) + 1);
        if (larger == NULL) {
            free(pipelines);
            pipelines = NULL;
            break;
        }
        set = larger;
        for (uint32_t j = 0; j < pipeline->shader_count; ++j)
            set[j] = shaders[pipeline->shaders[j]];
        pipelines[i] = hash_set(set, pipeline->shader_count, pipeline->kind);
    }
    if (shaders == NULL) {
        free(pipelines);
        pipelines = NULL;
    }
    free(shaders);
    free(set);
    return pipelines;
}

/* `set` has room for the launch's pipelines. */
static struct item make_item(const struct ws_catalog *catalog, const struct ws_launch_record *launch,
                             const uint64_t *pipelines, uint64_t *set)
{
    const bool indirect = (launch->flags & WS_LAUNCH_INDIRECT) != 0;
    struct item item = {.frame = launch->frame, .index = launch->index};
    for (uint32_t i = 0; i < launch->pipeline_count; ++i)
        set[i] = pipelines[launch->pipelines[i]];
    item.pipelines = hash_set(set, launch->pipeline_count, 0);
    const uint32_t words[6] = {launch->kind,
                               launch->flags,
                               launch->draws,
                               indirect ? 0 : launch->size[0],
                               indirect ? 0 : launch->size[1],
                               indirect ? 0 : launch->size[2]};
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &item.pipelines, sizeof(item.pipelines));
    XXH3_64bits_update(&state, words, sizeof(words));
    XXH3_64bits_update(&state, launch->label, strlen(launch->label));
    item.content = XXH3_64bits_digest(&state);
    item.known = ws_times_launch(catalog, launch->index, &item.nanoseconds);
    return item;
}

static int compare_in_frames(const void *left, const void *right)
{
    const struct item *a = left;
    const struct item *b = right;
    if (a->content != b->content)
        return a->content < b->content ? -1 : 1;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int compare_over_frames(const void *left, const void *right)
{
    const struct item *a = left;
    const struct item *b = right;
    if (a->content != b->content)
        return a->content < b->content ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static bool make_run(struct run *run, const struct ws_catalog *catalog)
{
    const struct ws_launch_table *table = &catalog->launches;
    uint32_t most = 1;
    for (uint32_t i = 0; i < table->count; ++i)
        if (table->launches[i].pipeline_count > most)
            most = table->launches[i].pipeline_count;
    uint64_t *pipelines = hash_pipelines(catalog);
    uint64_t *set = malloc(most * sizeof(*set));
    run->items = malloc(table->count * sizeof(*run->items) + 1);
    run->count = table->count;
    const bool made = pipelines != NULL && set != NULL && run->items != NULL;
    for (uint32_t i = 0; made && i < run->count; ++i)
        run->items[i] = make_item(catalog, &table->launches[i], pipelines, set);
    free(pipelines);
    free(set);
    if (!made)
        return false;
    qsort(run->items, run->count, sizeof(*run->items), compare_in_frames);
    for (uint32_t i = 0; i < run->count; ++i) {
        struct item *item = &run->items[i];
        item->order = 0;
        if (i > 0 && item[-1].content == item->content && item[-1].frame == item->frame)
            item->order = item[-1].order + 1;
    }
    qsort(run->items, run->count, sizeof(*run->items), compare_over_frames);
    return true;
}

/* What can be looked up of the timed run. */
struct timed {
    struct run run;
    uint64_t *medians;           /* of each item: over its content and order; UINT64_MAX = none has a time */
    struct ws_id_map by_index;   /* index of a launch -> item */
    struct ws_id_map by_content; /* content -> its first item */
    struct ws_id_map pipelines;  /* the pipelines of some launch -> 1 */
};

static void timed_finish(struct timed *timed)
{
    free(timed->run.items);
    free(timed->medians);
    ws_id_map_finish(&timed->by_index);
    ws_id_map_finish(&timed->by_content);
    ws_id_map_finish(&timed->pipelines);
}

/* Sets the median of the items `first` to `end` - 1, which have the same content and order. `numbers` has room for
 * them. */
static void set_median(struct timed *timed, uint32_t first, uint32_t end, uint64_t *numbers)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < end; ++i)
        if (timed->run.items[i].known)
            numbers[count++] = timed->run.items[i].nanoseconds;
    if (count > 0)
        qsort(numbers, count, sizeof(*numbers), compare_numbers);
    for (uint32_t i = first; i < end; ++i)
        timed->medians[i] = count > 0 ? numbers[(count - 1) / 2] : UINT64_MAX;
}

static bool timed_init(struct timed *timed, const struct ws_catalog *catalog)
{
    struct run *run = &timed->run;
    *timed = (struct timed){.medians = NULL};
    if (!make_run(run, catalog))
        return false;
    uint64_t *numbers = malloc(run->count * sizeof(*numbers) + 1);
    timed->medians = malloc(run->count * sizeof(*timed->medians) + 1);
    bool made = numbers != NULL && timed->medians != NULL;
    for (uint32_t i = 0, end; made && i < run->count; i = end) {
        const struct item *item = &run->items[i];
        for (end = i + 1; end < run->count && run->items[end].content == item->content &&
                          run->items[end].order == item->order;)
            ++end;
        set_median(timed, i, end, numbers);
        made = (item->order > 0 || ws_id_map_put(&timed->by_content, item->content, i)) &&
               ws_id_map_put(&timed->pipelines, item->pipelines, 1);
        for (uint32_t j = i; made && j < end; ++j)
            made = ws_id_map_put(&timed->by_index, run->items[j].index, j);
    }
    free(numbers);
    return made;
}

/* The item of T with the content and order of `wanted` and the largest frame that is not after its; else the first one
 * of a later frame. NULL where there is none. */
static const struct item *find(const struct timed *timed, const struct item *wanted)
{
    uint32_t low = 0;
    uint32_t high = timed->run.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_over_frames(&timed->run.items[middle], wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct item *item = &timed->run.items[low];
    if (low > 0 && item[-1].content == wanted->content && item[-1].order == wanted->order)
        return item - 1;
    return low < timed->run.count && item->content == wanted->content && item->order == wanted->order ? item
                                                                                                      : NULL;
}

/* The time of a launch of R: `launch` is set up but for state and time. Counts how it was found, or why not. */
static void join_launch(const struct timed *timed, const struct item *item, struct ws_timed_launch *launch,
                        struct ws_times_join *join)
{
    const struct item *found = NULL;
    uint32_t place;
    launch->state = WS_TIME_TAKEN;
    if (ws_id_map_get(&timed->by_index, item->index, &place) &&
        timed->run.items[place].content == item->content && timed->run.items[place].known) {
        launch->nanoseconds = timed->run.items[place].nanoseconds;
        join->same++;
        return;
    }
    found = find(timed, item);
    if (found != NULL && found->frame == item->frame && found->known) {
        launch->nanoseconds = found->nanoseconds;
        join->same++;
        return;
    }
    if (found != NULL && timed->medians[found - timed->run.items] != UINT64_MAX) {
        launch->nanoseconds = timed->medians[found - timed->run.items];
        join->typical++;
        return;
    }
    launch->state = WS_TIME_NOT_JOINED;
    if (ws_id_map_get(&timed->by_content, item->content, &place))
        join->untimed++;
    else if (ws_id_map_get(&timed->pipelines, item->pipelines, &place))
        join->other++;
    else
        join->elsewhere++;
}

static int compare_index(const void *left, const void *right)
{
    const struct item *a = left;
    const struct item *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

static bool join_all(struct ws_catalog *catalog, const struct timed *timed, struct run *run,
                     struct ws_times *times)
{
    qsort(run->items, run->count, sizeof(*run->items), compare_index);
    for (uint32_t i = 0; i < run->count; ++i) {
        struct ws_timed_launch launch = {.launch = run->items[i].index};
        join_launch(timed, &run->items[i], &launch, times->join);
        if (!ws_times_add(catalog, times, &launch))
            return false;
    }
    return true;
}

bool ws_times_take(struct ws_catalog *catalog, const struct ws_catalog *timed_catalog, const char *path,
                   struct ws_error *error)
{
    struct ws_times times = {.instrumented = timed_catalog->times.instrumented};
    struct timed timed;
    struct run run = {NULL, 0};
    bool joined = timed_init(&timed, timed_catalog) && make_run(&run, catalog);
    times.join = calloc(1, sizeof(*times.join));
    if (times.join != NULL)
        times.join->path = strdup(path);
    joined =
        joined && times.join != NULL && times.join->path != NULL && join_all(catalog, &timed, &run, &times);
    timed_finish(&timed);
    free(run.items);
    if (!joined) {
        ws_times_finish(&times);
        return ws_error_set(error, "no memory for the times of '%s'", path);
    }
    times.join->launches = run.count;
    if (times.taken == 0 && run.count > 0) {
        const bool elsewhere = times.join->elsewhere == run.count;
        ws_times_finish(&times);
        return ws_error_set(error, "no launch of the capture is in '%s'%s", path,
                            elsewhere ? ": it is of another program, or of a build with other shaders"
                                      : " with the same kind, size, draws and label");
    }
    ws_times_finish(&catalog->times);
    catalog->times = times;
    return true;
}
