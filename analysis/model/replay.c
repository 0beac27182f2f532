/* Takes in chunks and runs the replay of each launch from its first piece of records to its merge. See
 * replay.h; replay_parts.h says which file does what.
 *
 *     RECS, first    begin_launch: everything empty
 *     RECS, each     feed_piece: the feeder and the workers
 *     RECS, last     finish_launch: the workers rest, contexts that are left are closed, parts are merged
 *
 * The pieces of a launch stand one after the other (capture.h), so one launch is open at a time. */
#include "warpscope/model/replay.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/model/replay_parts.h"
#include "passes/base/memory_limit.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

/* Whether it is a file that can be read a second time, and not a pipe. */
static bool is_file(const char *path)
{
    struct stat status;
    return path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static uint32_t processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > WS_REPLAY_WORKERS ? WS_REPLAY_WORKERS : (uint32_t)count;
}

struct ws_replay *ws_replay_create(const struct ws_catalog *catalog, const char *path, uint32_t workers)
{
    struct ws_replay *replay = aligned_alloc(WS_REPLAY_CACHE_LINE, sizeof(*replay));
    if (replay == NULL)
        return NULL;
    memset(replay, 0, sizeof(*replay));
    replay->catalog = catalog;
    replay->worker_count = workers > 0 ? workers : processors();
    if (replay->worker_count > WS_REPLAY_WORKERS)
        replay->worker_count = WS_REPLAY_WORKERS;
    if (!is_file(path))
        replay->worker_count = 1;
    for (uint32_t i = 0; i < replay->worker_count; ++i) {
        replay->workers[i].replay = replay;
        replay->workers[i].index = i;
    }
    replay->slots = malloc(WS_SLOT_COUNT * sizeof(*replay->slots));
    if (replay->slots == NULL)
        goto error;
    memset(replay->slots, 0xff, WS_SLOT_COUNT * sizeof(*replay->slots));
    replay->path = path != NULL ? strdup(path) : NULL;
    if (path != NULL && replay->path == NULL)
        goto error;
    return replay;
error:
    ws_replay_destroy(replay);
    return NULL;
}

static void free_spare(struct ws_replay *replay)
{
    while (replay->spare != NULL) {
        struct ws_replay_live *next = replay->spare->next;
        free(replay->spare);
        replay->spare = next;
    }
}

/* Drops all contexts and parts of a launch that is over, or is to be replayed again. Contexts are closed
 * before parts are destroyed, since consumers then free what they keep with a context. */
static void clear(struct ws_replay *replay)
{
    for (uint32_t i = 0; i < replay->worker_count; ++i) {
        struct ws_replay_worker *worker = &replay->workers[i];
        ws_replay_worker_end(worker);
        ws_replay_worker_drop_parts(worker);
        ws_replay_recycle(replay, worker->over);
        worker->over = NULL;
        worker->regrouped = 0;
        worker->continued = 0;
        worker->unrooted = 0;
        worker->malformed = false;
    }
    ws_replay_recycle(replay, replay->feed.dropped);
    replay->feed.dropped = NULL;
    ws_replay_directory_clear(&replay->directory);
}

static void forget_cut(struct ws_replay_feed *feed)
{
    free(feed->cut);
    feed->cut = NULL;
    feed->cut_count = 0;
}

void ws_replay_destroy(struct ws_replay *replay)
{
    if (replay == NULL)
        return;
    if (replay->pool != NULL)
        ws_replay_pool_rest(replay->pool);
    ws_replay_pool_destroy(replay->pool);
    clear(replay);
    free_spare(replay);
    ws_launch_record_finish(&replay->feed.launch);
    forget_cut(&replay->feed);
    ws_reader_destroy(replay->again);
    free(replay->feed.carry);
    free(replay->feed.sums);
    for (uint32_t i = 0; i < WS_REPLAY_WORKERS; ++i)
        free(replay->workers[i].turn);
    ws_replay_directory_finish(&replay->directory);
    ws_replay_table_finish(&replay->threads);
    ws_replay_modules_finish(replay);
    free(replay->slots);
    free(replay->path);
    free(replay);
}

bool ws_replay_add(struct ws_replay *replay, const struct ws_replay_operations *operations, void *results,
                   uint32_t *number)
{
    for (uint32_t i = 0; i < replay->consumer_count; ++i)
        if (operations->join != NULL && replay->consumers[i].operations == operations) {
            if (!replay->rehearsing)
                operations->join(replay->consumers[i].results, results);
            *number = i;
            return true;
        }
    if (replay->consumer_count == WS_REPLAY_CONSUMERS)
        return false;
    *number = replay->consumer_count;
    replay->consumers[replay->consumer_count++] = (struct ws_replay_consumer){operations, results};
    return true;
}

