/* What builds on the device read: copied, cut and written, over a driver whose progress the test decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/settings.h"
#include "layer/core/vulkan_newer.h"
#include "layer/ray_tracing/geometry.h"
#include "tests/unit/layer/mock/application.h"
#include "tests/unit/layer/mock/building.h"
#include "tests/unit/layer/mock/builds.h"
#include "warpscope/instrument.h"

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
        mock_put_indices(1024 + 8, types[i].size, indices, 6);
        const struct ws_build_geometry *geometry =
            mock_built(mock_triangles(512, 20, types[i].type, 1024, 9),
                       (VkAccelerationStructureBuildRangeInfoKHR){
                           .primitiveCount = 2, .primitiveOffset = 8, .firstVertex = 3});
        assert_int_equal(geometry->capture_flags, 0);
        assert_int_equal(geometry->primitive_count, 2);
        assert_int_equal(geometry->index_type, types[i].type);
        assert_int_equal(geometry->max_vertex, 9);
        assert_int_equal(geometry->stride, 20);
        mock_assert_blob(geometry->data, mock_application.content + 512 + 60, 4 * 20 + 12);
        mock_assert_blob(geometry->indices, mock_application.content + 1024 + 8, (uint64_t)6 * types[i].size);
        mock_assert_blob(geometry->transform, NULL, 0);
    }
    assert_int_equal(mock_builds.commands, 3);
    assert_int_equal(mock.geometry_skipped, 0);
    /* One of the vertices, three of indices. */
    assert_int_equal(mock_builds.pieces, 4);
}

