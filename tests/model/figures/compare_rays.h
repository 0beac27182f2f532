/* Rays that are put together from a capture against those of the model. */
#ifndef WS_TESTS_MODEL_COMPARE_RAYS_H
#define WS_TESTS_MODEL_COMPARE_RAYS_H

#include "tests/model/figures/rays.h"
#include "tests/model/run/warps.h"

/* True when all is the same; else what differs is on stdout. `workers`: as ws_replay_create has it. `reports`: reports are
 * compared, which are not known where a first hit ends the intersection shader. */
bool model_compare_rays(const char *path, const struct model_warps *warps, const struct model_module *modules,
                        const struct model_rays *rays, bool reports, uint32_t workers);

#endif
