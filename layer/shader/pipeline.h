/* Creates pipelines of every kind. The layer copies the application's create-infos, puts instrumented stages into the copies,
 * hands them to the driver, and remembers the pipelines. The file of a kind (pipeline_compute.c, …) says only where its
 * create-info has the stages and which function creates it.
 *
 * Threads may create pipelines at the same time, each in a batch of its own. Where anything of ours fails, a pipeline is made
 * of the application's stages, and the capture has the reason. */
#ifndef WS_LAYER_SHADER_PIPELINE_H
#define WS_LAYER_SHADER_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/core/vulkan_newer.h"
#include "layer/core/watch.h"

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
    bool early;         /* of graphics: its fragment shader may have early tests (pipeline_graphics.c) */
    const char *reason; /* why a part that is no stage is not instrumented, static; NULL = all is */
    const char
        *hindrance; /* why no stage can be instrumented, static; NULL = they can, as far as the kind knows */
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
    /* Changes what must be equal in all pipelines, instrumented or not, because they may be linked with each
     * other; may be NULL. */
    void (*adapt)(void *info, struct ws_pipeline_build *build);
    /* The next layer's function, on batch->count create-infos. */
    VkResult (*create)(const struct ws_pipeline_batch *batch, VkDeferredOperationKHR deferred,
                       const void *infos, VkPipeline *pipelines);
    /* Called where geometry is captured, when pipeline `index` has been remembered; may be NULL. */
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
    bool refused;       /* the driver refused the instrumented one */
    const char *reason; /* why a part of it is not instrumented, static; NULL = all is */
};

/* One call of vkCreate*Pipelines. It lives until the pipelines exist: if deferred, longer than the call. */
struct ws_pipeline_batch {
    struct ws_device *device;
    const struct ws_pipeline_type *type;
    VkPipelineCache cache;
    const VkAllocationCallbacks *allocator;
    uint32_t count;
    const void *originals; /* the application's create-infos */
    void *infos;           /* ours */
    struct ws_pipeline_build *builds;
    uint32_t
        compiling; /* stages that are shown as being compiled (core/progress.h), from the end of its creation ... */
    bool shown;                /* ... to that of the batch */
    struct ws_watched watched; /* the same time */
};

/* Copies and instruments the create-infos. NULL without memory. `originals` and `allocator` must outlive the
 * batch. */
struct ws_pipeline_batch *ws_pipeline_batch_create(struct ws_device *device,
                                                   const struct ws_pipeline_type *type, VkPipelineCache cache,
                                                   uint32_t count, const void *originals,
                                                   const VkAllocationCallbacks *allocator);

/* NULL is accepted. */
void ws_pipeline_batch_destroy(struct ws_pipeline_batch *batch);

/* To be called with the driver's result. Pipelines that the driver refused with instrumented stages are
 * created again from the application's create-infos. Remembers all pipelines that exist then. Returns the
 * result for the application. */
VkResult ws_pipeline_batch_complete(struct ws_pipeline_batch *batch, VkResult result, VkPipeline *pipelines);

/* All three steps, for pipelines that are not deferred. */
VkResult ws_pipelines_create(struct ws_device *device, const struct ws_pipeline_type *type,
                             VkPipelineCache cache, uint32_t count, const void *originals,
                             const VkAllocationCallbacks *allocator, VkPipeline *pipelines);

/* Remembers a new pipeline or shader object under `handle` and writes its PIPE chunk. The last `counted` of
 * its `shader_count` shaders are instrumented in it. False without memory. */
bool ws_pipeline_remember(struct ws_device *device, enum ws_pipeline_kind kind, uint64_t handle,
                          struct ws_shader *const *shaders, uint32_t shader_count, uint32_t counted,
                          bool library, const char *reason);

/* NULL is accepted. */
void ws_pipeline_destroy(struct ws_pipeline *pipeline);

#endif
