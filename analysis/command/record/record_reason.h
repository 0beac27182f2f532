/* Why a run of `warpscope record` made no capture at all: the layer was never loaded, or had nothing to record. */
#ifndef WS_ANALYSIS_COMMAND_RECORD_REASON_H
#define WS_ANALYSIS_COMMAND_RECORD_REASON_H

#include <stddef.h>

#include "analysis/command/record/record_result.h"

/* Writes the reason, as far as it can be found out, and what to do, into `text`. Where the layer was not loaded, this
 * looks at the program's file, and then tries in a child process whether Vulkan and the layer work here at all. */
void ws_record_reason(const struct ws_record_run *run, char *text, size_t size);

/* The same of a program's file: "" where nothing in it keeps the layer out. `program` is looked for like execvp does. */
void ws_record_reason_of_file(const char *program, char *text, size_t size);

#endif
