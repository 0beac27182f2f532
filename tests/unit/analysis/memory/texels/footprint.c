/* Which texels samples touch, by hand: each address mode, filter and choice of levels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/memory/texels/footprint.h"
#include "analysis/memory/texels/texel_place.h"
#include "warpscope/instrument.h"
#include "warpscope/spirv/texels.h"

enum { X, Y, Z, SIZES, DEPTH, LAYER, LEVEL, WORDS };

static const struct ws_sampler plain = {.most_level = 1000};
static const struct ws_sampler linear = {
    .magnified = WS_FILTER_LINEAR, .minified = WS_FILTER_LINEAR, .most_level = 1000};

/* A sample whose record has `axes` coordinates, the size and the level. */
static struct ws_stretch_access sample(uint32_t axes)
{
    struct ws_stretch_access access = {.memory = WS_MEMORY_IMAGE,
                                       .size = 4,
                                       .unit = 4,
                                       .base = WS_NONE,
                                       .descriptor_word = WS_NONE,
                                       .is_assumed = true,
                                       .has_part = true,
                                       .axes = axes};
    access.sample = (struct ws_stretch_sample){.is_sample = true,
                                               .at = {X, Y, Z},
                                               .size = SIZES,
                                               .depth = axes == 3 ? DEPTH : WS_NONE,
                                               .layer = WS_NONE,
                                               .level = LEVEL,
                                               .sampler_element_word = WS_NONE};
    return access;
}

/* As ws_texel_parts of passes/primitives/texels.glsl does. */
static uint32_t parts_of(float at, uint32_t size)
{
    if (fabsf(at) >= WS_TEXEL_PARTS_MOST)
        return ws_float_bits(at);
    return (uint32_t)(int32_t)floorf(at * (float)size * WS_TEXEL_PARTS_EACH);
}

/* The words of a record; the image has 3 levels. */
static void fill(uint32_t words[WORDS], float x, float y, float z, uint32_t size, float level)
{
    memset(words, 0, WORDS * sizeof(words[0]));
    words[X] = parts_of(x, size);
    words[Y] = parts_of(y, size);
    words[Z] = parts_of(z, size);
    words[SIZES] = size | size << 16;
    words[DEPTH] = size;
    words[LEVEL] = (ws_float_bits(level) & ~WS_TEXEL_LEVEL_MASK) | 3;
}

/* Checks that texels are these, as x + 10 y + 100 z + 1000 level + 10000 layer, in any order. */
static void check(const struct ws_stretch_access *access, const uint32_t *words,
                  const struct ws_sampler *sampler, uint32_t count, const uint32_t *wanted)
{
    struct ws_footprint_texel texels[WS_FOOTPRINT_MAX];
    assert_int_equal(ws_footprint_find(access, words, sampler, texels), count);
    for (uint32_t i = 0; i < count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < count; j++)
            found = found || texels[j].at[0] + 10 * texels[j].at[1] + 100 * texels[j].at[2] +
                                     1000 * texels[j].level + 10000 * texels[j].layer ==
                                 wanted[i];
        assert_true(found);
    }
}

#define CHECK(sampler, ...)                                                                                  \
    check(&access, words, &(sampler), sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                  \
          (uint32_t[]){__VA_ARGS__})
#define CHECK_NONE(sampler) check(&access, words, &(sampler), 0, NULL)

/* Texels -6 to 9 of 4, one after the other; 8 = on the border. */
static void wraps(void **state)
{
    static const char *const wanted[WS_ADDRESS_MODES] = {
        [WS_ADDRESS_REPEAT] = "2301230123012301",
        [WS_ADDRESS_MIRRORED_REPEAT] = "2332100123321001",
        [WS_ADDRESS_CLAMP_TO_EDGE] = "0000000123333333",
        [WS_ADDRESS_CLAMP_TO_BORDER] = "8888880123888888",
        [WS_ADDRESS_MIRROR_CLAMP_TO_EDGE] = "3332100123333333",
    };
    struct ws_stretch_access access = sample(1);
    uint32_t words[WORDS];
    (void)state;
    access.sample.level = WS_NONE;
    for (uint32_t mode = 0; mode < WS_ADDRESS_MODES; mode++) {
        const struct ws_sampler sampler = {.address = {mode}};
        for (int32_t i = -6; i < 10; i++) {
            const uint32_t at = (uint32_t)(wanted[mode][i + 6] - '0');
            fill(words, ((float)i + 0.5f) / 4, 0, 0, 4, 0);
            words[SIZES] = 4;
            check(&access, words, &sampler, at == 8 ? 0 : 1, &at);
        }
    }
}

