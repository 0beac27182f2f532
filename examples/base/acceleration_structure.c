#include "acceleration_structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool create_structure(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                             VkAccelerationStructureTypeKHR type, VkDeviceSize size, struct ws_error *error)
{
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

    if (!ws_gpu_buffer_init(gpu, &structure->storage, usage, NULL, size, error)) {
        return false;
    }
    const VkAccelerationStructureCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = structure->storage.buffer,
        .size = size,
        .type = type,
    };
    if (!ws_gpu_check(vkCreateAccelerationStructureKHR(gpu->device, &info, NULL, &structure->handle),
                      "vkCreateAccelerationStructureKHR", error)) {
        return false;
    }
    const VkAccelerationStructureDeviceAddressInfoKHR address = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = structure->handle,
    };
    structure->address = vkGetAccelerationStructureDeviceAddressKHR(gpu->device, &address);
    return true;
}

/* Makes the structure and builds it from `geometries`; `counts` and `ranges` hold their primitives. */
static bool build(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                  VkAccelerationStructureTypeKHR type, const VkAccelerationStructureGeometryKHR *geometries,
                  const uint32_t *counts, const VkAccelerationStructureBuildRangeInfoKHR *ranges,
                  uint32_t count, struct ws_error *error)
{
    const VkDeviceSize alignment = gpu->scratch_alignment;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    struct ws_gpu_buffer scratch = {0};
    bool built = false;
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR,
    };
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = type,
        .flags = VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR,
        .mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
        .geometryCount = count,
        .pGeometries = geometries,
    };

    memset(structure, 0, sizeof(*structure));
    vkGetAccelerationStructureBuildSizesKHR(gpu->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR,
                                            &info, counts, &sizes);
    if (!create_structure(gpu, structure, type, sizes.accelerationStructureSize, error) ||
        !ws_gpu_buffer_init(gpu, &scratch,
                            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                            NULL, sizes.buildScratchSize + alignment, error)) {
        goto error;
    }
    info.dstAccelerationStructure = structure->handle;
    info.scratchData.deviceAddress = (scratch.address + alignment - 1) / alignment * alignment;
    commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE) {
        goto error;
    }
    vkCmdBuildAccelerationStructuresKHR(commands, 1, &info, &ranges);
    ws_gpu_barrier(commands);
    built = ws_gpu_submit(gpu, commands, error);
error:
    ws_gpu_buffer_finish(gpu, &scratch);
    if (!built) {
        ws_gpu_acceleration_structure_finish(gpu, structure);
    }
    return built;
}

static VkAccelerationStructureGeometryKHR convert(const struct ws_gpu_geometry *geometry)
{
    VkAccelerationStructureGeometryKHR converted = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .flags = geometry->opaque ? VK_GEOMETRY_OPAQUE_BIT_KHR : 0,
    };

    if (geometry->box_count > 0) {
        converted.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
        converted.geometry.aabbs = (VkAccelerationStructureGeometryAabbsDataKHR){
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
            .data.deviceAddress = geometry->boxes,
            .stride = sizeof(VkAabbPositionsKHR),
        };
    } else {
        converted.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
        converted.geometry.triangles = (VkAccelerationStructureGeometryTrianglesDataKHR){
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
            .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
            .vertexData.deviceAddress = geometry->vertices,
            .vertexStride = 3 * sizeof(float),
            .maxVertex = geometry->vertex_count - 1,
            .indexType = VK_INDEX_TYPE_UINT32,
            .indexData.deviceAddress = geometry->indices,
        };
    }
    return converted;
}

bool ws_gpu_bottom_level_init(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                              const struct ws_gpu_geometry *geometries, uint32_t count,
                              struct ws_error *error)
{
    VkAccelerationStructureGeometryKHR *converted = calloc(count, sizeof(*converted));
    VkAccelerationStructureBuildRangeInfoKHR *ranges = calloc(count, sizeof(*ranges));
    uint32_t *counts = calloc(count, sizeof(*counts));
    bool built = false;

    memset(structure, 0, sizeof(*structure));
    if (converted == NULL || ranges == NULL || counts == NULL) {
        ws_error_set(error, "out of memory");
        goto error;
    }
    for (uint32_t i = 0; i < count; i++) {
        converted[i] = convert(&geometries[i]);
        counts[i] = geometries[i].box_count > 0 ? geometries[i].box_count : geometries[i].triangle_count;
        ranges[i].primitiveCount = counts[i];
    }
    built = build(gpu, structure, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, converted, counts, ranges,
                  count, error);
error:
    free(converted);
    free(ranges);
    free(counts);
    return built;
}

bool ws_gpu_top_level_init(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                           const VkAccelerationStructureInstanceKHR *instances, uint32_t count,
                           struct ws_error *error)
{
    struct ws_gpu_buffer buffer;
    bool built;

    memset(structure, 0, sizeof(*structure));
    if (!ws_gpu_buffer_init(gpu, &buffer, WS_GPU_BUILD_INPUT, instances, count * sizeof(*instances), error)) {
        return false;
    }
    const VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
        .geometry.instances =
            {
                .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                .data.deviceAddress = buffer.address,
            },
    };
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = count};
    built = build(gpu, structure, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &geometry, &count, &range, 1,
                  error);
    ws_gpu_buffer_finish(gpu, &buffer);
    return built;
}

void ws_gpu_acceleration_structure_finish(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure)
{
    if (structure->handle != VK_NULL_HANDLE) {
        vkDestroyAccelerationStructureKHR(gpu->device, structure->handle, NULL);
    }
    ws_gpu_buffer_finish(gpu, &structure->storage);
    memset(structure, 0, sizeof(*structure));
}

VkAccelerationStructureInstanceKHR ws_gpu_instance(const struct ws_gpu_acceleration_structure *structure,
                                                   const float position[3], const float scale[3], float angle,
                                                   uint32_t index, uint32_t hit_group)
{
    const float s = sinf(angle);
    const float c = cosf(angle);

    return (VkAccelerationStructureInstanceKHR){
        .transform.matrix = {{c * scale[0], 0, s * scale[2], position[0]},
                             {0, scale[1], 0, position[1]},
                             {-s * scale[0], 0, c * scale[2], position[2]}},
        .instanceCustomIndex = index & 0xffffff,
        .mask = 0xff,
        .instanceShaderBindingTableRecordOffset = hit_group & 0xffffff,
        .accelerationStructureReference = structure->address,
    };
}
