/* Sums by level: facts are added, and rows are filtered and sorted (columns.h). */
#include "warpscope/report/groups.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 64
#define ROWS_USUAL  20

static uint64_t *row_of(const struct ws_groups *groups, const struct ws_groups_level *level, uint32_t index)
{
    return level->rows + (size_t)index * groups->stride;
}

/* A level of the user's own: its table has what is shown of its dimensions, and all measures. */
static bool make_level(struct ws_groups *groups, struct ws_error *error)
{
    const struct ws_columns *columns = groups->columns;
    struct ws_groups_level *level = &groups->levels[0];
    FILE *text = fmemopen(groups->by_text, sizeof(groups->by_text), "w");
    FILE *name = fmemopen(groups->by_name, sizeof(groups->by_name), "w");
    if (!ws_columns_by(columns, groups->view.by, level->order, &level->order_count, &level->mask, error))
        goto error;
    if (text == NULL || name == NULL)
        goto error;
    for (uint32_t i = 0; i < level->order_count; ++i)
        fprintf(name, "%s%s", i > 0 ? ", " : "By ", columns->dimensions[level->order[i]].name);
    for (uint32_t i = 0; i < groups->dimension_count; ++i) {
        const struct ws_dimension *dimension = &columns->dimensions[i];
        if ((level->mask & 1u << i) != 0)
            fprintf(text, "%s ", dimension->shown != NULL ? dimension->shown : dimension->name);
    }
    for (const struct ws_field *field = columns->measures; columns->shown == NULL && field->name != NULL;
         ++field)
        if (!ws_field_is_of_json(field))
            fprintf(text, "%s ", field->name);
    fputs(columns->shown != NULL ? columns->shown : "", text);
    level->level = (struct ws_level){
        .name = "rows", .heading = groups->by_name, .by = level->mask, .text = groups->by_text};
    groups->level_count = 1;
    if (fclose(text) == 0 && fclose(name) == 0)
        return true;
    return ws_error_set(error, "no memory for the columns");
error:
    if (text != NULL)
        fclose(text);
    if (name != NULL)
        fclose(name);
    return ws_error_set(error, "no memory for the columns");
}

static void take_levels(struct ws_groups *groups)
{
    const struct ws_columns *columns = groups->columns;
    for (uint32_t i = 0; columns->levels[i].name != NULL && i < WS_LEVELS_MAX; ++i) {
        struct ws_groups_level *level = &groups->levels[groups->level_count++];
        level->level = columns->levels[i];
        level->mask = ws_columns_implied(columns, level->level.by);
        for (uint32_t j = 0; j < groups->dimension_count; ++j)
            if ((level->level.by & 1u << j) != 0)
                level->order[level->order_count++] = j;
    }
}

/* Whether a row, or a fact, has the keys in all dimensions of the level. */
static bool has_keys(const struct ws_groups_level *level, const uint64_t *row, const uint64_t *keys)
{
    for (uint32_t mask = level->mask; mask != 0; mask &= mask - 1)
        if (row[__builtin_ctz(mask)] != keys[__builtin_ctz(mask)])
            return false;
    return true;
}

static uint64_t hash_keys(const struct ws_groups_level *level, const uint64_t *keys)
{
    uint64_t hash = 0;
    for (uint32_t mask = level->mask; mask != 0; mask &= mask - 1) {
        /* The finaliser of SplitMix64: every bit of each key reaches every bit of the hash. */
        hash += keys[__builtin_ctz(mask)] + UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
        hash ^= hash >> 31;
    }
    return hash;
}

/* The slot of the row with these keys, or the free one where it belongs. */
static uint32_t *find_slot(const struct ws_groups *groups, const struct ws_groups_level *level,
                           const uint64_t *keys)
{
    uint32_t at = (uint32_t)hash_keys(level, keys) & (level->slot_count - 1);
    while (level->slots[at] != 0 && !has_keys(level, row_of(groups, level, level->slots[at] - 1), keys))
        at = (at + 1) & (level->slot_count - 1);
    return &level->slots[at];
}

