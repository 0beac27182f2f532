/* How the times of launches are shown: columns, and what is said beside them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/time/launch_times.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/model/times_join.h"
#include "warpscope/passes.h"
#include "warpscope/report/findings.h"

static const struct ws_launch_times *results_of(const struct ws_row *row)
{
    return row->user;
}

static const struct ws_time_sums *sums_of(const struct ws_row *row)
{
    return row->sums;
}

static void set_text(struct ws_value *value, const char *text)
{
    value->kind = WS_VALUE_TEXT;
    value->text = text;
}

/* With its unit, for tables. */
static void set_time(struct ws_value *value, uint64_t nanoseconds)
{
    set_text(value, ws_time_text((double)nanoseconds, value->buffer));
}

/* Dimensions. */

static void launch_index(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static void launch_submission(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_launch_record *launch = ws_catalog_launch(row->catalog, row->key);
    if (launch != NULL)
        ws_value_count(value, launch->submission);
}

static const struct ws_field launch_fields[] = {
    {"launch", "its number in the capture", WS_COUNT, .value = launch_index},
    {"submission", "number of its submission to a queue, from 0: it counts where nothing is presented too",
     WS_COUNT, .value = launch_submission},
    {NULL},
};

static const struct ws_time_place *place_of(const struct ws_row *row)
{
    return &results_of(row)->places[row->key];
}

static const struct ws_launch_record *first_of(const struct ws_row *row)
{
    return ws_catalog_launch(row->catalog, place_of(row)->launch);
}

static void place_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static void place_launch(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, place_of(row)->launch);
}

static void place_kind(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, ws_launch_kind_name(first_of(row)->kind));
}

static void place_size(const struct ws_row *row, struct ws_value *value)
{
    const uint32_t *size = first_of(row)->size;
    if (size[0] != 0 || size[1] != 0 || size[2] != 0)
        ws_value_text(value, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, size[0], size[1], size[2]);
    else
        set_text(value, "not known");
}

static void place_order(const struct ws_row *row, struct ws_value *value)
{
    if (!results_of(row)->one_frame)
        ws_value_count(value, (uint64_t)place_of(row)->order + 1);
}

static const struct ws_field place_fields[] = {
    {"place",
     "number of a launch that is the same in every frame: of the same pipelines, kind, size,\n"
     "draws and label, and as the first, second, ... of them; in a capture of one frame all of these",
     WS_COUNT, .value = place_number},
    {"first_launch", "number of the first launch there", WS_COUNT, .value = place_launch},
    {"launch_kind", "trace rays, dispatch or render pass", WS_TEXT, .value = place_kind},
    {"launch_size", "threads of a trace, workgroups of a dispatch, area and layers of a render pass", WS_TEXT,
     "size", .flags = WS_RIGHT, .value = place_size},
    {"order", "which of those of equal content in a frame it is, from 1; empty: there is one frame", WS_COUNT,
     .value = place_order},
    {NULL},
};

static void label_text(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, results_of(row)->labels[row->key]);
}

static const struct ws_field label_fields[] = {
    {"label", "debug labels around it, outermost first, with # for the number of a frame; empty: none",
     WS_TEXT, .value = label_text},
    {NULL}};

static void frame_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static const struct ws_field frame_fields[] = {
    {"frame", "number of the frame: presents before it", WS_COUNT, .value = frame_number}, {NULL}};

static const struct ws_timed_queue *queue_of(const struct ws_row *row)
{
    return &row->catalog->times.queues[row->key];
}

static void queue_family(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, queue_of(row)->family);
}

static void queue_index(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, queue_of(row)->index);
}

static void queue_device(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, row->catalog->devices[queue_of(row)->device].name);
}

static void queue_bits(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, queue_of(row)->valid_bits);
}

static const struct ws_field queue_fields[] = {
    {"queue_family", "its queue family", WS_COUNT, .value = queue_family},
    {"queue_index", "its number in the family", WS_COUNT, .value = queue_index},
    {"device", "name of its device", WS_TEXT, .value = queue_device},
    {"timestamp_bits", "timestampValidBits of the family; 0: no timestamps", WS_COUNT, .value = queue_bits},
    {NULL},
};

