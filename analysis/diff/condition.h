/* Conditions on what changed, for continuous integration: `--fail-if 'efficiency<-2%'`.
 *
 *     CONDITION   FIGURE[@ROW] COMPARISON NUMBER[%]
 *     FIGURE      FIELD, ANALYSIS.FIELD or ANALYSIS.TABLE.FIELD, named as in JSON
 *     ROW         a pattern (*, ?, []) for the name of a row, as the comparison shows it; without it, the total
 *     COMPARISON  <  <=  >  >=  =  !=
 *
 * What is compared is the change from A to B (diff.h): with "%" the change in percent, of shares in points; without it the
 * difference B - A, in the figure's own unit. What changed by no more than its noise (diff.h) did not change. Where the
 * spread of device times is not known, they are compared as they are: the condition's number is all that separates a change
 * from noise. Counts of samples of other threads are refused.
 *
 * Where the error of a figure from drawn warps is not known (diff.h), the condition is neither true nor false of that row,
 * unless both values are equal: then nothing changed. One row for which it is true decides; without one, a row that is not
 * known is an error. A check that passed would promise what nobody can know; one that failed would take chance for a change.
 *
 * Small changes count. With a pattern, one row for which it is true is enough.
 *
 * A FIELD alone means the analysis that has it among its main figures, the first of `warpscope list analyses`; else the only
 * one that has it in its total, or with a ROW in any table. Without TABLE, ROW is looked for in the tables of the analysis,
 * and the first that has such a row is meant.
 *
 *   efficiency<-2%                                  active lanes of all executions: 75 % -> 72.9 %
 *   any_hits@*>10%                                  any row of the first table of ray_events with rows
 *   simt_efficiency.shaders.instructions@*rgen*>5%  the instructions of a raygen shader
 *
 * Nothing here is thread-safe. */
#ifndef WS_ANALYSIS_DIFF_CONDITION_H
#define WS_ANALYSIS_DIFF_CONDITION_H

#include "analysis/diff/diff.h"

#define WS_DIFF_CONDITIONS_MAX 32

struct ws_diff_condition {
    const char *text; /* as the user gave it; not owned */
    const struct ws_analysis *analysis;
    char table[WS_NAME_SIZE]; /* "" = the total, or with `row` the first that has such a row */
    char field[WS_NAME_SIZE];
    char row[256]; /* "" = none */
    enum ws_comparison comparison;
    double number; /* a share for percent */
    bool percent;
    /* Set by ws_diff_condition_check. */
    bool holds;
    bool unknown;                 /* nothing tells whether it holds for some row */
    struct ws_diff_figure figure; /* for which it holds, else the first that was looked at */
};

/* Reads a condition. False and `error` where it is wrong, or names no figure: then near names are said. */
bool ws_diff_condition_parse(struct ws_diff_condition *condition, const char *text, struct ws_error *error);

/* Looks whether it holds. False and `error` where the captures do not have the figure, or one of them is cut short, damaged, or
 * lost some of the records that the figure is made of. */
bool ws_diff_condition_check(struct ws_diff_condition *condition, const struct ws_diff *diff,
                             struct ws_error *error);

/* Prints every figure that a condition can name, with what it is; lines at most `width` wide. */
void ws_diff_figures_print(size_t width, FILE *stream);

#endif
