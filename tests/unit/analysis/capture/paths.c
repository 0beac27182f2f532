/* Paths taken apart by hand. */
#include "analysis/capture/paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "warpscope/capture/budget.h"

#define EVENTS 64

struct told {
    uint32_t numbers[EVENTS];
    uint64_t lanes[EVENTS];
    uint32_t count;
};

static bool note(void *user, uint32_t number, struct ws_lanes lanes)
{
    struct told *told = user;
    if (told->count == EVENTS)
        return false;
    told->numbers[told->count] = number;
    told->lanes[told->count++] = lanes.low;
    return true;
}

static struct ws_site_info site(uint32_t kind, uint32_t tag, uint32_t row)
{
    return (struct ws_site_info){.pass = WS_NONE, .kind = kind, .tag = tag, .row = row};
}

static void assert_told(const struct told *told, const uint32_t (*expected)[2], uint32_t count)
{
    assert_int_equal(told->count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(told->numbers[i], expected[i][0]);
        assert_int_equal(told->lanes[i], expected[i][1]);
    }
}

/* The example of records.h: A, the header H, B, C, D, E have the numbers 0 to 5; the path 6, its turns 7. */
static void fill(struct ws_site_info sites[14])
{
    for (uint32_t i = 0; i < 6; i++)
        sites[i] = site(WS_SITE_PLACE_BLOCK, 0, i);
    sites[6] = site(WS_SITE_PATH, 0, 3);
    sites[7] = site(WS_SITE_PATH_TURNS, 0, 6);
    sites[8] = site(WS_SITE_PATH_STEP, WS_STEP_ALL, 0);
    sites[9] = site(WS_SITE_PATH_STEP, WS_STEP(0, 0), 1);
    sites[10] = site(WS_SITE_PATH_STEP, WS_STEP(0, 1), 2);
    sites[11] = site(WS_SITE_PATH_STEP, WS_STEP(0, 2), 3);
    sites[12] = site(WS_SITE_PATH_STEP, WS_STEP(0, 1), 4);
    sites[13] = site(WS_SITE_PATH_STEP, WS_STEP_ALL, 5);
}

/* The sites of a program, its table, and what is told of it. */
struct fixture {
    struct ws_site_info sites[14];
    struct ws_path_table table;
    struct ws_path_waiting waiting;
    struct told told;
};

static void set_up(struct fixture *fixture)
{
    memset(fixture, 0, sizeof(*fixture));
    fill(fixture->sites);
}

/* Makes the table of the sites, before lanes wait. */
static void make(struct fixture *fixture)
{
    assert_true(ws_path_table_make(&fixture->table, fixture->sites, sizeof(fixture->sites[0]), 14));
}

/* Takes path 6 apart for the lanes with these words, ends the table, and says how it went. */
static enum ws_path_result expand(struct fixture *fixture, struct ws_lanes lanes, const uint32_t *words)
{
    const struct ws_path *path = ws_path_find(&fixture->table, 6);
    const enum ws_path_result result =
        ws_path_expand(&fixture->table, path, &fixture->waiting, lanes, words, note, &fixture->told);
    ws_path_table_finish(&fixture->table);
    return result;
}

static void turns_of_two_lanes(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct ws_lanes one = {1, 0}, other = {2, 0}, both = {3, 0};
    const uint32_t words[] = {1, 3, 3, 1, 3, 2};
    set_up(&fixture);
    make(&fixture);
    assert_null(ws_path_find(&fixture.table, 5));
    assert_true(ws_path_wait(&fixture.waiting, 7, one, (const uint32_t[]){7, 1}, 2));
    assert_true(ws_path_wait(&fixture.waiting, 7, other, (const uint32_t[]){3, 1}, 2));
    assert_true(ws_path_wait(&fixture.waiting, 7, other, (const uint32_t[]){7, 1}, 2));
    assert_int_equal(expand(&fixture, both, words), WS_PATH_TOLD);
    const uint32_t expected[][2] = {{0, 3},                         /* A */
                                    {1, 3}, {2, 3}, {3, 1}, {4, 3}, /* i = 0: lane 0 comes by C */
                                    {1, 3}, {2, 3}, {3, 2}, {4, 3}, /* i = 1: lane 1 */
                                    {1, 3}, {2, 3}, {4, 3},         /* i = 2 */
                                    {1, 3}, {2, 3}, {4, 3},         /* i = 3 */
                                    {1, 3}, {5, 3}};                /* the test, and E */
    assert_told(&fixture.told, expected, sizeof(expected) / sizeof(expected[0]));
    assert_null(fixture.waiting.first);
    assert_null(fixture.waiting.last);
}

