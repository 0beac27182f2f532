/* Acceleration structures that are built on the device: what stands in the capture is what the builds read,
 * byte for byte, at the place in the order of commands where they read it. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

#include "acceleration_structure.h"
#include "recorded_builds.h"
#include "vertices_comp.h"

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
static const struct rig_request request = {
    .extensions = extensions,
    .features12 = {.bufferDeviceAddress = VK_TRUE},
    .chain = &query_features,
};

static struct recorded_builds builds;

/* What the program writes into its buffers, and the capture must hold. */
static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0.5f, 3, 2, 1};
static const float moved[] = {0, 0, 1, 1, 0, 2, 0, 1, 3, 1, 1, 4, 2, 1, 5, 3, 2, 6};
static const VkTransformMatrixKHR transform = {{{2, 0, 0, 1}, {0, 2, 0, 2}, {0, 0, 2, 3}}};
static const VkAabbPositionsKHR boxes[] = {{0, 0, 0, 1, 1, 1}, {2, 2, 2, 3, 3, 4}};

static struct ws_gpu_buffer make_buffer(struct rig *rig, const void *data, VkDeviceSize size)
{
    struct ws_gpu_buffer buffer;
    CHECK(ws_gpu_buffer_init(&rig->gpu, &buffer, WS_GPU_BUILD_INPUT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                             data, size, NULL));
    return buffer;
}

static VkAccelerationStructureGeometryKHR triangles(VkDeviceAddress vertices, uint32_t vertex_count)
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

/* A structure with what its builds need. */
struct target {
    struct ws_gpu_acceleration_structure structure;
    struct ws_gpu_buffer scratch;
    VkAccelerationStructureBuildGeometryInfoKHR info;
};

#define GEOMETRIES 4

static void target_init(struct rig *rig, struct target *target, VkAccelerationStructureTypeKHR type,
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
    uint32_t counts[GEOMETRIES];
    CHECK(count <= GEOMETRIES);
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

static void target_finish(struct rig *rig, struct target *target)
{
    ws_gpu_acceleration_structure_finish(&rig->gpu, &target->structure);
    ws_gpu_buffer_finish(&rig->gpu, &target->scratch);
}

static void bottom_init(struct rig *rig, struct target *target,
                        const VkAccelerationStructureGeometryKHR *geometries,
                        const VkAccelerationStructureBuildRangeInfoKHR *ranges, uint32_t count)
{
    target_init(rig, target, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, geometries, ranges, count);
}

static void build(VkCommandBuffer commands, const struct target *target,
                  const VkAccelerationStructureBuildRangeInfoKHR *ranges)
{
    vkCmdBuildAccelerationStructuresKHR(commands, 1, &target->info, &ranges);
}

static void everything_waits(VkCommandBuffer commands)
{
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         1, &memory, 0, NULL, 0, NULL);
}

static VkCommandBuffer begin(struct rig *rig)
{
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, 0);
    return commands;
}

static void run_to_end(struct rig *rig, VkCommandBuffer commands)
{
    VkFence fence = rig_fence(rig);
    rig_submit(rig, 1, &commands, fence);
    CHECK(vkWaitForFences(rig->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
    vkDestroyFence(rig->gpu.device, fence, NULL);
}

static void end_and_run(struct rig *rig, VkCommandBuffer commands)
{
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    run_to_end(rig, commands);
}

/* Reads the builds, of which there must be `count`, all known. */
static void read(uint32_t count)
{
    CHECK(recorded_builds_read(&builds, rig_capture()));
    CHECK(builds.count == count && builds.skipped == 0);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < builds.builds[i].chunk.geometry_count; j++)
            CHECK(builds.builds[i].geometries[j].capture_flags == 0);
    }
}

static bool blob_is(uint32_t id, const void *bytes, uint64_t size)
{
    return recorded_blob_is(&builds, id, bytes, size);
}

/* Everything that triangles may be read by. */

