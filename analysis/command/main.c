/* The `warpscope` command: finds the subcommand and runs it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/command/command.h"

static const char help[] =
    "Usage: warpscope COMMAND [ARGUMENTS]\n"
    "Shows what really happens inside the shaders of a Vulkan application.\n"
    "\n"
    "  record      run a program and capture what its shaders do\n"
    "  report      print what a capture holds: how full the warps were and where, what the\n"
    "              rays did, what to change in the application\n"
    "  export      write rays and geometry into files for other programs: CSV, OBJ, glTF\n"
    "  annotate    print the shaders of a capture with the numbers beside their lines\n"
    "  instrument  instrument a SPIR-V file, as the layer does\n"
    "  list        list passes, analyses, advice, stages and settings\n"
    "\n"
    "  warpscope COMMAND --help    more about a command, with examples\n"
    "  warpscope --version\n"
    "\n"
    "Examples:\n"
    "  warpscope record -o run.wscope -- ./path_tracer -o out.png\n"
    "  warpscope report run.wscope\n"
    "  warpscope annotate run.wscope --shader raygen\n"
    "  warpscope record -p ray_events -o rays.wscope -- ./path_tracer -o out.png\n"
    "  warpscope report rays.wscope advice\n"
    "\n"
    "Exit status: 0, 1 when something failed, 2 when the arguments are wrong; of record, the program's "
    "own.\n";

struct command {
    const char *name;
    int (*run)(int argument_count, char **arguments);
};

static const struct command commands[] = {
    {"record", ws_command_record},     {"report", ws_command_report},         {"export", ws_command_export},
    {"annotate", ws_command_annotate}, {"instrument", ws_command_instrument}, {"list", ws_command_list},
};

/* Opens those of the standard streams that the shell has closed. Otherwise the next file that is opened would
 * get their number, and what is printed would go into it. They are opened for the wrong direction, so that
 * using them still fails, and only for this process, not for programs under record. */
static void occupy_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (fcntl(stream, F_GETFD) < 0 &&
            open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != stream)
            _exit(WS_EXIT_FAILED);
}

int main(int argument_count, char **arguments)
{
    occupy_streams();
    if (argument_count < 2) {
        fputs(help, stderr);
        return WS_EXIT_USAGE;
    }
    static char program[] = "warpscope";
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        fputs(help, stdout);
        return ws_finish_output(WS_EXIT_GOOD);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        puts("warpscope " WS_VERSION);
        return ws_finish_output(WS_EXIT_GOOD);
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i)
        if (strcmp(name, commands[i].name) == 0) {
            arguments[1] = program; /* getopt begins its messages with it */
            return commands[i].run(argument_count - 1, arguments + 1);
        }
    ws_say("there is no command '%s'", name);
    fputs("Try 'warpscope --help'.\n", stderr);
    return WS_EXIT_USAGE;
}
