/* The SPIR-V modules of a device's pipelines. A module is known by its words, which are found by their hash
 * and compared. It is instrumented once, however many pipelines have it.
 *
 * A module has users: the shaders that are referenced, and who has just asked for it. Of those without users
 * the latest are kept, WS_MODULES_KEPT bytes of them, because applications make the same pipelines again. The
 * others are freed; should one come again, it is another module in the capture. */
#ifndef WS_LAYER_SHADER_MODULE_CACHE_H
#define WS_LAYER_SHADER_MODULE_CACHE_H

#include <stdatomic.h>

#include <vulkan/vulkan.h>

#include "layer/shader/shader_module.h"
#include "warpscope/error.h"
#include "warpscope/instrument.h"

/* Bytes of modules without users that a device keeps: the application's words, and the instrumented ones. */
#define WS_MODULES_KEPT ((size_t)32 << 20)

struct ws_shader;

/* Does not change once ws_module_cache_get has returned it, except for its Vulkan modules and `shaders`. */
struct ws_cached_module {
    uint64_t hash;
    uint32_t capture_id;                  /* module id in the capture */
    struct ws_instrumented *instrumented; /* NULL when the module cannot be instrumented */
    char reason[WS_ERROR_SIZE];           /* why, when it is NULL; else "" */
    VkShaderModule _Atomic module;        /* of the instrumented words; made when first asked for */
    /* The same with early fragment tests, where an entry point can have them; else NULL. */
    uint32_t *early_words;
    size_t early_word_count;
    VkShaderModule _Atomic early_module;
    struct ws_shader *shaders; /* those made of it, by `sibling`; the lock of their table guards them */
    struct ws_cached_module *following; /* in a list of modules to be freed */
};

struct ws_module_cache;

/* NULL when there is no memory. */
struct ws_module_cache *ws_module_cache_create(void);

/* The device may no longer run anything made from the modules. NULL is accepted. */
void ws_module_cache_destroy(struct ws_device *device, struct ws_module_cache *cache);

/* Returns the module of these words, with one more user: the caller. The first call instruments it and writes
 * its MODL, SITE and SKIP chunks. NULL without memory. Thread-safe. */
struct ws_cached_module *ws_module_cache_get(struct ws_device *device, const struct ws_spirv *spirv);

/* Takes a user away. Returns the modules that are to be freed: nothing finds them any more. The caller removes
 * what points at them, and calls ws_cached_modules_destroy. NULL = none. Thread-safe. */
struct ws_cached_module *ws_module_cache_release(struct ws_module_cache *cache,
                                                 struct ws_cached_module *module);

/* Frees a list of modules (`following`). NULL is accepted. */
void ws_cached_modules_destroy(struct ws_device *device, struct ws_cached_module *list);

/* Returns the capture id of the module of these words; WS_NONE until its MODL chunk is written. Thread-safe.
 */
uint32_t ws_module_cache_find(struct ws_module_cache *cache, const struct ws_spirv *spirv);

/* The instrumented words, with early fragment tests or without. */
const uint32_t *ws_cached_module_words(const struct ws_cached_module *module, bool early, size_t *word_count);

/* The words that the application gave, which live as long as the module. */
const uint32_t *ws_cached_module_original(const struct ws_cached_module *module, size_t *word_count);

/* Returns a VkShaderModule of these words, which the cache owns; VK_NULL_HANDLE when the driver refuses it.
 * Thread-safe. */
VkShaderModule ws_cached_module_handle(struct ws_device *device, struct ws_cached_module *module, bool early);

#endif
