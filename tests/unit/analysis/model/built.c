/* What structures were built of, from chunks made by hand: the examples of built.h, and whose bytes are whose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "warpscope/model/catalog.h"

enum { INDEX_16 = 0, INDEX_NONE = 1000165000 };
enum { ALLOCATION = 5, VERTICES = 6, LOOSE = 7, GONE = 8 };

static struct ws_catalog catalog;

static void record(const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    assert_true(ws_catalog_record(&catalog, chunk, &error));
}

static int setup(void **state)
{
    (void)state;
    static const uint32_t gone[] = {GONE};
    const struct ws_resource resources[] = {
        {.id = ALLOCATION, .kind = WS_RESOURCE_ALLOCATION, .within = WS_NONE, .size = 65536, .name = ""},
        {.id = VERTICES,
         .kind = WS_RESOURCE_BUFFER,
         .within = ALLOCATION,
         .offset = 128,
         .size = 8192,
         .address = 0x10000,
         .name = ""},
        {.id = LOOSE,
         .kind = WS_RESOURCE_BUFFER,
         .within = WS_NONE,
         .size = 100,
         .address = 0x40000,
         .name = ""},
        {.id = GONE,
         .kind = WS_RESOURCE_BUFFER,
         .within = WS_NONE,
         .size = 100,
         .address = 0x50000,
         .name = ""}};
    struct ws_chunk chunk = {.type = WS_CHUNK_DEVICE};
    ws_catalog_init(&catalog);
    chunk.device = (struct ws_chunk_device){.name = "", .driver_name = "", .driver_info = ""};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_RESOURCES};
    chunk.resources = (struct ws_chunk_resources){.resources = resources, .resource_count = 4};
    record(&chunk);
    chunk.resources = (struct ws_chunk_resources){.moment = 2, .gone = gone, .gone_count = 1};
    record(&chunk);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ws_catalog_finish(&catalog);
    return 0;
}

static void build(uint32_t structure, uint64_t moment, const struct ws_build_geometry *geometries,
                  uint32_t count, const struct ws_build_source *sources, uint32_t source_count)
{
    struct ws_chunk chunk = {.type = WS_CHUNK_BUILD};
    chunk.build = (struct ws_chunk_build){.structure = structure,
                                          .moment = moment,
                                          .source = WS_NONE,
                                          .geometries = geometries,
                                          .geometry_count = count,
                                          .sources = sources,
                                          .source_count = source_count};
    record(&chunk);
}

static uint32_t index_of(uint32_t id)
{
    return ws_bound_resource_of(&catalog, id);
}

/* The element of the only range at a byte of a memory; WS_NONE = there is none. `array` gets its number. */
static uint32_t element_at(const struct ws_built_ranges *ranges, uint32_t id, uint64_t byte, uint32_t *array)
{
    uint32_t at = WS_NONE;
    uint64_t first = 0;
    uint64_t last = 0;
    const struct ws_built_range *range = ws_built_ranges_next(ranges, index_of(id), byte, 1, &at);
    if (range == NULL)
        return WS_NONE;
    ws_built_elements(range, ws_built_array(&catalog, range->array)->step, byte, 1, &first, &last);
    assert_true(first == last);
    assert_null(ws_built_ranges_next(ranges, index_of(id), byte, 1, &at));
    *array = range->array;
    return (uint32_t)first;
}

