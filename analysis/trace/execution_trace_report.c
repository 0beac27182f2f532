/* How the execution trace is shown: its columns (report/columns.h), and the sections of its text that are no
 * tables of columns. trace_path_report.c shows the traces of chosen threads and warps. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/execution_trace.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/model/work_id.h"
#include "warpscope/output/json.h"
#include "warpscope/output/table.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/columns.h"
#include "warpscope/report/findings.h"

#define NAME_SIZE  384
#define BINS       20 /* of a histogram */
#define ROWS_USUAL 20 /* of the table of launches */
#define STAGES     16 /* launched shaders that have a section, unless --rows says otherwise */

/* The launched shader of a row, over all launches; NULL if the row is not of one shader. */
static const struct ws_trace_stage *stage_of(const struct ws_row *row)
{
    const struct ws_trace_results *results = row->user;
    const uint64_t shader = row->keys[WS_TRACE_SHADER];
    const uint32_t at = shader < WS_NONE ? ws_trace_stage_at(results, (uint32_t)shader) : WS_NONE;
    return at != WS_NONE ? &results->stages[at] : NULL;
}

static int compare_launches(const void *index, const void *element)
{
    const uint64_t sought = *(const uint64_t *)index;
    const struct ws_trace_launch *launch = element;
    return sought < launch->launch.index ? -1 : sought > launch->launch.index;
}

/* The launched shader of a row in the launch of the row; NULL if there is none. Launches are replayed in the
 * order of their indices. */
static const struct ws_trace_shader *shader_of(const struct ws_row *row)
{
    const struct ws_trace_results *results = row->user;
    const struct ws_trace_launch *launch =
        results->launch_count == 0
            ? NULL
            : bsearch(&row->keys[WS_TRACE_LAUNCH], results->launches, results->launch_count,
                      sizeof(*results->launches), compare_launches);
    for (uint32_t i = 0; launch != NULL && i < launch->shader_count; ++i)
        if (launch->shaders[i].shader == row->keys[WS_TRACE_SHADER])
            return &launch->shaders[i];
    return NULL;
}

static const struct ws_trace_sums *sums_of(const struct ws_row *row)
{
    return row->sums;
}

/* The lifetimes of a row's threads, or of its warps: of a launched shader, in one launch or in all. Other
 * rows have none: a median does not add up. */
static bool summary_of(const struct ws_row *row, bool warps, struct ws_trace_summary *summary)
{
    const bool in_launch = row->keys[WS_TRACE_LAUNCH] != WS_KEY_NONE;
    const struct ws_trace_shader *launched = in_launch ? shader_of(row) : NULL;
    const struct ws_trace_stage *stage = in_launch ? NULL : stage_of(row);
    if ((launched == NULL && stage == NULL) || row->keys[WS_TRACE_BY_BLOCKS] != WS_KEY_NONE ||
        row->keys[WS_TRACE_BY_CALLED] != WS_KEY_NONE || row->keys[WS_TRACE_MOST_PLACE] != WS_KEY_NONE)
        return false;
    if (launched != NULL)
        *summary = warps ? launched->warps : launched->threads;
    else
        *summary = warps ? stage->warps.summary : stage->threads.summary;
    return true;
}

#define LIFETIME(name, warps, member)                                                                        \
    static void name(const struct ws_row *row, struct ws_value *value)                                       \
    {                                                                                                        \
        struct ws_trace_summary summary;                                                                     \
        if (summary_of(row, warps, &summary))                                                                \
            ws_value_count(value, summary.member);                                                           \
    }
LIFETIME(thread_minimum, false, minimum)
LIFETIME(thread_median, false, median)
LIFETIME(thread_ninety, false, ninety)
LIFETIME(thread_maximum, false, maximum)
LIFETIME(warp_minimum, true, minimum)
LIFETIME(warp_median, true, median)
LIFETIME(warp_ninety, true, ninety)
LIFETIME(warp_maximum, true, maximum)
#undef LIFETIME

static void three_lifetimes(const struct ws_row *row, bool warps, struct ws_value *value)
{
    struct ws_trace_summary summary;
    if (summary_of(row, warps, &summary))
        ws_value_text(value, "%" PRIu64 " %" PRIu64 " %" PRIu64, summary.minimum, summary.median,
                      summary.maximum);
}

static void thread_lifetimes(const struct ws_row *row, struct ws_value *value)
{
    three_lifetimes(row, false, value);
}

