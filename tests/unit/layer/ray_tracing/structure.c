/* What the layer knows of acceleration structures, over a driver whose progress the test decides. */
#include "layer/ray_tracing/structure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "layer/core/settings.h"
#include "layer/submit/submission.h"
#include "tests/unit/layer/mock/objects.h"
#include "warpscope/capture.h"
#include "warpscope/instrument.h"

static char memory[1024];
static VkBuffer buffer;

static VkBuffer make_buffer(VkBufferUsageFlags usage)
{
    VkBuffer made = VK_NULL_HANDLE;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = sizeof(memory), .usage = usage};
    assert_int_equal(((PFN_vkCreateBuffer)mock_hook("vkCreateBuffer"))(mock_device(), &info, NULL, &made),
                     VK_SUCCESS);
    ((struct buffer *)made)->data = memory;
    return made;
}

static void destroy_buffer(VkBuffer destroyed)
{
    ((PFN_vkDestroyBuffer)mock_hook("vkDestroyBuffer"))(mock_device(), destroyed, NULL);
}

static int setup(void **state)
{
    (void)state;
    mock_init(1);
    mock_settings.geometry = true;
    buffer = make_buffer(VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    destroy_buffer(buffer);
    mock_finish();
    return 0;
}

static VkDeviceAddress address_at(VkDeviceSize offset)
{
    return (VkDeviceAddress)(uintptr_t)memory + offset;
}

static VkAccelerationStructureKHR create(VkDeviceSize offset)
{
    const VkAccelerationStructureCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = buffer,
        .offset = offset,
        .size = 256,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
    };
    VkAccelerationStructureKHR structure = VK_NULL_HANDLE;
    assert_int_equal(((PFN_vkCreateAccelerationStructureKHR)mock_hook("vkCreateAccelerationStructureKHR"))(
                         mock_device(), &info, NULL, &structure),
                     VK_SUCCESS);
    return structure;
}

static void destroy(VkAccelerationStructureKHR structure)
{
    ((PFN_vkDestroyAccelerationStructureKHR)mock_hook("vkDestroyAccelerationStructureKHR"))(mock_device(),
                                                                                            structure, NULL);
}

static VkDeviceAddress ask(VkAccelerationStructureKHR structure)
{
    const VkAccelerationStructureDeviceAddressInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = structure,
    };
    return ((PFN_vkGetAccelerationStructureDeviceAddressKHR)mock_hook(
        "vkGetAccelerationStructureDeviceAddressKHR"))(mock_device(), &info);
}

static uint32_t find(VkAccelerationStructureKHR structure)
{
    return ws_structure_find(&mock_layer_device, structure);
}

static uint32_t at(VkDeviceSize offset)
{
    return ws_structure_at_address(&mock_layer_device, address_at(offset));
}

static void assert_chunk(uint32_t index, uint32_t type, uint32_t id, uint64_t moment)
{
    assert_true(index < mock.geometry_count);
    assert_int_equal(mock.geometry[index].type, type);
    assert_int_equal(mock.geometry[index].id, id);
    assert_int_equal(mock.geometry[index].moment, moment);
}

/* A layer below may call back to the application, which may end the process: nothing of ours is held. */
static VKAPI_ATTR VkDeviceAddress VKAPI_CALL
address_with_a_look(VkDevice handle, const VkAccelerationStructureDeviceAddressInfoKHR *info)
{
    (void)handle, (void)info;
    assert_int_equal(ws_structure_at_address(&mock_layer_device, 77), WS_NONE);
    return 77;
}

static void test_nothing_is_held_while_addresses_are_asked(void **state)
{
    (void)state;
    VkAccelerationStructureKHR structure = create(0);
    mock_layer_device.next.GetAccelerationStructureDeviceAddressKHR = address_with_a_look;
    assert_int_equal(find(structure), 0);
    assert_int_equal(ws_structure_at_address(&mock_layer_device, 77), 0);
    destroy(structure);
}

