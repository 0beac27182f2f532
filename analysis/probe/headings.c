/* Heading lines: //! and a declaration; and their places. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code/opcodes.h"
#include "analysis/probe/declarations.h"
#include "passes/spirv/operand_names.h"
#include "warpscope/stage.h"

bool ws_reading_no_memory(struct ws_reading *reading)
{
    reading->complaints->out_of_memory = true;
    reading->complaints->errors++;
    return false;
}

const char *ws_reading_copy(struct ws_reading *reading, size_t offset, size_t length)
{
    char *copy = ws_arena_allocate(reading->program->arena, length + 1, 1);
    if (copy == NULL) {
        ws_reading_no_memory(reading);
        return NULL;
    }
    memcpy(copy, reading->text + offset, length);
    return copy;
}

/* A word of a place line: all up to a blank, or a text in "". */
struct word {
    size_t offset; /* of what it means, without "" */
    size_t length; /* 0 = there is none */
};

/* The words of a place, one after the other. */
struct words {
    struct ws_reading *reading;
    size_t at;
    size_t end;
    struct word last; /* taken */
};

#define WORD_MAX 255

static bool next_word(struct words *words, struct word *word)
{
    const char *text = words->reading->text;
    while (words->at < words->end && (isspace((unsigned char)text[words->at]) != 0 || text[words->at] == ','))
        words->at++;
    *word = (struct word){words->at, 0};
    if (words->at >= words->end || strncmp(text + words->at, "//", 2) == 0)
        return true;
    if (text[words->at] == '"') {
        const char *close = memchr(text + words->at + 1, '"', words->end - words->at - 1);
        if (close == NULL)
            return ws_complain(words->reading->complaints, words->at, 1, "this text has no end");
        word->offset = words->at + 1;
        word->length = (size_t)(close - text) - word->offset;
        words->at = word->offset + word->length + 1;
        if (word->length == 0)
            return ws_complain(words->reading->complaints, word->offset - 1, 2, "this text is empty");
    } else {
        while (words->at < words->end && isspace((unsigned char)text[words->at]) == 0 &&
               text[words->at] != ',' && text[words->at] != '"')
            words->at++;
        word->length = words->at - word->offset;
    }
    if (word->length > WORD_MAX)
        return ws_complain(words->reading->complaints, word->offset, word->length,
                           "this word has more than %d letters", WORD_MAX);
    words->last = *word;
    return true;
}

static bool word_is(const struct words *words, const struct word *word, const char *name)
{
    return word->length == strlen(name) &&
           memcmp(words->reading->text + word->offset, name, word->length) == 0;
}

static void copy_word(const struct words *words, const struct word *word, char text[WORD_MAX + 1])
{
    memcpy(text, words->reading->text + word->offset, word->length);
    text[word->length] = '\0';
}

static const struct place {
    const char *word;
    const char *parts[4]; /* second words */
    uint32_t places[3];   /* enum ws_probe_place, by second word */
    const char *form;
} places[] = {
    {"before", {NULL}, {WS_PROBE_BEFORE}, "before OpStore"},
    {"after", {NULL}, {WS_PROBE_AFTER}, "after OpFDiv"},
    {"block", {"begin"}, {WS_PROBE_BLOCK}, "block begin"},
    {"loop",
     {"begin", "iterate", "end"},
     {WS_PROBE_LOOP_BEGIN, WS_PROBE_LOOP_ITERATE, WS_PROBE_LOOP_END},
     "loop iterate"},
    {"function", {"begin", "end"}, {WS_PROBE_FUNCTION_BEGIN, WS_PROBE_FUNCTION_END}, "function begin"},
    {"entry", {"begin", "end"}, {WS_PROBE_ENTRY_BEGIN, WS_PROBE_ENTRY_END}, "entry end"},
};
#define PLACE_COUNT (sizeof(places) / sizeof(places[0]))

bool ws_is_place_word(const char *text, const struct ws_token *token)
{
    for (size_t i = 0; i < PLACE_COUNT; i++)
        if (ws_token_is(text, token, places[i].word))
            return true;
    return false;
}

