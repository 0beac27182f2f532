#include "layer/memory/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "layer/core/device.h"

bool ws_host_memory_is_offered(const struct ws_device *device)
{
    return device->host_import && device->properties.core.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU &&
           device->next.GetMemoryHostPointerPropertiesEXT != NULL;
}

size_t ws_host_memory_alignment(const struct ws_device *device)
{
    /* Both are powers of two: the larger is a multiple of the smaller. */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t imported = (size_t)device->properties.host_import_alignment;
    return page < imported ? imported : page;
}

bool ws_host_memory_types(struct ws_device *device, const void *memory, uint32_t *type_bits)
{
    VkMemoryHostPointerPropertiesEXT properties = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
    };
    const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    if (device->next.GetMemoryHostPointerPropertiesEXT(device->handle, type, memory, &properties) !=
        VK_SUCCESS)
        return false;
    *type_bits = properties.memoryTypeBits;
    return true;
}

void *ws_host_memory_map(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}
