/* Which functions vkGetDeviceProcAddr gives out below the layer. With a pass on: its hooks, under every name
 * of a function, and NULL for what the device does not have. Without one (argument "off"): the driver's, but
 * for two that every layer needs, so that nothing is added to any call. With the argument "versions": what the
 * layer has the driver enable for its own needs is not given out, whatever version the application asks for. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <volk.h>

#include "layer/core/dispatch.h"

#define SKIPPED 77

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static int failures;

static void check(bool good, const char *name, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", name, what);
        failures++;
    }
}

static bool is_layers(PFN_vkVoidFunction function)
{
    Dl_info info;
    void *address;
    memcpy(&address, &function, sizeof(address));
    return function != NULL && dladdr(address, &info) != 0 &&
           strstr(info.dli_fname, "VkLayer_warpscope_capture") != NULL;
}

static PFN_vkVoidFunction find(const char *name)
{
    return vkGetDeviceProcAddr(device, name);
}

/* A layer without passes shows in nothing else. */
static bool is_loaded(void)
{
    VkPhysicalDeviceToolProperties tools[8] = {{0}};
    uint32_t count = 8;
    for (uint32_t i = 0; i < count; i++)
        tools[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES;
    vkGetPhysicalDeviceToolProperties(physical, &count, tools);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(tools[i].name, "Warpscope") == 0)
            return true;
    return false;
}

static bool create_device(uint32_t version)
{
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = version,
    };
    const VkInstanceCreateInfo instance_info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
    };
    if (volkInitialize() != VK_SUCCESS || vkCreateInstance(&instance_info, NULL, &instance) != VK_SUCCESS)
        return false;
    volkLoadInstance(instance);
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (count == 0)
        return false;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
    };
    return vkCreateDevice(physical, &info, NULL, &device) == VK_SUCCESS;
}

static void check_off(void)
{
#define NAME(name)             "vk" #name,
#define ALIAS(canonical, name) "vk" #name,
    static const char *const names[] = {WS_DEVICE_FUNCTIONS(NAME) WS_ALIASES(ALIAS)};
#undef NAME
#undef ALIAS
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], "vkDestroyDevice") != 0)
            check(!is_layers(find(names[i])), names[i], "the layer's without any pass");
}

static void check_on(void)
{
    static const char *const hooked[] = {"vkCmdDispatch",    "vkQueueSubmit",    "vkCmdDispatchBase",
                                         "vkQueueSubmit2",   "vkWaitSemaphores", "vkCmdBeginRenderPass2",
                                         "vkCmdEndRendering"};
    for (size_t i = 0; i < sizeof(hooked) / sizeof(hooked[0]); i++)
        check(is_layers(find(hooked[i])), hooked[i], "not the layer's");
    /* Of extensions that are not enabled by the application; the layer enables the last but two for itself. */
    static const char *const absent[] = {"vkCmdTraceRaysKHR",  "vkCreateRayTracingPipelinesKHR",
                                         "vkCreateShadersEXT", "vkCmdDrawMeshTasksEXT",
                                         "vkQueuePresentKHR",  "vkCmdDebugMarkerBeginEXT",
                                         "vkCreateInstance",   "vkGetMemoryHostPointerPropertiesEXT",
                                         "vkCmdNoSuchThing",   ""};
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
        check(find(absent[i]) == NULL, absent[i], "given out, though the device does not have it");
}

/* Commands by the version of Vulkan that they are core in. An extension's command of another name may stand
 * for each, and is not given out either: no extension is enabled. vkGetDeviceQueue2 is missing, because the
 * loader gives out one of its own for any version. */
struct core_command {
    uint32_t version;
    const char *name;
    const char *alias;
};

