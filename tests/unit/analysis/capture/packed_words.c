/* Packed words: what they look like, that words of any kind come back, and that what cannot be packed words is refused. */
#include "layer/capture/word_packer.h"

#include "analysis/capture/word_unpacker.h"
#include "layer/capture/capture_writer.h"
#include "layer/capture/chunk_payload.h"
#include "layer/capture/kept_blocks.h"
#include "tests/unit/analysis/capture/capture_changed.h"
#include "warpscope/packed.h"
#include "warpscope/root.h"

#define WORDS (1u << 17)

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 15 ^ *state << 9;
}

enum kind { ZEROS, NOISE, FEW, RAYS, KINDS };

/* Words as they come in records: of a ray, constants and coordinates in turn. */
static void fill(uint32_t *words, uint32_t count, enum kind kind, uint32_t state)
{
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t random = next_random(&state);
        switch (kind) {
        case ZEROS: words[i] = 0; break;
        case NOISE: words[i] = random; break;
        case FEW: words[i] = 0x10000 * (random % 300); break;
        default: words[i] = i % 10 < 6 ? 0x3f800000 | random >> 9 : 1000 * (i % 10); break;
        }
    }
}

static void packed_by_hand(void **state)
{
    (void)state;
    static const uint32_t words[] = {7, 7, 9, 7};
    static const uint8_t expected[] = {2, 0, 0, 0, 5, 0, 0, 0, 83, 83, 7, 9, 0, 0, 0, 0, 0, 0};
    uint8_t packed[64];
    uint32_t unpacked[4];
    struct ws_packed_size parts;
    assert_int_equal(ws_packed_slot(7), 83);
    assert_int_equal(ws_packed_slot(9), 143);
    assert_true(ws_words_pack_room(4) <= sizeof(packed));
    assert_int_equal(ws_words_pack(words, 4, packed, &parts), sizeof(expected));
    assert_int_equal(parts.slots, 2);
    assert_int_equal(parts.noise, 8);
    assert_memory_equal(packed, expected, sizeof(expected));
    assert_true(ws_words_unpack(unpacked, 4, packed, sizeof(expected)));
    assert_memory_equal(unpacked, words, sizeof(words));
}

/* The buffers are as long as they must be: a sanitizer sees each byte too many. */
static void round_trip(enum kind kind, uint32_t count)
{
    uint32_t *words = malloc(count * sizeof(*words));
    uint32_t *unpacked = malloc(count * sizeof(*words));
    uint8_t *packed = malloc(ws_words_pack_room(count));
    struct ws_packed_size parts;
    assert_true(words != NULL && unpacked != NULL && packed != NULL);
    fill(words, count, kind, count);
    const size_t size = ws_words_pack(words, count, packed, &parts);
    assert_true(size <= ws_words_pack_room(count));
    uint8_t *exact = realloc(packed, size);
    assert_non_null(exact);
    assert_true(ws_words_unpack(unpacked, count, exact, size));
    assert_memory_equal(unpacked, words, count * sizeof(*words));
    free(words);
    free(unpacked);
    free(exact);
}

static void all_words_come_back(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 15, 16, 31, 32, 33, 63, 1023, 1024, 1025, 2048, 5000, 70001};
    for (uint32_t kind = 0; kind < KINDS; ++kind)
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i)
            round_trip(kind, counts[i]);
}

/* Wrong sizes and counts are refused. What else is wrong gives other words, and touches nothing but them. */
static void hostile_bytes_do_no_harm(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static uint32_t words[COUNT], unpacked[COUNT];
    uint8_t *packed = malloc(ws_words_pack_room(COUNT));
    struct ws_packed_size parts;
    assert_non_null(packed);
    fill(words, COUNT, RAYS, 1);
    const size_t size = ws_words_pack(words, COUNT, packed, &parts);
    for (size_t less = 1; less < size; less = 2 * less + 1) {
        uint8_t *cut = malloc(size - less);
        assert_non_null(cut);
        memcpy(cut, packed, size - less);
        assert_false(ws_words_unpack(unpacked, COUNT, cut, size - less));
        free(cut);
    }
    assert_false(ws_words_unpack(unpacked, COUNT, packed, size + 1));
    assert_false(ws_words_unpack(unpacked, COUNT - 1, packed, size));
    assert_false(ws_words_unpack(unpacked, COUNT, packed, 0));
    packed[4] ^= 2; /* as many new words as before, but another count of bits */
    assert_false(ws_words_unpack(unpacked, COUNT, packed, size));
    packed[4] ^= 2;
    uint8_t *exact = realloc(packed, size);
    assert_non_null(exact);
    uint32_t random = 1, taken = 0;
    for (uint32_t i = 0; i < 20000; ++i) {
        const size_t first = next_random(&random) % size, second = next_random(&random) % size;
        const uint8_t before[] = {exact[first], exact[second]};
        exact[first] ^= (uint8_t)next_random(&random);
        exact[second] ^= (uint8_t)next_random(&random);
        taken += ws_words_unpack(unpacked, COUNT, exact, size);
        exact[second] = before[1];
        exact[first] = before[0];
    }
    assert_true(taken > 10000 && taken < 20000);
    free(exact);
}

