/* warpscope summary */
#include "analysis/command/summary.h"

#include <stdio.h>

#include "analysis/command/command.h"
#include "analysis/command/terminal.h"
#include "analysis/summary/summary.h"

enum { OPTION_JSON, OPTION_CSV, OPTION_ROWS, OPTION_TIME };

static const struct ws_option summary_options[] = {
    {.name = "json", .id = OPTION_JSON, .help = "one JSON object with all findings"},
    {.name = "csv", .id = OPTION_CSV, .help = "one table with all findings"},
    {.name = "time",
     .argument = "TIMED",
     .id = OPTION_TIME,
     .help = "take the device times of launches from this capture of the same program, recorded with -p time",
     .kind = WS_ARGUMENT_CAPTURE},
    {.name = "rows",
     .argument = "N",
     .id = OPTION_ROWS,
     .help = "show at most N findings, not 5; 0 = all, the small too"},
    {NULL},
};

struct request {
    struct ws_report_request report;
    enum ws_print_format format;
    struct ws_limits limits;
    struct ws_selection selection;
};

bool ws_print_summary(const struct ws_report *report, enum ws_print_format format, uint32_t rows)
{
    struct ws_summary summary;
    if (!ws_summary_init(&summary, report))
        return false;
    bool printed = false;
    switch (format) {
    case WS_PRINT_TEXT: printed = ws_summary_text(&summary, rows, ws_prose_width(), stdout); break;
    case WS_PRINT_JSON: printed = ws_summary_json(&summary, stdout); break;
    case WS_PRINT_CSV:
        printed = ws_summary_csv(&summary, stdout) && ws_summary_trust(report, ws_prose_width(), stderr);
        break;
    }
    ws_summary_finish(&summary);
    return printed;
}

static bool take_option(void *summary_request, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    struct request *request = summary_request;
    const enum ws_print_format format = option->id == OPTION_JSON ? WS_PRINT_JSON : WS_PRINT_CSV;
    uint32_t number = 0;
    if (option->id == OPTION_TIME) {
        request->report.times = value;
        return true;
    }
    if (option->id == OPTION_ROWS) {
        if (!ws_parse_number("--rows", value, &number, error))
            return false;
        request->report.options.rows = number > 0 ? number : UINT32_MAX;
        return true;
    }
    if (request->format != WS_PRINT_TEXT && request->format != format)
        return ws_error_set(error, "--json and --csv exclude each other");
    request->format = format;
    return true;
}

static int run(int argument_count, char **arguments)
{
    struct request request = {.report = {.summary = true}};
    struct ws_report report;
    struct ws_error error = {{0}};
    int status = WS_EXIT_USAGE;
    char **operands = ws_options_take(&ws_command_summary, argument_count, arguments, &request, &status);
    if (operands == NULL)
        return status;
    request.report.options.selection = &request.selection;
    if (!ws_read_capture(&report, operands[0], &request.report, &request.limits, &error)) {
        ws_say_unread(&error);
        return WS_EXIT_FAILED;
    }
    if (request.format == WS_PRINT_TEXT)
        ws_fit_text(false);
    bool printed = ws_print_summary(&report, request.format, request.report.options.rows);
    if (!printed)
        ws_say("no memory for the summary of '%s'", operands[0]);
    status = printed ? ws_reading_status(&report) : WS_EXIT_FAILED;
    ws_report_finish(&report);
    return ws_finish_output(status);
}

const struct ws_command ws_command_summary = {
    .name = "summary",
    .summary = "print what is most worth knowing of a capture, on one screen",
    .usage = "FILE [OPTIONS]",
    .about =
        "Prints what a capture holds on one screen: what is most worth knowing over everything that was "
        "recorded, with its size, its place and the command that shows more; what else was recorded, and "
        "what "
        "was not; and what was left out or lost.\n"
        "A size is a share of the capture's work: what all shaders executed, in instruction slots (a lane of "
        "a "
        "warp, active or not, for one instruction), 100 more for each call of a shader that rays run, and "
        "500 for "
        "each ray's way through the scene. Of a "
        "change it is what the change saves, or what is wrong without it; of idle lanes what they take, "
        "which a "
        "change gets back at best.",
    .tables = {{.rows = summary_options, .take = take_option},
               {.rows = ws_limit_options, .take = ws_take_limit, .offset = offsetof(struct request, limits)},
               {.rows = ws_selection_options,
                .take = ws_take_selection,
                .offset = offsetof(struct request, selection)}},
    .operands = {{.name = "FILE", .missing = "the capture", .kind = WS_ARGUMENT_CAPTURE}},
    .examples = "  warpscope summary run.wscope\n"
                "  warpscope summary run.wscope --rows 0\n"
                "  warpscope summary run.wscope --csv\n",
    .status = "Exit status: 0; 1 when the capture cannot be read or took more than it may; 2 when the "
              "arguments are "
              "wrong; " WS_EXIT_CUT_HELP ".",
    .paged = true,
    .run = run,
};
