/* Levels as tables, CSV, JSON and plots (columns.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/table.h"
#include "analysis/report/groups.h"
#include "passes/base/text.h"

#define ROWS_USUAL      20
#define NESTED_MAX      4 /* lists inside the rows of a level */
#define PLOT_ROWS_USUAL 24
#define PLOT_NAME_SIZE  256

/* The fields of a level that are shown: those that the user chose, else those of `list`. */
static bool take_fields(const struct ws_groups *groups, uint32_t number, const char *list,
                        struct ws_shown_list *shown)
{
    const struct ws_groups_level *level = &groups->levels[number];
    uint32_t count = 0;
    shown->count = 0;
    if (list == NULL || !ws_groups_is_shown(groups, number))
        return false;
    if (groups->view.fields == NULL)
        return ws_columns_list(groups->columns, list, level->level.name, shown, NULL) && shown->count > 0;
    ws_columns_list(groups->columns, groups->view.fields, NULL, shown, NULL);
    for (uint32_t i = 0; i < shown->count; ++i)
        if (ws_level_has(level, &shown->items[i]))
            shown->items[count++] = shown->items[i];
    shown->count = count;
    return count > 0;
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
        ws_table_add(table, "%s", (field->flags & WS_DASH) != 0 ? "-" : "");
    else if (value.kind == WS_VALUE_TEXT)
        ws_table_add(table, "%s%s", prefix, value.text);
    else if (field->format == WS_PART || field->format == WS_SHARE)
        ws_table_add(table, "%s%.*f %%", prefix, field->digits > 0 ? field->digits : 1,
                     100 * share_of(shown, row, &value));
    else if (value.kind == WS_VALUE_COUNT)
        ws_table_add(table, "%s%" PRIu64, prefix, value.count);
    else
        ws_table_add(table, "%s%.*f", prefix, field->digits > 0 ? field->digits : 2, value.real);
}

/* The row of the total, under the others: its first cell is "all". */
static void add_total(const struct ws_groups *groups, struct ws_table *table,
                      const struct ws_shown_list *shown)
{
    struct ws_row row;
    uint32_t total = 0;
    while (total < groups->level_count && groups->levels[total].mask != 0)
        ++total;
    if (total == groups->level_count)
        return;
    ws_groups_row(groups, total, 0, &row);
    for (uint32_t i = 0; i < shown->count; ++i)
        if (shown->items[i].dimension != WS_MEASURE)
            ws_table_add(table, "%s", i == 0 ? "all" : "");
        else
            add_cell(table, &shown->items[i], &row);
}

static void fill_columns(const struct ws_shown_list *shown, struct ws_column columns[WS_SHOWN_MAX])
{
    for (uint32_t i = 0; i < shown->count; ++i) {
        const struct ws_field *field = shown->items[i].field;
        columns[i] = (struct ws_column){field->heading != NULL ? field->heading : field->name,
                                        field->format != WS_TEXT || (field->flags & WS_RIGHT) != 0};
    }
}

bool ws_groups_text(const struct ws_groups *groups, uint32_t number, FILE *stream)
{
    const struct ws_level *level = &groups->levels[number].level;
    const uint32_t usual = level->rows > 0 ? level->rows : ROWS_USUAL;
    const uint32_t most = groups->view.rows > 0 ? groups->view.rows : usual;
    struct ws_column columns[WS_SHOWN_MAX];
    struct ws_shown_list shown;
    struct ws_ordered ordered = {NULL, 0};
    struct ws_table table;
    if (!take_fields(groups, number, level->text, &shown))
        return true;
    fill_columns(&shown, columns);
    if (!ws_groups_order(groups, number, level->sort, level->filter, &ordered))
        return false;
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
        if (ordered.count > most)
            fprintf(stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", ordered.count - most);
    }
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
    if (shown->field->json != NULL && own.key != WS_KEY_OTHERS)
        return shown->field->json(&own);
    ws_groups_value(shown, row, &value);
    switch (value.kind) {
    case WS_VALUE_COUNT: return ws_json_integer_item(value.count);
    case WS_VALUE_REAL: return cJSON_CreateNumber(value.real);
    case WS_VALUE_TEXT: return cJSON_CreateString(value.text);
    default: return cJSON_CreateNull();
    }
}

static bool is_omitted(const struct ws_shown *shown, const struct ws_row *row)
{
    struct ws_value value;
    if ((shown->field->flags & WS_OMIT) == 0)
        return false;
    ws_groups_value(shown, row, &value);
    return value.kind == WS_VALUE_NONE;
}

