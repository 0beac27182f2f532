/* Every kind of draw command and of graphics stage. All shaders are of one block, and a triangle covers all:
 * so what must have run follows from the commands' numbers. Nothing is shared between the vertices, which
 * have no indices or each its own. */
#include "tests/device/drawing.h"

#include "cover_mesh.h"
#include "double_geom.h"
#include "two_task.h"
#include "warpscope/stage.h"
#include "whole_tesc.h"
#include "whole_tese.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SHADER(vulkan_stage, words_)                                                                         \
    {                                                                                                        \
        .stage = VK_SHADER_STAGE_##vulkan_stage, .name = #words_, .words = words_, .size = sizeof(words_)    \
    }

static VkPhysicalDeviceMultiDrawFeaturesEXT multi_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT, .multiDraw = VK_TRUE};
static VkPhysicalDeviceMeshShaderFeaturesEXT mesh_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
    .taskShader = VK_TRUE,
    .meshShader = VK_TRUE};

static const char *const multi_extensions[] = {VK_EXT_MULTI_DRAW_EXTENSION_NAME, NULL};
static const char *const mesh_extensions[] = {VK_EXT_MESH_SHADER_EXTENSION_NAME, NULL};

static const struct rig_request multi = {.extensions = multi_extensions, .chain = &multi_features};
static const struct rig_request indirect = {.features = {.multiDrawIndirect = VK_TRUE},
                                            .features12 = {.drawIndirectCount = VK_TRUE}};
static const struct rig_request stages = {
    .features = {.geometryShader = VK_TRUE, .tessellationShader = VK_TRUE}};
static const struct rig_request mesh = {.extensions = mesh_extensions,
                                        .features = {.multiDrawIndirect = VK_TRUE},
                                        .features12 = {.drawIndirectCount = VK_TRUE},
                                        .chain = &mesh_features};

/* One render pass of draws with one pipeline. */
struct pass {
    struct ws_gpu_image image;
    VkPipeline pipeline;
    VkCommandBuffer commands;
};

static void begin(struct rig *rig, struct pass *pass, const struct drawing *drawing)
{
    drawing_image_init(rig, &pass->image);
    pass->pipeline = drawing_pipeline(rig, drawing);
    pass->commands = drawing_record(rig);
    drawing_begin(pass->commands, pass->image.view);
    vkCmdBindPipeline(pass->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pass->pipeline);
}

static void end(struct rig *rig, struct pass *pass)
{
    drawing_end(pass->commands);
    drawing_run(rig, pass->commands);
    vkDestroyPipeline(rig->gpu.device, pass->pipeline, NULL);
    ws_gpu_image_finish(&rig->gpu, &pass->image);
}

/* What must have run: threads by stage, and triangles over the whole image. */
struct expected {
    uint32_t draws;
    uint32_t triangles;
    uint32_t vertex, control, evaluation, geometry, task, mesh;
};

static void check_pass(const struct recorded *recorded, const struct expected *expected)
{
    CHECK(recorded->count == 1 && recorded->skipped == 0);
    const struct recorded_launch *launch = &recorded->launches[0];
    CHECK(launch->kind == WS_LAUNCH_RENDER_PASS);
    CHECK(launch->draws == expected->draws);
    CHECK(drawing_lanes(launch, WS_STAGE_VERTEX) == expected->vertex);
    CHECK(drawing_lanes(launch, WS_STAGE_TESSELLATION_CONTROL) == expected->control);
    CHECK(drawing_lanes(launch, WS_STAGE_TESSELLATION_EVALUATION) == expected->evaluation);
    CHECK(drawing_lanes(launch, WS_STAGE_GEOMETRY) == expected->geometry);
    CHECK(drawing_lanes(launch, WS_STAGE_TASK) == expected->task);
    CHECK(drawing_lanes(launch, WS_STAGE_MESH) == expected->mesh);
    CHECK(drawing_lanes(launch, WS_STAGE_FRAGMENT) == (uint64_t)expected->triangles * DRAWING_PIXELS);
}

static const struct drawing cover = {.shaders = drawing_cover, .shader_count = COUNT(drawing_cover)};

