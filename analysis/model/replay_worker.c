/* A worker: keeps the stacks of its threads and calls the consumers. The second half of the file are the
 * system threads that workers run in.
 *
 * STACKS. Records say where warps are (records.h). They do not say who called whom: that follows from their
 * order. Each thread has a stack of contexts, the launched one at the bottom. `tops` holds the innermost one
 * of each thread. For example, of a thread whose ray hits and whose closest hit shader traces a ray that
 * misses:
 *
 *     record of the thread         its stack then
 *     entry of ray generation      raygen
 *     entry of closest hit         raygen, closest hit
 *     entry of miss                raygen, closest hit, miss
 *     end of miss                  raygen, closest hit
 *     block of ray generation      raygen                     closest hit ended, without a record
 *
 * A context holds many threads, and it is the top of some of their stacks only. So threads enter and leave it
 * lane by lane, and it is over when all its lanes have ended or moved.
 *
 * ENDS WITHOUT A RECORD. Not every end has a record; replay.h, CALLS, lists those that have none. Such an end
 * is found when the next record shows the thread elsewhere. Then all that the thread was in further in ends
 * first, innermost first, so that a consumer sees every stack come apart in order.
 *
 * KEEPING. Consumers may walk out through context->caller at any time. So a context is kept until it is over
 * and no live context names it as a caller; `callees` counts those that do. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/capture/fixed_words.h"
#include "analysis/model/replay_parts.h"
#include "warpscope/base/array.h"
#include "warpscope/pass.h"

/* Calls an operation of those of `to`, a bit for each consumer, that have it; sets worker->failed when one
 * has no memory. */
#define TELL(worker, to, operation, ...)                                                                     \
    do {                                                                                                     \
        const struct ws_replay_consumer *told_ = (worker)->replay->consumers;                                \
        for (uint32_t to_ = (to); to_ != 0; to_ &= to_ - 1) {                                                \
            const uint32_t i_ = (uint32_t)__builtin_ctz(to_);                                                \
            if (told_[i_].operations->operation != NULL &&                                                   \
                !told_[i_].operations->operation((worker)->parts[i_], __VA_ARGS__))                          \
                (worker)->failed = true;                                                                     \
        }                                                                                                    \
    } while (0)

/* Which stages a shader of `stage` may be called from (SPIR-V: the execution models of OpTraceRayKHR,
 * OpExecuteCallableKHR and OpReportIntersectionKHR): what else a thread is in has ended without a record. */
static uint32_t callers_of(uint32_t stage)
{
    const uint32_t tracers = WS_STAGE_RAYGEN | WS_STAGE_CLOSEST_HIT | WS_STAGE_MISS;
    if (stage == WS_STAGE_ANY_HIT)
        return tracers | WS_STAGE_INTERSECTION;
    return stage == WS_STAGE_CALLABLE ? tracers | WS_STAGE_CALLABLE : tracers;
}

/* The caller of the thread in `lane`. A regular context has one caller for all lanes, and each thread has the
 * lane there that it has here; only other contexts need links. */
static struct ws_replay_link link_of(const struct ws_replay_live *live, uint32_t lane)
{
    return live->links != NULL ? live->links[lane] : (struct ws_replay_link){live->caller, lane};
}

/* The lane of a thread that is in the context. Most threads keep their lane, so `guess` is tried first. */
static uint32_t lane_of(const struct ws_replay_live *live, uint32_t thread, uint32_t guess)
{
    if (ws_lanes_has(live->context.entered, guess) && live->threads[guess] == thread)
        return guess;
    for (struct ws_lanes left = live->context.entered; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        if (live->threads[lane] == thread)
            return lane;
    }
    return guess;
}

static void unlist(struct ws_replay_worker *worker, struct ws_replay_live *live)
{
    if (live->previous != NULL)
        live->previous->next = live->next;
    else
        worker->live = live->next;
    if (live->next != NULL)
        live->next->previous = live->previous;
}

static bool is_over(const struct ws_replay_live *live)
{
    const struct ws_context *context = &live->context;
    return live->callees == 0 &&
           ws_lanes_equal(ws_lanes_or(context->ended, context->moved), context->entered);
}

/* Gives a context that is over, and that no live one names as a caller, back to the feeder: only the feeder
 * may take it out of the directory. */
static void release(struct ws_replay_worker *worker, struct ws_replay_live *live)
{
    unlist(worker, live);
    free(live->links);
    live->links = NULL;
    live->next = worker->over;
    worker->over = live;
}

/* Closes a context that is over, and then its callers where they were over too and were only kept for it. A
 * loop for regular contexts. The recursion for the others is as deep as calls are: WS_REPLAY_DEPTH at
 * most. */
