/* What tells rows of accesses apart that are alike in all else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/memory/rows.h"
#include "warpscope/model/catalog.h"

/* Line 7 loads x, y and z of a position and stores one, and loads a normal; line 8 loads a word of 4 bytes and one of 8. The
 * last two have no line. */
static const struct ws_memory_place_info places[] = {{"a.comp", 7, 4, 0, "Positions"},
                                                     {"a.comp", 7, 4, 0, "Positions"},
                                                     {"a.comp", 7, 4, 1, "Positions"},
                                                     {"a.comp", 7, 4, 0, "Normals"},
                                                     {"a.comp", 7, 4, 0, "Positions"},
                                                     {"a.comp", 8, 4, 0, "Positions"},
                                                     {"a.comp", 8, 8, 0, "Positions"},
                                                     {NULL, 0, 4, 0, NULL},
                                                     {NULL, 0, 4, 0, NULL}};

static struct ws_memory_place_info describe(const struct ws_memory_rows *rows, uint32_t module,
                                            uint32_t place)
{
    (void)rows;
    assert_int_equal(module, 3);
    return places[place];
}

static uint32_t count(const struct ws_memory_rows *rows, uint32_t module)
{
    (void)rows;
    assert_int_equal(module, 3);
    return sizeof(places) / sizeof(places[0]);
}

static void which(void **state)
{
    (void)state;
    static const char *const expected[] = {"1 of 3", "2 of 3", "", "", "3 of 3", "", "", "1 of 2", "2 of 2"};
    struct ws_shader_record shaders[] = {{.module = 0}, {.module = 3}};
    const struct ws_catalog catalog = {.shaders = shaders, .shader_count = 2};
    struct ws_memory_rows rows = {.catalog = &catalog, .describe = describe, .count = count};
    const struct ws_field *field = ws_memory_place_fields;
    while (strcmp(field->name, "which") != 0)
        field++;
    for (int counts = 1; counts >= 0; --counts) {
        rows.count = counts ? count : NULL;
        for (uint32_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
            const struct ws_row row = {.catalog = &catalog, .user = &rows, .key = ws_key_in_shader(1, i)};
            struct ws_value value;
            memset(&value, 0, sizeof(value));
            field->value(&row, &value);
            assert_string_equal(value.kind == WS_VALUE_TEXT ? value.text : "", counts ? expected[i] : "");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(which)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
