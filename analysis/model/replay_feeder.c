/* The feeder: cuts the words of a launch's pieces into records, checks them, and hands them to workers as
 * events.
 *
 * All that depends on the order of records in the stream happens here, in one thread: which context a record
 * belongs to, and which numbers threads and warps get. Warps append to one stream in any order, so
 * neighbouring records are mostly of different contexts; a record names its context by the position of its
 * entry record (records.h, CONTEXT), and the directory finds it by that.
 *
 * UNTRUSTED. A record is believed only as far as it agrees with the module that it comes from: its number
 * must be one of the module's, its lanes must have entered. What does not agree is malformed, and with it the
 * rest of the launch, since where the next record begins is then not known.
 *
 * ORDER. A worker takes in the events of its contexts in the order of the stream. Between contexts of
 * different workers there is no order, and none is needed: stacks are per thread, and all contexts of a
 * thread go to the worker of the warp that it was launched in. A device that puts threads of several workers'
 * warps into one context makes that impossible (REDO): then the launch is replayed again, by one worker
 * (replay.c). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/replay_parts.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

/* The directory: from the number of a context to the context. Open addressing with linear probing. Contexts
 * come and go all the time, so a removed one leaves no mark: those behind it move up (Knuth, The Art of
 * Computer Programming 3, 6.4, algorithm R). */
#define FIRST_SHIFT 22 /* 1024 slots */

/* Numbers are positions in the stream, so they often lie the same distance apart. Multiplication by 2^32 /
 * golden ratio spreads equal steps evenly over the high bits (Fibonacci hashing, Knuth, the same section). */
static uint32_t directory_home(const struct ws_replay_directory *directory, uint32_t number)
{
    return (number * UINT32_C(2654435769)) >> directory->shift;
}

static struct ws_replay_live *directory_find(const struct ws_replay_directory *directory, uint32_t number)
{
    if (directory->count == 0)
        return NULL;
    const uint32_t mask = directory->capacity - 1;
    uint32_t index = directory_home(directory, number);
    struct ws_replay_live *live = directory->slots[index];
    while (live != NULL && live->number != number) {
        index = (index + 1) & mask;
        live = directory->slots[index];
    }
    return live;
}

static void directory_put(struct ws_replay_directory *directory, struct ws_replay_live *live)
{
    uint32_t index = directory_home(directory, live->number);
    while (directory->slots[index] != NULL)
        index = (index + 1) & (directory->capacity - 1);
    directory->slots[index] = live;
    directory->count++;
}

static bool directory_grow(struct ws_replay_directory *directory)
{
    struct ws_replay_directory larger = {.shift =
                                             directory->capacity > 0 ? directory->shift - 1 : FIRST_SHIFT};
    if (larger.shift == 0)
        return false;
    larger.capacity = UINT32_C(1) << (32 - larger.shift);
    larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
    if (larger.slots == NULL)
        return false;
    for (uint32_t i = 0; i < directory->capacity; ++i)
        if (directory->slots[i] != NULL)
            directory_put(&larger, directory->slots[i]);
    free(directory->slots);
    *directory = larger;
    return true;
}

static bool directory_add(struct ws_replay_directory *directory, struct ws_replay_live *live)
{
    if (directory->count >= directory->capacity / 2 && !directory_grow(directory))
        return false;
    directory_put(directory, live);
    return true;
}

static void directory_remove(struct ws_replay_directory *directory, uint32_t number)
{
    if (directory->count == 0)
        return;
    const uint32_t mask = directory->capacity - 1;
    uint32_t hole = directory_home(directory, number);
    while (directory->slots[hole] != NULL && directory->slots[hole]->number != number)
        hole = (hole + 1) & mask;
    if (directory->slots[hole] == NULL)
        return;
    directory->count--;
    for (uint32_t next = (hole + 1) & mask; directory->slots[next] != NULL; next = (next + 1) & mask) {
        const uint32_t home = directory_home(directory, directory->slots[next]->number);
        /* It may move up only as far as its home: a search for it begins there. */
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            directory->slots[hole] = directory->slots[next];
            hole = next;
        }
    }
    directory->slots[hole] = NULL;
}

void ws_replay_directory_clear(struct ws_replay_directory *directory)
{
    if (directory->count > 0)
        memset(directory->slots, 0, directory->capacity * sizeof(*directory->slots));
    directory->count = 0;
}

void ws_replay_directory_finish(struct ws_replay_directory *directory)
{
    free(directory->slots);
    memset(directory, 0, sizeof(*directory));
}

/* The threads and warps of one launch, numbered in the order in which they appear.
 *
 * Launches of up to this many threads have a table with a word for each flat id; the system gives its pages
 * only as they are used. Larger launches, and those whose size is not known, have a hash map of the threads
 * that appear. */
#define DENSE_MAX (UINT64_C(1) << 26)

bool ws_replay_stage_is_ray_tracing(uint32_t stage)
{
    return (stage & WS_STAGES_RAY_TRACING) != 0;
}

bool ws_replay_stage_is_launched(uint32_t stage)
{
    return !ws_replay_stage_is_ray_tracing(stage) || stage == WS_STAGE_RAYGEN;
}

static bool has_workgroups(uint32_t stage)
{
    return stage == WS_STAGE_COMPUTE || stage == WS_STAGE_TASK || stage == WS_STAGE_MESH;
}

