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

#include <cjson/cJSON.h>

#include "analysis/command/command.h"
#include "analysis/command/layer_manifest.h"
#include "analysis/command/loader_environment.h"
#include "analysis/command/record_result.h"

static const char help[] =
    "Usage: warpscope record [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
    "Runs PROGRAM with the Warpscope layer and captures what its shaders do. Its output,\n"
    "input and exit status are its own.\n"
    "\n"
    "  -p, --passes LIST       passes, separated by commas, or all (simt_efficiency);\n"
    "                          see warpscope list\n"
    "  -o, --output FILE       the capture (PROGRAM.wscope in this folder), replacing one\n"
    "                          that is there; processes that the program starts write\n"
    "                          FILE with their process id before the extension\n"
    "      --frames A-B        only these frames, counted from 0; also A- and A. A\n"
    "                          present ends a frame; what presents nothing is all\n"
    "                          frame 0: choose there with --launches\n"
    "      --launches A-B   only these traces, dispatches and render passes, counted\n"
    "                          from 0; also A- and A\n"
    "      --trigger FILE      only while this file exists\n"
    "      --stages LIST       instrument only these shader stages; see warpscope list\n"
    "      --shaders GLOBS     instrument only shaders whose module name, module hash or\n"
    "                          entry point matches; globs separated by commas\n"
    "      --per-block         a counter for every block, also where one could stand for\n"
    "                          several\n"
    "      --max-sites N       leave sites past this many of each module alone\n"
    "      --geometry          also capture what acceleration structures are built of;\n"
    "      --no-geometry       never do. Without either, it is done with pass ray_events\n"
    "\n"
    "Of passes that append records, so of all but simt_efficiency and warp_entry_exit:\n"
    "      --buffer SIZE       bytes of device memory for the records of a submission, with\n"
    "                          K, M or G; it grows by itself, but what did not fit is lost\n"
    "      --buffer-limit SIZE what it may grow to\n"
    "      --threads A-B/STEP  only warps with one of these threads, by flat id; also A-B,\n"
    "                          A-, A and /STEP\n"
    "      --pixels BOX        only warps with one of the pixels (launch ids) X0,Y0-X1,Y1,\n"
    "                          or X,Y; of vertex shaders: vertex and instance\n"
    "      --tile WxH/STEP     only warps in every STEPth tile of W by H pixels\n"
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

#define PASSES_MAX 16

/* Settings from the command line stand above all others: under the longest of the layer's variable names. */
#define SETTING_PREFIX "VK_WARPSCOPE_CAPTURE_"

struct request {
    char output[PATH_MAX]; /* "" until it is known */
    char **program;        /* arguments, NULL-terminated */
    struct ws_error error;
};

static bool set_setting(struct request *request, const char *key, const char *value)
{
    char name[64];
    snprintf(name, sizeof(name), SETTING_PREFIX "%s", key);
    return setenv(name, value, 1) == 0 ||
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
    const char *passes[PASSES_MAX];
    size_t count = 0;
    return ws_parse_passes(value, passes, PASSES_MAX, &count, &request->error) &&
           set_setting(request, "PASSES", value);
}

/* Whether the user's environment already chooses passes, under any of the layer's variable names. */
static bool passes_are_set(void)
{
    return getenv(SETTING_PREFIX "PASSES") != NULL || getenv("VK_CAPTURE_PASSES") != NULL ||
           getenv("WARPSCOPE_PASSES") != NULL;
}

static bool take_stages(struct request *request, const char *value)
{
    uint32_t stages = 0;
    return ws_parse_stages(value, &stages, &request->error) && set_setting(request, "STAGES", value);
}

/* Options whose values go to the layer as they are. */
struct forwarded {
    const char *option; /* as getopt knows it, without dashes */
    const char *key;    /* of the setting */
    bool (*check)(const char *option, const char *text, struct ws_error *error); /* NULL = any value */
};

static bool check_count(const char *option, const char *text, struct ws_error *error)
{
    uint32_t number = 0;
    return ws_parse_number(option, text, &number, error);
}

static const struct forwarded forwarded[] = {
    {"frames", "FRAMES", ws_check_range},
    {"launches", "LAUNCHES", ws_check_range},
    {"shaders", "SHADERS", NULL},
    {"max-sites", "MAX_SITES", check_count},
    {"buffer", "BUFFER_SIZE", ws_check_size},
    {"buffer-limit", "BUFFER_LIMIT", ws_check_size},
    {"threads", "THREADS", ws_check_threads},
    {"pixels", "PIXELS", ws_check_pixels},
    {"tile", "TILE", ws_check_tile},
};

