/* How often each instruction stands in modules, and what that says of a place that no module has. Not thread-safe where it
 * changes what it is given. */
#ifndef WARPSCOPE_CODE_CENSUS_H
#define WARPSCOPE_CODE_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/probe.h"

#define WS_CENSUS_OPCODES  8192 /* those that the headers know are below */
#define WS_CENSUS_EXTENDED 128  /* likewise, of GLSL.std.450 */

/* Zero-initialise. */
struct ws_census {
    uint64_t opcodes[WS_CENSUS_OPCODES];
    uint64_t extended[WS_CENSUS_EXTENDED]; /* of GLSL.std.450, by number */
};

/* Counts the instructions of a module. Words that are no module count for nothing from the first wrong one on. */
void ws_census_add(struct ws_census *census, const uint32_t *words, size_t word_count);

/* How often an instruction stands there, as rules of probes have it (warpscope/probe.h). */
uint64_t ws_census_of(const struct ws_census *census, uint32_t wanted);

/* Why a rule has no place in the modules, as a clause: "this shader has 12 OpFMul, no OpFDiv". `who`: "this shader has".
 * What came nearest are the instructions of the families of the first that the rule wants, the most frequent first, three at
 * most; where there are none of these, any others. Returns `text`. */
const char *ws_census_explain(const struct ws_census *census, const struct ws_probe_rule *rule,
                              const char *who, char *text, size_t size);

#endif
