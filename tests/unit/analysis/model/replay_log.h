/* A consumer of the replay that writes down what it is told, and one that sums it up so that the order among
 * contexts does not matter. */
#ifndef WS_TESTS_UNIT_ANALYSIS_MODEL_REPLAY_LOG_H
#define WS_TESTS_UNIT_ANALYSIS_MODEL_REPLAY_LOG_H

#include <stdio.h>

#include "warpscope/model/replay.h"

/* One line per event; contexts are called c0, c1, ... in the order in which they are entered. */
struct replay_log {
    FILE *out;
    uint32_t contexts;
};

extern const struct ws_replay_operations replay_log_operations; /* results: struct replay_log */

/* Sums of a number per context that comes of its events and of what is known of it. */
struct replay_sum {
    uint64_t sum;
    uint64_t launches;
    uint64_t contexts;
    uint64_t blocks;
    uint64_t threads;
    uint64_t warps;
    uint64_t truncated;
    uint64_t parts;
};

extern const struct ws_replay_operations replay_sum_operations; /* results: struct replay_sum */

#endif
