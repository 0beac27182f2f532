// What probes yield: every kind of output. yields.h says what stands in memory. The front end of probes includes this
// before the text of the user, with the kind of lanes defined (lanes.glsl).
//
// A function takes the number of the output's first word, and its shape where it has one; the front end writes constants
// there. It may be called in any control flow. Helper lanes yield nothing. Lanes of a warp that yield the same are added
// by one of them, where that is found without a loop. Nothing here waits for another lane.
//
// Words are 32 bits, and amounts are two of them: the low word is added first, and what it returns tells the carry. Where
// lanes read what others write, all reads and writes are atomics: the qualifier `coherent` is not allowed under the
// Vulkan memory model, which some modules have (SPIR-V specification, Coherent).
//
// A function NAME_int64 needs 64-bit atomics. Where the device has none, the linker calls NAME_int32 instead. So it does
// with NAME_shuffle and NAME_ballot where the device has no shuffles of subgroups.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#include "warpscope/yields.h"
#include "yield_words.glsl"

layout(buffer_reference, buffer_reference_align = 8, std430) buffer WsWide
{
    uint64_t word[];
};

// Where the entry point begins, it is set to what `work` of a probe returns: the first word of WORK IDS (records.h); in
// compute, task and mesh stages the flat index of GlobalInvocationId in the launch.
uint ws_work_id;

bool ws_is_on(const uvec2 words)
{
    return COUNTS && (words.x | words.y) != 0;
}

// The address of word `at`.
uvec2 ws_address(const uvec2 words, const uint at)
{
    const uint low = words.x + 4 * at;
    return uvec2(low, words.y + (at >> 30) + (low < words.x ? 1 : 0));
}

// Adds to an amount of two words.
void ws_add_words(const uvec2 words, const uint at, const uint low, const uint high)
{
    const uint old = atomicAdd(WsWords(words).word[at], low);
    const uint carry = high + (old + low < old ? 1 : 0);
    if (carry != 0) {
        atomicAdd(WsWords(words).word[at + 1], carry);
    }
}

// The same for an even `at`, by one atomic where the device has such. All but the amounts of tables stand so.
void ws_add_wide_int64(const uvec2 words, const uint at, const uint low, const uint high)
{
    atomicAdd(WsWide(ws_address(words, at)).word[0], uint64_t(high) << 32 | uint64_t(low));
}

void ws_add_wide_int32(const uvec2 words, const uint at, const uint low, const uint high)
{
    ws_add_words(words, at, low, high);
}

uint ws_read(const uvec2 words, const uint at)
{
    return atomicOr(WsWords(words).word[at], 0);
}

// The lanes that are here and count.
uvec4 ws_lanes_here()
{
    return subgroupBallot(COUNTS);
}

// What the lowest active lane has. Not subgroupBroadcastFirst where that can be helped: lanes.glsl says why.
uint ws_lowest_shuffle(const uint value)
{
    return subgroupShuffle(value, subgroupBallotFindLSB(subgroupBallot(true)));
}

uint ws_lowest_ballot(const uint value)
{
    return subgroupBroadcastFirst(value);
}

uvec4 ws_lowest_shuffle(const uvec4 value)
{
    return subgroupShuffle(value, subgroupBallotFindLSB(subgroupBallot(true)));
}

uvec4 ws_lowest_ballot(const uvec4 value)
{
    return subgroupBroadcastFirst(value);
}

// What stands for the warp: the work id of the lowest lane that counts. A helper, which may have none beside it, has its own.
uint ws_warp()
{
    uint id = ws_work_id;
    if (COUNTS) {
        id = ws_lowest_shuffle(id);
    }
    return id;
}

// Adds 1 to the amount at `at`, for every lane that comes. The lanes with the same `at` as the lowest are added by that.
void ws_add_one(const uvec2 words, const uint at)
{
    if (ws_is_on(words)) {
        const bool is_same = at == ws_lowest_shuffle(at);
        const uvec4 same = subgroupBallot(is_same);
        if (!is_same || subgroupBallotExclusiveBitCount(same) == 0) {
            ws_add_wide_int64(words, at, is_same ? subgroupBallotBitCount(same) : 1, 0);
        }
    }
}

// The same where all lanes that come have the same `at`.
void ws_add_one_here(const uvec2 words, const uint at)
{
    if (ws_is_on(words)) {
        const uvec4 here = subgroupBallot(true);
        if (subgroupBallotExclusiveBitCount(here) == 0) {
            ws_add_wide_int64(words, at, subgroupBallotBitCount(here), 0);
        }
    }
}

// ---- count ----

void ws_yield_count(const uint at)
{
    ws_add_one_here(ws_yield_words, at);
}

