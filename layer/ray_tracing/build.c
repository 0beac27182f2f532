/* vkCmdBuildAccelerationStructures*: what a build reads goes into the capture, as a BILD chunk for each
 * execution.
 *
 * When the command is recorded, a readback (readback.h) is added with copies of the build's inputs: of
 * vertices, indices, transforms, indices of micromaps, AABBs and instances, and of an indirect build's ranges. When it has been
 * executed, the chunk is made of these copies. Instances may be given as an array of pointers, which only the
 * device knows: what they point to is copied late, when the submission has finished (late_copy.h). */
#include <stdlib.h>
#include <string.h>

#include "layer/commands/barrier.h"
#include "layer/commands/command_buffer.h"
#include "layer/commands/readback.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/memory/memory.h"
#include "layer/ray_tracing/buffer.h"
#include "layer/ray_tracing/geometry.h"
#include "layer/ray_tracing/micromap.h"
#include "layer/ray_tracing/range_copy.h"
#include "layer/ray_tracing/structure.h"
#include "layer/submit/command_source.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/queue.h"
#include "layer/submit/submission.h"
#include "warpscope/capture.h"
#include "warpscope/instrument.h"

struct build_input {
    uint64_t offset; /* where the copy begins, after the input's address */
    struct ws_copied_range copied;
};

struct recorded_geometry {
    struct ws_geometry geometry;
    /* As the command gave it. Of an indirect build: the largest count that the application allows, and
     * offsets of 0. */
    VkAccelerationStructureBuildRangeInfoKHR range;
    struct build_input inputs[WS_INPUT_COUNT];
    struct ws_micromap *micromap; /* with a reference; NULL = none is known */
};

struct build {
    struct ws_readback readback;
    uint32_t structure;            /* id in the capture */
    uint32_t source;               /* id of the structure that an update begins with; WS_NONE = no update */
    uint32_t flags;                /* WS_BUILD_* */
    uint32_t build_flags;          /* VkBuildAccelerationStructureFlagsKHR */
    uint32_t stride;               /* of an indirect build's ranges */
    struct ws_copied_range ranges; /* of an indirect build */
    uint32_t geometry_count;
    struct recorded_geometry geometries[];
};

#define INSTANCE_SIZE ((VkDeviceSize)sizeof(VkAccelerationStructureInstanceKHR))

/* The buffer that holds instance `index`, to which an array of pointers leads. */
static bool find_instance(struct ws_device *device, const uint8_t *pointers, uint64_t index,
                          struct ws_buffer_range *found)
{
    VkDeviceAddress address;
    memcpy(&address, pointers + index * sizeof(address), sizeof(address));
    return ws_buffers_find(device->buffers, address, found) && found->reason == NULL &&
           found->size >= INSTANCE_SIZE;
}

