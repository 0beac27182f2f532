/* Shader stages, in masks, captures and reports. The bits are those of VkShaderStageFlagBits, so a mask of
 * Vulkan is also a mask of these. */
#ifndef WARPSCOPE_STAGE_H
#define WARPSCOPE_STAGE_H

#include <stdint.h>

/* One stage: one bit of a mask. */
enum ws_stage {
    WS_STAGE_VERTEX = 0x00000001,
    WS_STAGE_TESSELLATION_CONTROL = 0x00000002,
    WS_STAGE_TESSELLATION_EVALUATION = 0x00000004,
    WS_STAGE_GEOMETRY = 0x00000008,
    WS_STAGE_FRAGMENT = 0x00000010,
    WS_STAGE_COMPUTE = 0x00000020,
    WS_STAGE_TASK = 0x00000040,
    WS_STAGE_MESH = 0x00000080,
    WS_STAGE_RAYGEN = 0x00000100,
    WS_STAGE_ANY_HIT = 0x00000200,
    WS_STAGE_CLOSEST_HIT = 0x00000400,
    WS_STAGE_MISS = 0x00000800,
    WS_STAGE_INTERSECTION = 0x00001000,
    WS_STAGE_CALLABLE = 0x00002000,
};

#define WS_STAGES_ALL         0x00003fffu
#define WS_STAGES_RAY_TRACING 0x00003f00u
/* The stages whose shaders are called by other shaders. A draw, dispatch or trace launches the others. */
#define WS_STAGES_CALLED 0x00003e00u

/* The name of a stage in reports and settings: "raygen", "closest_hit", "fragment", ... Returns "unknown" for
 * a value that is not exactly one stage. Static string. */
static inline const char *ws_stage_name(uint32_t stage)
{
    switch (stage) {
    case WS_STAGE_VERTEX: return "vertex";
    case WS_STAGE_TESSELLATION_CONTROL: return "tessellation_control";
    case WS_STAGE_TESSELLATION_EVALUATION: return "tessellation_evaluation";
    case WS_STAGE_GEOMETRY: return "geometry";
    case WS_STAGE_FRAGMENT: return "fragment";
    case WS_STAGE_COMPUTE: return "compute";
    case WS_STAGE_TASK: return "task";
    case WS_STAGE_MESH: return "mesh";
    case WS_STAGE_RAYGEN: return "raygen";
    case WS_STAGE_ANY_HIT: return "any_hit";
    case WS_STAGE_CLOSEST_HIT: return "closest_hit";
    case WS_STAGE_MISS: return "miss";
    case WS_STAGE_INTERSECTION: return "intersection";
    case WS_STAGE_CALLABLE: return "callable";
    default: return "unknown";
    }
}

#endif
