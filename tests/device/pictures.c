/* Pictures: what is presented is in the capture, texel by texel. Each frame copies a picture made by hand into the image of
 * a swapchain without a window, which does not ask for the usage TRANSFER_SRC. */
#include "tests/device/rig.h"

#include <signal.h>
#include <string.h>

#include "warpscope/image_format.h"

#define FRAMES  4
#define IMAGES  8
#define FORMATS 64
#define WIDTH   37
#define HEIGHT  21
#define LIMIT   "7000" /* room for two of WIDTH * HEIGHT * 4 bytes, not for three */

static const char *const instance_extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME,
                                                  VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME, NULL};
static const char *const extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, NULL};
static const struct rig_request request = {.instance_extensions = instance_extensions,
                                           .extensions = extensions};

struct window {
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    VkSurfaceFormatKHR formats[FORMATS];
    uint32_t format_count;
    uint32_t width, height;
    VkImage images[IMAGES];
    uint32_t image_count;
    VkSemaphore acquired[FRAMES], shown[FRAMES];
    struct ws_gpu_buffer buffers[FRAMES]; /* the frames' pictures */
};

/* Byte `index` of the picture of a frame. */
static uint8_t made(uint64_t frame, uint64_t index)
{
    return (uint8_t)(index * 7 + index / 251 + frame * 31);
}

static VkSemaphore semaphore(struct rig *rig)
{
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore made_now;
    CHECK(vkCreateSemaphore(rig->gpu.device, &info, NULL, &made_now) == VK_SUCCESS);
    return made_now;
}

/* Makes the swapchain of a format in place of the one before, which is destroyed. */
static void remake(struct rig *rig, struct window *window, const VkSurfaceFormatKHR *format)
{
    const VkSwapchainKHR before = window->swapchain;
    VkSurfaceCapabilitiesKHR able;
    CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(rig->gpu.physical, window->surface, &able) == VK_SUCCESS);
    const VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = window->surface,
        .minImageCount = able.minImageCount,
        .imageFormat = format->format,
        .imageColorSpace = format->colorSpace,
        .imageExtent = {window->width, window->height},
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .preTransform = able.currentTransform,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
        .clipped = VK_TRUE,
        .oldSwapchain = before,
    };
    CHECK(vkCreateSwapchainKHR(rig->gpu.device, &info, NULL, &window->swapchain) == VK_SUCCESS);
    vkDestroySwapchainKHR(rig->gpu.device, before, NULL);
    window->image_count = IMAGES;
    CHECK(vkGetSwapchainImagesKHR(rig->gpu.device, window->swapchain, &window->image_count, window->images) ==
          VK_SUCCESS);
}

static void window_init(struct rig *rig, struct window *window, uint32_t width, uint32_t height)
{
    const VkHeadlessSurfaceCreateInfoEXT surface = {.sType =
                                                        VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    VkBool32 supported = VK_FALSE;
    CHECK(vkCreateHeadlessSurfaceEXT(rig->gpu.instance, &surface, NULL, &window->surface) == VK_SUCCESS);
    CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(rig->gpu.physical, rig->gpu.queue_family, window->surface,
                                               &supported) == VK_SUCCESS);
    CHECK(supported == VK_TRUE);
    window->format_count = FORMATS;
    CHECK(vkGetPhysicalDeviceSurfaceFormatsKHR(rig->gpu.physical, window->surface, &window->format_count,
                                               window->formats) >= 0);
    window->width = width;
    window->height = height;
    remake(rig, window, &window->formats[0]);
    for (uint32_t i = 0; i < FRAMES; i++) {
        window->acquired[i] = semaphore(rig);
        window->shown[i] = semaphore(rig);
    }
}

static void window_finish(struct rig *rig, struct window *window)
{
    CHECK(vkDeviceWaitIdle(rig->gpu.device) == VK_SUCCESS);
    vkDestroySwapchainKHR(rig->gpu.device, window->swapchain, NULL);
    vkDestroySurfaceKHR(rig->gpu.instance, window->surface, NULL);
    for (uint32_t i = 0; i < FRAMES; i++) {
        vkDestroySemaphore(rig->gpu.device, window->acquired[i], NULL);
        vkDestroySemaphore(rig->gpu.device, window->shown[i], NULL);
        ws_gpu_buffer_finish(&rig->gpu, &window->buffers[i]);
    }
}

