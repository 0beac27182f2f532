#include "message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture.h"
#include "device.h"
#include "settings.h"

static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t *said; /* hashes of the texts */
static size_t said_count, said_capacity;

/* Remembers `text`; false when it was remembered before. Without memory it is said again. */
static bool first_time(const char *text)
{
    const uint64_t hash = XXH3_64bits(text, strlen(text));
    bool first = true;
    pthread_mutex_lock(&said_lock);
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
    pthread_mutex_unlock(&said_lock);
    return first;
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

/* To the messengers of a finished instance, or to the one in the create-info of one being made. */
static void say_to_application(struct ws_instance *instance, enum ws_severity severity, const char *text)
{
    const VkDebugUtilsMessageSeverityFlagBitsEXT bit = to_vulkan(severity);
    const VkDebugUtilsMessageTypeFlagsEXT type = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    const VkDebugUtilsMessengerCallbackDataEXT data = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
        .pMessageIdName = "warpscope",
        .pMessage = text,
    };
    const VkDebugUtilsMessengerCreateInfoEXT *messenger = instance->messenger;
    if (instance->handle != VK_NULL_HANDLE) {
        if (instance->next.SubmitDebugUtilsMessageEXT != NULL)
            instance->next.SubmitDebugUtilsMessageEXT(instance->handle, bit, type, &data);
    } else if (messenger != NULL && (messenger->messageSeverity & bit) != 0 &&
               (messenger->messageType & type) != 0) {
        messenger->pfnUserCallback(bit, type, &data, messenger->pUserData);
    }
}

void ws_message(struct ws_instance *instance, enum ws_severity severity, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (!first_time(text))
        return;

    ws_capture_message(severity, text);
    if (instance != NULL && instance->settings != NULL && severity < instance->settings->log_level)
        return;
    fprintf(stderr, "warpscope: %s\n", text);
    if (instance != NULL)
        say_to_application(instance, severity, text);
}

void ws_message_finish(void)
{
    pthread_mutex_lock(&said_lock);
    free(said);
    said = NULL;
    said_count = said_capacity = 0;
    pthread_mutex_unlock(&said_lock);
}
