/* Pipelines made in every way that Vulkan has: each runs as without the layer, and the capture tells of each
 * which of its shaders were instrumented.
 *
 * Run below the layer; WARPSCOPE_OUTPUT names the capture, which is read at the end. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer/core/vulkan_newer.h"
#include "pipelines_scale.comp.h"
#include "tests/device/layer/pipelines.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/reader.h"

#define SKIPPED     77
#define COUNT       64
#define THREADS     8
#define NAME_PLAIN  "plain"
#define KNOWN_NAMES 32

struct ws_gpu pipelines_gpu;
static struct ws_gpu_buffer buffer;
struct ws_gpu_bindings pipelines_bindings;
static int failures;

/* What the capture must say of a pipeline: how many shaders, how many of them instrumented. */
static struct {
    const char *name;
    uint32_t shaders;
    uint32_t instrumented;
} known[KNOWN_NAMES];
static size_t known_count;

void pipelines_check(bool good, const char *name, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", name, what);
        failures++;
    }
}

static void expect(VkObjectType type, uint64_t handle, const char *name, uint32_t shaders,
                   uint32_t instrumented)
{
    known[known_count].name = name;
    known[known_count].shaders = shaders;
    known[known_count++].instrumented = instrumented;
    ws_gpu_name(&pipelines_gpu, type, handle, name);
}

void pipelines_expect(VkPipeline pipeline, const char *name, uint32_t shaders, uint32_t instrumented)
{
    pipelines_check(pipeline != VK_NULL_HANDLE, name, "no pipeline");
    if (pipeline != VK_NULL_HANDLE)
        expect(VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline, name, shaders, instrumented);
}

/* The device with all that is tried here. False when it lacks something. */
static bool make_gpu(void)
{
    static const char *const extensions[] = {
        VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
        VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,      VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
        VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,  VK_EXT_SHADER_OBJECT_EXTENSION_NAME,
    };
    VkPhysicalDeviceShaderObjectFeaturesEXT objects = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT, .shaderObject = VK_TRUE};
    VkPhysicalDeviceRayTracingPipelineFeaturesKHR rays = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
        .pNext = &objects,
        .rayTracingPipeline = VK_TRUE};
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
        .pNext = &rays,
        .graphicsPipelineLibrary = VK_TRUE};
    VkPhysicalDeviceVulkan13Features vulkan13 = {.sType =
                                                     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                 .pNext = &libraries,
                                                 .dynamicRendering = VK_TRUE};
    const char *const debug_utils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                .pApplicationInfo = &application,
                                                .enabledExtensionCount = 1,
                                                .ppEnabledExtensionNames = &debug_utils};
    if (volkInitialize() != VK_SUCCESS ||
        vkCreateInstance(&instance_info, NULL, &pipelines_gpu.instance) != VK_SUCCESS)
        return false;
    volkLoadInstance(pipelines_gpu.instance);
    uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(pipelines_gpu.instance, &count, &pipelines_gpu.physical) < 0 || count == 0)
        return false;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &vulkan13,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = sizeof(extensions) / sizeof(extensions[0]),
                                     .ppEnabledExtensionNames = extensions};
    if (vkCreateDevice(pipelines_gpu.physical, &info, NULL, &pipelines_gpu.device) != VK_SUCCESS)
        return false;
    volkLoadDevice(pipelines_gpu.device);
    vkGetDeviceQueue(pipelines_gpu.device, 0, 0, &pipelines_gpu.queue);
    vkGetPhysicalDeviceMemoryProperties(pipelines_gpu.physical, &pipelines_gpu.memory);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pipelines_gpu.debug_utils = true;
    return vkCreateCommandPool(pipelines_gpu.device, &pool, NULL, &pipelines_gpu.pool) == VK_SUCCESS;
}