/* Room for one row more, with at least half of the slots free. */
static bool grow(const struct ws_groups *groups, struct ws_groups_level *level)
{
    if (level->count == level->capacity) {
        const uint32_t capacity = level->capacity > 0 ? 2 * level->capacity : 16;
        uint64_t *rows = reallocarray(level->rows, capacity, groups->stride * sizeof(*rows));
        if (rows == NULL)
            return false;
        level->rows = rows;
        level->capacity = capacity;
    }
    if (2 * level->count < level->slot_count)
        return true;
    const uint32_t slot_count = level->slot_count > 0 ? 2 * level->slot_count : SLOTS_FIRST;
    uint32_t *slots = calloc(slot_count, sizeof(*slots));
    if (slots == NULL)
        return false;
    free(level->slots);
    level->slots = slots;
    level->slot_count = slot_count;
    for (uint32_t i = 0; i < level->count; ++i)
        *find_slot(groups, level, row_of(groups, level, i)) = i + 1;
    return true;
}

static void init_row(const struct ws_groups *groups, const struct ws_groups_level *level, uint32_t index,
                     const uint64_t *keys)
{
    uint64_t *row = row_of(groups, level, index);
    memset(row, 0, groups->stride * sizeof(*row));
    for (uint32_t i = 0; i < groups->dimension_count; ++i)
        row[i] = (level->mask & 1u << i) == 0 ? WS_KEY_NONE : keys != NULL ? keys[i] : WS_KEY_OTHERS;
}

/* The row for these keys, perhaps a new one; WS_NONE when there is no memory. */
static uint32_t take_row(const struct ws_groups *groups, struct ws_groups_level *level, const uint64_t *keys)
{
    const uint32_t known = level->slot_count > 0 ? *find_slot(groups, level, keys) : 0;
    if (known != 0)
        return known - 1;
    if (level->count >= WS_GROUPS_ROWS_MAX && level->others != WS_NONE)
        return level->others;
    if (!grow(groups, level))
        return WS_NONE;
    const uint32_t index = level->count;
    if (index >= WS_GROUPS_ROWS_MAX) {
        level->others = index;
        keys = NULL;
    } else {
        *find_slot(groups, level, keys) = index + 1;
    }
    level->count++;
    init_row(groups, level, index, keys);
    return index;
}

void ws_groups_renumber(struct ws_groups *groups, uint32_t dimension, const uint32_t *keys)
{
    ws_groups_settle(groups);
    for (uint32_t i = 0; i < groups->level_count; ++i) {
        struct ws_groups_level *level = &groups->levels[i];
        if ((level->mask & 1u << dimension) == 0)
            continue;
        for (uint32_t j = 0; j < level->count; ++j) {
            uint64_t *row = row_of(groups, level, j);
            row[dimension] = row[dimension] < WS_KEY_SEVERAL ? keys[row[dimension]] : row[dimension];
        }
        if (level->slot_count > 0)
            memset(level->slots, 0, level->slot_count * sizeof(*level->slots));
        for (uint32_t j = 0; j < level->count; ++j)
            if (j != level->others)
                *find_slot(groups, level, row_of(groups, level, j)) = j + 1;
    }
    for (uint32_t i = 0; i < WS_GROUPS_MEMOS; ++i)
        groups->memos[i].levels = 0;
}

void ws_groups_notes(const struct ws_groups *groups, const char *analysis, FILE *stream)
{
    for (uint32_t i = 0; groups != NULL && i < groups->level_count; ++i) {
        const struct ws_groups_level *level = &groups->levels[i];
        if (level->others == WS_NONE)
            continue;
        fprintf(stream, "  %s: only the first %u rows by ", analysis, WS_GROUPS_ROWS_MAX);
        for (uint32_t j = 0; j < level->order_count; ++j)
            fprintf(stream, "%s%s", j > 0 ? "," : "", groups->columns->dimensions[level->order[j]].name);
        fputs(" have rows of their own; what all others sum up to is in the row \"others\"\n", stream);
    }
}

void ws_groups_destroy(struct ws_groups *groups)
{
    if (groups == NULL)
        return;
    for (uint32_t i = 0; i < groups->level_count; ++i) {
        struct ws_groups_level *level = &groups->levels[i];
        for (uint32_t j = 0; groups->columns->finish != NULL && j < level->count; ++j)
            groups->columns->finish(row_of(groups, level, j) + groups->dimension_count);
        free(level->rows);
        free(level->slots);
    }
    free(groups->gathered);
    free(groups);
}

/* The words of sums that are the largest of their facts. */
static void find_maxima(struct ws_groups *groups)
{
    for (const struct ws_field *field = groups->columns->measures; field->name != NULL; ++field)
        if ((field->flags & WS_MAX) != 0 && groups->maxima_count < WS_SHOWN_MAX)
            groups->maxima[groups->maxima_count++] = (uint32_t)(field->at / sizeof(uint64_t));
}

