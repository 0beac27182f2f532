/* A graphics pipeline and a target to draw into, by a render pass or by dynamic rendering. */
#ifndef WS_EXAMPLES_BASE_GRAPHICS_H
#define WS_EXAMPLES_BASE_GRAPHICS_H

#include "examples/base/bindings.h"

/* A colour image (R8G8B8A8_UNORM) and a depth image (D32_SFLOAT) with all that drawing into them takes.
 * `pass` and `framebuffer` are not there with dynamic rendering. */
struct ws_gpu_target {
    struct ws_gpu_image colour;
    struct ws_gpu_image depth;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
};

/* `dynamic` needs WS_GPU_DYNAMIC_RENDERING. */
bool ws_gpu_target_init(struct ws_gpu *gpu, struct ws_gpu_target *target, uint32_t width, uint32_t height,
                        bool dynamic, struct ws_error *error);
void ws_gpu_target_finish(struct ws_gpu *gpu, struct ws_gpu_target *target);

/* Begins drawing into all of the target, cleared to `clear` and the farthest depth; and ends it: the colour
 * is then in layout COLOR_ATTACHMENT_OPTIMAL. */
void ws_gpu_target_begin(VkCommandBuffer commands, const struct ws_gpu_target *target, const float clear[4]);
void ws_gpu_target_end(VkCommandBuffer commands, const struct ws_gpu_target *target);

/* What a pipeline of triangles is made of. */
struct ws_gpu_graphics {
    struct ws_gpu_shader vertex;
    struct ws_gpu_shader fragment;
    uint32_t attributes; /* locations 0, 1, …: each three floats, from the vertex buffer of the same number */
    bool depth_test;     /* tests and writes the depth; nearer wins */
    uint32_t
        scale; /* the viewport is so many times as large as the target, whose size the scissor has; 0 = 1 */
};

/* A pipeline that draws lists of triangles, both faces, into targets like `target`. VK_NULL_HANDLE on
 * failure. */
VkPipeline ws_gpu_graphics_pipeline(struct ws_gpu *gpu, const struct ws_gpu_bindings *bindings,
                                    const struct ws_gpu_target *target,
                                    const struct ws_gpu_graphics *graphics, struct ws_error *error);

#endif
