/* The reader against files that are cut, damaged, wrong or lie. */
#include "tests/unit/analysis/capture/capture_changed.h"

static void cut_at_every_byte(void **state)
{
    const struct sample *sample = *state;
    size_t starts[CHUNKS + 1];
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
    size_t starts[CHUNKS + 1];
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
    /* The shader: the pipeline, its name and groups, the submission, its records, what it had
     * bound, and its yields depend on it. */
    memcpy(data, sample->data, sample->size);
    data[starts[4] + WS_CHUNK_HEADER_SIZE] ^= 1;
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_END);
    assert_int_equal(count, CHUNKS - 8);
    assert_true(summary.damaged == 1 && summary.orphaned == 7);
    free(data);
}

/* All chunks but RECS come, in their order, and a damaged RECS is damaged all the same. */
static void records_are_left_out(void **state)
{
    const struct sample *sample = *state;
    size_t starts[CHUNKS + 1];
    chunk_starts(sample, starts);
    uint8_t *data = malloc(sample->size);
    assert_non_null(data);
    memcpy(data, sample->data, sample->size);
    for (uint64_t damaged = 0; damaged < 2; ++damaged) {
        struct ws_error error = {{0}};
        struct ws_chunk chunk = {0};
        struct bytes bytes = {data, sample->size, 0};
        struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "file", &error);
        uint64_t records = CHUNKS;
        uint64_t count = 0;
        assert_non_null(reader);
        ws_reader_leave_out_records(reader);
        for (; ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK; ++count) {
            assert_true(chunk.type != WS_CHUNK_RECORDS);
            if (chunk.number != count && records == CHUNKS)
                records = count; /* the number of the one that was left out */
            assert_true(chunk.number == count + (records < CHUNKS));
        }
        assert_true(count == CHUNKS - 1 && records < CHUNKS);
        assert_true(ws_reader_summary(reader)->chunks == CHUNKS &&
                    ws_reader_summary(reader)->damaged == damaged);
        assert_true(ws_reader_summary(reader)->orphaned == 0 && ws_reader_summary(reader)->closed);
        ws_reader_destroy(reader);
        data[starts[records] + WS_CHUNK_HEADER_SIZE] ^= 1;
    }
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
    const uint32_t no_module[] = {9, 0, 0, 0, 0, 0};
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
    submission[21 + 2] = 0;
    /* Weights: so many words, then weight and group of each struct of counters. */
    static const uint32_t weights[][4] = {{1, 4}, {2, 0, 0}, {2, 65537, 0}, {2, 4, 8}, {0}};
    for (uint32_t i = 0; weights[i][0] != 0; ++i) {
        uint32_t sampled[sizeof(submission) / 4 + 4];
        memcpy(sampled, submission, sizeof(submission));
        memcpy(sampled + sizeof(submission) / 4, weights[i], sizeof(weights[i]));
        refuse(WS_CHUNK_SUBMISSION, sampled, sizeof(submission) + 4 * (1 + (size_t)weights[i][0]), "weight");
    }
    uint32_t more[sizeof(submission) / 4 + 5] = {0};
    memcpy(more, submission, sizeof(submission));
    more[sizeof(submission) / 4] = 4;
    more[sizeof(submission) / 4 + 1] = more[sizeof(submission) / 4 + 3] = 1;
    refuse(WS_CHUNK_SUBMISSION, more, sizeof(more), "more weights than counters");
    uint32_t records[16 + 4] = {[6] = 8};
    refuse(WS_CHUNK_RECORDS, records, 15 * 4 - 1, "ends too early");
    refuse(WS_CHUNK_RECORDS, records, sizeof(records), "refers to device 0, which is not defined");
    records[13] = 4; /* slots */
    refuse(WS_CHUNK_RECORDS, records, sizeof(records), "a count is larger");
    records[13] = 0;
    records[14] = 6; /* words */
    refuse(WS_CHUNK_RECORDS, records, sizeof(records), "a count is larger");
}

