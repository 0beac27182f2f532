// Counters by marks. See passes/instrument/marks.h: bits of a variable, which lanes set in blocks that they run, are counted where
// all of these lanes are together again.
//
// A mark is counted by adding it up over the lanes, four in the bytes of one word: there are 128 lanes at most. On a software device
// such a sum takes a quarter of the time of a ballot; and on no device does one take longer than four ballots.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "lanes.glsl"
#include "rows.glsl"

#define NO_RANK 0x7fffffffu // no sum with a number of lanes wraps

// How many lanes that count are before this one; NO_RANK for one that does not.
uint ws_rank()
{
    const uint before = subgroupExclusiveAdd(COUNTS ? 1 : 0);
    return COUNTS ? before : NO_RANK;
}

// How many lanes have each of the four bits of `marks` from bit `shift` on, in bytes.
uint ws_sum_marks(const uint marks, const uint shift)
{
    const uint four = COUNTS ? marks >> shift & 0xfu : 0;
    return subgroupAdd(four * 0x00204081u & 0x01010101u);
}

// One more execution of each row whose bit is in `used`, by the lanes that have it in `marks`: bit i is that of row `first` + i.
// Each lane takes one row of eight at a time, so that these cost one atomic. A compiler cannot know how often the outer loop runs,
// since it does not know the address: it would unroll it.
void ws_count_marks(const uint first, const uint used, const uint marks)
{
    if (HAS_ROOT) {
        const uvec2 rows = ws_rows;
        const uint rank = ws_rank();
        const uint together = subgroupAdd(COUNTS ? 1 : 0);
        const uint wanted = (rows.x | rows.y) != 0 ? 8 : 0;
        const uint step = min(8, 8 | rows.x);
        uint shift = 0;
        do {
            const uint low = ws_sum_marks(marks & used, shift);
            const uint high = ws_sum_marks(marks & used, shift + 4);
            uint row = rank;
            do {
                const uint lanes = row < wanted ? (row < 4 ? low : high) >> (8 * row & 31u) & 0xffu : 0;
                if (lanes != 0) {
                    atomicAdd(WsWords(rows).word[ws_bins * (first + shift + row) + lanes - 1], 1);
                }
                row += together;
            } while (row < wanted);
            shift += step;
        } while (shift < 32 && used >> shift != 0);
    }
}

// LOOPS. There a lane keeps how often it found that as many lanes have a mark as it is the how-manieth that counts: bytes of a word
// for four marks. For example, of lanes 0 to 7 the third keeps how often just three lanes had the mark. So each execution is kept by
// one lane, and no lane adds anything to the rows until a byte is half full, it becomes another's how-manieth, or it leaves the loop.
// The loop over bytes is one that software devices jump over where there are none (counters.glsl, RUNS).
void add_four(const uint first, const uint kept, const uint rank)
{
    const uvec2 rows = ws_rows;
    uint left = (rows.x | rows.y) != 0 ? kept : 0;
    if (left != 0) {
        do {
            const uint shift = uint(findLSB(left)) & 0x18u;
            const uint row = first + (shift >> 3);
            atomicAdd(WsWords(rows).word[ws_bins * row + rank], left >> shift & 0xffu);
            left &= ~(0xffu << shift);
        } while (left != 0);
    }
}

// One more execution of four rows from `first` on, by as many lanes as the bytes of `sums` say. `kept` was with the rank `before`.
uint ws_count_four(const uint first, const uint kept, const uint before, const uint rank, const uint sums)
{
    if (HAS_ROOT) {
        const bool full = rank != before || (kept & 0x80808080u) != 0;
        add_four(first, full ? kept : 0, before);
        const uint differs = sums ^ (rank + 1) * 0x01010101u;
        const uint same = ~(((differs & 0x7f7f7f7fu) + 0x7f7f7f7fu) | differs | 0x7f7f7f7fu) >> 7;
        return (full ? 0 : kept) + (rank == NO_RANK ? 0 : same);
    }
    return kept;
}

void ws_end_four(const uint first, const uint kept, const uint rank)
{
    if (HAS_ROOT) {
        add_four(first, kept, rank);
    }
}

// TURNS. Lanes have left a loop and are together again. Each has begun so many turns of it, and ran in the last one what it has
// marks of. What all lanes run that end a turn, a lane has run in all turns but the last, and in that if it has the mark: so many
// times in a row, from the first turn on. What lanes run that leave the loop then (bits of `leaving`), it has run in its last turn
// or not at all. Turns of lanes with one number are one turn of the warp.
void ws_count_turns(const uint first, const uint used, const uint leaving, const uint turns, const uint marks)
{
    if (HAS_ROOT) {
        const uvec2 rows = ws_rows;
        const uint rank = ws_rank();
        const bool elected = rank == 0 && (rows.x | rows.y) != 0;
        uint left = used;
        do {
            const uint bit = left & (~left + 1u);
            const uint row = first + uint(findMSB(bit));
            const bool leaves = (leaving & bit) != 0;
            const uint last = (marks & bit) != 0 ? 1 : 0;
            const uint number = rank == NO_RANK ? 0 : leaves ? last * turns : turns - 1 + last;
            uint done = 0;
            uint next = 0;
            do {
                next = subgroupMin(number > done ? number : 0xffffffffu);
                const uint lanes = subgroupAdd(number == next || (number > done && !leaves) ? 1 : 0);
                if (elected && next != 0xffffffffu) {
                    atomicAdd(WsWords(rows).word[ws_bins * row + lanes - 1], leaves ? 1 : next - done);
                }
                done = next;
            } while (next != 0xffffffffu);
            left ^= bit;
        } while (left != 0);
    }
}

// What the function that was called last leaves to its caller.
uint ws_marks;

void ws_leave_marks(const uint marks)
{
    ws_marks = marks;
}

uint ws_take_marks()
{
    return ws_marks;
}

void main()
{
}