static void filters(void **state)
{
    const struct ws_sampler border = {.magnified = WS_FILTER_LINEAR,
                                      .address = {WS_ADDRESS_CLAMP_TO_BORDER, WS_ADDRESS_CLAMP_TO_BORDER}};
    struct ws_stretch_access access = sample(2);
    uint32_t words[WORDS];
    (void)state;
    /* 0.4 of 8 is 3.2: of 2.7 the floor, and the next. In y it is on the edge between 7 and 0. */
    fill(words, 0.4f, 1, 0, 8, 0);
    CHECK(linear, 72, 73, 2, 3);
    CHECK(plain, 3);
    CHECK(border, 72, 73);
    fill(words, 0.4f, 2, 0, 8, 0);
    CHECK_NONE(border);
    fill(words, 0.4f, 0.4f, 0, 1, 0);
    CHECK(linear, 0); /* all four are the only one */
    /* Coordinates in texels. */
    struct ws_sampler counted = linear;
    counted.is_unnormalized = true;
    counted.address[0] = counted.address[1] = WS_ADDRESS_CLAMP_TO_EDGE;
    fill(words, 3.0f, 0.25f, 0, 8, 0);
    CHECK(counted, 2, 3);
    access = sample(3);
    fill(words, 0.5f, 0.5f, 0, 4, 0);
    CHECK(linear, 311, 312, 321, 322, 11, 12, 21, 22);
    assert_true(ws_footprint_is_modelled(&linear) && !ws_footprint_is_pointed(&linear));
    assert_true(ws_footprint_is_pointed(&plain) && !ws_footprint_is_pointed(&border));
    counted.is_anisotropic = true;
    assert_false(ws_footprint_is_modelled(&counted));
}

/* Of an axis of 16,384 texels, coordinates that count them; and of one of 4, coordinates many images away. */
static void far_away(void **state)
{
    static const struct ws_sampler counted = {
        .magnified = WS_FILTER_LINEAR, .is_unnormalized = true, .address = {WS_ADDRESS_CLAMP_TO_EDGE}};
    static const struct ws_sampler repeated = {.address = {WS_ADDRESS_REPEAT}};
    static const struct ws_sampler mirrored = {.address = {WS_ADDRESS_MIRRORED_REPEAT}};
    static const struct ws_sampler clamped = {.address = {WS_ADDRESS_CLAMP_TO_EDGE}};
    static const struct ws_sampler border = {.address = {WS_ADDRESS_CLAMP_TO_BORDER}};
    struct ws_stretch_access access = sample(1);
    uint32_t words[WORDS];
    (void)state;
    access.sample.level = WS_NONE;
    for (uint32_t i = 1; i < 16384; i++) {
        fill(words, (float)i, 0, 0, 16384, 0);
        words[SIZES] = 16384;
        CHECK(counted, i - 1, i);
        words[X] = parts_of((float)i + 0.5f, 16384);
        if (i < 16383)
            CHECK(counted, i, i + 1);
    }
    fill(words, 16384, 0, 0, 65535, 0);
    words[SIZES] = 65535;
    CHECK(counted, 16383, 16384);
    words[X] = parts_of(-3e20f, 65535);
    CHECK(counted, 0);
    /* 5000000.25 is the second of 4; a float tells halves apart there. */
    static const float at[] = {5000000.5f, 5000001.5f, -5000000.5f, -127.75f,
                               -128.75f,   129.75f,    3e38f,       -3e28f};
    static const uint32_t as_repeated[] = {2, 2, 2, 1, 1, 3, 0, 0};
    static const uint32_t as_mirrored[] = {2, 1, 1, 1, 2, 0, 0, 0};
    for (uint32_t i = 0; i < 8; i++) {
        fill(words, at[i], 0, 0, 4, 0);
        words[SIZES] = 4;
        CHECK(repeated, as_repeated[i]);
        CHECK(mirrored, as_mirrored[i]);
        CHECK(clamped, at[i] < 0 ? 0 : 3);
        CHECK_NONE(border);
    }
}

