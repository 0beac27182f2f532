/* Whether a submission is sure to finish by itself, or may wait for a timeline semaphore that only a later
 * submission, or the host, will signal. Whoever waits for such a one within vkQueueSubmit waits for ever.
 *
 * Binary semaphores need no thought: what signals them, and all that this depends on, must have been
 * submitted before (VUID-vkQueueSubmit-pWaitSemaphores-03238). Calls no Vulkan. Not thread-safe. */
#ifndef WS_LAYER_SUBMIT_TIMELINE_H
#define WS_LAYER_SUBMIT_TIMELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

/* A value of a timeline semaphore that is waited for or signalled. */
struct ws_semaphore_value {
    VkSemaphore semaphore;
    uint64_t value;
};

/* A batch of a queue submission, as far as timeline semaphores are concerned. */
struct ws_timeline_batch {
    const void *queue;
    uint64_t sequence;                 /* of the queue operation; rises over all queues */
    struct ws_semaphore_value *values; /* waits, then signals */
    uint32_t wait_count;
    uint32_t signal_count;
    bool released; /* scratch */
};

/* All batches with such semaphores that may not be finished, in order of submission. Zero-initialise. */
struct ws_timelines {
    struct ws_timeline_batch *batches;
    uint32_t count;
    uint32_t capacity;
    bool incomplete;   /* there was no memory for one: then nothing is sure any more */
    uint32_t prune_at; /* with more batches than this, a look at what they have come to is worth it */
    _Atomic uint32_t semaphores; /* timeline semaphores that exist; read without the lock as well */
};

/* Whether the semaphore has come to `value`. */
struct ws_timeline_clock {
    bool (*reached)(void *context, VkSemaphore semaphore, uint64_t value);
    void *context;
};

void ws_timelines_finish(struct ws_timelines *timelines);

/* Adds a batch; one with neither waits nor signals need not be added. */
void ws_timelines_add(struct ws_timelines *timelines, const void *queue, uint64_t sequence,
                      const struct ws_semaphore_value *waits, uint32_t wait_count,
                      const struct ws_semaphore_value *signals, uint32_t signal_count);

/* Drops the batches whose waits and signals have all been reached. */
void ws_timelines_prune(struct ws_timelines *timelines, const struct ws_timeline_clock *clock);

/* The same, once the batches have doubled since the last time: each value asked for is a call of the driver. */
void ws_timelines_prune_sometimes(struct ws_timelines *timelines, const struct ws_timeline_clock *clock);

/* Drops a semaphore that is destroyed: whatever used it must have finished. */
void ws_timelines_forget(struct ws_timelines *timelines, VkSemaphore semaphore);

/* Whether all that was submitted to `queue` up to `sequence` finishes without anything further being
 * submitted or signalled. */
bool ws_timelines_will_finish(struct ws_timelines *timelines, const void *queue, uint64_t sequence,
                              const struct ws_timeline_clock *clock);

#endif
