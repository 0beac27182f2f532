/* One level of cache, by hand and against a naive one. */
#include "analysis/memory/cache/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/analysis/memory/naive_cache.h"

enum { TRACES = 10000 };

/* Accesses lines of one sector; says for each whether it hit: "10" = hit, miss. */
static void assert_hits(const struct ws_cache_settings *settings, const uint64_t *lines, const char *hits)
{
    struct ws_error error = {{0}};
    struct ws_cache *cache = ws_cache_create(settings, "l1", &error);
    assert_non_null(cache);
    for (size_t i = 0; hits[i] != '\0'; ++i)
        assert_int_equal(ws_cache_access(cache, lines[i], 1, WS_CACHE_LOAD), hits[i] == '1');
    ws_cache_destroy(cache);
}

static void lru_displaces_the_oldest(void **state)
{
    (void)state;
    const struct ws_cache_settings two = {.line_bytes = 32, .sectors = 1, .lines = 2};
    /* 1 2 are in; 1 is used; 3 takes the place of 2; then 2 is not there, and takes that of 1. */
    assert_hits(&two, (const uint64_t[]){1, 2, 1, 3, 1, 2, 3}, "0010100");
    /* 2 sets of 1 way: even lines and odd ones. 4 displaces 2, and 3 stays. */
    const struct ws_cache_settings sets = {.line_bytes = 32, .sectors = 1, .lines = 2, .ways = 1};
    assert_hits(&sets, (const uint64_t[]){2, 3, 4, 3, 2}, "00010");
    /* 3 sets: 1, 4 and 7 are in set 1, and 3 x 2^58 in set 0. */
    const struct ws_cache_settings three = {.line_bytes = 32, .sectors = 1, .lines = 3, .ways = 1};
    assert_hits(&three, (const uint64_t[]){1, 3ull << 58, 4, 3ull << 58, 1}, "00010");
}

static void trees_point_to_the_other_half(void **state)
{
    (void)state;
    /* 4 ways. 1 2 3 4 fill slots 0 to 3. The last use of each half: slot 1 on the left, slot 3 on the right, where the very
     * last was. So the root points left, and there to slot 0: 5 displaces 1. The root then points right, and there to slot 2:
     * 6 displaces 3. Now left, to slot 1: 7 displaces 2, though 4 is older. */
    const struct ws_cache_settings four = {
        .line_bytes = 32, .sectors = 1, .lines = 4, .replacement = WS_CACHE_TREE_PLRU};
    assert_hits(&four, (const uint64_t[]){1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7}, "00000001111");
    /* 3 of 4 leaves: behind the right half there is only slot 2. 1 2 3 fill; the root points left, to slot 0: 4 displaces 1.
     * The root points right, where slot 2 is all there is: 5 displaces 3. */
    const struct ws_cache_settings three = {
        .line_bytes = 32, .sectors = 1, .lines = 3, .replacement = WS_CACHE_TREE_PLRU};
    assert_hits(&three, (const uint64_t[]){1, 2, 3, 4, 5, 2, 4, 5}, "00000111");
}

static void sectors_are_brought_in_alone(void **state)
{
    (void)state;
    const struct ws_cache_settings settings = {.line_bytes = 128, .sectors = 4, .lines = 2};
    struct ws_cache *cache = ws_cache_create(&settings, "l1", NULL);
    assert_int_equal(ws_cache_access(cache, 5, 0x3, WS_CACHE_LOAD), 0);
    assert_int_equal(ws_cache_access(cache, 5, 0x6, WS_CACHE_LOAD), 0x2);
    assert_int_equal(ws_cache_access(cache, 5, 0xff, WS_CACHE_LOAD), 0x7);
    const struct ws_cache_counts *counts = ws_cache_counts(cache, WS_CACHE_LOAD);
    assert_int_equal(counts->requests, 3);
    assert_int_equal(counts->sector_hits, 1 + 3);
    assert_int_equal(counts->sector_misses, 2 + 1 + 1);
    assert_int_equal(counts->line_misses, 1);
    ws_cache_destroy(cache);
}

