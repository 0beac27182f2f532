/* The summary of a capture, on one screen: what it is of, what is most worth knowing over all analyses (findings.h), what
 * else was recorded and what was not, and what was left out or lost.
 *
 * It is made of a report whose request asks for the summary (report.h): the capture is read once, as for `report FILE
 * all`. An analysis that takes far longer than the others has no findings, and is left to its own report.
 *
 * Nothing here is thread-safe. */
#ifndef WS_ANALYSIS_SUMMARY_SUMMARY_H
#define WS_ANALYSIS_SUMMARY_SUMMARY_H

#include "analysis/report/report.h"
#include "warpscope/report/findings.h"

/* How many findings the text shows unless the user says otherwise (--rows). */
#define WS_SUMMARY_ROWS 5

struct ws_summary {
    const struct ws_report *report; /* not owned */
    struct ws_findings findings;    /* in their order */
    /* How many there are, but for those of what is spent: worth showing, that is neither small nor told by others; small. */
    uint32_t shown;
    uint32_t small;
};

/* Asks every analysis of the report for its findings. False when there is no memory; then nothing is to be finished. The
 * report must outlive the summary. */
bool ws_summary_init(struct ws_summary *summary, const struct ws_report *report);
void ws_summary_finish(struct ws_summary *summary);

/* Whether no launch is in the capture, though all of it was read: none ran an instrumented shader, or none was chosen. The
 * second is what the summary says then, and the page with it (viewer/overview/findings.js). */
bool ws_summary_is_empty(const struct ws_summary *summary);
#define WS_SUMMARY_EMPTY "The capture holds no launch: no figure can be told."

/* What rays take of the work besides the slots of shaders: their ways through the scene and the calls of shaders that they
 * run, as advice takes them (analysis/advice/cost.h), 0 to 1. 0 where there are no rays, or slots were not counted.
 * Example: 2000 slots and a ray that calls one shader, 500 + 100: 600 of 2600, 0.23. */
double ws_summary_rays_share(const struct ws_summary *summary);

/* The command that shows more of a finding, to be typed as it is: "warpscope report run.wscope divergence --shader
 * mesh.rchit:main". The caller frees it. NULL when there is no memory. */
char *ws_summary_command(const struct ws_summary *summary, const struct ws_finding *finding);

/* Each prints the whole summary. Text is `width` columns wide, but for commands, and shows `rows` findings (0 = the usual
 * number, UINT32_MAX = all, the small ones too); CSV is one table of all findings; JSON has the shape of every report
 * (report.h), with what is in the text as the analysis "summary". False when there is no memory. Errors of the stream are
 * for the caller to find. */
bool ws_summary_text(const struct ws_summary *summary, uint32_t rows, size_t width, FILE *stream);
bool ws_summary_csv(const struct ws_summary *summary, FILE *stream);
bool ws_summary_json(const struct ws_summary *summary, FILE *stream);
extern const struct ws_member ws_summary_members[]; /* of analyses.summary in it */

/* The i-th analysis, from 0, that the capture does not have what it needs for, and what it would tell; NULL when there
 * are no more. Where no shader traces rays or runs callables, what tells of these is not missing. */
const struct ws_analysis *ws_summary_missing(const struct ws_report *report, size_t i);

/* What was left out or lost, and of what the records are a part, as a list of objects {label, text}, which the caller owns;
 * empty where nothing was. NULL when there is no memory. */
cJSON *ws_summary_remarks(const struct ws_report *report);

/* Prints what was left out or lost, and of what the records are a part: a line for each; one line
 * where nothing was. `width` as above. False when there is no memory. */
bool ws_summary_trust(const struct ws_report *report, size_t width, FILE *stream);

#endif