bool ws_complain_of_place(struct ws_reading *reading, const struct ws_token *token)
{
    const char *word = reading->text + token->offset;
    const int shown = (int)(token->length < 40 ? token->length : 40);
    struct ws_near near = ws_near_begin(word, token->length);
    for (size_t i = 0; i < PLACE_COUNT; i++)
        ws_near_try(&near, places[i].word);
    ws_near_try(&near, "output");
    if (near.name != NULL)
        return ws_complain(reading->complaints, token->offset, token->length,
                           "'%.*s' begins no place; did you mean '%s'?", shown, word, near.name);
    for (size_t i = 0; token->kind == WS_TOKEN_WORD && ws_opcode_families[i].name != NULL; i++)
        if (ws_token_is(reading->text, token, ws_opcode_families[i].name))
            return ws_complain(reading->complaints, token->offset, token->length,
                               "say when: before %s or after %s", ws_opcode_families[i].name,
                               ws_opcode_families[i].name);
    if (token->length > 2 && strncmp(word, "Op", 2) == 0)
        return ws_complain(reading->complaints, token->offset, token->length,
                           "say when: before %.*s or after %.*s", shown, word, shown, word);
    return ws_complain(
        reading->complaints, token->offset, token->length,
        "'%.*s' begins no place; there are before, after, block, loop, function, entry, and output", shown,
        word);
}

static const char *const filters[] = {"in", "of", "shader", "function", "file", "line"};
#define FILTER_COUNT (sizeof(filters) / sizeof(filters[0]))

static bool is_filter(const struct words *words, const struct word *word)
{
    for (size_t i = 0; i < FILTER_COUNT; i++)
        if (word_is(words, word, filters[i]))
            return true;
    return false;
}

/* What is wanted of opcodes, while they are gathered. */
struct wanted {
    struct ws_arena *arena;
    uint32_t *opcodes;
    uint32_t count;
    uint32_t capacity;
    bool no_memory;
};

static void take_opcode(void *user, uint32_t opcode)
{
    struct wanted *wanted = user;
    for (uint32_t i = 0; i < wanted->count; i++)
        if (wanted->opcodes[i] == opcode)
            return;
    uint32_t *grown =
        ws_arena_grow(wanted->arena, wanted->opcodes, wanted->count, &wanted->capacity, sizeof(*grown));
    if (grown == NULL) {
        wanted->no_memory = true;
        return;
    }
    wanted->opcodes = grown;
    grown[wanted->count++] = opcode;
}

static bool complain_of_opcode(struct words *words, const struct word *word, const char *name)
{
    struct ws_complaints *complaints = words->reading->complaints;
    char prefixed[WORD_MAX + 3] = "Op";
    struct ws_near near = ws_near_begin(name, strlen(name));
    const char *colon = strchr(name, ':');
    if (colon != NULL)
        return ws_complain(complaints, word->offset, word->length,
                           "'%s': a place ends here; types are the parameters of the function below it",
                           name);
    ws_opcodes_near(&near);
    for (size_t i = 0; i < FILTER_COUNT; i++)
        ws_near_try(&near, filters[i]);
    /* FDiv is OpFDiv, whatever else is near. */
    memcpy(prefixed + 2, name, strlen(name) + 1);
    if (ws_opcode_find(prefixed) != WS_NONE)
        near.name = prefixed;
    if (near.name != NULL)
        return ws_complain(complaints, word->offset, word->length,
                           "'%s' is no opcode, no family of them and no filter; did you mean '%s'?", name,
                           near.name);
    return ws_complain(
        complaints, word->offset, word->length,
        "'%s' is no opcode, no family of them and no filter (in, of, shader, function, file, line); "
        "`warpscope help probes` has the families",
        name);
}

static bool read_opcodes(struct words *words, struct ws_probe_rule *rule, const struct place *place,
                         struct word *word)
{
    struct wanted wanted = {.arena = words->reading->program->arena};
    char name[WORD_MAX + 1];
    for (; word->length > 0 && !is_filter(words, word);) {
        copy_word(words, word, name);
        const uint32_t before = wanted.count;
        if (ws_opcodes_find(name, take_opcode, &wanted) == 0)
            return complain_of_opcode(words, word, name);
        const bool after = rule->place == WS_PROBE_AFTER;
        uint32_t kept = before;
        const char *refusal = NULL;
        for (uint32_t i = before; i < wanted.count; i++) {
            const char *reason = ws_opcode_refusal(wanted.opcodes[i], after);
            refusal = refusal != NULL ? refusal : reason;
            if (reason == NULL)
                wanted.opcodes[kept++] = wanted.opcodes[i];
        }
        /* Of a family some may be left out, such as OpKill after which nothing runs. */
        if (kept == before && refusal != NULL)
            return ws_complain(words->reading->complaints, word->offset, word->length, "'%s': %s", name,
                               refusal);
        wanted.count = kept;
        if (!next_word(words, word))
            return false;
    }
    if (wanted.no_memory)
        return ws_reading_no_memory(words->reading);
    if (wanted.count == 0)
        return ws_complain(words->reading->complaints, words->last.offset, words->last.length,
                           "%s which instructions? For example `%s`, or a family: `%s float`", place->word,
                           place->form, place->word);
    rule->opcodes = wanted.opcodes;
    rule->opcode_count = wanted.count;
    return true;
}

