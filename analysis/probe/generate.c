/* The GLSL that is compiled of a probe. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/probe/generate.h"
#include "analysis/probe/tokens.h"

/* passes/primitives/probe.glsl, as scripts/embed_glsl.py makes it. */
extern const char ws_prelude_extensions[];
extern const char ws_prelude_text[];

static const char *const type_names[WS_YIELD_TYPE_COUNT] = {"uint", "int", "float", "bool"};

/* Names of the prelude that do not begin with ws_: a probe may have functions of these names. */
static const char *const hidden[] = {"control_block", "capacity",   "stream_words", "fits",
                                     "append",        "write_mask", "begin_data",   "NO_ROOM"};
static const char *const macros[] = {"COUNTS",    "HAS_ROOT", "PACKED", "MASK_WORDS",
                                     "PARAMETER", "STORE",    "DATA"};

const char *ws_probe_word_of(const struct ws_probe_output *output)
{
    switch (output->shape.kind) {
    case WS_YIELD_COUNT: return "count";
    case WS_YIELD_SUM:
    case WS_YIELD_TABLE: return "add";
    case WS_YIELD_RECORD: return "record";
    case WS_YIELD_SAMPLE: return "sample";
    case WS_YIELD_LANES: return "count_warp";
    default: return "value";
    }
}

/* Whether what yields to it takes one value. */
static bool takes_value(const struct ws_probe_output *output)
{
    return output->fields == NULL && output->shape.kind != WS_YIELD_COUNT &&
           output->shape.kind != WS_YIELD_LANES;
}

void ws_probe_call_of(const struct ws_probe_output *output, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s(%s", ws_probe_word_of(output), output->name);
    if (takes_value(output) && used < size)
        used += (size_t)snprintf(text + used, size - used, ", %s", type_names[output->shape.type]);
    for (uint32_t i = 0; output->fields != NULL && i < output->shape.field_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, ", %s %s", type_names[output->fields[i].type],
                                 output->fields[i].name);
    if (used < size)
        snprintf(text + used, size - used, ")");
}

bool ws_probe_needs_first(const struct ws_probe_program *program, const struct ws_probe_overload *overload)
{
    for (uint32_t i = 0; i < overload->rule_count; i++)
        if (program->rules[overload->rule_first + i].place == WS_PROBE_LOOP_BEGIN)
            return true;
    return false;
}

static bool has_kind(const struct ws_probe_program *program, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; i < program->output_count; i++)
        if (program->outputs[i].shape.kind >= first && program->outputs[i].shape.kind <= last)
            return true;
    return false;
}

/* The bits of a parameter of that type. */
static void write_bits(FILE *out, uint32_t type, const char *name)
{
    static const char *const forms[WS_YIELD_TYPE_COUNT] = {"%s", "uint(%s)", "floatBitsToUint(%s)",
                                                           "uint(%s)"};
    fprintf(out, forms[type], name); /* NOLINT: the formats are those above */
}

/* A limit of a histogram as a constant. */
static void write_limit(FILE *out, uint32_t type, uint32_t bits)
{
    static const char *const forms[] = {"0x%" PRIx32 "u", "int(0x%" PRIx32 "u)",
                                        "uintBitsToFloat(0x%" PRIx32 "u)"};
    fprintf(out, forms[type], bits); /* NOLINT */
}

static void write_linear(FILE *out, const struct ws_probe_output *output)
{
    fprintf(out, "ws_yield_linear(at, %" PRIu32 "u, ", output->shape.size);
    write_limit(out, output->shape.type, output->limits[0]);
    fputs(", ", out);
    write_limit(out, output->shape.type, output->limits[1]);
    if (output->shape.type == WS_YIELD_FLOAT) {
        uint32_t bits = 0;
        const float scale = ws_probe_linear_scale(output->shape.size, output->limits[0], output->limits[1]);
        memcpy(&bits, &scale, sizeof(bits));
        fputs(", ", out);
        write_limit(out, WS_YIELD_FLOAT, bits);
    }
    fputs(", x);", out);
}

