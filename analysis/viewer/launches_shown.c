#include "analysis/viewer/launches_shown.h"

#include <inttypes.h>

#include "analysis/rays/ray_events.h"

uint32_t ws_launches_shown(const struct ws_viewer_capture *capture, uint64_t launches[WS_LAUNCHES_SHOWN])
{
    const struct ws_launch_table *all = &capture->report.catalog.launches;
    const struct ws_ray_events *events = ws_report_results(&capture->report, &ws_analysis_ray_events);
    uint64_t rays[WS_LAUNCHES_SHOWN] = {0};
    uint32_t count = 0, first = WS_NONE;
    for (uint32_t i = 0; i < all->count; ++i) {
        const uint64_t index = all->launches[i].index;
        uint64_t found = ws_ray_events_of(events, index);
        if (found > 0 && first == WS_NONE)
            first = i;
        found = i == first ? UINT64_MAX : found;
        uint32_t at = count;
        while (at > 0 && rays[at - 1] < found)
            at--;
        if (at == WS_LAUNCHES_SHOWN)
            continue;
        count += count < WS_LAUNCHES_SHOWN;
        for (uint32_t j = count - 1; j > at; --j) {
            rays[j] = rays[j - 1];
            launches[j] = launches[j - 1];
        }
        rays[at] = found;
        launches[at] = index;
    }
    return count;
}

const char *ws_launches_shown_words(const struct ws_viewer_capture *capture)
{
    uint64_t launches[WS_LAUNCHES_SHOWN];
    const struct ws_ray_events *events = ws_report_results(&capture->report, &ws_analysis_ray_events);
    const bool traced = ws_launches_shown(capture, launches) > 0 && ws_ray_events_of(events, launches[0]) > 0;
    return traced ? "the first with rays, and those with most" : "the first of all, as none has rays";
}

bool ws_launches_shown_embed(const struct ws_viewer_capture *capture, const char *name,
                             enum ws_viewer_rank first, enum ws_viewer_rank others, ws_viewer_embed *embed,
                             void *user)
{
    uint64_t launches[WS_LAUNCHES_SHOWN];
    const uint32_t count = ws_launches_shown(capture, launches);
    bool embedded = true;
    for (uint32_t i = 0; i < count && embedded; ++i) {
        char query[64];
        snprintf(query, sizeof(query), "%s?launch=%" PRIu64, name, launches[i]);
        embedded = embed(user, query, i == 0 ? first : others);
    }
    return embedded;
}
