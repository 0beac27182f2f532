/* Timestamps around launches: each launch gets those of its own execution, and every use of a query is one that the
 * specification allows, which the mock driver checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/commands/command_buffer.h"
#include "layer/core/settings.h"
#include "tests/unit/layer/mock/objects.h"
#include "warpscope/capture.h"

static int setup(void **state)
{
    (void)state;
    mock_init(1);
    mock_settings.times = true;
    return 0;
}

/* As with pass time alone. */
static int setup_plain(void **state)
{
    setup(state);
    mock_uninstrument();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mock_finish();
    return 0;
}

static void wait_idle(void)
{
    assert_int_equal(((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device()), VK_SUCCESS);
}

static void submit(uint32_t count, const VkCommandBuffer *commands)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = count, .pCommandBuffers = commands};
    assert_int_equal(mock_submit_info(0, &info, VK_NULL_HANDLE), VK_SUCCESS);
}

static void end(VkCommandBuffer commands)
{
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(commands);
}

static void set_valid_bits(uint32_t bits)
{
    mock.valid_bits = bits;
    mock_layer_device.queue_families[0].timestampValidBits = bits;
}

/* Launch `i` took `work`: the groups of its dispatch, or the vertices of its draws and one more command for each but the
 * first. The two timestamps are 2 ticks further apart (driver.h). */
static void assert_time(uint32_t i, uint64_t work)
{
    assert_true(i < mock.written_count);
    assert_true(mock.written[i].timed);
    assert_int_equal(mock.written[i].time_state, WS_TIME_TAKEN);
    assert_int_equal(mock.written[i].ticks, work + 2);
}

static void assert_no_time(uint32_t i, uint32_t state)
{
    assert_true(i < mock.written_count);
    assert_true(mock.written[i].timed);
    assert_int_equal(mock.written[i].time_state, state);
    assert_int_equal(mock.written[i].ticks, 0);
}

static void test_each_launch_has_its_time(void **state)
{
    (void)state;
    const uint32_t groups[] = {3, 50, 7};
    VkCommandBuffer commands[] = {mock_dispatching_each(3, groups), mock_dispatching_other(20)};
    submit(2, commands);
    wait_idle();
    assert_int_equal(mock.written_count, 4);
    assert_time(0, 3);
    assert_time(1, 50);
    assert_time(2, 7);
    assert_time(3, 20);
}

