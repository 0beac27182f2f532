#include "examples/base/acceleration_structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAST_TRACE VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR

static bool create_structure(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                             VkAccelerationStructureTypeKHR type, VkDeviceSize size, struct ws_error *error)
{
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

    if (!ws_gpu_buffer_init(gpu, &structure->storage, usage, NULL, size, error))
        return false;
    const VkAccelerationStructureCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = structure->storage.buffer,
        .size = size,
        .type = type,
    };
    if (!ws_gpu_check(vkCreateAccelerationStructureKHR(gpu->device, &info, NULL, &structure->handle),
                      "vkCreateAccelerationStructureKHR", error))
        return false;
    const VkAccelerationStructureDeviceAddressInfoKHR address = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = structure->handle,
    };
    structure->address = vkGetAccelerationStructureDeviceAddressKHR(gpu->device, &address);
    return true;
}

/* Whether a build makes its structure, or works on one that is there. */
enum way { MAKE, REBUILD, UPDATE };

/* What is built: geometries, and the primitives of each. */
struct input {
    VkAccelerationStructureTypeKHR type;
    VkBuildAccelerationStructureFlagsKHR flags;
    const VkAccelerationStructureGeometryKHR *geometries;
    const VkAccelerationStructureBuildRangeInfoKHR *ranges;
    const uint32_t *counts; /* as in ranges */
    uint32_t count;
};

static bool record_build(struct ws_gpu *gpu, const VkAccelerationStructureBuildGeometryInfoKHR *info,
                         const struct input *input, struct ws_error *error)
{
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);

    if (commands == VK_NULL_HANDLE)
        return false;
    vkCmdBuildAccelerationStructuresKHR(commands, 1, info, &input->ranges);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(gpu, commands, error);
}

/* Builds `structure`, which on failure holds nothing if it was to be made here. */
static bool build(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                  const struct input *input, enum way way, struct ws_error *error)
{
    const VkDeviceSize alignment = gpu->scratch_alignment;
    struct ws_gpu_buffer scratch = {0};
    bool built = false;
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR,
    };
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = input->type,
        .flags = input->flags,
        .mode = way == UPDATE ? VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR
                              : VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
        .geometryCount = input->count,
        .pGeometries = input->geometries,
    };

    vkGetAccelerationStructureBuildSizesKHR(gpu->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR,
                                            &info, input->counts, &sizes);
    if (way == MAKE) {
        memset(structure, 0, sizeof(*structure));
        if (!create_structure(gpu, structure, input->type, sizes.accelerationStructureSize, error))
            goto error;
    }
    const VkDeviceSize size = way == UPDATE ? sizes.updateScratchSize : sizes.buildScratchSize;
    if (!ws_gpu_buffer_init(gpu, &scratch,
                            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                            NULL, size + alignment, error))
        goto error;
    info.srcAccelerationStructure = way == UPDATE ? structure->handle : VK_NULL_HANDLE;
    info.dstAccelerationStructure = structure->handle;
    info.scratchData.deviceAddress = (scratch.address + alignment - 1) / alignment * alignment;
    built = record_build(gpu, &info, input, error);
error:
    ws_gpu_buffer_finish(gpu, &scratch);
    if (!built && way == MAKE)
        ws_gpu_acceleration_structure_finish(gpu, structure);
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

static bool build_bottom(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                         const struct ws_gpu_geometry *geometries, uint32_t count,
                         VkBuildAccelerationStructureFlagsKHR flags, enum way way, struct ws_error *error)
{
    VkAccelerationStructureGeometryKHR *converted = calloc(count, sizeof(*converted));
    VkAccelerationStructureBuildRangeInfoKHR *ranges = calloc(count, sizeof(*ranges));
    uint32_t *counts = calloc(count, sizeof(*counts));
    bool built = false;

    if (converted == NULL || ranges == NULL || counts == NULL) {
        ws_error_set(error, "out of memory");
        goto error;
    }
    for (uint32_t i = 0; i < count; i++) {
        converted[i] = convert(&geometries[i]);
        counts[i] = geometries[i].box_count > 0 ? geometries[i].box_count : geometries[i].triangle_count;
        ranges[i].primitiveCount = counts[i];
    }
    const struct input input = {
        VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, flags, converted, ranges, counts, count};
    built = build(gpu, structure, &input, way, error);
error:
    free(converted);
    free(ranges);
    free(counts);
    return built;
}