/* Of the parameters f0, f1, …: at most four, as keys of a table. */
static void write_table(FILE *out, const struct ws_probe_output *output, const char *amount)
{
    fprintf(out, "ws_yield_table(at, %" PRIu32 "u, %" PRIu32 "u, uvec4(", ws_yield_slots(output->shape.size),
            output->shape.field_count);
    for (uint32_t i = 0; i < WS_YIELD_KEYS_MAX; i++) {
        char name[16] = "0u";
        if (i < output->shape.field_count && output->fields != NULL)
            snprintf(name, sizeof(name), "f%" PRIu32, i);
        else if (i == 0)
            snprintf(name, sizeof(name), "x");
        fputs(i > 0 ? ", " : "", out);
        if (i < output->shape.field_count)
            write_bits(out, output->fields != NULL ? output->fields[i].type : output->shape.type, name);
        else
            fputs("0u", out);
    }
    fprintf(out, "), %s);", amount);
}

static void write_fields(FILE *out, const struct ws_probe_output *output, uint32_t record)
{
    const uint32_t count = output->shape.field_count;
    if (output->shape.kind == WS_YIELD_RECORD)
        fprintf(out, "ws_data_%" PRIu32 "(ws_at_number + %" PRIu32 "u", count, 1 + record);
    else
        fprintf(out, "const uint place = ws_yield_sample(at, %" PRIu32 "u, %" PRIu32 "u);",
                output->shape.size, count);
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof(name), "f%" PRIu32, i);
        if (output->shape.kind == WS_YIELD_RECORD)
            fputs(", ", out);
        else
            fprintf(out, " ws_yield_field(place, %" PRIu32 "u, ", i);
        write_bits(out, output->fields[i].type, name);
        if (output->shape.kind != WS_YIELD_RECORD)
            fputs(");", out);
    }
    if (output->shape.kind == WS_YIELD_RECORD)
        fputs(");", out);
}

/* The parameters behind the output, each after a comma. */
static void write_parameters(FILE *out, const struct ws_probe_output *output, const char *separator,
                             bool has_amount)
{
    if (takes_value(output)) {
        fprintf(out, "%sconst %s x", separator, type_names[output->shape.type]);
        return;
    }
    for (uint32_t i = 0; output->fields != NULL && i < output->shape.field_count; i++) {
        fprintf(out, "%sconst %s f%" PRIu32, separator, type_names[output->fields[i].type], i);
        separator = ", ";
    }
    if (has_amount)
        fprintf(out, "%sconst uint amount", separator);
}

static void write_arguments(FILE *out, const struct ws_probe_output *output, bool has_amount)
{
    if (takes_value(output))
        fputs(", x", out);
    for (uint32_t i = 0; output->fields != NULL && i < output->shape.field_count; i++)
        fprintf(out, ", f%" PRIu32, i);
    if (has_amount)
        fputs(", amount", out);
}

static void write_body(FILE *out, const struct ws_probe_output *output, uint32_t record, bool has_amount)
{
    switch (output->shape.kind) {
    case WS_YIELD_COUNT: fputs("ws_yield_count(at);", out); break;
    case WS_YIELD_LANES: fputs("ws_yield_lanes(at);", out); break;
    case WS_YIELD_SUM: fputs("ws_yield_sum(at, x);", out); break;
    case WS_YIELD_MIN: fputs("ws_yield_min(at, x);", out); break;
    case WS_YIELD_MAX: fputs("ws_yield_max(at, x);", out); break;
    case WS_YIELD_HISTOGRAM_LINEAR: write_linear(out, output); break;
    case WS_YIELD_HISTOGRAM_LOG2: fputs("ws_yield_log2(at, x);", out); break;
    case WS_YIELD_VALUES:
    case WS_YIELD_TABLE: write_table(out, output, has_amount ? "amount" : "1u"); break;
    default: write_fields(out, output, record); break;
    }
}

