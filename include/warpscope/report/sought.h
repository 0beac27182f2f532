/* The thread or warp that --thread or --warp chooses: whether any launch has it, and what there is where none has.
 * For every analysis that shows one. Not thread-safe. */
#ifndef WARPSCOPE_REPORT_SOUGHT_H
#define WARPSCOPE_REPORT_SOUGHT_H

#include "warpscope/report/analysis.h"

/* What the launches had in which it was looked for. Zero-initialised is none. */
struct ws_sought {
    bool found;
    uint64_t launches; /* looked at */
    uint64_t first;    /* index of the first of them, and of the last */
    uint64_t last;
    uint32_t kind; /* of the first: enum ws_launch_kind */
    uint32_t size[3];
    uint32_t low[3]; /* the lowest and highest work ids of all, but for render passes */
    uint32_t high[3];
    bool has_threads;
    uint32_t warps; /* the highest index of a warp, plus 1 */
};

/* Whether a thread is the one that --thread chooses, by its work id. Of fragments the pixel counts, whatever the layer
 * and sample. */
bool ws_sought_is_thread(const struct ws_analysis_options *options, bool fragment, const uint32_t work[3]);

/* Looks at a launch, at its end; once is enough. Does nothing where neither a thread nor a warp was chosen. */
void ws_sought_look(struct ws_sought *sought, const struct ws_analysis_options *options,
                    const struct ws_replay_threads *threads);

/* False if a thread or warp was chosen and is in no launch. `sampled`: the settings by which only some threads were
 * recorded; NULL = all were. */
bool ws_sought_check(const struct ws_sought *sought, const struct ws_analysis_options *options,
                     const char *sampled, struct ws_error *error);

#endif
