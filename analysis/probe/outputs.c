/* Outputs: `output NAME: KIND …`. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/probe/declarations.h"
#include "passes/base/near.h"

/* The kinds, as they are written. */
static const struct kind {
    const char *name;
    uint32_t kind;
    const char *form; /* an example that stands for the syntax */
} kinds[] = {
    {"count", WS_YIELD_COUNT, "output bad: count"},
    {"sum", WS_YIELD_SUM, "output total: sum float"},
    {"min", WS_YIELD_MIN, "output least: min float"},
    {"max", WS_YIELD_MAX, "output most: max uint"},
    {"histogram", WS_YIELD_HISTOGRAM_LOG2, "output h: histogram log2, or histogram linear 0 1 20"},
    {"values", WS_YIELD_VALUES, "output v: values 10 int"},
    {"table", WS_YIELD_TABLE, "output t: table 1000 { uint key; int other; }"},
    {"record", WS_YIELD_RECORD, "output r: record { uint work; float value; }"},
    {"sample", WS_YIELD_SAMPLE, "output s: sample 4 { uint work; float value; }"},
    {"lanes", WS_YIELD_LANES, "output full: lanes"},
};
#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

#define TABLE_CAPACITY 1024 /* of a table that says none */

static const char *const field_types[WS_YIELD_TYPE_COUNT] = {"uint", "int", "float", "bool"};

/* What is read of one output. */
struct reading_output {
    struct ws_probe_output output;
    const struct kind *kind;
    struct ws_probe_field fields[WS_YIELD_FIELDS_MAX];
    bool has_place; /* per site, or per shader */
    bool has_fields;
};

static struct ws_token peek(const struct ws_reading *reading)
{
    return ws_scanner_peek(&reading->scanner);
}

static bool peek_is(const struct ws_reading *reading, const char *word)
{
    const struct ws_token token = peek(reading);
    return ws_token_is(reading->text, &token, word);
}

static bool take(struct ws_reading *reading, const char *word)
{
    if (!peek_is(reading, word))
        return false;
    ws_scanner_next(&reading->scanner);
    return true;
}

/* Complains at the next token. */
static bool complain_here(struct ws_reading *reading, const char *what, const struct kind *kind)
{
    const struct ws_token token = peek(reading);
    return ws_complain(reading->complaints, token.offset, token.length, "%s; for example `%s`", what,
                       kind->form);
}

static bool read_kind(struct ws_reading *reading, struct reading_output *output)
{
    const struct ws_token token = ws_scanner_next(&reading->scanner);
    const char *word = reading->text + token.offset;
    struct ws_near near = ws_near_begin(word, token.length);
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (ws_token_is(reading->text, &token, kinds[i].name)) {
            output->kind = &kinds[i];
            output->output.shape.kind = kinds[i].kind;
            return true;
        }
        ws_near_try(&near, kinds[i].name);
    }
    const int shown = (int)(token.length < 40 ? token.length : 40);
    if (token.kind != WS_TOKEN_WORD)
        return ws_complain(reading->complaints, token.offset, token.length,
                           "the kind of the output is missing; for example `output bad: count`");
    if (near.name != NULL)
        return ws_complain(reading->complaints, token.offset, token.length,
                           "'%.*s' is no kind of output; did you mean '%s'?", shown, word, near.name);
    return ws_complain(
        reading->complaints, token.offset, token.length,
        "'%.*s' is no kind of output; there are count, sum, min, max, histogram, values, table, record, "
        "sample, lanes",
        shown, word);
}

/* uint, int or float, if one is there. False for another word that is a type. */
static bool read_type(struct ws_reading *reading, struct reading_output *output, bool *found)
{
    const struct ws_token token = peek(reading);
    *found = false;
    for (uint32_t i = 0; i < WS_YIELD_BOOL; i++)
        if (ws_token_is(reading->text, &token, field_types[i])) {
            output->output.shape.type = i;
            *found = true;
            ws_scanner_next(&reading->scanner);
            return true;
        }
    if (token.kind == WS_TOKEN_WORD && !ws_token_is(reading->text, &token, "per"))
        return ws_complain(reading->complaints, token.offset, token.length,
                           "'%.*s' is no type of it; take uint, int or float",
                           (int)(token.length < 40 ? token.length : 40), reading->text + token.offset);
    return true;
}

