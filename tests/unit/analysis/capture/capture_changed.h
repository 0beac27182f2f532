/* What tests of the reader share: the sample in memory, with chunks that were changed, and files of one
 * chunk. */
#ifndef WS_TESTS_UNIT_ANALYSIS_CAPTURE_CAPTURE_CHANGED_H
#define WS_TESTS_UNIT_ANALYSIS_CAPTURE_CAPTURE_CHANGED_H

#include "tests/unit/analysis/capture/capture_test.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "tests/unit/analysis/capture/capture_sample.h"

enum { CHUNKS = 14 + GEOMETRY_SAMPLE_CHUNKS + BOUND_SAMPLE_CHUNKS }; /* of the sample */

/* The sample in memory. */
struct sample {
    uint8_t *data;
    size_t size;
};

/* Fixes the checksum of the chunk at `at` after it was changed. */
static inline void seal(uint8_t *data, size_t at)
{
    uint64_t stored;
    memcpy(&stored, data + at + 8, 8);
    uint64_t checksum =
        XXH3_64bits_withSeed(data + at + WS_CHUNK_HEADER_SIZE, stored, XXH3_64bits(data + at, 24));
    memcpy(data + at + 24, &checksum, 8);
}

/* The sample with its compressed chunks stored, so that tests can change what is in them. */
static inline void store_chunks(struct sample *sample)
{
    enum { LARGEST = 1 << 16 };
    uint8_t *data = malloc(LARGEST);
    assert_non_null(data);
    memcpy(data, sample->data, WS_CAPTURE_HEADER_SIZE);
    size_t size = WS_CAPTURE_HEADER_SIZE;
    for (size_t at = WS_CAPTURE_HEADER_SIZE; at < sample->size;) {
        uint64_t sizes[2];
        const uint8_t *payload = sample->data + at + WS_CHUNK_HEADER_SIZE;
        uint8_t *chunk = data + size;
        memcpy(sizes, sample->data + at + 8, sizeof(sizes));
        assert_true(sizes[1] <= LARGEST - size - WS_CHUNK_HEADER_SIZE);
        memcpy(chunk, sample->data + at, WS_CHUNK_HEADER_SIZE);
        if (chunk[4] == WS_CHUNK_ZSTD)
            assert_true(ZSTD_decompress(chunk + WS_CHUNK_HEADER_SIZE, sizes[1], payload, sizes[0]) ==
                        sizes[1]);
        else
            memcpy(chunk + WS_CHUNK_HEADER_SIZE, payload, sizes[1]);
        chunk[4] = 0;
        memcpy(chunk + 8, &sizes[1], sizeof(sizes[1]));
        seal(data, size);
        at += WS_CHUNK_HEADER_SIZE + sizes[0];
        size += WS_CHUNK_HEADER_SIZE + sizes[1];
    }
    free(sample->data);
    sample->data = data;
    sample->size = size;
}

static inline int load_sample(void **state)
{
    static struct sample sample;
    char path[64];
    struct ws_error error = {{0}};
    temporary_path(path);
    assert_true(write_sample(path, &error));
    sample.data = load_file(path, &sample.size);
    unlink(path);
    store_chunks(&sample);
    *state = &sample;
    return 0;
}

static inline int free_sample(void **state)
{
    free(((struct sample *)*state)->data);
    return 0;
}

/* Reads all there is; how it ended, with `count` chunks and the summary. WS_READ_ERROR also when the
 * reader could not be made. */
static inline enum ws_read_result read_all(const uint8_t *data, size_t size, int *count,
                                           struct ws_reader_summary *summary, struct ws_error *error)
{
    struct bytes bytes = {data, size, 0};
    *count = 0;
    *summary = (struct ws_reader_summary){0};
    error->message[0] = '\0';
    struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "file", error);
    if (reader == NULL)
        return WS_READ_ERROR;
    struct ws_chunk chunk;
    enum ws_read_result result = ws_reader_next(reader, &chunk, error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, error))
        ++*count;
    *summary = *ws_reader_summary(reader);
    ws_reader_destroy(reader);
    return result;
}

/* Byte at which each chunk of the sample begins, and at [count] where the file ends. */
static inline int chunk_starts(const struct sample *sample, size_t starts[CHUNKS + 1])
{
    int count = 0;
    size_t at = WS_CAPTURE_HEADER_SIZE;
    while (at < sample->size) {
        uint64_t stored;
        starts[count++] = at;
        memcpy(&stored, sample->data + at + 8, 8);
        at += WS_CHUNK_HEADER_SIZE + stored;
    }
    starts[count] = at;
    return count;
}

/* A file of one chunk. Freed by the caller. */
static inline uint8_t *one_chunk(uint32_t type, const void *payload, size_t size, size_t *file_size)
{
    *file_size = WS_CAPTURE_HEADER_SIZE + WS_CHUNK_HEADER_SIZE + size;
    uint8_t *data = calloc(1, *file_size);
    assert_non_null(data);
    const uint64_t sizes[2] = {size, size};
    memcpy(data, WS_CAPTURE_MAGIC, 8);
    data[8] = WS_CAPTURE_VERSION;
    uint8_t *chunk = data + WS_CAPTURE_HEADER_SIZE;
    memcpy(chunk, &type, 4);
    memcpy(chunk + 8, sizes, 16);
    memcpy(chunk + WS_CHUNK_HEADER_SIZE, payload, size);
    seal(data, WS_CAPTURE_HEADER_SIZE);
    return data;
}

/* Reads a file of one chunk, which must be refused with `reason` in the message. */
static inline void refuse(uint32_t type, const void *payload, size_t size, const char *reason)
{
    size_t file_size = 0;
    int count = 0;
    struct ws_reader_summary summary;
    struct ws_error error;
    uint8_t *data = one_chunk(type, payload, size, &file_size);
    assert_int_equal(read_all(data, file_size, &count, &summary, &error), WS_READ_ERROR);
    assert_int_equal(count, 0);
    assert_non_null(strstr(error.message, "file: chunk 0 at byte 16: "));
    if (strstr(error.message, reason) == NULL)
        fail_msg("'%s' does not say '%s'", error.message, reason);
    free(data);
}

/* The sample with one word of one chunk's raw payload changed. Freed by the caller. */
static inline uint8_t *change_word(const struct sample *sample, int number, size_t word, uint32_t value)
{
    size_t starts[CHUNKS + 1];
    chunk_starts(sample, starts);
    uint8_t *data = malloc(sample->size);
    assert_non_null(data);
    memcpy(data, sample->data, sample->size);
    uint32_t flags;
    memcpy(&flags, data + starts[number] + 4, 4);
    assert_int_equal(flags, 0);
    memcpy(data + starts[number] + WS_CHUNK_HEADER_SIZE + 4 * word, &value, 4);
    seal(data, starts[number]);
    return data;
}

/* The same is refused for `reason`. */
static inline void contradict(const struct sample *sample, int number, size_t word, uint32_t value,
                              const char *reason)
{
    int count = 0;
    struct ws_reader_summary summary;
    struct ws_error error;
    uint8_t *data = change_word(sample, number, word, value);
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_ERROR);
    assert_int_equal(count, number);
    if (strstr(error.message, reason) == NULL)
        fail_msg("'%s' does not say '%s'", error.message, reason);
    free(data);
}

#endif
