/* Golden tests of the instrumentation: assembly in, instrumented assembly out.
 *
 *   instrument CASE.spvasm CASE.expected          compares, and validates the result
 *   instrument --write CASE.spvasm CASE.expected  writes what is to be expected
 *   ... UNIT.spv UNIT_FRAGMENT.spv UNIT_DEMOTE.spv  the same for cases with probe=
 *
 * The first line of a case may give options: "; options: per_block max_sites=3 stages=0x20 per_thread=0x20
 * pass=everywhere,divergence probe=loops version=1.0". Without a version it is of SPIR-V 1.6; with one, the version of what
 * came out is compared too. What is compared is the module without what came from the library of
 * primitives: capabilities, entry points and the module's own functions, with new ids named by what they are
 * (the constant's value, else the order in which they appear), followed by the lists of what was done. So an
 * expectation depends neither on the compiler nor on the bodies of the primitives. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>

#include "passes/instrument/probes.h"
#include "passes/instrument/registry.h"
#include "passes/instrument/runner.h"
#include "tests/golden/everywhere.h"
#include "tests/probes/made.h"
#include "warpscope/passes.h"

#define NEW_IDS_MAX 4096

#define PASSES_MAX 8

struct options {
    struct ws_instrument_options values;
    spv_target_env version; /* that the case is assembled as */
    bool says_version;
    const struct ws_pass *passes[PASSES_MAX];
    size_t pass_count;
    struct ws_probe *probe; /* NULL = none */
    const struct ws_probe *probes[1];
};

/* The rules that a case can have the made probe with. */
static const uint32_t sums[] = {SpvOpFAdd, SpvOpIAdd};
static const uint32_t additions[] = {SpvOpFAdd};
static const uint32_t stores[] = {SpvOpStore};
static const struct ws_probe_rule loop_rules[] = {
    MADE_RULE(WS_PROBE_LOOP_BEGIN, NULL, 0, MADE_BEGIN, 1),
    MADE_RULE(WS_PROBE_LOOP_ITERATE, NULL, 0, MADE_ITERATE, 1),
    MADE_RULE(WS_PROBE_LOOP_END, NULL, 0, MADE_END, 1),
};
static const struct ws_probe_rule value_rules[] = {
    MADE_RULE(WS_PROBE_AFTER, sums, 2, MADE_FLOAT, 4),
    MADE_RULE(WS_PROBE_BEFORE, additions, 1, MADE_TWO, 1),
    MADE_RULE(WS_PROBE_BEFORE, stores, 1, MADE_ADDRESS, 1),
};
static const struct ws_probe_rule function_rules[] = {
    MADE_RULE(WS_PROBE_ENTRY_BEGIN, NULL, 0, MADE_LEFT, 1),
    MADE_RULE(WS_PROBE_FUNCTION_BEGIN, NULL, 0, MADE_FUNCTION, 1),
    MADE_RULE(WS_PROBE_FUNCTION_END, NULL, 0, MADE_LEFT, 1),
    MADE_RULE(WS_PROBE_ENTRY_END, NULL, 0, MADE_END, 1),
};

static bool read_probe(const char *name, char **units, struct options *options)
{
    if (units == NULL) {
        fprintf(stderr, "a case with a probe needs its units\n");
        return false;
    }
    if (strcmp(name, "loops") == 0)
        options->probe = made_probe(units, loop_rules, 3);
    else if (strcmp(name, "values") == 0)
        options->probe = made_probe(units, value_rules, 3);
    else
        options->probe = made_probe(units, function_rules, 4);
    options->probes[0] = options->probe;
    options->values.probes = options->probes;
    options->values.probe_count = 1;
    options->pass_count = 0;
    return true;
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = NULL;
    FILE *copy = open_memstream(&text, length);
    for (int c = fgetc(file); c != EOF; c = fgetc(file))
        fputc(c, copy);
    fclose(copy);
    fclose(file);
    return text;
}

static bool read_version(const char *name, struct options *options)
{
    static const struct {
        const char *name;
        spv_target_env environment;
    } versions[] = {{"1.0", SPV_ENV_VULKAN_1_0},
                    {"1.3", SPV_ENV_VULKAN_1_1},
                    {"1.4", SPV_ENV_VULKAN_1_1_SPIRV_1_4},
                    {"1.5", SPV_ENV_VULKAN_1_2}};
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        if (strcmp(name, versions[i].name) == 0) {
            options->version = versions[i].environment;
            options->says_version = true;
            return true;
        }
    }
    fprintf(stderr, "version %s is not known\n", name);
    return false;
}

