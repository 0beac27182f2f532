/* Whether a submission is sure to finish by what has been submitted so far.
 *
 * A batch may wait for a value of a timeline semaphore that only a later submission, or the host, will signal
 * ("wait before signal"). The application does that after its vkQueueSubmit has returned. So if the layer
 * waited for such a batch within vkQueueSubmit, it would wait for ever. An example, with one thread:
 *
 *     vkQueueSubmit(queue 0, waits for S = 1)
 *     vkQueueSubmit(queue 1)                     must not wait for queue 0 here ...
 *     vkSignalSemaphore(S = 1)                   ... since it goes on only now
 *
 * A batch may also wait for something that no submission tells of: an event that the host sets
 * (vkCmdWaitEvents with VK_PIPELINE_STAGE_HOST_BIT), or a semaphore that another process may signal. Such a
 * batch is `open`: nobody knows when it ends, nor whether it does.
 *
 * Of a binary semaphore, what signals it and all that this depends on must have been submitted before it is
 * waited for (VUID-vkQueueSubmit-pWaitSemaphores-03238). So a wait for one needs thought only while an open
 * batch is pending, which the signal may be behind. A semaphore of vkAcquireNextImageKHR is taken as sure to
 * be signalled: the presentation engine needs only presents that came before it.
 *
 * Calls no Vulkan itself. Guarded by the submission lock (submission.h). */
#ifndef WS_LAYER_SUBMIT_TIMELINE_H
#define WS_LAYER_SUBMIT_TIMELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

/* The value that stands for a binary semaphore. A timeline semaphore has reached 0 from the beginning, so a
 * wait for its value 0 tells nothing. */
#define WS_BINARY 0

/* A value of a timeline semaphore that is waited for or signalled; or a binary semaphore (WS_BINARY). */
struct ws_semaphore_value {
    VkSemaphore semaphore;
    uint64_t value;
};

/* A batch of a queue submission that waits for timeline semaphores or signals some. */
struct ws_timeline_batch {
    const void *queue;                 /* only compared */
    uint64_t sequence;                 /* of the queue operation; rises over all queues */
    struct ws_semaphore_value *values; /* waits, then signals */
    uint32_t wait_count;
    uint32_t signal_count;
    bool open;     /* waits for something that no submission tells of */
    bool released; /* ws_timelines_will_finish: it is sure to run */
};

/* The open batches and those with such semaphores that may not have finished, in order of submission.
 * Zero-initialise. */
struct ws_timelines {
    struct ws_timeline_batch *batches;
    uint32_t count;
    uint32_t capacity;
    bool incomplete;   /* there was no memory for one: then nothing is sure any more */
    uint32_t open;     /* how many of the batches are */
    uint32_t prune_at; /* with more batches than this, a look at what they have come to is worth it */
    _Atomic uint32_t semaphores; /* timeline semaphores that exist; read without the lock as well */
};

/* Whether the semaphore has reached `value`. */
struct ws_timeline_clock {
    bool (*reached)(void *context, VkSemaphore semaphore, uint64_t value);
    void *context;
};

/* Frees its memory. */
void ws_timelines_finish(struct ws_timelines *timelines);

/* Adds a batch. One with neither waits nor signals need not be added, unless it is open. Binary semaphores
 * need not be given while no batch is open. */
void ws_timelines_add(struct ws_timelines *timelines, const void *queue, uint64_t sequence, bool open,
                      const struct ws_semaphore_value *waits, uint32_t wait_count,
                      const struct ws_semaphore_value *signals, uint32_t signal_count);

/* Drops the batches of `queue` up to `sequence`: they have ended. */
void ws_timelines_end(struct ws_timelines *timelines, const void *queue, uint64_t sequence);

/* Drops the batches that are sure to run, if all values of timeline semaphores that they signal have been
 * reached: they tell nothing any more. What is sure stays so, whatever is submitted later. */
void ws_timelines_prune(struct ws_timelines *timelines, const struct ws_timeline_clock *clock);

/* The same, once the batches have doubled since the last time: each value asked for is a call of the driver.
 */
void ws_timelines_prune_sometimes(struct ws_timelines *timelines, const struct ws_timeline_clock *clock);

/* Drops a semaphore that is destroyed, whose batches have finished. */
void ws_timelines_forget(struct ws_timelines *timelines, VkSemaphore semaphore);

/* Whether all that was submitted to `queue` up to `sequence` finishes without anything further being
 * submitted or signalled. */
bool ws_timelines_will_finish(struct ws_timelines *timelines, const void *queue, uint64_t sequence,
                              const struct ws_timeline_clock *clock);

#endif
