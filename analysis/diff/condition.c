#include "analysis/diff/condition.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/base/near.h"
#include "warpscope/output/wrap.h"

#define FIGURE_SIZE (3 * WS_NAME_SIZE)

/* Whether a level has a figure of this name; NULL = any level of the analysis but the total. */
static bool level_has(const struct ws_columns *columns, const struct ws_level *level, const char *name)
{
    struct ws_shown_list fields;
    ws_columns_data(columns, level, ws_columns_implied(columns, level->by), &fields);
    for (uint32_t i = 0; i < fields.count; ++i)
        if (ws_diff_is_figure(&fields.items[i]) && strcmp(fields.items[i].field->name, name) == 0)
            return true;
    return false;
}

/* Whether the analysis has the figure: in the table, or without one in its total, or with a row in any other table. */
static bool analysis_has(const struct ws_analysis *analysis, const struct ws_diff_condition *condition)
{
    if (analysis->columns == NULL)
        return false;
    for (const struct ws_level *level = analysis->columns->levels; level->name != NULL; ++level) {
        const bool meant = condition->table[0] != '\0' ? strcmp(level->name, condition->table) == 0
                                                       : (level->by != 0) == (condition->row[0] != '\0');
        if (meant && level_has(analysis->columns, level, condition->field))
            return true;
    }
    return false;
}

static bool is_main(const struct ws_columns *columns, const char *field)
{
    struct ws_shown_list shown = {.count = 0};
    if (columns == NULL || columns->main == NULL)
        return false;
    ws_columns_list(columns, columns->main, &shown, NULL);
    for (uint32_t i = 0; i < shown.count; ++i)
        if (strcmp(shown.items[i].field->name, field) == 0)
            return true;
    return false;
}

/* The message of a figure that is not there, with a near one. */
static bool no_figure(const struct ws_diff_condition *condition, struct ws_error *error)
{
    const struct ws_analysis *const *list = ws_analysis_list();
    struct ws_near near = ws_near_begin(condition->field, strlen(condition->field));
    for (size_t i = 0; list[i] != NULL; ++i)
        for (const struct ws_level *level = list[i]->columns != NULL ? list[i]->columns->levels : NULL;
             level != NULL && level->name != NULL; ++level) {
            struct ws_shown_list fields;
            ws_columns_data(list[i]->columns, level, ws_columns_implied(list[i]->columns, level->by),
                            &fields);
            for (uint32_t j = 0; j < fields.count; ++j)
                if (ws_diff_is_figure(&fields.items[j]))
                    ws_near_try(&near, fields.items[j].field->name);
        }
    if (near.name != NULL && strcmp(near.name, condition->field) != 0)
        return ws_error_set(error,
                            "--fail-if '%s': there is no figure '%s'; did you mean '%s'? `warpscope list "
                            "figures` shows all",
                            condition->text, condition->field, near.name);
    if (near.name != NULL)
        return ws_error_set(error,
                            "--fail-if '%s': '%s' is no figure of that table; `warpscope list figures` shows "
                            "which have it, and a row is named by '@ROW'",
                            condition->text, condition->field);
    return ws_error_set(error, "--fail-if '%s': there is no figure '%s'; `warpscope list figures` shows all",
                        condition->text, condition->field);
}

/* Finds the analysis of a field that stands alone. */
static bool find_analysis(struct ws_diff_condition *condition, struct ws_error *error)
{
    const struct ws_analysis *const *list = ws_analysis_list();
    const struct ws_analysis *second = NULL;
    for (size_t i = 0; list[i] != NULL; ++i) {
        if (!analysis_has(list[i], condition))
            continue;
        if (is_main(list[i]->columns, condition->field)) {
            condition->analysis = list[i];
            return true;
        }
        second = condition->analysis != NULL && second == NULL ? list[i] : second;
        condition->analysis = condition->analysis != NULL ? condition->analysis : list[i];
    }
    if (condition->analysis == NULL)
        return no_figure(condition, error);
    if (second != NULL)
        return ws_error_set(error, "--fail-if '%s': '%s' may be '%s.%s' or '%s.%s'; say which",
                            condition->text, condition->field, condition->analysis->name, condition->field,
                            second->name, condition->field);
    return true;
}

