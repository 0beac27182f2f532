/* Commands that run code which the layer does not instrument: execution graphs (VK_AMDX_shader_enqueue), data
 * graphs (VK_ARM_data_graph), and kernels in NVIDIA's own form. They are handed on, and counted for each
 * execution as launches that the capture lacks. */
#include "layer/commands/command_buffer.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"

static void note(struct ws_command_buffer *commands, const char *reason)
{
    if (commands->recording == NULL)
        return;
    commands->recording->uncovered++;
    commands->recording->uncovered_reason = reason;
}

static const char execution_graph[] =
    "they run an execution graph (vkCmdDispatchGraphAMDX), whose shaders are not instrumented";

static VKAPI_ATTR void VKAPI_CALL cmd_dispatch_graph(VkCommandBuffer handle, VkDeviceAddress scratch,
                                                     VkDeviceSize size,
                                                     const VkDispatchGraphCountInfoAMDX *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdDispatchGraphAMDX(handle, scratch, size, info);
    note(commands, execution_graph);
}

static VKAPI_ATTR void VKAPI_CALL cmd_dispatch_graph_indirect(VkCommandBuffer handle, VkDeviceAddress scratch,
                                                              VkDeviceSize size,
                                                              const VkDispatchGraphCountInfoAMDX *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdDispatchGraphIndirectAMDX(handle, scratch, size, info);
    note(commands, execution_graph);
}

static VKAPI_ATTR void VKAPI_CALL cmd_dispatch_graph_indirect_count(VkCommandBuffer handle,
                                                                    VkDeviceAddress scratch,
                                                                    VkDeviceSize size, VkDeviceAddress info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdDispatchGraphIndirectCountAMDX(handle, scratch, size, info);
    note(commands, execution_graph);
}

static VKAPI_ATTR void VKAPI_CALL cmd_dispatch_data_graph(VkCommandBuffer handle,
                                                          VkDataGraphPipelineSessionARM session,
                                                          const VkDataGraphPipelineDispatchInfoARM *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdDispatchDataGraphARM(handle, session, info);
    note(commands, "they run a data graph (vkCmdDispatchDataGraphARM), which has no shaders");
}

static const char kernel[] = "they run a kernel that is not SPIR-V (vkCmdCudaLaunchKernelNV, "
                             "vkCmdCuLaunchKernelNVX)";

static VKAPI_ATTR void VKAPI_CALL cmd_launch_kernel_nvx(VkCommandBuffer handle, const VkCuLaunchInfoNVX *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdCuLaunchKernelNVX(handle, info);
    note(commands, kernel);
}

static VKAPI_ATTR void VKAPI_CALL cmd_launch_kernel(VkCommandBuffer handle, const VkCudaLaunchInfoNV *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdCudaLaunchKernelNV(handle, info);
    note(commands, kernel);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdDispatchGraphAMDX, cmd_dispatch_graph),
    WS_HOOK(CmdDispatchGraphIndirectAMDX, cmd_dispatch_graph_indirect),
    WS_HOOK(CmdDispatchGraphIndirectCountAMDX, cmd_dispatch_graph_indirect_count),
    WS_HOOK(CmdDispatchDataGraphARM, cmd_dispatch_data_graph),
    WS_HOOK(CmdCuLaunchKernelNVX, cmd_launch_kernel_nvx),
    WS_HOOK(CmdCudaLaunchKernelNV, cmd_launch_kernel),
    WS_HOOK_END,
};

const struct ws_interception ws_uncovered_interception = {.hooks = hooks};
