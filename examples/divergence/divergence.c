/* A compute program whose divergence is known in closed form: the yardstick for what Warpscope reports.
 * --expect prints, for the blocks that the kernel's source names, how often warps execute them and with
 * how many lanes, as the subgroup size, the workgroup's size and the image determine it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/base/bindings.h"
#include "examples/base/frames.h"
#include "examples/base/run.h"

#include "divergence_block.comp.h"
#include "divergence_lane.comp.h"
#include "divergence_loop.comp.h"
#include "divergence_return.comp.h"
#include "divergence_switch.comp.h"
#include "divergence_uniform.comp.h"

#define NAMED_BLOCKS_MAX 4

enum kernel { KERNEL_UNIFORM, KERNEL_LANE, KERNEL_BLOCK, KERNEL_LOOP, KERNEL_RETURN, KERNEL_SWITCH };

static const char *const kernel_names[] = {"uniform", "lane", "block", "loop", "return", "switch", NULL};

static const struct {
    const uint32_t *words;
    size_t size;
} kernels[] = {
    [KERNEL_UNIFORM] = {divergence_uniform_comp, sizeof(divergence_uniform_comp)},
    [KERNEL_LANE] = {divergence_lane_comp, sizeof(divergence_lane_comp)},
    [KERNEL_BLOCK] = {divergence_block_comp, sizeof(divergence_block_comp)},
    [KERNEL_LOOP] = {divergence_loop_comp, sizeof(divergence_loop_comp)},
    [KERNEL_RETURN] = {divergence_return_comp, sizeof(divergence_return_comp)},
    [KERNEL_SWITCH] = {divergence_switch_comp, sizeof(divergence_switch_comp)},
};

struct parameters { /* push constants, as common.glsl has them */
    uint32_t width;
    uint32_t height;
    uint32_t steps;
    uint32_t block;
};

struct arguments {
    struct ws_options common;
    uint32_t kernel;
    uint32_t steps;
    uint32_t block;
    uint32_t workgroup;
    uint32_t expect; /* subgroup size, 0 = draw */
    uint32_t frames;
    bool time;
};

/* What draw_frame gets. */
struct drawing {
    struct ws_gpu *gpu;
    const struct arguments *arguments;
    const struct ws_gpu_bindings *bindings;
    VkPipeline pipeline;
};

/* What warps do with one block that a kernel's source names. */
struct named_block {
    const char *name;
    uint64_t executions; /* by warps with at least one active lane */
    uint64_t lanes;      /* sum of active lanes */
};

struct expectation {
    struct named_block blocks[NAMED_BLOCKS_MAX];
    uint32_t count;
};

/* Adds `executions` of `name` with `lanes` active lanes each; nothing where no lane is active. */
static void expect(struct expectation *expectation, const char *name, uint64_t executions, uint64_t lanes)
{
    uint32_t i = 0;

    while (i < expectation->count && strcmp(expectation->blocks[i].name, name) != 0)
        i++;
    if (i == expectation->count)
        expectation->blocks[expectation->count++] = (struct named_block){.name = name};
    expectation->blocks[i].executions += lanes > 0 ? executions : 0;
    expectation->blocks[i].lanes += executions * lanes;
}

/* Adds what `warps` warps do that are `size` lanes wide and have their lanes 0 .. lanes - 1 on the image. */
static void expect_warps(struct expectation *expectation, const struct arguments *arguments, uint64_t warps,
                         uint32_t size, uint32_t lanes)
{
    const uint64_t worked = warps * arguments->steps;
    const uint64_t block = arguments->block;
    const uint64_t pair = lanes / (2 * block) * block; /* in whole pairs of an idle and a working block */
    const uint64_t rest = lanes % (2 * block);

    switch ((enum kernel)arguments->kernel) {
    case KERNEL_UNIFORM: expect(expectation, "work", worked, lanes); break;
    case KERNEL_LANE: expect(expectation, "work", worked, lanes / 2); break;
    case KERNEL_BLOCK: expect(expectation, "work", worked, pair + (rest > block ? rest - block : 0)); break;
    case KERNEL_LOOP:
        for (uint32_t i = 0; i < lanes; i++) /* in iteration i the lanes above i are left */
            expect(expectation, "work", warps, lanes - 1 - i);
        break;
    case KERNEL_RETURN:
        expect(expectation, "left", warps, lanes > size / 2 ? lanes - size / 2 : 0);
        expect(expectation, "work", worked, lanes < size / 2 ? lanes : size / 2);
        break;
    case KERNEL_SWITCH:
        expect(expectation, "first", warps, (lanes + 3) / 4);
        expect(expectation, "second", warps, (lanes + 3) / 4 + (lanes + 2) / 4);
        expect(expectation, "even", warps, (lanes + 5) / 8);
        expect(expectation, "odd", warps, (lanes + 1) / 8);
        break;
    }
}

