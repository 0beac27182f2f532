/* What the filters of a probe's rules ask of a module: names of functions, files and lines. Private to passes/probe. */
#ifndef WS_PASSES_PROBE_SOURCE_H
#define WS_PASSES_PROBE_SOURCE_H

#include "warpscope/probe.h"
#include "warpscope/spirv/code.h"

/* Of one module. Zeroed but for the words, it is ready. What it finds it keeps until ws_probe_source_finish. */
struct ws_probe_source {
    const uint32_t *words; /* of the original module, not owned */
    size_t word_count;
    struct ws_code *code; /* NULL = not read yet, or it cannot be */
    bool read;
};

/* Frees what it keeps. */
void ws_probe_source_finish(struct ws_probe_source *source);

/* The line of what stands at a word offset of the original module; 0 where it is not known. */
uint32_t ws_probe_source_line(struct ws_probe_source *source, uint32_t offset);

/* Whether what stands there is in the file and lines that a rule wants. */
bool ws_probe_source_passes(struct ws_probe_source *source, const struct ws_probe_rule *rule,
                            uint32_t offset);

/* Whether a name of a function (its OpName up to "(") fits the rule's pattern. `entry_point` is the name of the entry point
 * whose function it is, or NULL. */
bool ws_probe_source_names(const struct ws_module *module, const struct ws_probe_rule *rule,
                           uint32_t function, const char *entry_point);

#endif
