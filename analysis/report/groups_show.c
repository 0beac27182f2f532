/* Levels as tables, CSV, JSON and plots (columns.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/text.h"
#include "warpscope/output/json.h"
#include "warpscope/output/table.h"
#include "warpscope/report/groups.h"

#define FOLDED_BELOW    0.0025 /* which reads as 0.2 % */
#define ROWS_USUAL      20
#define PLOT_ROWS_USUAL 24
#define PLOT_NAME_SIZE  256
#define HEADING_LONG    8 /* characters of a heading that has two lines, if it has two words */

/* Replaces the fields in `shown` by those that the user chose, if he chose some, and that the level has. False if
 * the level is not shown. */
static bool heed_view(const struct ws_groups *groups, uint32_t number, struct ws_shown_list *shown)
{
    const struct ws_groups_level *level = &groups->levels[number];
    uint32_t count = 0;
    if (!ws_groups_is_shown(groups, number))
        return false;
    if (groups->view.fields == NULL)
        return shown->count > 0;
    shown->count = 0;
    ws_columns_list(groups->columns, groups->view.fields, shown, NULL);
    for (uint32_t i = 0; i < shown->count; ++i)
        if (ws_mask_has(level->mask, &shown->items[i]))
            shown->items[count++] = shown->items[i];
    shown->count = count;
    return count > 0;
}

/* The fields of a level's table. */
static bool take_fields(const struct ws_groups *groups, uint32_t number, struct ws_shown_list *shown)
{
    const char *text = groups->levels[number].level.text;
    shown->count = 0;
    if (text == NULL)
        return false;
    ws_columns_list(groups->columns, text, shown, NULL);
    return heed_view(groups, number, shown);
}

bool ws_groups_shows(const struct ws_groups *groups, uint32_t level, const char *field)
{
    struct ws_shown_list shown;
    bool has = false;
    if (!take_fields(groups, level, &shown))
        return false;
    for (uint32_t i = 0; i < shown.count && !has; ++i)
        has = strcmp(shown.items[i].field->name, field) == 0;
    return has;
}

/* The fields of a level in JSON, and in CSV: there without those that are in JSON only. */
static bool take_data(const struct ws_groups *groups, uint32_t number, bool json, struct ws_shown_list *shown)
{
    const struct ws_groups_level *level = &groups->levels[number];
    uint32_t count = 0;
    ws_columns_data(groups->columns, &level->level, level->mask, shown);
    if (!heed_view(groups, number, shown))
        shown->count = 0;
    for (uint32_t i = 0; i < shown->count; ++i)
        if (json || !ws_field_is_of_json(shown->items[i].field))
            shown->items[count++] = shown->items[i];
    shown->count = count;
    return count > 0;
}

static bool has_field(const struct ws_shown_list *shown, const struct ws_shown *field)
{
    for (uint32_t i = 0; i < shown->count; ++i)
        if (shown->items[i].field == field->field)
            return true;
    return false;
}

/* The order of a level in JSON and CSV; NULL: that of the keys. */
static const char *sort_of(const struct ws_groups *groups, uint32_t level)
{
    return groups->levels[level].level.ordered ? groups->levels[level].level.sort : NULL;
}

static double share_of(const struct ws_shown *shown, const struct ws_row *row, const struct ws_value *value)
{
    const uint64_t *words = row->sums;
    if (value->kind == WS_VALUE_REAL)
        return value->real;
    const uint64_t whole = words[shown->field->of / sizeof(*words)];
    return whole > 0 ? (double)value->count / (double)whole : 0;
}

static bool is_zero(const struct ws_value *value)
{
    return value->kind == WS_VALUE_COUNT ? value->count == 0
                                         : value->kind == WS_VALUE_REAL && value->real == 0;
}

