/* The layer's own vkCreateInstance, vkDestroyInstance, vkCreateDevice and vkDestroyDevice. */
#ifndef WS_LAYER_LOADER_CREATE_H
#define WS_LAYER_LOADER_CREATE_H

#include <vulkan/vulkan.h>

VKAPI_ATTR VkResult VKAPI_CALL ws_create_instance(const VkInstanceCreateInfo *create_info,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkInstance *instance);
VKAPI_ATTR void VKAPI_CALL ws_destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator);
VKAPI_ATTR VkResult VKAPI_CALL ws_create_device(VkPhysicalDevice physical,
                                                const VkDeviceCreateInfo *create_info,
                                                const VkAllocationCallbacks *allocator, VkDevice *device);
VKAPI_ATTR void VKAPI_CALL ws_destroy_device(VkDevice device, const VkAllocationCallbacks *allocator);

#endif