// ---- lanes ----

// One more execution by a warp of which as many lanes are active as count here. The ballot stands before the branch, and one
// lane does one atomic, as in ws_count_warp (counters.glsl).
void ws_yield_lanes(const uint at)
{
    const uvec2 words = ws_yield_words;
    const uvec4 here = subgroupBallot(COUNTS);
    const bool is_lowest = subgroupBallotExclusiveBitCount(here) == 0;
    if (ws_is_on(words) && is_lowest) {
        atomicAdd(WsWords(words).word[at + WS_LANES_BIN(gl_SubgroupSize, subgroupBallotBitCount(here))], 1);
    }
}

// ---- sum ----

void ws_yield_sum(const uint at, const uint value)
{
    const uvec2 words = ws_yield_words;
    if (ws_is_on(words)) {
        ws_add_one_here(words, at + WS_SUM_COUNT);
        ws_add_wide_int64(words, at + WS_SUM_INTEGER, value, 0);
    }
}

void ws_yield_sum(const uint at, const int value)
{
    const uvec2 words = ws_yield_words;
    if (ws_is_on(words)) {
        ws_add_one_here(words, at + WS_SUM_COUNT);
        ws_add_wide_int64(words, at + WS_SUM_INTEGER, uint(value), uint(value >> 31));
    }
}

// From the bits of the value, so that no device may round it, or take a denormal for 0.
void ws_yield_sum(const uint at, const float value)
{
    const uvec2 words = ws_yield_words;
    if (ws_is_on(words)) {
        const uint bits = floatBitsToUint(value);
        const uint exponent = bits >> 23 & 0xff;
        const uint fraction = bits & 0x7fffff;
        ws_add_one_here(words, at + WS_SUM_COUNT);
        if (exponent == 0xff) {
            const uint infinity = bits >> 31 != 0 ? WS_SUM_MINUS : WS_SUM_INFINITIES;
            atomicAdd(WsWords(words).word[at + (fraction != 0 ? WS_SUM_NANS : infinity)], 1);
        } else if ((bits & 0x7fffffff) != 0) {
            const uint integer = exponent != 0 ? fraction | 0x800000 : fraction;
            const uint shift = max(exponent, 1) - 1;
            const uint limb = at + WS_SUM_LIMB + 2 * (shift >> 5);
            const uint low = integer << (shift & 31);
            const uint high = (shift & 31) != 0 ? integer >> (32 - (shift & 31)) : 0;
            const bool is_negative = bits >> 31 != 0;
            if (low != 0) {
                ws_add_wide_int64(words, limb, is_negative ? 0 - low : low, is_negative ? 0xffffffff : 0);
            }
            if (high != 0) {
                ws_add_wide_int64(words, limb + 2, is_negative ? 0 - high : high, is_negative ? 0xffffffff : 0);
            }
        }
    }
}

// ---- min, max ----

uint ws_image(const uint value)
{
    return value;
}

uint ws_image(const int value)
{
    return uint(value) ^ 0x80000000;
}

uint ws_image(const float value)
{
    const uint bits = floatBitsToUint(value);
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000;
}

bool ws_is_nan(const float value)
{
    return (floatBitsToUint(value) & 0x7fffffff) > 0x7f800000;
}

void ws_raise_int64(const uvec2 words, const uint at, const uint image)
{
    atomicMax(WsWide(ws_address(words, at)).word[0], uint64_t(image) << 32 | uint64_t(~ws_work_id));
}

void ws_raise_int32(const uvec2 words, const uint at, const uint image)
{
    atomicMax(WsWords(words).word[at + WS_EXTREME_IMAGE], image);
}

void ws_yield_extreme(const uint at, const uint image, const bool is_nan)
{
    const uvec2 words = ws_yield_words;
    if (ws_is_on(words)) {
        ws_add_one_here(words, at + WS_EXTREME_COUNT);
        if (is_nan) {
            atomicAdd(WsWords(words).word[at + WS_EXTREME_NANS], 1);
        } else {
            ws_raise_int64(words, at, image);
        }
    }
}

void ws_yield_max(const uint at, const uint value)
{
    ws_yield_extreme(at, ws_image(value), false);
}

void ws_yield_max(const uint at, const int value)
{
    ws_yield_extreme(at, ws_image(value), false);
}

void ws_yield_max(const uint at, const float value)
{
    ws_yield_extreme(at, ws_image(value), ws_is_nan(value));
}

void ws_yield_min(const uint at, const uint value)
{
    ws_yield_extreme(at, ~ws_image(value), false);
}

void ws_yield_min(const uint at, const int value)
{
    ws_yield_extreme(at, ~ws_image(value), false);
}

