/* The reader against files that are cut, damaged, wrong or lie. */
#include "capture_test.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "capture_sample.h"

enum { CHUNKS = 12 }; /* of the sample */

/* The sample in memory. */
struct sample {
    uint8_t *data;
    size_t size;
};

static void seal(uint8_t *data, size_t at);

/* The sample with its compressed chunks stored, so that tests can change what is in them. */
static void store_chunks(struct sample *sample)
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

static int load_sample(void **state)
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

static int free_sample(void **state)
{
    free(((struct sample *)*state)->data);
    return 0;
}

/* Reads all there is; how it ended, with `count` chunks and the summary. WS_READ_ERROR also when the
 * reader could not be made. */
static enum ws_read_result read_all(const uint8_t *data, size_t size, int *count,
                                    struct ws_reader_summary *summary, struct ws_error *error)
{
    struct bytes bytes = {data, size, 0};
    *count = 0;
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
static int chunk_starts(const struct sample *sample, size_t starts[32])
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

static void cut_at_every_byte(void **state)
{
    const struct sample *sample = *state;
    size_t starts[32];
    int chunks = chunk_starts(sample, starts);
    assert_int_equal(chunks, CHUNKS);
    for (size_t size = 0; size <= sample->size; ++size) {
        int count = 0;
        struct ws_reader_summary summary;
        struct ws_error error;
        /* A copy of just this size, so that a sanitizer sees every step beyond it. */
        uint8_t *data = malloc(size + 1);
        assert_non_null(data);
        memcpy(data, sample->data, size);
        enum ws_read_result result = read_all(data, size, &count, &summary, &error);
        free(data);
        if (size < WS_CAPTURE_HEADER_SIZE) {
            assert_int_equal(result, WS_READ_ERROR);
            assert_non_null(strstr(error.message, "is not a capture"));
            continue;
        }
        int whole = 0;
        while (whole < chunks && starts[whole + 1] <= size)
            whole++;
        assert_int_equal(result, WS_READ_END);
        assert_int_equal(count, whole);
        assert_int_equal(summary.broken, size != starts[whole]);
        assert_int_equal(summary.closed, whole == chunks);
        assert_true(summary.bytes == starts[whole]);
    }
}

/* Whatever bit is wrong, the reader ends, and a wrong payload is never handed out as good. */
static void every_bit_flipped(void **state)
{
    const struct sample *sample = *state;
    uint8_t *data = malloc(sample->size);
    assert_non_null(data);
    memcpy(data, sample->data, sample->size);
    for (size_t bit = WS_CAPTURE_HEADER_SIZE * 8; bit < sample->size * 8; ++bit) {
        int count = 0;
        struct ws_reader_summary summary;
        struct ws_error error;
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        enum ws_read_result result = read_all(data, sample->size, &count, &summary, &error);
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(result, WS_READ_END);
        assert_true(count < CHUNKS);
        assert_true(summary.damaged > 0 || summary.broken);
    }
    free(data);
}

static void damaged_chunk_is_skipped(void **state)
{
    const struct sample *sample = *state;
    size_t starts[32];
    chunk_starts(sample, starts);
    int count = 0;
    struct ws_reader_summary summary;
    struct ws_error error;
    uint8_t *data = malloc(sample->size);
    assert_non_null(data);
    /* The message: nothing depends on it. */
    memcpy(data, sample->data, sample->size);
    data[starts[8] + WS_CHUNK_HEADER_SIZE] ^= 1;
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_END);
    assert_int_equal(count, CHUNKS - 1);
    assert_true(summary.damaged == 1 && summary.orphaned == 0 && summary.closed);
    /* The shader: the pipeline, its name and the submission and its records depend on it. */
    memcpy(data, sample->data, sample->size);
    data[starts[4] + WS_CHUNK_HEADER_SIZE] ^= 1;
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_END);
    assert_int_equal(count, 7);
    assert_true(summary.damaged == 1 && summary.orphaned == 4);
    free(data);
}

