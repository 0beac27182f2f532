/* warpscope report */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/command/summary.h"
#include "analysis/command/terminal.h"
#include "analysis/memory/page_table.h"
#include "analysis/memory/warps/wide_warps.h"
#include "analysis/report/report.h"
#include "passes/base/near.h"
#include "warpscope/output/wrap.h"

enum {
    OPTION_JSON,
    OPTION_CSV,
    OPTION_CSV_FOLDER,
    OPTION_PLOTS,
    OPTION_ROWS,
    OPTION_BY,
    OPTION_SORT,
    OPTION_FIELDS,
    OPTION_FILTER,
    OPTION_WIDE,
    OPTION_THREAD,
    OPTION_WARP,
    OPTION_TIME,
    OPTION_CACHES,
    OPTION_TREE,
    OPTION_BVH,
    OPTION_COMPILED,
    OPTION_LANES,
    OPTION_SHARDS,
    OPTION_PAGE,
    OPTION_WORTH,
};

static const struct ws_option report_options[] = {
    {.name = "json", .id = OPTION_JSON, .help = "one JSON object with everything"},
    {.name = "csv", .id = OPTION_CSV, .help = "one table with everything, of one analysis"},
    {.name = "csv-folder",
     .argument = "FOLDER",
     .id = OPTION_CSV_FOLDER,
     .help = "each table as a file of CSV in FOLDER, also of all",
     .more =
         "divergence-shaders.csv has the rows that JSON has in analyses.divergence.shaders. All of them are "
         "written before the first is moved into FOLDER. Files of these names are replaced, others in FOLDER "
         "are "
         "left.",
     .kind = WS_ARGUMENT_FOLDER},
    {.name = "by", .argument = "NAME,...", .id = OPTION_BY, .help = "one table instead, grouped by these"},
    {.name = "sort",
     .argument = "[-]NAME,...",
     .id = OPTION_SORT,
     .help = "sort by these columns; with -, largest first"},
    {.name = "fields", .argument = "NAME,...", .id = OPTION_FIELDS, .help = "these columns only"},
    {.name = "filter",
     .argument = "EXPRESSION",
     .id = OPTION_FILTER,
     .repeats = true,
     .help = "rows only where it holds: 'efficiency < 50 %'",
     .more = "Also texts with patterns: 'shader = *.rchit:main'. Of several --filter all must hold."},
    {.name = "plots",
     .argument = "FOLDER",
     .id = OPTION_PLOTS,
     .help = "write pictures, and a page of them, to FOLDER",
     .kind = WS_ARGUMENT_FOLDER},
    {.name = "time",
     .argument = "TIMED",
     .id = OPTION_TIME,
     .help = "device times from this capture of record -p time",
     .more = "A launch gets the time of the one with the same pipelines, kind, size, draws and label. Times "
             "of a run "
             "that records nothing else are the program's own.",
     .kind = WS_ARGUMENT_CAPTURE},
    {.name = "caches",
     .argument = "DEVICE",
     .id = OPTION_CACHES,
     .help = "whose caches the analysis caches models, or a file",
     .more = "The files of the devices that are known, such as rtx2080ti, are examples of one. Of "
             "bvh_reconstruct none leaves hit rates out, and halves the time.",
     .kind = WS_ARGUMENT_CHOICE,
     .choice = ws_device_choice},
    {.name = "compiled",
     .id = OPTION_COMPILED,
     .help = "caches counts accesses as a compiler leaves them",
     .more = "Without it they count as SPIR-V has them. With it repeated loads of a block are dropped, and "
             "loads or stores "
             "that lie side by side are one, up to 16 bytes."},
    {.name = "lanes",
     .argument = "N",
     .id = OPTION_LANES,
     .help = "caches puts neighbours together: warps of N lanes",
     .more = "A simulation of a device with wider warps than the one that was recorded. Up to 128, and a "
             "multiple of the "
             "lanes that warps have."},
    {.name = "shards",
     .argument = "1/N",
     .id = OPTION_SHARDS,
     .help = "caches samples one of N lines for other sizes",
     .more = "Hit rates of caches of other sizes are estimated from them, with their standard error: faster "
             "for large "
             "captures."},
    {.name = "page",
     .argument = "BYTES",
     .id = OPTION_PAGE,
     .help = "how large pages of caches --by page are (4K)",
     .more = "A power of two from 256 to 1G, such as 64K or 2M."},
    {.name = "worth",
     .argument = "N",
     .id = OPTION_WORTH,
     .help = "tell of sorting that saves N times its cost (2)",
     .more =
         "For reorder, and the rule reorder of advice. The cost is what the analysis assumes of a device."},
    {.name = "tree",
     .argument = "FILE",
     .id = OPTION_TREE,
     .help = "how much of this tree bvh_reconstruct found",
     .more =
         "A line for each node, root first: its index, and its two children, each the index of a node, or "
         "FIRST+COUNT for the elements of a leaf.",
     .kind = WS_ARGUMENT_FILE},
    {.name = "bvh",
     .argument = "KEY=VALUE,...",
     .id = OPTION_BVH,
     .help = "what the trees of bvh_model are like",
     .more = "leaf=4 triangles, bins=16, split=sah or median, and bytes: node=64, triangle=64, box=32, "
             "instance=128."},
    {.name = "rows", .argument = "N", .id = OPTION_ROWS, .help = "at most N rows in each list; 0 = all"},
    {.name = "limit", .argument = "N", .id = OPTION_ROWS}, /* its older name */
    {.name = "wide", .id = OPTION_WIDE, .help = "do not cut texts to the width of the terminal"},
    {.name = "thread",
     .argument = "X[,Y[,Z]]",
     .id = OPTION_THREAD,
     .help = "what one thread did: its launch id or pixel",
     .more =
         "Of execution_trace, which is the usual analysis then, everything that it did; of ray_events all "
         "its rays. A thread is named by its launch id, GlobalInvocationId, "
         "pixel, or vertex and instance."},
    {.name = "warp", .argument = "N", .id = OPTION_WARP, .help = "the same of one warp, by its index"},
    {NULL},
};

