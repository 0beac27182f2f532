#include "layer/commands/uses.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/instrument.h"

/* Draws alternate between a few pipelines: looking back this far keeps most repetitions out at little cost.
 */
#define RECENT 8
/* Lists of this length lose their repetitions before they grow. */
#define SETTLE_AT 1024

static void release(struct ws_uses *uses)
{
    for (uint32_t i = 0; i < uses->held_count; i++)
        ws_shader_release(uses->held[i]);
    uses->held_count = 0;
    for (uint32_t i = 0; i < uses->state_count; i++)
        ws_bound_state_release(uses->states[i].state);
    uses->state_count = 0;
}

void ws_uses_finish(struct ws_uses *uses)
{
    release(uses);
    free(uses->held);
    free(uses->pipelines);
    free(uses->shaders);
    free(uses->sets);
    free(uses->states);
    *uses = (struct ws_uses){0};
}

void ws_uses_clear(struct ws_uses *uses)
{
    release(uses);
    uses->pipeline_count = 0;
    uses->shader_count = 0;
    uses->set_count = 0;
    uses->failed = false;
}

static bool reserve(struct ws_uses *uses, uint32_t pipeline_count, uint32_t shader_count)
{
    const bool full = uses->pipeline_count + pipeline_count > uses->pipeline_capacity ||
                      uses->shader_count + shader_count > uses->shader_capacity;
    if (full && uses->pipeline_count + uses->shader_count >= SETTLE_AT)
        ws_uses_settle(uses);
    uint32_t *pipelines = ws_array_grow(uses->pipelines, &uses->pipeline_capacity,
                                        uses->pipeline_count + pipeline_count, sizeof(*pipelines));
    if (pipelines == NULL)
        return false;
    uses->pipelines = pipelines;
    struct ws_shader **shaders = ws_array_grow(uses->shaders, &uses->shader_capacity,
                                               uses->shader_count + shader_count, sizeof(struct ws_shader *));
    if (shaders == NULL)
        return false;
    uses->shaders = shaders;
    return true;
}

void ws_uses_add(struct ws_uses *uses, const uint32_t *pipelines, uint32_t pipeline_count,
                 struct ws_shader *const *shaders, uint32_t shader_count)
{
    if (!reserve(uses, pipeline_count, shader_count)) {
        uses->failed = true;
        return;
    }
    for (uint32_t i = 0; i < pipeline_count; i++)
        uses->pipelines[uses->pipeline_count++] = pipelines[i];
    for (uint32_t i = 0; i < shader_count; i++)
        if (shaders[i]->row_count > 0)
            uses->shaders[uses->shader_count++] = shaders[i];
}

void ws_uses_add_pipeline(struct ws_uses *uses, const struct ws_pipeline *pipeline)
{
    for (uint32_t back = 1; back <= RECENT && back <= uses->pipeline_count; back++)
        if (uses->pipelines[uses->pipeline_count - back] == pipeline->capture_id)
            return;
    ws_uses_add(uses, &pipeline->capture_id, 1, pipeline->shaders, pipeline->shader_count);
}

void ws_uses_hold(struct ws_uses *uses, uint32_t pipeline, struct ws_shader *const *shaders,
                  uint32_t shader_count)
{
    struct ws_shader **held = ws_array_grow(uses->held, &uses->held_capacity,
                                            uses->held_count + shader_count + 1, sizeof(struct ws_shader *));
    if (held == NULL) {
        uses->failed = true;
        return;
    }
    uses->held = held;
    for (uint32_t i = 0; i < shader_count; i++)
        held[uses->held_count++] = ws_shader_reference(shaders[i]);
    ws_uses_add(uses, &pipeline, 1, shaders, shader_count);
}

bool ws_uses_has_set(const struct ws_uses *uses, const struct ws_used_set *set)
{
    for (uint32_t i = 0; i < uses->set_count; i++)
        if (uses->sets[i].handle == set->handle)
            return uses->sets[i].version == set->version;
    return false;
}

static bool has_set(struct ws_uses *uses, const struct ws_used_set *set)
{
    for (uint32_t i = 0; i < uses->set_count; i++) {
        if (uses->sets[i].handle != set->handle)
            continue;
        if (set->version < uses->sets[i].version)
            uses->sets[i].version = set->version;
        return true;
    }
    return false;
}

