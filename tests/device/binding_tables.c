/* The shader groups of ray tracing pipelines and the binding tables of traces: what the capture tells is what
 * the program put there. */
#include "tests/device/rig.h"

#include <string.h>

#include "rays_rchit.h"
#include "rays_rgen.h"
#include "rays_rmiss.h"
#include "tests/device/recorded_builds.h"
#include "tests/device/triangle.h"
#include "warpscope/stage.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static VkPhysicalDeviceAccelerationStructureFeaturesKHR structure_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
    .accelerationStructure = VK_TRUE};
static VkPhysicalDeviceRayTracingPipelineFeaturesKHR features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
    .pNext = &structure_features,
    .rayTracingPipeline = VK_TRUE,
    .rayTracingPipelineTraceRaysIndirect = VK_TRUE};
static const char *const extensions[] = {
    VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
    VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, NULL};
static const struct rig_request request = {
    .extensions = extensions,
    .features12 = {.bufferDeviceAddress = VK_TRUE},
    .chain = &features,
};

static struct recorded_builds builds;

/* One record to begin with, two for misses, three for hits; behind each handle is data of the program. */
enum { RECORDS = 6, MISS_RECORDS = 2, HIT_RECORDS = 3, DATA_SIZE = 16 };

/* The group of each record: the first miss group twice, the hit groups the other way round. */
static const uint32_t record_groups[RECORDS] = {0, 1, 1, 4, 3, 2};

static void fill_data(uint8_t data[DATA_SIZE], uint32_t record)
{
    for (uint32_t i = 0; i < DATA_SIZE; i++)
        data[i] = (uint8_t)(17 * record + i + 1);
}

/* A scene of one triangle, and a table of RECORDS records, each at a multiple of `place`. */
struct tables {
    struct triangle triangle;
    struct ws_gpu_buffer table, command;
    struct ws_gpu_acceleration_structure top;
    struct ws_gpu_bindings bindings;
    VkDeviceSize handle_size, place;
    VkDeviceAddress base; /* aligned */
};

static void tables_init(struct rig *rig, struct tables *tables)
{
    static const float corners[9] = {5, -1000, 0, 5, 1000, 0, -2000, 0, 0};
    static const VkTraceRaysIndirectCommandKHR size = {7, 3, 1};
    struct ws_gpu *gpu = &rig->gpu;
    VkPhysicalDeviceRayTracingPipelinePropertiesKHR pipelines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
    VkPhysicalDeviceAccelerationStructurePropertiesKHR structures = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR,
        .pNext = &pipelines};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &structures};
    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    gpu->scratch_alignment = structures.minAccelerationStructureScratchOffsetAlignment;
    tables->handle_size = pipelines.shaderGroupHandleSize;
    const VkDeviceSize alignment = pipelines.shaderGroupBaseAlignment;
    tables->place = (tables->handle_size + DATA_SIZE + alignment - 1) / alignment * alignment;
    CHECK(ws_gpu_buffer_init(gpu, &tables->table,
                             VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR |
                                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                             NULL, (RECORDS + 1) * tables->place, NULL));
    CHECK(ws_gpu_buffer_init(gpu, &tables->command,
                             VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                             &size, sizeof(size), NULL));
    tables->base = (tables->table.address + alignment - 1) / alignment * alignment;
    CHECK(triangle_init(gpu, &tables->triangle, corners, NULL));
    CHECK(triangle_place(gpu, &tables->triangle, 0, 0, &tables->top, NULL));
    const struct ws_gpu_binding binding = {.acceleration_structure = &tables->top.handle};
    CHECK(ws_gpu_bindings_init(gpu, &tables->bindings, &binding, 1, VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0, NULL));
}

static void tables_finish(struct rig *rig, struct tables *tables)
{
    struct ws_gpu *gpu = &rig->gpu;
    ws_gpu_bindings_finish(gpu, &tables->bindings);
    ws_gpu_acceleration_structure_finish(gpu, &tables->top);
    ws_gpu_buffer_finish(gpu, &tables->command);
    ws_gpu_buffer_finish(gpu, &tables->table);
    triangle_finish(gpu, &tables->triangle);
}

static VkRayTracingShaderGroupCreateInfoKHR general(uint32_t shader)
{
    return (VkRayTracingShaderGroupCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
        .type = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
        .generalShader = shader,
        .closestHitShader = VK_SHADER_UNUSED_KHR,
        .anyHitShader = VK_SHADER_UNUSED_KHR,
        .intersectionShader = VK_SHADER_UNUSED_KHR,
    };
}

static VkRayTracingShaderGroupCreateInfoKHR hit(uint32_t shader)
{
    VkRayTracingShaderGroupCreateInfoKHR group = general(VK_SHADER_UNUSED_KHR);
    group.type = VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR;
    group.closestHitShader = shader;
    return group;
}

