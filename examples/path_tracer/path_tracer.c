/* A path tracer: real mesh, procedural spheres, pierced screens, materials by callable shaders. The program
 * that Warpscope is tried on first, and an ordinary Vulkan application: it knows nothing of Warpscope. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/base/frames.h"
#include "examples/base/mesh.h"
#include "examples/base/ray_tracing.h"
#include "examples/base/run.h"
#include "examples/base/stamps.h"
#include "examples/path_tracer/pipeline.h"
#include "examples/path_tracer/scene.h"
#include "examples/path_tracer/waves.h"

#define STAGES                                                                                               \
    (VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |                                      \
     VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |                                    \
     VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR | VK_SHADER_STAGE_COMPUTE_BIT)

enum { SCENE_BOX, SCENE_OPEN };

static const char *const scene_names[] = {"box", "open", NULL};

/* In which order threads run the materials of what they hit. */
enum { ORDER_LAUNCH, ORDER_SORTED, ORDER_WAVEFRONT };

static const char *const order_names[] = {"launch", "sorted", "wavefront", NULL};

static const char *const count_names[COUNT_SIZE] = {
    [COUNT_RAYGEN] = "raygen",
    [COUNT_MISS_SKY] = "sky",
    [COUNT_MISS_SHADOW] = "shadow",
    [COUNT_CLOSEST_HIT_MESH] = "mesh",
    [COUNT_CLOSEST_HIT_SPHERE] = "sphere_hit",
    [COUNT_ANY_HIT] = "screen",
    [COUNT_IGNORED] = "screen_ignored",
    [COUNT_INTERSECTION] = "sphere_intersection",
    [COUNT_DIFFUSE] = "diffuse",
    [COUNT_METAL] = "metal",
    [COUNT_GLASS] = "glass",
    [COUNT_GLAZED] = "glazed",
};

struct arguments {
    struct ws_options common;
    struct ws_parameters parameters;
    uint32_t order;
    bool uneven;
    uint32_t scene;
    bool glass;
    const char *mesh;
    uint32_t frames;
    bool count;
    bool time;
    bool stamps;
};

/* What a frame needs. */
struct tracer {
    struct ws_scene_device scene;
    struct ws_gpu_image image;
    struct ws_gpu_buffer pixels;
    struct ws_gpu_buffer counts;
    struct ws_gpu_bindings bindings;
    struct ws_gpu_ray_tracing ray_tracing;
    struct ws_waves waves;       /* empty with ORDER_LAUNCH */
    struct ws_gpu_stamps stamps; /* none without --stamps */
};

/* The mesh that --mesh names. */
static bool load_mesh(struct ws_mesh *mesh, const char *name, struct ws_error *error)
{
    if (!ws_mesh_find(mesh, name, error))
        return false;
    ws_mesh_fit(mesh);
    return ws_mesh_order(mesh, error);
}

static bool init_bindings(struct ws_gpu *gpu, struct tracer *tracer, bool waves, struct ws_error *error)
{
    const struct ws_scene_device *scene = &tracer->scene;
    const struct ws_gpu_binding bindings[BINDING_COUNT_WAVES] = {
        [BINDING_STRUCTURE] = {.acceleration_structure = &scene->top.handle},
        [BINDING_IMAGE] = {.image = &tracer->image},
        [BINDING_POSITIONS] = {.buffer = &scene->positions},
        [BINDING_NORMALS] = {.buffer = &scene->normals},
        [BINDING_INDICES] = {.buffer = &scene->indices},
        [BINDING_OBJECTS] = {.buffer = &scene->objects},
        [BINDING_MATERIALS] = {.buffer = &scene->materials},
        [BINDING_SPHERES] = {.buffer = &scene->spheres},
        [BINDING_VIEW] = {.buffer = &scene->view},
        [BINDING_COUNTS] = {.buffer = &tracer->counts},
        [BINDING_STATES] = {.buffer = &tracer->waves.states},
        [BINDING_FOUND] = {.buffer = &tracer->waves.found},
        [BINDING_ORDER] = {.buffer = &tracer->waves.order},
        [BINDING_TALLIES] = {.buffer = &tracer->waves.tallies},
    };

    return ws_gpu_bindings_init(gpu, &tracer->bindings, bindings, waves ? BINDING_COUNT_WAVES : BINDING_COUNT,
                                STAGES, sizeof(struct ws_parameters), error);
}

