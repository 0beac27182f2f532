/* Where a probe would be called in a SPIR-V module, without a device: what `warpscope probe --on` prints. */
#ifndef WS_ANALYSIS_PROBE_CHECK_H
#define WS_ANALYSIS_PROBE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "warpscope/error.h"
#include "warpscope/probe.h"

/* Prints the sites of the probe in the module, with source lines, opcodes and functions; the places where no function
 * fits, with their types; and for each rule without any site, what came nearest. `path` is what the module is called.
 * `*site_count` is how many sites there are. False and `error` where the module cannot be instrumented. */
bool ws_probe_check(const struct ws_probe *probe, const uint32_t *words, size_t word_count, const char *path,
                    FILE *out, uint32_t *site_count, struct ws_error *error);

/* A rule as its place line says it: "after OpFDiv OpFMul in fragment". Writes at most `size` bytes. */
void ws_probe_rule_text(const struct ws_probe *probe, const struct ws_probe_rule *rule, char *text,
                        size_t size);

#endif
