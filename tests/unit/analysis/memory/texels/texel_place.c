/* Where texels lie by the formats of views, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analysis/memory/texels/texel_place.h"
#include "warpscope/instrument.h"
#include "warpscope/texel_format.h"
#include "warpscope/texel_shifts.h"

#define R8           9
#define RGBA8        37
#define RGB32_FLOAT  106
#define RGBA64_FLOAT 121
#define BC1          131
#define BC7          145
#define ASTC_8X5     167
#define ASTC_12X12_F 1000066013
#define PLANES_420   1000156003
#define YCBYCR_10    1000156010

/* A sample of an image whose type says no format; its words are index and part. */
static struct ws_stretch_access sample(uint32_t axes)
{
    return (struct ws_stretch_access){.memory = WS_MEMORY_IMAGE,
                                      .size = 4,
                                      .unit = 4,
                                      .descriptor_word = WS_NONE,
                                      .has_part = true,
                                      .is_assumed = true,
                                      .axes = axes};
}

static void check(const struct ws_stretch_access *access, const uint32_t *words, uint32_t format,
                  uint64_t byte, uint32_t size, bool is_assumed)
{
    const struct ws_bound_view view = {.format = format};
    const struct ws_texel_spot spot = ws_texel_spot_find(access, access->size, words, &view);
    assert_int_equal(spot.byte, byte);
    assert_int_equal(spot.size, size);
    assert_int_equal(spot.is_assumed, is_assumed);
}

/* The texel 9, 5: 1001 and 0101 in bits, so x and y in turn from the lowest are 1,1 0,0 0,1 1,0. In blocks of 4 x 4 it is 2, 1:
 * 0,1 1,0. In blocks of 8 x 5 it is 1, 1. */
static void lies_by_format(void **state)
{
    const uint32_t words[2] = {1 | 1 << 1 | 1 << 5 | 1 << 6, 0};
    const struct ws_stretch_access access = sample(2);
    (void)state;
    assert_int_equal(words[0], 99);
    check(&access, words, 0, 4 * 99, 4, true);
    check(&access, words, 4000, 4 * 99, 4, true);
    check(&access, words, R8, 99, 1, false);
    check(&access, words, RGBA8, 4 * 99, 4, false);
    check(&access, words, RGB32_FLOAT, 16 * 99, 16, false);
    check(&access, words, RGBA64_FLOAT, 32 * 99, 32, false);
    check(&access, words, BC1, 8 * 6, 8, false);
    check(&access, words, BC7, 16 * 6, 16, false);
    check(&access, words, ASTC_8X5, 16 * 3, 16, false);
    check(&access, words, ASTC_12X12_F, 0, 16, false);
    check(&access, words, PLANES_420, 99, 1, false);
    check(&access, words, YCBYCR_10, 8 * 50, 8, false); /* 4, 5: 100 and 101 */
}

/* Levels and layers lie 2^32 blocks apart. In 3D blocks have one texel of z. */
static void has_parts(void **state)
{
    const uint32_t words[2] = {1 << 6 | 1 << 7 | 1 << 2, 7}; /* 4, 4, 1 */
    const struct ws_stretch_access access = sample(3);
    (void)state;
    check(&access, words, RGBA8, 4 * (UINT64_C(7) << 32 | words[0]), 4, false);
    check(&access, words, BC1, 8 * (UINT64_C(7) << 32 | 7), 8, false); /* 1, 1, 1 */
}

/* Level 2 of layer 3 of a view that begins with level 1 and layer 4 is level 3 of layer 7 of the image, whether the shader says
 * the format or not, and whether it has levels or not. */
static void counts_from_the_view(void **state)
{
    const uint32_t words[2] = {6, 2 | 3 << 5};
    const struct ws_bound_view view = {.format = R8, .level = 1, .layer = 4};
    struct ws_stretch_access access = sample(2);
    (void)state;
    assert_int_equal(ws_texel_spot_find(&access, 4, words, &view).byte, (uint64_t)(3 | 7 << 5) << 32 | 6);
    access.is_assumed = false;
    assert_int_equal(ws_texel_spot_find(&access, 4, words, &view).byte,
                     4 * ((uint64_t)(3 | 7 << 5) << 32 | 6));
    access.has_part = false;
    assert_int_equal(ws_texel_spot_find(&access, 4, words, &view).byte,
                     4 * ((uint64_t)(1 | 4 << 5) << 32 | 6));
    assert_int_equal(ws_texel_spot_find(&access, 4, words, NULL).byte, 4 * 6);
}

