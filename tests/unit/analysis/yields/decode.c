/* Words of outputs, against values worked out by hand. */
#include "analysis/yields/decode.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Adds a value to the words of a sum of float, as yields.h says it. */
static void add_float(uint32_t words[WS_SUM_FLOAT_WORDS], float value)
{
    const uint32_t bits = bits_of(value);
    const uint32_t exponent = bits >> 23 & 0xff;
    const uint64_t mantissa = (bits & 0x7fffff) | (exponent > 0 ? 0x800000u : 0);
    const uint32_t shift = exponent > 0 ? exponent - 1 : 0;
    const uint64_t wide = mantissa << shift % 32;
    const uint64_t parts[2] = {wide & UINT32_MAX, wide >> 32};
    for (uint32_t i = 0; i < 2; ++i) {
        uint32_t *limb = words + WS_SUM_LIMB + 2 * (shift / 32 + i);
        uint64_t sum = limb[0] | (uint64_t)limb[1] << 32;
        sum += (bits >> 31) != 0 ? 0 - parts[i] : parts[i];
        limb[0] = (uint32_t)sum;
        limb[1] = (uint32_t)(sum >> 32);
    }
    words[WS_SUM_COUNT]++;
}

static const struct ws_yield_shape float_sum = {.kind = WS_YIELD_SUM, .type = WS_YIELD_FLOAT};

static double sum_of(const float *values, int count)
{
    uint32_t words[WS_SUM_FLOAT_WORDS] = {0};
    struct ws_yield_sums sums;
    for (int i = 0; i < count; ++i)
        add_float(words, values[i]);
    ws_yield_decode(&float_sum, words, &sums);
    assert_int_equal(sums.count, count);
    return ws_yield_float_sum(&sums);
}

static void float_sums_are_exact(void **state)
{
    (void)state;
    assert_true(sum_of(NULL, 0) == 0);
    assert_true(sum_of((const float[]){1.5f, -0.25f, 3}, 3) == 4.25);
    assert_true(sum_of((const float[]){-1.5f, 0.25f, -3}, 3) == -4.25);
    /* What is lost in doubles as well: 2^127 and 2^-149 are 276 bits apart. */
    assert_true(sum_of((const float[]){0x1p127f, 0x1p-149f, -0x1p127f}, 3) == 0x1p-149);
    assert_true(sum_of((const float[]){0x1p127f, 0x1p127f, 0x1p127f}, 3) == 0x1.8p128);
    assert_true(sum_of((const float[]){-0x1p-149f}, 1) == -0x1p-149);
}

static void float_sums_are_rounded_once(void **state)
{
    (void)state;
    /* 2^53 + 1 lies between two doubles: to the even one. A bit more, and it is the next. */
    assert_true(sum_of((const float[]){0x1p53f, 1}, 2) == 0x1p53);
    assert_true(sum_of((const float[]){0x1p53f, 1, 0x1p-149f}, 3) == 0x1p53 + 2);
    assert_true(sum_of((const float[]){0x1p53f, 2, 1}, 3) == 0x1p53 + 4);
    assert_true(sum_of((const float[]){-0x1p53f, -1, -0x1p-149f}, 3) == -0x1p53 - 2);
    /* A mantissa of ones becomes a power of two. */
    assert_true(sum_of((const float[]){0x1p54f, -1}, 2) == 0x1p54);
}

static void float_sums_add_up(void **state)
{
    (void)state;
    /* 2^40 launches of -1 and as many of 2^-149, doubled 40 times. */
    uint32_t words[WS_SUM_FLOAT_WORDS] = {0};
    struct ws_yield_sums sums, copy;
    add_float(words, -1);
    add_float(words, 0x1p-149f);
    ws_yield_decode(&float_sum, words, &sums);
    for (int i = 0; i < 40; ++i) {
        copy = sums;
        ws_yield_sums_add(&sums, &copy);
    }
    assert_int_equal(sums.count, UINT64_C(2) << 40);
    copy = (struct ws_yield_sums){0};
    memset(words, 0, sizeof(words));
    add_float(words, 1);
    ws_yield_decode(&float_sum, words, &copy);
    for (int i = 0; i < 40; ++i) {
        const struct ws_yield_sums half = copy;
        ws_yield_sums_add(&copy, &half);
    }
    ws_yield_sums_add(&sums, &copy);
    assert_true(ws_yield_float_sum(&sums) == 0x1p-109);
}

