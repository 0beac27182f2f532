/* warpscope record */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
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
#include "analysis/command/loader_environment.h"
#include "analysis/command/record_result.h"
#include "passes/base/shared_folder.h"
#include "passes/settings/settings.h"

static const char help_head[] =
    "Usage: warpscope record [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
    "Runs PROGRAM with the Warpscope layer and captures what its shaders do. Its output,\n"
    "input and exit status are its own.\n"
    "\n";

static const char help_records[] =
    "\n"
    "Of passes that append records, so of all but simt_efficiency and warp_entry_exit:\n";

static const char help_tail[] =
    "  -h, --help\n"
    "\n"
    "What is not given here is taken from the layer's settings: warpscope list settings.\n"
    "\n"
    "Examples:\n"
    "  warpscope record -- ./path_tracer -o out.png\n"
    "  warpscope record -o run.wscope --frames 10-19 -- ./game --windowed\n"
    "  warpscope record --stages ray_tracing --shaders '*hit*' -- ./renderer scene.gltf\n"
    "  warpscope record -p ray_events --pixels 640,360 -- ./renderer scene.gltf\n"
    "  warpscope record -p all --tile 32x32/16 -- ./path_tracer -o out.png\n"
    "\n"
    "Exit status: the program's; 1 when it succeeded but nothing was captured, or could\n"
    "not be started; 2 when the arguments are wrong; 128 + N when signal N ended the\n"
    "program.\n";

struct request {
    char output[PATH_MAX]; /* "" until it is known */
    char **program;        /* arguments, NULL-terminated */
    struct ws_settings settings;
    struct ws_error error;
};

/* An option of the table of settings. */
struct setting_option {
    enum ws_setting_id id;
    const struct ws_setting_option *option;
};

#define OPTIONS_MAX ((int)(2 * WS_SETTING_COUNT))

/* All options of the table, in its order. Returns how many. */
static int list_options(struct setting_option options[OPTIONS_MAX])
{
    int count = 0;
    for (int id = 0; id < WS_SETTING_COUNT; ++id)
        for (int i = 0; i < 2; ++i)
            if (ws_setting_table[id].options[i].name != NULL)
                options[count++] =
                    (struct setting_option){(enum ws_setting_id)id, &ws_setting_table[id].options[i]};
    return count;
}

#define HELP_COLUMN 26
#define HELP_WIDTH  86

/* One option and its help, wrapped. */
static void print_option(const struct setting_option *chosen)
{
    const struct ws_setting_option *option = chosen->option;
    const char *text = option->help != NULL ? option->help : ws_setting_table[chosen->id].description;
    char letter[8] = "    ";
    if (option->letter != 0)
        snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    int column = printf("  %s--%s%s%s", letter, option->name, option->argument != NULL ? " " : "",
                        option->argument != NULL ? option->argument : "");
    column += printf("%*s", column < HELP_COLUMN ? HELP_COLUMN - column : 1, "");
    for (size_t length; *text != '\0'; text += length + strspn(text + length, " ")) {
        length = strcspn(text, " ");
        if (column + (int)length > HELP_WIDTH)
            column = printf("\n%*s", HELP_COLUMN, "") - 1;
        column += printf("%s%.*s", column > HELP_COLUMN ? " " : "", (int)length, text);
    }
    putchar('\n');
}

static void print_help(void)
{
    struct setting_option options[OPTIONS_MAX];
    int count = list_options(options);
    fputs(help_head, stdout);
    for (int i = 0; i < count; ++i)
        if (!ws_setting_table[options[i].id].of_records)
            print_option(&options[i]);
    fputs(help_records, stdout);
    for (int i = 0; i < count; ++i)
        if (ws_setting_table[options[i].id].of_records)
            print_option(&options[i]);
    fputs(help_tail, stdout);
}

/* Sets a setting in the environment of the program: in the variable that the layer prefers to all other
 * sources. */
static bool set_setting(struct request *request, enum ws_setting_id id, const char *value)
{
    char name[WS_SETTING_VARIABLE_SIZE];
    return setenv(ws_setting_variable(id, 0, name), value, 1) == 0 ||
           ws_error_set(&request->error, "no memory for the environment of the program");
}

