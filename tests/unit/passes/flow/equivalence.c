/* Control flow drawn by hand, and the classes of blocks that must come out of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "passes/flow/equivalence.h"
#include "tests/unit/passes/spirv/flow.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/calls.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* A parsed module with everything that is known of its control flow. */
struct flow_module {
    uint32_t *words;
    struct ws_arena *arena;
    struct ws_module module;
    struct ws_cfg cfgs[4];
    struct ws_calls calls;
};

static void flow_module_init(struct flow_module *flow, const struct flow_function *functions, uint32_t count,
                             enum flow_stage stage, uint32_t selector_bits)
{
    struct ws_error error = {0};
    size_t word_count = 0;
    flow->words = flow_assemble(functions, count, stage, selector_bits, &word_count);
    flow_validate(flow->words, word_count);
    flow->arena = ws_arena_create();
    assert_true(ws_module_parse(&flow->module, flow->arena, flow->words, word_count, &error));
    for (uint32_t f = 0; f < count; f++)
        assert_true(ws_cfg_build(&flow->cfgs[f], flow->arena, &flow->module, f, &error));
    assert_true(ws_calls_build(&flow->calls, flow->arena, &flow->module, flow->cfgs, &error));
}

static void flow_module_finish(struct flow_module *flow)
{
    ws_arena_destroy(flow->arena);
    free(flow->words);
}

static void check_functions(const struct flow_function *functions, uint32_t count, enum flow_stage stage,
                            uint32_t selector_bits, const uint32_t *expected)
{
    struct flow_module flow = {0};
    struct ws_error error = {0};
    flow_module_init(&flow, functions, count, stage, selector_bits);
    uint32_t *leaders =
        ws_equivalence_find(flow.arena, &flow.module, 0, &flow.cfgs[0], flow.calls.block_parts, &error);
    assert_non_null(leaders);
    for (uint32_t block = 0; block < functions[0].block_count; block++)
        if (leaders[block] != expected[block])
            fail_msg("block %u: class of block %u, not %u", block, leaders[block], expected[block]);
    flow_module_finish(&flow);
}

#define CHECK(stage, blocks, ...)                                                                            \
    do {                                                                                                     \
        const uint32_t expected[] = {__VA_ARGS__};                                                           \
        const struct flow_function function = {blocks, LENGTH(blocks)};                                      \
        assert_int_equal(LENGTH(expected), LENGTH(blocks));                                                  \
        check_functions(&function, 1, stage, 32, expected);                                                  \
    } while (0)

static void test_if_else(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 3},
        {FLOW_GO, .to = {3}},
        {FLOW_GO, .to = {3}},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 2, 0);
}

static void test_straight_line(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {{FLOW_GO, .to = {1}}, {FLOW_GO, .to = {2}}, {.end = FLOW_RETURN}};
    CHECK(FLOW_FRAGMENT, blocks, 0, 0, 0);
}

static void test_kill_in_one_arm(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 2},
        {.end = FLOW_KILL},
        {FLOW_GO, .to = {3}},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 2, 2);
}

static void test_early_return(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 2},
        {.end = FLOW_RETURN},
        {FLOW_IF, .to = {3, 4}, .merge = 4},
        {FLOW_GO, .to = {4}},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 2, 3, 2);
}

static void test_demote(void **state)
{
    (void)state;
    /* A helper lane runs on, but is not active: what follows has fewer lanes. */
    const struct flow_block blocks[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 2},
        {FLOW_GO, .to = {2}, .body = FLOW_DEMOTE},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 2);
}

static void test_demote_in_place(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_GO, .to = {2}, .body = FLOW_DEMOTE},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 0, 2);
}

static void test_hand_over(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_GO, .to = {2}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {3}},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_RAYGEN, blocks, 0, 0, 2, 2);
}

static void test_hand_over_in_loop(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_IF, .to = {2, 4}, .merge = 4, .next = 3},
        {FLOW_GO, .to = {3}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_RAYGEN, blocks, 0, 1, 2, 3, 4);
}

