// Entry records, which begin a context. Compiled once per family of stages, WS_ENTER_*, since what a thread's work is
// depends on the stage; in fragment stages also per kind of lanes.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#ifdef WS_ENTER_RAY
#extension GL_EXT_ray_tracing : require
#endif
#include "lanes.glsl"
#include "stream.glsl"

// What a thread is (WORK IDS in records.h), and what its sampling is decided by.
struct Work
{
    uvec3 warp;
    uint a;
    uint b;
    uvec2 position;
    uint flat_id;
};

#if defined(WS_ENTER_RAY)
#define WARP_WORDS 0
#define LANE_WORDS 1
Work work()
{
    const uvec3 id = gl_LaunchIDEXT;
    const uvec3 size = gl_LaunchSizeEXT;
    const uint flat_id = (id.z * size.y + id.y) * size.x + id.x;
    return Work(uvec3(0), flat_id, 0, id.xy, flat_id);
}
#elif defined(WS_ENTER_COMPUTE)
#define WARP_WORDS 3
#define LANE_WORDS 1
Work work(const uint width, const uint height)
{
    const uvec3 group = gl_WorkGroupID;
    const uvec3 groups = gl_NumWorkGroups;
    const uvec3 id = gl_GlobalInvocationID;
    const uint flat_id = (id.z * (groups.y * height) + id.y) * (groups.x * width) + id.x;
    return Work(group, gl_LocalInvocationIndex, 0, id.xy, flat_id);
}
#elif defined(WS_ENTER_VERTEX)
#define WARP_WORDS 0
#define LANE_WORDS 2
Work work()
{
    const uint vertex = uint(gl_VertexIndex);
    const uint instance = uint(gl_InstanceIndex);
    return Work(uvec3(0), vertex, instance, uvec2(vertex, instance), vertex);
}
#elif defined(WS_ENTER_TESS_CONTROL) || defined(WS_ENTER_GEOMETRY)
#define WARP_WORDS 0
#define LANE_WORDS 2
#ifdef WS_ENTER_GEOMETRY
layout(points) in;
layout(points, max_vertices = 1) out;
#else
layout(vertices = 1) out;
#endif
Work work()
{
#ifdef WS_ENTER_GEOMETRY
    const uint primitive = uint(gl_PrimitiveIDIn);
#else
    const uint primitive = uint(gl_PrimitiveID);
#endif
    const uint invocation = uint(gl_InvocationID);
    return Work(uvec3(0), primitive, invocation, uvec2(primitive, invocation), primitive);
}
#elif defined(WS_ENTER_TESS_EVALUATION)
#define WARP_WORDS 0
#define LANE_WORDS 1
layout(triangles) in;
Work work()
{
    const uint primitive = uint(gl_PrimitiveID);
    return Work(uvec3(0), primitive, 0, uvec2(primitive, 0), primitive);
}
#elif defined(WS_ENTER_FRAGMENT)
#define WARP_WORDS 0
#define LANE_WORDS 2
Work work(const uint sample_layer)
{
    const vec4 coordinate = gl_FragCoord;
    const uvec2 pixel = uvec2(coordinate.xy);
    return Work(uvec3(0), pixel.x | pixel.y << 16, sample_layer, pixel, pixel.x);
}
#endif

// Whether this lane passes the tests of the sampling.
bool is_sampled(const uvec2 control, const uint tests, const Work work)
{
    bool passes = true;
    if ((tests & WS_SAMPLE_THREADS) != 0) {
        const uint first = WsWords(control).word[WS_STREAM_FIRST];
        const uint step = max(WsWords(control).word[WS_STREAM_STEP], 1u);
        passes = first <= work.flat_id && work.flat_id <= WsWords(control).word[WS_STREAM_LAST] &&
                 (work.flat_id - first) % step == 0;
    }
    if ((tests & WS_SAMPLE_BOX) != 0) {
        passes = passes && WsWords(control).word[WS_STREAM_BOX] <= work.position.x &&
                 WsWords(control).word[WS_STREAM_BOX + 1] <= work.position.y &&
                 work.position.x <= WsWords(control).word[WS_STREAM_BOX + 2] &&
                 work.position.y <= WsWords(control).word[WS_STREAM_BOX + 3];
    }
    if ((tests & WS_SAMPLE_TILES) != 0) {
        const uint x = work.position.x / max(WsWords(control).word[WS_STREAM_TILE], 1u);
        const uint y = work.position.y / max(WsWords(control).word[WS_STREAM_TILE + 1], 1u);
        passes = passes && (x + y) % max(WsWords(control).word[WS_STREAM_TILE + 2], 1u) == 0;
    }
    return passes;
}

