/* Graphics pipelines: all stages, mesh shaders and pipeline libraries included. */
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/shader/pipeline.h"

/* Whether the stages of a create-info are used. If not, pStages may point anywhere
 * (VkGraphicsPipelineCreateInfo, pStages; VkGraphicsPipelineLibraryCreateInfoEXT, flags). */
static bool has_stages(const struct ws_pipeline_shape *shape)
{
    const VkGraphicsPipelineLibraryCreateInfoEXT *parts =
        ws_chain_find(shape->chain, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    if (parts != NULL)
        return (parts->flags & (VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
                                VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT)) != 0;
    return !ws_pipeline_is_library(shape) &&
           (shape->libraries == NULL || shape->libraries->libraryCount == 0);
}

static void describe(const void *untyped, struct ws_pipeline_shape *shape)
{
    const VkGraphicsPipelineCreateInfo *info = untyped;
    shape->chain = info->pNext;
    shape->flags = info->flags;
    shape->libraries = ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    if (has_stages(shape)) {
        shape->stages = info->pStages;
        shape->stage_count = info->stageCount;
    }
    if (ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV) != NULL)
        shape->reason = "its shader groups (VK_NV_device_generated_commands) are not instrumented";
}

static void replace_stages(void *untyped, const VkPipelineShaderStageCreateInfo *stages)
{
    VkGraphicsPipelineCreateInfo *info = untyped;
    info->pStages = stages;
}

static VkResult create(const struct ws_pipeline_batch *batch, VkDeferredOperationKHR deferred,
                       const void *infos, VkPipeline *pipelines)
{
    const struct ws_device *device = batch->device;
    (void)deferred;
    return device->next.CreateGraphicsPipelines(device->handle, batch->cache, batch->count, infos,
                                                batch->allocator, pipelines);
}

static const struct ws_pipeline_type type = {
    .kind = WS_PIPELINE_GRAPHICS,
    .info_size = sizeof(VkGraphicsPipelineCreateInfo),
    .describe = describe,
    .replace_stages = replace_stages,
    .create = create,
};

static VKAPI_ATTR VkResult VKAPI_CALL create_graphics_pipelines(VkDevice handle, VkPipelineCache cache,
                                                                uint32_t count,
                                                                const VkGraphicsPipelineCreateInfo *infos,
                                                                const VkAllocationCallbacks *allocator,
                                                                VkPipeline *pipelines)
{
    return ws_pipelines_create(ws_device_of(handle), &type, cache, count, infos, allocator, pipelines);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateGraphicsPipelines, create_graphics_pipelines),
    WS_HOOK_END,
};

const struct ws_interception ws_pipeline_graphics_interception = {.hooks = hooks};
