#include "analysis/viewer/rays/ray_filter.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"

/* READING */

/* Turns one value of a list into a range; `text` ends with the value. */
typedef bool read_value(const char *text, const struct ws_ray_filter_names *names, struct ws_ray_range *range,
                        struct ws_error *error);

static bool read_number(const char **text, uint32_t *number)
{
    char *end = NULL;
    errno = 0;
    if (**text < '0' || **text > '9')
        return false;
    const unsigned long long value = strtoull(*text, &end, 10);
    if (errno != 0 || value >= WS_NONE) /* which stands for none: a miss is of no instance */
        return false;
    *number = (uint32_t)value;
    *text = end;
    return true;
}

static bool read_range(const char *text, const struct ws_ray_filter_names *names, struct ws_ray_range *range,
                       struct ws_error *error)
{
    const char *at = text;
    (void)names;
    *range = (struct ws_ray_range){0, WS_NONE - 1};
    const bool has_low = read_number(&at, &range->low);
    const bool has_dash = *at == '-';
    at += has_dash;
    const bool has_high = has_dash && read_number(&at, &range->high);
    if (has_low && !has_dash)
        range->high = range->low;
    if ((!has_low && !has_high) || *at != '\0' || range->low > range->high)
        return ws_error_set(error, "'%s' is no number or range such as 3 or 3-7", text);
    return true;
}

/* One of the names of an enum of `count` values. */
static bool read_name(const char *text, const char *(*name)(uint32_t), uint32_t count,
                      struct ws_ray_range *range, struct ws_error *error)
{
    char known[256] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (strcmp(text, name(i)) == 0) {
            *range = (struct ws_ray_range){i, i};
            return true;
        }
        used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i > 0 ? ", " : "", name(i));
    }
    return ws_error_set(error, "'%s' is none of %s", text, known);
}

static bool read_end(const char *text, const struct ws_ray_filter_names *names, struct ws_ray_range *range,
                     struct ws_error *error)
{
    (void)names;
    return read_name(text, ws_ray_end_name, WS_RAY_NO_SHADER + 1, range, error);
}

static bool read_kind(const char *text, const struct ws_ray_filter_names *names, struct ws_ray_range *range,
                      struct ws_error *error)
{
    (void)names;
    return read_name(text, ws_ray_kind_name, WS_RAY_KINDS, range, error);
}

/* Columns have indices in the catalog, the user ids. */
static bool read_shader(const char *text, const struct ws_ray_filter_names *names, struct ws_ray_range *range,
                        struct ws_error *error)
{
    uint32_t id = 0;
    const char *at = text;
    const uint32_t shader =
        read_number(&at, &id) && *at == '\0' ? ws_catalog_shader(names->catalog, id) : WS_NONE;
    *range = (struct ws_ray_range){shader, shader};
    return shader != WS_NONE || ws_error_set(error, "the capture has no shader with the id '%s'", text);
}

static int compare_ranges(const void *left, const void *right)
{
    const struct ws_ray_range *a = left;
    const struct ws_ray_range *b = right;
    return a->low < b->low ? -1 : a->low > b->low;
}

/* Ascending, and those that touch or overlap are one. */
static void merge_ranges(struct ws_ray_test *test)
{
    uint32_t kept = 0;
    qsort(test->ranges, test->count, sizeof(*test->ranges), compare_ranges);
    for (uint32_t i = 1; i < test->count; ++i) {
        struct ws_ray_range *last = &test->ranges[kept];
        if (test->ranges[i].low <= last->high || test->ranges[i].low == last->high + 1)
            last->high = test->ranges[i].high > last->high ? test->ranges[i].high : last->high;
        else
            test->ranges[++kept] = test->ranges[i];
    }
    test->count = kept + 1;
}

static struct ws_ray_test *add_test(struct ws_ray_filter *filter, enum ws_ray_column column,
                                    struct ws_error *error)
{
    if (filter->count == WS_RAY_TESTS_MOST) {
        ws_error_set(error, "the filter has too many keys");
        return NULL;
    }
    struct ws_ray_test *test = &filter->tests[filter->count++];
    *test = (struct ws_ray_test){.column = column};
    return test;
}

static bool add_list(struct ws_ray_filter *filter, enum ws_ray_column column, const char *value,
                     read_value *read, const struct ws_ray_filter_names *names, struct ws_error *error)
{
    struct ws_ray_test *test = add_test(filter, column, error);
    char *copy = strdup(value);
    char *rest = copy;
    uint32_t capacity = 0;
    bool good = test != NULL && copy != NULL;
    while (good && rest != NULL) {
        const char *item = strsep(&rest, ",");
        struct ws_ray_range *ranges =
            ws_array_grow(test->ranges, &capacity, test->count + 1, sizeof(*ranges));
        good = ranges != NULL;
        if (good) {
            test->ranges = ranges;
            good = read(item, names, &ranges[test->count++], error);
        }
    }
    free(copy);
    if (good)
        merge_ranges(test);
    return good || ws_error_set(error, "no memory for the filter");
}

