/* The features and extensions that the passes need: queries a physical device for them, and switches them on
 * in a copy of the application's VkDeviceCreateInfo. Thread-safe for different structs. */
#ifndef WS_LAYER_LOADER_DEVICE_FEATURES_H
#define WS_LAYER_LOADER_DEVICE_FEATURES_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "warpscope/error.h"
#include "warpscope/instrument.h"

struct ws_device_properties;
struct ws_instance;

/* A create-info that switches on what the passes need. */
struct ws_features {
    VkDeviceCreateInfo info;       /* what to hand to the next layer; borrows from the application's */
    VkPhysicalDeviceFeatures core; /* info.pEnabledFeatures where the application gave that */
    struct ws_chain chain;         /* info.pNext */
    const char **extensions;       /* info.ppEnabledExtensionNames */
    bool host_import;              /* VK_EXT_external_memory_host is switched on */
    bool capture_replay;           /* bufferDeviceAddressCaptureReplay is switched on */
    bool timeline_semaphores;      /* timelineSemaphore is switched on */
    uint32_t capabilities[WS_DEVICE_CAPABILITIES]; /* SpvCapability: those of what is there for probes */
    uint32_t capability_count;
    enum ws_clock clock;       /* that the pass warp_time can read */
    uint32_t added_extensions; /* mask of ws_added_extension: not among the application's */
};

/* Queries the properties that the layer needs; of an instance of Vulkan 1.0 only the core properties and
 * memory. */
void ws_features_query(const struct ws_instance *instance, VkPhysicalDevice physical,
                       struct ws_device_properties *properties);

/* Makes that create-info from the application's, which is not written and must outlive the result. False and
 * `error`, which says what is missing, when the device cannot do it; then there is nothing to finish. */
bool ws_features_init(struct ws_features *features, const struct ws_instance *instance,
                      VkPhysicalDevice physical, const struct ws_device_properties *properties,
                      const VkDeviceCreateInfo *create_info, struct ws_error *error);

/* Frees what it owns; `info` may not be used any more. */
void ws_features_finish(struct ws_features *features);

#endif