/* Whether another output is yielded to by the same word: then the word needs the output's name. */
static bool is_only(const struct ws_probe_program *program, uint32_t index)
{
    const char *word = ws_probe_word_of(&program->outputs[index]);
    for (uint32_t i = 0; i < program->output_count; i++)
        if (i != index && strcmp(ws_probe_word_of(&program->outputs[i]), word) == 0)
            return false;
    return true;
}

static void write_output(FILE *out, const struct ws_probe_program *program, uint32_t index, uint32_t record)
{
    const struct ws_probe_output *output = &program->outputs[index];
    const struct ws_probe_layout layout = ws_probe_layout(program->outputs, program->output_count);
    const char *word = ws_probe_word_of(output);
    const char *name = program->has_implicit_output ? "ws_implicit" : output->name;
    fprintf(out, "struct " WS_PROBE_OUTPUT_TYPE "%" PRIu32 " { uint unused; };\n", index);
    fprintf(out, "const " WS_PROBE_OUTPUT_TYPE "%" PRIu32 " %s = " WS_PROBE_OUTPUT_TYPE "%" PRIu32 "(0u);\n",
            index, name, index);
    for (int has_amount = 0; has_amount <= (output->shape.kind == WS_YIELD_TABLE); has_amount++) {
        fprintf(out, "void " WS_PROBE_CALL_PREFIX "%s(const " WS_PROBE_OUTPUT_TYPE "%" PRIu32 " o", word,
                index);
        write_parameters(out, output, ", ", has_amount != 0);
        fprintf(out, ") { const uint at = %s + %" PRIu32 "u; ",
                output->per_shader ? "ws_at_shader" : "ws_at_site", layout.offsets[index]);
        write_body(out, output, record, has_amount != 0);
        fputs(" }\n", out);
        if (!is_only(program, index))
            continue;
        fprintf(out, "void " WS_PROBE_CALL_PREFIX "%s(", word);
        write_parameters(out, output, "", has_amount != 0);
        fprintf(out, ") { " WS_PROBE_CALL_PREFIX "%s(%s", word, name);
        write_arguments(out, output, has_amount != 0);
        fputs("); }\n", out);
    }
}

/* What every probe may call. */
static void write_functions(FILE *out, bool has_clock)
{
    fputs(
        "uvec2 ws_work_pixel;\nuint ws_at_site;\nuint ws_at_shader;\nuint ws_at_number;\nuint ws_at_line;\n",
        out);
    fputs(
        "uint ws_do_site() { return ws_at_number; }\n"
        "uint ws_do_line() { return ws_at_line; }\n"
        "uint ws_do_work() { return ws_work_id; }\n"
        "uvec2 ws_do_pixel() { return ws_work_pixel; }\n"
        "uint ws_do_warp() { return ws_warp(); }\n"
        "uint ws_do_lane() { return gl_SubgroupInvocationID; }\n"
        "uint ws_do_lanes() { return subgroupBallotBitCount(ws_lanes_here()); }\n"
        "uint ws_do_warp_size() { return gl_SubgroupSize; }\n"
        "bool ws_do_is_first() { return COUNTS && subgroupBallotExclusiveBitCount(ws_lanes_here()) == 0; }\n",
        out);
    if (has_clock)
        fputs("uint ws_do_clock() { return clock2x32ARB().x; }\n", out);
}

static bool is_call(const char *text, const struct ws_token *token, const struct ws_scanner *scanner)
{
    const struct ws_token next = ws_scanner_peek(scanner);
    if (token->kind != WS_TOKEN_WORD || !ws_token_is(text, &next, "("))
        return false;
    for (size_t i = 0; ws_probe_words[i] != NULL; i++)
        if (ws_token_is(text, token, ws_probe_words[i]))
            return strcmp(ws_probe_words[i], "main") != 0;
    return false;
}

/* Copies a part of the user's text, line for line. Calls of functions of probes get their prefix; #version and
 * #extension are left out. */
