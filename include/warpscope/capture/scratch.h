/* A temporary file without a name, for what is too large to keep in memory. It is written from its beginning to its end,
 * then mapped and read. It lies in $TMPDIR, else in /tmp, and goes with the process.
 *
 * What is written goes through write calls, so a full disk is an error, never a signal. Not thread-safe; once it is mapped,
 * any number of threads may read it. */
#ifndef WARPSCOPE_CAPTURE_SCRATCH_H
#define WARPSCOPE_CAPTURE_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

struct ws_scratch {
    int file;        /* -1 = none yet */
    uint64_t size;   /* bytes that were added */
    uint8_t *buffer; /* of these, the last ones, which are not written yet */
    size_t buffered;
    const uint8_t *mapping; /* NULL until it is mapped, and where nothing was added */
};

void ws_scratch_init(struct ws_scratch *scratch);
void ws_scratch_finish(struct ws_scratch *scratch);

/* Adds bytes at the end, before it is mapped. `what` is what they are, for the message: "the rays". */
bool ws_scratch_add(struct ws_scratch *scratch, const void *bytes, size_t size, const char *what,
                    struct ws_error *error);

/* Makes all of it readable at `mapping`. */
bool ws_scratch_map(struct ws_scratch *scratch, const char *what, struct ws_error *error);

/* The two parts that it is made of: opens such a file (-1 and errno), and writes all bytes at an offset (false and
 * errno). */
int ws_scratch_open(void);
bool ws_scratch_write(int file, const uint8_t *bytes, size_t size, uint64_t offset);

/* Says by errno why `what` could not be kept, and the remedy. Returns false. */
bool ws_scratch_refuse(const char *what, struct ws_error *error);

#endif
