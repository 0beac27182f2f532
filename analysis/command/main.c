/* The `warpscope` command: finds the subcommand and runs it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/command/help.h"
#include "analysis/command/plugins.h"
#include "analysis/command/terminal.h"
#include "analysis/output/write_failure.h"

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

/* Says that there is no such command, and what was meant: often the first word is one that belongs behind a command. */
static void say_unknown(const char *name)
{
    struct ws_near near = ws_near_begin(name, strlen(name));
    if (name[0] == '-') {
        ws_near_try(&near, "--help");
        ws_near_try(&near, "--version");
        ws_near_try(&near, "--plugin");
        ws_say("there is no option '%s' in front of a command%s", name,
               ws_did_you_mean(&near, "record, summary, report").text);
    } else if (access(name, F_OK) == 0) {
        ws_say("'%s' is a file, not a command: try warpscope summary '%s'", name, name);
    } else {
        for (size_t i = 0; ws_commands[i] != NULL; ++i)
            ws_near_try(&near, ws_commands[i]->name);
        ws_say("there is no command '%s'%s", name, ws_did_you_mean(&near, "").text);
    }
    fputs("Try 'warpscope --help'.\n", stderr);
}

static int run(const struct ws_command *command, int argument_count, char **arguments)
{
    static char program[] = "warpscope";
    arguments[1] = program;
    ws_page_allow();
    return ws_page_end(command->run(argument_count - 1, arguments + 1));
}

int main(int argument_count, char **arguments)
{
    occupy_streams();
    ws_write_past_limit_fails();
    if (argument_count < 2) {
        ws_help_print(ws_prose_width(), stderr);
        return WS_EXIT_USAGE;
    }
    if (!ws_plugins_load(&argument_count, arguments))
        return WS_EXIT_USAGE;
    const char *name = argument_count > 1 ? arguments[1] : "--help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        if (argument_count > 2) /* of something, as `warpscope help` says it */
            return run(&ws_command_help, argument_count, arguments);
        ws_help_print(ws_prose_width(), stdout);
        return ws_finish_output(WS_EXIT_GOOD);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        if (argument_count > 2)
            return ws_usage_error("help", "'%s' is one argument too many", arguments[2]);
        puts("warpscope " WS_VERSION);
        return ws_finish_output(WS_EXIT_GOOD);
    }
    const struct ws_command *command = ws_command_find(name);
    if (command != NULL)
        return run(command, argument_count, arguments);
    say_unknown(name);
    return WS_EXIT_USAGE;
}
