#include "analysis/capture/word_unpacker.h"

#include "warpscope/packed.h"

/* So many words are unpacked at once, in a core's first cache. */
#define STEP  1024u
#define GROUP 32u /* words of one number of bits */

/* So many words at once, which is a loop that compilers unroll into instructions for several words. */
#define PLANE_STEP 16u

static uint32_t load_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void join_planes(uint32_t *restrict words, const uint8_t *restrict low, const uint8_t *restrict second,
                        const uint8_t *restrict third, const uint8_t *restrict high)
{
    for (uint32_t i = 0; i < PLANE_STEP; ++i)
        words[i] =
            (uint32_t)low[i] | (uint32_t)second[i] << 8 | (uint32_t)third[i] << 16 | (uint32_t)high[i] << 24;
}

void ws_words_join(uint32_t *words, uint32_t count, const uint8_t *planes, size_t stride)
{
    uint32_t i = 0;
    for (; i + PLANE_STEP <= count; i += PLANE_STEP)
        join_planes(words + i, planes + i, planes + stride + i, planes + 2 * stride + i,
                    planes + 3 * stride + i);
    for (; i < count; ++i)
        words[i] = (uint32_t)planes[i] | (uint32_t)planes[stride + i] << 8 |
                   (uint32_t)planes[2 * stride + i] << 16 | (uint32_t)planes[3 * stride + i] << 24;
}

struct unpacker {
    uint32_t slots[WS_PACKED_SLOTS];
    uint32_t fresh[STEP + 1]; /* the new words of this step; one more is read, and not used */
    uint32_t fresh_taken;
    /* Of the next known word. Behind the last one, the first new word is read, and not used. */
    const uint8_t *slot;
};

/* Up to GROUP words. Both that a word is new and that it is not are computed, and one is kept: a branch would be guessed wrong
 * for every third word. */
static inline void unpack_group(struct unpacker *unpacker, uint32_t *words, uint32_t bits, uint32_t count)
{
    uint32_t taken = unpacker->fresh_taken;
    const uint8_t *slot = unpacker->slot;
    for (uint32_t i = 0; i < count; ++i, bits >>= 1) {
        const uint32_t is_new = bits & 1;
        const uint32_t all = 0u - is_new;
        const uint32_t fresh = unpacker->fresh[taken];
        const uint32_t at = (ws_packed_slot(fresh) & all) | (*slot & ~all);
        const uint32_t word = (fresh & all) | (unpacker->slots[at] & ~all);
        unpacker->slots[at] = word;
        words[i] = word;
        taken += is_new;
        slot += 1 - is_new;
    }
    unpacker->fresh_taken = taken;
    unpacker->slot = slot;
}

static uint32_t count_bits(const uint8_t *bits, uint32_t count)
{
    uint32_t sum = 0;
    for (; count >= GROUP; count -= GROUP, bits += 4)
        sum += (uint32_t)__builtin_popcount(load_u32(bits));
    if (count > 0)
        sum += (uint32_t)__builtin_popcount(load_u32(bits) & (UINT32_MAX >> (GROUP - count)));
    return sum;
}

bool ws_words_unpack(uint32_t *words, uint32_t count, const uint8_t *packed, size_t size)
{
    const size_t bits_size = 4 * (((size_t)count + GROUP - 1) / GROUP);
    if (size < 4 + bits_size)
        return false;
    const uint32_t total = load_u32(packed);
    const uint8_t *bits = packed + 4;
    if (total > count || size - 4 - bits_size != count - total + 4 * (size_t)total ||
        count_bits(bits, count) != total)
        return false;
    struct unpacker unpacker = {.slot = bits + bits_size};
    const uint8_t *planes = unpacker.slot + (count - total);
    uint32_t joined = 0; /* new words of the steps before */
    for (uint32_t begin = 0; begin < count; begin += STEP) {
        const uint32_t end = count - begin < STEP ? count : begin + STEP;
        const uint32_t fresh = total - joined < STEP ? total - joined : STEP;
        uint32_t at = begin;
        ws_words_join(unpacker.fresh, fresh, planes + joined, total);
        unpacker.fresh_taken = 0;
        for (; at + GROUP <= end; at += GROUP, bits += 4)
            unpack_group(&unpacker, words + at, load_u32(bits), GROUP);
        if (at < end)
            unpack_group(&unpacker, words + at, load_u32(bits), end - at);
        joined += unpacker.fresh_taken;
    }
    return true;
}