struct request {
    struct ws_report_request report;
    const char *path;
    const char *plots;  /* folder; NULL = no pictures */
    const char *tables; /* folder; NULL = one table of CSV */
    enum ws_print_format format;
    struct ws_limits limits;
    struct ws_selection selection;
    bool wide;
};

/* The pictures, and which they are. */
static bool draw(const struct ws_report *report, const char *folder)
{
    struct ws_error error = {{0}};
    size_t count = 0;
    bool drawn = ws_report_plots(report, folder, &count, &error);
    if (!drawn && count > 0)
        ws_say("%s; picture files in '%s' are new up to that one, and its page is not", error.message,
               folder);
    else if (!drawn)
        ws_say("%s", error.message);
    else if (count == 0)
        ws_say("there are no pictures of %s: it has nothing to show or to compare",
               report->summary || report->all ? "this capture" : report->parts[0].analysis->name);
    else
        ws_say("%zu picture files are in '%s'; open '%s/index.html'", count, folder, folder);
    return drawn;
}

static bool write_tables(const struct ws_report *report, const char *folder)
{
    struct ws_error error = {{0}};
    size_t count = 0;
    const bool written = ws_report_csv_folder(report, folder, &count, &error);
    if (written)
        ws_say("%zu table%s in '%s'", count, count == 1 ? " is" : "s are", folder);
    else
        ws_say("%s", error.message);
    return written && ws_report_notes(report, stderr);
}

static bool print_analyses_of(const struct ws_report *report, enum ws_print_format format)
{
    switch (format) {
    case WS_PRINT_JSON: return ws_report_json(report, stdout);
    case WS_PRINT_CSV: return ws_report_csv(report, stdout) && ws_report_notes(report, stderr);
    default: return ws_report_text(report, stdout);
    }
}

