/* Counters in loops, kept in variables (primitives/counters.glsl, RUNS): one variable for each class of blocks, in the
 * function that has the loop, and code that adds what is left in it to the counter row where lanes leave the loop.
 *
 * A loop FITS when lanes leave it in few known places, which are all in its own function: by its merge block, or by an
 * instruction that returns or ends the shader. So it has no block that parts a warp (calls.h), such as one with a call that
 * may kill; and no barrier, over which a driver would have to keep the variables. The outermost loop without barriers
 * counts. Lanes come to it once in a call of the function, or within a loop with barriers: then its variables are cleared
 * where it is left.
 *
 * CARRIED. A function that is called in a loop, or at several places, would add what it kept in each call, and on a software
 * device an atomic takes as long as hundreds of instructions. Where nothing that an entry point reaches has a barrier, parts
 * a warp or ends a lane other than by a return, each lane comes to the returns of the entry point's function in the end. So
 * the variables are of the invocation, whatever the function and its loops look like, and the code stands there alone. What a
 * lane keeps in them is right whichever call it was in: each execution is kept by one of the lanes that had a part in it. What
 * the entry point's own function keeps is added there too. Then one lane of eight has something to add at a time where each
 * place would add by itself; so four variables are added by one call, of whichever places.
 *
 * BINS. A class to which only some lanes of a turn come, others from turn to turn, as behind a `continue`, would change the
 * ranks nearly each time, and all that lanes kept would be added then. So a lane keeps how often it had each rank, in the bytes
 * of two variables: that is right whoever comes next (primitives/counters.glsl, BINS). Where warps have more lanes than these
 * have bytes, the first variable is a run instead. The code is less than that which finds ranks and adds what was kept: by what
 * that took, further dispatches of loops of random `continue`s took 0.4 to 0.7, their first use 0.7 to 1.
 *
 * RANKS. Where all lanes of a warp are together at a place that keeps counts, each one has the rank with which the entry point
 * began, if they were all there: it is found once, and no place has to look for it. It is not so where an entry point parts
 * (calls.h): behind a ray, lanes may be of other warps. Nor is anything kept over a barrier. There each place of a loop finds
 * it by itself. So does a place at which some lanes of a warp are, each time: but where lanes come to a place in every turn
 * that they end, those of a turn were all there in the turn before. If they are as many, they are the same, and keep their
 * ranks; if one is gone, the last lane takes its rank, and alone adds what it kept. Where lanes enter a loop anew, its places
 * forget who was there. Only warps of up to eight lanes are counted so: it is cheap to look for ranks on a device that finds
 * them by itself. A loop of random branches, which lanes leave one by one, took 8.2 of the plain run's time without that, and
 * 6.0 with it (the fastest of 6 interleaved rounds). */
#ifndef WS_PASSES_INSTRUMENT_RUNS_H
#define WS_PASSES_INSTRUMENT_RUNS_H

#include <stdbool.h>
#include <stdint.h>

struct ws_carried;
struct ws_loops;
struct ws_runner;
struct ws_runs;

/* Finds the loops of a function, for which the functions below may be called then. Without memory the editor fails. */
bool ws_runs_begin(struct ws_runner *runner, uint32_t function);

/* That function. */
uint32_t ws_runs_function(const struct ws_runner *runner);

/* Whether the variables of the function keep what they have from call to call (runs.c, CARRIED). */
bool ws_runs_are_carried(const struct ws_runner *runner);

/* Whether the block, an index in module->blocks, is in a loop. */
bool ws_runs_has_loop(const struct ws_runner *runner, uint32_t block);

/* The loops of the function, and whether loop `index` of them is an outermost one without barriers that lanes leave by its
 * merge block alone. */
const struct ws_loops *ws_runs_loops(const struct ws_runner *runner);
bool ws_runs_leaves_by_merge(const struct ws_runner *runner, uint32_t index);

/* Whether lanes begin loop `index` of the function once in each call, and leave it only by instructions that return or end the
 * shader; and what it counts is better added in each call than kept, since a function that is carried is called in no loop. */
bool ws_runs_leaves_by_return(const struct ws_runner *runner, uint32_t index);

/* Whether lanes may enter loop `index` again with what its places keep: it is in another loop that keeps counts, or its
 * function is carried. */
bool ws_runs_is_entered_again(const struct ws_runner *runner, uint32_t index);

#define WS_RUNS_MAX 24 /* variables of one function */

/* Variables of a place that counts four rows each in several variables (primitives/marks.glsl, LOOPS); 0 = not there yet. */
struct ws_runs_rank {
    uint32_t mine; /* the how-manieth a lane was there the last time */
    uint32_t left; /* how many were together then, and how often it may count before it has to look again */
    uint32_t
        full; /* what it was where all lanes that there can be were together; 0 = that is known of the entry point */
    uint32_t count; /* variables that are kept with these */
};

/* Rows that one variable counts. */
struct ws_runs_rows {
    uint32_t first;
    uint32_t offsets; /* of four: how far from the first each is, in bytes */
};

/* Adds a variable for a row that is counted in the block, or where `rank` is not NULL for four rows, kept with what this place
 * has of ranks, for which variables are added too. 0 where the block is in no loop that fits, or the loop has as many as it
 * may have. */
uint32_t ws_runs_variable(struct ws_runner *runner, uint32_t block, struct ws_runs_rows rows,
                          struct ws_runs_rank *rank);

/* Counts the class of block `leader` in a variable, for the row. False where it cannot have one: then nothing is done. */
bool ws_runs_count(struct ws_runner *runner, uint32_t leader, uint32_t row);

/* The same, kept in bins (BINS). */
bool ws_runs_count_bins(struct ws_runner *runner, uint32_t leader, uint32_t row);

/* Puts the code where the loops of the function are left. */
void ws_runs_end(struct ws_runner *runner);

/* Puts the code where functions begin, for the ranks of their places; and where those of entry points return, for all that is
 * carried to there. */
void ws_runs_put_ends(struct ws_runner *runner);

#endif
