/* Random structured programs, run lane by lane in a small model of SIMT execution: a place that has the
 * record of another (pass.h, ws_visit_record) must be come through by the same lanes, right after that one
 * was, and each time. Right after: no other record shows any of these lanes in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner.h"
#include "tests/unit/passes/spirv/random_flow.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/module.h"

#define PROGRAMS         1500
#define RUNS_PER_PROGRAM 4

static void visit(struct ws_visit *visit)
{
    ws_visit_record(visit, 0);
}

static const uint16_t opcodes[] = {SpvOpStore, SpvOpFunctionCall, SpvOpExecuteCallableKHR};

static const struct ws_pass all_places = {
    .name = "all_places",
    .summary = "a record wherever the model tells of lanes",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_BLOCK | WS_PLACE_BEFORE | WS_PLACE_AFTER | WS_PLACE_END,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};

/* Beside the places of the model: where the part of a block behind its body begins, if the body cuts it. Lanes come
 * through it right after RANDOM_AFTER. */
#define PLACE_PART RANDOM_PLACES

/* A run, and what the records have told of each lane. */
struct run {
    const struct ws_instrumented *result;
    uint32_t sites[RANDOM_FUNCTIONS][RANDOM_BLOCKS_MAX][RANDOM_PLACES + 1]; /* index of a site; WS_NONE */
    uint32_t *times;               /* per site: how often lanes came through */
    uint32_t number[RANDOM_LANES]; /* of the last record that shows the lane */
    uint32_t lanes[RANDOM_LANES];  /* that that record shows */
};

/* Which place of the model a site is about: the body is the instruction behind the label. */
static uint32_t place_of(const struct ws_module *module, uint32_t block, const struct ws_site_info *site)
{
    const uint32_t body = module->instructions[module->blocks[block].first + 1].offset;
    switch (site->kind) {
    case WS_SITE_PLACE_BLOCK: return site->offset == body ? RANDOM_BLOCK : PLACE_PART;
    case WS_SITE_PLACE_AFTER: return RANDOM_AFTER;
    case WS_SITE_PLACE_BEFORE: return RANDOM_BEFORE;
    default: return site->offset == body ? RANDOM_BEFORE : RANDOM_END; /* before a demotion */
    }
}

static void list_sites(struct run *run, const struct ws_module *module)
{
    memset(run->sites, 0xff, sizeof(run->sites));
    for (uint32_t i = 0; i < run->result->site_count; i++) {
        const struct ws_site_info *site = &run->result->sites[i];
        if (site->kind < WS_SITE_PLACE_BLOCK || site->kind > WS_SITE_PLACE_CALL)
            continue;
        uint32_t block = 0;
        while (module->blocks[block].label != run->result->blocks[site->block].label)
            block++;
        const uint32_t function = module->blocks[block].function;
        const uint32_t index = block - module->functions[function].block_first;
        uint32_t *entry = &run->sites[function][index][place_of(module, block, site)];
        assert_int_equal(*entry, WS_NONE);
        *entry = i;
    }
}

static void come_through(struct run *run, uint32_t place, uint32_t function, uint32_t block, uint32_t lanes)
{
    const uint32_t site = run->sites[function][block][place];
    const uint32_t number = run->result->sites[site].row;
    assert_true(number <= site);
    run->times[site]++;
    for (uint32_t lane = 0; lane < RANDOM_LANES; lane++) {
        if ((lanes >> lane & 1) == 0)
            continue;
        if (number == site) {
            run->number[lane] = number;
            run->lanes[lane] = lanes;
        } else if (run->number[lane] != number || run->lanes[lane] != lanes) {
            fail_msg("function %u, block %u, place %u: lanes %x, but record %u shows %x", function, block,
                     place, lanes, run->number[lane], run->lanes[lane]);
        }
    }
}

static void come(void *user, enum random_place place, uint32_t function, uint32_t block, uint32_t lanes)
{
    struct run *run = user;
    const uint32_t *sites = run->sites[function][block];
    /* After a demotion nothing is asked for but that another part begins. */
    assert_true(sites[place] != WS_NONE || (place == RANDOM_AFTER && sites[PLACE_PART] != WS_NONE));
    if (sites[place] != WS_NONE)
        come_through(run, place, function, block, lanes);
    if (place == RANDOM_AFTER && sites[PLACE_PART] != WS_NONE)
        come_through(run, PLACE_PART, function, block, lanes);
}

static uint32_t ended;
static uint32_t shared;
static uint32_t own;

static void check_runs(const struct random_function *functions, uint64_t seed, struct run *run)
{
    const struct random_watch watch = {come, run};
    const struct ws_instrumented *result = run->result;
    for (uint32_t input = 0; input < RUNS_PER_PROGRAM; input++) {
        memset(run->times, 0, result->site_count * sizeof(*run->times));
        memset(run->number, 0xff, sizeof(run->number));
        if (!random_flow_run(functions, random_mix(seed + input), input == 0 ? 1 : (1u << RANDOM_LANES) - 1,
                             &watch))
            continue;
        ended++;
        for (uint32_t i = 0; i < result->site_count; i++)
            if (ws_site_is_place(result->sites[i].kind))
                assert_int_equal(run->times[i], run->times[result->sites[i].row]);
    }
    for (uint32_t i = 0; i < result->site_count; i++)
        if (ws_site_is_place(result->sites[i].kind))
            *(result->sites[i].row == i ? &own : &shared) += 1;
}

static void check_program(const struct random_function *functions, uint64_t seed, const uint32_t *words,
                          size_t word_count)
{
    const struct ws_pass *const passes[] = {&all_places};
    const struct ws_instrument_options options = {0};
    struct ws_error error = {0};
    struct ws_module module;
    static struct run run;
    struct ws_arena *arena = ws_arena_create();
    assert_true(ws_module_parse(&module, arena, words, word_count, &error));
    struct ws_instrumented *result = ws_run_passes(words, word_count, passes, 1, &options, &error);
    assert_non_null(result);
    assert_int_equal(result->skip_count, 0);
    run.result = result;
    run.times = ws_arena_allocate(arena, result->site_count, sizeof(*run.times));
    list_sites(&run, &module);
    check_runs(functions, seed, &run);
    ws_instrumented_destroy(result);
    ws_arena_destroy(arena);
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
        uint32_t *words = flow_assemble(flows, RANDOM_FUNCTIONS, stage, 32, &word_count);
        if (flow_is_valid(words, word_count)) {
            valid++;
            check_program(functions, program, words, word_count);
        }
        free(words);
    }
    print_message("%u of %u programs valid, %u runs that ended, %u records for %u places more\n", valid,
                  PROGRAMS, ended, own, shared);
    assert_true(valid > PROGRAMS / 2);
    assert_true(ended > PROGRAMS);
    assert_true(shared > own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
