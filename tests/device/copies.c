/* Acceleration structures that are copied on the device, named, and destroyed while others take their place:
 * what the capture tells of each. */
#include "tests/device/rig.h"

#include <string.h>

#include "examples/base/acceleration_structure.h"
#include "tests/device/recorded_builds.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static VkPhysicalDeviceAccelerationStructureFeaturesKHR features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
    .accelerationStructure = VK_TRUE};
/* Structures cannot be built without something to use them. */
static VkPhysicalDeviceRayQueryFeaturesKHR query_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR,
    .pNext = &features,
    .rayQuery = VK_TRUE};
static const char *const instance_extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, NULL};
static const char *const extensions[] = {VK_KHR_RAY_QUERY_EXTENSION_NAME,
                                         VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                         VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, NULL};
static const struct rig_request request = {
    .instance_extensions = instance_extensions,
    .extensions = extensions,
    .features12 = {.bufferDeviceAddress = VK_TRUE},
    .chain = &query_features,
};

static struct recorded_builds builds;

/* A bottom level of one triangle that may be compacted, in a buffer that it does not fill. */
struct triangle {
    struct ws_gpu_buffer vertices, scratch;
    struct ws_gpu_acceleration_structure structure;
    VkAccelerationStructureGeometryKHR geometry;
    VkAccelerationStructureBuildGeometryInfoKHR info;
    VkDeviceSize size;
};

static VkAccelerationStructureKHR create(struct rig *rig, VkBuffer buffer, VkDeviceSize size)
{
    VkAccelerationStructureKHR made;
    const VkAccelerationStructureCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = buffer,
        .size = size,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
    };
    CHECK(vkCreateAccelerationStructureKHR(rig->gpu.device, &info, NULL, &made) == VK_SUCCESS);
    return made;
}

static void create_sized(struct rig *rig, struct ws_gpu_acceleration_structure *structure, VkDeviceSize size)
{
    CHECK(ws_gpu_buffer_init(&rig->gpu, &structure->storage,
                             VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                             NULL, size, NULL));
    structure->handle = create(rig, structure->storage.buffer, size);
}

static void triangle_init(struct rig *rig, struct triangle *triangle)
{
    static const float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t count = 1;
    struct ws_gpu *gpu = &rig->gpu;
    VkPhysicalDeviceAccelerationStructurePropertiesKHR structures = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &structures};
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    CHECK(ws_gpu_buffer_init(gpu, &triangle->vertices, WS_GPU_BUILD_INPUT, vertices, sizeof(vertices), NULL));
    triangle->geometry = (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .geometry.triangles = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
                               .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                               .vertexData.deviceAddress = triangle->vertices.address,
                               .vertexStride = 12,
                               .maxVertex = 2,
                               .indexType = VK_INDEX_TYPE_NONE_KHR},
    };
    triangle->info = (VkAccelerationStructureBuildGeometryInfoKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
        .flags = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR,
        .geometryCount = 1,
        .pGeometries = &triangle->geometry,
    };
    vkGetAccelerationStructureBuildSizesKHR(gpu->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR,
                                            &triangle->info, &count, &sizes);
    const VkDeviceSize alignment = structures.minAccelerationStructureScratchOffsetAlignment;
    CHECK(ws_gpu_buffer_init(gpu, &triangle->scratch,
                             VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                             NULL, sizes.buildScratchSize + alignment, NULL));
    triangle->info.scratchData.deviceAddress =
        (triangle->scratch.address + alignment - 1) / alignment * alignment;
    triangle->size = sizes.accelerationStructureSize;
    create_sized(rig, &triangle->structure, triangle->size);
}

static void triangle_finish(struct rig *rig, struct triangle *triangle)
{
    ws_gpu_acceleration_structure_finish(&rig->gpu, &triangle->structure);
    ws_gpu_buffer_finish(&rig->gpu, &triangle->scratch);
    ws_gpu_buffer_finish(&rig->gpu, &triangle->vertices);
}

static void build(VkCommandBuffer commands, struct triangle *triangle)
{
    static const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    const VkAccelerationStructureBuildRangeInfoKHR *ranges = &range;
    triangle->info.dstAccelerationStructure = triangle->structure.handle;
    vkCmdBuildAccelerationStructuresKHR(commands, 1, &triangle->info, &ranges);
    ws_gpu_barrier(commands);
}

