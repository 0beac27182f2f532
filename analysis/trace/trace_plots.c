/* Pictures: lifetimes as lines (Vulkan Vision thesis, figure 3.15), work ids and heat maps as images. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/execution_trace.h"
#include "warpscope/output/plot.h"

void ws_trace_picture_finish(struct ws_trace_picture *picture)
{
    free(picture->map);
    free(picture->lanes);
    free(picture->thread_blocks);
    free(picture->warp_blocks);
    free(picture->warp_slots);
    free(picture->warp_active);
    for (uint32_t i = 0; i <= WS_TRACE_CALLED; ++i) {
        free(picture->thread_executions[i]);
        free(picture->warp_executions[i]);
    }
    memset(picture, 0, sizeof(*picture));
}

static bool is_same(const struct ws_trace_picture *picture, const struct ws_trace_shader *launched,
                    const struct ws_launch_record *launch)
{
    return picture->shader == launched->shader && picture->kind == launch->kind &&
           memcmp(picture->size, launch->size, sizeof(picture->size)) == 0 &&
           memcmp(picture->base, launch->base, sizeof(picture->base)) == 0;
}

static uint64_t *make(uint64_t pixels)
{
    uint64_t *values = malloc(pixels * sizeof(*values));
    for (uint64_t i = 0; values != NULL && i < pixels; ++i)
        values[i] = WS_TRACE_NOTHING;
    return values;
}

static bool make_arrays(struct ws_trace_picture *picture)
{
    uint64_t pixels = ws_work_grid_pixels(&picture->grid);
    bool fragment = picture->stage == WS_STAGE_FRAGMENT;
    picture->thread_blocks = make(pixels);
    picture->warp_blocks = make(pixels);
    picture->warp_slots = calloc(pixels, sizeof(*picture->warp_slots));
    picture->warp_active = calloc(pixels, sizeof(*picture->warp_active));
    bool made = picture->thread_blocks != NULL && picture->warp_blocks != NULL &&
                picture->warp_slots != NULL && picture->warp_active != NULL;
    if (!fragment) {
        picture->map = make(pixels);
        picture->lanes = calloc(pixels, sizeof(*picture->lanes));
        made = picture->map != NULL && picture->lanes != NULL && made;
    }
    if (fragment || picture->stage == WS_STAGE_RAYGEN)
        made =
            (picture->thread_executions[WS_TRACE_CALLED] = calloc(pixels, sizeof(uint32_t))) != NULL && made;
    if (picture->stage == WS_STAGE_RAYGEN)
        made = (picture->warp_executions[WS_TRACE_CALLED] = calloc(pixels, sizeof(uint32_t))) != NULL && made;
    return made;
}

struct ws_trace_picture *ws_trace_picture_of(struct ws_trace_results *results,
                                             const struct ws_launch_record *launch,
                                             const struct ws_trace_shader *launched, const uint32_t first[3],
                                             const uint32_t last[3], bool *no_memory)
{
    struct ws_trace_picture *picture = NULL;
    uint64_t room = WS_TRACE_PIXELS;
    for (uint32_t i = 0; i < results->picture_count && picture == NULL; ++i) {
        room -= ws_work_grid_pixels(&results->pictures[i].grid);
        if (is_same(&results->pictures[i], launched, launch))
            picture = &results->pictures[i];
    }
    if (picture == NULL && results->options.plots && ws_trace_no_picture(launched->stage) == NULL) {
        struct ws_trace_picture made = {
            .shader = launched->shader,
            .stage = launched->stage,
            .kind = launch->kind,
            .last = WS_TRACE_NOTHING,
            .map_launch = launch->index,
        };
        memcpy(made.size, launch->size, sizeof(made.size));
        memcpy(made.base, launch->base, sizeof(made.base));
        bool fits =
            results->picture_count < WS_TRACE_PICTURES &&
            ws_work_grid_make(&made.grid, results->catalog, launch, launched->shader, first, last, room);
        results->pictures_left_out += !fits;
        if (fits) {
            *no_memory = !make_arrays(&made);
            picture = &results->pictures[results->picture_count++];
            *picture = made;
        }
    }
    if (picture != NULL && picture->last != launch->index) {
        picture->last = launch->index;
        picture->launches++;
    }
    return picture;
}

static void add_blocks(uint64_t *values, uint64_t pixel, uint64_t value)
{
    values[pixel] = values[pixel] == WS_TRACE_NOTHING ? value : values[pixel] + value;
}

/* Adds a value to a pixel, up to UINT32_MAX. Makes the array when it is first needed; false when there is no
 * memory. */
static bool add_executions(const struct ws_trace_picture *picture, uint32_t **values, uint64_t pixel,
                           uint32_t value)
{
    if (value == 0)
        return true;
    if (*values == NULL)
        *values = calloc(ws_work_grid_pixels(&picture->grid), sizeof(**values));
    if (*values == NULL)
        return false;
    uint32_t room = UINT32_MAX - (*values)[pixel];
    (*values)[pixel] += value < room ? value : room;
    return true;
}