struct ws_groups *ws_groups_create(const struct ws_columns *columns, const struct ws_catalog *catalog,
                                   const void *user, const struct ws_view *view, struct ws_error *error)
{
    const struct ws_view usual = {.by = NULL};
    struct ws_groups *groups = calloc(1, sizeof(*groups));
    if (groups == NULL) {
        ws_error_set(error, "no memory for the columns");
        return NULL;
    }
    groups->columns = columns;
    groups->catalog = catalog;
    groups->user = user;
    groups->view = view != NULL ? *view : usual;
    while (columns->dimensions[groups->dimension_count].name != NULL)
        groups->dimension_count++;
    find_maxima(groups);
    groups->stride = groups->dimension_count + (uint32_t)(columns->size / sizeof(uint64_t));
    if (!ws_view_check(&groups->view, columns, error))
        goto error;
    if (groups->view.by == NULL)
        take_levels(groups);
    else if (!make_level(groups, error))
        goto error;
    for (uint32_t i = 0; i < groups->level_count; ++i) {
        groups->levels[i].others = WS_NONE;
        /* The total is there also where nothing was added. */
        if (groups->levels[i].mask == 0 && take_row(groups, &groups->levels[i], NULL) == WS_NONE) {
            ws_error_set(error, "no memory for the columns");
            goto error;
        }
    }
    return groups;
error:
    ws_groups_destroy(groups);
    return NULL;
}

/* Adds up words by the rule of their fields. */
static bool add_words(const struct ws_groups *groups, uint64_t *to, const uint64_t *from)
{
    const size_t words = groups->columns->size / sizeof(uint64_t);
    uint64_t largest[WS_SHOWN_MAX];
    for (uint32_t i = 0; i < groups->maxima_count; ++i) {
        const uint32_t at = groups->maxima[i];
        largest[i] = to[at] > from[at] ? to[at] : from[at];
    }
    for (size_t i = 0; i < words; ++i)
        to[i] += from[i];
    for (uint32_t i = 0; i < groups->maxima_count; ++i)
        to[groups->maxima[i]] = largest[i];
    return true;
}

bool ws_groups_add(struct ws_groups *groups, const uint64_t *keys, const void *sums)
{
    return ws_groups_add_to(groups, keys, sums, 0, 0);
}

/* Where the rows of facts with these keys are kept. Rarely two that are in use share a place: then they take turns. */
static struct ws_groups_memo *memo_of(struct ws_groups *groups, const uint64_t *keys)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < groups->dimension_count; ++i)
        hash += (keys[i] ^ keys[i] >> 32) * (UINT64_C(0x9e3779b97f4a7c15) * (2 * i + 1));
    return &groups->memos[hash >> 58];
}

_Static_assert(WS_GROUPS_MEMOS == 1 << (64 - 58), "the hash has a bit for each memo");

/* Adds sums to the rows that the memo knows. */
static bool add_sums(struct ws_groups *groups, const struct ws_groups_memo *memo, const void *sums)
{
    for (uint32_t levels = memo->levels; levels != 0; levels &= levels - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(levels);
        uint64_t *to = row_of(groups, &groups->levels[i], memo->rows[i]) + groups->dimension_count;
        if (groups->columns->add != NULL ? !groups->columns->add(to, sums) : !add_words(groups, to, sums))
            return false;
    }
    return true;
}

/* The sums that were gathered for a memo. */
static uint64_t *gathered_of(const struct ws_groups *groups, const struct ws_groups_memo *memo)
{
    return groups->gathered + (size_t)(memo - groups->memos) * (groups->stride - groups->dimension_count);
}

/* Adds what was gathered for a memo to its rows. Words are added, which needs no memory. */
static void settle(struct ws_groups *groups, struct ws_groups_memo *memo)
{
    if (!memo->gathers)
        return;
    add_sums(groups, memo, gathered_of(groups, memo));
    memset(gathered_of(groups, memo), 0, groups->columns->size);
    memo->gathers = false;
}