/* Runs what `bind` binds over COUNT threads and compares. */
static void run(const char *name, void (*bind)(VkCommandBuffer commands, void *what), void *what,
                uint32_t factor, uint32_t offset)
{
    struct ws_error error = {0};
    uint32_t *data = buffer.data;
    memset(data, 0xff, COUNT * sizeof(*data));
    VkCommandBuffer commands = ws_gpu_begin(&pipelines_gpu, &error);
    pipelines_check(commands != NULL, name, error.message);
    bind(commands, what);
    vkCmdDispatch(commands, COUNT / 8, 1, 1);
    ws_gpu_barrier(commands);
    pipelines_check(ws_gpu_submit(&pipelines_gpu, commands, &error), name, error.message);
    bool same = true;
    for (uint32_t i = 0; i < COUNT; i++)
        same &= data[i] == (i % 2 == 0 ? i * factor + offset : i);
    pipelines_check(same, name, "wrong results");
}

static void bind_pipeline(VkCommandBuffer commands, void *pipeline)
{
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, *(VkPipeline *)pipeline, &pipelines_bindings);
}

static void bind_shader(VkCommandBuffer commands, void *shader)
{
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    PFN_vkCmdBindShadersEXT bind =
        (PFN_vkCmdBindShadersEXT)vkGetDeviceProcAddr(pipelines_gpu.device, "vkCmdBindShadersEXT");
    bind(commands, 1, &stage, shader);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_bindings.layout, 0, 1,
                            &pipelines_bindings.set, 0, NULL);
}

static VkComputePipelineCreateInfo compute_info(VkShaderModule module,
                                                const VkSpecializationInfo *specialization)
{
    return (VkComputePipelineCreateInfo){
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = specialization},
        .layout = pipelines_bindings.layout,
        .basePipelineIndex = -1,
    };
}

VkShaderModule pipelines_module(const uint32_t *words, size_t size)
{
    struct ws_error error = {0};
    const VkShaderModule module = ws_gpu_module(&pipelines_gpu, words, size, &error);
    pipelines_check(module != VK_NULL_HANDLE, "module", error.message);
    return module;
}

#define MODULE(words) pipelines_module(words, sizeof(words))

/* One call, three pipelines: without and with constants, and a derivative. All its constants of an
 * application have ids 0 to 15, so that some are those that the instrumented module took. */
static void compute_batch(void)
{
    uint32_t values[16] = {0};
    VkSpecializationMapEntry entries[16];
    for (uint32_t i = 0; i < 16; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * 4, 4};
    values[0] = 3;
    values[3] = 100;
    const VkSpecializationInfo specialization = {16, entries, sizeof(values), values};
    const VkShaderModule module = MODULE(pipelines_scale_comp);
    VkComputePipelineCreateInfo infos[3] = {compute_info(module, NULL), compute_info(module, &specialization),
                                            compute_info(module, NULL)};
    infos[0].flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
    infos[2].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    infos[2].basePipelineIndex = 0;
    VkComputePipelineCreateInfo before[3];
    memcpy(before, infos, sizeof(infos));

    VkPipeline pipelines[3];
    pipelines_check(vkCreateComputePipelines(pipelines_gpu.device, VK_NULL_HANDLE, 3, infos, NULL,
                                             pipelines) == VK_SUCCESS,
                    NAME_PLAIN, "not made");
    pipelines_check(memcmp(before, infos, sizeof(infos)) == 0, NAME_PLAIN, "create-infos were written to");
    vkDestroyShaderModule(pipelines_gpu.device, module, NULL);
    pipelines_expect(pipelines[0], NAME_PLAIN, 1, 1);
    pipelines_expect(pipelines[1], "specialized", 1, 1);
    pipelines_expect(pipelines[2], "derivative", 1, 1);
    run(NAME_PLAIN, bind_pipeline, &pipelines[0], 1, 0);
    run("specialized", bind_pipeline, &pipelines[1], 3, 100);
    run("derivative", bind_pipeline, &pipelines[2], 1, 0);
    for (int i = 0; i < 3; i++)
        vkDestroyPipeline(pipelines_gpu.device, pipelines[i], NULL);
}