static const struct ws_gpu_shader shaders[] = {
    {.stage = VK_SHADER_STAGE_RAYGEN_BIT_KHR,
     .name = "rays.rgen",
     .words = rays_rgen,
     .size = sizeof(rays_rgen)},
    {.stage = VK_SHADER_STAGE_MISS_BIT_KHR,
     .name = "rays.rmiss",
     .words = rays_rmiss,
     .size = sizeof(rays_rmiss)},
    {.stage = VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR,
     .name = "rays.rchit",
     .words = rays_rchit,
     .size = sizeof(rays_rchit)},
};

/* A pipeline, or library, of `count` shaders from `first` on. */
static VkPipeline make_pipeline(struct rig *rig, const struct tables *tables, uint32_t first, uint32_t count,
                                const VkRayTracingShaderGroupCreateInfoKHR *groups, uint32_t group_count,
                                VkPipelineCreateFlags flags, const VkPipelineLibraryCreateInfoKHR *libraries)
{
    const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
        .maxPipelineRayPayloadSize = 4,
        .maxPipelineRayHitAttributeSize = 8,
    };
    VkPipelineShaderStageCreateInfo stages[3];
    VkPipeline pipeline;
    for (uint32_t i = 0; i < count; i++)
        CHECK(ws_gpu_stage(&rig->gpu, &shaders[first + i], &stages[i], NULL));
    const VkRayTracingPipelineCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
        .flags = flags,
        .stageCount = count,
        .pStages = stages,
        .groupCount = group_count,
        .pGroups = groups,
        .maxPipelineRayRecursionDepth = 1,
        .pLibraryInfo = libraries,
        .pLibraryInterface = flags != 0 || libraries != NULL ? &interface : NULL,
        .layout = tables->bindings.layout,
    };
    CHECK(vkCreateRayTracingPipelinesKHR(rig->gpu.device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL,
                                         &pipeline) == VK_SUCCESS);
    for (uint32_t i = 0; i < count; i++)
        vkDestroyShaderModule(rig->gpu.device, stages[i].module, NULL);
    return pipeline;
}

static void fill_table(struct rig *rig, struct tables *tables, VkPipeline pipeline)
{
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint8_t *record =
            (uint8_t *)tables->table.data + (tables->base - tables->table.address) + i * tables->place;
        CHECK(vkGetRayTracingShaderGroupHandlesKHR(rig->gpu.device, pipeline, record_groups[i], 1,
                                                   tables->handle_size, record) == VK_SUCCESS);
        fill_data(record + tables->handle_size, i);
    }
}

/* Traces directly and indirectly with the same tables. */
static void trace_twice(struct rig *rig, struct tables *tables, VkPipeline pipeline)
{
    const VkDeviceSize place = tables->place;
    const VkStridedDeviceAddressRegionKHR raygen = {tables->base, place, place};
    const VkStridedDeviceAddressRegionKHR miss = {tables->base + place, place, MISS_RECORDS * place};
    const VkStridedDeviceAddressRegionKHR hits = {tables->base + 3 * place, place, HIT_RECORDS * place};
    const VkStridedDeviceAddressRegionKHR callable = {0};
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, 0);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline, &tables->bindings);
    vkCmdTraceRaysKHR(commands, &raygen, &miss, &hits, &callable, 7, 3, 1);
    vkCmdTraceRaysIndirectKHR(commands, &raygen, &miss, &hits, &callable, tables->command.address);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
    CHECK(vkDeviceWaitIdle(rig->gpu.device) == VK_SUCCESS);
}

static void run_tables(struct rig *rig)
{
    const VkRayTracingShaderGroupCreateInfoKHR groups[] = {general(0), general(1), hit(2), hit(2),
                                                           hit(VK_SHADER_UNUSED_KHR)};
    struct tables tables;
    tables_init(rig, &tables);
    VkPipeline pipeline = make_pipeline(rig, &tables, 0, 3, groups, COUNT(groups), 0, NULL);
    fill_table(rig, &tables, pipeline);
    trace_twice(rig, &tables, pipeline);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
    tables_finish(rig, &tables);
}

/* The hit groups come from two libraries. */
static void run_linked(struct rig *rig)
{
    const VkRayTracingShaderGroupCreateInfoKHR own[] = {general(0), general(1)};
    const VkRayTracingShaderGroupCreateInfoKHR first = hit(0);
    const VkRayTracingShaderGroupCreateInfoKHR second[] = {hit(0), hit(VK_SHADER_UNUSED_KHR)};
    struct tables tables;
    VkPipeline libraries[2];
    tables_init(rig, &tables);
    libraries[0] = make_pipeline(rig, &tables, 2, 1, &first, 1, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, NULL);
    libraries[1] = make_pipeline(rig, &tables, 2, 1, second, 2, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, NULL);
    const VkPipelineLibraryCreateInfoKHR linked = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
        .libraryCount = 2,
        .pLibraries = libraries,
    };
    VkPipeline pipeline = make_pipeline(rig, &tables, 0, 2, own, COUNT(own), 0, &linked);
    fill_table(rig, &tables, pipeline);
    trace_twice(rig, &tables, pipeline);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
    for (uint32_t i = 0; i < 2; i++)
        vkDestroyPipeline(rig->gpu.device, libraries[i], NULL);
    tables_finish(rig, &tables);
}