static void what_is_written_goes_through_or_back(void **state)
{
    (void)state;
    struct ws_cache_settings settings = {
        .line_bytes = 64, .sectors = 2, .lines = 2, .writes = WS_CACHE_WRITE_THROUGH};
    struct ws_cache *cache = ws_cache_create(&settings, "l1", NULL);
    /* Stores bring in nothing, but make line 1 the most recent one: 3 displaces 2. */
    assert_int_equal(ws_cache_access(cache, 1, 1, WS_CACHE_STORE), 0);
    assert_int_equal(ws_cache_access(cache, 1, 1, WS_CACHE_LOAD), 0);
    assert_int_equal(ws_cache_access(cache, 2, 1, WS_CACHE_LOAD), 0);
    assert_int_equal(ws_cache_access(cache, 1, 3, WS_CACHE_STORE), 1);
    assert_int_equal(ws_cache_access(cache, 3, 1, WS_CACHE_LOAD), 0);
    assert_int_equal(ws_cache_access(cache, 1, 3, WS_CACHE_LOAD), 1);
    ws_cache_flush(cache);
    assert_int_equal(ws_cache_written_sectors(cache), 0);
    assert_int_equal(ws_cache_access(cache, 1, 3, WS_CACHE_LOAD), 0);
    ws_cache_destroy(cache);

    settings.writes = WS_CACHE_WRITE_BACK;
    cache = ws_cache_create(&settings, "l2", NULL);
    assert_int_equal(ws_cache_access(cache, 1, 1, WS_CACHE_STORE), 0);
    assert_int_equal(ws_cache_access(cache, 1, 1, WS_CACHE_LOAD), 1);
    assert_int_equal(ws_cache_access(cache, 2, 3, WS_CACHE_ATOMIC), 0);
    assert_int_equal(ws_cache_access(cache, 3, 3, WS_CACHE_LOAD),
                     0); /* displaces 1, of which a sector was changed */
    assert_int_equal(ws_cache_written_sectors(cache), 1);
    ws_cache_flush(cache); /* and both of 2 */
    assert_int_equal(ws_cache_written_sectors(cache), 3);
    ws_cache_destroy(cache);
}

/* Strides of a power of two meet in one set, unless the set is hashed: 8 lines that are 64 apart, in 64 sets of 2 ways. */
static void hashed_sets_part_strides(void **state)
{
    (void)state;
    struct ws_cache_settings settings = {.line_bytes = 32, .sectors = 1, .lines = 128, .ways = 2};
    for (uint32_t round = 0; round < 2; ++round) {
        settings.index = round == 0 ? WS_CACHE_MODULO : WS_CACHE_HASH;
        struct ws_cache *cache = ws_cache_create(&settings, "l2", NULL);
        for (uint32_t i = 0; i < 80; ++i)
            ws_cache_access(cache, (uint64_t)(i % 8) * 64, 1, WS_CACHE_LOAD);
        assert_int_equal(ws_cache_counts(cache, WS_CACHE_LOAD)->line_misses, round == 0 ? 80 : 8);
        ws_cache_destroy(cache);
    }
    /* Each block of 64 lines has every set once. */
    const struct ws_cache_sets sets = ws_cache_sets_of(64, WS_CACHE_HASH);
    for (uint64_t block = 0; block < 100; ++block) {
        uint64_t seen = 0;
        for (uint64_t i = 0; i < 64; ++i)
            seen |= (uint64_t)1 << ws_cache_set(&sets, block * 64 + i);
        assert_true(seen == UINT64_MAX);
    }
}

static void random_settings(uint64_t *state, struct ws_cache_settings *settings)
{
    static const uint32_t ways[] = {1, 2, 3, 4, 7, 8, 16, 33, 57, 64, 65, 70, 130};
    const uint32_t chosen = ways[random_below(state, sizeof(ways) / sizeof(ways[0]))];
    const uint32_t sets = 1 + random_below(state, 6);
    *settings = (struct ws_cache_settings){
        .line_bytes = 256,
        .sectors = 1u << random_below(state, 5),
        .lines = chosen * sets,
        .ways = sets == 1 && random_below(state, 2) == 0 ? 0 : chosen,
        .replacement = random_below(state, 2) == 0 ? WS_CACHE_LRU : WS_CACHE_TREE_PLRU,
        .writes = random_below(state, 2) == 0 ? WS_CACHE_WRITE_THROUGH : WS_CACHE_WRITE_BACK,
        .index = random_below(state, 2) == 0 ? WS_CACHE_MODULO : WS_CACHE_HASH,
    };
}

