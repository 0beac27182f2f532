/* Records that nobody meant: words of good streams are changed, and whatever the replay still tells must fit
 * together, and be the same for any number of workers. `records CHANGES`. */
#include "warpscope/records.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/replay_log.h"
#include "tests/unit/analysis/model/stream.h"

static long changes = 300;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* What consumers rely on: lanes are of those that entered and have not ended, callers are open, and each
 * context is entered and closed once. */
static void *create(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return calloc(1, sizeof(uint64_t));
}

static void check(bool holds)
{
    if (!holds)
        abort();
}

static bool enter(void *part, struct ws_context *context, const struct ws_thread *threads)
{
    ++*(uint64_t *)part;
    check(context->user[0] == NULL && !ws_lanes_any(context->ended) && !ws_lanes_any(context->away));
    context->user[0] = part;
    uint32_t depth = context->depth;
    for (const struct ws_context *caller = context->caller; caller != NULL; caller = caller->caller) {
        check(caller->user[0] == part && caller->depth + 1 == depth);
        depth = caller->depth;
    }
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);) {
        const uint32_t thread = context->threads[ws_lanes_take(&left)];
        check(thread == WS_NONE || threads[thread].lane < WS_BINS_MAX);
    }
    return true;
}

static void check_lanes(const struct ws_context *context, struct ws_lanes lanes)
{
    check(context->user[0] != NULL && ws_lanes_any(lanes) &&
          !ws_lanes_any(ws_lanes_without(lanes, context->entered)) &&
          !ws_lanes_any(ws_lanes_and(lanes, context->ended)));
}

static bool place(void *part, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    check(part == context->user[0] && place->consumers == 1);
    check_lanes(context, lanes);
    check(!ws_lanes_any(ws_lanes_and(lanes, context->away)));
    return true;
}

static bool leave(void *part, struct ws_context *context, struct ws_lanes lanes)
{
    check(part == context->user[0]);
    check_lanes(context, lanes);
    return true;
}

static bool close_context(void *part, struct ws_context *context)
{
    check(part == context->user[0]);
    context->user[0] = NULL;
    --*(uint64_t *)part;
    return true;
}

static bool merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    (void)results;
    check(*(uint64_t *)part == 0);
    for (uint32_t i = 0; i < threads->thread_count; ++i)
        check(threads->threads[i].warp < threads->warp_count);
    return true;
}

static const struct ws_replay_operations check_operations = {.pass = STREAM_PASS,
                                                             .create = create,
                                                             .destroy = free,
                                                             .enter = enter,
                                                             .place = place,
                                                             .leave = leave,
                                                             .close = close_context,
                                                             .merge = merge};

enum { RAYGEN, INTERSECTION, ANY_HIT, HIT, SHADERS };

static struct stream *begin(uint32_t bins)
{
    static const uint32_t stages[] = {WS_STAGE_RAYGEN, WS_STAGE_INTERSECTION, WS_STAGE_ANY_HIT,
                                      WS_STAGE_CLOSEST_HIT};
    const uint32_t counts[] = {3, 4};
    struct stream *stream = stream_create(&(struct stream_options){.bins = bins, .piece_words = 50});
    for (int i = 0; i < SHADERS; ++i)
        stream_shader(stream, stages[i], counts, 2);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 20 * bins, 1, 1);
    return stream;
}

/* Warps that trace: one context in another, of which some are regrouped. */
static void fill(struct stream *stream, uint32_t bins, uint64_t *random)
{
    for (uint32_t warp = 0; warp < 20; ++warp) {
        const struct ws_lanes all = ws_lanes_first(bins);
        uint32_t contexts[SHADERS];
        for (uint32_t i = 0; i < SHADERS; ++i) {
            contexts[i] = stream_enter_rays(stream, 0, i, all, warp * bins);
            stream_place(stream, contexts[i], WS_SITE_PLACE_BLOCK, 0, all);
            if (next_random(random) % 4 > 0 && i == ANY_HIT)
                stream_place(stream, contexts[i], WS_SITE_PLACE_END, 1, all);
        }
        stream_place(stream, contexts[HIT], WS_SITE_PLACE_END, 1, ws_lanes_first(bins / 2));
        stream_place(stream, contexts[RAYGEN], WS_SITE_PLACE_BLOCK, 1, ws_lanes_one(bins - 1));
        if (next_random(random) % 2 == 0)
            stream_place(stream, contexts[RAYGEN], WS_SITE_PLACE_END, 1, all);
    }
}

static void change(uint32_t *words, uint32_t count, uint64_t *random)
{
    uint32_t *word = &words[next_random(random) % count];
    switch (next_random(random) % 5) {
    case 0: *word ^= UINT32_C(1) << next_random(random) % 32; break;
    case 1: *word = words[next_random(random) % count]; break;
    case 2: *word += (uint32_t)(next_random(random) % 5) - 2; break;
    case 3: *word = (uint32_t)next_random(random) % count; break;
    default: *word = WS_NONE; break;
    }
}

static void changed_records(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {8, 32, 128};
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t malformed = 0;
    for (long i = 0; i < changes; ++i) {
        const uint32_t bins = sizes[i % 3];
        struct replay_sum sums[2] = {{0}, {0}};
        struct ws_replay_losses losses[2];
        struct stream *good = begin(bins);
        fill(good, bins, &random);
        stream_end(good);
        struct stream *bad = begin(bins);
        const uint32_t count = stream_word_count(good);
        uint32_t *words = malloc(count * sizeof(*words));
        assert_non_null(words);
        memcpy(words, stream_encoded(good), count * sizeof(*words));
        for (uint64_t j = next_random(&random) % 3; j < 3; ++j)
            change(words, count, &random);
        stream_words(bad, 0, words, count, false);
        stream_end(bad);
        stream_finish(bad);
        stream_replay(bad, &check_operations, NULL, 1, NULL);
        for (uint32_t j = 0; j < 2; ++j)
            stream_replay(bad, &replay_sum_operations, &sums[j], 1 + 2 * j, &losses[j]);
        assert_true(sums[0].sum == sums[1].sum && sums[0].contexts == sums[1].contexts);
        assert_memory_equal(&losses[0], &losses[1], sizeof(losses[0]));
        malformed += losses[0].malformed;
        free(words);
        stream_finish(good);
        stream_destroy(good);
        stream_destroy(bad);
    }
    assert_true(malformed > (uint64_t)changes / 4);
}

int main(int argument_count, char **arguments)
{
    if (argument_count > 1)
        changes = strtol(arguments[1], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_records)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
