#include "layer/commands/recording.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/barrier.h"
#include "layer/commands/labels.h"
#include "layer/commands/readback.h"
#include "layer/commands/stream_control.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "warpscope/base/array.h"

/* Bytes of the first chunk of results: enough for a handful of launches. */
#define CHUNK_MIN ((VkDeviceSize)16 << 10)
/* Chunks grow no larger than this; only one for a single larger copy is. */
#define CHUNK_MAX ((VkDeviceSize)16 << 20)

struct ws_recording *ws_recording_create(struct ws_device *device)
{
    struct ws_recording *recording = calloc(1, sizeof(*recording));
    if (recording == NULL)
        return NULL;
    recording->device = device;
    atomic_init(&recording->references, 1);
    return recording;
}

struct ws_recording *ws_recording_reference(struct ws_recording *recording)
{
    atomic_fetch_add(&recording->references, 1);
    return recording;
}

void ws_recording_release(struct ws_recording *recording)
{
    if (recording == NULL || atomic_fetch_sub(&recording->references, 1) != 1)
        return;
    for (uint32_t i = 0; i < recording->chunk_count; i++)
        ws_heap_free(recording->device->results, &recording->chunks[i].range);
    free(recording->chunks);
    for (uint32_t i = 0; i < recording->launch_count; i++)
        ws_recorded_launch_finish(&recording->launches[i]);
    free(recording->launches);
    for (uint32_t i = 0; i < recording->readback_count; i++)
        ws_readback_release(recording->readbacks[i].readback);
    free(recording->readbacks);
    recording->device->geometry_size -= recording->geometry;
    ws_timer_finish(&recording->timer, recording->device);
    ws_recorded_launch_finish(&recording->carried);
    free(recording);
}

bool ws_recorded_launch_init(struct ws_recorded_launch *launch, const struct ws_launch_command *command,
                             const struct ws_uses *uses, const char *outer, const char *inner)
{
    const size_t shaders_size = uses->shader_count * sizeof(struct ws_shader *);
    const size_t pipelines_size = uses->pipeline_count * sizeof(uint32_t);
    const size_t sets_size = uses->set_count * sizeof(struct ws_used_set);
    const size_t states_size = uses->state_count * sizeof(struct ws_used_state);
    char *memory =
        malloc(shaders_size + sets_size + states_size + pipelines_size + ws_labels_joined_size(outer, inner));
    if (memory == NULL)
        return false;
    *launch = (struct ws_recorded_launch){
        .command = *command,
        .memory = memory,
        .shaders = (struct ws_shader **)memory,
        .shader_count = uses->shader_count,
        .sets = (struct ws_used_set *)(memory + shaders_size),
        .set_count = uses->set_count,
        .states = (struct ws_used_state *)(memory + shaders_size + sets_size),
        .state_count = uses->state_count,
        .pipelines = (uint32_t *)(memory + shaders_size + sets_size + states_size),
        .pipeline_count = uses->pipeline_count,
        .label = memory + shaders_size + sets_size + states_size + pipelines_size,
        .records = ws_uses_record(uses->shaders, uses->shader_count),
        .lost = uses->failed,
    };
    for (uint32_t i = 0; i < uses->shader_count; i++)
        launch->shaders[i] = ws_shader_reference(uses->shaders[i]);
    if (pipelines_size > 0)
        memcpy(launch->pipelines, uses->pipelines, pipelines_size);
    if (sets_size > 0)
        memcpy(launch->sets, uses->sets, sets_size);
    for (uint32_t i = 0; i < uses->state_count; i++) {
        launch->states[i] = uses->states[i];
        if (launch->states[i].state != NULL)
            ws_bound_state_reference(launch->states[i].state);
    }
    ws_labels_join(outer, inner, launch->label);
    return true;
}

void ws_recorded_launch_finish(struct ws_recorded_launch *launch)
{
    for (uint32_t i = 0; i < launch->shader_count; i++)
        ws_shader_release(launch->shaders[i]);
    for (uint32_t i = 0; i < launch->state_count; i++)
        ws_bound_state_release(launch->states[i].state);
    free(launch->memory);
    *launch = (struct ws_recorded_launch){0};
}

