/* Printing a summary, which `warpscope summary FILE` and `warpscope report FILE` without an analysis do. */
#ifndef WS_ANALYSIS_COMMAND_SUMMARY_H
#define WS_ANALYSIS_COMMAND_SUMMARY_H

#include "analysis/report/report.h"

enum ws_print_format { WS_PRINT_TEXT, WS_PRINT_JSON, WS_PRINT_CSV };

/* Prints the summary of a report, whose request asked for one, to stdout, and of CSV what was left out to stderr. `rows`:
 * --rows, as in struct ws_analysis_options. False when there is no memory. */
bool ws_print_summary(const struct ws_report *report, enum ws_print_format format, uint32_t rows);

#endif
