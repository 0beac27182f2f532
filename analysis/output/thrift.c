#include "analysis/output/thrift.h"

#include <string.h>

/* Types of fields; those of elements of lists are in the header. Both values of a boolean are types. */
enum {
    TRUE_FIELD = 1,
    FALSE_FIELD = 2,
    I8_FIELD = 3,
    I32_FIELD = 5,
    I64_FIELD = 6,
    BINARY_FIELD = 8,
    LIST_FIELD = 9,
    STRUCT_FIELD = 12
};

/* Seven bits in each byte, the lowest first; the highest bit says that more follow. */
static void put_varint(struct ws_thrift *thrift, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        fputc((int)(value & 0x7f) | 0x80, thrift->stream);
    fputc((int)value, thrift->stream);
}

/* Small numbers of both signs become small: 0, -1, 1, -2, ... */
static void put_zigzag(struct ws_thrift *thrift, int64_t value)
{
    put_varint(thrift, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void put_field(struct ws_thrift *thrift, int32_t field, int type)
{
    int32_t *last = &thrift->last[thrift->depth - 1];
    const int32_t step = field - *last;
    if (step >= 1 && step <= 15) {
        fputc(step << 4 | type, thrift->stream);
    } else {
        fputc(type, thrift->stream);
        put_zigzag(thrift, field);
    }
    *last = field;
}

void ws_thrift_begin(struct ws_thrift *thrift)
{
    thrift->last[thrift->depth++] = 0;
}

void ws_thrift_end(struct ws_thrift *thrift)
{
    fputc(0, thrift->stream);
    thrift->depth--;
}

void ws_thrift_bool(struct ws_thrift *thrift, int32_t field, bool value)
{
    put_field(thrift, field, value ? TRUE_FIELD : FALSE_FIELD);
}

void ws_thrift_i8(struct ws_thrift *thrift, int32_t field, int8_t value)
{
    put_field(thrift, field, I8_FIELD);
    fputc((uint8_t)value, thrift->stream);
}

void ws_thrift_i32(struct ws_thrift *thrift, int32_t field, int32_t value)
{
    put_field(thrift, field, I32_FIELD);
    put_zigzag(thrift, value);
}

void ws_thrift_i64(struct ws_thrift *thrift, int32_t field, int64_t value)
{
    put_field(thrift, field, I64_FIELD);
    put_zigzag(thrift, value);
}

void ws_thrift_binary(struct ws_thrift *thrift, int32_t field, const void *bytes, size_t size)
{
    put_field(thrift, field, BINARY_FIELD);
    put_varint(thrift, size);
    fwrite(bytes, 1, size, thrift->stream);
}

void ws_thrift_text(struct ws_thrift *thrift, int32_t field, const char *text)
{
    ws_thrift_binary(thrift, field, text, strlen(text));
}

void ws_thrift_begin_field(struct ws_thrift *thrift, int32_t field)
{
    put_field(thrift, field, STRUCT_FIELD);
    ws_thrift_begin(thrift);
}

void ws_thrift_list(struct ws_thrift *thrift, int32_t field, enum ws_thrift_type type, uint32_t count)
{
    put_field(thrift, field, LIST_FIELD);
    fputc((int)(count < 15 ? count : 15) << 4 | (int)type, thrift->stream);
    if (count >= 15)
        put_varint(thrift, count);
}

void ws_thrift_element_i32(struct ws_thrift *thrift, int32_t value)
{
    put_zigzag(thrift, value);
}

void ws_thrift_element_text(struct ws_thrift *thrift, const char *text)
{
    put_varint(thrift, strlen(text));
    fwrite(text, 1, strlen(text), thrift->stream);
}
