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

// record_N writes a record with N words of payload, where it has room.

void record_0(const uint at, const uint work_id, const uint site)
{
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        WsWords(words).word[at + WS_RECORD_WORK_ID] = work_id;
        WsWords(words).word[at + WS_RECORD_SITE] = ws_slot << 16 | site;
    }
}

void record_1(const uint at, const uint work_id, const uint site, const uint a)
{
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        WsWords(words).word[at + WS_RECORD_WORK_ID] = work_id;
        WsWords(words).word[at + WS_RECORD_SITE] = ws_slot << 16 | site;
        WsWords(words).word[at + WS_RECORD_PAYLOAD] = a;
    }
}

void record_2(const uint at, const uint work_id, const uint site, const uint a, const uint b)
{
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        WsWords(words).word[at + WS_RECORD_WORK_ID] = work_id;
        WsWords(words).word[at + WS_RECORD_SITE] = ws_slot << 16 | site;
        WsWords(words).word[at + WS_RECORD_PAYLOAD] = a;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 1] = b;
    }
}

void record_3(const uint at, const uint work_id, const uint site, const uint a, const uint b, const uint c)
{
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        WsWords(words).word[at + WS_RECORD_WORK_ID] = work_id;
        WsWords(words).word[at + WS_RECORD_SITE] = ws_slot << 16 | site;
        WsWords(words).word[at + WS_RECORD_PAYLOAD] = a;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 1] = b;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 2] = c;
    }
}

void record_4(const uint at, const uint work_id, const uint site, const uint a, const uint b, const uint c,
              const uint d)
{
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        WsWords(words).word[at + WS_RECORD_WORK_ID] = work_id;
        WsWords(words).word[at + WS_RECORD_SITE] = ws_slot << 16 | site;
        WsWords(words).word[at + WS_RECORD_PAYLOAD] = a;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 1] = b;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 2] = c;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 3] = d;
    }
}

void record_5(const uint at, const uint work_id, const uint site, const uint a, const uint b, const uint c,
              const uint d, const uint e)
{
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        WsWords(words).word[at + WS_RECORD_WORK_ID] = work_id;
        WsWords(words).word[at + WS_RECORD_SITE] = ws_slot << 16 | site;
        WsWords(words).word[at + WS_RECORD_PAYLOAD] = a;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 1] = b;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 2] = c;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 3] = d;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 4] = e;
    }
}

void record_6(const uint at, const uint work_id, const uint site, const uint a, const uint b, const uint c,
              const uint d, const uint e, const uint f)
{
    if (at != NO_ROOM) {
        const uvec2 words = stream();
        WsWords(words).word[at + WS_RECORD_WORK_ID] = work_id;
        WsWords(words).word[at + WS_RECORD_SITE] = ws_slot << 16 | site;
        WsWords(words).word[at + WS_RECORD_PAYLOAD] = a;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 1] = b;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 2] = c;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 3] = d;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 4] = e;
        WsWords(words).word[at + WS_RECORD_PAYLOAD + 5] = f;
    }
}

void ws_thread_update_0(const uint work_id, const uint site)
{
    record_0(reserve_per_thread(WS_RECORD_PAYLOAD + 0), work_id, site);
}

void ws_thread_update_1(const uint work_id, const uint site, const uint a)
{
    record_1(reserve_per_thread(WS_RECORD_PAYLOAD + 1), work_id, site, a);
}

void ws_thread_update_2(const uint work_id, const uint site, const uint a, const uint b)
{
    record_2(reserve_per_thread(WS_RECORD_PAYLOAD + 2), work_id, site, a, b);
}

void ws_thread_update_3(const uint work_id, const uint site, const uint a, const uint b, const uint c)
{
    record_3(reserve_per_thread(WS_RECORD_PAYLOAD + 3), work_id, site, a, b, c);
}

void ws_thread_update_4(const uint work_id, const uint site, const uint a, const uint b, const uint c, const uint d)
{
    record_4(reserve_per_thread(WS_RECORD_PAYLOAD + 4), work_id, site, a, b, c, d);
}

void ws_thread_update_5(const uint work_id, const uint site, const uint a, const uint b, const uint c, const uint d,
                        const uint e)
{
    record_5(reserve_per_thread(WS_RECORD_PAYLOAD + 5), work_id, site, a, b, c, d, e);
}

void ws_thread_update_6(const uint work_id, const uint site, const uint a, const uint b, const uint c, const uint d,
                        const uint e, const uint f)
{
    record_6(reserve_per_thread(WS_RECORD_PAYLOAD + 6), work_id, site, a, b, c, d, e, f);
}

void ws_warp_update_0(const uint work_id, const uint site)
{
    record_0(reserve_per_warp(WS_RECORD_PAYLOAD + 0), work_id, site);
}

void ws_warp_update_1(const uint work_id, const uint site, const uint a)
{
    record_1(reserve_per_warp(WS_RECORD_PAYLOAD + 1), work_id, site, a);
}

void ws_warp_update_2(const uint work_id, const uint site, const uint a, const uint b)
{
    record_2(reserve_per_warp(WS_RECORD_PAYLOAD + 2), work_id, site, a, b);
}

void ws_warp_update_3(const uint work_id, const uint site, const uint a, const uint b, const uint c)
{
    record_3(reserve_per_warp(WS_RECORD_PAYLOAD + 3), work_id, site, a, b, c);
}

void ws_warp_update_4(const uint work_id, const uint site, const uint a, const uint b, const uint c, const uint d)
{
    record_4(reserve_per_warp(WS_RECORD_PAYLOAD + 4), work_id, site, a, b, c, d);
}

void ws_warp_update_5(const uint work_id, const uint site, const uint a, const uint b, const uint c, const uint d,
                      const uint e)
{
    record_5(reserve_per_warp(WS_RECORD_PAYLOAD + 5), work_id, site, a, b, c, d, e);
}

void ws_warp_update_6(const uint work_id, const uint site, const uint a, const uint b, const uint c, const uint d,
                      const uint e, const uint f)
{
    record_6(reserve_per_warp(WS_RECORD_PAYLOAD + 6), work_id, site, a, b, c, d, e, f);
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
