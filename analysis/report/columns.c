/* Names of dimensions and columns: lists, filters, checks and help (columns.h). */
#include "warpscope/report/columns.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/output/wrap.h"
#include "warpscope/report/groups.h"

void ws_value_count(struct ws_value *value, uint64_t count)
{
    value->kind = WS_VALUE_COUNT;
    value->count = count;
}

void ws_value_real(struct ws_value *value, double real)
{
    value->kind = WS_VALUE_REAL;
    value->real = real;
}

void ws_value_error(struct ws_value *value, bool known, double error)
{
    if (known)
        ws_value_real(value, error);
    else
        value->unknown = true;
}

void ws_value_count_error(struct ws_value *value, bool known, double error)
{
    if (known)
        ws_value_count(value, (uint64_t)(error + 0.5));
    else
        value->unknown = true;
}

void ws_value_text(struct ws_value *value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value->buffer, sizeof(value->buffer), format, arguments);
    va_end(arguments);
    ws_text_cut(value->buffer);
    value->kind = WS_VALUE_TEXT;
    value->text = value->buffer;
}

void ws_value_source(struct ws_value *value, const char *file, uint32_t line)
{
    if (file != NULL)
        ws_value_text(value, "%.200s:%" PRIu32, ws_file_name(file), line);
}

void ws_value_file(struct ws_value *value, const char *file)
{
    value->kind = file != NULL ? WS_VALUE_TEXT : WS_VALUE_NONE;
    value->text = file;
}

bool ws_view_is_set(const struct ws_view *view)
{
    return view->by != NULL || view->sort != NULL || view->fields != NULL || view->filter_count > 0;
}

/* The next name of a list into `name`; false at its end. A name that is too long is cut, and so is
 * unknown. */
static bool next_name(const char **at, char name[WS_NAME_SIZE])
{
    *at += strspn(*at, " ,");
    const size_t length = strcspn(*at, " ,");
    snprintf(name, WS_NAME_SIZE, "%.*s", (int)(length < WS_NAME_SIZE ? length : WS_NAME_SIZE - 1), *at);
    *at += length;
    return length > 0;
}

/* Prints a name that a user gave without what could drive the terminal. */
static const char *safe(const char *name, char text[WS_NAME_SIZE])
{
    snprintf(text, WS_NAME_SIZE, "%s", name);
    ws_text_repair(text, strlen(text));
    for (char *at = text; *at != '\0';) {
        const size_t control = ws_text_control_length(at);
        memset(at, '?', control);
        at += control > 0 ? control : 1;
    }
    return text;
}

bool ws_columns_next(const struct ws_columns *columns, struct ws_shown *shown)
{
    static const struct ws_field none = {NULL};
    const struct ws_dimension *dimensions = columns->dimensions;
    shown->field = shown->field != NULL         ? shown->field + 1
                   : dimensions[0].name != NULL ? dimensions[0].fields
                                                : columns->measures;
    if (shown->field == columns->measures)
        shown->dimension = WS_MEASURE;
    while (shown->field->name == NULL && shown->dimension != WS_MEASURE) {
        const struct ws_dimension *dimension = &dimensions[shown->dimension];
        if (!shown->more) {
            shown->more = true;
            shown->field = dimension->more != NULL ? dimension->more : &none;
            continue;
        }
        shown->more = false;
        shown->dimension = dimension[1].name != NULL ? shown->dimension + 1 : WS_MEASURE;
        shown->field = dimension[1].name != NULL ? dimension[1].fields : columns->measures;
    }
    return shown->field->name != NULL;
}

static bool find_field(const struct ws_columns *columns, const char *name, struct ws_shown *shown)
{
    for (*shown = (struct ws_shown){NULL}; ws_columns_next(columns, shown);)
        if (strcmp(shown->field->name, name) == 0)
            return true;
    return false;
}

/* "a, b, c", as far as there is room. */
static void append(char *text, size_t size, const char *name)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

static bool no_field(const struct ws_columns *columns, const char *name, struct ws_error *error)
{
    char names[WS_ERROR_SIZE - 2 * WS_NAME_SIZE] = "";
    char text[WS_NAME_SIZE];
    for (struct ws_shown field = {NULL}; ws_columns_next(columns, &field);)
        append(names, sizeof(names), field.field->name);
    return ws_error_set(error, "there is no column '%s'; there are: %s", safe(name, text), names);
}

bool ws_columns_list(const struct ws_columns *columns, const char *list, struct ws_shown_list *shown,
                     struct ws_error *error)
{
    char name[WS_NAME_SIZE];
    while (next_name(&list, name)) {
        if (shown->count == WS_SHOWN_MAX)
            return ws_error_set(error, "at most %d columns can be shown", WS_SHOWN_MAX);
        if (!find_field(columns, name, &shown->items[shown->count]))
            return no_field(columns, name, error);
        shown->count++;
    }
    return true;
}

