/* VkShaderModule: a copy of the application's SPIR-V, which lives until the application destroys the
 * module. */
#ifndef WS_LAYER_SHADER_SHADER_MODULE_H
#define WS_LAYER_SHADER_SHADER_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;

/* SPIR-V of the application: of a module, of a shader object or inline in a pipeline. Does not own
 * `words`. */
struct ws_spirv {
    const uint32_t *words;
    size_t word_count;
    uint64_t hash;    /* XXH3-64 of the words' bytes */
    const char *name; /* debug-utils name, "" = none */
};

/* The layer's data of a VkShaderModule. `name` is guarded by the device's lock. */
struct ws_shader_module {
    uint32_t *words;
    size_t word_count;
    uint64_t hash;
    char *name; /* NULL = none */
};

/* XXH3-64 (seed 0) of the words' bytes, by which a module is known. */
uint64_t ws_spirv_hash(const uint32_t *words, size_t word_count);

/* Returns the data of `handle`; NULL when there was no memory for them. Thread-safe. */
struct ws_shader_module *ws_shader_module_find(struct ws_device *device, VkShaderModule handle);

/* Sets the name that the application gave to the module; "" = none. Thread-safe. */
void ws_shader_module_set_name(struct ws_device *device, VkShaderModule handle, const char *name);

#endif
