/* Texts of settings: a good one, each error, and those that are built in. */
#include "analysis/memory/cache/cache_shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/memory/cache/hierarchy.h"

#define L1 "l1_size 57K\nl1_line 128\nl1_sector 32\nl1_ways full\nl1_replacement tree_plru\nl1_index modulo\n"
#define L2 "l2_size 6M\nl2_line 32\nl2_sector 32\nl2_ways 16\nl2_replacement lru\nl2_index hash\n"

static void good_text(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    struct ws_cache_shape shape;
    assert_true(ws_cache_shape_parse(
        "# a comment\n\n \t name   Two words # and a comment\r\nmultiprocessors 68\n" L1 L2, "f", &shape,
        &error));
    assert_string_equal(shape.name, "Two words");
    assert_int_equal(shape.tile, 0);
    assert_int_equal(shape.multiprocessors, 68);
    /* 57 x 1024 / 128 = 456 lines, and 128 / 32 = 4 sectors; 6 x 1024 x 1024 / 32 = 196608 lines. */
    assert_int_equal(shape.l1.lines, 456);
    assert_int_equal(shape.l1.line_bytes, 128);
    assert_int_equal(shape.l1.sectors, 4);
    assert_int_equal(shape.l1.ways, 0);
    assert_int_equal(shape.l1.replacement, WS_CACHE_TREE_PLRU);
    assert_int_equal(shape.l1.writes, WS_CACHE_WRITE_THROUGH);
    assert_int_equal(shape.l1.index, WS_CACHE_MODULO);
    assert_int_equal(shape.l2.lines, 196608);
    assert_int_equal(shape.l2.sectors, 1);
    assert_int_equal(shape.l2.ways, 16);
    assert_int_equal(shape.l2.replacement, WS_CACHE_LRU);
    assert_int_equal(shape.l2.writes, WS_CACHE_WRITE_BACK);
    assert_int_equal(shape.l2.index, WS_CACHE_HASH);
    assert_true(ws_cache_shape_parse("name N\nmultiprocessors 2\ntile 16\n" L1 L2, "f", &shape, &error));
    assert_int_equal(shape.tile, 16);
}

/* Begins with the text; what is behind it is not reached, or is missing. */
static void assert_error(const char *text, const char *message)
{
    struct ws_error error = {{0}};
    struct ws_cache_shape shape;
    assert_false(ws_cache_shape_parse(text, "file", &shape, &error));
    if (strncmp(error.message, message, strlen(message)) != 0)
        fail_msg("'%s' is not '%s'", error.message, message);
}

static void errors_name_the_line(void **state)
{
    (void)state;
#define GOOD "name N\nmultiprocessors 2\n"
    assert_error("\nl3_size 4\n",
                 "file:2: there is no key 'l3_size'; there are: name, multiprocessors, l1_size, l1_line");
    assert_error("l1_size\n", "file:1: l1_size has no value; write for example 'l1_size 64K'");
    assert_error("l1_size 4K\n\nl1_size 4K\n",
                 "file:3: l1_size is given a second time; remove one (the first is in line 1)");
    assert_error("l1_size -1", "file:1: l1_size takes bytes, such as 128, 57K or 6M, not '-1'");
    assert_error("l1_size 0", "file:1: l1_size takes bytes");
    assert_error("l1_size 4G", "file:1: l1_size takes bytes");
    assert_error("l1_size K", "file:1: l1_size takes bytes");
    assert_error("l1_size 2048M", "file:1: l1_size takes bytes");
    assert_error("l1_size 99999999999999999999999999", "file:1: l1_size takes bytes");
    assert_error("l1_size 4 K", "file:1: l1_size takes bytes");
    assert_error("l1_ways many", "file:1: l1_ways takes a number, or 'full', not 'many'");
    assert_error("l1_ways 0", "file:1: l1_ways takes a number, or 'full', not '0'");
    assert_error("l2_replacement fifo", "file:1: l2_replacement takes 'lru' or 'tree_plru', not 'fifo'");
    assert_error("l2_index xor", "file:1: l2_index takes 'modulo' or 'hash', not 'xor'");
    assert_error("multiprocessors 0", "file:1: multiprocessors takes a number from 1 to 1024, not '0'");
    assert_error("multiprocessors 1025", "file:1: multiprocessors takes a number from 1 to 1024, not '1025'");
    assert_error("tile 0", "file:1: tile takes a number of pixels from 1 to 4096, not '0'");
    assert_error("tile 4097", "file:1: tile takes a number of pixels from 1 to 4096, not '4097'");
    assert_error("", "file: name is missing; add a line such as 'name Example'");
    assert_error(GOOD L1, "file: l2_size is missing; add a line such as 'l2_size 64K'");
    assert_error("\x1b[2J 4\n", "file:1: there is no key '\\x1b[2J'");
}

