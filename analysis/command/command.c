#include "analysis/command/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/command/reading_progress.h"
#include "analysis/command/terminal.h"
#include "analysis/output/write_failure.h"
#include "analysis/report/report.h"
#include "passes/base/memory_limit.h"
#include "passes/base/near.h"
#include "passes/settings/settings.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"
#include "warpscope/output/style.h"

/* Messages contain names of files and texts of captures; these must not send control characters to the
 * terminal. */
static void say(enum ws_style style, const char *format, va_list arguments)
{
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    fflush(stdout);
    ws_style_allow_errors(ws_stderr_has_colour());
    ws_style_begin(style, stderr);
    fputs("warpscope:", stderr);
    ws_style_end(stderr);
    fputc(' ', stderr);
    if (length >= 0) {
        ws_text_repair(text, (size_t)length);
        ws_text_print(stderr, text);
        free(text);
    } else {
        fputs("no memory, not even to say what went wrong", stderr);
    }
    fputc('\n', stderr);
}

void ws_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(WS_STYLE_HEADING, format, arguments);
    va_end(arguments);
}

const char *ws_say_new_name(const char *analysis)
{
    const char *name = ws_analysis_new_name(analysis);
    if (name != NULL)
        ws_say("the analysis '%s' is called %s now", analysis, name);
    return name != NULL ? name : analysis;
}

int ws_usage_error(const char *subcommand, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(WS_STYLE_ERROR, format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try 'warpscope %s --help'.\n", subcommand);
    return WS_EXIT_USAGE;
}

int ws_finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    ws_say("cannot write the output: %s", ws_write_failure(errno));
    return WS_EXIT_FAILED;
}

void ws_append_name(char *names, size_t size, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

struct ws_hint ws_did_you_mean(const struct ws_near *near, const char *names)
{
    struct ws_hint hint = {""};
    if (near->name != NULL)
        snprintf(hint.text, sizeof(hint.text), "; did you mean '%s'?", near->name);
    else if (names[0] != '\0')
        snprintf(hint.text, sizeof(hint.text), "; there are: %s", names);
    return hint;
}

bool ws_parse_number(const char *option, const char *text, uint32_t *number, struct ws_error *error)
{
    return ws_parse_number_within(option, text, 0, UINT32_MAX, number, error);
}

bool ws_parse_number_within(const char *option, const char *text, uint32_t least, uint32_t most,
                            uint32_t *number, struct ws_error *error)
{
    char *behind = NULL;
    errno = 0;
    uint64_t value = *text >= '0' && *text <= '9' ? strtoull(text, &behind, 10) : 0;
    if (behind == NULL || *behind != '\0' || errno != 0 || value < least || value > most)
        return ws_error_set(error, "%s takes a number from %u to %u, not '%s'", option, least, most, text);
    *number = (uint32_t)value;
    return true;
}

bool ws_parse_size(const char *option, const char *text, uint64_t *size, struct ws_error *error)
{
    uint64_t bytes = 0;
    if (!ws_bytes_parse(text, &bytes) || bytes == 0)
        return ws_error_set(error,
                            "%s takes a size such as 800M or 4G (of 1024), 800MB or 4GB (of 1000), not '%s'",
                            option, text);
    *size = bytes;
    return true;
}

bool ws_take_passes(struct ws_settings *settings, const char *text, struct ws_error *error)
{
    return ws_settings_set(settings, WS_SETTING_PASSES, text, "--passes", error) &&
           (settings->pass_count > 0 || ws_error_set(error, "no pass is named; `warpscope list` shows them"));
}

enum { LIMIT_MEMORY, LIMIT_SECONDS, LIMIT_QUIET };

const struct ws_option ws_limit_options[] = {
    {.name = "max-memory",
     .argument = "SIZE",
     .id = LIMIT_MEMORY,
     .help = "at most so much memory: 4G (of 1024), 4GB (of 1000)",
     .more = "Without it, half of what is free. " WS_BYTES_HELP},
    {.name = "max-seconds",
     .argument = "N",
     .id = LIMIT_SECONDS,
     .help = "read for at most N seconds",
     .more =
         "What was read by then is shown. Without it, reading may take as long as a capture of its size can "
         "need."},
    {.name = "quiet",
     .letter = 'q',
     .id = LIMIT_QUIET,
     .help = "do not show how far the reading is",
     .more = "Without it, a line on the terminal shows that where it takes more than two seconds."},
    {NULL},
};

bool ws_take_limit(void *request, const struct ws_option *option, const char *text, struct ws_error *error)
{
    struct ws_limits *limits = request;
    if (option->id == LIMIT_QUIET) {
        limits->quiet = true;
        return true;
    }
    if (option->id == LIMIT_SECONDS)
        return ws_parse_number_within("--max-seconds", text, 1, UINT32_MAX, &limits->seconds, error);
    return ws_parse_size("--max-memory", text, &limits->memory, error);
}

/* Bytes that the present reading may take. */
static uint64_t memory_limit;

/* What helps against a failure for want of memory: messages of such say "no memory". Valid until the next call. */
static const char *memory_hint(const char *message)
{
    static char hint[96];
    char bytes[WS_BYTES_SIZE];
    if (strstr(message, "no memory") == NULL)
        return "";
    snprintf(hint, sizeof(hint), "; the limit was %s, and --max-memory SIZE allows more",
             ws_bytes_text(memory_limit, bytes));
    return hint;
}

void ws_limit_reading(const struct ws_limits *limits)
{
    memory_limit = limits->memory > 0 ? limits->memory : ws_memory_free("") / 2;
    ws_limit_memory(memory_limit);
    ws_budget_begin(limits->seconds);
}

void ws_say_unread(const struct ws_error *error)
{
    ws_say("%s%s", error->message, memory_hint(error->message));
}

/* Says on stderr what of the capture is not in the report, and what would have helped. */
static void say_what_is_missing(const struct ws_report *report)
{
    if (report->stopped.message[0] != '\0')
        ws_say("'%s' was read in part, up to byte %" PRIu64 ": %s", report->path,
               report->overview.reading.bytes, report->stopped.message);
    for (size_t i = 0; i < report->given_up_count; ++i) {
        const char *reason = report->given_up[i].error.message;
        ws_say("no %s: %s%s", report->given_up[i].analysis->name, reason, memory_hint(reason));
    }
    char lost[WS_CUT_SHORT_MAX];
    if (ws_report_not_whole(&report->overview, lost, sizeof(lost)))
        ws_say("'%s' is not whole: %s", report->path, lost);
}

int ws_reading_status(const struct ws_report *report)
{
    char lost[WS_CUT_SHORT_MAX];
    if (!ws_report_is_whole(report))
        return WS_EXIT_FAILED;
    return ws_report_not_whole(&report->overview, lost, sizeof(lost)) ? WS_EXIT_CUT : WS_EXIT_GOOD;
}

bool ws_read_capture(struct ws_report *report, const char *path, struct ws_report_request *request,
                     const struct ws_limits *limits, struct ws_error *error)
{
    struct ws_reading_progress progress;
    struct stat status;
    ws_limit_reading(limits);
    const bool shown = !limits->quiet && isatty(STDERR_FILENO);
    const bool sized = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    ws_reading_progress_begin(&progress, shown ? stderr : NULL, sized ? (uint64_t)status.st_size : 0, NULL);
    request->progress = ws_reading_progress_show;
    request->phase = ws_reading_progress_phase;
    request->user = &progress;
    bool read = ws_report_read(report, path, request, error);
    ws_reading_progress_end(&progress);
    if (read)
        say_what_is_missing(report);
    return read;
}
