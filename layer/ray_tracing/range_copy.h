/* Copies of device memory as it is at a point of a command buffer, for a readback (readback.h). They are
 * recorded in front of the command that reads the memory, and copy to the results of the recording, so each
 * execution has its own.
 *
 *     struct ws_range_copies copies;
 *     ws_range_copies_begin(&copies, commands);
 *     ws_range_copy(&copies, address, size, &build->vertices);    any number of ranges
 *     ws_range_copies_end(&copies);                               fills in build->vertices
 *
 * Not thread-safe, as the command buffer that is recorded is not; the bytes of an execution are for whoever holds it. */
#ifndef WS_LAYER_RAY_TRACING_RANGE_COPY_H
#define WS_LAYER_RAY_TRACING_RANGE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_command_buffer;
struct ws_execution;

/* Where a range was copied to. */
struct ws_copied_range {
    uint64_t position;  /* in the results of the recording */
    uint64_t size;      /* how many bytes from the beginning are copied; may be fewer than were asked for */
    const char *reason; /* why not all of them are; static; NULL = all are */
    bool clipped;       /* because the buffer ends there */
    /* Id of the buffer that it is a part of (resource.h), where something is copied; WS_NONE = not known. */
    uint32_t source;
};

/* The bytes of a range in an execution; NULL where nothing was copied or it is lost. */
const uint8_t *ws_copied_range_bytes(const struct ws_copied_range *range,
                                     const struct ws_execution *execution);

/* The copies at one point. Ranges that overlap are copied once. */
struct ws_range_copies {
    struct ws_command_buffer *commands;
    struct ws_wanted_range *wanted;
    uint32_t count;
    uint32_t capacity;
};

/* Begins with no range. Nothing is to be freed before ws_range_copies_end. */
void ws_range_copies_begin(struct ws_range_copies *copies, struct ws_command_buffer *commands);

/* Asks for `size` bytes from `address` on, or as many of them as can be copied. `*copied` is filled in by
 * ws_range_copies_end, so it must stay where it is until then. */
void ws_range_copy(struct ws_range_copies *copies, VkDeviceAddress address, VkDeviceSize size,
                   struct ws_copied_range *copied);

/* Records the copies, outside a render pass. They come after whatever wrote the memory before, and before all
 * that follows may write it again. */
void ws_range_copies_end(struct ws_range_copies *copies);

#endif
