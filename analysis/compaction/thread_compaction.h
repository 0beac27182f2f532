/* Thread compaction and thread paths, from the records of the pass thread_compaction (Vulkan Vision, 3.3.2
 * and 3.3.4, figure 3.7 and table 3.3). This is the one definition.
 *
 * A CALL SITE is a traceRay, executeCallable, hit object or ray-query proceed instruction that a shader's
 * entry point reaches, by way: in a function that is called at two places it is two. LOOPS AROUND it are
 * those of its own function and those around each OpFunctionCall on its way. A VISIT of it is named by the
 * iteration of each loop around it (passes/spirv/sync.h), outermost first, those of calling functions too, and in
 * called shaders before that by how often the thread had entered the shader; and by the subgroup size. So
 * visits of all threads are aligned, and threads that left an inner loop early are inactive for the rest of
 * it.
 *
 * THREAD PATH, per thread and call site: a symbol per visit, in order, of any length. 1: taken. 0, at a sync
 * point (passes/spirv/sync.h) that the thread came to without a symbol since
 *   - the continue target of a loop around: since that iteration of it began. So an iteration of the
 * innermost loop without the call is one 0, and so is an iteration of an outer loop without any visit,
 * whether it came to the inner loop or not;
 *   - the merge block of a selection around the call site, or around an OpFunctionCall on its way, where no
 *     loop of that function is around and none further in on the way: since that function was entered. With a
 *     loop further in there is no 0, as there is none of a selection around a loop of the same function.
 * For what is called in the continue construct of a loop, which runs after the sync point, an iteration lasts
 * from one continue target to the next, or to the loop's merge block. An iteration that was left without the
 * call (break, return) is no visit.
 *
 * SEPARATORS stand between two symbols where a loop around went on to its next iteration between them, or the
 * thread entered the called shader again: one for each loop around the call site that lies within the
 * outermost that went on (after a new entry: for each). "1^7 | 0 1^2 || 1": of three loops, the middle one
 * went on, then the outermost. So they tell at which level two symbols part, not how many loops ended: after
 * a 0 of an outer iteration stand as many as if an inner loop had been there.
 *
 * Threads are those that entered the shader; one that never came to the call site has the empty path. In
 * called shaders a thread has one path through all its executions. Unlike in the paper there is a path per
 * call site; the path through all call sites of a shader is the list of these.
 *
 * COMPACTION. For a window of w consecutive warps by warp index (replay.h):
 *   required(w)     = sum over visits and windows of ceil(active threads in the window / subgroup size)
 *   warps compacted = (required(1) - required(w)) / required(1)
 * It is an upper bound: where threads' registers are, and what memory makes of it, is not looked at. Threads
 * are of the warp in which they were launched, also where a device runs their hit shaders elsewhere. Threads
 * of partial warps exist only as far as they entered.
 *
 * MEMORY: what the headers of visits, threads and paths say, some 350 bytes per launch and call site, and
 * the different paths of the whole capture. Visits beyond the bound are compacted with nobody, and counted
 * (`rest`). */
#ifndef WS_ANALYSIS_COMPACTION_THREAD_COMPACTION_H
#define WS_ANALYSIS_COMPACTION_THREAD_COMPACTION_H

#include "analysis/compaction/compaction_threads.h"
#include "analysis/report/analysis.h"

#define WS_COMPACTION_TOP 3 /* paths shown in tables */

/* Of a call site, or several, in one launch or all. */
struct ws_compaction_figures {
    uint64_t threads; /* that entered the shader */
    uint64_t active;  /* threads, over all visits */
    uint64_t rest;    /* warps whose visits were too many to be compacted; they are in every window */
    struct ws_windows windows;
    uint32_t paths; /* different ones, the empty one included */
    struct {
        uint64_t threads;
        uint32_t node;
    } top[WS_COMPACTION_TOP]; /* most frequent first; threads 0 = none */
};

/* A call site by way. */
struct ws_compaction_site {
    uint32_t shader; /* index in the catalog */
    uint32_t slot;   /* index in the slots of its plan */
    struct ws_compaction_figures figures;
};

/* A shader with several call sites: its paths through all of them; no windows. */
struct ws_compaction_whole {
    uint32_t shader;
    struct ws_compaction_figures figures;
};

struct ws_compaction_launch {
    struct ws_launch_record launch; /* its texts are in the results' */
    uint32_t warps;                 /* of all stages */
    uint32_t row_first;             /* in rows: those of its call sites that threads could come to */
    uint32_t row_count;
    struct ws_windows windows;
};

struct ws_compaction_row {
    uint32_t site; /* index in sites */
    struct ws_compaction_figures figures;
};

struct ws_compaction_results {
    const struct ws_catalog *catalog; /* not owned */
    uint32_t user;
    uint32_t table_rows; /* 0 = the usual number */
    struct ws_text_pool texts;
    struct ws_compaction_site *sites;
    uint32_t site_count;
    uint32_t *site_first; /* per shader of the catalog: its first site; WS_NONE */
    uint32_t shader_count;
    struct ws_compaction_whole *wholes;
    uint32_t whole_count;
    uint32_t whole_capacity;
    struct ws_windows windows; /* of all sites */
    uint64_t rest;
    uint32_t window_count; /* windows 1, 2, ... 2^(window_count - 1) and all say different things */
    uint64_t left_out;     /* call sites by way that are beyond the limits of a plan */
    struct ws_path_tree tree;
    struct ws_path_counts counts; /* owner: site, or WS_COMPACTION_TOTAL | shader; sorted by end */
    struct ws_compaction_launch *launches;
    uint32_t launch_count;
    uint32_t launch_capacity;
    struct ws_compaction_row *rows;
    uint32_t row_count;
    uint32_t row_capacity;

    /* The launch whose parts come in. */
    bool open;
    struct ws_compaction_visits visits;
    struct ws_path_counts open_counts;
    struct ws_compaction_visit_site *open_sites; /* per site */
    uint64_t *open_threads;                      /* per site */
};

/* Share of warps saved with windows of index `window`; 0 where there are none. */
double ws_compaction_saved(const struct ws_windows *windows, uint32_t window);

/* The paths of an owner, most frequent first. */
const struct ws_path_count *ws_compaction_paths(const struct ws_compaction_results *results, uint32_t owner,
                                                uint32_t *count);

extern const struct ws_analysis ws_analysis_thread_compaction;

/* Feeding it, for ws_analysis_thread_compaction and for tests. */
extern const struct ws_replay_operations ws_compaction_operations;

/* How it is shown (thread_compaction_report.c); members of struct ws_analysis. */
bool ws_compaction_text(const void *results, FILE *stream);
void ws_compaction_notes(const void *results, FILE *stream);
bool ws_compaction_json(const void *results, cJSON *object);
bool ws_compaction_csv(const void *results, FILE *stream);
bool ws_compaction_plots(const void *results, struct ws_plots *plots, struct ws_error *error);
extern const char ws_compaction_csv_help[];

#endif
