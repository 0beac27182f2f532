/* The analysis `execution_trace`: how long threads and warps lived, what a chosen thread or warp ran, which work ids
 * make a warp, and where in the launch most was executed.
 *
 * LIFETIME of a thread: the block executions in which its lane was active, in all shaders that ran on its
 * behalf. Of a warp: the block executions of the contexts (records.h) whose lowest lane belongs to it,
 * however many lanes were active. So a hit shader that the device ran in another warp counts for each of its
 * threads, and for one warp. Both are summed up by launched shader; median and 90 % are the smallest lifetime
 * that at least 50 and 90 of 100 do not exceed.
 *
 * SHADER EXECUTIONS of a thread: the contexts that it entered. Of a warp: those that are counted for it.
 *
 * Contexts whose threads were never seen to be launched (sampling, lost records) count for none.
 *
 * MEMORY: 8 words per thread and 12 per warp of the launch that is being replayed, by pages of what the
 * worker has; a few hundred bytes per launch; a counter per lifetime that occurs; with --plots the
 * pictures. */
#ifndef WS_ANALYSIS_TRACE_EXECUTION_TRACE_H
#define WS_ANALYSIS_TRACE_EXECUTION_TRACE_H

#include "analysis/model/trace_counts.h"
#include "analysis/report/analysis.h"
#include "analysis/trace/trace_path.h"
#include "analysis/trace/trace_work_map.h"
#include "warpscope/records.h"

/* Stages that are called on behalf of a thread, as they are numbered in the arrays of executions. */
#define WS_TRACE_CALLED 5

/* Number of a called stage; WS_NONE: the stage is launched. */
uint32_t ws_trace_called(uint32_t stage);
uint32_t ws_trace_called_stage(uint32_t number);

/* Most pictures, and most pixels in all of them: a launch of any size is shown by a bounded number of files.
 */
#define WS_TRACE_PICTURES 4
#define WS_TRACE_PIXELS   (UINT64_C(4096) * 2304)

#define WS_TRACE_MOST 5 /* places in a list of the largest */
#define WS_TRACE_PATHS                                                                                       \
    16                     /* threads with the chosen work id (or warps of the chosen index) that are shown  \
                            */
#define WS_TRACE_LINES 400 /* of one trace, where the user does not say */

/* Where a large figure was found. */
struct ws_trace_place {
    uint64_t value;
    uint64_t launch;
    uint32_t work[3]; /* of the thread, or the lowest of the warp */
    uint32_t warp;    /* index */
};

/* The largest, largest first; of equals that of the earlier launch and lower work id. Each work id once,
 * with the largest that it had in any launch. */
struct ws_trace_most {
    struct ws_trace_place places[WS_TRACE_MOST];
    uint32_t count;
};

/* Threads or warps. */
struct ws_trace_population {
    struct ws_trace_counts lifetimes;
    struct ws_trace_summary summary; /* of lifetimes; from the end of the capture */
    struct ws_trace_most blocks;
    struct ws_trace_most executions;
    uint64_t called[WS_TRACE_CALLED]; /* executions of called shaders, per stage */
};

/* A launched shader, over all launches. */
struct ws_trace_stage {
    uint32_t shader; /* index in the catalog */
    uint32_t stage;  /* enum ws_stage */
    uint64_t launches;
    uint64_t truncated; /* of these: part of the records is missing */
    uint64_t regrouped; /* called contexts that the device regrouped */
    uint64_t called;    /* called contexts */
    struct ws_trace_population threads;
    struct ws_trace_population warps;
};

/* A launched shader in one launch. */
struct ws_trace_shader {
    uint32_t shader;
    uint32_t stage;
    uint64_t regrouped;
    struct ws_trace_summary threads;
    struct ws_trace_summary warps;
    struct ws_trace_work_map work;
};

struct ws_trace_launch {
    struct ws_launch_record launch; /* its texts are in the results' */
    struct ws_trace_shader *shaders;
    uint32_t shader_count;
    uint32_t shader_capacity;
};

/* What is drawn of a launched shader: the sums over all launches of the same size. Arrays are of width x
 * height, row by row. Those of blocks are WS_TRACE_NOTHING where no thread was; the others are read only
 * where thread_blocks is not that, and are NULL where all is 0. */
