/* A shader of a capture with its code and its counters side by side: how often each basic block ran, by how many
 * lanes, and what stands in it. Rules of advice on shaders are written over this.
 *
 * The code is that of the application's module, before anything was put into it. Nothing here is thread-safe. */
#ifndef WS_ANALYSIS_SIMT_SHADER_RUN_H
#define WS_ANALYSIS_SIMT_SHADER_RUN_H

#include "analysis/simt/simt_efficiency.h"
#include "warpscope/code/values.h"
#include "warpscope/spirv/calls.h"
#include "warpscope/spirv/code.h"

/* What is known of a module. Its code owns everything. */
struct ws_shader_code {
    struct ws_code *code;
    struct ws_cfg *cfgs; /* per function, as the next */
    struct ws_constructs *constructs;
    struct ws_calls calls;
    struct ws_values values;
};

/* The code of the modules of a capture, kept until the shaders have run. Zero-initialised is empty. */
struct ws_shader_modules {
    struct ws_shader_module *modules; /* parallel to the catalog's */
    uint32_t count;
};

/* Takes in every chunk of a reader, behind the catalog. False when there is no memory. */
bool ws_shader_modules_record(struct ws_shader_modules *modules, const struct ws_catalog *catalog,
                              const struct ws_chunk *chunk);
void ws_shader_modules_finish(struct ws_shader_modules *modules);

/* The code of a module, by its index in the catalog; `*found` receives NULL where it is not known or cannot be read. It
 * lives as long as `modules`. False when there is no memory. */
bool ws_shader_modules_find(struct ws_shader_modules *modules, uint32_t index,
                            const struct ws_shader_code **found);

/* How a block of the code ran, over all launches. */
struct ws_block_run {
    uint32_t record; /* index in the module record's blocks; WS_NONE = it was not counted */
    uint32_t instructions;
    uint64_t executions; /* by warps; in stages that are counted so, by threads */
    uint64_t active;     /* lanes, summed over executions; there the threads */
    uint64_t slots;      /* subgroup sizes, likewise; there the threads */
};

struct ws_shader_run {
    const struct ws_catalog *catalog;
    const struct ws_simt_results *simt;
    uint32_t shader; /* index in the catalog */
    const struct ws_shader_code *code;
    uint32_t entry_function;     /* index in the module's functions */
    struct ws_block_run *blocks; /* per block of the module */
    bool by_warps; /* it was counted by warps, of known size: active and slots tell how full they were */
    /* Functions that the shader can call, each behind those that call it. Functions that call each other, which SPIR-V
     * forbids, are not among them. */
    uint32_t *functions;
    uint32_t function_count;
    double *called_lanes; /* per function of the module: active lanes, summed over its calls */
    double *called_slots; /* likewise: slots of it and of all that it calls */
};

/* Sets `run` for a shader. `*known` receives false, and nothing needs to be finished, where the shader did not run,
 * its code is not known, or its counters cannot be trusted. False when there is no memory. */
bool ws_shader_run_init(struct ws_shader_run *run, struct ws_shader_modules *modules,
                        const struct ws_simt_results *simt, uint32_t shader, bool *known);
void ws_shader_run_finish(struct ws_shader_run *run);

/* What the executions of a block cost, in instruction slots: its instructions, each as often as warps executed it,
 * times the size of the warps. In stages that are counted by threads, the instructions that the threads executed. */
uint64_t ws_block_run_slots(const struct ws_block_run *block);

/* What an instruction costs in slots, at all its executions: one slot a lane; of a call also its share of the slots of
 * what it calls, which are dealt out by active lanes. 0 = it is not executed (ws_instruction_is_executed). */
double ws_instruction_run_slots(const struct ws_shader_run *run, uint32_t instruction);

/* The function that an instruction calls; WS_NONE = it calls none of the module. */
uint32_t ws_shader_run_callee(const struct ws_shader_run *run, uint32_t instruction);

/* Where an instruction comes from: "blur.comp:21". Compilers give a branch no line where its condition was known before:
 * then it is the nearest line in front of it in its block, else behind it in its function. Without lines it is the
 * offset in the module: "word 706". Returns `text`. */
const char *ws_shader_run_place(const struct ws_shader_run *run, uint32_t instruction, char *text,
                                size_t size);

/* The lines that the instructions of a block come from: "blur.comp:21-24". Returns `text`. */
const char *ws_shader_run_lines(const struct ws_shader_run *run, uint32_t block, char *text, size_t size);

#endif
