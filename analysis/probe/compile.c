/* Compiles a probe. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/probe/candidates.h"
#include "analysis/probe/compile.h"
#include "analysis/probe/glslang.h"
#include "analysis/probe/messages.h"
#include "analysis/probe/tokens.h"
#include "analysis/probe/unit.h"
#include "passes/spirv/spirv_tools.h"
#include "warpscope/instrument.h"

/* A probe that is being made of a program. */
struct compiling {
    struct ws_probe_program *program;
    struct ws_probe_candidates candidates;
    struct ws_made_unit units[WS_PROBE_UNIT_COUNT];
    struct ws_probe_function *functions;
    struct ws_complaints *complaints;
};

bool ws_probe_can_compile(struct ws_complaints *complaints)
{
    return ws_glslang_is_built() ||
           ws_complain(
               complaints, SIZE_MAX, 0,
               "this build of Warpscope has no compiler for probes: build it with glslang (Debian: "
               "glslang-dev), "
               "or take a probe that another machine compiled (warpscope probe FILE --compile OUT.wsprobe)");
}

static void no_memory(struct compiling *compiling)
{
    compiling->complaints->out_of_memory = true;
    compiling->complaints->errors++;
}

/* FNV-1a of the text, so that the state of two probes is apart. */
static void name_state(const struct ws_probe_program *program, char state[32])
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = program->name; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    for (const char *c = program->source->text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    snprintf(state, 32, "%016" PRIx64, hash);
}

/* Where the text declares a variable, outside of all brackets; SIZE_MAX where that is not found. */
static size_t find_variable(const char *text, const char *name)
{
    struct ws_scanner scanner = ws_scanner_begin(text, 0, strlen(text));
    int depth = 0;
    for (struct ws_token token = ws_scanner_next(&scanner); token.kind != WS_TOKEN_END;
         token = ws_scanner_next(&scanner)) {
        const char first = text[token.offset];
        if (token.kind == WS_TOKEN_SIGN)
            depth += strchr("({[", first) != NULL ? 1 : strchr(")}]", first) != NULL ? -1 : 0;
        if (token.kind == WS_TOKEN_WORD && depth == 0 && ws_token_is(text, &token, name))
            return token.offset;
    }
    return SIZE_MAX;
}

static bool compile_unit(struct compiling *compiling, uint32_t lanes, const char *state)
{
    struct ws_glslang_result result = {0};
    struct ws_glslang_request request = {.is_fragment = lanes != WS_PROBE_UNIT_ALL,
                                         .seconds = compiling->program->source->seconds};
    struct ws_error error = {{0}};
    struct ws_made_unit *unit = &compiling->units[lanes];
    bool good = false;
    char *text = ws_probe_generate(compiling->program, compiling->candidates.items,
                                   compiling->candidates.count, lanes, true);
    if (text == NULL) {
        no_memory(compiling);
        return false;
    }
    request.text = text;
    if (!ws_glslang_compile(&request, &result)) {
        ws_messages_complain(result.log, compiling->program, compiling->candidates.items, WS_NONE,
                             compiling->complaints);
        for (uint32_t i = 0; i < compiling->candidates.count && compiling->complaints->errors == 0; i++)
            ws_messages_complain(result.log, compiling->program, compiling->candidates.items, i,
                                 compiling->complaints);
        if (compiling->complaints->errors == 0)
            ws_complain(compiling->complaints, SIZE_MAX, 0, "%s", ws_glslang_why(&result));
    } else if (!ws_probe_unit_make(unit, result.words, result.word_count, compiling->candidates.count, state,
                                   &error)) {
        const char *source = compiling->program->source->text;
        const size_t place = unit->variable != NULL ? find_variable(source, unit->variable) : SIZE_MAX;
        ws_complain(compiling->complaints, place, place != SIZE_MAX ? strlen(unit->variable) : 0, "%s",
                    error.message);
    } else if (!ws_spirv_validate(unit->words, unit->word_count, &error)) {
        ws_complain(compiling->complaints, SIZE_MAX, 0,
                    "what glslang made of it is no valid SPIR-V, so it is not used: %s", error.message);
    } else {
        good = true;
    }
    free(text);
    free(result.log);
    free(result.words);
    return good;
}

