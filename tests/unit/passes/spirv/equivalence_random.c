/* Random structured programs, run lane by lane in a small model of SIMT execution: blocks that are put into
 * one class must have been run by the same sets of lanes. And classes by their definition, in quadratic time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "passes/base/arena.h"
#include "passes/spirv/calls.h"
#include "passes/spirv/cycles.h"
#include "passes/spirv/equivalence.h"
#include "tests/unit/passes/spirv/random_flow.h"

#define PROGRAMS         1500
#define RUNS_PER_PROGRAM 4
#define NEVER            UINT32_MAX

/* ---- the definition, in quadratic time ---- */

struct reference {
    const struct random_function *maker;
    bool edges[RANDOM_BLOCKS_MAX + 1][RANDOM_BLOCKS_MAX + 1]; /* the node behind the blocks is EXIT */
};

/* Whether a walk of at least one step leads from `from` to `to` without node `avoid`. */
static bool can_walk(const struct reference *reference, uint32_t from, uint32_t to, uint32_t avoid)
{
    const uint32_t count = reference->maker->count + 1;
    bool seen[RANDOM_BLOCKS_MAX + 1] = {false};
    uint32_t stack[RANDOM_BLOCKS_MAX + 2];
    uint32_t depth = 0;
    stack[depth++] = from;
    while (depth > 0) {
        const uint32_t node = stack[--depth];
        for (uint32_t next = 0; next < count; next++) {
            if (!reference->edges[node][next] || next == avoid)
                continue;
            if (next == to)
                return true;
            if (!seen[next]) {
                seen[next] = true;
                stack[depth++] = next;
            }
        }
    }
    return false;
}

static bool block_parts(const struct random_function *functions, const struct flow_block *block);

static bool function_parts(const struct random_function *functions, uint32_t function)
{
    struct reference plain = {.maker = &functions[function]};
    for (uint32_t b = 0; b < plain.maker->count; b++) {
        const struct flow_block *block = &plain.maker->blocks[b];
        for (uint32_t i = 0; block->end != FLOW_RETURN && block->end != FLOW_KILL && i < FLOW_TARGETS; i++)
            plain.edges[b][block->to[i]] |= block->to[i] != 0;
    }
    for (uint32_t b = 0; b < plain.maker->count; b++)
        if ((b == 0 || can_walk(&plain, 0, b, NEVER)) && block_parts(functions, &plain.maker->blocks[b]))
            return true;
    return false;
}

static bool block_parts(const struct random_function *functions, const struct flow_block *block)
{
    return block->end == FLOW_KILL || block->body == FLOW_DEMOTE || block->body == FLOW_CALLABLE ||
           (block->body == FLOW_CALL && function_parts(functions, block->callee));
}

static void reference_init(struct reference *reference, const struct random_function *functions,
                           uint32_t function)
{
    *reference = (struct reference){.maker = &functions[function]};
    const uint32_t exit = reference->maker->count;
    for (uint32_t b = 0; b < exit; b++) {
        const struct flow_block *block = &reference->maker->blocks[b];
        const bool ends = block->end == FLOW_RETURN || block->end == FLOW_KILL;
        for (uint32_t i = 0; !ends && i < FLOW_TARGETS; i++)
            reference->edges[b][block->to[i]] |= block->to[i] != 0;
        reference->edges[b][exit] = ends || block_parts(functions, block);
    }
    bool endless[RANDOM_BLOCKS_MAX];
    for (uint32_t b = 0; b < exit; b++)
        endless[b] = !can_walk(reference, b, exit, NEVER);
    for (uint32_t b = 0; b < exit; b++)
        reference->edges[b][exit] = reference->edges[b][exit] || endless[b];
    reference->edges[exit][0] = true;
}

static void check_definition(const struct random_function *functions, uint32_t function,
                             const uint32_t *leaders)
{
    struct reference reference;
    reference_init(&reference, functions, function);
    const uint32_t exit = functions[function].count;
    bool one_context = !functions[function].splits;
    for (uint32_t b = 0; b < exit; b++)
        one_context = one_context && !block_parts(functions, &functions[function].blocks[b]);
    for (uint32_t a = 0; a < exit; a++) {
        const bool reached = a == 0 || can_walk(&reference, exit, a, NEVER);
        assert_int_equal(reached, leaders[a] != WS_NONE);
        for (uint32_t b = 0; b < a && reached; b++) {
            if (leaders[b] == WS_NONE)
                continue;
            const bool same = !can_walk(&reference, a, a, b) && !can_walk(&reference, b, b, a);
            if (leaders[a] == leaders[b])
                assert_true(same);
            else if (one_context)
                assert_false(same);
        }
    }
}

/* ---- the tests ---- */

static uint32_t parts_count;

/* Per block, sum over executions of a hash of the lanes. */
struct masks {
    uint64_t sums[RANDOM_FUNCTIONS][RANDOM_BLOCKS_MAX];
};