static void test_found_by_handle_and_address(void **state)
{
    (void)state;
    VkAccelerationStructureKHR first = create(0);
    VkAccelerationStructureKHR second = create(256);
    assert_int_equal(mock.geometry_count, 0); /* their memory may not be bound yet */
    assert_int_equal(find(VK_NULL_HANDLE), WS_NONE);
    assert_int_equal(at(256), WS_NONE); /* nobody has asked for the address */
    assert_int_equal(find(first), 0);
    assert_int_equal(find(second), 1);
    assert_int_equal(find(second), 1);
    assert_int_equal(at(0), 0);
    assert_int_equal(at(256), 1);
    assert_int_equal(at(8), WS_NONE);
    assert_int_equal(mock.geometry_count, 2);
    assert_chunk(0, WS_CHUNK_STRUCTURE, 0, 0);
    assert_chunk(1, WS_CHUNK_STRUCTURE, 1, 0);
    assert_int_equal(mock.geometry[1].address, address_at(256));
    destroy(first);
    destroy(second);
}

/* An application asks for addresses before it records anything. */
static void test_the_application_asks(void **state)
{
    (void)state;
    VkAccelerationStructureKHR structure = create(512);
    assert_int_equal(ask(structure), address_at(512));
    assert_int_equal(ask(structure), address_at(512));
    assert_int_equal(at(512), 0);
    assert_int_equal(mock.geometry_count, 1);
    assert_int_equal(mock.geometry[0].address, address_at(512));
    destroy(structure);
    assert_int_equal(find(structure), WS_NONE); /* whose handle may be given again */
    assert_chunk(1, WS_CHUNK_GONE, 0, 0);
}

static void test_an_address_is_used_again(void **state)
{
    (void)state;
    VkAccelerationStructureKHR structure = create(0);
    assert_int_equal(find(structure), 0);
    destroy(structure);
    assert_int_equal(at(0), WS_NONE); /* nothing that could refer to it is pending */
    structure = create(0);
    assert_int_equal(find(structure), 1);
    assert_int_equal(at(0), 1);
    destroy(structure);
    assert_int_equal(mock.geometry_count, 4);
    assert_chunk(1, WS_CHUNK_GONE, 0, 0);
    assert_chunk(2, WS_CHUNK_STRUCTURE, 1, 0);
    assert_chunk(3, WS_CHUNK_GONE, 1, 0);
}

/* Of structures that share memory the one that was built last is there. */
static void test_the_one_that_was_built_last(void **state)
{
    (void)state;
    VkAccelerationStructureKHR shared[3];
    for (uint32_t i = 0; i < 3; i++) {
        shared[i] = create(0);
        assert_int_equal(find(shared[i]), i);
    }
    assert_int_equal(at(0), 2);
    ws_structure_note_built(&mock_layer_device, 0);
    assert_int_equal(at(0), 0);
    ws_structure_note_built(&mock_layer_device, 1);
    assert_int_equal(at(0), 1);
    ws_structure_note_built(&mock_layer_device, 0);
    assert_int_equal(at(0), 0);
    ws_structure_note_built(&mock_layer_device, 77); /* none of ours */
    destroy(shared[0]);
    assert_int_equal(at(0), 1);
    destroy(shared[1]);
    assert_int_equal(at(0), 2);
    destroy(shared[2]);
    assert_int_equal(at(0), WS_NONE);
}

