/* Columns declared once: grouping, crossing, sorting, filters, CSV, JSON and tables, with answers by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/analysis/report/json_of.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/columns.h"

/* Goods that are sold in shops. A fruit has one colour. */
struct sums {
    uint64_t sold;
    uint64_t spoilt;
    uint64_t largest;
};

enum { COLOUR, FRUIT, SHOP, DIMENSIONS };
enum { BY_ALL, BY_FRUIT, BY_SHOP, BY_FRUIT_SHOP };
enum { APPLE, CHERRY, PEAR };

static const char *const fruits[] = {"apple", "cherry", "pear \"big\", \x1b[31mred"};
static const char *const colours[] = {"green", "red"};

static void set(struct ws_value *value, const char *text)
{
    value->kind = WS_VALUE_TEXT;
    value->text = text;
}

static void colour(const struct ws_row *row, struct ws_value *value)
{
    set(value, colours[row->key]);
}

static void fruit(const struct ws_row *row, struct ws_value *value)
{
    set(value, fruits[row->key]);
}

static void shop(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

/* Shop 2 has no street: a value that is missing. */
static void street(const struct ws_row *row, struct ws_value *value)
{
    if (row->key != 2)
        ws_value_text(value, "%s", row->key == 1 ? "High Street" : "Mill Lane");
}

static void good(const struct ws_row *row, struct ws_value *value)
{
    const struct sums *sums = row->sums;
    ws_value_count(value, sums->sold - sums->spoilt);
}

/* More than ten were sold; of one that nobody bought it is not known. */
static void sweet(const struct ws_row *row, struct ws_value *value)
{
    const struct sums *sums = row->sums;
    ws_value_count(value, sums->sold > 10);
    value->unknown = sums->sold == 1;
}

static cJSON *both(const struct ws_row *row)
{
    const struct sums *sums = row->sums;
    return cJSON_CreateIntArray((const int[]){(int)sums->sold, (int)sums->spoilt}, 2);
}

static const struct ws_field colour_fields[] = {{"colour", "of the fruit", WS_TEXT, .value = colour}, {NULL}};
static const struct ws_field fruit_fields[] = {{"fruit", "its name", WS_TEXT, .value = fruit}, {NULL}};
static const struct ws_field shop_fields[] = {{"shop", "its number", WS_COUNT, .value = shop}, {NULL}};
static const struct ws_field more_fields[] = {{"street", "where it is", WS_TEXT, .value = street}, {NULL}};

static const struct ws_dimension dimensions[] = {
    [COLOUR] = {"colour", "of the fruit", colour_fields},
    [FRUIT] = {"fruit", "what is sold", fruit_fields, .implies = 1u << COLOUR},
    [SHOP] = {"shop", "where", shop_fields, .more = more_fields, .shown = "shop street"},
    [DIMENSIONS] = {NULL},
};

#define AT(member) .at = offsetof(struct sums, member)

static const struct ws_field measures[] = {
    {"sold", "how many", WS_COUNT, AT(sold)},
    {"spoilt", "of them", WS_PART, AT(spoilt), .of = offsetof(struct sums, sold)},
    {"loss", "spoilt / sold", WS_SHARE, AT(spoilt), .of = offsetof(struct sums, sold), .flags = WS_DASH},
    {"ratio", "the same as a number", WS_RATIO, AT(spoilt), .of = offsetof(struct sums, sold), .digits = 3},
    {"good", "not spoilt", WS_COUNT, "not\nspoilt", .value = good},
    {"largest", "largest sale", WS_COUNT, AT(largest), .flags = WS_MAX | WS_BLANK_ZERO},
    {"both", "sold and spoilt", .json = both, .type = "integer[]"},
    {"sweet", "whether they are", WS_FLAG, .value = sweet},
    {"tart", "the same, in tables", WS_FLAG, .flags = WS_TABLES, .value = sweet},
    {NULL},
};

static const struct ws_level levels[] = {
    [BY_ALL] = {"total"},
    [BY_FRUIT] = {"fruits", "Fruit", .by = 1u << FRUIT, .sort = "-sold", .filter = "sold > 1", .total = true,
                  .text = "fruit colour sold spoilt loss"},
    [BY_SHOP] = {"shops", "Shops", .by = 1u << SHOP, .rows = 1, .text = "shop street sold",
                 .data = "shop street sold"},
    [BY_FRUIT_SHOP] = {"fruit_shops", .by = 1u << FRUIT | 1u << SHOP, .data = "shop fruit sold both"},
    {NULL},
};

static const struct ws_columns columns = {dimensions, measures, levels, sizeof(struct sums),
                                          .shown = "sold spoilt"};

static void sell(struct ws_groups *groups, uint64_t what, uint64_t where, uint64_t sold, uint64_t spoilt)
{
    const uint64_t keys[DIMENSIONS] = {what == APPLE ? 0 : 1, what, where};
    const struct sums sums = {sold, spoilt, sold};
    assert_true(ws_groups_add(groups, keys, &sums));
}

/* Apples: 10 in shop 1, 30 in shop 2, 8 of them spoilt. Cherries: 40 and 10 spoilt in shop 1, in two sales.
 * One pear in shop 0. All: 81 sold, 18 spoilt. */
static struct ws_groups *groups_of(const struct ws_view *view)
{
    struct ws_error error = {{0}};
    struct ws_groups *groups = ws_groups_create(&columns, NULL, NULL, view, &error);
    if (groups == NULL)
        fail_msg("%s", error.message);
    sell(groups, CHERRY, 1, 25, 10);
    sell(groups, APPLE, 2, 30, 8);
    sell(groups, APPLE, 1, 10, 0);
    sell(groups, CHERRY, 1, 15, 0);
    sell(groups, PEAR, 0, 1, 0);
    return groups;
}

static char *shown(const struct ws_view *view, bool (*show)(const struct ws_groups *, FILE *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct ws_groups *groups = groups_of(view);
    assert_true(show(groups, stream));
    fclose(stream);
    ws_groups_destroy(groups);
    return text;
}

static void check_shown(const struct ws_view *view, bool (*show)(const struct ws_groups *, FILE *),
                        const char *expected)
{
    char *text = shown(view, show);
    assert_string_equal(text, expected);
    free(text);
}

static bool write_all(const void *groups, struct ws_json *json)
{
    return ws_groups_json_all(groups, json);
}

/* `expected` is without the white space between members and rows. */
static void check_json(const struct ws_view *view, const char *expected)
{
    struct ws_groups *groups = groups_of(view);
    cJSON *object = json_of(write_all, groups);
    assert_non_null(object);
    char *text = cJSON_PrintUnformatted(object);
    assert_string_equal(text, expected);
    cJSON_free(text);
    cJSON_Delete(object);
    ws_groups_destroy(groups);
}

static void declaration_holds(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    if (!ws_columns_check(&columns, &error))
        fail_msg("%s", error.message);
    for (const struct ws_analysis *const *analysis = ws_analysis_list(); *analysis != NULL; ++analysis)
        if ((*analysis)->columns != NULL && !ws_columns_check((*analysis)->columns, &error))
            fail_msg("%s: %s", (*analysis)->name, error.message);
}

static void wrong_declarations(void **state)
{
    (void)state;
    static const struct ws_field twice[] = {{.name = "fruit"}, {NULL}};
    static const struct ws_level unknown[] = {{"all", "All", .text = "sold weight"}, {NULL}};
    static const struct ws_level coarse[] = {{"shop", "Shops", .by = 1u << SHOP, .text = "fruit"}, {NULL}};
    struct ws_columns wrong = columns;
    struct ws_error error = {{0}};
    wrong.measures = twice;
    assert_false(ws_columns_check(&wrong, &error));
    assert_string_equal(error.message, "two columns are called 'fruit'");
    wrong = columns;
    wrong.levels = unknown;
    error.message[0] = '\0';
    assert_false(ws_columns_check(&wrong, &error));
    assert_non_null(
        strstr(error.message, "there is no column 'weight'; there are: colour, fruit, shop, street,"));
    wrong.levels = coarse;
    error.message[0] = '\0';
    assert_false(ws_columns_check(&wrong, &error));
    assert_string_equal(error.message, "'fruit' is of each fruit: add that to --by");
}

static bool write_first(const void *groups, struct ws_json *json)
{
    return ws_groups_json_first(groups, BY_FRUIT, 2, json) && ws_groups_json(groups, BY_SHOP, json) &&
           ws_groups_json_first(groups, BY_ALL, 0, json);
}

/* Of three fruits two, of three shops all; the total is no list. */
static void first_rows_in_json(void **state)
{
    (void)state;
    struct ws_groups *groups = groups_of(NULL);
    cJSON *object = json_of(write_first, groups);
    assert_non_null(object);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetArrayItem(object, 0)), 2);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetArrayItem(object, 1)), 3);
    assert_true(cJSON_IsObject(cJSON_GetArrayItem(object, 2)));
    cJSON_Delete(object);
    ws_groups_destroy(groups);
}

