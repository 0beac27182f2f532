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
#include "layer/submit/timeline.h"

struct ws_device;
struct ws_queue;
struct ws_stream;

/* Launches that a batch executes one after the other: those of a command buffer, or what a suspended
 * rendering left to the submission. */
struct ws_executed {
    struct ws_recording *recording; /* referenced; NULL for a suspended rendering */
    struct ws_recorded_launch rest; /* the suspended rendering; owned */
    const char *command_buffer;     /* its name; owned; NULL when it has none */
    uint64_t first;                 /* index of the first launch */
    uint64_t selected;              /* how many of them are wanted */
    bool kept;                      /* their results are copied: any is wanted, cuts the stream, or builds */
    bool after_gap;                 /* something unknown was executed since the previous ones */
    VkDeviceSize position;          /* of the results in the submission's readback memory */
    bool lost;                      /* there was no memory, or no command buffer, to copy them */
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
    bool later;                /* some of its occurrences need late copies: late_copy.h */
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

struct ws_command_source; /* command_source.h */

/* Reasons why geometry is not captured that are said, each once. */
#define WS_GEOMETRY_SAID 8

struct ws_submissions {
    pthread_mutex_t lock;
    struct ws_queue *queues;
    _Atomic uint32_t pending;             /* submissions not yet written */
    VkDeviceSize pending_size;            /* bytes of their readback memory */
    uint64_t sequence;                    /* of the latest queue operation */
    uint64_t mark;                        /* plan.c */
    struct ws_timelines timelines;        /* of all queue operations, whether they execute launches or not */
    uint32_t prune_at;                    /* how many of them are worth a look at what they have come to */
    _Atomic uint32_t timeline_semaphores; /* that exist */
    struct ws_command_source *source;
    struct ws_queue *usable; /* the queue that the application's call under way may use; NULL = none */
    bool usable_idle;        /* all that was submitted to it has finished */
    /* Calls of the application that use queues outside of `lock` hold this for reading: who tries to hold it
     * for writing, with `lock` entered, may use any queue. */
    pthread_rwlock_t calls;
    bool borrowed;           /* it is held for writing, until the lock is left */
    const char *say;         /* to be said once the lock is left; static */
    const char *say_records; /* likewise */
    const char *say_geometry;
    const char *said_geometry[WS_GEOMETRY_SAID]; /* reasons that were said: some stay for every frame */
    uint32_t said_geometry_count;
    bool device_lost;
};

void ws_submissions_enter(struct ws_device *device);
void ws_submissions_leave(struct ws_device *device);

/* All below: with the lock entered. */

/* Records that `count` launches were executed whose counts are lost. Nothing when `count` is 0. */
void ws_submissions_lose(struct ws_device *device, uint64_t count, const char *reason);

/* The same for records; counts were kept. */
void ws_submissions_lose_records(struct ws_device *device, uint64_t count, const char *reason);

/* The same for builds, copies and geometries, of a structure (its capture id) or of none (WS_NONE). */
void ws_submissions_lose_geometry(struct ws_device *device, uint32_t structure, uint64_t count,
                                  const char *reason);

/* Adds a submission that was handed to the next layer to its queue's. */
void ws_submissions_add(struct ws_device *device, struct ws_submission *submission);

/* Frees a submission that is not (or no longer) in a queue. NULL is accepted. */
void ws_submission_destroy(struct ws_device *device, struct ws_submission *submission);

/* Waits until our fence has come, at most WS_WAIT_LIMIT; then it is finished. Once that was in vain, nothing
 * on the queue is waited for until something on it has finished. */
bool ws_submission_wait(struct ws_device *device, struct ws_submission *submission);

/* The same, but does not begin a wait that the timeline semaphores say may take for ever. */
bool ws_submission_wait_surely(struct ws_device *device, struct ws_submission *submission);

/* Whether all that is on a queue is sure to finish by itself. */
bool ws_submissions_queue_will_finish(struct ws_device *device, const struct ws_queue *queue);

/* Writes whatever has finished on all queues; but not what takes a queue that may not be used now. */
void ws_submissions_drain(struct ws_device *device);

/* Gives up what has not finished: the device was lost. */
void ws_submissions_abandon(struct ws_device *device, const char *reason);

/* Drops the timeline semaphores' values that have been reached, now and then. */
void ws_submissions_prune_timelines(struct ws_device *device);

/* Around a call of the next layer that uses queues, without the lock. */
void ws_submissions_enter_call(struct ws_device *device);
void ws_submissions_leave_call(struct ws_device *device);

/* Lets a call that was given no queue copy on one: where records wait for that, all of ours on their queue
 * has finished, and no other call is using any. */
void ws_submissions_borrow(struct ws_device *device);

/* A queue to copy on, for `usable` where the call under way may use all of them; NULL when there is none. */
struct ws_queue *ws_submissions_any_queue(struct ws_device *device);

/* Waits for what is pending on other queues than `queue`; true when it could not, and so overlaps. */
bool ws_submissions_wait_for_others(struct ws_device *device, const struct ws_queue *queue);

/* Waits for the oldest submissions until `size` more bytes of readback memory are within the limit, or
 * nothing can be waited for. */
void ws_submissions_make_room(struct ws_device *device, VkDeviceSize size);

/* A wait for the device that takes longer than this is taken to be one that never ends: an event that the
 * host is to set, a swapchain image that is not presented. In nanoseconds. */
#define WS_WAIT_LIMIT UINT64_C(20000000000)

/* Readback memory that may be pending before a submission waits for the oldest. */
#define WS_PENDING_LIMIT ((VkDeviceSize)256 << 20)

/* The most for one submission, which may execute the same command buffers, with copies of geometry, any
 * number of times; what would need more is lost. */
#define WS_READBACK_LIMIT ((VkDeviceSize)2 << 30)

#endif
