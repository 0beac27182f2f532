#include "layer/commands/launch_image.h"

#include <stdlib.h>

#include "layer/commands/barrier.h"
#include "layer/commands/bound_sets.h"
#include "layer/commands/command_buffer.h"
#include "layer/commands/readback.h"
#include "layer/core/capture.h"
#include "layer/core/captured_image.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/settings.h"
#include "layer/image/image.h"
#include "passes/spirv/written_images.h"
#include "warpscope/image_format.h"

/* Copies begin at a multiple of the texel's size (VUID-vkCmdCopyImageToBuffer-dstImage-07975). */
#define TEXEL_MOST 16

struct image {
    struct ws_readback readback;
    const char *reason;          /* why it is not copied, static; NULL = it is */
    struct ws_chunk_image chunk; /* but for launch and blob */
    VkDeviceSize position;       /* in the results of the recording */
};

static void write(struct ws_device *device, const struct ws_readback *readback,
                  const struct ws_execution *execution)
{
    const struct image *image = (const struct image *)readback;
    struct ws_chunk_image chunk = image->chunk;
    chunk.launch = execution->moment;
    if (image->reason != NULL)
        ws_captured_images_skip(device->capture, 1, image->reason);
    else if (execution->bytes == NULL)
        ws_captured_images_skip(device->capture, 1, "the copies of a command buffer's images are lost");
    else
        ws_captured_image_write(device->capture, &chunk, execution->bytes + image->position);
}

static void destroy(struct ws_readback *readback)
{
    free(readback);
}

static const struct ws_readback_type kind = {.image = true, .write = write, .destroy = destroy};

/* An image that the launch can write. */
struct candidate {
    struct ws_image_view view;
    struct ws_written_image where;
};

struct choice {
    bool any; /* there is one: the best so far, and how many others have its size */
    struct candidate best;
    uint32_t others;
    const char *reason; /* why the latest that is none is none; NULL = there was no such */
};

static bool has_size(const struct ws_image_view *view, const struct ws_launch_command *command)
{
    return command->kind == WS_LAUNCH_TRACE_RAYS && view->width == command->size[0] &&
           view->height == command->size[1] && command->size[2] == 1;
}

/* How much a format looks like a picture's. */
static int rank_of_format(VkFormat format)
{
    const struct ws_image_format *known = ws_image_format_find(format);
    if (known->values == WS_IMAGE_INTEGERS || known->components < 3)
        return 0;
    return known->values == WS_IMAGE_UNORM || known->values == WS_IMAGE_SRGB ? 2 : 1;
}

static bool is_better(const struct candidate *one, const struct candidate *other,
                      const struct ws_launch_command *command)
{
    if (has_size(&one->view, command) != has_size(&other->view, command))
        return has_size(&one->view, command);
    const uint64_t area = (uint64_t)one->view.width * one->view.height;
    const uint64_t other_area = (uint64_t)other->view.width * other->view.height;
    if (area != other_area)
        return area > other_area;
    const int rank = rank_of_format(one->view.format);
    const int other_rank = rank_of_format(other->view.format);
    if (rank != other_rank)
        return rank > other_rank;
    if (one->where.set != other->where.set)
        return one->where.set < other->where.set;
    return one->where.binding < other->where.binding;
}

/* The view of an image that shaders write. False where it cannot be copied, and `*reason` receives why. */
static bool find_view(const struct ws_command_buffer *commands, enum ws_bind_point point,
                      struct candidate *found, const char **reason)
{
    static const struct ws_bound_sets none = {0};
    struct ws_image_descriptor descriptor;
    *reason = "it is one of an array, of which only the shaders know which they write";
    if (found->where.array)
        return false;
    if (!ws_bound_sets_find(commands->device, commands->bound != NULL ? commands->bound : &none, point,
                            found->where.set, found->where.binding, &descriptor, reason))
        return false;
    *reason = "it is in another layout than GENERAL";
    if (descriptor.layout != VK_IMAGE_LAYOUT_GENERAL)
        return false;
    *reason = "its view is not known";
    if (!ws_image_view_find(commands->device, descriptor.view, &found->view))
        return false;
    *reason = found->view.reason;
    return found->view.reason == NULL;
}

static void consider(struct choice *choice, const struct ws_command_buffer *commands,
                     const struct ws_launch_command *command, enum ws_bind_point point,
                     const struct ws_written_image *where)
{
    const char *reason;
    struct candidate found = {.where = *where};
    if (!find_view(commands, point, &found, &reason)) {
        choice->reason = reason;
        return;
    }
    struct candidate *best = &choice->best;
    /* Several shaders may write the same one. */
    if (choice->any && best->view.image == found.view.image && best->view.level == found.view.level &&
        best->view.layer == found.view.layer)
        return;
    const bool same_size =
        choice->any && best->view.width == found.view.width && best->view.height == found.view.height;
    if (!choice->any || is_better(&found, best, command)) {
        choice->others = same_size ? choice->others + 1 : 0;
        choice->any = true;
        *best = found;
    } else if (same_size) {
        choice->others++;
    }
}

