/* What probes yielded at the places of a shader, by line, by block and by instruction; outside of its lines, what has no
 * place (outputs per shader), and what no line stood for. Not thread-safe. */
#ifndef WS_ANALYSIS_ANNOTATE_ANNOTATE_YIELDS_H
#define WS_ANALYSIS_ANNOTATE_ANNOTATE_YIELDS_H

#include "analysis/annotate/annotate.h"
#include "analysis/yields/probes.h"

/* An output at one instruction. */
struct ws_annotate_yield {
    uint32_t file;        /* index in the code's files; WS_NONE = not known */
    uint32_t line;        /* in it */
    uint32_t instruction; /* of the code: that which the place is about, or that follows it */
    uint32_t block;       /* of the module; WS_NONE = none */
    uint32_t output;      /* index in the outputs of the probes */
    bool shown;           /* a line had it */
    struct ws_yield_sums sums;
};

struct ws_annotate_yields {
    const struct ws_probes *probes; /* NULL = none were recorded */
    struct ws_annotate_yield *list; /* what yielded something, by output, then by instruction */
    uint32_t count;
};

/* Finds those of a shader. `probes` may be NULL. False without memory. The caller finishes. */
bool ws_annotate_yields_find(struct ws_annotate_yields *yields, const struct ws_probes *probes,
                             const struct ws_annotation *annotation);
void ws_annotate_yields_finish(struct ws_annotate_yields *yields);

/* The sums of the next output at or behind `*at` in the list that yielded on a line: of `file`, with the line's number; of
 * disassembly at its instruction; of GLSL that was made in its block, on the first line of that. `*at` is then where to go on:
 * 0 at first. False: there is no more. What was found counts as shown. */
bool ws_annotate_yields_next(struct ws_annotate_yields *yields, uint32_t file,
                             const struct ws_annotate_line *line, uint32_t *at,
                             struct ws_annotate_yield *found);

/* The same of what no line stood for, once all lines are through: places whose line is not known, or is not there. */
bool ws_annotate_yields_rest(const struct ws_annotate_yields *yields, uint32_t *at,
                             struct ws_annotate_yield *found);

/* The same of outputs per shader, with a member `output` and `sums` alone. */
bool ws_annotate_yields_whole(const struct ws_annotate_yields *yields, const struct ws_annotation *annotation,
                              uint32_t *at, struct ws_annotate_yield *found);

#endif