static void run_to_end(struct rig *rig, VkCommandBuffer commands)
{
    VkFence fence = rig_fence(rig);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    rig_submit(rig, 1, &commands, fence);
    CHECK(vkWaitForFences(rig->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
    vkDestroyFence(rig->gpu.device, fence, NULL);
}

static VkCommandBuffer begin(struct rig *rig)
{
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, 0);
    return commands;
}

/* A size that only the device knows. */
static VkDeviceSize ask_size(struct rig *rig, VkAccelerationStructureKHR structure, VkQueryType type)
{
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = type, .queryCount = 1};
    VkQueryPool pool;
    VkDeviceSize size = 0;
    CHECK(vkCreateQueryPool(rig->gpu.device, &info, NULL, &pool) == VK_SUCCESS);
    VkCommandBuffer commands = begin(rig);
    vkCmdResetQueryPool(commands, pool, 0, 1);
    vkCmdWriteAccelerationStructuresPropertiesKHR(commands, 1, &structure, type, pool, 0);
    run_to_end(rig, commands);
    CHECK(vkGetQueryPoolResults(rig->gpu.device, pool, 0, 1, sizeof(size), &size, sizeof(size),
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT) == VK_SUCCESS);
    vkDestroyQueryPool(rig->gpu.device, pool, NULL);
    CHECK(size > 0);
    return size;
}

static void copy(VkCommandBuffer commands, VkAccelerationStructureKHR source,
                 VkAccelerationStructureKHR destination, VkCopyAccelerationStructureModeKHR mode)
{
    const VkCopyAccelerationStructureInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
        .src = source,
        .dst = destination,
        .mode = mode,
    };
    vkCmdCopyAccelerationStructureKHR(commands, &info);
    ws_gpu_barrier(commands);
}

static void read(uint32_t build_count, uint32_t copy_count)
{
    CHECK(recorded_builds_read(&builds, rig_capture()));
    CHECK(builds.count == build_count && builds.copy_count == copy_count && builds.skipped == 0);
}

static void check_copy(uint32_t index, uint32_t source, uint32_t destination, uint32_t mode, uint64_t moment)
{
    const struct ws_chunk_copy *copied = &builds.copies[index];
    CHECK(copied->source == source && copied->destination == destination);
    CHECK(copied->mode == mode && copied->moment == moment);
}