static void test_call_that_kills(void **state)
{
    (void)state;
    const struct flow_block main_blocks[] = {
        {FLOW_GO, .to = {1}}, {FLOW_GO, .to = {2}, .body = FLOW_CALL, .callee = 1},
        {FLOW_GO, .to = {3}}, {FLOW_GO, .to = {4}, .body = FLOW_CALL, .callee = 3},
        {.end = FLOW_RETURN},
    };
    /* 1 calls 2, which kills; 3 returns early, which parts nothing: its lanes all come back. */
    const struct flow_block middle[] = {{FLOW_RETURN, .body = FLOW_CALL, .callee = 2}};
    const struct flow_block killer[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 2}, {.end = FLOW_KILL}, {.end = FLOW_RETURN}};
    const struct flow_block returner[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 2}, {.end = FLOW_RETURN}, {.end = FLOW_RETURN}};
    const struct flow_function functions[] = {
        {main_blocks, LENGTH(main_blocks)},
        {middle, LENGTH(middle)},
        {killer, LENGTH(killer)},
        {returner, LENGTH(returner)},
    };
    const uint32_t expected[] = {0, 0, 2, 2, 2};
    check_functions(functions, LENGTH(functions), FLOW_FRAGMENT, 32, expected);
}

static void test_kill_that_nothing_reaches(void **state)
{
    (void)state;
    const struct flow_block main_blocks[] = {
        {FLOW_GO, .to = {1}, .body = FLOW_CALL, .callee = 1},
        {.end = FLOW_RETURN},
    };
    const struct flow_block callee[] = {{.end = FLOW_RETURN}, {.end = FLOW_KILL}};
    const struct flow_function functions[] = {{main_blocks, LENGTH(main_blocks)}, {callee, LENGTH(callee)}};
    const uint32_t expected[] = {0, 0};
    check_functions(functions, LENGTH(functions), FLOW_FRAGMENT, 32, expected);
}

static void test_loop(void **state)
{
    (void)state;
    /* 1 header, 2 body, 3 continue, 4 after */
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}}, {FLOW_IF, .to = {2, 4}, .merge = 4, .next = 3},
        {FLOW_GO, .to = {3}}, {FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 2, 2, 0);
}

static void test_loop_with_break_and_continue(void **state)
{
    (void)state;
    /* loop { 1; if (c) continue; 3; if (d) break; }: 3 dominates nothing that 1 does not reach twice; 1
     * dominates 3, 3 post-dominates 1 and they share their loop, and yet 1 runs more often. */
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}},    {FLOW_GO, .to = {2}, .merge = 5, .next = 4},
        {FLOW_IF, .to = {4, 3}}, {FLOW_IF, .to = {5, 4}},
        {FLOW_GO, .to = {1}},    {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 1, 3, 4, 0);
}

/* Sums of loop headers, per block: the block before the loop and the one that leads back. */
static void check_sums(const struct flow_block *blocks, uint32_t count, const uint32_t (*expected)[2])
{
    const struct flow_function function = {blocks, count};
    struct flow_module flow = {0};
    struct ws_error error = {0};
    flow_module_init(&flow, &function, 1, FLOW_FRAGMENT, 32);
    const uint32_t *leaders =
        ws_equivalence_find(flow.arena, &flow.module, 0, &flow.cfgs[0], flow.calls.block_parts, &error);
    assert_non_null(leaders);
    const struct ws_block_sum *sums = ws_equivalence_sums(flow.arena, &flow.module, 0, &flow.cfgs[0],
                                                          flow.calls.block_parts, leaders, &error);
    assert_non_null(sums);
    for (uint32_t b = 0; b < count; b++) {
        assert_int_equal(sums[b].before, expected[b][0]);
        assert_int_equal(sums[b].again, expected[b][1]);
    }
    flow_module_finish(&flow);
}

#define NO_SUM                                                                                               \
    {                                                                                                        \
        WS_NONE, WS_NONE                                                                                     \
    }

