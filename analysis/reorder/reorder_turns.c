/* Threads in turns of a loop that are alike (replay.h): a few words of a file may stand for a billion of them.
 *
 * STEADY turns. A turn is steady when all that it changes is the number of the iteration: each thread is in its place of one
 * iteration later, what it executes is the same set in one round more (spans.h), and no tail began or ended. The next turn that
 * is like it does the same. So it is executed once more, and counted for all that are left; then threads are put into their
 * places of the last one.
 *   Example: lanes 0 to 3 turn a loop 10^8 times, A in each turn, and B in lanes 0 and 1. The first turn begins a tail of the
 *   loop, the second the item {A} or {A, B}, the third adds a round to it: it is steady. The fourth is counted for all others.
 *
 * Turns in which threads come to a branch that is looked at, or call, visit it once in each turn: they are followed one by
 * one, and so are the first of others. Of those beyond the first WS_REORDER_TURNS_FREE of each piece of turns in a row that
 * are alike a launch has WS_REORDER_TURNS_MAX places at most, or it is not looked at. Whether it is depends neither on the
 * number of workers nor on who else hears the replay: rows come in these pieces where others are told of each turn. */
#include <string.h>

#include "analysis/reorder/running_thread.h"
#include "warpscope/passes.h"

#define TRIES 8u /* so many first turns of a piece may come to be steady */

/* What a thread has before a turn. */
struct before_turn {
    struct ws_running_thread *thread; /* NULL = none */
    uint32_t stand;
    uint32_t list;
    uint32_t partings;
    uint32_t tail_count;
    uint32_t open_count;
    uint32_t coming_count;
    uint32_t path_count;
    bool cut;
};

/* Threads of a context in turns that are alike, and what all have before one. */
struct turning {
    struct ws_reorder_threads *threads;
    struct ws_context *context;
    const struct ws_replay_turn *places;
    uint32_t count;
    struct ws_lanes lanes;
    struct before_turn before[WS_BEFORE_LANES_MAX];
    uint64_t forgotten;
    uint32_t visit_count;
};

/* Lanes come by all places of a turn. False when there is no memory. */
static bool run_turn(const struct turning *turning)
{
    for (uint32_t i = 0; i < turning->count; ++i)
        if (!ws_reorder_threads_place(turning->threads, turning->context, turning->places[i].place,
                                      turning->places[i].lanes))
            return false;
    return true;
}

static struct before_turn look_at(struct ws_running_thread *thread)
{
    return (struct before_turn){thread,
                                thread->stand,
                                thread->list,
                                thread->partings,
                                thread->tail_count,
                                thread->open_count,
                                thread->coming_count,
                                thread->path_count,
                                thread->cut};
}

/* A turn is to come. False where it cannot be steady: a thread is not known. */
static bool begin_turn(struct turning *turning)
{
    const struct ws_reorder_threads *threads = turning->threads;
    turning->forgotten = threads->forgotten;
    turning->visit_count = threads->visit_count;
    for (struct ws_lanes left = turning->lanes; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        struct ws_running_thread *thread = ws_running_thread_at(threads, turning->context, lane);
        if (thread == NULL || thread->shaders == 0)
            return false;
        turning->before[lane] = look_at(thread);
    }
    return true;
}

/* Whether what a thread executes at one stand is what it does at another, one turn later. */
static bool goes_on(const struct ws_reorder_threads *threads, uint32_t from, uint32_t to, bool appends)
{
    const struct ws_growth *growth = &threads->stands.grown[to].growth;
    struct ws_growth before = threads->stands.grown[from].growth;
    if (!ws_walk_turned(&threads->walks, threads->stands.stands[from].walk, threads->stands.stands[to].walk))
        return false;
    before.round += appends;
    before.last.rounds += appends;
    return memcmp(&before, growth, sizeof(before)) == 0;
}

