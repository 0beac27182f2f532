#include "tests/unit/layer/mock/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The memory of the host that is to be imported; NULL = none. */
static void *find_import(const VkMemoryAllocateInfo *info)
{
    for (const VkBaseInStructure *link = info->pNext; link != NULL; link = link->pNext)
        if (link->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT)
            return ((const VkImportMemoryHostPointerInfoEXT *)link)->pHostPointer;
    return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkDeviceMemory *memory)
{
    (void)handle;
    (void)allocator;
    if (info->memoryTypeIndex == 1 && mock.no_host_memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (mock_fails() ||
        (mock.too_large > 0 && info->memoryTypeIndex == 0 && info->allocationSize >= mock.too_large))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    void *imported = find_import(info);
    if (imported != NULL && mock.import_fails)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    struct memory *made = mock_allocate(sizeof(*made));
    made->imported = imported != NULL;
    mock.imported += made->imported;
    made->data = made->imported ? imported : mock_allocate(info->allocationSize);
    memset(made->data, 0xcd, info->allocationSize); /* nothing is zeroed by itself */
    *memory = (VkDeviceMemory)made;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice handle, VkDeviceMemory memory,
                                              const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)allocator;
    struct memory *freed = (struct memory *)memory;
    if (freed != NULL && !freed->imported)
        free(freed->data);
    free(freed);
}

static VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice handle, VkDeviceMemory memory, VkDeviceSize offset,
                                                 VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    (void)handle;
    (void)size;
    (void)flags;
    *data = ((struct memory *)memory)->data + offset;
    return VK_SUCCESS;
}

bool mock_fails(void)
{
    return ++mock.made == mock.fails_at;
}

static VKAPI_ATTR VkResult VKAPI_CALL invalidate(VkDevice handle, uint32_t count,
                                                 const VkMappedMemoryRange *ranges)
{
    const VkDeviceSize atom = mock_layer_device.properties.core.limits.nonCoherentAtomSize;
    (void)handle;
    assert_int_equal(count, 1);
    assert_int_equal(ranges[0].offset % atom, 0);
    assert_true(ranges[0].size == VK_WHOLE_SIZE || ranges[0].size % atom == 0);
    mock.invalidations++;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice handle, const VkBufferCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkBuffer *buffer)
{
    (void)handle;
    (void)allocator;
    if (mock_fails())
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct buffer *made = mock_allocate(sizeof(*made));
    made->size = info->size;
    *buffer = (VkBuffer)made;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice handle, VkBuffer buffer,
                                                 const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)allocator;
    free((struct buffer *)buffer);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_memory(VkDevice handle, VkBuffer buffer, VkDeviceMemory memory,
                                                  VkDeviceSize offset)
{
    (void)handle;
    ((struct buffer *)buffer)->data = ((struct memory *)memory)->data + offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL get_requirements(VkDevice handle, VkBuffer buffer,
                                                   VkMemoryRequirements *requirements)
{
    (void)handle;
    *requirements =
        (VkMemoryRequirements){.size = ((struct buffer *)buffer)->size, .alignment = 16, .memoryTypeBits = 3};
}

static VKAPI_ATTR VkResult VKAPI_CALL get_host_pointer(VkDevice handle,
                                                       VkExternalMemoryHandleTypeFlagBits type,
                                                       const void *pointer,
                                                       VkMemoryHostPointerPropertiesEXT *properties)
{
    (void)handle;
    assert_int_equal(type, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT);
    assert_int_equal((uintptr_t)pointer % mock_layer_device.properties.host_import_alignment, 0);
    properties->memoryTypeBits = 3;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL get_address(VkDevice handle,
                                                         const VkBufferDeviceAddressInfo *info)
{
    (void)handle;
    return (VkDeviceAddress)((struct buffer *)info->buffer)->data;
}

void mock_memory_load(struct ws_device_dispatch *dispatch)
{
    dispatch->AllocateMemory = allocate_memory;
    dispatch->FreeMemory = free_memory;
    dispatch->MapMemory = map_memory;
    dispatch->InvalidateMappedMemoryRanges = invalidate;
    dispatch->CreateBuffer = create_buffer;
    dispatch->DestroyBuffer = destroy_buffer;
    dispatch->BindBufferMemory = bind_memory;
    dispatch->GetBufferMemoryRequirements = get_requirements;
    dispatch->GetBufferDeviceAddress = get_address;
    dispatch->GetMemoryHostPointerPropertiesEXT = get_host_pointer;
}
