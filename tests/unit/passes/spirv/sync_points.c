/* Control flow drawn by hand, and the sync points of its call sites (sync_points.h), which are OpExecuteCallableKHR
 * here. Each expectation has a line per place,
 *   FUNCTION.BLOCK [-> CALLEE] [continue] [in HEADER/CONTINUE/MERGE ...] [until SELECTION]
 * with the loops around it from the inside out, and then the sync points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "tests/unit/passes/spirv/flow.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/sync_points.h"

#define FUNCTIONS_MAX 4
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* A module with its sync points. */
struct found {
    uint32_t *words;
    struct ws_arena *arena;
    struct ws_module module;
    struct ws_cfg cfgs[FUNCTIONS_MAX];
    struct ws_sync sync;
};

static void find(struct found *found, const struct flow_function *functions, uint32_t count, bool valid)
{
    static const uint16_t opcodes[] = {SpvOpRayQueryProceedKHR, SpvOpExecuteCallableKHR};
    struct ws_error error = {0};
    size_t word_count = 0;
    found->words = flow_assemble(functions, count, FLOW_RAYGEN, 32, &word_count);
    if (valid)
        flow_validate(found->words, word_count);
    found->arena = ws_arena_create();
    assert_true(ws_module_parse(&found->module, found->arena, found->words, word_count, &error));
    for (uint32_t f = 0; f < count; f++)
        assert_true(ws_cfg_build(&found->cfgs[f], found->arena, &found->module, f, &error));
    assert_true(ws_sync_find(&found->sync, &found->module, found->cfgs, opcodes, LENGTH(opcodes), &error));
}

static void finish(struct found *found)
{
    ws_arena_destroy(found->arena);
    free(found->words);
}

/* Index of a block in its function; the function stands before it unless it is the one at hand. */
static void print_block(FILE *out, const struct ws_module *module, uint32_t function, uint32_t block)
{
    if (block == WS_NONE) {
        fputs("none", out);
        return;
    }
    if (module->blocks[block].function != function)
        fprintf(out, "%u.", module->blocks[block].function);
    fprintf(out, "%u", block - module->functions[module->blocks[block].function].block_first);
}

static void print_place(FILE *out, const struct found *found, const struct ws_sync_place *place)
{
    const struct ws_module *module = &found->module;
    print_block(out, module, WS_NONE, place->block);
    if (place->callee != WS_NONE)
        fprintf(out, " -> %u", place->callee);
    fputs(place->in_continue ? " continue" : "", out);
    for (uint32_t l = place->loop; l != WS_NONE; l = found->sync.loops[l].parent) {
        const struct ws_sync_loop *loop = &found->sync.loops[l];
        assert_true(loop->parent == WS_NONE || loop->parent < l);
        assert_int_equal(loop->function, place->function);
        fputs(" in ", out);
        print_block(out, module, place->function, loop->header);
        fputc('/', out);
        print_block(out, module, place->function, loop->continue_target);
        fputc('/', out);
        print_block(out, module, place->function, loop->merge);
    }
    if (place->selection != WS_NONE) {
        fputs(" until ", out);
        print_block(out, module, place->function, place->selection);
    }
    fputc('\n', out);
}

static void check(const struct flow_function *functions, uint32_t count, const char *expected)
{
    struct found found = {0};
    char *text = NULL;
    size_t length = 0;
    find(&found, functions, count, true);
    FILE *out = open_memstream(&text, &length);
    for (uint32_t i = 0; i < found.sync.place_count; i++) {
        const struct ws_sync_place *place = &found.sync.places[i];
        const struct ws_instruction *instruction = &found.module.instructions[place->instruction];
        assert_int_equal(instruction->offset, place->offset);
        assert_int_equal(instruction->opcode,
                         place->callee == WS_NONE ? SpvOpExecuteCallableKHR : SpvOpFunctionCall);
        assert_ptr_equal(ws_sync_place_at(&found.sync, place->instruction), place);
        assert_null(ws_sync_place_at(&found.sync, place->instruction - 1));
        print_place(out, &found, place);
    }
    fputs("sync", out);
    for (uint32_t b = 0; b < found.module.block_count; b++) {
        if (found.sync.blocks[b]) {
            fputc(' ', out);
            print_block(out, &found.module, WS_NONE, b);
        }
    }
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    finish(&found);
}

