/* What the layer keeps of one recording of a command buffer (from vkBeginCommandBuffer on): its launches, its
 * readbacks, and the device memory, the results, that each execution copies counter rows and other memory to.
 *
 * It has counted references: one of the command buffer, until that is reset, recorded anew or freed; and one
 * of each submission of it that is not written yet. So the application may record the command buffer anew, as
 * soon as an execution has finished, before the layer has written it.
 *
 * READ IN PLACE. Each submission copies the results to readback memory of its own, by a command buffer of ours (plan.h).
 * Where results are in memory that the host has mapped (ws_heap_results) that command buffer is left out, and the host reads
 * them where they are. It may, because a command buffer that was begun without SIMULTANEOUS_USE is not submitted again before
 * its execution has ended (VUID-vkQueueSubmit-pCommandBuffers-00071, -vkQueueSubmit2-commandBuffer-03875): so nothing writes
 * to them before the host either reads them or, at the next submission, puts them aside (`unread`; and where that may have
 * come too early, this recording's results are copied from then on: ws_executed_put_aside). Recorded anew, the command
 * buffer has another recording, with other memory. All that writes results are transfers, as for the copy; what makes them
 * visible to the host is a barrier at the end of the command buffer (ws_recording_end).
 * An example, on such a device: a program that submits a dispatch and waits for it causes one command buffer to be
 * executed, its own.
 *
 * Written by the thread that records, which the application synchronizes; read-only once the command buffer
 * has been ended, but for `mark`, `stamp`, `unread` and `in_place`. References may be taken and given back on any thread. */
#ifndef WS_LAYER_COMMANDS_RECORDING_H
#define WS_LAYER_COMMANDS_RECORDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/timer.h"
#include "layer/commands/uses.h"
#include "layer/memory/memory.h"

/* Bytes of device memory that all recordings together may hold for copies of geometry and images; but no more than an
 * eighth of the heap. What would take more is not copied. */
#define WS_GEOMETRY_LIMIT ((uint64_t)1 << 30)

struct ws_device;
struct ws_executed;
struct ws_readback;
struct ws_submission;

/* What the launch's command said; members as in struct ws_launch and struct ws_launch_base of chunks.h. */
struct ws_launch_command {
    uint32_t kind; /* enum ws_launch_kind */
    uint32_t size[3];
    uint32_t flags;
    uint32_t draws;
    uint32_t base[3];
};

/* A launch as recorded; belongs to its recording. */
struct ws_recorded_launch {
    struct ws_launch_command command;
    void *memory;               /* one allocation for the lists and the label */
    struct ws_shader **shaders; /* settled: uses.h; referenced */
    uint32_t shader_count;
    uint32_t *pipelines;
    uint32_t pipeline_count;
    struct ws_used_set *sets; /* that it chooses from */
    uint32_t set_count;
    struct ws_used_state *states; /* what was bound; referenced */
    uint32_t state_count;
    char *label;
    VkDeviceSize position; /* of the rows, in the order of shaders, within the recording's results */
    struct ws_recorded_time time;
    bool records; /* a snapshot of the record stream stands after the rows (stream_control.h) */
    bool lost;    /* there was no memory for the rows: they are cleared, but not copied */
};

/* A readback (readback.h) at its place in the recording. */
struct ws_recorded_readback {
    struct ws_readback *readback; /* referenced */
    uint32_t before;              /* how many launches of the recording come before its command */
    VkDeviceSize position;        /* in the results: what the positions of its copies are relative to */
    bool lost;                    /* its copies are not among the results */
};

/* A part of a recording's results: the first `used` bytes of `range`. */
struct ws_results_chunk {
    struct ws_memory_range range;
    VkDeviceSize used;
};

struct ws_recording {
    struct ws_device *device;
    _Atomic uint32_t references;

    struct ws_recorded_launch *launches;
    uint32_t launch_count;
    uint32_t launch_capacity;
    uint64_t lost; /* launches that are not in the list for want of memory */
    /* Launches of code that is not instrumented (uncovered.c), and why, static: the latest reason. */
    uint64_t uncovered;
    const char *uncovered_reason;

    struct ws_recorded_readback *readbacks; /* in the order of the commands */
    uint32_t readback_count;
    uint32_t readback_capacity;
    bool always;      /* some readback is written for every execution */
    bool late_copies; /* some readback needs late copies */

    struct ws_results_chunk *chunks;
    uint32_t chunk_count;
    uint32_t chunk_capacity;
    VkDeviceSize size;     /* bytes used in all chunks; a multiple of 8 */
    VkDeviceSize geometry; /* of them, for copies of geometry and images: counted in device->geometry_size */
    bool records;          /* some launch has records */
    bool chooses;          /* some launch chooses from indirect execution sets */
    struct ws_timer timer; /* its values come behind all chunks in the results */

