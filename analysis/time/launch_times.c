#include "analysis/time/launch_times.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/model/launch_content.h"

static uint64_t sum(uint64_t left, uint64_t right)
{
    return left > UINT64_MAX - right ? UINT64_MAX : left + right;
}

bool ws_time_sums_add(void *pointer, const void *more)
{
    struct ws_time_sums *to = pointer;
    const struct ws_time_sums *from = more;
    if (from->sample_count > 0) {
        uint32_t capacity = (uint32_t)to->sample_capacity;
        if (to->sample_count + from->sample_count > UINT32_MAX)
            return false;
        struct ws_time_sample *samples = ws_array_grow(
            to->samples, &capacity, (uint32_t)(to->sample_count + from->sample_count), sizeof(*samples));
        if (samples == NULL)
            return false;
        to->samples = samples;
        to->sample_capacity = capacity;
        memcpy(samples + to->sample_count, from->samples, from->sample_count * sizeof(*samples));
        to->sample_count += from->sample_count;
    }
    to->launches = sum(to->launches, from->launches);
    to->untimed = sum(to->untimed, from->untimed);
    to->nanoseconds = sum(to->nanoseconds, from->nanoseconds);
    to->interval = sum(to->interval, from->interval);
    return true;
}

void ws_time_sums_finish(void *pointer)
{
    struct ws_time_sums *sums = pointer;
    free(sums->samples);
}

