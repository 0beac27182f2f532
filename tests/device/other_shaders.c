/* Shaders that do not come in one pipeline of their own: shader objects and linked libraries; and ray
 * queries, which no pipeline tells of. */
#include "tests/device/drawing.h"

#include <stdlib.h>

#include "layer/core/vulkan_newer.h"
#include "query_comp.h"
#include "query_frag.h"
#include "tests/device/triangle.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/stage.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The triangle of the ray queries reaches over everything left of this. */
#define HIT_WIDTH 32

/* Ray queries. */

static VkPhysicalDeviceAccelerationStructureFeaturesKHR structure_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
    .accelerationStructure = VK_TRUE};
static VkPhysicalDeviceRayQueryFeaturesKHR query_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR,
    .pNext = &structure_features,
    .rayQuery = VK_TRUE};
static const char *const query_extensions[] = {VK_KHR_RAY_QUERY_EXTENSION_NAME,
                                               VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                               VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, NULL};
static const struct rig_request query_request = {.extensions = query_extensions,
                                                 .features = {.fragmentStoresAndAtomics = VK_TRUE},
                                                 .features12 = {.bufferDeviceAddress = VK_TRUE},
                                                 .chain = &query_features};

struct rays {
    struct triangle triangle;
    struct ws_gpu_buffer hits;
    struct ws_gpu_acceleration_structure top;
    struct ws_gpu_bindings bindings;
};

static void rays_init(struct rig *rig, struct rays *rays)
{
    static const float corners[9] = {HIT_WIDTH, -1000, 0, HIT_WIDTH, 1000, 0, -2000, 0, 0};
    VkPhysicalDeviceAccelerationStructurePropertiesKHR structures = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &structures};
    struct ws_gpu *gpu = &rig->gpu;
    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    gpu->scratch_alignment = structures.minAccelerationStructureScratchOffsetAlignment;
    CHECK(ws_gpu_buffer_init(gpu, &rays->hits, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL, 4, NULL));
    CHECK(triangle_init(gpu, &rays->triangle, corners, NULL));
    CHECK(triangle_place(gpu, &rays->triangle, 0, 0, &rays->top, NULL));
    const struct ws_gpu_binding bindings[] = {{.acceleration_structure = &rays->top.handle},
                                              {.buffer = &rays->hits}};
    CHECK(ws_gpu_bindings_init(gpu, &rays->bindings, bindings, COUNT(bindings),
                               VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, NULL));
}

static void rays_finish(struct rig *rig, struct rays *rays)
{
    ws_gpu_bindings_finish(&rig->gpu, &rays->bindings);
    ws_gpu_acceleration_structure_finish(&rig->gpu, &rays->top);
    ws_gpu_buffer_finish(&rig->gpu, &rays->hits);
    triangle_finish(&rig->gpu, &rays->triangle);
}

/* 64 threads in each of three rows; then all pixels. */
static void run_ray_query(struct rig *rig)
{
    const struct ws_gpu_shader compute = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                          .name = "query.comp",
                                          .words = query_comp,
                                          .size = sizeof(query_comp)};
    const struct ws_gpu_shader shaders[] = {drawing_cover[0],
                                            {.stage = VK_SHADER_STAGE_FRAGMENT_BIT,
                                             .name = "query.frag",
                                             .words = query_frag,
                                             .size = sizeof(query_frag)}};
    struct ws_gpu_image image;
    struct rays rays;
    rays_init(rig, &rays);
    drawing_image_init(rig, &image);
    VkPipeline dispatched = ws_gpu_compute_pipeline(&rig->gpu, &rays.bindings, &compute, NULL);
    VkPipeline drawn = drawing_pipeline(
        rig, &(struct drawing){.shaders = shaders, .shader_count = 2, .bindings = &rays.bindings});
    CHECK(dispatched != VK_NULL_HANDLE);
    VkCommandBuffer commands = drawing_record(rig);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, dispatched, &rays.bindings);
    vkCmdDispatch(commands, 1, 3, 1);
    ws_gpu_barrier(commands);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, drawn, &rays.bindings);
    drawing_begin(commands, image.view);
    vkCmdDraw(commands, 3, 1, 0, 0);
    drawing_end(commands);
    drawing_run(rig, commands);
    CHECK(*(const uint32_t *)rays.hits.data == 3 * HIT_WIDTH + DRAWING_HEIGHT * HIT_WIDTH);
    vkDestroyPipeline(rig->gpu.device, dispatched, NULL);
    vkDestroyPipeline(rig->gpu.device, drawn, NULL);
    ws_gpu_image_finish(&rig->gpu, &image);
    rays_finish(rig, &rays);
}

