/* warpscope instrument */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/command/command.h"
#include "analysis/command/probe/module_file.h"
#include "analysis/command/probes.h"
#include "analysis/command/validator.h"
#include "analysis/output/staging.h"
#include "passes/settings/settings.h"
#include "warpscope/base/text.h"
#include "warpscope/instrument.h"
#include "warpscope/probe.h"

enum {
    OPTION_PASSES,
    OPTION_OUTPUT,
    OPTION_STAGES,
    OPTION_PER_BLOCK,
    OPTION_MAX_SITES,
    OPTION_SITES_BUDGET,
    OPTION_SAMPLE,
    OPTION_VALIDATE,
    OPTION_VALIDATOR
};

static const char *pass_choice(const struct ws_option *option, size_t index)
{
    (void)option;
    return ws_setting_choice(WS_SETTING_PASSES, index);
}

static const char *stage_choice(const struct ws_option *option, size_t index)
{
    (void)option;
    return ws_setting_choice(WS_SETTING_STAGES, index);
}

static const struct ws_option instrument_options[] = {
    {.name = "passes",
     .letter = 'p',
     .argument = "LIST",
     .id = OPTION_PASSES,
     .help = "passes, separated by commas, or all (simt_efficiency)",
     .kind = WS_ARGUMENT_CHOICES,
     .choice = pass_choice},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .id = OPTION_OUTPUT,
     .help = "the instrumented module; - is stdout, and the summary then goes to stderr",
     .kind = WS_ARGUMENT_FILE},
    {.name = "stages",
     .argument = "LIST",
     .id = OPTION_STAGES,
     .help = "instrument only entry points of these stages",
     .kind = WS_ARGUMENT_CHOICES,
     .choice = stage_choice},
    {.name = "per-block",
     .id = OPTION_PER_BLOCK,
     .help = "a counter for every block, also where one could stand for several"},
    {.name = "max-sites", .argument = "N", .id = OPTION_MAX_SITES, .help = "instrument no more than N sites"},
    {.name = "sites-budget",
     .argument = "N",
     .id = OPTION_SITES_BUDGET,
     .help = "leave blocks of a shader out beyond N sites; 0, the default here, takes all"},
    {.name = "sample",
     .argument = "1/N",
     .id = OPTION_SAMPLE,
     .help = "count in one warp of N only: entry points get a second body, as it was"},
    {.name = "validate",
     .id = OPTION_VALIDATE,
     .help =
         "fail where SPIRV-Tools find the result invalid for Vulkan 1.3, and say which version of them was "
         "asked"},
    {.name = "validator",
     .argument = "PROGRAM",
     .id = OPTION_VALIDATOR,
     .help = "the same by another spirv-val than those that Warpscope was built with, such as a newer one",
     .kind = WS_ARGUMENT_FILE},
    {NULL},
};

struct request {
    const char *input;
    const char *output;
    struct ws_settings settings; /* passes, stages, per_block, max_sites, sites_budget, sample */
    bool validate;
    const char *validator; /* a program; NULL = the linked library */
    struct ws_command_probes probes;
};

/* Whether SPIRV-Tools find the result valid. Where they do not, `error` says whether the original was valid. */
static bool validate(const struct request *request, const struct ws_instrumented *result,
                     const uint32_t *words, size_t word_count, struct ws_error *error)
{
    struct ws_error reason = {{0}};
    struct ws_error original = {{0}};
    char version[128];
    if (!ws_validator_version(request->validator, version, sizeof(version), error))
        return false;
    if (ws_validator_accepts(request->validator, result->words, result->word_count, &reason)) {
        ws_say("the result is valid for Vulkan 1.3, by %s", version);
        return true;
    }
    if (!ws_validator_accepts(request->validator, words, word_count, &original))
        return ws_error_set(error, "'%s': the original is invalid already, by %s: %s", request->input,
                            version, original.message);
    return ws_error_set(error, "'%s': the result is invalid, but not the original, by %s: %s", request->input,
                        version, reason.message);
}

/* Prints a name of the module, which may be any bytes. */
static void print_name(const char *name, FILE *stream)
{
    char text[256];
    snprintf(text, sizeof(text), "%s", name);
    ws_text_cut(text);
    ws_text_repair(text, strlen(text));
    ws_text_print(stream, text);
}

