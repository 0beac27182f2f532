/* Where a probe would be called. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/code/opcodes.h"
#include "analysis/probe/check.h"
#include "passes/spirv/operand_names.h"
#include "warpscope/base/text.h"
#include "warpscope/code/census.h"
#include "warpscope/instrument.h"
#include "warpscope/spirv/code.h"
#include "warpscope/stage.h"

/* Sites that print alike. */
struct group {
    uint32_t file;   /* index in the module's files; WS_NONE = not known */
    uint32_t line;   /* 0 = not known */
    uint32_t wanted; /* as rules have it; 0 = the place is about no instruction */
    uint32_t rule;
    uint32_t function;
    uint32_t count;
};

struct checking {
    const struct ws_probe *probe;
    struct ws_code *code;
    struct ws_instrumented *result;
    struct group *groups;
    uint32_t group_count;
    struct ws_census census;
    FILE *out;
};

void ws_probe_rule_text(const struct ws_probe *probe, const struct ws_probe_rule *rule, char *text,
                        size_t size)
{
    static const char *const places[WS_PROBE_PLACE_COUNT] = {
        "before",   "after",          "block begin",  "loop begin",  "loop iterate",
        "loop end", "function begin", "function end", "entry begin", "entry end"};
    size_t used = (size_t)snprintf(text, size, "%s", places[rule->place]);
    (void)probe;
    for (uint32_t i = 0; i < rule->opcode_count && used < size; i++) {
        if (i == 4 && rule->opcode_count > 5) {
            used +=
                (size_t)snprintf(text + used, size - used, " and %" PRIu32 " more", rule->opcode_count - i);
            break;
        }
        used += (size_t)snprintf(text + used, size - used, " %s", ws_opcode_word(rule->opcodes[i]));
    }
    if (rule->stages != 0 && used < size)
        used += (size_t)snprintf(text + used, size - used, " in");
    for (uint32_t i = 0; i < 14 && used < size; i++)
        if ((rule->stages >> i & 1) != 0)
            used += (size_t)snprintf(text + used, size - used, " %s", ws_stage_name(1u << i));
    if (rule->storage != 0 && used < size)
        used += (size_t)snprintf(text + used, size - used, " of");
    for (uint32_t i = 0; i < WS_PROBE_STORAGE_COUNT && used < size; i++)
        if ((rule->storage >> i & 1) != 0)
            used += (size_t)snprintf(text + used, size - used, " %s", ws_probe_storage_name(i));
    const char *const globs[3][2] = {
        {"shader", rule->shader}, {"function", rule->function}, {"file", rule->file}};
    for (size_t i = 0; i < 3 && used < size; i++)
        if (globs[i][1][0] != '\0')
            used += (size_t)snprintf(text + used, size - used, " %s %s", globs[i][0], globs[i][1]);
    if (rule->line_last != 0 && used < size)
        snprintf(text + used, size - used, " line %" PRIu32 "-%" PRIu32, rule->line_first, rule->line_last);
}

/* The index of the instruction at a word offset; WS_NONE for none. */
static uint32_t instruction_at(const struct checking *checking, uint32_t offset)
{
    uint32_t first = 0;
    uint32_t end = 0;
    if (offset == WS_NONE || offset >= checking->code->module.word_count)
        return WS_NONE;
    ws_code_range(checking->code, offset, 1, &first, &end);
    return first < end ? first : WS_NONE;
}

