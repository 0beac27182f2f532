/* The tokens of GLSL. */
#include <ctype.h>
#include <string.h>

#include "analysis/probe/tokens.h"

struct ws_scanner ws_scanner_begin(const char *text, size_t begin, size_t end)
{
    return (struct ws_scanner){.text = text, .at = begin, .end = end};
}

static bool is_word_begin(char c)
{
    return isalpha((unsigned char)c) != 0 || c == '_';
}

static bool is_word(char c)
{
    return is_word_begin(c) || isdigit((unsigned char)c) != 0;
}

static bool begins_with(const struct ws_scanner *scanner, const char *begin)
{
    const size_t length = strlen(begin);
    return scanner->end - scanner->at >= length && memcmp(scanner->text + scanner->at, begin, length) == 0;
}

static void skip_line(struct ws_scanner *scanner)
{
    while (scanner->at < scanner->end && scanner->text[scanner->at] != '\n')
        scanner->at++;
}

/* Skips a directive: it goes on behind a line that ends with a backslash. */
static void skip_directive(struct ws_scanner *scanner)
{
    while (true) {
        skip_line(scanner);
        size_t last = scanner->at;
        if (last > 0 && scanner->text[last - 1] == '\r')
            last--;
        if (scanner->at == scanner->end || last == 0 || scanner->text[last - 1] != '\\')
            return;
        scanner->at++;
    }
}

/* Skips blanks and comments, but no heading. False at a comment that does not end. */
static bool skip_blanks(struct ws_scanner *scanner)
{
    while (scanner->at < scanner->end) {
        const char c = scanner->text[scanner->at];
        if (c == '\n')
            scanner->line_has_token = false;
        if (isspace((unsigned char)c) != 0 || c == '\\') {
            scanner->at++;
        } else if (begins_with(scanner, "//") && !begins_with(scanner, "//!")) {
            skip_line(scanner);
        } else if (begins_with(scanner, "/*")) {
            const size_t begin = scanner->at;
            scanner->at += 2;
            while (scanner->at < scanner->end && !begins_with(scanner, "*/"))
                scanner->at++;
            if (scanner->at == scanner->end) {
                scanner->at = begin;
                return false;
            }
            scanner->at += 2;
        } else {
            break;
        }
    }
    return true;
}

/* A number as the preprocessor has it: digits, letters, dots, and a sign behind an exponent. */
static void skip_number(struct ws_scanner *scanner)
{
    const char *text = scanner->text;
    const bool is_hexadecimal = begins_with(scanner, "0x") || begins_with(scanner, "0X");
    while (scanner->at < scanner->end) {
        const char c = text[scanner->at];
        const bool is_exponent_sign = (c == '+' || c == '-') && !is_hexadecimal &&
                                      (text[scanner->at - 1] == 'e' || text[scanner->at - 1] == 'E');
        if (!is_word(c) && c != '.' && !is_exponent_sign)
            break;
        scanner->at++;
    }
}

/* False where it does not end in its line. */
static bool skip_text(struct ws_scanner *scanner)
{
    for (size_t at = scanner->at + 1; at < scanner->end && scanner->text[at] != '\n'; at++)
        if (scanner->text[at] == '"') {
            scanner->at = at + 1;
            return true;
        }
    return false;
}

static struct ws_token broken(struct ws_scanner *scanner)
{
    const struct ws_token token = {WS_TOKEN_BROKEN, scanner->at, 1};
    scanner->at = scanner->end;
    return token;
}