/* All threads ran the first block, and so many of them the one where a ray has hit. */
static void check_hits(const struct recorded_launch *launch, uint32_t stage, uint32_t all, uint32_t hits)
{
    const struct recorded_shader *shader = recorded_shader(launch, stage);
    CHECK(shader != NULL && shader->row_count == 3);
    CHECK(recorded_row_lanes(shader, 1) == all);
    CHECK(recorded_row_lanes(shader, 2) == hits);
}

static void check_ray_query(const struct recorded *recorded)
{
    CHECK(recorded->count == 2 && recorded->skipped == 0);
    check_hits(&recorded->launches[0], WS_STAGE_COMPUTE, 3 * 64, 3 * HIT_WIDTH);
    check_hits(&recorded->launches[1], WS_STAGE_FRAGMENT, DRAWING_PIXELS, DRAWING_HEIGHT * HIT_WIDTH);
}

/* Shader objects. */

static VkPhysicalDeviceShaderObjectFeaturesEXT object_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT, .shaderObject = VK_TRUE};
static const char *const object_extensions[] = {VK_EXT_SHADER_OBJECT_EXTENSION_NAME, NULL};
static const struct rig_request object_request = {.extensions = object_extensions, .chain = &object_features};

/* A command that comes with VK_EXT_shader_object, whichever extension it was of before. */
#define COMMAND(name) ((PFN_##name)vkGetDeviceProcAddr(rig->gpu.device, #name))

static VkShaderEXT make_object(struct rig *rig, const struct ws_gpu_shader *shader,
                               VkShaderStageFlags next_stage)
{
    const VkShaderCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                        .stage = shader->stage,
                                        .nextStage = next_stage,
                                        .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                        .codeSize = shader->size,
                                        .pCode = shader->words,
                                        .pName = "main",
                                        .pSpecializationInfo = shader->specialization};
    VkShaderEXT object;
    CHECK(COMMAND(vkCreateShadersEXT)(rig->gpu.device, 1, &info, NULL, &object) == VK_SUCCESS);
    return object;
}

