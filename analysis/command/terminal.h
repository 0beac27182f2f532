/* The terminal that the command prints on: its width, colours, and a pager. Where stdout is no terminal, everything is
 * as wide as it needs, without colour unless --color asks for it, and without pager. Not thread-safe. */
#ifndef WS_ANALYSIS_COMMAND_TERMINAL_H
#define WS_ANALYSIS_COMMAND_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/command/options.h"

/* The options of commands that print much: --color and --no-pager. What takes them needs no request. */
extern const struct ws_option ws_terminal_options[];
ws_take_option ws_take_terminal_option;

/* Columns of the terminal that stdout is: COLUMNS, or what the terminal says. 0 = it is none, or does not say. */
size_t ws_terminal_width(void);

/* How wide help is: as the terminal, but no wider than reads well; 80 columns where stdout is none. */
size_t ws_prose_width(void);

/* Says that a text report follows: its tables and its prose are as wide as the terminal; with `wide` as they need. */
void ws_fit_text(bool wide);

/* Lets ws_page_begin do something. A test that calls commands does not allow it. */
void ws_page_allow(void);

/* Collects what is printed to stdout from now on, where stdout is a terminal or has colours. */
void ws_page_begin(void);

/* Shows what was collected: by a pager if the terminal is not high enough. A pager that cannot be started, or that is
 * left early, does no harm. Returns `status`, or WS_EXIT_FAILED after a failure to write, which it says. */
int ws_page_end(int status);

/* Whether stderr may have colours. */
bool ws_stderr_has_colour(void);

#endif
