/* The record stream over a mock driver, whose progress the test decides: what each launch appended is told
 * apart, and buffers grow. Where memory, queues or command buffers are short, nothing is written where it
 * should not be, no loop goes on for ever, and what is lost is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "layer/commands/command_buffer.h"
#include "layer/commands/stream_control.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/core/settings.h"
#include "layer/memory/control_block.h"
#include "layer/shader/shader.h"
#include "layer/submit/command_source.h"
#include "layer/submit/host_wait.h"
#include "layer/submit/queue.h"
#include "layer/submit/submission.h"
#include "tests/unit/layer/mock/objects.h"
#include "warpscope/capture.h"
#include "warpscope/records.h"
#include "warpscope/stage.h"

extern const struct ws_interception ws_submission_interception;

#define KIB UINT64_C(1024)

/* Each test is run with a staging buffer, with memory that the host reads where it is, and where the host may also open the
 * stream. */
struct memories {
    bool unified, in_place;
};
static bool unified, in_place;

static void begin(uint64_t size, uint64_t limit)
{
    mock_init_records(unified, size, limit);
    if (in_place)
        mock_show_control();
}

static int teardown(void **state)
{
    (void)state;
    mock_finish();
    return 0;
}

static int setup(void **state)
{
    const struct memories *memories = *state;
    unified = memories->unified;
    in_place = memories->in_place;
    return 0;
}

static VkResult wait_idle(void)
{
    return ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device());
}

static void submit(uint32_t queue, VkCommandBuffer commands)
{
    assert_int_equal(mock_submit(queue, commands, 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
}

/* RECS chunk `i` holds all that a launch of `groups` groups appended from `first` on. */
static void assert_records(uint32_t i, uint64_t launch, uint32_t groups, uint32_t first)
{
    assert_true(i < mock.records_count);
    const struct mock_records *records = &mock.records[i];
    assert_int_equal(records->launch, launch);
    assert_int_equal(records->flags, WS_RECORDS_LAST);
    assert_int_equal(records->first, first);
    assert_int_equal(records->position, first);
    assert_int_equal(records->missing, 0);
    assert_int_equal(records->word_count, MOCK_RECORD * groups);
    for (uint32_t j = 0; j < groups && MOCK_RECORD * j < MOCK_WORDS; j++) {
        assert_int_equal(records->words[MOCK_RECORD * j], groups);
        assert_int_equal(records->words[MOCK_RECORD * j + 1], j);
    }
}

static struct ws_stream_ring *ring(void)
{
    return &((struct ws_device *)mock_device())->submissions->ring;
}

/* The control block has no capacity: shaders append nothing. Or the next submission gives it none. */
static void assert_closed(void)
{
    if (mock_control != 0 && ring()->left_open == NULL)
        assert_int_equal(((const uint32_t *)(uintptr_t)mock_control)[WS_STREAM_CAPACITY], 0);
}

static struct memories memories[] = {{false, false}, {true, false}, {true, true}};

#define TEST(function)                                                                                       \
    {#function " (staged)", function, setup, teardown, &memories[0]},                                        \
        {#function " (unified)", function, setup, teardown, &memories[1]},                                   \
    {                                                                                                        \
#function " (in place)", function, setup, teardown, &memories[2]                                     \
    }

static void test_launches_of_a_command_buffer(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    submit(0, mock_dispatching_each(3, (uint32_t[]){3, 0, 5}));
    assert_int_equal(mock.records_count, 0); /* nothing before it has run */
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 3);
    assert_records(0, 0, 3, 0);
    assert_records(1, 1, 0, 6);
    assert_records(2, 2, 5, 6);
    assert_int_equal(mock.records[0].sufficient, 16);
    assert_int_equal(mock.said_count, 0);
    assert_int_equal(mock.invalidations > 0, unified && !in_place);
}

static void test_the_same_command_buffer_again(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    VkCommandBuffer commands = mock_dispatching_each(2, (uint32_t[]){2, 3});
    const VkCommandBuffer twice[] = {commands, commands};
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 2, .pCommandBuffers = twice};
    assert_int_equal(mock_submit_info(0, &info, VK_NULL_HANDLE), VK_SUCCESS);
    submit(0, commands);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 6);
    assert_records(0, 0, 2, 0);
    assert_records(1, 1, 3, 4);
    assert_records(2, 2, 2, 10);
    assert_records(3, 3, 3, 14);
    assert_records(4, 4, 2, 0);
    assert_records(5, 5, 3, 4);
}

static void test_several_batches(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    const VkCommandBuffer commands[] = {mock_dispatching(1), mock_dispatching(2), mock_dispatching(3)};
    const VkSubmitInfo infos[] = {
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 2, .pCommandBuffers = commands},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands[2]},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO},
    };
    PFN_vkQueueSubmit submit_all = (PFN_vkQueueSubmit)mock_hook("vkQueueSubmit");
    assert_int_equal(submit_all(mock.queues[0], 5, infos, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 3);
    assert_records(0, 0, 1, 0);
    assert_records(1, 1, 2, 2);
    assert_records(2, 2, 3, 6);
    assert_int_equal(mock.records[1].submission, 1);
    assert_int_equal(mock.records[2].submission, 3);
    assert_int_equal(mock.records[0].sufficient, 12); /* of the whole submission */
    assert_closed();
}

static void test_the_ring_waits_for_the_oldest(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    for (uint32_t i = 0; i < WS_STREAM_RING; i++)
        submit(0, mock_dispatching(1 + i));
    assert_int_equal(mock.waits, 1); /* until the control block is zeroed */
    for (uint32_t i = WS_STREAM_RING; i < 7; i++)
        submit(0, mock_dispatching(1 + i));
    assert_true(mock.waits > 1);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_records(i, i, 1 + i, 0);
    assert_int_equal(mock.records_skipped, 0);
}

