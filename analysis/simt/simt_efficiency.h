/* How full the warps were: executions, active lanes, efficiency and instructions per launch, pipeline,
 * stage, shader and block, from the counters of the pass of the same name. Definitions: simt_counts.h.
 *
 * begin, record for every chunk of one reader in order, end; then the results are complete and plain to
 * read. Memory grows with shaders x blocks and with the number of launches (a few hundred bytes each),
 * not with what is in the chunks. Not thread-safe. */
#ifndef WS_ANALYSIS_SIMT_SIMT_EFFICIENCY_H
#define WS_ANALYSIS_SIMT_SIMT_EFFICIENCY_H

#include "analysis/model/catalog.h"
#include "analysis/model/simt_counts.h"

#define WS_STAGE_COUNT 14 /* stages in stage.h; index = number of the stage's bit */

/* Sums and histogram of one thing. The histogram is over warps only. */
struct ws_simt_group {
    struct ws_simt_counts counts;
    struct ws_simt_histogram histogram;
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
    struct ws_simt_group group;
    uint64_t launches; /* in how many it ran */
    uint32_t row_first;
    uint32_t row_count;
    uint32_t bins;              /* of the arrays below; 0 until it has counters */
    struct ws_simt_row *rows;   /* per row */
    uint64_t *histograms;       /* row_count * bins */
    uint64_t *pending;          /* row_count * bins: counters of the launch that is being read */
    uint32_t *multiplicity;     /* per row: how many of the shader's blocks share it */
    uint64_t *row_instructions; /* per row: instructions of those blocks */
    uint32_t touched_first;     /* rows that the launch being read has: [first, end) */
    uint32_t touched_end;
    uint64_t owner_serial; /* of the launch for which `owner` holds */
    uint32_t owner;        /* the pipeline that ran it; WS_NONE = one of several */
};

struct ws_simt_pipeline {
    struct ws_simt_group group;
    uint64_t launches; /* that used it */
    uint64_t serial;   /* of the last launch that used it */
};

struct ws_simt_launch {
    uint64_t index;
    uint64_t submission;
    uint64_t frame;
    uint32_t device;  /* index in the catalog */
    uint32_t kind;    /* enum ws_launch_kind */
    uint32_t size[3]; /* as the host gave it, else as the shaders saw it; 0 where neither is known */
    uint32_t flags;   /* WS_LAUNCH_* */
    uint32_t draws;
    const char *label;          /* in the results' texts */
    const char *command_buffer; /* in the results' texts */
    uint32_t pipeline;          /* index in the catalog; WS_NONE = none or several */
    uint32_t pipeline_count;
    bool overlapped; /* ran beside another queue's submission: counts may belong to either */
    struct ws_simt_group group;
};

/* Dynamic instruction count of one opcode. */
struct ws_simt_opcode {
    uint32_t opcode;
    uint64_t instructions;
};

struct ws_simt_results {
    const struct ws_catalog *catalog; /* not owned */
    struct ws_text_pool texts;
    struct ws_simt_group total;
    struct ws_simt_group stages[WS_STAGE_COUNT];
    struct ws_simt_pipeline *pipelines; /* parallel to the catalog's */
    uint32_t pipeline_count;
    struct ws_simt_group shared_pipelines; /* shaders that several pipelines of one launch have: which
                                              of them ran them cannot be told */
    struct ws_simt_shader *shaders;        /* parallel to the catalog's */
    uint32_t shader_count;
    struct ws_simt_launch *launches; /* in the order of the capture */
    uint32_t launch_count;
    uint32_t launch_capacity;
    struct ws_simt_opcode *opcodes; /* most executed first */
    uint32_t opcode_count;
    uint32_t unreadable_modules; /* modules with executions that opcodes and lines leave out */
    uint64_t overlapped;         /* launches that ran beside another queue's submission */

    /* The launch being read. */
    bool open;
    uint32_t *touched; /* shaders with pending counters */
    uint32_t touched_count;
    uint32_t touched_capacity;
    uint64_t serial;         /* counts launches, from 1 */
    uint32_t only_pipeline;  /* index in the catalog, where it has just one; else WS_NONE */
    uint32_t open_pipelines; /* how many it has */
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

/* A block of a shader. */
struct ws_simt_block_reference {
    uint32_t shader;
    uint32_t block;
    uint64_t instructions; /* dynamic instruction count */
};

/* The `*count` blocks with the largest dynamic instruction count, largest first, at most `most` of them;
 * blocks that never ran are left out. Freed by the caller; NULL and `*count` 0 when there are none, NULL
 * and `*count` WS_NONE when there is no memory. */
struct ws_simt_block_reference *ws_simt_hottest(const struct ws_simt_results *results, uint32_t most,
                                                uint32_t *count);

#endif
