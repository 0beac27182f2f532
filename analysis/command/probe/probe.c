/* warpscope probe */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/command/command.h"
#include "analysis/command/help.h"
#include "analysis/command/probe/module_file.h"
#include "analysis/command/probe/probe_help.h"
#include "analysis/command/probes.h"
#include "analysis/output/staging.h"
#include "analysis/probe/check.h"
#include "warpscope/base/text.h"
#include "warpscope/output/wrap.h"
#include "warpscope/probe.h"

enum { OPTION_TEXT, OPTION_CHECK, OPTION_ON, OPTION_COMPILE };

#define MODULES_MAX 64

static const struct ws_option probe_options[] = {
    {.name = "expression",
     .letter = 'e',
     .argument = "TEXT",
     .id = OPTION_TEXT,
     .repeats = true,
     .help = "a probe of one line, in the place of a file: 'after OpFDiv { if (isinf(result)) count(); }'"},
    {.name = "check",
     .id = OPTION_CHECK,
     .help = "only say what is wrong; with --on, fail where a module has no site"},
    {.name = "on",
     .argument = "SHADER.spv",
     .id = OPTION_ON,
     .repeats = true,
     .help = "list the sites that the probe has in this module; several may be given; needs no device",
     .kind = WS_ARGUMENT_FILE},
    {.name = "compile",
     .argument = "OUT.wsprobe",
     .id = OPTION_COMPILE,
     .help = "write the compiled probe: for the setting `probes`, and for machines without a compiler",
     .kind = WS_ARGUMENT_FILE},
    {NULL},
};

struct request {
    struct ws_command_probes probes;
    const char *modules[MODULES_MAX];
    uint32_t module_count;
    const char *compiled; /* NULL = not written */
    bool check;
};

static void print_text(const char *text)
{
    ws_text_print(stdout, text);
}

static void print_outputs(const struct ws_probe *probe)
{
    static const char *const kinds[WS_YIELD_KIND_COUNT] = {
        "count", "sum",    "min",    "max",  "histogram linear", "histogram log2", "values",
        "table", "record", "sample", "lanes"};
    static const char *const types[WS_YIELD_TYPE_COUNT] = {"uint", "int", "float", "bool"};
    for (uint32_t i = 0; i < probe->output_count; ++i) {
        const struct ws_probe_output *output = &probe->outputs[i];
        const uint32_t kind = output->shape.kind;
        printf("  output %s: %s", output->name, kinds[kind]);
        if (kind >= WS_YIELD_SUM && kind <= WS_YIELD_VALUES)
            printf(" of %s", types[output->shape.type]);
        for (uint32_t k = 0; output->fields != NULL && k < output->shape.field_count; ++k)
            printf("%s%s %s", k == 0 ? " { " : ", ", types[output->fields[k].type], output->fields[k].name);
        printf("%s%s\n", output->fields != NULL ? " }" : "",
               kind == WS_YIELD_RECORD ? ""
               : output->per_shader    ? ", per shader"
                                       : ", per site");
    }
}

static void print_rules(const struct ws_probe *probe)
{
    for (uint32_t i = 0; i < probe->rule_count; ++i) {
        const struct ws_probe_rule *rule = &probe->rules[i];
        char text[512];
        ws_probe_rule_text(probe, rule, text, sizeof(text));
        fputs("  ", stdout);
        print_text(text);
        fputs(" calls\n", stdout);
        for (uint32_t k = 0; k < rule->function_count; ++k) {
            fputs("    ", stdout);
            print_text(probe->functions[rule->function_first + k].label);
            fputc('\n', stdout);
        }
    }
}

static bool check_modules(const struct request *request, const struct ws_probe *probe)
{
    bool good = true;
    for (uint32_t i = 0; i < request->module_count; ++i) {
        struct ws_error error = {{0}};
        size_t word_count = 0;
        uint32_t site_count = 0;
        uint32_t *words = ws_module_read(request->modules[i], &word_count, &error);
        const bool checked = words != NULL && ws_probe_check(probe, words, word_count, request->modules[i],
                                                             stdout, &site_count, &error);
        if (!checked)
            ws_say("'%s': %s", request->modules[i], error.message);
        good = good && checked && (site_count > 0 || !request->check);
        free(words);
    }
    return good;
}

