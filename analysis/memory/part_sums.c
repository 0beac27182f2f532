#include "analysis/memory/part_sums.h"

#include <stdlib.h>

#include "warpscope/base/array.h"

void ws_part_sums_finish(struct ws_part_sums *sums)
{
    free(sums->rows);
    free(sums->last);
    ws_buffer_pairs_finish(&sums->pairs);
    *sums = (struct ws_part_sums){0};
}

/* Puts each two steps together. */
static void halve(struct ws_part_sums *sums)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sums->pairs.count; ++i)
        sums->last[i] = 0;
    for (uint32_t i = 0; i < sums->row_count; ++i) {
        const struct ws_part_row row = sums->rows[i];
        uint32_t *last = &sums->last[row.pair];
        if (*last > 0 && sums->rows[*last - 1].step == row.step / 2) {
            ws_caches_sums_add(&sums->rows[*last - 1].sums, &row.sums);
            continue;
        }
        sums->rows[count] = row;
        sums->rows[count].step /= 2;
        *last = ++count;
    }
    sums->row_count = count;
    sums->shift++;
}

bool ws_part_sums_add(struct ws_part_sums *sums, const struct ws_traced_access *access, uint32_t bound,
                      const struct ws_caches_sums *request)
{
    uint32_t pair = 0;
    const uint64_t number = sums->requests++;
    if (number >> sums->shift >= WS_PART_STEPS)
        halve(sums);
    if (request == NULL)
        return true;
    const uint32_t known = sums->pairs.count;
    if (!ws_buffer_pairs_find(&sums->pairs, access, bound, &pair))
        return false;
    uint32_t *last = ws_array_grow(sums->last, &sums->last_capacity, sums->pairs.count, sizeof(*last));
    struct ws_part_row *rows =
        ws_array_grow(sums->rows, &sums->row_capacity, sums->row_count + 1, sizeof(*rows));
    sums->last = last != NULL ? last : sums->last;
    sums->rows = rows != NULL ? rows : sums->rows;
    if (last == NULL || rows == NULL)
        return false;
    if (sums->pairs.count > known)
        last[pair] = 0;
    const uint32_t step = (uint32_t)(number >> sums->shift);
    if (last[pair] == 0 || rows[last[pair] - 1].step != step) {
        rows[sums->row_count] = (struct ws_part_row){.step = step, .pair = pair};
        last[pair] = ++sums->row_count;
    }
    ws_caches_sums_add(&rows[last[pair] - 1].sums, request);
    return true;
}

uint32_t ws_part_sums_part(const struct ws_part_sums *sums, const struct ws_part_row *row)
{
    const uint64_t first = (uint64_t)row->step << sums->shift;
    return (uint32_t)(first * WS_PARTS / sums->requests);
}
