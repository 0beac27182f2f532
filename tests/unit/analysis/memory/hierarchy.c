/* L1s and an L2, by hand and against naive ones. */
#include "analysis/memory/cache/hierarchy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/analysis/memory/naive_cache.h"

static const struct ws_cache_shape two_multiprocessors = {
    .multiprocessors = 2,
    .l1 = {.line_bytes = 128, .sectors = 4, .lines = 4},
    .l2 = {.line_bytes = 64, .sectors = 2, .lines = 64, .ways = 4, .writes = WS_CACHE_WRITE_BACK},
};

/* 32 lanes, `stride` bytes apart, of 4 bytes each. */
static struct ws_hierarchy_counts run(struct ws_hierarchy *hierarchy, uint32_t multiprocessor,
                                      enum ws_cache_kind kind, uint64_t address, uint32_t stride)
{
    uint64_t addresses[32];
    struct ws_hierarchy_counts outcome = {{0}};
    for (uint32_t i = 0; i < 32; ++i)
        addresses[i] = address + (uint64_t)i * stride;
    ws_hierarchy_run(hierarchy, &(struct ws_hierarchy_request){multiprocessor, kind, addresses, 32, 4},
                     &outcome);
    return outcome;
}

static void example_of_the_header(void **state)
{
    (void)state;
    struct ws_hierarchy *hierarchy = ws_hierarchy_create(&two_multiprocessors, NULL);
    struct ws_hierarchy_counts counts = run(hierarchy, 0, WS_CACHE_LOAD, 1280, 4);
    assert_int_equal(counts.requests[WS_CACHE_LOAD], 1);
    assert_int_equal(counts.lines, 1);
    assert_int_equal(counts.l1_misses, 4);
    assert_int_equal(counts.l2_misses[WS_CACHE_LOAD], 4);
    assert_int_equal(counts.memory_bytes, 128);
    counts = run(hierarchy, 0, WS_CACHE_LOAD, 1280, 4);
    assert_int_equal(counts.l1_hits, 4);
    assert_int_equal(counts.l1_misses + counts.l2_hits[WS_CACHE_LOAD] + counts.memory_bytes, 0);
    counts = run(hierarchy, 1, WS_CACHE_LOAD, 1280, 4);
    assert_int_equal(counts.l1_misses, 4);
    assert_int_equal(counts.l2_hits[WS_CACHE_LOAD], 4);
    assert_int_equal(counts.memory_bytes, 0);
    ws_hierarchy_destroy(hierarchy);
    ws_hierarchy_destroy(NULL);
}

struct told {
    uint64_t addresses[8];
    struct ws_hierarchy_counts counts[8];
    uint32_t count;
};

static void tell(void *user, uint64_t address, const struct ws_hierarchy_counts *counts)
{
    struct told *told = user;
    assert_true(told->count < 8);
    told->addresses[told->count] = address;
    told->counts[told->count++] = *counts;
}

/* Two lines, of which one is there already: 4 hits there, 2 sectors of the other read from memory. In all they are the same as
 * where nobody asks for lines. */
static void tells_of_lines(void **state)
{
    (void)state;
    struct ws_hierarchy *hierarchy = ws_hierarchy_create(&two_multiprocessors, NULL);
    const uint64_t addresses[] = {1280, 1312, 1344, 1376, 4096, 4128};
    struct told told = {.count = 0};
    struct ws_hierarchy_counts all = {{0}};
    run(hierarchy, 0, WS_CACHE_LOAD, 1280, 4);
    ws_hierarchy_run(
        hierarchy,
        &(struct ws_hierarchy_request){0, WS_CACHE_LOAD, addresses, 6, 32, 0, .part = tell, .user = &told},
        &all);
    assert_int_equal(told.count, 2);
    assert_int_equal(told.addresses[0], 1280);
    assert_int_equal(told.counts[0].l1_hits, 4);
    assert_int_equal(told.counts[0].l1_misses + told.counts[0].memory_bytes, 0);
    assert_int_equal(told.addresses[1], 4096);
    assert_int_equal(told.counts[1].l1_misses, 2);
    assert_int_equal(told.counts[1].l2_misses[WS_CACHE_LOAD], 2);
    assert_int_equal(told.counts[1].memory_bytes, 64);
    assert_int_equal(all.l1_hits, 4);
    assert_int_equal(all.l1_misses, 2);
    assert_int_equal(all.lines, 2);
    assert_int_equal(all.memory_bytes, 64);
    ws_hierarchy_destroy(hierarchy);
}

