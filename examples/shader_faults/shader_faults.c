/* Compute and graphics programs with planted faults, each with its repaired twin: what advice on shaders is tried on. An
 * ordinary Vulkan application: it knows nothing of Warpscope. */
#include <stdio.h>
#include <string.h>

#include "examples/base/graphics.h"
#include "examples/base/run.h"
#include "examples/shader_faults/fault.h"

#define LOCAL_USUAL 64
#define SIZE_STEP   960 /* a multiple of all workgroup sizes and steps */

struct parameters { /* push constants, as common.glsl has them */
    uint32_t count;
    uint32_t row;
    uint32_t step;
    uint32_t mode;
    float tint[4];
    float turn[4][4];
};

struct arguments {
    struct ws_options common;
    bool list;
    bool repaired;
};

static const struct ws_shader_fault *fault_named(const char *name)
{
    for (uint32_t i = 0; i < ws_shader_fault_count; i++)
        if (strcmp(ws_shader_faults[i].name, name) == 0)
            return &ws_shader_faults[i];
    return NULL;
}

static uint32_t or_one(uint32_t value)
{
    return value > 0 ? value : 1;
}

static bool dispatch(struct ws_gpu *gpu, const struct ws_shader_fault_way *way, VkPipeline pipeline,
                     const struct ws_gpu_bindings *bindings, uint32_t width, uint32_t height,
                     struct ws_error *error)
{
    const uint32_t local = way->local > 0 ? way->local : LOCAL_USUAL;
    const uint32_t pixels = width * height;
    struct parameters parameters = {
        .count = pixels, .row = pixels / or_one(way->step), .step = or_one(way->step), .tint = {1, 1, 1, 1}};
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);

    if (commands == VK_NULL_HANDLE)
        return false;
    for (int i = 0; i < 4; i++)
        parameters.turn[i][i] = way->turn > 0 ? way->turn : 1;
    if (way->rows > 0)
        parameters.row = width;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline, bindings);
    vkCmdPushConstants(commands, bindings->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(parameters),
                       &parameters);
    if (way->rows > 0)
        vkCmdDispatch(commands, (width + local - 1) / local, (height + way->rows - 1) / way->rows, 1);
    else
        vkCmdDispatch(commands, or_one(way->times) * (pixels / local), 1, 1);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(gpu, commands, error);
}

static bool compute(struct ws_gpu *gpu, const struct ws_shader_fault_way *way,
                    const struct ws_gpu_buffer *pixels, uint32_t width, uint32_t height,
                    struct ws_error *error)
{
    const uint32_t local = way->local > 0 ? way->local : LOCAL_USUAL;
    const VkSpecializationMapEntry entry = {.constantID = 0, .offset = 0, .size = sizeof(local)};
    const VkSpecializationInfo specialization = {
        .mapEntryCount = 1, .pMapEntries = &entry, .dataSize = sizeof(local), .pData = &local};
    const struct ws_gpu_binding binding = {.buffer = pixels};
    struct ws_gpu_shader shader = *way->compute;
    struct ws_gpu_bindings bindings = {0};
    VkPipeline pipeline = VK_NULL_HANDLE;

    shader.specialization = &specialization;
    bool done = ws_gpu_bindings_init(gpu, &bindings, &binding, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                     sizeof(struct parameters), error);
    if (done)
        pipeline = ws_gpu_compute_pipeline(gpu, &bindings, &shader, error);
    done = pipeline != VK_NULL_HANDLE && dispatch(gpu, way, pipeline, &bindings, width, height, error);
    vkDestroyPipeline(gpu->device, pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &bindings);
    return done;
}

/* What drawing takes. */
struct drawing {
    struct ws_gpu_target target;
    struct ws_gpu_bindings bindings;
    VkPipeline pipelines[SHADER_FAULT_DRAWS_MAX];
};

static bool draw_all(struct ws_gpu *gpu, const struct ws_shader_fault_way *way, const struct drawing *drawing,
                     const struct ws_gpu_buffer *pixels, struct ws_error *error)
{
    const float background[4] = {0.1f, 0.1f, 0.2f, 1};
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);

    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_target_begin(commands, &drawing->target, background);
    for (int i = 0; i < SHADER_FAULT_DRAWS_MAX && way->vertex[i] != NULL; i++) {
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, drawing->pipelines[i], &drawing->bindings);
        vkCmdDraw(commands, way->vertices[i], 1, 0, 0);
    }
    ws_gpu_target_end(commands, &drawing->target);
    ws_gpu_image_copy(commands, &drawing->target.colour, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, pixels);
    return ws_gpu_submit(gpu, commands, error);
}