/* One whose fence could not be made has ended when the next has: the wait for that ends, too. */
static void test_room_behind_what_has_no_fence(void **state)
{
    (void)state;
    uint32_t without = 0;
    for (uint32_t at = 1; at < 16; at++) {
        begin(4 * KIB, 4 * KIB);
        submit(0, mock_dispatching(1));
        submit(0, VK_NULL_HANDLE); /* gives back the fences of what has ended */
        VkCommandBuffer commands = mock_dispatching(2);
        struct ws_fence *held[8]; /* of those that are used again: the next is a new one */
        uint32_t held_count = 0;
        mock.made = 0;
        while (mock.made == 0)
            held[held_count++] = ws_fence_take(&mock_layer_device);
        mock.made = 0;
        mock.fails_at = at;
        submit(0, commands);
        mock.fails_at = 0;
        const struct ws_queue *queue = ws_queue_of(mock.queues[0]);
        without += queue->newest->fence == NULL && queue->newest->stream != NULL;
        while (held_count > 0)
            ws_fence_release(&mock_layer_device, held[--held_count]);
        for (uint32_t i = 2; i < 5; i++)
            submit(0, mock_dispatching(1 + i));
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(mock.records_count + mock.records_skipped + mock.skipped, 5);
        assert_records(mock.records_count - 1, 4, 5, 0);
        if (at < 15)
            mock_finish();
    }
    assert_int_equal(without, 1);
}

/* Two queues, whose ends only the application's fences tell. They are never waited for without the lock. */
static void test_room_on_two_queues_with_the_application_s_fences(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    mock_layer_device.timeline_semaphores = false; /* no order semaphore needs a submission of ours */
    mock_layer_device.next.ImportFenceFdKHR = NULL;
    struct fence fences[8] = {{0}};
    submit(0, mock_dispatching(9));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(mock_submit(i % 2, mock_dispatching(1 + i), 0, 0, (VkFence)&fences[i]), VK_SUCCESS);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 9);
    for (uint32_t i = 0; i < 8; i++)
        assert_records(1 + i, 1 + i, 1 + i, 0);
    assert_int_equal(mock.records_skipped, 0);
}

/* All buffers are held by submissions that wait for a signal of the application: a later one gets none. */
static void test_no_buffer_without_a_wait_that_might_not_end(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    assert_int_equal(mock_submit(0, mock_dispatching(1), 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    for (uint32_t i = 1; i < 4; i++)
        submit(0, mock_dispatching(1 + i));
    assert_int_equal(mock.waits, 1); /* until the control block is zeroed */
    assert_int_equal(mock.records_skipped, 4 - WS_STREAM_RING);
    assert_non_null(strstr(mock.said, "records of some launches are lost"));
    mock.timeline_value = 7;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 4); /* all counts are there */
    assert_int_equal(mock.skipped, 0);
    assert_int_equal(mock.records_count, WS_STREAM_RING);
    for (uint32_t i = 0; i < WS_STREAM_RING; i++)
        assert_records(i, i, 1 + i, 0);
    submit(0, mock_dispatching(9));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_records(WS_STREAM_RING, 4, 9, 0);
}

/* 1 KiB holds 256 words, which is 128 records. */
static void test_overflow_and_growth(void **state)
{
    (void)state;
    begin(KIB, KIB << 12);
    submit(0, mock_dispatching_each(3, (uint32_t[]){100, 50, 10}));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 3);
    assert_records(0, 0, 100, 0);
    assert_int_equal(mock.records[1].word_count, 56); /* whole records only */
    assert_int_equal(mock.records[1].missing, 100 - 56);
    assert_int_equal(mock.records[1].first, 200);
    assert_int_equal(mock.records[2].word_count, 0);
    assert_int_equal(mock.records[2].missing, 20);
    assert_int_equal(mock.records[2].flags, WS_RECORDS_LAST);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(mock.records[i].sufficient, 320);
    assert_int_equal(mock.said_count, 1);
    assert_non_null(strstr(mock.said, "needs 2K"));
    assert_non_null(strstr(mock.said, "--buffer 2K"));

    submit(0, mock_dispatching(160));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_records(3, 3, 160, 0);
    assert_int_equal(mock.said_count, 1);
}

/* An odd capacity: the last record is cut, and none of its words is written out. */
static void test_a_record_that_is_cut(void **state)
{
    (void)state;
    begin(1028, 1028);
    submit(0, mock_dispatching_each(2, (uint32_t[]){127, 3}));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_records(0, 0, 127, 0);
    assert_int_equal(mock.records[1].word_count, 2);
    assert_int_equal(mock.records[1].words[0], 3);
    assert_int_equal(mock.records[1].words[1], 0);
    assert_int_equal(mock.records[1].missing, 4);
}

static void test_the_limit(void **state)
{
    (void)state;
    begin(KIB, 2 * KIB);
    for (uint32_t i = 0; i < 3; i++) {
        submit(0, mock_dispatching(1000 + i));
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(mock.records[i].word_count, i == 0 ? 256 : 512);
        assert_int_equal(mock.records[i].missing, 2000 + 2 * i - mock.records[i].word_count);
        assert_int_equal(mock.records[i].sufficient, 2000 + 2 * i);
    }
    assert_int_equal(mock.said_count, 1); /* once, whatever is needed next */
    assert_non_null(strstr(mock.said, "needs 8K"));
    assert_non_null(strstr(mock.said, "--buffer-limit"));
    assert_non_null(strstr(mock.said, "2K only"));
}

/* Growth finds no memory: half of it is taken, and larger ones are not asked for again. */
static void test_growth_without_memory(void **state)
{
    (void)state;
    begin(KIB, 64 * KIB * KIB);
    mock.too_large = 3 * KIB * KIB;
    const uint32_t groups = (uint32_t)(4 * KIB * KIB / 8);
    submit(0, mock_dispatching(groups));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    submit(0, mock_dispatching(1));
    assert_non_null(strstr(mock.said, "no device memory"));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_records(1, 1, 1, 0);
    const uint32_t said = mock.said_count;
    submit(0, mock_dispatching(groups));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records[2].word_count, 2 * KIB * KIB / 4);
    assert_int_equal(mock.said_count, said + 1);
}

/* More than a piece: 4 MiB are 2^20 words. */
static void test_pieces(void **state)
{
    (void)state;
    const uint32_t piece = 1 << 20;
    begin(16 * KIB * KIB, 16 * KIB * KIB);
    submit(0, mock_dispatching_each(2, (uint32_t[]){3, piece}));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 3);
    assert_records(0, 0, 3, 0);
    for (uint32_t i = 0; i < 2; i++) {
        const struct mock_records *records = &mock.records[1 + i];
        assert_int_equal(records->launch, 1);
        assert_int_equal(records->first, 6);
        assert_int_equal(records->position, 6 + i * piece);
        assert_int_equal(records->word_count, piece);
        assert_int_equal(records->flags, i == 1 ? WS_RECORDS_LAST : 0);
        assert_int_equal(records->words[0], piece);
        assert_int_equal(records->words[1], i * piece / MOCK_RECORD);
    }
}

