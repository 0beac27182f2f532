#include "analysis/command/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "warpscope/output/style.h"
#include "warpscope/output/table.h"
#include "warpscope/output/wrap.h"

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* By enum colour. */
static const char *const colours[] = {"auto", "always", "never", NULL};

static struct {
    enum colour colour;
    bool no_pager;
    bool allowed;
    FILE *real; /* what stdout was, while it is collected; NULL = it is not */
    char *text; /* collected */
    size_t size;
    bool is_report; /* it is a text report, to be broken into lines of `width` */
    size_t width;
} terminal;

enum { OPTION_COLOUR, OPTION_NO_PAGER };

static const char *colour_choice(const struct ws_option *option, size_t index)
{
    (void)option;
    return colours[index];
}

const struct ws_option ws_terminal_options[] = {
    {.name = "color",
     .argument = "WHEN",
     .id = OPTION_COLOUR,
     .help = "auto (on a terminal), always or never",
     .more = "auto heeds NO_COLOR, CLICOLOR_FORCE and TERM=dumb. JSON, CSV and files never have colours.",
     .kind = WS_ARGUMENT_CHOICE,
     .choice = colour_choice},
    {.name = "no-pager",
     .id = OPTION_NO_PAGER,
     .help = "print at once, also what is longer than the screen",
     .more = "Else it is shown by WARPSCOPE_PAGER, PAGER or less, where stdout is a terminal."},
    {NULL},
};

bool ws_take_terminal_option(void *request, const struct ws_option *option, const char *value,
                             struct ws_error *error)
{
    (void)request;
    if (option->id == OPTION_NO_PAGER) {
        terminal.no_pager = true;
        return true;
    }
    for (int i = 0; colours[i] != NULL; ++i)
        if (strcmp(value, colours[i]) == 0) {
            terminal.colour = (enum colour)i;
            return true;
        }
    return ws_error_set(error, "--color takes auto, always or never, not '%s'", value);
}

size_t ws_terminal_width(void)
{
    struct winsize size = {.ws_col = 0};
    const char *columns = getenv("COLUMNS");
    struct ws_error unused;
    uint32_t width = 0;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (columns != NULL && ws_parse_number("COLUMNS", columns, &width, &unused) && width > 0)
        return width;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void ws_fit_text(bool wide)
{
    terminal.is_report = true;
    terminal.width = wide ? 0 : ws_terminal_width();
    ws_table_set_width(terminal.width);
}

#define PROSE_LEAST 40
#define PROSE_USUAL 80
#define PROSE_MOST  100

size_t ws_prose_width(void)
{
    const size_t width = ws_terminal_width();
    return width == 0            ? PROSE_USUAL
           : width < PROSE_LEAST ? PROSE_LEAST
           : width > PROSE_MOST  ? PROSE_MOST
                                 : width;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

/* no-color.org, and bixense.com/clicolors. */
static bool has_colour(int stream)
{
    const char *term = getenv("TERM");
    if (terminal.colour != COLOUR_AUTO)
        return terminal.colour == COLOUR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0)
        return true;
    return isatty(stream) && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

bool ws_stderr_has_colour(void)
{
    return isatty(STDERR_FILENO) && has_colour(STDERR_FILENO);
}

void ws_page_allow(void)
{
    terminal.allowed = true;
}

void ws_page_begin(void)
{
    const bool coloured = has_colour(STDOUT_FILENO);
    if (!terminal.allowed || terminal.real != NULL || (!coloured && !isatty(STDOUT_FILENO)))
        return;
    FILE *collected = open_memstream(&terminal.text, &terminal.size);
    if (collected == NULL)
        return;
    terminal.real = stdout;
    stdout = collected;
    ws_style_allow(coloured ? stdout : NULL);
}

/* Breaks the lines of a report. What was collected stays as it is if there is no memory. */
static void break_lines(bool coloured)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return;
    ws_style_allow(coloured ? stream : NULL);
    ws_wrap_lines(terminal.text, terminal.width, stream);
    const bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed) {
        free(text);
        return;
    }
    free(terminal.text);
    terminal.text = text;
    terminal.size = size;
}

/* The program that shows long texts; NULL = none. "" and cat are none. */
static const char *pager(void)
{
    const char *chosen = getenv("WARPSCOPE_PAGER");
    if (chosen == NULL)
        chosen = getenv("PAGER");
    if (chosen == NULL)
        return "less";
    return chosen[0] == '\0' || strcmp(chosen, "cat") == 0 ? NULL : chosen;
}

/* Whether the text has more lines than the terminal. A terminal that does not say its height is high enough. */
static bool is_long(void)
{
    struct winsize size = {.ws_row = 0};
    size_t lines = 0;
    for (const char *at = terminal.text; (at = strchr(at, '\n')) != NULL; ++at)
        ++lines;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && lines >= size.ws_row;
}

/* In the child process. */
static void become_pager(const char *program, int text)
{
    dup2(text, STDIN_FILENO);
    close(text);
    /* F: it ends at once where all fits. R: colours are shown. X: the text stays on the screen. */
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    if (strcmp(program, "less") == 0)
        execlp(program, program, (char *)NULL);
    else
        execl("/bin/sh", "sh", "-c", program, (char *)NULL);
    _exit(127);
}

/* Shows the text by the pager, and waits until it is left. False if the pager could not be started. */
static bool show_by_pager(const char *program)
{
    int ends[2];
    int status = 0;
    if (pipe(ends) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        become_pager(program, ends[0]);
    }
    close(ends[0]);
    /* The pager is left early; Ctrl-C is for it. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    for (size_t at = 0; child > 0 && at < terminal.size;) {
        const ssize_t written = write(ends[1], terminal.text + at, terminal.size - at);
        if (written < 0 && errno != EINTR)
            break;
        at += written > 0 ? (size_t)written : 0;
    }
    close(ends[1]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    /* As a shell says that it cannot run a program. */
    return child > 0 && !(WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127));
}

int ws_page_end(int status)
{
    if (terminal.real == NULL)
        return status;
    const bool failed = ferror(stdout) != 0;
    const bool closed = fclose(stdout) == 0;
    const char *program = terminal.no_pager || !isatty(STDOUT_FILENO) ? NULL : pager();
    stdout = terminal.real;
    terminal.real = NULL;
    if (failed || !closed || terminal.text == NULL) {
        ws_say("no memory for the output");
        free(terminal.text);
        return WS_EXIT_FAILED;
    }
    if (terminal.is_report)
        break_lines(has_colour(STDOUT_FILENO));
    ws_style_allow(NULL);
    if (program == NULL || !is_long() || !show_by_pager(program))
        fwrite(terminal.text, 1, terminal.size, stdout);
    free(terminal.text);
    terminal.text = NULL;
    return ws_finish_output(status);
}