/* Whether the turn that was run was steady. */
static bool was_steady(const struct turning *turning)
{
    const struct ws_reorder_threads *threads = turning->threads;
    if (threads->forgotten != turning->forgotten || threads->visit_count != turning->visit_count ||
        threads->befores.lost > 0)
        return false;
    for (struct ws_lanes left = turning->lanes; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        const struct ws_running_thread *thread = ws_running_thread_at(threads, turning->context, lane);
        const struct before_turn *before = &turning->before[lane];
        if (thread == NULL || thread != before->thread || thread->list != before->list ||
            thread->partings != before->partings || thread->tail_count != before->tail_count ||
            thread->open_count != before->open_count || thread->coming_count != before->coming_count ||
            thread->path_count != before->path_count || thread->cut != before->cut ||
            !goes_on(threads, before->stand, thread->stand, thread->open_count > 0 && !thread->cut))
            return false;
    }
    return true;
}

/* The turn to come is counted so many times. False when there is no memory. */
static bool run_for_all(const struct turning *turning, uint32_t turns)
{
    struct ws_reorder_threads *threads = turning->threads;
    struct ws_reorder_context *looked = turning->context->user[threads->user];
    const uint64_t slots = threads->slots;
    if (!ws_before_end(&threads->befores, &looked->last))
        return false;
    threads->befores.more = turns - 1;
    const bool ran = run_turn(turning) && ws_before_end(&threads->befores, &looked->last);
    threads->befores.more = 0;
    threads->slots += (threads->slots - slots) * (turns - 1);
    return ran;
}

/* Threads have turned so many times more. False when there is no memory. */
static bool put_on(const struct turning *turning, uint32_t turns)
{
    for (struct ws_lanes left = turning->lanes; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        struct ws_running_thread *thread = ws_running_thread_at(turning->threads, turning->context, lane);
        if (!ws_running_thread_turn(turning->threads, thread, turns))
            return false;
    }
    return true;
}

/* Follows turns one by one until all are, or one is steady. `*left`: those that are left. False when there is no memory. */
static bool follow(struct turning *turning, uint64_t *left, bool *steady)
{
    struct ws_reorder_threads *threads = turning->threads;
    *steady = false;
    for (uint64_t turn = 0; *left > 0 && !*steady && !threads->turns_end; ++turn) {
        const uint64_t of_piece = turn % WS_REPLAY_ALIKE_PIECE;
        const bool tried = *left > 2 && of_piece < TRIES && begin_turn(turning);
        if (!run_turn(turning))
            return false;
        --*left;
        *steady = tried && was_steady(turning);
        if (of_piece < WS_REORDER_TURNS_FREE)
            continue;
        threads->followed += turning->count;
        threads->turns_end = threads->followed > threads->followed_most;
    }
    return true;
}

/* Turns of threads that are not followed: they only have slots. False when there is no memory. */
static bool pass(const struct turning *turning, uint64_t turns)
{
    struct ws_reorder_threads *threads = turning->threads;
    const uint64_t slots = threads->slots;
    const bool ran = run_turn(turning);
    threads->slots += (threads->slots - slots) * (turns - 1);
    return ran;
}

bool ws_reorder_threads_alike(struct ws_reorder_threads *threads, struct ws_context *context,
                              const struct ws_replay_turn *places, uint32_t count, uint64_t turns)
{
    struct turning turning = {.threads = threads, .context = context, .places = places, .count = count};
    bool steady = false;
    if (context->user[threads->user] == NULL)
        return pass(&turning, turns);
    for (uint32_t i = 0; i < count; ++i)
        turning.lanes = ws_lanes_or(turning.lanes, places[i].lanes);
    turning.lanes = ws_lanes_and(turning.lanes, ws_lanes_first(context->lane_count));
    while (turns > 0 && !threads->turns_end) {
        if (!follow(&turning, &turns, &steady))
            return false;
        const uint32_t now = turns < UINT32_MAX ? (uint32_t)turns : UINT32_MAX;
        if (steady && now > 0 && (!run_for_all(&turning, now) || !put_on(&turning, now - 1)))
            return false;
        turns -= steady ? now : 0;
    }
    return turns == 0 || pass(&turning, turns);
}
