/* What the application submitted and the capture does not have yet.
 *
 * Each batch (VkSubmitInfo) that executes launches is followed, within the batch, by command buffers of
 * ours that copy the results of its command buffers to host-visible memory; each vkQueueSubmit by a fence of
 * ours. Whenever the application calls in and some of these fences have come, the results are written to the
 * capture in order: no thread of ours runs in the application's process.
 *
 * The live counters are shared by the whole device, so instrumented submissions on several queues must not
 * run side by side: a later one first waits, on the host, for those pending on other queues. Where that
 * could wait for ever (timeline.h), it does not, and the submissions are marked as overlapped.
 *
 * One lock per device guards all of this, the order of submissions included. It is held across calls of the
 * next layer, never while the application's code may run. */
#ifndef WS_LAYER_SUBMIT_SUBMISSION_H
#define WS_LAYER_SUBMIT_SUBMISSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/recording.h"
#include "layer/memory/memory.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/losses.h"
#include "layer/submit/stream_ring.h"
#include "layer/submit/timeline.h"

struct ws_device;
struct ws_queue;
struct ws_stream;

/* Launches that a batch executes one after the other: those of a command buffer, or what a suspended
 * rendering left to the submission. */
struct ws_executed {
    struct ws_recording *recording;      /* referenced; NULL for a suspended rendering */
    struct ws_recorded_launch rendering; /* the suspended rendering; owned */
    const char *command_buffer;          /* its name; owned; NULL when it has none */
    uint64_t first;                      /* index of the first launch */
    uint64_t selected;                   /* how many of them are wanted */
    bool kept;             /* their results are copied: any is wanted, cuts the stream, or builds */
    bool after_gap;        /* something unknown was executed since the previous ones */
    VkDeviceSize position; /* of the results in the submission's readback memory */
    bool lost;             /* there was no memory, or no command buffer, to copy them */
};

/* One VkSubmitInfo. */
struct ws_batch {
    uint64_t index; /* submit index */
    uint64_t frame;
    struct ws_executed *executed;
    uint32_t executed_count;
    char *label; /* open on the queue; NULL when none is */
};

/* One vkQueueSubmit that executes launches. */
struct ws_submission {
    struct ws_submission *following; /* on the same queue */
    struct ws_queue *queue;
    uint64_t sequence;
    VkFence fence;             /* ours; VK_NULL_HANDLE when it could not be submitted */
    VkFence application_fence; /* VK_NULL_HANDLE when there is none, or it was reset since */
    bool finished;             /* known to have been executed */
    bool overlapped;
    struct ws_batch *batches;
    uint32_t batch_count;
    struct ws_memory_range readback;
    struct ws_stream *stream;  /* what its launches append to; NULL = nothing: stream_ring.h */
    uint32_t stream_first;     /* the first batch that does */
    bool late_copies;          /* some of its readbacks need late copies: late_copy.h */
    VkCommandBuffer *commands; /* ours, to be used again */
    uint32_t command_count;
    uint32_t command_capacity;
    struct ws_semaphore_value *signals; /* timeline semaphores that tell of its end */
    uint32_t signal_count;
};

/* How many launches those are, and the `index`th. */
uint32_t ws_executed_count(const struct ws_executed *executed);
const struct ws_recorded_launch *ws_executed_at(const struct ws_executed *executed, uint32_t index);

/* Whether the `index`th is one that the settings ask for. */
bool ws_executed_is_selected(const struct ws_device *device, const struct ws_executed *executed,
                             uint32_t index);

/* How many launches of a submission are wanted and have records. */
uint64_t ws_submission_count_records(const struct ws_device *device, const struct ws_submission *submission);

struct ws_command_source;

/* All that the layer keeps of a device's queues. Members that are structs have their own headers. */
struct ws_submissions {
    pthread_mutex_t lock;
    struct ws_queue *queues;  /* those that the application got; each with its pending submissions: queue.h */
    _Atomic uint32_t pending; /* submissions not yet written, on all queues; read without the lock as well */
    VkDeviceSize pending_size; /* bytes of their readback memory */
    uint64_t sequence;         /* of the latest queue operation */
    bool device_lost;
    uint64_t mark; /* of the copies that plan.c is planning */
    struct ws_timelines timelines;
    struct ws_late_copies late;
    struct ws_stream_ring ring;
    struct ws_losses losses;
    struct ws_command_source *source;
};

/* Leaving gives back the queue for late copies and says what was lost meanwhile, which runs code of the
 * application. */
void ws_submissions_enter(struct ws_device *device);
void ws_submissions_leave(struct ws_device *device);

/* All below: with the lock entered. */

/* Adds a submission that was handed to the next layer to its queue's. */
void ws_submissions_add(struct ws_device *device, struct ws_submission *submission);

/* Frees a submission that is not (or no longer) in a queue. NULL is accepted. */
void ws_submission_destroy(struct ws_device *device, struct ws_submission *submission);

/* Whether our fence has come; asks, and never waits. */
bool ws_submission_has_finished(struct ws_device *device, struct ws_submission *submission);

/* The pending submission that was submitted first, of all queues; NULL = none is pending. */
struct ws_submission *ws_submissions_oldest(const struct ws_submissions *submissions);

/* Writes what has finished on all queues, each queue's in order. A submission whose late copies (late_copy.h)
 * find no queue now stays, and so does what follows it on its queue. */
void ws_submissions_drain(struct ws_device *device);

/* Gives up what has not been written: the device was lost. */
void ws_submissions_abandon(struct ws_device *device, const char *reason);

#endif