static void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL,
                         0, NULL, 1, &barrier);
}

/* Records the copy of the frame's picture. */
static void paint(struct rig *rig, VkCommandBuffer commands, struct window *window, VkImage image,
                  VkFormat format, uint32_t frame, uint32_t number)
{
    const VkDeviceSize size =
        (VkDeviceSize)window->width * window->height * ws_image_format_find(format)->size;
    struct ws_gpu_buffer *buffer = &window->buffers[frame];
    CHECK(ws_gpu_buffer_init(&rig->gpu, buffer, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL, size, NULL));
    for (VkDeviceSize i = 0; i < size; i++)
        ((uint8_t *)buffer->data)[i] = made(frame + 100 * number, i);
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {window->width, window->height, 1},
    };
    change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, buffer->buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    change_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

/* Submits a dispatch and the pictures of all windows, which have the format `format`, and presents them by one call; each
 * waits for its semaphore, or with `idle` the host waits before. `fence` may be VK_NULL_HANDLE. */
static void show(struct rig *rig, struct window *windows, uint32_t count, VkFormat format, uint32_t frame,
                 bool idle, VkFence fence)
{
    static VkPipeline pipeline; /* of the one device of this process */
    const VkPipelineStageFlags stages[2] = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT};
    VkSwapchainKHR swapchains[2];
    VkSemaphore acquired[2], shown[2];
    uint32_t indices[2];
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    if (pipeline == VK_NULL_HANDLE)
        pipeline = rig_count_pipeline(rig, 64);
    rig_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    rig_dispatch(commands, pipeline, 1);
    for (uint32_t i = 0; i < count; i++) {
        swapchains[i] = windows[i].swapchain;
        acquired[i] = windows[i].acquired[frame];
        shown[i] = windows[i].shown[frame];
        CHECK(vkAcquireNextImageKHR(rig->gpu.device, swapchains[i], UINT64_MAX, acquired[i], VK_NULL_HANDLE,
                                    &indices[i]) == VK_SUCCESS);
        paint(rig, commands, &windows[i], windows[i].images[indices[i]], format, frame, i);
    }
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = count,
        .pWaitSemaphores = acquired,
        .pWaitDstStageMask = stages,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
        .signalSemaphoreCount = idle ? 0 : count,
        .pSignalSemaphores = shown,
    };
    CHECK(vkQueueSubmit(rig->gpu.queue, 1, &submit, fence) == VK_SUCCESS);
    if (idle)
        CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
    const VkPresentInfoKHR present = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
        .waitSemaphoreCount = idle ? 0 : count,
        .pWaitSemaphores = shown,
        .swapchainCount = count,
        .pSwapchains = swapchains,
        .pImageIndices = indices,
    };
    CHECK(vkQueuePresentKHR(rig->gpu.queue, &present) == VK_SUCCESS);
    if (frame == FRAMES - 1) {
        CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
        vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
        pipeline = VK_NULL_HANDLE;
    }
}

static void show_all(struct rig *rig, struct window *window, bool idle)
{
    for (uint32_t frame = 0; frame < FRAMES; frame++)
        show(rig, window, 1, window->formats[0].format, frame, idle, VK_NULL_HANDLE);
}

static void run_shown(struct rig *rig)
{
    struct window window = {0};
    window_init(rig, &window, WIDTH, HEIGHT);
    show_all(rig, &window, false);
    window_finish(rig, &window);
}

static void run_unwaited(struct rig *rig)
{
    struct window window = {0};
    window_init(rig, &window, WIDTH, HEIGHT);
    show_all(rig, &window, true);
    window_finish(rig, &window);
}

/* All that is behind the chosen frame is behind the capture's end. */
static void run_killed(struct rig *rig)
{
    struct window window = {0};
    window_init(rig, &window, WIDTH, HEIGHT);
    show_all(rig, &window, false);
    raise(SIGKILL);
}

