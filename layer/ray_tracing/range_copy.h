/* Copies of device memory as it is at a point of a command buffer: they go into the results of the recording,
 * and so belong to each execution of it (recording.h). For what a readback reads (readback.h). */
#ifndef WS_LAYER_RAY_TRACING_RANGE_COPY_H
#define WS_LAYER_RAY_TRACING_RANGE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_command_buffer;
struct ws_execution;

/* What became of a range. */
struct ws_copied_range {
    uint64_t position;  /* in the results of the recording */
    uint64_t size;      /* how many bytes from the beginning are copied; may be fewer than were asked for */
    const char *reason; /* why not all of them: static; NULL = all are */
    bool clipped;       /* because the buffer ends there */
};

/* The bytes of a range in an execution; NULL where nothing was copied or it is lost. */
const uint8_t *ws_copied_range_bytes(const struct ws_copied_range *range,
                                     const struct ws_execution *execution);

/* The copies at one point: of what several of them want there is one only. */
struct ws_range_copies {
    struct ws_command_buffer *commands;
    struct ws_wanted_range *wanted;
    uint32_t count;
    uint32_t capacity;
};

void ws_range_copies_begin(struct ws_range_copies *copies, struct ws_command_buffer *commands);

/* Asks for `size` bytes from `address` on, or as many as can be had; `*copied` is filled in by
 * ws_range_copies_end. */
void ws_range_copy(struct ws_range_copies *copies, VkDeviceAddress address, VkDeviceSize size,
                   struct ws_copied_range *copied);

/* Records the copies, outside a render pass and before the command that reads the memory. They wait for
 * whatever wrote it; all that follows may write it again. */
void ws_range_copies_end(struct ws_range_copies *copies);

#endif
