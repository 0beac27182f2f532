/* What the tests of the record stream over the mock driver have in common. */
#ifndef WS_TESTS_UNIT_LAYER_SUBMIT_STREAMS_H
#define WS_TESTS_UNIT_LAYER_SUBMIT_STREAMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "layer/commands/stream_control.h"
#include "layer/core/device.h"
#include "layer/core/settings.h"
#include "layer/submit/submission.h"
#include "tests/unit/layer/mock/objects.h"
#include "warpscope/capture.h"
#include "warpscope/records.h"

#define KIB UINT64_C(1024)

/* Each test is run with memory that the host reads where it is, and with a staging buffer. */
static bool unified;

static void begin(uint64_t size, uint64_t limit)
{
    mock_init_records(unified, size, limit);
}

static int teardown(void **state)
{
    (void)state;
    mock_finish();
    return 0;
}

static int setup(void **state)
{
    unified = *(const bool *)*state;
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

/* The control block takes nothing. */
static void assert_closed(void)
{
    if (mock_control != 0)
        assert_int_equal(((const uint32_t *)(uintptr_t)mock_control)[WS_STREAM_CAPACITY], 0);
}

static bool kinds[] = {false, true};

#define TEST(function)                                                                                       \
    {#function " (staged)", function, setup, teardown, &kinds[0]},                                           \
    {                                                                                                        \
#function " (unified)", function, setup, teardown, &kinds[1]                                         \
    }

#endif
