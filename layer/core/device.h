/* The layer's data of a VkInstance and of a VkDevice: one struct each. It is found by the loader's dispatch
 * pointer, which is the first word of every dispatchable handle. A queue and its device have the same one. */
#ifndef WS_LAYER_CORE_DEVICE_H
#define WS_LAYER_CORE_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "layer/core/dispatch.h"
#include "warpscope/instrument.h"

struct ws_capture;
struct ws_probe_list;
struct ws_settings;
struct ws_root_block;
struct ws_buffers;
struct ws_heap;
struct ws_control_block;
struct ws_query_pools;
struct ws_resources;
struct ws_submissions;
struct ws_objects;
struct ws_module_cache;
struct ws_shader_table;
struct ws_micromaps;
struct ws_structures;
struct ws_watch;

struct ws_instance {
    VkInstance handle;
    struct ws_instance_dispatch next;   /* the next layer's functions */
    struct ws_settings *settings;       /* owned; NULL when they are wrong: then the layer is off */
    bool active;                        /* passes or probes are chosen */
    struct ws_probe_list *probes;       /* probes.h; owned; NULL with the settings */
    struct ws_capture *_Atomic capture; /* of the devices made so far; NULL before the first */
    uint32_t api_version;               /* as handed to the next layer */
    uint32_t application_version;       /* as the application asked: VkApplicationInfo::apiVersion */
    char *application_name;             /* never NULL; "" when the application gave none */
    char *engine_name;
    /* The messenger in the VkInstanceCreateInfo; NULL once vkCreateInstance has returned. */
    const VkDebugUtilsMessengerCreateInfoEXT *messenger;
    struct ws_messenger *messengers; /* message.h */
    struct ws_watch *watch;          /* watch.h; owned; NULL = nothing is watched */

    void *key; /* the loader's dispatch pointer */
    struct ws_instance *following;
};

/* The properties of a VkPhysicalDevice that the layer needs. */
struct ws_device_properties {
    VkPhysicalDeviceProperties core;
    VkPhysicalDeviceDriverProperties driver;
    uint32_t subgroup_size;
    uint32_t subgroup_size_min;
    uint32_t subgroup_size_max;
    uint32_t subgroup_stages; /* mask of ws_stage, as the driver tells */
    bool subgroup_shuffle;    /* likewise */
    VkSubgroupFeatureFlags subgroup_operations;
    VkDeviceSize host_import_alignment; /* of VK_EXT_external_memory_host; 0 when not offered */
    uint32_t group_handle_size;         /* of ray tracing shader groups; 0 = no such pipelines */
    VkDeviceSize largest_buffer; /* that can be made and bound to one allocation, as the driver tells */
    VkPhysicalDeviceMemoryProperties memory;
};

/* Extensions that the layer enables for itself, where the application did not. */
enum ws_added_extension {
    WS_ADDED_ADDRESSES = 1,   /* VK_KHR_buffer_device_address */
    WS_ADDED_HOST_IMPORT = 2, /* VK_EXT_external_memory_host */
};

#define WS_DEVICE_CAPABILITIES 8

struct ws_device {
    VkDevice handle;
    VkPhysicalDevice physical;
    struct ws_instance *instance;
    struct ws_device_dispatch next; /* the next layer's functions; NULL where it has none */
    PFN_vkSetDeviceLoaderData set_loader_data;
    const struct ws_settings *settings; /* the instance's; never NULL on an active device */
    const struct ws_probe_list *probes; /* likewise */

    bool active; /* passes are chosen and this device can run them; false: nothing is intercepted */
    struct ws_capture *capture; /* the one for the instance's settings; NULL when not active */
    uint32_t capture_id;        /* device id in the capture */
    uint32_t bins;              /* WS_SPEC_BINS on this device */
    uint32_t subgroup_stages;   /* stages counted per warp */
    bool without_records;       /* nothing can be recorded: the device has no subgroup shuffles */
    bool without_sums;          /* the device has no subgroup arithmetic */

    /* The rest of this block is set on active devices only. */
    struct ws_device_properties properties;
    /* SpvCapability: those of enabled features, and of subgroups, that probes may use (instrument.h). */
    uint32_t capabilities[WS_DEVICE_CAPABILITIES];
    uint32_t capability_count;
    enum ws_clock clock;       /* that the pass warp_time can read */
    bool host_import;          /* VK_EXT_external_memory_host is enabled */
    bool capture_replay;       /* bufferDeviceAddressCaptureReplay is enabled */
    bool timeline_semaphores;  /* the feature timelineSemaphore is enabled */
    uint32_t added_extensions; /* mask of ws_added_extension */

    uint32_t queue_family_count; /* of the physical device */
    VkQueueFamilyProperties *queue_families;
    uint32_t *queue_family_indices; /* 0, 1, 2, ...: our buffers are shared by all families */

    struct ws_root_block *root;         /* root_block.h */
    struct ws_heap *counters;           /* counters.h */
    struct ws_control_block *control;   /* control_block.h */
    struct ws_query_pools *query_pools; /* query_pools.h */
    struct ws_heap *results;            /* memory.h: what command buffers copied from the counters */
    struct ws_heap *readback;           /* memory.h: what the host reads */
    struct ws_submissions *submissions; /* submission.h */
    struct ws_buffers *buffers;         /* buffer.h; only where geometry is captured */
    _Atomic uint64_t geometry_size;     /* bytes that recordings hold for copies: range_copy.h */

    struct ws_module_cache *modules;  /* module_cache.h */
    struct ws_shader_table *shaders;  /* shader.h */
    struct ws_micromaps *micromaps;   /* micromap.h; NULL where geometry is not captured */
    struct ws_structures *structures; /* structure.h; NULL where geometry is not captured */
    struct ws_resources *resources;   /* resource.h; NULL where it is not followed what is bound */
    /* The id of a structure that stands in the capture, else WS_NONE: structure.h; NULL where geometry is not captured. */
    uint32_t (*find_structure)(struct ws_device *device, VkAccelerationStructureKHR handle);

    pthread_mutex_t lock;       /* guards `objects`; held for look-ups, never across a call into the driver */
    struct ws_objects *objects; /* maps from handles to what we know: objects.h */

    /* Guards what sets, images and views are and hold, where images are captured or it is followed what is bound:
     * layer/resources, layer/image; before `lock` and that of `resources`. */
    pthread_mutex_t image_lock;
    _Atomic uint32_t swapchains; /* that exist; where images are captured */

    void *key; /* the loader's dispatch pointer */
    struct ws_device *following;
};

/* The device of a device, queue or command buffer; the instance of an instance or physical device. NULL when
 * the layer does not know it. Thread-safe. */
struct ws_device *ws_device_of(const void *dispatchable);
struct ws_instance *ws_instance_of(const void *dispatchable);

/* Makes a device or an instance known to the two functions above; its `key` must be set. The struct stays its
 * maker's (loader/create_device.c, loader/create_instance.c). */
void ws_device_add(struct ws_device *device);
void ws_instance_add(struct ws_instance *instance);

/* Makes it unknown again and returns it; NULL when it is none of ours. */
struct ws_device *ws_device_remove(const void *dispatchable);
struct ws_instance *ws_instance_remove(const void *dispatchable);

/* Calls `visit` for every device that exists: when the process ends. */
void ws_devices_each(void (*visit)(struct ws_device *device));

#endif