static int print(struct request *request)
{
    struct ws_report report;
    struct ws_error error = {{0}};
    request->report.options.whole = request->format != WS_PRINT_TEXT;
    if (!ws_read_capture(&report, request->path, &request->report, &request->limits, &error)) {
        ws_say_unread(&error);
        return WS_EXIT_FAILED;
    }
    if (request->format == WS_PRINT_TEXT)
        ws_fit_text(request->wide);
    bool printed = false;
    if (request->tables != NULL)
        printed = write_tables(&report, request->tables);
    else if (request->report.summary)
        printed = ws_print_summary(&report, request->format, request->report.options.rows);
    else
        printed = print_analyses_of(&report, request->format);
    if (!printed && request->tables == NULL)
        ws_say("no memory for the report of '%s'", request->path);
    else if (printed && request->plots != NULL)
        printed = draw(&report, request->plots);
    const int status = printed ? ws_reading_status(&report) : WS_EXIT_FAILED;
    ws_report_finish(&report);
    return ws_finish_output(status);
}

static bool take_format(struct request *request, enum ws_print_format format, struct ws_error *error)
{
    if (request->format != WS_PRINT_TEXT && request->format != format)
        return ws_error_set(error, "--json and CSV exclude each other");
    request->format = format;
    return true;
}

#define SHARDS_MAX 65536

static bool take_shards(struct ws_analysis_options *options, const char *value, struct ws_error *error)
{
    struct ws_error unsaid;
    const bool is_share = strncmp(value, "1/", 2) == 0 &&
                          ws_parse_number("--shards", value + 2, &options->shards, &unsaid) &&
                          options->shards >= 1 && options->shards <= SHARDS_MAX;
    return is_share ||
           ws_error_set(error, "--shards must be 1/N with N from 1 to %d, and not '%s'", SHARDS_MAX, value);
}

/* Bytes, with K, M or G behind. */
static bool take_page(struct ws_analysis_options *options, const char *value, struct ws_error *error)
{
    char *end = NULL;
    uint64_t bytes = *value >= '0' && *value <= '9' ? strtoull(value, &end, 10) : 0;
    const char *units = "KMG";
    const char *unit = end != NULL && *end != '\0' ? strchr(units, *end) : NULL;
    const uint32_t shift = unit != NULL ? 10 * (uint32_t)(unit - units + 1) : 0;
    const bool is_number = end != NULL && (unit != NULL ? end[1] : *end) == '\0' && bytes <= WS_PAGE_MOST;
    bytes <<= shift;
    if (!is_number || bytes < WS_PAGE_LEAST || bytes > WS_PAGE_MOST || (bytes & (bytes - 1)) != 0)
        return ws_error_set(error, "--page must be a power of two from %u to 1G, such as 4K, and not '%s'",
                            WS_PAGE_LEAST, value);
    options->page = (uint32_t)bytes;
    return true;
}

/* Also where no analysis asks for it: the capture may lack what bvh_reconstruct needs. */
static bool check_tree(const char *path, struct ws_error *error)
{
    return access(path, R_OK) == 0 ||
           ws_error_set(error, "--tree: cannot read '%s': %s", path, strerror(errno));
}