void ws_recording_add(struct ws_recording *recording, struct ws_recorded_launch *launch)
{
    struct ws_recorded_launch *launches = ws_array_grow(recording->launches, &recording->launch_capacity,
                                                        recording->launch_count + 1, sizeof(*launches));
    if (launches == NULL) {
        ws_recorded_launch_finish(launch);
        recording->lost++;
        return;
    }
    recording->launches = launches;
    recording->records = recording->records || launch->records;
    recording->chooses = recording->chooses || launch->set_count > 0;
    launches[recording->launch_count++] = *launch;
}

static struct ws_results_chunk *add_chunk(struct ws_recording *recording, VkDeviceSize needed)
{
    struct ws_results_chunk *chunks = ws_array_grow(recording->chunks, &recording->chunk_capacity,
                                                    recording->chunk_count + 1, sizeof(*chunks));
    if (chunks == NULL)
        return NULL;
    recording->chunks = chunks;
    /* Each chunk is as large as all before it: a long recording has few. */
    VkDeviceSize size = recording->size < CHUNK_MIN ? CHUNK_MIN : recording->size;
    if (size > CHUNK_MAX)
        size = CHUNK_MAX;
    struct ws_results_chunk *chunk = &chunks[recording->chunk_count];
    *chunk = (struct ws_results_chunk){0};
    if (!ws_heap_allocate(recording->device->results, needed > size ? needed : size, &chunk->range, NULL))
        return NULL;
    recording->chunk_count++;
    return chunk;
}

/* Values of queries come behind, and are copied to a multiple of 8
 * (VUID-vkCmdCopyQueryPoolResults-flags-00823). */
bool ws_recording_reserve(struct ws_recording *recording, VkDeviceSize size, VkBuffer *buffer,
                          VkDeviceSize *offset, VkDeviceSize *position)
{
    size = (size + 7) / 8 * 8;
    struct ws_results_chunk *chunk =
        recording->chunk_count > 0 ? &recording->chunks[recording->chunk_count - 1] : NULL;
    if (chunk == NULL || chunk->range.size - chunk->used < size) {
        chunk = add_chunk(recording, size);
        if (chunk == NULL)
            return false;
    }
    *buffer = chunk->range.buffer;
    *offset = chunk->range.offset + chunk->used;
    *position = recording->size;
    chunk->used += size;
    recording->size += size;
    return true;
}

/* A small device's memory is needed by the application: the limit is no more than an eighth of it. */
static VkDeviceSize geometry_limit(const struct ws_device *device)
{
    const VkPhysicalDeviceMemoryProperties *memory = &device->properties.memory;
    uint32_t type;
    if (!ws_heap_type_choose(memory, UINT32_MAX, &ws_heap_results, &type))
        return 0;
    const VkDeviceSize part = memory->memoryHeaps[memory->memoryTypes[type].heapIndex].size / 8;
    return part < WS_GEOMETRY_LIMIT ? part : WS_GEOMETRY_LIMIT;
}

bool ws_recording_reserve_geometry(struct ws_recording *recording, VkDeviceSize size, VkBuffer *buffer,
                                   VkDeviceSize *offset, VkDeviceSize *position)
{
    struct ws_device *device = recording->device;
    const VkDeviceSize limit = geometry_limit(device);
    if (size > limit)
        return false;
    /* What is reserved next begins at a multiple of the alignment again. */
    size = (size + WS_MEMORY_ALIGNMENT - 1) / WS_MEMORY_ALIGNMENT * WS_MEMORY_ALIGNMENT;
    if (atomic_fetch_add(&device->geometry_size, size) + size > limit ||
        !ws_recording_reserve(recording, size, buffer, offset, position)) {
        device->geometry_size -= size;
        return false;
    }
    recording->geometry += size;
    return true;
}

/* Results in several chunks are no one piece. Values of queries are nowhere before they are copied. After a rendering that is
 * suspended there may be no barrier (VUID-VkSubmitInfo-pCommandBuffers-06015), and what may still come into an execution set
 * is copied by the submission in any case. */
