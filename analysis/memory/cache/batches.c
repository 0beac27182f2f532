#include "analysis/memory/cache/batches.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "warpscope/passes.h"

enum { STAGES = 3 };

struct stage {
    struct ws_batches *batches;
    void (*run)(struct ws_batches *batches, struct ws_batch *batch);
    pthread_t thread;
    bool started;
    uint64_t done; /* batches */
};

struct ws_batches {
    struct ws_batches_settings settings;
    struct ws_hierarchy *hierarchy;
    struct ws_size_run sizes;
    struct ws_batch *ring[WS_BATCHES]; /* NULL = not needed yet */
    uint32_t ring_size; /* slots that are used: 1 without threads; 0 = the first batch is not full yet */
    uint64_t filled;    /* number of the batch that is filled; */
    uint32_t slot;      /* its slot: filled % ring_size */
    uint64_t taken;     /* batches that were given back */
    struct stage stages[STAGES];
    pthread_mutex_t lock; /* of the next two, and of `done` */
    uint64_t handed;      /* batches */
    bool quits;
    pthread_cond_t work;
    pthread_cond_t progress;
};

/* ---- stages ---- */

static void run_levels(struct ws_batches *batches, struct ws_batch *batch)
{
    ws_hierarchy_run_parts(batches->hierarchy, batch->lines, batch->parts, batch->part_count,
                           batch->outcomes);
}

static const uint64_t *curve_lines(const struct ws_batch *batch, size_t *count)
{
    *count = batch->curve_lines != NULL ? batch->curve_count : batch->part_count;
    return batch->curve_lines != NULL ? batch->curve_lines : batch->lines;
}

static void run_distances(struct ws_batches *batches, struct ws_batch *batch)
{
    size_t count = 0;
    const uint64_t *lines = curve_lines(batch, &count);
    if (batches->settings.has_curve)
        ws_size_run_distances(&batches->sizes, lines, count);
}

static void run_stacks(struct ws_batches *batches, struct ws_batch *batch)
{
    size_t count = 0;
    const uint64_t *lines = curve_lines(batch, &count);
    if (batches->settings.has_curve)
        ws_size_run_stacks(&batches->sizes, lines, count);
}

static void *work(void *pointer)
{
    struct stage *stage = pointer;
    struct ws_batches *batches = stage->batches;
    pthread_mutex_lock(&batches->lock);
    while (true) {
        while (stage->done == batches->handed && !batches->quits)
            pthread_cond_wait(&batches->work, &batches->lock);
        if (stage->done == batches->handed)
            break;
        struct ws_batch *batch = batches->ring[stage->done % batches->ring_size];
        pthread_mutex_unlock(&batches->lock);
        stage->run(batches, batch);
        pthread_mutex_lock(&batches->lock);
        stage->done++;
        pthread_cond_signal(&batches->progress);
    }
    pthread_mutex_unlock(&batches->lock);
    return NULL;
}

/* ---- threads ---- */

