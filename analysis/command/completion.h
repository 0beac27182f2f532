/* Completions for shells, from the table of commands: commands, options, the names that there are of analyses, passes
 * and settings' values, captures; behind `record --` the program's own. What is written needs the shell alone. */
#ifndef WS_ANALYSIS_COMMAND_COMPLETION_H
#define WS_ANALYSIS_COMMAND_COMPLETION_H

#include <stdio.h>

void ws_completion_write_bash(FILE *stream);
void ws_completion_write_zsh(FILE *stream);
void ws_completion_write_fish(FILE *stream);

#endif