/* VK_EXT_graphics_pipeline_library allows SPIR-V in the stage's chain, without a module. */
static void inline_module(void)
{
    const VkDebugUtilsObjectNameInfoEXT name = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                                .objectType = VK_OBJECT_TYPE_SHADER_MODULE,
                                                .pObjectName = "inline"};
    const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .pNext = &name,
                                           .codeSize = sizeof(pipelines_scale_comp),
                                           .pCode = pipelines_scale_comp};
    const VkShaderModuleCreateInfo before = code;
    const uint32_t factor = 5;
    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo specialization = {1, &entry, 4, &factor};
    VkComputePipelineCreateInfo info = compute_info(VK_NULL_HANDLE, &specialization);
    info.stage.pNext = &code;
    VkPipeline pipeline = VK_NULL_HANDLE;
    vkCreateComputePipelines(pipelines_gpu.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
    pipelines_check(memcmp(&before, &code, sizeof(code)) == 0, "inline", "the stage's chain was written to");
    pipelines_expect(pipeline, "inline", 1, 1);
    run("inline", bind_pipeline, &pipeline, 5, 0);
    vkDestroyPipeline(pipelines_gpu.device, pipeline, NULL);
}

/* The binary of an instrumented shader: counted when it is loaded again, and not the driver's outside. */
static void shader_binary(PFN_vkCreateShadersEXT create, VkShaderCreateInfoEXT info, VkShaderEXT shader)
{
    PFN_vkGetShaderBinaryDataEXT get =
        (PFN_vkGetShaderBinaryDataEXT)vkGetDeviceProcAddr(pipelines_gpu.device, "vkGetShaderBinaryDataEXT");
    PFN_vkDestroyShaderEXT destroy =
        (PFN_vkDestroyShaderEXT)vkGetDeviceProcAddr(pipelines_gpu.device, "vkDestroyShaderEXT");
    size_t size = 0;
    pipelines_check(get(pipelines_gpu.device, shader, &size, NULL) == VK_SUCCESS && size > 0, "binary",
                    "no size");
    char *data = aligned_alloc(16, (size + 15) / 16 * 16);
    size_t less = 5;
    pipelines_check(get(pipelines_gpu.device, shader, &less, data) == VK_INCOMPLETE && less == 0, "binary",
                    "too little room is no matter");
    less = size - 1;
    pipelines_check(get(pipelines_gpu.device, shader, &less, data) == VK_INCOMPLETE, "binary",
                    "too little room by one is no matter");
    pipelines_check(get(pipelines_gpu.device, shader, &size, data) == VK_SUCCESS, "binary", "no data");

    info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
    info.codeSize = size;
    info.pCode = data;
    VkShaderEXT again = VK_NULL_HANDLE;
    pipelines_check(create(pipelines_gpu.device, 1, &info, NULL, &again) == VK_SUCCESS, "binary",
                    "not loaded");
    expect(VK_OBJECT_TYPE_SHADER_EXT, (uint64_t)again, "binary", 1, 1);
    run("binary", bind_shader, &again, 7, 0);

    /* Each shader of the same SPIR-V has the same binary (vkGetShaderBinaryDataEXT), whatever its place is. */
    size_t other_size = size;
    char *other = aligned_alloc(16, (size + 15) / 16 * 16);
    pipelines_check(get(pipelines_gpu.device, again, &other_size, other) == VK_SUCCESS &&
                        other_size == size && memcmp(data, other, size) == 0,
                    "binary", "another for the same shader");
    free(other);
    destroy(pipelines_gpu.device, again, NULL);

    /* A damaged one is not ours, and the driver must not take it. */
    data[size / 2]++;
    again = VK_NULL_HANDLE;
    pipelines_check(create(pipelines_gpu.device, 1, &info, NULL, &again) != VK_SUCCESS, "damaged binary",
                    "loaded, though it is damaged");
    if (again != VK_NULL_HANDLE)
        destroy(pipelines_gpu.device, again, NULL);
    free(data);
}

