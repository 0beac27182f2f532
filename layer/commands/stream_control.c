#include "layer/commands/stream_control.h"

#include <string.h>

#include "layer/commands/barrier.h"
#include "layer/commands/recording.h"
#include "layer/core/device.h"
#include "layer/core/settings.h"
#include "layer/memory/control_block.h"
#include "layer/shader/shader.h"
#include "warpscope/capture.h"
#include "warpscope/stage.h"

/* Before the control block is written: whatever read or wrote it comes first. The first scope of a barrier
 * has all commands that are earlier in submission order on the queue, in other batches and submissions too
 * (the specification, "Pipeline Barriers"): shaders that reserve by it, snapshots that read it, and what
 * wrote it last. Other queues' submissions that look at the control block wait for each other by semaphores
 * (submit/order.h). */
static void before_writing(struct ws_device *device, VkCommandBuffer commands)
{
    ws_barrier(device, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
               VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
               VK_ACCESS_TRANSFER_WRITE_BIT);
}

/* All later commands find what was written: the second scope has all that is later in submission order. */
static void after_writing(struct ws_device *device, VkCommandBuffer commands)
{
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
               VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                   VK_ACCESS_TRANSFER_WRITE_BIT);
}

/* A fence covers device access only, so a dependency to the host stage is needed too (the specification, "Fences"). */
void ws_stream_show(struct ws_device *device, VkCommandBuffer commands)
{
    ws_barrier(device, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
               VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
               VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
}

void ws_stream_zero(struct ws_device *device, VkCommandBuffer commands)
{
    const struct ws_control_block *control = device->control;
    const struct ws_memory_range *bitmap = &device->control->bitmap;
    before_writing(device, commands);
    device->next.CmdFillBuffer(commands, control->buffer, control->offset, WS_ROOT_LINE, 0);
    if (bitmap->block != NULL)
        device->next.CmdFillBuffer(commands, bitmap->buffer, bitmap->offset, bitmap->size, 0);
    after_writing(device, commands);
    if (control->mapped != NULL)
        ws_stream_show(device, commands);
}

/* The words of the control block of a stream in which nothing is reserved. */
static void make_words(const struct ws_device *device, const struct ws_stream *stream,
                       uint32_t words[WS_STREAM_WORDS])
{
    const struct ws_sampling *sampling = &device->settings->sampling;
    const uint64_t bitmap = device->control->bitmap.address;
    memset(words, 0, WS_STREAM_WORDS * sizeof(*words));
    words[WS_STREAM_CAPACITY] = stream->capacity;
    words[WS_STREAM_SAMPLE] = sampling->flags;
    words[WS_STREAM_ADDRESS] = (uint32_t)stream->address;
    words[WS_STREAM_ADDRESS + 1] = (uint32_t)(stream->address >> 32);
    words[WS_STREAM_BITMAP] = (uint32_t)bitmap;
    words[WS_STREAM_BITMAP + 1] = (uint32_t)(bitmap >> 32);
    words[WS_STREAM_FIRST] = sampling->first;
    words[WS_STREAM_LAST] = sampling->last;
    words[WS_STREAM_STEP] = sampling->step;
    memcpy(&words[WS_STREAM_BOX], sampling->box, sizeof(sampling->box));
    memcpy(&words[WS_STREAM_TILE], sampling->tile, sizeof(sampling->tile));
}

void ws_stream_open(struct ws_device *device, VkCommandBuffer commands, const struct ws_stream *stream)
{
    const struct ws_control_block *control = device->control;
    uint32_t words[WS_STREAM_WORDS];
    make_words(device, stream, words);

    /* The address first, then the capacity with a barrier between. A submission on another queue that
     * overlaps is not ordered with this by anything: its shaders may read the control block at any moment.
     * With capacity 0 they append nothing; with both written at once they might find room at an address that
     * is half the old and half the new. */
    before_writing(device, commands);
    device->next.CmdUpdateBuffer(commands, control->buffer, control->offset + WS_SNAPSHOT_SIZE,
                                 sizeof(words) - WS_SNAPSHOT_SIZE, words + WS_SNAPSHOT_WORDS);
    after_writing(device, commands);
    device->next.CmdUpdateBuffer(commands, control->buffer, control->offset, WS_SNAPSHOT_SIZE, words);
    after_writing(device, commands);
}

void ws_stream_close(struct ws_device *device, VkCommandBuffer commands, const struct ws_stream *stream)
{
    const struct ws_control_block *control = device->control;
    before_writing(device, commands);
    device->next.CmdFillBuffer(commands, control->buffer,
                               control->offset + WS_STREAM_CAPACITY * sizeof(uint32_t), sizeof(uint32_t), 0);
    after_writing(device, commands);
    if (stream->mapped != NULL || control->mapped != NULL)
        ws_stream_show(device, commands);
}

void ws_stream_open_in_place(struct ws_device *device, const struct ws_stream *stream)
{
    uint32_t words[WS_STREAM_WORDS];
    make_words(device, stream, words);
    memcpy(device->control->mapped, words, sizeof(words));
}

void ws_stream_close_in_place(struct ws_device *device)
{
    device->control->mapped[WS_STREAM_CAPACITY] = 0;
}

void ws_stream_snapshot(struct ws_device *device, VkCommandBuffer commands, VkBuffer target,
                        VkDeviceSize offset)
{
    const VkBufferCopy region = {
        .srcOffset = device->control->offset, .dstOffset = offset, .size = WS_SNAPSHOT_SIZE};
    device->next.CmdCopyBuffer(commands, device->control->buffer, target, 1, &region);
}

/* Bytes of the bitmap that the threads of a launch have their bits in: all of it where only the device knows
 * how many threads there are. */
static VkDeviceSize marked_size(const struct ws_launch_command *command)
{
    uint64_t threads = 1;
    if ((command->flags & WS_LAUNCH_INDIRECT) != 0)
        return WS_BITMAP_BITS / 8;
    for (uint32_t i = 0; i < 3; i++) {
        threads *= command->size[i]; /* at most 2^27 times 2^32: no overflow */
        if (threads > WS_BITMAP_BITS)
            threads = WS_BITMAP_BITS;
    }
    return (threads + 31) / 32 * sizeof(uint32_t);
}

void ws_stream_clear_bitmap(struct ws_device *device, VkCommandBuffer commands,
                            const struct ws_launch_command *command, struct ws_shader *const *shaders,
                            uint32_t count)
{
    const struct ws_memory_range *bitmap = &device->control->bitmap;
    const VkDeviceSize size = marked_size(command);
    bool marks = false; /* only ray generation shaders set bits */
    for (uint32_t i = 0; i < count; i++)
        marks = marks || (shaders[i]->records && shaders[i]->stage == WS_STAGE_RAYGEN);
    if (marks && bitmap->block != NULL && size > 0)
        device->next.CmdFillBuffer(commands, bitmap->buffer, bitmap->offset, size, 0);
}
