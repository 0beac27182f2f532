/* Where the probe that is made by hand is put into a module: filters of rules, several entry points, limits.
 *
 *   test_places UNIT.spv UNIT_FRAGMENT.spv UNIT_DEMOTE.spv VALUES.spv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/spirv/operand_names.h"
#include "tests/probes/made.h"
#include "tests/unit/passes/spirv/assembly.h"

#define IMUL_LINE 10 /* of values.comp */

static char **files;
static const uint32_t multiplications[] = {SpvOpIMul};

/* How many sites a rule has in values.comp with these options; every other one is skipped for `reason`, or none is. */
static uint32_t count_sites(const struct ws_probe_rule *rule, const struct ws_instrument_options *options,
                            const char *reason)
{
    struct ws_error error = {{0}};
    size_t count = 0;
    uint32_t sites = 0;
    struct ws_probe *probe = made_probe(files, rule, 1);
    const struct ws_probe *const probes[] = {probe};
    struct ws_instrument_options all = *options;
    uint32_t *words = made_words(files[3], &count);
    all.probes = probes;
    all.probe_count = 1;
    struct ws_instrumented *result = ws_instrument(words, count, &all, &error);
    assert_non_null(result);
    for (uint32_t i = 0; i < result->site_count; i++)
        sites += result->sites[i].kind == WS_SITE_YIELD;
    assert_true((result->words != NULL) == (sites != 0));
    assert_int_equal(result->skip_count, reason == NULL ? 0 : 1);
    assert_true(result->entries[0].no_place == (sites == 0 && reason == NULL));
    if (reason != NULL && strstr(result->skips[0].reason, reason) == NULL)
        fail_msg("'%s' does not say '%s'", result->skips[0].reason, reason);
    ws_instrumented_destroy(result);
    ws_probe_destroy(probe);
    free(words);
    return sites;
}

static void filters_let_pass(void **state)
{
    (void)state;
    const struct ws_instrument_options options = {0};
    const struct ws_probe_rule plain = MADE_RULE(WS_PROBE_AFTER, multiplications, 1, MADE_FLOAT, 4);
    struct ws_probe_rule rule = plain;
    assert_int_equal(count_sites(&rule, &options, NULL), 1);
    rule.function = "sca*";
    assert_int_equal(count_sites(&rule, &options, NULL), 1);
    rule.function = "main";
    assert_int_equal(count_sites(&rule, &options, NULL), 0);
    rule = plain;
    rule.file = "values.comp";
    assert_int_equal(count_sites(&rule, &options, NULL), 1);
    rule.file = "*/other.comp";
    assert_int_equal(count_sites(&rule, &options, NULL), 0);
    rule = plain;
    rule.line_first = rule.line_last = IMUL_LINE;
    assert_int_equal(count_sites(&rule, &options, NULL), 1);
    rule.line_first = rule.line_last = IMUL_LINE + 1;
    assert_int_equal(count_sites(&rule, &options, NULL), 0);
    rule = plain;
    rule.stages = WS_STAGE_COMPUTE;
    rule.shader = "m?in";
    assert_int_equal(count_sites(&rule, &options, NULL), 1);
    rule.stages = WS_STAGE_FRAGMENT | WS_STAGE_RAYGEN;
    assert_int_equal(count_sites(&rule, &options, NULL), 0);
    rule = plain;
    rule.shader = "other";
    assert_int_equal(count_sites(&rule, &options, NULL), 0);
}

/* values.comp reads one built-in variable, once, by one of two access chains. The other is of a vector of its own. */
static void memory_is_a_filter(void **state)
{
    (void)state;
    static const uint32_t loads[] = {SpvOpLoad};
    static const uint32_t chains[] = {SpvOpAccessChain};
    static const uint32_t both[] = {SpvOpIMul, SpvOpAccessChain};
    const struct ws_instrument_options options = {0};
    struct ws_probe_rule rule = MADE_RULE(WS_PROBE_BEFORE, loads, 1, MADE_LEFT, 1);
    rule.storage = 1u << WS_PROBE_STORAGE_INPUT;
    assert_int_equal(count_sites(&rule, &options, NULL), 1);
    rule.storage = 1u << WS_PROBE_STORAGE_BUFFER | 1u << WS_PROBE_STORAGE_SHARED;
    assert_int_equal(count_sites(&rule, &options, NULL), 0);
    rule.opcodes = chains;
    assert_int_equal(count_sites(&rule, &options, NULL), 0);
    rule.storage |= 1u << WS_PROBE_STORAGE_LOCAL;
    assert_int_equal(count_sites(&rule, &options, NULL), 1);
    rule.storage |= 1u << WS_PROBE_STORAGE_INPUT;
    assert_int_equal(count_sites(&rule, &options, NULL), 2);
    rule.opcodes = both; /* a product has no pointer */
    rule.opcode_count = 2;
    assert_int_equal(count_sites(&rule, &options, NULL), 2);
}