static bool handle(const struct request *request)
{
    struct ws_error error = {{0}};
    const struct ws_command_probe *item = &request->probes.items[0];
    const struct ws_probe *probe = item->probe;
    if (request->compiled != NULL &&
        !ws_words_write(request->compiled, item->words, item->word_count, &error)) {
        ws_say("%s", error.message);
        return false;
    }
    if (!request->check && request->module_count == 0 && request->compiled == NULL) {
        printf("probe %s: %" PRIu32 " function%s\n", probe->name, probe->function_count,
               ws_plural(probe->function_count, "s"));
        print_outputs(probe);
        print_rules(probe);
    }
    return check_modules(request, probe);
}

static bool take_option(void *probe_request, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    struct request *request = probe_request;
    switch (option->id) {
    case OPTION_TEXT: return ws_command_probes_add(&request->probes, value, true, error);
    case OPTION_CHECK: request->check = true; return true;
    case OPTION_COMPILE: request->compiled = value; return true;
    default: break;
    }
    if (request->module_count == MODULES_MAX)
        return ws_error_set(error, "--on can be given at most %d times", MODULES_MAX);
    request->modules[request->module_count++] = value;
    return true;
}

static int take_and_run(int argument_count, char **arguments, struct request *request)
{
    struct ws_error error = {{0}};
    int status = WS_EXIT_USAGE;
    char **operands = ws_options_take(&ws_command_probe, argument_count, arguments, request, &status);
    if (operands == NULL)
        return status;
    if (operands[0] != NULL && !ws_command_probes_add(&request->probes, operands[0], false, &error))
        return ws_usage_error("probe", "%s", error.message);
    if (request->probes.count != 1)
        return ws_usage_error("probe", request->probes.count == 0
                                           ? "name a probe file, or give a text with -e"
                                           : "one probe at a time");
    if (request->compiled != NULL && strcmp(request->compiled, "-") != 0 &&
        !ws_output_check(request->compiled, "--compile",
                         (const struct ws_file_kind *[WS_OUTPUT_KINDS]){&ws_compiled_probe_kind}, &error))
        return ws_usage_error("probe", "%s", error.message);
    if (request->compiled != NULL && operands[0] != NULL &&
        !ws_staging_spares(request->compiled, "--compile", operands[0], "file", &error))
        return ws_usage_error("probe", "%s", error.message);
    if (!ws_command_probes_compile(&request->probes, false))
        return WS_EXIT_FAILED;
    return ws_finish_output(handle(request) ? WS_EXIT_GOOD : WS_EXIT_FAILED);
}

static int run(int argument_count, char **arguments)
{
    struct request request = {.module_count = 0};
    const int status = take_and_run(argument_count, arguments, &request);
    ws_command_probes_finish(&request.probes);
    return status;
}

static const struct ws_chapter topics[] = {{"probes", ws_print_probe_help}, {NULL, NULL}};

const struct ws_command ws_command_probe = {
    .name = "probe",
    .summary = "compile and check a probe: your own question, in GLSL",
    .usage = "FILE | -e TEXT [--on SHADER.spv]... [--compile OUT.wsprobe]",
    .about = "Compiles a probe, says what is wrong with it, and shows its outputs, its places and its "
             "functions. With --on "
             "it lists the sites that it has in a SPIR-V module, and what came nearest where it has none. No "
             "device is "
             "needed. `record --probe FILE` records with it; `warpscope help probes` teaches the language.",
    .tables = {{.rows = probe_options, .take = take_option}},
    .operands = {{.name = "FILE", .kind = WS_ARGUMENT_FILE}},
    .examples = "  warpscope probe nan.glsl\n"
                "  warpscope probe -e 'after OpFDiv { count(); }' --on shader.spv\n"
                "  warpscope probe nan.glsl --check\n"
                "  warpscope probe nan.glsl --compile nan.wsprobe\n",
    .topics = topics,
    .run = run,
};