static bool add_range(struct ws_ray_filter *filter, enum ws_ray_column column, uint32_t low, uint32_t high,
                      struct ws_error *error)
{
    struct ws_ray_test *test = add_test(filter, column, error);
    if (test == NULL)
        return false;
    test->ranges = malloc(sizeof(*test->ranges));
    if (test->ranges == NULL)
        return ws_error_set(error, "no memory for the filter");
    test->ranges[0] = (struct ws_ray_range){low, high};
    test->count = 1;
    return true;
}

/* "1e-3-2.5": from 0.001 to 2.5. */
static bool add_t(struct ws_ray_filter *filter, const char *value, struct ws_error *error)
{
    struct ws_ray_test *test = add_test(filter, WS_RAY_COLUMN_T, error);
    const char *at = value;
    char *end = NULL;
    if (test == NULL)
        return false;
    test->low = -INFINITY;
    test->high = INFINITY;
    if (*at != '-') {
        test->low = strtof(at, &end);
        const bool some = end != at;
        at = some ? end : "?";
    }
    if (*at == '-' && at[1] != '\0') {
        test->high = strtof(at + 1, &end);
        at = end != at + 1 ? end : "?";
    } else if (*at == '-' && at != value) {
        ++at;
    } else if (*at == '\0') {
        test->high = test->low;
    }
    if (*at != '\0' || value[0] == '\0' || isnan(test->low) || isnan(test->high) ||
        !(test->low <= test->high))
        return ws_error_set(error, "'%s' is no distance or range such as 0.5-2", value);
    return true;
}

/* Numbers with commas; false where there are others than `least` to `most` of them. */
static bool read_place(const char **text, uint32_t *place, uint32_t least, uint32_t most)
{
    uint32_t count = 0;
    while (read_number(text, &place[count])) {
        ++count;
        if (count == most || **text != ',')
            break;
        ++*text;
    }
    return count >= least;
}

static bool add_pixels(struct ws_ray_filter *filter, const char *value, struct ws_error *error)
{
    uint32_t first[2];
    uint32_t last[2];
    const char *at = value;
    bool good = read_place(&at, first, 2, 2);
    memcpy(last, first, sizeof(last));
    if (good && *at == '-') {
        ++at;
        good = read_place(&at, last, 2, 2);
    }
    if (!good || *at != '\0' || first[0] > last[0] || first[1] > last[1])
        return ws_error_set(error, "'%s' are no pixels such as 12,40 or 0,0-63,63", value);
    return add_range(filter, WS_RAY_COLUMN_X, first[0], last[0], error) &&
           add_range(filter, WS_RAY_COLUMN_Y, first[1], last[1], error);
}

static bool add_thread(struct ws_ray_filter *filter, const char *value, struct ws_error *error)
{
    uint32_t place[3] = {0, 0, 0};
    const char *at = value;
    if (!read_place(&at, place, 1, 3) || *at != '\0')
        return ws_error_set(error, "'%s' is no thread such as 12,40,0", value);
    return add_range(filter, WS_RAY_COLUMN_X, place[0], place[0], error) &&
           add_range(filter, WS_RAY_COLUMN_Y, place[1], place[1], error) &&
           add_range(filter, WS_RAY_COLUMN_Z, place[2], place[2], error);
}

static bool add_rules(struct ws_ray_filter *filter, const char *value,
                      const struct ws_ray_filter_names *names, struct ws_error *error)
{
    filter->has_rules = true;
    while (*value != '\0') {
        const size_t length = strcspn(value, ",");
        uint32_t bit = 0;
        while (names->rules[bit] != NULL &&
               (strncmp(names->rules[bit], value, length) != 0 || names->rules[bit][length] != '\0'))
            ++bit;
        if (names->rules[bit] == NULL)
            return ws_error_set(error, "there is no rule of advice '%.*s'", (int)length, value);
        filter->rules |= 1u << bit;
        value += length + (value[length] == ',');
    }
    return true;
}

static bool read_parents(struct ws_ray_filter *filter, const char *value, struct ws_error *error)
{
    filter->parents = strcmp(value, "1") == 0;
    return filter->parents || strcmp(value, "0") == 0 ||
           ws_error_set(error, "parents is 0 or 1, not '%s'", value);
}

