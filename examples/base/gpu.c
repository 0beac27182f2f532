#include "examples/base/gpu.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NO_DEVICE                                                                                            \
    "there is no Vulkan device on this machine: install a driver (Mesa's software device will do)"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The device features that the examples know of, in one chain. */
struct features {
    VkPhysicalDeviceFeatures2 base;
    VkPhysicalDeviceBufferDeviceAddressFeatures address;
    VkPhysicalDeviceAccelerationStructureFeaturesKHR acceleration;
    VkPhysicalDeviceRayTracingPipelineFeaturesKHR ray_tracing;
    VkPhysicalDeviceRayQueryFeaturesKHR query;
    VkPhysicalDeviceDynamicRenderingFeatures rendering;
    VkPhysicalDeviceShaderAtomicInt64Features int64;
    VkPhysicalDeviceVariablePointersFeatures pointers;
};

static const char *const ray_tracing_extensions[] = {
    VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
    VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
    VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
};

static const char *const query_extensions[] = {VK_KHR_RAY_QUERY_EXTENSION_NAME};
static const char *const rendering_extensions[] = {VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME};

bool ws_gpu_check(VkResult result, const char *what, struct ws_error *error)
{
    const char *name = "unexpected result";

    switch (result) {
    case VK_SUCCESS: return true;
    case VK_ERROR_OUT_OF_HOST_MEMORY: name = "out of host memory"; break;
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: name = "out of device memory"; break;
    case VK_ERROR_INITIALIZATION_FAILED: name = "initialization failed"; break;
    case VK_ERROR_DEVICE_LOST: name = "device lost"; break;
    case VK_ERROR_LAYER_NOT_PRESENT: name = "layer not present"; break;
    case VK_ERROR_EXTENSION_NOT_PRESENT: name = "extension not present"; break;
    case VK_ERROR_FEATURE_NOT_PRESENT: name = "feature not present"; break;
    case VK_ERROR_INCOMPATIBLE_DRIVER: name = "incompatible driver"; break;
    case VK_TIMEOUT: name = "timeout"; break;
    default: break;
    }
    return ws_error_set(error, "%s: %s (VkResult %d)", what, name, (int)result);
}

static bool has_extension(const VkExtensionProperties *extensions, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(extensions[i].extensionName, name) == 0)
            return true;
    return false;
}

static bool instance_has_debug_utils(void)
{
    uint32_t count = 0;
    VkExtensionProperties *extensions = NULL;
    bool found = false;

    if (vkEnumerateInstanceExtensionProperties(NULL, &count, NULL) == VK_SUCCESS && count > 0) {
        extensions = calloc(count, sizeof(*extensions));
        if (extensions != NULL &&
            vkEnumerateInstanceExtensionProperties(NULL, &count, extensions) == VK_SUCCESS)
            found = has_extension(extensions, count, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    }
    free(extensions);
    return found;
}

/* Vulkan 1.2 where ray tracing or dynamic rendering is needed, whose dependencies are core there; else
 * 1.1, so that the plain examples ask for no more than they use. */
static uint32_t api_version(uint32_t needs)
{
    return needs & (WS_GPU_RAY_TRACING | WS_GPU_DYNAMIC_RENDERING) ? VK_API_VERSION_1_2 : VK_API_VERSION_1_1;
}

static enum ws_gpu_status create_instance(struct ws_gpu *gpu, const struct ws_gpu_request *request,
                                          struct ws_error *error)
{
    const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;

    gpu->debug_utils = instance_has_debug_utils();
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = request->application,
        .pEngineName = "Warpscope examples",
        .apiVersion = api_version(request->needs),
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
        .enabledExtensionCount = gpu->debug_utils ? 1 : 0,
        .ppEnabledExtensionNames = &extension,
    };
    VkResult result = vkCreateInstance(&info, NULL, &gpu->instance);
    if (result != VK_SUCCESS) {
        gpu->instance = VK_NULL_HANDLE;
        if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
            ws_error_set(error, NO_DEVICE);
            return WS_GPU_UNFIT;
        }
        ws_gpu_check(result, "cannot make a Vulkan instance", error);
        return WS_GPU_FAILED;
    }
    volkLoadInstance(gpu->instance);
    return WS_GPU_READY;
}

