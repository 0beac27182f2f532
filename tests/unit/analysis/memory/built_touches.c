/* Which vertices and faces the lanes of a request touch, by hand, and what they come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/memory/built_touches.h"

enum { MEMORY = 0, INDEX_16 = 0, INDEX_NONE = 1000165000 };

static struct ws_catalog catalog;

static void record(const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    assert_true(ws_catalog_record(&catalog, chunk, &error));
}

/* A buffer of 4096 bytes with vertices of `stride` from its begin on, and where there are indices, those from 2048 on. */
static void begin(uint32_t index_type, uint64_t stride)
{
    const struct ws_resource buffer = {
        .id = 3, .kind = WS_RESOURCE_BUFFER, .within = WS_NONE, .size = 4096, .address = 0x1000, .name = ""};
    const struct ws_build_geometry geometry = {
        .primitive_count = 100, .index_type = index_type, .stride = stride};
    const bool has_indices = index_type != INDEX_NONE;
    const struct ws_build_source source = {
        0, 3, 0x1000, 1024, has_indices ? 3 : WS_NONE, 0x1800, has_indices ? 600 : 0};
    struct ws_chunk chunk = {.type = WS_CHUNK_DEVICE};
    ws_catalog_init(&catalog);
    chunk.device = (struct ws_chunk_device){.name = "", .driver_name = "", .driver_info = ""};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_RESOURCES};
    chunk.resources = (struct ws_chunk_resources){.resources = &buffer, .resource_count = 1};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_BUILD};
    chunk.build = (struct ws_chunk_build){.source = WS_NONE,
                                          .geometries = &geometry,
                                          .geometry_count = 1,
                                          .sources = &source,
                                          .source_count = 1};
    record(&chunk);
}

static void touch(struct ws_built_touches *touches, const uint64_t *bytes, uint32_t count, uint32_t size)
{
    assert_true(ws_built_touches_begin(touches, &catalog, 0));
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_home home = {.byte = bytes[i], .bound = {MEMORY, MEMORY, bytes[i]}};
        assert_true(ws_built_touches_add(touches, &catalog, &home, size));
    }
    ws_built_touches_end(touches);
}

static void expect(const struct ws_built_touches *touches, uint32_t index, uint32_t part, uint32_t number,
                   uint32_t lanes)
{
    assert_true(index < touches->count);
    assert_int_equal(touches->list[index].part % WS_BUILT_PARTS, part);
    assert_int_equal(touches->list[index].number, number);
    assert_int_equal(touches->list[index].lanes, lanes);
}

/* The example of caches.h. */
static void lanes_are_counted_by_vertex(void **state)
{
    (void)state;
    struct ws_built_touches touches = {.count = 0};
    begin(INDEX_16, 32);
    touch(&touches, (const uint64_t[]){160, 224, 224, 160}, 4, 32);
    assert_int_equal(touches.count, 3);
    expect(&touches, 0, WS_BUILT_WHOLE, 0, 4);
    expect(&touches, 1, WS_BUILT_VERTEX, 5, 2);
    expect(&touches, 2, WS_BUILT_VERTEX, 7, 2);
    touch(&touches, (const uint64_t[]){2044, 4000}, 2, 4); /* behind the vertices, and behind the indices */
    assert_int_equal(touches.count, 0);
    ws_built_touches_finish(&touches);
    ws_catalog_finish(&catalog);
}

