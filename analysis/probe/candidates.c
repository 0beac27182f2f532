/* The types for which functions of one line are compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code/opcodes.h"
#include "analysis/probe/candidates.h"
#include "analysis/probe/glslang.h"
#include "analysis/probe/messages.h"
#include "analysis/probe/tokens.h"
#include "passes/spirv/operand_names.h"

#define NAMES_MAX 6 /* operands that one body names */
#define MIXTURES_MAX                                                                                         \
    16 /* of base types, with each number of components; more operands have one base type together */

/* An operand that a body names. */
struct named {
    const char *name;
    uint32_t bases; /* mask of 1 << enum ws_probe_base */
    bool is_address;
};

struct listing {
    struct ws_probe_program *program;
    struct ws_probe_candidates *candidates;
    struct ws_complaints *complaints;
    uint32_t overload;
    struct named names[NAMES_MAX];
    uint32_t name_count;
};

/* The base types that a rule's opcodes give a name; 0 where none has an operand of it. */
static uint32_t bases_of(const struct ws_probe_rule *rule, const char *name)
{
    uint32_t bases = 0;
    const bool is_result = strcmp(name, "result") == 0;
    if (is_result && rule->place != WS_PROBE_AFTER)
        return 0;
    for (uint32_t i = 0; i < rule->opcode_count; i++) {
        const uint32_t wanted = rule->opcodes[i];
        const uint32_t extended = WS_PROBE_EXTENDED_OF(wanted);
        if (is_result ||
            ws_operand_is_known(WS_PROBE_OPCODE_OF(wanted), extended != 0 ? extended - 1 : WS_NONE, name))
            bases |= ws_opcode_bases(wanted, is_result);
        else if (ws_probe_is_of_variable(name) &&
                 (ws_operand_is_known(WS_PROBE_OPCODE_OF(wanted), WS_NONE, "pointer") ||
                  ws_operand_is_known(WS_PROBE_OPCODE_OF(wanted), WS_NONE, "base")))
            bases |= 1u << WS_PROBE_INT;
    }
    return bases;
}

/* Whether the word is a member (`.x`) or is called. */
static bool is_operand_use(const char *text, const struct ws_token *before, const struct ws_scanner *scanner)
{
    const struct ws_token next = ws_scanner_peek(scanner);
    return !ws_token_is(text, before, ".") && !ws_token_is(text, &next, "(");
}

static bool find_names(struct listing *listing)
{
    const struct ws_probe_overload *overload = &listing->program->overloads[listing->overload];
    const struct ws_probe_rule *rule = &listing->program->rules[overload->rule_first];
    const char *text = listing->program->source->text;
    struct ws_scanner scanner =
        ws_scanner_begin(text, overload->body.offset, overload->body.offset + overload->body.length);
    struct ws_token before = {0};
    scanner.line_has_token = true;
    for (struct ws_token token = ws_scanner_next(&scanner); token.kind != WS_TOKEN_END;
         before = token, token = ws_scanner_next(&scanner)) {
        char name[64];
        bool is_new = token.kind == WS_TOKEN_WORD && token.length < sizeof(name) &&
                      is_operand_use(text, &before, &scanner);
        if (!is_new)
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)token.length, text + token.offset);
        for (uint32_t i = 0; i < listing->name_count; i++)
            is_new = is_new && strcmp(listing->names[i].name, name) != 0;
        const uint32_t bases = is_new ? bases_of(rule, name) : 0;
        if (bases == 0)
            continue;
        if (listing->name_count == NAMES_MAX)
            return ws_complain(listing->complaints, token.offset, token.length,
                               "more than %d operands are named; declare them: %s (float operand_1, …) { … }",
                               NAMES_MAX, overload->label);
        char *copy = ws_arena_allocate(listing->program->arena, sizeof(name), 1);
        if (copy == NULL) {
            listing->complaints->out_of_memory = true;
            return false;
        }
        memcpy(copy, name, sizeof(name));
        listing->names[listing->name_count++] = (struct named){copy, bases, strcmp(copy, "pointer") == 0};
    }
    return true;
}

