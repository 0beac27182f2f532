/* vkCmdDrawMeshTasks* and what else runs shaders within a render pass. */
#include "layer/commands/draw.h"

#include "layer/commands/launch.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "warpscope/capture.h"

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

/* What the device itself makes of generated commands is not known here: they may run other pipelines than the
 * bound ones. What the bound ones counted is kept out of the next launch, and the whole is lost. */
static void note_generated(struct ws_command_buffer *commands)
{
    if (commands->recording != NULL)
        commands->recording->lost++;
    if (commands->render_pass.open) {
        ws_bindings_use(&commands->bindings, WS_BIND_GRAPHICS, &commands->render_pass.uses);
        return;
    }
    struct ws_uses *uses = &commands->uses;
    ws_uses_clear(uses);
    ws_bindings_use(&commands->bindings, WS_BIND_COMPUTE, uses);
    ws_bindings_use(&commands->bindings, WS_BIND_RAY_TRACING, uses);
    ws_uses_settle(uses);
    const struct ws_launch_command command = {.flags = WS_LAUNCH_INDIRECT};
    if (uses->shader_count > 0 && !commands->pool->protected)
        ws_launch_harvest(commands->device, commands->handle, &command, uses->shaders, uses->shader_count,
                          VK_NULL_HANDLE, 0);
}

static VKAPI_ATTR void VKAPI_CALL cmd_execute_generated_nv(VkCommandBuffer handle, VkBool32 preprocessed,
                                                           const VkGeneratedCommandsInfoNV *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdExecuteGeneratedCommandsNV(handle, preprocessed, info);
    note_generated(commands);
}

static VKAPI_ATTR void VKAPI_CALL cmd_execute_generated(VkCommandBuffer handle, VkBool32 preprocessed,
                                                        const VkGeneratedCommandsInfoEXT *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdExecuteGeneratedCommandsEXT(handle, preprocessed, info);
    note_generated(commands);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_cluster(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawClusterHUAWEI(handle, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_cluster_indirect(VkCommandBuffer handle, VkBuffer buffer,
                                                            VkDeviceSize offset)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawClusterIndirectHUAWEI(handle, buffer, offset);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdDrawMeshTasksEXT, cmd_draw_mesh_tasks),
    WS_HOOK(CmdDrawMeshTasksIndirectEXT, cmd_draw_mesh_tasks_indirect),
    WS_HOOK(CmdDrawMeshTasksIndirectCountEXT, cmd_draw_mesh_tasks_indirect_count),
    WS_HOOK(CmdDrawMeshTasksNV, cmd_draw_mesh_tasks_nv),
    WS_HOOK(CmdDrawMeshTasksIndirectNV, cmd_draw_mesh_tasks_indirect_nv),
    WS_HOOK(CmdDrawMeshTasksIndirectCountNV, cmd_draw_mesh_tasks_indirect_count_nv),
    WS_HOOK(CmdSubpassShadingHUAWEI, cmd_subpass_shading),
    WS_HOOK(CmdDrawClusterHUAWEI, cmd_draw_cluster),
    WS_HOOK(CmdDrawClusterIndirectHUAWEI, cmd_draw_cluster_indirect),
    WS_HOOK(CmdExecuteGeneratedCommandsNV, cmd_execute_generated_nv),
    WS_HOOK(CmdExecuteGeneratedCommandsEXT, cmd_execute_generated),
    WS_HOOK_END,
};

const struct ws_interception ws_draw_mesh_interception = {.hooks = hooks};
