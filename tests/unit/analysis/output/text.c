/* Texts from applications: made valid, kept once, cut where they are too long, printed without harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpscope/base/text.h"
#include "warpscope/output/table.h"

static void repair(void **state)
{
    (void)state;
    char text[] = "a\xc3\xa9\xff\xc3\0\xe2\x82";
    ws_text_repair(text, sizeof(text) - 1);
    assert_string_equal(text, "a\xc3\xa9?????");
}

static void print(void **state)
{
    (void)state;
    static const char text[] = "\x1b[1m\t\xc2\x9b\x7f\xc3\xa9";
    char *printed = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&printed, &size);
    ws_text_print(stream, text);
    fclose(stream);
    assert_string_equal(printed, "\\x1b[1m\t\\x9b\\x7f\xc3\xa9");
    assert_int_equal(ws_text_width(text), 4 + 4 + 4 + 4 + 1);
    free(printed);
}

/* Those that change the direction of writing, or end a line. Their neighbours are printed. */
static void print_directions(void **state)
{
    (void)state;
    static const char *const controls[] = {
        "\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
        "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069",
    };
    static const char *const printed[] = {
        "\\u061c", "\\u200e", "\\u200f", "\\u2028", "\\u2029", "\\u202a", "\\u202b",
        "\\u202c", "\\u202d", "\\u202e", "\\u2066", "\\u2067", "\\u2068", "\\u2069",
    };
    static const char *const others[] = {"\u061b", "\u061d", "\u200d", "\u2010", "\u2027", "\u202f",
                                         "\u2065", "\u206a", "\u266a", "\u00a0", "\u20ac"};
    char out[16];
    for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); ++i) {
        ws_text_escape(out, sizeof(out), controls[i]);
        assert_string_equal(out, printed[i]);
        assert_int_equal(ws_text_control_length(controls[i]), strlen(controls[i]));
        assert_int_equal(ws_text_width(controls[i]), 6);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        ws_text_escape(out, sizeof(out), others[i]);
        assert_string_equal(out, others[i]);
        assert_int_equal(ws_text_width(others[i]), 1);
    }
}

/* Any bytes go in; what comes out is valid and whole, and never longer than the room. */
static void escapes(void **state)
{
    (void)state;
    static const char text[] = "\x1b]0;a\xe2\x80\xae\n\xff\xe2\x80";
    static const char whole[] = "\\x1b]0;a\\u202e\\x0a???";
    char out[64];
    ws_text_escape(out, sizeof(out), text);
    assert_string_equal(out, whole);
    for (size_t size = 1; size <= sizeof(whole); ++size) {
        memset(out, 'z', sizeof(out));
        ws_text_escape(out, size, text);
        assert_true(strlen(out) < size);
        assert_memory_equal(out, whole, strlen(out));
        assert_int_equal(out[size], 'z');
    }
    assert_string_equal(out, whole);
}

static void pool_keeps_once(void **state)
{
    (void)state;
    struct ws_text_pool pool = {.count = 0};
    const char *first = ws_text_pool_add(&pool, "name");
    assert_string_equal(first, "name");
    assert_ptr_equal(ws_text_pool_add(&pool, "name"), first);
    assert_string_equal(ws_text_pool_add(&pool, "nam"), "nam");
    assert_string_equal(ws_text_pool_add(&pool, ""), "");
    ws_text_pool_finish(&pool);
}

/* A long name is kept in part, and shows it; never half a character. */
static void pool_cuts(void **state)
{
    (void)state;
    struct ws_text_pool pool = {.count = 0};
    char *text = malloc(WS_TEXT_KEPT + 2);
    memset(text, 'a', WS_TEXT_KEPT);
    text[WS_TEXT_KEPT] = '\0';
    assert_int_equal(strlen(ws_text_pool_add(&pool, text)), WS_TEXT_KEPT);
    strcpy(text + WS_TEXT_KEPT - 1, "\xc3\xa9");
    const char *cut = ws_text_pool_add(&pool, text);
    assert_int_equal(strlen(cut), WS_TEXT_KEPT - 1 + 3);
    assert_string_equal(cut + WS_TEXT_KEPT - 1, "...");
    ws_text_pool_finish(&pool);
    free(text);
}

/* A table of rows with a number, a name and "end", for a terminal of that width; to be freed. */
static char *print_table(size_t width, const char *const *names, uint32_t count)
{
    static const struct ws_column columns[] = {{"n", true}, {"name", false}, {"last", false}};
    char *text = NULL;
    size_t size = 0;
    struct ws_table table;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    ws_table_init(&table, columns, 3);
    for (uint32_t i = 0; i < count; ++i) {
        ws_table_add(&table, "%u", i);
        ws_table_add(&table, "%s", names[i]);
        ws_table_add(&table, "end");
    }
    ws_table_set_width(width);
    ws_table_print(&table, 2, stream);
    ws_table_set_width(0);
    ws_table_finish(&table);
    fclose(stream);
    return text;
}

static void expect_table(size_t width, const char *const *names, uint32_t count, const char *expected)
{
    char *text = print_table(width, names, count);
    assert_string_equal(text, expected);
    free(text);
}

/* What is too wide is cut to the width, between whole characters: 2 + 1 + 2 + 16 + 2 + 4 = 27, of which the name has
 * 8 characters, the mark and 7. Without a width nothing is cut. */
static void tables(void **state)
{
    static const char *const names[] = {"\xc3\xa4"
                                        "bcdefghijklmnopqrstuvwx\xc3\xb6"};
    (void)state;
    expect_table(27, names, 1,
                 "  n  name              last\n"
                 "  0  \xc3\xa4"
                 "bcdefgh\xe2\x80\xa6stuvwx\xc3\xb6  end\n");
    expect_table(0, names, 1,
                 "  n  name                       last\n"
                 "  0  \xc3\xa4"
                 "bcdefghijklmnopqrstuvwx\xc3\xb6  end\n");
}