/* Keys of one column and a list of values. */
static const struct {
    const char *key;
    enum ws_ray_column column;
    read_value *read;
} lists[] = {
    {"end", WS_RAY_COLUMN_END, read_end},
    {"kind", WS_RAY_COLUMN_KIND, read_kind},
    {"depth", WS_RAY_COLUMN_DEPTH, read_range},
    {"instance", WS_RAY_COLUMN_INSTANCE, read_range},
    {"geometry", WS_RAY_COLUMN_GEOMETRY, read_range},
    {"primitive", WS_RAY_COLUMN_PRIMITIVE, read_range},
    {"shader", WS_RAY_COLUMN_SHADER, read_shader},
    {"site", WS_RAY_COLUMN_SITE, read_range},
    {"any_hits", WS_RAY_COLUMN_ANY_HITS, read_range},
    {"intersections", WS_RAY_COLUMN_INTERSECTIONS, read_range},
    {"warp", WS_RAY_COLUMN_WARP, read_range},
    {"ids", WS_RAY_COLUMN_RAY, read_range},
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

static const char *const others[] = {"t", "pixels", "thread", "rule", "parents"};

bool ws_ray_filter_has_key(const char *key)
{
    for (size_t i = 0; i < LISTS; ++i)
        if (strcmp(lists[i].key, key) == 0)
            return true;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i)
        if (strcmp(others[i], key) == 0)
            return true;
    return false;
}

bool ws_ray_filter_add(struct ws_ray_filter *filter, const char *key, const char *value,
                       const struct ws_ray_filter_names *names, struct ws_error *error)
{
    for (size_t i = 0; i < LISTS; ++i)
        if (strcmp(lists[i].key, key) == 0)
            return add_list(filter, lists[i].column, value, lists[i].read, names, error);
    if (strcmp(key, "t") == 0)
        return add_t(filter, value, error);
    if (strcmp(key, "pixels") == 0)
        return add_pixels(filter, value, error);
    if (strcmp(key, "thread") == 0)
        return add_thread(filter, value, error);
    if (strcmp(key, "rule") == 0)
        return add_rules(filter, value, names, error);
    if (strcmp(key, "parents") == 0)
        return read_parents(filter, value, error);
    return ws_error_set(error, "rays cannot be filtered by '%s'", key);
}

void ws_ray_filter_finish(struct ws_ray_filter *filter)
{
    for (uint32_t i = 0; i < filter->count; ++i)
        free(filter->tests[i].ranges);
    *filter = (struct ws_ray_filter){.count = 0};
}

/* LOOKING */

/* Above so many ranges a value is sought among them by halving. */
#define FEW 4

