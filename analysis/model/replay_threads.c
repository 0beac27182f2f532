/* Threads and warps of one launch, numbered in the order in which they appear. */
#include <stdlib.h>
#include <string.h>

#include "analysis/model/replay_parts.h"

/* Flat ids up to this many have a word each, of which the system gives pages as they are used; launches that
 * are larger, or of unknown size, a slot of a hash map per thread that comes. */
#define DENSE_MAX (UINT64_C(1) << 26)

bool ws_stage_is_ray_tracing(uint32_t stage)
{
    return (stage & WS_STAGES_RAY_TRACING) != 0;
}

bool ws_stage_is_launched(uint32_t stage)
{
    return !ws_stage_is_ray_tracing(stage) || stage == WS_STAGE_RAYGEN;
}

bool ws_stage_has_workgroups(uint32_t stage)
{
    return stage == WS_STAGE_COMPUTE || stage == WS_STAGE_TASK || stage == WS_STAGE_MESH;
}

void ws_stage_work_words(uint32_t stage, uint32_t *per_warp, uint32_t *per_lane)
{
    const bool one = ws_stage_is_ray_tracing(stage) || ws_stage_has_workgroups(stage) ||
                     stage == WS_STAGE_TESSELLATION_EVALUATION;
    *per_warp = ws_stage_has_workgroups(stage) ? 3 : 0;
    *per_lane = one ? 1 : 2;
}

/* Threads of a ray tracing launch; 0 = not known. */
static uint64_t launch_threads(const struct ws_launch_record *launch)
{
    if (launch->kind != WS_LAUNCH_TRACE_RAYS)
        return 0;
    const uint64_t row = (uint64_t)launch->size[0] * launch->size[1];
    return row <= DENSE_MAX && row * launch->size[2] <= DENSE_MAX ? row * launch->size[2] : 0;
}

bool ws_threads_begin(struct ws_thread_table *table, const struct ws_launch_record *launch)
{
    const uint64_t threads = launch_threads(launch);
    table->count = 0;
    table->warp_count = 0;
    ws_id_map_finish(&table->sparse);
    free(table->dense);
    table->dense = threads > 0 ? calloc(threads, sizeof(*table->dense)) : NULL;
    table->dense_count = table->dense != NULL ? threads : 0;
    return table->dense != NULL || threads == 0;
}

void ws_threads_finish(struct ws_thread_table *table)
{
    free(table->threads);
    free(table->tops);
    free(table->dense);
    free(table->warp_lanes);
    free(table->warp_stages);
    free(table->warp_firsts);
    ws_id_map_finish(&table->sparse);
    memset(table, 0, sizeof(*table));
}

bool ws_threads_fit(const struct ws_thread_table *table)
{
    return table->capacity - table->count >= WS_REPLAY_LANES && table->warp_count < table->warp_capacity;
}

/* `*array` with room for `capacity` elements. */
static bool resize(void *array, uint32_t capacity, size_t size)
{
    void *before;
    memcpy(&before, array, sizeof(before));
    void *larger = realloc(before, capacity * size);
    if (larger != NULL)
        memcpy(array, &larger, sizeof(larger));
    return larger != NULL;
}

bool ws_threads_grow(struct ws_thread_table *table)
{
    if (table->capacity - table->count < WS_REPLAY_LANES) {
        const uint32_t capacity = table->capacity > 0 ? table->capacity * 2 : 32 * WS_REPLAY_LANES;
        if (capacity <= table->capacity || !resize(&table->threads, capacity, sizeof(*table->threads)) ||
            !resize(&table->tops, capacity, sizeof(*table->tops)))
            return false;
        table->capacity = capacity;
    }
    if (table->warp_count == table->warp_capacity) {
        const uint32_t capacity = table->warp_capacity > 0 ? table->warp_capacity * 2 : 1024;
        if (capacity <= table->warp_capacity || !resize(&table->warp_lanes, capacity, sizeof(uint32_t)) ||
            !resize(&table->warp_stages, capacity, sizeof(uint32_t)) ||
            !resize(&table->warp_firsts, capacity, sizeof(uint32_t)))
            return false;
        table->warp_capacity = capacity;
    }
    return true;
}

/* Notes where the thread of a ray's flat id is. */
static enum ws_add_result note_flat(struct ws_thread_table *table, uint32_t flat, uint32_t index)
{
    uint32_t before = WS_NONE;
    if (table->dense != NULL) {
        if (flat >= table->dense_count || table->dense[flat] != 0)
            return WS_ADD_BAD;
        table->dense[flat] = index + 1;
        return WS_ADD_DONE;
    }
    if (ws_id_map_get(&table->sparse, flat, &before))
        return WS_ADD_BAD;
    return ws_id_map_put(&table->sparse, flat, index) ? WS_ADD_DONE : WS_ADD_FAILED;
}

