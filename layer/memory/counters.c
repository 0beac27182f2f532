#include "layer/memory/counters.h"

#include <stdlib.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/memory/memory.h"
#include "layer/memory/root_block.h"
#include "warpscope/root.h"

struct ws_counters_pool {
    struct ws_heap *heap;
    _Atomic uint32_t filled; /* blocks of the heap that are zeroed, or will be by what is submitted */
};

bool ws_counters_allocate(struct ws_device *device, uint32_t slot, uint32_t row_first, uint32_t row_count,
                          struct ws_counters *counters, struct ws_error *error)
{
    const uint64_t row_size = 4 * (uint64_t)device->bins;
    if (slot >= WS_SLOT_COUNT || row_count == 0)
        return ws_error_set(error, "no slot or no rows to allocate counters for");

    /* Ranges are taken from the front of a block and never freed. So the shaders of a pipeline, which are
     * made one after the other, lie side by side, and one command copies or zeroes all of them. */
    struct ws_memory_range range = {0};
    if (!ws_heap_allocate(device->counters->heap, row_size * row_count, &range, error))
        return false;
    counters->buffer = range.buffer;
    counters->offset = range.offset;
    counters->size = row_size * row_count;
    ws_root_set_counters(device, slot, range.address - row_size * row_first);
    return true;
}

bool ws_counters_reserve(struct ws_device *device, VkDeviceSize size, struct ws_memory_range *range,
                         struct ws_error *error)
{
    return ws_heap_allocate(device->counters->heap, size, range, error);
}

bool ws_counters_fill_needed(const struct ws_device *device)
{
    VkBuffer buffer;
    VkDeviceSize size;
    return ws_heap_block(device->counters->heap, device->counters->filled, &buffer, &size);
}

uint32_t ws_counters_fill(struct ws_device *device, VkCommandBuffer commands)
{
    VkBuffer buffer;
    VkDeviceSize size;
    uint32_t index = device->counters->filled;
    while (ws_heap_block(device->counters->heap, index, &buffer, &size)) {
        device->next.CmdFillBuffer(commands, buffer, 0, VK_WHOLE_SIZE, 0);
        index++;
    }
    /* Everything submitted later on this queue comes after the zeroes: the second scope of a barrier holds
     * all commands later in submission order, in other submissions too (the specification, "Pipeline
     * Barriers"). Other queues wait on the host (submission.h). */
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    };
    device->next.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    return index;
}

void ws_counters_filled(struct ws_device *device, uint32_t mark)
{
    device->counters->filled = mark;
}

static void finish(struct ws_device *device)
{
    if (device->counters == NULL)
        return;
    ws_heap_destroy(device->counters->heap);
    free(device->counters);
    device->counters = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    device->counters = calloc(1, sizeof(*device->counters));
    if (device->counters == NULL)
        return ws_error_set(error, "out of memory");
    device->counters->heap = ws_heap_create(device, &ws_heap_counters, error);
    if (device->counters->heap == NULL) {
        finish(device);
        return false;
    }
    return true;
}

static const struct ws_hook hooks[] = {WS_HOOK_END};

const struct ws_interception ws_counters_interception = {
    .hooks = hooks,
    .device_init = init,
    .device_finish = finish,
};
