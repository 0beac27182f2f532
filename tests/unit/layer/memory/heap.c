/* How much memory of the device a heap holds on to. */
#include "layer/memory/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/commands/command_buffer.h"
#include "layer/memory/free_list.h"
#include "layer/submit/plan.h"
#include "layer/submit/submission.h"
#include "tests/unit/layer/mock/objects.h"

#define MIB ((VkDeviceSize)1 << 20)

/* Memory without a place, and how many allocations of it live. */
static uint32_t allocations;

static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                               const VkAllocationCallbacks *allocator, VkDeviceMemory *memory)
{
    static char some;
    (void)device;
    (void)info;
    (void)allocator;
    *memory = (VkDeviceMemory)&some;
    allocations++;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL give_back(VkDevice device, VkDeviceMemory memory,
                                            const VkAllocationCallbacks *allocator)
{
    (void)device;
    (void)allocator;
    allocations -= memory != VK_NULL_HANDLE;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                           VkDeviceSize offset)
{
    (void)device;
    (void)buffer;
    (void)memory;
    (void)offset;
    return VK_SUCCESS;
}

static int setup(void **state)
{
    (void)state;
    mock_init(1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mock_finish();
    return 0;
}

/* A heap that gave out 300 MiB, 50 MiB and 1 MiB, and got them back. */
static struct ws_heap *used_heap(void)
{
    struct ws_memory_range large, medium, small;
    struct ws_heap *heap = ws_heap_create(&mock_layer_device, &ws_heap_results, NULL);
    assert_non_null(heap);
    allocations = 0;
    mock_layer_device.next.AllocateMemory = allocate;
    mock_layer_device.next.FreeMemory = give_back;
    mock_layer_device.next.BindBufferMemory = bind;
    assert_true(ws_heap_allocate(heap, 50 * MIB, &medium, NULL));
    assert_true(ws_heap_allocate(heap, 300 * MIB, &large, NULL));
    assert_true(ws_heap_allocate(heap, 63 * MIB, &small, NULL));
    assert_int_equal(allocations, 3);
    ws_heap_free(heap, &medium);
    assert_int_equal(allocations, 2); /* 300 and 64 MiB are more than is kept */
    ws_heap_free(heap, &large);
    ws_heap_free(heap, &small);
    return heap;
}

static void finish(struct ws_heap *heap)
{
    ws_heap_destroy(heap);
    assert_int_equal(allocations, 0);
    mock_memory_load(&mock_layer_device.next);
}

static void test_the_rest_goes_back(void **state)
{
    struct ws_memory_range again;
    (void)state;
    struct ws_heap *heap = used_heap();
    assert_int_equal(allocations, 1); /* that of 64 MiB went, that of 300 stays */
    assert_true(ws_heap_allocate(heap, 300 * MIB, &again, NULL));
    assert_int_equal(allocations, 1);
    ws_heap_free(heap, &again);
    finish(heap);
}

/* What no buffer, or no memory, of the device could hold is not asked for. */
static void test_more_than_there_is(void **state)
{
    struct ws_memory_range range;
    (void)state;
    VkDeviceSize *size = &mock_layer_device.properties.memory.memoryHeaps[0].size;
    struct ws_heap *heap = ws_heap_create(&mock_layer_device, &ws_heap_results, NULL);
    assert_non_null(heap);
    allocations = 0;
    mock_layer_device.next.AllocateMemory = allocate;
    mock_layer_device.next.FreeMemory = give_back;
    mock_layer_device.next.BindBufferMemory = bind;
    mock_layer_device.properties.largest_buffer = 80 * MIB + 16;
    mock.made = 0;
    assert_false(ws_heap_allocate(heap, 80 * MIB + 32, &range, NULL));
    assert_int_equal(mock.made, 0);
    assert_true(ws_heap_allocate(heap, 80 * MIB + 16, &range, NULL)); /* no whole MiB */
    ws_heap_free(heap, &range);
    *size = 90 * MIB;
    mock_layer_device.properties.largest_buffer = 0;
    assert_false(ws_heap_allocate(heap, 100 * MIB, &range, NULL));
    assert_int_equal(allocations, 1);
    finish(heap);
}

/* Memory of both that is used up: the device's other memory does. */
static void test_memory_of_both_that_is_full(void **state)
{
    struct ws_memory_range range;
    (void)state;
    mock_layer_device.properties.memory.memoryTypes[1].propertyFlags =
        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    for (uint32_t full = 0; full < 2; full++) {
        struct ws_heap *heap = ws_heap_create(&mock_layer_device, &ws_heap_results, NULL);
        assert_non_null(heap);
        mock.no_host_memory = full == 1;
        assert_true(ws_heap_allocate(heap, 80, &range, NULL));
        assert_int_equal(range.mapped == NULL, full);
        ws_heap_destroy(heap);
    }
}

/* Nor is more than the application's process can spare, for what one submission executes. */
static void test_the_results_of_one_submission(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_dispatching(3);
    VkDeviceSize *size = &ws_command_buffer_of(commands)->recording->size;
    const VkDeviceSize before = *size;
    *size += WS_READBACK_LIMIT;
    mock_layer_device.next.AllocateMemory = allocate;
    allocations = 0;
    assert_int_equal(mock_submit(0, commands, 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(allocations, 0);
    *size = before;
    mock_memory_load(&mock_layer_device.next);
    assert_int_equal(mock_submit(0, commands, 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
    mock_run();
    ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device());
    assert_int_equal(mock.skipped, 1);
    assert_int_equal(mock.written_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_rest_goes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_more_than_there_is, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_of_both_that_is_full, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_results_of_one_submission, setup, teardown),
    };
    return cmocka_run_group_tests_name("layer heap", tests, NULL, NULL);
}
