/* warpscope record */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/command/html.h"
#include "analysis/command/record/loader_environment.h"
#include "analysis/command/record/record_estimate.h"
#include "analysis/command/record/record_probes.h"
#include "analysis/command/record/record_progress.h"
#include "analysis/command/record/record_result.h"
#include "passes/base/shared_folder.h"
#include "passes/settings/settings.h"
#include "warpscope/base/text.h"
#include "warpscope/capture.h"

struct request {
    char output[PATH_MAX]; /* "" until it is known */
    char **program;        /* arguments, NULL-terminated */
    bool quiet;
    const char *html; /* a page to write of the capture; NULL = none */
    struct ws_settings settings;
    struct ws_record_probes probes;
    struct ws_record_estimate estimate;
    struct ws_record_progress *progress; /* NULL = the system has no memory for it */
    struct ws_error error;
};

#define OPTIONS_MAX (2 * WS_SETTING_COUNT + 1)

static const char *setting_choice(const struct ws_option *option, size_t index)
{
    return ws_setting_choice((enum ws_setting_id)option->id, index);
}

static enum ws_argument_kind setting_kind(enum ws_setting_id id)
{
    switch (ws_setting_table[id].type) {
    case WS_SETTING_TYPE_ENUM: return WS_ARGUMENT_CHOICE;
    case WS_SETTING_TYPE_FLAGS: return WS_ARGUMENT_CHOICES;
    case WS_SETTING_TYPE_LOAD_FILE: return WS_ARGUMENT_FILE;
    case WS_SETTING_TYPE_SAVE_FILE: return WS_ARGUMENT_CAPTURE;
    case WS_SETTING_TYPE_SAVE_FOLDER: return WS_ARGUMENT_FOLDER;
    default: return WS_ARGUMENT_ANY;
    }
}

/* What a description says behind its first sentence, which the help of the option says too; NULL = nothing. */
static const char *further_sentences(const char *description)
{
    const char *end = strstr(description, ". ");
    return end != NULL ? end + 2 : NULL;
}

static struct ws_option make_option(enum ws_setting_id id, const struct ws_setting_option *option)
{
    const struct ws_setting *setting = &ws_setting_table[id];
    return (struct ws_option){.name = option->name,
                              .letter = option->letter,
                              .argument = option->argument,
                              .id = (int)id,
                              .help = option->help != NULL ? option->help : setting->description,
                              .more = option->help != NULL ? further_sentences(setting->description) : NULL,
                              .group = setting->group,
                              .kind = option->argument != NULL ? setting_kind(id) : WS_ARGUMENT_ANY,
                              .choice = setting_choice};
}

/* The options of the table of settings, group by group, and the older name of one. */
static const struct ws_option *make_options(void)
{
    static const char *const groups[] = {WS_SETTING_WHAT, WS_SETTING_PART, WS_SETTING_RESULT,
                                         WS_SETTING_COST};
    static struct ws_option options[OPTIONS_MAX + 1];
    size_t count = 0;
    if (options[0].name != NULL)
        return options;
    for (size_t group = 0; group < sizeof(groups) / sizeof(groups[0]); ++group)
        for (int id = 0; id < WS_SETTING_COUNT; ++id) {
            const struct ws_setting *setting = &ws_setting_table[id];
            for (int i = 0; i < 2 && setting->options[i].name != NULL; ++i)
                if (strcmp(setting->group, groups[group]) == 0)
                    options[count++] = make_option((enum ws_setting_id)id, &setting->options[i]);
        }
    options[count++] = (struct ws_option){.name = "invocations",
                                          .argument = "A-B",
                                          .id = WS_SETTING_LAUNCHES,
                                          .help = NULL,
                                          .group = WS_SETTING_PART};
    return options;
}

/* Sets a setting in the environment of the program: in the variable that the layer prefers to all other
 * sources. */
