/* Texts that come from applications: made valid, kept once, and printed without harm to a terminal. */
#ifndef WS_PASSES_BASE_TEXT_H
#define WS_PASSES_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "passes/base/id_map.h"

/* Makes `size` bytes valid UTF-8 without NUL: every byte that is not becomes "?". */
void ws_text_repair(char *text, size_t size);

/* Bytes of the control character (C0 but for tab, DEL, C1) with which a NUL-terminated text begins; 0 where
 * it begins with another, or ends. */
size_t ws_text_control_length(const char *text);

/* Prints `length` bytes of valid UTF-8; control characters but tab are shown as \xNN, so that a name cannot
 * drive the terminal. */
void ws_text_print_part(FILE *stream, const char *text, size_t length);

/* Prints all of a text so. */
void ws_text_print(FILE *stream, const char *text);

/* What a noun takes after `count`: "" for one, else `ending`, such as "s" or "es". */
const char *ws_plural(uint64_t count, const char *ending);

bool ws_text_ends_with(const char *text, const char *end);

/* How many terminal columns ws_text_print needs, taking one for each code point. */
size_t ws_text_width(const char *text);

/* Cuts an incomplete UTF-8 sequence off the end of a text that was cut to fit. */
void ws_text_cut(char *text);

/* Bytes of a text that are kept: names are shorter, and a capture made to do harm costs no more than this for
 * each of them. */
#define WS_TEXT_KEPT 65536

/* Each different text once, for as long as the pool lives. Zero-initialised is empty. */
struct ws_text_pool {
    struct ws_id_map ids; /* hash of the text -> index */
    char **texts;
    uint32_t count;
    uint32_t capacity;
};

void ws_text_pool_finish(struct ws_text_pool *pool);

/* The pool's copy of `text`, where it is longer than WS_TEXT_KEPT only of that much and "..."; NULL when
 * there is no memory. */
const char *ws_text_pool_add(struct ws_text_pool *pool, const char *text);

#endif