/* Positions with 8 bytes of something else behind each. */
struct vertex {
    float position[3];
    uint32_t other[2];
};

static void fill_vertices(struct vertex vertices[6])
{
    for (uint32_t i = 0; i < 6; i++) {
        memcpy(vertices[i].position, &positions[3 * (size_t)i], 12);
        vertices[i].other[0] = vertices[i].other[1] = 0x01010101 * i;
    }
}

static const uint16_t short_indices[] = {7, 7, 0, 1, 2, 2, 1, 3}; /* the first two are skipped */
static const uint32_t long_indices[] = {0, 1, 2};
static const uint16_t halves[] = {0, 0, 0, 1, 0x3c00, 0, 0, 1, 0, 0x3c00, 0, 1}; /* 16-bit floats */

static void run_triangles(struct rig *rig)
{
    struct vertex vertices[6];
    fill_vertices(vertices);
    struct ws_gpu_buffer strided = make_buffer(rig, vertices, sizeof(vertices));
    struct ws_gpu_buffer plain = make_buffer(rig, positions, sizeof(positions));
    struct ws_gpu_buffer small = make_buffer(rig, halves, sizeof(halves));
    struct ws_gpu_buffer first = make_buffer(rig, short_indices, sizeof(short_indices));
    struct ws_gpu_buffer second = make_buffer(rig, long_indices, sizeof(long_indices));
    struct ws_gpu_buffer matrices = make_buffer(rig, &transform, sizeof(transform));

    VkAccelerationStructureGeometryKHR geometries[GEOMETRIES] = {
        triangles(strided.address, 6),
        triangles(plain.address, 6),
        triangles(plain.address, 6),
        triangles(small.address, 3),
    };
    geometries[0].geometry.triangles.vertexStride = sizeof(struct vertex);
    geometries[0].geometry.triangles.indexType = VK_INDEX_TYPE_UINT16;
    geometries[0].geometry.triangles.indexData.deviceAddress = first.address;
    geometries[0].geometry.triangles.transformData.deviceAddress = matrices.address;
    geometries[0].flags = VK_GEOMETRY_OPAQUE_BIT_KHR;
    geometries[1].geometry.triangles.indexType = VK_INDEX_TYPE_UINT32;
    geometries[1].geometry.triangles.indexData.deviceAddress = second.address;
    geometries[3].geometry.triangles.vertexFormat = VK_FORMAT_R16G16B16A16_SFLOAT;
    geometries[3].geometry.triangles.vertexStride = 8;
    const VkAccelerationStructureBuildRangeInfoKHR ranges[GEOMETRIES] = {
        {.primitiveCount = 2, .primitiveOffset = 4, .firstVertex = 1},
        {.primitiveCount = 1, .firstVertex = 3},
        {.primitiveCount = 1, .primitiveOffset = 12, .firstVertex = 2},
        {.primitiveCount = 1},
    };
    struct target target;
    bottom_init(rig, &target, geometries, ranges, GEOMETRIES);
    VkCommandBuffer commands = begin(rig);
    build(commands, &target, ranges);
    end_and_run(rig, commands);
    target_finish(rig, &target);
    ws_gpu_buffer_finish(&rig->gpu, &strided);
    ws_gpu_buffer_finish(&rig->gpu, &plain);
    ws_gpu_buffer_finish(&rig->gpu, &small);
    ws_gpu_buffer_finish(&rig->gpu, &first);
    ws_gpu_buffer_finish(&rig->gpu, &second);
    ws_gpu_buffer_finish(&rig->gpu, &matrices);
}

