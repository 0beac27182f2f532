/* Colours of texels, by hand; and images whose chunk lies. */
#include "analysis/image/texels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/image/launch_image.h"
#include "warpscope/instrument.h"
#include "warpscope/model/launch.h"

enum {
    R5G6B5 = 4,
    R8 = 9,
    RG8 = 16,
    RGBA8 = 37,
    RGBA8_SNORM = 38,
    RGBA8_SRGB = 43,
    BGRA8 = 44,
    A2R10G10B10 = 58,
    A2B10G10R10 = 64,
    RGBA16 = 91,
    RGBA16_SNORM = 92,
    RGBA16_FLOAT = 97,
    R32_UINT = 98,
    R32_FLOAT = 100,
    RGBA32_FLOAT = 109,
    B10G11R11 = 122,
    E5B9G9R9 = 123,
};

static void check(uint32_t format, const void *texel, uint8_t red, uint8_t green, uint8_t blue)
{
    const struct ws_chunk_image image = {.format = format, .width = 1, .height = 1, .pitch = 16};
    uint8_t rgba[4] = {0};
    uint8_t bytes[16] = {0};
    struct ws_error error = {{0}};
    uint64_t size = 0;
    assert_true(ws_texels_size(&image, &size, &error));
    memcpy(bytes, texel, size);
    ws_texels_to_rgba(&image, bytes, rgba);
    assert_int_equal(rgba[0], red);
    assert_int_equal(rgba[1], green);
    assert_int_equal(rgba[2], blue);
    assert_int_equal(rgba[3], 255);
}

static void test_normalized(void **state)
{
    (void)state;
    check(RGBA8, (const uint8_t[]){1, 2, 3, 0}, 1, 2, 3);
    check(RGBA8_SRGB, (const uint8_t[]){200, 100, 50, 7}, 200, 100, 50);
    check(BGRA8, (const uint8_t[]){1, 2, 3, 4}, 3, 2, 1);
    check(R8, (const uint8_t[]){77}, 77, 77, 77);
    check(RG8, (const uint8_t[]){77, 88}, 77, 88, 0);
    /* 31, 63 and 0; 16 of 31 is 131.6 of 255, 32 of 63 is 129.5. */
    check(R5G6B5, (const uint16_t[]){31u << 11 | 63u << 5}, 255, 255, 0);
    check(R5G6B5, (const uint16_t[]){16u << 11 | 32u << 5 | 1}, 132, 130, 8);
    /* 512 of 1023 is 127.6 of 255. */
    check(A2B10G10R10, (const uint32_t[]){1023u | 512u << 10}, 255, 128, 0);
    check(A2R10G10B10, (const uint32_t[]){1023u | 512u << 10}, 0, 128, 255);
    /* 0x8000 of 0xffff is 127.5019 of 255, 257 is 1. */
    check(RGBA16, (const uint16_t[]){0xffff, 0x8000, 257, 0}, 255, 128, 1);
    /* 64 of 127 is 128.5 of 255; negative is 0. */
    check(RGBA8_SNORM, (const uint8_t[]){127, 64, 0x80, 0}, 255, 129, 0);
    check(RGBA16_SNORM, (const uint16_t[]){0x7fff, 0xffff, 0, 0}, 255, 0, 0);
}

static void test_floats(void **state)
{
    (void)state;
    /* 0.5 is encoded as 0.735357, that is 187.5 of 255; 0.002 as 0.02584, that is 6.6; 0.25 as 0.537099, 136.96. */
    check(RGBA32_FLOAT, (const float[]){0.5f, 0.002f, 0.25f, 0}, 188, 7, 137);
    check(RGBA32_FLOAT, (const float[]){2, -1, 1, 0}, 255, 0, 255);
    const uint32_t no_numbers[4] = {0x7fc00000, 0x7f800000, 0xff800000, 0};
    check(RGBA32_FLOAT, no_numbers, 0, 255, 0);
    check(R32_FLOAT, (const float[]){0.5f}, 188, 188, 188);
    /* Half: 0x3800 is 0.5, 0x3400 is 0.25, 0x1819 is 0.0020008. */
    check(RGBA16_FLOAT, (const uint16_t[]){0x3800, 0x3400, 0x1819, 0}, 188, 137, 7);
    check(RGBA16_FLOAT, (const uint16_t[]){0xb800, 0x7c00, 0x7e00, 0}, 0, 255, 0);
    /* 11 bits: exponent 14, mantissa 0 is 0.5; exponent 13 is 0.25; of 10 bits exponent 15 is 1. */
    check(B10G11R11, (const uint32_t[]){14u << 6 | (13u << 6) << 11 | (15u << 5) << 22}, 188, 137, 255);
    /* 256 * 2^(e - 24): with e = 15 that is 0.5; 128 is 0.25. */
    check(E5B9G9R9, (const uint32_t[]){256u | 128u << 9 | 15u << 27}, 188, 137, 0);
}

