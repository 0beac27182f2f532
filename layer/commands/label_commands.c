/* Labels of command buffers: VK_EXT_debug_utils and its predecessor VK_EXT_debug_marker. Inserted labels
 * mark a point and are open at no command, so they need nothing. The loader takes the functions of
 * debug-utils from the instance, so that a device may be an inactive one, whose command buffers are not
 * known. */
#include "layer/commands/command_buffer.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"

static VKAPI_ATTR void VKAPI_CALL cmd_begin_label(VkCommandBuffer handle, const VkDebugUtilsLabelEXT *label)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    if (commands != NULL)
        ws_labels_begin(&commands->labels, label->pLabelName);
    ws_device_of(handle)->next.CmdBeginDebugUtilsLabelEXT(handle, label);
}

static VKAPI_ATTR void VKAPI_CALL cmd_end_label(VkCommandBuffer handle)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    if (commands != NULL)
        ws_labels_end(&commands->labels);
    ws_device_of(handle)->next.CmdEndDebugUtilsLabelEXT(handle);
}

static VKAPI_ATTR void VKAPI_CALL cmd_begin_marker(VkCommandBuffer handle,
                                                   const VkDebugMarkerMarkerInfoEXT *marker)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_labels_begin(&commands->labels, marker->pMarkerName);
    commands->device->next.CmdDebugMarkerBeginEXT(handle, marker);
}

static VKAPI_ATTR void VKAPI_CALL cmd_end_marker(VkCommandBuffer handle)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_labels_end(&commands->labels);
    commands->device->next.CmdDebugMarkerEndEXT(handle);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdBeginDebugUtilsLabelEXT, cmd_begin_label),
    WS_HOOK(CmdEndDebugUtilsLabelEXT, cmd_end_label),
    WS_HOOK(CmdDebugMarkerBeginEXT, cmd_begin_marker),
    WS_HOOK(CmdDebugMarkerEndEXT, cmd_end_marker),
    WS_HOOK_END,
};

const struct ws_interception ws_label_commands_interception = {.hooks = hooks};