static void check_triangles(const struct recorded *recorded)
{
    struct vertex vertices[6];
    fill_vertices(vertices);
    CHECK(recorded->count == 0);
    read(1);
    const struct recorded_build *build = &builds.builds[0];
    CHECK(build->chunk.geometry_count == GEOMETRIES && build->chunk.moment == 0 && build->chunk.flags == 0);
    CHECK(build->chunk.build_flags == VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR);

    const struct ws_build_geometry *geometry = &build->geometries[0];
    CHECK(geometry->type == VK_GEOMETRY_TYPE_TRIANGLES_KHR && geometry->primitive_count == 2);
    CHECK(geometry->flags == VK_GEOMETRY_OPAQUE_BIT_KHR && geometry->index_type == VK_INDEX_TYPE_UINT16);
    CHECK(geometry->stride == sizeof(struct vertex) && geometry->max_vertex == 5);
    CHECK(blob_is(geometry->indices, short_indices + 2, 12));
    CHECK(blob_is(geometry->transform, &transform, sizeof(transform)));
    CHECK(blob_is(geometry->data, vertices + 1, 3 * sizeof(struct vertex) + 12)); /* 0 to 3 are used */

    geometry = &build->geometries[1];
    CHECK(geometry->index_type == VK_INDEX_TYPE_UINT32 && geometry->transform == WS_NONE);
    CHECK(blob_is(geometry->indices, long_indices, sizeof(long_indices)));
    CHECK(blob_is(geometry->data, positions + 9, 36));

    geometry = &build->geometries[2];
    CHECK(geometry->index_type == VK_INDEX_TYPE_NONE_KHR && geometry->indices == WS_NONE);
    CHECK(blob_is(geometry->data, positions + 9, 36)); /* 12 bytes and two vertices on */
    CHECK(geometry->data == build->geometries[1].data);

    geometry = &build->geometries[3];
    CHECK(geometry->vertex_format == VK_FORMAT_R16G16B16A16_SFLOAT);
    CHECK(blob_is(geometry->data, halves, sizeof(halves)));
}

static void run_boxes(struct rig *rig)
{
    char spread[8 + 64];
    memset(spread, 0x55, sizeof(spread));
    memcpy(spread + 8, &boxes[0], sizeof(boxes[0]));
    memcpy(spread + 8 + 40, &boxes[1], sizeof(boxes[1]));
    struct ws_gpu_buffer data = make_buffer(rig, spread, sizeof(spread));
    const VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_AABBS_KHR,
        .geometry.aabbs = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
                           .data.deviceAddress = data.address,
                           .stride = 40},
    };
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 2, .primitiveOffset = 8};
    struct target target;
    bottom_init(rig, &target, &geometry, &range, 1);
    VkCommandBuffer commands = begin(rig);
    build(commands, &target, &range);
    end_and_run(rig, commands);
    target_finish(rig, &target);
    ws_gpu_buffer_finish(&rig->gpu, &data);
}

static void check_boxes(const struct recorded *recorded)
{
    (void)recorded;
    read(1);
    const struct ws_build_geometry *geometry = &builds.builds[0].geometries[0];
    CHECK(geometry->type == VK_GEOMETRY_TYPE_AABBS_KHR && geometry->primitive_count == 2);
    CHECK(geometry->stride == 40 && geometry->data != WS_NONE);
    const uint8_t *bytes = builds.blobs[geometry->data].bytes;
    CHECK(builds.blobs[geometry->data].size == 64);
    CHECK(memcmp(bytes, &boxes[0], 24) == 0 && memcmp(bytes + 40, &boxes[1], 24) == 0);
}

