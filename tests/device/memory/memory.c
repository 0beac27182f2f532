/* usage: memory [memory|layouts|alias|product|transpose|pointers MODULE] [later]. Runs that kernel for the programs beside it:
 * two workgroups of 64 threads, or 64 for product and transpose. Every word of the buffers is another one. The memory that
 * is read by its address begins at a multiple of 128 bytes. The kernel of pointers is read from a file. The first two bindings
 * of alias.comp are one buffer. */
#include <stdio.h>
#include <string.h>

#include "examples/base/bindings.h"
#include "examples/base/options.h"

#include "alias_comp.h"
#include "layouts_comp.h"
#include "memory_comp.h"
#include "product_comp.h"
#include "transpose_comp.h"

#define BUFFERS 4u /* three bindings, and what is read by its address */
#define SIZE    (4u * 8192)
#define LINE    128u

#define MODULE_SIZE 65536u /* of a file, at most */

struct kernel {
    struct ws_gpu_buffer buffers[BUFFERS];
    struct ws_gpu_bindings bindings;
    VkPipeline pipeline;
};

#define KERNEL(kernel)                                                                                       \
    {                                                                                                        \
        .stage = VK_SHADER_STAGE_COMPUTE_BIT, .name = #kernel, .words = kernel##_comp,                       \
        .size = sizeof(kernel##_comp)                                                                        \
    }

static const struct ws_gpu_shader shaders[] = {
    KERNEL(memory), KERNEL(layouts), KERNEL(alias), KERNEL(product), KERNEL(transpose),
};

static bool init_buffers(struct ws_gpu *gpu, struct kernel *kernel, struct ws_error *error)
{
    static uint32_t words[(SIZE + LINE) / 4];
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const VkBufferUsageFlags usage =
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
        for (uint32_t j = 0; j < (SIZE + LINE) / 4; j++)
            words[j] = j << 8 | i;
        if (!ws_gpu_buffer_init(gpu, &kernel->buffers[i], usage, words, SIZE + LINE, error))
            return false;
    }
    return true;
}

static bool init(struct ws_gpu *gpu, struct kernel *kernel, const struct ws_gpu_shader *shader,
                 struct ws_error *error)
{
    struct ws_gpu_binding bindings[BUFFERS];
    if (!init_buffers(gpu, kernel, error))
        return false;
    for (uint32_t i = 0; i < BUFFERS; i++)
        bindings[i] = (struct ws_gpu_binding){.buffer = &kernel->buffers[i]};
    if (strcmp(shader->name, "alias") == 0)
        bindings[1] = bindings[0];
    if (!ws_gpu_bindings_init(gpu, &kernel->bindings, bindings, BUFFERS - 1, VK_SHADER_STAGE_COMPUTE_BIT,
                              sizeof(VkDeviceAddress), error))
        return false;
    kernel->pipeline = ws_gpu_compute_pipeline(gpu, &kernel->bindings, shader, error);
    return kernel->pipeline != VK_NULL_HANDLE;
}

static bool run(struct ws_gpu *gpu, struct kernel *kernel, uint32_t workgroups, struct ws_error *error)
{
    const VkDeviceAddress address = (kernel->buffers[BUFFERS - 1].address + LINE - 1) / LINE * LINE;
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline, &kernel->bindings);
    vkCmdPushConstants(commands, kernel->bindings.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(address),
                       &address);
    vkCmdDispatch(commands, workgroups, 1, 1);
    return ws_gpu_submit(gpu, commands, error);
}

/* The kernel of that name; NULL = there is none. */
static const struct ws_gpu_shader *find_shader(const char *name)
{
    for (size_t i = 0; i < sizeof(shaders) / sizeof(shaders[0]); i++)
        if (strcmp(shaders[i].name, name) == 0)
            return &shaders[i];
    return NULL;
}

/* The kernel in a file; NULL = there is none. */
static const struct ws_gpu_shader *read_shader(const char *path)
{
    static uint32_t words[MODULE_SIZE / 4];
    static struct ws_gpu_shader shader = {
        .stage = VK_SHADER_STAGE_COMPUTE_BIT, .name = "pointers", .words = words};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    shader.size = fread(words, 1, sizeof(words), file);
    fclose(file);
    return shader.size > 0 && shader.size < sizeof(words) ? &shader : NULL;
}

int main(int argc, char **argv)
{
    const bool is_file = argc > 2 && strcmp(argv[1], "pointers") == 0;
    /* Another buffer is made first: those of the kernel have other numbers in the capture. */
    const bool is_later = argc > 2 && strcmp(argv[2], "later") == 0;
    struct ws_gpu_buffer other = {0};
    const struct ws_gpu_shader *shader =
        is_file ? read_shader(argv[2]) : find_shader(argc > 1 ? argv[1] : "memory");
    const struct ws_gpu_request request = {.application = "memory",
                                           .needs =
                                               WS_GPU_RAY_TRACING | (is_file ? WS_GPU_VARIABLE_POINTERS : 0),
                                           .queue = VK_QUEUE_COMPUTE_BIT};
    struct ws_error error = {{0}};
    struct ws_gpu gpu = {0};
    struct kernel kernel;
    memset(&kernel, 0, sizeof(kernel));
    if (shader == NULL) {
        printf("usage: memory [memory|layouts|alias|product|transpose|pointers MODULE] [later]\n");
        return WS_EXIT_USAGE;
    }
    const bool is_square = strcmp(shader->name, "product") == 0 || strcmp(shader->name, "transpose") == 0;
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));
    if (status == WS_EXIT_DONE) {
        status = (!is_later ||
                  ws_gpu_buffer_init(&gpu, &other, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL, 64, &error)) &&
                         init(&gpu, &kernel, shader, &error) && run(&gpu, &kernel, is_square ? 64 : 2, &error)
                     ? WS_EXIT_DONE
                     : WS_EXIT_FAILED;
        vkDestroyPipeline(gpu.device, kernel.pipeline, NULL);
        ws_gpu_bindings_finish(&gpu, &kernel.bindings);
        for (uint32_t i = 0; i < BUFFERS; i++)
            ws_gpu_buffer_finish(&gpu, &kernel.buffers[i]);
        ws_gpu_buffer_finish(&gpu, &other);
    }
    ws_gpu_finish(&gpu);
    if (status != WS_EXIT_DONE)
        printf("memory: %s\n", error.message);
    return status;
}
