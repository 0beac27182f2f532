#include "examples/base/graphics.h"

#include <assert.h>
#include <string.h>

#define COLOUR_FORMAT  VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH_FORMAT   VK_FORMAT_D32_SFLOAT
#define ATTRIBUTES_MAX 4

static bool create_pass(struct ws_gpu *gpu, struct ws_gpu_target *target, struct ws_error *error)
{
    const VkAttachmentDescription attachments[2] = {
        {
            .format = COLOUR_FORMAT,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
            .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        },
        {
            .format = DEPTH_FORMAT,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        },
    };
    const VkAttachmentReference colour = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .colorAttachmentCount = 1,
        .pColorAttachments = &colour,
        .pDepthStencilAttachment = &depth,
    };
    const VkRenderPassCreateInfo pass = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 2,
        .pAttachments = attachments,
        .subpassCount = 1,
        .pSubpasses = &subpass,
    };
    if (!ws_gpu_check(vkCreateRenderPass(gpu->device, &pass, NULL, &target->pass), "vkCreateRenderPass",
                      error))
        return false;
    const VkImageView views[2] = {target->colour.view, target->depth.view};
    const VkFramebufferCreateInfo framebuffer = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = target->pass,
        .attachmentCount = 2,
        .pAttachments = views,
        .width = target->colour.width,
        .height = target->colour.height,
        .layers = 1,
    };
    return ws_gpu_check(vkCreateFramebuffer(gpu->device, &framebuffer, NULL, &target->framebuffer),
                        "vkCreateFramebuffer", error);
}

bool ws_gpu_target_init(struct ws_gpu *gpu, struct ws_gpu_target *target, uint32_t width, uint32_t height,
                        bool dynamic, struct ws_error *error)
{
    memset(target, 0, sizeof(*target));
    if (!ws_gpu_image_init(gpu, &target->colour, COLOUR_FORMAT,
                           VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, width,
                           height, error) ||
        !ws_gpu_image_init(gpu, &target->depth, DEPTH_FORMAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                           width, height, error) ||
        (!dynamic && !create_pass(gpu, target, error))) {
        ws_gpu_target_finish(gpu, target);
        return false;
    }
    return true;
}

void ws_gpu_target_finish(struct ws_gpu *gpu, struct ws_gpu_target *target)
{
    if (gpu->device != VK_NULL_HANDLE) {
        vkDestroyFramebuffer(gpu->device, target->framebuffer, NULL);
        vkDestroyRenderPass(gpu->device, target->pass, NULL);
    }
    ws_gpu_image_finish(gpu, &target->colour);
    ws_gpu_image_finish(gpu, &target->depth);
    memset(target, 0, sizeof(*target));
}

static void begin_dynamic(VkCommandBuffer commands, const struct ws_gpu_target *target, VkRect2D area,
                          const VkClearValue clear[2])
{
    const VkRenderingAttachmentInfo colour = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = target->colour.view,
        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue = clear[0],
    };
    const VkRenderingAttachmentInfo depth = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = target->depth.view,
        .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .clearValue = clear[1],
    };
    const VkRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .renderArea = area,
        .layerCount = 1,
        .colorAttachmentCount = 1,
        .pColorAttachments = &colour,
        .pDepthAttachment = &depth,
    };

    vkCmdBeginRenderingKHR(commands, &rendering);
}

void ws_gpu_target_begin(VkCommandBuffer commands, const struct ws_gpu_target *target, const float clear[4])
{
    const VkRect2D area = {{0, 0}, {target->colour.width, target->colour.height}};
    const VkClearValue values[2] = {
        {.color.float32 = {clear[0], clear[1], clear[2], clear[3]}},
        {.depthStencil = {1.0f, 0}},
    };

    ws_gpu_image_layout(commands, &target->colour, VK_IMAGE_LAYOUT_UNDEFINED,
                        VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    ws_gpu_image_layout(commands, &target->depth, VK_IMAGE_LAYOUT_UNDEFINED,
                        VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    if (target->pass == VK_NULL_HANDLE) {
        begin_dynamic(commands, target, area, values);
        return;
    }
    const VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = target->pass,
        .framebuffer = target->framebuffer,
        .renderArea = area,
        .clearValueCount = 2,
        .pClearValues = values,
    };
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
}

void ws_gpu_target_end(VkCommandBuffer commands, const struct ws_gpu_target *target)
{
    if (target->pass == VK_NULL_HANDLE)
        vkCmdEndRenderingKHR(commands);
    else
        vkCmdEndRenderPass(commands);
}

/* States that all pipelines share. */
static const VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
};