static void contradictions_are_refused(void **state)
{
    const struct sample *sample = *state;
    contradict(sample, 4, 1, 1, "refers to module 1");       /* shader's module */
    contradict(sample, 4, 2, 1, "entry point is not in");    /* shader's entry */
    contradict(sample, 5, 1, 3, "refers to device 3");       /* pipeline's device */
    contradict(sample, 5, 4, 3, "refers to shader 3");       /* pipeline's shader */
    contradict(sample, 5, 0, WS_NONE, "id that means none"); /* pipeline's id */
    /* The words of SITE's sites begin at 39: three passes of 15, 15 and 10 letters, one entry point called main with 2
     * functions, 2 blocks. */
    const size_t site = 39;
    contradict(sample, 3, site + 6 * 1, 3, "belongs to a pass that is not listed");
    contradict(sample, 3, site + 6 * 0 + 5, 3, "a row beyond those of the module");
    contradict(sample, 3, site + 6 * 3 + 5, 4, "or stands after it");
    contradict(sample, 3, site + 6 * 4 + 5, 1, "a site that has no records");
    contradict(sample, 3, site + 6 * 6 + 5, WS_NONE - 1, "or stands after it");
    contradict(sample, 3, site + 6 * 7 + 5, 6, "the number of a site that has another");
    contradict(sample, 3, site + 6 * 8 + 5, 256, "more words per lane");
    contradict(sample, 10, 4, 1, "refers to device 1");
    contradict(sample, 10, 6, 3, "a number of lanes that no device has");
    contradict(sample, 10, 6, 129, "a number of lanes that no device has");
    contradict(sample, 10, 8, 1, "before the launch's first word");
    contradict(sample, 10, 7, 0xf0000000 - 31, "beyond what a stream can hold");
    contradict(sample, 10, 14, 65536, "a slot beyond");
    contradict(sample, 10, 15, 2, "refers to shader 2");
    const size_t yields = site + 6 * 9;
    contradict(sample, 3, yields, 6, "yield words of another number of entry points");
    contradict(sample, 3, yields + 3, 4, "yield words of another number of passes");
    contradict(sample, 3, yields + 1, 0x1ffffc5, "more yield words than any module");
    contradict(sample, 3, yields + 2, 0xffffffff, "more yield words than any module");
    contradict(sample, CHUNKS - 2, 6, 3, "yield words that its shader does not have");
    contradict(sample, CHUNKS - 2, 6, 62, "yield words that its shader does not have");
    contradict(sample, CHUNKS - 2, 12, 64, "yield words that its shader does not have");
}

/* What the reader says of a SITE chunk with these fixed words, whose sites are a place and one of data with `words`; "" =
 * nothing is wrong. */
static const char *complaint_of(const struct ws_fixed_word *fixed, uint32_t count, uint32_t words,
                                uint8_t version)
{
    static struct ws_error error;
    const uint32_t code[] = {0x07230203, 0x00010000, 0, 8, 0, 0x00010000, 0x00010000, 0x00010000};
    const char *owner = "ray_events";
    const struct ws_chunk_info info = {.version = "0.1.0"};
    const struct ws_chunk_module module = {.words = code, .word_count = 8};
    const struct ws_block_info block = {5, 5, 2, 4, 10};
    const struct ws_site_info sites[] = {{0, 0, WS_SITE_PLACE_BLOCK, 0, 5, 0},
                                         {0, 0, WS_SITE_DATA, 0, 5, words}};
    const struct ws_chunk_sites chunk = {.passes = &owner,
                                         .pass_count = 1,
                                         .blocks = &block,
                                         .block_count = 1,
                                         .sites = sites,
                                         .site_count = 2,
                                         .fixed = fixed,
                                         .fixed_count = count};
    char path[64];
    size_t size = 0;
    int chunks = 0;
    struct ws_reader_summary summary;
    error.message[0] = '\0';
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_true(ws_capture_write_info(writer, &info, &error) &&
                ws_capture_write_module(writer, &module, &error) &&
                ws_capture_write_sites(writer, &chunk, &error));
    ws_capture_writer_destroy(writer);
    uint8_t *data = load_file(path, &size);
    unlink(path);
    data[WS_CAPTURE_MAGIC_SIZE] = version;
    read_all(data, size, &chunks, &summary, &error);
    assert_int_equal(chunks, error.message[0] == '\0' && summary.damaged == 0 ? 3 : 2);
    free(data);
    return summary.damaged > 0 ? "damaged" : error.message;
}

static const char *complaint(const struct ws_fixed_word *fixed, uint32_t count, uint32_t words)
{
    return complaint_of(fixed, count, words, WS_CAPTURE_VERSION);
}

/* In files of version 6 records had all words: no writer of such says any as a constant. */
static void fixed_words_of_earlier_versions_are_damaged(void **state)
{
    (void)state;
    static const struct ws_fixed_word fixed = {1, 1, 7};
    assert_string_equal(complaint_of(&fixed, 1, 2, 7), "");
    assert_string_equal(complaint_of(&fixed, 1, 2, 6), "damaged");
    assert_string_equal(complaint_of(NULL, 0, 2, 6), "");
}

