/* Batches come to the same in threads and without, and as lines that run one after the other. */
#include "analysis/memory/cache/batches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/analysis/memory/naive_cache.h"

enum { LINES = 200000, MULTIPROCESSORS = 5 };

static const struct ws_cache_shape usual = {
    .multiprocessors = MULTIPROCESSORS,
    .l1 = {.line_bytes = 128, .sectors = 4, .lines = 32, .replacement = WS_CACHE_TREE_PLRU},
    .l2 = {.line_bytes = 32, .sectors = 1, .lines = 1024, .ways = 16, .writes = WS_CACHE_WRITE_BACK},
};

/* Its lines are not those of the size curve. */
static const struct ws_cache_shape narrow = {
    .multiprocessors = MULTIPROCESSORS,
    .l1 = {.line_bytes = 64, .sectors = 2, .lines = 64},
    .l2 = {.line_bytes = 64, .sectors = 1, .lines = 1024, .ways = 16, .writes = WS_CACHE_WRITE_BACK},
};

struct trace {
    uint64_t lines[LINES];
    struct ws_hierarchy_part parts[LINES];
    struct ws_hierarchy_outcome outcomes[LINES];
};

struct taken {
    const struct ws_batch *of_slot[WS_BATCHES];
    struct ws_hierarchy_outcome *outcomes;
    uint32_t count;
    uint32_t batches;
    uint32_t fails_at; /* the batch at which taking fails; 0 = none */
};

static bool take(void *user, uint32_t slot, const struct ws_batch *batch)
{
    struct taken *taken = user;
    assert_true(slot < WS_BATCHES && batch == taken->of_slot[slot]);
    assert_true(taken->count + batch->part_count <= LINES);
    memcpy(taken->outcomes + taken->count, batch->outcomes, batch->part_count * sizeof(batch->outcomes[0]));
    taken->count += batch->part_count;
    return ++taken->batches != taken->fails_at;
}

static void make_trace(struct trace *trace, const struct ws_cache_shape *shape)
{
    uint64_t random = 5;
    for (uint32_t i = 0; i < LINES; ++i) {
        trace->lines[i] = random_below(&random, 1 + random_below(&random, 3000));
        trace->parts[i] =
            (struct ws_hierarchy_part){random_below(&random, MULTIPROCESSORS),
                                       (uint16_t)(1 + random_below(&random, (1u << shape->l1.sectors) - 1)),
                                       (uint8_t)random_below(&random, WS_CACHE_KINDS)};
    }
}

/* Runs the first `count` lines. False where a batch could not be taken. */
static bool run(struct ws_batches *batches, const struct trace *trace, uint32_t count, struct taken *taken)
{
    taken->of_slot[0] = ws_batches_filled(batches);
    for (uint32_t i = 0; i < count; ++i) {
        if (ws_batches_filled(batches)->part_count == WS_BATCH_LINES && !ws_batches_next(batches))
            return false;
        struct ws_batch *batch = ws_batches_filled(batches);
        taken->of_slot[ws_batches_slot(batches)] = batch;
        batch->lines[batch->part_count] = trace->lines[i];
        batch->parts[batch->part_count++] = trace->parts[i];
        if (batch->curve_lines != NULL)
            batch->curve_lines[batch->curve_count++] = trace->lines[i] / 2;
    }
    return ws_batches_end(batches);
}

static void check(const struct ws_cache_shape *shape, const struct trace *trace, uint32_t count,
                  uint32_t threads, uint32_t one_of)
{
    struct taken taken = {.outcomes = calloc(LINES, sizeof(*taken.outcomes))};
    struct ws_batches *batches = ws_batches_create(&(struct ws_batches_settings){
        .shape = shape, .has_curve = one_of > 0, .one_of = one_of, .threads = threads, take, &taken});
    struct ws_size_run sizes = {0};
    struct ws_size_curve curves[2] = {{.one_of = one_of}, {.one_of = one_of}};
    const bool has_lines = ws_batches_has_lines(batches);
    assert_true(has_lines == (shape == &usual) && run(batches, trace, count, &taken));
    assert_int_equal(taken.count, count);
    assert_int_equal(taken.batches, count == 0 ? 1 : (count + WS_BATCH_LINES - 1) / WS_BATCH_LINES);
    assert_memory_equal(taken.outcomes, trace->outcomes, count * sizeof(taken.outcomes[0]));
    assert_true(one_of == 0 || ws_size_run_begin(&sizes, one_of));
    for (uint32_t i = 0; one_of > 0 && i < count; ++i) {
        const uint64_t line = has_lines ? trace->lines[i] : trace->lines[i] / 2;
        ws_size_run_distances(&sizes, &line, 1);
        ws_size_run_stacks(&sizes, &line, 1);
    }
    ws_size_curve_add(&curves[0], &sizes);
    ws_size_curve_add(&curves[1], ws_batches_sizes(batches));
    assert_memory_equal(&curves[0], &curves[1], sizeof(curves[0]));
    ws_size_run_finish(&sizes);
    ws_batches_destroy(batches);
    free(taken.outcomes);
}

static void threads_change_nothing(void **state)
{
    static const uint32_t counts[] = {0, 1, WS_BATCH_LINES, WS_BATCH_LINES + 1, LINES};
    static const uint32_t curves[] = {1, 16, 0};
    const struct ws_cache_shape *const shapes[] = {&usual, &narrow};
    struct trace *trace = malloc(sizeof(*trace));
    (void)state;
    assert_non_null(trace);
    for (uint32_t shape = 0; shape < 2; ++shape) {
        struct ws_hierarchy *hierarchy = ws_hierarchy_create(shapes[shape], NULL);
        make_trace(trace, shapes[shape]);
        for (uint32_t i = 0; i < LINES; ++i)
            ws_hierarchy_run_parts(hierarchy, &trace->lines[i], &trace->parts[i], 1, &trace->outcomes[i]);
        ws_hierarchy_destroy(hierarchy);
        for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i)
            for (uint32_t threads = 1; threads <= 2; ++threads)
                for (uint32_t curve = 0; curve < 3; ++curve)
                    check(shapes[shape], trace, counts[i], threads, curves[curve]);
    }
    free(trace);
}

/* Who gives up on the way: threads end, and nothing is left. */
static void given_up(void **state)
{
    struct trace *trace = malloc(sizeof(*trace));
    (void)state;
    assert_non_null(trace);
    make_trace(trace, &usual);
    for (uint32_t threads = 1; threads <= 2; ++threads) {
        struct taken taken = {.outcomes = calloc(LINES, sizeof(*taken.outcomes)), .fails_at = 3};
        struct ws_batches *batches = ws_batches_create(&(struct ws_batches_settings){
            .shape = &usual, .has_curve = true, .one_of = 1, .threads = threads, take, &taken});
        assert_false(run(batches, trace, LINES, &taken));
        assert_int_equal(taken.batches, 3);
        ws_batches_destroy(batches);
        free(taken.outcomes);
    }
    free(trace);
    ws_batches_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
