/* vkCmdDrawMeshTasks* and what else runs shaders within a render pass. */
#include "draw.h"

#include "device.h"
#include "hooks.h"

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks(VkCommandBuffer handle, uint32_t x, uint32_t y,
                                                      uint32_t z)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawMeshTasksEXT(handle, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_indirect(VkCommandBuffer handle, VkBuffer buffer,
                                                               VkDeviceSize offset, uint32_t draws,
                                                               uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawMeshTasksIndirectEXT(handle, buffer, offset, draws, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_indirect_count(VkCommandBuffer handle, VkBuffer buffer,
                                                                     VkDeviceSize offset,
                                                                     VkBuffer count_buffer,
                                                                     VkDeviceSize count_offset, uint32_t most,
                                                                     uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawMeshTasksIndirectCountEXT(handle, buffer, offset, count_buffer,
                                                            count_offset, most, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_nv(VkCommandBuffer handle, uint32_t tasks,
                                                         uint32_t first_task)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawMeshTasksNV(handle, tasks, first_task);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_indirect_nv(VkCommandBuffer handle, VkBuffer buffer,
                                                                  VkDeviceSize offset, uint32_t draws,
                                                                  uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawMeshTasksIndirectNV(handle, buffer, offset, draws, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_indirect_count_nv(VkCommandBuffer handle,
                                                                        VkBuffer buffer, VkDeviceSize offset,
                                                                        VkBuffer count_buffer,
                                                                        VkDeviceSize count_offset,
                                                                        uint32_t most, uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawMeshTasksIndirectCountNV(handle, buffer, offset, count_buffer, count_offset,
                                                           most, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_subpass_shading(VkCommandBuffer handle)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->render_pass.draws++;
    ws_bindings_use(&commands->bindings, WS_BIND_SUBPASS_SHADING, &commands->render_pass.uses);
    commands->device->next.CmdSubpassShadingHUAWEI(handle);
}

/* What the device itself makes of the commands is not known here: it may run other pipelines than the bound
 * one. What the bound one counts is kept out of the next invocation, and the whole is counted as lost. */
static VKAPI_ATTR void VKAPI_CALL cmd_execute_generated(VkCommandBuffer handle, VkBool32 preprocessed,
                                                        const VkGeneratedCommandsInfoNV *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdExecuteGeneratedCommandsNV(handle, preprocessed, info);
    if (commands->recording != NULL)
        commands->recording->lost++;
    if (commands->render_pass.open)
        ws_bindings_use(&commands->bindings, WS_BIND_GRAPHICS, &commands->render_pass.uses);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdDrawMeshTasksEXT, cmd_draw_mesh_tasks),
    WS_HOOK(CmdDrawMeshTasksIndirectEXT, cmd_draw_mesh_tasks_indirect),
    WS_HOOK(CmdDrawMeshTasksIndirectCountEXT, cmd_draw_mesh_tasks_indirect_count),
    WS_HOOK(CmdDrawMeshTasksNV, cmd_draw_mesh_tasks_nv),
    WS_HOOK(CmdDrawMeshTasksIndirectNV, cmd_draw_mesh_tasks_indirect_nv),
    WS_HOOK(CmdDrawMeshTasksIndirectCountNV, cmd_draw_mesh_tasks_indirect_count_nv),
    WS_HOOK(CmdSubpassShadingHUAWEI, cmd_subpass_shading),
    WS_HOOK(CmdExecuteGeneratedCommandsNV, cmd_execute_generated),
    WS_HOOK_END,
};

const struct ws_interception ws_draw_mesh_interception = {.hooks = hooks};