/* What the device wrote just before, between two dispatches of the same command buffer. */
static void run_computed(struct rig *rig)
{
    struct ws_gpu_buffer vertices = make_buffer(rig, NULL, 36);
    const struct ws_gpu_binding binding = {.buffer = &vertices};
    const struct ws_gpu_shader shader = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                         .name = "vertices.comp",
                                         .words = vertices_comp,
                                         .size = sizeof(vertices_comp)};
    struct ws_gpu_bindings bindings;
    CHECK(ws_gpu_bindings_init(&rig->gpu, &bindings, &binding, 1, VK_SHADER_STAGE_COMPUTE_BIT, 0, NULL));
    VkPipeline pipeline = ws_gpu_compute_pipeline(&rig->gpu, &bindings, &shader, NULL);
    CHECK(pipeline != VK_NULL_HANDLE);
    const VkAccelerationStructureGeometryKHR geometry = triangles(vertices.address, 3);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    struct target target;
    bottom_init(rig, &target, &geometry, &range, 1);

    VkCommandBuffer commands = begin(rig);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline, &bindings);
    vkCmdDispatch(commands, 1, 1, 1);
    everything_waits(commands);
    build(commands, &target, &range);
    everything_waits(commands);
    vkCmdDispatch(commands, 1, 1, 1);
    end_and_run(rig, commands);
    target_finish(rig, &target);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
    ws_gpu_bindings_finish(&rig->gpu, &bindings);
    ws_gpu_buffer_finish(&rig->gpu, &vertices);
}

static void check_computed(const struct recorded *recorded)
{
    float expected[9];
    for (uint32_t i = 0; i < 9; i++)
        expected[i] = 0.25f * (float)i;
    CHECK(recorded->count == 2);
    read(1);
    CHECK(builds.builds[0].chunk.moment == 1);
    CHECK(blob_is(builds.builds[0].geometries[0].data, expected, sizeof(expected)));
}

/* A structure that is built, moved in place, and then into another one. */
static void run_update(struct rig *rig)
{
    struct ws_gpu_buffer vertices = make_buffer(rig, positions, sizeof(positions));
    const VkAccelerationStructureGeometryKHR geometry = triangles(vertices.address, 6);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 2};
    struct target first, second;
    bottom_init(rig, &first, &geometry, &range, 1);
    bottom_init(rig, &second, &geometry, &range, 1);
    VkCommandBuffer commands = begin(rig);
    build(commands, &first, &range);
    end_and_run(rig, commands);

    memcpy(vertices.data, moved, sizeof(moved));
    commands = begin(rig);
    first.info.mode = second.info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
    first.info.srcAccelerationStructure = first.structure.handle;
    second.info.srcAccelerationStructure = first.structure.handle;
    build(commands, &first, &range);
    everything_waits(commands);
    build(commands, &second, &range);
    end_and_run(rig, commands);
    target_finish(rig, &first);
    target_finish(rig, &second);
    ws_gpu_buffer_finish(&rig->gpu, &vertices);
}

static void check_update(const struct recorded *recorded)
{
    (void)recorded;
    read(3);
    const struct recorded_build *build = builds.builds;
    CHECK(build[0].chunk.flags == 0 && build[0].chunk.source == WS_NONE);
    CHECK(build[1].chunk.flags == WS_BUILD_UPDATE && build[1].chunk.structure == build[0].chunk.structure);
    CHECK(build[1].chunk.source == build[0].chunk.structure);
    CHECK(build[2].chunk.flags == WS_BUILD_UPDATE && build[2].chunk.structure != build[0].chunk.structure);
    CHECK(build[2].chunk.source == build[0].chunk.structure);
    CHECK(blob_is(build[0].geometries[0].data, positions, sizeof(positions)));
    CHECK(blob_is(build[1].geometries[0].data, moved, sizeof(moved)));
    CHECK(build[2].geometries[0].data == build[1].geometries[0].data);
}

static VkAccelerationStructureInstanceKHR instance_of(const struct target *target, uint32_t custom)
{
    return ws_gpu_instance(&target->structure, (float[]){(float)custom, 0, 0}, (float[]){1, 1, 1}, 0, custom,
                           0);
}

static VkAccelerationStructureGeometryKHR instances_at(VkDeviceAddress address)
{
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
        .geometry.instances = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                               .data.deviceAddress = address},
    };
}

