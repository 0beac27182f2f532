/* The buffers of the record stream: made when a submission first needs one, made anew and larger after one
 * was too small, never larger than the limit. With the submission lock entered. */
#ifndef WS_LAYER_SUBMIT_STREAM_RING_H
#define WS_LAYER_SUBMIT_STREAM_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/stream_control.h"
#include "layer/memory/memory.h"

struct ws_device;

/* Buffers that pending submissions may hold at once. */
#define WS_STREAM_RING 2

/* Zero-initialise. */
struct ws_stream_ring {
    struct ws_stream buffers[WS_STREAM_RING];
    VkDeviceSize wanted; /* bytes that the next buffer shall have; 0 = none was made yet */
    VkDeviceSize limit;
    bool limit_said;                /* that a submission needs more than the limit */
    struct ws_memory_range staging; /* where words are copied to that the host cannot read; without a block */
                                    /* until it is used */
};

/* Bytes of a buffer when the settings say nothing: on devices, and on those that are software, where memory
 * that nothing is written to costs nothing, so that programs of one submission lose nothing either. */
#define WS_STREAM_SIZE          ((VkDeviceSize)64 << 20)
#define WS_STREAM_SIZE_SOFTWARE ((VkDeviceSize)1 << 30)

/* How large buffers may become when the settings say nothing: this, and a quarter of their memory heap. */
#define WS_STREAM_LIMIT ((VkDeviceSize)1 << 30)

/* A free buffer of at least the size that was last known to be needed, for a submission that overlaps no
 * other queue's. Where all are taken it waits for the oldest submission that holds one, unless that might
 * never finish. NULL when none can be had, with the reason in `*reason` (static). */
struct ws_stream *ws_stream_take(struct ws_device *device, const char **reason);

/* Gives a buffer back. NULL is accepted. */
void ws_stream_give(struct ws_stream *stream);

/* Some submission would have needed `words`, and its stream held `capacity` of them: the next ones will be as
 * large, within the limit. Leaves a message about it. */
void ws_stream_overflowed(struct ws_device *device, uint32_t capacity, uint64_t words);

/* Frees all buffers; the device must have finished with them. */
void ws_stream_ring_finish(struct ws_device *device);

#endif