static void close_over(struct ws_replay_worker *worker, struct ws_replay_live *live)
{
    while (live != NULL && is_over(live)) {
        struct ws_replay_live *caller = live->caller;
        TELL(worker, live->consumers, close, &live->context);
        if (live->links == NULL) {
            if (caller != NULL)
                caller->callees--;
            release(worker, live);
            live = caller;
            continue;
        }
        /* Regrouped: lanes may have different callers. The last of them goes on in this loop, the others in a
         * call. */
        struct ws_replay_link *links = live->links;
        struct ws_lanes left = live->context.entered;
        live->links = NULL;
        release(worker, live);
        live = NULL;
        while (ws_lanes_any(left)) {
            caller = links[ws_lanes_take(&left)].caller;
            if (caller == NULL || --caller->callees > 0)
                continue;
            if (live != NULL)
                close_over(worker, live);
            live = caller;
        }
        free(links);
    }
}

/* Lanes end here: their threads are back in their callers, which they are no longer away from. The caller
 * closes the context, since it may have more to do with it first. */
static void end_lanes(struct ws_replay_worker *worker, struct ws_replay_live *live, struct ws_lanes lanes)
{
    struct ws_replay_live **tops = worker->replay->threads.tops;
    struct ws_context *context = &live->context;
    TELL(worker, live->consumers, leave, context, lanes);
    context->ended = ws_lanes_or(context->ended, lanes);
    if (!ws_replay_stage_is_ray_tracing(context->stage))
        return;
    if (live->links == NULL && live->caller != NULL) {
        live->caller->context.away = ws_lanes_without(live->caller->context.away, lanes);
        while (ws_lanes_any(lanes))
            tops[live->threads[ws_lanes_take(&lanes)]] = live->caller;
        return;
    }
    while (ws_lanes_any(lanes)) {
        const uint32_t lane = ws_lanes_take(&lanes);
        const struct ws_replay_link link = link_of(live, lane);
        if (live->links != NULL && link.caller != NULL)
            link.caller->context.away = ws_lanes_without(link.caller->context.away, ws_lanes_one(link.lane));
        if (context->threads[lane] != WS_NONE)
            tops[context->threads[lane]] = link.caller;
    }
}

/* Ends all contexts of the thread in `lane` that are further in than `live`, innermost first. */
static void return_to(struct ws_replay_worker *worker, struct ws_replay_live *live, uint32_t lane)
{
    const uint32_t thread = live->threads[lane];
    struct ws_replay_live **top = &worker->replay->threads.tops[thread];
    while (*top != NULL && *top != live) {
        struct ws_replay_live *inner = *top;
        end_lanes(worker, inner, ws_lanes_one(lane_of(inner, thread, lane)));
        close_over(worker, inner);
    }
}

/* A record shows lanes in a context that they were away from: what they had called has ended. */
static void return_lanes(struct ws_replay_worker *worker, struct ws_replay_live *live, struct ws_lanes lanes)
{
    for (struct ws_lanes left = ws_lanes_and(lanes, live->context.away); ws_lanes_any(left);)
        return_to(worker, live, ws_lanes_take(&left));
}

/* An any-hit shader ended with OpTerminateRayKHR. Where an intersection shader had reported the hit, it does
 * not run on (SPIR-V, OpTerminateRayKHR), so its lanes end too, without a record. */
static void end_reporters(struct ws_replay_worker *worker, const struct ws_replay_live *live,
                          struct ws_lanes lanes)
{
    struct ws_replay_live **tops = worker->replay->threads.tops;
    while (ws_lanes_any(lanes)) {
        const uint32_t lane = ws_lanes_take(&lanes);
        const uint32_t thread = live->threads[lane];
        struct ws_replay_live *reporter = thread != WS_NONE ? tops[thread] : NULL;
        if (reporter == NULL || reporter->context.stage != WS_STAGE_INTERSECTION)
            continue;
        end_lanes(worker, reporter, ws_lanes_one(lane_of(reporter, thread, lane)));
        close_over(worker, reporter);
    }
}

/* Puts the threads of a called context on top of their stacks. `links` receives the caller of each lane, NULL
 * where it is not known; `*regular` whether all lanes have one caller and their own lane in it. What a thread
 * is in that cannot have called this shader has ended without a record: it is taken off the stack first.
 * False where one thread is in two lanes, which no device does. */
static bool take_threads(struct ws_replay_worker *worker, struct ws_replay_live *live,
                         struct ws_replay_link *links, bool *regular)
{
    struct ws_replay_live **tops = worker->replay->threads.tops;
    const uint32_t callers = callers_of(live->context.stage);
    const struct ws_replay_link *first = NULL;
    *regular = true;
    for (struct ws_lanes left = live->context.entered; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        const uint32_t thread = live->context.threads[lane];
        links[lane] = (struct ws_replay_link){NULL, lane};
        if (thread != WS_NONE) {
            struct ws_replay_live **top = &tops[thread];
            while (*top != NULL && ((*top)->context.stage & callers) == 0) {
                struct ws_replay_live *inner = *top;
                if (inner == live)
                    return false;
                end_lanes(worker, inner, ws_lanes_one(lane_of(inner, thread, lane)));
                close_over(worker, inner);
            }
            if (*top == live)
                return false;
            if (*top != NULL)
                links[lane] = (struct ws_replay_link){*top, lane_of(*top, thread, lane)};
            *top = live;
        }
        if (first == NULL)
            first = &links[lane];
        if (links[lane].caller != first->caller || (first->caller != NULL && links[lane].lane != lane))
            *regular = false;
    }
    return true;
}

