/* Pages of what was touched, and pictures of them, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/memory/page_pictures.h"
#include "warpscope/instrument.h"
#include "warpscope/model/catalog.h"

#define ALLOCATION 2

/* Loads of `size` bytes at 4 x the first word of a lane from a binding. */
static struct ws_traced_access load(uint32_t size, uint32_t binding)
{
    return (struct ws_traced_access){
        .access = {.memory = WS_MEMORY_STORAGE,
                   .variable = 7 + binding,
                   .size = size,
                   .unit = 4,
                   .base = WS_NONE,
                   .descriptor_word = WS_NONE,
                   .terms = {{0, 4}},
                   .term_count = 1},
        .is_bound = true,
        .binding = binding,
        .memory = binding == 0 ? "near" : "far",
    };
}

/* The page of each line of a request of these words, with its buffer noted. */
static uint32_t touch(struct ws_page_table *table, struct ws_request_memory *memory,
                      const struct ws_traced_access *access, const uint32_t *words, uint32_t lanes,
                      struct ws_request *request, uint32_t pages[8])
{
    assert_true(ws_request_make(request, memory, access, 0, NULL, words, 1, lanes));
    assert_true(request->line_count <= 8);
    for (uint32_t i = 0; i < request->line_count; ++i) {
        assert_true(ws_page_table_find(table, 5, memory, request->lines[i].line, &pages[i]));
        ws_page_note(&table->list[pages[i]], request->lines[i].bound, access->memory);
    }
    return request->line_count;
}

/* The example of the header: bytes 0, 100 and 8192 are two pages, of which the second begins at 8192. A lane counts where its
 * first byte lies: the last, of bytes 4092 to 4099, touches a third page without counting there. */
static void pages_by_hand(void **state)
{
    (void)state;
    struct ws_page_table table = {.bytes = 4096};
    struct ws_request_memory memory = {0};
    struct ws_request request;
    uint32_t pages[8];
    const struct ws_traced_access access = load(8, 0);
    const uint32_t words[] = {8192 / 4, 0, 100 / 4};
    assert_int_equal(touch(&table, &memory, &access, words, 3, &request, pages), 2);
    assert_int_equal(table.count, 2);
    assert_int_equal(table.list[pages[0]].begin, 8192);
    assert_int_equal(table.list[pages[1]].begin, 0);
    assert_int_equal(request.lines[0].lanes, 1);
    assert_int_equal(request.lines[1].lanes, 2);
    uint32_t *order = ws_page_table_order(&table);
    assert_int_equal(order[0], pages[1]);
    assert_int_equal(order[1], pages[0]);
    free(order);
    const uint32_t edge = 4092 / 4;
    assert_int_equal(touch(&table, &memory, &access, &edge, 1, &request, pages), 2);
    assert_int_equal(table.count, 3);
    assert_int_equal(table.list[pages[0]].begin, 0);
    assert_int_equal(table.list[pages[1]].begin, 4096);
    assert_int_equal(request.lines[0].lanes, 1);
    assert_int_equal(request.lines[1].lanes, 0);
    ws_page_table_finish(&table);
    ws_request_memory_finish(&memory);
}

/* Pages that are larger than those that requests are put together from: bytes 0, 65536 and 2^21 of two buffers. */
static void large_pages(void **state)
{
    (void)state;
    struct ws_page_table table = {.bytes = 1u << 21};
    struct ws_request_memory memory = {0};
    struct ws_request request;
    uint32_t pages[8];
    const struct ws_traced_access near = load(4, 0);
    const struct ws_traced_access far = load(4, 1);
    const uint32_t words[] = {0, 65536 / 4, (1u << 21) / 4};
    touch(&table, &memory, &near, words, 3, &request, pages);
    assert_int_equal(pages[0], pages[1]);
    assert_int_equal(table.list[pages[2]].begin, 1u << 21);
    touch(&table, &memory, &far, words, 1, &request, pages);
    assert_int_equal(table.count, 3);
    ws_page_table_finish(&table);
    ws_request_memory_finish(&memory);
}

