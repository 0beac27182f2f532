/* The tokens of GLSL, as far as a probe's declarations need them. Comments and blanks are skipped; the lines of the
 * preprocessor are one token each. No state but the scanner's; any bytes are safe. */
#ifndef WS_ANALYSIS_PROBE_TOKENS_H
#define WS_ANALYSIS_PROBE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum ws_token_kind {
    WS_TOKEN_END,
    WS_TOKEN_WORD,      /* an identifier or a keyword */
    WS_TOKEN_NUMBER,    /* 12, 0x1f, 1.5e3, with its sign left out */
    WS_TOKEN_TEXT,      /* "…", which GLSL has not: patterns of heading lines */
    WS_TOKEN_SIGN,      /* one character */
    WS_TOKEN_HEADING,   /* //! and the rest of the line */
    WS_TOKEN_DIRECTIVE, /* # and the rest of the line, lines that go on after \ included */
    WS_TOKEN_BROKEN,    /* a comment or a text that does not end */
};

struct ws_token {
    enum ws_token_kind kind;
    size_t offset; /* in the text */
    size_t length;
};

/* Initialise with the text and the offsets where to begin and to end. */
struct ws_scanner {
    const char *text;
    size_t at;
    size_t end;
    bool line_has_token; /* # begins a directive only at the beginning of a line */
};

struct ws_scanner ws_scanner_begin(const char *text, size_t begin, size_t end);

/* The next token. At the end, and behind a broken one, WS_TOKEN_END. */
struct ws_token ws_scanner_next(struct ws_scanner *scanner);

/* The next token, without taking it. */
struct ws_token ws_scanner_peek(const struct ws_scanner *scanner);

/* Whether the token is this word or sign. */
bool ws_token_is(const char *text, const struct ws_token *token, const char *word);

/* Whether GLSL 4.60 keeps the word for itself: no variable can have that name. */
bool ws_glsl_is_reserved(const char *word, size_t length);

#endif
