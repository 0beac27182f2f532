/* The figures that changed, and what they weigh (diff.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff.h"

bool ws_diff_is_share(const struct ws_field *field)
{
    return field->format == WS_SHARE || field->format == WS_PART;
}

bool ws_diff_is_figure(const struct ws_shown *shown)
{
    const struct ws_field *field = shown->field;
    if (field->format == WS_TEXT || field->format == WS_FLAG || ws_field_is_of_json(field) ||
        (field->flags & WS_TABLES) != 0)
        return false;
    return shown->dimension == WS_MEASURE || (field->flags & WS_FIGURE) != 0;
}

bool ws_diff_is_main(const struct ws_diff *diff, const struct ws_diff_figure *figure)
{
    const struct ws_columns *columns = diff->tables[figure->table].groups[0]->columns;
    struct ws_shown_list shown = {.count = 0};
    if (columns->main == NULL)
        return false;
    ws_columns_list(columns, columns->main, &shown, NULL);
    for (uint32_t i = 0; i < shown.count; ++i)
        if (shown.items[i].field == figure->field.field)
            return true;
    return false;
}

bool ws_diff_row_figure(const struct ws_row *row, const struct ws_shown *field, double *number)
{
    struct ws_value value;
    ws_groups_value(field, row, &value);
    if (value.kind == WS_VALUE_NONE || value.kind == WS_VALUE_TEXT || value.unknown)
        return false;
    *number = value.kind == WS_VALUE_COUNT ? (double)value.count : value.real;
    if (field->field->format == WS_PART && value.kind == WS_VALUE_COUNT) {
        const uint64_t whole = ((const uint64_t *)row->sums)[field->field->of / sizeof(uint64_t)];
        *number = whole > 0 ? *number / (double)whole : 0;
        return whole > 0;
    }
    return isfinite(*number);
}

bool ws_diff_number(const struct ws_groups *groups, uint32_t level, uint32_t row_number,
                    const struct ws_shown *field, double *number)
{
    struct ws_row row;
    ws_groups_row(groups, level, row_number, &row);
    return ws_diff_row_figure(&row, field, number);
}

bool ws_diff_side(const struct ws_diff *diff, const struct ws_diff_table *table, uint32_t side, uint32_t row,
                  const struct ws_shown *field, double *number)
{
    const bool divided = table->scaled && field->field->format == WS_COUNT &&
                         (field->field->flags & (WS_STEADY | WS_MAX)) == 0;
    if (!ws_diff_number(table->groups[side], table->level, row, field, number))
        return false;
    if (divided)
        *number /= (double)diff->divisor[side];
    return true;
}

bool ws_diff_measure(const struct ws_diff *diff, const struct ws_diff_table *table,
                     const uint32_t row[WS_DIFF_SIDES], const struct ws_shown *field,
                     struct ws_diff_figure *figure)
{
    *figure =
        (struct ws_diff_figure){.table = (uint32_t)(table - diff->tables), .field = *field, .weight = 1};
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
        figure->row[side] = row[side];
        if (!ws_diff_side(diff, table, side, row[side], field, &figure->value[side]))
            return false;
    }
    const double a = figure->value[0];
    const double b = figure->value[1];
    if (ws_diff_is_share(field->field))
        figure->change = b - a;
    else
        figure->change = a == b ? 0 : a == 0 ? (b > 0 ? INFINITY : -INFINITY) : (b - a) / fabs(a);
    const enum ws_better better = field->field->better;
    if (better != WS_BETTER_NEITHER && a != b)
        figure->effect = (b > a) == (better == WS_BETTER_MORE) ? 1 : -1;
    return true;
}

/* The table of the total of the same analysis; NULL where it has none. */
static const struct ws_diff_table *total_of(const struct ws_diff *diff, const struct ws_diff_table *table)
{
    for (uint32_t i = 0; i < diff->table_count; ++i)
        if (diff->tables[i].analysis == table->analysis &&
            diff->tables[i].groups[0]->levels[diff->tables[i].level].mask == 0)
            return &diff->tables[i];
    return NULL;
}

/* By what rows of a table weigh, and the totals of that. */
struct weighing {
    bool is_total;           /* its row weighs 1 */
    struct ws_shown_list by; /* nothing = rows are not weighed */
    double total[WS_DIFF_SIDES];
};

static void weighing_init(const struct ws_diff *diff, const struct ws_diff_table *table,
                          struct weighing *weighing)
{
    const struct ws_columns *columns = table->groups[0]->columns;
    const struct ws_diff_table *total = total_of(diff, table);
    *weighing = (struct weighing){.is_total = total == table};
    if (columns->weight == NULL || total == NULL || total == table)
        return;
    ws_columns_list(columns, columns->weight, &weighing->by, NULL);
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        if (ws_groups_count(total->groups[side], total->level) == 0 ||
            !ws_diff_number(total->groups[side], total->level, 0, &weighing->by.items[0],
                            &weighing->total[side]))
            weighing->by.count = 0;
}

