/* Submissions over a driver whose progress the test decides: several queues, failures, a lost device. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "layer/commands/command_buffer.h"
#include "layer/core/objects.h"
#include "layer/core/settings.h"
#include "layer/core/vulkan_newer.h"
#include "layer/submit/host_wait.h"
#include "layer/submit/queue.h"
#include "layer/submit/submission.h"
#include "tests/unit/layer/mock/objects.h"
#include "warpscope/capture.h"

/* All tests are run twice: with the device's memory apart from the host's, where results are copied, and with memory that is
 * both's, where they are read in place (recording.h). */
static bool unified;

static void unify(void)
{
    mock_layer_device.properties.memory.memoryTypes[0].propertyFlags |= VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                                        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                                                        VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
}

static int setup(void **state)
{
    (void)state;
    mock_init(1);
    if (unified)
        unify();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mock_finish();
    return 0;
}

static VkResult wait_idle(void)
{
    return ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device());
}

/* Launch `i` of the capture is a dispatch of `groups` on `queue`, and exactly that was counted. */
static void assert_exact(uint32_t i, uint32_t queue, uint32_t groups)
{
    assert_true(i < mock.written_count);
    assert_int_equal(mock.written[i].queue, queue);
    assert_int_equal(mock.written[i].groups, groups);
    assert_true(mock.written[i].measured);
    assert_int_equal(mock.written[i].counted, groups);
    assert_int_equal(mock.written[i].yielded, groups);
    assert_int_equal(mock.written[i].flags, 0);
}