static void test_sums(void **state)
{
    (void)state;
    const struct flow_block nested[] = {
        {FLOW_GO, .to = {1}}, {FLOW_IF, .to = {2, 8}, .merge = 8, .next = 7},
        {FLOW_GO, .to = {3}}, {FLOW_IF, .to = {4, 6}, .merge = 6, .next = 5}, /* a loop in the loop */
        {FLOW_GO, .to = {5}}, {FLOW_GO, .to = {3}},
        {FLOW_GO, .to = {7}}, {FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    const uint32_t of_nested[][2] = {NO_SUM, {0, 7}, NO_SUM, {2, 5}, NO_SUM, NO_SUM, NO_SUM, NO_SUM, NO_SUM};
    check_sums(nested, LENGTH(nested), of_nested);
    /* loop { if (a) { 3; break; } 4 }: lanes come to 6, the header of the next loop, from several iterations, and run it
     * together. */
    const struct flow_block behind_break[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_GO, .to = {2}, .merge = 6, .next = 5},
        {FLOW_IF, .to = {3, 4}, .merge = 4},
        {FLOW_GO, .to = {6}},
        {FLOW_GO, .to = {5}},
        {FLOW_GO, .to = {1}},
        {FLOW_IF, .to = {7, 9}, .merge = 9, .next = 8},
        {FLOW_GO, .to = {8}},
        {FLOW_GO, .to = {6}},
        {.end = FLOW_RETURN},
    };
    const uint32_t of_break[][2] = {NO_SUM, {0, 5}, NO_SUM, NO_SUM, NO_SUM,
                                    NO_SUM, NO_SUM, NO_SUM, NO_SUM, NO_SUM};
    check_sums(behind_break, LENGTH(behind_break), of_break);
    /* do 1; while (a): the block that leads back leads out too. */
    const struct flow_block until[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_GO, .to = {2}, .merge = 3, .next = 2},
        {FLOW_IF, .to = {1, 3}},
        {.end = FLOW_RETURN},
    };
    const uint32_t of_until[][2] = {NO_SUM, NO_SUM, NO_SUM, NO_SUM};
    check_sums(until, LENGTH(until), of_until);
}

static void test_single_block_loop(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_IF, .to = {1, 2}, .merge = 2, .next = 1},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 0);
}

static void test_nested_loops(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}}, {FLOW_IF, .to = {2, 6}, .merge = 6, .next = 5}, /* outer */
        {FLOW_GO, .to = {3}}, {FLOW_IF, .to = {3, 4}, .merge = 4, .next = 3}, /* inner, one block */
        {FLOW_GO, .to = {5}}, {FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 2, 3, 2, 2, 0);
}

static void test_endless_loop(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_IF, .to = {1, 4}, .merge = 4},
        {FLOW_GO, .to = {2}, .merge = 3, .next = 2},
        {FLOW_GO, .to = {1}},
        {.end = FLOW_UNREACHABLE},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 2, WS_NONE, 4);
}

static void test_unreachable_blocks(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 3}, {.end = FLOW_RETURN}, {.end = FLOW_RETURN},
        {.end = FLOW_UNREACHABLE},           {FLOW_GO, .to = {3}},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 2, WS_NONE, WS_NONE);
}

static void test_switch_fallthrough(void **state)
{
    (void)state;
    /* Case 1 falls into 2, the default: 2 runs with all lanes of 0, but need not run with them at once. 3 is
     * in 2's context; 4 is the merge block, where all are together again. */
    const struct flow_block blocks[] = {
        {FLOW_SWITCH, .to = {2, 1}, .merge = 4},
        {FLOW_GO, .to = {2}},
        {FLOW_GO, .to = {3}},
        {FLOW_GO, .to = {4}},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 2, 2, 0);
}

static void test_nested_switch(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_SWITCH, .to = {1, 2, 6}, .merge = 7},
        {FLOW_GO, .to = {7}},
        {FLOW_SWITCH, .to = {5, 3, 4}, .merge = 5}, /* in case 1: 3 falls into 4 */
        {FLOW_GO, .to = {4}},
        {FLOW_GO, .to = {5}},
        {FLOW_GO, .to = {6}}, /* the inner merge falls into the outer case 2 */
        {FLOW_GO, .to = {7}},
        {.end = FLOW_RETURN},
    };
    const uint32_t expected[] = {0, 1, 2, 3, 4, 2, 6, 0};
    const struct flow_function function = {blocks, LENGTH(blocks)};
    check_functions(&function, 1, FLOW_FRAGMENT, 32, expected);
    check_functions(&function, 1, FLOW_FRAGMENT, 64, expected);
}