static void check_general(const struct ws_shader_group *group, uint32_t stage)
{
    CHECK(group->type == VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR);
    CHECK(group->general != WS_NONE && builds.stages[group->general] == stage);
    CHECK(group->closest_hit == WS_NONE && group->any_hit == WS_NONE && group->intersection == WS_NONE);
}

static void check_hit(const struct ws_shader_group *group, bool empty)
{
    CHECK(group->type == VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR);
    CHECK(group->general == WS_NONE && (group->closest_hit == WS_NONE) == empty);
    CHECK(empty || builds.stages[group->closest_hit] == WS_STAGE_CLOSEST_HIT);
}

/* The records `first` and so on of a table. */
static void check_table(const struct recorded_groups *groups, const struct ws_binding_table *table,
                        uint32_t first, uint32_t count)
{
    CHECK(table->blob != WS_NONE && table->size == count * table->stride);
    CHECK(builds.blobs[table->blob].size == table->size);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *record = builds.blobs[table->blob].bytes + i * table->stride;
        uint8_t data[DATA_SIZE];
        fill_data(data, first + i);
        CHECK(memcmp(record, groups->handles[record_groups[first + i]], groups->handle_size) == 0);
        CHECK(memcmp(record + groups->handle_size, data, DATA_SIZE) == 0);
    }
}

/* The groups of the traces' pipeline, and tables of two launches. */
static void check_traces(const struct recorded *recorded, const struct recorded_groups *groups)
{
    CHECK(recorded->count == 2 && recorded->skipped == 0);
    CHECK(builds.skipped == 0 && builds.table_count == 2);
    CHECK(groups->count == 5 && groups->handle_size > 0);
    check_general(&groups->groups[0], WS_STAGE_RAYGEN);
    check_general(&groups->groups[1], WS_STAGE_MISS);
    check_hit(&groups->groups[2], false);
    check_hit(&groups->groups[3], false);
    check_hit(&groups->groups[4], true);
    for (uint32_t i = 0; i < 2; i++) {
        const struct ws_chunk_tables *found = &builds.tables[i];
        CHECK(found->launch == i);
        check_table(groups, &found->tables[0], 0, 1);
        check_table(groups, &found->tables[1], 1, MISS_RECORDS);
        check_table(groups, &found->tables[2], 3, HIT_RECORDS);
        CHECK(found->tables[3].size == 0 && found->tables[3].blob == WS_NONE);
        for (uint32_t j = 0; j < 4; j++)
            CHECK(found->tables[j].blob == builds.tables[0].tables[j].blob); /* equal bytes once */
    }
}

static void check_tables(const struct recorded *recorded)
{
    CHECK(recorded_builds_read(&builds, rig_capture()));
    CHECK(builds.group_count == 1);
    check_traces(recorded, &builds.groups[0]);
    recorded_builds_finish(&builds);
}

static void check_linked(const struct recorded *recorded)
{
    CHECK(recorded_builds_read(&builds, rig_capture()));
    CHECK(builds.group_count == 3);
    CHECK(builds.groups[0].count == 1 && builds.groups[0].handle_size == 0);
    CHECK(builds.groups[1].count == 2 && builds.groups[1].handle_size == 0);
    check_hit(&builds.groups[0].groups[0], false);
    check_traces(recorded, &builds.groups[2]);
    recorded_builds_finish(&builds);
}

/* Where geometry is not wanted there is none of it. */
static void check_off(const struct recorded *recorded)
{
    CHECK(recorded->count == 2);
    CHECK(recorded_builds_read(&builds, rig_capture()));
    CHECK(builds.group_count == 0 && builds.table_count == 0 && builds.count == 0);
    CHECK(builds.structure_count == 0 && builds.skipped == 0);
    recorded_builds_finish(&builds);
}

#define GEOMETRY(wanted) .setting = "WARPSCOPE_GEOMETRY", .value = wanted, .request = &request

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "tables", .run = run_tables, .check = check_tables, GEOMETRY("on")},
        {.name = "linked", .run = run_linked, .check = check_linked, GEOMETRY("on")},
        {.name = "off", .run = run_tables, .check = check_off, GEOMETRY("off")},
    };
    return rig_main(cases, COUNT(cases), argc, argv);
}