void ws_replay_rehearse(struct ws_replay *replay, bool rehearsing)
{
    if (rehearsing)
        replay->rehearsed_from = replay->consumer_count;
    else
        replay->consumer_count = replay->rehearsed_from;
    replay->rehearsing = rehearsing;
}

const struct ws_replay_losses *ws_replay_losses(const struct ws_replay *replay)
{
    return &replay->losses;
}

/* The consumers whose pass records something in a shader that the launch used. */
static bool find_consumers(struct ws_replay *replay, const struct ws_chunk_records *records)
{
    bool found = true;
    replay->feed.consumers = 0;
    for (uint32_t i = 0; i < records->slot_count && found; ++i) {
        uint32_t consumers = 0;
        found = ws_replay_consumers(replay, ws_catalog_shader(replay->catalog, records->slots[i].shader),
                                    &consumers);
        replay->feed.consumers |= consumers;
    }
    return found;
}

static void stop_pool(struct ws_replay *replay)
{
    ws_replay_pool_destroy(replay->pool);
    replay->pool = NULL;
}

/* Whether a consumer of the launch needs the order of the stream. */
static bool is_in_order(const struct ws_replay *replay)
{
    for (uint32_t i = 0; i < replay->consumer_count; ++i)
        if ((replay->feed.consumers >> i & 1) != 0 && replay->consumers[i].operations->in_order)
            return true;
    return false;
}

/* Makes everything empty for the records of feed->launch, which begin with this chunk. */
static bool begin_records(struct ws_replay *replay, const struct ws_chunk *chunk)
{
    struct ws_replay_feed *feed = &replay->feed;
    const struct ws_chunk_records *records = &chunk->records;
    feed->bins = records->bins;
    feed->mask_words = WS_MASK_WORDS(records->bins);
    feed->first_chunk = chunk->number;
    feed->position = records->position;
    feed->next_piece = records->position;
    feed->carry_count = 0;
    feed->redo = false;
    feed->complete = false;
    feed->records = 0;
    feed->malformed = 0;
    feed->unsized = 0;
    feed->appeared = 0;
    feed->cut_warps = 0;
    feed->cut_threads = 0;
    memset(feed->local_size, 0, sizeof(feed->local_size));
    feed->missing = records->missing;
    feed->sufficient = records->sufficient;
    /* The first piece is lost. With it are the entry records, so nothing of the rest could be understood. */
    feed->stopped = records->position != records->first;
    feed->launch.truncated = records->missing > 0 || feed->stopped;
    if (feed->bins > replay->spare_lanes) {
        free_spare(replay);
        replay->spare_lanes = feed->bins;
    }
    if (!find_consumers(replay, records))
        return false;
    feed->stopped = feed->stopped || feed->consumers == 0;
    if (is_in_order(replay)) { /* and so will the next launches be */
        stop_pool(replay);
        replay->worker_count = 1;
    }
    return ws_replay_table_begin(&replay->threads, &feed->launch) &&
           ws_replay_worker_begin(&replay->workers[0]);
}

/* Sets feed->launch to what the catalog knows of it. Where its SUBM chunk is damaged, that is no more than
 * the records say. */
static bool set_launch(struct ws_replay *replay, const struct ws_chunk_records *records)
{
    const struct ws_launch_record *known = ws_catalog_launch(replay->catalog, records->launch);
    const uint32_t device = ws_catalog_device(replay->catalog, records->device);
    const struct ws_launch_record unknown = {
        .submission = records->submission,
        .index = records->launch,
        .device = device,
        .subgroup_size = replay->catalog->devices[device].subgroup_size,
        .label = "",
        .command_buffer = "",
        .pipeline = WS_NONE,
    };
    if (known == NULL || known->submission != records->submission)
        known = &unknown;
    ws_launch_record_finish(&replay->feed.launch);
    return ws_launch_record_copy(&replay->feed.launch, known);
}

static bool begin_launch(struct ws_replay *replay, const struct ws_chunk *chunk)
{
    if (!set_launch(replay, &chunk->records))
        return false;
    replay->feed.open = true;
    if (replay->worker_count > 1 && replay->pool == NULL) {
        replay->pool = ws_replay_pool_create(replay);
        if (replay->pool == NULL)
            replay->worker_count = 1;
    }
    return begin_records(replay, chunk);
}