/* Words of entry records of the stage (records.h, WORK IDS). */
static void work_words(uint32_t stage, uint32_t *per_warp, uint32_t *per_lane)
{
    const bool one = ws_replay_stage_is_ray_tracing(stage) || has_workgroups(stage) ||
                     stage == WS_STAGE_TESSELLATION_EVALUATION;
    *per_warp = has_workgroups(stage) ? 3 : 0;
    *per_lane = one ? 1 : 2;
}

/* How many threads a ray tracing launch has; 0 = not known, or more than a table has words for. */
static uint64_t known_threads(const struct ws_launch_record *launch)
{
    if (launch->kind != WS_LAUNCH_TRACE_RAYS)
        return 0;
    const uint64_t row = (uint64_t)launch->size[0] * launch->size[1];
    return row <= DENSE_MAX && row * launch->size[2] <= DENSE_MAX ? row * launch->size[2] : 0;
}

bool ws_replay_table_begin(struct ws_replay_table *table, const struct ws_launch_record *launch)
{
    const uint64_t threads = known_threads(launch);
    table->count = 0;
    table->warp_count = 0;
    ws_id_map_finish(&table->sparse);
    free(table->dense);
    table->dense = threads > 0 ? calloc(threads, sizeof(*table->dense)) : NULL;
    table->dense_count = table->dense != NULL ? threads : 0;
    return table->dense != NULL || threads == 0;
}

void ws_replay_table_finish(struct ws_replay_table *table)
{
    free(table->threads);
    free(table->tops);
    free(table->dense);
    free(table->warp_lanes);
    free(table->warp_stages);
    free(table->warp_firsts);
    ws_id_map_finish(&table->sparse);
    memset(table, 0, sizeof(*table));
}

/* Whether there is room for the threads of one more warp. Otherwise the table is to grow, while the workers
 * rest: they read it without a lock. */
static bool warp_fits(const struct ws_replay_table *table)
{
    return table->capacity - table->count >= WS_REPLAY_LANES && table->warp_count < table->warp_capacity;
}

/* `*array` with room for `capacity` elements. */
static bool resize(void *array, uint32_t capacity, size_t size)
{
    void *before;
    memcpy(&before, array, sizeof(before));
    void *larger = realloc(before, capacity * size);
    if (larger != NULL)
        memcpy(array, &larger, sizeof(larger));
    return larger != NULL;
}

static bool grow_threads(struct ws_replay_table *table)
{
    if (table->capacity - table->count < WS_REPLAY_LANES) {
        const uint32_t capacity = table->capacity > 0 ? table->capacity * 2 : 32 * WS_REPLAY_LANES;
        if (capacity <= table->capacity || !resize(&table->threads, capacity, sizeof(*table->threads)) ||
            !resize(&table->tops, capacity, sizeof(*table->tops)))
            return false;
        table->capacity = capacity;
    }
    if (table->warp_count == table->warp_capacity) {
        const uint32_t capacity = table->warp_capacity > 0 ? table->warp_capacity * 2 : 1024;
        if (capacity <= table->warp_capacity || !resize(&table->warp_lanes, capacity, sizeof(uint32_t)) ||
            !resize(&table->warp_stages, capacity, sizeof(uint32_t)) ||
            !resize(&table->warp_firsts, capacity, sizeof(uint32_t)))
            return false;
        table->warp_capacity = capacity;
    }
    return true;
}

enum add_result { ADD_DONE, ADD_BAD, ADD_FAILED };

/* Notes the index of the thread with that flat id. ADD_BAD where another thread has the id. */
static enum add_result note_flat(struct ws_replay_table *table, uint32_t flat, uint32_t index)
{
    uint32_t before = WS_NONE;
    if (table->dense != NULL) {
        if (flat >= table->dense_count || table->dense[flat] != 0)
            return ADD_BAD;
        table->dense[flat] = index + 1;
        return ADD_DONE;
    }
    if (ws_id_map_get(&table->sparse, flat, &before))
        return ADD_BAD;
    return ws_id_map_put(&table->sparse, flat, index) ? ADD_DONE : ADD_FAILED;
}

/* The thread of a flat id; WS_NONE. */
static uint32_t find_thread(const struct ws_replay_table *table, uint32_t flat)
{
    uint32_t index = WS_NONE;
    if (table->dense != NULL)
        return flat < table->dense_count ? table->dense[flat] - 1 : WS_NONE;
    return ws_id_map_get(&table->sparse, flat, &index) ? index : WS_NONE;
}

static void set_launch_id(uint32_t work[3], uint32_t flat, const uint32_t size[3])
{
    const bool known = size[0] > 0 && size[1] > 0;
    work[0] = known ? flat % size[0] : flat;
    work[1] = known ? flat / size[0] % size[1] : 0;
    work[2] = known ? flat / size[0] / size[1] : 0;
}

/* The same, without the divisions where the lane before is the left neighbour, as it mostly is. */
static void follow_launch_id(struct ws_thread *thread, uint32_t flat, uint32_t flat_before,
                             const uint32_t size[3], bool is_first)
{
    const struct ws_thread *before = thread - 1;
    if (is_first || flat != flat_before + 1 || before->work[0] + 1 >= size[0]) {
        set_launch_id(thread->work, flat, size);
        return;
    }
    thread->work[0] = before->work[0] + 1;
    thread->work[1] = before->work[1];
    thread->work[2] = before->work[2];
}

