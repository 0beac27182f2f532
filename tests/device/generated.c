/* Commands that the device wrote (VK_EXT_device_generated_commands): one execution is one launch, and every shader that
 * the device chose counts exactly. */
#include "tests/device/drawing.h"

#include <string.h>

#include "layer/core/vulkan_newer.h"
#include "warpscope/stage.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What the layer has no need of. */
#ifndef VK_EXT_DEVICE_GENERATED_COMMANDS_SPEC_VERSION
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT ((VkStructureType)1000572000)
#define VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT        ((VkStructureType)1000572002)
#define VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT                 ((VkStructureType)1000572003)
#define VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT                            ((VkStructureType)1000572004)
#define VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT               ((VkStructureType)1000572006)
#define VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT                     ((VkStructureType)1000572007)
#define VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT              ((VkStructureType)1000572008)
#define VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT                ((VkStructureType)1000572009)
#define VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT               ((VkStructureType)1000572010)
#define VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT                 ((VkStructureType)1000572011)
#define VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT                   ((VkStructureType)1000572013)
#define VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT                     ((VkStructureType)1000572014)
#define VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT                           0x4000000000ULL
#define VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT                               0x00000080
#define VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT                              0x80000000ULL

typedef enum VkIndirectCommandsTokenTypeEXT {
    VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT = 0,
    VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT = 6,
    VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT = 9,
    VK_INDIRECT_COMMANDS_TOKEN_TYPE_MAX_ENUM_EXT = 0x7FFFFFFF
} VkIndirectCommandsTokenTypeEXT;

typedef struct VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT {
    VkStructureType sType;
    void *pNext;
    VkBool32 deviceGeneratedCommands;
    VkBool32 dynamicGeneratedPipelineLayout;
} VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT;

typedef struct VkGeneratedCommandsMemoryRequirementsInfoEXT {
    VkStructureType sType;
    const void *pNext;
    VkIndirectExecutionSetEXT indirectExecutionSet;
    VkIndirectCommandsLayoutEXT indirectCommandsLayout;
    uint32_t maxSequenceCount;
    uint32_t maxDrawCount;
} VkGeneratedCommandsMemoryRequirementsInfoEXT;

typedef struct VkIndirectCommandsExecutionSetTokenEXT {
    VkIndirectExecutionSetInfoTypeEXT type;
    VkShaderStageFlags shaderStages;
} VkIndirectCommandsExecutionSetTokenEXT;

typedef union VkIndirectCommandsTokenDataEXT {
    const void *pPushConstant;
    const void *pVertexBuffer;
    const void *pIndexBuffer;
    const VkIndirectCommandsExecutionSetTokenEXT *pExecutionSet;
} VkIndirectCommandsTokenDataEXT;

typedef struct VkIndirectCommandsLayoutTokenEXT {
    VkStructureType sType;
    const void *pNext;
    VkIndirectCommandsTokenTypeEXT type;
    VkIndirectCommandsTokenDataEXT data;
    uint32_t offset;
} VkIndirectCommandsLayoutTokenEXT;

typedef struct VkIndirectCommandsLayoutCreateInfoEXT {
    VkStructureType sType;
    const void *pNext;
    VkFlags flags;
    VkShaderStageFlags shaderStages;
    uint32_t indirectStride;
    VkPipelineLayout pipelineLayout;
    uint32_t tokenCount;
    const VkIndirectCommandsLayoutTokenEXT *pTokens;
} VkIndirectCommandsLayoutCreateInfoEXT;

typedef struct VkGeneratedCommandsPipelineInfoEXT {
    VkStructureType sType;
    void *pNext;
    VkPipeline pipeline;
} VkGeneratedCommandsPipelineInfoEXT;

typedef struct VkGeneratedCommandsShaderInfoEXT {
    VkStructureType sType;
    void *pNext;
    uint32_t shaderCount;
    const VkShaderEXT *pShaders;
} VkGeneratedCommandsShaderInfoEXT;

typedef void(VKAPI_PTR *PFN_vkGetGeneratedCommandsMemoryRequirementsEXT)(
    VkDevice device, const VkGeneratedCommandsMemoryRequirementsInfoEXT *pInfo,
    VkMemoryRequirements2 *pMemoryRequirements);
