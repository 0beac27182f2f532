/* The functions that are called at places, and their parameters. */
#include <stdio.h>
#include <string.h>

#include "analysis/code/opcodes.h"
#include "analysis/probe/declarations.h"
#include "passes/base/near.h"
#include "passes/spirv/operand_names.h"
#include "warpscope/spirv/code.h"

#define WRAPPER_PARAMETERS 5 /* at, shared, site, line, first: those of wrappers stand before the user's */
#define ARGUMENTS_MAX      (WS_PROBE_PARAMETERS_MAX - WRAPPER_PARAMETERS)

static bool has_operands(const struct ws_probe_rule *rule)
{
    return rule->place == WS_PROBE_BEFORE || rule->place == WS_PROBE_AFTER;
}

static const char *layout_of(uint32_t wanted)
{
    const uint32_t extended = WS_PROBE_EXTENDED_OF(wanted);
    return extended != 0 ? ws_extended_layout(extended - 1) : ws_opcode_layout(WS_PROBE_OPCODE_OF(wanted));
}

static bool has_pointer(uint32_t opcode)
{
    return ws_operand_is_known(opcode, WS_NONE, "pointer") || ws_operand_is_known(opcode, WS_NONE, "base");
}

static bool is_known(uint32_t wanted, const char *name)
{
    const uint32_t extended = WS_PROBE_EXTENDED_OF(wanted);
    const uint32_t number = extended != 0 ? extended - 1 : WS_NONE;
    return ws_operand_is_known(WS_PROBE_OPCODE_OF(wanted), number, name) ||
           (ws_probe_is_of_variable(name) && extended == 0 && has_pointer(WS_PROBE_OPCODE_OF(wanted)));
}

static bool rule_knows(const struct ws_probe_rule *rule, const char *name)
{
    for (uint32_t i = 0; i < rule->opcode_count; i++)
        if (is_known(rule->opcodes[i], name))
            return true;
    return false;
}

