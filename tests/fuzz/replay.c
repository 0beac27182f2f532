/* Fuzz target: records that nobody meant. Whatever the replay still tells must fit together, and be the same
 * for any number of workers. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/capture_mutator.h"
#include "tests/unit/analysis/model/replay_log.h"
#include "warpscope/capture/budget.h"
#include "warpscope/passes.h"
#include "warpscope/reader.h"
#include "warpscope/records.h"

#define STEPS (1 << 20) /* in place of WS_STEPS_LEAST */

/* What consumers rely on: lanes are of those that entered and have not ended, callers are open, and each
 * context is entered and closed once. */
static void *create(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return calloc(1, sizeof(uint64_t));
}

static bool enter(void *part, struct ws_context *context, const struct ws_thread *threads)
{
    ++*(uint64_t *)part;
    fuzz_check(context->user[0] == NULL && !ws_lanes_any(context->ended) && !ws_lanes_any(context->away),
               "the replay tells what does not fit together");
    context->user[0] = part;
    uint32_t depth = context->depth;
    for (const struct ws_context *caller = context->caller; caller != NULL; caller = caller->caller) {
        /* A caller may be of a shader that the consumer is not told of. */
        fuzz_check((caller->user[0] == part || caller->user[0] == NULL) && caller->depth + 1 == depth,
                   "the replay tells what does not fit together");
        depth = caller->depth;
    }
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);) {
        const uint32_t thread = context->threads[ws_lanes_take(&left)];
        fuzz_check(thread == WS_NONE || threads[thread].lane < WS_BINS_MAX,
                   "the replay tells what does not fit together");
    }
    return true;
}

static void check_lanes(const struct ws_context *context, struct ws_lanes lanes)
{
    fuzz_check(context->user[0] != NULL && ws_lanes_any(lanes) &&
                   !ws_lanes_any(ws_lanes_without(lanes, context->entered)) &&
                   !ws_lanes_any(ws_lanes_and(lanes, context->ended)),
               "the replay tells what does not fit together");
}

static bool place(void *part, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    fuzz_check(part == context->user[0] && place->consumers == 1,
               "the replay tells what does not fit together");
    check_lanes(context, lanes);
    fuzz_check(!ws_lanes_any(ws_lanes_and(lanes, context->away)),
               "the replay tells what does not fit together");
    return true;
}

static bool leave(void *part, struct ws_context *context, struct ws_lanes lanes)
{
    fuzz_check(part == context->user[0], "the replay tells what does not fit together");
    check_lanes(context, lanes);
    return true;
}

static bool close_context(void *part, struct ws_context *context)
{
    fuzz_check(part == context->user[0], "the replay tells what does not fit together");
    context->user[0] = NULL;
    --*(uint64_t *)part;
    return true;
}

static bool merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    (void)results;
    fuzz_check(*(uint64_t *)part == 0, "the replay tells what does not fit together");
    for (uint32_t i = 0; i < threads->thread_count; ++i)
        fuzz_check(threads->threads[i].warp < threads->warp_count,
                   "the replay tells what does not fit together");
    return true;
}

static const struct ws_replay_operations check_operations = {.create = create,
                                                             .destroy = free,
                                                             .enter = enter,
                                                             .place = place,
                                                             .leave = leave,
                                                             .close = close_context,
                                                             .merge = merge};

/* How often lanes came by places, added up so that the order does not matter: the same by sums of turns as turn by turn. */
struct came {
    uint64_t records;
    uint64_t lanes;
};

static void *came_create(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return calloc(1, sizeof(struct came));
}

static uint64_t weight_of(const struct ws_context *context, const struct ws_replay_place *place)
{
    const uint64_t at = (uint64_t)place->tag << 40 ^ (uint64_t)place->block << 20 ^ place->offset;
    return (at * UINT64_C(0x9e3779b97f4a7c15) ^ context->number) * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

static bool came_place(void *part, struct ws_context *context, const struct ws_replay_place *place,
                       struct ws_lanes lanes)
{
    struct came *came = part;
    const uint64_t weight = weight_of(context, place);
    came->records += weight;
    while (ws_lanes_any(lanes))
        came->lanes += weight * (ws_lanes_take(&lanes) + 1);
    return true;
}

static bool came_sum(void *part, struct ws_context *context, const struct ws_replay_place *place,
                     const struct ws_replay_sum *sum)
{
    struct came *came = part;
    const uint64_t weight = weight_of(context, place);
    const uint64_t *times = sum->times;
    uint64_t active = 0;
    fuzz_check(!ws_lanes_any(ws_lanes_without(sum->lanes, context->entered)) &&
                   !ws_lanes_any(ws_lanes_and(sum->lanes, ws_lanes_or(context->ended, context->away))),
               "the replay tells what does not fit together");
    came->records += weight * sum->executions;
    for (struct ws_lanes left = sum->lanes; ws_lanes_any(left); times++) {
        came->lanes += weight * *times * (ws_lanes_take(&left) + 1);
        active += *times;
        fuzz_check(*times <= sum->executions, "a lane came by more often than there were turns");
    }
    fuzz_check(active == sum->active && active >= sum->executions, "sums do not fit together");
    return true;
}

static bool came_merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    struct came *came = results;
    (void)threads;
    came->records += ((const struct came *)part)->records;
    came->lanes += ((const struct came *)part)->lanes;
    return true;
}

