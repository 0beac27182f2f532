/* usage: texels [levels]. Runs texels.comp in two workgroups of 64 threads, on images and texel buffers of every kind; or draws
 * 16 x 16 pixels by levels.frag. */
#include <stdio.h>
#include <string.h>

#include "examples/base/graphics.h"
#include "examples/base/options.h"

#include "levels_frag.h"
#include "levels_vert.h"
#include "texels_comp.h"

#define IMAGES   8u
#define BINDINGS 11u
#define PICTURE  4u  /* of the images */
#define TARGET   16u /* pixels on each side */

/* An image with all that its view shows. */
struct shape {
    VkImageType type;
    VkImageViewType view;
    VkFormat format;
    VkExtent3D extent;
    uint32_t levels;
    uint32_t layers;
    bool is_sampled;
};

static const struct shape shapes[IMAGES] = {
    {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT, {64, 64, 1}, 1, 1, false},
    {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32G32B32A32_SFLOAT, {64, 64, 1}, 1, 1, false},
    {VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, VK_FORMAT_R32_UINT, {16, 16, 16}, 1, 1, false},
    {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R16G16B16A16_SFLOAT, {8, 8, 1}, 1, 64, false},
    {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, {64, 64, 1}, 7, 1, true},
    {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, VK_FORMAT_R16G16B16A16_SFLOAT, {64, 64, 1}, 7, 6, true},
    {VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, VK_FORMAT_R8_UINT, {16, 16, 16}, 1, 1, true},
    {VK_IMAGE_TYPE_2D,
     VK_IMAGE_VIEW_TYPE_CUBE_ARRAY,
     VK_FORMAT_BC1_RGB_UNORM_BLOCK,
     {32, 32, 1},
     1,
     12,
     true},
};

struct kernel {
    struct ws_gpu_image images[IMAGES];
    struct ws_gpu_buffer texels[2]; /* of a uniform and of a storage texel buffer */
    VkBufferView views[2];
    struct ws_gpu_buffer sums;
    VkSampler sampler;
    struct ws_gpu_bindings bindings;
    VkPipeline pipeline;
    struct ws_gpu_target target; /* of levels.frag */
};

static uint32_t device_memory_type(const struct ws_gpu *gpu, uint32_t allowed)
{
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &properties);
    for (uint32_t i = 0; i < properties.memoryTypeCount; i++)
        if ((allowed >> i & 1) != 0 &&
            (properties.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0)
            return i;
    return 0;
}

static bool init_image(struct ws_gpu *gpu, struct ws_gpu_image *image, const struct shape *shape,
                       struct ws_error *error)
{
    VkMemoryRequirements requirements;
    *image = (struct ws_gpu_image){.format = shape->format, .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = shape->layers % 6 == 0 ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
        .imageType = shape->type,
        .format = shape->format,
        .extent = shape->extent,
        .mipLevels = shape->levels,
        .arrayLayers = shape->layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = shape->is_sampled ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_STORAGE_BIT,
    };
    if (!ws_gpu_check(vkCreateImage(gpu->device, &info, NULL, &image->image), "vkCreateImage", error))
        return false;
    vkGetImageMemoryRequirements(gpu->device, image->image, &requirements);
    const VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = requirements.size,
        .memoryTypeIndex = device_memory_type(gpu, requirements.memoryTypeBits),
    };
    if (!ws_gpu_check(vkAllocateMemory(gpu->device, &allocate, NULL, &image->memory), "vkAllocateMemory",
                      error) ||
        !ws_gpu_check(vkBindImageMemory(gpu->device, image->image, image->memory, 0), "vkBindImageMemory",
                      error))
        return false;
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->image,
        .viewType = shape->view,
        .format = shape->format,
        .subresourceRange = {image->aspect, 0, shape->levels, 0, shape->layers},
    };
    return ws_gpu_check(vkCreateImageView(gpu->device, &view, NULL, &image->view), "vkCreateImageView",
                        error);
}

/* The views begin behind the first 256 bytes of their buffers. */
static bool init_texels(struct ws_gpu *gpu, struct kernel *kernel, struct ws_error *error)
{
    for (uint32_t i = 0; i < 2; i++) {
        const VkBufferUsageFlags usage =
            i == 0 ? VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT : VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
        if (!ws_gpu_buffer_init(gpu, &kernel->texels[i], usage, NULL, 4096, error))
            return false;
        const VkBufferViewCreateInfo view = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
            .buffer = kernel->texels[i].buffer,
            .format = i == 0 ? VK_FORMAT_R16G16B16A16_SFLOAT : VK_FORMAT_R32_UINT,
            .offset = 256,
            .range = VK_WHOLE_SIZE,
        };
        if (!ws_gpu_check(vkCreateBufferView(gpu->device, &view, NULL, &kernel->views[i]),
                          "vkCreateBufferView", error))
            return false;
    }
    return ws_gpu_buffer_init(gpu, &kernel->sums, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL, 512, error);
}

#define SHADER(of, with)                                                                                     \
    {                                                                                                        \
        .stage = (of), .name = #with, .words = (with), .size = sizeof(with)                                  \
    }

