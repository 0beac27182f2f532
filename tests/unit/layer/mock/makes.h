/* Functions of a driver that only hand out handles: MAKES(name, VkXCreateInfo, VkX) and DESTROYS(name, VkX). Who includes this
 * has a number `next_handle`, which counts them. */
#ifndef WS_TESTS_UNIT_LAYER_MOCK_MAKES_H
#define WS_TESTS_UNIT_LAYER_MOCK_MAKES_H

#include <stdint.h>

#include <vulkan/vulkan.h>

#define MAKES(name, info, type)                                                                              \
    static VKAPI_ATTR VkResult VKAPI_CALL name(VkDevice handle, const info *create_info,                     \
                                               const VkAllocationCallbacks *allocator, type *made)           \
    {                                                                                                        \
        (void)handle, (void)create_info, (void)allocator;                                                    \
        *made = (type)(uintptr_t)++next_handle;                                                              \
        return VK_SUCCESS;                                                                                   \
    }
#define DESTROYS(name, type)                                                                                 \
    static VKAPI_ATTR void VKAPI_CALL name(VkDevice handle, type object,                                     \
                                           const VkAllocationCallbacks *allocator)                           \
    {                                                                                                        \
        (void)handle, (void)object, (void)allocator;                                                         \
    }

#endif
