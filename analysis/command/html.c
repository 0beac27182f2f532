/* warpscope html */
#include "analysis/command/html.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/command/viewing.h"
#include "analysis/output/staging.h"
#include "analysis/viewer/launches_shown.h"
#include "analysis/viewer/missing.h"
#include "analysis/viewer/single_file.h"
#include "warpscope/base/text.h"

enum { OPTION_OUTPUT, OPTION_BUDGET };

static const struct ws_option html_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "OUT.html",
     .id = OPTION_OUTPUT,
     .help = "the file to write; - is stdout",
     .kind = WS_ARGUMENT_FILE},
    {.name = "budget",
     .argument = "SIZE",
     .id = OPTION_BUDGET,
     .help = "the file's size at most: 5M (of 1024), 5MB (of 1000); 25M without it",
     .more = "What matters most is taken first. What does not fit is left out, which the command and the "
             "page say."},
    {NULL},
};

struct request {
    struct ws_viewing viewing;
    const char *output;
    uint64_t budget;
    bool replaces; /* a page of a capture that is not whole, too: record has replaced that as well */
    bool quiet;
};

static void show_progress(void *user, uint32_t done, uint32_t count)
{
    (void)user;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kwriting answer %" PRIu32 " of %" PRIu32, done, count);
}

/* Says what was written, and what was not. False where an answer could not be had. */
static bool say_result(const struct ws_viewer *viewer, const struct ws_viewer_single_file *file,
                       const struct request *request)
{
    char bytes[WS_BYTES_SIZE];
    char budget[WS_BYTES_SIZE];
    if (!request->quiet && strcmp(request->output, "-") != 0)
        ws_say("'%s' has %s; any browser opens it", request->output, ws_bytes_text(file->bytes, bytes));
    uint64_t numbers[WS_VIEWER_WHYS] = {0};
    char kinds[512] = ""; /* "12 about one ray; 3 about what one thread did" */
    for (uint32_t i = 0; i < viewer->left_out_count; ++i) {
        const struct ws_viewer_left_out *left_out = &viewer->left_out[i];
        if (left_out->why == WS_VIEWER_NO_ANSWER && numbers[WS_VIEWER_NO_ANSWER] == 0)
            ws_say("no %s: %s", left_out->first, left_out->words);
        numbers[left_out->why] += left_out->answers;
        const size_t used = strlen(kinds);
        if (left_out->why == WS_VIEWER_NO_ROOM)
            snprintf(kinds + used, sizeof(kinds) - used, "%s%" PRIu64 " about %.*s", used > 0 ? "; " : "",
                     left_out->answers, (int)strcspn(left_out->resource->help, ":,"),
                     left_out->resource->help);
    }
    if (numbers[WS_VIEWER_NO_ROOM] > 0)
        ws_say("left out: %" PRIu64 " of %" PRIu64
               " answers to clicks (%s): the page may have %s. A click on what is "
               "left out says so; --budget SIZE allows more, and `warpscope view` shows all",
               numbers[WS_VIEWER_NO_ROOM], numbers[WS_VIEWER_NO_ROOM] + file->answers, kinds,
               ws_bytes_text(file->budget, budget));
    if (numbers[WS_VIEWER_OTHER_LAUNCH] > 0)
        ws_say("of %" PRIu32
               " launches it shows the pictures, and scenes and rays where there are any, of %d: %s; "
               "--launch N chooses others",
               viewer->captures[0].report.catalog.launches.count, WS_LAUNCHES_SHOWN,
               ws_launches_shown_words(&viewer->captures[0]));
    if (file->bytes > file->budget)
        ws_say("the page is larger than the budget of %s: it cannot do with less",
               ws_bytes_text(file->budget, budget));
    return numbers[WS_VIEWER_NO_ANSWER] == 0;
}

/* `whole`: the page is of all of its captures, or may replace one that has more. */
static bool write_file(struct ws_viewer *viewer, struct ws_viewer_single_file *file, const char *path,
                       bool whole, struct ws_error *error)
{
    struct ws_staging staging;
    FILE *stream = ws_staging_open(&staging, path, error);
    if (stream == NULL)
        return false;
    const bool written = ws_viewer_write_single_file(viewer, file, stream, error);
    return ws_staging_close(&staging, stream, written, whole, error);
}

/* How much of the captures was read. */
static int reading_status(const struct ws_viewer *viewer)
{
    int status = WS_EXIT_GOOD;
    for (uint32_t i = 0; i < viewer->capture_count && status != WS_EXIT_FAILED; ++i) {
        const int read = ws_reading_status(&viewer->captures[i].report);
        status = read != WS_EXIT_GOOD ? read : status;
    }
    return status;
}

