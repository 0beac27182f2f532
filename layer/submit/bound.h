/* Writes what the launches of a submission have bound, as it stands when they are submitted: chunks RSRC, DSET, DSCH and BIND.
 * Of a set that is in the capture only what changed is written. Only where it is followed what is bound (setting `bindings`).
 */
#ifndef WS_LAYER_SUBMIT_BOUND_H
#define WS_LAYER_SUBMIT_BOUND_H

struct ws_batch;
struct ws_device;

/* With the submission lock entered, when the launches of the batch have their indices. */
void ws_bound_write(struct ws_device *device, const struct ws_batch *batch);

#endif
