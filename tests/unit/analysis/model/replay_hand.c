#include "tests/unit/analysis/model/replay_hand.h"

const uint32_t replay_counts[3] = {4, 6, 2};

struct stream *replay_begin(uint32_t bins, uint32_t piece_words)
{
    return stream_create(&(struct stream_options){.bins = bins, .piece_words = piece_words});
}

void replay_expect(struct stream *stream, const char *expected, struct ws_replay_losses *losses)
{
    char *text = NULL;
    size_t size = 0;
    struct ws_replay_losses ignored;
    struct replay_log log = {open_memstream(&text, &size), 0};
    assert_non_null(log.out);
    stream_finish(stream);
    stream_replay(stream, &replay_log_operations, &log, 1, losses != NULL ? losses : &ignored);
    fclose(log.out);
    if (strcmp(text, expected) != 0)
        fail_msg("told:\n%s\nexpected:\n%s", text, expected);
    free(text);
    stream_destroy(stream);
}
