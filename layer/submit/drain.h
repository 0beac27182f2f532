/* The drain: what a finished submission left in readback memory and in its record buffer goes to the capture.
 *
 * Per batch, in the order of execution: what the readbacks of its command buffers read (BILD, COPY and TABL
 * chunks), the launches with their counters (a SUBM chunk), the words that each launch appended to the record
 * stream (RECS chunks). With the submission lock entered, so that no code of the application may run. */
#ifndef WS_LAYER_SUBMIT_DRAIN_H
#define WS_LAYER_SUBMIT_DRAIN_H

struct ws_device;
struct ws_submission;

/* Writes a finished submission. What cannot be had of it is counted as lost (losses.h). */
void ws_drain_write(struct ws_device *device, const struct ws_submission *submission);

#endif
