/* Paths (records.h, PATH RECORD): records of the beginnings of blocks that are put as one. They are put when all functions have
 * been walked, since only then is it known what else appends records, and where.
 *
 * A REGION is a run of blocks c0, c1, ... cn of one class (equivalence.h) with all that control flow runs between them, where
 * nothing else is appended and each block runs at most once: all have the mask context of the class. Its record is put where cn
 * begins. Before that, blocks only set a bit of a variable, one for each class; those of the class of cn set none, since all
 * lanes that come to cn ran them.
 *
 * A LOOP within a region has a word of bits for each turn, if nothing else is appended in it, no other loop is in it, and lanes
 * leave it for its merge block alone. A lane keeps the bits of the turn, those of the turns before, and how many turns in a row
 * had the same. When a turn had others it appends what it has (site of kind PATH_TURNS); the rest stands in the record of the
 * region.
 *
 * A PLAIN function has no loop, appends nothing else, and each block runs at most once in a call. It appends nothing by itself:
 * it leaves its bits to its caller, which makes them bits of its own, or appends them where the call stands. */
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