void ws_columns_data(const struct ws_columns *columns, const struct ws_level *level, uint32_t mask,
                     struct ws_shown_list *shown)
{
    shown->count = 0;
    if (level->data != NULL)
        ws_columns_list(columns, level->data, shown, NULL);
    for (struct ws_shown field = {NULL}; level->data == NULL && ws_columns_next(columns, &field);)
        if (ws_mask_has(mask, &field) && (field.field->flags & WS_TABLES) == 0 && shown->count < WS_SHOWN_MAX)
            shown->items[shown->count++] = field;
}

uint32_t ws_columns_implied(const struct ws_columns *columns, uint32_t dimensions)
{
    uint32_t before;
    do {
        before = dimensions;
        for (uint32_t i = 0; columns->dimensions[i].name != NULL; ++i)
            if ((dimensions & 1u << i) != 0)
                dimensions |= columns->dimensions[i].implies;
    } while (dimensions != before);
    return dimensions;
}

static bool no_dimension(const struct ws_columns *columns, const char *name, struct ws_error *error)
{
    char names[WS_ERROR_SIZE / 2] = "";
    char text[WS_NAME_SIZE];
    for (uint32_t i = 0; columns->dimensions[i].name != NULL; ++i)
        append(names, sizeof(names), columns->dimensions[i].name);
    return ws_error_set(error, "nothing can be grouped by '%s'; there are: %s", safe(name, text), names);
}

bool ws_columns_by(const struct ws_columns *columns, const char *by, uint32_t order[WS_DIMENSIONS_MAX],
                   uint32_t *count, uint32_t *mask, struct ws_error *error)
{
    char name[WS_NAME_SIZE];
    *count = 0;
    *mask = 0;
    while (next_name(&by, name)) {
        uint32_t i = 0;
        while (columns->dimensions[i].name != NULL && strcmp(columns->dimensions[i].name, name) != 0)
            ++i;
        if (columns->dimensions[i].name == NULL)
            return no_dimension(columns, name, error);
        if ((*mask & 1u << i) == 0)
            order[(*count)++] = i;
        *mask |= 1u << i;
    }
    *mask = ws_columns_implied(columns, *mask);
    return *count > 0 || no_dimension(columns, "", error);
}

/* The number of a filter, with or without "%". */
static bool take_number(const char *filter, struct ws_condition *condition, struct ws_error *error)
{
    static const char *const flags[] = {"no", "yes", "false", "true"};
    const enum ws_format format = condition->shown.field->format;
    char text[WS_NAME_SIZE];
    char *end = NULL;
    condition->number = strtod(condition->text, &end);
    bool is_number = end != condition->text;
    for (size_t i = 0; format == WS_FLAG && i < sizeof(flags) / sizeof(flags[0]); ++i)
        if (strcmp(condition->text, flags[i]) == 0) {
            is_number = true;
            condition->number = (double)(i % 2);
            end = condition->text + strlen(condition->text);
        }
    end += strspn(end, " ");
    condition->percent = *end == '%';
    end += condition->percent;
    if (!is_number || *end != '\0' || condition->number != condition->number)
        return ws_error_set(error, "--filter '%s': '%s' is no number, but %s is one", safe(filter, text),
                            condition->text, condition->shown.field->name);
    if (condition->percent && format != WS_PART && format != WS_SHARE)
        return ws_error_set(error, "--filter '%s': %s is no share: leave out the %%", safe(filter, text),
                            condition->shown.field->name);
    if (condition->percent)
        condition->number /= 100;
    return true;
}

static bool take_comparison(const char **at, enum ws_comparison *comparison)
{
    static const struct {
        const char *text;
        enum ws_comparison comparison;
    } comparisons[] = {{"<=", WS_AT_MOST}, {">=", WS_AT_LEAST}, {"!=", WS_UNEQUAL}, {"==", WS_EQUAL},
                       {"<", WS_LESS},     {">", WS_MORE},      {"=", WS_EQUAL}};
    for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); ++i)
        if (strncmp(*at, comparisons[i].text, strlen(comparisons[i].text)) == 0) {
            *comparison = comparisons[i].comparison;
            *at += strlen(comparisons[i].text);
            return true;
        }
    return false;
}

/* The value without spaces around it, and without quotes. */
static bool take_value(const char *at, char value[WS_CONDITION_MAX])
{
    at += strspn(at, " ");
    size_t length = strlen(at);
    while (length > 0 && at[length - 1] == ' ')
        --length;
    if (length >= 2 && (at[0] == '\'' || at[0] == '"') && at[length - 1] == at[0]) {
        ++at;
        length -= 2;
    } else if (length == 0) {
        return false;
    }
    if (length >= WS_CONDITION_MAX)
        return false;
    memcpy(value, at, length);
    value[length] = '\0';
    return true;
}

