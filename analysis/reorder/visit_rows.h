/* Rows of what passes recorded right before call sites: one for each visit by a thread, found by the thread, the call site and
 * which of the thread's visits there it was. The pass divergence records right before the same instruction, so that visits that
 * it tells of and rows are the same, one by one.
 *
 * MEMORY: 8 bytes for each row, 4 more to sort them, and 4 for each thread. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_VISIT_ROWS_H
#define WS_ANALYSIS_REORDER_VISIT_ROWS_H

#include "warpscope/base/id_map.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_visit_row {
    uint32_t thread; /* its index in the launch */
    uint32_t site;   /* number of its call site */
};

/* Zero-initialised is empty. */
struct ws_visit_rows {
    struct ws_id_map sites_at;
    uint64_t *sites; /* ws_reorder_site */
    uint32_t site_count;
    uint32_t site_capacity;
    struct ws_visit_row *rows; /* those of a thread in the order of its visits */
    uint32_t count;
    uint32_t capacity;
    /* Once they are sorted: rows by thread and call site, and where those of a thread begin. */
    uint32_t *order;
    uint32_t *first;
    uint32_t thread_count;
};

void ws_visit_rows_finish(struct ws_visit_rows *rows);

/* The number of a call site. False when there is no memory. */
bool ws_visit_rows_site(struct ws_visit_rows *rows, uint64_t site, uint32_t *number);

/* Adds a row for a visit of the call site with that number. False when there is no memory. */
bool ws_visit_rows_add(struct ws_visit_rows *rows, uint32_t thread, uint32_t site);

/* Adds the first `count` rows of a worker behind those that are there. False when there is no memory. */
bool ws_visit_rows_join(struct ws_visit_rows *rows, const struct ws_visit_rows *part, uint32_t count);

/* Sorts them, so that rows can be found. False when there is no memory. */
bool ws_visit_rows_sort(struct ws_visit_rows *rows, uint32_t thread_count);

/* The row of a thread's visit of a call site, the first of which is 0; WS_NONE = there is none. */
uint32_t ws_visit_rows_find(const struct ws_visit_rows *rows, uint32_t thread, uint64_t site, uint32_t visit);

#endif