static const struct core_command core_commands[] = {
    {VK_API_VERSION_1_0, "vkCmdDispatch", NULL},
    {VK_API_VERSION_1_0, "vkQueueSubmit", NULL},
    {VK_API_VERSION_1_1, "vkBindBufferMemory2", "vkBindBufferMemory2KHR"},
    {VK_API_VERSION_1_1, "vkBindImageMemory2", "vkBindImageMemory2KHR"},
    {VK_API_VERSION_1_1, "vkCmdDispatchBase", "vkCmdDispatchBaseKHR"},
    {VK_API_VERSION_1_1, "vkCmdSetDeviceMask", "vkCmdSetDeviceMaskKHR"},
    {VK_API_VERSION_1_1, "vkCreateDescriptorUpdateTemplate", "vkCreateDescriptorUpdateTemplateKHR"},
    {VK_API_VERSION_1_1, "vkCreateSamplerYcbcrConversion", "vkCreateSamplerYcbcrConversionKHR"},
    {VK_API_VERSION_1_1, "vkDestroyDescriptorUpdateTemplate", "vkDestroyDescriptorUpdateTemplateKHR"},
    {VK_API_VERSION_1_1, "vkDestroySamplerYcbcrConversion", "vkDestroySamplerYcbcrConversionKHR"},
    {VK_API_VERSION_1_1, "vkGetBufferMemoryRequirements2", "vkGetBufferMemoryRequirements2KHR"},
    {VK_API_VERSION_1_1, "vkGetDescriptorSetLayoutSupport", "vkGetDescriptorSetLayoutSupportKHR"},
    {VK_API_VERSION_1_1, "vkGetDeviceGroupPeerMemoryFeatures", "vkGetDeviceGroupPeerMemoryFeaturesKHR"},
    {VK_API_VERSION_1_1, "vkGetImageMemoryRequirements2", "vkGetImageMemoryRequirements2KHR"},
    {VK_API_VERSION_1_1, "vkGetImageSparseMemoryRequirements2", "vkGetImageSparseMemoryRequirements2KHR"},
    {VK_API_VERSION_1_1, "vkTrimCommandPool", "vkTrimCommandPoolKHR"},
    {VK_API_VERSION_1_1, "vkUpdateDescriptorSetWithTemplate", "vkUpdateDescriptorSetWithTemplateKHR"},
    {VK_API_VERSION_1_2, "vkCmdBeginRenderPass2", "vkCmdBeginRenderPass2KHR"},
    {VK_API_VERSION_1_2, "vkCmdDrawIndexedIndirectCount", "vkCmdDrawIndexedIndirectCountKHR"},
    {VK_API_VERSION_1_2, "vkCmdDrawIndirectCount", "vkCmdDrawIndirectCountAMD"},
    {VK_API_VERSION_1_2, "vkCmdEndRenderPass2", "vkCmdEndRenderPass2KHR"},
    {VK_API_VERSION_1_2, "vkCmdNextSubpass2", "vkCmdNextSubpass2KHR"},
    {VK_API_VERSION_1_2, "vkCreateRenderPass2", "vkCreateRenderPass2KHR"},
    {VK_API_VERSION_1_2, "vkGetBufferDeviceAddress", "vkGetBufferDeviceAddressKHR"},
    {VK_API_VERSION_1_2, "vkGetBufferOpaqueCaptureAddress", "vkGetBufferOpaqueCaptureAddressKHR"},
    {VK_API_VERSION_1_2, "vkGetDeviceMemoryOpaqueCaptureAddress", "vkGetDeviceMemoryOpaqueCaptureAddressKHR"},
    {VK_API_VERSION_1_2, "vkGetSemaphoreCounterValue", "vkGetSemaphoreCounterValueKHR"},
    {VK_API_VERSION_1_2, "vkResetQueryPool", "vkResetQueryPoolEXT"},
    {VK_API_VERSION_1_2, "vkSignalSemaphore", "vkSignalSemaphoreKHR"},
    {VK_API_VERSION_1_2, "vkWaitSemaphores", "vkWaitSemaphoresKHR"},
    {VK_API_VERSION_1_3, "vkQueueSubmit2", "vkQueueSubmit2KHR"},
    {VK_API_VERSION_1_3, "vkCmdBeginRendering", "vkCmdBeginRenderingKHR"},
};

static void check_version(uint32_t version)
{
    for (size_t i = 0; i < sizeof(core_commands) / sizeof(core_commands[0]); i++) {
        const struct core_command *command = &core_commands[i];
        if (command->version > version)
            check(find(command->name) == NULL, command->name, "given out, though it is of a later version");
        else
            check(find(command->name) != NULL, command->name, "not given out");
        if (command->alias != NULL)
            check(find(command->alias) == NULL, command->alias, "given out, though no extension is enabled");
    }
}

static void destroy(void)
{
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
}

static bool check_versions(void)
{
    static const uint32_t versions[] = {VK_API_VERSION_1_0, VK_API_VERSION_1_1, VK_API_VERSION_1_2};
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        if (!create_device(versions[i]))
            return false;
        check_version(versions[i]);
        destroy();
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "versions") == 0)
        return !check_versions() ? SKIPPED : failures > 0 ? 1 : 0;
    if (!create_device(VK_API_VERSION_1_3))
        return SKIPPED;
    check(is_loaded(), "vkGetPhysicalDeviceToolProperties", "does not name the layer: is it loaded?");
    if (argc > 1 && strcmp(argv[1], "off") == 0)
        check_off();
    else
        check_on();
    destroy();
    return failures > 0 ? 1 : 0;
}