/* GlobalInvocationId = WorkgroupId * WorkgroupSize + LocalInvocationId (Vulkan specification, built-ins);
 * just WorkgroupId where the size is not known. */
static void set_global_id(uint32_t work[3], const uint32_t *group, uint32_t local, const uint32_t size[3])
{
    const bool known = size[0] > 0;
    work[0] = known ? group[0] * size[0] + local % size[0] : group[0];
    work[1] = known ? group[1] * size[1] + local / size[0] % size[1] : group[1];
    work[2] = known ? group[2] * size[2] + local / size[0] / size[1] : group[2];
}

static int compare_work(const struct ws_thread *a, const struct ws_thread *b)
{
    for (int i = 2; i >= 0; --i)
        if (a->work[i] != b->work[i])
            return a->work[i] < b->work[i] ? -1 : 1;
    return 0;
}

/* Adds the threads of a launched warp, and sets context->warp and context->threads. `per_warp`, and
 * `per_lane` with `stride` words a lane, are those of the entry record. ADD_BAD where a thread of the same id
 * is there already. */
static enum add_result launch_threads(struct ws_replay_table *table, const struct ws_launch_record *launch,
                                      const uint32_t local_size[3], struct ws_context *context,
                                      const uint32_t *per_warp, const uint32_t *per_lane, uint32_t stride)
{
    const uint32_t stage = context->stage;
    const uint32_t warp = table->warp_count;
    const uint32_t first = table->count;
    uint32_t lowest = first;
    uint32_t flat_before = 0;
    context->warp = warp;
    for (struct ws_lanes left = context->entered; ws_lanes_any(left); per_lane += stride) {
        const uint32_t lane = ws_lanes_take(&left);
        const uint32_t index = table->count;
        struct ws_thread *thread = &table->threads[index];
        *thread = (struct ws_thread){.warp = warp, .lane = lane};
        if (stage == WS_STAGE_RAYGEN) {
            const enum add_result noted = note_flat(table, per_lane[0], index);
            if (noted != ADD_DONE) {
                table->count = first;
                return noted;
            }
            follow_launch_id(thread, per_lane[0], flat_before, launch->size, index == first);
            flat_before = per_lane[0];
        } else if (has_workgroups(stage)) {
            set_global_id(thread->work, per_warp, per_lane[0], local_size);
        } else {
            thread->work[0] = per_lane[0];
            thread->work[1] = stage != WS_STAGE_TESSELLATION_EVALUATION ? per_lane[1] : 0;
        }
        table->tops[index] = NULL;
        context->threads[lane] = index;
        table->count++;
        if (compare_work(thread, &table->threads[lowest]) < 0)
            lowest = index;
    }
    table->warp_lanes[warp] = table->count - first;
    table->warp_stages[warp] = stage;
    table->warp_firsts[warp] = lowest;
    table->warp_count++;
    return ADD_DONE;
}

struct ranked {
    uint32_t stage;
    uint32_t warp;
    const struct ws_thread *first;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    const int order = compare_work(a->first, b->first);
    if (order != 0)
        return order;
    return a->warp < b->warp ? -1 : a->warp > b->warp;
}

uint32_t *ws_replay_table_rank(const struct ws_replay_table *table)
{
    uint32_t *index = malloc(((size_t)table->warp_count + 1) * sizeof(*index));
    struct ranked *ranked = malloc(((size_t)table->warp_count + 1) * sizeof(*ranked));
    if (index == NULL || ranked == NULL) {
        free(index);
        free(ranked);
        return NULL;
    }
    for (uint32_t i = 0; i < table->warp_count; ++i)
        ranked[i] = (struct ranked){table->warp_stages[i], i, &table->threads[table->warp_firsts[i]]};
    qsort(ranked, table->warp_count, sizeof(*ranked), compare_ranked);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < table->warp_count; ++i) {
        rank = i > 0 && ranked[i].stage == ranked[i - 1].stage ? rank + 1 : 0;
        index[ranked[i].warp] = rank;
    }
    free(ranked);
    return index;
}

/* So many consecutive warps go to one worker: they run together and call the same shaders, so that what one
 * of them brings into the cache the next one uses. */
#define WARPS_TOGETHER 8u

/* Words that the feeder looks ahead. Most records have two words. */
#define AHEAD 12u

enum result {
    TAKEN,
    SHORT,  /* it has more words than there are */
    BAD,    /* malformed */
    SPENT,  /* the budget (budget.h) is too small for it */
    FAILED, /* no memory */
    REDO,   /* its threads belong to several workers */
};

/* A record that is being read. */
struct cursor {
    struct ws_replay *replay;
    const uint32_t *words;
    uint32_t available;
    uint32_t length; /* of the record; where it is SHORT, words that are needed to go on */
};

static bool has(struct cursor *cursor, uint32_t length)
{
    cursor->length = length;
    return cursor->available >= length;
}

static struct ws_lanes read_mask(const uint32_t *words, uint32_t count)
{
    struct ws_lanes lanes = {words[0], 0};
    if (count > 1)
        lanes.low |= (uint64_t)words[1] << 32;
    if (count > 2)
        lanes.high = words[2];
    if (count > 3)
        lanes.high |= (uint64_t)words[3] << 32;
    return lanes;
}

