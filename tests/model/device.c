#include "tests/model/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/base/graphics.h"
#include "examples/base/ray_tracing.h"
#include "tests/unit/passes/spirv/assembly.h"

#define STAGES                                                                                               \
    (VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |                                      \
     VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |                                    \
     VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR | VK_SHADER_STAGE_COMPUTE_BIT | \
     VK_SHADER_STAGE_FRAGMENT_BIT)

/* A triangle that covers the image, and is clipped to it: so there are helper lanes. */
static const char covering[] =
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Vertex %main \"main\" %index "
    "%position\n"
    "OpDecorate %index BuiltIn VertexIndex\nOpDecorate %position BuiltIn Position\n%void = OpTypeVoid\n"
    "%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n%v4float = OpTypeVector "
    "%float 4\n"
    "%p_index = OpTypePointer Input %uint\n%p_position = OpTypePointer Output %v4float\n"
    "%index = OpVariable %p_index Input\n%position = OpVariable %p_position Output\n%c_1 = OpConstant %uint "
    "1\n"
    "%f_0 = OpConstant %float 0\n%f_1 = OpConstant %float 1\n%f_4 = OpConstant %float 4\n"
    "%main = OpFunction %void None %fn\n%begin = OpLabel\n%i = OpLoad %uint %index\n"
    "%a = OpBitwiseAnd %uint %i %c_1\n%b = OpShiftRightLogical %uint %i %c_1\n%c = OpConvertUToF %float %a\n"
    "%d = OpConvertUToF %float %b\n%e = OpFMul %float %c %f_4\n%f = OpFMul %float %d %f_4\n"
    "%x = OpFSub %float %e %f_1\n%y = OpFSub %float %f %f_1\n"
    "%at = OpCompositeConstruct %v4float %x %y %f_0 %f_1\nOpStore %position %at\nOpReturn\nOpFunctionEnd\n";

/* One triangle and one box, each in the way of every ray. */
static bool build(struct model_device *device, struct ws_error *error)
{
    static const float vertices[] = {-10, -10, 0, 20, -10, 0, -10, 20, 0};
    static const uint32_t indices[] = {0, 1, 2};
    static const VkAabbPositionsKHR box = {-10, -10, -0.25f, 10, 10, 0.25f};
    struct ws_gpu *gpu = &device->gpu;
    if (!ws_gpu_buffer_init(gpu, &device->vertices, WS_GPU_BUILD_INPUT, vertices, sizeof(vertices), error) ||
        !ws_gpu_buffer_init(gpu, &device->indices, WS_GPU_BUILD_INPUT, indices, sizeof(indices), error) ||
        !ws_gpu_buffer_init(gpu, &device->boxes, WS_GPU_BUILD_INPUT, &box, sizeof(box), error))
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        struct ws_gpu_geometry geometry = {.opaque = i % 2 == 1};
        if (i < 2) {
            geometry.vertices = device->vertices.address;
            geometry.vertex_count = 3;
            geometry.indices = device->indices.address;
            geometry.triangle_count = 1;
        } else {
            geometry.boxes = device->boxes.address;
            geometry.box_count = 1;
        }
        if (!ws_gpu_bottom_level_init(gpu, &device->bottom[i], &geometry, 1, error))
            return false;
    }
    return true;
}

enum ws_gpu_status model_device_init(struct model_device *device, const char *name, uint32_t log_words,
                                     struct ws_error *error)
{
    const struct ws_gpu_request request = {.application = name,
                                           .needs =
                                               WS_GPU_RAY_TRACING | WS_GPU_RAY_QUERY | WS_GPU_FRAGMENT_STORES,
                                           .queue = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT};
    memset(device, 0, sizeof(*device));
    const enum ws_gpu_status status = ws_gpu_init(&device->gpu, &request, error);
    if (status != WS_GPU_READY)
        return status;
    if (!build(device, error) ||
        !ws_gpu_buffer_init(&device->gpu, &device->log, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                            4 * (VkDeviceSize)log_words, error)) {
        model_device_finish(device);
        return WS_GPU_FAILED;
    }
    return WS_GPU_READY;
}