static void warp_lifetimes(const struct ws_row *row, struct ws_value *value)
{
    three_lifetimes(row, true, value);
}

static void work_id(const struct ws_row *row, struct ws_value *value)
{
    if (row->keys[WS_TRACE_STAGE] != WS_KEY_NONE)
        ws_value_text(value, "%s", ws_work_name((uint32_t)row->keys[WS_TRACE_STAGE]));
}

static void no_map(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_trace_stage *stage = stage_of(row);
    if (stage != NULL && ws_trace_no_map(stage->stage) != NULL)
        ws_value_text(value, "%s", ws_trace_no_map(stage->stage));
}

static void no_picture(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_trace_stage *stage = stage_of(row);
    if (stage != NULL && ws_trace_no_picture(stage->stage) != NULL)
        ws_value_text(value, "%s", ws_trace_no_picture(stage->stage));
}

/* The pattern of the row's warps, and how many full warps have it. False where the row has no map of work
 * ids. */
static bool pattern_of(const struct ws_row *row, char *text, size_t size, uint64_t *fitting)
{
    const struct ws_trace_shader *launched = shader_of(row);
    if (launched == NULL || ws_trace_no_map(launched->stage) != NULL ||
        row->keys[WS_TRACE_MOST_PLACE] != WS_KEY_NONE)
        return false;
    ws_trace_work_map_text(&launched->work, text, size, fitting);
    return true;
}

static void pattern(const struct ws_row *row, struct ws_value *value)
{
    char text[96];
    uint64_t count = 0;
    if (pattern_of(row, text, sizeof(text), &count))
        ws_value_text(value, "%s", text);
}

static void fitting(const struct ws_row *row, struct ws_value *value)
{
    char text[96];
    uint64_t count = 0;
    if (pattern_of(row, text, sizeof(text), &count))
        ws_value_count(value, count);
}

static void note(const struct ws_row *row, struct ws_value *value)
{
    const bool in_launch = row->keys[WS_TRACE_LAUNCH] != WS_KEY_NONE;
    char text[NAME_SIZE];
    ws_trace_note(sums_of(row)->truncated > 0, sums_of(row)->regrouped,
                  in_launch ? 0 : sums_of(row)->called_by_warps, text, sizeof(text));
    ws_value_text(value, "%s", text);
}

static void called_stage(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", ws_stage_name(ws_trace_called_stage((uint32_t)row->key)));
}

static const struct ws_field called_fields[] = {
    {"called", "stage of the shaders that are called", WS_TEXT, .value = called_stage},
    {NULL},
};

static void blocks_key(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static const struct ws_field blocks_fields[] = {
    {"blocks", "a lifetime: the blocks executed", WS_COUNT, .value = blocks_key},
    {NULL},
};

static const struct ws_trace_listed *listed_of(const struct ws_row *row)
{
    const struct ws_trace_results *results = row->user;
    return &results->listed[row->key];
}

static void most_of(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", listed_of(row)->of);
}

static void most_value(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, listed_of(row)->place.value);
}

static void most_work(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_trace_listed *listed = listed_of(row);
    char work[64];
    ws_work_text(row->catalog->shaders[listed->shader].stage, listed->place.work, work, sizeof(work));
    ws_value_text(value, "%s", work);
}

static void most_warp(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, listed_of(row)->place.warp);
}

static const struct ws_field most_fields[] = {
    {"of", "threads or warps, and what of them is counted: blocks or shader executions", WS_TEXT,
     .value = most_of},
    {"value", "how many", WS_COUNT, .value = most_value},
    {"thread", "id of the thread, or the lowest of the warp, as --thread takes it", WS_TEXT,
     .flags = WS_RIGHT, .value = most_work},
    {"warp", "index of the warp", WS_COUNT, .value = most_warp},
    {NULL},
};

static const struct ws_dimension dimensions[] = {
    [WS_TRACE_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_TRACE_STAGE] = {WS_DIMENSION_STAGE},
    [WS_TRACE_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_TRACE_STAGE},
    [WS_TRACE_BY_CALLED] = {"called", "stage of the shaders that are called", called_fields},
    [WS_TRACE_BY_BLOCKS] = {"blocks", "lifetime, in blocks executed", blocks_fields},
    [WS_TRACE_MOST_PLACE] = {"most", "place in a list of the largest values", most_fields,
                             .shown = "of value thread warp", .same = "",
                             .implies = 1u << WS_TRACE_SHADER | 1u << WS_TRACE_LAUNCH},
    [WS_TRACE_DIMENSIONS] = {NULL},
};

