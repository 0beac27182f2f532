/* vkCmdDispatch*: each is a launch. The size of an indirect one is written by its shaders
 * (root.h, launch row). */
#include "layer/commands/command_buffer.h"
#include "layer/commands/launch.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "warpscope/capture.h"

static void end_dispatch(struct ws_command_buffer *commands, uint32_t x, uint32_t y, uint32_t z,
                         uint32_t flags)
{
    const struct ws_launch_command command = {.kind = WS_LAUNCH_DISPATCH, .size = {x, y, z}, .flags = flags};
    ws_launch_end_bound(commands, &command, WS_BIND_COMPUTE);
}

static VKAPI_ATTR void VKAPI_CALL cmd_dispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_launch_begin(commands);
    commands->device->next.CmdDispatch(handle, x, y, z);
    end_dispatch(commands, x, y, z, 0);
}

static VKAPI_ATTR void VKAPI_CALL cmd_dispatch_base(VkCommandBuffer handle, uint32_t base_x, uint32_t base_y,
                                                    uint32_t base_z, uint32_t x, uint32_t y, uint32_t z)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_launch_begin(commands);
    commands->device->next.CmdDispatchBase(handle, base_x, base_y, base_z, x, y, z);
    const struct ws_launch_command command = {.kind = WS_LAUNCH_DISPATCH,
                                              .size = {x, y, z},
                                              .flags = WS_LAUNCH_BASE,
                                              .base = {base_x, base_y, base_z}};
    ws_launch_end_bound(commands, &command, WS_BIND_COMPUTE);
}

static VKAPI_ATTR void VKAPI_CALL cmd_dispatch_indirect(VkCommandBuffer handle, VkBuffer buffer,
                                                        VkDeviceSize offset)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_launch_begin(commands);
    commands->device->next.CmdDispatchIndirect(handle, buffer, offset);
    end_dispatch(commands, 0, 0, 0, WS_LAUNCH_INDIRECT);
}

static VKAPI_ATTR void VKAPI_CALL cmd_dispatch_indirect2(VkCommandBuffer handle,
                                                         const VkDispatchIndirect2InfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_launch_begin(commands);
    commands->device->next.CmdDispatchIndirect2KHR(handle, info);
    end_dispatch(commands, 0, 0, 0, WS_LAUNCH_INDIRECT);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdDispatch, cmd_dispatch),
    WS_HOOK(CmdDispatchBase, cmd_dispatch_base),
    WS_HOOK(CmdDispatchIndirect, cmd_dispatch_indirect),
    WS_HOOK(CmdDispatchIndirect2KHR, cmd_dispatch_indirect2),
    WS_HOOK_END,
};

const struct ws_interception ws_dispatch_interception = {.hooks = hooks};
