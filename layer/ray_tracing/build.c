#include "layer/ray_tracing/build.h"

#include <stdlib.h>

#include "layer/core/device.h"
#include "layer/ray_tracing/structure.h"
#include "warpscope/capture.h"
#include "warpscope/instrument.h"

/* What an indirect build's offsets may come to and still be captured: nothing tells how far they go. */
#define INDIRECT_OFFSET ((uint64_t)16 << 20)

static const VkAccelerationStructureGeometryKHR *
geometry_of(const VkAccelerationStructureBuildGeometryInfoKHR *info, uint32_t index)
{
    return info->pGeometries != NULL ? &info->pGeometries[index] : info->ppGeometries[index];
}

static void ask(struct ws_recorded_geometry *recorded, struct ws_range_copies *copies, bool indirect)
{
    struct ws_span spans[WS_INPUT_COUNT];
    ws_geometry_spans(&recorded->geometry, &recorded->range, spans);
    for (uint32_t i = 0; i < WS_INPUT_COUNT; i++) {
        struct ws_build_input *input = &recorded->inputs[i];
        input->offset = spans[i].offset;
        if (spans[i].size > 0)
            ws_range_copy(copies,
                          ws_geometry_address(&recorded->geometry, (enum ws_geometry_input)i).deviceAddress +
                              spans[i].offset,
                          spans[i].size + (indirect ? INDIRECT_OFFSET : 0), &input->copied);
    }
}

struct ws_build *ws_build_create(struct ws_device *device, struct ws_range_copies *copies,
                                 const VkAccelerationStructureBuildGeometryInfoKHR *info,
                                 const VkAccelerationStructureBuildRangeInfoKHR *ranges,
                                 const struct ws_indirect_ranges *indirect)
{
    const uint32_t count = info->geometryCount;
    struct ws_build *build = calloc(1, sizeof(*build) + count * sizeof(build->geometries[0]));
    if (build == NULL)
        return NULL;
    ws_occurrence_init(&build->occurrence, &ws_build_occurrence);
    const bool update = info->mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
    build->structure = ws_structure_find(device, info->dstAccelerationStructure);
    build->source = update ? ws_structure_find(device, info->srcAccelerationStructure) : WS_NONE;
    build->flags = (update ? WS_BUILD_UPDATE : 0) | (indirect != NULL ? WS_BUILD_INDIRECT : 0);
    build->build_flags = info->flags;
    build->geometry_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct ws_recorded_geometry *recorded = &build->geometries[i];
        ws_geometry_init(&recorded->geometry, geometry_of(info, i), info->flags);
        if (indirect != NULL)
            recorded->range.primitiveCount = indirect->max_counts[i];
        else
            recorded->range = ranges[i];
        ask(recorded, copies, indirect != NULL);
        build->occurrence.later = build->occurrence.later || recorded->geometry.pointers;
    }
    if (indirect != NULL && count > 0) {
        build->stride = indirect->stride;
        ws_range_copy(copies, indirect->address, (uint64_t)(count - 1) * indirect->stride + sizeof(*ranges),
                      &build->ranges);
    }
    return build;
}
