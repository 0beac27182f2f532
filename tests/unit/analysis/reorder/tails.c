/* Tails of visits by threads: threads that do the same one after the other are kept as one, and read as they were added. */
#include "analysis/reorder/tails.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 12, VISITS = 3 };

static bool add(struct ws_tails *tails, uint32_t visit, uint32_t thread, uint32_t path)
{
    return ws_tails_add(tails, &(struct ws_tail){.visit = visit, .thread = thread, .path = path, .key = 7},
                        NULL, NULL, VISITS);
}

/* The threads of the only run of a visit, and what they execute. Returns how many. */
static uint32_t read_visit(const struct ws_tails *tails, uint32_t visit, struct ws_tail *read)
{
    for (uint32_t i = 0; i < tails->run_count; ++i) {
        const struct ws_tail_run *run = &tails->runs[i];
        if (run->visit != visit)
            continue;
        assert_true(run->whole == (uint64_t)run->count * WS_TAIL_WORDS);
        assert_true(run->count <= THREADS && ws_tails_read(tails, run, (uint32_t *)read));
        return run->count;
    }
    return 0;
}

/* Lanes 4 to 7 each end a tail of two visits: two tails are kept. */
static void threads_in_a_row_are_one(void **state)
{
    (void)state;
    struct ws_tails tails = {0};
    struct ws_tail read[THREADS];
    for (uint32_t i = 4; i < 8; ++i)
        assert_true(add(&tails, 0, i, 1) && add(&tails, 2, i, 5));
    assert_true(tails.word_count == 2 * WS_TAIL_WORDS);
    assert_true(ws_tails_end(&tails, VISITS) && tails.run_count == 2);
    for (uint32_t visit = 0; visit < VISITS; visit += 2) {
        assert_true(read_visit(&tails, visit, read) == 4);
        for (uint32_t i = 0; i < 4; ++i)
            assert_true(read[i].visit == visit && read[i].thread == 4 + i && read[i].key == 7 &&
                        read[i].path == (visit == 0 ? 1 : 5) && read[i].content == 0);
    }
    ws_tails_finish(&tails);
}

/* Threads 1, 2, 4, 5 and 3 do the same, 6 something else, 7 the same again: they stay in this order. */
static void others_stay_apart(void **state)
{
    (void)state;
    static const uint32_t order[] = {1, 2, 4, 5, 3, 6, 7};
    struct ws_tails tails = {0};
    struct ws_tail read[THREADS];
    for (uint32_t i = 0; i < 7; ++i)
        assert_true(add(&tails, 1, order[i], order[i] == 6 ? 9 : 8));
    assert_true(tails.word_count == 5 * WS_TAIL_WORDS); /* 1 and 2, 4 and 5, 3, 6, 7 */
    assert_true(ws_tails_end(&tails, VISITS) && read_visit(&tails, 1, read) == 7);
    for (uint32_t i = 0; i < 7; ++i)
        assert_true(read[i].thread == order[i] && read[i].path == (order[i] == 6 ? 9u : 8u));
    ws_tails_finish(&tails);
}

/* Thread 2 has a ray: it stands between 1 and 3, of which 4 is one more. */
static void rays_stand_between(void **state)
{
    (void)state;
    static const uint32_t ray[] = {10, 11, 12, 13};
    struct ws_tails tails = {0};
    struct ws_tail read[THREADS];
    uint32_t words[THREADS * WS_TAIL_WORDS];
    const struct ws_tail traced = {.visit = 1, .thread = 2, .path = 8, .key = 7, .content = 4};
    assert_true(add(&tails, 1, 1, 8) && ws_tails_add(&tails, &traced, ray, NULL, VISITS) &&
                add(&tails, 1, 3, 8) && add(&tails, 1, 4, 8));
    assert_true(tails.word_count == 3 * WS_TAIL_WORDS + 4);
    assert_true(ws_tails_end(&tails, VISITS) && tails.run_count == 1);
    assert_true(tails.runs[0].count == 4 && tails.runs[0].whole == 4 * WS_TAIL_WORDS + 4 &&
                ws_tails_read(&tails, &tails.runs[0], words));
    memcpy(&read[0], words, sizeof(read[0]));
    memcpy(&read[1], words + WS_TAIL_WORDS, sizeof(read[1]));
    memcpy(&read[2], words + 2 * WS_TAIL_WORDS + 4, 2 * sizeof(read[2]));
    assert_true(read[0].thread == 1 && read[1].thread == 2 && read[2].thread == 3 && read[3].thread == 4);
    assert_true(memcmp(words + 2 * WS_TAIL_WORDS, ray, sizeof(ray)) == 0);
    ws_tails_finish(&tails);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_in_a_row_are_one),
                                       cmocka_unit_test(others_stay_apart),
                                       cmocka_unit_test(rays_stand_between)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
