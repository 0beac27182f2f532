/* The messages of `warpscope record` after the program has ended: which captures it wrote, or why it wrote
 * none. */
#ifndef WS_ANALYSIS_COMMAND_RECORD_RESULT_H
#define WS_ANALYSIS_COMMAND_RECORD_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "analysis/command/record/record_progress.h"

/* A run of a program under the layer. */
struct ws_record_run {
    const char *output;  /* the file that the user asked for */
    const char *program; /* as the user named it */
    uint64_t start; /* when it began, in nanoseconds since 1970: older files are not captures of this run */
    struct stat before; /* the file `output` before it began; zeroed where there was none */
    int status;         /* its exit status, as a shell has it */
    uint64_t number;    /* WARPSCOPE_RUN: the captures of this run have it in INFO */
    bool quiet;         /* nothing is said of captures that are as they should be */
    uint64_t budget;    /* bytes of records, of all captures together, that were wanted at most; 0 = any */
    struct ws_progress_sum seen; /* what the layer told; zeroed where it could not */
};

/* Prints to stderr, for each capture of a run, what it contains and what to do next. If a capture is empty or missing,
 * it prints the reason.
 *
 * If the program starts other programs, each writes its own capture beside `output`, with the process id before the
 * extension: "run.wscope" and "run.123.wscope". Files of other runs, also of one at the same time, are passed over.
 *
 * Returns whether at least one capture has counts or records in it. */
bool ws_record_result_say(const struct ws_record_run *run);

#endif
