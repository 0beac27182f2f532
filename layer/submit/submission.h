/* What the application submitted and the capture does not have yet.
 *
 * The life of a submission with launches (vkQueueSubmit, submit.c):
 * 1. plan.c adds command buffers of ours to its batches (VkSubmitInfo). They copy the results of the
 *    application's command buffers to readback memory, which the host can read. Where the host reads results in
 *    place (recording.h) there are none, and the batches are handed on as they are.
 * 2. submit.c hands it to the next layer with a fence of ours after it, and adds it to its queue here.
 * 3. A later call of the application finds the fence signalled (wait.c, or the next vkQueueSubmit). Then
 *    drain.c writes the results to the capture, each queue's submissions in their order.
 *
 * All this happens within the application's calls; a thread of ours only compresses and writes what is large
 * (capture/chunk_queue.h).
 *
 * Submissions of several queues run side by side, except where they count in the same rows or record: order.h.
 *
 * LOCKS. One lock per device, `lock`, guards all of this, and so also the order of submissions. It is held
 * across calls of the next layer, and never while code of the application may run: messages wait until it is
 * left (losses.h). Nor is it held within vkQueueSubmit while another submission is waited for (host_wait.h), but on devices
 * without timeline semaphores, where the host keeps the order of queues (order.c).
 * A thread that holds it may enter these, in this order; none of them enters a lock before
 * it:
 *    lock (submissions)  >  calls (late_copy.h; only tried)  >  lock of structure.c  >
 *    held, then lock, of buffer.c  >  the lock of the table of shaders, then those of the module cache, heaps,
 *    handle maps (objects.h), blobs and the capture
 * The lock of the control block (control_block.h) guards its making only, and is entered where none of these
 * is held. */
#ifndef WS_LAYER_SUBMIT_SUBMISSION_H
#define WS_LAYER_SUBMIT_SUBMISSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/recording.h"
#include "layer/core/watch.h"
#include "layer/memory/memory.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/losses.h"
#include "layer/submit/stream_ring.h"
#include "layer/submit/timeline.h"

struct ws_command_source;
struct ws_device;
struct ws_fence;
struct ws_picture;
struct ws_queue;
struct ws_submission;

/* What a launch of a command buffer may have run beside what was known when it was recorded: what came into its indirect
 * execution sets since. The submission copies and clears its rows, behind the command buffer. */
struct ws_late_part {
    uint32_t launch;                /* which of the command buffer's */
    struct ws_recorded_launch part; /* owned; its position is relative to that of the executed */
};

/* A command buffer that a batch executes, or a suspended rendering that ends in the batch: a list of launches
 * that run one after the other. */
struct ws_executed {
    struct ws_recording *recording; /* of the command buffer; referenced; NULL for a suspended rendering */
    struct ws_recorded_launch rendering; /* the suspended rendering; owned */
    struct ws_late_part *late;           /* of launches of the recording; owned; at most one for each */
    uint32_t late_count;
    const char *command_buffer; /* its name; owned; NULL when it has none */
    uint64_t first;             /* index of the first launch */
    uint64_t selected;          /* how many of the launches the settings ask for */
    bool kept;                  /* the results are copied; else nobody needs them: plan.c */
    bool after_gap;             /* launches that are not known ran since the previous ws_executed */
    bool lost;                  /* there was no memory, or no command buffer, to copy the results */
    bool in_place;              /* the results are read where the device wrote them (recording.h) ... */
    bool overwritten;           /* lost: the command buffer came again before its end was known */
    char *aside;                /* ... or here, once the command buffer was submitted again; owned */
    VkDeviceSize position;      /* else: of the results in the submission's readback memory */
};

/* Its results, which the host may also change; NULL where there are none, because nobody needs them or there was no memory. */
char *ws_executed_results(const struct ws_submission *submission, const struct ws_executed *executed);

/* A command buffer is about to be submitted again, in whatever way: what its last execution left, and nobody has read yet, is
 * put aside. Without memory for that it is lost; and so it is where it may not be there yet. Waits for nothing:
 * ws_wait_before_again does. */
void ws_executed_put_aside(struct ws_device *device, struct ws_recording *recording);

/* Whether a command buffer of ours clears counter rows of it: those of a suspended rendering, and of what came late into
 * execution sets. The application's command buffers clear the others themselves. */
static inline bool ws_executed_clears_rows(const struct ws_executed *executed)
{
    return executed->recording == NULL || executed->late_count > 0;
}

/* One VkSubmitInfo. */
struct ws_batch {
    uint64_t index; /* submit index in the capture */
    uint64_t frame;
    struct ws_executed *executed;
    uint32_t executed_count;
    char *label; /* the labels that are open on the queue; NULL when none is */
};

/* One vkQueueSubmit that executes launches, or waits for something nobody can foresee (timeline.h); or one of
 * the layer's own. Pending until it is written to the capture. */