void ws_replay_recycle(struct ws_replay *replay, struct ws_replay_live *over)
{
    while (over != NULL) {
        struct ws_replay_live *next = over->next;
        directory_remove(&replay->directory, over->number);
        ws_path_waiting_finish(&over->waiting);
        over->next = replay->spare;
        replay->spare = over;
        over = next;
    }
}

static struct ws_replay_live *take_spare(struct ws_replay *replay)
{
    const size_t size = sizeof(struct ws_replay_live) + replay->spare_lanes * sizeof(uint32_t);
    const size_t lines = (size + WS_REPLAY_CACHE_LINE - 1) / WS_REPLAY_CACHE_LINE;
    struct ws_replay_live *live = replay->spare;
    if (live != NULL)
        replay->spare = live->next;
    else
        live = aligned_alloc(WS_REPLAY_CACHE_LINE, lines * WS_REPLAY_CACHE_LINE);
    if (live != NULL) {
        memset(live, 0, sizeof(*live));
        memset(live->threads, 0xff, replay->spare_lanes * sizeof(uint32_t));
        live->context.threads = live->threads;
    }
    return live;
}

/* So few words are copied faster one by one. */
#define WORDS_FEW 32u

/* Puts the event into the batch that is being filled, where it and its words fit and do not fill it. */
static bool put_into(struct ws_replay_batch *batch, const struct ws_replay_event *event,
                     const uint32_t *words, uint32_t word_count)
{
    if (batch == NULL || batch->count + 1 == WS_REPLAY_EVENTS ||
        word_count > batch->word_capacity - batch->word_count)
        return false;
    struct ws_replay_event *put = &batch->events[batch->count++];
    *put = *event;
    put->words = batch->word_count;
    if (word_count > WORDS_FEW) {
        memcpy(batch->words + batch->word_count, words, word_count * sizeof(*words));
        batch->word_count += word_count;
        return true;
    }
    for (uint32_t i = 0; i < word_count; ++i)
        batch->words[batch->word_count++] = words[i];
    return true;
}

/* Gives the event to the worker of its context: at once where that is the feeder itself, else through its
 * channel. A worker that runs in a thread of its own tells later what went wrong, whatever it was: then all
 * is done again by one worker, which tells exactly. */
static enum result hand_over(struct ws_replay *replay, const struct ws_replay_event *event,
                             const uint32_t *words, uint32_t word_count)
{
    struct ws_replay_worker *worker = &replay->workers[event->live->worker];
    if (replay->pool != NULL)
        return put_into(worker->filling, event, words, word_count) ||
                       ws_replay_pool_put(replay->pool, worker->index, event, words, word_count)
                   ? TAKEN
                   : REDO;
    ws_replay_worker_take(worker, event, words);
    if (worker->over != NULL) {
        ws_replay_recycle(replay, worker->over);
        worker->over = NULL;
    }
    return worker->failed ? FAILED : worker->malformed ? BAD : TAKEN;
}

/* A record of a path at work. */
struct telling {
    struct ws_replay *replay;
    struct ws_replay_live *live;
    uint32_t number; /* of the path */
    enum result result;
};

static bool tell(struct telling *telling, uint16_t kind, uint32_t number, struct ws_lanes lanes)
{
    const struct ws_replay_module *module = telling->live->module;
    const uint32_t no_place = WS_REPLAY_NUMBER_ENTRY | WS_REPLAY_NUMBER_CONTINUE | WS_REPLAY_NUMBER_DATA |
                              WS_REPLAY_NUMBER_PATH | WS_REPLAY_NUMBER_TURNS;
    const struct ws_replay_event event = {telling->live, kind, (uint16_t)number, 0, lanes};
    telling->result = number < module->number_count &&
                              (module->numbers[number].flags & (no_place | WS_REPLAY_NUMBER_KNOWN)) ==
                                  WS_REPLAY_NUMBER_KNOWN
                          ? hand_over(telling->replay, &event, NULL, 0)
                          : BAD;
    return telling->result == TAKEN;
}

static bool tell_place(void *user, uint32_t number, struct ws_lanes lanes)
{
    return tell(user, WS_REPLAY_EVENT_PLACE, number, lanes);
}

static_assert(WS_PATH_TURNS_ONCE == WS_REPLAY_ALIKE_PIECE, "the pieces that consumers are told of");

/* The steps of a loop of a path whose turns add up are places of which nothing can be wrong but lanes. */
static bool tell_alike(void *user, const struct ws_path_turns_alike *alike)
{
    struct telling *telling = user;
    struct ws_replay *replay = telling->replay;
    struct ws_replay_event event = {
        telling->live, WS_REPLAY_EVENT_TURN, (uint16_t)telling->number, 0, {0, 0}};
    const uint32_t each = ws_replay_lane_words(&telling->live->context);
    const uint32_t count = WS_REPLAY_TURN_WORDS + each * alike->steps;
    uint32_t *words = ws_array_grow(replay->feed.sums, &replay->feed.sum_capacity, count, sizeof(*words));
    telling->result = FAILED;
    if (words == NULL)
        return false;
    replay->feed.sums = words;
    words[0] = alike->first;
    words[1] = alike->steps;
    memcpy(words + 2, &alike->turns, sizeof(alike->turns));
    words += WS_REPLAY_TURN_WORDS;
    for (uint32_t i = 0; i < alike->steps; ++i, words += each) {
        memcpy(words, &alike->lanes[i], each * sizeof(*words));
        event.lanes = ws_lanes_or(event.lanes, alike->lanes[i]);
    }
    telling->result = ws_lanes_any(event.lanes) ? hand_over(replay, &event, replay->feed.sums, count) : TAKEN;
    return telling->result == TAKEN;
}

