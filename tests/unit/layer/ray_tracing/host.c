/* Acceleration structures built and copied on the host, which few drivers can: what the capture is told of
 * them, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/core/capture.h"
#include "layer/core/settings.h"
#include "tests/unit/layer/mock/application.h"
#include "tests/unit/layer/mock/builds.h"
#include "warpscope/instrument.h"

static const VkDeferredOperationKHR operation = (VkDeferredOperationKHR)77;

static const float vertices[5][3] = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 9, 9}};
static const uint16_t indices[] = {7, 7, 0, 1, 2};
static const VkAabbPositionsKHR boxes[] = {{0, 0, 0, 1, 1, 1}, {2, 2, 2, 3, 3, 3}};

static VkAccelerationStructureGeometryKHR triangles(void)
{
    return (VkAccelerationStructureGeometryKHR){
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .geometry.triangles = {.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                               .vertexData.hostAddress = vertices,
                               .vertexStride = sizeof(vertices[0]),
                               .maxVertex = 1000000, /* read no further than indices lead */
                               .indexType = VK_INDEX_TYPE_UINT16,
                               .indexData.hostAddress = indices},
    };
}

static VkResult build(VkDeferredOperationKHR deferred, uint32_t destination, uint32_t count,
                      const VkAccelerationStructureGeometryKHR *geometries,
                      const VkAccelerationStructureBuildRangeInfoKHR *ranges)
{
    const VkAccelerationStructureBuildGeometryInfoKHR info = {
        .flags = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR,
        .dstAccelerationStructure = mock_application.structures[destination],
        .geometryCount = count,
        .pGeometries = geometries,
    };
    return ((PFN_vkBuildAccelerationStructuresKHR)mock_hook("vkBuildAccelerationStructuresKHR"))(
        mock_device(), deferred, 1, &info, &ranges);
}

static VkResult build_triangles(VkDeferredOperationKHR deferred)
{
    const VkAccelerationStructureGeometryKHR geometry = triangles();
    return build(deferred, 0, 1, &geometry,
                 &(VkAccelerationStructureBuildRangeInfoKHR){
                     .primitiveCount = 1, .primitiveOffset = 4, .firstVertex = 1});
}

static VkResult join(void)
{
    return ((PFN_vkDeferredOperationJoinKHR)mock_hook("vkDeferredOperationJoinKHR"))(mock_device(),
                                                                                     operation);
}

static void destroy_operation(void)
{
    ((PFN_vkDestroyDeferredOperationKHR)mock_hook("vkDestroyDeferredOperationKHR"))(mock_device(), operation,
                                                                                    NULL);
}

static void assert_triangles(const struct mock_build *written, uint64_t moment)
{
    assert_int_equal(written->chunk.structure, 0);
    assert_int_equal(written->chunk.moment, moment);
    assert_int_equal(written->chunk.flags, WS_BUILD_HOST);
    assert_int_equal(written->chunk.build_flags, VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR);
    assert_int_equal(written->chunk.source, WS_NONE);
    assert_int_equal(written->geometries[0].capture_flags, 0);
    mock_assert_blob(written->geometries[0].data, vertices[1], 3 * sizeof(vertices[0]));
    mock_assert_blob(written->geometries[0].indices, indices + 2, 3 * sizeof(indices[0]));
    mock_assert_blob(written->geometries[0].transform, NULL, 0);
}

/* At once, between the launches that were submitted before and after. */
static void test_build(void **state)
{
    (void)state;
    mock_submit_one(mock_dispatching(3));
    mock_run();
    assert_int_equal(build_triangles(VK_NULL_HANDLE), VK_SUCCESS);
    assert_triangles(mock_build(0, 1), 1);
    assert_int_equal(mock_build(0, 1)->written, 1);
    mock_application.host_result = VK_ERROR_OUT_OF_HOST_MEMORY;
    assert_int_equal(build_triangles(VK_NULL_HANDLE), VK_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(mock_builds.count, 1);
    assert_int_equal(mock.geometry_skipped, 0);
}

/* Many vertices, behind which the application's memory ends, whatever it promised. */
static void test_nothing_is_read_past_the_indices(void **state)
{
    enum { USED = 100000 };
    static const uint32_t corners[] = {0, 1, USED - 1};
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t size = (size_t)USED * sizeof(vertices[0]);
    const size_t mapped = (size + page - 1) / page * page;
    uint8_t *memory = mmap(NULL, mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + mapped, page, PROT_NONE), 0);
    VkAccelerationStructureGeometryKHR geometry = triangles();
    geometry.geometry.triangles.vertexData.hostAddress = memory + mapped - size;
    geometry.geometry.triangles.indexType = VK_INDEX_TYPE_UINT32;
    geometry.geometry.triangles.indexData.hostAddress = corners;
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
    assert_int_equal(build(VK_NULL_HANDLE, 0, 1, &geometry, &range), VK_SUCCESS);
    assert_int_equal(mock_build(0, 1)->geometries[0].capture_flags, 0);
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, memory + mapped - size, size);
    munmap(memory, mapped + page);
}

