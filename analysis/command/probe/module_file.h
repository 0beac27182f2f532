/* SPIR-V modules, and other words, in files. */
#ifndef WS_ANALYSIS_COMMAND_MODULE_FILE_H
#define WS_ANALYSIS_COMMAND_MODULE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/output/file_kind.h"
#include "warpscope/error.h"

/* What ws_words_write writes: a module, and a compiled probe (warpscope/probe.h). */
extern const struct ws_file_kind ws_module_kind;
extern const struct ws_file_kind ws_compiled_probe_kind;

/* The words of a file, to be freed; NULL and `error` where it cannot be read or is no module. */
uint32_t *ws_module_read(const char *path, size_t *word_count, struct ws_error *error);

/* Writes words to a file; "-" is stdout. */
bool ws_words_write(const char *path, const uint32_t *words, size_t word_count, struct ws_error *error);

#endif
