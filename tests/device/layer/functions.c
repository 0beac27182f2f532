/* Which functions vkGetDeviceProcAddr gives out below the layer. With a pass on: its hooks, under every name
 * of a function, and NULL for what the device does not have. Without one (argument "off"): the driver's, but
 * for two that every layer needs, so that nothing is added to any call. */
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

static bool create_device(void)
{
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_API_VERSION_1_3,
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
    /* Of extensions that are not enabled: those that the layer enables for itself need not be hidden. */
    static const char *const absent[] = {"vkCmdTraceRaysKHR",
                                         "vkCreateRayTracingPipelinesKHR",
                                         "vkCreateShadersEXT",
                                         "vkCmdDrawMeshTasksEXT",
                                         "vkQueuePresentKHR",
                                         "vkCmdDebugMarkerBeginEXT",
                                         "vkCreateInstance",
                                         "vkCmdNoSuchThing",
                                         ""};
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
        check(find(absent[i]) == NULL, absent[i], "given out, though the device does not have it");
}

int main(int argc, char **argv)
{
    if (!create_device())
        return SKIPPED;
    check(is_loaded(), "vkGetPhysicalDeviceToolProperties", "does not name the layer: is it loaded?");
    if (argc > 1 && strcmp(argv[1], "off") == 0)
        check_off();
    else
        check_on();
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return failures > 0 ? 1 : 0;
}
