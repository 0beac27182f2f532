/* What happens at a point of a command buffer and goes into the capture when it was executed, besides
 * launches: an acceleration structure is built, or copied; a trace finds its tables. It is described when
 * the command is recorded, together with copies of the device memory that it reads there (range_copy.h), and
 * told of every execution, in the order of execution, when that has finished. */
#ifndef WS_LAYER_COMMANDS_OCCURRENCE_H
#define WS_LAYER_COMMANDS_OCCURRENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/ray_tracing/range_copy.h"

struct ws_command_buffer;
struct ws_device;
struct ws_occurrence;
struct ws_recording;

/* One execution of it. */
struct ws_execution {
    uint64_t moment;      /* index of the first launch behind it: capture.h */
    const uint8_t *bytes; /* what its range copies brought; NULL: they are lost */
};

struct ws_occurrence_kind {
    /* Told of every execution, but of those that come after the last launch that may be wanted; otherwise
     * only of those whose next launch is. */
    bool always;
    /* With the submission lock entered, before that launch is written: no code of the application may be
     * called. */
    void (*executed)(struct ws_device *device, const struct ws_occurrence *occurrence,
                     const struct ws_execution *execution);
    void (*destroy)(struct ws_occurrence *occurrence);
};

/* The first member of what it is. */
struct ws_occurrence {
    const struct ws_occurrence_kind *kind;
    _Atomic uint32_t references;
    bool later; /* when it is told of an execution it needs a copy that is made then: late_copy.h */
};

/* Whether any that is recorded from now on may still be told of an execution. A program that goes on behind
 * the last chosen launch pays nothing any more. */
bool ws_occurrences_wanted(const struct ws_device *device);

/* With one reference. */
void ws_occurrence_init(struct ws_occurrence *occurrence, const struct ws_occurrence_kind *kind);
struct ws_occurrence *ws_occurrence_reference(struct ws_occurrence *occurrence);

/* Gives a reference back; the last destroys it. NULL is accepted. */
void ws_occurrence_release(struct ws_occurrence *occurrence);

/* Adds the occurrence to what is being recorded, behind all before, and takes over its reference. Where there
 * is no memory it is released, and counted as skipped. */
void ws_occurrence_add(struct ws_command_buffer *commands, struct ws_occurrence *occurrence);

/* The bytes of a range in an execution; NULL where nothing was copied or it is lost. */
const uint8_t *ws_execution_bytes(const struct ws_execution *execution, const struct ws_copied_range *range);

#endif
