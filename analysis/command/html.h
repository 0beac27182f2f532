/* The page of a capture as one file, for `warpscope html` and `warpscope record --html`. */
#ifndef WS_ANALYSIS_COMMAND_HTML_H
#define WS_ANALYSIS_COMMAND_HTML_H

#include <stdbool.h>

#include "warpscope/error.h"

/* Whether this build can write pages, and the file `path` can be written and is not the capture. False and `error`
 * otherwise. The capture may not be there yet. */
bool ws_check_html(const char *path, const char *capture, struct ws_error *error);

/* Reads a capture, and writes its page with the usual budget. Says on stderr what was written, unless `quiet`, and what was
 * left out, or why nothing was written. Returns the exit status (enum ws_exit). */
int ws_write_html(char *capture, const char *path, bool quiet);

#endif
