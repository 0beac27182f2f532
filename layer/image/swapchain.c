/* vkCreateSwapchainKHR. */
#include "layer/image/swapchain.h"

#include <stdlib.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/image/image.h"
#include "warpscope/image_format.h"

/* Usages of Vulkan 1.0. With others a swapchain is not changed. */
#define USAGES_KNOWN 0xffu

static bool is_shared(VkPresentModeKHR mode)
{
    return mode == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
           mode == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR;
}

/* Why nothing that is presented could be copied; NULL = it could. A shared image is being read by the presentation engine
 * all the time, so that its layout cannot be changed. */
static const char *find_hindrance(const VkSwapchainCreateInfoKHR *info)
{
    if ((info->flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR) != 0)
        return "the swapchain is protected";
    if ((info->flags & VK_SWAPCHAIN_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR) != 0)
        return "several devices make parts of the swapchain's images";
    if (is_shared(info->presentMode))
        return "the swapchain's image is shared with the presentation engine";
    if (ws_image_format_find(info->imageFormat) == NULL)
        return "the swapchain has a format that is not known";
    return NULL;
}

/* What a swapchain's images are made of (the specification, "vkCreateSwapchainKHR", implied image creation
 * parameters). */
static VkImageCreateInfo implied(const VkSwapchainCreateInfoKHR *info)
{
    const bool mutable = (info->flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR) != 0;
    return (VkImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = mutable ? VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT : 0,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = info->imageFormat,
        .extent = {info->imageExtent.width, info->imageExtent.height, 1},
        .mipLevels = 1,
        .arrayLayers = info->imageArrayLayers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = info->imageUsage,
    };
}

/* Both the surface and the device must be able to (VUID-VkSwapchainCreateInfoKHR-presentMode-01427 and
 * -imageFormat-01778). */
static bool is_supported(const struct ws_device *device, const VkSwapchainCreateInfoKHR *info)
{
    const struct ws_instance_dispatch *next = &device->instance->next;
    VkSurfaceCapabilitiesKHR surface;
    VkImageFormatProperties able;
    const VkImageCreateInfo image = implied(info);
    return next->GetPhysicalDeviceSurfaceCapabilitiesKHR != NULL &&
           next->GetPhysicalDeviceSurfaceCapabilitiesKHR(device->physical, info->surface, &surface) ==
               VK_SUCCESS &&
           (surface.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) != 0 &&
           next->GetPhysicalDeviceImageFormatProperties(device->physical, image.format, image.imageType,
                                                        image.tiling, image.usage, image.flags,
                                                        &able) == VK_SUCCESS;
}

/* The application's create-info with the usage that a copy needs, in `changed`; or itself. */
static const VkSwapchainCreateInfoKHR *with_usage(const struct ws_device *device,
                                                  const VkSwapchainCreateInfoKHR *info,
                                                  VkSwapchainCreateInfoKHR *changed)
{
    *changed = *info;
    changed->imageUsage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const bool wanted = (info->imageUsage & (VK_IMAGE_USAGE_TRANSFER_SRC_BIT | ~USAGES_KNOWN)) == 0 &&
                        find_hindrance(info) == NULL && is_supported(device, changed);
    return wanted ? changed : info;
}

static struct ws_swapchain *describe(struct ws_device *device, VkSwapchainKHR handle,
                                     const VkSwapchainCreateInfoKHR *info, bool changed)
{
    uint32_t count = 0;
    if (device->next.GetSwapchainImagesKHR(device->handle, handle, &count, NULL) != VK_SUCCESS)
        return NULL;
    struct ws_swapchain *swapchain = calloc(1, sizeof(*swapchain) + count * sizeof(swapchain->images[0]));
    if (swapchain == NULL ||
        device->next.GetSwapchainImagesKHR(device->handle, handle, &count, swapchain->images) != VK_SUCCESS) {
        free(swapchain);
        return NULL;
    }
    swapchain->image_count = count;
    swapchain->format = info->imageFormat;
    swapchain->width = info->imageExtent.width;
    swapchain->height = info->imageExtent.height;
    swapchain->changed = changed;
    swapchain->reason = find_hindrance(info);
    if (swapchain->reason == NULL && (info->imageUsage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0)
        swapchain->reason = "the surface cannot have swapchains with the usage TRANSFER_SRC";
    return swapchain;
}

static void remember(struct ws_device *device, VkSwapchainKHR handle, const VkSwapchainCreateInfoKHR *info,
                     VkImageUsageFlags asked)
{
    struct ws_swapchain *swapchain = describe(device, handle, info, info->imageUsage != asked);
    if (swapchain == NULL)
        return;
    const VkImageCreateInfo image = implied(info);
    for (uint32_t i = 0; i < swapchain->image_count; i++)
        ws_image_add(device, swapchain->images[i], &image, asked);
    free(ws_objects_remove(device, WS_OBJECT_SWAPCHAIN, WS_HANDLE(handle)));
    if (ws_objects_add(device, WS_OBJECT_SWAPCHAIN, WS_HANDLE(handle), swapchain))
        atomic_fetch_add(&device->swapchains, 1);
    else
        free(swapchain);
}

/* A failed call has retired the old swapchain nevertheless, and a retired one may not be given again
 * (VUID-VkSwapchainCreateInfoKHR-oldSwapchain-01933). */
static VKAPI_ATTR VkResult VKAPI_CALL create_swapchain(VkDevice handle, const VkSwapchainCreateInfoKHR *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSwapchainKHR *swapchain)
{
    struct ws_device *device = ws_device_of(handle);
    VkSwapchainCreateInfoKHR changed;
    const VkSwapchainCreateInfoKHR *used = with_usage(device, info, &changed);
    VkResult result = device->next.CreateSwapchainKHR(handle, used, allocator, swapchain);
    if (result != VK_SUCCESS && used != info && result != VK_ERROR_DEVICE_LOST &&
        result != VK_ERROR_SURFACE_LOST_KHR) {
        changed.imageUsage = info->imageUsage;
        changed.oldSwapchain = VK_NULL_HANDLE;
        result = device->next.CreateSwapchainKHR(handle, used, allocator, swapchain);
    }
    if (result == VK_SUCCESS)
        remember(device, *swapchain, used, info->imageUsage);
    return result;
}

const struct ws_swapchain *ws_swapchain_find(struct ws_device *device, VkSwapchainKHR handle)
{
    return ws_objects_find(device, WS_OBJECT_SWAPCHAIN, WS_HANDLE(handle));
}

static void forget(struct ws_device *device, struct ws_swapchain *swapchain)
{
    for (uint32_t i = 0; i < swapchain->image_count; i++)
        ws_image_forget(device, swapchain->images[i]);
    atomic_fetch_sub(&device->swapchains, 1);
    free(swapchain);
}

void ws_swapchain_forget(struct ws_device *device, VkSwapchainKHR handle)
{
    struct ws_swapchain *swapchain = ws_objects_remove(device, WS_OBJECT_SWAPCHAIN, WS_HANDLE(handle));
    if (swapchain != NULL)
        forget(device, swapchain);
}

static void finish(struct ws_device *device)
{
    struct ws_swapchain *swapchain;
    while ((swapchain = ws_objects_remove_any(device, WS_OBJECT_SWAPCHAIN)) != NULL)
        forget(device, swapchain);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateSwapchainKHR, create_swapchain),
    WS_HOOK_END,
};

const struct ws_interception ws_swapchain_interception = {
    .hooks = hooks,
    .image = true,
    .device_finish = finish,
};