static bool take_option(void *report_request, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    struct request *request = report_request;
    struct ws_analysis_options *options = &request->report.options;
    char name[32];
    uint32_t number = 0;
    switch (option->id) {
    case OPTION_JSON: return take_format(request, WS_PRINT_JSON, error);
    case OPTION_CSV: return take_format(request, WS_PRINT_CSV, error);
    case OPTION_CSV_FOLDER: request->tables = value; return take_format(request, WS_PRINT_CSV, error);
    case OPTION_PLOTS:
        request->plots = value;
        options->plots = true;
        return true;
    case OPTION_BY: options->view.by = value; return true;
    case OPTION_SORT: options->view.sort = value; return true;
    case OPTION_FIELDS: options->view.fields = value; return true;
    case OPTION_FILTER:
        if (options->view.filter_count == WS_FILTERS_MAX)
            return ws_error_set(error, "--filter can be given at most %d times", WS_FILTERS_MAX);
        options->view.filters[options->view.filter_count++] = value;
        return true;
    case OPTION_WIDE: request->wide = true; return true;
    case OPTION_TIME: request->report.times = value; return true;
    case OPTION_CACHES: return ws_take_caches(options, value, error);
    case OPTION_TREE: options->tree = value; return check_tree(value, error);
    case OPTION_BVH: return ws_take_bvh(options, value, error);
    case OPTION_COMPILED: options->compiled = true; return true;
    case OPTION_LANES:
        return ws_parse_number_within("--lanes", value, 2, WS_WIDE_LANES_MAX, &options->lanes, error);
    case OPTION_PAGE: return take_page(options, value, error);
    case OPTION_SHARDS: return take_shards(options, value, error);
    case OPTION_WORTH:
        if (!ws_parse_number_within("--worth", value, 1, UINT32_MAX, &number, error))
            return false;
        options->worth = number;
        return true;
    case OPTION_THREAD: return ws_take_thread(options, value, error);
    case OPTION_WARP:
        options->has_warp = true;
        return ws_parse_number("--warp", value, &options->warp, error);
    default: /* OPTION_ROWS */
        snprintf(name, sizeof(name), "--%s", option->name);
        if (!ws_parse_number(name, value, &number, error))
            return false;
        options->rows = number > 0 ? number : UINT32_MAX;
        return true;
    }
}

/* Names of analyses, and "all" behind them. */
static const char *analysis_choice(size_t index)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    for (size_t i = 0; i <= index; ++i)
        if (analyses[i] == NULL)
            return i == index ? "all" : NULL;
    return analyses[index]->name;
}

/* The analysis that was named. */
static bool take_kind(struct request *request, const char *name, struct ws_error *error)
{
    name = ws_say_new_name(name);
    request->report.all = strcmp(name, "all") == 0;
    request->report.analysis = ws_analysis_find(name);
    if (request->report.all || request->report.analysis != NULL)
        return true;
    if (access(name, F_OK) == 0)
        return ws_error_set(error, "there is no analysis '%s', which is a file: the capture stands first",
                            name);
    char names[512] = "";
    const char *choice = NULL;
    struct ws_near near = ws_near_begin(name, strlen(name));
    for (size_t i = 0; (choice = analysis_choice(i)) != NULL; ++i) {
        ws_near_try(&near, choice);
        ws_append_name(names, sizeof(names), choice);
    }
    ws_append_name(names, sizeof(names), "and those of plug-ins (warpscope --plugin FILE report)");
    return ws_error_set(error, "there is no analysis '%s'%s", name, ws_did_you_mean(&near, names).text);
}

/* Nothing that was chosen is left unheeded. */
static bool check_choice(struct request *request, struct ws_error *error)
{
    const struct ws_analysis_options *options = &request->report.options;
    const struct ws_analysis *const *analyses = ws_analysis_list();
    char names[256] = "";
    if (options->has_thread && options->has_warp)
        return ws_error_set(error, "--thread and --warp exclude each other");
    if (request->report.all || !(options->has_thread || options->has_warp))
        return true;
    for (size_t i = 0; request->report.analysis == NULL; ++i)
        if (analyses[i]->chooses)
            request->report.analysis = analyses[i];
    for (size_t i = 0; analyses[i] != NULL; ++i)
        if (analyses[i]->chooses)
            ws_append_name(names, sizeof(names), analyses[i]->name);
    return request->report.analysis->chooses ||
           ws_error_set(error, "%s shows no single threads: --thread and --warp are for %s",
                        request->report.analysis->name, names);
}

/* What was chosen of columns is there. Where no analysis is named, the capture decides which one is shown, so an
 * argument is wrong here only if no analysis has what it names. */
