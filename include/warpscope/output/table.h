/* Tables: aligned for terminals, and the texts of CSV. Not thread-safe. */
#ifndef WARPSCOPE_OUTPUT_TABLE_H
#define WARPSCOPE_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WS_TABLE_COLUMNS 64 /* most columns of a table */

#define WS_TABLE_TEXT_LEAST 16   /* texts are not cut to fewer characters */
#define WS_TABLE_TEXT_MOST  1024 /* longer texts are cut whatever the width; names are never so long */

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

/* Sets how wide lines may be, for all tables of the process: the width of the terminal. 0 = as wide as they need,
 * which is so at first. */
void ws_table_set_width(size_t width);

/* Returns that width, for prose beside tables. */
size_t ws_table_width(void);

/* Prints headings and rows, each after `indent` spaces. Columns that are empty in every row are left out.
 * Where lines are too wide, texts are cut in the middle, with an ellipsis, but never so that two different ones would
 * look the same. Bars of "#" become shorter together, and lists of figures such as "8:120 7:3" lose whole entries, which
 * "+1" counts. Where a table does not fit even so, its rows and headings take several lines, the further ones indented;
 * figures are never cut. */
void ws_table_print(const struct ws_table *table, uint32_t indent, FILE *stream);

/* Writes a field of CSV (RFC 4180, but with LF), quoted where it must be. Control characters, line ends too,
 * are shown as \xNN. */
void ws_csv_text(FILE *stream, const char *text);

#endif