/* A page of a known allocation is one in all launches, with the buffers of all. Of what is not known each launch has its own. A
 * fifth buffer is not named. */
static void pages_of_launches(void **state)
{
    (void)state;
    static const char *const texts[6] = {"a", "b", "a", "c", "d", "e"};
    struct ws_page_table table = {.bytes = 4096};
    struct ws_page known = {.launch = 1, .home = 9, .memory = ALLOCATION, .begin = 8192};
    struct ws_page unknown = {.launch = 1, .home = 9, .memory = WS_BOUND_UNKNOWN, .begin = UINT64_C(5) << 32};
    uint32_t numbers[6];
    assert_true(ws_page_table_take(&table, &unknown, &numbers[0]) &&
                ws_page_table_take(&table, &known, &numbers[1]));
    ws_page_note(&known, WS_BOUND_UNKNOWN, "a");
    known.launch = unknown.launch = 2;
    assert_true(ws_page_table_take(&table, &unknown, &numbers[2]) &&
                ws_page_table_take(&table, &known, &numbers[3]));
    known.begin = unknown.begin = 0;
    assert_true(ws_page_table_take(&table, &unknown, &numbers[4]) &&
                ws_page_table_take(&table, &known, &numbers[5]));
    assert_int_equal(numbers[3], numbers[1]);
    assert_int_equal(table.count, 5);
    uint32_t *order = ws_page_table_order(&table);
    const uint32_t expected[5] = {numbers[5], numbers[1], numbers[0], numbers[4], numbers[2]};
    assert_memory_equal(order, expected, sizeof(expected));
    free(order);
    struct ws_page *page = &table.list[numbers[1]];
    assert_int_equal(page->owner_count, 1);
    struct ws_catalog catalog;
    char text[64];
    ws_catalog_init(&catalog);
    for (int i = 0; i < 6; ++i)
        ws_page_note(page, WS_BOUND_UNKNOWN, texts[i]);
    ws_page_owners_text(&catalog, page, text, sizeof(text));
    assert_string_equal(text, "a, b, c, d, ...");
    ws_page_home_text(&catalog, &table.list[numbers[0]], text, sizeof(text));
    assert_string_equal(text, "device addresses");
    ws_catalog_finish(&catalog);
    ws_page_table_finish(&table);
}

/* Two pages of one buffer, one of another. Of 100 requests each even one touches page 1, and requests 98 and 99 page 0 of the
 * other: each part has one request of page 1, the last two of the other's. Each asks for 3 sectors, of which 1 hits. */
