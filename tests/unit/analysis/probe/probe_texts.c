/* Good probes whose text is unusual: what they are compiled to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "analysis/probe/compile.h"
#include "analysis/probe/glslang.h"
#include "warpscope/probe.h"

/* The probe of a text; the test fails where it is not good. */
static struct ws_probe *compile(const char *text, bool is_one_line)
{
    const struct ws_probe_source source = {
        .label = "P", .name = "p", .text = text, .is_one_line = is_one_line};
    struct ws_complaints complaints = {0};
    struct ws_error error = {{0}};
    size_t word_count = 0;
    uint32_t *words = ws_probe_compile(&source, &word_count, &complaints);
    if (words == NULL) {
        ws_complaints_print(&complaints, &source, stderr);
        fail_msg("not good:\n%s", text);
    }
    assert_int_equal(complaints.count, 0);
    ws_complaints_finish(&complaints);
    struct ws_probe *probe = ws_probe_read(words, word_count, &error);
    assert_non_null(probe);
    free(words);
    return probe;
}

static int compare(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* How many different names that begin so a unit has. */
static size_t count_names(const struct ws_probe_unit *unit, const char *begin)
{
    const char *names[16];
    size_t count = 0;
    size_t different = 0;
    for (uint32_t at = 5; at < unit->word_count; at += unit->words[at] >> SpvWordCountShift)
        if ((unit->words[at] & SpvOpCodeMask) == SpvOpName &&
            strncmp((const char *)(unit->words + at + 2), begin, strlen(begin)) == 0 && count < 16)
            names[count++] = (const char *)(unit->words + at + 2);
    qsort(names, count, sizeof(names[0]), compare);
    for (size_t i = 0; i < count; i++)
        different += i == 0 || strcmp(names[i - 1], names[i]) != 0;
    return different;
}

/* The linker takes variables of one name for one. */
static void long_names_stay_apart(void **state)
{
    (void)state;
    char letters[201];
    char text[2000];
    memset(letters, 'a', sizeof(letters));
    letters[200] = '\0';
    snprintf(text, sizeof(text),
             "//! output s: sum uint\nuint %s1;\nuint %s2;\nfloat %s3;\n//! entry begin\n"
             "void b() { %s1 = 1u; %s2 = 2u; %s3 = 3.0; }\n//! entry end\n"
             "void e() { add(s, %s1 + %s2 + uint(%s3)); }\n",
             letters, letters, letters, letters, letters, letters, letters, letters, letters);
    if (!ws_glslang_is_built())
        skip();
    struct ws_probe *probe = compile(text, false);
    for (int i = 0; i < WS_PROBE_UNIT_COUNT; i++)
        assert_int_equal(count_names(&probe->units[i], "aaaa"), 3);
    ws_probe_destroy(probe);
}

/* What differs from other texts in nothing that a probe is. */
static void unusual_texts_are_good(void **state)
{
    static const char *const texts[] = {
        /* Limits that are one and the same 32-bit float. */
        "//! output h: histogram linear 16777216 16777217 1 uint\n//! after OpIMul\n"
        "void f(uint result) { value(h, result); }\n",
        /* Of one bin no scale decides. */
        "//! output h: histogram linear -3e38 3e38 1\n//! after OpFMul\n"
        "void f(float result) { value(h, result); }\n",
        /* Macros of any names. */
        "#define first 1\n#define at 2\n#define line 3\n#define number 4\n#define a0 5\n#define at_shader 6\n"
        "//! loop begin\nvoid f() { count(); }\n//! after OpFMul\nvoid g(float result) { count(); }\n",
        "#define TWICE(x) \\\n    ((x) + \\\r\n     (x)) // a comment\n"
        "//! output s: sum float\n//! after OpFMul\nvoid f(float result) { add(s, TWICE(result)); }\n",
        "#if 1\n//! after OpFMul\nvoid f() { count(); }\n#endif\n// C:\\path\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && ws_glslang_is_built(); i++)
        ws_probe_destroy(compile(texts[i], false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_names_stay_apart),
        cmocka_unit_test(unusual_texts_are_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