/* Instances name structures by handle; they may be given by pointers. */
static void test_instances(void **state)
{
    (void)state;
    VkAccelerationStructureInstanceKHR instances[3] = {0};
    const VkAccelerationStructureInstanceKHR *pointers[3];
    VkAccelerationStructureGeometryKHR geometry = {
        .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
        .geometry.instances.data.hostAddress = instances,
    };
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 3};
    for (uint32_t i = 0; i < 3; i++) {
        instances[i].instanceCustomIndex = i;
        pointers[i] = &instances[i];
    }
    instances[0].accelerationStructureReference = (uint64_t)(uintptr_t)mock_application.structures[1];
    instances[2].accelerationStructureReference = (uint64_t)(uintptr_t)mock_application.structures[0];
    assert_int_equal(build(VK_NULL_HANDLE, 2, 1, &geometry, &range), VK_SUCCESS);
    geometry.geometry.instances.arrayOfPointers = VK_TRUE;
    geometry.geometry.instances.data.hostAddress = pointers;
    assert_int_equal(build(VK_NULL_HANDLE, 2, 1, &geometry, &range), VK_SUCCESS);
    for (uint32_t i = 0; i < 2; i++) {
        const struct mock_build *written = mock_build(i, 1);
        mock_assert_blob(written->geometries[0].data, instances, sizeof(instances));
        assert_int_equal(written->geometries[0].reference_count, 3);
        assert_int_equal(written->references[0][0], 1);
        assert_int_equal(written->references[0][1], WS_NONE);
        assert_int_equal(written->references[0][2], 0);
    }
}

/* Of micromaps the indices on the host are read; the KHR extension knows device addresses only. */
static void test_micromaps(void **state)
{
    (void)state;
    static const uint32_t indices[] = {UINT32_MAX, 7};
    const VkMicromapUsageEXT usage = {5, 2, VK_OPACITY_MICROMAP_FORMAT_4_STATE_EXT};
    const VkAccelerationStructureTrianglesOpacityMicromapEXT ext = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_EXT,
        .indexType = VK_INDEX_TYPE_UINT32,
        .indexBuffer.hostAddress = indices,
        .indexStride = 4,
        .usageCountsCount = 1,
        .pUsageCounts = &usage,
    };
    const VkAccelerationStructureTrianglesOpacityMicromapKHR khr = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_KHR,
        .indexType = VK_INDEX_TYPE_UINT32,
        .indexBuffer = 16,
        .indexStride = 4,
    };
    const VkAccelerationStructureBuildRangeInfoKHR range = {
        .primitiveCount = 1, .primitiveOffset = 4, .firstVertex = 1};
    VkAccelerationStructureGeometryKHR geometry = triangles();
    geometry.geometry.triangles.pNext = &ext;
    assert_int_equal(build(VK_NULL_HANDLE, 2, 1, &geometry, &range), VK_SUCCESS);
    assert_int_equal(mock_build(0, 1)->geometries[0].capture_flags, WS_GEOMETRY_MICROMAP);
    mock_assert_blob(mock_build(0, 1)->micromaps[0].indices, indices, 4);
    assert_int_equal(mock_build(0, 1)->usages[0][0].count, 5);
    assert_int_equal(mock.geometry_skipped, 0);
    geometry.geometry.triangles.pNext = &khr;
    assert_int_equal(build(VK_NULL_HANDLE, 2, 1, &geometry, &range), VK_SUCCESS);
    assert_int_equal(mock_build(1, 1)->micromaps[0].indices, WS_NONE);
    assert_int_equal(mock.geometry_skipped, 1);
}