static void finish_tracer(struct ws_gpu *gpu, struct tracer *tracer)
{
    ws_gpu_ray_tracing_finish(gpu, &tracer->ray_tracing);
    ws_gpu_stamps_finish(gpu, &tracer->stamps);
    ws_waves_finish(gpu, &tracer->waves);
    ws_gpu_bindings_finish(gpu, &tracer->bindings);
    ws_gpu_buffer_finish(gpu, &tracer->counts);
    ws_gpu_buffer_finish(gpu, &tracer->pixels);
    ws_gpu_image_finish(gpu, &tracer->image);
    ws_scene_device_finish(gpu, &tracer->scene);
}

static bool init_tracer(struct ws_gpu *gpu, struct tracer *tracer, const struct arguments *arguments,
                        const struct ws_scene *scene, struct ws_error *error)
{
    const uint32_t width = arguments->common.width;
    const uint32_t height = arguments->common.height;
    const bool waves = arguments->order != ORDER_LAUNCH;
    const struct ws_pipeline_options options = {.open = scene->open,
                                                .glass = scene->glass,
                                                .count = arguments->count,
                                                .waves = waves,
                                                .materials = arguments->parameters.patches,
                                                .uneven = arguments->uneven};

    memset(tracer, 0, sizeof(*tracer));
    if (!ws_scene_device_init(gpu, &tracer->scene, scene, error) ||
        !ws_gpu_image_init(gpu, &tracer->image, VK_FORMAT_R8G8B8A8_UNORM,
                           VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, width, height,
                           error) ||
        !ws_gpu_buffer_init(gpu, &tracer->pixels, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL,
                            4ull * width * height, error) ||
        !ws_gpu_buffer_init(gpu, &tracer->counts, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                            COUNT_SIZE * sizeof(uint32_t), error) ||
        (waves && !ws_waves_init(gpu, &tracer->waves, width * height, error)) ||
        !init_bindings(gpu, tracer, waves, error) ||
        (waves && !ws_waves_init_sort(gpu, &tracer->waves, &tracer->bindings,
                                      arguments->order == ORDER_SORTED, error)) ||
        (arguments->stamps && !ws_gpu_stamps_init(gpu, &tracer->stamps, error)) ||
        !ws_pipeline_init(gpu, &tracer->ray_tracing, &tracer->bindings, &options, error)) {
        finish_tracer(gpu, tracer);
        return false;
    }
    return true;
}

/* What draw_frame gets. */
struct drawing {
    struct ws_gpu *gpu;
    struct tracer *tracer;
    const struct arguments *arguments;
};

static bool print_stamps(struct ws_gpu *gpu, const struct ws_gpu_stamps *stamps, struct ws_error *error)
{
    double nanoseconds = 0;

    if (!ws_gpu_stamps_read(gpu, stamps, &nanoseconds, error))
        return false;
    fprintf(stderr, "device %.0f\n", nanoseconds);
    return true;
}

static bool draw_frame(void *user, uint32_t frame, struct ws_error *error)
{
    const struct drawing *drawing = user;
    struct ws_gpu *gpu = drawing->gpu;
    struct tracer *tracer = drawing->tracer;
    const struct arguments *arguments = drawing->arguments;
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    char label[32];

    if (commands == VK_NULL_HANDLE)
        return false;
    snprintf(label, sizeof(label), "frame %u", frame);
    ws_gpu_label(gpu, commands, label);
    ws_gpu_image_layout(commands, &tracer->image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    ws_gpu_stamps_begin(commands, &tracer->stamps);
    if (arguments->order == ORDER_LAUNCH) {
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, tracer->ray_tracing.pipeline,
                    &tracer->bindings);
        vkCmdPushConstants(commands, tracer->bindings.layout, STAGES, 0, sizeof(arguments->parameters),
                           &arguments->parameters);
        ws_gpu_trace_rays(commands, &tracer->ray_tracing, WS_RAYGEN_LAUNCH, arguments->common.width,
                          arguments->common.height);
    } else {
        ws_waves_draw(gpu, commands, &tracer->waves, &tracer->ray_tracing, &tracer->bindings,
                      arguments->parameters, arguments->common.width, arguments->common.height);
    }
    ws_gpu_stamps_end(commands, &tracer->stamps);
    ws_gpu_image_copy(commands, &tracer->image, VK_IMAGE_LAYOUT_GENERAL, &tracer->pixels);
    ws_gpu_label_end(gpu, commands);
    return ws_gpu_submit(gpu, commands, error) &&
           (!arguments->stamps || print_stamps(gpu, &tracer->stamps, error));
}

