#include "layer/capture/word_packer.h"

#include <string.h>

#include "warpscope/packed.h"

/* So many words have their new ones gathered, in a core's first cache, before these are parted into planes. */
#define STEP  1024u
#define GROUP 32u /* words of one number of bits */

/* So many words at once, which is a loop that compilers unroll into instructions for several words. */
#define PLANE_STEP 16u

struct packer {
    uint32_t slots[WS_PACKED_SLOTS];
    uint32_t fresh[STEP + 1]; /* new words of this step; one more is written, and not counted */
    uint32_t fresh_count;
    uint8_t *slot; /* where the next known word's goes */
};

static void store_u32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
}

/* Which of up to GROUP words are new. Both outcomes are written, and one is counted: a branch would be guessed wrong for every
 * third word. Of a whole group the count is a constant: without the loop it takes a seventh less time. */
static inline uint32_t pack_group(struct packer *packer, const uint32_t *words, uint32_t count)
{
    uint32_t bits = 0;
    uint32_t fresh = packer->fresh_count;
    uint8_t *slot = packer->slot;
#pragma GCC unroll 32
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t word = words[i];
        const uint32_t at = ws_packed_slot(word);
        const uint32_t is_new = packer->slots[at] != word;
        packer->slots[at] = word;
        packer->fresh[fresh] = word;
        *slot = (uint8_t)at;
        fresh += is_new;
        slot += 1 - is_new;
        bits |= is_new << i;
    }
    packer->fresh_count = fresh;
    packer->slot = slot;
    return bits;
}

static void part(uint8_t *restrict low, uint8_t *restrict second, uint8_t *restrict third,
                 uint8_t *restrict high, const uint32_t *restrict words)
{
    for (uint32_t i = 0; i < PLANE_STEP; ++i) {
        low[i] = (uint8_t)words[i];
        second[i] = (uint8_t)(words[i] >> 8);
        third[i] = (uint8_t)(words[i] >> 16);
        high[i] = (uint8_t)(words[i] >> 24);
    }
}

void ws_words_part(uint8_t *planes, size_t stride, const uint32_t *words, uint32_t count)
{
    uint32_t i = 0;
    for (; i + PLANE_STEP <= count; i += PLANE_STEP)
        part(planes + i, planes + stride + i, planes + 2 * stride + i, planes + 3 * stride + i, words + i);
    for (; i < count; ++i)
        for (uint32_t byte = 0; byte < 4; ++byte)
            planes[byte * stride + i] = (uint8_t)(words[i] >> (8 * byte));
}

static size_t bits_size(uint32_t count)
{
    return 4 * (((size_t)count + GROUP - 1) / GROUP);
}

size_t ws_words_pack_room(uint32_t count)
{
    return 4 + bits_size(count) + 5 * (size_t)count + 1;
}

/* How many words are new is known in the end. Until then there is room for as many slots and planes as words. */
struct ws_packing ws_words_pack_apart(const uint32_t *words, uint32_t count, uint8_t *room)
{
    struct packer packer = {.slot = room + 4 + bits_size(count)};
    uint8_t *bits = room + 4;
    uint8_t *planes = packer.slot + count + 1;
    uint32_t total = 0;
    for (uint32_t begin = 0; begin < count; begin += STEP) {
        const uint32_t end = count - begin < STEP ? count : begin + STEP;
        uint32_t at = begin;
        packer.fresh_count = 0;
        for (; at + GROUP <= end; at += GROUP, bits += 4)
            store_u32(bits, pack_group(&packer, words + at, GROUP));
        if (at < end)
            store_u32(bits, pack_group(&packer, words + at, end - at));
        ws_words_part(planes + total, count, packer.fresh, packer.fresh_count);
        total += packer.fresh_count;
    }
    store_u32(room, total);
    return (struct ws_packing){.room = room,
                               .first = (size_t)(packer.slot - room),
                               .slots = count - total,
                               .planes = planes,
                               .stride = count,
                               .fresh = total};
}

size_t ws_packing_size(const struct ws_packing *packing)
{
    return packing->first + 4 * (size_t)packing->fresh;
}

struct ws_packed_size ws_packing_parts(const struct ws_packing *packing)
{
    return (struct ws_packed_size){.slots = packing->slots, .noise = 4 * (size_t)packing->fresh};
}

void ws_packing_put(const struct ws_packing *packing, uint8_t *to)
{
    if (to != packing->room)
        memcpy(to, packing->room, packing->first);
    to += packing->first;
    for (uint32_t byte = 0; byte < 4; ++byte)
        memmove(to + (size_t)byte * packing->fresh, packing->planes + byte * packing->stride, packing->fresh);
}

size_t ws_words_pack(const uint32_t *words, uint32_t count, uint8_t *packed, struct ws_packed_size *parts)
{
    const struct ws_packing packing = ws_words_pack_apart(words, count, packed);
    ws_packing_put(&packing, packed);
    *parts = ws_packing_parts(&packing);
    return ws_packing_size(&packing);
}