/* Without a pipeline all state is dynamic and must be set before a draw. */
static void set_state(struct rig *rig, VkCommandBuffer commands)
{
    const VkViewport viewport = {.width = DRAWING_WIDTH, .height = DRAWING_HEIGHT, .maxDepth = 1};
    const VkRect2D scissor = {.extent = {DRAWING_WIDTH, DRAWING_HEIGHT}};
    const VkSampleMask samples = 1;
    const VkBool32 off = VK_FALSE;
    const VkColorComponentFlags colours = 0xf;
    vkCmdSetViewportWithCount(commands, 1, &viewport);
    vkCmdSetScissorWithCount(commands, 1, &scissor);
    vkCmdSetRasterizerDiscardEnable(commands, VK_FALSE);
    vkCmdSetPrimitiveTopology(commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    vkCmdSetPrimitiveRestartEnable(commands, VK_FALSE);
    vkCmdSetCullMode(commands, VK_CULL_MODE_NONE);
    vkCmdSetFrontFace(commands, VK_FRONT_FACE_CLOCKWISE);
    vkCmdSetDepthTestEnable(commands, VK_FALSE);
    vkCmdSetDepthWriteEnable(commands, VK_FALSE);
    vkCmdSetDepthBiasEnable(commands, VK_FALSE);
    vkCmdSetDepthBoundsTestEnable(commands, VK_FALSE);
    vkCmdSetStencilTestEnable(commands, VK_FALSE);
    COMMAND(vkCmdSetVertexInputEXT)(commands, 0, NULL, 0, NULL);
    COMMAND(vkCmdSetPolygonModeEXT)(commands, VK_POLYGON_MODE_FILL);
    COMMAND(vkCmdSetRasterizationSamplesEXT)(commands, VK_SAMPLE_COUNT_1_BIT);
    COMMAND(vkCmdSetSampleMaskEXT)(commands, VK_SAMPLE_COUNT_1_BIT, &samples);
    COMMAND(vkCmdSetAlphaToCoverageEnableEXT)(commands, VK_FALSE);
    COMMAND(vkCmdSetColorBlendEnableEXT)(commands, 0, 1, &off);
    COMMAND(vkCmdSetColorWriteMaskEXT)(commands, 0, 1, &colours);
}

/* A dispatch; a render pass of both draws of an object pair; a second dispatch after a pipeline took its
 * place. */
static void run_objects(struct rig *rig)
{
    static const VkShaderStageFlagBits drawn_stages[] = {VK_SHADER_STAGE_VERTEX_BIT,
                                                         VK_SHADER_STAGE_FRAGMENT_BIT};
    static const VkShaderStageFlagBits compute_stage = VK_SHADER_STAGE_COMPUTE_BIT;
    const uint32_t size = 64;
    const VkSpecializationMapEntry entry = {.size = sizeof(size)};
    const VkSpecializationInfo specialization = {1, &entry, sizeof(size), &size};
    struct ws_gpu_shader count = rig_count;
    count.specialization = &specialization;
    const VkShaderEXT drawn[] = {make_object(rig, &drawing_cover[0], VK_SHADER_STAGE_FRAGMENT_BIT),
                                 make_object(rig, &drawing_cover[1], 0)};
    const VkShaderEXT compute = make_object(rig, &count, 0);
    VkPipeline pipeline = rig_count_pipeline(rig, 32);
    struct ws_gpu_image image;
    drawing_image_init(rig, &image);
    VkCommandBuffer commands = drawing_record(rig);
    COMMAND(vkCmdBindShadersEXT)(commands, 1, &compute_stage, &compute);
    vkCmdDispatch(commands, 3, 1, 1);
    set_state(rig, commands);
    COMMAND(vkCmdBindShadersEXT)(commands, 2, drawn_stages, drawn);
    drawing_begin(commands, image.view);
    vkCmdDraw(commands, 3, 2, 0, 0);
    vkCmdDraw(commands, 3, 1, 0, 0);
    drawing_end(commands);
    rig_dispatch(commands, pipeline, 5);
    COMMAND(vkCmdBindShadersEXT)(commands, 1, &compute_stage, &compute);
    vkCmdDispatch(commands, 7, 1, 1);
    drawing_run(rig, commands);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
    COMMAND(vkDestroyShaderEXT)(rig->gpu.device, drawn[0], NULL);
    COMMAND(vkDestroyShaderEXT)(rig->gpu.device, drawn[1], NULL);
    COMMAND(vkDestroyShaderEXT)(rig->gpu.device, compute, NULL);
    ws_gpu_image_finish(&rig->gpu, &image);
}

static void check_objects(const struct recorded *recorded)
{
    CHECK(recorded->count == 4 && recorded->skipped == 0);
    CHECK(drawing_lanes(&recorded->launches[0], WS_STAGE_COMPUTE) == 3 * 64);
    CHECK(recorded->launches[1].draws == 2);
    CHECK(drawing_lanes(&recorded->launches[1], WS_STAGE_VERTEX) == 9);
    CHECK(drawing_lanes(&recorded->launches[1], WS_STAGE_FRAGMENT) == 3 * DRAWING_PIXELS);
    CHECK(drawing_lanes(&recorded->launches[2], WS_STAGE_COMPUTE) == 5 * 32);
    CHECK(drawing_lanes(&recorded->launches[3], WS_STAGE_COMPUTE) == 7 * 64);
}

/* Pipeline libraries. */

static VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT library_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
    .graphicsPipelineLibrary = VK_TRUE};
