/* What probes (probe.h) yield: the layout of each output in 32-bit words, which shaders and the host share. C and GLSL
 * both include this file, so it holds only #defines and what is inside `#ifndef WS_GLSL`.
 *
 * YIELD WORDS. A slot (root.h) has yield words beside its counter rows. They are zero while no launch runs, and are
 * read and zeroed after each launch, as rows are. Words are numbered within a module, over all its entry points. A slot
 * has memory only for the words that its entry point reaches: first to first + count - 1, both even (struct
 * ws_entry_info, yield_first, yield_count). The root block's yields[slot] is the address of that memory minus
 * 4 * first (modulo 2^64), 0 = nothing is yielded. The memory is 8-byte aligned.
 *
 * AREAS. The outputs of a probe stand one after the other, in the order of its declaration, each at an even offset. The
 * outputs `per site` have one area for each site, those `per shader` one area for each shader. ws_probe_layout (probe.h)
 * gives the offsets. Word `offset` of an area that begins at word `at` is word at + offset (modulo 2^32: a site has
 * words only for the outputs that its function uses, so that `at` itself may lie before them).
 *
 * OUTPUTS. All words zero means that nothing was yielded. A count is 64 bits: two words, the low one first; so are all
 * amounts. Where a number has two words below, "(2)" stands behind it.
 *
 *   count      count (2)
 *
 *   sum of int or uint
 *              count (2), sum (2) modulo 2^64, two's complement
 *
 *   sum of float
 *              count (2), NaNs (1), +infinities (1), -infinities (1), 0 (3 words),
 *              limbs[WS_SUM_LIMBS] (2 each, signed).
 *              The sum of all finite values is exact: the sum over i of limbs[i] * 2^(32 i - 149). A value is
 *              m * 2^(s - 149) with an integer m of 24 bits; limb s / 32 gets the low 32 bits of m * 2^(s % 32), the
 *              next one the rest; both negative for a negative value. So the order of adding does not matter. A
 *              limb holds 2^31 values of one sign in one launch at least; beyond that the sum is not defined. The
 *              count is that of all values; that of NaNs and infinities wraps at 2^32.
 *
 *   min, max   key (2), count (2), NaNs (1), 0 (1).
 *              The high word of the key is the image of the value: an unsigned integer in the order of the values. Of
 *              uint it is the value; of int value ^ 0x80000000; of float its bits, all inverted where it is negative,
 *              else the sign inverted. For min all bits of the image are inverted. The key is the largest of all, so
 *              the low word, ~work id, is that of the smallest work id that had this value (records.h, WORK IDS; 0 =
 *              not known: the device has no 64-bit atomics). NaNs are in the count, and in nothing else: where all
 *              values of float are NaNs, the image stays 0, which no other value has. NaNs wrap at 2^32.
 *
 *   histogram linear
 *              below (2), bins[N] (2 each), above (2), NaNs (2). Bin i has the values of lo + i * (hi - lo) / N up to
 *              the next bin's; `above` begins with hi. The bin of float values is found in 32-bit floats:
 *              min(uint((value - lo) * (N / (hi - lo))), N - 1).
 *
 *   histogram log2 of uint
 *              zero (2), bins[32] (2 each), 0 (2). Bin i has the values of 2^i up to 2^(i+1) - 1.
 *
 *   histogram log2 of int or float
 *              zero (2), negative (2), NaNs (2), below (2), bins[128] (2 each), above (2), 0 (2). Bin i has the values
 *              of 2^(i - 64) up to 2^(i - 63). Negative values, -infinity too, are in `negative` alone; -0 is zero;
 *              +infinity is above.
 *
 *   values, table
 *              lost (2), then slots[S], each: claim (1), keys (1 each), amount (2). S is a power of two >= capacity.
 *              A slot is empty while its claim is 0. Else bit 0 of the claim is set, and bit 1 + i where key i is
 *              0xffffffff. Key i stands there as key + 1, or as 1 where that bit is set: so no word of a slot in use
 *              is 0. Keys of slots differ, and a key is in one slot at most. It is in one of the first
 *              WS_TABLE_REACH slots behind its hash; what found no room in these is in `lost` with its amount.
 *              `values` has one key, the bits of the value.
 *
 *   sample N   asked (2), then N samples of one word for each field: those of the first min(asked, N) that came. A
 *              sample is whole. The highest bit of asked is no part of the number: it is set where the low word comes
 *              to 2^31, long before that begins anew with 0, so that nothing takes the room of a sample again.
 *
 *   record     no words: data records (records.h), with one word for each field.
 *
 *   lanes      bins[256] (1 each, modulo 2^32, as counter rows (root.h) are). Bin S + n - 1 has the executions by warps of
 *              S lanes, a power of two, of which n were active, from 1 to S. For example, warps of 8 use the bins 8
 *              to 15. Bin 0 is 0.
 *
 * Words of fields and keys are bits: of a float as they are, of a bool 0 or 1. */
