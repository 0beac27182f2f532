/* Builds that were executed go into the capture. */
#include <stdlib.h>
#include <string.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/ray_tracing/build.h"
#include "layer/ray_tracing/build_instances.h"
#include "layer/ray_tracing/structure.h"
#include "layer/submit/submission.h"

/* A BILD chunk under construction. */
struct writing {
    struct ws_device *device;
    const struct ws_build *build;
    const struct ws_execution *execution;
    struct ws_build_geometry *geometries;
    bool later; /* something was read after the submission had ended */
};

/* What was copied of a span; where nothing was, or a part, `*reason` says why. */
static struct ws_input input_of(const struct writing *writing, const struct ws_build_input *recorded,
                                const struct ws_span *span, const char **reason)
{
    struct ws_input input = {0};
    const struct ws_copied_range *copied = &recorded->copied;
    const uint8_t *bytes = ws_execution_bytes(writing->execution, copied);
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

/* Which structures the instances refer to now. */
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
    const struct ws_build *build = writing->build;
    const uint32_t most = build->geometries[index].range.primitiveCount;
    const uint64_t at = (uint64_t)index * build->stride;
    const uint8_t *bytes = ws_execution_bytes(writing->execution, &build->ranges);
    if (bytes == NULL || at + sizeof(*range) > build->ranges.size)
        return false;
    memcpy(range, bytes + at, sizeof(*range));
    if (range->primitiveCount > most)
        range->primitiveCount = most;
    return true;
}

/* Puts the instances behind an array of pointers in its place; where some are missing, says why. */
static const char *follow_pointers(struct writing *writing, struct ws_input *input,
                                   struct ws_memory_range *instances)
{
    const char *missing = NULL;
    const uint64_t count = input->size / sizeof(VkDeviceAddress);
    const uint8_t *pointers = input->bytes;
    *input = (struct ws_input){0};
    if (count == 0 || !ws_build_fetch_instances(writing->device, pointers, count, instances, &missing))
        return missing;
    input->bytes = instances->mapped;
    input->size = count * sizeof(VkAccelerationStructureInstanceKHR);
    writing->later = true;
    return missing;
}

static void write_geometry(struct writing *writing, uint32_t index, const char **reason)
{
    const struct ws_recorded_geometry *recorded = &writing->build->geometries[index];
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
    for (uint32_t i = 0; i < WS_INPUT_COUNT; i++)
        inputs[i] = input_of(writing, &recorded->inputs[i], &spans[i], reason);
    const char *missing = NULL;
    if (recorded->geometry.pointers)
        missing = follow_pointers(writing, &inputs[WS_INPUT_DATA], &instances);
    ws_geometry_put(writing->device->capture, &recorded->geometry, &range, inputs, chunk);
    if (!known || missing != NULL)
        chunk->capture_flags |= WS_GEOMETRY_UNKNOWN;
    if (missing != NULL)
        *reason = missing;
    if (recorded->geometry.type == VK_GEOMETRY_TYPE_INSTANCES_KHR)
        resolve(writing, chunk, &inputs[WS_INPUT_DATA]);
    ws_heap_free(writing->device->readback, &instances);

    if (recorded->geometry.unknown != NULL)
        *reason = recorded->geometry.unknown;
    else if ((chunk->capture_flags & (WS_GEOMETRY_UNKNOWN | WS_GEOMETRY_CLIPPED)) == 0)
        *reason = recorded->geometry.without;
    else if (*reason == NULL)
        *reason = (chunk->capture_flags & WS_GEOMETRY_CLIPPED) != 0
                      ? "a range runs past the end of its buffer"
                      : "out of memory";
}

/* Geometries one after the other that miss something for the same reason are counted together. */
static void lose(const struct writing *writing, uint64_t *count, const char *reason)
{
    ws_submissions_lose_geometry(writing->device, writing->build->structure, *count, reason);
    *count = 0;
}

static void write_build(struct writing *writing)
{
    const struct ws_build *build = writing->build;
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
    };
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_write_build(device->capture->writer, &chunk, &error), &error);
}

static void executed(struct ws_device *device, const struct ws_occurrence *occurrence,
                     const struct ws_execution *execution)
{
    const struct ws_build *build = (const struct ws_build *)occurrence;
    struct writing writing = {.device = device, .build = build, .execution = execution};
    writing.geometries = calloc(build->geometry_count + (size_t)1, sizeof(*writing.geometries));
    if (writing.geometries != NULL && build->structure != WS_NONE)
        write_build(&writing);
    else
        ws_submissions_lose_geometry(device, build->structure, 1,
                                     writing.geometries == NULL
                                         ? "out of memory"
                                         : "a build of an acceleration structure that is not known");
    ws_structure_note_built(device, build->structure);
    for (uint32_t i = 0; writing.geometries != NULL && i < build->geometry_count; i++)
        free((uint32_t *)writing.geometries[i].references);
    free(writing.geometries);
}

static void destroy(struct ws_occurrence *occurrence)
{
    free(occurrence);
}

const struct ws_occurrence_kind ws_build_occurrence = {
    .always = true,
    .executed = executed,
    .destroy = destroy,
};
