#include "analysis/reorder/visit_rows.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/instrument.h"

void ws_visit_rows_finish(struct ws_visit_rows *rows)
{
    ws_id_map_finish(&rows->sites_at);
    free(rows->sites);
    free(rows->rows);
    free(rows->order);
    free(rows->first);
    memset(rows, 0, sizeof(*rows));
}

bool ws_visit_rows_site(struct ws_visit_rows *rows, uint64_t site, uint32_t *number)
{
    if (ws_id_map_get(&rows->sites_at, site, number))
        return true;
    uint64_t *sites = ws_array_grow(rows->sites, &rows->site_capacity, rows->site_count + 1, sizeof(*sites));
    if (sites == NULL)
        return false;
    rows->sites = sites;
    sites[rows->site_count] = site;
    *number = rows->site_count;
    return ws_id_map_put(&rows->sites_at, site, rows->site_count++);
}

bool ws_visit_rows_add(struct ws_visit_rows *rows, uint32_t thread, uint32_t site)
{
    struct ws_visit_row *grown = ws_array_grow(rows->rows, &rows->capacity, rows->count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    rows->rows = grown;
    grown[rows->count++] = (struct ws_visit_row){thread, site};
    return true;
}

bool ws_visit_rows_join(struct ws_visit_rows *rows, const struct ws_visit_rows *part, uint32_t count)
{
    uint32_t *numbers = malloc(((size_t)part->site_count + 1) * sizeof(*numbers));
    bool joined = numbers != NULL;
    for (uint32_t i = 0; i < part->site_count && joined; ++i)
        joined = ws_visit_rows_site(rows, part->sites[i], &numbers[i]);
    for (uint32_t i = 0; i < count && joined; ++i)
        joined = ws_visit_rows_add(rows, part->rows[i].thread, numbers[part->rows[i].site]);
    free(numbers);
    return joined;
}

static int compare_rows(const void *left, const void *right, void *user)
{
    const struct ws_visit_row *rows = user;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    if (rows[a].site != rows[b].site)
        return rows[a].site < rows[b].site ? -1 : 1;
    return (a > b) - (a < b);
}

bool ws_visit_rows_sort(struct ws_visit_rows *rows, uint32_t thread_count)
{
    rows->order = malloc(((size_t)rows->count + 1) * sizeof(*rows->order));
    rows->first = calloc((size_t)thread_count + 2, sizeof(*rows->first));
    if (rows->order == NULL || rows->first == NULL)
        return false;
    rows->thread_count = thread_count;
    /* Where the next row of a thread stands; at last where the next thread's begin. */
    uint32_t *first = rows->first + 1;
    for (uint32_t i = 0; i < rows->count; ++i)
        if (rows->rows[i].thread < thread_count)
            first[rows->rows[i].thread]++;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < thread_count; ++i) {
        const uint32_t here = first[i];
        first[i] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < rows->count; ++i)
        if (rows->rows[i].thread < thread_count)
            rows->order[first[rows->rows[i].thread]++] = i;
    for (uint32_t i = 0; i < thread_count; ++i)
        if (rows->first[i + 1] - rows->first[i] > 1)
            qsort_r(rows->order + rows->first[i], rows->first[i + 1] - rows->first[i], sizeof(*rows->order),
                    compare_rows, rows->rows);
    return true;
}

uint32_t ws_visit_rows_find(const struct ws_visit_rows *rows, uint32_t thread, uint64_t site, uint32_t visit)
{
    uint32_t number = 0;
    if (thread >= rows->thread_count || !ws_id_map_get(&rows->sites_at, site, &number))
        return WS_NONE;
    uint32_t low = rows->first[thread];
    const uint32_t end = rows->first[thread + 1];
    for (uint32_t high = end; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (rows->rows[rows->order[middle]].site < number)
            low = middle + 1;
        else
            high = middle;
    }
    return visit < end - low && rows->rows[rows->order[low + visit]].site == number ? rows->order[low + visit]
                                                                                    : WS_NONE;
}
