/* What the compiler says of a probe. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/probe/messages.h"
#include "analysis/probe/tokens.h"
#include "passes/base/near.h"
#include "warpscope/instrument.h"

#define TOKEN_SIZE 128
#define TEXT_SIZE  512

/* A line of the log: "ERROR: 1:12: 'token' : what is wrong". */
struct message {
    uint32_t part; /* WS_PROBE_TEXT_* */
    uint32_t line;
    char token[TOKEN_SIZE]; /* "" = none */
    char text[TEXT_SIZE];
};

/* Copies a text, without the prefix of calls, wherever it stands. */
static void copy_plain(char *copy, size_t size, const char *text, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < size;)
        if (length - i >= strlen(WS_PROBE_CALL_PREFIX) &&
            memcmp(text + i, WS_PROBE_CALL_PREFIX, strlen(WS_PROBE_CALL_PREFIX)) == 0)
            i += strlen(WS_PROBE_CALL_PREFIX);
        else
            copy[used++] = text[i++];
    copy[used] = '\0';
}

/* Reads the line at `*log` and moves behind it. False at the end. Lines that are no errors have the part UINT32_MAX. */
static bool next_message(const char **log, struct message *message)
{
    const char *line = *log;
    if (line == NULL || *line == '\0')
        return false;
    const size_t length = strcspn(line, "\n");
    *log = line + length + (line[length] == '\n');
    *message = (struct message){.part = UINT32_MAX};
    if (strncmp(line, "ERROR: ", 7) != 0)
        return true;
    char *end = NULL;
    const unsigned long part = strtoul(line + 7, &end, 10);
    if (*end != ':' || end == line + 7) {
        message->part = WS_PROBE_TEXT_WRAPPER;
        copy_plain(message->text, TEXT_SIZE, line + 7, length - 7);
        /* "ERROR: 3 compilation errors.  No code generated." */
        if (isdigit((unsigned char)line[7]) != 0)
            message->part = UINT32_MAX;
        return true;
    }
    message->part = (uint32_t)part;
    message->line = (uint32_t)strtoul(end + 1, &end, 10);
    end += strspn(end, ": ");
    size_t rest = (size_t)(line + length - end);
    if (*end == '\'') {
        const char *close = end + 1;
        while (close < line + length && strncmp(close, "' : ", 4) != 0)
            close++;
        if (close < line + length) {
            copy_plain(message->token, TOKEN_SIZE, end + 1, (size_t)(close - end - 1));
            end += close + 4 - end;
            rest = (size_t)(line + length - end);
        }
    }
    while (rest > 0 && *end == ' ') {
        end++;
        rest--;
    }
    copy_plain(message->text, TEXT_SIZE, end, rest);
    for (size_t i = strlen(message->text); i > 0 && message->text[i - 1] == ' '; i--)
        message->text[i - 1] = '\0';
    return true;
}

static bool is_terminated(const struct message *message)
{
    return strstr(message->text, "compilation terminated") != NULL;
}

void ws_messages_count(const char *log, uint32_t candidate_count, struct ws_message_counts *counts)
{
    struct message message;
    *counts = (struct ws_message_counts){.cut_candidate = WS_NONE};
    while (next_message(&log, &message)) {
        if (message.part == UINT32_MAX)
            continue;
        const uint32_t candidate = message.part - WS_PROBE_TEXT_BODY;
        const bool is_candidate = message.part >= WS_PROBE_TEXT_BODY && candidate < candidate_count;
        if (is_terminated(&message) || strstr(message.text, "syntax error") != NULL) {
            counts->is_cut = true;
            counts->cut_candidate = is_candidate ? candidate : counts->cut_candidate;
        }
        if (is_candidate && candidate < 512)
            counts->candidate_errors[candidate]++;
        else
            counts->user++;
    }
}

/* ---- plain words ---- */

/* Which function of probes the word is; NULL for none. */
static bool is_probe_word(const char *word)
{
    for (size_t i = 0; ws_probe_words[i] != NULL; i++)
        if (strcmp(ws_probe_words[i], word) == 0)
            return strcmp(word, "main") != 0;
    return false;
}

static void try_names(struct ws_near *near, const struct ws_probe_program *program)
{
    for (uint32_t i = 0; i < program->output_count; i++)
        ws_near_try(near, program->outputs[i].name);
    for (uint32_t i = 0; i < program->overload_count; i++)
        for (uint32_t k = 0; k < program->overloads[i].argument_count; k++) {
            const struct ws_probe_parameter *parameter = &program->overloads[i].arguments[k].parameter;
            ws_near_try(near, parameter->binding == WS_PROBE_RESULT ? "result" : parameter->name);
        }
    ws_near_try(near, "result");
}