static void shader_object(void)
{
    PFN_vkCreateShadersEXT create =
        (PFN_vkCreateShadersEXT)vkGetDeviceProcAddr(pipelines_gpu.device, "vkCreateShadersEXT");
    PFN_vkDestroyShaderEXT destroy =
        (PFN_vkDestroyShaderEXT)vkGetDeviceProcAddr(pipelines_gpu.device, "vkDestroyShaderEXT");
    const uint32_t factor = 7;
    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo specialization = {1, &entry, 4, &factor};
    const VkShaderCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                        .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                        .codeSize = sizeof(pipelines_scale_comp),
                                        .pCode = pipelines_scale_comp,
                                        .pName = "main",
                                        .setLayoutCount = 1,
                                        .pSetLayouts = &pipelines_bindings.set_layout,
                                        .pSpecializationInfo = &specialization};
    VkShaderEXT shader = VK_NULL_HANDLE;
    pipelines_check(create(pipelines_gpu.device, 1, &info, NULL, &shader) == VK_SUCCESS, "object",
                    "not made");
    expect(VK_OBJECT_TYPE_SHADER_EXT, (uint64_t)shader, "object", 1, 1);
    run("object", bind_shader, &shader, 7, 0);
    shader_binary(create, info, shader);
    destroy(pipelines_gpu.device, shader, NULL);
}

