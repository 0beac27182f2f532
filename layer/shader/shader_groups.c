#include "layer/shader/shader_groups.h"

#include <stdlib.h>
#include <string.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/objects.h"
#include "layer/shader/pipeline.h"
#include "layer/shader/shader.h"
#include "layer/shader/shader_stage.h"
#include "warpscope/instrument.h"

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

void ws_shader_groups_remember(struct ws_device *device, VkPipeline handle,
                               const VkRayTracingPipelineCreateInfoKHR *info,
                               const struct ws_pipeline_build *build)
{
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