/* Chains, behind `base`, the structs that belong to `needs`. */
static void chain_features(struct features *features, uint32_t needs)
{
    memset(features, 0, sizeof(*features));
    features->base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features->address.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
    features->acceleration.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR;
    features->ray_tracing.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR;
    features->query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR;
    features->rendering.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES;
    features->int64.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES;
    features->pointers.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES;
    if (needs & WS_GPU_RAY_TRACING) {
        features->address.pNext = &features->acceleration;
        features->acceleration.pNext = &features->ray_tracing;
        features->base.pNext = &features->address;
    }
    if (needs & WS_GPU_RAY_QUERY) {
        features->query.pNext = features->base.pNext;
        features->base.pNext = &features->query;
    }
    if (needs & WS_GPU_DYNAMIC_RENDERING) {
        features->rendering.pNext = features->base.pNext;
        features->base.pNext = &features->rendering;
    }
    if (needs & WS_GPU_INT64_ATOMICS) {
        features->int64.pNext = features->base.pNext;
        features->base.pNext = &features->int64;
    }
    if (needs & WS_GPU_VARIABLE_POINTERS) {
        features->pointers.pNext = features->base.pNext;
        features->base.pNext = &features->pointers;
    }
}

/* The name of the first needed thing that the device's features lack, or NULL. */
static const char *missing_feature(VkPhysicalDevice physical, uint32_t needs)
{
    struct features have;

    chain_features(&have, needs);
    vkGetPhysicalDeviceFeatures2(physical, &have.base);
    if (needs & WS_GPU_RAY_TRACING) {
        if (!have.address.bufferDeviceAddress)
            return "the feature bufferDeviceAddress";
        if (!have.acceleration.accelerationStructure)
            return "the feature accelerationStructure";
        if (!have.ray_tracing.rayTracingPipeline)
            return "the feature rayTracingPipeline";
    }
    if (needs & WS_GPU_RAY_QUERY && !have.query.rayQuery)
        return "the feature rayQuery";
    if (needs & WS_GPU_DYNAMIC_RENDERING && !have.rendering.dynamicRendering)
        return "the feature dynamicRendering";
    if (needs & WS_GPU_FRAGMENT_STORES && !have.base.features.fragmentStoresAndAtomics)
        return "the feature fragmentStoresAndAtomics";
    if (needs & WS_GPU_IMAGES &&
        (!have.base.features.imageCubeArray || !have.base.features.textureCompressionBC ||
         !have.base.features.shaderStorageImageReadWithoutFormat ||
         !have.base.features.shaderStorageImageWriteWithoutFormat))
        return "cube arrays, textures of BC, and images without a format";
    if (needs & WS_GPU_VERTEX_STORES && !have.base.features.vertexPipelineStoresAndAtomics)
        return "the feature vertexPipelineStoresAndAtomics";
    if (needs & WS_GPU_INT64_ATOMICS &&
        (!have.base.features.shaderInt64 || !have.int64.shaderBufferInt64Atomics))
        return "the features shaderInt64 and shaderBufferInt64Atomics";
    if (needs & WS_GPU_VARIABLE_POINTERS && !have.pointers.variablePointers)
        return "the feature variablePointers";
    return NULL;
}

/* The name of the first extension of `names` that is not among the device's, or NULL. */
static const char *missing_of(const VkExtensionProperties *have, uint32_t count, const char *const *names,
                              size_t name_count)
{
    for (size_t i = 0; i < name_count; i++)
        if (!has_extension(have, count, names[i]))
            return names[i];
    return NULL;
}

static const char *missing_extension(VkPhysicalDevice physical, uint32_t needs)
{
    uint32_t count = 0;
    VkExtensionProperties *have = NULL;
    const char *missing = NULL;

    if (vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) != VK_SUCCESS)
        return "a list of its extensions";
    have = calloc(count > 0 ? count : 1, sizeof(*have));
    if (have == NULL || vkEnumerateDeviceExtensionProperties(physical, NULL, &count, have) != VK_SUCCESS) {
        free(have);
        return "a list of its extensions";
    }
    if (needs & WS_GPU_RAY_TRACING)
        missing = missing_of(have, count, ray_tracing_extensions, COUNT(ray_tracing_extensions));
    if (missing == NULL && needs & WS_GPU_RAY_QUERY)
        missing = missing_of(have, count, query_extensions, COUNT(query_extensions));
    if (missing == NULL && needs & WS_GPU_DYNAMIC_RENDERING)
        missing = missing_of(have, count, rendering_extensions, COUNT(rendering_extensions));
    free(have);
    return missing;
}