static void check_one(const struct flow_block *blocks, uint32_t count, const char *expected)
{
    const struct flow_function function = {blocks, count};
    check(&function, 1, expected);
}

static void test_straight(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {{FLOW_GO, .to = {1}}, {.end = FLOW_RETURN, .body = FLOW_CALLABLE}};
    check_one(blocks, LENGTH(blocks), "0.1\nsync");
    const struct flow_block nothing[] = {{FLOW_IF, .to = {1, 2}, .merge = 2}, {FLOW_GO, .to = {2}}, {0}};
    check_one(nothing, LENGTH(nothing), "sync");
}

static void test_selection(void **state)
{
    (void)state;
    const struct flow_block arm[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 2},
        {FLOW_GO, .to = {2}, .body = FLOW_CALLABLE},
        {.end = FLOW_RETURN},
    };
    check_one(arm, LENGTH(arm), "0.1 until 2\nsync 0.2");
    /* The header calls before it branches, the merge block after it. */
    const struct flow_block around[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 2, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {2}},
        {.end = FLOW_RETURN, .body = FLOW_CALLABLE},
    };
    check_one(around, LENGTH(around), "0.0\n0.2\nsync");
}

static void test_outermost_selection(void **state)
{
    (void)state;
    /* switch { default: if { call } call; case 1: call; } call */
    const struct flow_block blocks[] = {
        {FLOW_SWITCH, .to = {1, 4}, .merge = 5},     {FLOW_IF, .to = {2, 3}, .merge = 3},
        {FLOW_GO, .to = {3}, .body = FLOW_CALLABLE}, {FLOW_GO, .to = {5}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {5}, .body = FLOW_CALLABLE}, {.end = FLOW_RETURN, .body = FLOW_CALLABLE},
    };
    check_one(blocks, LENGTH(blocks), "0.2 until 5\n0.3 until 5\n0.4 until 5\n0.5\nsync 0.5");
}

static void test_selection_without_merge(void **state)
{
    (void)state;
    /* switch { default: if {break} else {break} } call: nothing reaches the inner merge block, and yet the
     * call is behind both. */
    const struct flow_block blocks[] = {
        {FLOW_SWITCH, .to = {1, 1}, .merge = 5},
        {FLOW_IF, .to = {2, 3}, .merge = 4},
        {FLOW_GO, .to = {5}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {5}},
        {.end = FLOW_UNREACHABLE},
        {.end = FLOW_RETURN, .body = FLOW_CALLABLE},
    };
    check_one(blocks, LENGTH(blocks), "0.2 until 5\n0.5\nsync 0.5");
}

static void test_loop(void **state)
{
    (void)state;
    /* call; for (call; c; call) { if { call } } call */
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}, .body = FLOW_CALLABLE},
        {FLOW_IF, .to = {2, 6}, .merge = 6, .next = 5, .body = FLOW_CALLABLE},
        {FLOW_IF, .to = {3, 4}, .merge = 4},
        {FLOW_GO, .to = {4}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {5}},
        {FLOW_GO, .to = {1}, .body = FLOW_CALLABLE},
        {.end = FLOW_RETURN, .body = FLOW_CALLABLE},
    };
    check_one(blocks, LENGTH(blocks),
              "0.0\n0.1 in 1/5/6\n0.3 in 1/5/6\n0.5 continue in 1/5/6\n0.6\nsync 0.5 0.6");
}

static void test_loop_in_selection(void **state)
{
    (void)state;
    /* if { loop { call } call }: the selection is around both, and counts for the second */
    const struct flow_block blocks[] = {
        {FLOW_IF, .to = {1, 6}, .merge = 6},
        {FLOW_GO, .to = {2}},
        {FLOW_IF, .to = {3, 5}, .merge = 5, .next = 4},
        {FLOW_GO, .to = {4}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {2}},
        {FLOW_GO, .to = {6}, .body = FLOW_CALLABLE},
        {.end = FLOW_RETURN},
    };
    check_one(blocks, LENGTH(blocks), "0.3 in 2/4/5\n0.5 until 6\nsync 0.4 0.5 0.6");
}

