/* How packed records are compressed: what gets codes, in what matches are looked for, and that all bytes come back. */
#include "layer/capture/chunk_compressor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "warpscope/capture.h"

#define FIRST  1000u        /* bytes before the slots */
#define SLOTS  (60u << 10)  /* bytes of slots of known words */
#define PLANE  (100u << 10) /* bytes of a plane of new words */
#define PLANES 4u
#define SIZE   (FIRST + SLOTS + PLANES * PLANE)

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Bytes below 160 have 7.3 bits each, so codes leave 92 % of them; bytes below 16 have 4, and half is left. Slots come in
 * any order, or in pieces of 32 that are one of eight. */
static void fill(uint8_t *bytes, bool repeated, const uint32_t limits[PLANES])
{
    uint32_t state = 1;
    memset(bytes, 7, FIRST);
    for (uint32_t i = 0; i < SLOTS; ++i)
        bytes[FIRST + i] = (uint8_t)(next_random(&state) % 16);
    for (uint32_t i = 8 * 32; repeated && i < SLOTS; i += 32)
        memcpy(bytes + FIRST + i, bytes + FIRST + 32 * (next_random(&state) % 8), 32);
    for (uint32_t plane = 0; plane < PLANES; ++plane)
        for (uint32_t i = 0; i < PLANE; ++i)
            bytes[FIRST + SLOTS + plane * PLANE + i] = (uint8_t)(next_random(&state) % limits[plane]);
}

#define FRAMES 6

/* Of compressed bytes. */
struct frames {
    uint32_t count;
    size_t sizes[FRAMES];
};

static struct frames find_frames(const uint8_t *compressed, size_t size)
{
    struct frames frames = {.count = 0};
    for (size_t at = 0; at < size; at += frames.sizes[frames.count++]) {
        assert_true(frames.count < FRAMES);
        frames.sizes[frames.count] = ZSTD_findFrameCompressedSize(compressed + at, size - at);
        assert_false(ZSTD_isError(frames.sizes[frames.count]));
    }
    return frames;
}

/* The frames of such slots and planes. All bytes come back. */
static struct frames compress(bool repeated, const uint32_t limits[PLANES])
{
    static uint8_t bytes[SIZE], back[SIZE];
    const size_t bound = ws_chunk_compressed_bound(SIZE);
    uint8_t *compressed = malloc(bound);
    struct ws_chunk_compressor *compressor = ws_chunk_compressor_create();
    assert_true(compressed != NULL && compressor != NULL);
    fill(bytes, repeated, limits);
    const struct ws_chunk_payload payload = {
        .data = bytes, .size = SIZE, .saved = 1, .packed = {.slots = SLOTS, .noise = PLANES * PLANE}};
    const size_t size = ws_chunk_compress(compressor, WS_CHUNK_RECORDS, &payload, 0, compressed);
    assert_true(size > 0 && size <= bound);
    assert_int_equal(ZSTD_decompress(back, SIZE, compressed, size), SIZE);
    assert_memory_equal(back, bytes, SIZE);
    const struct frames frames = find_frames(compressed, size);
    ws_chunk_compressor_destroy(compressor);
    free(compressed);
    return frames;
}

/* The first three planes are one frame, whose bytes are as they were: nothing is saved. */
static void planes_that_hardly_shrink_get_no_codes(void **state)
{
    (void)state;
    const struct frames frames = compress(false, (const uint32_t[]){160, 160, 160, 16});
    assert_int_equal(frames.count, 4);
    assert_true(frames.sizes[2] >= 3 * PLANE && frames.sizes[2] <= 3 * PLANE + 100);
}

static void planes_that_shrink_get_codes(void **state)
{
    (void)state;
    const struct frames frames = compress(false, (const uint32_t[]){16, 16, 16, 16});
    assert_int_equal(frames.count, 3);
    assert_true(frames.sizes[2] < PLANES * PLANE * 6 / 10);
}

/* Then each plane is a frame, and their bound is the largest. */
static void ways_may_change_with_each_plane(void **state)
{
    (void)state;
    const struct frames frames = compress(false, (const uint32_t[]){16, 160, 16, 160});
    assert_int_equal(frames.count, FRAMES);
    assert_true(frames.sizes[2] < PLANE * 6 / 10 && frames.sizes[3] > PLANE);
}

/* Slots in any order have 4 bits each, whatever is looked for; of those that come again little is left. */
static void matches_are_looked_for_where_slots_come_again(void **state)
{
    (void)state;
    const uint32_t limits[PLANES] = {16, 16, 16, 16};
    const struct frames other = compress(false, limits);
    const struct frames again = compress(true, limits);
    assert_true(other.sizes[1] > SLOTS / 2 && other.sizes[1] < SLOTS * 6 / 10);
    assert_true(again.sizes[1] < SLOTS / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_that_hardly_shrink_get_no_codes),
        cmocka_unit_test(planes_that_shrink_get_codes),
        cmocka_unit_test(ways_may_change_with_each_plane),
        cmocka_unit_test(matches_are_looked_for_where_slots_come_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
