/* Reads a capture once, for any number of analyses (analysis.h), and prints their results.
 *
 * A text report has three parts. The head describes the capture: program, device, number of launches and so
 * on. The results of each analysis follow. The foot says what the figures leave out, and how far to trust
 * them.
 *
 * JSON has one shape, whatever was asked for:
 *
 *     {
 *       "format": "warpscope-report", "version": 1,
 *       "capture":   {"file": ..., "application": ..., "passes": [...], "devices": [...], ...},
 *       "selection": {"thread": null, "by": null, "fields": null, "filters": [], ...},
 *       "analyses":  {"divergence": {"total": {...}, "stages": [{...}, ...], "shaders": [...], ...}, ...},
 *       "losses":    {"cut_short": false, "left_out": [...], "messages": [...], ...}
 *     }
 *
 * `capture` says what was recorded, `selection` what was asked for, `losses` what the figures leave out. Each
 * analysis is an object of tables, and of members that are no tables. A table is a list of rows, each an object; the
 * table `total` is one such object. A row has the same names and values as the row of CSV: columns.h has the rules.
 * With --by an analysis has one table, `rows`, and nothing else; with --fields rows have those members only.
 *
 * A member is always there, with null for no value: an empty list is a table without rows. Shares are from 0 to 1,
 * sizes are bytes, members that end in _ns are nanoseconds, ids are those of the capture. No number is infinite or no
 * number. Integers have all their digits (json.h). `version` changes when a member goes or changes its meaning, not
 * when one comes. The schema (schema.h) has each member with its meaning.
 *
 * Nothing here is thread-safe. */
#ifndef WS_ANALYSIS_REPORT_REPORT_H
#define WS_ANALYSIS_REPORT_REPORT_H

#include "warpscope/model/catalog.h"
#include "warpscope/model/overview.h"
#include "warpscope/model/simt_counts.h"
#include "warpscope/report/analysis.h"

#define WS_REPORT_FORMAT  "warpscope-report"
#define WS_REPORT_VERSION 1

/* Called after each chunk of the capture. `bytes` is how much of the capture has been read so far. */
typedef void ws_progress_function(void *user, uint64_t bytes);

/* Called when work begins that reads nothing of the capture. `what` says what it is: "working on retrace". */
typedef void ws_phase_function(void *user, const char *what);

/* Zero-initialise, then set what differs. */
struct ws_report_request {
    /* NULL = the first analysis of ws_analysis_list that the capture can serve. */
    const struct ws_analysis *analysis;
    bool all; /* all analyses that the capture can serve; only if `analysis` is NULL */
    /* All analyses that the capture can serve and that have findings, which may be none; only if `analysis` is NULL. */
    bool summary;
    /* These, where the capture can serve them, which may be none of them; NULL after the last. Only if `analysis` is
     * NULL. It need not list what ws_analysis_list has. At most WS_ANALYSES_MAX. */
    const struct ws_analysis *const *list;
    struct ws_analysis_options options; /* given to each analysis; `path` and `view.rows` are set here */
    /* Path of another capture of the same program, from which the launches get their device times (times_join.h); NULL
     * = the capture's own times, if it has some. */
    const char *times;
    ws_progress_function *progress; /* NULL = none */
    ws_phase_function *phase;       /* NULL = none */
    void *user;                     /* given to `progress` and `phase` */
};

/* The results of one analysis. */
struct ws_report_part {
    const struct ws_analysis *analysis;
    void *results; /* made by its `create`; owned */
};

/* An analysis that could not be brought to its end, and why. */
struct ws_report_given_up {
    const struct ws_analysis *analysis;
    struct ws_error error;
};

/* A capture, read and analysed. */
struct ws_report {
    const char *path; /* as the user gave it; not owned */
    struct ws_catalog catalog;
    struct ws_selection selection; /* what of the capture the report is of */
    struct ws_overview overview;   /* of that */
    struct ws_replay *replay;      /* NULL = no analysis in this report uses the replay */
    struct ws_report_part parts[WS_ANALYSES_MAX];
    size_t part_count;
    struct ws_scene_preview *preview; /* that parts share and own; NULL = none */
    struct ws_report_given_up given_up[WS_ANALYSES_MAX];
    size_t given_up_count;
    /* Why only a part of the capture was read (warpscope/capture/budget.h); "" = all of it was. */
    struct ws_error stopped;
    bool all;                           /* the request asked for all analyses */
    bool summary;                       /* it asked for all that have findings */
    struct ws_analysis_options options; /* of the request; texts are not owned */
    struct ws_view view;                /* --by, --sort, --fields and --filter of it */
};

/* Whether the report has all of the capture, and all analyses that were asked for. */
static inline bool ws_report_is_whole(const struct ws_report *report)
{
    return report->stopped.message[0] == '\0' && report->given_up_count == 0;
}

/* Reads the capture at `path` and runs the analyses of `request` on it. Of several analyses those that fail,
 * such as for want of memory, are given up, and the others go on. `request` NULL asks for the first
 * analysis that the capture can serve. False and `error` if the capture cannot be read, or cannot serve the
 * request. Then `report` needs no ws_report_finish. `path` and the texts of `request` must live as long as
 * the report. */
