/* What the rules of advice on shaders have in common. Each is a file of its name in this folder; see rule.h. What they
 * save is counted in instruction slots (analysis/simt/idle_slots.h), so that it can be compared. */
#ifndef WS_ANALYSIS_ADVICE_SHADERS_SHADER_RULE_H
#define WS_ANALYSIS_ADVICE_SHADERS_SHADER_RULE_H

#include "analysis/advice/rule.h"

#define WS_PLACE_SIZE 256

/* From which share of the capture's slots a saving is worth a look. A change of one line or value: a hundredth. One that
 * gives threads other work, or parts a kernel in two: a twentieth, for it costs slots of its own. */
#define WS_SHARE_OF_LINE    100
#define WS_SHARE_OF_REWRITE 20

/* Whether `saving` is at least one in `share` of the capture's slots. */
static inline bool ws_advice_shader_is_worth(const struct ws_advice_shader *shader, double saving,
                                             uint32_t share)
{
    return saving >= 1 && saving * share >= (double)shader->all;
}

/* Whether a block is worth a closer look: it ran often enough that 20 instructions in it could make a hundredth of the
 * capture's slots. No more than 2000 blocks of a capture can be. */
static inline bool ws_advice_block_is_hot(const struct ws_advice_shader *shader, uint32_t block)
{
    return (double)shader->run->blocks[block].slots * 2000 >= (double)shader->all;
}

/* A whole number of slots. Sums of fractions that should give one may lie a little beside it. */
static inline uint64_t ws_advice_slots(double slots)
{
    return slots >= (double)UINT64_MAX ? UINT64_MAX : slots > 0 ? (uint64_t)(slots + 1e-3) : 0;
}

/* Compute, task and mesh shaders: those that have workgroups. */
static inline bool ws_advice_has_workgroups(uint32_t stage)
{
    return (stage & (WS_STAGE_COMPUTE | WS_STAGE_TASK | WS_STAGE_MESH)) != 0;
}

#endif
