#include "warpscope/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Length of the UTF-8 sequence at `text`, or 0 where there is no valid one (RFC 3629, section 4). */
static size_t sequence_length(const uint8_t *text, size_t size)
{
    uint8_t first = text[0];
    if (first < 0x80)
        return first != 0 ? 1 : 0;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || length > size)
        return 0;
    uint8_t lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (text[1] < lowest || text[1] > highest)
        return 0;
    for (size_t i = 2; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void ws_text_repair(char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t valid = sequence_length((const uint8_t *)text + i, size - i);
        if (valid == 0)
            text[i] = '?';
        i += valid > 0 ? valid : 1;
    }
}

/* Whether the code point of a sequence of three bytes is a control character: text.h lists them. */
static bool is_wide_control(uint32_t code)
{
    return code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* Each byte is looked at only where the one before it is not the end. */
size_t ws_text_control_length(const char *characters)
{
    const uint8_t *text = (const uint8_t *)characters;
    if ((text[0] < 0x20 && text[0] != '\t' && text[0] != '\0') || text[0] == 0x7f)
        return 1;
    if (text[0] == 0xc2)
        return text[1] >= 0x80 && text[1] < 0xa0 ? 2 : 0;
    if (text[0] == 0xd8)
        return text[1] == 0x9c ? 2 : 0;
    if (text[0] == 0xe2 && (text[1] == 0x80 || text[1] == 0x81))
        return is_wide_control(ws_text_control_code(characters)) ? 3 : 0;
    return 0;
}

uint32_t ws_text_control_code(const char *characters)
{
    const uint8_t *text = (const uint8_t *)characters;
    if (text[0] < 0x80)
        return text[0];
    if (text[0] < 0xe0)
        return (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu);
    return (text[0] & 0x0fu) << 12 | (text[1] & 0x3fu) << 6 | (text[2] & 0x3fu);
}

size_t ws_text_control_width(const char *text)
{
    return ws_text_control_code(text) < 0xa0 ? 4 : 6;
}

/* Room for an escape and its NUL. */
#define ESCAPE_SIZE 8

/* The escape of the control character with which the text begins. */
static const char *escape(const char *text, char escaped[ESCAPE_SIZE])
{
    const unsigned code = ws_text_control_code(text) & 0xffff;
    snprintf(escaped, ESCAPE_SIZE, code < 0xa0 ? "\\x%02x" : "\\u%04x", code);
    return escaped;
}

void ws_text_print_part(FILE *stream, const char *text, size_t length)
{
    char escaped[ESCAPE_SIZE];
    const char *end = text + length;
    for (const char *at = text; at < end;) {
        size_t control = ws_text_control_length(at);
        if (control > 0)
            fputs(escape(at, escaped), stream);
        else
            fputc(*at, stream);
        at += control > 0 ? control : 1;
    }
}

void ws_text_escape(char *out, size_t size, const char *text)
{
    const char *end = text + strlen(text);
    size_t used = 0;
    while (text < end) {
        char part[ESCAPE_SIZE] = "?";
        size_t length = sequence_length((const uint8_t *)text, (size_t)(end - text));
        if (length > 0 && ws_text_control_length(text) > 0) {
            escape(text, part);
        } else if (length > 0) {
            memcpy(part, text, length);
            part[length] = '\0';
        }
        if (used + strlen(part) >= size)
            break;
        memcpy(out + used, part, strlen(part));
        used += strlen(part);
        text += length > 0 ? length : 1;
    }
    out[used] = '\0';
}

void ws_text_print(FILE *stream, const char *text)
{
    ws_text_print_part(stream, text, strlen(text));
}

const char *ws_plural(uint64_t count, const char *ending)
{
    return count == 1 ? "" : ending;
}

const char *ws_bytes_text(uint64_t bytes, char text[WS_BYTES_SIZE])
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double size = (double)bytes;
    size_t unit = 0;
    for (; size >= 1000 && unit < 4; size /= 1000)
        unit++;
    snprintf(text, WS_BYTES_SIZE, "%.*f %s", unit > 0 ? 1 : 0, size, units[unit]);
    return text;
}

