/* What the files of columns.h share: names looked up, and rows of a level in the order in which they are
 * shown. */
#ifndef WS_ANALYSIS_REPORT_GROUPS_H
#define WS_ANALYSIS_REPORT_GROUPS_H

#include "analysis/report/columns.h"

#define WS_NAME_SIZE     64 /* of a field, a level and a member of JSON */
#define WS_SHOWN_MAX     64 /* fields in a list */
#define WS_MEASURE       UINT32_MAX
#define WS_SORTS_MAX     8
#define WS_CONDITION_MAX 256 /* of the value of a filter */

/* A field, found by its name. `nested` instead: a level that is inside, by its json_name. */
struct ws_shown {
    const struct ws_field *field;
    uint32_t dimension; /* WS_MEASURE: it is a measure */
    uint32_t nested;    /* number of a level; WS_NONE where it is a field */
    bool descending;    /* of sorts */
    bool more;          /* of ws_columns_next: it is one of the dimension's `more` */
    char key[WS_NAME_SIZE];
};

struct ws_shown_list {
    struct ws_shown items[WS_SHOWN_MAX];
    uint32_t count;
};

enum ws_comparison { WS_LESS, WS_AT_MOST, WS_MORE, WS_AT_LEAST, WS_EQUAL, WS_UNEQUAL };

struct ws_condition {
    struct ws_shown shown;
    enum ws_comparison comparison;
    bool percent;
    double number;
    char text[WS_CONDITION_MAX]; /* of fields of text: with *, ? and [] */
};

struct ws_groups_level {
    struct ws_level level;             /* as declared, or made of --by */
    uint32_t mask;                     /* its dimensions with what they imply */
    uint32_t order[WS_DIMENSIONS_MAX]; /* dimensions by which rows are ordered */
    uint32_t order_count;
    uint64_t *rows; /* row after row: keys by dimension, then the sums */
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* hash table of rows, plus one; 0 = free */
    uint32_t slot_count;
    uint32_t last;   /* row of the fact before */
    uint32_t others; /* row of what is beyond WS_GROUPS_ROWS_MAX; WS_NONE = none */
};

struct ws_groups {
    const struct ws_columns *columns;
    const struct ws_catalog *catalog;
    const void *user;
    struct ws_view view;
    uint32_t dimension_count;
    uint32_t stride; /* words of a row */
    struct ws_groups_level levels[WS_LEVELS_MAX];
    uint32_t level_count;
    char by_text[256]; /* fields of a level made of --by, and its name */
    char by_name[128];
};

/* The field after `shown`: those of the dimensions, then the measures. Begin with a zeroed one; false at the
 * end. */
bool ws_columns_next(const struct ws_columns *columns, struct ws_shown *shown);

/* Whether a field is in JSON only. */
static inline bool ws_field_is_of_json(const struct ws_field *field)
{
    return field->value == NULL && field->json != NULL;
}

/* Adds the fields in `list` (columns.h) to `shown`. `inside`: the name of a level whose nested levels may be
 * named; NULL: none may. */
bool ws_columns_list(const struct ws_columns *columns, const char *list, const char *inside,
                     struct ws_shown_list *shown, struct ws_error *error);

/* Parses "efficiency < 50 %". */
bool ws_columns_condition(const struct ws_columns *columns, const char *filter,
                          struct ws_condition *condition, struct ws_error *error);

/* Parses "shader,launch": the dimensions in `order`, and their set with what they imply. */
bool ws_columns_by(const struct ws_columns *columns, const char *by, uint32_t order[WS_DIMENSIONS_MAX],
                   uint32_t *count, uint32_t *mask, struct ws_error *error);

/* The set with what its dimensions imply. */
uint32_t ws_columns_implied(const struct ws_columns *columns, uint32_t dimensions);

/* Whether rows of a level have the field: it is a measure, or of a dimension of the level. */
bool ws_level_has(const struct ws_groups_level *level, const struct ws_shown *shown);

/* The row with these keys, or "others" where that took them; WS_NONE = none. */
uint32_t ws_groups_find_row(const struct ws_groups *groups, uint32_t level, const uint64_t *keys);

/* A field's value in a row. */
void ws_groups_value(const struct ws_shown *shown, const struct ws_row *row, struct ws_value *value);

/* Rows of a level that pass the filters, sorted. Zero-initialised is empty. */
struct ws_ordered {
    uint32_t *rows;
    uint32_t count;
};

/* `sort` and `filter` are the level's own, for tables; NULL for JSON and CSV; the view's go before and
 * besides. False when there is no memory. */
bool ws_groups_order(const struct ws_groups *groups, uint32_t level, const char *sort, const char *filter,
                     struct ws_ordered *ordered);

/* Whether the level is shown: it has what the view filters by. */
bool ws_groups_is_shown(const struct ws_groups *groups, uint32_t level);

#endif