typedef VkResult(VKAPI_PTR *PFN_vkCreateIndirectCommandsLayoutEXT)(
    VkDevice device, const VkIndirectCommandsLayoutCreateInfoEXT *pCreateInfo,
    const VkAllocationCallbacks *pAllocator, VkIndirectCommandsLayoutEXT *pIndirectCommandsLayout);
typedef void(VKAPI_PTR *PFN_vkDestroyIndirectCommandsLayoutEXT)(
    VkDevice device, VkIndirectCommandsLayoutEXT indirectCommandsLayout,
    const VkAllocationCallbacks *pAllocator);
#endif

static VkPhysicalDeviceShaderObjectFeaturesEXT object_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT, .shaderObject = VK_TRUE};
static VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT,
    .pNext = &object_features,
    .deviceGeneratedCommands = VK_TRUE};
static const char *const extensions[] = {"VK_EXT_device_generated_commands", "VK_KHR_maintenance5",
                                         VK_EXT_SHADER_OBJECT_EXTENSION_NAME, NULL};
static const struct rig_request request = {
    .extensions = extensions, .features12 = {.bufferDeviceAddress = VK_TRUE}, .chain = &generated_features};

#define COMMAND(name) ((PFN_##name)vkGetDeviceProcAddr(rig->gpu.device, #name))

/* A dispatch or a draw, and before it what to run of an execution set, where there is one. */
struct sequence {
    uint32_t chosen;
    uint32_t sizes[4]; /* groups in x, y, z; or vertices, instances, first vertex, first instance */
};

struct generated {
    VkShaderStageFlags stages;
    VkIndirectExecutionSetEXT set; /* VK_NULL_HANDLE = none */
    VkIndirectExecutionSetInfoTypeEXT type;
    VkPipeline pipeline; /* that is bound; VK_NULL_HANDLE = `shader` is */
    VkShaderEXT shader;
    const struct sequence *sequences;
    uint32_t count;

    /* Made by generated_init. */
    VkIndirectCommandsLayoutEXT layout;
    struct ws_gpu_buffer commands;
    /* Memory for the driver, of a buffer with a usage of its own. */
    VkBuffer preprocess;
    VkDeviceMemory memory;
    VkDeviceAddress preprocess_address; /* 0 = it needs none */
    VkDeviceSize preprocess_size;
};

static void make_layout(struct rig *rig, struct generated *generated)
{
    const VkIndirectCommandsExecutionSetTokenEXT choice = {.type = generated->type,
                                                           .shaderStages = generated->stages};
    const bool draws = generated->stages != VK_SHADER_STAGE_COMPUTE_BIT;
    const VkIndirectCommandsLayoutTokenEXT tokens[] = {
        {.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
         .type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT,
         .data.pExecutionSet = &choice},
        {.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
         .type =
             draws ? VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT : VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT,
         .offset = offsetof(struct sequence, sizes)}};
    const uint32_t first = generated->set == VK_NULL_HANDLE ? 1 : 0;
    const VkIndirectCommandsLayoutCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT,
        .shaderStages = generated->stages,
        .indirectStride = sizeof(struct sequence),
        .pipelineLayout = rig->empty.layout,
        .tokenCount = 2 - first,
        .pTokens = tokens + first,
    };
    CHECK(COMMAND(vkCreateIndirectCommandsLayoutEXT)(rig->gpu.device, &info, NULL, &generated->layout) ==
          VK_SUCCESS);
}

static void make_preprocess(struct rig *rig, struct generated *generated, const VkMemoryRequirements *needed)
{
    const VkBufferUsageFlags2CreateInfoKHR usage = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR,
        .usage = VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &usage, .size = needed->size};
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkDevice device = rig->gpu.device;
    VkMemoryRequirements requirements;
    generated->preprocess_size = needed->size;
    if (needed->size == 0)
        return;
    CHECK(vkCreateBuffer(device, &info, NULL, &generated->preprocess) == VK_SUCCESS);
    vkGetBufferMemoryRequirements(device, generated->preprocess, &requirements);
    const uint32_t types = requirements.memoryTypeBits & needed->memoryTypeBits;
    CHECK(types != 0);
    const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                             .pNext = &flags,
                                             .allocationSize = requirements.size,
                                             .memoryTypeIndex = (uint32_t)__builtin_ctz(types)};
    CHECK(vkAllocateMemory(device, &allocation, NULL, &generated->memory) == VK_SUCCESS);
    CHECK(vkBindBufferMemory(device, generated->preprocess, generated->memory, 0) == VK_SUCCESS);
    const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                          .buffer = generated->preprocess};
    generated->preprocess_address = vkGetBufferDeviceAddress(device, &of);
}

