/* Lifetimes as lines (figure 3.15 of "Vulkan Vision"), work ids and heat as images. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/plot.h"
#include "analysis/trace/trace.h"

#define BINS  100 /* of a plot */
#define PLOTS 16  /* of launched shaders: more files help nobody */

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * ((double)part / (double)whole) : 0;
}

static bool plot_lifetimes(const struct ws_trace_results *results, const struct ws_trace_stage *stage,
                           struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_trace_counts *threads = &stage->threads.lifetimes;
    const struct ws_trace_counts *warps = &stage->warps.lifetimes;
    uint64_t first = stage->threads.summary.minimum < stage->warps.summary.minimum
                         ? stage->threads.summary.minimum
                         : stage->warps.summary.minimum;
    uint64_t last = stage->threads.summary.maximum > stage->warps.summary.maximum
                        ? stage->threads.summary.maximum
                        : stage->warps.summary.maximum;
    uint64_t width = ws_trace_bin_width(first, last, BINS);
    double x[BINS];
    double y[2][BINS];
    size_t count = 0;
    char name[64];
    char shader[300];
    char title[384];
    char label[96];
    for (uint64_t bin = first / width; bin <= last / width && count < BINS; ++bin, ++count) {
        x[count] = (double)(bin * width) + (double)(width - 1) / 2;
        y[0][count] =
            share(ws_trace_counts_within(threads, bin * width, bin * width + (width - 1)), threads->total);
        y[1][count] =
            share(ws_trace_counts_within(warps, bin * width, bin * width + (width - 1)), warps->total);
    }
    ws_trace_shader_text(results->catalog, stage->shader, shader, sizeof(shader));
    snprintf(name, sizeof(name), "lifetimes-%s-%" PRIu32, ws_stage_name(stage->stage),
             results->catalog->shaders[stage->shader].id);
    snprintf(title, sizeof(title), "Lifetimes of threads and warps, %s", shader);
    snprintf(label, sizeof(label), width > 1 ? "blocks executed, in bins of %" PRIu64 : "blocks executed",
             width);
    struct ws_series series[] = {{"threads", x, y[0], count}, {"warps", x, y[1], count}};
    struct ws_plot plot = {
        .kind = count < 8 ? WS_PLOT_BARS : WS_PLOT_LINES,
        .title = title,
        .x_label = label,
        .y_label = "% of all threads, of all warps",
        .series = series,
        .series_count = 2,
    };
    if (!ws_plots_plot(plots, name, &plot, error))
        return false;
    if (count < 2)
        return true;
    /* Shares in bins depend on how wide those are; of two captures these sums can be laid on one another. */
    for (size_t i = 1; i < count; ++i) {
        y[0][i] += y[0][i - 1];
        y[1][i] += y[1][i - 1];
    }
    for (size_t i = 0; i < count; ++i)
        x[i] += (double)(width - 1) / 2;
    snprintf(name, sizeof(name), "ended-%s-%" PRIu32, ws_stage_name(stage->stage),
             results->catalog->shaders[stage->shader].id);
    snprintf(title, sizeof(title), "Threads and warps that ended by then, %s", shader);
    plot.kind = WS_PLOT_LINES;
    plot.x_label = "blocks executed";
    plot.y_max = 100;
    return ws_plots_plot(plots, name, &plot, error);
}

/* Names of a picture's files begin with what was launched, and how large. */
static void picture_name(const struct ws_trace_results *results, const struct ws_trace_picture *picture,
                         const char *what, char *name, size_t size)
{
    snprintf(name, size, "%s-%" PRIu32 "-%" PRIu32 "x%" PRIu32 "x%" PRIu32 "-%s",
             ws_stage_name(picture->stage), results->catalog->shaders[picture->shader].id, picture->extent[0],
             picture->extent[1], picture->extent[2], what);
}

