// Place and data records. See records.h.
//
// ws_place stands in nearly every block, and its compilation is the main cost of recording: so there is no shuffle, and
// one branch. ws_data_N has N words per lane, which are written where the lane's rank among those that count says. Room
// is reserved once per warp. Lanes without a context are not wanted.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "lanes.glsl"
#include "stream.glsl"

void ws_place(const uint site)
{
    const bool is_wanted = COUNTS && ws_context != WS_CONTEXT_NONE;
    const uvec4 ballot = subgroupBallot(is_wanted);
    if (is_wanted && subgroupBallotExclusiveBitCount(ballot) == 0) {
        const uvec2 control = control_block();
        const bool is_whole = PACKED || ballot == ws_entered;
        const uint size = mix(2 + MASK_WORDS, 2, is_whole);
        const uint lanes = PACKED ? ballot.x : mix(0, WS_RECORD_FULL, is_whole);
        uvec2 words;
        bool is_room;
        const uint start = append(control, size, ws_context, site << 16 | lanes, words, is_room);
        if (!PACKED) {
            if (!is_whole && is_room) {
                write_mask(words, start + 2, ballot);
            }
        }
    }
}

const uint NO_ROOM = 0xffffffff;

// Where this lane's `count` words go: an index in `words`, or NO_ROOM.
uint begin_data(const uint site, const uint count, out uvec2 words)
{
    words = uvec2(0);
    if (!COUNTS || ws_context == WS_CONTEXT_NONE) {
        return NO_ROOM;
    }
    const uvec4 ballot = subgroupBallot(true);
    const uint before = subgroupBallotExclusiveBitCount(ballot);
    const uvec2 control = control_block();
    const uint size = 2 + MASK_WORDS + count * subgroupBallotBitCount(ballot);
    uint start = 0;
    if (before == 0) {
        bool is_room;
        start = append(control, size, ws_context, site << 16 | (PACKED ? ballot.x : 0), words, is_room);
        if (!PACKED) {
            if (is_room) {
                write_mask(words, start + 2, ballot);
            }
        }
    }
    start = subgroupShuffle(start, subgroupBallotFindLSB(ballot));
    if (!fits(control, start, size)) {
        return NO_ROOM;
    }
    words = stream_words(control);
    return start + 2 + MASK_WORDS + count * before;
}

void ws_data_1(const uint site, const uint a)
{
    uvec2 words;
    const uint at = begin_data(site, 1, words);
    if (at != NO_ROOM) {
        WsWords(words).word[at] = a;
    }
}

void ws_data_2(const uint site, const uint a, const uint b)
{
    uvec2 words;
    const uint at = begin_data(site, 2, words);
    if (at != NO_ROOM) {
        WsWords(words).word[at] = a;
        WsWords(words).word[at + 1] = b;
    }
}

void ws_data_3(const uint site, const uint a, const uint b, const uint c)
{
    uvec2 words;
    const uint at = begin_data(site, 3, words);
    if (at != NO_ROOM) {
        WsWords(words).word[at] = a;
        WsWords(words).word[at + 1] = b;
        WsWords(words).word[at + 2] = c;
    }
}

void ws_data_4(const uint site, const uint a, const uint b, const uint c, const uint d)
{
    uvec2 words;
    const uint at = begin_data(site, 4, words);
    if (at != NO_ROOM) {
        WsWords(words).word[at] = a;
        WsWords(words).word[at + 1] = b;
        WsWords(words).word[at + 2] = c;
        WsWords(words).word[at + 3] = d;
    }
}

void ws_data_5(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e)
{
    uvec2 words;
    const uint at = begin_data(site, 5, words);
    if (at != NO_ROOM) {
        WsWords(words).word[at] = a;
        WsWords(words).word[at + 1] = b;
        WsWords(words).word[at + 2] = c;
        WsWords(words).word[at + 3] = d;
        WsWords(words).word[at + 4] = e;
    }
}

void ws_data_6(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
               const uint f)
{
    uvec2 words;
    const uint at = begin_data(site, 6, words);
    if (at != NO_ROOM) {
        WsWords(words).word[at] = a;
        WsWords(words).word[at + 1] = b;
        WsWords(words).word[at + 2] = c;
        WsWords(words).word[at + 3] = d;
        WsWords(words).word[at + 4] = e;
        WsWords(words).word[at + 5] = f;
    }
}

void ws_data_7(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
               const uint f, const uint g)
{
    uvec2 words;
    const uint at = begin_data(site, 7, words);
    if (at != NO_ROOM) {
        WsWords(words).word[at] = a;
        WsWords(words).word[at + 1] = b;
        WsWords(words).word[at + 2] = c;
        WsWords(words).word[at + 3] = d;
        WsWords(words).word[at + 4] = e;
        WsWords(words).word[at + 5] = f;
        WsWords(words).word[at + 6] = g;
    }
}

void ws_data_8(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
               const uint f, const uint g, const uint h)
{
    uvec2 words;
    const uint at = begin_data(site, 8, words);
    if (at != NO_ROOM) {
        WsWords(words).word[at] = a;
        WsWords(words).word[at + 1] = b;
        WsWords(words).word[at + 2] = c;
        WsWords(words).word[at + 3] = d;
        WsWords(words).word[at + 4] = e;
        WsWords(words).word[at + 5] = f;
        WsWords(words).word[at + 6] = g;
        WsWords(words).word[at + 7] = h;
    }
}

