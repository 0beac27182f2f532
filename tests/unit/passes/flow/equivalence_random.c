/* Random structured programs, run lane by lane in a small model of SIMT execution: blocks, cut as cuts.h says, that are
 * put into one class must have been run by the same sets of lanes, and loop headers with a sum by those of both its blocks.
 * And classes by their definition, in quadratic time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "passes/base/cycles.h"
#include "passes/flow/equivalence.h"
#include "tests/unit/passes/spirv/random_flow.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/calls.h"
#include "warpscope/spirv/cuts.h"

#define PROGRAMS         1500
#define RUNS_PER_PROGRAM 4
#define NEVER            UINT32_MAX

/* ---- the definition, in quadratic time ---- */

#define PARTS_MAX (2 * RANDOM_BLOCKS_MAX) /* of a function: a body may cut its block in two */

/* A graph whose nodes are the parts of the blocks; the one behind them is EXIT. */
struct reference {
    uint32_t count;                        /* of parts */
    uint32_t first[RANDOM_BLOCKS_MAX + 1]; /* per block, and one more: its first part */
    bool edges[PARTS_MAX + 1][PARTS_MAX + 1];
};

/* Whether a walk of at least one step leads from `from` to `to` without node `avoid`. */
static bool can_walk(const struct reference *reference, uint32_t from, uint32_t to, uint32_t avoid)
{
    const uint32_t count = reference->count + 1;
    bool seen[PARTS_MAX + 1] = {false};
    uint32_t stack[PARTS_MAX + 2];
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

static bool function_parts(const struct random_function *functions, uint32_t function, bool callables);

/* Whether the body of a block may end lanes; with `callables`, or bring them back in other warps. */
static bool body_parts(const struct random_function *functions, const struct flow_block *block,
                       bool callables)
{
    return block->body == FLOW_DEMOTE || (callables && block->body == FLOW_CALLABLE) ||
           (block->body == FLOW_CALL && function_parts(functions, block->callee, callables));
}

/* Makes the graph of a function without EXIT. `cut` says of each block whether it is cut; NULL: none is. */
static void reference_connect(struct reference *reference, const struct random_function *maker,
                              const bool *cut)
{
    memset(reference, 0, sizeof(*reference));
    for (uint32_t b = 0; b < maker->count; b++)
        reference->first[b + 1] = reference->first[b] + (cut != NULL && cut[b] ? 2 : 1);
    reference->count = reference->first[maker->count];
    for (uint32_t b = 0; b < maker->count; b++) {
        const struct flow_block *block = &maker->blocks[b];
        const uint32_t last = reference->first[b + 1] - 1;
        const bool ends = block->end == FLOW_RETURN || block->end == FLOW_KILL;
        if (last != reference->first[b])
            reference->edges[reference->first[b]][last] = true;
        for (uint32_t i = 0; !ends && i < FLOW_TARGETS; i++)
            if (block->to[i] != 0)
                reference->edges[last][reference->first[block->to[i]]] = true;
    }
}

static bool function_parts(const struct random_function *functions, uint32_t function, bool callables)
{
    static struct reference plain[RANDOM_FUNCTIONS];
    const struct random_function *maker = &functions[function];
    reference_connect(&plain[function], maker, NULL);
    for (uint32_t b = 0; b < maker->count; b++)
        if ((b == 0 || can_walk(&plain[function], 0, b, NEVER)) &&
            (maker->blocks[b].end == FLOW_KILL || body_parts(functions, &maker->blocks[b], callables)))
            return true;
    return false;
}

static void reference_init(struct reference *reference, const struct random_function *functions,
                           uint32_t function)
{
    const struct random_function *maker = &functions[function];
    bool cut[RANDOM_BLOCKS_MAX];
    reference_connect(reference, maker, NULL);
    for (uint32_t b = 0; b < maker->count; b++)
        cut[b] =
            body_parts(functions, &maker->blocks[b], false) && (b == 0 || can_walk(reference, 0, b, NEVER));
    reference_connect(reference, maker, cut);
    const uint32_t exit = reference->count;
    for (uint32_t b = 0; b < maker->count; b++) {
        const struct flow_block *block = &maker->blocks[b];
        const bool ends = block->end == FLOW_RETURN || block->end == FLOW_KILL;
        reference->edges[reference->first[b]][exit] |= body_parts(functions, block, true);
        reference->edges[reference->first[b + 1] - 1][exit] |= ends;
    }
    bool endless[PARTS_MAX];
    for (uint32_t part = 0; part < exit; part++)
        endless[part] = !can_walk(reference, part, exit, NEVER);
    for (uint32_t part = 0; part < exit; part++)
        reference->edges[part][exit] = reference->edges[part][exit] || endless[part];
    reference->edges[exit][0] = true;
}

static void check_definition(const struct random_function *functions, uint32_t function,
                             const struct reference *reference, const uint32_t *leaders)
{
    const struct random_function *maker = &functions[function];
    const uint32_t exit = reference->count;
    bool one_context = !maker->splits;
    for (uint32_t b = 0; b < maker->count; b++)
        one_context = one_context && !body_parts(functions, &maker->blocks[b], true) &&
                      maker->blocks[b].end != FLOW_KILL;
    for (uint32_t a = 0; a < exit; a++) {
        const bool reached = a == 0 || can_walk(reference, exit, a, NEVER);
        assert_int_equal(reached, leaders[a] != WS_NONE);
        for (uint32_t b = 0; b < a && reached; b++) {
            if (leaders[b] == WS_NONE)
                continue;
            const bool same = !can_walk(reference, a, a, b) && !can_walk(reference, b, b, a);
            if (leaders[a] == leaders[b])
                assert_true(same);
            else if (one_context)
                assert_false(same);
        }
    }
}

/* ---- the tests ---- */

static uint32_t runs_count;
static uint32_t cuts_count;
static uint32_t sums_count;

/* Per part of a block, sum over executions of a hash of the lanes. */
struct masks {
    const struct reference *references; /* per function */
    uint64_t sums[RANDOM_FUNCTIONS][PARTS_MAX];
};

static void add_mask(void *user, enum random_place place, uint32_t function, uint32_t block, uint32_t lanes)
{
    struct masks *masks = user;
    const uint32_t first = masks->references[function].first[block];
    const uint32_t last = masks->references[function].first[block + 1] - 1;
    if (place == RANDOM_BLOCK)
        masks->sums[function][first] += random_mix((uint64_t)lanes + 1);
    else if (place == RANDOM_AFTER && last != first)
        masks->sums[function][last] += random_mix((uint64_t)lanes + 1);
}

/* Runs a program on several inputs and compares the blocks of each class. */
static void check_runs(const struct random_function *functions, uint64_t seed,
                       const struct reference *references, uint32_t *const *leaders,
                       struct ws_block_sum *const *sums)
{
    for (uint32_t input = 0; input < RUNS_PER_PROGRAM; input++) {
        struct masks masks = {.references = references};
        const struct random_watch watch = {add_mask, &masks};
        const uint32_t lanes = input == 0 ? 1 : (1u << RANDOM_LANES) - 1;
        if (!random_flow_run(functions, random_mix(seed + input), lanes, &watch))
            continue;
        for (uint32_t f = 0; f < RANDOM_FUNCTIONS; f++) {
            for (uint32_t b = 0; b < references[f].count; b++) {
                const uint32_t leader = leaders[f][b];
                if (leader == WS_NONE)
                    assert_true(masks.sums[f][b] == 0);
                else if (masks.sums[f][b] != masks.sums[f][leader])
                    fail_msg("function %u: part %u and its leader %u differ", f, b, leader);
                const struct ws_block_sum *sum = &sums[f][b];
                if (sum->before == WS_NONE)
                    continue;
                if (masks.sums[f][b] != masks.sums[f][sum->before] + masks.sums[f][sum->again])
                    fail_msg("function %u: part %u is not the sum of %u and %u", f, b, sum->before,
                             sum->again);
                sums_count += masks.sums[f][b] != 0;
            }
        }
        runs_count++;
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
            static struct reference references[RANDOM_FUNCTIONS];
            struct ws_module module;
            struct ws_calls calls;
            struct ws_error error = {0};
            uint32_t *leaders[RANDOM_FUNCTIONS];
            struct ws_block_sum *sums[RANDOM_FUNCTIONS];
            valid++;
            assert_true(ws_module_parse(&module, arena, words, word_count, &error));
            const uint32_t block_count = module.block_count;
            const struct ws_cfg *cfgs = ws_cuts_make(&module, &error);
            assert_non_null(cfgs);
            assert_true(ws_calls_build(&calls, arena, &module, cfgs, &error));
            cuts_count += module.block_count - block_count;
            for (uint32_t f = 0; f < RANDOM_FUNCTIONS; f++) {
                reference_init(&references[f], functions, f);
                assert_int_equal(module.functions[f].block_count, references[f].count);
                leaders[f] = ws_equivalence_find(arena, &module, f, &cfgs[f], calls.block_parts, &error);
                assert_non_null(leaders[f]);
                sums[f] =
                    ws_equivalence_sums(arena, &module, f, &cfgs[f], calls.block_parts, leaders[f], &error);
                assert_non_null(sums[f]);
                check_definition(functions, f, &references[f], leaders[f]);
            }
            check_runs(functions, program, references, leaders, sums);
        }
        ws_arena_destroy(arena);
        free(words);
    }
    print_message("%u of %u programs valid, %u blocks cut, %u runs that ended, %u sums\n", valid, PROGRAMS,
                  cuts_count, runs_count, sums_count);
    assert_true(valid > PROGRAMS / 2);
    assert_true(cuts_count > PROGRAMS / 2);
    assert_true(runs_count > PROGRAMS);
    assert_true(sums_count > PROGRAMS / 4);
}

/* Cycle equivalence on graphs without any structure. */
static void test_random_graphs(void **state)
{
    (void)state;
    for (uint32_t graph = 0; graph < 2000; graph++) {
        random_seed(graph + 1000000);
        static struct reference reference;
        struct ws_edge edges[128];
        uint32_t classes[128];
        memset(&reference, 0, sizeof(reference));
        const uint32_t count = 2 + random_below(8); /* each node is split in two: begin 2n, end 2n + 1 */
        reference.count = count - 1;
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
