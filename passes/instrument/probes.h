/* Probes as passes, for ws_instrument: made by passes/probe, which stands upon the runner. */
#ifndef WS_PASSES_INSTRUMENT_PROBES_H
#define WS_PASSES_INSTRUMENT_PROBES_H

#include "warpscope/pass.h"
#include "warpscope/probe.h"

struct ws_probe_passes;

/* Makes a pass of each probe of the options, for one module of `word_count` words: a pass keeps what it has found in it. The
 * passes use the words and the options as long as they exist. Writes their addresses to `passes`. NULL and `error` where a
 * probe was not read by ws_probe_read, or there is no memory. */
struct ws_probe_passes *ws_probe_passes_create(const struct ws_instrument_options *options,
                                               const uint32_t *words, size_t word_count,
                                               const struct ws_pass **passes, struct ws_error *error);

/* Accepts NULL. */
void ws_probe_passes_destroy(struct ws_probe_passes *passes);

#endif
