/* A build of an acceleration structure on the device, as an occurrence: what it reads is copied where it is
 * recorded, and goes into the capture as BILD whenever it was executed. */
#ifndef WS_LAYER_RAY_TRACING_BUILD_H
#define WS_LAYER_RAY_TRACING_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/occurrence.h"
#include "layer/ray_tracing/geometry.h"

struct ws_build_input {
    uint64_t offset; /* of the copy behind the input's address */
    struct ws_copied_range copied;
};

struct ws_recorded_geometry {
    struct ws_geometry geometry;
    /* As the command gave it; of an indirect build the largest count, at no offset. */
    VkAccelerationStructureBuildRangeInfoKHR range;
    struct ws_build_input inputs[WS_INPUT_COUNT];
};

struct ws_build {
    struct ws_occurrence occurrence;
    uint32_t structure; /* ids in the capture */
    uint32_t source;
    uint32_t flags;                /* WS_BUILD_* */
    uint32_t build_flags;          /* VkBuildAccelerationStructureFlagsKHR */
    uint32_t stride;               /* of an indirect build's ranges */
    struct ws_copied_range ranges; /* likewise */
    uint32_t geometry_count;
    struct ws_recorded_geometry geometries[];
};

extern const struct ws_occurrence_kind ws_build_occurrence; /* build_executed.c */

/* Where the ranges of an indirect build are. */
struct ws_indirect_ranges {
    VkDeviceAddress address;
    uint32_t stride;
    const uint32_t *max_counts; /* of primitives, by geometry */
};

/* Describes a build of `ranges`, or of `indirect` ones (the other is NULL), and asks for its copies. NULL
 * when there is no memory. */
struct ws_build *ws_build_create(struct ws_device *device, struct ws_range_copies *copies,
                                 const VkAccelerationStructureBuildGeometryInfoKHR *info,
                                 const VkAccelerationStructureBuildRangeInfoKHR *ranges,
                                 const struct ws_indirect_ranges *indirect);

#endif