static void test_nothing_is_written_before_it_has_run(void **state)
{
    (void)state;
    assert_int_equal(mock_submit(0, mock_dispatching(3), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock_submit(0, mock_dispatching(4), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.written_count, 0);
    assert_int_equal(mock.waits, 0); /* one queue: nothing to wait for */
    mock_run();
    assert_int_equal(mock_submit(0, mock_dispatching(5), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.written_count, 2);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    for (uint32_t i = 0; i < 3; i++)
        assert_exact(i, 0, 3 + i);
}

/* The first submission of a shader is watched until the capture has it; later ones are not. */
static void test_first_use_is_watched(void **state)
{
    (void)state;
    mock_layer_device.instance->watch = (struct ws_watch *)&mock;
    assert_int_equal(mock_submit(0, mock_dispatching(3), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.watched_count, 1);
    assert_false(mock.watched_over(mock.watched_user));
    assert_int_equal(mock_submit(0, mock_dispatching(4), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.watched_count, 1);
    mock_run();
    assert_true(mock.watched_over(mock.watched_user));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_null(mock.watched_over);
    assert_int_equal(mock.watched_count, 1);
    mock_layer_device.instance->watch = NULL;
}

static void test_another_queue_waits(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(mock_submit(i % 2, mock_dispatching(10 + i), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.waits, 0); /* the device waits */
    assert_int_equal(wait_idle(), VK_SUCCESS);
    for (uint32_t i = 0; i < 6; i++)
        assert_exact(i, i % 2, 10 + i);
}

static void test_a_wait_that_might_not_end_is_not_begun(void **state)
{
    (void)state;
    assert_int_equal(mock_submit(0, mock_dispatching(1), 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock_submit(1, mock_dispatching(2), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.waits, 0);
    mock.timeline_value = 7; /* the host signals */
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 2);
    assert_int_equal(mock.written[0].flags, WS_SUBMISSION_OVERLAPPED);
    assert_int_equal(mock.written[1].flags, WS_SUBMISSION_OVERLAPPED);
    /* What is submitted later overlaps nothing. */
    assert_int_equal(mock_submit(0, mock_dispatching(3), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_exact(2, 0, 3);
}

static void test_a_wait_for_what_is_submitted_ends(void **state)
{
    (void)state;
    assert_int_equal(mock_submit(0, mock_dispatching(1), 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock_submit(1, VK_NULL_HANDLE, 0, 7, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock_submit(1, mock_dispatching(2), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.waits, 0);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_exact(0, 0, 1);
    assert_exact(1, 1, 2);
}

static void test_a_held_up_queue_holds_up_what_follows(void **state)
{
    (void)state;
    assert_int_equal(mock_submit(0, VK_NULL_HANDLE, 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock_submit(0, mock_dispatching(1), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock_submit(1, mock_dispatching(2), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.waits, 0);
    mock.timeline_value = 7;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(mock.written[0].flags, WS_SUBMISSION_OVERLAPPED);
    assert_int_equal(mock.skipped, 1); /* it ran before its rows were zeroed, on the queue that is held up */
}

/* Two batches in one call: the first signals 5, and the second waits for `wait` unless that is 0. */
static void submit_two(uint64_t wait)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkCommandBuffer commands[] = {mock_dispatching(1), mock_dispatching(2)};
    const uint64_t signalled = 5;
    const uint64_t last = 7;
    const VkTimelineSemaphoreSubmitInfo values[] = {
        {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
         .signalSemaphoreValueCount = 1,
         .pSignalSemaphoreValues = &signalled},
        {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
         .waitSemaphoreValueCount = wait > 0 ? 1 : 0,
         .pWaitSemaphoreValues = &wait,
         .signalSemaphoreValueCount = 1,
         .pSignalSemaphoreValues = &last},
    };
    const VkSubmitInfo infos[] = {
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .pNext = &values[0],
         .commandBufferCount = 1,
         .pCommandBuffers = &commands[0],
         .signalSemaphoreCount = 1,
         .pSignalSemaphores = &mock.timeline},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .pNext = &values[1],
         .waitSemaphoreCount = wait > 0 ? 1 : 0,
         .pWaitSemaphores = &mock.timeline,
         .pWaitDstStageMask = &stage,
         .commandBufferCount = 1,
         .pCommandBuffers = &commands[1],
         .signalSemaphoreCount = 1,
         .pSignalSemaphores = &mock.timeline},
    };
    PFN_vkQueueSubmit submit = (PFN_vkQueueSubmit)mock_hook("vkQueueSubmit");
    assert_int_equal(submit(mock.queues[0], 2, infos, VK_NULL_HANDLE), VK_SUCCESS);
}

static uint64_t ask_timeline(void)
{
    uint64_t value = 0;
    PFN_vkGetSemaphoreCounterValue ask =
        (PFN_vkGetSemaphoreCounterValue)mock_hook("vkGetSemaphoreCounterValue");
    assert_int_equal(ask(mock_device(), mock.timeline, &value), VK_SUCCESS);
    return value;
}

/* The host signals what the second waits for when it has seen the end of the first. */
static void test_a_semaphore_tells_of_its_own_batch_only(void **state)
{
    (void)state;
    submit_two(6);
    mock_run();
    assert_int_equal(ask_timeline(), 5);
    assert_int_equal(mock.waits, 0);
    mock.timeline_value = 6;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_exact(0, 0, 1);
    assert_exact(1, 0, 2);
}

/* A batch behind the one that has ended may take long: neither this thread nor others wait for it. For the layer's fence behind
 * the last, this one does. */
static void test_later_batches_are_not_waited_for(void **state)
{
    (void)state;
    submit_two(0);
    mock.timeline_value = 5;
    assert_int_equal(ask_timeline(), 5);
    assert_int_equal(mock.waits, 0);
    mock.timeline_value = 7;
    assert_int_equal(ask_timeline(), 7);
    assert_int_equal(mock.waits, 1);
    assert_int_equal(mock.written_count, 2);
    assert_exact(0, 0, 1);
    assert_exact(1, 0, 2);
}

/* A queue waits for something that the layer cannot see. Others that run the same shader wait for it on the
 * device; no call of the application does. */
static void test_what_cannot_be_seen_is_waited_for_on_the_device(void **state)
{
    (void)state;
    const VkSemaphore unseen = (VkSemaphore)&unseen;
    const VkSemaphore timeline = mock.timeline;
    mock.timeline = unseen;
    assert_int_equal(mock_submit(0, mock_dispatching(1), 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock.timeline = timeline;
    for (uint32_t i = 1; i < 4; i++)
        assert_int_equal(mock_submit(1, mock_dispatching(1 + i), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.waits, 0);
    mock_run();
    assert_int_equal(mock.written_count, 0);
    mock.timeline_value = 7;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    for (uint32_t i = 0; i < 4; i++)
        assert_exact(i, i == 0 ? 0 : 1, 1 + i);
}

static void submit(uint32_t queue, VkCommandBuffer commands)
{
    assert_int_equal(mock_submit(queue, commands, 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
}

/* Shaders of their own: nothing is ordered, and one queue's submission ends while the other's waits. */
static void test_different_shaders_run_side_by_side(void **state)
{
    (void)state;
    assert_int_equal(mock_submit(0, mock_dispatching(3), 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    for (uint32_t i = 0; i < 3; i++)
        submit(1, mock_dispatching_other(10 + i));
    mock_run();
    submit(1, mock_dispatching_other(13));
    assert_int_equal(mock.waits, 0);
    assert_int_equal(mock.written_count, 3); /* the other queue waits still */
    for (uint32_t i = 0; i < 3; i++)
        assert_exact(i, 1, 10 + i);
    mock.timeline_value = 7;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(mock.written[i].flags, 0);
    assert_int_equal(mock.said_count, 0);
}

/* Two of three queues run the same shader, and the second waits for the first, which something holds up that the layer cannot
 * see. The third runs another shader, and waits for neither. */
static void test_two_of_three_queues_share_rows(void **state)
{
    (void)state;
    const VkSemaphore unseen = (VkSemaphore)&unseen;
    const VkSemaphore timeline = mock.timeline;
    mock.timeline = unseen;
    assert_int_equal(mock_submit(0, mock_dispatching(1), 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock.timeline = timeline;
    for (uint32_t i = 0; i < 3; i++) {
        submit(1, mock_dispatching(10 + i));
        submit(2, mock_dispatching_other(20 + i));
    }
    mock_run();
    submit(2, mock_dispatching_other(23));
    assert_int_equal(mock.waits, 0);
    assert_int_equal(mock.written_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_exact(i, 2, 20 + i);
    mock.timeline_value = 7;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 8);
    for (uint32_t i = 3; i < 8; i++)
        assert_exact(i, mock.written[i].groups / 10, mock.written[i].groups);
}

/* The same shader: the order is kept by the device, and it is said once. */
static void test_the_order_is_said_once(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        submit(i % 2, mock_dispatching(1 + i));
    assert_int_equal(mock.said_count, 1);
    assert_non_null(strstr(mock.said, "one after the other"));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    for (uint32_t i = 0; i < 6; i++)
        assert_exact(i, i % 2, 1 + i);
}

/* One queue waits for an event that the host sets when it has seen the other queue's work end. */
static void test_an_event_of_the_host(void **state)
{
    (void)state;
    for (uint32_t secondary = 0; secondary < 2; secondary++) {
        const uint32_t first = mock.written_count;
        mock.event_set = false;
        submit(0, mock_dispatching_after_event(3, secondary == 1));
        submit(1, mock_dispatching(4));
        submit(1, mock_dispatching_other(5));
        assert_int_equal(mock.waits, 0);
        mock_run();
        submit(1, VK_NULL_HANDLE);
        assert_int_equal(mock.written_count, first + 2); /* both of the second queue have run */
        mock.event_set = true;
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(mock.written_count, first + 3);
        for (uint32_t i = first; i < mock.written_count; i++)
            assert_int_equal(mock.written[i].flags,
                             mock.written[i].groups == 5 ? 0 : WS_SUBMISSION_OVERLAPPED);
    }
    submit(0, mock_dispatching(6)); /* nothing of it is left */
    submit(1, mock_dispatching(7));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_exact(6, 0, 6);
    assert_exact(7, 1, 7);
}

static VkResult submit_binary(uint32_t queue, VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = wait != VK_NULL_HANDLE ? 1 : 0,
        .pWaitSemaphores = &wait,
        .pWaitDstStageMask = &stage,
        .commandBufferCount = commands != VK_NULL_HANDLE ? 1 : 0,
        .pCommandBuffers = &commands,
        .signalSemaphoreCount = signal != VK_NULL_HANDLE ? 1 : 0,
        .pSignalSemaphores = &signal,
    };
    return mock_submit_info(queue, &info, VK_NULL_HANDLE);
}

static VkSemaphore make_semaphore(const void *chain)
{
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = chain};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    assert_int_equal(
        ((PFN_vkCreateSemaphore)mock_hook("vkCreateSemaphore"))(mock_device(), &info, NULL, &semaphore),
        VK_SUCCESS);
    return semaphore;
}

/* A semaphore that another process signals, behind a submission that executes no launches; and a binary one
 * of this process behind that. */
static void check_foreign(VkSemaphore foreign)
{
    const VkSemaphore own = make_semaphore(NULL);
    bool timeline;
    submit(0, mock_dispatching(1)); /* zeroes the rows */
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(submit_binary(0, VK_NULL_HANDLE, foreign, own), VK_SUCCESS);
    assert_int_equal(submit_binary(1, mock_dispatching(2), own, VK_NULL_HANDLE), VK_SUCCESS);
    submit(0, mock_dispatching(3));
    assert_int_equal(mock.waits, 0);
    assert_int_equal(mock.written_count, 1);
    *mock_semaphore_value(foreign, &timeline) = 1;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 3);
    assert_int_equal(mock.written[1].flags, WS_SUBMISSION_OVERLAPPED);
    assert_int_equal(mock.written[2].flags, WS_SUBMISSION_OVERLAPPED);
    submit(0, mock_dispatching(4));
    submit(1, mock_dispatching(5));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_exact(3, 0, 4);
    assert_exact(4, 1, 5);
}

static void test_an_imported_semaphore(void **state)
{
    (void)state;
    const VkSemaphore semaphore = make_semaphore(NULL);
    const VkImportSemaphoreFdInfoKHR import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
        .semaphore = semaphore,
        .fd = 5,
    };
    PFN_vkImportSemaphoreFdKHR call = (PFN_vkImportSemaphoreFdKHR)mock_hook("vkImportSemaphoreFdKHR");
    assert_int_equal(call(mock_device(), &import), VK_SUCCESS);
    check_foreign(semaphore);
}

static void test_an_exported_semaphore(void **state)
{
    (void)state;
    const VkExportSemaphoreCreateInfo export = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    check_foreign(make_semaphore(&export));
}

/* Without timeline semaphores the host waits, for what is sure to end. */
static void test_devices_without_timeline_semaphores(void **state)
{
    (void)state;
    struct ws_device *device = (struct ws_device *)mock_device();
    device->timeline_semaphores = false;
    submit(0, mock_dispatching(1));
    submit(1, mock_dispatching(2));
    assert_int_equal(mock.waits, 1);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_exact(0, 0, 1);
    assert_exact(1, 1, 2);
    device->timeline_semaphores = true;
}

/* A fence that is signalled by an imported payload says nothing of a submission. */
static void test_an_imported_fence(void **state)
{
    (void)state;
    bool signalled = false; /* as the driver's own: its struct is that */
    VkFence fence = (VkFence)&signalled;
    PFN_vkGetFenceStatus get = (PFN_vkGetFenceStatus)mock_hook("vkGetFenceStatus");
    const VkImportFenceFdInfoKHR import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR,
        .fence = fence,
        .fd = -1,
    };
    assert_int_equal(mock_submit(0, mock_dispatching(1), 0, 0, fence), VK_SUCCESS);
    mock_run();
    assert_int_equal(((PFN_vkImportFenceFdKHR)mock_hook("vkImportFenceFdKHR"))(mock_device(), &import),
                     VK_SUCCESS);
    assert_int_equal(mock.written_count, 1); /* the import tells that it has ended */
    submit(0, mock_dispatching(2));
    assert_int_equal(get(mock_device(), fence), VK_SUCCESS);
    assert_int_equal(mock.waits, 0);
    assert_int_equal(mock.written_count, 1);
}

static VKAPI_ATTR void VKAPI_CALL dispatch_graph(VkCommandBuffer commands, VkDeviceAddress scratch,
                                                 VkDeviceSize size, const VkDispatchGraphCountInfoAMDX *info)
{
    (void)commands, (void)scratch, (void)size, (void)info;
}

static VKAPI_ATTR void VKAPI_CALL dispatch_indirect2(VkCommandBuffer commands,
                                                     const VkDispatchIndirect2InfoKHR *info)
{
    (void)commands, (void)info;
}

static VKAPI_ATTR void VKAPI_CALL dispatch_tile(VkCommandBuffer commands, const VkDispatchTileInfoQCOM *info)
{
    (void)commands, (void)info;
}

/* What is not instrumented is counted for each execution, by itself and in a secondary command buffer. */
static void test_launches_that_are_not_covered(void **state)
{
    (void)state;
    ((struct ws_device *)mock_device())->next.CmdDispatchGraphAMDX = dispatch_graph;
    PFN_vkCmdDispatchGraphAMDX graph = (PFN_vkCmdDispatchGraphAMDX)mock_hook("vkCmdDispatchGraphAMDX");
    VkCommandBuffer secondary = mock_begun(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    graph(secondary, 0, 0, NULL);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    graph(commands, 0, 0, NULL);
    graph(commands, 0, 0, NULL);
    ((PFN_vkCmdExecuteCommands)mock_hook("vkCmdExecuteCommands"))(commands, 1, &secondary);
    submit(0, commands);
    assert_int_equal(mock.skipped, 3);
    assert_non_null(strstr(mock.said, "execution graph"));
    submit(0, commands);
    assert_int_equal(mock.skipped, 6);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 0);
}

/* A dispatch by device address is a launch; one for each tile is a part of its render pass. */
static void test_dispatches_of_other_kinds(void **state)
{
    (void)state;
    struct ws_device *device = (struct ws_device *)mock_device();
    const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO};
    device->next.CmdDispatchIndirect2KHR = dispatch_indirect2;
    device->next.CmdDispatchTileQCOM = dispatch_tile;
    VkCommandBuffer handle = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(handle, 2);
    ((PFN_vkCmdDispatchIndirect2KHR)mock_hook("vkCmdDispatchIndirect2KHR"))(handle, NULL);
    ((PFN_vkCmdBeginRendering)mock_hook("vkCmdBeginRendering"))(handle, &rendering);
    ((PFN_vkCmdDispatchTileQCOM)mock_hook("vkCmdDispatchTileQCOM"))(handle, NULL);
    ((PFN_vkCmdEndRendering)mock_hook("vkCmdEndRendering"))(handle);
    const struct ws_recording *recording = ws_command_buffer_of(handle)->recording;
    assert_int_equal(recording->launch_count, 3);
    assert_int_equal(recording->launches[1].command.flags, WS_LAUNCH_INDIRECT);
    assert_int_equal(recording->launches[1].shader_count, 1);
    assert_int_equal(recording->launches[2].command.kind, WS_LAUNCH_RENDER_PASS);
    assert_int_equal(recording->launches[2].command.draws, 1);
    assert_int_equal(recording->launches[2].shader_count, 1);
    assert_ptr_equal(recording->launches[2].shaders[0], &mock_shader);
}

static VKAPI_ATTR void VKAPI_CALL begin_label(VkQueue queue, const VkDebugUtilsLabelEXT *label)
{
    (void)queue, (void)label;
}

static VKAPI_ATTR void VKAPI_CALL end_label(VkQueue queue)
{
    (void)queue;
}

static void *open_and_close_labels(void *argument)
{
    const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                        .pLabelName = argument};
    for (uint32_t i = 0; i < 5000; i++) {
        ((PFN_vkQueueBeginDebugUtilsLabelEXT)mock_hook("vkQueueBeginDebugUtilsLabelEXT"))(mock.queues[0],
                                                                                          &label);
        ((PFN_vkQueueEndDebugUtilsLabelEXT)mock_hook("vkQueueEndDebugUtilsLabelEXT"))(mock.queues[0]);
    }
    return NULL;
}

/* As VK_KHR_internally_synchronized_queues allows. */
static void test_labels_of_a_queue_from_several_threads(void **state)
{
    (void)state;
    struct ws_device *device = (struct ws_device *)mock_device();
    const char *names[] = {"a", "a long name, so that the text grows", "b"};
    pthread_t threads[3];
    device->next.QueueBeginDebugUtilsLabelEXT = begin_label;
    device->next.QueueEndDebugUtilsLabelEXT = end_label;
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_close_labels, (void *)names[i]), 0);
    for (uint32_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following) {
        assert_int_equal(queue->labels.count, 0);
        assert_string_equal(ws_labels_text(&queue->labels), "");
    }
}

/* Labels are hooked on inactive devices too, whose command buffers are not known; their handles may be given
 * again. */
static void test_a_handle_that_becomes_known(void **state)
{
    (void)state;
    VkCommandBuffer handle = mock_dispatching(1);
    struct ws_device *device = ws_command_buffer_of(handle)->device;
    void *known = ws_objects_remove(device, WS_OBJECT_COMMAND_BUFFER, WS_HANDLE(handle));
    assert_non_null(ws_command_buffer_of(mock_dispatching(2)));
    assert_null(ws_command_buffer_of(handle));
    assert_true(ws_objects_add(device, WS_OBJECT_COMMAND_BUFFER, WS_HANDLE(handle), known));
    assert_ptr_equal(ws_command_buffer_of(handle), known);
}

/* VK_EXT_fragment_density_map_offset ends a rendering by a function of its own. */
static void test_renderings_end_in_two_ways(void **state)
{
    (void)state;
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO};
    VkCommandBuffer handle = mock_dispatching(1);
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(handle, &info);
    for (uint32_t i = 0; i < 2; i++) {
        ((PFN_vkCmdBeginRendering)mock_hook("vkCmdBeginRendering"))(handle, &rendering);
        assert_true(commands->render_pass.open);
        commands->render_pass.draws = 1;
        if (i == 0)
            ((PFN_vkCmdEndRendering)mock_hook("vkCmdEndRendering"))(handle);
        else
            ((PFN_vkCmdEndRendering2EXT)mock_hook("vkCmdEndRendering2EXT"))(handle, NULL);
        assert_false(commands->render_pass.open);
        assert_int_equal(commands->recording->launch_count, i + 1);
    }
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(handle);
}

static void test_frames_end_with_a_present(void **state)
{
    (void)state;
    PFN_vkQueuePresentKHR present = (PFN_vkQueuePresentKHR)mock_hook("vkQueuePresentKHR");
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    for (uint32_t frame = 0; frame < 3; frame++) {
        assert_int_equal(mock_submit(0, mock_dispatching(1), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
        mock_run();
        assert_int_equal(present(mock.queues[0], &info), VK_SUCCESS);
        assert_int_equal(mock.written_count, frame + 1);
        assert_int_equal(mock.written[frame].frame, frame);
    }
}

/* Two frames are in flight, as in most programs: the capture is closed when the last result of frame 2 is written, not
 * when frame 3 begins, and later submissions do not hold that up. */
static void test_the_last_chosen_frame_closes_the_capture(void **state)
{
    (void)state;
    PFN_vkQueuePresentKHR present = (PFN_vkQueuePresentKHR)mock_hook("vkQueuePresentKHR");
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    mock_settings.frames = (struct ws_range){1, 2};
    for (uint32_t frame = 0; frame < 4; frame++) {
        assert_int_equal(mock_submit(0, mock_dispatching(10 + frame), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(present(mock.queues[0], &info), VK_SUCCESS);
        assert_int_equal(mock.written_count, 0);
        assert_false(mock.whole);
    }
    mock_run();
    assert_int_equal(mock_submit(0, mock_dispatching(20), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_true(mock.whole);
    assert_int_equal(mock.whole_at, 2);
    assert_int_equal(mock.written_count, 2);
    assert_exact(0, 0, 11);
    assert_exact(1, 0, 12);
}

static void test_the_last_chosen_launch_closes_the_capture(void **state)
{
    (void)state;
    mock_settings.launches = (struct ws_range){1, 1};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(mock_submit(0, mock_dispatching(10 + i), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
        assert_false(mock.whole);
    }
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_true(mock.whole);
    assert_int_equal(mock.whole_at, 1);
    assert_exact(0, 0, 11);
}

/* A lost submission holds up nothing; and what is said of it is said before, so that the capture has it. */
static void test_a_lost_device_closes_the_capture(void **state)
{
    (void)state;
    mock_settings.launches = (struct ws_range){0, 0};
    assert_int_equal(mock_submit(0, mock_dispatching(1), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock.lost = true;
    assert_int_equal(wait_idle(), VK_ERROR_DEVICE_LOST);
    assert_true(mock.whole);
    assert_int_equal(mock.whole_at, 0);
    assert_int_equal(mock.skipped, 1);
    assert_int_equal(mock.said_count, 1);
    assert_int_equal(mock.whole_said, 1);
}

static void test_no_memory_for_results(void **state)
{
    (void)state;
    mock.no_host_memory = true;
    assert_int_equal(mock_submit(0, mock_dispatching(1), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock.no_host_memory = false;
    assert_int_equal(mock_submit(0, mock_dispatching(2), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.skipped, 1);
    assert_int_equal(mock.written_count, 1);
    assert_exact(0, 0, 2);
    assert_int_equal(mock.written[0].index, 1);
}

static void test_a_submission_too_large_is_made_as_it_was(void **state)
{
    (void)state;
    /* The zeroing of new memory goes first; the third call is the application's own form. */
    assert_int_equal(mock_submit(0, mock_dispatching(1), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock.submit_fails = 1;
    mock.submit_error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    assert_int_equal(mock_submit(0, mock_dispatching(2), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_exact(0, 0, 1);
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(mock.skipped, 1);

    mock.submit_fails = 2;
    assert_int_equal(mock_submit(0, mock_dispatching(3), 0, 0, VK_NULL_HANDLE),
                     VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(mock_submit(0, mock_dispatching(4), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_exact(1, 0, 4);
}

static void test_a_lost_device(void **state)
{
    (void)state;
    assert_int_equal(mock_submit(0, mock_dispatching(1), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock_run();
    assert_int_equal(mock_submit(0, mock_dispatching(2), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock.lost = true;
    mock.submit_fails = 1;
    mock.submit_error = VK_ERROR_DEVICE_LOST;
    assert_int_equal(mock_submit(0, mock_dispatching(3), 0, 0, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
    assert_int_equal(mock.written_count, 1); /* what had finished is kept */
    assert_exact(0, 0, 1);
    assert_int_equal(mock.skipped, 1);
    assert_int_equal(wait_idle(), VK_ERROR_DEVICE_LOST);
}

/* Two command buffers, with masks and a signal; `chain` goes on behind them. */
static void submit_to_group(const uint32_t masks[2], const void *chain)
{
    const VkCommandBuffer commands[] = {mock_dispatching(5), mock_dispatching(6)};
    const uint32_t device_index = 0;
    const VkDeviceGroupSubmitInfo group = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
        .pNext = chain,
        .commandBufferCount = 2,
        .pCommandBufferDeviceMasks = masks,
        .signalSemaphoreCount = 1,
        .pSignalSemaphoreDeviceIndices = &device_index,
    };
    const uint64_t value = 4;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .pNext = &group,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &value,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &values,
        .commandBufferCount = 2,
        .pCommandBuffers = commands,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &mock.timeline,
    };
    const VkDeviceGroupSubmitInfo group_before = group;
    const VkTimelineSemaphoreSubmitInfo values_before = values;
    assert_int_equal(mock_submit_info(0, &info, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.timeline_value, 4);
    assert_memory_equal(&group, &group_before, sizeof(group));
    assert_memory_equal(&values, &values_before, sizeof(values));
}

static void test_a_group_of_one_device(void **state)
{
    (void)state;
    submit_to_group((const uint32_t[]){1, 0}, NULL);
    assert_exact(0, 0, 5);
    assert_exact(1, 0, 6);
    assert_int_equal(mock.skipped, 0);
    /* The masks of the application, and ours behind them. */
    assert_int_equal(mock.mask_count, 3);
    assert_int_equal(mock.masks[0], 1);
    assert_int_equal(mock.masks[1], 0);
    assert_int_equal(mock.masks[2], 1);
}

static void test_other_devices_of_a_group_are_handed_on(void **state)
{
    (void)state;
    submit_to_group((const uint32_t[]){1, 3}, NULL);
    assert_int_equal(mock.written_count, 0);
    assert_int_equal(mock.skipped, 2);
    assert_int_equal(mock.mask_count, 2);
    assert_int_equal(mock.masks[1], 3);
}

static void test_protected_submissions_are_handed_on(void **state)
{
    (void)state;
    const VkProtectedSubmitInfo protected = {
        .sType = VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO,
        .protectedSubmit = VK_TRUE,
    };
    submit_to_group((const uint32_t[]){1, 1}, &protected);
    assert_int_equal(mock.written_count, 0);
    assert_int_equal(mock.skipped, 2);
}

/* Structs of unknown size in a chain are handed on; before the struct of masks they keep the batch from being
 * changed. */
static void test_a_group_behind_something_unknown(void **state)
{
    (void)state;
    const VkBaseInStructure unknown = {.sType = (VkStructureType)0x7ffffff0};
    submit_to_group((const uint32_t[]){1, 1}, &unknown);
    assert_int_equal(mock.written_count, 2);

    const uint32_t mask = 1;
    const VkCommandBuffer commands = mock_dispatching(7);
    const VkDeviceGroupSubmitInfo group = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBufferDeviceMasks = &mask,
    };
    const VkBaseInStructure before = {
        .sType = unknown.sType,
        .pNext = (const VkBaseInStructure *)&group,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &before,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
    };
    assert_int_equal(mock_submit_info(0, &info, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 2);
    assert_int_equal(mock.skipped, 1);
}

/* Four submissions fill the memory that may be pending; then the oldest is waited for. */
#define FOURTH_OF_LIMIT ((uint32_t)(WS_PENDING_LIMIT / 4 / (MOCK_BINS * sizeof(uint32_t))))

static int setup_large(void **state)
{
    (void)state;
    mock_init(FOURTH_OF_LIMIT);
    if (unified)
        unify();
    return 0;
}

/* One that may be submitted while `before`, or none, is pending. Copied results allow the same (simultaneous use). */
static VkCommandBuffer one_more(VkCommandBuffer before)
{
    return unified || before == VK_NULL_HANDLE ? mock_dispatching(3) : before;
}

static void test_what_is_in_flight_is_limited(void **state)
{
    (void)state;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(mock_submit(0, commands = one_more(commands), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.waits, 0);
    assert_int_equal(mock.written_count, 0);
    assert_int_equal(mock_submit(0, one_more(commands), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.waits, 1);
    assert_int_equal(mock.written_count, 4);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    for (uint32_t i = 0; i < 5; i++)
        assert_exact(i, 0, 3);
}

/* The oldest waits for a signal of the application: it is not waited for, and the limit is exceeded. */
static void test_the_limit_waits_for_nothing_uncertain(void **state)
{
    (void)state;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < 5; i++) {
        commands = one_more(commands);
        assert_int_equal(mock_submit(0, commands, i == 0 ? 7 : 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    }
    assert_int_equal(mock.waits, 0);
    mock.timeline_value = 7;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_exact(i, 0, 3);
}

static void test_the_application_s_fence(void **state)
{
    (void)state;
    PFN_vkWaitForFences wait = (PFN_vkWaitForFences)mock_hook("vkWaitForFences");
    PFN_vkResetFences reset = (PFN_vkResetFences)mock_hook("vkResetFences");
    VkFence fence = VK_NULL_HANDLE;
    bool signalled = false; /* as the driver's own: its struct is that */
    fence = (VkFence)&signalled;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(mock_submit(0, mock_dispatching(1 + i), 0, 0, fence), VK_SUCCESS);
        assert_int_equal(wait(mock_device(), 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
        assert_int_equal(mock.written_count, i + 1);
        assert_exact(i, 0, 1 + i);
        assert_int_equal(reset(mock_device(), 1, &fence), VK_SUCCESS);
    }
}

/* Of the submission that is the newest on queue 0. */
static bool has_fence_of_ours(void)
{
    struct ws_queue *queue = mock_layer_device.submissions->queues;
    while (queue->handle != mock.queues[0])
        queue = queue->following;
    return queue->newest->fence != NULL;
}

/* Without other processes and without an order of several queues, the application's fence tells the end: nothing more is
 * submitted for it. */
static void test_the_application_s_fence_tells_the_end(void **state)
{
    (void)state;
    const VkDevice device = mock_device();
    bool signalled[3] = {false}; /* as the driver's own: its struct is that */
    VkFence fences[3];
    for (uint32_t i = 0; i < 3; i++)
        fences[i] = (VkFence)&signalled[i];
    mock_layer_device.timeline_semaphores = false;
    mock_layer_device.next.ImportFenceFdKHR = NULL;

    assert_int_equal(mock_submit(0, mock_dispatching(1), 0, 0, fences[0]), VK_SUCCESS);
    assert_false(has_fence_of_ours());
    assert_int_equal(mock_submit(0, mock_dispatching(2), 0, 0, fences[1]), VK_SUCCESS);
    assert_int_equal(mock.written_count, 0);
    mock_run();
    /* Nobody asks for a fence; the next submission finds both. */
    assert_int_equal(mock_submit(0, mock_dispatching(3), 0, 0, fences[2]), VK_SUCCESS);
    assert_int_equal(mock.written_count, 2);
    assert_false(has_fence_of_ours());
    /* A reset tells the end too; afterwards the fence stands for another submission. */
    mock_run();
    assert_int_equal(((PFN_vkResetFences)mock_hook("vkResetFences"))(device, 3, fences), VK_SUCCESS);
    assert_int_equal(mock.written_count, 3);
    /* Where much is pending, waits for room need a fence that the application does not reset. */
    mock_layer_device.submissions->pending_size += WS_PENDING_TRUSTED;
    assert_int_equal(mock_submit(0, mock_dispatching(4), 0, 0, fences[0]), VK_SUCCESS);
    assert_true(has_fence_of_ours());
    mock_layer_device.submissions->pending_size -= WS_PENDING_TRUSTED;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    for (uint32_t i = 0; i < 4; i++)
        assert_exact(i, 0, 1 + i);
    assert_int_equal(mock.waits, 0);
}

static void test_a_device_destroyed_with_work_left(void **state)
{
    (void)state;
    assert_int_equal(mock_submit(0, mock_dispatching(1), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock_submit(1, mock_dispatching(2), 9, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock_finish();
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(mock.skipped, 1);
    mock_init(1); /* for the teardown */
}

/* The latest job of queue 0 that executes something. */
static const struct job *latest_job(void)
{
    const struct job *job = NULL;
    for (uint32_t i = 0; i < mock_queues[0].count; i++)
        if (mock_queues[0].jobs[i].count > 0)
            job = &mock_queues[0].jobs[i];
    assert_non_null(job);
    return job;
}

static struct fence *latest_fence(void)
{
    struct fence *fence = NULL;
    for (uint32_t i = 0; i < mock_queues[0].count; i++)
        fence = mock_queues[0].jobs[i].fence != NULL ? mock_queues[0].jobs[i].fence : fence;
    assert_non_null(fence);
    return fence;
}

static void test_results_are_read_in_place(void **state)
{
    (void)state;
    const VkCommandBuffer commands = mock_dispatching_each(2, (const uint32_t[]){5, 6});
    for (uint32_t i = 0; i < 3; i++) {
        submit(0, commands);
        assert_int_equal(latest_job()->count, 1);
        assert_ptr_equal(latest_job()->commands[0], commands);
        assert_true(mock_layer_device.submissions->pending_size > 0);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(mock.written_count, 2 * (i + 1));
        assert_exact(2 * i, 0, 5);
        assert_exact(2 * i + 1, 0, 6);
        assert_int_equal(mock_layer_device.submissions->pending_size, 0);
    }
    assert_int_equal(mock.skipped, 0);
}

/* Submits a command buffer, whose end the application learns by a semaphore; returns the layer's fence, which is not signalled
 * yet. */
static struct fence *submit_and_see_end(VkCommandBuffer commands)
{
    uint64_t value = 0;
    assert_int_equal(mock_submit(0, commands, 0, mock.timeline_value + 1, VK_NULL_HANDLE), VK_SUCCESS);
    mock_run();
    struct fence *fence = latest_fence();
    fence->signalled = false;
    PFN_vkGetSemaphoreCounterValue ask =
        (PFN_vkGetSemaphoreCounterValue)mock_hook("vkGetSemaphoreCounterValue");
    assert_int_equal(ask(mock_device(), mock.timeline, &value), VK_SUCCESS);
    return fence;
}

/* Submits a command buffer whose execution has ended, though no fence tells so yet; returns its first one, whose fence is
 * to be signalled. What the execution left is then overwritten, as the device does in the middle of the second one. */
static struct fence *submit_again(VkCommandBuffer commands)
{
    const struct ws_recording *recording = ws_command_buffer_of(commands)->recording;
    struct fence *fence = submit_and_see_end(commands);
    submit(0, commands);
    memset(ws_recording_in_place(recording), 0xa5, recording->size);
    return fence;
}

static void test_submitted_again_before_it_is_read(void **state)
{
    (void)state;
    struct fence *fence = submit_again(mock_dispatching(5));
    assert_int_equal(mock.written_count, 0);
    fence->signalled = true;
    submit(0, VK_NULL_HANDLE); /* writes what has ended */
    assert_int_equal(mock.written_count, 1);
    assert_exact(0, 0, 5);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 2);
    assert_exact(1, 0, 5);
    assert_int_equal(mock.skipped, 0);
}

/* What is handed on without a plan overwrites them too: to single devices of a group, or to a queue that is not known. */
static void test_submitted_again_as_it_is(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < 2; way++) {
        const VkCommandBuffer commands = mock_dispatching(5);
        const struct ws_recording *recording = ws_command_buffer_of(commands)->recording;
        const uint32_t mask = 2;
        const VkDeviceGroupSubmitInfo group = {.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
                                               .commandBufferCount = 1,
                                               .pCommandBufferDeviceMasks = &mask};
        const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                   .pNext = way == 0 ? &group : NULL,
                                   .commandBufferCount = 1,
                                   .pCommandBuffers = &commands};
        struct fence *fence = submit_and_see_end(commands);
        void *queue = way == 0
                          ? NULL
                          : ws_objects_remove(&mock_layer_device, WS_OBJECT_QUEUE, WS_HANDLE(mock.queues[1]));
        assert_int_equal(mock_submit_info(way, &info, VK_NULL_HANDLE), VK_SUCCESS);
        if (way == 1)
            assert_true(
                ws_objects_add(&mock_layer_device, WS_OBJECT_QUEUE, WS_HANDLE(mock.queues[1]), queue));
        memset(ws_recording_in_place(recording), 0xa5, recording->size);
        fence->signalled = true;
        submit(0, VK_NULL_HANDLE);
        assert_int_equal(mock.written_count, way + 1);
        assert_exact(way, 0, 5);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(mock.skipped, 1);
    }
}

/* Against the specification, but many programs do: a command buffer is submitted again and again, with one wait at the end. The
 * layer waits for the first, without its lock, and has the results of the others copied. */
static void test_submitted_again_while_it_is_pending(void **state)
{
    (void)state;
    const VkCommandBuffer commands = mock_dispatching(5);
    for (uint32_t i = 0; i < 4; i++) {
        submit(0, commands);
        assert_int_equal(latest_job()->count, i == 0 ? 1 : 2);
    }
    assert_int_equal(mock.waits, 1);
    assert_int_equal(mock.waits_locked, 0);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_exact(i, 0, 5);
    assert_int_equal(mock.skipped, 0);
}

/* The same where the application's fence is trusted to tell the end: that is not waited for without the lock, so one of ours
 * follows. On another queue it cannot, and what was left is lost. */
static void test_submitted_again_with_a_trusted_fence(void **state)
{
    (void)state;
    mock_layer_device.timeline_semaphores = false;
    mock_layer_device.next.ImportFenceFdKHR = NULL;
    for (uint32_t other = 0; other < 2; other++) {
        const VkCommandBuffer commands = mock_dispatching(5);
        struct fence fence = {0};
        assert_int_equal(mock_submit(0, commands, 0, 0, (VkFence)&fence), VK_SUCCESS);
        assert_null(ws_queue_of(mock.queues[0])->newest->fence);
        submit(other, commands);
        assert_int_equal(mock.waits, 1 + other); /* for the order of queues, where it is another */
        assert_int_equal(mock.waits_locked, other);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(mock.written_count, 2 + other);
        assert_int_equal(mock.skipped, other);
    }
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(mock.written[i].counted, 5);
}

/* The same where the first cannot be waited for, since the host signals what it waits for: nothing can be told of it. */
static void test_submitted_again_while_it_may_not_end(void **state)
{
    (void)state;
    const VkCommandBuffer commands = mock_dispatching(5);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(mock_submit(0, commands, 7 + 2 * i, 8 + 2 * i, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock.waits, 0);
    for (uint32_t i = 0; i < 3; i++) {
        mock.timeline_value = 7 + 2 * i;
        mock_run();
    }
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.skipped, 1);
    assert_non_null(strstr(mock.said, "submitted again before its end was known"));
    assert_int_equal(mock.written_count, 2);
    assert_exact(0, 0, 5);
    assert_exact(1, 0, 5);
}

/* Whichever allocation of the second submission fails: each execution is told right, or counted as lost. */
static void test_no_memory_to_put_aside(void **state)
{
    uint32_t lost = 0;
    for (uint32_t at = 1; at < 12; at++) {
        const VkCommandBuffer commands = mock_dispatching(5);
        const struct ws_recording *recording = ws_command_buffer_of(commands)->recording;
        struct fence *fence = submit_and_see_end(commands);
        mock.host_made = 0;
        mock.host_fails_at = at;
        submit(0, commands);
        mock.host_fails_at = 0;
        memset(ws_recording_in_place(recording), 0xa5, recording->size);
        fence->signalled = true;
        submit(0, VK_NULL_HANDLE);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(mock.written_count + mock.skipped, 2);
        for (uint32_t i = 0; i < mock.written_count; i++)
            assert_exact(i, 0, 5);
        lost += (uint32_t)mock.skipped;
        teardown(state);
        setup(state);
    }
    assert_true(lost > 1);
}

static void test_recorded_anew_before_it_is_read(void **state)
{
    (void)state;
    const VkCommandBuffer commands = mock_dispatching(5);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    submit(0, commands);
    mock_run();
    ((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(commands, &begin);
    mock_dispatch(commands, 7);
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(commands);
    submit(0, commands);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_exact(0, 0, 5);
    assert_exact(1, 0, 7);
}

/* May be pending twice: so each execution has a copy, and the second does not disturb the first. */
static void test_simultaneous_use_is_copied(void **state)
{
    (void)state;
    const VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    ((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(commands, &begin);
    mock_dispatch(commands, 5);
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(commands);
    for (uint32_t i = 0; i < 3; i++) {
        submit(0, commands);
        assert_int_equal(latest_job()->count, 2);
    }
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_exact(i, 0, 5);
}

static void test_twice_in_a_submission_is_copied(void **state)
{
    (void)state;
    const VkCommandBuffer commands[] = {mock_dispatching(5), mock_dispatching(6)};
    const VkCommandBuffer order[] = {commands[0], commands[1], commands[0]};
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 3, .pCommandBuffers = order};
    assert_int_equal(mock_submit_info(0, &info, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(latest_job()->count, 5);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 3);
    assert_exact(0, 0, 5);
    assert_exact(1, 0, 6);
    assert_exact(2, 0, 5);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_is_written_before_it_has_run),
        TEST(test_first_use_is_watched),
        TEST(test_another_queue_waits),
        TEST(test_a_wait_that_might_not_end_is_not_begun),
        TEST(test_a_wait_for_what_is_submitted_ends),
        TEST(test_a_held_up_queue_holds_up_what_follows),
        TEST(test_a_semaphore_tells_of_its_own_batch_only),
        TEST(test_later_batches_are_not_waited_for),
        TEST(test_what_cannot_be_seen_is_waited_for_on_the_device),
        TEST(test_different_shaders_run_side_by_side),
        TEST(test_two_of_three_queues_share_rows),
        TEST(test_the_order_is_said_once),
        TEST(test_an_event_of_the_host),
        TEST(test_an_imported_semaphore),
        TEST(test_an_exported_semaphore),
        TEST(test_devices_without_timeline_semaphores),
        TEST(test_an_imported_fence),
        TEST(test_launches_that_are_not_covered),
        TEST(test_dispatches_of_other_kinds),
        TEST(test_labels_of_a_queue_from_several_threads),
        TEST(test_a_handle_that_becomes_known),
        TEST(test_renderings_end_in_two_ways),
        TEST(test_frames_end_with_a_present),
        TEST(test_the_last_chosen_frame_closes_the_capture),
        TEST(test_the_last_chosen_launch_closes_the_capture),
        TEST(test_a_lost_device_closes_the_capture),
        TEST(test_a_submission_too_large_is_made_as_it_was),
        TEST(test_a_lost_device),
        TEST(test_other_devices_of_a_group_are_handed_on),
        TEST(test_protected_submissions_are_handed_on),
        TEST(test_a_group_behind_something_unknown),
        cmocka_unit_test_setup_teardown(test_what_is_in_flight_is_limited, setup_large, teardown),
        cmocka_unit_test_setup_teardown(test_the_limit_waits_for_nothing_uncertain, setup_large, teardown),
        TEST(test_the_application_s_fence),
        TEST(test_the_application_s_fence_tells_the_end),
        TEST(test_a_device_destroyed_with_work_left),
    };
    /* What only copies of results have. */
    const struct CMUnitTest apart[] = {
        TEST(test_no_memory_for_results),
        TEST(test_a_group_of_one_device),
    };
    const struct CMUnitTest of_both[] = {
        TEST(test_results_are_read_in_place),
        TEST(test_submitted_again_before_it_is_read),
        TEST(test_submitted_again_as_it_is),
        TEST(test_submitted_again_while_it_is_pending),
        TEST(test_submitted_again_with_a_trusted_fence),
        TEST(test_submitted_again_while_it_may_not_end),
        TEST(test_no_memory_to_put_aside),
        TEST(test_recorded_anew_before_it_is_read),
        TEST(test_simultaneous_use_is_copied),
        TEST(test_twice_in_a_submission_is_copied),
    };
    int failed = cmocka_run_group_tests_name("memory apart", tests, NULL, NULL);
    failed += cmocka_run_group_tests_name("copies", apart, NULL, NULL);
    unified = true;
    failed += cmocka_run_group_tests_name("memory of both", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("in place", of_both, NULL, NULL);
}