/* The bytes behind those of the payload's other members. */
static void assert_words(const struct ws_chunk_payload *payload, const uint32_t *words, uint32_t count)
{
    uint32_t *unpacked = malloc(count * sizeof(*unpacked));
    assert_non_null(unpacked);
    assert_true(ws_words_unpack(unpacked, count, payload->data + 60, payload->size - 60));
    assert_memory_equal(unpacked, words, count * sizeof(*words));
    free(unpacked);
}

static void put(struct ws_chunk_payload *payload, struct ws_blocks *blocks, const uint32_t *words,
                uint32_t count)
{
    const struct ws_chunk_records records = {.bins = 8, .word_count = count, .words = words};
    ws_chunk_payload_init(payload, 0);
    payload->blocks = blocks;
    payload->packs = true;
    ws_chunk_payload_put(payload, WS_CHUNK_RECORDS, &records);
    assert_null(payload->failure);
    assert_int_equal(payload->size + payload->saved, 60 + 4 * (size_t)count);
}

/* To pack takes more room than to keep what is packed. Words that take more when they are packed are planes. */
static void payloads_keep_what_they_need(void **state)
{
    (void)state;
    static uint32_t words[WORDS];
    struct ws_chunk_payload payload;
    put(&payload, NULL, words, WORDS);
    assert_int_equal(payload.size, 60 + 4 + WORDS / 8 + WORDS);
    assert_int_equal(payload.capacity, payload.size);
    assert_words(&payload, words, WORDS);
    ws_chunk_payload_finish(&payload);

    fill(words, WORDS, NOISE, 1);
    put(&payload, NULL, words, WORDS);
    assert_int_equal(payload.saved, 0);
    ws_chunk_payload_finish(&payload);
}

/* A payload gets the memory of one that is finished, and what it is packed in is there again. Neither shows in its bytes. */
static void payloads_use_memory_again(void **state)
{
    (void)state;
    static uint32_t words[4 * WORDS];
    struct ws_blocks blocks = {0};
    struct ws_chunk_payload payload;
    const uint8_t *block = NULL;
    const uint8_t *room = NULL;
    for (uint32_t kind = 0; kind < KINDS; ++kind) {
        fill(words, 4 * WORDS, RAYS, kind);
        put(&payload, &blocks, words, 4 * WORDS);
        assert_true(payload.saved > 0);
        assert_words(&payload, words, 4 * WORDS);
        assert_true(kind == 0 || payload.data == block);
        assert_true(kind == 0 || atomic_load(&blocks.room) == room);
        block = payload.data;
        room = atomic_load(&blocks.room);
        ws_chunk_payload_finish(&payload);
        assert_ptr_equal(atomic_load(&blocks.kept[0]), block);
    }
    fill(words, 4 * WORDS, NOISE, 1);
    put(&payload, &blocks, words, 4 * WORDS);
    assert_int_equal(payload.saved, 0);
    ws_chunk_payload_finish(&payload);
    ws_blocks_finish(&blocks);
    assert_null(atomic_load(&blocks.room));
}

/* What the records refer to, and records of each kind. */
static void write_capture(const char *path, uint32_t *words)
{
    struct ws_error error = {{0}};
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    const struct ws_chunk_device device = {
        .id = 0, .name = "GPU", .subgroup_size = 8, .bins = 8, .subgroup_stages = WS_STAGES_ALL};
    const struct ws_chunk_done done = {1, 1, 1, 0};
    assert_non_null(writer);
    assert_true(ws_capture_write_device(writer, &device, &error));
    for (uint32_t kind = 0; kind < KINDS; ++kind) {
        fill(words, WORDS, kind, kind);
        const struct ws_chunk_records records = {
            .bins = 8, .flags = WS_RECORDS_LAST, .launch = kind, .words = words, .word_count = WORDS};
        assert_true(ws_capture_write_records(writer, &records, &error));
    }
    assert_true(ws_capture_writer_end(writer, &done, &error));
    ws_capture_writer_destroy(writer);
}

