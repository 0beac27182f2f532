/* Private to the files that implement columns.h: finding fields by name, and the rows of a level in the
 * order in which they are shown. Not thread-safe. */
#ifndef WARPSCOPE_REPORT_GROUPS_H
#define WARPSCOPE_REPORT_GROUPS_H

#include "warpscope/report/columns.h"

#define WS_NAME_SIZE     64         /* bytes of the name of a field, a level or a member of JSON */
#define WS_SHOWN_MAX     64         /* the most fields in a list */
#define WS_MEASURE       UINT32_MAX /* in place of the number of a dimension */
#define WS_SORTS_MAX     8          /* the most fields to sort by */
#define WS_CONDITION_MAX 256        /* bytes of the value in a filter */

/* A field in a list of fields. */
struct ws_shown {
    const struct ws_field *field;
    uint32_t dimension; /* number of its dimension; WS_MEASURE = it is a measure */
    bool descending;    /* in a list to sort by: largest first */
    bool more;          /* for ws_columns_next: it is in the dimension's `more` */
};

struct ws_shown_list {
    struct ws_shown items[WS_SHOWN_MAX];
    uint32_t count;
};

enum ws_comparison { WS_LESS, WS_AT_MOST, WS_MORE, WS_AT_LEAST, WS_EQUAL, WS_UNEQUAL };

struct ws_condition {
    struct ws_shown shown;
    enum ws_comparison comparison;
    bool percent;                /* the value has a "%" */
    double number;               /* the value, a share for percent; not for fields of text */
    char text[WS_CONDITION_MAX]; /* the value of fields of text; may contain *, ? and [] */
};

struct ws_groups_level {
    struct ws_level level;             /* as declared, or made from --by */
    uint32_t mask;                     /* set of its dimensions and those that they imply */
    uint32_t order[WS_DIMENSIONS_MAX]; /* the dimensions by whose keys rows are sorted, first one first */
    uint32_t order_count;
    uint64_t *rows; /* row after row: one key per dimension, then the sums */
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* hash table by keys: index of a row plus 1; 0 = free */
    uint32_t slot_count;
    uint32_t others; /* the row "others" (WS_GROUPS_ROWS_MAX); WS_NONE = none */
};

/* The rows that facts with these keys are added to. */
#define WS_GROUPS_MEMOS 64

struct ws_groups_memo {
    uint64_t keys[WS_DIMENSIONS_MAX];
    uint32_t with;
    uint32_t without;
    uint32_t levels; /* set of those that have a row for it; 0 = nothing is known here */
    bool gathers;    /* facts were gathered that these rows do not have yet */
    uint32_t rows[WS_LEVELS_MAX];
};

struct ws_groups {
    const struct ws_columns *columns;
    const struct ws_catalog *catalog;
    const void *user;
    struct ws_view view;
    uint32_t dimension_count;
    uint32_t stride; /* words of a row */
    uint32_t
        maxima[WS_SHOWN_MAX]; /* words of sums that are the largest of their facts, not their sum (WS_MAX) */
    uint32_t maxima_count;
    struct ws_groups_level levels[WS_LEVELS_MAX];
    uint32_t level_count;
    char by_text[256]; /* fields of a level made of --by, and its name */
    char by_name[128];
    /* By a hash of the keys: most facts have keys that others had shortly before. A row stays where it is. */
    struct ws_groups_memo memos[WS_GROUPS_MEMOS];
    uint64_t *gathered; /* by memo: sums of the facts that were gathered; NULL = none ever were */
};

/* Sets `shown` to the next field: first the fields of all dimensions, then the measures. A zeroed `shown`
 * begins with the first field. False at the end. */
bool ws_columns_next(const struct ws_columns *columns, struct ws_shown *shown);

/* Returns whether a field is in JSON only. */
static inline bool ws_field_is_of_json(const struct ws_field *field)
{
    return field->value == NULL && field->json != NULL;
}

/* Adds the fields in `list` (columns.h) to `shown`. False and `error` if a name is unknown or the list is too
 * long. */
bool ws_columns_list(const struct ws_columns *columns, const char *list, struct ws_shown_list *shown,
                     struct ws_error *error);

/* Sets `shown` to the fields of a level in JSON and CSV (ws_level.data). `mask` is the set of the level's
 * dimensions and those that they imply. Those that are in JSON only are among them. */
void ws_columns_data(const struct ws_columns *columns, const struct ws_level *level, uint32_t mask,
                     struct ws_shown_list *shown);

/* Parses a filter such as "efficiency < 50 %". False and `error` if it is wrong. */
bool ws_columns_condition(const struct ws_columns *columns, const char *filter,
                          struct ws_condition *condition, struct ws_error *error);

/* Parses a list of dimensions such as "shader,launch" into `order` and `count`. `*mask` receives the set of
 * them and of those that they imply. False and `error` if it is wrong. */
bool ws_columns_by(const struct ws_columns *columns, const char *by, uint32_t order[WS_DIMENSIONS_MAX],
                   uint32_t *count, uint32_t *mask, struct ws_error *error);

/* Returns a set of dimensions together with those that they imply. */
uint32_t ws_columns_implied(const struct ws_columns *columns, uint32_t dimensions);

/* Returns whether rows with these dimensions have a field: it is a measure, or belongs to one of them. */
static inline bool ws_mask_has(uint32_t mask, const struct ws_shown *shown)
{
    return shown->dimension == WS_MEASURE || (mask & 1u << shown->dimension) != 0;
}

/* Returns the index of the row with these keys; of the row "others" if the keys have no row and that row
 * exists; WS_NONE if there is neither. */
uint32_t ws_groups_find_row(const struct ws_groups *groups, uint32_t level, const uint64_t *keys);

/* Sets `value` to the value of a field in a row. */
void ws_groups_value(const struct ws_shown *shown, const struct ws_row *row, struct ws_value *value);

/* Indices of the rows of a level that pass the filters, sorted. The caller frees `rows`. */
struct ws_ordered {
    uint32_t *rows;
    uint32_t count;
};

/* Fills `ordered`. `sort` and `filter` are those of the level itself; NULL = none. --sort of the view comes
 * before `sort`, and rows must pass the filters of the view too. False if there is no memory. */
bool ws_groups_order(const struct ws_groups *groups, uint32_t level, const char *sort, const char *filter,
                     struct ws_ordered *ordered);

/* Returns whether a level is shown: it has all fields that the view filters by. */
bool ws_groups_is_shown(const struct ws_groups *groups, uint32_t level);

#endif
