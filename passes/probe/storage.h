/* What memory an instruction reads or writes, as filters `of` and the parameters `member` and `location` of probes know it.
 * Private to passes/probe. */
#ifndef WS_PASSES_PROBE_STORAGE_H
#define WS_PASSES_PROBE_STORAGE_H

#include "warpscope/probe.h"
#include "warpscope/spirv/module.h"

/* The kind of memory of an instruction's pointer, 1 << enum ws_probe_storage; 0 where it has no pointer, or one of no kind. */
uint32_t ws_probe_storage_of(const struct ws_module *module, const struct ws_instruction *instruction);

/* What WS_PROBE_MEMBER or WS_PROBE_LOCATION say of the variable that the pointer is of, two's complement. False where `name`
 * is neither, or the instruction has no pointer. */
bool ws_probe_variable_value(const struct ws_module *module, const struct ws_instruction *instruction,
                             const char *name, uint32_t *value);

#endif
