/* The application's debug-utils messengers. The layer calls them itself: vkSubmitDebugUtilsMessageEXT ends in
 * the loader, which holds its lock while it makes an instance or a device, and would wait for itself. */
#ifndef WS_LAYER_CORE_MESSENGER_H
#define WS_LAYER_CORE_MESSENGER_H

#include <vulkan/vulkan.h>

struct ws_instance;
struct ws_messenger;

/* vkCreateDebugUtilsMessengerEXT and vkDestroyDebugUtilsMessengerEXT while passes are on. */
VKAPI_ATTR VkResult VKAPI_CALL ws_create_messenger(VkInstance handle,
                                                   const VkDebugUtilsMessengerCreateInfoEXT *create_info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkDebugUtilsMessengerEXT *messenger);
VKAPI_ATTR void VKAPI_CALL ws_destroy_messenger(VkInstance handle, VkDebugUtilsMessengerEXT messenger,
                                                const VkAllocationCallbacks *allocator);

/* Calls every messenger that wants a general message of this severity. Thread-safe. */
void ws_messengers_call(struct ws_instance *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                        const char *text);

/* Forgets all messengers of an instance that is being destroyed. */
void ws_messengers_finish(struct ws_instance *instance);

#endif
