/* The application's images and image views, where images are captured (setting `image`): as far as a copy of their
 * texels needs to know them.
 *
 * An image that shaders may store to gets VK_IMAGE_USAGE_TRANSFER_SRC_BIT when it is created, where the device can make
 * it so; else it cannot be copied, and says why. Nothing else about it changes. */
#ifndef WS_LAYER_IMAGE_IMAGE_H
#define WS_LAYER_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;

/* One level and layer of an image, as a view shows it. */
struct ws_image_view {
    VkImage image;
    VkFormat format; /* of the view */
    uint32_t width;  /* texels */
    uint32_t height;
    uint32_t level;
    uint32_t layer;
    const char *reason; /* why it cannot be copied, static; NULL = it can */
};

/* Returns the view; NULL where it is not known. It stays as long as the application may use the handle. */
const struct ws_image_view *ws_image_view_find(struct ws_device *device, VkImageView handle);

#endif
