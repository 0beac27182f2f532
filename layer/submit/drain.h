/* The drain: what a finished submission left in readback memory and in its record buffer goes to the capture.
 *
 * Per batch, in the order of execution: what the readbacks of its command buffers read (BILD, COPY and TABL
 * chunks), the launches with their counters (a SUBM chunk), the words that each launch appended to the record
 * stream (RECS chunks). With the submission lock entered, so that no code of the application may run. */
#ifndef WS_LAYER_SUBMIT_DRAIN_H
#define WS_LAYER_SUBMIT_DRAIN_H

#include <stdbool.h>

struct ws_device;
struct ws_submission;

/* Whether a finished submission can be written now. False when it needs late copies (late_copy.h), and no
 * queue is there for them now. True when there never will be one: then it is written without. */
bool ws_drain_is_possible(struct ws_device *device, const struct ws_submission *submission);

/* Writes a finished submission. What cannot be had of it is counted as lost (losses.h). */
void ws_drain_write(struct ws_device *device, const struct ws_submission *submission);

#endif
