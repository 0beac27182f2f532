/* When warps ran (analysis/time/warp_times.h, analysis/time/flight.h), by brute force: each execution by what its records
 * show, each launch by asking how many warps are in flight at each time at which one begins or ends. */
#ifndef WS_TESTS_MODEL_WARP_TIMES_H
#define WS_TESTS_MODEL_WARP_TIMES_H

#include "tests/model/run/warps.h"

struct ws_warp_times;

/* True when all is the same; else what differs is on stdout. Shaders are in the catalog in the program's order. */
bool model_compare_warp_times(const struct ws_warp_times *results, const struct model_warps *warps,
                              const struct model_module *modules);

#endif