static void generated_init(struct rig *rig, struct generated *generated)
{
    VkGeneratedCommandsShaderInfoEXT shader = {
        .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT,
        .shaderCount = 1,
        .pShaders = &generated->shader,
    };
    VkGeneratedCommandsPipelineInfoEXT pipeline = {
        .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
        .pipeline = generated->pipeline,
    };
    make_layout(rig, generated);
    const VkGeneratedCommandsMemoryRequirementsInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
        .pNext = generated->set != VK_NULL_HANDLE        ? NULL
                 : generated->pipeline != VK_NULL_HANDLE ? (const void *)&pipeline
                                                         : (const void *)&shader,
        .indirectExecutionSet = generated->set,
        .indirectCommandsLayout = generated->layout,
        .maxSequenceCount = generated->count,
        .maxDrawCount = 1,
    };
    VkMemoryRequirements2 needed = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    COMMAND(vkGetGeneratedCommandsMemoryRequirementsEXT)(rig->gpu.device, &info, &needed);
    make_preprocess(rig, generated, &needed.memoryRequirements);
    CHECK(ws_gpu_buffer_init(&rig->gpu, &generated->commands,
                             VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
                             generated->sequences, generated->count * sizeof(struct sequence), NULL));
}

static void generated_finish(struct rig *rig, struct generated *generated)
{
    ws_gpu_buffer_finish(&rig->gpu, &generated->commands);
    vkDestroyBuffer(rig->gpu.device, generated->preprocess, NULL);
    vkFreeMemory(rig->gpu.device, generated->memory, NULL);
    COMMAND(vkDestroyIndirectCommandsLayoutEXT)(rig->gpu.device, generated->layout, NULL);
}

static void execute(struct rig *rig, VkCommandBuffer commands, const struct generated *generated)
{
    VkGeneratedCommandsShaderInfoEXT shader = {
        .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT,
        .shaderCount = 1,
        .pShaders = &generated->shader,
    };
    VkGeneratedCommandsPipelineInfoEXT pipeline = {
        .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
        .pipeline = generated->pipeline,
    };
    const VkGeneratedCommandsInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
        .pNext = generated->set != VK_NULL_HANDLE        ? NULL
                 : generated->pipeline != VK_NULL_HANDLE ? (const void *)&pipeline
                                                         : (const void *)&shader,
        .shaderStages = generated->stages,
        .indirectExecutionSet = generated->set,
        .indirectCommandsLayout = generated->layout,
        .indirectAddress = generated->commands.address,
        .indirectAddressSize = generated->commands.size,
        .preprocessAddress = generated->preprocess_address,
        .preprocessSize = generated->preprocess_size,
        .maxSequenceCount = generated->count,
        .maxDrawCount = 1,
    };
    COMMAND(vkCmdExecuteGeneratedCommandsEXT)(commands, VK_FALSE, &info);
}

/* A pipeline that may be put into a set. */
static VkPipeline make_pipeline(struct rig *rig, uint32_t size)
{
    const VkSpecializationMapEntry entry = {.size = sizeof(size)};
    const VkSpecializationInfo specialization = {1, &entry, sizeof(size), &size};
    struct ws_gpu_shader shader = rig_count;
    shader.specialization = &specialization;
    const VkPipelineCreateFlags2CreateInfoKHR flags = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
        .flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT,
    };
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .pNext = &flags,
        .layout = rig->empty.layout,
    };
    VkPipeline pipeline;
    CHECK(ws_gpu_stage(&rig->gpu, &shader, &info.stage, NULL));
    CHECK(vkCreateComputePipelines(rig->gpu.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline) == VK_SUCCESS);
    vkDestroyShaderModule(rig->gpu.device, info.stage.module, NULL);
    return pipeline;
}

static uint64_t lanes(const struct recorded_launch *launch, uint32_t shader)
{
    CHECK(shader < launch->shader_count && launch->shaders[shader].row_count == 2);
    return recorded_lanes(&launch->shaders[shader]);
}