/* Where the chunk of that number begins. */
static size_t chunk_at(const uint8_t *data, uint32_t number)
{
    size_t at = WS_CAPTURE_HEADER_SIZE;
    for (; number > 0; --number) {
        uint64_t stored;
        memcpy(&stored, data + at + 8, 8);
        at += WS_CHUNK_HEADER_SIZE + stored;
    }
    return at;
}

static uint32_t flags_of(const uint8_t *data, uint32_t number)
{
    return data[chunk_at(data, number) + 4];
}

static void large_records_are_packed(void **state)
{
    (void)state;
    char path[64];
    size_t size = 0;
    struct ws_chunk chunk;
    struct ws_error error = {{0}};
    uint32_t *words = malloc(WORDS * sizeof(*words));
    assert_non_null(words);
    temporary_path(path);
    write_capture(path, words);
    uint8_t *data = load_file(path, &size);
    unlink(path);
    assert_int_equal(flags_of(data, 1 + NOISE), 0);
    assert_int_equal(flags_of(data, 1 + RAYS), WS_CHUNK_ZSTD | WS_CHUNK_PACKED);
    for (int without = 0; without < 2; ++without) {
        struct bytes bytes = {data, size, 0};
        struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "file", &error);
        assert_non_null(reader);
        if (without)
            ws_reader_leave_out_words(reader);
        assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
        for (uint32_t kind = 0; kind < KINDS; ++kind) {
            assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
            assert_int_equal(chunk.type, WS_CHUNK_RECORDS);
            assert_int_equal(chunk.records.word_count, WORDS);
            fill(words, WORDS, kind, kind);
            if (without)
                assert_null(chunk.records.words);
            else
                assert_memory_equal(chunk.records.words, words, WORDS * sizeof(*words));
        }
        ws_reader_destroy(reader);
    }
    free(words);
    free(data);
}

/* Sets the flags and the raw size of a chunk, and reads all. */
static enum ws_read_result read_changed(const uint8_t *data, size_t size, uint32_t number, uint8_t flags,
                                        uint64_t raw, struct ws_reader_summary *summary,
                                        struct ws_error *error)
{
    uint8_t *changed = malloc(size);
    int count = 0;
    const size_t at = chunk_at(data, number);
    assert_non_null(changed);
    memcpy(changed, data, size);
    changed[at + 4] = flags;
    memcpy(changed + at + 16, &raw, sizeof(raw));
    seal(changed, at);
    const enum ws_read_result result = read_all(changed, size, &count, summary, error);
    free(changed);
    return result;
}

static void wrong_headers_are_told(void **state)
{
    (void)state;
    char path[64];
    size_t size = 0;
    struct ws_reader_summary summary;
    struct ws_error error;
    uint32_t *words = malloc(WORDS * sizeof(*words));
    assert_non_null(words);
    temporary_path(path);
    write_capture(path, words);
    free(words);
    uint8_t *data = load_file(path, &size);
    unlink(path);
    const uint64_t raw = 60 + 4 * (uint64_t)WORDS; /* 60 bytes stand before the words */
    const uint8_t both = WS_CHUNK_ZSTD | WS_CHUNK_PACKED;
    assert_int_equal(read_changed(data, size, 1 + RAYS, both, raw, &summary, &error), WS_READ_END);
    assert_int_equal(summary.damaged, 0);
    /* Less than what is packed, and less than the words. */
    assert_int_equal(read_changed(data, size, 1 + RAYS, both, raw / 4, &summary, &error), WS_READ_END);
    assert_int_equal(summary.damaged, 1);
    assert_int_equal(read_changed(data, size, 1 + RAYS, both, raw - 4, &summary, &error), WS_READ_ERROR);
    assert_non_null(strstr(error.message, "a count is larger"));
    /* Planes that are said to be packed words, packed words that are said to be planes, and a chunk that has none. */
    assert_int_equal(read_changed(data, size, 1 + NOISE, WS_CHUNK_PACKED, raw, &summary, &error),
                     WS_READ_ERROR);
    assert_non_null(strstr(error.message, "not packed as words are"));
    assert_int_equal(read_changed(data, size, 1 + RAYS, WS_CHUNK_ZSTD, raw, &summary, &error), WS_READ_END);
    assert_int_equal(summary.damaged, 1);
    assert_int_equal(read_changed(data, size, 1 + KINDS, WS_CHUNK_PACKED, 32, &summary, &error), WS_READ_END);
    assert_int_equal(summary.damaged, 1);
    free(data);
}

