#include "analysis/command/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "passes/base/text.h"

/* Names of files and what captures say are in messages too, and may not drive the terminal. */
static void say(const char *format, va_list arguments)
{
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    fputs("warpscope: ", stderr);
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
    fflush(stdout);
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

int ws_usage_error(const char *subcommand, const char *format, ...)
{
    if (format != NULL) {
        va_list arguments;
        va_start(arguments, format);
        say(format, arguments);
        va_end(arguments);
    }
    fprintf(stderr, "Try 'warpscope %s --help'.\n", subcommand);
    return WS_EXIT_USAGE;
}

int ws_finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    ws_say("cannot write the output: %s", strerror(errno));
    return WS_EXIT_FAILED;
}