void ws_yield_min(const uint at, const float value)
{
    ws_yield_extreme(at, ~ws_image(value), ws_is_nan(value));
}

// ---- histogram linear ----

// `scale` is bins / (hi - lo) in 32-bit floats, which the host divides: a device may round a division otherwise.
void ws_yield_linear(const uint at, const uint bins, const float lo, const float hi, const float scale, const float value)
{
    uint place = WS_LINEAR_BIN + 2 * min(uint(max((value - lo) * scale, 0.0)), bins - 1);
    place = value < lo ? WS_LINEAR_BELOW : place;
    place = value >= hi ? WS_LINEAR_ABOVE(bins) : place;
    place = ws_is_nan(value) ? WS_LINEAR_NANS(bins) : place;
    ws_add_one(ws_yield_words, at + place);
}

// floor(distance * bins / range) of distance < range, where the product may need 49 bits.
uint ws_linear_bin(const uint distance, const uint bins, const uint range)
{
    uint bin = 0;
    if (range % bins == 0) {
        bin = distance / (range / bins);
    } else {
        uint high;
        uint low;
        umulExtended(distance, bins, high, low);
        for (uint i = 17; i-- > 0;) {
            const uint part_high = i != 0 ? range >> (32 - i) : 0;
            const uint part_low = range << i;
            if (high > part_high || (high == part_high && low >= part_low)) {
                high -= part_high + (low < part_low ? 1 : 0);
                low -= part_low;
                bin |= 1u << i;
            }
        }
    }
    return bin;
}

void ws_yield_linear(const uint at, const uint bins, const uint lo, const uint hi, const uint value)
{
    uint place = WS_LINEAR_BELOW;
    if (value >= hi) {
        place = WS_LINEAR_ABOVE(bins);
    } else if (value >= lo) {
        place = WS_LINEAR_BIN + 2 * ws_linear_bin(value - lo, bins, hi - lo);
    }
    ws_add_one(ws_yield_words, at + place);
}

void ws_yield_linear(const uint at, const uint bins, const int lo, const int hi, const int value)
{
    ws_yield_linear(at, bins, ws_image(lo), ws_image(hi), ws_image(value));
}

// ---- histogram log2 ----

void ws_yield_log2(const uint at, const uint value)
{
    const uint place = value == 0 ? WS_LOG2_ZERO : WS_LOG2_UINT_BIN + 2 * uint(findMSB(value));
    ws_add_one(ws_yield_words, at + place);
}

void ws_yield_log2(const uint at, const int value)
{
    uint place = WS_LOG2_BIN + 2 * uint(findMSB(value) - WS_LOG2_EXPONENT);
    place = value == 0 ? WS_LOG2_ZERO : place;
    place = value < 0 ? WS_LOG2_NEGATIVE : place;
    ws_add_one(ws_yield_words, at + place);
}

// From the bits: a denormal is below, and no zero.
void ws_yield_log2(const uint at, const float value)
{
    const uint bits = floatBitsToUint(value);
    const int exponent = int(bits >> 23 & 0xff) - 127;
    uint place = WS_LOG2_BIN + 2 * uint(clamp(exponent - WS_LOG2_EXPONENT, 0, WS_LOG2_BINS - 1));
    place = exponent < WS_LOG2_EXPONENT ? WS_LOG2_BELOW : place;
    place = exponent >= WS_LOG2_EXPONENT + WS_LOG2_BINS ? WS_LOG2_ABOVE : place;
    place = bits >> 31 != 0 ? WS_LOG2_NEGATIVE : place;
    place = (bits & 0x7fffffff) == 0 ? WS_LOG2_ZERO : place;
    place = ws_is_nan(value) ? WS_LOG2_NANS : place;
    ws_add_one(ws_yield_words, at + place);
}

// ---- values, table ----

uint ws_table_hash(const uvec4 keys)
{
    uint hash = keys.x * 0x9e3779b1;
    hash = (hash ^ hash >> 15 ^ keys.y) * 0x85ebca77;
    hash = (hash ^ hash >> 13 ^ keys.z) * 0xc2b2ae3d;
    hash = (hash ^ hash >> 16 ^ keys.w) * 0x27d4eb2f;
    return hash ^ hash >> 15;
}

// Whether a word of a slot is `wanted`, which is not 0. Sets it where it is 0. Each word is set once, and never again.
bool ws_table_claim(const uvec2 words, const uint at, const uint wanted)
{
    const uint found = atomicCompSwap(WsWords(words).word[at], 0, wanted);
    return found == 0 || found == wanted;
}

