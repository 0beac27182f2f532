/* What every example's main does when its command line is read: it makes a device, draws on it, and says what failed. */
#ifndef WS_EXAMPLES_BASE_RUN_H
#define WS_EXAMPLES_BASE_RUN_H

#include "examples/base/options.h"

/* Draws, and frees all that it made on the device. False and `error`. */
typedef bool ws_run_function(void *user, struct ws_gpu *gpu, struct ws_error *error);

/* Draws on the device that the options ask for, with what the program `needs` (mask of ws_gpu_need) and a queue that can do
 * `queue`. On failure prints why on stderr. Returns the exit status. */
int ws_run(const struct ws_options *options, uint32_t needs, VkQueueFlags queue, ws_run_function *draw,
           void *user);

#endif