static void sums_by_level(void **state)
{
    (void)state;
    struct ws_groups *groups = groups_of(NULL);
    const uint64_t apple[DIMENSIONS] = {0, APPLE, WS_KEY_NONE};
    const uint64_t apple_1[DIMENSIONS] = {0, APPLE, 1};
    const struct sums *all = ws_groups_find(groups, BY_ALL, apple);
    const struct sums *apples = ws_groups_find(groups, BY_FRUIT, apple);
    assert_int_equal(ws_groups_count(groups, BY_ALL), 1);
    assert_int_equal(ws_groups_count(groups, BY_FRUIT), 3);
    assert_int_equal(ws_groups_count(groups, BY_SHOP), 3);
    assert_int_equal(ws_groups_count(groups, BY_FRUIT_SHOP), 4);
    assert_true(all->sold == 81 && all->spoilt == 18);
    assert_true(all->largest == 30); /* not 81: WS_MAX */
    assert_true(apples->sold == 40 && apples->spoilt == 8 && apples->largest == 30);
    assert_true(((const struct sums *)ws_groups_find(groups, BY_FRUIT_SHOP, apple_1))->sold == 10);
    assert_null(ws_groups_find(groups, BY_FRUIT_SHOP, (const uint64_t[]){1, PEAR, 1}));
    /* What has no shop is in no level of shops; what is only for fine levels is in no coarse one. */
    const struct sums one = {1, 0, 1};
    assert_true(ws_groups_add(groups, apple, &one));
    assert_true(ws_groups_add_to(groups, apple_1, &one, 1u << SHOP, 0));
    assert_true(all->sold == 82 && ws_groups_count(groups, BY_SHOP) == 3);
    assert_true(((const struct sums *)ws_groups_find(groups, BY_FRUIT_SHOP, apple_1))->sold == 11);
    assert_true(ws_groups_need(groups, 1u << FRUIT | 1u << SHOP));
    ws_groups_destroy(groups);
}

