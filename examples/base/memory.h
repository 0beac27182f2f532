/* Buffers and images, each with memory of its own, and the way from pixels on the device to a PNG file. */
#ifndef WS_EXAMPLES_BASE_MEMORY_H
#define WS_EXAMPLES_BASE_MEMORY_H

#include "examples/base/gpu.h"

/* A buffer in memory that the host sees, mapped for as long as it lives and coherent. */
struct ws_gpu_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size;
    VkDeviceAddress address; /* 0 unless made with VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT */
    void *data;
};

/* Makes a buffer of `size` bytes (at least 1): a copy of `data`, or zeroes where `data` is NULL. */
bool ws_gpu_buffer_init(struct ws_gpu *gpu, struct ws_gpu_buffer *buffer, VkBufferUsageFlags usage,
                        const void *data, VkDeviceSize size, struct ws_error *error);
void ws_gpu_buffer_finish(struct ws_gpu *gpu, struct ws_gpu_buffer *buffer);

/* A two-dimensional image with one level and layer, in device memory, and a view of all of it. */
struct ws_gpu_image {
    VkImage image;
    VkImageView view;
    VkDeviceMemory memory;
    VkFormat format;
    VkImageAspectFlags aspect;
    uint32_t width;
    uint32_t height;
};

bool ws_gpu_image_init(struct ws_gpu *gpu, struct ws_gpu_image *image, VkFormat format,
                       VkImageUsageFlags usage, uint32_t width, uint32_t height, struct ws_error *error);
void ws_gpu_image_finish(struct ws_gpu *gpu, struct ws_gpu_image *image);

/* Records the change of an image's layout, with a full barrier. */
void ws_gpu_image_layout(VkCommandBuffer commands, const struct ws_gpu_image *image, VkImageLayout from,
                         VkImageLayout to);

/* Records the copy of a colour image of 4 bytes a pixel, in `layout` (which it has again afterwards; it
 * needs VK_IMAGE_USAGE_TRANSFER_SRC_BIT), to a buffer of at least 4 * width * height bytes. */
void ws_gpu_image_copy(VkCommandBuffer commands, const struct ws_gpu_image *image, VkImageLayout layout,
                       const struct ws_gpu_buffer *buffer);

/* Writes `pixels` (RGBA, 4 * width * height bytes, rows from the top, without padding) to a PNG file that
 * depends on nothing else. */
bool ws_png_write(const char *path, const void *pixels, uint32_t width, uint32_t height,
                  struct ws_error *error);

#endif