/* The first step of a loop shows all lanes that are in it (paths.h, adds). So lanes that were away are back from then on,
 * as they are where turns are told one by one. */
static bool tell_sums(void *user, const struct ws_path_sums *sums)
{
    struct telling *telling = user;
    struct ws_replay *replay = telling->replay;
    const uint32_t cells = sums->steps * sums->stride;
    const bool wide = sums->times != NULL;
    const uint32_t count = WS_REPLAY_SUM_WORDS + 2 * sums->steps + (wide ? 2 : 1) * cells;
    const struct ws_replay_event event = {telling->live, WS_REPLAY_EVENT_SUM, (uint16_t)telling->number, 0,
                                          sums->lanes};
    uint32_t *words = ws_array_grow(replay->feed.sums, &replay->feed.sum_capacity, count, sizeof(*words));
    telling->result = FAILED;
    if (words == NULL)
        return false;
    replay->feed.sums = words;
    words[0] = sums->first;
    words[1] = sums->steps;
    words[2] = wide;
    words += WS_REPLAY_SUM_WORDS;
    memcpy(words, sums->turns, sums->steps * sizeof(*sums->turns));
    words += 2 * sums->steps;
    if (wide)
        memcpy(words, sums->times, cells * sizeof(*sums->times));
    else
        memcpy(words, sums->few, cells * sizeof(*sums->few));
    telling->result = hand_over(replay, &event, replay->feed.sums, count);
    return telling->result == TAKEN;
}

/* Who hears a path, of whose loops `told` are told. */
static struct ws_path_listener listener_of(const struct ws_replay_live *live,
                                           const struct ws_replay_number *number)
{
    const uint32_t told = live->consumers & number->consumers;
    const uint32_t hear = told & ~live->adders;
    struct ws_path_listener listener = {.step = tell_place, .turn = tell_place};
    if ((number->flags & WS_REPLAY_NUMBER_ADDS) == 0)
        return listener;
    listener.turn = NULL;
    listener.alike = hear != 0 ? tell_alike : NULL;
    listener.leaps = (hear & ~live->leapers) == 0;
    listener.sums = hear == 0 || hear != told ? tell_sums : NULL;
    return listener;
}

/* A record of a path, or of turns of one, whose words are all there. */
static enum result take_path(struct ws_replay *replay, struct ws_replay_live *live, uint32_t index,
                             struct ws_lanes lanes, const uint32_t *words)
{
    struct telling telling = {replay, live, index, TAKEN};
    const struct ws_replay_number *number = &live->module->numbers[index];
    if ((number->flags & WS_REPLAY_NUMBER_TURNS) != 0)
        return ws_path_wait(&live->waiting, index, lanes, words, number->words) ? TAKEN : FAILED;
    const struct ws_path *path = &live->module->paths.paths[number->path];
    if ((number->flags & WS_REPLAY_NUMBER_PLAIN) != 0) {
        const struct ws_replay_event event = {live, WS_REPLAY_EVENT_PATH, (uint16_t)index, 0, lanes};
        return ws_budget_spend((uint64_t)WS_STEPS_ENTRY * path->count)
                   ? hand_over(replay, &event, words, path->words * ws_lanes_count(lanes))
                   : SPENT;
    }
    const struct ws_path_listener listener = listener_of(live, number);
    switch (ws_path_hear(&live->module->paths, path, &live->waiting, lanes, words, &listener, &telling)) {
    case WS_PATH_TOLD: return TAKEN;
    case WS_PATH_FAILED: return FAILED;
    case WS_PATH_STOPPED: return telling.result == TAKEN ? SPENT : telling.result;
    default: return BAD;
    }
}

/* What a data record leaves out is put back for each lane, whether it has other words or not: two words of the file may stand
 * for two thousand. */
static bool pay_for_fixed(const struct ws_replay_number *number, struct ws_lanes lanes)
{
    return number->fixed == 0 || number->consumers == 0 ||
           ws_budget_spend((uint64_t)WS_STEPS_WORD * number->fixed * ws_lanes_count(lanes));
}

