/* Shaders that count themselves (shaders/probe.glsl) around calls that may end lanes, and the capture: of each block in
 * which a probe stands, counters, records and annotated shaders must show the executions and lanes that the probe has
 * counted. The counted lanes depend on hashes, so nothing of it is worked out by hand, and nothing of it is known to
 * the layer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/annotate/annotate.h"
#include "analysis/annotate/report_simt.h"
#include "analysis/report/report.h"
#include "analysis/trace/divergence.h"
#include "examples/base/acceleration_structure.h"
#include "examples/base/graphics.h"
#include "examples/base/ray_tracing.h"
#include "tests/device/exact/harness.h"
#include "warpscope/spirv/code.h"

#define PROBES 48
#define WIDTH  64
#define HEIGHT 48

/* What probes have counted. */
struct probe {
    uint32_t executions;
    uint32_t lanes;
};

struct launch {
    const char *label;
    struct ws_gpu_shader shaders[5]; /* those with probes */
    uint32_t shader_count;
    struct probe probes[PROBES];
};

/* ---- the launches ---- */

static bool init_probes(struct ws_gpu *gpu, struct ws_gpu_buffer *buffer, struct ws_error *error)
{
    static const struct probe none[PROBES];
    return ws_gpu_buffer_init(gpu, buffer, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, none, sizeof(none), error);
}

/* Draws a rectangle with an odd number of columns, so that there are helper lanes. */
static bool draw(struct ws_harness *harness, struct launch *launch, struct ws_error *error)
{
    static const uint32_t rectangle = 1;
    static const float black[4] = {0, 0, 0, 1};
    const VkSpecializationMapEntry entry = {1, 0, sizeof(rectangle)};
    const VkSpecializationInfo choice = {1, &entry, sizeof(rectangle), &rectangle};
    struct ws_gpu *gpu = &harness->gpu;
    struct ws_gpu_target target;
    struct ws_gpu_bindings bindings = {0};
    struct ws_gpu_buffer probes = {0};
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    bool done = false;

    launch->shaders[0] = ws_harness_shader(harness, launch->label, VK_SHADER_STAGE_FRAGMENT_BIT, NULL);
    launch->shader_count = 1;
    const struct ws_gpu_graphics graphics = {
        .vertex = ws_harness_shader(harness, "covering.vert", VK_SHADER_STAGE_VERTEX_BIT, &choice),
        .fragment = launch->shaders[0],
        .scale = 2,
    };
    if (!ws_gpu_target_init(gpu, &target, WIDTH, HEIGHT, false, error))
        return false;
    const struct ws_gpu_binding binding = {.buffer = &probes};
    if (init_probes(gpu, &probes, error) &&
        ws_gpu_bindings_init(gpu, &bindings, &binding, 1, VK_SHADER_STAGE_FRAGMENT_BIT, 0, error))
        pipeline = ws_gpu_graphics_pipeline(gpu, &bindings, &target, &graphics, error);
    if (pipeline != VK_NULL_HANDLE)
        commands = ws_gpu_begin(gpu, error);
    if (commands != VK_NULL_HANDLE) {
        ws_gpu_label(gpu, commands, launch->label);
        ws_gpu_target_begin(commands, &target, black);
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline, &bindings);
        vkCmdDraw(commands, 6, 1, 0, 0);
        ws_gpu_target_end(commands, &target);
        ws_gpu_label_end(gpu, commands);
        ws_gpu_barrier(commands);
        done = ws_gpu_submit(gpu, commands, error);
    }
    if (done)
        memcpy(launch->probes, probes.data, sizeof(launch->probes));
    vkDestroyPipeline(gpu->device, pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &bindings);
    ws_gpu_buffer_finish(gpu, &probes);
    ws_gpu_target_finish(gpu, &target);
    return done;
}

struct scene {
    struct ws_gpu_buffer vertices;
    struct ws_gpu_buffer indices;
    struct ws_gpu_buffer boxes;
    struct ws_gpu_buffer probes;
    struct ws_gpu_acceleration_structure bottom[2];
    struct ws_gpu_acceleration_structure top;
    struct ws_gpu_bindings bindings;
    struct ws_gpu_ray_tracing ray_tracing;
};

