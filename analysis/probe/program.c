/* A probe as its text says it: files and one line. What stands between the declarations is GLSL, which the compiler
 * reads. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analysis/probe/declarations.h"
#include "analysis/probe/tokens.h"
#include "warpscope/base/text.h"

const char *const ws_probe_words[] = {"count", "add",       "value",    "record", "sample",     "site",
                                      "line",  "work",      "warp",     "lane",   "lanes",      "clock",
                                      "main",  "warp_size", "is_first", "pixel",  "count_warp", NULL};

static bool add_part(struct ws_reading *reading, struct ws_part **parts, uint32_t *count, uint32_t *capacity,
                     size_t offset, size_t length)
{
    struct ws_part *grown =
        ws_arena_grow(reading->program->arena, *parts, *count, capacity, sizeof(struct ws_part));
    if (grown == NULL)
        return ws_reading_no_memory(reading);
    *parts = grown;
    grown[(*count)++] = (struct ws_part){offset, length};
    return true;
}

/* Whether a directive begins with that word. */
static bool directive_is(const char *text, const struct ws_token *token, const char *word)
{
    size_t at = token->offset + 1;
    while (text[at] == ' ' || text[at] == '\t')
        at++;
    const size_t length = strlen(word);
    return strncmp(text + at, word, length) == 0 &&
           strspn(text + at + length, "abcdefghijklmnopqrstuvwxyz_") == 0;
}

/* Words that a probe cannot have, and what to do instead. The first pattern that is met counts. */
static const struct {
    const char *begin; /* of the word */
    bool is_whole;
    const char *remedy;
} forbidden[] = {
    {"ws_", false, "names that begin with ws_ are Warpscope's own; take another one"},
    {"Ws", false, "names that begin with Ws are Warpscope's own; take another one"},
    {"gl_Subgroup", false, NULL},
    {"gl_", false,
     "built-in variables differ by stage; work() is the thread, lane() its lane, lanes() the active ones"},
    {"discard", true, "a probe must not end threads of the program"},
    {"demote", true, "a probe must not end threads of the program"},
    {"terminateInvocation", true, "a probe must not end threads of the program"},
    {"ignoreIntersectionEXT", true, "a probe must not end threads of the program"},
    {"terminateRayEXT", true, "a probe must not end rays of the program"},
    {"barrier", true, "a barrier in a probe could hang the program"},
    {"subgroupBarrier", true, "a barrier in a probe could hang the program"},
    {"controlBarrier", true, "a barrier in a probe could hang the program"},
    {"uniform", true,
     "a probe has no resources of its own; it gets values by parameters, and keeps them in variables"},
    {"buffer", true,
     "a probe has no resources of its own; it yields by outputs: //! output NAME: record { uint a; }"},
    {"shared", true, "a probe has no shared memory; warp() and subgroup operations see the lanes of a warp"},
    {"layout", true, "a probe has no resources and no interface of its own; leave the layout out"},
    {"varying", true, "a probe has no interface of its own"},
    {"attribute", true, "a probe has no interface of its own"},
    {"subroutine", true, "subroutines are not in Vulkan"},
};

static bool check_word(struct ws_reading *reading, const struct ws_token *token)
{
    const char *word = reading->text + token->offset;
    for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
        const size_t length = strlen(forbidden[i].begin);
        if (token->length < length || memcmp(word, forbidden[i].begin, length) != 0 ||
            (forbidden[i].is_whole && token->length != length))
            continue;
        if (forbidden[i].begin[0] == 'W' && (token->length < 3 || word[2] < 'A' || word[2] > 'Z'))
            continue;
        return forbidden[i].remedy == NULL ||
               ws_complain(reading->complaints, token->offset, token->length, "'%.*s': %s",
                           (int)(token->length < 60 ? token->length : 60), word, forbidden[i].remedy);
    }
    return true;
}

