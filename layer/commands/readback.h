/* Readbacks: device memory that a command reads, copied to the capture for each execution of the command.
 *
 * Builds and copies of acceleration structures and traces read memory that the capture needs as it is at that
 * point of the command buffer: vertices, serialized data, binding tables. When such a command is recorded,
 * the layer
 * - records copies of that memory in front of it (range_copy.h), into the results of the recording, and
 * - adds a readback to the recording: a description of the command, and where its copies lie. The command
 *   buffer may be submitted any number of times. When a submission has finished, the readback's `write` is
 *   called once for each execution, in the order of execution, with the bytes that were copied in it.
 *
 * A readback is the first member of the struct that describes the command, which its type's functions cast it
 * to. */
#ifndef WS_LAYER_COMMANDS_READBACK_H
#define WS_LAYER_COMMANDS_READBACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ws_command_buffer;
struct ws_device;
struct ws_readback;

/* One execution of a readback's command. */
struct ws_execution {
    uint64_t moment;      /* index of the first launch after the command: capture.h */
    const uint8_t *bytes; /* the results of its recording, copied in this execution; NULL = they are lost */
};

struct ws_readback_type {
    /* `write` is called for every execution that is not after the last launch that may be wanted: what is
     * built before the first wanted launch is traced by it. False: only for executions whose next launch is
     * wanted. */
    bool always;
    bool image; /* it is of an image, not of geometry: for what is said where it is lost */
    /* Writes an execution to the capture. With the submission lock entered: no code of the application may be
     * called. */
    void (*write)(struct ws_device *device, const struct ws_readback *readback,
                  const struct ws_execution *execution);
    void (*destroy)(struct ws_readback *readback);
};

struct ws_readback {
    const struct ws_readback_type *type;
    _Atomic uint32_t references;
    bool late_copy; /* `write` needs to copy more from the device: late_copy.h */
};

/* Whether what is recorded from now on may still be wanted. False after the last launch that the settings
 * ask for: a program that runs on from there pays nothing any more. */
bool ws_readbacks_wanted(const struct ws_device *device);

/* With one reference. */
void ws_readback_init(struct ws_readback *readback, const struct ws_readback_type *type);
struct ws_readback *ws_readback_reference(struct ws_readback *readback);

/* Gives a reference back; the last destroys it. NULL is accepted. */
void ws_readback_release(struct ws_readback *readback);

/* Adds the readback to what is being recorded, and takes over its reference. Without memory it is released,
 * and counted as skipped; then it returns false. */
bool ws_readback_add(struct ws_command_buffer *commands, struct ws_readback *readback);

#endif
