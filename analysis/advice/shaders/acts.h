/* Which instructions act: do something that can be seen besides giving a result, or that must be done where it stands. */
#ifndef WS_ANALYSIS_ADVICE_SHADERS_ACTS_H
#define WS_ANALYSIS_ADVICE_SHADERS_ACTS_H

#include "analysis/simt/shader_run.h"

struct ws_acts {
    const struct ws_shader_code *code;
    bool *
        functions; /* per function: it has an instruction that acts, stores to a global variable, or calls such a one */
};

/* False when there is no memory. */
bool ws_acts_init(struct ws_acts *acts, const struct ws_shader_run *run);
void ws_acts_finish(struct ws_acts *acts);

/* Whether an instruction has an effect (warpscope/model/effects.h) other than a store to an Output variable; or takes
 * derivatives, which need the neighbours of the lane; or calls a function that acts. */
bool ws_instruction_acts(const struct ws_acts *acts, uint32_t instruction);

#endif
