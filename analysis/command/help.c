#include "analysis/command/help.h"

#include <string.h>

#include "analysis/command/command.h"
#include "analysis/output/wrap.h"

static const char usual_status[] =
    "Exit status: 0; 1 when something failed; 2 when the arguments are wrong; of record, the program's own.";

#define HELP_COLUMN    26 /* where the help of an option begins */
#define SUMMARY_COLUMN 14 /* where the summary of a command begins */

static void print_option(const struct ws_option *option, size_t width, FILE *stream)
{
    char name[96];
    const bool has_letter = option->letter != 0;
    snprintf(name, sizeof(name), "%c%c%c --%s%s%s", has_letter ? '-' : ' ', has_letter ? option->letter : ' ',
             has_letter ? ',' : ' ', option->name, option->argument != NULL ? " " : "",
             option->argument != NULL ? option->argument : "");
    ws_wrap_item(name, option->help, 2, HELP_COLUMN, width, stream);
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

static void print_group(const struct ws_command *command, const char *group, size_t width, FILE *stream)
{
    const struct ws_option *option = NULL;
    fputc('\n', stream);
    if (group != NULL)
        fprintf(stream, "%s:\n", group);
    for (size_t i = 0; (option = ws_command_option(command, i, NULL)) != NULL; ++i)
        if (option->help != NULL && is_same(option->group, group))
            print_option(option, width, stream);
}

void ws_help_print(size_t width, FILE *stream)
{
    fputs("Usage: warpscope COMMAND [ARGUMENTS]\n"
          "Shows what really happens inside the shaders of a Vulkan application.\n\n",
          stream);
    for (size_t i = 0; ws_commands[i] != NULL; ++i)
        ws_wrap_item(ws_commands[i]->name, ws_commands[i]->summary, 2, SUMMARY_COLUMN, width, stream);
    fputs("\n"
          "  warpscope COMMAND --help    more about a command, with examples\n"
          "  warpscope help NAME         more about an analysis, a pass, a rule of advice,\n"
          "                              a setting or an option\n"
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
    ws_wrap_text(usual_status, width, stream);
}

void ws_help_command(const struct ws_command *command, size_t width, FILE *stream)
{
    const struct ws_option *option = NULL;
    const size_t column = (size_t)fprintf(stream, "Usage: warpscope %s", command->name);
    struct ws_wrap wrap = ws_wrap_begin(stream, width, 7, column);
    ws_wrap_words(&wrap, command->usage);
    ws_wrap_end(&wrap);
    ws_wrap_text(command->about, width, stream);
    print_group(command, NULL, width, stream);
    for (size_t i = 0; (option = ws_command_option(command, i, NULL)) != NULL; ++i)
        if (option->group != NULL && begins_group(command, i))
            print_group(command, option->group, width, stream);
    if (command->print_more != NULL) {
        fputc('\n', stream);
        command->print_more(width, stream);
    }
    fprintf(stream, "\nExamples:\n%s\n", command->examples);
    ws_wrap_text(command->status != NULL ? command->status : usual_status, width, stream);
}