struct ws_submission {
    struct ws_submission *following; /* on the same queue */
    struct ws_queue *queue;
    uint64_t sequence;         /* number of the queue operation; rises over all queues */
    struct ws_fence *fence;    /* ours; NULL when the application's does, or when it could not be submitted */
    uint64_t signal;           /* value of its queue's order semaphore that follows it; 0 = none: order.h */
    VkFence application_fence; /* VK_NULL_HANDLE when it gave none, or has reset it since */
    bool finished;             /* known to have been executed */
    bool seen_end;             /* a call told the application that it, or a batch of it, has been */
    bool awaited;              /* the capture awaits it: it may have chosen results (capture.h) */
    /* Another queue's submission may run at the same time: one with the same shaders, so that the counts may
     * be mixed; one that records, so that the records are. */
    bool counts_mixed;
    bool records_mixed;
    bool appends;             /* some launch appends to the record stream if that is open, wanted or not */
    bool strays;              /* some that does is not known to the layer, or not followed */
    bool closes;              /* the layer's own: closes the stream that the host left open (order.h) */
    bool late_copies;         /* some of its readbacks need late copies: late_copy.h */
    struct ws_batch *batches; /* in the same piece of memory, with their lists of executed ones (plan.c) */
    uint32_t batch_count;
    uint32_t stream_first;    /* the first batch that appends to `stream` */
    struct ws_stream *stream; /* what its launches append records to; NULL = nothing: stream_ring.h */
    bool opened;              /* the host has opened that, and no command buffer of ours does */
    struct ws_memory_range readback;
    VkDeviceSize in_place_size; /* bytes of results that are read in place instead */
    VkCommandBuffer *commands;  /* ours; used again once it has finished */
    uint32_t command_count;
    uint32_t command_capacity;
    /* Shaders, referenced, whose counter rows it zeroes before their first use. Such a submission is the
     * layer's own and has no batches. */
    struct ws_shader **zeroed;
    uint32_t zeroed_count;
    /* Values of timeline semaphores that its batches signal: each tells that its batch has ended. */
    struct ws_semaphore_value *signals;
    uint32_t signal_count;
    uint32_t signals_end; /* those from this one on are of the last batch: they tell the end of all */
    /* Of the layer's own copy of what is presented, which is in `readback`; owned; NULL = it is no such: picture.h */
    struct ws_picture *picture;
    struct ws_watched watched; /* where it is the first to run some shaders: order.c */
};

/* Bytes of results that it holds until it is written: in readback memory, and those that are read in place, which may have
 * to be put aside. */
VkDeviceSize ws_submission_size(const struct ws_submission *submission);

/* How many launches those are, and the `index`th. */
uint32_t ws_executed_count(const struct ws_executed *executed);
const struct ws_recorded_launch *ws_executed_at(const struct ws_executed *executed, uint32_t index);

/* Whether the settings ask for the `index`th. */
bool ws_executed_is_selected(const struct ws_device *device, const struct ws_executed *executed,
                             uint32_t index);

/* How many launches of a submission are wanted, have records and are not lost. */
uint64_t ws_submission_count_records(const struct ws_device *device, const struct ws_submission *submission);

/* All that the layer keeps of a device's queues. Members that are structs have their own headers. */
struct ws_submissions {
    pthread_mutex_t lock;
    struct ws_queue *queues;  /* that the application asked for, each with its pending submissions: queue.h */
    _Atomic uint32_t pending; /* submissions on all queues; also read without the lock */
    VkDeviceSize pending_size; /* bytes of their results: ws_submission_size */
    uint64_t sequence;         /* of the latest queue operation */
    uint64_t mark;             /* plan.c: which copy of results is being planned */
    uint64_t stamp;            /* order.c: which submission's shaders are being marked */
    /* From 1 on. It rises when rows hold counts that no launch takes: all are zeroed anew before they are used again. */
    uint64_t zeroing;
    bool left_counts; /* what is being submitted leaves such counts */
    bool device_lost;
    struct ws_timelines timelines; /* of all queue operations, whether they execute launches or not */
    struct ws_late_copies late;
    struct ws_stream_ring ring;
    struct ws_losses losses;
    struct ws_command_source *source;
};

/* Leaving the lock gives back the queue for late copies and says what was lost meanwhile, which runs code of
 * the application. */
void ws_submissions_enter(struct ws_device *device);
void ws_submissions_leave(struct ws_device *device);

/* All below: with the lock entered. */

/* Adds a submission, which the next layer has accepted, to its queue's, which then own it. */
void ws_submissions_add(struct ws_device *device, struct ws_submission *submission);

/* Frees a submission that is not (or no longer) in a queue. NULL is accepted. */
void ws_submission_destroy(struct ws_device *device, struct ws_submission *submission);

/* A command buffer that belongs to the submission, begun: it may be recorded again only when the submission
 * has finished (VUID-vkBeginCommandBuffer-commandBuffer-00049). Its pool is of the queue's family
 * (VUID-vkQueueSubmit-pCommandBuffers-00074). VK_NULL_HANDLE when there is no memory. */
VkCommandBuffer ws_submission_begin_commands(struct ws_device *device, struct ws_submission *submission);

/* The fence that tells its end: ours, else the application's, which it neither resets nor destroys while the lock is
 * entered (wait.c). VK_NULL_HANDLE where there is none: then the end of a later one tells it. */
VkFence ws_submission_fence(const struct ws_submission *submission);

/* Whether that fence has been signalled; asks, and never waits. */
bool ws_submission_has_finished(struct ws_device *device, struct ws_submission *submission);

/* The pending submission of all queues that was submitted first; NULL = none is pending. */
struct ws_submission *ws_submissions_oldest(const struct ws_submissions *submissions);

/* Writes what has finished on all queues. A submission whose late copies (late_copy.h) find no queue now
 * stays, and with it what follows on its queue. */
void ws_submissions_drain(struct ws_device *device);

/* The same before something that the host does, for which a queue is borrowed where late copies need one. */
void ws_submissions_drain_for_host(struct ws_device *device);

/* Gives up all pending submissions: the device was lost or is destroyed. `reason` is static. */
void ws_submissions_abandon(struct ws_device *device, const char *reason);

#endif
