/* The analysis `execution_trace`: how long threads and warps live, what a chosen thread or warp executes,
 * which work ids make a warp, and where in a launch most is executed.
 *
 * LIFETIME of a thread: the block executions in which its lane is active, in all shaders that run for it.
 * LIFETIME of a warp: the block executions of its contexts (replay.h). Each counts once, however many lanes
 * are active. A context belongs to the warp of its lowest lane.
 *   Example: a raygen warp of 4 threads executes two blocks with all lanes; one thread hits something, and
 *   its hit shader executes three blocks. That thread lives 5 blocks, the other three live 2, and the warp
 *   lives 5. A device may run one hit shader for threads of two warps. Then each block counts for every
 *   thread in it, but for one warp only.
 * Lifetimes are summed by launched shader. The median and the 90 % value are the smallest lifetime that at
 * least 50 and 90 of 100 threads (or warps) do not exceed.
 *
 * SHADER EXECUTIONS of a thread: the contexts that it enters. Of a warp: the contexts that belong to it.
 *
 * WARP SLOTS: SubgroupSize x the instructions of each block execution that belongs to the warp, and of these the active
 * ones: those of lanes that are active in it. Active divided by slots is the warp's efficiency, as simt_efficiency and
 * divergence define it for shaders.
 *
 * A context counts for nobody if the capture does not show the launch of its threads (sampling, lost
 * records).
 *
 * MEMORY: 8 words per thread and 16 per warp of the launch being replayed, in pages, for what a worker has
 * seen; a few hundred bytes per launch; a counter per different lifetime; with --plots the pictures. */
#ifndef WS_ANALYSIS_TRACE_EXECUTION_TRACE_H
#define WS_ANALYSIS_TRACE_EXECUTION_TRACE_H

#include "analysis/trace/trace_path.h"
#include "analysis/trace/trace_work_map.h"
#include "warpscope/base/id_map.h"
#include "warpscope/model/trace_counts.h"
#include "warpscope/model/work_grid.h"
#include "warpscope/records.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/sought.h"

/* How many stages are called by other shaders. Arrays of executions have an element for each. */
#define WS_TRACE_CALLED 5

/* The element of a called stage; WS_NONE for a stage whose threads are launched. */
uint32_t ws_trace_called(uint32_t stage);
uint32_t ws_trace_called_stage(uint32_t number);

/* The most pictures, and the most pixels of all of them together: they bound memory and files of --plots. */
#define WS_TRACE_PICTURES 4
#define WS_TRACE_PIXELS   (UINT64_C(4096) * 2304)

/* Places in a list of the largest values. */
#define WS_TRACE_MOST 5

/* The most threads of the chosen work id, or warps of the chosen index, whose traces are shown. */
#define WS_TRACE_PATHS 16

/* The lines of one trace as text, unless --rows says otherwise. JSON and CSV have all steps. */
#define WS_TRACE_LINES 400

/* A value of a thread or warp, and whose it is. */
struct ws_trace_place {
    uint64_t value;
    uint64_t launch;
    uint32_t work[3]; /* of the thread; of a warp the lowest of its threads */
    uint32_t warp;    /* index of the warp, or of the thread's warp */
};

/* The largest values, largest first. Of equal values the earlier launch comes first, then the lower work id.
 * A work id is listed once, with the largest value that it has in any launch. */
struct ws_trace_most {
    struct ws_trace_place places[WS_TRACE_MOST];
    uint32_t count;
};

/* What is counted of the threads of a launched shader, or of its warps. */
struct ws_trace_population {
    struct ws_trace_counts lifetimes;
    struct ws_trace_summary summary; /* of the lifetimes; set at the end of the capture */
    struct ws_trace_most blocks;
    struct ws_trace_most executions;
    uint64_t called[WS_TRACE_CALLED]; /* executions of called shaders, per stage */
};