/* Probes that append records; the other sites of records have theirs. */
static uint32_t count_records(const struct ws_instrumented *result)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->site_count; ++i) {
        const struct ws_site_info *site = &result->sites[i];
        count += site->kind == WS_SITE_DATA || (site->kind >= WS_SITE_ENTRY && site->row == i);
    }
    return count;
}

/* Passes, and behind them probes. */
static const char *pass_name(const struct ws_instrument_options *options, uint32_t pass)
{
    if (pass == WS_NONE)
        return "every pass";
    return pass < options->pass_count ? options->passes[pass]
                                      : options->probes[pass - options->pass_count]->name;
}

static void print_skip(const struct ws_instrumented *result, const struct ws_skip_info *skip,
                       const struct ws_instrument_options *options, FILE *stream)
{
    fprintf(stream, "  left out: %" PRIu32 " site%s by %s", skip->count, skip->count == 1 ? "" : "s",
            pass_name(options, skip->pass));
    for (uint32_t i = 0; i < skip->entry_count; ++i) {
        const struct ws_entry_info *entry = &result->entries[skip->entries[i]];
        fputs(i == 0 ? " in " : ", ", stream);
        print_name(entry->name, stream);
        fprintf(stream, " (%s)", ws_stage_name(entry->stage));
    }
    if (skip->offset != WS_NONE)
        fprintf(stream, ", first at word %" PRIu32, skip->offset);
    fprintf(stream, ": %s\n", skip->reason);
}

static void print_summary(const struct ws_instrumented *result, const struct ws_instrument_options *options,
                          FILE *stream)
{
    static const char *const constants[] = {
        [WS_SPEC_ROOT_LO] = "root address low",
        [WS_SPEC_ROOT_HI] = "root address high",
        [WS_SPEC_SLOT] = "slot",
        [WS_SPEC_BINS] = "bins",
        [WS_SPEC_CONTROL] = "control block",
    };
    _Static_assert(sizeof(constants) / sizeof(constants[0]) == WS_SPEC_COUNT, "a constant has no name");
    fprintf(stream,
            "%" PRIu32 " site%s in %" PRIu32 " block%s, %" PRIu32 " counter row%s, %" PRIu32 " record%s\n",
            result->site_count, ws_plural(result->site_count, "s"), result->block_count,
            ws_plural(result->block_count, "s"), result->row_count, ws_plural(result->row_count, "s"),
            count_records(result), ws_plural(count_records(result), "s"));
    for (uint32_t i = 0; i < result->entry_count; ++i) {
        const struct ws_entry_info *entry = &result->entries[i];
        fputs("  entry point ", stream);
        print_name(entry->name, stream);
        fprintf(stream, " (%s): ", ws_stage_name(entry->stage));
        if (entry->row_count == 0)
            fputs(entry->no_place ? "holds no place that the passes want\n" : "not instrumented\n", stream);
        else
            fprintf(stream, "rows %" PRIu32 " to %" PRIu32 "%s\n", entry->row_first,
                    entry->row_first + entry->row_count - 1, entry->per_thread ? ", counted per thread" : "");
    }
    for (uint32_t i = 0; i < WS_SPEC_COUNT; ++i)
        if (result->words != NULL && result->spec_ids[i] != WS_NONE)
            fprintf(stream, "  specialization constant %" PRIu32 ": %s\n", result->spec_ids[i], constants[i]);
    for (uint32_t i = 0; i < result->skip_count; ++i)
        print_skip(result, &result->skips[i], options, stream);
}

static int instrument(const struct request *request)
{
    struct ws_error error = {{0}};
    struct ws_instrumented *result = NULL;
    size_t word_count = 0;
    int status = WS_EXIT_FAILED;
    struct ws_error reason = {{0}};
    const struct ws_probe *probes[WS_PROBES_MAX];
    for (uint32_t i = 0; i < request->probes.count; ++i)
        probes[i] = request->probes.items[i].probe;
    const struct ws_instrument_options options = {
        .probes = probes,
        .probe_count = request->probes.count,
        .passes = request->settings.passes,
        .pass_count = request->settings.pass_count,
        .clock = WS_CLOCK_DEVICE,
        .stages = request->settings.stages,
        .max_sites = request->settings.max_sites,
        .sites_budget = request->settings.sites_budget,
        .sample = request->settings.sample,
        .per_block = request->settings.per_block,
    };
    uint32_t *words = ws_module_read(request->input, &word_count, &error);
    if (words == NULL)
        goto error;
    result = ws_instrument(words, word_count, &options, &reason);
    if (result == NULL) {
        ws_error_set(&error, "'%s': %s", request->input, reason.message);
        goto error;
    }
    if (result->words == NULL) {
        ws_say("'%s': there is nothing to instrument; the output is the module as it was", request->input);
        if (!ws_words_write(request->output, words, word_count, &error))
            goto error;
    } else if ((request->validate && !validate(request, result, words, word_count, &error)) ||
               !ws_words_write(request->output, result->words, result->word_count, &error)) {
        goto error;
    }
    print_summary(result, &options, strcmp(request->output, "-") == 0 ? stderr : stdout);
    status = WS_EXIT_GOOD;
error:
    if (error.message[0] != '\0')
        ws_say("%s", error.message);
    ws_instrumented_destroy(result);
    free(words);
    return ws_finish_output(status);
}