static bool forward(struct request *request, const char *option, const char *value)
{
    size_t i = 0;
    while (strcmp(forwarded[i].option, option) != 0)
        ++i;
    char name[32];
    snprintf(name, sizeof(name), "--%s", option);
    return (forwarded[i].check == NULL || forwarded[i].check(name, value, &request->error)) &&
           set_setting(request, forwarded[i].key, value);
}

/* Takes one option. False when its value is wrong. */
static bool take_option(struct request *request, const struct option *option, const char *value)
{
    char path[PATH_MAX];
    switch (option->val) {
    case 'p': return take_passes(request, value);
    case 'o': return make_absolute(request, value, request->output);
    case 't': return make_absolute(request, value, path) && set_setting(request, "TRIGGER", path);
    case 's': return take_stages(request, value);
    case 'b': return set_setting(request, "PER_BLOCK", "true");
    case 'g': return set_setting(request, "GEOMETRY", "on");
    case 'n': return set_setting(request, "GEOMETRY", "off");
    default: return forward(request, option->name, value);
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

/* Finds out now what would otherwise be found out when the program has run for an hour. */
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

/* The layer fills in %n and %p; a file's name is meant as it stands. */
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
    return set_setting(request, "OUTPUT", pattern);
}

static bool set_environment(struct request *request, uint64_t start)
{
    char folder[PATH_MAX];
    char text[32];
    cJSON *manifest = ws_layer_manifest_find(folder, &request->error);
    if (manifest == NULL)
        return false;
    cJSON_Delete(manifest);
    snprintf(text, sizeof(text), "%" PRIu64, start);
    if (setenv("WARPSCOPE_RUN_START", text, 1) != 0)
        return ws_error_set(&request->error, "no memory for the environment of the program");
    return set_output(request) && ws_loader_environment_set(folder, &request->error);
}

/* The program under way, for the signals that are passed on to it. */
static volatile sig_atomic_t child;

static void pass_on(int signal_number)
{
    if (child > 0)
        kill((pid_t)child, signal_number);
}

/* Who presses Ctrl-C means the program, which gets the signal from the terminal as well as we do; what is
 * sent to us alone is passed on. Either way we stay, to say where the capture is. */
static void handle_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction forward = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGQUIT, &ignore, NULL);
    sigaction(SIGTERM, &forward, NULL);
    sigaction(SIGHUP, &forward, NULL);
}

/* In the child: becomes the program; where that fails, tells why through the pipe. */
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

/* Waits for the program's end. Its exit status as a shell gives it. */
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
    /* The clock that file systems use, so that a capture is never older than the run. */
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

int ws_command_record(int argument_count, char **arguments)
{
    enum { FORWARD = 'f' };
    static const struct option options[] = {{"passes", required_argument, NULL, 'p'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"frames", required_argument, NULL, FORWARD},
                                            {"launches", required_argument, NULL, FORWARD},
                                            {"trigger", required_argument, NULL, 't'},
                                            {"stages", required_argument, NULL, 's'},
                                            {"shaders", required_argument, NULL, FORWARD},
                                            {"per-block", no_argument, NULL, 'b'},
                                            {"max-sites", required_argument, NULL, FORWARD},
                                            {"geometry", no_argument, NULL, 'g'},
                                            {"no-geometry", no_argument, NULL, 'n'},
                                            {"buffer", required_argument, NULL, FORWARD},
                                            {"buffer-limit", required_argument, NULL, FORWARD},
                                            {"threads", required_argument, NULL, FORWARD},
                                            {"pixels", required_argument, NULL, FORWARD},
                                            {"tile", required_argument, NULL, FORWARD},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct request request = {.output = ""};
    bool passes = false;
    int index = 0;
    /* "+": the first argument that is no option is the program, and what follows is its own. */
    for (int option; (option = getopt_long(argument_count, arguments, "+p:o:h", options, &index)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return ws_finish_output(WS_EXIT_GOOD);
        }
        if (option == '?')
            return ws_usage_error("record", NULL);
        /* For a short option getopt leaves the index alone. */
        if (option == 'p' || option == 'o')
            index = option == 'p' ? 0 : 1;
        if (!take_option(&request, &options[index], optarg))
            return ws_usage_error("record", "%s", request.error.message);
        passes = passes || option == 'p';
    }
    if (optind >= argument_count)
        return ws_usage_error("record", "the program to run is missing");
    if (!passes && !passes_are_set() && !take_passes(&request, "simt_efficiency"))
        return ws_usage_error("record", "%s", request.error.message);
    request.program = arguments + optind;
    return record(&request);
}
