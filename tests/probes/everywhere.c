/* Puts the probe that is made by hand (made.h) at every place that fits into modules, and validates each before and after:
 * first by rules that look at values, with and without 64-bit atomics; then before and after every instruction.
 *
 *   probe_everywhere UNIT.spv UNIT_FRAGMENT.spv UNIT_DEMOTE.spv MODULE.spv...
 *
 * Prints each module that became invalid, and how many sites and skips there were. Exit status 1 where any did. Modules that
 * are invalid before are left out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>

#include "tests/probes/made.h"
#include "warpscope/spirv/code.h"

struct totals {
    uint32_t modules;
    uint32_t invalid_before;
    uint32_t refused;
    uint32_t untouched;
    uint32_t invalid;
    uint64_t sites;
    uint64_t skips;
};

static bool is_valid(const uint32_t *words, size_t count, bool shows)
{
    const bool is_1_3 = count > 1 && words[1] <= 0x00010300;
    spv_context context = spvContextCreate(is_1_3 ? SPV_ENV_VULKAN_1_1 : SPV_ENV_VULKAN_1_3);
    spv_validator_options options = spvValidatorOptionsCreate();
    spv_const_binary_t binary = {words, count};
    spv_diagnostic diagnostic = NULL;
    spvValidatorOptionsSetScalarBlockLayout(options, true);
    const bool valid = spvValidateWithOptions(context, options, &binary, &diagnostic) == SPV_SUCCESS;
    if (!valid && shows && diagnostic != NULL)
        printf("    %s\n", diagnostic->error);
    spvDiagnosticDestroy(diagnostic);
    spvValidatorOptionsDestroy(options);
    spvContextDestroy(context);
    return valid;
}

static void count_sites(const struct ws_instrumented *result, struct totals *totals)
{
    for (uint32_t i = 0; i < result->site_count; i++)
        totals->sites += result->sites[i].kind == WS_SITE_YIELD;
    for (uint32_t i = 0; i < result->skip_count; i++)
        totals->skips += result->skips[i].count;
}

static void check(const char *path, const struct ws_instrument_options *options, struct totals *totals)
{
    struct ws_error error = {{0}};
    size_t count = 0;
    uint32_t *words = made_words(path, &count);
    totals->modules++;
    struct ws_instrumented *result = NULL;
    if (count == 0 || !is_valid(words, count, false)) {
        totals->invalid_before++;
        goto error;
    }
    result = ws_instrument(words, count, options, &error);
    if (result == NULL) {
        printf("%s: %s\n", path, error.message);
        totals->refused++;
        goto error;
    }
    count_sites(result, totals);
    if (result->words == NULL) {
        totals->untouched++;
    } else if (!is_valid(result->words, result->word_count, false)) {
        printf("%s became invalid\n", path);
        is_valid(result->words, result->word_count, true);
        totals->invalid++;
    }
error:
    ws_instrumented_destroy(result);
    free(words);
}

/* Every opcode at which a rule can be. */
static uint32_t list_opcodes(uint32_t *opcodes)
{
    uint32_t count = 0;
    for (uint32_t opcode = SpvOpUndef + 1; opcode < 6144; opcode++) {
        const uint16_t op = (uint16_t)opcode;
        const bool opens = op == SpvOpLabel || op == SpvOpPhi || op == SpvOpFunction ||
                           op == SpvOpFunctionParameter || op == SpvOpFunctionEnd;
        if (!opens && !ws_opcode_is_variable(op) && !ws_opcode_is_line(op) && !ws_opcode_is_merge(op) &&
            ws_opcode_section(op) == WS_SECTION_COUNT && ws_opcode_name(op) != NULL)
            opcodes[count++] = opcode;
    }
    return count;
}

int main(int argc, char **argv)
{
    struct totals totals = {0};
    if (argc < 4) {
        fprintf(stderr, "usage: %s UNIT.spv UNIT_FRAGMENT.spv UNIT_DEMOTE.spv MODULE.spv...\n", argv[0]);
        return 2;
    }
    uint32_t opcodes[6144];
    const uint32_t opcode_count = list_opcodes(opcodes);
    const struct ws_probe_rule all_rules[] = {MADE_RULE(WS_PROBE_BEFORE, opcodes, opcode_count, MADE_LEFT, 1),
                                              MADE_RULE(WS_PROBE_AFTER, opcodes, opcode_count, MADE_END, 1)};
    struct ws_probe *probe = made_probe(argv + 1, made_rules, made_rule_count);
    struct ws_probe *all = made_probe(argv + 1, all_rules, 2);
    const uint32_t capabilities[] = {SpvCapabilityInt64, SpvCapabilityInt64Atomics};
    const struct ws_probe *const probes[] = {probe, probe, all};
    for (int with = 0; with < 3; with++) {
        const struct ws_instrument_options options = {.probes = &probes[with],
                                                      .probe_count = 1,
                                                      .capabilities = capabilities,
                                                      .capability_count = with == 0 ? 0 : 2};
        for (int i = 4; i < argc; i++)
            check(argv[i], &options, &totals);
    }
    printf("%" PRIu32 " modules, %" PRIu32 " invalid before, %" PRIu32 " refused, %" PRIu32
           " without sites, %" PRIu32 " became invalid; %" PRIu64 " sites, %" PRIu64 " skips\n",
           totals.modules, totals.invalid_before, totals.refused, totals.untouched, totals.invalid,
           totals.sites, totals.skips);
    ws_probe_destroy(probe);
    ws_probe_destroy(all);
    return totals.invalid == 0 && totals.refused == 0 ? 0 : 1;
}
