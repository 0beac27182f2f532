/* Builds on the device: what is copied, cut and written, over a driver whose progress the test decides. */
#include "build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mock_builds.h"
#include "mock_objects.h"
#include "settings.h"
#include "warpscope/instrument.h"

/* A buffer of the application with bytes 0, 1, 2, ... */
#define BYTES 4096
static uint8_t content[BYTES];
static VkBuffer buffer;
static VkDeviceAddress base;
static VkAccelerationStructureKHR structures[2];

static VkBuffer make_buffer(VkDeviceSize size, uint8_t **data)
{
    VkBuffer made = VK_NULL_HANDLE;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    assert_int_equal(((PFN_vkCreateBuffer)mock_hook("vkCreateBuffer"))(mock_device(), &info, NULL, &made),
                     VK_SUCCESS);
    ((struct buffer *)made)->data = (char *)*data;
    const VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                               .buffer = made};
    ((PFN_vkGetBufferDeviceAddress)mock_hook("vkGetBufferDeviceAddress"))(mock_device(), &address);
    return made;
}

static VkAccelerationStructureKHR make_structure(VkDeviceSize offset)
{
    VkAccelerationStructureKHR made = VK_NULL_HANDLE;
    const VkAccelerationStructureCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = buffer,
        .offset = offset,
        .size = 256,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
    };
    assert_int_equal(((PFN_vkCreateAccelerationStructureKHR)mock_hook("vkCreateAccelerationStructureKHR"))(
                         mock_device(), &info, NULL, &made),
                     VK_SUCCESS);
    return made;
}

static int setup(void **state)
{
    (void)state;
    mock_init(1);
    mock_settings.geometry = true;
    for (uint32_t i = 0; i < BYTES; i++)
        content[i] = (uint8_t)(i * 7 + i / 256);
    uint8_t *data = content;
    buffer = make_buffer(BYTES, &data);
    base = (VkDeviceAddress)(uintptr_t)content;
    for (uint32_t i = 0; i < 2; i++)
        structures[i] = make_structure(256 * i);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++)
        ((PFN_vkDestroyAccelerationStructureKHR)mock_hook("vkDestroyAccelerationStructureKHR"))(
            mock_device(), structures[i], NULL);
    ((PFN_vkDestroyBuffer)mock_hook("vkDestroyBuffer"))(mock_device(), buffer, NULL);
    mock_finish();
    return 0;
}

/* Triangles whose vertices are at `vertices` and indices at `indices` of the buffer. */
static VkAccelerationStructureGeometryKHR triangles(VkDeviceSize vertices, VkDeviceSize stride,
                                                    VkIndexType type, VkDeviceSize indices,
                                                    uint32_t max_vertex)
{
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .geometry.triangles = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
                               .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                               .vertexData.deviceAddress = base + vertices,
                               .vertexStride = stride,
                               .maxVertex = max_vertex,
                               .indexType = type,
                               .indexData.deviceAddress = base + indices},
    };
}

static VkAccelerationStructureGeometryKHR boxes(VkDeviceSize data, VkDeviceSize stride)
{
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_AABBS_KHR,
        .geometry.aabbs = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
                           .data.deviceAddress = base + data,
                           .stride = stride},
    };
}

static VkAccelerationStructureGeometryKHR instances(VkDeviceSize data, bool pointers)
{
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
        .geometry.instances = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                               .arrayOfPointers = pointers,
                               .data.deviceAddress = base + data},
    };
}

static VkAccelerationStructureBuildGeometryInfoKHR
info_of(uint32_t target, uint32_t count, const VkAccelerationStructureGeometryKHR *geometries)
{
    return (VkAccelerationStructureBuildGeometryInfoKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .flags = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR,
        .dstAccelerationStructure = structures[target],
        .geometryCount = count,
        .pGeometries = geometries,
    };
}

static void build(VkCommandBuffer commands, const VkAccelerationStructureBuildGeometryInfoKHR *info,
                  const VkAccelerationStructureBuildRangeInfoKHR *ranges)
{
    ((PFN_vkCmdBuildAccelerationStructuresKHR)mock_hook("vkCmdBuildAccelerationStructuresKHR"))(
        commands, 1, info, &ranges);
}

