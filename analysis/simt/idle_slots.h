/* Where the idle slots of a shader come from: each is booked on one place of the code, from the counters of the pass
 * simt_efficiency alone.
 *
 * A SLOT is one lane of a warp for the time of one instruction (as in the analysis divergence). It is active or idle.
 * FULLNESS of a block is active lanes / subgroup sizes, over its executions. A block with the active slots a and the
 * fullness f has a / f slots.
 *
 * The lanes of a block come from its outer block, those from its own outer block, and so on out to the first block of
 * the entry point (warpscope/code/constructs.h). Let f0 be the fullness of the block, f1 that of its outer block, ..., fn
 * that of the first block. Then its idle slots are the sum over the steps
 *
 *     a / f0 - a = a (1/f0 - 1/f1) + a (1/f1 - 1/f2) + ... + a (1/fn - 1)
 *
 * Each term is what would be saved if the warps behind a step were as full as those in front of it. It is booked on
 * the place of the step: on a branch, a loop or an exit. The last term is booked on PARTIAL: lanes that warps lacked
 * when they entered the shader. Terms of steps that should keep all lanes are booked on OTHER: a call that ends lanes,
 * a ray that comes back in other warps, a device that does not bring warps together again.
 *
 * Warps behind a step can be fuller than those in front, where the emptier ones did not go on. Then the term is
 * negative: the place has saved slots.
 *
 * In a called function the first block has the lanes of all its calls, so the steps lead on into the callers. What a
 * function costs is dealt out to its calls by their active lanes.
 *
 * SUM RULE: active + branches + loops + exits + partial + other = all slots, up to rounding.
 *
 * Example: 8 lanes come to `if (odd) { 10 instructions } 2 instructions`, and half of them are odd. The side has 40
 * active slots and fullness 1/2, the branch 1: 40 (2 - 1) = 40 idle slots are booked on the branch. */
#ifndef WS_ANALYSIS_SIMT_IDLE_SLOTS_H
#define WS_ANALYSIS_SIMT_IDLE_SLOTS_H

#include "analysis/simt/shader_run.h"

struct ws_idle_slots {
    double all;    /* slots of the shader */
    double active; /* of them */
    double partial;
    double other;
    double *branches; /* per block of the module: booked on the branch at its end */
    double *loops;    /* on the loop that it is the header of */
    double *exits;    /* on exits in the construct that it is the header of */
};

/* Works them out; `run` must be by warps. False when there is no memory. */
bool ws_idle_slots_find(struct ws_idle_slots *idle, const struct ws_shader_run *run);
void ws_idle_slots_finish(struct ws_idle_slots *idle);

/* Active lanes of a block / its executions; 0 where it did not run. */
double ws_block_run_lanes(const struct ws_block_run *block);

#endif
