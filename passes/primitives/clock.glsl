// Clock records (passes.h, warp_time): a data record of one lane, the lowest that counts, with what a clock shows: two words,
// the low one first. WS_CLOCK_SUBGROUP takes the clock of the subgroup, else it is the device's.
//
// What a probe takes should not be in the time that it measures: so the begin is read right before it is stored, behind the
// atomic that reserved its words, and the end is read first.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
#include "lanes.glsl"
#include "stream.glsl"

#ifdef WS_CLOCK_SUBGROUP
#define CLOCK clock2x32ARB()
#define BEGIN ws_subgroup_clock_begin
#define END   ws_subgroup_clock_end
#else
#define CLOCK clockRealtime2x32EXT()
#define BEGIN ws_clock_begin
#define END   ws_clock_end
#endif

const uint WORDS = 2;

// The lowest bit of a mask.
uvec4 lowest(const uvec4 mask)
{
    const uvec4 bits = mask & (~mask + 1);
    const bvec3 below = bvec3(mask.x != 0, (mask.x | mask.y) != 0, (mask.x | mask.y | mask.z) != 0);
    return uvec4(bits.x, mix(bits.yzw, uvec3(0), below));
}

// Reserves the record of the lowest lane that counts, and writes all but the clock's words. Whether this lane is to write them:
// at `at` of `words`.
bool begin_clock(const uint site, out uvec2 words, out uint at)
{
    const bool is_wanted = COUNTS && ws_context != WS_CONTEXT_NONE;
    const uvec4 ballot = subgroupBallot(is_wanted);
    bool is_room = false;
    words = uvec2(0);
    at = 0;
    if (is_wanted && subgroupBallotExclusiveBitCount(ballot) == 0) {
        const uvec4 lane = lowest(ballot);
        const uint size = 2 + MASK_WORDS + WORDS;
        const uint start = append(control_block(), size, ws_context, site << 16 | (PACKED ? lane.x : 0), words, is_room);
        if (!PACKED) {
            if (is_room) {
                write_mask(words, start + 2, lane);
            }
        }
        at = start + 2 + MASK_WORDS;
    }
    return is_room;
}

void BEGIN(const uint site)
{
    uvec2 words;
    uint at;
    if (begin_clock(site, words, at)) {
        const uvec2 time = CLOCK;
        WsWords(words).word[at] = time.x;
        WsWords(words).word[at + 1] = time.y;
    }
}

void END(const uint site)
{
    const uvec2 time = CLOCK;
    uvec2 words;
    uint at;
    if (begin_clock(site, words, at)) {
        WsWords(words).word[at] = time.x;
        WsWords(words).word[at + 1] = time.y;
    }
}

void main()
{
}
