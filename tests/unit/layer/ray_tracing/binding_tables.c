/* Shader binding tables: what the capture gets of those of each trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/settings.h"
#include "tests/unit/layer/mock/application.h"
#include "tests/unit/layer/mock/builds.h"
#include "warpscope/instrument.h"

/* Where the tables stand in the buffer. */
enum { RAYGEN_AT = 1024, MISS_AT = 1088, HIT_AT = 1216, COMMAND_AT = 2048 };

static VkStridedDeviceAddressRegionKHR region(VkDeviceSize at, VkDeviceSize stride, VkDeviceSize size)
{
    return (VkStridedDeviceAddressRegionKHR){mock_application.base + at, stride, size};
}

/* One record, two miss records, three hit records, no callable ones. */
static void trace(VkCommandBuffer commands)
{
    const VkStridedDeviceAddressRegionKHR raygen = region(RAYGEN_AT, 64, 64);
    const VkStridedDeviceAddressRegionKHR miss = region(MISS_AT, 32, 64);
    const VkStridedDeviceAddressRegionKHR hit = region(HIT_AT, 48, 144);
    const VkStridedDeviceAddressRegionKHR callable = {0};
    ((PFN_vkCmdTraceRaysKHR)mock_hook("vkCmdTraceRaysKHR"))(commands, &raygen, &miss, &hit, &callable, 8, 4,
                                                            1);
}

static void finish(VkCommandBuffer commands)
{
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
}

static const struct ws_binding_table *table(uint32_t index, uint64_t launch, uint32_t which)
{
    assert_true(index < mock_application.table_count);
    assert_int_equal(mock_application.tables[index].launch, launch);
    return &mock_application.tables[index].tables[which];
}

static void assert_table(uint32_t index, uint64_t launch, uint32_t which, VkDeviceSize at,
                         VkDeviceSize stride, VkDeviceSize size)
{
    const struct ws_binding_table *found = table(index, launch, which);
    assert_int_equal(found->address, mock_application.base + at);
    assert_int_equal(found->stride, stride);
    assert_int_equal(found->size, size);
    mock_assert_blob(found->blob, mock_application.content + at, size);
}

static void assert_tables(uint32_t index, uint64_t launch)
{
    assert_table(index, launch, 0, RAYGEN_AT, 64, 64);
    assert_table(index, launch, 1, MISS_AT, 32, 64);
    assert_table(index, launch, 2, HIT_AT, 48, 144);
    assert_int_equal(table(index, launch, 3)->size, 0);
    assert_int_equal(table(index, launch, 3)->blob, WS_NONE);
}

static void test_of_a_trace(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(commands, 3);
    trace(commands);
    trace(commands);
    finish(commands);
    assert_int_equal(mock_application.table_count, 2);
    assert_tables(0, 1);
    assert_tables(1, 2);
    assert_int_equal(mock_builds.pieces, 3); /* equal ones once */
    assert_int_equal(mock.geometry_skipped, 0);
}

/* Between two traces the device writes into the miss table: each has its own. */
static void test_as_they_were(void **state)
{
    (void)state;
    static const uint8_t bytes[4] = {201, 202, 203, 204};
    uint8_t before[64];
    memcpy(before, mock_application.content + MISS_AT, sizeof(before));
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    trace(commands);
    mock_layer_device.next.CmdUpdateBuffer(commands, mock_application.buffer, MISS_AT + 32, sizeof(bytes),
                                           bytes);
    trace(commands);
    finish(commands);
    mock_assert_blob(table(0, 0, 1)->blob, before, sizeof(before));
    assert_tables(1, 1);
    assert_memory_equal(mock_application.content + MISS_AT + 32, bytes, sizeof(bytes));
}

