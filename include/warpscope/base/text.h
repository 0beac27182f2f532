/* Texts that come from applications: they are made valid UTF-8, kept once each, and printed so that they
 * cannot steer a terminal.
 *
 * CONTROL CHARACTERS are here all that change how the text around them is shown: C0 except tab, DEL, C1, the
 * separators of lines and paragraphs (U+2028, U+2029), and those that change the direction of writing
 * (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069; Unicode Standard Annex 9, section 2). With
 * the latter a name can look like another. They are printed as \x1b, or as \u202e above U+009F. */
#ifndef WARPSCOPE_BASE_TEXT_H
#define WARPSCOPE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "warpscope/base/id_map.h"

/* Makes `size` bytes valid UTF-8 without NUL: each byte that is not part of that becomes "?". */
void ws_text_repair(char *text, size_t size);

/* How many bytes the control character takes with which valid UTF-8 begins. 0 where it begins with another
 * character or is empty. */
size_t ws_text_control_length(const char *text);

/* The code point of that control character. */
uint32_t ws_text_control_code(const char *text);

/* Prints `length` bytes of valid UTF-8, with control characters escaped. */
void ws_text_print_part(FILE *stream, const char *text, size_t length);

/* The same for a whole text. */
void ws_text_print(FILE *stream, const char *text);

/* Writes any text into `out`, NUL-terminated: repaired, and with control characters escaped. What does not
 * fit into `size` bytes (at least 1) is left out from the first character on that does not. Allocates nothing
 * and takes no lock. */
void ws_text_escape(char *out, size_t size, const char *text);

/* The ending of a noun after `count`: "" for one, else `ending`, such as "s" or "es". */
const char *ws_plural(uint64_t count, const char *ending);

/* Writes a number of bytes for people, such as "1.5 MB" (of 1000 kB), and returns it. */
#define WS_BYTES_SIZE 32
const char *ws_bytes_text(uint64_t bytes, char text[WS_BYTES_SIZE]);

/* Reads a number of bytes as people write it: all options and settings take sizes by this. K, M and G are of 1024; kB,
 * MB and GB of 1000, as ws_bytes_text has them; letters may be large or small. False where the text is none, or the
 * number has no room; then `bytes` is as it was. */
bool ws_bytes_parse(const char *text, uint64_t *bytes);

/* How a help says what sizes mean. */
#define WS_BYTES_HELP "K, M, G are of 1024; kB, MB, GB of 1000, as sizes are printed."

bool ws_text_ends_with(const char *text, const char *end);

/* How many columns ws_text_print takes for the control character with which the text begins. */
size_t ws_text_control_width(const char *text);

/* How many terminal columns ws_text_print takes, counting one for each code point. */
size_t ws_text_width(const char *text);

/* Removes an incomplete UTF-8 sequence from the end of a text, as a text that was cut to fit may have. */
void ws_text_cut(char *text);

/* Copies a text into `copy`, which has room for `most` bytes and NUL. Of a longer text the middle is left out, with an
 * ellipsis in its place. `most` is at least 4. */
void ws_text_shorten(const char *text, size_t most, char *copy);

/* Writes an argument as a POSIX shell takes it: in single quotes where it needs them. Returns how many bytes were
 * written: at most 4 for each byte of the argument, and 2. There is no NUL behind them. */
size_t ws_text_quote(char *out, const char *argument);

/* The most bytes that are kept of a text. Real names are shorter; a capture that was made to do harm cannot
 * take more than this for each of its names. */
#define WS_TEXT_KEPT 4096

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