static void stores_and_atomics_ask_the_l2(void **state)
{
    (void)state;
    struct ws_hierarchy *hierarchy = ws_hierarchy_create(&two_multiprocessors, NULL);
    /* 64 bytes apart: 32 sectors of 16 lines. */
    struct ws_hierarchy_counts counts = run(hierarchy, 0, WS_CACHE_STORE, 0, 64);
    assert_int_equal(counts.lines, 16);
    assert_int_equal(counts.l1_hits + counts.l1_misses, 0);
    assert_int_equal(counts.l2_misses[WS_CACHE_STORE], 32);
    assert_int_equal(counts.memory_bytes, 0);
    counts = run(hierarchy, 0, WS_CACHE_ATOMIC, 0, 64);
    assert_int_equal(counts.l2_hits[WS_CACHE_ATOMIC], 32);
    /* Stores brought nothing into the L1. */
    counts = run(hierarchy, 0, WS_CACHE_LOAD, 0, 4);
    assert_int_equal(counts.l1_misses, 4);
    assert_int_equal(counts.l2_hits[WS_CACHE_LOAD], 2); /* of the bytes 0 to 127, the sectors at 0 and 64 */
    assert_int_equal(counts.memory_bytes, 64);
    counts = run(hierarchy, 0, WS_CACHE_ATOMIC, 4096, 0);
    assert_int_equal(counts.memory_bytes, 32);
    assert_int_equal(ws_hierarchy_written_bytes(hierarchy), 0);
    ws_hierarchy_flush(hierarchy);
    assert_int_equal(ws_hierarchy_written_bytes(hierarchy), 33 * 32);
    counts = run(hierarchy, 0, WS_CACHE_LOAD, 0, 4);
    assert_int_equal(counts.l2_misses[WS_CACHE_LOAD], 4);
    ws_hierarchy_destroy(hierarchy);
}

static void odd_requests(void **state)
{
    (void)state;
    struct ws_hierarchy *hierarchy = ws_hierarchy_create(&two_multiprocessors, NULL);
    struct ws_hierarchy_counts counts = {{0}};
    const uint64_t last = UINT64_MAX - 3;
    /* What reaches beyond the last address ends there: bytes 2^64 - 4 on are one sector. */
    ws_hierarchy_run(hierarchy, &(struct ws_hierarchy_request){9, WS_CACHE_LOAD, &last, 1, 64}, &counts);
    assert_int_equal(counts.l1_misses, 1);
    /* Across a line: bytes 120 to 135 are the last sector of one and the first of the next. */
    const uint64_t across = 120;
    counts = (struct ws_hierarchy_counts){{0}};
    ws_hierarchy_run(hierarchy, &(struct ws_hierarchy_request){0, WS_CACHE_LOAD, &across, 1, 16}, &counts);
    assert_int_equal(counts.lines, 2);
    assert_int_equal(counts.l1_misses, 2);
    assert_int_equal(counts.l2_misses[WS_CACHE_LOAD], 2);
    /* Nothing: sums stay. */
    ws_hierarchy_run(hierarchy, &(struct ws_hierarchy_request){0, WS_CACHE_LOAD, &across, 1, 0}, &counts);
    assert_int_equal(counts.requests[WS_CACHE_LOAD], 2);
    assert_int_equal(counts.lines, 2);
    /* More lines than are told apart: 128 KiB are 1024 lines. */
    ws_hierarchy_run(hierarchy, &(struct ws_hierarchy_request){0, WS_CACHE_STORE, &across, 1, 131072},
                     &counts);
    assert_int_equal(counts.lines, 2 + 1025);
    ws_hierarchy_destroy(hierarchy);
}

/* ---- against naive caches, byte by byte ---- */

enum { BYTES = 1 << 14 };

struct naive {
    struct ws_cache_shape shape;
    struct naive_cache l1s[3], l2;
};

static uint32_t count(uint32_t bits)
{
    return bits == 0 ? 0 : (bits & 1) + count(bits >> 1);
}