static void total_of_nothing(void **state)
{
    (void)state;
    struct ws_groups *groups = ws_groups_create(&columns, NULL, NULL, NULL, NULL);
    assert_int_equal(ws_groups_count(groups, BY_ALL), 1);
    assert_true(((const struct sums *)ws_groups_find(groups, BY_ALL, NULL))->sold == 0);
    assert_int_equal(ws_groups_count(groups, BY_SHOP), 0);
    assert_null(ws_groups_find(groups, BY_SHOP, (const uint64_t[]){0, 0, 0}));
    ws_groups_destroy(groups);
}

static void tables(void **state)
{
    (void)state;
    /* Sorted, without the one pear; apples and cherries have both 40 and come in the order of their keys. */
    check_shown(NULL, ws_groups_text_all,
                "\nFruit\n"
                "  fruit   colour  sold  spoilt    loss\n"
                "  apple   green     40  20.0 %  20.0 %\n"
                "  cherry  red       40  25.0 %  25.0 %\n"
                "  all               81  22.2 %  22.2 %\n"
                "\nShops\n"
                "  shop  street     sold\n"
                "     0  Mill Lane     1\n"
                "  ... and 2 more: --rows 0 shows them all\n");
    check_shown(
        &(struct ws_view){
            .rows = UINT32_MAX, .fields = "street,sold", .filters = {"shop >= 1"}, .filter_count = 1},
        ws_groups_text_all,
        "\nShops\n"
        "  street       sold\n"
        "  High Street    50\n"
        "                 30\n");
}

static const struct ws_level folding_shops[] = {{"total"},
                                                {"shops", "Shops", .by = 1u << SHOP, .sort = "-sold",
                                                 .text = "shop sold", .data = "shop sold", .folds = true},
                                                {NULL}};
static const struct ws_columns weighed = {dimensions,          measures,        folding_shops,
                                          sizeof(struct sums), .shown = "sold", .weight = "sold"};