static void nans_and_infinities_decide(void **state)
{
    (void)state;
    uint32_t words[WS_SUM_FLOAT_WORDS] = {[WS_SUM_COUNT] = 3};
    struct ws_yield_sums sums;
    words[WS_SUM_INFINITIES] = 1;
    ws_yield_decode(&float_sum, words, &sums);
    assert_true(isinf(ws_yield_float_sum(&sums)) && ws_yield_float_sum(&sums) > 0);
    words[WS_SUM_MINUS] = 1;
    ws_yield_decode(&float_sum, words, &sums);
    assert_true(isnan(ws_yield_float_sum(&sums)));
    words[WS_SUM_INFINITIES] = 0;
    ws_yield_decode(&float_sum, words, &sums);
    assert_true(isinf(ws_yield_float_sum(&sums)) && ws_yield_float_sum(&sums) < 0);
    words[WS_SUM_NANS] = 1;
    ws_yield_decode(&float_sum, words, &sums);
    assert_true(isnan(ws_yield_float_sum(&sums)));
}

static void integer_sums_have_64_bits(void **state)
{
    (void)state;
    const struct ws_yield_shape shape = {.kind = WS_YIELD_SUM, .type = WS_YIELD_INT};
    const uint32_t words[WS_SUM_WORDS] = {2, 1, 0xfffffffb, 0xffffffff};
    struct ws_yield_sums sums;
    ws_yield_decode(&shape, words, &sums);
    assert_int_equal(sums.count, 0x100000002);
    assert_true((int64_t)sums.integer == -5);
}

/* The image of a value, as yields.h says it. */
static uint32_t image_of(uint32_t kind, uint32_t type, uint32_t bits)
{
    const uint32_t sign = 0x80000000;
    const uint32_t image = type == WS_YIELD_INT     ? bits ^ sign
                           : type == WS_YIELD_FLOAT ? ((bits & sign) != 0 ? ~bits : bits ^ sign)
                                                    : bits;
    return kind == WS_YIELD_MIN ? ~image : image;
}

static struct ws_yield_sums extreme(const struct ws_yield_shape *shape, uint32_t bits, uint32_t work,
                                    uint64_t launch)
{
    const uint32_t words[WS_EXTREME_WORDS] = {~work, image_of(shape->kind, shape->type, bits), 1, 0, 0, 0};
    struct ws_yield_sums sums;
    ws_yield_decode(shape, words, &sums);
    sums.launch = launch;
    return sums;
}

