/* A ray tracer in a compute shader, with a hierarchy of bounding boxes of its own: what the driver's traversal hides, every
 * node, face and vertex that a ray loads, can be recorded here. Its switches are those of "Profiling and Visualizing GPU
 * Memory Access and Cache Behavior of Ray Tracers" (2022, figure 6): the loops of the traversal, the heuristic of the tree,
 * where vertices lie, which pixels a multiprocessor gets, and how many there are. All draw the same picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/base/bindings.h"
#include "examples/base/frames.h"
#include "examples/base/mesh.h"
#include "examples/base/run.h"
#include "examples/bvh_tracer/shared.h"
#include "examples/bvh_tracer/tree.h"

#include "bvh_tracer_if_if.comp.h"
#include "bvh_tracer_if_if_stacks.comp.h"
#include "bvh_tracer_while_while.comp.h"
#include "bvh_tracer_while_while_stacks.comp.h"

#define VIEWS_MAX 64

enum traversal { WHILE_WHILE, IF_IF };
static const char *const traversal_names[] = {"while-while", "if-if", NULL};
static const char *const split_names[] = {"sah", "median", NULL};
static const char *const vertex_names[] = {"mesh", "breadth-first", "random", NULL};
static const char *const node_names[] = {"depth-first", "breadth-first", "random", NULL};
enum schedule { SCANLINE, PER_MULTIPROCESSOR };
static const char *const schedule_names[] = {"scanline", "per-sm", NULL};
enum stack_place { STACK_FUNCTION, STACK_BUFFER };
static const char *const stack_names[] = {"function", "buffer", NULL};

static const struct ws_gpu_shader shaders[2][2] = {
    [WHILE_WHILE] = {{.words = bvh_tracer_while_while_comp, .size = sizeof(bvh_tracer_while_while_comp)},
                     {.words = bvh_tracer_while_while_stacks_comp,
                      .size = sizeof(bvh_tracer_while_while_stacks_comp)}},
    [IF_IF] = {{.words = bvh_tracer_if_if_comp, .size = sizeof(bvh_tracer_if_if_comp)},
               {.words = bvh_tracer_if_if_stacks_comp, .size = sizeof(bvh_tracer_if_if_stacks_comp)}},
};

struct arguments {
    struct ws_options common;
    const char *mesh;
    const char *tree;
    uint32_t traversal;
    uint32_t split;
    uint32_t leaf_faces;
    uint32_t vertices;
    uint32_t nodes;
    uint32_t schedule;
    uint32_t multiprocessors;
    uint32_t stack;
    uint32_t views;
    uint32_t frames;
    bool time;
};

struct parameters {
    float eye[4];
    float forward[4];
    float right[4];
    float up[4];
    uint32_t width;
    uint32_t height;
    uint32_t first;
    uint32_t groups;
    uint32_t regions;
    uint32_t region_size;
};

struct tracer {
    struct ws_gpu *gpu;
    const struct arguments *arguments;
    struct ws_tree tree;
    struct ws_gpu_buffer buffers[BINDING_COUNT];
    struct ws_gpu_bindings bindings;
    VkPipeline pipeline;
};

/* How the pixels of a view are cut. */
static void cut_pixels(const struct arguments *arguments, struct parameters *parameters)
{
    const uint32_t pixels = arguments->common.width * arguments->common.height;

    parameters->width = arguments->common.width;
    parameters->height = arguments->common.height;
    parameters->groups = (pixels + GROUP - 1) / GROUP;
    parameters->regions = arguments->schedule == PER_MULTIPROCESSOR ? arguments->multiprocessors : 1;
    parameters->region_size = (parameters->groups + parameters->regions - 1) / parameters->regions;
}

/* View 0 is from the front. Those that follow are spread evenly over all sides, however many there are: two multiples of
 * numbers without common rhythm (Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018). */
static void look(const struct tracer *tracer, uint32_t view, struct parameters *parameters)
{
    const struct arguments *arguments = tracer->arguments;
    const float turn = 2 * (float)M_PI * (0.06f + fmodf((float)view * 0.7548776662f, 1.0f));
    const float height = 2 * fmodf(0.6f + (float)view * 0.5698402910f, 1.0f) - 1;
    const float flat = sqrtf(1 - height * height);
    const float aspect = (float)arguments->common.width / (float)arguments->common.height;
    const float back[3] = {flat * sinf(turn), height, flat * cosf(turn)};
    const float right[3] = {cosf(turn), 0, -sinf(turn)};
    float radius = 0;

    for (int i = 0; i < 3; i++) {
        const float side = tracer->tree.high[i] - tracer->tree.low[i];
        radius += 0.25f * side * side;
    }
    radius = sqrtf(radius);
    const float zoom = 0.45f; /* from 2.5 radii away a ball of this radius is seen whole */
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        const float up = back[j] * right[k] - back[k] * right[j];
        parameters->eye[i] = 0.5f * (tracer->tree.low[i] + tracer->tree.high[i]) + 2.5f * radius * back[i];
        parameters->forward[i] = -back[i];
        parameters->right[i] = right[i] * zoom * (aspect > 1 ? aspect : 1);
        parameters->up[i] = up * zoom * (aspect > 1 ? 1 : 1 / aspect);
    }
}

