/* What --help, `warpscope help` and the man pages say. Functions that print prose take the width of its lines. Not
 * thread-safe. */
#ifndef WS_ANALYSIS_COMMAND_HELP_H
#define WS_ANALYSIS_COMMAND_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "passes/base/near.h"

struct ws_command;
struct ws_analysis;

/* A variable of the environment that the command heeds, beside those of settings. */
struct ws_help_variable {
    const char *name; /* NULL after the last */
    const char *help;
};
extern const struct ws_help_variable ws_help_variables[];

/* Returns the paragraph about the exit status of a command; NULL = of all of them. */
const char *ws_help_status(const struct ws_command *command);

/* Prints what `warpscope --help` says. */
void ws_help_print(size_t width, FILE *stream);

/* Prints the help of a command: one screen. */
void ws_help_command(const struct ws_command *command, size_t width, FILE *stream);

/* Prints what an analysis needs, and what its words and columns mean. */
void ws_help_analysis(const struct ws_analysis *analysis, size_t width, FILE *stream);

/* The words of the figures, by index: its name, NULL after the last; and what it means. The last is "words": all of them. */
const char *ws_help_word(size_t index);
void ws_help_word_print(size_t index, size_t width, FILE *stream);

/* Prints everything that has that name: words, analyses, passes, rules of advice, settings, topics of commands; with
 * `everything` also commands, options and columns. False if nothing has it; then `near` has been shown all names. Without a
 * stream nothing is printed. */
bool ws_help_topic(const char *name, bool everything, struct ws_near *near, size_t width, FILE *stream);

#endif
