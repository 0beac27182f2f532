/* Every shape of an application's create-infos: the layer switches on what its passes need in copies, the
 * application's structs stay as they are, and where it cannot, the application runs without it.
 *
 * Run below the layer; WARPSCOPE_OUTPUT names the capture, which is read at the end. */
#include <stdlib.h>
#include <string.h>

#include <volk.h>

#include "divergence_uniform.comp.h"
#include "warpscope/reader.h"

#define SKIPPED 77

static int failures;

static void check(bool good, const char *shape, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", shape, what);
        failures++;
    }
}

/* What an application puts into its chain, in this order; all in one place, to be compared afterwards. */
struct chain {
    VkBaseInStructure unknown;
    VkPhysicalDeviceFeatures2 features2;
    VkPhysicalDeviceVulkan11Features vulkan11;
    VkPhysicalDeviceVulkan12Features vulkan12;
    VkPhysicalDeviceVulkan13Features vulkan13;
    VkPhysicalDeviceBufferDeviceAddressFeatures address;
    VkBaseInStructure unknown_at_end;
};

struct shape {
    const char *name;
    uint32_t version; /* 0: no VkApplicationInfo */
    bool features;    /* pEnabledFeatures */
    bool unknown, features2, vulkan11, vulkan12, vulkan13, address, unknown_at_end;
    VkBool32 enabled; /* bufferDeviceAddress in what has it */
    bool inactive;    /* the layer cannot copy this */
};

static const struct shape shapes[] = {
    {.name = "no VkApplicationInfo"},
    {.name = "1.0, nothing", .version = VK_API_VERSION_1_0},
    {.name = "1.0, pEnabledFeatures", .version = VK_API_VERSION_1_0, .features = true},
    {.name = "1.1, Features2", .version = VK_API_VERSION_1_1, .features2 = true},
    {.name = "1.2, Vulkan12Features 0", .version = VK_API_VERSION_1_2, .vulkan12 = true},
    {.name = "1.2, Vulkan12Features 1", .version = VK_API_VERSION_1_2, .vulkan12 = true, .enabled = VK_TRUE},
    {.name = "1.2, address features 0", .version = VK_API_VERSION_1_2, .address = true},
    {.name = "1.2, address features 1", .version = VK_API_VERSION_1_2, .address = true, .enabled = VK_TRUE},
    {.name = "1.2, pEnabledFeatures and Vulkan12Features",
     .version = VK_API_VERSION_1_2,
     .features = true,
     .vulkan12 = true},
    {.name = "1.2, Features2, Vulkan11Features and Vulkan12Features",
     .version = VK_API_VERSION_1_2,
     .features2 = true,
     .vulkan11 = true,
     .vulkan12 = true},
    {.name = "1.3, all",
     .version = VK_API_VERSION_1_3,
     .features2 = true,
     .vulkan11 = true,
     .vulkan12 = true,
     .vulkan13 = true},
    {.name = "an unknown struct at the end",
     .version = VK_API_VERSION_1_3,
     .features2 = true,
     .vulkan12 = true,
     .unknown_at_end = true},
    {.name = "an unknown struct at the beginning, nothing to replace",
     .version = VK_API_VERSION_1_3,
     .unknown = true,
     .features = true},
    {.name = "an unknown struct before what must be replaced",
     .version = VK_API_VERSION_1_3,
     .unknown = true,
     .vulkan12 = true,
     .inactive = true},
};

#define SHAPE_COUNT (sizeof(shapes) / sizeof(shapes[0]))

/* Puts a struct before those that are in the chain. */
static void add(const void **head, bool wanted, void *item, VkStructureType type)
{
    VkBaseInStructure *base = item;
    if (!wanted)
        return;
    base->sType = type;
    base->pNext = *head;
    *head = base;
}