/* Vertices from byte 256 of the allocation on, indices from 4096 on. */
static void indexed_triangles_have_vertices_and_faces(void **state)
{
    (void)state;
    const struct ws_build_geometry geometry = {
        .type = 0, .primitive_count = 2, .index_type = INDEX_16, .stride = 32};
    /* Three vertices and a position. */
    const struct ws_build_source source = {0, VERTICES, 0x10080, 3 * 32 + 12, VERTICES, 0x10f80, 12};
    struct ws_built_ranges ranges;
    uint32_t array = WS_NONE;
    uint32_t data = 0, indices = 0;
    build(9, 1, &geometry, 1, &source, 1);
    assert_int_equal(ws_built_count(&catalog), 2);
    assert_true(ws_built_ranges_init(&ranges, &catalog, 0));
    assert_int_equal(ranges.count, 0); /* it is built for launch 1 */
    ws_built_ranges_finish(&ranges);
    assert_true(ws_built_ranges_init(&ranges, &catalog, 1));
    assert_int_equal(ranges.count, 2);
    assert_int_equal(element_at(&ranges, ALLOCATION, 300, &array), 1);
    assert_int_equal(ws_built_array(&catalog, array)->kind, WS_BUILT_VERTICES);
    assert_int_equal(ws_built_array(&catalog, array)->structure, 9);
    assert_int_equal(element_at(&ranges, ALLOCATION, 255, &array), WS_NONE);
    assert_int_equal(element_at(&ranges, ALLOCATION, 256, &array), 0);
    assert_int_equal(element_at(&ranges, ALLOCATION, 256 + 127, &array), 3); /* the last has a whole stride */
    assert_int_equal(element_at(&ranges, ALLOCATION, 256 + 128, &array), WS_NONE);
    assert_int_equal(element_at(&ranges, ALLOCATION, 4107, &array), 1);
    assert_int_equal(ws_built_array(&catalog, array)->kind, WS_BUILT_INDICES);
    assert_int_equal(element_at(&ranges, ALLOCATION, 4101, &array), 0);
    assert_int_equal(element_at(&ranges, ALLOCATION, 4108, &array), WS_NONE);
    assert_int_equal(element_at(&ranges, VERTICES, 300, &array), WS_NONE); /* it is no memory of its own */
    ws_built_ranges_finish(&ranges);
    ws_built_of(&catalog, 9, 1, 0, &data, &indices);
    assert_int_equal(ws_built_array(&catalog, data)->kind, WS_BUILT_VERTICES);
    assert_int_equal(ws_built_array(&catalog, indices)->kind, WS_BUILT_INDICES);
    ws_built_of(&catalog, 9, 2, 0, &data, &indices);
    assert_int_equal(data, WS_NONE);
    ws_built_of(&catalog, 9, 1, 1, &data, &indices);
    assert_int_equal(data, WS_NONE);
}

/* A second build of the same place is the same array, and makes it longer; another place is another one, and bytes of both are
 * found in both. */
static void arrays_are_told_apart_by_where_they_are(void **state)
{
    (void)state;
    const struct ws_build_geometry corners[] = {
        {.type = 0, .primitive_count = 1, .index_type = INDEX_NONE, .stride = 12},
        {.type = 0, .primitive_count = 1, .index_type = INDEX_NONE, .stride = 12}};
    const struct ws_build_source first[] = {{0, VERTICES, 0x10000, 36, WS_NONE, 0, 0},
                                            {1, VERTICES, 0x10000 + 12, 36, WS_NONE, 0, 0}};
    const struct ws_build_source second = {0, VERTICES, 0x10000, 72, WS_NONE, 0, 0};
    struct ws_built_ranges ranges;
    uint32_t at = WS_NONE, data = 0, other = 0, indices = 0;
    build(1, 0, corners, 2, first, 2);
    build(2, 1, corners, 1, &second, 1);
    assert_int_equal(ws_built_count(&catalog), 2);
    assert_true(ws_built_ranges_init(&ranges, &catalog, 0));
    const uint32_t memory = index_of(ALLOCATION);
    assert_null(ws_built_ranges_next(&ranges, memory, 128 + 48, 4, &at));
    const struct ws_built_range *range = ws_built_ranges_next(&ranges, memory, 128 + 12, 4, &at);
    assert_non_null(range);
    assert_int_equal(range->array, 1);
    range = ws_built_ranges_next(&ranges, memory, 128 + 12, 4, &at);
    assert_non_null(range);
    assert_int_equal(range->array, 0);
    assert_null(ws_built_ranges_next(&ranges, memory, 128 + 12, 4, &at));
    ws_built_ranges_finish(&ranges);
    assert_true(ws_built_ranges_init(&ranges, &catalog, 1));
    at = WS_NONE;
    assert_non_null(ws_built_ranges_next(&ranges, memory, 128 + 48, 4, &at));
    ws_built_ranges_finish(&ranges);
    ws_built_of(&catalog, 1, 0, 0, &data, &indices);
    ws_built_of(&catalog, 2, 1, 0, &other, &indices);
    assert_int_equal(data, other);
    assert_int_equal(indices, WS_NONE);
}

