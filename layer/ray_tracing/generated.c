/* vkCmdExecuteGeneratedCommands: commands that the device wrote. One execution is one launch, whatever number of
 * dispatches or traces the device made of it; of draws it is a draw command of the open render pass. The size of the
 * launch, which its shaders write (root.h, launch row), is the largest in each direction.
 *
 * Which pipelines run: what is bound, and with an indirect execution set (execution_set.h) any of the set. Rows of
 * pipelines that the device did not choose are zero.
 *
 * With VK_NV_device_generated_commands the device may also choose among shader groups of a graphics pipeline, which are
 * not instrumented (shader/pipeline_graphics.c), or among compute pipelines by their address, which are not either
 * (shader/pipeline_compute.c): such an execution is counted as one that the capture lacks. */
#include "layer/commands/bound_sets.h"
#include "layer/commands/command_buffer.h"
#include "layer/commands/execution_set.h"
#include "layer/commands/launch.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/ray_tracing/binding_tables.h"
#include "warpscope/capture.h"

static const char unknown_set[] =
    "they ran commands that the device wrote, of an execution set that is not known";
static const char uninstrumented[] = "they ran commands that the device wrote "
                                     "(VK_NV_device_generated_commands), with shader groups or compute "
                                     "pipelines of its choice, which are not instrumented";

static void note(struct ws_command_buffer *commands, const char *reason)
{
    if (commands->recording == NULL)
        return;
    commands->recording->uncovered++;
    commands->recording->uncovered_reason = reason;
}

static enum ws_bind_point point_of(VkShaderStageFlags stages)
{
    if ((stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0)
        return WS_BIND_COMPUTE;
    return (stages & VK_SHADER_STAGE_RAYGEN_BIT_KHR) != 0 ? WS_BIND_RAY_TRACING : WS_BIND_GRAPHICS;
}

/* Adds what is bound, and what is in `set` (VK_NULL_HANDLE: none). */
static void use(struct ws_command_buffer *commands, enum ws_bind_point point, VkIndirectExecutionSetEXT set,
                struct ws_uses *uses)
{
    ws_bound_sets_use(commands, point, set != VK_NULL_HANDLE, uses);
    if (set != VK_NULL_HANDLE && !ws_execution_set_use(commands->device, set, uses))
        note(commands, unknown_set);
}

/* Draws. The next draw runs what is bound then, so nothing is said of what changed. */
static void note_draws(struct ws_command_buffer *commands, VkIndirectExecutionSetEXT set)
{
    commands->render_pass.draws++;
    use(commands, WS_BIND_GRAPHICS, set, &commands->render_pass.uses);
}

static void end_launch(struct ws_command_buffer *commands, enum ws_bind_point point,
                       VkIndirectExecutionSetEXT set)
{
    const struct ws_launch_command command = {
        .kind = point == WS_BIND_COMPUTE ? WS_LAUNCH_DISPATCH : WS_LAUNCH_TRACE_RAYS,
        .flags = WS_LAUNCH_INDIRECT | WS_LAUNCH_GENERATED,
    };
    ws_uses_clear(&commands->uses);
    use(commands, point, set, &commands->uses);
    ws_launch_end_used(commands, &command, point);
}

static VKAPI_ATTR void VKAPI_CALL cmd_execute(VkCommandBuffer handle, VkBool32 preprocessed,
                                              const VkGeneratedCommandsInfoEXT *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    const enum ws_bind_point point = point_of(info->shaderStages);
    if (point == WS_BIND_GRAPHICS) {
        commands->device->next.CmdExecuteGeneratedCommandsEXT(handle, preprocessed, info);
        note_draws(commands, info->indirectExecutionSet);
        return;
    }
    if (point == WS_BIND_RAY_TRACING)
        ws_binding_tables_skip(commands, "binding tables of traces that the device wrote are not captured");
    ws_launch_begin(commands);
    commands->device->next.CmdExecuteGeneratedCommandsEXT(handle, preprocessed, info);
    end_launch(commands, point, info->indirectExecutionSet);
}

static VKAPI_ATTR void VKAPI_CALL cmd_execute_nv(VkCommandBuffer handle, VkBool32 preprocessed,
                                                 const VkGeneratedCommandsInfoNV *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    struct ws_device *device = commands->device;
    if (ws_objects_find(device, WS_OBJECT_CHOOSING_LAYOUT, WS_HANDLE(info->indirectCommandsLayout)) != NULL)
        note(commands, uninstrumented);
    if (info->pipelineBindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS) {
        device->next.CmdExecuteGeneratedCommandsNV(handle, preprocessed, info);
        note_draws(commands, VK_NULL_HANDLE);
        return;
    }
    ws_launch_begin(commands);
    device->next.CmdExecuteGeneratedCommandsNV(handle, preprocessed, info);
    end_launch(commands, WS_BIND_COMPUTE, VK_NULL_HANDLE);
}

/* Whether commands of this layout choose what they run. */
static bool chooses(const VkIndirectCommandsLayoutCreateInfoNV *info)
{
    for (uint32_t i = 0; i < info->tokenCount; i++)
        if (info->pTokens[i].tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_SHADER_GROUP_NV ||
            info->pTokens[i].tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_PIPELINE_NV)
            return true;
    return false;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_layout_nv(VkDevice handle,
                                                       const VkIndirectCommandsLayoutCreateInfoNV *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkIndirectCommandsLayoutNV *layout)
{
    static char chosen;
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateIndirectCommandsLayoutNV(handle, info, allocator, layout);
    if (result == VK_SUCCESS && chooses(info))
        ws_objects_add(device, WS_OBJECT_CHOOSING_LAYOUT, WS_HANDLE(*layout), &chosen);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_layout_nv(VkDevice handle, VkIndirectCommandsLayoutNV layout,
                                                    const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    ws_objects_remove(device, WS_OBJECT_CHOOSING_LAYOUT, WS_HANDLE(layout));
    device->next.DestroyIndirectCommandsLayoutNV(handle, layout, allocator);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdExecuteGeneratedCommandsEXT, cmd_execute),
    WS_HOOK(CmdExecuteGeneratedCommandsNV, cmd_execute_nv),
    WS_HOOK(CreateIndirectCommandsLayoutNV, create_layout_nv),
    WS_HOOK(DestroyIndirectCommandsLayoutNV, destroy_layout_nv),
    WS_HOOK_END,
};

const struct ws_interception ws_generated_interception = {.hooks = hooks};