static void wrong_fixed_words_are_refused(void **state)
{
    (void)state;
    static const char *const no_data = "fixed of a site that has no data records";
    static const char *const no_word = "fixed that records of its site do not have";
    static const char *const twice = "fixed twice, or behind a later one";
    static const struct {
        struct ws_fixed_word fixed[2];
        uint32_t words;
        const char *reason;
    } cases[] = {
        {{{0, 0, 7}, {1, 0, 7}}, 2, no_data},       {{{1, 0, 7}, {2, 0, 7}}, 2, no_data},
        {{{1, 0, 7}, {WS_NONE, 0, 7}}, 2, no_data}, {{{1, 0, 7}, {1, 2, 7}}, 2, no_word},
        {{{1, 0, 7}, {1, WS_NONE, 7}}, 2, no_word}, {{{1, 0, 7}, {1, 1, 7}}, 17, no_word},
        {{{1, 0, 7}, {1, 1, 7}}, WS_NONE, no_word}, {{{1, 0, 7}, {1, 0, 7}}, 2, twice},
        {{{1, 1, 7}, {1, 0, 7}}, 2, twice},
    };
    assert_string_equal(complaint(cases[8].fixed, 1, 2), "");
    assert_string_equal(complaint((const struct ws_fixed_word[]){{1, 0, 7}, {1, 15, 7}}, 2, 16), "");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
        if (strstr(complaint(cases[i].fixed, 2, cases[i].words), cases[i].reason) == NULL)
            fail_msg("case %zu: '%s'", i, complaint(cases[i].fixed, 2, cases[i].words));
}

static void yields_of_no_shader_are_skipped(void **state)
{
    const struct sample *sample = *state;
    int count = 0;
    struct ws_reader_summary summary;
    struct ws_error error;
    uint8_t *data = change_word(sample, CHUNKS - 2, 5, 1);
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_END);
    assert_int_equal(count, CHUNKS - 1);
    assert_true(summary.orphaned == 1 && summary.closed);
    free(data);
}

enum { LISTS = 5, LISTED = 2500000 }; /* sites of 24 bytes: 57 MiB in a file of some kilobytes */

static uint8_t *write_long_lists(size_t *size)
{
    const uint32_t code[] = {0x07230203, 0x00010000, 0, 8, 0, 0x00010000, 0x00010000, 0x00010000};
    const struct ws_block_info block = {5, 5, 2, 4, 10};
    const char *owner = "ray_events";
    struct ws_error error = {{0}};
    char path[64];
    struct ws_site_info *sites = calloc(LISTED, sizeof(*sites));
    assert_non_null(sites);
    for (uint32_t i = 0; i < LISTED; ++i)
        sites[i] = (struct ws_site_info){.kind = WS_SITE_BLOCK, .offset = 5};
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    for (uint32_t i = 0; i < LISTS; ++i) {
        const struct ws_chunk_module module = {.id = i, .name = "", .words = code, .word_count = 8};
        const struct ws_chunk_sites chunk = {.module = i,
                                             .row_count = 1,
                                             .passes = &owner,
                                             .pass_count = 1,
                                             .blocks = &block,
                                             .block_count = 1,
                                             .sites = sites,
                                             .site_count = LISTED};
        assert_true(ws_capture_write_module(writer, &module, &error));
        assert_true(ws_capture_write_sites(writer, &chunk, &error));
    }
    ws_capture_writer_destroy(writer);
    free(sites);
    uint8_t *data = load_file(path, size);
    unlink(path);
    return data;
}

/* Small files cannot say more than fits: the fifth list is beyond 256 MiB and 256 bytes for each of the file. Who wants it
 * allows more; who wants less memory less. */
static void long_lists_have_a_limit(void **state)
{
    (void)state;
    static const uint64_t limits[] = {0, UINT64_MAX, 100u << 20};
    static const int expected[] = {2 * LISTS - 1, 2 * LISTS, 3};
    size_t size = 0;
    uint8_t *data = write_long_lists(&size);
    assert_true(size < 100000);
    for (int i = 0; i < 3; ++i) {
        struct bytes bytes = {data, size, 0};
        struct ws_chunk chunk;
        struct ws_error error = {{0}};
        int chunks = 0;
        struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "file", &error);
        assert_non_null(reader);
        if (limits[i] > 0)
            ws_reader_limit(reader, limits[i]);
        while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
            ++chunks;
        assert_int_equal(chunks, expected[i]);
        assert_int_equal(strstr(error.message, "ws_reader_limit allows more") != NULL, i != 1);
        ws_reader_destroy(reader);
    }
    free(data);
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
    data[8] = WS_CAPTURE_VERSION + 1;
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_ERROR);
    assert_non_null(strstr(error.message, "format 8"));
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
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(every_bit_flipped),
        cmocka_unit_test(damaged_chunk_is_skipped),
        cmocka_unit_test(records_are_left_out),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(wrong_fixed_words_are_refused),
        cmocka_unit_test(long_lists_have_a_limit),
        cmocka_unit_test(fixed_words_of_earlier_versions_are_damaged),
        cmocka_unit_test(yields_of_no_shader_are_skipped),
        cmocka_unit_test(wrong_files_are_named),
        cmocka_unit_test(texts_are_made_valid),
    };
    return cmocka_run_group_tests(tests, load_sample, free_sample);
}