/* The rows, perhaps new ones, of facts with these keys; NULL when there is no memory. */
static struct ws_groups_memo *find_rows(struct ws_groups *groups, const uint64_t *keys, uint32_t with,
                                        uint32_t without)
{
    const size_t size = groups->dimension_count * sizeof(*keys);
    struct ws_groups_memo *memo = memo_of(groups, keys);
    if (memo->levels != 0 && memo->with == with && memo->without == without &&
        memcmp(memo->keys, keys, size) == 0)
        return memo;
    uint32_t unknown = without;
    for (uint32_t i = 0; i < groups->dimension_count; ++i)
        unknown |= keys[i] == WS_KEY_NONE ? 1u << i : 0;
    settle(groups, memo);
    memo->levels = 0;
    for (uint32_t i = 0; i < groups->level_count; ++i) {
        struct ws_groups_level *level = &groups->levels[i];
        if ((level->mask & with) != with || (level->mask & unknown) != 0)
            continue;
        memo->rows[i] = take_row(groups, level, keys);
        if (memo->rows[i] == WS_NONE) {
            memo->levels = 0;
            return NULL;
        }
        memo->levels |= 1u << i;
    }
    memcpy(memo->keys, keys, size);
    memo->with = with;
    memo->without = without;
    return memo;
}

bool ws_groups_add_to(struct ws_groups *groups, const uint64_t *keys, const void *sums, uint32_t with,
                      uint32_t without)
{
    const struct ws_groups_memo *memo = find_rows(groups, keys, with, without);
    return memo != NULL && add_sums(groups, memo, sums);
}

bool ws_groups_gather(struct ws_groups *groups, const uint64_t *keys, const void *sums)
{
    if (groups->columns->add != NULL)
        return ws_groups_add(groups, keys, sums);
    if (groups->gathered == NULL)
        groups->gathered = calloc(WS_GROUPS_MEMOS, groups->columns->size);
    if (groups->gathered == NULL)
        return false;
    struct ws_groups_memo *memo = find_rows(groups, keys, 0, 0);
    if (memo == NULL)
        return false;
    memo->gathers = memo->levels != 0;
    return !memo->gathers || add_words(groups, gathered_of(groups, memo), sums);
}

void ws_groups_settle(struct ws_groups *groups)
{
    for (uint32_t i = 0; i < WS_GROUPS_MEMOS; ++i)
        settle(groups, &groups->memos[i]);
}

bool ws_groups_need(const struct ws_groups *groups, uint32_t dimensions)
{
    for (uint32_t i = 0; i < groups->level_count; ++i)
        if ((groups->levels[i].mask & dimensions) == dimensions)
            return true;
    return false;
}

uint32_t ws_groups_count(const struct ws_groups *groups, uint32_t level)
{
    return level < groups->level_count ? groups->levels[level].count : 0;
}

void ws_groups_row(const struct ws_groups *groups, uint32_t level, uint32_t index, struct ws_row *row)
{
    const uint64_t *words = row_of(groups, &groups->levels[level], index);
    *row = (struct ws_row){
        .catalog = groups->catalog,
        .user = groups->user,
        .keys = words,
        .sums = words + groups->dimension_count,
    };
}

uint32_t ws_groups_find_row(const struct ws_groups *groups, uint32_t level, const uint64_t *keys)
{
    if (level >= groups->level_count || groups->levels[level].count == 0)
        return WS_NONE;
    const uint32_t known = *find_slot(groups, &groups->levels[level], keys);
    return known != 0 ? known - 1 : groups->levels[level].others;
}

const void *ws_groups_find(const struct ws_groups *groups, uint32_t level, const uint64_t *keys)
{
    const uint32_t index = groups->view.by == NULL ? ws_groups_find_row(groups, level, keys) : WS_NONE;
    return index != WS_NONE ? row_of(groups, &groups->levels[level], index) + groups->dimension_count : NULL;
}

static uint64_t word_at(const struct ws_row *row, size_t offset)
{
    return ((const uint64_t *)row->sums)[offset / sizeof(uint64_t)];
}

static void take_value(const struct ws_shown *shown, const struct ws_row *row, struct ws_value *value)
{
    const struct ws_field *field = shown->field;
    struct ws_row own = *row;
    own.key = shown->dimension != WS_MEASURE ? row->keys[shown->dimension] : 0;
    value->kind = WS_VALUE_NONE;
    value->unknown = false;
    if (shown->dimension != WS_MEASURE && own.key == WS_KEY_NONE) {
        return;
    } else if (shown->dimension != WS_MEASURE && own.key == WS_KEY_OTHERS) {
        if (field->format == WS_TEXT)
            ws_value_text(value, "others");
    } else if (field->value != NULL) {
        field->value(&own, value);
    } else if (field->json != NULL) {
        return;
    } else if (field->format == WS_COUNT || field->format == WS_PART || field->format == WS_FLAG) {
        ws_value_count(value, word_at(&own, field->at));
    } else if (word_at(&own, field->of) > 0) {
        ws_value_real(value, (double)word_at(&own, field->at) / (double)word_at(&own, field->of));
    }
}