static void set_slots(struct ws_replay *replay, const struct ws_chunk_records *records)
{
    for (uint32_t i = 0; i < records->slot_count; ++i)
        replay->slots[records->slots[i].slot] = ws_catalog_shader(replay->catalog, records->slots[i].shader);
}

static void forget_slots(struct ws_replay *replay, const struct ws_chunk_records *records)
{
    for (uint32_t i = 0; i < records->slot_count; ++i)
        replay->slots[records->slots[i].slot] = WS_NONE;
}

static bool feed_piece(struct ws_replay *replay, const struct ws_chunk *chunk)
{
    struct ws_replay_feed *feed = &replay->feed;
    const struct ws_chunk_records *records = &chunk->records;
    feed->last_chunk = chunk->number;
    feed->complete = (records->flags & WS_RECORDS_LAST) != 0;
    if (feed->stopped)
        return true;
    if (records->position != feed->next_piece || records->bins != feed->bins) {
        feed->stopped = true;
        feed->launch.truncated = true;
        return true;
    }
    feed->next_piece += records->word_count;
    set_slots(replay, records);
    const bool fed = ws_replay_feed(replay, records->words, records->word_count);
    forget_slots(replay, records);
    return fed;
}

/* Waits for the workers. False where one has failed, or where the launch is to be replayed by one worker
 * (feed->redo). A malformed record is among the reasons: the other workers do not know where in the order of
 * the stream it stands, so they have taken in events behind it; one worker drops exactly what follows it. */
static bool rest(struct ws_replay *replay)
{
    bool failed = false;
    if (replay->pool == NULL)
        return true;
    ws_replay_pool_rest(replay->pool);
    for (uint32_t i = 0; i < replay->worker_count; ++i) {
        failed = failed || replay->workers[i].failed;
        replay->feed.redo = replay->feed.redo || replay->workers[i].malformed;
    }
    return !failed && !replay->feed.redo;
}

static bool is_of(const struct ws_replay *replay, const struct ws_chunk *chunk)
{
    return chunk->type == WS_CHUNK_RECORDS && chunk->records.submission == replay->feed.launch.submission &&
           chunk->records.launch == replay->feed.launch.index;
}

/* Takes the launch's pieces in once more, from the file. */
static bool read_again(struct ws_replay *replay, struct ws_error *error)
{
    const uint64_t first = replay->feed.first_chunk;
    const uint64_t last = replay->feed.last_chunk;
    struct ws_chunk chunk = {0};
    if (replay->again == NULL || replay->again_next > first) {
        ws_reader_destroy(replay->again);
        replay->again = ws_reader_open(replay->path, error);
        replay->again_next = 0;
    }
    bool replayed = replay->again != NULL;
    while (replayed && replay->again_next <= last) {
        if (ws_reader_next(replay->again, &chunk, error) != WS_READ_CHUNK)
            return !ws_budget_exceeded(error) &&
                   ws_error_set(error, "'%s' changed while it was read", replay->path);
        replay->again_next = chunk.number + 1;
        if (chunk.number >= first && chunk.number <= last && is_of(replay, &chunk)) {
            replayed = (chunk.number > first || begin_records(replay, &chunk)) && feed_piece(replay, &chunk);
            if (!replayed)
                ws_error_set(error, "no memory for the records of the capture");
        }
    }
    return replayed;
}

/* Replays the launch again, from the file, by one worker. All later launches then have one worker too: a
 * device that has regrouped threads once will do it again. */
static bool redo(struct ws_replay *replay, struct ws_error *error)
{
    stop_pool(replay);
    clear(replay);
    replay->worker_count = 1;
    return read_again(replay, error);
}

/* The consumers that finish a launch, each by whoever takes it and with a share of the budget. */
struct finishing {
    const struct ws_replay *replay;
    const struct ws_replay_threads *threads;
    struct ws_budget_share shares[WS_REPLAY_CONSUMERS];
    atomic_uint next; /* consumer */
    atomic_bool failed;
};

static bool finishes(const struct ws_replay *replay, uint32_t consumer)
{
    return (replay->feed.consumers >> consumer & 1) != 0 &&
           replay->consumers[consumer].operations->finish != NULL;
}