static void test_only_what_is_chosen(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    mock_settings.launches = (struct ws_range){2, 3};
    submit(0, mock_dispatching(8));                                /* 0 */
    submit(0, mock_dispatching_each(4, (uint32_t[]){2, 3, 4, 5})); /* 1 to 4 */
    submit(0, mock_dispatching(9));                                /* 5 */
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 2);
    assert_records(0, 2, 3, 4);
    assert_records(1, 3, 4, 10);
    assert_int_equal(mock.records_skipped, 0);
}

/* The launches of the first command buffer are not wanted, but tell where those of the second begin. */
static void test_what_comes_before_in_the_same_submission(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    mock_settings.launches = (struct ws_range){1, 1};
    const VkCommandBuffer commands[] = {mock_dispatching(5), mock_dispatching(6), mock_dispatching(7)};
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 3, .pCommandBuffers = commands};
    assert_int_equal(mock_submit_info(0, &info, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 1);
    assert_records(0, 1, 6, 10);
}

static void test_unchosen_frames_append_nothing(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    mock_settings.frames = (struct ws_range){1, 1};
    PFN_vkQueuePresentKHR present = (PFN_vkQueuePresentKHR)mock_hook("vkQueuePresentKHR");
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    for (uint32_t frame = 0; frame < 3; frame++) {
        submit(0, mock_dispatching(10 + frame));
        const struct ws_stream_ring *buffers = ring();
        assert_int_equal(buffers->buffers[0].taken, frame == 1);
        assert_int_equal(buffers->buffers[0].buffer != VK_NULL_HANDLE, frame >= 1);
        mock_run();
        assert_int_equal(present(mock.queues[0], &info), VK_SUCCESS);
        assert_closed();
    }
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 1);
    assert_records(0, 1, 11, 0);
}

static void test_queues_take_turns(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    for (uint32_t i = 0; i < 6; i++)
        submit(i % 2, mock_dispatching(1 + i));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_records(i, i, 1 + i, 0);
}

/* Two shaders append on three queues. The third has one of its own, and shares no rows with the first, which something holds up
 * that the layer cannot see: it waits all the same. There are buffers for two; with the next ones the layer waits for room. */