#ifdef WS_ENTER_RAY
// gl_SubgroupInvocationID without the built-in: as many bits are below this lane's.
uint lane_index()
{
    return subgroupBallotExclusiveBitCount(uvec4(0xffffffff));
}
#endif

// Appends the record, of the lanes in `ballot`, and begins its context. `lane_words`: LANE_WORDS, or one more where each lane
// says which context it leaves.
void append_entry(const uvec2 control, const uint site, const uvec4 ballot, const Work work, const uint lane_words)
{
    const uint mask_words = WS_MASK_WORDS(ws_bins);
    const uint before = subgroupBallotExclusiveBitCount(ballot);
    const uint size = 3 + mask_words + WARP_WORDS + lane_words * subgroupBallotBitCount(ballot);
#ifdef WS_ENTER_RAY
    const uint left = ws_context;
#endif
    uint start = 0;
    uvec2 words;
    bool is_room;
    if (COUNTS && before == 0) {
        start = append(control, size, WS_CONTEXT_NONE, ws_slot << 16 | site, words, is_room);
    }
    start = subgroupShuffle(start, subgroupBallotFindLSB(ballot));
    ws_context = start;
    ws_entered = ballot;
#ifdef WS_ENTER_RAY
    ws_lane = lane_index();
#endif
    if (COUNTS && fits(start, size)) {
        words = ws_stream;
        uint at = start + 3 + mask_words;
        if (before == 0) {
            WsWords(words).word[start + WS_RECORD_SHAPE] = gl_SubgroupSize | WARP_WORDS << 8 | lane_words << 16;
            write_mask(words, start + 3, ballot);
#if WARP_WORDS == 3
            WsWords(words).word[at] = work.warp.x;
            WsWords(words).word[at + 1] = work.warp.y;
            WsWords(words).word[at + 2] = work.warp.z;
#endif
        }
        at += WARP_WORDS + lane_words * before;
        WsWords(words).word[at] = work.a;
#ifdef WS_ENTER_RAY
        if (lane_words > LANE_WORDS) {
            WsWords(words).word[at + 1] = left;
        }
#endif
#if LANE_WORDS == 2
        WsWords(words).word[at + 1] = work.b;
#endif
    }
}

// Whether records are taken, and of this warp: for all its lanes alike.
bool is_taken(out uvec2 control, out uint tests)
{
    control = uvec2(0);
    tests = 0;
    ws_context = WS_CONTEXT_NONE;
    if (HAS_ROOT) {
        control = control_block();
        if ((control.x | control.y) != 0) {
            tests = WsWords(control).word[WS_STREAM_SAMPLE];
            ws_stream = uvec2(WsWords(control).word[WS_STREAM_ADDRESS], WsWords(control).word[WS_STREAM_ADDRESS + 1]);
            ws_capacity = WsWords(control).word[WS_STREAM_CAPACITY];
            return ws_capacity != 0;
        }
    }
    return false;
}

bool any_lane(const bool value)
{
    return subgroupBallotBitCount(subgroupBallot(value)) != 0;
}

#ifdef WS_ENTER_RAY
uvec2 bitmap(const uvec2 control)
{
    return uvec2(WsWords(control).word[WS_STREAM_BITMAP], WsWords(control).word[WS_STREAM_BITMAP + 1]);
}

