#include "examples/base/ray_tracing.h"

#include <assert.h>
#include <string.h>

enum region { RAYGEN, MISS, HIT, CALLABLE, REGION_COUNT };

static enum region region_of(const struct ws_gpu_group *group, const struct ws_gpu_shader *shaders)
{
    if (group->general == WS_GPU_NO_SHADER)
        return HIT;
    switch (shaders[group->general].stage) {
    case VK_SHADER_STAGE_RAYGEN_BIT_KHR: return RAYGEN;
    case VK_SHADER_STAGE_MISS_BIT_KHR: return MISS;
    default: return CALLABLE;
    }
}

static VkRayTracingShaderGroupCreateInfoKHR convert(const struct ws_gpu_group *group)
{
    VkRayTracingShaderGroupTypeKHR type = VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR;

    if (group->general != WS_GPU_NO_SHADER)
        type = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR;
    else if (group->intersection != WS_GPU_NO_SHADER)
        type = VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR;
    return (VkRayTracingShaderGroupCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
        .type = type,
        .generalShader = group->general,
        .closestHitShader = group->closest_hit,
        .anyHitShader = group->any_hit,
        .intersectionShader = group->intersection,
    };
}

static bool create_pipeline(struct ws_gpu *gpu, struct ws_gpu_ray_tracing *ray_tracing,
                            const struct ws_gpu_bindings *bindings, const struct ws_gpu_shader *shaders,
                            uint32_t shader_count, const struct ws_gpu_group *groups, uint32_t group_count,
                            uint32_t recursion, struct ws_error *error)
{
    VkPipelineShaderStageCreateInfo stages[WS_GPU_SHADERS_MAX] = {0};
    VkRayTracingShaderGroupCreateInfoKHR converted[WS_GPU_SHADERS_MAX];
    bool created = true;

    for (uint32_t i = 0; i < shader_count && created; i++)
        created = ws_gpu_stage(gpu, &shaders[i], &stages[i], error);
    for (uint32_t i = 0; i < group_count; i++)
        converted[i] = convert(&groups[i]);
    const VkRayTracingPipelineCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
        .stageCount = shader_count,
        .pStages = stages,
        .groupCount = group_count,
        .pGroups = converted,
        .maxPipelineRayRecursionDepth = recursion,
        .layout = bindings->layout,
    };
    created =
        created && ws_gpu_check(vkCreateRayTracingPipelinesKHR(gpu->device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1,
                                                               &info, NULL, &ray_tracing->pipeline),
                                "vkCreateRayTracingPipelinesKHR", error);
    for (uint32_t i = 0; i < shader_count; i++)
        vkDestroyShaderModule(gpu->device, stages[i].module, NULL);
    return created;
}

static VkDeviceSize align(VkDeviceSize value, VkDeviceSize alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

/* Lays the regions out one behind the other and copies each group's handle to its place. */
static bool create_table(struct ws_gpu *gpu, struct ws_gpu_ray_tracing *ray_tracing,
                         const struct ws_gpu_shader *shaders, const struct ws_gpu_group *groups,
                         uint32_t group_count, struct ws_error *error)
{
    const VkPhysicalDeviceRayTracingPipelinePropertiesKHR *limits = &gpu->ray_tracing;
    const VkDeviceSize base = limits->shaderGroupBaseAlignment;
    const VkDeviceSize stride = align(limits->shaderGroupHandleSize, limits->shaderGroupHandleAlignment);
    VkStridedDeviceAddressRegionKHR *regions[REGION_COUNT] = {&ray_tracing->raygen, &ray_tracing->miss,
                                                              &ray_tracing->hit, &ray_tracing->callable};
    VkDeviceSize end = 0;
    VkDeviceSize used[REGION_COUNT] = {0};

    for (uint32_t i = 0; i < group_count; i++) {
        VkStridedDeviceAddressRegionKHR *region = regions[region_of(&groups[i], shaders)];
        /* A trace takes one ray generation record as a region of its own, so each needs the base alignment.
         */
        region->stride = region == &ray_tracing->raygen ? align(stride, base) : stride;
        region->size += region->stride;
    }
    for (int i = 0; i < REGION_COUNT; i++) {
        regions[i]->deviceAddress = end;
        end = align(end + regions[i]->size, base);
    }
    if (!ws_gpu_buffer_init(gpu, &ray_tracing->table,
                            VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR |
                                VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                            NULL, end + base, error))
        return false;
    const VkDeviceAddress start = align(ray_tracing->table.address, base);
    unsigned char *data = (unsigned char *)ray_tracing->table.data + (start - ray_tracing->table.address);
    for (uint32_t i = 0; i < group_count; i++) {
        const enum region kind = region_of(&groups[i], shaders);
        const VkDeviceSize place = regions[kind]->deviceAddress + used[kind];
        if (!ws_gpu_check(vkGetRayTracingShaderGroupHandlesKHR(gpu->device, ray_tracing->pipeline, i, 1,
                                                               limits->shaderGroupHandleSize, data + place),
                          "vkGetRayTracingShaderGroupHandlesKHR", error))
            return false;
        used[kind] += regions[kind]->stride;
    }
    for (int i = 0; i < REGION_COUNT; i++)
        regions[i]->deviceAddress = regions[i]->size > 0 ? regions[i]->deviceAddress + start : 0;
    return true;
}

bool ws_gpu_ray_tracing_init(struct ws_gpu *gpu, struct ws_gpu_ray_tracing *ray_tracing,
                             const struct ws_gpu_bindings *bindings, const struct ws_gpu_shader *shaders,
                             uint32_t shader_count, const struct ws_gpu_group *groups, uint32_t group_count,
                             uint32_t recursion, struct ws_error *error)
{
    assert(shader_count <= WS_GPU_SHADERS_MAX && group_count <= WS_GPU_SHADERS_MAX);
    memset(ray_tracing, 0, sizeof(*ray_tracing));
    if (recursion > gpu->ray_tracing.maxRayRecursionDepth) {
        return ws_error_set(error, "the device \"%s\" traces rays only %u deep, not %u",
                            gpu->properties.deviceName, gpu->ray_tracing.maxRayRecursionDepth, recursion);
    }
    if (!create_pipeline(gpu, ray_tracing, bindings, shaders, shader_count, groups, group_count, recursion,
                         error) ||
        !create_table(gpu, ray_tracing, shaders, groups, group_count, error)) {
        ws_gpu_ray_tracing_finish(gpu, ray_tracing);
        return false;
    }
    return true;
}

void ws_gpu_ray_tracing_finish(struct ws_gpu *gpu, struct ws_gpu_ray_tracing *ray_tracing)
{
    if (gpu->device != VK_NULL_HANDLE)
        vkDestroyPipeline(gpu->device, ray_tracing->pipeline, NULL);
    ws_gpu_buffer_finish(gpu, &ray_tracing->table);
    memset(ray_tracing, 0, sizeof(*ray_tracing));
}

void ws_gpu_trace_rays(VkCommandBuffer commands, const struct ws_gpu_ray_tracing *ray_tracing,
                       uint32_t raygen, uint32_t width, uint32_t height)
{
    VkStridedDeviceAddressRegionKHR generation = ray_tracing->raygen;

    generation.deviceAddress += raygen * generation.stride;
    generation.size = generation.stride; /* the rule of vkCmdTraceRaysKHR: one record, size = stride */
    vkCmdTraceRaysKHR(commands, &generation, &ray_tracing->miss, &ray_tracing->hit, &ray_tracing->callable,
                      width, height, 1);
}
