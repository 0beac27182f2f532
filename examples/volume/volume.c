/* Direct volume rendering by a compute shader: rays march through a computed volume. With the switches of
 * "A Visual Profiling System for Direct Volume Rendering" (2024) in mind: early ray termination, skipping of empty space, and
 * where voxels lie. What is loaded, and what caches make of it, `warpscope report FILE caches` tells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/base/bindings.h"
#include "examples/base/frames.h"
#include "examples/base/run.h"
#include "examples/volume/shared.h"

#include "volume_march.comp.h"

#define BALLS 40 /* along a knot */

static const char *const layout_names[] = {"lines", "bricks", NULL};

struct arguments {
    struct ws_options common;
    uint32_t bricks; /* of the volume's edge */
    uint32_t layout;
    uint32_t samples; /* in 4 voxels */
    bool skip;
    bool whole;
    uint32_t frames;
    bool time;
};

struct parameters {
    float eye[4];
    float forward[4];
    float right[4];
    float up[4];
    uint32_t width;
    uint32_t height;
    int32_t edge;
    uint32_t tiled;
    uint32_t skip;
    uint32_t early;
    float stride;
};

struct drawing {
    struct ws_gpu *gpu;
    const struct arguments *arguments;
    struct ws_gpu_buffer buffers[BINDING_COUNT];
    struct ws_gpu_bindings bindings;
    VkPipeline pipeline;
};

/* The density at a place from -1 to 1: balls without edge along a knot. */
static float density_at(const float place[3])
{
    float sum = 0;

    for (int i = 0; i < BALLS; i++) {
        const float t = 2 * (float)M_PI * (float)i / BALLS;
        const float radius = 0.46f + 0.19f * cosf(3 * t);
        const float ball[3] = {radius * cosf(2 * t), radius * sinf(2 * t), 0.26f * sinf(3 * t)};
        float distance = 0;
        for (int j = 0; j < 3; j++)
            distance += (place[j] - ball[j]) * (place[j] - ball[j]);
        sum += distance < 0.08f ? expf(-distance * 110) : 0;
    }
    return sum;
}

/* Where a voxel lies: as in the shader. */
static size_t place_of(const struct arguments *arguments, const uint32_t voxel[3])
{
    const size_t edge = (size_t)arguments->bricks * BRICK;
    size_t place = 0;

    if (arguments->layout == 0)
        return (voxel[2] * edge + voxel[1]) * edge + voxel[0];
    for (int i = 2; i >= 0; i--)
        place = place * arguments->bricks + voxel[i] / BRICK;
    for (int i = 2; i >= 0; i--)
        place = place * BRICK + voxel[i] % BRICK;
    return place;
}

static void fill_volume(const struct arguments *arguments, float *densities)
{
    const uint32_t edge = arguments->bricks * BRICK;
    uint32_t voxel[3];

    for (voxel[2] = 0; voxel[2] < edge; voxel[2]++) {
        for (voxel[1] = 0; voxel[1] < edge; voxel[1]++) {
            for (voxel[0] = 0; voxel[0] < edge; voxel[0]++) {
                float place[3];
                for (int i = 0; i < 3; i++)
                    place[i] = 2 * ((float)voxel[i] + 0.5f) / (float)edge - 1;
                densities[place_of(arguments, voxel)] = density_at(place);
            }
        }
    }
}

/* The largest density in a brick, and a voxel around it: a sample there is interpolated with that one. */
static float largest_of(const struct arguments *arguments, const float *densities, const uint32_t brick[3])
{
    const uint32_t edge = arguments->bricks * BRICK;
    uint32_t first[3], last[3], voxel[3];
    float largest = 0;

    for (int i = 0; i < 3; i++) {
        first[i] = brick[i] > 0 ? brick[i] * BRICK - 1 : 0;
        last[i] = (brick[i] + 1) * BRICK < edge ? (brick[i] + 1) * BRICK : edge - 1;
    }
    for (voxel[2] = first[2]; voxel[2] <= last[2]; voxel[2]++)
        for (voxel[1] = first[1]; voxel[1] <= last[1]; voxel[1]++)
            for (voxel[0] = first[0]; voxel[0] <= last[0]; voxel[0]++)
                largest = fmaxf(largest, densities[place_of(arguments, voxel)]);
    return largest;
}

static void fill_bricks(const struct arguments *arguments, const float *densities, float *bricks)
{
    uint32_t brick[3];

    for (brick[2] = 0; brick[2] < arguments->bricks; brick[2]++)
        for (brick[1] = 0; brick[1] < arguments->bricks; brick[1]++)
            for (brick[0] = 0; brick[0] < arguments->bricks; brick[0]++)
                *bricks++ = largest_of(arguments, densities, brick);
}

static void look(const struct arguments *arguments, struct parameters *parameters)
{
    const float edge = (float)(arguments->bricks * BRICK);
    const float aspect = (float)arguments->common.width / (float)arguments->common.height;
    const float turn = 0.5f;
    const float height = 0.35f;
    const float flat = sqrtf(1 - height * height);
    const float back[3] = {flat * sinf(turn), height, flat * cosf(turn)};
    const float right[3] = {cosf(turn), 0, -sinf(turn)};
    const float zoom = 0.36f;

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        parameters->eye[i] = 0.5f * edge + 1.6f * edge * back[i];
        parameters->forward[i] = -back[i];
        parameters->right[i] = right[i] * zoom * (aspect > 1 ? aspect : 1);
        parameters->up[i] = (back[j] * right[k] - back[k] * right[j]) * zoom * (aspect > 1 ? 1 : 1 / aspect);
    }
    parameters->stride = 4.0f / (float)arguments->samples;
}