/* Sets the callers of a context, and counts it as a callee of each. A regular one is a callee once, another
 * one once for each lane. False when there is no memory. */
static bool set_callers(struct ws_replay_worker *worker, struct ws_replay_live *live,
                        const struct ws_replay_link *links, bool regular)
{
    struct ws_context *context = &live->context;
    struct ws_replay_live *first = links[ws_lanes_lowest(context->entered)].caller;
    context->caller = first != NULL ? &first->context : NULL;
    context->depth = first != NULL ? first->context.depth + 1 : 1;
    context->regrouped = !regular;
    if (regular) {
        live->caller = first;
        if (first != NULL) {
            first->callees++;
            first->context.away = ws_lanes_or(first->context.away, context->entered);
        }
        worker->unrooted += first == NULL && live->consumers != 0;
        return true;
    }
    live->links = calloc(WS_REPLAY_LANES, sizeof(*live->links));
    if (live->links == NULL)
        return false;
    bool rooted = true;
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        struct ws_replay_live *caller = links[lane].caller;
        live->links[lane] = links[lane];
        rooted = rooted && caller != NULL;
        if (caller == NULL)
            continue;
        caller->callees++;
        caller->context.away = ws_lanes_or(caller->context.away, ws_lanes_one(links[lane].lane));
    }
    worker->unrooted += !rooted && live->consumers != 0;
    worker->regrouped += live->consumers != 0;
    return true;
}

/* Most contexts are regular: their threads come from one caller, each from the lane that it has here. That
 * can be seen without following each thread's stack. False, and nothing changed, where the context is not
 * regular or its caller is not known. */
static bool enter_regular(struct ws_replay_worker *worker, struct ws_replay_live *live)
{
    struct ws_replay_live **tops = worker->replay->threads.tops;
    const struct ws_lanes entered = live->context.entered;
    const uint32_t thread = live->threads[ws_lanes_lowest(entered)];
    struct ws_replay_live *caller = thread != WS_NONE ? tops[thread] : NULL;
    if (caller == NULL || (caller->context.stage & callers_of(live->context.stage)) == 0 ||
        ws_lanes_any(ws_lanes_without(entered, caller->context.entered)) ||
        ws_lanes_any(
            ws_lanes_and(entered, ws_lanes_or(caller->context.moved,
                                              ws_lanes_or(caller->context.away, caller->context.ended)))))
        return false;
    /* Lanes of the caller that have not ended or moved and are not away: for their threads it is the top. */
    for (struct ws_lanes left = entered; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        if (live->threads[lane] == WS_NONE || live->threads[lane] != caller->threads[lane])
            return false;
    }
    for (struct ws_lanes left = entered; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        tops[live->threads[lane]] = live;
    }
    live->context.caller = &caller->context;
    live->context.depth = caller->context.depth + 1;
    live->caller = caller;
    caller->callees++;
    caller->context.away = ws_lanes_or(caller->context.away, entered);
    return true;
}

static void enter_called(struct ws_replay_worker *worker, struct ws_replay_live *live)
{
    struct ws_replay_link links[WS_REPLAY_LANES];
    bool regular = true;
    if (enter_regular(worker, live)) {
        worker->malformed = worker->malformed || live->context.depth > WS_REPLAY_DEPTH;
        return;
    }
    if (!take_threads(worker, live, links, &regular))
        worker->malformed = true;
    else if (!set_callers(worker, live, links, regular))
        worker->failed = true;
    else if (live->context.depth > WS_REPLAY_DEPTH)
        worker->malformed = true;
}

static void enter_launched(struct ws_replay_worker *worker, struct ws_replay_live *live)
{
    struct ws_replay_live **tops = worker->replay->threads.tops;
    if (live->context.stage != WS_STAGE_RAYGEN)
        return;
    for (struct ws_lanes left = live->context.entered; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        tops[live->threads[lane]] = live;
    }
}

/* Whether a thread leaves a context for a new one, `live`. `left`: the number of what it leaves. NULL where the record
 * does not say it: then it is the first of the same shader. */
static bool is_left(const struct ws_replay_live *context, const struct ws_replay_live *live,
                    const uint32_t *left)
{
    return left != NULL ? context->number == *left : context->context.shader == live->context.shader;
}

/* Puts the threads of a continuation (records.h, CONTINUATION) into their new context. Each was in a context
 * of the same shader; that one gets off its stack and this one takes its place, so the thread keeps the
 * callers that it had. `numbers`: of those contexts, one for each lane; NULL = not said. `from` receives
 * where each lane's thread was, `links` its caller. What the thread was in further in has ended: the shader
 * call that it came back from is over. False where a thread is in two lanes, where it was in no such context
 * of the shader, or where the thread of a launched shader is not known. */
