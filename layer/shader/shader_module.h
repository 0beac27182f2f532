/* VkShaderModule: the application's SPIR-V, kept until a pipeline is made from it. */
#ifndef WS_LAYER_SHADER_SHADER_MODULE_H
#define WS_LAYER_SHADER_SHADER_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;

/* SPIR-V of the application, wherever it came from; `words` is borrowed. */
struct ws_spirv {
    const uint32_t *words;
    size_t word_count;
    uint64_t hash;    /* XXH3-64 of the words' bytes */
    const char *name; /* debug-utils name, "" = none */
};

/* What the layer keeps of a VkShaderModule. `name` is guarded by the device's lock. */
struct ws_shader_module {
    uint32_t *words;
    size_t word_count;
    uint64_t hash;
    char *name; /* NULL = none */
};

/* XXH3-64 (seed 0) of the words' bytes: what a module is known by. */
uint64_t ws_spirv_hash(const uint32_t *words, size_t word_count);

/* What is kept of `handle`; NULL when it is unknown, because there was no memory to keep it. */
struct ws_shader_module *ws_shader_module_find(struct ws_device *device, VkShaderModule handle);

/* Remembers the name that the application gave to the module, "" = none. */
void ws_shader_module_set_name(struct ws_device *device, VkShaderModule handle, const char *name);

#endif
