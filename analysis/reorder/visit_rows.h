/* Rows of what passes recorded right before call sites: one for each visit by a thread, found by the thread, the call site and
 * which of the thread's visits there it was. The pass divergence records right before the same instruction, so that visits that
 * it tells of and rows are the same, one by one.
 *
 * Rows of a thread are kept until it ends: then they are looked up, and forgotten.
 *
 * MEMORY: 8 bytes and its words for each row of threads that run just now, at most WS_VISIT_ROWS_WORDS_MAX words in all; and
 * that of running.h. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_VISIT_ROWS_H
#define WS_ANALYSIS_REORDER_VISIT_ROWS_H

#include "analysis/reorder/running.h"
#include "warpscope/base/id_map.h"

#include <stdbool.h>
#include <stdint.h>

#define WS_VISIT_ROWS_WORDS_MAX (1u << 26)

/* Zero-initialised is empty. */
struct ws_visit_rows {
    struct ws_id_map sites_at; /* ws_reorder_site -> its number */
    uint32_t site_count;
    struct ws_running threads; /* of visit_rows.c's struct thread_rows */
    uint64_t count;            /* rows that were added, in all */
    uint64_t lost;             /* rows that were not, since there were too many */
    uint32_t kept;             /* words of those that are here */
    /* Of the thread that is looked up. */
    const struct thread_rows *sought;
    struct visit_site *sites; /* by number */
    uint32_t site_capacity;
    uint32_t *touched; /* numbers of those that it has rows of */
    uint32_t touched_count;
    uint32_t touched_capacity;
    uint32_t *order; /* where its rows begin, by site */
    uint32_t order_capacity;
};

void ws_visit_rows_finish(struct ws_visit_rows *rows);

/* The number of a call site. False when there is no memory. */
bool ws_visit_rows_site(struct ws_visit_rows *rows, uint64_t site, uint32_t *number);

/* Adds a row for a visit of the call site with that number. False when there is no memory. */
bool ws_visit_rows_add(struct ws_visit_rows *rows, uint32_t thread, uint32_t site, const uint32_t *words,
                       uint32_t count);

/* The words of the row that was added last for the thread; NULL = there is none, or it was lost. */
uint32_t *ws_visit_rows_last(struct ws_visit_rows *rows, uint32_t thread);

/* Looks up the rows of a thread that has ended. False when there is no memory. */
bool ws_visit_rows_seek(struct ws_visit_rows *rows, uint32_t thread);

/* Its row of a visit of a call site, the first of which is 0; `*count`: its words. NULL = there is none. */
const uint32_t *ws_visit_rows_find(const struct ws_visit_rows *rows, uint64_t site, uint32_t visit,
                                   uint32_t *count);

/* Forgets the rows of the thread that was looked up. */
void ws_visit_rows_forget(struct ws_visit_rows *rows, uint32_t thread);

#endif