/* `path` as an absolute one, since the program may change its folder. */
static bool make_absolute(struct request *request, const char *path, char absolute[PATH_MAX])
{
    char folder[PATH_MAX] = "";
    if (path[0] != '/' && getcwd(folder, sizeof(folder)) == NULL)
        return ws_error_set(&request->error, "cannot find the current folder: %s", strerror(errno));
    int length = snprintf(absolute, PATH_MAX, "%s%s%s", folder, folder[0] != '\0' ? "/" : "", path);
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

/* Takes one option. False when its value is wrong. */
static bool take_option(struct request *request, const struct setting_option *chosen, const char *value)
{
    char name[32];
    char path[PATH_MAX];
    if (chosen->option->argument == NULL)
        value = chosen->option->value;
    switch (chosen->id) {
    case WS_SETTING_PASSES: return take_passes(request, value);
    case WS_SETTING_OUTPUT: return make_absolute(request, value, request->output);
    case WS_SETTING_TRIGGER:
        return make_absolute(request, value, path) && set_setting(request, WS_SETTING_TRIGGER, path);
    default:
        snprintf(name, sizeof(name), "--%s", chosen->option->name);
        return ws_settings_set(&request->settings, chosen->id, value, name, &request->error) &&
               set_setting(request, chosen->id, value);
    }
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
    if (stat(folder, &status) != 0)
        return ws_error_set(&request->error, "cannot write the capture '%s': folder '%s': %s", path, folder,
                            strerror(errno));
    if (access(path, F_OK) != 0 && access(folder, W_OK | X_OK) != 0)
        return ws_error_set(&request->error, "cannot write the capture '%s': folder '%s': %s", path, folder,
                            strerror(errno));
    return true;
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

static bool set_environment(struct request *request, uint64_t start)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64, start);
    if (setenv("WARPSCOPE_RUN_START", text, 1) != 0)
        return ws_error_set(&request->error, "no memory for the environment of the program");
    return set_output(request) && ws_loader_environment_set(&request->error);
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

/* Waits until the program has ended. Returns its exit status as a shell would. */
static int wait_for_program(void)
{
    int status = 0;
    while (waitpid((pid_t)child, &status, 0) < 0 && errno == EINTR)
        continue;
    child = 0;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    ws_say("the program was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}

static int record(struct request *request)
{
    struct timespec now;
    /* File systems take times from this clock, so a capture of this run is never older than `start`. */
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    uint64_t start = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    if (!choose_output(request) || !check_output(request) || !set_environment(request, start) ||
        !start_program(request)) {
        ws_say("%s", request->error.message);
        return WS_EXIT_FAILED;
    }
    int status = wait_for_program();
    bool captured = ws_record_result_say(request->output, start);
    return status == 0 && !captured ? WS_EXIT_FAILED : status;
}

/* The options for getopt_long: option i of `settings` as OPTION_FIRST + i, and --help as 'h'. `letters`
 * receives the short ones. */
#define OPTION_FIRST 256
#define LETTERS_MAX  (2 * OPTIONS_MAX + 4)

static void make_options(const struct setting_option *settings, int count,
                         struct option options[OPTIONS_MAX + 2], char letters[LETTERS_MAX])
{
    /* "+": the first argument that is no option is the program, and what follows is its own. */
    size_t length = (size_t)snprintf(letters, LETTERS_MAX, "+h");
    for (int i = 0; i < count; ++i) {
        const struct ws_setting_option *option = settings[i].option;
        const bool has_argument = option->argument != NULL;
        options[i] = (struct option){option->name, has_argument ? required_argument : no_argument, NULL,
                                     OPTION_FIRST + i};
        if (option->letter != 0)
            length += (size_t)snprintf(letters + length, LETTERS_MAX - length, "%c%s", option->letter,
                                       has_argument ? ":" : "");
    }
    options[count] = (struct option){"help", no_argument, NULL, 'h'};
    options[count + 1] = (struct option){NULL, 0, NULL, 0};
}

/* The setting's option that getopt_long found. */
static const struct setting_option *find_option(const struct setting_option *settings, int found)
{
    if (found >= OPTION_FIRST)
        return &settings[found - OPTION_FIRST];
    while (settings->option->letter != found)
        ++settings;
    return settings;
}

/* Takes the arguments and does what they ask for. */
static int run(int argument_count, char **arguments, struct request *request)
{
    struct setting_option settings[OPTIONS_MAX];
    struct option options[OPTIONS_MAX + 2];
    char letters[LETTERS_MAX];
    make_options(settings, list_options(settings), options, letters);
    for (int option; (option = getopt_long(argument_count, arguments, letters, options, NULL)) != -1;) {
        if (option == 'h') {
            print_help();
            return ws_finish_output(WS_EXIT_GOOD);
        }
        if (option == '?')
            return ws_usage_error("record", NULL);
        if (!take_option(request, find_option(settings, option), optarg))
            return ws_usage_error("record", "%s", request->error.message);
    }
    if (optind >= argument_count)
        return ws_usage_error("record", "the program to run is missing");
    if (request->settings.pass_count == 0 && !passes_are_set() && !take_passes(request, "simt_efficiency"))
        return ws_usage_error("record", "%s", request->error.message);
    request->program = arguments + optind;
    return record(request);
}

int ws_command_record(int argument_count, char **arguments)
{
    struct request request = {.output = ""};
    int status = run(argument_count, arguments, &request);
    ws_settings_finish(&request.settings);
    return status;
}
