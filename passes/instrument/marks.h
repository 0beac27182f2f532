/* Counters of blocks by marks (primitives/marks.glsl): where lanes run blocks of which not all of a warp's lanes run
 * each, they mark in the bits of variables which ones they ran; where all of them are together again, one place counts for
 * all. The code is put when all functions have been walked, since only then is it known what else counts.
 *
 * A REGION is a run of blocks x0, x1, ... xn of one class (equivalence.h), with what control flow runs between them. All
 * lanes that run x0 run xn, together, and all that run a block between them do so on the way. So each block between, of the
 * same mask context, has run once at most, with just the lanes that come to xn with its bit. A block in a loop between, or
 * where several ways join outside of a merge block, has another context, and is not of the region. The class of the blocks x
 * has all lanes at xn. No lane can miss xn: blocks that end lanes or hand them over part warps (calls.h), and so are between
 * no two blocks of one class.
 *
 * A FUNCTION LEAVES what it counts of the context in which it begins to its caller, early returns included, with what was
 * left to it there: lanes that call a function together return together, and each block of that context has run once at
 * most in the call. No block of it may part. One that has loops of its own does so where few callers count it.
 *
 * THAT OF AN ENTRY POINT with several returns likewise leaves what it counts of its first context to code behind it (wrap.c),
 * where all of its lanes are together again. There one call counts it all. No block of it may part, end lanes other than by a
 * return, or come to a barrier; so each lane comes there once, with the marks of all that it ran.
 *
 * In a loop the counts of a region are kept in variables (fours.h, runs.h), as in a function whose variables are carried: each
 * turn adds the marks up over the lanes, four or eight at a time, and has no atomic. There the marks of a region have bits
 * that follow each other, whichever rows they stand for, so that fewer sums are taken. Elsewhere the marks of a region are
 * counted by one call for each 32 rows. A region goes on over barriers, over which a driver keeps its marks: a word for 32
 * rows is less than the code that would count them before each. So are the turns of loops (TURNS).
 * LOOKING AHEAD. Where a block ends in a branch with two ways, it is known which lanes run the next two blocks. Those that are
 * of the same context, and that nothing else leads to, have run as often as that block ends, with just these lanes. So a region
 * that ends in the block has them too, with bits of the condition, and is counted where the block ends. A block that is in no
 * region makes one with them, if the turn of a loop may be left without them.
 * So is one of whose last block functions leave marks; a block that is its whole class makes a region with these.
 *
 * What is in no region, but of which all lanes come to the block that leads back of the same turn, is in one that ends
 * there. So it is outside of loops with a block of the same context to which all of its lanes come, in functions that part:
 * behind a branch in which lanes may end, such as one that reports an intersection. What is left is counted by itself: in the
 * same way, or in bins (runs.h) where lanes may end a turn without it.
 *
 * TURNS. All lanes that begin a loop which fits (runs.h) and is left by its merge block alone come to that together, if it
 * is of the class of the block before the loop. So it is enough that each lane counts the turns it begins, and marks what
 * it runs in the last one. What has the loop's context and is run by all lanes that end a turn (no way from the header to
 * the block that leads back passes it by), a lane runs in each of its turns, but perhaps the last. What cannot come to
 * that block, it runs in its last turn or not at all. Both are counted where the loop is left. Turn i of all lanes is one
 * turn of the warp, as the classes take it to be (equivalence.h): lanes that run a header together run the continue target
 * together, once per turn. For example, lanes with 3, 3 and 5 turns have run a header with 3, 3, 3, 1 and 1 lanes. Loops
 * that follow each other in one class are counted by one call, four at most, behind the last of them. Where each turn
 * counts other things anyway, what all lanes run that end a turn is counted with them.
 *
 * LEFT TURNS. So it is with a loop that lanes leave by a return alone, if all begin it that call the function: they come
 * together behind the call, whichever turn each returned in. If nothing else is counted in its turns than what all lanes run
 * that end one, and the return, the function leaves to its callers how many turns each lane began, and these count: with the
 * lanes that ended each turn those that returned in it are known too. For example, a search for a point in a sphere that
 * returns the first one. Kept in variables, that took much: where lanes leave in nearly every turn, what they keep is added in
 * nearly every turn. One sum is for eight turns here, of which each is a sum there. Of wide warps it is for four; and the
 * atomics are as many as there are turns at most, and no more than two for each lane behind the first ones. A function that is
 * carried (runs.h) and called in a loop keeps its counts: it would add them in each call.
 *
 * A DEVICE THAT PARTS WARPS MORE than their code does may have the lanes of a class come to the place that counts in groups:
 * each group then counts the region, or the loop, as a warp of its own. Lanes, and turns of lanes, are exact all the same;
 * warps are too many, and the efficiency too low. In loops of warps of up to eight lanes that holds only where the groups stay
 * the same from turn to turn, or have other sizes: groups of one size are taken for the same lanes (runs.h, RANKS). Else some
 * executions are counted twice and others not at all. options.per_block counts the groups that really ran each block.
 *
 * Without subgroup arithmetic each class is counted where it runs (options.without_sums), and so it is in a function with
 * loops too deep to be known (loops.h), and with options.per_block.
 *
 * What it costs docs/cost.md says (Passes that count). On a software device a sum over eight lanes takes about 36 instructions,
 * an atomic 150 cycles however many lanes take part, and each place of a loop as much as the branch that is hardly taken moves
 * to and from memory. */
#ifndef WS_PASSES_INSTRUMENT_MARKS_H
#define WS_PASSES_INSTRUMENT_MARKS_H

#include <stdbool.h>
#include <stdint.h>

struct ws_marks;
struct ws_module;
struct ws_runner;

/* From the module's arena; NULL if there is no memory. */
struct ws_marks *ws_marks_create(const struct ws_module *module);

/* The class of block `leader`, an index in module->blocks, is counted in a row. */
void ws_marks_note(struct ws_marks *marks, uint32_t leader, uint32_t row);

/* Puts what counts all that was noted. If there is no memory, the editor fails. */
void ws_marks_put(struct ws_runner *runner);

#endif
