/* Writing a finished submission to the capture. */
#ifndef WS_LAYER_SUBMIT_DRAIN_H
#define WS_LAYER_SUBMIT_DRAIN_H

struct ws_device;
struct ws_submission;

/* Writes the SUBM and RECS chunks of a submission whose results have come. With the submission lock entered.
 */
void ws_drain_write(struct ws_device *device, const struct ws_submission *submission);

#endif
