/* What a thread did, told in sentences, and where it left the lanes beside it.
 *
 *     Launch id 64,64 is lane 0 of warp 1040, launched with raygen.rgen:main in launch 0.
 *     It executes 134 blocks. Half of the launch's threads execute at most 60, the longest 310.
 *     It runs raygen.rgen:main once, mesh.rchit:main 5 times and sky.rmiss:main once.
 *     At raygen.rgen:24 it goes on with 3 of the 8 lanes that ran the block before with it.
 *
 * A PARTING is a block of the thread that fewer lanes execute than the block before it in the same execution of the shader.
 * What is repeated (trace_path.h) is looked at once. A lane that ends counts as gone.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_VIEWER_SHADERS_THREAD_STORY_H
#define WS_ANALYSIS_VIEWER_SHADERS_THREAD_STORY_H

#include <cjson/cJSON.h>

#include "analysis/trace/execution_trace.h"

struct ws_thread_parting {
    uint32_t step;   /* of the path: the block that fewer lanes execute */
    uint32_t before; /* lanes that executed the block before it */
    uint32_t lanes;  /* that execute this one */
};

/* The partings of a path, in its order; freed by the caller. NULL when there is no memory. */
struct ws_thread_parting *ws_thread_partings(const struct ws_trace_path *path, uint32_t *count);

/* How often a thread entered a shader. */
struct ws_thread_shader {
    uint32_t shader; /* index in the catalog */
    uint64_t executions;
};

/* The shaders of a path, in the order in which it entered them; freed by the caller. NULL when there is no memory. */
struct ws_thread_shader *ws_thread_shaders(const struct ws_trace_path *path, uint32_t *count);

/* The sentences; the caller owns the list. NULL when there is no memory. */
cJSON *ws_thread_story(const struct ws_trace_results *results, const struct ws_trace_path *path);

#endif
