/* Reads a capture once, for any number of analyses (analysis.h), and prints what they found between what
 * the capture says about itself and what was left out of the numbers. */
#ifndef WS_ANALYSIS_REPORT_REPORT_H
#define WS_ANALYSIS_REPORT_REPORT_H

#include "analysis/model/catalog.h"
#include "analysis/model/overview.h"
#include "analysis/model/simt_counts.h"
#include "analysis/report/analysis.h"

/* Gets the number of bytes of the capture that have been read, now and then. */
typedef void ws_progress_function(void *user, uint64_t bytes);

/* What is asked for. Zero-initialise, then set what differs. */
struct ws_report_request {
    const struct ws_analysis *analysis; /* NULL: the first of ws_analysis_list that the capture can serve */
    bool all;                           /* instead: all that it can serve */
    struct ws_analysis_options options; /* of the analyses */
    ws_progress_function *progress;     /* may be NULL */
    void *user;                         /* for progress */
};

/* The results of one analysis. */
struct ws_report_part {
    const struct ws_analysis *analysis;
    void *results;
};

/* A capture, read and analysed. */
struct ws_report {
    const char *path; /* as the user gave it; not owned */
    struct ws_catalog catalog;
    struct ws_overview overview;
    struct ws_replay *replay; /* NULL where no analysis that was asked for has one */
    struct ws_report_part parts[WS_ANALYSES_MAX];
    size_t part_count;
    bool all;            /* every analysis was asked for */
    struct ws_view view; /* what was asked for of columns */
};

/* Reads the whole capture at `path`. `request` NULL: the first analysis that it can serve. False and
 * `error` when it cannot be read, or what was asked for is not in it; `report` is then finished. */
bool ws_report_read(struct ws_report *report, const char *path, const struct ws_report_request *request,
                    struct ws_error *error);

/* The same of a reader that is open, and stays so; `path` is used in messages only, so launches are
 * replayed by one worker. */
bool ws_report_run(struct ws_report *report, const char *path, struct ws_reader *reader,
                   const struct ws_report_request *request, struct ws_error *error);

void ws_report_finish(struct ws_report *report);

/* The results of one analysis; NULL when they were not asked for. */
const void *ws_report_results(const struct ws_report *report, const struct ws_analysis *analysis);

/* The columns of a part; NULL where its analysis has none. */
const struct ws_groups *ws_report_part_groups(const struct ws_report_part *part);

/* Each prints the whole report to `stream`. False when memory ran out; errors of the stream are the
 * caller's to find. CSV is of one analysis: the first. */
bool ws_report_text(const struct ws_report *report, FILE *stream);
bool ws_report_json(const struct ws_report *report, FILE *stream);
bool ws_report_csv(const struct ws_report *report, FILE *stream);

/* Prints the foot of the report: what the numbers leave out, and how far they can be trusted. CSV has no
 * place for it. Prints nothing when there is nothing to say. */
bool ws_report_notes(const struct ws_report *report, FILE *stream);

/* What was chosen of the warps (--threads, --pixels, --tile), each after `before`, with `after` behind it. */
void ws_report_samples(const struct ws_overview *overview, const char *before, const char *after,
                       FILE *stream);

/* Pictures of every analysis that has some, into `folder`; adds how many files were written to `*count`.
 * False and `error` when one cannot be written. */
bool ws_report_plots(const struct ws_report *report, const char *folder, size_t *count,
                     struct ws_error *error);

#define WS_HISTOGRAM_TEXT 4096 /* holds all bins that there can be */

/* A histogram as "8:22072 4:12", most lanes first; after `most` bins only how many more there are: " +3". */
void ws_histogram_text(const struct ws_simt_histogram *histogram, uint32_t most, char *text, size_t size);

/* "file:line", "file:line-line" or "" into `place`; the file without its folders. */
void ws_block_place(const struct ws_block_record *block, char *place, size_t size);

#endif