static bool draw_frame(void *user, uint32_t frame, struct ws_error *error)
{
    const struct drawing *drawing = user;
    const struct arguments *arguments = drawing->arguments;
    struct parameters parameters = {
        .width = arguments->common.width,
        .height = arguments->common.height,
        .edge = (int32_t)(arguments->bricks * BRICK),
        .tiled = arguments->layout,
        .skip = arguments->skip,
        .early = !arguments->whole,
    };
    VkCommandBuffer commands = ws_gpu_begin(drawing->gpu, error);

    (void)frame;
    if (commands == VK_NULL_HANDLE)
        return false;
    look(arguments, &parameters);
    ws_gpu_label(drawing->gpu, commands, "march");
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, drawing->pipeline, &drawing->bindings);
    vkCmdPushConstants(commands, drawing->bindings.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(parameters),
                       &parameters);
    vkCmdDispatch(commands, (parameters.width + GROUP - 1) / GROUP, (parameters.height + GROUP - 1) / GROUP,
                  1);
    ws_gpu_label_end(drawing->gpu, commands);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(drawing->gpu, commands, error);
}

static bool make_buffers(struct drawing *drawing, struct ws_error *error)
{
    static const char *const names[BINDING_COUNT] = {"densities", "bricks", "pixels"};
    const struct arguments *arguments = drawing->arguments;
    const size_t bricks = (size_t)arguments->bricks * arguments->bricks * arguments->bricks;
    const size_t sizes[BINDING_COUNT] = {
        bricks * BRICK * BRICK * BRICK * sizeof(float), bricks * sizeof(float),
        (size_t)arguments->common.width * arguments->common.height * sizeof(uint32_t)};
    struct ws_gpu_binding bindings[BINDING_COUNT] = {0};

    for (uint32_t i = 0; i < BINDING_COUNT; i++) {
        bindings[i].buffer = &drawing->buffers[i];
        if (sizes[i] > drawing->gpu->properties.limits.maxStorageBufferRange)
            return ws_error_set(error, "the %s are more than the device \"%s\" takes", names[i],
                                drawing->gpu->properties.deviceName);
        if (!ws_gpu_buffer_init(drawing->gpu, &drawing->buffers[i], VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                                sizes[i], error))
            return false;
        ws_gpu_name(drawing->gpu, VK_OBJECT_TYPE_BUFFER, (uint64_t)drawing->buffers[i].buffer, names[i]);
    }
    fill_volume(arguments, drawing->buffers[BINDING_DENSITIES].data);
    fill_bricks(arguments, drawing->buffers[BINDING_DENSITIES].data, drawing->buffers[BINDING_BRICKS].data);
    return ws_gpu_bindings_init(drawing->gpu, &drawing->bindings, bindings, BINDING_COUNT,
                                VK_SHADER_STAGE_COMPUTE_BIT, sizeof(struct parameters), error);
}

static bool draw(void *user, struct ws_gpu *gpu, struct ws_error *error)
{
    const struct arguments *arguments = user;
    const struct ws_gpu_shader shader = {
        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
        .name = "march.comp",
        .words = volume_march_comp,
        .size = sizeof(volume_march_comp),
    };
    struct drawing drawing = {.gpu = gpu, .arguments = arguments};
    bool drawn = false;

    if (!make_buffers(&drawing, error))
        goto error;
    drawing.pipeline = ws_gpu_compute_pipeline(gpu, &drawing.bindings, &shader, error);
    if (drawing.pipeline == VK_NULL_HANDLE)
        goto error;
    ws_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)drawing.pipeline, "march");
    drawn = ws_frames_draw(arguments->frames, arguments->time, draw_frame, &drawing, error) &&
            ws_png_write(arguments->common.output, drawing.buffers[BINDING_PIXELS].data,
                         arguments->common.width, arguments->common.height, error);
error:
    vkDestroyPipeline(gpu->device, drawing.pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &drawing.bindings);
    for (uint32_t i = 0; i < BINDING_COUNT; i++)
        ws_gpu_buffer_finish(gpu, &drawing.buffers[i]);
    return drawn;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {
        .common =
            {
                .program = "volume",
                .summary = "Marches through a computed volume in a compute shader.",
                .output = "volume.png",
                .width = 256,
                .height = 256,
                .size_max = 2048,
            },
        .bricks = 12,
        .samples = 8,
        .frames = 1,
    };
    const struct ws_option own[] = {
        {"bricks", 'b', WS_OPTION_NUMBER, &arguments.bricks, "N", "the volume's edge in bricks of 8 voxels",
         1, 64, NULL},
        {"layout", 'l', WS_OPTION_CHOICE, &arguments.layout, NULL,
         "what lies together: the lines of the volume, or its bricks", 0, 0, layout_names},
        {"samples", 's', WS_OPTION_NUMBER, &arguments.samples, "N", "samples in 4 voxels of a ray", 1, 64,
         NULL},
        {"skip", 'k', WS_OPTION_FLAG, &arguments.skip, NULL,
         "cross empty bricks in one step: the same picture", 0, 0, NULL},
        {"whole", 'w', WS_OPTION_FLAG, &arguments.whole, NULL,
         "march on to the end where what lies behind can hardly be seen", 0, 0, NULL},
        {"frames", 'f', WS_OPTION_NUMBER, &arguments.frames, "N", "draw the same picture N times", 1, 100000,
         NULL},
        {"time", 't', WS_OPTION_FLAG, &arguments.time, NULL,
         "print the first frame's milliseconds and the median of the others on stderr", 0, 0, NULL},
    };
    int status;

    if (!ws_options_parse(&arguments.common, own, sizeof(own) / sizeof(own[0]), argc, argv, &status))
        return status;
    return ws_run(&arguments.common, 0, VK_QUEUE_COMPUTE_BIT, draw, &arguments);
}