static bool take_over(struct ws_replay_worker *worker, struct ws_replay_live *live, const uint32_t *numbers,
                      struct ws_replay_link *from, struct ws_replay_link *links, bool *regular)
{
    struct ws_replay_live **tops = worker->replay->threads.tops;
    const struct ws_replay_link *first = NULL;
    *regular = true;
    for (struct ws_lanes left = live->context.entered; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        const uint32_t thread = live->threads[lane];
        const uint32_t *number = numbers != NULL ? numbers++ : NULL;
        from[lane] = links[lane] = (struct ws_replay_link){NULL, lane};
        if (thread == WS_NONE && ws_replay_stage_is_launched(live->context.stage))
            return false;
        if (thread != WS_NONE) {
            struct ws_replay_live **top = &tops[thread];
            while (*top != NULL && !is_left(*top, live, number)) {
                struct ws_replay_live *inner = *top;
                end_lanes(worker, inner, ws_lanes_one(lane_of(inner, thread, lane)));
                close_over(worker, inner);
            }
            if (*top == NULL || *top == live || (*top)->context.shader != live->context.shader)
                return false;
            from[lane] = (struct ws_replay_link){*top, lane_of(*top, thread, lane)};
            links[lane] = link_of(*top, from[lane].lane);
            live->context.depth = (*top)->context.depth;
            *top = live;
        }
        if (first == NULL)
            first = &links[lane];
        if (links[lane].caller != first->caller || (first->caller != NULL && links[lane].lane != lane))
            *regular = false;
    }
    return true;
}

static void enter_continued(struct ws_replay_worker *worker, struct ws_replay_live *live,
                            const uint32_t *numbers, struct ws_replay_link *from)
{
    struct ws_replay_link links[WS_REPLAY_LANES];
    bool regular = true;
    live->context.continues = true;
    if (!take_over(worker, live, numbers, from, links, &regular)) {
        worker->malformed = true;
        return;
    }
    worker->continued += live->consumers != 0;
    if (ws_replay_stage_is_launched(live->context.stage))
        worker->regrouped += live->consumers != 0;
    else if (!set_callers(worker, live, links, regular))
        worker->failed = true;
    else
        worker->regrouped += regular && live->consumers != 0;
    live->context.regrouped = true;
}

/* The threads of a continuation leave the contexts that they were in, as moved, not as ended. Consumers hear
 * of all moves before any of these contexts is closed: what they keep with it is there while they take it
 * over. */
static void leave_behind(struct ws_replay_worker *worker, struct ws_replay_live *live,
                         struct ws_replay_link *from)
{
    for (struct ws_lanes left = live->context.entered; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        struct ws_replay_live *before = from[lane].caller;
        if (before == NULL)
            continue;
        TELL(worker, live->consumers, move, &before->context, from[lane].lane, &live->context, lane);
        before->context.moved = ws_lanes_or(before->context.moved, ws_lanes_one(from[lane].lane));
    }
    for (struct ws_lanes left = live->context.entered; ws_lanes_any(left);) {
        struct ws_replay_live *before = from[ws_lanes_take(&left)].caller;
        if (before == NULL || !is_over(before))
            continue;
        for (struct ws_lanes rest = left; ws_lanes_any(rest);) {
            const uint32_t lane = ws_lanes_take(&rest);
            if (from[lane].caller == before)
                from[lane].caller = NULL;
        }
        close_over(worker, before);
    }
}

/* Tells the consumers of all places that the record's number stands for, in the order in which lanes come
 * through them: a place whose lanes are known from an earlier one has no record of its own (pass.h,
 * ws_visit_record). */
static void tell_places(struct ws_replay_worker *worker, struct ws_replay_live *live, uint32_t told,
                        const struct ws_replay_number *number, struct ws_lanes lanes)
{
    const struct ws_replay_consumer *consumers = worker->replay->consumers;
    const struct ws_replay_place *place = live->module->places + number->first;
    for (const struct ws_replay_place *end = place + number->count; place < end; ++place)
        for (uint32_t to = told & place->consumers; to != 0; to &= to - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(to);
            if (!consumers[i].operations->place(worker->parts[i], &live->context, place, lanes))
                worker->failed = true;
        }
}

/* Lanes run on in a context. False where they cannot: they have ended or moved away. */
static bool run_on(struct ws_replay_worker *worker, struct ws_replay_live *live, struct ws_lanes lanes)
{
    if (ws_lanes_any(ws_lanes_and(lanes, ws_lanes_or(live->context.ended, live->context.moved))))
        return false;
    if (ws_lanes_any(ws_lanes_and(lanes, live->context.away)))
        return_lanes(worker, live, lanes);
    return true;
}

/* Tells adders how often lanes came by the places of a step. */
static void tell_sum(struct ws_replay_worker *worker, struct ws_replay_live *live,
                     const struct ws_replay_number *number, struct ws_replay_sum *sum)
{
    const struct ws_replay_place *place = live->module->places + number->first;
    const uint32_t count = ws_lanes_count(sum->lanes);
    sum->active = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum->active += sum->times[i];
    for (const struct ws_replay_place *end = place + number->count; place < end; ++place)
        TELL(worker, live->adders & place->consumers, sum, &live->context, place, sum);
}

