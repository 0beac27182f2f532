/* The executions that a report counted, which shaders are annotated with. Not thread-safe. */
#ifndef WS_ANALYSIS_ANNOTATE_REPORT_SIMT_H
#define WS_ANALYSIS_ANNOTATE_REPORT_SIMT_H

#include "analysis/report/report.h"
#include "analysis/simt/simt_efficiency.h"

/* What simt_efficiency found, which the report owns; NULL when the report does not have this analysis. */
static inline const struct ws_simt_results *ws_report_simt(const struct ws_report *report)
{
    return ws_report_results(report, &ws_analysis_simt_efficiency);
}

#endif