bool ws_columns_condition(const struct ws_columns *columns, const char *filter,
                          struct ws_condition *condition, struct ws_error *error)
{
    char name[WS_NAME_SIZE];
    char text[WS_NAME_SIZE];
    const char *at = filter + strspn(filter, " ");
    const size_t length = strcspn(at, " <>=!");
    snprintf(name, sizeof(name), "%.*s", (int)(length < WS_NAME_SIZE ? length : WS_NAME_SIZE - 1), at);
    at += length + strspn(at + length, " ");
    *condition = (struct ws_condition){.comparison = WS_EQUAL};
    if (length == 0 || !take_comparison(&at, &condition->comparison) || !take_value(at, condition->text))
        return ws_error_set(
            error, "--filter '%s' is no comparison, such as 'efficiency < 50 %%' or 'stage = raygen'",
            safe(filter, text));
    if (!find_field(columns, name, &condition->shown))
        return no_field(columns, name, error);
    if (condition->shown.field->format != WS_TEXT)
        return take_number(filter, condition, error);
    return condition->comparison == WS_EQUAL || condition->comparison == WS_UNEQUAL ||
           ws_error_set(error,
                        "--filter '%s': %s is a text, which is compared with = or !=", safe(filter, text),
                        name);
}

/* Whether every field of a list is known where the user groups by `mask`. */
static bool check_known(const struct ws_columns *columns, const struct ws_shown_list *shown, uint32_t mask,
                        struct ws_error *error)
{
    for (uint32_t i = 0; i < shown->count; ++i) {
        const struct ws_shown *item = &shown->items[i];
        if (item->dimension != WS_MEASURE && (mask & 1u << item->dimension) == 0)
            return ws_error_set(error, "'%s' is of each %s: add that to --by", item->field->name,
                                columns->dimensions[item->dimension].name);
    }
    return true;
}

bool ws_view_check(const struct ws_view *view, const struct ws_columns *columns, struct ws_error *error)
{
    struct ws_shown_list shown = {.count = 0};
    uint32_t order[WS_DIMENSIONS_MAX];
    uint32_t count = 0;
    uint32_t mask = UINT32_MAX;
    char sort[WS_NAME_SIZE];
    if (view->by != NULL && !ws_columns_by(columns, view->by, order, &count, &mask, error))
        return false;
    for (const char *at = view->sort != NULL ? view->sort : ""; next_name(&at, sort);)
        if (!ws_columns_list(columns, sort + (sort[0] == '-'), &shown, error))
            return false;
    if (shown.count > WS_SORTS_MAX)
        return ws_error_set(error, "--sort takes at most %d columns", WS_SORTS_MAX);
    if (view->fields != NULL && !ws_columns_list(columns, view->fields, &shown, error))
        return false;
    for (uint32_t i = 0; i < view->filter_count; ++i) {
        struct ws_condition condition;
        if (!ws_columns_condition(columns, view->filters[i], &condition, error))
            return false;
        if (shown.count < WS_SHOWN_MAX)
            shown.items[shown.count++] = condition.shown;
    }
    return check_known(columns, &shown, mask, error);
}

static bool check_level(const struct ws_columns *columns, const struct ws_level *level,
                        struct ws_error *error)
{
    struct ws_shown_list shown = {.count = 0};
    struct ws_condition condition;
    const struct ws_view own = {.sort = level->sort};
    const uint32_t mask = ws_columns_implied(columns, level->by);
    if (level->text != NULL && !ws_columns_list(columns, level->text, &shown, error))
        return false;
    if (!check_known(columns, &shown, mask, error))
        return false;
    shown.count = 0;
    if (level->data != NULL && !ws_columns_list(columns, level->data, &shown, error))
        return false;
    if (!check_known(columns, &shown, mask, error))
        return false;
    if (level->filter != NULL && !ws_columns_condition(columns, level->filter, &condition, error))
        return false;
    return ws_view_check(&own, columns, error);
}

bool ws_columns_check(const struct ws_columns *columns, struct ws_error *error)
{
    struct ws_shown first;
    uint32_t count = 0;
    while (columns->dimensions[count].name != NULL)
        ++count;
    for (struct ws_shown field = {NULL}; ws_columns_next(columns, &field);)
        if (!find_field(columns, field.field->name, &first) || first.field != field.field)
            return ws_error_set(error, "two columns are called '%s'", field.field->name);
    if (count > WS_DIMENSIONS_MAX || columns->size % sizeof(uint64_t) != 0)
        return ws_error_set(error, "too many dimensions, or sums that are not made of words");
    for (const struct ws_level *level = columns->levels; level->name != NULL; ++level)
        if (!check_level(columns, level, error))
            return false;
    return true;
}

#define HELP_COLUMN 23 /* where the help of a column begins */

void ws_columns_help(const struct ws_columns *columns, size_t width, FILE *stream)
{
    const size_t column = (size_t)fprintf(stream, "  grouped --by ");
    struct ws_wrap wrap = ws_wrap_begin(stream, width, column, column);
    for (uint32_t i = 0; columns->dimensions[i].name != NULL; ++i) {
        char name[64];
        snprintf(name, sizeof(name), "%s%s", columns->dimensions[i].name,
                 columns->dimensions[i + 1].name != NULL ? "," : "");
        ws_wrap_words(&wrap, name);
    }
    ws_wrap_end(&wrap);
    for (struct ws_shown field = {NULL}; ws_columns_next(columns, &field);)
        if (!ws_field_is_of_json(field.field))
            ws_wrap_item(field.field->name, field.field->help != NULL ? field.field->help : "", 2,
                         HELP_COLUMN, width, stream);
}
