/* Device timestamps around launches (pass time).
 *
 * WHAT IS MEASURED. Right before a launch's command (of a render pass: before it begins) and right after it (after it
 * has ended) the layer records a vkCmdWriteTimestamp, both of the stage VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT. Such a
 * timestamp waits for all stages of all commands before it in submission order, and nothing waits for it (the
 * specification, "Timestamp Queries": its second synchronization scope is the write of the timestamp alone). So
 *
 *   - no command of the application waits for ours, or starts later for it: what overlapped overlaps still;
 *   - the first is written when all before the launch has ended. With TOP_OF_PIPE in its place a launch's interval
 *     would contain the end of everything that it overlaps or waits for, and those of several launches would not add
 *     up;
 *   - the second is written when the launch, and all before it, has ended.
 *
 * What an interval means, and what it leaves out, is in warpscope/model/times.h. A device may write a timestamp later
 * than it could: at any logically later stage. Figures of launches of a few microseconds are coarse.
 *
 * WHERE. Outside of render pass instances only: with multiview one timestamp within such an instance takes as many
 * queries as there are views. Between the parts of a suspended rendering no command may stand
 * (VUID-VkSubmitInfo-pCommandBuffers-06015). So one that is suspended and resumed in one command buffer is timed as a
 * whole, and one that goes on in another command buffer is not.
 *
 * QUERIES belong to a recording (recording.h). They are reset in the command buffer, in front of the first launch that
 * uses a pool, so that each execution of the command buffer starts with unused ones. Their values are copied where the
 * other results of the recording are copied, before it is executed again: plan.h for primary command buffers,
 * execute_commands.c for secondary ones. On one queue the specification puts resets, writes and copies of one query in
 * the order of submission ("vkCmdResetQueryPool", "vkCmdCopyQueryPoolResults"); a recording that is pending on two
 * queues is put in order, or marked as mixed, by order.h.
 *
 * The copies wait for the values (VK_QUERY_RESULT_WAIT_BIT), which have all been written or will be: a query is copied
 * only if both commands of its launch have been recorded.
 *
 * Not thread-safe: a timer belongs to a command buffer that is being recorded. */
#ifndef WS_LAYER_COMMANDS_TIMER_H
#define WS_LAYER_COMMANDS_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_command_buffer;
struct ws_device;

#define WS_TIME_SIZE ((VkDeviceSize)2 * sizeof(uint64_t)) /* bytes of a launch's two timestamps, as copied */

/* The time of a recorded launch. Zero-initialised it was not taken, since nobody asked for it. */
struct ws_recorded_time {
    bool wanted;    /* it is to be in the capture, known or not */
    bool queried;   /* it is among the recording's own queries; else `position` is relative to its results */
    uint32_t state; /* enum ws_time_state, as far as it is known now */
    uint64_t position; /* bytes */
};

/* The queries of a recording. Zero-initialise. */
struct ws_timer {
    VkQueryPool *pools;
    uint32_t pool_count;
    uint32_t pool_capacity;
    uint32_t used;  /* queries, in the order of the pools; two for each launch */
    uint32_t state; /* of the launch that was begun: enum ws_time_state */
    bool open;      /* a launch was begun, and its end is to be timed */
};

/* Gives the pools back. */
void ws_timer_finish(struct ws_timer *timer, struct ws_device *device);

/* Records the first timestamp of a launch, outside a render pass, if times are wanted. */
void ws_timer_begin(struct ws_command_buffer *commands);

/* Records the second, outside a render pass. The time of a launch that was not begun is not known. */
struct ws_recorded_time ws_timer_end(struct ws_command_buffer *commands);

/* The launch that was begun will end elsewhere, or never: a later ws_timer_end finds none. No further launch may be
 * begun in this recording before the rendering that was begun is resumed. */
void ws_timer_drop(struct ws_command_buffer *commands);

/* Bytes of the values of all queries. */
VkDeviceSize ws_timer_size(const struct ws_timer *timer);

/* Records copies of them to `offset` of `target`, a multiple of 8. As all copies of results they are transfers: the
 * caller puts barriers before and after them. */
void ws_timer_copy(const struct ws_timer *timer, struct ws_device *device, VkCommandBuffer commands,
                   VkBuffer target, VkDeviceSize offset);

#endif
