/* The analysis `thread_compaction`: paths of threads, and what compacting warps at call sites could save,
 * from the records of the pass of the same name (Vulkan Vision thesis, 3.3.2 and 3.3.4, figure 3.7 and table
 * 3.3). This is the one definition.
 *
 * A CALL SITE is a traceRay, executeCallable, hit object or ray-query proceed instruction that the entry
 * point of a shader reaches by one way: an instruction in a function that is called at two places is two call
 * sites. The LOOPS AROUND it are those of its own function and those around each OpFunctionCall on its way.
 *
 * A VISIT is one execution of a call site by the threads that could make it together. It is named by the
 * subgroup size and the ITERATION VECTOR: the iteration of each loop around the call site
 * (warpscope/spirv/sync_points.h), outermost first, with those of calling functions; in called shaders preceded by how
 * often the thread has entered the shader. Threads with equal vectors are in the same visit, whenever the
 * device executes them. So a thread that leaves an inner loop early is inactive for the rest of that loop,
 * and is back in the next outer iteration.
 *   Example: for (i) for (j < n) traceRay. Thread A has n = 1, thread B has n = 3. Visit (0,0) has A and B,
 *   visits (0,1) and (0,2) have B alone, and visit (1,0) has both again.
 *
 * The THREAD PATH of a thread at a call site is a symbol per visit, in order, of any length. 1: taken. 0: not
 * taken; it is added at a sync point (warpscope/spirv/sync_points.h) that the thread reaches, if there was no symbol
 *   - since the iteration began, at the continue target of a loop around. So an iteration of the innermost
 *     loop without the call is one 0. An iteration of an outer loop without any visit is one 0 too, whether
 *     the thread reached the inner loop or not;
 *   - since the function was entered, at the merge block of a selection around the call site, or around an
 *     OpFunctionCall on its way, if no loop of that function is around it and no loop is further in on the
 *     way. If a loop is further in there is no 0, as there is none for a selection around a loop of the same
 *     function.
 * The continue construct of a loop runs after the continue target. For call sites in it an iteration lasts
 * from one continue target to the next, or to the loop's merge block. An iteration that the thread leaves
 * without the call (break, return) is no visit.
 *
 * SEPARATORS stand between two symbols if a loop around went on to its next iteration between them, or if the
 * thread entered the called shader again: one for each loop around the call site that lies within the
 * outermost loop that went on (after a new entry: one for each loop). "1^7 | 0 1^2 || 1": of three loops,
 * first the middle one went on, then the outermost. So separators tell at which level two symbols part, not
 * how many loops ended: a 0 of an outer iteration is followed by as many as if an inner loop had been there.
 *
 * The threads of a call site are those that entered its shader. A thread that never reached the call site has
 * the empty path. In called shaders a thread has one path through all its executions. The paper has one path
 * per shader; here there is one per call site, and the path of a shader is the list of these.
 *
 * COMPACTION. For a window of w consecutive warps by warp index (replay.h):
 *   required(w)     = sum over visits and windows of ceil(active threads in the window / subgroup size)
 *   warps compacted = (required(1) - required(w)) / required(1)
 *   Example: 4 warps of 8 lanes visit with 2 threads each. required(1) = 4, required(2) = 2, required(4) = 1.
 * It is an upper bound: the cost of moving registers between lanes is not counted, nor what becomes of memory
 * accesses. A thread counts for the warp in which it was launched, also if a device runs its hit shaders in
 * another. A partial warp has only the threads that entered.
 *
 * MEMORY: see the headers of visits, threads and paths; also some 350 bytes per launch and call site, and the
 * different paths of the whole capture. Visits beyond the bound are not compacted with others, and are
 * counted in `rest`. */
#ifndef WS_ANALYSIS_COMPACTION_THREAD_COMPACTION_H
#define WS_ANALYSIS_COMPACTION_THREAD_COMPACTION_H

#include "analysis/compaction/compaction_threads.h"
#include "warpscope/report/analysis.h"

/* The most frequent paths that tables show. */
#define WS_COMPACTION_TOP 3

/* The most runs of a path that JSON and CSV write. */
#define WS_COMPACTION_RUNS 4096

/* The most frequent paths of a call site in JSON and CSV, unless --rows says otherwise. */
#define WS_COMPACTION_PATHS 100

/* The dimensions and levels of the report (report/columns.h). */
enum ws_compaction_dimension {
    WS_COMPACTION_LAUNCH,
    WS_COMPACTION_STAGE,
    WS_COMPACTION_SHADER,
    WS_COMPACTION_SITE,   /* index in sites */
    WS_COMPACTION_WINDOW, /* index of a window, or WS_WINDOW_ALL */
    WS_COMPACTION_PATH,   /* index in path_texts */
    WS_COMPACTION_DIMENSIONS,
};

