/* The table of commands and options holds together, and all that is made from it has every option. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/command/completion.h"
#include "analysis/command/help.h"
#include "analysis/command/manual.h"
#include "analysis/command/options.h"

static bool has_choices(enum ws_argument_kind kind)
{
    return kind == WS_ARGUMENT_CHOICE || kind == WS_ARGUMENT_CHOICES;
}

/* Names and letters are there once, and each row says what it must. */
static void rows(void **state)
{
    (void)state;
    for (size_t i = 0; ws_commands[i] != NULL; ++i) {
        const struct ws_command *command = ws_commands[i];
        const struct ws_option *option = NULL;
        size_t count = 0;
        size_t grouped = 0;
        for (; (option = ws_command_option(command, count, NULL)) != NULL; ++count) {
            if (has_choices(option->kind) && (option->argument == NULL || option->choice == NULL))
                fail_msg("%s --%s has no choices", command->name, option->name);
            for (size_t j = 0; j < count; ++j) {
                const struct ws_option *other = ws_command_option(command, j, NULL);
                if (strcmp(option->name, other->name) == 0 ||
                    (option->letter != 0 && option->letter == other->letter))
                    fail_msg("%s has two options --%s or -%c", command->name, option->name, option->letter);
            }
        }
        while (ws_command_option_by_group(command, grouped) != NULL)
            ++grouped;
        assert_int_equal(grouped, count);
        assert_true(count < WS_OPTIONS_MAX);
        assert_true(strlen(command->summary) > 0 && strlen(command->usage) > 0 && strlen(command->about) > 0);
        assert_non_null(command->run);
    }
}

/* Sets `*text` to what `write` writes; the caller frees it. The pointer is the caller's, since gcc 12 takes one of ours that
 * a stream knew for what the text points to. */
static void take_written(void (*write)(const struct ws_command *command, FILE *stream),
                         const struct ws_command *command, char **text)
{
    size_t size = 0;
    FILE *stream = open_memstream(text, &size);
    assert_non_null(stream);
    write(command, stream);
    assert_int_equal(fclose(stream), 0);
}

static void write_help(const struct ws_command *command, FILE *stream)
{
    ws_help_command(command, 80, stream);
}

static void write_bash(const struct ws_command *command, FILE *stream)
{
    (void)command;
    ws_completion_write_bash(stream);
}

static void write_zsh(const struct ws_command *command, FILE *stream)
{
    (void)command;
    ws_completion_write_zsh(stream);
}

static void write_fish(const struct ws_command *command, FILE *stream)
{
    (void)command;
    ws_completion_write_fish(stream);
}

/* The part of a text for a command: from `first` to the next `last`. */
static char *part(const char *text, const char *first, const char *last)
{
    const char *begin = strstr(text, first);
    assert_non_null(begin);
    const char *end = strstr(begin + strlen(first), last);
    return end != NULL ? strndup(begin, (size_t)(end - begin)) : strdup(begin);
}

static void has(const char *text, const char *name, const struct ws_command *command, const char *what)
{
    if (strstr(text, name) == NULL)
        fail_msg("'%s' of %s is not in %s: %s", name, command->name, what, text);
}

/* "max-rays" as roff has it: "max\-rays". */
static void escape_hyphens(const char *name, char escaped[128])
{
    for (; *name != '\0'; ++name) {
        if (*name == '-')
            *escaped++ = '\\';
        *escaped++ = *name;
    }
    *escaped = '\0';
}

static void check_option(const struct ws_command *command, const struct ws_option *option,
                         char *const texts[])
{
    static const struct {
        const char *what;
        const char *format;
    } forms[] = {{"--help", "--%s "}, {"bash", "--%s "}, {"zsh", "--%s"}, {"fish", " -l %s "}};
    char name[160];
    char escaped[128];
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); ++i) {
        snprintf(name, sizeof(name), forms[i].format, option->name);
        has(texts[i], name, command, forms[i].what);
    }
    escape_hyphens(option->name, escaped);
    snprintf(name, sizeof(name), "\\fB\\-\\-%s\\fR", escaped);
    has(texts[4], name, command, "the man page");
    if (!has_choices(option->kind))
        return;
    for (size_t i = 0; option->choice(option, i) != NULL; ++i) {
        escape_hyphens(option->choice(option, i), escaped);
        for (size_t j = 1; j < 5; ++j)
            has(texts[j], j == 4 ? escaped : option->choice(option, i), command, "what is offered");
    }
}

static void every_option(void **state)
{
    (void)state;
    char *bash = NULL;
    char *zsh = NULL;
    char *fish = NULL;
    take_written(write_bash, NULL, &bash);
    take_written(write_zsh, NULL, &zsh);
    take_written(write_fish, NULL, &fish);
    for (size_t i = 0; ws_commands[i] != NULL; ++i) {
        const struct ws_command *command = ws_commands[i];
        const struct ws_option *option = NULL;
        char first[64];
        char *texts[5] = {NULL};
        take_written(write_help, command, &texts[0]);
        take_written(ws_manual_write_command, command, &texts[4]);
        snprintf(first, sizeof(first), "    %s)\n        options=", command->name);
        texts[1] = strdup(bash);
        char *own = part(bash, first, ";;\n");
        snprintf(first, sizeof(first), "    %s)\n        _arguments", command->name);
        texts[2] = part(zsh, first, ";;\n");
        snprintf(first, sizeof(first), " -a %s -d '", command->name);
        texts[3] = part(fish, first, "__fish_use_subcommand");
        for (size_t j = 0; (option = ws_command_option(command, j, NULL)) != NULL; ++j) {
            char name[64];
            snprintf(name, sizeof(name), "--%s ", option->name);
            if (option->help != NULL)
                check_option(command, option, texts);
            if (option->help != NULL)
                has(own, name, command, "its options in bash");
            if (option->help == NULL)
                assert_null(strstr(texts[0], name)); /* an older name */
        }
        free(own);
        for (size_t j = 0; j < 5; ++j)
            free(texts[j]);
    }
    free(bash);
    free(zsh);
    free(fish);
}

/* The help of record has its options by what a user wants: what stands between one line and the next. */
static void record_by_group(void **state)
{
    (void)state;
    static const struct {
        const char *begin, *end; /* lines of the help */
        const char *options[8];
    } groups[] = {
        {"What to record:", "What to leave out:", {"passes", "probe", "expression", "geometry", "image"}},
        {"What to leave out:",
         "What to write, and",
         {"frames", "launches", "trigger", "stages", "shaders", "threads", "pixels", "tile"}},
        {"What to write, and", "What it may cost:", {"output", "html", "quiet"}},
        {"What it may cost:",
         "Examples:",
         {"estimate", "budget", "per-block", "max-sites", "buffer", "buffer-limit", "image-limit"}},
    };
    const struct ws_command *record = ws_command_find("record");
    char *help = NULL;
    take_written(write_help, record, &help);
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); ++i) {
        char *own = part(help, groups[i].begin, groups[i].end);
        assert_null(strstr(own + 1, groups[i].begin));
        for (size_t j = 0; j < 8 && groups[i].options[j] != NULL; ++j) {
            char name[64];
            snprintf(name, sizeof(name), "--%s ", groups[i].options[j]);
            has(own, name, record, groups[i].begin);
        }
        free(own);
    }
    free(help);
    const struct ws_option *option = NULL;
    for (size_t i = 0; (option = ws_command_option(record, i, NULL)) != NULL; ++i)
        if (option->group == NULL && strcmp(option->name, "help") != 0)
            fail_msg("record --%s stands in no group", option->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(every_option),
                                       cmocka_unit_test(record_by_group)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
