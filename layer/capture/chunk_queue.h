/* Chunks that wait for a thread of ours to compress and write them.
 *
 * The thread starts with the first chunk. It owns what `write` uses while ws_chunk_queue_is_idle says false; else whoever
 * has the lock does. At most WS_CHUNK_QUEUE_LIMIT bytes wait: a caller that brings more waits itself, which is counted.
 *
 * All functions but create and destroy are called with the lock that was given to ws_chunk_queue_create; those that wait
 * release it meanwhile. */
#ifndef WS_LAYER_CAPTURE_CHUNK_QUEUE_H
#define WS_LAYER_CAPTURE_CHUNK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/capture/chunk_payload.h"

/* Bytes that may wait. Also what a program that is killed may lose at most, besides the chunk that is being written. */
#define WS_CHUNK_QUEUE_LIMIT ((size_t)16 << 20)

/* From so many bytes that wait on the thread begins at once; with less, this many nanoseconds later. */
#define WS_CHUNK_QUEUE_URGENT ((size_t)64 << 10)
#define WS_CHUNK_QUEUE_DELAY  ((uint64_t)10000000)

/* So many chunks in so many nanoseconds are written by their callers, whatever happens next: ws_chunk_queue_is_busy. Right
 * after such a time in which there were more, it is so many: who submits on and on does not wait for us. */
#define WS_CHUNK_QUEUE_DIRECT 100
#define WS_CHUNK_QUEUE_ON     5
#define WS_CHUNK_QUEUE_SPAN   ((uint64_t)100000000)

struct ws_chunk_queue;

/* Writes a chunk: called by the thread, without the lock; and then `written` with it, with what `write` returned. */
struct ws_chunk_queue_calls {
    const char *(*write)(void *user, uint32_t type, struct ws_chunk_payload *payload);
    void (*written)(void *user, const char *why);
    void *user;
};

/* NULL without memory. */
struct ws_chunk_queue *ws_chunk_queue_create(pthread_mutex_t *lock, const struct ws_chunk_queue_calls *calls);

/* Ends the thread once it has written all. Without the lock. NULL is accepted. In a fork's child the thread is not there,
 * and nothing is freed. */
void ws_chunk_queue_destroy(struct ws_chunk_queue *queue);

/* Whether nothing waits, and the thread writes nothing. */
bool ws_chunk_queue_is_idle(const struct ws_chunk_queue *queue);

/* Whether this process is a fork's child of the one whose thread writes. Without the lock, which that thread may have had
 * when the process was forked. */
bool ws_chunk_queue_is_inherited(const struct ws_chunk_queue *queue);

/* Waits until there is room for so many bytes. False where the process ends and the thread has written nothing for a
 * second. */
bool ws_chunk_queue_make_room(struct ws_chunk_queue *queue, size_t size);

/* Counts a chunk that its caller could write itself, and says whether it had better not: in this span there were
 * WS_CHUNK_QUEUE_DIRECT already, or WS_CHUNK_QUEUE_ON, and compressing and writing takes longer than submitting. */
bool ws_chunk_queue_is_busy(struct ws_chunk_queue *queue);

/* Puts a chunk to the others and takes over its memory. False where there is no thread, or no memory for it: then nothing
 * was taken. */
bool ws_chunk_queue_put(struct ws_chunk_queue *queue, uint32_t type, struct ws_chunk_payload *payload);

/* Waits until it is idle. False where the process ends and the thread has written nothing for a second. */
bool ws_chunk_queue_flush(struct ws_chunk_queue *queue);

/* How long callers have waited for room, in nanoseconds. */
uint64_t ws_chunk_queue_waited(const struct ws_chunk_queue *queue);

#endif
