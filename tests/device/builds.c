/* Acceleration structures that are built on the device: what stands in the capture is what the builds read,
 * byte for byte, at the place in the order of commands where they read it. */
#include "tests/device/building.h"

#include <stdlib.h>
#include <string.h>

#include "tests/device/recorded_builds.h"
#include "vertices_comp.h"

static struct recorded_builds builds;

/* What the program writes into its buffers, and the capture must hold. */
static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0.5f, 3, 2, 1};
static const float moved[] = {0, 0, 1, 1, 0, 2, 0, 1, 3, 1, 1, 4, 2, 1, 5, 3, 2, 6};
static const VkTransformMatrixKHR transform = {{{2, 0, 0, 1}, {0, 2, 0, 2}, {0, 0, 2, 3}}};
static const VkAabbPositionsKHR boxes[] = {{0, 0, 0, 1, 1, 1}, {2, 2, 2, 3, 3, 4}};

/* Reads the builds, of which there must be `count`, all known. */
static void read(uint32_t count)
{
    CHECK(recorded_builds_read(&builds, rig_capture()));
    CHECK(builds.count == count && builds.skipped == 0);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < builds.builds[i].chunk.geometry_count; j++)
            CHECK(builds.builds[i].geometries[j].capture_flags == 0);
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
    struct ws_gpu_buffer strided = building_buffer(rig, vertices, sizeof(vertices));
    struct ws_gpu_buffer plain = building_buffer(rig, positions, sizeof(positions));
    struct ws_gpu_buffer small = building_buffer(rig, halves, sizeof(halves));
    struct ws_gpu_buffer first = building_buffer(rig, short_indices, sizeof(short_indices));
    struct ws_gpu_buffer second = building_buffer(rig, long_indices, sizeof(long_indices));
    struct ws_gpu_buffer matrices = building_buffer(rig, &transform, sizeof(transform));

    VkAccelerationStructureGeometryKHR geometries[BUILDING_GEOMETRIES] = {
        building_triangles(strided.address, 6),
        building_triangles(plain.address, 6),
        building_triangles(plain.address, 6),
        building_triangles(small.address, 3),
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
    const VkAccelerationStructureBuildRangeInfoKHR ranges[BUILDING_GEOMETRIES] = {
        {.primitiveCount = 2, .primitiveOffset = 4, .firstVertex = 1},
        {.primitiveCount = 1, .firstVertex = 3},
        {.primitiveCount = 1, .primitiveOffset = 12, .firstVertex = 2},
        {.primitiveCount = 1},
    };
    struct building target;
    building_bottom_init(rig, &target, geometries, ranges, BUILDING_GEOMETRIES);
    VkCommandBuffer commands = building_begin(rig);
    building_build(commands, &target, ranges);
    building_end(rig, commands);
    building_finish(rig, &target);
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
    CHECK(build->chunk.geometry_count == BUILDING_GEOMETRIES && build->chunk.moment == 0 &&
          build->chunk.flags == 0);
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
    struct ws_gpu_buffer data = building_buffer(rig, spread, sizeof(spread));
    const VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_AABBS_KHR,
        .geometry.aabbs = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
                           .data.deviceAddress = data.address,
                           .stride = 40},
    };
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 2, .primitiveOffset = 8};
    struct building target;
    building_bottom_init(rig, &target, &geometry, &range, 1);
    VkCommandBuffer commands = building_begin(rig);
    building_build(commands, &target, &range);
    building_end(rig, commands);
    building_finish(rig, &target);
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
    struct ws_gpu_buffer vertices = building_buffer(rig, NULL, 36);
    const struct ws_gpu_binding binding = {.buffer = &vertices};
    const struct ws_gpu_shader shader = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                         .name = "vertices.comp",
                                         .words = vertices_comp,
                                         .size = sizeof(vertices_comp)};
    struct ws_gpu_bindings bindings;
    CHECK(ws_gpu_bindings_init(&rig->gpu, &bindings, &binding, 1, VK_SHADER_STAGE_COMPUTE_BIT, 0, NULL));
    VkPipeline pipeline = ws_gpu_compute_pipeline(&rig->gpu, &bindings, &shader, NULL);
    CHECK(pipeline != VK_NULL_HANDLE);
    const VkAccelerationStructureGeometryKHR geometry = building_triangles(vertices.address, 3);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    struct building target;
    building_bottom_init(rig, &target, &geometry, &range, 1);

    VkCommandBuffer commands = building_begin(rig);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline, &bindings);
    vkCmdDispatch(commands, 1, 1, 1);
    building_wait(commands);
    building_build(commands, &target, &range);
    building_wait(commands);
    vkCmdDispatch(commands, 1, 1, 1);
    building_end(rig, commands);
    building_finish(rig, &target);
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
    struct ws_gpu_buffer vertices = building_buffer(rig, positions, sizeof(positions));
    const VkAccelerationStructureGeometryKHR geometry = building_triangles(vertices.address, 6);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 2};
    struct building first, second;
    building_bottom_init(rig, &first, &geometry, &range, 1);
    building_bottom_init(rig, &second, &geometry, &range, 1);
    VkCommandBuffer commands = building_begin(rig);
    building_build(commands, &first, &range);
    building_end(rig, commands);

    memcpy(vertices.data, moved, sizeof(moved));
    commands = building_begin(rig);
    first.info.mode = second.info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
    first.info.srcAccelerationStructure = first.structure.handle;
    second.info.srcAccelerationStructure = first.structure.handle;
    building_build(commands, &first, &range);
    building_wait(commands);
    building_build(commands, &second, &range);
    building_end(rig, commands);
    building_finish(rig, &first);
    building_finish(rig, &second);
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

