/* Which files are ours, and so may be replaced. */
#include "analysis/output/file_kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/output/image_file.h"

static char path[] = "/tmp/warpscope-kind-XXXXXX";

static void put(const char *begin, size_t middle, const char *end)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(begin, file);
    for (size_t i = 0; i < middle; ++i)
        fputc(0, file);
    fputs(end, file);
    assert_int_equal(fclose(file), 0);
}

/* The writer stands among the first or the last 4096 bytes, and the beginning is that of one of the patterns. */
static void kinds(void **state)
{
    (void)state;
    static const struct ws_file_kind kind = {"PAR1*\nglTF*", "warpscope version "};
    put("PAR1", 10000, "warpscope version 1");
    assert_true(ws_file_is_of(path, &kind));
    put("glTF warpscope version 1", 10000, "");
    assert_true(ws_file_is_of(path, &kind));
    put("PAR2", 10, "warpscope version 1");
    assert_false(ws_file_is_of(path, &kind));
    put("PAR1", 10000, "another version 1");
    assert_false(ws_file_is_of(path, &kind));
    put("", 0, "");
    assert_false(ws_file_is_of(path, &kind));
    assert_false(ws_file_is_of("/tmp/warpscope-none", &kind));
}

/* The same image, as another program would have written it, is not ours. */
static void images(void **state)
{
    (void)state;
    const uint8_t rgba[4] = {1, 2, 3, 255};
    struct ws_error error = {{0}};
    char bytes[4096];
    if (!ws_image_file_write(path, rgba, 1, 1, &error))
        skip(); /* a build without cairo */
    assert_true(ws_file_is_of(path, &ws_image_file_kind));
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof(bytes), file);
    const char *name = memmem(bytes, size, "Software\0Warpscope", 18);
    assert_non_null(name);
    assert_int_equal(fseek(file, name + 9 - bytes, SEEK_SET), 0);
    fputs("Something", file);
    assert_int_equal(fclose(file), 0);
    assert_false(ws_file_is_of(path, &ws_image_file_kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds), cmocka_unit_test(images)};
    const int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