static void record_instances(struct ws_device *device, VkCommandBuffer commands, const uint8_t *pointers,
                             uint64_t count, const struct ws_memory_range *target)
{
    ws_barrier(device, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
               VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    for (uint64_t i = 0; i < count; i++) {
        struct ws_buffer_range found;
        if (!find_instance(device, pointers, i, &found))
            continue;
        const VkBufferCopy region = {.srcOffset = found.offset,
                                     .dstOffset = target->offset + i * INSTANCE_SIZE,
                                     .size = INSTANCE_SIZE};
        device->next.CmdCopyBuffer(commands, found.buffer, target->buffer, 1, &region);
    }
    /* The fence that is waited for covers device access only: for the host a dependency to its stage is
     * needed (the specification, "Fences"). */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

/* Copies them to `instances`; where some are missing `*reason` says why. The buffers are held meanwhile: the
 * application knows nothing of this copy and may be about to destroy them. */
static bool copy_instances(struct ws_device *device, struct ws_queue *queue, const uint8_t *pointers,
                           uint64_t count, const struct ws_memory_range *instances, const char **reason)
{
    struct ws_buffer_range found;
    VkCommandBuffer commands = ws_command_source_begin(device, queue->family);
    if (commands == VK_NULL_HANDLE)
        return false;
    record_instances(device, commands, pointers, count, instances);
    if (!ws_late_copy_run(device, queue, commands))
        return false;
    *reason = NULL;
    for (uint64_t i = 0; i < count && *reason == NULL; i++)
        if (!find_instance(device, pointers, i, &found))
            *reason = "no buffer is known at a pointer to an instance";
    return true;
}

/* Copies the instances that `count` pointers (at least 1) lead to to `instances->mapped`, to be freed from
 * device->readback. Those that cannot be copied are zeroed, and `*reason` says why. False where none can be:
 * then nothing is to be freed. With the submission lock entered. */
static bool fetch_instances(struct ws_device *device, const uint8_t *pointers, uint64_t count,
                            struct ws_memory_range *instances, const char **reason)
{
    struct ws_queue *queue = ws_late_copies_given_up(device) ? NULL : ws_late_queue(device);
    *reason = "no queue was free to copy the instances behind pointers to the host";
    if (queue == NULL)
        return false;
    *reason = "no device memory for copies of geometry";
    if (!ws_heap_allocate(device->readback, count * INSTANCE_SIZE, instances, NULL))
        return false;
    memset(instances->mapped, 0, count * INSTANCE_SIZE);
    ws_buffers_hold(device->buffers);
    const bool copied = copy_instances(device, queue, pointers, count, instances, reason);
    ws_buffers_let_go(device->buffers);
    if (copied)
        return true;
    /* A copy that did not end may still write to this memory: it is not used again. */
    if (ws_late_copies_given_up(device))
        *instances = (struct ws_memory_range){0};
    else
        ws_heap_free(device->readback, instances);
    return false;
}

/* A BILD chunk under construction. */
struct writing {
    struct ws_device *device;
    const struct build *build;
    const struct ws_execution *execution;
    struct ws_build_geometry *geometries;
    struct ws_build_micromap *micromaps; /* room for one of each geometry */
    uint32_t micromap_count;
    struct ws_build_source *sources; /* likewise */
    uint32_t source_count;
    struct ws_micromap_content *contents; /* likewise */
    uint32_t content_count;
    bool later; /* something was read after the submission had ended */
};

/* The bytes that were copied of a span; where some are missing `*reason` says why. */
static struct ws_input input_of(const struct writing *writing, const struct build_input *recorded,
                                const struct ws_span *span, const char **reason)
{
    struct ws_input input = {0};
    const struct ws_copied_range *copied = &recorded->copied;
    const uint8_t *bytes = ws_copied_range_bytes(copied, writing->execution);
    if (span->size == 0)
        return input;
    if (bytes == NULL)
        *reason =
            copied->reason != NULL ? copied->reason : "the copies of a command buffer's geometry are lost";
    if (bytes == NULL || span->offset < recorded->offset)
        return input;
    const uint64_t skipped = span->offset - recorded->offset;
    if (skipped >= copied->size) {
        *reason = "an indirect build's offset leads past what was copied";
        return input;
    }
    input.bytes = bytes + skipped;
    input.size = copied->size - skipped < span->size ? copied->size - skipped : span->size;
    return input;
}

/* Puts the ids of the structures that the instances refer to, by their addresses, into the chunk. */
static void resolve(struct writing *writing, struct ws_build_geometry *chunk,
                    const struct ws_input *instances)
{
    const uint64_t size = sizeof(VkAccelerationStructureInstanceKHR);
    const uint64_t count = instances->bytes != NULL ? instances->size / size : 0;
    uint32_t *references = count > 0 ? malloc(count * sizeof(*references)) : NULL;
    if (references == NULL)
        return;
    for (uint64_t i = 0; i < count; i++) {
        VkAccelerationStructureInstanceKHR instance;
        memcpy(&instance, instances->bytes + i * size, size);
        references[i] = ws_structure_at_address(writing->device, instance.accelerationStructureReference);
    }
    chunk->references = references;
    chunk->reference_count = (uint32_t)count;
}

/* The range of an indirect build, as the device read it. False when it is not known. */
static bool read_range(const struct writing *writing, uint32_t index,
                       VkAccelerationStructureBuildRangeInfoKHR *range)
{
    const struct build *build = writing->build;
    const uint32_t most = build->geometries[index].range.primitiveCount;
    const uint64_t at = (uint64_t)index * build->stride;
    const uint8_t *bytes = ws_copied_range_bytes(&build->ranges, writing->execution);
    if (bytes == NULL || at + sizeof(*range) > build->ranges.size)
        return false;
    memcpy(range, bytes + at, sizeof(*range));
    if (range->primitiveCount > most)
        range->primitiveCount = most;
    return true;
}

/* Replaces an array of pointers in `input` by the instances that they lead to. Returns why some are missing;
 * NULL = none is. */
static const char *follow_pointers(struct writing *writing, struct ws_input *input,
                                   struct ws_memory_range *instances)
{
    const char *missing = NULL;
    const uint64_t count = input->size / sizeof(VkDeviceAddress);
    const uint8_t *pointers = input->bytes;
    *input = (struct ws_input){0};
    if (count == 0 || !fetch_instances(writing->device, pointers, count, instances, &missing))
        return missing;
    input->bytes = instances->mapped;
    input->size = count * sizeof(VkAccelerationStructureInstanceKHR);
    writing->later = true;
    return missing;
}

/* Adds what the micromap object of a geometry holds. Returns why it is not known; NULL = it is. */
static const char *write_content(struct writing *writing, uint32_t index)
{
    struct ws_micromap_content *content = &writing->contents[writing->content_count];
    const char *reason = ws_micromap_get(writing->build->geometries[index].micromap, content);
    content->geometry = index;
    writing->content_count += reason == NULL;
    return reason;
}

/* Returns why something of the geometry's micromaps is missing; NULL = nothing is. */
static const char *write_micromap(struct writing *writing, uint32_t index,
                                  const VkAccelerationStructureBuildRangeInfoKHR *range,
                                  const struct ws_span *span)
{
    const struct recorded_geometry *recorded = &writing->build->geometries[index];
    const char *reason = NULL;
    if (!recorded->geometry.micromap)
        return NULL;
    struct ws_build_micromap *chunk = &writing->micromaps[writing->micromap_count++];
    const struct ws_input indices = input_of(writing, &recorded->inputs[WS_INPUT_MICROMAP], span, &reason);
    const bool whole =
        ws_geometry_put_micromap(writing->device->capture, &recorded->geometry, range, &indices, chunk);
    chunk->geometry = index;
    const char *unknown = recorded->geometry.micromap_object != 0 ? write_content(writing, index) : NULL;
    if (reason == NULL)
        reason = whole ? unknown : "indices of opacity micromaps run past the end of their buffer";
    return reason;
}

/* Keeps where a geometry lies, of one whose vertices or AABBs a shader may read too. */
static void keep_source(struct writing *writing, uint32_t index, struct ws_build_source source)
{
    const struct recorded_geometry *recorded = &writing->build->geometries[index];
    if (recorded->geometry.type == VK_GEOMETRY_TYPE_INSTANCES_KHR || source.size == 0)
        return;
    source.geometry = index;
    source.buffer = recorded->inputs[WS_INPUT_DATA].copied.source;
    if (source.index_size > 0)
        source.index_buffer = recorded->inputs[WS_INPUT_INDICES].copied.source;
    writing->sources[writing->source_count++] = source;
}

static void write_geometry(struct writing *writing, uint32_t index, const char **reason)
{
    const struct recorded_geometry *recorded = &writing->build->geometries[index];
    struct ws_build_geometry *chunk = &writing->geometries[index];
    VkAccelerationStructureBuildRangeInfoKHR range = recorded->range;
    struct ws_span spans[WS_INPUT_COUNT];
    struct ws_input inputs[WS_INPUT_COUNT];
    struct ws_memory_range instances = {0};
    const bool known = (writing->build->flags & WS_BUILD_INDIRECT) == 0 || read_range(writing, index, &range);
    if (!known) {
        range.primitiveCount = 0;
        *reason = "the ranges of an indirect build are not known";
    }
    ws_geometry_spans(&recorded->geometry, &range, spans);
    for (uint32_t i = 0; i < WS_INPUT_MICROMAP; i++)
        inputs[i] = input_of(writing, &recorded->inputs[i], &spans[i], reason);
    const char *missing = NULL;
    if (recorded->geometry.pointers)
        missing = follow_pointers(writing, &inputs[WS_INPUT_DATA], &instances);
    struct ws_build_source source;
    ws_geometry_put(writing->device->capture, &recorded->geometry, &range, inputs, chunk, &source);
    keep_source(writing, index, source);
    if (!known || missing != NULL)
        chunk->capture_flags |= WS_GEOMETRY_UNKNOWN;
    if (missing != NULL)
        *reason = missing;
    if (recorded->geometry.type == VK_GEOMETRY_TYPE_INSTANCES_KHR)
        resolve(writing, chunk, &inputs[WS_INPUT_DATA]);
    ws_heap_free(writing->device->readback, &instances);
    const char *without = write_micromap(writing, index, &range, &spans[WS_INPUT_MICROMAP]);

    if (recorded->geometry.unknown != NULL)
        *reason = recorded->geometry.unknown;
    else if ((chunk->capture_flags & (WS_GEOMETRY_UNKNOWN | WS_GEOMETRY_CLIPPED)) == 0)
        *reason = without != NULL ? without : recorded->geometry.without;
    else if (*reason == NULL)
        *reason = (chunk->capture_flags & WS_GEOMETRY_CLIPPED) != 0
                      ? "a range runs past the end of its buffer"
                      : "out of memory";
}

/* Successive geometries that lack something for the same reason are counted as one loss. */
static void lose(const struct writing *writing, uint64_t *count, const char *reason)
{
    ws_lose_geometry(writing->device, writing->build->structure, *count, reason);
    *count = 0;
}

static void write_build(struct writing *writing)
{
    const struct build *build = writing->build;
    struct ws_device *device = writing->device;
    const char *last = NULL;
    uint64_t lost = 0;
    for (uint32_t i = 0; i < build->geometry_count; i++) {
        const char *reason = NULL;
        write_geometry(writing, i, &reason);
        if (reason != last)
            lose(writing, &lost, last);
        last = reason;
        lost += reason != NULL;
    }
    lose(writing, &lost, last);
    const struct ws_chunk_build chunk = {
        .structure = build->structure,
        .moment = writing->execution->moment,
        .flags = build->flags | (writing->later ? WS_BUILD_LATER : 0),
        .build_flags = build->build_flags,
        .source = build->source,
        .geometries = writing->geometries,
        .geometry_count = build->geometry_count,
        .micromaps = writing->micromaps,
        .micromap_count = writing->micromap_count,
        .sources = writing->sources,
        .source_count = writing->source_count,
        .contents = writing->contents,
        .content_count = writing->content_count,
    };
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_write_build(device->capture->writer, &chunk, &error), &error);
}

static void write(struct ws_device *device, const struct ws_readback *readback,
                  const struct ws_execution *execution)
{
    const struct build *build = (const struct build *)readback;
    struct writing writing = {.device = device, .build = build, .execution = execution};
    writing.geometries = calloc(build->geometry_count + (size_t)1, sizeof(*writing.geometries));
    writing.micromaps = calloc(build->geometry_count + (size_t)1, sizeof(*writing.micromaps));
    writing.sources = calloc(build->geometry_count + (size_t)1, sizeof(*writing.sources));
    writing.contents = calloc(build->geometry_count + (size_t)1, sizeof(*writing.contents));
    const bool memory = writing.geometries != NULL && writing.micromaps != NULL && writing.sources != NULL &&
                        writing.contents != NULL;
    if (memory && build->structure != WS_NONE)
        write_build(&writing);
    else
        ws_lose_geometry(device, build->structure, 1,
                         !memory ? "out of memory"
                                 : "a build of an acceleration structure that is not known");
    ws_structure_note_built(device, build->structure);
    for (uint32_t i = 0; writing.geometries != NULL && i < build->geometry_count; i++)
        free((uint32_t *)writing.geometries[i].references);
    free(writing.geometries);
    free(writing.micromaps);
    free(writing.sources);
    free(writing.contents);
}

static void destroy(struct ws_readback *readback)
{
    struct build *build = (struct build *)readback;
    for (uint32_t i = 0; i < build->geometry_count; i++) {
        ws_geometry_finish(&build->geometries[i].geometry);
        ws_micromap_release(build->geometries[i].micromap);
    }
    free(readback);
}

static const struct ws_readback_type kind = {
    .always = true,
    .write = write,
    .destroy = destroy,
};

/* Where the ranges of an indirect build are in device memory. */
struct indirect_ranges {
    VkDeviceAddress address;
    uint32_t stride;
    const uint32_t *max_counts; /* of primitives, by geometry */
};

/* How far after an input's address an indirect build's offsets may lead and still be captured: only the
 * device knows them when the copies are recorded. */
#define INDIRECT_OFFSET ((uint64_t)16 << 20)

static const VkAccelerationStructureGeometryKHR *
geometry_of(const VkAccelerationStructureBuildGeometryInfoKHR *info, uint32_t index)
{
    return info->pGeometries != NULL ? &info->pGeometries[index] : info->ppGeometries[index];
}

static void ask(struct recorded_geometry *recorded, struct ws_range_copies *copies, bool indirect)
{
    struct ws_span spans[WS_INPUT_COUNT];
    ws_geometry_spans(&recorded->geometry, &recorded->range, spans);
    for (uint32_t i = 0; i < WS_INPUT_COUNT; i++) {
        struct build_input *input = &recorded->inputs[i];
        input->offset = spans[i].offset;
        if (spans[i].size > 0)
            ws_range_copy(copies,
                          ws_geometry_address(&recorded->geometry, (enum ws_geometry_input)i).deviceAddress +
                              spans[i].offset,
                          spans[i].size + (indirect ? INDIRECT_OFFSET : 0), &input->copied);
    }
}

/* Describes a build of `ranges`, or of `indirect` ones (the other is NULL), and asks for copies of what it
 * reads. NULL when there is no memory. */
static struct build *create(struct ws_device *device, struct ws_range_copies *copies,
                            const VkAccelerationStructureBuildGeometryInfoKHR *info,
                            const VkAccelerationStructureBuildRangeInfoKHR *ranges,
                            const struct indirect_ranges *indirect)
{
    const uint32_t count = info->geometryCount;
    struct build *build = calloc(1, sizeof(*build) + count * sizeof(build->geometries[0]));
    if (build == NULL)
        return NULL;
    ws_readback_init(&build->readback, &kind);
    const bool update = info->mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
    build->structure = ws_structure_find(device, info->dstAccelerationStructure);
    build->source = update ? ws_structure_find(device, info->srcAccelerationStructure) : WS_NONE;
    build->flags = (update ? WS_BUILD_UPDATE : 0) | (indirect != NULL ? WS_BUILD_INDIRECT : 0);
    build->build_flags = info->flags;
    build->geometry_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct recorded_geometry *recorded = &build->geometries[i];
        ws_geometry_init(&recorded->geometry, geometry_of(info, i), info->flags);
        recorded->micromap = ws_micromap_find(
            device, recorded->geometry.micromap_is_structure ? WS_MICROMAP_STRUCTURE : WS_MICROMAP_EXT,
            recorded->geometry.micromap_object);
        if (indirect != NULL)
            recorded->range.primitiveCount = indirect->max_counts[i];
        else
            recorded->range = ranges[i];
        ask(recorded, copies, indirect != NULL);
        build->readback.late_copy = build->readback.late_copy || recorded->geometry.pointers;
    }
    if (indirect != NULL && count > 0) {
        build->stride = indirect->stride;
        ws_range_copy(copies, indirect->address, (uint64_t)(count - 1) * indirect->stride + sizeof(*ranges),
                      &build->ranges);
    }
    return build;
}