/* Two at the bottom in one command, and two on top of them. */
static void run_many(struct rig *rig)
{
    struct ws_gpu_buffer vertices = make_buffer(rig, positions, sizeof(positions));
    const VkAccelerationStructureGeometryKHR geometries[] = {triangles(vertices.address, 3),
                                                             triangles(vertices.address + 36, 3)};
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    struct target bottom[2], top[2];
    bottom_init(rig, &bottom[0], &geometries[0], &range, 1);
    bottom_init(rig, &bottom[1], &geometries[1], &range, 1);
    const VkAccelerationStructureInstanceKHR all[] = {
        instance_of(&bottom[1], 10), instance_of(&bottom[0], 11), instance_of(&bottom[0], 12)};
    struct ws_gpu_buffer instances = make_buffer(rig, all, sizeof(all));
    const VkAccelerationStructureGeometryKHR tops[] = {instances_at(instances.address),
                                                       instances_at(instances.address)};
    const VkAccelerationStructureBuildRangeInfoKHR top_ranges[] = {
        {.primitiveCount = 1}, {.primitiveCount = 2, .primitiveOffset = 64}};
    for (uint32_t i = 0; i < 2; i++)
        target_init(rig, &top[i], VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &tops[i], &top_ranges[i], 1);

    VkCommandBuffer commands = begin(rig);
    const VkAccelerationStructureGeometryKHR *pointer = &geometries[1];
    bottom[1].info.pGeometries = NULL;
    bottom[1].info.ppGeometries = &pointer;
    const VkAccelerationStructureBuildGeometryInfoKHR infos[] = {bottom[0].info, bottom[1].info};
    const VkAccelerationStructureBuildRangeInfoKHR *const ranges[] = {&range, &range};
    vkCmdBuildAccelerationStructuresKHR(commands, 2, infos, ranges);
    everything_waits(commands);
    build(commands, &top[0], &top_ranges[0]);
    build(commands, &top[1], &top_ranges[1]);
    end_and_run(rig, commands);
    for (uint32_t i = 0; i < 2; i++) {
        target_finish(rig, &bottom[i]);
        target_finish(rig, &top[i]);
    }
    ws_gpu_buffer_finish(&rig->gpu, &instances);
    ws_gpu_buffer_finish(&rig->gpu, &vertices);
}

static void check_many(const struct recorded *recorded)
{
    (void)recorded;
    read(4);
    const struct recorded_build *build = builds.builds;
    CHECK(blob_is(build[0].geometries[0].data, positions, 36));
    CHECK(blob_is(build[1].geometries[0].data, positions + 9, 36));
    CHECK(build[2].geometries[0].reference_count == 1 && build[3].geometries[0].reference_count == 2);
    CHECK(build[2].references[0][0] == build[1].chunk.structure);
    CHECK(build[3].references[0][0] == build[0].chunk.structure);
    CHECK(build[3].references[0][1] == build[0].chunk.structure);
    const struct ws_build_geometry *geometry = &build[3].geometries[0];
    CHECK(geometry->type == VK_GEOMETRY_TYPE_INSTANCES_KHR && geometry->primitive_count == 2);
    VkAccelerationStructureInstanceKHR instances[2];
    CHECK(builds.blobs[geometry->data].size == sizeof(instances));
    memcpy(instances, builds.blobs[geometry->data].bytes, sizeof(instances));
    CHECK(instances[0].instanceCustomIndex == 11 && instances[1].instanceCustomIndex == 12);
    CHECK(instances[0].accelerationStructureReference == builds.addresses[build[0].chunk.structure]);
}

