/* What --help prints, from the table of commands. */
#include <stdio.h>
#include <string.h>

#include "analysis/command/command.h"
#include "analysis/command/options.h"
#include "analysis/output/wrap.h"

#define HELP_COLUMN    26 /* where the help of an option begins */
#define SUMMARY_COLUMN 14 /* where the summary of a command begins */

/* Paragraphs end where their lines do. */
static void print_paragraphs(const char *text, size_t width)
{
    char paragraph[2048];
    while (text != NULL) {
        const char *end = strchr(text, '\n');
        snprintf(paragraph, sizeof(paragraph), "%.*s",
                 (int)(end != NULL ? (size_t)(end - text) : strlen(text)), text);
        ws_wrap_print(paragraph, 0, width, stdout);
        text = end != NULL ? end + 1 : NULL;
    }
}

static void print_option(const struct ws_option *option, size_t width)
{
    char letter[8] = "    ";
    if (option->letter != 0)
        snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    int column = printf("  %s--%s%s%s", letter, option->name, option->argument != NULL ? " " : "",
                        option->argument != NULL ? option->argument : "");
    if (column >= HELP_COLUMN)
        column = printf("\n") - 1;
    column += printf("%*s", HELP_COLUMN - column, "");
    struct ws_wrap wrap = ws_wrap_begin(stdout, width, HELP_COLUMN, (size_t)column);
    ws_wrap_words(&wrap, option->help);
    ws_wrap_end(&wrap);
}

static bool is_same(const char *one, const char *other)
{
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Whether option `index` is the first of its group. */
static bool begins_group(const struct ws_command *command, size_t index)
{
    const char *group = ws_command_option(command, index, NULL)->group;
    for (size_t i = 0; i < index; ++i)
        if (is_same(ws_command_option(command, i, NULL)->group, group))
            return false;
    return true;
}

static void print_group(const struct ws_command *command, const char *group, size_t width)
{
    const struct ws_option *option = NULL;
    putchar('\n');
    if (group != NULL)
        printf("%s:\n", group);
    for (size_t i = 0; (option = ws_command_option(command, i, NULL)) != NULL; ++i)
        if (option->help != NULL && is_same(option->group, group))
            print_option(option, width);
}

void ws_print_help(FILE *stream)
{
    const size_t width = ws_prose_width();
    fputs("Usage: warpscope COMMAND [ARGUMENTS]\n"
          "Shows what really happens inside the shaders of a Vulkan application.\n\n",
          stream);
    for (size_t i = 0; ws_commands[i] != NULL; ++i) {
        const size_t column = (size_t)fprintf(stream, "  %-*s", SUMMARY_COLUMN - 2, ws_commands[i]->name);
        struct ws_wrap wrap = ws_wrap_begin(stream, width, SUMMARY_COLUMN, column);
        ws_wrap_words(&wrap, ws_commands[i]->summary);
        ws_wrap_end(&wrap);
    }
    fputs("\n"
          "  warpscope COMMAND --help    more about a command, with examples\n"
          "  warpscope --version\n"
          "\n"
          "Examples:\n"
          "  warpscope record -o run.wscope -- ./path_tracer -o out.png\n"
          "  warpscope report run.wscope\n"
          "  warpscope annotate run.wscope --shader raygen\n"
          "  warpscope record -p ray_events -o rays.wscope -- ./path_tracer -o out.png\n"
          "  warpscope report rays.wscope advice\n"
          "\n",
          stream);
    ws_wrap_print("Exit status: 0, 1 when something failed, 2 when the arguments are wrong; of record, the "
                  "program's own.",
                  0, width, stream);
}

void ws_command_help(const struct ws_command *command)
{
    const struct ws_option *option = NULL;
    const size_t width = ws_prose_width();
    printf("Usage: warpscope %s %s\n", command->name, command->usage);
    print_paragraphs(command->about, width);
    print_group(command, NULL, width);
    for (size_t i = 0; (option = ws_command_option(command, i, NULL)) != NULL; ++i)
        if (option->group != NULL && begins_group(command, i))
            print_group(command, option->group, width);
    if (command->print_more != NULL)
        command->print_more();
    printf("\nExamples:\n%s", command->examples);
    if (command->status != NULL) {
        putchar('\n');
        print_paragraphs(command->status, width);
    }
}