/* In one batch, and in two that are pending at once. */
static void test_one_command_buffer_again_and_again(void **state)
{
    (void)state;
    const uint32_t groups[] = {3, 5};
    VkCommandBuffer again = mock_dispatching_each(2, groups);
    VkCommandBuffer other = mock_dispatching(11);
    submit(3, (VkCommandBuffer[]){again, other, again});
    submit(1, &again);
    wait_idle();
    assert_int_equal(mock.written_count, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_time(i, (const uint32_t[]){3, 5, 11, 3, 5, 3, 5}[i]);
}

static void test_secondary_command_buffers(void **state)
{
    (void)state;
    VkCommandBuffer secondary = mock_begun(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    mock_dispatch(secondary, 4);
    mock_dispatch(secondary, 9);
    end(secondary);
    VkCommandBuffer primary = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(primary, 1);
    ((PFN_vkCmdExecuteCommands)mock_hook("vkCmdExecuteCommands"))(primary, 2,
                                                                  (VkCommandBuffer[]){secondary, secondary});
    mock_dispatch(primary, 6);
    end(primary);
    submit(2, (VkCommandBuffer[]){primary, primary});
    wait_idle();
    assert_int_equal(mock.written_count, 12);
    for (uint32_t i = 0; i < 12; i++)
        assert_time(i, (const uint32_t[]){1, 4, 9, 4, 9, 6}[i % 6]);
}

static void test_a_queue_without_timestamps(void **state)
{
    (void)state;
    set_valid_bits(0);
    submit(1, (VkCommandBuffer[]){mock_dispatching(3)});
    wait_idle();
    assert_no_time(0, WS_TIME_NO_TIMESTAMPS);
    assert_int_equal(mock.query_pools, 0);
}

static void test_a_clock_that_wraps_around(void **state)
{
    (void)state;
    set_valid_bits(36);
    mock.clock = (UINT64_C(1) << 36) - 4;
    submit(1, (VkCommandBuffer[]){mock_dispatching(30)});
    wait_idle();
    assert_int_equal(mock.written[0].time_state, WS_TIME_TAKEN);
    assert_true(mock.written[0].ticks > UINT32_MAX); /* the reader makes 32 of it: it knows the valid bits */
    assert_int_equal(mock.written[0].ticks & ((UINT64_C(1) << 36) - 1), 32);
}

/* More launches than a pool has room for; and pools are used again. */
static void test_many_launches(void **state)
{
    (void)state;
    uint32_t groups[60];
    for (uint32_t i = 0; i < 60; i++)
        groups[i] = 1 + i;
    mock_uninstrument();
    VkCommandBuffer secondary = mock_begun(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    for (uint32_t i = 0; i < 200; i++)
        mock_dispatch(secondary, i);
    end(secondary);
    assert_int_equal(mock.query_pools, 4); /* 400 queries in pools of 128 */
    VkCommandBuffer commands = mock_dispatching_each(60, groups);
    submit(1, &commands);
    wait_idle();
    for (uint32_t i = 0; i < 60; i++)
        assert_time(i, 1 + i);
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(secondary, &info);
    mock_dispatching_each(60, groups);
    assert_int_equal(mock.query_pools, 5);
}

static const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO};
static const VkRenderingInfo suspending = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                           .flags = VK_RENDERING_SUSPENDING_BIT};
static const VkRenderingInfo resuming = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                         .flags = VK_RENDERING_RESUMING_BIT};

static void render(VkCommandBuffer commands, const VkRenderingInfo *info, uint32_t vertices)
{
    ((PFN_vkCmdBeginRendering)mock_hook("vkCmdBeginRendering"))(commands, info);
    if (vertices > 0)
        mock_draw(commands, vertices);
    ((PFN_vkCmdEndRendering)mock_hook("vkCmdEndRendering"))(commands);
}

static void test_renderings(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    render(commands, &rendering, 30);
    render(commands, &rendering, 0); /* draws nothing: no launch */
    render(commands, &suspending, 5);
    render(commands, &resuming, 7);
    mock_dispatch(commands, 2);
    end(commands);
    submit(1, &commands);
    wait_idle();
    assert_int_equal(mock.written_count, 3);
    assert_time(0, 30);
    assert_time(1, 5 + 7 + 1);
    assert_time(2, 2);
}

/* Between its parts no timestamp may stand. The launches around it have their times. */
static void test_a_rendering_in_several_command_buffers(void **state)
{
    (void)state;
    VkCommandBuffer first = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(first, 3);
    render(first, &suspending, 5);
    end(first);
    VkCommandBuffer second = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    render(second, &resuming, 7);
    mock_dispatch(second, 4);
    end(second);
    submit(2, (VkCommandBuffer[]){first, second});
    wait_idle();
    assert_int_equal(mock.written_count, 4);
    uint32_t dispatches = 0;
    for (uint32_t i = 0; i < 4; i++) {
        if (mock.written[i].time_state == WS_TIME_TAKEN) {
            assert_time(i, mock.written[i].groups);
            dispatches++;
        } else {
            assert_no_time(i, WS_TIME_SUSPENDED);
        }
    }
    assert_int_equal(dispatches, 2);
}