/* Three dispatches of what is bound, between two of the ordinary kind. */
static void run_bound(struct rig *rig)
{
    static const struct sequence sequences[] = {{0, {2, 1, 1}}, {0, {3, 2, 1}}, {0, {5, 1, 1}}};
    const VkPipeline pipeline = make_pipeline(rig, 64);
    struct generated generated = {.stages = VK_SHADER_STAGE_COMPUTE_BIT,
                                  .pipeline = pipeline,
                                  .sequences = sequences,
                                  .count = COUNT(sequences)};
    generated_init(rig, &generated);
    VkCommandBuffer commands = drawing_record(rig);
    rig_dispatch(commands, pipeline, 7);
    execute(rig, commands, &generated);
    rig_dispatch(commands, pipeline, 4);
    drawing_run(rig, commands);
    generated_finish(rig, &generated);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
}

static void check_bound(const struct recorded *recorded)
{
    CHECK(recorded->count == 3 && recorded->skipped == 0);
    const struct recorded_launch *launch = &recorded->launches[1];
    CHECK(lanes(&recorded->launches[0], 0) == UINT64_C(7) * 64);
    CHECK(launch->kind == WS_LAUNCH_DISPATCH && launch->flags == (WS_LAUNCH_INDIRECT | WS_LAUNCH_GENERATED));
    CHECK(launch->shader_count == 1 && lanes(launch, 0) == UINT64_C(64) * (2 + 3 * 2 + 5));
    CHECK(launch->shaders[0].words[1] == 5 && launch->shaders[0].words[2] == 2 &&
          launch->shaders[0].words[3] == 1);
    CHECK(lanes(&recorded->launches[2], 0) == UINT64_C(4) * 64);
}

/* The device chooses among three pipelines, and never takes the last. */
static void run_chosen(struct rig *rig)
{
    static const struct sequence sequences[] = {
        {0, {2, 1, 1}}, {1, {3, 1, 1}}, {0, {1, 1, 1}}, {1, {1, 1, 1}}};
    const VkPipeline pipelines[] = {make_pipeline(rig, 64), make_pipeline(rig, 32), make_pipeline(rig, 16)};
    const VkIndirectExecutionSetPipelineInfoEXT initial = {
        .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT,
        .initialPipeline = pipelines[0],
        .maxPipelineCount = 3,
    };
    const VkIndirectExecutionSetCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT,
        .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
        .info.pPipelineInfo = &initial,
    };
    const VkWriteIndirectExecutionSetPipelineEXT writes[] = {
        {.sType = VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT,
         .index = 1,
         .pipeline = pipelines[1]},
        {.sType = VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT,
         .index = 2,
         .pipeline = pipelines[2]}};
    struct generated generated = {.stages = VK_SHADER_STAGE_COMPUTE_BIT,
                                  .pipeline = pipelines[0],
                                  .sequences = sequences,
                                  .count = COUNT(sequences)};
    CHECK(COMMAND(vkCreateIndirectExecutionSetEXT)(rig->gpu.device, &info, NULL, &generated.set) ==
          VK_SUCCESS);
    COMMAND(vkUpdateIndirectExecutionSetPipelineEXT)(rig->gpu.device, generated.set, COUNT(writes), writes);
    generated_init(rig, &generated);
    VkCommandBuffer commands = drawing_record(rig);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[0]);
    execute(rig, commands, &generated);
    rig_dispatch(commands, pipelines[1], 9);
    drawing_run(rig, commands);
    generated_finish(rig, &generated);
    COMMAND(vkDestroyIndirectExecutionSetEXT)(rig->gpu.device, generated.set, NULL);
    for (size_t i = 0; i < COUNT(pipelines); i++)
        vkDestroyPipeline(rig->gpu.device, pipelines[i], NULL);
}

static void check_chosen(const struct recorded *recorded)
{
    CHECK(recorded->count == 2 && recorded->skipped == 0);
    const struct recorded_launch *launch = &recorded->launches[0];
    CHECK(launch->kind == WS_LAUNCH_DISPATCH && launch->flags == (WS_LAUNCH_INDIRECT | WS_LAUNCH_GENERATED));
    CHECK(launch->pipeline_count == 3 && launch->shader_count == 3);
    /* Each shader by its number: they were made in this order. */
    static const uint64_t expected[] = {UINT64_C(3) * 64, UINT64_C(4) * 32, 0};
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t shader = launch->shaders[i].shader;
        CHECK(shader < 3 && lanes(launch, i) == expected[shader]);
    }
    CHECK(lanes(&recorded->launches[1], 0) == UINT64_C(9) * 32);
}

