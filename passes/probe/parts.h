/* What ws_probe_read makes of a probe's units: what the linker and the passes of probes take from them. Private to
 * passes/probe. */
#ifndef WS_PASSES_PROBE_PARTS_H
#define WS_PASSES_PROBE_PARTS_H

#include "passes/link/library.h"
#include "warpscope/base/arena.h"
#include "warpscope/probe.h"

struct ws_probe_parts {
    struct ws_arena *arena; /* owns the probe, this, and all that they point to */
    struct ws_library_unit units[WS_PROBE_UNIT_COUNT];
    uint32_t *functions[WS_PROBE_UNIT_COUNT]; /* per function of the probe: its id in that unit */
};

/* Checks a unit of a probe (probe.h, "What units are") so far that it can be linked, whatever it holds: each id has been
 * defined where it is used, each instruction is one that the linker knows, each function of the probe is there with the
 * parameters that the probe says. Fills parts->units[kind] and parts->functions[kind]. False and `error` otherwise. */
bool ws_probe_read_unit(const struct ws_probe *probe, struct ws_probe_parts *parts,
                        enum ws_probe_unit_kind kind, struct ws_error *error);

#endif