/* Adds a candidate with one type for each name. */
static bool add(struct listing *listing, const struct ws_probe_type *types)
{
    struct ws_probe_candidates *candidates = listing->candidates;
    struct ws_probe_argument *arguments =
        ws_arena_allocate(listing->program->arena, listing->name_count, sizeof(*arguments));
    if (arguments == NULL) {
        listing->complaints->out_of_memory = true;
        return false;
    }
    if (candidates->count == WS_PROBE_CANDIDATES_MAX) {
        const struct ws_probe_overload *overload = &listing->program->overloads[listing->overload];
        return ws_complain(listing->complaints, overload->part.offset, overload->part.length,
                           "there are too many types to try; declare the operands: %s (float result) { … }",
                           overload->label);
    }
    for (uint32_t i = 0; i < listing->name_count; i++) {
        const struct named *named = &listing->names[i];
        const bool is_result = strcmp(named->name, "result") == 0;
        arguments[i].parameter = (struct ws_probe_parameter){
            .binding = named->is_address ? WS_PROBE_ADDRESS
                       : is_result       ? WS_PROBE_RESULT
                                         : WS_PROBE_OPERAND,
            .type = named->is_address ? (struct ws_probe_type){WS_PROBE_UINT, 32, 2, 1} : types[i],
            .name = is_result ? "" : named->name};
        arguments[i].type = ws_probe_type_name(&arguments[i].parameter.type);
    }
    candidates->items[candidates->count++] =
        (struct ws_probe_candidate){listing->overload, arguments, listing->name_count, false};
    return true;
}

/* The lowest base type of a mask that is at least `from`; 4 = none. */
static uint32_t next_base(uint32_t bases, uint32_t from)
{
    while (from <= WS_PROBE_FLOAT && (bases >> from & 1) == 0)
        from++;
    return from;
}

/* Every mixture of base types, all with so many components. */
static bool add_mixtures(struct listing *listing, uint32_t rows)
{
    struct ws_probe_type types[NAMES_MAX];
    for (uint32_t i = 0; i < listing->name_count; i++) {
        const uint32_t base = next_base(listing->names[i].bases, 0);
        types[i] = (struct ws_probe_type){base, base == WS_PROBE_BOOL ? 0 : 32, rows, 1};
    }
    while (true) {
        uint32_t i = 0;
        if (!add(listing, types))
            return false;
        for (; i < listing->name_count; i++) {
            uint32_t base = next_base(listing->names[i].bases, types[i].base + 1);
            const bool is_last = base > WS_PROBE_FLOAT || listing->names[i].is_address;
            if (is_last)
                base = next_base(listing->names[i].bases, 0);
            types[i] = (struct ws_probe_type){base, base == WS_PROBE_BOOL ? 0 : 32, rows, 1};
            if (!is_last)
                break;
        }
        if (i == listing->name_count)
            return true;
    }
}

/* One type for all names that can have its base; the others have what they can. */
static bool add_uniform(struct listing *listing, struct ws_probe_type type)
{
    struct ws_probe_type types[NAMES_MAX];
    bool is_used = false;
    for (uint32_t i = 0; i < listing->name_count; i++) {
        const uint32_t base = next_base(listing->names[i].bases, 0);
        const bool has = (listing->names[i].bases >> type.base & 1) != 0;
        is_used = is_used || (has && !listing->names[i].is_address);
        types[i] = has ? type
                       : (struct ws_probe_type){base, base == WS_PROBE_BOOL ? 0 : 32,
                                                type.columns > 1 ? 1 : type.rows, 1};
    }
    return !is_used || add(listing, types);
}

static bool list_open(struct listing *listing)
{
    uint32_t mixtures = 1;
    if (!find_names(listing))
        return false;
    if (listing->name_count == 0)
        return add(listing, NULL);
    for (uint32_t i = 0; i < listing->name_count && mixtures <= MIXTURES_MAX; i++)
        mixtures *= listing->names[i].is_address ? 1 : (uint32_t)__builtin_popcount(listing->names[i].bases);
    for (uint32_t rows = 1; rows <= 4; rows++) {
        if (mixtures <= MIXTURES_MAX && !add_mixtures(listing, rows))
            return false;
        for (uint32_t base = 0; base <= WS_PROBE_FLOAT && mixtures > MIXTURES_MAX; base++)
            if (!add_uniform(listing, (struct ws_probe_type){base, base == WS_PROBE_BOOL ? 0 : 32, rows, 1}))
                return false;
        for (uint32_t base = WS_PROBE_INT; base <= WS_PROBE_FLOAT; base++)
            if (!add_uniform(listing, (struct ws_probe_type){base, 64, rows, 1}))
                return false;
        if (rows > 1 && !add_uniform(listing, (struct ws_probe_type){WS_PROBE_FLOAT, 32, rows, rows}))
            return false;
    }
    return true;
}

