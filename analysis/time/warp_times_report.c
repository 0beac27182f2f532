/* How the times of warps are shown: columns, pictures, and what the summary says of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/time/warp_times.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/model/work_id.h"
#include "warpscope/output/json.h"
#include "warpscope/passes.h"
#include "warpscope/report/findings.h"

static const struct ws_warp_times *results_of(const struct ws_row *row)
{
    return row->user;
}

static const struct ws_warp_times_sums *sums_of(const struct ws_row *row)
{
    return row->sums;
}

static const struct ws_warp_times_slow *slow_of(const struct ws_row *row)
{
    return &results_of(row)->slow[row->key];
}

static void slow_ticks(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, slow_of(row)->ticks);
}

static void slow_waiting(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_warp_times_slow *slow = slow_of(row);
    if (slow->lane_ticks > 0)
        ws_value_real(value, (double)slow->waiting / (double)slow->lane_ticks);
}

static void slow_part(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_warp_times_launch *launch = ws_warp_times_launch(results_of(row), slow_of(row)->launch);
    if (launch != NULL && launch->flight.last > launch->flight.first)
        ws_value_real(value,
                      (double)slow_of(row)->ticks / (double)(launch->flight.last - launch->flight.first));
}

static void slow_work(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_warp_times_slow *slow = slow_of(row);
    char work[64];
    ws_work_text(row->catalog->shaders[slow->shader].stage, slow->work, work, sizeof(work));
    ws_value_text(value, "%s", work);
}

static void slow_warp(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, slow_of(row)->warp);
}

static const struct ws_field slow_fields[] = {
    {"warp_time", "ticks from its begin to its end", WS_COUNT, .value = slow_ticks,
     .flags = WS_MEASURED | WS_FIGURE},
    {"part_of_span", "of its launch's span", WS_SHARE, .value = slow_part, .flags = WS_MEASURED | WS_FIGURE},
    {"lanes_waiting", "of its lanes' time: ended, while others of the warp run", WS_SHARE,
     .value = slow_waiting, .flags = WS_MEASURED | WS_FIGURE},
    {"thread", "the lowest work id of the warp, as --thread takes it", WS_TEXT, .flags = WS_RIGHT,
     .value = slow_work},
    {"warp", "index of the warp", WS_COUNT, .value = slow_warp},
    {NULL},
};

static const struct ws_dimension dimensions[] = {
    [WS_WARP_TIMES_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_WARP_TIMES_STAGE] = {WS_DIMENSION_STAGE},
    [WS_WARP_TIMES_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_WARP_TIMES_STAGE},
    [WS_WARP_TIMES_SLOW] = {"slow", "place in the list of the slowest warps", slow_fields,
                            .shown = "warp_time part_of_span lanes_waiting thread warp", .same = "",
                            .implies = 1u << WS_WARP_TIMES_SHADER | 1u << WS_WARP_TIMES_LAUNCH},
    [WS_WARP_TIMES_DIMENSIONS] = {NULL},
};

static void self_share(const struct ws_row *row, struct ws_value *value)
{
    if (results_of(row)->self > 0 && sums_of(row)->executions > 0)
        ws_value_real(value, (double)sums_of(row)->self / (double)results_of(row)->self);
}

#define AT(member) .at = offsetof(struct ws_warp_times_sums, member)
#define OF(member) .of = offsetof(struct ws_warp_times_sums, member)

static const struct ws_field measures[] = {
    {"executions", "of the shader by warps", WS_COUNT, AT(executions)},
    {"total_time", "their ticks from begin to end, with shaders that they call", WS_COUNT, AT(ticks),
     .better = WS_BETTER_LESS, .flags = WS_MEASURED},
    {"self_time", "their ticks without shaders that they call", WS_COUNT, AT(self), .better = WS_BETTER_LESS,
     .flags = WS_MEASURED},
    {"share", "of the self time of all shaders", WS_SHARE, .value = self_share, .flags = WS_MEASURED},
    {"mean_time", "total time of an execution, in ticks", WS_RATIO, AT(ticks), OF(executions), .digits = 1,
     .better = WS_BETTER_LESS, .flags = WS_MEASURED},
    {"waiting", "of the time of lanes that entered: ended, while others of the execution run", WS_SHARE,
     AT(waiting), OF(lane_ticks), .better = WS_BETTER_LESS, .flags = WS_MEASURED},
    {"unknown", "executions whose begin was not recorded", WS_COUNT, AT(unknown), .flags = WS_BLANK_ZERO},
    {"backwards", "executions in which the clock ran backwards: times are not to be trusted", WS_COUNT,
     AT(backwards), .flags = WS_BLANK_ZERO | WS_MEASURED},
    {"warps", "of launched shaders", WS_COUNT, AT(warps)},
    {"mean_warp_time", "ticks of a warp, with all that it calls", WS_RATIO, AT(warp_ticks), OF(warps),
     .digits = 1, .better = WS_BETTER_LESS, .flags = WS_MEASURED},
    {"warps_waiting", "of the time of their lanes: ended, while others of the warp run", WS_SHARE,
     AT(warp_waiting), OF(warp_lane_ticks), .better = WS_BETTER_LESS, .flags = WS_MEASURED},
    {"launches", "with warps whose times can be compared", WS_COUNT, AT(launches)},
    {"span", "ticks from a launch's first begin to its last end, summed", WS_COUNT, AT(span),
     .better = WS_BETTER_LESS, .flags = WS_MEASURED},
    {"in_flight", "warps in flight, the mean over the span", WS_RATIO, AT(flight_ticks), OF(span),
     .better = WS_BETTER_MORE, .flags = WS_MEASURED},
    {"peak", "the most warps in flight", WS_COUNT, AT(peak), .flags = WS_MAX | WS_STEADY | WS_MEASURED},
    {"tail", "of the span: fewer than half of the peak are in flight, until its end", WS_SHARE, AT(tail),
     OF(span), .better = WS_BETTER_LESS, .flags = WS_MEASURED},
    {"drain", "of peak x span: room without a warp after the last begin", WS_SHARE, AT(drain), OF(room),
     .better = WS_BETTER_LESS, .flags = WS_MEASURED},
    {NULL},
};

#define FLIGHT   " span in_flight peak tail drain"
#define LAUNCHED " warps mean_warp_time warps_waiting"

static const struct ws_level levels[] = {
    [WS_WARP_TIMES_BY_ALL] = {"total", "Warps over time, in ticks",
                              .text = "launches warps mean_warp_time warps_waiting in_flight peak tail drain",
                              .data = "launches executions self_time unknown backwards" LAUNCHED FLIGHT},
    [WS_WARP_TIMES_BY_SHADER] =
        {"shaders", "Shaders, by their own time, in ticks", .by = 1u << WS_WARP_TIMES_SHADER,
         .sort = "-self_time",
         .text = "share self_time total_time executions mean_time waiting unknown backwards stage shader_id "
                 "shader",
         .data = "shader_id shader stage executions total_time self_time share mean_time waiting "
                 "unknown backwards" LAUNCHED},
    [WS_WARP_TIMES_BY_LAUNCH] =
        {"launches", "Launches, times in ticks", .by = 1u << WS_WARP_TIMES_LAUNCH, .sort = "-span",
         .text = "launch launch_kind launch_size label" LAUNCHED FLIGHT,
         .data = "launch frame submission launch_kind launch_size label executions self_time "
                 "unknown backwards" LAUNCHED FLIGHT},
    [WS_WARP_TIMES_BY_SLOW] = {"slowest", "Slowest warps, times in ticks", .by = 1u << WS_WARP_TIMES_SLOW,
                               .ordered = true, .sort = "-warp_time",
                               .text = "warp_time part_of_span lanes_waiting thread warp launch stage shader",
                               .data = "warp_time part_of_span lanes_waiting thread warp launch shader_id "
                                       "shader stage"},
    {NULL},
};

const struct ws_columns ws_warp_times_columns = {
    dimensions,
    measures,
    levels,
    sizeof(struct ws_warp_times_sums),
    .shown = "share self_time total_time executions mean_time waiting warps in_flight peak tail drain",
    .main = "self_time tail warps_waiting",
    .weight = "self_time"};

static const char words[] =
    "Times are ticks of the device's shader clock; how many nanoseconds one is, is known where the capture\n"
    "has the times of launches, too (-p warp_time,time). An execution is one of a shader by a warp: total "
    "time is\n"
    "from its begin to the end of its last lane, self time is without that of shaders that it calls. Lanes\n"
    "that ended wait for the last one of their warp. In flight are warps that have begun and not ended; the\n"
    "tail of a launch is when fewer than half of its peak are, until its end. Drain is the room that no "
    "warp\n"
    "fills after the last one has begun. What traces rays for a shader is in the shader's own time.\n";

static const struct ws_groups *groups(const void *user)
{
    const struct ws_warp_times *results = user;
    return results->groups;
}

static const char *nothing(const void *user)
{
    const struct ws_warp_times *results = user;
    return results->self == 0 && results->launch_count == 0 ? "no warp has a time" : NULL;
}

static bool text(const void *user, FILE *stream)
{
    const struct ws_warp_times *results = user;
    if (results->least_rate > 0 && results->most_rate > 0)
        fprintf(stream, "\nTimes are ticks of the shader clock: one is %.4g to %.4g ns\n",
                1 / results->most_rate, 1 / results->least_rate);
    else if (results->least_rate > 0)
        fprintf(stream, "\nTimes are ticks of the shader clock: one is at most %.4g ns\n",
                1 / results->least_rate);
    else
        fputs("\nTimes are ticks of the shader clock; how long one is, -p warp_time,time tells\n", stream);
    return ws_groups_text_all(results->groups, stream);
}

static bool has_other_passes(const struct ws_warp_times *results)
{
    for (uint32_t m = 0; m < results->catalog->module_count; ++m)
        for (uint32_t i = 0; i < results->catalog->modules[m].pass_count; ++i) {
            const char *pass = results->catalog->modules[m].passes[i];
            if (strcmp(pass, WS_PASS_WARP_TIME) != 0 && strcmp(pass, WS_PASS_TIME) != 0)
                return true;
        }
    return false;
}

static uint64_t backwards_of(const struct ws_warp_times *results)
{
    struct ws_row row;
    if (ws_groups_count(results->groups, WS_WARP_TIMES_BY_ALL) == 0)
        return 0;
    ws_groups_row(results->groups, WS_WARP_TIMES_BY_ALL, 0, &row);
    return sums_of(&row)->backwards;
}

static void notes(const void *user, FILE *stream)
{
    const struct ws_warp_times *results = user;
    fputs("  times of warps have in them what their records take; shares compare shaders that all have it\n",
          stream);
    if (has_other_passes(results))
        fputs("  other passes were recorded too: times of warps have what these take in them; record -p "
              "warp_time alone\n",
              stream);
    if (results->of_subgroup)
        fputs(
            "  the device has a clock for each subgroup only: warps cannot be compared, so nothing is known "
            "of how many\n  are in flight\n",
            stream);
    if (backwards_of(results) > 0)
        fprintf(stream,
                "  in %" PRIu64
                " executions the clock ran backwards: processors of this device disagree about the "
                "time, and figures\n  that compare warps are as wrong as they do\n",
                backwards_of(results));
    if (results->pictures_left_out > 0)
        fprintf(stream, "  %" PRIu64 " launches have no picture: there are more sizes than are drawn\n",
                results->pictures_left_out);
}

static const struct ws_member rate_members[] = {
    {"least", "number", "at least so many"},
    {"most", "number?", "at most; null: not known"},
    {"launches", "integer", "whose timestamps tell it"},
    {NULL},
};

static const struct ws_member members[] = {
    {"clock", "string", "device: one clock for all warps; subgroup: warps cannot be compared"},
    {"ticks_per_nanosecond", "object?",
     "bounds of the clock's rate; null: the capture has no times of launches", rate_members},
    {NULL},
};

static bool json(const void *user, struct ws_json *json)
{
    const struct ws_warp_times *results = user;
    cJSON *rate = results->least_rate > 0 ? cJSON_CreateObject() : cJSON_CreateNull();
    ws_json_member(json, "clock", cJSON_CreateString(results->of_subgroup ? "subgroup" : "device"));
    if (rate != NULL && results->least_rate > 0) {
        cJSON_AddNumberToObject(rate, "least", results->least_rate);
        if (results->most_rate > 0)
            cJSON_AddNumberToObject(rate, "most", results->most_rate);
        else
            cJSON_AddNullToObject(rate, "most");
        ws_json_integer(rate, "launches", results->rate_launches);
    }
    ws_json_member(json, "ticks_per_nanosecond", rate);
    return !json->failed;
}

static bool plot_flights(const struct ws_warp_times *results, struct ws_plots *plots, struct ws_error *error)
{
    struct ws_series series[WS_WARP_TIMES_CURVES];
    char names[WS_WARP_TIMES_CURVES][48];
    double x[WS_WARP_TIMES_BINS];
    size_t count = 0;
    for (uint32_t i = 0; i < WS_WARP_TIMES_BINS; ++i)
        x[i] = 100 * (i + 0.5) / WS_WARP_TIMES_BINS;
    for (uint32_t i = 0; i < results->launch_count && count < WS_WARP_TIMES_CURVES; ++i) {
        if (results->launches[i].curve == NULL)
            continue;
        snprintf(names[count], sizeof(names[count]), "launch %" PRIu64, results->launches[i].launch);
        series[count] = (struct ws_series){names[count], x, results->launches[i].curve, WS_WARP_TIMES_BINS};
        count++;
    }
    const struct ws_plot plot = {
        .kind = WS_PLOT_LINES,
        .title = "Warps in flight",
        .about = "How many warps had begun and not ended, over the longest launches. Where a line falls long "
                 "before the right edge, few warps hold up the rest of the program.",
        .x_label = "% of the launch's span",
        .y_label = "warps in flight",
        .series = series,
        .series_count = count,
    };
    return count == 0 || ws_plots_plot(plots, "in-flight", &plot, error);
}

static bool put_picture(const struct ws_warp_times *results, const struct ws_warp_times_picture *picture,
                        struct ws_plots *plots, struct ws_error *error)
{
    char name[128];
    char title[384];
    char launch[32];
    const struct ws_shader_record *shader = &results->catalog->shaders[picture->shader];
    snprintf(name, sizeof(name), "%s-%" PRIu32 "-%" PRIu32 "x%" PRIu32 "x%" PRIu32 "-thread-time",
             ws_stage_name(picture->stage), shader->id, picture->grid.extent[0], picture->grid.extent[1],
             picture->grid.extent[2]);
    snprintf(title, sizeof(title), "Time of threads, %s", ws_shader_name(results->catalog, picture->shader));
    if (picture->launches > 1)
        snprintf(title + strlen(title), sizeof(title) - strlen(title), ", %" PRIu64 " launches",
                 picture->launches);
    snprintf(launch, sizeof(launch), "--launch %" PRIu64, picture->last);
    const struct ws_image_grid grid =
        ws_image_grid_of_threads(picture->grid.first, picture->grid.extent, picture->grid.columns,
                                 picture->launches == 1 ? launch : NULL);
    const struct ws_image image = {
        .kind = WS_IMAGE_HEAT,
        .width = picture->grid.width,
        .height = picture->grid.height,
        .values = picture->values,
        .title = title,
        .about =
            "From where each thread begins to where it ends. Threads of a warp run together: so the time of "
            "one has in it what the others do.",
        .unit = "ticks",
        .grid = &grid};
    return ws_plots_image(plots, name, &image, error);
}

static bool plots(const void *user, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_warp_times *results = user;
    const struct ws_groups_plot shaders = {.kind = WS_PLOT_ROWS,
                                           .name = "shaders",
                                           .title = "Time of shaders, without those that they call",
                                           .y_label = "% of the time of all",
                                           .label = "shader",
                                           .fields = "share"};
    bool put = plot_flights(results, plots, error) &&
               ws_groups_plot(results->groups, WS_WARP_TIMES_BY_SHADER, &shaders, plots, error);
    for (uint32_t i = 0; i < results->picture_count && put; ++i)
        put = put_picture(results, &results->pictures[i], plots, error);
    return put;
}

/* The launch that loses most ticks to its tail. */
static bool find_tail(const struct ws_warp_times *results, struct ws_findings *findings)
{
    const struct ws_warp_times_launch *worst = NULL;
    for (uint32_t i = 0; i < results->launch_count; ++i) {
        const struct ws_flight *flight = &results->launches[i].flight;
        if (flight->tail > 0 &&
            (double)flight->tail >= WS_WARP_TIMES_LONG_TAIL * (double)(flight->last - flight->first) &&
            (worst == NULL || flight->tail > worst->flight.tail))
            worst = &results->launches[i];
    }
    if (worst == NULL)
        return true;
    const struct ws_launch_record *launch = ws_catalog_launch(results->catalog, worst->launch);
    const double span = (double)(worst->flight.last - worst->flight.first);
    const struct ws_finding finding = {
        .kind = WS_FINDING_FACT,
        .title = "A launch runs out slowly",
        .place = ws_findings_text(findings, "launch %" PRIu64 ", %s", worst->launch,
                                  launch != NULL ? ws_launch_kind_name(launch->kind) : ""),
        .text = ws_findings_text(findings,
                                 "For the last %.0f %% of its time fewer than half of the %" PRIu64
                                 " warps are in flight that were at its peak: what comes after waits for the "
                                 "slowest.",
                                 100 * (double)worst->flight.tail / span, worst->flight.peak),
        .options = ws_findings_text(findings, "--launch %" PRIu64, worst->launch),
    };
    return ws_findings_add(findings, &finding);
}