static const struct ws_replay_operations came_operations = {
    .create = came_create, .destroy = free, .place = came_place, .sum = came_sum, .merge = came_merge};

/* Replays a capture with one consumer of the pass. False where it cannot be read to its end. */
static bool replay_with(const char *path, const struct ws_replay_operations *usual, const char *pass,
                        void *results, uint32_t workers, struct ws_replay_losses *losses)
{
    struct ws_replay_operations operations = *usual;
    struct ws_error error = {{0}};
    struct ws_catalog catalog;
    struct ws_chunk chunk;
    uint32_t number = 0;
    ws_budget_set_least(STEPS);
    ws_budget_begin(0);
    operations.pass = pass;
    ws_catalog_init(&catalog);
    struct ws_reader *reader = ws_reader_open(path, &error);
    struct ws_replay *replay = ws_replay_create(&catalog, path, workers);
    bool good = reader != NULL && replay != NULL && ws_replay_add(replay, &operations, results, &number);
    enum ws_read_result result = WS_READ_CHUNK;
    while (good && (result = ws_reader_next(reader, &chunk, &error)) == WS_READ_CHUNK)
        good = ws_catalog_record(&catalog, &chunk, &error) && ws_replay_record(replay, &chunk, &error);
    good = good && result == WS_READ_END && ws_replay_end(replay, &error);
    fuzz_check(good || error.message[0] != '\0', "a refusal says nothing");
    if (good)
        *losses = *ws_replay_losses(replay);
    good = good && !ws_budget_exceeded(NULL); /* what was told until then depends on how often it was read */
    ws_replay_destroy(replay);
    ws_catalog_finish(&catalog);
    ws_reader_destroy(reader);
    return good;
}

static void check_pass(const char *path, const char *pass)
{
    struct replay_sum sums[2] = {{0}, {0}};
    struct ws_replay_losses losses[2];
    if (!replay_with(path, &check_operations, pass, NULL, 1, &losses[0]))
        return;
    for (uint32_t i = 0; i < 2; ++i)
        if (!replay_with(path, &replay_sum_operations, pass, &sums[i], 1 + 2 * i, &losses[i]))
            return;
    fuzz_check(sums[0].sum == sums[1].sum && sums[0].contexts == sums[1].contexts &&
                   memcmp(&losses[0], &losses[1], sizeof(losses[0])) == 0,
               "three workers tell other things than one");
}

/* Who is told sums of turns, by one worker and by three, adds up to the same as who is told each turn. */
static void check_sums(const char *path, const char *pass)
{
    struct ws_replay_operations turns = came_operations;
    const struct ws_replay_operations *const operations[] = {&turns, &came_operations, &came_operations};
    struct came came[3] = {{0, 0}, {0, 0}, {0, 0}};
    struct ws_replay_losses losses[3];
    turns.sum = NULL;
    for (uint32_t i = 0; i < 3; ++i)
        if (!replay_with(path, operations[i], pass, &came[i], i < 2 ? 1 : 3, &losses[i]))
            return;
    for (uint32_t i = 1; i < 3; ++i)
        fuzz_check(memcmp(&came[0], &came[i], sizeof(came[0])) == 0 &&
                       memcmp(&losses[0], &losses[i], sizeof(losses[0])) == 0,
                   "turns add up to other sums");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const passes[] = {WS_PASS_EXECUTION_TRACE,   WS_PASS_DIVERGENCE,
                                         WS_PASS_THREAD_COMPACTION, WS_PASS_RAY_EVENTS,
                                         WS_PASS_MEMORY_TRACE,      WS_PASS_WARP_TIME};
    char path[64];
    uint8_t *copy = malloc(size + 1);
    const int file = memfd_create("capture", MFD_CLOEXEC);
    if (copy != NULL && file >= 0) {
        memcpy(copy, data, size);
        capture_seal(copy, size);
        fuzz_check(write(file, copy, size) == (ssize_t)size, "no memory");
        snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
        for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); ++i)
            check_pass(path, passes[i]);
        check_sums(path, WS_PASS_DIVERGENCE);
    }
    free(copy);
    if (file >= 0)
        close(file);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return capture_mutate(data, size, capacity, seed, NULL);
}