/* Several geometries, by pointers to them; and an update of another structure. */
static void test_update(void **state)
{
    (void)state;
    const VkAccelerationStructureGeometryKHR two = {
        .geometryType = VK_GEOMETRY_TYPE_AABBS_KHR,
        .geometry.aabbs = {.data.hostAddress = boxes, .stride = sizeof(boxes[0])},
    };
    const VkAccelerationStructureGeometryKHR one = triangles();
    const VkAccelerationStructureGeometryKHR *const geometries[] = {&one, &two};
    const VkAccelerationStructureBuildRangeInfoKHR ranges[] = {
        {.primitiveCount = 1, .primitiveOffset = 4, .firstVertex = 1}, {.primitiveCount = 2}};
    const VkAccelerationStructureBuildRangeInfoKHR *const all_ranges = ranges;
    const VkAccelerationStructureBuildGeometryInfoKHR info = {
        .mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR,
        .srcAccelerationStructure = mock_application.structures[1],
        .dstAccelerationStructure = mock_application.structures[2],
        .geometryCount = 2,
        .ppGeometries = geometries,
    };
    assert_int_equal(((PFN_vkBuildAccelerationStructuresKHR)mock_hook("vkBuildAccelerationStructuresKHR"))(
                         mock_device(), VK_NULL_HANDLE, 1, &info, &all_ranges),
                     VK_SUCCESS);
    const struct mock_build *written = mock_build(0, 2);
    assert_int_equal(written->chunk.flags, WS_BUILD_HOST | WS_BUILD_UPDATE);
    assert_int_equal(written->chunk.structure, 2);
    assert_int_equal(written->chunk.source, 1);
    mock_assert_blob(written->geometries[1].data, boxes, sizeof(boxes));
}

