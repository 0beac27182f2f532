/* Findings: what is worth knowing in a capture. Every analysis tells its own (`findings` in analysis.h), and the summary
 * (analysis/summary) shows the first few of all of them.
 *
 * A finding has a SIZE from 0 to 1, so that findings of all analyses can be compared. What it is a share of:
 *
 *   WORK     the capture's work, as advice counts it (analysis/advice/cost.h): instruction slots, and what rays and
 *            calls take besides
 *   SLOTS    the instruction slots of all shaders alone (analysis/trace/divergence.h), which are a part of the work
 *   ANY_HIT, INTERSECTION, RAYS
 *            the runs of these shaders, and the rays with all that they run: parts of the work, too. Where advice does
 *            not know what they cost, findings of them have no size
 *   TIME     the capture's device time (the pass `time`)
 *   BYTES    the bytes of acceleration structures
 *   NOTHING  it has no size that can be compared
 *
 * Where device times are known, a finding also has the share of the device time that it TOUCHES: that of all launches
 * whose pipelines have its shader. What a change saves of the time is at most that. It is said, and does not change the
 * order: how long the shader runs in these launches, and what else they wait for, is not known.
 *   Example: of 1000 ns, launches of pipeline A take 900 and those of B 100. A loss of 40 % of the work in a shader of B
 *   touches 10 %.
 *
 * and a KIND:
 *
 *   CHANGE   something to change in the application. Its size is what the change saves, or what is wrong without it
 *   LOSS     work that brings nothing, such as the slots of idle lanes. Its size is all of it. How much of it a change
 *            gets back is not known: all at best
 *   FACT     what is worth knowing and has no size, such as warps that come apart
 *   SPENT    where the work is. It is no fault; its size is what the place takes
 *
 * ORDER. Sizes of parts of the work are turned into shares of the work (`weights`). First comes what is wrong
 * (undefined by the specification); then changes and losses
 * with a size of the work or of time, largest first; then those of bytes; then facts; then what is spent. Those that
 * are SMALL come last, and are counted, not shown:
 *
 *   losses     below WS_FINDING_LEAST_LOSS
 *   changes    that the analysis calls small (the advice's own thousandth: a flag is soon changed)
 *   spent      below WS_FINDING_LEAST_SPENT
 *
 * CAUSE. Two findings of one cause are one. Its cause is a kind of cause and the shader or pipeline it is in. A loss is TOLD
 * by changes of its cause if they are as large as half of it together; else it is worth knowing beside them. A fact is told
 * by a loss or change of its cause.
 *   Example: in blur.comp:main 40 % of the slots are idle by control flow. Advice names a branch that is behind 30 %:
 *   that branch is the finding. Had it been behind 10 %, both would be.
 *
 * Nothing here is thread-safe. */
#ifndef WARPSCOPE_REPORT_FINDINGS_H
#define WARPSCOPE_REPORT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/base/text.h"
#include "warpscope/instrument.h"

/* A loss below a fiftieth is within what any program has at its edges, and costs more to look into than it brings. */
#define WS_FINDING_LEAST_LOSS 0.02
/* A place that takes less is not where the work is. */
#define WS_FINDING_LEAST_SPENT 0.05
/* The part of a loss that changes must be behind to tell it. */
#define WS_FINDING_TOLD 0.5

struct ws_analysis;
struct ws_catalog;

enum ws_finding_kind { WS_FINDING_CHANGE, WS_FINDING_LOSS, WS_FINDING_FACT, WS_FINDING_SPENT };

enum ws_finding_of {
    WS_FINDING_OF_NOTHING,
    WS_FINDING_OF_WORK,
    WS_FINDING_OF_SLOTS,
    WS_FINDING_OF_ANY_HIT,
    WS_FINDING_OF_INTERSECTION,
    WS_FINDING_OF_RAYS,
    WS_FINDING_OF_TIME,
    WS_FINDING_OF_BYTES,
    WS_FINDING_OFS
};

enum ws_finding_cause {
    WS_CAUSE_OWN,          /* no other finding can have it */
    WS_CAUSE_CONTROL_FLOW, /* branches and loops of a shader */
    WS_CAUSE_EARLY_RETURN, /* threads of a shader that end before others of their warp */
    WS_CAUSE_PARTIAL,      /* launches or workgroups that do not fill warps of a shader */
    WS_CAUSE_HELPERS,      /* helper lanes of a fragment shader */
    WS_CAUSE_CALLS,        /* shaders that are called for some lanes of a warp; of a pipeline, not a shader */
    WS_CAUSE_ANY_HIT,      /* any-hit shaders that ignore what they are called for */
    WS_CAUSE_INTERSECTION, /* intersection shaders that report nothing */
    WS_CAUSE_HEAVY,        /* threads with far more to do than others */
    WS_CAUSE_EQUAL,        /* structures of equal content */
};