/* Checks the words of a directive: a macro stands for them anywhere. */
static bool check_directive(struct ws_reading *reading, const struct ws_token *directive)
{
    const size_t end = directive->offset + directive->length;
    struct ws_scanner scanner = ws_scanner_begin(reading->text, directive->offset + 1, end);
    scanner.line_has_token = true;
    for (struct ws_token token = ws_scanner_next(&scanner); token.kind != WS_TOKEN_END;
         token = ws_scanner_next(&scanner)) {
        scanner.line_has_token = true;
        if (token.kind == WS_TOKEN_BROKEN)
            return ws_complain(reading->complaints, token.offset, 2, "this comment or text has no end");
        if (token.kind == WS_TOKEN_WORD && !check_word(reading, &token))
            return false;
        if (token.kind == WS_TOKEN_SIGN && strncmp(reading->text + token.offset, "##", 2) == 0)
            return ws_complain(reading->complaints, token.offset, 2,
                               "a macro of a probe makes no words; write them out");
    }
    return true;
}

static bool read_directive(struct ws_reading *reading, const struct ws_token *token)
{
    struct ws_probe_program *program = reading->program;
    if (!check_directive(reading, token))
        return false;
    if (directive_is(reading->text, token, "include"))
        return ws_complain(reading->complaints, token->offset, token->length,
                           "a probe is one file, and includes nothing; paste what you need");
    if (directive_is(reading->text, token, "line"))
        return ws_complain(reading->complaints, token->offset, token->length,
                           "#line would make messages name another line; leave it out");
    if (directive_is(reading->text, token, "extension") &&
        !add_part(reading, &program->hoisted, &program->hoisted_count, &program->hoisted_capacity,
                  token->offset, token->length))
        return false;
    return true;
}

#define DEPTH_MAX 256 /* of brackets in each other */

static bool complain_of_open(struct ws_reading *reading, size_t offset, bool at_heading)
{
    return ws_complain(reading->complaints, offset, 1,
                       at_heading ? "this '%c' has no end before the next //!" : "this '%c' has no end",
                       reading->text[offset]);
}

/* Takes tokens up to the bracket that ends the one just taken, and checks words. False where there is none. */
static bool skip_brackets(struct ws_reading *reading, struct ws_token open)
{
    const char *text = reading->text;
    size_t opened[DEPTH_MAX] = {open.offset};
    size_t depth = 1;
    while (depth > 0) {
        const struct ws_token token = ws_scanner_next(&reading->scanner);
        const char c = token.kind == WS_TOKEN_SIGN ? text[token.offset] : '\0';
        if (token.kind == WS_TOKEN_END || token.kind == WS_TOKEN_HEADING)
            return complain_of_open(reading, opened[depth - 1], token.kind == WS_TOKEN_HEADING);
        if (token.kind == WS_TOKEN_BROKEN)
            return ws_complain(reading->complaints, token.offset, 2, "this comment or text has no end");
        if (token.kind == WS_TOKEN_WORD && !check_word(reading, &token))
            return false;
        if (token.kind == WS_TOKEN_DIRECTIVE && !read_directive(reading, &token))
            return false;
        if (c == '{' || c == '(') {
            if (depth == DEPTH_MAX)
                return ws_complain(reading->complaints, token.offset, 1,
                                   "more than %d brackets stand in each other", DEPTH_MAX);
            opened[depth++] = token.offset;
        } else if (c == '}' || c == ')') {
            if ((c == '}') != (text[opened[depth - 1]] == '{'))
                return complain_of_open(reading, opened[depth - 1], false);
            depth--;
        }
    }
    return true;
}

/* What the functions below a group of place lines are. */
struct group {
    uint32_t rule_first;
    uint32_t rule_count;
    struct ws_token name; /* of the first function; 0 bytes = not met yet */
};

