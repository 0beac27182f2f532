/* Times of one run for the launches of another (times.h).
 *
 * A run that records is slower than the program is. So the program is run twice: once with pass time alone, and once
 * with the passes that record. A launch of the recorded run (R) gets the time of the launch of the timed run (T) that
 * is the same by content (launch_content.h). Several launches may have one content. Of them the first of these that is
 * there, and has a time, is taken:
 *
 *   1. the one with the same number in the whole run;
 *   2. the one of the same place (launch_content.h) in the frame with the same number;
 *   3. the median of those of the same place over the frames of T. The lower one of the two in the middle, where their
 *      number is even.
 *
 * 1 is right for a program that does the same in every run. 2 and 3 are for one that does not, and for runs of which
 * different frames were captured. */
#ifndef WARPSCOPE_MODEL_TIMES_JOIN_H
#define WARPSCOPE_MODEL_TIMES_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/error.h"

struct ws_catalog;
struct ws_launch_table;

/* What became of the launches of R. */
struct ws_times_join {
    char *path;         /* of T, as the user gave it */
    uint64_t launches;  /* of R */
    uint64_t same;      /* joined by 1 or 2 */
    uint64_t typical;   /* joined by 3 */
    uint64_t untimed;   /* T has launches of that content, but none that could be taken has a time */
    uint64_t other;     /* T has its pipelines, but in launches of another kind, size, draws or label */
    uint64_t elsewhere; /* T has no launch with these pipelines */
};

/* Gives the launches of `catalog`, which has been read to its end, the times of `timed`, likewise. Its own times, if it
 * has some, are replaced. `all` are the launches of the capture, chosen or not: the catalog may have only chosen ones, and
 * which of several equal ones they are is told by all. `path` is that of `timed`, for reports. False and `error` where no
 * launch could be joined, or without memory. */
bool ws_times_take(struct ws_catalog *catalog, const struct ws_launch_table *all,
                   const struct ws_catalog *timed, const char *path, struct ws_error *error);

/* NULL is accepted. */
void ws_times_join_destroy(struct ws_times_join *join);

#endif