static bool draw_view(struct tracer *tracer, uint32_t view, struct ws_error *error)
{
    struct ws_gpu *gpu = tracer->gpu;
    struct parameters parameters = {0};
    char label[32];
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);

    if (commands == VK_NULL_HANDLE)
        return false;
    cut_pixels(tracer->arguments, &parameters);
    look(tracer, view, &parameters);
    parameters.first = view * parameters.width * parameters.height;
    snprintf(label, sizeof(label), "view %u", view);
    ws_gpu_label(gpu, commands, label);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, tracer->pipeline, &tracer->bindings);
    vkCmdPushConstants(commands, tracer->bindings.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(parameters),
                       &parameters);
    vkCmdDispatch(commands, parameters.regions * parameters.region_size, 1, 1);
    ws_gpu_label_end(gpu, commands);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(gpu, commands, error);
}

static bool draw_frame(void *user, uint32_t frame, struct ws_error *error)
{
    struct tracer *tracer = user;
    bool drawn = true;

    (void)frame;
    for (uint32_t view = 0; drawn && view < tracer->arguments->views; view++)
        drawn = draw_view(tracer, view, error);
    return drawn;
}

static bool make_buffer(struct tracer *tracer, uint32_t binding, const char *name, const void *data,
                        size_t size, struct ws_error *error)
{
    struct ws_gpu_buffer *buffer = &tracer->buffers[binding];

    if (!ws_gpu_buffer_init(tracer->gpu, buffer, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, data, size, error))
        return false;
    ws_gpu_name(tracer->gpu, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->buffer, name);
    return true;
}

/* Vertices have 16 bytes, so that each is one load. */
static bool make_vertices(struct tracer *tracer, const struct ws_mesh *mesh, struct ws_error *error)
{
    float *vertices = calloc(mesh->vertex_count, 4 * sizeof(*vertices));
    bool made = false;

    if (vertices == NULL)
        return ws_error_set(error, "out of memory");
    for (size_t v = 0; v < mesh->vertex_count; v++)
        memcpy(&vertices[4 * v], &mesh->positions[3 * v], 3 * sizeof(*vertices));
    made = make_buffer(tracer, BINDING_VERTICES, "vertices", vertices,
                       4 * sizeof(*vertices) * (size_t)mesh->vertex_count, error);
    free(vertices);
    return made;
}

static bool make_buffers(struct tracer *tracer, const struct ws_mesh *mesh, struct ws_error *error)
{
    const struct arguments *arguments = tracer->arguments;
    const struct ws_tree *tree = &tracer->tree;
    struct parameters cut = {0};
    struct ws_gpu_binding bindings[BINDING_COUNT] = {0};

    cut_pixels(arguments, &cut);
    const size_t threads = (size_t)cut.regions * cut.region_size * GROUP;
    const size_t stacks = arguments->stack == STACK_BUFFER ? threads * tree->depth : 1;
    const size_t pixels = (size_t)cut.width * cut.height * arguments->views;
    const size_t words = stacks > pixels ? stacks : pixels;
    if (cut.regions * cut.region_size > tracer->gpu->properties.limits.maxComputeWorkGroupCount[0] ||
        words * sizeof(uint32_t) > tracer->gpu->properties.limits.maxStorageBufferRange)
        return ws_error_set(error, "the picture is more than the device \"%s\" takes: ask for a smaller one",
                            tracer->gpu->properties.deviceName);
    if (tree->node_count * sizeof(*tree->nodes) > tracer->gpu->properties.limits.maxStorageBufferRange)
        return ws_error_set(error, "the mesh is more than the device \"%s\" takes",
                            tracer->gpu->properties.deviceName);
    for (uint32_t i = 0; i < BINDING_COUNT; i++)
        bindings[i].buffer = &tracer->buffers[i];
    return make_buffer(tracer, BINDING_NODES, "nodes", tree->nodes, tree->node_count * sizeof(*tree->nodes),
                       error) &&
           make_buffer(tracer, BINDING_FACES, "faces", tree->faces,
                       3 * sizeof(uint32_t) * (size_t)tree->face_count, error) &&
           make_vertices(tracer, mesh, error) &&
           make_buffer(tracer, BINDING_PIXELS, "pixels", NULL, pixels * sizeof(uint32_t), error) &&
           make_buffer(tracer, BINDING_STACKS, "stacks", NULL, stacks * sizeof(uint32_t), error) &&
           ws_gpu_bindings_init(tracer->gpu, &tracer->bindings, bindings, BINDING_COUNT,
                                VK_SHADER_STAGE_COMPUTE_BIT, sizeof(struct parameters), error);
}