#define AT(member) .at = offsetof(struct ws_trace_sums, member)

static const struct ws_field measures[] = {
    {"launches", "in which the shader was launched", WS_COUNT, AT(launches)},
    {"threads", "of the launched shader", WS_COUNT, AT(threads)},
    {"thread_minimum", "their shortest lifetime, in blocks executed", WS_COUNT, .value = thread_minimum,
     .flags = WS_STEADY},
    {"thread_median", "the lifetime that half of them do not exceed", WS_COUNT, .value = thread_median,
     .flags = WS_STEADY},
    {"thread_mean", "their mean lifetime", WS_RATIO, AT(thread_blocks),
     .of = offsetof(struct ws_trace_sums, threads), .digits = 1, .better = WS_BETTER_LESS},
    {"thread_90", "the lifetime that 90 % of them do not exceed", WS_COUNT, .value = thread_ninety,
     .flags = WS_STEADY},
    {"thread_maximum", "their longest lifetime", WS_COUNT, .value = thread_maximum, .better = WS_BETTER_LESS,
     .flags = WS_STEADY},
    {"thread_lifetimes", "minimum, median and maximum", WS_TEXT, .flags = WS_TABLES | WS_RIGHT,
     .value = thread_lifetimes},
    {"warps", "of the launched shader", WS_COUNT, AT(warps)},
    {"warp_minimum", "their shortest lifetime, in blocks executed", WS_COUNT, .value = warp_minimum,
     .flags = WS_STEADY},
    {"warp_median", "the lifetime that half of them do not exceed", WS_COUNT, .value = warp_median,
     .flags = WS_STEADY},
    {"warp_mean", "their mean lifetime", WS_RATIO, AT(warp_blocks),
     .of = offsetof(struct ws_trace_sums, warps), .digits = 1, .better = WS_BETTER_LESS},
    {"warp_90", "the lifetime that 90 % of them do not exceed", WS_COUNT, .value = warp_ninety,
     .flags = WS_STEADY},
    {"warp_maximum", "their longest lifetime", WS_COUNT, .value = warp_maximum, .better = WS_BETTER_LESS,
     .flags = WS_STEADY},
    {"warp_lifetimes", "minimum, median and maximum", WS_TEXT, .flags = WS_TABLES | WS_RIGHT,
     .value = warp_lifetimes},
    {"called_by_threads", "executions of called shaders, each thread counted", WS_COUNT,
     AT(called_by_threads)},
    {"called_by_warps", "executions of called shaders by warps", WS_COUNT, AT(called_by_warps)},
    {"regrouped", "those of them in warps that the device put together anew", WS_COUNT, AT(regrouped)},
    {"truncated", "launches of which records are missing", WS_COUNT, AT(truncated)},
    {"full_warps", "warps with a thread in each lane", WS_COUNT, AT(full)},
    {"partial_warps", "the other warps", WS_COUNT, AT(partial)},
    {"pattern", "work ids of a full warp", WS_TEXT, .value = pattern},
    {"fitting", "full warps that are made so", WS_COUNT, .value = fitting},
    {"note", "what the figures leave out", WS_TEXT, .value = note},
    {"work_id", "what the work id of a thread is", WS_TEXT, .value = work_id},
    {"no_map", "why there is no pattern", WS_TEXT, .value = no_map},
    {"no_picture", "why there are no heat maps", WS_TEXT, .value = no_picture},
    {NULL},
};

#define LAUNCH "launch frame submission launch_kind launch_size label subgroup_size"
#define LIFETIMES                                                                                            \
    " threads thread_minimum thread_median thread_mean thread_90 thread_maximum warps warp_minimum "         \
    "warp_median warp_mean warp_90 warp_maximum"
#define SUMS  " threads thread_mean warps warp_mean"
#define CALLS " called_by_threads called_by_warps regrouped truncated"

