/* usage: inputs. Draws 16 x 16 pixels by inputs.frag, which reads a subpass input of 8 bytes a texel. */
#include <stdio.h>
#include <string.h>

#include "examples/base/graphics.h"
#include "examples/base/options.h"

#include "inputs_frag.h"
#include "levels_vert.h"

#define TARGET 16u /* pixels on each side */

struct kernel {
    struct ws_gpu_target target;
    struct ws_gpu_image input;
    struct ws_gpu_bindings bindings;
    VkPipeline pipeline;
};

static VkAttachmentDescription attachment(VkFormat format, VkImageLayout layout)
{
    return (VkAttachmentDescription){
        .format = format,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .initialLayout = layout,
        .finalLayout = layout,
    };
}

/* The target's render pass, with one attachment more, which is its input. */
static bool init_pass(struct ws_gpu *gpu, struct kernel *kernel, struct ws_error *error)
{
    struct ws_gpu_target *target = &kernel->target;
    const VkAttachmentDescription attachments[3] = {
        attachment(target->colour.format, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL),
        attachment(target->depth.format, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL),
        attachment(kernel->input.format, VK_IMAGE_LAYOUT_GENERAL),
    };
    const VkAttachmentReference colour = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference input = {2, VK_IMAGE_LAYOUT_GENERAL};
    const VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .inputAttachmentCount = 1,
        .pInputAttachments = &input,
        .colorAttachmentCount = 1,
        .pColorAttachments = &colour,
        .pDepthStencilAttachment = &depth,
    };
    const VkRenderPassCreateInfo pass = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 3,
        .pAttachments = attachments,
        .subpassCount = 1,
        .pSubpasses = &subpass,
    };
    const VkImageView views[3] = {target->colour.view, target->depth.view, kernel->input.view};
    if (!ws_gpu_check(vkCreateRenderPass(gpu->device, &pass, NULL, &target->pass), "vkCreateRenderPass",
                      error))
        return false;
    const VkFramebufferCreateInfo framebuffer = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = target->pass,
        .attachmentCount = 3,
        .pAttachments = views,
        .width = TARGET,
        .height = TARGET,
        .layers = 1,
    };
    return ws_gpu_check(vkCreateFramebuffer(gpu->device, &framebuffer, NULL, &target->framebuffer),
                        "vkCreateFramebuffer", error);
}

#define SHADER(of, with)                                                                                     \
    {                                                                                                        \
        .stage = (of), .name = #with, .words = (with), .size = sizeof(with)                                  \
    }

static bool init(struct ws_gpu *gpu, struct kernel *kernel, struct ws_error *error)
{
    static const struct ws_gpu_graphics graphics = {
        .vertex = SHADER(VK_SHADER_STAGE_VERTEX_BIT, levels_vert),
        .fragment = SHADER(VK_SHADER_STAGE_FRAGMENT_BIT, inputs_frag),
        .scale = 4,
    };
    const struct ws_gpu_binding binding = {.image = &kernel->input, .is_input = true};
    if (!ws_gpu_target_init(gpu, &kernel->target, TARGET, TARGET, true, error) ||
        !ws_gpu_image_init(gpu, &kernel->input, VK_FORMAT_R16G16B16A16_SFLOAT,
                           VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, TARGET, TARGET, error) ||
        !init_pass(gpu, kernel, error) ||
        !ws_gpu_bindings_init(gpu, &kernel->bindings, &binding, 1, VK_SHADER_STAGE_FRAGMENT_BIT, 0, error))
        return false;
    kernel->pipeline = ws_gpu_graphics_pipeline(gpu, &kernel->bindings, &kernel->target, &graphics, error);
    return kernel->pipeline != VK_NULL_HANDLE;
}

static bool run(struct ws_gpu *gpu, struct kernel *kernel, struct ws_error *error)
{
    static const float black[4] = {0};
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_image_layout(commands, &kernel->input, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, kernel->pipeline, &kernel->bindings);
    ws_gpu_target_begin(commands, &kernel->target, black);
    vkCmdDraw(commands, 3, 1, 0, 0);
    ws_gpu_target_end(commands, &kernel->target);
    return ws_gpu_submit(gpu, commands, error);
}

int main(void)
{
    const struct ws_gpu_request request = {.application = "inputs", .queue = VK_QUEUE_GRAPHICS_BIT};
    struct ws_error error = {{0}};
    struct ws_gpu gpu = {0};
    struct kernel kernel;
    memset(&kernel, 0, sizeof(kernel));
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));
    if (status == WS_EXIT_DONE) {
        status = init(&gpu, &kernel, &error) && run(&gpu, &kernel, &error) ? WS_EXIT_DONE : WS_EXIT_FAILED;
        vkDestroyPipeline(gpu.device, kernel.pipeline, NULL);
        ws_gpu_bindings_finish(&gpu, &kernel.bindings);
        ws_gpu_target_finish(&gpu, &kernel.target);
        ws_gpu_image_finish(&gpu, &kernel.input);
    }
    ws_gpu_finish(&gpu);
    if (status != WS_EXIT_DONE)
        printf("inputs: %s\n", error.message);
    return status;
}