/* 8 x 8 texels, 4 x 4 and 2 x 2, at 0.45 of both: 3, 1 and 0. */
static void levels(void **state)
{
    struct ws_stretch_access access = sample(2);
    struct ws_sampler sampler = plain;
    uint32_t words[WORDS];
    (void)state;
    const float asked[] = {-2, 0, 0.5f, 0.625f, 1.5f, 1.75f, 40};
    const uint32_t nearest[] = {33, 33, 33, 1011, 1011, 2000, 2000};
    for (uint32_t i = 0; i < 7; i++) {
        fill(words, 0.45f, 0.45f, 0, 8, asked[i]);
        check(&access, words, &sampler, 1, &nearest[i]);
    }
    sampler.mixes_levels = true;
    fill(words, 0.45f, 0.45f, 0, 8, 0.25f);
    CHECK(sampler, 33, 1011);
    fill(words, 0.45f, 0.45f, 0, 8, 1);
    CHECK(sampler, 1011); /* the next weighs nothing */
    fill(words, 0.45f, 0.45f, 0, 8, 7);
    CHECK(sampler, 2000);
    sampler.most_level = 0.5f;
    CHECK(sampler, 33, 1011);
    sampler.least_level = 0.5f;
    fill(words, 0.45f, 0.45f, 0, 8, -3);
    CHECK(sampler, 33, 1011);
    /* The bias is added to a level that the shader gives, and is in one by derivatives already. */
    sampler = (struct ws_sampler){.bias = 1, .most_level = 1000};
    fill(words, 0.45f, 0.45f, 0, 8, 0);
    CHECK(sampler, 33);
    access.sample.adds_bias = true;
    CHECK(sampler, 1011);
    access.sample.level = WS_NONE; /* level 0 is given: all levels that 8 texels may have count */
    CHECK(sampler, 1011);
    sampler.bias = 9;
    CHECK(sampler, 3000);
    /* Magnified up to 0, minified above. */
    sampler = (struct ws_sampler){.minified = WS_FILTER_LINEAR, .most_level = 1000};
    access = sample(2);
    fill(words, 0.45f, 0.45f, 0, 8, 0);
    CHECK(sampler, 33);
    fill(words, 0.45f, 0.45f, 0, 8, 0.25f);
    CHECK(sampler, 33, 43, 34, 44); /* 3.1, and the next */
}

static void gathers(void **state)
{
    const struct ws_sampler clamped = {.address = {WS_ADDRESS_CLAMP_TO_EDGE, WS_ADDRESS_CLAMP_TO_EDGE},
                                       .most_level = 1000};
    struct ws_stretch_access access = sample(2);
    uint32_t words[WORDS];
    (void)state;
    access.sample.is_gather = true;
    access.sample.level = WS_NONE;
    fill(words, 0.4f, 0.4f, 0, 8, 0);
    CHECK(plain, 22, 23, 32, 33);
    access.sample.offset_count = 1;
    memset(access.sample.offset_words, 0xff, sizeof(access.sample.offset_words));
    access.sample.offsets[0][0] = (uint32_t)-3;
    access.sample.offsets[0][1] = 1;
    CHECK(plain, 37, 30, 47, 40); /* -1 and 0 repeat */
    CHECK(clamped, 30, 40);
    access.sample.offset_words[0][1] = Z; /* no constant */
    words[Z] = 2;
    CHECK(clamped, 40, 50);
    access.sample.offset_count = 4;
    access.sample.offset_words[0][1] = WS_NONE;
    for (uint32_t i = 0; i < 4; i++) {
        access.sample.offsets[i][0] = 2 * i;
        access.sample.offsets[i][1] = 0;
    }
    CHECK(clamped, 22, 24, 26, 27);
}