static void test_return_in_loop(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_IF, .to = {2, 6}, .merge = 6, .next = 5},
        {FLOW_IF, .to = {3, 4}, .merge = 4},
        {.end = FLOW_RETURN},
        {FLOW_GO, .to = {5}},
        {FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_FRAGMENT, blocks, 0, 1, 2, 3, 4, 4, 6);
}

static void test_calls(void **state)
{
    (void)state;
    const struct flow_block first[] = {
        {FLOW_GO, .to = {1}, .body = FLOW_CALL, .callee = 1},
        {FLOW_GO, .to = {2}, .body = FLOW_CALL, .callee = 2},
        {FLOW_RETURN, .body = FLOW_CALL, .callee = 1},
        {FLOW_RETURN, .body = FLOW_CALL, .callee = 3}, /* nothing reaches it */
    };
    const struct flow_block second[] = {{FLOW_RETURN, .body = FLOW_CALL, .callee = 2}};
    const struct flow_block last[] = {{.end = FLOW_RETURN}};
    const struct flow_function functions[] = {{first, 4}, {second, 1}, {last, 1}, {last, 1}};
    struct flow_module flow = {0};
    flow_module_init(&flow, functions, 4, FLOW_FRAGMENT, 32);
    uint32_t marks[4] = {0};
    uint32_t reached[4];
    assert_int_equal(ws_calls_reached(&flow.calls, 0, marks, 1, reached), 3);
    assert_int_equal(reached[0], 0);
    assert_int_equal(reached[1], 1);
    assert_int_equal(reached[2], 2);
    assert_int_equal(ws_calls_reached(&flow.calls, 1, marks, 2, reached), 2);
    assert_int_equal(ws_calls_reached(&flow.calls, 3, marks, 3, reached), 1);
    assert_int_equal(flow.calls.callee_first[1] - flow.calls.callee_first[0], 3);
    flow_module_finish(&flow);
}

static void test_loop_starts_context(void **state)
{
    (void)state;
    /* call; loop { if { break; } }: a context begins with the loop's header, and so does that of each
     * iteration. Lanes break in different iterations, and meet in the block behind. */
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {2}, .merge = 6, .next = 5},
        {FLOW_IF, .to = {3, 4}, .merge = 4},
        {FLOW_GO, .to = {6}},
        {FLOW_GO, .to = {5}},
        {FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    CHECK(FLOW_RAYGEN, blocks, 0, 1, 1, 3, 4, 4, 6);
}

static void test_malformed_branch(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {{FLOW_GO, .to = {1}}, {.end = FLOW_RETURN}};
    const struct flow_function functions[] = {{blocks, 2}, {blocks, 2}};
    size_t word_count = 0;
    uint32_t *words = flow_assemble(functions, 2, FLOW_FRAGMENT, 32, &word_count);
    struct ws_arena *arena = ws_arena_create();
    struct ws_module module;
    struct ws_error error = {0};
    assert_true(ws_module_parse(&module, arena, words, word_count, &error));
    /* The branch of the second function into the first */
    uint32_t offset = module.instructions[module.blocks[2].end - 1].offset;
    words[offset + 1] = module.blocks[1].label;
    struct ws_cfg cfg;
    assert_true(ws_cfg_build(&cfg, arena, &module, 0, &error));
    assert_false(ws_cfg_build(&cfg, arena, &module, 1, &error));
    assert_string_not_equal(error.message, "");
    ws_arena_destroy(arena);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight_line),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_if_else),
        cmocka_unit_test(test_kill_in_one_arm),
        cmocka_unit_test(test_early_return),
        cmocka_unit_test(test_demote),
        cmocka_unit_test(test_demote_in_place),
        cmocka_unit_test(test_hand_over),
        cmocka_unit_test(test_hand_over_in_loop),
        cmocka_unit_test(test_call_that_kills),
        cmocka_unit_test(test_kill_that_nothing_reaches),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_loop_with_break_and_continue),
        cmocka_unit_test(test_single_block_loop),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_endless_loop),
        cmocka_unit_test(test_unreachable_blocks),
        cmocka_unit_test(test_switch_fallthrough),
        cmocka_unit_test(test_nested_switch),
        cmocka_unit_test(test_return_in_loop),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_loop_starts_context),
        cmocka_unit_test(test_malformed_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
