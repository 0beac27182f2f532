/* Captures that were made to do harm: valid files of some kilobytes that ask for as much work, memory or output
 * as their format can say. */
#ifndef WS_TESTS_FUZZ_HOSTILE_H
#define WS_TESTS_FUZZ_HOSTILE_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/capture/capture_writer.h"

struct hostile {
    const char *name;
    const char *what; /* what it asks for */
    /* Writes everything but INFO, device 0 and DONE. False when a write fails. */
    bool (*write)(struct ws_capture_writer *writer, struct ws_error *error);
};

/* All of them; the last has the name NULL. */
extern const struct hostile hostiles[];

/* Writes the whole capture to `path`. */
bool hostile_write(const struct hostile *hostile, const char *path, struct ws_error *error);

#endif
