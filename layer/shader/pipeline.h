/* Creating pipelines of every kind: the application's create-infos are copied with instrumented stages,
 * handed to the driver, and what came of them is remembered. Each kind's own file says only where its
 * create-info has its stages and which function makes it. */
#ifndef WS_LAYER_SHADER_PIPELINE_H
#define WS_LAYER_SHADER_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/core/vulkan_newer.h"

#include "warpscope/capture.h"

struct ws_device;
struct ws_pipeline;
struct ws_shader;
struct ws_shader_stage;

/* What the create-infos of all kinds have in common. */
struct ws_pipeline_shape {
    const VkPipelineShaderStageCreateInfo *stages;
    uint32_t stage_count;
    const VkPipelineLibraryCreateInfoKHR *libraries; /* NULL = none */
    VkPipelineCreateFlags flags;
    const void *chain;  /* the create-info's pNext */
    const char *reason; /* why something that is no stage is left alone, static; NULL = nothing is */
};

/* Whether what is described is a library, to be linked into pipelines. */
bool ws_pipeline_is_library(const struct ws_pipeline_shape *shape);

struct ws_pipeline_batch;
struct ws_pipeline_build;

/* A kind of pipeline. */
struct ws_pipeline_type {
    enum ws_pipeline_kind kind;
    size_t info_size; /* of its create-info */
    void (*describe)(const void *info, struct ws_pipeline_shape *shape);
    void (*replace_stages)(void *info, const VkPipelineShaderStageCreateInfo *stages);
    /* What must be the same in all pipelines, with instrumented stages or not, for they may be linked with
     * each other; may be NULL. */
    void (*adapt)(void *info, struct ws_pipeline_build *build);
    /* The next layer's function, on batch->count create-infos. */
    VkResult (*create)(const struct ws_pipeline_batch *batch, VkDeferredOperationKHR deferred,
                       const void *infos, VkPipeline *pipelines);
    /* Where geometry is captured, when pipeline `index` has been made and remembered; may be NULL. */
    void (*made)(const struct ws_pipeline_batch *batch, uint32_t index, VkPipeline handle);
};

/* One pipeline of a batch. */
struct ws_pipeline_build {
    struct ws_shader_stage *stages;
    VkPipelineShaderStageCreateInfo *infos; /* of the stages, as an array */
    uint32_t stage_count;
    VkRayTracingPipelineInterfaceCreateInfoKHR interface; /* in place of the application's, of ray tracing */
    struct ws_shader **shaders;                           /* its own, then its libraries', each once */
    uint32_t own_shader_count;
    uint32_t shader_count;
    bool library;
    bool instrumented;  /* some stage is */
    bool refused;       /* the driver did not take the instrumented one */
    const char *reason; /* why something in it is left alone, static; NULL = nothing is */
};

/* One vkCreate*Pipelines. Lives until the pipelines exist, which may be after the call (deferred). */
struct ws_pipeline_batch {
    struct ws_device *device;
    const struct ws_pipeline_type *type;
    VkPipelineCache cache;
    const VkAllocationCallbacks *allocator;
    uint32_t count;
    const void *originals; /* the application's create-infos */
    void *infos;           /* ours */
    struct ws_pipeline_build *builds;
};

/* Copies and instruments. NULL when there is no memory. `originals` and `allocator` must outlive it. */
struct ws_pipeline_batch *ws_pipeline_batch_create(struct ws_device *device,
                                                   const struct ws_pipeline_type *type, VkPipelineCache cache,
                                                   uint32_t count, const void *originals,
                                                   const VkAllocationCallbacks *allocator);

/* NULL is accepted. */
void ws_pipeline_batch_destroy(struct ws_pipeline_batch *batch);

/* What to do when the driver has answered with `result`: pipelines whose instrumented form failed are made
 * again as the application made them, all others stay. Returns the result for the application and
 * remembers every pipeline that now exists. */
VkResult ws_pipeline_batch_complete(struct ws_pipeline_batch *batch, VkResult result, VkPipeline *pipelines);

/* All at once, for what is not deferred. */
VkResult ws_pipelines_create(struct ws_device *device, const struct ws_pipeline_type *type,
                             VkPipelineCache cache, uint32_t count, const void *originals,
                             const VkAllocationCallbacks *allocator, VkPipeline *pipelines);

/* Remembers a new pipeline or shader object under `handle` and writes its PIPE chunk. `counted` of the
 * `shader_count` shaders (the last ones) are instrumented in it. False when there is no memory. */
bool ws_pipeline_remember(struct ws_device *device, enum ws_pipeline_kind kind, uint64_t handle,
                          struct ws_shader *const *shaders, uint32_t shader_count, uint32_t counted,
                          bool library, const char *reason);

/* NULL is accepted. */
void ws_pipeline_destroy(struct ws_pipeline *pipeline);

#endif
