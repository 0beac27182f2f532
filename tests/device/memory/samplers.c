/* usage: samplers. Runs samplers.comp in two workgroups of 64 threads: images of 16 texels on each side, and a wide one, by
 * samplers of all kinds. */
#include <stdio.h>
#include <string.h>

#include "examples/base/bindings.h"
#include "examples/base/options.h"

#include "samplers_comp.h"

#define SAMPLERS 13u
#define SIDE     16u
#define LEVELS   5u
#define WIDTH    16384u /* of the wide one, whose coordinates count texels */

enum { FLAT, SOLID, CUBE, WIDE, IMAGES };

struct shape {
    VkImageType type;
    VkImageViewType view;
    VkExtent3D extent;
    uint32_t levels;
    uint32_t layers;
};

static const struct shape shapes[IMAGES] = {
    {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, {SIDE, SIDE, 1}, LEVELS, 1},
    {VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, {SIDE, SIDE, SIDE}, LEVELS, 1},
    {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, {SIDE, SIDE, 1}, LEVELS, 6},
    {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, {WIDTH, 2, 1}, 1, 1},
};

#define SAMPLER(from, to, mixing, at, ...)                                                                   \
    {                                                                                                        \
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = VK_FILTER_##from,                       \
        .minFilter = VK_FILTER_##to, .mipmapMode = VK_SAMPLER_MIPMAP_MODE_##mixing,                          \
        .addressModeU = VK_SAMPLER_ADDRESS_MODE_##at, .addressModeV = VK_SAMPLER_ADDRESS_MODE_##at,          \
        .addressModeW = VK_SAMPLER_ADDRESS_MODE_##at, __VA_ARGS__                                            \
    }

static const VkSamplerCreateInfo samplers[SAMPLERS] = {
    SAMPLER(LINEAR, LINEAR, NEAREST, REPEAT, .maxLod = VK_LOD_CLAMP_NONE),
    SAMPLER(LINEAR, LINEAR, NEAREST, MIRRORED_REPEAT, .maxLod = VK_LOD_CLAMP_NONE),
    SAMPLER(LINEAR, LINEAR, NEAREST, CLAMP_TO_EDGE, .maxLod = VK_LOD_CLAMP_NONE),
    SAMPLER(LINEAR, LINEAR, NEAREST, CLAMP_TO_BORDER, .maxLod = VK_LOD_CLAMP_NONE),
    SAMPLER(NEAREST, NEAREST, NEAREST, MIRRORED_REPEAT, .maxLod = VK_LOD_CLAMP_NONE),
    SAMPLER(LINEAR, LINEAR, LINEAR, REPEAT, .mipLodBias = 0.5f, .maxLod = VK_LOD_CLAMP_NONE),
    SAMPLER(NEAREST, NEAREST, NEAREST, REPEAT, .minLod = 1, .maxLod = 2),
    SAMPLER(NEAREST, LINEAR, NEAREST, REPEAT, .maxLod = VK_LOD_CLAMP_NONE),
    SAMPLER(LINEAR, LINEAR, NEAREST, CLAMP_TO_EDGE, .unnormalizedCoordinates = VK_TRUE),
    SAMPLER(LINEAR, LINEAR, NEAREST, REPEAT, .maxLod = VK_LOD_CLAMP_NONE),
    SAMPLER(LINEAR, LINEAR, NEAREST, CLAMP_TO_EDGE, .maxLod = VK_LOD_CLAMP_NONE),
    SAMPLER(NEAREST, NEAREST, NEAREST, REPEAT, .maxLod = VK_LOD_CLAMP_NONE),
    SAMPLER(LINEAR, LINEAR, NEAREST, CLAMP_TO_EDGE, .unnormalizedCoordinates = VK_TRUE),
};

struct kernel {
    struct ws_gpu_image images[IMAGES];
    VkImageView single; /* the flat one with one level, as samplers with coordinates in texels need */
    VkSampler samplers[SAMPLERS];
    struct ws_gpu_buffer sums;
    struct ws_gpu_bindings bindings;
    VkPipeline pipeline;
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

static bool init_view(struct ws_gpu *gpu, const struct ws_gpu_image *image, const struct shape *shape,
                      uint32_t levels, VkImageView *made, struct ws_error *error)
{
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->image,
        .viewType = shape->view,
        .format = image->format,
        .subresourceRange = {image->aspect, 0, levels, 0, shape->layers},
    };
    return ws_gpu_check(vkCreateImageView(gpu->device, &view, NULL, made), "vkCreateImageView", error);
}

