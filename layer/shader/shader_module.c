#include "layer/shader/shader_module.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/core/objects.h"
#include "layer/process/lock.h"
#include "layer/shader/module_cache.h"
#include "layer/shader/shader.h"

uint64_t ws_spirv_hash(const uint32_t *words, size_t word_count)
{
    return XXH3_64bits(words, word_count * sizeof(*words));
}

struct ws_shader_module *ws_shader_module_find(struct ws_device *device, VkShaderModule handle)
{
    return ws_objects_find(device, WS_OBJECT_SHADER_MODULE, WS_HANDLE(handle));
}

static void destroy(struct ws_shader_module *module)
{
    if (module == NULL)
        return;
    free(module->words);
    free(module->name);
    free(module);
}

static struct ws_shader_module *create(const VkShaderModuleCreateInfo *create_info)
{
    struct ws_shader_module *module = calloc(1, sizeof(*module));
    if (module == NULL)
        return NULL;
    module->word_count = create_info->codeSize / sizeof(uint32_t);
    module->words = malloc(create_info->codeSize);
    if (module->words == NULL) {
        destroy(module);
        return NULL;
    }
    memcpy(module->words, create_info->pCode, create_info->codeSize);
    module->hash = ws_spirv_hash(module->words, module->word_count);
    return module;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_shader_module(VkDevice handle,
                                                           const VkShaderModuleCreateInfo *create_info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkShaderModule *out)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateShaderModule(handle, create_info, allocator, out);
    if (result != VK_SUCCESS)
        return result;
    struct ws_shader_module *module = create(create_info);
    if (module == NULL || !ws_objects_add(device, WS_OBJECT_SHADER_MODULE, WS_HANDLE(*out), module)) {
        destroy(module);
        ws_message(device->instance, WS_ERROR, "out of memory: a shader module is not captured");
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_shader_module(VkDevice handle, VkShaderModule module,
                                                        const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    destroy(ws_objects_remove(device, WS_OBJECT_SHADER_MODULE, WS_HANDLE(module)));
    device->next.DestroyShaderModule(handle, module, allocator);
}

void ws_shader_module_set_name(struct ws_device *device, VkShaderModule handle, const char *name)
{
    struct ws_shader_module *module = ws_shader_module_find(device, handle);
    char *copy = name[0] != '\0' ? strdup(name) : NULL;
    if (module == NULL) {
        free(copy);
        return;
    }
    ws_lock(&device->lock);
    char *old = module->name;
    module->name = copy;
    ws_unlock(&device->lock);
    free(old);
}

static bool device_init(struct ws_device *device, struct ws_error *error)
{
    device->modules = ws_module_cache_create();
    device->shaders = ws_shader_table_create();
    if (device->modules != NULL && device->shaders != NULL)
        return true;
    ws_shader_table_destroy(device->shaders);
    ws_module_cache_destroy(device, device->modules);
    return ws_error_set(error, "out of memory");
}

static void device_finish(struct ws_device *device)
{
    ws_shader_table_destroy(device->shaders);
    ws_module_cache_destroy(device, device->modules);
    struct ws_shader_module *module;
    while ((module = ws_objects_remove_any(device, WS_OBJECT_SHADER_MODULE)) != NULL)
        destroy(module);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateShaderModule, create_shader_module),
    WS_HOOK(DestroyShaderModule, destroy_shader_module),
    WS_HOOK_END,
};

const struct ws_interception ws_shader_module_interception = {
    .hooks = hooks, .device_init = device_init, .device_finish = device_finish};
