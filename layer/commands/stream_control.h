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
 * IN PLACE. Where the host reaches the control block, the buffer and the results (integrated and software devices), the host
 * opens the stream itself, right before it submits, and no command buffer of ours is needed: a program that submits a dispatch
 * and waits for it has one command buffer executed, its own. It may (plan.c, opens_in_place) if
 *   - no submission that may read the control block is pending: all that run shaders with records have ended, by a fence that
 *     the host has seen. So nothing on the device races with what the host writes;
 *   - the first batch has records that are wanted: else those before would append too, and nobody reads their snapshots;
 *   - all command buffers of the submission that append are read in place (recording.h). They end with a barrier that makes
 *     what shaders appended visible to the host, and what they reserved, as writes before those of the host: a fence alone
 *     covers device access only (the specification, "Fences"). So does what closes or zeroes the stream on the device.
 * What the host wrote is visible to all that is submitted after that, to any queue: a queue submission has an implicit
 * dependency on earlier host writes to coherent memory (the specification, "Host Write Ordering Guarantees").
 *
 * Such a stream stays open when the submission has ended (`left_open`, stream_ring.h). What is submitted next first has it
 * closed: by the host, once nothing is pending that may append. Before that, a submission opens a stream of its own by a
 * command buffer before all that appends; or where it opens none, or opens it later, one that closes is submitted before it.
 * On another queue both wait for the first, as all that appends does (submit/order.h): else its shaders would find the stream
 * closed in the middle. What ends up behind the last snapshot of the submission that it was opened for is never read. Without
 * memory to close it, what comes next may append to it, harmlessly: no buffer is freed until that has ended (`unclosed`).
 *
 * STRAYS are launches that the layer does not know, for want of memory, or does not follow, as those for single devices of a
 * group. They append to whatever stream is open, so they are ordered like all that appends, and until their end is seen the
 * host opens no stream. Where their end is not seen, records are lost until the whole device was idle (`strays`).
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
    void *placed; /* memory of ours that was imported, else NULL */
    size_t placed_size;
    VkDeviceAddress address;
    uint32_t capacity;      /* words */
    const uint32_t *mapped; /* NULL: the host reads its words by late copies to the staging buffer */
    bool coherent;          /* `mapped` need not be invalidated before it is read */
    bool taken;             /* by a submission that is not written yet */
};

/* Those below that take a command buffer record commands, outside a render pass. */

/* Zeroes the control block and the bitmap: what is submitted later appends nothing. */
void ws_stream_zero(struct ws_device *device, VkCommandBuffer commands);

/* Opens the stream: what is submitted later appends to `stream`, from its beginning. */
void ws_stream_open(struct ws_device *device, VkCommandBuffer commands, const struct ws_stream *stream);

/* Closes it: what is submitted later appends nothing. When the submission has finished the host may read what
 * was appended. */
void ws_stream_close(struct ws_device *device, VkCommandBuffer commands, const struct ws_stream *stream);

/* Once the submission has finished the host may read what shaders and transfers wrote before this, and write to it. */
void ws_stream_show(struct ws_device *device, VkCommandBuffer commands);

/* Open and close it at once, for all that is submitted from now on. Only where the host has the control block mapped
 * (control_block.h), and nothing is pending that may append. */
void ws_stream_open_in_place(struct ws_device *device, const struct ws_stream *stream);
void ws_stream_close_in_place(struct ws_device *device);

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