static void consider_pipeline(struct choice *choice, const struct ws_command_buffer *commands,
                              const struct ws_launch_command *command, enum ws_bind_point point,
                              const struct ws_pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->shader_count; i++) {
        const struct ws_shader *shader = pipeline->shaders[i];
        if (!shader->images_known)
            choice->reason = "what a shader writes is not known";
        for (uint32_t j = 0; j < shader->image_count; j++)
            consider(choice, commands, command, point, &shader->images[j]);
    }
}

/* Records the copy. False without memory. */
static bool copy(struct ws_command_buffer *commands, const struct ws_image_view *view, struct image *image)
{
    struct ws_device *device = commands->device;
    const uint64_t size = image->chunk.pitch * image->chunk.height;
    VkBuffer target;
    VkDeviceSize offset;
    if (!ws_recording_reserve_geometry(commands->recording, size + TEXEL_MOST, &target, &offset,
                                       &image->position))
        return false;
    const VkDeviceSize aligned = (offset + TEXEL_MOST - 1) / TEXEL_MOST * TEXEL_MOST;
    image->position += aligned - offset;
    const VkBufferImageCopy region = {
        .bufferOffset = aligned,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, view->level, view->layer, 1},
        .imageExtent = {view->width, view->height, 1},
    };
    /* The shaders' writes come before the copy; and earlier executions' copies to and from the same results. */
    ws_barrier(device, commands->handle, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
               VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    device->next.CmdCopyImageToBuffer(commands->handle, view->image, VK_IMAGE_LAYOUT_GENERAL, target, 1,
                                      &region);
    /* What follows may write the image. Write after read needs an execution dependency only. */
    device->next.CmdPipelineBarrier(commands->handle, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 0, NULL);
    return true;
}

/* Copies what was chosen, or notes why it cannot be. */
static void take(struct ws_command_buffer *commands, const struct choice *choice, struct image *image)
{
    const struct ws_image_view *view = &choice->best.view;
    image->reason = commands->pool->protected ? "the command buffer is protected" : choice->reason;
    if (!choice->any || commands->pool->protected)
        return;
    image->chunk = (struct ws_chunk_image){
        .source = WS_IMAGE_OF_LAUNCH,
        .format = view->format,
        .width = view->width,
        .height = view->height,
        .pitch = (uint64_t)view->width * ws_image_format_find(view->format)->size,
        .set = choice->best.where.set,
        .binding = choice->best.where.binding,
        .others = choice->others,
    };
    image->reason = NULL;
    if (ws_captured_images_full(commands->device->capture, image->chunk.pitch * view->height))
        image->reason = WS_IMAGES_FULL;
    else if (!copy(commands, view, image))
        image->reason = "no device memory for copies of images";
}

void ws_launch_image_take(struct ws_command_buffer *commands, const struct ws_launch_command *command,
                          enum ws_bind_point point, uint32_t launch)
{
    const struct ws_bindings *bindings = &commands->bindings;
    struct ws_device *device = commands->device;
    struct choice choice = {0};
    if (!device->settings->image || !ws_readbacks_wanted(device) || commands->render_pass.open)
        return;
    if (bindings->pipelines[point] != NULL)
        consider_pipeline(&choice, commands, command, point, bindings->pipelines[point]);
    for (uint32_t i = 0; bindings->pipelines[point] == NULL && i < WS_SHADER_STAGE_COUNT; i++)
        if (bindings->shaders[i] != NULL && point == WS_BIND_COMPUTE &&
            1u << i == VK_SHADER_STAGE_COMPUTE_BIT)
            consider_pipeline(&choice, commands, command, point, bindings->shaders[i]);
    if (!choice.any && choice.reason == NULL)
        return;
    struct image *image = calloc(1, sizeof(*image));
    if (image == NULL) {
        ws_captured_images_skip(device->capture, 1, "out of memory while commands were recorded");
        return;
    }
    ws_readback_init(&image->readback, &kind);
    take(commands, &choice, image);
    if (image->reason != NULL)
        ws_message(device->instance, WS_WARNING, "images of some launches are not captured: %s",
                   image->reason);
    const struct ws_recorded_readback recorded = {.readback = &image->readback, .before = launch};
    ws_recording_add_readback(commands->recording, &recorded);
}