static bool read_stages(struct words *words, struct ws_probe_rule *rule, struct word *word)
{
    char name[WORD_MAX + 1];
    const uint32_t before = rule->stages;
    if (!next_word(words, word))
        return false;
    for (; word->length > 0 && !is_filter(words, word);) {
        uint32_t stages = word_is(words, word, "ray_tracing") ? WS_STAGES_RAY_TRACING : 0;
        copy_word(words, word, name);
        struct ws_near near = ws_near_begin(name, word->length);
        for (uint32_t i = 0; i < 14; i++) {
            if (strcmp(ws_stage_name(1u << i), name) == 0)
                stages = 1u << i;
            ws_near_try(&near, ws_stage_name(1u << i));
        }
        if (stages == 0 && near.name != NULL)
            return ws_complain(words->reading->complaints, word->offset, word->length,
                               "'%s' is no stage; did you mean '%s'?", name, near.name);
        if (stages == 0)
            return ws_complain(words->reading->complaints, word->offset, word->length,
                               "'%s' is no stage; `warpscope list stages` has them", name);
        rule->stages |= stages;
        if (!next_word(words, word))
            return false;
    }
    return rule->stages != before ||
           ws_complain(words->reading->complaints, words->last.offset, words->last.length,
                       "in which stages? For example `in fragment compute`");
}

static bool read_storage(struct words *words, struct ws_probe_rule *rule, struct word *word)
{
    char name[WORD_MAX + 1];
    const uint32_t before = rule->storage;
    if (rule->place != WS_PROBE_BEFORE && rule->place != WS_PROBE_AFTER)
        return ws_complain(words->reading->complaints, word->offset, word->length,
                           "'of' asks for the memory of an instruction, and none stands at this place");
    if (!next_word(words, word))
        return false;
    for (; word->length > 0 && !is_filter(words, word);) {
        uint32_t storage = 0;
        copy_word(words, word, name);
        struct ws_near near = ws_near_begin(name, word->length);
        for (uint32_t i = 0; i < WS_PROBE_STORAGE_COUNT; i++) {
            storage |= strcmp(ws_probe_storage_name(i), name) == 0 ? 1u << i : 0;
            ws_near_try(&near, ws_probe_storage_name(i));
        }
        if (storage == 0 && near.name != NULL)
            return ws_complain(words->reading->complaints, word->offset, word->length,
                               "'%s' is no kind of memory; did you mean '%s'?", name, near.name);
        if (storage == 0)
            return ws_complain(words->reading->complaints, word->offset, word->length,
                               "'%s' is no kind of memory; there are buffer, uniform, reference, shared, "
                               "payload, callable_data, hit_attribute, input, output and local",
                               name);
        rule->storage |= storage;
        if (!next_word(words, word))
            return false;
    }
    return rule->storage != before ||
           ws_complain(words->reading->complaints, words->last.offset, words->last.length,
                       "of which memory? For example `of buffer`");
}

static bool read_glob(struct words *words, const char **glob, const char *filter, struct word *word)
{
    if (!next_word(words, word))
        return false;
    if (word->length == 0)
        return ws_complain(words->reading->complaints, words->last.offset, words->last.length,
                           "a pattern is missing behind '%s'; for example `%s *rint*`", filter, filter);
    if ((*glob)[0] != '\0')
        return ws_complain(words->reading->complaints, word->offset, word->length,
                           "there is a filter '%s' already; write two place lines", filter);
    *glob = ws_reading_copy(words->reading, word->offset, word->length);
    return *glob != NULL && next_word(words, word);
}