/* All turns of a loop. */
static void take_sums(struct ws_replay_worker *worker, const struct ws_replay_event *event,
                      const uint32_t *words)
{
    struct ws_replay_live *live = event->live;
    const struct ws_replay_number *numbers = live->module->numbers;
    const struct ws_path *path = &live->module->paths.paths[numbers[event->number].path];
    const struct ws_path_step *steps = live->module->paths.steps + path->first + words[0];
    const uint32_t count = words[1], width = words[2] != 0 ? 2 : 1;
    const uint32_t lane_count = ws_lanes_count(event->lanes);
    const uint32_t *turns = words + WS_REPLAY_SUM_WORDS;
    const uint32_t *of_lanes = turns + 2 * (size_t)count;
    uint64_t times[WS_REPLAY_LANES];
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t *row = of_lanes + (size_t)i * width * ws_path_stride(lane_count);
        struct ws_replay_sum sum = {.lanes = event->lanes, .times = times};
        memcpy(&sum.executions, turns + 2 * (size_t)i, sizeof(sum.executions));
        if (sum.executions == 0 || numbers[steps[i].number].count == 0)
            continue;
        if (width == 2)
            memcpy(times, row, lane_count * sizeof(*times));
        for (uint32_t j = 0; j < lane_count && width == 1; ++j)
            times[j] = row[j];
        tell_sum(worker, live, &numbers[steps[i].number], &sum);
    }
}

/* Tells a consumer of turns that are alike, of which each has `steps` steps with these lanes. */
static void tell_leaper(struct ws_replay_worker *worker, struct ws_replay_live *live, uint32_t consumer,
                        const struct ws_path_step *steps, const struct ws_lanes *lanes, uint32_t count,
                        uint64_t turns)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_replay_number *number = &live->module->numbers[steps[i].number];
        if (!ws_lanes_any(lanes[i]))
            continue;
        struct ws_replay_turn *turn =
            ws_array_grow(worker->turn, &worker->turn_capacity, told + number->count + 1, sizeof(*turn));
        if (turn == NULL) {
            worker->failed = true;
            return;
        }
        worker->turn = turn;
        for (uint32_t j = number->first; j < number->first + number->count; ++j)
            if ((live->module->places[j].consumers >> consumer & 1) != 0)
                turn[told++] = (struct ws_replay_turn){&live->module->places[j], lanes[i]};
    }
    if (told > 0 && !worker->replay->consumers[consumer].operations->alike(
                        worker->parts[consumer], &live->context, worker->turn, told, turns))
        worker->failed = true;
}

/* Turns of a loop that are alike. No lane ends, calls or moves in them. */
static void take_alike(struct ws_replay_worker *worker, const struct ws_replay_event *event,
                       const uint32_t *words)
{
    struct ws_replay_live *live = event->live;
    const struct ws_replay_number *numbers = live->module->numbers;
    const struct ws_path *path = &live->module->paths.paths[numbers[event->number].path];
    const struct ws_path_step *steps = live->module->paths.steps + path->first + words[0];
    const uint32_t each = ws_replay_lane_words(&live->context), count = words[1];
    struct ws_lanes lanes[WS_REPLAY_SUM_STEPS]; /* no more: the path adds up */
    uint64_t turns = 0;
    memcpy(&turns, words + 2, sizeof(turns));
    words += WS_REPLAY_TURN_WORDS;
    for (uint32_t i = 0; i < count; ++i, words += each) {
        lanes[i] = (struct ws_lanes){0, 0};
        memcpy(&lanes[i], words, each * sizeof(*words));
    }
    const uint32_t hear = live->consumers & ~live->adders;
    const uint32_t leap = turns >= WS_REPLAY_ALIKE ? hear & live->leapers : 0;
    for (uint32_t to = leap; to != 0 && !worker->failed; to &= to - 1)
        tell_leaper(worker, live, (uint32_t)__builtin_ctz(to), steps, lanes, count, turns);
    if ((hear & ~leap) == 0)
        return;
    for (uint64_t turn = 0; turn < turns && !worker->failed; ++turn)
        for (uint32_t i = 0; i < count; ++i)
            if (ws_lanes_any(lanes[i]))
                tell_places(worker, live, hear & ~leap, &numbers[steps[i].number], lanes[i]);
}

/* Tells the places of a plain path. No lane ends, calls or moves in it, so where all its lanes are in the context they stay
 * there. */
static void take_path(struct ws_replay_worker *worker, const struct ws_replay_event *event,
                      const uint32_t *words)
{
    struct ws_replay_live *live = event->live;
    const struct ws_context *context = &live->context;
    const struct ws_replay_number *numbers = live->module->numbers;
    const struct ws_path *path = &live->module->paths.paths[numbers[event->number].path];
    const struct ws_path_step *step = live->module->paths.steps + path->first;
    const struct ws_lanes gone = ws_lanes_or(ws_lanes_or(context->ended, context->moved), context->away);
    const bool all_here = !ws_lanes_any(ws_lanes_and(event->lanes, gone));
    for (const struct ws_path_step *end = step + path->count; step < end && !worker->failed; ++step) {
        const struct ws_lanes lanes = ws_path_lanes(path, step, event->lanes, words);
        if (!ws_lanes_any(lanes))
            continue;
        if (!all_here && !run_on(worker, live, lanes)) {
            worker->malformed = true;
            return;
        }
        tell_places(worker, live, live->consumers, &numbers[step->number], lanes);
    }
}

