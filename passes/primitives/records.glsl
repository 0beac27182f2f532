// Place and data records. See records.h.
//
// ws_place stands in nearly every block, and its compilation is the main cost of recording: so it has no
// shuffle and one branch. ws_data_N writes N words per lane, those of the lowest lane that counts first. The
// warp reserves room once for all its lanes. A lane without a context is not wanted and writes nothing.
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
    const bool is_first = subgroupBallotExclusiveBitCount(ballot) == 0;
    if (is_wanted && is_first) {
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

// Where this lane's `count` words go: an index in the stream; NO_ROOM = nowhere.
const uint NO_ROOM = 0xffffffff;

uint begin_data(const uint site, const uint count)
{
    uint at = NO_ROOM;
    const bool is_wanted = COUNTS && ws_context != WS_CONTEXT_NONE;
    if (is_wanted) {
        const uvec4 ballot = subgroupBallot(true);
        const uint before = subgroupBallotExclusiveBitCount(ballot);
        const uint size = 2 + MASK_WORDS + count * subgroupBallotBitCount(ballot);
        uint start = 0;
        if (before == 0) {
            uvec2 words;
            bool is_room;
            start = append(control_block(), size, ws_context, site << 16 | (PACKED ? ballot.x : 0), words, is_room);
            if (!PACKED) {
                if (is_room) {
                    write_mask(words, start + 2, ballot);
                }
            }
        }
        start = subgroupShuffle(start, subgroupBallotFindLSB(ballot));
        at = mix(NO_ROOM, start + 2 + MASK_WORDS + count * before, fits(start, size));
    }
    return at;
}

// DATA(N) is the function ws_data_N. MORE_N(WORD) is what the macro WORD makes of each word but the first:
// MORE_3(STORE) is `STORE(1) STORE(2)`. One branch stands around all stores of a record. A primitive that
// stores a single word would need a branch for each: a lane without a context may have no memory to write to.
#define PARAMETER(i) , const uint w##i
#define STORE(i)     WsWords(ws_stream).word[at + i] = w##i;

#define MORE_1(WORD)
#define MORE_2(WORD)  WORD(1)
#define MORE_3(WORD)  MORE_2(WORD) WORD(2)
#define MORE_4(WORD)  MORE_3(WORD) WORD(3)
#define MORE_5(WORD)  MORE_4(WORD) WORD(4)
#define MORE_6(WORD)  MORE_5(WORD) WORD(5)
#define MORE_7(WORD)  MORE_6(WORD) WORD(6)
#define MORE_8(WORD)  MORE_7(WORD) WORD(7)
#define MORE_9(WORD)  MORE_8(WORD) WORD(8)
#define MORE_10(WORD) MORE_9(WORD) WORD(9)
#define MORE_11(WORD) MORE_10(WORD) WORD(10)
#define MORE_12(WORD) MORE_11(WORD) WORD(11)
#define MORE_13(WORD) MORE_12(WORD) WORD(12)
#define MORE_14(WORD) MORE_13(WORD) WORD(13)
#define MORE_15(WORD) MORE_14(WORD) WORD(14)
#define MORE_16(WORD) MORE_15(WORD) WORD(15)

#define DATA(n)                                                          \
    void ws_data_##n(const uint site, const uint w0 MORE_##n(PARAMETER)) \
    {                                                                    \
        const uint at = begin_data(site, n);                             \
        if (at != NO_ROOM) {                                             \
            WsWords(ws_stream).word[at] = w0;                            \
            MORE_##n(STORE)                                              \
        }                                                                \
    }

DATA(1)
DATA(2)
DATA(3)
DATA(4)
DATA(5)
DATA(6)
DATA(7)
DATA(8)
DATA(9)
DATA(10)
DATA(11)
DATA(12)
DATA(13)
DATA(14)
DATA(15)
DATA(16)

// PATHS (records.h). What the plain function that was called last came by, as it leaves it to its caller.
uint ws_path;

void ws_path_leave(const uint path)
{
    ws_path = path;
}

uint ws_path_take()
{
    return ws_path;
}

// A turn of a loop begins. `path` has the turns since the last group of them behind a mark, a one, which is that of `limit` when
// the group is full. `last` is the group before, and `count` how many groups in a row were the same. A lane whose group is full
// and another one appends those: the group; and how many, under the next number, if there are more than one of any lane that
// appends. Two stores stand here as one of two words would: a branch around the second one takes longer to compile. Returns the
// new `count`.
#define GROUPS_MOST 0x7fffffffu

uint ws_path_turn(const uint site, const uint path, const uint last, const uint count, const uint limit)
{
    const bool is_full = path >= limit;
    const bool same = path == last && count != GROUPS_MOST;
    if (mix(0, mix(count, 0, same), is_full) != 0) {
        const uint more = min(subgroupBallotBitCount(subgroupBallot(count > 1)), 1);
        const uint at = begin_data(site + more, 1 + more);
        if (at != NO_ROOM) {
            WsWords(ws_stream).word[at + more] = count;
            WsWords(ws_stream).word[at] = last; // over the other, if there is room for one
        }
    }
    return mix(count, mix(1, count + 1, same), is_full);
}

void main()
{
}
