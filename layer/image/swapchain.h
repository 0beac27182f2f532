/* The application's swapchains, where images are captured (setting `image`): as far as a copy of what is presented needs to
 * know them.
 *
 * A swapchain's images get VK_IMAGE_USAGE_TRANSFER_SRC_BIT when it is created, where surface and device can do that; else
 * they cannot be copied, and the swapchain says why. Nothing else about it changes. */
#ifndef WS_LAYER_IMAGE_SWAPCHAIN_H
#define WS_LAYER_IMAGE_SWAPCHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;

struct ws_swapchain {
    VkFormat format;
    uint32_t width; /* texels */
    uint32_t height;
    bool changed;       /* its images have a usage more than the application asked for */
    const char *reason; /* why they cannot be copied, static; NULL = they can */
    uint32_t image_count;
    VkImage images[];
};

/* Returns the swapchain; NULL where it is not known, as for want of memory. The device owns it. It stays as long as the
 * application may use the handle. Thread-safe. */
const struct ws_swapchain *ws_swapchain_find(struct ws_device *device, VkSwapchainKHR handle);

/* Forgets the swapchain and its images: it is about to be destroyed. A handle that is not known is accepted. The application
 * synchronizes the swapchain, as for vkDestroySwapchainKHR. */
void ws_swapchain_forget(struct ws_device *device, VkSwapchainKHR handle);

#endif