bool ws_gpu_bottom_level_init_flags(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                                    const struct ws_gpu_geometry *geometries, uint32_t count,
                                    VkBuildAccelerationStructureFlagsKHR flags, struct ws_error *error)
{
    memset(structure, 0, sizeof(*structure));
    return build_bottom(gpu, structure, geometries, count, flags, MAKE, error);
}

bool ws_gpu_bottom_level_init(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                              const struct ws_gpu_geometry *geometries, uint32_t count,
                              struct ws_error *error)
{
    return ws_gpu_bottom_level_init_flags(gpu, structure, geometries, count, FAST_TRACE, error);
}

bool ws_gpu_bottom_level_update(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                                const struct ws_gpu_geometry *geometries, uint32_t count,
                                VkBuildAccelerationStructureFlagsKHR flags, struct ws_error *error)
{
    return build_bottom(gpu, structure, geometries, count, flags, UPDATE, error);
}

static bool build_top(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                      const VkAccelerationStructureInstanceKHR *instances, uint32_t count, enum way way,
                      struct ws_error *error)
{
    struct ws_gpu_buffer buffer;
    bool built;

    if (!ws_gpu_buffer_init(gpu, &buffer, WS_GPU_BUILD_INPUT, instances, count * sizeof(*instances), error))
        return false;
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
    const struct input input = {
        VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, FAST_TRACE, &geometry, &range, &count, 1};
    built = build(gpu, structure, &input, way, error);
    ws_gpu_buffer_finish(gpu, &buffer);
    return built;
}

bool ws_gpu_top_level_init(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                           const VkAccelerationStructureInstanceKHR *instances, uint32_t count,
                           struct ws_error *error)
{
    memset(structure, 0, sizeof(*structure));
    return build_top(gpu, structure, instances, count, MAKE, error);
}

bool ws_gpu_top_level_rebuild(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure,
                              const VkAccelerationStructureInstanceKHR *instances, uint32_t count,
                              struct ws_error *error)
{
    return build_top(gpu, structure, instances, count, REBUILD, error);
}

/* How large a compacted copy will be; 0 on failure. */
static VkDeviceSize compacted_size(struct ws_gpu *gpu, const struct ws_gpu_acceleration_structure *structure,
                                   struct ws_error *error)
{
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
        .queryCount = 1,
    };
    VkQueryPool pool = VK_NULL_HANDLE;
    VkDeviceSize size = 0;

    if (!ws_gpu_check(vkCreateQueryPool(gpu->device, &info, NULL, &pool), "vkCreateQueryPool", error))
        return 0;
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        goto error;
    vkCmdResetQueryPool(commands, pool, 0, 1);
    vkCmdWriteAccelerationStructuresPropertiesKHR(commands, 1, &structure->handle, info.queryType, pool, 0);
    if (!ws_gpu_submit(gpu, commands, error) ||
        !ws_gpu_check(vkGetQueryPoolResults(gpu->device, pool, 0, 1, sizeof(size), &size, sizeof(size),
                                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                      "vkGetQueryPoolResults", error))
        size = 0;
error:
    vkDestroyQueryPool(gpu->device, pool, NULL);
    return size;
}

bool ws_gpu_acceleration_structure_compact(struct ws_gpu *gpu,
                                           struct ws_gpu_acceleration_structure *structure,
                                           struct ws_error *error)
{
    const VkDeviceSize size = compacted_size(gpu, structure, error);
    struct ws_gpu_acceleration_structure copy = {0};

    if (size == 0 ||
        !create_structure(gpu, &copy, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, size, error))
        goto error;
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        goto error;
    const VkCopyAccelerationStructureInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
        .src = structure->handle,
        .dst = copy.handle,
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR,
    };
    vkCmdCopyAccelerationStructureKHR(commands, &info);
    ws_gpu_barrier(commands);
    if (!ws_gpu_submit(gpu, commands, error))
        goto error;
    ws_gpu_acceleration_structure_finish(gpu, structure);
    *structure = copy;
    return true;
error:
    ws_gpu_acceleration_structure_finish(gpu, &copy);
    return false;
}

void ws_gpu_acceleration_structure_finish(struct ws_gpu *gpu, struct ws_gpu_acceleration_structure *structure)
{
    if (structure->handle != VK_NULL_HANDLE)
        vkDestroyAccelerationStructureKHR(gpu->device, structure->handle, NULL);
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
