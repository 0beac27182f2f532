/* vkCmdDraw*, vkCmdDrawMeshTasks* and the other commands that run shaders within a render pass. Each is
 * counted in the open render pass, whose launch it is a part of (render_pass.h). */
#include "layer/commands/bound_sets.h"
#include "layer/commands/command_buffer.h"
#include "layer/commands/launch.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "warpscope/capture.h"

/* Notes a draw command in the open render pass. Two stores, unless something was bound since the draw before.
 */
static void note(struct ws_command_buffer *commands)
{
    commands->render_pass.draws++;
    if (!commands->bindings.graphics_changed)
        return;
    commands->bindings.graphics_changed = false;
    ws_bound_sets_use(commands, WS_BIND_GRAPHICS, false, &commands->render_pass.uses);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw(VkCommandBuffer handle, uint32_t vertices, uint32_t instances,
                                           uint32_t first_vertex, uint32_t first_instance)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDraw(handle, vertices, instances, first_vertex, first_instance);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indexed(VkCommandBuffer handle, uint32_t indices,
                                                   uint32_t instances, uint32_t first_index,
                                                   int32_t vertex_offset, uint32_t first_instance)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndexed(handle, indices, instances, first_index, vertex_offset,
                                          first_instance);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indirect(VkCommandBuffer handle, VkBuffer buffer,
                                                    VkDeviceSize offset, uint32_t draws, uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndirect(handle, buffer, offset, draws, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indexed_indirect(VkCommandBuffer handle, VkBuffer buffer,
                                                            VkDeviceSize offset, uint32_t draws,
                                                            uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndexedIndirect(handle, buffer, offset, draws, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indirect_count(VkCommandBuffer handle, VkBuffer buffer,
                                                          VkDeviceSize offset, VkBuffer count_buffer,
                                                          VkDeviceSize count_offset, uint32_t most,
                                                          uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndirectCount(handle, buffer, offset, count_buffer, count_offset, most,
                                                stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indexed_indirect_count(VkCommandBuffer handle, VkBuffer buffer,
                                                                  VkDeviceSize offset, VkBuffer count_buffer,
                                                                  VkDeviceSize count_offset, uint32_t most,
                                                                  uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndexedIndirectCount(handle, buffer, offset, count_buffer, count_offset,
                                                       most, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indirect_byte_count(VkCommandBuffer handle, uint32_t instances,
                                                               uint32_t first_instance, VkBuffer counter,
                                                               VkDeviceSize counter_buffer_offset,
                                                               uint32_t counter_offset,
                                                               uint32_t vertex_stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndirectByteCountEXT(handle, instances, first_instance, counter,
                                                       counter_buffer_offset, counter_offset, vertex_stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_multi(VkCommandBuffer handle, uint32_t draws,
                                                 const VkMultiDrawInfoEXT *infos, uint32_t instances,
                                                 uint32_t first_instance, uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawMultiEXT(handle, draws, infos, instances, first_instance, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_multi_indexed(VkCommandBuffer handle, uint32_t draws,
                                                         const VkMultiDrawIndexedInfoEXT *infos,
                                                         uint32_t instances, uint32_t first_instance,
                                                         uint32_t stride, const int32_t *vertex_offset)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawMultiIndexedEXT(handle, draws, infos, instances, first_instance, stride,
                                                  vertex_offset);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks(VkCommandBuffer handle, uint32_t x, uint32_t y,
                                                      uint32_t z)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawMeshTasksEXT(handle, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_indirect(VkCommandBuffer handle, VkBuffer buffer,
                                                               VkDeviceSize offset, uint32_t draws,
                                                               uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawMeshTasksIndirectEXT(handle, buffer, offset, draws, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_indirect_count(VkCommandBuffer handle, VkBuffer buffer,
                                                                     VkDeviceSize offset,
                                                                     VkBuffer count_buffer,
                                                                     VkDeviceSize count_offset, uint32_t most,
                                                                     uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawMeshTasksIndirectCountEXT(handle, buffer, offset, count_buffer,
                                                            count_offset, most, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_nv(VkCommandBuffer handle, uint32_t tasks,
                                                         uint32_t first_task)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawMeshTasksNV(handle, tasks, first_task);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_indirect_nv(VkCommandBuffer handle, VkBuffer buffer,
                                                                  VkDeviceSize offset, uint32_t draws,
                                                                  uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawMeshTasksIndirectNV(handle, buffer, offset, draws, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_indirect_count_nv(VkCommandBuffer handle,
                                                                        VkBuffer buffer, VkDeviceSize offset,
                                                                        VkBuffer count_buffer,
                                                                        VkDeviceSize count_offset,
                                                                        uint32_t most, uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawMeshTasksIndirectCountNV(handle, buffer, offset, count_buffer, count_offset,
                                                           most, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_subpass_shading(VkCommandBuffer handle)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->render_pass.draws++;
    ws_bound_sets_use(commands, WS_BIND_SUBPASS_SHADING, false, &commands->render_pass.uses);
    commands->device->next.CmdSubpassShadingHUAWEI(handle);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_cluster(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawClusterHUAWEI(handle, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_cluster_indirect(VkCommandBuffer handle, VkBuffer buffer,
                                                            VkDeviceSize offset)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawClusterIndirectHUAWEI(handle, buffer, offset);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indirect2(VkCommandBuffer handle,
                                                     const VkDrawIndirect2InfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndirect2KHR(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indexed_indirect2(VkCommandBuffer handle,
                                                             const VkDrawIndirect2InfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndexedIndirect2KHR(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indirect_count2(VkCommandBuffer handle,
                                                           const VkDrawIndirectCount2InfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndirectCount2KHR(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indexed_indirect_count2(VkCommandBuffer handle,
                                                                   const VkDrawIndirectCount2InfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndexedIndirectCount2KHR(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_indirect2(VkCommandBuffer handle,
                                                                const VkDrawIndirect2InfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawMeshTasksIndirect2EXT(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_mesh_tasks_indirect_count2(VkCommandBuffer handle,
                                                                      const VkDrawIndirectCount2InfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawMeshTasksIndirectCount2EXT(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indirect_byte_count2(
    VkCommandBuffer handle, uint32_t instances, uint32_t first_instance,
    const VkBindTransformFeedbackBuffer2InfoEXT *counter, uint32_t counter_offset, uint32_t vertex_stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    note(commands);
    commands->device->next.CmdDrawIndirectByteCount2EXT(handle, instances, first_instance, counter,
                                                        counter_offset, vertex_stride);
}

/* A compute shader for each tile of a render pass: a part of its launch, since nothing can be copied before
 * the render pass ends. */
static VKAPI_ATTR void VKAPI_CALL cmd_dispatch_tile(VkCommandBuffer handle,
                                                    const VkDispatchTileInfoQCOM *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->render_pass.draws++;
    ws_bound_sets_use(commands, WS_BIND_COMPUTE, false, &commands->render_pass.uses);
    commands->device->next.CmdDispatchTileQCOM(handle, info);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdDraw, cmd_draw),
    WS_HOOK(CmdDrawIndexed, cmd_draw_indexed),
    WS_HOOK(CmdDrawIndirect, cmd_draw_indirect),
    WS_HOOK(CmdDrawIndexedIndirect, cmd_draw_indexed_indirect),
    WS_HOOK(CmdDrawIndirectCount, cmd_draw_indirect_count),
    WS_HOOK(CmdDrawIndexedIndirectCount, cmd_draw_indexed_indirect_count),
    WS_HOOK(CmdDrawIndirectByteCountEXT, cmd_draw_indirect_byte_count),
    WS_HOOK(CmdDrawIndirect2KHR, cmd_draw_indirect2),
    WS_HOOK(CmdDrawIndexedIndirect2KHR, cmd_draw_indexed_indirect2),
    WS_HOOK(CmdDrawIndirectCount2KHR, cmd_draw_indirect_count2),
    WS_HOOK(CmdDrawIndexedIndirectCount2KHR, cmd_draw_indexed_indirect_count2),
    WS_HOOK(CmdDrawMeshTasksIndirect2EXT, cmd_draw_mesh_tasks_indirect2),
    WS_HOOK(CmdDrawMeshTasksIndirectCount2EXT, cmd_draw_mesh_tasks_indirect_count2),
    WS_HOOK(CmdDrawIndirectByteCount2EXT, cmd_draw_indirect_byte_count2),
    WS_HOOK(CmdDispatchTileQCOM, cmd_dispatch_tile),
    WS_HOOK(CmdDrawMultiEXT, cmd_draw_multi),
    WS_HOOK(CmdDrawMultiIndexedEXT, cmd_draw_multi_indexed),
    WS_HOOK(CmdDrawMeshTasksEXT, cmd_draw_mesh_tasks),
    WS_HOOK(CmdDrawMeshTasksIndirectEXT, cmd_draw_mesh_tasks_indirect),
    WS_HOOK(CmdDrawMeshTasksIndirectCountEXT, cmd_draw_mesh_tasks_indirect_count),
    WS_HOOK(CmdDrawMeshTasksNV, cmd_draw_mesh_tasks_nv),
    WS_HOOK(CmdDrawMeshTasksIndirectNV, cmd_draw_mesh_tasks_indirect_nv),
    WS_HOOK(CmdDrawMeshTasksIndirectCountNV, cmd_draw_mesh_tasks_indirect_count_nv),
    WS_HOOK(CmdSubpassShadingHUAWEI, cmd_subpass_shading),
    WS_HOOK(CmdDrawClusterHUAWEI, cmd_draw_cluster),
    WS_HOOK(CmdDrawClusterIndirectHUAWEI, cmd_draw_cluster_indirect),
    WS_HOOK_END,
};

const struct ws_interception ws_draw_interception = {.hooks = hooks};