static void skip(struct ws_command_buffer *commands, uint64_t count, const char *reason)
{
    if (count > 0)
        ws_capture_skip(commands->device->capture, WS_SKIP_GEOMETRY, WS_NONE, WS_NONE, WS_NONE, count,
                        reason);
}

/* Records the copies, before the command itself, and adds the readbacks. Without memory the build is counted
 * as skipped. */
static void record(struct ws_command_buffer *commands, uint32_t count,
                   const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                   const VkAccelerationStructureBuildRangeInfoKHR *const *ranges,
                   const struct indirect_ranges *indirect)
{
    struct ws_range_copies copies;
    if (!ws_readbacks_wanted(commands->device))
        return;
    struct build **builds = calloc(count, sizeof(struct build *));
    uint32_t made = 0;
    uint32_t micromaps = 0;
    /* Without memory too: these then hold what is not known, and no longer what they held before. */
    for (uint32_t i = 0; i < count; i++) {
        if (ws_geometry_is_micromap(&infos[i])) {
            ws_micromap_record_build(commands, &infos[i]);
            micromaps++;
        }
    }
    if (commands->recording == NULL || builds == NULL) {
        skip(commands, count, "out of memory while commands were recorded");
        free(builds);
        return;
    }
    ws_range_copies_begin(&copies, commands);
    for (uint32_t i = 0; i < count; i++) {
        if (ws_geometry_is_micromap(&infos[i]))
            continue;
        builds[made] = create(commands->device, &copies, &infos[i], ranges != NULL ? ranges[i] : NULL,
                              indirect != NULL ? &indirect[i] : NULL);
        if (builds[made] != NULL)
            made++;
    }
    ws_range_copies_end(&copies);
    for (uint32_t i = 0; i < made; i++)
        ws_readback_add(commands, &builds[i]->readback);
    skip(commands, count - micromaps - made, "out of memory while commands were recorded");
    free(builds);
}