/* The same, with the turns of three bits in one word, as records.h says. */
static void turns_of_one_word(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct ws_lanes both = {3, 0};
    const uint32_t words[] = {073331, 0, 0, 037331, 0, 0};
    set_up(&fixture);
    fixture.sites[7].tag = WS_TURNS(0, 3);
    make(&fixture);
    assert_int_equal(expand(&fixture, both, words), WS_PATH_TOLD);
    const uint32_t expected[][2] = {{0, 3}, {1, 3}, {2, 3}, {3, 1}, {4, 3}, {1, 3}, {2, 3}, {3, 2}, {4, 3},
                                    {1, 3}, {2, 3}, {4, 3}, {1, 3}, {2, 3}, {4, 3}, {1, 3}, {5, 3}};
    assert_told(&fixture.told, expected, sizeof(expected) / sizeof(expected[0]));
}

/* Two turns to a word, the first one in the upper half. Lane 0 comes by C in turns 0, 2 and 4: it appended the groups 7 3 and
 * 7 3 as one, and has 7 1. Lane 1 never does: 3 3 and 3 3 are one group twice, and its last turn is the test, in turn 4. */
static void groups_that_repeat(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct ws_lanes one = {1, 0}, both = {3, 0};
    const uint32_t words[] = {0x00070001, 0, 0, 0x1, 0x00030003, 2};
    set_up(&fixture);
    fixture.sites[7].tag = WS_TURNS(0, 16);
    make(&fixture);
    assert_true(ws_path_wait(&fixture.waiting, 7, one, (const uint32_t[]){0x00070003, 2}, 2));
    assert_int_equal(expand(&fixture, both, words), WS_PATH_TOLD);
    const uint32_t expected[][2] = {{0, 3}, {1, 3}, {2, 3}, {3, 1}, {4, 3}, {1, 3}, {2, 3},
                                    {4, 3}, {1, 3}, {2, 3}, {3, 1}, {4, 3}, {1, 3}, {2, 3},
                                    {4, 3}, {1, 3}, {2, 1}, {3, 1}, {4, 1}, {1, 1}, {5, 3}};
    assert_told(&fixture.told, expected, sizeof(expected) / sizeof(expected[0]));
    assert_null(fixture.waiting.first);
}

/* The same, as version 5 has it: a turn has a bit for C alone, the header's step is each turn, and those of B and D are the
 * turns but for a lane's last one. The words are a mark and the turns. */
static void turns_behind_a_mark(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct ws_lanes all = {7, 0};
    const uint32_t words[] = {060, 0, 0, 050, 0, 0, 1, 0, 0}; /* lane 2 is not in the loop */
    set_up(&fixture);
    fixture.sites[7].tag = WS_TURNS(0, 1) | WS_TURNS_MARKED;
    fixture.sites[9].tag = WS_STEP(0, WS_STEP_TURN);
    fixture.sites[10].tag = fixture.sites[12].tag = WS_STEP_REST(0, WS_STEP_LAST, 1);
    fixture.sites[11].tag = WS_STEP(0, 0);
    make(&fixture);
    assert_int_equal(expand(&fixture, all, words), WS_PATH_TOLD);
    const uint32_t expected[][2] = {{0, 7}, {1, 3}, {2, 3}, {3, 1}, {4, 3}, {1, 3}, {2, 3}, {3, 2}, {4, 3},
                                    {1, 3}, {2, 3}, {4, 3}, {1, 3}, {2, 3}, {4, 3}, {1, 3}, {5, 7}};
    assert_told(&fixture.told, expected, sizeof(expected) / sizeof(expected[0]));
}

/* Two turns to a word, behind a mark. D is for those who do not come by C. Lane 0 appended the turns C D once, then C C twice,
 * and has its last turn. Lane 1 appended D C once with the former, has kept D D, and has D and its last turn. */
