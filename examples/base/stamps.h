/* Two device timestamps, around what a command buffer does between them: a program's own measurement of its device time. */
#ifndef WS_EXAMPLES_BASE_STAMPS_H
#define WS_EXAMPLES_BASE_STAMPS_H

#include "examples/base/gpu.h"

/* Zero-initialised is none: then begin and end do nothing. */
struct ws_gpu_stamps {
    VkQueryPool pool;
    uint64_t mask; /* of the bits that the queue's timestamps have */
};

/* False and `error` also where the queue has no timestamps. */
bool ws_gpu_stamps_init(struct ws_gpu *gpu, struct ws_gpu_stamps *stamps, struct ws_error *error);
void ws_gpu_stamps_finish(struct ws_gpu *gpu, struct ws_gpu_stamps *stamps);

/* Records the timestamps: the first before any of what follows, the second behind all of what was before. */
void ws_gpu_stamps_begin(VkCommandBuffer commands, const struct ws_gpu_stamps *stamps);
void ws_gpu_stamps_end(VkCommandBuffer commands, const struct ws_gpu_stamps *stamps);

/* The nanoseconds between the two, after the commands are done. */
bool ws_gpu_stamps_read(struct ws_gpu *gpu, const struct ws_gpu_stamps *stamps, double *nanoseconds,
                        struct ws_error *error);

#endif