/* What was submitted before may be read after it. */
static void test_destroyed_while_something_is_pending(void **state)
{
    (void)state;
    VkAccelerationStructureKHR structure = create(0);
    assert_int_equal(find(structure), 0);
    assert_int_equal(mock_submit(0, mock_dispatching(3), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    destroy(structure);
    assert_int_equal(mock.geometry_count, 1); /* its end comes behind that */
    assert_int_equal(find(structure), WS_NONE);
    assert_int_equal(at(0), 0);
    mock_run();
    mock_submit(0, mock_dispatching(3), 0, 0, VK_NULL_HANDLE);
    destroy(create(256)); /* writes what has finished */
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(mock.geometry_count, 3);
    assert_chunk(1, WS_CHUNK_STRUCTURE, 1, 0);
    assert_chunk(2, WS_CHUNK_GONE, 0, 1); /* behind launch 0 */
    assert_int_equal(at(0), WS_NONE);
    destroy_buffer(buffer);
    mock_finish(); /* the last chance for the other */
    assert_int_equal(mock.geometry_count, 4);
    assert_chunk(3, WS_CHUNK_GONE, 1, 2);
    setup(state);
}

/* All that had finished stands before the end. */
static void test_an_end_comes_behind_what_had_finished(void **state)
{
    (void)state;
    VkAccelerationStructureKHR structure = create(0);
    assert_int_equal(find(structure), 0);
    assert_int_equal(mock_submit(0, mock_dispatching(3), 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock_run();
    assert_int_equal(mock.written_count, 0);
    destroy(structure);
    assert_chunk(1, WS_CHUNK_GONE, 0, 1);
    assert_int_equal(mock.geometry[1].written, 1);
}

static void test_names(void **state)
{
    (void)state;
    VkAccelerationStructureKHR structure = create(0);
    ws_structure_set_name(&mock_layer_device, structure, "first");
    ws_structure_set_name(&mock_layer_device, structure, "teapot");
    ws_structure_set_name(&mock_layer_device, (VkAccelerationStructureKHR)buffer, "unknown");
    assert_int_equal(mock.geometry_count, 0);
    find(structure);
    assert_string_equal(mock.geometry[0].name, "teapot");
    ws_structure_set_name(&mock_layer_device, structure, "pot");
    assert_chunk(1, WS_CHUNK_NAME, 0, 0);
    assert_string_equal(mock.geometry[1].name, "pot");
    destroy(structure);
}

/* One that nothing used is known even so; one that the application leaves behind has no end. */
static void test_unused_and_left_behind(void **state)
{
    (void)state;
    destroy(create(0));
    assert_int_equal(mock.geometry_count, 2);
    assert_chunk(0, WS_CHUNK_STRUCTURE, 0, 0);
    assert_int_equal(mock.geometry[0].address, 0);
    assert_chunk(1, WS_CHUNK_GONE, 0, 0);
    destroy(VK_NULL_HANDLE);
    assert_int_equal(mock.geometry_count, 2);

    VkAccelerationStructureKHR left = create(0);
    destroy_buffer(buffer);
    mock_finish();
    assert_int_equal(mock.geometry_count, 3);
    assert_chunk(2, WS_CHUNK_STRUCTURE, 1, 0);
    setup(state);
    mock_layer_device.next.DestroyAccelerationStructureKHR(mock_device(), left, NULL);
}

/* Behind the last chosen frame those alone are written that were met before. */
static void test_behind_the_chosen(void **state)
{
    (void)state;
    VkAccelerationStructureKHR met = create(0);
    VkAccelerationStructureKHR pending = create(256);
    assert_int_equal(find(met), 0);
    mock_settings.frames.last = 0;
    mock_layer_device.capture->frames = 1;
    assert_int_equal(ask(pending), address_at(256));
    destroy(create(512));
    assert_int_equal(mock.geometry_count, 1);
    assert_int_equal(at(256), 1); /* an instance of what was submitted before */
    destroy(met);
    destroy(pending);
    assert_int_equal(mock.geometry_count, 4);
    assert_chunk(1, WS_CHUNK_STRUCTURE, 1, 0);
    assert_chunk(2, WS_CHUNK_GONE, 0, 0);
    assert_chunk(3, WS_CHUNK_GONE, 1, 0);
    VkAccelerationStructureKHR left = create(0);
    destroy_buffer(buffer);
    mock_finish();
    assert_int_equal(mock.geometry_count, 4);
    setup(state);
    mock_layer_device.next.DestroyAccelerationStructureKHR(mock_device(), left, NULL);
}

/* Where its buffer has no address, nor has the structure: asking for it would be an error. */
static void test_without_address(void **state)
{
    (void)state;
    VkBuffer other = make_buffer(VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR);
    const VkAccelerationStructureCreateInfoKHR info = {.buffer = other, .size = 256};
    VkAccelerationStructureKHR structure;
    assert_int_equal(((PFN_vkCreateAccelerationStructureKHR)mock_hook("vkCreateAccelerationStructureKHR"))(
                         mock_device(), &info, NULL, &structure),
                     VK_SUCCESS);
    assert_int_equal(find(structure), 0);
    assert_int_equal(mock.geometry[0].address, 0);
    assert_int_equal(at(0), WS_NONE);
    destroy(structure);
    destroy_buffer(other);
}

static VkAccelerationStructureKHR create_in_range(VkDeviceSize offset, VkAccelerationStructureTypeKHR type)
{
    const VkAccelerationStructureCreateInfo2KHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_2_KHR,
        .addressRange = {address_at(offset), 256},
        .type = type,
    };
    VkAccelerationStructureKHR structure = VK_NULL_HANDLE;
    assert_int_equal(((PFN_vkCreateAccelerationStructure2KHR)mock_hook("vkCreateAccelerationStructure2KHR"))(
                         mock_device(), &info, NULL, &structure),
                     VK_SUCCESS);
    return structure;
}

/* Of VK_KHR_device_address_commands. */
static void test_in_a_range_of_addresses(void **state)
{
    (void)state;
    VkAccelerationStructureKHR structure =
        create_in_range(256, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR);
    assert_int_equal(find(structure), 0);
    assert_int_equal(mock.geometry_count, 1);
    assert_int_equal(mock.geometry[0].address, address_at(256));
    assert_int_equal(at(256), 0);
    assert_int_equal(ws_structure_size(&mock_layer_device, structure), 256);
    destroy(structure);
}

/* Of VK_KHR_opacity_micromap: they are no structures of the scene. */
static void test_micromaps(void **state)
{
    (void)state;
    VkAccelerationStructureKHR micromap =
        create_in_range(512, VK_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR);
    assert_int_equal(find(micromap), WS_NONE);
    destroy(micromap);
    assert_int_equal(mock.geometry_count, 0);
    assert_int_equal(mock.geometry_skipped, 0);
}

/* What is not captured is counted, where it was made. */
static void test_others(void **state)
{
    (void)state;
    PFN_vkCreateAccelerationStructureNV create_nv =
        (PFN_vkCreateAccelerationStructureNV)mock_hook("vkCreateAccelerationStructureNV");
    assert_int_equal(create_nv(mock_device(), NULL, NULL, NULL), VK_SUCCESS);
    assert_int_equal(mock.geometry_skipped, 1);
    mock.fails_at = mock.made + 1;
    assert_int_equal(create_nv(mock_device(), NULL, NULL, NULL), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(mock.geometry_skipped, 1);
    assert_int_equal(mock.geometry_count, 0);
}

/* Whatever allocation fails, the application has its structure. */
static void test_no_memory(void **state)
{
    (void)state;
    for (uint32_t fails = 1;; fails++) {
        mock.host_made = 0;
        mock.host_fails_at = fails;
        mock.geometry_skipped = 0;
        VkAccelerationStructureKHR structure = create(0);
        const bool failed = mock.host_made >= fails;
        mock.host_fails_at = 0;
        assert_int_equal(find(structure) == WS_NONE, failed);
        assert_int_equal(mock.geometry_skipped, failed ? 1 : 0);
        destroy(structure);
        if (!failed)
            break;
    }
    mock.fails_at = mock.made + 1;
    const VkAccelerationStructureCreateInfoKHR info = {.buffer = buffer};
    VkAccelerationStructureKHR structure;
    assert_int_equal(((PFN_vkCreateAccelerationStructureKHR)mock_hook("vkCreateAccelerationStructureKHR"))(
                         mock_device(), &info, NULL, &structure),
                     VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found_by_handle_and_address, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_is_held_while_addresses_are_asked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_application_asks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_address_is_used_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_one_that_was_built_last, setup, teardown),
        cmocka_unit_test_setup_teardown(test_destroyed_while_something_is_pending, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_end_comes_behind_what_had_finished, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unused_and_left_behind, setup, teardown),
        cmocka_unit_test_setup_teardown(test_behind_the_chosen, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_address, setup, teardown),
        cmocka_unit_test_setup_teardown(test_others, setup, teardown),
        cmocka_unit_test_setup_teardown(test_in_a_range_of_addresses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_micromaps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