void ws_groups_value(const struct ws_shown *shown, const struct ws_row *row, struct ws_value *value)
{
    take_value(shown, row, value);
    if (value->kind == WS_VALUE_REAL && !isfinite(value->real))
        value->kind = WS_VALUE_NONE;
}

/* What a filter compares: the count of WS_PART only where it has no "%". */
static bool number_of(const struct ws_condition *condition, const struct ws_row *row,
                      const struct ws_value *value, double *number)
{
    const struct ws_field *field = condition->shown.field;
    if (value->kind != WS_VALUE_COUNT && value->kind != WS_VALUE_REAL)
        return false;
    *number = value->kind == WS_VALUE_COUNT ? (double)value->count : value->real;
    if (field->format == WS_PART && condition->percent && value->kind == WS_VALUE_COUNT) {
        const uint64_t whole = word_at(row, field->of);
        *number = whole > 0 ? *number / (double)whole : 0;
    }
    return true;
}

static bool holds(const struct ws_condition *condition, const struct ws_row *row)
{
    struct ws_value value;
    double number = 0;
    ws_groups_value(&condition->shown, row, &value);
    if (condition->shown.field->format == WS_TEXT)
        return value.kind == WS_VALUE_TEXT &&
               (fnmatch(condition->text, value.text, 0) == 0) == (condition->comparison == WS_EQUAL);
    if (!number_of(condition, row, &value, &number))
        return false;
    switch (condition->comparison) {
    case WS_LESS: return number < condition->number;
    case WS_AT_MOST: return number <= condition->number;
    case WS_MORE: return number > condition->number;
    case WS_AT_LEAST: return number >= condition->number;
    case WS_EQUAL: return number == condition->number;
    case WS_UNEQUAL: return number != condition->number;
    }
    return false;
}

/* A row with the values that it is sorted by. */
struct sorting {
    const struct ws_groups_level *level;
    const struct ws_shown_list *sorts;
    const uint64_t *keys;
    uint32_t row;
    struct {
        enum ws_value_kind kind;
        uint64_t count;
        double real;
        char *text;
    } values[WS_SORTS_MAX];
};

static int compare_values(const struct sorting *a, const struct sorting *b, uint32_t i)
{
    if (a->values[i].kind != b->values[i].kind)
        return 0;
    switch (a->values[i].kind) {
    case WS_VALUE_COUNT:
        return a->values[i].count < b->values[i].count ? -1 : a->values[i].count > b->values[i].count;
    case WS_VALUE_REAL:
        return a->values[i].real < b->values[i].real ? -1 : a->values[i].real > b->values[i].real;
    case WS_VALUE_TEXT: return strcmp(a->values[i].text, b->values[i].text);
    default: return 0;
    }
}

/* Whether a row is of what cannot be told apart. */
static bool is_rest(const struct ws_groups_level *level, const uint64_t *keys)
{
    for (uint32_t i = 0; i < level->order_count; ++i)
        if (keys[level->order[i]] == WS_KEY_SEVERAL || keys[level->order[i]] == WS_KEY_OTHERS)
            return true;
    return false;
}

/* By the sorts, rows without a value and the rest last; then by the keys. */
static int compare_rows(const void *left, const void *right)
{
    const struct sorting *a = left;
    const struct sorting *b = right;
    if (is_rest(a->level, a->keys) != is_rest(b->level, b->keys))
        return is_rest(a->level, a->keys) ? 1 : -1;
    for (uint32_t i = 0; i < a->sorts->count; ++i) {
        const bool none = a->values[i].kind == WS_VALUE_NONE;
        if (none != (b->values[i].kind == WS_VALUE_NONE))
            return none ? 1 : -1;
        const int compared = compare_values(a, b, i);
        if (compared != 0)
            return a->sorts->items[i].descending ? -compared : compared;
    }
    for (uint32_t i = 0; i < a->level->order_count; ++i) {
        const uint32_t dimension = a->level->order[i];
        if (a->keys[dimension] != b->keys[dimension])
            return a->keys[dimension] < b->keys[dimension] ? -1 : 1;
    }
    return 0;
}

