#include "layer/shader/shader_stage.h"

#include <stdlib.h>
#include <string.h>

#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/process/lock.h"
#include "layer/shader/module_cache.h"
#include "layer/shader/shader.h"

/* The SPIR-V of a stage: of its module, or inline in its chain. False where it has none; `*name` receives
 * a copy of the module's name, to be freed (NULL = none). */
static bool find_spirv(struct ws_device *device, const VkPipelineShaderStageCreateInfo *info,
                       struct ws_spirv *spirv, char **name)
{
    const VkDebugUtilsObjectNameInfoEXT *inline_name =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
    *name = NULL;
    if (info->module != VK_NULL_HANDLE) {
        const struct ws_shader_module *module = ws_shader_module_find(device, info->module);
        if (module == NULL)
            return false;
        *spirv = (struct ws_spirv){module->words, module->word_count, module->hash, ""};
        ws_lock(&device->lock);
        *name = module->name != NULL ? strdup(module->name) : NULL;
        ws_unlock(&device->lock);
    } else {
        const VkShaderModuleCreateInfo *module =
            ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
        if (module == NULL)
            return false;
        const size_t word_count = module->codeSize / sizeof(uint32_t);
        *spirv = (struct ws_spirv){module->pCode, word_count, ws_spirv_hash(module->pCode, word_count), ""};
        if (inline_name != NULL && inline_name->pObjectName != NULL)
            *name = strdup(inline_name->pObjectName);
    }
    if (*name != NULL)
        spirv->name = *name;
    return true;
}

/* Puts the instrumented words in the place of the original ones. */
static bool replace_module(struct ws_shader_stage *stage, struct ws_device *device, struct ws_error *error)
{
    struct ws_cached_module *module = stage->shader->module;
    if (stage->info.module != VK_NULL_HANDLE) {
        const VkShaderModule handle = ws_cached_module_handle(device, module, stage->shader->early);
        if (handle == VK_NULL_HANDLE)
            return ws_error_set(error, "the driver refuses an instrumented shader module");
        stage->info.module = handle;
        return true;
    }
    VkShaderModuleCreateInfo *create_info =
        ws_chain_edit(&stage->chain, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, error);
    if (create_info == NULL)
        return false;
    size_t word_count;
    create_info->pCode = ws_cached_module_words(module, stage->shader->early, &word_count);
    create_info->codeSize = word_count * sizeof(uint32_t);
    stage->info.pNext = stage->chain.head;
    return true;
}

static bool instrument(struct ws_shader_stage *stage, struct ws_device *device, struct ws_error *error)
{
    if (!replace_module(stage, device, error))
        return false;
    stage->info.pSpecializationInfo = &stage->shader->specialization;
    return true;
}

void ws_shader_stage_init(struct ws_shader_stage *stage, struct ws_device *device,
                          const VkPipelineShaderStageCreateInfo *original, bool early)
{
    struct ws_spirv spirv;
    char *name;
    memset(stage, 0, sizeof(*stage));
    stage->info = *original;
    ws_chain_init(&stage->chain, original->pNext);
    if (!find_spirv(device, original, &spirv, &name)) {
        stage->reason = "a stage comes without SPIR-V (by shader module identifier)";
        return;
    }
    stage->shader =
        ws_shader_get(device, &spirv, original->stage, original->pName, original->pSpecializationInfo, early);
    free(name);
    if (stage->shader == NULL) {
        stage->reason = "out of memory";
        return;
    }
    if (stage->shader->row_count == 0)
        return;
    struct ws_error error = {0};
    stage->instrumented = instrument(stage, device, &error);
    if (!stage->instrumented) {
        stage->info = *original;
        stage->reason = "a stage could not be given its instrumented module";
        ws_message(device->instance, WS_WARNING, "a shader runs uninstrumented: %s", error.message);
    }
}

void ws_shader_stage_finish(struct ws_shader_stage *stage)
{
    ws_shader_release(stage->shader);
    ws_chain_finish(&stage->chain);
}