/* Calls of a word that the probe's outputs allow: "count(bad), count(worse)". */
static void list_calls(const struct ws_probe_program *program, const char *word, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (uint32_t i = 0; i < program->output_count && used < size; i++) {
        char call[256];
        if (strcmp(ws_probe_word_of(&program->outputs[i]), word) != 0)
            continue;
        ws_probe_call_of(&program->outputs[i], call, sizeof(call));
        if (program->has_implicit_output)
            snprintf(call, sizeof(call), "count()");
        used += (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", call);
    }
}

/* Says how a function of probes is called. */
static void explain_call(const struct ws_probe_program *program, const char *word, char *text, size_t size)
{
    static const struct {
        const char *word;
        const char *kinds;
        const char *example;
    } outputs[] = {
        {"count", "count", "output bad: count"},
        {"add", "sum or table", "output total: sum float"},
        {"value", "min, max, histogram or values", "output h: histogram log2"},
        {"record", "record", "output r: record { uint work; }"},
        {"sample", "sample", "output s: sample 4 { uint work; }"},
        {"count_warp", "lanes", "output full: lanes"},
    };
    char calls[400];
    list_calls(program, word, calls, sizeof(calls));
    snprintf(text, size, "%s() takes nothing", word);
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
        if (strcmp(outputs[i].word, word) != 0)
            continue;
        if (calls[0] != '\0')
            snprintf(text, size, "%s() is not called so; here it is %s", word, calls);
        else
            snprintf(text, size, "%s() needs an output of kind %s; declare one: %s`%s`", word,
                     outputs[i].kinds, program->source->is_one_line ? "" : "`//! ", outputs[i].example);
        if (calls[0] == '\0' && !program->source->is_one_line)
            snprintf(text, size, "%s() needs an output of kind %s; declare one: `//! %s`", word,
                     outputs[i].kinds, outputs[i].example);
    }
}

/* The overload that a wrapper calls, and which is not there; NULL of other messages. */
static const struct ws_probe_overload *missing_overload(const struct message *message,
                                                        const struct ws_probe_program *program)
{
    if (message->part != WS_PROBE_TEXT_WRAPPER ||
        strstr(message->text, "no matching overloaded function") == NULL)
        return NULL;
    for (uint32_t i = 0; i < program->overload_count; i++)
        if (strcmp(program->overloads[i].name, message->token) == 0)
            return &program->overloads[i];
    return NULL;
}

static void explain_function(const struct message *message, const struct ws_probe_program *program,
                             char *text, size_t size)
{
    const char *token = message->token;
    struct ws_near near = ws_near_begin(token, strlen(token));
    if (is_probe_word(token)) {
        explain_call(program, token, text, size);
        return;
    }
    for (size_t i = 0; ws_probe_words[i] != NULL; i++)
        if (strcmp(ws_probe_words[i], "main") != 0)
            ws_near_try(&near, ws_probe_words[i]);
    if (near.name != NULL)
        snprintf(text, size, "there is no function '%s' that takes these; did you mean '%s'?", token,
                 near.name);
    else
        snprintf(text, size, "there is no function '%s' that takes values of these types", token);
}

static void explain_name(const struct message *message, const struct ws_probe_program *program, char *text,
                         size_t size)
{
    const char *token = message->token;
    struct ws_near near = ws_near_begin(token, strlen(token));
    try_names(&near, program);
    if (near.name != NULL)
        snprintf(text, size, "'%s' is not known here; did you mean '%s'?", token, near.name);
    else if (is_probe_word(token))
        snprintf(text, size, "'%s' is a function; call it: %s()", token, token);
    else
        snprintf(text, size, "'%s' is not known here; a value of the place is a parameter of the function",
                 token);
}

static void explain_syntax(const struct message *message, char *text, size_t size)
{
    if (strstr(message->text, "unexpected") == NULL)
        snprintf(text, size, "this cannot be read");
    else
        snprintf(text, size, "this cannot be read: something is missing or wrong before '%s'",
                 message->token[0] != '\0' ? message->token : "the end");
}

/* Writes what is wrong, in plain words. */
static void explain(const struct message *message, const struct ws_probe_program *program, char *text,
                    size_t size)
{
    static const struct {
        const char *said; /* a part of what glslang says; the first that fits counts */
        bool has_token;   /* our words stand behind the token */
        const char *words;
    } others[] = {
        {"cannot convert", false,
         "this value has another type than what it is put into; convert it: float(x), uint(x)"},
        {"wrong operand type", true, "does not work on these types; convert one: float(x), uint(x)"},
        {"redefinition", true, "is declared twice"},
        {"already has a body", true, "is declared twice"},
        {"boolean", false,
         "a condition must be true or false: compare it with something; of vectors use any() or all()"},
        {"extension not requested", false,
         "this needs an extension; write its line `#extension NAME : require` on top"},
        {"required extension", false,
         "this needs an extension; write its line `#extension NAME : require` on top"},
        {"l-value required", true, "cannot be changed; copy it into a variable"},
        {"can't modify", true, "cannot be changed; copy it into a variable"},
        {"void", false, "there is no value here"},
        {"ecursi", false, "a function calls itself, which no shader can"},
        {"#endif", false, "an #if has no #endif"},
        {"", false, "this does not compile"},
    };
    size_t i = 0;
    if (strstr(message->text, "no matching overloaded function") != NULL) {
        explain_function(message, program, text, size);
    } else if (strstr(message->text, "undeclared identifier") != NULL) {
        explain_name(message, program, text, size);
    } else if (strstr(message->text, "syntax error") != NULL) {
        explain_syntax(message, text, size);
    } else {
        while (strstr(message->text, others[i].said) == NULL)
            i++;
        if (others[i].has_token)
            snprintf(text, size, "'%s' %s", message->token, others[i].words);
        else
            snprintf(text, size, "%s", others[i].words);
    }
}