static bool check_columns(const struct request *request, struct ws_error *error)
{
    const struct ws_view *view = &request->report.options.view;
    const struct ws_analysis *analysis = request->report.analysis;
    const struct ws_analysis *const *analyses = ws_analysis_list();
    const struct ws_analysis *first = NULL;
    char names[256] = "";
    if (!ws_view_is_set(view))
        return true;
    for (size_t i = 0; analyses[i] != NULL; ++i)
        if (analyses[i]->columns != NULL)
            ws_append_name(names, sizeof(names), analyses[i]->name);
    if (request->report.all || (analysis != NULL && analysis->columns == NULL))
        return ws_error_set(error, "--by, --sort, --fields and --filter shape one analysis; name one of %s",
                            names);
    if (analysis != NULL)
        return ws_view_check(view, analysis->columns, error);
    for (size_t i = 0; analyses[i] != NULL; ++i) {
        if (analyses[i]->columns != NULL && first == NULL)
            first = analyses[i];
        if (analyses[i]->columns != NULL && ws_view_check(view, analyses[i]->columns, error))
            return true;
    }
    return ws_view_check(view, first->columns, error); /* says what the first one has */
}

static int run(int argument_count, char **arguments)
{
    struct request request = {.path = NULL};
    struct ws_error error = {{0}};
    int status = WS_EXIT_USAGE;
    char **operands = ws_options_take(&ws_command_report, argument_count, arguments, &request, &status);
    if (operands == NULL)
        return status;
    request.path = operands[0];
    if (operands[1] != NULL && !take_kind(&request, operands[1], &error))
        return ws_usage_error("report", "%s", error.message);
    request.report.options.selection = &request.selection;
    if (request.report.analysis != NULL &&
        !ws_analysis_heeds(request.report.analysis, &request.selection, &error))
        return ws_usage_error("report", "%s", error.message);
    if (!check_choice(&request, &error) || !check_columns(&request, &error))
        return ws_usage_error("report", "%s", error.message);
    if (request.tables != NULL && request.report.analysis == NULL &&
        !ws_view_is_set(&request.report.options.view))
        request.report.all = true;
    request.report.summary = request.report.analysis == NULL && !request.report.all &&
                             !ws_view_is_set(&request.report.options.view);
    if (request.report.all && request.format == WS_PRINT_CSV && request.tables == NULL)
        return ws_usage_error(
            "report",
            "--csv prints one table: name one analysis, or write those of all with --csv-folder FOLDER");
    return print(&request);
}

static void print_analyses(size_t width, FILE *stream)
{
    struct ws_wrap wrap = ws_wrap_begin(stream, width, 0, 0);
    const char *choice = NULL;
    ws_wrap_words(&wrap, "Analyses, which `warpscope help ANALYSIS` explains with their words and columns:");
    for (size_t i = 0; (choice = analysis_choice(i)) != NULL; ++i)
        ws_wrap_words(&wrap, choice);
    ws_wrap_end(&wrap);
}

const struct ws_command ws_command_report = {
    .name = "report",
    .summary = "print what a capture holds: how full the warps were, what the rays did, what to change",
    .usage = "FILE [ANALYSIS | all] [OPTIONS]",
    .about = "Prints the summary, an ANALYSIS, or all; --by without ANALYSIS is of the first.",
    .tables = {{.rows = report_options, .take = take_option},
               {.rows = ws_limit_options, .take = ws_take_limit, .offset = offsetof(struct request, limits)},
               {.rows = ws_selection_options,
                .take = ws_take_selection,
                .offset = offsetof(struct request, selection)}},
    .operands = {{.name = "FILE", .missing = "the capture to report", .kind = WS_ARGUMENT_CAPTURE},
                 {.name = "ANALYSIS", .kind = WS_ARGUMENT_CHOICE, .choice = analysis_choice}},
    .print_more = print_analyses,
    .examples = "  warpscope report run.wscope divergence --filter 'active < 50 %' --rows 0\n",
    .status = WS_EXIT_READING_HELP,
    .paged = true,
    .run = run,
};
