/* The commands that open and close the record stream, and that tell its launches apart.
 *
 * Shaders append records to one stream per device (records.h). They find the buffer to append to by the
 * control block, of which there is one per device (control_block.h). Its capacity is 0 whenever nothing is to
 * be appended.
 *
 * A queue submission whose records are wanted takes a buffer (stream_ring.h). A command buffer of ours in
 * front of its first batch with records opens the stream: it writes the buffer's address and capacity to the
 * control block. One after its last such batch closes the stream: it writes capacity 0. So submissions that
 * are not wanted, or that found no buffer, append nothing.
 *
 * At the end of each launch a copy of the control block's first words, the snapshot, is recorded: it holds
 * how many words have been reserved so far. By these the host tells the launches of a stream apart when it
 * reads the buffer (drain.c). When commands are recorded nobody knows how much they will append, nor how
 * often they will be executed.
 *
 * MEMORY. Nothing is allocated before the first shader with record sites is made. Then the control block (512
 * bytes), and with sampling the bitmap of chosen threads (16 MiB). From the first submission on up to
 * WS_STREAM_RING buffers, of the size that has been needed so far; and where the host cannot read them well,
 * WS_STREAM_PIECE bytes to copy words to. However much is recorded, no more is held. */
#ifndef WS_LAYER_COMMANDS_STREAM_CONTROL_H
#define WS_LAYER_COMMANDS_STREAM_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/records.h"

struct ws_device;
struct ws_launch_command;
struct ws_shader;

/* The snapshot: words 0 to 3 of the control block. */
#define WS_SNAPSHOT_WORDS 4
#define WS_SNAPSHOT_SIZE  (WS_SNAPSHOT_WORDS * sizeof(uint32_t))

/* A buffer that the launches of one submission append to. */
struct ws_stream {
    VkBuffer buffer; /* VK_NULL_HANDLE = not made yet */
    VkDeviceMemory memory;
    VkDeviceSize memory_size;
    VkDeviceAddress address;
    uint32_t capacity;      /* words */
    const uint32_t *mapped; /* NULL: the host reads its words by late copies to the staging buffer */
    bool coherent;          /* `mapped` need not be invalidated before it is read */
    bool taken;             /* by a submission that is not written yet */
};

/* All below record commands, outside a render pass. */

/* Zeroes the control block and the bitmap: what is submitted later appends nothing. */
void ws_stream_zero(struct ws_device *device, VkCommandBuffer commands);

/* Opens the stream: what is submitted later appends to `stream`, from its beginning. */
void ws_stream_open(struct ws_device *device, VkCommandBuffer commands, const struct ws_stream *stream);

/* Closes it: what is submitted later appends nothing. When the submission has finished the host may read what
 * was appended. */
void ws_stream_close(struct ws_device *device, VkCommandBuffer commands, const struct ws_stream *stream);

/* Copies the snapshot to `target`. The caller has recorded a barrier that makes all earlier writes of shaders
 * and transfers visible to transfers. */
void ws_stream_snapshot(struct ws_device *device, VkCommandBuffer commands, VkBuffer target,
                        VkDeviceSize offset);

/* Clears the part of the bitmap of chosen threads that a launch of these shaders may have set; nothing
 * without sampling. The caller records barriers before and after it, as for counter rows. */
void ws_stream_clear_bitmap(struct ws_device *device, VkCommandBuffer commands,
                            const struct ws_launch_command *command, struct ws_shader *const *shaders,
                            uint32_t count);

#endif
