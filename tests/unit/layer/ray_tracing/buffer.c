/* Which buffer an address means, and with what buffers are made so that they can be copied from. */
#include "layer/ray_tracing/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/settings.h"
#include "layer/core/vulkan_newer.h"
#include "tests/unit/layer/mock/objects.h"

#define MEMORIES  5
#define ADDRESSED (VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)

/* What the driver was asked for last. */
static struct {
    VkBufferCreateInfo info;
    VkBufferUsageFlags2CreateInfoKHR flags; /* sType 0: there were none */
    uint32_t calls;
    bool refuses_copies;
} asked;

static void note(const VkBufferCreateInfo *info)
{
    asked.info = *info;
    asked.flags = (VkBufferUsageFlags2CreateInfoKHR){0};
    for (const VkBaseInStructure *item = info->pNext; item != NULL; item = item->pNext)
        if (item->sType == VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR)
            asked.flags = *(const VkBufferUsageFlags2CreateInfoKHR *)item;
    asked.calls++;
}

/* A buffer is its address. */
static VKAPI_ATTR VkResult VKAPI_CALL driver_create(VkDevice device, const VkBufferCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkBuffer *buffer)
{
    (void)device;
    (void)allocator;
    note(info);
    if (asked.refuses_copies && (info->usage & VK_BUFFER_USAGE_TRANSFER_SRC_BIT) != 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *buffer = mock_allocate(sizeof(VkDeviceAddress));
    return VK_SUCCESS;
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL driver_address(VkDevice device,
                                                            const VkBufferDeviceAddressInfo *info)
{
    (void)device;
    return *(const VkDeviceAddress *)info->buffer;
}

static VKAPI_ATTR void VKAPI_CALL driver_requirements(VkDevice device,
                                                      const VkDeviceBufferMemoryRequirements *info,
                                                      VkMemoryRequirements2 *requirements)
{
    (void)device;
    (void)requirements;
    note(info->pCreateInfo);
}

static VKAPI_ATTR VkResult VKAPI_CALL driver_bind(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                  VkDeviceSize offset)
{
    (void)device, (void)buffer, (void)memory, (void)offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL driver_bind2(VkDevice device, uint32_t count,
                                                   const VkBindBufferMemoryInfo *infos)
{
    (void)device, (void)count, (void)infos;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL driver_free(VkDevice device, VkDeviceMemory memory,
                                              const VkAllocationCallbacks *allocator)
{
    (void)device, (void)memory, (void)allocator;
}

static int setup(void **state)
{
    (void)state;
    memset(&asked, 0, sizeof(asked));
    mock_init(1);
    mock_settings.geometry = true;
    mock_layer_device.next.CreateBuffer = driver_create;
    mock_layer_device.next.BindBufferMemory = driver_bind;
    mock_layer_device.next.BindBufferMemory2 = driver_bind2;
    mock_layer_device.next.GetBufferDeviceAddress = driver_address;
    mock_layer_device.next.GetDeviceBufferMemoryRequirements = driver_requirements;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mock_finish();
    return 0;
}

static VkBuffer create_as(const VkBufferCreateInfo *info)
{
    VkBuffer buffer = VK_NULL_HANDLE;
    const VkBufferCreateInfo before = *info;
    assert_int_equal(((PFN_vkCreateBuffer)mock_hook("vkCreateBuffer"))(mock_device(), info, NULL, &buffer),
                     VK_SUCCESS);
    assert_memory_equal(&before, info, sizeof(before));
    return buffer;
}

static void ask(VkBuffer buffer)
{
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                            .buffer = buffer};
    ((PFN_vkGetBufferDeviceAddress)mock_hook("vkGetBufferDeviceAddress"))(mock_device(), &info);
}

/* One at `address` that the application has not asked for. */
static VkBuffer create_unasked(VkDeviceAddress address, VkDeviceSize size)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = ADDRESSED};
    VkBuffer buffer = create_as(&info);
    *(VkDeviceAddress *)buffer = address;
    return buffer;
}

/* One for whose address it did. */
static VkBuffer create(VkDeviceAddress address, VkDeviceSize size)
{
    VkBuffer buffer = create_unasked(address, size);
    ask(buffer);
    return buffer;
}

static void bind(VkBuffer buffer, VkDeviceMemory memory)
{
    ((PFN_vkBindBufferMemory)mock_hook("vkBindBufferMemory"))(mock_device(), buffer, memory, 0);
}

/* The same, bound. */
static VkBuffer create_bound(VkDeviceAddress address, VkDeviceSize size, VkDeviceMemory memory)
{
    VkBuffer buffer = create_unasked(address, size);
    bind(buffer, memory);
    ask(buffer);
    return buffer;
}

static VkDeviceMemory memory_of(uint32_t index)
{
    static char memories[MEMORIES];
    return (VkDeviceMemory)&memories[index % MEMORIES];
}

static void free_memory(VkDeviceMemory memory)
{
    const PFN_vkFreeMemory real = mock_layer_device.next.FreeMemory;
    mock_layer_device.next.FreeMemory = driver_free;
    ((PFN_vkFreeMemory)mock_hook("vkFreeMemory"))(mock_device(), memory, NULL);
    mock_layer_device.next.FreeMemory = real;
}

static void destroy(VkBuffer buffer)
{
    ((PFN_vkDestroyBuffer)mock_hook("vkDestroyBuffer"))(mock_device(), buffer, NULL);
}

static void assert_found(VkDeviceAddress address, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size)
{
    struct ws_buffer_range range;
    assert_true(ws_buffers_find(mock_layer_device.buffers, address, &range));
    assert_ptr_equal(range.buffer, buffer);
    assert_int_equal(range.offset, offset);
    assert_int_equal(range.size, size);
    assert_null(range.reason);
}

static void assert_nothing(VkDeviceAddress address)
{
    struct ws_buffer_range range;
    assert_false(ws_buffers_find(mock_layer_device.buffers, address, &range));
}

static void test_found_within(void **state)
{
    (void)state;
    assert_nothing(0x1000);
    VkBuffer second = create(0x2000, 0x100);
    VkBuffer first = create(0x1000, 0x100);
    assert_found(0x1000, first, 0, 0x100);
    assert_found(0x10ff, first, 0xff, 1);
    assert_nothing(0x1100);
    assert_nothing(0xfff);
    assert_found(0x2080, second, 0x80, 0x80);
    ask(first); /* again */
    destroy(first);
    assert_nothing(0x1000);
    assert_found(0x2000, second, 0, 0x100);
    destroy(second);
    assert_nothing(0x2000);
}

/* A big one over two small ones, and one at the same place. */
static void test_the_one_that_reaches_furthest(void **state)
{
    (void)state;
    VkBuffer small = create(0x1100, 0x100);
    VkBuffer big = create(0x1000, 0x1000);
    VkBuffer same = create(0x1000, 0x80);
    VkBuffer beyond = create(0x1f00, 0x200);
    assert_found(0x1000, big, 0, 0x1000);
    assert_found(0x1150, big, 0x150, 0xeb0);
    assert_found(0x1f00, beyond, 0, 0x200);
    assert_found(0x2050, beyond, 0x150, 0xb0);
    destroy(big);
    assert_found(0x1000, same, 0, 0x80);
    assert_found(0x1150, small, 0x50, 0xb0);
    assert_nothing(0x1200);
    destroy(same);
    destroy(small);
    destroy(beyond);
    assert_nothing(0x1f00);
}

/* Memory may be freed before its buffers are destroyed, and its addresses be given again. */
static void test_freed_memory(void **state)
{
    (void)state;
    VkDeviceMemory first = memory_of(0), second = memory_of(1);
    const VkDeviceMemory memories[] = {first, second, first};
    VkBuffer buffers[3];
    for (uint32_t i = 0; i < 3; i++) {
        buffers[i] = create_unasked(0x1000 + 0x100 * i, 0x400);
        const VkBindBufferMemoryInfo info = {
            .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, .buffer = buffers[i], .memory = memories[i]};
        if (i == 0)
            ((PFN_vkBindBufferMemory)mock_hook("vkBindBufferMemory"))(mock_device(), buffers[i], memories[i],
                                                                      0);
        else
            ((PFN_vkBindBufferMemory2)mock_hook("vkBindBufferMemory2"))(mock_device(), 1, &info);
        ask(buffers[i]);
    }
    assert_found(0x1200, buffers[2], 0, 0x400);
    free_memory(VK_NULL_HANDLE);
    free_memory(first);
    assert_nothing(0x1000);
    assert_found(0x1200, buffers[1], 0x100, 0x300);
    VkBuffer again = create(0x1000, 0x100);
    destroy(buffers[0]);
    destroy(buffers[2]);
    assert_found(0x1000, again, 0, 0x100);
    assert_found(0x1200, buffers[1], 0x100, 0x300);
    destroy(again);
    destroy(buffers[1]);
}

/* The same answers as from looking at all of them, whatever comes and goes. */
static void test_many(void **state)
{
    enum { MANY = 200 };
    (void)state;
    struct {
        VkBuffer handle;
        VkDeviceAddress begin, end;
        bool freed;
    } all[MANY] = {0};
    uint32_t random = 1;
    for (uint32_t round = 0; round < 3000; round++) {
        random = random * 1664525 + 1013904223;
        const uint32_t which = random >> 8 & 0xff;
        if (which < MANY && all[which].handle != NULL) {
            destroy(all[which].handle);
            all[which].handle = NULL;
        } else if (which < MANY) {
            all[which].begin = random >> 16;
            all[which].end = all[which].begin + 1 + (random >> 4 & 0xfff);
            all[which].handle =
                create_bound(all[which].begin + 1, all[which].end - all[which].begin, memory_of(which));
            all[which].freed = false;
        } else if (which < MANY + MEMORIES) {
            free_memory(memory_of(which));
            for (uint32_t i = which % MEMORIES; i < MANY; i += MEMORIES)
                all[i].freed = true;
        }
        const VkDeviceAddress address = random >> 15 & 0xffff;
        VkDeviceAddress furthest = 0;
        for (uint32_t i = 0; i < MANY; i++)
            if (all[i].handle != NULL && !all[i].freed && all[i].begin <= address && all[i].end > address &&
                all[i].end > furthest)
                furthest = all[i].end;
        struct ws_buffer_range range;
        assert_int_equal(ws_buffers_find(mock_layer_device.buffers, address + 1, &range), furthest != 0);
        if (furthest != 0)
            assert_int_equal(range.size, furthest - address);
    }
    for (uint32_t i = 0; i < MANY; i++)
        if (all[i].handle != NULL)
            destroy(all[i].handle);
}

static void test_copies_are_allowed(void **state)
{
    (void)state;
    destroy(create(0x1000, 16));
    assert_int_equal(asked.info.usage, ADDRESSED | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);

    /* One without an address is left as it is. */
    const VkBufferCreateInfo plain = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = 16,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    destroy(create_as(&plain));
    assert_int_equal(asked.info.usage, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);

    /* The newer flags are in effect where they are given, wherever they stand. */
    const VkBufferUsageFlags2CreateInfoKHR flags = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR, .usage = ADDRESSED};
    const VkBufferOpaqueCaptureAddressCreateInfo replay = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO,
        .pNext = &flags,
        .opaqueCaptureAddress = 7,
    };
    const VkBufferCreateInfo newer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &replay, .size = 16};
    destroy(create_as(&newer));
    assert_int_equal(asked.flags.usage, ADDRESSED | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    assert_int_equal(flags.usage, ADDRESSED);

    /* What is asked for instead of a buffer is the same. */
    const VkDeviceBufferMemoryRequirements info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, .pCreateInfo = &newer};
    VkMemoryRequirements2 requirements = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    asked.flags.usage = 0;
    ((PFN_vkGetDeviceBufferMemoryRequirements)mock_hook("vkGetDeviceBufferMemoryRequirements"))(
        mock_device(), &info, &requirements);
    assert_int_equal(asked.flags.usage, ADDRESSED | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
}