static const char *const library_extensions[] = {VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
                                                 VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, NULL};
static const struct rig_request library_request = {.extensions = library_extensions,
                                                   .chain = &library_features};

static void run_libraries(struct rig *rig)
{
    struct ws_gpu_image image;
    VkPipeline parts[4];
    drawing_image_init(rig, &image);
    VkPipeline pipeline =
        drawing_pipeline(rig, &(struct drawing){.shaders = drawing_cover, .shader_count = 2, .parts = parts});
    VkCommandBuffer commands = drawing_record(rig);
    drawing_begin(commands, image.view);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(commands, 3, 2, 0, 0);
    drawing_end(commands);
    drawing_run(rig, commands);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
    for (int i = 0; i < 4; i++)
        vkDestroyPipeline(rig->gpu.device, parts[i], NULL);
    ws_gpu_image_finish(&rig->gpu, &image);
}

static void check_libraries(const struct recorded *recorded)
{
    CHECK(recorded->count == 1 && recorded->skipped == 0);
    CHECK(drawing_lanes(&recorded->launches[0], WS_STAGE_VERTEX) == 6);
    CHECK(drawing_lanes(&recorded->launches[0], WS_STAGE_FRAGMENT) == 2 * DRAWING_PIXELS);
}

/* A module with a vertex and a fragment shader, which share the function %magnitude. It has a block for values below
 * zero: two of the three vertices come there, and the left half of the pixels. */