/* A buffer in no allocation, where the last AABB is cut at its end; one that is gone; one that is never said; and a build of
 * before these were kept. */
static void what_is_not_known_is_counted(void **state)
{
    (void)state;
    const struct ws_build_geometry boxes = {.type = 1, .primitive_count = 4, .stride = 40};
    const struct ws_build_geometry flat = {.type = 1, .primitive_count = 4, .stride = 0};
    const struct ws_build_source sources[] = {{0, LOOSE, 0x40000, 144, WS_NONE, 0, 0},
                                              {0, GONE, 0x50000, 24, WS_NONE, 0, 0},
                                              {0, 77, 0x60000, 24, WS_NONE, 0, 0},
                                              {0, WS_NONE, 0x70000, 24, WS_NONE, 0, 0}};
    struct ws_built_ranges ranges;
    uint32_t array = 0;
    for (uint32_t i = 0; i < 4; ++i)
        build(i, 0, &boxes, 1, &sources[i], 1);
    assert_int_equal(ws_built_unknown(&catalog), 1);
    build(4, 0, &boxes, 1, NULL, 0);
    build(5, 0, &flat, 1, &sources[0], 1);
    assert_int_equal(ws_built_unknown(&catalog), 3);
    assert_true(ws_built_ranges_init(&ranges, &catalog, 1));
    assert_int_equal(ranges.count, 2);
    assert_int_equal(element_at(&ranges, GONE, 7, &array), 0);
    ws_built_ranges_finish(&ranges);
    assert_true(ws_built_ranges_init(&ranges, &catalog, 2));
    assert_int_equal(ranges.count, 1);
    assert_int_equal(element_at(&ranges, LOOSE, 99, &array), 2);
    assert_int_equal(ws_built_array(&catalog, array)->kind, WS_BUILT_BOXES);
    assert_int_equal(element_at(&ranges, LOOSE, 100, &array), WS_NONE);
    ws_built_ranges_finish(&ranges);
}

/* Sizes that only a capture made by hand has: the last element's step would end behind the last number. */
static void sizes_near_the_last_number_do_not_wrap(void **state)
{
    (void)state;
    const struct ws_resource huge = {
        .id = 9, .kind = WS_RESOURCE_BUFFER, .within = WS_NONE, .size = UINT64_MAX, .name = ""};
    const struct ws_build_geometry boxes = {.type = 1, .primitive_count = 1, .stride = 24};
    const struct ws_build_source source = {0, 9, 0, UINT64_MAX - 1, WS_NONE, 0, 0};
    struct ws_chunk chunk = {.type = WS_CHUNK_RESOURCES};
    struct ws_built_ranges ranges;
    chunk.resources = (struct ws_chunk_resources){.resources = &huge, .resource_count = 1};
    record(&chunk);
    build(1, 0, &boxes, 1, &source, 1);
    assert_true(ws_built_ranges_init(&ranges, &catalog, 0));
    assert_int_equal(ranges.count, 1);
    assert_true(ranges.list[0].begin == 0);
    assert_true(ranges.list[0].end == UINT64_MAX);
    ws_built_ranges_finish(&ranges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(indexed_triangles_have_vertices_and_faces, setup, teardown),
        cmocka_unit_test_setup_teardown(arrays_are_told_apart_by_where_they_are, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_known_is_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(sizes_near_the_last_number_do_not_wrap, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
