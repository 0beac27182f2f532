/* A warp's index is its rank by work id, which is known when its launch has been read to the end; what it
 * ran is to be kept from the beginning. So a capture of which a warp is chosen is read twice: the first time
 * to learn in which place the warp of that index appears. */
#include <stdlib.h>

#include "analysis/trace/trace.h"
#include "passes/base/array.h"

/* Of the first reading. */
struct choice {
    struct ws_trace_results *results;
    uint64_t merged; /* launches, + 1, of which the warps were looked at */
};

static void *create(const void *results, const struct ws_replay_launch *launch)
{
    (void)results;
    (void)launch;
    return malloc(1);
}

static bool choose(struct ws_trace_results *results, uint64_t launch, uint32_t number)
{
    struct ws_trace_chosen *grown =
        ws_array_grow(results->chosen, &results->chosen_capacity, results->chosen_count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    results->chosen = grown;
    grown[results->chosen_count++] = (struct ws_trace_chosen){launch, number};
    return true;
}

/* Each stage has a warp of that index. */
static bool merge(void *user, void *part, const struct ws_replay_threads *threads)
{
    struct choice *choice = user;
    struct ws_trace_results *results = choice->results;
    const struct ws_analysis_options *options = &results->options;
    uint64_t launch = threads->launch->index;
    bool chosen = true;
    (void)part;
    if (choice->merged == launch + 1 || (options->has_launch && options->launch != launch))
        return true;
    choice->merged = launch + 1;
    for (uint32_t i = 0; i < threads->warp_count && chosen; ++i)
        if (threads->warp_index[i] == options->warp)
            chosen = choose(results, launch, i);
    return chosen;
}

static const struct ws_replay_operations operations = {.create = create, .destroy = free, .merge = merge};

static bool read_all(struct ws_reader *reader, struct ws_catalog *catalog, struct ws_replay *replay,
                     struct ws_error *error)
{
    enum ws_read_result result = WS_READ_END;
    struct ws_chunk chunk;
    while ((result = ws_reader_next(reader, &chunk, error)) == WS_READ_CHUNK)
        if (!ws_catalog_record(catalog, &chunk, error) || !ws_replay_record(replay, &chunk, error))
            return false;
    return result == WS_READ_END && ws_replay_end(replay, error);
}

bool ws_trace_choose_warps(struct ws_trace_results *results, struct ws_error *error)
{
    struct choice choice = {results, 0};
    struct ws_catalog catalog;
    uint32_t number = 0;
    bool read = false;
    if (results->options.path == NULL)
        return ws_error_set(error, "--warp needs a capture that can be read twice: a file");
    struct ws_reader *reader = ws_reader_open(results->options.path, error);
    if (reader == NULL)
        return false;
    ws_catalog_init(&catalog);
    struct ws_replay *replay = ws_replay_create(&catalog, results->options.path, 0);
    if (replay != NULL && ws_replay_add(replay, &operations, &choice, &number))
        read = read_all(reader, &catalog, replay, error);
    else
        ws_error_set(error, "no memory to find the warp");
    ws_replay_destroy(replay);
    ws_catalog_finish(&catalog);
    ws_reader_destroy(reader);
    return read;
}
