/* How far the reading of a capture is, in one line of a terminal that is overwritten.
 *
 * What takes less than two seconds shows nothing. Then the share of the file that was read and, from 10 % on, about how
 * long the rest takes if it goes on as fast as so far: "reading  40 %, about 12 s left". What begins behind the reading
 * cannot be timed; it is named when it begins, if half a second was spent by then. Not thread-safe. */
#ifndef WS_ANALYSIS_COMMAND_READING_PROGRESS_H
#define WS_ANALYSIS_COMMAND_READING_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WS_PROGRESS_AFTER       2.0 /* seconds */
#define WS_PROGRESS_PHASE_AFTER 0.5

struct ws_reading_progress {
    FILE *out;             /* the terminal; NULL = nothing is shown */
    double (*clock)(void); /* seconds since any moment */
    uint64_t size;         /* of the capture, in bytes; 0 = not known, then no share is shown */
    double begin;
    unsigned percent; /* shown last */
    bool shown;       /* the line is not empty */
};

/* Begins now. `clock` NULL = the system's. */
void ws_reading_progress_begin(struct ws_reading_progress *progress, FILE *out, uint64_t size,
                               double (*clock)(void));

/* So many bytes were read; a ws_progress_function. */
void ws_reading_progress_show(void *progress, uint64_t bytes);

/* Work begins that reads nothing; a ws_phase_function. */
void ws_reading_progress_phase(void *progress, const char *what);

/* Empties the line. */
void ws_reading_progress_end(struct ws_reading_progress *progress);

#endif
