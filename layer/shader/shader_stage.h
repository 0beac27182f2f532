/* A stage of a pipeline that is being created: a copy of the application's create-info with the instrumented module and the
 * specialization constants that the module needs. Thread-safe for different stages: what they share, the tables of shaders
 * and of modules, has locks of its own. */
#ifndef WS_LAYER_SHADER_SHADER_STAGE_H
#define WS_LAYER_SHADER_SHADER_STAGE_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "layer/core/chain.h"

struct ws_device;
struct ws_shader;

struct ws_shader_stage {
    VkPipelineShaderStageCreateInfo info; /* what to hand to the driver */
    struct ws_shader *shader;             /* referenced; NULL when there is no SPIR-V */
    bool instrumented;                    /* `info` differs from the application's */
    /* Why there is no shader, static; NULL when there is one, or when it has its own SKIP. */
    const char *reason;
    struct ws_chain chain;
};

/* Prepares a stage; `original` must outlive it. `early`: the pipeline allows early fragment tests. After a failure
 * `info` is the application's. */
void ws_shader_stage_init(struct ws_shader_stage *stage, struct ws_device *device,
                          const VkPipelineShaderStageCreateInfo *original, bool early);

/* Accepts a zeroed struct. */
void ws_shader_stage_finish(struct ws_shader_stage *stage);

#endif
