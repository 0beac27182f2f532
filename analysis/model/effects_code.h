/* What the functions of one module do that can be seen from outside (effects.h). */
#ifndef WS_ANALYSIS_MODEL_EFFECTS_CODE_H
#define WS_ANALYSIS_MODEL_EFFECTS_CODE_H

#include "analysis/model/effects.h"
#include "passes/spirv/module.h"

/* Per entry point of the module, into `effects` of module->entry_point_count. Time linear in the module.
 * False when there is no memory. */
bool ws_effects_read(const struct ws_module *module, struct ws_shader_effects *effects);

/* Which instructions that trace only ask (effects.h): their offsets, ascending, into `*offsets` (freed by the
 * caller) and `*count`. Time linear in the module. False when there is no memory. */
bool ws_effects_read_asking(const struct ws_module *module, uint32_t **offsets, uint32_t *count);

#endif