// Ray generation: the rays of a warp that is wanted are wanted.
void ws_enter_ray_launched(const uint site)
{
    uvec2 control;
    uint tests;
    if (is_taken(control, tests)) {
        const Work work = work();
        if (tests == 0 || any_lane(is_sampled(control, tests, work))) {
            const uvec2 bits = bitmap(control);
            if (tests != 0 && (bits.x | bits.y) != 0) {
                const uint bit = work.flat_id % WS_BITMAP_BITS;
                atomicOr(WsWords(bits).word[bit / 32], 1u << bit % 32);
            }
            append_entry(control, site, subgroupBallot(true), work, LANE_WORDS);
        }
    }
}

// The bitmap is read by atomics, since it is written while the launch runs. Without one the tests decide again.
void ws_enter_ray_called(const uint site)
{
    uvec2 control;
    uint tests;
    if (is_taken(control, tests)) {
        const Work work = work();
        bool wanted = true;
        if (tests != 0) {
            const uvec2 bits = bitmap(control);
            if ((bits.x | bits.y) != 0) {
                const uint bit = work.flat_id % WS_BITMAP_BITS;
                wanted = (atomicOr(WsWords(bits).word[bit / 32], 0) >> bit % 32 & 1) != 0;
            } else {
                wanted = is_sampled(control, tests, work);
            }
            wanted = any_lane(wanted);
        }
        if (wanted) {
            append_entry(control, site, subgroupBallot(true), work, LANE_WORDS);
        }
    }
}

// After an instruction that may hand lanes over to other warps: a continuation, where they are not all of one context and
// in the lanes where that had them. Lanes of warps that are not wanted do not count.
void ws_resume(const uint site)
{
    if (ws_context != WS_CONTEXT_NONE) {
        const uvec4 ballot = subgroupBallot(true);
        const uint context = subgroupShuffle(ws_context, subgroupBallotFindLSB(ballot));
        if (any_lane(ws_context != context || ws_lane != lane_index())) {
            append_entry(control_block(), site, ballot, work(), LANE_WORDS + 1);
        }
    }
}
#else
void enter(const uvec2 control, const uint tests, const uint site, const Work work)
{
    if (tests == 0 || any_lane(COUNTS && is_sampled(control, tests, work))) {
        append_entry(control, site, subgroupBallot(COUNTS), work, LANE_WORDS);
    }
}

#if defined(WS_ENTER_COMPUTE)
// `width` and `height` are the workgroup's, which no variable tells.
void ws_enter_compute(const uint site, const uint width, const uint height)
{
    uvec2 control;
    uint tests;
    if (is_taken(control, tests)) {
        enter(control, tests, site, work(width, height));
    }
}
#elif defined(WS_ENTER_FRAGMENT)
#define UNKNOWN_SAMPLE WS_WORK_UNKNOWN
#define UNKNOWN_LAYER  (WS_WORK_UNKNOWN << 16)

void ws_enter(const uint site)
{
    uvec2 control;
    uint tests;
    if (is_taken(control, tests)) {
        enter(control, tests, site, work(UNKNOWN_SAMPLE | UNKNOWN_LAYER));
    }
}

// Only for modules that themselves use what these read.

void ws_enter_sample(const uint site)
{
    uvec2 control;
    uint tests;
    if (is_taken(control, tests)) {
        enter(control, tests, site, work(uint(gl_SampleID) | UNKNOWN_LAYER));
    }
}

void ws_enter_layer(const uint site)
{
    uvec2 control;
    uint tests;
    if (is_taken(control, tests)) {
        enter(control, tests, site, work(UNKNOWN_SAMPLE | uint(gl_Layer) << 16));
    }
}

void ws_enter_sample_layer(const uint site)
{
    uvec2 control;
    uint tests;
    if (is_taken(control, tests)) {
        enter(control, tests, site, work(uint(gl_SampleID) | uint(gl_Layer) << 16));
    }
}
#else
void ws_enter(const uint site)
{
    uvec2 control;
    uint tests;
    if (is_taken(control, tests)) {
        enter(control, tests, site, work());
    }
}
#endif
#endif

void main()
{
}