static void pictures_by_hand(void **state)
{
    (void)state;
    const struct ws_caches_sums one = {.requests = 1, .l1_sectors = 3, .l1_hits = 1, .l2_sectors = 2};
    const struct ws_traced_access near = load(4, 0);
    struct ws_catalog catalog;
    struct ws_page_table table = {.bytes = 4096};
    struct ws_part_sums sums = {0};
    struct ws_image image;
    uint32_t other, first, second;
    ws_catalog_init(&catalog);
    struct ws_page_pictures pictures = {.catalog = &catalog, .page_bytes = 4096};
    struct ws_page page = {.launch = 1, .home = 8, .memory = WS_BOUND_UNKNOWN};
    ws_page_note(&page, WS_BOUND_UNKNOWN, "other");
    assert_true(ws_page_table_take(&table, &page, &other));
    page = (struct ws_page){.launch = 1, .home = 4, .memory = WS_BOUND_UNKNOWN, .begin = 40960};
    ws_page_note(&page, WS_BOUND_UNKNOWN, "near");
    assert_true(ws_page_table_take(&table, &page, &second));
    page.begin = 4096;
    assert_true(ws_page_table_take(&table, &page, &first));
    for (uint32_t i = 0; i < 100; ++i) {
        struct ws_part_what what = {WS_NONE, WS_NONE, WS_NONE, second, WS_NONE, WS_NONE, WS_NONE, WS_NONE};
        ws_part_sums_next(&sums);
        if (i % 2 == 0)
            assert_true(ws_part_sums_add(&sums, &near, 4, &what, &one));
        what.page = other;
        if (i >= 98)
            assert_true(ws_part_sums_add(&sums, &near, 4, &what, &one));
    }
    assert_true(ws_page_pictures_add(&pictures, 7, &sums, &table));
    assert_int_equal(pictures.count, 1);
    const struct ws_page_picture *picture = &pictures.list[0];
    assert_int_equal(picture->pages, 3);
    for (uint32_t i = 0; i < WS_PARTS; ++i) {
        assert_true(picture->values[WS_PAGE_REQUESTS][i] == UINT64_MAX);
        assert_int_equal(picture->values[WS_PAGE_REQUESTS][WS_PARTS + i], 1);
        assert_int_equal(picture->values[WS_PAGE_L1_MISSES][WS_PARTS + i], 2);
        assert_int_equal(picture->values[WS_PAGE_REQUESTS][2 * WS_PARTS + i], i == 49 ? 2 : UINT64_MAX);
        assert_int_equal(picture->values[WS_PAGE_L2_MISSES][2 * WS_PARTS + i], i == 49 ? 4 : UINT64_MAX);
    }
    assert_true(ws_page_picture_image(&pictures, 0, WS_PAGE_REQUESTS, &image));
    assert_int_equal(image.band_count, 2);
    assert_string_equal(image.bands[0].name, "near");
    assert_int_equal(image.bands[1].first, 2);
    assert_false(image.bands[1].is_part);
    assert_string_equal(image.bands[1].name, "other");
    ws_page_pictures_finish(&pictures);
    ws_part_sums_finish(&sums);
    ws_page_table_finish(&table);
    ws_catalog_finish(&catalog);
}

/* Room for 5 pages of all launches: of launches of 3, 3 and 2 pages the second finds none. */
static void pictures_share_their_room(void **state)
{
    (void)state;
    static const uint32_t counts[3] = {3, 3, 2};
    static const struct ws_caches_sums one = {.requests = 1};
    const struct ws_traced_access near = load(4, 0);
    struct ws_catalog catalog;
    ws_catalog_init(&catalog);
    struct ws_page_pictures pictures = {.catalog = &catalog, .page_bytes = 4096, .most = 5};
    for (uint32_t launch = 0; launch < 3; ++launch) {
        struct ws_page_table table = {.bytes = 4096};
        struct ws_part_sums sums = {0};
        for (uint32_t i = 0; i < counts[launch]; ++i) {
            const struct ws_page page = {
                .launch = launch, .home = 4, .memory = WS_BOUND_UNKNOWN, .begin = 4096 * (uint64_t)i};
            struct ws_part_what what = {WS_NONE, WS_NONE, WS_NONE, WS_NONE, WS_NONE, WS_NONE};
            assert_true(ws_page_table_take(&table, &page, &what.page));
            ws_part_sums_next(&sums);
            assert_true(ws_part_sums_add(&sums, &near, 4, &what, &one));
        }
        assert_true(ws_page_pictures_add(&pictures, launch, &sums, &table));
        ws_part_sums_finish(&sums);
        ws_page_table_finish(&table);
    }
    assert_int_equal(pictures.count, 2);
    assert_int_equal(pictures.list[0].launch, 0);
    assert_int_equal(pictures.list[1].launch, 2);
    assert_int_equal(pictures.pages, 5);
    assert_int_equal(pictures.left_out, 1);
    ws_page_pictures_finish(&pictures);
    ws_catalog_finish(&catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_by_hand), cmocka_unit_test(large_pages), cmocka_unit_test(pages_of_launches),
        cmocka_unit_test(pictures_by_hand), cmocka_unit_test(pictures_share_their_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