/* Names between commas. */
static bool read_passes(char *names, struct options *options)
{
    char *rest = NULL;
    options->pass_count = 0;
    for (char *name = strtok_r(names, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
        const struct ws_pass *pass = strcmp(name, "everywhere") == 0 ? &everywhere : ws_pass_find(name);
        if (pass == NULL || options->pass_count == PASSES_MAX) {
            fprintf(stderr, "no pass %s, or too many\n", name);
            return false;
        }
        options->passes[options->pass_count++] = pass;
    }
    return true;
}

static bool read_options(const char *text, char **units, struct options *options)
{
    char line[256];
    *options = (struct options){
        .version = SPV_ENV_VULKAN_1_3, .passes = {ws_pass_find("simt_efficiency")}, .pass_count = 1};
    if (sscanf(text, "; options: %255[^\n]", line) != 1)
        return true;
    char *rest = NULL;
    for (char *word = strtok_r(line, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "per_block") == 0) {
            options->values.per_block = true;
        } else if (strcmp(word, "without_sums") == 0) {
            options->values.without_sums = true;
        } else if (strcmp(word, "without_records") == 0) {
            options->values.without_records = true;
        } else if (strncmp(word, "clock=", 6) == 0) {
            options->values.clock = strcmp(word + 6, "device") == 0 ? WS_CLOCK_DEVICE : WS_CLOCK_SUBGROUP;
        } else if (strncmp(word, "pass=", 5) == 0) {
            if (!read_passes(word + 5, options))
                return false;
        } else if (strncmp(word, "probe=", 6) == 0) {
            if (!read_probe(word + 6, units, options))
                return false;
        } else if (strncmp(word, "version=", 8) == 0) {
            if (!read_version(word + 8, options))
                return false;
        } else if (strncmp(word, "max_sites=", 10) == 0) {
            options->values.max_sites = (uint32_t)strtoul(word + 10, NULL, 0);
        } else if (strncmp(word, "sites_budget=", 13) == 0) {
            options->values.sites_budget = (uint32_t)strtoul(word + 13, NULL, 0);
        } else if (strncmp(word, "sample=", 7) == 0) {
            options->values.sample = (uint32_t)strtoul(word + 7, NULL, 0);
        } else if (strncmp(word, "stages=", 7) == 0) {
            options->values.stages = (uint32_t)strtoul(word + 7, NULL, 0);
        } else if (strncmp(word, "per_thread=", 11) == 0) {
            options->values.subgroup_stages = WS_STAGES_ALL & ~(uint32_t)strtoul(word + 11, NULL, 0);
        } else {
            fprintf(stderr, "option %s is not known\n", word);
            return false;
        }
    }
    return true;
}

/* Prints the instrumented module, a line at a time, and names its new ids. */
struct printer {
    FILE *out;
    uint32_t old_bound;
    uint32_t old_functions; /* functions still to be printed */
    bool in_functions;
    char names[NEW_IDS_MAX][24]; /* per new id; "" = not met */
    uint32_t named;
};

static void name_constants(struct printer *printer, const uint32_t *words, size_t word_count)
{
    for (size_t i = 5; i < word_count; i += words[i] >> SpvWordCountShift) {
        if ((words[i] & SpvOpCodeMask) == SpvOpConstant && (words[i] >> SpvWordCountShift) == 4 &&
            words[i + 2] >= printer->old_bound && words[i + 2] - printer->old_bound < NEW_IDS_MAX) {
            snprintf(printer->names[words[i + 2] - printer->old_bound], sizeof(printer->names[0]),
                     "u32_%" PRIu32, words[i + 3]);
        }
    }
}

static bool is_kept(struct printer *printer, const char *line)
{
    static const char *const sections[] = {"OpCapability", "OpExtension", "OpMemoryModel", "OpEntryPoint",
                                           "OpExecutionMode"};
    if (strstr(line, " = OpFunction ") != NULL)
        printer->in_functions = printer->old_functions > 0;
    if (strstr(line, "OpFunctionEnd") != NULL && printer->in_functions) {
        printer->old_functions--;
        printer->in_functions = printer->old_functions > 0;
        return true;
    }
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (strstr(line, sections[i]) != NULL)
            return true;
    return printer->in_functions;
}

