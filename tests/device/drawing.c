#include "tests/device/drawing.h"

#include "cover_frag.h"
#include "cover_vert.h"

#define STAGES       5
#define DEPTH_FORMAT VK_FORMAT_D32_SFLOAT

const struct ws_gpu_shader drawing_cover[2] = {
    {.stage = VK_SHADER_STAGE_VERTEX_BIT,
     .name = "cover.vert",
     .words = cover_vert,
     .size = sizeof(cover_vert)},
    {.stage = VK_SHADER_STAGE_FRAGMENT_BIT,
     .name = "cover.frag",
     .words = cover_frag,
     .size = sizeof(cover_frag)},
};

static const VkRect2D area = {.extent = {DRAWING_WIDTH, DRAWING_HEIGHT}};

void drawing_image_init(struct rig *rig, struct ws_gpu_image *image)
{
    CHECK(ws_gpu_image_init(&rig->gpu, image, DRAWING_FORMAT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                            DRAWING_WIDTH, DRAWING_HEIGHT, NULL));
    VkCommandBuffer commands = ws_gpu_begin(&rig->gpu, NULL);
    ws_gpu_image_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    CHECK(ws_gpu_submit(&rig->gpu, commands, NULL));
}

void drawing_depth_init(struct rig *rig, struct ws_gpu_image *image)
{
    CHECK(ws_gpu_image_init(&rig->gpu, image, DEPTH_FORMAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                            DRAWING_WIDTH, DRAWING_HEIGHT, NULL));
    VkCommandBuffer commands = ws_gpu_begin(&rig->gpu, NULL);
    ws_gpu_image_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED,
                        VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    CHECK(ws_gpu_submit(&rig->gpu, commands, NULL));
}

static const VkPipelineVertexInputStateCreateInfo vertices = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
static const VkViewport viewport = {.width = DRAWING_WIDTH, .height = DRAWING_HEIGHT, .maxDepth = 1};
static const VkPipelineViewportStateCreateInfo viewports = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .pViewports = &viewport,
    .scissorCount = 1,
    .pScissors = &area};
static const VkPipelineRasterizationStateCreateInfo rasterization = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
static const VkPipelineMultisampleStateCreateInfo multisample = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
static const VkPipelineDepthStencilStateCreateInfo depth = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
static const VkPipelineDepthStencilStateCreateInfo nearer = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
    .depthTestEnable = VK_TRUE,
    .depthWriteEnable = VK_TRUE,
    .depthCompareOp = VK_COMPARE_OP_LESS};
static const VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 0xf};
static const VkPipelineColorBlendStateCreateInfo blend = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment};

static VkPipeline create(struct rig *rig, const VkGraphicsPipelineCreateInfo *info)
{
    VkPipeline pipeline;
    CHECK(vkCreateGraphicsPipelines(rig->gpu.device, VK_NULL_HANDLE, 1, info, NULL, &pipeline) == VK_SUCCESS);
    return pipeline;
}

/* The same pipeline, of four parts: vertex input, all stages before the fragment shader, that, and output. */
static VkPipeline create_linked(struct rig *rig, const VkGraphicsPipelineCreateInfo *whole, VkPipeline *parts)
{
    for (uint32_t i = 0; i < 4; i++) {
        const bool fragment = 1u << i == VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
        const bool before = 1u << i == VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
        const bool output = 1u << i == VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
        const VkGraphicsPipelineLibraryCreateInfoEXT library = {
            .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
            .pNext = output ? (void *)whole->pNext : NULL,
            .flags = 1u << i};
        VkGraphicsPipelineCreateInfo info = *whole;
        info.pNext = &library;
        info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
        info.stageCount = before ? whole->stageCount - 1 : fragment ? 1 : 0;
        info.pStages = fragment ? &whole->pStages[whole->stageCount - 1] : whole->pStages;
        parts[i] = create(rig, &info);
    }
    const VkPipelineLibraryCreateInfoKHR libraries = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 4, .pLibraries = parts};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &libraries,
                                               .layout = whole->layout};
    return create(rig, &info);
}

VkPipeline drawing_pipeline(struct rig *rig, const struct drawing *drawing)
{
    VkPipelineShaderStageCreateInfo stages[STAGES] = {0};
    CHECK(drawing->shader_count <= STAGES);
    for (uint32_t i = 0; i < drawing->shader_count; i++)
        CHECK(ws_gpu_stage(&rig->gpu, &drawing->shaders[i], &stages[i], NULL));
    const VkFormat format = drawing->format != VK_FORMAT_UNDEFINED ? drawing->format : DRAWING_FORMAT;
    const VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .depthAttachmentFormat = drawing->depth ? DEPTH_FORMAT : VK_FORMAT_UNDEFINED};
    VkPipelineMultisampleStateCreateInfo coverage = multisample;
    coverage.alphaToCoverageEnable = drawing->alpha_to_coverage;
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology =
            drawing->patch_size > 0 ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkPipelineTessellationStateCreateInfo tessellation = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .patchControlPoints = drawing->patch_size};
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &rendering,
        .stageCount = drawing->shader_count,
        .pStages = stages,
        .pVertexInputState = &vertices,
        .pInputAssemblyState = &assembly,
        .pTessellationState = drawing->patch_size > 0 ? &tessellation : NULL,
        .pViewportState = &viewports,
        .pRasterizationState = &rasterization,
        .pMultisampleState = &coverage,
        .pDepthStencilState = drawing->depth ? &nearer : &depth,
        .pColorBlendState = &blend,
        .layout = drawing->bindings != NULL ? drawing->bindings->layout : rig->empty.layout,
    };
    const VkPipeline pipeline =
        drawing->parts != NULL ? create_linked(rig, &info, drawing->parts) : create(rig, &info);
    for (uint32_t i = 0; i < drawing->shader_count; i++)
        vkDestroyShaderModule(rig->gpu.device, stages[i].module, NULL);
    return pipeline;
}

void drawing_begin(VkCommandBuffer commands, VkImageView view)
{
    drawing_begin_depth(commands, view, VK_NULL_HANDLE);
}

void drawing_begin_depth(VkCommandBuffer commands, VkImageView view, VkImageView depth_view)
{
    const VkRenderingAttachmentInfo depths = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = depth_view,
        .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue.depthStencil.depth = 1,
    };
    const VkRenderingAttachmentInfo colour = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = view,
        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
    const VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .renderArea = area,
        .layerCount = 1,
        .colorAttachmentCount = 1,
        .pColorAttachments = &colour,
        .pDepthAttachment = depth_view != VK_NULL_HANDLE ? &depths : NULL,
    };
    vkCmdBeginRendering(commands, &info);
}

void drawing_end(VkCommandBuffer commands)
{
    vkCmdEndRendering(commands);
}

VkCommandBuffer drawing_record(struct rig *rig)
{
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, 0);
    return commands;
}

void drawing_run(struct rig *rig, VkCommandBuffer commands)
{
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
    CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
}

uint64_t drawing_lanes(const struct recorded_launch *launch, uint32_t stage)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < launch->shader_count; i++)
        if (launch->shaders[i].stage == stage)
            lanes += recorded_lanes(&launch->shaders[i]);
    return lanes;
}