static const VkPipelineRasterizationStateCreateInfo rasterization = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .polygonMode = VK_POLYGON_MODE_FILL,
    .cullMode = VK_CULL_MODE_NONE,
    .frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE,
    .lineWidth = 1,
};

static const VkPipelineMultisampleStateCreateInfo multisample = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
};

static const VkPipelineColorBlendAttachmentState blend = {.colorWriteMask = 0xf};

static const VkPipelineColorBlendStateCreateInfo blends = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &blend,
};

/* Of each attribute, which has a buffer of its own. */
struct vertex_input {
    VkVertexInputBindingDescription bindings[ATTRIBUTES_MAX];
    VkVertexInputAttributeDescription attributes[ATTRIBUTES_MAX];
    VkPipelineVertexInputStateCreateInfo info; /* points to these */
};

static void fill_vertex_input(struct vertex_input *input, uint32_t count)
{
    assert(count <= ATTRIBUTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        input->bindings[i] =
            (VkVertexInputBindingDescription){i, 3 * sizeof(float), VK_VERTEX_INPUT_RATE_VERTEX};
        input->attributes[i] = (VkVertexInputAttributeDescription){i, i, VK_FORMAT_R32G32B32_SFLOAT, 0};
    }
    input->info = (VkPipelineVertexInputStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = count,
        .pVertexBindingDescriptions = input->bindings,
        .vertexAttributeDescriptionCount = count,
        .pVertexAttributeDescriptions = input->attributes,
    };
}

/* All of the pipeline but its stages. */
static bool create_pipeline(struct ws_gpu *gpu, const struct ws_gpu_bindings *bindings,
                            const struct ws_gpu_target *target, const struct ws_gpu_graphics *graphics,
                            const VkPipelineShaderStageCreateInfo stages[2], VkPipeline *pipeline,
                            struct ws_error *error)
{
    const VkFormat colour_format = COLOUR_FORMAT;
    struct vertex_input input;
    fill_vertex_input(&input, graphics->attributes);
    const VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &colour_format,
        .depthAttachmentFormat = DEPTH_FORMAT,
    };
    const float scale = graphics->scale > 0 ? (float)graphics->scale : 1;
    const VkViewport viewport = {
        .width = scale * (float)target->colour.width,
        .height = scale * (float)target->colour.height,
        .maxDepth = 1,
    };
    const VkRect2D scissor = {{0, 0}, {target->colour.width, target->colour.height}};
    const VkPipelineViewportStateCreateInfo viewports = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &viewport,
        .scissorCount = 1,
        .pScissors = &scissor,
    };
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = graphics->depth_test,
        .depthWriteEnable = graphics->depth_test,
        .depthCompareOp = VK_COMPARE_OP_LESS,
    };
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = target->pass == VK_NULL_HANDLE ? &rendering : NULL,
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState = &input.info,
        .pInputAssemblyState = &assembly,
        .pViewportState = &viewports,
        .pRasterizationState = &rasterization,
        .pMultisampleState = &multisample,
        .pDepthStencilState = &depth,
        .pColorBlendState = &blends,
        .layout = bindings->layout,
        .renderPass = target->pass,
    };
    return ws_gpu_check(vkCreateGraphicsPipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline),
                        "vkCreateGraphicsPipelines", error);
}

VkPipeline ws_gpu_graphics_pipeline(struct ws_gpu *gpu, const struct ws_gpu_bindings *bindings,
                                    const struct ws_gpu_target *target,
                                    const struct ws_gpu_graphics *graphics, struct ws_error *error)
{
    const struct ws_gpu_shader *shaders[2] = {&graphics->vertex, &graphics->fragment};
    VkPipelineShaderStageCreateInfo stages[2] = {0};
    VkPipeline pipeline = VK_NULL_HANDLE;
    bool created = true;

    for (int i = 0; i < 2 && created; i++)
        created = ws_gpu_stage(gpu, shaders[i], &stages[i], error);
    created = created && create_pipeline(gpu, bindings, target, graphics, stages, &pipeline, error);
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(gpu->device, stages[i].module, NULL);
    return created ? pipeline : VK_NULL_HANDLE;
}
