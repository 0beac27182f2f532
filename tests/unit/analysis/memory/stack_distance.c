/* Reuse distances, Mattson's stacks and the stack distance cache model: by hand, against lists, and against the caches. */
#include "analysis/memory/cache/stack_distance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/memory/cache/sdcm.h"
#include "analysis/memory/cache/set_stacks.h"
#include "analysis/memory/cache/size_curve.h"
#include "tests/unit/analysis/memory/naive_cache.h"

/* A list of lines, most recent first. */
struct list {
    uint64_t lines[4096];
    uint32_t count;
};

/* The distance by the definition: how many lines stand before it. */
static uint64_t naive_distance(struct list *list, uint64_t line)
{
    uint32_t place = 0;
    while (place < list->count && list->lines[place] != line)
        ++place;
    const bool is_new = place == list->count;
    list->count += is_new;
    memmove(list->lines + 1, list->lines, place * sizeof(list->lines[0]));
    list->lines[0] = line;
    return is_new ? WS_DISTANCE_NONE : place;
}

static void table_of_the_paper(void **state)
{
    (void)state;
    static const uint64_t lines[] = {0, 1, 1, 2, 0};
    static const uint64_t expected[] = {WS_DISTANCE_NONE, WS_DISTANCE_NONE, 0, WS_DISTANCE_NONE, 2};
    struct ws_stack_distance *distances = ws_stack_distance_create(1);
    for (size_t i = 0; i < 5; ++i)
        assert_true(ws_stack_distance_access(distances, lines[i]) == expected[i]);
    assert_int_equal(ws_stack_distance_accesses(distances), 5);
    ws_stack_distance_destroy(distances);
    distances = ws_stack_distance_create(1);
    uint64_t found[5];
    ws_stack_distance_run(distances, lines, 5, found);
    assert_memory_equal(found, expected, sizeof(found));
    assert_int_equal(ws_stack_distance_lines(distances), 3);
    /* Of 5 accesses 1 has a distance below 1 and below 2, and 2 have one below 3. */
    assert_true(ws_stack_distance_hit_rate(distances, 0) == 0);
    assert_true(ws_stack_distance_hit_rate(distances, 1) == 0.2);
    assert_true(ws_stack_distance_hit_rate(distances, 2) == 0.2);
    assert_true(ws_stack_distance_hit_rate(distances, 3) == 0.4);
    assert_true(ws_stack_distance_hit_rate(distances, UINT64_MAX) == 0.4);
    ws_stack_distance_destroy(distances);
    distances = ws_stack_distance_create(1);
    assert_true(ws_stack_distance_hit_rate(distances, 3) == 0);
    ws_stack_distance_destroy(distances);
    ws_stack_distance_destroy(NULL);
}

/* `steps` accesses to `lines` lines, each against the list. */
static void compare(uint64_t *random, uint32_t shape, uint32_t steps, uint32_t lines)
{
    static struct list list;
    struct ws_stack_distance *distances = ws_stack_distance_create(1);
    list.count = 0;
    for (uint32_t step = 0; step < steps; ++step) {
        const uint64_t line = trace_line(random, shape, step, lines);
        assert_true(ws_stack_distance_access(distances, line) == naive_distance(&list, line));
    }
    assert_int_equal(ws_stack_distance_lines(distances), list.count);
    assert_false(ws_stack_distance_failed(distances));
    ws_stack_distance_destroy(distances);
}

static void distances_are_exact(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (uint32_t trace = 0; trace < 3000; ++trace)
        compare(&random, trace % TRACE_SHAPES, 200, 1 + random_below(&random, 100));
    /* Time stamps are given anew many times, and there are more lines than at first there is room for. */
    for (uint32_t shape = 0; shape < TRACE_SHAPES; ++shape) {
        compare(&random, shape, shape == 1 ? 4000 : 20000, 2000);
        compare(&random, shape, shape == 1 ? 4000 : 20000, 60);
    }
}

