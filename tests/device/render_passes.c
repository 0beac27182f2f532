/* Draws in render passes and dynamic renderings: inline, from secondary command buffers and in renderings
 * that are suspended and resumed. A triangle covers all, so each draw runs the fragment shader once per
 * pixel. */
#include "tests/device/rig.h"

#include "cover_frag.h"
#include "cover_vert.h"
#include "warpscope/stage.h"

#define WIDTH        40
#define HEIGHT       24
#define PIXELS       (WIDTH * HEIGHT)
#define FORMAT       VK_FORMAT_R8G8B8A8_UNORM
#define SIMULTANEOUS VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT

struct scene {
    struct ws_gpu_image image;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkPipeline red, black; /* for the render pass: their fragment shaders differ */
    VkPipeline dynamic_red, dynamic_black;
};

static const VkRect2D area = {.extent = {WIDTH, HEIGHT}};

/* The state that all pipelines here share. */
static const VkPipelineVertexInputStateCreateInfo vertices = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
static const VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
static const VkViewport viewport = {.width = WIDTH, .height = HEIGHT, .maxDepth = 1};
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
static const VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 0xf};
static const VkPipelineColorBlendStateCreateInfo blend = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment};

static VkPipeline graphics_pipeline(struct rig *rig, VkRenderPass pass, float red)
{
    const VkSpecializationMapEntry entry = {.size = sizeof(red)};
    const VkSpecializationInfo specialization = {
        .mapEntryCount = 1, .pMapEntries = &entry, .dataSize = sizeof(red), .pData = &red};
    const VkPipelineShaderStageCreateInfo stages[] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = ws_gpu_module(&rig->gpu, cover_vert, sizeof(cover_vert), NULL),
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = ws_gpu_module(&rig->gpu, cover_frag, sizeof(cover_frag), NULL),
         .pName = "main",
         .pSpecializationInfo = &specialization},
    };
    const VkFormat format = FORMAT;
    const VkPipelineRenderingCreateInfo rendering = {.sType =
                                                         VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachmentFormats = &format};
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = pass == VK_NULL_HANDLE ? &rendering : NULL,
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState = &vertices,
        .pInputAssemblyState = &assembly,
        .pViewportState = &viewports,
        .pRasterizationState = &rasterization,
        .pMultisampleState = &multisample,
        .pColorBlendState = &blend,
        .layout = rig->empty.layout,
        .renderPass = pass,
    };
    VkPipeline pipeline;
    CHECK(vkCreateGraphicsPipelines(rig->gpu.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline) ==
          VK_SUCCESS);
    vkDestroyShaderModule(rig->gpu.device, stages[0].module, NULL);
    vkDestroyShaderModule(rig->gpu.device, stages[1].module, NULL);
    return pipeline;
}

static void create_pass(struct rig *rig, struct scene *scene)
{
    const VkAttachmentDescription attachment = {
        .format = FORMAT,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .initialLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
    };
    const VkAttachmentReference reference = {.layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpasses[] = {
        {.colorAttachmentCount = 1, .pColorAttachments = &reference},
        {.colorAttachmentCount = 1, .pColorAttachments = &reference},
    };
    const VkSubpassDependency dependency = {
        .srcSubpass = 0,
        .dstSubpass = 1,
        .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT,
    };
    const VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &attachment,
        .subpassCount = 2,
        .pSubpasses = subpasses,
        .dependencyCount = 1,
        .pDependencies = &dependency,
    };
    CHECK(vkCreateRenderPass(rig->gpu.device, &info, NULL, &scene->pass) == VK_SUCCESS);
    const VkFramebufferCreateInfo framebuffer = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = scene->pass,
        .attachmentCount = 1,
        .pAttachments = &scene->image.view,
        .width = WIDTH,
        .height = HEIGHT,
        .layers = 1,
    };
    CHECK(vkCreateFramebuffer(rig->gpu.device, &framebuffer, NULL, &scene->framebuffer) == VK_SUCCESS);
}

