#include "warpscope/model/times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/launch.h"
#include "warpscope/model/times_join.h"

#define FEMTOSECONDS 1000000u /* of a nanosecond */

static uint64_t sum(uint64_t left, uint64_t right)
{
    return left > UINT64_MAX - right ? UINT64_MAX : left + right;
}

uint64_t ws_ticks_to_nanoseconds(uint64_t ticks, uint64_t period)
{
    /* In two parts, since the product of both numbers needs more than 64 bits. */
    uint64_t whole, part;
    if (__builtin_mul_overflow(ticks / FEMTOSECONDS, period, &whole) ||
        __builtin_mul_overflow(ticks % FEMTOSECONDS, period, &part))
        return UINT64_MAX;
    return sum(whole, part / FEMTOSECONDS + (part % FEMTOSECONDS >= FEMTOSECONDS / 2));
}

void ws_times_finish(struct ws_times *times)
{
    ws_id_map_finish(&times->by_launch);
    ws_id_map_finish(&times->by_queue);
    free(times->launches);
    free(times->queues);
    free(times->pipelines);
    ws_times_join_destroy(times->join);
    memset(times, 0, sizeof(*times));
}

/* Adds to the pipeline that a launch used alone. */
static bool add_to_pipeline(struct ws_times *times, uint32_t pipeline, uint64_t nanoseconds)
{
    uint64_t *pipelines =
        ws_array_grow(times->pipelines, &times->pipeline_capacity, pipeline + 1, sizeof(*pipelines));
    if (pipelines == NULL)
        return false;
    times->pipelines = pipelines;
    while (times->pipeline_count <= pipeline)
        pipelines[times->pipeline_count++] = UINT64_MAX;
    pipelines[pipeline] =
        pipelines[pipeline] == UINT64_MAX ? nanoseconds : sum(pipelines[pipeline], nanoseconds);
    return true;
}

bool ws_times_add(struct ws_catalog *catalog, struct ws_times *times, const struct ws_timed_launch *launch)
{
    const struct ws_launch_record *record = ws_catalog_launch(catalog, launch->launch);
    uint32_t place;
    if (record == NULL || ws_id_map_get(&times->by_launch, launch->launch, &place))
        return true;
    struct ws_timed_launch *launches =
        ws_array_grow(times->launches, &times->capacity, times->count + 1, sizeof(*launches));
    if (launches == NULL)
        return false;
    times->launches = launches;
    launches[times->count] = *launch;
    if (!ws_id_map_put(&times->by_launch, launch->launch, times->count))
        return false;
    times->count++;
    if (launch->state != WS_TIME_TAKEN)
        return true;
    times->taken++;
    times->total = sum(times->total, launch->nanoseconds);
    return record->pipeline == WS_NONE || add_to_pipeline(times, record->pipeline, launch->nanoseconds);
}

/* The number of the chunk's queue, made when it is new; WS_NONE without memory. */
static uint32_t find_queue(struct ws_times *times, const struct ws_catalog *catalog,
                           const struct ws_chunk_times *chunk)
{
    const uint32_t device = ws_catalog_device(catalog, chunk->device);
    const uint64_t key = (uint64_t)device << 32 | (chunk->queue_family << 16 ^ chunk->queue_index);
    uint32_t number;
    if (ws_id_map_get(&times->by_queue, key, &number))
        return number;
    struct ws_timed_queue *queues =
        ws_array_grow(times->queues, &times->queue_capacity, times->queue_count + 1, sizeof(*queues));
    if (queues == NULL)
        return WS_NONE;
    times->queues = queues;
    queues[times->queue_count] = (struct ws_timed_queue){
        .device = device,
        .family = chunk->queue_family,
        .index = chunk->queue_index,
        .valid_bits = chunk->valid_bits,
    };
    if (!ws_id_map_put(&times->by_queue, key, times->queue_count))
        return WS_NONE;
    return times->queue_count++;
}

/* Of the counter's bits only the lowest `valid_bits` count, and it wraps around (the specification, "Timestamp
 * Queries"). So a difference is one modulo 2 to the power of that. */
static uint64_t mask_of(uint32_t valid_bits)
{
    return valid_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << valid_bits) - 1;
}

/* Where a launch begins since the first of its queue. The next launch that is given may begin a little before the one
 * before it: a difference of more than half of the counter's range means back. */
static uint64_t position_of(struct ws_timed_queue *queue, uint64_t begin, uint64_t mask, uint64_t period)
{
    const uint64_t forward = (begin - queue->last) & mask;
    if (!queue->begun)
        queue->position = 0;
    else if (forward <= mask / 2)
        queue->position = sum(queue->position, ws_ticks_to_nanoseconds(forward, period));
    else {
        const uint64_t back = ws_ticks_to_nanoseconds((queue->last - begin) & mask, period);
        queue->position = queue->position > back ? queue->position - back : 0;
    }
    queue->begun = true;
    queue->last = begin;
    return queue->position;
}

static struct ws_timed_launch make(struct ws_times *times, uint32_t number,
                                   const struct ws_chunk_times *chunk, const struct ws_launch_time *from)
{
    const uint64_t mask = mask_of(chunk->valid_bits);
    const uint64_t ticks = (from->end - from->begin) & mask;
    struct ws_timed_launch launch = {.launch = from->launch, .queue = number, .state = from->state};
    if (from->state != WS_TIME_TAKEN)
        return launch;
    if (ticks > mask / 2) {
        launch.state = WS_TIME_BACKWARDS;
        return launch;
    }
    launch.nanoseconds = ws_ticks_to_nanoseconds(ticks, chunk->period);
    launch.begin = position_of(&times->queues[number], from->begin, mask, chunk->period);
    return launch;
}

