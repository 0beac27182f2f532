/* Pictures of hotspots: programs instruction by instruction, and the hottest lines. */
#include "analysis/simt/hotspots.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/model/names.h"
#include "warpscope/output/plot.h"

#define NAME_SIZE     256
#define PLOTS_MOST    8 /* shaders with a plot of their own */
#define LINES_PLOTTED 24
#define MARKS_WANTED  8

/* A shader's program as a series, its first instruction at `x`. `points` has room for two numbers per
 * instruction. */
static struct ws_series make_series(const struct ws_hotspots *hotspots, uint32_t shader, double x,
                                    double scale, double *points)
{
    const struct ws_hotspot_shader *sums = &hotspots->shaders[shader];
    double *y = points + sums->instructions;
    for (uint32_t i = sums->run_first; i < sums->run_first + sums->run_count; ++i) {
        const struct ws_hotspot_run *run = &hotspots->runs[i];
        for (uint32_t j = run->index; j < run->index + run->count; ++j) {
            points[j] = x + j;
            y[j] = scale * (double)run->thread_executions;
        }
    }
    return (struct ws_series){.x = points, .y = y, .count = sums->instructions};
}

/* Lines of the source as rows of a plot. */
struct line_rows {
    const struct ws_hotspots *hotspots;
    uint32_t count;
    uint64_t keys[LINES_PLOTTED]; /* of the lines */
    double shares[LINES_PLOTTED];
    char places[LINES_PLOTTED][NAME_SIZE];
    char sources[LINES_PLOTTED][NAME_SIZE + WS_HOTSPOTS_SOURCE_MOST];
    const char *labels[LINES_PLOTTED];
    const char *details[LINES_PLOTTED];
};

/* Adds a row of the level of lines. Names the shader where rows of several are shown. */
static void add_line_row(struct line_rows *rows, const struct ws_row *row, bool several)
{
    const struct ws_hotspots *hotspots = rows->hotspots;
    const struct ws_hotspot_sums *sums = row->sums;
    const uint64_t key = row->keys[WS_HOTSPOTS_LINE];
    const uint32_t shader = (uint32_t)row->keys[WS_HOTSPOTS_SHADER];
    const char *file = hotspots->files[(key >> 32) - 1];
    const char *base = strrchr(file, '/');
    uint32_t source = 0;
    const uint32_t i = rows->count++;
    rows->keys[i] = key;
    rows->shares[i] = 100 * ((double)sums->thread_executions / (double)hotspots->thread_executions);
    snprintf(rows->places[i], NAME_SIZE, "%s:%" PRIu32, base != NULL ? base + 1 : file, (uint32_t)key);
    const bool known =
        ws_id_map_get(&hotspots->source_of, ws_hotspots_source_key(file, (uint32_t)key), &source);
    const char *name = several ? ws_shader_name(hotspots->simt.catalog, shader) : "";
    /* A shader that has the file's name says nothing new. */
    const size_t stem = strcspn(rows->places[i], ":");
    if (strncmp(name, rows->places[i], stem) == 0 && name[stem] == ':')
        name = "";
    snprintf(rows->sources[i], sizeof(rows->sources[i]), "%s%s%s%s", name[0] != '\0' ? "in " : "", name,
             name[0] != '\0' && known ? ": " : "", known ? hotspots->sources[source] : "");
    ws_text_cut(rows->places[i]);
    ws_text_cut(rows->sources[i]);
    rows->labels[i] = rows->places[i];
    rows->details[i] = rows->sources[i];
}

/* Takes the hottest lines: of a shader, or of all (WS_NONE). `order`: rows of the level, hottest first. */
static void take_lines(const struct ws_hotspots *hotspots, const uint32_t *order, uint32_t count,
                       uint32_t shader, struct line_rows *rows)
{
    rows->hotspots = hotspots;
    rows->count = 0;
    for (uint32_t i = 0; i < count && rows->count < LINES_PLOTTED; ++i) {
        struct ws_row row;
        ws_groups_row(hotspots->groups, WS_HOTSPOTS_BY_LINE, order[i], &row);
        const struct ws_hotspot_sums *sums = row.sums;
        if (row.keys[WS_HOTSPOTS_LINE] != 0 && row.keys[WS_HOTSPOTS_LINE] != WS_KEY_NONE &&
            sums->thread_executions > 0 && (shader == WS_NONE || row.keys[WS_HOTSPOTS_SHADER] == shader))
            add_line_row(rows, &row, shader == WS_NONE);
    }
}

