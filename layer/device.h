/* What the layer knows of a VkInstance and a VkDevice. One struct each, found by the loader's dispatch
 * pointer, which is the first word of every dispatchable handle. */
#ifndef WS_LAYER_DEVICE_H
#define WS_LAYER_DEVICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "dispatch.h"

struct ws_capture;
struct ws_settings;
struct ws_root_block;
struct ws_counters_pool;
struct ws_objects;

struct ws_instance {
    VkInstance handle;
    struct ws_instance_dispatch next; /* the next layer's functions */
    const struct ws_settings *settings;
    uint32_t api_version; /* as handed to the next layer */
    char *application_name;
    char *engine_name;
};

struct ws_device {
    VkDevice handle;
    VkPhysicalDevice physical;
    struct ws_instance *instance;
    struct ws_device_dispatch next; /* the next layer's functions; NULL where it has none */
    PFN_vkSetDeviceLoaderData set_loader_data;
    const struct ws_settings *settings;

    bool active; /* passes are asked for and this device can run them; false: nothing is intercepted */
    struct ws_capture *capture; /* the process's capture; NULL when not active */
    uint32_t capture_id;        /* device id in the capture */
    uint32_t bins;              /* WS_SPEC_BINS on this device */
    uint32_t subgroup_stages;   /* stages counted per warp */
    VkPhysicalDeviceMemoryProperties memory;

    struct ws_root_block *root;        /* root_block.h */
    struct ws_counters_pool *counters; /* counters.h */

    pthread_mutex_t lock; /* guards `objects`; held for look-ups, never across a call into the driver */
    struct ws_objects *objects; /* maps from handles to what we know: objects.h */
};

/* The device, instance of a dispatchable handle (device, queue, command buffer; instance, physical
 * device), or NULL when it is none of ours. Thread-safe. */
struct ws_device *ws_device_of(const void *dispatchable);
struct ws_instance *ws_instance_of(const void *dispatchable);

#endif
