/* vkCmdTraceRays*: each is a launch, with its binding tables. The size of an indirect one is written by its
 * shaders (root.h, launch row). */
#include "layer/commands/command_buffer.h"
#include "layer/commands/launch.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/ray_tracing/binding_tables.h"
#include "warpscope/capture.h"

static const struct ws_launch_command indirect_trace = {
    .kind = WS_LAUNCH_TRACE_RAYS,
    .flags = WS_LAUNCH_INDIRECT,
};

static void end_trace(struct ws_command_buffer *commands, uint32_t width, uint32_t height, uint32_t depth)
{
    const struct ws_launch_command command = {.kind = WS_LAUNCH_TRACE_RAYS, .size = {width, height, depth}};
    ws_launch_end_bound(commands, &command, WS_BIND_RAY_TRACING);
}

static VKAPI_ATTR void VKAPI_CALL cmd_trace_rays(VkCommandBuffer handle,
                                                 const VkStridedDeviceAddressRegionKHR *raygen,
                                                 const VkStridedDeviceAddressRegionKHR *miss,
                                                 const VkStridedDeviceAddressRegionKHR *hit,
                                                 const VkStridedDeviceAddressRegionKHR *callable,
                                                 uint32_t width, uint32_t height, uint32_t depth)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_binding_tables_add(commands,
                          (const VkStridedDeviceAddressRegionKHR *const[]){raygen, miss, hit, callable});
    ws_launch_begin(commands);
    commands->device->next.CmdTraceRaysKHR(handle, raygen, miss, hit, callable, width, height, depth);
    end_trace(commands, width, height, depth);
}

static VKAPI_ATTR void VKAPI_CALL cmd_trace_rays_indirect(VkCommandBuffer handle,
                                                          const VkStridedDeviceAddressRegionKHR *raygen,
                                                          const VkStridedDeviceAddressRegionKHR *miss,
                                                          const VkStridedDeviceAddressRegionKHR *hit,
                                                          const VkStridedDeviceAddressRegionKHR *callable,
                                                          VkDeviceAddress address)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_binding_tables_add(commands,
                          (const VkStridedDeviceAddressRegionKHR *const[]){raygen, miss, hit, callable});
    ws_launch_begin(commands);
    commands->device->next.CmdTraceRaysIndirectKHR(handle, raygen, miss, hit, callable, address);
    ws_launch_end_bound(commands, &indirect_trace, WS_BIND_RAY_TRACING);
}

static VKAPI_ATTR void VKAPI_CALL cmd_trace_rays_indirect2(VkCommandBuffer handle, VkDeviceAddress address)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_binding_tables_add_indirect(commands, address);
    ws_launch_begin(commands);
    commands->device->next.CmdTraceRaysIndirect2KHR(handle, address);
    ws_launch_end_bound(commands, &indirect_trace, WS_BIND_RAY_TRACING);
}

static VKAPI_ATTR void VKAPI_CALL
cmd_trace_rays_nv(VkCommandBuffer handle, VkBuffer raygen, VkDeviceSize raygen_offset, VkBuffer miss,
                  VkDeviceSize miss_offset, VkDeviceSize miss_stride, VkBuffer hit, VkDeviceSize hit_offset,
                  VkDeviceSize hit_stride, VkBuffer callable, VkDeviceSize callable_offset,
                  VkDeviceSize callable_stride, uint32_t width, uint32_t height, uint32_t depth)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_binding_tables_skip(commands, "binding tables of VK_NV_ray_tracing are not captured");
    ws_launch_begin(commands);
    commands->device->next.CmdTraceRaysNV(handle, raygen, raygen_offset, miss, miss_offset, miss_stride, hit,
                                          hit_offset, hit_stride, callable, callable_offset, callable_stride,
                                          width, height, depth);
    end_trace(commands, width, height, depth);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdTraceRaysKHR, cmd_trace_rays),
    WS_HOOK(CmdTraceRaysIndirectKHR, cmd_trace_rays_indirect),
    WS_HOOK(CmdTraceRaysIndirect2KHR, cmd_trace_rays_indirect2),
    WS_HOOK(CmdTraceRaysNV, cmd_trace_rays_nv),
    WS_HOOK_END,
};

const struct ws_interception ws_trace_interception = {.hooks = hooks};
