/* Messages to the user: on stderr, to the application's debug-utils messengers and in the capture.
 *
 * The layer calls the messengers itself: vkSubmitDebugUtilsMessageEXT ends in the loader, which holds its
 * lock while it makes an instance or a device, and would wait for itself. */
#ifndef WS_LAYER_CORE_MESSAGE_H
#define WS_LAYER_CORE_MESSAGE_H

#include <vulkan/vulkan.h>

#include "warpscope/capture.h"

struct ws_instance;
struct ws_messenger; /* of an instance: instance->messengers */

/* Prints a sentence (printf format, no trailing newline). Names that the application chose may stand in it:
 * control characters are escaped (warpscope/base/text.h), and what is no UTF-8 becomes "?". The same text is
 * printed once for a capture. A message below the setting log_level is only written to the capture. Without
 * `instance` (NULL) it goes to stderr only. Thread-safe. The caller may hold locks: messengers are the
 * application's code, but may not call Vulkan (PFN_vkDebugUtilsMessengerCallbackEXT). */
__attribute__((format(printf, 3, 4))) void ws_message(struct ws_instance *instance, enum ws_severity severity,
                                                      const char *format, ...);

/* The same with severity WS_INFORMATION, but printed unless the setting log_level is error or none, and not written to the
 * capture: for the one line that whoever uses the layer must see. */
__attribute__((format(printf, 2, 3))) void ws_message_notice(struct ws_instance *instance, const char *format,
                                                             ...);

/* A notice from a thread of the layer's own: messengers are not called. They are called in the thread of a Vulkan command only;
 * else the application could not know when it may destroy one (vkDestroyDebugUtilsMessengerEXT). */
__attribute__((format(printf, 2, 3))) void ws_message_notice_aside(struct ws_instance *instance,
                                                                   const char *format, ...);

/* Prints a text on stderr, with one write and without a lock. For what ws_message cannot say. */
void ws_message_print(const char *text);

/* vkCreateDebugUtilsMessengerEXT and vkDestroyDebugUtilsMessengerEXT while passes are on. */
VKAPI_ATTR VkResult VKAPI_CALL ws_create_messenger(VkInstance handle,
                                                   const VkDebugUtilsMessengerCreateInfoEXT *create_info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkDebugUtilsMessengerEXT *messenger);
VKAPI_ATTR void VKAPI_CALL ws_destroy_messenger(VkInstance handle, VkDebugUtilsMessengerEXT messenger,
                                                const VkAllocationCallbacks *allocator);

/* Forgets all messengers of an instance that is being destroyed. */
void ws_messengers_finish(struct ws_instance *instance);

#endif
