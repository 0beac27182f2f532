/* Memory of an arena is zero, also where arenas before had it, and in several threads at once. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpscope/base/arena.h"

#define PIECES  200
#define ROUNDS  50
#define THREADS 4

/* Fills an arena with pieces of many sizes, some larger than a chunk of the usual size. How many bytes were not zero. */
static size_t fill_one(uint32_t seed)
{
    struct ws_arena *arena = ws_arena_create();
    size_t wrong = 0;
    for (uint32_t i = 0; arena != NULL && i < PIECES; ++i) {
        seed = seed * 1664525 + 1013904223;
        const size_t size = i % 50 == 49 ? 100000 : seed >> 20;
        unsigned char *piece = ws_arena_allocate(arena, size, 1);
        for (size_t j = 0; piece != NULL && j < size; ++j)
            wrong += piece[j] != 0;
        if (piece == NULL)
            wrong++;
        else
            memset(piece, 0xa5, size);
    }
    wrong += arena == NULL;
    ws_arena_destroy(arena);
    return wrong;
}

static void *fill_many(void *user)
{
    size_t *wrong = user;
    for (uint32_t i = 0; i < ROUNDS; ++i)
        *wrong += fill_one(i);
    return NULL;
}

static void used_again(void **state)
{
    (void)state;
    size_t wrong = 0;
    fill_many(&wrong);
    assert_int_equal(wrong, 0);
}

static void two_at_once(void **state)
{
    (void)state;
    fill_one(1);
    struct ws_arena *first = ws_arena_create();
    struct ws_arena *second = ws_arena_create();
    assert_true(first != NULL && second != NULL);
    unsigned char *a = ws_arena_allocate(first, 1000, 1);
    unsigned char *b = ws_arena_allocate(second, 1000, 1);
    assert_true(a != NULL && b != NULL);
    memset(a, 1, 1000);
    for (int i = 0; i < 1000; ++i)
        assert_int_equal(b[i], 0);
    ws_arena_destroy(first);
    memset(b, 2, 1000);
    ws_arena_destroy(second);
    assert_int_equal(fill_one(2), 0);
}

/* One that is made for a size grows beyond it, also where nothing or a large piece is wanted first. */
static void larger_than_made_for(void **state)
{
    static const size_t sizes[] = {0, 1000, 200000};
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        struct ws_arena *arena = ws_arena_create_for(sizes[i]);
        unsigned char *pieces[30];
        assert_non_null(arena);
        for (int j = 0; j < 30; ++j) {
            pieces[j] = ws_arena_allocate(arena, (size_t)1 + 300 * j, 1);
            assert_non_null(pieces[j]);
            for (int k = 0; k < 1 + 300 * j; ++k)
                assert_int_equal(pieces[j][k], 0);
            memset(pieces[j], j + 1, (size_t)1 + 300 * j);
        }
        for (int j = 0; j < 30; ++j)
            assert_true(pieces[j][0] == j + 1 && pieces[j][300 * j] == j + 1);
        ws_arena_destroy(arena);
    }
}

static void several_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    size_t wrong[THREADS] = {0};
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, fill_many, &wrong[i]), 0);
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(used_again), cmocka_unit_test(two_at_once),
                                       cmocka_unit_test(larger_than_made_for),
                                       cmocka_unit_test(several_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
