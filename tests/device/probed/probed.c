/* Shaders that probes meet seldom, each a case of its own, for probed.py: usage: probed CASE FOLDER. The folder has
 * entries.spv and stages.spv. What kernels wrote goes to stdout. */
#include "tests/device/drawing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base_comp.h"
#include "demote_frag.h"
#include "model_comp.h"
#include "model_device_comp.h"
#include "tests/unit/passes/spirv/assembly.h"

#define WORDS (2 * 32 * 64u)

#define SHADER(stage_, words_, entry_)                                                                       \
    {                                                                                                        \
        .stage = VK_SHADER_STAGE_##stage_##_BIT, .name = #words_, .words = words_, .size = sizeof(words_),   \
        .entry = entry_                                                                                      \
    }

static const char *folder;

/* A module of the folder as the shader of a stage; its words are to be freed. */
static struct ws_gpu_shader load(const char *name, VkShaderStageFlagBits stage, const char *entry)
{
    char path[4096];
    size_t count = 0;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    const uint32_t *words = assembly_load(path, &count);
    return (struct ws_gpu_shader){
        .stage = stage, .name = name, .words = words, .size = count * sizeof(*words), .entry = entry};
}

/* ---- drawings ---- */

static void draw(struct rig *rig, const struct ws_gpu_shader shaders[2])
{
    struct ws_gpu_image image;
    drawing_image_init(rig, &image);
    VkPipeline pipeline = drawing_pipeline(rig, &(struct drawing){.shaders = shaders, .shader_count = 2});
    VkCommandBuffer commands = drawing_record(rig);
    drawing_begin(commands, image.view);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(commands, 3, 1, 0, 0);
    drawing_end(commands);
    drawing_run(rig, commands);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
    ws_gpu_image_finish(&rig->gpu, &image);
}

static void run_demote(struct rig *rig)
{
    const struct ws_gpu_shader shaders[2] = {drawing_cover[0], SHADER(FRAGMENT, demote_frag, NULL)};
    draw(rig, shaders);
}

static void run_stages(struct rig *rig)
{
    const struct ws_gpu_shader shaders[2] = {load("stages.spv", VK_SHADER_STAGE_VERTEX_BIT, NULL),
                                             load("stages.spv", VK_SHADER_STAGE_FRAGMENT_BIT, NULL)};
    draw(rig, shaders);
    for (int i = 0; i < 2; i++)
        free((void *)(uintptr_t)shaders[i].words);
}

/* ---- kernels ---- */

struct kernels {
    struct ws_gpu_buffer words;
    struct ws_gpu_bindings bindings;
    VkCommandBuffer commands;
};

static void begin(struct rig *rig, struct kernels *kernels)
{
    const struct ws_gpu_binding binding = {.buffer = &kernels->words};
    CHECK(ws_gpu_buffer_init(&rig->gpu, &kernels->words, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL, 4 * WORDS,
                             NULL));
    CHECK(ws_gpu_bindings_init(&rig->gpu, &kernels->bindings, &binding, 1, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               NULL));
    memset(kernels->words.data, 0, 4 * WORDS);
    kernels->commands = drawing_record(rig);
}

static void end(struct rig *rig, struct kernels *kernels, const VkPipeline *pipelines, uint32_t count)
{
    drawing_run(rig, kernels->commands);
    for (uint32_t i = 0; i < count; i++)
        vkDestroyPipeline(rig->gpu.device, pipelines[i], NULL);
    for (uint32_t i = 0; i < WORDS; i++)
        printf("%u\n", ((const uint32_t *)kernels->words.data)[i]);
    ws_gpu_bindings_finish(&rig->gpu, &kernels->bindings);
    ws_gpu_buffer_finish(&rig->gpu, &kernels->words);
}

static VkPipeline kernel(struct rig *rig, struct kernels *kernels, const struct ws_gpu_shader *shader,
                         VkPipelineCreateFlags flags)
{
    VkPipeline pipeline;
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .flags = flags,
                                        .layout = kernels->bindings.layout};
    CHECK(ws_gpu_stage(&rig->gpu, shader, &info.stage, NULL));
    CHECK(vkCreateComputePipelines(rig->gpu.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline) == VK_SUCCESS);
    vkDestroyShaderModule(rig->gpu.device, info.stage.module, NULL);
    ws_gpu_bind(kernels->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline, &kernels->bindings);
    return pipeline;
}

