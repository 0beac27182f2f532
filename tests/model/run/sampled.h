/* Sampled counters (warpscope/root.h, SAMPLING): which warps count, by the rule; what they count; and the estimates and
 * standard errors that follow (warpscope/model/simt_sets.h), by brute force. */
#ifndef WS_TESTS_MODEL_SAMPLED_H
#define WS_TESTS_MODEL_SAMPLED_H

#include "tests/model/run/warps.h"

struct model_sampled {
    const struct model_warps *warps;
    uint32_t weights[MODEL_SHADERS]; /* one warp in so many counts; 0: the shader is not sampled, so all do */
    bool drawn[MODEL_SHADERS];       /* some warp of the shader is */
    struct model_counts *sets[MODEL_SHADERS][WS_SAMPLE_GROUPS]; /* NULL: not sampled */
};

/* Fills `sampled`, which starts zeroed or as the last call left it. One warp in `one_in` counts. No thread of `warps` has
 * moved to another. */
void model_sampled_make(struct model_sampled *sampled, const struct model_warps *warps, uint32_t one_in);
void model_sampled_finish(struct model_sampled *sampled);

/* Puts the estimates of all warps' counts into `counts` of `estimates`, which are those of the warps of `sampled` otherwise. */
void model_sampled_estimate(const struct model_sampled *sampled, struct model_warps *estimates);

#endif
