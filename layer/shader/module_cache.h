/* The SPIR-V modules of a device's pipelines. A module is known by its words, which are found by their hash
 * and compared. It is instrumented once, however many pipelines have it. Modules live as long as the
 * device. */
#ifndef WS_LAYER_SHADER_MODULE_CACHE_H
#define WS_LAYER_SHADER_MODULE_CACHE_H

#include <stdatomic.h>

#include <vulkan/vulkan.h>

#include "layer/shader/shader_module.h"
#include "warpscope/error.h"
#include "warpscope/instrument.h"

/* Does not change once ws_module_cache_get has returned it, except for `module`. */
struct ws_cached_module {
    uint64_t hash;
    uint32_t capture_id;                  /* module id in the capture */
    struct ws_instrumented *instrumented; /* NULL when the module cannot be instrumented */
    char reason[WS_ERROR_SIZE];           /* why, when it is NULL; else "" */
    VkShaderModule _Atomic module;        /* of the instrumented words; made when first asked for */
};

struct ws_module_cache;

/* NULL when there is no memory. */
struct ws_module_cache *ws_module_cache_create(void);

/* The device may no longer run anything made from the modules. NULL is accepted. */
void ws_module_cache_destroy(struct ws_device *device, struct ws_module_cache *cache);

/* Returns the module of these words. The first call instruments it and writes its MODL, SITE and SKIP chunks.
 * NULL without memory. Thread-safe. */
struct ws_cached_module *ws_module_cache_get(struct ws_device *device, const struct ws_spirv *spirv);

/* Returns the module of these words; NULL until its MODL chunk is written. Thread-safe. */
const struct ws_cached_module *ws_module_cache_find(struct ws_module_cache *cache,
                                                    const struct ws_spirv *spirv);

/* Returns a VkShaderModule of the instrumented words, which the cache owns; VK_NULL_HANDLE when the driver
 * refuses it. Thread-safe. */
VkShaderModule ws_cached_module_handle(struct ws_device *device, struct ws_cached_module *module);

#endif