static void test_three_queues_append(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    mock_other_shader.records = true;
    const VkSemaphore unseen = (VkSemaphore)&unseen;
    const VkSemaphore timeline = mock.timeline;
    mock.timeline = unseen;
    assert_int_equal(mock_submit(0, mock_dispatching(1), 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock.timeline = timeline;
    submit(2, mock_dispatching_other(2));
    mock_run();
    submit(2, VK_NULL_HANDLE);
    assert_int_equal(mock.written_count, 0);
    mock.timeline_value = 7;
    for (uint32_t i = 2; i < 9; i++)
        submit(i % 3, i % 3 == 2 ? mock_dispatching_other(1 + i) : mock_dispatching(1 + i));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 9);
    assert_int_equal(mock.written_count, 9);
    for (uint32_t i = 0; i < 9; i++) {
        assert_records(i, i, 1 + i, 0);
        assert_int_equal(mock.written[i].queue, i == 1 ? 2 : i % 3);
        assert_int_equal(mock.written[i].counted, 1 + i);
        assert_int_equal(mock.written[i].flags, 0);
    }
}

static void test_what_overlaps_is_lost(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    assert_int_equal(mock_submit(0, mock_dispatching(1), 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    submit(1, mock_dispatching(2));
    assert_int_equal(mock.records_skipped, 1); /* the second, at once */
    mock.timeline_value = 7;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 0);
    assert_int_equal(mock.records_skipped, 2);
    assert_int_equal(mock.written_count, 2);
    submit(1, mock_dispatching(3));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_records(0, 2, 3, 0);
}

/* A call that waits for a fence makes late copies, if no other call uses a queue and all of ours on the queue
 * has finished. A call that only asks does not. */
static void test_a_fence(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    struct ws_device *device = (struct ws_device *)mock_device();
    bool signalled = false; /* as the driver's own: its struct is that */
    VkFence fence = (VkFence)&signalled;
    PFN_vkWaitForFences wait = (PFN_vkWaitForFences)mock_hook("vkWaitForFences");
    PFN_vkGetFenceStatus get = (PFN_vkGetFenceStatus)mock_hook("vkGetFenceStatus");
    PFN_vkResetFences reset = (PFN_vkResetFences)mock_hook("vkResetFences");
    assert_int_equal(mock_submit(0, mock_dispatching(4), 0, 0, fence), VK_SUCCESS);
    mock_run();
    assert_int_equal(get(mock_device(), fence), VK_SUCCESS);
    assert_int_equal(mock.records_count, unified ? 1 : 0);

    ws_late_copies_enter_call(device); /* another thread presents */
    assert_int_equal(wait(mock_device(), 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    assert_int_equal(mock.records_count, unified ? 1 : 0);
    ws_late_copies_leave_call(device);
    assert_int_equal(mock_submit(0, VK_NULL_HANDLE, 6, 0, VK_NULL_HANDLE), VK_SUCCESS); /* holds it up */
    assert_int_equal(wait(mock_device(), 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    mock.timeline_value = 6;
    assert_int_equal(wait(mock_device(), 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    assert_int_equal(mock.records_count, 1);
    assert_records(0, 0, 4, 0);
    ws_late_copies_enter_call(device); /* the next call finds it free again */
    ws_late_copies_leave_call(device);

    assert_int_equal(reset(mock_device(), 1, &fence), VK_SUCCESS);
    assert_int_equal(mock_submit(0, mock_dispatching(5), 0, 0, fence), VK_SUCCESS);
    assert_int_equal(mock_submit(0, mock_dispatching(6), 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait(mock_device(), 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    assert_int_equal(mock.records_count, unified ? 2 : 1); /* the next one is under way */
    mock.timeline_value = 7;
    mock_run();
    submit(0, VK_NULL_HANDLE);
    assert_int_equal(mock.records_count, 3);
    assert_records(1, 1, 5, 0);
    assert_records(2, 2, 6, 0);
}

static void test_a_submission_that_fails(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    submit(0, mock_dispatching(1));
    for (uint32_t i = 0; i < 2 * WS_STREAM_RING; i++) {
        mock.submit_fails = 1;
        mock.submit_error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        submit(0, mock_dispatching(2)); /* made as the application has it */
    }
    mock.submit_fails = 2;
    assert_int_equal(mock_submit(0, mock_dispatching(3), 0, 0, VK_NULL_HANDLE),
                     VK_ERROR_OUT_OF_DEVICE_MEMORY);
    submit(0, mock_dispatching(4));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 2);
    assert_records(0, 0, 1, 0);
    assert_records(1, 2 + 2 * WS_STREAM_RING, 4, 0);
}

static void test_a_lost_device(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    submit(0, mock_dispatching(1));
    mock_run();
    submit(0, mock_dispatching(2));
    mock.lost = true;
    assert_int_equal(wait_idle(), VK_ERROR_DEVICE_LOST);
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(mock.records_count, 1);
    assert_records(0, 0, 1, 0);
}

/* With shaders that record nothing there is no stream. */
static void test_counters_alone(void **state)
{
    (void)state;
    mock_init(1);
    submit(0, mock_dispatching(2));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    const struct ws_control_block *control = ((struct ws_device *)mock_device())->control;
    assert_null(control->buffer);
    assert_null(((struct ws_device *)mock_device())->submissions->ring.buffers[0].buffer);
    assert_int_equal(mock.records_count + mock.records_skipped, 0);
}

/* Whatever cannot be made, the application's commands run, and each launch has its records or is counted as
 * lost. */
static void test_no_memory_for_one_thing_after_the_other(void **state)
{
    (void)state;
    bool failed = true;
    /* The first is the application's own command buffer. */
    for (uint32_t at = 2; failed; at++) {
        begin(KIB, 4 * KIB);
        mock.made = 0;
        mock.fails_at = at;
        VkCommandBuffer commands = mock_dispatching_each(2, (uint32_t[]){2, 3});
        for (uint32_t i = 0; i < 3; i++)
            submit(0, commands);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        failed = mock.made >= at;
        for (uint32_t i = 0; i < mock.records_count; i++) {
            const uint32_t second = mock.records[i].launch % 2;
            assert_records(i, mock.records[i].launch, 2 + second, 4 * second);
        }
        assert_int_equal(mock.written_count + mock.skipped, 6);
        assert_int_equal(mock.records_count + mock.records_skipped + mock.skipped, 6);
        assert_closed();
        if (failed)
            mock_finish();
    }
    assert_int_equal(mock.records_count, 6); /* at last nothing failed */
}

/* Shaders never find what the memory of the control block held before, which would let them write anywhere.
 * While one queue is held up the block cannot be zeroed; a submission to another queue runs at once
 * nevertheless. */
static void test_no_control_block_before_it_is_zeroed(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    assert_int_equal(mock_submit(0, VK_NULL_HANDLE, 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    submit(0, mock_dispatching(1)); /* behind the one that waits */
    submit(1, mock_dispatching(2));
    mock_run();
    assert_int_equal(mock_control, 0);
    assert_int_equal(mock.records_skipped, 1);
    mock.timeline_value = 7;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(mock.skipped, 1); /* nor were the second one's counter rows zeroed */
    submit(0, mock_dispatching(3));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_true(mock_control != 0 && mock.control_zeroed);
    assert_int_equal(mock.records_count, 1);
    assert_records(0, 2, 3, 0);
}

/* What counter memory holds that could not be zeroed is not written as counts. */
static void test_no_command_buffer_for_the_zeroing(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    VkCommandBuffer commands = mock_dispatching(3);
    mock.made = 0;
    mock.fails_at = 2; /* behind the memory of the results' copy */
    for (bool failed = false; !failed; mock.fails_at++) {
        mock.made = 0;
        submit(0, commands);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        failed = mock.made >= mock.fails_at;
    }
    for (uint32_t i = 0; i < mock.written_count; i++)
        assert_int_equal(mock.written[i].counted, 3);
}

/* Readback memory is short, and the only submission that holds some has finished but finds no queue for late
 * copies. */
static void test_room_where_nothing_can_be_written(void **state)
{
    (void)state;
    struct ws_device *device = (struct ws_device *)mock_device();
    begin(4 * KIB, 4 * KIB);
    submit(0, mock_dispatching(1));
    assert_int_equal(mock_submit(0, VK_NULL_HANDLE, 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock_run();
    ws_submissions_enter(device);
    device->submissions->late.queue = device->submissions->queues;
    while (device->submissions->late.queue->handle != mock.queues[0])
        device->submissions->late.queue = device->submissions->late.queue->following;
    device->submissions->pending_size += WS_PENDING_LIMIT; /* as if others had much more */
    ws_make_room(device, device->submissions->late.queue, false);
    device->submissions->pending_size -= WS_PENDING_LIMIT;
    ws_submissions_leave(device);
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(mock.records_count, unified ? 1 : 0);
    assert_int_equal(mock.records_skipped, unified ? 0 : 1);
    mock.timeline_value = 7;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    submit(0, mock_dispatching(2));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_records(unified ? 1 : 0, 1, 2, 0);
}

static void test_records_that_cannot_be_written(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    mock.write_fails = true;
    submit(0, mock_dispatching_each(2, (uint32_t[]){1, 2}));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_skipped, 2);
    mock.write_fails = false;
    submit(0, mock_dispatching(3));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_records(0, 2, 3, 0);
}

/* The same with host memory, in a submission. */
static void test_no_host_memory_for_one_thing_after_the_other(void **state)
{
    (void)state;
    bool failed = true;
    for (uint32_t at = 1; failed; at++) {
        begin(KIB, 4 * KIB);
        VkCommandBuffer commands = mock_dispatching_each(2, (uint32_t[]){2, 3});
        mock.host_made = 0;
        mock.host_fails_at = at;
        for (uint32_t i = 0; i < 3; i++)
            submit(0, commands);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        failed = mock.host_made >= at;
        for (uint32_t i = 0; i < mock.records_count; i++) {
            const uint32_t second = mock.records[i].launch % 2;
            assert_records(i, mock.records[i].launch, 2 + second, 4 * second);
        }
        assert_int_equal(mock.written_count + mock.skipped, 6);
        assert_int_equal(mock.records_count + mock.records_skipped + mock.skipped, 6);
        assert_closed();
        if (failed)
            mock_finish();
        else
            assert_true(at > 10); /* there was something to fail */
    }
    assert_int_equal(mock.records_count, 6); /* at last nothing failed */
}

/* What has finished when the process ends is written where no queue is needed for it; the rest is counted. */
static void test_the_end_of_the_process(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    submit(0, mock_dispatching(3));
    assert_int_equal(mock_submit(0, mock_dispatching(4), 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock_run();
    ws_submission_interception.device_flush((struct ws_device *)mock_device());
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(mock.skipped, 1);
    assert_int_equal(mock.records_count, unified ? 1 : 0);
    assert_int_equal(mock.records_skipped, unified ? 0 : 1);
    mock.timeline_value = 7;
    mock_run();
}

/* A software device appends to memory of ours, if it imports what the host reads as it is; else to its own, also where the
 * alignment that it asks for is none that memory of ours has. */
static void test_memory_of_ours(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        begin(4 * KIB, 4 * KIB);
        struct ws_device *device = (struct ws_device *)mock_device();
        const bool is_ours = in_place && i == 0;
        device->host_import = true;
        device->properties.host_import_alignment = i == 3 ? 1 << 30 : 4096;
        device->properties.core.deviceType =
            i == 1 ? VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU : VK_PHYSICAL_DEVICE_TYPE_CPU;
        mock.import_fails = i == 2;
        submit(0, mock_dispatching(5));
        const struct ws_stream *stream = &ring()->buffers[0];
        assert_int_equal(mock.imported > 0, i == 0);
        assert_int_equal(stream->placed != NULL, is_ours);
        assert_true(!is_ours || stream->mapped == stream->placed);
        assert_int_equal(stream->capacity, KIB);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_records(0, 0, 5, 0);
        if (i < 3)
            mock_finish();
    }
}

/* A buffer larger than the driver allows is not asked for. */
static void test_the_largest_buffer(void **state)
{
    (void)state;
    begin(8 * KIB * KIB, 8 * KIB * KIB);
    ((struct ws_device *)mock_device())->properties.largest_buffer = 4 * KIB * KIB + 2;
    mock.made = 0;
    submit(0, mock_dispatching(1));
    const struct ws_stream_ring *buffers = ring();
    assert_int_equal(buffers->buffers[0].capacity, 4 * KIB * KIB / 4);
    assert_non_null(strstr(mock.said, "a record buffer of 8M; it is given 4M"));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_records(0, 0, 1, 0);
}

/* The sizes without settings: as large as they may become where memory is not taken before it is written. */
static void test_sizes_without_settings(void **state)
{
    static const struct {
        VkPhysicalDeviceType type;
        VkDeviceSize heap, size;
    } cases[] = {
        {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, UINT64_C(16) << 30, UINT64_C(64) << 20},
        {VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, UINT64_C(128) << 20, UINT64_C(32) << 20},
        {VK_PHYSICAL_DEVICE_TYPE_CPU, UINT64_C(256) << 20, UINT64_C(64) << 20},
        {VK_PHYSICAL_DEVICE_TYPE_CPU, UINT64_C(16) << 30, UINT64_C(1) << 30},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(0, 0);
        struct ws_device *device = (struct ws_device *)mock_device();
        device->properties.core.deviceType = cases[i].type;
        device->properties.memory.memoryHeaps[0].size = cases[i].heap;
        VkCommandBuffer commands = mock_dispatching(1);
        mock.too_large = 1; /* it need not be made: what is asked for first is known */
        submit(0, commands);
        assert_int_equal(device->submissions->ring.wanted, cases[i].size);
        assert_int_equal(mock.records_skipped, 1);
        if (i + 1 < sizeof(cases) / sizeof(cases[0]))
            mock_finish();
    }
}

/* At the end of each launch just the words of the bitmap are cleared that its threads have their bits in. */
static void test_the_bitmap_is_cleared_as_far_as_it_is_used(void **state)
{
    (void)state;
    mock_init(1);
    mock_settings.sampling.flags = WS_SAMPLE_THREADS;
    mock_settings.stages = WS_STAGES_ALL;
    mock_shader.records = true;
    mock_shader.stage = WS_STAGE_RAYGEN;
    assert_true(ws_control_block_require((struct ws_device *)mock_device(), NULL));
    const struct commands *commands =
        (const struct commands *)mock_dispatching_each(4, (uint32_t[]){33, 0, WS_BITMAP_BITS, UINT32_MAX});
    const VkDeviceSize sizes[] = {8, WS_BITMAP_BITS / 8, WS_BITMAP_BITS / 8};
    const struct ws_memory_range *bitmap = &((struct ws_device *)mock_device())->control->bitmap;
    uint32_t count = 0;
    for (uint32_t i = 0; i < commands->count; i++) {
        const struct operation *operation = &commands->operations[i];
        if (operation->kind != FILL || operation->target != (struct buffer *)bitmap->buffer ||
            operation->target_offset != bitmap->offset)
            continue;
        assert_true(count < 3);
        assert_int_equal(operation->size, sizes[count++]);
    }
    assert_int_equal(count, 3);
}

/* How many command buffers were submitted to a queue. */
static uint32_t count_commands(uint32_t queue)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mock_queues[queue].count; i++)
        count += mock_queues[queue].jobs[i].count;
    return count;
}

/* A program that waits for each submission: only its own command buffers run, once rows and the control block are zeroed. */
static void test_nothing_of_ours_where_each_is_waited_for(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    submit(0, mock_dispatching(1));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    const uint32_t before = count_commands(0);
    for (uint32_t i = 1; i < 5; i++) {
        submit(i % 2, mock_dispatching_each(2, (uint32_t[]){1 + i, 2}));
        assert_int_equal(ring()->left_open != NULL, in_place);
        assert_int_equal(wait_idle(), VK_SUCCESS);
    }
    if (in_place)
        assert_int_equal(count_commands(0) + count_commands(1), before + 4);
    assert_int_equal(mock.records_count, 9);
    for (uint32_t i = 1; i < 5; i++) {
        assert_records(2 * i - 1, 2 * i - 1, 1 + i, 0);
        assert_records(2 * i, 2 * i, 2, MOCK_RECORD * (1 + i));
    }
    assert_int_equal(mock.records_skipped + mock.said_count, 0);
}

/* The application's fence tells the end too, as long as it waits for each: nothing follows its submission. */
static void test_the_fence_of_a_program_that_waits(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    struct ws_device *device = (struct ws_device *)mock_device();
    device->timeline_semaphores = false; /* nothing is to be signalled for other queues */
    device->next.ImportFenceFdKHR = NULL;
    PFN_vkResetFences reset = (PFN_vkResetFences)mock_hook("vkResetFences");
    bool signalled = false;
    VkFence fence = (VkFence)&signalled;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t jobs = mock_queues[0].count;
        assert_int_equal(mock_submit(0, mock_dispatching(1 + i), 0, 0, fence), VK_SUCCESS);
        if (i > 0 && unified) /* else there are late copies, too */
            assert_int_equal(mock_queues[0].count, jobs + (in_place ? 1 : 2));
        mock_run();
        assert_int_equal(reset(mock_device(), 1, &fence), VK_SUCCESS);
    }
    submit(0, VK_NULL_HANDLE);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_records(i, i, 1 + i, 0);
    submit(0, mock_dispatching(4));
    submit(0, mock_dispatching(5)); /* from now on two are held at a time */
    assert_int_equal(wait_idle(), VK_SUCCESS);
    const uint32_t jobs = mock_queues[0].count;
    assert_int_equal(mock_submit(0, mock_dispatching(6), 0, 0, fence), VK_SUCCESS);
    assert_true(mock_queues[0].count >= jobs + 2);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_records(5, 5, 6, 0);
}

/* What comes while the first is pending opens a stream by its own command buffers; on another queue too. */
static void test_several_pending(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    submit(0, mock_dispatching(1));
    assert_int_equal(ring()->left_open != NULL, in_place);
    submit(0, mock_dispatching(2));
    assert_null(ring()->left_open);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_closed();
    submit(0, mock_dispatching(3));
    submit(1, mock_dispatching(4));
    assert_null(ring()->left_open);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_records(i, i, 1 + i, 0);
}

/* What is not wanted appends nothing, whether the one before it is pending or has ended; nor in a batch before the first with
 * records that are wanted. */
static void test_what_the_host_left_open_is_closed(void **state)
{
    (void)state;
    for (uint32_t pending = 0; pending < 3; pending++) {
        begin(4 * KIB, 4 * KIB);
        mock_settings.launches = (struct ws_range){0, 0};
        const VkCommandBuffer commands[] = {mock_dispatching(1), mock_dispatching(2), mock_dispatching(3)};
        submit(0, commands[0]);
        if (pending == 0)
            assert_int_equal(wait_idle(), VK_SUCCESS);
        submit(pending == 2, commands[1]);
        assert_null(ring()->left_open);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(((const uint32_t *)(uintptr_t)mock_control)[WS_STREAM_RESERVED], MOCK_RECORD);
        assert_closed();
        submit(0, commands[2]);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(mock.records_count, 1);
        assert_records(0, 0, 1, 0);
        if (pending < 2)
            mock_finish();
    }
}

/* To the second device of a group, where nobody follows it. */
static void submit_stray(uint32_t queue, const VkCommandBuffer *stray)
{
    const uint32_t mask = 2;
    const VkDeviceGroupSubmitInfo group = {.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
                                           .commandBufferCount = 1,
                                           .pCommandBufferDeviceMasks = &mask};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &group,
                               .commandBufferCount = 1,
                               .pCommandBuffers = stray};
    assert_int_equal(mock_submit_info(queue, &info, VK_NULL_HANDLE), VK_SUCCESS);
}

/* Before launches that nobody follows it is closed on their queue, which is late with that. What would run on another
 * before waits for it, since the buffer may be freed then. */
static void test_what_another_queue_closes(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    mock_settings.launches = (struct ws_range){0, 1};
    submit(0, mock_dispatching(9));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    VkCommandBuffer stray = mock_dispatching(7);
    submit(0, mock_dispatching(1));
    for (uint32_t i = 0; i < 4; i++)
        submit(1, mock_dispatching_other(1));
    submit_stray(1, &stray);
    assert_null(ring()->left_open);
    submit(0, mock_dispatching(2));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(((const uint32_t *)(uintptr_t)mock_control)[WS_STREAM_RESERVED], MOCK_RECORD);
    assert_int_equal(mock.records_count, 2);
    assert_records(1, 1, 1, 0);
}

/* What a batch before the first with records that are wanted appends would be taken for those. */
static void test_a_batch_before_what_is_wanted(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    mock_settings.launches = (struct ws_range){1, 1};
    const VkCommandBuffer commands[] = {mock_dispatching(3), mock_dispatching(2)};
    const VkSubmitInfo infos[] = {
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands[0]},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands[1]},
    };
    PFN_vkQueueSubmit submit_all = (PFN_vkQueueSubmit)mock_hook("vkQueueSubmit");
    assert_int_equal(submit_all(mock.queues[0], 2, infos, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 1);
    assert_records(0, 1, 2, 0);
    assert_closed();
}

/* It cannot be closed for want of memory: what is submitted next may append to it, so no buffer is freed before that has
 * ended. */
static void test_what_cannot_be_closed(void **state)
{
    (void)state;
    begin(KIB, 4 * KIB);
    mock_settings.launches = (struct ws_range){0, 1};
    const VkCommandBuffer commands[] = {mock_dispatching(1), mock_dispatching(200), mock_dispatching(3),
                                        mock_dispatching(4), mock_dispatching(300)};
    submit(0, commands[0]);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    submit(0, commands[1]);
    mock.submit_fails = in_place ? 1 : 0;
    mock.submit_error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    assert_int_equal(mock_submit(0, commands[2], 9, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(ring()->unclosed, in_place);
    mock_run();
    mock_settings.launches = (struct ws_range){0, 4};
    submit(0, commands[3]);
    assert_null(ring()->left_open);
    assert_int_equal(ring()->unclosed, in_place);
    for (uint32_t i = 0; i < WS_STREAM_RING && in_place; i++)
        assert_true(ring()->buffers[i].capacity == 0 || ring()->buffers[i].capacity == 256);
    mock.timeline_value = 9;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 3);
    assert_int_equal(mock.records[1].word_count, 256);
    assert_records(2, 3, 4, 0);
    submit(0, commands[4]);
    assert_false(ring()->unclosed);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_records(3, 4, 300, 0);
    assert_closed();
}

/* Nor can it on a queue that does not copy. What has launches there breaks the specification; but the layer records nothing
 * that does. */
static void test_a_queue_that_does_not_copy(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    mock_get_sparse_queue();
    mock_settings.launches = (struct ws_range){0, 2};
    submit(0, mock_dispatching(1));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    submit(0, mock_dispatching(2));
    VkCommandBuffer unknown = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(unknown);
    ws_command_buffer_of(unknown)->recording->lost = 1; /* no shader runs on such a queue */
    submit(MOCK_QUEUES, unknown);
    assert_int_equal(count_commands(MOCK_QUEUES), 1);
    assert_int_equal(ring()->left_open != NULL, in_place);
    mock_settings.launches = (struct ws_range){0, 1};
    submit(MOCK_QUEUES, mock_dispatching(3));
    assert_int_equal(count_commands(MOCK_QUEUES), 2);
    assert_int_equal(ring()->left_open != NULL, in_place);
    assert_int_equal(ring()->unclosed, in_place);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    submit(0, mock_dispatching(4));
    assert_null(ring()->left_open);
    assert_false(ring()->unclosed);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 2);
    assert_records(1, 1, 2, 0);
    assert_closed();
}

/* A submission that fails is made once more as the application has it: with the stream closed. */
static void test_no_stream_for_what_is_tried_again(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    submit(0, mock_dispatching(1));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    mock.submit_fails = 1;
    mock.submit_error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    submit(0, mock_dispatching(2));
    assert_null(ring()->left_open);
    mock_run();
    assert_int_equal(((const uint32_t *)(uintptr_t)mock_control)[WS_STREAM_CAPACITY], 0);
    submit(0, mock_dispatching(3));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 2);
    assert_records(1, 2, 3, 0);
}

/* While launches are pending that nobody follows, the host opens no stream; afterwards it does. */
static void test_strays(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    VkCommandBuffer stray = mock_dispatching(9);
    submit(0, mock_dispatching(1));
    submit_stray(0, &stray);
    assert_null(ring()->left_open);
    submit(0, mock_dispatching(2));
    assert_null(ring()->left_open);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    submit(0, mock_dispatching(3));
    assert_int_equal(ring()->left_open != NULL, in_place);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 3);
    assert_records(0, 0, 1, 0);
    assert_records(1, mock.records[1].launch, 2, 0);
    assert_records(2, mock.records[2].launch, 3, 0);
}

/* Two batches of a dispatch each. */
static void submit_two(uint32_t queue, uint32_t first, uint32_t second)
{
    const VkCommandBuffer commands[] = {mock_dispatching(first), mock_dispatching(second)};
    const VkSubmitInfo infos[] = {
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands[0]},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands[1]},
    };
    PFN_vkQueueSubmit submit_all = (PFN_vkQueueSubmit)mock_hook("vkQueueSubmit");
    assert_int_equal(submit_all(mock.queues[queue], 2, infos, VK_NULL_HANDLE), VK_SUCCESS);
}

/* On another queue they run neither in the middle of a submission with a stream, nor close it there. The mock runs the batches
 * of its queues in turns. */
static void test_strays_on_another_queue(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    submit(0, mock_dispatching(9));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    VkCommandBuffer strays[] = {mock_dispatching(7), mock_dispatching(6)};
    submit_two(0, 1, 2);
    submit_stray(1, &strays[0]);
    assert_null(ring()->left_open);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    submit_stray(1, &strays[1]);
    submit_two(0, 3, 4);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 5);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t groups = 1 + 2 * i;
        assert_records(1 + 2 * i, mock.records[1 + 2 * i].launch, groups, 0);
        assert_records(2 + 2 * i, mock.records[1 + 2 * i].launch + 1, groups + 1, MOCK_RECORD * groups);
    }
    assert_int_equal(mock.records_skipped, 0);
}

/* The same where planning had no memory, so that nothing is known of the launches: also of those that choose what appends. */
static void test_strays_without_a_plan(void **state)
{
    (void)state;
    for (uint32_t chooses = 0; chooses < 2; chooses++) {
        begin(4 * KIB, 4 * KIB);
        VkCommandBuffer stray = chooses ? mock_dispatching_other(7) : mock_dispatching(7);
        ws_command_buffer_of(stray)->recording->chooses = chooses;
        submit(0, mock_dispatching(9));
        assert_int_equal(wait_idle(), VK_SUCCESS);
        submit_two(0, 1, 2);
        mock.host_made = 0;
        mock.host_fails_at = 1;
        submit(1, stray);
        mock.host_fails_at = 0;
        assert_int_equal(mock.skipped, 1);
        assert_null(ring()->left_open);
        assert_int_equal(ring()->strays, 0);
        submit_two(0, 3, 4);
        assert_null(ring()->left_open);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        submit(0, mock_dispatching(5));
        assert_int_equal(ring()->left_open != NULL, in_place);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(mock.records_count, 6);
        assert_records(1, 1, 1, 0);
        assert_records(2, 2, 2, MOCK_RECORD);
        assert_int_equal(mock.records[3].word_count, MOCK_RECORD * 3);
        assert_int_equal(mock.records[4].word_count, MOCK_RECORD * 4);
        if (chooses == 0)
            mock_finish();
    }
}

static uint32_t groups_of(uint64_t launch)
{
    for (uint32_t i = 0; i < mock.written_count; i++)
        if (mock.written[i].index == launch)
            return mock.written[i].groups;
    fail_msg("its launch was not written");
    return 0;
}

/* Whichever allocation fails: each submission's records are its own, or counted as lost. */
static void test_strays_without_memory(void **state)
{
    (void)state;
    for (uint32_t at = 1; at < 12; at++) {
        begin(4 * KIB, 4 * KIB);
        VkCommandBuffer stray = mock_dispatching(7);
        submit(0, mock_dispatching(9));
        assert_int_equal(wait_idle(), VK_SUCCESS);
        submit_two(0, 1, 2);
        mock.host_made = 0;
        mock.host_fails_at = at;
        submit_stray(1, &stray);
        mock.host_fails_at = 0;
        submit_two(0, 3, 4);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        submit(0, mock_dispatching(5));
        assert_int_equal(ring()->left_open != NULL, in_place);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_int_equal(mock.records_count + mock.records_skipped, 6);
        for (uint32_t i = 0; i < mock.records_count; i++)
            assert_int_equal(mock.records[i].word_count, MOCK_RECORD * groups_of(mock.records[i].launch));
        assert_int_equal(mock.records[mock.records_count - 1].word_count, MOCK_RECORD * 5);
        if (at < 11)
            mock_finish();
    }
}

/* Nobody sees the end of what is submitted to a queue that there was no memory to know: until the device is idle no records are
 * kept, and no stream is opened by the host. */
static void test_strays_on_an_unknown_queue(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    submit(0, mock_dispatching(9));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    VkCommandBuffer stray = mock_dispatching(7);
    submit_two(0, 1, 2);
    void *queue = ws_objects_remove(&mock_layer_device, WS_OBJECT_QUEUE, WS_HANDLE(mock.queues[1]));
    submit(1, stray);
    assert_true(ws_objects_add(&mock_layer_device, WS_OBJECT_QUEUE, WS_HANDLE(mock.queues[1]), queue));
    assert_int_equal(ring()->unclosed, in_place);
    submit(0, mock_dispatching(3));
    assert_null(ring()->left_open);
    mock_run();
    submit(0, mock_dispatching(4));
    assert_int_equal(mock.records_skipped, 4);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    submit(0, mock_dispatching(5));
    assert_int_equal(ring()->left_open != NULL, in_place);
    assert_false(ring()->unclosed);
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.records_count, 2);
    assert_int_equal(mock.records_skipped, 4);
    assert_records(1, mock.records[1].launch, 5, 0);
}

/* A part of a rendering in two command buffers. Only the first draws, and so records. */
static void render(VkCommandBuffer commands, VkRenderingFlags flags)
{
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .flags = flags};
    ((PFN_vkCmdBindPipeline)mock_hook("vkCmdBindPipeline"))(commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                                                            mock_pipeline(0));
    ((PFN_vkCmdBeginRendering)mock_hook("vkCmdBeginRendering"))(commands, &info);
    if ((flags & VK_RENDERING_SUSPENDING_BIT) != 0)
        mock_draw(commands, 3);
    ((PFN_vkCmdEndRendering)mock_hook("vkCmdEndRendering"))(commands);
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(commands);
}

/* Whichever allocation fails, it never appends to the stream that the host left open. */
static void test_a_suspended_rendering_without_memory(void **state)
{
    (void)state;
    for (uint32_t at = 1; at < 20; at++) {
        begin(4 * KIB, 4 * KIB);
        VkCommandBuffer commands[] = {mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY),
                                      mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY)};
        render(commands[0], VK_RENDERING_SUSPENDING_BIT);
        render(commands[1], VK_RENDERING_RESUMING_BIT);
        submit(0, mock_dispatching(9));
        assert_int_equal(wait_idle(), VK_SUCCESS);
        submit(0, mock_dispatching(1));
        const VkSubmitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 2, .pCommandBuffers = commands};
        mock.host_made = 0;
        mock.host_fails_at = at;
        assert_int_equal(mock_submit_info(0, &info, VK_NULL_HANDLE), VK_SUCCESS);
        mock.host_fails_at = 0;
        assert_true(ring()->left_open == NULL || ring()->unclosed);
        assert_int_equal(wait_idle(), VK_SUCCESS);
        assert_records(1, 1, 1, 0);
        if (at < 19)
            mock_finish();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_launches_of_a_command_buffer),
        TEST(test_the_same_command_buffer_again),
        TEST(test_several_batches),
        TEST(test_the_ring_waits_for_the_oldest),
        TEST(test_room_behind_what_has_no_fence),
        TEST(test_room_on_two_queues_with_the_application_s_fences),
        TEST(test_no_buffer_without_a_wait_that_might_not_end),
        TEST(test_nothing_of_ours_where_each_is_waited_for),
        TEST(test_the_fence_of_a_program_that_waits),
        TEST(test_several_pending),
        TEST(test_what_the_host_left_open_is_closed),
        TEST(test_what_another_queue_closes),
        TEST(test_a_batch_before_what_is_wanted),
        TEST(test_what_cannot_be_closed),
        TEST(test_no_stream_for_what_is_tried_again),
        TEST(test_a_queue_that_does_not_copy),
        TEST(test_strays),
        TEST(test_strays_on_another_queue),
        TEST(test_strays_without_a_plan),
        TEST(test_strays_without_memory),
        TEST(test_strays_on_an_unknown_queue),
        TEST(test_a_suspended_rendering_without_memory),
        TEST(test_overflow_and_growth),
        TEST(test_a_record_that_is_cut),
        TEST(test_the_limit),
        TEST(test_growth_without_memory),
        TEST(test_pieces),
        TEST(test_only_what_is_chosen),
        TEST(test_what_comes_before_in_the_same_submission),
        TEST(test_unchosen_frames_append_nothing),
        TEST(test_queues_take_turns),
        TEST(test_three_queues_append),
        TEST(test_what_overlaps_is_lost),
        TEST(test_a_fence),
        TEST(test_a_submission_that_fails),
        TEST(test_a_lost_device),
        TEST(test_counters_alone),
        TEST(test_no_memory_for_one_thing_after_the_other),
        TEST(test_no_control_block_before_it_is_zeroed),
        TEST(test_no_command_buffer_for_the_zeroing),
        TEST(test_room_where_nothing_can_be_written),
        TEST(test_records_that_cannot_be_written),
        TEST(test_no_host_memory_for_one_thing_after_the_other),
        TEST(test_the_end_of_the_process),
        TEST(test_memory_of_ours),
        TEST(test_the_largest_buffer),
        TEST(test_sizes_without_settings),
        TEST(test_the_bitmap_is_cleared_as_far_as_it_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
