/* What happens at a point of a command buffer and goes into the capture when it was executed, besides
 * launches: an acceleration structure is built, or copied; a trace finds its tables. It is described when
 * the command is recorded, together with copies of the device memory that it reads there (range_copy.h), and
 * told of every execution, in the order of execution, when that has finished. */
#ifndef WS_LAYER_COMMANDS_READBACK_H
#define WS_LAYER_COMMANDS_READBACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ws_command_buffer;
struct ws_device;
struct ws_readback;
struct ws_recording;

/* One execution of it. */
struct ws_execution {
    uint64_t moment;      /* index of the first launch behind it: capture.h */
    const uint8_t *bytes; /* what its range copies brought; NULL: they are lost */
};

struct ws_readback_type {
    /* Told of every execution, but of those that come after the last launch that may be wanted; otherwise
     * only of those whose next launch is. */
    bool always;
    /* With the submission lock entered, before that launch is written: no code of the application may be
     * called. */
    void (*write)(struct ws_device *device, const struct ws_readback *readback,
                  const struct ws_execution *execution);
    void (*destroy)(struct ws_readback *readback);
};

/* The first member of what it is. */
struct ws_readback {
    const struct ws_readback_type *type;
    _Atomic uint32_t references;
    bool late_copy; /* when it is told of an execution it needs a copy that is made then: late_copy.h */
};

/* Whether any that is recorded from now on may still be told of an execution. A program that goes on behind
 * the last chosen launch pays nothing any more. */
bool ws_readbacks_wanted(const struct ws_device *device);

/* With one reference. */
void ws_readback_init(struct ws_readback *readback, const struct ws_readback_type *type);
struct ws_readback *ws_readback_reference(struct ws_readback *readback);

/* Gives a reference back; the last destroys it. NULL is accepted. */
void ws_readback_release(struct ws_readback *readback);

/* Adds the readback to what is being recorded, behind all before, and takes over its reference. Where there
 * is no memory it is released, and counted as skipped. */
void ws_readback_add(struct ws_command_buffer *commands, struct ws_readback *readback);

#endif
