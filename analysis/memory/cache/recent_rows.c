#include "analysis/memory/cache/recent_rows.h"

#include <stdlib.h>

enum {
    NARROW_WORDS = 16, /* of a row */
    NARROW_FROM = 5,   /* ways */
    NARROW_STATE = 16, /* bits, the most: the block has as many then */
};
#define FIRST_ORDER 0xfedcba9876543210u

/* An empty word's block is all ones. */
static uint32_t empty_narrow(const struct ws_recent_rows *rows)
{
    return UINT32_MAX << rows->state_bits;
}

static uint64_t empty_wide(const struct ws_recent_rows *rows)
{
    return UINT64_MAX << rows->state_bits;
}

bool ws_recent_rows_init(struct ws_recent_rows *rows, size_t count, uint32_t ways, uint32_t state_bits)
{
    const bool is_narrow = ways >= NARROW_FROM && ways <= NARROW_WORDS && state_bits <= NARROW_STATE;
    *rows = (struct ws_recent_rows){.ways = ways,
                                    .stride = is_narrow ? NARROW_WORDS : ways,
                                    .state_bits = state_bits,
                                    .narrow_end = is_narrow ? UINT32_MAX >> state_bits : 0,
                                    .count = count};
    rows->words = aligned_alloc(64, (count * rows->stride * sizeof(uint64_t) + 63) / 64 * 64);
    if (is_narrow)
        rows->orders = malloc(count * sizeof(*rows->orders));
    if (rows->words == NULL || (is_narrow && rows->orders == NULL))
        return false;
    ws_recent_rows_clear(rows);
    return true;
}

void ws_recent_rows_finish(struct ws_recent_rows *rows)
{
    free(rows->words);
    free(rows->orders);
    *rows = (struct ws_recent_rows){0};
}

void ws_recent_rows_clear(struct ws_recent_rows *rows)
{
    const size_t count = rows->count * rows->stride;
    const bool is_narrow = rows->narrow_end > 0;
    for (size_t i = 0; i < count; ++i)
        if (is_narrow)
            ((uint32_t *)rows->words)[i] = empty_narrow(rows);
        else
            ((uint64_t *)rows->words)[i] = empty_wide(rows);
    for (size_t i = 0; is_narrow && i < rows->count; ++i)
        rows->orders[i] = FIRST_ORDER;
}

uint32_t ws_recent_rows_state(const struct ws_recent_rows *rows, size_t row, uint32_t way)
{
    const size_t place = row * rows->stride + way;
    const uint64_t word = rows->narrow_end > 0 ? ((const uint32_t *)rows->words)[place]
                                               : ((const uint64_t *)rows->words)[place];
    return (uint32_t)(word & ~empty_wide(rows));
}

/* Makes words of 64 bits of those of 32, from the last row on: none is written over that is still to be read. */
static void widen(struct ws_recent_rows *rows)
{
    for (size_t row = rows->count; row-- > 0;) {
        uint32_t narrow[NARROW_WORDS];
        uint64_t *wide = (uint64_t *)rows->words + row * NARROW_WORDS;
        memcpy(narrow, (const uint32_t *)rows->words + row * NARROW_WORDS, sizeof(narrow));
        for (uint32_t i = 0; i < NARROW_WORDS; ++i) {
            const uint32_t word = narrow[rows->orders[row] >> 4 * i & 15];
            wide[i] = word == empty_narrow(rows) ? empty_wide(rows) : word;
        }
    }
    rows->narrow_end = 0;
}

static bool has_block(const struct ws_recent_rows *rows, const uint64_t *words, uint64_t block)
{
    for (uint32_t i = 0; i < rows->ways; ++i)
        if (words[i] >> rows->state_bits == block)
            return true;
    return false;
}

struct ws_recent_use ws_recent_rows_use_wide(struct ws_recent_rows *rows, size_t row, uint64_t block,
                                             uint32_t state, bool enters)
{
    const uint32_t bits = rows->state_bits;
    if (rows->narrow_end > 0)
        widen(rows);
    uint64_t *words = (uint64_t *)rows->words + row * rows->stride;
    if (!enters && !has_block(rows, words, block))
        return (struct ws_recent_use){false, 0, 0};
    /* Those before it move by one while it is looked for. */
    uint64_t moved = words[0];
    uint32_t i = 0;
    while (moved >> bits != block && ++i < rows->ways) {
        const uint64_t here = words[i];
        words[i] = moved;
        moved = here;
    }
    words[0] = (i < rows->ways ? moved : block << bits) | state;
    const uint32_t had = (uint32_t)(moved & ~(UINT64_MAX << bits));
    return i < rows->ways ? (struct ws_recent_use){true, i, had} : (struct ws_recent_use){false, 0, had};
}