/* One pass says for every size what the cache of that size does. */
static void every_size_at_once(void **state)
{
    (void)state;
    enum { STEPS = 3000 };
    for (uint32_t lines = 1; lines < 130; lines += 16) {
        const struct ws_cache_settings settings = {.line_bytes = 32, .sectors = 1, .lines = lines};
        struct ws_cache *cache = ws_cache_create(&settings, "l2", NULL);
        struct ws_stack_distance *distances = ws_stack_distance_create(1);
        uint64_t random = 7, hits = 0;
        for (uint32_t step = 0; step < STEPS; ++step) {
            const uint64_t line = trace_line(&random, 5, step, 200);
            hits += ws_cache_access(cache, line, 1, WS_CACHE_LOAD);
            ws_stack_distance_access(distances, line);
        }
        assert_true(hits > 0 || lines == 1);
        assert_true(fabs(ws_stack_distance_hit_rate(distances, lines) - (double)hits / STEPS) < 1e-12);
        ws_stack_distance_destroy(distances);
        ws_cache_destroy(cache);
    }
}

static void many_configurations_in_one_pass(void **state)
{
    (void)state;
    static const uint32_t apart[] = {1, 2, 3, 16};
    static const uint32_t nested[] = {1, 2, 6, 18}; /* each set is a part of one before */
    enum { WAYS = 9 };
    uint64_t random = 5;
    for (uint32_t trace = 0; trace < 400; ++trace) {
        const uint32_t *sets = trace % 4 < 2 ? apart : nested;
        const enum ws_cache_index index = trace % 2 == 0 ? WS_CACHE_MODULO : WS_CACHE_HASH;
        struct ws_set_stacks *stacks = ws_set_stacks_create(sets, 4, WAYS, index, NULL);
        struct naive_cache caches[4][WAYS];
        uint64_t hits[4][WAYS] = {{0}};
        for (uint32_t i = 0; i < 4; ++i)
            for (uint32_t ways = 1; ways <= WAYS; ++ways)
                naive_cache_init(&caches[i][ways - 1], &(struct ws_cache_settings){.line_bytes = 32,
                                                                                   .sectors = 1,
                                                                                   .lines = sets[i] * ways,
                                                                                   .ways = ways,
                                                                                   .index = index});
        for (uint32_t step = 0; step < 100; ++step) {
            const uint64_t line = trace_line(&random, trace % TRACE_SHAPES, step, 60);
            ws_set_stacks_access(stacks, line);
            for (uint32_t i = 0; i < 4; ++i)
                for (uint32_t ways = 0; ways < WAYS; ++ways)
                    hits[i][ways] += naive_cache_access(&caches[i][ways], line, 1, WS_CACHE_LOAD);
        }
        assert_int_equal(ws_set_stacks_accesses(stacks), 100);
        for (uint32_t i = 0; i < 4; ++i)
            for (uint32_t ways = 0; ways < WAYS; ++ways) {
                assert_int_equal(ws_set_stacks_hits(stacks, i, ways + 1), hits[i][ways]);
                naive_cache_finish(&caches[i][ways]);
            }
        ws_set_stacks_destroy(stacks);
    }
}

static void stacks_that_cannot_be(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    assert_null(ws_set_stacks_create(&(uint32_t){4}, 1, 0, WS_CACHE_MODULO, &error));
    assert_non_null(strstr(error.message, "1 to 64 ways, not 0"));
    error.message[0] = '\0';
    assert_null(ws_set_stacks_create(&(uint32_t){0}, 1, 4, WS_CACHE_MODULO, &error));
    assert_null(ws_set_stacks_create(&(uint32_t){UINT32_MAX}, 1, 64, WS_CACHE_MODULO, &error));
    assert_non_null(strstr(error.message, "use fewer sets"));
    ws_set_stacks_destroy(NULL);
}

/* A sixteenth of the lines says within 0.025 what all say, in the mean over sizes: the measure of the paper (section 5). Where
 * hit rates have no step, it does so at every size. A loop hits all at once where it fits, and its size is an estimate too. */
