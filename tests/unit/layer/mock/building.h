/* Builds that a test records over the mock driver, of what lies in the application's buffer. */
#ifndef WS_TESTS_UNIT_LAYER_MOCK_BUILDING_H
#define WS_TESTS_UNIT_LAYER_MOCK_BUILDING_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/chunks.h"

/* Triangles whose vertices are at `vertices` and indices at `indices` of the buffer. */
VkAccelerationStructureGeometryKHR mock_triangles(VkDeviceSize vertices, VkDeviceSize stride,
                                                  VkIndexType type, VkDeviceSize indices,
                                                  uint32_t max_vertex);

/* The same of boxes, and of instances or pointers to them. */
VkAccelerationStructureGeometryKHR mock_boxes(VkDeviceSize data, VkDeviceSize stride);

VkAccelerationStructureGeometryKHR mock_instances(VkDeviceSize data, bool pointers);

/* A build into structure `target` of mock_application. */
VkAccelerationStructureBuildGeometryInfoKHR
mock_build_info(uint32_t target, uint32_t count, const VkAccelerationStructureGeometryKHR *geometries);

/* Records it through the layer. */
void mock_cmd_build(VkCommandBuffer commands, const VkAccelerationStructureBuildGeometryInfoKHR *info,
                    const VkAccelerationStructureBuildRangeInfoKHR *ranges);

/* Into structure 0, of one geometry. */
void mock_build_one(VkCommandBuffer commands, VkAccelerationStructureGeometryKHR geometry,
                    VkAccelerationStructureBuildRangeInfoKHR range);

/* Records, executes and writes a build of one geometry; what was written of it. */
const struct ws_build_geometry *mock_built(VkAccelerationStructureGeometryKHR geometry,
                                           VkAccelerationStructureBuildRangeInfoKHR range);

/* An instance of what `reference` is the address of. */
VkAccelerationStructureInstanceKHR mock_instance(uint64_t reference, uint32_t custom);

/* Asks the layer for it. */
VkDeviceAddress mock_address(VkAccelerationStructureKHR structure);

/* Writes indices of `size` bytes each into the buffer. */
void mock_put_indices(VkDeviceSize at, uint32_t size, const uint32_t *indices, uint32_t count);

#endif
