#include "analysis/viewer/binary.h"

#include <stdlib.h>
#include <string.h>

static size_t size_of(enum ws_binary_type type)
{
    return type == WS_BINARY_U8 ? 1 : type == WS_BINARY_U16 ? 2 : 4;
}

static bool is_wanted(const char *only, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = only; at != NULL && at[0] != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    return only == NULL;
}

void *ws_binary_add(struct ws_binary *binary, const char *name, enum ws_binary_type type, uint32_t width)
{
    struct ws_binary_column *column = &binary->columns[binary->column_count];
    *column = (struct ws_binary_column){.name = name, .type = type, .width = width};
    if (!is_wanted(binary->only, name))
        return NULL;
    column->data = calloc((size_t)binary->count * width + 1, size_of(type));
    binary->failed = binary->failed || column->data == NULL;
    binary->column_count += column->data != NULL;
    return column->data;
}

bool ws_binary_knows(const struct ws_binary *binary, const char **unknown, int *length)
{
    for (const char *at = binary->only; at != NULL && at[0] != '\0';
         at += strcspn(at, ","), at += *at == ',') {
        bool known = false;
        for (uint32_t i = 0; i < binary->column_count && !known; ++i)
            known = strlen(binary->columns[i].name) == strcspn(at, ",") &&
                    memcmp(binary->columns[i].name, at, strcspn(at, ",")) == 0;
        if (!known) {
            *unknown = at;
            *length = (int)strcspn(at, ",");
            return false;
        }
    }
    return true;
}

static void put_number(uint32_t number, FILE *stream)
{
    const unsigned char bytes[4] = {(unsigned char)number, (unsigned char)(number >> 8),
                                    (unsigned char)(number >> 16), (unsigned char)(number >> 24)};
    fwrite(bytes, 1, sizeof(bytes), stream);
}

static void put_long(uint64_t number, FILE *stream)
{
    put_number((uint32_t)number, stream);
    put_number((uint32_t)(number >> 32), stream);
}

/* The build is for machines that are little endian: values lie in memory as they are sent. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "columns are written as they lie in memory");

void ws_binary_write(const struct ws_binary *binary, FILE *stream)
{
    static const char zeros[4];
    fwrite(binary->magic, 1, 4, stream);
    put_number(WS_BINARY_VERSION, stream);
    put_number(binary->count, stream);
    put_number(binary->column_count, stream);
    put_long(binary->matches, stream);
    put_long(binary->total, stream);
    fwrite(binary->box, sizeof(float), 6, stream);
    for (uint32_t i = 0; i < binary->column_count; ++i) {
        char name[WS_BINARY_NAME] = "";
        snprintf(name, sizeof(name), "%s", binary->columns[i].name);
        fwrite(name, 1, sizeof(name), stream);
        put_number(binary->columns[i].type, stream);
        put_number(binary->columns[i].width, stream);
    }
    for (uint32_t i = 0; i < binary->column_count; ++i) {
        const struct ws_binary_column *column = &binary->columns[i];
        const size_t bytes = (size_t)binary->count * column->width * size_of(column->type);
        fwrite(column->data, 1, bytes, stream);
        fwrite(zeros, 1, (4 - bytes % 4) % 4, stream);
    }
}

void ws_binary_finish(struct ws_binary *binary)
{
    while (binary->column_count > 0)
        free(binary->columns[--binary->column_count].data);
}

void ws_binary_quantise(const float box[6], const float point[3], uint16_t place[3])
{
    for (int i = 0; i < 3; ++i) {
        const double side = (double)box[3 + i] - (double)box[i];
        const double at = side > 0 ? ((double)point[i] - (double)box[i]) / side * 65535 + 0.5 : 0;
        place[i] = at <= 0 ? 0 : at >= 65535 ? 65535 : (uint16_t)at;
    }
}