/* A place record or a data record: all but entry records. */
static enum result take_place(struct cursor *cursor)
{
    struct ws_replay *replay = cursor->replay;
    const struct ws_replay_feed *feed = &replay->feed;
    const uint32_t *words = cursor->words;
    struct ws_replay_live *live = directory_find(&replay->directory, words[WS_RECORD_CONTEXT]);
    const uint32_t index = words[WS_RECORD_PLACE] >> 16;
    if (live == NULL || index >= live->module->number_count)
        return BAD;
    const struct ws_replay_number *number = &live->module->numbers[index];
    const uint32_t path = number->flags & (WS_REPLAY_NUMBER_PATH | WS_REPLAY_NUMBER_TURNS);
    const bool data = (number->flags & WS_REPLAY_NUMBER_DATA) != 0 || (path != 0 && number->words > 0);
    if ((number->flags & (WS_REPLAY_NUMBER_KNOWN | WS_REPLAY_NUMBER_ENTRY | WS_REPLAY_NUMBER_CONTINUE)) !=
        WS_REPLAY_NUMBER_KNOWN)
        return BAD;
    struct ws_replay_event event = {
        live, data ? WS_REPLAY_EVENT_DATA : WS_REPLAY_EVENT_PLACE, (uint16_t)index, 0, {0, 0}};
    uint32_t length = 2;
    if (WS_MASK_PACKED(feed->bins)) {
        event.lanes.low = words[WS_RECORD_PLACE] & 0xffff;
    } else if ((words[WS_RECORD_PLACE] & WS_RECORD_FULL) != 0 && (!data || number->words == 0)) {
        event.lanes = live->entered;
    } else {
        length = 2 + feed->mask_words;
        if (!has(cursor, length))
            return SHORT;
        event.lanes = read_mask(words + 2, feed->mask_words);
    }
    if (!ws_lanes_any(event.lanes) || ws_lanes_any(ws_lanes_without(event.lanes, live->entered)))
        return BAD;
    const uint32_t payload = data ? number->words * ws_lanes_count(event.lanes) : 0;
    if (!has(cursor, length + payload))
        return SHORT;
    if (live->dropped)
        return TAKEN;
    if ((number->flags & WS_REPLAY_NUMBER_END) != 0 && ws_path_is_waiting(&live->waiting, event.lanes))
        return BAD;
    if (!pay_for_fixed(number, event.lanes))
        return SPENT;
    return path != 0 ? take_path(replay, live, index, event.lanes, words + length)
                     : hand_over(replay, &event, words + length, payload);
}

/* An entry record whose words are all there. */
struct entry {
    uint32_t shader;
    uint32_t number; /* of the site */
    uint32_t lane_count;
    uint32_t per_warp;
    uint32_t per_lane;
    struct ws_lanes lanes;
    const uint32_t *warp_words;
    const uint32_t *lane_words;
};

/* Whether the shader, lanes and words that the entry record names can be. */
static bool is_believable(const struct ws_replay *replay, const struct entry *entry)
{
    const uint32_t shader = entry->shader;
    if (shader == WS_NONE || ws_catalog_entry(replay->catalog, shader) == NULL)
        return false;
    const uint32_t stage = replay->catalog->shaders[shader].stage;
    uint32_t per_warp = 0;
    uint32_t per_lane = 0;
    work_words(stage, &per_warp, &per_lane);
    return stage != 0 && (stage & (stage - 1)) == 0 && stage <= WS_STAGES_ALL && entry->lane_count > 0 &&
           entry->lane_count <= replay->feed.bins && entry->per_warp >= per_warp &&
           entry->per_lane >= per_lane;
}

static enum result read_entry(struct cursor *cursor, struct entry *entry)
{
    const struct ws_replay *replay = cursor->replay;
    const uint32_t *words = cursor->words;
    const uint32_t mask_words = replay->feed.mask_words;
    if (!has(cursor, 3 + mask_words))
        return SHORT;
    *entry = (struct entry){.shader = replay->slots[words[WS_RECORD_PLACE] >> 16],
                            .number = words[WS_RECORD_PLACE] & 0xffff,
                            .lane_count = words[WS_RECORD_SHAPE] & 0xff,
                            .per_warp = words[WS_RECORD_SHAPE] >> 8 & 0xff,
                            .per_lane = words[WS_RECORD_SHAPE] >> 16 & 0xff,
                            .lanes = read_mask(words + 3, mask_words),
                            .warp_words = words + 3 + mask_words};
    entry->lane_words = entry->warp_words + entry->per_warp;
    if (!is_believable(replay, entry) || !ws_lanes_any(entry->lanes) ||
        ws_lanes_any(ws_lanes_without(entry->lanes, ws_lanes_first(entry->lane_count))))
        return BAD;
    return has(cursor, 3 + mask_words + entry->per_warp + entry->per_lane * ws_lanes_count(entry->lanes))
               ? TAKEN
               : SHORT;
}

static uint32_t worker_of(const struct ws_replay *replay, uint32_t warp)
{
    return replay->worker_count > 1 ? warp / WARPS_TOGETHER % replay->worker_count : 0;
}

/* A warp of a launched shader that is left out. Its threads are noted where shaders that they call look for them. */
static enum result leave_out(struct ws_replay *replay, const struct entry *entry, struct ws_replay_live *live)
{
    const uint32_t *flat = entry->lane_words;
    live->dropped = true;
    replay->feed.cut_warps++;
    replay->feed.cut_threads += ws_lanes_count(entry->lanes);
    for (struct ws_lanes left = entry->lanes; ws_lanes_any(left); flat += entry->per_lane) {
        ws_lanes_take(&left);
        const enum add_result noted = live->context.stage == WS_STAGE_RAYGEN
                                          ? note_flat(&replay->threads, *flat, WS_REPLAY_DROPPED)
                                          : ADD_DONE;
        if (noted != ADD_DONE)
            return noted == ADD_BAD ? BAD : FAILED;
    }
    return TAKEN;
}

