/* Writes tables as Parquet: columns that DuckDB, Spark and others read. The format is that of Apache Parquet 2.10: its file
 * format, encodings, and parquet.thrift.
 *
 * A table is flat: numbers and texts, where a column may say that a cell has no value. It is written while its rows come:
 *
 *   magic "PAR1"
 *   row groups of at most WS_PARQUET_ROWS rows: for each column the dictionary of a text column, then one data page of
 *       version 1, each compressed by zstd, with the smallest and largest value in the metadata
 *   footer: schema, row groups, notes; its size; magic "PAR1"
 *
 * ENCODINGS: PLAIN for numbers, RLE_DICTIONARY for texts, each of which stands once in a row group; RLE for definition levels.
 * Smallest and largest: of texts longer than WS_PARQUET_BOUND bytes, and of floats that are all NaN, they are left out. NaN
 * is neither, and a zero has the sign that takes both zeros in (parquet.thrift, ColumnOrder).
 *
 * MEMORY: the rows of a group, and about 100 bytes for each column of each group before it.
 *
 * Sticky: after a failure (no memory, a full disk) calls do nothing, and ws_parquet_end_row and ws_parquet_finish say what it
 * was. A file that is not finished is removed. Not thread-safe. */
#ifndef WS_ANALYSIS_OUTPUT_PARQUET_H
#define WS_ANALYSIS_OUTPUT_PARQUET_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/output/file_kind.h"
#include "warpscope/error.h"

#define WS_PARQUET_ROWS  65536
#define WS_PARQUET_BOUND 256

enum ws_parquet_type {
    WS_PARQUET_BOOL,
    WS_PARQUET_UINT32,
    WS_PARQUET_INT64, /* the usual integer of SQL: below 2^63 */
    WS_PARQUET_UINT64,
    WS_PARQUET_FLOAT,
    WS_PARQUET_DOUBLE,
    WS_PARQUET_TEXT,
};

struct ws_parquet_column {
    const char *name;
    enum ws_parquet_type type;
    bool optional; /* cells may have no value */
};

/* A key and a value of the footer. */
struct ws_parquet_note {
    const char *key;
    const char *value;
};

struct ws_parquet;

extern const struct ws_file_kind ws_parquet_kind;

/* Begins a file. The columns are copied, names are not and must stay. NULL and `error`. */
struct ws_parquet *ws_parquet_create(const char *path, const struct ws_parquet_column *columns,
                                     uint32_t column_count, struct ws_error *error);

/* Closes it; removes the file unless it was finished. NULL is fine. */
void ws_parquet_destroy(struct ws_parquet *parquet);

/* The next cell of the row, in the order of the columns, by the type of its column. Integers of columns of 32 bits are cut to
 * these; of WS_PARQUET_BOOL 0 is false. Texts are valid UTF-8, and stay what and where they are until the row group ends. */
void ws_parquet_integer(struct ws_parquet *parquet, uint64_t value);
void ws_parquet_number(struct ws_parquet *parquet, double value);
void ws_parquet_text(struct ws_parquet *parquet, const char *text);
void ws_parquet_nothing(struct ws_parquet *parquet);

/* Ends a row, of which all cells came. False and `error` where this call or one before it failed. */
bool ws_parquet_end_row(struct ws_parquet *parquet, struct ws_error *error);

/* Writes the footer and closes the file. False and `error` likewise: then there is no file. */
bool ws_parquet_finish(struct ws_parquet *parquet, const struct ws_parquet_note *notes, uint32_t note_count,
                       struct ws_error *error);

#endif