static uint32_t wanted_of(const struct checking *checking, uint32_t index)
{
    const struct ws_module *module = &checking->code->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    const uint32_t extended = ws_extended_number(module, instruction);
    return extended != WS_NONE ? WS_PROBE_EXTENDED(extended) : WS_PROBE_OPCODE(instruction->opcode);
}

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left;
    const struct group *b = right;
    const uint32_t keys[5][2] = {{a->file, b->file},
                                 {a->line, b->line},
                                 {a->wanted, b->wanted},
                                 {a->rule, b->rule},
                                 {a->function, b->function}};
    for (size_t i = 0; i < 5; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Joins the sites that print alike. False without memory. */
static bool group_sites(struct checking *checking)
{
    const struct ws_instrumented *result = checking->result;
    uint32_t kept = 0;
    checking->groups = calloc(result->site_count + 1, sizeof(*checking->groups));
    if (checking->groups == NULL)
        return false;
    for (uint32_t i = 0; i < result->site_count; i++) {
        const struct ws_site_info *site = &result->sites[i];
        if (site->kind != WS_SITE_YIELD)
            continue;
        const uint32_t index = instruction_at(checking, site->offset);
        struct group *group = &checking->groups[checking->group_count++];
        *group = (struct group){.file = WS_NONE,
                                .rule = WS_PROBE_SITE_RULE(site->tag),
                                .function = WS_PROBE_SITE_FUNCTION(site->tag),
                                .count = 1};
        if (index == WS_NONE)
            continue;
        group->file = checking->code->places[index].file;
        group->line = group->file != WS_NONE ? checking->code->places[index].line : 0;
        if (checking->probe->rules[group->rule].opcode_count > 0)
            group->wanted = wanted_of(checking, index);
    }
    qsort(checking->groups, checking->group_count, sizeof(*checking->groups), compare_groups);
    for (uint32_t i = 0; i < checking->group_count; i++)
        if (kept > 0 && compare_groups(&checking->groups[kept - 1], &checking->groups[i]) == 0)
            checking->groups[kept - 1].count += checking->groups[i].count;
        else
            checking->groups[kept++] = checking->groups[i];
    checking->group_count = kept;
    return true;
}

static void print_text(FILE *out, const char *text)
{
    char shown[256];
    ws_text_escape(shown, sizeof(shown), text);
    fputs(shown, out);
}

/* Whether another rule calls the same functions: then the line of the rule tells their places apart. */
static bool shares_function(const struct ws_probe *probe, uint32_t rule)
{
    for (uint32_t i = 0; i < probe->rule_count; i++)
        if (i != rule && probe->rules[i].function_first == probe->rules[rule].function_first)
            return probe->rules[rule].source_line != 0;
    return false;
}

static void print_groups(const struct checking *checking)
{
    for (uint32_t i = 0; i < checking->group_count; i++) {
        const struct group *group = &checking->groups[i];
        char place[96] = "";
        const char *file = group->file != WS_NONE ? checking->code->files[group->file].name : "";
        const char *slash = strrchr(file, '/');
        if (group->line != 0)
            snprintf(place, sizeof(place), "%.60s:%" PRIu32, slash != NULL ? slash + 1 : file, group->line);
        fputs("  ", checking->out);
        print_text(checking->out, place[0] != '\0' ? place : "(no line)");
        fprintf(checking->out, "%*s  %4" PRIu32 " %-22s ", (int)(strlen(place) < 24 ? 24 - strlen(place) : 0),
                "", group->count, group->wanted != 0 ? ws_opcode_word(group->wanted) : "");
        print_text(checking->out, checking->probe->functions[group->function].label);
        if (shares_function(checking->probe, group->rule))
            fprintf(checking->out, " by line %" PRIu32, checking->probe->rules[group->rule].source_line);
        fputc('\n', checking->out);
    }
}

/* Rules without a site. */
static void print_empty_rule(const struct checking *checking, const struct ws_probe_rule *rule)
{
    char text[256];
    char nearest[256];
    ws_probe_rule_text(checking->probe, rule, text, sizeof(text));
    fputs("  no place for `", checking->out);
    print_text(checking->out, text);
    fprintf(checking->out, "`: %s\n",
            ws_census_explain(&checking->census, rule, "this shader has", nearest, sizeof(nearest)));
}

static void print_empty_rules(const struct checking *checking)
{
    for (uint32_t i = 0; i < checking->probe->rule_count; i++) {
        const struct ws_probe_rule *rule = &checking->probe->rules[i];
        bool is_met = false;
        for (uint32_t k = 0; k < checking->group_count && !is_met; k++)
            is_met = checking->groups[k].rule == i;
        if (!is_met)
            print_empty_rule(checking, rule);
    }
}

static void print_skips(const struct checking *checking)
{
    for (uint32_t i = 0; i < checking->result->skip_count; i++) {
        const struct ws_skip_info *skip = &checking->result->skips[i];
        fprintf(checking->out, "  left out: %" PRIu32 " place%s: ", skip->count, ws_plural(skip->count, "s"));
        print_text(checking->out, skip->reason);
        fputc('\n', checking->out);
    }
}

bool ws_probe_check(const struct ws_probe *probe, const uint32_t *words, size_t word_count, const char *path,
                    FILE *out, uint32_t *site_count, struct ws_error *error)
{
    /* As on a device that has all that a probe may use. */
    static const uint32_t capabilities[] = {SpvCapabilityInt64,
                                            SpvCapabilityInt64Atomics,
                                            SpvCapabilityFloat64,
                                            SpvCapabilityInt16,
                                            SpvCapabilityFloat16,
                                            SpvCapabilityInt8,
                                            SpvCapabilityShaderClockKHR,
                                            SpvCapabilityGroupNonUniform,
                                            SpvCapabilityGroupNonUniformVote,
                                            SpvCapabilityGroupNonUniformArithmetic,
                                            SpvCapabilityGroupNonUniformBallot,
                                            SpvCapabilityGroupNonUniformShuffle,
                                            SpvCapabilityGroupNonUniformShuffleRelative,
                                            SpvCapabilityGroupNonUniformQuad};
    struct checking checking = {.probe = probe, .out = out};
    const struct ws_instrument_options options = {
        .probes = &probe,
        .probe_count = 1,
        .capabilities = capabilities,
        .capability_count = sizeof(capabilities) / sizeof(capabilities[0]),
    };
    bool good = false;
    *site_count = 0;
    checking.code = ws_code_create(words, (uint32_t)word_count, error);
    if (checking.code == NULL)
        return false;
    checking.result = ws_instrument(words, word_count, &options, error);
    if (checking.result == NULL)
        goto error;
    if (!group_sites(&checking)) {
        ws_error_set(error, "out of memory");
        goto error;
    }
    ws_census_add(&checking.census, words, word_count);
    for (uint32_t i = 0; i < checking.group_count; i++)
        *site_count += checking.groups[i].count;
    print_text(out, path);
    fprintf(out, ": %" PRIu32 " site%s\n", *site_count, ws_plural(*site_count, "s"));
    print_groups(&checking);
    print_skips(&checking);
    print_empty_rules(&checking);
    good = true;
error:
    free(checking.groups);
    ws_instrumented_destroy(checking.result);
    ws_code_destroy(checking.code);
    return good;
}
