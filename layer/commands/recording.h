/* What one recording of a command buffer holds for us: its launches, and the device memory that each
 * execution copies their counter rows to. Counted references: the command buffer has one until it is reset,
 * recorded anew or freed, and so has every submission of it that is not written yet.
 *
 * Written by the thread that records (the application synchronizes that), read-only once the command
 * buffer has been ended; references may come and go on any thread. */
#ifndef WS_LAYER_COMMANDS_RECORDING_H
#define WS_LAYER_COMMANDS_RECORDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/uses.h"
#include "layer/memory/memory.h"

/* Bytes of device memory that recordings may hold for copies, but no more than an eighth of the heap; what
 * comes on top is not copied. */
#define WS_GEOMETRY_LIMIT ((uint64_t)1 << 30)

struct ws_device;
struct ws_readback;

/* What the command said; fields as in struct ws_launch of chunks.h. */
struct ws_launch_command {
    uint32_t kind; /* enum ws_launch_kind */
    uint32_t size[3];
    uint32_t flags;
    uint32_t draws;
};

/* A launch as recorded; belongs to its recording. */
struct ws_recorded_launch {
    struct ws_launch_command command;
    void *memory;               /* one allocation, which holds the lists and the label */
    struct ws_shader **shaders; /* settled: uses.h */
    uint32_t shader_count;
    uint32_t *pipelines;
    uint32_t pipeline_count;
    char *label;
    VkDeviceSize position; /* of the rows, in the order of shaders, within the recording's results */
    bool records;          /* behind the rows stands a snapshot of the record stream (stream_control.h) */
    bool lost;             /* there was no memory for the rows: they are zeroed, but not copied */
};

/* What else happens in a command buffer: readback.h. */
struct ws_recorded_readback {
    struct ws_readback *readback; /* referenced */
    uint32_t before;              /* launches of the recording that come first */
    VkDeviceSize position; /* in the recording's results, of what its copies count their positions from */
    bool lost;             /* the copies cannot be had */
};

/* A part of a recording's results: the first `used` bytes of `range` are copied at submission. */
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
    uint64_t lost; /* launches for which there was no memory at all */

    struct ws_recorded_readback *readbacks; /* in the order of the commands */
    uint32_t readback_count;
    uint32_t readback_capacity;
    bool always;      /* some are told of every execution */
    bool late_copies; /* some need late copies then */

    struct ws_results_chunk *chunks;
    uint32_t chunk_count;
    uint32_t chunk_capacity;
    VkDeviceSize size;     /* bytes used in all chunks */
    VkDeviceSize geometry; /* of them, for copies: counted in device->geometry_size */
    bool records;          /* a launch has records */

    /* A rendering that this command buffer suspends and does not resume: its rows are copied after the
     * command buffer that ends it, by the submission. */
    struct ws_recorded_launch carried;
    bool carries;  /* there is one */
    bool resumes;  /* begins by resuming a rendering that another command buffer suspended */
    bool suspends; /* ends with a rendering suspended */

    uint64_t mark; /* plan.c; guarded by the submission lock */
};

/* With one reference. NULL when there is no memory. */
struct ws_recording *ws_recording_create(struct ws_device *device);
struct ws_recording *ws_recording_reference(struct ws_recording *recording);

/* Gives a reference back; the last frees it. NULL is accepted. */
void ws_recording_release(struct ws_recording *recording);

/* Makes a launch of what `uses` holds; its label is `outer` and `inner`, joined. To be handed on to
 * ws_recording_add, or freed with ws_recorded_launch_finish. False when there is no memory. */
bool ws_recorded_launch_init(struct ws_recorded_launch *launch, const struct ws_launch_command *command,
                             const struct ws_uses *uses, const char *outer, const char *inner);
void ws_recorded_launch_finish(struct ws_recorded_launch *launch);

/* Adds a launch, which then belongs to the recording. When there is no memory it is freed and counted
 * as lost. */
void ws_recording_add(struct ws_recording *recording, const struct ws_recorded_launch *launch);

/* Room for `size` bytes of results: at `*offset` in `*buffer`, at `*position` of all results. False when
 * there is no memory. */
bool ws_recording_reserve(struct ws_recording *recording, VkDeviceSize size, VkBuffer *buffer,
                          VkDeviceSize *offset, VkDeviceSize *position);

/* The same for a copy of geometry, whose bytes are limited: range_copy.h. */
bool ws_recording_reserve_geometry(struct ws_recording *recording, VkDeviceSize size, VkBuffer *buffer,
                                   VkDeviceSize *offset, VkDeviceSize *position);

/* Records copies of all the results, in their order, to `offset` of `target`. The caller puts barriers before
 * and behind them. */
void ws_recording_copy_results(const struct ws_recording *recording, VkCommandBuffer commands,
                               VkBuffer target, VkDeviceSize offset);

/* Adds a readback, whose reference the recording takes over. Where there is no memory it is released and
 * counted as skipped. */
void ws_recording_add_readback(struct ws_recording *recording, const struct ws_recorded_readback *readback);

/* Adds the readbacks of a secondary command buffer that is executed; the rest as with ws_recording_add_all.
 */
void ws_recording_add_readbacks(struct ws_recording *recording, const struct ws_recording *other,
                                VkDeviceSize position, bool lost);

/* Adds the launches and readbacks of a secondary command buffer that is executed: their results stand at
 * `position` of this recording's in the order of the other's; with `lost` they were not copied. */
void ws_recording_add_all(struct ws_recording *recording, const struct ws_recording *other,
                          const char *outer_label, VkDeviceSize position, bool lost);

#endif