/* Compacted as applications do it, and cloned behind a dispatch; the command buffer runs twice. */
static void run_compacted(struct rig *rig)
{
    struct triangle triangle;
    struct ws_gpu_acceleration_structure compacted, clone;
    triangle_init(rig, &triangle);
    VkCommandBuffer commands = begin(rig);
    build(commands, &triangle);
    run_to_end(rig, commands);
    create_sized(
        rig, &compacted,
        ask_size(rig, triangle.structure.handle, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR));
    create_sized(rig, &clone, triangle.size);
    VkPipeline pipeline = rig_count_pipeline(rig, 32);
    commands = begin(rig);
    copy(commands, triangle.structure.handle, compacted.handle,
         VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);
    rig_dispatch(commands, pipeline, 1);
    ws_gpu_barrier(commands);
    copy(commands, triangle.structure.handle, clone.handle, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    for (uint32_t i = 0; i < 2; i++) {
        rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
        CHECK(vkDeviceWaitIdle(rig->gpu.device) == VK_SUCCESS);
    }
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
    ws_gpu_acceleration_structure_finish(&rig->gpu, &clone);
    ws_gpu_acceleration_structure_finish(&rig->gpu, &compacted);
    triangle_finish(rig, &triangle);
}

static void check_compacted(const struct recorded *recorded)
{
    CHECK(recorded->count == 2);
    read(1, 4);
    for (uint32_t i = 0; i < 2; i++) {
        check_copy(2 * i, 0, 1, VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR, i);
        check_copy(2 * i + 1, 0, 2, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR, i + 1);
        CHECK(builds.copies[i].hash[0] == 0 && builds.copies[i].hash[1] == 0);
    }
    CHECK(builds.structure_count == 3);
}

/* To memory and back; a second time from a copy of those bytes on the host. */
static void run_serialized(struct rig *rig)
{
    struct triangle triangle;
    struct ws_gpu_acceleration_structure first, second;
    struct ws_gpu_buffer bytes, again;
    triangle_init(rig, &triangle);
    VkCommandBuffer commands = begin(rig);
    build(commands, &triangle);
    run_to_end(rig, commands);
    const VkDeviceSize size =
        ask_size(rig, triangle.structure.handle, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR);
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    CHECK(ws_gpu_buffer_init(&rig->gpu, &bytes, usage, NULL, size + 512, NULL));
    CHECK(ws_gpu_buffer_init(&rig->gpu, &again, usage, NULL, size + 512, NULL));
    const VkDeviceAddress to = (bytes.address + 255) / 256 * 256; /* both must be so aligned */
    const VkDeviceAddress from = (again.address + 255) / 256 * 256;
    create_sized(rig, &first, triangle.size);
    create_sized(rig, &second, triangle.size);

    const VkCopyAccelerationStructureToMemoryInfoKHR serialize = {
        .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR,
        .src = triangle.structure.handle,
        .dst.deviceAddress = to,
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR,
    };
    VkCopyMemoryToAccelerationStructureInfoKHR deserialize = {
        .sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR,
        .src.deviceAddress = to,
        .dst = first.handle,
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR,
    };
    commands = begin(rig);
    vkCmdCopyAccelerationStructureToMemoryKHR(commands, &serialize);
    ws_gpu_barrier(commands);
    vkCmdCopyMemoryToAccelerationStructureKHR(commands, &deserialize);
    run_to_end(rig, commands);
    memcpy((char *)again.data + (from - again.address), (const char *)bytes.data + (to - bytes.address),
           size);
    deserialize.src.deviceAddress = from;
    deserialize.dst = second.handle;
    commands = begin(rig);
    vkCmdCopyMemoryToAccelerationStructureKHR(commands, &deserialize);
    run_to_end(rig, commands);

    ws_gpu_acceleration_structure_finish(&rig->gpu, &first);
    ws_gpu_acceleration_structure_finish(&rig->gpu, &second);
    ws_gpu_buffer_finish(&rig->gpu, &again);
    ws_gpu_buffer_finish(&rig->gpu, &bytes);
    triangle_finish(rig, &triangle);
}

static void check_serialized(const struct recorded *recorded)
{
    (void)recorded;
    read(1, 3);
    check_copy(0, 0, WS_NONE, VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR, 0);
    check_copy(1, WS_NONE, 1, VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR, 0);
    check_copy(2, WS_NONE, 2, VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR, 0);
    CHECK(builds.copies[0].hash[0] != 0);
    for (uint32_t i = 1; i < 3; i++)
        CHECK(memcmp(builds.copies[i].hash, builds.copies[0].hash, sizeof(builds.copies[0].hash)) == 0);
}

static void name(struct rig *rig, VkAccelerationStructureKHR structure, const char *text)
{
    const VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR,
        .objectHandle = (uint64_t)structure,
        .pObjectName = text,
    };
    CHECK(vkSetDebugUtilsObjectNameEXT(rig->gpu.device, &info) == VK_SUCCESS);
}

/* Three structures one after the other in the same memory, named before or after they are first used. */
static void run_one_place(struct rig *rig)
{
    static const char *const early[] = {"pot", "", "lid"};
    struct triangle triangle;
    triangle_init(rig, &triangle);
    for (uint32_t i = 0; i < 3; i++) {
        if (early[i][0] != '\0')
            name(rig, triangle.structure.handle, early[i]);
        VkCommandBuffer commands = begin(rig);
        build(commands, &triangle);
        run_to_end(rig, commands);
        if (i == 1)
            name(rig, triangle.structure.handle, "spoon");
        if (i == 2)
            name(rig, triangle.structure.handle, "cover");
        if (i < 2) {
            vkDestroyAccelerationStructureKHR(rig->gpu.device, triangle.structure.handle, NULL);
            triangle.structure.handle = create(rig, triangle.structure.storage.buffer, triangle.size);
        }
    }
    triangle_finish(rig, &triangle);
}

static void check_one_place(const struct recorded *recorded)
{
    static const char *const names[] = {"pot", "spoon", "cover"};
    (void)recorded;
    read(3, 0);
    CHECK(builds.structure_count == 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(builds.builds[i].chunk.structure == i);
        CHECK(builds.addresses[i] != 0 && builds.addresses[i] == builds.addresses[0]);
        CHECK(strcmp(builds.names[i], names[i]) == 0);
        CHECK(builds.builds_before_gone[i] == i + 1);
    }
}

#define ON .setting = "WARPSCOPE_GEOMETRY", .value = "on", .request = &request

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "compacted", .run = run_compacted, .check = check_compacted, ON},
        {.name = "serialized", .run = run_serialized, .check = check_serialized, ON},
        {.name = "one_place", .run = run_one_place, .check = check_one_place, ON},
    };
    const int status = rig_main(cases, COUNT(cases), argc, argv);
    recorded_builds_finish(&builds);
    return status;
}