static void extremes_keep_value_and_thread(void **state)
{
    (void)state;
    const struct ws_yield_shape least = {.kind = WS_YIELD_MIN, .type = WS_YIELD_FLOAT};
    struct ws_yield_sums sums = extreme(&least, bits_of(-0.5f), 7, 3);
    const struct ws_yield_sums others[] = {
        extreme(&least, bits_of(2), 1, 0), extreme(&least, bits_of(-3.25f), 9, 2),
        extreme(&least, bits_of(-3.25f), 9, 1), extreme(&least, bits_of(-3.25f), 8, 5)};
    for (int i = 0; i < 4; ++i)
        ws_yield_sums_add(&sums, &others[i]);
    assert_int_equal(ws_yield_extreme(&least, &sums), bits_of(-3.25f));
    assert_int_equal(~(uint32_t)sums.work, 8);
    assert_int_equal(sums.launch, 5);
    assert_int_equal(sums.count, 5);

    const struct ws_yield_shape most = {.kind = WS_YIELD_MAX, .type = WS_YIELD_INT};
    sums = extreme(&most, (uint32_t)-7, 0, 1);
    const struct ws_yield_sums same = extreme(&most, (uint32_t)-7, 0, 0);
    const struct ws_yield_sums lower = extreme(&most, (uint32_t)-8, 0, 0);
    ws_yield_sums_add(&sums, &same);
    ws_yield_sums_add(&sums, &lower);
    assert_int_equal((int32_t)ws_yield_extreme(&most, &sums), -7);
    assert_int_equal(sums.launch, 0);

    /* The largest of no value, and 0 of uint, whose image is 0. */
    const struct ws_yield_shape whole = {.kind = WS_YIELD_MAX, .type = WS_YIELD_UINT};
    const struct ws_yield_shape largest = {.kind = WS_YIELD_MAX, .type = WS_YIELD_FLOAT};
    const uint32_t nans[WS_EXTREME_WORDS] = {0, 0, 2, 0, 2, 0};
    ws_yield_decode(&largest, nans, &sums);
    assert_false(sums.has_extreme);
    /* 2^32 + 2 NaNs: their own number has wrapped. */
    const uint32_t many[WS_EXTREME_WORDS] = {0, 0, 2, 1, 2, 0};
    ws_yield_decode(&largest, many, &sums);
    assert_false(sums.has_extreme);
    sums = extreme(&whole, 0, 4, 0);
    assert_true(sums.has_extreme);
    assert_int_equal(ws_yield_extreme(&whole, &sums), 0);
}

static void bins_of_linear_histograms(void **state)
{
    (void)state;
    const struct ws_probe_output output = {.shape = {WS_YIELD_HISTOGRAM_LINEAR, WS_YIELD_FLOAT, 4, 0},
                                           .limits = {bits_of(-1), bits_of(1)}};
    uint32_t words[WS_LINEAR_WORDS(4)] = {0};
    words[WS_LINEAR_BELOW] = 1;
    words[WS_LINEAR_BIN] = 2;
    words[WS_LINEAR_BIN + 6] = 3;
    words[WS_LINEAR_ABOVE(4)] = 4;
    words[WS_LINEAR_NANS(4) + 1] = 1;
    struct ws_yield_sums sums;
    ws_yield_decode(&output.shape, words, &sums);
    assert_int_equal(sums.count, 10 + (UINT64_C(1) << 32));
    assert_int_equal(sums.nans, UINT64_C(1) << 32);
    assert_int_equal(ws_yield_bin_count(&output.shape), 7);
    assert_int_equal(ws_yield_bin(&output.shape, words, 4), 3);
    assert_int_equal(ws_yield_bin(&output.shape, words, 5), 4);
    const struct ws_yield_bin_range range = ws_yield_bin_range(&output, 4);
    assert_true(range.name == NULL && range.from == 0.5 && range.to == 1);
    assert_string_equal(ws_yield_bin_range(&output, 0).name, "below");
    assert_true(ws_yield_bin_range(&output, 0).to == -1);
    assert_string_equal(ws_yield_bin_range(&output, 6).name, "NaN");
}

