#version 460
#extension GL_GOOGLE_include_directive : require
#define GO discard
#include "passed.glsl"
