/* The messages of `warpscope record` after the program has ended: which captures it wrote, or why it wrote
 * none. */
#ifndef WS_ANALYSIS_COMMAND_RECORD_RESULT_H
#define WS_ANALYSIS_COMMAND_RECORD_RESULT_H

#include <stdbool.h>
#include <stdint.h>

/* Prints to stderr, for each capture of a run, what it contains and what to do next. If a capture is empty
 * or missing, it prints the reason.
 *
 * `output` is the file that the user asked for. If the program starts other programs, each writes its own
 * capture beside it, with the process id before the extension: "run.wscope" and "run.123.wscope". `start`
 * is the time at which the run began, in nanoseconds since 1970. Older files are not captures of this run.
 *
 * Returns whether at least one capture has counts or records in it. */
bool ws_record_result_say(const char *output, uint64_t start);

#endif