static bool init_pipeline(struct ws_gpu *gpu, struct kernel *kernel, bool draws,
                          const struct ws_gpu_binding bindings[BINDINGS], struct ws_error *error)
{
    static const struct ws_gpu_shader shader = SHADER(VK_SHADER_STAGE_COMPUTE_BIT, texels_comp);
    static const struct ws_gpu_graphics graphics = {
        .vertex = SHADER(VK_SHADER_STAGE_VERTEX_BIT, levels_vert),
        .fragment = SHADER(VK_SHADER_STAGE_FRAGMENT_BIT, levels_frag),
        .scale = 4,
    };
    if (!draws) {
        if (!ws_gpu_bindings_init(gpu, &kernel->bindings, bindings, BINDINGS, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                  error))
            return false;
        kernel->pipeline = ws_gpu_compute_pipeline(gpu, &kernel->bindings, &shader, error);
    } else {
        if (!ws_gpu_target_init(gpu, &kernel->target, TARGET, TARGET, false, error) ||
            !ws_gpu_bindings_init(gpu, &kernel->bindings, &bindings[PICTURE], 1, VK_SHADER_STAGE_FRAGMENT_BIT,
                                  0, error))
            return false;
        kernel->pipeline =
            ws_gpu_graphics_pipeline(gpu, &kernel->bindings, &kernel->target, &graphics, error);
    }
    return kernel->pipeline != VK_NULL_HANDLE;
}

static bool init(struct ws_gpu *gpu, struct kernel *kernel, bool draws, struct ws_error *error)
{
    const VkSamplerCreateInfo sampler = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .maxLod = VK_LOD_CLAMP_NONE,
    };
    struct ws_gpu_binding bindings[BINDINGS] = {{0}};
    if (!ws_gpu_check(vkCreateSampler(gpu->device, &sampler, NULL, &kernel->sampler), "vkCreateSampler",
                      error) ||
        !init_texels(gpu, kernel, error))
        return false;
    for (uint32_t i = 0; i < IMAGES; i++) {
        if (!init_image(gpu, &kernel->images[i], &shapes[i], error))
            return false;
        bindings[i].image = &kernel->images[i];
        bindings[i].sampler = shapes[i].is_sampled ? kernel->sampler : VK_NULL_HANDLE;
    }
    for (uint32_t i = 0; i < 2; i++)
        bindings[IMAGES + i] = (struct ws_gpu_binding){.texels = kernel->views[i], .is_stored = i == 1};
    bindings[IMAGES + 2].buffer = &kernel->sums;
    return init_pipeline(gpu, kernel, draws, bindings, error);
}

static void enter_layout(VkCommandBuffer commands, const struct ws_gpu_image *image)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = {image->aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         0, NULL, 0, NULL, 1, &barrier);
}

static bool run(struct ws_gpu *gpu, struct kernel *kernel, bool draws, struct ws_error *error)
{
    static const float black[4] = {0};
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    for (uint32_t i = 0; i < IMAGES; i++)
        enter_layout(commands, &kernel->images[i]);
    ws_gpu_bind(commands, draws ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE,
                kernel->pipeline, &kernel->bindings);
    if (draws) {
        ws_gpu_target_begin(commands, &kernel->target, black);
        vkCmdDraw(commands, 3, 1, 0, 0);
        ws_gpu_target_end(commands, &kernel->target);
    } else {
        vkCmdDispatch(commands, 2, 1, 1);
    }
    return ws_gpu_submit(gpu, commands, error);
}

static void finish(struct ws_gpu *gpu, struct kernel *kernel)
{
    vkDestroyPipeline(gpu->device, kernel->pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &kernel->bindings);
    ws_gpu_target_finish(gpu, &kernel->target);
    vkDestroySampler(gpu->device, kernel->sampler, NULL);
    for (uint32_t i = 0; i < IMAGES; i++)
        ws_gpu_image_finish(gpu, &kernel->images[i]);
    for (uint32_t i = 0; i < 2; i++) {
        vkDestroyBufferView(gpu->device, kernel->views[i], NULL);
        ws_gpu_buffer_finish(gpu, &kernel->texels[i]);
    }
    ws_gpu_buffer_finish(gpu, &kernel->sums);
}

int main(int argc, char **argv)
{
    const bool draws = argc > 1 && strcmp(argv[1], "levels") == 0;
    const struct ws_gpu_request request = {.application = "texels",
                                           .needs = draws ? 0 : WS_GPU_IMAGES,
                                           .queue = draws ? VK_QUEUE_GRAPHICS_BIT : VK_QUEUE_COMPUTE_BIT};
    struct ws_error error = {{0}};
    struct ws_gpu gpu = {0};
    struct kernel kernel;
    memset(&kernel, 0, sizeof(kernel));
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));
    if (status == WS_EXIT_DONE) {
        status = init(&gpu, &kernel, draws, &error) && run(&gpu, &kernel, draws, &error) ? WS_EXIT_DONE
                                                                                         : WS_EXIT_FAILED;
        finish(&gpu, &kernel);
    }
    ws_gpu_finish(&gpu);
    if (status != WS_EXIT_DONE)
        printf("texels: %s\n", error.message);
    return status;
}
