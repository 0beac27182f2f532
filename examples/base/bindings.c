#include "examples/base/bindings.h"

#include <assert.h>
#include <string.h>

static VkDescriptorType type_of(const struct ws_gpu_binding *binding)
{
    if (binding->buffer != NULL)
        return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    if (binding->image != NULL && binding->sampler != VK_NULL_HANDLE)
        return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    if (binding->texels != VK_NULL_HANDLE)
        return binding->is_stored ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
                                  : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    if (binding->is_input)
        return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
    return binding->image != NULL ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                                  : VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
}

static uint32_t count_of(const struct ws_gpu_binding *binding)
{
    return binding->structure_count > 0 ? binding->structure_count : 1;
}

static bool create_layouts(struct ws_gpu *gpu, struct ws_gpu_bindings *bindings,
                           const struct ws_gpu_binding *binding, uint32_t count, uint32_t push_size,
                           struct ws_error *error)
{
    VkDescriptorSetLayoutBinding layout_bindings[WS_GPU_BINDINGS_MAX];

    for (uint32_t i = 0; i < count; i++) {
        layout_bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = type_of(&binding[i]),
            .descriptorCount = count_of(&binding[i]),
            .stageFlags = bindings->stages,
        };
    }
    const VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = layout_bindings,
    };
    if (!ws_gpu_check(vkCreateDescriptorSetLayout(gpu->device, &set_layout, NULL, &bindings->set_layout),
                      "vkCreateDescriptorSetLayout", error))
        return false;
    const VkPushConstantRange range = {.stageFlags = bindings->stages, .size = push_size};
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &bindings->set_layout,
        .pushConstantRangeCount = push_size > 0 ? 1 : 0,
        .pPushConstantRanges = &range,
    };
    return ws_gpu_check(vkCreatePipelineLayout(gpu->device, &layout, NULL, &bindings->layout),
                        "vkCreatePipelineLayout", error);
}

static bool allocate_set(struct ws_gpu *gpu, struct ws_gpu_bindings *bindings,
                         const struct ws_gpu_binding *binding, uint32_t count, struct ws_error *error)
{
    VkDescriptorPoolSize sizes[WS_GPU_BINDINGS_MAX];

    for (uint32_t i = 0; i < count; i++)
        sizes[i] =
            (VkDescriptorPoolSize){.type = type_of(&binding[i]), .descriptorCount = count_of(&binding[i])};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = count,
        .pPoolSizes = sizes,
    };
    if (!ws_gpu_check(vkCreateDescriptorPool(gpu->device, &pool, NULL, &bindings->pool),
                      "vkCreateDescriptorPool", error))
        return false;
    const VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = bindings->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &bindings->set_layout,
    };
    return ws_gpu_check(vkAllocateDescriptorSets(gpu->device, &allocate, &bindings->set),
                        "vkAllocateDescriptorSets", error);
}

static void write_set(struct ws_gpu *gpu, const struct ws_gpu_bindings *bindings,
                      const struct ws_gpu_binding *binding, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const VkWriteDescriptorSetAccelerationStructureKHR structure = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
            .accelerationStructureCount = count_of(&binding[i]),
            .pAccelerationStructures = binding[i].acceleration_structure,
        };
        const VkDescriptorBufferInfo buffer = {
            .buffer = binding[i].buffer != NULL ? binding[i].buffer->buffer : VK_NULL_HANDLE,
            .range = VK_WHOLE_SIZE,
        };
        const VkDescriptorImageInfo image = {
            .sampler = binding[i].sampler,
            .imageView = binding[i].image != NULL ? binding[i].image->view : VK_NULL_HANDLE,
            .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        };
        const VkDescriptorType type = type_of(&binding[i]);
        const VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .pNext = type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR ? &structure : NULL,
            .dstSet = bindings->set,
            .dstBinding = i,
            .descriptorCount = count_of(&binding[i]),
            .descriptorType = type,
            .pBufferInfo = &buffer,
            .pImageInfo = &image,
            .pTexelBufferView = &binding[i].texels,
        };
        vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
    }
}

bool ws_gpu_bindings_init(struct ws_gpu *gpu, struct ws_gpu_bindings *bindings,
                          const struct ws_gpu_binding *binding, uint32_t count, VkShaderStageFlags stages,
                          uint32_t push_size, struct ws_error *error)
{
    assert(count <= WS_GPU_BINDINGS_MAX);
    *bindings = (struct ws_gpu_bindings){.stages = stages};
    if (!create_layouts(gpu, bindings, binding, count, push_size, error) ||
        (count > 0 && !allocate_set(gpu, bindings, binding, count, error))) {
        ws_gpu_bindings_finish(gpu, bindings);
        return false;
    }
    write_set(gpu, bindings, binding, count);
    return true;
}

void ws_gpu_bindings_finish(struct ws_gpu *gpu, struct ws_gpu_bindings *bindings)
{
    if (gpu->device != VK_NULL_HANDLE) {
        vkDestroyPipelineLayout(gpu->device, bindings->layout, NULL);
        vkDestroyDescriptorPool(gpu->device, bindings->pool, NULL);
        vkDestroyDescriptorSetLayout(gpu->device, bindings->set_layout, NULL);
    }
    memset(bindings, 0, sizeof(*bindings));
}

void ws_gpu_bind(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline,
                 const struct ws_gpu_bindings *bindings)
{
    vkCmdBindPipeline(commands, point, pipeline);
    if (bindings->set != VK_NULL_HANDLE)
        vkCmdBindDescriptorSets(commands, point, bindings->layout, 0, 1, &bindings->set, 0, NULL);
}

VkShaderModule ws_gpu_module(struct ws_gpu *gpu, const uint32_t *words, size_t size, struct ws_error *error)
{
    VkShaderModule module = VK_NULL_HANDLE;
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = size,
        .pCode = words,
    };

    if (!ws_gpu_check(vkCreateShaderModule(gpu->device, &info, NULL, &module), "vkCreateShaderModule", error))
        return VK_NULL_HANDLE;
    return module;
}

bool ws_gpu_stage(struct ws_gpu *gpu, const struct ws_gpu_shader *shader,
                  VkPipelineShaderStageCreateInfo *stage, struct ws_error *error)
{
    *stage = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = shader->stage,
        .module = ws_gpu_module(gpu, shader->words, shader->size, error),
        .pName = shader->entry != NULL ? shader->entry : "main",
        .pSpecializationInfo = shader->specialization,
    };
    if (stage->module == VK_NULL_HANDLE)
        return false;
    ws_gpu_name(gpu, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)stage->module, shader->name);
    return true;
}

VkPipeline ws_gpu_compute_pipeline(struct ws_gpu *gpu, const struct ws_gpu_bindings *bindings,
                                   const struct ws_gpu_shader *shader, struct ws_error *error)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .layout = bindings->layout,
    };

    if (!ws_gpu_stage(gpu, shader, &info.stage, error))
        return VK_NULL_HANDLE;
    if (!ws_gpu_check(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
                      "vkCreateComputePipelines", error))
        pipeline = VK_NULL_HANDLE;
    vkDestroyShaderModule(gpu->device, info.stage.module, NULL);
    return pipeline;
}
