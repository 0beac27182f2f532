/* Prints the name of each Vulkan device that has ray-tracing pipelines, for scripts/setup to know whether to
 * install a software one. Exit status: 0 when there is at least one, 1 when there is none or Vulkan does not
 * start. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

static bool traces_rays(VkPhysicalDevice device)
{
    uint32_t count = 0;
    VkExtensionProperties *extensions;
    bool found = false;

    if (vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL) != VK_SUCCESS)
        return false;
    extensions = calloc(count + 1, sizeof(*extensions));
    if (!extensions)
        return false;
    if (vkEnumerateDeviceExtensionProperties(device, NULL, &count, extensions) >= 0)
        for (uint32_t i = 0; i < count; i++)
            if (!strcmp(extensions[i].extensionName, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME))
                found = true;
    free(extensions);
    return found;
}

int main(void)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    VkPhysicalDevice devices[16];
    uint32_t count = sizeof(devices) / sizeof(devices[0]);
    VkInstance instance;
    int status = 1;

    if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS)
        return 1;
    if (vkEnumeratePhysicalDevices(instance, &count, devices) < 0)
        count = 0;
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;

        if (!traces_rays(devices[i]))
            continue;
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        puts(properties.deviceName);
        status = 0;
    }
    vkDestroyInstance(instance, NULL);
    return status;
}