/* A data record. `words` are those that it has. */
static void tell_data(struct ws_replay_worker *worker, const struct ws_replay_event *event,
                      const struct ws_replay_number *number, const uint32_t *words)
{
    struct ws_replay_live *live = event->live;
    const uint32_t told = live->consumers & number->consumers;
    if (number->fixed == 0) {
        TELL(worker, told, data, &live->context, event->number, event->lanes, words, number->words);
        return;
    }
    uint32_t whole[WS_DATA_WORDS_MAX * WS_REPLAY_LANES];
    const uint32_t count =
        (uint32_t)number->words + number->fixed; /* WS_DATA_WORDS_MAX at most, as the reader checks */
    if (told == 0)
        return;
    ws_fixed_words_restore(whole, words, ws_lanes_count(event->lanes), count,
                           live->module->fixed + number->fixed_first, number->fixed);
    TELL(worker, told, data, &live->context, event->number, event->lanes, whole, count);
}

/* `numbers`: of the contexts that the threads leave; NULL = not said, or it continues none. */
static void take_enter(struct ws_replay_worker *worker, const struct ws_replay_event *event,
                       const uint32_t *numbers)
{
    struct ws_replay_live *live = event->live;
    const struct ws_replay_number *number = &live->module->numbers[event->number];
    const bool continues = (number->flags & WS_REPLAY_NUMBER_CONTINUE) != 0;
    struct ws_replay_link from[WS_REPLAY_LANES];
    live->next = worker->live;
    live->previous = NULL;
    if (worker->live != NULL)
        worker->live->previous = live;
    worker->live = live;
    if (continues)
        enter_continued(worker, live, numbers, from);
    else if (ws_replay_stage_is_launched(live->context.stage))
        enter_launched(worker, live);
    else
        enter_called(worker, live);
    if (worker->malformed || worker->failed) {
        release(worker, live); /* no consumer has heard of it */
        return;
    }
    TELL(worker, live->consumers, enter, &live->context, worker->replay->threads.threads);
    if (continues && !worker->failed)
        leave_behind(worker, live, from);
    if (!worker->failed)
        tell_places(worker, live, live->consumers, number, event->lanes);
}

void ws_replay_worker_take(struct ws_replay_worker *worker, const struct ws_replay_event *event,
                           const uint32_t *words)
{
    struct ws_replay_live *live = event->live;
    /* The rest of the launch is dropped, but contexts that the feeder has made since go back to it. */
    if (worker->malformed || worker->failed) {
        if (event->kind <= WS_REPLAY_EVENT_MOVE) {
            live->next = worker->over;
            worker->over = live;
        }
        return;
    }
    if (event->kind <= WS_REPLAY_EVENT_MOVE) {
        take_enter(worker, event, event->kind == WS_REPLAY_EVENT_MOVE ? words : NULL);
        return;
    }
    if (event->kind == WS_REPLAY_EVENT_PATH) {
        take_path(worker, event, words);
        return;
    }
    if (!run_on(worker, live, event->lanes)) {
        worker->malformed = true;
        return;
    }
    const struct ws_replay_number *number = &live->module->numbers[event->number];
    if (event->kind == WS_REPLAY_EVENT_SUM) {
        take_sums(worker, event, words);
        return;
    }
    if (event->kind == WS_REPLAY_EVENT_TURN) {
        take_alike(worker, event, words);
        return;
    }
    if (event->kind == WS_REPLAY_EVENT_DATA)
        tell_data(worker, event, number, words);
    tell_places(worker, live, live->consumers, number, event->lanes);
    if ((number->flags & WS_REPLAY_NUMBER_END) == 0)
        return;
    end_lanes(worker, live, event->lanes);
    if ((number->flags & WS_REPLAY_NUMBER_END_RAY) != 0 && live->context.stage == WS_STAGE_ANY_HIT)
        end_reporters(worker, live, event->lanes);
    close_over(worker, live);
}

bool ws_replay_worker_begin(struct ws_replay_worker *worker)
{
    const struct ws_replay *replay = worker->replay;
    if (worker->has_parts)
        return !worker->failed;
    memset(worker->parts, 0, sizeof(worker->parts));
    worker->has_parts = true;
    for (uint32_t i = 0; i < replay->consumer_count; ++i) {
        if ((replay->feed.consumers >> i & 1) == 0)
            continue;
        worker->parts[i] =
            replay->consumers[i].operations->create(replay->consumers[i].results, &replay->feed.launch);
        if (worker->parts[i] == NULL)
            worker->failed = true;
    }
    return !worker->failed;
}

void ws_replay_worker_drop_parts(struct ws_replay_worker *worker)
{
    const struct ws_replay *replay = worker->replay;
    for (uint32_t i = 0; i < replay->consumer_count && worker->has_parts; ++i)
        if (worker->parts[i] != NULL)
            replay->consumers[i].operations->destroy(worker->parts[i]);
    worker->has_parts = false;
}