bool ws_report_read(struct ws_report *report, const char *path, const struct ws_report_request *request,
                    struct ws_error *error);

/* Does the same with an open reader, which stays open and belongs to the caller. `path` is only shown in
 * messages. As there is no file for further workers to read, one worker replays all launches. */
bool ws_report_run(struct ws_report *report, const char *path, struct ws_reader *reader,
                   const struct ws_report_request *request, struct ws_error *error);

/* Frees all that the report owns. */
void ws_report_finish(struct ws_report *report);

/* Returns the results of an analysis, which the report owns; NULL if the report does not have that
 * analysis. */
const void *ws_report_results(const struct ws_report *report, const struct ws_analysis *analysis);

/* Returns the sums of a part by its columns (columns.h); NULL if its analysis has no columns. */
const struct ws_groups *ws_report_part_groups(const struct ws_report_part *part);

/* Whether the capture ends before its end; then `text` says where, what is here, and what to do: one sentence after another,
 * without the last full stop. `size` is WS_CUT_SHORT_MAX. */
#define WS_CUT_SHORT_MAX 512
bool ws_report_cut_short(const struct ws_overview *overview, char *text, size_t size);

/* Whether a capture is cut short or damaged, and in `text` what of it is missing: "it breaks off behind byte 1200; it has 3
 * launches, and what came later is missing". `size` is WS_CUT_SHORT_MAX. */
bool ws_report_not_whole(const struct ws_overview *overview, char *text, size_t size);

/* Whether figures of records are of a part of what was recorded: some did not fit, could not be read, or contradict their
 * shader. Then `text` says how much, and what to do, without a full stop. False where no analysis read records. */
#define WS_LOST_MAX 256
bool ws_report_lost(const struct ws_report *report, char *text, size_t size);

/* Each prints the whole report to `stream`. CSV contains only the first analysis of the report. False if
 * memory ran out. Errors of the stream are for the caller to find (ferror). */
bool ws_report_text(const struct ws_report *report, FILE *stream);
bool ws_report_json(const struct ws_report *report, FILE *stream);
bool ws_report_csv(const struct ws_report *report, FILE *stream);

/* Writes the member of `analyses` that a part is, as JSON of its own: {"divergence": {...}}. Its tables have their first `most`
 * rows alone. False if memory ran out. */
bool ws_report_json_part(const struct ws_report *report, const struct ws_report_part *part, uint32_t most,
                         FILE *stream);

/* Writes each table of each analysis into a file of its own in `folder`, which is made if there is none:
 * divergence-shaders.csv has the rows of the table `shaders` in JSON. With --thread or --warp, execution_trace writes
 * execution_trace-steps.csv in place of its tables. Files of these names are replaced, others are left. `*count`
 * receives the number of files. False and `error` if one cannot be written; then the folder is as it was. */
bool ws_report_csv_folder(const struct ws_report *report, const char *folder, size_t *count,
                          struct ws_error *error);

/* For other commands that write JSON of a report: the members before `analyses`, and those behind it. The second
 * returns false if memory ran out. Between them the command writes members of its own. */
extern const struct ws_member ws_report_members[]; /* all of them but `format` and `version` */
void ws_report_json_begin(const struct ws_report *report, struct ws_json *json, FILE *stream);
bool ws_report_json_end(const struct ws_report *report, struct ws_json *json);

/* The member `capture` of the report; the caller owns it. NULL without memory. */
extern const struct ws_member ws_report_capture_members[];
struct cJSON *ws_report_json_capture(const struct ws_report *report);

/* Prints the head of the report: the capture, its program, devices and contents. */
void ws_report_head(const struct ws_report *report, FILE *stream);

/* Prints when a recording began (ns since 1970), with `before` in front; nothing where that is not known. */
void ws_report_start(uint64_t start, const char *before, FILE *stream);

/* Prints the foot of the report: what the figures leave out, and how far to trust them. Prints nothing if the
 * figures are complete. For a report in CSV, which has no place for a foot. False if memory ran out. */
bool ws_report_notes(const struct ws_report *report, FILE *stream);

/* Prints each setting that chose which warps leave records (--threads, --pixels, --tile), with `before` in
 * front of it and `after` behind it. Prints nothing if all warps left records. */
void ws_report_samples(const struct ws_overview *overview, const char *before, const char *after,
                       FILE *stream);

/* Whether only some warps left records, by these settings. */
bool ws_report_is_sample(const struct ws_overview *overview);

/* One warp in how many was counted (--sample); 1 = all. */
uint32_t ws_report_sampled(const struct ws_overview *overview);

/* Where records did not fit: writes which --tile would have, as the end of a sentence, to `text`; "" where it is not known,
 * or a sample was recorded already. Returns `text`. */
const char *ws_report_tile(const struct ws_report *report, const struct ws_replay_losses *losses, char *text,
                           size_t size);

/* Writes the pictures of every analysis that draws some into `folder`, and the page index.html that shows them all. Adds the
 * number of picture files written to `*count`, also if a later one fails; where it is 0 there is no page. False and `error`
 * if a picture cannot be written. */
bool ws_report_plots(const struct ws_report *report, const char *folder, size_t *count,
                     struct ws_error *error);

#endif
