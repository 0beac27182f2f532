#include "analysis/output/parquet.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "analysis/output/parquet_runs.h"
#include "analysis/output/thrift.h"
#include "analysis/output/write_failure.h"
#include "warpscope/base/array.h"
#include "warpscope/base/id_map.h"

/* Higher levels take twice the time for a tenth less. */
#define LEVEL 1

/* Numbers of parquet.thrift. */
enum {
    TYPE_BOOLEAN = 0,
    TYPE_INT32 = 1,
    TYPE_INT64 = 2,
    TYPE_FLOAT = 4,
    TYPE_DOUBLE = 5,
    TYPE_BYTE_ARRAY = 6
};
enum { REQUIRED = 0, OPTIONAL = 1 };
enum { CONVERTED_UTF8 = 0, CONVERTED_UINT_32 = 13, CONVERTED_UINT_64 = 14 };
enum { LOGICAL_STRING = 1, LOGICAL_INTEGER = 10 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };
enum { CODEC_ZSTD = 6 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

/* The texts of a column in one row group. */
struct dictionary {
    struct ws_id_map addresses; /* of a text that came -> index */
    struct ws_id_map hashes;    /* of a text -> index of the last one with that hash */
    const char **texts;
    uint32_t *same; /* the one before it with the same hash; UINT32_MAX */
    uint32_t count;
    uint32_t capacity;
    uint32_t same_capacity;
};

/* A column of the row group that is being filled. */
struct column {
    struct ws_parquet_column is;
    uint8_t *values; /* those that are there, `width` bytes each: of texts their index, of booleans a byte */
    uint32_t width;
    uint32_t count;    /* of values */
    uint32_t *defined; /* per row, of an optional column: 1 = it has a value */
    uint32_t capacity; /* rows that both have room for */
    struct dictionary dictionary;
};

struct ws_parquet {
    char *path;
    FILE *file;
    uint64_t at; /* bytes written */
    struct column *columns;
    uint32_t column_count;
    uint32_t next; /* column of the next cell */
    uint32_t rows; /* in the row group */
    uint64_t all_rows;
    uint32_t group_count;
    FILE *groups; /* their metadata, as the footer will have it: memory */
    char *group_bytes;
    size_t group_size;
    uint8_t *page;
    size_t page_capacity;
    uint8_t *packed; /* a page, compressed */
    size_t packed_capacity;
    bool finished;
    bool failed;
    struct ws_error error; /* why it failed */
};

/* ---- failures ---- */

static void fail_memory(struct ws_parquet *parquet)
{
    if (!parquet->failed)
        ws_error_set(&parquet->error, "no memory for the columns of '%s'", parquet->path);
    parquet->failed = true;
}

static void fail_write(struct ws_parquet *parquet, int number)
{
    if (!parquet->failed)
        ws_error_set(&parquet->error, "cannot write '%s': %s", parquet->path, ws_write_failure(number));
    parquet->failed = true;
}

static bool say(const struct ws_parquet *parquet, struct ws_error *error)
{
    return !parquet->failed || ws_error_set(error, "%s", parquet->error.message);
}

static void write_bytes(struct ws_parquet *parquet, const void *bytes, size_t size)
{
    errno = 0;
    if (!parquet->failed && size > 0 && fwrite(bytes, 1, size, parquet->file) != size)
        fail_write(parquet, errno);
    parquet->at += size;
}

/* ---- cells ---- */

static void finish_dictionary(struct dictionary *dictionary)
{
    ws_id_map_finish(&dictionary->addresses);
    ws_id_map_finish(&dictionary->hashes);
    free(dictionary->texts);
    free(dictionary->same);
    *dictionary = (struct dictionary){0};
}

static bool add_text(struct dictionary *dictionary, const char *text, uint64_t hash, uint32_t same,
                     uint32_t *index)
{
    const char **texts =
        ws_array_grow(dictionary->texts, &dictionary->capacity, dictionary->count + 1, sizeof(*texts));
    if (texts == NULL)
        return false;
    dictionary->texts = texts;
    uint32_t *sames =
        ws_array_grow(dictionary->same, &dictionary->same_capacity, dictionary->count + 1, sizeof(*sames));
    if (sames == NULL)
        return false;
    dictionary->same = sames;
    *index = dictionary->count++;
    texts[*index] = text;
    sames[*index] = same;
    return ws_id_map_put(&dictionary->hashes, hash, *index);
}

/* The index of a text; its address is enough where it came before. */
static bool find_text(struct dictionary *dictionary, const char *text, uint32_t *index)
{
    const uint64_t address = (uint64_t)(uintptr_t)text;
    if (ws_id_map_get(&dictionary->addresses, address, index))
        return true;
    const uint64_t hash = XXH3_64bits(text, strlen(text));
    uint32_t last = UINT32_MAX;
    ws_id_map_get(&dictionary->hashes, hash, &last);
    for (*index = last; *index != UINT32_MAX && strcmp(dictionary->texts[*index], text) != 0;)
        *index = dictionary->same[*index];
    if (*index == UINT32_MAX && !add_text(dictionary, text, hash, last, index))
        return false;
    return ws_id_map_put(&dictionary->addresses, address, *index);
}

/* Room for one more row. */
static bool make_room(const struct ws_parquet *parquet, struct column *column)
{
    if (parquet->rows < column->capacity)
        return true;
    const uint32_t capacity = column->capacity > 0 ? 2 * column->capacity : 256;
    uint8_t *values = realloc(column->values, (size_t)capacity * column->width);
    if (values == NULL)
        return false;
    column->values = values;
    if (column->is.optional) {
        uint32_t *defined = realloc(column->defined, capacity * sizeof(*defined));
        if (defined == NULL)
            return false;
        column->defined = defined;
    }
    column->capacity = capacity;
    return true;
}

/* The column of the next cell, with room for it; NULL after a failure. */
static struct column *next_cell(struct ws_parquet *parquet, bool has_value)
{
    if (parquet->failed || parquet->next >= parquet->column_count)
        return NULL;
    struct column *column = &parquet->columns[parquet->next++];
    if (!make_room(parquet, column)) {
        fail_memory(parquet);
        return NULL;
    }
    if (column->is.optional)
        column->defined[parquet->rows] = has_value ? 1 : 0;
    return column;
}

static void add_value(struct column *column, const void *value)
{
    memcpy(column->values + (size_t)column->count++ * column->width, value, column->width);
}

void ws_parquet_integer(struct ws_parquet *parquet, uint64_t value)
{
    struct column *column = next_cell(parquet, true);
    const uint32_t small = (uint32_t)value;
    const uint8_t is_true = value != 0;
    if (column == NULL)
        return;
    if (column->is.type == WS_PARQUET_INT64 && value > INT64_MAX) {
        ws_error_set(&parquet->error, "%" PRIu64 " is too large for the column %s of '%s'", value,
                     column->is.name, parquet->path);
        parquet->failed = true;
        return;
    }
    switch (column->width) {
    case 1: add_value(column, &is_true); break;
    case 4: add_value(column, &small); break;
    default: add_value(column, &value); break;
    }
}

void ws_parquet_number(struct ws_parquet *parquet, double value)
{
    struct column *column = next_cell(parquet, true);
    const float small = (float)value;
    if (column == NULL)
        return;
    if (column->is.type == WS_PARQUET_FLOAT)
        add_value(column, &small);
    else
        add_value(column, &value);
}

void ws_parquet_text(struct ws_parquet *parquet, const char *text)
{
    struct column *column = next_cell(parquet, true);
    uint32_t index = 0;
    if (column == NULL)
        return;
    if (find_text(&column->dictionary, text, &index))
        add_value(column, &index);
    else
        fail_memory(parquet);
}

void ws_parquet_nothing(struct ws_parquet *parquet)
{
    next_cell(parquet, false);
}

/* ---- pages ---- */

/* What is found out about a column while its pages are written. */
struct chunk {
    uint64_t begin; /* in the file */
    uint64_t data;  /* where its data page begins */
    uint64_t uncompressed;
};

/* A buffer of at least `size` bytes; NULL = no memory. */
static uint8_t *hold(struct ws_parquet *parquet, uint8_t **buffer, size_t *capacity, size_t size)
{
    if (size > *capacity || *buffer == NULL) {
        uint8_t *larger = realloc(*buffer, size + 1);
        if (larger == NULL) {
            fail_memory(parquet);
            return NULL;
        }
        *buffer = larger;
        *capacity = size;
    }
    return *buffer;
}

static uint8_t *hold_page(struct ws_parquet *parquet, size_t size)
{
    return hold(parquet, &parquet->page, &parquet->page_capacity, size);
}

static size_t put_u32(uint8_t *out, uint32_t value)
{
    for (uint32_t i = 0; i < 4; ++i)
        out[i] = (uint8_t)(value >> 8 * i);
    return 4;
}

/* DataPageHeader, DictionaryPageHeader */
static void put_page_kind(struct ws_thrift *thrift, const struct column *column, bool is_dictionary,
                          uint32_t rows)
{
    ws_thrift_begin_field(thrift, is_dictionary ? 7 : 5);
    ws_thrift_i32(thrift, 1, (int32_t)(is_dictionary ? column->dictionary.count : rows));
    if (is_dictionary) {
        ws_thrift_i32(thrift, 2, ENCODING_PLAIN);
    } else {
        ws_thrift_i32(thrift, 2,
                      column->is.type == WS_PARQUET_TEXT ? ENCODING_RLE_DICTIONARY : ENCODING_PLAIN);
        ws_thrift_i32(thrift, 3, ENCODING_RLE); /* of definition levels */
        ws_thrift_i32(thrift, 4, ENCODING_RLE); /* of repetition levels, of which a flat table has none */
    }
    ws_thrift_end(thrift);
}

/* Compresses parquet->page, and writes it behind its header. */
static void write_page(struct ws_parquet *parquet, const struct column *column, bool is_dictionary,
                       size_t size, struct chunk *chunk)
{
    uint8_t *packed = hold(parquet, &parquet->packed, &parquet->packed_capacity, ZSTD_compressBound(size));
    char *header = NULL;
    size_t header_size = 0;
    if (packed == NULL)
        return;
    const size_t packed_size = ZSTD_compress(packed, parquet->packed_capacity, parquet->page, size, LEVEL);
    FILE *stream = open_memstream(&header, &header_size);
    if (ZSTD_isError(packed_size) || stream == NULL) {
        if (stream != NULL)
            fclose(stream);
        free(header);
        fail_memory(parquet);
        return;
    }
    struct ws_thrift thrift = {.stream = stream};
    ws_thrift_begin(&thrift);
    ws_thrift_i32(&thrift, 1, is_dictionary ? PAGE_DICTIONARY : PAGE_DATA);
    ws_thrift_i32(&thrift, 2, (int32_t)size);
    ws_thrift_i32(&thrift, 3, (int32_t)packed_size);
    put_page_kind(&thrift, column, is_dictionary, parquet->rows);
    ws_thrift_end(&thrift);
    if (fclose(stream) != 0)
        fail_memory(parquet);
    write_bytes(parquet, header, header_size);
    write_bytes(parquet, packed, packed_size);
    chunk->uncompressed += header_size + size;
    free(header);
}

/* Each text with its length before it. */
static void write_dictionary(struct ws_parquet *parquet, const struct column *column, struct chunk *chunk)
{
    const struct dictionary *dictionary = &column->dictionary;
    size_t size = 0;
    for (uint32_t i = 0; i < dictionary->count; ++i)
        size += 4 + strlen(dictionary->texts[i]);
    uint8_t *out = size > INT32_MAX ? NULL : hold_page(parquet, size);
    if (out == NULL) {
        fail_memory(parquet);
        return;
    }
    for (uint32_t i = 0; i < dictionary->count; ++i) {
        const size_t length = strlen(dictionary->texts[i]);
        out += put_u32(out, (uint32_t)length);
        memcpy(out, dictionary->texts[i], length);
        out += length;
    }
    write_page(parquet, column, true, size, chunk);
}

/* How many bits an index of the dictionary has. */
static uint32_t index_bits(const struct dictionary *dictionary)
{
    uint32_t bits = 1;
    while (bits < 32 && dictionary->count > UINT32_C(1) << bits)
        ++bits;
    return bits;
}

static size_t put_booleans(uint8_t *out, const struct column *column)
{
    const size_t size = (column->count + 7) / 8;
    memset(out, 0, size);
    for (uint32_t i = 0; i < column->count; ++i)
        out[i / 8] |= (uint8_t)(column->values[i] << i % 8);
    return size;
}

static size_t put_values(uint8_t *out, const struct column *column)
{
    const size_t size = (size_t)column->count * column->width;
    if (column->is.type == WS_PARQUET_BOOL)
        return put_booleans(out, column);
    if (column->is.type == WS_PARQUET_TEXT) {
        const uint32_t bits = index_bits(&column->dictionary);
        out[0] = (uint8_t)bits;
        return 1 +
               ws_parquet_runs(out + 1, (const uint32_t *)(const void *)column->values, column->count, bits);
    }
    memcpy(out, column->values, size);
    return size;
}

/* Definition levels with their size before them, where there can be cells without a value; then the values. */
static void write_data(struct ws_parquet *parquet, const struct column *column, struct chunk *chunk)
{
    const size_t most = 4 + ws_parquet_runs_bound(parquet->rows, 1) + (size_t)column->count * 8 + 1 +
                        ws_parquet_runs_bound(column->count, 32);
    uint8_t *out = hold_page(parquet, most);
    size_t size = 0;
    if (out == NULL)
        return;
    if (column->is.optional) {
        size = ws_parquet_runs(out + 4, column->defined, parquet->rows, 1);
        size += put_u32(out, (uint32_t)size);
    }
    size += put_values(out + size, column);
    chunk->data = parquet->at;
    write_page(parquet, column, false, size, chunk);
}

/* ---- smallest and largest ---- */

struct bounds {
    bool known;
    const void *low;
    const void *high;
    size_t low_size;
    size_t high_size;
    float floats[2]; /* of a zero, which has another sign than the cell */
    double doubles[2];
};

static int compare(enum ws_parquet_type type, const void *a, const void *b)
{
#define COMPARE(type_of)                                                                                     \
    {                                                                                                        \
        type_of one;                                                                                         \
        type_of other;                                                                                       \
        memcpy(&one, a, sizeof(one));                                                                        \
        memcpy(&other, b, sizeof(other));                                                                    \
        return one < other ? -1 : one > other;                                                               \
    }
    switch (type) {
    case WS_PARQUET_BOOL: COMPARE(uint8_t)
    case WS_PARQUET_UINT32: COMPARE(uint32_t)
    case WS_PARQUET_INT64: COMPARE(int64_t)
    case WS_PARQUET_UINT64: COMPARE(uint64_t)
    case WS_PARQUET_FLOAT: COMPARE(float)
    default: COMPARE(double)
    }
#undef COMPARE
}

static bool is_nan(enum ws_parquet_type type, const void *value)
{
    return (type == WS_PARQUET_FLOAT || type == WS_PARQUET_DOUBLE) && compare(type, value, value) == 0 &&
           (type == WS_PARQUET_FLOAT ? isnan(*(const float *)value) : isnan(*(const double *)value));
}

static void find_text_bounds(const struct dictionary *dictionary, struct bounds *bounds)
{
    const char *low = dictionary->texts[0];
    const char *high = low;
    for (uint32_t i = 1; i < dictionary->count; ++i) {
        if (strcmp(dictionary->texts[i], low) < 0)
            low = dictionary->texts[i];
        if (strcmp(dictionary->texts[i], high) > 0)
            high = dictionary->texts[i];
    }
    bounds->low = low;
    bounds->high = high;
    bounds->low_size = strlen(low);
    bounds->high_size = strlen(high);
    bounds->known = bounds->low_size <= WS_PARQUET_BOUND && bounds->high_size <= WS_PARQUET_BOUND;
}

/* A zero may stand for that of the other sign. */
static void widen_zeros(enum ws_parquet_type type, struct bounds *bounds)
{
    static const float small[2] = {-0.0f, 0.0f};
    static const double large[2] = {-0.0, 0.0};
    const void *zeros[2] = {type == WS_PARQUET_FLOAT ? (const void *)&small[0] : &large[0],
                            type == WS_PARQUET_FLOAT ? (const void *)&small[1] : &large[1]};
    if (type != WS_PARQUET_FLOAT && type != WS_PARQUET_DOUBLE)
        return;
    if (compare(type, bounds->low, zeros[0]) == 0)
        bounds->low = zeros[0];
    if (compare(type, bounds->high, zeros[1]) == 0)
        bounds->high = zeros[1];
}

static struct bounds find_bounds(const struct column *column)
{
    struct bounds bounds = {.low_size = column->width, .high_size = column->width};
    const enum ws_parquet_type type = column->is.type;
    if (type == WS_PARQUET_TEXT) {
        if (column->dictionary.count > 0)
            find_text_bounds(&column->dictionary, &bounds);
        return bounds;
    }
    for (uint32_t i = 0; i < column->count; ++i) {
        const void *value = column->values + (size_t)i * column->width;
        if (is_nan(type, value))
            continue;
        if (!bounds.known || compare(type, value, bounds.low) < 0)
            bounds.low = value;
        if (!bounds.known || compare(type, value, bounds.high) > 0)
            bounds.high = value;
        bounds.known = true;
    }
    if (bounds.known)
        widen_zeros(type, &bounds);
    return bounds;
}

/* ---- row groups ---- */

static int32_t physical_type(enum ws_parquet_type type)
{
    switch (type) {
    case WS_PARQUET_BOOL: return TYPE_BOOLEAN;
    case WS_PARQUET_UINT32: return TYPE_INT32;
    case WS_PARQUET_INT64:
    case WS_PARQUET_UINT64: return TYPE_INT64;
    case WS_PARQUET_FLOAT: return TYPE_FLOAT;
    case WS_PARQUET_DOUBLE: return TYPE_DOUBLE;
    default: return TYPE_BYTE_ARRAY;
    }
}

/* Statistics */
static void put_statistics(const struct ws_parquet *parquet, const struct column *column,
                           struct ws_thrift *thrift)
{
    const struct bounds bounds = find_bounds(column);
    ws_thrift_begin_field(thrift, 12);
    ws_thrift_i64(thrift, 3, (int64_t)parquet->rows - column->count);
    if (bounds.known) {
        ws_thrift_binary(thrift, 5, bounds.high, bounds.high_size);
        ws_thrift_binary(thrift, 6, bounds.low, bounds.low_size);
    }
    ws_thrift_end(thrift);
}

/* ColumnChunk */
static void put_chunk(const struct ws_parquet *parquet, const struct column *column,
                      const struct chunk *chunk, struct ws_thrift *thrift)
{
    const bool is_text = column->is.type == WS_PARQUET_TEXT;
    ws_thrift_begin(thrift);
    ws_thrift_i64(thrift, 2, (int64_t)chunk->begin);
    ws_thrift_begin_field(thrift, 3);
    ws_thrift_i32(thrift, 1, physical_type(column->is.type));
    ws_thrift_list(thrift, 2, WS_THRIFT_I32, is_text ? 3 : 2);
    ws_thrift_element_i32(thrift, ENCODING_PLAIN);
    ws_thrift_element_i32(thrift, ENCODING_RLE);
    if (is_text)
        ws_thrift_element_i32(thrift, ENCODING_RLE_DICTIONARY);
    ws_thrift_list(thrift, 3, WS_THRIFT_TEXT, 1);
    ws_thrift_element_text(thrift, column->is.name);
    ws_thrift_i32(thrift, 4, CODEC_ZSTD);
    ws_thrift_i64(thrift, 5, parquet->rows);
    ws_thrift_i64(thrift, 6, (int64_t)chunk->uncompressed);
    ws_thrift_i64(thrift, 7, (int64_t)(parquet->at - chunk->begin));
    ws_thrift_i64(thrift, 9, (int64_t)chunk->data);
    if (is_text)
        ws_thrift_i64(thrift, 11, (int64_t)chunk->begin);
    put_statistics(parquet, column, thrift);
    ws_thrift_end(thrift);
    ws_thrift_end(thrift);
}

/* Writes the rows that came as a row group, and notes its metadata. */
static void end_group(struct ws_parquet *parquet)
{
    const uint64_t begin = parquet->at;
    uint64_t uncompressed = 0;
    if (parquet->rows == 0 || parquet->failed)
        return;
    struct ws_thrift thrift = {.stream = parquet->groups};
    ws_thrift_begin(&thrift);
    ws_thrift_list(&thrift, 1, WS_THRIFT_STRUCT, parquet->column_count);
    for (uint32_t i = 0; i < parquet->column_count; ++i) {
        struct column *column = &parquet->columns[i];
        struct chunk chunk = {.begin = parquet->at};
        if (column->is.type == WS_PARQUET_TEXT)
            write_dictionary(parquet, column, &chunk);
        write_data(parquet, column, &chunk);
        put_chunk(parquet, column, &chunk, &thrift);
        uncompressed += chunk.uncompressed;
        column->count = 0;
        finish_dictionary(&column->dictionary);
    }
    ws_thrift_i64(&thrift, 2, (int64_t)uncompressed);
    ws_thrift_i64(&thrift, 3, parquet->rows);
    ws_thrift_i64(&thrift, 5, (int64_t)begin);
    ws_thrift_i64(&thrift, 6, (int64_t)(parquet->at - begin));
    ws_thrift_end(&thrift);
    if (ferror(parquet->groups))
        fail_memory(parquet);
    parquet->group_count++;
    parquet->all_rows += parquet->rows;
    parquet->rows = 0;
}

bool ws_parquet_end_row(struct ws_parquet *parquet, struct ws_error *error)
{
    if (!parquet->failed) {
        parquet->next = 0;
        if (++parquet->rows == WS_PARQUET_ROWS)
            end_group(parquet);
    }
    return say(parquet, error);
}

/* ---- footer ---- */

/* How the file says what wrote it, with the version behind it. */
#define WRITER "warpscope version "

const struct ws_file_kind ws_parquet_kind = {"PAR1*", WRITER};

/* SchemaElement. Older readers know converted types, newer ones logical types. */
static void put_element(const struct ws_parquet_column *column, struct ws_thrift *thrift)
{
    const bool is_unsigned = column->type == WS_PARQUET_UINT32 || column->type == WS_PARQUET_UINT64;
    ws_thrift_begin(thrift);
    ws_thrift_i32(thrift, 1, physical_type(column->type));
    ws_thrift_i32(thrift, 3, column->optional ? OPTIONAL : REQUIRED);
    ws_thrift_text(thrift, 4, column->name);
    if (is_unsigned) {
        ws_thrift_i32(thrift, 6, column->type == WS_PARQUET_UINT32 ? CONVERTED_UINT_32 : CONVERTED_UINT_64);
        ws_thrift_begin_field(thrift, 10);
        ws_thrift_begin_field(thrift, LOGICAL_INTEGER);
        ws_thrift_i8(thrift, 1, column->type == WS_PARQUET_UINT32 ? 32 : 64);
        ws_thrift_bool(thrift, 2, false); /* not signed */
        ws_thrift_end(thrift);
        ws_thrift_end(thrift);
    } else if (column->type == WS_PARQUET_TEXT) {
        ws_thrift_i32(thrift, 6, CONVERTED_UTF8);
        ws_thrift_begin_field(thrift, 10);
        ws_thrift_begin_field(thrift, LOGICAL_STRING);
        ws_thrift_end(thrift);
        ws_thrift_end(thrift);
    }
    ws_thrift_end(thrift);
}

static void put_schema(const struct ws_parquet *parquet, struct ws_thrift *thrift)
{
    ws_thrift_list(thrift, 2, WS_THRIFT_STRUCT, parquet->column_count + 1);
    ws_thrift_begin(thrift);
    ws_thrift_text(thrift, 4, "schema");
    ws_thrift_i32(thrift, 5, (int32_t)parquet->column_count);
    ws_thrift_end(thrift);
    for (uint32_t i = 0; i < parquet->column_count; ++i)
        put_element(&parquet->columns[i].is, thrift);
}

static void put_notes(const struct ws_parquet_note *notes, uint32_t count, struct ws_thrift *thrift)
{
    if (count == 0)
        return;
    ws_thrift_list(thrift, 5, WS_THRIFT_STRUCT, count);
    for (uint32_t i = 0; i < count; ++i) {
        ws_thrift_begin(thrift);
        ws_thrift_text(thrift, 1, notes[i].key);
        ws_thrift_text(thrift, 2, notes[i].value);
        ws_thrift_end(thrift);
    }
}

/* Values of each column are compared by its type: without that, readers do not believe the smallest and largest. */
static void put_orders(const struct ws_parquet *parquet, struct ws_thrift *thrift)
{
    ws_thrift_list(thrift, 7, WS_THRIFT_STRUCT, parquet->column_count);
    for (uint32_t i = 0; i < parquet->column_count; ++i) {
        ws_thrift_begin(thrift);
        ws_thrift_begin_field(thrift, 1);
        ws_thrift_end(thrift);
        ws_thrift_end(thrift);
    }
}

/* FileMetaData */
static void put_footer(const struct ws_parquet *parquet, const struct ws_parquet_note *notes,
                       uint32_t note_count, FILE *stream)
{
    struct ws_thrift thrift = {.stream = stream};
    ws_thrift_begin(&thrift);
    ws_thrift_i32(&thrift, 1, 2); /* version of the format */
    put_schema(parquet, &thrift);
    ws_thrift_i64(&thrift, 3, (int64_t)parquet->all_rows);
    ws_thrift_list(&thrift, 4, WS_THRIFT_STRUCT, parquet->group_count);
    fwrite(parquet->group_bytes, 1, parquet->group_size, stream);
    put_notes(notes, note_count, &thrift);
    ws_thrift_text(&thrift, 6, WRITER WS_VERSION);
    put_orders(parquet, &thrift);
    ws_thrift_end(&thrift);
}

static void write_footer(struct ws_parquet *parquet, const struct ws_parquet_note *notes, uint32_t note_count)
{
    char *footer = NULL;
    size_t size = 0;
    uint8_t size_bytes[4];
    FILE *stream = open_memstream(&footer, &size);
    if (stream == NULL || fflush(parquet->groups) != 0) {
        if (stream != NULL)
            fclose(stream);
        free(footer);
        fail_memory(parquet);
        return;
    }
    put_footer(parquet, notes, note_count, stream);
    if (fclose(stream) != 0 || size > INT32_MAX)
        fail_memory(parquet);
    write_bytes(parquet, footer, size);
    put_u32(size_bytes, (uint32_t)size);
    write_bytes(parquet, size_bytes, sizeof(size_bytes));
    write_bytes(parquet, "PAR1", 4);
    free(footer);
}

/* ---- files ---- */

/* What is no file, such as a device, is left alone. */
static void drop_file(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        unlink(path);
}

/* A write may fail as late as here. */
static void close_file(struct ws_parquet *parquet)
{
    errno = 0;
    if (parquet->file != NULL && fclose(parquet->file) != 0)
        fail_write(parquet, errno);
    parquet->file = NULL;
}

void ws_parquet_destroy(struct ws_parquet *parquet)
{
    if (parquet == NULL)
        return;
    const bool begun = parquet->file != NULL || parquet->failed;
    close_file(parquet);
    if (begun && !parquet->finished)
        drop_file(parquet->path);
    for (uint32_t i = 0; parquet->columns != NULL && i < parquet->column_count; ++i) {
        free(parquet->columns[i].values);
        free(parquet->columns[i].defined);
        finish_dictionary(&parquet->columns[i].dictionary);
    }
    if (parquet->groups != NULL)
        fclose(parquet->groups);
    free(parquet->group_bytes);
    free(parquet->columns);
    free(parquet->page);
    free(parquet->packed);
    free(parquet->path);
    free(parquet);
}

static uint32_t width_of(enum ws_parquet_type type)
{
    switch (type) {
    case WS_PARQUET_BOOL: return 1;
    case WS_PARQUET_UINT32:
    case WS_PARQUET_FLOAT:
    case WS_PARQUET_TEXT: return 4;
    default: return 8;
    }
}

struct ws_parquet *ws_parquet_create(const char *path, const struct ws_parquet_column *columns,
                                     uint32_t column_count, struct ws_error *error)
{
    struct ws_parquet *parquet = calloc(1, sizeof(*parquet));
    if (parquet != NULL) {
        parquet->path = strdup(path);
        parquet->columns = calloc((size_t)column_count + 1, sizeof(*parquet->columns));
        parquet->groups = open_memstream(&parquet->group_bytes, &parquet->group_size);
    }
    if (parquet == NULL || parquet->path == NULL || parquet->columns == NULL || parquet->groups == NULL) {
        ws_error_set(error, "no memory for the columns of '%s'", path);
        goto error;
    }
    parquet->column_count = column_count;
    for (uint32_t i = 0; i < column_count; ++i) {
        parquet->columns[i].is = columns[i];
        parquet->columns[i].width = width_of(columns[i].type);
    }
    parquet->file = fopen(path, "w");
    if (parquet->file == NULL) {
        ws_error_set(error, "cannot write '%s': %s", path, strerror(errno));
        goto error;
    }
    write_bytes(parquet, "PAR1", 4);
    return parquet;
error:
    ws_parquet_destroy(parquet);
    return NULL;
}

bool ws_parquet_finish(struct ws_parquet *parquet, const struct ws_parquet_note *notes, uint32_t note_count,
                       struct ws_error *error)
{
    end_group(parquet);
    if (!parquet->failed)
        write_footer(parquet, notes, note_count);
    close_file(parquet);
    parquet->finished = !parquet->failed;
    if (parquet->failed)
        drop_file(parquet->path);
    return say(parquet, error);
}
