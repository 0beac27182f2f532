#include "analysis/memory/part_sums.h"

#include <stdlib.h>

#include "warpscope/base/array.h"

void ws_part_sums_finish(struct ws_part_sums *sums)
{
    free(sums->rows);
    free(sums->whats);
    free(sums->last);
    ws_id_map_finish(&sums->of_places);
    for (int i = 0; i < WS_PART_KEYS; ++i)
        ws_id_map_finish(&sums->ids[i]);
    ws_buffer_pairs_finish(&sums->pairs);
    *sums = (struct ws_part_sums){0};
}

/* Puts each two steps together. */
static void halve(struct ws_part_sums *sums)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sums->what_count; ++i)
        sums->last[i] = 0;
    for (uint32_t i = 0; i < sums->row_count; ++i) {
        const struct ws_part_row row = sums->rows[i];
        uint32_t *last = &sums->last[row.what];
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

static uint32_t current_step(const struct ws_part_sums *sums)
{
    return sums->is_whole ? 0 : (uint32_t)((sums->requests - 1) >> sums->shift);
}

void ws_part_sums_next(struct ws_part_sums *sums)
{
    sums->requests++;
    if (!sums->is_whole && (sums->requests - 1) >> sums->shift >= WS_PART_STEPS)
        halve(sums);
}

/* The value of a key; a new one gets the next number. */
static bool find_number(struct ws_id_map *map, uint64_t key, uint32_t *count, uint32_t *number)
{
    if (ws_id_map_get(map, key, number))
        return true;
    *number = (*count)++;
    return ws_id_map_put(map, key, *number);
}

static uint32_t most_of(const struct ws_part_sums *sums)
{
    return sums->most > 0 ? sums->most : WS_PART_ROWS_MAX;
}

/* The number of a thing; WS_NONE where there is no room for it. What nobody asks for needs no look-up. */
static bool find_what(struct ws_part_sums *sums, const struct ws_traced_access *access, uint32_t bound,
                      struct ws_part_what what, uint32_t *number)
{
    uint32_t place = WS_NONE;
    if (!ws_buffer_pairs_find(&sums->pairs, access, bound, &what.pair) ||
        (what.place != WS_NONE && !find_number(&sums->of_places, (uint64_t)what.shader << 32 | what.place,
                                               &sums->place_count, &place)))
        return false;
    const uint32_t keys[WS_PART_KEYS] = {place, what.page, what.thread, what.built, what.element};
    *number = what.pair;
    for (int i = 0; i < WS_PART_KEYS; ++i) {
        const uint64_t key = (uint64_t)*number << 32 | keys[i];
        if (keys[i] == WS_NONE || ws_id_map_get(&sums->ids[i], key, number))
            continue;
        if (sums->what_count >= most_of(sums)) {
            *number = WS_NONE;
            return true;
        }
        if (!find_number(&sums->ids[i], key, &sums->id_counts[i], number))
            return false;
    }
    struct ws_part_what *whats =
        ws_array_grow(sums->whats, &sums->what_capacity, (size_t)*number + 1, sizeof(*whats));
    sums->whats = whats != NULL ? whats : sums->whats;
    uint32_t *last = ws_array_grow(sums->last, &sums->last_capacity, (size_t)*number + 1, sizeof(*last));
    sums->last = last != NULL ? last : sums->last;
    if (whats == NULL || last == NULL)
        return false;
    if (*number == sums->what_count) {
        whats[*number] = what;
        last[*number] = 0;
        sums->what_count++;
    }
    return true;
}

bool ws_part_sums_add(struct ws_part_sums *sums, const struct ws_traced_access *access, uint32_t bound,
                      const struct ws_part_what *what, const struct ws_caches_sums *request)
{
    const uint32_t most = most_of(sums);
    uint32_t number = 0;
    if (!find_what(sums, access, bound, *what, &number))
        return false;
    if (number == WS_NONE) {
        sums->left_out++;
        return true;
    }
    while (!sums->is_whole && sums->row_count >= most &&
           (sums->requests - 1) >> (sums->shift + 1) >= WS_PART_STEPS_LEAST)
        halve(sums);
    uint32_t *last = &sums->last[number];
    const uint32_t step = current_step(sums);
    if (*last == 0 || sums->rows[*last - 1].step != step) {
        if (sums->row_count >= most) {
            sums->left_out++;
            return true;
        }
        struct ws_part_row *rows =
            ws_array_grow(sums->rows, &sums->row_capacity, sums->row_count + 1, sizeof(*rows));
        if (rows == NULL)
            return false;
        sums->rows = rows;
        rows[sums->row_count] = (struct ws_part_row){.step = step, .what = number};
        *last = ++sums->row_count;
    }
    ws_caches_sums_add(&sums->rows[*last - 1].sums, request);
    return true;
}

uint32_t ws_part_sums_part(const struct ws_part_sums *sums, const struct ws_part_row *row)
{
    const uint64_t first = (uint64_t)row->step << sums->shift;
    return (uint32_t)(first * WS_PARTS / sums->requests);
}

const struct ws_buffer_pair *ws_part_sums_pair(const struct ws_part_sums *sums, const struct ws_part_row *row)
{
    return &sums->pairs.list[sums->whats[row->what].pair];
}