static void test_rows(void **state)
{
    (void)state;
    /* Two rows of two texels, each row padded to 12 bytes. */
    const struct ws_chunk_image image = {.format = RGBA8, .width = 2, .height = 2, .pitch = 12};
    const uint8_t bytes[20] = {1, 2, 3, 4, 5, 6, 7, 8, 99, 99, 99, 99, 9, 10, 11, 12, 13, 14, 15, 16};
    const uint8_t expected[16] = {1, 2, 3, 255, 5, 6, 7, 255, 9, 10, 11, 255, 13, 14, 15, 255};
    struct ws_error error = {{0}};
    uint64_t size = 0;
    assert_true(ws_texels_size(&image, &size, &error));
    assert_int_equal(size, sizeof(bytes));
    uint8_t *rgba = ws_launch_image_convert(&image, bytes, sizeof(bytes), &error);
    assert_non_null(rgba);
    assert_memory_equal(rgba, expected, sizeof(expected));
    free(rgba);
    /* One byte is missing. */
    assert_null(ws_launch_image_convert(&image, bytes, sizeof(bytes) - 1, &error));
    assert_string_equal(error.message, "the image is not whole: the capture has 19 of its 20 bytes");
}

static void refuse(const struct ws_chunk_image *image, const char *words)
{
    struct ws_error error = {{0}};
    uint64_t size = 0;
    assert_false(ws_texels_size(image, &size, &error));
    assert_non_null(strstr(error.message, words));
    assert_null(ws_launch_image_convert(image, NULL, 0, &error));
}

static void test_lies(void **state)
{
    (void)state;
    refuse(&(struct ws_chunk_image){.format = 12345, .width = 1, .height = 1, .pitch = 4}, "VkFormat 12345");
    refuse(&(struct ws_chunk_image){.format = RGBA8, .width = 0, .height = 1, .pitch = 4}, "0 x 1 texels");
    refuse(&(struct ws_chunk_image){.format = RGBA8, .width = UINT32_MAX, .height = UINT32_MAX, .pitch = 4},
           "texels");
    refuse(&(struct ws_chunk_image){.format = RGBA8, .width = 2, .height = 2, .pitch = 7}, "rows of 7 bytes");
    refuse(&(struct ws_chunk_image){.format = RGBA8, .width = 2, .height = 2, .pitch = UINT64_MAX},
           "rows of");
    refuse(&(struct ws_chunk_image){.format = RGBA8, .width = 1, .height = 1u << 28, .pitch = 1u << 30},
           "which cannot be");
    refuse(&(struct ws_chunk_image){.format = R32_UINT, .width = 1, .height = 1, .pitch = 4},
           "R32_UINT: integers");
}

static void test_find(void **state)
{
    (void)state;
    struct ws_chunk_image images[] = {
        {.source = WS_IMAGE_PRESENTED, .frame = 2},
        {.source = WS_IMAGE_OF_LAUNCH, .launch = 5},
        {.source = WS_IMAGE_OF_LAUNCH, .launch = 0, .frame = 9},
        {.source = 77, .launch = 6, .frame = 2},
    };
    const struct ws_catalog catalog = {.images = images, .image_count = 4};
    assert_ptr_equal(ws_launch_image_find(&catalog, &(struct ws_launch_record){.index = 5, .frame = 2}),
                     &images[1]);
    assert_ptr_equal(ws_launch_image_find(&catalog, &(struct ws_launch_record){.index = 6, .frame = 2}),
                     &images[0]);
    assert_null(ws_launch_image_find(&catalog, &(struct ws_launch_record){.index = 6, .frame = 9}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normalized), cmocka_unit_test(test_floats), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_lies),       cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
