/* The record stream of a device (records.h), as the command stream sees it: the commands that open, cut and close
 * it by writing the one control block (memory/control_block.h). The buffers that words are
 * appended to are in stream_ring.h, what becomes of the words in stream_drain.h.
 *
 * A queue submission whose records are wanted takes a buffer from the ring. A command buffer of ours in front
 * of its first batch with records opens the stream: it points the control block at the buffer. One behind its
 * last such batch closes it again, and so the control block has capacity 0 whenever nothing is wanted:
 * submissions that nobody chose, or that found no buffer, append nothing. Each launch's end copies the
 * control block's first words next to its counter rows, wherever that command is executed and however often:
 * so the launches of a stream are told apart without the host knowing, when commands are recorded, how
 * much they will append.
 *
 * MEMORY. Nothing is allocated before the first shader with record sites is made. Then: a few hundred bytes;
 * with sampling the thread bitmap (16 MiB); from the first submission on up to WS_STREAM_RING buffers of the
 * size that has been needed so far, at most the limit each (ring); and where the host cannot read them well a
 * staging buffer of WS_STREAM_PIECE bytes. The ring is memory of the host only where the device's is. However
 * much is recorded, no more is held: what has been appended goes to the capture in pieces of WS_STREAM_PIECE
 * bytes. */
#ifndef WS_LAYER_COMMANDS_STREAM_CONTROL_H
#define WS_LAYER_COMMANDS_STREAM_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/records.h"

struct ws_device;
struct ws_launch_command;
struct ws_shader;

/* What a launch's end copies of the control block: words 0 to 3. */
#define WS_SNAPSHOT_WORDS 4
#define WS_SNAPSHOT_SIZE  (WS_SNAPSHOT_WORDS * sizeof(uint32_t))

/* Bytes of a RECS chunk's words, and of the staging buffer. */
#define WS_STREAM_PIECE ((VkDeviceSize)4 << 20)

/* A buffer for the words of one submission. */
struct ws_stream {
    VkBuffer buffer; /* VK_NULL_HANDLE = not made yet */
    VkDeviceMemory memory;
    VkDeviceSize memory_size;
    VkDeviceAddress address;
    uint32_t capacity;      /* words */
    const uint32_t *mapped; /* NULL: the host reads it through the staging buffer */
    bool coherent;          /* what the device writes is seen in `mapped` without an invalidation */
    bool taken;             /* by a submission that is not written yet */
};

/* All below record commands, outside a render pass. */

/* Zeroes all of it: what is submitted later appends nothing. */
void ws_stream_zero(struct ws_device *device, VkCommandBuffer commands);

/* Everything submitted later appends to `stream`, from its beginning. */
void ws_stream_open(struct ws_device *device, VkCommandBuffer commands, const struct ws_stream *stream);

/* Nothing submitted later is appended; the host may read what was once the submission has finished. */
void ws_stream_close(struct ws_device *device, VkCommandBuffer commands, const struct ws_stream *stream);

/* Copies the snapshot to `target`. The caller has put everything before it behind a barrier that makes shader
 * and transfer writes visible to transfers. */
void ws_stream_snapshot(struct ws_device *device, VkCommandBuffer commands, VkBuffer target,
                        VkDeviceSize offset);

/* Clears what a launch of these shaders may have set of the bitmap of chosen threads, where sampling has
 * one. The caller puts barriers before and behind it, as for counter rows. */
void ws_stream_clear_bitmap(struct ws_device *device, VkCommandBuffer commands,
                            const struct ws_launch_command *command, struct ws_shader *const *shaders,
                            uint32_t count);

#endif
