#include "analysis/diff/row_text.h"

#include <inttypes.h>
#include <string.h>

#include "warpscope/base/text.h"

void ws_diff_row_value(const struct ws_diff_table *table, uint32_t side, uint32_t row_number,
                       const char *field, struct ws_value *value)
{
    struct ws_shown_list shown = {.count = 0};
    struct ws_row row;
    value->kind = WS_VALUE_NONE;
    value->unknown = false;
    if (!ws_columns_list(table->groups[side]->columns, field, &shown, NULL) || shown.count == 0 ||
        !ws_mask_has(table->groups[side]->levels[table->level].mask, &shown.items[0]))
        return;
    ws_groups_row(table->groups[side], table->level, row_number, &row);
    ws_groups_value(&shown.items[0], &row, value);
}

const char *ws_diff_row_text(const struct ws_diff_table *table, uint32_t side, uint32_t row,
                             const char *field, char *text, size_t size)
{
    struct ws_value value;
    ws_diff_row_value(table, side, row, field, &value);
    text[0] = '\0';
    if (value.kind == WS_VALUE_TEXT)
        snprintf(text, size, "%s", value.text);
    else if (value.kind == WS_VALUE_COUNT)
        snprintf(text, size, "%" PRIu64, value.count);
    else if (value.kind == WS_VALUE_REAL)
        snprintf(text, size, "%g", value.real);
    ws_text_cut(text);
    return text;
}

double ws_diff_row_number(const struct ws_diff_table *table, uint32_t side, uint32_t row, const char *field)
{
    struct ws_value value;
    ws_diff_row_value(table, side, row, field, &value);
    return value.unknown                  ? 0
           : value.kind == WS_VALUE_COUNT ? (double)value.count
           : value.kind == WS_VALUE_REAL  ? value.real
                                          : 0;
}