/* Instances through pointers, of which the first is written by the command buffer itself. */
static void run_pointers(struct rig *rig)
{
    struct ws_gpu_buffer vertices = make_buffer(rig, positions, 36);
    const VkAccelerationStructureGeometryKHR geometry = triangles(vertices.address, 3);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    const VkAccelerationStructureBuildRangeInfoKHR top_range = {.primitiveCount = 2};
    struct target bottom, top;
    bottom_init(rig, &bottom, &geometry, &range, 1);
    const VkAccelerationStructureInstanceKHR all[] = {instance_of(&bottom, 1), instance_of(&bottom, 2)};
    struct ws_gpu_buffer instances = make_buffer(rig, all, sizeof(all));
    const VkDeviceAddress addresses[] = {0, instances.address};
    struct ws_gpu_buffer pointers;
    CHECK(ws_gpu_buffer_init(&rig->gpu, &pointers, WS_GPU_BUILD_INPUT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                             addresses, sizeof(addresses), NULL));
    VkAccelerationStructureGeometryKHR top_geometry = instances_at(pointers.address);
    top_geometry.geometry.instances.arrayOfPointers = VK_TRUE;
    target_init(rig, &top, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &top_geometry, &top_range, 1);
    const VkDeviceAddress second = instances.address + sizeof(all[0]);
    VkCommandBuffer commands = begin(rig);
    vkCmdUpdateBuffer(commands, pointers.buffer, 0, sizeof(second), &second);
    build(commands, &bottom, &range);
    everything_waits(commands);
    build(commands, &top, &top_range);
    end_and_run(rig, commands);
    target_finish(rig, &top);
    target_finish(rig, &bottom);
    ws_gpu_buffer_finish(&rig->gpu, &pointers);
    ws_gpu_buffer_finish(&rig->gpu, &instances);
    ws_gpu_buffer_finish(&rig->gpu, &vertices);
}

static void check_pointers(const struct recorded *recorded)
{
    (void)recorded;
    read(2);
    const struct ws_build_geometry *geometry = &builds.builds[1].geometries[0];
    VkAccelerationStructureInstanceKHR instances[2];
    CHECK(builds.builds[1].chunk.flags == WS_BUILD_LATER && geometry->reference_count == 2);
    CHECK(builds.builds[1].references[0][0] == builds.builds[0].chunk.structure);
    CHECK(builds.blobs[geometry->data].size == sizeof(instances));
    memcpy(instances, builds.blobs[geometry->data].bytes, sizeof(instances));
    CHECK(instances[0].instanceCustomIndex == 2 && instances[1].instanceCustomIndex == 1);
}

/* One command buffer, three times, over vertices that change; the build stands in a secondary one. */
static void run_again(struct rig *rig)
{
    struct ws_gpu_buffer vertices = make_buffer(rig, positions, 36);
    const VkAccelerationStructureGeometryKHR geometry = triangles(vertices.address, 3);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    const VkCommandBufferInheritanceInfo inheritance = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                 .pInheritanceInfo = &inheritance};
    VkPipeline pipeline = rig_count_pipeline(rig, 8);
    struct target target;
    bottom_init(rig, &target, &geometry, &range, 1);
    VkCommandBuffer secondary = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    CHECK(vkBeginCommandBuffer(secondary, &begin_info) == VK_SUCCESS);
    build(secondary, &target, &range);
    CHECK(vkEndCommandBuffer(secondary) == VK_SUCCESS);
    VkCommandBuffer commands = begin(rig);
    rig_dispatch(commands, pipeline, 1);
    vkCmdExecuteCommands(commands, 1, &secondary);
    rig_dispatch(commands, pipeline, 2);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    for (uint32_t i = 0; i < 3; i++) {
        memcpy(vertices.data, i == 1 ? moved : positions, 36);
        run_to_end(rig, commands);
    }
    target_finish(rig, &target);
    ws_gpu_buffer_finish(&rig->gpu, &vertices);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
}

static void check_again(const struct recorded *recorded)
{
    CHECK(recorded->count == 6);
    read(3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(builds.builds[i].chunk.moment == 2 * i + 1);
        CHECK(builds.builds[i].chunk.structure == builds.builds[0].chunk.structure);
        CHECK(blob_is(builds.builds[i].geometries[0].data, i == 1 ? moved : positions, 36));
    }
}

/* Frames and invocations choose what is counted, not what was built. */
static void run_chosen(struct rig *none)
{
    struct rig rig;
    (void)none;
    setenv("WARPSCOPE_INVOCATIONS", "5", 1);
    rig_init(&rig, &request);
    run_again(&rig);
    rig_finish(&rig);
}