static void what_cannot_be_put_is_skipped(void **state)
{
    (void)state;
    static const uint32_t branches[] = {SpvOpBranch};
    static const uint32_t stores[] = {SpvOpStore};
    const struct ws_probe_rule multiply = MADE_RULE(WS_PROBE_AFTER, multiplications, 1, MADE_FLOAT, 4);
    const struct ws_probe_rule wrong = MADE_RULE(WS_PROBE_AFTER, multiplications, 1, MADE_DOUBLE, 1);
    const struct ws_probe_rule behind = MADE_RULE(WS_PROBE_AFTER, branches, 1, MADE_LEFT, 1);
    const struct ws_probe_rule address = MADE_RULE(WS_PROBE_BEFORE, stores, 1, MADE_ADDRESS, 1);
    const struct ws_probe_rule blocks = MADE_RULE(WS_PROBE_BLOCK, NULL, 0, MADE_LEFT, 1);
    const struct ws_probe_rule wide = MADE_RULE(WS_PROBE_AFTER, multiplications, 1, MADE_STORE, 1);
    static const uint32_t integers[] = {SpvCapabilityInt64, SpvCapabilityInt64Atomics};
    const struct ws_instrument_options none = {0};
    assert_int_equal(count_sites(&wrong, &none, "no function takes OpIMul (result: uint)"), 0);
    assert_int_equal(count_sites(&behind, &none, "no code can stand there"), 0);
    assert_int_equal(
        count_sites(&address, &none, "no function takes OpStore (pointer: a pointer without an address)"), 0);
    assert_int_equal(count_sites(&multiply,
                                 &(struct ws_instrument_options){.subgroup_stages = WS_STAGE_FRAGMENT},
                                 "no subgroup operations"),
                     0);
    const struct ws_instrument_options no_atomics = {.capabilities = integers, .capability_count = 1};
    const struct ws_instrument_options atomics = {.capabilities = integers, .capability_count = 2};
    assert_int_equal(count_sites(&wide, &no_atomics, "no 64-bit atomics"), 0);
    assert_int_equal(count_sites(&wide, &atomics, NULL), 1);
    assert_int_equal(
        count_sites(&blocks, &(struct ws_instrument_options){.max_sites = 3}, "site limit reached"), 3);
}

static bool declares(const struct ws_instrumented *result, uint32_t capability)
{
    for (size_t i = 5; result->words[i] == (2u << SpvWordCountShift | SpvOpCapability); i += 2)
        if (result->words[i + 1] == capability)
            return true;
    return false;
}

/* Every kind of output but records can do without shuffles, and uses none where the device has none. */
static void shuffles_are_not_needed(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    size_t count = 0;
    struct ws_probe *probe = made_probe(files, made_rules, made_rule_count);
    const struct ws_probe *const probes[] = {probe};
    uint32_t *words = made_words(files[3], &count);
    uint32_t sites[2];
    for (int without = 0; without < 2; without++) {
        const struct ws_instrument_options options = {
            .probes = probes, .probe_count = 1, .without_records = without != 0};
        struct ws_instrumented *result = ws_instrument(words, count, &options, &error);
        assert_non_null(result);
        assert_true(assembly_is_valid(result->words, result->word_count));
        assert_int_equal(declares(result, SpvCapabilityGroupNonUniformShuffle), !without);
        sites[without] = result->site_count;
        ws_instrumented_destroy(result);
    }
    assert_int_equal(sites[0], sites[1]);
    ws_probe_destroy(probe);
    free(words);
}

/* A second probe has variables and yields of its own; both stand behind the passes. */
static void probes_stand_behind_passes(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    size_t count = 0;
    struct ws_probe *probe = made_probe(files, made_rules, made_rule_count);
    const struct ws_probe *const probes[] = {probe, probe};
    static const char *const passes[] = {"simt_efficiency"};
    const struct ws_instrument_options options = {
        .passes = passes, .pass_count = 1, .probes = probes, .probe_count = 2};
    uint32_t *words = made_words(files[3], &count);
    struct ws_instrumented *result = ws_instrument(words, count, &options, &error);
    assert_non_null(result);
    uint32_t sites[3] = {0};
    for (uint32_t i = 0; i < result->site_count; i++) {
        const struct ws_site_info *site = &result->sites[i];
        if (site->pass == WS_NONE)
            continue;
        assert_in_range(site->pass, 0, 2);
        assert_int_equal(site->kind == WS_SITE_YIELD, site->pass != 0);
        sites[site->pass]++;
    }
    assert_true(sites[0] != 0 && sites[1] != 0);
    assert_int_equal(sites[1], sites[2]);
    assert_int_equal(result->probe_count, 2);
    assert_true(result->shared_yields[0] != result->shared_yields[1]);
    assert_int_equal(result->entries[0].yield_first, 0);
    assert_int_equal(result->entries[0].yield_count, result->yield_count);
    assert_int_equal(result->yield_count % 2, 0);
    ws_instrumented_destroy(result);
    struct ws_probe unread = made_tables(files, made_rules, made_rule_count);
    const struct ws_probe *const wrong[] = {&unread};
    const struct ws_instrument_options unfit = {.probes = wrong, .probe_count = 1};
    assert_null(ws_instrument(words, count, &unfit, &error));
    assert_non_null(strstr(error.message, "has not been read"));
    for (int i = 0; i < WS_PROBE_UNIT_COUNT; i++)
        free((uint32_t *)unread.units[i].words);
    ws_probe_destroy(probe);
    free(words);
}