static bool find_queue_family(VkPhysicalDevice physical, VkQueueFlags flags, uint32_t *family)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = COUNT(families);

    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if ((families[i].queueFlags & flags) == flags) {
            *family = i;
            return true;
        }
    }
    return false;
}

/* What keeps `physical` from being used, or NULL when it fits; then `gpu` knows its queue family. */
static const char *unfit(struct ws_gpu *gpu, VkPhysicalDevice physical, const struct ws_gpu_request *request)
{
    VkPhysicalDeviceProperties properties;
    const char *missing;

    vkGetPhysicalDeviceProperties(physical, &properties);
    if (properties.apiVersion < api_version(request->needs))
        return request->needs & (WS_GPU_RAY_TRACING | WS_GPU_DYNAMIC_RENDERING) ? "Vulkan 1.2" : "Vulkan 1.1";
    missing = missing_extension(physical, request->needs);
    if (missing == NULL)
        missing = missing_feature(physical, request->needs);
    if (missing == NULL && !find_queue_family(physical, request->queue, &gpu->queue_family))
        missing = "a queue for this work";
    return missing;
}

static enum ws_gpu_status choose_device(struct ws_gpu *gpu, const struct ws_gpu_request *request,
                                        struct ws_error *error)
{
    VkPhysicalDevice devices[16];
    VkPhysicalDeviceProperties properties;
    uint32_t count = COUNT(devices);
    VkResult result = vkEnumeratePhysicalDevices(gpu->instance, &count, devices);

    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0) {
        ws_error_set(error, NO_DEVICE);
        return WS_GPU_UNFIT;
    }
    for (uint32_t i = 0; i < count; i++) {
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        if (request->device != NULL && strcasestr(properties.deviceName, request->device) == NULL)
            continue;
        const char *missing = unfit(gpu, devices[i], request);
        if (missing == NULL) {
            gpu->physical = devices[i];
            gpu->properties = properties;
            if (error != NULL)
                error->message[0] = '\0'; /* what devices passed over lacked */
            return WS_GPU_READY;
        }
        ws_error_set(error, "the device \"%s\" lacks %s", properties.deviceName, missing);
    }
    ws_error_set(error, "there is no Vulkan device whose name contains \"%s\"", request->device);
    return WS_GPU_UNFIT;
}

static void read_properties(struct ws_gpu *gpu, uint32_t needs)
{
    VkPhysicalDeviceSubgroupProperties subgroup = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
    };
    VkPhysicalDeviceAccelerationStructurePropertiesKHR acceleration = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &subgroup,
    };

    gpu->ray_tracing.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR;
    gpu->ray_tracing.pNext = NULL;
    if (needs & WS_GPU_RAY_TRACING) {
        subgroup.pNext = &acceleration;
        acceleration.pNext = &gpu->ray_tracing;
    }
    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    gpu->subgroup_size = subgroup.subgroupSize;
    gpu->scratch_alignment = acceleration.minAccelerationStructureScratchOffsetAlignment;
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory);
}

static bool create_device(struct ws_gpu *gpu, uint32_t needs, struct ws_error *error)
{
    const char
        *extensions[COUNT(ray_tracing_extensions) + COUNT(query_extensions) + COUNT(rendering_extensions)];
    uint32_t extension_count = 0;
    const float priority = 1.0f;
    struct features features;

    chain_features(&features, needs);
    features.address.bufferDeviceAddress = VK_TRUE;
    features.acceleration.accelerationStructure = VK_TRUE;
    features.ray_tracing.rayTracingPipeline = VK_TRUE;
    features.query.rayQuery = VK_TRUE;
    features.rendering.dynamicRendering = VK_TRUE;
    features.int64.shaderBufferInt64Atomics = VK_TRUE;
    features.pointers.variablePointersStorageBuffer = VK_TRUE;
    features.pointers.variablePointers = VK_TRUE;
    features.base.features.shaderInt64 = (needs & WS_GPU_INT64_ATOMICS) != 0;
    features.base.features.imageCubeArray = (needs & WS_GPU_IMAGES) != 0;
    features.base.features.textureCompressionBC = (needs & WS_GPU_IMAGES) != 0;
    features.base.features.shaderStorageImageReadWithoutFormat = (needs & WS_GPU_IMAGES) != 0;
    features.base.features.shaderStorageImageWriteWithoutFormat = (needs & WS_GPU_IMAGES) != 0;
    features.base.features.fragmentStoresAndAtomics = (needs & WS_GPU_FRAGMENT_STORES) != 0;
    features.base.features.vertexPipelineStoresAndAtomics = (needs & WS_GPU_VERTEX_STORES) != 0;
    if (needs & WS_GPU_RAY_TRACING) {
        memcpy(extensions, ray_tracing_extensions, sizeof(ray_tracing_extensions));
        extension_count += COUNT(ray_tracing_extensions);
    }
    if (needs & WS_GPU_RAY_QUERY)
        extensions[extension_count++] = query_extensions[0];
    if (needs & WS_GPU_DYNAMIC_RENDERING)
        extensions[extension_count++] = rendering_extensions[0];
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = gpu->queue_family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features.base,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = extension_count,
        .ppEnabledExtensionNames = extensions,
    };
    if (!ws_gpu_check(vkCreateDevice(gpu->physical, &info, NULL, &gpu->device), "cannot make a Vulkan device",
                      error)) {
        gpu->device = VK_NULL_HANDLE;
        return false;
    }
    volkLoadDevice(gpu->device);
    vkGetDeviceQueue(gpu->device, gpu->queue_family, 0, &gpu->queue);
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = gpu->queue_family,
    };
    return ws_gpu_check(vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool), "vkCreateCommandPool",
                        error);
}