// Whether the slot is that of the keys; an empty slot becomes it. Word after word: lanes that agree on all words before go
// on to the next, and the first of them that is there decides that one. So a slot that has its first word gets all of them,
// from lanes that never wait for each other; no slot is taken in vain; and a key, which comes by its slots in one order
// always, is never in two.
bool ws_table_is_slot(const uvec2 words, const uint slot, const uint count, const uvec4 keys)
{
    const bvec4 is_last = equal(keys, uvec4(0xffffffff));
    const uvec4 stored = mix(keys + 1, uvec4(1), is_last);
    const uvec4 bits = mix(uvec4(0), uvec4(2, 4, 8, 16), is_last);
    bool is_mine = ws_table_claim(words, slot + WS_TABLE_CLAIM, 1 | bits.x | bits.y | bits.z | bits.w) &&
                   ws_table_claim(words, slot + WS_TABLE_KEY, stored.x);
    if (is_mine && count > 1) {
        is_mine = ws_table_claim(words, slot + WS_TABLE_KEY + 1, stored.y);
    }
    if (is_mine && count > 2) {
        is_mine = ws_table_claim(words, slot + WS_TABLE_KEY + 2, stored.z);
    }
    if (is_mine && count > 3) {
        is_mine = ws_table_claim(words, slot + WS_TABLE_KEY + 3, stored.w);
    }
    return is_mine;
}

// Adds to the slot with these keys, or to what is lost.
void ws_table_put(const uvec2 words, const uint at, const uint slots, const uint count, const uvec4 keys,
                  const uint amount)
{
    const uint hash = ws_table_hash(keys);
    const uint reach = min(slots, WS_TABLE_REACH);
    uint target = at + WS_TABLE_LOST;
    bool is_found = false;
    for (uint i = 0; i < reach && !is_found; i++) {
        const uint slot = at + WS_TABLE_SLOT + WS_TABLE_SLOT_WORDS(count) * (hash + i & slots - 1);
        is_found = ws_table_is_slot(words, slot, count, keys);
        target = is_found ? slot + WS_TABLE_AMOUNT(count) : target;
    }
    ws_add_words(words, target, amount, 0);
}

// Adds `amount` to the slot with the first `count` of the keys; the others are 0. The lanes with the keys and the amount
// of the lowest lane are added by that.
void ws_yield_table(const uint at, const uint slots, const uint count, const uvec4 keys, const uint amount)
{
    const uvec2 words = ws_yield_words;
    if (ws_is_on(words)) {
        const uvec4 first_keys = ws_lowest_shuffle(keys);
        const uint first_amount = ws_lowest_shuffle(amount);
        const bool is_same = keys == first_keys && amount == first_amount && amount < 0x1000000;
        const uvec4 same = subgroupBallot(is_same);
        if (!is_same) {
            ws_table_put(words, at, slots, count, keys, amount);
        } else if (subgroupBallotExclusiveBitCount(same) == 0) {
            ws_table_put(words, at, slots, count, keys, amount * subgroupBallotBitCount(same));
        }
    }
}

// ---- sample ----

#define WS_NO_SAMPLE 0xffffffff

// Takes room for one sample. Returns the number of the word where its fields are to be written (ws_yield_field), or
// WS_NO_SAMPLE. Once all are taken, only those that came are counted, by one lane of each warp. The carry comes after the low
// word began anew: other warps see that no room is left by WS_SAMPLE_FULL, which was set 2^31 before.
uint ws_yield_sample(const uint at, const uint samples, const uint fields)
{
    const uvec2 words = ws_yield_words;
    uint place = WS_NO_SAMPLE;
    if (ws_is_on(words)) {
        const uvec4 here = subgroupBallot(true);
        const uint before = subgroupBallotExclusiveBitCount(here);
        const uint lanes = subgroupBallotBitCount(here);
        uint first = samples;
        if (before == 0) {
            const uint old = atomicAdd(WsWords(words).word[at + WS_SAMPLE_ASKED], lanes);
            const uint next = old + lanes;
            if (next < old) {
                atomicAdd(WsWords(words).word[at + WS_SAMPLE_ASKED + 1], 1);
            } else if (old < 0x80000000 && next >= 0x80000000) {
                atomicOr(WsWords(words).word[at + WS_SAMPLE_ASKED + 1], WS_SAMPLE_FULL);
            } else if (old < samples && ws_read(words, at + WS_SAMPLE_ASKED + 1) == 0) {
                first = old;
            }
        }
        first = ws_lowest_shuffle(first);
        if (first < samples && before < samples - first) {
            place = at + WS_SAMPLE_FIRST + fields * (first + before);
        }
    }
    return place;
}

void ws_yield_field(const uint place, const uint field, const uint value)
{
    if (place != WS_NO_SAMPLE) {
        WsWords(ws_yield_words).word[place + field] = value;
    }
}
