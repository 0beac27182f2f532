/* Disassembly: readable names, and what modules may ask for with them. */
#include "passes/spirv/spirv_tools.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include <cmocka.h>

/* uint is %1, the length %2, and each array from %3 on is one of the array before it. To be freed. */
static char *disassemble_arrays(uint32_t count)
{
    const uint32_t head[] = {SpvMagicNumber,
                             0x10000,
                             0,
                             count + 3,
                             0,
                             4u << SpvWordCountShift | SpvOpTypeInt,
                             1,
                             32,
                             0,
                             4u << SpvWordCountShift | SpvOpConstant,
                             1,
                             2,
                             4};
    const size_t head_count = sizeof(head) / sizeof(head[0]);
    const size_t word_count = head_count + 4 * (size_t)count;
    uint32_t *words = malloc(word_count * sizeof(*words));
    assert_non_null(words);
    memcpy(words, head, sizeof(head));
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t array[] = {4u << SpvWordCountShift | SpvOpTypeArray, i + 3, i == 0 ? 1 : i + 2, 2};
        memcpy(words + head_count + 4 * (size_t)i, array, sizeof(array));
    }
    char *text = ws_spirv_disassemble(words, word_count);
    free(words);
    assert_non_null(text);
    return text;
}

static void names(void **state)
{
    (void)state;
    char *text = disassemble_arrays(2);
    assert_non_null(strstr(text, "%_arr_uint_uint_4 = OpTypeArray %uint %uint_4"));
    assert_non_null(strstr(text, "%_arr__arr_uint_uint_4_uint_4 = OpTypeArray"));
    free(text);
}

/* With names, these 80 kB would be some hundred megabytes of text. */
static void too_many_names(void **state)
{
    (void)state;
    char *text = disassemble_arrays(5000);
    assert_null(strstr(text, "_arr"));
    assert_non_null(strstr(text, "%5002 = OpTypeArray %5001 %2"));
    assert_true(strlen(text) < 1000000);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(too_many_names)};
    return cmocka_run_group_tests_name("disassembly", tests, NULL, NULL);
}
