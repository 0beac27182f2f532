/* What is asked of SPIRV-Tools. Only spirv_tools.c includes their header: of some versions it defines a
 * constant, and can be in one file of a C program only. */
#ifndef WS_PASSES_SPIRV_SPIRV_TOOLS_H
#define WS_PASSES_SPIRV_SPIRV_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

/* Whether the module is valid for Vulkan 1.3; `error` gets the reason where it is not. */
bool ws_spirv_validate(const uint32_t *words, size_t word_count, struct ws_error *error);

/* Their version in one line: "SPIRV-Tools v2023.1 ...". Static memory. */
const char *ws_spirv_tools_version(void);

/* The disassembly, to be freed: one instruction per line, each ended by a comment with its byte offset in
 * hexadecimal, "; 0x0000012c". Ids have readable names (%main), and numbers where the names would take
 * more than 64 MiB. NULL where SPIRV-Tools refuse the module. */
char *ws_spirv_disassemble(const uint32_t *words, size_t word_count);

#endif
