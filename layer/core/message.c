#include "layer/core/message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/messenger.h"
#include "layer/core/settings.h"

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
        ws_messengers_call(instance, to_vulkan(severity), text);
}

void ws_message_finish(void)
{
    pthread_mutex_lock(&said_lock);
    free(said);
    said = NULL;
    said_count = said_capacity = 0;
    pthread_mutex_unlock(&said_lock);
}
