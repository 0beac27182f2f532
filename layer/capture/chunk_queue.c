#include "layer/capture/chunk_queue.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "layer/process/lock.h"
#include "layer/process/process_id.h"
#include "layer/process/thread.h"

struct chunk {
    struct chunk *following;
    uint32_t type;
    struct ws_chunk_payload payload;
};

struct ws_chunk_queue {
    pthread_mutex_t *lock;
    struct ws_chunk_queue_calls calls;
    pthread_cond_t more;    /* something is to be written, at once; or the thread is to end */
    pthread_cond_t changed; /* a chunk was written */
    pthread_t thread;
    _Atomic int process; /* in which the thread runs; 0 = there is none yet, -1 = there can be none */
    struct chunk *oldest;
    struct chunk *newest;
    size_t size;       /* bytes of all that wait, and of what is being written */
    uint64_t finished; /* chunks that were written */
    uint64_t waited;
    uint32_t waiting; /* callers that wait for a chunk to be written */
    bool asleep;      /* the thread waits without a time: there was nothing */
    bool ending;
    uint64_t since;  /* when chunks were last counted from, */
    uint32_t came;   /* how many came, */
    uint32_t direct; /* and how many of these their callers write */
    bool goes_on;    /* in the span before more came than callers write */
};

#define NANOSECONDS 1000000000u

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * NANOSECONDS + (uint64_t)time.tv_nsec;
}

struct ws_chunk_queue *ws_chunk_queue_create(pthread_mutex_t *lock, const struct ws_chunk_queue_calls *calls)
{
    struct ws_chunk_queue *queue = calloc(1, sizeof(*queue));
    pthread_condattr_t attributes;
    if (queue == NULL)
        return NULL;
    queue->lock = lock;
    queue->calls = *calls;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->more, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_cond_init(&queue->changed, NULL);
    return queue;
}

/* Whether the thread is to write now what it finds, and not to let more come. */
static bool is_urgent(const struct ws_chunk_queue *queue)
{
    return queue->ending || queue->waiting > 0 || queue->size >= WS_CHUNK_QUEUE_URGENT;
}

/* Waits until there is something to write; and where that is little, until more has come or WS_CHUNK_QUEUE_DELAY is over.
 * So a program that submits every few microseconds wakes the thread once for a thousand chunks, not for each. */
static void wait_for_chunks(struct ws_chunk_queue *queue)
{
    queue->asleep = true;
    while (queue->oldest == NULL && !queue->ending)
        ws_wait(&queue->more, queue->lock);
    queue->asleep = false;
    const uint64_t end = now() + WS_CHUNK_QUEUE_DELAY;
    const struct timespec until = {.tv_sec = (time_t)(end / NANOSECONDS),
                                   .tv_nsec = (long)(end % NANOSECONDS)};
    while (!is_urgent(queue) && now() < end)
        ws_wait_until(&queue->more, queue->lock, &until);
}

static void *run(void *user)
{
    struct ws_chunk_queue *queue = user;
    ws_lock(queue->lock);
    for (;;) {
        if (queue->oldest == NULL)
            wait_for_chunks(queue);
        struct chunk *chunk = queue->oldest;
        if (chunk == NULL)
            break;
        ws_unlock(queue->lock);
        const char *why = queue->calls.write(queue->calls.user, chunk->type, &chunk->payload);
        ws_lock(queue->lock);
        queue->calls.written(queue->calls.user, why);
        queue->oldest = chunk->following;
        queue->size -= chunk->payload.size;
        queue->finished++;
        ws_chunk_payload_finish(&chunk->payload);
        free(chunk);
        pthread_cond_broadcast(&queue->changed);
    }
    ws_unlock(queue->lock);
    return NULL;
}

void ws_chunk_queue_destroy(struct ws_chunk_queue *queue)
{
    if (queue == NULL || ws_chunk_queue_is_inherited(queue))
        return;
    if (atomic_load(&queue->process) > 0) {
        ws_lock(queue->lock);
        queue->ending = true;
        pthread_cond_signal(&queue->more);
        ws_unlock(queue->lock);
        pthread_join(queue->thread, NULL);
    }
    pthread_cond_destroy(&queue->more);
    pthread_cond_destroy(&queue->changed);
    free(queue);
}

/* What is being written stays in the list meanwhile. */
bool ws_chunk_queue_is_idle(const struct ws_chunk_queue *queue)
{
    return queue->oldest == NULL;
}

bool ws_chunk_queue_is_inherited(const struct ws_chunk_queue *queue)
{
    const int process = atomic_load(&queue->process);
    return process > 0 && process != ws_process_id();
}

static bool have_thread(struct ws_chunk_queue *queue)
{
    if (atomic_load(&queue->process) == 0)
        atomic_store(&queue->process, ws_thread_start(&queue->thread, run, queue) ? ws_process_id() : -1);
    return atomic_load(&queue->process) > 0;
}

/* A chunk that is larger than all the room gets through when it is alone. */
static bool has_room(const struct ws_chunk_queue *queue, size_t size)
{
    return queue->size == 0 || queue->size + size <= WS_CHUNK_QUEUE_LIMIT;
}

/* Waits until a chunk was written. False where the process ends and none was for a second. */
static bool wait_for_change(struct ws_chunk_queue *queue)
{
    const uint64_t before = queue->finished;
    if (queue->waiting++ == 0)
        pthread_cond_signal(&queue->more);
    const bool changed = ws_wait(&queue->changed, queue->lock);
    queue->waiting--;
    return changed || queue->finished != before;
}

bool ws_chunk_queue_make_room(struct ws_chunk_queue *queue, size_t size)
{
    bool waited = true;
    if (has_room(queue, size))
        return true;
    const uint64_t begin = now();
    while (waited && !has_room(queue, size))
        waited = wait_for_change(queue);
    queue->waited += now() - begin;
    return waited;
}

bool ws_chunk_queue_put(struct ws_chunk_queue *queue, uint32_t type, struct ws_chunk_payload *payload)
{
    struct chunk *chunk = have_thread(queue) ? calloc(1, sizeof(*chunk)) : NULL;
    if (chunk == NULL)
        return false;
    *chunk = (struct chunk){.type = type, .payload = *payload};
    *payload = (struct ws_chunk_payload){0};
    if (queue->oldest == NULL)
        queue->oldest = chunk;
    else
        queue->newest->following = chunk;
    queue->newest = chunk;
    queue->came++;
    const bool urgent = is_urgent(queue);
    queue->size += chunk->payload.size;
    if (queue->asleep || is_urgent(queue) != urgent)
        pthread_cond_signal(&queue->more);
    return true;
}

bool ws_chunk_queue_is_busy(struct ws_chunk_queue *queue)
{
    const uint64_t time = now();
    if (time - queue->since >= WS_CHUNK_QUEUE_SPAN) {
        queue->goes_on = time - queue->since < 2 * WS_CHUNK_QUEUE_SPAN && queue->came > WS_CHUNK_QUEUE_DIRECT;
        queue->since = time;
        queue->came = 0;
        queue->direct = 0;
    }
    if (queue->direct >= (queue->goes_on ? WS_CHUNK_QUEUE_ON : WS_CHUNK_QUEUE_DIRECT))
        return true;
    queue->direct++;
    queue->came++;
    return false;
}

bool ws_chunk_queue_flush(struct ws_chunk_queue *queue)
{
    bool waited = true;
    while (waited && !ws_chunk_queue_is_idle(queue))
        waited = wait_for_change(queue);
    return waited;
}

uint64_t ws_chunk_queue_waited(const struct ws_chunk_queue *queue)
{
    return queue->waited;
}