static void set_launch_id(uint32_t work[3], uint32_t flat, const uint32_t size[3])
{
    const bool known = size[0] > 0 && size[1] > 0;
    work[0] = known ? flat % size[0] : flat;
    work[1] = known ? flat / size[0] % size[1] : 0;
    work[2] = known ? flat / size[0] / size[1] : 0;
}

/* The same where the lane before is mostly the neighbour in the row, which spares the divisions. */
static void follow_launch_id(struct ws_thread *thread, uint32_t flat, uint32_t flat_before,
                             const uint32_t size[3], bool is_first)
{
    const struct ws_thread *before = thread - 1;
    if (is_first || flat != flat_before + 1 || before->work[0] + 1 >= size[0]) {
        set_launch_id(thread->work, flat, size);
        return;
    }
    thread->work[0] = before->work[0] + 1;
    thread->work[1] = before->work[1];
    thread->work[2] = before->work[2];
}

/* GlobalInvocationId = WorkgroupId * WorkgroupSize + LocalInvocationId (Vulkan specification, built-ins);
 * just WorkgroupId where the size is not known. */
static void set_global_id(uint32_t work[3], const uint32_t *group, uint32_t local, const uint32_t size[3])
{
    const bool known = size[0] > 0;
    work[0] = known ? group[0] * size[0] + local % size[0] : group[0];
    work[1] = known ? group[1] * size[1] + local / size[0] % size[1] : group[1];
    work[2] = known ? group[2] * size[2] + local / size[0] / size[1] : group[2];
}

static int compare_work(const struct ws_thread *a, const struct ws_thread *b)
{
    for (int i = 2; i >= 0; --i)
        if (a->work[i] != b->work[i])
            return a->work[i] < b->work[i] ? -1 : 1;
    return 0;
}

enum ws_add_result ws_threads_launch(struct ws_thread_table *table, const struct ws_launch_record *launch,
                                     const uint32_t local_size[3], struct ws_context *context,
                                     const uint32_t *per_warp, const uint32_t *per_lane, uint32_t stride)
{
    const uint32_t stage = context->stage;
    const uint32_t warp = table->warp_count;
    const uint32_t first = table->count;
    uint32_t lowest = first;
    uint32_t flat_before = 0;
    context->warp = warp;
    for (struct ws_lanes left = context->entered; ws_lanes_any(left); per_lane += stride) {
        const uint32_t lane = ws_lanes_take(&left);
        const uint32_t index = table->count;
        struct ws_thread *thread = &table->threads[index];
        *thread = (struct ws_thread){.warp = warp, .lane = lane};
        if (stage == WS_STAGE_RAYGEN) {
            const enum ws_add_result noted = note_flat(table, per_lane[0], index);
            if (noted != WS_ADD_DONE) {
                table->count = first;
                return noted;
            }
            follow_launch_id(thread, per_lane[0], flat_before, launch->size, index == first);
            flat_before = per_lane[0];
        } else if (ws_stage_has_workgroups(stage)) {
            set_global_id(thread->work, per_warp, per_lane[0], local_size);
        } else {
            thread->work[0] = per_lane[0];
            thread->work[1] = stage != WS_STAGE_TESSELLATION_EVALUATION ? per_lane[1] : 0;
        }
        table->tops[index] = NULL;
        context->threads[lane] = index;
        table->count++;
        if (compare_work(thread, &table->threads[lowest]) < 0)
            lowest = index;
    }
    table->warp_lanes[warp] = table->count - first;
    table->warp_stages[warp] = stage;
    table->warp_firsts[warp] = lowest;
    table->warp_count++;
    return WS_ADD_DONE;
}

struct ranked {
    uint32_t stage;
    uint32_t warp;
    const struct ws_thread *first;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    const int order = compare_work(a->first, b->first);
    if (order != 0)
        return order;
    return a->warp < b->warp ? -1 : a->warp > b->warp;
}

uint32_t *ws_threads_rank(const struct ws_thread_table *table)
{
    uint32_t *index = malloc(((size_t)table->warp_count + 1) * sizeof(*index));
    struct ranked *ranked = malloc(((size_t)table->warp_count + 1) * sizeof(*ranked));
    if (index == NULL || ranked == NULL) {
        free(index);
        free(ranked);
        return NULL;
    }
    for (uint32_t i = 0; i < table->warp_count; ++i)
        ranked[i] = (struct ranked){table->warp_stages[i], i, &table->threads[table->warp_firsts[i]]};
    qsort(ranked, table->warp_count, sizeof(*ranked), compare_ranked);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < table->warp_count; ++i) {
        rank = i > 0 && ranked[i].stage == ranked[i - 1].stage ? rank + 1 : 0;
        index[ranked[i].warp] = rank;
    }
    free(ranked);
    return index;
}