static bool draw_frames(struct ws_gpu *gpu, struct tracer *tracer, const struct arguments *arguments,
                        struct ws_error *error)
{
    const uint32_t *counts = tracer->counts.data;
    struct drawing drawing = {gpu, tracer, arguments};
    const bool drawn = ws_frames_draw(arguments->frames, arguments->time, draw_frame, &drawing, error);

    for (int i = 0; drawn && arguments->count && i < COUNT_SIZE; i++)
        printf("%s %u\n", count_names[i], counts[i]);
    return drawn && ws_png_write(arguments->common.output, tracer->pixels.data, arguments->common.width,
                                 arguments->common.height, error);
}

static bool run(void *user, struct ws_gpu *gpu, struct ws_error *error)
{
    const struct arguments *arguments = user;
    const float aspect = (float)arguments->common.width / (float)arguments->common.height;
    struct ws_mesh mesh = {0};
    struct ws_scene scene = {0};
    struct tracer tracer;
    const bool loaded =
        load_mesh(&mesh, arguments->mesh, error) &&
        ws_scene_init(&scene, arguments->scene == SCENE_OPEN, arguments->glass, &mesh, aspect, error);
    bool drawn = false;

    if (loaded && init_tracer(gpu, &tracer, arguments, &scene, error)) {
        drawn = draw_frames(gpu, &tracer, arguments, error);
        finish_tracer(gpu, &tracer);
    }
    ws_scene_finish(&scene);
    ws_mesh_finish(&mesh);
    return drawn;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {
        .common =
            {
                .program = "path_tracer",
                .summary = "Traces the paths of light around a mesh, in a closed room or under the open sky.",
                .output = "path_tracer.png",
                .width = 256,
                .height = 256,
                .size_max = 8192,
            },
        .parameters = {.samples = 8, .bounces = 4},
        .scene = SCENE_BOX,
        .mesh = "knot",
        .frames = 1,
    };
    const struct ws_option own[] = {
        {"scene", 's', WS_OPTION_CHOICE, &arguments.scene, NULL, "where the mesh stands", 0, 0, scene_names},
        {"mesh", 'm', WS_OPTION_TEXT, &arguments.mesh, "FILE",
         "knot, an OBJ file (with a '.' or '/' in its name), or bunny, teapot, dragon", 0, 0, NULL},
        {"glass", 'g', WS_OPTION_FLAG, &arguments.glass, NULL, "the mesh and the spheres are of glass", 0, 0,
         NULL},
        {"samples", 'n', WS_OPTION_NUMBER, &arguments.parameters.samples, "N", "paths a pixel", 1, 65536,
         NULL},
        {"bounces", 'b', WS_OPTION_NUMBER, &arguments.parameters.bounces, "N",
         "times that a path goes on after its first hit", 0, 64, NULL},
        {"order", 'r', WS_OPTION_CHOICE, &arguments.order, NULL,
         "run materials as threads meet them, or hits sorted by material, or closed up", 0, 0, order_names},
        {"materials", 'k', WS_OPTION_NUMBER, &arguments.parameters.patches, "N",
         "a patchwork of N materials, each a callable shader; 0 = those of the scene", 0, PATCHES_MAX, NULL},
        {"uneven", 'u', WS_OPTION_FLAG, &arguments.uneven, NULL,
         "with --materials: each takes longer at some points than at others", 0, 0, NULL},
        {"frames", 'f', WS_OPTION_NUMBER, &arguments.frames, "N", "draw the same picture N times", 1, 100000,
         NULL},
        {"count", 'c', WS_OPTION_FLAG, &arguments.count, NULL,
         "let the shaders count their own executions, over all frames, and print them", 0, 0, NULL},
        {"time", 't', WS_OPTION_FLAG, &arguments.time, NULL,
         "print the first frame's milliseconds and the median of the others on stderr", 0, 0, NULL},
        {"stamps", 'p', WS_OPTION_FLAG, &arguments.stamps, NULL,
         "print the device's nanoseconds of each frame's launches on stderr, by two timestamps", 0, 0, NULL},
    };
    int status;

    if (!ws_options_parse(&arguments.common, own, sizeof(own) / sizeof(own[0]), argc, argv, &status))
        return status;
    if (arguments.count &&
        (arguments.order != ORDER_LAUNCH || arguments.parameters.patches > 0 || arguments.glass)) {
        fprintf(stderr,
                "path_tracer: --count counts the scene's own materials as threads meet them: it excludes "
                "--order, --materials and --glass\n");
        return WS_EXIT_USAGE;
    }
    return ws_run(&arguments.common, WS_GPU_RAY_TRACING, VK_QUEUE_COMPUTE_BIT, run, &arguments);
}
