#include "tests/unit/layer/mock/building.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/layer/mock/application.h"
#include "tests/unit/layer/mock/builds.h"

VkAccelerationStructureGeometryKHR mock_triangles(VkDeviceSize vertices, VkDeviceSize stride,
                                                  VkIndexType type, VkDeviceSize indices, uint32_t max_vertex)
{
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .geometry.triangles = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
                               .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                               .vertexData.deviceAddress = mock_application.base + vertices,
                               .vertexStride = stride,
                               .maxVertex = max_vertex,
                               .indexType = type,
                               .indexData.deviceAddress = mock_application.base + indices},
    };
}

VkAccelerationStructureGeometryKHR mock_boxes(VkDeviceSize data, VkDeviceSize stride)
{
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_AABBS_KHR,
        .geometry.aabbs = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
                           .data.deviceAddress = mock_application.base + data,
                           .stride = stride},
    };
}

VkAccelerationStructureGeometryKHR mock_instances(VkDeviceSize data, bool pointers)
{
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
        .geometry.instances = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                               .arrayOfPointers = pointers,
                               .data.deviceAddress = mock_application.base + data},
    };
}

VkAccelerationStructureBuildGeometryInfoKHR
mock_build_info(uint32_t target, uint32_t count, const VkAccelerationStructureGeometryKHR *geometries)
{
    return (VkAccelerationStructureBuildGeometryInfoKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .flags = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR,
        .dstAccelerationStructure = mock_application.structures[target],
        .geometryCount = count,
        .pGeometries = geometries,
    };
}

void mock_cmd_build(VkCommandBuffer commands, const VkAccelerationStructureBuildGeometryInfoKHR *info,
                    const VkAccelerationStructureBuildRangeInfoKHR *ranges)
{
    ((PFN_vkCmdBuildAccelerationStructuresKHR)mock_hook("vkCmdBuildAccelerationStructuresKHR"))(
        commands, 1, info, &ranges);
}

void mock_build_one(VkCommandBuffer commands, VkAccelerationStructureGeometryKHR geometry,
                    VkAccelerationStructureBuildRangeInfoKHR range)
{
    const VkAccelerationStructureBuildGeometryInfoKHR info = mock_build_info(0, 1, &geometry);
    mock_cmd_build(commands, &info, &range);
}

const struct ws_build_geometry *mock_built(VkAccelerationStructureGeometryKHR geometry,
                                           VkAccelerationStructureBuildRangeInfoKHR range)
{
    const uint32_t before = mock_builds.count;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_build_one(commands, geometry, range);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock_builds.count, before + 1);
    return &mock_build(before, 1)->geometries[0];
}

VkAccelerationStructureInstanceKHR mock_instance(uint64_t reference, uint32_t custom)
{
    VkAccelerationStructureInstanceKHR instance = {.instanceCustomIndex = custom & 0xffffff};
    instance.accelerationStructureReference = reference;
    return instance;
}

VkDeviceAddress mock_address(VkAccelerationStructureKHR structure)
{
    const VkAccelerationStructureDeviceAddressInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = structure,
    };
    return ((PFN_vkGetAccelerationStructureDeviceAddressKHR)mock_hook(
        "vkGetAccelerationStructureDeviceAddressKHR"))(mock_device(), &info);
}

void mock_put_indices(VkDeviceSize at, uint32_t size, const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        memcpy(mock_application.content + at + (VkDeviceSize)i * size, &indices[i], size);
}