/* ---- where ---- */

static bool is_word_letter(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_';
}

/* Signs as glslang names them. */
static const char *plain_sign(const char *name)
{
    static const char *const signs[][2] = {
        {"SEMICOLON", ";"},  {"RIGHT_BRACE", "}"},   {"LEFT_BRACE", "{"},   {"RIGHT_PAREN", ")"},
        {"LEFT_PAREN", "("}, {"RIGHT_BRACKET", "]"}, {"LEFT_BRACKET", "["}, {"COMMA", ","},
        {"EQUAL", "="},      {"COLON", ":"},         {"DOT", "."},          {"ELSE", "else"},
        {"assign", "="},     {"RETURN", "return"},
    };
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strncmp(signs[i][0], name, strlen(signs[i][0])) == 0)
            return signs[i][1];
    return "";
}

/* What the message is about, as it stands in the text: an error of syntax names it in its words. */
static void name_token(struct message *message)
{
    static const char mark[] = "unexpected ";
    const char *unexpected = strstr(message->text, mark);
    if (message->token[0] == '\0' && unexpected != NULL)
        snprintf(message->token, TOKEN_SIZE, "%s", plain_sign(unexpected + strlen(mark)));
    else if (strcmp(message->token, "assign") == 0)
        snprintf(message->token, TOKEN_SIZE, "=");
}

/* Where the token stands in the line, from `from` on; else the line. Of a sign that stands there several times it is the
 * line, too. */
static size_t find_token(const struct ws_probe_source *source, uint32_t line, size_t from, const char *token,
                         size_t *length)
{
    const char *text = source->text;
    const size_t line_begin = ws_probe_text_line(source, line);
    const size_t end = line_begin + strcspn(text + line_begin, "\n");
    const size_t begin = from > line_begin && from < end ? from : line_begin;
    const size_t token_length = strlen(token);
    const bool is_word = token_length > 0 && is_word_letter(token[0]);
    size_t found = SIZE_MAX;
    uint32_t count = 0;
    for (size_t i = begin; token_length > 0 && i + token_length <= end; i++) {
        const bool is_begin = i == begin || !is_word || !is_word_letter(text[i - 1]);
        const bool is_end = !is_word || !is_word_letter(text[i + token_length]);
        if (!is_begin || !is_end || memcmp(text + i, token, token_length) != 0)
            continue;
        found = count++ == 0 ? i : found;
    }
    if (count == 1 || (count > 0 && is_word)) {
        *length = token_length;
        return found;
    }
    const size_t first = begin + strspn(text + begin, " \t");
    *length = end > first ? end - first : 0;
    return first;
}

static void complain(struct message *message, const struct ws_probe_program *program, size_t from,
                     struct ws_complaints *complaints)
{
    char plain[800];
    char said[TEXT_SIZE + TOKEN_SIZE + 8];
    size_t length = 0;
    size_t offset = SIZE_MAX;
    if (message->token[0] != '\0')
        snprintf(said, sizeof(said), "'%s' : %s", message->token, message->text);
    else
        snprintf(said, sizeof(said), "%s", message->text);
    name_token(message);
    explain(message, program, plain, sizeof(plain));
    if (message->part == WS_PROBE_TEXT_USER || message->part >= WS_PROBE_TEXT_BODY)
        offset = find_token(program->source, message->line, from, message->token, &length);
    const struct ws_probe_overload *missing = missing_overload(message, program);
    if (missing != NULL) {
        offset = missing->part.offset;
        length = missing->part.length;
        snprintf(plain, sizeof(plain), "'%s' is not there: an #if leaves it out, or a macro changes it",
                 missing->label);
    }
    ws_complain(complaints, offset, length, "%s (glslang: %s)", plain, said);
}

void ws_messages_complain(const char *log, const struct ws_probe_program *program,
                          const struct ws_probe_candidate *candidates, uint32_t candidate,
                          struct ws_complaints *complaints)
{
    struct message message;
    while (next_message(&log, &message)) {
        const bool is_body = message.part >= WS_PROBE_TEXT_BODY;
        if (message.part == UINT32_MAX || is_terminated(&message) ||
            (is_body && message.part - WS_PROBE_TEXT_BODY != candidate))
            continue;
        /* What surrounds the user's text fails with it. */
        if ((message.part == WS_PROBE_TEXT_WRAPPER || message.part == WS_PROBE_TEXT_PRELUDE) &&
            complaints->errors > 0)
            continue;
        complain(&message, program,
                 is_body ? program->overloads[candidates[candidate].overload].body.offset : 0, complaints);
    }
}
