/* warpscope report */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "memory_limit.h"
#include "report.h"

static const char help[] =
    "Usage: warpscope report FILE [ANALYSIS] [--json | --csv] [--limit N]\n"
    "Prints what a capture holds. ANALYSIS is simt_efficiency, the only one so far.\n"
    "\n"
    "      --json      one JSON object with everything\n"
    "      --csv       one table with everything; columns below\n"
    "      --limit N   at most N rows in each list of the text; 0 = all\n"
    "  -h, --help\n"
    "\n"
    "An execution is one warp running one basic block. Efficiency is the share of its\n"
    "lanes that are active; weighted counts a block as many times as it has instructions.\n"
    "Partial is the share of lanes that launches left empty: the last warp of a launch or\n"
    "workgroup. It has no meaning for fragment, hit, intersection, miss and callable\n"
    "shaders. Instructions are counted once for each active lane. Length is a block's\n"
    "instructions; its active lanes are LANES:EXECUTIONS.\n"
    "\n"
    "Columns of --csv:\n";

static const char examples[] = "\n"
                               "Examples:\n"
                               "  warpscope report run.wscope\n"
                               "  warpscope report run.wscope --limit 0 | less\n"
                               "  warpscope report run.wscope --json | jq .total.efficiency\n"
                               "  warpscope report run.wscope --csv | grep ^block, | sort -t, -k15 -nr\n";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

/* Progress is worth showing only where a read takes noticeable time. */
#define PROGRESS_SIZE (64u << 20)

struct progress {
    uint64_t size; /* of the file */
    unsigned percent;
};

static void show_progress(void *user, uint64_t bytes)
{
    struct progress *progress = user;
    unsigned percent = progress->size > 0 ? (unsigned)(100 * bytes / progress->size) : 0;
    if (percent == progress->percent)
        return;
    progress->percent = percent;
    fprintf(stderr, "\rreading %3u %%", percent);
}

static bool read_capture(struct ws_analysis *analysis, const char *path, struct ws_error *error)
{
    struct progress progress = {0, 0};
    struct stat status;
    if (isatty(STDERR_FILENO) && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
        (uint64_t)status.st_size >= PROGRESS_SIZE)
        progress.size = (uint64_t)status.st_size;
    bool read = ws_analysis_read(analysis, path, progress.size > 0 ? show_progress : NULL, &progress, error);
    if (progress.size > 0)
        fputs("\r              \r", stderr);
    return read;
}

static int print(const char *path, enum format format, const struct ws_report_limits *limits)
{
    struct ws_analysis analysis;
    struct ws_error error = {{0}};
    ws_limit_memory(ws_memory_for_captures());
    if (!read_capture(&analysis, path, &error)) {
        ws_say("%s", error.message);
        return WS_EXIT_FAILED;
    }
    bool printed = false;
    switch (format) {
    case FORMAT_TEXT: printed = ws_report_text(&analysis, limits, stdout); break;
    case FORMAT_JSON: printed = ws_report_json(&analysis, stdout); break;
    case FORMAT_CSV: printed = ws_report_csv(&analysis, stdout); break;
    }
    ws_analysis_finish(&analysis);
    if (!printed)
        ws_say("no memory for the report of '%s'", path);
    return ws_finish_output(printed ? WS_EXIT_GOOD : WS_EXIT_FAILED);
}

int ws_command_report(int argument_count, char **arguments)
{
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"csv", no_argument, NULL, 'c'},
                                            {"limit", required_argument, NULL, 'l'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct ws_report_limits limits = ws_report_usual;
    struct ws_error error = {{0}};
    enum format format = FORMAT_TEXT;
    uint32_t limit = 0;
    for (int option; (option = getopt_long(argument_count, arguments, "h", options, NULL)) != -1;) {
        if (option == 'h') {
            printf("%s%s%s", help, ws_report_csv_help, examples);
            return ws_finish_output(WS_EXIT_GOOD);
        }
        if (option == '?')
            return ws_usage_error("report", NULL);
        if (option == 'l') {
            if (!ws_parse_number("--limit", optarg, &limit, &error))
                return ws_usage_error("report", "%s", error.message);
            limit = limit > 0 ? limit : UINT32_MAX;
            limits = (struct ws_report_limits){limit, limit, limit, limit, limit};
            continue;
        }
        enum format chosen = option == 'j' ? FORMAT_JSON : FORMAT_CSV;
        if (format != FORMAT_TEXT && format != chosen)
            return ws_usage_error("report", "--json and --csv exclude each other");
        format = chosen;
    }
    int given = argument_count - optind;
    if (given == 0)
        return ws_usage_error("report", "the capture to report is missing");
    if (given > 2)
        return ws_usage_error("report", "'%s' is one argument too many", arguments[optind + 2]);
    if (given == 2 && strcmp(arguments[optind + 1], "simt_efficiency") != 0)
        return ws_usage_error("report", "there is no analysis '%s'; there is: simt_efficiency",
                              arguments[optind + 1]);
    return print(arguments[optind], format, &limits);
}