/* Texel 5 of a texel buffer; of one whose type says its size; and what a compiler joined of two. */
static void of_texel_buffers(void **state)
{
    const uint32_t word = 5;
    struct ws_stretch_access access = {.memory = WS_MEMORY_TEXELS,
                                       .size = 4,
                                       .unit = 4,
                                       .base = WS_NONE,
                                       .descriptor_word = WS_NONE,
                                       .terms = {{0, 4}},
                                       .term_count = 1,
                                       .is_assumed = true};
    (void)state;
    check(&access, &word, 0, 20, 4, true);
    check(&access, &word, R8, 5, 1, false);
    check(&access, &word, RGB32_FLOAT, 80, 16, false);
    assert_int_equal(ws_texel_spot_find(&access, 8, &word, &(struct ws_bound_view){.format = R8}).size, 2);
    access.is_assumed = false;
    check(&access, &word, R8, 20, 4, false);
}

static void check_shifts(uint32_t format, bool is_solid, bool is_found, uint32_t sector, uint32_t line)
{
    struct ws_texel_format found = {0};
    uint32_t shifts[2] = {0, 0};
    assert_true(ws_texel_format_find(format, &found));
    assert_int_equal(ws_texel_shifts_find(&found, is_solid, &shifts[0], &shifts[1]), is_found);
    if (!is_found)
        return;
    assert_int_equal(shifts[0], sector);
    assert_int_equal(shifts[1], line);
}

/* A sector of 32 bytes has 2^k texels. */
static void has_tiles(void **state)
{
    enum { ASTC_8X8 = 171 };
    (void)state;
    check_shifts(R8, false, true, 5, 7);           /* 32 */
    check_shifts(RGBA8, true, true, 3, 5);         /* 8 */
    check_shifts(RGB32_FLOAT, false, true, 1, 3);  /* 2 */
    check_shifts(RGBA64_FLOAT, false, true, 0, 2); /* 1 */
    check_shifts(BC1, false, true, 6, 8);          /* 4 blocks of 16 */
    check_shifts(BC7, false, true, 5, 7);          /* 2 blocks of 16 */
    check_shifts(ASTC_8X8, false, true, 7, 9);     /* 2 blocks of 64 */
    check_shifts(ASTC_8X5, false, false, 0, 0);
    check_shifts(YCBYCR_10, false, false, 0, 0);
    check_shifts(BC1, true, false, 0, 0);
}

/* Bit b of a coordinate is bit axes x b + axis of the index, as far as there are 32. Bits of blocks are put back likewise. */
static void bits_in_turn(void **state)
{
    uint32_t random = 1;
    (void)state;
    for (uint32_t axes = 1; axes <= 3; ++axes) {
        const struct ws_stretch_access access = sample(axes);
        for (uint32_t i = 0; i < 4096; ++i) {
            uint32_t at[3] = {0, 0, 0};
            uint32_t block = 0;
            random = random * 1664525 + 1013904223;
            const uint32_t words[2] = {random ^ random >> 15, 0};
            for (uint32_t bit = 0; bit < 32; ++bit)
                at[bit % axes] |= (words[0] >> bit & 1) << bit / axes;
            at[0] /= 4;
            at[1] /= 4;
            for (uint32_t bit = 0; bit < 32; ++bit)
                block |= (at[bit % axes] >> bit / axes & 1) << bit;
            check(&access, words, BC1, UINT64_C(8) * block, 8, false);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_in_turn), cmocka_unit_test(lies_by_format),
        cmocka_unit_test(has_parts),    cmocka_unit_test(of_texel_buffers),
        cmocka_unit_test(has_tiles),    cmocka_unit_test(counts_from_the_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