/* A warp of a launched shader: its threads are new. */
static enum result launch(struct ws_replay *replay, const struct entry *entry, struct ws_replay_live *live)
{
    struct ws_replay_table *table = &replay->threads;
    const uint32_t *local_size = replay->catalog->shaders[entry->shader].local_size;
    const uint32_t appeared = replay->feed.appeared++;
    if (live->context.stage == WS_STAGE_COMPUTE)
        memcpy(replay->feed.local_size, local_size, sizeof(replay->feed.local_size));
    if (appeared < replay->feed.cut_count && replay->feed.cut[appeared] != 0)
        return leave_out(replay, entry, live);
    if (!warp_fits(table)) {
        if (replay->pool != NULL && !ws_replay_pool_rest(replay->pool))
            return REDO;
        if (!grow_threads(table))
            return FAILED;
    }
    const enum add_result added = launch_threads(table, &replay->feed.launch, local_size, &live->context,
                                                 entry->warp_words, entry->lane_words, entry->per_lane);
    live->worker = worker_of(replay, live->context.warp);
    if (has_workgroups(live->context.stage) && live->consumers != 0 && local_size[0] == 0)
        replay->feed.unsized++;
    return added == ADD_DONE ? TAKEN : added == ADD_BAD ? BAD : FAILED;
}

/* A shader that threads called or go on in. They were launched before, so their flat ids find them; those
 * that are not found were lost, or not chosen by sampling. Where none is found and some are left out, the context is left
 * out too. */
static enum result find_threads(struct ws_replay *replay, const struct entry *entry,
                                struct ws_replay_live *live)
{
    const struct ws_replay_table *table = &replay->threads;
    const uint32_t *flat = entry->lane_words;
    const uint32_t first = find_thread(table, *flat);
    const bool one_worker = replay->worker_count == 1;
    bool found = false;
    bool any = false;
    live->context.warp = first < WS_REPLAY_DROPPED ? table->threads[first].warp : WS_NONE;
    for (struct ws_lanes left = entry->lanes; ws_lanes_any(left); flat += entry->per_lane) {
        const uint32_t lane = ws_lanes_take(&left);
        const uint32_t thread = find_thread(table, *flat);
        live->threads[lane] = thread < WS_REPLAY_DROPPED ? thread : WS_NONE;
        live->dropped = live->dropped || thread == WS_REPLAY_DROPPED;
        any = any || thread < WS_REPLAY_DROPPED;
        if (one_worker || thread >= WS_REPLAY_DROPPED)
            continue;
        const uint32_t worker = worker_of(replay, table->threads[thread].warp);
        if (found && worker != live->worker)
            return REDO;
        live->worker = worker;
        found = true;
    }
    live->dropped = live->dropped && !any;
    return TAKEN;
}

/* Those of some consumers for which sums will do of a shader. */
static uint32_t adders_of(const struct ws_replay *replay, uint32_t shader, uint32_t consumers)
{
    uint32_t adders = 0;
    for (uint32_t left = consumers; left != 0; left &= left - 1) {
        const struct ws_replay_consumer *consumer = &replay->consumers[__builtin_ctz(left)];
        if (consumer->operations->sum != NULL && (consumer->operations->adds_up == NULL ||
                                                  consumer->operations->adds_up(consumer->results, shader)))
            adders |= left & -left;
    }
    return adders;
}

/* Those of some consumers that take turns that are alike at once. */
static uint32_t leapers_of(const struct ws_replay *replay, uint32_t consumers)
{
    uint32_t leapers = 0;
    for (uint32_t left = consumers; left != 0; left &= left - 1)
        if (replay->consumers[__builtin_ctz(left)].operations->alike != NULL)
            leapers |= left & -left;
    return leapers;
}

static enum result enter(struct ws_replay *replay, const struct entry *entry, struct ws_replay_live *live)
{
    struct ws_context *context = &live->context;
    const struct ws_shader_record *shader = &replay->catalog->shaders[entry->shader];
    live->module = ws_replay_module(replay, shader->module);
    if (live->module == NULL)
        return FAILED;
    const uint32_t flags =
        entry->number < live->module->number_count ? live->module->numbers[entry->number].flags : 0;
    const bool continues =
        (flags & WS_REPLAY_NUMBER_CONTINUE) != 0 && ws_replay_stage_is_ray_tracing(shader->stage);
    if ((flags & WS_REPLAY_NUMBER_ENTRY) == 0 && !continues)
        return BAD;
    live->number = replay->feed.position;
    live->consumers = live->module->entries[shader->entry] & replay->feed.consumers;
    live->adders = adders_of(replay, entry->shader, live->consumers);
    live->leapers = leapers_of(replay, live->consumers);
    live->entered = entry->lanes;
    context->number = replay->feed.position;
    context->shader = entry->shader;
    context->stage = shader->stage;
    context->lane_count = entry->lane_count;
    context->entered = entry->lanes;
    const enum result result = ws_replay_stage_is_launched(shader->stage) && !continues
                                   ? launch(replay, entry, live)
                                   : find_threads(replay, entry, live);
    if (result != TAKEN)
        return result;
    return directory_add(&replay->directory, live) ? TAKEN : FAILED;
}

/* The contexts that the threads of a continuation leave, one for each lane; their number. 0 = the record does not say it. */
static uint32_t read_left(const struct ws_replay *replay, const struct entry *entry,
                          const struct ws_replay_live *live, uint32_t left[WS_REPLAY_LANES])
{
    const uint32_t flags = live->module->numbers[entry->number].flags, count = ws_lanes_count(entry->lanes);
    uint32_t per_warp = 0, per_lane = 0;
    work_words(replay->catalog->shaders[entry->shader].stage, &per_warp, &per_lane);
    if ((flags & WS_REPLAY_NUMBER_CONTINUE) == 0 || entry->per_lane == per_lane)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        left[i] = entry->lane_words[i * entry->per_lane + per_lane];
    return count;
}