/* A triangle that rays with mask 1 meet, and a box that those with mask 2 meet. */
static bool build(struct ws_gpu *gpu, struct scene *scene, struct ws_error *error)
{
    static const float vertices[] = {-1e3f, -1e3f, 0, 2e4f, -1e3f, 0, -1e3f, 2e4f, 0};
    static const uint32_t indices[] = {0, 1, 2};
    static const VkAabbPositionsKHR box = {-1e3f, -1e3f, -0.25f, 2e4f, 2e4f, 0.25f};
    static const float zero[3] = {0, 0, 0};
    static const float one[3] = {1, 1, 1};

    if (!ws_gpu_buffer_init(gpu, &scene->vertices, WS_GPU_BUILD_INPUT, vertices, sizeof(vertices), error) ||
        !ws_gpu_buffer_init(gpu, &scene->indices, WS_GPU_BUILD_INPUT, indices, sizeof(indices), error) ||
        !ws_gpu_buffer_init(gpu, &scene->boxes, WS_GPU_BUILD_INPUT, &box, sizeof(box), error))
        return false;
    const struct ws_gpu_geometry triangle = {.vertices = scene->vertices.address,
                                             .vertex_count = 3,
                                             .indices = scene->indices.address,
                                             .triangle_count = 1};
    const struct ws_gpu_geometry boxes = {.boxes = scene->boxes.address, .box_count = 1};
    if (!ws_gpu_bottom_level_init(gpu, &scene->bottom[0], &triangle, 1, error) ||
        !ws_gpu_bottom_level_init(gpu, &scene->bottom[1], &boxes, 1, error))
        return false;
    VkAccelerationStructureInstanceKHR instances[2];
    for (uint32_t i = 0; i < 2; i++) {
        instances[i] = ws_gpu_instance(&scene->bottom[i], zero, one, 0, i, i);
        instances[i].mask = 1u << i;
    }
    return ws_gpu_top_level_init(gpu, &scene->top, instances, 2, error) &&
           init_probes(gpu, &scene->probes, error);
}

static bool make_pipeline(struct ws_harness *harness, struct launch *launch, struct scene *scene,
                          struct ws_error *error)
{
    enum { RAYGEN, MISS, ANY_HIT, INTERSECTION, CLOSEST_HIT };
    static const char *const files[] = {"cut.rgen", "cut.rmiss", "cut.rahit", "cut.rint", "cut.rchit"};
    static const VkShaderStageFlagBits stages[] = {
        VK_SHADER_STAGE_RAYGEN_BIT_KHR, VK_SHADER_STAGE_MISS_BIT_KHR, VK_SHADER_STAGE_ANY_HIT_BIT_KHR,
        VK_SHADER_STAGE_INTERSECTION_BIT_KHR, VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR};
    const uint32_t none = WS_GPU_NO_SHADER;
    const struct ws_gpu_group groups[] = {
        {RAYGEN, none, none, none},
        {MISS, none, none, none},
        {none, CLOSEST_HIT, ANY_HIT, none},
        {none, CLOSEST_HIT, ANY_HIT, INTERSECTION},
    };
    VkShaderStageFlags all = 0;
    for (uint32_t i = 0; i < 5; i++) {
        launch->shaders[i] = ws_harness_shader(harness, files[i], stages[i], NULL);
        all |= stages[i];
    }
    launch->shader_count = 5;
    const struct ws_gpu_binding bindings[] = {{.buffer = &scene->probes},
                                              {.acceleration_structure = &scene->top.handle}};
    return ws_gpu_bindings_init(&harness->gpu, &scene->bindings, bindings, 2, all, 0, error) &&
           ws_gpu_ray_tracing_init(&harness->gpu, &scene->ray_tracing, &scene->bindings, launch->shaders, 5,
                                   groups, 4, 1, error);
}

static bool trace(struct ws_harness *harness, struct launch *launch, struct ws_error *error)
{
    struct ws_gpu *gpu = &harness->gpu;
    struct scene scene = {0};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    bool done = false;

    if (build(gpu, &scene, error) && make_pipeline(harness, launch, &scene, error))
        commands = ws_gpu_begin(gpu, error);
    if (commands != VK_NULL_HANDLE) {
        ws_gpu_label(gpu, commands, launch->label);
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, scene.ray_tracing.pipeline,
                    &scene.bindings);
        ws_gpu_trace_rays(commands, &scene.ray_tracing, 0, WIDTH, HEIGHT);
        ws_gpu_label_end(gpu, commands);
        ws_gpu_barrier(commands);
        done = ws_gpu_submit(gpu, commands, error);
    }
    if (done)
        memcpy(launch->probes, scene.probes.data, sizeof(launch->probes));
    ws_gpu_ray_tracing_finish(gpu, &scene.ray_tracing);
    ws_gpu_bindings_finish(gpu, &scene.bindings);
    ws_gpu_acceleration_structure_finish(gpu, &scene.top);
    for (uint32_t i = 0; i < 2; i++)
        ws_gpu_acceleration_structure_finish(gpu, &scene.bottom[i]);
    ws_gpu_buffer_finish(gpu, &scene.vertices);
    ws_gpu_buffer_finish(gpu, &scene.indices);
    ws_gpu_buffer_finish(gpu, &scene.boxes);
    ws_gpu_buffer_finish(gpu, &scene.probes);
    return done;
}