struct ws_trace_picture {
    uint32_t shader;
    uint32_t stage;
    uint32_t kind;
    uint32_t size[3];   /* of the launches */
    uint32_t first[3];  /* work ids that are drawn: first .. first + extent - 1 */
    uint32_t extent[3]; /* as stages lie: pixels of fragments */
    uint32_t width;
    uint32_t height;
    uint32_t columns; /* slices (z) side by side; 0 = the launch has one dimension, folded into rows */
    uint64_t launches;
    uint64_t last;       /* index of the last of them */
    uint64_t outside;    /* threads with other work ids */
    uint64_t map_launch; /* index of the first */
    uint64_t *map;       /* warp indices in the first; NULL for fragments */
    uint64_t *thread_blocks;
    uint64_t *warp_blocks;
    uint32_t *thread_executions[WS_TRACE_CALLED + 1]; /* per called stage; the last: all shaders */
    uint32_t *warp_executions[WS_TRACE_CALLED + 1];
};

#define WS_TRACE_NOTHING UINT64_MAX

/* Warps of the chosen index, by the number in which each appeared in its launch. */
struct ws_trace_chosen {
    uint64_t launch;
    uint32_t number;
};

struct ws_trace_results {
    const struct ws_catalog *catalog; /* not owned */
    struct ws_analysis_options options;
    uint32_t user;
    char *sampled; /* which threads were asked for when recording; NULL = all */
    struct ws_text_pool texts;
    struct ws_trace_stage *stages;
    uint32_t stage_count;
    uint32_t stage_capacity;
    struct ws_trace_launch *launches;
    uint32_t launch_count;
    uint32_t launch_capacity;
    struct ws_trace_picture pictures[WS_TRACE_PICTURES];
    uint32_t picture_count;
    uint64_t pictures_left_out; /* launches that are in no picture, for want of room */
    bool ended;

    /* The launch being merged: lifetimes of its launches. */
    struct ws_trace_counts *open_threads;
    struct ws_trace_counts *open_warps;
    uint32_t open_count;
    bool open;

    /* --thread, --warp */
    struct ws_trace_chosen *chosen;
    uint32_t chosen_count;
    uint32_t chosen_capacity;
    struct ws_trace_path *paths[WS_TRACE_PATHS];
    uint32_t path_count;
    uint64_t paths_left_out; /* of the launch that is shown */
    uint64_t path_launches;  /* others in which it ran, */
    uint64_t path_last;      /* and the last of them */
};

/* Whether any trace is asked for. */
bool ws_trace_is_chosen(const struct ws_trace_results *results);

/* trace_part.c: what the replay feeds. */
extern const struct ws_replay_operations ws_trace_replay;

/* trace_plots.c. The picture of a launch, made where plots are wanted and there is room; NULL where not, or
 * the stage has none, or there is no memory, which is told apart. `first`, `last`: the work ids seen. */
struct ws_trace_picture *ws_trace_picture_of(struct ws_trace_results *results,
                                             const struct ws_launch_record *launch,
                                             const struct ws_trace_shader *launched, const uint32_t first[3],
                                             const uint32_t last[3], bool *no_memory);

/* A thread with its warp's index and what both executed. */
struct ws_trace_pixel {
    const uint32_t *work;
    uint64_t launch;
    uint64_t warp;
    uint64_t blocks;
    const uint32_t *executions; /* per called stage */
    uint64_t warp_blocks;
    const uint32_t *warp_executions;
};

/* False when there is no memory. */
bool ws_trace_picture_add(struct ws_trace_picture *picture, const struct ws_trace_pixel *pixel);
void ws_trace_picture_finish(struct ws_trace_picture *picture);

bool ws_trace_plots(const void *results, struct ws_plots *plots, struct ws_error *error);

/* "raygen path_tracer:main" */
void ws_trace_shader_text(const struct ws_catalog *catalog, uint32_t shader, char *text, size_t size);

/* Why a stage has no pictures, or its work ids say nothing about how warps are made; NULL where they do. */
const char *ws_trace_no_picture(uint32_t stage);
const char *ws_trace_no_map(uint32_t stage);

/* Notes that every form of the report gives to a launch or stage: "" where there is nothing to say. */
void ws_trace_note(bool truncated, uint64_t regrouped, uint64_t called, char *text, size_t size);

/* execution_trace_report.c */
bool ws_trace_text(const void *results, FILE *stream);
void ws_trace_notes(const void *results, FILE *stream);
bool ws_trace_json(const void *results, cJSON *object);
bool ws_trace_csv(const void *results, FILE *stream);
extern const char ws_trace_csv_help[];

/* trace_path_text.c */
bool ws_trace_text_paths(const struct ws_trace_results *results, FILE *stream);

#endif