void model_device_finish(struct model_device *device)
{
    for (uint32_t i = 0; i < 4; i++)
        ws_gpu_acceleration_structure_finish(&device->gpu, &device->bottom[i]);
    ws_gpu_buffer_finish(&device->gpu, &device->vertices);
    ws_gpu_buffer_finish(&device->gpu, &device->indices);
    ws_gpu_buffer_finish(&device->gpu, &device->boxes);
    ws_gpu_buffer_finish(&device->gpu, &device->log);
    ws_gpu_finish(&device->gpu);
}

/* Instance n is seen by rays with bit n, and has hit group n - 1. */
static bool build_top(struct model_device *device, const struct model_program *program,
                      struct ws_gpu_acceleration_structure *top, struct ws_error *error)
{
    const float zero[3] = {0, 0, 0};
    const float one[3] = {1, 1, 1};
    VkAccelerationStructureInstanceKHR instances[MODEL_INSTANCES - 1];
    for (uint32_t i = 1; i < MODEL_INSTANCES; i++) {
        const struct model_instance *instance = &program->instances[i];
        instances[i - 1] =
            ws_gpu_instance(&device->bottom[2 * instance->box + instance->opaque], zero, one, 0, i, i - 1);
        instances[i - 1].mask = 1u << i;
    }
    return ws_gpu_top_level_init(&device->gpu, top, instances, MODEL_INSTANCES - 1, error);
}

struct pipeline {
    struct ws_gpu_shader shaders[MODEL_SHADERS];
    char names[MODEL_SHADERS][16];
    struct ws_gpu_bindings bindings;
    struct ws_gpu_acceleration_structure top;
    struct ws_gpu_ray_tracing ray_tracing;
    VkPipeline compute;
    struct ws_gpu_target target;
    VkPipeline graphics;
    uint32_t *vertex;
};

static bool is_drawn(const struct model_program *program)
{
    return program->shaders[0].stage == WS_STAGE_FRAGMENT;
}

static bool make_graphics(struct ws_gpu *gpu, const struct model_program *program, struct pipeline *pipeline,
                          struct ws_error *error)
{
    size_t count = 0;
    pipeline->vertex = assembly_read(covering, 0x00010500, &count);
    const struct ws_gpu_graphics graphics = {
        .vertex = {.words = pipeline->vertex,
                   .size = 4 * count,
                   .stage = VK_SHADER_STAGE_VERTEX_BIT,
                   .name = "covering"},
        .fragment = pipeline->shaders[0],
    };
    if (!ws_gpu_target_init(gpu, &pipeline->target, program->size[0], program->size[1], false, error))
        return false;
    pipeline->graphics =
        ws_gpu_graphics_pipeline(gpu, &pipeline->bindings, &pipeline->target, &graphics, error);
    return pipeline->graphics != VK_NULL_HANDLE;
}

static void emit_shaders(const struct model_program *program, bool log, struct pipeline *pipeline)
{
    uint32_t instructions[MODEL_BLOCKS][MODEL_PARTS];
    for (uint32_t i = 0; i < program->shader_count; i++) {
        struct ws_gpu_shader *shader = &pipeline->shaders[i];
        char *text = model_emit(program, i, log, instructions);
        size_t count = 0;
        shader->words = assembly_read(text, 0x00010500, &count);
        shader->size = 4 * count;
        shader->stage = (VkShaderStageFlagBits)program->shaders[i].stage;
        snprintf(pipeline->names[i], sizeof(pipeline->names[i]), "%u", i);
        shader->name = pipeline->names[i];
        free(text);
    }
}