// The first eight words of a longer record.
void write_8(const uvec2 words, const uint at, const uint a, const uint b, const uint c, const uint d, const uint e,
             const uint f, const uint g, const uint h)
{
    WsWords(words).word[at] = a;
    WsWords(words).word[at + 1] = b;
    WsWords(words).word[at + 2] = c;
    WsWords(words).word[at + 3] = d;
    WsWords(words).word[at + 4] = e;
    WsWords(words).word[at + 5] = f;
    WsWords(words).word[at + 6] = g;
    WsWords(words).word[at + 7] = h;
}

void ws_data_9(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
               const uint f, const uint g, const uint h, const uint i)
{
    uvec2 words;
    const uint at = begin_data(site, 9, words);
    if (at != NO_ROOM) {
        write_8(words, at, a, b, c, d, e, f, g, h);
        WsWords(words).word[at + 8] = i;
    }
}

void ws_data_10(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
                const uint f, const uint g, const uint h, const uint i, const uint j)
{
    uvec2 words;
    const uint at = begin_data(site, 10, words);
    if (at != NO_ROOM) {
        write_8(words, at, a, b, c, d, e, f, g, h);
        WsWords(words).word[at + 8] = i;
        WsWords(words).word[at + 9] = j;
    }
}

void ws_data_11(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
                const uint f, const uint g, const uint h, const uint i, const uint j, const uint k)
{
    uvec2 words;
    const uint at = begin_data(site, 11, words);
    if (at != NO_ROOM) {
        write_8(words, at, a, b, c, d, e, f, g, h);
        WsWords(words).word[at + 8] = i;
        WsWords(words).word[at + 9] = j;
        WsWords(words).word[at + 10] = k;
    }
}

void ws_data_12(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
                const uint f, const uint g, const uint h, const uint i, const uint j, const uint k,
                const uint l)
{
    uvec2 words;
    const uint at = begin_data(site, 12, words);
    if (at != NO_ROOM) {
        write_8(words, at, a, b, c, d, e, f, g, h);
        WsWords(words).word[at + 8] = i;
        WsWords(words).word[at + 9] = j;
        WsWords(words).word[at + 10] = k;
        WsWords(words).word[at + 11] = l;
    }
}

void ws_data_13(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
                const uint f, const uint g, const uint h, const uint i, const uint j, const uint k,
                const uint l, const uint m)
{
    uvec2 words;
    const uint at = begin_data(site, 13, words);
    if (at != NO_ROOM) {
        write_8(words, at, a, b, c, d, e, f, g, h);
        WsWords(words).word[at + 8] = i;
        WsWords(words).word[at + 9] = j;
        WsWords(words).word[at + 10] = k;
        WsWords(words).word[at + 11] = l;
        WsWords(words).word[at + 12] = m;
    }
}

void ws_data_14(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
                const uint f, const uint g, const uint h, const uint i, const uint j, const uint k,
                const uint l, const uint m, const uint n)
{
    uvec2 words;
    const uint at = begin_data(site, 14, words);
    if (at != NO_ROOM) {
        write_8(words, at, a, b, c, d, e, f, g, h);
        WsWords(words).word[at + 8] = i;
        WsWords(words).word[at + 9] = j;
        WsWords(words).word[at + 10] = k;
        WsWords(words).word[at + 11] = l;
        WsWords(words).word[at + 12] = m;
        WsWords(words).word[at + 13] = n;
    }
}

void ws_data_15(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
                const uint f, const uint g, const uint h, const uint i, const uint j, const uint k,
                const uint l, const uint m, const uint n, const uint o)
{
    uvec2 words;
    const uint at = begin_data(site, 15, words);
    if (at != NO_ROOM) {
        write_8(words, at, a, b, c, d, e, f, g, h);
        WsWords(words).word[at + 8] = i;
        WsWords(words).word[at + 9] = j;
        WsWords(words).word[at + 10] = k;
        WsWords(words).word[at + 11] = l;
        WsWords(words).word[at + 12] = m;
        WsWords(words).word[at + 13] = n;
        WsWords(words).word[at + 14] = o;
    }
}

void ws_data_16(const uint site, const uint a, const uint b, const uint c, const uint d, const uint e,
                const uint f, const uint g, const uint h, const uint i, const uint j, const uint k,
                const uint l, const uint m, const uint n, const uint o, const uint p)
{
    uvec2 words;
    const uint at = begin_data(site, 16, words);
    if (at != NO_ROOM) {
        write_8(words, at, a, b, c, d, e, f, g, h);
        WsWords(words).word[at + 8] = i;
        WsWords(words).word[at + 9] = j;
        WsWords(words).word[at + 10] = k;
        WsWords(words).word[at + 11] = l;
        WsWords(words).word[at + 12] = m;
        WsWords(words).word[at + 13] = n;
        WsWords(words).word[at + 14] = o;
        WsWords(words).word[at + 15] = p;
    }
}

void main()
{
}
