/* Maps from Vulkan handles to the layer's own data: one map per device and kind of object.
 *
 * A map does not own its values: who adds a value removes and frees it. Every function is thread-safe; it
 * holds device->lock during the look-up only. A value stays valid as long as the application may use the
 * handle, since the specification forbids destroying an object while another thread uses it. */
#ifndef WS_LAYER_CORE_OBJECTS_H
#define WS_LAYER_CORE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
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
    WS_OBJECT_EXECUTION_SET,   /* VkIndirectExecutionSetEXT */
    WS_OBJECT_CHOOSING_LAYOUT, /* VkIndirectCommandsLayoutNV whose commands choose what they run */
    WS_OBJECT_SET_LAYOUT, /* this and the following: where images are captured, or it is followed what is bound */
    WS_OBJECT_PIPELINE_LAYOUT,
    WS_OBJECT_DESCRIPTOR_POOL,
    WS_OBJECT_DESCRIPTOR_SET,
    WS_OBJECT_UPDATE_TEMPLATE,
    WS_OBJECT_SAMPLER, /* where it is followed what is bound */
    WS_OBJECT_IMAGE,   /* this and the following: where images are captured */
    WS_OBJECT_IMAGE_VIEW,
    WS_OBJECT_SWAPCHAIN,
    WS_OBJECT_KIND_COUNT,
};

/* A handle as the key of a map. Dispatchable handles are pointers, the others pointers or 64-bit integers. */
#define WS_HANDLE(handle) ((uint64_t)(handle))

struct ws_objects;

/* Empty maps, or NULL when there is no memory. */
struct ws_objects *ws_objects_create(void);

/* Frees the maps, not their values. NULL is accepted. */
void ws_objects_destroy(struct ws_objects *objects);

/* Maps `handle` to `value` (not NULL) and drops the value that it had: a driver may use a handle again once
 * its object is destroyed. False without memory. */
bool ws_objects_add(struct ws_device *device, enum ws_object_kind kind, uint64_t handle, void *value);

/* The value of `handle`, NULL when it has none. */
void *ws_objects_find(struct ws_device *device, enum ws_object_kind kind, uint64_t handle);

/* Copies the first `size` bytes of the value of `handle`; false when it has none. For handles that another thread may destroy
 * meanwhile: those that Vulkan ignores may be of anything, and a driver may have one handle for two equal objects. */
bool ws_objects_copy(struct ws_device *device, enum ws_object_kind kind, uint64_t handle, void *to,
                     size_t size);

/* Removes `handle` and returns its value, NULL when it had none. */
void *ws_objects_remove(struct ws_device *device, enum ws_object_kind kind, uint64_t handle);

/* Removes any one object of `kind` and returns its value, NULL when none is left. To free all of a kind. */
void *ws_objects_remove_any(struct ws_device *device, enum ws_object_kind kind);

#endif
