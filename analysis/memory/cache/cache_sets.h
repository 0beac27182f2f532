/* Which set of a cache a line belongs to.
 *
 * LINE = address / bytes of a line, below 2^60.
 * MODULO: set = line mod sets. The number of sets need not be a power of two: 6 MB of 32-byte lines in 16 ways are 12288.
 * HASH: set = (line mod sets + mix(line div sets)) mod sets, where mix is the finaliser of SplitMix64 (Steele, Lea and
 * Flood, OOPSLA 2014). Neighbouring lines keep different sets, but lines that are a multiple of the sets apart do not meet
 * in one set. Devices have such functions and do not publish them, so this one is an assumption. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_CACHE_SETS_H
#define WS_ANALYSIS_MEMORY_CACHE_CACHE_SETS_H

#include <stdint.h>

enum ws_cache_index {
    WS_CACHE_MODULO,
    WS_CACHE_HASH,
};

struct ws_cache_sets {
    uint32_t count;      /* at least 1 */
    uint64_t reciprocal; /* (2^64 - 1) / count */
    enum ws_cache_index index;
};

static inline struct ws_cache_sets ws_cache_sets_of(uint32_t count, enum ws_cache_index index)
{
    return (struct ws_cache_sets){count, UINT64_MAX / count, index};
}

static inline uint64_t ws_cache_mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

/* value mod count and value div count, without a division: the quotient by the reciprocal is too small by 2 at most. */
static inline uint32_t ws_cache_divide(const struct ws_cache_sets *sets, uint64_t value, uint64_t *quotient)
{
    __extension__ typedef unsigned __int128 wide;
    *quotient = (uint64_t)((wide)value * sets->reciprocal >> 64);
    uint64_t rest = value - *quotient * sets->count;
    while (rest >= sets->count) {
        rest -= sets->count;
        ++*quotient;
    }
    return (uint32_t)rest;
}

/* The set of a line, and its BLOCK = line div sets: both together are the line. */
static inline uint32_t ws_cache_place(const struct ws_cache_sets *sets, uint64_t line, uint64_t *block)
{
    uint64_t unused;
    *block = line;
    if (sets->count == 1)
        return 0;
    const uint32_t set = ws_cache_divide(sets, line, block);
    if (sets->index == WS_CACHE_MODULO)
        return set;
    const uint64_t moved = (uint64_t)set + ws_cache_divide(sets, ws_cache_mix(*block), &unused);
    return (uint32_t)(moved >= sets->count ? moved - sets->count : moved);
}

static inline uint32_t ws_cache_set(const struct ws_cache_sets *sets, uint64_t line)
{
    uint64_t unused;
    return ws_cache_place(sets, line, &unused);
}

#endif