struct ws_token ws_scanner_next(struct ws_scanner *scanner)
{
    if (!skip_blanks(scanner))
        return broken(scanner);
    struct ws_token token = {WS_TOKEN_END, scanner->at, 0};
    if (scanner->at >= scanner->end)
        return token;
    const char c = scanner->text[scanner->at];
    const bool was_begin = !scanner->line_has_token;
    scanner->line_has_token = true;
    if (begins_with(scanner, "//!")) {
        token.kind = WS_TOKEN_HEADING;
        skip_line(scanner);
    } else if (c == '#' && was_begin) {
        token.kind = WS_TOKEN_DIRECTIVE;
        skip_directive(scanner);
    } else if (c == '"') {
        token.kind = WS_TOKEN_TEXT;
        if (!skip_text(scanner))
            return broken(scanner);
    } else if (is_word_begin(c)) {
        token.kind = WS_TOKEN_WORD;
        while (scanner->at < scanner->end && is_word(scanner->text[scanner->at]))
            scanner->at++;
    } else if (isdigit((unsigned char)c) != 0 ||
               (c == '.' && scanner->at + 1 < scanner->end &&
                isdigit((unsigned char)scanner->text[scanner->at + 1]) != 0)) {
        token.kind = WS_TOKEN_NUMBER;
        skip_number(scanner);
    } else {
        token.kind = WS_TOKEN_SIGN;
        scanner->at++;
        /* A character of UTF-8 is one sign. */
        while (scanner->at < scanner->end && ((unsigned char)scanner->text[scanner->at] & 0xc0) == 0x80)
            scanner->at++;
    }
    token.length = scanner->at - token.offset;
    return token;
}

struct ws_token ws_scanner_peek(const struct ws_scanner *scanner)
{
    struct ws_scanner copy = *scanner;
    return ws_scanner_next(&copy);
}

bool ws_token_is(const char *text, const struct ws_token *token, const char *word)
{
    return token->length == strlen(word) && token->length > 0 &&
           memcmp(text + token->offset, word, token->length) == 0;
}

/* GLSL 4.60, 3.6 "Keywords", and the types of the extensions that probes have. Families such as image2D and sampler2D are
 * found by how they begin. */
static const char *const reserved[] = {
    "const",
    "uniform",
    "buffer",
    "shared",
    "attribute",
    "varying",
    "coherent",
    "volatile",
    "restrict",
    "readonly",
    "writeonly",
    "atomic_uint",
    "layout",
    "centroid",
    "flat",
    "smooth",
    "noperspective",
    "patch",
    "sample",
    "invariant",
    "precise",
    "break",
    "continue",
    "do",
    "for",
    "while",
    "switch",
    "case",
    "default",
    "if",
    "else",
    "subroutine",
    "in",
    "out",
    "inout",
    "int",
    "void",
    "bool",
    "true",
    "false",
    "float",
    "double",
    "discard",
    "return",
    "vec2",
    "vec3",
    "vec4",
    "ivec2",
    "ivec3",
    "ivec4",
    "bvec2",
    "bvec3",
    "bvec4",
    "uint",
    "uvec2",
    "uvec3",
    "uvec4",
    "dvec2",
    "dvec3",
    "dvec4",
    "mat2",
    "mat3",
    "mat4",
    "mat2x2",
    "mat2x3",
    "mat2x4",
    "mat3x2",
    "mat3x3",
    "mat3x4",
    "mat4x2",
    "mat4x3",
    "mat4x4",
    "dmat2",
    "dmat3",
    "dmat4",
    "lowp",
    "mediump",
    "highp",
    "precision",
    "struct",
    "common",
    "partition",
    "active",
    "asm",
    "class",
    "union",
    "enum",
    "typedef",
    "template",
    "this",
    "resource",
    "goto",
    "inline",
    "noinline",
    "public",
    "static",
    "extern",
    "external",
    "interface",
    "long",
    "short",
    "half",
    "fixed",
    "unsigned",
    "superp",
    "input",
    "output",
    "hvec2",
    "hvec3",
    "hvec4",
    "fvec2",
    "fvec3",
    "fvec4",
    "filter",
    "sizeof",
    "cast",
    "namespace",
    "using",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "float16_t",
    "float32_t",
    "float64_t",
    "demote",
    "terminateInvocation",
};

bool ws_glsl_is_reserved(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
        if (strlen(reserved[i]) == length && memcmp(reserved[i], word, length) == 0)
            return true;
    return (length > 6 && memcmp(word, "sampler", 7 < length ? 7 : length) == 0) ||
           (length > 7 && memcmp(word, "texture", 7) == 0 && isdigit((unsigned char)word[7]) != 0) ||
           (length > 5 && memcmp(word, "image", 5) == 0 && isdigit((unsigned char)word[5]) != 0);
}
