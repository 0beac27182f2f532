/* warpscope help */
#include <stdio.h>
#include <string.h>

#include "analysis/command/command.h"
#include "analysis/command/help.h"
#include "analysis/command/terminal.h"
#include "warpscope/report/analysis.h"

#define NAME_SIZE 128

/* `help --thread` is as good as `help thread`: an option is known by its dashes. Those of help itself remain. */
static char *without_dashes(char *argument)
{
    static const char *const own[] = {"--help", "--color", "--no-pager"};
    const char *end = strchr(argument, '=');
    const size_t length = end != NULL ? (size_t)(end - argument) : strlen(argument);
    if (length < 3 || strncmp(argument, "--", 2) != 0)
        return argument;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); ++i)
        if (strncmp(argument, own[i], length) == 0)
            return argument;
    return argument + 2;
}

/* Some names have several words: those of the glossary have blanks between them, and so have headings of columns, whose
 * names have underscores there. `text` gets the operands with blanks, `name` with underscores. False where they are one
 * word, or too long for any name. */
static bool join(char *const *operands, char text[NAME_SIZE], char name[NAME_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (; *operands != NULL && used < NAME_SIZE; ++operands)
        used += (size_t)snprintf(text + used, NAME_SIZE - used, "%s%s", used > 0 ? " " : "", *operands);
    if (used >= NAME_SIZE || strchr(text, ' ') == NULL)
        return false;
    for (size_t i = 0; i <= used; ++i)
        name[i] = text[i] == ' ' ? '_' : text[i];
    return true;
}

static bool is_explained(const char *name, struct ws_near *near)
{
    return ws_help_topic(name, true, near, ws_prose_width(), stdout);
}

/* The first of the words that nothing is called; NULL = there is none. `help report divergence` is as good as
 * `help divergence`, but `help reprot divergence` is a mistake. */
static const char *find_unknown(char *const *words, struct ws_near *near)
{
    for (; *words != NULL; ++words) {
        *near = ws_near_begin(*words, strlen(*words));
        if (!ws_help_topic(*words, true, near, 0, NULL) && ws_analysis_new_name(*words) == NULL)
            return *words;
    }
    return NULL;
}

static int run(int argument_count, char **arguments)
{
    int status = WS_EXIT_USAGE;
    for (int i = 1; i < argument_count; ++i)
        arguments[i] = without_dashes(arguments[i]);
    char **operands = ws_options_take(&ws_command_help, argument_count, arguments, NULL, &status);
    char text[NAME_SIZE];
    char joined[NAME_SIZE];
    if (operands == NULL)
        return status;
    if (operands[0] == NULL) {
        ws_help_print(ws_prose_width(), stdout);
        return ws_finish_output(WS_EXIT_GOOD);
    }
    struct ws_near near = ws_near_begin("", 0);
    if (join(operands, text, joined) && (is_explained(text, &near) || is_explained(joined, &near)))
        return ws_finish_output(WS_EXIT_GOOD);
    const char *unknown = find_unknown(operands, &near);
    if (unknown != NULL)
        return ws_usage_error("help", "there is no help about '%s'%s", unknown,
                              ws_did_you_mean(&near, "").text);
    while (operands[1] != NULL)
        ++operands;
    if (!is_explained(operands[0], &near))
        is_explained(ws_say_new_name(operands[0]), &near);
    return ws_finish_output(WS_EXIT_GOOD);
}

/* What can be explained: the commands, then the analyses. */
static const char *topic_choice(size_t index)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    for (size_t i = 0; ws_commands[i] != NULL; ++i, --index)
        if (index == 0)
            return ws_commands[i]->name;
    for (size_t i = 0; analyses[i] != NULL; ++i, --index)
        if (index == 0)
            return analyses[i]->name;
    return NULL;
}

const struct ws_command ws_command_help = {
    .name = "help",
    .summary = "explain a command, an analysis, a pass, a rule, a setting, an option, a column or a word",
    .usage = "[NAME]",
    .about =
        "Explains what has that name: a command, an analysis with its words and columns, a pass, a rule "
        "of advice, "
        "a setting, an option, a column of reports, or a word of theirs such as slot. `help words` explains "
        "all words.",
    .operands = {{.name = "NAME", .repeats = true, .kind = WS_ARGUMENT_CHOICE, .choice = topic_choice}},
    .examples = "  warpscope help report\n"
                "  warpscope help divergence\n"
                "  warpscope help cull_mask\n"
                "  warpscope help filter\n"
                "  warpscope help words\n",
    .paged = true,
    .run = run,
};