/* The launched shader whose lanes lose most ticks to the slowest of their warp. */
static bool find_waiting(const struct ws_warp_times *results, struct ws_findings *findings)
{
    struct ws_row worst = {.sums = NULL};
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_WARP_TIMES_BY_SHADER); ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_WARP_TIMES_BY_SHADER, i, &row);
        const struct ws_warp_times_sums *sums = row.sums;
        if (sums->warp_waiting > 0 && row.keys[WS_WARP_TIMES_SHADER] < results->catalog->shader_count &&
            (double)sums->warp_waiting >= WS_WARP_TIMES_WAITING * (double)sums->warp_lane_ticks &&
            (worst.sums == NULL || sums->warp_waiting > sums_of(&worst)->warp_waiting))
            worst = row;
    }
    if (worst.sums == NULL)
        return true;
    const uint32_t shader = (uint32_t)worst.keys[WS_WARP_TIMES_SHADER];
    const char *name = ws_shader_name(results->catalog, shader);
    const struct ws_finding finding = {
        .kind = WS_FINDING_FACT,
        .cause = WS_CAUSE_EARLY_RETURN,
        .in = shader,
        .title = "Lanes wait for the slowest of their warp",
        .place = name,
        .text = ws_findings_text(
            findings, "For %.0f %% of their time lanes of its warps have ended, and others have not.",
            100 * (double)sums_of(&worst)->warp_waiting / (double)sums_of(&worst)->warp_lane_ticks),
        .options = ws_findings_option(findings, "--shader", name),
    };
    return ws_findings_add(findings, &finding);
}

static bool findings(const void *user, struct ws_findings *findings)
{
    return backwards_of(user) > 0 || (find_tail(user, findings) && find_waiting(user, findings));
}

static const char *const passes[] = {WS_PASS_WARP_TIME, NULL};

const struct ws_analysis ws_analysis_warp_time = {
    .name = "warp_time",
    .summary = "when warps ran: how many are in flight, how launches run out, time of shaders, slowest warps",
    .passes = passes,
    .columns = &ws_warp_times_columns,
    .words = words,
    .answers = "where time goes within a launch",
    .findings = findings,
    .create = ws_warp_times_create,
    .destroy = ws_warp_times_destroy,
    .replay = &ws_warp_times_replay,
    .attach = ws_warp_times_attach,
    .groups = groups,
    .end = ws_warp_times_end,
    .nothing = nothing,
    .text = text,
    .notes = notes,
    .json = json,
    .members = members,
    .plots = plots,
};
