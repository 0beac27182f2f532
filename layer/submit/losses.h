/* What the capture lacks, what the layer changes in the order of queues, and the warnings about it.
 *
 * Each loss is written to the capture as a SKIP chunk at once. The warning waits until the submission lock is
 * left: a message runs a callback of the application (VK_EXT_debug_utils), which may call Vulkan, and so this
 * layer, in the same thread; with the lock held it would wait for itself. Of several losses
 * of one kind while the lock was held only the last is said: the capture has them all.
 *
 * Guarded by the submission lock (submission.h). Reasons are static strings: they are compared by address and
 * kept. */
#ifndef WS_LAYER_SUBMIT_LOSSES_H
#define WS_LAYER_SUBMIT_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

struct ws_device;
struct ws_instance;

/* How many different reasons for missing geometry are said, each once. */
#define WS_GEOMETRY_SAID 8

/* Zero-initialise. */
struct ws_losses {
    bool any; /* something is to be said */
    /* Why the latest counts, records or geometry are missing; NULL = nothing is to be said. */
    const char *launches;
    const char *records;
    const char *geometry;
    const char *images;
    /* The reasons for missing geometry that have been said: a program may lose the same in every frame. */
    const char *said_geometry[WS_GEOMETRY_SAID];
    uint32_t said_geometry_count;
    /* Submissions of several queues are put in an order: to be said; and whether that has been said. */
    bool ordered;
    bool said_ordered;
    /* A warning about the size of the record buffers; "" = none. */
    char buffers[320];
};

/* The counts of `count` launches that were executed are lost. Nothing happens when `count` is 0. */
void ws_lose_launches(struct ws_device *device, uint64_t count, const char *reason);

/* The records of `count` launches are lost; their counts were kept. */
void ws_lose_records(struct ws_device *device, uint64_t count, const char *reason);

/* `count` builds, copies or geometries are lost, of a structure (its id in the capture) or of none (WS_NONE).
 */
void ws_lose_geometry(struct ws_device *device, uint32_t structure, uint64_t count, const char *reason);

/* `count` images are lost. */
void ws_lose_images(struct ws_device *device, uint64_t count, const char *reason);

/* A submission was made to wait for another queue's, on the device. Said once. */
void ws_say_ordered(struct ws_device *device);

/* Takes a warning about the record buffers, to be said once the lock is left. */
void ws_warn_of_buffers(struct ws_device *device, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Moves what is to be said out of `losses` to `*taken`; `losses` remembers only what must not be said twice. False where
 * nothing is, as nearly always: then `*taken` is not written. With the lock. */
bool ws_losses_take(struct ws_losses *losses, struct ws_losses *taken);

/* Says it. Without the lock. */
void ws_losses_say(struct ws_instance *instance, const struct ws_losses *losses);

#endif