/* ---- the comparison ---- */

/* The function `probe` of a module: its result id. */
static uint32_t find_probe(const struct ws_module *module)
{
    static const char name[] = "probe(u1;";
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpName &&
            ws_module_string(module, instruction, 1) == sizeof(name) - 1 &&
            memcmp(module->words + instruction->offset + 2, name, sizeof(name) - 1) == 0)
            return ws_operand(module, instruction, 0);
    }
    return 0;
}

/* The block of the entry point that holds the word; WS_NONE. */
static uint32_t find_block(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                           uint32_t offset)
{
    const struct ws_entry_record *entry = ws_catalog_entry(&harness->catalog, counted->shader);
    const struct ws_module_record *module =
        &harness->catalog.modules[harness->catalog.shaders[counted->shader].module];
    for (uint32_t i = 0; i < entry->block_count; i++) {
        const struct ws_block_info *block = &module->blocks[entry->blocks[i]].info;
        if (offset >= block->offset && offset - block->offset < block->length)
            return i;
    }
    return WS_NONE;
}

/* Compares one probe, which stands at `offset`. */
static void compare(struct ws_harness *harness, const struct launch *launch, uint32_t number,
                    const struct ws_counted_shader *counted, uint32_t offset,
                    const struct ws_divergence_results *divergence)
{
    const struct probe *probe = &launch->probes[number];
    const struct ws_shader_record *shader = &harness->catalog.shaders[counted->shader];
    const struct ws_module_record *module = &harness->catalog.modules[shader->module];
    const uint32_t block = find_block(harness, counted, offset);
    if (block == WS_NONE) {
        ws_harness_fail(harness, "%s: probe %u is in no block", launch->label, number);
        return;
    }
    const uint64_t executions = ws_counted_executions(harness, counted, block);
    const uint64_t lanes = ws_counted_lanes(harness, counted, block);
    if (executions != probe->executions || lanes != probe->lanes)
        ws_harness_fail(harness,
                        "%s: probe %u of %s: %" PRIu64 " executions with %" PRIu64
                        " lanes counted, there were %u with %u",
                        launch->label, number, module->name, executions, lanes, probe->executions,
                        probe->lanes);
    const uint32_t index = ws_catalog_entry(&harness->catalog, counted->shader)->blocks[block];
    const struct ws_divergence_counts *slots = ws_divergence_block(divergence, counted->shader, index);
    const uint64_t instructions = module->blocks[index].info.instruction_count;
    if ((slots != NULL ? slots->executions : 0) != probe->executions ||
        (slots != NULL ? slots->active : 0) != probe->lanes * instructions)
        ws_harness_fail(harness, "%s: probe %u of %s: records show other executions or lanes", launch->label,
                        number, module->name);
}

/* Compares the probes of one shader. */
static void compare_shader(struct ws_harness *harness, const struct launch *launch,
                           const struct ws_gpu_shader *shader, const struct ws_divergence_results *divergence)
{
    struct ws_error error = {0};
    const struct ws_counted_launch *counted_launch = ws_harness_launch(harness, launch->label);
    const struct ws_counted_shader *counted =
        counted_launch != NULL ? ws_harness_counted(harness, counted_launch, shader->name, "main") : NULL;
    struct ws_code *code = ws_code_create(shader->words, (uint32_t)(shader->size / 4), &error);
    if (counted == NULL || code == NULL) {
        ws_harness_fail(harness, "%s: %s is not counted, or not readable %s", launch->label, shader->name,
                        error.message);
        ws_code_destroy(code);
        return;
    }
    const struct ws_module *module = &code->module;
    const uint32_t function = find_probe(module);
    uint32_t found = 0;
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct ws_instruction *call = &module->instructions[i];
        if (call->opcode != SpvOpFunctionCall || ws_operand(module, call, 2) != function)
            continue;
        const struct ws_instruction *number = ws_module_definition(module, ws_operand(module, call, 3));
        compare(harness, launch, ws_operand(module, number, 2), counted, call->offset, divergence);
        found++;
    }
    if (found == 0)
        ws_harness_fail(harness, "%s: %s has no probes", launch->label, shader->name);
    ws_code_destroy(code);
}