static void random_traces_agree(void **state)
{
    (void)state;
    uint64_t random = 15;
    for (uint32_t trace = 0; trace < TRACES; ++trace) {
        struct ws_cache_settings settings;
        struct naive_cache naive;
        random_settings(&random, &settings);
        const uint32_t lines = 1 + settings.lines * (1 + random_below(&random, 4)) / 2;
        const uint32_t accesses = 20 + 3 * settings.lines / 2;
        struct ws_cache *cache = ws_cache_create(&settings, "l1", NULL);
        assert_non_null(cache);
        naive_cache_init(&naive, &settings);
        for (uint32_t step = 0; step < accesses; ++step) {
            const uint64_t line = trace_line(&random, trace % TRACE_SHAPES, step, lines);
            const uint32_t sectors = random_below(&random, 1u << 16);
            const enum ws_cache_kind kind =
                random_below(&random, 4) > 0 ? WS_CACHE_LOAD : 1 + random_below(&random, 2);
            assert_int_equal(ws_cache_access(cache, line, sectors, kind),
                             naive_cache_access(&naive, line, sectors, kind));
            assert_int_equal(ws_cache_written_sectors(cache), naive.written);
        }
        naive_cache_finish(&naive);
        ws_cache_destroy(cache);
    }
}

/* The L1 of the papers is too large for many traces: 456 ways, once with each shape. */
static void the_papers_l1_agrees(void **state)
{
    (void)state;
    const struct ws_cache_settings settings = {
        .line_bytes = 128, .sectors = 4, .lines = 456, .replacement = WS_CACHE_TREE_PLRU};
    uint64_t random = 456;
    for (uint32_t shape = 0; shape < TRACE_SHAPES; ++shape) {
        struct naive_cache naive;
        struct ws_cache *cache = ws_cache_create(&settings, "l1", NULL);
        naive_cache_init(&naive, &settings);
        for (uint32_t step = 0; step < 5000; ++step) {
            const uint64_t line = trace_line(&random, shape, step, 1000);
            const uint32_t sectors = 1 + random_below(&random, 15);
            assert_int_equal(ws_cache_access(cache, line, sectors, WS_CACHE_LOAD),
                             naive_cache_access(&naive, line, sectors, WS_CACHE_LOAD));
        }
        naive_cache_finish(&naive);
        ws_cache_destroy(cache);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const struct {
        struct ws_cache_settings settings;
        const char *says;
    } cases[] = {
        {{.line_bytes = 96, .sectors = 1, .lines = 4}, "power of two of bytes"},
        {{.line_bytes = 8, .sectors = 1, .lines = 4}, "power of two of bytes"},
        {{.line_bytes = 2048, .sectors = 1, .lines = 4}, "power of two of bytes"},
        {{.line_bytes = 128, .sectors = 3, .lines = 4}, "sectors, not 3"},
        {{.line_bytes = 128, .sectors = 0, .lines = 4}, "sectors, not 0"},
        {{.line_bytes = 128, .sectors = 16, .lines = 4}, "a sector has at least 16 bytes, not 8"},
        {{.line_bytes = 128, .sectors = 4, .lines = 0}, "lines, not 0"},
        {{.line_bytes = 128, .sectors = 4, .lines = UINT32_MAX}, "lines, not 4294967295"},
        {{.line_bytes = 128, .sectors = 4, .lines = 6, .ways = 4}, "sets of 4 ways"},
        {{.line_bytes = 128, .sectors = 4, .lines = 4, .ways = 8}, "sets of 8 ways"},
        {{.line_bytes = 128, .sectors = 4, .lines = 8192, .replacement = WS_CACHE_TREE_PLRU},
         "at most 4096 ways"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct ws_error error = {{0}};
        assert_null(ws_cache_create(&cases[i].settings, "l1", &error));
        assert_non_null(strstr(error.message, cases[i].says));
        assert_ptr_equal(strstr(error.message, "l1: "), error.message);
    }
    ws_cache_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_displaces_the_oldest),
        cmocka_unit_test(trees_point_to_the_other_half),
        cmocka_unit_test(sectors_are_brought_in_alone),
        cmocka_unit_test(what_is_written_goes_through_or_back),
        cmocka_unit_test(hashed_sets_part_strides),
        cmocka_unit_test(random_traces_agree),
        cmocka_unit_test(the_papers_l1_agrees),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
