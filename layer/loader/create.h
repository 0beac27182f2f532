/* The layer's own vkCreateInstance, vkDestroyInstance, vkCreateDevice and vkDestroyDevice. */
#ifndef WS_LAYER_LOADER_CREATE_H
#define WS_LAYER_LOADER_CREATE_H

#include <vulkan/vulkan.h>

/* The vkGetInstanceProcAddr that the loader gets. Where it stands in the chain of layers, this layer stands. With both
 * manifests enabled, explicit and implicit, the loader puts the layer into the chain twice, under two names. Then the
 * place nearer to the application works, and takes the other one out of the chain: all that the layer knows of
 * instances and devices is found by the loader's dispatch pointer, which is the same for both. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL ws_get_instance_proc_addr(VkInstance instance, const char *name);

VKAPI_ATTR VkResult VKAPI_CALL ws_create_instance(const VkInstanceCreateInfo *create_info,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkInstance *instance);
VKAPI_ATTR void VKAPI_CALL ws_destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator);
VKAPI_ATTR VkResult VKAPI_CALL ws_create_device(VkPhysicalDevice physical,
                                                const VkDeviceCreateInfo *create_info,
                                                const VkAllocationCallbacks *allocator, VkDevice *device);
VKAPI_ATTR void VKAPI_CALL ws_destroy_device(VkDevice device, const VkAllocationCallbacks *allocator);

#endif