/* At a function's name; `kind` is the word before it. Takes the function. */
static bool read_function(struct ws_reading *reading, struct group *group, const struct ws_token *kind,
                          const struct ws_token *name, bool *was_body)
{
    const char *text = reading->text;
    const struct ws_token open = ws_scanner_next(&reading->scanner);
    struct ws_scanner parameters = reading->scanner;
    if (!skip_brackets(reading, open))
        return false;
    const struct ws_part head = {kind->offset, reading->scanner.at - kind->offset};
    parameters.end = reading->scanner.at - 1;
    const struct ws_token brace = ws_scanner_peek(&reading->scanner);
    *was_body = ws_token_is(text, &brace, "{");
    if (!*was_body)
        return true;
    ws_scanner_next(&reading->scanner);
    if (!skip_brackets(reading, brace))
        return false;
    if (ws_token_is(text, name, "main"))
        return ws_complain(
            reading->complaints, name->offset, name->length,
            "a probe has no main(): its functions are called at the places that //! lines name");
    if (group->rule_count == 0)
        return true;
    if (group->name.length > 0 &&
        (group->name.length != name->length ||
         memcmp(text + group->name.offset, text + name->offset, name->length) != 0)) {
        group->rule_count = 0; /* a function of the user's own */
        return true;
    }
    group->name = *name;
    if (!ws_token_is(text, kind, "void"))
        return ws_complain(reading->complaints, kind->offset, kind->length,
                           "a function that is called at a place returns nothing: write void");
    const struct ws_part none = {0, 0};
    return ws_read_overload(reading, head, name, parameters, none, group->rule_first, group->rule_count);
}

/* Takes a declaration of GLSL at the top: a function, or what ends with a semicolon. */
static bool read_global(struct ws_reading *reading, struct group *group, struct ws_token token)
{
    const char *text = reading->text;
    struct ws_token before = token;
    while (token.kind != WS_TOKEN_END) {
        if (token.kind == WS_TOKEN_HEADING)
            return ws_complain(reading->complaints, before.offset, before.length,
                               "this declaration has no end before the next //!; is a ';' missing?");
        if (token.kind == WS_TOKEN_BROKEN)
            return ws_complain(reading->complaints, token.offset, 2, "this comment or text has no end");
        if (token.kind == WS_TOKEN_WORD && !check_word(reading, &token))
            return false;
        if (ws_token_is(text, &token, "}") || ws_token_is(text, &token, ")"))
            return ws_complain(reading->complaints, token.offset, 1, "this '%c' ends nothing",
                               text[token.offset]);
        if (ws_token_is(text, &token, ";"))
            return true;
        const struct ws_token next = ws_scanner_peek(&reading->scanner);
        if (token.kind == WS_TOKEN_WORD && before.kind == WS_TOKEN_WORD && before.offset != token.offset &&
            ws_token_is(text, &next, "(")) {
            bool was_body = false;
            if (!read_function(reading, group, &before, &token, &was_body))
                return false;
            if (was_body)
                return true;
        } else if (ws_token_is(text, &token, "{") || ws_token_is(text, &token, "(")) {
            if (!skip_brackets(reading, token))
                return false;
        }
        before = token;
        token = ws_scanner_next(&reading->scanner);
    }
    return ws_complain(reading->complaints, before.offset, before.length,
                       "this declaration has no end; is a ';' missing?");
}

/* Reads the lines of a file. */
static bool read_file(struct ws_reading *reading)
{
    struct group group = {0};
    struct ws_token last = {0};
    while (true) {
        const struct ws_token token = ws_scanner_next(&reading->scanner);
        if (token.kind == WS_TOKEN_END)
            break;
        if (token.kind == WS_TOKEN_HEADING) {
            const uint32_t rules = reading->program->rule_count;
            if (!ws_read_heading(reading, &token))
                return false;
            if (reading->program->rule_count == rules)
                continue;
            if (group.name.length > 0 || group.rule_count == 0)
                group = (struct group){.rule_first = rules};
            group.rule_count++;
            last = token;
        } else if (token.kind == WS_TOKEN_DIRECTIVE) {
            if (!read_directive(reading, &token))
                return false;
        } else if (!ws_token_is(reading->text, &token, ";") && !read_global(reading, &group, token)) {
            return false;
        }
    }
    if (group.rule_count > 0 && group.name.length == 0)
        return ws_complain(
            reading->complaints, last.offset, last.length,
            "no function follows this place; write what is called there: void check(float result) { … }");
    return true;
}

