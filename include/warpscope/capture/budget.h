/* What reading a capture may cost, so that no file, however it was made, takes for ever: steps of work, and
 * seconds.
 *
 * STEPS. A step is about what it takes to look at one byte. Code whose work can grow faster than the bytes of
 * the file spends steps before it works, such as WS_STEPS_PRIMITIVE for each triangle that it looks at. A
 * capture is allowed WS_STEPS_LEAST and WS_STEPS_PER_BYTE more for each of its bytes. That is far beyond what
 * captures of programs need: a scene of 3.9 kB that names one blob of 48 MiB in a thousand geometries is
 * stopped after seconds, and one of a gigabyte may take hours.
 *
 * SECONDS. With a limit of seconds the steps are counted, but not limited: the user has said what it may
 * cost.
 *
 * WHEN IT IS SPENT, readers end as if the file ended there (ws_reader_summary: `stopped`), and other work is
 * given up. Then ws_budget_renew allows as many steps again, or a quarter of the seconds, so that what is left
 * can be done: a report calls it once for each analysis that it gives up, so that all ends.
 *
 * SHARES. Work that several threads do at the same time, and of which each piece may be given up by itself, has a share of the
 * budget for each piece: as much as was left before the first of them began. So which of them is given up is up to what they
 * cost, and not to which thread was faster.
 *
 * There is one budget for the process, like the limit on its memory. All functions but ws_budget_begin are
 * thread-safe. */
#ifndef WARPSCOPE_CAPTURE_BUDGET_H
#define WARPSCOPE_CAPTURE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/error.h"

#define WS_STEPS_LEAST    (UINT64_C(1) << 30)
#define WS_STEPS_PER_BYTE UINT64_C(4096)

#define WS_STEPS_ENTRY     4   /* a block, site, reference or structure in a list that is walked */
#define WS_STEPS_LISTED    64  /* a block in a list that is kept for each entry point */
#define WS_STEPS_KEPT      8   /* a byte that is written to a temporary file */
#define WS_STEPS_WORD      16  /* a word of records that is replayed */
#define WS_STEPS_TEXEL     16  /* a texel that a sample touches */
#define WS_STEPS_PRIMITIVE 64  /* a triangle, box or instance that is looked at */
#define WS_STEPS_RAY       256 /* a ray that is matched or traced */

/* Begins anew. `seconds` from now; 0 = as many as the steps take. Before the first call nothing is limited.
 */
void ws_budget_begin(uint32_t seconds);

/* So many in place of WS_STEPS_LEAST, for tests. */
void ws_budget_set_least(uint64_t steps);

/* Allows the steps of the first `bytes` bytes of the file. To read the file again allows no more. */
void ws_budget_reach(uint64_t bytes);

/* Spends steps. False from the moment on when more are spent than allowed, or the seconds are over. */
bool ws_budget_spend(uint64_t steps);

/* Allows more, as said above, if it is spent. Else it does nothing. */
void ws_budget_renew(void);

/* What one piece of work may spend. */
struct ws_budget_share {
    uint64_t before; /* steps that were spent before */
    uint64_t spent;
    bool spent_all;
};

/* A share of what is left now. From ws_budget_share_use on the calling thread spends it, until that is called with NULL.
 * Afterwards ws_budget_share_return adds what was spent to the budget. */
struct ws_budget_share ws_budget_share_make(void);
void ws_budget_share_use(struct ws_budget_share *share);
void ws_budget_share_return(const struct ws_budget_share *share);

/* Whether the budget was ever exceeded since it began. If so, `error` says what was, and the remedy. `error`
 * may be NULL. */
bool ws_budget_exceeded(struct ws_error *error);

/* Steps spent since it began. */
uint64_t ws_budget_spent(void);

#endif
