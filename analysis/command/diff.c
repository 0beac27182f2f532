/* warpscope diff */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/command/command.h"
#include "analysis/command/summary.h"
#include "analysis/command/terminal.h"
#include "analysis/diff/condition.h"
#include "analysis/diff/pictures.h"
#include "warpscope/base/text.h"

enum { OPTION_JSON, OPTION_CSV, OPTION_ALL, OPTION_ROWS, OPTION_LEAST, OPTION_FAIL_IF, OPTION_PLOTS };

static const struct ws_option diff_options[] = {
    {.name = "json", .id = OPTION_JSON, .help = "one JSON object with all of it"},
    {.name = "csv", .id = OPTION_CSV, .help = "one table with every figure that changed"},
    {.name = "all", .id = OPTION_ALL, .help = "every table, with every figure that changed"},
    {.name = "rows",
     .argument = "N",
     .id = OPTION_ROWS,
     .help = "at most N rows in each list, not 8; 0 = all"},
    {.name = "least",
     .argument = "PERCENT",
     .id = OPTION_LEAST,
     .help = "count changes below this, and do not show them (1)"},
    {.name = "plots",
     .argument = "FOLDER",
     .id = OPTION_PLOTS,
     .help = "draw memory, A beside B, into FOLDER: pages over time",
     .more =
         "Pages over time, and requests, active lanes and hits by thread or pixel, of the launches that both "
         "have, with one scale of colours: tables of diff have no pages. Captures of record -p memory_trace "
         "have them.",
     .kind = WS_ARGUMENT_FOLDER},
    {.name = "fail-if",
     .argument = "CONDITION",
     .id = OPTION_FAIL_IF,
     .repeats = true,
     .help = "exit status 3 if it holds, such as 'efficiency<-2%'; may be given several times",
     .more =
         "A condition is FIGURE[@ROW] COMPARISON NUMBER[%]. `warpscope list figures` names the figures. "
         "With \"%\" the change in percent is compared, of shares in points; without it the difference, in "
         "the figure's own unit. ROW is a pattern for the name of a row, such as "
         "'efficiency@*.rchit:main<-5%'. What changed by no more than its noise did not "
         "change. Of an estimate from drawn warps (--sample) that differs, and whose error is not known, "
         "nothing tells whether a condition holds: that is an error."},
    {NULL},
};

struct request {
    enum ws_print_format format;
    struct ws_limits limits;
    struct ws_selection selection;
    struct ws_diff_options options;
    struct ws_diff_condition conditions[WS_DIFF_CONDITIONS_MAX];
    uint32_t condition_count;
    uint32_t rows;
    bool all;
    const char *plots; /* NULL = none */
};

static bool take_least(struct request *request, const char *value, struct ws_error *error)
{
    char *end = NULL;
    const double percent = strtod(value, &end);
    if (end == value || (*end != '\0' && strcmp(end, "%") != 0 && strcmp(end, " %") != 0) ||
        !(percent >= 0) || percent > 1e6)
        return ws_error_set(error, "--least takes a change in percent, such as 1 or 0.5, not '%s'", value);
    request->options.least = percent / 100;
    request->options.exact = percent == 0;
    return true;
}

static bool take_condition(struct request *request, const char *value, struct ws_error *error)
{
    if (request->condition_count == WS_DIFF_CONDITIONS_MAX)
        return ws_error_set(error, "--fail-if can be given at most %d times", WS_DIFF_CONDITIONS_MAX);
    return ws_diff_condition_parse(&request->conditions[request->condition_count++], value, error);
}

static bool take_option(void *diff_request, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    struct request *request = diff_request;
    const enum ws_print_format format = option->id == OPTION_JSON ? WS_PRINT_JSON : WS_PRINT_CSV;
    switch (option->id) {
    case OPTION_ALL: request->all = true; return true;
    case OPTION_ROWS:
        if (!ws_parse_number("--rows", value, &request->rows, error))
            return false;
        request->rows = request->rows > 0 ? request->rows : UINT32_MAX;
        return true;
    case OPTION_PLOTS: request->plots = value; return true;
    case OPTION_LEAST: return take_least(request, value, error);
    case OPTION_FAIL_IF: return take_condition(request, value, error);
    default:
        if (request->format != WS_PRINT_TEXT && request->format != format)
            return ws_error_set(error, "--json and --csv exclude each other");
        request->format = format;
        return true;
    }
}

/* Looks at all conditions, and says which hold. Returns the exit status. */
static int check_conditions(struct request *request, const struct ws_diff *diff)
{
    struct ws_error error = {{0}};
    int status = WS_EXIT_GOOD;
    for (uint32_t i = 0; i < request->condition_count; ++i) {
        struct ws_diff_condition *condition = &request->conditions[i];
        char a[WS_NUMBER_SIZE];
        char b[WS_NUMBER_SIZE];
        char change[WS_NUMBER_SIZE];
        if (!ws_diff_condition_check(condition, diff, &error)) {
            ws_say("%s", error.message);
            return WS_EXIT_FAILED;
        }
        if (!condition->holds)
            continue;
        const struct ws_diff_figure *figure = &condition->figure;
        const struct ws_diff_table *table = &diff->tables[figure->table];
        char row[WS_DIFF_ROW_NAME];
        ws_diff_row_name(table, 0, figure->row[0], row);
        ws_diff_value_text(figure->field.field, figure->value[0], a);
        ws_diff_value_text(figure->field.field, figure->value[1], b);
        ws_diff_change_text(figure, change);
        ws_say("--fail-if '%s' holds: %s of %s%s%s went from %s to %s (%s)", condition->text,
               figure->field.field->name, table->analysis->name, row[0] != '\0' ? ", " : "", row, a, b,
               change);
        status = WS_EXIT_HOLDS;
    }
    return status;
}