bool ws_times_record(struct ws_catalog *catalog, const struct ws_chunk_times *chunk)
{
    struct ws_times *times = &catalog->times;
    const uint32_t queue = find_queue(times, catalog, chunk);
    if (queue == WS_NONE)
        return false;
    for (uint32_t i = 0; i < chunk->launch_count; ++i) {
        const struct ws_timed_launch launch = make(times, queue, chunk, &chunk->launches[i]);
        if (!ws_times_add(catalog, times, &launch))
            return false;
    }
    return true;
}

bool ws_times_any(const struct ws_catalog *catalog)
{
    return catalog->times.taken > 0;
}

uint64_t ws_times_count(const struct ws_catalog *catalog)
{
    return catalog->times.taken;
}

uint64_t ws_times_total(const struct ws_catalog *catalog)
{
    return catalog->times.total;
}

double ws_times_share(const struct ws_catalog *catalog, uint64_t nanoseconds)
{
    const uint64_t total = catalog->times.total;
    return total > 0 ? (double)nanoseconds / (double)total : 0;
}

bool ws_times_launch(const struct ws_catalog *catalog, uint64_t launch, uint64_t *nanoseconds)
{
    const struct ws_times *times = &catalog->times;
    uint32_t place;
    *nanoseconds = 0;
    if (!ws_id_map_get(&times->by_launch, launch, &place) || times->launches[place].state != WS_TIME_TAKEN)
        return false;
    *nanoseconds = times->launches[place].nanoseconds;
    return true;
}

bool ws_times_pipeline(const struct ws_catalog *catalog, uint32_t pipeline, uint64_t *nanoseconds)
{
    const struct ws_times *times = &catalog->times;
    const bool known = pipeline < times->pipeline_count && times->pipelines[pipeline] != UINT64_MAX;
    *nanoseconds = known ? times->pipelines[pipeline] : 0;
    return known;
}

bool ws_times_label(const struct ws_catalog *catalog, const char *label, uint64_t *nanoseconds)
{
    const struct ws_times *times = &catalog->times;
    bool known = false;
    *nanoseconds = 0;
    for (uint32_t i = 0; i < times->count; ++i) {
        const struct ws_timed_launch *launch = &times->launches[i];
        const struct ws_launch_record *record = ws_catalog_launch(catalog, launch->launch);
        if (launch->state != WS_TIME_TAKEN || record == NULL || strcmp(record->label, label) != 0)
            continue;
        known = true;
        *nanoseconds = sum(*nanoseconds, launch->nanoseconds);
    }
    return known;
}

uint64_t *ws_times_of_shaders(const struct ws_catalog *catalog)
{
    const struct ws_times *times = &catalog->times;
    uint64_t *shaders = malloc(catalog->shader_count * sizeof(*shaders) + 1);
    uint32_t *latest =
        calloc((size_t)catalog->shader_count + 1, sizeof(*latest)); /* launch that was added, from 1 */
    if (shaders == NULL || latest == NULL) {
        free(shaders);
        free(latest);
        return NULL;
    }
    for (uint32_t i = 0; i < catalog->shader_count; ++i)
        shaders[i] = UINT64_MAX;
    for (uint32_t i = 0; i < times->count; ++i) {
        const struct ws_timed_launch *launch = &times->launches[i];
        const struct ws_launch_record *record = ws_catalog_launch(catalog, launch->launch);
        const uint32_t count = launch->state == WS_TIME_TAKEN && record != NULL ? record->pipeline_count : 0;
        for (uint32_t j = 0; j < count; ++j) {
            const struct ws_pipeline_record *pipeline = &catalog->pipelines[record->pipelines[j]];
            for (uint32_t k = 0; k < pipeline->shader_count; ++k) {
                const uint32_t shader = pipeline->shaders[k];
                if (latest[shader] == i + 1)
                    continue;
                latest[shader] = i + 1;
                shaders[shader] = shaders[shader] == UINT64_MAX ? launch->nanoseconds
                                                                : sum(shaders[shader], launch->nanoseconds);
            }
        }
    }
    free(latest);
    return shaders;
}

bool ws_times_are_instrumented(const struct ws_catalog *catalog)
{
    return catalog->times.instrumented;
}

const struct ws_times_join *ws_times_joined(const struct ws_catalog *catalog)
{
    return catalog->times.join;
}

const char *ws_time_text(double nanoseconds, char text[WS_TIME_TEXT])
{
    if (nanoseconds < 999.5)
        snprintf(text, WS_TIME_TEXT, "%.0f ns", nanoseconds);
    else if (nanoseconds < 999950)
        snprintf(text, WS_TIME_TEXT, "%.1f us", nanoseconds / 1e3);
    else if (nanoseconds < 999995000)
        snprintf(text, WS_TIME_TEXT, "%.2f ms", nanoseconds / 1e6);
    else
        snprintf(text, WS_TIME_TEXT, "%.3f s", nanoseconds / 1e9);
    return text;
}