static void bins_of_log2_histograms(void **state)
{
    (void)state;
    const struct ws_probe_output whole = {.shape = {WS_YIELD_HISTOGRAM_LOG2, WS_YIELD_UINT, 0, 0}};
    uint32_t words[WS_LOG2_WORDS] = {[WS_LOG2_ZERO] = 5, [WS_LOG2_UINT_BIN + 2 * 3] = 6};
    assert_int_equal(ws_yield_bin(&whole.shape, words, 0), 5);
    assert_int_equal(ws_yield_bin(&whole.shape, words, 4), 6);
    assert_true(ws_yield_bin_range(&whole, 4).from == 8 && ws_yield_bin_range(&whole, 4).to == 16);

    const struct ws_probe_output real = {.shape = {WS_YIELD_HISTOGRAM_LOG2, WS_YIELD_FLOAT, 0, 0}};
    memset(words, 0, sizeof(words));
    words[WS_LOG2_NEGATIVE] = 1;
    words[WS_LOG2_ZERO] = 2;
    words[WS_LOG2_BELOW] = 3;
    words[WS_LOG2_BIN + 2 * 64] = 4; /* 1 up to 2 */
    words[WS_LOG2_ABOVE] = 5;
    words[WS_LOG2_NANS] = 6;
    struct ws_yield_sums sums;
    ws_yield_decode(&real.shape, words, &sums);
    assert_int_equal(sums.count, 21);
    assert_int_equal(sums.nans, 6);
    static const uint32_t expected[][2] = {{0, 1}, {1, 2}, {2, 3}, {3 + 64, 4}, {131, 5}, {132, 6}};
    for (int i = 0; i < 6; ++i)
        assert_int_equal(ws_yield_bin(&real.shape, words, expected[i][0]), expected[i][1]);
    assert_true(ws_yield_bin_range(&real, 67).from == 1 && ws_yield_bin_range(&real, 67).to == 2);
    assert_true(ws_yield_bin_range(&real, 131).from == 0x1p64);
}

/* Two executions with 3 and one with 8 lanes of warps of 8, four with 3 of warps of 16: 26 of 88 lanes were active. */
static void lanes_of_warps_of_two_sizes(void **state)
{
    (void)state;
    const struct ws_probe_output output = {.shape = {.kind = WS_YIELD_LANES}};
    uint32_t words[WS_LANES_WORDS] = {0};
    words[8 + 2] = 2;
    words[8 + 7] = 1;
    words[16 + 2] = 4;
    struct ws_yield_sums sums;
    assert_true(ws_yield_is_valid(&output.shape));
    assert_int_equal(ws_yield_width(&output.shape), 256);
    ws_yield_decode(&output.shape, words, &sums);
    assert_int_equal(sums.count, 7);
    assert_int_equal(sums.active, 2 * 3 + 8 + 4 * 3);
    assert_int_equal(sums.slots, 3 * 8 + 4 * 16);
    assert_int_equal(ws_yield_bin_count(&output.shape), 128);
    assert_int_equal(ws_yield_bin(&output.shape, words, 2), 6);
    assert_int_equal(ws_yield_bin(&output.shape, words, 7), 1);
    assert_int_equal(ws_yield_bin(&output.shape, words, 127), 0);
    assert_true(ws_yield_bin_range(&output, 2).from == 3 && ws_yield_bin_range(&output, 2).to == 4);
    struct ws_yield_sums twice = sums;
    ws_yield_sums_add(&twice, &sums);
    assert_int_equal(twice.active, 52);
    assert_int_equal(twice.slots, 176);

    /* The largest warps, and a count that has no room in 32 bits once it is multiplied. */
    memset(words, 0, sizeof(words));
    words[255] = UINT32_MAX;
    ws_yield_decode(&output.shape, words, &sums);
    assert_int_equal(sums.active, UINT64_C(128) * UINT32_MAX);
    assert_int_equal(sums.slots, sums.active);
    assert_int_equal(ws_yield_bin(&output.shape, words, 127), UINT32_MAX);
}

