/* Which submissions are sure to finish by what has been submitted: the rule that keeps the layer from waiting
 * for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/submit/timeline.h"

#define SEMAPHORE(n) ((VkSemaphore)(uintptr_t)(n))
#define VALUE(n, v)                                                                                          \
    (struct ws_semaphore_value)                                                                              \
    {                                                                                                        \
        .semaphore = SEMAPHORE(n), .value = (v)                                                              \
    }

/* Two queues, and semaphores 1 to 7 with their current values. */
static const char queue_a, queue_b;
static uint64_t current[8];

static bool reached(void *context, VkSemaphore semaphore, uint64_t value)
{
    (void)context;
    return current[(uintptr_t)semaphore] >= value;
}

static const struct ws_timeline_clock clock = {.reached = reached};

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        current[i] = 0;
    return 0;
}

static void add_wait(struct ws_timelines *timelines, const char *queue, uint64_t sequence,
                     struct ws_semaphore_value wait)
{
    ws_timelines_add(timelines, queue, sequence, false, &wait, 1, NULL, 0);
}

static void add_signal(struct ws_timelines *timelines, const char *queue, uint64_t sequence,
                       struct ws_semaphore_value signal)
{
    ws_timelines_add(timelines, queue, sequence, false, NULL, 0, &signal, 1);
}

static void test_nothing_pending_finishes(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    assert_true(ws_timelines_will_finish(&timelines, &queue_a, 5, &clock));
}

static void test_a_wait_for_the_host_does_not_finish(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    add_wait(&timelines, &queue_a, 1, VALUE(1, 5));
    assert_false(ws_timelines_will_finish(&timelines, &queue_a, 1, &clock));
    assert_true(ws_timelines_will_finish(&timelines, &queue_b, 1, &clock));
    current[1] = 4;
    assert_false(ws_timelines_will_finish(&timelines, &queue_a, 1, &clock));
    current[1] = 5;
    assert_true(ws_timelines_will_finish(&timelines, &queue_a, 1, &clock));
    ws_timelines_finish(&timelines);
}

static void test_what_comes_before_the_wait_finishes(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    add_wait(&timelines, &queue_a, 7, VALUE(1, 1));
    assert_true(ws_timelines_will_finish(&timelines, &queue_a, 6, &clock));
    assert_false(ws_timelines_will_finish(&timelines, &queue_a, 8, &clock));
    ws_timelines_finish(&timelines);
}

static void test_a_signal_submitted_to_another_queue_releases(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    add_wait(&timelines, &queue_a, 1, VALUE(1, 3)); /* before the signal is submitted: allowed */
    add_signal(&timelines, &queue_b, 2, VALUE(1, 2));
    assert_false(ws_timelines_will_finish(&timelines, &queue_a, 1, &clock));
    add_signal(&timelines, &queue_b, 3, VALUE(1, 3));
    assert_true(ws_timelines_will_finish(&timelines, &queue_a, 1, &clock));
    ws_timelines_finish(&timelines);
}

static void test_a_signal_behind_a_wait_that_hangs_does_not(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    add_wait(&timelines, &queue_b, 1, VALUE(2, 1));
    add_signal(&timelines, &queue_b, 2, VALUE(1, 1));
    add_wait(&timelines, &queue_a, 3, VALUE(1, 1));
    assert_false(ws_timelines_will_finish(&timelines, &queue_a, 3, &clock));
    current[2] = 1;
    assert_true(ws_timelines_will_finish(&timelines, &queue_a, 3, &clock));
    ws_timelines_finish(&timelines);
}

static void test_queues_that_take_turns_finish(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    for (uint64_t turn = 1; turn <= 10; turn++) {
        const struct ws_semaphore_value wait = VALUE(1, turn - 1);
        const struct ws_semaphore_value signal = VALUE(1, turn);
        ws_timelines_add(&timelines, turn % 2 ? &queue_a : &queue_b, turn, false, &wait, 1, &signal, 1);
    }
    assert_true(ws_timelines_will_finish(&timelines, &queue_b, 10, &clock));
    ws_timelines_finish(&timelines);
}

static void test_waits_in_a_circle_do_not_finish(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    const struct ws_semaphore_value one = VALUE(1, 1);
    const struct ws_semaphore_value two = VALUE(2, 1);
    ws_timelines_add(&timelines, &queue_a, 1, false, &one, 1, &two, 1);
    ws_timelines_add(&timelines, &queue_b, 2, false, &two, 1, &one, 1);
    assert_false(ws_timelines_will_finish(&timelines, &queue_a, 1, &clock));
    ws_timelines_finish(&timelines);
}

static void test_pruning_keeps_what_is_open(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    add_signal(&timelines, &queue_a, 1, VALUE(1, 1));
    add_wait(&timelines, &queue_a, 2, VALUE(2, 1));
    add_signal(&timelines, &queue_a, 3, VALUE(1, 2));
    current[1] = 1;
    ws_timelines_prune(&timelines, &clock);
    assert_int_equal(timelines.count, 2);
    assert_int_equal(timelines.batches[0].sequence, 2);
    ws_timelines_finish(&timelines);
}

static void test_a_destroyed_semaphore_is_forgotten(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    const struct ws_semaphore_value waits[] = {VALUE(1, 1), VALUE(2, 1)};
    const struct ws_semaphore_value signals[] = {VALUE(2, 2), VALUE(3, 1)};
    ws_timelines_add(&timelines, &queue_a, 1, false, waits, 2, signals, 2);
    current[1] = 1;
    assert_false(ws_timelines_will_finish(&timelines, &queue_a, 1, &clock));
    ws_timelines_forget(&timelines, SEMAPHORE(2));
    assert_int_equal(timelines.batches[0].wait_count, 1);
    assert_int_equal(timelines.batches[0].signal_count, 1);
    assert_true(ws_timelines_will_finish(&timelines, &queue_a, 1, &clock));
    ws_timelines_finish(&timelines);
}