/* A whole number from 1 to `most`, if a number is there. */
static bool read_count(struct ws_reading *reading, const char *what, uint32_t most, uint32_t *number,
                       bool *found)
{
    const struct ws_token token = peek(reading);
    *found = token.kind == WS_TOKEN_NUMBER;
    if (!*found)
        return true;
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(reading->text + token.offset, &end, 10);
    if (end != reading->text + token.offset + token.length || errno != 0 || value < 1 || value > most)
        return ws_complain(reading->complaints, token.offset, token.length,
                           "%s is a whole number from 1 to %u", what, most);
    ws_scanner_next(&reading->scanner);
    *number = (uint32_t)value;
    return true;
}

/* A limit of a linear histogram. */
static bool read_limit(struct ws_reading *reading, double *value, struct ws_part *part)
{
    part->offset = peek(reading).offset;
    const bool is_negative = take(reading, "-");
    const struct ws_token token = peek(reading);
    char *end = NULL;
    if (token.kind != WS_TOKEN_NUMBER)
        return complain_here(reading, "a linear histogram has two limits and a number of bins",
                             &(struct kind){.form = "histogram linear 0 1 20"});
    errno = 0;
    *value = strtod(reading->text + token.offset, &end);
    const size_t rest = (size_t)(reading->text + token.offset + token.length - end);
    if (end == reading->text + token.offset || rest > 1 || (rest == 1 && strchr("fFuU", *end) == NULL) ||
        !isfinite(*value))
        return ws_complain(reading->complaints, token.offset, token.length, "this is no number");
    ws_scanner_next(&reading->scanner);
    *value = is_negative ? -*value : *value;
    part->length = token.offset + token.length - part->offset;
    return true;
}

/* The bits of a limit. False where the type does not have the value. */
static bool limit_bits(uint32_t type, double value, uint32_t *bits)
{
    const float narrow = (float)value;
    if (type == WS_YIELD_FLOAT) {
        memcpy(bits, &narrow, sizeof(*bits));
        return isfinite(narrow) != 0;
    }
    if (value != floor(value) || (type == WS_YIELD_UINT && (value < 0 || value > UINT32_MAX)) ||
        (type == WS_YIELD_INT && (value < INT32_MIN || value > INT32_MAX)))
        return false;
    *bits = (uint32_t)(int64_t)value;
    return true;
}

static bool read_linear(struct ws_reading *reading, struct reading_output *output)
{
    double limits[2];
    struct ws_part parts[2];
    bool found = false;
    output->output.shape.kind = WS_YIELD_HISTOGRAM_LINEAR;
    if (!read_limit(reading, &limits[0], &parts[0]) || !read_limit(reading, &limits[1], &parts[1]) ||
        !read_count(reading, "the number of bins", WS_YIELD_BINS_MAX, &output->output.shape.size, &found))
        return false;
    if (!found)
        return complain_here(reading, "the number of bins is missing",
                             &(struct kind){.form = "histogram linear 0 1 20"});
    if (!read_type(reading, output, &found))
        return false;
    if (!found)
        output->output.shape.type = WS_YIELD_FLOAT;
    for (int i = 0; i < 2; i++)
        if (!limit_bits(output->output.shape.type, limits[i], &output->output.limits[i]))
            return ws_complain(reading->complaints, parts[i].offset, parts[i].length, "no %s has this value",
                               field_types[output->output.shape.type]);
    const struct ws_probe_output *made = &output->output;
    const size_t length = parts[1].offset + parts[1].length - parts[0].offset;
    if (!(limits[0] < limits[1]))
        return ws_complain(reading->complaints, parts[0].offset, length,
                           "the lower limit comes first, and is below the upper one");
    if (!ws_probe_limits_are_valid(&made->shape, made->limits))
        return ws_complain(
            reading->complaints, parts[0].offset, length,
            "the limits are too near to each other, or too far apart, for bins of 32-bit floats");
    return true;
}

static bool read_histogram(struct ws_reading *reading, struct reading_output *output)
{
    bool found = false;
    if (take(reading, "linear"))
        return read_linear(reading, output);
    if (!take(reading, "log2"))
        return complain_here(reading, "say which histogram: log2 or linear", output->kind);
    output->output.shape.type = WS_YIELD_UINT;
    return read_type(reading, output, &found);
}

static bool read_values(struct ws_reading *reading, struct reading_output *output)
{
    bool found = false;
    uint32_t shown = 0;
    if (!read_count(reading, "the number of values to show", WS_YIELD_CAPACITY_MAX / 4, &shown, &found))
        return false;
    if (!found)
        shown = 10;
    output->output.shown = shown;
    output->output.shape.size = ws_yield_values_capacity(shown);
    output->output.shape.field_count = 1;
    output->output.shape.type = WS_YIELD_UINT;
    return read_type(reading, output, &found);
}