static int compare_frames(const void *left, const void *right)
{
    const struct ws_time_sample *a = left;
    const struct ws_time_sample *b = right;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static int compare_times(const void *left, const void *right)
{
    const struct ws_time_sample *a = left;
    const struct ws_time_sample *b = right;
    return (a->nanoseconds > b->nanoseconds) - (a->nanoseconds < b->nanoseconds);
}

/* The samples are sorted here. */
static bool spread_of(struct ws_time_sample *samples, uint64_t count, struct ws_time_spread *spread)
{
    *spread = (struct ws_time_spread){.count = count};
    if (count == 0)
        return false;
    qsort(samples, count, sizeof(*samples), compare_times);
    spread->least = samples[0].nanoseconds;
    spread->median = samples[(count - 1) / 2].nanoseconds;
    spread->most = samples[count - 1].nanoseconds;
    return true;
}

/* A copy of the samples; NULL without memory, which shows no spread. */
static struct ws_time_sample *copy_samples(const struct ws_time_sums *sums)
{
    struct ws_time_sample *samples = malloc(sums->sample_count * sizeof(*samples) + 1);
    if (samples != NULL && sums->sample_count > 0)
        memcpy(samples, sums->samples, sums->sample_count * sizeof(*samples));
    return samples;
}

bool ws_time_spread_of_launches(const struct ws_time_sums *sums, struct ws_time_spread *spread)
{
    struct ws_time_sample *samples = copy_samples(sums);
    const bool known = samples != NULL && spread_of(samples, sums->sample_count, spread);
    free(samples);
    return known;
}

bool ws_time_spread_of_frames(const struct ws_time_sums *sums, struct ws_time_spread *spread)
{
    struct ws_time_sample *samples = copy_samples(sums);
    uint64_t count = 0;
    if (samples == NULL)
        return false;
    if (sums->sample_count > 0)
        qsort(samples, sums->sample_count, sizeof(*samples), compare_frames);
    for (uint64_t i = 0; i < sums->sample_count; ++i)
        if (count > 0 && samples[count - 1].frame == samples[i].frame)
            samples[count - 1].nanoseconds = sum(samples[count - 1].nanoseconds, samples[i].nanoseconds);
        else
            samples[count++] = samples[i];
    const bool known = spread_of(samples, count, spread);
    free(samples);
    return known;
}

/* Numbers for places, labels and frames, in the order in which they come. */
struct numbering {
    struct ws_id_map places;
    struct ws_id_map labels; /* by the address of the pool's text */
    struct ws_id_map frames;
};

static bool number_place(struct ws_launch_times *results, struct numbering *numbering,
                         const struct ws_launch_content *content, uint64_t launch, uint64_t *key)
{
    const uint64_t hash = results->one_frame ? content->content : ws_launch_place(content);
    uint32_t number = results->place_count;
    if (!ws_id_map_get(&numbering->places, hash, &number)) {
        struct ws_time_place *places = ws_array_grow(results->places, &results->place_capacity,
                                                     results->place_count + 1, sizeof(*places));
        if (places == NULL || !ws_id_map_put(&numbering->places, hash, number))
            return false;
        results->places = places;
        places[results->place_count++] = (struct ws_time_place){launch, content->order};
    }
    *key = number;
    return true;
}

static bool number_label(struct ws_launch_times *results, struct numbering *numbering, const char *label,
                         uint64_t *key)
{
    char *shown = malloc(strlen(label) + 1);
    if (shown == NULL)
        return false;
    ws_label_without_frame(label, shown);
    const char *text = ws_text_pool_add(&results->texts, shown);
    free(shown);
    uint32_t number = results->label_count;
    if (text == NULL)
        return false;
    if (!ws_id_map_get(&numbering->labels, (uintptr_t)text, &number)) {
        const char **labels = ws_array_grow(results->labels, &results->label_capacity,
                                            results->label_count + 1, sizeof(*labels));
        if (labels == NULL || !ws_id_map_put(&numbering->labels, (uintptr_t)text, number))
            return false;
        results->labels = labels;
        labels[results->label_count++] = text;
    }
    *key = number;
    return true;
}

/* The state of a launch, as an index of `states`; UINT32_MAX = no TIME chunk has it. */
static uint32_t state_of(const struct ws_times *times, uint64_t launch, const struct ws_timed_launch **timed)
{
    uint32_t place;
    *timed = NULL;
    if (!ws_id_map_get(&times->by_launch, launch, &place))
        return UINT32_MAX;
    *timed = &times->launches[place];
    if ((*timed)->state == WS_TIME_BACKWARDS)
        return 6;
    if ((*timed)->state == WS_TIME_NOT_JOINED)
        return 7;
    return (*timed)->state <= WS_TIME_NO_MEMORY ? (*timed)->state : WS_TIME_NO_MEMORY;
}

static bool add_launch(struct ws_launch_times *results, struct numbering *numbering,
                       const struct ws_launch_record *launch, const struct ws_launch_content *content)
{
    const struct ws_times *times = &results->catalog->times;
    const struct ws_timed_launch *timed;
    const uint32_t state = state_of(times, launch->index, &timed);
    const bool taken = state == WS_TIME_TAKEN;
    struct ws_time_sample sample = {launch->frame, taken ? timed->nanoseconds : 0};
    const struct ws_time_sums sums = {
        .launches = 1,
        .untimed = !taken,
        .nanoseconds = sample.nanoseconds,
        .samples = &sample,
        .sample_count = taken,
    };
    const bool several = launch->pipeline == WS_NONE && launch->pipeline_count > 1;
    uint64_t keys[WS_TIME_DIMENSIONS] = {
        [WS_TIME_LAUNCH] = launch->index,
        [WS_TIME_PIPELINE] = ws_key_pipeline(several ? WS_PIPELINE_SEVERAL : launch->pipeline),
        [WS_TIME_FRAME] = launch->frame,
        [WS_TIME_QUEUE] = timed != NULL && times->queue_count > 0 ? timed->queue : WS_KEY_NONE,
    };
    *(state == UINT32_MAX ? &results->absent : &results->states[state]) += 1;
    return (!taken || ws_id_map_put(&numbering->frames, launch->frame, 1)) &&
           number_place(results, numbering, content, launch->index, &keys[WS_TIME_PLACE]) &&
           number_label(results, numbering, launch->label, &keys[WS_TIME_LABEL]) &&
           ws_groups_add(results->groups, keys, &sums);
}

/* The launches of a frame on one queue, from the first to the last. */
struct interval {
    uint64_t frame;
    uint64_t begin;
    uint64_t end;
    uint32_t queue;
};

static int compare_intervals(const void *left, const void *right)
{
    const struct interval *a = left;
    const struct interval *b = right;
    if (a->queue != b->queue)
        return a->queue < b->queue ? -1 : 1;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static bool add_interval(struct ws_launch_times *results, const struct interval *interval)
{
    const struct ws_time_sums sums = {.interval = interval->end - interval->begin};
    uint64_t keys[WS_TIME_DIMENSIONS];
    for (uint32_t i = 0; i < WS_TIME_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    keys[WS_TIME_FRAME] = interval->frame;
    keys[WS_TIME_QUEUE] = interval->queue;
    return ws_groups_add(results->groups, keys, &sums);
}

static bool add_intervals(struct ws_launch_times *results)
{
    const struct ws_times *times = &results->catalog->times;
    struct interval *intervals = malloc(times->count * sizeof(*intervals) + 1);
    uint32_t count = 0;
    bool added = intervals != NULL;
    for (uint32_t i = 0; added && i < times->count; ++i) {
        const struct ws_timed_launch *timed = &times->launches[i];
        if (timed->state == WS_TIME_TAKEN)
            intervals[count++] =
                (struct interval){ws_catalog_launch(results->catalog, timed->launch)->frame, timed->begin,
                                  sum(timed->begin, timed->nanoseconds), timed->queue};
    }
    if (count > 0)
        qsort(intervals, count, sizeof(*intervals), compare_intervals);
    for (uint32_t i = 0, end; added && i < count; i = end) {
        struct interval whole = intervals[i];
        for (end = i + 1; end < count && compare_intervals(&intervals[i], &intervals[end]) == 0; ++end) {
            whole.begin = intervals[end].begin < whole.begin ? intervals[end].begin : whole.begin;
            whole.end = intervals[end].end > whole.end ? intervals[end].end : whole.end;
        }
        added = add_interval(results, &whole);
    }
    free(intervals);
    return added;
}

static bool has_one_frame(const struct ws_launch_table *table)
{
    for (uint32_t i = 1; i < table->count; ++i)
        if (table->launches[i].frame != table->launches[0].frame)
            return false;
    return true;
}

bool ws_launch_times_collect(struct ws_launch_times *results, struct ws_error *error)
{
    const struct ws_launch_table *table = &results->catalog->launches;
    struct numbering numbering = {.places = {NULL}};
    struct ws_launch_content *contents = ws_launch_contents(results->catalog, table);
    bool added = contents != NULL;
    results->one_frame = has_one_frame(table);
    for (uint32_t i = 0; added && i < table->count; ++i)
        added = add_launch(results, &numbering, &table->launches[i], &contents[i]);
    /* Of joined times nobody knows when they began. */
    if (added && ws_times_joined(results->catalog) == NULL)
        added = add_intervals(results);
    results->frames = numbering.frames.count;
    ws_id_map_finish(&numbering.places);
    ws_id_map_finish(&numbering.labels);
    ws_id_map_finish(&numbering.frames);
    free(contents);
    return added || ws_error_set(error, "no memory for the times of the capture");
}
