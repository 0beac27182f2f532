/* warpscope view */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/command/viewing.h"
#include "analysis/viewer/server.h"

#define WAIT_MS 500

enum { OPTION_PORT, OPTION_NO_BROWSER, OPTION_IDLE };

static const struct ws_option view_options[] = {
    {.name = "no-browser", .id = OPTION_NO_BROWSER, .help = "print the page's address, and open no browser"},
    {.name = "port",
     .argument = "N",
     .id = OPTION_PORT,
     .help = "listen on this port of 127.0.0.1; 0 = a free one (0)",
     .more = "For a capture on another machine, choose a port and forward it under the same number: "
             "ssh -L 8080:127.0.0.1:8080 MACHINE."},
    {.name = "idle",
     .argument = "MINUTES",
     .id = OPTION_IDLE,
     .help = "end when the page has asked for nothing for so long; 0 = never (0)"},
    {NULL},
};

struct request {
    struct ws_viewing viewing;
    uint32_t port;
    uint32_t idle; /* minutes */
    bool no_browser;
};

/* A page in the user's temporary folder that leads to the address: other users of the machine see arguments of programs, and
 * the address has the token. */
struct door {
    char path[4096];
};

static volatile sig_atomic_t ended;

static void end(int number)
{
    (void)number;
    ended = 1;
}

/* The first signal ends the server in order, a second one the process at once. */
static void heed_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = end, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); ++i)
        sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static bool has_display(void)
{
    const char *const names[] = {"WAYLAND_DISPLAY", "DISPLAY"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        if (getenv(names[i]) != NULL && getenv(names[i])[0] != '\0')
            return true;
    return false;
}

static bool make_door(struct door *door, const char *url)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    if (folder == NULL || folder[0] != '/')
        folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] != '/')
        folder = "/tmp";
    if ((size_t)snprintf(door->path, sizeof(door->path), "%s/warpscope-XXXXXX.html", folder) >=
        sizeof(door->path))
        return false;
    const int file = mkostemps(door->path, (int)strlen(".html"), O_CLOEXEC);
    FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
    if (stream == NULL) {
        if (file >= 0)
            close(file);
        return false;
    }
    fprintf(stream,
            "<!doctype html><meta charset=\"utf-8\"><title>Warpscope</title>\n"
            "<meta name=\"referrer\" content=\"no-referrer\">\n"
            "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n",
            url);
    return fclose(stream) == 0;
}

/* Opens what the user's desktop opens pages with. Nobody waits for it. What limits our memory is not for it. */
static void open_browser(const char *path)
{
    const pid_t child = fork();
    struct rlimit limit;
    if (child < 0)
        return;
    if (child > 0) {
        waitpid(child, NULL, 0);
        return;
    }
    if (fork() != 0)
        _exit(0);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 3 && nothing >= 0; ++i)
        dup2(nothing, i);
    if (getrlimit(RLIMIT_DATA, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_DATA, &limit);
    }
    setsid();
    execlp("xdg-open", "xdg-open", path, (char *)NULL);
    _exit(127);
}

static uint64_t seconds_now(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? (uint64_t)now.tv_sec : 0;
}

/* Answers until a signal comes, or nothing was asked for long enough. */
static int serve(const struct request *request, struct ws_viewer_server *server)
{
    struct ws_error error = {{0}};
    uint64_t requests = 0;
    uint64_t last = seconds_now();
    while (!ended) {
        if (!ws_viewer_server_run(server, WAIT_MS, &error) && !ended) {
            ws_say("%s", error.message);
            return WS_EXIT_FAILED;
        }
        if (ws_viewer_server_requests(server) != requests) {
            requests = ws_viewer_server_requests(server);
            last = seconds_now();
        }
        if (request->idle > 0 && seconds_now() - last >= UINT64_C(60) * request->idle) {
            ws_say("no page has asked for anything for %u minute%s: the command ends", request->idle,
                   request->idle == 1 ? "" : "s");
            break;
        }
    }
    return WS_EXIT_GOOD;
}

static int view(const struct request *request, struct ws_viewer *viewer)
{
    struct ws_error error = {{0}};
    struct door door = {""};
    struct ws_viewer_server *server = ws_viewer_server_create(viewer, (uint16_t)request->port, &error);
    if (server == NULL) {
        ws_say("%s", error.message);
        return WS_EXIT_FAILED;
    }
    heed_signals();
    printf("%s\n", ws_viewer_server_url(server));
    int status = ws_finish_output(WS_EXIT_GOOD);
    ws_say("this address shows the capture, on this machine only; Ctrl-C ends it");
    if (!request->no_browser && has_display() && make_door(&door, ws_viewer_server_url(server)))
        open_browser(door.path);
    if (status == WS_EXIT_GOOD)
        status = serve(request, server);
    if (door.path[0] != '\0')
        unlink(door.path);
    ws_viewer_server_destroy(server);
    return status;
}

static bool take_option(void *view_request, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    struct request *request = view_request;
    switch (option->id) {
    case OPTION_NO_BROWSER: request->no_browser = true; return true;
    case OPTION_IDLE: return ws_parse_number("--idle", value, &request->idle, error);
    default: /* OPTION_PORT */
        return ws_parse_number_within("--port", value, 0, UINT16_MAX, &request->port, error);
    }
}

static int run(int argument_count, char **arguments)
{
    struct request request = {.port = 0};
    struct ws_viewer viewer;
    int status = WS_EXIT_USAGE;
    char **operands = ws_options_take(&ws_command_view, argument_count, arguments, &request, &status);
    if (operands == NULL)
        return status;
    if (!ws_viewing_begin(&request.viewing, operands, &viewer))
        return WS_EXIT_FAILED;
    status = view(&request, &viewer);
    ws_viewer_finish(&viewer);
    return status;
}

const struct ws_command ws_command_view = {
    .name = "view",
    .summary = "look at a capture, or at two side by side, in a browser",
    .usage = "FILE [FILE] [OPTIONS]",
    .about = "Shows a capture on a page in the browser: its scene with the rays, its pictures, its shaders "
             "with their "
             "figures, and everything that `warpscope report` prints. Two captures are compared.\n"
             "The page comes from a server on 127.0.0.1, whose address nobody can guess. It ends by Ctrl-C. "
             "For a page to "
             "pass around, see `warpscope html`.",
    .tables = {{.rows = view_options, .take = take_option},
               {.rows = ws_viewing_options,
                .take = ws_take_viewing,
                .offset = offsetof(struct request, viewing)},
               {.rows = ws_limit_options,
                .take = ws_take_limit,
                .offset = offsetof(struct request, viewing.limits)},
               {.rows = ws_selection_options,
                .take = ws_take_selection,
                .offset = offsetof(struct request, viewing.selection)}},
    .operands = {{.name = "FILE", .missing = "the capture to look at", .kind = WS_ARGUMENT_CAPTURE},
                 {.name = "FILE", .kind = WS_ARGUMENT_CAPTURE}},
    .examples = "  warpscope view run.wscope\n"
                "  warpscope view before.wscope after.wscope\n"
                "  warpscope view run.wscope --frame 10 --no-browser --port 8080\n",
    .run = run,
};