static const struct ws_dimension dimensions[] = {
    [WS_TIME_LAUNCH] = {"launch", "trace, dispatch or render pass", launch_fields,
                        .implies = 1u << WS_TIME_PLACE | 1u << WS_TIME_PIPELINE | 1u << WS_TIME_LABEL |
                                   1u << WS_TIME_FRAME | 1u << WS_TIME_QUEUE},
    [WS_TIME_PLACE] = {"place", "the same launch in every frame", place_fields,
                       .shown = "first_launch launch_kind launch_size",
                       .same = "launch_kind launch_size order",
                       .implies = 1u << WS_TIME_PIPELINE | 1u << WS_TIME_LABEL},
    [WS_TIME_PIPELINE] = {WS_DIMENSION_PIPELINE},
    [WS_TIME_LABEL] = {"label", "debug label", label_fields},
    [WS_TIME_FRAME] = {"frame", "frame", frame_fields},
    [WS_TIME_QUEUE] = {"queue", "queue of the device", queue_fields, .shown = "queue_family queue_index",
                       .same = "queue_family queue_index"},
    [WS_TIME_DIMENSIONS] = {NULL},
};

/* Measures. Each time is a number of nanoseconds in JSON and CSV, and a text with its unit in tables. */

static bool is_timed(const struct ws_row *row)
{
    return sums_of(row)->sample_count > 0;
}

static void time_ns(const struct ws_row *row, struct ws_value *value)
{
    if (is_timed(row))
        ws_value_count(value, sums_of(row)->nanoseconds);
}

static void time_shown(const struct ws_row *row, struct ws_value *value)
{
    if (is_timed(row))
        set_time(value, sums_of(row)->nanoseconds);
}

static void share(const struct ws_row *row, struct ws_value *value)
{
    if (is_timed(row) && ws_times_total(row->catalog) > 0)
        ws_value_real(value, ws_times_share(row->catalog, sums_of(row)->nanoseconds));
}

static void interval_ns(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->interval > 0)
        ws_value_count(value, sums_of(row)->interval);
}

static void interval_shown(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->interval > 0)
        set_time(value, sums_of(row)->interval);
}

static void busy(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->interval > 0)
        ws_value_real(value, (double)sums_of(row)->nanoseconds / (double)sums_of(row)->interval);
}

/* One of the numbers of a spread, as a number, and as a text where it says more than the time does. */
#define SPREAD(name, function, member, condition)                                                            \
    static void name##_ns(const struct ws_row *row, struct ws_value *value)                                  \
    {                                                                                                        \
        struct ws_time_spread spread;                                                                        \
        if ((condition) && function(sums_of(row), &spread))                                                  \
            ws_value_count(value, spread.member);                                                            \
    }                                                                                                        \
    static void name##_shown(const struct ws_row *row, struct ws_value *value)                               \
    {                                                                                                        \
        struct ws_time_spread spread;                                                                        \
        if ((condition) && function(sums_of(row), &spread) && spread.count > 1)                              \
            set_time(value, spread.member);                                                                  \
    }

SPREAD(least, ws_time_spread_of_launches, least, true)
SPREAD(median, ws_time_spread_of_launches, median, true)
SPREAD(most, ws_time_spread_of_launches, most, true)
SPREAD(frame_least, ws_time_spread_of_frames, least, results_of(row)->frames > 1)
SPREAD(frame_median, ws_time_spread_of_frames, median, results_of(row)->frames > 1)
SPREAD(frame_most, ws_time_spread_of_frames, most, results_of(row)->frames > 1)

#define AT(member) offsetof(struct ws_time_sums, member)

