/* The page of a capture as one file, for `warpscope html` and `warpscope record --html`. */
#ifndef WS_ANALYSIS_COMMAND_HTML_H
#define WS_ANALYSIS_COMMAND_HTML_H

/* Reads a capture, and writes its page with the usual budget. Says what was written, or why not, on stderr. Returns the exit
 * status (enum ws_exit). */
int ws_write_html(char *capture, const char *path);

#endif
