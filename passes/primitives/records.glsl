// Records: ThreadUpdate, WarpUpdate and CreateWarpId. See "record stream" in root.h.
//
// ws_thread_update_N appends one record per lane, ws_warp_update_N one per warp, by its elected lane; N words of
// payload. Room is reserved once per warp: one atomic for all its lanes, each of which then has its place in the order of
// the lanes. What does not fit is not written, but stays counted as reserved.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "lanes.glsl"

const uint NO_ROOM = 0xffffffff;

uvec2 stream()
{
    return WsRoot(uvec2(ws_root_lo, ws_root_hi)).records;
}

// Whether records are taken.
bool records()
{
    if (HAS_ROOT) {
        const uvec2 address = stream();
        return (address.x | address.y) != 0;
    }
    return false;
}

// Takes `size` words; where they begin, counted from the first record. Far past every capacity the counter stops, so
// that it never comes round to zero and has records written over others.
uint reserve(const uint size)
{
    const uvec2 words = stream();
    const uint start = atomicAdd(WsWords(words).word[WS_RECORDS_RESERVED], size);
    if (start >= WS_RECORDS_SATURATED) {
        atomicAdd(WsWords(words).word[WS_RECORDS_RESERVED], -size);
    }
    return start;
}

// Index in the stream of `size` words at `start`, or NO_ROOM. A record that fits exactly fits.
uint place(const uint start, const uint size)
{
    const uint capacity = WsWords(stream()).word[WS_RECORDS_CAPACITY];
    return start <= capacity && size <= capacity - start ? WS_RECORDS_HEADER + start : NO_ROOM;
}

uint reserve_per_thread(const uint size)
{
    if (!records()) {
        return NO_ROOM;
    }
    const uvec4 ballot = subgroupBallot(COUNTS);
    const uint before = subgroupBallotExclusiveBitCount(ballot);
    uint start = 0;
    if (COUNTS && before == 0) {
        start = reserve(size * subgroupBallotBitCount(ballot));
    }
    start = subgroupShuffle(start, subgroupBallotFindLSB(ballot));
    return COUNTS ? place(start + size * before, size) : NO_ROOM;
}

uint reserve_per_warp(const uint size)
{
    if (!records()) {
        return NO_ROOM;
    }
    const uint before = subgroupBallotExclusiveBitCount(subgroupBallot(COUNTS));
    return COUNTS && before == 0 ? place(reserve(size), size) : NO_ROOM;
}

void write_head(const uvec2 words, const uint at, const uint work_id, const uint site)
{
    WsWords(words).word[at] = work_id;
    WsWords(words).word[at + 1] = ws_slot << 16 | site;
}

void ws_thread_update_0(const uint work_id, const uint site)
{
    const uint at = reserve_per_thread(2);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
    }
}

void ws_thread_update_1(const uint work_id, const uint site, const uint a)
{
    const uint at = reserve_per_thread(3);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
    }
}

void ws_thread_update_2(const uint work_id, const uint site, const uint a, const uint b)
{
    const uint at = reserve_per_thread(4);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
        WsWords(words).word[at + 3] = b;
    }
}

void ws_thread_update_3(const uint work_id, const uint site, const uint a, const uint b, const uint c)
{
    const uint at = reserve_per_thread(5);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
        WsWords(words).word[at + 3] = b;
        WsWords(words).word[at + 4] = c;
    }
}

void ws_thread_update_4(const uint work_id, const uint site, const uint a, const uint b,
                       const uint c, const uint d)
{
    const uint at = reserve_per_thread(6);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
        WsWords(words).word[at + 3] = b;
        WsWords(words).word[at + 4] = c;
        WsWords(words).word[at + 5] = d;
    }
}

void ws_thread_update_5(const uint work_id, const uint site, const uint a, const uint b, const uint c,
                       const uint d, const uint e)
{
    const uint at = reserve_per_thread(7);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
        WsWords(words).word[at + 3] = b;
        WsWords(words).word[at + 4] = c;
        WsWords(words).word[at + 5] = d;
        WsWords(words).word[at + 6] = e;
    }
}

void ws_thread_update_6(const uint work_id, const uint site, const uint a, const uint b, const uint c, const uint d,
                       const uint e, const uint f)
{
    const uint at = reserve_per_thread(8);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
        WsWords(words).word[at + 3] = b;
        WsWords(words).word[at + 4] = c;
        WsWords(words).word[at + 5] = d;
        WsWords(words).word[at + 6] = e;
        WsWords(words).word[at + 7] = f;
    }
}

void ws_warp_update_0(const uint work_id, const uint site)
{
    const uint at = reserve_per_warp(2);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
    }
}

void ws_warp_update_1(const uint work_id, const uint site, const uint a)
{
    const uint at = reserve_per_warp(3);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
    }
}

void ws_warp_update_2(const uint work_id, const uint site, const uint a, const uint b)
{
    const uint at = reserve_per_warp(4);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
        WsWords(words).word[at + 3] = b;
    }
}

void ws_warp_update_3(const uint work_id, const uint site, const uint a, const uint b, const uint c)
{
    const uint at = reserve_per_warp(5);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
        WsWords(words).word[at + 3] = b;
        WsWords(words).word[at + 4] = c;
    }
}

void ws_warp_update_4(const uint work_id, const uint site, const uint a, const uint b,
                       const uint c, const uint d)
{
    const uint at = reserve_per_warp(6);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
        WsWords(words).word[at + 3] = b;
        WsWords(words).word[at + 4] = c;
        WsWords(words).word[at + 5] = d;
    }
}

void ws_warp_update_5(const uint work_id, const uint site, const uint a, const uint b, const uint c,
                       const uint d, const uint e)
{
    const uint at = reserve_per_warp(7);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
        WsWords(words).word[at + 3] = b;
        WsWords(words).word[at + 4] = c;
        WsWords(words).word[at + 5] = d;
        WsWords(words).word[at + 6] = e;
    }
}

void ws_warp_update_6(const uint work_id, const uint site, const uint a, const uint b, const uint c, const uint d,
                       const uint e, const uint f)
{
    const uint at = reserve_per_warp(8);
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        write_head(words, at, work_id, site);
        WsWords(words).word[at + 2] = a;
        WsWords(words).word[at + 3] = b;
        WsWords(words).word[at + 4] = c;
        WsWords(words).word[at + 5] = d;
        WsWords(words).word[at + 6] = e;
        WsWords(words).word[at + 7] = f;
    }
}

// Gives the warp a new id, which every lane appends with its work id; returns it, 0 where no records are taken.
uint ws_create_warp_id(const uint work_id, const uint site)
{
    uint id = 0;
    if (records()) {
        const uvec4 ballot = subgroupBallot(COUNTS);
        const uint before = subgroupBallotExclusiveBitCount(ballot);
        if (COUNTS && before == 0) {
            id = atomicAdd(WsWords(stream()).word[WS_RECORDS_WARP_IDS], 1);
        }
        id = subgroupShuffle(id, subgroupBallotFindLSB(ballot));
    }
    ws_thread_update_1(work_id, site, id);
    return id;
}

void main()
{
}
