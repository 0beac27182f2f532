#include "analysis/capture/reader_cursor.h"

#include <string.h>

#include "passes/base/arena.h"
#include "passes/base/text.h"

void ws_reader_cursor_fail(struct ws_reader_cursor *cursor, const char *what)
{
    if (!cursor->failed)
        ws_error_set(cursor->error, "%s at byte %zu of its %zu bytes", what, cursor->at, cursor->size);
    cursor->failed = true;
}

size_t ws_reader_cursor_remaining(const struct ws_reader_cursor *cursor)
{
    return cursor->size - cursor->at;
}

uint8_t *ws_take(struct ws_reader_cursor *cursor, size_t size)
{
    if (cursor->failed || size > ws_reader_cursor_remaining(cursor)) {
        ws_reader_cursor_fail(cursor, "the payload ends too early,");
        return NULL;
    }
    uint8_t *bytes = cursor->data + cursor->at;
    cursor->at += size;
    return bytes;
}

static uint32_t load_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

uint32_t ws_take_u32(struct ws_reader_cursor *cursor)
{
    const uint8_t *bytes = ws_take(cursor, 4);
    return bytes != NULL ? load_u32(bytes) : 0;
}

uint64_t ws_take_u64(struct ws_reader_cursor *cursor)
{
    const uint8_t *bytes = ws_take(cursor, 8);
    return bytes != NULL ? (uint64_t)load_u32(bytes) | (uint64_t)load_u32(bytes + 4) << 32 : 0;
}

uint32_t ws_take_count(struct ws_reader_cursor *cursor, size_t least)
{
    uint32_t count = ws_take_u32(cursor);
    if (!cursor->failed && count > ws_reader_cursor_remaining(cursor) / least) {
        ws_reader_cursor_fail(cursor, "a count is larger than what follows it,");
        return 0;
    }
    return count;
}

void *ws_reader_cursor_allocate(struct ws_reader_cursor *cursor, uint32_t count, size_t size)
{
    if (count == 0 || cursor->failed)
        return NULL;
    void *array = ws_arena_allocate(cursor->arena, count, size);
    if (array == NULL)
        ws_reader_cursor_fail(cursor, "no memory");
    return array;
}

const char *ws_take_text(struct ws_reader_cursor *cursor)
{
    uint32_t length = ws_take_u32(cursor);
    uint8_t *bytes = ws_take(cursor, length);
    if (bytes == NULL)
        return "";
    uint8_t *text = bytes - 4;
    memmove(text, bytes, length);
    text[length] = '\0';
    ws_text_repair((char *)text, length);
    return (const char *)text;
}

const uint32_t *ws_take_words(struct ws_reader_cursor *cursor, size_t count)
{
    uint8_t *bytes = ws_take(cursor, 4 * count);
    if (bytes == NULL)
        return NULL;
    uint32_t *words = (uint32_t *)(void *)(bytes - (size_t)(bytes - cursor->data) % 4);
    for (size_t i = 0; i < count; ++i)
        words[i] = load_u32(bytes + 4 * i);
    return words;
}

const uint32_t *ws_take_planes(struct ws_reader_cursor *cursor, uint32_t count)
{
    const uint8_t *bytes = ws_take(cursor, 4 * (size_t)count);
    uint32_t *words = ws_reader_cursor_allocate(cursor, count, sizeof(*words));
    if (bytes == NULL || words == NULL)
        return NULL;
    const uint8_t *low = bytes;
    const uint8_t *second = bytes + count;
    const uint8_t *third = second + count;
    const uint8_t *high = third + count;
    for (size_t i = 0; i < count; ++i)
        words[i] =
            (uint32_t)low[i] | (uint32_t)second[i] << 8 | (uint32_t)third[i] << 16 | (uint32_t)high[i] << 24;
    return words;
}

const uint32_t *ws_take_ids(struct ws_reader_cursor *cursor, uint32_t *count)
{
    *count = ws_take_count(cursor, 4);
    return ws_take_words(cursor, *count);
}

const char *const *ws_take_texts(struct ws_reader_cursor *cursor, uint32_t *count)
{
    *count = ws_take_count(cursor, 4);
    const char **texts = ws_reader_cursor_allocate(cursor, *count, sizeof(*texts));
    for (uint32_t i = 0; i < *count && !cursor->failed; ++i)
        texts[i] = ws_take_text(cursor);
    return texts;
}
