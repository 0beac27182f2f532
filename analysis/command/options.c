#include "analysis/command/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/command/help.h"
#include "analysis/command/terminal.h"

#define OPTION_HELP 'h'

static bool take_nothing(void *request, const struct ws_option *option, const char *value,
                         struct ws_error *error)
{
    (void)request;
    (void)option;
    (void)value;
    (void)error;
    return true;
}

/* Options of every command. */
static const struct ws_option common_options[] = {
    {.name = "help", .letter = 'h', .id = OPTION_HELP, .help = "print this"},
    {NULL},
};
static const struct ws_option_table common_table = {.rows = common_options, .take = take_nothing};
static const struct ws_option_table terminal_table = {.rows = ws_terminal_options,
                                                      .take = ws_take_terminal_option};

const struct ws_command *ws_command_find(const char *name)
{
    for (size_t i = 0; ws_commands[i] != NULL; ++i)
        if (strcmp(name, ws_commands[i]->name) == 0)
            return ws_commands[i];
    return NULL;
}

/* Table `index` of a command; NULL after the last. */
static const struct ws_option_table *table_at(const struct ws_command *command, size_t index)
{
    size_t count = 0;
    while (count < WS_TABLES_MAX && command->tables[count].take != NULL)
        ++count;
    if (index < count)
        return &command->tables[index];
    if (command->paged && index == count)
        return &terminal_table;
    return index == count + (command->paged ? 1 : 0) ? &common_table : NULL;
}

const struct ws_option *ws_command_option(const struct ws_command *command, size_t index,
                                          const struct ws_option_table **table)
{
    const struct ws_option_table *at = NULL;
    for (size_t i = 0; (at = table_at(command, i)) != NULL; ++i) {
        const struct ws_option *rows = at->rows != NULL ? at->rows : at->make_rows();
        for (; rows->name != NULL; ++rows, --index)
            if (index == 0) {
                if (table != NULL)
                    *table = at;
                return rows;
            }
    }
    return NULL;
}

static bool is_same_group(const struct ws_option *one, const struct ws_option *other)
{
    return one->group == other->group ||
           (one->group != NULL && other->group != NULL && strcmp(one->group, other->group) == 0);
}

const struct ws_option *ws_command_option_by_group(const struct ws_command *command, size_t index)
{
    static const struct ws_option ungrouped = {.group = NULL};
    const struct ws_option *first = &ungrouped;
    const struct ws_option *option = NULL;
    for (size_t group = 0; first != NULL; first = ws_command_option(command, group++, NULL)) {
        /* Whether another option stands for this group already. */
        bool seen = group > 0 && first->group == NULL;
        for (size_t i = 0; i + 1 < group && !seen; ++i)
            seen = is_same_group(ws_command_option(command, i, NULL), first);
        for (size_t i = 0; !seen && (option = ws_command_option(command, i, NULL)) != NULL; ++i)
            if (is_same_group(option, first) && index-- == 0)
                return option;
    }
    return NULL;
}

/* getopt_long returns this plus the number of the option. */
#define OPTION_FIRST 256

/* What getopt_long takes: every option, and those with letters. */
struct syntax {
    struct option options[WS_OPTIONS_MAX + 1];
    char letters[2 * WS_OPTIONS_MAX + 3];
};

static void make_syntax(const struct ws_command *command, struct syntax *syntax)
{
    const struct ws_option *row = NULL;
    size_t count = 0;
    size_t length = 0;
    *syntax = (struct syntax){.letters = ""};
    /* "+": the first argument that is no option is a program, and what follows is its own. ":": a value that
     * is missing is told apart from an option that is unknown. */
    if (command->operands[0].kind == WS_ARGUMENT_PROGRAM)
        syntax->letters[length++] = '+';
    syntax->letters[length++] = ':';
    for (; count < WS_OPTIONS_MAX && (row = ws_command_option(command, count, NULL)) != NULL; ++count) {
        const bool has_value = row->argument != NULL;
        syntax->options[count] = (struct option){row->name, has_value ? required_argument : no_argument, NULL,
                                                 OPTION_FIRST + (int)count};
        if (row->letter != 0)
            length += (size_t)snprintf(syntax->letters + length, sizeof(syntax->letters) - length, "%c%s",
                                       row->letter, has_value ? ":" : "");
    }
}

/* The option that getopt_long found. */
static const struct ws_option *find_option(const struct ws_command *command, int found,
                                           const struct ws_option_table **table)
{
    const struct ws_option *row = NULL;
    if (found >= OPTION_FIRST)
        return ws_command_option(command, (size_t)(found - OPTION_FIRST), table);
    for (size_t i = 0; (row = ws_command_option(command, i, table)) != NULL && row->letter != found;)
        ++i;
    return row;
}

