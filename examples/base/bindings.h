/* One descriptor set with its layouts, and compute pipelines that use it. */
#ifndef WS_EXAMPLES_BASE_BINDINGS_H
#define WS_EXAMPLES_BASE_BINDINGS_H

#include "examples/base/memory.h"

#define WS_GPU_BINDINGS_MAX 16

/* What stands at one binding: the first of the pointers that is set. */
struct ws_gpu_binding {
    const struct ws_gpu_buffer *buffer; /* a storage buffer */
    const struct ws_gpu_image *image;   /* a storage image, in layout GENERAL; with a sampler, both as one */
    bool is_input;                      /* it is an input attachment */
    VkSampler sampler;
    VkBufferView texels; /* a uniform texel buffer, or a storage texel buffer */
    bool is_stored;
    const VkAccelerationStructureKHR *acceleration_structure;
    uint32_t structure_count; /* of an array of them; 0 = it is one, and no array */
};

/* Set 0 with bindings 0, 1, …, and a pipeline layout of that set and one range of push constants. */
struct ws_gpu_bindings {
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkShaderStageFlags stages;
};

/* `count` is at most WS_GPU_BINDINGS_MAX and may be 0; `push_size` is in bytes, 0 = no push constants. */
bool ws_gpu_bindings_init(struct ws_gpu *gpu, struct ws_gpu_bindings *bindings,
                          const struct ws_gpu_binding *binding, uint32_t count, VkShaderStageFlags stages,
                          uint32_t push_size, struct ws_error *error);
void ws_gpu_bindings_finish(struct ws_gpu *gpu, struct ws_gpu_bindings *bindings);

/* Binds pipeline and set. */
void ws_gpu_bind(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline,
                 const struct ws_gpu_bindings *bindings);

/* A shader as a pipeline takes it. Nothing is owned. */
struct ws_gpu_shader {
    VkShaderStageFlagBits stage;
    const char *name; /* what debuggers call its module */
    const uint32_t *words;
    size_t size;                                /* bytes */
    const char *entry;                          /* NULL = "main" */
    const VkSpecializationInfo *specialization; /* may be NULL */
};

/* A shader module of `size` bytes; VK_NULL_HANDLE on failure. */
VkShaderModule ws_gpu_module(struct ws_gpu *gpu, const uint32_t *words, size_t size, struct ws_error *error);

/* Makes the module of `shader` and describes its stage. The caller destroys the module, also after a
 * failure, when it is VK_NULL_HANDLE. */
bool ws_gpu_stage(struct ws_gpu *gpu, const struct ws_gpu_shader *shader,
                  VkPipelineShaderStageCreateInfo *stage, struct ws_error *error);

/* A compute pipeline; VK_NULL_HANDLE on failure. */
VkPipeline ws_gpu_compute_pipeline(struct ws_gpu *gpu, const struct ws_gpu_bindings *bindings,
                                   const struct ws_gpu_shader *shader, struct ws_error *error);

#endif
