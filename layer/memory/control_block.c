#include "layer/memory/control_block.h"

#include <stdlib.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/settings.h"
#include "layer/memory/counters.h"
#include "layer/memory/root_block.h"
#include "layer/process/lock.h"
#include "warpscope/records.h"
#include "warpscope/stage.h"

/* All warps of the device reserve words by the control block, and counters are written all the time: so it
 * has cache lines of its own. */
#define LINE ((VkDeviceSize)WS_ROOT_LINE)

_Static_assert(WS_STREAM_WORDS * sizeof(uint32_t) <= WS_ROOT_LINE, "the control block fits into its line");

/* Finds its place: behind the root block, or in memory of its own. */
static bool place(struct ws_device *device, struct ws_control_block *control, struct ws_error *error)
{
    struct ws_memory_range memory;
    const VkBuffer buffer = ws_root_control_buffer(device);
    if (buffer != VK_NULL_HANDLE) {
        control->address = ws_root_address(device) + WS_ROOT_CONTROL;
        control->offset = WS_ROOT_CONTROL;
        control->mapped = ws_root_control_mapped(device);
        control->buffer = buffer;
        return true;
    }
    if (!ws_counters_reserve(device, 2 * LINE, &memory, error))
        return false;
    const VkDeviceSize skipped = (LINE - memory.address % LINE) % LINE;
    control->address = memory.address + skipped;
    control->offset = memory.offset + skipped;
    control->buffer = memory.buffer;
    return true;
}

static bool make(struct ws_device *device, struct ws_control_block *control, struct ws_error *error)
{
    /* The bitmap carries the choice of a ray generation shader to the shaders that its rays call. Without
     * such a shader each of them decides for itself. */
    const bool sampled =
        device->settings->sampling.flags != 0 && (device->settings->stages & WS_STAGE_RAYGEN) != 0;
    if (sampled && control->bitmap.block == NULL &&
        !ws_counters_reserve(device, WS_BITMAP_BITS / 8, &control->bitmap, error))
        return false;
    return place(device, control, error);
}

bool ws_control_block_require(struct ws_device *device, struct ws_error *error)
{
    struct ws_control_block *control = device->control;
    ws_lock(&control->lock);
    if (!control->made)
        control->made = make(device, control, error);
    const bool made = control->made;
    ws_unlock(&control->lock);
    return made;
}

void ws_control_block_show(struct ws_device *device)
{
    struct ws_control_block *control = device->control;
    if (!control->shown)
        ws_root_set_records(device, control->address);
    control->shown = true;
}

static void finish(struct ws_device *device)
{
    if (device->control == NULL)
        return;
    pthread_mutex_destroy(&device->control->lock);
    free(device->control);
    device->control = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    device->control = calloc(1, sizeof(*device->control));
    if (device->control == NULL)
        return ws_error_set(error, "out of memory");
    ws_lock_init(&device->control->lock);
    return true;
}

static const struct ws_hook hooks[] = {WS_HOOK_END};

const struct ws_interception ws_control_block_interception = {
    .hooks = hooks,
    .device_init = init,
    .device_finish = finish,
};
