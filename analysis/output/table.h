/* Aligned tables for terminals. */
#ifndef WS_ANALYSIS_OUTPUT_TABLE_H
#define WS_ANALYSIS_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WS_TABLE_COLUMNS    64  /* most that a table has */
#define WS_TABLE_WIDTH      120 /* of a line, where cutting texts can make it so */
#define WS_TABLE_WIDEST     160 /* else, as far as they can */
#define WS_TABLE_TEXT_LEAST 16  /* texts are not cut to less */

/* A column: its heading, of one line or two ("early\nreturn"), and whether it holds numbers and is aligned to
 * the right. */
struct ws_column {
    const char *heading;
    bool number;
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

#endif