/* The second pipeline comes into the set after the commands were recorded, and the third takes its place before they are
 * submitted again. Another command buffer of the first submission runs the second by itself. */
static void run_late(struct rig *rig)
{
    static const struct sequence sequences[] = {{0, {2, 1, 1}}, {1, {3, 1, 1}}, {0, {1, 1, 1}}};
    const VkPipeline pipelines[] = {make_pipeline(rig, 64), make_pipeline(rig, 32), make_pipeline(rig, 16)};
    const VkIndirectExecutionSetPipelineInfoEXT initial = {
        .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT,
        .initialPipeline = pipelines[0],
        .maxPipelineCount = 2,
    };
    const VkIndirectExecutionSetCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT,
        .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
        .info.pPipelineInfo = &initial,
    };
    VkWriteIndirectExecutionSetPipelineEXT write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT, .index = 1};
    struct generated generated = {.stages = VK_SHADER_STAGE_COMPUTE_BIT,
                                  .pipeline = pipelines[0],
                                  .sequences = sequences,
                                  .count = COUNT(sequences)};
    CHECK(COMMAND(vkCreateIndirectExecutionSetEXT)(rig->gpu.device, &info, NULL, &generated.set) ==
          VK_SUCCESS);
    generated_init(rig, &generated);
    VkCommandBuffer commands[] = {drawing_record(rig), drawing_record(rig)};
    vkCmdBindPipeline(commands[0], VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[0]);
    execute(rig, commands[0], &generated);
    rig_dispatch(commands[1], pipelines[1], 9);
    for (uint32_t i = 0; i < 2; i++)
        CHECK(vkEndCommandBuffer(commands[i]) == VK_SUCCESS);
    for (uint32_t i = 1; i < 3; i++) {
        write.pipeline = pipelines[i];
        COMMAND(vkUpdateIndirectExecutionSetPipelineEXT)(rig->gpu.device, generated.set, 1, &write);
        rig_submit(rig, i == 1 ? 2 : 1, commands, VK_NULL_HANDLE);
        CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
    }
    generated_finish(rig, &generated);
    COMMAND(vkDestroyIndirectExecutionSetEXT)(rig->gpu.device, generated.set, NULL);
    for (size_t i = 0; i < COUNT(pipelines); i++)
        vkDestroyPipeline(rig->gpu.device, pipelines[i], NULL);
}

static void check_late(const struct recorded *recorded)
{
    CHECK(recorded->count == 3 && recorded->skipped == 0);
    static const uint64_t expected[2][3] = {{UINT64_C(3) * 64, UINT64_C(3) * 32, 0},
                                            {UINT64_C(3) * 64, 0, UINT64_C(3) * 16}};
    for (uint32_t i = 0; i < 2; i++) {
        const struct recorded_launch *launch = &recorded->launches[2 * i];
        CHECK(launch->kind == WS_LAUNCH_DISPATCH &&
              launch->flags == (WS_LAUNCH_INDIRECT | WS_LAUNCH_GENERATED));
        CHECK(launch->pipeline_count == 2 && launch->shader_count == 2);
        for (uint32_t j = 0; j < 2; j++) {
            const uint32_t shader = launch->shaders[j].shader;
            CHECK(shader < 3 && lanes(launch, j) == expected[i][shader]);
        }
    }
    CHECK(lanes(&recorded->launches[1], 0) == UINT64_C(9) * 32);
}

/* The same of shader objects. */
static VkShaderEXT make_object(struct rig *rig, uint32_t size)
{
    const VkSpecializationMapEntry entry = {.size = sizeof(size)};
    const VkSpecializationInfo specialization = {1, &entry, sizeof(size), &size};
    const VkShaderCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                        .flags = VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT,
                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                        .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                        .codeSize = rig_count.size,
                                        .pCode = rig_count.words,
                                        .pName = "main",
                                        .pSpecializationInfo = &specialization};
    VkShaderEXT object;
    CHECK(COMMAND(vkCreateShadersEXT)(rig->gpu.device, 1, &info, NULL, &object) == VK_SUCCESS);
    return object;
}

