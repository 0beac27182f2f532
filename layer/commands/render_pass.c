#include "layer/commands/render_pass.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/command_buffer.h"
#include "layer/commands/launch.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/core/settings.h"
#include "warpscope/base/array.h"
#include "warpscope/capture.h"

void ws_render_pass_finish(struct ws_render_pass *pass)
{
    ws_uses_finish(&pass->uses);
    free(pass->label);
    *pass = (struct ws_render_pass){0};
}

void ws_render_pass_clear(struct ws_render_pass *pass)
{
    pass->open = false;
    pass->suspends = false;
    pass->suspended = false;
    memset(pass->size, 0, sizeof(pass->size));
    pass->draws = 0;
    ws_uses_clear(&pass->uses);
}

/* Without memory the launch has no label. */
static void keep_label(struct ws_render_pass *pass, const char *label)
{
    const size_t size = strlen(label) + 1;
    char *kept =
        size <= UINT32_MAX ? ws_array_grow(pass->label, &pass->label_capacity, (uint32_t)size, 1) : NULL;
    if (kept == NULL)
        return;
    pass->label = memcpy(kept, label, size);
}

static const char *label_of(const struct ws_render_pass *pass)
{
    return pass->label != NULL ? pass->label : "";
}

static void begin(struct ws_command_buffer *commands, const VkRect2D *area, uint32_t layers)
{
    struct ws_render_pass *pass = &commands->render_pass;
    ws_render_pass_clear(pass);
    pass->open = true;
    pass->size[0] = area->extent.width;
    pass->size[1] = area->extent.height;
    pass->size[2] = layers;
    keep_label(pass, ws_labels_text(&commands->labels));
    commands->bindings.graphics_changed = true;
}

static struct ws_launch_command command_of(const struct ws_render_pass *pass, uint32_t flags)
{
    return (struct ws_launch_command){
        .kind = WS_LAUNCH_RENDER_PASS,
        .size = {pass->size[0], pass->size[1], pass->size[2]},
        .flags = flags,
        .draws = pass->draws,
    };
}

/* A render pass without draws ran no shader: it is no launch. */
static void end(struct ws_command_buffer *commands, uint32_t flags)
{
    struct ws_render_pass *pass = &commands->render_pass;
    if (pass->draws > 0) {
        const struct ws_launch_command command = command_of(pass, flags);
        ws_launch_end(commands, &command, &pass->uses, label_of(pass));
    } else {
        ws_timer_end(commands); /* no second use of the query that its begin has written */
    }
    ws_render_pass_clear(pass);
}

void ws_render_pass_absorb(struct ws_command_buffer *commands, const struct ws_command_buffer *secondary)
{
    struct ws_render_pass *pass = &commands->render_pass;
    const struct ws_uses *uses = &secondary->render_pass.uses;
    ws_uses_add(&pass->uses, uses->pipelines, uses->pipeline_count, uses->shaders, uses->shader_count);
    ws_uses_add_sets(&pass->uses, uses->sets, uses->set_count);
    ws_uses_add_states(&pass->uses, uses->states, uses->state_count);
    pass->uses.failed = pass->uses.failed || uses->failed;
    pass->draws += secondary->render_pass.draws;
}

void ws_render_pass_end_suspended(struct ws_command_buffer *commands)
{
    end(commands, WS_LAUNCH_SUSPENDED);
}

void ws_render_pass_carry(struct ws_command_buffer *commands)
{
    struct ws_render_pass *pass = &commands->render_pass;
    struct ws_recording *recording = commands->recording;
    if (pass->suspended)
        ws_timer_drop(commands);
    if (!pass->suspended || commands->secondary || recording == NULL)
        return;
    ws_uses_settle(&pass->uses);
    const struct ws_launch_command command = command_of(pass, WS_LAUNCH_SUSPENDED);
    recording->suspends = true;
    if (ws_recorded_launch_init(&recording->carried, &command, &pass->uses, label_of(pass), "")) {
        recording->carries = pass->draws > 0;
        recording->carried.time.wanted = commands->device->settings->times;
        recording->carried.time.state = WS_TIME_SUSPENDED;
    } else
        recording->lost++;
}

/* Layers of a framebuffer; 0 when it is not known. */
static uint32_t framebuffer_layers(struct ws_device *device, VkFramebuffer framebuffer)
{
    /* The map's value is the number itself: at least 1, so never NULL. */
    return (uint32_t)(uintptr_t)ws_objects_find(device, WS_OBJECT_FRAMEBUFFER, WS_HANDLE(framebuffer));
}