/* The parameters of a wrapper, in their order. */
static bool make_parameters(struct compiling *compiling, const struct ws_probe_candidate *candidate,
                            struct ws_probe_function *function)
{
    static const struct ws_probe_type word = {WS_PROBE_UINT, 32, 1, 1};
    static const struct ws_probe_type truth = {WS_PROBE_BOOL, 0, 1, 1};
    const struct ws_probe_program *program = compiling->program;
    struct ws_probe_parameter *parameters =
        ws_arena_allocate(program->arena, WS_PROBE_PARAMETERS_MAX, sizeof(*parameters));
    uint32_t count = 0;
    if (parameters == NULL)
        return false;
    for (uint32_t binding = WS_PROBE_AT; binding <= WS_PROBE_LINE; binding++)
        parameters[count++] = (struct ws_probe_parameter){binding, word, ""};
    if (ws_probe_needs_first(program, &program->overloads[candidate->overload]))
        parameters[count++] = (struct ws_probe_parameter){WS_PROBE_FIRST, truth, ""};
    for (uint32_t i = 0; i < candidate->argument_count; i++)
        parameters[count++] = candidate->arguments[i].parameter;
    function->parameters = parameters;
    function->parameter_count = count;
    return true;
}

/* "after OpFDiv (float result)" of an open function of one line. */
static const char *make_label(const struct ws_probe_program *program,
                              const struct ws_probe_candidate *candidate)
{
    const struct ws_probe_overload *overload = &program->overloads[candidate->overload];
    const size_t size = strlen(overload->label) + 96 * (size_t)(candidate->argument_count + 1);
    char *label = overload->is_open ? ws_arena_allocate(program->arena, size, 1) : NULL;
    if (label == NULL)
        return overload->label;
    size_t used = (size_t)snprintf(label, size, "%s", overload->label);
    while (used > 0 && label[used - 1] == ' ')
        used--;
    used += (size_t)snprintf(label + used, size - used, " (");
    for (uint32_t i = 0; i < candidate->argument_count; i++) {
        const struct ws_probe_parameter *parameter = &candidate->arguments[i].parameter;
        used += (size_t)snprintf(label + used, size - used, "%s%s %s", i > 0 ? ", " : "",
                                 candidate->arguments[i].type,
                                 parameter->binding == WS_PROBE_RESULT ? "result" : parameter->name);
    }
    snprintf(label + used, size - used, ")");
    return label;
}

static bool make_functions(struct compiling *compiling)
{
    struct ws_probe_program *program = compiling->program;
    const struct ws_probe_candidates *candidates = &compiling->candidates;
    uint32_t column = 0;
    compiling->functions =
        ws_arena_allocate(program->arena, candidates->count, sizeof(*compiling->functions));
    if (compiling->functions == NULL)
        return false;
    for (uint32_t k = 0; k < candidates->count; k++) {
        struct ws_probe_function *function = &compiling->functions[k];
        char *name = ws_arena_allocate(program->arena, 32, 1);
        if (name == NULL || !make_parameters(compiling, &candidates->items[k], function))
            return false;
        snprintf(name, 32, "ws_probe_%" PRIu32, k);
        function->export_name = name;
        function->label = make_label(program, &candidates->items[k]);
        for (uint32_t lanes = 0; lanes < WS_PROBE_UNIT_COUNT; lanes++)
            function->outputs |= compiling->units[lanes].outputs[k];
        ws_probe_text_place(program->source, program->overloads[candidates->items[k].overload].part.offset,
                            &function->line, &column);
    }
    return true;
}