static bool set_setting(struct request *request, enum ws_setting_id id, const char *value)
{
    char name[WS_SETTING_VARIABLE_SIZE];
    return setenv(ws_setting_variable(id, 0, name), value, 1) == 0 ||
           ws_error_set(&request->error, "no memory for the environment of the program");
}

static bool is_dots(const char *part, size_t length)
{
    return (length == 1 || length == 2) && strncmp(part, "..", length) == 0;
}

/* Whether a path has a part "." or "..": "../run.wscope", and not "run..wscope". */
static bool has_dots(const char *path)
{
    size_t length = strcspn(path, "/");
    while (path[length] != '\0' && !is_dots(path, length)) {
        path += length + 1;
        length = strcspn(path, "/");
    }
    return is_dots(path, length);
}

/* `path` as an absolute one, since the program may change its folder. Messages show it: where its folder is there, without
 * the "." and ".." that were typed, which are resolved as the system does, past links. */
static bool make_absolute(struct request *request, const char *path, char absolute[PATH_MAX])
{
    char folder[PATH_MAX] = "";
    char typed[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    if (slash != NULL && has_dots(path) && !has_dots(name)) {
        snprintf(typed, sizeof(typed), "%.*s", (int)(slash - path), path);
        if (strlen(path) < sizeof(typed) && realpath(slash == path ? "/" : typed, folder) != NULL)
            path = name;
    }
    if (path[0] != '/' && folder[0] == '\0' && getcwd(folder, sizeof(folder)) == NULL)
        return ws_error_set(&request->error, "cannot find the current folder: %s", strerror(errno));
    const bool apart = folder[0] != '\0' && strcmp(folder, "/") != 0;
    int length = snprintf(absolute, PATH_MAX, "%s%s%s", folder, apart ? "/" : "", path);
    return length < PATH_MAX || ws_error_set(&request->error, "the path '%s' is too long", path);
}

static bool take_passes(struct request *request, const char *value)
{
    return ws_take_passes(&request->settings, value, &request->error) &&
           set_setting(request, WS_SETTING_PASSES, value);
}

/* Whether the user's environment chooses passes already. */
static bool passes_are_set(void)
{
    char name[WS_SETTING_VARIABLE_SIZE];
    for (unsigned i = 0; i < WS_SETTING_VARIABLES; ++i)
        if (getenv(ws_setting_variable(WS_SETTING_PASSES, i, name)) != NULL)
            return true;
    return false;
}

/* The value that a setting gets from an option that takes none. */
static const char *own_value(const struct ws_option *option)
{
    const struct ws_setting_option *options = ws_setting_table[option->id].options;
    return options[strcmp(options[0].name, option->name) == 0 ? 0 : 1].value;
}

/* Takes one option. False when its value is wrong. */
static bool take_setting(struct request *request, const struct ws_option *option, const char *value)
{
    const enum ws_setting_id id = (enum ws_setting_id)option->id;
    char name[32];
    char path[PATH_MAX];
    if (option->argument == NULL)
        value = own_value(option);
    switch (id) {
    case WS_SETTING_PASSES: return take_passes(request, value);
    case WS_SETTING_OUTPUT: return make_absolute(request, value, request->output);
    case WS_SETTING_TRIGGER:
        return make_absolute(request, value, path) && set_setting(request, WS_SETTING_TRIGGER, path);
    default:
        snprintf(name, sizeof(name), "--%s", option->name);
        return ws_settings_set(&request->settings, id, value, name, &request->error) &&
               set_setting(request, id, value);
    }
}

static bool take_option(void *request, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    struct request *taking = request;
    if (take_setting(taking, option, value))
        return true;
    *error = taking->error;
    return false;
}

/* Without -o: the program's name in the current folder. */
static bool choose_output(struct request *request)
{
    char name[PATH_MAX];
    const char *slash = strrchr(request->program[0], '/');
    if (request->output[0] != '\0')
        return true;
    snprintf(name, sizeof(name), "%s.wscope", slash != NULL ? slash + 1 : request->program[0]);
    return make_absolute(request, name, request->output);
}

/* Only captures and empty files are replaced. */
static bool is_replaceable(const char *path)
{
    const enum ws_there there = ws_what_is_there(path);
    return there == WS_THERE_EMPTY || there == WS_THERE_CAPTURE;
}

/* Whether the capture can be written. Without this, a program might run for an hour first. */
static bool check_output(struct request *request)
{
    char folder[PATH_MAX];
    struct stat status;
    const char *path = request->output;
    snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    slash[slash == folder ? 1 : 0] = '\0';
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return ws_error_set(&request->error,
                            "cannot write the capture '%s': it is a folder; name a file in it", path);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return ws_error_set(&request->error, "cannot write the capture '%s': it is no regular file; name one",
                            path);
    if (ws_folder_is_shared(path) && lstat(path, &status) == 0 && ws_shared_file_refusal(&status) != NULL)
        return ws_error_set(&request->error, "cannot write the capture '%s': %s", path,
                            ws_shared_file_refusal(&status));
    if (access(path, F_OK) == 0 && access(path, W_OK) != 0)
        return ws_error_set(&request->error, "cannot write the capture '%s': %s", path, strerror(errno));
    if (access(path, F_OK) == 0 && !is_replaceable(path))
        return ws_error_set(
            &request->error,
            "cannot write the capture '%s': that file is there and is no capture; name another "
            "with -o, or remove it",
            path);
    if (stat(folder, &status) != 0)
        return ws_error_set(&request->error,
                            "cannot write the capture '%s': folder '%s': %s; -o names another", path, folder,
                            strerror(errno));
    if (access(path, F_OK) != 0 && access(folder, W_OK | X_OK) != 0)
        return ws_error_set(&request->error,
                            "cannot write the capture '%s': folder '%s': %s; -o names another", path, folder,
                            strerror(errno));
    return true;
}

/* Whether the page can be made and written, for the same reason. */
static bool check_html(struct request *request)
{
    return request->html == NULL || ws_check_html(request->html, request->output, &request->error);
}

/* Sets the layer's pattern for the output. The layer replaces %n and %p in it, so each % of the file's name
 * is doubled. */
static bool set_output(struct request *request)
{
    char pattern[2 * PATH_MAX];
    size_t used = 0;
    for (const char *at = request->output; *at != '\0'; ++at) {
        if (*at == '%')
            pattern[used++] = '%';
        pattern[used++] = *at;
    }
    pattern[used] = '\0';
    return set_setting(request, WS_SETTING_OUTPUT, pattern);
}

static bool set_number(struct request *request, const char *variable, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64, number);
    return setenv(variable, text, 1) == 0 ||
           ws_error_set(&request->error, "no memory for the environment of the program");
}

