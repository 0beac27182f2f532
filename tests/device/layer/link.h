/* How layers of the tests come by what is below them. */
#ifndef WS_TESTS_DEVICE_LAYER_LINK_H
#define WS_TESTS_DEVICE_LAYER_LINK_H

#include <stddef.h>

#include <vulkan/vk_layer.h>

/* The next layer's or the driver's functions, by what the loader puts into the chain of a VkInstanceCreateInfo. The loader owns
 * its link and wants it advanced. NULL where there is none. */
static inline PFN_vkGetInstanceProcAddr take_instance_link(const VkInstanceCreateInfo *info)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link != NULL && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
                            link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    if (link == NULL)
        return NULL;
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return next;
}

/* The same of a VkDeviceCreateInfo. */
static inline PFN_vkGetDeviceProcAddr take_device_link(const VkDeviceCreateInfo *info)
{
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link != NULL && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
                            link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    if (link == NULL)
        return NULL;
    PFN_vkGetDeviceProcAddr next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return next;
}

#endif
