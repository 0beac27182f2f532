/* Acceleration structures for tests, with what their builds on the device need. */
#ifndef WS_TESTS_DEVICE_BUILDING_H
#define WS_TESTS_DEVICE_BUILDING_H

#include "examples/base/acceleration_structure.h"
#include "tests/device/rig.h"

/* A device that builds structures. */
extern const struct rig_request building_request;

/* Geometries of one build, at most. */
#define BUILDING_GEOMETRIES 4

/* A structure with what its builds need. */
struct building {
    struct ws_gpu_acceleration_structure structure;
    struct ws_gpu_buffer scratch;
    VkAccelerationStructureBuildGeometryInfoKHR info;
};

/* What builds and shaders may read, with `data` in it. */
struct ws_gpu_buffer building_buffer(struct rig *rig, const void *data, VkDeviceSize size);

/* Plain triangles of three floats a vertex, without indices. */
VkAccelerationStructureGeometryKHR building_triangles(VkDeviceAddress vertices, uint32_t vertex_count);

/* Makes a structure of at most BUILDING_GEOMETRIES geometries, to be built into: `info` is as its build needs
 * it, and borrows the geometries. */
void building_init(struct rig *rig, struct building *target, VkAccelerationStructureTypeKHR type,
                   const VkAccelerationStructureGeometryKHR *geometries,
                   const VkAccelerationStructureBuildRangeInfoKHR *ranges, uint32_t count);

void building_finish(struct rig *rig, struct building *target);

void building_bottom_init(struct rig *rig, struct building *target,
                          const VkAccelerationStructureGeometryKHR *geometries,
                          const VkAccelerationStructureBuildRangeInfoKHR *ranges, uint32_t count);

/* Records the build. */
void building_build(VkCommandBuffer commands, const struct building *target,
                    const VkAccelerationStructureBuildRangeInfoKHR *ranges);

/* Records that everything waits for everything. */
void building_wait(VkCommandBuffer commands);

/* A command buffer that is being recorded; one that is submitted, and waited for; the end of the one and the
 * other. */
VkCommandBuffer building_begin(struct rig *rig);

void building_run(struct rig *rig, VkCommandBuffer commands);

void building_end(struct rig *rig, VkCommandBuffer commands);

/* An instance of it, with that custom index. */
VkAccelerationStructureInstanceKHR building_instance(const struct building *target, uint32_t custom);

/* The geometry of an array of instances. */
VkAccelerationStructureGeometryKHR building_instances(VkDeviceAddress address);

#endif
