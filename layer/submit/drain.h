/* Writing a finished submission to the capture. */
#ifndef WS_LAYER_SUBMIT_DRAIN_H
#define WS_LAYER_SUBMIT_DRAIN_H

#include <stdbool.h>

struct ws_device;
struct ws_submission;

/* Whether a finished submission's words, and what its readbacks need besides, can be read now, or never
 * could. Where that takes a copy (late_copy.h) it takes a queue for it. */
bool ws_drain_is_possible(struct ws_device *device, const struct ws_submission *submission);

/* Writes the SUBM and RECS chunks of a submission whose results have come. With the submission lock entered.
 */
void ws_drain_write(struct ws_device *device, const struct ws_submission *submission);

#endif
