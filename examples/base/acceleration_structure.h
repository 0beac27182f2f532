/* Acceleration structures: each call builds, waits until that is done, and keeps nothing of what it read. */
#ifndef WS_EXAMPLES_BASE_ACCELERATION_STRUCTURE_H
#define WS_EXAMPLES_BASE_ACCELERATION_STRUCTURE_H

#include "examples/base/memory.h"

/* Usage of every buffer that a build reads. */
#define WS_GPU_BUILD_INPUT                                                                                   \
    (VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR |                                  \
     VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT)

/* One geometry: indexed triangles, or boxes where `box_count` is not 0. */
struct ws_gpu_geometry {
    VkDeviceAddress vertices; /* three floats each, without padding */
    uint32_t vertex_count;
    VkDeviceAddress indices; /* three uint32_t a triangle */
    uint32_t triangle_count;
    VkDeviceAddress boxes; /* VkAabbPositionsKHR */
    uint32_t box_count;
    bool opaque; /* no any-hit shader runs */
};

struct ws_gpu_acceleration_structure {
    VkAccelerationStructureKHR handle;
    VkDeviceAddress address;
    struct ws_gpu_buffer storage;
};

/* Builds a bottom-level structure of `count` geometries, all of triangles or all of boxes. */
bool ws_gpu_bottom_level_init(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                              const struct ws_gpu_geometry *geometries, uint32_t count,
                              struct ws_error *error);

/* The same, with flags of one's own: what is to be updated or compacted needs the flag that allows it. */
bool ws_gpu_bottom_level_init_flags(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                                    const struct ws_gpu_geometry *geometries, uint32_t count,
                                    VkBuildAccelerationStructureFlagsKHR flags, struct ws_error *error);

/* Updates a structure in place. `flags` are those that it was built with; geometries differ from those that
 * it was built of in what their buffers hold alone. */
bool ws_gpu_bottom_level_update(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                                const struct ws_gpu_geometry *geometries, uint32_t count,
                                VkBuildAccelerationStructureFlagsKHR flags, struct ws_error *error);

/* Puts a compacted copy in the place of a bottom-level structure, which has another handle and address then.
 */
bool ws_gpu_acceleration_structure_compact(struct ws_gpu *gpu,
                                           struct ws_gpu_acceleration_structure *structure,
                                           struct ws_error *error);

/* Builds a top-level structure of `count` instances. */
bool ws_gpu_top_level_init(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                           const VkAccelerationStructureInstanceKHR *instances, uint32_t count,
                           struct ws_error *error);

/* Builds it anew in its place, of as many instances. */
bool ws_gpu_top_level_rebuild(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                              const VkAccelerationStructureInstanceKHR *instances, uint32_t count,
                              struct ws_error *error);

void ws_gpu_acceleration_structure_finish(struct ws_gpu *gpu,
                                          struct ws_gpu_acceleration_structure *structure);

/* An instance of a bottom-level structure: scaled, then turned by `angle` (radians) around y, then moved.
 * `index` is gl_InstanceCustomIndexEXT, `hit_group` the first of its groups in the table. */
VkAccelerationStructureInstanceKHR ws_gpu_instance(const struct ws_gpu_acceleration_structure *structure,
                                                   const float position[3], const float scale[3], float angle,
                                                   uint32_t index, uint32_t hit_group);

#endif
