/* What can be asked for by its name: `warpscope help divergence`. */
#include <stdio.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/command/command.h"
#include "analysis/command/help.h"
#include "passes/settings/settings.h"
#include "warpscope/instrument.h"
#include "warpscope/output/wrap.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/groups.h"

#define NAME_COLUMN 4
#define HELP_COLUMN 23

/* A kind of things that have names: the name of thing `index`, NULL after the last, and what there is to say of it. */
struct source {
    const char *(*name)(size_t index);
    void (*print)(size_t index, size_t width, FILE *stream);
    bool everywhere; /* also where --help stands behind it */
};

static const char *command_name(size_t index)
{
    return ws_commands[index] != NULL ? ws_commands[index]->name : NULL;
}

static void print_command(size_t index, size_t width, FILE *stream)
{
    ws_help_command(ws_commands[index], width, stream);
}

static const char *analysis_name(size_t index)
{
    return ws_analysis_list()[index] != NULL ? ws_analysis_list()[index]->name : NULL;
}

/* Prints a line with what it is, then its summary. */
static void print_title(const char *kind, const char *name, const char *summary, size_t width, FILE *stream)
{
    fprintf(stream, "%s %s\n", kind, name);
    struct ws_wrap wrap = ws_wrap_begin(stream, width, NAME_COLUMN, 0);
    ws_wrap_words(&wrap, summary);
    ws_wrap_end(&wrap);
}

void ws_help_analysis(const struct ws_analysis *analysis, size_t width, FILE *stream)
{
    print_title("Analysis", analysis->name, analysis->summary, width, stream);
    if (analysis->passes == NULL)
        fputs("    needs what record --geometry captures\n", stream);
    else
        fputs("    needs a capture with pass ", stream);
    for (size_t i = 0; analysis->passes != NULL && analysis->passes[i] != NULL; ++i)
        fprintf(stream, "%s%s%s", i > 0 ? " or " : "", analysis->passes[i],
                analysis->passes[i + 1] == NULL ? "\n" : "");
    fprintf(stream, "    shown by: warpscope report FILE %s\n", analysis->name);
    if (analysis->words != NULL) {
        fputs("\nWords:\n", stream);
        ws_wrap_text(analysis->words, width, stream);
    }
    fputs("\nColumns, for --csv, --fields, --sort and --filter:\n", stream);
    if (analysis->columns != NULL)
        ws_columns_help(analysis->columns, width, stream);
    if (analysis->csv_help != NULL)
        ws_wrap_text(analysis->csv_help, width, stream);
}

static void print_analysis(size_t index, size_t width, FILE *stream)
{
    ws_help_analysis(ws_analysis_list()[index], width, stream);
}

static const char *pass_name(size_t index)
{
    size_t count = 0;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    return index < count ? passes[index].name : NULL;
}

static void print_pass(size_t index, size_t width, FILE *stream)
{
    size_t count = 0;
    const struct ws_pass_description *pass = &ws_pass_list(&count)[index];
    print_title("Pass", pass->name, pass->summary, width, stream);
    fprintf(stream, "    chosen by: warpscope record -p %s -- PROGRAM\n", pass->name);
}

static const char *rule_name(size_t index)
{
    return ws_advice_rules()[index] != NULL ? ws_advice_rules()[index]->name : NULL;
}

static void print_rule(size_t index, size_t width, FILE *stream)
{
    const struct ws_advice_rule *rule = ws_advice_rules()[index];
    print_title("Rule of advice", rule->name, rule->summary, width, stream);
    fprintf(stream, "    says: %s\n    needs a capture with %s\n    shown by: warpscope report FILE advice\n",
            rule->title,
            rule->shader != NULL                        ? "pass simt_efficiency"
            : rule->ray == NULL && rule->thread == NULL ? "pass divergence, and simt_efficiency or ray_events"
            : rule->needs_geometry                      ? "pass ray_events and geometry"
                                                        : "pass ray_events");
}

static const char *setting_name(size_t index)
{
    return index < WS_SETTING_COUNT ? ws_setting_table[index].key : NULL;
}

static void print_setting(size_t index, size_t width, FILE *stream)
{
    const struct ws_setting *setting = &ws_setting_table[index];
    char variable[WS_SETTING_VARIABLE_SIZE];
    const char *choice = NULL;
    print_title("Setting", setting->key, setting->description, width, stream);
    fprintf(stream, "    variable: %s\n",
            ws_setting_variable((enum ws_setting_id)index, WS_SETTING_VARIABLES - 1, variable));
    for (size_t i = 0; i < 2 && setting->options[i].name != NULL; ++i)
        fprintf(stream, "    option of record: --%s%s%s\n", setting->options[i].name,
                setting->options[i].argument != NULL ? " " : "",
                setting->options[i].argument != NULL ? setting->options[i].argument : "");
    struct ws_wrap wrap = ws_wrap_begin(stream, width, NAME_COLUMN, 0);
    for (size_t i = 0; (choice = ws_setting_choice((enum ws_setting_id)index, i)) != NULL; ++i) {
        ws_wrap_words(&wrap, i == 0 ? "choices:" : "");
        ws_wrap_words(&wrap, choice);
    }
    if (wrap.column > 0)
        ws_wrap_end(&wrap);
}

