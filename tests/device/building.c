#include "tests/device/building.h"

#include <string.h>

static VkPhysicalDeviceAccelerationStructureFeaturesKHR features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
    .accelerationStructure = VK_TRUE};
/* Structures cannot be built without something to use them. */
static VkPhysicalDeviceRayQueryFeaturesKHR query_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR,
    .pNext = &features,
    .rayQuery = VK_TRUE};
static const char *const extensions[] = {VK_KHR_RAY_QUERY_EXTENSION_NAME,
                                         VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                         VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, NULL};
const struct rig_request building_request = {
    .extensions = extensions,
    .features12 = {.bufferDeviceAddress = VK_TRUE},
    .chain = &query_features,
};

struct ws_gpu_buffer building_buffer(struct rig *rig, const void *data, VkDeviceSize size)
{
    struct ws_gpu_buffer buffer;
    CHECK(ws_gpu_buffer_init(&rig->gpu, &buffer, WS_GPU_BUILD_INPUT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                             data, size, NULL));
    return buffer;
}

VkAccelerationStructureGeometryKHR building_triangles(VkDeviceAddress vertices, uint32_t vertex_count)
{
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .geometry.triangles = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
                               .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                               .vertexData.deviceAddress = vertices,
                               .vertexStride = 12,
                               .maxVertex = vertex_count - 1,
                               .indexType = VK_INDEX_TYPE_NONE_KHR},
    };
}

void building_init(struct rig *rig, struct building *target, VkAccelerationStructureTypeKHR type,
                   const VkAccelerationStructureGeometryKHR *geometries,
                   const VkAccelerationStructureBuildRangeInfoKHR *ranges, uint32_t count)
{
    struct ws_gpu *gpu = &rig->gpu;
    VkPhysicalDeviceAccelerationStructurePropertiesKHR structures = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &structures};
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    uint32_t counts[BUILDING_GEOMETRIES];
    CHECK(count <= BUILDING_GEOMETRIES);
    for (uint32_t i = 0; i < count; i++)
        counts[i] = ranges[i].primitiveCount;
    memset(target, 0, sizeof(*target));
    target->info = (VkAccelerationStructureBuildGeometryInfoKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = type,
        .flags = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR,
        .geometryCount = count,
        .pGeometries = geometries,
    };
    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    vkGetAccelerationStructureBuildSizesKHR(gpu->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR,
                                            &target->info, counts, &sizes);
    const VkDeviceSize alignment = structures.minAccelerationStructureScratchOffsetAlignment;
    const VkDeviceSize needed =
        sizes.buildScratchSize > sizes.updateScratchSize ? sizes.buildScratchSize : sizes.updateScratchSize;
    CHECK(ws_gpu_buffer_init(gpu, &target->scratch,
                             VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                             NULL, needed + alignment, NULL));
    target->info.scratchData.deviceAddress =
        (target->scratch.address + alignment - 1) / alignment * alignment;
    CHECK(ws_gpu_buffer_init(gpu, &target->structure.storage,
                             VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                             NULL, sizes.accelerationStructureSize, NULL));
    const VkAccelerationStructureCreateInfoKHR create_info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = target->structure.storage.buffer,
        .size = sizes.accelerationStructureSize,
        .type = type,
    };
    CHECK(vkCreateAccelerationStructureKHR(gpu->device, &create_info, NULL, &target->structure.handle) ==
          VK_SUCCESS);
    const VkAccelerationStructureDeviceAddressInfoKHR address = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = target->structure.handle,
    };
    target->structure.address = vkGetAccelerationStructureDeviceAddressKHR(gpu->device, &address);
    target->info.dstAccelerationStructure = target->structure.handle;
}

void building_finish(struct rig *rig, struct building *target)
{
    ws_gpu_acceleration_structure_finish(&rig->gpu, &target->structure);
    ws_gpu_buffer_finish(&rig->gpu, &target->scratch);
}

void building_bottom_init(struct rig *rig, struct building *target,
                          const VkAccelerationStructureGeometryKHR *geometries,
                          const VkAccelerationStructureBuildRangeInfoKHR *ranges, uint32_t count)
{
    building_init(rig, target, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, geometries, ranges, count);
}

void building_build(VkCommandBuffer commands, const struct building *target,
                    const VkAccelerationStructureBuildRangeInfoKHR *ranges)
{
    vkCmdBuildAccelerationStructuresKHR(commands, 1, &target->info, &ranges);
}

void building_wait(VkCommandBuffer commands)
{
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         1, &memory, 0, NULL, 0, NULL);
}

VkCommandBuffer building_begin(struct rig *rig)
{
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, 0);
    return commands;
}

void building_run(struct rig *rig, VkCommandBuffer commands)
{
    VkFence fence = rig_fence(rig);
    rig_submit(rig, 1, &commands, fence);
    CHECK(vkWaitForFences(rig->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
    vkDestroyFence(rig->gpu.device, fence, NULL);
}

void building_end(struct rig *rig, VkCommandBuffer commands)
{
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    building_run(rig, commands);
}

VkAccelerationStructureInstanceKHR building_instance(const struct building *target, uint32_t custom)
{
    return ws_gpu_instance(&target->structure, (float[]){(float)custom, 0, 0}, (float[]){1, 1, 1}, 0, custom,
                           0);
}

VkAccelerationStructureGeometryKHR building_instances(VkDeviceAddress address)
{
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
        .geometry.instances = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                               .data.deviceAddress = address},
    };
}