static bool read_lines(struct words *words, struct ws_probe_rule *rule, struct word *word)
{
    char text[WORD_MAX + 1] = "";
    char *end = NULL;
    if (!next_word(words, word))
        return false;
    copy_word(words, word, text);
    if (rule->line_last != 0)
        return ws_complain(words->reading->complaints, word->offset, word->length,
                           "there is a filter 'line' already; write two place lines");
    errno = 0;
    const unsigned long long first = isdigit((unsigned char)text[0]) != 0 ? strtoull(text, &end, 10) : 0;
    unsigned long long last = first;
    if (end != NULL && *end == '-' && isdigit((unsigned char)end[1]) != 0)
        last = strtoull(end + 1, &end, 10);
    if (end == NULL || *end != '\0' || errno != 0 || first == 0 || last < first || last > UINT32_MAX)
        return ws_complain(words->reading->complaints, word->length > 0 ? word->offset : words->last.offset,
                           word->length, "lines are N or N-M, counted from 1, with N not above M");
    rule->line_first = (uint32_t)first;
    rule->line_last = (uint32_t)last;
    return next_word(words, word);
}

static bool read_filters(struct words *words, struct ws_probe_rule *rule, struct word *word)
{
    while (word->length > 0) {
        bool good = true;
        if (word_is(words, word, "in"))
            good = read_stages(words, rule, word);
        else if (word_is(words, word, "of"))
            good = read_storage(words, rule, word);
        else if (word_is(words, word, "shader"))
            good = read_glob(words, &rule->shader, "shader", word);
        else if (word_is(words, word, "function"))
            good = read_glob(words, &rule->function, "function", word);
        else if (word_is(words, word, "file"))
            good = read_glob(words, &rule->file, "file", word);
        else if (word_is(words, word, "line"))
            good = read_lines(words, rule, word);
        else {
            char name[WORD_MAX + 1];
            copy_word(words, word, name);
            struct ws_near near = ws_near_begin(name, word->length);
            for (size_t i = 0; i < FILTER_COUNT; i++)
                ws_near_try(&near, filters[i]);
            return near.name != NULL ? ws_complain(words->reading->complaints, word->offset, word->length,
                                                   "'%s' is no filter; did you mean '%s'?", name, near.name)
                                     : ws_complain(words->reading->complaints, word->offset, word->length,
                                                   "'%s' is no filter; there are in STAGE, of MEMORY, "
                                                   "shader, function, file and line",
                                                   name);
        }
        if (!good)
            return false;
    }
    return true;
}

/* The second word of a place: begin, iterate, end. */
static bool read_part(struct words *words, struct ws_probe_rule *rule, const struct place *place,
                      struct word *word)
{
    for (size_t i = 0; place->parts[i] != NULL; i++)
        if (word_is(words, word, place->parts[i])) {
            rule->place = place->places[i];
            return next_word(words, word);
        }
    const struct word *at = word->length > 0 ? word : &words->last;
    if (strcmp(place->word, "block") == 0)
        return ws_complain(words->reading->complaints, at->offset, at->length,
                           "a block has `block begin` only; what ends it is `before branch`");
    return ws_complain(words->reading->complaints, at->offset, at->length, "say where: %s begin%s or %s end",
                       place->word, strcmp(place->word, "loop") == 0 ? ", loop iterate" : "", place->word);
}

bool ws_read_place(struct ws_reading *reading, size_t begin, size_t end)
{
    struct ws_probe_program *program = reading->program;
    struct words words = {.reading = reading, .at = begin, .end = end};
    struct ws_probe_rule rule = {.shader = "", .function = "", .file = ""};
    struct word word;
    size_t i = 0;
    uint32_t column = 0;
    if (!next_word(&words, &word))
        return false;
    while (i < PLACE_COUNT && !word_is(&words, &word, places[i].word))
        i++;
    if (i == PLACE_COUNT) {
        const struct ws_token token = {WS_TOKEN_WORD, word.offset, word.length};
        return ws_complain_of_place(reading, &token);
    }
    const struct place *place = &places[i];
    rule.place = place->places[0];
    if (!next_word(&words, &word))
        return false;
    if (!(place->parts[0] != NULL ? read_part(&words, &rule, place, &word)
                                  : read_opcodes(&words, &rule, place, &word)) ||
        !read_filters(&words, &rule, &word))
        return false;
    if (program->rules == NULL) {
        program->rules = ws_arena_allocate(program->arena, WS_PROBE_RULES_MAX, sizeof(*program->rules));
        program->rule_parts =
            ws_arena_allocate(program->arena, WS_PROBE_RULES_MAX, sizeof(*program->rule_parts));
        if (program->rules == NULL || program->rule_parts == NULL)
            return ws_reading_no_memory(reading);
    }
    if (program->rule_count == WS_PROBE_RULES_MAX)
        return ws_complain(reading->complaints, begin, end - begin,
                           "a probe has at most %u places; make two probes", WS_PROBE_RULES_MAX);
    ws_probe_text_place(program->source, begin, &rule.source_line, &column);
    program->rule_parts[program->rule_count] = (struct ws_part){begin, end - begin};
    program->rules[program->rule_count++] = rule;
    return true;
}