/* The largest key, and that before it, are told apart by the claim. */
static void tables_have_any_keys(void **state)
{
    (void)state;
    /* A capacity of 3, 4 slots. */
    const struct ws_yield_shape shape = {.kind = WS_YIELD_TABLE, .size = 3, .field_count = 2};
    const uint32_t words[WS_TABLE_WORDS(4, 2)] = {
        9, 0, /* */ 1, 11, 21, 7, 0, /* */ 0, 0, 0, 0, 0, /* */ 5, 1, 1, 1, 1, /* */ 1, UINT32_MAX, 1, 2, 0};
    struct ws_yield_sums sums;
    ws_yield_decode(&shape, words, &sums);
    assert_int_equal(sums.lost, 9);
    assert_int_equal(sums.count, 7 + 9 + 2 + 1 + (UINT64_C(1) << 32));
    assert_int_equal(ws_yield_width(&shape), sizeof(words) / sizeof(words[0]));
    uint32_t keys[WS_YIELD_KEYS_MAX];
    assert_int_equal(ws_yield_slot(&shape, words, 0, keys), 7);
    assert_true(keys[0] == 10 && keys[1] == 20 && keys[2] == 0);
    assert_int_equal(ws_yield_slot(&shape, words, 1, keys), 0);
    assert_int_equal(ws_yield_slot(&shape, words, 2, keys), 1 + (UINT64_C(1) << 32));
    assert_true(keys[0] == 0 && keys[1] == UINT32_MAX);
    assert_int_equal(ws_yield_slot(&shape, words, 3, keys), 2);
    assert_true(keys[0] == UINT32_MAX - 1 && keys[1] == 0);
}

static void samples_are_those_that_came_first(void **state)
{
    (void)state;
    const struct ws_yield_shape shape = {.kind = WS_YIELD_SAMPLE, .size = 2, .field_count = 2};
    uint32_t words[WS_SAMPLE_WORDS(2, 2)] = {1, 0, 5, 6, 0, 0};
    assert_int_equal(ws_yield_sample_count(&shape, words), 1);
    words[WS_SAMPLE_ASKED + 1] = 1 | WS_SAMPLE_FULL;
    words[4] = 7;
    struct ws_yield_sums sums;
    ws_yield_decode(&shape, words, &sums);
    assert_int_equal(sums.count, 1 + (UINT64_C(1) << 32));
    assert_int_equal(ws_yield_sample_count(&shape, words), 2);
    assert_int_equal(ws_yield_sample(&shape, words, 1)[0], 7);
    words[WS_SAMPLE_ASKED] = 0x80000000;
    words[WS_SAMPLE_ASKED + 1] = WS_SAMPLE_FULL;
    ws_yield_decode(&shape, words, &sums);
    assert_int_equal(sums.count, UINT64_C(1) << 31);
    assert_int_equal(ws_yield_sample_count(&shape, words), 2);
}

static void values_as_text(void **state)
{
    (void)state;
    char text[WS_YIELD_TEXT_SIZE];
    assert_string_equal(ws_yield_text(WS_YIELD_FLOAT, bits_of(0.1f), text), "0.1");
    assert_string_equal(ws_yield_text(WS_YIELD_FLOAT, bits_of((float)16777217), text), "16777216");
    assert_string_equal(ws_yield_text(WS_YIELD_FLOAT, bits_of(1.00000012f), text), "1.0000001");
    assert_string_equal(ws_yield_text(WS_YIELD_FLOAT, 0x7f800000, text), "inf");
    assert_string_equal(ws_yield_text(WS_YIELD_FLOAT, 0xff800000, text), "-inf");
    assert_string_equal(ws_yield_text(WS_YIELD_FLOAT, 0xffc00000, text), "nan");
    assert_string_equal(ws_yield_text(WS_YIELD_INT, 0xffffffff, text), "-1");
    assert_string_equal(ws_yield_text(WS_YIELD_UINT, 0xffffffff, text), "4294967295");
    assert_string_equal(ws_yield_text(WS_YIELD_BOOL, 1, text), "true");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_sums_are_exact),
        cmocka_unit_test(float_sums_are_rounded_once),
        cmocka_unit_test(float_sums_add_up),
        cmocka_unit_test(nans_and_infinities_decide),
        cmocka_unit_test(integer_sums_have_64_bits),
        cmocka_unit_test(extremes_keep_value_and_thread),
        cmocka_unit_test(bins_of_linear_histograms),
        cmocka_unit_test(bins_of_log2_histograms),
        cmocka_unit_test(lanes_of_warps_of_two_sizes),
        cmocka_unit_test(tables_have_any_keys),
        cmocka_unit_test(samples_are_those_that_came_first),
        cmocka_unit_test(values_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
