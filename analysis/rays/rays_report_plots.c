/* Distances of hits as bars, rays per thread as heat. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/output/plot.h"
#include "analysis/rays/rays_report.h"

static bool plot_distances(const struct ws_rays_results *results, struct ws_plots *plots,
                           struct ws_error *error)
{
    double x[WS_RAYS_BINS];
    double y[WS_RAYS_BINS];
    uint32_t first = WS_RAYS_BINS;
    uint32_t last = 0;
    for (uint32_t i = 0; i < WS_RAYS_BINS; ++i) {
        if (results->distances[i] == 0)
            continue;
        first = i < first ? i : first;
        last = i;
    }
    if (first == WS_RAYS_BINS)
        return true;
    for (uint32_t i = first; i <= last; ++i) {
        x[i - first] = (double)i - WS_RAYS_BIN_ONE;
        y[i - first] = (double)results->distances[i];
    }
    const struct ws_series series = {"hits", x, y, last - first + 1};
    const struct ws_plot plot = {.kind = WS_PLOT_BARS,
                                 .title = "Distances of hits",
                                 .x_label = "log2 of the distance, rounded down",
                                 .y_label = "hits",
                                 .series = &series,
                                 .series_count = 1};
    return ws_plots_plot(plots, "distances", &plot, error);
}

bool ws_rays_report_plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_rays_results *results = pointer;
    bool put = plot_distances(results, plots, error);
    for (uint32_t i = 0; i < results->picture_count && put; ++i) {
        const struct ws_rays_picture *picture = &results->pictures[i];
        const struct ws_image image = {.kind = WS_IMAGE_HEAT,
                                       .width = picture->width,
                                       .height = picture->height,
                                       .values = picture->values,
                                       .title = "Rays per thread",
                                       .unit = "rays"};
        char name[64];
        snprintf(name, sizeof(name), "rays-%" PRIu32 "x%" PRIu32, picture->width, picture->height);
        put = ws_plots_image(plots, name, &image, error);
    }
    return put;
}