/* The newest context first: a context is newer than its callers, so every consumer sees the inner ones closed
 * first. */
bool ws_replay_worker_end(struct ws_replay_worker *worker)
{
    while (worker->live != NULL) {
        struct ws_replay_live *live = worker->live;
        TELL(worker, live->consumers, close, &live->context);
        release(worker, live);
    }
    return !worker->failed;
}

/* Workers in threads of their own. Each has a channel: the feeder fills batches of events and queues them,
 * the worker takes them in and gives the empty batches back, with the contexts that are over. A channel has
 * BATCHES batches: a feeder that is faster than a worker waits for an empty one, so that memory stays
 * bounded. */
enum {
    BATCHES = 16,
    /* A feeder that found no empty batch waits for so many: then it and the worker wake each other less
     * often. */
    IDLE = BATCHES / 2,
    /* And a worker that found no batch sleeps until so many are queued, or no more will come for now. */
    QUEUED = BATCHES / 2,
    AHEAD = 6, /* events that a worker looks ahead */
};

struct channel {
    alignas(WS_REPLAY_CACHE_LINE) struct ws_replay_worker *worker;
    pthread_t thread;
    bool started;
    alignas(WS_REPLAY_CACHE_LINE) pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;                                /* something is queued, or it is to quit */
    pthread_cond_t rest;                                /* a batch came back */
    struct ws_replay_batch *first;                      /* queued */
    struct ws_replay_batch *last;
    uint32_t queued_count;
    bool sleeps; /* the worker, until the feeder takes this back */
    struct ws_replay_batch *idle;
    uint32_t idle_count;
    uint32_t wanted; /* idle batches that the feeder waits for; 0 = it does not */
    bool quit;
    bool stopped; /* the worker failed, or met a malformed record */
};

struct ws_replay_pool {
    struct ws_replay *replay;
    uint32_t count;
    struct channel channels[WS_REPLAY_WORKERS];
};

static struct ws_replay_batch *take_queued(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    channel->sleeps = channel->first == NULL;
    while (channel->sleeps && !channel->quit)
        pthread_cond_wait(&channel->work, &channel->lock);
    struct ws_replay_batch *batch = channel->first;
    if (batch != NULL) {
        channel->first = batch->next;
        channel->queued_count--;
    }
    pthread_mutex_unlock(&channel->lock);
    return batch;
}

/* Asks the processor for the memory of a context whose event comes soon: on a device with thousands of warps
 * it has left the caches since its last one. */
static void expect(const struct ws_replay_batch *batch, uint32_t index)
{
    if (index + AHEAD >= batch->count)
        return;
    const struct ws_replay_live *live = batch->events[index + AHEAD].live;
    __builtin_prefetch(live);
    __builtin_prefetch(&live->context, 1);
    __builtin_prefetch(&live->context.away, 1);
}

static void *work(void *user)
{
    struct channel *channel = user;
    struct ws_replay_worker *worker = channel->worker;
    for (struct ws_replay_batch *batch = take_queued(channel); batch != NULL; batch = take_queued(channel)) {
        for (uint32_t i = 0; i < batch->count; ++i) {
            expect(batch, i);
            ws_replay_worker_take(worker, &batch->events[i],
                                  batch->words != NULL ? batch->words + batch->events[i].words : NULL);
        }
        batch->over = worker->over;
        worker->over = NULL;
        pthread_mutex_lock(&channel->lock);
        batch->next = channel->idle;
        channel->idle = batch;
        channel->idle_count++;
        channel->stopped = worker->failed || worker->malformed;
        if (channel->idle_count == channel->wanted)
            pthread_cond_signal(&channel->rest);
        pthread_mutex_unlock(&channel->lock);
    }
    return NULL;
}

static bool open_channel(struct channel *channel, struct ws_replay_worker *worker)
{
    channel->worker = worker;
    pthread_mutex_init(&channel->lock, NULL);
    pthread_cond_init(&channel->work, NULL);
    pthread_cond_init(&channel->rest, NULL);
    for (int i = 0; i < BATCHES; ++i) {
        struct ws_replay_batch *batch = malloc(sizeof(*batch));
        if (batch == NULL)
            return false;
        batch->next = channel->idle;
        batch->words = NULL;
        batch->word_capacity = 0;
        batch->over = NULL;
        channel->idle = batch;
        channel->idle_count++;
    }
    channel->started = pthread_create(&channel->thread, NULL, work, channel) == 0;
    return channel->started;
}

static void free_batches(struct ws_replay_batch *batch)
{
    while (batch != NULL) {
        struct ws_replay_batch *next = batch->next;
        free(batch->words);
        free(batch);
        batch = next;
    }
}

static void close_channel(struct channel *channel)
{
    if (channel->started) {
        pthread_mutex_lock(&channel->lock);
        channel->quit = true;
        pthread_cond_signal(&channel->work);
        pthread_mutex_unlock(&channel->lock);
        pthread_join(channel->thread, NULL);
    }
    if (channel->worker->filling != NULL)
        channel->worker->filling->next = NULL;
    free_batches(channel->worker->filling);
    free_batches(channel->idle);
    pthread_cond_destroy(&channel->work);
    pthread_cond_destroy(&channel->rest);
    pthread_mutex_destroy(&channel->lock);
}