/* Prints the named blocks' expected numbers for subgroups of `size` lanes. */
static void print_expectation(const struct arguments *arguments, uint32_t size)
{
    const uint64_t pixels = (uint64_t)arguments->common.width * arguments->common.height;
    const uint32_t workgroup = arguments->workgroup;
    const uint64_t whole = pixels / workgroup; /* workgroups that lie wholly on the image */
    const uint32_t last = (uint32_t)(pixels % workgroup);
    struct expectation expectation = {0};

    expect_warps(&expectation, arguments, whole * (workgroup / size) + last / size, size, size);
    expect_warps(&expectation, arguments, whole, size, workgroup % size);
    expect_warps(&expectation, arguments, 1, size, last % size);
    printf("kernel %s, subgroup size %u, workgroups of %u, %ux%u\n", kernel_names[arguments->kernel], size,
           workgroup, arguments->common.width, arguments->common.height);
    printf("%-10s %12s %14s %11s\n", "block", "executions", "active lanes", "efficiency");
    for (uint32_t i = 0; i < expectation.count; i++) {
        const struct named_block *block = &expectation.blocks[i];
        const uint64_t slots = block->executions * size;
        printf("%-10s %12" PRIu64 " %14" PRIu64 " %10.2f%%\n", block->name, block->executions, block->lanes,
               slots > 0 ? 100.0 * (double)block->lanes / (double)slots : 0.0);
    }
}

/* Runs the kernel once over the pixels. */
static bool draw_frame(void *user, uint32_t frame, struct ws_error *error)
{
    const struct drawing *drawing = user;
    struct ws_gpu *gpu = drawing->gpu;
    const struct arguments *arguments = drawing->arguments;
    const struct parameters parameters = {
        .width = arguments->common.width,
        .height = arguments->common.height,
        .steps = arguments->steps,
        .block = arguments->block,
    };
    const uint32_t pixels = parameters.width * parameters.height;
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);

    (void)frame;
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_label(gpu, commands, kernel_names[arguments->kernel]);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, drawing->pipeline, drawing->bindings);
    vkCmdPushConstants(commands, drawing->bindings->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       sizeof(parameters), &parameters);
    vkCmdDispatch(commands, (pixels + arguments->workgroup - 1) / arguments->workgroup, 1, 1);
    ws_gpu_label_end(gpu, commands);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(gpu, commands, error);
}

static bool check_limits(const struct ws_gpu *gpu, const struct arguments *arguments, struct ws_error *error)
{
    const VkPhysicalDeviceLimits *limits = &gpu->properties.limits;
    const uint32_t pixels = arguments->common.width * arguments->common.height;
    const uint32_t groups = (pixels + arguments->workgroup - 1) / arguments->workgroup;

    if (arguments->workgroup > limits->maxComputeWorkGroupSize[0] ||
        arguments->workgroup > limits->maxComputeWorkGroupInvocations) {
        return ws_error_set(error, "workgroups of %u threads are more than the device \"%s\" takes",
                            arguments->workgroup, gpu->properties.deviceName);
    }
    if (groups > limits->maxComputeWorkGroupCount[0]) {
        return ws_error_set(error,
                            "%u workgroups are more than the device \"%s\" takes: ask for a smaller image",
                            groups, gpu->properties.deviceName);
    }
    return true;
}