static void test_indirect(void **state)
{
    (void)state;
    const VkStridedDeviceAddressRegionKHR raygen = region(RAYGEN_AT, 64, 64);
    const VkStridedDeviceAddressRegionKHR miss = region(MISS_AT, 32, 64);
    const VkStridedDeviceAddressRegionKHR hit = region(HIT_AT, 48, 144);
    const VkStridedDeviceAddressRegionKHR callable = {0};
    const VkTraceRaysIndirectCommand2KHR command = {
        .raygenShaderRecordAddress = 10,
        .raygenShaderRecordSize = 11,
        .missShaderBindingTableAddress = 20,
        .missShaderBindingTableSize = 21,
        .missShaderBindingTableStride = 22,
        .hitShaderBindingTableAddress = 30,
        .hitShaderBindingTableSize = 31,
        .hitShaderBindingTableStride = 32,
        .callableShaderBindingTableAddress = 40,
        .callableShaderBindingTableSize = 41,
        .callableShaderBindingTableStride = 42,
    };
    memcpy(mock_application.content + COMMAND_AT, &command, sizeof(command));
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    ((PFN_vkCmdTraceRaysIndirectKHR)mock_hook("vkCmdTraceRaysIndirectKHR"))(commands, &raygen, &miss, &hit,
                                                                            &callable, mock_application.base);
    ((PFN_vkCmdTraceRaysIndirect2KHR)mock_hook("vkCmdTraceRaysIndirect2KHR"))(
        commands, mock_application.base + COMMAND_AT);
    finish(commands);
    assert_int_equal(mock_application.table_count, 2);
    assert_tables(0, 0);
    /* Addresses that only the device knows: where they are, not what is there. */
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(table(1, 1, i)->address, 10 * (i + 1));
        assert_int_equal(table(1, 1, i)->size, 10 * (i + 1) + 1);
        assert_int_equal(table(1, 1, i)->stride, i == 0 ? 11 : 10 * (i + 1) + 2);
        assert_int_equal(table(1, 1, i)->blob, WS_NONE);
    }
    assert_int_equal(mock.geometry_skipped, 1);
    assert_int_equal(mock_application.commands, 2);
}

static void test_what_cannot_be_had(void **state)
{
    (void)state;
    const VkStridedDeviceAddressRegionKHR raygen = region(RAYGEN_AT, 64, 64);
    const VkStridedDeviceAddressRegionKHR past_end = region(MOCK_BYTES - 64, 32, 96);
    const VkStridedDeviceAddressRegionKHR unknown = {.deviceAddress = 4096, .stride = 32, .size = 32};
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    ((PFN_vkCmdTraceRaysKHR)mock_hook("vkCmdTraceRaysKHR"))(commands, &raygen, &past_end, &unknown, NULL, 8,
                                                            4, 1);
    ((PFN_vkCmdTraceRaysNV)mock_hook("vkCmdTraceRaysNV"))(commands, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, 0,
                                                          VK_NULL_HANDLE, 0, 0, VK_NULL_HANDLE, 0, 0, 1, 1,
                                                          1);
    finish(commands);
    assert_int_equal(mock_application.table_count, 1);
    assert_table(0, 0, 0, RAYGEN_AT, 64, 64);
    assert_int_equal(table(0, 0, 1)->size, 96);
    mock_assert_blob(table(0, 0, 1)->blob, mock_application.content + MOCK_BYTES - 64, 64);
    assert_int_equal(table(0, 0, 2)->size, 32);
    assert_int_equal(table(0, 0, 2)->blob, WS_NONE);
    assert_int_equal(mock.geometry_skipped, 2);
    assert_int_equal(mock_application.commands, 2);
}

/* Of launches that are not chosen there is nothing; and of none where geometry is off. */
static void test_of_chosen_launches(void **state)
{
    (void)state;
    mock_settings.launches = (struct ws_range){.first = 1, .last = 1};
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    for (uint32_t i = 0; i < 3; i++)
        trace(commands);
    finish(commands);
    assert_int_equal(mock_application.table_count, 1);
    assert_tables(0, 1);

    mock_settings.launches.last = UINT64_MAX;
    mock_settings.geometry = false;
    commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    trace(commands);
    finish(commands);
    assert_int_equal(mock_application.table_count, 1);
    assert_int_equal(mock.geometry_skipped, 0);
}

/* Whichever allocation fails, the command reaches the driver, and tables are written or counted. */
static void test_no_memory(void **state)
{
    (void)state;
    for (uint32_t at = 1; at < 60; at++) {
        mock.geometry_skipped = 0;
        mock.skipped = 0;
        mock_application.table_count = 0;
        mock_application.commands = 0;
        VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        mock.host_made = 0;
        mock.host_fails_at = at;
        trace(commands);
        finish(commands);
        const bool failed = mock.host_made >= at;
        mock.host_fails_at = 0;
        assert_int_equal(mock_application.commands, 1);
        assert_true(mock_application.table_count == 1 || mock.geometry_skipped + mock.skipped > 0);
        for (uint32_t i = 0; mock.geometry_skipped + mock.skipped == 0 && i < 3; i++)
            assert_int_not_equal(mock_application.tables[0].tables[i].blob, WS_NONE);
        if (!failed)
            return;
    }
    fail_msg("allocations without end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_of_a_trace, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_as_they_were, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_indirect, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_had, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_of_chosen_launches, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, mock_application_setup, mock_application_teardown),
    };
    return cmocka_run_group_tests_name("layer binding tables", tests, NULL, NULL);
}
