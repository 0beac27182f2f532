#include "layer/memory/memory.h"

static uint32_t bits(VkFlags flags)
{
    return (uint32_t)__builtin_popcount(flags);
}

bool ws_memory_type_choose(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type_bits,
                           VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred, uint32_t *type)
{
    /* AMD's coherent types may only be used when their feature is enabled (VUID-vkAllocateMemory-
     * deviceCoherentMemory-02790). */
    const VkMemoryPropertyFlags avoided = VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                          VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                                          VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
    bool found = false;
    uint32_t best = 0;
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = memory->memoryTypes[i].propertyFlags;
        if ((type_bits & 1u << i) == 0 || (flags & required) != required || (flags & avoided) != 0)
            continue;
        const uint32_t score = bits(flags & preferred);
        if (found && score <= best)
            continue;
        found = true;
        best = score;
        *type = i;
    }
    return found;
}
