/* How new words of packed records are compressed: which of their planes get codes, and that all bytes come back. */
#include "layer/capture/chunk_compressor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "warpscope/capture.h"

#define FIRST  1000u        /* bytes before the new words */
#define PLANE  (100u << 10) /* bytes of a plane of them */
#define PLANES 4u
#define SIZE   (FIRST + PLANES * PLANE)

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Bytes below 160 have 7.3 bits each, so codes leave 92 % of them; bytes below 16 have 4, and half is left. */
static void fill(uint8_t *bytes, const uint32_t limits[PLANES])
{
    uint32_t state = 1;
    memset(bytes, 7, FIRST);
    for (uint32_t plane = 0; plane < PLANES; ++plane)
        for (uint32_t i = 0; i < PLANE; ++i)
            bytes[FIRST + plane * PLANE + i] = (uint8_t)(next_random(&state) % limits[plane]);
}

/* How many frames the bytes are, of which that number begins at `*at`. */
static uint32_t count_frames(const uint8_t *compressed, size_t size, uint32_t number, size_t *at)
{
    uint32_t count = 0;
    for (size_t begin = 0; begin < size; ++count) {
        if (count == number)
            *at = begin;
        begin += ZSTD_findFrameCompressedSize(compressed + begin, size - begin);
    }
    return count;
}

/* Compresses such planes; `*frames` and `*second` are how many frames that makes, and the size of the second one. */
static void compress(const uint32_t limits[PLANES], uint32_t *frames, size_t *second)
{
    static uint8_t bytes[SIZE], back[SIZE];
    const size_t bound = ws_chunk_compressed_bound(SIZE);
    uint8_t *compressed = malloc(bound);
    struct ws_chunk_compressor *compressor = ws_chunk_compressor_create();
    assert_true(compressed != NULL && compressor != NULL);
    fill(bytes, limits);
    const struct ws_chunk_payload payload = {.data = bytes, .size = SIZE, .noise = PLANES * PLANE};
    const size_t size = ws_chunk_compress(compressor, WS_CHUNK_RECORDS, &payload, 0, compressed);
    assert_true(size > 0 && size <= bound);
    assert_int_equal(ZSTD_decompress(back, SIZE, compressed, size), SIZE);
    assert_memory_equal(back, bytes, SIZE);
    size_t at = 0;
    *frames = count_frames(compressed, size, 1, &at);
    *second = ZSTD_findFrameCompressedSize(compressed + at, size - at);
    ws_chunk_compressor_destroy(compressor);
    free(compressed);
}

/* The first three planes are one frame, whose bytes are as they were: nothing is saved. */
static void planes_that_hardly_shrink_get_no_codes(void **state)
{
    (void)state;
    uint32_t frames = 0;
    size_t second = 0;
    compress((const uint32_t[]){160, 160, 160, 16}, &frames, &second);
    assert_int_equal(frames, 3);
    assert_true(second >= 3 * PLANE && second <= 3 * PLANE + 100);
}

static void planes_that_shrink_get_codes(void **state)
{
    (void)state;
    uint32_t frames = 0;
    size_t second = 0;
    compress((const uint32_t[]){16, 16, 16, 16}, &frames, &second);
    assert_int_equal(frames, 2);
    assert_true(second < PLANES * PLANE * 6 / 10);
}

/* Then each plane is a frame, and their bound is the largest. */
static void ways_may_change_with_each_plane(void **state)
{
    (void)state;
    uint32_t frames = 0;
    size_t second = 0;
    compress((const uint32_t[]){16, 160, 16, 160}, &frames, &second);
    assert_int_equal(frames, 5);
    assert_true(second < PLANE * 6 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_that_hardly_shrink_get_no_codes),
        cmocka_unit_test(planes_that_shrink_get_codes),
        cmocka_unit_test(ways_may_change_with_each_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
