/* Sums by part of a launch, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/memory/part_pictures.h"

static const struct ws_traced_access near = {.memory = "near"};
static const struct ws_traced_access far = {.memory = "far"};
static const struct ws_part_what nothing = {WS_NONE, WS_NONE, WS_NONE, WS_NONE,
                                            WS_NONE, WS_NONE, WS_NONE, WS_NONE};

/* The next request; NULL = it counts for nothing. */
static bool add(struct ws_part_sums *sums, const struct ws_traced_access *access, uint32_t bound,
                const struct ws_caches_sums *request)
{
    ws_part_sums_next(sums);
    return request == NULL || ws_part_sums_add(sums, access, bound, &nothing, request);
}

/* Requests of each part, of buffers of that name; NULL = of all. */
static void count(const struct ws_part_sums *sums, const char *buffer, uint64_t requests[WS_PARTS])
{
    for (uint32_t i = 0; i < WS_PARTS; ++i)
        requests[i] = 0;
    for (uint32_t i = 0; i < sums->row_count; ++i)
        if (buffer == NULL || ws_part_sums_pair(sums, &sums->rows[i])->buffer == buffer)
            requests[ws_part_sums_part(sums, &sums->rows[i])] += sums->rows[i].sums.requests;
}

/* The example of the header: of 100 requests two are in each part. Every third is of another buffer; one is left out. */
static void parts_by_hand(void **state)
{
    (void)state;
    const struct ws_caches_sums one = {.requests = 1};
    struct ws_part_sums sums = {0};
    uint64_t requests[WS_PARTS];
    for (uint32_t i = 0; i < 100; ++i)
        assert_true(add(&sums, i % 3 == 0 ? &far : &near, 4, i == 95 ? NULL : &one));
    count(&sums, NULL, requests);
    for (uint32_t i = 0; i < WS_PARTS; ++i)
        assert_int_equal(requests[i], i == 47 ? 1 : 2);
    /* Requests 0, 3, 6 and 9 are of it. */
    count(&sums, far.memory, requests);
    static const uint64_t expected[5] = {1, 1, 0, 1, 1};
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(requests[i], expected[i]);
    ws_part_sums_finish(&sums);
}

/* Of many requests none is lost, each part has as many but for a 32nd, and memory is bounded. One buffer that two things are
 * bound to has two rows. */
static void many_requests(void **state)
{
    (void)state;
    enum { REQUESTS = 1000003 };
    const struct ws_caches_sums one = {.requests = 1, .lanes = 3};
    struct ws_part_sums sums = {0};
    uint64_t requests[WS_PARTS];
    uint64_t total = 0;
    for (uint32_t i = 0; i < REQUESTS; ++i)
        assert_true(add(&sums, i % 2 == 0 ? &far : &near, i % 4 == 1 ? 5 : 4, &one));
    assert_true(sums.row_count <= 3 * WS_PART_STEPS);
    assert_int_equal(sums.pairs.count, 3);
    count(&sums, NULL, requests);
    for (uint32_t i = 0; i < WS_PARTS; ++i) {
        assert_true(llabs((long long)requests[i] - REQUESTS / (long long)WS_PARTS) <=
                    REQUESTS / (long long)WS_PARTS / 16);
        total += requests[i];
    }
    assert_int_equal(total, REQUESTS);
    ws_part_sums_finish(&sums);
}

/* Two requests of 4 and 2 sectors of one buffer, then one of 8 of another, which has most: of three, they are in the parts 0,
 * 16 and 33. */
static void pictures_by_hand(void **state)
{
    (void)state;
    static const uint64_t sectors[3] = {4, 2, 8};
    static const uint32_t parts[3] = {0, 16, 33};
    struct ws_part_sums sums = {0};
    struct ws_part_pictures pictures = {0};
    for (uint32_t i = 0; i < 3; ++i) {
        const struct ws_caches_sums request = {.requests = 1, .sectors = sectors[i]};
        assert_true(add(&sums, i == 2 ? &far : &near, 4, &request));
    }
    assert_true(ws_part_pictures_add(&pictures, 7, &sums));
    assert_int_equal(pictures.count, 1);
    const struct ws_part_picture *picture = pictures.list[0];
    assert_int_equal(picture->launch, 7);
    assert_int_equal(picture->buffer_count, 2);
    assert_ptr_equal(picture->buffers[0], far.memory);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(picture->sums[parts[i]].sectors, sectors[i]);
        assert_true(picture->sectors[i == 2 ? 0 : 1][parts[i]] == (double)sectors[i]);
    }
    for (uint32_t i = 0; i < WS_PART_PICTURES_MAX + 2; ++i)
        assert_true(ws_part_pictures_add(&pictures, 8, &sums));
    assert_int_equal(pictures.count, WS_PART_PICTURES_MAX);
    assert_int_equal(pictures.left_out, 3);
    ws_part_pictures_finish(&pictures);
    ws_part_sums_finish(&sums);
}

