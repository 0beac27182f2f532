/* VkDevice: created with what the passes need, remembered for look-ups by dispatch pointer. */
#include "device.h"

#include <stdlib.h>

#include "capture.h"
#include "features.h"
#include "hooks.h"
#include "message.h"
#include "objects.h"
#include "settings.h"

static pthread_rwlock_t devices_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct ws_device *devices;

struct ws_device *ws_device_of(const void *dispatchable)
{
    const void *key = *(void *const *)dispatchable;
    pthread_rwlock_rdlock(&devices_lock);
    struct ws_device *device = devices;
    while (device != NULL && device->key != key)
        device = device->following;
    pthread_rwlock_unlock(&devices_lock);
    return device;
}

void ws_devices_each(void (*visit)(struct ws_device *device))
{
    pthread_rwlock_rdlock(&devices_lock);
    for (struct ws_device *device = devices; device != NULL; device = device->following)
        visit(device);
    pthread_rwlock_unlock(&devices_lock);
}

static void remember(struct ws_device *device)
{
    pthread_rwlock_wrlock(&devices_lock);
    device->following = devices;
    devices = device;
    pthread_rwlock_unlock(&devices_lock);
}

static struct ws_device *forget(const void *dispatchable)
{
    const void *key = *(void *const *)dispatchable;
    pthread_rwlock_wrlock(&devices_lock);
    struct ws_device **link = &devices;
    while (*link != NULL && (*link)->key != key)
        link = &(*link)->following;
    struct ws_device *device = *link;
    if (device != NULL)
        *link = device->following;
    pthread_rwlock_unlock(&devices_lock);
    return device;
}

static void destroy(struct ws_device *device)
{
    if (device == NULL)
        return;
    ws_objects_destroy(device->objects);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

static struct ws_device *create(struct ws_instance *instance, VkPhysicalDevice physical)
{
    struct ws_device *device = calloc(1, sizeof(*device));
    if (device == NULL)
        return NULL;
    pthread_mutex_init(&device->lock, NULL);
    device->objects = ws_objects_create();
    if (device->objects == NULL) {
        destroy(device);
        return NULL;
    }
    device->physical = physical;
    device->instance = instance;
    device->settings = instance->settings;
    return device;
}

/* The loader's link or callback of `function`; see instance.c for the const. */
static VkLayerDeviceCreateInfo *find_link(const VkDeviceCreateInfo *create_info, VkLayerFunction function)
{
    const VkLayerDeviceCreateInfo *item = create_info->pNext;
    while (item != NULL &&
           (item->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || item->function != function))
        item = item->pNext;
    return (VkLayerDeviceCreateInfo *)item;
}
