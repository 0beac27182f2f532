/* Paths (records.h, PATH RECORD): records of the beginnings of blocks that are put as one. They are put when all functions have
 * been walked, since only then is it known what else appends records, and where.
 *
 * A REGION is a run of blocks c0, c1, ... cn of one class (equivalence.h) with all that control flow runs between them, where
 * nothing else is appended and each block runs at most once: all have the mask context of the class. Its record is put where cn
 * begins, or behind the last plain call of cn, if nothing else is appended in it. Before that, blocks only set a bit of a
 * variable, one for each class; those of the class of cn set none, since all lanes that come to cn ran them. A block that fits
 * into no run is a region by itself, if it has plain calls: so a loop's body of three calls has one record in place of four.
 *
 * A LOOP within a region has bits for each turn, if nothing else is appended in it, no other loop is in it, and lanes leave it
 * for its merge block alone. What follows from other bits has none: of a branch with two ways one has a bit, and where one way
 * alone leads out of the loop the other has none. As many turns as have room in a word are a group. A lane keeps the group at
 * work, the one before, and how many groups in a row were the same. When a group was another it appends what it has (site of
 * kind PATH_TURNS); the rest stands in the record of the region. All lanes of the loop begin with it together, so their groups
 * are full together, and one record tells of them. A loop whose turns all have room in one group (passes/flow/trips.h) keeps
 * that alone.
 *
 * A PLAIN function has no loop, appends nothing else, and each block runs at most once in a call. It appends nothing by itself:
 * it leaves its bits to its caller, which makes them bits of its own, or appends them where the call stands.
 *
 * ENDS. What a lane has set is lost only if it does not come to the end of the region. No lane that lives can miss it:
 *   - kill, terminate, ignore, reportIntersection, demote, traceRay, calls of shaders and of functions that do such: their
 *     blocks part warps (calls.h), so they are in no region and no plain function. So a lane whose invocation is suspended,
 *     goes on in another warp, or ends, has no bits that wait;
 *   - a return, an end of a task shader, or of what control flow cannot reach: such a block leads nowhere, and neither a region
 *     nor a loop of one has such. Where it stands in an arm between two blocks, these are of different classes;
 *   - a break out of two loops, or into code that leaves the function: the loop has another exit than its merge block, and does
 *     not fit. A continue is a way within its loop;
 *   - a loop that does not end: nothing is told of what its lanes did since the region began;
 *   - a call within a region: a function that is not plain appends by itself, and is in none;
 *   - helper lanes set bits like others, and append nothing, as they append no places. A lane becomes one by a demote alone;
 *   - recursion there is none in shaders. A shader that is called has variables of its own; what a plain function leaves is
 *     taken by the next instruction of its caller.
 * A loop that is left and entered anew begins with zeros: they are put back behind the record. Groups are counted up to
 * 2^31 - 1; then a record tells of them, and they are counted anew. Barriers may stand in a region: what is kept over one is a
 * word of bits at most, and three for each loop. */
#ifndef WS_PASSES_INSTRUMENT_PATHS_H
#define WS_PASSES_INSTRUMENT_PATHS_H

#include <stdbool.h>
#include <stdint.h>

struct ws_module;
struct ws_paths;
struct ws_runner;

/* From the module's arena; NULL if there is no memory. */
struct ws_paths *ws_paths_create(const struct ws_module *module);

/* The beginning of a block, an index in module->blocks, has a record of this number. It is put before all else that is appended
 * in the block: so nothing has been yet. */
void ws_paths_note(struct ws_paths *paths, uint32_t block, uint32_t number);

/* Something else is appended in the block, behind its beginning. */
void ws_paths_part(struct ws_paths *paths, uint32_t block);
bool ws_paths_is_parted(const struct ws_paths *paths, uint32_t block);

/* Puts all records that were noted, and adds the sites of paths. If there is no memory, the editor fails. */
void ws_paths_put(struct ws_runner *runner);

#endif
