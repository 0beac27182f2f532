/* Rays of threads that have ended: what is read is what was known of them, from the file and from memory, in any order. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/rays/kept_rays.h"
#include "warpscope/base/arena.h"

#define THREADS 4000u /* so that packs fill several buffers */
#define RAYS    12u
#define RUNS    5u

static struct ws_ray_state states[THREADS];

/* Rays of a thread: some, none, and one thread that has as many as a buffer has room for. */
static uint32_t rays_of(uint32_t thread)
{
    return thread == 1234 ? 20000 : thread % RAYS;
}

static struct ws_ray expected_ray(uint32_t thread, uint32_t number)
{
    return (struct ws_ray){.parent = number % 3 == 0 ? WS_NONE : number - 1,
                           .call = thread,
                           .site = 7,
                           .query = number % 2 == 1,
                           .has_hit = number % 2 == 0,
                           .origin = {0.5f, -0.0f, (float)thread},
                           .tmax = 1e30f,
                           .flags = UINT32_MAX,
                           .hit = {.t = (float)number, .attributes = {0, 9}},
                           .candidate_count = number == 0 ? RUNS : 0};
}

static uint64_t expected_address(uint32_t thread, uint32_t number)
{
    return number % 4 == 0 ? 0 : (uint64_t)thread << 32 | number;
}

static struct ws_ray_candidate expected_candidate(uint32_t thread, uint32_t number)
{
    return (struct ws_ray_candidate){
        .kind = WS_CANDIDATE_QUERY, .shader = thread, .hit = {.primitive = number, .t = 0.25f}};
}

/* What the part makes of records: here without them. */
static void add_ray(struct ws_ray_part *part, uint32_t thread)
{
    struct ws_ray_state *state = &states[thread];
    struct ws_ray_node *node = part->spare_nodes;
    part->spare_nodes = node != NULL ? node->next : NULL;
    node = node != NULL ? node : ws_arena_allocate(part->arena, 1, sizeof(*node));
    assert_non_null(node);
    *node = (struct ws_ray_node){.number = state->ray_count,
                                 .address = expected_address(thread, state->ray_count),
                                 .ray = expected_ray(thread, state->ray_count)};
    if (state->last != NULL)
        state->last->next = node;
    else
        state->first = node;
    state->last = node;
    for (uint32_t i = 0; i < (state->ray_count == 0 ? RUNS : 0); ++i) {
        struct ws_ray_run *run = ws_arena_allocate(part->arena, 1, sizeof(*run));
        assert_non_null(run);
        *run = (struct ws_ray_run){.ray = 0, .candidate = expected_candidate(thread, i)};
        if (state->last_run != NULL)
            state->last_run->next = run;
        else
            state->first_run = run;
        state->last_run = run;
        state->run_count++;
    }
    state->ray_count++;
}

static void check_thread(struct ws_ray_part *part, uint32_t thread)
{
    const struct ws_ray_state *state = &states[thread];
    const uint32_t count = state->ray_count;
    struct ws_ray *rays = calloc(count + 1, sizeof(*rays));
    uint64_t *addresses = calloc(count + 1, sizeof(*addresses));
    struct ws_ray_run *runs = calloc(state->run_count + 1, sizeof(*runs));
    assert_true(rays != NULL && addresses != NULL && runs != NULL);
    assert_true(ws_kept_rays_read(&part->kept, state, rays, addresses, runs));
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_ray expected = expected_ray(thread, i);
        assert_memory_equal(&rays[i], &expected, sizeof(expected));
        assert_true(addresses[i] == expected_address(thread, i));
    }
    for (uint32_t i = 0; i < state->run_count; ++i) {
        const struct ws_ray_candidate expected = expected_candidate(thread, i);
        assert_int_equal(runs[i].ray, 0);
        assert_memory_equal(&runs[i].candidate, &expected, sizeof(expected));
    }
    free(rays);
    free(addresses);
    free(runs);
}

static void keep_all(struct ws_ray_part *part)
{
    memset(states, 0, sizeof(states));
    part->arena = ws_arena_create();
    assert_non_null(part->arena);
    for (uint32_t i = 0; i < THREADS; ++i)
        for (uint32_t j = 0; j < rays_of(i); ++j) {
            add_ray(part, i);
            /* Records that contradict each other: the thread has ended before its last ray. */
            if (j + 2 == rays_of(i) && i % 5 == 0)
                assert_true(ws_kept_rays_add(part, &states[i]));
            if (j + 1 == rays_of(i)) {
                assert_true(ws_kept_rays_add(part, &states[i]));
                assert_null(states[i].first);
                assert_non_null(part->spare_nodes);
            }
        }
    for (uint32_t i = 0; i < THREADS; ++i)
        check_thread(part, i * 1237 % THREADS); /* 1237 is prime */
}

static void keeps_rays_in_a_file(void **state)
{
    struct ws_ray_part part = {0};
    (void)state;
    keep_all(&part);
    assert_true(part.kept.written > 0);
    assert_true(part.kept.word_count <= 4 * WS_KEPT_RAYS_WORDS);
    ws_kept_rays_finish(&part.kept);
    ws_arena_destroy(part.arena);
}

/* The disk is full when something is in the file: the rest stays in memory, behind it. */
static void keeps_rays_in_both(void **state)
{
    struct ws_ray_part part = {0};
    struct rlimit before;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit full = {(rlim_t)WS_KEPT_RAYS_WORDS * 6, before.rlim_max}; /* one and a half buffers */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    keep_all(&part);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(part.kept.unwritable && part.kept.written > 0);
    ws_kept_rays_finish(&part.kept);
    ws_arena_destroy(part.arena);
}

static void keeps_rays_in_memory(void **state)
{
    struct ws_ray_part part = {0};
    (void)state;
    assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
    keep_all(&part);
    assert_true(part.kept.unwritable && part.kept.written == 0);
    ws_kept_rays_finish(&part.kept);
    ws_arena_destroy(part.arena);
}

/* A file that is cut gives an error, and no rays that never were. */
static void a_file_that_cannot_be_read(void **state)
{
    struct ws_ray_part part = {0};
    struct ws_ray rays[8];
    uint64_t addresses[8];
    struct ws_ray_run runs[RUNS];
    uint32_t first = 0;
    (void)state;
    keep_all(&part);
    while (rays_of(first) == 0 || rays_of(first) > 8)
        first++;
    assert_true(ws_kept_rays_read(&part.kept, &states[first], rays, addresses, runs));
    assert_int_equal(ftruncate(part.kept.file - 1, 4), 0);
    part.kept.window_count = 0; /* what was read before */
    assert_false(ws_kept_rays_read(&part.kept, &states[first], rays, addresses, runs));
    ws_kept_rays_finish(&part.kept);
    ws_arena_destroy(part.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_rays_in_a_file),
        cmocka_unit_test(keeps_rays_in_both),
        cmocka_unit_test(a_file_that_cannot_be_read),
        cmocka_unit_test(keeps_rays_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