static bool read_field(struct ws_reading *reading, struct reading_output *output, uint32_t most)
{
    const struct ws_token type = ws_scanner_next(&reading->scanner);
    const struct ws_token name = ws_scanner_next(&reading->scanner);
    const char *text = reading->text;
    uint32_t number = 0;
    while (number < WS_YIELD_TYPE_COUNT && !ws_token_is(text, &type, field_types[number]))
        number++;
    if (number == WS_YIELD_TYPE_COUNT)
        return ws_complain(
            reading->complaints, type.offset, type.length,
            "a field is uint, int, float or bool NAME; write a vector as its components: float x; float y;");
    if (name.kind != WS_TOKEN_WORD)
        return ws_complain(reading->complaints, name.offset, name.length, "the name of the field is missing");
    if (output->output.shape.field_count == most)
        return ws_complain(reading->complaints, name.offset, name.length, "%s %s has at most %u %s",
                           output->output.shape.kind == WS_YIELD_TABLE ? "a" : "a", output->kind->name, most,
                           output->output.shape.kind == WS_YIELD_TABLE ? "keys" : "fields");
    const char *copy = ws_reading_copy(reading, name.offset, name.length);
    if (copy == NULL)
        return false;
    for (uint32_t i = 0; i < output->output.shape.field_count; i++)
        if (strcmp(output->fields[i].name, copy) == 0)
            return ws_complain(reading->complaints, name.offset, name.length, "there is a field '%s' already",
                               copy);
    if (name.length > 63)
        return ws_complain(reading->complaints, name.offset, name.length, "a name has at most 63 letters");
    output->fields[output->output.shape.field_count++] = (struct ws_probe_field){copy, number};
    return true;
}

static bool read_fields(struct ws_reading *reading, struct reading_output *output)
{
    const uint32_t most =
        output->output.shape.kind == WS_YIELD_TABLE ? WS_YIELD_KEYS_MAX : WS_YIELD_FIELDS_MAX;
    const struct ws_token open = peek(reading);
    if (!take(reading, "{"))
        return complain_here(reading, "its fields are missing", output->kind);
    while (!take(reading, "}")) {
        if (take(reading, ";"))
            continue;
        if (peek(reading).kind == WS_TOKEN_END)
            return ws_complain(reading->complaints, open.offset, 1, "this '{' has no end");
        if (!read_field(reading, output, most))
            return false;
        if (!peek_is(reading, ";") && !peek_is(reading, "}"))
            return complain_here(reading, "a ';' is missing behind this field", output->kind);
    }
    if (output->output.shape.field_count == 0)
        return ws_complain(reading->complaints, open.offset, 1, "it has no field; for example `%s`",
                           output->kind->form);
    output->has_fields = true;
    return true;
}

static bool read_size_and_fields(struct ws_reading *reading, struct reading_output *output)
{
    struct ws_yield_shape *shape = &output->output.shape;
    bool found = false;
    const bool is_table = shape->kind == WS_YIELD_TABLE;
    if (shape->kind != WS_YIELD_RECORD &&
        !read_count(reading, is_table ? "the number of entries" : "the number of samples",
                    is_table ? WS_YIELD_CAPACITY_MAX : WS_YIELD_SAMPLES_MAX, &shape->size, &found))
        return false;
    if (shape->kind == WS_YIELD_SAMPLE && !found)
        return complain_here(reading, "the number of samples is missing", output->kind);
    if (is_table) {
        output->output.per_shader = true;
        const uint32_t room = ws_yield_values_capacity(found ? shape->size : TABLE_CAPACITY);
        shape->size = room < WS_YIELD_CAPACITY_MAX ? room : WS_YIELD_CAPACITY_MAX;
    }
    return read_fields(reading, output);
}

/* What follows the kind. */
static bool read_shape(struct ws_reading *reading, struct reading_output *output)
{
    bool found = false;
    switch (output->kind->kind) {
    case WS_YIELD_COUNT:
    case WS_YIELD_LANES: return true;
    case WS_YIELD_SUM:
    case WS_YIELD_MIN:
    case WS_YIELD_MAX:
        return read_type(reading, output, &found) &&
               (found || complain_here(reading, "its type is missing: uint, int or float", output->kind));
    case WS_YIELD_HISTOGRAM_LOG2: return read_histogram(reading, output);
    case WS_YIELD_VALUES: return read_values(reading, output);
    default: return read_size_and_fields(reading, output);
    }
}