static const struct ws_level levels[] = {
    [WS_TRACE_LEVEL_ALL] = {"total", .data = "launches" SUMS CALLS},
    [WS_TRACE_LEVEL_SHADER] = {"shaders", .by = 1u << WS_TRACE_SHADER,
                               .data = "shader_id shader stage launches" LIFETIMES CALLS
                                       " work_id no_map no_picture note"},
    [WS_TRACE_LEVEL_LAUNCH] = {"launches", .by = 1u << WS_TRACE_LAUNCH, .data = LAUNCH SUMS CALLS},
    [WS_TRACE_LEVEL_LAUNCH_SHADER] = {"launch_shaders", "Launches, with lifetimes in blocks executed",
                                      .by = 1u << WS_TRACE_LAUNCH | 1u << WS_TRACE_SHADER,
                                      .text = "launch launch_kind launch_size label stage shader threads "
                                              "thread_lifetimes warps warp_lifetimes note",
                                      .data = LAUNCH " shader_id shader stage" LIFETIMES CALLS
                                                     " full_warps partial_warps pattern fitting note"},
    [WS_TRACE_LEVEL_CALLED] = {"called", .by = 1u << WS_TRACE_SHADER | 1u << WS_TRACE_BY_CALLED,
                               .data = "shader_id shader stage called called_by_threads called_by_warps"},
    [WS_TRACE_LEVEL_BLOCKS] = {"lifetimes", .by = 1u << WS_TRACE_SHADER | 1u << WS_TRACE_BY_BLOCKS,
                               .data = "shader_id shader stage blocks threads warps"},
    [WS_TRACE_LEVEL_MOST] = {"most", .by = 1u << WS_TRACE_MOST_PLACE,
                             .data = "of value launch shader_id shader stage thread warp"},
    {NULL},
};

const struct ws_columns ws_trace_columns = {dimensions,
                                            measures,
                                            levels,
                                            sizeof(struct ws_trace_sums),
                                            .shown = "threads thread_mean warps warp_mean called_by_warps",
                                            .main = "thread_mean warp_mean threads",
                                            .weight = "threads"};

const char ws_trace_words[] =
    "A lifetime is how many blocks were executed: of a thread by it in all shaders, of a\n"
    "warp by whatever its threads ran in, once however many took part.\n";

static uint32_t rows_of(const struct ws_trace_results *results, uint32_t usual)
{
    return results->options.rows > 0 ? results->options.rows : usual;
}

static bool print_table(struct ws_table *table, uint64_t left_out, FILE *stream)
{
    bool printed = !table->failed;
    if (printed) {
        ws_table_print(table, 2, stream);
        if (left_out > 0)
            fprintf(stream, "  ... and %" PRIu64 " more: --rows 0 shows them all\n", left_out);
    }
    ws_table_finish(table);
    return printed;
}

static void add_summary(struct ws_table *table, const struct ws_trace_summary *summary)
{
    ws_table_add(table, "%" PRIu64, summary->minimum);
    ws_table_add(table, "%" PRIu64, summary->median);
    ws_table_add(table, "%.1f", summary->total > 0 ? (double)summary->sum / (double)summary->total : 0);
    ws_table_add(table, "%" PRIu64, summary->ninety);
    ws_table_add(table, "%" PRIu64, summary->maximum);
}

static bool print_summary(const struct ws_trace_stage *stage, FILE *stream)
{
    static const struct ws_column columns[] = {{"", false},      {"number", true}, {"minimum", true},
                                               {"median", true}, {"mean", true},   {"90 %", true},
                                               {"maximum", true}};
    struct ws_table table;
    ws_table_init(&table, columns, 7);
    ws_table_add(&table, "threads");
    ws_table_add(&table, "%" PRIu64, stage->threads.summary.total);
    add_summary(&table, &stage->threads.summary);
    ws_table_add(&table, "warps");
    ws_table_add(&table, "%" PRIu64, stage->warps.summary.total);
    add_summary(&table, &stage->warps.summary);
    return print_table(&table, 0, stream);
}

/* Adds the share of a bin, and a bar; the largest bin of the histogram has 24 characters. */
static void add_bar(struct ws_table *table, uint64_t count, uint64_t total, uint64_t most)
{
    static const char bar[] = "########################";
    if (count > 0)
        ws_table_add(table, "%.1f %%", 100 * ((double)count / (double)total));
    else
        ws_table_add(table, "%s", "");
    ws_table_add(table, "%.*s",
                 (int)(most > 0 ? (sizeof(bar) - 1) * ((double)count / (double)most) + 0.5 : 0), bar);
}

