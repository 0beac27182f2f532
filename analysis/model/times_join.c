#include "warpscope/model/times_join.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/model/catalog.h"
#include "warpscope/model/launch.h"
#include "warpscope/model/launch_content.h"
#include "warpscope/model/times.h"

void ws_times_join_destroy(struct ws_times_join *join)
{
    if (join == NULL)
        return;
    free(join->path);
    free(join);
}

/* A launch of the timed run. */
struct item {
    uint64_t place;
    uint64_t frame;
    uint64_t nanoseconds;
    bool known; /* it has a time */
};

/* What can be looked up of the timed run. */
struct timed {
    const struct ws_catalog *catalog;
    struct ws_launch_content *contents; /* of its launches */
    struct item *items;                 /* of its launches, sorted by place and frame */
    uint64_t *medians;                  /* of each item: over its place; UINT64_MAX = none there has a time */
    uint32_t count;
    struct ws_id_map by_place;       /* place -> its first item */
    struct ws_id_map known_contents; /* the content of some launch -> 1 */
    struct ws_id_map pipelines;      /* the pipelines of some launch -> 1 */
};

static void timed_finish(struct timed *timed)
{
    free(timed->contents);
    free(timed->items);
    free(timed->medians);
    ws_id_map_finish(&timed->by_place);
    ws_id_map_finish(&timed->known_contents);
    ws_id_map_finish(&timed->pipelines);
}

static int compare_items(const void *left, const void *right)
{
    const struct item *a = left;
    const struct item *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static int compare_numbers(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Sets the median of the items `first` to `end` - 1, which have the same place. `numbers` has room for them. */
static void set_median(struct timed *timed, uint32_t first, uint32_t end, uint64_t *numbers)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < end; ++i)
        if (timed->items[i].known)
            numbers[count++] = timed->items[i].nanoseconds;
    if (count > 0)
        qsort(numbers, count, sizeof(*numbers), compare_numbers);
    for (uint32_t i = first; i < end; ++i)
        timed->medians[i] = count > 0 ? numbers[(count - 1) / 2] : UINT64_MAX;
}

static bool set_medians(struct timed *timed)
{
    uint64_t *numbers = malloc(timed->count * sizeof(*numbers) + 1);
    bool made = numbers != NULL;
    for (uint32_t i = 0, end; made && i < timed->count; i = end) {
        for (end = i + 1; end < timed->count && timed->items[end].place == timed->items[i].place;)
            ++end;
        set_median(timed, i, end, numbers);
        made = ws_id_map_put(&timed->by_place, timed->items[i].place, i);
    }
    free(numbers);
    return made;
}

static bool timed_init(struct timed *timed, const struct ws_catalog *catalog)
{
    const struct ws_launch_table *table = &catalog->launches;
    *timed = (struct timed){.catalog = catalog, .count = table->count};
    timed->contents = ws_launch_contents(catalog, table);
    timed->items = malloc(table->count * sizeof(*timed->items) + 1);
    timed->medians = malloc(table->count * sizeof(*timed->medians) + 1);
    if (timed->contents == NULL || timed->items == NULL || timed->medians == NULL)
        return false;
    for (uint32_t i = 0; i < table->count; ++i) {
        struct item *item = &timed->items[i];
        *item =
            (struct item){.place = ws_launch_place(&timed->contents[i]), .frame = table->launches[i].frame};
        item->known = ws_times_launch(catalog, table->launches[i].index, &item->nanoseconds);
        if (!ws_id_map_put(&timed->known_contents, timed->contents[i].content, 1) ||
            !ws_id_map_put(&timed->pipelines, timed->contents[i].pipelines, 1))
            return false;
    }
    qsort(timed->items, timed->count, sizeof(*timed->items), compare_items);
    return set_medians(timed);
}

