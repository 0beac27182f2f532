#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_demote_to_helper_invocation : require
#define GO demote
#include "passed.glsl"
