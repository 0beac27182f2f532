#include "layer/commands/launch.h"

#include "layer/commands/barrier.h"
#include "layer/commands/bound_sets.h"
#include "layer/commands/command_buffer.h"
#include "layer/commands/launch_image.h"
#include "layer/commands/stream_control.h"
#include "layer/core/device.h"
#include "warpscope/capture.h"

/* Regions per vkCmdCopyBuffer: a fixed number, so that recording a launch allocates nothing for them. */
#define REGIONS 32

/* Regions that one vkCmdCopyBuffer copies. */
struct copies {
    VkBuffer source;
    VkBuffer target;
    uint32_t count;
    VkBufferCopy regions[REGIONS];
};

static void flush_copies(struct ws_device *device, VkCommandBuffer commands, struct copies *copies)
{
    if (copies->count > 0)
        device->next.CmdCopyBuffer(commands, copies->source, copies->target, copies->count, copies->regions);
    copies->count = 0;
}

static void copy_rows(struct ws_device *device, VkCommandBuffer commands, struct ws_shader *const *shaders,
                      uint32_t count, VkBuffer target, VkDeviceSize offset)
{
    struct copies copies = {.target = target};
    struct ws_run run;
    uint32_t index = 0;
    while (ws_uses_next_run(shaders, count, &index, &run)) {
        if (run.buffer != copies.source || copies.count == REGIONS)
            flush_copies(device, commands, &copies);
        copies.source = run.buffer;
        copies.regions[copies.count++] =
            (VkBufferCopy){.srcOffset = run.offset, .dstOffset = offset, .size = run.size};
        offset += run.size;
    }
    flush_copies(device, commands, &copies);
}

VkDeviceSize ws_launch_size(struct ws_shader *const *shaders, uint32_t count)
{
    return ws_uses_size(shaders, count) + (ws_uses_record(shaders, count) ? WS_SNAPSHOT_SIZE : 0);
}

/* Each barrier here has all commands on its other side: sites are in shaders of every stage, and the rows are
 * shared by all that the device runs, in this command buffer and in others. */
void ws_launch_copy_and_clear(struct ws_device *device, VkCommandBuffer commands,
                              const struct ws_launch_command *command, struct ws_shader *const *shaders,
                              uint32_t count, VkBuffer target, VkDeviceSize offset)
{
    /* Atomics of shaders (SHADER_WRITE) come before the copy, which reads the rows, and before the fill,
     * which writes them. Fills and copies (TRANSFER_WRITE) come before them too: new counter memory may just
     * have been zeroed, the record stream just opened, and an earlier execution of this command buffer copied
     * to the same results. All of that is earlier in submission order, across command buffers and
     * submissions, so one barrier reaches it (the specification, "Pipeline Barriers"). */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
               VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
               VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    if (target != VK_NULL_HANDLE) {
        copy_rows(device, commands, shaders, count, target, offset);
        if (ws_uses_record(shaders, count))
            ws_stream_snapshot(device, commands, target, offset + ws_uses_size(shaders, count));
        /* The fill writes what the copy reads. Write after read needs an execution dependency only, hence no
         * access masks (the specification, "Execution and Memory Dependencies"). */
        device->next.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                        VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 0, NULL);
    }
    struct ws_run run;
    uint32_t index = 0;
    while (ws_uses_next_run(shaders, count, &index, &run))
        device->next.CmdFillBuffer(commands, run.buffer, run.offset, run.size, 0);
    ws_stream_clear_bitmap(device, commands, command, shaders, count);
    /* The next atomics find the zeroes: an atomic reads and writes. */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void ws_launch_begin(struct ws_command_buffer *commands)
{
    ws_timer_begin(commands);
}

void ws_launch_end(struct ws_command_buffer *commands, const struct ws_launch_command *command,
                   struct ws_uses *uses, const char *label)
{
    struct ws_recorded_time time = ws_timer_end(commands);
    if ((command->flags & WS_LAUNCH_SUSPENDED) != 0)
        time = (struct ws_recorded_time){.wanted = time.wanted, .state = WS_TIME_SUSPENDED};
    ws_uses_settle(uses);
    struct ws_recording *recording = commands->recording;
    struct ws_recorded_launch launch;
    const bool described = recording != NULL && ws_recorded_launch_init(&launch, command, uses, label, "");
    VkBuffer target = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;

    if (described) {
        launch.time = time;
        const VkDeviceSize size = ws_launch_size(uses->shaders, uses->shader_count);
        if (commands->pool->protected ||
            (size > 0 && !ws_recording_reserve(recording, size, &target, &offset, &launch.position)))
            launch.lost = true;
    }
    /* Without memory the rows are still cleared: else this launch's counts would be added to the next one's.
     */
    if (!commands->pool->protected && uses->shader_count > 0)
        ws_launch_copy_and_clear(commands->device, commands->handle, command, uses->shaders,
                                 uses->shader_count, target, offset);
    if (described)
        ws_recording_add(recording, &launch);
    else if (recording != NULL)
        recording->lost++;
}

void ws_launch_end_bound(struct ws_command_buffer *commands, const struct ws_launch_command *command,
                         enum ws_bind_point point)
{
    ws_uses_clear(&commands->uses);
    ws_bound_sets_use(commands, point, false, &commands->uses);
    ws_launch_end_used(commands, command, point);
}

void ws_launch_end_used(struct ws_command_buffer *commands, const struct ws_launch_command *command,
                        enum ws_bind_point point)
{
    const uint32_t launch = commands->recording != NULL ? commands->recording->launch_count : 0;
    ws_launch_end(commands, command, &commands->uses, ws_labels_text(&commands->labels));
    if (commands->recording != NULL && commands->recording->launch_count > launch)
        ws_launch_image_take(commands, command, point, launch);
}