/* How many chunks of a file that is read to its end are damaged. */
static uint64_t count_damaged(const uint8_t *data, size_t size, bool without)
{
    struct bytes bytes = {data, size, 0};
    struct ws_chunk chunk;
    struct ws_error error = {{0}};
    struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "file", &error);
    assert_non_null(reader);
    if (without)
        ws_reader_leave_out_words(reader);
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
        continue;
    assert_string_equal(error.message, "");
    assert_true(ws_reader_summary(reader)->closed);
    const uint64_t damaged = ws_reader_summary(reader)->damaged;
    ws_reader_destroy(reader);
    return damaged;
}

/* A capture of so many words, few different ones, as its second chunk. To be freed. */
static uint8_t *write_few(uint32_t count, size_t *size)
{
    char path[64];
    struct ws_error error = {{0}};
    const struct ws_chunk_device device = {
        .id = 0, .name = "GPU", .subgroup_size = 8, .bins = 8, .subgroup_stages = WS_STAGES_ALL};
    const struct ws_chunk_done done = {1, 1, 1, 0};
    uint32_t *words = malloc(count * sizeof(*words));
    assert_non_null(words);
    fill(words, count, FEW, 1);
    const struct ws_chunk_records records = {
        .bins = 8, .flags = WS_RECORDS_LAST, .words = words, .word_count = count};
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    assert_true(ws_capture_write_device(writer, &device, &error));
    assert_true(ws_capture_write_records(writer, &records, &error));
    assert_true(ws_capture_writer_end(writer, &done, &error));
    ws_capture_writer_destroy(writer);
    free(words);
    uint8_t *data = load_file(path, size);
    unlink(path);
    return data;
}

/* Streams whose checksum is right, but that end too early, are damaged, whether their words are left out or not: one that is
 * said to be longer, and one that lacks its last bytes. Of 50000 words they are planes, of more packed. */
static void short_streams_are_damaged(void **state)
{
    (void)state;
    static const uint32_t counts[] = {50000, WORDS};
    for (uint32_t i = 0; i < 2; ++i) {
        size_t size = 0;
        uint64_t sizes[2];
        uint8_t *data = write_few(counts[i], &size);
        const size_t at = chunk_at(data, 1);
        assert_int_equal(flags_of(data, 1), WS_CHUNK_ZSTD | (i == 1 ? WS_CHUNK_PACKED : 0));
        memcpy(sizes, data + at + 8, sizeof(sizes));
        assert_int_equal(count_damaged(data, size, true), 0);
        sizes[1] += 4;
        memcpy(data + at + 8, sizes, sizeof(sizes));
        seal(data, at);
        if (i == 0) { /* packed words may be fewer bytes than they stand for */
            assert_int_equal(count_damaged(data, size, false), 1);
            assert_int_equal(count_damaged(data, size, true), 1);
        }
        const size_t end = at + WS_CHUNK_HEADER_SIZE + sizes[0];
        memmove(data + end - 100, data + end, size - end);
        sizes[0] -= 100;
        sizes[1] -= 4;
        memcpy(data + at + 8, sizes, sizeof(sizes));
        seal(data, at);
        assert_int_equal(count_damaged(data, size - 100, false), 1);
        assert_int_equal(count_damaged(data, size - 100, true), 1);
        free(data);
    }
}

/* No writer of an earlier version packed words. */
static void packed_words_of_earlier_versions_are_damaged(void **state)
{
    (void)state;
    char path[64];
    size_t size = 0;
    uint32_t *words = malloc(WORDS * sizeof(*words));
    assert_non_null(words);
    temporary_path(path);
    write_capture(path, words);
    free(words);
    uint8_t *data = load_file(path, &size);
    unlink(path);
    uint64_t packed = 0;
    for (uint32_t kind = 0; kind < KINDS; ++kind)
        packed += (flags_of(data, 1 + kind) & WS_CHUNK_PACKED) != 0;
    assert_true(packed > 0);
    data[WS_CAPTURE_MAGIC_SIZE] = 6;
    assert_int_equal(count_damaged(data, size, false), 0);
    data[WS_CAPTURE_MAGIC_SIZE] = 5;
    assert_int_equal(count_damaged(data, size, false), packed);
    assert_int_equal(count_damaged(data, size, true), packed);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_by_hand),
        cmocka_unit_test(all_words_come_back),
        cmocka_unit_test(hostile_bytes_do_no_harm),
        cmocka_unit_test(large_records_are_packed),
        cmocka_unit_test(wrong_headers_are_told),
        cmocka_unit_test(payloads_keep_what_they_need),
        cmocka_unit_test(payloads_use_memory_again),
        cmocka_unit_test(short_streams_are_damaged),
        cmocka_unit_test(packed_words_of_earlier_versions_are_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