/* Lanes may read texels of different formats: one reads 4 bytes of vertex 5 and one 16, in all 20, and one 8 of vertex 7. */
static void bytes_are_those_of_the_lanes(void **state)
{
    static const struct {
        uint64_t byte;
        uint32_t size;
    } lanes[] = {{160, 4}, {224, 8}, {160, 16}};
    (void)state;
    struct ws_built_touches touches = {.count = 0};
    begin(INDEX_16, 32);
    assert_true(ws_built_touches_begin(&touches, &catalog, 0));
    for (uint32_t i = 0; i < 3; ++i) {
        const struct ws_home home = {.byte = lanes[i].byte, .bound = {MEMORY, MEMORY, lanes[i].byte}};
        assert_true(ws_built_touches_add(&touches, &catalog, &home, lanes[i].size));
    }
    ws_built_touches_end(&touches);
    assert_int_equal(touches.count, 3);
    expect(&touches, 0, WS_BUILT_WHOLE, 0, 3);
    expect(&touches, 1, WS_BUILT_VERTEX, 5, 2);
    expect(&touches, 2, WS_BUILT_VERTEX, 7, 1);
    assert_int_equal(touches.list[0].bytes, 28);
    assert_int_equal(touches.list[1].bytes, 20);
    assert_int_equal(touches.list[2].bytes, 8);
    ws_built_touches_finish(&touches);
    ws_catalog_finish(&catalog);
}

/* Indices of 16 bits, read as words: face 1 has the bytes 6 to 11, so the word at 4 is of faces 0 and 1. */
static void words_may_be_of_two_faces(void **state)
{
    (void)state;
    struct ws_built_touches touches = {.count = 0};
    begin(INDEX_16, 32);
    touch(&touches, (const uint64_t[]){2048 + 4, 2048 + 8}, 2, 4);
    assert_int_equal(touches.count, 3);
    expect(&touches, 0, WS_BUILT_WHOLE, 0, 2);
    expect(&touches, 1, WS_BUILT_FACE, 0, 1);
    expect(&touches, 2, WS_BUILT_FACE, 1, 2);
    ws_built_touches_finish(&touches);
    ws_catalog_finish(&catalog);
}

/* Without indices: vertices 2 and 3 of 12 bytes, read at once, are of faces 0 and 1. */
static void corners_are_of_faces(void **state)
{
    (void)state;
    struct ws_built_touches touches = {.count = 0};
    begin(INDEX_NONE, 12);
    touch(&touches, (const uint64_t[]){24}, 1, 16);
    assert_int_equal(touches.count, 5);
    expect(&touches, 0, WS_BUILT_WHOLE, 0, 1);
    expect(&touches, 1, WS_BUILT_VERTEX, 2, 1);
    expect(&touches, 2, WS_BUILT_VERTEX, 3, 1);
    expect(&touches, 3, WS_BUILT_FACE, 0, 1);
    expect(&touches, 4, WS_BUILT_FACE, 1, 1);
    ws_built_touches_finish(&touches);
    ws_catalog_finish(&catalog);
}

static void sums_are_kept_by_element(void **state)
{
    (void)state;
    struct ws_built_sums sums = {.count = 0};
    const struct ws_caches_sums some = {.requests = 1, .l1_sectors = 4, .l1_hits = 3};
    assert_true(ws_built_sums_add(&sums, 2 * WS_BUILT_PARTS + WS_BUILT_VERTEX, 7, &some));
    assert_true(ws_built_sums_add(&sums, 2 * WS_BUILT_PARTS + WS_BUILT_VERTEX, 7, &some));
    assert_true(ws_built_sums_add(&sums, 2 * WS_BUILT_PARTS + WS_BUILT_FACE, 7, &some));
    assert_int_equal(ws_built_sums_find(&sums, 2, 7, false)->l1_hits, 6);
    assert_int_equal(ws_built_sums_find(&sums, 2, 7, true)->l1_hits, 3);
    assert_null(ws_built_sums_find(&sums, 1, 7, true));
    assert_null(ws_built_sums_find(&sums, 2, 6, false));
    ws_built_sums_finish(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_counted_by_vertex), cmocka_unit_test(bytes_are_those_of_the_lanes),
        cmocka_unit_test(words_may_be_of_two_faces),   cmocka_unit_test(corners_are_of_faces),
        cmocka_unit_test(sums_are_kept_by_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