/* The sectors of a line of which a byte is marked. */
static uint32_t marked_sectors(const bool *marked, const struct ws_cache_settings *settings, uint64_t line)
{
    uint32_t sectors = 0;
    for (uint32_t byte = 0; byte < settings->line_bytes; ++byte)
        if (line * settings->line_bytes + byte < BYTES && marked[line * settings->line_bytes + byte])
            sectors |= 1u << byte / (settings->line_bytes / settings->sectors);
    return sectors;
}

static void naive_line(struct naive *naive, uint32_t multiprocessor, enum ws_cache_kind kind, uint64_t line,
                       uint32_t sectors, struct ws_hierarchy_counts *counts)
{
    static bool asked[BYTES + 1024];
    const struct ws_cache_settings *l1 = &naive->shape.l1;
    const struct ws_cache_settings *l2 = &naive->shape.l2;
    const uint64_t start = line * l1->line_bytes;
    uint32_t hits = 0;
    if (kind != WS_CACHE_ATOMIC)
        hits = naive_cache_access(&naive->l1s[multiprocessor], line, sectors, kind);
    if (kind == WS_CACHE_LOAD) {
        counts->l1_hits += count(hits);
        counts->l1_misses += count(sectors & ~hits);
        sectors &= ~hits;
    }
    memset(asked, 0, sizeof(asked));
    for (uint32_t byte = 0; byte < l1->line_bytes; ++byte)
        asked[start + byte] = (sectors >> byte / (l1->line_bytes / l1->sectors) & 1) != 0;
    for (uint64_t l2_line = start / l2->line_bytes; l2_line * l2->line_bytes < start + l1->line_bytes;
         ++l2_line) {
        const uint32_t wanted = marked_sectors(asked, l2, l2_line);
        if (wanted == 0)
            continue;
        const uint32_t l2_hits = naive_cache_access(&naive->l2, l2_line, wanted, kind);
        counts->l2_hits[kind] += count(l2_hits);
        counts->l2_misses[kind] += count(wanted & ~l2_hits);
    }
}

static void naive_run(struct naive *naive, const struct ws_hierarchy_request *request,
                      struct ws_hierarchy_counts *counts)
{
    static bool marked[BYTES];
    const uint32_t line_bytes = naive->shape.l1.line_bytes;
    uint32_t done[BYTES / 16] = {0};
    memset(marked, 0, sizeof(marked));
    counts->requests[request->kind]++;
    for (uint32_t lane = 0; lane < request->lanes; ++lane)
        for (uint32_t byte = 0; byte < request->size; ++byte)
            marked[request->addresses[lane] + byte] = true;
    for (uint32_t lane = 0; lane < request->lanes; ++lane)
        for (uint32_t byte = 0; byte < request->size; ++byte) {
            const uint64_t line = (request->addresses[lane] + byte) / line_bytes;
            if (done[line]++ > 0)
                continue;
            counts->lines++;
            naive_line(naive, request->multiprocessor, request->kind, line,
                       marked_sectors(marked, &naive->shape.l1, line), counts);
        }
}

static struct ws_cache_settings random_cache(uint64_t *random, uint32_t lines, enum ws_cache_writes writes)
{
    const uint32_t line_shift = 4 + random_below(random, 5);
    const uint32_t sectors_most = line_shift - 4 < 4 ? line_shift - 4 : 4;
    const uint32_t ways = 1u << random_below(random, 4);
    return (struct ws_cache_settings){
        .line_bytes = 1u << line_shift,
        .sectors = 1u << random_below(random, sectors_most + 1),
        .lines = lines * ways,
        .ways = ways,
        .replacement = random_below(random, 2) == 0 ? WS_CACHE_LRU : WS_CACHE_TREE_PLRU,
        .writes = writes,
    };
}

