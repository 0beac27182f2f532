#include "analysis/reorder/visit_rows.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/instrument.h"

#define HEAD 2 /* words of a row before its own: call site, how many */

struct thread_rows {
    uint32_t *words; /* of one row after the other */
    uint32_t count;
    uint32_t capacity;
    uint32_t row_count;
    uint32_t last; /* where the last row begins, + 1; 0 = none, or it was lost */
};

/* Rows of the thread that is looked up, of one call site. */
struct visit_site {
    uint32_t first; /* in `order` */
    uint32_t count;
};

void ws_visit_rows_finish(struct ws_visit_rows *rows)
{
    for (uint32_t i = 0; i < rows->threads.count; ++i) {
        struct thread_rows *thread = ws_running_at(&rows->threads, i);
        free(thread->words);
    }
    ws_running_finish(&rows->threads);
    ws_id_map_finish(&rows->sites_at);
    free(rows->sites);
    free(rows->touched);
    free(rows->order);
    memset(rows, 0, sizeof(*rows));
}

bool ws_visit_rows_site(struct ws_visit_rows *rows, uint64_t site, uint32_t *number)
{
    if (ws_id_map_get(&rows->sites_at, site, number))
        return true;
    struct visit_site *sites =
        ws_array_grow(rows->sites, &rows->site_capacity, rows->site_count + 1, sizeof(*sites));
    if (sites == NULL)
        return false;
    rows->sites = sites;
    sites[rows->site_count] = (struct visit_site){.count = 0};
    *number = rows->site_count;
    return ws_id_map_put(&rows->sites_at, site, rows->site_count++);
}

bool ws_visit_rows_add(struct ws_visit_rows *rows, uint32_t thread, uint32_t site, const uint32_t *words,
                       uint32_t count)
{
    rows->threads.size = sizeof(struct thread_rows);
    struct thread_rows *own = ws_running_touch(&rows->threads, thread);
    if (own == NULL)
        return false;
    own->last = 0;
    if (rows->kept > WS_VISIT_ROWS_WORDS_MAX - (HEAD + count)) {
        rows->lost++;
        return true;
    }
    uint32_t *grown = ws_array_grow(own->words, &own->capacity, own->count + HEAD + count, sizeof(*grown));
    if (grown == NULL)
        return false;
    own->words = grown;
    own->last = own->count + 1;
    grown += own->count;
    grown[0] = site;
    grown[1] = count;
    memcpy(grown + HEAD, words, count * sizeof(*words));
    own->count += HEAD + count;
    own->row_count++;
    rows->kept += HEAD + count;
    rows->count++;
    return true;
}

uint32_t *ws_visit_rows_last(struct ws_visit_rows *rows, uint32_t thread)
{
    struct thread_rows *own = ws_running_get(&rows->threads, thread);
    return own != NULL && own->last > 0 ? own->words + own->last - 1 + HEAD : NULL;
}

/* Notes the call sites of the thread's rows, and how many rows each has. */
static void count_sites(struct ws_visit_rows *rows)
{
    const struct thread_rows *own = rows->sought;
    uint32_t first = 0;
    for (uint32_t at = 0; at < own->count; at += HEAD + own->words[at + 1]) {
        struct visit_site *site = &rows->sites[own->words[at]];
        if (site->count++ == 0)
            rows->touched[rows->touched_count++] = own->words[at];
    }
    for (uint32_t i = 0; i < rows->touched_count; ++i) {
        struct visit_site *site = &rows->sites[rows->touched[i]];
        site->first = first;
        first += site->count;
        site->count = 0;
    }
}

/* Nobody is looked up any more. */
static void lose(struct ws_visit_rows *rows)
{
    for (uint32_t i = 0; i < rows->touched_count; ++i)
        rows->sites[rows->touched[i]].count = 0;
    rows->touched_count = 0;
    rows->sought = NULL;
}

bool ws_visit_rows_seek(struct ws_visit_rows *rows, uint32_t thread)
{
    const struct thread_rows *own = ws_running_get(&rows->threads, thread);
    lose(rows);
    rows->sought = own;
    if (own == NULL || own->row_count == 0)
        return true;
    uint32_t *touched =
        ws_array_grow(rows->touched, &rows->touched_capacity, rows->site_count, sizeof(*touched));
    uint32_t *order = ws_array_grow(rows->order, &rows->order_capacity, own->row_count, sizeof(*order));
    rows->touched = touched != NULL ? touched : rows->touched;
    rows->order = order != NULL ? order : rows->order;
    if (touched == NULL || order == NULL)
        return false;
    count_sites(rows);
    for (uint32_t at = 0; at < own->count; at += HEAD + own->words[at + 1]) {
        struct visit_site *site = &rows->sites[own->words[at]];
        order[site->first + site->count++] = at;
    }
    return true;
}

const uint32_t *ws_visit_rows_find(const struct ws_visit_rows *rows, uint64_t site, uint32_t visit,
                                   uint32_t *count)
{
    uint32_t number = 0;
    if (rows->touched_count == 0 || !ws_id_map_get(&rows->sites_at, site, &number) ||
        visit >= rows->sites[number].count)
        return NULL;
    const uint32_t *row = rows->sought->words + rows->order[rows->sites[number].first + visit];
    *count = row[1];
    return row + HEAD;
}

void ws_visit_rows_forget(struct ws_visit_rows *rows, uint32_t thread)
{
    struct thread_rows *own = ws_running_get(&rows->threads, thread);
    lose(rows);
    if (own == NULL)
        return;
    rows->kept -= own->count;
    free(own->words);
    ws_running_end(&rows->threads, thread);
}
