/* The feeder: cuts the words of pieces into records, checks them and hands them on as events. */
#include <stdlib.h>
#include <string.h>

#include "analysis/model/replay_parts.h"

/* Consecutive warps that go to one worker, since they are likely to share what they read. */
#define WARPS_TOGETHER 8u

/* Words that the feeder looks ahead: some records, of which most have two. */
#define AHEAD 12u

enum result {
    TAKEN,
    SHORT,  /* it has more words than there are */
    BAD,    /* malformed */
    FAILED, /* no memory */
    REDO,   /* it belongs to several workers */
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

void ws_replay_recycle(struct ws_replay *replay, struct ws_live *over)
{
    while (over != NULL) {
        struct ws_live *next = over->next;
        ws_directory_remove(&replay->directory, over->number);
        over->next = replay->spare;
        replay->spare = over;
        over = next;
    }
}

static struct ws_live *take_spare(struct ws_replay *replay)
{
    const size_t size = sizeof(struct ws_live) + replay->spare_lanes * sizeof(uint32_t);
    const size_t lines = (size + WS_CACHE_LINE - 1) / WS_CACHE_LINE;
    struct ws_live *live = replay->spare;
    if (live != NULL)
        replay->spare = live->next;
    else
        live = aligned_alloc(WS_CACHE_LINE, lines * WS_CACHE_LINE);
    if (live != NULL) {
        memset(live, 0, sizeof(*live));
        memset(live->threads, 0xff, replay->spare_lanes * sizeof(uint32_t));
        live->context.threads = live->threads;
    }
    return live;
}

static enum result hand_over(struct ws_replay *replay, const struct ws_event *event, const uint32_t *words,
                             uint32_t word_count)
{
    struct ws_replay_worker *worker = &replay->workers[event->live->worker];
    if (replay->pool != NULL)
        return ws_pool_put(replay->pool, worker->index, event, words, word_count) ? TAKEN : REDO;
    ws_worker_take(worker, event, words);
    if (worker->over != NULL) {
        ws_replay_recycle(replay, worker->over);
        worker->over = NULL;
    }
    return worker->failed ? FAILED : worker->malformed ? BAD : TAKEN;
}

static enum result take_place(struct cursor *cursor)
{
    struct ws_replay *replay = cursor->replay;
    const struct ws_feed *feed = &replay->feed;
    const uint32_t *words = cursor->words;
    struct ws_live *live = ws_directory_find(&replay->directory, words[WS_RECORD_CONTEXT]);
    const uint32_t index = words[WS_RECORD_PLACE] >> 16;
    if (live == NULL || index >= live->module->number_count)
        return BAD;
    const struct ws_replay_number *number = &live->module->numbers[index];
    const bool data = (number->flags & WS_NUMBER_DATA) != 0;
    if ((number->flags & (WS_NUMBER_KNOWN | WS_NUMBER_ENTRY | WS_NUMBER_CONTINUE)) != WS_NUMBER_KNOWN)
        return BAD;
    struct ws_event event = {live, data ? WS_EVENT_DATA : WS_EVENT_PLACE, (uint16_t)index, 0, {0, 0}};
    uint32_t length = 2;
    if (WS_MASK_PACKED(feed->bins)) {
        event.lanes.low = words[WS_RECORD_PLACE] & 0xffff;
    } else if ((words[WS_RECORD_PLACE] & WS_RECORD_FULL) != 0 && !data) {
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
    return hand_over(replay, &event, words + length, payload);
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

/* Whether what the entry record says of itself can be. */
static bool is_believable(const struct ws_replay *replay, const struct entry *entry)
{
    const uint32_t shader = entry->shader;
    if (shader == WS_NONE || ws_catalog_entry(replay->catalog, shader) == NULL)
        return false;
    const uint32_t stage = replay->catalog->shaders[shader].stage;
    uint32_t per_warp = 0;
    uint32_t per_lane = 0;
    ws_stage_work_words(stage, &per_warp, &per_lane);
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

/* A warp of a launched shader, whose threads are new. */
static enum result launch(struct ws_replay *replay, const struct entry *entry, struct ws_live *live)
{
    struct ws_thread_table *table = &replay->threads;
    if (!ws_threads_fit(table)) {
        if (replay->pool != NULL && !ws_pool_rest(replay->pool))
            return REDO;
        if (!ws_threads_grow(table))
            return FAILED;
    }
    const enum ws_add_result added =
        ws_threads_launch(table, &replay->feed.launch, replay->catalog->shaders[entry->shader].local_size,
                          &live->context, entry->warp_words, entry->lane_words, entry->per_lane);
    live->worker = worker_of(replay, live->context.warp);
    if (ws_stage_has_workgroups(live->context.stage) &&
        replay->catalog->shaders[entry->shader].local_size[0] == 0)
        replay->feed.unsized++;
    return added == WS_ADD_DONE ? TAKEN : added == WS_ADD_BAD ? BAD : FAILED;
}

/* A shader that threads called, or go on in: each is known by its flat id, or was never launched. */
static enum result find_threads(struct ws_replay *replay, const struct entry *entry, struct ws_live *live)
{
    const struct ws_thread_table *table = &replay->threads;
    const uint32_t *flat = entry->lane_words;
    const uint32_t first = ws_threads_find(table, *flat);
    const bool one_worker = replay->worker_count == 1;
    bool found = false;
    live->context.warp = first != WS_NONE ? table->threads[first].warp : WS_NONE;
    for (struct ws_lanes left = entry->lanes; ws_lanes_any(left); flat += entry->per_lane) {
        const uint32_t lane = ws_lanes_take(&left);
        const uint32_t thread = ws_threads_find(table, *flat);
        live->threads[lane] = thread;
        if (one_worker || thread == WS_NONE)
            continue;
        const uint32_t worker = worker_of(replay, table->threads[thread].warp);
        if (found && worker != live->worker)
            return REDO;
        live->worker = worker;
        found = true;
    }
    return TAKEN;
}

static enum result enter(struct ws_replay *replay, const struct entry *entry, struct ws_live *live)
{
    struct ws_context *context = &live->context;
    const struct ws_shader_record *shader = &replay->catalog->shaders[entry->shader];
    live->module = ws_replay_module(replay, shader->module);
    if (live->module == NULL)
        return FAILED;
    const uint32_t flags =
        entry->number < live->module->number_count ? live->module->numbers[entry->number].flags : 0;
    const bool continues = (flags & WS_NUMBER_CONTINUE) != 0 && ws_stage_is_ray_tracing(shader->stage);
    if ((flags & WS_NUMBER_ENTRY) == 0 && !continues)
        return BAD;
    live->number = replay->feed.position;
    live->entered = entry->lanes;
    context->number = replay->feed.position;
    context->shader = entry->shader;
    context->stage = shader->stage;
    context->lane_count = entry->lane_count;
    context->entered = entry->lanes;
    context->block = WS_NONE;
    const enum result result = ws_stage_is_launched(shader->stage) && !continues
                                   ? launch(replay, entry, live)
                                   : find_threads(replay, entry, live);
    if (result != TAKEN)
        return result;
    return ws_directory_add(&replay->directory, live) ? TAKEN : FAILED;
}

static enum result take_entry(struct cursor *cursor)
{
    struct ws_replay *replay = cursor->replay;
    struct entry entry;
    enum result result = read_entry(cursor, &entry);
    if (result != TAKEN)
        return result;
    struct ws_live *live = take_spare(replay);
    if (live == NULL)
        return FAILED;
    result = enter(replay, &entry, live);
    if (result != TAKEN) {
        live->next = replay->spare;
        replay->spare = live;
        return result;
    }
    const struct ws_event event = {live, WS_EVENT_ENTER, (uint16_t)entry.number, 0, entry.lanes};
    const bool begun =
        replay->workers[live->worker].has_parts || ws_worker_begin(&replay->workers[live->worker]);
    result = begun ? hand_over(replay, &event, NULL, 0) : FAILED;
    if (result == REDO || !begun) {
        /* No worker has it. */
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

/* Stops the feed unless the record was taken; false: no memory. */
static bool conclude(struct ws_feed *feed, enum result result, uint32_t length)
{
    if (result == TAKEN) {
        feed->position += length;
        feed->records++;
        return true;
    }
    feed->stopped = result != SHORT;
    feed->redo = feed->redo || result == REDO;
    if (result == BAD) {
        feed->malformed++;
        feed->launch.truncated = true;
    }
    return result != FAILED;
}

/* Keeps words of a record that is not whole. */
static bool keep(struct ws_feed *feed, const uint32_t *words, uint32_t count)
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

/* Completes the record that the last piece began with words of this one, of which `*used` are. */
static bool complete(struct ws_replay *replay, const uint32_t *words, uint32_t count, uint32_t *used)
{
    struct ws_feed *feed = &replay->feed;
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

/* Asks for the memory of a context that is likely to be met soon: on devices where thousands of warps run at
 * once each record is of another, and has left the caches since its last. */
static void expect(const struct ws_replay *replay, uint32_t number)
{
    const struct ws_directory *directory = &replay->directory;
    if (directory->count == 0)
        return;
    const struct ws_live *live = directory->slots[ws_directory_home(directory, number)];
    if (live == NULL)
        return;
    __builtin_prefetch(live);
    if (replay->pool != NULL)
        return; /* the rest is the worker's, who asks for it by itself */
    __builtin_prefetch(&live->context);
    __builtin_prefetch(&live->context.away);
}

bool ws_replay_feed(struct ws_replay *replay, const uint32_t *words, uint32_t count)
{
    struct ws_feed *feed = &replay->feed;
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