static void groups_that_came_once(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct ws_lanes one = {1, 0}, both = {3, 0};
    const uint32_t mark = 1u << 30, first = 1u << 15, second = 1;
    const uint32_t words[] = {1u << 15, 0, 0, mark, mark, 1};
    set_up(&fixture);
    memmove(&fixture.sites[8], &fixture.sites[7], 6 * sizeof(fixture.sites[0])); /* E has no step */
    fixture.sites[7].tag = WS_TURNS(0, 15) | WS_TURNS_MARKED | WS_TURNS_ONCE;
    fixture.sites[8].tag = WS_TURNS(0, 15) | WS_TURNS_MARKED;
    fixture.sites[10].tag = WS_STEP(0, WS_STEP_TURN);
    fixture.sites[11].tag = WS_STEP_REST(0, WS_STEP_LAST, 1);
    fixture.sites[12].tag = WS_STEP(0, 0);
    fixture.sites[13].tag = WS_STEP_REST(0, 0, 2);
    assert_int_equal(ws_turns_of_group(fixture.sites[7].tag), 2);
    assert_int_equal(ws_turns_words(fixture.sites[7].tag), 1);
    assert_int_equal(ws_turns_words(fixture.sites[8].tag), 2);
    make(&fixture);
    assert_true(ws_path_wait(&fixture.waiting, 7, both, (const uint32_t[]){mark | first, mark | second}, 1));
    assert_true(ws_path_wait(&fixture.waiting, 8, one, (const uint32_t[]){mark | first | second, 2}, 2));
    assert_int_equal(expand(&fixture, both, words), WS_PATH_TOLD);
    const uint32_t expected[][2] = {
        {0, 3}, {1, 3}, {2, 3}, {3, 1}, {4, 2}, {1, 3}, {2, 3}, {3, 2}, {4, 1}, /* two turns */
        {1, 3}, {2, 3}, {3, 1}, {4, 2}, {1, 3}, {2, 3}, {3, 1}, {4, 2},         /* two more */
        {1, 3}, {2, 3}, {3, 1}, {4, 2}, {1, 3}, {2, 1}, {3, 1}, {1, 1}};
    assert_told(&fixture.told, expected, sizeof(expected) / sizeof(expected[0]));
    assert_null(fixture.waiting.first);
}

/* Steps that are the rest of none that is in the loop before them, and turns of no bits. */
static void rests_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        uint32_t step, tag;
    } wrong[] = {{10, WS_STEP_REST(0, 0, 2)}, {10, WS_STEP_REST(0, 0, 5)},
                 {10, WS_STEP_REST(0, 0, 0)}, {10, WS_STEP(0, 34)},
                 {8, WS_STEP_REST(3, 0, 0)},  {7, WS_TURNS(0, 0) | WS_TURNS_MARKED}};
    const uint32_t words[] = {2, 0, 0};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct fixture fixture;
        set_up(&fixture);
        fixture.sites[7].tag = WS_TURNS(0, 3) | WS_TURNS_MARKED;
        fixture.sites[wrong[i].step].tag = wrong[i].tag;
        make(&fixture);
        assert_int_equal(expand(&fixture, (struct ws_lanes){1, 0}, words), WS_PATH_MALFORMED);
    }
}

/* Lane 2 runs two turns and the test, lane 5 does not come to the loop, lane 1 leaves in its first turn. What lane 7 appended
 * waits for a path of its own. */
static void lanes_that_leave(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct ws_lanes lanes = {0x26, 0}, later = {0x84, 0};
    const uint32_t words[] = {3, 0, 0, 1, 3, 1, 0, 0, 0};
    set_up(&fixture);
    make(&fixture);
    assert_true(ws_path_wait(&fixture.waiting, 7, later, (const uint32_t[]){7, 1, 3, 2}, 2));
    assert_int_equal(expand(&fixture, lanes, words), WS_PATH_TOLD);
    const uint32_t expected[][2] = {{0, 0x26}, {1, 6}, {2, 6}, {3, 4}, {4, 6},
                                    {1, 4},    {2, 4}, {4, 4}, {1, 4}, {5, 0x26}};
    assert_told(&fixture.told, expected, sizeof(expected) / sizeof(expected[0]));
    assert_non_null(fixture.waiting.first);
    assert_ptr_equal(fixture.waiting.first, fixture.waiting.last);
    assert_int_equal(fixture.waiting.first->left.low, 0x80);
    ws_path_waiting_finish(&fixture.waiting);
}

/* What is told of the sums of a loop. */
struct added {
    struct ws_path_sums sums;
    uint64_t turns[8];
    uint64_t times[8][8];
};

static bool note_sums(void *user, const struct ws_path_sums *sums)
{
    struct added *added = user;
    added->sums = *sums;
    assert_true(sums->steps <= 8 && sums->lane_count <= 8 && sums->stride == 8);
    for (uint32_t i = 0; i < sums->steps; i++) {
        added->turns[i] = sums->turns[i];
        for (uint32_t j = 0; j < 8; j++)
            added->times[i][j] = sums->times != NULL ? sums->times[i * 8 + j] : sums->few[i * 8 + j];
    }
    return true;
}

