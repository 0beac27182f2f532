/* Rows of words in the order of their use: the sets of LRU caches, and Mattson's stacks.
 *
 * WORD = a block (cache_sets.h), and below it `state_bits` bits of the caller's. A row has `ways` of them.
 * USE of a block: its word becomes the most recent one. A block that is not there displaces the one that was used the longest
 * time ago.
 * DEPTH of a use = how many words were more recent.
 *
 * Rows of 5 to 16 ways have words of 32 bits, and beside them the order of their places, 4 bits each: so a use has no branch
 * and moves no words. They are compared four at a time by GCC's vector extension, which clang has too, and which becomes what
 * the machine has. When a block comes that needs more bits, words become 64 bits wide, in the same memory. Then, and in other
 * rows, words lie in their order and are looked through one after the other.
 *
 * Not thread-safe. After ws_recent_rows_init nothing is allocated. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_RECENT_ROWS_H
#define WS_ANALYSIS_MEMORY_CACHE_RECENT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ws_recent_rows {
    uint32_t ways;
    uint32_t
        stride; /* words from one row to the next; 16 where they have 32 bits, then too where they no longer have */
    uint32_t state_bits;
    uint64_t narrow_end; /* blocks below it fit into 32 bits; 0 = words have 64 */
    size_t count;        /* rows */
    void *words;
    uint64_t *
        orders; /* per row of words of 32 bits: the place of its most recent word in the low 4 bits, and so on */
};

/* Empty rows; they take 8 bytes a word, or 136 a row. `state_bits`: at most 32; blocks have to fit above them in 64 bits, and
 * are never all ones there. False when there is no memory. Rows that are zero may be finished. */
bool ws_recent_rows_init(struct ws_recent_rows *rows, size_t count, uint32_t ways, uint32_t state_bits);
void ws_recent_rows_finish(struct ws_recent_rows *rows);

/* Empties all rows. */
void ws_recent_rows_clear(struct ws_recent_rows *rows);

/* The state of one of the words of a row, in no order; 0 where there is none. */
uint32_t ws_recent_rows_state(const struct ws_recent_rows *rows, size_t row, uint32_t way);

/* What a use found. */
struct ws_recent_use {
    bool was_there;
    uint32_t depth; /* 0 where it was not there */
    uint32_t state; /* that its word had before, or the word that it displaced; 0 where it displaced none */
};

/* The same as ws_recent_rows_use, with words of 64 bits. */
struct ws_recent_use ws_recent_rows_use_wide(struct ws_recent_rows *rows, size_t row, uint64_t block,
                                             uint32_t state, bool enters);

/* ---- words of 32 bits ---- */

typedef uint32_t ws_four_words __attribute__((vector_size(16)));
typedef uint64_t ws_two_words __attribute__((vector_size(16)));

/* Which of four words are as `wanted` where `mask` is set: the bit of each in `bits`, else 0. */
static inline ws_four_words ws_four_found(const uint32_t *words, ws_four_words mask, ws_four_words wanted,
                                          ws_four_words bits)
{
    ws_four_words four;
    memcpy(&four, words, sizeof(four));
    return (ws_four_words)((four & mask) == wanted) & bits;
}

/* A bit for each of sixteen words. */
static inline uint32_t ws_sixteen_found(const uint32_t *words, uint32_t mask, uint32_t wanted)
{
    const ws_four_words masks = {mask, mask, mask, mask};
    const ws_four_words blocks = {wanted, wanted, wanted, wanted};
    const ws_four_words bits = {1, 2, 4, 8};
    const ws_four_words found = ws_four_found(words, masks, blocks, bits) |
                                ws_four_found(words + 4, masks, blocks, bits << 4) |
                                ws_four_found(words + 8, masks, blocks, bits << 8) |
                                ws_four_found(words + 12, masks, blocks, bits << 12);
    const ws_two_words halves = (ws_two_words)found;
    const uint64_t both = halves[0] | halves[1];
    return (uint32_t)(both | both >> 32);
}

/* Where a place stands in an order, times 4. */
static inline uint32_t ws_order_find(uint64_t order, uint32_t place)
{
    /* The place's own 4 bits are 0, and borrow; none below them do. */
    const uint64_t others = order ^ place * 0x1111111111111111u;
    const uint64_t zeros = (others - 0x1111111111111111u) & ~others & 0x8888888888888888u;
    return (uint32_t)__builtin_ctzll(zeros) - 3;
}

/* The order with that place as the most recent one. */
static inline uint64_t ws_order_use(uint64_t order, uint32_t place, uint32_t stands)
{
    const uint64_t moved = (UINT64_C(16) << stands) - 1;
    return order ^ ((order ^ (order << 4 | place)) & moved);
}

static inline struct ws_recent_use ws_recent_rows_use_narrow(struct ws_recent_rows *rows, size_t row,
                                                             uint32_t block, uint32_t state, bool enters)
{
    uint32_t *words = (uint32_t *)rows->words + 16 * row;
    const uint64_t order = rows->orders[row];
    const uint32_t mask = UINT32_MAX << rows->state_bits;
    const uint32_t wanted = block << rows->state_bits;
    const uint32_t found = ws_sixteen_found(words, mask, wanted);
    if (found != 0) {
        const uint32_t place = (uint32_t)__builtin_ctz(found);
        const uint32_t stands = ws_order_find(order, place);
        const uint32_t word = words[place];
        rows->orders[row] = ws_order_use(order, place, stands);
        if ((word | state) != word)
            words[place] = word | state;
        return (struct ws_recent_use){true, stands / 4, word & ~mask};
    }
    if (!enters)
        return (struct ws_recent_use){false, 0, 0};
    const uint32_t stands = 4 * (rows->ways - 1);
    const uint32_t place = (uint32_t)(order >> stands) & 15;
    const uint32_t word = words[place];
    rows->orders[row] = ws_order_use(order, place, stands);
    words[place] = wanted | state;
    return (struct ws_recent_use){false, 0, word & ~mask};
}

/* Uses a block, and sets `state` in its word. Without `enters` a block that is not there displaces nothing. */
static inline struct ws_recent_use ws_recent_rows_use(struct ws_recent_rows *rows, size_t row, uint64_t block,
                                                      uint32_t state, bool enters)
{
    if (block < rows->narrow_end)
        return ws_recent_rows_use_narrow(rows, row, (uint32_t)block, state, enters);
    return ws_recent_rows_use_wide(rows, row, block, state, enters);
}

/* Whether a block is the most recent one of its row: a use would change nothing but its state. */
static inline bool ws_recent_rows_is_newest(const struct ws_recent_rows *rows, size_t row, uint64_t block)
{
    if (rows->narrow_end == 0)
        return ((const uint64_t *)rows->words)[row * rows->stride] >> rows->state_bits == block;
    const uint32_t newest = ((const uint32_t *)rows->words)[16 * row + (rows->orders[row] & 15)];
    return block < rows->narrow_end && newest >> rows->state_bits == block;
}

#endif