static const struct ws_field measures[] = {
    {"launches", "how many", WS_COUNT, .at = AT(launches)},
    {"untimed", "those of them whose time is not known", WS_COUNT, .at = AT(untimed), .flags = WS_BLANK_ZERO},
    {"time_ns", "device time of the others", WS_COUNT, .value = time_ns, .better = WS_BETTER_LESS,
     .flags = WS_MEASURED},
    {"time", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT, .value = time_shown},
    {"share", "of the time of all launches", WS_SHARE, .value = share, .flags = WS_MEASURED},
    {"min_ns", "the shortest time of a launch", WS_COUNT, .value = least_ns, .better = WS_BETTER_LESS,
     .flags = WS_STEADY | WS_MEASURED},
    {"min", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT, .value = least_shown},
    {"median_ns", "the median of the times of launches; the lower one of two", WS_COUNT, .value = median_ns,
     .better = WS_BETTER_LESS, .flags = WS_STEADY | WS_MEASURED},
    {"median", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT, .value = median_shown},
    {"max_ns", "the longest time of a launch", WS_COUNT, .value = most_ns, .better = WS_BETTER_LESS,
     .flags = WS_STEADY | WS_MEASURED},
    {"max", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT, .value = most_shown},
    {"frame_min_ns", "the shortest time in a frame, of all launches in it; frames without are left out",
     WS_COUNT, .value = frame_least_ns, .better = WS_BETTER_LESS, .flags = WS_STEADY | WS_MEASURED},
    {"frame_min", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT,
     .value = frame_least_shown},
    {"frame_median_ns", "the median over frames", WS_COUNT, .value = frame_median_ns,
     .better = WS_BETTER_LESS, .flags = WS_STEADY | WS_MEASURED},
    {"frame_median", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT,
     .value = frame_median_shown},
    {"frame_max_ns", "the longest time in a frame", WS_COUNT, .value = frame_most_ns,
     .better = WS_BETTER_LESS, .flags = WS_STEADY | WS_MEASURED},
    {"frame_max", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT,
     .value = frame_most_shown},
    {"interval_ns", "from the first launch of a frame and queue to the end of the last, summed", WS_COUNT,
     .value = interval_ns, .better = WS_BETTER_LESS, .flags = WS_MEASURED},
    {"interval", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT, .value = interval_shown},
    {"busy", "time / interval: the rest is between launches", WS_SHARE, .value = busy, .flags = WS_MEASURED},
    {NULL},
};

#define SPREADS "min median max"
#define FRAMES  "frame_min frame_median frame_max"
#define DATA                                                                                                 \
    " launches untimed time_ns share min_ns median_ns max_ns frame_min_ns frame_median_ns frame_max_ns"
#define INTERVALS " interval_ns busy"

static const struct ws_level levels[] = {
    [WS_TIME_BY_ALL] = {"total", "Device time", .text = "launches untimed time interval busy " FRAMES,
                        .data = "launches untimed time_ns" INTERVALS
                                " min_ns median_ns max_ns frame_min_ns frame_median_ns frame_max_ns"},
    [WS_TIME_BY_PLACE] =
        {"places", "Launches, equal ones together", .by = 1u << WS_TIME_PLACE, .sort = "-time_ns",
         .text = "share time first_launch launch_kind launch_size pipeline label launches untimed " SPREADS,
         .data = "place first_launch launch_kind launch_size order label pipeline_id pipeline" DATA},
    [WS_TIME_BY_PIPELINE] = {"pipelines", "Pipelines", .by = 1u << WS_TIME_PIPELINE, .sort = "-time_ns",
                             .text = "share time pipeline_id pipeline launches untimed " SPREADS " " FRAMES,
                             .data = "pipeline_id pipeline" DATA},
    [WS_TIME_BY_LABEL] = {"labels", "Debug labels", .by = 1u << WS_TIME_LABEL, .sort = "-time_ns",
                          .text = "share time label launches untimed " SPREADS " " FRAMES,
                          .data = "label" DATA},
    [WS_TIME_BY_FRAME] = {"frames", "Frames", .by = 1u << WS_TIME_FRAME,
                          .text = "frame launches untimed time interval busy " SPREADS,
                          .data = "frame launches untimed time_ns share min_ns median_ns max_ns" INTERVALS},
    [WS_TIME_BY_QUEUE] =
        {"queues", "Queues", .by = 1u << WS_TIME_QUEUE,
         .text = "queue_family queue_index timestamp_bits launches untimed time share interval busy",
         .data = "queue_family queue_index device timestamp_bits" DATA INTERVALS},
    [WS_TIME_BY_LAUNCH] =
        {"launches", .by = 1u << WS_TIME_LAUNCH,
         .data = "launch frame submission launch_kind launch_size label pipeline_id pipeline place "
                 "queue_family queue_index time_ns share"},
    {NULL},
};

