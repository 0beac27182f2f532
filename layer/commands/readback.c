#include "layer/commands/readback.h"

#include "layer/commands/command_buffer.h"
#include "layer/commands/recording.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/selection.h"

bool ws_readbacks_wanted(const struct ws_device *device)
{
    return !ws_selection_over(device->settings, atomic_load(&device->capture->frames),
                              atomic_load(&device->capture->launches));
}

void ws_readback_init(struct ws_readback *readback, const struct ws_readback_type *type)
{
    readback->type = type;
    atomic_init(&readback->references, 1);
}

struct ws_readback *ws_readback_reference(struct ws_readback *readback)
{
    atomic_fetch_add(&readback->references, 1);
    return readback;
}

void ws_readback_release(struct ws_readback *readback)
{
    if (readback != NULL && atomic_fetch_sub(&readback->references, 1) == 1)
        readback->type->destroy(readback);
}

bool ws_readback_add(struct ws_command_buffer *commands, struct ws_readback *readback)
{
    struct ws_recording *recording = commands->recording;
    if (recording == NULL) {
        ws_readback_release(readback);
        return false;
    }
    const struct ws_recorded_readback recorded = {
        .readback = readback,
        .before = recording->launch_count,
    };
    return ws_recording_add_readback(recording, &recorded);
}
