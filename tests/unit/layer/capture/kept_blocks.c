/* Blocks that are kept: which serve again, how many and how large ones are kept, and that threads never share one. */
#include "layer/capture/kept_blocks.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

static uint32_t count_kept(struct ws_blocks *blocks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < WS_BLOCKS_KEPT; ++i)
        count += atomic_load(&blocks->kept[i]) != NULL;
    return count;
}

static void sizes_that_serve(void **state)
{
    (void)state;
    struct ws_blocks blocks = {0};
    size_t capacity = 0;
    uint8_t *block = ws_blocks_take(&blocks, 2 * MIB - 100, &capacity);
    assert_non_null(block);
    assert_int_equal(capacity, 2 * MIB);
    ws_blocks_give(&blocks, block, capacity);
    assert_int_equal(count_kept(&blocks), 1);

    /* It is too small, */
    size_t other_capacity = 0;
    uint8_t *other = ws_blocks_take(&blocks, 2 * MIB + 1, &other_capacity);
    assert_ptr_not_equal(other, block);
    assert_int_equal(other_capacity, 2 * MIB + 256 * KIB);
    ws_blocks_give(&blocks, other, other_capacity);
    /* or both are too large: of 1 MiB there are 2 MiB at most 1 MiB / 4 + 256 KiB more. */
    uint8_t *small = ws_blocks_take(&blocks, MIB, &capacity);
    assert_true(small != block && small != other);
    assert_int_equal(capacity, MIB);
    assert_int_equal(count_kept(&blocks), 2);
    ws_blocks_give(&blocks, small, capacity);

    assert_ptr_equal(ws_blocks_take(&blocks, 2 * MIB - 400 * KIB, &capacity), block);
    assert_int_equal(capacity, 2 * MIB);
    assert_int_equal(count_kept(&blocks), 2);
    ws_blocks_give(&blocks, block, capacity);
    ws_blocks_finish(&blocks);
    assert_int_equal(count_kept(&blocks), 0);
}

static void small_and_huge_ones_are_not_kept(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, WS_BLOCK_MIN - 1, WS_BLOCK_MAX + 1};
    struct ws_blocks blocks = {0};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        size_t capacity = 0;
        uint8_t *block = ws_blocks_take(&blocks, sizes[i], &capacity);
        assert_non_null(block);
        assert_int_equal(capacity, sizes[i]);
        ws_blocks_give(&blocks, block, capacity);
        assert_int_equal(count_kept(&blocks), 0);
    }
    ws_blocks_give(&blocks, NULL, 0);
}

/* When other sizes are asked for, those of before do not stay for ever. */
static void as_many_are_kept(void **state)
{
    (void)state;
    enum { MANY = 2 * WS_BLOCKS_KEPT };
    struct ws_blocks blocks = {0};
    uint8_t *taken[MANY];
    size_t capacities[MANY];
    for (uint32_t i = 0; i < MANY; ++i)
        taken[i] = ws_blocks_take(&blocks, i < WS_BLOCKS_KEPT ? MIB : 4 * MIB, &capacities[i]);
    for (uint32_t i = 0; i < MANY; ++i) {
        assert_non_null(taken[i]);
        ws_blocks_give(&blocks, taken[i], capacities[i]);
        assert_int_equal(count_kept(&blocks), i < WS_BLOCKS_KEPT ? i + 1 : WS_BLOCKS_KEPT);
    }
    for (uint32_t i = 0; i < WS_BLOCKS_KEPT; ++i)
        assert_ptr_equal(atomic_load(&blocks.kept[i]), taken[WS_BLOCKS_KEPT + i]);
    ws_blocks_finish(&blocks);
}

static void a_room_is_there_again(void **state)
{
    (void)state;
    struct ws_blocks blocks = {0};
    uint8_t *first = ws_blocks_take_room(&blocks);
    uint8_t *second = ws_blocks_take_room(&blocks);
    assert_true(first != NULL && second != NULL && first != second);
    memset(second, 1, WS_BLOCKS_ROOM);
    ws_blocks_give_room(&blocks, first);
    ws_blocks_give_room(&blocks, second); /* one is kept */
    assert_ptr_equal(ws_blocks_take_room(&blocks), second);
    assert_null(atomic_load(&blocks.room));
    ws_blocks_give_room(&blocks, second);
    ws_blocks_finish(&blocks);
}

struct user {
    struct ws_blocks *blocks;
    uint8_t mark;
    bool alone;
};

/* Blocks and the room are this thread's alone from where they are taken to where they are given. */
static void *use(void *user)
{
    struct user *mine = user;
    mine->alone = true;
    for (uint32_t i = 0; i < 2000; ++i) {
        size_t capacity = 0;
        uint8_t *block = ws_blocks_take(mine->blocks, WS_BLOCK_MIN * (1 + i % 5), &capacity);
        uint8_t *room = ws_blocks_take_room(mine->blocks);
        if (block == NULL || room == NULL)
            return NULL;
        block[0] = block[capacity - 1] = room[0] = mine->mark;
        mine->alone = mine->alone && block[0] == mine->mark && block[capacity - 1] == mine->mark &&
                      room[0] == mine->mark;
        ws_blocks_give(mine->blocks, block, capacity);
        ws_blocks_give_room(mine->blocks, room);
    }
    return NULL;
}

static void threads_share_none(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct ws_blocks blocks = {0};
    struct user users[THREADS];
    pthread_t threads[THREADS];
    for (uint32_t i = 0; i < THREADS; ++i) {
        users[i] = (struct user){&blocks, (uint8_t)(i + 1), false};
        assert_int_equal(pthread_create(&threads[i], NULL, use, &users[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(users[i].alone);
    }
    ws_blocks_finish(&blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_serve),   cmocka_unit_test(small_and_huge_ones_are_not_kept),
        cmocka_unit_test(as_many_are_kept),   cmocka_unit_test(a_room_is_there_again),
        cmocka_unit_test(threads_share_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