static bool plot_lines(const struct line_rows *rows, const char *file, const char *title,
                       const char *arguments, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_series series = {"share", NULL, rows->shares, rows->count};
    const struct ws_plot plot = {.kind = WS_PLOT_ROWS,
                                 .title = title,
                                 .arguments = arguments,
                                 .about =
                                     "The lines that took most of the instructions executed, the most first.",
                                 .y_label = "% of all instructions executed, by threads",
                                 .unit = " %",
                                 .labels = rows->labels,
                                 .details = rows->details,
                                 .series = &series,
                                 .series_count = 1};
    return ws_plots_plot(plots, file, &plot, error);
}

/* A shader's program, where its lines are not known. */
static bool plot_program(const struct ws_hotspots *hotspots, uint32_t shader, const char *file,
                         struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    double *points = calloc(2 * (size_t)hotspots->shaders[shader].instructions + 1, sizeof(*points));
    char title[NAME_SIZE + 64];
    if (points == NULL)
        return false;
    snprintf(title, sizeof(title), "%s (%s): executions of each instruction", ws_shader_name(catalog, shader),
             ws_stage_name(catalog->shaders[shader].stage));
    const struct ws_series series = make_series(hotspots, shader, 0, 1, points);
    const struct ws_plot plot = {
        .kind = WS_PLOT_STEPS,
        .title = title,
        .about = "The shader has no source lines: instructions are counted from the first.",
        .x_label = "instruction of the program, from the first to the last",
        .y_label = "executions by threads",
        .series = &series,
        .series_count = 1};
    bool plotted = ws_plots_plot(plots, file, &plot, error);
    free(points);
    return plotted;
}

/* A shader's own plot. */
static bool plot_shader(const struct ws_hotspots *hotspots, const uint32_t *order, uint32_t count,
                        uint32_t shader, struct line_rows *rows, struct ws_plots *plots,
                        struct ws_error *error)
{
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    char title[NAME_SIZE + 64];
    char file[NAME_SIZE + 16];
    snprintf(file, sizeof(file), "%" PRIu32 "-%s", catalog->shaders[shader].id,
             ws_shader_name(catalog, shader));
    snprintf(title, sizeof(title), "Hottest lines of %s (%s)", ws_shader_name(catalog, shader),
             ws_stage_name(catalog->shaders[shader].stage));
    char name[NAME_SIZE];
    char arguments[4 * NAME_SIZE + 16] = "--shader ";
    snprintf(name, sizeof(name), "%s", ws_shader_name(catalog, shader));
    ws_text_cut(name);
    const size_t used = strlen(arguments);
    arguments[used + ws_text_quote(arguments + used, name)] = '\0';
    take_lines(hotspots, order, count, shader, rows);
    return rows->count > 0
               ? plot_lines(rows, file, title, hotspots->filtered ? NULL : arguments, plots, error)
               : plot_program(hotspots, shader, file, plots, error);
}

/* Where the instructions of the hottest lines stand in the plot of all programs. `offsets`: the x of the first
 * instruction of each shader drawn, NAN where it is not. */
static uint32_t mark_lines(const struct ws_hotspots *hotspots, const double *offsets,
                           struct ws_plot_mark *marks, char (*texts)[NAME_SIZE])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < MARKS_WANTED; ++k) {
        const struct ws_hotspot_run *best = NULL;
        for (uint32_t i = 0; i < hotspots->run_count; ++i) {
            const struct ws_hotspot_run *run = &hotspots->runs[i];
            const bool lower = count == 0 || (double)run->thread_executions * 100 / (double)hotspots->most <
                                                 marks[count - 1].y;
            if (lower && run->thread_executions > 0 && !isnan(offsets[run->shader]) &&
                (best == NULL || run->thread_executions > best->thread_executions))
                best = run;
        }
        if (best == NULL)
            break;
        const uint32_t module = hotspots->simt.catalog->shaders[best->shader].module;
        const struct ws_hotspot_instruction *first = &hotspots->modules[module].instructions[best->first];
        const char *base = first->file != NULL ? strrchr(first->file, '/') : NULL;
        if (first->file != NULL)
            snprintf(texts[count], NAME_SIZE, "%s:%" PRIu32, base != NULL ? base + 1 : first->file,
                     first->line);
        else
            snprintf(texts[count], NAME_SIZE, "instruction %" PRIu32, best->index);
        ws_text_cut(texts[count]);
        marks[count] = (struct ws_plot_mark){
            .x = offsets[best->shader] + best->index + best->count / 2.0,
            .y = (double)best->thread_executions * 100 / (double)hotspots->most,
            .text = texts[count],
        };
        count++;
    }
    return count;
}

