/* The analysis `advice` between the files that it is made of: what it gathers (advice_report.c) is what its text says
 * (advice_text.c). Private to analysis/advice. */
#ifndef WS_ANALYSIS_ADVICE_ADVICE_REPORT_H
#define WS_ANALYSIS_ADVICE_ADVICE_REPORT_H

#include "analysis/advice/advice.h"
#include "analysis/advice/rule.h"
#include "analysis/scene/scene_preview.h"
#include "warpscope/report/groups.h"

/* Its dimensions, and its level. */
enum { WS_ADVICE_RULE, WS_ADVICE_PIECE, WS_ADVICE_DIMENSIONS };
enum { WS_ADVICE_BY_PIECE };

#define WS_ADVICE_ROWS 30 /* of pieces, where no other number is asked for */

/* Reports that show where slots are idle; each has a pass of its name: divergence, thread_compaction. */
#define WS_ADVICE_IDLE_REPORTS 2
extern const char *const ws_advice_idle_reports[WS_ADVICE_IDLE_REPORTS];

struct ws_advice_report {
    struct ws_rays *rays; /* first: ws_rays_replay_of */
    const struct ws_catalog *catalog;
    struct ws_scene_preview *preview;
    struct ws_advice_input input;
    struct ws_shader_modules modules; /* input.modules */
    struct ws_advice_run *run;
    struct ws_advice_list *list;
    struct ws_groups *groups;       /* of its pieces, in their order */
    struct ws_advice_launch launch; /* under way */
    struct ws_simt_results simt;    /* counters of blocks */
    struct ws_reorder_results *reorder;
    struct ws_scene_matcher *own;      /* its matcher, where the preview has none */
    uint32_t table_rows;               /* ws_analysis_options.rows */
    bool fields;                       /* the user chose fields: a table of them is shown */
    uint32_t pass;                     /* index of ray_events among the capture's passes; WS_NONE */
    bool idle[WS_ADVICE_IDLE_REPORTS]; /* which of `ws_advice_idle_reports` the capture has records for */
    bool sampled;                      /* only some threads left records */
    bool truncated;                    /* records are missing */
    bool skipped;                      /* something was left uninstrumented */
    bool closed;                       /* the capture is there to its end */
    uint64_t rays_seen;
    struct ws_id_map ray_launches; /* indices of the launches that traced rays -> 1 */
    /* Device time in ns, set at the end; UINT64_MAX = not known. */
    uint64_t *shader_times; /* of the launches that each shader can have run in */
    uint64_t ray_time;      /* of the launches that traced rays */
};

/* The share of the capture's device time that the launches take which a piece is about: those whose pipelines have its
 * shader, or those that traced rays. It bounds what the change can save of the time. False where it is not known. */
bool ws_advice_time_share(const struct ws_advice_report *results, const struct ws_advice *advice,
                          double *share);

/* Prints all of the report but the heading of its capture. False if there is no memory. */
bool ws_advice_print(const void *results, FILE *stream);

#endif
