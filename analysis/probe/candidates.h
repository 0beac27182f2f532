/* The types for which functions of one line are compiled: `after OpFDiv { if (isinf(result)) count(); }` names its
 * operands, and no types. Each operand that the body names becomes a parameter; its types are those that its opcodes can
 * have (opcodes.h), and what does not compile is left out. */
#ifndef WS_ANALYSIS_PROBE_CANDIDATES_H
#define WS_ANALYSIS_PROBE_CANDIDATES_H

#include "analysis/probe/generate.h"

#define WS_PROBE_CANDIDATES_MAX 512 /* of a program */

struct ws_probe_candidates {
    struct ws_probe_candidate *items; /* in the program's arena */
    uint32_t count;
};

/* All that are to be tried. False after complaining. */
bool ws_probe_candidates_list(struct ws_probe_program *program, struct ws_probe_candidates *candidates,
                              struct ws_complaints *complaints);

/* Reads them by the compiler, and leaves out those that do not compile. False where a function has none left, or the
 * text around them has errors; then it has complained. */
bool ws_probe_candidates_try(struct ws_probe_program *program, struct ws_probe_candidates *candidates,
                             struct ws_complaints *complaints);

#endif