/* A launched shader, summed over all its launches. */
struct ws_trace_stage {
    uint32_t shader; /* index in the catalog */
    uint32_t stage;  /* enum ws_stage */
    uint64_t launches;
    uint64_t truncated; /* launches of which records are missing */
    uint64_t regrouped; /* called contexts that the device regrouped (replay.h) */
    uint64_t called;    /* called contexts: executions of the shaders that it calls */
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

/* The pictures of a launched shader: sums over all its launches of one size. Each array has width x height
 * pixels, row by row. Arrays of blocks are WS_TRACE_NOTHING at pixels without a thread. Arrays of executions
 * hold for pixels where thread_blocks is not WS_TRACE_NOTHING; NULL stands for an array of 0. */
struct ws_trace_picture {
    uint32_t shader;
    uint32_t stage;
    uint32_t kind;
    uint32_t size[3]; /* of the launches */
    uint32_t base[3]; /* likewise */
    struct ws_work_grid grid;
    uint64_t launches;
    uint64_t last;       /* index of the last launch */
    uint64_t outside;    /* threads whose work ids are not drawn */
    uint64_t map_launch; /* index of the first launch */
    uint64_t *map;       /* the warp index of each thread of the first launch; NULL for fragments */
    uint8_t *lanes;      /* its lane there, where it has a warp */
    uint64_t *thread_blocks;
    uint64_t *warp_blocks;
    uint64_t *warp_slots; /* of the thread's warp, as WARP SLOTS above; 0 where there is no thread */
    uint64_t *warp_active;
    uint32_t *thread_executions[WS_TRACE_CALLED + 1]; /* per called stage; the last element: of all shaders */
    uint32_t *warp_executions[WS_TRACE_CALLED + 1];
};

#define WS_TRACE_NOTHING UINT64_MAX

/* A warp that --warp chooses: the warp that is `number`th to appear in the launch's records. */
struct ws_trace_chosen {
    uint64_t launch;
    uint32_t number;
};

/* The dimensions and levels of the report (report/columns.h). */
enum ws_trace_dimension {
    WS_TRACE_LAUNCH,
    WS_TRACE_STAGE,
    WS_TRACE_SHADER,     /* the launched one */
    WS_TRACE_BY_CALLED,  /* number of a called stage */
    WS_TRACE_BY_BLOCKS,  /* a lifetime */
    WS_TRACE_MOST_PLACE, /* index in `listed` */
    WS_TRACE_DIMENSIONS,
};

enum ws_trace_level {
    WS_TRACE_LEVEL_ALL,
    WS_TRACE_LEVEL_SHADER,
    WS_TRACE_LEVEL_LAUNCH,
    WS_TRACE_LEVEL_LAUNCH_SHADER,
    WS_TRACE_LEVEL_CALLED,
    WS_TRACE_LEVEL_BLOCKS,
    WS_TRACE_LEVEL_MOST,
};

/* What the report adds up, of a launched shader in a launch. */
struct ws_trace_sums {
    uint64_t launches;
    uint64_t threads;
    uint64_t thread_blocks; /* sum of their lifetimes */
    uint64_t warps;
    uint64_t warp_blocks;
    uint64_t called_by_threads; /* executions of called shaders */
    uint64_t called_by_warps;
    uint64_t regrouped;
    uint64_t truncated; /* launches of which records are missing */
    uint64_t full;      /* warps with a thread in each lane, */
    uint64_t partial;   /* and the others */
};

/* A place in a list of the largest values, as the report numbers them. */
struct ws_trace_listed {
    const char *of; /* "threads blocks", "warps blocks", "threads shaders", "warps shaders" */
    uint32_t shader;
    struct ws_trace_place place;
};

/* A launched shader of the launch that is being merged. */
struct ws_trace_open {
    struct ws_trace_counts threads; /* lifetimes */
    struct ws_trace_counts warps;
    uint64_t called_by_threads[WS_TRACE_CALLED];
    uint64_t called_by_warps[WS_TRACE_CALLED];
};

struct ws_trace_results {
    const struct ws_catalog *catalog; /* not owned */
    struct ws_groups *groups;         /* sums are struct ws_trace_sums */
    struct ws_trace_listed *listed;
    uint32_t listed_count;
    uint32_t listed_capacity;
    struct ws_analysis_options options;
    uint32_t user;
    char *sampled; /* the settings that chose threads when recording, "tile 4x4"; NULL = all threads */
    struct ws_text_pool texts;
    struct ws_trace_stage *stages;
    struct ws_id_map stages_at; /* shader -> index in stages */
    uint32_t stage_count;
    uint32_t stage_capacity;
    struct ws_trace_launch *launches;
    uint32_t launch_count;
    uint32_t launch_capacity;
    struct ws_trace_picture pictures[WS_TRACE_PICTURES];
    uint32_t picture_count;
    uint64_t pictures_left_out; /* launches without a picture, since there was no room for it */
    bool ended;