/* Two entry points in one module, and a name that is not there is the driver's to refuse. */
static void two_entry_points(void)
{
    static const char text[] =
        "OpCapability Shader\n"
        "OpMemoryModel Logical GLSL450\n"
        "OpEntryPoint GLCompute %6 \"empty\" \n"
        "OpEntryPoint GLCompute %7 \"scale\" %2\n"
        "OpExecutionMode %6 LocalSize 1 1 1\n"
        "OpExecutionMode %7 LocalSize 8 1 1\n"
        "OpDecorate %2 BuiltIn GlobalInvocationId\n"
        "OpDecorate %10 ArrayStride 4\n"
        "OpMemberDecorate %11 0 Offset 0\n"
        "OpDecorate %11 Block\n"
        "OpDecorate %13 DescriptorSet 0\n"
        "OpDecorate %13 Binding 0\n"
        "%3 = OpTypeVoid\n"
        "%4 = OpTypeFunction %3\n"
        "%8 = OpTypeInt 32 0\n"
        "%9 = OpTypeVector %8 3\n"
        "%1 = OpTypePointer Input %9\n"
        "%2 = OpVariable %1 Input\n"
        "%10 = OpTypeRuntimeArray %8\n"
        "%11 = OpTypeStruct %10\n"
        "%12 = OpTypePointer StorageBuffer %11\n"
        "%13 = OpVariable %12 StorageBuffer\n"
        "%14 = OpTypePointer StorageBuffer %8\n"
        "%15 = OpConstant %8 0\n"
        "%6 = OpFunction %3 None %4\n%20 = OpLabel\nOpReturn\nOpFunctionEnd\n"
        "%7 = OpFunction %3 None %4\n%21 = OpLabel\n"
        "%22 = OpLoad %9 %2\n%23 = OpCompositeExtract %8 %22 0\n"
        "%24 = OpAccessChain %14 %13 %15 %23\nOpStore %24 %23\nOpReturn\nOpFunctionEnd\n";
    size_t word_count;
    uint32_t *words = assembly_read(text, 0x00010300, &word_count);
    const VkShaderModule module = pipelines_module(words, word_count * sizeof(*words));
    VkComputePipelineCreateInfo infos[2] = {compute_info(module, NULL), compute_info(module, NULL)};
    infos[0].stage.pName = "empty";
    infos[1].stage.pName = "scale";
    VkPipeline pipelines[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
    vkCreateComputePipelines(pipelines_gpu.device, VK_NULL_HANDLE, 2, infos, NULL, pipelines);
    pipelines_expect(pipelines[0], "first entry", 1, 1);
    pipelines_expect(pipelines[1], "second entry", 1, 1);
    run("second entry", bind_pipeline, &pipelines[1], 1, 0);
    vkDestroyShaderModule(pipelines_gpu.device, module, NULL);
    vkDestroyPipeline(pipelines_gpu.device, pipelines[0], NULL);
    vkDestroyPipeline(pipelines_gpu.device, pipelines[1], NULL);
    free(words);
}

static void *make_many(void *unused)
{
    const VkShaderModule module = MODULE(pipelines_scale_comp);
    for (uint32_t factor = 0; factor < 8; factor++) {
        const VkSpecializationMapEntry entry = {0, 0, 4};
        const VkSpecializationInfo specialization = {1, &entry, 4, &factor};
        const VkComputePipelineCreateInfo info = compute_info(module, &specialization);
        VkPipeline pipeline = VK_NULL_HANDLE;
        vkCreateComputePipelines(pipelines_gpu.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
        vkDestroyPipeline(pipelines_gpu.device, pipeline, NULL);
    }
    vkDestroyShaderModule(pipelines_gpu.device, module, NULL);
    return unused;
}

/* The same modules and shaders on several threads at once. */
static void many_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, make_many, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* What the capture has said so far. */
struct seen {
    uint32_t entries[1024];      /* per shader id */
    uint32_t shaders[1024];      /* per pipeline id: how many it has */
    uint32_t instrumented[1024]; /* and how many of these are instrumented */
    size_t found;
};

static void see(struct seen *seen, const struct ws_chunk *chunk)
{
    if (chunk->type == WS_CHUNK_SHADER && chunk->shader.id < 1024)
        seen->entries[chunk->shader.id] = chunk->shader.entry;
    if (chunk->type == WS_CHUNK_PIPELINE && chunk->pipeline.id < 1024) {
        const uint32_t id = chunk->pipeline.id;
        seen->shaders[id] = chunk->pipeline.shader_count;
        for (uint32_t i = 0; i < chunk->pipeline.shader_count; i++)
            seen->instrumented[id] += seen->entries[chunk->pipeline.shaders[i]] != WS_NONE;
    }
    if (chunk->type != WS_CHUNK_NAME || chunk->name.kind != WS_NAME_PIPELINE)
        return;
    for (size_t i = 0; i < known_count; i++) {
        if (strcmp(known[i].name, chunk->name.name) == 0) {
            seen->found++;
            pipelines_check(seen->shaders[chunk->name.id] == known[i].shaders, known[i].name,
                            "wrong number of shaders");
            pipelines_check(seen->instrumented[chunk->name.id] == known[i].instrumented, known[i].name,
                            "wrong number of instrumented shaders");
        }
    }
}

static void check_capture(const char *path)
{
    static struct seen seen;
    struct ws_error error = {0};
    struct ws_chunk chunk;
    uint32_t modules = 0;
    struct ws_reader *reader = ws_reader_open(path, &error);
    pipelines_check(reader != NULL, path, error.message);
    if (reader == NULL)
        return;
    enum ws_read_result result;
    while ((result = ws_reader_next(reader, &chunk, &error)) == WS_READ_CHUNK) {
        see(&seen, &chunk);
        modules += chunk.type == WS_CHUNK_MODULE;
    }
    pipelines_check(result == WS_READ_END, path, error.message);
    pipelines_check(ws_reader_summary(reader)->closed, path, "not closed");
    pipelines_check(seen.found == known_count, path, "pipelines are missing");
    pipelines_check(modules == 7, path, "a module is there twice, or not at all");
    ws_reader_destroy(reader);
}

int main(void)
{
    struct ws_error error = {0};
    const char *path = getenv("WARPSCOPE_OUTPUT");
    if (path == NULL) {
        fprintf(stderr, "WARPSCOPE_OUTPUT is not set: to be run below the layer\n");
        return 2;
    }
    if (!make_gpu()) {
        fprintf(stderr, "no device with ray tracing, pipeline libraries and shader objects\n");
        return SKIPPED;
    }
    const struct ws_gpu_binding binding = {.buffer = &buffer};
    if (!ws_gpu_buffer_init(&pipelines_gpu, &buffer, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL, COUNT * 4,
                            &error) ||
        !ws_gpu_bindings_init(&pipelines_gpu, &pipelines_bindings, &binding, 1,
                              VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    compute_batch();
    inline_module();
    shader_object();
    two_entry_points();
    pipelines_ray_tracing(false);
    pipelines_ray_tracing(true);
    pipelines_graphics();
    many_threads();
    ws_gpu_bindings_finish(&pipelines_gpu, &pipelines_bindings);
    ws_gpu_buffer_finish(&pipelines_gpu, &buffer);
    ws_gpu_finish(&pipelines_gpu);
    check_capture(path);
    return failures == 0 ? 0 : 1;
}
