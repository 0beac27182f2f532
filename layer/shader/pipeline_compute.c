/* Compute pipelines. */
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/vulkan_newer.h"
#include "layer/shader/pipeline.h"

static void describe(const void *untyped, struct ws_pipeline_shape *shape)
{
    const VkComputePipelineCreateInfo *info = untyped;
    shape->stages = &info->stage;
    shape->stage_count = 1;
    shape->flags = info->flags;
    shape->chain = info->pNext;
    if (ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_INDIRECT_BUFFER_INFO_NV) != NULL)
        shape->hindrance =
            "the device may choose it by its address (VK_NV_device_generated_commands_compute), and then it "
            "is not known which launches run it";
}

static void replace_stages(void *untyped, const VkPipelineShaderStageCreateInfo *stages)
{
    VkComputePipelineCreateInfo *info = untyped;
    info->stage = stages[0];
}

static VkResult create(const struct ws_pipeline_batch *batch, VkDeferredOperationKHR deferred,
                       const void *infos, VkPipeline *pipelines)
{
    const struct ws_device *device = batch->device;
    (void)deferred;
    return device->next.CreateComputePipelines(device->handle, batch->cache, batch->count, infos,
                                               batch->allocator, pipelines);
}

static const struct ws_pipeline_type type = {
    .kind = WS_PIPELINE_COMPUTE,
    .info_size = sizeof(VkComputePipelineCreateInfo),
    .describe = describe,
    .replace_stages = replace_stages,
    .create = create,
};

static VKAPI_ATTR VkResult VKAPI_CALL create_compute_pipelines(VkDevice handle, VkPipelineCache cache,
                                                               uint32_t count,
                                                               const VkComputePipelineCreateInfo *infos,
                                                               const VkAllocationCallbacks *allocator,
                                                               VkPipeline *pipelines)
{
    return ws_pipelines_create(ws_device_of(handle), &type, cache, count, infos, allocator, pipelines);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateComputePipelines, create_compute_pipelines),
    WS_HOOK_END,
};

const struct ws_interception ws_pipeline_compute_interception = {.hooks = hooks};
