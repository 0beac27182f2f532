#include "layer/commands/occurrence.h"

#include "layer/commands/command_buffer.h"
#include "layer/commands/recording.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/selection.h"

bool ws_occurrences_wanted(const struct ws_device *device)
{
    return !ws_selection_over(device->settings, atomic_load(&device->capture->frames),
                              atomic_load(&device->capture->launches));
}

void ws_occurrence_init(struct ws_occurrence *occurrence, const struct ws_occurrence_kind *kind)
{
    occurrence->kind = kind;
    atomic_init(&occurrence->references, 1);
}

struct ws_occurrence *ws_occurrence_reference(struct ws_occurrence *occurrence)
{
    atomic_fetch_add(&occurrence->references, 1);
    return occurrence;
}

void ws_occurrence_release(struct ws_occurrence *occurrence)
{
    if (occurrence != NULL && atomic_fetch_sub(&occurrence->references, 1) == 1)
        occurrence->kind->destroy(occurrence);
}

void ws_occurrence_add(struct ws_command_buffer *commands, struct ws_occurrence *occurrence)
{
    struct ws_recording *recording = commands->recording;
    if (recording == NULL) {
        ws_occurrence_release(occurrence);
        return;
    }
    const struct ws_recorded_occurrence recorded = {
        .occurrence = occurrence,
        .before = recording->launch_count,
    };
    ws_recording_add_occurrence(recording, &recorded);
}

const uint8_t *ws_execution_bytes(const struct ws_execution *execution, const struct ws_copied_range *range)
{
    return execution->bytes != NULL && range->size > 0 ? execution->bytes + range->position : NULL;
}