static void scene_init(struct rig *rig, struct scene *scene)
{
    CHECK(ws_gpu_image_init(&rig->gpu, &scene->image, FORMAT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, WIDTH,
                            HEIGHT, NULL));
    VkCommandBuffer commands = ws_gpu_begin(&rig->gpu, NULL);
    ws_gpu_image_layout(commands, &scene->image, VK_IMAGE_LAYOUT_UNDEFINED,
                        VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    CHECK(ws_gpu_submit(&rig->gpu, commands, NULL));
    create_pass(rig, scene);
    scene->red = graphics_pipeline(rig, scene->pass, 1);
    scene->black = graphics_pipeline(rig, scene->pass, 0);
    scene->dynamic_red = graphics_pipeline(rig, VK_NULL_HANDLE, 1);
    scene->dynamic_black = graphics_pipeline(rig, VK_NULL_HANDLE, 0);
}

static void scene_finish(struct rig *rig, struct scene *scene)
{
    CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
    vkDestroyPipeline(rig->gpu.device, scene->red, NULL);
    vkDestroyPipeline(rig->gpu.device, scene->black, NULL);
    vkDestroyPipeline(rig->gpu.device, scene->dynamic_red, NULL);
    vkDestroyPipeline(rig->gpu.device, scene->dynamic_black, NULL);
    vkDestroyFramebuffer(rig->gpu.device, scene->framebuffer, NULL);
    vkDestroyRenderPass(rig->gpu.device, scene->pass, NULL);
    ws_gpu_image_finish(&rig->gpu, &scene->image);
}

static void begin_pass(const struct scene *scene, VkCommandBuffer commands, VkSubpassContents contents)
{
    const VkRenderPassBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = scene->pass,
        .framebuffer = scene->framebuffer,
        .renderArea = area,
    };
    vkCmdBeginRenderPass(commands, &info, contents);
}

static void begin_rendering(const struct scene *scene, VkCommandBuffer commands, VkRenderingFlags flags)
{
    const VkRenderingAttachmentInfo attachment = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = scene->image.view,
        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
    const VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .flags = flags,
        .renderArea = area,
        .layerCount = 1,
        .colorAttachmentCount = 1,
        .pColorAttachments = &attachment,
    };
    vkCmdBeginRendering(commands, &info);
}

static void draw(VkCommandBuffer commands, VkPipeline pipeline, uint32_t draws)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    for (uint32_t i = 0; i < draws; i++)
        vkCmdDraw(commands, 3, 1, 0, 0);
}

static VkCommandBuffer begin_primary(struct rig *rig, VkCommandBufferUsageFlags flags)
{
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, flags);
    return commands;
}

static void end_and_submit(struct rig *rig, VkCommandBuffer commands)
{
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
}

/* How many draws' worth of pixels the fragment shaders of a launch ran. */
static uint64_t covered(const struct recorded_launch *launch)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < launch->shader_count; i++)
        if (launch->shaders[i].stage == WS_STAGE_FRAGMENT)
            lanes += recorded_lanes(&launch->shaders[i]);
    CHECK(lanes % PIXELS == 0);
    return lanes / PIXELS;
}

static void check_pass(const struct recorded_launch *launch, uint32_t draws, uint64_t triangles,
                       uint32_t pipelines)
{
    CHECK(launch->kind == WS_LAUNCH_RENDER_PASS);
    CHECK(launch->size[0] == WIDTH && launch->size[1] == HEIGHT && launch->size[2] == 1);
    CHECK(launch->draws == draws);
    CHECK(launch->pipeline_count == pipelines);
    CHECK(covered(launch) == triangles);
}

static void run_inline(struct rig *rig)
{
    struct scene scene;
    scene_init(rig, &scene);
    VkCommandBuffer commands = begin_primary(rig, 0);
    begin_pass(&scene, commands, VK_SUBPASS_CONTENTS_INLINE);
    draw(commands, scene.red, 2);
    draw(commands, scene.black, 3);
    vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(commands);
    begin_pass(&scene, commands, VK_SUBPASS_CONTENTS_INLINE); /* draws nothing: no launch */
    vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(commands);
    begin_rendering(&scene, commands, 0);
    draw(commands, scene.dynamic_red, 1);
    vkCmdEndRendering(commands);
    end_and_submit(rig, commands);
    scene_finish(rig, &scene);
}

static void check_inline(const struct recorded *recorded)
{
    CHECK(recorded->count == 2 && recorded->skipped == 0);
    check_pass(&recorded->launches[0], 5, 5, 2);
    check_pass(&recorded->launches[1], 1, 1, 1);
    /* One vertex shader, two fragment shaders. */
    CHECK(recorded->launches[0].shader_count == 3);
}

static VkCommandBuffer continuing(struct rig *rig, const struct scene *scene, uint32_t subpass,
                                  VkPipeline pipeline, uint32_t draws)
{
    const VkCommandBufferInheritanceInfo inheritance = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
        .renderPass = scene->pass,
        .subpass = subpass,
    };
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = SIMULTANEOUS | VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
        .pInheritanceInfo = &inheritance,
    };
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    CHECK(vkBeginCommandBuffer(commands, &info) == VK_SUCCESS);
    draw(commands, pipeline, draws);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    return commands;
}