/* The rules name functions now, no longer overloads. Candidates stand in the order of overloads. */
static void make_rules(struct compiling *compiling)
{
    struct ws_probe_program *program = compiling->program;
    for (uint32_t i = 0; i < program->rule_count; i++) {
        struct ws_probe_rule *rule = &program->rules[i];
        const uint32_t first = rule->function_first;
        const uint32_t end = first + rule->function_count;
        rule->function_first = 0;
        rule->function_count = 0;
        for (uint32_t k = 0; k < compiling->candidates.count; k++) {
            const uint32_t overload = compiling->candidates.items[k].overload;
            if (overload < first || overload >= end)
                continue;
            if (rule->function_count++ == 0)
                rule->function_first = k;
        }
    }
}

/* Remarks on outputs that nothing yields to. */
static void check_outputs(struct compiling *compiling)
{
    const struct ws_probe_program *program = compiling->program;
    uint32_t used = 0;
    for (uint32_t k = 0; k < compiling->candidates.count; k++)
        used |= compiling->functions[k].outputs;
    for (uint32_t i = 0; i < program->output_count; i++) {
        char call[256];
        if ((used >> i & 1) != 0)
            continue;
        ws_probe_call_of(&program->outputs[i], call, sizeof(call));
        ws_complaints_remark(compiling->complaints,
                             program->has_implicit_output ? SIZE_MAX : program->output_parts[i].offset,
                             program->output_parts[i].length, "nothing yields to '%s'; call %s",
                             program->outputs[i].name, program->has_implicit_output ? "count()" : call);
    }
}

static uint32_t *write_blob(struct compiling *compiling, size_t *word_count)
{
    const struct ws_probe_program *program = compiling->program;
    struct ws_error error = {{0}};
    struct ws_probe probe = {
        .name = program->name,
        .source = program->source->text,
        .outputs = program->outputs,
        .output_count = program->output_count,
        .rules = program->rules,
        .rule_count = program->rule_count,
        .functions = compiling->functions,
        .function_count = compiling->candidates.count,
    };
    for (uint32_t i = 0; i < WS_PROBE_UNIT_COUNT; i++) {
        probe.units[i] = (struct ws_probe_unit){compiling->units[i].words, compiling->units[i].word_count};
        probe.flags |= compiling->units[i].reads_work ? WS_PROBE_WORK : 0;
    }
    uint32_t *words = ws_probe_write(&probe, word_count, &error);
    if (words == NULL)
        ws_complain(compiling->complaints, SIZE_MAX, 0, "%s", error.message);
    return words;
}

uint32_t *ws_probe_compile(const struct ws_probe_source *source, size_t *word_count,
                           struct ws_complaints *complaints)
{
    struct compiling compiling = {.complaints = complaints};
    uint32_t *words = NULL;
    char state[32];
    bool is_open = false;
    compiling.program = ws_probe_program_create(source, complaints);
    if (compiling.program == NULL || !ws_probe_can_compile(complaints) ||
        !ws_probe_candidates_list(compiling.program, &compiling.candidates, complaints))
        goto error;
    for (uint32_t i = 0; i < compiling.program->overload_count; i++)
        is_open = is_open || compiling.program->overloads[i].is_open;
    if (is_open && !ws_probe_candidates_try(compiling.program, &compiling.candidates, complaints))
        goto error;
    name_state(compiling.program, state);
    for (uint32_t lanes = 0; lanes < WS_PROBE_UNIT_COUNT; lanes++)
        if (!compile_unit(&compiling, lanes, state))
            goto error;
    if (!make_functions(&compiling)) {
        no_memory(&compiling);
        goto error;
    }
    make_rules(&compiling);
    check_outputs(&compiling);
    words = write_blob(&compiling, word_count);
error:
    for (uint32_t lanes = 0; lanes < WS_PROBE_UNIT_COUNT; lanes++)
        ws_probe_unit_finish(&compiling.units[lanes]);
    ws_probe_program_destroy(compiling.program);
    return words;
}