static bool print_histogram(const struct ws_trace_stage *stage, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"blocks", true}, {"threads", true}, {"", false}, {"warps", true}, {"", false}};
    const struct ws_trace_counts *counts[2] = {&stage->threads.lifetimes, &stage->warps.lifetimes};
    const struct ws_trace_summary *a = &stage->threads.summary;
    const struct ws_trace_summary *b = &stage->warps.summary;
    uint64_t first = a->minimum < b->minimum ? a->minimum : b->minimum;
    uint64_t last = a->maximum > b->maximum ? a->maximum : b->maximum;
    uint64_t width = ws_trace_bin_width(first, last, BINS);
    uint64_t within[2][BINS] = {{0}};
    uint64_t most[2] = {0, 0};
    uint32_t bins = (uint32_t)(last / width - first / width + 1);
    struct ws_table table;
    for (uint32_t bin = 0; bin < bins; ++bin)
        for (uint32_t i = 0; i < 2; ++i) {
            uint64_t begin = (first / width + bin) * width;
            within[i][bin] = ws_trace_counts_within(counts[i], begin, begin + (width - 1));
            most[i] = within[i][bin] > most[i] ? within[i][bin] : most[i];
        }
    ws_table_init(&table, columns, 5);
    for (uint32_t bin = 0; bin < bins; ++bin) {
        uint64_t begin = (first / width + bin) * width;
        if (width > 1)
            ws_table_add(&table, "%" PRIu64 "-%" PRIu64, begin, begin + (width - 1));
        else
            ws_table_add(&table, "%" PRIu64, begin);
        for (uint32_t i = 0; i < 2; ++i)
            add_bar(&table, within[i][bin], counts[i]->total, most[i]);
    }
    fputc('\n', stream);
    return print_table(&table, 0, stream);
}

static void print_note(bool truncated, uint64_t regrouped, uint64_t called, FILE *stream)
{
    char note[NAME_SIZE];
    ws_trace_note(truncated, regrouped, called, note, sizeof(note));
    if (note[0] != '\0')
        fprintf(stream, "  note: %s\n", note);
}

/* How often called shaders ran. */
static bool print_called(const struct ws_trace_stage *stage, FILE *stream)
{
    static const struct ws_column columns[] = {{"shaders called", false},
                                               {"by threads", true},
                                               {"a thread", true},
                                               {"by warps", true},
                                               {"a warp", true}};
    const struct ws_trace_population *threads = &stage->threads;
    const struct ws_trace_population *warps = &stage->warps;
    struct ws_table table;
    if (stage->called == 0)
        return true;
    ws_table_init(&table, columns, 5);
    for (uint32_t i = 0; i < WS_TRACE_CALLED; ++i) {
        if (warps->called[i] == 0)
            continue;
        ws_table_add(&table, "%s", ws_stage_name(ws_trace_called_stage(i)));
        ws_table_add(&table, "%" PRIu64, threads->called[i]);
        ws_table_add(&table, "%.2f", (double)threads->called[i] / (double)threads->summary.total);
        ws_table_add(&table, "%" PRIu64, warps->called[i]);
        ws_table_add(&table, "%.2f", (double)warps->called[i] / (double)warps->summary.total);
    }
    fputc('\n', stream);
    return print_table(&table, 0, stream);
}

static bool print_lifetimes(const struct ws_trace_results *results, FILE *stream)
{
    uint32_t most = rows_of(results, STAGES);
    bool printed = true;
    for (uint32_t i = 0; i < results->stage_count && i < most && printed; ++i) {
        const struct ws_trace_stage *stage = &results->stages[i];
        char name[NAME_SIZE];
        ws_trace_shader_text(results->catalog, stage->shader, name, sizeof(name));
        fputs("\nLifetimes in blocks executed, ", stream);
        ws_text_print(stream, name);
        fprintf(stream, ", %" PRIu64 " launch%s\n", stage->launches, ws_plural(stage->launches, "es"));
        print_note(stage->truncated > 0, stage->regrouped, stage->called, stream);
        printed =
            print_summary(stage, stream) && print_histogram(stage, stream) && print_called(stage, stream);
    }
    if (results->stage_count > most)
        fprintf(stream, "\n  ... and %" PRIu32 " more launched shader%s: --rows 0 shows them all\n",
                results->stage_count - most, ws_plural(results->stage_count - most, "s"));
    return printed;
}