static void write_part(FILE *out, const char *text, size_t begin, size_t end, bool in_directive)
{
    struct ws_scanner scanner = ws_scanner_begin(text, begin, end);
    size_t copied = begin;
    scanner.line_has_token = in_directive;
    while (true) {
        const struct ws_token token = ws_scanner_next(&scanner);
        if (token.kind == WS_TOKEN_END || token.kind == WS_TOKEN_BROKEN)
            break;
        fwrite(text + copied, 1, token.offset - copied, out);
        copied = token.offset;
        if (token.kind == WS_TOKEN_DIRECTIVE) {
            const char *name = text + token.offset + 1 + strspn(text + token.offset + 1, " \t");
            if (strncmp(name, "version", 7) != 0 && strncmp(name, "extension", 9) != 0) {
                fputc('#', out);
                write_part(out, text, token.offset + 1, token.offset + token.length, true);
            }
            copied = token.offset + token.length;
        } else if (is_call(text, &token, &scanner)) {
            fputs(WS_PROBE_CALL_PREFIX, out);
        }
    }
    fwrite(text + copied, 1, end - copied, out);
}

static uint32_t line_of(const struct ws_probe_program *program, size_t offset)
{
    uint32_t line = 0;
    uint32_t column = 0;
    ws_probe_text_place(program->source, offset, &line, &column);
    return line;
}

/* The user's text. Of one line its declarations; its bodies stand in functions that are made. */
static void write_user(FILE *out, const struct ws_probe_program *program)
{
    const char *text = program->source->text;
    if (!program->source->is_one_line) {
        fprintf(out, "#line 1 %d\n", WS_PROBE_TEXT_USER);
        write_part(out, text, 0, strlen(text), false);
    }
    for (uint32_t i = 0; i < program->declaration_count; i++) {
        const struct ws_part *part = &program->declarations[i];
        fprintf(out, "#line %" PRIu32 " %d\n", line_of(program, part->offset), WS_PROBE_TEXT_USER);
        write_part(out, text, part->offset, part->offset + part->length, false);
        fputc('\n', out);
    }
    fputc('\n', out);
}

/* The function that a body of one line becomes. */
static void write_candidate(FILE *out, const struct ws_probe_program *program,
                            const struct ws_probe_candidate *candidate, uint32_t index)
{
    const struct ws_probe_overload *overload = &program->overloads[candidate->overload];
    const uint32_t line = line_of(program, overload->body.offset);
    fprintf(out, "#line %" PRIu32 " %" PRIu32 "\nvoid %s(", line, WS_PROBE_TEXT_BODY + index, overload->name);
    for (uint32_t i = 0; i < candidate->argument_count; i++) {
        const struct ws_probe_argument *argument = &candidate->arguments[i];
        const char *name =
            argument->parameter.binding == WS_PROBE_RESULT ? "result" : argument->parameter.name;
        fprintf(out, "%s%s %s", i > 0 ? ", " : "", argument->type, name);
    }
    fputs(") {\n", out);
    fprintf(out, "#line %" PRIu32 " %" PRIu32 "\n", line, WS_PROBE_TEXT_BODY + index);
    write_part(out, program->source->text, overload->body.offset,
               overload->body.offset + overload->body.length, true);
    fputs("\n}\n", out);
}

/* All that it names begins with ws_, as macros of the user stand above it. */
static void write_wrapper(FILE *out, const struct ws_probe_program *program,
                          const struct ws_probe_candidate *candidate, uint32_t index)
{
    const struct ws_probe_overload *overload = &program->overloads[candidate->overload];
    const bool first = ws_probe_needs_first(program, overload);
    fprintf(out,
            "void ws_probe_%" PRIu32
            "(const uint ws_site, const uint ws_shader, const uint ws_number, const uint ws_line%s",
            index, first ? ", const bool ws_first" : "");
    for (uint32_t i = 0; i < candidate->argument_count; i++)
        fprintf(out, ", const %s ws_a%" PRIu32, candidate->arguments[i].type, i);
    fputs(") { ws_at_site = ws_site; ws_at_shader = ws_shader; ws_at_number = ws_number; ws_at_line = "
          "ws_line; ",
          out);
    fprintf(out, "%s%s(", first ? "if (ws_first) " : "", overload->name);
    for (uint32_t i = 0; i < candidate->argument_count; i++)
        fprintf(out, "%sws_a%" PRIu32, i > 0 ? ", " : "", i);
    fputs("); }\n", out);
}