/* Faces of 8 x 8: 0 is +x, on which -z goes across; 4 is +z, on which x does; 2 is +y, on which x goes across and z down. */
static void cubes(void **state)
{
    struct ws_stretch_access access = sample(2);
    struct ws_sampler seams = linear;
    uint32_t words[WORDS];
    (void)state;
    seams.has_seams = true;
    seams.address[0] = WS_ADDRESS_CLAMP_TO_EDGE;
    access.sample.is_cube = true;
    access.sample.layer = LAYER;
    fill(words, 0.01f, 0.5f, 0, 8, 0); /* the left edge of +x is the right one of +z */
    CHECK(plain, 40);
    CHECK(linear, 30, 40, 40037, 40047);
    CHECK(seams, 30, 40);
    fill(words, 0.5f, 0.01f, 0, 8, 0); /* the upper edge of +x is the right one of +y, from below to above */
    CHECK(linear, 3, 4, 20047, 20037);
    fill(words, 0.01f, 0.01f, 0, 8, 0); /* in a corner there are three */
    CHECK(linear, 0, 40007, 20077);
    words[LAYER] = 12; /* face 0 of layer 2 */
    CHECK(plain, 120000);
}

/* Words that no device writes. */
static void is_safe(void **state)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 0};
    struct ws_footprint_texel texels[WS_FOOTPRINT_MAX];
    uint32_t words[WORDS];
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t j = 0; j < 6; j++) {
            for (uint32_t axes = 1; axes < 4; axes++) {
                struct ws_stretch_access access = sample(axes);
                struct ws_sampler sampler = linear;
                sampler.bias = odd[j];
                sampler.least_level = odd[i];
                sampler.mixes_levels = true;
                access.sample.adds_bias = true;
                access.sample.is_cube = axes == 2;
                access.sample.layer = LAYER;
                fill(words, 0, 0, 0, UINT16_MAX, odd[j]);
                words[X] = i % 2 != 0 ? INT32_MAX : UINT32_MAX;
                words[Y] = i < 2 ? (uint32_t)INT32_MIN : ws_float_bits(odd[i]);
                words[LAYER] = UINT32_MAX;
                assert_true(ws_footprint_find(&access, words, &sampler, texels) <= WS_FOOTPRINT_MAX);
                words[SIZES] = 0;
                words[LEVEL] = 0;
                assert_true(ws_footprint_find(&access, words, &sampler, texels) <= WS_FOOTPRINT_MAX);
            }
        }
    }
}

/* Four texels of one block of 4 x 4 are 8 bytes; of two blocks 16. Where nothing is known of sampler and view it is one
 * texel. */
static void lies_in_blocks(void **state)
{
    enum { BC1 = 131, RGBA8 = 37 };
    const struct ws_stretch_access access = sample(2);
    const struct ws_bound_view view = {.format = BC1};
    const struct ws_bound_view usual = {.format = RGBA8, .level = 1, .layer = 2};
    struct ws_texel_spot spots[WS_FOOTPRINT_MAX];
    uint32_t words[WORDS];
    (void)state;
    fill(words, 0.25f, 0.25f, 0, 8, 0);
    assert_int_equal(ws_texel_spots_find(&access, 4, words, &view, &linear, spots), 1);
    assert_true(spots[0].byte == 0 && spots[0].size == 8 && !spots[0].is_assumed);
    fill(words, 0.5f, 0.25f, 0, 8, 0);
    assert_int_equal(ws_texel_spots_find(&access, 4, words, &view, &linear, spots), 2);
    assert_true(spots[1].byte == 8);
    assert_int_equal(ws_texel_spots_find(&access, 4, words, NULL, NULL, spots), 1);
    assert_true(spots[0].is_assumed && spots[0].byte == 4 * (16 + 8)); /* 4, 2 */
    assert_int_equal(ws_texel_spots_find(&access, 4, words, &usual, NULL, spots), 1);
    assert_true(spots[0].byte == 4 * ((uint64_t)(1 | 2 << 5) << 32 | 24));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wraps),   cmocka_unit_test(filters),        cmocka_unit_test(far_away),
        cmocka_unit_test(levels),  cmocka_unit_test(gathers),        cmocka_unit_test(cubes),
        cmocka_unit_test(is_safe), cmocka_unit_test(lies_in_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
