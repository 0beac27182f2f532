/* Records whose words are left out: all else of their chunks is as in a whole reading. */
#include "layer/capture/capture_writer.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "warpscope/root.h"
#include "warpscope/stream.h"

#define WORDS_MAX (1u << 20)

/* The chunks of the test: a small one, a large one, one whose slots fill more than what is decompressed of it, and one that
 * does not shrink, which is stored as it is. */
static const struct {
    uint32_t word_count;
    uint32_t slot_count;
    bool random;
} pieces[] = {{100, 1, false}, {WORDS_MAX, 3, false}, {WORDS_MAX / 2, 20000, false}, {WORDS_MAX, 2, true}};

#define PIECES (sizeof(pieces) / sizeof(pieces[0]))

static bool write_piece(struct ws_capture_writer *writer, uint32_t piece, uint32_t *words,
                        struct ws_slot_shader *slots, struct ws_error *error)
{
    uint32_t state = 1;
    for (uint32_t i = 0; i < pieces[piece].word_count; ++i) {
        state = state * 1664525u + 1013904223u;
        words[i] = pieces[piece].random ? state ^ state >> 15 ^ state << 9 : i % 7;
    }
    for (uint32_t i = 0; i < pieces[piece].slot_count; ++i)
        slots[i] = (struct ws_slot_shader){i, 0};
    const struct ws_chunk_records records = {.bins = 8,
                                             .flags = WS_RECORDS_LAST,
                                             .launch = piece,
                                             .missing = 5 + piece,
                                             .sufficient = 1000 + piece,
                                             .slots = slots,
                                             .slot_count = pieces[piece].slot_count,
                                             .words = words,
                                             .word_count = pieces[piece].word_count};
    return ws_capture_write_records(writer, &records, error);
}

/* What the records refer to, and the records. */
static void write_capture(const char *path)
{
    struct ws_error error = {{0}};
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    uint32_t *words = malloc(WORDS_MAX * sizeof(*words));
    struct ws_slot_shader *slots = malloc(WS_SLOT_COUNT * sizeof(*slots));
    const struct ws_chunk_device device = {
        .id = 0, .name = "GPU", .subgroup_size = 8, .bins = 8, .subgroup_stages = WS_STAGES_ALL};
    const uint32_t code[] = {0x07230203, 0x00010000, 0, 8, 0, 0x00010000, 0x00010000, 0x00010000};
    const struct ws_chunk_module module = {.id = 0, .name = "shader", .words = code, .word_count = 8};
    const struct ws_entry_info entry = {.name = "main", .stage = WS_STAGE_RAYGEN, .function = 4};
    const struct ws_chunk_sites sites = {.module = 0, .entries = &entry, .entry_count = 1};
    const struct ws_chunk_shader shader = {
        .id = 0, .module = 0, .entry = 0, .stage = WS_STAGE_RAYGEN, .name = "main"};
    const struct ws_chunk_done done = {1, 1, 1, 0};
    assert_true(writer != NULL && words != NULL && slots != NULL);
    assert_true(ws_capture_write_device(writer, &device, &error));
    assert_true(ws_capture_write_module(writer, &module, &error));
    assert_true(ws_capture_write_sites(writer, &sites, &error));
    assert_true(ws_capture_write_shader(writer, &shader, &error));
    for (uint32_t i = 0; i < PIECES; ++i)
        assert_true(write_piece(writer, i, words, slots, &error));
    assert_true(ws_capture_writer_end(writer, &done, &error));
    ws_capture_writer_destroy(writer);
    free(words);
    free(slots);
}

static void compare(const struct ws_chunk_records *records, uint32_t piece, bool without)
{
    assert_true(records->launch == piece && records->bins == 8 && records->flags == WS_RECORDS_LAST);
    assert_true(records->missing == 5 + piece && records->sufficient == 1000 + piece);
    assert_int_equal(records->word_count, pieces[piece].word_count);
    assert_int_equal(records->slot_count, pieces[piece].slot_count);
    assert_int_equal(records->slots[pieces[piece].slot_count - 1].slot, pieces[piece].slot_count - 1);
    assert_true((records->words == NULL) == without);
    if (!without && !pieces[piece].random)
        assert_int_equal(records->words[pieces[piece].word_count - 1], (pieces[piece].word_count - 1) % 7);
}

static void words_are_left_out(void **state)
{
    (void)state;
    char path[64];
    temporary_path(path);
    write_capture(path);
    for (int without = 0; without < 2; ++without) {
        struct ws_error error = {{0}};
        struct ws_chunk chunk;
        uint32_t seen = 0;
        struct ws_reader *reader = ws_reader_open(path, &error);
        assert_non_null(reader);
        if (without)
            ws_reader_leave_out_words(reader);
        while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
            if (chunk.type == WS_CHUNK_RECORDS) {
                assert_true(seen < PIECES);
                compare(&chunk.records, seen++, without);
            }
        assert_int_equal(seen, PIECES);
        assert_true(ws_reader_summary(reader)->closed && ws_reader_summary(reader)->damaged == 0);
        ws_reader_destroy(reader);
    }
    unlink(path);
}

/* A chunk of which bytes behind the beginning are damaged does not come, though they would not be decompressed. */
static void damage_is_seen_all_the_same(void **state)
{
    (void)state;
    char path[64];
    size_t size = 0;
    temporary_path(path);
    write_capture(path);
    uint8_t *data = load_file(path, &size);
    unlink(path);
    data[size - 1000] ^= 1; /* in the words that are stored as they are, before DONE */
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    struct bytes bytes = {data, size, 0};
    uint32_t seen = 0;
    struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "file", &error);
    assert_non_null(reader);
    ws_reader_leave_out_words(reader);
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
        seen += chunk.type == WS_CHUNK_RECORDS;
    assert_int_equal(seen, PIECES - 1);
    assert_true(ws_reader_summary(reader)->damaged == 1 && ws_reader_summary(reader)->closed);
    ws_reader_destroy(reader);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_left_out),
        cmocka_unit_test(damage_is_seen_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
