/* What `warpscope record` shows while the program runs: a line that is rewritten, on the terminal of stderr.
 *
 * THE LINE. The program may print on the same terminal, at any time, and its output comes first. So the line stands in
 * the row below the cursor, which stays where it is: what the program prints next goes where it would go without us.
 * When its output reaches the row, the line is taken away and written in the row below. (Several rows that are printed
 * at once may run over the line before that; the end of it then stays behind the second of them.) Nothing is written
 * while the program has the terminal for itself: when it has turned off line editing or echo, as editors and other
 * programs with screens of their own do, or when this process is in the background. It is written 5 times a second at
 * most, and only where it has changed.
 *
 * WHERE IT COMES FROM. The layer writes into memory that both share (warpscope/progress.h). It is there also without a
 * terminal, since it tells why a capture holds nothing. */
#ifndef WS_ANALYSIS_COMMAND_RECORD_PROGRESS_H
#define WS_ANALYSIS_COMMAND_RECORD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/progress.h"

/* What the layer said, added up over all captures of the run. */
struct ws_progress_sum {
    uint32_t captures;
    bool reached; /* the layer was loaded by a program, and told of it */
    bool whole;   /* there are captures, and the last chosen frame or launch is in all of them */
    uint64_t frames, submissions, launches, outside, written, records, missing, bytes;
    uint32_t waiting, pipelines, instrumenting, compiling;
    uint32_t instances, devices, failed;
    int32_t refusal; /* VkResult */
};

struct ws_record_progress;

/* Makes the memory and puts its path into the environment. `shown`: with a line on stderr, if that is a terminal. NULL
 * where the system gives no such memory, or there is none: then nothing is shown. */
struct ws_record_progress *ws_record_progress_create(bool shown);

/* Whether ws_record_progress_show does anything. NULL is accepted here and below. */
bool ws_record_progress_is_shown(const struct ws_record_progress *progress);

/* Looks how far it is and writes the line. To be called often. */
void ws_record_progress_show(struct ws_record_progress *progress);

/* Takes the line away, after having shown the last state of it. */
void ws_record_progress_end(struct ws_record_progress *progress);

/* Zeroed where there is no memory that is shared. */
void ws_record_progress_sum(const struct ws_record_progress *progress, struct ws_progress_sum *sum);

/* The line for a sum, without anything to steer the terminal; into `text` of `size` bytes. `seconds`: how long nothing
 * of it has changed. */
void ws_record_progress_text(const struct ws_progress_sum *sum, double seconds, char *text, size_t size);

void ws_record_progress_destroy(struct ws_record_progress *progress);

#endif
