/* What the compiler made of a probe, for one kind of lanes, as the linker wants it (probe.h, "What units are"). */
#ifndef WS_ANALYSIS_PROBE_UNIT_H
#define WS_ANALYSIS_PROBE_UNIT_H

#include "analysis/probe/complaints.h"
#include "warpscope/error.h"
#include "warpscope/probe.h"

/* A unit that is being made. Zero-initialise; free with ws_probe_unit_finish. */
struct ws_made_unit {
    uint32_t *words;
    uint32_t word_count;
    uint32_t *outputs; /* per function of the probe: mask of the outputs that it can yield to */
    bool reads_work;   /* a function reads ws_work_id or ws_work_pixel */
    char *variable;    /* the name of the variable that the error is about; NULL = it is about none */
};

/* Makes the unit of the words: wrappers get their plain names, variables of the user's the suffix `state`, which is the
 * probe's own. False and `error` where the module has what no unit can have, such as a variable that does not begin with a
 * constant; the message is for the user. */
bool ws_probe_unit_make(struct ws_made_unit *unit, const uint32_t *words, size_t word_count,
                        uint32_t function_count, const char *state, struct ws_error *error);

void ws_probe_unit_finish(struct ws_made_unit *unit);

#endif
