/* Ray-tracing pipelines (KHR, also deferred, and NV) and ray-tracing libraries. */
#include <stdlib.h>

#include "layer/core/deferred.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/shader/pipeline.h"
#include "layer/shader/shader_groups.h"

static void describe(const void *untyped, struct ws_pipeline_shape *shape)
{
    const VkRayTracingPipelineCreateInfoKHR *info = untyped;
    shape->stages = info->pStages;
    shape->stage_count = info->stageCount;
    shape->libraries = info->pLibraryInfo;
    shape->flags = info->flags;
    shape->chain = info->pNext;
}

static void replace_stages(void *untyped, const VkPipelineShaderStageCreateInfo *stages)
{
    VkRayTracingPipelineCreateInfoKHR *info = untyped;
    info->pStages = stages;
}

/* What instrumented hit shaders read that declare no attributes: the barycentrics of a triangle. */
#define ATTRIBUTE_SIZE 8u

static void adapt(void *untyped, struct ws_pipeline_build *build)
{
    VkRayTracingPipelineCreateInfoKHR *info = untyped;
    const VkRayTracingPipelineInterfaceCreateInfoKHR *interface = info->pLibraryInterface;
    if (interface == NULL || interface->maxPipelineRayHitAttributeSize >= ATTRIBUTE_SIZE)
        return;
    build->interface = *interface;
    build->interface.maxPipelineRayHitAttributeSize = ATTRIBUTE_SIZE;
    info->pLibraryInterface = &build->interface;
}

static VkResult create(const struct ws_pipeline_batch *batch, VkDeferredOperationKHR deferred,
                       const void *infos, VkPipeline *pipelines)
{
    const struct ws_device *device = batch->device;
    return device->next.CreateRayTracingPipelinesKHR(device->handle, deferred, batch->cache, batch->count,
                                                     infos, batch->allocator, pipelines);
}

static void remember_groups(const struct ws_pipeline_batch *batch, uint32_t index, VkPipeline handle)
{
    const VkRayTracingPipelineCreateInfoKHR *infos = batch->originals;
    ws_shader_groups_remember(batch->device, handle, &infos[index], &batch->builds[index]);
}

static const struct ws_pipeline_type type = {
    .kind = WS_PIPELINE_RAY_TRACING,
    .info_size = sizeof(VkRayTracingPipelineCreateInfoKHR),
    .describe = describe,
    .replace_stages = replace_stages,
    .adapt = adapt,
    .create = create,
    .made = remember_groups,
};

/* A creation that may be deferred. */
struct creation {
    struct ws_deferred_work work;
    struct ws_pipeline_batch *batch;
    VkPipeline *pipelines; /* the application's, which must keep it until completion */
};

static VkResult complete_creation(struct ws_deferred_work *work, VkResult result)
{
    struct creation *creation = (struct creation *)work;
    return ws_pipeline_batch_complete(creation->batch, result, creation->pipelines);
}

static void destroy_creation(struct ws_deferred_work *work)
{
    struct creation *creation = (struct creation *)work;
    ws_pipeline_batch_destroy(creation->batch);
    free(creation);
}

static VkResult create_deferred(struct ws_device *device, VkDeferredOperationKHR deferred,
                                struct creation *creation)
{
    struct ws_pipeline_batch *batch = creation->batch;
    for (uint32_t i = 0; i < batch->count; i++)
        creation->pipelines[i] = VK_NULL_HANDLE;
    const VkResult result = create(batch, deferred, batch->infos, creation->pipelines);
    return ws_deferred_settle(device, deferred, &creation->work, result);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_ray_tracing_pipelines(VkDevice handle, VkDeferredOperationKHR deferred, VkPipelineCache cache,
                             uint32_t count, const VkRayTracingPipelineCreateInfoKHR *infos,
                             const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
    struct ws_device *device = ws_device_of(handle);
    if (deferred == VK_NULL_HANDLE)
        return ws_pipelines_create(device, &type, cache, count, infos, allocator, pipelines);
    struct creation *creation = malloc(sizeof(*creation));
    if (creation != NULL) {
        *creation = (struct creation){
            .work = {.complete = complete_creation, .destroy = destroy_creation},
            .batch = ws_pipeline_batch_create(device, &type, cache, count, infos, allocator),
            .pipelines = pipelines,
        };
        if (creation->batch != NULL)
            return create_deferred(device, deferred, creation);
        free(creation);
    }
    ws_message(device->instance, WS_ERROR, "out of memory: pipelines are not captured");
    return device->next.CreateRayTracingPipelinesKHR(handle, deferred, cache, count, infos, allocator,
                                                     pipelines);
}

static void describe_nv(const void *untyped, struct ws_pipeline_shape *shape)
{
    const VkRayTracingPipelineCreateInfoNV *info = untyped;
    shape->stages = info->pStages;
    shape->stage_count = info->stageCount;
    shape->flags = info->flags;
    shape->chain = info->pNext;
}

static void replace_stages_nv(void *untyped, const VkPipelineShaderStageCreateInfo *stages)
{
    VkRayTracingPipelineCreateInfoNV *info = untyped;
    info->pStages = stages;
}

static VkResult create_nv(const struct ws_pipeline_batch *batch, VkDeferredOperationKHR deferred,
                          const void *infos, VkPipeline *pipelines)
{
    const struct ws_device *device = batch->device;
    (void)deferred;
    return device->next.CreateRayTracingPipelinesNV(device->handle, batch->cache, batch->count, infos,
                                                    batch->allocator, pipelines);
}

static const struct ws_pipeline_type type_nv = {
    .kind = WS_PIPELINE_RAY_TRACING,
    .info_size = sizeof(VkRayTracingPipelineCreateInfoNV),
    .describe = describe_nv,
    .replace_stages = replace_stages_nv,
    .create = create_nv,
};

static VKAPI_ATTR VkResult VKAPI_CALL create_ray_tracing_pipelines_nv(
    VkDevice handle, VkPipelineCache cache, uint32_t count, const VkRayTracingPipelineCreateInfoNV *infos,
    const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
    return ws_pipelines_create(ws_device_of(handle), &type_nv, cache, count, infos, allocator, pipelines);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateRayTracingPipelinesKHR, create_ray_tracing_pipelines),
    WS_HOOK(CreateRayTracingPipelinesNV, create_ray_tracing_pipelines_nv),
    WS_HOOK_END,
};

const struct ws_interception ws_pipeline_ray_tracing_interception = {.hooks = hooks};