static void assert_usage_unchanged(const VkBufferCreateInfo *info, VkBufferUsageFlags usage)
{
    struct ws_buffer_range range;
    VkBuffer buffer = create_as(info);
    assert_int_equal(asked.info.usage, usage);
    *(VkDeviceAddress *)buffer = 0x1000;
    ask(buffer);
    assert_true(ws_buffers_find(mock_layer_device.buffers, 0x1000, &range));
    assert_non_null(range.reason);
    destroy(buffer);
}

static void test_usage_unchanged(void **state)
{
    (void)state;
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 16, .usage = ADDRESSED};
    info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
    assert_usage_unchanged(&info, ADDRESSED);
    info.flags = VK_BUFFER_CREATE_PROTECTED_BIT;
    assert_usage_unchanged(&info, ADDRESSED);
    info.flags = 0;
    info.pNext = &external;
    assert_usage_unchanged(&info, ADDRESSED);

    /* The driver will not have it: then the buffer is made as the application wants it. */
    info.pNext = NULL;
    asked.refuses_copies = true;
    asked.calls = 0;
    assert_usage_unchanged(&info, ADDRESSED);
    assert_int_equal(asked.calls, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found_within, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_one_that_reaches_furthest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_freed_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copies_are_allowed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_usage_unchanged, setup, teardown),
    };
    return cmocka_run_group_tests_name("layer buffer", tests, NULL, NULL);
}