/* Into structure 0, of one geometry. */
static void build_one(VkCommandBuffer commands, VkAccelerationStructureGeometryKHR geometry,
                      VkAccelerationStructureBuildRangeInfoKHR range)
{
    const VkAccelerationStructureBuildGeometryInfoKHR info = info_of(0, 1, &geometry);
    build(commands, &info, &range);
}

static void end(VkCommandBuffer commands)
{
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(commands);
}

static void submit(VkCommandBuffer commands)
{
    assert_int_equal(mock_submit(0, commands, 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
}

/* Runs what was submitted, and has the layer write it. */
static void finish(void)
{
    mock_run();
    ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device());
}

/* Records, executes and writes a build of one geometry; what was written of it. */
static const struct ws_build_geometry *built(VkAccelerationStructureGeometryKHR geometry,
                                             VkAccelerationStructureBuildRangeInfoKHR range)
{
    const uint32_t before = mock_builds.count;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_one(commands, geometry, range);
    end(commands);
    submit(commands);
    finish();
    assert_int_equal(mock_builds.count, before + 1);
    return &mock_build(before, 1)->geometries[0];
}

static void put_indices(VkDeviceSize at, uint32_t size, const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        memcpy(content + at + (VkDeviceSize)i * size, &indices[i], size);
}

/* Offsets are applied; vertices are those that the indices choose. */
static void test_indexed(void **state)
{
    static const uint32_t indices[] = {2, 0, 1, 1, 2, 4};
    static const struct {
        VkIndexType type;
        uint32_t size;
    } types[] = {{VK_INDEX_TYPE_UINT8_EXT, 1}, {VK_INDEX_TYPE_UINT16, 2}, {VK_INDEX_TYPE_UINT32, 4}};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        put_indices(1024 + 8, types[i].size, indices, 6);
        const struct ws_build_geometry *geometry =
            built(triangles(512, 20, types[i].type, 1024, 9),
                  (VkAccelerationStructureBuildRangeInfoKHR){
                      .primitiveCount = 2, .primitiveOffset = 8, .firstVertex = 3});
        assert_int_equal(geometry->capture_flags, 0);
        assert_int_equal(geometry->primitive_count, 2);
        assert_int_equal(geometry->index_type, types[i].type);
        assert_int_equal(geometry->max_vertex, 9);
        assert_int_equal(geometry->stride, 20);
        mock_assert_blob(geometry->data, content + 512 + 60, 4 * 20 + 12);
        mock_assert_blob(geometry->indices, content + 1024 + 8, (uint64_t)6 * types[i].size);
        mock_assert_blob(geometry->transform, NULL, 0);
    }
    assert_int_equal(mock_builds.commands, 3);
    assert_int_equal(mock.geometry_skipped, 0);
    /* One of the vertices, three of indices. */
    assert_int_equal(mock_builds.pieces, 4);
}

static void test_not_indexed(void **state)
{
    (void)state;
    VkAccelerationStructureGeometryKHR description = triangles(512, 16, VK_INDEX_TYPE_NONE_KHR, 0, 5);
    description.geometry.triangles.transformData.deviceAddress = base + 2048;
    const struct ws_build_geometry *geometry = built(
        description, (VkAccelerationStructureBuildRangeInfoKHR){
                         .primitiveCount = 2, .primitiveOffset = 4, .firstVertex = 2, .transformOffset = 48});
    assert_int_equal(geometry->capture_flags, 0);
    mock_assert_blob(geometry->data, content + 512 + 4 + 32, 5 * 16 + 12);
    mock_assert_blob(geometry->indices, NULL, 0);
    mock_assert_blob(geometry->transform, content + 2048 + 48, 48);
}