#ifndef WARPSCOPE_YIELDS_H
#define WARPSCOPE_YIELDS_H

/* Kinds of outputs. Numbers stay: probes hold them, and captures hold probes. */
#define WS_YIELD_COUNT            0
#define WS_YIELD_SUM              1
#define WS_YIELD_MIN              2
#define WS_YIELD_MAX              3
#define WS_YIELD_HISTOGRAM_LINEAR 4
#define WS_YIELD_HISTOGRAM_LOG2   5
#define WS_YIELD_VALUES           6
#define WS_YIELD_TABLE            7
#define WS_YIELD_RECORD           8
#define WS_YIELD_SAMPLE           9
#define WS_YIELD_LANES            10
#define WS_YIELD_KIND_COUNT       11

/* What a value, a key or a field is: always 32 bits. */
#define WS_YIELD_UINT       0
#define WS_YIELD_INT        1
#define WS_YIELD_FLOAT      2
#define WS_YIELD_BOOL       3 /* fields and keys only */
#define WS_YIELD_TYPE_COUNT 4

/* Words within an output. */
#define WS_COUNT_WORDS 2

#define WS_SUM_COUNT       0
#define WS_SUM_INTEGER     2
#define WS_SUM_WORDS       4 /* of int and uint */
#define WS_SUM_NANS        2
#define WS_SUM_INFINITIES  3
#define WS_SUM_MINUS       4 /* -infinities */
#define WS_SUM_LIMB        8
#define WS_SUM_LIMBS       9
#define WS_SUM_FLOAT_WORDS (WS_SUM_LIMB + 2 * WS_SUM_LIMBS)

#define WS_EXTREME_WORK  0
#define WS_EXTREME_IMAGE 1
#define WS_EXTREME_COUNT 2
#define WS_EXTREME_NANS  4
#define WS_EXTREME_WORDS 6

#define WS_LINEAR_BELOW       0
#define WS_LINEAR_BIN         2 /* the first; bin i is 2 * i behind it */
#define WS_LINEAR_ABOVE(bins) (2 + 2 * (bins))
#define WS_LINEAR_NANS(bins)  (4 + 2 * (bins))
#define WS_LINEAR_WORDS(bins) (6 + 2 * (bins))

#define WS_LOG2_ZERO       0 /* of both */
#define WS_LOG2_UINT_BIN   2
#define WS_LOG2_UINT_BINS  32
#define WS_LOG2_UINT_WORDS 68
#define WS_LOG2_NEGATIVE   2 /* of int and float, as all that follow */
#define WS_LOG2_NANS       4
#define WS_LOG2_BELOW      6
#define WS_LOG2_BIN        8
#define WS_LOG2_BINS       128
#define WS_LOG2_EXPONENT   (-64) /* of the first bin */
#define WS_LOG2_ABOVE      264
#define WS_LOG2_WORDS      268

#define WS_TABLE_LOST               0
#define WS_TABLE_SLOT               2 /* the first */
#define WS_TABLE_CLAIM              0 /* within a slot */
#define WS_TABLE_KEY                1
#define WS_TABLE_AMOUNT(keys)       (1 + (keys))
#define WS_TABLE_SLOT_WORDS(keys)   (3 + (keys))
#define WS_TABLE_WORDS(slots, keys) (WS_TABLE_SLOT + WS_TABLE_SLOT_WORDS(keys) * (slots))
#define WS_TABLE_REACH              64

#define WS_SAMPLE_ASKED                  0
#define WS_SAMPLE_FIRST                  2
#define WS_SAMPLE_FULL                   0x80000000 /* of the high word of asked */
#define WS_SAMPLE_WORDS(samples, fields) (WS_SAMPLE_FIRST + (samples) * (fields))

#define WS_LANES_BIN(size, active) ((size) + (active)-1)
#define WS_LANES_MOST              128 /* lanes of a warp */
#define WS_LANES_WORDS             (2 * WS_LANES_MOST)

