// What shaders of ray tracing pipelines share.
#extension GL_EXT_ray_tracing : require
#include "common.glsl"