/* Of 10080 sold shops 2, 3 and 4 have 20, 20 and 10: 0.2 % and less. */
static void folded(void **state)
{
    (void)state;
    static const uint64_t sold[] = {10000, 30, 20, 20, 10};
    static const struct {
        struct ws_view view;
        const char *text;
    } cases[] = {{{0},
                  "\nShops\n  shop   sold\n     0  10000\n     1     30\n"
                  "  ... and 3 others of 0.2 % or less, 0.5 % together: --rows 0 shows them all\n"},
                 {{.rows = UINT32_MAX},
                  "\nShops\n  shop   sold\n     0  10000\n     1     30\n     2     20\n     3     20\n     "
                  "4     10\n"},
                 {{.rows = 4},
                  "\nShops\n  shop   sold\n     0  10000\n     1     30\n     2     20\n     3     20\n"
                  "  ... and 1 more: --rows 0 shows them all\n"},
                 {{.filters = {"sold < 25"}, .filter_count = 1},
                  "\nShops\n  shop  sold\n     2    20\n     3    20\n     4    10\n"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        struct ws_groups *groups = ws_groups_create(&weighed, NULL, NULL, &cases[i].view, NULL);
        for (size_t j = 0; j < sizeof(sold) / sizeof(sold[0]); ++j)
            sell(groups, APPLE, j, sold[j], 0);
        assert_true(ws_groups_text_all(groups, stream));
        fclose(stream);
        assert_string_equal(text, cases[i].text);
        free(text);
        cJSON *object = json_of(write_all, groups);
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(object, "shops")), i < 3 ? 5 : 3);
        cJSON_Delete(object);
        ws_groups_destroy(groups);
    }
}

/* 500 shops sold one each: a table of them still has rows. */
static void all_small(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct ws_groups *groups = ws_groups_create(&weighed, NULL, NULL, &(struct ws_view){0}, NULL);
    for (size_t i = 0; i < 500; ++i)
        sell(groups, APPLE, i, 1, 0);
    assert_true(ws_groups_text_all(groups, stream));
    fclose(stream);
    assert_non_null(strstr(text, "\n    19     1\n  ... and 480 more: --rows 0 shows them all\n"));
    free(text);
    ws_groups_destroy(groups);
}

static void crossed(void **state)
{
    (void)state;
    check_shown(&(struct ws_view){.by = "shop, fruit", .fields = "shop,fruit,sold,ratio"}, ws_groups_csv,
                "shop,fruit,sold,ratio\n"
                "0,\"pear \"\"big\"\", \\x1b[31mred\",1,0\n"
                "1,apple,10,0\n"
                "1,cherry,40,0.25\n"
                "2,apple,30,0.26666666666666666\n");
    check_shown(&(struct ws_view){.by = "colour"}, ws_groups_text_all,
                "\nBy colour\n"
                "  colour  sold  spoilt\n"
                "  green     40  20.0 %\n"
                "  red       41  24.4 %\n");
    check_shown(&(struct ws_view){.by = "colour", .filters = {"sold > 99"}, .filter_count = 1},
                ws_groups_text_all, "\nBy colour: no row\n");
    check_json(&(struct ws_view){.by = "fruit", .fields = "fruit,loss,both"},
               "{\"rows\":[{\"fruit\":\"apple\",\"loss\":0.2,\"both\":[40,8]},"
               "{\"fruit\":\"cherry\",\"loss\":0.25,\"both\":[40,10]},"
               "{\"fruit\":\"pear \\\"big\\\", \\u001b[31mred\",\"loss\":0,\"both\":[1,0]}]}");
}

static void sorted(void **state)
{
    (void)state;
    check_shown(&(struct ws_view){.by = "fruit,shop", .sort = "-sold,shop", .fields = "shop,sold"},
                ws_groups_csv, "shop,sold\n1,40\n2,30\n1,10\n0,1\n");
    check_shown(&(struct ws_view){.by = "fruit,shop", .sort = "shop -loss", .fields = "shop,sold"},
                ws_groups_csv, "shop,sold\n0,1\n1,40\n1,10\n2,30\n");
    /* A shop without a street comes last, up or down. */
    check_shown(&(struct ws_view){.by = "shop", .sort = "street", .fields = "shop"}, ws_groups_csv,
                "shop\n1\n0\n2\n");
    check_shown(&(struct ws_view){.by = "shop", .sort = "-street", .fields = "shop"}, ws_groups_csv,
                "shop\n0\n1\n2\n");
}

