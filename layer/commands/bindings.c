/* vkCmdBindPipeline, vkCmdBindPipelineShaderGroupNV and vkCmdBindShadersEXT. */
#include "layer/commands/bindings.h"

#include <stddef.h>

#include "layer/commands/command_buffer.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "warpscope/stage.h"

enum ws_bind_point ws_bind_point_of(VkPipelineBindPoint point)
{
    switch (point) {
    case VK_PIPELINE_BIND_POINT_GRAPHICS: return WS_BIND_GRAPHICS;
    case VK_PIPELINE_BIND_POINT_COMPUTE: return WS_BIND_COMPUTE;
    case VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR: return WS_BIND_RAY_TRACING;
    case VK_PIPELINE_BIND_POINT_SUBPASS_SHADING_HUAWEI: return WS_BIND_SUBPASS_SHADING;
    default: return WS_BIND_POINT_COUNT;
    }
}

/* The bind point that a shader object of `stage` belongs to: there are none for ray tracing. */
static enum ws_bind_point point_of_stage(VkShaderStageFlags stage)
{
    return stage == VK_SHADER_STAGE_COMPUTE_BIT ? WS_BIND_COMPUTE : WS_BIND_GRAPHICS;
}

bool ws_bindings_has_shader(const struct ws_bindings *bindings, enum ws_bind_point point, uint32_t stage)
{
    return bindings->shaders[stage] != NULL && point_of_stage(1u << stage) == point;
}

void ws_bindings_use(const struct ws_bindings *bindings, enum ws_bind_point point, struct ws_uses *uses)
{
    if (bindings->pipelines[point] != NULL) {
        ws_uses_add_pipeline(uses, bindings->pipelines[point]);
        return;
    }
    for (uint32_t i = 0; i < WS_SHADER_STAGE_COUNT; i++)
        if (ws_bindings_has_shader(bindings, point, i))
            ws_uses_add_pipeline(uses, bindings->shaders[i]);
}

static void set_pipeline(struct ws_command_buffer *commands, VkPipelineBindPoint bind_point,
                         VkPipeline pipeline)
{
    struct ws_bindings *bindings = &commands->bindings;
    const enum ws_bind_point point = ws_bind_point_of(bind_point);
    if (point == WS_BIND_POINT_COUNT)
        return;
    bindings->pipelines[point] = ws_objects_find(commands->device, WS_OBJECT_PIPELINE, WS_HANDLE(pipeline));
    /* Binding a pipeline unbinds the shader objects of its bind point (the specification, "Interaction With
     * Shader Objects"). */
    for (uint32_t i = 0; bindings->has_shaders && i < WS_SHADER_STAGE_COUNT; i++)
        if (point_of_stage(1u << i) == point)
            bindings->shaders[i] = NULL;
    bindings->graphics_changed = bindings->graphics_changed || point == WS_BIND_GRAPHICS;
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_pipeline(VkCommandBuffer handle, VkPipelineBindPoint bind_point,
                                                    VkPipeline pipeline)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdBindPipeline(handle, bind_point, pipeline);
    set_pipeline(commands, bind_point, pipeline);
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_pipeline_shader_group(VkCommandBuffer handle,
                                                                 VkPipelineBindPoint bind_point,
                                                                 VkPipeline pipeline, uint32_t group)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdBindPipelineShaderGroupNV(handle, bind_point, pipeline, group);
    set_pipeline(commands, bind_point, pipeline);
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_shaders(VkCommandBuffer handle, uint32_t stage_count,
                                                   const VkShaderStageFlagBits *stages,
                                                   const VkShaderEXT *shaders)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdBindShadersEXT(handle, stage_count, stages, shaders);

    struct ws_bindings *bindings = &commands->bindings;
    bindings->has_shaders = true;
    for (uint32_t i = 0; i < stage_count; i++) {
        const enum ws_bind_point point = point_of_stage(stages[i]);
        const uint32_t bit = (uint32_t)__builtin_ctz(stages[i]);
        if (bit >= WS_SHADER_STAGE_COUNT)
            continue;
        /* No array, or a null handle in it, unbinds the stage. */
        bindings->shaders[bit] =
            shaders != NULL && shaders[i] != VK_NULL_HANDLE
                ? ws_objects_find(commands->device, WS_OBJECT_SHADER, WS_HANDLE(shaders[i]))
                : NULL;
        bindings->pipelines[point] = NULL;
        bindings->graphics_changed = bindings->graphics_changed || point == WS_BIND_GRAPHICS;
    }
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdBindPipeline, cmd_bind_pipeline),
    WS_HOOK(CmdBindPipelineShaderGroupNV, cmd_bind_pipeline_shader_group),
    WS_HOOK(CmdBindShadersEXT, cmd_bind_shaders),
    WS_HOOK_END,
};

const struct ws_interception ws_bindings_interception = {.hooks = hooks};
