/* Saying something to the user: on stderr, to the application's debug-utils messengers and in the capture. */
#ifndef WS_LAYER_CORE_MESSAGE_H
#define WS_LAYER_CORE_MESSAGE_H

#include "warpscope/capture.h"

struct ws_instance;

/* Says a sentence (printf format, no trailing newline). The same text is said once in a process. What is
 * below the setting log_level stays silent, but is written to the capture. `instance` may be NULL: then
 * stderr only. Thread-safe. Locks may be held: messengers are the application's code, but may not call
 * Vulkan (PFN_vkDebugUtilsMessengerCallbackEXT). */
__attribute__((format(printf, 3, 4))) void ws_message(struct ws_instance *instance, enum ws_severity severity,
                                                      const char *format, ...);

/* Frees what remembers the texts said. At the end of the process only. */
void ws_message_finish(void);

#endif