static void sampling_is_near(void **state)
{
    (void)state;
    enum { STEPS = 600000, LINES = 100000 };
    static const uint32_t shapes[] = {0, 3, 4, 5};
    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i) {
        struct ws_stack_distance *all = ws_stack_distance_create(1);
        struct ws_stack_distance *some = ws_stack_distance_create(16);
        uint64_t random = 16;
        for (uint32_t step = 0; step < STEPS; ++step) {
            const uint64_t line = trace_line(&random, shapes[i], step, LINES);
            ws_stack_distance_access(all, line);
            ws_stack_distance_access(some, line);
        }
        assert_int_equal(ws_stack_distance_accesses(some), STEPS);
        const double lines = (double)ws_stack_distance_lines(all);
        assert_true(fabs((double)ws_stack_distance_lines(some) / lines - 1) < 0.05);
        const bool has_step = shapes[i] == 3 || shapes[i] == 5;
        double errors = 0;
        uint32_t sizes = 0;
        for (uint64_t size = 1000; size < 2 * LINES; size += 1500, ++sizes) {
            const double error =
                fabs(ws_stack_distance_hit_rate(some, size) - ws_stack_distance_hit_rate(all, size));
            assert_true(error <= 0.025 || has_step);
            errors += error;
        }
        assert_true(errors / sizes <= 0.025);
        ws_stack_distance_destroy(all);
        ws_stack_distance_destroy(some);
    }
}

/* Eq. 2.28 as it is written. */
static double direct_sum(uint32_t distance, uint32_t ways, uint32_t lines)
{
    const double share = (double)ways / lines;
    double sum = 0;
    for (uint32_t a = 0; a < ways && a <= distance; ++a) {
        double choose = 1;
        for (uint32_t i = 1; i <= a; ++i)
            choose = choose * (distance - a + i) / i;
        sum += choose * pow(share, a) * pow(1 - share, distance - a);
    }
    return sum;
}

/* A histogram of one access, of that distance. */
static double rate_of(uint32_t distance, uint32_t ways, uint32_t lines)
{
    static uint64_t counts[2000000];
    counts[distance] = 1;
    const struct ws_distance_histogram histogram = {
        .counts = counts, .size = distance + 1, .one_of = 1, .total = 1};
    const double rate = ws_sdcm_hit_rate(&histogram, ways, lines);
    counts[distance] = 0;
    return rate;
}

static void model_is_the_sum(void **state)
{
    (void)state;
    assert_true(fabs(ws_sdcm_hit(2, 1, 4) - 0.5625) < 1e-15);
    assert_true(ws_sdcm_hit(WS_DISTANCE_NONE, 4, 16) == 0);
    assert_true(ws_sdcm_hit(15, 16, 16) == 1 && ws_sdcm_hit(16, 16, 16) == 0);
    for (uint32_t ways = 1; ways <= 16; ways = ways * 3 / 2 + 1)
        for (uint32_t lines = ways + 1; lines < 200; lines += 13)
            for (uint32_t distance = 0; distance < 150; distance += 7) {
                const double expected = direct_sum(distance, ways, lines);
                assert_true(fabs(ws_sdcm_hit(distance, ways, lines) - expected) < 1e-12);
                assert_true(fabs(rate_of(distance, ways, lines) - expected) < 1e-12);
            }
}

/* Where (1 - A / B)^D is no double any more, and (A / B)^(A - 1) is none: both ways agree, and the mean of the binomial
 * distribution, D x A / B = A, has half of it on each side. */
static void model_is_stable(void **state)
{
    (void)state;
    static const uint32_t ways[] = {16, 64, 512, 2048};
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t lines = 196608;
        double before = 1;
        for (uint32_t distance = 0; distance < 400000; distance += 20011) {
            const double hit = ws_sdcm_hit(distance, ways[i], lines);
            assert_true(hit >= 0 && hit <= before + 1e-9);
            assert_true(fabs(hit - rate_of(distance, ways[i], lines)) < 1e-9);
            before = hit;
        }
        assert_true(fabs(ws_sdcm_hit(lines, ways[i], lines) - 0.5) < 0.6 / sqrt(ways[i]));
    }
    assert_true(ws_sdcm_hit(1000000000000, 16, 196608) == 0);
}