static enum result take_entry(struct cursor *cursor)
{
    struct ws_replay *replay = cursor->replay;
    struct entry entry;
    enum result result = read_entry(cursor, &entry);
    if (result != TAKEN)
        return result;
    struct ws_replay_live *live = take_spare(replay);
    if (live == NULL)
        return FAILED;
    result = enter(replay, &entry, live);
    if (result != TAKEN) {
        live->next = replay->spare;
        replay->spare = live;
        return result;
    }
    if (live->dropped) {
        live->next = replay->feed.dropped;
        replay->feed.dropped = live;
        return TAKEN;
    }
    uint32_t left[WS_REPLAY_LANES];
    const uint32_t count = read_left(replay, &entry, live, left);
    const struct ws_replay_event event = {live, count > 0 ? WS_REPLAY_EVENT_MOVE : WS_REPLAY_EVENT_ENTER,
                                          (uint16_t)entry.number, 0, entry.lanes};
    const bool begun =
        replay->workers[live->worker].has_parts || ws_replay_worker_begin(&replay->workers[live->worker]);
    result = begun ? hand_over(replay, &event, left, count) : FAILED;
    if (result == REDO || !begun) {
        /* No worker knows of the context. */
        live->next = NULL;
        ws_replay_recycle(replay, live);
    }
    return result;
}

static enum result take_record(struct cursor *cursor)
{
    if (!has(cursor, 2))
        return SHORT;
    return cursor->words[WS_RECORD_CONTEXT] == WS_CONTEXT_NONE ? take_entry(cursor) : take_place(cursor);
}

/* What follows from the result of one record. Everything but TAKEN and SHORT stops the feed. False: no
 * memory. */
static bool conclude(struct ws_replay_feed *feed, enum result result, uint32_t length)
{
    if (result == TAKEN) {
        feed->position += length;
        feed->records++;
        return true;
    }
    feed->stopped = result != SHORT;
    feed->redo = feed->redo || result == REDO;
    if (result == BAD)
        feed->malformed++;
    if (result == BAD || result == SPENT)
        feed->launch.truncated = true;
    return result != FAILED;
}

/* Keeps the words of a record whose rest is in the next piece. */
static bool keep(struct ws_replay_feed *feed, const uint32_t *words, uint32_t count)
{
    if (feed->carry_count + count > feed->carry_capacity) {
        const uint32_t capacity = 2 * (feed->carry_count + count);
        uint32_t *carry = realloc(feed->carry, capacity * sizeof(*carry));
        if (carry == NULL)
            return false;
        feed->carry = carry;
        feed->carry_capacity = capacity;
    }
    memcpy(feed->carry + feed->carry_count, words, count * sizeof(*words));
    feed->carry_count += count;
    return true;
}

/* Completes the record that the last piece began. `*used` receives how many words of this piece that took.
 * How many it takes is found out step by step: each part of a record says how long the next one is. */
static bool complete(struct ws_replay *replay, const uint32_t *words, uint32_t count, uint32_t *used)
{
    struct ws_replay_feed *feed = &replay->feed;
    while (feed->carry_count > 0 && !feed->stopped) {
        struct cursor cursor = {replay, feed->carry, feed->carry_count, 0};
        const enum result result = take_record(&cursor);
        if (result != SHORT) {
            feed->carry_count = 0;
            return conclude(feed, result, cursor.length);
        }
        const uint32_t wanted = cursor.length - feed->carry_count;
        const uint32_t step = wanted < count - *used ? wanted : count - *used;
        if (step == 0)
            return true;
        if (!keep(feed, words + *used, step))
            return false;
        *used += step;
    }
    return true;
}

/* Asks the processor for the memory of the context of a record that comes soon. On devices where thousands of
 * warps run at once, neighbouring records are of different contexts, and each has left the caches since its
 * last record. `number` may be any word, since where records begin is not known that far ahead: a wrong guess
 * costs nothing. */
static void expect(const struct ws_replay *replay, uint32_t number)
{
    const struct ws_replay_directory *directory = &replay->directory;
    if (directory->count == 0)
        return;
    const struct ws_replay_live *live = directory->slots[directory_home(directory, number)];
    if (live == NULL)
        return;
    __builtin_prefetch(live);
    if (replay->pool != NULL)
        return; /* the rest is the worker's, which asks for it itself */
    __builtin_prefetch(&live->context);
    __builtin_prefetch(&live->context.away);
}

bool ws_replay_feed(struct ws_replay *replay, const uint32_t *words, uint32_t count)
{
    struct ws_replay_feed *feed = &replay->feed;
    uint32_t at = 0;
    if (!complete(replay, words, count, &at))
        return false;
    while (at < count && !feed->stopped) {
        struct cursor cursor = {replay, words + at, count - at, 0};
        if (cursor.available > AHEAD)
            expect(replay, cursor.words[AHEAD]);
        const enum result result = take_record(&cursor);
        if (result == SHORT)
            return keep(feed, words + at, count - at);
        if (!conclude(feed, result, cursor.length))
            return false;
        at += cursor.length;
    }
    return true;
}