static bool take_option(void *instrument_request, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    struct request *request = instrument_request;
    struct ws_settings *settings = &request->settings;
    switch (option->id) {
    case OPTION_PASSES: return ws_take_passes(settings, value, error);
    case OPTION_STAGES: return ws_settings_set(settings, WS_SETTING_STAGES, value, "--stages", error);
    case OPTION_MAX_SITES:
        return ws_settings_set(settings, WS_SETTING_MAX_SITES, value, "--max-sites", error);
    case OPTION_SITES_BUDGET:
        return ws_settings_set(settings, WS_SETTING_SITES_BUDGET, value, "--sites-budget", error);
    case OPTION_SAMPLE: return ws_settings_set(settings, WS_SETTING_SAMPLE, value, "--sample", error);
    case OPTION_OUTPUT: request->output = value; return true;
    case OPTION_PER_BLOCK: settings->per_block = true; return true;
    case OPTION_VALIDATOR: request->validator = value; break;
    default: break;
    }
    request->validate = true;
    return true;
}

/* Takes the arguments and does what they ask for. */
static int take_and_instrument(int argument_count, char **arguments, struct request *request)
{
    struct ws_error error = {{0}};
    int status = WS_EXIT_USAGE;
    char **operands = ws_options_take(&ws_command_instrument, argument_count, arguments, request, &status);
    if (operands == NULL)
        return status;
    if (request->output == NULL)
        return ws_usage_error("instrument", "say with -o where to write");
    if (strcmp(request->output, "-") != 0 &&
        !ws_output_check(request->output, "-o",
                         (const struct ws_file_kind *[WS_OUTPUT_KINDS]){&ws_module_kind}, &error))
        return ws_usage_error("instrument", "%s", error.message);
    if (!ws_staging_spares(request->output, "-o", operands[0], "file", &error))
        return ws_usage_error("instrument", "%s", error.message);
    if (!ws_command_probes_compile(&request->probes, false))
        return WS_EXIT_FAILED;
    if (request->settings.pass_count == 0 && request->probes.count == 0 &&
        !ws_take_passes(&request->settings, "simt_efficiency", &error))
        return ws_usage_error("instrument", "%s", error.message);
    request->input = operands[0];
    return instrument(request);
}

static int run(int argument_count, char **arguments)
{
    struct request request = {.input = NULL};
    int status = take_and_instrument(argument_count, arguments, &request);
    ws_settings_finish(&request.settings);
    ws_command_probes_finish(&request.probes);
    return status;
}

const struct ws_command ws_command_instrument = {
    .name = "instrument",
    .summary = "instrument a SPIR-V file, as the layer does",
    .usage = "[-p PASSES] [OPTIONS] IN.spv -o OUT.spv",
    .about = "Instruments a SPIR-V module as the layer does, and prints a summary of what was added. OUT.spv "
             "counts "
             "only where its pipeline sets the specialization constants that the summary names; the layer "
             "does that. " WS_OUTPUTS_HELP,
    .tables = {{.rows = instrument_options, .take = take_option},
               {.rows = ws_probe_options, .take = ws_take_probe, .offset = offsetof(struct request, probes)}},
    .operands = {{.name = "IN.spv", .missing = "the module to instrument", .kind = WS_ARGUMENT_FILE}},
    .examples = "  warpscope instrument shader.spv -o counted.spv --validate\n"
                "  warpscope instrument --per-block raygen.spv -o - | spirv-dis\n"
                "  warpscope instrument -e 'after OpFDiv { count(); }' a.spv -o b.spv\n",
    .run = run,
};
