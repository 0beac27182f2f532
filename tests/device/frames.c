/* Frames: a swapchain on a surface without a window. Each frame dispatches and draws into its image. */
#include "tests/device/drawing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "warpscope/stage.h"

#define FRAMES 4
#define IMAGES 8

static const char *const instance_extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME,
                                                  VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME, NULL};
static const char *const extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, NULL};
static const struct rig_request request = {.instance_extensions = instance_extensions,
                                           .extensions = extensions};

struct window {
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    VkFormat format;
    VkImage images[IMAGES];
    VkImageView views[IMAGES];
    uint32_t image_count;
    VkPipeline count, cover;
};

static void create_swapchain(struct rig *rig, struct window *window)
{
    const VkHeadlessSurfaceCreateInfoEXT surface = {.sType =
                                                        VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    CHECK(vkCreateHeadlessSurfaceEXT(rig->gpu.instance, &surface, NULL, &window->surface) == VK_SUCCESS);
    VkBool32 supported = VK_FALSE;
    CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(rig->gpu.physical, rig->gpu.queue_family, window->surface,
                                               &supported) == VK_SUCCESS);
    CHECK(supported == VK_TRUE);
    VkSurfaceFormatKHR format;
    uint32_t count = 1;
    CHECK(vkGetPhysicalDeviceSurfaceFormatsKHR(rig->gpu.physical, window->surface, &count, &format) >= 0);
    VkSurfaceCapabilitiesKHR capabilities;
    CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(rig->gpu.physical, window->surface, &capabilities) ==
          VK_SUCCESS);
    window->format = format.format;
    const VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = window->surface,
        .minImageCount = capabilities.minImageCount,
        .imageFormat = format.format,
        .imageColorSpace = format.colorSpace,
        .imageExtent = {DRAWING_WIDTH, DRAWING_HEIGHT},
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
        .preTransform = capabilities.currentTransform,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
        .clipped = VK_TRUE,
    };
    CHECK(vkCreateSwapchainKHR(rig->gpu.device, &info, NULL, &window->swapchain) == VK_SUCCESS);
}

static void window_init(struct rig *rig, struct window *window)
{
    create_swapchain(rig, window);
    window->image_count = IMAGES;
    CHECK(vkGetSwapchainImagesKHR(rig->gpu.device, window->swapchain, &window->image_count, window->images) ==
          VK_SUCCESS);
    for (uint32_t i = 0; i < window->image_count; i++) {
        const VkImageViewCreateInfo view = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
            .image = window->images[i],
            .viewType = VK_IMAGE_VIEW_TYPE_2D,
            .format = window->format,
            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
        };
        CHECK(vkCreateImageView(rig->gpu.device, &view, NULL, &window->views[i]) == VK_SUCCESS);
    }
    window->count = rig_count_pipeline(rig, 64);
    window->cover = drawing_pipeline(
        rig, &(struct drawing){.shaders = drawing_cover, .shader_count = 2, .format = window->format});
}

static void window_finish(struct rig *rig, struct window *window)
{
    CHECK(vkDeviceWaitIdle(rig->gpu.device) == VK_SUCCESS);
    vkDestroyPipeline(rig->gpu.device, window->count, NULL);
    vkDestroyPipeline(rig->gpu.device, window->cover, NULL);
    for (uint32_t i = 0; i < window->image_count; i++)
        vkDestroyImageView(rig->gpu.device, window->views[i], NULL);
    vkDestroySwapchainKHR(rig->gpu.device, window->swapchain, NULL);
    vkDestroySurfaceKHR(rig->gpu.instance, window->surface, NULL);
}

