#include "layer/commands/labels.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/command_buffer.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "warpscope/base/array.h"

void ws_labels_finish(struct ws_labels *labels)
{
    free(labels->text);
    free(labels->lengths);
    *labels = (struct ws_labels){0};
}

void ws_labels_clear(struct ws_labels *labels)
{
    labels->count = 0;
    labels->unkept = 0;
    if (labels->text != NULL)
        labels->text[0] = '\0';
}

/* A label without a name is counted, so that its end closes no other; it adds nothing to the text. */
static bool append(struct ws_labels *labels, const char *name)
{
    uint32_t *lengths =
        ws_array_grow(labels->lengths, &labels->count_capacity, labels->count + 1, sizeof(*lengths));
    if (lengths == NULL)
        return false;
    labels->lengths = lengths;

    const size_t length = labels->text != NULL ? strlen(labels->text) : 0;
    const size_t needed = length + strlen(WS_LABEL_SEPARATOR) + strlen(name) + 1;
    char *text =
        needed <= UINT32_MAX ? ws_array_grow(labels->text, &labels->capacity, (uint32_t)needed, 1) : NULL;
    if (text == NULL)
        return false;
    labels->text = text;
    text[length] = '\0';
    if (length > 0 && name[0] != '\0')
        strcat(text, WS_LABEL_SEPARATOR);
    strcat(text, name);
    lengths[labels->count++] = (uint32_t)length;
    return true;
}

void ws_labels_begin(struct ws_labels *labels, const char *name)
{
    if (labels->unkept > 0 || !append(labels, name != NULL ? name : ""))
        labels->unkept++;
}

void ws_labels_end(struct ws_labels *labels)
{
    if (labels->unkept > 0)
        labels->unkept--;
    else if (labels->count > 0)
        labels->text[labels->lengths[--labels->count]] = '\0';
}

const char *ws_labels_text(const struct ws_labels *labels)
{
    return labels->text != NULL ? labels->text : "";
}

uint32_t ws_labels_joined_size(const char *outer, const char *inner)
{
    return (uint32_t)(strlen(outer) + strlen(WS_LABEL_SEPARATOR) + strlen(inner) + 1);
}

void ws_labels_join(const char *outer, const char *inner, char *text)
{
    strcpy(text, outer);
    if (outer[0] != '\0' && inner[0] != '\0')
        strcat(text, WS_LABEL_SEPARATOR);
    strcat(text, inner);
}

/* The labels of command buffers: of VK_EXT_debug_utils and of its predecessor VK_EXT_debug_marker. An
 * inserted label marks a point and is open at no command, so it is not hooked. The functions of debug-utils
 * belong to the instance, so the device may be one that the layer is not active on: its command buffers are
 * not known (NULL). */
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

const struct ws_interception ws_labels_interception = {.hooks = hooks};
