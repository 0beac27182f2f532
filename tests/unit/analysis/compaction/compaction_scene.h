/* Captures for the tests of compaction: shaders are control flow that is drawn (flow.h) and instrumented by
 * the pass itself; threads are lists of the blocks that they run. All functions fail the test on failure. */
#ifndef WS_TESTS_UNIT_ANALYSIS_COMPACTION_COMPACTION_SCENE_H
#define WS_TESTS_UNIT_ANALYSIS_COMPACTION_COMPACTION_SCENE_H

#include "analysis/compaction/thread_compaction.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/stream.h"
#include "tests/unit/passes/spirv/flow.h"
#include "warpscope/instrument.h"

enum { LANES_MAX = 128, SITES_MAX = 8 };

/* A shader in a stream. */
struct shader {
    uint32_t id;
    struct ws_instrumented *sites;
};

/* A capture as it is made, and what is found in it. */
struct scene {
    struct stream *stream;
    struct shader shaders[SITES_MAX];
    uint32_t shader_count;
    uint32_t lanes; /* per warp */
    bool together;
    struct ws_catalog catalog;
    struct ws_compaction_results *results;
};

/* The blocks that a thread runs, in order: indices over all functions of the module; -1 ends the list. */
typedef const int *walk;

/* A capture of warps of so many lanes; `together`: lanes at the same block have one record. */
void scene_begin(struct scene *scene, uint32_t lanes, bool together, uint64_t seed);

/* A shader of a module that the pass instruments; frees the words. */
struct shader *scene_add_words(struct scene *scene, uint32_t stage, uint32_t *words, size_t word_count);

/* The same of control flow that is drawn. */
struct shader *scene_add_shader(struct scene *scene, uint32_t stage, const struct flow_function *functions,
                                uint32_t count);

/* The records of lanes that run one block. */
void scene_run_block(struct scene *scene, const struct shader *shader, uint32_t context, uint32_t block,
                     struct ws_lanes lanes);

/* One warp: a walk per lane, NULL = no thread. */
void scene_run_warp(struct scene *scene, const struct shader *shader, uint32_t context, const walk *walks);

/* The context of a warp that begins, with the threads first_thread + lane. */
uint32_t scene_enter(struct scene *scene, uint32_t queue, const struct shader *shader, const walk *walks,
                     uint32_t first_thread);

/* A launched warp: its threads are first_thread + lane. */
void scene_launch(struct scene *scene, uint32_t queue, const struct shader *shader, const walk *walks,
                  uint32_t first_thread);

/* Reads what was recorded. */
const struct ws_compaction_results *scene_analyse(struct scene *scene, uint32_t workers);

/* Destroys everything. */
void scene_finish(struct scene *scene);

/* So many threads took a path. */
void check_path(const struct ws_compaction_results *results, uint32_t site, const char *path,
                uint64_t threads);

/* Windows of 2^window warps require so many; WS_WINDOW_ALL = one of all. */
void check_required(const struct ws_windows *windows, uint32_t window, uint64_t required);

/* do { call } while, in one block: the block is header, continue target and call site. */
extern const struct flow_function tight_functions[1];

/* A loop of one call, by how often it runs. */
void walk_rounds(int *walk, uint32_t rounds);

#endif
