/* Bytes in the capture, each sequence once. */
#include "layer/core/blob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/layer/mock/builds.h"
#include "tests/unit/layer/mock/objects.h"
#include "warpscope/instrument.h"

static int setup(void **state)
{
    (void)state;
    mock_init(1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mock_finish();
    return 0;
}

static uint32_t put(const void *bytes, uint64_t size)
{
    return ws_blob_put(mock_layer_device.capture, bytes, size);
}

static void test_each_once(void **state)
{
    (void)state;
    assert_int_equal(put("abc", 0), WS_NONE);
    assert_int_equal(put("abc", 3), 0);
    assert_int_equal(put("abd", 3), 1);
    assert_int_equal(put("abc", 2), 2);
    assert_int_equal(put("abc", 3), 0);
    assert_int_equal(mock_builds.pieces, 3);
    mock_assert_blob(0, "abc", 3);
    mock_assert_blob(1, "abd", 3);
    mock_assert_blob(2, "ab", 2);
}

/* 32 MiB and a byte. */
static void test_pieces(void **state)
{
    const uint64_t size = ((uint64_t)32 << 20) + 1;
    (void)state;
    uint8_t *bytes = calloc(1, size);
    assert_non_null(bytes);
    bytes[0] = 1;
    bytes[size - 1] = 2;
    assert_int_equal(put(bytes, size), 0);
    assert_int_equal(put(bytes, size), 0);
    assert_int_equal(mock_builds.pieces, 2);
    mock_assert_blob(0, bytes, size);
    free(bytes);
}

static void test_no_memory(void **state)
{
    (void)state;
    mock.host_made = 0;
    mock.host_fails_at = 1;
    assert_int_equal(put("abc", 3), WS_NONE);
    mock.host_fails_at = 0;
    assert_int_equal(mock_builds.pieces, 0);
    assert_int_equal(put("abc", 3), 0);
    mock_assert_blob(0, "abc", 3);
}

/* What is not in the file is not referred to. */
static void test_not_written(void **state)
{
    (void)state;
    mock.write_fails = true;
    assert_int_equal(put("abc", 3), WS_NONE);
    assert_int_equal(put("abc", 3), WS_NONE);
    mock.write_fails = false;
    const uint32_t id = put("abc", 3);
    assert_int_not_equal(id, WS_NONE);
    mock_assert_blob(id, "abc", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_written, setup, teardown),
    };
    return cmocka_run_group_tests_name("layer blob", tests, NULL, NULL);
}