/* 128 threads of "first", 96 of "second". */
static void run_entries(struct rig *rig)
{
    const struct ws_gpu_shader shaders[2] = {load("entries.spv", VK_SHADER_STAGE_COMPUTE_BIT, "first"),
                                             load("entries.spv", VK_SHADER_STAGE_COMPUTE_BIT, "second")};
    struct kernels kernels;
    VkPipeline pipelines[2];
    begin(rig, &kernels);
    pipelines[0] = kernel(rig, &kernels, &shaders[0], 0);
    vkCmdDispatch(kernels.commands, 2, 1, 1);
    ws_gpu_barrier(kernels.commands);
    pipelines[1] = kernel(rig, &kernels, &shaders[1], 0);
    vkCmdDispatch(kernels.commands, 3, 1, 1);
    end(rig, &kernels, pipelines, 2);
    for (int i = 0; i < 2; i++)
        free((void *)(uintptr_t)shaders[i].words);
}

static void run_model_of(struct rig *rig, const struct ws_gpu_shader *shader)
{
    struct kernels kernels;
    begin(rig, &kernels);
    const VkPipeline pipeline = kernel(rig, &kernels, shader, 0);
    vkCmdDispatch(kernels.commands, 3, 1, 1);
    end(rig, &kernels, &pipeline, 1);
}

static void run_model(struct rig *rig)
{
    static const struct ws_gpu_shader shader = SHADER(COMPUTE, model_comp, NULL);
    run_model_of(rig, &shader);
}

static void run_model_device(struct rig *rig)
{
    static const struct ws_gpu_shader shader = SHADER(COMPUTE, model_device_comp, NULL);
    run_model_of(rig, &shader);
}

/* 3 x 2 groups of 8 x 4: from group 0, 0, 0 on, from 2, 1, 0, and from 4, 5, 1 by the name that the function had first. */
static void run_base(struct rig *rig)
{
    static const struct ws_gpu_shader shader = SHADER(COMPUTE, base_comp, NULL);
    struct kernels kernels;
    PFN_vkCmdDispatchBaseKHR first_name =
        (PFN_vkCmdDispatchBaseKHR)vkGetDeviceProcAddr(rig->gpu.device, "vkCmdDispatchBaseKHR");
    first_name = first_name != NULL ? first_name : vkCmdDispatchBase;
    begin(rig, &kernels);
    const VkPipeline pipeline = kernel(rig, &kernels, &shader, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
    vkCmdSetDeviceMask(kernels.commands, 1);
    vkCmdDispatch(kernels.commands, 3, 2, 1);
    ws_gpu_barrier(kernels.commands);
    vkCmdDispatchBase(kernels.commands, 2, 1, 0, 3, 2, 1);
    ws_gpu_barrier(kernels.commands);
    first_name(kernels.commands, 4, 5, 1, 3, 2, 1);
    end(rig, &kernels, &pipeline, 1);
}

static void run_nothing(struct rig *rig)
{
    (void)rig;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(struct rig *rig);
        struct rig_request request;
    } cases[] = {
        {"nothing", run_nothing, {0}},
        {"demote", run_demote, {0}},
        {"stages", run_stages, {0}},
        {"entries", run_entries, {0}},
        {"model", run_model, {.features12 = {.vulkanMemoryModel = VK_TRUE}}},
        {"model_device",
         run_model_device,
         {.features12 = {.vulkanMemoryModel = VK_TRUE, .vulkanMemoryModelDeviceScope = VK_TRUE}}},
        {"base", run_base, {0}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rig rig;
        if (argc != 3 || strcmp(argv[1], cases[i].name) != 0)
            continue;
        folder = argv[2];
        rig_init(&rig, &cases[i].request);
        cases[i].run(&rig);
        rig_finish(&rig);
        return 0;
    }
    printf("usage: probed CASE FOLDER\n");
    return 1;
}