static bool take_sorts(const struct ws_groups *groups, const struct ws_groups_level *level, const char *sort,
                       struct ws_shown_list *sorts)
{
    while (sort != NULL && *(sort += strspn(sort, " ,")) != '\0' && sorts->count < WS_SORTS_MAX) {
        char name[WS_NAME_SIZE];
        const bool descending = *sort == '-';
        const size_t length = strcspn(sort, " ,");
        snprintf(name, sizeof(name), "%.*s", (int)(length - descending), sort + descending);
        if (!ws_columns_list(groups->columns, name, sorts, NULL))
            return false;
        sorts->items[sorts->count - 1].descending = descending;
        sorts->count -= !ws_mask_has(level->mask, &sorts->items[sorts->count - 1]);
        sort += length;
    }
    return true;
}

static bool fill_sorting(const struct ws_shown_list *sorts, const struct ws_row *row, struct sorting *sorting)
{
    for (uint32_t i = 0; i < sorts->count; ++i) {
        struct ws_value value;
        ws_groups_value(&sorts->items[i], row, &value);
        sorting->values[i].kind = value.kind;
        sorting->values[i].count = value.count;
        sorting->values[i].real = value.real;
        sorting->values[i].text = value.kind == WS_VALUE_TEXT ? strdup(value.text) : NULL;
        if (value.kind == WS_VALUE_TEXT && sorting->values[i].text == NULL)
            return false;
    }
    return true;
}

/* The conditions of the view and of the level's own table, as far as the level has their fields. */
static uint32_t take_conditions(const struct ws_groups *groups, const struct ws_groups_level *level,
                                const char *filter, struct ws_condition conditions[WS_FILTERS_MAX + 1])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= groups->view.filter_count; ++i) {
        const char *text = i < groups->view.filter_count ? groups->view.filters[i] : filter;
        if (text != NULL && ws_columns_condition(groups->columns, text, &conditions[count], NULL))
            count += ws_mask_has(level->mask, &conditions[count].shown);
    }
    return count;
}

bool ws_groups_is_shown(const struct ws_groups *groups, uint32_t level)
{
    struct ws_condition condition;
    for (uint32_t i = 0; i < groups->view.filter_count; ++i)
        if (!ws_columns_condition(groups->columns, groups->view.filters[i], &condition, NULL) ||
            !ws_mask_has(groups->levels[level].mask, &condition.shown))
            return false;
    return true;
}

bool ws_groups_order(const struct ws_groups *groups, uint32_t number, const char *sort, const char *filter,
                     struct ws_ordered *ordered)
{
    const struct ws_groups_level *level = &groups->levels[number];
    struct ws_condition conditions[WS_FILTERS_MAX + 1];
    const uint32_t condition_count = take_conditions(groups, level, filter, conditions);
    struct ws_shown_list sorts = {.count = 0};
    struct sorting *list = calloc((size_t)level->count + 1, sizeof(*list));
    ordered->rows = calloc((size_t)level->count + 1, sizeof(*ordered->rows));
    ordered->count = 0;
    bool sorted = list != NULL && ordered->rows != NULL &&
                  take_sorts(groups, level, groups->view.sort, &sorts) &&
                  take_sorts(groups, level, sort, &sorts);
    for (uint32_t i = 0; i < level->count && sorted; ++i) {
        struct sorting *added = &list[ordered->count];
        struct ws_row row;
        bool passes = true;
        ws_groups_row(groups, number, i, &row);
        /* The level's own condition is the last: the rest is shown in spite of it. */
        for (uint32_t j = 0; j < condition_count && passes; ++j)
            passes = holds(&conditions[j], &row) ||
                     (filter != NULL && j + 1 == condition_count && is_rest(level, row.keys));
        if (!passes)
            continue;
        *added = (struct sorting){.level = level, .sorts = &sorts, .keys = row.keys, .row = i};
        ordered->count++;
        sorted = fill_sorting(&sorts, &row, added);
    }
    if (sorted && ordered->count > 0)
        qsort(list, ordered->count, sizeof(*list), compare_rows);
    for (uint32_t i = 0; list != NULL && i < ordered->count; ++i) {
        ordered->rows[i] = list[i].row;
        for (uint32_t j = 0; j < sorts.count; ++j)
            free(list[i].values[j].text);
    }
    free(list);
    if (!sorted) {
        free(ordered->rows);
        *ordered = (struct ws_ordered){NULL, 0};
    }
    return sorted;
}

uint32_t *ws_groups_sorted(const struct ws_groups *groups, uint32_t level, uint32_t *count)
{
    const struct ws_level *declared = &groups->levels[level].level;
    struct ws_ordered ordered = {NULL, 0};
    ws_groups_order(groups, level, declared->sort, declared->filter, &ordered);
    *count = ordered.count;
    return ordered.rows;
}
