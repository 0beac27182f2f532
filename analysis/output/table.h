/* Tables: aligned for terminals, and the texts of CSV. Not thread-safe. */
#ifndef WS_ANALYSIS_OUTPUT_TABLE_H
#define WS_ANALYSIS_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WS_TABLE_COLUMNS 64 /* most columns of a table */

/* Most characters of a line. Texts are cut until a line has WS_TABLE_WIDTH. If that would cut a text to less
 * than WS_TABLE_TEXT_LEAST, they are cut until it has WS_TABLE_WIDEST. */
#define WS_TABLE_WIDTH      120
#define WS_TABLE_WIDEST     160
#define WS_TABLE_TEXT_LEAST 16

struct ws_column {
    const char *heading; /* one line, or two: "early\nreturn" */
    bool number;         /* it is aligned to the right, and never cut */
};

struct ws_table {
    const struct ws_column *columns; /* not owned */
    uint32_t column_count;           /* at most WS_TABLE_COLUMNS */
    char **cells;                    /* row after row */
    uint32_t cell_count;
    uint32_t cell_capacity;
    bool failed; /* out of memory: some cells are missing */
};

void ws_table_init(struct ws_table *table, const struct ws_column *columns, uint32_t column_count);
void ws_table_finish(struct ws_table *table);

/* Adds the next cell, row after row. */
__attribute__((format(printf, 2, 3))) void ws_table_add(struct ws_table *table, const char *format, ...);

/* Prints headings and rows, each after `indent` spaces. Columns that are empty in every row are left out.
 * Where lines are too wide, texts are cut, with an ellipsis. */
void ws_table_print(const struct ws_table *table, uint32_t indent, FILE *stream);

/* Writes a field of CSV (RFC 4180, but with LF), quoted where it must be. Control characters, line ends too,
 * are shown as \xNN. */
void ws_csv_text(FILE *stream, const char *text);

#endif