/* Adds the rows of a list of the largest values. */
static void add_most(struct ws_table *table, const char *what, const struct ws_trace_most *most,
                     uint32_t stage)
{
    for (uint32_t i = 0; i < most->count; ++i) {
        const struct ws_trace_place *place = &most->places[i];
        char work[64];
        ws_work_text(stage, place->work, work, sizeof(work));
        ws_table_add(table, "%s", i == 0 ? what : "");
        ws_table_add(table, "%" PRIu64, place->value);
        ws_table_add(table, "%s", work);
        ws_table_add(table, "%" PRIu32, place->warp);
        ws_table_add(table, "%" PRIu64, place->launch);
    }
}

static bool print_most(const struct ws_trace_results *results, FILE *stream)
{
    uint32_t shown = rows_of(results, STAGES);
    bool printed = true;
    for (uint32_t i = 0; i < results->stage_count && i < shown && printed; ++i) {
        const struct ws_trace_stage *stage = &results->stages[i];
        const struct ws_column columns[] = {{"", false},
                                            {"number", true},
                                            {ws_work_name(stage->stage), true},
                                            {"warp", true},
                                            {"launch", true}};
        struct ws_table table;
        char name[NAME_SIZE];
        ws_trace_shader_text(results->catalog, stage->shader, name, sizeof(name));
        fputs("\nMost executed, ", stream);
        ws_text_print(stream, name);
        fputs(" (each thread and warp once; of a warp its lowest id)\n", stream);
        ws_table_init(&table, columns, 5);
        add_most(&table, "blocks of a thread", &stage->threads.blocks, stage->stage);
        add_most(&table, "blocks of a warp", &stage->warps.blocks, stage->stage);
        /* Only ray generation calls other shaders: threads of other stages execute one shader. */
        if (stage->stage == WS_STAGE_RAYGEN) {
            add_most(&table, "shaders of a thread", &stage->threads.executions, stage->stage);
            add_most(&table, "shaders of a warp", &stage->warps.executions, stage->stage);
        }
        printed = print_table(&table, 0, stream);
    }
    return printed;
}

static void add_work_map(struct ws_table *table, const struct ws_trace_results *results,
                         const struct ws_trace_launch *launch, const struct ws_trace_shader *launched)
{
    char text[NAME_SIZE];
    uint64_t fitting = 0;
    ws_table_add(table, "%" PRIu64, launch->launch.index);
    ws_trace_shader_text(results->catalog, launched->shader, text, sizeof(text));
    ws_table_add(table, "%s", text);
    ws_table_add(table, "%" PRIu64, launched->work.full + launched->work.partial);
    ws_table_add(table, "%" PRIu64, launched->work.partial);
    ws_trace_work_map_text(&launched->work, text, sizeof(text), &fitting);
    ws_table_add(table, "%s", text);
    ws_table_add(table, "%" PRIu64, fitting);
}

/* How work ids were given to warps. */
static bool print_work_maps(const struct ws_trace_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"launch", true},
                                               {"shader", false},
                                               {"warps", true},
                                               {"partial", true},
                                               {"work ids of a full warp", false},
                                               {"warps so", true}};
    uint32_t most = rows_of(results, ROWS_USUAL);
    uint64_t shaders = 0;
    struct ws_table table;
    ws_table_init(&table, columns, 6);
    for (uint32_t i = 0; i < results->launch_count; ++i)
        for (uint32_t j = 0; j < results->launches[i].shader_count; ++j) {
            const struct ws_trace_shader *launched = &results->launches[i].shaders[j];
            if (ws_trace_no_map(launched->stage) == NULL && shaders++ < most)
                add_work_map(&table, results, &results->launches[i], launched);
        }
    if (shaders == 0) {
        ws_table_finish(&table);
        return true;
    }
    fputs("\nLaunches, how work ids were given to warps\n", stream);
    return print_table(&table, shaders > most ? shaders - most : 0, stream);
}

/* How many times the median the longest warp must live to be worth knowing: in most programs it is below 3. */
#define FAR_LONGER 8