static bool add_member(cJSON *object, const char *key, cJSON *item)
{
    if (item != NULL && cJSON_AddItemToObject(object, key, item))
        return true;
    cJSON_Delete(item);
    return false;
}

/* The rows of a level that is inside another, by the row of that. Zero-initialised is empty. */
struct nested {
    uint32_t level;
    struct ws_shown_list shown;
    uint32_t *rows;   /* those of the first row of the other, those of the second, ... */
    uint32_t *starts; /* per row of the other, and one more: where its rows begin */
};

static void finish_nested(struct nested nested[NESTED_MAX])
{
    for (uint32_t i = 0; i < NESTED_MAX; ++i) {
        free(nested[i].rows);
        free(nested[i].starts);
    }
}

static bool fill_nested(const struct ws_groups *groups, uint32_t outer, uint32_t level, struct nested *nested)
{
    struct ws_ordered ordered = {NULL, 0};
    const uint32_t count = groups->levels[outer].count;
    nested->level = level;
    nested->starts = calloc((size_t)count + 2, sizeof(*nested->starts));
    nested->rows = calloc((size_t)groups->levels[level].count + 1, sizeof(*nested->rows));
    if (!take_fields(groups, level, groups->levels[level].level.json, &nested->shown))
        return nested->starts != NULL && nested->rows != NULL;
    bool filled = nested->starts != NULL && nested->rows != NULL &&
                  ws_groups_order(groups, level, sort_of(groups, level), NULL, &ordered);
    /* How many each has, where the next one's begin, and then the rows in their order. */
    for (uint32_t step = 0; step < 2 && filled; ++step) {
        for (uint32_t i = 0; i < ordered.count; ++i) {
            struct ws_row row;
            ws_groups_row(groups, level, ordered.rows[i], &row);
            const uint32_t at = ws_groups_find_row(groups, outer, row.keys);
            if (at != WS_NONE && step == 0)
                nested->starts[at + 2]++;
            else if (at != WS_NONE)
                nested->rows[nested->starts[at + 1]++] = ordered.rows[i];
        }
        for (uint32_t i = 0; i < count && step == 0; ++i)
            nested->starts[i + 2] += nested->starts[i + 1];
    }
    free(ordered.rows);
    return filled;
}

static bool add_object(cJSON *list, cJSON *object, bool filled)
{
    if (filled && list != NULL && object != NULL && cJSON_AddItemToArray(list, object))
        return true;
    cJSON_Delete(object);
    return false;
}

static bool add_fields(cJSON *object, const struct ws_shown_list *shown, const struct ws_row *row)
{
    bool added = object != NULL;
    for (uint32_t i = 0; i < shown->count && added; ++i)
        added = shown->items[i].field == NULL || is_omitted(&shown->items[i], row) ||
                add_member(object, shown->items[i].key, make_item(&shown->items[i], row));
    return added;
}

static bool add_nested(const struct ws_groups *groups, cJSON *list, uint32_t index,
                       const struct nested *nested)
{
    bool added = list != NULL;
    for (uint32_t i = nested->starts[index]; i < nested->starts[index + 1] && added; ++i) {
        struct ws_row row;
        cJSON *object = cJSON_CreateObject();
        ws_groups_row(groups, nested->level, nested->rows[i], &row);
        added = add_object(list, object, add_fields(object, &nested->shown, &row));
    }
    return added;
}

/* The rows of one level as objects. */
struct listing {
    const struct ws_groups *groups;
    uint32_t level;
    struct ws_shown_list shown;
    struct ws_ordered ordered;
    struct nested nested[NESTED_MAX];
};

static void finish_listing(struct listing *listing)
{
    finish_nested(listing->nested);
    free(listing->ordered.rows);
}

static bool begin_listing(struct listing *listing, const struct ws_groups *groups, uint32_t level)
{
    uint32_t count = 0;
    bool begun = true;
    *listing = (struct listing){.groups = groups, .level = level};
    if (!take_fields(groups, level, groups->levels[level].level.json, &listing->shown))
        return true;
    for (uint32_t i = 0; i < listing->shown.count && begun; ++i)
        if (listing->shown.items[i].field == NULL)
            begun = count < NESTED_MAX &&
                    fill_nested(groups, level, listing->shown.items[i].nested, &listing->nested[count++]);
    return begun && ws_groups_order(groups, level, sort_of(groups, level), NULL, &listing->ordered);
}

