/* Where command buffers of ours stand among those of a queue submission, and what they copy.
 *
 * Those that open and close the record stream stand at the beginning of the first batch with records and at
 * the end of the last. One stands at the end of each batch; one before a command buffer that comes again,
 * whose results the next execution overwrites; and one behind a command buffer that ends a suspended
 * rendering. Never one between the parts of a suspended rendering (VUID-VkSubmitInfo-pCommandBuffers-06016).
 */
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

/* A command buffer to be submitted: the application's, or ours for some of the batch's executed ones. */
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
    VkCommandBuffer open, close; /* before and behind all steps; VK_NULL_HANDLE = none */
};

struct ws_submit_plan {
    struct ws_submission *submission; /* owned until it is taken over; its memory and commands are made */
    struct ws_batch_plan *batches;    /* as many as the request has */
    uint32_t batch_count;
    bool records; /* some launch has records that are wanted */
};

/* Plans a request to `queue`. With the submission lock entered. False when nothing is to be added: no
 * launches are executed and nothing else occurs, or there is no memory (then they are recorded as lost).
 * Finish in any case. */
bool ws_submit_plan_init(struct ws_submit_plan *plan, struct ws_device *device, struct ws_queue *queue,
                         const struct ws_submit_request *request);

/* Records our command buffers; what fails is marked as lost. Adds new counter memory's zeroing, to be
 * submitted first, as `*fill` (else VK_NULL_HANDLE), with its mark for ws_counters_filled. False when that
 * should have been and could not. */
bool ws_submit_plan_record(struct ws_submit_plan *plan, struct ws_device *device, VkCommandBuffer *fill,
                           uint32_t *mark);

void ws_submit_plan_finish(struct ws_submit_plan *plan, struct ws_device *device);

#endif
