/* Prints what an analysis found. Text, JSON and CSV say the same, from the same structs. */
#ifndef WS_ANALYSIS_REPORT_H
#define WS_ANALYSIS_REPORT_H

#include "catalog.h"
#include "overview.h"
#include "simt_efficiency.h"

/* A capture, read and analysed. */
struct ws_analysis {
    const char *path; /* as the user gave it; not owned */
    struct ws_catalog catalog;
    struct ws_overview overview;
    struct ws_simt_results simt;
};

/* Is told now and then how many bytes of the capture were read. */
typedef void ws_progress_function(void *user, uint64_t bytes);

/* Reads the whole capture at `path`. False and `error` when it cannot be read; `analysis` is then finished.
 * `progress` may be NULL. */
bool ws_analysis_read(struct ws_analysis *analysis, const char *path, ws_progress_function *progress,
                      void *user, struct ws_error *error);

/* The same of a reader that is open, and stays so. */
bool ws_analysis_run(struct ws_analysis *analysis, const char *path, struct ws_reader *reader,
                     ws_progress_function *progress, void *user, struct ws_error *error);

void ws_analysis_finish(struct ws_analysis *analysis);

/* Rows at most in the lists of the text report; "N more" says how many were left out. */
struct ws_report_limits {
    uint32_t invocations;
    uint32_t pipelines;
    uint32_t shaders;
    uint32_t blocks;
    uint32_t opcodes;
};

extern const struct ws_report_limits ws_report_usual;

/* Each prints the whole report to `stream`. False when memory ran out; errors of the stream are the
 * caller's to find. */
bool ws_report_text(const struct ws_analysis *analysis, const struct ws_report_limits *limits, FILE *stream);
bool ws_report_json(const struct ws_analysis *analysis, FILE *stream);
bool ws_report_csv(const struct ws_analysis *analysis, FILE *stream);

/* The columns of the CSV report, for --help. */
extern const char ws_report_csv_help[];

/* A kind of invocation in words: "trace rays", ... */
const char *ws_invocation_kind_name(uint32_t kind);

/* A histogram as "8:22072 4:12", most lanes first; "" when it is empty. NULL when there is no memory; freed
 * by the caller. */
char *ws_histogram_text(const struct ws_simt_histogram *histogram);

/* "file:line", "file:line-line" or "" into `place`. */
void ws_block_place(const struct ws_block_record *block, char *place, size_t size);

#endif
