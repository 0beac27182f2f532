#include "layer/core/objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer/core/device.h"
#include "layer/process/lock.h"

/* Someone else's process must not exit because a map cannot grow: uthash then leaves the element out. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct object {
    uint64_t handle;
    void *value;
    UT_hash_handle hh;
};

struct ws_objects {
    struct object *maps[WS_OBJECT_KIND_COUNT];
};

struct ws_objects *ws_objects_create(void)
{
    return calloc(1, sizeof(struct ws_objects));
}

void ws_objects_destroy(struct ws_objects *objects)
{
    if (objects == NULL)
        return;
    for (int kind = 0; kind < WS_OBJECT_KIND_COUNT; kind++) {
        struct object *object, *next;
        HASH_ITER(hh, objects->maps[kind], object, next)
        {
            HASH_DEL(objects->maps[kind], object);
            free(object);
        }
    }
    free(objects);
}

static struct object *find(struct ws_objects *objects, enum ws_object_kind kind, uint64_t handle)
{
    struct object *object;
    HASH_FIND(hh, objects->maps[kind], &handle, sizeof(handle), object);
    return object;
}

bool ws_objects_add(struct ws_device *device, enum ws_object_kind kind, uint64_t handle, void *value)
{
    struct object *added = calloc(1, sizeof(*added));
    if (added == NULL)
        return false;
    added->handle = handle;
    added->value = value;

    ws_lock(&device->lock);
    struct object *present = find(device->objects, kind, handle);
    bool kept = false;
    if (present != NULL) {
        present->value = value;
    } else {
        HASH_ADD(hh, device->objects->maps[kind], handle, sizeof(added->handle), added);
        kept = added->hh.tbl != NULL;
    }
    ws_unlock(&device->lock);
    if (!kept)
        free(added);
    return kept || present != NULL;
}

void *ws_objects_find(struct ws_device *device, enum ws_object_kind kind, uint64_t handle)
{
    ws_lock(&device->lock);
    const struct object *object = find(device->objects, kind, handle);
    void *value = object != NULL ? object->value : NULL;
    ws_unlock(&device->lock);
    return value;
}

bool ws_objects_copy(struct ws_device *device, enum ws_object_kind kind, uint64_t handle, void *to,
                     size_t size)
{
    ws_lock(&device->lock);
    const struct object *object = find(device->objects, kind, handle);
    if (object != NULL)
        memcpy(to, object->value, size);
    ws_unlock(&device->lock);
    return object != NULL;
}

static void *take(struct ws_objects *objects, enum ws_object_kind kind, struct object *object)
{
    if (object == NULL)
        return NULL;
    void *value = object->value;
    HASH_DEL(objects->maps[kind], object);
    free(object);
    return value;
}

void *ws_objects_remove(struct ws_device *device, enum ws_object_kind kind, uint64_t handle)
{
    ws_lock(&device->lock);
    void *value = take(device->objects, kind, find(device->objects, kind, handle));
    ws_unlock(&device->lock);
    return value;
}

void *ws_objects_remove_any(struct ws_device *device, enum ws_object_kind kind)
{
    ws_lock(&device->lock);
    void *value = take(device->objects, kind, device->objects->maps[kind]);
    ws_unlock(&device->lock);
    return value;
}