/* The names of a rule's operands as a list for people: "operand_1, operand_2". */
static void list_operands(const struct ws_probe_rule *rule, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (uint32_t i = 0; i < rule->opcode_count && i < 4; i++) {
        const char *layout = layout_of(rule->opcodes[i]);
        for (const char *at = layout != NULL ? layout : ""; *at != '\0';) {
            const size_t length = strcspn(at, ",");
            const size_t mark = strspn(at, "=*@");
            const int part = (int)(length - mark);
            char name[64];
            snprintf(name, sizeof(name), "%.*s", part, at + mark);
            const size_t name_length = strlen(name);
            bool is_new = name_length > 0 && used + name_length + 3 < size;
            for (const char *old = strstr(list, name); is_new && old != NULL; old = strstr(old + 1, name))
                is_new =
                    (old[name_length] != ',' && old[name_length] != '\0') || (old != list && old[-1] != ' ');
            if (is_new)
                used += (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
            at += length + (at[length] == ',');
        }
    }
    if (rule->place == WS_PROBE_AFTER)
        snprintf(list + used, size - used, "%sresult", used > 0 ? ", " : "");
}

/* Tries each name of the list. */
static bool complain_of_operand(struct ws_reading *reading, const struct ws_probe_rule *rule,
                                const char *name, const struct ws_part *part)
{
    char list[512];
    char copy[512];
    list_operands(rule, list, sizeof(list));
    memcpy(copy, list, sizeof(copy));
    struct ws_near near = ws_near_begin(name, strlen(name));
    char *rest = NULL;
    for (char *word = strtok_r(copy, ", ", &rest); word != NULL; word = strtok_r(NULL, ", ", &rest))
        ws_near_try(&near, word);
    if (near.name != NULL)
        return ws_complain(reading->complaints, part->offset, part->length,
                           "no instruction of this place has an operand '%s'; did you mean '%s'?", name,
                           near.name);
    return ws_complain(reading->complaints, part->offset, part->length,
                       "no instruction of this place has an operand '%s'; it has: %s", name,
                       list[0] != '\0' ? list : "none");
}

/* Finds what is behind a parameter's name, for each rule of the function. */
static bool bind(struct ws_reading *reading, struct ws_probe_argument *argument, uint32_t rule_first,
                 uint32_t rule_count)
{
    struct ws_probe_parameter *parameter = &argument->parameter;
    const char *name = parameter->name;
    const struct ws_part *part = &argument->part;
    const bool is_result = strcmp(name, "result") == 0;
    bool found = false;
    const struct ws_probe_rule *rules = &reading->program->rules[rule_first];
    for (uint32_t i = 0; i < rule_count; i++) {
        if (!has_operands(&rules[i]))
            return ws_complain(
                reading->complaints, part->offset, part->length,
                "no instruction stands at this place, so there are no operands; leave '%s' out", name);
        if (is_result && rules[i].place == WS_PROBE_BEFORE)
            return ws_complain(reading->complaints, part->offset, part->length,
                               "before an instruction there is no result yet; write `after`");
        found = found || is_result || rule_knows(&rules[i], name);
    }
    if (!found)
        return complain_of_operand(reading, rules, name, part);
    parameter->binding = is_result ? WS_PROBE_RESULT : WS_PROBE_OPERAND;
    if (strcmp(name, "pointer") == 0) {
        const struct ws_probe_type *type = &parameter->type;
        if (type->base != WS_PROBE_UINT || type->rows * type->width != 64)
            return ws_complain(reading->complaints, part->offset, part->length,
                               "a pointer is an address: write `uvec2 pointer` or `uint64_t pointer`");
        parameter->binding = WS_PROBE_ADDRESS;
    }
    if (is_result)
        parameter->name = "";
    return true;
}

static bool complain_of_type(struct ws_reading *reading, const struct ws_token *token, const char *name)
{
    static const char *const some[] = {"float",    "int",   "uint",  "bool",  "double", "int64_t",
                                       "uint64_t", "vec2",  "vec3",  "vec4",  "ivec2",  "ivec3",
                                       "ivec4",    "uvec2", "uvec3", "uvec4", "mat3",   "mat4"};
    struct ws_near near = ws_near_begin(name, strlen(name));
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
        ws_near_try(&near, some[i]);
    if (strstr(name, "image") != NULL || strstr(name, "sampler") != NULL || strstr(name, "texture") != NULL ||
        strcmp(name, "rayQueryEXT") == 0 || strcmp(name, "accelerationStructureEXT") == 0)
        return ws_complain(reading->complaints, token->offset, token->length,
                           "'%s' cannot be handed to a probe; numbers, vectors and matrices can", name);
    if (near.name != NULL)
        return ws_complain(reading->complaints, token->offset, token->length,
                           "no parameter can have the type '%s'; did you mean '%s'?", name, near.name);
    return ws_complain(
        reading->complaints, token->offset, token->length,
        "no parameter can have the type '%s'; numbers, vectors and matrices can: float, ivec3, mat4", name);
}

/* TYPE NAME, with words before that change nothing. */
static bool read_argument(struct ws_reading *reading, struct ws_scanner *scanner,
                          struct ws_probe_argument *argument)
{
    static const char *const skipped[] = {"const", "in", "highp", "mediump", "lowp", "precise"};
    const char *text = reading->text;
    struct ws_token token = ws_scanner_next(scanner);
    for (size_t i = 0; i < sizeof(skipped) / sizeof(skipped[0]); i++)
        if (ws_token_is(text, &token, skipped[i])) {
            token = ws_scanner_next(scanner);
            i = (size_t)-1;
        }
    if (ws_token_is(text, &token, "out") || ws_token_is(text, &token, "inout"))
        return ws_complain(reading->complaints, token.offset, token.length,
                           "a probe changes nothing in the program: parameters are read only");
    if (token.kind != WS_TOKEN_WORD)
        return ws_complain(reading->complaints, token.offset, token.length,
                           "a parameter is TYPE NAME, as in `float result`");
    const char *type = ws_reading_copy(reading, token.offset, token.length);
    if (type == NULL)
        return false;
    argument->type = type;
    const struct ws_token name = ws_scanner_next(scanner);
    if (!ws_probe_type_find(type, &argument->parameter.type))
        return complain_of_type(reading, &token, type);
    if (name.kind != WS_TOKEN_WORD)
        return ws_complain(reading->complaints, token.offset, token.length,
                           "the parameter needs a name, which says what it receives: `%s result`", type);
    argument->part = (struct ws_part){name.offset, name.length};
    argument->parameter.name = ws_reading_copy(reading, name.offset, name.length);
    if (argument->parameter.name == NULL)
        return false;
    if (ws_glsl_is_reserved(text + name.offset, name.length))
        return ws_complain(reading->complaints, name.offset, name.length,
                           "'%s' is a word of GLSL, and no name", argument->parameter.name);
    const struct ws_token next = ws_scanner_next(scanner);
    if (ws_token_is(text, &next, "["))
        return ws_complain(reading->complaints, next.offset, 1, "an array cannot be handed to a probe");
    if (next.kind != WS_TOKEN_END && !ws_token_is(text, &next, ","))
        return ws_complain(reading->complaints, next.offset, next.length,
                           "a ',' or the ')' is missing before this");
    const struct ws_token after = ws_scanner_peek(scanner);
    if (next.kind != WS_TOKEN_END && after.kind == WS_TOKEN_END)
        return ws_complain(reading->complaints, next.offset, 1, "a parameter is missing behind this ','");
    return true;
}

static bool read_arguments(struct ws_reading *reading, struct ws_scanner scanner,
                           struct ws_probe_overload *overload)
{
    struct ws_probe_argument arguments[ARGUMENTS_MAX];
    uint32_t count = 0;
    struct ws_token first = ws_scanner_peek(&scanner);
    if (ws_token_is(reading->text, &first, "void"))
        ws_scanner_next(&scanner);
    for (; ws_scanner_peek(&scanner).kind != WS_TOKEN_END; count++) {
        if (count == ARGUMENTS_MAX)
            return ws_complain(reading->complaints, ws_scanner_peek(&scanner).offset, 0,
                               "a function has at most %d parameters", ARGUMENTS_MAX);
        arguments[count] = (struct ws_probe_argument){0};
        if (!read_argument(reading, &scanner, &arguments[count]) ||
            !bind(reading, &arguments[count], overload->rule_first, overload->rule_count))
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (arguments[i].parameter.binding == arguments[count].parameter.binding &&
                strcmp(arguments[i].parameter.name, arguments[count].parameter.name) == 0)
                return ws_complain(reading->complaints, arguments[count].part.offset,
                                   arguments[count].part.length, "there is a parameter of this name already");
    }
    struct ws_probe_argument *kept =
        ws_arena_allocate(reading->program->arena, count, sizeof(struct ws_probe_argument));
    if (kept == NULL)
        return ws_reading_no_memory(reading);
    memcpy(kept, arguments, count * sizeof(*kept));
    overload->arguments = kept;
    overload->argument_count = count;
    return true;
}

/* The head on one line, with one blank between words. */
static const char *make_label(struct ws_reading *reading, struct ws_part head)
{
    char *label = ws_arena_allocate(reading->program->arena, head.length + 1, 1);
    struct ws_scanner scanner = ws_scanner_begin(reading->text, head.offset, head.offset + head.length);
    size_t used = 0;
    if (label == NULL) {
        ws_reading_no_memory(reading);
        return NULL;
    }
    for (size_t end = head.offset;;) {
        const struct ws_token token = ws_scanner_next(&scanner);
        if (token.kind == WS_TOKEN_END || token.kind == WS_TOKEN_BROKEN)
            return label;
        if (token.offset > end && used > 0 && label[used - 1] != '(')
            label[used++] = ' ';
        memcpy(label + used, reading->text + token.offset, token.length);
        used += token.length;
        end = token.offset + token.length;
    }
}

bool ws_read_overload(struct ws_reading *reading, struct ws_part head, const struct ws_token *name,
                      struct ws_scanner parameters, struct ws_part body, uint32_t rule_first,
                      uint32_t rule_count)
{
    struct ws_probe_program *program = reading->program;
    struct ws_probe_overload overload = {
        .rule_first = rule_first, .rule_count = rule_count, .part = head, .body = body};
    if (program->overloads == NULL)
        program->overloads =
            ws_arena_allocate(program->arena, WS_PROBE_OVERLOADS_MAX, sizeof(*program->overloads));
    if (program->overloads == NULL)
        return ws_reading_no_memory(reading);
    if (program->overload_count == WS_PROBE_OVERLOADS_MAX)
        return ws_complain(reading->complaints, head.offset, head.length,
                           "a probe has at most %u functions at places; make two probes",
                           WS_PROBE_OVERLOADS_MAX);
    if (body.length == 0) {
        overload.name = ws_reading_copy(reading, name->offset, name->length);
        overload.label = make_label(reading, head);
        if (overload.label != NULL && strncmp(overload.label, "void ", 5) == 0)
            overload.label += 5;
        for (size_t i = 0; ws_probe_words[i] != NULL && overload.name != NULL; i++)
            if (strcmp(ws_probe_words[i], overload.name) == 0)
                return ws_complain(reading->complaints, name->offset, name->length,
                                   "'%s' is a function of probes; take another name", overload.name);
    } else {
        char *made = ws_arena_allocate(program->arena, 32, 1);
        if (made != NULL)
            snprintf(made, 32, "ws_line_%u", program->overload_count);
        overload.name = made;
        overload.label = make_label(reading, head);
        overload.is_open = parameters.at == parameters.end;
    }
    if (overload.name == NULL || overload.label == NULL)
        return ws_reading_no_memory(reading);
    if (!overload.is_open && !read_arguments(reading, parameters, &overload))
        return false;
    program->overloads[program->overload_count++] = overload;
    return true;
}

bool ws_check_program(struct ws_reading *reading)
{
    struct ws_probe_program *program = reading->program;
    for (uint32_t i = 0; i < program->rule_count; i++) {
        struct ws_probe_rule *rule = &program->rules[i];
        rule->function_count = 0;
        for (uint32_t k = 0; k < program->overload_count; k++)
            if (i - program->overloads[k].rule_first < program->overloads[k].rule_count)
                rule->function_first = rule->function_count++ == 0 ? k : rule->function_first;
    }
    for (uint32_t k = 0; k < program->overload_count; k++)
        for (uint32_t i = 0; i < k; i++) {
            const struct ws_probe_overload *a = &program->overloads[i];
            const struct ws_probe_overload *b = &program->overloads[k];
            bool same = a->rule_first == b->rule_first && !a->is_open &&
                        a->argument_count == b->argument_count && a->body.length == 0;
            for (uint32_t j = 0; same && j < a->argument_count; j++)
                same = strcmp(a->arguments[j].type, b->arguments[j].type) == 0;
            if (same)
                return ws_complain(reading->complaints, b->part.offset, b->part.length,
                                   "this function is there already, with the same types");
        }
    return true;
}