static void run_two(struct rig *rig)
{
    struct window windows[2] = {0};
    window_init(rig, &windows[0], WIDTH, HEIGHT - 1);
    window_init(rig, &windows[1], WIDTH, HEIGHT);
    for (uint32_t frame = 0; frame < FRAMES; frame++)
        show(rig, windows, 2, windows[0].formats[0].format, frame, false, VK_NULL_HANDLE);
    window_finish(rig, &windows[0]);
    window_finish(rig, &windows[1]);
}

/* Each frame has a new swapchain, of another format where the surface has several. The one before is destroyed as soon as
 * the program's own use of it has ended. */
static void run_remade(struct rig *rig)
{
    struct window window = {0};
    window_init(rig, &window, WIDTH, HEIGHT);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        const VkSurfaceFormatKHR *format = &window.formats[frame % window.format_count];
        VkFence fence = rig_fence(rig);
        remake(rig, &window, format);
        show(rig, &window, 1, format->format, frame, false, fence);
        CHECK(vkWaitForFences(rig->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
        vkDestroyFence(rig->gpu.device, fence, NULL);
    }
    window_finish(rig, &window);
}

/* The picture of each frame from `first` to `last`, which is number `window` of those that were presented. */
static void check_range(const struct recorded *recorded, uint32_t first, uint32_t last, uint32_t window)
{
    CHECK(recorded->image_count == last - first + 1);
    for (uint32_t i = 0; i < recorded->image_count; i++) {
        const struct recorded_image *image = &recorded->images[i];
        const struct ws_chunk_image *chunk = &image->chunk;
        const struct ws_image_format *format = ws_image_format_find(chunk->format);
        CHECK(chunk->source == WS_IMAGE_PRESENTED && chunk->frame == first + i && chunk->others == window);
        CHECK(chunk->width == WIDTH && chunk->height == HEIGHT && format != NULL);
        CHECK(chunk->pitch == (uint64_t)WIDTH * format->size);
        for (uint64_t j = 0; j < chunk->pitch * HEIGHT; j++)
            CHECK(image->bytes[j] == made(first + i + 100 * window, j));
    }
}

static void check_all(const struct recorded *recorded)
{
    CHECK(recorded->images_skipped == 0);
    check_range(recorded, 0, FRAMES - 1, 0);
}

static void check_two(const struct recorded *recorded)
{
    CHECK(recorded->images_skipped == 0);
    check_range(recorded, 0, FRAMES - 1, 1);
}

static void check_middle(const struct recorded *recorded)
{
    CHECK(recorded->images_skipped == 0 && recorded->count == 2);
    check_range(recorded, 1, 2, 0);
}

static void check_one(const struct recorded *recorded)
{
    CHECK(recorded->images_skipped == 0 && recorded->count == 1 && recorded->launches[0].index == 1);
    check_range(recorded, 1, 1, 0);
}

static void check_limit(const struct recorded *recorded)
{
    CHECK(recorded->images_skipped == FRAMES - 2 && recorded->count == FRAMES);
    check_range(recorded, 0, 1, 0);
}

static void check_none(const struct recorded *recorded)
{
    CHECK(recorded->image_count == 0 && recorded->images_skipped == 0 && recorded->count == FRAMES);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "shown", .run = run_shown, .check = check_all, .request = &request},
        {.name = "unwaited", .run = run_unwaited, .check = check_all, .request = &request},
        {.name = "two", .run = run_two, .check = check_two, .request = &request},
        {.name = "remade", .run = run_remade, .check = check_all, .request = &request},
        {.name = "frames",
         .run = run_shown,
         .check = check_middle,
         .setting = "WARPSCOPE_FRAMES",
         .value = "1-2",
         .request = &request},
        /* The capture waits for the present of the frame that has the last chosen launch. */
        {.name = "launches",
         .run = run_killed,
         .check = check_one,
         .setting = "WARPSCOPE_LAUNCHES",
         .value = "1",
         .request = &request,
         .end = RIG_KILLED_WHOLE},
        {.name = "limit",
         .run = run_shown,
         .check = check_limit,
         .setting = "WARPSCOPE_IMAGE_LIMIT",
         .value = LIMIT,
         .request = &request},
        {.name = "off",
         .run = run_shown,
         .check = check_none,
         .setting = "WARPSCOPE_IMAGE",
         .value = "off",
         .request = &request},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
