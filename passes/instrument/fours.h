/* Rows that are counted in variables where a block of a loop begins, four by four (primitives/marks.glsl, LOOPS). All lanes
 * that are together there have a bit for each row, which is set where they ran what the row counts. The bits are added up over
 * the lanes, and a variable keeps for four rows how often they had which sums. What is kept is added to the rows when a lane's
 * rank changes, when a byte may be full, and where the loop is left (runs.h). */
#ifndef WS_PASSES_INSTRUMENT_FOURS_H
#define WS_PASSES_INSTRUMENT_FOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "passes/instrument/marked_rows.h"
#include "passes/instrument/runs.h"
#include "passes/spirv/builder.h"

struct ws_runner;

/* Four rows. */
struct ws_four {
    struct ws_runs_rows rows;
    uint32_t used;  /* bits of those that are rows here */
    uint32_t all;   /* bits that all lanes have */
    uint32_t marks; /* id: from bit `shift` on, a lane's bits */
    uint32_t shift;
    uint32_t variable; /* how often lanes had them */
    uint32_t sums;     /* id: how many lanes have each, in bytes */
};

/* Those that are counted at one place. All 0 at first. */
struct ws_fours {
    struct ws_four list[WS_RUNS_MAX];
    uint32_t count;
    struct ws_runs_rank rank;
    bool steady; /* all lanes that end a turn of the loop around the place have been there in it, together */
    uint32_t
        before; /* if so: the block from which lanes enter that loop, and are other ones then; WS_NONE = they do once */
};

/* Takes rows that can be counted in variables in the block, an index in module->blocks. Returns the bits of those that
 * cannot. */
uint32_t ws_fours_add(struct ws_runner *runner, uint32_t block, const struct ws_marked_rows *marks,
                      struct ws_fours *fours);

/* Counts them at a place of that block. */
void ws_fours_put(struct ws_runner *runner, struct ws_cursor cursor, struct ws_fours *fours);

#endif