static int write_page(struct ws_viewer *viewer, const struct request *request)
{
    struct ws_viewer_single_file file = {.budget = request->budget, .progress = show_progress};
    struct ws_error error = {{0}};
    const int status = reading_status(viewer);
    const bool whole = status == WS_EXIT_GOOD || request->replaces;
    const bool written = write_file(viewer, &file, request->output, whole, &error);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (!written) {
        ws_say("%s", error.message);
        return WS_EXIT_FAILED;
    }
    return say_result(viewer, &file, request) ? status : WS_EXIT_FAILED;
}

static bool take_option(void *html_request, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    struct request *request = html_request;
    if (option->id == OPTION_OUTPUT) {
        request->output = value;
        return true;
    }
    return ws_parse_size("--budget", value, &request->budget, error);
}

static int write_of(struct request *request, char *const *captures)
{
    struct ws_viewer viewer;
    if (!ws_viewing_begin(&request->viewing, captures, &viewer))
        return WS_EXIT_FAILED;
    const int status = write_page(&viewer, request);
    ws_viewer_finish(&viewer);
    return status;
}

int ws_write_html(char *capture, const char *path, bool quiet)
{
    struct request request = {.output = path, .budget = WS_VIEWER_BUDGET, .replaces = true, .quiet = quiet};
    return write_of(&request, (char *[]){capture, NULL});
}

bool ws_check_html(const char *path, const char *capture, struct ws_error *error)
{
    char folder[PATH_MAX];
    struct stat status;
    if (ws_viewer_missing() != NULL)
        return ws_error_set(error, "%s", ws_viewer_missing());
    if (ws_output_is(path, capture)) /* which record is about to write */
        return ws_error_set(error, "the page would overwrite the capture '%s': name another file", capture);
    if (!ws_output_check(path, "the page",
                         (const struct ws_file_kind *[WS_OUTPUT_KINDS]){&ws_viewer_page_kind}, error))
        return false;
    if (strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode)))
        return ws_error_set(error, "cannot write the page '%s': it is no regular file; name one", path);
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(folder, sizeof(folder), ".");
    else
        snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return access(folder, W_OK | X_OK) == 0 ||
           ws_error_set(error, "cannot write the page '%s': folder '%s': %s", path, folder, strerror(errno));
}

static int run(int argument_count, char **arguments)
{
    struct request request = {.budget = WS_VIEWER_BUDGET};
    struct ws_error error = {{0}};
    int status = WS_EXIT_USAGE;
    char **operands = ws_options_take(&ws_command_html, argument_count, arguments, &request, &status);
    if (operands == NULL)
        return status;
    if (request.output == NULL)
        return ws_usage_error("html", "where to write the page is missing: -o OUT.html");
    const char *times = request.viewing.times;
    const bool to_stdout = strcmp(request.output, "-") == 0;
    bool good = ws_viewer_missing() == NULL || ws_error_set(&error, "%s", ws_viewer_missing());
    good = good && (to_stdout || times == NULL || ws_check_html(request.output, times, &error));
    for (char **operand = operands; good && !to_stdout && *operand != NULL; ++operand)
        good = ws_check_html(request.output, *operand, &error);
    if (good)
        return write_of(&request, operands);
    ws_say("%s", error.message);
    return WS_EXIT_FAILED;
}

const struct ws_command ws_command_html = {
    .name = "html",
    .summary = "write the page of a capture, or of two, as one file to pass around",
    .usage = "FILE [FILE] -o OUT.html [OPTIONS]",
    .about = "Writes the page that `warpscope view` shows into one file, with as much of the capture as "
             "fits. Any browser opens "
             "it, without a server and without a network: it can be mailed, attached to a bug report, and "
             "opened years later. "
             "Like the capture, it holds the program's command line. " WS_OUTPUTS_HELP,
    .tables = {{.rows = html_options, .take = take_option},
               {.rows = ws_viewing_options,
                .take = ws_take_viewing,
                .offset = offsetof(struct request, viewing)},
               {.rows = ws_limit_options,
                .take = ws_take_limit,
                .offset = offsetof(struct request, viewing.limits)},
               {.rows = ws_selection_options,
                .take = ws_take_selection,
                .offset = offsetof(struct request, viewing.selection)}},
    .operands = {{.name = "FILE", .missing = "the capture to show", .kind = WS_ARGUMENT_CAPTURE},
                 {.name = "FILE", .kind = WS_ARGUMENT_CAPTURE}},
    .examples = "  warpscope html run.wscope -o run.html\n"
                "  warpscope html run.wscope -o pixel.html --launch 3 --budget 5M\n"
                "  warpscope html before.wscope after.wscope -o change.html\n",
    .status = WS_EXIT_READING_HELP,
    .run = run,
};