static bool set_environment(struct request *request, const struct ws_record_run *run)
{
    return set_number(request, "WARPSCOPE_RUN_START", run->start) &&
           set_number(request, "WARPSCOPE_RUN", run->number) && set_output(request) &&
           ws_loader_environment_set(&request->error);
}

/* The running program, to which signals are passed on; 0 = none. */
static volatile sig_atomic_t child;

static void pass_on(int signal_number)
{
    if (child > 0)
        kill((pid_t)child, signal_number);
}

/* Ctrl-C is meant for the program. The terminal sends that signal to the program too, so it is ignored here;
 * a signal that was sent to this process alone is passed on. In both cases this process goes on, to say where
 * the capture is. */
static void handle_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction forward = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGQUIT, &ignore, NULL);
    sigaction(SIGTERM, &forward, NULL);
    sigaction(SIGHUP, &forward, NULL);
}

/* In the child process: executes the program. Where that fails, it writes errno to the pipe. */
static void become_program(char **program, int report)
{
    execvp(program[0], program);
    int reason = errno;
    ssize_t told = write(report, &reason, sizeof(reason));
    _exit(told == (ssize_t)sizeof(reason) ? 127 : 126);
}

/* Starts the program. False when it could not be started. */
static bool start_program(struct request *request)
{
    int report[2];
    int reason = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return ws_error_set(&request->error, "cannot start '%s': %s", request->program[0], strerror(errno));
    pid_t process = fork();
    if (process == 0)
        become_program(request->program, report[1]);
    close(report[1]);
    if (process < 0) {
        close(report[0]);
        return ws_error_set(&request->error, "cannot start '%s': %s", request->program[0], strerror(errno));
    }
    child = process;
    handle_signals();
    ssize_t got = 0;
    do
        got = read(report[0], &reason, sizeof(reason));
    while (got < 0 && errno == EINTR);
    close(report[0]);
    if (got != (ssize_t)sizeof(reason))
        return true;
    waitpid(process, NULL, 0);
    return ws_error_set(&request->error, "cannot start '%s': %s", request->program[0], strerror(reason));
}

