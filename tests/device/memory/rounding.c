/* usage: rounding [MODULE.spv ...]. Runs rounding.comp and branches.comp, or modules that have the same bindings, and prints
 * all that they yielded, bit for bit, a line for each of their results. Modules may also draw into an image, and trace ray
 * queries to a triangle that stands at z = 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/base/bindings.h"
#include "examples/base/options.h"
#include "tests/device/triangle.h"

#include "branches_comp.h"
#include "rounding_comp.h"

#define THREADS   4096u
#define SAMPLES   12u
#define FACTORS   128u
#define LEVELS    2u
#define WORDS_MAX (1u << 18)

struct kernel {
    struct ws_gpu_image
        image; /* level 0 is 1, level 1 a quarter, and around both is 0: so each coordinate and level shows */
    VkSampler sampler;
    struct ws_gpu_buffer factors;
    struct ws_gpu_buffer sampled;
    struct ws_gpu_image drawn; /* a texel for each thread */
    struct triangle triangle;
    struct ws_gpu_acceleration_structure top;
    struct ws_gpu_bindings bindings;
};

static bool init_image(struct ws_gpu *gpu, struct ws_gpu_image *image, struct ws_error *error)
{
    VkMemoryRequirements requirements;
    *image = (struct ws_gpu_image){.format = VK_FORMAT_R16_SFLOAT, .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = image->format,
        .extent = {2, 2, 1},
        .mipLevels = LEVELS,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    if (!ws_gpu_check(vkCreateImage(gpu->device, &info, NULL, &image->image), "vkCreateImage", error))
        return false;
    vkGetImageMemoryRequirements(gpu->device, image->image, &requirements);
    uint32_t type = 0;
    while ((requirements.memoryTypeBits >> type & 1) == 0)
        type++;
    const VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = requirements.size,
        .memoryTypeIndex = type,
    };
    if (!ws_gpu_check(vkAllocateMemory(gpu->device, &allocate, NULL, &image->memory), "vkAllocateMemory",
                      error) ||
        !ws_gpu_check(vkBindImageMemory(gpu->device, image->image, image->memory, 0), "vkBindImageMemory",
                      error))
        return false;
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = image->format,
        .subresourceRange = {image->aspect, 0, LEVELS, 0, 1},
    };
    return ws_gpu_check(vkCreateImageView(gpu->device, &view, NULL, &image->view), "vkCreateImageView",
                        error);
}

/* `has_rays`: modules may draw and trace. */
static bool init(struct ws_gpu *gpu, struct kernel *kernel, bool has_rays, struct ws_error *error)
{
    const VkSamplerCreateInfo sampler = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = VK_FILTER_LINEAR,
        .minFilter = VK_FILTER_LINEAR,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
        .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
        .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
        .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
        .maxLod = VK_LOD_CLAMP_NONE,
    };
    float factors[FACTORS];
    for (uint32_t i = 0; i < FACTORS; i++)
        factors[i] = i < SAMPLES ? 3.1f + 0.037f * (float)i : 0.0113f * (float)i;
    if (!init_image(gpu, &kernel->image, error) ||
        !ws_gpu_check(vkCreateSampler(gpu->device, &sampler, NULL, &kernel->sampler), "vkCreateSampler",
                      error) ||
        !ws_gpu_buffer_init(gpu, &kernel->factors, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, factors,
                            sizeof(factors), error) ||
        !ws_gpu_buffer_init(gpu, &kernel->sampled, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                            sizeof(uint32_t) * THREADS * SAMPLES, error))
        return false;
    if (has_rays && (!ws_gpu_image_init(gpu, &kernel->drawn, VK_FORMAT_R32_SFLOAT, VK_IMAGE_USAGE_STORAGE_BIT,
                                        THREADS / 64, 64, error) ||
                     !triangle_init(gpu, &kernel->triangle, triangle_wide, error) ||
                     !triangle_place(gpu, &kernel->triangle, 1, 7, &kernel->top, error)))
        return false;
    const struct ws_gpu_binding bindings[] = {
        {.image = &kernel->image, .sampler = kernel->sampler},
        {.buffer = &kernel->factors},
        {.buffer = &kernel->sampled},
        {.image = &kernel->drawn},
        {.acceleration_structure = &kernel->top.handle},
    };
    return ws_gpu_bindings_init(gpu, &kernel->bindings, bindings, has_rays ? 5 : 3,
                                VK_SHADER_STAGE_COMPUTE_BIT, 0, error);
}