static bool load(struct tracer *tracer, struct ws_mesh *mesh, struct ws_error *error)
{
    const struct arguments *arguments = tracer->arguments;

    if (!ws_mesh_find(mesh, arguments->mesh, error))
        return false;
    ws_mesh_fit(mesh);
    return ws_vertices_order(mesh, (enum ws_vertex_order)arguments->vertices, error) &&
           ws_tree_init(&tracer->tree, mesh, (enum ws_tree_split)arguments->split, arguments->leaf_faces,
                        error) &&
           ws_tree_order(&tracer->tree, (enum ws_tree_order)arguments->nodes, error) &&
           (arguments->tree == NULL || ws_tree_write(&tracer->tree, arguments->tree, error));
}

static bool draw(void *user, struct ws_gpu *gpu, struct ws_error *error)
{
    const struct arguments *arguments = user;
    struct tracer tracer = {.gpu = gpu, .arguments = arguments};
    struct ws_gpu_shader shader = shaders[arguments->traversal][arguments->stack];
    struct ws_mesh mesh = {0};
    bool drawn = false;

    shader.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    shader.name = "tracer.comp";
    if (!load(&tracer, &mesh, error) || !make_buffers(&tracer, &mesh, error))
        goto error;
    tracer.pipeline = ws_gpu_compute_pipeline(gpu, &tracer.bindings, &shader, error);
    if (tracer.pipeline == VK_NULL_HANDLE)
        goto error;
    ws_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)tracer.pipeline,
                traversal_names[arguments->traversal]);
    drawn = ws_frames_draw(arguments->frames, arguments->time, draw_frame, &tracer, error) &&
            ws_png_write(arguments->common.output, tracer.buffers[BINDING_PIXELS].data,
                         arguments->common.width, arguments->common.height * arguments->views, error);
error:
    vkDestroyPipeline(gpu->device, tracer.pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &tracer.bindings);
    for (uint32_t i = 0; i < BINDING_COUNT; i++)
        ws_gpu_buffer_finish(gpu, &tracer.buffers[i]);
    ws_tree_finish(&tracer.tree);
    ws_mesh_finish(&mesh);
    return drawn;
}

static bool parse(struct arguments *arguments, int argc, char **argv, int *status)
{
    const struct ws_option own[] = {
        {"mesh", 'm', WS_OPTION_TEXT, &arguments->mesh, "FILE",
         "mesh to draw: knot, an OBJ file, or bunny, teapot or dragon (default knot)", 0, 0, NULL},
        {"traversal", 't', WS_OPTION_CHOICE, &arguments->traversal, NULL, "loops over nodes and faces", 0, 0,
         traversal_names},
        {"split", 's', WS_OPTION_CHOICE, &arguments->split, NULL, "how the tree is built", 0, 0, split_names},
        {"leaf", 'l', WS_OPTION_NUMBER, &arguments->leaf_faces, "N", "the most faces of a leaf", 1, LEAF_MAX,
         NULL},
        {"vertices", 'v', WS_OPTION_CHOICE, &arguments->vertices, NULL, "where vertices lie", 0, 0,
         vertex_names},
        {"nodes", 'n', WS_OPTION_CHOICE, &arguments->nodes, NULL, "where nodes lie", 0, 0, node_names},
        {"schedule", 0, WS_OPTION_CHOICE, &arguments->schedule, NULL,
         "which pixels workgroups get: all go along the lines, or each multiprocessor in a part of its own",
         0, 0, schedule_names},
        {"sms", 0, WS_OPTION_NUMBER, &arguments->multiprocessors, "N",
         "multiprocessors, for --schedule per-sm: the device deals workgroups out to them in turn", 1, 1024,
         NULL},
        {"stack", 0, WS_OPTION_CHOICE, &arguments->stack, NULL, "where threads keep nodes for later", 0, 0,
         stack_names},
        {"views", 0, WS_OPTION_NUMBER, &arguments->views, "N",
         "draw from N sides, a dispatch each; their pictures stand below each other", 1, VIEWS_MAX, NULL},
        {"tree", 0, WS_OPTION_TEXT, &arguments->tree, "FILE",
         "write the tree: a line for each node, with its children, FIRST+COUNT for a leaf's faces", 0, 0,
         NULL},
        {"frames", 'f', WS_OPTION_NUMBER, &arguments->frames, "N", "draw the same N times", 1, 100000, NULL},
        {"time", 0, WS_OPTION_FLAG, &arguments->time, NULL,
         "print the first frame's milliseconds and the median of the others on stderr", 0, 0, NULL},
    };

    return ws_options_parse(&arguments->common, own, sizeof(own) / sizeof(own[0]), argc, argv, status);
}

int main(int argc, char **argv)
{
    struct arguments arguments = {
        .common =
            {
                .program = "bvh_tracer",
                .summary =
                    "Traces rays in a compute shader, by a tree of boxes that it builds and walks itself.",
                .output = "bvh_tracer.png",
                .width = 256,
                .height = 256,
                .size_max = 2048,
            },
        .mesh = "knot",
        .vertices = WS_VERTEX_BREADTH_FIRST,
        .leaf_faces = 4,
        .multiprocessors = 68,
        .views = 1,
        .frames = 1,
    };
    int status;

    if (!parse(&arguments, argc, argv, &status))
        return status;
    return ws_run(&arguments.common, 0, VK_QUEUE_COMPUTE_BIT, draw, &arguments);
}
