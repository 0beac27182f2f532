/* The application's images and image views, where images are captured (setting `image`): as far as a copy of their
 * texels needs to know them.
 *
 * An image that shaders may store to gets VK_IMAGE_USAGE_TRANSFER_SRC_BIT when it is created, where the device can make
 * it so; else it cannot be copied, and says why. Nothing else about it changes: its views keep the usage that the application
 * asked for, by which imageless framebuffers are held to them.
 *
 * device->image_lock guards all that is kept here: the application may destroy a view in one thread while another records
 * a launch whose descriptor set has it. That makes the command buffer invalid, and is no error as long as nobody submits
 * it. */
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

/* Copies what is known of the view; false where that is nothing. */
bool ws_image_view_find(struct ws_device *device, VkImageView handle, struct ws_image_view *view);

/* Adds an image that no vkCreateImage made, as it is, with the usage that the application asked for; and forgets it. */
void ws_image_add(struct ws_device *device, VkImage handle, const VkImageCreateInfo *info,
                  VkImageUsageFlags asked);
void ws_image_forget(struct ws_device *device, VkImage handle);

#endif