static void add_open(struct ws_timelines *timelines, const char *queue, uint64_t sequence)
{
    ws_timelines_add(timelines, queue, sequence, true, NULL, 0, NULL, 0);
}

/* It waits for an event that the host sets: until it has ended nothing on its queue is sure. */
static void test_an_open_batch_is_never_sure(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    add_open(&timelines, &queue_a, 2);
    assert_true(ws_timelines_will_finish(&timelines, &queue_a, 1, &clock));
    assert_false(ws_timelines_will_finish(&timelines, &queue_a, 2, &clock));
    assert_false(ws_timelines_will_finish(&timelines, &queue_a, 3, &clock));
    assert_true(ws_timelines_will_finish(&timelines, &queue_b, 3, &clock));
    ws_timelines_prune(&timelines, &clock);
    assert_int_equal(timelines.count, 1);
    ws_timelines_end(&timelines, &queue_b, 5);
    ws_timelines_end(&timelines, &queue_a, 1);
    assert_int_equal(timelines.open, 1);
    ws_timelines_end(&timelines, &queue_a, 2);
    assert_int_equal(timelines.open, 0);
    assert_true(ws_timelines_will_finish(&timelines, &queue_a, 3, &clock));
    ws_timelines_finish(&timelines);
}

static void test_a_value_behind_an_open_batch_is_not_sure(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    add_open(&timelines, &queue_a, 1);
    add_signal(&timelines, &queue_a, 2, VALUE(1, 1));
    add_wait(&timelines, &queue_b, 3, VALUE(1, 1));
    assert_false(ws_timelines_will_finish(&timelines, &queue_b, 3, &clock));
    ws_timelines_end(&timelines, &queue_a, 1);
    assert_true(ws_timelines_will_finish(&timelines, &queue_b, 3, &clock));
    ws_timelines_finish(&timelines);
}

/* Semaphores 4 and 5 are binary. */
static void test_binary_semaphores_behind_an_open_batch(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    add_open(&timelines, &queue_a, 1);
    add_signal(&timelines, &queue_a, 2, VALUE(4, WS_BINARY)); /* behind the open one */
    add_signal(&timelines, &queue_b, 3, VALUE(5, WS_BINARY));
    add_wait(&timelines, &queue_b, 4, VALUE(5, WS_BINARY));
    assert_true(ws_timelines_will_finish(&timelines, &queue_b, 4, &clock));
    add_wait(&timelines, &queue_b, 5, VALUE(4, WS_BINARY));
    assert_true(ws_timelines_will_finish(&timelines, &queue_b, 4, &clock));
    assert_false(ws_timelines_will_finish(&timelines, &queue_b, 5, &clock));
    ws_timelines_end(&timelines, &queue_a, 1);
    assert_true(ws_timelines_will_finish(&timelines, &queue_b, 5, &clock));
    ws_timelines_prune(&timelines, &clock);
    assert_int_equal(timelines.count, 0); /* without an open batch they tell nothing */
    ws_timelines_finish(&timelines);
}

/* A queue of copies beside one that always has an open batch: nothing tells when they end, as nothing is watched
 * there. Those that are sure must not be kept. */
static void test_what_is_sure_is_not_kept(void **state)
{
    (void)state;
    struct ws_timelines timelines = {0};
    const struct ws_semaphore_value copied = VALUE(4, WS_BINARY), begun = VALUE(5, WS_BINARY);
    for (uint64_t frame = 0; frame < 1000; frame++) {
        add_open(&timelines, &queue_a, 2 * frame + 2);
        ws_timelines_add(&timelines, &queue_b, 2 * frame + 3, false, &copied, frame > 0, &begun, 1);
        if (frame > 0)
            ws_timelines_end(&timelines, &queue_a, 2 * frame);
        ws_timelines_prune_sometimes(&timelines, &clock);
        assert_int_equal(timelines.open, 1);
        assert_true(timelines.count <= 64);
    }
    add_signal(&timelines, &queue_a, 2002, VALUE(4, WS_BINARY)); /* behind the open one */
    add_wait(&timelines, &queue_b, 2003, VALUE(4, WS_BINARY));
    ws_timelines_prune(&timelines, &clock);
    assert_int_equal(timelines.count, 3);
    assert_false(ws_timelines_will_finish(&timelines, &queue_b, 2003, &clock));
    ws_timelines_finish(&timelines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing_pending_finishes, setup),
        cmocka_unit_test_setup(test_a_wait_for_the_host_does_not_finish, setup),
        cmocka_unit_test_setup(test_what_comes_before_the_wait_finishes, setup),
        cmocka_unit_test_setup(test_a_signal_submitted_to_another_queue_releases, setup),
        cmocka_unit_test_setup(test_a_signal_behind_a_wait_that_hangs_does_not, setup),
        cmocka_unit_test_setup(test_queues_that_take_turns_finish, setup),
        cmocka_unit_test_setup(test_waits_in_a_circle_do_not_finish, setup),
        cmocka_unit_test_setup(test_pruning_keeps_what_is_open, setup),
        cmocka_unit_test_setup(test_a_destroyed_semaphore_is_forgotten, setup),
        cmocka_unit_test_setup(test_an_open_batch_is_never_sure, setup),
        cmocka_unit_test_setup(test_a_value_behind_an_open_batch_is_not_sure, setup),
        cmocka_unit_test_setup(test_binary_semaphores_behind_an_open_batch, setup),
        cmocka_unit_test_setup(test_what_is_sure_is_not_kept, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
