/* Builds that a test records, of data in the buffer of mock_application. */
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

/* AABBs at `data` of the buffer; and instances, or pointers to instances. */
VkAccelerationStructureGeometryKHR mock_boxes(VkDeviceSize data, VkDeviceSize stride);

VkAccelerationStructureGeometryKHR mock_instances(VkDeviceSize data, bool pointers);

/* A build into structure `target` of mock_application. */
VkAccelerationStructureBuildGeometryInfoKHR
mock_build_info(uint32_t target, uint32_t count, const VkAccelerationStructureGeometryKHR *geometries);

/* Records a build through the layer. */
void mock_cmd_build(VkCommandBuffer commands, const VkAccelerationStructureBuildGeometryInfoKHR *info,
                    const VkAccelerationStructureBuildRangeInfoKHR *ranges);

/* Records a build of one geometry into structure 0. */
void mock_build_one(VkCommandBuffer commands, VkAccelerationStructureGeometryKHR geometry,
                    VkAccelerationStructureBuildRangeInfoKHR range);

/* Records and executes a build of one geometry, and returns what was written of it. */
const struct ws_build_geometry *mock_built(VkAccelerationStructureGeometryKHR geometry,
                                           VkAccelerationStructureBuildRangeInfoKHR range);

/* An instance that refers to the structure at address `reference`. */
VkAccelerationStructureInstanceKHR mock_instance(uint64_t reference, uint32_t custom);

/* Asks the layer for the address of a structure. */
VkDeviceAddress mock_address(VkAccelerationStructureKHR structure);

/* Writes indices of `size` bytes each into the buffer. */
void mock_put_indices(VkDeviceSize at, uint32_t size, const uint32_t *indices, uint32_t count);

#endif
