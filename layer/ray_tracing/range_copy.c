#include "layer/ray_tracing/range_copy.h"

#include <stdlib.h>

#include "layer/commands/barrier.h"
#include "layer/commands/command_buffer.h"
#include "layer/commands/readback.h"
#include "layer/core/device.h"
#include "layer/core/objects.h"
#include "layer/ray_tracing/buffer.h"
#include "layer/resources/resource.h"
#include "warpscope/base/array.h"

struct ws_wanted_range {
    VkDeviceAddress begin;
    VkDeviceAddress end;
    struct ws_copied_range *copied;
};

const uint8_t *ws_copied_range_bytes(const struct ws_copied_range *range,
                                     const struct ws_execution *execution)
{
    return execution->bytes != NULL && range->size > 0 ? execution->bytes + range->position : NULL;
}

void ws_range_copies_begin(struct ws_range_copies *copies, struct ws_command_buffer *commands)
{
    *copies = (struct ws_range_copies){.commands = commands};
}

void ws_range_copy(struct ws_range_copies *copies, VkDeviceAddress address, VkDeviceSize size,
                   struct ws_copied_range *copied)
{
    *copied = (struct ws_copied_range){0};
    if (size == 0)
        return;
    copied->reason = "a range runs past the last device address";
    if (size > UINT64_MAX - address)
        return;
    copied->reason = "out of memory while commands were recorded";
    struct ws_wanted_range *wanted =
        ws_array_grow(copies->wanted, &copies->capacity, copies->count + 1, sizeof(*wanted));
    if (wanted == NULL)
        return;
    copies->wanted = wanted;
    wanted[copies->count++] =
        (struct ws_wanted_range){.begin = address, .end = address + size, .copied = copied};
}

static int compare(const void *left, const void *right)
{
    const struct ws_wanted_range *a = left;
    const struct ws_wanted_range *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end);
}

/* The application has made its writes visible to the build or trace only (VK_ACCESS_ACCELERATION_STRUCTURE_READ,
 * VK_ACCESS_2_MICROMAP_READ_BIT_EXT and the like), not to a copy before it. So a barrier of ours waits for all writes:
 * VK_PIPELINE_STAGE_ALL_COMMANDS_BIT and VK_ACCESS_MEMORY_WRITE_BIT mean every stage and write of the queue, also those that
 * only masks of 64 bits can name (VK_PIPELINE_STAGE_2_MICROMAP_BUILD_BIT_EXT). It also orders earlier executions' copies to
 * and from the same results before this one's. */
static void wait_for_writes(struct ws_command_buffer *commands)
{
    ws_barrier(commands->device, commands->handle, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
               VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
               VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

/* What follows may write what is read here. Write after read needs an execution dependency only, hence no
 * memory barrier (the specification, "Execution and Memory Dependencies"). */
static void let_writes_go_on(struct ws_command_buffer *commands)
{
    commands->device->next.CmdPipelineBarrier(commands->handle, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                              VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 0,
                                              NULL);
}

/* Copies [begin, end), or what of it is in the buffer at `begin`. */
static struct ws_copied_range copy(struct ws_command_buffer *commands, VkDeviceAddress begin,
                                   VkDeviceAddress end)
{
    struct ws_device *device = commands->device;
    struct ws_buffer_range found;
    if (!ws_buffers_find(device->buffers, begin, &found))
        return (struct ws_copied_range){.reason = "no buffer is known at a device address"};
    if (found.reason != NULL)
        return (struct ws_copied_range){.reason = found.reason};

    struct ws_copied_range copied = {
        .size = end - begin, .source = ws_resource_find(device, WS_RESOURCE_BUFFER, WS_HANDLE(found.buffer))};
    if (found.size < copied.size) {
        copied.size = found.size;
        copied.clipped = true;
        copied.reason = "a range runs past the end of its buffer";
    }
    VkBuffer target;
    VkBufferCopy region = {.srcOffset = found.offset, .size = copied.size};
    if (!ws_recording_reserve_geometry(commands->recording, copied.size, &target, &region.dstOffset,
                                       &copied.position))
        return (struct ws_copied_range){.reason = "no device memory for copies of geometry"};
    device->next.CmdCopyBuffer(commands->handle, found.buffer, target, 1, &region);
    return copied;
}

/* The part [begin, end) of the copy `whole`, which begins at `from`. Where the copy was clipped at its
 * buffer's end, and another buffer at `begin` reaches further, that one is copied. */
static struct ws_copied_range part(struct ws_command_buffer *commands, const struct ws_copied_range *whole,
                                   VkDeviceAddress from, VkDeviceAddress begin, VkDeviceAddress end)
{
    struct ws_buffer_range found;
    const VkDeviceAddress reached = from + whole->size;
    struct ws_copied_range copied = {
        .position = whole->position + (begin - from), .size = end - begin, .source = whole->source};
    if (!whole->clipped && whole->size == 0)
        return *whole;
    if (end <= reached)
        return copied;
    if (begin >= reached || !ws_buffers_find(commands->device->buffers, begin, &found) ||
        found.size > reached - begin)
        return copy(commands, begin, end);
    copied.size = reached - begin;
    copied.clipped = true;
    copied.reason = whole->reason;
    return copied;
}

static void copy_all(struct ws_range_copies *copies)
{
    struct ws_wanted_range *wanted = copies->wanted;
    qsort(wanted, copies->count, sizeof(*wanted), compare);
    for (uint32_t first = 0, last; first < copies->count; first = last) {
        VkDeviceAddress end = wanted[first].end;
        for (last = first + 1; last < copies->count && wanted[last].begin < end; last++)
            end = wanted[last].end > end ? wanted[last].end : end;
        const struct ws_copied_range whole = copy(copies->commands, wanted[first].begin, end);
        for (uint32_t i = first; i < last; i++)
            *wanted[i].copied =
                wanted[i].begin == wanted[first].begin && wanted[i].end == end
                    ? whole
                    : part(copies->commands, &whole, wanted[first].begin, wanted[i].begin, wanted[i].end);
    }
}

void ws_range_copies_end(struct ws_range_copies *copies)
{
    struct ws_command_buffer *commands = copies->commands;
    for (uint32_t i = 0; commands->pool->protected && i < copies->count; i++)
        copies->wanted[i].copied->reason =
            "protected command buffers cannot copy to memory that is not protected";
    if (copies->count > 0 && !commands->pool->protected && commands->recording != NULL) {
        wait_for_writes(commands);
        ws_buffers_hold(commands->device->buffers);
        copy_all(copies);
        ws_buffers_let_go(commands->device->buffers);
        let_writes_go_on(commands);
    }
    free(copies->wanted);
    *copies = (struct ws_range_copies){.commands = commands};
}