/* The model's rate beside a cache that is run. */
static void model_is_near_the_cache(void **state)
{
    (void)state;
    enum { STEPS = 100000, LINES = 4096 };
    for (uint32_t ways = 1; ways <= 16; ways *= 4) {
        const struct ws_cache_settings settings = {
            .line_bytes = 32, .sectors = 1, .lines = 1024, .ways = ways, .index = WS_CACHE_HASH};
        struct ws_cache *cache = ws_cache_create(&settings, "l2", NULL);
        struct ws_stack_distance *distances = ws_stack_distance_create(1);
        uint64_t random = 28, hits = 0;
        double model = 0;
        for (uint32_t step = 0; step < STEPS; ++step) {
            const uint64_t line = trace_line(&random, 4, step, LINES) * 0x9e3779b1u;
            hits += ws_cache_access(cache, line, 1, WS_CACHE_LOAD);
            model += ws_sdcm_hit(ws_stack_distance_access(distances, line), ways, settings.lines) / STEPS;
        }
        const struct ws_distance_histogram histogram = ws_stack_distance_histogram(distances);
        assert_true(fabs(ws_sdcm_hit_rate(&histogram, ways, settings.lines) - model) < 1e-9);
        assert_true(fabs(model - (double)hits / STEPS) < 0.01);
        ws_stack_distance_destroy(distances);
        ws_cache_destroy(cache);
    }
}

/* The hit rate of 256 KiB of a random trace, and its error. Samples of other lines come by another `offset`. */
static double estimate(uint32_t shape, uint32_t one_of, uint64_t offset, double *error)
{
    enum { STEPS = 60000, LINES = 8000, SIZE = 4 };
    struct ws_size_curve curve = {.one_of = one_of};
    struct ws_size_run run = {0};
    uint64_t random = 16;
    assert_true(ws_size_run_begin(&run, one_of));
    for (uint32_t step = 0; step < STEPS; ++step) {
        const uint64_t line = trace_line(&random, shape, step, LINES) + offset;
        ws_size_run_distances(&run, &line, 1);
        ws_size_run_stacks(&run, &line, 1);
    }
    assert_false(ws_size_run_failed(&run));
    ws_size_curve_add(&curve, &run);
    ws_size_run_finish(&run);
    assert_int_equal(curve.lines, STEPS);
    assert_true((curve.ways[SIZE] > 0) == (one_of == 1));
    *error = ws_size_curve_error(&curve, SIZE);
    return curve.full[SIZE] / STEPS;
}

/* The example of the header. Then many samples of traces: the mean square of how far they are off by their errors is near 1. */
static void errors_of_samples(void **state)
{
    (void)state;
    enum { SAMPLES = 60 };
    static const uint64_t misses[2] = {3, 1};
    assert_true(fabs(ws_size_curve_spread(misses, 2, 2, 8) - sqrt(2.0) / 4) < 1e-12);
    for (uint32_t shape = 0; shape <= 4; shape += 4) {
        double squares = 0;
        double error = 0;
        const double exact = estimate(shape, 1, 0, &error);
        assert_true(error == 0);
        for (uint64_t i = 0; i < SAMPLES; ++i) {
            const double off = estimate(shape, 16, i << 32, &error) - exact;
            squares += off * off / (error * error) / SAMPLES;
        }
        assert_true(squares > 0.4 && squares < 1.8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_samples),
        cmocka_unit_test(table_of_the_paper),
        cmocka_unit_test(distances_are_exact),
        cmocka_unit_test(every_size_at_once),
        cmocka_unit_test(many_configurations_in_one_pass),
        cmocka_unit_test(stacks_that_cannot_be),
        cmocka_unit_test(sampling_is_near),
        cmocka_unit_test(model_is_the_sum),
        cmocka_unit_test(model_is_stable),
        cmocka_unit_test(model_is_near_the_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
