/* Where the instructions went: how often each instruction of each shader was executed ("Vulkan Vision",
 * figure 3.14), from the counters of pass simt_efficiency.
 *
 * THREAD EXECUTIONS of an instruction = sum of active lanes over the executions of its block; in stages that are
 * counted per thread, executions by threads. Instructions are those of the application's module, before
 * anything was put into it, that a device executes (warpscope/spirv/sites.h). Sums have 64 bits.
 *
 * EFFICIENCY of an instruction is that of its block: active lanes / subgroup sizes of its executions, each by
 * the size that its launch had (simt_counts.h). Of a line it is active lanes / subgroup sizes of its executions
 * (ws_lines_count). No figure for stages that are counted per thread.
 *
 * EXECUTIONS are those by warps, as in all other reports: of a line as lines.h says, of an instruction those of its
 * block.
 *
 * Where counters were sampled, thread executions, and efficiencies of all but lines, have standard errors (simt_sets.h).
 *
 * A RUN is neighbouring instructions of a block that come from one source line (all of the block where lines are
 * not known). A shader's instructions are shown by line, and by run where no line is known. COST is the sum of
 * thread executions over all instructions of a line or run, its share that of all instructions of the capture. */
#ifndef WS_ANALYSIS_SIMT_HOTSPOTS_H
#define WS_ANALYSIS_SIMT_HOTSPOTS_H

#include "analysis/simt/lines.h"
#include "analysis/simt/simt_efficiency.h"

/* An instruction that a device executes. */
struct ws_hotspot_instruction {
    uint32_t offset; /* in words, in the original module */
    uint32_t opcode;
    const char *file; /* NULL = not known */
    uint32_t line;
};

/* The instructions of a module's blocks. */
struct ws_hotspot_module {
    struct ws_hotspot_instruction *instructions; /* block after block */
    uint32_t *block_first;                       /* per block, and one more: where its instructions begin */
    uint32_t *words;                             /* only until its sites are known */
    bool unreadable;
    struct ws_lines *lines;  /* NULL where the module cannot be parsed */
    const char **line_files; /* names of the files that its lines are in; texts of the pool */
};

struct ws_hotspot_run {
    uint32_t shader; /* index in the catalog */
    uint32_t block;  /* index in the module's blocks */
    uint32_t first;  /* in the module's instructions */
    uint32_t count;
    uint32_t index; /* of its first instruction in the shader's program: counted from 0 over the blocks that
                       the shader reaches, in the order of the module */
    uint64_t executions; /* of its block, by warps; in stages that are counted per thread, by threads */
    uint64_t thread_executions; /* of each of its instructions */
    enum ws_simt_doubt doubt;
    double efficiency; /* where there is no doubt */
};

struct ws_hotspot_shader {
    uint32_t instructions;      /* in its program */
    uint32_t executed;          /* of them, at least once */
    uint64_t thread_executions; /* of all of them */
    uint64_t most;              /* of the one executed most */
    uint32_t run_first;         /* in runs */
    uint32_t run_count;
};

/* Sums of instructions, by levels. */
struct ws_hotspot_sums {
    uint64_t instructions;
    uint64_t executed;          /* of them, at least once */
    uint64_t thread_executions; /* of all of them */
    uint64_t most;              /* of the one executed most */
    uint64_t active;            /* active lanes, and slots, of those with an efficiency */
    uint64_t slots;
    uint64_t doubtful;   /* instructions whose efficiency is withheld */
    uint64_t unlined;    /* thread executions of those without a line */
    uint64_t lines;      /* lines in the next three: 1 for each line and shader */
    uint64_t executions; /* of them, by warps, or by threads */
    uint64_t line_active;
    uint64_t line_slots;
    struct ws_simt_sets
        *sets; /* of instructions, each once; NULL = nothing of them was sampled; owned by the groups */
};

/* Dimensions and levels of the report (columns.h). */
enum ws_hotspots_dimension {
    WS_HOTSPOTS_STAGE,
    WS_HOTSPOTS_SHADER,
    WS_HOTSPOTS_BLOCK,
    WS_HOTSPOTS_LINE,        /* place in files + 1, and the line; 0 = not known */
    WS_HOTSPOTS_RUN,         /* index in runs */
    WS_HOTSPOTS_INSTRUCTION, /* run, and place in it */
    WS_HOTSPOTS_OPCODE,      /* its number */
    WS_HOTSPOTS_DIMENSIONS,
};

enum ws_hotspots_level {
    WS_HOTSPOTS_BY_ALL,
    WS_HOTSPOTS_BY_SHADER,
    WS_HOTSPOTS_BY_LINE,
    WS_HOTSPOTS_BY_RUN,
    WS_HOTSPOTS_BY_INSTRUCTION,
};

struct ws_hotspots {
    struct ws_simt_results simt;
    struct ws_groups *groups; /* sums are struct ws_hotspot_sums; NULL: only what is below is wanted */
    struct ws_text_pool texts;
    struct ws_hotspot_module *modules; /* parallel to the catalog's */
    uint32_t module_count;
    struct ws_hotspot_shader *shaders; /* parallel to the catalog's, from the end on */
    struct ws_hotspot_run *runs;       /* in the order of shaders and their programs */
    uint32_t run_count;
    uint32_t run_capacity;
    const char **files; /* source files of the instructions; their names are in texts */
    uint32_t file_count;
    uint32_t file_capacity;
    struct ws_id_map file_of;   /* address of a name in texts -> index in files */
    bool keeps_source;          /* set before the first chunk: for pictures */
    bool filtered;              /* only some shaders or launches were chosen */
    struct ws_id_map source_of; /* hash of address of a file name, and line -> index in sources */
    const char **sources;       /* the lines themselves, without blanks around; texts of the pool */
    uint32_t source_count;
    uint32_t source_capacity;
    uint64_t line_key;          /* of the last run */
    uint64_t thread_executions; /* of all instructions */
    uint64_t most;              /* of the instruction executed most */
};

#define WS_HOTSPOTS_SOURCE_MOST 160 /* bytes of a line that are kept */

/* The key in source_of of a line of a file whose name is in the pool. */
static inline uint64_t ws_hotspots_source_key(const char *file, uint32_t line)
{
    return ((uint64_t)(uintptr_t)file << 20) ^ line;
}

/* `catalog` must have recorded each chunk before, and outlive the results. */
void ws_hotspots_begin(struct ws_hotspots *hotspots, const struct ws_catalog *catalog);
bool ws_hotspots_record(struct ws_hotspots *hotspots, const struct ws_chunk *chunk, struct ws_error *error);
bool ws_hotspots_end(struct ws_hotspots *hotspots, struct ws_error *error);
void ws_hotspots_finish(struct ws_hotspots *hotspots);

/* The report's pictures (hotspots_plots.c), as `plots` of struct ws_analysis. */
bool ws_hotspots_plots(const void *results, struct ws_plots *pictures, struct ws_error *error);

extern const struct ws_columns ws_hotspots_columns;
extern const struct ws_analysis ws_analysis_hotspots;

#endif