/* Fixes the checksum of the chunk at `at` after it was changed. */
static void seal(uint8_t *data, size_t at)
{
    uint64_t stored;
    memcpy(&stored, data + at + 8, 8);
    uint64_t checksum =
        XXH3_64bits_withSeed(data + at + WS_CHUNK_HEADER_SIZE, stored, XXH3_64bits(data + at, 24));
    memcpy(data + at + 24, &checksum, 8);
}

/* A file of one chunk. Freed by the caller. */
static uint8_t *one_chunk(uint32_t type, const void *payload, size_t size, size_t *file_size)
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
static void refuse(uint32_t type, const void *payload, size_t size, const char *reason)
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

static void lies_are_refused(void **state)
{
    (void)state;
    const uint32_t huge_text[] = {1, 0xffffffff, 0};
    refuse(WS_CHUNK_MESSAGE, huge_text, sizeof(huge_text), "ends too early");
    const uint32_t short_message[] = {1};
    refuse(WS_CHUNK_MESSAGE, short_message, sizeof(short_message), "ends too early");
    const uint32_t huge_count[] = {0, 0, 0, 0x40000000};
    refuse(WS_CHUNK_INFO, huge_count, sizeof(huge_count), "a count is larger");
    const uint32_t huge_module[] = {0, 0, 0, 0, 0x20000000, 0};
    refuse(WS_CHUNK_MODULE, huge_module, sizeof(huge_module), "a count is larger");
    const uint32_t no_module[] = {9, 0, 0, 0, 0};
    refuse(WS_CHUNK_SITES, no_module, sizeof(no_module), "refers to module 9, which is not defined");
    const uint32_t no_device[] = {0, 5, 0, 0, 0};
    refuse(WS_CHUNK_PIPELINE, no_device, sizeof(no_device), "refers to device 5, which is not defined");
    const uint32_t no_pipeline[] = {1, 6, 0};
    refuse(WS_CHUNK_NAME, no_pipeline, sizeof(no_pipeline), "refers to pipeline 6, which is not defined");
    uint32_t submission[9 + 12 + 4] = {[8] = 1, [8 + 12] = 1};
    submission[21 + 3] = 1000; /* bins */
    refuse(WS_CHUNK_SUBMISSION, submission, sizeof(submission), "bins");
    submission[21 + 3] = 8;
    submission[21 + 2] = 0xffffffff; /* rows */
    refuse(WS_CHUNK_SUBMISSION, submission, sizeof(submission), "fewer counter rows");
    uint32_t records[16 + 4] = {[6] = 8};
    refuse(WS_CHUNK_RECORDS, records, 15 * 4 - 1, "ends too early");
    refuse(WS_CHUNK_RECORDS, records, sizeof(records), "refers to device 0, which is not defined");
    records[13] = 4; /* slots */
    refuse(WS_CHUNK_RECORDS, records, sizeof(records), "a count is larger");
    records[13] = 0;
    records[14] = 6; /* words */
    refuse(WS_CHUNK_RECORDS, records, sizeof(records), "a count is larger");
}

/* The sample with one word of one chunk's raw payload changed is refused for `reason`. */
static void contradict(const struct sample *sample, int number, size_t word, uint32_t value,
                       const char *reason)
{
    size_t starts[32];
    chunk_starts(sample, starts);
    int count = 0;
    struct ws_reader_summary summary;
    struct ws_error error;
    uint8_t *data = malloc(sample->size);
    assert_non_null(data);
    memcpy(data, sample->data, sample->size);
    uint32_t flags;
    memcpy(&flags, data + starts[number] + 4, 4);
    assert_int_equal(flags, 0);
    memcpy(data + starts[number] + WS_CHUNK_HEADER_SIZE + 4 * word, &value, 4);
    seal(data, starts[number]);
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_ERROR);
    assert_int_equal(count, number);
    if (strstr(error.message, reason) == NULL)
        fail_msg("'%s' does not say '%s'", error.message, reason);
    free(data);
}

