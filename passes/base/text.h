/* Texts that come from applications: they are made valid UTF-8, kept once each, and printed so that they
 * cannot send control characters to a terminal. */
#ifndef WS_PASSES_BASE_TEXT_H
#define WS_PASSES_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "passes/base/id_map.h"

/* Makes `size` bytes valid UTF-8 without NUL: each byte that is not part of that becomes "?". */
void ws_text_repair(char *text, size_t size);

/* How many bytes the control character takes with which the text begins: C0 except tab, DEL, or C1. 0 where
 * the text begins with another character or is empty. */
size_t ws_text_control_length(const char *text);

/* Prints `length` bytes of valid UTF-8. Control characters except tab are printed as \xNN. */
void ws_text_print_part(FILE *stream, const char *text, size_t length);

/* The same for a whole text. */
void ws_text_print(FILE *stream, const char *text);

/* The ending of a noun after `count`: "" for one, else `ending`, such as "s" or "es". */
const char *ws_plural(uint64_t count, const char *ending);

bool ws_text_ends_with(const char *text, const char *end);

/* How many terminal columns ws_text_print takes, counting one for each code point. */
size_t ws_text_width(const char *text);

/* Removes an incomplete UTF-8 sequence from the end of a text, as a text that was cut to fit may have. */
void ws_text_cut(char *text);

/* The most bytes that are kept of a text. Real names are shorter; a capture that was made to do harm cannot
 * take more than this for each of its names. */
#define WS_TEXT_KEPT 65536

/* Keeps each different text once, as long as the pool lives. Zero-initialised is empty. */
struct ws_text_pool {
    struct ws_id_map ids; /* hash of the text -> index */
    char **texts;
    uint32_t count;
    uint32_t capacity;
};

void ws_text_pool_finish(struct ws_text_pool *pool);

/* The pool's copy of `text`. Of a text longer than WS_TEXT_KEPT it has that much and "...". NULL when there
 * is no memory. */
const char *ws_text_pool_add(struct ws_text_pool *pool, const char *text);

#endif
