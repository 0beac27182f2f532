/* Counters in loops, kept in variables (primitives/counters.glsl, RUNS): one variable for each class of blocks, in the function
 * that has the loop, and code that adds what is left in it to the counter row where lanes leave the loop.
 *
 * A loop FITS when lanes leave it in few known places, which are all in its own function: by its merge block, or by an
 * instruction that returns or ends the shader. So it has no block that parts a warp (calls.h), such as one with a call that may
 * kill; and no barrier, over which a driver would have to keep the variables. The outermost loop counts: lanes come to it once
 * in a call of the function, so its variables need not be cleared. */
#ifndef WS_PASSES_INSTRUMENT_RUNS_H
#define WS_PASSES_INSTRUMENT_RUNS_H

#include <stdbool.h>
#include <stdint.h>

struct ws_runner;
struct ws_runs;

/* Counts the class of block `leader`, an index in module->blocks, in a variable, for the row. False where it is in no loop that
 * fits, or the loop has as many as it may have: then nothing is done. */
bool ws_runs_count(struct ws_runner *runner, uint32_t leader, uint32_t row);

/* Puts the code where the loops of a function, which has been walked, are left. */
void ws_runs_end(struct ws_runner *runner);

#endif