static void test_nested_loops(void **state)
{
    (void)state;
    /* for { call; for { call } call } and a loop with none, which is not kept */
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_IF, .to = {2, 8}, .merge = 8, .next = 7},
        {FLOW_GO, .to = {3}, .body = FLOW_CALLABLE},
        {FLOW_IF, .to = {4, 6}, .merge = 6, .next = 5},
        {FLOW_GO, .to = {5}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {3}},
        {FLOW_GO, .to = {7}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {1}},
        {FLOW_GO, .to = {9}},
        {FLOW_IF, .to = {10, 11}, .merge = 11, .next = 10},
        {FLOW_GO, .to = {9}},
        {.end = FLOW_RETURN},
    };
    check_one(blocks, LENGTH(blocks),
              "0.2 in 1/7/8\n0.4 in 3/5/6 in 1/7/8\n0.6 in 1/7/8\nsync 0.5 0.6 0.7 0.8");
}

static void test_loop_in_continue(void **state)
{
    (void)state;
    /* The continue construct 3-6 holds a loop with a call, calls behind it too, and ends in another block
     * than it begins with. */
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_IF, .to = {2, 7}, .merge = 7, .next = 3},
        {FLOW_GO, .to = {3}},
        {FLOW_GO, .to = {4}},
        {FLOW_IF, .to = {5, 6}, .merge = 6, .next = 5},
        {FLOW_GO, .to = {4}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {1}, .body = FLOW_CALLABLE},
        {.end = FLOW_RETURN},
    };
    check_one(blocks, LENGTH(blocks),
              "0.5 continue in 4/5/6 in 1/3/7\n0.6 continue in 1/3/7\nsync 0.3 0.5 0.6 0.7");
    /* The inner loop's body is not in the inner continue construct, though the loop is in the outer one. */
    const struct flow_block body[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_IF, .to = {2, 8}, .merge = 8, .next = 3},
        {FLOW_GO, .to = {3}},
        {FLOW_GO, .to = {4}},
        {FLOW_IF, .to = {5, 7}, .merge = 7, .next = 6},
        {FLOW_GO, .to = {6}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {4}},
        {FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    check_one(body, LENGTH(body), "0.5 in 4/6/7 in 1/3/8\nsync 0.3 0.6 0.7 0.8");
}

static void test_single_block_loop(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_IF, .to = {1, 2}, .merge = 2, .next = 1, .body = FLOW_CALLABLE},
        {.end = FLOW_RETURN},
    };
    check_one(blocks, LENGTH(blocks), "0.1 continue in 1/1/2\nsync 0.1 0.2");
}

static void test_endless_loop(void **state)
{
    (void)state;
    const struct flow_block blocks[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_GO, .to = {2}, .merge = 4, .next = 3},
        {FLOW_GO, .to = {3}, .body = FLOW_CALLABLE},
        {FLOW_GO, .to = {1}},
        {.end = FLOW_UNREACHABLE, .body = FLOW_CALLABLE},
    };
    check_one(blocks, LENGTH(blocks), "0.2 in 1/3/4\nsync 0.3 0.4");
}

static void test_early_return(void **state)
{
    (void)state;
    /* if { return; } call: the call is in the merge block, around which nothing is */
    const struct flow_block blocks[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 2},
        {.end = FLOW_RETURN, .body = FLOW_CALLABLE},
        {.end = FLOW_RETURN, .body = FLOW_CALLABLE},
    };
    check_one(blocks, LENGTH(blocks), "0.1 until 2\n0.2\nsync 0.2");
}

