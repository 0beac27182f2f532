// What stands before the text of a probe: how it yields. Compiled with it for each kind of lanes (lanes.glsl).
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
#include "lanes.glsl"
#include "yields.glsl"
#ifdef WS_PROBE_RECORDS
#include "records.glsl"
#endif
