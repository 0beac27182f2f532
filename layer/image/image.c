/* vkCreateImage and vkCreateImageView. */
#include "layer/image/image.h"

#include <stdlib.h>

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/core/settings.h"
#include "layer/core/vulkan_newer.h"
#include "layer/image/swapchain.h"
#include "layer/process/lock.h"
#include "layer/resources/resource.h"
#include "warpscope/image_format.h"
#include "warpscope/instrument.h"

/* Usages of Vulkan 1.0. With others (video, shading rate, host copies) an image is not changed. */
#define USAGES_KNOWN 0xffu

struct image {
    VkFormat format;
    VkExtent3D extent;
    VkImageUsageFlags asked; /* by the application, where we added to it; 0 = it has what was asked for */
    const char *reason;      /* as in struct ws_image_view */
};

/* Without the setting images are only followed (layer/resources), and nothing about them changes. */
static bool captures(const struct ws_device *device)
{
    return device->settings->image;
}

/* Maps a handle to `value`, and frees what it had; NULL = to nothing, as it is without memory. */
static void replace(struct ws_device *device, enum ws_object_kind kind, uint64_t handle, void *value)
{
    ws_lock(&device->image_lock);
    free(ws_objects_remove(device, kind, handle));
    if (value != NULL && !ws_objects_add(device, kind, handle, value))
        free(value);
    ws_unlock(&device->image_lock);
}

/* Why no copy of an image could be shown; NULL = one could. */
static const char *find_hindrance(const VkImageCreateInfo *info)
{
    if (info->samples != VK_SAMPLE_COUNT_1_BIT)
        return "the image has several samples a texel";
    if ((info->flags & (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
                        VK_IMAGE_CREATE_SPARSE_ALIASED_BIT)) != 0)
        return "the image is sparse";
    if ((info->flags & VK_IMAGE_CREATE_PROTECTED_BIT) != 0)
        return "the image is protected";
    if ((info->flags & VK_IMAGE_CREATE_SUBSAMPLED_BIT_EXT) != 0)
        return "the image is subsampled";
    if (info->imageType != VK_IMAGE_TYPE_2D)
        return "the image is not two-dimensional";
    /* Then the usage of the create-info is ignored. */
    if (ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_USAGE_FLAGS_2_CREATE_INFO_KHR) != NULL)
        return "the image has its usage from VkImageUsageFlags2CreateInfoKHR, to which nothing is added";
    return NULL;
}

/* Whether a copy of the texels must not be asked for, since others than this device decide what the image may be. */
static bool is_foreign(const VkImageCreateInfo *info)
{
    return ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO) != NULL ||
           ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO_NV) != NULL;
}

/* The swapchain whose memory an image is to be bound to, VK_NULL_HANDLE for others. */
static VkSwapchainKHR swapchain_of(const VkImageCreateInfo *info)
{
    const VkImageSwapchainCreateInfoKHR *of =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
    return of != NULL ? of->swapchain : VK_NULL_HANDLE;
}

/* It must be made as the swapchain is (VUID-VkImageSwapchainCreateInfoKHR-swapchain-00995). */
static bool is_changed_swapchain(struct ws_device *device, VkSwapchainKHR handle)
{
    const struct ws_swapchain *swapchain = ws_swapchain_find(device, handle);
    return swapchain != NULL && swapchain->changed;
}

static bool is_supported(const struct ws_device *device, const VkImageCreateInfo *info)
{
    VkImageFormatProperties able;
    return device->instance->next.GetPhysicalDeviceImageFormatProperties(
               device->physical, info->format, info->imageType, info->tiling, info->usage, info->flags,
               &able) == VK_SUCCESS &&
           info->extent.width <= able.maxExtent.width && info->extent.height <= able.maxExtent.height &&
           info->mipLevels <= able.maxMipLevels && info->arrayLayers <= able.maxArrayLayers &&
           (info->samples & able.sampleCounts) != 0;
}

/* The application's create-info with the usage that a copy needs, in `changed`; or itself, where nothing is to be
 * changed. The same create-info always gives the same: images may share memory, and be asked about before they are
 * made. */