static bool draw(struct ws_gpu *gpu, const struct ws_shader_fault_way *way,
                 const struct ws_gpu_buffer *pixels, uint32_t width, uint32_t height, struct ws_error *error)
{
    struct drawing drawing = {0};
    bool drawn = ws_gpu_target_init(gpu, &drawing.target, width, height, false, error) &&
                 ws_gpu_bindings_init(gpu, &drawing.bindings, NULL, 0, VK_SHADER_STAGE_VERTEX_BIT, 0, error);

    for (int i = 0; i < SHADER_FAULT_DRAWS_MAX && drawn && way->vertex[i] != NULL; i++) {
        const struct ws_gpu_graphics graphics = {.vertex = *way->vertex[i], .fragment = *way->fragment[i]};
        drawing.pipelines[i] =
            ws_gpu_graphics_pipeline(gpu, &drawing.bindings, &drawing.target, &graphics, error);
        drawn = drawing.pipelines[i] != VK_NULL_HANDLE;
    }
    drawn = drawn && draw_all(gpu, way, &drawing, pixels, error);
    for (int i = 0; i < SHADER_FAULT_DRAWS_MAX; i++)
        vkDestroyPipeline(gpu->device, drawing.pipelines[i], NULL);
    ws_gpu_bindings_finish(gpu, &drawing.bindings);
    ws_gpu_target_finish(gpu, &drawing.target);
    return drawn;
}

/* What is run. */
struct work {
    const struct arguments *arguments;
    const struct ws_shader_fault_way *way;
};

static bool run(void *user, struct ws_gpu *gpu, struct ws_error *error)
{
    const struct ws_options *options = &((const struct work *)user)->arguments->common;
    const struct ws_shader_fault_way *way = ((const struct work *)user)->way;
    const uint32_t width = options->width;
    const uint32_t height = options->height;
    struct ws_gpu_buffer pixels = {0};
    bool done = ws_gpu_buffer_init(gpu, &pixels,
                                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                   NULL, 4ull * width * height, error);

    done = done && (way->compute != NULL ? compute(gpu, way, &pixels, width, height, error)
                                         : draw(gpu, way, &pixels, width, height, error));
    done = done && ws_png_write(options->output, pixels.data, width, height, error);
    ws_gpu_buffer_finish(gpu, &pixels);
    return done;
}

/* What is wrong with the arguments, or NULL. */
static const char *wrong(const struct arguments *arguments, const struct ws_shader_fault *fault)
{
    if (arguments->common.word == NULL)
        return "name a fault; see --list";
    if (fault == NULL)
        return "there is no such fault; see --list";
    if (arguments->common.width * arguments->common.height % SIZE_STEP != 0)
        return "the number of pixels must be a multiple of 960, so that whole workgroups make the picture";
    return NULL;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {
        .common =
            {
                .program = "shader_faults",
                .summary = "Runs a compute or graphics program with a planted fault, or its repaired twin.",
                .operand = "FAULT",
                .output = "shader_faults.png",
                .width = 64,
                .height = 60,
                .size_max = 1024,
            },
    };
    const struct ws_option own[] = {
        {"list", 'l', WS_OPTION_FLAG, &arguments.list, NULL, "name the faults and leave", 0, 0, NULL},
        {"repaired", 'r', WS_OPTION_FLAG, &arguments.repaired, NULL, "run the repaired twin", 0, 0, NULL},
    };
    int status;

    if (!ws_options_parse(&arguments.common, own, sizeof(own) / sizeof(own[0]), argc, argv, &status))
        return status;
    for (uint32_t i = 0; arguments.list && i < ws_shader_fault_count; i++)
        printf("%-20s%s\n%-20srepaired: %s\n", ws_shader_faults[i].name, ws_shader_faults[i].summary, "",
               ws_shader_faults[i].change);
    if (arguments.list)
        return WS_EXIT_DONE;
    const struct ws_shader_fault *fault =
        arguments.common.word != NULL ? fault_named(arguments.common.word) : NULL;
    const char *complaint = wrong(&arguments, fault);
    if (complaint != NULL) {
        fprintf(stderr, "shader_faults: %s\n", complaint);
        return WS_EXIT_USAGE;
    }
    struct work work = {&arguments, arguments.repaired ? &fault->repaired : &fault->faulty};
    return ws_run(&arguments.common, 0,
                  work.way->compute != NULL ? VK_QUEUE_COMPUTE_BIT : VK_QUEUE_GRAPHICS_BIT, run, &work);
}