static void test_boxes(void **state)
{
    (void)state;
    const struct ws_build_geometry *geometry =
        built(boxes(256, 40),
              (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3, .primitiveOffset = 8});
    assert_int_equal(geometry->type, VK_GEOMETRY_TYPE_AABBS_KHR);
    assert_int_equal(geometry->primitive_count, 3);
    assert_int_equal(geometry->stride, 40);
    mock_assert_blob(geometry->data, content + 264, 2 * 40 + 24);

    geometry = built(boxes(256, 24), (VkAccelerationStructureBuildRangeInfoKHR){0});
    assert_int_equal(geometry->primitive_count, 0);
    assert_int_equal(geometry->capture_flags, 0);
    mock_assert_blob(geometry->data, NULL, 0);
}

/* Every format that the specification names, where three vertices stand side by side. */
static void test_formats(void **state)
{
    static const struct {
        VkFormat format;
        uint32_t size;
    } formats[] = {
        {VK_FORMAT_R32G32_SFLOAT, 8},        {VK_FORMAT_R32G32B32_SFLOAT, 12},
        {VK_FORMAT_R16G16_SFLOAT, 4},        {VK_FORMAT_R16G16B16A16_SFLOAT, 8},
        {VK_FORMAT_R16G16_SNORM, 4},         {VK_FORMAT_R16G16B16A16_SNORM, 8},
        {VK_FORMAT_R16G16B16_SFLOAT, 6},     {VK_FORMAT_R16G16B16_SNORM, 6},
        {VK_FORMAT_R64G64B64_SFLOAT, 24},    {VK_FORMAT_R8G8B8A8_SNORM, 4},
        {VK_FORMAT_R32G32B32A32_SFLOAT, 16}, {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        VkAccelerationStructureGeometryKHR description =
            triangles(0, formats[i].size, VK_INDEX_TYPE_NONE_KHR, 0, 2);
        description.geometry.triangles.vertexFormat = formats[i].format;
        const struct ws_build_geometry *geometry =
            built(description, (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
        assert_int_equal(geometry->vertex_format, formats[i].format);
        mock_assert_blob(geometry->data, content, 3 * formats[i].size);
    }
}

/* The buffer ends before the range does; and where nothing is known nothing is copied. */
static void test_clipped_and_unknown(void **state)
{
    (void)state;
    const struct ws_build_geometry *geometry =
        built(boxes(BYTES - 60, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    assert_int_equal(geometry->capture_flags, WS_GEOMETRY_CLIPPED);
    mock_assert_blob(geometry->data, content + BYTES - 60, 60);
    assert_int_equal(mock.geometry_skipped, 1);

    geometry = built(boxes(BYTES + 64, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    assert_int_equal(geometry->capture_flags, WS_GEOMETRY_UNKNOWN);
    mock_assert_blob(geometry->data, NULL, 0);
    assert_int_equal(mock.geometry_skipped, 2);

    /* The application's maxVertex reaches past the buffer, its indices do not. */
    put_indices(0, 4, (const uint32_t[]){0, 1, 2}, 3);
    geometry = built(triangles(BYTES - 36, 12, VK_INDEX_TYPE_UINT32, 0, 1000),
                     (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    assert_int_equal(geometry->capture_flags, 0);
    mock_assert_blob(geometry->data, content + BYTES - 36, 36);
    put_indices(0, 4, (const uint32_t[]){0, 1, 3}, 3);
    geometry = built(triangles(BYTES - 36, 12, VK_INDEX_TYPE_UINT32, 0, 1000),
                     (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    assert_int_equal(geometry->capture_flags, WS_GEOMETRY_CLIPPED);
    mock_assert_blob(geometry->data, content + BYTES - 36, 36);

    VkAccelerationStructureGeometryKHR other = boxes(0, 24);
    other.geometryType = (VkGeometryTypeKHR)1000429004; /* spheres */
    geometry = built(other, (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    assert_int_equal(geometry->capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(geometry->primitive_count, 3);
    assert_int_equal(mock.geometry_skipped, 4);
}

/* Each geometry reads a part of the same: the device copies it once. */
static void test_shared_ranges(void **state)
{
    (void)state;
    const VkAccelerationStructureGeometryKHR geometries[] = {boxes(0, 24), boxes(48, 24), boxes(24, 24),
                                                             boxes(2048, 24)};
    const VkAccelerationStructureGeometryKHR *pointers[] = {&geometries[0], &geometries[1], &geometries[2],
                                                            &geometries[3]};
    const VkAccelerationStructureBuildRangeInfoKHR ranges[] = {
        {.primitiveCount = 10}, {.primitiveCount = 9}, {.primitiveCount = 3}, {.primitiveCount = 1}};
    VkAccelerationStructureBuildGeometryInfoKHR info = info_of(0, 4, NULL);
    info.ppGeometries = pointers;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const uint64_t before = mock_layer_device.geometry_size;
    build(commands, &info, ranges);
    assert_int_equal(mock_layer_device.geometry_size - before, 272 + 32); /* 264 and 24, rounded up to 16 */
    end(commands);
    submit(commands);
    finish();
    const struct mock_build *build = mock_build(0, 4);
    mock_assert_blob(build->geometries[0].data, content, 240);
    mock_assert_blob(build->geometries[1].data, content + 48, 216);
    mock_assert_blob(build->geometries[2].data, content + 24, 72);
    mock_assert_blob(build->geometries[3].data, content + 2048, 24);
}

/* Each execution of a command buffer has what it read: between them the memory changed. */
static void test_submitted_again(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(commands, 5);
    build_one(commands, boxes(0, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_dispatch(commands, 6);
    end(commands);
    uint8_t first[24], second[24];
    memcpy(first, content, 24);
    submit(commands);
    submit(commands);
    mock_run();
    content[3] ^= 0xff;
    memcpy(second, content, 24);
    submit(commands);
    finish();
    assert_int_equal(mock_builds.count, 3);
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, first, 24);
    mock_assert_blob(mock_build(1, 1)->geometries[0].data, first, 24);
    mock_assert_blob(mock_build(2, 1)->geometries[0].data, second, 24);
    /* Between the two dispatches of each. */
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(mock_build(i, 1)->chunk.moment, 2 * i + 1);
        assert_int_equal(mock_build(i, 1)->written, 2 * i); /* before what reads it */
    }
    assert_int_equal(mock.written_count, 6);
}

/* In one submission the same command buffer twice, whose results the second execution overwrites. */
static void test_twice_in_one_submission(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_one(commands, boxes(0, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    end(commands);
    const VkCommandBuffer twice[] = {commands, commands};
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 2, .pCommandBuffers = twice};
    assert_int_equal(mock_submit_info(0, &info, VK_NULL_HANDLE), VK_SUCCESS);
    finish();
    assert_int_equal(mock_builds.count, 2);
    mock_assert_blob(mock_build(1, 1)->geometries[0].data, content, 24);
}

static void test_secondary(void **state)
{
    (void)state;
    VkCommandBuffer secondary = mock_begun(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    mock_dispatch(secondary, 1);
    build_one(secondary, boxes(48, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 2});
    end(secondary);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(commands, 2);
    build_one(commands, boxes(0, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    const VkCommandBuffer twice[] = {secondary, secondary};
    ((PFN_vkCmdExecuteCommands)mock_hook("vkCmdExecuteCommands"))(commands, 2, twice);
    mock_dispatch(commands, 3);
    end(commands);
    submit(commands);
    finish();
    static const uint64_t moments[] = {1, 2, 3};
    assert_int_equal(mock_builds.count, 3);
    assert_int_equal(mock.written_count, 4);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(mock_build(i, 1)->chunk.moment, moments[i]);
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, content, 24);
    mock_assert_blob(mock_build(1, 1)->geometries[0].data, content + 48, 48);
    mock_assert_blob(mock_build(2, 1)->geometries[0].data, content + 48, 48);
}

/* What is not wanted has been built all the same. */
static void test_before_the_chosen_invocations(void **state)
{
    (void)state;
    mock_settings.invocations.first = 2;
    mock_settings.frames.first = 1;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(commands, 1);
    build_one(commands, boxes(0, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    end(commands);
    submit(commands);
    finish();
    assert_int_equal(mock.written_count, 0);
    assert_int_equal(mock_builds.count, 1);
    assert_int_equal(mock_build(0, 1)->chunk.moment, 1);
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, content, 24);
}

static void test_update(void **state)
{
    (void)state;
    const VkAccelerationStructureGeometryKHR geometry = boxes(0, 24);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    VkAccelerationStructureBuildGeometryInfoKHR info = info_of(1, 1, &geometry);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build(commands, &info, &range);
    info = info_of(0, 1, &geometry);
    info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
    info.srcAccelerationStructure = structures[1];
    build(commands, &info, &range);
    end(commands);
    submit(commands);
    finish();
    const struct ws_chunk_build *first = &mock_build(0, 1)->chunk;
    const struct ws_chunk_build *second = &mock_build(1, 1)->chunk;
    assert_int_equal(first->flags, 0);
    assert_int_equal(first->source, WS_NONE);
    assert_int_equal(first->build_flags, VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR);
    assert_int_equal(second->flags, WS_BUILD_UPDATE);
    assert_int_equal(second->source, first->structure);
    assert_int_not_equal(second->structure, first->structure);
}

static VkAccelerationStructureInstanceKHR instance_of(uint64_t reference, uint32_t custom)
{
    VkAccelerationStructureInstanceKHR instance = {.instanceCustomIndex = custom & 0xffffff};
    instance.accelerationStructureReference = reference;
    return instance;
}

static VkDeviceAddress address_of(VkAccelerationStructureKHR structure)
{
    const VkAccelerationStructureDeviceAddressInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = structure,
    };
    return ((PFN_vkGetAccelerationStructureDeviceAddressKHR)mock_hook(
        "vkGetAccelerationStructureDeviceAddressKHR"))(mock_device(), &info);
}

static void test_instances(void **state)
{
    (void)state;
    const VkAccelerationStructureInstanceKHR all[] = {
        instance_of(address_of(structures[0]), 1), instance_of(12345, 2),
        instance_of(address_of(structures[1]), 3), instance_of(0, 4)};
    memcpy(content + 1024 + 16, all, sizeof(all));
    const VkAccelerationStructureGeometryKHR geometry = instances(1024, false);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 4, .primitiveOffset = 16};
    const struct ws_build_geometry *written = built(geometry, range);
    assert_int_equal(written->reference_count, 4);
    mock_assert_blob(written->data, all, sizeof(all));
    static const uint32_t expected[] = {0, WS_NONE, 1, WS_NONE};
    assert_memory_equal(mock_builds.builds[0].references[0], expected, sizeof(expected));
}

/* Pointers are read when the build is executed, what they point at when that has finished. */
static void build_pointers(VkFence fence)
{
    const VkAccelerationStructureInstanceKHR all[] = {instance_of(address_of(structures[1]), 1),
                                                      instance_of(address_of(structures[0]), 2)};
    memcpy(content + 1024, &all[0], sizeof(all[0]));
    memcpy(content + 2048, &all[1], sizeof(all[1]));
    const VkDeviceAddress pointers[] = {base + 2048, base + 1024, base + 2048};
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_one(commands, instances(512, true),
              (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3, .primitiveOffset = 8});
    end(commands);
    memcpy(content + 520, pointers, sizeof(pointers));
    assert_int_equal(mock_submit(0, commands, 0, 0, fence), VK_SUCCESS);
}

static void assert_pointers_followed(void)
{
    const struct mock_build *build = mock_build(0, 1);
    assert_int_equal(build->chunk.flags, WS_BUILD_LATER);
    assert_int_equal(build->geometries[0].capture_flags, 0);
    assert_int_equal(build->geometries[0].primitive_count, 3);
    static const uint32_t expected[] = {0, 1, 0};
    assert_int_equal(build->geometries[0].reference_count, 3);
    assert_memory_equal(build->references[0], expected, sizeof(expected));
    const uint8_t *bytes = mock_builds.blobs[build->geometries[0].data].bytes;
    assert_int_equal(mock_builds.blobs[build->geometries[0].data].size, 192);
    assert_memory_equal(bytes, content + 2048, 64);
    assert_memory_equal(bytes + 64, content + 1024, 64);
    assert_memory_equal(bytes + 128, content + 2048, 64);
    assert_int_equal(mock.geometry_skipped, 0);
}

static void test_pointers(void **state)
{
    (void)state;
    build_pointers(VK_NULL_HANDLE);
    finish();
    assert_pointers_followed();
}

/* A wait for a fence names no queue: one is borrowed. */
static void test_pointers_behind_a_fence(void **state)
{
    (void)state;
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    assert_int_equal(mock_layer_device.next.CreateFence(mock_device(), &info, NULL, &fence), VK_SUCCESS);
    build_pointers(fence);
    mock_run();
    ((PFN_vkGetFenceStatus)mock_hook("vkGetFenceStatus"))(mock_device(), fence);
    assert_int_equal(mock_builds.count, 0); /* it may not wait */
    ((PFN_vkWaitForFences)mock_hook("vkWaitForFences"))(mock_device(), 1, &fence, VK_TRUE, UINT64_MAX);
    assert_pointers_followed();
    mock_layer_device.next.DestroyFence(mock_device(), fence, NULL);
}

static void test_wrong_pointers(void **state)
{
    (void)state;
    const VkAccelerationStructureInstanceKHR instance = instance_of(address_of(structures[1]), 1);
    const VkDeviceAddress pointers[] = {12, base + 1024};
    memcpy(content + 1024, &instance, sizeof(instance));
    memcpy(content + 512, pointers, sizeof(pointers));
    const struct ws_build_geometry *geometry =
        built(instances(512, true), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 2});
    assert_int_equal(geometry->capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(geometry->reference_count, 2);
    static const uint32_t expected[] = {WS_NONE, 1};
    assert_memory_equal(mock_builds.builds[0].references[0], expected, sizeof(expected));
    assert_int_equal(mock.geometry_skipped, 1);
}

static void build_indirect(VkCommandBuffer commands, const VkAccelerationStructureGeometryKHR *geometries,
                           uint32_t count, VkDeviceSize at, uint32_t stride, const uint32_t *most)
{
    const VkAccelerationStructureBuildGeometryInfoKHR info = info_of(0, count, geometries);
    const VkDeviceAddress address = base + at;
    ((PFN_vkCmdBuildAccelerationStructuresIndirectKHR)mock_hook(
        "vkCmdBuildAccelerationStructuresIndirectKHR"))(commands, 1, &info, &address, &stride, &most);
}

/* Counts and offsets are those that the device read, however they came there. */
static void test_indirect(void **state)
{
    static const uint32_t most[] = {4, 10};
    (void)state;
    const VkAccelerationStructureGeometryKHR geometries[] = {
        boxes(256, 24), triangles(512, 12, VK_INDEX_TYPE_UINT16, 1024, 9)};
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_indirect(commands, geometries, 2, 2048, 20, most);
    end(commands);
    const VkAccelerationStructureBuildRangeInfoKHR ranges[] = {
        {.primitiveCount = 3, .primitiveOffset = 48},
        {.primitiveCount = 1, .primitiveOffset = 6, .firstVertex = 2}};
    memcpy(content + 2048, &ranges[0], sizeof(ranges[0]));
    memcpy(content + 2068, &ranges[1], sizeof(ranges[1]));
    put_indices(1030, 2, (const uint32_t[]){0, 1, 2}, 3);
    submit(commands);
    finish();
    const struct mock_build *build = mock_build(0, 2);
    assert_int_equal(build->chunk.flags, WS_BUILD_INDIRECT);
    assert_int_equal(build->geometries[0].primitive_count, 3);
    assert_int_equal(build->geometries[0].capture_flags, 0);
    mock_assert_blob(build->geometries[0].data, content + 256 + 48, 72);
    assert_int_equal(build->geometries[1].primitive_count, 1);
    assert_int_equal(build->geometries[1].capture_flags, 0);
    mock_assert_blob(build->geometries[1].indices, content + 1030, 6);
    mock_assert_blob(build->geometries[1].data, content + 512 + 24, 36);
    assert_int_equal(mock.geometry_skipped, 0);
}

/* A count past the largest that was promised is not believed; ranges that cannot be had are said. */
static void test_indirect_wrong(void **state)
{
    static const uint32_t most[] = {2};
    (void)state;
    const VkAccelerationStructureGeometryKHR geometry = boxes(256, 24);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1000};
    memcpy(content + 2048, &range, sizeof(range));
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_indirect(commands, &geometry, 1, 2048, 16, most);
    build_indirect(commands, &geometry, 1, BYTES, 16, most);
    end(commands);
    submit(commands);
    finish();
    assert_int_equal(mock_build(0, 1)->geometries[0].primitive_count, 2);
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, content + 256, 48);
    assert_int_equal(mock_build(1, 1)->geometries[0].primitive_count, 0);
    assert_int_equal(mock_build(1, 1)->geometries[0].capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(mock.geometry_skipped, 1);
}

/* What recordings hold is bounded; when they go there is room again. */
static void test_limit(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_layer_device.geometry_size += WS_GEOMETRY_LIMIT - 40;
    build_one(commands, boxes(0, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    build_one(commands, boxes(48, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    end(commands);
    mock_layer_device.geometry_size -= WS_GEOMETRY_LIMIT - 40;
    submit(commands);
    finish();
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, content, 24);
    assert_int_equal(mock_build(1, 1)->geometries[0].capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(mock.geometry_skipped, 1);
    assert_int_equal(mock_layer_device.geometry_size, 32);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(commands, &begin);
    assert_int_equal(mock_layer_device.geometry_size, 0);
}

/* No memory for the host to read from: a build is written, without bytes. */
static void test_no_readback(void **state)
{
    (void)state;
    mock.no_host_memory = true;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_one(commands, boxes(0, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    end(commands);
    submit(commands);
    finish();
    assert_int_equal(mock_build(0, 1)->geometries[0].capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(mock.geometry_skipped, 1);
}

/* Whichever allocation fails, the command reaches the driver, and the build is written or counted. */
static void test_no_memory(void **state)
{
    (void)state;
    for (uint32_t at = 1; at < 40; at++) {
        const uint32_t reached = mock_builds.commands;
        const uint32_t written = mock_builds.count;
        const uint64_t skipped = mock.geometry_skipped;
        VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        mock.host_made = 0;
        mock.host_fails_at = at;
        build_one(commands, boxes(0, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
        end(commands);
        submit(commands);
        finish();
        const bool failed = mock.host_made >= at;
        mock.host_fails_at = 0;
        assert_int_equal(mock_builds.commands, reached + 1);
        const bool whole =
            mock_builds.count > written && mock_builds.builds[written].geometries[0].capture_flags == 0;
        assert_true(whole || mock.geometry_skipped > skipped);
        mock_builds.count = 0;
        if (!failed)
            return;
    }
    fail_msg("allocations without end");
}

/* The device is lost: what was pending is counted. */
static void test_lost(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_one(commands, boxes(0, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    end(commands);
    mock.lost = true;
    submit(commands);
    ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device());
    assert_int_equal(mock_builds.count, 0);
    assert_int_equal(mock.geometry_skipped, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_indexed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_indexed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_boxes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_formats, setup, teardown),
        cmocka_unit_test_setup_teardown(test_clipped_and_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shared_ranges, setup, teardown),
        cmocka_unit_test_setup_teardown(test_submitted_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_twice_in_one_submission, setup, teardown),
        cmocka_unit_test_setup_teardown(test_secondary, setup, teardown),
        cmocka_unit_test_setup_teardown(test_before_the_chosen_invocations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_update, setup, teardown),
        cmocka_unit_test_setup_teardown(test_instances, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pointers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pointers_behind_a_fence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_pointers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_indirect, setup, teardown),
        cmocka_unit_test_setup_teardown(test_indirect_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_readback, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
    };
    return cmocka_run_group_tests_name("layer build", tests, NULL, NULL);
}
