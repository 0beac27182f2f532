/* The analysis `estimate`: what each pass would append to the record stream, before it is run. It needs the counters of
 * the pass simt_efficiency alone, which cost little.
 *
 * A record is put at a place in a block, and every lane that begins a block finishes it (struct ws_block_info). So a
 * warp appends the records of a block once for each of its executions of the block, and the counters say how many
 * those are and how many lanes each had. Which records a pass puts into a block is known by instrumenting the module
 * again, here, for that pass. With E executions of the block by warps, A active lanes summed over them, and the sizes
 * of records.h, in words:
 *
 *   place record      E x 2, and a mask for each execution with idle lanes where warps have more than 16 lanes
 *   data record       E x 2, A x words per lane, and a mask for each execution where warps have more than 16 lanes;
 *                     without words per lane a place record
 *   entry record      E x (3 + mask + words per warp), A x words per lane
 *   turns of a loop   of a path (records.h): at most (E x 2, A x 2 words per lane, and a mask as for data) / turns of a group,
 *                     with E and A of the loop's header
 *
 * For example, a compute shader's entry with 10 executions by full warps of 8 lanes has 10 x (3 + 1 + 3) + 80 words.
 *
 * TURNS. A record of the turns of a loop is appended where a group of the lanes' turns is another than the one before. How
 * often depends on data, and counters do not tell. But a header that is run as often as a group has turns appends one such
 * record at most. So what is appended lies between `bytes`, without these, and `bytes` + `turns`. For example, of a loop
 * that 8 lanes run 100 times and then leave, the header runs 101 times with 8 lanes: at most (101 x 2 + 808 x 2) / 7 words,
 * if turns have four bits, so that a group has seven, and each group is another than the one before. If all took the
 * same, none.
 *
 * Else it is exact on devices that keep warps together and have at most 16 lanes. What it cannot know: continuations
 * (records.h), which other devices may append; in wider warps a mask that is that of the entry although lanes are idle,
 * which takes no room, so there it is an upper bound. It is of all threads, whatever --threads, --pixels and --tile
 * chose.
 *
 * Where the budget of sites (setting sites_budget) left counters out, it is of the records in blocks that are counted. A run
 * with the same budget leaves records out too, though not those of the same blocks: a counter tells of more blocks than a
 * record. A note says how many are missing. Without a budget it is exact as above. */
#ifndef WS_ANALYSIS_SIMT_ESTIMATE_H
#define WS_ANALYSIS_SIMT_ESTIMATE_H

#include <stddef.h>

#include "warpscope/report/analysis.h"

/* Dimensions and levels of the report (columns.h). */
enum ws_estimate_dimension {
    WS_ESTIMATE_PASS, /* index of ws_estimate_pass */
    WS_ESTIMATE_STAGE,
    WS_ESTIMATE_SHADER,
    WS_ESTIMATE_FRAME,
    WS_ESTIMATE_LAUNCH,
    WS_ESTIMATE_DIMENSIONS,
};

enum ws_estimate_level {
    WS_ESTIMATE_BY_PASS,
    WS_ESTIMATE_BY_SHADER,
    WS_ESTIMATE_BY_FRAME,
    WS_ESTIMATE_BY_LAUNCH,
};

/* Sums of a row. */
struct ws_estimate_sums {
    uint64_t records;
    uint64_t bytes;   /* in memory, as shaders append them; a capture holds them compressed */
    uint64_t turns;   /* bytes that turns of loops append beyond those, at most */
    uint64_t largest; /* the most bytes of one submission: the room that it needs (--buffer) */
};

/* How many different choices of passes are estimated: each pass that appends records, and all of them together, which
 * share records. */
uint32_t ws_estimate_pass_count(void);

/* Passes that are estimated together too, as a choice of the number ws_estimate_pass_count(), "chosen": the `user` of the
 * options, as long as the results are. */
struct ws_estimate_chosen {
    const char *const *names;
    size_t count;
};

/* The name of one: that of the pass, "all" or "chosen". Static string. */
const char *ws_estimate_pass(uint32_t index);

/* The sums of a choice of passes over the capture; NULL where they append nothing. `groups` are those of the
 * analysis, without --by. */
const struct ws_estimate_sums *ws_estimate_find(const struct ws_groups *groups, uint32_t pass);

extern const struct ws_analysis ws_analysis_estimate;

#endif