static bool note_nothing(void *user, uint32_t number, struct ws_lanes lanes)
{
    (void)user;
    (void)number;
    return ws_lanes_any(lanes);
}

/* The path of version 5: a bit for C, D for who does not come by C. */
static void set_up_rests(struct fixture *fixture)
{
    set_up(fixture);
    fixture->sites[7].tag = WS_TURNS(0, 1) | WS_TURNS_MARKED;
    fixture->sites[9].tag = WS_STEP(0, WS_STEP_TURN);
    fixture->sites[10].tag = WS_STEP_REST(0, WS_STEP_LAST, 1);
    fixture->sites[11].tag = WS_STEP(0, 0);
    fixture->sites[12].tag = WS_STEP_REST(0, 0, 2);
}

static void assert_added(const struct added *added, const uint64_t turns[4], const uint64_t times[4][3],
                         uint32_t lane_count)
{
    assert_int_equal(added->sums.steps, 4);
    assert_int_equal(added->sums.lane_count, lane_count);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(added->turns[i], turns[i]);
        for (uint32_t j = 0; j < 8; j++)
            assert_int_equal(added->times[i][j], j < lane_count ? times[i][j] : 0);
    }
}

/* Lane 0 runs 1 0 0 0 and its last turn, lane 1 0 1 and its last one, lane 2 is not in the loop. */
static void sums_of_turns(void **state)
{
    (void)state;
    struct fixture fixture;
    struct added added;
    const struct ws_path_listener listener = {.step = note_nothing, .sums = note_sums};
    const uint32_t words[] = {060, 0, 0, 012, 0, 0, 1, 0, 0};
    set_up_rests(&fixture);
    make(&fixture);
    const struct ws_path *path = ws_path_find(&fixture.table, 6);
    assert_true(path->adds && ws_path_in_loop(path, &fixture.table.steps[path->first + 1]));
    assert_false(ws_path_in_loop(path, &fixture.table.steps[path->first]));
    assert_int_equal(ws_path_hear(&fixture.table, path, &fixture.waiting, (struct ws_lanes){7, 0}, words,
                                  &listener, &added),
                     WS_PATH_TOLD);
    /* H in turns 0 to 4, B in 0 to 3, C in 0 and 1, D in 0 to 3. */
    assert_added(&added, (const uint64_t[]){5, 4, 2, 4},
                 (const uint64_t[][3]){{5, 3}, {4, 2}, {1, 1}, {3, 1}}, 2);
    assert_int_equal(added.sums.lanes.low, 3);
    ws_path_table_finish(&fixture.table);
}

/* Lane 0 runs 2^31 groups of 30 turns, with C in the first of each, and a last turn. Lane 1 runs one group, with C in its
 * second turn, then one that ends with its last turn. Lane 2 runs 2^32 - 1 groups without C, which end so. */
static void sums_of_groups(void **state)
{
    (void)state;
    struct fixture fixture;
    struct added added;
    const struct ws_path_listener listener = {.step = note_nothing, .sums = note_sums};
    const uint32_t mark = 1u << 30, many = 1u << 31;
    const uint32_t words[] = {2, mark | 1u << 29, many, mark, mark | 1u << 28, 1, 1, mark, UINT32_MAX};
    const uint64_t first = (uint64_t)many * 30, all = (uint64_t)UINT32_MAX * 30;
    set_up_rests(&fixture);
    make(&fixture);
    assert_int_equal(ws_path_hear(&fixture.table, ws_path_find(&fixture.table, 6), &fixture.waiting,
                                  (struct ws_lanes){7, 0}, words, &listener, &added),
                     WS_PATH_TOLD);
    assert_added(&added, (const uint64_t[]){all, all - 1, (uint64_t)many + 1, all - 1},
                 (const uint64_t[][3]){
                     {first + 1, 60, all}, {first, 59, all - 1}, {many, 1, 0}, {first - many, 58, all - 1}},
                 3);
    ws_path_table_finish(&fixture.table);
}

/* Both ways at once: what is told turn by turn adds up to the sums. */
struct both {
    struct added added;
    uint64_t turns[6];
    uint64_t times[6][8];
};

static bool count_turn(void *user, uint32_t number, struct ws_lanes lanes)
{
    struct both *both = user;
    assert_true(number < 6 && lanes.low < 256);
    both->turns[number]++;
    for (uint32_t i = 0; i < 8; i++)
        both->times[number][i] += ws_lanes_has(lanes, i);
    return true;
}