/* It is written when the operation is complete, with what was there when it began. */
static void test_deferred_build(void **state)
{
    (void)state;
    assert_int_equal(build_triangles(operation), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(mock_builds.count, 0);
    mock_submit_one(mock_dispatching(3));
    assert_int_equal(join(), VK_SUCCESS);
    assert_triangles(mock_build(0, 1), 1);
    assert_int_equal(join(), VK_SUCCESS);
    assert_int_equal(mock_builds.count, 1);

    mock_application.host_result = VK_ERROR_OUT_OF_DEVICE_MEMORY; /* what failed is not there */
    assert_int_equal(build_triangles(operation), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(join(), VK_SUCCESS);
    assert_int_equal(mock_builds.count, 1);
    destroy_operation();
}

/* The operation's next use may be one that the layer does not see: a micromap's build. */
static void test_an_operation_is_used_again(void **state)
{
    (void)state;
    const PFN_vkGetDeferredOperationResultKHR get_result =
        (PFN_vkGetDeferredOperationResultKHR)mock_hook("vkGetDeferredOperationResultKHR");
    assert_int_equal(build_triangles(operation), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(get_result(mock_device(), operation), VK_NOT_READY);
    assert_int_equal(join(), VK_SUCCESS);
    assert_int_equal(get_result(mock_device(), operation), VK_SUCCESS);
    mock_application.operation = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    assert_int_equal(get_result(mock_device(), operation), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(mock_builds.count, 1);
    destroy_operation();
}

static VkResult copy(VkDeferredOperationKHR deferred, VkCopyAccelerationStructureModeKHR mode)
{
    const VkCopyAccelerationStructureInfoKHR info = {
        .src = mock_application.structures[0], .dst = mock_application.structures[1], .mode = mode};
    return ((PFN_vkCopyAccelerationStructureKHR)mock_hook("vkCopyAccelerationStructureKHR"))(mock_device(),
                                                                                             deferred, &info);
}

static VkResult serialize(VkDeferredOperationKHR deferred, uint8_t *bytes)
{
    const VkCopyAccelerationStructureToMemoryInfoKHR info = {
        .src = mock_application.structures[0],
        .dst.hostAddress = bytes,
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR,
    };
    return ((PFN_vkCopyAccelerationStructureToMemoryKHR)mock_hook("vkCopyAccelerationStructureToMemoryKHR"))(
        mock_device(), deferred, &info);
}

static VkResult deserialize(VkDeferredOperationKHR deferred, const uint8_t *bytes)
{
    const VkCopyMemoryToAccelerationStructureInfoKHR info = {
        .src.hostAddress = bytes,
        .dst = mock_application.structures[2],
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR,
    };
    return ((PFN_vkCopyMemoryToAccelerationStructureKHR)mock_hook("vkCopyMemoryToAccelerationStructureKHR"))(
        mock_device(), deferred, &info);
}

static void test_copies(void **state)
{
    (void)state;
    uint8_t bytes[MOCK_SERIALIZED];
    const XXH128_hash_t hash = XXH3_128bits(mock_application.serialized, MOCK_SERIALIZED);
    mock_submit_one(mock_dispatching(3));
    assert_int_equal(copy(VK_NULL_HANDLE, VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR), VK_SUCCESS);
    assert_int_equal(serialize(VK_NULL_HANDLE, bytes), VK_SUCCESS);
    assert_int_equal(deserialize(VK_NULL_HANDLE, bytes), VK_SUCCESS);
    assert_int_equal(mock_copied_count(), 3);
    assert_int_equal(mock_copied(0)->source, 0);
    assert_int_equal(mock_copied(0)->id, 1);
    assert_int_equal(mock_copied(0)->mode, VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);
    assert_int_equal(mock_copied(1)->source, 0);
    assert_int_equal(mock_copied(1)->id, WS_NONE);
    assert_int_equal(mock_copied(2)->source, WS_NONE);
    assert_int_equal(mock_copied(2)->id, 2);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(mock_copied(i)->moment, 1);
        assert_int_equal(mock_copied(i)->hash[0], i > 0 ? hash.low64 : 0);
        assert_int_equal(mock_copied(i)->hash[1], i > 0 ? hash.high64 : 0);
    }
    mock_application.host_result = VK_ERROR_UNKNOWN;
    assert_int_equal(copy(VK_NULL_HANDLE, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR), VK_ERROR_UNKNOWN);
    assert_int_equal(mock_copied_count(), 3);
}

static void test_deferred_copies(void **state)
{
    (void)state;
    uint8_t bytes[MOCK_SERIALIZED] = {0};
    assert_int_equal(copy(operation, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR),
                     VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(mock_copied_count(), 0);
    assert_int_equal(join(), VK_SUCCESS);
    assert_int_equal(mock_copied_count(), 1);
    assert_int_equal(serialize(operation, bytes), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(join(), VK_SUCCESS);
    assert_int_equal(mock_copied_count(), 2);
    assert_int_equal(mock_copied(1)->hash[0],
                     XXH3_128bits(mock_application.serialized, MOCK_SERIALIZED).low64);
    assert_int_equal(deserialize(operation, bytes), VK_OPERATION_DEFERRED_KHR);
    join();
    /* The application may free them now. */
    assert_int_equal(mock_copied_count(), 3);
    destroy_operation();
    assert_int_equal(mock_copied_count(), 3);
}

/* When the last chosen frame is over they are the driver's alone. */
static void test_behind_the_chosen(void **state)
{
    (void)state;
    uint8_t bytes[MOCK_SERIALIZED];
    mock_settings.frames.last = 0;
    mock_layer_device.capture->frames = 1;
    mock.host_made = 0;
    assert_int_equal(build_triangles(VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(copy(VK_NULL_HANDLE, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR), VK_SUCCESS);
    assert_int_equal(serialize(operation, bytes), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(join(), VK_SUCCESS);
    assert_int_equal(mock_application.commands, 3);
    assert_int_equal(mock_builds.count, 0);
    assert_int_equal(mock_copied_count(), 0);
    assert_int_equal(mock.host_made, 0);
    assert_int_equal(mock.geometry_skipped, 0);
}

/* Whichever allocation fails, the function reaches the driver; and what happened is written or counted. */
static void test_no_memory(void **state)
{
    (void)state;
    bool failed = true;
    for (uint32_t at = 1; failed; at++) {
        assert_true(at < 60);
        mock_builds.count = 0;
        mock.geometry_count = 0;
        mock.geometry_skipped = 0;
        mock_application.commands = 0;
        mock.host_made = 0;
        mock.host_fails_at = at;
        assert_int_equal(build_triangles(operation), VK_OPERATION_DEFERRED_KHR);
        join();
        destroy_operation();
        assert_int_equal(copy(operation, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR),
                         VK_OPERATION_DEFERRED_KHR);
        join();
        destroy_operation();
        failed = mock.host_made >= at;
        mock.host_fails_at = 0;
        assert_int_equal(mock_application.commands, 2);
        const bool built = mock_builds.count == 1 && mock_builds.builds[0].geometries[0].capture_flags == 0;
        assert_int_equal(mock.geometry_skipped, 2 - built - (mock_copied_count() == 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_build, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_nothing_is_read_past_the_indices, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_instances, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_update, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_micromaps, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_deferred_build, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_an_operation_is_used_again, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_copies, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_deferred_copies, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_behind_the_chosen, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, mock_application_setup, mock_application_teardown),
    };
    return cmocka_run_group_tests_name("layer host", tests, NULL, NULL);
}
