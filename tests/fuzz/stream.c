/* Fuzz target: records cut from a capture that nobody meant (warpscope/stream.h). Whatever is given lies within the words of
 * its launch, in order, and its lanes entered its context. */
#include <string.h>

#include "tests/fuzz/capture_mutator.h"
#include "warpscope/capture/budget.h"
#include "warpscope/records.h"
#include "warpscope/stream.h"

#define STEPS (1 << 20) /* in place of WS_STEPS_LEAST */
#define LIMIT 4096      /* bytes of a launch and of lists, of every other input */

struct bytes {
    const uint8_t *data;
    size_t left;
};

static size_t read_bytes(void *user, void *data, size_t size)
{
    struct bytes *bytes = user;
    const size_t given = size < bytes->left ? size : bytes->left;
    memcpy(data, bytes->data, given);
    bytes->data += given;
    bytes->left -= given;
    return given;
}

/* Whether shaders have records of paths, whose words no record that is given has. */
static bool has_paths(const struct ws_chunk *chunk)
{
    for (uint32_t i = 0; chunk->type == WS_CHUNK_SITES && i < chunk->sites.site_count; ++i)
        if (chunk->sites.sites[i].kind == WS_SITE_PATH)
            return true;
    return false;
}

static void check_launch(const struct ws_stream_launch *launch, bool paths, uint64_t limit)
{
    fuzz_check(launch->word_count * sizeof(*launch->words) +
                       launch->record_count * sizeof(*launch->records) <=
                   limit,
               "a launch takes more than it may");
    fuzz_check(launch->truncated || !launch->limited, "a launch is limited and whole");
    uint64_t ends[2] = {
        0, launch->stream_word_count}; /* of words of the stream, and of copies that stand behind them */
    for (uint32_t i = 0; i < launch->record_count; ++i) {
        const struct ws_record *record = &launch->records[i];
        const struct ws_record *entry = &launch->records[record->entry];
        const uint64_t lanes = (uint64_t)__builtin_popcountll(record->lanes[0]) +
                               (uint64_t)__builtin_popcountll(record->lanes[1]);
        fuzz_check(record->entry <= i && entry->context == record->context && entry->shader == record->shader,
                   "a record has no entry record");
        const bool copied = record->kind == WS_SITE_DATA && record->word >= launch->stream_word_count;
        const uint64_t end = record->word + record->words_per_warp + lanes * record->words_per_lane;
        fuzz_check(record->word >= ends[copied] && lanes > 0, "records overlap");
        fuzz_check(end <= (copied ? launch->word_count : launch->stream_word_count),
                   "a record ends beyond its launch");
        ends[copied] = end;
        fuzz_check((record->lanes[0] & ~entry->lanes[0]) == 0 && (record->lanes[1] & ~entry->lanes[1]) == 0,
                   "lanes that never entered");
    }
    fuzz_check(ends[1] == launch->word_count, "copies are left over");
    fuzz_check(launch->truncated || paths || ends[0] == launch->stream_word_count ||
                   launch->word_count > launch->stream_word_count,
               "words are left over");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    capture_seal(copy, size);
    struct bytes bytes = {copy, size};
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    const struct ws_stream_launch *launch = NULL;
    bool paths = false;
    ws_budget_set_least(STEPS);
    ws_budget_begin(0);
    struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "input", &error);
    struct ws_stream *stream = ws_stream_create();
    const uint64_t limit = size % 2 == 0 ? LIMIT : UINT64_MAX;
    if (reader != NULL)
        ws_reader_limit(reader, limit);
    if (stream != NULL)
        ws_stream_limit(stream, limit);
    while (reader != NULL && stream != NULL && ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK) {
        if (!ws_stream_take(stream, &chunk, &launch, &error))
            break;
        if (launch != NULL)
            check_launch(launch, paths, limit);
        paths = paths || has_paths(&chunk);
    }
    if (stream != NULL && ws_stream_end(stream, &launch, &error) && launch != NULL)
        check_launch(launch, paths, limit);
    ws_stream_destroy(stream);
    ws_reader_destroy(reader);
    free(copy);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return capture_mutate(data, size, capacity, seed, NULL);
}