static const char shared_text[] = "OpCapability Shader\n"
                                  "OpMemoryModel Logical GLSL450\n"
                                  "OpEntryPoint Vertex %vertex \"main\" %index %position\n"
                                  "OpEntryPoint Fragment %fragment \"main\" %place %colour\n"
                                  "OpExecutionMode %fragment OriginUpperLeft\n"
                                  "OpDecorate %index BuiltIn VertexIndex\n"
                                  "OpDecorate %position BuiltIn Position\n"
                                  "OpDecorate %place BuiltIn FragCoord\n"
                                  "OpDecorate %colour Location 0\n"
                                  "%void = OpTypeVoid\n"
                                  "%nothing = OpTypeFunction %void\n"
                                  "%bool = OpTypeBool\n"
                                  "%int = OpTypeInt 32 1\n"
                                  "%float = OpTypeFloat 32\n"
                                  "%vec4 = OpTypeVector %float 4\n"
                                  "%of_float = OpTypeFunction %float %float\n"
                                  "%input_int = OpTypePointer Input %int\n"
                                  "%input_vec4 = OpTypePointer Input %vec4\n"
                                  "%output_vec4 = OpTypePointer Output %vec4\n"
                                  "%index = OpVariable %input_int Input\n"
                                  "%place = OpVariable %input_vec4 Input\n"
                                  "%position = OpVariable %output_vec4 Output\n"
                                  "%colour = OpVariable %output_vec4 Output\n"
                                  "%i1 = OpConstant %int 1\n"
                                  "%i2 = OpConstant %int 2\n"
                                  "%f0 = OpConstant %float 0\n"
                                  "%f1 = OpConstant %float 1\n"
                                  "%f2 = OpConstant %float 2\n"
                                  "%middle = OpConstant %float 20\n"
                                  "%magnitude = OpFunction %float None %of_float\n"
                                  "%value = OpFunctionParameter %float\n"
                                  "%head = OpLabel\n"
                                  "%is_below = OpFOrdLessThan %bool %value %f0\n"
                                  "OpSelectionMerge %merge None\n"
                                  "OpBranchConditional %is_below %below %merge\n"
                                  "%below = OpLabel\n"
                                  "%turned = OpFNegate %float %value\n"
                                  "OpBranch %merge\n"
                                  "%merge = OpLabel\n"
                                  "%result = OpPhi %float %value %head %turned %below\n"
                                  "OpReturnValue %result\n"
                                  "OpFunctionEnd\n"
                                  /* (-1, -1), (3, -1), (-1, 3) */
                                  "%vertex = OpFunction %void None %nothing\n"
                                  "%v = OpLabel\n"
                                  "%number = OpLoad %int %index\n"
                                  "%second = OpBitwiseAnd %int %number %i1\n"
                                  "%third = OpBitwiseAnd %int %number %i2\n"
                                  "%x01 = OpConvertSToF %float %second\n"
                                  "%y02 = OpConvertSToF %float %third\n"
                                  "%x02 = OpFMul %float %x01 %f2\n"
                                  "%x = OpFSub %float %x02 %f1\n"
                                  "%y = OpFSub %float %y02 %f1\n"
                                  "%unused = OpFunctionCall %float %magnitude %x\n"
                                  "%x04 = OpFMul %float %x02 %f2\n"
                                  "%y04 = OpFMul %float %y02 %f2\n"
                                  "%left = OpFSub %float %x04 %f1\n"
                                  "%top = OpFSub %float %y04 %f1\n"
                                  "%corner = OpCompositeConstruct %vec4 %left %top %f0 %f1\n"
                                  "OpStore %position %corner\n"
                                  "OpReturn\n"
                                  "OpFunctionEnd\n"
                                  "%fragment = OpFunction %void None %nothing\n"
                                  "%f = OpLabel\n"
                                  "%at = OpLoad %vec4 %place\n"
                                  "%column = OpCompositeExtract %float %at 0\n"
                                  "%from_middle = OpFSub %float %column %middle\n"
                                  "%distance = OpFunctionCall %float %magnitude %from_middle\n"
                                  "%shade = OpFDiv %float %distance %middle\n"
                                  "%painted = OpCompositeConstruct %vec4 %shade %shade %shade %f1\n"
                                  "OpStore %colour %painted\n"
                                  "OpReturn\n"
                                  "OpFunctionEnd\n";

static void run_shared(struct rig *rig)
{
    size_t word_count = 0;
    uint32_t *words = assembly_read(shared_text, 0x00010300, &word_count);
    const struct ws_gpu_shader shaders[] = {{.stage = VK_SHADER_STAGE_VERTEX_BIT,
                                             .name = "shared",
                                             .words = words,
                                             .size = word_count * sizeof(*words)},
                                            {.stage = VK_SHADER_STAGE_FRAGMENT_BIT,
                                             .name = "shared",
                                             .words = words,
                                             .size = word_count * sizeof(*words)}};
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
    free(words);
}

/* Whether so many threads came by some row of a stage's shader. */
static bool has_row(const struct recorded_launch *launch, uint32_t stage, uint32_t lanes)
{
    const struct recorded_shader *shader = recorded_shader(launch, stage);
    CHECK(shader != NULL);
    for (uint32_t row = 0; row < shader->row_count; row++)
        if (recorded_row_lanes(shader, row) == lanes)
            return true;
    return false;
}

static void check_shared(const struct recorded *recorded)
{
    CHECK(recorded->count == 1 && recorded->skipped == 0);
    CHECK(has_row(&recorded->launches[0], WS_STAGE_VERTEX, 3));
    CHECK(has_row(&recorded->launches[0], WS_STAGE_VERTEX, 2));
    CHECK(has_row(&recorded->launches[0], WS_STAGE_FRAGMENT, DRAWING_PIXELS));
    CHECK(has_row(&recorded->launches[0], WS_STAGE_FRAGMENT, DRAWING_PIXELS / 2));
}