/* The larger share of the total; 0 where the row has none: it is no place that work goes to. */
static double weigh(const struct ws_diff_table *table, const struct weighing *weighing,
                    const uint32_t row[WS_DIFF_SIDES])
{
    double weight = weighing->is_total ? 1 : 0;
    for (uint32_t side = 0; weighing->by.count > 0 && side < WS_DIFF_SIDES; ++side) {
        double number = 0;
        if (weighing->total[side] > 0 &&
            ws_diff_number(table->groups[side], table->level, row[side], &weighing->by.items[0], &number) &&
            number / weighing->total[side] > weight)
            weight = number / weighing->total[side];
    }
    return weight < 1 ? weight : 1;
}

static bool add_figure(struct ws_diff *diff, const struct ws_diff_figure *figure)
{
    if (diff->figure_count == diff->figure_capacity) {
        const uint32_t capacity = diff->figure_capacity > 0 ? 2 * diff->figure_capacity : 256;
        struct ws_diff_figure *figures = reallocarray(diff->figures, capacity, sizeof(*figures));
        if (figures == NULL)
            return false;
        diff->figures = figures;
        diff->figure_capacity = capacity;
    }
    diff->figures[diff->figure_count++] = *figure;
    return true;
}

/* Sorts one figure into those that changed, are small, within the noise, not known, or equal. */
static bool take_figure(struct ws_diff *diff, struct ws_diff_table *table, struct ws_diff_figure *figure)
{
    const double size = fabs(figure->change);
    if (figure->value[0] == figure->value[1]) {
        table->equal++;
        return true;
    }
    if (figure->unknown) {
        table->unknown++;
        return true;
    }
    if (figure->noise > 0 && size <= figure->noise) {
        table->noisy++;
        return true;
    }
    if (size < diff->least) {
        table->small++;
        return true;
    }
    table->changed++;
    figure->importance = figure->weight * (size < 1 ? size : 1);
    return add_figure(diff, figure);
}

static bool compare_table(struct ws_diff *diff, struct ws_diff_table *table)
{
    const struct ws_groups_level *level = &table->groups[0]->levels[table->level];
    struct ws_shown_list fields;
    struct weighing weighing;
    struct ws_diff_noise *noise = calloc(WS_SHOWN_MAX, sizeof(*noise));
    bool taken = noise != NULL;
    ws_columns_data(table->groups[0]->columns, &level->level, level->mask, &fields);
    weighing_init(diff, table, &weighing);
    for (uint32_t j = 0; taken && j < fields.count; ++j)
        if (ws_diff_is_figure(&fields.items[j]))
            ws_diff_noise_find(diff, table, &fields.items[j], &noise[j]);
    for (uint32_t i = 0; taken && i < table->join.count[0]; ++i) {
        const uint32_t other = table->join.other[0][i];
        if (other == WS_NONE)
            continue;
        const uint32_t row[WS_DIFF_SIDES] = {table->rows[0][i], table->rows[1][other]};
        const double weight = weigh(table, &weighing, row);
        for (uint32_t j = 0; taken && j < fields.count; ++j) {
            struct ws_diff_figure figure;
            if (!ws_diff_is_figure(&fields.items[j]) ||
                !ws_diff_measure(diff, table, row, &fields.items[j], &figure))
                continue;
            figure.weight = weight;
            ws_diff_noise_set(diff, table, &noise[j], &figure);
            taken = take_figure(diff, table, &figure);
        }
    }
    free(noise);
    return taken;
}

/* The most important first; then in the order of the tables, rows and fields. */
static int compare_figures(const void *left, const void *right)
{
    const struct ws_diff_figure *a = left;
    const struct ws_diff_figure *b = right;
    if (a->importance != b->importance)
        return a->importance > b->importance ? -1 : 1;
    if (a->table != b->table)
        return a->table < b->table ? -1 : 1;
    if (a->row[0] != b->row[0])
        return a->row[0] < b->row[0] ? -1 : 1;
    return (a->field.field > b->field.field) - (a->field.field < b->field.field);
}

bool ws_diff_figures_init(struct ws_diff *diff)
{
    bool made = true;
    ws_diff_noise_init(diff);
    for (uint32_t i = 0; made && i < diff->table_count; ++i)
        made = compare_table(diff, &diff->tables[i]);
    if (made && diff->figure_count > 0)
        qsort(diff->figures, diff->figure_count, sizeof(*diff->figures), compare_figures);
    return made;
}
