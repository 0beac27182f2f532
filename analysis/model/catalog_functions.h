/* The functions of a module: what they are called, and whom they call. */
#ifndef WS_ANALYSIS_MODEL_CATALOG_FUNCTIONS_H
#define WS_ANALYSIS_MODEL_CATALOG_FUNCTIONS_H

#include "analysis/model/catalog.h"
#include "passes/spirv/module.h"

/* Fills the module's functions and calls. False when there is no memory. */
bool ws_catalog_functions_add(struct ws_catalog *catalog, struct ws_module_record *module,
                              const struct ws_module *code);

/* The function of that result id; NULL where it is not known. */
const struct ws_function_record *ws_catalog_function(const struct ws_module_record *module, uint32_t id);

/* Whether one function calls another, by result ids. False where it is not known. */
bool ws_catalog_calls(const struct ws_module_record *module, uint32_t caller, uint32_t callee);

#endif
