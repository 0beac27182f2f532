/* What consumers finish of a large launch is done at the same time; of a small one in the thread that reads. Each has its share
 * of the budget. */
#include <pthread.h>
#include <time.h>

#include "analysis/model/replay_parts.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/stream.h"
#include "warpscope/capture/budget.h"

enum { CONSUMERS = 3, LANES = 8, LONGEST = 200 /* seconds */ };

/* How many consumers finish just now. */
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t came;
    uint32_t wanted;
    uint32_t count;
    uint32_t parts; /* that were merged */
};

struct results {
    struct meeting *meeting;
    pthread_t thread; /* that finished */
    bool met;
    bool merged; /* all parts were, before */
    bool fails;
    uint64_t steps; /* that it spends after they met; */
    bool spent;     /* and the budget allowed them */
};

static void *create(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return malloc(1);
}

static bool merge(void *pointer, void *part, const struct ws_replay_threads *threads)
{
    struct results *results = pointer;
    (void)part;
    (void)threads;
    results->meeting->parts++;
    return true;
}

/* Waits until as many finish as are wanted. */
static bool finish(void *pointer, const struct ws_replay_threads *threads)
{
    struct results *results = pointer;
    struct meeting *meeting = results->meeting;
    struct timespec until;
    (void)threads;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LONGEST;
    pthread_mutex_lock(&meeting->lock);
    results->thread = pthread_self();
    results->merged = meeting->parts % CONSUMERS == 0;
    meeting->count++;
    pthread_cond_broadcast(&meeting->came);
    while (meeting->count < meeting->wanted &&
           pthread_cond_timedwait(&meeting->came, &meeting->lock, &until) == 0)
        ;
    results->met = meeting->count >= meeting->wanted;
    pthread_mutex_unlock(&meeting->lock);
    results->spent = ws_budget_spend(results->steps);
    return !results->fails;
}

static const struct ws_replay_operations operations = {
    .pass = STREAM_PASS, .create = create, .destroy = free, .merge = merge, .finish = finish};

static struct stream *make(uint32_t records)
{
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, (const uint32_t[]){4, 6}, 2);
    const struct ws_lanes all = ws_lanes_first(LANES);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, LANES, 1, 1);
    const uint32_t context = stream_enter_rays(stream, 0, raygen, all, 0);
    for (uint32_t i = 0; i < records; ++i)
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, i % 2, all);
    stream_place(stream, context, WS_SITE_PLACE_END, 1, all);
    stream_end(stream);
    stream_finish(stream);
    return stream;
}

/* Replays it by so many workers. False where the replay says that there was no memory. */
static bool replay(const struct stream *stream, uint32_t workers, struct results results[CONSUMERS])
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    struct ws_catalog catalog;
    uint32_t number = 0;
    bool replayed = true;
    ws_catalog_init(&catalog);
    struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
    struct ws_replay *replay = ws_replay_create(&catalog, stream_path(stream), workers);
    assert_non_null(reader);
    assert_non_null(replay);
    for (uint32_t i = 0; i < CONSUMERS; ++i)
        assert_true(ws_replay_add(replay, &operations, &results[i], &number));
    while (replayed && ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
        replayed = ws_catalog_record(&catalog, &chunk, &error) && ws_replay_record(replay, &chunk, &error);
    replayed = replayed && ws_replay_end(replay, &error);
    ws_replay_destroy(replay);
    ws_reader_destroy(reader);
    ws_catalog_finish(&catalog);
    return replayed;
}

/* As many finish together as there are workers. */
static void check(uint32_t records, uint32_t workers, uint32_t together)
{
    struct meeting meeting = {.wanted = together};
    struct results results[CONSUMERS] = {{0}};
    struct stream *stream = make(records);
    pthread_mutex_init(&meeting.lock, NULL);
    pthread_cond_init(&meeting.came, NULL);
    for (uint32_t i = 0; i < CONSUMERS; ++i)
        results[i].meeting = &meeting;
    assert_true(replay(stream, workers, results));
    assert_int_equal(meeting.count, CONSUMERS);
    for (uint32_t i = 0; i < CONSUMERS; ++i) {
        assert_true(results[i].met && results[i].merged);
        if (together == 1)
            assert_true(pthread_equal(results[i].thread, pthread_self()));
    }
    pthread_cond_destroy(&meeting.came);
    pthread_mutex_destroy(&meeting.lock);
    stream_destroy(stream);
}

static void large_together(void **state)
{
    (void)state;
    check(WS_REPLAY_LARGE, CONSUMERS, CONSUMERS);
    check(WS_REPLAY_LARGE, 2, 2);
}

static void small_alone(void **state)
{
    (void)state;
    check(100, CONSUMERS, 1);
    check(WS_REPLAY_LARGE, 1, 1);
}

/* One that fails is a failure, whichever it is. */
static void failure(void **state)
{
    (void)state;
    struct stream *stream = make(WS_REPLAY_LARGE);
    for (uint32_t i = 0; i < CONSUMERS; ++i) {
        struct meeting meeting = {.wanted = 1};
        struct results results[CONSUMERS] = {{&meeting}, {&meeting}, {&meeting}};
        pthread_mutex_init(&meeting.lock, NULL);
        pthread_cond_init(&meeting.came, NULL);
        results[i].fails = true;
        assert_false(replay(stream, 2, results));
        pthread_cond_destroy(&meeting.came);
        pthread_mutex_destroy(&meeting.lock);
    }
    stream_destroy(stream);
}

/* Each may spend what was left before, whoever comes first: the first exceeds that by itself, and no other one. It is so by one
 * worker too. */
static void budget(void **state)
{
    (void)state;
    struct stream *stream = make(WS_REPLAY_LARGE);
    for (uint32_t workers = 1; workers <= CONSUMERS; ++workers) {
        struct meeting meeting = {.wanted = workers};
        struct results results[CONSUMERS] = {{.meeting = &meeting, .steps = UINT64_C(1) << 60},
                                             {.meeting = &meeting, .steps = 2 * WS_STEPS_LEAST},
                                             {.meeting = &meeting, .steps = WS_STEPS_LEAST}};
        pthread_mutex_init(&meeting.lock, NULL);
        pthread_cond_init(&meeting.came, NULL);
        ws_budget_begin(0);
        ws_budget_reach(WS_STEPS_LEAST / 1024); /* four times the least, and once more */
        assert_true(replay(stream, workers, results));
        assert_true(!results[0].spent && results[1].spent && results[2].spent);
        assert_false(ws_budget_spend(0));
        pthread_cond_destroy(&meeting.came);
        pthread_mutex_destroy(&meeting.lock);
    }
    ws_budget_begin(0);
    stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_together), cmocka_unit_test(small_alone),
                                       cmocka_unit_test(failure), cmocka_unit_test(budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
