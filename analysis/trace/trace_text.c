/* The report for people; the traces of chosen threads and warps are in trace_text_path.c. */
#include <inttypes.h>
#include <string.h>

#include "analysis/output/table.h"
#include "analysis/report/report.h"
#include "analysis/trace/trace.h"
#include "passes/base/text.h"

#define NAME_SIZE  384
#define BINS       20 /* of a histogram */
#define ROWS_USUAL 20 /* of the table of launches */
#define STAGES     16 /* launched shaders that are shown one by one, where the user does not say */

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
            fprintf(stream, "  ... and %" PRIu64 " more: --json and --csv hold them all\n", left_out);
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

/* The share of a bin, with a bar of up to 24 characters for the largest of the histogram. */
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
        fprintf(stream, "\n  ... and %" PRIu32 " more launched shaders: --json and --csv hold them all\n",
                results->stage_count - most);
    return printed;
}

/* Rows of a list of the largest: of threads the work id, of warps the index and the lowest work id. */
static void add_most(struct ws_table *table, const char *what, const struct ws_trace_most *most,
                     uint32_t stage)
{
    for (uint32_t i = 0; i < most->count; ++i) {
        const struct ws_trace_place *place = &most->places[i];
        char work[64];
        ws_trace_work_text(stage, place->work, work, sizeof(work));
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
                                            {ws_trace_work_name(stage->stage), true},
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
        /* Elsewhere each thread and warp runs the one shader that it was launched for. */
        if (stage->stage == WS_STAGE_RAYGEN) {
            add_most(&table, "shaders of a thread", &stage->threads.executions, stage->stage);
            add_most(&table, "shaders of a warp", &stage->warps.executions, stage->stage);
        }
        printed = print_table(&table, 0, stream);
    }
    return printed;
}

static void add_size(struct ws_table *table, const uint32_t size[3])
{
    if (size[0] == 0 && size[1] == 0 && size[2] == 0)
        ws_table_add(table, "not known");
    else
        ws_table_add(table, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, size[0], size[1], size[2]);
}

static void add_lifetimes(struct ws_table *table, const struct ws_trace_summary *summary)
{
    ws_table_add(table, "%" PRIu64, summary->total);
    ws_table_add(table, "%" PRIu64 " %" PRIu64 " %" PRIu64, summary->minimum, summary->median,
                 summary->maximum);
}

static void add_launch(struct ws_table *table, const struct ws_trace_results *results,
                       const struct ws_trace_launch *launch, const struct ws_trace_shader *launched)
{
    char text[NAME_SIZE];
    ws_table_add(table, "%" PRIu64, launch->index);
    ws_table_add(table, "%s", ws_launch_kind_name(launch->kind));
    add_size(table, launch->size);
    ws_table_add(table, "%s", launch->label);
    ws_trace_shader_text(results->catalog, launched->shader, text, sizeof(text));
    ws_table_add(table, "%s", text);
    add_lifetimes(table, &launched->threads);
    add_lifetimes(table, &launched->warps);
    ws_trace_note(launch->truncated, launched->regrouped, 0, text, sizeof(text));
    ws_table_add(table, "%s", text);
}

static void add_work_map(struct ws_table *table, const struct ws_trace_results *results,
                         const struct ws_trace_launch *launch, const struct ws_trace_shader *launched)
{
    char text[NAME_SIZE];
    uint64_t fitting = 0;
    ws_table_add(table, "%" PRIu64, launch->index);
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
    static const struct ws_column columns[] = {{"number", true},
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

static bool print_launches(const struct ws_trace_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"number", true},
                                               {"kind", false},
                                               {"size", true},
                                               {"label", false},
                                               {"shader", false},
                                               {"threads", true},
                                               {"min median\nmax", true},
                                               {"warps", true},
                                               {"min median\nmax", true},
                                               {"note", false}};
    uint32_t most = rows_of(results, ROWS_USUAL);
    uint64_t shaders = 0;
    struct ws_table table;
    fputs("\nLaunches, with lifetimes in blocks executed\n", stream);
    ws_table_init(&table, columns, 10);
    for (uint32_t i = 0; i < results->launch_count; ++i)
        for (uint32_t j = 0; j < results->launches[i].shader_count; ++j, ++shaders)
            if (shaders < most)
                add_launch(&table, results, &results->launches[i], &results->launches[i].shaders[j]);
    return print_table(&table, shaders > most ? shaders - most : 0, stream);
}

bool ws_trace_text(const void *user, FILE *stream)
{
    const struct ws_trace_results *results = user;
    if (ws_trace_is_chosen(results))
        return ws_trace_text_paths(results, stream);
    if (results->stage_count == 0) {
        if (results->options.has_launch)
            fprintf(stream, "\nNo thread of launch %" PRIu64 " was recorded\n", results->options.launch);
        else
            fputs("\nNo thread was recorded\n", stream);
        return true;
    }
    return print_lifetimes(results, stream) && print_most(results, stream) &&
           print_launches(results, stream) && print_work_maps(results, stream);
}

/* What is not told of a stage, and why. */
void ws_trace_notes(const void *user, FILE *stream)
{
    const struct ws_trace_results *results = user;
    uint32_t told = 0;
    if (results->sampled != NULL)
        fputs("  lifetimes, shares and the numbers of warps are of the recorded threads only\n", stream);
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
