/* The analysis `warp_entry_exit`: whether warps stay together in a shader ("Vulkan Vision", figure 3.10), and where their
 * lanes leave it, from the rows of the pass warp_entry_exit.
 *
 * ENTRIES = executions of the entry by warps; LANES IN = their active lanes, summed.
 * RETURNS = executions by warps of the place behind the shader's main function, where its lanes come by whatever
 * return; LANES RETURNED alike.
 * PARTS PER ENTRY = returns / entries: the paper's figure. A device that keeps a warp together brings the lanes that
 * returned at different places together there, so it is 1. More: warps came apart, since the device schedules
 * threads independently. Lanes that ended early (kill, ignore intersection, ...) are in no part. So with such ends it
 * is a lower bound: a warp of which no lane returned counts as an entry, and not as a part.
 *
 * Of a shader that reorders threads (opcode.h) it is not known: its warps return with lanes of others, and as many may return
 * as entered although none stayed together.
 *
 * EXITS = executions of all ends by warps, returns at their own places and early ends of every kind; LANES OUT alike.
 * EXITS PER ENTRY = exits / entries. More than 1: lanes of a warp left at different ends, or at one end at different
 * times, such as a return in a loop. That is divergence. It says nothing of warps that come apart: in
 *
 *   if (x) return; else return;
 *
 * a warp in which x differs has 2 exits, and 1 part unless the device split it.
 *
 * Of a set of shaders (a launch, the capture) figures are taken over launched shaders: those that commands start, not
 * those that rays and executeCallable do. For the latter they are shown by themselves: there the warps that enter are
 * what control flow and the device made of them. They are not defined where threads are counted, in stages without
 * subgroup operations: nothing is known of warps.
 *
 * LANES ENDED BY A HIT = lanes of intersection shaders that did not come back from a report: their any-hit shader
 * terminated the ray, or the hit did (OpReportIntersectionKHR; counted before and after it).
 * Lanes in are lanes out and those; else ends were left out (site limits) or counts were lost, which is reported.
 * OpDemoteToHelperInvocation is the end of a lane that counts, though its code runs on (passes/primitives/lanes.glsl).
 * Sums have 64 bits.
 *
 * Where counters were sampled (--sample), each figure has a standard error (simt_sets.h): counts as counts there, and lanes
 * each, parts and exits per entry as ratios. */
#ifndef WS_ANALYSIS_SIMT_ENTRY_EXIT_H
#define WS_ANALYSIS_SIMT_ENTRY_EXIT_H

#include "warpscope/model/simt_sets.h"
#include "warpscope/report/analysis.h"

/* The ends, in the order of their tags (warpscope/passes.h). */
enum ws_end_kind {
    WS_END_RETURN,
    WS_END_KILL,
    WS_END_TERMINATE_INVOCATION,
    WS_END_DEMOTE,
    WS_END_IGNORE,
    WS_END_TERMINATE_RAY,
    WS_END_MESH_TASKS,
    WS_END_UNREACHABLE,
    WS_END_OTHER,
    WS_END_ABORT,
    WS_END_KINDS,
};

/* Executions of a place or of several, by warps; or by threads, where a stage is counted so. */
struct ws_crossings {
    uint64_t executions;
    uint64_t lanes;
};

/* What is counted at a place. */
enum ws_exit_place_kind {
    WS_EXIT_AT_ENTRY,
    WS_EXIT_AT_END,
    WS_EXIT_AT_RETURNED, /* behind the main function */
    WS_EXIT_AT_REPORT,   /* before OpReportIntersectionKHR */
    WS_EXIT_AT_REPORTED, /* after it */
};

/* A place of a module that has a row of its own. */
struct ws_exit_place {
    uint32_t row;
    enum ws_exit_place_kind at;
    enum ws_end_kind kind; /* of an end */
    const char *file;      /* NULL = not known */
    uint32_t line;
};

struct ws_exit_module {
    struct ws_exit_place *places;
    uint32_t place_count;
    bool has_returned; /* returns are counted: older captures have none */
};

struct ws_exit_shader {
    struct ws_crossings entries;
    struct ws_crossings exits;
    uint64_t report_lanes; /* before and after OpReportIntersectionKHR, as in struct ws_exit_sums */
    uint64_t reported_lanes;
    struct ws_crossings *places; /* parallel to its module's; NULL until it ran */
};

/* Dimensions and levels of the report (columns.h). A place's key is that of ws_key_in_shader, its index in
 * the module's places. */
enum ws_exit_dimension {
    WS_EXIT_LAUNCH,
    WS_EXIT_STAGE,
    WS_EXIT_SHADER,
    WS_EXIT_END, /* enum ws_end_kind */
    WS_EXIT_PLACE,
    WS_EXIT_DIMENSIONS,
};

enum ws_exit_level { WS_EXIT_BY_ALL, WS_EXIT_BY_LAUNCH, WS_EXIT_BY_SHADER, WS_EXIT_BY_PLACE };

/* What sampled counters say of the sets that a row's sums come from. */
struct ws_exit_sets {
    struct ws_simt_set_row entries;
    struct ws_simt_set_row returns;
    struct ws_simt_set_row exits;
};

/* Sums of a row. Where it is not grouped by stage or shader, of launched shaders that are counted per
 * warp. */
struct ws_exit_sums {
    struct ws_crossings entries;
    struct ws_crossings returns;
    struct ws_crossings exits;
    uint64_t report_lanes;     /* before OpReportIntersectionKHR */
    uint64_t reported_lanes;   /* after it */
    uint64_t per_thread;       /* 1: threads are counted, not warps */
    uint64_t uncounted;        /* 1: some launch of them counts no returns */
    uint64_t reordered;        /* 1: some of them reorder threads */
    struct ws_exit_sets *sets; /* NULL = nothing of it was sampled; owned by the groups */
};

struct ws_warp_entry_exit {
    const struct ws_catalog *catalog;
    const struct ws_selection *selection; /* its shaders have rows; NULL = all have */
    struct ws_groups *groups;             /* sums are struct ws_exit_sums */
    struct ws_exit_module *modules;       /* parallel to the catalog's */
    uint32_t module_count;
    struct ws_exit_shader *shaders; /* parallel to the catalog's */
    uint32_t shader_count;
};

/* `view` may be NULL. False and `error` when it asks for what there is not, or there is no memory; then
 * nothing is to be finished. */
bool ws_warp_entry_exit_begin(struct ws_warp_entry_exit *results, const struct ws_catalog *catalog,
                              const struct ws_view *view, struct ws_error *error);
bool ws_warp_entry_exit_record(struct ws_warp_entry_exit *results, const struct ws_chunk *chunk,
                               struct ws_error *error);
void ws_warp_entry_exit_finish(struct ws_warp_entry_exit *results);

/* The row of a level; NULL where there is none. */
const struct ws_exit_sums *ws_warp_entry_exit_row(const struct ws_warp_entry_exit *results,
                                                  enum ws_exit_level level, uint64_t key);

extern const struct ws_columns ws_warp_entry_exit_columns;
extern const struct ws_analysis ws_analysis_warp_entry_exit;

/* Whether commands start shaders of this stage. */
bool ws_stage_is_started(uint32_t stage);

/* Exits, or parts, per entry; false where there is none, since nothing entered. */
bool ws_per_entry(const struct ws_crossings *entries, const struct ws_crossings *crossings, double *value);

/* "return", "ignore intersection", ... */
const char *ws_end_kind_name(enum ws_end_kind kind);

#endif