static void check_filter(const char *filter, const char *expected)
{
    check_shown(
        &(struct ws_view){.by = "fruit,shop", .fields = "sold", .filters = {filter}, .filter_count = 1},
        ws_groups_csv, expected);
}

/* Rows by key: apple in 1 (10 sold), apple in 2 (30, 8 spoilt), cherry in 1 (40, 10 spoilt), pear in 0
 * (1). */
static void filtered(void **state)
{
    (void)state;
    check_filter("sold < 30", "sold\n10\n1\n");
    check_filter("sold<=30", "sold\n10\n30\n1\n");
    check_filter("  sold  >  1e1 ", "sold\n30\n40\n");
    check_filter("sold == 40", "sold\n40\n");
    check_filter("sold = 40", "sold\n40\n");
    check_filter("sold != 40", "sold\n10\n30\n1\n");
    check_filter("spoilt >= 8", "sold\n30\n40\n"); /* the count */
    check_filter("spoilt > 25 %", "sold\n30\n");   /* the share: 8 of 30, not 10 of 40 */
    check_filter("loss >= 0.25", "sold\n30\n40\n");
    check_filter("loss >= 25%", "sold\n30\n40\n");
    check_filter("sweet = yes", "sold\n30\n40\n");
    check_filter("sweet != true", "sold\n10\n1\n");
    check_filter("sweet = 0", "sold\n10\n1\n");
    check_filter("fruit = c*", "sold\n40\n");
    check_filter("fruit != [ac]*", "sold\n1\n");
    check_filter("fruit = 'apple'", "sold\n10\n30\n");
    check_filter("fruit = \"pear \"big\", *\"", "sold\n1\n");
    check_filter("fruit = ''", "sold\n");
    check_filter("street = *", "sold\n10\n40\n1\n"); /* what has no value matches nothing */
    check_shown(&(struct ws_view){.filters = {"sold > 20", "shop = 1"}, .filter_count = 2, .fields = "sold"},
                ws_groups_csv, "level,sold\nshops,50\nfruit_shops,40\n");
}

static void check_refused(const struct ws_view *view, const char *expected)
{
    struct ws_error error = {{0}};
    assert_false(ws_view_check(view, &columns, &error));
    assert_string_equal(error.message, expected);
    assert_null(ws_groups_create(&columns, NULL, NULL, view, NULL));
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        const char *expected;
    } filters[] = {
        {"sold", "--filter 'sold' is no comparison, such as 'efficiency < 50 %' or 'stage = raygen'"},
        {"", "--filter '' is no comparison, such as 'efficiency < 50 %' or 'stage = raygen'"},
        {"< 3", "--filter '< 3' is no comparison, such as 'efficiency < 50 %' or 'stage = raygen'"},
        {"sold <", "--filter 'sold <' is no comparison, such as 'efficiency < 50 %' or 'stage = raygen'"},
        {"sold < many", "--filter 'sold < many': 'many' is no number, but sold is one"},
        {"sold < 3x", "--filter 'sold < 3x': '3x' is no number, but sold is one"},
        {"sold < nan", "--filter 'sold < nan': 'nan' is no number, but sold is one"},
        {"sold < 3 %", "--filter 'sold < 3 %': sold is no share: leave out the %"},
        {"fruit < b", "--filter 'fruit < b': fruit is a text, which is compared with = or !="},
        {"s\x1bld = 1",
         "there is no column 's?ld'; there are: colour, fruit, shop, street, sold, spoilt, loss, "
         "ratio, good, largest, both, sweet, tart"},
    };
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); ++i)
        check_refused(&(struct ws_view){.filters = {filters[i].filter}, .filter_count = 1},
                      filters[i].expected);
    check_refused(&(struct ws_view){.by = "shop,price"},
                  "nothing can be grouped by 'price'; there are: colour, fruit, shop");
    check_refused(&(struct ws_view){.by = " , "},
                  "nothing can be grouped by ''; there are: colour, fruit, shop");
    check_refused(&(struct ws_view){.by = "shop", .fields = "shop,fruit"},
                  "'fruit' is of each fruit: add that to --by");
    check_refused(&(struct ws_view){.by = "shop", .sort = "-colour"},
                  "'colour' is of each colour: add that to --by");
    check_refused(
        &(struct ws_view){.sort = "--sold"},
        "there is no column '-sold'; there are: colour, fruit, shop, street, sold, spoilt, loss, ratio, "
        "good, largest, both, sweet, tart");
}

