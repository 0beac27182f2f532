/* The record stream where something is short or held up, over a driver whose progress the test decides:
 * nothing is written where it should not be, nothing turns for ever, and nothing is lost in silence. */
#include "layer/memory/control_block.h"
#include "layer/submit/host_wait.h"
#include "tests/unit/layer/submit/streams.h"

#include "layer/core/hooks.h"
#include "layer/shader/shader.h"
#include "layer/submit/queue.h"
#include "warpscope/stage.h"

extern const struct ws_interception ws_submission_interception;

/* Whatever cannot be made, the application's commands run, and each launch has records or is counted. */
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

/* Shaders never see what the memory of the control block held before, which would have them write anywhere:
 * a queue that is held up leaves it as it was, and another one's submission runs at once. */
static void test_no_control_block_before_it_is_zeroed(void **state)
{
    (void)state;
    begin(4 * KIB, 4 * KIB);
    assert_int_equal(mock_submit(0, VK_NULL_HANDLE, 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    submit(0, mock_dispatching(1)); /* behind the one that waits */
    submit(1, mock_dispatching(2));
    mock_run();
    assert_int_equal(mock_control, 0);
    assert_int_equal(mock.records_skipped, 2);
    mock.timeline_value = 7;
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_int_equal(mock.written_count, 2);
    submit(0, mock_dispatching(3));
    assert_int_equal(wait_idle(), VK_SUCCESS);
    assert_true(mock_control != 0 && mock.control_zeroed);
    assert_int_equal(mock.records_count, 1);
    assert_records(0, 2, 3, 0);
}

/* Counter memory that could not be zeroed holds nobody's counts. */
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

/* Room is asked for while all that could be waited for has finished, but cannot be written now. */
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
    ws_wait_for_readback(device, WS_PENDING_LIMIT);
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

/* The same with memory of the host, from a submission on. */
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

/* More than the driver makes buffers of is not even asked for. */
static void test_the_largest_buffer(void **state)
{
    (void)state;
    begin(8 * KIB * KIB, 8 * KIB * KIB);
    ((struct ws_device *)mock_device())->properties.largest_buffer = 4 * KIB * KIB + 2;
    mock.made = 0;
    submit(0, mock_dispatching(1));
    const struct ws_stream_ring *ring = &((struct ws_device *)mock_device())->submissions->ring;
    assert_int_equal(ring->buffers[0].capacity, 4 * KIB * KIB / 4);
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

/* What the launches end with: the words of the bitmap in which the threads of each lie. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_no_memory_for_one_thing_after_the_other),
        TEST(test_no_control_block_before_it_is_zeroed),
        TEST(test_no_command_buffer_for_the_zeroing),
        TEST(test_room_where_nothing_can_be_written),
        TEST(test_records_that_cannot_be_written),
        TEST(test_no_host_memory_for_one_thing_after_the_other),
        TEST(test_the_end_of_the_process),
        TEST(test_the_largest_buffer),
        TEST(test_sizes_without_settings),
        TEST(test_the_bitmap_is_cleared_as_far_as_it_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
