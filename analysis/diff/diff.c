#include "analysis/diff/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/model/times.h"

bool ws_diff_init(struct ws_diff *diff, const struct ws_report *a, const struct ws_report *b,
                  const struct ws_diff_options *options)
{
    *diff = (struct ws_diff){.reports = {a, b}, .least = WS_DIFF_LEAST};
    if (options != NULL && (options->least > 0 || options->exact))
        diff->least = options->exact ? 0 : options->least;
    if (ws_diff_match_init(&diff->match, diff->reports) &&
        ws_diff_sources_init(&diff->sources, &diff->match, diff->reports) && ws_diff_settings_init(diff) &&
        ws_diff_tables_init(diff) && ws_diff_figures_init(diff))
        return true;
    ws_diff_finish(diff);
    return false;
}

void ws_diff_finish(struct ws_diff *diff)
{
    for (uint32_t i = 0; i < diff->table_count; ++i) {
        struct ws_diff_table *table = &diff->tables[i];
        ws_diff_join_finish(&table->join);
        free(table->rows[0]);
        free(table->rows[1]);
    }
    for (uint32_t i = 0; i < diff->setting_count; ++i) {
        free(diff->settings[i].value[0]);
        free(diff->settings[i].value[1]);
    }
    free(diff->settings);
    free(diff->tables);
    free(diff->figures);
    ws_diff_sources_finish(&diff->sources);
    ws_diff_match_finish(&diff->match);
    *diff = (struct ws_diff){.reports = {NULL, NULL}};
}

static bool is_time(const struct ws_field *field)
{
    const size_t length = strlen(field->name);
    return length > 3 && strcmp(field->name + length - 3, "_ns") == 0;
}

void ws_diff_value_text(const struct ws_field *field, double value, char text[WS_NUMBER_SIZE])
{
    char time[WS_TIME_TEXT];
    if (ws_diff_is_share(field))
        snprintf(text, WS_NUMBER_SIZE, "%.*f %%", field->digits > 0 ? field->digits : 1, 100 * value);
    else if (is_time(field))
        snprintf(text, WS_NUMBER_SIZE, "%s", ws_time_text(value, time));
    else if (field->format == WS_COUNT && value == floor(value) && value < 1e15)
        snprintf(text, WS_NUMBER_SIZE, "%.0f", value);
    else
        snprintf(text, WS_NUMBER_SIZE, value < 1e15 ? "%.*f" : "%.*g", field->digits > 0 ? field->digits : 2,
                 value);
}

void ws_diff_change_text(const struct ws_diff_figure *figure, char text[WS_NUMBER_SIZE])
{
    const double percent = 100 * figure->change;
    if (isinf(percent))
        snprintf(text, WS_NUMBER_SIZE, "from 0");
    else
        snprintf(text, WS_NUMBER_SIZE,
                 fabs(percent) < 0.1   ? "%+.2f %s"
                 : fabs(percent) < 1e6 ? "%+.1f %s"
                                       : "%+.3g %s",
                 percent, ws_diff_is_share(figure->field.field) ? "points" : "%");
}
