/* vkCmdExecuteCommands: what secondary command buffers left becomes part of the primary one's results.
 *
 * A secondary command buffer is recorded once, with copies into results of its own. It may be executed by
 * many primary ones, each time overwriting these results. So after each execution the primary command buffer
 * copies them to its own. */
#include "layer/commands/barrier.h"
#include "layer/commands/bound_sets.h"
#include "layer/commands/command_buffer.h"
#include "layer/commands/launch.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"

/* Copies of geometry are limited, and these are held twice now: they count again. */
static bool reserve_again(struct ws_recording *recording, const struct ws_recording *secondary,
                          VkBuffer *buffer, VkDeviceSize *offset, VkDeviceSize *position)
{
    const VkDeviceSize size = ws_recording_results_size(secondary);
    return secondary->geometry > 0 ? ws_recording_reserve_geometry(recording, size, buffer, offset, position)
                                   : ws_recording_reserve(recording, size, buffer, offset, position);
}

/* Adds the launches and readbacks of a secondary command buffer that has just been executed, outside a render
 * pass, to those of `commands`, and records copies of its results. */
static void collect(struct ws_command_buffer *commands, const struct ws_recording *secondary)
{
    if (commands->recording == NULL ||
        (secondary->launch_count == 0 && secondary->readback_count == 0 && secondary->lost == 0))
        return;
    struct ws_device *device = commands->device;
    VkBuffer target = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    VkDeviceSize position = 0;
    const bool kept = ws_recording_results_size(secondary) == 0 ||
                      reserve_again(commands->recording, secondary, &target, &offset, &position);
    ws_recording_add_all(commands->recording, secondary, ws_labels_text(&commands->labels), position, !kept);
    if (target == VK_NULL_HANDLE)
        return;

    /* The secondary command buffer copied to what is read now, and an earlier execution of this one to what
     * is written. */
    ws_barrier(device, commands->handle, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    ws_recording_copy_results(secondary, commands->handle, target, offset);
}

static void execute(struct ws_command_buffer *commands, const struct ws_command_buffer *secondary)
{
    commands->device->next.CmdExecuteCommands(commands->handle, 1, &secondary->handle);
    if (commands->recording == NULL || secondary->recording == NULL)
        return;

    /* A rendering may be suspended in one command buffer and resumed in the next. */
    struct ws_render_pass *pass = &commands->render_pass;
    const bool was_suspended = pass->suspended;
    if (secondary->recording->resumes && !was_suspended)
        commands->recording->resumes = true;
    if (secondary->render_pass.suspended) {
        ws_render_pass_absorb(commands, secondary);
        pass->suspended = true;
        /* No action or synchronization command until the rendering is resumed
         * (VUID-VkSubmitInfo-pCommandBuffers- 06015). So the results of what the secondary command buffer ran
         * before it cannot be copied: they are lost. */
        commands->recording->lost += secondary->recording->launch_count + secondary->recording->lost;
        ws_recording_add_readbacks(commands->recording, secondary->recording, 0, true);
        return;
    }
    collect(commands, secondary->recording);
    if (was_suspended && secondary->recording->resumes)
        ws_render_pass_end_suspended(commands);
}

/* What holds within a render pass and outside. */
static void inherit(struct ws_command_buffer *commands, const struct ws_command_buffer *secondary)
{
    commands->waits_for_host = commands->waits_for_host || secondary->waits_for_host;
    if (commands->recording == NULL || secondary->recording == NULL || secondary->recording->uncovered == 0)
        return;
    commands->recording->uncovered += secondary->recording->uncovered;
    commands->recording->uncovered_reason = secondary->recording->uncovered_reason;
}

static VKAPI_ATTR void VKAPI_CALL cmd_execute_commands(VkCommandBuffer handle, uint32_t count,
                                                       const VkCommandBuffer *buffers)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    for (uint32_t i = 0; i < count; i++)
        inherit(commands, ws_command_buffer_of(buffers[i]));
    if (commands->render_pass.open) {
        for (uint32_t i = 0; i < count; i++)
            ws_render_pass_absorb(commands, ws_command_buffer_of(buffers[i]));
        commands->device->next.CmdExecuteCommands(handle, count, buffers);
    } else {
        /* One by one: the same command buffer may stand there twice, and its results are copied after each.
         */
        for (uint32_t i = 0; i < count; i++)
            execute(commands, ws_command_buffer_of(buffers[i]));
    }
    /* What was bound before is undefined now (the specification, "Secondary Command Buffer Execution"). */
    commands->bindings = (struct ws_bindings){.graphics_changed = true};
    ws_bound_sets_clear(commands->bound);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdExecuteCommands, cmd_execute_commands),
    WS_HOOK_END,
};

const struct ws_interception ws_execute_commands_interception = {.hooks = hooks};
