/* Blobs: a probe as words, and back.
 *
 *   word 0     magic "WSPB"
 *   word 1     WS_PROBE_VERSION
 *   word 2     how many words follow word 4
 *   word 3, 4  FNV-1a (64 bits, low half first) of these words
 *   word 5..   the members of struct ws_probe in their order: numbers as words, texts as their length in bytes and then
 *              the bytes, padded with zeros to whole words, lists as their length and then their members */
#include "warpscope/probe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/probe/parts.h"
#include "warpscope/capture.h"
#include "warpscope/spirv/opcode.h"
#include "warpscope/stage.h"

#define MAGIC           WS_FOURCC('W', 'S', 'P', 'B')
#define HEADER_WORDS    5
#define WITHOUT_STORAGE 1 /* versions that are read, too (probe.h) */
#define OTHER_TABLES    2
#define TEXT_MAX        (1u << 20) /* bytes of a text */
#define RULES_MAX       256u
#define FUNCTIONS_MAX   4096u
#define OPCODES_MAX     4096u /* of a rule: more than there are */
#define UNIT_WORDS_MAX  (1u << 18)
#define WORDS_MAX       (1u << 22)

static uint64_t hash_words(const uint32_t *words, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        for (uint32_t shift = 0; shift < 32; shift += 8)
            hash = (hash ^ (words[i] >> shift & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

/* ---- what a probe must be ---- */

static bool is_name(const char *text)
{
    size_t length = 0;
    for (; text[length] != '\0'; length++) {
        const char c = text[length];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
              c == '-' || c == '.'))
            return false;
    }
    return length > 0 && length <= 128;
}

static bool check_outputs(const struct ws_probe *probe, struct ws_error *error)
{
    uint64_t words[2] = {0, 0};
    if (probe->output_count > WS_PROBE_OUTPUTS_MAX)
        return ws_error_set(error, "the probe has %" PRIu32 " outputs, at most %d are possible",
                            probe->output_count, WS_PROBE_OUTPUTS_MAX);
    for (uint32_t i = 0; i < probe->output_count; i++) {
        const struct ws_probe_output *output = &probe->outputs[i];
        const struct ws_yield_shape *shape = &output->shape;
        const bool has_fields =
            shape->kind == WS_YIELD_TABLE || shape->kind == WS_YIELD_RECORD || shape->kind == WS_YIELD_SAMPLE;
        if (!is_name(output->name) || !ws_yield_is_valid(shape) ||
            (shape->kind == WS_YIELD_HISTOGRAM_LINEAR && !ws_probe_limits_are_valid(shape, output->limits)))
            return ws_error_set(error, "output %" PRIu32 " of the probe is none that can be", i);
        for (uint32_t f = 0; f < shape->field_count && has_fields; f++)
            if (!is_name(output->fields[f].name) || output->fields[f].type >= WS_YIELD_TYPE_COUNT)
                return ws_error_set(error, "field %" PRIu32 " of output %s is none that can be", f,
                                    output->name);
        words[output->per_shader] += ws_yield_width(shape);
    }
    if (words[0] > WS_YIELD_WORDS_MAX || words[1] > WS_YIELD_WORDS_MAX)
        return ws_error_set(error, "the outputs of the probe need more than %u words", WS_YIELD_WORDS_MAX);
    return true;
}

static bool is_type(const struct ws_probe_type *type)
{
    const bool is_wide = type->width == 32 || type->width == 64;
    const bool is_sized = is_wide || type->width == 16 || (type->width == 8 && type->base != WS_PROBE_FLOAT);
    return type->base <= WS_PROBE_FLOAT && (type->base == WS_PROBE_BOOL ? type->width == 0 : is_sized) &&
           type->rows >= 1 && type->rows <= 4 && type->columns >= 1 && type->columns <= 4 &&
           (type->columns == 1 || (type->rows > 1 && type->base == WS_PROBE_FLOAT));
}

/* Whether the binding can have this type. */
static bool fits_binding(const struct ws_probe_parameter *parameter)
{
    const struct ws_probe_type *type = &parameter->type;
    const bool is_single = type->rows == 1 && type->columns == 1;
    const bool is_uint = type->base == WS_PROBE_UINT;
    switch ((enum ws_probe_binding)parameter->binding) {
    case WS_PROBE_AT:
    case WS_PROBE_SHARED:
    case WS_PROBE_SITE:
    case WS_PROBE_LINE: return is_single && is_uint && type->width == 32;
    case WS_PROBE_FIRST: return is_single && type->base == WS_PROBE_BOOL;
    case WS_PROBE_RESULT:
    case WS_PROBE_OPERAND: return true;
    case WS_PROBE_ADDRESS:
        return is_uint && type->columns == 1 &&
               ((type->width == 64 && type->rows == 1) || (type->width == 32 && type->rows == 2));
    default: return false;
    }
}

static bool check_functions(const struct ws_probe *probe, struct ws_error *error)
{
    for (uint32_t i = 0; i < probe->function_count; i++) {
        const struct ws_probe_function *function = &probe->functions[i];
        if (!is_name(function->export_name) || function->parameter_count > WS_PROBE_PARAMETERS_MAX)
            return ws_error_set(error, "function %" PRIu32 " of the probe is none that can be called", i);
        if (probe->output_count < 32 && function->outputs >> probe->output_count != 0)
            return ws_error_set(error, "function %s yields to an output that the probe has not",
                                function->export_name);
        for (uint32_t p = 0; p < function->parameter_count; p++)
            if (!is_type(&function->parameters[p].type) || !fits_binding(&function->parameters[p]))
                return ws_error_set(error, "parameter %" PRIu32 " of function %s is none that can be passed",
                                    p, function->export_name);
    }
    return true;
}

static bool has_first(const struct ws_probe_function *function)
{
    for (uint32_t p = 0; p < function->parameter_count; p++)
        if (function->parameters[p].binding == WS_PROBE_FIRST)
            return true;
    return false;
}

/* Whether code can stand before or after instructions with this opcode. */
static bool is_place(uint32_t opcode)
{
    const bool is_core = opcode <= SpvOpPtrDiff;
    switch ((SpvOp)opcode) {
    case SpvOpLabel:
    case SpvOpPhi:
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpFunctionEnd:
    case SpvOpNop:
    case SpvOpUndef: return false;
    default: break;
    }
    if (ws_opcode_is_variable((uint16_t)opcode) || ws_opcode_is_line((uint16_t)opcode) ||
        ws_opcode_is_merge((uint16_t)opcode))
        return false;
    return !is_core || ws_opcode_section((uint16_t)opcode) == WS_SECTION_FUNCTION ||
           ws_opcode_section((uint16_t)opcode) == WS_SECTION_COUNT;
}

static bool check_rules(const struct ws_probe *probe, struct ws_error *error)
{
    for (uint32_t i = 0; i < probe->rule_count; i++) {
        const struct ws_probe_rule *rule = &probe->rules[i];
        const bool by_opcode = rule->place == WS_PROBE_BEFORE || rule->place == WS_PROBE_AFTER;
        if (rule->place >= WS_PROBE_PLACE_COUNT || by_opcode != (rule->opcode_count != 0) ||
            rule->opcode_count > OPCODES_MAX || (rule->stages & ~WS_STAGES_ALL) != 0 ||
            rule->line_first > rule->line_last || rule->storage >> WS_PROBE_STORAGE_COUNT != 0 ||
            (!by_opcode && rule->storage != 0))
            return ws_error_set(error, "rule %" PRIu32 " of the probe is none that can be", i);
        if (rule->function_count == 0 || rule->function_first >= probe->function_count ||
            rule->function_count > probe->function_count - rule->function_first)
            return ws_error_set(error, "rule %" PRIu32 " of the probe calls functions that it has not", i);
        for (uint32_t o = 0; o < rule->opcode_count; o++)
            if (!is_place(WS_PROBE_OPCODE_OF(rule->opcodes[o])))
                return ws_error_set(error,
                                    "rule %" PRIu32 " of the probe is at an opcode that opens a block, "
                                    "merges or is no code",
                                    i);
        for (uint32_t f = 0; f < rule->function_count && rule->place == WS_PROBE_LOOP_BEGIN; f++)
            if (!has_first(&probe->functions[rule->function_first + f]))
                return ws_error_set(error,
                                    "rule %" PRIu32 " of the probe is at the begin of loops, and its "
                                    "function does not take whether to be called",
                                    i);
    }
    return true;
}

static bool check(const struct ws_probe *probe, struct ws_error *error)
{
    if (!is_name(probe->name))
        return ws_error_set(error, "the name of a probe is made of letters, digits, _, - and .");
    if (probe->rule_count == 0 || probe->rule_count > RULES_MAX || probe->function_count > FUNCTIONS_MAX)
        return ws_error_set(error, "the probe has no rule, or too many rules or functions");
    return check_outputs(probe, error) && check_functions(probe, error) && check_rules(probe, error);
}

/* ---- reading ---- */

struct reader {
    struct ws_arena *arena;
    const uint32_t *words;
    size_t count;
    size_t at;
    bool has_storage; /* rules have it */
    bool failed;      /* the words end too early, or there is no memory */
};

static uint32_t read_word(struct reader *reader)
{
    if (reader->at >= reader->count) {
        reader->failed = true;
        return 0;
    }
    return reader->words[reader->at++];
}

static const char *read_text(struct reader *reader)
{
    const uint32_t length = read_word(reader);
    const size_t words = ((size_t)length + 3) / 4;
    char *text = NULL;
    if (length == 0)
        return "";
    if (!reader->failed && length <= TEXT_MAX && words <= reader->count - reader->at)
        text = ws_arena_allocate(reader->arena, (size_t)length + 1, 1);
    if (text == NULL) {
        reader->failed = true;
        return "";
    }
    for (uint32_t i = 0; i < length; i++) {
        text[i] = (char)(reader->words[reader->at + i / 4] >> (i % 4 * 8) & 0xff);
        reader->failed |= text[i] == '\0';
    }
    reader->at += words;
    return text;
}

/* How many words a member of a list has at least: no blob can ask for many times its own size. */
#define OUTPUT_WORDS    10
#define FIELD_WORDS     2
#define RULE_WORDS      11
#define FUNCTION_WORDS  5
#define PARAMETER_WORDS 6

/* Room for a list whose length comes next, of members of `size` bytes, which have so many words at least. */
static void *read_list(struct reader *reader, uint32_t *count, size_t size, size_t least_words)
{
    *count = read_word(reader);
    void *list = reader->failed || *count > (reader->count - reader->at) / least_words
                     ? NULL
                     : ws_arena_allocate(reader->arena, *count, size);
    if (list == NULL) {
        reader->failed = true;
        *count = 0;
    }
    return list;
}

static const uint32_t *read_words(struct reader *reader, uint32_t *count)
{
    uint32_t *words = read_list(reader, count, sizeof(*words), 1);
    for (uint32_t i = 0; i < *count; i++)
        words[i] = read_word(reader);
    return words;
}

static void read_output(struct reader *reader, struct ws_probe_output *output)
{
    uint32_t count = 0;
    output->name = read_text(reader);
    output->shape.kind = read_word(reader);
    output->shape.type = read_word(reader);
    output->shape.size = read_word(reader);
    output->shape.field_count = read_word(reader);
    output->per_shader = read_word(reader) != 0;
    output->shown = read_word(reader);
    output->limits[0] = read_word(reader);
    output->limits[1] = read_word(reader);
    struct ws_probe_field *fields = read_list(reader, &count, sizeof(*fields), FIELD_WORDS);
    for (uint32_t i = 0; i < count; i++) {
        fields[i].name = read_text(reader);
        fields[i].type = read_word(reader);
    }
    output->fields = count == 0 ? NULL : fields;
    const uint32_t kind = output->shape.kind;
    const bool has_fields = kind == WS_YIELD_TABLE || kind == WS_YIELD_RECORD || kind == WS_YIELD_SAMPLE;
    reader->failed |= count != (has_fields ? output->shape.field_count : 0);
}

static void read_rule(struct reader *reader, struct ws_probe_rule *rule)
{
    rule->place = read_word(reader);
    rule->opcodes = read_words(reader, &rule->opcode_count);
    rule->stages = read_word(reader);
    rule->shader = read_text(reader);
    rule->function = read_text(reader);
    rule->file = read_text(reader);
    rule->line_first = read_word(reader);
    rule->line_last = read_word(reader);
    rule->function_first = read_word(reader);
    rule->function_count = read_word(reader);
    rule->source_line = read_word(reader);
    rule->storage = reader->has_storage ? read_word(reader) : 0;
}

static void read_function(struct reader *reader, struct ws_probe_function *function)
{
    function->export_name = read_text(reader);
    function->label = read_text(reader);
    function->line = read_word(reader);
    function->outputs = read_word(reader);
    struct ws_probe_parameter *parameters =
        read_list(reader, &function->parameter_count, sizeof(*parameters), PARAMETER_WORDS);
    for (uint32_t i = 0; i < function->parameter_count && !reader->failed; i++) {
        parameters[i].binding = read_word(reader);
        parameters[i].type.base = read_word(reader);
        parameters[i].type.width = read_word(reader);
        parameters[i].type.rows = read_word(reader);
        parameters[i].type.columns = read_word(reader);
        parameters[i].name = read_text(reader);
    }
    function->parameters = parameters;
}

static void read_probe(struct reader *reader, struct ws_probe *probe)
{
    probe->name = read_text(reader);
    probe->source = read_text(reader);
    struct ws_probe_output *outputs = read_list(reader, &probe->output_count, sizeof(*outputs), OUTPUT_WORDS);
    for (uint32_t i = 0; i < probe->output_count && !reader->failed; i++)
        read_output(reader, &outputs[i]);
    struct ws_probe_rule *rules = read_list(reader, &probe->rule_count, sizeof(*rules), RULE_WORDS);
    for (uint32_t i = 0; i < probe->rule_count && !reader->failed; i++)
        read_rule(reader, &rules[i]);
    struct ws_probe_function *functions =
        read_list(reader, &probe->function_count, sizeof(*functions), FUNCTION_WORDS);
    for (uint32_t i = 0; i < probe->function_count && !reader->failed; i++)
        read_function(reader, &functions[i]);
    for (uint32_t i = 0; i < WS_PROBE_UNIT_COUNT; i++) {
        probe->units[i].words = read_words(reader, &probe->units[i].word_count);
        reader->failed |= probe->units[i].word_count > UNIT_WORDS_MAX;
    }
    probe->flags = read_word(reader);
    probe->outputs = outputs;
    probe->rules = rules;
    probe->functions = functions;
}

static bool check_header(const uint32_t *words, size_t count, struct ws_error *error)
{
    if (count < HEADER_WORDS || words[0] != MAGIC)
        return ws_error_set(error, "this is no compiled probe");
    if (words[1] < WITHOUT_STORAGE || words[1] > WS_PROBE_VERSION)
        return ws_error_set(error,
                            "the probe is compiled for version %" PRIu32 " of probes, this is version %d: "
                            "compile it anew",
                            words[1], WS_PROBE_VERSION);
    const uint64_t hash = words[3] | (uint64_t)words[4] << 32;
    if (count > WORDS_MAX || words[2] != count - HEADER_WORDS ||
        hash != hash_words(words + HEADER_WORDS, count - HEADER_WORDS))
        return ws_error_set(error, "the compiled probe is damaged: compile it anew");
    return true;
}

/* Whether the units write, and a capture holds, what yields.h says. */
static bool check_tables(const struct ws_probe *probe, uint32_t version, struct ws_error *error)
{
    for (uint32_t i = 0; i < probe->output_count && version <= OTHER_TABLES; i++)
        if (probe->outputs[i].shape.kind == WS_YIELD_VALUES || probe->outputs[i].shape.kind == WS_YIELD_TABLE)
            return ws_error_set(error,
                                "the probe is compiled for version %" PRIu32
                                " of probes, in which values and "
                                "tables lie otherwise in memory: compile it anew, and record anew",
                                version);
    return true;
}

struct ws_probe *ws_probe_read(const uint32_t *words, size_t word_count, struct ws_error *error)
{
    struct ws_probe *probe = NULL;
    if (!check_header(words, word_count, error))
        return NULL;
    struct ws_arena *arena = ws_arena_create();
    if (arena != NULL)
        probe = ws_arena_allocate(arena, 1, sizeof(*probe));
    if (probe != NULL)
        probe->parts = ws_arena_allocate(arena, 1, sizeof(*probe->parts));
    if (probe == NULL || probe->parts == NULL) {
        ws_error_set(error, "out of memory for a probe");
        goto error;
    }
    probe->parts->arena = arena;
    struct reader reader = {.arena = arena,
                            .words = words + HEADER_WORDS,
                            .count = word_count - HEADER_WORDS,
                            .has_storage = words[1] != WITHOUT_STORAGE};
    read_probe(&reader, probe);
    if (reader.failed || reader.at != reader.count) {
        ws_error_set(error, "the compiled probe is damaged, or there is no memory for it");
        goto error;
    }
    if (!check_tables(probe, words[1], error) || !check(probe, error))
        goto error;
    for (uint32_t kind = 0; kind < WS_PROBE_UNIT_COUNT; kind++)
        if (!ws_probe_read_unit(probe, probe->parts, (enum ws_probe_unit_kind)kind, error))
            goto error;
    return probe;

error:
    ws_arena_destroy(arena);
    return NULL;
}

void ws_probe_destroy(struct ws_probe *probe)
{
    if (probe != NULL)
        ws_arena_destroy(probe->parts->arena); /* which holds the struct too */
}

/* ---- writing ---- */

struct writer {
    uint32_t *words;
    size_t count;
    size_t capacity;
    bool failed;
};

static void write_word(struct writer *writer, uint32_t word)
{
    if (writer->count == writer->capacity && !writer->failed) {
        const size_t capacity = writer->capacity == 0 ? 1024 : 2 * writer->capacity;
        uint32_t *words = realloc(writer->words, capacity * sizeof(*words));
        writer->failed = words == NULL;
        writer->words = words != NULL ? words : writer->words;
        writer->capacity = words != NULL ? capacity : writer->capacity;
    }
    if (!writer->failed)
        writer->words[writer->count++] = word;
}

static void write_text(struct writer *writer, const char *text)
{
    const size_t length = strlen(text);
    write_word(writer, (uint32_t)length);
    for (size_t i = 0; i < length; i += 4) {
        uint32_t word = 0;
        for (size_t j = 0; j < 4 && i + j < length; j++)
            word |= (uint32_t)(unsigned char)text[i + j] << (8 * j);
        write_word(writer, word);
    }
}

static void write_words(struct writer *writer, const uint32_t *words, uint32_t count)
{
    write_word(writer, count);
    for (uint32_t i = 0; i < count; i++)
        write_word(writer, words[i]);
}

static void write_output(struct writer *writer, const struct ws_probe_output *output)
{
    const uint32_t field_count = output->fields == NULL ? 0 : output->shape.field_count;
    write_text(writer, output->name);
    write_word(writer, output->shape.kind);
    write_word(writer, output->shape.type);
    write_word(writer, output->shape.size);
    write_word(writer, output->shape.field_count);
    write_word(writer, output->per_shader);
    write_word(writer, output->shown);
    write_word(writer, output->limits[0]);
    write_word(writer, output->limits[1]);
    write_word(writer, field_count);
    for (uint32_t i = 0; i < field_count; i++) {
        write_text(writer, output->fields[i].name);
        write_word(writer, output->fields[i].type);
    }
}

static void write_rule(struct writer *writer, const struct ws_probe_rule *rule)
{
    write_word(writer, rule->place);
    write_words(writer, rule->opcodes, rule->opcode_count);
    write_word(writer, rule->stages);
    write_text(writer, rule->shader);
    write_text(writer, rule->function);
    write_text(writer, rule->file);
    write_word(writer, rule->line_first);
    write_word(writer, rule->line_last);
    write_word(writer, rule->function_first);
    write_word(writer, rule->function_count);
    write_word(writer, rule->source_line);
    write_word(writer, rule->storage);
}

static void write_function(struct writer *writer, const struct ws_probe_function *function)
{
    write_text(writer, function->export_name);
    write_text(writer, function->label);
    write_word(writer, function->line);
    write_word(writer, function->outputs);
    write_word(writer, function->parameter_count);
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct ws_probe_parameter *parameter = &function->parameters[i];
        write_word(writer, parameter->binding);
        write_word(writer, parameter->type.base);
        write_word(writer, parameter->type.width);
        write_word(writer, parameter->type.rows);
        write_word(writer, parameter->type.columns);
        write_text(writer, parameter->name);
    }
}

