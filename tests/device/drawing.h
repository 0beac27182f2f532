/* Pipelines of any graphics stages, drawn with dynamic rendering. */
#ifndef WS_TESTS_DEVICE_DRAWING_H
#define WS_TESTS_DEVICE_DRAWING_H

#include "tests/device/rig.h"

#define DRAWING_WIDTH  40
#define DRAWING_HEIGHT 24
#define DRAWING_PIXELS (DRAWING_WIDTH * DRAWING_HEIGHT)
#define DRAWING_FORMAT VK_FORMAT_R8G8B8A8_UNORM

/* An image to draw into, in layout COLOR_ATTACHMENT_OPTIMAL. */
void drawing_image_init(struct rig *rig, struct ws_gpu_image *image);

/* What a pipeline is made of; whatever is not named here is off. */
struct drawing {
    const struct ws_gpu_shader *shaders;
    uint32_t shader_count;
    VkFormat format; /* of what is drawn into; 0 = DRAWING_FORMAT */
    bool depth;      /* tests and writes the depth: nearer wins */
    bool alpha_to_coverage;
    uint32_t patch_size;                    /* 0 = triangles, else patches of so many control points */
    const struct ws_gpu_bindings *bindings; /* NULL = the rig's empty one */
    /* Where the four libraries go that it is linked of (VK_EXT_graphics_pipeline_library); NULL = of none.
     * They are to be destroyed after the last use of the pipeline: Mesa 25.0's software device looks at their
     * state. */
    VkPipeline *parts;
};

VkPipeline drawing_pipeline(struct rig *rig, const struct drawing *drawing);

/* The shaders of cover.vert and cover.frag. */
extern const struct ws_gpu_shader drawing_cover[2];

/* A depth image of the drawings' size, in layout DEPTH_STENCIL_ATTACHMENT_OPTIMAL. */
void drawing_depth_init(struct rig *rig, struct ws_gpu_image *image);

/* Begins and ends rendering into all of a view of the drawings' size, with depth or without. */
void drawing_begin_depth(VkCommandBuffer commands, VkImageView view, VkImageView depth);
void drawing_begin(VkCommandBuffer commands, VkImageView view);
void drawing_end(VkCommandBuffer commands);

/* A primary command buffer that has begun, and its end: it is submitted and waited for. */
VkCommandBuffer drawing_record(struct rig *rig);
void drawing_run(struct rig *rig, VkCommandBuffer commands);

/* Threads that ran the one block of a stage's shaders in a launch. */
uint64_t drawing_lanes(const struct recorded_launch *launch, uint32_t stage);

#endif