struct ws_replay_pool *ws_replay_pool_create(struct ws_replay *replay)
{
    struct ws_replay_pool *pool = aligned_alloc(WS_REPLAY_CACHE_LINE, sizeof(*pool));
    if (pool == NULL)
        return NULL;
    memset(pool, 0, sizeof(*pool));
    pool->replay = replay;
    while (pool->count < replay->worker_count) {
        const uint32_t index = pool->count++;
        if (!open_channel(&pool->channels[index], &replay->workers[index])) {
            ws_replay_pool_destroy(pool);
            return NULL;
        }
    }
    return pool;
}

void ws_replay_pool_destroy(struct ws_replay_pool *pool)
{
    if (pool == NULL)
        return;
    for (uint32_t i = 0; i < pool->count; ++i)
        close_channel(&pool->channels[i]);
    free(pool);
}

/* Wakes the worker where it sleeps and `least` batches or more are queued. The channel is locked. */
static void wake(struct channel *channel, uint32_t least)
{
    if (!channel->sleeps || channel->queued_count < least)
        return;
    channel->sleeps = false;
    pthread_cond_signal(&channel->work);
}

/* Queues the batch that is being filled. */
static void flush(struct channel *channel)
{
    struct ws_replay_batch *batch = channel->worker->filling;
    if (batch == NULL)
        return;
    channel->worker->filling = NULL;
    pthread_mutex_lock(&channel->lock);
    batch->next = NULL;
    if (channel->first == NULL)
        channel->first = batch;
    else
        channel->last->next = batch;
    channel->last = batch;
    channel->queued_count++;
    wake(channel, QUEUED);
    pthread_mutex_unlock(&channel->lock);
}

/* Waits until so many batches are idle. The channel is locked. */
static void wait_idle(struct channel *channel, uint32_t count)
{
    channel->wanted = count;
    while (channel->idle_count < count)
        pthread_cond_wait(&channel->rest, &channel->lock);
    channel->wanted = 0;
}

/* An empty batch to fill, waited for. */
static bool take_idle(struct ws_replay_pool *pool, struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    if (channel->idle == NULL)
        wait_idle(channel, IDLE);
    struct ws_replay_batch *batch = channel->idle;
    channel->idle = batch->next;
    channel->idle_count--;
    const bool stopped = channel->stopped;
    pthread_mutex_unlock(&channel->lock);
    ws_replay_recycle(pool->replay, batch->over);
    batch->over = NULL;
    batch->count = 0;
    batch->word_count = 0;
    channel->worker->filling = batch;
    return !stopped;
}

static bool add_words(struct ws_replay_batch *batch, const uint32_t *words, uint32_t count)
{
    if (batch->word_count + count > batch->word_capacity) {
        const uint32_t capacity = 2 * (batch->word_count + count);
        uint32_t *larger = realloc(batch->words, capacity * sizeof(*larger));
        if (larger == NULL)
            return false;
        batch->words = larger;
        batch->word_capacity = capacity;
    }
    memcpy(batch->words + batch->word_count, words, count * sizeof(*words));
    batch->word_count += count;
    return true;
}

bool ws_replay_pool_put(struct ws_replay_pool *pool, uint32_t worker, const struct ws_replay_event *event,
                        const uint32_t *words, uint32_t word_count)
{
    struct channel *channel = &pool->channels[worker];
    if (channel->worker->filling == NULL && !take_idle(pool, channel))
        return false;
    struct ws_replay_batch *batch = channel->worker->filling;
    struct ws_replay_event *put = &batch->events[batch->count++];
    *put = *event;
    put->words = batch->word_count;
    if (word_count > 0 && !add_words(batch, words, word_count)) {
        batch->count--;
        return false;
    }
    if (batch->count == WS_REPLAY_EVENTS || batch->word_count >= WS_REPLAY_WORDS)
        flush(channel);
    return true;
}

bool ws_replay_pool_rest(struct ws_replay_pool *pool)
{
    bool stopped = false;
    for (uint32_t i = 0; i < pool->count; ++i) {
        struct channel *channel = &pool->channels[i];
        flush(channel);
        pthread_mutex_lock(&channel->lock);
        wake(channel, 1);
        pthread_mutex_unlock(&channel->lock);
    }
    for (uint32_t i = 0; i < pool->count; ++i) {
        struct channel *channel = &pool->channels[i];
        pthread_mutex_lock(&channel->lock);
        wait_idle(channel, BATCHES);
        stopped = stopped || channel->stopped;
        channel->stopped = false;
        pthread_mutex_unlock(&channel->lock);
        for (struct ws_replay_batch *batch = channel->idle; batch != NULL; batch = batch->next) {
            ws_replay_recycle(pool->replay, batch->over);
            batch->over = NULL;
        }
    }
    return !stopped;
}