static void add_mask(void *user, enum random_place place, uint32_t function, uint32_t block, uint32_t lanes)
{
    struct masks *masks = user;
    if (place == RANDOM_BLOCK)
        masks->sums[function][block] += random_mix((uint64_t)lanes + 1);
}

/* Runs a program on several inputs and compares the blocks of each class. */
static void check_runs(const struct random_function *functions, uint64_t seed, uint32_t *const *leaders)
{
    for (uint32_t input = 0; input < RUNS_PER_PROGRAM; input++) {
        struct masks masks = {.sums = {{0}}};
        const struct random_watch watch = {add_mask, &masks};
        const uint32_t lanes = input == 0 ? 1 : (1u << RANDOM_LANES) - 1;
        if (!random_flow_run(functions, random_mix(seed + input), lanes, &watch))
            continue;
        for (uint32_t f = 0; f < RANDOM_FUNCTIONS; f++) {
            for (uint32_t b = 0; b < functions[f].count; b++) {
                const uint32_t leader = leaders[f][b];
                if (leader == WS_NONE)
                    assert_true(masks.sums[f][b] == 0);
                else if (masks.sums[f][b] != masks.sums[f][leader])
                    fail_msg("function %u: block %u and its leader %u differ", f, b, leader);
            }
        }
        parts_count++;
    }
}

static void test_random_programs(void **state)
{
    (void)state;
    static struct random_function functions[RANDOM_FUNCTIONS];
    uint32_t valid = 0;
    for (uint32_t program = 0; program < PROGRAMS; program++) {
        random_seed(program + 1);
        const enum flow_stage stage = program % 2 == 0 ? FLOW_FRAGMENT : FLOW_RAYGEN;
        struct flow_function flows[RANDOM_FUNCTIONS];
        random_flow_make(functions, stage);
        for (uint32_t f = 0; f < RANDOM_FUNCTIONS; f++)
            flows[f] = (struct flow_function){functions[f].blocks, functions[f].count};
        size_t word_count = 0;
        uint32_t *words =
            flow_assemble(flows, RANDOM_FUNCTIONS, stage, program % 3 == 0 ? 64 : 32, &word_count);
        struct ws_arena *arena = ws_arena_create();
        if (flow_is_valid(words, word_count)) {
            struct ws_module module;
            struct ws_cfg cfgs[RANDOM_FUNCTIONS];
            struct ws_calls calls;
            struct ws_error error = {0};
            uint32_t *leaders[RANDOM_FUNCTIONS];
            valid++;
            assert_true(ws_module_parse(&module, arena, words, word_count, &error));
            for (uint32_t f = 0; f < RANDOM_FUNCTIONS; f++)
                assert_true(ws_cfg_build(&cfgs[f], arena, &module, f, &error));
            assert_true(ws_calls_build(&calls, arena, &module, cfgs, &error));
            for (uint32_t f = 0; f < RANDOM_FUNCTIONS; f++) {
                leaders[f] = ws_equivalence_find(arena, &module, f, &cfgs[f], calls.block_parts, &error);
                assert_non_null(leaders[f]);
                check_definition(functions, f, leaders[f]);
            }
            check_runs(functions, program, leaders);
        }
        ws_arena_destroy(arena);
        free(words);
    }
    print_message("%u of %u programs valid, %u runs that ended\n", valid, PROGRAMS, parts_count);
    assert_true(valid > PROGRAMS / 2);
    assert_true(parts_count > PROGRAMS);
}

/* Cycle equivalence on graphs without any structure. */
static void test_random_graphs(void **state)
{
    (void)state;
    static struct random_function nodes;
    for (uint32_t graph = 0; graph < 2000; graph++) {
        random_seed(graph + 1000000);
        static struct reference reference;
        struct ws_edge edges[128];
        uint32_t classes[128];
        memset(&reference, 0, sizeof(reference));
        const uint32_t count = 2 + random_below(8); /* each node is split in two: begin 2n, end 2n + 1 */
        nodes.count = count - 1;
        reference.maker = &nodes;
        uint32_t edge_count = 0;
        for (uint32_t node = 0; node < count; node++)
            edges[edge_count++] = (struct ws_edge){2 * node, 2 * node + 1};
        for (uint32_t node = 0; node < count + random_below(2 * count); node++) {
            /* A ring first, so that every node reaches every other, then anything. */
            const uint32_t from = node < count ? node : random_below(count);
            const uint32_t to = node < count ? (node + 1) % count : random_below(count);
            reference.edges[from][to] = true;
            edges[edge_count++] = (struct ws_edge){2 * from + 1, 2 * to};
        }
        struct ws_arena *arena = ws_arena_create();
        assert_true(ws_cycles_classify(arena, 2 * count, edges, edge_count, classes));
        for (uint32_t a = 0; a < count; a++) {
            for (uint32_t b = 0; b < a; b++) {
                const bool same = !can_walk(&reference, a, a, b) && !can_walk(&reference, b, b, a);
                assert_int_equal(same, classes[a] == classes[b]);
            }
        }
        ws_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