/* Two at the bottom in one command, and two on top of them. */
static void run_many(struct rig *rig)
{
    struct ws_gpu_buffer vertices = building_buffer(rig, positions, sizeof(positions));
    const VkAccelerationStructureGeometryKHR geometries[] = {building_triangles(vertices.address, 3),
                                                             building_triangles(vertices.address + 36, 3)};
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    struct building bottom[2], top[2];
    building_bottom_init(rig, &bottom[0], &geometries[0], &range, 1);
    building_bottom_init(rig, &bottom[1], &geometries[1], &range, 1);
    const VkAccelerationStructureInstanceKHR all[] = {building_instance(&bottom[1], 10),
                                                      building_instance(&bottom[0], 11),
                                                      building_instance(&bottom[0], 12)};
    struct ws_gpu_buffer instances = building_buffer(rig, all, sizeof(all));
    const VkAccelerationStructureGeometryKHR tops[] = {building_instances(instances.address),
                                                       building_instances(instances.address)};
    const VkAccelerationStructureBuildRangeInfoKHR top_ranges[] = {
        {.primitiveCount = 1}, {.primitiveCount = 2, .primitiveOffset = 64}};
    for (uint32_t i = 0; i < 2; i++)
        building_init(rig, &top[i], VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &tops[i], &top_ranges[i],
                      1);

    VkCommandBuffer commands = building_begin(rig);
    const VkAccelerationStructureGeometryKHR *pointer = &geometries[1];
    bottom[1].info.pGeometries = NULL;
    bottom[1].info.ppGeometries = &pointer;
    const VkAccelerationStructureBuildGeometryInfoKHR infos[] = {bottom[0].info, bottom[1].info};
    const VkAccelerationStructureBuildRangeInfoKHR *const ranges[] = {&range, &range};
    vkCmdBuildAccelerationStructuresKHR(commands, 2, infos, ranges);
    building_wait(commands);
    building_build(commands, &top[0], &top_ranges[0]);
    building_build(commands, &top[1], &top_ranges[1]);
    building_end(rig, commands);
    for (uint32_t i = 0; i < 2; i++) {
        building_finish(rig, &bottom[i]);
        building_finish(rig, &top[i]);
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
    struct ws_gpu_buffer vertices = building_buffer(rig, positions, 36);
    const VkAccelerationStructureGeometryKHR geometry = building_triangles(vertices.address, 3);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    const VkAccelerationStructureBuildRangeInfoKHR top_range = {.primitiveCount = 2};
    struct building bottom, top;
    building_bottom_init(rig, &bottom, &geometry, &range, 1);
    const VkAccelerationStructureInstanceKHR all[] = {building_instance(&bottom, 1),
                                                      building_instance(&bottom, 2)};
    struct ws_gpu_buffer instances = building_buffer(rig, all, sizeof(all));
    const VkDeviceAddress addresses[] = {0, instances.address};
    struct ws_gpu_buffer pointers;
    CHECK(ws_gpu_buffer_init(&rig->gpu, &pointers, WS_GPU_BUILD_INPUT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                             addresses, sizeof(addresses), NULL));
    VkAccelerationStructureGeometryKHR top_geometry = building_instances(pointers.address);
    top_geometry.geometry.instances.arrayOfPointers = VK_TRUE;
    building_init(rig, &top, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &top_geometry, &top_range, 1);
    const VkDeviceAddress second = instances.address + sizeof(all[0]);
    VkCommandBuffer commands = building_begin(rig);
    vkCmdUpdateBuffer(commands, pointers.buffer, 0, sizeof(second), &second);
    building_build(commands, &bottom, &range);
    building_wait(commands);
    building_build(commands, &top, &top_range);
    building_end(rig, commands);
    building_finish(rig, &top);
    building_finish(rig, &bottom);
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
    struct ws_gpu_buffer vertices = building_buffer(rig, positions, 36);
    const VkAccelerationStructureGeometryKHR geometry = building_triangles(vertices.address, 3);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    const VkCommandBufferInheritanceInfo inheritance = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                 .pInheritanceInfo = &inheritance};
    VkPipeline pipeline = rig_count_pipeline(rig, 8);
    struct building target;
    building_bottom_init(rig, &target, &geometry, &range, 1);
    VkCommandBuffer secondary = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    CHECK(vkBeginCommandBuffer(secondary, &begin_info) == VK_SUCCESS);
    building_build(secondary, &target, &range);
    CHECK(vkEndCommandBuffer(secondary) == VK_SUCCESS);
    VkCommandBuffer commands = building_begin(rig);
    rig_dispatch(commands, pipeline, 1);
    vkCmdExecuteCommands(commands, 1, &secondary);
    rig_dispatch(commands, pipeline, 2);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    for (uint32_t i = 0; i < 3; i++) {
        memcpy(vertices.data, i == 1 ? moved : positions, 36);
        building_run(rig, commands);
    }
    building_finish(rig, &target);
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

/* Frames and launches choose what is counted, not what was built. */
static void run_chosen(struct rig *none)
{
    struct rig rig;
    (void)none;
    setenv("WARPSCOPE_LAUNCHES", "5", 1);
    rig_init(&rig, &building_request);
    run_again(&rig);
    rig_finish(&rig);
}

static void check_chosen(const struct recorded *recorded)
{
    CHECK(recorded->count == 1 && recorded->launches[0].index == 5);
    read(3);
    CHECK(builds.builds[1].chunk.moment == 3);
    CHECK(blob_is(builds.builds[1].geometries[0].data, moved, 36));
}

/* A structure at the address of one that is gone. */
static void run_address_again(struct rig *rig)
{
    struct ws_gpu_buffer vertices = building_buffer(rig, positions, sizeof(positions));
    const VkAccelerationStructureGeometryKHR geometry = building_triangles(vertices.address, 3);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    struct building bottom, top;
    building_bottom_init(rig, &bottom, &geometry, &range, 1);
    const VkAccelerationStructureInstanceKHR instance = building_instance(&bottom, 1);
    struct ws_gpu_buffer instances = building_buffer(rig, &instance, sizeof(instance));
    const VkAccelerationStructureGeometryKHR top_geometry = building_instances(instances.address);
    building_init(rig, &top, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &top_geometry, &range, 1);
    for (uint32_t i = 0; i < 2; i++) {
        VkCommandBuffer commands = building_begin(rig);
        building_build(commands, &bottom, &range);
        building_wait(commands);
        building_build(commands, &top, &range);
        building_end(rig, commands);
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
    building_finish(rig, &top);
    building_finish(rig, &bottom);
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

#define ON .setting = "WARPSCOPE_GEOMETRY", .value = "on", .request = &building_request

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
        {.name = "off", .run = run_again, .check = check_off, .request = &building_request},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
