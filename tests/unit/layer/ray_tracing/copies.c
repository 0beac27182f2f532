/* Copies of acceleration structures on the device: what the capture is told of them, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/ray_tracing/structure.h"
#include "tests/unit/layer/mock/application.h"
#include "warpscope/capture.h"
#include "warpscope/instrument.h"

/* Where something is serialized. */
#define SERIALIZED_AT 2048

static void copy(VkCommandBuffer commands, uint32_t source, uint32_t destination,
                 VkCopyAccelerationStructureModeKHR mode)
{
    const VkCopyAccelerationStructureInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
        .src = mock_application.structures[source],
        .dst = mock_application.structures[destination],
        .mode = mode,
    };
    ((PFN_vkCmdCopyAccelerationStructureKHR)mock_hook("vkCmdCopyAccelerationStructureKHR"))(commands, &info);
}

static void serialize(VkCommandBuffer commands, uint32_t source, VkDeviceSize at)
{
    const VkCopyAccelerationStructureToMemoryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR,
        .src = mock_application.structures[source],
        .dst.deviceAddress = mock_application.base + at,
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR,
    };
    ((PFN_vkCmdCopyAccelerationStructureToMemoryKHR)mock_hook("vkCmdCopyAccelerationStructureToMemoryKHR"))(
        commands, &info);
}

static void deserialize(VkCommandBuffer commands, VkDeviceAddress address, uint32_t destination)
{
    const VkCopyMemoryToAccelerationStructureInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR,
        .src.deviceAddress = address,
        .dst = mock_application.structures[destination],
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR,
    };
    ((PFN_vkCmdCopyMemoryToAccelerationStructureKHR)mock_hook("vkCmdCopyMemoryToAccelerationStructureKHR"))(
        commands, &info);
}

static void assert_copy(uint32_t index, uint32_t source, uint32_t destination, uint32_t mode, uint64_t moment)
{
    const struct mock_geometry *copied = mock_copied(index);
    assert_int_equal(copied->source, source);
    assert_int_equal(copied->id, destination);
    assert_int_equal(copied->mode, mode);
    assert_int_equal(copied->moment, moment);
}

/* Each stands before the launch that comes next, however often the command buffer is submitted. */
static void test_moments(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock_dispatch(commands, 3);
    copy(commands, 0, 1, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
    mock_dispatch(commands, 4);
    copy(commands, 1, 2, VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);
    mock_end(commands);
    mock_submit_one(commands);
    mock_submit_one(commands);
    assert_int_equal(mock_copied_count(), 0);
    mock_run_all();
    assert_int_equal(mock_copied_count(), 4);
    for (uint32_t i = 0; i < 2; i++) {
        assert_copy(2 * i, 0, 1, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR, 2 * i + 1);
        assert_copy(2 * i + 1, 1, 2, VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR, 2 * i + 2);
        assert_int_equal(mock_copied(2 * i)->hash[0], 0);
        assert_int_equal(mock_copied(2 * i)->written, 2 * i);
    }
    assert_int_equal(mock_application.commands, 2);
    assert_int_equal(mock.geometry_skipped, 0);
}

/* A command buffer that only copies; and a secondary one, executed twice. */
static void test_nothing_but_copies(void **state)
{
    (void)state;
    VkCommandBuffer secondary = mock_begun(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    copy(secondary, 0, 1, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
    mock_end(secondary);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkCommandBuffer twice[] = {secondary, secondary};
    ((PFN_vkCmdExecuteCommands)mock_hook("vkCmdExecuteCommands"))(commands, 2, twice);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock_copied_count(), 2);
    assert_copy(0, 0, 1, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR, 0);
    assert_copy(1, 0, 1, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR, 0);
}

/* What was copied to last is at the address that structures share. */
static void test_the_destination_is_built(void **state)
{
    (void)state;
    struct ws_device *device = &mock_layer_device;
    VkAccelerationStructureKHR shared;
    const VkAccelerationStructureCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = mock_application.buffer,
        .offset = 256, /* where structure 1 is */
        .size = 256,
    };
    ((PFN_vkCreateAccelerationStructureKHR)mock_hook("vkCreateAccelerationStructureKHR"))(
        mock_device(), &info, NULL, &shared);
    assert_int_equal(ws_structure_find(device, shared), 3);
    assert_int_equal(ws_structure_at_address(device, mock_application.base + 256), 3);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    copy(commands, 0, 1, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(ws_structure_at_address(device, mock_application.base + 256), 1);
    ((PFN_vkDestroyAccelerationStructureKHR)mock_hook("vkDestroyAccelerationStructureKHR"))(mock_device(),
                                                                                            shared, NULL);
}

/* Both say the hash of the bytes, which are read where the copy stands. */
static void test_serialized(void **state)
{
    (void)state;
    const XXH128_hash_t hash = XXH3_128bits(mock_application.serialized, MOCK_SERIALIZED);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    serialize(commands, 0, SERIALIZED_AT);
    deserialize(commands, mock_application.base + SERIALIZED_AT, 2);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock_copied_count(), 2);
    assert_copy(0, 0, WS_NONE, VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR, 0);
    assert_copy(1, WS_NONE, 2, VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR, 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(mock_copied(i)->hash[0], hash.low64);
        assert_int_equal(mock_copied(i)->hash[1], hash.high64);
    }
    assert_int_equal(mock.geometry_skipped, 0);
}

/* Bytes past the buffer's end, a header that says nonsense, memory that is not known: a serialization is only
 * counted; a deserialization ends even so what was in its destination. */
static void test_serialized_and_unknown(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 55, UINT64_MAX};
    for (uint32_t i = 0; i < 3; i++) {
        memcpy(mock_application.content + SERIALIZED_AT + 32, &sizes[i], sizeof(sizes[i]));
        VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        deserialize(commands, mock_application.base + SERIALIZED_AT, 2);
        mock_end(commands);
        mock_submit_one(commands);
        mock_run_all();
        assert_copy(i, WS_NONE, 2, VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR, 0);
        assert_int_equal(mock_copied(i)->hash[0], 0);
        assert_int_equal(mock.geometry_skipped, i + 1);
    }
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    deserialize(commands, 64, 2);
    const uint64_t longer = MOCK_SERIALIZED + 1;
    memcpy(mock_application.serialized + 32, &longer, sizeof(longer));
    serialize(commands, 0, MOCK_BYTES - MOCK_SERIALIZED);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock_copied_count(), 4);
    assert_int_equal(mock.geometry_skipped, 5);
}

/* Whichever allocation fails, the command reaches the driver, and the copy is written or counted. */
static void test_no_memory(void **state)
{
    (void)state;
    for (uint32_t at = 1; at < 40; at++) {
        mock.geometry_count = 0;
        mock.geometry_skipped = 0;
        VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        mock_application.commands = 0;
        mock.host_made = 0;
        mock.host_fails_at = at;
        serialize(commands, 0, SERIALIZED_AT);
        mock_end(commands);
        mock_submit_one(commands);
        mock_run_all();
        const bool failed = mock.host_made >= at;
        mock.host_fails_at = 0;
        assert_int_equal(mock_application.commands, 1);
        assert_true(mock_copied_count() == 1 || mock.geometry_skipped > 0);
        if (!failed)
            return;
    }
    fail_msg("allocations without end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_moments, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_nothing_but_copies, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_the_destination_is_built, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_serialized, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_serialized_and_unknown, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, mock_application_setup, mock_application_teardown),
    };
    return cmocka_run_group_tests_name("layer copies", tests, NULL, NULL);
}