/* main() calls what is to stay in the module: the compiler leaves out the rest. It is never linked. */
static void write_main(FILE *out, const struct ws_probe_program *program,
                       const struct ws_probe_candidate *candidates, uint32_t candidate_count)
{
    fputs("void main() {\n", out);
    if (has_kind(program, WS_YIELD_COUNT, WS_YIELD_HISTOGRAM_LOG2))
        fputs("ws_add_wide_int32(uvec2(0u), 0u, 0u, 0u);\n", out);
    if (has_kind(program, WS_YIELD_MIN, WS_YIELD_MAX))
        fputs("ws_raise_int32(uvec2(0u), 0u, 0u);\n", out);
    for (uint32_t k = 0; k < candidate_count; k++) {
        const struct ws_probe_overload *overload = &program->overloads[candidates[k].overload];
        fprintf(out, "ws_probe_%" PRIu32 "(0u, 0u, 0u, 0u%s", k,
                ws_probe_needs_first(program, overload) ? ", true" : "");
        for (uint32_t i = 0; i < candidates[k].argument_count; i++)
            fprintf(out, ", %s(0)", candidates[k].arguments[i].type);
        fputs(");\n", out);
    }
    fputs("}\n", out);
}

static void write_prelude(FILE *out, const struct ws_probe_program *program, uint32_t lanes)
{
    static const char *const defines[WS_PROBE_UNIT_COUNT] = {"", "#define WS_LANES_FRAGMENT\n",
                                                             "#define WS_LANES_DEMOTE\n"};
    const bool has_clock = strstr(program->source->text, "clock") != NULL;
    uint32_t records = 0;
    fputs("#version 460\n", out);
    fputs(ws_prelude_extensions, out);
    if (has_clock)
        fputs("#extension GL_ARB_shader_clock : require\n", out);
    for (uint32_t i = 0; i < program->hoisted_count; i++) {
        const struct ws_part *part = &program->hoisted[i];
        fprintf(out, "#line %" PRIu32 " %d\n%.*s\n", line_of(program, part->offset), WS_PROBE_TEXT_USER,
                (int)part->length, program->source->text + part->offset);
    }
    fprintf(out, "#line 1 %d\n%s", WS_PROBE_TEXT_PRELUDE, defines[lanes]);
    if (has_kind(program, WS_YIELD_RECORD, WS_YIELD_RECORD))
        fputs("#define WS_PROBE_RECORDS\n", out);
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
        fprintf(out, "#define %s ws_%s\n", hidden[i], hidden[i]);
    fputs(ws_prelude_text, out);
    write_functions(out, has_clock);
    for (uint32_t i = 0; i < program->output_count; i++) {
        write_output(out, program, i, records);
        records += program->outputs[i].shape.kind == WS_YIELD_RECORD;
    }
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
        fprintf(out, "#undef %s\n", hidden[i]);
    for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++)
        fprintf(out, "#undef %s\n", macros[i]);
}

char *ws_probe_generate(const struct ws_probe_program *program, const struct ws_probe_candidate *candidates,
                        uint32_t candidate_count, uint32_t lanes, bool with_wrappers)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    write_prelude(out, program, lanes);
    write_user(out, program);
    for (uint32_t k = 0; k < candidate_count; k++)
        if (program->overloads[candidates[k].overload].body.length > 0)
            write_candidate(out, program, &candidates[k], k);
    fprintf(out, "#line 1 %d\n", WS_PROBE_TEXT_WRAPPER);
    for (uint32_t k = 0; k < candidate_count && with_wrappers; k++)
        write_wrapper(out, program, &candidates[k], k);
    if (with_wrappers)
        write_main(out, program, candidates, candidate_count);
    else
        fputs("void main() {}\n", out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
