/* What a finished submission appended to its stream, to the capture. With the submission lock entered. */
#ifndef WS_LAYER_SUBMIT_STREAM_DRAIN_H
#define WS_LAYER_SUBMIT_STREAM_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

struct ws_batch;
struct ws_device;
struct ws_submission;

/* A submission under reading: where in its stream the batches read so far end. */
struct ws_stream_reading {
    struct ws_device *device;
    const struct ws_submission *submission;
    uint32_t reserved;  /* words reserved by all launches read so far */
    uint32_t end;       /* where the whole records of these end */
    bool known;         /* nothing has been appended since that is not among them */
    bool broken;        /* the words cannot be read: everything is lost */
    uint64_t needed;    /* words that the whole submission reserved */
    uint64_t lost;      /* launches whose records are lost so far ... */
    const char *reason; /* ... and why the last of them are */
};

/* Whether a finished submission's words, and what its occurrences need besides, can be read now, or never
 * could. Where that takes a copy (late_copy.h) it takes a queue for it. */
bool ws_stream_readable(struct ws_device *device, const struct ws_submission *submission);

/* Makes the control block ready for its first stream: zeroes it, waits for that, and shows it to shaders,
 * none of which, on whatever queue, may ever find what the memory held before. False when there is no queue
 * for it now, or copies are given up. */
bool ws_stream_make_ready(struct ws_device *device);

/* Begins with the submission's first batch. */
void ws_stream_reading_init(struct ws_stream_reading *reading, struct ws_device *device,
                            const struct ws_submission *submission);

/* Writes the RECS chunks of the next batch's launches, unless its SUBM chunk was not `written`. */
void ws_stream_read_batch(struct ws_stream_reading *reading, const struct ws_batch *batch, bool written);

/* Counts what was lost, and has the next stream made large enough. */
void ws_stream_reading_finish(struct ws_stream_reading *reading);

/* How many launches of a submission are wanted and have records. */
uint64_t ws_stream_count(const struct ws_device *device, const struct ws_submission *submission);

#endif
