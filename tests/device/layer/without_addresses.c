/* A layer for tests, to stand below the one under test: a device without the feature bufferDeviceAddress.
 * With the environment variable WS_TEST_OFFER_ADDRESSES it is offered all the same, and then refused. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "tests/device/layer/link.h"

/* Of the one instance and the one device that a test makes. */
static VkInstance the_instance;
static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;
static PFN_vkGetPhysicalDeviceFeatures2 next_features2;

static void hide(void *features)
{
    for (VkBaseOutStructure *item = features; item != NULL; item = item->pNext) {
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            ((VkPhysicalDeviceVulkan12Features *)item)->bufferDeviceAddress = VK_FALSE;
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES)
            ((VkPhysicalDeviceBufferDeviceAddressFeatures *)item)->bufferDeviceAddress = VK_FALSE;
    }
}

static VKAPI_ATTR void VKAPI_CALL get_features2(VkPhysicalDevice physical,
                                                VkPhysicalDeviceFeatures2 *features)
{
    next_features2(physical, features);
    if (getenv("WS_TEST_OFFER_ADDRESSES") == NULL)
        hide(features);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *instance)
{
    next_instance = take_instance_link(info);
    if (next_instance == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next_instance(VK_NULL_HANDLE, "vkCreateInstance");
    const VkResult result = create(info, allocator, instance);
    if (result != VK_SUCCESS)
        return result;
    the_instance = *instance;
    next_features2 =
        (PFN_vkGetPhysicalDeviceFeatures2)next_instance(the_instance, "vkGetPhysicalDeviceFeatures2");
    return VK_SUCCESS;
}

/* As drivers do: what is not offered cannot be had. */
static bool asks_for_addresses(const void *chain)
{
    for (const VkBaseInStructure *item = chain; item != NULL; item = item->pNext) {
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES &&
            ((const VkPhysicalDeviceVulkan12Features *)item)->bufferDeviceAddress)
            return true;
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES &&
            ((const VkPhysicalDeviceBufferDeviceAddressFeatures *)item)->bufferDeviceAddress)
            return true;
    }
    return false;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *device)
{
    if (asks_for_addresses(info->pNext))
        return VK_ERROR_FEATURE_NOT_PRESENT;
    next_device = take_device_link(info);
    if (next_device == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    return ((PFN_vkCreateDevice)next_instance(the_instance, "vkCreateDevice"))(physical, info, allocator,
                                                                               device);
}

static PFN_vkVoidFunction VKAPI_CALL get_instance_address(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkGetInstanceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_instance_address;
    if (strcmp(name, "vkCreateInstance") == 0)
        return (PFN_vkVoidFunction)create_instance;
    if (strcmp(name, "vkCreateDevice") == 0)
        return (PFN_vkVoidFunction)create_device;
    if (strcmp(name, "vkGetPhysicalDeviceFeatures2") == 0 ||
        strcmp(name, "vkGetPhysicalDeviceFeatures2KHR") == 0)
        return (PFN_vkVoidFunction)get_features2;
    return next_instance != NULL ? next_instance(instance, name) : NULL;
}

static PFN_vkVoidFunction VKAPI_CALL get_device_address(VkDevice device, const char *name)
{
    return next_device(device, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = get_instance_address;
    interface->pfnGetDeviceProcAddr = get_device_address;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
