/* Ray-tracing pipelines (KHR, also deferred, and NV) and ray-tracing libraries; and, where geometry is
 * captured, their shader groups: which shaders each has, and the handle by which shader binding tables name
 * it. */
#include <stdlib.h>
#include <string.h>

#include "layer/core/capture.h"
#include "layer/core/deferred.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/core/objects.h"
#include "layer/shader/pipeline.h"
#include "layer/shader/shader.h"
#include "layer/shader/shader_stage.h"
#include "warpscope/instrument.h"

/* The shader groups. */

static const struct ws_pipeline *library_at(struct ws_device *device,
                                            const VkRayTracingPipelineCreateInfoKHR *info, uint32_t index)
{
    return ws_objects_find(device, WS_OBJECT_PIPELINE, WS_HANDLE(info->pLibraryInfo->pLibraries[index]));
}

static uint32_t library_count(const VkRayTracingPipelineCreateInfoKHR *info)
{
    return info->pLibraryInfo != NULL ? info->pLibraryInfo->libraryCount : 0;
}

/* WS_NONE for VK_SHADER_UNUSED_KHR, and for a stage without SPIR-V. */
static uint32_t shader_id(const struct ws_pipeline_build *build, uint32_t stage)
{
    return stage < build->stage_count && build->stages[stage].shader != NULL
               ? build->stages[stage].shader->capture_id
               : WS_NONE;
}

/* False when there is no memory, or the groups of a library are not known. */
static bool collect(struct ws_device *device, const VkRayTracingPipelineCreateInfoKHR *info,
                    const struct ws_pipeline_build *build, struct ws_pipeline *pipeline)
{
    size_t count = info->groupCount;
    for (uint32_t i = 0; i < library_count(info); i++) {
        const struct ws_pipeline *library = library_at(device, info, i);
        if (library == NULL || library->groups == NULL)
            return false;
        count += library->group_count;
    }
    pipeline->groups = calloc(count + 1, sizeof(*pipeline->groups));
    if (pipeline->groups == NULL)
        return false;
    for (uint32_t i = 0; i < info->groupCount; i++) {
        const VkRayTracingShaderGroupCreateInfoKHR *group = &info->pGroups[i];
        pipeline->groups[pipeline->group_count++] = (struct ws_shader_group){
            .type = group->type,
            .general = shader_id(build, group->generalShader),
            .closest_hit = shader_id(build, group->closestHitShader),
            .any_hit = shader_id(build, group->anyHitShader),
            .intersection = shader_id(build, group->intersectionShader),
        };
    }
    for (uint32_t i = 0; i < library_count(info); i++) {
        const struct ws_pipeline *library = library_at(device, info, i);
        memcpy(&pipeline->groups[pipeline->group_count], library->groups,
               library->group_count * sizeof(*library->groups));
        pipeline->group_count += library->group_count;
    }
    return true;
}

/* The handles of all groups, one behind the other, to be freed; NULL when they cannot be had. */
static uint8_t *get_handles(struct ws_device *device, VkPipeline handle, uint32_t count)
{
    const size_t size = (size_t)count * device->properties.group_handle_size;
    uint8_t *handles = size > 0 ? malloc(size) : NULL;
    if (handles != NULL && device->next.GetRayTracingShaderGroupHandlesKHR(device->handle, handle, 0, count,
                                                                           size, handles) != VK_SUCCESS) {
        free(handles);
        return NULL;
    }
    return handles;
}

static void write_groups(struct ws_device *device, const struct ws_pipeline *pipeline, const uint8_t *handles)
{
    const uint32_t size = handles != NULL ? device->properties.group_handle_size : 0;
    /* The kept ones have no handles, which live only here. */
    for (uint32_t i = 0; i < pipeline->group_count; i++) {
        pipeline->groups[i].handle = handles != NULL ? handles + (size_t)i * size : NULL;
        pipeline->groups[i].handle_size = size;
    }
    const struct ws_chunk_groups chunk = {
        .pipeline = pipeline->capture_id,
        .handle_size = size,
        .groups = pipeline->groups,
        .group_count = pipeline->group_count,
    };
    struct ws_error error = {0};
    ws_capture_check(device->instance, ws_capture_write_groups(device->capture->writer, &chunk, &error),
                     &error);
    for (uint32_t i = 0; i < pipeline->group_count; i++) {
        pipeline->groups[i].handle = NULL;
        pipeline->groups[i].handle_size = 0;
    }
}

/* Keeps the groups of a pipeline that was just made and remembered, its libraries' behind its own, and writes
 * its GRUP chunk. A library's groups get no handles: a pipeline that it is linked into has them. */
static void remember_groups(const struct ws_pipeline_batch *batch, uint32_t index, VkPipeline handle)
{
    struct ws_device *device = batch->device;
    const VkRayTracingPipelineCreateInfoKHR *info =
        (const VkRayTracingPipelineCreateInfoKHR *)batch->originals + index;
    const struct ws_pipeline_build *build = &batch->builds[index];
    struct ws_pipeline *pipeline = ws_objects_find(device, WS_OBJECT_PIPELINE, WS_HANDLE(handle));
    if (pipeline == NULL)
        return;
    if (!collect(device, info, build, pipeline)) {
        ws_capture_skip(device->capture, WS_SKIP_PIPELINE, pipeline->capture_id, WS_NONE, WS_NONE, 1,
                        "out of memory for its shader groups");
        return;
    }
    uint8_t *handles = build->library ? NULL : get_handles(device, handle, pipeline->group_count);
    write_groups(device, pipeline, handles);
    free(handles);
}

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
