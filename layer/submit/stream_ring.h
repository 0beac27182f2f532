/* The buffers of the record stream.
 *
 * A submission with records that are wanted takes one, and gives it back when it is written: it may still be
 * appended to until the submission has finished, and is read until then. So there are two, one that is read
 * while the device appends to the other. A buffer is made when it is first needed. When one was too small the
 * next ones are made larger, up to the limit. With the submission lock entered. */
#ifndef WS_LAYER_SUBMIT_STREAM_RING_H
#define WS_LAYER_SUBMIT_STREAM_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/stream_control.h"
#include "layer/memory/memory.h"

struct ws_device;

/* Bytes of the staging buffer, and of the words of a RECS chunk at most. */
#define WS_STREAM_PIECE ((VkDeviceSize)4 << 20)

/* Buffers that pending submissions may hold at once. */
#define WS_STREAM_RING 2

/* Zero-initialise. */
struct ws_stream_ring {
    struct ws_stream buffers[WS_STREAM_RING];
    VkDeviceSize wanted; /* bytes that the next buffer shall have; 0 = none was made yet */
    VkDeviceSize limit;
    /* That the host opened in place, and that may still be open (commands/stream_control.h); NULL = none. */
    struct ws_stream *left_open;
    bool overlapped; /* two buffers were held at a time */
    /* The latest queue operation with launches that may append, and whose end no submission tells: until the whole device is
     * seen to be idle no records are kept, and no buffer is freed. 0 = none is under way. */
    uint64_t strays;
    /* `left_open` could not be closed, and what is pending may append to it: until that has ended no buffer is freed. */
    bool unclosed;
    bool limit_said; /* that a submission needs more than the limit */
    /* Readback memory that late copies bring words to which the host cannot read well where they are. Without
     * a block until it is used. */
    struct ws_memory_range staging;
};

/* Bytes of the first buffer when the settings say nothing: of a device, and of a software device. There
 * memory costs nothing before it is written, so a large first buffer lets programs of one submission lose
 * nothing either. */
#define WS_STREAM_SIZE          ((VkDeviceSize)64 << 20)
#define WS_STREAM_SIZE_SOFTWARE ((VkDeviceSize)1 << 30)

/* The limit when the settings say nothing; but no more than a quarter of the memory heap. */
#define WS_STREAM_LIMIT ((VkDeviceSize)1 << 30)

/* Whether a buffer is free. */
bool ws_stream_any_free(const struct ws_device *device);

/* A free buffer of at least the size that was last known to be needed, for a submission whose records are not
 * mixed with another queue's. NULL when none can be had, with the reason in `*reason` (static). */
struct ws_stream *ws_stream_take(struct ws_device *device, const char **reason);

/* Gives a buffer back. NULL is accepted. */
void ws_stream_give(struct ws_stream *stream);

/* Whether a submission is pending, and not known to have finished, whose shaders may read the control block. */
bool ws_stream_any_reader(struct ws_device *device);

/* Closes the stream that the host left open, where the host may write to the control block now. */
void ws_stream_close_left_open(struct ws_device *device);

/* The application saw all queues idle: all operations up to `until` have ended. */
void ws_stream_note_idle(struct ws_device *device, uint64_t until);

/* A submission reserved `words`, and its buffer has room for `capacity` of them: the next buffers will have
 * room for all, within the limit. Leaves a warning (losses.h). */
void ws_stream_overflowed(struct ws_device *device, uint32_t capacity, uint64_t words);

/* Frees all buffers; the device must have finished with them. */
void ws_stream_ring_finish(struct ws_device *device);

#endif