static void add_cell(struct ws_table *table, const struct ws_shown *shown, const struct ws_row *row)
{
    const struct ws_field *field = shown->field;
    const char *prefix = field->prefix != NULL ? field->prefix : "";
    struct ws_value value;
    ws_groups_value(shown, row, &value);
    if (value.kind == WS_VALUE_NONE || value.unknown ||
        ((field->flags & WS_BLANK_ZERO) != 0 && is_zero(&value)))
        ws_table_add(table, "%s",
                     (field->flags & WS_DASH) != 0 || (value.kind == WS_VALUE_NONE && value.unknown) ? "-"
                                                                                                     : "");
    else if (value.kind == WS_VALUE_TEXT)
        ws_table_add(table, "%s%s", prefix, value.text);
    else if (field->format == WS_FLAG)
        ws_table_add(table, "%s", value.count != 0 ? "yes" : "no");
    else if (field->format == WS_PART || field->format == WS_SHARE)
        ws_table_add(table, "%s%.*f %%", prefix, field->digits > 0 ? field->digits : 1,
                     100 * share_of(shown, row, &value));
    else if (value.kind == WS_VALUE_COUNT)
        ws_table_add(table, "%s%" PRIu64, prefix, value.count);
    else if (field->format == WS_NUMBER)
        ws_table_add(table, "%s%.6g", prefix, value.real);
    else
        ws_table_add(table, "%s%.*f", prefix, field->digits > 0 ? field->digits : 2, value.real);
}

/* The level of the total; its number is that of levels where there is none. */
static uint32_t find_total(const struct ws_groups *groups)
{
    uint32_t total = 0;
    while (total < groups->level_count && groups->levels[total].mask != 0)
        ++total;
    return total;
}

/* The row of the total, under the others: its first cell is "all". */
static void add_total(const struct ws_groups *groups, struct ws_table *table,
                      const struct ws_shown_list *shown)
{
    struct ws_row row;
    const uint32_t total = find_total(groups);
    if (total == groups->level_count)
        return;
    ws_groups_row(groups, total, 0, &row);
    for (uint32_t i = 0; i < shown->count; ++i)
        if (shown->items[i].dimension != WS_MEASURE)
            ws_table_add(table, "%s", i == 0 ? "all" : "");
        else
            add_cell(table, &shown->items[i], &row);
}

static size_t longest_line(const char *heading, const char *blank, size_t length)
{
    const size_t first = (size_t)(blank - heading);
    return first > length - first - 1 ? first : length - first - 1;
}

/* The heading of a column: the words of its name, in two lines if they are long. So what a user reads there is what
 * --fields takes, with "_" between the words. */
static const char *heading_of(const struct ws_field *field, char heading[WS_NAME_SIZE])
{
    if (field->heading != NULL)
        return field->heading;
    snprintf(heading, WS_NAME_SIZE, "%s", field->name);
    const size_t length = strlen(heading);
    char *middle = NULL; /* the blank that leaves the shortest lines */
    for (char *at = heading; *at != '\0'; ++at) {
        *at = *at == '_' ? ' ' : *at;
        if (*at == ' ' &&
            (middle == NULL || longest_line(heading, at, length) < longest_line(heading, middle, length)))
            middle = at;
    }
    if (middle != NULL && length >= HEADING_LONG)
        *middle = '\n';
    return heading;
}

static void fill_columns(const struct ws_shown_list *shown, struct ws_column columns[WS_SHOWN_MAX],
                         char headings[WS_SHOWN_MAX][WS_NAME_SIZE])
{
    for (uint32_t i = 0; i < shown->count; ++i) {
        const struct ws_field *field = shown->items[i].field;
        columns[i] = (struct ws_column){heading_of(field, headings[i]),
                                        (field->format != WS_TEXT && field->format != WS_FLAG) ||
                                            (field->flags & WS_RIGHT) != 0};
    }
}

/* The weight of a row: see ws_columns. */
static double weight_of(const struct ws_groups *groups, const struct ws_shown *weight, uint32_t level,
                        uint32_t index)
{
    struct ws_row row;
    struct ws_value value;
    ws_groups_row(groups, level, index, &row);
    ws_groups_value(weight, &row, &value);
    return value.kind == WS_VALUE_COUNT ? (double)value.count : value.kind == WS_VALUE_REAL ? value.real : 0;
}

