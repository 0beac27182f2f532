/* The man pages, from the table of commands. In the man(7) macros, which groff and mandoc both know. */
#ifndef WS_ANALYSIS_COMMAND_MANUAL_H
#define WS_ANALYSIS_COMMAND_MANUAL_H

#include <stdio.h>

struct ws_command;

/* Writes warpscope.1. */
void ws_manual_write(FILE *stream);

/* Writes warpscope-COMMAND.1. Memory that runs out leaves an error on `stream` (ferror). */
void ws_manual_write_command(const struct ws_command *command, FILE *stream);

#endif