void ws_recording_end(struct ws_recording *recording, VkCommandBuffer commands)
{
    recording->in_place = !recording->simultaneous && recording->chunk_count == 1 &&
                          recording->chunks[0].range.mapped != NULL && recording->size > 0 &&
                          ws_timer_size(&recording->timer) == 0 && !recording->chooses &&
                          !recording->resumes && !recording->suspends;
    if (recording->in_place && recording->records)
        ws_stream_show(recording->device, commands);
    else if (recording->in_place)
        ws_barrier(recording->device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                   VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

char *ws_recording_in_place(const struct ws_recording *recording)
{
    return recording->chunks[0].range.mapped;
}

VkDeviceSize ws_recording_results_size(const struct ws_recording *recording)
{
    return recording->size + ws_timer_size(&recording->timer);
}

VkDeviceSize ws_recording_time_position(const struct ws_recording *recording,
                                        const struct ws_recorded_launch *launch)
{
    return launch->time.position + (launch->time.queried ? recording->size : 0);
}

void ws_recording_copy_results(const struct ws_recording *recording, VkCommandBuffer commands,
                               VkBuffer target, VkDeviceSize offset)
{
    for (uint32_t i = 0; i < recording->chunk_count; i++) {
        const struct ws_results_chunk *chunk = &recording->chunks[i];
        const VkBufferCopy region = {
            .srcOffset = chunk->range.offset, .dstOffset = offset, .size = chunk->used};
        if (chunk->used > 0)
            recording->device->next.CmdCopyBuffer(commands, chunk->range.buffer, target, 1, &region);
        offset += chunk->used;
    }
    ws_timer_copy(&recording->timer, recording->device, commands, target, offset);
}

bool ws_recording_add_readback(struct ws_recording *recording, const struct ws_recorded_readback *readback)
{
    struct ws_recorded_readback *readbacks =
        ws_array_grow(recording->readbacks, &recording->readback_capacity, recording->readback_count + 1,
                      sizeof(*readbacks));
    if (readbacks == NULL) {
        ws_capture_skip(recording->device->capture,
                        readback->readback->type->image ? WS_SKIP_IMAGE : WS_SKIP_GEOMETRY, WS_NONE, WS_NONE,
                        WS_NONE, 1, "out of memory while commands were recorded");
        ws_readback_release(readback->readback);
        return false;
    }
    recording->readbacks = readbacks;
    recording->always = recording->always || readback->readback->type->always;
    recording->late_copies = recording->late_copies || readback->readback->late_copy;
    readbacks[recording->readback_count++] = *readback;
    return true;
}

uint32_t ws_recording_count_images(const struct ws_recording *recording)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < recording->readback_count; i++)
        count += recording->readbacks[i].readback->type->image;
    return count;
}

void ws_recording_add_readbacks(struct ws_recording *recording, const struct ws_recording *other,
                                VkDeviceSize position, bool lost)
{
    for (uint32_t i = 0; i < other->readback_count; i++) {
        struct ws_recorded_readback added = other->readbacks[i];
        ws_readback_reference(added.readback);
        added.before += recording->launch_count;
        added.position += position;
        added.lost = added.lost || lost;
        ws_recording_add_readback(recording, &added);
    }
}

void ws_recording_add_all(struct ws_recording *recording, const struct ws_recording *other,
                          const char *outer_label, VkDeviceSize position, bool lost)
{
    recording->lost += other->lost;
    ws_recording_add_readbacks(recording, other, position, lost);
    for (uint32_t i = 0; i < other->launch_count; i++) {
        const struct ws_recorded_launch *original = &other->launches[i];
        const struct ws_uses uses = {
            .pipelines = original->pipelines,
            .pipeline_count = original->pipeline_count,
            .shaders = original->shaders,
            .shader_count = original->shader_count,
            .sets = original->sets,
            .set_count = original->set_count,
            .states = original->states,
            .state_count = original->state_count,
            .failed = original->lost || lost,
        };
        struct ws_recorded_launch launch;
        if (!ws_recorded_launch_init(&launch, &original->command, &uses, outer_label, original->label)) {
            recording->lost++;
            continue;
        }
        launch.position = position + original->position;
        launch.time = original->time;
        launch.time.position = position + ws_recording_time_position(other, original);
        launch.time.queried = false;
        if (lost && launch.time.state == WS_TIME_TAKEN)
            launch.time.state = WS_TIME_NO_MEMORY;
        ws_recording_add(recording, &launch);
    }
}