static VKAPI_ATTR void VKAPI_CALL cmd_begin_render_pass(VkCommandBuffer handle,
                                                        const VkRenderPassBeginInfo *info,
                                                        VkSubpassContents contents)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    begin(commands, &info->renderArea, framebuffer_layers(commands->device, info->framebuffer));
    ws_launch_begin(commands);
    commands->device->next.CmdBeginRenderPass(handle, info, contents);
}

static VKAPI_ATTR void VKAPI_CALL cmd_begin_render_pass2(VkCommandBuffer handle,
                                                         const VkRenderPassBeginInfo *info,
                                                         const VkSubpassBeginInfo *subpass)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    begin(commands, &info->renderArea, framebuffer_layers(commands->device, info->framebuffer));
    ws_launch_begin(commands);
    commands->device->next.CmdBeginRenderPass2(handle, info, subpass);
}

static VKAPI_ATTR void VKAPI_CALL cmd_end_render_pass(VkCommandBuffer handle)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdEndRenderPass(handle);
    end(commands, 0);
}

static VKAPI_ATTR void VKAPI_CALL cmd_end_render_pass2(VkCommandBuffer handle, const VkSubpassEndInfo *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdEndRenderPass2(handle, info);
    end(commands, 0);
}

static VKAPI_ATTR void VKAPI_CALL cmd_begin_rendering(VkCommandBuffer handle, const VkRenderingInfo *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    struct ws_render_pass *pass = &commands->render_pass;
    const bool resumes = (info->flags & VK_RENDERING_RESUMING_BIT) != 0;
    if (resumes && pass->suspended) {
        pass->open = true;
        pass->suspended = false;
        commands->bindings.graphics_changed = true;
    } else {
        begin(commands, &info->renderArea, info->layerCount);
        if (resumes && commands->recording != NULL)
            commands->recording->resumes = true;
        else if (!resumes)
            ws_launch_begin(commands);
    }
    pass->suspends = (info->flags & VK_RENDERING_SUSPENDING_BIT) != 0;
    commands->device->next.CmdBeginRendering(handle, info);
}

static void end_rendering(struct ws_command_buffer *commands)
{
    struct ws_render_pass *pass = &commands->render_pass;
    if (!pass->suspends) {
        end(commands, 0);
        return;
    }
    /* Before it is resumed no action or synchronization command may come
     * (VUID-VkSubmitInfo-pCommandBuffers-06015), so nothing can be recorded now. */
    pass->open = false;
    pass->suspends = false;
    pass->suspended = true;
}

static VKAPI_ATTR void VKAPI_CALL cmd_end_rendering(VkCommandBuffer handle)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdEndRendering(handle);
    end_rendering(commands);
}

static VKAPI_ATTR void VKAPI_CALL cmd_end_rendering2(VkCommandBuffer handle,
                                                     const VkRenderingEndInfoEXT *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdEndRendering2EXT(handle, info);
    end_rendering(commands);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_framebuffer(VkDevice handle,
                                                         const VkFramebufferCreateInfo *create_info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkFramebuffer *framebuffer)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateFramebuffer(handle, create_info, allocator, framebuffer);
    if (result == VK_SUCCESS)
        ws_objects_add(device, WS_OBJECT_FRAMEBUFFER, WS_HANDLE(*framebuffer),
                       (void *)(uintptr_t)create_info->layers);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_framebuffer(VkDevice handle, VkFramebuffer framebuffer,
                                                      const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    ws_objects_remove(device, WS_OBJECT_FRAMEBUFFER, WS_HANDLE(framebuffer));
    device->next.DestroyFramebuffer(handle, framebuffer, allocator);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdBeginRenderPass, cmd_begin_render_pass), WS_HOOK(CmdBeginRenderPass2, cmd_begin_render_pass2),
    WS_HOOK(CmdEndRenderPass, cmd_end_render_pass),     WS_HOOK(CmdEndRenderPass2, cmd_end_render_pass2),
    WS_HOOK(CmdBeginRendering, cmd_begin_rendering),    WS_HOOK(CmdEndRendering, cmd_end_rendering),
    WS_HOOK(CmdEndRendering2EXT, cmd_end_rendering2),   WS_HOOK(CreateFramebuffer, create_framebuffer),
    WS_HOOK(DestroyFramebuffer, destroy_framebuffer),   WS_HOOK_END,
};

const struct ws_interception ws_render_pass_interception = {.hooks = hooks};