static void run_secondaries(struct rig *rig)
{
    struct scene scene;
    scene_init(rig, &scene);
    VkCommandBuffer a = continuing(rig, &scene, 0, scene.red, 2);
    VkCommandBuffer b = continuing(rig, &scene, 0, scene.black, 1);
    const VkCommandBuffer order[] = {a, b, a};
    for (int i = 0; i < 2; i++) {
        VkCommandBuffer commands = begin_primary(rig, 0);
        begin_pass(&scene, commands, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
        vkCmdExecuteCommands(commands, 3, order);
        vkCmdExecuteCommands(commands, 1, &a);
        vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdEndRenderPass(commands);
        end_and_submit(rig, commands);
    }
    scene_finish(rig, &scene);
}

static void check_secondaries(const struct recorded *recorded)
{
    CHECK(recorded->count == 2 && recorded->skipped == 0);
    for (int i = 0; i < 2; i++)
        check_pass(&recorded->launches[i], 7, 7, 2);
}

/* Suspended and resumed within one command buffer: one launch. */
static void run_suspended(struct rig *rig)
{
    struct scene scene;
    scene_init(rig, &scene);
    VkCommandBuffer commands = begin_primary(rig, 0);
    begin_rendering(&scene, commands, VK_RENDERING_SUSPENDING_BIT);
    draw(commands, scene.dynamic_red, 2);
    vkCmdEndRendering(commands);
    begin_rendering(&scene, commands, VK_RENDERING_RESUMING_BIT);
    draw(commands, scene.dynamic_black, 1);
    vkCmdEndRendering(commands);
    end_and_submit(rig, commands);
    scene_finish(rig, &scene);
}

static void check_suspended(const struct recorded *recorded)
{
    CHECK(recorded->count == 1 && recorded->skipped == 0);
    check_pass(&recorded->launches[0], 3, 3, 2);
    CHECK(recorded->launches[0].flags == 0);
}

/* In three command buffers: what the last one does not know of is copied behind it, before the next one,
 * which uses the same shaders again, and in the next batch. */
static void run_suspended_across(struct rig *rig)
{
    struct scene scene;
    scene_init(rig, &scene);
    VkCommandBuffer parts[4];
    for (int i = 0; i < 4; i++) {
        static const VkRenderingFlags flags[4] = {
            VK_RENDERING_SUSPENDING_BIT,
            VK_RENDERING_RESUMING_BIT | VK_RENDERING_SUSPENDING_BIT,
            VK_RENDERING_RESUMING_BIT,
            0,
        };
        parts[i] = begin_primary(rig, SIMULTANEOUS);
        begin_rendering(&scene, parts[i], flags[i]);
        draw(parts[i], i == 2 ? scene.dynamic_black : scene.dynamic_red, (uint32_t)i + 1);
        vkCmdEndRendering(parts[i]);
        CHECK(vkEndCommandBuffer(parts[i]) == VK_SUCCESS);
    }
    rig_submit(rig, 4, parts, VK_NULL_HANDLE);
    rig_submit(rig, 3, parts, VK_NULL_HANDLE);
    scene_finish(rig, &scene);
}

static void check_suspended_across(const struct recorded *recorded)
{
    CHECK(recorded->count == 5 && recorded->skipped == 0);
    for (uint32_t i = 0; i < 5; i += 3) {
        check_pass(&recorded->launches[i], 3, 3, 1); /* the part that ends it */
        CHECK(recorded->launches[i].flags == 0);
        check_pass(&recorded->launches[i + 1], 3, 3, 1); /* the rest: 1 + 2 draws */
        CHECK(recorded->launches[i + 1].flags == WS_LAUNCH_SUSPENDED);
    }
    check_pass(&recorded->launches[2], 4, 4, 1);
}

/* What nobody wants is zeroed all the same: the one that is wanted holds nothing of it. */
static void check_suspended_unwanted(const struct recorded *recorded)
{
    CHECK(recorded->count == 1 && recorded->totals.outside == 4);
    check_pass(&recorded->launches[0], 4, 4, 1);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "inline", .run = run_inline, .check = check_inline},
        {.name = "secondaries", .run = run_secondaries, .check = check_secondaries},
        {.name = "suspended", .run = run_suspended, .check = check_suspended},
        {.name = "suspended_across", .run = run_suspended_across, .check = check_suspended_across},
        {.name = "suspended_unwanted",
         .run = run_suspended_across,
         .check = check_suspended_unwanted,
         .setting = "WARPSCOPE_LAUNCHES",
         .value = "2-2"},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