static bool note_both(void *user, const struct ws_path_sums *sums)
{
    struct both *both = user;
    return note_sums(&both->added, sums);
}

static uint32_t random_below(uint64_t *seed, uint32_t count)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % count;
}

/* Groups as layers write them, and every third time any words, whose groups may be short. */
static void sums_of_any(void **state)
{
    (void)state;
    static const uint32_t bits[] = {1, 2, 3, 9, 15, 30};
    const struct ws_path_listener listener = {.step = note_nothing, .turn = count_turn, .sums = note_both};
    uint64_t seed = 1;
    for (uint32_t round = 0; round < 3000; round++) {
        struct fixture fixture;
        struct both both = {0};
        const uint32_t turn_bits = bits[round % 6], group = 30 / turn_bits;
        const uint32_t full = group * turn_bits;
        const bool any = round % 3 == 2;
        const struct ws_lanes lanes = {1 + random_below(&seed, 255), 0};
        uint32_t words[8 * 3];
        set_up_rests(&fixture);
        fixture.sites[7].tag = WS_TURNS(0, turn_bits) | WS_TURNS_MARKED;
        fixture.sites[11].tag = WS_STEP(0, random_below(&seed, turn_bits));
        make(&fixture);
        for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i += 3) {
            const uint32_t last = turn_bits * random_below(&seed, group + 1);
            words[i] = (1u << last) | random_below(&seed, 1u << last);
            words[i + 1] = (1u << full) | random_below(&seed, 1u << full);
            words[i + 2] = random_below(&seed, 4);
            if (any)
                words[i + 1] = random_below(&seed, 1u << random_below(&seed, 31));
        }
        for (uint32_t i = random_below(&seed, 4); i > 0; i--) {
            const uint32_t waits = 1 + random_below(&seed, 255);
            uint32_t of_lanes[16];
            for (uint32_t j = 0; j < 16; j += 2) {
                of_lanes[j] = (1u << full) | random_below(&seed, 1u << full);
                of_lanes[j + 1] = 1 + random_below(&seed, 4);
            }
            assert_true(ws_path_wait(&fixture.waiting, 7, (struct ws_lanes){waits, 0}, of_lanes, 2));
        }
        assert_int_equal(ws_path_hear(&fixture.table, ws_path_find(&fixture.table, 6), &fixture.waiting,
                                      lanes, words, &listener, &both),
                         WS_PATH_TOLD);
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t lane = 0;
            assert_int_equal(both.added.turns[i], both.turns[1 + i]);
            for (struct ws_lanes left = both.added.sums.lanes; ws_lanes_any(left); lane++)
                assert_int_equal(both.added.times[i][lane], both.times[1 + i][ws_lanes_take(&left)]);
        }
        ws_path_waiting_finish(&fixture.waiting);
        ws_path_table_finish(&fixture.table);
    }
}

/* Steps of words that are not there, and turns without end. */
static void what_cannot_be(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct ws_lanes lane = {1, 0};
    const uint32_t words[] = {1, 3, UINT32_MAX};
    set_up(&fixture);
    make(&fixture);
    assert_int_equal(expand(&fixture, lane, words), WS_PATH_STOPPED);
    fixture.sites[10].tag = WS_STEP(3, 0);
    make(&fixture);
    assert_int_equal(expand(&fixture, lane, words), WS_PATH_MALFORMED);
    set_up(&fixture);
    fixture.sites[7].tag = WS_TURNS(0, 33);
    make(&fixture);
    assert_int_equal(expand(&fixture, lane, words), WS_PATH_MALFORMED);
    fixture.sites[7].tag = 1; /* three words from the second on */
    make(&fixture);
    assert_int_equal(expand(&fixture, lane, words), WS_PATH_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(turns_of_two_lanes),
                                       cmocka_unit_test(turns_of_one_word),
                                       cmocka_unit_test(groups_that_repeat),
                                       cmocka_unit_test(turns_behind_a_mark),
                                       cmocka_unit_test(groups_that_came_once),
                                       cmocka_unit_test(rests_that_cannot_be),
                                       cmocka_unit_test(lanes_that_leave),
                                       cmocka_unit_test(what_cannot_be),
                                       cmocka_unit_test(sums_of_turns),
                                       cmocka_unit_test(sums_of_groups),
                                       cmocka_unit_test(sums_of_any)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