static void every_level_in_csv(void **state)
{
    (void)state;
    check_shown(NULL, ws_groups_csv,
                "level,colour,fruit,shop,street,sold,spoilt,loss,ratio,good,largest,sweet\n"
                "total,,,,,81,18,0.2222222222222222,0.2222222222222222,63,30,true\n"
                "fruits,green,apple,,,40,8,0.2,0.2,32,30,true\n"
                "fruits,red,cherry,,,40,10,0.25,0.25,30,25,true\n"
                "fruits,red,\"pear \"\"big\"\", \\x1b[31mred\",,,1,0,0,0,1,1,\n"
                "shops,,,0,Mill Lane,1,,,,,,\n"
                "shops,,,1,High Street,50,,,,,,\n"
                "shops,,,2,,30,,,,,,\n"
                "fruit_shops,,apple,1,,10,,,,,,\n"
                "fruit_shops,,apple,2,,30,,,,,,\n"
                "fruit_shops,,cherry,1,,40,,,,,,\n"
                "fruit_shops,,\"pear \"\"big\"\", \\x1b[31mred\",0,,1,,,,,,\n");
}

static bool print_shops(const struct ws_groups *groups, FILE *stream)
{
    return ws_groups_csv_table(groups, BY_SHOP, stream);
}

/* One level alone has its own columns. */
static void one_level_in_csv(void **state)
{
    (void)state;
    check_shown(NULL, print_shops, "shop,street,sold\n0,Mill Lane,1\n1,High Street,50\n2,,30\n");
    check_shown(&(struct ws_view){.fields = "colour,sold"}, print_shops, "sold\n1\n50\n30\n");
    check_shown(&(struct ws_view){.fields = "colour"}, print_shops, "");
}

/* The same names and values as CSV, null where that has nothing, and lists besides. */
static void every_level_in_json(void **state)
{
    (void)state;
    check_json(NULL,
               "{\"total\":{\"sold\":81,\"spoilt\":18,\"loss\":0.22222222222222221,"
               "\"ratio\":0.22222222222222221,\"good\":63,\"largest\":30,\"both\":[81,18],\"sweet\":true},"
               "\"fruits\":[{\"colour\":\"green\",\"fruit\":\"apple\",\"sold\":40,\"spoilt\":8,\"loss\":0.2,"
               "\"ratio\":0.2,\"good\":32,\"largest\":30,\"both\":[40,8],\"sweet\":true},"
               "{\"colour\":\"red\",\"fruit\":\"cherry\",\"sold\":40,\"spoilt\":10,\"loss\":0.25,"
               "\"ratio\":0.25,\"good\":30,\"largest\":25,\"both\":[40,10],\"sweet\":true},"
               "{\"colour\":\"red\",\"fruit\":\"pear \\\"big\\\", \\u001b[31mred\",\"sold\":1,\"spoilt\":0,"
               "\"loss\":0,\"ratio\":0,\"good\":1,\"largest\":1,\"both\":[1,0],\"sweet\":null}],"
               "\"shops\":[{\"shop\":0,\"street\":\"Mill Lane\",\"sold\":1},"
               "{\"shop\":1,\"street\":\"High Street\",\"sold\":50},"
               "{\"shop\":2,\"street\":null,\"sold\":30}],"
               "\"fruit_shops\":[{\"shop\":1,\"fruit\":\"apple\",\"sold\":10,\"both\":[10,0]},"
               "{\"shop\":2,\"fruit\":\"apple\",\"sold\":30,\"both\":[30,8]},"
               "{\"shop\":1,\"fruit\":\"cherry\",\"sold\":40,\"both\":[40,10]},"
               "{\"shop\":0,\"fruit\":\"pear \\\"big\\\", \\u001b[31mred\",\"sold\":1,\"both\":[1,0]}]}");
    /* A total that does not pass the filters is null, and a table that lacks the filtered column is not there. */
    check_json(&(struct ws_view){.filters = {"largest > 99"}, .filter_count = 1, .fields = "sold"},
               "{\"total\":null,\"fruits\":[],\"shops\":[],\"fruit_shops\":[]}");
}