/* The launched shader whose longest warp lives longest, against its median. */
bool ws_trace_findings(const void *user, struct ws_findings *findings)
{
    const struct ws_trace_results *results = user;
    const struct ws_trace_stage *worst = NULL;
    double most = FAR_LONGER;
    for (uint32_t i = 0; i < results->stage_count; ++i) {
        const struct ws_trace_stage *stage = &results->stages[i];
        const struct ws_trace_summary *warps = &stage->warps.summary;
        findings->totals.threads += stage->threads.summary.total;
        findings->totals.warps += warps->total;
        if (warps->median == 0 || stage->warps.blocks.count == 0 ||
            (double)warps->maximum < most * (double)warps->median)
            continue;
        worst = stage;
        most = (double)warps->maximum / (double)warps->median;
    }
    if (worst == NULL)
        return true;
    const struct ws_trace_place *place = &worst->warps.blocks.places[0];
    char work[64];
    ws_work_text(worst->stage, place->work, work, sizeof(work));
    const struct ws_finding finding = {
        .kind = WS_FINDING_FACT,
        .cause = WS_CAUSE_HEAVY,
        .title = "Warps that run far longer than others",
        .place = ws_shader_name(results->catalog, worst->shader),
        .text = ws_findings_text(findings,
                                 "Half of its warps execute no more than %" PRIu64
                                 " block%s, the longest, at %s, "
                                 "%" PRIu64 ". What waits for the launch waits for it.",
                                 worst->warps.summary.median, ws_plural(worst->warps.summary.median, "s"),
                                 work, worst->warps.summary.maximum),
        .options =
            ws_findings_text(findings, "--warp %" PRIu32 " --launch %" PRIu64, place->warp, place->launch),
    };
    return ws_findings_add(findings, &finding);
}

bool ws_trace_text(const void *user, FILE *stream)
{
    const struct ws_trace_results *results = user;
    if (ws_trace_is_chosen(results))
        return ws_trace_text_paths(results, stream);
    if (results->stage_count == 0) {
        fputs("\nNo thread was recorded\n", stream);
        return true;
    }
    return print_lifetimes(results, stream) && print_most(results, stream) &&
           ws_groups_text(results->groups, WS_TRACE_LEVEL_LAUNCH_SHADER, stream) &&
           print_work_maps(results, stream);
}

/* Maps and pictures that stages do not have, and why. */
static void note_missing_maps(const struct ws_trace_results *results, FILE *stream)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < results->stage_count; ++i) {
        uint32_t stage = results->stages[i].stage;
        if ((told & stage) != 0)
            continue;
        told |= stage;
        if (ws_trace_no_map(stage) != NULL)
            fprintf(stream, "  %s shaders have no map of work ids: %s\n", ws_stage_name(stage),
                    ws_trace_no_map(stage));
        if (ws_trace_no_picture(stage) != NULL)
            fprintf(stream, "  %s shaders have no heat maps: %s\n", ws_stage_name(stage),
                    ws_trace_no_picture(stage));
    }
}

/* What the report does not show, and why. That of one thread or warp has no maps, and misses none. */
void ws_trace_notes(const void *user, FILE *stream)
{
    const struct ws_trace_results *results = user;
    if (results->options.whole && results->paths_left_out > 0)
        fprintf(stream,
                "  only the first %d traces of that id are shown: %" PRIu64 " more are of the same launch\n",
                WS_TRACE_PATHS, results->paths_left_out);
    if (results->sampled != NULL)
        fputs("  lifetimes, shares and the numbers of warps are of the recorded threads only\n", stream);
    if (!ws_trace_is_chosen(results))
        note_missing_maps(results, stream);
    if (results->pictures_left_out > 0)
        fprintf(stream,
                "  pictures are drawn of the first %d launched shaders and sizes; %" PRIu64
                " more launches have none: choose one with --launch\n",
                WS_TRACE_PICTURES, results->pictures_left_out);
    for (uint32_t i = 0; i < results->picture_count; ++i)
        if (results->pictures[i].outside > 0)
            fprintf(stream, "  %" PRIu64 " threads of %s shaders are outside their picture\n",
                    results->pictures[i].outside, ws_stage_name(results->pictures[i].stage));
}

bool ws_trace_json(const void *user, struct ws_json *json)
{
    const struct ws_trace_results *results = user;
    ws_json_member(json, "recorded_threads",
                   results->sampled != NULL ? cJSON_CreateString(results->sampled) : cJSON_CreateNull());
    return ws_trace_json_paths(results, json);
}

bool ws_trace_csv(const void *user, FILE *stream)
{
    const struct ws_trace_results *results = user;
    return ws_trace_is_chosen(results) ? ws_trace_csv_paths(results, stream)
                                       : ws_groups_csv(results->groups, stream);
}
