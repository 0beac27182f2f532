/* Executions of builds on the device, and what is written of them when something is missing. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "layer/core/settings.h"
#include "layer/ray_tracing/geometry.h"
#include "layer/ray_tracing/range_copy.h"
#include "layer/submit/submission.h"
#include "tests/unit/layer/mock/application.h"
#include "tests/unit/layer/mock/building.h"
#include "tests/unit/layer/mock/builds.h"
#include "warpscope/instrument.h"

/* Each execution of a command buffer has what it read: between them the memory changed. */
static void test_submitted_again(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(commands, 5);
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_dispatch(commands, 6);
    mock_end(commands);
    uint8_t first[24], second[24];
    memcpy(first, mock_application.content, 24);
    mock_submit_one(commands);
    mock_submit_one(commands);
    mock_run();
    mock_application.content[3] ^= 0xff;
    memcpy(second, mock_application.content, 24);
    mock_submit_one(commands);
    mock_run_all();
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
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_end(commands);
    const VkCommandBuffer twice[] = {commands, commands};
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 2, .pCommandBuffers = twice};
    assert_int_equal(mock_submit_info(0, &info, VK_NULL_HANDLE), VK_SUCCESS);
    mock_run_all();
    assert_int_equal(mock_builds.count, 2);
    mock_assert_blob(mock_build(1, 1)->geometries[0].data, mock_application.content, 24);
}

static void test_secondary(void **state)
{
    (void)state;
    VkCommandBuffer secondary = mock_begun(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    mock_dispatch(secondary, 1);
    mock_build_one(secondary, mock_boxes(48, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 2});
    mock_end(secondary);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(commands, 2);
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    const VkCommandBuffer twice[] = {secondary, secondary};
    ((PFN_vkCmdExecuteCommands)mock_hook("vkCmdExecuteCommands"))(commands, 2, twice);
    mock_dispatch(commands, 3);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    static const uint64_t moments[] = {1, 2, 3};
    assert_int_equal(mock_builds.count, 3);
    assert_int_equal(mock.written_count, 4);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(mock_build(i, 1)->chunk.moment, moments[i]);
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, mock_application.content, 24);
    mock_assert_blob(mock_build(1, 1)->geometries[0].data, mock_application.content + 48, 48);
    mock_assert_blob(mock_build(2, 1)->geometries[0].data, mock_application.content + 48, 48);
}

/* What is not wanted has been built all the same. */
static void test_before_the_chosen_launches(void **state)
{
    (void)state;
    mock_settings.launches.first = 2;
    mock_settings.frames.first = 1;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(commands, 1);
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock.written_count, 0);
    assert_int_equal(mock_builds.count, 1);
    assert_int_equal(mock_build(0, 1)->chunk.moment, 1);
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, mock_application.content, 24);
}

/* Pointers are read when the build is executed, what they point at when that has finished. */
static void build_pointers(VkFence fence)
{
    const VkAccelerationStructureInstanceKHR all[] = {
        mock_instance(mock_address(mock_application.structures[1]), 1),
        mock_instance(mock_address(mock_application.structures[0]), 2)};
    memcpy(mock_application.content + 1024, &all[0], sizeof(all[0]));
    memcpy(mock_application.content + 2048, &all[1], sizeof(all[1]));
    const VkDeviceAddress pointers[] = {mock_application.base + 2048, mock_application.base + 1024,
                                        mock_application.base + 2048};
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_build_one(commands, mock_instances(512, true),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3, .primitiveOffset = 8});
    mock_end(commands);
    memcpy(mock_application.content + 520, pointers, sizeof(pointers));
    assert_int_equal(mock_submit(0, commands, 0, 0, fence), VK_SUCCESS);
}

/* Behind the last chosen launch nobody waits for a queue, and what is lost is nobody's. */
static void test_pointers_behind_the_chosen(void **state)
{
    (void)state;
    mock_settings.launches.last = 0;
    VkCommandBuffer first = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    VkCommandBuffer second = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(first, 1);
    mock_build_one(second, mock_instances(512, true),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_end(first);
    mock_end(second);
    mock_submit_one(first);
    mock_submit_one(second);
    mock_run();
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    assert_int_equal(mock_layer_device.next.CreateFence(mock_device(), &info, NULL, &fence), VK_SUCCESS);
    /* Writes what has finished. */
    ((PFN_vkDestroyFence)mock_hook("vkDestroyFence"))(mock_device(), fence, NULL);
    assert_int_equal(mock_layer_device.submissions->pending, 0);
    mock_submit_one(second);
    mock.lost = true;
    ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device());
    assert_int_equal(mock_builds.count, 0);
    assert_int_equal(mock.geometry_skipped, 0);
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
    assert_memory_equal(bytes, mock_application.content + 2048, 64);
    assert_memory_equal(bytes + 64, mock_application.content + 1024, 64);
    assert_memory_equal(bytes + 128, mock_application.content + 2048, 64);
    assert_int_equal(mock.geometry_skipped, 0);
}