/* The topics of all commands, one after another. */
static const struct ws_chapter *topic_at(size_t index)
{
    for (size_t i = 0; ws_commands[i] != NULL; ++i)
        for (const struct ws_chapter *topic = ws_commands[i]->topics; topic != NULL && topic->name != NULL;
             ++topic)
            if (index-- == 0)
                return topic;
    return NULL;
}

static const char *topic_name(size_t index)
{
    return topic_at(index) != NULL ? topic_at(index)->name : NULL;
}

static void print_topic(size_t index, size_t width, FILE *stream)
{
    topic_at(index)->print(width, stream);
}

/* The options of all commands, one after another. */
static const struct ws_option *option_at(size_t index, const struct ws_command **command)
{
    for (size_t i = 0; ws_commands[i] != NULL; ++i) {
        const struct ws_option *option = NULL;
        *command = ws_commands[i];
        for (size_t j = 0; (option = ws_command_option(ws_commands[i], j, NULL)) != NULL; ++j)
            if (option->help != NULL && index-- == 0)
                return option;
    }
    return NULL;
}

static const char *option_name(size_t index)
{
    const struct ws_command *command = NULL;
    const struct ws_option *option = option_at(index, &command);
    return option != NULL ? option->name : NULL;
}

static void print_one_option(size_t index, size_t width, FILE *stream)
{
    const struct ws_command *command = NULL;
    const struct ws_option *option = option_at(index, &command);
    fprintf(stream, "Option of %s: --%s%s%s\n", command->name, option->name,
            option->argument != NULL ? " " : "", option->argument != NULL ? option->argument : "");
    struct ws_wrap wrap = ws_wrap_begin(stream, width, NAME_COLUMN, 0);
    ws_wrap_words(&wrap, option->help);
    ws_wrap_end(&wrap);
    if (option->more == NULL)
        return;
    wrap = ws_wrap_begin(stream, width, NAME_COLUMN, 0);
    ws_wrap_words(&wrap, option->more);
    ws_wrap_end(&wrap);
}

static const struct source sources[] = {
    {command_name, print_command, false},   {analysis_name, print_analysis, true},
    {pass_name, print_pass, true},          {rule_name, print_rule, true},
    {topic_name, print_topic, true},        {setting_name, print_setting, true},
    {option_name, print_one_option, false}, {ws_help_word, ws_help_word_print, false},
};

/* What tables of an analysis have by that name: the column; what --by takes, where that is no column. NULL = nothing. */
static const char *column_help(const struct ws_columns *columns, const char *name, struct ws_near *near,
                               bool *by)
{
    const char *help = NULL;
    *by = false;
    for (uint32_t i = 0; columns->dimensions[i].name != NULL; ++i) {
        ws_near_try(near, columns->dimensions[i].name);
        if (strcmp(columns->dimensions[i].name, name) == 0) {
            help = columns->dimensions[i].help;
            *by = true;
        }
    }
    for (struct ws_shown shown = {NULL}; ws_columns_next(columns, &shown);) {
        ws_near_try(near, shown.field->name);
        if (strcmp(shown.field->name, name) == 0 && shown.field->help != NULL)
            help = shown.field->help;
    }
    return help;
}

/* Prints what a column of reports is, in each analysis that has it. `after` = behind something else of that name. */
static bool print_column(const char *name, struct ws_near *near, bool after, size_t width, FILE *stream)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    bool found = false;
    for (size_t i = 0; analyses[i] != NULL; ++i) {
        bool by = false;
        const char *help =
            analyses[i]->columns != NULL ? column_help(analyses[i]->columns, name, near, &by) : NULL;
        if (help == NULL)
            continue;
        char text[1024];
        snprintf(text, sizeof(text), "%s%s%s", help, by ? "; --by " : "", by ? name : "");
        if (!found && stream != NULL)
            fprintf(stream, "%sColumn of reports: %s\n", after ? "\n" : "", name);
        if (stream != NULL)
            ws_wrap_item(analyses[i]->name, text, NAME_COLUMN, HELP_COLUMN, width, stream);
        found = true;
    }
    return found;
}

bool ws_help_topic(const char *name, bool everything, struct ws_near *near, size_t width, FILE *stream)
{
    const char *other = NULL;
    bool found = false;
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); ++i)
        for (size_t j = 0; (everything || sources[i].everywhere) && (other = sources[i].name(j)) != NULL;
             ++j) {
            ws_near_try(near, other);
            if (strcmp(name, other) != 0)
                continue;
            if (found && stream != NULL)
                fputc('\n', stream);
            if (stream != NULL)
                sources[i].print(j, width, stream);
            found = true;
        }
    return (everything && print_column(name, near, found, width, stream)) || found;
}