    /* The launch whose parts are being merged: its launched shaders. */
    struct ws_trace_open *opened;
    uint32_t opened_count;
    bool open;

    /* --thread, --warp */
    struct ws_trace_chosen *chosen;
    uint32_t chosen_count;
    uint32_t chosen_capacity;
    struct ws_trace_path *paths[WS_TRACE_PATHS];
    uint32_t path_count;
    uint64_t paths_left_out; /* traces of that launch beyond WS_TRACE_PATHS */
    struct ws_sought sought;
    uint64_t path_launches; /* other launches with the chosen work id or warp index */
    uint64_t path_last;     /* index of the last of those */
};

/* Its results are a struct ws_trace_results. */
extern const struct ws_analysis ws_analysis_execution_trace;

/* Index of the launched shader in the stages; WS_NONE = no launch had it. */
uint32_t ws_trace_stage_at(const struct ws_trace_results *results, uint32_t shader);

/* Whether --thread or --warp asks for traces. */
bool ws_trace_is_chosen(const struct ws_trace_results *results);

/* trace_part.c: what the replay calls. */
extern const struct ws_replay_operations ws_trace_replay;

/* trace_plots.c. The picture that the launch is added to; it is made if need be. NULL if plots are not
 * wanted, if the stage has no pictures or if there is no room; also if there is no memory, which sets
 * `*no_memory`. `first`, `last`: the lowest and highest work id that the records show on each axis. */
struct ws_trace_picture *ws_trace_picture_of(struct ws_trace_results *results,
                                             const struct ws_launch_record *launch,
                                             const struct ws_trace_shader *launched, const uint32_t first[3],
                                             const uint32_t last[3], bool *no_memory);

/* What a thread adds to a picture. */
struct ws_trace_pixel {
    const uint32_t *work;
    uint64_t launch;
    uint64_t warp; /* index of its warp */
    uint8_t lane;
    uint64_t blocks;
    const uint32_t *executions; /* per called stage */
    uint32_t launches;          /* of the launched shader, of the thread and of its warp: 0 or 1 */
    uint64_t warp_blocks;
    uint64_t warp_slots;
    uint64_t warp_active;
    const uint32_t *warp_executions;
};

/* Adds a thread; of its warp too. False when there is no memory. */
bool ws_trace_picture_add(struct ws_trace_picture *picture, const struct ws_trace_pixel *pixel);
void ws_trace_picture_finish(struct ws_trace_picture *picture);

bool ws_trace_plots(const void *results, struct ws_plots *plots, struct ws_error *error);

/* A shader with its stage: "raygen path_tracer:main". */
void ws_trace_shader_text(const struct ws_catalog *catalog, uint32_t shader, char *text, size_t size);

/* Why threads of a stage make no picture, and why their work ids do not show how warps are made; NULL where
 * they do. Static texts. */
const char *ws_trace_no_picture(uint32_t stage);
const char *ws_trace_no_map(uint32_t stage);

/* What text, JSON and CSV note beside the figures of a launch or shader; "" if there is nothing to note.
 * `called` = 0: how many contexts were called is not written. */
void ws_trace_note(bool truncated, uint64_t regrouped, uint64_t called, char *text, size_t size);

/* execution_trace_report.c */
bool ws_trace_text(const void *results, FILE *stream);
void ws_trace_notes(const void *results, FILE *stream);
bool ws_trace_json(const void *results, struct ws_json *json);
extern const struct ws_member ws_trace_members[]; /* of it */
bool ws_trace_csv(const void *results, FILE *stream);
extern const struct ws_columns ws_trace_columns;
extern const char ws_trace_words[];

/* trace_path_report.c: the traces of --thread and --warp. */
bool ws_trace_findings(const void *results, struct ws_findings *findings);
bool ws_trace_text_paths(const struct ws_trace_results *results, FILE *stream);
bool ws_trace_json_paths(const struct ws_trace_results *results, struct ws_json *json);
bool ws_trace_csv_paths(const struct ws_trace_results *results, FILE *stream);

/* Writes one trace as an element of the open list, as the report's JSON has it. */
void ws_trace_json_path(const struct ws_catalog *catalog, const struct ws_trace_path *path,
                        struct ws_json *json);

extern const char ws_trace_csv_help[];

#endif
