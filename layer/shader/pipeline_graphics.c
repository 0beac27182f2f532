/* Graphics pipelines: all stages, mesh shaders and pipeline libraries included. */
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/vulkan_newer.h"
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

/* States that early tests depend on: with one of them dynamic, nothing is known of it. */
static bool is_decisive(VkDynamicState state)
{
    return state == VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT ||
           state == VK_DYNAMIC_STATE_SAMPLE_MASK_EXT ||
           state == VK_DYNAMIC_STATE_COVERAGE_TO_COLOR_ENABLE_NV ||
           state == VK_DYNAMIC_STATE_REPRESENTATIVE_FRAGMENT_TEST_ENABLE_NV ||
           state == VK_DYNAMIC_STATE_ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT;
}

/* Whether the state that `wanted` or another one stands for is dynamic. */
static bool is_dynamic(const VkGraphicsPipelineCreateInfo *info, bool (*wanted)(VkDynamicState state))
{
    const VkPipelineDynamicStateCreateInfo *dynamic = info->pDynamicState;
    for (uint32_t i = 0; dynamic != NULL && i < dynamic->dynamicStateCount; i++)
        if (wanted(dynamic->pDynamicStates[i]))
            return true;
    return false;
}

static bool is_discard(VkDynamicState state)
{
    return state == VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE;
}

/* Whether multisampling changes no coverage after the fragment shader, and masks no sample: with early tests both
 * may come after the tests and their writes (Vulkan specification, Fragment Operations). */
static bool keeps_coverage(const VkPipelineMultisampleStateCreateInfo *state)
{
    if (state == NULL || state->alphaToCoverageEnable)
        return false;
    for (const VkBaseInStructure *next = state->pNext; next != NULL; next = next->pNext)
        if (next->sType != VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT)
            return false;
    const uint32_t samples = (uint32_t)state->rasterizationSamples;
    for (uint32_t i = 0; state->pSampleMask != NULL && i < (samples + 31) / 32; i++) {
        const uint32_t all = samples - 32 * i >= 32 ? UINT32_MAX : (UINT32_C(1) << (samples - 32 * i)) - 1;
        if ((state->pSampleMask[i] & all) != all)
            return false;
    }
    return true;
}

/* Whether the fragment shader reads depth that the tests write (VK_EXT_attachment_feedback_loop_layout). */
static bool has_depth_loop(const VkGraphicsPipelineCreateInfo *info)
{
    const VkPipelineCreateFlags2CreateInfoKHR *more =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
    const VkPipelineCreateFlags loop = VK_PIPELINE_CREATE_DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT;
    return more != NULL ? (more->flags & loop) != 0 : (info->flags & loop) != 0;
}

/* Whether EarlyFragmentTests change no picture and no query, for a fragment shader that can have them
 * (passes/instrument/fragment_tests.h). What is in another part of a pipeline library is not known. */
static bool can_be_early(const VkGraphicsPipelineCreateInfo *info, const struct ws_pipeline_shape *shape)
{
    const VkPipelineRasterizationStateCreateInfo *rasterization = info->pRasterizationState;
    const bool in_parts =
        ws_pipeline_is_library(shape) || (shape->libraries != NULL && shape->libraries->libraryCount > 0);
    if (in_parts || rasterization == NULL ||
        (rasterization->rasterizerDiscardEnable && !is_dynamic(info, is_discard)))
        return false;
    return !is_dynamic(info, is_decisive) && keeps_coverage(info->pMultisampleState) &&
           !has_depth_loop(info) &&
           ws_chain_find(info->pNext,
                         VK_STRUCTURE_TYPE_PIPELINE_REPRESENTATIVE_FRAGMENT_TEST_STATE_CREATE_INFO_NV) ==
               NULL;
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
        shape->early = can_be_early(info, shape);
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