    bool simultaneous; /* it may be submitted again while it is pending */
    bool
        in_place; /* once it has been ended: the host reads the results where they are; guarded as `mark` then */

    /* The part of a rendering that this command buffer suspends and does not resume. The submission copies
     * and clears its rows, after the command buffer that ends the rendering. */
    struct ws_recorded_launch carried;
    bool carries;  /* there is such a part, and it draws */
    bool resumes;  /* begins by resuming a rendering that another command buffer suspended */
    bool suspends; /* ends with a rendering suspended */

    /* The copy that covers its latest execution, as plan.c numbers them, and the latest submission that was
     * found to execute it (order.c). Guarded by the submission lock. */
    uint64_t mark;
    uint64_t stamp;
    /* Its latest execution whose results are read in place and were not yet; NULL = there is none. Guarded likewise. */
    struct ws_executed *unread;
    struct ws_submission *unread_in; /* that executed it; valid where `unread` is not NULL */
};

/* With one reference. NULL when there is no memory. */
struct ws_recording *ws_recording_create(struct ws_device *device);
struct ws_recording *ws_recording_reference(struct ws_recording *recording);

/* Gives a reference back; the last frees it. NULL is accepted. */
void ws_recording_release(struct ws_recording *recording);

/* Makes a launch that uses what `uses` holds, with `outer` and `inner` joined as its label. To be handed on
 * to ws_recording_add, or freed by ws_recorded_launch_finish. False when there is no memory. */
bool ws_recorded_launch_init(struct ws_recorded_launch *launch, const struct ws_launch_command *command,
                             const struct ws_uses *uses, const char *outer, const char *inner);
void ws_recorded_launch_finish(struct ws_recorded_launch *launch);

/* Adds a launch, which then belongs to the recording. Without memory it is freed, and counted as lost. */
void ws_recording_add(struct ws_recording *recording, struct ws_recorded_launch *launch);

/* Reserves `size` bytes of results, rounded up to a multiple of 8, at `*offset` in `*buffer`; `*position` is their place
 * among all results. False when there is no memory. */
bool ws_recording_reserve(struct ws_recording *recording, VkDeviceSize size, VkBuffer *buffer,
                          VkDeviceSize *offset, VkDeviceSize *position);

/* The same for a copy of geometry or an image: false also when WS_GEOMETRY_LIMIT is reached. */
bool ws_recording_reserve_geometry(struct ws_recording *recording, VkDeviceSize size, VkBuffer *buffer,
                                   VkDeviceSize *offset, VkDeviceSize *position);

/* Ends the recording of a primary command buffer, right before vkEndCommandBuffer: decides whether its results are read in
 * place, and then records the barrier for that. */
void ws_recording_end(struct ws_recording *recording, VkCommandBuffer commands);

/* Its results, all of them, in the memory that the device writes; only where they are read in place. */
char *ws_recording_in_place(const struct ws_recording *recording);

/* Bytes of all results: of the chunks, and of the values of its queries. */
VkDeviceSize ws_recording_results_size(const struct ws_recording *recording);

/* Where the two timestamps of its launch are among its results; only of one whose time was taken. */
VkDeviceSize ws_recording_time_position(const struct ws_recording *recording,
                                        const struct ws_recorded_launch *launch);

/* Records copies of all the results, in their order, to `offset` of `target`, a multiple of 8. The caller puts barriers before
 * and after them. */
void ws_recording_copy_results(const struct ws_recording *recording, VkCommandBuffer commands,
                               VkBuffer target, VkDeviceSize offset);

/* Adds a readback, whose reference the recording takes over. Without memory it is released, and counted as
 * skipped; then it returns false. */
bool ws_recording_add_readback(struct ws_recording *recording, const struct ws_recorded_readback *readback);

/* How many of its readbacks are of images. */
uint32_t ws_recording_count_images(const struct ws_recording *recording);

/* Adds the readbacks, but not the launches, of a secondary command buffer that is executed; else as
 * ws_recording_add_all. */
void ws_recording_add_readbacks(struct ws_recording *recording, const struct ws_recording *other,
                                VkDeviceSize position, bool lost);

/* Adds the launches and readbacks of a secondary command buffer that is executed. All its results are copied
 * to `position` of this recording's; with `lost` they are not copied. */
void ws_recording_add_all(struct ws_recording *recording, const struct ws_recording *other,
                          const char *outer_label, VkDeviceSize position, bool lost);

#endif