/* Three triangles over all pixels, of which the depth test hides the last two: by an occlusion query as by the
 * fragments that are counted, where the shader could be given early tests. With alpha to coverage it could not: then
 * hidden fragments are counted too, and the report says so. */
static void run_overdraw(struct rig *rig, bool alpha_to_coverage)
{
    const VkQueryPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                             .queryType = VK_QUERY_TYPE_OCCLUSION,
                                             .queryCount = 1};
    VkQueryPool pool;
    uint64_t samples = 0;
    struct ws_gpu_image image;
    struct ws_gpu_image depth;
    drawing_image_init(rig, &image);
    drawing_depth_init(rig, &depth);
    CHECK(vkCreateQueryPool(rig->gpu.device, &pool_info, NULL, &pool) == VK_SUCCESS);
    VkPipeline pipeline = drawing_pipeline(rig, &(struct drawing){.shaders = drawing_cover,
                                                                  .shader_count = 2,
                                                                  .depth = true,
                                                                  .alpha_to_coverage = alpha_to_coverage});
    VkCommandBuffer commands = drawing_record(rig);
    vkCmdResetQueryPool(commands, pool, 0, 1);
    drawing_begin_depth(commands, image.view, depth.view);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBeginQuery(commands, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    vkCmdDraw(commands, 3, 3, 0, 0);
    vkCmdEndQuery(commands, pool, 0);
    drawing_end(commands);
    drawing_run(rig, commands);
    CHECK(vkGetQueryPoolResults(rig->gpu.device, pool, 0, 1, sizeof(samples), &samples, sizeof(samples),
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT) == VK_SUCCESS);
    CHECK(samples == DRAWING_PIXELS);
    vkDestroyQueryPool(rig->gpu.device, pool, NULL);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
    ws_gpu_image_finish(&rig->gpu, &depth);
    ws_gpu_image_finish(&rig->gpu, &image);
}

static void run_early(struct rig *rig)
{
    run_overdraw(rig, false);
}

static void check_early(const struct recorded *recorded)
{
    CHECK(recorded->count == 1 && recorded->skipped == 0);
    CHECK(drawing_lanes(&recorded->launches[0], WS_STAGE_FRAGMENT) == DRAWING_PIXELS);
    CHECK(!rig_report_says("late tests"));
}

static void run_late(struct rig *rig)
{
    run_overdraw(rig, true);
}

static void check_late(const struct recorded *recorded)
{
    CHECK(recorded->count == 1 && recorded->skipped == 0);
    CHECK(drawing_lanes(&recorded->launches[0], WS_STAGE_FRAGMENT) == 3 * DRAWING_PIXELS);
    CHECK(rig_report_says("late tests: 1 fragment shader"));
}

static const struct rig_request counting_samples = {.features = {.occlusionQueryPrecise = VK_TRUE}};

/* Shaders of which the pass wants nothing: they run as they were made, and the capture says so. */
static void check_no_place(const struct recorded *recorded)
{
    CHECK(recorded->count == 1 && recorded->skipped == 0);
    CHECK(recorded_shader(&recorded->launches[0], WS_STAGE_FRAGMENT) == NULL);
    CHECK(rig_report_says("2 shaders hold no place that the passes want"));
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "ray_query", .run = run_ray_query, .check = check_ray_query, .request = &query_request},
        {.name = "objects", .run = run_objects, .check = check_objects, .request = &object_request},
        {.name = "libraries", .run = run_libraries, .check = check_libraries, .request = &library_request},
        {.name = "shared", .run = run_shared, .check = check_shared},
        {.name = "early", .run = run_early, .check = check_early, .request = &counting_samples},
        {.name = "late", .run = run_late, .check = check_late, .request = &counting_samples},
        {.name = "no_place",
         .run = run_libraries,
         .check = check_no_place,
         .request = &library_request,
         .setting = "WARPSCOPE_PASSES",
         .value = "ray_events"},
    };
    return rig_main(cases, COUNT(cases), argc, argv);
}
