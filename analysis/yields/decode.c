#include "analysis/yields/decode.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two words, the low one first. */
static uint64_t wide(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

/* A sum of counts, which stays at the largest number rather than to wrap. */
static uint64_t sum(uint64_t left, uint64_t right)
{
    return left > UINT64_MAX - right ? UINT64_MAX : left + right;
}

/* Adds limbs, and carries, so that further limbs can be added without overflow: a limb of the device is below 2^63, one of
 * ours below 2^32. */
static void add_limbs(uint64_t *to, const uint64_t *from)
{
    int64_t carry = 0;
    for (int i = 0; i < WS_SUM_LIMBS; ++i) {
        /* In two parts, as the sum of three may not fit. */
        const int64_t low = (int64_t)(to[i] & UINT32_MAX) + (int64_t)(from[i] & UINT32_MAX) +
                            (int64_t)((uint64_t)carry & UINT32_MAX);
        const int64_t high = ((int64_t)to[i] >> 32) + ((int64_t)from[i] >> 32) + (carry >> 32) + (low >> 32);
        if (i == WS_SUM_LIMBS - 1) {
            to[i] = (uint64_t)high << 32 | (uint64_t)(low & UINT32_MAX);
        } else {
            to[i] = (uint64_t)(low & UINT32_MAX);
            carry = high;
        }
    }
}

/* Whether a key is larger, or as large and of an earlier launch or shader. */
static bool is_before(const struct ws_yield_sums *a, const struct ws_yield_sums *b)
{
    if (a->image != b->image)
        return a->image > b->image;
    if (a->work != b->work)
        return a->work > b->work;
    return a->launch != b->launch ? a->launch < b->launch : a->shader < b->shader;
}

bool ws_yield_sums_add(void *pointer, const void *more)
{
    struct ws_yield_sums *to = pointer;
    const struct ws_yield_sums *from = more;
    to->count = sum(to->count, from->count);
    to->integer += from->integer;
    add_limbs(to->limbs, from->limbs);
    to->nans = sum(to->nans, from->nans);
    to->infinities = sum(to->infinities, from->infinities);
    to->minus = sum(to->minus, from->minus);
    to->lost = sum(to->lost, from->lost);
    to->active = sum(to->active, from->active);
    to->slots = sum(to->slots, from->slots);
    if (from->has_extreme && (!to->has_extreme || is_before(from, to))) {
        to->has_extreme = 1;
        to->image = from->image;
        to->work = from->work;
        to->launch = from->launch;
        to->shader = from->shader;
    }
    return true;
}

static void decode_sum(const struct ws_yield_shape *shape, const uint32_t *words, struct ws_yield_sums *sums)
{
    sums->count = wide(words + WS_SUM_COUNT);
    if (shape->type != WS_YIELD_FLOAT) {
        sums->integer = wide(words + WS_SUM_INTEGER);
        return;
    }
    uint64_t limbs[WS_SUM_LIMBS];
    for (int i = 0; i < WS_SUM_LIMBS; ++i)
        limbs[i] = wide(words + WS_SUM_LIMB + 2 * i);
    add_limbs(sums->limbs, limbs);
    sums->nans = words[WS_SUM_NANS];
    sums->infinities = words[WS_SUM_INFINITIES];
    sums->minus = words[WS_SUM_MINUS];
}

/* The number of NaNs wraps at 2^32; but the image 0, of min and max, is that of a NaN. */
static void decode_extreme(const struct ws_yield_shape *shape, const uint32_t *words,
                           struct ws_yield_sums *sums)
{
    sums->count = wide(words + WS_EXTREME_COUNT);
    sums->nans = words[WS_EXTREME_NANS];
    sums->has_extreme = shape->type == WS_YIELD_FLOAT ? words[WS_EXTREME_IMAGE] != 0 : sums->count > 0;
    if (sums->has_extreme) {
        sums->image = words[WS_EXTREME_IMAGE];
        sums->work = words[WS_EXTREME_WORK];
    }
}

static void decode_histogram(const struct ws_yield_shape *shape, const uint32_t *words,
                             struct ws_yield_sums *sums)
{
    const uint32_t bins = ws_yield_bin_count(shape);
    for (uint32_t i = 0; i < bins; ++i)
        sums->count = sum(sums->count, ws_yield_bin(shape, words, i));
    if (shape->kind == WS_YIELD_HISTOGRAM_LINEAR)
        sums->nans = wide(words + WS_LINEAR_NANS(shape->size));
    else if (shape->type != WS_YIELD_UINT)
        sums->nans = wide(words + WS_LOG2_NANS);
}

static void decode_table(const struct ws_yield_shape *shape, const uint32_t *words,
                         struct ws_yield_sums *sums)
{
    uint32_t keys[WS_YIELD_KEYS_MAX];
    sums->lost = wide(words + WS_TABLE_LOST);
    sums->count = sums->lost;
    for (uint32_t i = 0; i < ws_yield_slots(shape->size); ++i)
        sums->count = sum(sums->count, ws_yield_slot(shape, words, i, keys));
}

static void decode_lanes(const uint32_t *words, struct ws_yield_sums *sums)
{
    for (uint32_t size = 1; size <= WS_LANES_MOST; size *= 2)
        for (uint32_t active = 1; active <= size; ++active) {
            const uint64_t count = words[WS_LANES_BIN(size, active)];
            sums->count += count;
            sums->active += count * active;
            sums->slots += count * size;
        }
}

static uint64_t samples_asked(const uint32_t *words)
{
    return wide(words + WS_SAMPLE_ASKED) & ~((uint64_t)WS_SAMPLE_FULL << 32);
}

void ws_yield_decode(const struct ws_yield_shape *shape, const uint32_t *words, struct ws_yield_sums *sums)
{
    memset(sums, 0, sizeof(*sums));
    switch (shape->kind) {
    case WS_YIELD_COUNT: sums->count = wide(words); break;
    case WS_YIELD_SUM: decode_sum(shape, words, sums); break;
    case WS_YIELD_MIN:
    case WS_YIELD_MAX: decode_extreme(shape, words, sums); break;
    case WS_YIELD_HISTOGRAM_LINEAR:
    case WS_YIELD_HISTOGRAM_LOG2: decode_histogram(shape, words, sums); break;
    case WS_YIELD_VALUES:
    case WS_YIELD_TABLE: decode_table(shape, words, sums); break;
    case WS_YIELD_SAMPLE: sums->count = samples_asked(words); break;
    case WS_YIELD_LANES: decode_lanes(words, sums); break;
    default: break;
    }
}

/* The magnitude of a sum: 32-bit words, the lowest first, in units of 2^-149. */
enum { MAGNITUDE_WORDS = WS_SUM_LIMBS + 1 };

/* Whether the sum is negative. */
static bool take_magnitude(const struct ws_yield_sums *sums, uint32_t words[MAGNITUDE_WORDS])
{
    for (int i = 0; i < WS_SUM_LIMBS; ++i)
        words[i] = (uint32_t)sums->limbs[i];
    words[WS_SUM_LIMBS] = (uint32_t)(sums->limbs[WS_SUM_LIMBS - 1] >> 32);
    const bool negative = (int64_t)sums->limbs[WS_SUM_LIMBS - 1] < 0;
    uint64_t carry = 1;
    for (int i = 0; negative && i < MAGNITUDE_WORDS; ++i) {
        carry += (uint32_t)~words[i];
        words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return negative;
}

static uint32_t bit_at(const uint32_t *words, int bit)
{
    return bit >= 0 ? words[bit / 32] >> bit % 32 & 1 : 0;
}

double ws_yield_float_sum(const struct ws_yield_sums *sums)
{
    if (sums->nans > 0 || (sums->infinities > 0 && sums->minus > 0))
        return NAN;
    if (sums->infinities > 0 || sums->minus > 0)
        return sums->infinities > 0 ? INFINITY : -INFINITY;
    uint32_t words[MAGNITUDE_WORDS];
    const bool negative = take_magnitude(sums, words);
    int highest = 32 * MAGNITUDE_WORDS - 1;
    while (highest >= 0 && bit_at(words, highest) == 0)
        --highest;
    /* 53 bits from the highest on; the next bit and whether any is set behind it decide how to round. All is far from the
     * ends of a double's range. */
    uint64_t mantissa = 0;
    for (int i = 0; i < 53; ++i)
        mantissa = mantissa << 1 | bit_at(words, highest - i);
    bool beyond = false;
    for (int i = 0; i < highest - 53; ++i)
        beyond = beyond || bit_at(words, i) != 0;
    if (bit_at(words, highest - 53) != 0 && (beyond || (mantissa & 1) != 0))
        ++mantissa;
    const double value = highest >= 0 ? ldexp((double)mantissa, highest - 52 - 149) : 0;
    return negative ? -value : value;
}

uint32_t ws_yield_extreme(const struct ws_yield_shape *shape, const struct ws_yield_sums *sums)
{
    const uint32_t image = shape->kind == WS_YIELD_MIN ? ~(uint32_t)sums->image : (uint32_t)sums->image;
    if (shape->type == WS_YIELD_UINT)
        return image;
    if (shape->type == WS_YIELD_INT)
        return image ^ 0x80000000u;
    return (image & 0x80000000u) != 0 ? image ^ 0x80000000u : ~image;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

double ws_yield_number(uint32_t type, uint32_t bits)
{
    switch (type) {
    case WS_YIELD_INT: return (int32_t)bits;
    case WS_YIELD_FLOAT: return (double)float_of(bits);
    case WS_YIELD_BOOL: return bits != 0;
    default: return bits;
    }
}

const char *ws_yield_text(uint32_t type, uint32_t bits, char text[WS_YIELD_TEXT_SIZE])
{
    const float value = float_of(bits);
    if (type == WS_YIELD_BOOL)
        snprintf(text, WS_YIELD_TEXT_SIZE, "%s", bits != 0 ? "true" : "false");
    else if (type == WS_YIELD_INT)
        snprintf(text, WS_YIELD_TEXT_SIZE, "%" PRId32, (int32_t)bits);
    else if (type != WS_YIELD_FLOAT)
        snprintf(text, WS_YIELD_TEXT_SIZE, "%" PRIu32, bits);
    else if (isnan(value))
        snprintf(text, WS_YIELD_TEXT_SIZE, "nan");
    else
        for (int digits = 1; digits <= 9; ++digits) {
            snprintf(text, WS_YIELD_TEXT_SIZE, "%.*g", digits, (double)value);
            if (strtof(text, NULL) == value)
                break;
        }
    return text;
}

/* In the words of a log2 histogram of int or float, and in the order of the values: bins of ours. */
enum {
    SIGNED_NEGATIVE,
    SIGNED_ZERO,
    SIGNED_BELOW,
    SIGNED_BIN,
    SIGNED_ABOVE = SIGNED_BIN + WS_LOG2_BINS,
    SIGNED_NANS,
    SIGNED_BINS
};

uint32_t ws_yield_bin_count(const struct ws_yield_shape *shape)
{
    if (shape->kind == WS_YIELD_HISTOGRAM_LINEAR)
        return shape->size + 3;
    if (shape->kind == WS_YIELD_HISTOGRAM_LOG2)
        return shape->type == WS_YIELD_UINT ? 1 + WS_LOG2_UINT_BINS : SIGNED_BINS;
    if (shape->kind == WS_YIELD_LANES)
        return WS_LANES_MOST;
    return 0;
}

static uint32_t signed_word(uint32_t bin)
{
    switch (bin) {
    case SIGNED_NEGATIVE: return WS_LOG2_NEGATIVE;
    case SIGNED_ZERO: return WS_LOG2_ZERO;
    case SIGNED_BELOW: return WS_LOG2_BELOW;
    case SIGNED_ABOVE: return WS_LOG2_ABOVE;
    case SIGNED_NANS: return WS_LOG2_NANS;
    default: return WS_LOG2_BIN + 2 * (bin - SIGNED_BIN);
    }
}

/* By warps of all sizes. */
static uint64_t lanes_bin(const uint32_t *words, uint32_t active)
{
    uint64_t count = 0;
    for (uint32_t size = 1; size <= WS_LANES_MOST; size *= 2)
        count += active <= size ? words[WS_LANES_BIN(size, active)] : 0;
    return count;
}

uint64_t ws_yield_bin(const struct ws_yield_shape *shape, const uint32_t *words, uint32_t bin)
{
    if (shape->kind == WS_YIELD_LANES)
        return lanes_bin(words, bin + 1);
    /* Of the other two the words stand in the order of ours. */
    if (shape->kind == WS_YIELD_HISTOGRAM_LOG2 && shape->type != WS_YIELD_UINT)
        return wide(words + signed_word(bin));
    return wide(words + 2 * bin);
}

static struct ws_yield_bin_range linear_range(const struct ws_probe_output *output, uint32_t bin)
{
    const uint32_t bins = output->shape.size;
    const double low = ws_yield_number(output->shape.type, output->limits[0]);
    const double high = ws_yield_number(output->shape.type, output->limits[1]);
    if (bin == 0)
        return (struct ws_yield_bin_range){"below", -INFINITY, low};
    if (bin == bins + 1)
        return (struct ws_yield_bin_range){"above", high, INFINITY};
    if (bin == bins + 2)
        return (struct ws_yield_bin_range){"NaN", NAN, NAN};
    return (struct ws_yield_bin_range){NULL, low + (bin - 1) * (high - low) / bins,
                                       low + bin * (high - low) / bins};
}

struct ws_yield_bin_range ws_yield_bin_range(const struct ws_probe_output *output, uint32_t bin)
{
    if (output->shape.kind == WS_YIELD_HISTOGRAM_LINEAR)
        return linear_range(output, bin);
    if (output->shape.kind == WS_YIELD_LANES)
        return (struct ws_yield_bin_range){NULL, bin + 1, bin + 2};
    if (output->shape.type == WS_YIELD_UINT)
        return bin == 0 ? (struct ws_yield_bin_range){"zero", 0, 1}
                        : (struct ws_yield_bin_range){NULL, ldexp(1, (int)bin - 1), ldexp(1, (int)bin)};
    switch (bin) {
    case SIGNED_NEGATIVE: return (struct ws_yield_bin_range){"negative", -INFINITY, 0};
    case SIGNED_ZERO: return (struct ws_yield_bin_range){"zero", 0, 0};
    case SIGNED_BELOW: return (struct ws_yield_bin_range){"below", 0, ldexp(1, WS_LOG2_EXPONENT)};
    case SIGNED_ABOVE:
        return (struct ws_yield_bin_range){"above", ldexp(1, WS_LOG2_EXPONENT + WS_LOG2_BINS), INFINITY};
    case SIGNED_NANS: return (struct ws_yield_bin_range){"NaN", NAN, NAN};
    default: break;
    }
    const int exponent = (int)bin - SIGNED_BIN + WS_LOG2_EXPONENT;
    return (struct ws_yield_bin_range){NULL, ldexp(1, exponent), ldexp(1, exponent + 1)};
}

uint64_t ws_yield_slot(const struct ws_yield_shape *shape, const uint32_t *words, uint32_t slot,
                       uint32_t keys[WS_YIELD_KEYS_MAX])
{
    const uint32_t *at = words + WS_TABLE_SLOT + WS_TABLE_SLOT_WORDS(shape->field_count) * (size_t)slot;
    for (uint32_t i = 0; i < WS_YIELD_KEYS_MAX; ++i) {
        const bool is_last = (at[WS_TABLE_CLAIM] >> (1 + i) & 1) != 0;
        keys[i] = i >= shape->field_count ? 0 : is_last ? UINT32_MAX : at[WS_TABLE_KEY + i] - 1;
    }
    return at[WS_TABLE_CLAIM] == 0 ? 0 : wide(at + WS_TABLE_AMOUNT(shape->field_count));
}

uint32_t ws_yield_sample_count(const struct ws_yield_shape *shape, const uint32_t *words)
{
    const uint64_t asked = samples_asked(words);
    return asked < shape->size ? (uint32_t)asked : shape->size;
}

const uint32_t *ws_yield_sample(const struct ws_yield_shape *shape, const uint32_t *words, uint32_t sample)
{
    return words + WS_SAMPLE_FIRST + (size_t)shape->field_count * sample;
}