static bool draw(void *user, struct ws_gpu *gpu, struct ws_error *error)
{
    const struct arguments *arguments = user;
    const uint32_t width = arguments->common.width;
    const uint32_t height = arguments->common.height;
    const VkSpecializationMapEntry entry = {.constantID = 0, .offset = 0, .size = sizeof(uint32_t)};
    const VkSpecializationInfo specialization = {
        .mapEntryCount = 1,
        .pMapEntries = &entry,
        .dataSize = sizeof(uint32_t),
        .pData = &arguments->workgroup,
    };
    struct ws_gpu_buffer pixels = {0};
    struct ws_gpu_bindings bindings = {0};
    VkPipeline pipeline = VK_NULL_HANDLE;
    bool drawn = false;

    if (!check_limits(gpu, arguments, error) ||
        !ws_gpu_buffer_init(gpu, &pixels, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL, 4ull * width * height,
                            error))
        return false;
    const struct ws_gpu_binding binding = {.buffer = &pixels};
    if (!ws_gpu_bindings_init(gpu, &bindings, &binding, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                              sizeof(struct parameters), error))
        goto error;
    const struct ws_gpu_shader shader = {
        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
        .name = kernel_names[arguments->kernel],
        .words = kernels[arguments->kernel].words,
        .size = kernels[arguments->kernel].size,
        .specialization = &specialization,
    };
    pipeline = ws_gpu_compute_pipeline(gpu, &bindings, &shader, error);
    if (pipeline == VK_NULL_HANDLE)
        goto error;
    ws_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline, kernel_names[arguments->kernel]);
    struct drawing drawing = {gpu, arguments, &bindings, pipeline};
    drawn = ws_frames_draw(arguments->frames, arguments->time, draw_frame, &drawing, error) &&
            ws_png_write(arguments->common.output, pixels.data, width, height, error);
error:
    vkDestroyPipeline(gpu->device, pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &bindings);
    ws_gpu_buffer_finish(gpu, &pixels);
    return drawn;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {
        .common =
            {
                .program = "divergence",
                .summary = "Draws a Julia set by a compute kernel whose divergence is known in closed form.",
                .output = "divergence.png",
                .width = 256,
                .height = 256,
                .size_max = 4096,
            },
        .kernel = KERNEL_LOOP,
        .steps = 12,
        .block = 2,
        .workgroup = 64,
        .frames = 1,
    };
    const struct ws_option own[] = {
        {"kernel", 'k', WS_OPTION_CHOICE, &arguments.kernel, NULL, "what diverges", 0, 0, kernel_names},
        {"steps", 's', WS_OPTION_NUMBER, &arguments.steps, "N", "iterations of the work", 1, 100000, NULL},
        {"block", 'b', WS_OPTION_NUMBER, &arguments.block, "N", "lanes in a block, for the kernel block", 1,
         128, NULL},
        {"workgroup", 'w', WS_OPTION_NUMBER, &arguments.workgroup, "N",
         "threads in a workgroup; no multiple of the subgroup size gives partial warps", 1, 1024, NULL},
        {"expect", 'e', WS_OPTION_NUMBER, &arguments.expect, "N",
         "draw nothing: print what subgroups of N lanes must show; 0 = draw", 0, 128, NULL},
        {"frames", 'f', WS_OPTION_NUMBER, &arguments.frames, "N", "draw the same picture N times", 1, 100000,
         NULL},
        {"time", 't', WS_OPTION_FLAG, &arguments.time, NULL,
         "print the first frame's milliseconds and the median of the others on stderr", 0, 0, NULL},
    };
    int status;

    if (!ws_options_parse(&arguments.common, own, sizeof(own) / sizeof(own[0]), argc, argv, &status))
        return status;
    if (arguments.expect > 0) {
        print_expectation(&arguments, arguments.expect);
        return WS_EXIT_DONE;
    }
    return ws_run(&arguments.common, 0, VK_QUEUE_COMPUTE_BIT, draw, &arguments);
}
