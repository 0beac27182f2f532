/* vkCreateSampler and vkDestroySampler. */
#include "layer/resources/sampler.h"

#include <stdlib.h>

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"

static uint32_t filter_of(VkFilter filter)
{
    return filter == VK_FILTER_NEAREST  ? WS_FILTER_NEAREST
           : filter == VK_FILTER_LINEAR ? WS_FILTER_LINEAR
                                        : WS_FILTER_OTHER;
}

static struct ws_sampler_words describe(const VkSamplerCreateInfo *info)
{
    const struct ws_sampler sampler = {
        .magnified = filter_of(info->magFilter),
        .minified = filter_of(info->minFilter),
        .mixes_levels = info->mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR,
        .address = {info->addressModeU & 15, info->addressModeV & 15, info->addressModeW & 15},
        .is_anisotropic = info->anisotropyEnable != VK_FALSE && info->maxAnisotropy > 1,
        .is_unnormalized = info->unnormalizedCoordinates != VK_FALSE,
        .has_seams = (info->flags & VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT) != 0,
        .is_converted = ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO) != NULL,
        .bias = info->mipLodBias,
        .least_level = info->minLod,
        .most_level = info->maxLod,
    };
    return ws_sampler_pack(&sampler);
}

/* Without memory the sampler is not known. */
static VKAPI_ATTR VkResult VKAPI_CALL create_sampler(VkDevice handle, const VkSamplerCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkSampler *sampler)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateSampler(handle, info, allocator, sampler);
    if (result != VK_SUCCESS)
        return result;
    struct ws_sampler_words *words = malloc(sizeof(*words));
    free(ws_objects_remove(device, WS_OBJECT_SAMPLER, WS_HANDLE(*sampler)));
    if (words == NULL)
        return result;
    *words = describe(info);
    if (!ws_objects_add(device, WS_OBJECT_SAMPLER, WS_HANDLE(*sampler), words))
        free(words);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_sampler(VkDevice handle, VkSampler sampler,
                                                  const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    free(ws_objects_remove(device, WS_OBJECT_SAMPLER, WS_HANDLE(sampler)));
    device->next.DestroySampler(handle, sampler, allocator);
}

struct ws_sampler_words ws_sampler_find(struct ws_device *device, VkSampler sampler)
{
    struct ws_sampler_words words = {0};
    if (sampler != VK_NULL_HANDLE)
        ws_objects_copy(device, WS_OBJECT_SAMPLER, WS_HANDLE(sampler), &words, sizeof(words));
    return words;
}

static void finish(struct ws_device *device)
{
    void *object;
    while ((object = ws_objects_remove_any(device, WS_OBJECT_SAMPLER)) != NULL)
        free(object);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateSampler, create_sampler),
    WS_HOOK(DestroySampler, destroy_sampler),
    WS_HOOK_END,
};

const struct ws_interception ws_sampler_interception = {
    .hooks = hooks,
    .bindings = true,
    .device_finish = finish,
};