/* All finish, also where one has failed: so what they spend is up to none of them. */
static void *take_finishes(void *user)
{
    struct finishing *finishing = user;
    const struct ws_replay *replay = finishing->replay;
    for (uint32_t i = atomic_fetch_add(&finishing->next, 1); i < replay->consumer_count;
         i = atomic_fetch_add(&finishing->next, 1)) {
        const struct ws_replay_consumer *consumer = &replay->consumers[i];
        if (!finishes(replay, i))
            continue;
        ws_budget_share_use(&finishing->shares[i]);
        if (!consumer->operations->finish(consumer->results, finishing->threads))
            atomic_store(&finishing->failed, true);
        ws_budget_share_use(NULL);
    }
    return NULL;
}

/* How many system threads finish the launch: where it is large, and memory is not scarce. What consumers take together could
 * be more than there is, as it happens that they take it at the same time or not. */
static uint32_t finishing_threads(const struct ws_replay *replay)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < replay->consumer_count; ++i)
        count += finishes(replay, i);
    if (replay->feed.records < WS_REPLAY_LARGE || !ws_memory_is_ample())
        return 1;
    return count < replay->worker_count ? count : replay->worker_count;
}

/* Lets the consumers finish the launch. */
static bool finish_consumers(const struct ws_replay *replay, const struct ws_replay_threads *threads)
{
    struct finishing finishing = {.replay = replay, .threads = threads};
    pthread_t others[WS_REPLAY_CONSUMERS];
    const uint32_t most = finishing_threads(replay);
    uint32_t started = 0;
    for (uint32_t i = 0; i < replay->consumer_count; ++i)
        finishing.shares[i] = ws_budget_share_make();
    while (started + 1 < most && pthread_create(&others[started], NULL, take_finishes, &finishing) == 0)
        started++;
    take_finishes(&finishing);
    while (started > 0)
        pthread_join(others[--started], NULL);
    for (uint32_t i = 0; i < replay->consumer_count; ++i)
        ws_budget_share_return(&finishing.shares[i]);
    return !atomic_load(&finishing.failed);
}

/* Merges the parts into the results of the consumers, in the order of the workers: so results do not depend
 * on which worker was faster. */
static bool merge(struct ws_replay *replay)
{
    uint32_t *ranks = ws_replay_table_rank(&replay->threads);
    bool merged = ranks != NULL;
    const struct ws_replay_threads threads = {
        .launch = &replay->feed.launch,
        .threads = replay->threads.threads,
        .thread_count = replay->threads.count,
        .warp_index = ranks,
        .warp_lanes = replay->threads.warp_lanes,
        .warp_count = replay->threads.warp_count,
    };
    for (uint32_t i = 0; i < replay->worker_count; ++i) {
        struct ws_replay_worker *worker = &replay->workers[i];
        for (uint32_t j = 0; j < replay->consumer_count && worker->has_parts && merged; ++j)
            if ((replay->feed.consumers >> j & 1) != 0)
                merged = replay->consumers[j].operations->merge(replay->consumers[j].results,
                                                                worker->parts[j], &threads);
    }
    merged = merged && finish_consumers(replay, &threads);
    free(ranks);
    return merged;
}

static void count_losses(struct ws_replay *replay)
{
    const struct ws_replay_feed *feed = &replay->feed;
    struct ws_replay_losses *losses = &replay->losses;
    if (feed->consumers == 0)
        return; /* the launch is nobody's */
    losses->launches++;
    losses->records += feed->records;
    losses->missing += feed->missing;
    losses->malformed += feed->malformed;
    losses->unsized += feed->unsized;
    losses->truncated += feed->launch.truncated;
    losses->cut_warps += feed->cut_warps;
    losses->cut_threads += feed->cut_threads;
    if (feed->missing > 0 && feed->sufficient > losses->sufficient)
        losses->sufficient = feed->sufficient;
    for (uint32_t i = 0; i < replay->worker_count; ++i) {
        losses->regrouped += replay->workers[i].regrouped;
        losses->continued += replay->workers[i].continued;
        losses->unrooted += replay->workers[i].unrooted;
    }
}

/* ---- Launches whose records end early (replay.h). ---- */

/* Whether lanes are still in the context, of a shader that says where they end. */
static bool is_unfinished(const struct ws_replay *replay, const struct ws_replay_live *live)
{
    const struct ws_context *context = &live->context;
    return live->module->ends[replay->catalog->shaders[context->shader].entry] &&
           ws_lanes_any(ws_lanes_without(context->entered, ws_lanes_or(context->ended, context->moved)));
}

