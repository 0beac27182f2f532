/* Maps from Vulkan handles to what the layer keeps of them: one per device and kind of object.
 *
 * A map neither owns nor frees its values: whoever adds a value removes and frees it. Every function is
 * thread-safe and takes device->lock for its look-up only. A value found stays valid as long as the
 * application may use the handle: the specification forbids destroying an object while another thread
 * uses it. */
#ifndef WS_LAYER_CORE_OBJECTS_H
#define WS_LAYER_CORE_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

struct ws_device;

enum ws_object_kind {
    WS_OBJECT_BUFFER, /* that may have an address, where geometry is captured */
    WS_OBJECT_SHADER_MODULE,
    WS_OBJECT_PIPELINE,
    WS_OBJECT_SHADER, /* VkShaderEXT */
    WS_OBJECT_DEFERRED_OPERATION,
    WS_OBJECT_QUEUE,
    WS_OBJECT_SEMAPHORE,
    WS_OBJECT_COMMAND_POOL,
    WS_OBJECT_COMMAND_BUFFER,
    WS_OBJECT_FRAMEBUFFER,
    WS_OBJECT_KIND_COUNT,
};

/* Any handle as the key of a map. Dispatchable handles are pointers, the others pointers or 64-bit integers.
 */
#define WS_HANDLE(handle) ((uint64_t)(handle))

struct ws_objects;

/* Empty maps, or NULL when there is no memory. */
struct ws_objects *ws_objects_create(void);

/* Frees the maps, not their values. NULL is accepted. */
void ws_objects_destroy(struct ws_objects *objects);

/* Maps `handle` to `value` (not NULL), in place of what it was mapped to: a handle may be given again
 * after its object's end. False when there is no memory. */
bool ws_objects_add(struct ws_device *device, enum ws_object_kind kind, uint64_t handle, void *value);

/* The value of `handle`, NULL when it has none. */
void *ws_objects_find(struct ws_device *device, enum ws_object_kind kind, uint64_t handle);

/* Takes `handle` out and returns its value, NULL when it had none. */
void *ws_objects_remove(struct ws_device *device, enum ws_object_kind kind, uint64_t handle);

/* Takes any one object of `kind` out and returns its value, NULL when none is left: for clearing up. */
void *ws_objects_remove_any(struct ws_device *device, enum ws_object_kind kind);

#endif