/* Limits of what a probe may declare. */
#define WS_YIELD_KEYS_MAX     4
#define WS_YIELD_FIELDS_MAX   16
#define WS_YIELD_BINS_MAX     65536
#define WS_YIELD_CAPACITY_MAX 0x100000u /* keys of a table */
#define WS_YIELD_SAMPLES_MAX  0x100000u
#define WS_YIELD_WORDS_MAX    0x2000000u /* of a module: 128 MiB */

#ifndef WS_GLSL
#include <stdbool.h>
#include <stdint.h>

/* One output of a probe. */
struct ws_yield_shape {
    uint32_t kind;        /* WS_YIELD_COUNT .. */
    uint32_t type;        /* WS_YIELD_UINT ..: what sum, min, max, histogram and values take; else 0 */
    uint32_t size;        /* linear: bins; values, table: capacity in keys; sample: samples; else 0 */
    uint32_t field_count; /* table: keys; record, sample: fields; values: 1; else 0 */
};

/* S of a table: the smallest power of two that is at least the capacity. */
static inline uint32_t ws_yield_slots(uint32_t capacity)
{
    uint32_t slots = 1;
    while (slots < capacity && slots < 0x80000000u)
        slots *= 2;
    return slots;
}

/* The capacity of `values N`, and of a table for N entries: four times as many, at least WS_TABLE_REACH. Where
 * no more than a quarter of the slots are in use, a key finds room in the first few behind its hash. `shown` is
 * at most WS_YIELD_CAPACITY_MAX. */
static inline uint32_t ws_yield_values_capacity(uint32_t shown)
{
    return shown < 16 ? 64 : 4 * shown;
}

/* Whether the shape is one that the limits above allow. */
static inline bool ws_yield_is_valid(const struct ws_yield_shape *shape)
{
    const bool is_number = shape->type <= WS_YIELD_FLOAT;
    const bool has_fields = shape->field_count >= 1 && shape->field_count <= WS_YIELD_FIELDS_MAX;
    switch (shape->kind) {
    case WS_YIELD_COUNT:
    case WS_YIELD_LANES: return true;
    case WS_YIELD_SUM:
    case WS_YIELD_MIN:
    case WS_YIELD_MAX:
    case WS_YIELD_HISTOGRAM_LOG2: return is_number;
    case WS_YIELD_HISTOGRAM_LINEAR: return is_number && shape->size >= 1 && shape->size <= WS_YIELD_BINS_MAX;
    case WS_YIELD_VALUES:
        return is_number && shape->field_count == 1 && shape->size >= 1 &&
               shape->size <= WS_YIELD_CAPACITY_MAX;
    case WS_YIELD_TABLE:
        return shape->field_count >= 1 && shape->field_count <= WS_YIELD_KEYS_MAX && shape->size >= 1 &&
               shape->size <= WS_YIELD_CAPACITY_MAX;
    case WS_YIELD_RECORD: return has_fields;
    case WS_YIELD_SAMPLE: return has_fields && shape->size >= 1 && shape->size <= WS_YIELD_SAMPLES_MAX;
    default: return false;
    }
}

/* How many words an output of a valid shape has. Always even. */
static inline uint32_t ws_yield_width(const struct ws_yield_shape *shape)
{
    uint32_t words = 0;
    switch (shape->kind) {
    case WS_YIELD_COUNT: words = WS_COUNT_WORDS; break;
    case WS_YIELD_SUM: words = shape->type == WS_YIELD_FLOAT ? WS_SUM_FLOAT_WORDS : WS_SUM_WORDS; break;
    case WS_YIELD_MIN:
    case WS_YIELD_MAX: words = WS_EXTREME_WORDS; break;
    case WS_YIELD_HISTOGRAM_LINEAR: words = WS_LINEAR_WORDS(shape->size); break;
    case WS_YIELD_HISTOGRAM_LOG2:
        words = shape->type == WS_YIELD_UINT ? WS_LOG2_UINT_WORDS : WS_LOG2_WORDS;
        break;
    case WS_YIELD_VALUES:
    case WS_YIELD_TABLE: words = WS_TABLE_WORDS(ws_yield_slots(shape->size), shape->field_count); break;
    case WS_YIELD_SAMPLE: words = WS_SAMPLE_WORDS(shape->size, shape->field_count); break;
    case WS_YIELD_LANES: words = WS_LANES_WORDS; break;
    default: break;
    }
    return words + words % 2;
}
#endif

#endif
