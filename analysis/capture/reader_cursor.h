/* Reads on through a payload; reader_payload.h tells how. */
#ifndef WS_ANALYSIS_CAPTURE_READER_CURSOR_H
#define WS_ANALYSIS_CAPTURE_READER_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

struct ws_arena;

/* Sticky: after a failure everything is 0, "" or empty. */
struct ws_reader_cursor {
    uint8_t *data;
    size_t size;
    size_t at;
    struct ws_arena *arena;
    struct ws_error *error;
    bool failed;
};

void ws_reader_cursor_fail(struct ws_reader_cursor *cursor, const char *what);
size_t ws_reader_cursor_remaining(const struct ws_reader_cursor *cursor);

/* An array of the arena; NULL for no elements, and after a failure. */
void *ws_reader_cursor_allocate(struct ws_reader_cursor *cursor, uint32_t count, size_t size);

/* The next `size` bytes; NULL when there are not so many. */
uint8_t *ws_take(struct ws_reader_cursor *cursor, size_t size);
uint32_t ws_take_u32(struct ws_reader_cursor *cursor);
uint64_t ws_take_u64(struct ws_reader_cursor *cursor);

/* A count of things that take at least `least` bytes each. */
uint32_t ws_take_count(struct ws_reader_cursor *cursor, size_t least);

/* A text, moved over its length word. Names come from applications: what is no UTF-8 becomes "?". */
const char *ws_take_text(struct ws_reader_cursor *cursor);
const char *const *ws_take_texts(struct ws_reader_cursor *cursor, uint32_t *count);

/* `count` words in host byte order, moved back over the word before them to where they are aligned. */
const uint32_t *ws_take_words(struct ws_reader_cursor *cursor, size_t count);
const uint32_t *ws_take_ids(struct ws_reader_cursor *cursor, uint32_t *count);

/* `count` words whose bytes stand by significance: the lowest of every word, then the next. */
const uint32_t *ws_take_planes(struct ws_reader_cursor *cursor, uint32_t count);

#endif
