/* vkCmdDraw* of vertices: each is noted in the render pass under way. */
#include "layer/commands/draw.h"

#include "layer/core/device.h"
#include "layer/core/hooks.h"

static VKAPI_ATTR void VKAPI_CALL cmd_draw(VkCommandBuffer handle, uint32_t vertices, uint32_t instances,
                                           uint32_t first_vertex, uint32_t first_instance)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDraw(handle, vertices, instances, first_vertex, first_instance);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indexed(VkCommandBuffer handle, uint32_t indices,
                                                   uint32_t instances, uint32_t first_index,
                                                   int32_t vertex_offset, uint32_t first_instance)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawIndexed(handle, indices, instances, first_index, vertex_offset,
                                          first_instance);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indirect(VkCommandBuffer handle, VkBuffer buffer,
                                                    VkDeviceSize offset, uint32_t draws, uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawIndirect(handle, buffer, offset, draws, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indexed_indirect(VkCommandBuffer handle, VkBuffer buffer,
                                                            VkDeviceSize offset, uint32_t draws,
                                                            uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawIndexedIndirect(handle, buffer, offset, draws, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indirect_count(VkCommandBuffer handle, VkBuffer buffer,
                                                          VkDeviceSize offset, VkBuffer count_buffer,
                                                          VkDeviceSize count_offset, uint32_t most,
                                                          uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawIndirectCount(handle, buffer, offset, count_buffer, count_offset, most,
                                                stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_indexed_indirect_count(VkCommandBuffer handle, VkBuffer buffer,
                                                                  VkDeviceSize offset, VkBuffer count_buffer,
                                                                  VkDeviceSize count_offset, uint32_t most,
                                                                  uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
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
    ws_draw_note(commands);
    commands->device->next.CmdDrawIndirectByteCountEXT(handle, instances, first_instance, counter,
                                                       counter_buffer_offset, counter_offset, vertex_stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_multi(VkCommandBuffer handle, uint32_t draws,
                                                 const VkMultiDrawInfoEXT *infos, uint32_t instances,
                                                 uint32_t first_instance, uint32_t stride)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawMultiEXT(handle, draws, infos, instances, first_instance, stride);
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw_multi_indexed(VkCommandBuffer handle, uint32_t draws,
                                                         const VkMultiDrawIndexedInfoEXT *infos,
                                                         uint32_t instances, uint32_t first_instance,
                                                         uint32_t stride, const int32_t *vertex_offset)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_draw_note(commands);
    commands->device->next.CmdDrawMultiIndexedEXT(handle, draws, infos, instances, first_instance, stride,
                                                  vertex_offset);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdDraw, cmd_draw),
    WS_HOOK(CmdDrawIndexed, cmd_draw_indexed),
    WS_HOOK(CmdDrawIndirect, cmd_draw_indirect),
    WS_HOOK(CmdDrawIndexedIndirect, cmd_draw_indexed_indirect),
    WS_HOOK(CmdDrawIndirectCount, cmd_draw_indirect_count),
    WS_HOOK(CmdDrawIndexedIndirectCount, cmd_draw_indexed_indirect_count),
    WS_HOOK(CmdDrawIndirectByteCountEXT, cmd_draw_indirect_byte_count),
    WS_HOOK(CmdDrawMultiEXT, cmd_draw_multi),
    WS_HOOK(CmdDrawMultiIndexedEXT, cmd_draw_multi_indexed),
    WS_HOOK_END,
};

const struct ws_interception ws_draw_interception = {.hooks = hooks};
