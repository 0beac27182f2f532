/* Findings: what is worth knowing in a capture. Every analysis tells its own (`findings` in analysis.h), and the summary
 * (analysis/summary) shows the first few of all of them.
 *
 * A finding has a SIZE from 0 to 1, so that findings of all analyses can be compared. What it is a share of:
 *
 *   WORK     the capture's work, as advice counts it (analysis/advice/cost.h): instruction slots, and what rays and
 *            calls take besides
 *   SLOTS    the instruction slots of all shaders alone (analysis/trace/divergence.h), which are a part of the work
 *   TIME     the capture's device time (the pass `time`)
 *   BYTES    the bytes of acceleration structures
 *   NOTHING  it has no size that can be compared
 *
 * and a KIND:
 *
 *   CHANGE   something to change in the application. Its size is what the change saves, or what is wrong without it
 *   LOSS     work that brings nothing, such as the slots of idle lanes. Its size is all of it. How much of it a change
 *            gets back is not known: all at best
 *   FACT     what is worth knowing and has no size, such as warps that come apart
 *   SPENT    where the work is. It is no fault; its size is what the place takes
 *
 * ORDER. Sizes of slots are turned into shares of the work: times the slots of the work. First come changes and losses
 * with a size of the work or of time, largest first; then those of bytes; then facts; then what is spent. Those that
 * are SMALL come last, and are counted, not shown:
 *
 *   losses     below WS_FINDING_LEAST_LOSS
 *   changes    that the analysis calls small (the advice's own thousandth: a flag is soon changed)
 *   spent      below WS_FINDING_LEAST_SPENT
 *
 * CAUSE. Two findings of one cause are one. Its cause is a kind of cause and the shader or pipeline it is in. Of losses
 * of one cause the exact one stays (`exact`). A loss is TOLD by changes of its cause if they are as large as half of it
 * together; else it is worth knowing beside them. A fact is told by a loss or change of its cause.
 *   Example: in blur.comp:main 40 % of the slots are idle by control flow. Advice names a branch that is behind 30 %:
 *   that branch is the finding. Had it been behind 10 %, both would be.
 *
 * Nothing here is thread-safe. */
#ifndef WS_ANALYSIS_REPORT_FINDINGS_H
#define WS_ANALYSIS_REPORT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "passes/base/text.h"
#include "warpscope/instrument.h"

/* A loss below a fiftieth is within what any program has at its edges, and costs more to look into than it brings. */
#define WS_FINDING_LEAST_LOSS 0.02
/* A place that takes less is not where the work is. */
#define WS_FINDING_LEAST_SPENT 0.05
/* The part of a loss that changes must be behind to tell it. */
#define WS_FINDING_TOLD 0.5

struct ws_analysis;

enum ws_finding_kind { WS_FINDING_CHANGE, WS_FINDING_LOSS, WS_FINDING_FACT, WS_FINDING_SPENT };

enum ws_finding_of {
    WS_FINDING_OF_NOTHING,
    WS_FINDING_OF_WORK,
    WS_FINDING_OF_SLOTS,
    WS_FINDING_OF_TIME,
    WS_FINDING_OF_BYTES,
};

enum ws_finding_cause {
    WS_CAUSE_OWN,          /* no other finding can have it */
    WS_CAUSE_CONTROL_FLOW, /* branches and loops of a shader */
    WS_CAUSE_EARLY_RETURN, /* threads of a shader that end before others of their warp */
    WS_CAUSE_PARTIAL,      /* launches or workgroups that do not fill warps of a shader */
    WS_CAUSE_HELPERS,      /* helper lanes of a fragment shader */
    WS_CAUSE_CALLS,        /* shaders that are called for some lanes of a warp; of a pipeline, not a shader */
    WS_CAUSE_EQUAL,        /* structures of equal content */
};

/* One finding. Zero-initialise, then set what it has. Texts must live as long as the findings. */
struct ws_finding {
    enum ws_finding_kind kind;
    enum ws_finding_of of;
    double size; /* 0 to 1; of WS_FINDING_OF_NOTHING 0 */
    bool small;  /* the analysis itself calls it not worth a look */
    /* What it is and why it matters: a whole sentence or two, for one who has never seen the tool. Without the size. */
    const char *text;
    const char *place; /* "branch at block.comp:12 (block:main)", "mesh.rchit:main"; NULL = the capture */
    /* Options behind "warpscope report FILE ANALYSIS", quoted for a shell: "--shader mesh.rchit:main"; NULL = none. */
    const char *options;
    const char *certainty; /* "certain", "likely", "possible", as advice has it; NULL = it is a figure */
    enum ws_finding_cause cause;
    uint32_t
        in; /* of the cause: index of the shader in the catalog, or of the pipeline; 0 where there is no such */
    bool exact;     /* of losses: from what each lane did, not worked out from counters */
    uint32_t shown; /* index of the launch it is about + 1; 0 = no single one */

    /* Set by ws_findings_add and ws_findings_rank. */
    const struct ws_analysis *analysis; /* that found it */
    double share;                       /* of the work or the time, or of bytes; 0 = it has no size */
    uint32_t told_by; /* index of the finding that tells it, in their order; WS_NONE = none */
};

/* The findings of a capture. Zero-initialised is empty. */
struct ws_findings {
    struct ws_finding *all;
    uint32_t count;
    uint32_t capacity;
    struct ws_text_pool texts;
    const struct ws_analysis *analysis; /* whose findings are added */
    double slots; /* of the work: the instruction slots of shaders, 0 to 1; 0 = all of it is */
    bool failed;  /* no memory */
};

/* Adds a finding of findings->analysis. False when there is no memory. */
bool ws_findings_add(struct ws_findings *findings, const struct ws_finding *finding);

/* A text that lives as long as the findings. "" when there is no memory; then the next ws_findings_add fails. */
__attribute__((format(printf, 2, 3))) const char *ws_findings_text(struct ws_findings *findings,
                                                                   const char *format, ...);

/* An option and its value, quoted for a shell where it must be: "--shader 'a b:main'". As above. */
const char *ws_findings_option(struct ws_findings *findings, const char *option, const char *value);

/* Joins those of one cause, and puts them in their order. Once, when all have been added. */
void ws_findings_rank(struct ws_findings *findings);

/* Whether a finding is shown: it is not small, and no other tells it. After ws_findings_rank. */
bool ws_finding_is_shown(const struct ws_finding *finding);

void ws_findings_finish(struct ws_findings *findings);

#endif