static bool clear(struct ws_gpu *gpu, const struct kernel *kernel, struct ws_error *error)
{
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = kernel->image.image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, LEVELS, 0, 1},
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         0, NULL, 0, NULL, 1, &barrier);
    if (kernel->drawn.image != VK_NULL_HANDLE)
        ws_gpu_image_layout(commands, &kernel->drawn, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    for (uint32_t level = 0; level < LEVELS; level++) {
        const VkClearColorValue colour = {.float32 = {level == 0 ? 1.0f : 0.25f}};
        const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 0, 1};
        vkCmdClearColorImage(commands, kernel->image.image, VK_IMAGE_LAYOUT_GENERAL, &colour, 1, &range);
    }
    ws_gpu_barrier(commands);
    return ws_gpu_submit(gpu, commands, error);
}

static void print(const struct kernel *kernel)
{
    const uint32_t *sampled = kernel->sampled.data;
    for (uint32_t i = 0; i < SAMPLES; i++)
        for (uint32_t t = 0; t < THREADS; t++)
            printf("%08x%c", sampled[(size_t)t * SAMPLES + i], t + 1 == THREADS ? '\n' : ' ');
}

/* Runs one module, and prints what it yielded. */
static bool run(struct ws_gpu *gpu, const struct kernel *kernel, const struct ws_gpu_shader *shader,
                struct ws_error *error)
{
    VkPipeline pipeline = ws_gpu_compute_pipeline(gpu, &kernel->bindings, shader, error);
    VkCommandBuffer commands = pipeline != VK_NULL_HANDLE ? ws_gpu_begin(gpu, error) : VK_NULL_HANDLE;
    bool ran = false;
    if (commands != VK_NULL_HANDLE) {
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline, &kernel->bindings);
        vkCmdDispatch(commands, THREADS / 64, 1, 1);
        ran = ws_gpu_submit(gpu, commands, error);
    }
    if (ran)
        print(kernel);
    vkDestroyPipeline(gpu->device, pipeline, NULL);
    return ran;
}

/* Runs a module of a file. */
static bool run_file(struct ws_gpu *gpu, const struct kernel *kernel, const char *path,
                     struct ws_error *error)
{
    FILE *file = fopen(path, "rb");
    uint32_t *words = malloc(sizeof(*words) * WORDS_MAX);
    bool ran = false;
    snprintf(error->message, sizeof(error->message), "%s cannot be read", path);
    if (file != NULL && words != NULL) {
        const struct ws_gpu_shader shader = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                             .name = path,
                                             .words = words,
                                             .size = sizeof(*words) *
                                                     fread(words, sizeof(*words), WORDS_MAX, file)};
        ran = run(gpu, kernel, &shader, error);
    }
    if (file != NULL)
        fclose(file);
    free(words);
    return ran;
}

static bool run_all(struct ws_gpu *gpu, const struct kernel *kernel, char **paths, int count,
                    struct ws_error *error)
{
    const struct ws_gpu_shader own[] = {
        {VK_SHADER_STAGE_COMPUTE_BIT, "rounding", rounding_comp, sizeof(rounding_comp), NULL, NULL},
        {VK_SHADER_STAGE_COMPUTE_BIT, "branches", branches_comp, sizeof(branches_comp), NULL, NULL},
    };
    bool ran = true;
    for (int i = 0; i < 2 && ran && count == 0; i++)
        ran = run(gpu, kernel, &own[i], error);
    for (int i = 0; i < count && ran; i++)
        ran = run_file(gpu, kernel, paths[i], error);
    return ran;
}

static void finish(struct ws_gpu *gpu, struct kernel *kernel)
{
    ws_gpu_bindings_finish(gpu, &kernel->bindings);
    vkDestroySampler(gpu->device, kernel->sampler, NULL);
    ws_gpu_image_finish(gpu, &kernel->image);
    ws_gpu_image_finish(gpu, &kernel->drawn);
    ws_gpu_buffer_finish(gpu, &kernel->factors);
    ws_gpu_buffer_finish(gpu, &kernel->sampled);
    ws_gpu_acceleration_structure_finish(gpu, &kernel->top);
    triangle_finish(gpu, &kernel->triangle);
}

int main(int argc, char **argv)
{
    const bool has_rays = argc > 1;
    const struct ws_gpu_request request = {
        .application = "rounding",
        .needs = has_rays ? WS_GPU_RAY_TRACING | WS_GPU_RAY_QUERY : 0,
        .queue = VK_QUEUE_COMPUTE_BIT,
    };
    struct ws_error error = {{0}};
    struct ws_gpu gpu = {0};
    struct kernel kernel;
    memset(&kernel, 0, sizeof(kernel));
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));
    if (status == WS_EXIT_DONE) {
        status = init(&gpu, &kernel, has_rays, &error) && clear(&gpu, &kernel, &error) &&
                         run_all(&gpu, &kernel, argv + 1, argc - 1, &error)
                     ? WS_EXIT_DONE
                     : WS_EXIT_FAILED;
        finish(&gpu, &kernel);
    }
    ws_gpu_finish(&gpu);
    if (status != WS_EXIT_DONE)
        printf("rounding: %s\n", error.message);
    return status;
}