/* One finding. Zero-initialise, then set what it has. Texts must live as long as the findings. */
struct ws_finding {
    enum ws_finding_kind kind;
    enum ws_finding_of of;
    double size; /* 0 to 1; of WS_FINDING_OF_NOTHING 0 */
    bool small;  /* the analysis itself calls it not worth a look */
    bool wrong;  /* what the program does is undefined: nothing is more worth knowing, whatever it costs */
    const char *title; /* what it is, in a few words: "Lanes idle at branches and loops" */
    const char
        *place; /* where: "branch at block.comp:12 (block:main)", "mesh.rchit:main"; NULL = the capture */
    const char
        *text; /* why it matters, with figures: a sentence or two, for one who has never seen the tool */
    /* Options behind "warpscope report FILE ANALYSIS", quoted for a shell: "--shader mesh.rchit:main"; NULL = none. */
    const char *options;
    const char *report;    /* the report that shows more; NULL = that of the analysis itself */
    const char *certainty; /* "certain", "likely", "possible", as advice has it; NULL = it is a figure */
    double touched;        /* share of the device time, 0 to 1; 0 = not known */
    enum ws_finding_cause cause;
    uint32_t in; /* of the cause: index in the catalog of the shader, or of the pipeline; 0 = no such */

    /* Set by ws_findings_add and ws_findings_rank. */
    const struct ws_analysis *analysis; /* that found it */
    double share;                       /* of the work or the time, or of bytes; 0 = it has no size */
    uint32_t told_by; /* index of the finding that tells it, in their order; WS_NONE = none */
};

/* What analyses have seen, for the head of the summary. 0 = not known. Those that know the same agree. */
struct ws_findings_totals {
    uint64_t slots;  /* instruction slots of all shaders */
    uint64_t active; /* of them */
    uint64_t rays;
    uint64_t threads; /* that commands launched */
    uint64_t warps;
};

/* The findings of a capture. Zero-initialised is empty. */
struct ws_findings {
    struct ws_finding *all;
    uint32_t count;
    uint32_t capacity;
    struct ws_text_pool texts;
    const struct ws_analysis *analysis; /* whose findings are added */
    struct ws_findings_totals totals;
    /* What all of a kind is of the work, 0 to 1, by enum ws_finding_of; 0 = not known. All slots that nobody weighs are
     * all of the work. */
    double weights[WS_FINDING_OFS];
    double *touched; /* by shaders of the catalog; NULL = times are not known */
    bool assumed;    /* what rays and their shaders cost is assumed, since no pass counted it */
    bool failed;     /* no memory */
};

/* Takes the times of the catalog, if it has some; before findings are added. False when there is no memory. */
bool ws_findings_take_times(struct ws_findings *findings, const struct ws_catalog *catalog);

/* What launches take of the device time whose pipelines have the shader, an index in the catalog, or WS_NONE; 0 = not
 * known. */
double ws_findings_touched(const struct ws_findings *findings, uint32_t shader);

/* Adds a finding of findings->analysis. False when there is no memory. */
bool ws_findings_add(struct ws_findings *findings, const struct ws_finding *finding);

/* A text that lives as long as the findings. "" when there is no memory; then the next ws_findings_add fails. */
__attribute__((format(printf, 2, 3))) const char *ws_findings_text(struct ws_findings *findings,
                                                                   const char *format, ...);

/* An option and its value, quoted for a shell where it must be: "--shader 'a b:main'". As above. */
const char *ws_findings_option(struct ws_findings *findings, const char *option, const char *value);

/* Joins those of one cause, and puts them in their order. Once, when all have been added. */
void ws_findings_rank(struct ws_findings *findings);

/* Whether a finding is in the list of what is most worth knowing: it is not small, no other tells it, and it is not of what
 * is spent, which stands by itself. After ws_findings_rank. */
bool ws_finding_is_listed(const struct ws_finding *finding);

/* "change", "loss", "fact" or "spent"; "work", "time" or "bytes", "" for what has no size. */
const char *ws_finding_kind_name(enum ws_finding_kind kind);
const char *ws_finding_of_name(enum ws_finding_of of);

void ws_findings_finish(struct ws_findings *findings);

#endif
