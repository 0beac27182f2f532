/* Counts rows by the bits of marks: each lane has a bit for each row, which is set where it ran what the row counts.
 *
 * Rows that are near each other are counted by one call: their bits are put in the order of rows first, which is compiled much
 * faster than another call.
 *
 * JOINT ROWS. A place outside of variables that counts up to four rows, one of which all lanes there have, counts by one
 * atomic all rows that all of them have. So each set of the others has a row of its own, which the host adds to those that it
 * stands for (struct ws_row_part). For example, warps whose lanes all go one way through an `if` need one atomic, not two.
 * The sums are the same, whatever the numbers of lanes are. On a GPU, where all full warps of a block add to one word, these
 * are fewer atomics on more words. Modules with several entry points, or with sampled ones, have none: the rows of each
 * entry point stand by themselves. */
#ifndef WS_PASSES_INSTRUMENT_MARKED_ROWS_H
#define WS_PASSES_INSTRUMENT_MARKED_ROWS_H

#include <stdint.h>

#include "passes/spirv/builder.h"

struct ws_runner;

#define WS_MARKED_ROWS_MAX 32u

/* Rows that bits stand for. */
struct ws_marked_rows {
    const uint32_t *rows; /* per bit, of WS_MARKED_ROWS_MAX */
    uint32_t used;        /* bits that stand for a row */
    uint32_t all;         /* bits that all lanes have */
    uint32_t value;       /* id: a lane's bits */
};

/* Counts them at a place of a function, where all lanes that have bits are together. Without memory the editor fails. */
void ws_marked_rows_count(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor,
                          const struct ws_marked_rows *marked);

/* Of bits that are not 0, the lowest, and the one behind the highest. */
uint32_t ws_bits_first(uint32_t bits);
uint32_t ws_bits_end(uint32_t bits);

#endif