/* Begun in a secondary command buffer, resumed in the primary one, which goes on with other launches. */
static void test_a_rendering_that_a_secondary_command_buffer_suspends(void **state)
{
    (void)state;
    VkCommandBuffer secondary = mock_begun(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    render(secondary, &suspending, 5);
    end(secondary);
    VkCommandBuffer resumer = mock_begun(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    render(resumer, &resuming, 6);
    end(resumer);
    VkCommandBuffer primary = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    PFN_vkCmdExecuteCommands execute = (PFN_vkCmdExecuteCommands)mock_hook("vkCmdExecuteCommands");
    execute(primary, 1, &secondary);
    render(primary, &resuming, 7);
    mock_dispatch(primary, 4);
    render(primary, &suspending, 5);
    execute(primary, 1, &resumer);
    mock_dispatch(primary, 8);
    end(primary);
    submit(1, &primary);
    wait_idle();
    assert_int_equal(mock.written_count, 5);
    assert_no_time(0, WS_TIME_SUSPENDED);
    assert_time(1, 4);
    assert_no_time(2, WS_TIME_SUSPENDED);
    assert_no_time(3, WS_TIME_SUSPENDED);
    assert_time(4, 8);
}

/* One command buffer on two queues at once, of which one waits for what nobody can foresee. */
static void test_two_queues_at_once(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_dispatching(3);
    assert_int_equal(mock_submit(0, commands, 7, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(mock_submit(1, commands, 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock.timeline_value = 7;
    wait_idle();
    assert_int_equal(mock.written_count, 2);
    assert_no_time(0, WS_TIME_MIXED);
    assert_no_time(1, WS_TIME_MIXED);
}

static void test_one_command_buffer_on_two_queues(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_dispatching(3);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(mock_submit(i % 2, commands, 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    wait_idle();
    for (uint32_t i = 0; i < 4; i++)
        assert_time(i, 3);
}

static void test_no_memory_for_queries(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock.fails_at = mock.made + 1;
    mock_dispatch(commands, 3);
    mock.fails_at = 0;
    mock_dispatch(commands, 5);
    end(commands);
    submit(1, &commands);
    wait_idle();
    assert_int_equal(mock.written_count, 2);
    assert_no_time(0, WS_TIME_NO_MEMORY);
    assert_time(1, 5);
}

static void test_nobody_asks(void **state)
{
    (void)state;
    mock_settings.times = false;
    submit(1, (VkCommandBuffer[]){mock_dispatching(3)});
    wait_idle();
    assert_int_equal(mock.written_count, 1);
    assert_false(mock.written[0].timed);
    assert_int_equal(mock.query_pools, 0);
}

/* After the last launch that is wanted nothing is added any more. */
static void test_after_the_last_launch(void **state)
{
    (void)state;
    mock_settings.launches.last = 0;
    submit(1, (VkCommandBuffer[]){mock_dispatching(3)});
    VkCommandBuffer late = mock_dispatching(4);
    assert_int_equal(ws_command_buffer_of(late)->recording->timer.used, 0);
    submit(1, &late);
    wait_idle();
    assert_int_equal(mock.written_count, 1);
    assert_time(0, 3);
}

#define TEST(function)                                                                                       \
    cmocka_unit_test_setup_teardown(function, setup, teardown),                                              \
    {                                                                                                        \
#function " (uninstrumented)", function, setup_plain, teardown, NULL                                 \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_launch_has_its_time),
        TEST(test_one_command_buffer_again_and_again),
        TEST(test_secondary_command_buffers),
        TEST(test_a_queue_without_timestamps),
        TEST(test_a_clock_that_wraps_around),
        TEST(test_many_launches),
        TEST(test_renderings),
        TEST(test_a_rendering_in_several_command_buffers),
        TEST(test_a_rendering_that_a_secondary_command_buffer_suspends),
        TEST(test_two_queues_at_once),
        TEST(test_one_command_buffer_on_two_queues),
        cmocka_unit_test_setup_teardown(test_no_memory_for_queries, setup_plain, teardown),
        TEST(test_nobody_asks),
        TEST(test_after_the_last_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