bool ws_bytes_parse(const char *text, uint64_t *bytes)
{
    static const char units[] = "kmg";
    char *end = NULL;
    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    const uint64_t number = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, tolower((unsigned char)*end)) : NULL;
    end += unit != NULL ? 1 : 0;
    const bool decimal = unit != NULL && tolower((unsigned char)*end) == 'b';
    end += decimal ? 1 : 0;
    uint64_t scale = 1;
    for (const char *each = units; unit != NULL && each <= unit; ++each)
        scale *= decimal ? 1000 : 1024;
    if (errno != 0 || *end != '\0' || number > UINT64_MAX / scale)
        return false;
    *bytes = number * scale;
    return true;
}

bool ws_text_ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

size_t ws_text_width(const char *text)
{
    size_t width = 0;
    for (const uint8_t *at = (const uint8_t *)text; *at != 0;) {
        size_t control = ws_text_control_length((const char *)at);
        if (control > 0)
            width += ws_text_control_width((const char *)at);
        else if ((*at & 0xc0) != 0x80)
            width++;
        at += control > 0 ? control : 1;
    }
    return width;
}

void ws_text_cut(char *text)
{
    size_t end = strlen(text);
    size_t start = end;
    while (start > 0 && ((uint8_t)text[start - 1] & 0xc0) == 0x80)
        --start;
    if (start > 0 && ((uint8_t)text[start - 1] & 0x80) != 0)
        --start;
    if (start < end && sequence_length((const uint8_t *)text + start, end - start) != end - start)
        text[start] = '\0';
}

void ws_text_shorten(const char *text, size_t most, char *copy)
{
    static const char ellipsis[] = "…";
    const size_t length = strlen(text);
    const size_t head = (most - strlen(ellipsis)) / 2;
    size_t tail = most - strlen(ellipsis) - head;
    if (length <= most) {
        memcpy(copy, text, length + 1);
        return;
    }
    memcpy(copy, text, head);
    copy[head] = '\0';
    ws_text_cut(copy);
    while (tail > 0 && ((uint8_t)text[length - tail] & 0xc0) == 0x80)
        --tail;
    strcat(strcat(copy, ellipsis), text + length - tail);
}

/* Whether a POSIX shell takes the argument without quotes. */
static bool is_plain(const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    return argument[0] != '\0' && argument[strspn(argument, plain)] == '\0';
}

size_t ws_text_quote(char *out, const char *argument)
{
    char *at = out;
    if (is_plain(argument)) {
        size_t length = strlen(argument);
        memcpy(at, argument, length);
        return length;
    }
    *at++ = '\'';
    for (; *argument != '\0'; ++argument) {
        if (*argument == '\'') {
            memcpy(at, "'\\''", 4);
            at += 4;
        } else {
            *at++ = *argument;
        }
    }
    *at++ = '\'';
    return (size_t)(at - out);
}

void ws_text_pool_finish(struct ws_text_pool *pool)
{
    for (uint32_t i = 0; i < pool->count; ++i)
        free(pool->texts[i]);
    free(pool->texts);
    ws_id_map_finish(&pool->ids);
    memset(pool, 0, sizeof(*pool));
}

/* A copy of the first `length` bytes; of a text that is longer, with "..." behind them. */
static char *copy_text(const char *text, size_t length)
{
    static const char cut_mark[] = "...";
    char *copy = malloc(length + sizeof(cut_mark));
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (text[length] != '\0') {
        ws_text_cut(copy);
        strcat(copy, cut_mark);
    }
    return copy;
}

const char *ws_text_pool_add(struct ws_text_pool *pool, const char *text)
{
    size_t length = strnlen(text, WS_TEXT_KEPT);
    bool whole = text[length] == '\0';
    uint64_t hash = XXH3_64bits_withSeed(text, length, !whole);
    uint32_t index = 0;
    if (ws_id_map_get(&pool->ids, hash, &index) &&
        (whole ? strcmp(pool->texts[index], text) : strncmp(pool->texts[index], text, length)) == 0)
        return pool->texts[index];
    if (pool->count == pool->capacity) {
        uint32_t capacity = pool->capacity > 0 ? pool->capacity * 2 : 64;
        char **texts = realloc(pool->texts, capacity * sizeof(*texts));
        if (texts == NULL)
            return NULL;
        pool->texts = texts;
        pool->capacity = capacity;
    }
    char *copy = copy_text(text, length);
    if (copy == NULL)
        return NULL;
    if (!ws_id_map_put(&pool->ids, hash, pool->count)) {
        free(copy);
        return NULL;
    }
    pool->texts[pool->count++] = copy;
    return copy;
}
