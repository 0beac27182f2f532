/* Writes again what a frozen file holds, chunk by chunk, and compares the payloads: what the writer makes of
 * the structs of chunks.h is what was put together by hand. */
#ifndef WS_TESTS_UNIT_ANALYSIS_CAPTURE_CAPTURE_REWRITTEN_H
#define WS_TESTS_UNIT_ANALYSIS_CAPTURE_CAPTURE_REWRITTEN_H

#include <zstd.h>

#include "layer/capture/capture_writer.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "warpscope/chunk_members.h"

static inline bool write_chunk(struct ws_capture_writer *writer, const struct ws_chunk *chunk,
                               struct ws_error *error)
{
    switch (chunk->type) {
    case WS_CHUNK_INFO: return ws_capture_write_info(writer, &chunk->info, error);
    case WS_CHUNK_DEVICE: return ws_capture_write_device(writer, &chunk->device, error);
    case WS_CHUNK_MODULE: return ws_capture_write_module(writer, &chunk->module, error);
    case WS_CHUNK_SITES: return ws_capture_write_sites(writer, &chunk->sites, error);
    case WS_CHUNK_SHADER: return ws_capture_write_shader(writer, &chunk->shader, error);
    case WS_CHUNK_PIPELINE: return ws_capture_write_pipeline(writer, &chunk->pipeline, error);
    case WS_CHUNK_NAME: return ws_capture_write_name(writer, &chunk->name, error);
    case WS_CHUNK_SUBMISSION: return ws_capture_write_submission(writer, &chunk->submission, error);
    case WS_CHUNK_RECORDS: return ws_capture_write_records(writer, &chunk->records, error);
    case WS_CHUNK_BLOB: return ws_capture_write_blob(writer, &chunk->blob, error);
    case WS_CHUNK_STRUCTURE: return ws_capture_write_structure(writer, &chunk->structure, error);
    case WS_CHUNK_BUILD: return ws_capture_write_build(writer, &chunk->build, error);
    case WS_CHUNK_COPY: return ws_capture_write_copy(writer, &chunk->copy, error);
    case WS_CHUNK_GONE: return ws_capture_write_gone(writer, &chunk->gone, error);
    case WS_CHUNK_GROUPS: return ws_capture_write_groups(writer, &chunk->groups, error);
    case WS_CHUNK_TABLES: return ws_capture_write_tables(writer, &chunk->tables, error);
    case WS_CHUNK_IMAGE: return ws_capture_write_image(writer, &chunk->image, error);
    case WS_CHUNK_TIMES: return ws_capture_write_times(writer, &chunk->times, error);
    case WS_CHUNK_PROBE: return ws_capture_write_probe(writer, &chunk->probe, error);
    case WS_CHUNK_YIELDS: return ws_capture_write_yields(writer, &chunk->yields, error);
    case WS_CHUNK_RESOURCES: return ws_capture_write_resources(writer, &chunk->resources, error);
    case WS_CHUNK_SET: return ws_capture_write_set(writer, &chunk->set, error);
    case WS_CHUNK_SET_CHANGE: return ws_capture_write_set_change(writer, &chunk->set_change, error);
    case WS_CHUNK_BOUND: return ws_capture_write_bound(writer, &chunk->bound, error);
    case WS_CHUNK_SKIP: return ws_capture_write_skip(writer, &chunk->skip, error);
    case WS_CHUNK_MESSAGE: return ws_capture_write_message(writer, &chunk->message, error);
    case WS_CHUNK_DONE: return ws_capture_write_done(writer, &chunk->done, error);
    default: return false;
    }
}

static inline uint64_t number_at(const uint8_t *bytes, int count)
{
    uint64_t number = 0;
    for (int i = count; i > 0; --i)
        number = number << 8 | bytes[i - 1];
    return number;
}

/* The type of the chunk at `*at`, and its raw payload, which the caller frees; `*at` moves behind it. */
static inline uint32_t next_payload(const uint8_t *file, size_t *at, uint8_t **payload, size_t *size)
{
    const uint8_t *header = file + *at;
    const size_t stored = number_at(header + 8, 8);
    *size = number_at(header + 16, 8);
    *payload = malloc(*size + 1);
    assert_non_null(*payload);
    if ((number_at(header + 4, 4) & WS_CHUNK_ZSTD) != 0)
        assert_int_equal(ZSTD_decompress(*payload, *size, header + WS_CHUNK_HEADER_SIZE, stored), *size);
    else
        memcpy(*payload, header + WS_CHUNK_HEADER_SIZE, *size);
    *at += WS_CHUNK_HEADER_SIZE + stored;
    return (uint32_t)number_at(header, 4);
}

static inline void write_again(const uint8_t *frozen, size_t size, const char *path)
{
    struct bytes bytes = {frozen, size, 0};
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "frozen", &error);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(reader);
    assert_non_null(writer);
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
        assert_true(write_chunk(writer, &chunk, &error));
    assert_string_equal(error.message, "");
    ws_capture_writer_destroy(writer);
    ws_reader_destroy(reader);
}

/* Every chunk of a known type comes out with the bytes that it had. Behind them may stand members that came later
 * (chunk_members.h), which are 0 or empty. */
static inline void assert_rewritten(const uint8_t *frozen, size_t size)
{
    char path[64];
    size_t written_size = 0;
    temporary_path(path);
    write_again(frozen, size, path);
    uint8_t *written = load_file(path, &written_size);
    size_t from = WS_CAPTURE_HEADER_SIZE;
    size_t to = WS_CAPTURE_HEADER_SIZE;
    assert_memory_equal(written, frozen, WS_CAPTURE_MAGIC_SIZE);
    assert_int_equal(number_at(written + WS_CAPTURE_MAGIC_SIZE, 4), WS_CAPTURE_VERSION);
    while (from < size) {
        uint8_t *expected = NULL;
        uint8_t *payload = NULL;
        size_t expected_size = 0;
        size_t payload_size = 0;
        const uint32_t type = next_payload(frozen, &from, &expected, &expected_size);
        if (ws_chunk_members(type) != NULL) {
            assert_int_equal(next_payload(written, &to, &payload, &payload_size), type);
            assert_true(payload_size >= expected_size);
            assert_memory_equal(payload, expected, expected_size);
            for (size_t i = expected_size; i < payload_size; ++i)
                assert_int_equal(payload[i], 0);
        }
        free(expected);
        free(payload);
    }
    assert_int_equal(to, written_size);
    free(written);
    unlink(path);
}

#endif
