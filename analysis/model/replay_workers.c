/* Workers in threads of their own: each takes batches of events from a queue of its own, and gives them back
 * with the contexts that are over. There are few batches, so that the feeder waits for whoever is slow. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/replay_parts.h"

enum {
    EVENTS = 1024,
    BATCHES = 16,
    IDLE =
        BATCHES / 2, /* that the feeder waits for once it had none: it and the worker wake each other less */
    AHEAD = 6,       /* events that a worker looks ahead */
};

struct batch {
    struct batch *next;
    uint32_t count;
    struct ws_event events[EVENTS];
    uint32_t *words; /* payloads of data records */
    uint32_t word_count;
    uint32_t word_capacity;
    struct ws_live *over; /* contexts that were over after it */
};

struct channel {
    alignas(WS_CACHE_LINE) struct ws_replay_worker *worker;
    pthread_t thread;
    bool started;
    struct batch *filling;                       /* the feeder's */
    alignas(WS_CACHE_LINE) pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;                         /* something is queued, or it is to quit */
    pthread_cond_t rest;                         /* a batch came back */
    struct batch *first;                         /* queued */
    struct batch *last;
    struct batch *idle;
    uint32_t idle_count;
    uint32_t wanted; /* idle batches that the feeder waits for; 0 = it does not */
    bool quit;
    bool stopped; /* the worker failed, or met what is malformed */
};

struct ws_pool {
    struct ws_replay *replay;
    uint32_t count;
    struct channel channels[WS_REPLAY_WORKERS];
};

static struct batch *take_queued(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    while (channel->first == NULL && !channel->quit)
        pthread_cond_wait(&channel->work, &channel->lock);
    struct batch *batch = channel->first;
    if (batch != NULL)
        channel->first = batch->next;
    pthread_mutex_unlock(&channel->lock);
    return batch;
}

/* Asks for the memory of a context that is met soon. */
static void expect(const struct batch *batch, uint32_t index)
{
    if (index + AHEAD >= batch->count)
        return;
    const struct ws_live *live = batch->events[index + AHEAD].live;
    __builtin_prefetch(live);
    __builtin_prefetch(&live->context, 1);
    __builtin_prefetch(&live->context.away, 1);
}

static void *work(void *user)
{
    struct channel *channel = user;
    struct ws_replay_worker *worker = channel->worker;
    for (struct batch *batch = take_queued(channel); batch != NULL; batch = take_queued(channel)) {
        for (uint32_t i = 0; i < batch->count; ++i) {
            expect(batch, i);
            ws_worker_take(worker, &batch->events[i],
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
        struct batch *batch = malloc(sizeof(*batch));
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

static void free_batches(struct batch *batch)
{
    while (batch != NULL) {
        struct batch *next = batch->next;
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
    if (channel->filling != NULL)
        channel->filling->next = NULL;
    free_batches(channel->filling);
    free_batches(channel->idle);
    pthread_cond_destroy(&channel->work);
    pthread_cond_destroy(&channel->rest);
    pthread_mutex_destroy(&channel->lock);
}

struct ws_pool *ws_pool_create(struct ws_replay *replay)
{
    struct ws_pool *pool = aligned_alloc(WS_CACHE_LINE, sizeof(*pool));
    if (pool == NULL)
        return NULL;
    memset(pool, 0, sizeof(*pool));
    pool->replay = replay;
    while (pool->count < replay->worker_count) {
        const uint32_t index = pool->count++;
        if (!open_channel(&pool->channels[index], &replay->workers[index])) {
            ws_pool_destroy(pool);
            return NULL;
        }
    }
    return pool;
}

void ws_pool_destroy(struct ws_pool *pool)
{
    if (pool == NULL)
        return;
    for (uint32_t i = 0; i < pool->count; ++i)
        close_channel(&pool->channels[i]);
    free(pool);
}

/* Queues the batch that is being filled. */
static void flush(struct channel *channel)
{
    struct batch *batch = channel->filling;
    if (batch == NULL)
        return;
    channel->filling = NULL;
    pthread_mutex_lock(&channel->lock);
    batch->next = NULL;
    if (channel->first == NULL)
        channel->first = batch;
    else
        channel->last->next = batch;
    channel->last = batch;
    pthread_cond_signal(&channel->work);
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
static bool take_idle(struct ws_pool *pool, struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    if (channel->idle == NULL)
        wait_idle(channel, IDLE);
    struct batch *batch = channel->idle;
    channel->idle = batch->next;
    channel->idle_count--;
    const bool stopped = channel->stopped;
    pthread_mutex_unlock(&channel->lock);
    ws_replay_recycle(pool->replay, batch->over);
    batch->over = NULL;
    batch->count = 0;
    batch->word_count = 0;
    channel->filling = batch;
    return !stopped;
}

static bool add_words(struct batch *batch, const uint32_t *words, uint32_t count)
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

bool ws_pool_put(struct ws_pool *pool, uint32_t worker, const struct ws_event *event, const uint32_t *words,
                 uint32_t word_count)
{
    struct channel *channel = &pool->channels[worker];
    if (channel->filling == NULL && !take_idle(pool, channel))
        return false;
    struct batch *batch = channel->filling;
    struct ws_event *put = &batch->events[batch->count++];
    *put = *event;
    put->words = batch->word_count;
    if (word_count > 0 && !add_words(batch, words, word_count)) {
        batch->count--;
        return false;
    }
    if (batch->count == EVENTS)
        flush(channel);
    return true;
}

bool ws_pool_rest(struct ws_pool *pool)
{
    bool stopped = false;
    for (uint32_t i = 0; i < pool->count; ++i)
        flush(&pool->channels[i]);
    for (uint32_t i = 0; i < pool->count; ++i) {
        struct channel *channel = &pool->channels[i];
        pthread_mutex_lock(&channel->lock);
        wait_idle(channel, BATCHES);
        stopped = stopped || channel->stopped;
        channel->stopped = false;
        pthread_mutex_unlock(&channel->lock);
        for (struct batch *batch = channel->idle; batch != NULL; batch = batch->next) {
            ws_replay_recycle(pool->replay, batch->over);
            batch->over = NULL;
        }
    }
    return !stopped;
}
