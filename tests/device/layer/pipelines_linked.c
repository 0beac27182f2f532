/* Pipelines that are linked of libraries: ray tracing, and graphics by VK_EXT_graphics_pipeline_library. */
#include "tests/device/layer/pipelines.h"

#include "pipelines_hit.rchit.h"
#include "pipelines_miss.rmiss.h"
#include "pipelines_point.frag.h"
#include "pipelines_point.vert.h"
#include "pipelines_start.rgen.h"

#define MODULE(words) pipelines_module(words, sizeof(words))

static VkPipelineShaderStageCreateInfo stage_info(VkShaderStageFlagBits stage, VkShaderModule module)
{
    return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = stage,
                                             .module = module,
                                             .pName = "main"};
}

static VkRayTracingShaderGroupCreateInfoKHR group_info(uint32_t general, uint32_t closest_hit)
{
    return (VkRayTracingShaderGroupCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
        .type = general != VK_SHADER_UNUSED_KHR ? VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR
                                                : VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR,
        .generalShader = general,
        .closestHitShader = closest_hit,
        .anyHitShader = VK_SHADER_UNUSED_KHR,
        .intersectionShader = VK_SHADER_UNUSED_KHR};
}

/* Makes a ray-tracing pipeline with an operation, joined to its end; or without one. */
static VkPipeline make_rays(const VkRayTracingPipelineCreateInfoKHR *info, bool deferred)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDeferredOperationKHR operation = VK_NULL_HANDLE;
    if (deferred)
        vkCreateDeferredOperationKHR(pipelines_gpu.device, NULL, &operation);
    VkResult result = vkCreateRayTracingPipelinesKHR(pipelines_gpu.device, operation, VK_NULL_HANDLE, 1, info,
                                                     NULL, &pipeline);
    pipelines_check(result >= 0, "rays", "not made");
    if (result == VK_OPERATION_DEFERRED_KHR) {
        while ((result = vkDeferredOperationJoinKHR(pipelines_gpu.device, operation)) == VK_THREAD_IDLE_KHR)
            continue;
        pipelines_check(vkGetDeferredOperationResultKHR(pipelines_gpu.device, operation) == VK_SUCCESS,
                        "rays", "failed");
    }
    vkDestroyDeferredOperationKHR(pipelines_gpu.device, operation, NULL);
    return pipeline;
}

/* A library in a library in a pipeline: three shaders in the end, whether deferred or not. */
void pipelines_ray_tracing(bool deferred)
{
    const VkShaderModule modules[3] = {MODULE(pipelines_miss_rmiss), MODULE(pipelines_hit_rchit),
                                       MODULE(pipelines_start_rgen)};
    const VkPipelineShaderStageCreateInfo stages[3] = {
        stage_info(VK_SHADER_STAGE_MISS_BIT_KHR, modules[0]),
        stage_info(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, modules[1]),
        stage_info(VK_SHADER_STAGE_RAYGEN_BIT_KHR, modules[2])};
    const VkRayTracingShaderGroupCreateInfoKHR groups[3] = {group_info(0, VK_SHADER_UNUSED_KHR),
                                                            group_info(VK_SHADER_UNUSED_KHR, 0),
                                                            group_info(0, VK_SHADER_UNUSED_KHR)};
    const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
        .maxPipelineRayPayloadSize = 16,
        .maxPipelineRayHitAttributeSize = 8};
    static const char *const names[2][3] = {
        {"miss library", "hit library", "rays"},
        {"deferred miss library", "deferred hit library", "deferred rays"}};
    VkPipeline pipelines[3];
    for (uint32_t i = 0; i < 3; i++) {
        const VkPipelineLibraryCreateInfoKHR libraries = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
            .libraryCount = i > 0 ? 1 : 0,
            .pLibraries = i > 0 ? &pipelines[i - 1] : NULL};
        const VkRayTracingPipelineCreateInfoKHR info = {
            .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
            .flags = i < 2 ? VK_PIPELINE_CREATE_LIBRARY_BIT_KHR : 0,
            .stageCount = 1,
            .pStages = &stages[i],
            .groupCount = 1,
            .pGroups = &groups[i],
            .maxPipelineRayRecursionDepth = 1,
            .pLibraryInfo = &libraries,
            .pLibraryInterface = &interface,
            .layout = pipelines_bindings.layout};
        pipelines[i] = make_rays(&info, deferred);
        pipelines_expect(pipelines[i], names[deferred][i], i + 1, i + 1);
    }
    for (int i = 0; i < 3; i++) {
        vkDestroyPipeline(pipelines_gpu.device, pipelines[i], NULL);
        vkDestroyShaderModule(pipelines_gpu.device, modules[i], NULL);
    }
}

