/* What memory the application has: allocations, buffers, images, and views of these, with their names. Only where it is
 * followed what is bound (setting `bindings`; device->resources is NULL elsewhere). Thread-safe.
 *
 * Each resource has an id of its own, which no other gets: a buffer whose handle the driver gives again is another one. What
 * is new or has changed is written to the capture when something is submitted that is taken: ws_resources_write. Of what was
 * destroyed before that nothing is written. */
#ifndef WS_LAYER_RESOURCES_RESOURCE_H
#define WS_LAYER_RESOURCES_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/chunks.h"

struct ws_device;
struct ws_resources; /* of a device: device->resources */

/* NULL without memory. */
struct ws_resources *ws_resources_create(void);
void ws_resources_destroy(struct ws_resources *resources); /* NULL is accepted */

/* All below do nothing, and find WS_NONE, where nothing is followed. Handles are WS_HANDLE (objects.h). */

/* A resource was made; `about` says what is known of it, but for its id and name. Without memory it is not known. */
void ws_resource_add(struct ws_device *device, uint64_t handle, const struct ws_resource *about);

/* It is about to be destroyed. */
void ws_resource_remove(struct ws_device *device, enum ws_resource_kind kind, uint64_t handle);

/* A buffer or an image lies in an allocation now. */
void ws_resource_place(struct ws_device *device, enum ws_resource_kind kind, uint64_t handle,
                       VkDeviceMemory memory, VkDeviceSize offset);

/* Whether one of several bindings was made, whose info has that chain. Where their command succeeds all are, and a driver that
 * does not know VkBindMemoryStatus has not written it. Where it fails each says it for itself there; without that none is taken
 * to be. */
bool ws_resource_was_bound(VkResult result, const void *next);

/* The application asked for the address of a buffer. */
void ws_resource_set_address(struct ws_device *device, VkBuffer buffer, VkDeviceAddress address);

/* It gave a resource a name; "" takes it away. */
void ws_resource_set_name(struct ws_device *device, enum ws_resource_kind kind, uint64_t handle,
                          const char *name);

/* The id of a resource; WS_NONE = none, or not known. */
uint32_t ws_resource_find(struct ws_device *device, enum ws_resource_kind kind, uint64_t handle);

/* Whether that id stands in the capture, and its resource still exists. */
bool ws_resource_is_written(struct ws_device *device, uint32_t id);

/* Writes what is new since the last time. `moment`: index of the first launch that may use it. */
void ws_resources_write(struct ws_device *device, uint64_t moment);

#endif