static VKAPI_ATTR void VKAPI_CALL cmd_build(VkCommandBuffer handle, uint32_t count,
                                            const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                                            const VkAccelerationStructureBuildRangeInfoKHR *const *ranges)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    record(commands, count, infos, ranges, NULL);
    commands->device->next.CmdBuildAccelerationStructuresKHR(handle, count, infos, ranges);
}

static VKAPI_ATTR void VKAPI_CALL cmd_build_indirect(VkCommandBuffer handle, uint32_t count,
                                                     const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                                                     const VkDeviceAddress *addresses,
                                                     const uint32_t *strides,
                                                     const uint32_t *const *max_counts)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    struct indirect_ranges *indirect = calloc(count, sizeof(*indirect));
    for (uint32_t i = 0; indirect != NULL && i < count; i++)
        indirect[i] = (struct indirect_ranges){
            .address = addresses[i], .stride = strides[i], .max_counts = max_counts[i]};
    if (indirect != NULL)
        record(commands, count, infos, NULL, indirect);
    else
        skip(commands, count, "out of memory while commands were recorded");
    free(indirect);
    commands->device->next.CmdBuildAccelerationStructuresIndirectKHR(handle, count, infos, addresses, strides,
                                                                     max_counts);
}

static VKAPI_ATTR void VKAPI_CALL cmd_build_nv(VkCommandBuffer handle,
                                               const VkAccelerationStructureInfoNV *info, VkBuffer instances,
                                               VkDeviceSize offset, VkBool32 update,
                                               VkAccelerationStructureNV target,
                                               VkAccelerationStructureNV source, VkBuffer scratch,
                                               VkDeviceSize scratch_offset)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    skip(commands, 1, "builds of VK_NV_ray_tracing are not captured");
    commands->device->next.CmdBuildAccelerationStructureNV(handle, info, instances, offset, update, target,
                                                           source, scratch, scratch_offset);
}

static VKAPI_ATTR void VKAPI_CALL cmd_build_clusters(VkCommandBuffer handle,
                                                     const VkClusterAccelerationStructureCommandsInfoNV *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    skip(commands, 1, "builds of VK_NV_cluster_acceleration_structure are not captured");
    commands->device->next.CmdBuildClusterAccelerationStructureIndirectNV(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL
cmd_build_partitioned(VkCommandBuffer handle, const VkBuildPartitionedAccelerationStructureInfoNV *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    skip(commands, 1, "builds of VK_NV_partitioned_acceleration_structure are not captured");
    commands->device->next.CmdBuildPartitionedAccelerationStructuresNV(handle, info);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdBuildAccelerationStructuresKHR, cmd_build),
    WS_HOOK(CmdBuildAccelerationStructuresIndirectKHR, cmd_build_indirect),
    WS_HOOK(CmdBuildAccelerationStructureNV, cmd_build_nv),
    WS_HOOK(CmdBuildClusterAccelerationStructureIndirectNV, cmd_build_clusters),
    WS_HOOK(CmdBuildPartitionedAccelerationStructuresNV, cmd_build_partitioned),
    WS_HOOK_END,
};

const struct ws_interception ws_build_interception = {.hooks = hooks, .geometry = true};