enum ws_gpu_status ws_gpu_init(struct ws_gpu *gpu, const struct ws_gpu_request *request,
                               struct ws_error *error)
{
    enum ws_gpu_status status;

    memset(gpu, 0, sizeof(*gpu));
    if (volkInitialize() != VK_SUCCESS) {
        ws_error_set(error, "the Vulkan loader (libvulkan.so.1) is not installed");
        return WS_GPU_UNFIT;
    }
    status = create_instance(gpu, request, error);
    if (status != WS_GPU_READY)
        goto error;
    status = choose_device(gpu, request, error);
    if (status != WS_GPU_READY)
        goto error;
    read_properties(gpu, request->needs);
    if (!create_device(gpu, request->needs, error)) {
        status = WS_GPU_FAILED;
        goto error;
    }
    return WS_GPU_READY;
error:
    ws_gpu_finish(gpu);
    return status;
}

void ws_gpu_finish(struct ws_gpu *gpu)
{
    if (gpu->device != VK_NULL_HANDLE) {
        vkDeviceWaitIdle(gpu->device);
        vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
        vkDestroyDevice(gpu->device, NULL);
    }
    if (gpu->instance != VK_NULL_HANDLE)
        vkDestroyInstance(gpu->instance, NULL);
    memset(gpu, 0, sizeof(*gpu));
}

VkCommandBuffer ws_gpu_begin(struct ws_gpu *gpu, struct ws_error *error)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };

    if (!ws_gpu_check(vkAllocateCommandBuffers(gpu->device, &allocate, &commands), "vkAllocateCommandBuffers",
                      error))
        return VK_NULL_HANDLE;
    if (!ws_gpu_check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer", error)) {
        vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &commands);
        return VK_NULL_HANDLE;
    }
    return commands;
}

bool ws_gpu_submit(struct ws_gpu *gpu, VkCommandBuffer commands, struct ws_error *error)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
    };
    bool done = ws_gpu_check(vkEndCommandBuffer(commands), "vkEndCommandBuffer", error) &&
                ws_gpu_check(vkQueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit", error) &&
                ws_gpu_check(vkQueueWaitIdle(gpu->queue), "vkQueueWaitIdle", error);

    vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &commands);
    return done;
}

void ws_gpu_label(struct ws_gpu *gpu, VkCommandBuffer commands, const char *name)
{
    const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = name};

    if (gpu->debug_utils)
        vkCmdBeginDebugUtilsLabelEXT(commands, &label);
}

void ws_gpu_label_end(struct ws_gpu *gpu, VkCommandBuffer commands)
{
    if (gpu->debug_utils)
        vkCmdEndDebugUtilsLabelEXT(commands);
}

void ws_gpu_name(struct ws_gpu *gpu, VkObjectType type, uint64_t handle, const char *name)
{
    const VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = handle,
        .pObjectName = name,
    };

    if (gpu->debug_utils)
        vkSetDebugUtilsObjectNameEXT(gpu->device, &info); /* only out of memory: then it has no name */
}

void ws_gpu_barrier(VkCommandBuffer commands)
{
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };

    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
}
