/* The plan of a queue submission: where command buffers of ours stand among the application's, and what they
 * copy. An example, with the application's command buffers A and B in two batches:
 *
 *     given     {A, B, A}                               {B}
 *     planned   {open, A, B, copy, A, copy}             {B, copy, close}
 *
 * - open, close: command buffers that open and close the record stream, before the first batch with records
 *   that are wanted and after the last (stream_control.h). None where the host may do that.
 * - copy: copies the results of the command buffers before it to readback memory. One stands at the end of
 *   each batch; one before a command buffer that comes again, since its next execution overwrites its
 *   results; one after a command buffer that ends a suspended rendering; and one after a command buffer that may run
 *   what came into an indirect execution set after it was recorded, whose rows it also clears. None for results that the
 *   host reads in place (recording.h): on integrated and software devices nearly all are.
 *
 * None stands between the parts of a suspended rendering, where no action or synchronization command may be
 * (VUID-VkSubmitInfo-pCommandBuffers-06015). */
#ifndef WS_LAYER_SUBMIT_PLAN_H
#define WS_LAYER_SUBMIT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

/* The most readback memory for one submission, which may execute the same command buffers, with copies of
 * geometry, any number of times; what would need more is lost. */
#define WS_READBACK_LIMIT ((VkDeviceSize)2 << 30)

struct ws_device;
struct ws_queue;
struct ws_submission;
struct ws_submit_request;

/* A command buffer to be submitted: the application's, or one of ours that copies what some of the batch's
 * executed ones left. */
struct ws_step {
    VkCommandBuffer commands; /* VK_NULL_HANDLE: ours, and it could not be made */
    uint32_t source;          /* index among the application's; WS_NONE = ours */
    uint32_t first;           /* ours: executed[first .. first + count - 1] of the batch */
    uint32_t count;
};

struct ws_batch_plan {
    struct ws_step *steps;
    uint32_t step_count;
    bool changed;                /* has steps of ours */
    bool opens;                  /* is the submission's first with records that are wanted */
    bool closes;                 /* is its last */
    VkCommandBuffer open, close; /* stand before and after all steps; VK_NULL_HANDLE = none */
};

struct ws_submit_plan {
    struct ws_submission *submission; /* owned, until the caller takes it (and sets this to NULL) */
    struct ws_batch_plan
        *batches; /* as many as the request has; in the submission's memory, with their steps */
    uint32_t batch_count;
    bool records;  /* some launch has records that are wanted */
    bool in_place; /* no command buffer comes twice: results may be read in place (recording.h) */
};

/* Plans a request to `queue`. With the submission lock entered. False when nothing is to be added: nothing in
 * it is instrumented or read back, or there is no memory (then all of it is counted as lost). Finish in any
 * case. */
bool ws_submit_plan_init(struct ws_submit_plan *plan, struct ws_device *device, struct ws_queue *queue,
                         const struct ws_submit_request *request);

/* Records our command buffers; results that get none are marked as lost. */
void ws_submit_plan_record(struct ws_submit_plan *plan, struct ws_device *device);

/* Whether anything of ours stands among the application's command buffers, once they are recorded. */
bool ws_submit_plan_changes(const struct ws_submit_plan *plan);

/* Gives back what the submission did not take. To be called with the submission lock entered. */
void ws_submit_plan_finish(struct ws_submit_plan *plan, struct ws_device *device);

#endif
