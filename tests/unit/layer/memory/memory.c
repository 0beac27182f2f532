/* The choice of memory types, the root block's fixed place and the cache of replayed addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "layer/memory/address_cache.h"
#include "layer/memory/memory.h"
#include "layer/memory/root_block.h"

#define LOCAL    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define VISIBLE  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
#define COHERENT VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
#define CACHED   VK_MEMORY_PROPERTY_HOST_CACHED_BIT

static void test_memory_types(void **state)
{
    (void)state;
    /* A discrete device with a window to its memory. */
    const VkPhysicalDeviceMemoryProperties memory = {
        .memoryTypeCount = 6,
        .memoryTypes =
            {
                {.propertyFlags = LOCAL | VK_MEMORY_PROPERTY_PROTECTED_BIT},
                {.propertyFlags = LOCAL},
                {.propertyFlags = VISIBLE | COHERENT},
                {.propertyFlags = LOCAL | VISIBLE | COHERENT},
                {.propertyFlags = VISIBLE | COHERENT | CACHED},
                {.propertyFlags =
                     LOCAL | VISIBLE | COHERENT | CACHED | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD},
            },
    };
    uint32_t type;
    assert_true(ws_memory_type_choose(&memory, UINT32_MAX, 0, LOCAL, &type));
    assert_int_equal(type, 1);
    assert_true(ws_memory_type_choose(&memory, UINT32_MAX, VISIBLE | COHERENT, LOCAL, &type));
    assert_int_equal(type, 3);
    assert_true(ws_memory_type_choose(&memory, UINT32_MAX, VISIBLE | COHERENT, CACHED, &type));
    assert_int_equal(type, 4);
    assert_true(ws_memory_type_choose(&memory, 1u << 2, 0, LOCAL, &type)); /* better any than none */
    assert_int_equal(type, 2);
    assert_false(ws_memory_type_choose(&memory, 1u << 1, VISIBLE, 0, &type));
    assert_false(ws_memory_type_choose(&memory, 1u << 0 | 1u << 5, 0, 0, &type));
}

static uint32_t results_type(const VkPhysicalDeviceMemoryProperties *memory)
{
    uint32_t type;
    assert_true(ws_heap_type_choose(memory, UINT32_MAX, &ws_heap_results, &type));
    return type;
}

/* Memory of both, in a heap of its own, is taken unless that is small or has several instances. */
static void test_the_memory_of_results(void **state)
{
    (void)state;
    const VkDeviceSize gib = (VkDeviceSize)1 << 30;
    VkPhysicalDeviceMemoryProperties memory = {
        .memoryTypeCount = 3,
        .memoryTypes =
            {
                {.propertyFlags = LOCAL},
                {.propertyFlags = LOCAL | VISIBLE | COHERENT},
                {.propertyFlags = LOCAL | VISIBLE | COHERENT | CACHED, .heapIndex = 1},
            },
        .memoryHeapCount = 2,
        .memoryHeaps = {{.size = 8 * gib}, {.size = gib}},
    };
    assert_int_equal(results_type(&memory), 2);
    memory.memoryHeaps[1].size = gib - 1;
    assert_int_equal(results_type(&memory), 0);
    memory.memoryHeaps[0].size = gib - 1; /* the device has no more */
    assert_int_equal(results_type(&memory), 2);
    memory.memoryHeaps[1].flags = VK_MEMORY_HEAP_MULTI_INSTANCE_BIT;
    assert_int_equal(results_type(&memory), 0);
    memory.memoryHeaps[1].flags = 0;
    memory.memoryTypes[2].propertyFlags = LOCAL | VISIBLE | CACHED;
    assert_int_equal(results_type(&memory), 0);
}

static void test_places_are_fixed_and_never_replaced(void **state)
{
    (void)state;
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *first = ws_root_placement_map(size);
    if (first == NULL)
        skip();
    void *second = ws_root_placement_map(size);
    assert_ptr_not_equal(first, second);
    munmap(first, size);
    assert_ptr_equal(ws_root_placement_map(size), first);
    munmap(first, size);
    if (second != NULL)
        munmap(second, size);
}

static void test_addresses_are_kept(void **state)
{
    (void)state;
    char folder[] = "/tmp/warpscope-test-XXXXXX";
    char command[64];
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    const struct ws_address_key key = {.device = {1, 2, 0xff}, .driver = {3}, .ordinal = 0};
    const struct ws_address_key other = {.device = {1, 2, 0xff}, .driver = {3}, .ordinal = 1};
    const struct ws_root_addresses stored = {.buffer = UINT64_MAX - 1, .memory = 42};
    struct ws_root_addresses loaded = {0};

    assert_false(ws_address_cache_load(&key, &loaded));
    ws_address_cache_store(&key, &stored);
    assert_false(ws_address_cache_load(&other, &loaded));
    assert_true(ws_address_cache_load(&key, &loaded));
    assert_int_equal(loaded.buffer, stored.buffer);
    assert_int_equal(loaded.memory, stored.memory);

    /* A folder that cannot be written changes nothing but speed. */
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    ws_address_cache_store(&key, &stored);
    assert_false(ws_address_cache_load(&key, &loaded));

    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_types),
        cmocka_unit_test(test_the_memory_of_results),
        cmocka_unit_test(test_places_are_fixed_and_never_replaced),
        cmocka_unit_test(test_addresses_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
