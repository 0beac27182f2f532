/* Packed words: how the words of a large RECS chunk stand in its payload where its header says WS_CHUNK_PACKED.
 *
 * Most words of records came shortly before: contexts, sites with their masks, constants of rays. The others are numbers of
 * which only some bytes repeat, or noise, which no compressor shrinks and all are slow with. So they are parted before they
 * are compressed. Behind the count n of the words, instead of their planes, stand
 *
 *   u32                  m, the count of new words
 *   u32[(n + 31) / 32]   bit i % 32 of number i / 32 says whether word i is new
 *   u8[n - m]            of each other word, in their order: the slot that it is in
 *   4 * m bytes          the new words, as planes: the lowest byte of each, then the next, and so on
 *
 * and with these the payload ends. There are WS_PACKED_SLOTS slots, which hold 0 at first. A new word goes to the slot that
 * ws_packed_slot tells, in place of what was there. For example, of the words 7, 7, 9, 7 the first goes to slot 83 and the
 * third to slot 143. So m is 2, the bits are 0101, that of word 0 last, the slots 83 and 83, and the new words 7 and 9. */
#ifndef WARPSCOPE_PACKED_H
#define WARPSCOPE_PACKED_H

#include <stdint.h>

#define WS_PACKED_SLOTS 256

static inline uint32_t ws_packed_slot(uint32_t word)
{
    return (word * 0x9e3779b1u) >> 24;
}

#endif