/* A compute shader with `depth` loops in each other: headers h, continue targets c, merge blocks m. */
static uint32_t *nested_loops(uint32_t depth, size_t *word_count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
          "OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%type = OpTypeFunction %void\n"
          "%bool = OpTypeBool\n%true = OpConstantTrue %bool\n%main = OpFunction %void None %type\n"
          "%first = OpLabel\nOpBranch %h0\n",
          out);
    for (uint32_t i = 0; i < depth; i++)
        fprintf(out,
                "%%h%u = OpLabel\nOpLoopMerge %%m%u %%c%u None\nOpBranchConditional %%true %%h%u %%m%u\n", i,
                i, i, i + 1, i);
    fprintf(out, "%%h%u = OpLabel\nOpBranch %%c%u\n", depth, depth - 1);
    for (uint32_t i = depth; i-- > 0;) {
        fprintf(out, "%%c%u = OpLabel\nOpBranch %%h%u\n%%m%u = OpLabel\n", i, i, i);
        if (i > 0)
            fprintf(out, "OpBranch %%c%u\n", i - 1);
    }
    fputs("OpReturn\nOpFunctionEnd\n", out);
    assert_int_equal(fclose(out), 0);
    uint32_t *words = assembly_read(text, 0x00010300, word_count);
    free(text);
    return words;
}

static void check_nested_loops(uint32_t depth, uint32_t sites, uint32_t skipped)
{
    const struct ws_probe_rule rule = MADE_RULE(WS_PROBE_LOOP_BEGIN, NULL, 0, MADE_BEGIN, 1);
    struct ws_probe *probe = made_probe(files, &rule, 1);
    const struct ws_probe *const probes[] = {probe};
    const struct ws_instrument_options options = {.probes = probes, .probe_count = 1};
    struct ws_error error = {{0}};
    size_t count = 0;
    uint32_t found = 0;
    uint32_t *words = nested_loops(depth, &count);
    struct ws_instrumented *result = ws_instrument(words, count, &options, &error);
    assert_non_null(result);
    for (uint32_t i = 0; i < result->site_count; i++)
        found += result->sites[i].kind == WS_SITE_YIELD;
    assert_int_equal(found, sites);
    assert_int_equal(result->skip_count, skipped > 0 ? 1 : 0);
    if (skipped > 0) {
        assert_int_equal(result->skips[0].count, skipped);
        assert_non_null(strstr(result->skips[0].reason, "deeper than 256"));
    }
    ws_instrumented_destroy(result);
    ws_probe_destroy(probe);
    free(words);
}

static void loops_that_stand_too_deep_are_skipped(void **state)
{
    (void)state;
    check_nested_loops(256, 256, 0);
    check_nested_loops(257, 0, 257);
}

static void operands_have_names(void **state)
{
    (void)state;
    assert_true(ws_operand_is_known(SpvOpFAdd, WS_NONE, "operand_2"));
    assert_false(ws_operand_is_known(SpvOpFAdd, WS_NONE, "operand_3"));
    assert_true(ws_operand_is_known(SpvOpTraceRayKHR, WS_NONE, "ray_tmin"));
    assert_true(ws_operand_is_known(SpvOpFunctionCall, WS_NONE, "argument_7"));
    assert_true(ws_operand_is_known(SpvOpAccessChain, WS_NONE, "indexes_2"));
    assert_true(ws_operand_is_known(SpvOpAccessChain, WS_NONE, "indexes"));
    assert_false(ws_operand_is_known(SpvOpAccessChain, WS_NONE, "indexes_"));
    assert_false(ws_operand_is_known(SpvOpAccessChain, WS_NONE, "index"));
    assert_true(ws_operand_is_known(SpvOpImageSampleExplicitLod, WS_NONE, "grad_y"));
    assert_true(ws_operand_is_known(SpvOpExtInst, ws_extended_find("SmoothStep"), "edge0"));
    assert_false(ws_operand_is_known(SpvOpExtInst, ws_extended_find("Sqrt"), "edge0"));
    assert_int_equal(ws_opcode_find("OpFAdd"), SpvOpFAdd);
    assert_int_equal(ws_opcode_find("OpFadd"), WS_NONE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_let_pass),
        cmocka_unit_test(memory_is_a_filter),
        cmocka_unit_test(what_cannot_be_put_is_skipped),
        cmocka_unit_test(shuffles_are_not_needed),
        cmocka_unit_test(probes_stand_behind_passes),
        cmocka_unit_test(loops_that_stand_too_deep_are_skipped),
        cmocka_unit_test(operands_have_names),
    };
    files = argv + 1;
    return argc == 5 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