/* 100 shops sell 1 apple, then each 2, and so on to 10: 55 in each, 5500 in all. That is more shops than groups remember. One
 * sale that is not gathered, of 20 in shop 7, comes between. */
static void gathered(void **state)
{
    (void)state;
    struct ws_groups *groups = ws_groups_create(&columns, NULL, NULL, NULL, NULL);
    const uint64_t shop_7[DIMENSIONS] = {0, APPLE, 7};
    const uint64_t shop_8[DIMENSIONS] = {0, APPLE, 8};
    for (uint64_t i = 0; i < 1000; ++i) {
        const uint64_t sold = i / 100 + 1;
        const struct sums sums = {sold, i % 100 == 8, sold};
        assert_true(ws_groups_gather(groups, (const uint64_t[]){0, APPLE, i % 100}, &sums));
        if (i == 507)
            sell(groups, APPLE, 7, 20, 0);
    }
    ws_groups_settle(groups);
    ws_groups_settle(groups); /* adds nothing twice */
    const struct sums *all = ws_groups_find(groups, BY_ALL, shop_7);
    const struct sums *seventh = ws_groups_find(groups, BY_FRUIT_SHOP, shop_7);
    const struct sums *eighth = ws_groups_find(groups, BY_FRUIT_SHOP, shop_8);
    assert_int_equal(ws_groups_count(groups, BY_SHOP), 100);
    assert_true(all->sold == 5520 && all->spoilt == 10 && all->largest == 20);
    assert_true(seventh->sold == 75 && seventh->spoilt == 0 && seventh->largest == 20);
    assert_true(eighth->sold == 55 && eighth->spoilt == 10 && eighth->largest == 10);
    ws_groups_destroy(groups);
}

/* Beyond the most rows of a level the sums go into one row: nothing is lost, and memory is bounded. */
static void rows_are_bounded(void **state)
{
    (void)state;
    const struct ws_view view = {.by = "shop"};
    struct ws_groups *groups = ws_groups_create(&columns, NULL, NULL, &view, NULL);
    const struct sums one = {1, 0, 1};
    for (uint64_t i = 0; i < (uint64_t)WS_GROUPS_ROWS_MAX + 5; ++i)
        assert_true(ws_groups_add(groups, (const uint64_t[]){WS_KEY_NONE, WS_KEY_NONE, i}, &one));
    assert_int_equal(ws_groups_count(groups, 0), WS_GROUPS_ROWS_MAX + 1);
    struct ws_row rest;
    char *notes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&notes, &size);
    ws_groups_notes(groups, "fruits", stream);
    fclose(stream);
    assert_non_null(strstr(notes, "  fruits: only the first 4194304 rows by "));
    free(notes);
    ws_groups_row(groups, 0, WS_GROUPS_ROWS_MAX, &rest);
    assert_true(rest.keys[SHOP] == WS_KEY_OTHERS);
    assert_true(((const struct sums *)rest.sums)->sold == 5);
    ws_groups_destroy(groups);
}

static void help(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ws_columns_help(&columns, 80, stream);
    fclose(stream);
    assert_ptr_equal(strstr(text, "  grouped --by colour, fruit, shop\n"), text);
    assert_non_null(strstr(text, "\n  street               where it is\n"));
    assert_non_null(strstr(text, "\n  spoilt               of them\n"));
    assert_null(strstr(text, "both"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declaration_holds),
        cmocka_unit_test(wrong_declarations),
        cmocka_unit_test(first_rows_in_json),
        cmocka_unit_test(sums_by_level),
        cmocka_unit_test(total_of_nothing),
        cmocka_unit_test(tables),
        cmocka_unit_test(folded),
        cmocka_unit_test(all_small),
        cmocka_unit_test(crossed),
        cmocka_unit_test(sorted),
        cmocka_unit_test(filtered),
        cmocka_unit_test(refused),
        cmocka_unit_test(every_level_in_csv),
        cmocka_unit_test(one_level_in_csv),
        cmocka_unit_test(every_level_in_json),
        cmocka_unit_test(gathered),
        cmocka_unit_test(rows_are_bounded),
        cmocka_unit_test(help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
