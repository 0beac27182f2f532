/* The terminal that the command prints on: how wide it is. Not thread-safe. */
#ifndef WS_ANALYSIS_COMMAND_TERMINAL_H
#define WS_ANALYSIS_COMMAND_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Columns of the terminal that stdout is: COLUMNS, or what the terminal says. 0 = it is none, or does not say. */
size_t ws_terminal_width(void);

/* How wide help is: as the terminal, but no wider than reads well; 80 columns where stdout is none. */
size_t ws_prose_width(void);

/* Sets the width of tables and of prose in reports (table.h): with `wide`, or where stdout is no terminal, as wide as
 * they need; else as the terminal. */
void ws_fit_tables(bool wide);

#endif