static void print_line(struct printer *printer, char *line)
{
    for (char *c = line + strspn(line, " "); *c != '\0';) {
        char *end = c;
        const unsigned long id = *c == '%' ? strtoul(c + 1, &end, 10) : 0;
        if (end == c) {
            fputc(*c++, printer->out);
            continue;
        }
        c = end;
        if (id < printer->old_bound || id - printer->old_bound >= NEW_IDS_MAX) {
            fprintf(printer->out, "%%%lu", id);
            continue;
        }
        char *name = printer->names[id - printer->old_bound];
        if (name[0] == '\0')
            snprintf(name, sizeof(printer->names[0]), "new_%" PRIu32, printer->named++);
        fprintf(printer->out, "%%%s", name);
    }
    fputc('\n', printer->out);
}

static bool print_module(FILE *out, spv_context context, const struct ws_instrumented *result,
                         uint32_t old_bound, uint32_t old_functions)
{
    static struct printer printer;
    spv_text text = NULL;
    printer = (struct printer){.out = out, .old_bound = old_bound, .old_functions = old_functions};
    name_constants(&printer, result->words, result->word_count);
    if (spvBinaryToText(context, result->words, result->word_count, SPV_BINARY_TO_TEXT_OPTION_NO_HEADER,
                        &text, NULL) != SPV_SUCCESS)
        return false;
    char *rest = NULL;
    for (char *line = strtok_r((char *)text->str, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        if (is_kept(&printer, line))
            print_line(&printer, line);
    spvTextDestroy(text);
    return true;
}

static void print_lists(FILE *out, const struct ws_instrumented *result)
{
    fprintf(out, "; rows %u\n", result->row_count);
    for (uint32_t i = 0; i < result->entry_count; i++) {
        const struct ws_entry_info *entry = &result->entries[i];
        fprintf(out, "; entry %s: %s, function %u, rows %u + %u%s, reaches", entry->name,
                ws_stage_name(entry->stage), entry->function, entry->row_first, entry->row_count,
                entry->no_place     ? " (no place)"
                : entry->per_thread ? " per thread"
                                    : "");
        for (uint32_t f = 0; f < entry->function_count; f++)
            fprintf(out, " %u", entry->functions[f]);
        fputc('\n', out);
        if (entry->yield_count != 0)
            fprintf(out, "; yields of %s: %u + %u\n", entry->name, entry->yield_first, entry->yield_count);
    }
    for (uint32_t i = 0; i < result->probe_count; i++)
        fprintf(out, "; probe %u: shared yields %d\n", i, (int)result->shared_yields[i]);
    for (uint32_t i = 0; i < result->block_count; i++) {
        const struct ws_block_info *block = &result->blocks[i];
        fprintf(out, "; block %u: label %u of %u, words %u + %u, %u instructions\n", i, block->label,
                block->function, block->offset, block->length, block->instruction_count);
    }
    for (uint32_t i = 0; i < result->site_count; i++) {
        const struct ws_site_info *site = &result->sites[i];
        static const char *const kinds[] = {
            "block", "launch", "data",     "count",       "entry", "place block", "before", "after", "end",
            "sync",  "call",   "continue", "place entry", "yield", "access",      "path",   "turns", "step"};
        fprintf(out, "; site %u: pass %d, tag %u, %s, block %u, word %u, row %d\n", i, (int)site->pass,
                site->tag, kinds[site->kind], site->block, site->offset, (int)site->row);
    }
    for (uint32_t i = 0; i < result->fixed_count; i++)
        fprintf(out, "; site %u has word %u fixed: 0x%x\n", result->fixed[i].site, result->fixed[i].word,
                result->fixed[i].value);
    for (uint32_t i = 0; i < result->part_count; i++)
        fprintf(out, "; row %u has row %u as a part\n", result->parts[i].row, result->parts[i].part);
    for (uint32_t i = 0; i < result->skip_count; i++) {
        const struct ws_skip_info *skip = &result->skips[i];
        fprintf(out, "; skip %u: pass %d, word %d, entries", skip->count, (int)skip->pass, (int)skip->offset);
        for (uint32_t e = 0; e < skip->entry_count; e++)
            fprintf(out, " %u", skip->entries[e]);
        fprintf(out, ": %s\n", skip->reason);
    }
}

/* Functions that stand around those of entry points (passes/instrument/wrap.c): what they call has the blocks of the original,
 * and an id of its own. */
static uint32_t count_wraps(const uint32_t *words, size_t word_count, uint32_t old_bound)
{
    uint32_t count = 0;
    for (size_t i = 5; i < word_count; i += words[i] >> SpvWordCountShift) {
        size_t label = i + (words[i] >> SpvWordCountShift);
        if ((words[i] & SpvOpCodeMask) != SpvOpFunction || words[i + 2] < old_bound)
            continue;
        while ((words[label] & SpvOpCodeMask) != SpvOpLabel)
            label += words[label] >> SpvWordCountShift;
        count += words[label + 1] < old_bound;
    }
    return count;
}

static uint32_t count_functions(const uint32_t *words, size_t word_count)
{
    uint32_t count = 0;
    for (size_t i = 5; i < word_count; i += words[i] >> SpvWordCountShift)
        count += (words[i] & SpvOpCodeMask) == SpvOpFunction;
    return count;
}

/* The result as text to be freed, or NULL with a message. */
static char *instrument(const char *path, const char *assembly, size_t length, char **units)
{
    struct options options = {0};
    struct ws_error error = {0};
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
    spv_context source = NULL; /* of the case's own version */
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    struct ws_instrumented *result = NULL;
    FILE *out = NULL;
    char *text = NULL;
    size_t text_length = 0;
    bool good = false;

    struct ws_probe_passes *probes = NULL;
    if (!read_options(assembly, units, &options))
        goto error;
    source = spvContextCreate(options.version);
    if (spvTextToBinaryWithOptions(source, assembly, length, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS,
                                   &binary, &diagnostic) != SPV_SUCCESS ||
        spvValidateBinary(source, binary->code, binary->wordCount, &diagnostic) != SPV_SUCCESS) {
        fprintf(stderr, "%s:\n", path);
        spvDiagnosticPrint(diagnostic);
        goto error;
    }
    if (options.probe != NULL)
        probes = ws_probe_passes_create(&options.values, binary->code, binary->wordCount,
                                        options.passes + options.pass_count, &error);
    result = ws_run_passes(binary->code, binary->wordCount, options.passes,
                           options.pass_count + options.values.probe_count, &options.values, &error);
    if (result == NULL) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        goto error;
    }
    out = open_memstream(&text, &text_length);
    if (result->words != NULL) {
        if (spvValidateBinary(context, result->words, result->word_count, &diagnostic) != SPV_SUCCESS) {
            fprintf(stderr, "%s, instrumented:\n", path);
            spvDiagnosticPrint(diagnostic);
            goto error;
        }
        if (options.says_version)
            fprintf(out, "; SPIR-V %u.%u\n", result->words[1] >> 16 & 0xff, result->words[1] >> 8 & 0xff);
        print_module(out, context, result, binary->code[3],
                     count_functions(binary->code, binary->wordCount) +
                         count_wraps(result->words, result->word_count, binary->code[3]));
    }
    print_lists(out, result);
    good = true;

error:
    if (out != NULL)
        fclose(out);
    if (!good) {
        free(text);
        text = NULL;
    }
    ws_instrumented_destroy(result);
    ws_probe_passes_destroy(probes);
    ws_probe_destroy(options.probe);
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(source);
    spvContextDestroy(context);
    return text;
}

int main(int argc, char **argv)
{
    const bool write = argc > 1 && strcmp(argv[1], "--write") == 0;
    argc -= write;
    argv += write;
    if (argc != 3 && argc != 6) {
        fprintf(stderr, "usage: %s [--write] CASE.spvasm CASE.expected [UNIT.spv UNIT.spv UNIT.spv]\n",
                argv[0]);
        return 2;
    }
    size_t length = 0;
    char *assembly = read_file(argv[1], &length);
    if (assembly == NULL) {
        perror(argv[1]);
        return 1;
    }
    char *text = instrument(argv[1], assembly, length, argc == 6 ? argv + 3 : NULL);
    free(assembly);
    if (text == NULL)
        return 1;
    int status = 0;
    if (write) {
        FILE *file = fopen(argv[2], "wb");
        status = file == NULL || fputs(text, file) < 0;
        status |= file == NULL || fclose(file) != 0;
    } else {
        char *expected = read_file(argv[2], &length);
        status = expected == NULL || strcmp(expected, text) != 0;
        if (status != 0)
            printf("%s is not what came out:\n%s", argv[2], text);
        free(expected);
    }
    free(text);
    return status;
}