static const VkImageCreateInfo *with_usage(struct ws_device *device, const VkImageCreateInfo *info,
                                           VkImageCreateInfo *changed)
{
    if (!captures(device))
        return info;
    const VkSwapchainKHR swapchain = swapchain_of(info);
    *changed = *info;
    changed->usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    if (swapchain != VK_NULL_HANDLE)
        return is_changed_swapchain(device, swapchain) ? changed : info;
    const bool wanted = (info->usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0 &&
                        (info->usage & (VK_IMAGE_USAGE_TRANSFER_SRC_BIT | ~USAGES_KNOWN)) == 0 &&
                        info->tiling == VK_IMAGE_TILING_OPTIMAL && find_hindrance(info) == NULL &&
                        !is_foreign(info) && ws_image_format_find(info->format) != NULL &&
                        is_supported(device, changed);
    return wanted ? changed : info;
}

void ws_image_add(struct ws_device *device, VkImage handle, const VkImageCreateInfo *info,
                  VkImageUsageFlags asked)
{
    struct image *image = calloc(1, sizeof(*image));
    if (image == NULL)
        return;
    image->format = info->format;
    image->extent = info->extent;
    image->asked = asked != info->usage ? asked : 0;
    image->reason = find_hindrance(info);
    if (image->reason == NULL && (info->usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0)
        image->reason =
            "the device cannot make such an image with the usage TRANSFER_SRC, or others share its memory";
    replace(device, WS_OBJECT_IMAGE, WS_HANDLE(handle), image);
}

void ws_image_forget(struct ws_device *device, VkImage handle)
{
    replace(device, WS_OBJECT_IMAGE, WS_HANDLE(handle), NULL);
}

/* Bytes that an image takes; 0 where they must not be asked for like that (VUID-vkGetImageMemoryRequirements-image-01588), or
 * where the application has not made it for memory of this device. */
static VkDeviceSize size_of(const struct ws_device *device, VkImage image, const VkImageCreateInfo *info)
{
    VkMemoryRequirements requirements = {0};
    if ((info->flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0 || is_foreign(info) ||
        swapchain_of(info) != VK_NULL_HANDLE)
        return 0;
    device->next.GetImageMemoryRequirements(device->handle, image, &requirements);
    return requirements.size;
}

static void follow(struct ws_device *device, VkImage image, const VkImageCreateInfo *info)
{
    if (device->resources == NULL)
        return;
    const struct ws_resource about = {
        .kind = WS_RESOURCE_IMAGE,
        .within = WS_NONE,
        .size = size_of(device, image, info),
        .usage = info->usage,
        .memory_type = WS_NONE,
        .format = info->format,
        .extent = {info->extent.width, info->extent.height, info->extent.depth},
    };
    ws_resource_add(device, WS_HANDLE(image), &about);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice handle, const VkImageCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkImage *image)
{
    struct ws_device *device = ws_device_of(handle);
    VkImageCreateInfo changed;
    const VkImageCreateInfo *used = with_usage(device, info, &changed);
    VkResult result = device->next.CreateImage(handle, used, allocator, image);
    if (result == VK_SUCCESS)
        follow(device, *image, info);
    if (result == VK_SUCCESS && captures(device) &&
        ((used->usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0 || used != info))
        ws_image_add(device, *image, used, info->usage);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice handle, VkImage image,
                                                const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    if (captures(device))
        ws_image_forget(device, image);
    ws_resource_remove(device, WS_RESOURCE_IMAGE, WS_HANDLE(image));
    device->next.DestroyImage(handle, image, allocator);
}

/* What is said of the create-info must hold for the image that is made of it. */
static VKAPI_ATTR void VKAPI_CALL get_memory_requirements(VkDevice handle,
                                                          const VkDeviceImageMemoryRequirements *info,
                                                          VkMemoryRequirements2 *requirements)
{
    struct ws_device *device = ws_device_of(handle);
    VkImageCreateInfo changed;
    VkDeviceImageMemoryRequirements used = *info;
    used.pCreateInfo = with_usage(device, info->pCreateInfo, &changed);
    device->next.GetDeviceImageMemoryRequirements(handle, &used, requirements);
}

static uint32_t at_level(uint32_t size, uint32_t level)
{
    const uint32_t shrunk = level < 32 ? size >> level : 0;
    return shrunk > 0 ? shrunk : 1;
}

static void describe_view(struct ws_image_view *view, const struct image *image,
                          const VkImageViewCreateInfo *info)
{
    const VkImageSubresourceRange *range = &info->subresourceRange;
    *view = (struct ws_image_view){
        .image = info->image,
        .format = info->format,
        .width = at_level(image->extent.width, range->baseMipLevel),
        .height = at_level(image->extent.height, range->baseMipLevel),
        .level = range->baseMipLevel,
        .layer = range->baseArrayLayer,
        .reason = image->reason,
    };
    const struct ws_image_format *of_image = ws_image_format_find(image->format);
    const struct ws_image_format *of_view = ws_image_format_find(info->format);
    if (view->reason != NULL)
        return;
    if (of_image == NULL || of_view == NULL || of_image->size != of_view->size)
        view->reason = "the image has a format that is not known, or is compressed";
    else if (info->viewType != VK_IMAGE_VIEW_TYPE_2D || range->aspectMask != VK_IMAGE_ASPECT_COLOR_BIT)
        view->reason = "the view is not two-dimensional";
}

static bool find_image(struct ws_device *device, VkImage handle, struct image *copy)
{
    ws_lock(&device->image_lock);
    const struct image *image = ws_objects_find(device, WS_OBJECT_IMAGE, WS_HANDLE(handle));
    if (image != NULL)
        *copy = *image;
    ws_unlock(&device->image_lock);
    return image != NULL;
}

/* Whether VkImageViewUsageCreateInfo is known: it came with Vulkan 1.1. */
static bool has_view_usage(const struct ws_device *device)
{
    return device->instance->api_version >= VK_API_VERSION_1_1 &&
           device->properties.core.apiVersion >= VK_API_VERSION_1_1;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_view(VkDevice handle, const VkImageViewCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkImageView *made)
{
    struct ws_device *device = ws_device_of(handle);
    struct image image;
    const bool known = captures(device) && find_image(device, info->image, &image);
    const VkImageViewUsageCreateInfo usage = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
        .pNext = info->pNext,
        .usage = known ? image.asked : 0,
    };
    VkImageViewCreateInfo used = *info;
    if (usage.usage != 0 && has_view_usage(device) &&
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO) == NULL)
        used.pNext = &usage;
    const VkResult result = device->next.CreateImageView(handle, &used, allocator, made);
    struct ws_image_view *view = result == VK_SUCCESS && known ? calloc(1, sizeof(*view)) : NULL;
    if (view != NULL)
        describe_view(view, &image, info);
    if (result == VK_SUCCESS && captures(device))
        replace(device, WS_OBJECT_IMAGE_VIEW, WS_HANDLE(*made), view);
    const struct ws_resource about = {
        .kind = WS_RESOURCE_IMAGE_VIEW,
        .within = ws_resource_find(device, WS_RESOURCE_IMAGE, WS_HANDLE(info->image)),
        .memory_type = WS_NONE,
        .format = info->format,
        .extent = {[WS_VIEW_LEVEL] = info->subresourceRange.baseMipLevel,
                   [WS_VIEW_LAYER] = info->subresourceRange.baseArrayLayer,
                   [WS_VIEW_ASPECTS] = info->subresourceRange.aspectMask},
    };
    if (result == VK_SUCCESS)
        ws_resource_add(device, WS_HANDLE(*made), &about);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_view(VkDevice handle, VkImageView view,
                                               const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    if (captures(device))
        replace(device, WS_OBJECT_IMAGE_VIEW, WS_HANDLE(view), NULL);
    ws_resource_remove(device, WS_RESOURCE_IMAGE_VIEW, WS_HANDLE(view));
    device->next.DestroyImageView(handle, view, allocator);
}

bool ws_image_view_find(struct ws_device *device, VkImageView handle, struct ws_image_view *copy)
{
    ws_lock(&device->image_lock);
    const struct ws_image_view *view = ws_objects_find(device, WS_OBJECT_IMAGE_VIEW, WS_HANDLE(handle));
    if (view != NULL)
        *copy = *view;
    ws_unlock(&device->image_lock);
    return view != NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    (void)error;
    ws_lock_init(&device->image_lock);
    return true;
}

static void finish(struct ws_device *device)
{
    void *object;
    while ((object = ws_objects_remove_any(device, WS_OBJECT_IMAGE_VIEW)) != NULL)
        free(object);
    while ((object = ws_objects_remove_any(device, WS_OBJECT_IMAGE)) != NULL)
        free(object);
    pthread_mutex_destroy(&device->image_lock);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateImage, create_image),
    WS_HOOK(DestroyImage, destroy_image),
    WS_HOOK(GetDeviceImageMemoryRequirements, get_memory_requirements),
    WS_HOOK(CreateImageView, create_view),
    WS_HOOK(DestroyImageView, destroy_view),
    WS_HOOK_END,
};

const struct ws_interception ws_image_interception = {
    .hooks = hooks,
    .image = true,
    .bindings = true,
    .device_init = init,
    .device_finish = finish,
};