/* Says what getopt_long did not understand. `word` is the argument that it stands in. */
static int say_wrong(const struct ws_command *command, int found, const char *word)
{
    const struct ws_option *row = optopt != 0 ? find_option(command, optopt, NULL) : NULL;
    const bool is_long = optopt == 0 || optopt >= OPTION_FIRST;
    const size_t length = strcspn(word, "=");
    char names[256] = "";
    if (found == ':' && row != NULL)
        return ws_usage_error(command->name, "%s%s takes a value: %s", is_long ? "--" : "-",
                              is_long ? row->name : (const char[]){row->letter, '\0'}, row->argument);
    if (row != NULL)
        return ws_usage_error(command->name, "--%s takes no value", row->name);
    if (!is_long)
        return ws_usage_error(command->name, "there is no option '-%c'", optopt);
    for (size_t i = 0; (row = ws_command_option(command, i, NULL)) != NULL; ++i)
        if (row->help != NULL && length > 2 && strncmp(row->name, word + 2, length - 2) == 0) {
            char name[64];
            snprintf(name, sizeof(name), "--%s", row->name);
            ws_append_name(names, sizeof(names), name);
        }
    if (names[0] != '\0')
        return ws_usage_error(command->name, "'%.*s' can be several options: %s", (int)length, word, names);
    struct ws_near near = ws_near_begin(word + 2, length - 2);
    for (size_t i = 0; (row = ws_command_option(command, i, NULL)) != NULL; ++i)
        if (row->help != NULL)
            ws_near_try(&near, row->name);
    return ws_usage_error(command->name, "there is no option '%.*s'%s%s%s", (int)length, word,
                          near.name != NULL ? "; did you mean '--" : "", near.name != NULL ? near.name : "",
                          near.name != NULL ? "'?" : "");
}

/* Prints the help of a command, or of what is named in its arguments: `report --help divergence`. The words from `behind` on
 * stand behind --help, and are to be explained: one that nothing is called is a mistake. One in front may be anything. */
static int print_help(const struct ws_command *command, int argument_count, char *const *arguments,
                      int behind)
{
    const size_t width = ws_prose_width();
    ws_page_begin();
    struct ws_near near = ws_near_begin("", 0);
    int first = 1;
    /* What follows "--" is a program's. */
    while (first < argument_count && strcmp(arguments[first], "--") != 0)
        ++first;
    for (int i = first - 1; i > 0; --i) {
        const char *name = arguments[i];
        if (name[0] == '-')
            continue;
        const bool is_meant = i == behind || (i > behind && arguments[i - 1][0] != '-');
        near = ws_near_begin(name, strlen(name));
        if (ws_help_topic(name, is_meant, &near, width, stdout))
            return ws_finish_output(WS_EXIT_GOOD);
        if ((is_meant || near.name != NULL) && access(name, F_OK) != 0)
            return ws_usage_error(command->name, "there is no help about '%s'%s", name,
                                  ws_did_you_mean(&near, "").text);
    }
    ws_help_command(command, width, stdout);
    return ws_finish_output(WS_EXIT_GOOD);
}

/* Checks how many operands there are. False after an error, which was said. */
static bool check_operands(const struct ws_command *command, char *const *operands)
{
    size_t given = 0;
    size_t most = 0;
    while (operands[given] != NULL)
        ++given;
    for (const struct ws_operand *operand = command->operands; operand->name != NULL; ++operand, ++most) {
        if (given <= most && operand->missing != NULL) {
            ws_usage_error(command->name, "%s is missing", operand->missing);
            return false;
        }
        if (operand->repeats || operand->kind == WS_ARGUMENT_PROGRAM)
            return true;
    }
    if (given > most)
        ws_usage_error(command->name, "'%s' is one argument too many", operands[most]);
    return given <= most;
}

/* A value that was given. */
struct given {
    const struct ws_option *option;
    const struct ws_option_table *table;
    const char *value;
};

/* Notes a value. False and `error` where the option has another one already, which would be lost: under its name, or an older
 * one. Those that go beyond the list are not looked at. */
static bool note_value(struct given list[WS_OPTIONS_MAX], const struct given *given, struct ws_error *error)
{
    const struct ws_option *option = given->option;
    size_t i = 0;
    if (given->value == NULL || option->repeats)
        return true;
    for (; i < WS_OPTIONS_MAX && list[i].option != NULL; ++i)
        if (list[i].table == given->table && list[i].option->id == option->id &&
            strcmp(list[i].value, given->value) != 0)
            return ws_error_set(error,
                                "--%s '%s' and --%s '%s' are given, and it takes one value: leave one out",
                                list[i].option->name, list[i].value, option->name, given->value);
    if (i < WS_OPTIONS_MAX)
        list[i] = *given;
    return true;
}

char **ws_options_take(const struct ws_command *command, int argument_count, char **arguments, void *request,
                       int *status)
{
    struct syntax syntax;
    struct given given[WS_OPTIONS_MAX] = {{NULL}};
    struct ws_error error = {{0}};
    make_syntax(command, &syntax);
    opterr = 0;
    for (int found;
         (found = getopt_long(argument_count, arguments, syntax.letters, syntax.options, NULL)) != -1;) {
        const struct ws_option_table *table = NULL;
        if (found == '?' || found == ':') {
            *status = say_wrong(command, found, arguments[optind - 1]);
            return NULL;
        }
        const struct ws_option *row = find_option(command, found, &table);
        if (row->id == OPTION_HELP && table == &common_table) {
            *status = print_help(command, argument_count, arguments, optind);
            return NULL;
        }
        void *taken = request != NULL ? (char *)request + table->offset : NULL; /* help has no request */
        if (!note_value(given, &(struct given){row, table, optarg}, &error) ||
            !table->take(taken, row, optarg, &error)) {
            *status = ws_usage_error(command->name, "%s", error.message);
            return NULL;
        }
    }
    *status = WS_EXIT_USAGE;
    if (!check_operands(command, arguments + optind))
        return NULL;
    if (command->paged)
        ws_page_begin();
    return arguments + optind;
}