static bool no_analysis(const struct ws_diff_condition *condition, const char *name, struct ws_error *error)
{
    const struct ws_analysis *const *list = ws_analysis_list();
    struct ws_near near = ws_near_begin(name, strlen(name));
    for (size_t i = 0; list[i] != NULL; ++i)
        ws_near_try(&near, list[i]->name);
    return ws_error_set(error, "--fail-if '%s': there is no analysis '%s'%s%s%s", condition->text, name,
                        near.name != NULL ? "; did you mean '" : "; `warpscope list analyses` shows all",
                        near.name != NULL ? near.name : "", near.name != NULL ? "'?" : "");
}

static bool copy_name(char *to, const char *from, size_t length)
{
    if (length == 0 || length >= WS_NAME_SIZE)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

/* "simt_efficiency.shaders.efficiency" */
static bool parse_figure(struct ws_diff_condition *condition, const char *figure, struct ws_error *error)
{
    char analysis[WS_NAME_SIZE] = "";
    const char *last = strrchr(figure, '.');
    const char *first = strchr(figure, '.');
    bool good = copy_name(condition->field, last != NULL ? last + 1 : figure,
                          strlen(last != NULL ? last + 1 : figure));
    if (first != NULL)
        good = good && copy_name(analysis, figure, (size_t)(first - figure));
    if (first != last)
        good = good && copy_name(condition->table, first + 1, (size_t)(last - first - 1));
    if (!good || strchr(condition->table, '.') != NULL)
        return ws_error_set(error,
                            "--fail-if '%s': a figure is named FIELD, ANALYSIS.FIELD or ANALYSIS.TABLE.FIELD",
                            condition->text);
    if (analysis[0] == '\0')
        return find_analysis(condition, error);
    condition->analysis = ws_analysis_find(analysis);
    if (condition->analysis == NULL)
        return no_analysis(condition, analysis, error);
    return analysis_has(condition->analysis, condition) || no_figure(condition, error);
}

/* The comparison that begins at `at`; its length in `length`. */
static bool parse_comparison(const char *at, enum ws_comparison *comparison, size_t *length)
{
    static const struct {
        const char *text;
        enum ws_comparison comparison;
    } all[] = {{"<=", WS_AT_MOST}, {">=", WS_AT_LEAST}, {"!=", WS_UNEQUAL}, {"==", WS_EQUAL},
               {"<", WS_LESS},     {">", WS_MORE},      {"=", WS_EQUAL}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
        if (strncmp(at, all[i].text, strlen(all[i].text)) == 0) {
            *comparison = all[i].comparison;
            *length = strlen(all[i].text);
            return true;
        }
    return false;
}

static bool parse_number(struct ws_diff_condition *condition, const char *text)
{
    char *end = NULL;
    condition->number = strtod(text, &end);
    if (end == text || !isfinite(condition->number))
        return false;
    end += strspn(end, " ");
    condition->percent = *end == '%';
    end += condition->percent ? 1 : 0;
    condition->number /= condition->percent ? 100 : 1;
    return end[strspn(end, " ")] == '\0';
}

static void trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
    memmove(text, text + strspn(text, " "), strlen(text + strspn(text, " ")) + 1);
}

bool ws_diff_condition_parse(struct ws_diff_condition *condition, const char *text, struct ws_error *error)
{
    char figure[FIGURE_SIZE + sizeof(condition->row)];
    const char *at = text + strlen(text);
    size_t length = 0;
    *condition = (struct ws_diff_condition){.text = text};
    /* The last one: names of rows may hold such signs. */
    while (at > text && strchr("<>=", *--at) == NULL)
        ;
    if (at > text && strchr("<>=!", at[-1]) != NULL)
        --at;
    if (!parse_comparison(at, &condition->comparison, &length) || at == text ||
        !parse_number(condition, at + length))
        return ws_error_set(error,
                            "--fail-if '%s': a condition is FIGURE[@ROW] COMPARISON NUMBER[%%], for example "
                            "'efficiency<-2%%'",
                            text);
    if ((size_t)(at - text) >= sizeof(figure))
        return ws_error_set(error, "--fail-if: a condition of %zu bytes is too long", strlen(text));
    snprintf(figure, sizeof(figure), "%.*s", (int)(at - text), text);
    char *row = strchr(figure, '@');
    if (row != NULL) {
        *row++ = '\0';
        trim(row);
        if (row[0] == '\0' || strlen(row) >= sizeof(condition->row))
            return ws_error_set(error, "--fail-if '%s': behind '@' stands the name of a row, or a pattern",
                                text);
        snprintf(condition->row, sizeof(condition->row), "%s", row);
    }
    trim(figure);
    return parse_figure(condition, figure, error);
}

static bool is_true(const struct ws_diff_condition *condition, const struct ws_diff_figure *figure)
{
    const bool unchanged = figure->value[0] == figure->value[1] ||
                           (isfinite(figure->noise) && fabs(figure->change) <= figure->noise);
    const double change = unchanged            ? 0
                          : condition->percent ? figure->change
                                               : figure->value[1] - figure->value[0];
    switch (condition->comparison) {
    case WS_LESS: return change < condition->number;
    case WS_AT_MOST: return change <= condition->number;
    case WS_MORE: return change > condition->number;
    case WS_AT_LEAST: return change >= condition->number;
    case WS_EQUAL: return change == condition->number;
    default: return change != condition->number;
    }
}

/* Whether nothing tells if a figure changed. */
static bool is_unknown(const struct ws_diff_figure *figure)
{
    if (figure->unknown)
        return figure->value[0] != figure->value[1];
    return isinf(figure->noise) && (figure->field.field->flags & WS_MEASURED) == 0;
}

/* Looks at the rows of a table that are meant. Counts those that have a value in both captures. */
static uint32_t check_table(struct ws_diff_condition *condition, const struct ws_diff *diff,
                            const struct ws_diff_table *table)
{
    struct ws_shown_list field = {.count = 0};
    uint32_t seen = 0;
    ws_columns_list(table->groups[0]->columns, condition->field, &field, NULL);
    struct ws_diff_noise noise;
    ws_diff_noise_find(diff, table, &field.items[0], &noise);
    for (uint32_t i = 0; i < table->join.count[0] && !condition->holds; ++i) {
        const uint32_t other = table->join.other[0][i];
        char name[WS_DIFF_ROW_NAME];
        struct ws_diff_figure figure;
        if (other == WS_NONE)
            continue;
        const uint32_t row[WS_DIFF_SIDES] = {table->rows[0][i], table->rows[1][other]};
        ws_diff_row_name(table, 0, row[0], name);
        if (condition->row[0] != '\0' && fnmatch(condition->row, name, 0) != 0)
            continue;
        if (!ws_diff_measure(diff, table, row, &field.items[0], &figure))
            continue;
        ws_diff_noise_set(diff, table, &noise, &figure);
        condition->unknown = condition->unknown || is_unknown(&figure);
        condition->holds = !is_unknown(&figure) && is_true(condition, &figure);
        if (condition->holds || seen == 0)
            condition->figure = figure;
        ++seen;
    }
    return seen;
}

/* Whether a table of the comparison is meant. */
static bool is_meant(const struct ws_diff_condition *condition, const struct ws_diff_table *table)
{
    const struct ws_groups_level *level = &table->groups[0]->levels[table->level];
    if (table->analysis != condition->analysis || !table->compared ||
        !level_has(table->groups[0]->columns, &level->level, condition->field))
        return false;
    if (condition->table[0] != '\0')
        return strcmp(level->level.name, condition->table) == 0;
    return (level->mask != 0) == (condition->row[0] != '\0');
}

/* Whether both captures are whole. Of one that is cut short or damaged a figure is of a part, which would pass for less; so it
 * is of one that lost records, where the figure is made of records. Counters are never lost. */
static bool are_whole(const struct ws_diff_condition *condition, const struct ws_diff *diff,
                      struct ws_error *error)
{
    char text[WS_CUT_SHORT_MAX];
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        if (ws_report_cut_short(&diff->reports[side]->overview, text, sizeof(text)))
            return ws_error_set(error, "--fail-if '%s': '%s' is cut short: %s", condition->text,
                                diff->reports[side]->path, text);
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        if (diff->reports[side]->overview.reading.damaged > 0)
            return ws_error_set(error,
                                "--fail-if '%s': '%s' is damaged: %" PRIu64
                                " of its chunks were skipped. Copy the file once more, or record again",
                                condition->text, diff->reports[side]->path,
                                diff->reports[side]->overview.reading.damaged);
    for (uint32_t side = 0; side < WS_DIFF_SIDES && condition->analysis->replay != NULL; ++side)
        if (ws_report_lost(diff->reports[side], text, sizeof(text)))
            return ws_error_set(error, "--fail-if '%s': '%s' lacks records: %s", condition->text,
                                diff->reports[side]->path, text);
    return true;
}

bool ws_diff_condition_check(struct ws_diff_condition *condition, const struct ws_diff *diff,
                             struct ws_error *error)
{
    bool served = false;
    uint32_t seen = 0;
    condition->holds = false;
    condition->unknown = false;
    if (!are_whole(condition, diff, error))
        return false;
    for (uint32_t i = 0; i < diff->table_count && seen == 0; ++i) {
        served = served || diff->tables[i].analysis == condition->analysis;
        if (is_meant(condition, &diff->tables[i]))
            seen = check_table(condition, diff, &diff->tables[i]);
    }
    const bool unknown = condition->unknown && !condition->holds;
    if (unknown && ws_diff_is_drawn(diff, condition->analysis))
        return ws_error_set(
            error,
            "--fail-if '%s': counters are of some warps only, and how far off this figure may be is "
            "not known: record both without --sample, or name a figure whose error is known",
            condition->text);
    if (unknown)
        return ws_error_set(
            error,
            "--fail-if '%s': records are of other threads in A than in B, which only shares of "
            "them can be compared of: record both with the same --threads, --pixels and --tile",
            condition->text);
    if (seen > 0)
        return true;
    for (uint32_t side = 0; side < WS_DIFF_SIDES && !served; ++side)
        if (!ws_analysis_is_served(condition->analysis, &diff->reports[side]->overview,
                                   diff->reports[side]->path, error))
            return false;
    if (condition->row[0] != '\0')
        return ws_error_set(error, "--fail-if '%s': no row of both captures has a name like '%s' and a value",
                            condition->text, condition->row);
    return ws_error_set(error, "--fail-if '%s': the captures have no value of it", condition->text);
}

/* The shortest name that means the figure of a total: "efficiency" or "hotspots.efficiency". */
static void figure_name(const struct ws_analysis *analysis, const struct ws_level *level, const char *field,
                        char name[FIGURE_SIZE])
{
    struct ws_diff_condition condition = {.text = ""};
    snprintf(condition.field, sizeof(condition.field), "%s", field);
    if (level->by == 0 && find_analysis(&condition, NULL) && condition.analysis == analysis)
        snprintf(name, FIGURE_SIZE, "%s", field);
    else if (level->by == 0)
        snprintf(name, FIGURE_SIZE, "%s.%s", analysis->name, field);
    else
        snprintf(name, FIGURE_SIZE, "%s.%s.%s", analysis->name, level->name, field);
}

void ws_diff_figures_print(size_t width, FILE *stream)
{
    const struct ws_analysis *const *list = ws_analysis_list();
    ws_wrap_print(
        "Figures that `warpscope diff` compares, as --fail-if names them. Those of tables take a row: "
        "FIGURE@ROW.",
        0, width, stream);
    for (size_t i = 0; list[i] != NULL; ++i)
        for (const struct ws_level *level = list[i]->columns != NULL ? list[i]->columns->levels : NULL;
             level != NULL && level->name != NULL; ++level) {
            struct ws_shown_list fields;
            ws_columns_data(list[i]->columns, level, ws_columns_implied(list[i]->columns, level->by),
                            &fields);
            for (uint32_t j = 0; j < fields.count; ++j) {
                char name[FIGURE_SIZE];
                if (!ws_diff_is_figure(&fields.items[j]))
                    continue;
                figure_name(list[i], level, fields.items[j].field->name, name);
                ws_wrap_item(name, fields.items[j].field->help, 2, 45, width, stream);
            }
        }
}
