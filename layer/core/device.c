#include "layer/core/device.h"

#include "layer/process/lock.h"

static pthread_rwlock_t instances_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct ws_instance *instances;

struct ws_instance *ws_instance_of(const void *dispatchable)
{
    const void *key = *(void *const *)dispatchable;
    ws_lock_to_read(&instances_lock);
    struct ws_instance *instance = instances;
    while (instance != NULL && instance->key != key)
        instance = instance->following;
    ws_unlock_both(&instances_lock);
    return instance;
}

void ws_instance_add(struct ws_instance *instance)
{
    ws_lock_to_write(&instances_lock);
    instance->following = instances;
    instances = instance;
    ws_unlock_both(&instances_lock);
}

struct ws_instance *ws_instance_remove(const void *dispatchable)
{
    const void *key = *(void *const *)dispatchable;
    ws_lock_to_write(&instances_lock);
    struct ws_instance **link = &instances;
    while (*link != NULL && (*link)->key != key)
        link = &(*link)->following;
    struct ws_instance *instance = *link;
    if (instance != NULL)
        *link = instance->following;
    ws_unlock_both(&instances_lock);
    return instance;
}

static pthread_rwlock_t devices_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct ws_device *devices;

struct ws_device *ws_device_of(const void *dispatchable)
{
    const void *key = *(void *const *)dispatchable;
    ws_lock_to_read(&devices_lock);
    struct ws_device *device = devices;
    while (device != NULL && device->key != key)
        device = device->following;
    ws_unlock_both(&devices_lock);
    return device;
}

void ws_devices_each(void (*visit)(struct ws_device *device))
{
    ws_lock_to_read(&devices_lock);
    for (struct ws_device *device = devices; device != NULL; device = device->following)
        visit(device);
    ws_unlock_both(&devices_lock);
}

void ws_device_add(struct ws_device *device)
{
    ws_lock_to_write(&devices_lock);
    device->following = devices;
    devices = device;
    ws_unlock_both(&devices_lock);
}

struct ws_device *ws_device_remove(const void *dispatchable)
{
    const void *key = *(void *const *)dispatchable;
    ws_lock_to_write(&devices_lock);
    struct ws_device **link = &devices;
    while (*link != NULL && (*link)->key != key)
        link = &(*link)->following;
    struct ws_device *device = *link;
    if (device != NULL)
        *link = device->following;
    ws_unlock_both(&devices_lock);
    return device;
}