static bool init_image(struct ws_gpu *gpu, struct ws_gpu_image *image, const struct shape *shape,
                       struct ws_error *error)
{
    VkMemoryRequirements requirements;
    *image = (struct ws_gpu_image){.format = VK_FORMAT_R8G8B8A8_UNORM, .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = shape->layers == 6 ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
        .imageType = shape->type,
        .format = image->format,
        .extent = shape->extent,
        .mipLevels = shape->levels,
        .arrayLayers = shape->layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    if (!ws_gpu_check(vkCreateImage(gpu->device, &info, NULL, &image->image), "vkCreateImage", error))
        return false;
    vkGetImageMemoryRequirements(gpu->device, image->image, &requirements);
    const VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = requirements.size,
        .memoryTypeIndex = device_memory_type(gpu, requirements.memoryTypeBits),
    };
    return ws_gpu_check(vkAllocateMemory(gpu->device, &allocate, NULL, &image->memory), "vkAllocateMemory",
                        error) &&
           ws_gpu_check(vkBindImageMemory(gpu->device, image->image, image->memory, 0), "vkBindImageMemory",
                        error) &&
           init_view(gpu, image, shape, shape->levels, &image->view, error);
}

static bool init(struct ws_gpu *gpu, struct kernel *kernel, struct ws_error *error)
{
    static const struct ws_gpu_shader shader = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                .name = "samplers_comp",
                                                .words = samplers_comp,
                                                .size = sizeof(samplers_comp)};
    struct ws_gpu_binding bindings[SAMPLERS + 1] = {{0}};
    for (uint32_t i = 0; i < IMAGES; i++)
        if (!init_image(gpu, &kernel->images[i], &shapes[i], error))
            return false;
    if (!init_view(gpu, &kernel->images[FLAT], &shapes[FLAT], 1, &kernel->single, error))
        return false;
    struct ws_gpu_image single = kernel->images[FLAT];
    single.view = kernel->single;
    for (uint32_t i = 0; i < SAMPLERS; i++) {
        if (!ws_gpu_check(vkCreateSampler(gpu->device, &samplers[i], NULL, &kernel->samplers[i]),
                          "vkCreateSampler", error))
            return false;
        bindings[i].sampler = kernel->samplers[i];
        bindings[i].image = &kernel->images[i == 9 ? SOLID : i == 10 ? CUBE : i == 12 ? WIDE : FLAT];
        if (i == 8) /* its coordinates count texels: only one level */
            bindings[i].image = &single;
    }
    bindings[SAMPLERS].buffer = &kernel->sums;
    if (!ws_gpu_buffer_init(gpu, &kernel->sums, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL, 512, error) ||
        !ws_gpu_bindings_init(gpu, &kernel->bindings, bindings, SAMPLERS + 1, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              error))
        return false;
    kernel->pipeline = ws_gpu_compute_pipeline(gpu, &kernel->bindings, &shader, error);
    return kernel->pipeline != VK_NULL_HANDLE;
}

static bool run(struct ws_gpu *gpu, const struct kernel *kernel, struct ws_error *error)
{
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    for (uint32_t i = 0; i < IMAGES; i++) {
        const VkImageMemoryBarrier barrier = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
            .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT,
            .newLayout = VK_IMAGE_LAYOUT_GENERAL,
            .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .image = kernel->images[i].image,
            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                 VK_REMAINING_ARRAY_LAYERS},
        };
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             0, 0, NULL, 0, NULL, 1, &barrier);
    }
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline, &kernel->bindings);
    vkCmdDispatch(commands, 2, 1, 1);
    return ws_gpu_submit(gpu, commands, error);
}

static void finish(struct ws_gpu *gpu, struct kernel *kernel)
{
    vkDestroyPipeline(gpu->device, kernel->pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &kernel->bindings);
    for (uint32_t i = 0; i < SAMPLERS; i++)
        vkDestroySampler(gpu->device, kernel->samplers[i], NULL);
    vkDestroyImageView(gpu->device, kernel->single, NULL);
    for (uint32_t i = 0; i < IMAGES; i++)
        ws_gpu_image_finish(gpu, &kernel->images[i]);
    ws_gpu_buffer_finish(gpu, &kernel->sums);
}

int main(void)
{
    const struct ws_gpu_request request = {.application = "samplers", .queue = VK_QUEUE_COMPUTE_BIT};
    struct ws_error error = {{0}};
    struct ws_gpu gpu = {0};
    struct kernel kernel;
    memset(&kernel, 0, sizeof(kernel));
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));
    if (status == WS_EXIT_DONE && gpu.properties.limits.maxImageDimension2D < WIDTH) {
        printf("the device has no images of %u texels\n", WIDTH);
        ws_gpu_finish(&gpu);
        return 77;
    }
    if (status == WS_EXIT_DONE) {
        status = init(&gpu, &kernel, &error) && run(&gpu, &kernel, &error) ? WS_EXIT_DONE : WS_EXIT_FAILED;
        finish(&gpu, &kernel);
    }
    ws_gpu_finish(&gpu);
    if (status != WS_EXIT_DONE)
        printf("samplers: %s\n", error.message);
    return status;
}