/* Rows that a table leaves out at its end, for each of them says little. */
struct folded {
    uint32_t count;
    double share; /* of all of them together */
};

static struct folded fold(const struct ws_groups *groups, uint32_t number, const struct ws_ordered *ordered)
{
    struct folded folded = {0, 0};
    struct ws_shown_list weight = {0};
    const uint32_t total = find_total(groups);
    if (!groups->levels[number].level.folds || groups->view.rows > 0 || ws_view_is_set(&groups->view) ||
        groups->columns->weight == NULL || total == groups->level_count)
        return folded;
    ws_columns_list(groups->columns, groups->columns->weight, &weight, NULL);
    const double all = weight_of(groups, &weight.items[0], total, 0);
    for (uint32_t i = ordered->count; i > 0; --i) {
        const double own = weight_of(groups, &weight.items[0], number, ordered->rows[i - 1]);
        if (own >= FOLDED_BELOW * all)
            break;
        folded.count++;
        folded.share += own / all;
    }
    /* One takes no more room than to say so. Where all are small, the first of them are the largest that there are. */
    return folded.count > 1 && folded.count < ordered->count ? folded : (struct folded){0, 0};
}

bool ws_groups_text(const struct ws_groups *groups, uint32_t number, FILE *stream)
{
    const struct ws_level *level = &groups->levels[number].level;
    const uint32_t usual = level->rows > 0 ? level->rows : ROWS_USUAL;
    uint32_t most = groups->view.rows > 0 ? groups->view.rows : usual;
    struct ws_column columns[WS_SHOWN_MAX];
    char headings[WS_SHOWN_MAX][WS_NAME_SIZE];
    struct ws_shown_list shown;
    struct ws_ordered ordered = {NULL, 0};
    struct ws_table table;
    if (!take_fields(groups, number, &shown))
        return true;
    fill_columns(&shown, columns, headings);
    if (!ws_groups_order(groups, number, level->sort, level->filter, &ordered))
        return false;
    const struct folded folded = fold(groups, number, &ordered);
    const uint32_t large = ordered.count - folded.count;
    most = large < most ? large : most;
    ws_table_init(&table, columns, shown.count);
    for (uint32_t i = 0; i < ordered.count && i < most; ++i) {
        struct ws_row row;
        ws_groups_row(groups, number, ordered.rows[i], &row);
        for (uint32_t j = 0; j < shown.count; ++j)
            add_cell(&table, &shown.items[j], &row);
    }
    if (level->total && ordered.count > 0)
        add_total(groups, &table, &shown);
    const bool printed = !table.failed;
    if (printed && ordered.count > 0) {
        fprintf(stream, "\n%s\n", level->heading);
        ws_table_print(&table, 2, stream);
        if (folded.count > 0 && most == large)
            fprintf(stream,
                    "  ... and %" PRIu32
                    " others of 0.2 %% or less, %.1f %% together: --rows 0 shows them all\n",
                    folded.count, 100 * folded.share);
        else if (ordered.count > most)
            fprintf(stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", ordered.count - most);
    }
    if (printed && ordered.count == 0 &&
        groups->view.by != NULL) /* it was asked for, and is all that is printed */
        fprintf(stream, "\n%s: no row\n", level->heading);
    ws_table_finish(&table);
    free(ordered.rows);
    return printed;
}

bool ws_groups_text_all(const struct ws_groups *groups, FILE *stream)
{
    bool printed = true;
    for (uint32_t i = 0; i < groups->level_count && printed; ++i)
        printed = ws_groups_text(groups, i, stream);
    return printed;
}

static cJSON *make_item(const struct ws_shown *shown, const struct ws_row *row)
{
    struct ws_row own = *row;
    struct ws_value value;
    own.key = shown->dimension != WS_MEASURE ? row->keys[shown->dimension] : 0;
    if (shown->field->json != NULL)
        return own.key < WS_KEY_SEVERAL ? shown->field->json(&own) : cJSON_CreateNull();
    ws_groups_value(shown, row, &value);
    switch (value.unknown ? WS_VALUE_NONE : value.kind) {
    case WS_VALUE_COUNT:
        return shown->field->format == WS_FLAG ? cJSON_CreateBool(value.count != 0)
                                               : ws_json_integer_item(value.count);
    case WS_VALUE_REAL: return ws_json_number_item(value.real);
    case WS_VALUE_TEXT: return cJSON_CreateString(value.text);
    default: return cJSON_CreateNull();
    }
}

/* A row as an object. NULL when there is no memory. */
static cJSON *make_object(const struct ws_groups *groups, uint32_t level, uint32_t index,
                          const struct ws_shown_list *shown)
{
    cJSON *object = cJSON_CreateObject();
    bool added = object != NULL;
    struct ws_row row;
    ws_groups_row(groups, level, index, &row);
    for (uint32_t i = 0; i < shown->count && added; ++i) {
        cJSON *item = make_item(&shown->items[i], &row);
        added = ws_json_add(object, shown->items[i].field->name, item) != NULL;
    }
    if (added)
        return object;
    cJSON_Delete(object);
    return NULL;
}

bool ws_groups_json_first(const struct ws_groups *groups, uint32_t number, uint32_t most,
                          struct ws_json *json)
{
    const struct ws_groups_level *level = &groups->levels[number];
    struct ws_ordered ordered = {NULL, 0};
    struct ws_shown_list shown;
    if (!take_data(groups, number, true, &shown)) {
        ws_json_member(json, level->level.name, cJSON_CreateNull());
        return !json->failed;
    }
    if (!ws_groups_order(groups, number, sort_of(groups, number), NULL, &ordered))
        return false;
    if (level->mask == 0) {
        ws_json_member(json, level->level.name,
                       ordered.count > 0 ? make_object(groups, number, 0, &shown) : cJSON_CreateNull());
    } else {
        ws_json_open_list(json, level->level.name);
        for (uint32_t i = 0; i < ordered.count && i < most; ++i)
            ws_json_element(json, make_object(groups, number, ordered.rows[i], &shown));
        ws_json_close_list(json);
    }
    free(ordered.rows);
    return !json->failed;
}

bool ws_groups_json(const struct ws_groups *groups, uint32_t number, struct ws_json *json)
{
    return ws_groups_json_first(groups, number, UINT32_MAX, json);
}

bool ws_groups_json_all(const struct ws_groups *groups, struct ws_json *json)
{
    bool written = true;
    for (uint32_t i = 0; i < groups->level_count && written; ++i)
        written = ws_groups_json(groups, i, json);
    return written && !json->failed;
}

uint32_t ws_groups_level_count(const struct ws_groups *groups)
{
    return groups->level_count;
}

const char *ws_groups_level_name(const struct ws_groups *groups, uint32_t level)
{
    return groups->levels[level].level.name;
}

/* The columns of CSV of all levels: those that the user chose, else all that some level has. */
static void take_all_data(const struct ws_groups *groups, struct ws_shown_list *shown)
{
    struct ws_shown_list of_level[WS_LEVELS_MAX];
    shown->count = 0;
    if (groups->view.fields != NULL) {
        ws_columns_list(groups->columns, groups->view.fields, shown, NULL);
        return;
    }
    for (uint32_t i = 0; i < groups->level_count; ++i)
        take_data(groups, i, false, &of_level[i]);
    for (struct ws_shown field = {NULL}; ws_columns_next(groups->columns, &field);) {
        bool has = false;
        for (uint32_t i = 0; i < groups->level_count && !has; ++i)
            has = has_field(&of_level[i], &field);
        if (has && shown->count < WS_SHOWN_MAX)
            shown->items[shown->count++] = field;
    }
}

static void put_value(const struct ws_shown *shown, const struct ws_row *row, FILE *stream)
{
    char number[WS_NUMBER_SIZE];
    struct ws_value value;
    ws_groups_value(shown, row, &value);
    if (value.unknown)
        return;
    switch (value.kind) {
    case WS_VALUE_COUNT:
        if (shown->field->format == WS_FLAG)
            fputs(value.count != 0 ? "true" : "false", stream);
        else
            fprintf(stream, "%" PRIu64, value.count);
        break;
    case WS_VALUE_REAL: fputs(ws_number_text(value.real, number), stream); break;
    case WS_VALUE_TEXT: ws_csv_text(stream, value.text); break;
    default: break;
    }
}

/* Prints the rows of a level in the columns `shown`, behind `first` and a comma if it is not NULL. */
static bool put_level(const struct ws_groups *groups, uint32_t level, const struct ws_shown_list *shown,
                      const char *first, FILE *stream)
{
    struct ws_ordered ordered = {NULL, 0};
    struct ws_shown_list own;
    if (!take_data(groups, level, false, &own))
        return true;
    if (!ws_groups_order(groups, level, sort_of(groups, level), NULL, &ordered))
        return false;
    for (uint32_t i = 0; i < ordered.count; ++i) {
        struct ws_row row;
        ws_groups_row(groups, level, ordered.rows[i], &row);
        fprintf(stream, "%s%s", first != NULL ? first : "", first != NULL ? "," : "");
        for (uint32_t j = 0; j < shown->count; ++j) {
            fputs(j > 0 ? "," : "", stream);
            if (has_field(&own, &shown->items[j]))
                put_value(&shown->items[j], &row, stream);
        }
        fputc('\n', stream);
    }
    free(ordered.rows);
    return true;
}

static void put_names(const struct ws_shown_list *shown, FILE *stream)
{
    for (uint32_t i = 0; i < shown->count; ++i)
        fprintf(stream, "%s%s", i > 0 ? "," : "", shown->items[i].field->name);
    fputc('\n', stream);
}

bool ws_groups_has_csv(const struct ws_groups *groups, uint32_t level)
{
    struct ws_shown_list shown;
    return take_data(groups, level, false, &shown);
}

bool ws_groups_csv_table(const struct ws_groups *groups, uint32_t level, FILE *stream)
{
    struct ws_shown_list shown;
    if (!take_data(groups, level, false, &shown))
        return true;
    put_names(&shown, stream);
    return put_level(groups, level, &shown, NULL, stream);
}

bool ws_groups_csv(const struct ws_groups *groups, FILE *stream)
{
    const bool by = groups->view.by != NULL;
    struct ws_shown_list shown;
    bool put = true;
    take_all_data(groups, &shown);
    fputs(by ? "" : "level,", stream);
    put_names(&shown, stream);
    for (uint32_t i = 0; i < groups->level_count && put; ++i)
        put = put_level(groups, i, &shown, by ? NULL : groups->levels[i].level.name, stream);
    return put;
}

/* What a plot is drawn from. */
struct points {
    uint32_t rows;
    char (*names)[PLOT_NAME_SIZE];
    const char **labels;
    char (*texts)[PLOT_NAME_SIZE]; /* details */
    const char **details;
    double *values; /* series after series */
};

static void fill_points(const struct ws_groups *groups, uint32_t level, const struct ws_ordered *ordered,
                        const struct ws_shown *label, const struct ws_shown *detail,
                        const struct ws_shown_list *shown, struct points *points)
{
    for (uint32_t i = 0; i < points->rows; ++i) {
        struct ws_value value;
        struct ws_row row;
        ws_groups_row(groups, level, ordered->rows[i], &row);
        ws_groups_value(label, &row, &value);
        if (value.kind == WS_VALUE_TEXT)
            snprintf(points->names[i], PLOT_NAME_SIZE, "%s", value.text);
        else
            snprintf(points->names[i], PLOT_NAME_SIZE, "%" PRIu64, value.count);
        ws_text_cut(points->names[i]);
        points->labels[i] = points->names[i];
        if (detail != NULL) {
            ws_groups_value(detail, &row, &value);
            snprintf(points->texts[i], PLOT_NAME_SIZE, "%" PRIu64 " %s",
                     value.kind == WS_VALUE_COUNT ? value.count : 0, detail->field->name);
            points->details[i] = points->texts[i];
        }
        for (uint32_t j = 0; j < shown->count; ++j) {
            const struct ws_shown *item = &shown->items[j];
            const bool is_share = item->field->format == WS_PART || item->field->format == WS_SHARE;
            ws_groups_value(item, &row, &value);
            points->values[(size_t)j * points->rows + i] = value.kind == WS_VALUE_NONE ? NAN
                                                           : is_share ? 100 * share_of(item, &row, &value)
                                                           : value.kind == WS_VALUE_COUNT
                                                               ? (double)value.count
                                                               : value.real;
        }
    }
}

static bool draw_points(const struct ws_groups_plot *plot, const struct ws_shown_list *shown,
                        const struct points *points, struct ws_plots *plots, struct ws_error *error)
{
    struct ws_series series[WS_SHOWN_MAX];
    char names[WS_SHOWN_MAX][WS_NAME_SIZE];
    for (uint32_t i = 0; i < shown->count; ++i) {
        const struct ws_field *field = shown->items[i].field;
        char heading[WS_NAME_SIZE];
        snprintf(names[i], WS_NAME_SIZE, "%s", heading_of(field, heading));
        for (char *at = names[i]; *at != '\0'; ++at)
            *at = *at == '\n' ? ' ' : *at;
        series[i] = (struct ws_series){
            .name = names[i], .y = points->values + (size_t)i * points->rows, .count = points->rows};
    }
    const struct ws_plot drawn = {.kind = plot->kind,
                                  .title = plot->title,
                                  .about = plot->about,
                                  .unit = plot->unit,
                                  .details = plot->detail != NULL ? points->details : NULL,
                                  .x_label = plot->x_label,
                                  .y_label = plot->y_label,
                                  .labels = points->labels,
                                  .series = series,
                                  .series_count = shown->count,
                                  .y_max = plot->y_max};
    return ws_plots_plot(plots, plot->name, &drawn, error);
}

bool ws_groups_plot(const struct ws_groups *groups, uint32_t level, const struct ws_groups_plot *plot,
                    struct ws_plots *plots, struct ws_error *error)
{
    const uint32_t most = plot->rows > 0 ? plot->rows : PLOT_ROWS_USUAL;
    struct ws_ordered ordered = {NULL, 0};
    struct ws_shown_list label = {.count = 0};
    struct ws_shown_list shown = {.count = 0};
    struct ws_shown_list detail = {.count = 0};
    if (groups->view.by != NULL || !ws_groups_is_shown(groups, level) ||
        !ws_columns_list(groups->columns, plot->label, &label, error) ||
        !ws_columns_list(groups->columns, plot->fields, &shown, error) ||
        (plot->detail != NULL && !ws_columns_list(groups->columns, plot->detail, &detail, error)))
        return true;
    if (!ws_groups_order(groups, level, groups->levels[level].level.sort, NULL, &ordered))
        return ws_error_set(error, "no memory for the pictures");
    struct points points = {.rows = ordered.count < most ? ordered.count : most};
    points.names = calloc((size_t)points.rows + 1, sizeof(*points.names));
    points.labels = calloc((size_t)points.rows + 1, sizeof(*points.labels));
    points.texts = calloc((size_t)points.rows + 1, sizeof(*points.texts));
    points.details = calloc((size_t)points.rows + 1, sizeof(*points.details));
    points.values = calloc((size_t)points.rows * shown.count + 1, sizeof(*points.values));
    bool plotted = points.names != NULL && points.labels != NULL && points.texts != NULL &&
                   points.details != NULL && points.values != NULL;
    if (plotted && points.rows > 0) {
        fill_points(groups, level, &ordered, &label.items[0], detail.count > 0 ? &detail.items[0] : NULL,
                    &shown, &points);
        plotted = draw_points(plot, &shown, &points, plots, error);
    }
    free(points.names);
    free(points.labels);
    free(points.texts);
    free(points.details);
    free(points.values);
    free(ordered.rows);
    return plotted || ws_error_set(error, "no memory for the pictures");
}