/* Rows of one thread, place or page each; of a whole launch they have no parts. */
static void rows_of_things(void **state)
{
    (void)state;
    const struct ws_caches_sums one = {.requests = 1};
    struct ws_part_sums sums = {.is_whole = true};
    for (uint32_t i = 0; i < 120; ++i) {
        struct ws_part_what what = nothing;
        what.shader = i % 2;
        what.place = i % 3;
        what.thread = i % 5;
        ws_part_sums_next(&sums);
        assert_true(ws_part_sums_add(&sums, &near, 4, &what, &one));
    }
    /* Shader, place and thread: 2 x 3 x 5, four times each. */
    assert_int_equal(sums.row_count, 30);
    for (uint32_t i = 0; i < sums.row_count; ++i) {
        const struct ws_part_what *what = &sums.whats[sums.rows[i].what];
        assert_int_equal(sums.rows[i].sums.requests, 4);
        assert_int_equal(ws_part_sums_part(&sums, &sums.rows[i]), 0);
        assert_int_equal(what->shader, i % 2);
        assert_int_equal(what->place, i % 3);
        assert_int_equal(what->thread, i % 5);
    }
    ws_part_sums_finish(&sums);
}

/* Vertices and faces 0 and 1 are things of their own. */
static void rows_of_elements(void **state)
{
    const struct ws_caches_sums one = {.requests = 1};
    struct ws_part_sums sums = {.is_whole = true};
    (void)state;
    for (uint32_t i = 0; i < 24; ++i) {
        struct ws_part_what what = nothing;
        what.built = 4 + i % 2;
        what.element = i / 2 % 2;
        ws_part_sums_next(&sums);
        assert_true(ws_part_sums_add(&sums, &near, 4, &what, &one));
    }
    assert_int_equal(sums.row_count, 4);
    for (uint32_t i = 0; i < sums.row_count; ++i) {
        const struct ws_part_what *what = &sums.whats[sums.rows[i].what];
        assert_int_equal(sums.rows[i].sums.requests, 6);
        assert_int_equal(what->built, 4 + i % 2);
        assert_int_equal(what->element, i / 2);
        assert_int_equal(what->page, WS_NONE);
        assert_int_equal(what->thread, WS_NONE);
    }
    ws_part_sums_finish(&sums);
}

/* Without room steps are put together, until there are about as many as parts; what finds no room then is counted. */
static void little_room(void **state)
{
    (void)state;
    enum { REQUESTS = 3000, PAGES = 4 };
    const struct ws_caches_sums one = {.requests = 1};
    struct ws_part_sums sums = {.most = 1500};
    uint64_t total = 0;
    for (uint32_t i = 0; i < REQUESTS; ++i) {
        struct ws_part_what what = nothing;
        what.page = i % PAGES;
        ws_part_sums_next(&sums);
        assert_true(ws_part_sums_add(&sums, &near, 4, &what, &one));
    }
    for (uint32_t i = 0; i < sums.row_count; ++i)
        total += sums.rows[i].sums.requests;
    assert_true(sums.shift > 0);
    assert_int_equal(sums.left_out, 0);
    assert_int_equal(total, REQUESTS);
    ws_part_sums_finish(&sums);
    /* Room for 100 rows, and things: pages 100 and on, and steps beyond them, have none. */
    sums = (struct ws_part_sums){.most = 100};
    total = 0;
    for (uint32_t i = 0; i < REQUESTS; ++i) {
        struct ws_part_what what = nothing;
        what.page = i % 200;
        ws_part_sums_next(&sums);
        assert_true(ws_part_sums_add(&sums, &near, 4, &what, &one));
    }
    for (uint32_t i = 0; i < sums.row_count; ++i)
        total += sums.rows[i].sums.requests;
    assert_int_equal(sums.row_count, 100);
    assert_int_equal(sums.what_count, 100);
    assert_true(sums.left_out >= REQUESTS / 2);
    assert_int_equal(total + sums.left_out, REQUESTS);
    ws_part_sums_finish(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_by_hand),    cmocka_unit_test(many_requests),
                                       cmocka_unit_test(pictures_by_hand), cmocka_unit_test(rows_of_things),
                                       cmocka_unit_test(rows_of_elements), cmocka_unit_test(rows_of_elements),
                                       cmocka_unit_test(little_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