static bool has_processors(const struct ws_batches *batches)
{
    const uint32_t most = batches->settings.threads;
    return most > 0 ? most > 1 : sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

/* Ends the threads, which run what was handed over before. */
static void stop(struct ws_batches *batches)
{
    pthread_mutex_lock(&batches->lock);
    batches->quits = true;
    pthread_cond_broadcast(&batches->work);
    pthread_mutex_unlock(&batches->lock);
    for (uint32_t i = 0; i < STAGES; ++i) {
        if (batches->stages[i].started)
            pthread_join(batches->stages[i].thread, NULL);
        batches->stages[i].started = false;
    }
    batches->quits = false;
}

/* Where a stage gets no thread, all run in the maker's. */
static void start(struct ws_batches *batches)
{
    bool started = has_processors(batches);
    batches->ring_size = WS_BATCHES;
    for (uint32_t i = 0; started && i < STAGES; ++i) {
        struct stage *stage = &batches->stages[i];
        if (i > 0 && !batches->settings.has_curve)
            continue;
        started = stage->started = pthread_create(&stage->thread, NULL, work, stage) == 0;
    }
    if (started)
        return;
    stop(batches);
    batches->ring_size = 1;
}

/* ---- batches ---- */

bool ws_batches_has_lines(const struct ws_batches *batches)
{
    return ws_hierarchy_has_lines(batches->hierarchy, WS_MEMORY_LINE, WS_MEMORY_SECTOR);
}

static bool needs_curve_lines(const struct ws_batches *batches)
{
    return batches->settings.has_curve && !ws_batches_has_lines(batches);
}

/* An empty batch in that slot. */
static bool begin_batch(struct ws_batches *batches, uint32_t slot)
{
    struct ws_batch *batch = batches->ring[slot];
    if (batch == NULL) {
        batch = batches->ring[slot] = malloc(sizeof(*batch));
        if (batch == NULL)
            return false;
        batch->curve_lines = NULL;
        if (needs_curve_lines(batches))
            batch->curve_lines = malloc(WS_BATCH_LINES * sizeof(*batch->curve_lines));
    }
    batch->part_count = 0;
    batch->curve_count = 0;
    return batch->curve_lines != NULL || !needs_curve_lines(batches);
}

struct ws_batches *ws_batches_create(const struct ws_batches_settings *settings)
{
    static void (*const runs[STAGES])(struct ws_batches *, struct ws_batch *) = {run_levels, run_distances,
                                                                                 run_stacks};
    struct ws_error unsaid;
    struct ws_batches *batches = calloc(1, sizeof(*batches));
    if (batches == NULL)
        return NULL;
    batches->settings = *settings;
    pthread_mutex_init(&batches->lock, NULL);
    pthread_cond_init(&batches->work, NULL);
    pthread_cond_init(&batches->progress, NULL);
    for (uint32_t i = 0; i < STAGES; ++i)
        batches->stages[i] = (struct stage){.batches = batches, .run = runs[i]};
    batches->hierarchy = ws_hierarchy_create(settings->shape, &unsaid);
    if (batches->hierarchy == NULL || !begin_batch(batches, 0) ||
        (settings->has_curve && !ws_size_run_begin(&batches->sizes, settings->one_of)))
        goto error;
    return batches;
error:
    ws_batches_destroy(batches);
    return NULL;
}

void ws_batches_destroy(struct ws_batches *batches)
{
    if (batches == NULL)
        return;
    stop(batches);
    for (uint32_t i = 0; i < WS_BATCHES; ++i) {
        if (batches->ring[i] != NULL)
            free(batches->ring[i]->curve_lines);
        free(batches->ring[i]);
    }
    ws_hierarchy_destroy(batches->hierarchy);
    ws_size_run_finish(&batches->sizes);
    pthread_cond_destroy(&batches->progress);
    pthread_cond_destroy(&batches->work);
    pthread_mutex_destroy(&batches->lock);
    free(batches);
}

struct ws_batch *ws_batches_filled(struct ws_batches *batches)
{
    return batches->ring[batches->slot];
}

uint32_t ws_batches_slot(const struct ws_batches *batches)
{
    return batches->slot;
}

static bool has_threads(const struct ws_batches *batches)
{
    return batches->ring_size > 1;
}

/* Gives the batch that is filled to the stages. */
static void hand_over(struct ws_batches *batches)
{
    for (uint32_t i = 0; i < STAGES && !has_threads(batches); ++i)
        batches->stages[i].run(batches, ws_batches_filled(batches));
    pthread_mutex_lock(&batches->lock);
    batches->handed++;
    pthread_cond_broadcast(&batches->work);
    pthread_mutex_unlock(&batches->lock);
}

/* Waits for the batch that is to be given back next, and gives it back. */
static bool take(struct ws_batches *batches)
{
    pthread_mutex_lock(&batches->lock);
    for (uint32_t i = 0; i < STAGES; ++i)
        while (batches->stages[i].started && batches->stages[i].done <= batches->taken)
            pthread_cond_wait(&batches->progress, &batches->lock);
    pthread_mutex_unlock(&batches->lock);
    const uint32_t slot = has_threads(batches) ? (uint32_t)(batches->taken % batches->ring_size) : 0;
    batches->taken++;
    return batches->settings.take(batches->settings.user, slot, batches->ring[slot]);
}

bool ws_batches_next(struct ws_batches *batches)
{
    if (batches->ring_size == 0)
        start(batches);
    hand_over(batches);
    if (batches->filled + 1 - batches->taken == batches->ring_size && !take(batches))
        return false;
    batches->filled++;
    batches->slot = (uint32_t)(batches->filled % batches->ring_size);
    return begin_batch(batches, batches->slot);
}

bool ws_batches_end(struct ws_batches *batches)
{
    bool taken = true;
    hand_over(batches);
    while (taken && batches->taken <= batches->filled)
        taken = take(batches);
    stop(batches);
    return taken && !ws_size_run_failed(&batches->sizes);
}

struct ws_hierarchy *ws_batches_hierarchy(struct ws_batches *batches)
{
    return batches->hierarchy;
}

const struct ws_size_run *ws_batches_sizes(const struct ws_batches *batches)
{
    return &batches->sizes;
}