static void write_probe(struct writer *writer, const struct ws_probe *probe)
{
    write_text(writer, probe->name);
    write_text(writer, probe->source);
    write_word(writer, probe->output_count);
    for (uint32_t i = 0; i < probe->output_count; i++)
        write_output(writer, &probe->outputs[i]);
    write_word(writer, probe->rule_count);
    for (uint32_t i = 0; i < probe->rule_count; i++)
        write_rule(writer, &probe->rules[i]);
    write_word(writer, probe->function_count);
    for (uint32_t i = 0; i < probe->function_count; i++)
        write_function(writer, &probe->functions[i]);
    for (uint32_t i = 0; i < WS_PROBE_UNIT_COUNT; i++)
        write_words(writer, probe->units[i].words, probe->units[i].word_count);
    write_word(writer, probe->flags);
}

uint32_t *ws_probe_write(const struct ws_probe *probe, size_t *word_count, struct ws_error *error)
{
    struct writer writer = {0};
    for (uint32_t i = 0; i < HEADER_WORDS; i++)
        write_word(&writer, 0);
    write_probe(&writer, probe);
    if (writer.failed) {
        ws_error_set(error, "out of memory to write a probe");
        goto error;
    }
    const uint64_t hash = hash_words(writer.words + HEADER_WORDS, writer.count - HEADER_WORDS);
    writer.words[0] = MAGIC;
    writer.words[1] = WS_PROBE_VERSION;
    writer.words[2] = (uint32_t)(writer.count - HEADER_WORDS);
    writer.words[3] = (uint32_t)hash;
    writer.words[4] = (uint32_t)(hash >> 32);
    struct ws_probe *read = ws_probe_read(writer.words, writer.count, error);
    if (read == NULL)
        goto error;
    ws_probe_destroy(read);
    *word_count = writer.count;
    return writer.words;

error:
    free(writer.words);
    return NULL;
}