void ws_uses_add_sets(struct ws_uses *uses, const struct ws_used_set *sets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (has_set(uses, &sets[i]))
            continue;
        struct ws_used_set *grown =
            ws_array_grow(uses->sets, &uses->set_capacity, uses->set_count + 1, sizeof(*grown));
        if (grown == NULL) {
            uses->failed = true;
            return;
        }
        uses->sets = grown;
        grown[uses->set_count++] = sets[i];
    }
}

static bool has_state(const struct ws_uses *uses, const struct ws_used_state *state)
{
    for (uint32_t back = 1; back <= RECENT && back <= uses->state_count; back++) {
        const struct ws_used_state *recent = &uses->states[uses->state_count - back];
        if (recent->pipeline == state->pipeline && recent->state == state->state)
            return true;
    }
    return false;
}

/* Without memory it is not known what was bound, which costs no counts. */
void ws_uses_add_states(struct ws_uses *uses, const struct ws_used_state *states, uint32_t count)
{
    for (uint32_t i = 0; i < count && uses->state_count <= WS_BOUND_USES_MAX; i++) {
        if (has_state(uses, &states[i]))
            continue;
        struct ws_used_state *grown =
            ws_array_grow(uses->states, &uses->state_capacity, uses->state_count + 1, sizeof(*grown));
        if (grown == NULL)
            return;
        uses->states = grown;
        const bool full = uses->state_count == WS_BOUND_USES_MAX || states[i].state == NULL;
        grown[uses->state_count++] = (struct ws_used_state){
            .pipeline = full ? WS_NONE : states[i].pipeline,
            .state = full ? NULL : ws_bound_state_reference(states[i].state),
        };
    }
}

static int compare_ids(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static int compare_places(const void *left, const void *right)
{
    const struct ws_counters *a = &(*(struct ws_shader *const *)left)->counters;
    const struct ws_counters *b = &(*(struct ws_shader *const *)right)->counters;
    const uint64_t buffer_a = (uint64_t)a->buffer;
    const uint64_t buffer_b = (uint64_t)b->buffer;
    if (buffer_a != buffer_b)
        return buffer_a > buffer_b ? 1 : -1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

void ws_shaders_sort(struct ws_shader **shaders, uint32_t count)
{
    if (count > 1)
        qsort(shaders, count, sizeof(struct ws_shader *), compare_places);
}

void ws_uses_settle(struct ws_uses *uses)
{
    if (uses->pipeline_count > 1)
        qsort(uses->pipelines, uses->pipeline_count, sizeof(*uses->pipelines), compare_ids);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < uses->pipeline_count; i++)
        if (kept == 0 || uses->pipelines[kept - 1] != uses->pipelines[i])
            uses->pipelines[kept++] = uses->pipelines[i];
    uses->pipeline_count = kept;

    ws_shaders_sort(uses->shaders, uses->shader_count);
    kept = 0;
    for (uint32_t i = 0; i < uses->shader_count; i++)
        if (kept == 0 || uses->shaders[kept - 1] != uses->shaders[i])
            uses->shaders[kept++] = uses->shaders[i];
    uses->shader_count = kept;
}

bool ws_uses_next_run(struct ws_shader *const *shaders, uint32_t count, uint32_t *index, struct ws_run *run)
{
    if (*index >= count)
        return false;
    const struct ws_counters *first = &shaders[(*index)++]->counters;
    *run = (struct ws_run){.buffer = first->buffer, .offset = first->offset, .size = first->size};
    while (*index < count) {
        const struct ws_counters *next = &shaders[*index]->counters;
        if (next->buffer != run->buffer || next->offset != run->offset + run->size)
            break;
        run->size += next->size;
        (*index)++;
    }
    return true;
}

VkDeviceSize ws_uses_size(struct ws_shader *const *shaders, uint32_t count)
{
    VkDeviceSize size = 0;
    for (uint32_t i = 0; i < count; i++)
        size += shaders[i]->counters.size;
    return size;
}

bool ws_uses_record(struct ws_shader *const *shaders, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (shaders[i]->records)
            return true;
    return false;
}