static struct ws_gpu_buffer index_buffer(struct rig *rig)
{
    static const uint32_t indices[] = {0, 1, 2};
    struct ws_gpu_buffer buffer;
    CHECK(ws_gpu_buffer_init(&rig->gpu, &buffer, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices, sizeof(indices),
                             NULL));
    return buffer;
}

static void run_multi(struct rig *rig)
{
    static const VkMultiDrawInfoEXT infos[] = {{0, 3}, {0, 0}, {0, 3}};
    static const VkMultiDrawIndexedInfoEXT indexed[] = {{0, 3, 0}, {0, 3, 0}, {0, 3, 0}, {0, 3, 0}};
    struct ws_gpu_buffer indices = index_buffer(rig);
    struct pass pass;
    begin(rig, &pass, &cover);
    vkCmdBindIndexBuffer(pass.commands, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawMultiEXT(pass.commands, COUNT(infos), infos, 2, 0, sizeof(infos[0]));
    vkCmdDrawMultiIndexedEXT(pass.commands, COUNT(indexed), indexed, 1, 0, sizeof(indexed[0]), NULL);
    end(rig, &pass);
    ws_gpu_buffer_finish(&rig->gpu, &indices);
}

static void check_multi(const struct recorded *recorded)
{
    check_pass(recorded, &(struct expected){.draws = 2, .triangles = 8, .vertex = 24});
}

static struct ws_gpu_buffer indirect_buffer(struct rig *rig, const void *data, VkDeviceSize size)
{
    struct ws_gpu_buffer buffer;
    CHECK(ws_gpu_buffer_init(&rig->gpu, &buffer, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, data, size, NULL));
    return buffer;
}

/* Direct with and without indices, and all four indirect forms, each in a render pass of its own. */
static void run_indirect(struct rig *rig)
{
    static const VkDrawIndirectCommand draws[] = {{3, 1, 0, 0}, {3, 2, 0, 0}, {3, 0, 0, 0}, {3, 4, 0, 0}};
    static const VkDrawIndexedIndirectCommand indexed[] = {{3, 1, 0, 0, 0}, {3, 5, 0, 0, 0}, {3, 8, 0, 0, 0}};
    static const uint32_t counts[] = {2};
    struct ws_gpu_buffer plain = indirect_buffer(rig, draws, sizeof(draws));
    struct ws_gpu_buffer with_indices = indirect_buffer(rig, indexed, sizeof(indexed));
    struct ws_gpu_buffer count = indirect_buffer(rig, counts, sizeof(counts));
    struct ws_gpu_buffer indices = index_buffer(rig);
    for (int kind = 0; kind < 6; kind++) {
        struct pass pass;
        begin(rig, &pass, &cover);
        VkCommandBuffer commands = pass.commands;
        vkCmdBindIndexBuffer(commands, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
        switch (kind) {
        case 0: vkCmdDraw(commands, 3, 3, 0, 0); break;
        case 1: vkCmdDrawIndexed(commands, 3, 2, 0, 0, 0); break;
        case 2: vkCmdDrawIndirect(commands, plain.buffer, 0, 4, sizeof(draws[0])); break;
        case 3: vkCmdDrawIndexedIndirect(commands, with_indices.buffer, 0, 3, sizeof(indexed[0])); break;
        case 4:
            vkCmdDrawIndirectCount(commands, plain.buffer, 0, count.buffer, 0, 4, sizeof(draws[0]));
            break;
        default:
            vkCmdDrawIndexedIndirectCount(commands, with_indices.buffer, 0, count.buffer, 0, 3,
                                          sizeof(indexed[0]));
            break;
        }
        end(rig, &pass);
    }
    ws_gpu_buffer_finish(&rig->gpu, &plain);
    ws_gpu_buffer_finish(&rig->gpu, &with_indices);
    ws_gpu_buffer_finish(&rig->gpu, &count);
    ws_gpu_buffer_finish(&rig->gpu, &indices);
}

static void check_indirect(const struct recorded *recorded)
{
    static const uint32_t triangles[] = {3, 2, 7, 14, 3, 6};
    CHECK(recorded->count == COUNT(triangles) && recorded->skipped == 0);
    for (uint32_t i = 0; i < COUNT(triangles); i++) {
        const struct recorded_launch *launch = &recorded->launches[i];
        CHECK(launch->draws == 1);
        CHECK(drawing_lanes(launch, WS_STAGE_FRAGMENT) == (uint64_t)triangles[i] * DRAWING_PIXELS);
        /* Instances of an indexed draw have vertices of their own too. */
        CHECK(drawing_lanes(launch, WS_STAGE_VERTEX) == 3 * triangles[i]);
    }
}

static void run_geometry(struct rig *rig)
{
    const struct ws_gpu_shader shaders[] = {drawing_cover[0], SHADER(GEOMETRY_BIT, double_geom),
                                            drawing_cover[1]};
    struct pass pass;
    begin(rig, &pass, &(struct drawing){.shaders = shaders, .shader_count = COUNT(shaders)});
    vkCmdDraw(pass.commands, 3, 5, 0, 0);
    end(rig, &pass);
}

static void check_geometry(const struct recorded *recorded)
{
    check_pass(recorded, &(struct expected){.draws = 1, .triangles = 10, .vertex = 15, .geometry = 10});
}

static void run_tessellation(struct rig *rig)
{
    const struct ws_gpu_shader shaders[] = {drawing_cover[0], SHADER(TESSELLATION_CONTROL_BIT, whole_tesc),
                                            SHADER(TESSELLATION_EVALUATION_BIT, whole_tese),
                                            drawing_cover[1]};
    struct pass pass;
    begin(rig, &pass, &(struct drawing){.shaders = shaders, .shader_count = COUNT(shaders), .patch_size = 3});
    vkCmdDraw(pass.commands, 3, 4, 0, 0);
    end(rig, &pass);
}

static void check_tessellation(const struct recorded *recorded)
{
    check_pass(recorded,
               &(struct expected){.draws = 1, .triangles = 4, .vertex = 12, .control = 12, .evaluation = 12});
}

/* Three task workgroups at once; then two, and one more, by indirect commands, of which a count leaves one.
 */
static void draw_tasks(struct rig *rig, bool with_tasks)
{
    static const VkDrawMeshTasksIndirectCommandEXT groups[] = {{2, 1, 1}, {1, 1, 1}};
    static const uint32_t counts[] = {1};
    const struct ws_gpu_shader shaders[] = {SHADER(TASK_BIT_EXT, two_task), SHADER(MESH_BIT_EXT, cover_mesh),
                                            drawing_cover[1]};
    struct ws_gpu_buffer commands = indirect_buffer(rig, groups, sizeof(groups));
    struct ws_gpu_buffer count = indirect_buffer(rig, counts, sizeof(counts));
    struct pass pass;
    begin(
        rig, &pass,
        &(struct drawing){.shaders = with_tasks ? shaders : shaders + 1, .shader_count = with_tasks ? 3 : 2});
    vkCmdDrawMeshTasksEXT(pass.commands, 3, 1, 1);
    vkCmdDrawMeshTasksIndirectEXT(pass.commands, commands.buffer, 0, 2, sizeof(groups[0]));
    vkCmdDrawMeshTasksIndirectCountEXT(pass.commands, commands.buffer, 0, count.buffer, 0, 2,
                                       sizeof(groups[0]));
    end(rig, &pass);
    ws_gpu_buffer_finish(&rig->gpu, &commands);
    ws_gpu_buffer_finish(&rig->gpu, &count);
}

static void run_mesh(struct rig *rig)
{
    draw_tasks(rig, false);
}

static void check_mesh(const struct recorded *recorded)
{
    check_pass(recorded, &(struct expected){.draws = 3, .triangles = 8, .mesh = 24});
}

static void run_task(struct rig *rig)
{
    draw_tasks(rig, true);
}

static void check_task(const struct recorded *recorded)
{
    check_pass(recorded, &(struct expected){.draws = 3, .triangles = 16, .task = 32, .mesh = 48});
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "multi", .run = run_multi, .check = check_multi, .request = &multi},
        {.name = "indirect", .run = run_indirect, .check = check_indirect, .request = &indirect},
        {.name = "geometry", .run = run_geometry, .check = check_geometry, .request = &stages},
        {.name = "tessellation", .run = run_tessellation, .check = check_tessellation, .request = &stages},
        {.name = "mesh", .run = run_mesh, .check = check_mesh, .request = &mesh},
        {.name = "task", .run = run_task, .check = check_task, .request = &mesh},
    };
    return rig_main(cases, COUNT(cases), argc, argv);
}
