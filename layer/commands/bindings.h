/* The pipelines and shader objects that are bound in a command buffer. Like all that is recorded it belongs to the thread that
 * records, which the application synchronizes. */
#ifndef WS_LAYER_COMMANDS_BINDINGS_H
#define WS_LAYER_COMMANDS_BINDINGS_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "layer/commands/uses.h"

enum ws_bind_point {
    WS_BIND_GRAPHICS,
    WS_BIND_COMPUTE,
    WS_BIND_RAY_TRACING,
    WS_BIND_SUBPASS_SHADING,
    WS_BIND_POINT_COUNT,
};

#define WS_SHADER_STAGE_COUNT 14 /* bits of enum ws_stage */

/* Zero-initialise. Pointers suffice: destroying a pipeline or shader object invalidates every command buffer
 * that is being recorded with it (the specification, "Command Buffer Lifecycle"). */
struct ws_bindings {
    const struct ws_pipeline *pipelines[WS_BIND_POINT_COUNT]; /* NULL: none is bound, or shader objects are */
    const struct ws_pipeline *shaders[WS_SHADER_STAGE_COUNT]; /* shader objects, by bit of their stage */
    bool has_shaders;                                         /* some were bound */
    bool graphics_changed; /* since the last draw of the open render pass */
};

/* WS_BIND_POINT_COUNT for a bind point that the layer does not know. */
enum ws_bind_point ws_bind_point_of(VkPipelineBindPoint point);

/* Whether a shader object is bound at bit `stage`, and belongs to the bind point. */
bool ws_bindings_has_shader(const struct ws_bindings *bindings, enum ws_bind_point point, uint32_t stage);

/* Adds to `uses` what the next dispatch, trace or draw runs: the pipeline bound at `point`, else its shader
 * objects. */
void ws_bindings_use(const struct ws_bindings *bindings, enum ws_bind_point point, struct ws_uses *uses);

#endif