static bool print(const struct request *request, const struct ws_diff *diff)
{
    switch (request->format) {
    case WS_PRINT_JSON: return ws_diff_json(diff, request->conditions, request->condition_count, stdout);
    case WS_PRINT_CSV: return ws_diff_csv(diff, stdout);
    default:
        ws_fit_text(false);
        return ws_diff_text(diff, request->rows, request->all, ws_prose_width(), stdout);
    }
}

static bool draw(const struct ws_diff *diff, const char *folder)
{
    struct ws_error error = {{0}};
    struct ws_diff_pictures drawn;
    if (!ws_diff_pictures_draw(diff, folder, &drawn, &error)) {
        ws_say("%s", error.message);
        return false;
    }
    if (drawn.files > 0)
        ws_say("%zu picture files are in '%s'; open '%s/index.html'", drawn.files, folder, folder);
    else
        ws_say("there are no pictures: the captures have no launch in common that touches memory");
    if (drawn.alone[0] + drawn.alone[1] > 0)
        ws_say("%" PRIu64 " picture%s of A and %" PRIu64 " of B have no counterpart, and are left out",
               drawn.alone[0], ws_plural(drawn.alone[0], "s"), drawn.alone[1]);
    return true;
}

static int compare(struct request *request, const struct ws_report *a, const struct ws_report *b)
{
    struct ws_diff diff;
    int status = WS_EXIT_FAILED;
    if (!ws_diff_init(&diff, a, b, &request->options)) {
        ws_say("no memory for the comparison");
        return status;
    }
    status = check_conditions(request, &diff);
    if (status != WS_EXIT_FAILED && !print(request, &diff)) {
        ws_say("no memory for the comparison");
        status = WS_EXIT_FAILED;
    }
    if (status != WS_EXIT_FAILED && request->plots != NULL && !draw(&diff, request->plots))
        status = WS_EXIT_FAILED;
    ws_diff_finish(&diff);
    const int read = ws_reading_status(a) != WS_EXIT_GOOD ? ws_reading_status(a) : ws_reading_status(b);
    if (!ws_report_is_whole(a) || !ws_report_is_whole(b))
        return WS_EXIT_FAILED;
    return status == WS_EXIT_GOOD ? read : status;
}

static int run(int argument_count, char **arguments)
{
    struct request request = {.format = WS_PRINT_TEXT};
    struct ws_report reports[WS_DIFF_SIDES];
    struct ws_error error = {{0}};
    int status = WS_EXIT_USAGE;
    uint32_t read = 0;
    char **operands = ws_options_take(&ws_command_diff, argument_count, arguments, &request, &status);
    if (operands == NULL)
        return status;
    for (status = WS_EXIT_GOOD; read < WS_DIFF_SIDES; ++read) {
        struct ws_report_request report = {
            .all = true,
            .options = {.whole = true, .selection = &request.selection, .plots = request.plots != NULL}};
        if (!ws_read_capture(&reports[read], operands[read], &report, &request.limits, &error)) {
            ws_say_unread(&error);
            status = WS_EXIT_FAILED;
            break;
        }
    }
    if (status == WS_EXIT_GOOD)
        status = compare(&request, &reports[0], &reports[1]);
    for (uint32_t i = 0; i < read; ++i)
        ws_report_finish(&reports[i]);
    return ws_finish_output(status);
}

const struct ws_command ws_command_diff = {
    .name = "diff",
    .summary = "compare two captures: what changed, and is it better",
    .usage = "A B [OPTIONS]",
    .about = "Compares two captures, A before and B after a change, and prints what differs by more than its "
             "noise: "
             "advice that is gone or new, figures of the whole capture, shaders, and the places that changed "
             "most.\n"
             "Shaders are joined by their content, then by their name; launches by their content, order and "
             "label. "
             "Where the captures have different numbers of frames, counts are per frame. Counters are exact; "
             "device "
             "times vary, and a change counts where it is larger than their spread.\n"
             "A change of a share is in points (from 50 % to 45 % is -5 %), that of others in percent of A.",
    .tables = {{.rows = diff_options, .take = take_option},
               {.rows = ws_limit_options, .take = ws_take_limit, .offset = offsetof(struct request, limits)},
               {.rows = ws_selection_options,
                .take = ws_take_selection,
                .offset = offsetof(struct request, selection)}},
    .operands = {{.name = "A", .missing = "the capture before the change", .kind = WS_ARGUMENT_CAPTURE},
                 {.name = "B", .missing = "the capture after the change", .kind = WS_ARGUMENT_CAPTURE}},
    .examples = "  warpscope diff before.wscope after.wscope\n"
                "  warpscope diff before.wscope after.wscope --all --shader '*rchit*'\n"
                "  warpscope diff a.wscope b.wscope --fail-if 'efficiency<-2%'\n",
    .status = "Exit status: 0; 1 when a capture cannot be read, or for --fail-if is cut short or damaged, or "
              "lacks the "
              "figure or some of its records; 2 when the arguments are wrong; 3 when a condition of "
              "--fail-if holds; " WS_EXIT_CUT_HELP ".",
    .paged = true,
    .run = run,
};