/* All programs, one behind the other, relative to the instruction executed most: figure 3.14 of the paper. */
static bool plot_programs(const struct ws_hotspots *hotspots, const uint32_t *order, uint32_t count,
                          struct ws_plots *plots, struct ws_error *error)
{
    const uint32_t shaders = hotspots->simt.catalog->shader_count;
    size_t instructions = 0;
    for (uint32_t i = 0; i < count; ++i)
        instructions += hotspots->shaders[order[i]].instructions;
    double *points = calloc(2 * instructions + 1, sizeof(*points));
    double *offsets = calloc((size_t)shaders + 1, sizeof(*offsets));
    struct ws_series *series = calloc((size_t)count + 1, sizeof(*series));
    struct ws_plot_mark marks[MARKS_WANTED];
    char texts[MARKS_WANTED][NAME_SIZE];
    bool plotted = points != NULL && offsets != NULL && series != NULL;
    size_t x = 0;
    for (uint32_t i = 0; i < shaders && plotted; ++i)
        offsets[i] = NAN;
    for (uint32_t i = 0; i < count && plotted; ++i) {
        uint32_t shader = order[i];
        series[i] = make_series(hotspots, shader, (double)x, 100.0 / (double)hotspots->most, points + 2 * x);
        series[i].name = ws_shader_name(hotspots->simt.catalog, shader);
        offsets[shader] = (double)x;
        x += hotspots->shaders[shader].instructions;
    }
    const struct ws_plot plot = {
        .kind = WS_PLOT_STEPS,
        .title = "Hotspots: executions of each instruction of every shader",
        .about =
            "The program of every shader, one behind the other: how often each instruction was executed. The "
            "names are those of source lines.",
        .x_label = "instruction, shader after shader",
        .y_label = "executions, relative to the most (%)",
        .series = series,
        .series_count = count,
        .marks = marks,
        .mark_count = plotted && hotspots->most > 0 ? mark_lines(hotspots, offsets, marks, texts) : 0,
        .y_max = 100};
    plotted = plotted && ws_plots_plot(plots, "all", &plot, error);
    free(points);
    free(offsets);
    free(series);
    return plotted;
}

/* The shaders, hottest first, and their pictures. */
static bool plot_shaders(const struct ws_hotspots *hotspots, const uint32_t *lines, uint32_t line_count,
                         struct line_rows *rows, struct ws_plots *pictures, struct ws_error *error)
{
    uint32_t count = 0;
    uint32_t *order = ws_groups_sorted(hotspots->groups, WS_HOTSPOTS_BY_SHADER, &count);
    bool plotted = order != NULL;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_row row;
        ws_groups_row(hotspots->groups, WS_HOTSPOTS_BY_SHADER, order[i], &row);
        order[i] = (uint32_t)row.keys[WS_HOTSPOTS_SHADER];
    }
    /* Of one shader the others show the same. */
    if (plotted && count > 1) {
        take_lines(hotspots, lines, line_count, WS_NONE, rows);
        if (rows->count > 0)
            plotted = plot_lines(rows, "lines", "Hottest lines of all shaders", NULL, pictures, error);
        plotted = plotted && plot_programs(hotspots, order, count, pictures, error);
    }
    for (uint32_t i = 0; i < count && i < PLOTS_MOST && plotted; ++i)
        if (hotspots->shaders[order[i]].thread_executions > 0)
            plotted = plot_shader(hotspots, lines, line_count, order[i], rows, pictures, error);
    free(order);
    return plotted;
}

bool ws_hotspots_plots(const void *results, struct ws_plots *pictures, struct ws_error *error)
{
    const struct ws_hotspots *hotspots = results;
    uint32_t count = 0;
    uint32_t *lines = ws_groups_sorted(hotspots->groups, WS_HOTSPOTS_BY_LINE, &count);
    struct line_rows *rows = malloc(sizeof(*rows));
    const bool plotted =
        lines != NULL && rows != NULL && plot_shaders(hotspots, lines, count, rows, pictures, error);
    free(lines);
    free(rows);
    return plotted;
}
