/* Which launches are wanted: the settings frames, launches and trigger. Settings do not change: thread-safe. */
#ifndef WS_LAYER_CORE_SELECTION_H
#define WS_LAYER_CORE_SELECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "layer/core/settings.h"

static inline bool ws_range_contains(const struct ws_range *range, uint64_t index)
{
    return index >= range->first && index <= range->last;
}

/* How many of `count` launches from index `first` on lie in `range`. */
static inline uint64_t ws_range_overlap(const struct ws_range *range, uint64_t first, uint64_t count)
{
    if (count == 0 || first > range->last || first + (count - 1) < range->first)
        return 0;
    const uint64_t low = first > range->first ? first : range->first;
    const uint64_t high = first + (count - 1) < range->last ? first + (count - 1) : range->last;
    return high - low + 1;
}

/* Whether neither this frame and launch nor any later ones are wanted. */
static inline bool ws_selection_over(const struct ws_settings *settings, uint64_t frame, uint64_t launch)
{
    return frame > settings->frames.last || launch > settings->launches.last;
}

/* Whether launches that are submitted now, in this frame, may be wanted. Looks whether the trigger file
 * exists. */
static inline bool ws_selection_open(const struct ws_settings *settings, uint64_t frame)
{
    return ws_range_contains(&settings->frames, frame) &&
           (settings->trigger[0] == '\0' || access(settings->trigger, F_OK) == 0);
}

#endif