static void contradictions_are_refused(void **state)
{
    const struct sample *sample = *state;
    contradict(sample, 4, 1, 1, "refers to module 1");       /* shader's module */
    contradict(sample, 4, 2, 1, "entry point is not in");    /* shader's entry */
    contradict(sample, 5, 1, 3, "refers to device 3");       /* pipeline's device */
    contradict(sample, 5, 4, 3, "refers to shader 3");       /* pipeline's shader */
    contradict(sample, 5, 0, WS_NONE, "id that means none"); /* pipeline's id */
    /* The words of SITE's sites begin at 25: one entry point called main with 2 functions, 2 blocks. */
    const size_t site = 25;
    contradict(sample, 3, site + 5 * 0 + 4, 3, "a row beyond those of the module");
    contradict(sample, 3, site + 5 * 3 + 4, 4, "or stands after it");
    contradict(sample, 3, site + 5 * 4 + 4, 1, "a site that has no records");
    contradict(sample, 3, site + 5 * 6 + 4, WS_NONE - 1, "or stands after it");
    contradict(sample, 3, site + 5 * 7 + 4, 6, "the number of a site that has another");
    contradict(sample, 3, site + 5 * 8 + 4, 256, "more words per lane");
    contradict(sample, 10, 4, 1, "refers to device 1");
    contradict(sample, 10, 6, 3, "a number of lanes that no device has");
    contradict(sample, 10, 6, 129, "a number of lanes that no device has");
    contradict(sample, 10, 8, 1, "before the invocation's first word");
    contradict(sample, 10, 7, 0xf0000000 - 31, "beyond what a stream can hold");
    contradict(sample, 10, 14, 65536, "a slot beyond");
    contradict(sample, 10, 15, 2, "refers to shader 2");
}

static void wrong_files_are_named(void **state)
{
    const struct sample *sample = *state;
    int count = 0;
    struct ws_reader_summary summary;
    struct ws_error error;
    uint8_t *data = malloc(sample->size);
    assert_non_null(data);
    memcpy(data, sample->data, sample->size);
    data[8] = 2;
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_ERROR);
    assert_non_null(strstr(error.message, "format 2"));
    assert_non_null(strstr(error.message, "use the Warpscope that recorded it"));
    data[8] = 0;
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_ERROR);
    data[0] = 'X';
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_ERROR);
    assert_non_null(strstr(error.message, "is not a capture"));
    free(data);
    error.message[0] = '\0';
    assert_null(ws_reader_open("/nowhere.wscope", &error));
    assert_non_null(strstr(error.message, "/nowhere.wscope"));
    error.message[0] = '\0';
    assert_null(ws_reader_open("/tmp", &error));
    assert_non_null(strstr(error.message, "is a directory"));
    ws_reader_destroy(NULL);
}

static void texts_are_made_valid(void **state)
{
    (void)state;
    static const uint8_t payload[] = {0, 0,    0,    0,    9,    0,    0,    0,   'a',
                                      0, 0xff, 0xc3, 0xa4, 0xe2, 0x82, 0xed, 0xa0};
    size_t file_size = 0;
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    uint8_t *data = one_chunk(WS_CHUNK_MESSAGE, payload, sizeof(payload), &file_size);
    struct bytes bytes = {data, file_size, 0};
    struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "file", &error);
    assert_non_null(reader);
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
    assert_string_equal(chunk.message.text, "a??\xc3\xa4????");
    ws_reader_destroy(reader);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_at_every_byte),          cmocka_unit_test(every_bit_flipped),
        cmocka_unit_test(damaged_chunk_is_skipped),   cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(contradictions_are_refused), cmocka_unit_test(wrong_files_are_named),
        cmocka_unit_test(texts_are_made_valid),
    };
    return cmocka_run_group_tests(tests, load_sample, free_sample);
}