/* 1 of the header: the launch with the same number, if it has the same content. */
static bool find_number(const struct timed *timed, uint64_t index, const struct ws_launch_content *content,
                        uint64_t *nanoseconds)
{
    const struct ws_launch_table *table = &timed->catalog->launches;
    uint32_t launch;
    return ws_id_map_get(&table->by_index, index, &launch) &&
           timed->contents[launch].content == content->content &&
           ws_times_launch(timed->catalog, index, nanoseconds);
}

/* 2: the one of the same place and frame. `first` is the first item of the place. */
static bool find_frame(const struct timed *timed, uint32_t first, uint64_t frame, uint64_t *nanoseconds)
{
    const struct item wanted = {.place = timed->items[first].place, .frame = frame};
    const struct item *item =
        bsearch(&wanted, timed->items + first, timed->count - first, sizeof(wanted), compare_items);
    if (item == NULL || !item->known)
        return false;
    *nanoseconds = item->nanoseconds;
    return true;
}

/* The time of a launch of R: `launch` is set up but for state and time. Counts how it was found, or why not. */
static void join_launch(const struct timed *timed, const struct ws_launch_record *record,
                        const struct ws_launch_content *content, struct ws_timed_launch *launch,
                        struct ws_times_join *join)
{
    uint32_t first = 0;
    uint32_t ignored;
    const bool there = ws_id_map_get(&timed->by_place, ws_launch_place(content), &first);
    launch->state = WS_TIME_TAKEN;
    if (find_number(timed, record->index, content, &launch->nanoseconds) ||
        (there && find_frame(timed, first, record->frame, &launch->nanoseconds))) {
        join->same++;
        return;
    }
    if (there && timed->medians[first] != UINT64_MAX) {
        launch->nanoseconds = timed->medians[first];
        join->typical++;
        return;
    }
    launch->state = WS_TIME_NOT_JOINED;
    if (ws_id_map_get(&timed->known_contents, content->content, &ignored))
        join->untimed++;
    else if (ws_id_map_get(&timed->pipelines, content->pipelines, &ignored))
        join->other++;
    else
        join->elsewhere++;
}

/* Those of the catalog get times; `all` says what each is among all of R. */
static bool join_all(struct ws_catalog *catalog, const struct ws_launch_table *all, const struct timed *timed,
                     struct ws_times *times)
{
    struct ws_launch_content *contents = ws_launch_contents(catalog, all);
    bool joined = contents != NULL;
    for (uint32_t i = 0; joined && i < all->count; ++i) {
        struct ws_timed_launch launch = {.launch = all->launches[i].index};
        if (ws_catalog_launch(catalog, launch.launch) == NULL)
            continue;
        join_launch(timed, &all->launches[i], &contents[i], &launch, times->join);
        joined = ws_times_add(catalog, times, &launch);
    }
    times->join->launches = catalog->launches.count;
    free(contents);
    return joined;
}

bool ws_times_take(struct ws_catalog *catalog, const struct ws_launch_table *all,
                   const struct ws_catalog *timed_catalog, const char *path, struct ws_error *error)
{
    struct ws_times times = {.instrumented = timed_catalog->times.instrumented};
    struct timed timed;
    bool joined = timed_init(&timed, timed_catalog);
    times.join = calloc(1, sizeof(*times.join));
    if (times.join != NULL)
        times.join->path = strdup(path);
    joined =
        joined && times.join != NULL && times.join->path != NULL && join_all(catalog, all, &timed, &times);
    timed_finish(&timed);
    if (!joined) {
        ws_times_finish(&times);
        return ws_error_set(error, "no memory for the times of '%s'", path);
    }
    if (times.taken == 0 && times.join->launches > 0) {
        const bool elsewhere = times.join->elsewhere == times.join->launches;
        ws_times_finish(&times);
        return ws_error_set(
            error, "no launch of the capture is in '%s'%s", path,
            elsewhere ? ": it is of another program, or of a build with other shaders"
                      : " with the same kind, size, draws and label: record both with the same arguments");
    }
    ws_times_finish(&catalog->times);
    catalog->times = times;
    return true;
}
