#include "layer/core/messenger.h"

#include <stdbool.h>
#include <stdlib.h>

#include "layer/core/device.h"

/* More are not called: an application has one or two. */
#define CALLED_MOST 16

struct ws_messenger {
    VkDebugUtilsMessengerEXT handle;
    VkDebugUtilsMessengerCreateInfoEXT info;
    struct ws_messenger *following;
};

/* Guards the lists of all instances; never held while a messenger is called, since it may destroy itself. */
static pthread_mutex_t messengers_lock = PTHREAD_MUTEX_INITIALIZER;

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
    pthread_mutex_lock(&messengers_lock);
    kept->following = instance->messengers;
    instance->messengers = kept;
    pthread_mutex_unlock(&messengers_lock);
    return result;
}

VKAPI_ATTR void VKAPI_CALL ws_destroy_messenger(VkInstance handle, VkDebugUtilsMessengerEXT messenger,
                                                const VkAllocationCallbacks *allocator)
{
    struct ws_instance *instance = ws_instance_of(handle);
    pthread_mutex_lock(&messengers_lock);
    struct ws_messenger **link = &instance->messengers;
    while (*link != NULL && (*link)->handle != messenger)
        link = &(*link)->following;
    struct ws_messenger *kept = *link;
    if (kept != NULL)
        *link = kept->following;
    pthread_mutex_unlock(&messengers_lock);
    free(kept);
    instance->next.DestroyDebugUtilsMessengerEXT(handle, messenger, allocator);
}

static bool wants(const VkDebugUtilsMessengerCreateInfoEXT *info,
                  VkDebugUtilsMessageSeverityFlagsEXT severity)
{
    return (info->messageSeverity & severity) != 0 &&
           (info->messageType & VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT) != 0;
}

void ws_messengers_call(struct ws_instance *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                        const char *text)
{
    VkDebugUtilsMessengerCreateInfoEXT called[CALLED_MOST];
    size_t count = 0;
    /* While the instance is being made, its create-info's messenger is the only one. */
    if (instance->messenger != NULL && wants(instance->messenger, severity))
        called[count++] = *instance->messenger;
    pthread_mutex_lock(&messengers_lock);
    for (const struct ws_messenger *item = instance->messengers; item != NULL && count < CALLED_MOST;
         item = item->following)
        if (wants(&item->info, severity))
            called[count++] = item->info;
    pthread_mutex_unlock(&messengers_lock);

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