/* State that each of the parts may look at; what a part does not need is ignored. */
struct state {
    VkPipelineVertexInputStateCreateInfo vertex_input;
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkViewport viewport;
    VkRect2D scissor;
    VkPipelineViewportStateCreateInfo viewports;
    VkPipelineRasterizationStateCreateInfo rasterization;
    VkPipelineMultisampleStateCreateInfo multisample;
    VkPipelineColorBlendAttachmentState attachment;
    VkPipelineColorBlendStateCreateInfo blend;
    VkFormat format;
    VkPipelineRenderingCreateInfo rendering;
};

static void fill(struct state *state)
{
    *state = (struct state){
        .vertex_input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO},
        .assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO},
        .viewport = {0, 0, 1, 1, 0, 1},
        .scissor = {{0, 0}, {1, 1}},
        .viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                      .viewportCount = 1,
                      .pViewports = &state->viewport,
                      .scissorCount = 1,
                      .pScissors = &state->scissor},
        .rasterization = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                          .lineWidth = 1},
        .multisample = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT},
        .attachment = {.colorWriteMask = VK_COLOR_COMPONENT_R_BIT},
        .blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                  .attachmentCount = 1,
                  .pAttachments = &state->attachment},
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                      .colorAttachmentCount = 1,
                      .pColorAttachmentFormats = &state->format},
    };
}

static VkPipeline make_graphics(const VkGraphicsPipelineCreateInfo *info, const char *name)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result =
        vkCreateGraphicsPipelines(pipelines_gpu.device, VK_NULL_HANDLE, 1, info, NULL, &pipeline);
    pipelines_check(result == VK_SUCCESS, name, "not made");
    return pipeline;
}

/* Parts without shaders carry a pointer that leads nowhere: it must not be looked at. */
void pipelines_graphics(void)
{
    static const char *const names[4] = {"vertex input", "vertex part", "fragment part", "output part"};
    static const uint32_t shaders[4] = {0, 1, 1, 0};
    const VkShaderModule vertex = MODULE(pipelines_point_vert);
    const VkShaderModule fragment = MODULE(pipelines_point_frag);
    const VkPipelineShaderStageCreateInfo stages[2] = {stage_info(VK_SHADER_STAGE_VERTEX_BIT, vertex),
                                                       stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, fragment)};
    const VkPipelineShaderStageCreateInfo *const nowhere = (const VkPipelineShaderStageCreateInfo *)16;
    const VkPipelineShaderStageCreateInfo *const part_stages[4] = {nowhere, &stages[0], &stages[1], nowhere};
    struct state state;
    fill(&state);
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &state.rendering,
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState = &state.vertex_input,
        .pInputAssemblyState = &state.assembly,
        .pViewportState = &state.viewports,
        .pRasterizationState = &state.rasterization,
        .pMultisampleState = &state.multisample,
        .pColorBlendState = &state.blend,
        .layout = pipelines_bindings.layout,
        .basePipelineIndex = -1,
    };
    VkPipeline whole = make_graphics(&info, "whole");
    pipelines_expect(whole, "whole", 2, 2);

    VkPipeline parts[4];
    for (uint32_t i = 0; i < 4; i++) {
        const VkGraphicsPipelineLibraryCreateInfoEXT part = {
            .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
            .pNext = &state.rendering,
            .flags = 1u << i};
        VkGraphicsPipelineCreateInfo part_info = info;
        part_info.pNext = &part;
        part_info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
        part_info.stageCount = shaders[i];
        part_info.pStages = part_stages[i];
        parts[i] = make_graphics(&part_info, names[i]);
        pipelines_expect(parts[i], names[i], shaders[i], shaders[i]);
    }
    const VkPipelineLibraryCreateInfoKHR libraries = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 4, .pLibraries = parts};
    const VkGraphicsPipelineCreateInfo linked_info = {.sType =
                                                          VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                      .pNext = &libraries,
                                                      .layout = pipelines_bindings.layout,
                                                      .basePipelineIndex = -1};
    VkPipeline linked = make_graphics(&linked_info, "linked");
    pipelines_expect(linked, "linked", 2, 2);

    vkDestroyPipeline(pipelines_gpu.device, linked, NULL);
    vkDestroyPipeline(pipelines_gpu.device, whole, NULL);
    for (int i = 0; i < 4; i++)
        vkDestroyPipeline(pipelines_gpu.device, parts[i], NULL);
    vkDestroyShaderModule(pipelines_gpu.device, vertex, NULL);
    vkDestroyShaderModule(pipelines_gpu.device, fragment, NULL);
}
