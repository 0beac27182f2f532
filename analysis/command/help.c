#include "analysis/command/help.h"

#include <string.h>

#include "analysis/command/command.h"
#include "warpscope/output/style.h"
#include "warpscope/output/wrap.h"

#define HELP_COLUMN    26 /* where the help of an option begins */
#define SUMMARY_COLUMN 14 /* where the summary of a command begins */

const struct ws_help_variable ws_help_variables[] = {
    {"COLUMNS", "How wide lines on a terminal are, in place of what the terminal says."},
    {"WARPSCOPE_PAGER, PAGER", "The program that shows what is longer than the terminal, the first of them "
                               "that is set; less without them, none "
                               "where it is empty or cat."},
    {"WARPSCOPE_PLUGINS",
     "Plug-ins with passes and analyses (warpscope/plugin.h): absolute paths of files and folders, with "
     "colons between them. --plugin FILE before a command adds one."},
    {"NO_COLOR", "Not empty: no colours."},
    {"CLICOLOR_FORCE", "Neither empty nor 0: colours also where stdout is no terminal."},
    {"TERM", "dumb: no colours."},
    {NULL, NULL},
};

const char *ws_help_status(const struct ws_command *command)
{
    if (command != NULL && command->status != NULL)
        return command->status;
    return command != NULL
               ? "Exit status: 0; 1 when something failed; 2 when the arguments are wrong."
               : "Exit status: 0; 1 when something failed; 2 when the arguments are wrong; of record, the "
                 "program's own.";
}

static void print_option(const struct ws_option *option, size_t width, FILE *stream)
{
    char name[96];
    const bool has_letter = option->letter != 0;
    snprintf(name, sizeof(name), "%c%c%c --%s%s%s", has_letter ? '-' : ' ', has_letter ? option->letter : ' ',
             has_letter ? ',' : ' ', option->name, option->argument != NULL ? " " : "",
             option->argument != NULL ? option->argument : "");
    ws_wrap_item(name, option->help, 2, HELP_COLUMN, width, stream);
}

static void print_heading(const char *heading, FILE *stream)
{
    ws_style_begin(WS_STYLE_HEADING, stream);
    fprintf(stream, "%s:", heading);
    ws_style_end(stream);
    fputc('\n', stream);
}

static void print_options(const struct ws_command *command, size_t width, FILE *stream)
{
    const char *group = NULL;
    const struct ws_option *option = NULL;
    for (size_t i = 0; (option = ws_command_option_by_group(command, i)) != NULL; ++i) {
        if (i == 0 || (option->group != NULL && (group == NULL || strcmp(group, option->group) != 0)))
            fputc('\n', stream);
        if (option->group != NULL && (group == NULL || strcmp(group, option->group) != 0))
            print_heading(option->group, stream);
        group = option->group;
        if (option->help != NULL)
            print_option(option, width, stream);
    }
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
          "  warpscope --plugin FILE COMMAND ...\n"
          "                              with passes and analyses of your own (help plugin)\n"
          "  warpscope --version\n"
          "\n"
          "Examples:\n"
          "  warpscope record -p all -o run.wscope -- ./path_tracer -o out.png\n"
          "  warpscope summary run.wscope\n"
          "  warpscope annotate run.wscope --shader raygen\n"
          "  warpscope record -p ray_events -o rays.wscope -- ./path_tracer -o out.png\n"
          "  warpscope report rays.wscope advice\n"
          "\n",
          stream);
    ws_wrap_text(ws_help_status(NULL), width, stream);
}

void ws_help_command(const struct ws_command *command, size_t width, FILE *stream)
{
    const size_t column = (size_t)fprintf(stream, "Usage: warpscope %s", command->name);
    struct ws_wrap wrap = ws_wrap_begin(stream, width, 7, column);
    ws_wrap_words(&wrap, command->usage);
    ws_wrap_end(&wrap);
    ws_wrap_text(command->about, width, stream);
    print_options(command, width, stream);
    if (command->print_more != NULL) {
        fputc('\n', stream);
        command->print_more(width, stream);
    }
    fputc('\n', stream);
    print_heading("Examples", stream);
    fprintf(stream, "%s\n", command->examples);
    ws_wrap_text(ws_help_status(command), width, stream);
}