/* How long is waited for the program before the line is looked at again. */
static const struct timespec glance = {.tv_nsec = 100000000};

/* Waits until the program has ended, and shows how far it is meanwhile. */
static int wait_and_show(struct ws_record_progress *progress)
{
    int status = 0;
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, NULL); /* the program was started before and does not inherit this */
    while (waitpid((pid_t)child, &status, WNOHANG) == 0) {
        ws_record_progress_show(progress);
        sigtimedwait(&ends, NULL, &glance);
    }
    ws_record_progress_end(progress);
    return status;
}

/* Waits until the program has ended. Returns its exit status as a shell would. */
static int wait_for_program(const struct request *request)
{
    int status = 0;
    if (ws_record_progress_is_shown(request->progress))
        status = wait_and_show(request->progress);
    else
        while (waitpid((pid_t)child, &status, 0) < 0 && errno == EINTR)
            continue;
    child = 0;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    ws_say("the program was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Variables that the layer would not know. */
static void say_unknown(void)
{
    char text[256];
    size_t at = 0;
    while (ws_setting_next_unknown(environ, &at, text, sizeof(text)))
        ws_say("%s", text);
}

/* With --quiet the layer does not tell of slow compilation, unless the user has set when. */
static bool hush(struct request *request)
{
    char name[WS_SETTING_VARIABLE_SIZE];
    for (unsigned i = 0; i < WS_SETTING_VARIABLES; i++)
        if (!request->quiet || getenv(ws_setting_variable(WS_SETTING_SLOW_AFTER, i, name)) != NULL)
            return true;
    return set_setting(request, WS_SETTING_SLOW_AFTER, "0");
}

/* Runs the program once. Returns its exit status as a shell would, and WS_EXIT_FAILED where it was not started, which was
 * said; `run` tells which captures it wrote. */
static int run_program(struct request *request, struct ws_record_run *run)
{
    *run = (struct ws_record_run){
        .output = request->output,
        .program = request->program[0],
        /* File systems take times from this clock, so a capture of this run is never older than `start`. */
        .start = nanoseconds(CLOCK_REALTIME_COARSE),
        .number = nanoseconds(CLOCK_REALTIME),
        .quiet = request->quiet,
    };
    const bool ready = set_environment(request, run) && hush(request);
    stat(request->output, &run->before); /* leaves zeros where there is no such file */
    if (!ready || !start_program(request)) {
        ws_say("%s", request->error.message);
        run->program = NULL;
        return WS_EXIT_FAILED;
    }
    run->status = wait_for_program(request);
    ws_record_progress_sum(request->progress, &run->seen);
    return run->status;
}

/* Whether a file is there and not empty. */
static bool is_written(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size > 0;
}

/* Runs the program with counters alone, and says what its passes would record. Returns WS_EXIT_GOOD, and the setting
 * tile that keeps below the budget, or the status with which to end. */
static int count_first(struct request *request, char tile[64])
{
    char output[PATH_MAX];
    struct ws_record_run run;
    memcpy(output, request->output, sizeof(output));
    if (!ws_record_estimate_begin(&request->estimate, request->output))
        return WS_EXIT_FAILED;
    if (!set_setting(request, WS_SETTING_PASSES, "simt_efficiency")) {
        ws_say("%s", request->error.message);
        return WS_EXIT_FAILED;
    }
    if (!request->quiet)
        ws_say("the first run only counts, to tell how much there is to record");
    int status = run_program(request, &run);
    if (run.program != NULL && status == 0 && !is_written(request->output)) {
        ws_record_result_say(&run);
        status = WS_EXIT_FAILED;
    } else if (run.program != NULL && status != 0) {
        ws_say("the program failed (status %d): nothing is estimated", status);
    }
    if (status == 0 && !ws_record_estimate_tell(&request->estimate, request->output, &request->settings,
                                                request->quiet, tile))
        status = WS_EXIT_FAILED;
    memcpy(request->output, output, sizeof(output));
    return status;
}

/* Gives the program its passes again, and the tiles that keep below the budget. */
static bool choose_sample(struct request *request, const char *tile)
{
    char passes[1024] = "";
    for (size_t i = 0; i < request->settings.pass_count; ++i)
        ws_append_name(passes, sizeof(passes), request->settings.passes[i]);
    if (set_setting(request, WS_SETTING_PASSES, passes) &&
        (tile[0] == '\0' || set_setting(request, WS_SETTING_TILE, tile)))
        return true;
    ws_say("%s", request->error.message);
    return false;
}

static int record(struct request *request)
{
    char tile[64] = "";
    struct ws_record_run run;
    say_unknown();
    request->progress = ws_record_progress_create(!request->quiet);
    if (!choose_output(request) || !check_output(request) || !check_html(request)) {
        ws_say("%s", request->error.message);
        return WS_EXIT_FAILED;
    }
    if (request->estimate.wanted || request->estimate.budget > 0) {
        const int counted = count_first(request, tile);
        if (counted != 0 || request->estimate.wanted)
            return counted;
        if (!choose_sample(request, tile))
            return WS_EXIT_FAILED;
    }
    int status = run_program(request, &run);
    if (run.program == NULL)
        return status;
    run.budget = request->estimate.budget;
    bool made = ws_record_result_say(&run);
    if (made && request->html != NULL) {
        signal(SIGINT, SIG_DFL); /* from here on Ctrl-C is meant for this process */
        made = ws_write_html(request->output, request->html, request->quiet) != WS_EXIT_FAILED;
    }
    return status == 0 && !made ? WS_EXIT_FAILED : status;
}

/* Whether what was asked for together makes sense. */
static bool check_estimate(const struct request *request, struct ws_error *error)
{
    const struct ws_record_estimate *estimate = &request->estimate;
    const char *option = estimate->wanted ? "--estimate" : "--budget";
    const struct ws_sampling *sampling = &request->settings.sampling;
    if (!estimate->wanted && estimate->budget == 0)
        return true;
    if (request->probes.list.count > 0)
        return ws_error_set(error,
                            "%s is of passes, and cannot tell what a probe yields: leave --probe and -e "
                            "out",
                            option);
    if (!estimate->wanted && request->settings.pass_count == 0)
        return ws_error_set(error, "--budget needs to know what is recorded: add -p and its passes");
    if (!estimate->wanted && sampling->flags != 0)
        return ws_error_set(error, "--budget chooses --tile by itself: leave --threads, --pixels and --tile "
                                   "out");
    return true;
}

/* Takes the arguments and does what they ask for. */
static int take_and_record(int argument_count, char **arguments, struct request *request)
{
    int status = WS_EXIT_USAGE;
    request->program = ws_options_take(&ws_command_record, argument_count, arguments, request, &status);
    if (request->program == NULL)
        return status;
    if (!check_estimate(request, &request->error))
        return ws_usage_error("record", "%s", request->error.message);
    if (request->settings.pass_count == 0 && request->probes.list.count == 0 && !passes_are_set() &&
        !request->estimate.wanted && !take_passes(request, "simt_efficiency"))
        return ws_usage_error("record", "%s", request->error.message);
    if (!ws_record_probes_set(&request->probes, request->quiet))
        return WS_EXIT_FAILED;
    return record(request);
}

static int run(int argument_count, char **arguments)
{
    struct request request = {.output = ""};
    int status = take_and_record(argument_count, arguments, &request);
    ws_settings_finish(&request.settings);
    ws_record_probes_remove(&request.probes);
    ws_record_estimate_remove(&request.estimate);
    ws_record_progress_destroy(request.progress);
    return status;
}

enum { OPTION_ESTIMATE, OPTION_BUDGET, OPTION_QUIET, OPTION_HTML };

static const struct ws_option own_options[] = {
    {.name = "estimate",
     .id = OPTION_ESTIMATE,
     .group = WS_SETTING_COST,
     .help = "only say what each pass would record",
     .more =
         "The program runs with counters, and nothing is recorded. With --budget also which --tile or "
         "--frames keeps below it. Not how long that takes: what a record costs differs by device and shader "
         "tenfold, and of a short run most is compiling. One frame with --frames 0 tells."},
    {.name = "budget",
     .argument = "SIZE",
     .id = OPTION_BUDGET,
     .group = WS_SETTING_COST,
     .help = "records at most: 2G (of 1024), 2GB (1000); runs twice",
     .more =
         "The first run counts, and says which --tile the second needs. Records are counted as they are "
         "in memory; a capture holds them compressed. What a loop appends where its turns take other ways "
         "depends on data and comes on top: if it may go beyond the budget, a message says how much it may "
         "be. " WS_BYTES_HELP},
    {.name = "html",
     .argument = "OUT.html",
     .id = OPTION_HTML,
     .group = WS_SETTING_RESULT,
     .help = "then write its page, as warpscope html",
     .kind = WS_ARGUMENT_FILE},
    {.name = "quiet",
     .letter = 'q',
     .id = OPTION_QUIET,
     .group = WS_SETTING_RESULT,
     .help = "say nothing unless something is wrong",
     .more = "Without it, a line on the terminal shows how far the program is."},
    {.name = NULL},
};

static bool take_own(void *untyped, const struct ws_option *option, const char *value, struct ws_error *error)
{
    struct request *request = untyped;
    switch (option->id) {
    case OPTION_BUDGET: return ws_parse_size("--budget", value, &request->estimate.budget, error);
    case OPTION_ESTIMATE: request->estimate.wanted = true; break;
    case OPTION_HTML: request->html = value; break;
    default: request->quiet = true; break;
    }
    return true;
}

const struct ws_command ws_command_record = {
    .name = "record",
    .summary = "run a program and capture what its shaders do",
    .usage = "[OPTIONS] -- PROGRAM [ARGUMENTS]",
    .about =
        "Runs PROGRAM with the Warpscope layer and captures what its shaders do. Its output, input and exit "
        "status "
        "are its own. What is not given here is taken from the layer's settings: warpscope list settings.",
    .tables = {{.make_rows = make_options, .take = take_option},
               {.rows = ws_probe_options,
                .take = ws_take_probe,
                .offset = offsetof(struct request, probes.list)},
               {.rows = own_options, .take = take_own}},
    .operands = {{.name = "PROGRAM", .missing = "the program to run", .kind = WS_ARGUMENT_PROGRAM}},
    .examples = "  warpscope record -o run.wscope --frames 10-19 -- ./game --windowed\n"
                "  warpscope record --stages ray_tracing --shaders '*hit*' -- ./renderer a.gltf\n"
                "  warpscope record -e 'after OpFDiv { if (isinf(result)) count(); }' -- ./a\n",
    .status = "Exit status: the program's; 1 when it was not started, or nothing was captured; 2 when the "
              "arguments are wrong; 128 + N when signal N ended it.",
    .run = run,
};
