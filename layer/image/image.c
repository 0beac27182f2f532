/* vkCreateImage and vkCreateImageView. */
#include "layer/image/image.h"

#include <stdlib.h>

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "warpscope/image_format.h"

/* Usages of Vulkan 1.0. With others (video, shading rate, host copies) an image is not changed. */
#define USAGES_KNOWN 0xffu

struct image {
    VkFormat format;
    VkExtent3D extent;
    const char *reason; /* as in struct ws_image_view */
};

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
    return NULL;
}

/* Whether a copy of the texels must not be asked for, since others than this device decide what the image may be. */
static bool is_foreign(const VkImageCreateInfo *info)
{
    return ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO) != NULL ||
           ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO_NV) != NULL ||
           ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR) != NULL;
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
static const VkImageCreateInfo *with_usage(const struct ws_device *device, const VkImageCreateInfo *info,
                                           VkImageCreateInfo *changed)
{
    *changed = *info;
    changed->usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const bool wanted = (info->usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0 &&
                        (info->usage & (VK_IMAGE_USAGE_TRANSFER_SRC_BIT | ~USAGES_KNOWN)) == 0 &&
                        info->tiling == VK_IMAGE_TILING_OPTIMAL && find_hindrance(info) == NULL &&
                        !is_foreign(info) && ws_image_format_find(info->format) != NULL &&
                        is_supported(device, changed);
    return wanted ? changed : info;
}

static void remember(struct ws_device *device, VkImage handle, const VkImageCreateInfo *info)
{
    struct image *image = calloc(1, sizeof(*image));
    if (image == NULL)
        return;
    image->format = info->format;
    image->extent = info->extent;
    image->reason = find_hindrance(info);
    if (image->reason == NULL && (info->usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0)
        image->reason =
            "the device cannot make such an image with the usage TRANSFER_SRC, or others share its memory";
    free(ws_objects_remove(device, WS_OBJECT_IMAGE, WS_HANDLE(handle)));
    if (!ws_objects_add(device, WS_OBJECT_IMAGE, WS_HANDLE(handle), image))
        free(image);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice handle, const VkImageCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkImage *image)
{
    struct ws_device *device = ws_device_of(handle);
    VkImageCreateInfo changed;
    const VkImageCreateInfo *used = with_usage(device, info, &changed);
    VkResult result = device->next.CreateImage(handle, used, allocator, image);
    if (result == VK_SUCCESS && (used->usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0)
        remember(device, *image, used);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice handle, VkImage image,
                                                const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    free(ws_objects_remove(device, WS_OBJECT_IMAGE, WS_HANDLE(image)));
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

static VKAPI_ATTR VkResult VKAPI_CALL create_view(VkDevice handle, const VkImageViewCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkImageView *made)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateImageView(handle, info, allocator, made);
    const struct image *image = ws_objects_find(device, WS_OBJECT_IMAGE, WS_HANDLE(info->image));
    if (result != VK_SUCCESS || image == NULL)
        return result;
    struct ws_image_view *view = calloc(1, sizeof(*view));
    if (view == NULL)
        return result;
    describe_view(view, image, info);
    free(ws_objects_remove(device, WS_OBJECT_IMAGE_VIEW, WS_HANDLE(*made)));
    if (!ws_objects_add(device, WS_OBJECT_IMAGE_VIEW, WS_HANDLE(*made), view))
        free(view);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_view(VkDevice handle, VkImageView view,
                                               const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    free(ws_objects_remove(device, WS_OBJECT_IMAGE_VIEW, WS_HANDLE(view)));
    device->next.DestroyImageView(handle, view, allocator);
}

const struct ws_image_view *ws_image_view_find(struct ws_device *device, VkImageView handle)
{
    return ws_objects_find(device, WS_OBJECT_IMAGE_VIEW, WS_HANDLE(handle));
}

static void finish(struct ws_device *device)
{
    void *object;
    while ((object = ws_objects_remove_any(device, WS_OBJECT_IMAGE_VIEW)) != NULL)
        free(object);
    while ((object = ws_objects_remove_any(device, WS_OBJECT_IMAGE)) != NULL)
        free(object);
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
    .device_finish = finish,
};