static void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                         VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* Dispatches frame + 1 groups and draws once, and presents that. */
static void show(struct rig *rig, const struct window *window, uint32_t frame)
{
    VkFence acquired = rig_fence(rig);
    uint32_t index = 0;
    CHECK(vkAcquireNextImageKHR(rig->gpu.device, window->swapchain, UINT64_MAX, VK_NULL_HANDLE, acquired,
                                &index) == VK_SUCCESS);
    CHECK(vkWaitForFences(rig->gpu.device, 1, &acquired, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
    vkDestroyFence(rig->gpu.device, acquired, NULL);
    VkCommandBuffer commands = drawing_record(rig);
    rig_dispatch(commands, window->count, frame + 1);
    change_layout(commands, window->images[index], VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    drawing_begin(commands, window->views[index]);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, window->cover);
    vkCmdDraw(commands, 3, 1, 0, 0);
    drawing_end(commands);
    change_layout(commands, window->images[index], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    drawing_run(rig, commands);
    const VkPresentInfoKHR present = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
        .swapchainCount = 1,
        .pSwapchains = &window->swapchain,
        .pImageIndices = &index,
    };
    CHECK(vkQueuePresentKHR(rig->gpu.queue, &present) == VK_SUCCESS);
}

static void run_frames(struct rig *rig)
{
    struct window window = {0};
    window_init(rig, &window);
    for (uint32_t frame = 0; frame < FRAMES; frame++)
        show(rig, &window, frame);
    window_finish(rig, &window);
}

/* The capture has exactly the frames from `first` to `last`, and their two launches each. It was closed when `frames`
 * frames were over. */
static void check_range(const struct recorded *recorded, uint32_t first, uint32_t last, uint32_t frames)
{
    const uint32_t wanted = 2 * (last - first + 1);
    CHECK(recorded->count == wanted && recorded->skipped == 0);
    CHECK(recorded->totals.frames == frames);
    CHECK(recorded->totals.outside == 2 * frames - wanted);
    for (uint32_t i = 0; i < wanted; i++) {
        const struct recorded_launch *launch = &recorded->launches[i];
        const uint32_t frame = first + i / 2;
        CHECK(launch->frame == frame);
        CHECK(launch->index == 2 * frame + i % 2);
        CHECK(launch->submission == frame);
        if (i % 2 == 0)
            CHECK(drawing_lanes(launch, WS_STAGE_COMPUTE) == 64 * (frame + 1));
        else
            CHECK(drawing_lanes(launch, WS_STAGE_FRAGMENT) == DRAWING_PIXELS);
    }
}

static void check_all(const struct recorded *recorded)
{
    check_range(recorded, 0, FRAMES - 1, FRAMES);
}

static void check_middle(const struct recorded *recorded)
{
    check_range(recorded, 1, 2, 3); /* with the last chosen one */
}

static void check_one(const struct recorded *recorded)
{
    check_range(recorded, 2, 2, FRAMES);
}

/* Behind the chosen frames nothing can harm the capture any more. */
static void run_killed(struct rig *rig)
{
    struct window window = {0};
    window_init(rig, &window);
    for (uint32_t frame = 0; frame < FRAMES; frame++)
        show(rig, &window, frame);
    raise(SIGKILL);
}

/* The file is there during frame 2 only. */
static void run_trigger(struct rig *unused)
{
    struct rig rig;
    struct window window = {0};
    char trigger[128];
    (void)unused;
    snprintf(trigger, sizeof(trigger), "%s.trigger", rig_capture());
    setenv("WARPSCOPE_TRIGGER", trigger, 1);
    rig_init(&rig, &request);
    window_init(&rig, &window);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (frame == 2)
            CHECK(close(open(trigger, O_CREAT | O_WRONLY, 0600)) == 0);
        show(&rig, &window, frame);
        if (frame == 2)
            CHECK(unlink(trigger) == 0);
    }
    window_finish(&rig, &window);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "frames", .run = run_frames, .check = check_all, .request = &request},
        {.name = "range",
         .run = run_frames,
         .check = check_middle,
         .setting = "WARPSCOPE_FRAMES",
         .value = "1-2",
         .request = &request},
        {.name = "killed",
         .run = run_killed,
         .check = check_middle,
         .setting = "WARPSCOPE_FRAMES",
         .value = "1-2",
         .request = &request,
         .end = RIG_KILLED_WHOLE},
        {.name = "trigger", .run = run_trigger, .check = check_one, .request = &request, .own_rigs = true},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
