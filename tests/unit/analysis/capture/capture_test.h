/* What the tests of captures share: cmocka, captures in memory and in temporary files. */
#ifndef WS_TESTS_UNIT_ANALYSIS_CAPTURE_CAPTURE_TEST_H
#define WS_TESTS_UNIT_ANALYSIS_CAPTURE_CAPTURE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "warpscope/reader.h"

/* A file in memory, for ws_reader_create. */
struct bytes {
    const uint8_t *data;
    size_t size;
    size_t at;
};

static inline size_t read_bytes(void *user, void *data, size_t size)
{
    struct bytes *bytes = user;
    size_t left = bytes->size - bytes->at;
    size_t step = size < left ? size : left;
    if (step > 0)
        memcpy(data, bytes->data + bytes->at, step);
    bytes->at += step;
    return step;
}

/* An empty temporary file; the caller unlinks it. */
static inline void temporary_path(char path[64])
{
    strcpy(path, "/tmp/warpscope-test-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

/* The whole file; the caller frees it. */
static inline uint8_t *load_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    data[*size] = '\0';
    fclose(file);
    return data;
}

#endif