const struct ws_columns ws_time_columns = {dimensions,
                                           measures,
                                           levels,
                                           sizeof(struct ws_time_sums),
                                           .shown = "launches untimed time share " SPREADS,
                                           .add = ws_time_sums_add,
                                           .finish = ws_time_sums_finish,
                                           .main = "time_ns busy",
                                           .weight = "time_ns"};

static const char words[] =
    "The time of a launch is from when all before it on its queue has ended to when it has ended too. So "
    "times of\n"
    "a queue add up: of launches that overlap, the later one has what it took longer. Interval is from the "
    "first\n"
    "launch of a frame to the end of the last; busy is the part of it that launches took. The rest is "
    "copies,\n"
    "builds, waits and idle time. Min, median and max are of single launches, frame min, median and max of "
    "the\n"
    "sums of each frame. Times are the program's own where nothing else was recorded (record -p time).\n";

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_launch_times *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->groups = ws_groups_create(&ws_time_columns, catalog, results, &options->view, error);
    if (results->groups != NULL)
        return results;
    free(results);
    return NULL;
}

static void destroy(void *pointer)
{
    struct ws_launch_times *results = pointer;
    ws_groups_destroy(results->groups);
    ws_text_pool_finish(&results->texts);
    free(results->places);
    free(results->labels);
    free(results);
}

static bool end(void *results, struct ws_error *error)
{
    return ws_launch_times_collect(results, error);
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct ws_launch_times *results = pointer;
    return results->groups;
}

/* Whose times these are. */
static void print_origin(const struct ws_catalog *catalog, FILE *stream)
{
    const struct ws_times_join *join = ws_times_joined(catalog);
    if (join != NULL) {
        fputs("  from '", stream);
        ws_text_print(stream, join->path);
        fprintf(stream, "': %" PRIu64 " of %" PRIu64 " launches are there\n", join->same + join->typical,
                join->launches);
    }
    if (ws_times_are_instrumented(catalog))
        fputs("  These are times of instrumented shaders: what recording takes, not what the program takes. "
              "For\n"
              "  that, record once more with -p time alone, and add --time with that capture here.\n",
              stream);
}

static bool text(const void *pointer, FILE *stream)
{
    const struct ws_launch_times *results = pointer;
    const bool labelled =
        results->label_count > 1 || (results->label_count == 1 && results->labels[0][0] != '\0');
    bool printed = true;
    if (!ws_times_any(results->catalog)) {
        fputs("\nDevice time\n  no launch has a time\n", stream);
        return true;
    }
    printed = ws_groups_text(results->groups, WS_TIME_BY_ALL, stream);
    print_origin(results->catalog, stream);
    for (uint32_t level = WS_TIME_BY_PLACE; level <= WS_TIME_BY_QUEUE && printed; ++level) {
        const uint32_t rows = ws_groups_count(results->groups, level);
        const bool said = level == WS_TIME_BY_PLACE || (rows > 1 && (level != WS_TIME_BY_LABEL || labelled));
        if (said)
            printed = ws_groups_text(results->groups, level, stream);
    }
    return printed;
}

static void note(uint64_t count, const char *why, FILE *stream)
{
    if (count > 0)
        fprintf(stream, "  no time of %" PRIu64 " launch%s: %s\n", count, ws_plural(count, "es"), why);
}

static void notes(const void *pointer, FILE *stream)
{
    const struct ws_launch_times *results = pointer;
    const struct ws_times_join *join = ws_times_joined(results->catalog);
    note(results->states[WS_TIME_NO_TIMESTAMPS], "their queue has no timestamps (timestampValidBits is 0)",
         stream);
    note(results->states[WS_TIME_SUSPENDED],
         "renderings that go on in another command buffer, between whose parts no timestamp may stand",
         stream);
    note(results->states[WS_TIME_MIXED], "their command buffer may have run on two queues at the same time",
         stream);
    note(results->states[WS_TIME_NO_MEMORY], "there was no memory for their queries", stream);
    note(results->states[6], "their second timestamp is before their first", stream);
    note(results->absent, "the capture does not tell it", stream);
    if (join == NULL)
        return;
    if (join->typical > 0)
        fprintf(stream,
                "  %" PRIu64
                " launch%s the median of the same launch in other frames: theirs was not captured in the "
                "timed run\n",
                join->typical, join->typical == 1 ? " has" : "es have");
    note(join->untimed, "the timed run has it, but no time of it", stream);
    note(join->other, "the timed run has its pipelines only with another size, number of draws or label",
         stream);
    note(join->elsewhere, "the timed run has no launch with its pipelines", stream);
}