bool ws_probe_candidates_list(struct ws_probe_program *program, struct ws_probe_candidates *candidates,
                              struct ws_complaints *complaints)
{
    candidates->count = 0;
    candidates->items =
        ws_arena_allocate(program->arena, WS_PROBE_CANDIDATES_MAX, sizeof(*candidates->items));
    if (candidates->items == NULL) {
        complaints->out_of_memory = true;
        return false;
    }
    for (uint32_t i = 0; i < program->overload_count; i++) {
        const struct ws_probe_overload *overload = &program->overloads[i];
        struct listing listing = {program, candidates, complaints, i, {{NULL, 0, false}}, 0};
        if (overload->is_open) {
            if (!list_open(&listing))
                return false;
        } else if (candidates->count < WS_PROBE_CANDIDATES_MAX) {
            candidates->items[candidates->count++] =
                (struct ws_probe_candidate){i, overload->arguments, overload->argument_count, false};
        } else {
            return ws_complain(complaints, overload->part.offset, overload->part.length,
                               "there are too many functions; make two probes");
        }
    }
    return true;
}

/* Takes out those that are left out. */
static void compact(struct ws_probe_candidates *candidates)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < candidates->count; i++)
        if (!candidates->items[i].is_left_out)
            candidates->items[kept++] = candidates->items[i];
    candidates->count = kept;
}

/* The candidate of an overload with the fewest errors; the first where none is better. */
static uint32_t best_of(const struct ws_probe_candidates *candidates, uint32_t overload,
                        const struct ws_message_counts *counts)
{
    uint32_t best = WS_NONE;
    for (uint32_t i = 0; i < candidates->count; i++)
        if (candidates->items[i].overload == overload && candidates->items[i].argument_count != WS_NONE &&
            (best == WS_NONE || counts->candidate_errors[i] < counts->candidate_errors[best]))
            best = i;
    return best;
}

/* Leaves out what failed. False, and complains, where all candidates of an overload did. */
static bool leave_out(struct ws_probe_program *program, struct ws_probe_candidates *candidates,
                      const char *log, const struct ws_message_counts *counts,
                      struct ws_complaints *complaints)
{
    bool good = true;
    for (uint32_t i = 0; i < candidates->count; i++)
        candidates->items[i].is_left_out = counts->candidate_errors[i] > 0;
    for (uint32_t k = 0; k < program->overload_count; k++) {
        bool is_left = false;
        for (uint32_t i = 0; i < candidates->count; i++)
            is_left = is_left || (candidates->items[i].overload == k && !candidates->items[i].is_left_out);
        if (is_left)
            continue;
        ws_messages_complain(log, program, candidates->items, best_of(candidates, k, counts), complaints);
        good = false;
    }
    compact(candidates);
    return good;
}

bool ws_probe_candidates_try(struct ws_probe_program *program, struct ws_probe_candidates *candidates,
                             struct ws_complaints *complaints)
{
    struct ws_glslang_result result = {0};
    struct ws_glslang_request request = {.only_read = true, .seconds = program->source->seconds};
    struct ws_message_counts counts;
    char *text = ws_probe_generate(program, candidates->items, candidates->count, WS_PROBE_UNIT_ALL, false);
    bool good = false;
    if (text == NULL) {
        complaints->out_of_memory = true;
        return false;
    }
    request.text = text;
    if (ws_glslang_compile(&request, &result)) {
        good = true;
        goto error;
    }
    ws_messages_count(result.log, candidates->count, &counts);
    if (counts.user > 0 || counts.is_cut)
        /* An error of syntax is one whatever the types are. */
        ws_messages_complain(result.log, program, candidates->items, counts.cut_candidate, complaints);
    else
        good = leave_out(program, candidates, result.log, &counts, complaints);
    if (!good && complaints->errors == 0)
        ws_complain(complaints, SIZE_MAX, 0, "%s", ws_glslang_why(&result));
error:
    free(text);
    free(result.log);
    return good;
}