static void test_calls(void **state)
{
    (void)state;
    /* main: loop { f() } if { f() } g();   f: if { h() }   h: call   g: nothing */
    const struct flow_block main_blocks[] = {
        {FLOW_GO, .to = {1}},
        {FLOW_IF, .to = {2, 4}, .merge = 4, .next = 3},
        {FLOW_GO, .to = {3}, .body = FLOW_CALL, .callee = 1},
        {FLOW_GO, .to = {1}},
        {FLOW_IF, .to = {5, 6}, .merge = 6},
        {FLOW_GO, .to = {6}, .body = FLOW_CALL, .callee = 1},
        {.end = FLOW_RETURN, .body = FLOW_CALL, .callee = 3},
    };
    const struct flow_block f_blocks[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 2},
        {FLOW_GO, .to = {2}, .body = FLOW_CALL, .callee = 2},
        {.end = FLOW_RETURN},
    };
    const struct flow_block h_blocks[] = {{.end = FLOW_RETURN, .body = FLOW_CALLABLE}};
    const struct flow_block g_blocks[] = {{.end = FLOW_RETURN}};
    const struct flow_function functions[] = {{main_blocks, LENGTH(main_blocks)},
                                              {f_blocks, LENGTH(f_blocks)},
                                              {h_blocks, LENGTH(h_blocks)},
                                              {g_blocks, LENGTH(g_blocks)}};
    check(functions, LENGTH(functions),
          "0.2 -> 1 in 1/3/4\n0.5 -> 1 until 6\n1.1 -> 2 until 2\n2.0\nsync 0.3 0.4 0.6 1.2");
}

static void test_unreachable_call(void **state)
{
    (void)state;
    /* What control flow does not reach calls nothing, and so does who calls a function that does not. */
    const struct flow_block main_blocks[] = {{.end = FLOW_RETURN, .body = FLOW_CALL, .callee = 1}};
    const struct flow_block blocks[] = {{.end = FLOW_RETURN}, {.end = FLOW_RETURN, .body = FLOW_CALLABLE}};
    const struct flow_function functions[] = {{main_blocks, 1}, {blocks, 2}};
    check(functions, 2, "sync");
}

#define DEEP 20000

/* Nesting needs no stack, and time is not its square. */
static void test_deep_loops(void **state)
{
    (void)state;
    /* headers 1 .. n, the innermost body n + 1, then of each loop its continue target and merge block */
    struct flow_block *blocks = calloc(3 * DEEP + 2, sizeof(*blocks));
    blocks[0] = (struct flow_block){FLOW_GO, .to = {1}};
    for (uint32_t i = 1; i <= DEEP; i++) {
        const uint32_t next = 3 * DEEP - 2 * i + 2;
        blocks[i] = (struct flow_block){FLOW_IF, .to = {i + 1, next + 1}, .merge = next + 1, .next = next};
        blocks[next] = (struct flow_block){FLOW_GO, .to = {i}, .body = FLOW_CALLABLE};
        blocks[next + 1] = (struct flow_block){FLOW_GO, .to = {next + 2}};
    }
    blocks[DEEP + 1] = (struct flow_block){FLOW_GO, .to = {DEEP + 2}, .body = FLOW_CALLABLE};
    blocks[3 * DEEP + 1] = (struct flow_block){.end = FLOW_RETURN};
    const struct flow_function function = {blocks, 3 * DEEP + 2};
    struct found found = {0};
    find(&found, &function, 1, false);
    assert_int_equal(found.sync.place_count, DEEP + 1);
    assert_int_equal(found.sync.loop_count, DEEP);
    for (uint32_t l = 0; l < DEEP; l++) {
        assert_int_equal(found.sync.loops[l].parent, l == 0 ? WS_NONE : l - 1);
        assert_int_equal(found.sync.loops[l].header, l + 1);
    }
    assert_int_equal(found.sync.places[0].loop, DEEP - 1);
    finish(&found);
    free(blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_outermost_selection),
        cmocka_unit_test(test_selection_without_merge),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_loop_in_selection),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_loop_in_continue),
        cmocka_unit_test(test_single_block_loop),
        cmocka_unit_test(test_endless_loop),
        cmocka_unit_test(test_early_return),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_unreachable_call),
        cmocka_unit_test(test_deep_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
