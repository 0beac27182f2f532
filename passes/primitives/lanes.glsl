// What every family includes: the root block's constants and types, and which lanes of a warp count.
//
// Every function named ws_* is a primitive, with parameters `const uint` and a result void or uint: ws_count_warp becomes
// WS_PRIMITIVE_COUNT_WARP, and what it calls and reads is linked with it. Built-in inputs are the only variables
// that the linker knows. A probe stands in every block, and its compilation is the main cost: keep it small.
//
// A family is compiled once per kind of lanes (passes/meson.build):
//   (nothing)        every active lane: any stage but fragment
//   WS_LANES_FRAGMENT  fragment: helper invocations are active lanes that must not count
//   WS_LANES_DEMOTE    fragment with OpDemoteToHelperInvocation: HelperInvocation would not see the demoted
//
// HELPER LANES count in no figure. A fragment shader runs in quads; a lane of a quad that has no fragment to write is a
// helper invocation. It computes what derivatives need, and writes nothing. A lane is a helper from the start (no
// fragment of the primitive is there, or the early tests discarded it), or from OpDemoteToHelperInvocation on. For every
// pass alike, a helper from the start never entered its shader, and a lane that is demoted ended there: it is not
// active in any block, record or count behind that. So a lane runs code that counts until it returns, is killed or is
// demoted, whichever comes first.
//
// The elected lane is the lowest that counts: the one with none before it in the ballot. Not subgroupElect,
// which may choose a helper, whose atomics do nothing, and not subgroupBroadcastFirst, which software devices get
// wrong where lane 0 is inactive. No built-in variable is needed so, which would have to enter the interface of
// every entry point.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#ifdef WS_LANES_DEMOTE
#extension GL_EXT_demote_to_helper_invocation : require
#endif

#define WS_GLSL
#include "warpscope/root.h"

layout(constant_id = WS_SPEC_ROOT_LO) const uint ws_root_lo = 0;
layout(constant_id = WS_SPEC_ROOT_HI) const uint ws_root_hi = 0;
layout(constant_id = WS_SPEC_SLOT) const uint ws_slot = 0;
layout(constant_id = WS_SPEC_BINS) const uint ws_bins = WS_BINS_MIN;
layout(constant_id = WS_SPEC_CONTROL) const uint ws_control = 0;

layout(buffer_reference, buffer_reference_align = 8, std430) readonly buffer WsRoot
{
    uvec2 records;
    uvec2 zero;
    uvec2 counters[];
};

layout(buffer_reference, buffer_reference_align = 4, std430) buffer WsWords
{
    uint word[];
};

// A module that runs without its specialization has the root address 0.
#define HAS_ROOT ((ws_root_lo | ws_root_hi) != 0)

// Whether this lane counts; a macro, so that nothing of it is left where all lanes do.
#if defined(WS_LANES_DEMOTE)
#define COUNTS (!helperInvocationEXT())
#elif defined(WS_LANES_FRAGMENT)
#define COUNTS (!gl_HelperInvocation)
#else
#define COUNTS true
#endif
