#include "layer/memory/counters.h"

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/memory/memory.h"
#include "layer/memory/root_block.h"
#include "warpscope/instrument.h"
#include "warpscope/root.h"

/* Ranges begin and end at multiples of WS_MEMORY_ALIGNMENT. So must what a shader uses of its range, for neighbours to
 * be copied together (commands/uses.h). */
static VkDeviceSize align(VkDeviceSize size)
{
    return (size + WS_MEMORY_ALIGNMENT - 1) / WS_MEMORY_ALIGNMENT * WS_MEMORY_ALIGNMENT;
}

bool ws_counters_allocate(struct ws_device *device, uint32_t slot, const struct ws_entry_info *entry,
                          struct ws_counters *counters, struct ws_error *error)
{
    const uint64_t row_size = 4 * (uint64_t)device->bins;
    const VkDeviceSize rows = align(row_size * entry->row_count * (entry->sampled ? WS_SAMPLE_GROUPS : 1));
    const VkDeviceSize size = rows + align(4 * (VkDeviceSize)entry->yield_count);
    if (slot >= WS_SLOT_COUNT || entry->row_count == 0)
        return ws_error_set(error, "no slot or no rows to allocate counters for");

    /* Ranges are taken from the front of a block. So the shaders of a pipeline, which are made one after the
     * other, lie side by side, and one command copies or zeroes all of them. */
    struct ws_memory_range range = {0};
    if (!ws_heap_allocate(device->counters, size, &range, error))
        return false;
    *counters = (struct ws_counters){
        .buffer = range.buffer,
        .offset = range.offset,
        .size = size,
        .yields = rows,
        .range = range,
    };
    ws_root_set_counters(device, slot, range.address - row_size * entry->row_first);
    if (entry->yield_count > 0)
        ws_root_set_yields(device, slot, range.address + rows - 4 * (uint64_t)entry->yield_first);
    return true;
}

void ws_counters_free(struct ws_device *device, uint32_t slot, struct ws_counters *counters)
{
    if (counters->range.block == NULL)
        return;
    ws_root_set_counters(device, slot, 0);
    ws_root_set_yields(device, slot, 0);
    ws_heap_free(device->counters, &counters->range);
    *counters = (struct ws_counters){0};
}

bool ws_counters_reserve(struct ws_device *device, VkDeviceSize size, struct ws_memory_range *range,
                         struct ws_error *error)
{
    return ws_heap_allocate(device->counters, size, range, error);
}

static void finish(struct ws_device *device)
{
    ws_heap_destroy(device->counters);
    device->counters = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    device->counters = ws_heap_create(device, &ws_heap_counters, error);
    return device->counters != NULL;
}

static const struct ws_hook hooks[] = {WS_HOOK_END};

const struct ws_interception ws_counters_interception = {
    .hooks = hooks,
    .device_init = init,
    .device_finish = finish,
};
