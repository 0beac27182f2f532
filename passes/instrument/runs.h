/* Counters in loops, kept in variables (primitives/counters.glsl, RUNS): one variable for each class of blocks, in the
 * function that has the loop, and code that adds what is left in it to the counter row where lanes leave the loop.
 *
 * A loop FITS when lanes leave it in few known places, which are all in its own function: by its merge block, or by an
 * instruction that returns or ends the shader. So it has no block that parts a warp (calls.h), such as one with a call that
 * may kill; and no barrier, over which a driver would have to keep the variables. The outermost loop without barriers
 * counts. Lanes come to it once in a call of the function, or within a loop with barriers: then its variables are cleared
 * where it is left. */
#ifndef WS_PASSES_INSTRUMENT_RUNS_H
#define WS_PASSES_INSTRUMENT_RUNS_H

#include <stdbool.h>
#include <stdint.h>

struct ws_loops;
struct ws_runner;
struct ws_runs;

/* Finds the loops of a function, for which the functions below may be called then. Without memory the editor fails. */
bool ws_runs_begin(struct ws_runner *runner, uint32_t function);

/* Whether the block, an index in module->blocks, is in a loop. */
bool ws_runs_has_loop(const struct ws_runner *runner, uint32_t block);

/* Whether the block may come to a barrier. */
bool ws_runs_have_barrier(const struct ws_runner *runner, uint32_t block);

/* The loops of the function, and whether loop `index` of them is an outermost one without barriers that lanes leave by its
 * merge block alone. */
const struct ws_loops *ws_runs_loops(const struct ws_runner *runner);
bool ws_runs_leaves_by_merge(const struct ws_runner *runner, uint32_t index);

/* Adds a variable for a row that is counted in the block, or where `rank` is not 0 for four rows from that on, kept with the
 * rank that this variable has (primitives/marks.glsl, LOOPS). 0 where the block is in no loop that fits, or the loop has as
 * many as it may have. */
uint32_t ws_runs_variable(struct ws_runner *runner, uint32_t block, uint32_t row, uint32_t rank);

/* Counts the class of block `leader` in a variable, for the row. False where it cannot have one: then nothing is done. */
bool ws_runs_count(struct ws_runner *runner, uint32_t leader, uint32_t row);

/* Puts the code where the loops of the function are left. */
void ws_runs_end(struct ws_runner *runner);

#endif