enum ws_compaction_level {
    WS_COMPACTION_BY_ALL,
    WS_COMPACTION_BY_WINDOW,
    WS_COMPACTION_BY_SITE,
    WS_COMPACTION_BY_SITE_WINDOW,
    WS_COMPACTION_BY_PATH,
    WS_COMPACTION_BY_LAUNCH,
    WS_COMPACTION_BY_LAUNCH_SITE,
};

/* The windows that tables of call sites show, in warps: 2, 4, 16, 64, all. */
#define WS_COMPACTION_SHOWN 5

/* What the report adds up, of a call site with one window in one launch. */
struct ws_compaction_sums {
    uint64_t threads;  /* that entered the shader; of a path those that took it */
    uint64_t active;   /* sum over visits of the threads in each */
    uint64_t rest;     /* as in ws_compaction_figures */
    uint64_t warps;    /* required with windows of 1 */
    uint64_t required; /* with the window */
    uint64_t saved;    /* warps - required */
    uint64_t saved_in[WS_COMPACTION_SHOWN];
    uint64_t launched;  /* warps of a launch, in all stages; 0 but for whole launches */
    uint64_t truncated; /* 1: records of a launch are missing */
};

/* The figures of a call site, or of all call sites of a shader, in one launch or in all. */
struct ws_compaction_figures {
    uint64_t threads; /* that entered the shader */
    uint64_t active;  /* sum over visits of the threads in each */
    uint64_t rest;    /* visits by one warp that are beyond the bound: one required warp in every window */
    struct ws_windows windows;
    uint32_t paths; /* different ones, with the empty one */
    struct {
        uint64_t threads;
        uint32_t node;
    } top[WS_COMPACTION_TOP]; /* the most frequent paths, most frequent first; threads 0 = no path */
};

/* A call site. */
struct ws_compaction_site {
    uint32_t shader; /* index in the catalog */
    uint32_t slot;   /* index in the slots of its plan */
    struct ws_compaction_figures figures;
};

/* A shader with several call sites: the paths of its threads through all of them. Its windows are unused. */
struct ws_compaction_whole {
    uint32_t shader;
    struct ws_compaction_figures figures;
};

struct ws_compaction_launch {
    struct ws_launch_record launch; /* its texts are in the results' */
    uint32_t warps;                 /* of all stages */
    uint32_t row_first;             /* in rows: one for each call site that its threads could reach */
    uint32_t row_count;
    struct ws_windows windows;
};

struct ws_compaction_row {
    uint32_t site; /* index in sites */
    struct ws_compaction_figures figures;
};

struct ws_compaction_results {
    const struct ws_catalog *catalog;     /* not owned */
    const struct ws_selection *selection; /* likewise; NULL = all shaders */
    uint32_t user;
    uint32_t table_rows; /* --rows; 0 = the usual numbers */
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
    uint32_t window_count; /* the windows that reports show: 1, 2, ... 2^(window_count - 1), and all */
    uint64_t left_out;     /* call sites beyond the limits of a plan (model/compaction_plan.h) */
    struct ws_path_tree tree;
    struct ws_path_counts counts; /* owner: site, or WS_COMPACTION_TOTAL | shader; sorted at the end */
    struct ws_compaction_launch *launches;
    uint32_t launch_count;
    uint32_t launch_capacity;
    struct ws_compaction_row *rows;
    uint32_t row_count;
    uint32_t row_capacity;
    struct ws_groups *groups; /* sums are struct ws_compaction_sums; filled at the end */
    const char **path_texts;  /* in `texts` */
    uint32_t path_text_count;
    uint32_t path_text_capacity;

    /* The launch whose parts are being merged. */
    bool open;
    struct ws_compaction_visits visits;
    struct ws_path_counts open_counts;
    struct ws_compaction_visit_site *open_sites; /* per site */
    uint64_t *open_threads;                      /* per site */
};

/* Share of warps compacted, 0 to 1, with the window of that index: 2^window warps, or WS_WINDOW_ALL. */
double ws_compaction_saved(const struct ws_windows *windows, uint32_t window);

/* The paths of an owner, most frequent first. Valid until the results are destroyed. */
const struct ws_path_count *ws_compaction_paths(const struct ws_compaction_results *results, uint32_t owner,
                                                uint32_t *count);

extern const struct ws_analysis ws_analysis_thread_compaction;

/* Feeding it, for ws_analysis_thread_compaction and for tests. */
extern const struct ws_replay_operations ws_compaction_operations;

/* How it is shown (thread_compaction_report.c); members of struct ws_analysis. */
bool ws_compaction_findings(const void *results, struct ws_findings *findings);
const char *ws_compaction_nothing(const void *results);
bool ws_compaction_text(const void *results, FILE *stream);
void ws_compaction_notes(const void *results, FILE *stream);
bool ws_compaction_json(const void *results, struct ws_json *json);
extern const struct ws_member ws_compaction_members[]; /* of it */
bool ws_compaction_plots(const void *results, struct ws_plots *plots, struct ws_error *error);
extern const struct ws_columns ws_compaction_columns;
extern const char ws_compaction_words[];

#endif
