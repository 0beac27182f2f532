#include "layer/core/message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/settings.h"
#include "layer/process/lock.h"
#include "layer/process/write.h"
#include "warpscope/base/text.h"

/* Bytes of a message, its NUL included; the rest of a longer one is cut off. */
#define TEXT_SIZE 1024

static pthread_mutex_t said_lock = WS_LOCK_INITIALIZER;
static uint64_t *said; /* hashes of the texts */
static size_t said_count, said_capacity;

/* Remembers `text` for a capture. False when it was remembered before. Without memory a text may be printed
 * again. */
static bool first_time(const struct ws_capture *capture, const char *text)
{
    const uint64_t hash = XXH3_64bits_withSeed(text, strlen(text), (uintptr_t)capture);
    bool first = true;
    ws_lock(&said_lock);
    for (size_t i = 0; i < said_count && first; i++)
        first = said[i] != hash;
    if (first && said_count == said_capacity) {
        const size_t capacity = said_capacity > 0 ? 2 * said_capacity : 64;
        uint64_t *grown = realloc(said, capacity * sizeof(*grown));
        if (grown != NULL) {
            said = grown;
            said_capacity = capacity;
        }
    }
    if (first && said_count < said_capacity)
        said[said_count++] = hash;
    ws_unlock(&said_lock);
    return first;
}

/* At most so many messengers are called. An application has one or two. */
#define CALLED_MOST 16

struct ws_messenger {
    VkDebugUtilsMessengerEXT handle;
    VkDebugUtilsMessengerCreateInfoEXT info;
    struct ws_messenger *following;
};

/* Guards the lists of all instances; never held while a messenger is called, since it may destroy itself. */
static pthread_mutex_t messengers_lock = WS_LOCK_INITIALIZER;

VKAPI_ATTR VkResult VKAPI_CALL ws_create_messenger(VkInstance handle,
                                                   const VkDebugUtilsMessengerCreateInfoEXT *create_info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkDebugUtilsMessengerEXT *messenger)
{
    struct ws_instance *instance = ws_instance_of(handle);
    const VkResult result =
        instance->next.CreateDebugUtilsMessengerEXT(handle, create_info, allocator, messenger);
    struct ws_messenger *kept = result == VK_SUCCESS ? malloc(sizeof(*kept)) : NULL;
    if (kept == NULL)
        return result; /* without memory, this one is not called */
    kept->handle = *messenger;
    kept->info = *create_info;
    ws_lock(&messengers_lock);
    kept->following = instance->messengers;
    instance->messengers = kept;
    ws_unlock(&messengers_lock);
    return result;
}

VKAPI_ATTR void VKAPI_CALL ws_destroy_messenger(VkInstance handle, VkDebugUtilsMessengerEXT messenger,
                                                const VkAllocationCallbacks *allocator)
{
    struct ws_instance *instance = ws_instance_of(handle);
    ws_lock(&messengers_lock);
    struct ws_messenger **link = &instance->messengers;
    while (*link != NULL && (*link)->handle != messenger)
        link = &(*link)->following;
    struct ws_messenger *kept = *link;
    if (kept != NULL)
        *link = kept->following;
    ws_unlock(&messengers_lock);
    free(kept);
    instance->next.DestroyDebugUtilsMessengerEXT(handle, messenger, allocator);
}

static bool wants(const VkDebugUtilsMessengerCreateInfoEXT *info,
                  VkDebugUtilsMessageSeverityFlagsEXT severity)
{
    return (info->messageSeverity & severity) != 0 &&
           (info->messageType & VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT) != 0;
}

/* Calls every messenger that wants a general message of this severity. */
static void call_messengers(struct ws_instance *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                            const char *text)
{
    VkDebugUtilsMessengerCreateInfoEXT called[CALLED_MOST];
    size_t count = 0;
    /* While the instance is being made, its create-info's messenger is the only one. */
    if (instance->messenger != NULL && wants(instance->messenger, severity))
        called[count++] = *instance->messenger;
    ws_lock(&messengers_lock);
    for (const struct ws_messenger *item = instance->messengers; item != NULL && count < CALLED_MOST;
         item = item->following)
        if (wants(&item->info, severity))
            called[count++] = item->info;
    ws_unlock(&messengers_lock);

    const VkDebugUtilsMessengerCallbackDataEXT data = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
        .pMessageIdName = "warpscope",
        .pMessage = text,
    };
    for (size_t i = 0; i < count; i++)
        called[i].pfnUserCallback(severity, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data,
                                  called[i].pUserData);
}

void ws_messengers_finish(struct ws_instance *instance)
{
    struct ws_messenger *item = instance->messengers;
    instance->messengers = NULL;
    while (item != NULL) {
        struct ws_messenger *following = item->following;
        free(item);
        item = following;
    }
}

static VkDebugUtilsMessageSeverityFlagBitsEXT to_vulkan(enum ws_severity severity)
{
    switch (severity) {
    case WS_INFORMATION: return VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
    case WS_WARNING: return VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    case WS_ERROR: break;
    }
    return VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
}

void ws_message_print(const char *text)
{
    char line[TEXT_SIZE + 16];
    snprintf(line, sizeof(line), "warpscope: %s\n", text);
    ws_print(line);
}

/* `level`: how grave it must be for the setting log_level to print it; `severity` is what it is called. They differ for
 * a notice, which tells a user where the capture is, and not a reader what is in it. `aside`: without the messengers. */
static void say(struct ws_instance *instance, enum ws_severity severity, enum ws_severity level, bool aside,
                const char *format, va_list arguments)
{
    char given[TEXT_SIZE];
    char text[TEXT_SIZE];
    vsnprintf(given, sizeof(given), format, arguments);
    ws_text_cut(given);
    ws_text_escape(text, sizeof(text), given);
    struct ws_capture *capture = instance != NULL ? atomic_load(&instance->capture) : NULL;
    if (!first_time(capture, text))
        return;

    if (level == severity)
        ws_capture_message(capture, severity, text);
    if (instance != NULL && instance->settings != NULL && level < instance->settings->log_level)
        return;
    ws_message_print(text);
    if (instance != NULL && !aside)
        call_messengers(instance, to_vulkan(severity), text);
}

void ws_message(struct ws_instance *instance, enum ws_severity severity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(instance, severity, severity, false, format, arguments);
    va_end(arguments);
}

void ws_message_notice(struct ws_instance *instance, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(instance, WS_INFORMATION, WS_WARNING, false, format, arguments);
    va_end(arguments);
}

void ws_message_notice_aside(struct ws_instance *instance, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(instance, WS_INFORMATION, WS_WARNING, true, format, arguments);
    va_end(arguments);
}