static bool make_ray_tracing(struct ws_gpu *gpu, const struct model_program *program,
                             struct pipeline *pipeline, struct ws_error *error)
{
    struct ws_gpu_group groups[2 * MODEL_GROUPS + MODEL_INSTANCES];
    const uint32_t none = WS_GPU_NO_SHADER;
    uint32_t count = 0;
    groups[count++] = (struct ws_gpu_group){0, none, none, none};
    for (uint32_t i = 0; i < program->miss_count; i++)
        groups[count++] = (struct ws_gpu_group){program->misses[i], none, none, none};
    for (uint32_t i = 1; i < MODEL_INSTANCES; i++) {
        const struct model_instance *instance = &program->instances[i];
        groups[count++] =
            (struct ws_gpu_group){none, instance->closest_hit, instance->any_hit, instance->intersection};
    }
    for (uint32_t i = 0; i < program->callable_count; i++)
        groups[count++] = (struct ws_gpu_group){program->callables[i], none, none, none};
    return ws_gpu_ray_tracing_init(gpu, &pipeline->ray_tracing, &pipeline->bindings, pipeline->shaders,
                                   program->shader_count, groups, count, MODEL_DEPTH + 1, error);
}

static bool submit(struct model_device *device, const struct model_program *program,
                   const struct pipeline *pipeline, const char *label, struct ws_error *error)
{
    VkCommandBuffer commands = ws_gpu_begin(&device->gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_label(&device->gpu, commands, label);
    if (program->rays) {
        const struct ws_gpu_ray_tracing *rays = &pipeline->ray_tracing;
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, rays->pipeline, &pipeline->bindings);
        vkCmdTraceRaysKHR(commands, &rays->raygen, &rays->miss, &rays->hit, &rays->callable, program->size[0],
                          program->size[1], program->size[2]);
    } else if (is_drawn(program)) {
        static const float black[4] = {0, 0, 0, 1};
        ws_gpu_target_begin(commands, &pipeline->target, black);
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->graphics, &pipeline->bindings);
        vkCmdDraw(commands, 3, 1, 0, 0);
        ws_gpu_target_end(commands, &pipeline->target);
    } else {
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->compute, &pipeline->bindings);
        vkCmdDispatch(commands, program->size[0] / program->group[0], program->size[1] / program->group[1],
                      program->size[2] / program->group[2]);
    }
    ws_gpu_label_end(&device->gpu, commands);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(&device->gpu, commands, error);
}

static bool prepare(struct model_device *device, const struct model_program *program,
                    struct pipeline *pipeline, struct ws_error *error)
{
    struct ws_gpu *gpu = &device->gpu;
    struct ws_gpu_binding bindings[] = {{.buffer = &device->log}, {.buffer = &device->log}};
    if (program->rays || program->queries) {
        if (!build_top(device, program, &pipeline->top, error))
            return false;
        bindings[0] = (struct ws_gpu_binding){.acceleration_structure = &pipeline->top.handle};
    }
    if (!ws_gpu_bindings_init(gpu, &pipeline->bindings, bindings, 2, STAGES, 0, error))
        return false;
    if (program->rays)
        return make_ray_tracing(gpu, program, pipeline, error);
    if (is_drawn(program))
        return make_graphics(gpu, program, pipeline, error);
    pipeline->compute = ws_gpu_compute_pipeline(gpu, &pipeline->bindings, &pipeline->shaders[0], error);
    return pipeline->compute != VK_NULL_HANDLE;
}

bool model_device_run(struct model_device *device, const struct model_program *program, bool log,
                      const char *label, struct ws_error *error)
{
    struct ws_gpu *gpu = &device->gpu;
    struct pipeline pipeline = {0};
    memset(device->log.data, 0, 16);
    emit_shaders(program, log, &pipeline);
    const bool done =
        prepare(device, program, &pipeline, error) && submit(device, program, &pipeline, label, error);
    ws_gpu_ray_tracing_finish(gpu, &pipeline.ray_tracing);
    vkDestroyPipeline(gpu->device, pipeline.compute, NULL);
    vkDestroyPipeline(gpu->device, pipeline.graphics, NULL);
    if (is_drawn(program))
        ws_gpu_target_finish(gpu, &pipeline.target);
    free(pipeline.vertex);
    ws_gpu_bindings_finish(gpu, &pipeline.bindings);
    ws_gpu_acceleration_structure_finish(gpu, &pipeline.top);
    for (uint32_t i = 0; i < program->shader_count; i++)
        free((void *)pipeline.shaders[i].words);
    return done;
}