/* Where it was read: from the first byte of the blobs on, as much as primitives use. */
static void test_sources(void **state)
{
    (void)state;
    mock_put_indices(1024 + 8, 4, (const uint32_t[]){2, 0, 1, 1, 2, 4}, 6);
    mock_built(mock_triangles(512, 20, VK_INDEX_TYPE_UINT32, 1024, 9),
               (VkAccelerationStructureBuildRangeInfoKHR){
                   .primitiveCount = 2, .primitiveOffset = 8, .firstVertex = 3});
    const struct mock_build *build = mock_build(0, 1);
    assert_int_equal(build->chunk.source_count, 1);
    const struct ws_build_source *source = &build->sources[0];
    assert_int_equal(source->geometry, 0);
    assert_true(source->address == mock_application.base + 512 + 60 && source->size == 4 * 20 + 12);
    assert_true(source->index_address == mock_application.base + 1024 + 8 && source->index_size == 24);
    assert_int_equal(source->buffer, WS_NONE); /* what is bound is not followed here */

    mock_built(mock_boxes(MOCK_BYTES - 60, 24),
               (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    build = mock_build(1, 1);
    assert_int_equal(build->chunk.source_count, 1);
    assert_true(build->sources[0].address == mock_application.base + MOCK_BYTES - 60 &&
                build->sources[0].size == 60 && build->sources[0].index_size == 0);

    mock_built(mock_boxes(MOCK_BYTES + 64, 24),
               (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    assert_int_equal(mock_build(2, 1)->chunk.source_count, 0);
}

static void test_not_indexed(void **state)
{
    (void)state;
    VkAccelerationStructureGeometryKHR description = mock_triangles(512, 16, VK_INDEX_TYPE_NONE_KHR, 0, 5);
    description.geometry.triangles.transformData.deviceAddress = mock_application.base + 2048;
    const struct ws_build_geometry *geometry = mock_built(
        description, (VkAccelerationStructureBuildRangeInfoKHR){
                         .primitiveCount = 2, .primitiveOffset = 4, .firstVertex = 2, .transformOffset = 48});
    assert_int_equal(geometry->capture_flags, 0);
    mock_assert_blob(geometry->data, mock_application.content + 512 + 4 + 32, 5 * 16 + 12);
    mock_assert_blob(geometry->indices, NULL, 0);
    mock_assert_blob(geometry->transform, mock_application.content + 2048 + 48, 48);
}

static void test_boxes(void **state)
{
    (void)state;
    const struct ws_build_geometry *geometry =
        mock_built(mock_boxes(256, 40),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3, .primitiveOffset = 8});
    assert_int_equal(geometry->type, VK_GEOMETRY_TYPE_AABBS_KHR);
    assert_int_equal(geometry->primitive_count, 3);
    assert_int_equal(geometry->stride, 40);
    mock_assert_blob(geometry->data, mock_application.content + 264, 2 * 40 + 24);

    geometry = mock_built(mock_boxes(256, 24), (VkAccelerationStructureBuildRangeInfoKHR){0});
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
            mock_triangles(0, formats[i].size, VK_INDEX_TYPE_NONE_KHR, 0, 2);
        description.geometry.triangles.vertexFormat = formats[i].format;
        const struct ws_build_geometry *geometry =
            mock_built(description, (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
        assert_int_equal(geometry->vertex_format, formats[i].format);
        mock_assert_blob(geometry->data, mock_application.content, 3 * formats[i].size);
    }
}

/* The buffer ends before the range does; and where nothing is known nothing is copied. */
static void test_clipped_and_unknown(void **state)
{
    (void)state;
    const struct ws_build_geometry *geometry = mock_built(
        mock_boxes(MOCK_BYTES - 60, 24), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    assert_int_equal(geometry->capture_flags, WS_GEOMETRY_CLIPPED);
    mock_assert_blob(geometry->data, mock_application.content + MOCK_BYTES - 60, 60);
    assert_int_equal(mock.geometry_skipped, 1);

    geometry = mock_built(mock_boxes(MOCK_BYTES + 64, 24),
                          (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    assert_int_equal(geometry->capture_flags, WS_GEOMETRY_UNKNOWN);
    mock_assert_blob(geometry->data, NULL, 0);
    assert_int_equal(mock.geometry_skipped, 2);

    /* The application's maxVertex reaches past the buffer, its indices do not. */
    mock_put_indices(0, 4, (const uint32_t[]){0, 1, 2}, 3);
    geometry = mock_built(mock_triangles(MOCK_BYTES - 36, 12, VK_INDEX_TYPE_UINT32, 0, 1000),
                          (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    assert_int_equal(geometry->capture_flags, 0);
    mock_assert_blob(geometry->data, mock_application.content + MOCK_BYTES - 36, 36);
    mock_put_indices(0, 4, (const uint32_t[]){0, 1, 3}, 3);
    geometry = mock_built(mock_triangles(MOCK_BYTES - 36, 12, VK_INDEX_TYPE_UINT32, 0, 1000),
                          (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    assert_int_equal(geometry->capture_flags, WS_GEOMETRY_CLIPPED);
    mock_assert_blob(geometry->data, mock_application.content + MOCK_BYTES - 36, 36);

    VkAccelerationStructureGeometryKHR other = mock_boxes(0, 24);
    other.geometryType = (VkGeometryTypeKHR)1000429004; /* spheres */
    geometry = mock_built(other, (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    assert_int_equal(geometry->capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(geometry->primitive_count, 3);
    assert_int_equal(mock.geometry_skipped, 4);
}

/* Each geometry reads a part of the same: the device copies it once. */
static void test_shared_ranges(void **state)
{
    (void)state;
    const VkAccelerationStructureGeometryKHR geometries[] = {mock_boxes(0, 24), mock_boxes(48, 24),
                                                             mock_boxes(24, 24), mock_boxes(2048, 24)};
    const VkAccelerationStructureGeometryKHR *pointers[] = {&geometries[0], &geometries[1], &geometries[2],
                                                            &geometries[3]};
    const VkAccelerationStructureBuildRangeInfoKHR ranges[] = {
        {.primitiveCount = 10}, {.primitiveCount = 9}, {.primitiveCount = 3}, {.primitiveCount = 1}};
    VkAccelerationStructureBuildGeometryInfoKHR info = mock_build_info(0, 4, NULL);
    info.ppGeometries = pointers;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const uint64_t before = mock_layer_device.geometry_size;
    mock_cmd_build(commands, &info, ranges);
    assert_int_equal(mock_layer_device.geometry_size - before, 272 + 32); /* 264 and 24, rounded up to 16 */
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    const struct mock_build *build = mock_build(0, 4);
    mock_assert_blob(build->geometries[0].data, mock_application.content, 240);
    mock_assert_blob(build->geometries[1].data, mock_application.content + 48, 216);
    mock_assert_blob(build->geometries[2].data, mock_application.content + 24, 72);
    mock_assert_blob(build->geometries[3].data, mock_application.content + 2048, 24);
}

/* Each geometry's range runs past the end of the buffer: the device still copies it once. */
static void test_shared_and_clipped(void **state)
{
    (void)state;
    const VkAccelerationStructureGeometryKHR geometries[] = {
        mock_boxes(MOCK_BYTES - 120, 24), mock_boxes(MOCK_BYTES - 96, 24), mock_boxes(MOCK_BYTES - 48, 24)};
    const VkAccelerationStructureBuildRangeInfoKHR ranges[] = {
        {.primitiveCount = 10}, {.primitiveCount = 100}, {.primitiveCount = 2}};
    const VkAccelerationStructureBuildGeometryInfoKHR info = mock_build_info(0, 3, geometries);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_cmd_build(commands, &info, ranges);
    assert_int_equal(mock_layer_device.geometry_size, 128); /* 120, rounded up to 16 */
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    static const uint32_t sizes[] = {120, 96, 48};
    for (uint32_t i = 0; i < 3; i++) {
        const struct ws_build_geometry *written = &mock_build(0, 3)->geometries[i];
        assert_int_equal(written->capture_flags, i < 2 ? WS_GEOMETRY_CLIPPED : 0);
        mock_assert_blob(written->data, mock_application.content + MOCK_BYTES - sizes[i], sizes[i]);
    }
    assert_int_equal(mock.geometry_skipped, 2);
}

/* Two geometries of one large array of vertices, which use its first 1.2 and 1.5 MiB: one blob holds both. */
static void test_large_arrays_are_shared(void **state)
{
    const uint64_t size = (uint64_t)3 << 20;
    const uint32_t used[] = {100000, 125000};
    (void)state;
    const VkAccelerationStructureGeometryKHR description =
        mock_triangles(0, 12, VK_INDEX_TYPE_UINT32, 0, 200000);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    struct ws_geometry geometry;
    struct ws_build_geometry written[2];
    uint8_t *vertices = calloc(1, size);
    assert_non_null(vertices);
    ws_geometry_init(&geometry, &description, 0);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t indices[] = {0, 1, used[i]};
        const struct ws_input inputs[WS_INPUT_COUNT] = {{vertices, size},
                                                        {(const uint8_t *)indices, sizeof(indices)}};
        ws_geometry_put(mock_layer_device.capture, &geometry, &range, inputs, &written[i], NULL);
        assert_int_equal(written[i].capture_flags, 0);
    }
    assert_int_equal(written[0].data, written[1].data);
    mock_assert_blob(written[0].data, vertices, (uint64_t)2 << 20);
    free(vertices);
}

/* Counts and strides whose products are more than 64 bits hold. */
static void test_sizes_without_end(void **state)
{
    (void)state;
    static const uint8_t bytes[16] = {0};
    static const uint32_t indices[] = {0, 1, UINT32_MAX};
    VkAccelerationStructureGeometryKHR description =
        mock_triangles(0, UINT32_MAX, VK_INDEX_TYPE_NONE_KHR, 0, UINT32_MAX);
    VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = UINT32_MAX};
    struct ws_geometry geometry;
    struct ws_span spans[WS_INPUT_COUNT];
    ws_geometry_init(&geometry, &description, 0);
    ws_geometry_spans(&geometry, &range, spans);
    assert_int_equal(spans[WS_INPUT_DATA].size, UINT64_MAX / 2);
    assert_int_equal(mock_built(description, range)->capture_flags, WS_GEOMETRY_CLIPPED);

    description.geometry.triangles.indexType = VK_INDEX_TYPE_UINT32;
    range.primitiveCount = 1;
    ws_geometry_init(&geometry, &description, 0);
    const struct ws_input inputs[WS_INPUT_COUNT] = {{bytes, sizeof(bytes)},
                                                    {(const uint8_t *)indices, sizeof(indices)}};
    struct ws_build_geometry written;
    ws_geometry_put(mock_layer_device.capture, &geometry, &range, inputs, &written, NULL);
    assert_int_equal(written.capture_flags, WS_GEOMETRY_CLIPPED);
    mock_assert_blob(written.data, bytes, sizeof(bytes));
}

static void test_update(void **state)
{
    (void)state;
    const VkAccelerationStructureGeometryKHR geometry = mock_boxes(0, 24);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    VkAccelerationStructureBuildGeometryInfoKHR info = mock_build_info(1, 1, &geometry);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_cmd_build(commands, &info, &range);
    info = mock_build_info(0, 1, &geometry);
    info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
    info.srcAccelerationStructure = mock_application.structures[1];
    mock_cmd_build(commands, &info, &range);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    const struct ws_chunk_build *first = &mock_build(0, 1)->chunk;
    const struct ws_chunk_build *second = &mock_build(1, 1)->chunk;
    assert_int_equal(first->flags, 0);
    assert_int_equal(first->source, WS_NONE);
    assert_int_equal(first->build_flags, VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR);
    assert_int_equal(second->flags, WS_BUILD_UPDATE);
    assert_int_equal(second->source, first->structure);
    assert_int_not_equal(second->structure, first->structure);
}

static void test_instances(void **state)
{
    (void)state;
    const VkAccelerationStructureInstanceKHR all[] = {
        mock_instance(mock_address(mock_application.structures[0]), 1), mock_instance(12345, 2),
        mock_instance(mock_address(mock_application.structures[1]), 3), mock_instance(0, 4)};
    memcpy(mock_application.content + 1024 + 16, all, sizeof(all));
    const VkAccelerationStructureGeometryKHR geometry = mock_instances(1024, false);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 4, .primitiveOffset = 16};
    const struct ws_build_geometry *written = mock_built(geometry, range);
    assert_int_equal(written->reference_count, 4);
    mock_assert_blob(written->data, all, sizeof(all));
    static const uint32_t expected[] = {0, WS_NONE, 1, WS_NONE};
    assert_memory_equal(mock_builds.builds[0].references[0], expected, sizeof(expected));
}

static void build_indirect(VkCommandBuffer commands, const VkAccelerationStructureGeometryKHR *geometries,
                           uint32_t count, VkDeviceSize at, uint32_t stride, const uint32_t *most)
{
    const VkAccelerationStructureBuildGeometryInfoKHR info = mock_build_info(0, count, geometries);
    const VkDeviceAddress address = mock_application.base + at;
    ((PFN_vkCmdBuildAccelerationStructuresIndirectKHR)mock_hook(
        "vkCmdBuildAccelerationStructuresIndirectKHR"))(commands, 1, &info, &address, &stride, &most);
}

/* Counts and offsets are those that the device read, however they came there. */
static void test_indirect(void **state)
{
    static const uint32_t most[] = {4, 10};
    (void)state;
    const VkAccelerationStructureGeometryKHR geometries[] = {
        mock_boxes(256, 24), mock_triangles(512, 12, VK_INDEX_TYPE_UINT16, 1024, 9)};
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_indirect(commands, geometries, 2, 2048, 20, most);
    mock_end(commands);
    const VkAccelerationStructureBuildRangeInfoKHR ranges[] = {
        {.primitiveCount = 3, .primitiveOffset = 48},
        {.primitiveCount = 1, .primitiveOffset = 6, .firstVertex = 2}};
    memcpy(mock_application.content + 2048, &ranges[0], sizeof(ranges[0]));
    memcpy(mock_application.content + 2068, &ranges[1], sizeof(ranges[1]));
    mock_put_indices(1030, 2, (const uint32_t[]){0, 1, 2}, 3);
    mock_submit_one(commands);
    mock_run_all();
    const struct mock_build *build = mock_build(0, 2);
    assert_int_equal(build->chunk.flags, WS_BUILD_INDIRECT);
    assert_int_equal(build->geometries[0].primitive_count, 3);
    assert_int_equal(build->geometries[0].capture_flags, 0);
    mock_assert_blob(build->geometries[0].data, mock_application.content + 256 + 48, 72);
    assert_int_equal(build->geometries[1].primitive_count, 1);
    assert_int_equal(build->geometries[1].capture_flags, 0);
    mock_assert_blob(build->geometries[1].indices, mock_application.content + 1030, 6);
    mock_assert_blob(build->geometries[1].data, mock_application.content + 512 + 24, 36);
    assert_int_equal(mock.geometry_skipped, 0);
}

/* A count past the largest that was promised is not believed; ranges that cannot be had are said. */
static void test_indirect_wrong(void **state)
{
    static const uint32_t most[] = {2};
    (void)state;
    const VkAccelerationStructureGeometryKHR geometry = mock_boxes(256, 24);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1000};
    memcpy(mock_application.content + 2048, &range, sizeof(range));
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_indirect(commands, &geometry, 1, 2048, 16, most);
    build_indirect(commands, &geometry, 1, MOCK_BYTES, 16, most);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock_build(0, 1)->geometries[0].primitive_count, 2);
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, mock_application.content + 256, 48);
    assert_int_equal(mock_build(1, 1)->geometries[0].primitive_count, 0);
    assert_int_equal(mock_build(1, 1)->geometries[0].capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(mock.geometry_skipped, 1);
}

/* Executes a build of two triangles, the second without an index, with this in the chain; it is captured with these flags. */
static const struct mock_build *built_as(const void *chain, uint32_t flags)
{
    VkAccelerationStructureGeometryKHR triangles = mock_triangles(512, 12, VK_INDEX_TYPE_NONE_KHR, 0, 5);
    triangles.geometry.triangles.pNext = chain;
    const struct ws_build_geometry *geometry =
        mock_built(triangles, (VkAccelerationStructureBuildRangeInfoKHR){
                                  .primitiveCount = 2, .primitiveOffset = 24, .firstVertex = 1});
    assert_int_equal(geometry->capture_flags, flags);
    mock_assert_blob(geometry->data, mock_application.content + 548, 72);
    return mock_build(mock_builds.count - 1, 1);
}

static const struct mock_build *built_with(const void *chain)
{
    return built_as(chain, WS_GEOMETRY_MICROMAP);
}

/* The indices of micromaps are captured from where they are, whatever the range; with what the build is told of them. */
static void test_micromap_indices(void **state)
{
    (void)state;
    const VkMicromapUsageEXT usages[] = {{1, 4, VK_OPACITY_MICROMAP_FORMAT_4_STATE_EXT},
                                         {2, 3, VK_OPACITY_MICROMAP_FORMAT_2_STATE_EXT}};
    const VkMicromapUsageEXT *const pointers[] = {&usages[1], &usages[0]};
    VkAccelerationStructureTrianglesOpacityMicromapEXT ext = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_EXT,
        .indexType = VK_INDEX_TYPE_UINT16,
        .indexBuffer.deviceAddress = mock_application.base + 1030,
        .indexStride = 6,
        .baseTriangle = 9,
        .usageCountsCount = 2,
        .pUsageCounts = usages,
    };
    const struct mock_build *build = built_with(&ext);
    assert_int_equal(mock.geometry_skipped, 0); /* without a micromap object nothing is left out */
    assert_int_equal(build->chunk.micromap_count, 1);
    assert_int_equal(build->micromaps[0].geometry, 0);
    assert_int_equal(build->micromaps[0].index_type, VK_INDEX_TYPE_UINT16);
    assert_true(build->micromaps[0].stride == 6);
    assert_int_equal(build->micromaps[0].base, 9);
    mock_assert_blob(build->micromaps[0].indices, mock_application.content + 1030, 8);
    assert_int_equal(build->micromaps[0].usage_count, 2);
    assert_true(build->usages[0][0].count == 1 && build->usages[0][0].level == 4 &&
                build->usages[0][0].format == 2);
    assert_true(build->usages[0][1].count == 2 && build->usages[0][1].level == 3 &&
                build->usages[0][1].format == 1);

    ext.pUsageCounts = NULL;
    ext.ppUsageCounts = pointers;
    ext.indexBuffer.deviceAddress =
        mock_application.base + MOCK_BYTES - 2; /* the second index is not there */
    build = built_with(&ext);
    assert_int_equal(build->usages[0][0].count, 2);
    mock_assert_blob(build->micromaps[0].indices, mock_application.content + MOCK_BYTES - 2, 2);
    assert_int_equal(mock.geometry_skipped, 1);
    ext.indexBuffer.deviceAddress = 16; /* none is */
    build = built_with(&ext);
    assert_int_equal(build->micromaps[0].indices, WS_NONE);
    assert_int_equal(mock.geometry_skipped, 2);
    ext.indexType = (VkIndexType)77;
    build = built_with(&ext);
    assert_int_equal(build->micromaps[0].indices, WS_NONE);
    assert_int_equal(mock.geometry_skipped, 3);
}

/* Those of KHR, without indices and with; a build of a micromap itself is none. */
static void test_micromaps(void **state)
{
    (void)state;
    VkAccelerationStructureTrianglesOpacityMicromapKHR khr = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_KHR,
        .indexType = VK_INDEX_TYPE_NONE_KHR,
        .baseTriangle = 3,
        .micromap = mock_application.structures[1],
    };
    const struct mock_build *build = built_with(&khr);
    assert_int_equal(build->micromaps[0].indices, WS_NONE);
    assert_int_equal(build->micromaps[0].index_type, VK_INDEX_TYPE_NONE_KHR);
    assert_int_equal(build->micromaps[0].base, 3);
    assert_int_equal(build->micromaps[0].usage_count, 0);
    assert_int_equal(mock.geometry_skipped, 1); /* what the micromap holds */
    khr.indexType = VK_INDEX_TYPE_UINT8_EXT;
    khr.indexBuffer = mock_application.base + 77;
    khr.indexStride = 1;
    build = built_with(&khr);
    mock_assert_blob(build->micromaps[0].indices, mock_application.content + 77, 2);
    assert_int_equal(mock.geometry_skipped, 2);
    khr.micromap = VK_NULL_HANDLE;
    khr.indexType = VK_INDEX_TYPE_NONE_KHR; /* neither: its triangles are as without the structure */
    build = built_as(&khr, 0);
    assert_int_equal(build->chunk.micromap_count, 0);
    assert_int_equal(mock.geometry_skipped, 2);
    const VkAccelerationStructureGeometryKHR nothing = {.geometryType = (VkGeometryTypeKHR)1000623000};
    VkAccelerationStructureBuildGeometryInfoKHR info = mock_build_info(0, 1, &nothing);
    info.type = VK_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR;
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 4};
    const uint32_t builds = mock_builds.count;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_cmd_build(commands, &info, &range);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock_builds.count, builds);
    assert_int_equal(mock_builds.commands, 4);
    assert_int_equal(mock.geometry_skipped, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_indexed, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_not_indexed, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_sources, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_boxes, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_formats, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_clipped_and_unknown, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_shared_ranges, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_shared_and_clipped, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_large_arrays_are_shared, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_sizes_without_end, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_update, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_micromaps, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_micromap_indices, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_instances, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_indirect, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_indirect_wrong, mock_application_setup,
                                        mock_application_teardown),
    };
    return cmocka_run_group_tests_name("layer build", tests, NULL, NULL);
}
