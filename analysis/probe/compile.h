/* Compiles a probe: its text becomes a blob (probe.h).
 *
 * COST. Three compilations, one for each kind of lanes. Functions of one line without parameters are compiled for each
 * type that they fit, which is found by reading alone: all of one program are tried in one reading with at most 512 of
 * them, and once more with fewer where an error of syntax ends it. */
#ifndef WS_ANALYSIS_PROBE_COMPILE_H
#define WS_ANALYSIS_PROBE_COMPILE_H

#include "analysis/probe/complaints.h"

/* Whether this build can compile; else what is missing is said to `complaints`. */
bool ws_probe_can_compile(struct ws_complaints *complaints);

/* The words of the blob, to be freed. NULL where there are errors, which `complaints` has then. */
uint32_t *ws_probe_compile(const struct ws_probe_source *source, size_t *word_count,
                           struct ws_complaints *complaints);

#endif
