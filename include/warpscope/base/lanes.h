/* Sets of lanes of one warp. */
#ifndef WARPSCOPE_BASE_LANES_H
#define WARPSCOPE_BASE_LANES_H

#include <stdbool.h>
#include <stdint.h>

/* Lanes of a warp: bit l is lane l, of which 0 to 63 are in low. */
struct ws_lanes {
    uint64_t low;
    uint64_t high;
};

/* Lanes 0 to count - 1; count is at most 128. */
static inline struct ws_lanes ws_lanes_first(uint32_t count)
{
    return (struct ws_lanes){
        count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1,
        count >= 128  ? UINT64_MAX
        : count <= 64 ? 0
                      : ((uint64_t)1 << (count - 64)) - 1,
    };
}

static inline struct ws_lanes ws_lanes_one(uint32_t lane)
{
    return (struct ws_lanes){lane < 64 ? (uint64_t)1 << lane : 0, lane < 64 ? 0 : (uint64_t)1 << (lane - 64)};
}

static inline struct ws_lanes ws_lanes_and(struct ws_lanes a, struct ws_lanes b)
{
    return (struct ws_lanes){a.low & b.low, a.high & b.high};
}

static inline struct ws_lanes ws_lanes_or(struct ws_lanes a, struct ws_lanes b)
{
    return (struct ws_lanes){a.low | b.low, a.high | b.high};
}

/* Those of `a` that are not in `b`. */
static inline struct ws_lanes ws_lanes_without(struct ws_lanes a, struct ws_lanes b)
{
    return (struct ws_lanes){a.low & ~b.low, a.high & ~b.high};
}

static inline bool ws_lanes_any(struct ws_lanes lanes)
{
    return (lanes.low | lanes.high) != 0;
}

static inline bool ws_lanes_equal(struct ws_lanes a, struct ws_lanes b)
{
    return a.low == b.low && a.high == b.high;
}

static inline bool ws_lanes_has(struct ws_lanes lanes, uint32_t lane)
{
    return ((lane < 64 ? lanes.low >> lane : lanes.high >> (lane - 64)) & 1) != 0;
}

/* Sums of 2, 4, then 8 bits, and their sum by a product. Compilers know it, and make one instruction of it where the
 * processor has one for certain; their own builtin is a call elsewhere. */
static inline uint32_t ws_lanes_count_word(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

static inline uint32_t ws_lanes_count(struct ws_lanes lanes)
{
    return ws_lanes_count_word(lanes.low) + (lanes.high != 0 ? ws_lanes_count_word(lanes.high) : 0);
}

/* The lowest lane of a set that is not empty. */
static inline uint32_t ws_lanes_lowest(struct ws_lanes lanes)
{
    return lanes.low != 0 ? (uint32_t)__builtin_ctzll(lanes.low) : 64 + (uint32_t)__builtin_ctzll(lanes.high);
}

/* Takes the lowest lane out of a set that is not empty, and returns it. */
static inline uint32_t ws_lanes_take(struct ws_lanes *lanes)
{
    const uint32_t lane = ws_lanes_lowest(*lanes);
    if (lanes->low != 0)
        lanes->low &= lanes->low - 1;
    else
        lanes->high &= lanes->high - 1;
    return lane;
}

#endif