static void random_requests_agree(void **state)
{
    (void)state;
    uint64_t random = 68;
    for (uint32_t trace = 0; trace < 300; ++trace) {
        struct naive naive = {.shape = {.multiprocessors = 3,
                                        .l1 = random_cache(&random, 2, WS_CACHE_WRITE_THROUGH),
                                        .l2 = random_cache(&random, 5, WS_CACHE_WRITE_BACK)}};
        struct ws_hierarchy *hierarchy = ws_hierarchy_create(&naive.shape, NULL);
        struct ws_hierarchy_counts expected = {{0}};
        struct ws_hierarchy_counts found = {{0}};
        for (uint32_t i = 0; i < 3; ++i)
            naive_cache_init(&naive.l1s[i], &naive.shape.l1);
        naive_cache_init(&naive.l2, &naive.shape.l2);
        for (uint32_t step = 0; step < 15; ++step) {
            uint64_t addresses[8];
            const struct ws_hierarchy_request request = {random_below(&random, 3), random_below(&random, 3),
                                                         addresses, 1 + random_below(&random, 8),
                                                         1 + random_below(&random, 70)};
            for (uint32_t lane = 0; lane < 8; ++lane)
                addresses[lane] = trace_line(&random, trace % 5, step * 8 + lane, 500) * 4;
            ws_hierarchy_run(hierarchy, &request, &found);
            naive_run(&naive, &request, &expected);
            expected.memory_bytes =
                (expected.l2_misses[WS_CACHE_LOAD] + expected.l2_misses[WS_CACHE_ATOMIC]) *
                (naive.shape.l2.line_bytes / naive.shape.l2.sectors);
            assert_memory_equal(&found, &expected, sizeof(expected));
        }
        for (uint32_t i = 0; i < 3; ++i)
            naive_cache_finish(&naive.l1s[i]);
        naive_cache_finish(&naive.l2);
        ws_hierarchy_destroy(hierarchy);
    }
}

static void add_outcome(struct ws_hierarchy_counts *sums, enum ws_cache_kind kind,
                        const struct ws_hierarchy_outcome *outcome)
{
    sums->lines++;
    sums->l1_hits += outcome->l1_hits;
    sums->l1_misses += outcome->l1_misses;
    sums->l2_hits[kind] += outcome->l2_hits;
    sums->l2_misses[kind] += outcome->l2_misses;
    sums->memory_bytes += outcome->memory_bytes;
}

/* Requests whose lines are known come to the same as by their sectors. */
static void known_lines_agree(void **state)
{
    (void)state;
    struct ws_hierarchy *by_sectors = ws_hierarchy_create(&two_multiprocessors, NULL);
    struct ws_hierarchy *by_lines = ws_hierarchy_create(&two_multiprocessors, NULL);
    struct ws_hierarchy_counts sector_sums = {{0}}, line_sums = {{0}};
    uint64_t random = 3;
    assert_true(ws_hierarchy_has_lines(by_lines, 128, 32));
    assert_false(ws_hierarchy_has_lines(by_lines, 64, 32) || ws_hierarchy_has_lines(by_lines, 128, 128));
    for (uint32_t step = 0; step < 3000; ++step) {
        uint64_t addresses[16];
        uint64_t lines[4];
        struct ws_hierarchy_part parts[4];
        struct ws_hierarchy_outcome outcomes[4];
        struct ws_hierarchy_request request = {.multiprocessor = random_below(&random, 2),
                                               .kind = random_below(&random, WS_CACHE_KINDS),
                                               .addresses = addresses,
                                               .size = 32};
        const uint64_t line = random_below(&random, 40);
        const uint32_t count = 1 + random_below(&random, 4);
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t sectors = 1 + random_below(&random, 15);
            for (uint32_t j = 0; j < 4; ++j)
                if ((sectors >> j & 1) != 0)
                    addresses[request.lanes++] = (line + i) * 128 + j * 32;
            lines[i] = line + i;
            parts[i] =
                (struct ws_hierarchy_part){request.multiprocessor, (uint16_t)sectors, (uint8_t)request.kind};
        }
        ws_hierarchy_run_parts(by_lines, lines, parts, count, outcomes);
        for (uint32_t i = 0; i < count; ++i)
            add_outcome(&line_sums, request.kind, &outcomes[i]);
        line_sums.requests[request.kind]++;
        ws_hierarchy_run(by_sectors, &request, &sector_sums);
        assert_memory_equal(&line_sums, &sector_sums, sizeof(line_sums));
    }
    ws_hierarchy_destroy(by_sectors);
    ws_hierarchy_destroy(by_lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_of_the_header),         cmocka_unit_test(tells_of_lines),
        cmocka_unit_test(stores_and_atomics_ask_the_l2), cmocka_unit_test(odd_requests),
        cmocka_unit_test(random_requests_agree),         cmocka_unit_test(known_lines_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