/* The warps of all its threads, also of those that have left it: so nobody is told of it. */
static bool mark(struct ws_replay *replay, const struct ws_replay_live *live)
{
    bool any = false;
    for (struct ws_lanes left = live->context.entered; ws_lanes_any(left);) {
        const uint32_t thread = live->threads[ws_lanes_take(&left)];
        if (thread == WS_NONE)
            continue;
        replay->feed.cut[replay->threads.threads[thread].warp] = 1;
        any = true;
    }
    return any;
}

static bool find_cut(struct ws_replay *replay, bool *any)
{
    struct ws_replay_feed *feed = &replay->feed;
    *any = false;
    feed->cut_count = replay->threads.warp_count;
    feed->cut = calloc((size_t)feed->cut_count + 1, sizeof(*feed->cut));
    if (feed->cut == NULL)
        return false;
    for (uint32_t i = 0; i < replay->worker_count; ++i)
        for (const struct ws_replay_live *live = replay->workers[i].live; live != NULL; live = live->next)
            if (is_unfinished(replay, live))
                *any = mark(replay, live) || *any;
    return true;
}

/* The threads of the launch in x, y and z; all 0 where that is not known. */
static void measure(const struct ws_replay_feed *feed, uint64_t size[3])
{
    const bool is_dispatch = feed->launch.kind == WS_LAUNCH_DISPATCH;
    memset(size, 0, 3 * sizeof(*size));
    if (!is_dispatch && feed->launch.kind != WS_LAUNCH_TRACE_RAYS)
        return;
    for (uint32_t i = 0; i < 3; ++i)
        size[i] = (uint64_t)feed->launch.size[i] * (is_dispatch ? feed->local_size[i] : 1);
}

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? 0 : result;
}

/* How many threads of the launch the tile has. */
static uint64_t tile_area(const struct ws_replay_lost *lost, const uint64_t size[3], uint32_t column,
                          uint32_t row)
{
    const uint64_t left = size[0] - (uint64_t)column * lost->tile;
    const uint64_t below = size[1] - (uint64_t)row * lost->tile;
    return (left < lost->tile ? left : lost->tile) * (below < lost->tile ? below : lost->tile);
}

/* Draws the map: tiles of 8 x 8 threads, or of twice that and so on, until there is room for all. */
static bool draw(const struct ws_replay *replay, const uint64_t size[3], struct ws_replay_lost *lost)
{
    uint64_t *counts = calloc(WS_REPLAY_MAP_ROWS * WS_REPLAY_MAP_COLUMNS, sizeof(*counts));
    if (counts == NULL)
        return false;
    lost->tile = 8;
    while ((uint64_t)lost->tile * WS_REPLAY_MAP_COLUMNS < size[0] ||
           (uint64_t)lost->tile * WS_REPLAY_MAP_ROWS < size[1])
        lost->tile *= 2;
    lost->columns = (uint32_t)((size[0] + lost->tile - 1) / lost->tile);
    lost->rows = (uint32_t)((size[1] + lost->tile - 1) / lost->tile);
    for (uint32_t i = 0; i < replay->threads.count; ++i) {
        uint32_t at[3];
        ws_launch_record_position(&replay->feed.launch, replay->feed.local_size,
                                  replay->threads.threads[i].work, at);
        if (at[0] < size[0] && at[1] < size[1])
            counts[at[1] / lost->tile * WS_REPLAY_MAP_COLUMNS + at[0] / lost->tile]++;
    }
    for (uint32_t row = 0; row < lost->rows; ++row)
        for (uint32_t column = 0; column < lost->columns; ++column) {
            const uint64_t count = counts[row * WS_REPLAY_MAP_COLUMNS + column];
            lost->map[row][column] = count == 0                                    ? '.'
                                     : count >= tile_area(lost, size, column, row) ? '#'
                                                                                   : '+';
        }
    free(counts);
    return true;
}

/* The buffer held the words up to the last one of this launch, less a record. An eighth more, since tiles differ. */
static uint64_t step_of(const struct ws_replay_feed *feed)
{
    uint64_t needed = 0;
    if (feed->missing == 0 || feed->next_piece == 0 ||
        __builtin_add_overflow(feed->sufficient, feed->sufficient / 8 + feed->next_piece - 1, &needed))
        return 0;
    return needed / feed->next_piece;
}