static void errors_name_the_cache(void **state)
{
    (void)state;
#define OTHER(size, line, sector, ways)                                                                      \
    GOOD L1 "l2_size " size "\nl2_line " line "\nl2_sector " sector "\nl2_ways " ways                        \
            "\nl2_replacement tree_plru\nl2_index hash\n"
    assert_error(OTHER("100", "64", "32", "1"),
                 "file: l2: its size of 100 bytes is no multiple of its lines of 64");
    assert_error(OTHER("4K", "64", "48", "1"),
                 "file: l2: its lines of 64 bytes are no multiple of its sectors of 48");
    assert_error(OTHER("4K", "64", "128", "1"),
                 "file: l2: its lines of 64 bytes are no multiple of its sectors of 128");
    assert_error(OTHER("960", "96", "96", "1"),
                 "file: l2: a line has a power of two of bytes, 16 to 1024, not 96");
    assert_error(OTHER("4K", "512", "16", "1"), "file: l2: a line has 1, 2, 4, 8 or 16 sectors, not 32");
    assert_error(OTHER("4K", "64", "8", "1"), "file: l2: a sector has at least 16 bytes, not 8");
    assert_error(OTHER("4K", "64", "32", "48"), "file: l2: 64 lines cannot be divided into sets of 48 ways");
    assert_error(OTHER("4M", "64", "32", "full"),
                 "file: l2: tree pseudo-LRU has at most 4096 ways, not 65536");
    assert_error(OTHER("2047M", "16", "16", "16"), "file: l2: it has 1 to 8388608 lines");
    assert_error("name N\nmultiprocessors 1024\n"
                 "l1_size 4M\nl1_line 128\nl1_sector 32\nl1_ways 4\nl1_replacement lru\nl1_index modulo\n" L2,
                 "file: the caches have 33751040 lines together, and at most 8388608 can be simulated");
}

static void long_texts_are_refused(void **state)
{
    (void)state;
    char *text = malloc(WS_CACHE_SHAPE_BYTES + 2);
    memset(text, '\n', WS_CACHE_SHAPE_BYTES + 1);
    text[WS_CACHE_SHAPE_BYTES + 1] = '\0';
    assert_error(text, "file: settings of caches have at most 65536 bytes");
    memset(text, 'x', WS_CACHE_SHAPE_BYTES);
    text[WS_CACHE_SHAPE_BYTES] = '\0';
    assert_error(text, "file:1: there is no key 'xxxx");
    free(text);
}

static void devices_load(void **state)
{
    (void)state;
    size_t count;
    const struct ws_cache_device *devices = ws_cache_device_list(&count);
    assert_true(count >= 5);
    for (size_t i = 0; i < count; ++i) {
        struct ws_error error = {{0}};
        struct ws_cache_shape shape;
        if (!ws_cache_shape_load(devices[i].name, &shape, &error))
            fail_msg("%s", error.message);
        assert_true(strlen(shape.name) < sizeof(shape.name) - 1);
        struct ws_hierarchy *hierarchy = ws_hierarchy_create(&shape, &error);
        assert_non_null(hierarchy);
        ws_hierarchy_destroy(hierarchy);
    }
    struct ws_cache_shape shape;
    assert_true(ws_cache_shape_load("rtx2080ti", &shape, NULL));
    assert_int_equal(shape.l1.lines, 456);
    assert_int_equal(shape.l2.lines / shape.l2.ways, 12288);
}

static void files_load(void **state)
{
    (void)state;
    char path[] = "/tmp/warpscope_caches_XXXXXX";
    struct ws_error error = {{0}};
    struct ws_cache_shape shape;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(write(file, GOOD L1 L2, strlen(GOOD L1 L2)) > 0);
    assert_true(ws_cache_shape_load(path, &shape, &error));
    assert_string_equal(shape.name, "N");
    assert_true(write(file, "\0", 1) == 1);
    assert_false(ws_cache_shape_load(path, &shape, &error));
    assert_non_null(strstr(error.message, "it is no text"));
    close(file);
    unlink(path);
    memset(&error, 0, sizeof(error));
    assert_false(ws_cache_shape_load(path, &shape, &error));
    assert_non_null(strstr(error.message, "no device of this name is built in (a100, "));
    /* What waits for a writer is not opened. */
    memset(&error, 0, sizeof(error));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(ws_cache_shape_load(path, &shape, &error));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_text),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(errors_name_the_cache),
        cmocka_unit_test(long_texts_are_refused),
        cmocka_unit_test(devices_load),
        cmocka_unit_test(files_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