static bool is_within(const struct ws_ray_test *test, uint32_t value)
{
    uint32_t low = 0;
    uint32_t high = test->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (test->ranges[middle].high < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < test->count && test->ranges[low].low <= value;
}

/* Clears the marks of the rays whose values do not fit. A value is within a range where its distance from the low end, as
 * an unsigned number, is at most the range's width: one comparison, and no jump. */
#define DEFINE_LOOK(name, type)                                                                              \
    static void name(const struct ws_ray_test *test, const type *values, uint32_t count, uint8_t *marks)     \
    {                                                                                                        \
        uint8_t some[WS_RAY_BLOCK];                                                                          \
        if (test->count > FEW) {                                                                             \
            for (uint32_t i = 0; i < count; ++i)                                                             \
                marks[i] = marks[i] != 0 && is_within(test, values[i]);                                      \
            return;                                                                                          \
        }                                                                                                    \
        memset(some, 0, count);                                                                              \
        for (uint32_t r = 0; r < test->count; ++r) {                                                         \
            const uint32_t low = test->ranges[r].low;                                                        \
            const uint32_t width = test->ranges[r].high - low;                                               \
            for (uint32_t i = 0; i < count; ++i)                                                             \
                some[i] |= (uint32_t)values[i] - low <= width;                                               \
        }                                                                                                    \
        for (uint32_t i = 0; i < count; ++i)                                                                 \
            marks[i] &= some[i];                                                                             \
    }

DEFINE_LOOK(look_8, uint8_t)
DEFINE_LOOK(look_16, uint16_t)
DEFINE_LOOK(look_32, uint32_t)

static void look_t(const struct ws_ray_test *test, const float *values, uint32_t count, uint8_t *marks)
{
    for (uint32_t i = 0; i < count; ++i)
        marks[i] &= values[i] >= test->low && values[i] <= test->high;
}

static void look_ids(const struct ws_ray_test *test, uint32_t first, uint32_t count, uint8_t *marks)
{
    for (uint32_t i = 0; i < count; ++i)
        marks[i] = marks[i] != 0 && is_within(test, first + i);
}

/* `first` is the number of the block's first ray. */
static void look(const struct ws_ray_test *test, const struct ws_ray_block *block, uint32_t first,
                 uint32_t count, uint8_t *marks)
{
    switch (test->column) {
    case WS_RAY_COLUMN_END: look_8(test, block->end, count, marks); break;
    case WS_RAY_COLUMN_KIND: look_8(test, block->kind, count, marks); break;
    case WS_RAY_COLUMN_DEPTH: look_16(test, block->depth, count, marks); break;
    case WS_RAY_COLUMN_INSTANCE: look_32(test, block->instance, count, marks); break;
    case WS_RAY_COLUMN_GEOMETRY: look_32(test, block->geometry, count, marks); break;
    case WS_RAY_COLUMN_PRIMITIVE: look_32(test, block->primitive, count, marks); break;
    case WS_RAY_COLUMN_SHADER: look_32(test, block->shader, count, marks); break;
    case WS_RAY_COLUMN_SITE: look_16(test, block->site, count, marks); break;
    case WS_RAY_COLUMN_ANY_HITS: look_16(test, block->any_hits, count, marks); break;
    case WS_RAY_COLUMN_INTERSECTIONS: look_16(test, block->intersections, count, marks); break;
    case WS_RAY_COLUMN_T: look_t(test, block->t, count, marks); break;
    case WS_RAY_COLUMN_X: look_32(test, block->place[0], count, marks); break;
    case WS_RAY_COLUMN_Y: look_32(test, block->place[1], count, marks); break;
    case WS_RAY_COLUMN_Z: look_32(test, block->place[2], count, marks); break;
    case WS_RAY_COLUMN_WARP: look_32(test, block->warp, count, marks); break;
    case WS_RAY_COLUMN_RAY: look_ids(test, first, count, marks); break;
    }
}

static void look_rules(const struct ws_ray_filter *filter, const uint32_t *rules, uint32_t count,
                       uint8_t *marks)
{
    if (rules == NULL)
        memset(marks, 0, count);
    for (uint32_t i = 0; rules != NULL && i < count; ++i)
        marks[i] &= (rules[i] & filter->rules) != 0;
}

static void add(struct ws_ray_set *set, uint32_t ray)
{
    uint64_t *word = &set->bits[ray / 64];
    const uint64_t bit = UINT64_C(1) << ray % 64;
    set->count += (*word & bit) == 0;
    *word |= bit;
}

static void select_block(const struct ws_ray_filter *filter, const struct ws_ray_store *store, uint32_t block,
                         struct ws_ray_set *set)
{
    uint8_t marks[WS_RAY_BLOCK];
    const struct ws_ray_block *columns = ws_ray_store_block(store, block);
    const uint32_t first = block * WS_RAY_BLOCK;
    const uint32_t left = store->count - first;
    const uint32_t count = left < WS_RAY_BLOCK ? left : WS_RAY_BLOCK;
    memset(marks, 1, count);
    for (uint32_t i = 0; i < filter->count; ++i)
        look(&filter->tests[i], columns, first, count, marks);
    if (filter->has_rules)
        look_rules(filter, store->rules != NULL ? store->rules + first : NULL, count, marks);
    for (uint32_t i = 0; i < count; ++i)
        if (marks[i] != 0)
            add(set, first + i);
}

/* A ray comes before those that it leads to: going backwards, each is looked at after all of them. */
static void add_parents(const struct ws_ray_store *store, struct ws_ray_set *set)
{
    for (uint32_t ray = store->count; ray-- > 0;) {
        if (!ws_ray_set_has(set, ray))
            continue;
        const uint32_t parent = ws_ray_store_block(store, ray / WS_RAY_BLOCK)->parent[ray % WS_RAY_BLOCK];
        if (parent < ray)
            add(set, parent);
    }
}

bool ws_ray_filter_select(const struct ws_ray_filter *filter, const struct ws_ray_store *store,
                          struct ws_ray_set *set)
{
    const uint32_t blocks = (store->count + WS_RAY_BLOCK - 1) / WS_RAY_BLOCK;
    *set = (struct ws_ray_set){.bits = calloc((size_t)store->count / 64 + 1, sizeof(*set->bits))};
    for (uint32_t i = 0; set->bits != NULL && i < blocks; ++i)
        select_block(filter, store, i, set);
    if (set->bits != NULL && filter->parents)
        add_parents(store, set);
    return set->bits != NULL;
}

void ws_ray_set_finish(struct ws_ray_set *set)
{
    free(set->bits);
    *set = (struct ws_ray_set){.bits = NULL};
}