static void run_objects(struct rig *rig)
{
    static const struct sequence sequences[] = {{1, {2, 1, 1}}, {0, {1, 1, 1}}, {1, {4, 1, 1}}};
    static const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    const VkShaderEXT objects[] = {make_object(rig, 64), make_object(rig, 32)};
    const VkIndirectExecutionSetShaderInfoEXT initial = {
        .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT,
        .shaderCount = 1,
        .pInitialShaders = objects,
        .maxShaderCount = 2,
    };
    const VkIndirectExecutionSetCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT,
        .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT,
        .info.pShaderInfo = &initial,
    };
    const VkWriteIndirectExecutionSetShaderEXT write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT, .index = 1, .shader = objects[1]};
    struct generated generated = {.stages = VK_SHADER_STAGE_COMPUTE_BIT,
                                  .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT,
                                  .shader = objects[0],
                                  .sequences = sequences,
                                  .count = COUNT(sequences)};
    CHECK(COMMAND(vkCreateIndirectExecutionSetEXT)(rig->gpu.device, &info, NULL, &generated.set) ==
          VK_SUCCESS);
    COMMAND(vkUpdateIndirectExecutionSetShaderEXT)(rig->gpu.device, generated.set, 1, &write);
    generated_init(rig, &generated);
    VkCommandBuffer commands = drawing_record(rig);
    COMMAND(vkCmdBindShadersEXT)(commands, 1, &stage, objects);
    execute(rig, commands, &generated);
    drawing_run(rig, commands);
    generated_finish(rig, &generated);
    COMMAND(vkDestroyIndirectExecutionSetEXT)(rig->gpu.device, generated.set, NULL);
    for (size_t i = 0; i < COUNT(objects); i++)
        COMMAND(vkDestroyShaderEXT)(rig->gpu.device, objects[i], NULL);
}

static void check_objects(const struct recorded *recorded)
{
    CHECK(recorded->count == 1 && recorded->skipped == 0);
    static const uint64_t expected[] = {64, UINT64_C(6) * 32};
    const struct recorded_launch *launch = &recorded->launches[0];
    CHECK(launch->shader_count == 2);
    for (uint32_t i = 0; i < 2; i++)
        CHECK(launch->shaders[i].shader < 2 && lanes(launch, i) == expected[launch->shaders[i].shader]);
}

/* A render pass with nothing else in it. The first triangle covers the image, twice; the other one draws no instance. */
static void run_draws(struct rig *rig)
{
    static const struct sequence sequences[] = {{0, {3, 2, 0, 0}}, {0, {3, 0, 0, 0}}, {0, {3, 1, 0, 0}}};
    struct ws_gpu_image image;
    drawing_image_init(rig, &image);
    const VkPipeline pipeline =
        drawing_pipeline(rig, &(struct drawing){.shaders = drawing_cover, .shader_count = 2});
    struct generated generated = {.stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
                                  .pipeline = pipeline,
                                  .sequences = sequences,
                                  .count = COUNT(sequences)};
    generated_init(rig, &generated);
    VkCommandBuffer commands = drawing_record(rig);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    drawing_begin(commands, image.view);
    execute(rig, commands, &generated);
    drawing_end(commands);
    drawing_begin(commands, image.view);
    vkCmdDraw(commands, 3, 1, 0, 0);
    drawing_end(commands);
    drawing_run(rig, commands);
    generated_finish(rig, &generated);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
    ws_gpu_image_finish(&rig->gpu, &image);
}

static void check_draws(const struct recorded *recorded)
{
    CHECK(recorded->count == 2 && recorded->skipped == 0);
    const struct recorded_launch *launch = &recorded->launches[0];
    CHECK(launch->kind == WS_LAUNCH_RENDER_PASS && launch->draws == 1);
    CHECK(drawing_lanes(launch, WS_STAGE_VERTEX) == 9);
    CHECK(drawing_lanes(launch, WS_STAGE_FRAGMENT) == UINT64_C(3) * DRAWING_PIXELS);
    CHECK(drawing_lanes(&recorded->launches[1], WS_STAGE_VERTEX) == 3);
    CHECK(drawing_lanes(&recorded->launches[1], WS_STAGE_FRAGMENT) == DRAWING_PIXELS);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "bound", .run = run_bound, .check = check_bound, .request = &request},
        {.name = "chosen", .run = run_chosen, .check = check_chosen, .request = &request},
        {.name = "late", .run = run_late, .check = check_late, .request = &request},
        {.name = "objects", .run = run_objects, .check = check_objects, .request = &request},
        {.name = "draws", .run = run_draws, .check = check_draws, .request = &request},
    };
    return rig_main(cases, COUNT(cases), argc, argv);
}