/* A declaration of one line, from `token` to its semicolon. */
static bool read_state(struct ws_reading *reading, struct ws_token token)
{
    struct ws_probe_program *program = reading->program;
    const char *text = reading->text;
    const struct ws_token first = token;
    while (!ws_token_is(text, &token, ";")) {
        if (token.kind == WS_TOKEN_END || ws_token_is(text, &token, "{") || ws_token_is(text, &token, "}"))
            return ws_complain_of_place(reading, &first);
        if (token.kind == WS_TOKEN_BROKEN)
            return ws_complain(reading->complaints, token.offset, 2, "this comment or text has no end");
        if (token.kind == WS_TOKEN_WORD && !check_word(reading, &token))
            return false;
        token = ws_scanner_next(&reading->scanner);
    }
    return add_part(reading, &program->declarations, &program->declaration_count,
                    &program->declaration_capacity, first.offset, token.offset + 1 - first.offset);
}

/* A place with what is done there: PLACE [(PARAMETERS)] { … }. `begin` is where the place begins. */
static bool read_action(struct ws_reading *reading, size_t begin)
{
    const char *text = reading->text;
    const uint32_t rule = reading->program->rule_count;
    const size_t end = begin + strcspn(text + begin, "({;");
    struct ws_token name = {WS_TOKEN_WORD, begin, end - begin};
    if (!ws_read_place(reading, begin, end))
        return false;
    reading->scanner.at = end;
    struct ws_token token = ws_scanner_next(&reading->scanner);
    struct ws_scanner parameters = reading->scanner;
    parameters.end = parameters.at;
    const bool is_open = !ws_token_is(text, &token, "(");
    if (!is_open) {
        if (!skip_brackets(reading, token))
            return false;
        parameters.end = reading->scanner.at - 1;
        token = ws_scanner_next(&reading->scanner);
    }
    const struct ws_part head = {begin, (is_open ? end : reading->scanner.at) - begin};
    if (!ws_token_is(text, &token, "{"))
        return ws_complain(reading->complaints, token.offset, token.length,
                           "what is done there is missing: PLACE { … }, as in `after OpFDiv { count(); }`");
    if (!skip_brackets(reading, token))
        return false;
    const struct ws_part body = {token.offset, reading->scanner.at - token.offset};
    return ws_read_overload(reading, head, &name, parameters, body, rule, 1);
}

static bool read_one_line(struct ws_reading *reading)
{
    while (true) {
        const struct ws_token token = ws_scanner_next(&reading->scanner);
        if (token.kind == WS_TOKEN_END)
            return true;
        if (token.kind == WS_TOKEN_HEADING || token.kind == WS_TOKEN_DIRECTIVE)
            return ws_complain(reading->complaints, token.offset, 0,
                               "-e takes PLACE { … } without %s; --probe FILE takes a file",
                               token.kind == WS_TOKEN_HEADING ? "//!" : "directives");
        bool good = true;
        if (ws_token_is(reading->text, &token, "output"))
            good = ws_read_output(reading, true);
        else if (ws_token_is(reading->text, &token, "name"))
            good = ws_read_name(reading);
        else if (ws_is_place_word(reading->text, &token))
            good = read_action(reading, token.offset);
        else if (!ws_token_is(reading->text, &token, ";"))
            good = read_state(reading, token);
        if (!good)
            return false;
    }
}

/* Without an output there is one: what count() counts. */
static bool add_implicit_output(struct ws_reading *reading)
{
    struct ws_probe_program *program = reading->program;
    const struct ws_probe_output output = {.name = "count", .shape = {.kind = WS_YIELD_COUNT}};
    if (program->output_count > 0)
        return true;
    program->has_implicit_output = true;
    return ws_add_output(reading, &output, (struct ws_part){0, 0});
}

static bool is_word_letter(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_';
}

