/* Binary answers: columns of numbers, little endian, which the page reads as typed arrays where they lie.
 *
 *     char magic[4]; u32 version; u32 count (rows); u32 columns;
 *     u64 matches (rows that there are); u64 total (of all); f32 box[6];
 *     for each column {char name[16]; u32 type; u32 width (values of a row)};
 *     then the columns one after the other: count * width values, padded with zeros to 4 bytes
 *
 * The header has 56 bytes, an entry of the table 24. */
#ifndef WS_ANALYSIS_VIEWER_BINARY_H
#define WS_ANALYSIS_VIEWER_BINARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WS_BINARY_VERSION      1
#define WS_BINARY_COLUMNS_MOST 32
#define WS_BINARY_NAME         16

enum ws_binary_type { WS_BINARY_U8 = 1, WS_BINARY_U16 = 2, WS_BINARY_U32 = 4, WS_BINARY_F32 = 5 };

struct ws_binary_column {
    const char *name; /* shorter than WS_BINARY_NAME */
    enum ws_binary_type type;
    uint32_t width;
    void *data; /* room for all rows; owned */
};

struct ws_binary {
    char magic[5];
    uint32_t count;
    uint64_t matches;
    uint64_t total;
    float box[6];
    struct ws_binary_column columns[WS_BINARY_COLUMNS_MOST];
    uint32_t column_count;
    const char *only; /* names of the columns that are wanted, with commas; NULL = all */
    bool failed;      /* no memory */
};

/* Adds a column with room for `count` rows, zeroed, and returns its data; NULL where it is not wanted, or there is no
 * memory (`failed`). */
void *ws_binary_add(struct ws_binary *binary, const char *name, enum ws_binary_type type, uint32_t width);

/* Whether each name of `only` is a column that was added; `*unknown` receives the first that is not, which is not ended by 0
 * but `*length` long. For when all columns were added. */
bool ws_binary_knows(const struct ws_binary *binary, const char **unknown, int *length);

void ws_binary_write(const struct ws_binary *binary, FILE *stream);
void ws_binary_finish(struct ws_binary *binary);

/* The box of points, and places in it as numbers of 16 bits: 0 is the low side, 65535 the high one. */
void ws_binary_quantise(const float box[6], const float point[3], uint16_t place[3]);

#endif
