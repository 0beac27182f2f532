/* Texts of rows, by the names of their fields. Not thread-safe. */
#ifndef WS_ANALYSIS_DIFF_ROW_TEXT_H
#define WS_ANALYSIS_DIFF_ROW_TEXT_H

#include "analysis/diff/diff.h"

/* The shader of a row, as an index in the catalog; WS_NONE where it is of none, or of several. */
uint32_t ws_diff_row_shader(const struct ws_diff_table *table, uint32_t side, uint32_t row);

/* The value of a field of a row. It is WS_VALUE_NONE where the table has no such field. */
void ws_diff_row_value(const struct ws_diff_table *table, uint32_t side, uint32_t row, const char *field,
                       struct ws_value *value);

/* The same as a text that is cut at `size`: "" where there is none. Returns `text`. */
const char *ws_diff_row_text(const struct ws_diff_table *table, uint32_t side, uint32_t row,
                             const char *field, char *text, size_t size);

/* The same as a number; 0 where there is none. */
double ws_diff_row_number(const struct ws_diff_table *table, uint32_t side, uint32_t row, const char *field);

#endif
