#include "examples/base/memory.h"

#include <errno.h>
#include <string.h>

#include <png.h>

static bool find_memory_type(const struct ws_gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags flags,
                             uint32_t *type)
{
    for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++) {
        if ((allowed >> i & 1) && (gpu->memory.memoryTypes[i].propertyFlags & flags) == flags) {
            *type = i;
            return true;
        }
    }
    return false;
}

static bool allocate(struct ws_gpu *gpu, const VkMemoryRequirements *requirements,
                     VkMemoryPropertyFlags flags, bool address, VkDeviceMemory *memory,
                     struct ws_error *error)
{
    const VkMemoryAllocateFlagsInfo address_info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = address ? &address_info : NULL,
        .allocationSize = requirements->size,
    };

    if (!find_memory_type(gpu, requirements->memoryTypeBits, flags, &info.memoryTypeIndex)) {
        return ws_error_set(error, "the device \"%s\" has no memory of the kind needed",
                            gpu->properties.deviceName);
    }
    return ws_gpu_check(vkAllocateMemory(gpu->device, &info, NULL, memory), "vkAllocateMemory", error);
}

bool ws_gpu_buffer_init(struct ws_gpu *gpu, struct ws_gpu_buffer *buffer, VkBufferUsageFlags usage,
                        const void *data, VkDeviceSize size, struct ws_error *error)
{
    const VkMemoryPropertyFlags flags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const bool address = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
    VkMemoryRequirements requirements;

    memset(buffer, 0, sizeof(*buffer));
    buffer->size = size;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = usage,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    if (!ws_gpu_check(vkCreateBuffer(gpu->device, &info, NULL, &buffer->buffer), "vkCreateBuffer", error))
        goto error;
    vkGetBufferMemoryRequirements(gpu->device, buffer->buffer, &requirements);
    if (!allocate(gpu, &requirements, flags, address, &buffer->memory, error) ||
        !ws_gpu_check(vkBindBufferMemory(gpu->device, buffer->buffer, buffer->memory, 0),
                      "vkBindBufferMemory", error) ||
        !ws_gpu_check(vkMapMemory(gpu->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->data),
                      "vkMapMemory", error))
        goto error;
    if (data != NULL)
        memcpy(buffer->data, data, size);
    else
        memset(buffer->data, 0, size);
    if (address) {
        const VkBufferDeviceAddressInfo address_info = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
            .buffer = buffer->buffer,
        };
        buffer->address = vkGetBufferDeviceAddress(gpu->device, &address_info);
    }
    return true;
error:
    ws_gpu_buffer_finish(gpu, buffer);
    return false;
}

void ws_gpu_buffer_finish(struct ws_gpu *gpu, struct ws_gpu_buffer *buffer)
{
    if (gpu->device != VK_NULL_HANDLE) {
        vkDestroyBuffer(gpu->device, buffer->buffer, NULL);
        vkFreeMemory(gpu->device, buffer->memory, NULL); /* unmaps it too */
    }
    memset(buffer, 0, sizeof(*buffer));
}

static VkImageAspectFlags aspect_of(VkFormat format)
{
    return format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D16_UNORM ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                           : VK_IMAGE_ASPECT_COLOR_BIT;
}

bool ws_gpu_image_init(struct ws_gpu *gpu, struct ws_gpu_image *image, VkFormat format,
                       VkImageUsageFlags usage, uint32_t width, uint32_t height, struct ws_error *error)
{
    VkMemoryRequirements requirements;

    *image = (struct ws_gpu_image){
        .format = format, .aspect = aspect_of(format), .width = width, .height = height};
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {width, height, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usage,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    if (!ws_gpu_check(vkCreateImage(gpu->device, &info, NULL, &image->image), "vkCreateImage", error))
        goto error;
    vkGetImageMemoryRequirements(gpu->device, image->image, &requirements);
    if (!allocate(gpu, &requirements, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, false, &image->memory, error) ||
        !ws_gpu_check(vkBindImageMemory(gpu->device, image->image, image->memory, 0), "vkBindImageMemory",
                      error))
        goto error;
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {image->aspect, 0, 1, 0, 1},
    };
    if (!ws_gpu_check(vkCreateImageView(gpu->device, &view, NULL, &image->view), "vkCreateImageView", error))
        goto error;
    return true;
error:
    ws_gpu_image_finish(gpu, image);
    return false;
}

void ws_gpu_image_finish(struct ws_gpu *gpu, struct ws_gpu_image *image)
{
    if (gpu->device != VK_NULL_HANDLE) {
        vkDestroyImageView(gpu->device, image->view, NULL);
        vkDestroyImage(gpu->device, image->image, NULL);
        vkFreeMemory(gpu->device, image->memory, NULL);
    }
    memset(image, 0, sizeof(*image));
}

void ws_gpu_image_layout(VkCommandBuffer commands, const struct ws_gpu_image *image, VkImageLayout from,
                         VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = {image->aspect, 0, 1, 0, 1},
    };

    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         0, NULL, 0, NULL, 1, &barrier);
}

void ws_gpu_image_copy(VkCommandBuffer commands, const struct ws_gpu_image *image, VkImageLayout layout,
                       const struct ws_gpu_buffer *buffer)
{
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {image->width, image->height, 1},
    };

    ws_gpu_image_layout(commands, image, layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(commands, image->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer->buffer, 1,
                           &region);
    ws_gpu_image_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, layout);
    ws_gpu_barrier(commands);
}

bool ws_png_write(const char *path, const void *pixels, uint32_t width, uint32_t height,
                  struct ws_error *error)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGBA};

    errno = 0;
    /* Not png_image_write_to_file, which removes the file when it fails: also a device, or a link. */
    FILE *file = fopen(path, "wb");
    bool written =
        file != NULL && png_image_write_to_stdio(&image, file, 0, pixels, (png_int_32)(4 * width), NULL) != 0;
    if (file != NULL && fclose(file) != 0)
        written = false;
    if (!written)
        ws_error_set(error, "cannot write \"%s\": %s", path, errno ? strerror(errno) : image.message);
    return written;
}
