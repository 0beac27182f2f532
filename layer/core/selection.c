#include "layer/core/selection.h"

#include <unistd.h>

bool ws_selection_open(const struct ws_settings *settings, uint64_t frame)
{
    if (!ws_range_contains(&settings->frames, frame))
        return false;
    return settings->trigger[0] == '\0' || access(settings->trigger, F_OK) == 0;
}