/* What is no table. */
static const struct ws_member joined_members[] = {
    {"file", "string", "the capture that the times come from"},
    {"launches", "integer", "launches of this capture"},
    {"same", "integer", "those that have the time of the same launch there"},
    {"typical", "integer", "those that have the median over frames there"},
    {"untimed", "integer", "those that are there without a time"},
    {"other", "integer", "those whose pipelines are there only with another size, number of draws or label"},
    {"elsewhere", "integer", "those whose pipelines are not there"},
    {NULL},
};

static const struct ws_member members[] = {
    {"instrumented", "boolean", "the times are those of instrumented shaders, not the program's"},
    {"joined", "object?", "how the times came from another capture; null: they are this one's own",
     joined_members},
    {NULL},
};

static bool json(const void *pointer, struct ws_json *json)
{
    const struct ws_launch_times *results = pointer;
    const struct ws_times_join *join = ws_times_joined(results->catalog);
    cJSON *joined = join != NULL ? cJSON_CreateObject() : cJSON_CreateNull();
    ws_json_member(json, "instrumented", cJSON_CreateBool(ws_times_are_instrumented(results->catalog)));
    if (join != NULL && joined != NULL) {
        cJSON_AddStringToObject(joined, "file", join->path);
        ws_json_integer(joined, "launches", join->launches);
        ws_json_integer(joined, "same", join->same);
        ws_json_integer(joined, "typical", join->typical);
        ws_json_integer(joined, "untimed", join->untimed);
        ws_json_integer(joined, "other", join->other);
        ws_json_integer(joined, "elsewhere", join->elsewhere);
    }
    ws_json_member(json, "joined", joined);
    return !json->failed;
}

/* The time of each frame, if there are several. */
static bool plot_frames(const struct ws_launch_times *results, struct ws_plots *plots, struct ws_error *error)
{
    const uint32_t rows = ws_groups_count(results->groups, WS_TIME_BY_FRAME);
    uint32_t count = 0;
    uint32_t *order = ws_groups_sorted(results->groups, WS_TIME_BY_FRAME, &count);
    double *points = calloc(2 * (size_t)rows + 1, sizeof(*points));
    bool plotted = order != NULL && points != NULL;
    for (uint32_t i = 0; plotted && i < count; ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_TIME_BY_FRAME, order[i], &row);
        points[i] = (double)row.keys[WS_TIME_FRAME];
        points[rows + i] = (double)sums_of(&row)->nanoseconds / 1e6;
    }
    const struct ws_series series[] = {{"launches", points, points + rows, count}};
    const struct ws_plot plot = {.kind = WS_PLOT_LINES,
                                 .title = "Device time of each frame's launches",
                                 .x_label = "frame",
                                 .y_label = "ms",
                                 .series = series,
                                 .series_count = 1};
    if (plotted && count > 1)
        plotted = ws_plots_plot(plots, "frames", &plot, error);
    free(order);
    free(points);
    return plotted;
}

static bool plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_launch_times *results = pointer;
    const struct ws_groups_plot pipelines = {.kind = WS_PLOT_BARS,
                                             .name = "pipelines",
                                             .title = "Device time by pipeline",
                                             .y_label = "% of the time of all launches",
                                             .label = "pipeline",
                                             .fields = "share"};
    if (!ws_times_any(results->catalog))
        return true;
    if (ws_groups_count(results->groups, WS_TIME_BY_PIPELINE) > 1 &&
        !ws_groups_plot(results->groups, WS_TIME_BY_PIPELINE, &pipelines, plots, error))
        return false;
    return results->frames < 2 || plot_frames(results, plots, error);
}

static const char *const passes[] = {WS_PASS_TIME, NULL};

const struct ws_analysis ws_analysis_time = {
    .name = "time",
    .summary = "how long launches took on the device: per launch, pipeline, label and frame",
    .passes = passes,
    .columns = &ws_time_columns,
    .words = words,
    .answers = "what launches cost",
    .findings = ws_launch_times_findings,
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .end = end,
    .text = text,
    .notes = notes,
    .json = json,
    .members = members,
    .plots = plots,
};