static uint32_t total_of(uint32_t launches, const uint32_t *executions)
{
    uint64_t total = launches;
    for (uint32_t i = 0; i < WS_TRACE_CALLED; ++i)
        total += executions[i];
    return total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
}

bool ws_trace_picture_add(struct ws_trace_picture *picture, const struct ws_trace_pixel *from)
{
    uint32_t place[3];
    ws_work_place(picture->stage, from->work, place);
    uint64_t pixel = ws_work_grid_pixel(&picture->grid, place);
    if (pixel == WS_WORK_GRID_NONE) {
        picture->outside++;
        return true;
    }
    add_blocks(picture->thread_blocks, pixel, from->blocks);
    add_blocks(picture->warp_blocks, pixel, from->warp_blocks);
    picture->warp_slots[pixel] += from->warp_slots;
    picture->warp_active[pixel] += from->warp_active;
    if (picture->map != NULL && picture->map_launch == from->launch) {
        picture->map[pixel] = from->warp;
        picture->lanes[pixel] = from->lane;
    }
    bool added = true;
    if (picture->thread_executions[WS_TRACE_CALLED] != NULL)
        added = add_executions(picture, &picture->thread_executions[WS_TRACE_CALLED], pixel,
                               total_of(from->launches, from->executions));
    if (picture->warp_executions[WS_TRACE_CALLED] != NULL)
        added = added && add_executions(picture, &picture->warp_executions[WS_TRACE_CALLED], pixel,
                                        total_of(from->launches, from->warp_executions));
    for (uint32_t i = 0; i < WS_TRACE_CALLED && added; ++i)
        added = add_executions(picture, &picture->thread_executions[i], pixel, from->executions[i]) &&
                add_executions(picture, &picture->warp_executions[i], pixel, from->warp_executions[i]);
    return added;
}

#define BINS  100 /* of a plot */
#define PLOTS 16  /* the most launched shaders with plots */

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * ((double)part / (double)whole) : 0;
}

/* Lifetimes in bins: of threads, and of warps. */
struct lifetimes {
    uint64_t width; /* of a bin */
    size_t count;
    double x[BINS];    /* the middle of each */
    double y[2][BINS]; /* its share of all threads, and of all warps */
};

static void fill_bins(struct lifetimes *bins, const struct ws_trace_stage *stage)
{
    const struct ws_trace_counts *counts[2] = {&stage->threads.lifetimes, &stage->warps.lifetimes};
    const uint64_t first = stage->threads.summary.minimum < stage->warps.summary.minimum
                               ? stage->threads.summary.minimum
                               : stage->warps.summary.minimum;
    const uint64_t last = stage->threads.summary.maximum > stage->warps.summary.maximum
                              ? stage->threads.summary.maximum
                              : stage->warps.summary.maximum;
    const uint64_t width = ws_trace_bin_width(first, last, BINS);
    bins->width = width;
    bins->count = 0;
    for (uint64_t bin = first / width; bin <= last / width && bins->count < BINS; ++bin, ++bins->count) {
        const uint64_t from = bin * width;
        bins->x[bins->count] = (double)from + (double)(width - 1) / 2;
        for (int i = 0; i < 2; ++i)
            bins->y[i][bins->count] =
                share(ws_trace_counts_within(counts[i], from, from + (width - 1)), counts[i]->total);
    }
}

/* The share in a bin depends on the width of bins, which differs from capture to capture. Sums from the shortest lifetime on
 * do not: so two captures can be compared. */
static void sum_bins(struct lifetimes *bins)
{
    for (size_t i = 1; i < bins->count; ++i) {
        bins->y[0][i] += bins->y[0][i - 1];
        bins->y[1][i] += bins->y[1][i - 1];
    }
    for (size_t i = 0; i < bins->count; ++i)
        bins->x[i] += (double)(bins->width - 1) / 2;
}