static void check_chosen(const struct recorded *recorded)
{
    CHECK(recorded->count == 1 && recorded->invocations[0].index == 5);
    read(3);
    CHECK(builds.builds[1].chunk.moment == 3);
    CHECK(blob_is(builds.builds[1].geometries[0].data, moved, 36));
}

/* A structure at the address of one that is gone. */
static void run_address_again(struct rig *rig)
{
    struct ws_gpu_buffer vertices = make_buffer(rig, positions, sizeof(positions));
    const VkAccelerationStructureGeometryKHR geometry = triangles(vertices.address, 3);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    struct target bottom, top;
    bottom_init(rig, &bottom, &geometry, &range, 1);
    const VkAccelerationStructureInstanceKHR instance = instance_of(&bottom, 1);
    struct ws_gpu_buffer instances = make_buffer(rig, &instance, sizeof(instance));
    const VkAccelerationStructureGeometryKHR top_geometry = instances_at(instances.address);
    target_init(rig, &top, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &top_geometry, &range, 1);
    for (uint32_t i = 0; i < 2; i++) {
        VkCommandBuffer commands = begin(rig);
        build(commands, &bottom, &range);
        everything_waits(commands);
        build(commands, &top, &range);
        end_and_run(rig, commands);
        if (i == 1)
            break;
        const VkAccelerationStructureCreateInfoKHR again = {
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
            .buffer = bottom.structure.storage.buffer,
            .size = bottom.structure.storage.size,
            .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
        };
        vkDestroyAccelerationStructureKHR(rig->gpu.device, bottom.structure.handle, NULL);
        CHECK(vkCreateAccelerationStructureKHR(rig->gpu.device, &again, NULL, &bottom.structure.handle) ==
              VK_SUCCESS);
        bottom.info.dstAccelerationStructure = bottom.structure.handle;
        memcpy(vertices.data, moved, sizeof(moved));
    }
    target_finish(rig, &top);
    target_finish(rig, &bottom);
    ws_gpu_buffer_finish(&rig->gpu, &instances);
    ws_gpu_buffer_finish(&rig->gpu, &vertices);
}

static void check_address_again(const struct recorded *recorded)
{
    (void)recorded;
    read(4);
    const struct recorded_build *build = builds.builds;
    const uint32_t old = build[0].chunk.structure;
    const uint32_t new = build[2].chunk.structure;
    CHECK(old != new &&builds.addresses[old] == builds.addresses[new]);
    CHECK(builds.builds_before_gone[old] == 2 && builds.structure_count == 3);
    CHECK(build[1].references[0][0] == old && build[3].references[0][0] == new);
    CHECK(blob_is(build[0].geometries[0].data, positions, 36));
    CHECK(blob_is(build[2].geometries[0].data, moved, 36));
}

static void check_off(const struct recorded *recorded)
{
    CHECK(recorded->count == 6);
    read(0);
    CHECK(builds.structure_count == 0);
}

#define ON .setting = "WARPSCOPE_GEOMETRY", .value = "on", .request = &request

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "triangles", .run = run_triangles, .check = check_triangles, ON},
        {.name = "boxes", .run = run_boxes, .check = check_boxes, ON},
        {.name = "computed", .run = run_computed, .check = check_computed, ON},
        {.name = "update", .run = run_update, .check = check_update, ON},
        {.name = "many", .run = run_many, .check = check_many, ON},
        {.name = "pointers", .run = run_pointers, .check = check_pointers, ON},
        {.name = "again", .run = run_again, .check = check_again, ON},
        {.name = "chosen", .run = run_chosen, .check = check_chosen, .own_rigs = true, ON},
        {.name = "address_again", .run = run_address_again, .check = check_address_again, ON},
        {.name = "off", .run = run_again, .check = check_off, .request = &request},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
