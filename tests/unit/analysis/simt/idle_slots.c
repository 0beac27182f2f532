/* Where idle slots are booked (idle_slots.h): counters by hand, each term worked out. */
#include "analysis/simt/idle_slots.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/passes/spirv/flow.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/cuts.h"

/* A run of a module with two functions at most, of warps of 8 lanes. */
struct made {
    uint32_t *words;
    struct ws_code *code;
    struct ws_shader_code known;
    struct ws_shader_run run;
    struct ws_block_run blocks[8];
    uint32_t order[2];
    double lanes[2];
    double slots[2];
};

static void make(struct made *made, const struct flow_function *functions, uint32_t count)
{
    struct ws_error error = {{0}};
    size_t words = 0;
    *made = (struct made){.order = {0, 1}};
    made->words = flow_assemble(functions, count, FLOW_FRAGMENT, 32, &words);
    made->code = ws_code_create(made->words, (uint32_t)words, &error);
    assert_non_null(made->code);
    made->known.code = made->code;
    made->known.cfgs = ws_cuts_make(&made->code->module, &error);
    made->known.constructs = ws_arena_allocate(made->code->arena, count, sizeof(*made->known.constructs));
    assert_true(made->known.cfgs != NULL && made->known.constructs != NULL);
    for (uint32_t i = 0; i < count; ++i)
        assert_true(ws_constructs_find(&made->known.constructs[i], made->code->arena, &made->code->module, i,
                                       &made->known.cfgs[i]));
    made->run = (struct ws_shader_run){.code = &made->known,
                                       .blocks = made->blocks,
                                       .by_warps = true,
                                       .functions = made->order,
                                       .function_count = count,
                                       .called_lanes = made->lanes,
                                       .called_slots = made->slots};
    assert_true(
        ws_calls_build(&made->known.calls, made->code->arena, &made->code->module, made->known.cfgs, &error));
}

static void destroy(struct made *made)
{
    ws_code_destroy(made->code);
    free(made->words);
}

static void ran(struct made *made, uint32_t block, uint32_t instructions, uint64_t executions,
                uint64_t active)
{
    made->blocks[block] = (struct ws_block_run){
        .instructions = instructions, .executions = executions, .active = active, .slots = 8 * executions};
}

static void near(double is, double wanted)
{
    if (fabs(is - wanted) > 1e-6)
        fail_msg("%g, not %g", is, wanted);
}

/* 4 warps of 6 lanes; a third of the lanes takes the side. Of the side's 10 x 8 active slots, at fullness 1/4, 80 (4 -
 * 4/3) are booked on the branch; the lanes that warps lacked on entry are a quarter of all: (3 x 24 + 80 + 2 x 24) / 3. */
static void branch(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {.end = FLOW_IF, .to = {1, 2}, .merge = 2}, {.end = FLOW_GO, .to = {2}}, {.end = FLOW_RETURN}};
    const struct flow_function function = {blocks, 3};
    struct ws_idle_slots idle;
    struct made made;
    make(&made, &function, 1);
    ran(&made, 0, 3, 4, 24);
    ran(&made, 1, 10, 4, 8);
    ran(&made, 2, 2, 4, 24);
    assert_true(ws_idle_slots_find(&idle, &made.run));
    near(idle.all, 15 * 32);
    near(idle.active, 3 * 24 + 80 + 2 * 24);
    near(idle.branches[0], 80 * (4 - 4.0 / 3));
    near(idle.partial, (3 * 24 + 80 + 2 * 24) / 3.0);
    near(idle.active + idle.branches[0] + idle.partial, idle.all);
    ws_idle_slots_finish(&idle);
    destroy(&made);
}

/* Lane i of 8 runs the loop i times: the body 7 times with 28 lanes in all, the header 8 times with 36. */
static void loop(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {.end = FLOW_GO, .to = {1}}, {.end = FLOW_IF, .to = {2, 4}, .merge = 4, .next = 3},
        {.end = FLOW_GO, .to = {3}}, {.end = FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    const struct flow_function function = {blocks, 5};
    struct ws_idle_slots idle;
    struct made made;
    make(&made, &function, 1);
    ran(&made, 0, 1, 1, 8);
    ran(&made, 1, 3, 8, 36);
    ran(&made, 2, 5, 7, 28);
    ran(&made, 3, 2, 7, 28);
    ran(&made, 4, 1, 1, 8);
    assert_true(ws_idle_slots_find(&idle, &made.run));
    /* Idle are 64 - 36 lanes at the header's 3 instructions, and 56 - 28 at the 7 of the body. */
    near(idle.loops[1], 3 * 28 + 7 * 28);
    near(idle.partial, 0);
    near(idle.active + idle.loops[1], idle.all);
    ws_idle_slots_finish(&idle);
    destroy(&made);
}

/* Half of the lanes call a function; a quarter of these takes its side. What is idle in the function is booked on both
 * branches: 20 x 1 active slots at fullness 1/8 there, of a caller at 1/2. */
static void call(void **state)
{
    (void)state;
    const struct flow_block caller[] = {{.end = FLOW_IF, .to = {1, 2}, .merge = 2},
                                        {.end = FLOW_GO, .to = {2}, .body = FLOW_CALL, .callee = 1},
                                        {.end = FLOW_RETURN}};
    const struct flow_block callee[] = {
        {.end = FLOW_IF, .to = {1, 2}, .merge = 2}, {.end = FLOW_GO, .to = {2}}, {.end = FLOW_RETURN}};
    const struct flow_function functions[] = {{caller, 3}, {callee, 3}};
    struct ws_idle_slots idle;
    struct made made;
    make(&made, functions, 2);
    ran(&made, 0, 1, 1, 8);
    ran(&made, 1, 1, 1, 4);
    ran(&made, 2, 1, 1, 8);
    ran(&made, 3, 2, 1, 4);
    ran(&made, 4, 20, 1, 1);
    ran(&made, 5, 1, 1, 4);
    made.lanes[1] = 4;
    assert_true(ws_idle_slots_find(&idle, &made.run));
    near(idle.branches[3], 20 * (8 - 2));
    near(idle.branches[0], (1 * 4 + 2 * 4 + 20 * 1 + 1 * 4) * (2 - 1));
    near(idle.active + idle.branches[0] + idle.branches[3], idle.all);
    ws_idle_slots_finish(&idle);
    destroy(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(branch), cmocka_unit_test(loop),
                                       cmocka_unit_test(call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
