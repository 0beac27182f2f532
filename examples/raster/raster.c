/* A small rasterizer: knots in a grid, by one indexed draw, with depth; some of their fragments discard. */
#include <stdio.h>

#include "examples/base/graphics.h"
#include "examples/base/mesh.h"
#include "examples/base/run.h"

#include "raster_knots.frag.h"
#include "raster_knots.vert.h"

struct parameters { /* push constants, as the vertex shader has them */
    float aspect;
    uint32_t columns;
    uint32_t rows;
};

struct arguments {
    struct ws_options common;
    uint32_t columns;
    uint32_t rows;
    bool dynamic;
};

/* What the draw needs. */
struct raster {
    struct ws_gpu_buffer positions;
    struct ws_gpu_buffer normals;
    struct ws_gpu_buffer indices;
    struct ws_gpu_buffer pixels;
    struct ws_gpu_target target;
    struct ws_gpu_bindings bindings;
    VkPipeline pipeline;
};

static void finish_raster(struct ws_gpu *gpu, struct raster *raster)
{
    if (gpu->device != VK_NULL_HANDLE)
        vkDestroyPipeline(gpu->device, raster->pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &raster->bindings);
    ws_gpu_target_finish(gpu, &raster->target);
    ws_gpu_buffer_finish(gpu, &raster->positions);
    ws_gpu_buffer_finish(gpu, &raster->normals);
    ws_gpu_buffer_finish(gpu, &raster->indices);
    ws_gpu_buffer_finish(gpu, &raster->pixels);
}

static bool init_raster(struct ws_gpu *gpu, struct raster *raster, const struct arguments *arguments,
                        const struct ws_mesh *mesh, struct ws_error *error)
{
    const uint32_t width = arguments->common.width;
    const uint32_t height = arguments->common.height;
    const size_t points = 3 * sizeof(float) * mesh->vertex_count;
    const size_t indices = 3 * sizeof(uint32_t) * mesh->triangle_count;
    const struct ws_gpu_graphics graphics = {
        .vertex = {VK_SHADER_STAGE_VERTEX_BIT, "knots.vert", raster_knots_vert, sizeof(raster_knots_vert),
                   NULL, NULL},
        .fragment = {VK_SHADER_STAGE_FRAGMENT_BIT, "knots.frag", raster_knots_frag, sizeof(raster_knots_frag),
                     NULL, NULL},
        .attributes = 2,
        .depth_test = true,
    };

    if (!ws_gpu_buffer_init(gpu, &raster->positions, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, mesh->positions,
                            points, error) ||
        !ws_gpu_buffer_init(gpu, &raster->normals, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, mesh->normals, points,
                            error) ||
        !ws_gpu_buffer_init(gpu, &raster->indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, mesh->indices, indices,
                            error) ||
        !ws_gpu_buffer_init(gpu, &raster->pixels, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL,
                            4ull * width * height, error) ||
        !ws_gpu_target_init(gpu, &raster->target, width, height, arguments->dynamic, error) ||
        !ws_gpu_bindings_init(gpu, &raster->bindings, NULL, 0, VK_SHADER_STAGE_VERTEX_BIT,
                              sizeof(struct parameters), error))
        return false;
    raster->pipeline = ws_gpu_graphics_pipeline(gpu, &raster->bindings, &raster->target, &graphics, error);
    if (raster->pipeline == VK_NULL_HANDLE)
        return false;
    ws_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)raster->pipeline, "knots");
    return true;
}

static bool draw(struct ws_gpu *gpu, struct raster *raster, const struct arguments *arguments,
                 uint32_t indices, struct ws_error *error)
{
    const float background[4] = {0.13f, 0.14f, 0.18f, 1};
    const VkBuffer buffers[2] = {raster->positions.buffer, raster->normals.buffer};
    const VkDeviceSize offsets[2] = {0, 0};
    const struct parameters parameters = {
        .aspect = (float)arguments->common.width / (float)arguments->common.height,
        .columns = arguments->columns,
        .rows = arguments->rows,
    };
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);

    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_label(gpu, commands, "knots");
    ws_gpu_target_begin(commands, &raster->target, background);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, raster->pipeline, &raster->bindings);
    vkCmdPushConstants(commands, raster->bindings.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(parameters),
                       &parameters);
    vkCmdBindVertexBuffers(commands, 0, 2, buffers, offsets);
    vkCmdBindIndexBuffer(commands, raster->indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(commands, indices, arguments->columns * arguments->rows, 0, 0, 0);
    ws_gpu_target_end(commands, &raster->target);
    ws_gpu_label_end(gpu, commands);
    ws_gpu_image_copy(commands, &raster->target.colour, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                      &raster->pixels);
    return ws_gpu_submit(gpu, commands, error);
}

static bool run(void *user, struct ws_gpu *gpu, struct ws_error *error)
{
    const struct arguments *arguments = user;
    struct ws_mesh mesh = {0};
    struct raster raster = {0};

    if (!ws_mesh_knot(&mesh, error))
        return false;
    ws_mesh_fit(&mesh);
    const bool drawn = init_raster(gpu, &raster, arguments, &mesh, error) &&
                       draw(gpu, &raster, arguments, 3 * mesh.triangle_count, error) &&
                       ws_png_write(arguments->common.output, raster.pixels.data, arguments->common.width,
                                    arguments->common.height, error);
    finish_raster(gpu, &raster);
    ws_mesh_finish(&mesh);
    return drawn;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {
        .common =
            {
                .program = "raster",
                .summary = "Rasterizes knots in a grid: plain, marbled, and pierced by discarded fragments.",
                .output = "raster.png",
                .width = 256,
                .height = 256,
                .size_max = 8192,
            },
        .columns = 3,
        .rows = 3,
    };
    const struct ws_option own[] = {
        {"columns", 'c', WS_OPTION_NUMBER, &arguments.columns, "N", "knots side by side", 1, 64, NULL},
        {"rows", 'r', WS_OPTION_NUMBER, &arguments.rows, "N", "knots one above the other", 1, 64, NULL},
        {"dynamic", 'd', WS_OPTION_FLAG, &arguments.dynamic, NULL,
         "use dynamic rendering instead of a render pass", 0, 0, NULL},
    };
    int status;

    if (!ws_options_parse(&arguments.common, own, sizeof(own) / sizeof(own[0]), argc, argv, &status))
        return status;
    return ws_run(&arguments.common, arguments.dynamic ? WS_GPU_DYNAMIC_RENDERING : 0, VK_QUEUE_GRAPHICS_BIT,
                  run, &arguments);
}
