/* Asking SPIRV-Tools whether a module is valid: those that Warpscope was built with, or a program spirv-val of the
 * user's, which may be newer. */
#ifndef WS_ANALYSIS_COMMAND_VALIDATOR_H
#define WS_ANALYSIS_COMMAND_VALIDATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

/* Whether the module is valid for Vulkan 1.3. `program` is a spirv-val, searched for in PATH where it has no
 * slash; NULL = the library that is linked. False and `error` where it is not, or could not be asked. */
bool ws_validator_accepts(const char *program, const uint32_t *words, size_t word_count,
                          struct ws_error *error);

/* Writes the version in one line: "SPIRV-Tools v2023.1 ...". False and `error` where the program cannot be run. */
bool ws_validator_version(const char *program, char *text, size_t size, struct ws_error *error);

#endif