/* Compares the number before each line with a probe: "  159   70.4 % |  47   probe(10u);". */
static void compare_annotated(struct ws_harness *harness, const struct launch *launch, const char *form,
                              const char *text)
{
    uint32_t found = 0;
    for (uint32_t number = 0; number < PROBES; number++) {
        char call[32];
        snprintf(call, sizeof(call), " probe(%uu);", number);
        const char *at = strstr(text, call);
        if (at == NULL)
            continue;
        while (at > text && at[-1] != '\n')
            at--;
        const unsigned long executions = strtoul(at, NULL, 10);
        if (executions != launch->probes[number].executions)
            ws_harness_fail(harness, "%s: probe %u: %s says %lu executions, there were %u", launch->label,
                            number, form, executions, launch->probes[number].executions);
        found++;
    }
    if (found == 0)
        ws_harness_fail(harness, "%s: %s shows no probes", launch->label, form);
}

/* The shader of a launch as annotated source, and as GLSL that is made of its words, where the build can do that. */
static void check_annotated(struct ws_harness *harness, const struct launch *launch,
                            const struct ws_simt_results *simt)
{
    static const enum ws_annotate_form forms[] = {WS_ANNOTATE_SOURCE, WS_ANNOTATE_GLSL};
    static const char *const names[] = {"annotated source", "annotated GLSL"};
    const struct ws_counted_launch *counted_launch = ws_harness_launch(harness, launch->label);
    const struct ws_gpu_shader *shader = &launch->shaders[0];
    const struct ws_counted_shader *counted =
        counted_launch != NULL ? ws_harness_counted(harness, counted_launch, shader->name, "main") : NULL;
    for (uint32_t i = 0; i < 2 && counted != NULL; i++) {
        struct ws_error error = {0};
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        const bool made =
            stream != NULL && ws_annotate(simt, counted->shader, shader->words, (uint32_t)(shader->size / 4),
                                          forms[i], stream, &error);
        if (stream != NULL)
            fclose(stream);
        if (made)
            compare_annotated(harness, launch, names[i], text);
        else if (forms[i] == WS_ANNOTATE_SOURCE)
            ws_harness_fail(harness, "%s: %s", launch->label, error.message);
        free(text);
    }
}

/* The probes must have seen what the test is for: lanes that did not come back. */
static void check_probes(struct ws_harness *harness, const struct launch *launch, uint32_t before,
                         uint32_t after)
{
    if (launch->probes[after].lanes == 0 || launch->probes[after].lanes >= launch->probes[before].lanes)
        ws_harness_fail(harness, "%s: probe %u saw %u lanes, probe %u saw %u: nothing was ended between them",
                        launch->label, before, launch->probes[before].lanes, after,
                        launch->probes[after].lanes);
}

static void check_all(struct ws_harness *harness, const struct launch *launches, uint32_t count)
{
    const struct ws_report_request request = {.all = true};
    struct ws_report report;
    struct ws_error error = {0};
    if (!ws_report_read(&report, harness->capture, &request, &error)) {
        ws_harness_fail(harness, "%s", error.message);
        return;
    }
    const struct ws_divergence_results *divergence = ws_report_results(&report, &ws_analysis_divergence);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t s = 0; s < launches[i].shader_count; s++)
            compare_shader(harness, &launches[i], &launches[i].shaders[s], divergence);
    check_annotated(harness, &launches[0], ws_report_simt(&report));
    check_annotated(harness, &launches[1], ws_report_simt(&report));
    ws_report_finish(&report);
}

int main(int argc, char **argv)
{
    struct launch launches[] = {{.label = "clip.frag"}, {.label = "demote.frag"}, {.label = "rays"}};
    struct ws_harness harness;
    struct ws_error error = {0};
    const int status = ws_harness_begin(&harness, "cuts", argc, argv,
                                        WS_GPU_FRAGMENT_STORES | WS_GPU_RAY_TRACING, VK_QUEUE_GRAPHICS_BIT);

    if (status != WS_TEST_PASSED)
        return status;
    const bool done = draw(&harness, &launches[0], &error) && draw(&harness, &launches[1], &error) &&
                      trace(&harness, &launches[2], &error);
    if (!done)
        ws_harness_fail(&harness, "%s", error.message);
    else if (ws_harness_read(&harness))
        check_all(&harness, launches, 3);
    check_probes(&harness, &launches[0], 9, 10);
    check_probes(&harness, &launches[1], 6, 7);
    check_probes(&harness, &launches[2], 17, 18);
    check_probes(&harness, &launches[2], 32, 33);
    return ws_harness_finish(&harness);
}