static bool note_lost(struct ws_replay *replay)
{
    const struct ws_replay_feed *feed = &replay->feed;
    struct ws_replay_losses *losses = &replay->losses;
    const bool ends_early = feed->missing > 0 || !feed->complete;
    if (!ends_early || feed->consumers == 0 || losses->lost_count == WS_REPLAY_LOST)
        return true;
    struct ws_replay_lost *lost = &losses->lost[losses->lost_count++];
    uint64_t size[3];
    measure(feed, size);
    *lost = (struct ws_replay_lost){.launch = feed->launch.index,
                                    .threads = product(product(size[0], size[1]), size[2]),
                                    .kept = replay->threads.count,
                                    .cut_threads = feed->cut_threads,
                                    .cut_warps = feed->cut_warps,
                                    .step = step_of(feed)};
    /* A row or a plane, whose tiles have edges of 32 bits. Where the base is not known, threads cannot be told a tile. */
    const bool is_plane = !feed->launch.base_unknown && lost->threads > 0 && size[2] == 1 &&
                          size[0] < UINT32_MAX && size[1] < UINT32_MAX;
    return !is_plane || draw(replay, size, lost);
}

/* ---- The end of a launch. ---- */

/* After the last piece: waits until all is taken in, and says whether that was the whole launch. */
static bool take_rest(struct ws_replay *replay, struct ws_error *error)
{
    struct ws_replay_feed *feed = &replay->feed;
    bool taken = rest(replay);
    if (!taken && feed->redo)
        taken = redo(replay, error);
    /* Words are left over. Where the buffer overflowed or the program died, they are the begin of a record
     * that was cut off; where all pieces are there, no record can end like that. */
    if (feed->carry_count > 0 && !feed->stopped && feed->complete && feed->missing == 0)
        feed->malformed++;
    feed->launch.truncated = feed->launch.truncated || !feed->complete || feed->carry_count > 0;
    return taken;
}

/* Where the records of a launch end early, replays it again without the warps that this cut. From a pipe it cannot be read
 * again, and once the budget was spent there is none for it: these warps are told of as far as they came. */
static bool leave_out_cut(struct ws_replay *replay, struct ws_error *error)
{
    const struct ws_replay_feed *feed = &replay->feed;
    const bool ends_early =
        (feed->missing > 0 || !feed->complete) && feed->malformed == 0 && feed->consumers != 0;
    bool any = false;
    if (!ends_early || !is_file(replay->path) || ws_budget_exceeded(NULL))
        return true;
    if (!find_cut(replay, &any))
        return false;
    if (!any)
        return true;
    clear(replay);
    return read_again(replay, error) && take_rest(replay, error);
}

/* What analyses keep of records may lie in a temporary file, too (scratch.h). */
static bool fail_for_memory(struct ws_error *error)
{
    return ws_error_set(error,
                        "no memory for the records of the capture, or what was put aside of them in the "
                        "folder for temporary files (TMPDIR, /tmp) cannot be read");
}

static bool finish_launch(struct ws_replay *replay, struct ws_error *error)
{
    struct ws_replay_feed *feed = &replay->feed;
    if (!feed->open)
        return true;
    bool finished = take_rest(replay, error) && leave_out_cut(replay, error);
    feed->open = false;
    for (uint32_t i = 0; i < replay->worker_count && finished; ++i)
        finished = ws_replay_worker_end(&replay->workers[i]);
    finished = finished && merge(replay) && note_lost(replay);
    if (finished)
        count_losses(replay);
    clear(replay);
    forget_cut(feed);
    return finished || fail_for_memory(error);
}

bool ws_replay_record(struct ws_replay *replay, const struct ws_chunk *chunk, struct ws_error *error)
{
    if (chunk->type != WS_CHUNK_RECORDS)
        return true;
    if (replay->feed.open && !is_of(replay, chunk) && !finish_launch(replay, error))
        return false;
    /* Where that is too much, the reader ends before the next piece. */
    ws_budget_spend(WS_STEPS_WORD * (uint64_t)chunk->records.word_count);
    replay->losses.bytes += 4 * (uint64_t)chunk->records.word_count;
    if ((!replay->feed.open && !begin_launch(replay, chunk)) || !feed_piece(replay, chunk))
        return fail_for_memory(error);
    return !replay->feed.complete || finish_launch(replay, error);
}

bool ws_replay_end(struct ws_replay *replay, struct ws_error *error)
{
    return finish_launch(replay, error);
}