static bool plot_lifetimes(const struct ws_trace_results *results, const struct ws_trace_stage *stage,
                           struct ws_plots *plots, struct ws_error *error)
{
    struct lifetimes bins;
    char name[64];
    char shader[300];
    char title[384];
    char label[96];
    fill_bins(&bins, stage);
    ws_trace_shader_text(results->catalog, stage->shader, shader, sizeof(shader));
    snprintf(name, sizeof(name), "lifetimes-%s-%" PRIu32, ws_stage_name(stage->stage),
             results->catalog->shaders[stage->shader].id);
    snprintf(title, sizeof(title), "Lifetimes of threads and warps, %s", shader);
    snprintf(label, sizeof(label),
             bins.width > 1 ? "blocks executed, in bins of %" PRIu64 : "blocks executed", bins.width);
    struct ws_series series[] = {{"threads", bins.x, bins.y[0], bins.count},
                                 {"warps", bins.x, bins.y[1], bins.count}};
    struct ws_plot plot = {
        .kind = bins.count < 8 ? WS_PLOT_BARS : WS_PLOT_LINES,
        .title = title,
        .about = "A lifetime is how many blocks a thread, or a warp, executed. Warps live as long as the "
                 "longest of "
                 "their threads, and longer where threads do not go the same way.",
        .unit = " %",
        .x_label = label,
        .y_label = "% of all threads, of all warps",
        .series = series,
        .series_count = 2,
    };
    if (!ws_plots_plot(plots, name, &plot, error))
        return false;
    if (bins.count < 2)
        return true;
    sum_bins(&bins);
    snprintf(name, sizeof(name), "ended-%s-%" PRIu32, ws_stage_name(stage->stage),
             results->catalog->shaders[stage->shader].id);
    snprintf(title, sizeof(title), "Threads and warps that ended by then, %s", shader);
    plot.kind = WS_PLOT_LINES;
    plot.about =
        "How many threads, and how many warps, had ended after so many blocks. The wider the gap between the "
        "lines, the longer threads wait for others of their warp.";
    plot.x_label = "blocks executed";
    plot.y_max = 100;
    return ws_plots_plot(plots, name, &plot, error);
}

/* The name of a picture's files: the launched shader, the size, the base if there is one, and what is drawn. */
static void picture_name(const struct ws_trace_results *results, const struct ws_trace_picture *picture,
                         const char *what, char *name, size_t size)
{
    char base[64] = "";
    if ((picture->base[0] | picture->base[1] | picture->base[2]) != 0)
        snprintf(base, sizeof(base), "-base-%" PRIu32 "x%" PRIu32 "x%" PRIu32, picture->base[0],
                 picture->base[1], picture->base[2]);
    snprintf(name, size, "%s-%" PRIu32 "-%" PRIu32 "x%" PRIu32 "x%" PRIu32 "%s-%s",
             ws_stage_name(picture->stage), results->catalog->shaders[picture->shader].id,
             picture->grid.extent[0], picture->grid.extent[1], picture->grid.extent[2], base, what);
}

static bool put_image(const struct ws_trace_results *results, const struct ws_trace_picture *picture,
                      const char *what, const char *label, const char *about, const char *unit,
                      enum ws_image_kind kind, const uint64_t *values, struct ws_plots *plots,
                      struct ws_error *error)
{
    char launch[32];
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
    snprintf(launch, sizeof(launch), "--launch %" PRIu64, picture->map_launch);
    const struct ws_image_grid grid =
        ws_image_grid_of_threads(picture->grid.first, picture->grid.extent, picture->grid.columns,
                                 picture->launches == 1 ? launch : NULL);
    const struct ws_image image = {.kind = kind,
                                   .width = picture->grid.width,
                                   .height = picture->grid.height,
                                   .values = values,
                                   .title = title,
                                   .about = about,
                                   .unit = unit,
                                   .grid = &grid};
    picture_name(results, picture, what, name, sizeof(name));
    return ws_plots_image(plots, name, &image, error);
}

/* Draws executions. They are kept in 32 bits, and copied to `values` for images, which have 64. */
static bool put_executions(const struct ws_trace_results *results, const struct ws_trace_picture *picture,
                           const char *whose, uint32_t *const *executions, uint64_t *values,
                           struct ws_plots *plots, struct ws_error *error)
{
    uint64_t pixels = ws_work_grid_pixels(&picture->grid);
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
        put = put_image(results, picture, what, label,
                        "How many shaders ran. The commands below print what the hottest did.",
                        "shader executions", WS_IMAGE_HEAT, values, plots, error);
    }
    return put;
}

static bool put_picture(const struct ws_trace_results *results, const struct ws_trace_picture *picture,
                        struct ws_plots *plots, struct ws_error *error)
{
    uint64_t pixels = ws_work_grid_pixels(&picture->grid);
    uint64_t *values = malloc((size_t)pixels * sizeof(*values));
    if (values == NULL)
        return ws_error_set(error, "no memory for pictures of %" PRIu64 " pixels", pixels);
    bool put =
        put_image(results, picture, "work-map", "Work ids by warp",
                  "Which threads make a warp: each colour is one. Numbers are those that --warp takes.",
                  "warp", WS_IMAGE_CLASSES, picture->map, plots, error) &&
        put_image(results, picture, "thread-blocks", "Lifetimes of threads",
                  "How many blocks each thread executed. The commands below print what the hottest did.",
                  "blocks executed", WS_IMAGE_HEAT, picture->thread_blocks, plots, error) &&
        put_image(results, picture, "warp-blocks", "Lifetimes of warps",
                  "How many blocks each warp executed, at all of its threads. The commands below print what "
                  "threads of the hottest did.",
                  "blocks executed", WS_IMAGE_HEAT, picture->warp_blocks, plots, error) &&
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