static const void *make_chain(struct chain *chain, const struct shape *shape)
{
    const void *head = NULL;
    memset(chain, 0, sizeof(*chain));
    chain->vulkan12.bufferDeviceAddress = shape->enabled;
    chain->address.bufferDeviceAddress = shape->enabled;
    add(&head, shape->unknown_at_end, &chain->unknown_at_end, (VkStructureType)0x7ffffff0);
    add(&head, shape->address, &chain->address,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
    add(&head, shape->vulkan13, &chain->vulkan13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    add(&head, shape->vulkan12, &chain->vulkan12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    add(&head, shape->vulkan11, &chain->vulkan11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    add(&head, shape->features2, &chain->features2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    add(&head, shape->unknown, &chain->unknown, (VkStructureType)0x7ffffff1);
    return head;
}

static bool make_instance(const struct shape *shape, VkInstance *instance)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = shape->name,
                                           .apiVersion = shape->version};
    const VkApplicationInfo before = application;
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = shape->version != 0 ? &application : NULL};
    if (vkCreateInstance(&info, NULL, instance) != VK_SUCCESS)
        return false;
    check(memcmp(&application, &before, sizeof(before)) == 0, shape->name,
          "VkApplicationInfo was written to");
    volkLoadInstance(*instance);
    return true;
}

static bool make_device(const struct shape *shape, VkPhysicalDevice physical, VkDevice *device)
{
    struct chain chain, chain_before;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkPhysicalDeviceFeatures features = {.shaderFloat64 = VK_FALSE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = make_chain(&chain, shape),
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .pEnabledFeatures = shape->features ? &features : NULL};
    const VkDeviceCreateInfo info_before = info;
    const VkPhysicalDeviceFeatures features_before = features;
    memcpy(&chain_before, &chain, sizeof(chain));
    if (vkCreateDevice(physical, &info, NULL, device) != VK_SUCCESS)
        return false;
    check(memcmp(&chain, &chain_before, sizeof(chain)) == 0, shape->name, "the chain was written to");
    check(memcmp(&info, &info_before, sizeof(info)) == 0, shape->name, "VkDeviceCreateInfo was written to");
    check(memcmp(&features, &features_before, sizeof(features)) == 0, shape->name,
          "pEnabledFeatures was written to");
    return true;
}

/* A pipeline with a storage buffer and push constants, as the example's shader wants it. */
static bool make_pipeline(VkDevice device)
{
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                  .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set_info = {.sType =
                                                          VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                      .bindingCount = 1,
                                                      .pBindings = &binding};
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    vkCreateDescriptorSetLayout(device, &set_info, NULL, &set);
    const VkPushConstantRange constants = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 64};
    const VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                    .setLayoutCount = 1,
                                                    .pSetLayouts = &set,
                                                    .pushConstantRangeCount = 1,
                                                    .pPushConstantRanges = &constants};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    vkCreatePipelineLayout(device, &layout_info, NULL, &layout);
    const VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                  .codeSize = sizeof(divergence_uniform_comp),
                                                  .pCode = divergence_uniform_comp};
    VkShaderModule module = VK_NULL_HANDLE;
    vkCreateShaderModule(device, &module_info, NULL, &module);
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = layout,
    };
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
    vkDestroyShaderModule(device, module, NULL);
    vkDestroyPipeline(device, pipeline, NULL);
    vkDestroyPipelineLayout(device, layout, NULL);
    vkDestroyDescriptorSetLayout(device, set, NULL);
    return result == VK_SUCCESS;
}

/* False when there is no Vulkan device. */
static bool run(const struct shape *shape)
{
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    uint32_t count = 1;
    if (!make_instance(shape, &instance))
        return false;
    const VkResult listed = vkEnumeratePhysicalDevices(instance, &count, &physical);
    const bool found = (listed == VK_SUCCESS || listed == VK_INCOMPLETE) && count == 1;
    if (found && make_device(shape, physical, &device)) {
        volkLoadDevice(device);
        check(make_pipeline(device), shape->name, "no pipeline");
        vkDestroyDevice(device, NULL);
    } else if (found) {
        check(false, shape->name, "no device");
    }
    vkDestroyInstance(instance, NULL);
    return found;
}

/* One active device, pipeline and instrumented shader for every shape that the layer can serve; a reason for
 * each that it cannot. */
static void check_capture(const char *path)
{
    struct ws_error error = {0};
    struct ws_chunk chunk;
    size_t devices = 0, pipelines = 0, shaders = 0, skipped = 0, expected = 0;
    struct ws_reader *reader = ws_reader_open(path, &error);
    check(reader != NULL, path, error.message);
    if (reader == NULL)
        return;
    enum ws_read_result result;
    while ((result = ws_reader_next(reader, &chunk, &error)) == WS_READ_CHUNK) {
        devices += chunk.type == WS_CHUNK_DEVICE;
        pipelines += chunk.type == WS_CHUNK_PIPELINE;
        shaders += chunk.type == WS_CHUNK_SHADER && chunk.shader.entry != WS_NONE;
        skipped += chunk.type == WS_CHUNK_SKIP && chunk.skip.kind == WS_SKIP_DEVICE;
    }
    check(result == WS_READ_END, path, error.message);
    check(ws_reader_summary(reader)->closed, path, "not closed");
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        expected += !shapes[i].inactive;
    check(devices == expected, path, "wrong number of devices");
    check(pipelines == expected, path, "wrong number of pipelines");
    check(shaders == expected, path, "wrong number of instrumented shaders");
    check(skipped == SHAPE_COUNT - expected, path, "wrong number of devices left alone");
    ws_reader_destroy(reader);
}

int main(void)
{
    const char *path = getenv("WARPSCOPE_OUTPUT");
    if (path == NULL) {
        fprintf(stderr, "WARPSCOPE_OUTPUT is not set: to be run below the layer\n");
        return 2;
    }
    if (volkInitialize() != VK_SUCCESS)
        return SKIPPED;
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        if (!run(&shapes[i]))
            return SKIPPED;
    check_capture(path);
    return failures == 0 ? 0 : 1;
}
