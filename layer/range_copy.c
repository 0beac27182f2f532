#include "range_copy.h"

#include "buffer.h"
#include "command_buffer.h"
#include "device.h"

void ws_range_copies_begin(struct ws_range_copies *copies, struct ws_command_buffer *commands)
{
    *copies = (struct ws_range_copies){.commands = commands};
}

/* Whatever wrote the memory, and earlier executions' copies to and from the same results, come first. */
static void begin(struct ws_range_copies *copies)
{
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    };
    if (!copies->begun)
        copies->commands->device->next.CmdPipelineBarrier(
            copies->commands->handle, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
            1, &memory, 0, NULL, 0, NULL);
    copies->begun = true;
}

/* Write after read: an execution dependency is enough. */
void ws_range_copies_end(struct ws_range_copies *copies)
{
    if (copies->begun)
        copies->commands->device->next.CmdPipelineBarrier(
            copies->commands->handle, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
            0, NULL, 0, NULL, 0, NULL);
    copies->begun = false;
}

struct ws_copied_range ws_range_copy(struct ws_range_copies *copies, VkDeviceAddress address,
                                     VkDeviceSize size)
{
    struct ws_command_buffer *commands = copies->commands;
    struct ws_device *device = commands->device;
    struct ws_copied_range copied = {0};
    struct ws_buffer_range found;
    VkBuffer target;
    VkDeviceSize offset;
    if (size == 0)
        return copied;
    if (commands->pool->protected || commands->recording == NULL) {
        copied.reason = commands->recording == NULL ? "out of memory while commands were recorded"
                                                    : "command buffers of protected memory are left alone";
        return copied;
    }
    if (!ws_buffers_find(device->buffers, address, &found)) {
        copied.reason = "no buffer is known at a device address";
        return copied;
    }
    if (found.reason != NULL) {
        copied.reason = found.reason;
        return copied;
    }
    copied.clipped = found.size < size;
    if (copied.clipped) {
        copied.reason = "a range runs past the end of its buffer";
        size = found.size;
    }
    if (!ws_recording_reserve_geometry(commands->recording, size, &target, &offset, &copied.position)) {
        copied.clipped = false;
        copied.reason = "no device memory for copies of geometry";
        return copied;
    }
    begin(copies);
    const VkBufferCopy region = {.srcOffset = found.offset, .dstOffset = offset, .size = size};
    device->next.CmdCopyBuffer(commands->handle, found.buffer, target, 1, &region);
    copied.size = size;
    return copied;
}
