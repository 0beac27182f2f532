/* How full the warps were: executions, active lanes, efficiency and instructions per launch, pipeline,
 * stage, shader and block, from the counters of the pass of the same name. Definitions: simt_counts.h.
 *
 * begin, record for every chunk of one reader in order, end; then the results are complete and plain to
 * read. Memory grows with shaders x blocks and with the number of launches (a few hundred bytes each),
 * not with what is in the chunks. Not thread-safe. */
#ifndef WS_ANALYSIS_SIMT_SIMT_EFFICIENCY_H
#define WS_ANALYSIS_SIMT_SIMT_EFFICIENCY_H

#include "warpscope/model/catalog.h"
#include "warpscope/model/simt_counts.h"
#include "warpscope/model/simt_sets.h"
#include "warpscope/report/analysis.h"

/* Sums and histogram of one thing. The histogram is over warps only. */
struct ws_simt_group {
    struct ws_simt_counts counts;
    struct ws_simt_histogram histogram;
    struct ws_simt_sets *sets; /* of what was sampled; NULL = nothing was */
};

/* One counter row of one shader, over all launches. */
struct ws_simt_row {
    uint64_t executions; /* warps, or threads in stages that are counted so */
    uint64_t active;
    uint64_t slots;
    uint64_t unsized;
    uint64_t wide;
};

struct ws_simt_shader {
    struct ws_simt_counts counts;
    uint64_t launches; /* in how many it ran */
    uint32_t row_first;
    uint32_t row_count;
    uint32_t bins;                        /* of the arrays below; 0 until it has counters */
    struct ws_simt_row *rows;             /* per row */
    uint64_t *histograms;                 /* row_count * bins */
    uint64_t *pending;                    /* row_count * bins: counters of the launch that is being read */
    struct ws_simt_set_row *row_sets;     /* per row; NULL = its counters are not sampled */
    struct ws_simt_set_row *pending_sets; /* per row: of the launch that is being read */
    uint32_t *multiplicity;               /* per row: how many of the shader's blocks share it */
    uint64_t *row_instructions;           /* per row: instructions of those blocks */
    uint32_t touched_first;               /* rows that the launch being read has: [first, end) */
    uint32_t touched_end;
};

/* Sums over launches that have both a device time and an efficiency. */
struct ws_simt_timed {
    double time;     /* ns */
    double weighted; /* each times the launch's weighted efficiency */
};

/* Dimensions and levels of the report (columns.h). */
enum ws_simt_dimension {
    WS_SIMT_LAUNCH,
    WS_SIMT_PIPELINE,
    WS_SIMT_STAGE,
    WS_SIMT_SHADER,
    WS_SIMT_BLOCK,
    WS_SIMT_OPCODE,
    WS_SIMT_DIMENSIONS,
};

enum ws_simt_level {
    WS_SIMT_BY_ALL,
    WS_SIMT_BY_LAUNCH,
    WS_SIMT_BY_PIPELINE,
    WS_SIMT_BY_STAGE,
    WS_SIMT_BY_SHADER,
    WS_SIMT_BY_BLOCK,
    WS_SIMT_BY_OPCODE,
};

struct ws_simt_results {
    const struct ws_catalog *catalog;     /* not owned */
    const struct ws_selection *selection; /* likewise; its shaders and pipelines have rows; NULL = all have */
    struct ws_groups *groups; /* sums are struct ws_simt_group; NULL: only blocks and the total are wanted */
    bool opcodes_only;        /* facts are of opcodes only, and added to levels without opcode too */
    struct ws_simt_group total;
    struct ws_simt_shader *shaders; /* parallel to the catalog's */
    uint32_t shader_count;
    uint64_t *pipeline_launches; /* parallel to the catalog's pipelines: how many launches used it */
    uint32_t pipeline_count;
    struct ws_simt_timed *timed;  /* per pipeline, and behind them of all; NULL until ws_simt_add_times */
    uint64_t opcode_instructions; /* instructions of all opcodes: of modules that could be parsed */
    uint32_t unreadable_modules;  /* modules with executions that opcodes and lines leave out */
    uint64_t overlapped;          /* launches that ran beside another queue's submission */

    /* The launch being read. */
    bool open;
    uint64_t launch;
    uint32_t *touched; /* shaders with pending counters */
    uint32_t touched_count;
    uint32_t touched_capacity;
};

/* `catalog` must have recorded each chunk before `results` does, and outlive it. */
void ws_simt_begin(struct ws_simt_results *results, const struct ws_catalog *catalog);
bool ws_simt_record(struct ws_simt_results *results, const struct ws_chunk *chunk, struct ws_error *error);
bool ws_simt_end(struct ws_simt_results *results, struct ws_error *error);
void ws_simt_finish(struct ws_simt_results *results);

/* The sums of one block of a shader; `block` is an index in its module's blocks. All zero where it was not
 * counted. `*histogram` points into the results, or is empty. */
void ws_simt_block(const struct ws_simt_results *results, uint32_t shader, uint32_t block,
                   struct ws_simt_counts *counts, struct ws_simt_histogram *histogram);

/* The sets of a block over all launches. False where it was not sampled. */
bool ws_simt_block_sets(const struct ws_simt_results *results, uint32_t shader, uint32_t block,
                        struct ws_simt_sets *sets);

/* How groups add up, for ws_simt_columns. */
bool ws_simt_group_add(void *to, const void *from);
void ws_simt_group_finish(void *group);

/* The standard errors of a group's executions, instructions, efficiency and weighted efficiency, which are known. False where
 * nothing of it was sampled, or the error is not known (simt_sets.h). */
bool ws_simt_executions_error(const struct ws_simt_group *group, double *error);
bool ws_simt_instructions_error(const struct ws_simt_group *group, double *error);
bool ws_simt_efficiency_error(const struct ws_simt_group *group, double efficiency, double *error);
bool ws_simt_efficiency_weighted_error(const struct ws_simt_group *group, double efficiency, double *error);

/* The row of a level of one dimension, such as WS_SIMT_BY_SHADER; NULL where there is none. */
const struct ws_simt_group *ws_simt_row(const struct ws_simt_results *results, enum ws_simt_level level,
                                        uint64_t key);

/* The efficiency by time: that of launches, each weighted by the time that it took on the device,
 *
 *   sum of time x weighted efficiency / sum of time
 *
 * over the launches of `pipeline` (an index in the catalog; WS_NONE = all launches) that have a time and an efficiency. A
 * launch that used several pipelines is none of a pipeline's. It says more of what the idle lanes cost than the plain
 * weighted efficiency, which counts instructions alike whatever they wait for. Example: a launch of 3 ms with 90 %, and
 * one of 1 ms with 50 %: (3 x 90 + 1 x 50) / 4 = 80 %.
 *
 * False where there are no such launches, with --by, which has no row for each launch, and before ws_simt_add_times,
 * which is to be called once, when the capture has been read (false without memory). */
bool ws_simt_add_times(struct ws_simt_results *results);
bool ws_simt_efficiency_by_time(const struct ws_simt_results *results, uint32_t pipeline, double *efficiency);

extern const struct ws_dimension ws_simt_dimensions[];
extern const struct ws_columns ws_simt_columns;
extern const char ws_simt_words[];

extern const struct ws_analysis ws_analysis_simt_efficiency;

/* Why no instruction has an execution, as a clause. */
const char *ws_simt_no_instructions(const struct ws_catalog *catalog);

#endif