/* Whether the line that ends there goes on in the next. */
static bool goes_on(const char *text, size_t end)
{
    const size_t last = end > 0 && text[end - 1] == '\r' ? end - 1 : end;
    return last > 0 && text[last - 1] == '\\';
}

/* At a backslash. Behind one, the compiler takes the next line for part of this one, comments too: only a directive goes on so,
 * and neither words nor comments begin in one line and go on in the next. */
static bool check_backslash(const char *text, size_t at, bool in_directive, struct ws_complaints *complaints)
{
    const size_t line_end = at + 1 + (text[at + 1] == '\r');
    if (text[line_end] != '\n')
        return true;
    const char before = at > 0 ? text[at - 1] : '\n';
    const char after = text[line_end + 1];
    const bool is_sign = strchr("/*#", before) != NULL && after != '\0' && strchr("/*#", after) != NULL;
    if (!in_directive)
        return ws_complain(complaints, at, 1, "only a directive goes on behind a \\ in the next line");
    return (!(is_word_letter(before) && is_word_letter(after)) && !is_sign && after != '\\') ||
           ws_complain(complaints, at, 1, "what is one word or sign stands in one line");
}

static bool check_text(const struct ws_probe_source *source, struct ws_complaints *complaints)
{
    bool in_directive = false;
    bool is_begin = true; /* of a line that goes on behind no backslash: nothing but blanks yet */
    const size_t size = strlen(source->text);
    if (size > WS_PROBE_TEXT_MAX)
        return ws_complain(complaints, SIZE_MAX, 0, "it has %zu byte%s; a probe has at most %u", size,
                           ws_plural(size, "s"), WS_PROBE_TEXT_MAX);
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)source->text[i];
        if ((c < 0x20 && strchr("\t\n\r\f\v", c) == NULL) || c == 0x7f)
            return ws_complain(complaints, i, 1, "the byte 0x%02x is no text; is this a probe?", c);
        /* The compiler ends a line here, and a comment with it; ws_scanner_next does not. */
        if (c == '\r' && source->text[i + 1] != '\n')
            return ws_complain(complaints, i, 1, "this carriage return ends no line");
        in_directive = in_directive || (is_begin && c == '#');
        if (c == '\\' && !check_backslash(source->text, i, in_directive, complaints))
            return false;
        if (c == '\n' && !goes_on(source->text, i)) {
            is_begin = true;
            in_directive = false;
        } else if (isspace(c) == 0) {
            is_begin = false;
        }
    }
    return true;
}

struct ws_probe_program *ws_probe_program_create(const struct ws_probe_source *source,
                                                 struct ws_complaints *complaints)
{
    if (!check_text(source, complaints))
        return NULL;
    struct ws_arena *arena = ws_arena_create();
    struct ws_probe_program *program = arena != NULL ? ws_arena_allocate(arena, 1, sizeof(*program)) : NULL;
    if (program == NULL) {
        ws_arena_destroy(arena);
        complaints->out_of_memory = true;
        return NULL;
    }
    *program = (struct ws_probe_program){.arena = arena, .source = source, .name = source->name};
    struct ws_reading reading = {.program = program,
                                 .complaints = complaints,
                                 .text = source->text,
                                 .scanner = ws_scanner_begin(source->text, 0, strlen(source->text))};
    bool good = source->is_one_line ? read_one_line(&reading) : read_file(&reading);
    if (good && program->rule_count == 0)
        good = ws_complain(complaints, SIZE_MAX, 0,
                           source->is_one_line
                               ? "it names no place; write one, as in `after OpFDiv { count(); }`"
                               : "it names no place; write one above a function, as in `//! after OpFDiv`");
    if (!good || !add_implicit_output(&reading) || !ws_check_program(&reading)) {
        ws_probe_program_destroy(program);
        return NULL;
    }
    return program;
}

void ws_probe_program_destroy(struct ws_probe_program *program)
{
    if (program != NULL)
        ws_arena_destroy(program->arena);
}