static bool put_image(const struct ws_trace_results *results, const struct ws_trace_picture *picture,
                      const char *what, const char *label, const char *unit, enum ws_image_kind kind,
                      const uint64_t *values, struct ws_plots *plots, struct ws_error *error)
{
    char name[160];
    char title[384];
    char shader[300];
    if (values == NULL)
        return true;
    ws_trace_shader_text(results->catalog, picture->shader, shader, sizeof(shader));
    if (kind == WS_IMAGE_CLASSES)
        snprintf(title, sizeof(title), "%s, %s, launch %" PRIu64, label, shader, picture->map_launch);
    else
        snprintf(title, sizeof(title), "%s, %s", label, shader);
    if (kind != WS_IMAGE_CLASSES && picture->launches > 1)
        snprintf(title + strlen(title), sizeof(title) - strlen(title), ", %" PRIu64 " launches",
                 picture->launches);
    const struct ws_image image = {.kind = kind,
                                   .width = picture->width,
                                   .height = picture->height,
                                   .values = values,
                                   .title = title,
                                   .unit = unit};
    picture_name(results, picture, what, name, sizeof(name));
    return ws_plots_image(plots, name, &image, error);
}

/* Executions are kept small; an image wants them large. */
static bool put_executions(const struct ws_trace_results *results, const struct ws_trace_picture *picture,
                           const char *whose, uint32_t *const *executions, uint64_t *values,
                           struct ws_plots *plots, struct ws_error *error)
{
    uint64_t pixels = (uint64_t)picture->width * picture->height;
    bool put = true;
    for (uint32_t i = 0; i <= WS_TRACE_CALLED && put; ++i) {
        char what[64];
        char label[64];
        if (executions[i] == NULL)
            continue;
        for (uint64_t pixel = 0; pixel < pixels; ++pixel)
            values[pixel] =
                picture->thread_blocks[pixel] == WS_TRACE_NOTHING ? WS_TRACE_NOTHING : executions[i][pixel];
        snprintf(what, sizeof(what), "%s-executions-%s", whose,
                 i == WS_TRACE_CALLED ? "all" : ws_stage_name(ws_trace_called_stage(i)));
        snprintf(label, sizeof(label), "%s", i == WS_TRACE_CALLED ? "Shaders" : "Executions of ");
        snprintf(label + strlen(label), sizeof(label) - strlen(label), "%s per %s",
                 i == WS_TRACE_CALLED ? "" : ws_stage_name(ws_trace_called_stage(i)), whose);
        put = put_image(results, picture, what, label, "shader executions", WS_IMAGE_HEAT, values, plots,
                        error);
    }
    return put;
}

static bool put_picture(const struct ws_trace_results *results, const struct ws_trace_picture *picture,
                        struct ws_plots *plots, struct ws_error *error)
{
    uint64_t pixels = (uint64_t)picture->width * picture->height;
    uint64_t *values = malloc((size_t)pixels * sizeof(*values));
    if (values == NULL)
        return ws_error_set(error, "no memory for pictures of %" PRIu64 " pixels", pixels);
    bool put = put_image(results, picture, "work-map", "Work ids by warp", NULL, WS_IMAGE_CLASSES,
                         picture->map, plots, error) &&
               put_image(results, picture, "thread-blocks", "Lifetimes of threads", "blocks executed",
                         WS_IMAGE_HEAT, picture->thread_blocks, plots, error) &&
               put_image(results, picture, "warp-blocks", "Lifetimes of warps", "blocks executed",
                         WS_IMAGE_HEAT, picture->warp_blocks, plots, error) &&
               put_executions(results, picture, "thread", picture->thread_executions, values, plots, error) &&
               put_executions(results, picture, "warp", picture->warp_executions, values, plots, error);
    free(values);
    return put;
}

bool ws_trace_plots(const void *user, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_trace_results *results = user;
    bool put = true;
    for (uint32_t i = 0; i < results->stage_count && i < PLOTS && put; ++i)
        put = plot_lifetimes(results, &results->stages[i], plots, error);
    for (uint32_t i = 0; i < results->picture_count && put; ++i)
        put = put_picture(results, &results->pictures[i], plots, error);
    return put;
}
