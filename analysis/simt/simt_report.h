/* The kind of report `simt_efficiency`: prints what the analysis of the same name found (simt_efficiency.h).
 * Text, JSON and CSV say the same, from the same structs. */
#ifndef WS_ANALYSIS_SIMT_SIMT_REPORT_H
#define WS_ANALYSIS_SIMT_SIMT_REPORT_H

#include "analysis/output/json.h"
#include "analysis/report/analysis.h"
#include "analysis/report/report.h"
#include "analysis/simt/simt_efficiency.h"

extern const struct ws_analysis ws_analysis_simt_efficiency;

/* What was found; NULL when the kind was not asked for. */
const struct ws_simt_results *ws_report_simt(const struct ws_report *report);

/* Rows at most in the lists of the text report; "N more" says how many were left out. */
struct ws_report_limits {
    uint32_t launches;
    uint32_t pipelines;
    uint32_t shaders;
    uint32_t blocks;
    uint32_t opcodes;
};

/* The parts of the kind. Each false when memory ran out. */
bool ws_simt_text(const struct ws_simt_results *results, const struct ws_report_limits *limits, FILE *stream);
bool ws_simt_json(const struct ws_simt_results *results, struct ws_json *json);
bool ws_simt_csv(const struct ws_simt_results *results, FILE *stream);

/* Lines for the report's foot. */
void ws_simt_notes(const struct ws_simt_results *results, FILE *stream);

extern const char ws_simt_csv_help[];

#endif