/* NULL when there is no memory. */
static cJSON *make_object(const struct listing *listing, uint32_t index)
{
    cJSON *object = cJSON_CreateObject();
    uint32_t nested = 0;
    bool added = object != NULL;
    struct ws_row row;
    ws_groups_row(listing->groups, listing->level, index, &row);
    for (uint32_t i = 0; i < listing->shown.count && added; ++i) {
        const struct ws_shown *item = &listing->shown.items[i];
        if (item->field == NULL)
            added = add_nested(listing->groups, cJSON_AddArrayToObject(object, item->key), index,
                               &listing->nested[nested++]);
        else
            added = is_omitted(item, &row) || add_member(object, item->key, make_item(item, &row));
    }
    if (added)
        return object;
    cJSON_Delete(object);
    return NULL;
}

/* Whether a row is in lists of JSON. */
static bool is_listed(const struct ws_groups *groups, uint32_t level, uint32_t index)
{
    struct ws_row row;
    ws_groups_row(groups, level, index, &row);
    for (uint32_t i = 0; i < groups->dimension_count && groups->view.by == NULL; ++i)
        if (row.keys[i] == WS_KEY_SEVERAL)
            return false;
    return true;
}

bool ws_groups_json(const struct ws_groups *groups, uint32_t number, struct ws_json *json)
{
    const struct ws_groups_level *level = &groups->levels[number];
    struct listing listing;
    const bool begun = begin_listing(&listing, groups, number);
    if (begun && listing.shown.count > 0 && level->mask == 0 && listing.ordered.count > 0) {
        ws_json_member(json, level->level.json_name, make_object(&listing, 0));
    } else if (begun && listing.shown.count > 0 && level->mask != 0) {
        ws_json_open_list(json, level->level.json_name);
        for (uint32_t i = 0; i < listing.ordered.count; ++i)
            if (is_listed(groups, number, listing.ordered.rows[i]))
                ws_json_element(json, make_object(&listing, listing.ordered.rows[i]));
        ws_json_close_list(json);
    }
    finish_listing(&listing);
    return begun && !json->failed;
}

bool ws_groups_json_row(const struct ws_groups *groups, uint32_t number, const uint64_t *keys, cJSON *object)
{
    const uint32_t index = ws_groups_find_row(groups, number, keys);
    uint64_t *nothing = calloc(1, groups->columns->size + sizeof(*nothing));
    struct ws_row row = {groups->catalog, groups->user, keys, nothing, 0};
    struct ws_shown_list shown;
    bool added = nothing != NULL;
    if (index != WS_NONE)
        ws_groups_row(groups, number, index, &row);
    if (added && take_fields(groups, number, groups->levels[number].level.json, &shown)) {
        uint32_t measures = 0;
        for (uint32_t i = 0; i < shown.count; ++i)
            if (shown.items[i].dimension == WS_MEASURE && shown.items[i].field != NULL)
                shown.items[measures++] = shown.items[i];
        shown.count = measures;
        added = add_fields(object, &shown, &row);
    }
    free(nothing);
    return added;
}

bool ws_groups_json_all(const struct ws_groups *groups, struct ws_json *json)
{
    bool written = true;
    if (groups->view.by != NULL) {
        const struct ws_groups_level *level = &groups->levels[0];
        ws_json_open_list(json, "by");
        for (uint32_t i = 0; i < level->order_count; ++i)
            ws_json_element(json, cJSON_CreateString(groups->columns->dimensions[level->order[i]].name));
        ws_json_close_list(json);
    }
    for (uint32_t i = 0; i < groups->level_count && written; ++i)
        written = groups->levels[i].level.json == NULL || groups->levels[i].level.inside != NULL ||
                  ws_groups_json(groups, i, json);
    return written && !json->failed;
}

/* The columns of CSV: those that the user chose, else all that some level has. */
static void take_csv_fields(const struct ws_groups *groups, struct ws_shown_list *shown)
{
    const struct ws_columns *columns = groups->columns;
    uint32_t dimensions = 0;
    shown->count = 0;
    if (groups->view.fields != NULL) {
        ws_columns_list(columns, groups->view.fields, NULL, shown, NULL);
        return;
    }
    for (uint32_t i = 0; i < groups->level_count; ++i)
        dimensions |= groups->levels[i].mask;
    for (struct ws_shown field = {NULL}; ws_columns_next(columns, &field);)
        if ((field.dimension == WS_MEASURE || (dimensions & 1u << field.dimension) != 0) &&
            (field.field->flags & WS_NO_CSV) == 0 && !ws_field_is_of_json(field.field) &&
            shown->count < WS_SHOWN_MAX)
            shown->items[shown->count++] = field;
}

