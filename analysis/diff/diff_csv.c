/* The comparison as one table: every figure that changed. */
#include <math.h>

#include "analysis/diff/diff.h"
#include "warpscope/output/table.h"

bool ws_diff_csv(const struct ws_diff *diff, FILE *stream)
{
    fputs("analysis,table,row,figure,a,b,change,points,effect,weight,importance\n", stream);
    for (uint32_t i = 0; i < diff->figure_count; ++i) {
        const struct ws_diff_figure *figure = &diff->figures[i];
        const struct ws_diff_table *table = &diff->tables[figure->table];
        const double numbers[] = {figure->value[0], figure->value[1], figure->change};
        char text[WS_NUMBER_SIZE];
        char name[WS_DIFF_ROW_NAME];
        ws_diff_row_name(table, 0, figure->row[0], name);
        fprintf(stream, "%s,%s,", table->analysis->name,
                ws_groups_level_name(table->groups[0], table->level));
        ws_csv_text(stream, name);
        fprintf(stream, ",%s", figure->field.field->name);
        for (size_t j = 0; j < sizeof(numbers) / sizeof(numbers[0]); ++j)
            fprintf(stream, ",%s", j == 2 && isinf(numbers[j]) ? "" : ws_number_text(numbers[j], text));
        fprintf(stream, ",%s,%s", ws_diff_is_share(figure->field.field) ? "true" : "false",
                figure->effect > 0   ? "better"
                : figure->effect < 0 ? "worse"
                                     : "");
        fprintf(stream, ",%s", ws_number_text(figure->weight, text));
        fprintf(stream, ",%s\n", ws_number_text(figure->importance, text));
    }
    return true;
}
