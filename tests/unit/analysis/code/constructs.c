/* Where the lanes of a block come from (constructs.h): small functions, each step worked out by hand. */
#include "warpscope/code/constructs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/passes/spirv/flow.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/cuts.h"

/* The constructs of one function of a module. */
struct looked_at {
    uint32_t *words;
    struct ws_arena *arena;
    struct ws_module module;
    struct ws_constructs constructs;
};

static void look(struct looked_at *at, const struct flow_function *functions, uint32_t count,
                 uint32_t function)
{
    struct ws_error error = {{0}};
    size_t word_count = 0;
    at->words = flow_assemble(functions, count, FLOW_FRAGMENT, 32, &word_count);
    flow_validate(at->words, word_count);
    at->arena = ws_arena_create();
    assert_non_null(at->arena);
    assert_true(ws_module_parse(&at->module, at->arena, at->words, word_count, &error));
    struct ws_cfg *cfgs = ws_cuts_make(&at->module, &error);
    assert_non_null(cfgs);
    assert_true(ws_constructs_find(&at->constructs, at->arena, &at->module, function, &cfgs[function]));
}

static void forget(struct looked_at *at)
{
    ws_arena_destroy(at->arena);
    free(at->words);
}

static void expect(const struct looked_at *at, uint32_t block, uint32_t outer, uint32_t kind, uint32_t place)
{
    const struct ws_step *step = &at->constructs.steps[block];
    if (step->outer != outer || step->kind != kind || (kind != WS_STEP_NONE && step->place != place))
        fail_msg("block %u: outer %u, kind %u, place %u", block, step->outer, step->kind, step->place);
}

static void selection(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {.end = FLOW_IF, .to = {1, 2}, .merge = 2}, {.end = FLOW_GO, .to = {2}}, {.end = FLOW_RETURN}};
    const struct flow_function function = {blocks, 3};
    struct looked_at at;
    look(&at, &function, 1, 0);
    expect(&at, 0, WS_NONE, WS_STEP_NONE, 0);
    expect(&at, 1, 0, WS_STEP_BRANCH, 0);
    expect(&at, 2, 0, WS_STEP_NONE, 0);
    forget(&at);
}

/* In an entry point a return ends lanes; in another function they come back to the caller. */
static void early_return(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {.end = FLOW_IF, .to = {1, 2}, .merge = 2}, {.end = FLOW_RETURN}, {.end = FLOW_RETURN}};
    const struct flow_block caller[] = {{.end = FLOW_RETURN, .body = FLOW_CALL, .callee = 1}};
    const struct flow_function functions[] = {{caller, 1}, {blocks, 3}};
    const struct flow_function alone = {blocks, 3};
    struct looked_at at;
    look(&at, &alone, 1, 0);
    expect(&at, 1, 0, WS_STEP_BRANCH, 0);
    expect(&at, 2, 0, WS_STEP_EXIT, 0);
    forget(&at);
    look(&at, functions, 2, 1);
    expect(&at, 2, 0, WS_STEP_BRANCH, 0);
    forget(&at);
}

static void loop(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {.end = FLOW_GO, .to = {1}}, {.end = FLOW_IF, .to = {2, 4}, .merge = 4, .next = 3},
        {.end = FLOW_GO, .to = {3}}, {.end = FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    const struct flow_function function = {blocks, 5};
    struct looked_at at;
    look(&at, &function, 1, 0);
    expect(&at, 1, 0, WS_STEP_LOOP, 1);
    expect(&at, 2, 1, WS_STEP_LOOP, 1);
    expect(&at, 3, 2, WS_STEP_NONE, 0);
    expect(&at, 4, 0, WS_STEP_NONE, 0);
    assert_int_equal(at.constructs.loop[2], 1);
    assert_int_equal(at.constructs.loop[4], WS_NONE);
    forget(&at);
}

/* `for (;;) { if (c) break; D; }`: lanes are missing in D because they have left the loop. */
static void leaving(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {.end = FLOW_GO, .to = {1}},
        {.end = FLOW_GO, .to = {2}, .merge = 6, .next = 5},
        {.end = FLOW_IF, .to = {3, 4}, .merge = 4},
        {.end = FLOW_GO, .to = {6}},
        {.end = FLOW_GO, .to = {5}},
        {.end = FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    const struct flow_function function = {blocks, 7};
    struct looked_at at;
    look(&at, &function, 1, 0);
    expect(&at, 3, 2, WS_STEP_BRANCH, 2);
    expect(&at, 4, 2, WS_STEP_LOOP, 1);
    expect(&at, 6, 0, WS_STEP_NONE, 0);
    forget(&at);
}

/* A call of what discards: what stands behind it is a block of its own, and the call an exit. */
static void discarding_call(void **state)
{
    (void)state;
    const struct flow_block caller[] = {{.end = FLOW_RETURN, .body = FLOW_CALL, .callee = 1}};
    const struct flow_block clip[] = {
        {.end = FLOW_IF, .to = {1, 2}, .merge = 2}, {.end = FLOW_KILL}, {.end = FLOW_RETURN}};
    const struct flow_function functions[] = {{caller, 1}, {clip, 3}};
    struct looked_at at;
    look(&at, functions, 2, 0);
    assert_int_equal(at.constructs.block_count, 2);
    expect(&at, 1, 0, WS_STEP_EXIT, 0);
    forget(&at);
    look(&at, functions, 2, 1);
    expect(&at, 2, 0, WS_STEP_EXIT, 0);
    forget(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selection), cmocka_unit_test(early_return),    cmocka_unit_test(loop),
        cmocka_unit_test(leaving),   cmocka_unit_test(discarding_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