/* Bars are made shorter together, and of a list of figures whole entries are left out. */
static void tables_of_figures(void **state)
{
    static const char *const bars[] = {"########################", "############", "#", ""};
    static const char *const lists[] = {"8:61698 7:15232 6:1 5:22 +2", "8:1", "4:12345 3:12345 2:1"};
    (void)state;
    expect_table(27, bars, 4,
                 "  n  name              last\n"
                 "  0  ################  end\n"
                 "  1  ########          end\n"
                 "  2  #                 end\n"
                 "  3                    end\n");
    expect_table(27, lists, 3,
                 "  n  name              last\n"
                 "  0  8:61698 +5        end\n"
                 "  1  8:1               end\n"
                 "  2  4:12345 +2        end\n");
    expect_table(30, lists, 1,
                 "  n  name                 last\n"
                 "  0  8:61698 7:15232 +4   end\n");
}

/* What tells texts apart is never cut: the middle, then the end or the beginning, then the column stays wide. A table
 * that would not fit even so is folded. */
static void tables_stay_clear(void **state)
{
    static const char *const ends[] = {"shader.comp:main<K=1,LONG_NAME=2>",
                                       "shader.comp:main<K=2,LONG_NAME=2>"};
    static const char *const middle[] = {"aaaaaaaaaaaaaaa1bbbbbbbbbbbbbbbbbb",
                                         "aaaaaaaaaaaaaaa2bbbbbbbbbbbbbbbbbb"};
    (void)state;
    /* Of 15 characters the last 14 begin with what differs. */
    expect_table(27, ends, 2,
                 "  n  name              last\n"
                 "  0  s…1,LONG_NAME=2>  end\n"
                 "  1  s…2,LONG_NAME=2>  end\n");
    /* No cut to 16 characters keeps both. Where the rest goes below, the text has 21. */
    expect_table(27, middle, 2,
                 "  n  name\n"
                 "      last\n"
                 "  0  aaaaaaaaaaaaaaa1b…bbb\n"
                 "      end\n"
                 "  1  aaaaaaaaaaaaaaa2b…bbb\n"
                 "      end\n");
}

/* A row that does not fit takes several lines, and so do headings; those of two lines have one. Figures stay whole. */
static void folded(void **state)
{
    static const struct ws_column columns[] = {
        {"name", false}, {"executions", true}, {"early\nreturn", true}, {"source", false}};
    (void)state;
    struct ws_table table;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    ws_table_init(&table, columns, 4);
    ws_table_add(&table, "raygen");
    ws_table_add(&table, "1234567890123");
    ws_table_add(&table, "7");
    ws_table_add(&table, "a.rgen:1");
    /* A further line without any cell is left out. */
    for (int i = 0; i < 4; ++i)
        ws_table_add(&table, "%s", i == 0 ? "miss" : i == 1 ? "5" : "");
    ws_table_set_width(28);
    ws_table_print(&table, 2, stream);
    ws_table_set_width(0);
    ws_table_finish(&table);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, "  name       executions\n"
                              "      early return  source\n"
                              "  raygen  1234567890123\n"
                              "                 7  a.rgen:1\n"
                              "  miss                5\n");
    free(text);
}

/* Headings of two lines stand above one another, and columns are as wide as the wider. */
static void two_lines(void **state)
{
    (void)state;
    static const struct ws_column columns[] = {
        {"name", false}, {"early\nreturn", true}, {"indirect\ncall", true}};
    char *text = NULL;
    size_t size = 0;
    struct ws_table table;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    ws_table_init(&table, columns, 3);
    ws_table_add(&table, "a");
    ws_table_add(&table, "12345678");
    ws_table_add(&table, "9");
    ws_table_print(&table, 2, stream);
    ws_table_finish(&table);
    fclose(stream);
    assert_string_equal(text, "           early  indirect\n"
                              "  name    return      call\n"
                              "  a     12345678         9\n");
    free(text);
}

/* Sizes as people write them: of 1024 with a letter alone, of 1000 with B behind it. */
static void byte_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{"0", 0},
                 {"17", 17},
                 {"40k", 40960},
                 {"40K", 40960},
                 {"40kB", 40000},
                 {"40KB", 40000},
                 {"3m", 3145728},
                 {"3mb", 3000000},
                 {"2G", 2147483648},
                 {"2GB", 2000000000},
                 {"17179869183G", 18446744072635809792u}};
    static const char *const none[] = {"",     "k",    "-1",  "1.5G", "3 M",          "40kBx",
                                       "40kk", "40BB", "40B", "40T",  "17179869184G", "18446744073709551616"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        uint64_t bytes = 1;
        assert_true(ws_bytes_parse(cases[i].text, &bytes));
        assert_true(bytes == cases[i].bytes);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); ++i) {
        uint64_t bytes = 1;
        assert_false(ws_bytes_parse(none[i], &bytes));
        assert_true(bytes == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables),    cmocka_unit_test(tables_stay_clear),
                                       cmocka_unit_test(folded),    cmocka_unit_test(tables_of_figures),
                                       cmocka_unit_test(two_lines), cmocka_unit_test(repair),
                                       cmocka_unit_test(print),     cmocka_unit_test(print_directions),
                                       cmocka_unit_test(escapes),   cmocka_unit_test(pool_keeps_once),
                                       cmocka_unit_test(pool_cuts), cmocka_unit_test(byte_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