static void put_value(const struct ws_shown *shown, const struct ws_row *row, FILE *stream)
{
    struct ws_value value;
    ws_groups_value(shown, row, &value);
    if (value.unknown)
        return;
    switch (value.kind) {
    case WS_VALUE_COUNT: fprintf(stream, "%" PRIu64, value.count); break;
    case WS_VALUE_REAL: fprintf(stream, "%.9g", value.real); break;
    case WS_VALUE_TEXT: ws_csv_text(stream, value.text); break;
    default: break;
    }
}

static bool put_level(const struct ws_groups *groups, uint32_t level, const struct ws_shown_list *shown,
                      FILE *stream)
{
    struct ws_ordered ordered = {NULL, 0};
    if (!ws_groups_is_shown(groups, level))
        return true;
    if (!ws_groups_order(groups, level, sort_of(groups, level), NULL, &ordered))
        return false;
    for (uint32_t i = 0; i < ordered.count; ++i) {
        struct ws_row row;
        ws_groups_row(groups, level, ordered.rows[i], &row);
        const char *separator = groups->view.by == NULL ? groups->levels[level].level.name : "";
        for (uint32_t j = 0; j < shown->count; ++j) {
            fprintf(stream, "%s%s", separator, j > 0 || groups->view.by == NULL ? "," : "");
            put_value(&shown->items[j], &row, stream);
            separator = "";
        }
        fputc('\n', stream);
    }
    free(ordered.rows);
    return true;
}

bool ws_groups_csv(const struct ws_groups *groups, FILE *stream)
{
    struct ws_shown_list shown;
    bool put = true;
    take_csv_fields(groups, &shown);
    fputs(groups->view.by == NULL ? "level" : "", stream);
    for (uint32_t i = 0; i < shown.count; ++i)
        fprintf(stream, "%s%s", i > 0 || groups->view.by == NULL ? "," : "", shown.items[i].field->name);
    fputc('\n', stream);
    for (uint32_t i = 0; i < groups->level_count && put; ++i)
        put = put_level(groups, i, &shown, stream);
    return put;
}

/* What a plot is drawn from. */
struct points {
    uint32_t rows;
    char (*names)[PLOT_NAME_SIZE];
    const char **labels;
    double *values; /* series after series */
};

static void fill_points(const struct ws_groups *groups, uint32_t level, const struct ws_ordered *ordered,
                        const struct ws_shown *label, const struct ws_shown_list *shown,
                        struct points *points)
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
        snprintf(names[i], WS_NAME_SIZE, "%s", field->heading != NULL ? field->heading : field->name);
        for (char *at = names[i]; *at != '\0'; ++at)
            *at = *at == '\n' ? ' ' : *at;
        series[i] = (struct ws_series){
            .name = names[i], .y = points->values + (size_t)i * points->rows, .count = points->rows};
    }
    const struct ws_plot drawn = {.kind = plot->kind,
                                  .title = plot->title,
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
    if (groups->view.by != NULL || !ws_groups_is_shown(groups, level) ||
        !ws_columns_list(groups->columns, plot->label, NULL, &label, error) ||
        !ws_columns_list(groups->columns, plot->fields, NULL, &shown, error))
        return true;
    if (!ws_groups_order(groups, level, groups->levels[level].level.sort, NULL, &ordered))
        return ws_error_set(error, "no memory for the pictures");
    struct points points = {.rows = ordered.count < most ? ordered.count : most};
    points.names = calloc((size_t)points.rows + 1, sizeof(*points.names));
    points.labels = calloc((size_t)points.rows + 1, sizeof(*points.labels));
    points.values = calloc((size_t)points.rows * shown.count + 1, sizeof(*points.values));
    bool plotted = points.names != NULL && points.labels != NULL && points.values != NULL;
    if (plotted && points.rows > 0) {
        fill_points(groups, level, &ordered, &label.items[0], &shown, &points);
        plotted = draw_points(plot, &shown, &points, plots, error);
    }
    free(points.names);
    free(points.labels);
    free(points.values);
    free(ordered.rows);
    return plotted || ws_error_set(error, "no memory for the pictures");
}
