/* What came of a recording: the captures there are, or why there are none. */
#ifndef WS_ANALYSIS_COMMAND_RECORD_RESULT_H
#define WS_ANALYSIS_COMMAND_RECORD_RESULT_H

#include <stdbool.h>
#include <stdint.h>

/* Says on stderr where the captures of the run that began at `start` (ns since 1970) are and what to do next,
 * or why there are none. `output` is the file asked for; a program that starts others has further ones beside
 * it, named by process id. Returns whether there is a capture with anything counted in it. */
bool ws_record_result_say(const char *output, uint64_t start);

#endif