bool ws_read_name(struct ws_reading *reading)
{
    const struct ws_token token = ws_scanner_next(&reading->scanner);
    if (token.kind != WS_TOKEN_WORD || token.length > 63)
        return ws_complain(
            reading->complaints, token.offset, token.length,
            "a probe's name is letters, digits and _, at most 63; for example `name first_nan`");
    if (reading->program->name != reading->program->source->name)
        return ws_complain(reading->complaints, token.offset, token.length,
                           "the probe has the name '%s' already", reading->program->name);
    reading->program->name = ws_reading_copy(reading, token.offset, token.length);
    const struct ws_token next = ws_scanner_peek(&reading->scanner);
    if (ws_token_is(reading->text, &next, ";"))
        ws_scanner_next(&reading->scanner);
    else if (next.kind != WS_TOKEN_END)
        return ws_complain(reading->complaints, next.offset, next.length, "nothing follows a name");
    return reading->program->name != NULL;
}

/* Whether a heading line begins a declaration of its own. */
static bool begins_declaration(const struct ws_reading *reading, const struct ws_token *heading)
{
    struct ws_scanner scanner =
        ws_scanner_begin(reading->text, heading->offset + 3, heading->offset + heading->length);
    const struct ws_token word = ws_scanner_next(&scanner);
    return ws_is_place_word(reading->text, &word) || ws_token_is(reading->text, &word, "output") ||
           ws_token_is(reading->text, &word, "name");
}

/* Joins the heading lines that follow, while a brace is open. `begin` is where the first one's words begin. Returns where
 * the last one ends. */
static size_t join_lines(struct ws_reading *reading, size_t begin, size_t end)
{
    while (true) {
        const char *open = memchr(reading->text + begin, '{', end - begin);
        const char *close = open != NULL ? memchr(open, '}', (size_t)(reading->text + end - open)) : NULL;
        const struct ws_token next = ws_scanner_peek(&reading->scanner);
        if (open == NULL || close != NULL || next.kind != WS_TOKEN_HEADING ||
            begins_declaration(reading, &next))
            return end;
        ws_scanner_next(&reading->scanner);
        end = next.offset + next.length;
    }
}

/* An output in a heading: several lines are joined by a copy with blanks for their //!. */
static bool read_heading_output(struct ws_reading *reading, size_t begin, size_t end)
{
    char *joined = ws_arena_allocate(reading->program->arena, end + 1, 1);
    struct ws_reading part = *reading;
    if (joined == NULL)
        return ws_reading_no_memory(reading);
    memcpy(joined, reading->text, end);
    for (char *mark = strstr(joined + begin, "//!"); mark != NULL; mark = strstr(mark, "//!"))
        memset(mark, ' ', 3);
    part.text = joined;
    part.scanner = ws_scanner_begin(joined, begin, end);
    return ws_read_output(&part, false);
}

bool ws_read_heading(struct ws_reading *reading, const struct ws_token *token)
{
    const size_t begin = token->offset + 3;
    size_t end = token->offset + token->length;
    struct ws_scanner scanner = ws_scanner_begin(reading->text, begin, end);
    const struct ws_token word = ws_scanner_next(&scanner);
    if (word.kind == WS_TOKEN_END)
        return true;
    if (ws_token_is(reading->text, &word, "output")) {
        end = join_lines(reading, begin, end);
        return read_heading_output(reading, word.offset + word.length, end);
    }
    if (ws_token_is(reading->text, &word, "name")) {
        struct ws_reading part = *reading;
        part.scanner = scanner;
        return ws_read_name(&part);
    }
    if (!ws_is_place_word(reading->text, &word))
        return ws_complain_of_place(reading, &word);
    return ws_read_place(reading, word.offset, end);
}