static bool read_per(struct ws_reading *reading, struct reading_output *output)
{
    const struct ws_token per = peek(reading);
    if (!take(reading, "per"))
        return true;
    if (output->output.shape.kind == WS_YIELD_RECORD)
        return ws_complain(reading->complaints, per.offset, per.length,
                           "each record names its site; leave `per …` out");
    if (take(reading, "site"))
        output->output.per_shader = false;
    else if (take(reading, "shader"))
        output->output.per_shader = true;
    else
        return complain_here(reading, "say per what: per site or per shader", output->kind);
    return true;
}

static bool check_name(struct ws_reading *reading, const struct ws_token *name)
{
    const char *text = reading->text;
    const int shown = (int)(name->length < 40 ? name->length : 40);
    if (name->kind != WS_TOKEN_WORD)
        return ws_complain(reading->complaints, name->offset, name->length,
                           "the name of the output is missing; for example `output bad: count`");
    if (name->length > 63)
        return ws_complain(reading->complaints, name->offset, name->length, "a name has at most 63 letters");
    if (ws_glsl_is_reserved(text + name->offset, name->length))
        return ws_complain(reading->complaints, name->offset, name->length,
                           "'%.*s' is a word of GLSL; take another name", shown, text + name->offset);
    if (strncmp(text + name->offset, "ws_", 3) == 0 || strncmp(text + name->offset, "gl_", 3) == 0 ||
        strncmp(text + name->offset, "Ws", 2) == 0)
        return ws_complain(reading->complaints, name->offset, name->length,
                           "names that begin with ws_, Ws and gl_ are taken; take another one");
    for (size_t i = 0; ws_probe_words[i] != NULL; i++)
        if (ws_token_is(text, name, ws_probe_words[i]))
            return ws_complain(reading->complaints, name->offset, name->length,
                               "'%s' is a function of probes; take another name", ws_probe_words[i]);
    for (uint32_t i = 0; i < reading->program->output_count; i++)
        if (ws_token_is(text, name, reading->program->outputs[i].name))
            return ws_complain(reading->complaints, name->offset, name->length,
                               "there is an output '%s' already", reading->program->outputs[i].name);
    return true;
}

bool ws_add_output(struct ws_reading *reading, const struct ws_probe_output *output, struct ws_part part)
{
    struct ws_probe_program *program = reading->program;
    if (program->outputs == NULL) {
        program->outputs = ws_arena_allocate(program->arena, WS_PROBE_OUTPUTS_MAX, sizeof(*program->outputs));
        program->output_parts =
            ws_arena_allocate(program->arena, WS_PROBE_OUTPUTS_MAX, sizeof(*program->output_parts));
        if (program->outputs == NULL || program->output_parts == NULL)
            return ws_reading_no_memory(reading);
    }
    if (program->output_count == WS_PROBE_OUTPUTS_MAX)
        return ws_complain(reading->complaints, part.offset, part.length,
                           "a probe has at most %u outputs; make two probes", WS_PROBE_OUTPUTS_MAX);
    program->outputs[program->output_count] = *output;
    program->output_parts[program->output_count++] = part;
    return true;
}

bool ws_read_output(struct ws_reading *reading, bool ends)
{
    struct reading_output output = {.kind = &kinds[0]};
    const struct ws_token name = ws_scanner_next(&reading->scanner);
    if (!check_name(reading, &name))
        return false;
    if (!take(reading, ":"))
        return complain_here(reading, "a ':' is missing behind the name of the output", &kinds[0]);
    if (!read_kind(reading, &output) || !read_shape(reading, &output) || !read_per(reading, &output))
        return false;
    if (!take(reading, ";") && ends && !output.has_fields && peek(reading).kind != WS_TOKEN_END)
        return complain_here(reading, "a ';' is missing behind this output", output.kind);
    if (!ends && peek(reading).kind != WS_TOKEN_END)
        return complain_here(reading, "this does not belong to the output", output.kind);
    output.output.name = ws_reading_copy(reading, name.offset, name.length);
    if (output.output.name == NULL)
        return false;
    if (output.output.shape.field_count > 0) {
        const size_t count = output.output.shape.field_count;
        struct ws_probe_field *fields =
            ws_arena_allocate(reading->program->arena, count, sizeof(*output.output.fields));
        if (fields == NULL)
            return ws_reading_no_memory(reading);
        memcpy(fields, output.fields, count * sizeof(*fields));
        output.output.fields = output.output.shape.kind == WS_YIELD_VALUES ? NULL : fields;
    }
    return ws_add_output(reading, &output.output, (struct ws_part){name.offset, name.length});
}
