/* Places of threads as keys of rows: each has its own, and they rise by z, y and x. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "warpscope/model/work_grid.h"

static void keys_of_places(void **state)
{
    (void)state;
    static const uint32_t places[][3] = {
        {0, 0, 0},
        {1, 0, 0},
        {0x1fffff, 0, 0},
        {0, 1, 0},
        {0x1fffff, 0x1fffff, 0},
        {0, 0, 1},
        {0x1fffff, 0x1fffff, 0x1fffff},
        {0x200000, 0, 0}, /* thread 2^21 of a launch of one dimension, which is not thread 0 */
        {0x200001, 0, 0},
        {UINT32_MAX, 0, 0},
        {0x200000, 1, 0},
        {UINT32_MAX, 0x1fffff, 1022},
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
        uint32_t place[3];
        const uint64_t key = ws_work_key(places[i]);
        ws_work_key_place(key, place);
        assert_memory_equal(place, places[i], sizeof(place));
        assert_true(i == 0 || ws_work_key(places[i - 1]) < key);
    }
}

static void places_without_a_key(void **state)
{
    (void)state;
    static const uint32_t places[][3] = {{0, 0x200000, 0}, {0, 0, 0x200000}, {0x200000, 0, 1023}};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i)
        assert_true(ws_work_key(places[i]) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_of_places),
                                       cmocka_unit_test(places_without_a_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