/* What comes after the last that may be wanted does not matter any more, and nothing is said of it. */
static void test_after_the_chosen_launches(void **state)
{
    (void)state;
    mock_settings.launches.last = 1;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_dispatch(commands, 1);
    mock_end(commands);
    for (uint32_t i = 0; i < 4; i++)
        mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock.written_count, 2);
    assert_int_equal(mock_builds.count, 2);
    assert_int_equal(mock.geometry_skipped, 0);
}

/* What is recorded when all of them are past is not even copied. */
static void test_recorded_behind_the_chosen(void **state)
{
    (void)state;
    mock_settings.frames.last = 3;
    mock_settings.launches.last = 0;
    for (uint32_t i = 0; i < 2; i++) {
        VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        mock_build_one(commands, mock_boxes(0, 24),
                       (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
        mock_dispatch(commands, 1);
        assert_int_equal(mock_layer_device.geometry_size, 32);
        mock_end(commands);
        mock_submit_one(commands);
    }
    mock_run_all();
    assert_int_equal(mock_builds.count, 1);
    mock_settings.launches.last = UINT64_MAX;
    mock_layer_device.capture->frames = 4;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock_layer_device.geometry_size, 32);
    assert_int_equal(mock_builds.count, 1);
    assert_int_equal(mock_builds.commands, 3);
    assert_int_equal(mock.geometry_skipped, 0);
}

static void test_pointers(void **state)
{
    (void)state;
    build_pointers(VK_NULL_HANDLE);
    mock_run_all();
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
    const VkAccelerationStructureInstanceKHR instance =
        mock_instance(mock_address(mock_application.structures[1]), 1);
    const VkDeviceAddress pointers[] = {12, mock_application.base + 1024};
    memcpy(mock_application.content + 1024, &instance, sizeof(instance));
    memcpy(mock_application.content + 512, pointers, sizeof(pointers));
    const struct ws_build_geometry *geometry = mock_built(
        mock_instances(512, true), (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 2});
    assert_int_equal(geometry->capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(geometry->reference_count, 2);
    static const uint32_t expected[] = {WS_NONE, 1};
    assert_memory_equal(mock_builds.builds[0].references[0], expected, sizeof(expected));
    assert_int_equal(mock.geometry_skipped, 1);
}

/* What recordings hold is bounded; when they go there is room again. */
static void test_limit(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_layer_device.geometry_size += WS_GEOMETRY_LIMIT - 40;
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_build_one(commands, mock_boxes(48, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_end(commands);
    mock_layer_device.geometry_size -= WS_GEOMETRY_LIMIT - 40;
    mock_submit_one(commands);
    mock_run_all();
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, mock_application.content, 24);
    assert_int_equal(mock_build(1, 1)->geometries[0].capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(mock.geometry_skipped, 1);
    assert_int_equal(mock_layer_device.geometry_size, 32);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(commands, &begin);
    assert_int_equal(mock_layer_device.geometry_size, 0);
}

/* A small device gives an eighth. */
static void test_limit_of_small_devices(void **state)
{
    (void)state;
    mock_layer_device.properties.memory.memoryHeaps[0].size = 8 * 64;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    assert_int_equal(mock_layer_device.geometry_size, 0); /* 72 */
    mock_layer_device.properties.memory.memoryHeaps[0].size = 8 * 80;
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    assert_int_equal(mock_layer_device.geometry_size, 0); /* there is too little for a block */
    mock_layer_device.properties.memory.memoryHeaps[0].size = (VkDeviceSize)8 << 20;
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 3});
    assert_int_equal(mock_layer_device.geometry_size, 80);
    mock_end(commands);
}

/* So is what primary command buffers hold for the secondary ones that they execute. */
static void test_limit_of_secondaries(void **state)
{
    (void)state;
    VkCommandBuffer secondary = mock_begun(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    mock_build_one(secondary, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_end(secondary);
    assert_int_equal(mock_layer_device.geometry_size, 32);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_layer_device.geometry_size += WS_GEOMETRY_LIMIT - 64;
    const VkCommandBuffer twice[] = {secondary, secondary};
    ((PFN_vkCmdExecuteCommands)mock_hook("vkCmdExecuteCommands"))(commands, 2, twice);
    mock_layer_device.geometry_size -= WS_GEOMETRY_LIMIT - 64;
    assert_int_equal(mock_layer_device.geometry_size, 64);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    mock_assert_blob(mock_build(0, 1)->geometries[0].data, mock_application.content, 24);
    assert_int_equal(mock_build(1, 1)->geometries[0].capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(mock.geometry_skipped, 1);
}

/* A copy that does not end may still write: its memory is given to nobody else. */
static VKAPI_ATTR VkResult VKAPI_CALL wait_in_vain(VkDevice handle, uint32_t count, const VkFence *fences,
                                                   VkBool32 all, uint64_t timeout)
{
    (void)handle, (void)count, (void)fences, (void)all, (void)timeout;
    return VK_TIMEOUT;
}

static void test_pointers_without_end(void **state)
{
    (void)state;
    struct ws_memory_range range;
    build_pointers(VK_NULL_HANDLE);
    mock_run();
    const PFN_vkWaitForFences wait = mock_layer_device.next.WaitForFences;
    mock_layer_device.next.WaitForFences = wait_in_vain;
    ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device());
    mock_layer_device.next.WaitForFences = wait;
    assert_int_equal(mock_build(0, 1)->geometries[0].capture_flags, WS_GEOMETRY_UNKNOWN);
    assert_int_equal(mock.geometry_skipped, 1);
    /* The pointers' 32 bytes were in front of the instances' 192. */
    assert_true(ws_heap_allocate(mock_layer_device.readback, 64, &range, NULL));
    assert_int_equal(range.offset, 32 + 192);
    ws_heap_free(mock_layer_device.readback, &range);
}

/* What another thread destroys meanwhile goes when the copy has ended. */
static bool copied;
static PFN_vkWaitForFences driver_wait;
static pthread_t destroyer;

static VKAPI_ATTR void VKAPI_CALL driver_destroy(VkDevice handle, VkBuffer buffer,
                                                 const VkAllocationCallbacks *allocator)
{
    (void)handle, (void)allocator;
    assert_true(buffer != mock_application.buffer || copied);
    free((struct buffer *)buffer);
}

static void *destroy_buffer(void *context)
{
    ((PFN_vkDestroyBuffer)mock_hook("vkDestroyBuffer"))(mock_device(), mock_application.buffer, NULL);
    return context;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_meanwhile(VkDevice handle, uint32_t count, const VkFence *fences,
                                                     VkBool32 all, uint64_t timeout)
{
    mock_layer_device.next.WaitForFences = driver_wait;
    assert_int_equal(pthread_create(&destroyer, NULL, destroy_buffer, NULL), 0);
    const VkResult result = driver_wait(handle, count, fences, all, timeout);
    copied = true;
    return result;
}

static void test_destroyed_while_copied(void **state)
{
    (void)state;
    build_pointers(VK_NULL_HANDLE);
    mock_run();
    copied = false;
    driver_wait = mock_layer_device.next.WaitForFences;
    mock_layer_device.next.WaitForFences = wait_meanwhile;
    mock_layer_device.next.DestroyBuffer = driver_destroy;
    ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device());
    assert_int_equal(pthread_join(destroyer, NULL), 0);
    assert_pointers_followed();
    mock_application.buffer = VK_NULL_HANDLE;
}

/* No memory for the host to read from: a build is written, without bytes. */
static void test_no_readback(void **state)
{
    (void)state;
    mock.no_host_memory = true;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
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
        mock_build_one(commands, mock_boxes(0, 24),
                       (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
        mock_end(commands);
        mock_submit_one(commands);
        mock_run_all();
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
    mock_build_one(commands, mock_boxes(0, 24),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_end(commands);
    mock.lost = true;
    mock_submit_one(commands);
    ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device());
    assert_int_equal(mock_builds.count, 0);
    assert_int_equal(mock.geometry_skipped, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_submitted_again, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_twice_in_one_submission, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_secondary, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_before_the_chosen_launches, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_after_the_chosen_launches, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_recorded_behind_the_chosen, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_pointers_behind_the_chosen, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_pointers, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_pointers_behind_a_fence, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_wrong_pointers, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_limit, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_limit_of_small_devices, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_limit_of_secondaries, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_pointers_without_end, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_destroyed_while_copied, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_no_readback, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_lost, mock_application_setup, mock_application_teardown),
    };
    return cmocka_run_group_tests_name("layer build executions", tests, NULL, NULL);
}
