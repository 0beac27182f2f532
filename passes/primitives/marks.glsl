// Counters by marks. See passes/instrument/marks.h: bits of a variable, which lanes set in blocks that they run, are counted where
// all of these lanes are together again.
//
// A mark is counted by adding it up over the lanes, four in the bytes of one word: there are 128 lanes at most. On a software device
// such a sum takes a quarter of the time of a ballot; and on no device does one take longer than four ballots.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "lanes.glsl"
#include "rows.glsl"

#define IN_BYTES 0x01010101u
#define NO_RANK  0x7fffffffu // no sum with a number of lanes wraps

// How many lanes that count are before this one, of those in `counting`; NO_RANK for one that does not.
uint rank_in(const uvec4 counting)
{
    const uint before = subgroupBallotExclusiveBitCount(counting);
    return COUNTS ? before : NO_RANK;
}

// Four bits of `marks` from bit `shift` on, in bytes; 0 for a lane that does not count.
uint four_of(const uint marks, const uint shift)
{
    const uint four = COUNTS ? marks >> shift & 0xfu : 0;
    return four * 0x00204081u & 0x01010101u;
}

// How many lanes have each of these bits, in bytes; and the same of eight bits in half bytes, where no more lanes are there. Then the
// second four come from the same sum.
#define IN_HALVES (ws_bins < 16)

uint ws_sum_marks(const uint marks, const uint shift)
{
    return subgroupAdd(four_of(marks, shift));
}

uint ws_sum_eight(const uint marks, const uint shift, const uint others, const uint other_shift)
{
    uint bits = four_of(marks, shift);
    if (IN_HALVES) {
        bits |= four_of(others, other_shift) << 4;
    }
    return subgroupAdd(bits);
}

uint ws_first_four(const uint sums)
{
    return IN_HALVES ? sums & 0x0f0f0f0fu : sums;
}

uint ws_second_four(const uint sums, const uint others, const uint other_shift)
{
    if (IN_HALVES) {
        return sums >> 4 & 0x0f0f0f0fu;
    }
    return ws_sum_marks(others, other_shift);
}

// A bit of each byte that is not 0: there are 128 lanes at most.
uint has_lanes(const uint sums)
{
    return sums + 0x7f7f7f7fu >> 7 & IN_BYTES;
}

// One more execution of eight rows, by the lanes that have their bits in `marks`, from bit `shift` on. Each lane takes one row at a
// time, of those that any lane has a bit of: so as many rows as lanes are together cost one atomic. The half bytes of `before` say how
// many such rows there are up to each place; the places are rows 0, 4, 1, 5, 2, 6, 3 and 7. What a lane takes at `at` is behind the
// places with no more of them than `at`: these alone have the highest bit of 8 + `at`, less their half byte. Where all lanes of a wide
// warp are together, one atomic is enough anyway; where few are, fewer turns are left.
void count_eight(const uint first, const uint marks, const uint shift, const uint rank, const uint together)
{
    const uvec2 rows = ws_rows;
    const uint sums = ws_sum_eight(marks, shift, marks, shift + 4);
    const uint low = ws_first_four(sums);
    const uint high = ws_second_four(sums, marks, shift + 4);
    const uint before = (has_lanes(low) | has_lanes(high) << 4) * 0x11111111u;
    const uint wanted = (rows.x | rows.y) != 0 ? before >> 28 : 0;
    uint at = rank;
    if (at < wanted) {
        do {
            const uint place = bitCount((at + 8) * 0x11111111u - before & 0x88888888u);
            const uint byte = 4 * (place & 6u);
            const uint lanes = ((place & 1u) == 0 ? low : high) >> byte & 0xffu;
            const uint row = (place >> 1) + ((place & 1u) == 0 ? 0 : 4);
            atomicAdd(WsWords(rows).word[ws_bins * (first + shift + row) + lanes - 1], 1);
            at += together;
        } while (at < wanted);
    }
}

// One more execution of each row whose bit is in `used`, by the lanes that have it in `marks`: bit i is that of row `first` + i. A
// compiler cannot know how often the loop runs, since it does not know the address: it would unroll it.
void ws_count_marks(const uint first, const uint used, const uint marks)
{
    if (HAS_ROOT) {
        const uvec4 counting = subgroupBallot(COUNTS);
        const uint rank = rank_in(counting);
        const uint together = subgroupBallotBitCount(counting);
        const uint step = min(8, 8 | ws_rows.x);
        uint shift = 0;
        do {
            count_eight(first, marks & used, shift, rank, together);
            shift += step;
        } while (shift < 32 && used >> shift != 0);
    }
}

// The same of bits 0 to 7, without that loop: it is compiled faster.
void ws_count_few(const uint first, const uint used, const uint marks)
{
    if (HAS_ROOT) {
        const uvec4 counting = subgroupBallot(COUNTS);
        count_eight(first, marks & used, 0, rank_in(counting), subgroupBallotBitCount(counting));
    }
}

// One more execution of up to four rows from `first` on, by the lanes that have their bits in `marks`, which all have bit `base`. The
// rows that all of them ran are counted by one atomic: in that of `base` where it is alone, else in one that stands for just these rows,
// behind row `joint`. For example, of rows 4 to 6 with base 0, lanes that all ran rows 4 and 6 count in row `joint` + 1, whose number is
// added to both by the host. Where the lanes of a warp stay together, they cost one atomic however many blocks they ran.
void ws_count_joined(const uint first, const uint base, const uint joint, const uint marks)
{
    if (HAS_ROOT) {
        const uvec2 rows = ws_rows;
        const uvec4 counting = subgroupBallot(COUNTS);
        const uint together = subgroupBallotBitCount(counting);
        const uint sums = ws_sum_marks(marks, 0);
        const uint some = has_lanes(together * IN_BYTES - sums);
        const uint whole = (some ^ IN_BYTES) * 0x01020408u >> 24 & 0xfu;
        const uint below = (1 << base) - 1;
        const uint others = whole & below | whole >> 1 & ~below;
        const uint before = (has_lanes(sums) & some | 1 << 8 * base) * IN_BYTES;
        const uint wanted = (rows.x | rows.y) != 0 ? before >> 24 : 0;
        uint at = rank_in(counting);
        if (at < wanted) {
            do {
                const uint place = bitCount((at + 128) * IN_BYTES - before & 0x80808080u);
                const uint row = place == base && others != 0 ? joint + others - 1 : first + place;
                atomicAdd(WsWords(rows).word[ws_bins * row + (sums >> 8 * place & 0xffu) - 1], 1);
                at += together;
            } while (at < wanted);
        }
    }
}

// LOOPS. There a lane keeps how often it found that as many lanes have a mark as it is the how-manieth that counts: bytes of a word
// for four marks. For example, of lanes 0 to 7 the third keeps how often just three lanes had the mark. So each execution is kept by
// one lane, and no lane adds anything to the rows until a byte may be full, it becomes another's how-manieth, or it leaves the loop.
uint ws_together()
{
    return subgroupAdd(COUNTS ? 1 : 0);
}

// What a lane's how-manieth is, is told by `mine`: in each byte the number of bins and the lanes before it; 0 = it is not known yet, or
// the lane does not count. `left` is how many lanes were together the last time, and in its low byte how often they may count yet while
// just as many are: all of them know their ranks then, and bytes cannot overflow. It is 0 where that is not known. It is known where as
// many are together as there can be, since each was there before; and where lanes only ever leave until the place is entered anew
// (passes/instrument/fours.h, steady): as many as the last time are the same ones.
//
// Where all lanes are together, it is another number for each of four rows, and at each place: what all of them run would be kept by the
// last lane alone, and would be added by it one after the other. In warps of few lanes each place has the same bytes in another order:
// so they stay numbers of lanes that are there when one leaves.
#define LEFT_BITS   8
#define LEFT_MOST   254
#define ONE_LANE    (1u << LEFT_BITS)
#define OF_ALL      (ws_bins << LEFT_BITS) // `left` is not below it where it is of all lanes that there can be
#define SPREAD(by)  ((by) & (ws_bins - 1) * IN_BYTES)
#define MINE(rank)  ((ws_bins | (rank)) * IN_BYTES)
#define FULL(rank)  (MINE(rank) ^ SPREAD(0x03020100u))

// `mine` where all lanes that there can be are together: found where the entry point begins; 0 = they were not together there. In shaders
// with barriers nothing is kept from there on.
uint ws_full;

void ws_find_full()
{
    if (HAS_ROOT) {
        const uvec4 counting = subgroupBallot(COUNTS);
        ws_full = subgroupBallotBitCount(counting) == ws_bins ? FULL(subgroupBallotExclusiveBitCount(counting)) : 0;
    }
}

#define NEVER_FULL 1

uint ws_take_full()
{
    return ws_full != 0 ? ws_full : NEVER_FULL;
}

uint ws_first_mine()
{
    return ws_full;
}

uint ws_first_left()
{
    return ws_full != 0 ? OF_ALL | LEFT_MOST : 0;
}

// `left` where a place is entered anew: other lanes may be there.
uint ws_enter_place(const uint left)
{
    return left < OF_ALL ? 0 : left;
}

// The bytes of a word as the `place`th four rows of a place have them.
uint turned(const uint bytes, const uint place)
{
    const uint by = 8 * place & 31u;
    return by != 0 ? bytes << by | bytes >> (32 - by) : bytes;
}

// `mine` of four rows that are the `place`th ones of a place.
uint ws_owned(const uint mine, const uint left, const uint place)
{
    if (IN_HALVES) {
        return turned(mine, place);
    }
    return mine ^ (left >= OF_ALL ? SPREAD(place * 4 * IN_BYTES) : 0);
}

// Adds what was kept of four rows each. The first of four is row `first`, and the bytes of `offsets` say how far from it each is.
void ws_add_fours(const uint first_a, const uint offsets_a, const uint kept_a, const uint owned_a, const uint first_b,
                  const uint offsets_b, const uint kept_b, const uint owned_b, const uint first_c, const uint offsets_c,
                  const uint kept_c, const uint owned_c, const uint first_d, const uint offsets_d, const uint kept_d,
                  const uint owned_d)
{
    const uvec2 rows = ws_rows;
    const bool wanted = HAS_ROOT && (rows.x | rows.y) != 0;
    uint a = wanted ? kept_a : 0;
    uint b = wanted ? kept_b : 0;
    uint c = wanted ? kept_c : 0;
    uint d = wanted ? kept_d : 0;
    if ((a | b | c | d) != 0) {
        do {
            const uint kept = a != 0 ? a : b != 0 ? b : c != 0 ? c : d;
            const uint first = a != 0 ? first_a : b != 0 ? first_b : c != 0 ? first_c : first_d;
            const uint offsets = a != 0 ? offsets_a : b != 0 ? offsets_b : c != 0 ? offsets_c : offsets_d;
            const uint owned = a != 0 ? owned_a : b != 0 ? owned_b : c != 0 ? owned_c : owned_d;
            const uint shift = uint(findLSB(kept)) & 0x18u;
            const uint others = ~(0xffu << shift);
            const uint row = first + (offsets >> shift & 0xffu);
            atomicAdd(WsWords(rows).word[ws_bins * row + (owned >> shift & ws_bins - 1)], kept >> shift & 0xffu);
            d &= (a | b | c) == 0 ? others : 0xffffffffu;
            c &= (a | b) == 0 ? others : 0xffffffffu;
            b &= a == 0 ? others : 0xffffffffu;
            a &= others;
        } while ((a | b | c | d) != 0);
    }
}

#define ENTERED_ONCE 2 // passes/instrument/fours.c has it too

// What ws_settle found: `left` of now, and the bytes in which a lane still has what it kept.
uint ws_left;
uint ws_stays;

// Where one lane has left, it is enough that the last lane takes its place: so has each byte a lane that adds what it kept there, and no
// other does. What the bytes of `mine` add up to without the lane that left tells which those were. Sets the bytes that stay.
uint replace_one(const uint together, const uint before)
{
    const uint last = (ws_bins | together) * IN_BYTES;
    const uint all = (together + 1) * ws_bins + (together * (together + 1) >> 1);
    const uint gone = all * IN_BYTES - subgroupAdd(COUNTS ? before : 0);
    const uint moves = (~((before ^ last) + 0x7f7f7f7fu) >> 7 & IN_BYTES) * 0xff;
    ws_stays = ~moves;
    return COUNTS ? (before & ~moves) | (gone & moves) : 0;
}

// What a lane's how-manieth is where so many are together, as `mine`. `before` and `left` are those of the last time here; `full` is
// `mine` of when as many were together as there can be; 0 if they never were here: all of them know it, or none. `steady` is not 0 where
// lanes only leave, and ENTERED_ONCE if they enter no other time: where they do, some may know of when all were together, and others of
// fewer, until fewer come and all look for their ranks. If the lane has to, it adds what it kept of up to sixteen rows; `more` has the
// bits of what it kept besides. Software devices jump over a branch that is long or has another one in it, so nothing here needs a loop
// of its own for that.
//
// Where warps have more lanes than a few, ranks are found anew whenever not all are there. That takes few instructions on a device that
// has such, and is right however it parts warps.
uint ws_settle(const uint together, const uint full, const uint before, const uint left, const uint steady, const uint more,
               const uint first_a, const uint offsets_a, const uint kept_a, const uint first_b, const uint offsets_b,
               const uint kept_b, const uint first_c, const uint offsets_c, const uint kept_c, const uint first_d,
               const uint offsets_d, const uint kept_d)
{
    const uint now = together << LEFT_BITS;
    uint mine = before;
    ws_left = left - 1;
    ws_stays = 0xffffffffu;
    if (left - now - 2 > LEFT_MOST - 2) {
        const bool is_alike = steady == ENTERED_ONCE || (steady != 0 && left < OF_ALL);
        if (IN_HALVES && is_alike && left - now - ONE_LANE - 2 <= LEFT_MOST - 2) {
            mine = replace_one(together, before);
            ws_left = left - 1 - ONE_LANE;
        } else {
            const bool is_full = together == ws_bins && full != NEVER_FULL;
            const uint rank = subgroupExclusiveAdd(COUNTS ? 1 : 0);
            mine = is_full && full != 0 ? full : !COUNTS ? 0 : is_full ? FULL(rank) : MINE(rank);
            ws_left = is_full || (steady != 0 && IN_HALVES) ? now | LEFT_MOST : 0;
            if (mine != before || (ws_left | left) != 0 || ((kept_a | kept_b | kept_c | kept_d | more) & 0x80808080u) != 0) {
                ws_stays = 0;
            }
        }
        if (ws_stays != 0xffffffffu) {
            ws_add_fours(first_a, offsets_a, kept_a & ~ws_stays, ws_owned(before, left, 0), first_b, offsets_b,
                         kept_b & ~turned(ws_stays, 1), ws_owned(before, left, 1), first_c, offsets_c,
                         kept_c & ~turned(ws_stays, 2), ws_owned(before, left, 2), first_d, offsets_d,
                         kept_d & ~turned(ws_stays, 3), ws_owned(before, left, 3));
        }
    }
    return mine;
}

uint ws_take_left()
{
    return ws_left;
}

// Of four rows that are the `place`th ones of a place.
uint ws_take_stays(const uint place)
{
    return turned(ws_stays, place);
}

uint ws_keep_full(const uint left, const uint full, const uint mine)
{
    return left < OF_ALL ? full : mine;
}

// One more execution of four rows, by as many lanes as the bytes of `sums` say. A sum less one, with the bit of `ws_bins`, is a byte of
// `owned` where it is the lane's. A byte of `differs` has 127 at most where there are no more than 64 lanes; else the bit above may be
// its own.
uint ws_count_four(const uint kept, const uint owned, const uint sums)
{
    if (HAS_ROOT) {
        const uint differs = sums + (ws_bins - 1) * IN_BYTES ^ owned;
        const uint carried = ws_bins <= 64 ? differs + 0x7f7f7f7fu : ((differs & 0x7f7f7f7fu) + 0x7f7f7f7fu) | differs;
        return kept + (COUNTS ? ~carried >> 7 & IN_BYTES : 0);
    }
    return kept;
}

// TURNS. Lanes have left a loop and are together again, each with a number: of turns in which it ran a block, from the first turn on
// (`leaves` is 0), or of its last turn (else). Turns of lanes with one number are one turn of the warp. So a row has for each
// number another word, that of how many lanes have it, or are not below it. Returns which word of the row a lane adds to, and how
// much: each word is added to by one lane, or by several that are of different numbers, all of them at once.
uvec2 ws_turns_ballot(const uint number, const uint leaves, const uint rank, const uint counting)
{
    uint done = 0;
    uint next = 0;
    uint mine = 0;
    do {
        next = subgroupMin(number > done ? number : 0xffffffffu);
        const uint lanes = subgroupAdd(number == next || (number > done && leaves == 0) ? 1 : 0);
        mine += rank == lanes - 1 && next != 0xffffffffu ? (leaves != 0 ? 1 : next - done) : 0;
        done = next;
    } while (next != 0xffffffffu);
    return uvec2(rank, mine);
}

// The same for few lanes, each of which looks at all numbers: on a software device, a sum takes longer than that. A compiler cannot
// know that addresses of words are even, so it does not unroll the loop.
uvec2 ws_turns_shuffle(const uint number, const uint leaves, const uint rank, const uint counting)
{
    if (!IN_HALVES) {
        return ws_turns_ballot(number, leaves, rank, counting);
    }
    uint lanes = 0;
    uint below = 0;
    uint place = 0;
    bool elected = number != 0;
    const uint step = 1 + (ws_rows.x & 1u);
    for (uint lane = 0; lane < ws_bins; lane += step) {
        const uint there = counting >> lane & 1u;
        const uint other = subgroupShuffle(number, lane) * there;
        lanes += other == number || (other > number && leaves == 0) ? 1 : 0;
        below = max(below, other < number ? other : 0);
        elected = elected && !(other == number && place < rank);
        place += there;
    }
    return uvec2(lanes - 1, !elected ? 0 : leaves != 0 ? 1 : number - below);
}

// Each has begun so many turns of the loop, and ran in the last one what it has marks of. What all lanes run that end a turn, a lane has
// run in all turns but the last, and in that if it has the mark: so many times in a row, from the first turn on. What lanes run that
// leave the loop then (bits of `leaving`), it has run in its last turn or not at all. Up to four loops are counted at once, so that a
// driver compiles this code less often: first, used, leaving, turns and marks of each; nothing is used of those that are not there.
void ws_count_turns(const uint first_a, const uint used_a, const uint leaving_a, const uint turns_a, const uint marks_a,
                    const uint first_b, const uint used_b, const uint leaving_b, const uint turns_b, const uint marks_b,
                    const uint first_c, const uint used_c, const uint leaving_c, const uint turns_c, const uint marks_c,
                    const uint first_d, const uint used_d, const uint leaving_d, const uint turns_d, const uint marks_d)
{
    if (HAS_ROOT) {
        const uvec2 rows = ws_rows;
        const uvec4 counting = subgroupBallot(COUNTS);
        const uint rank = rank_in(counting);
        const bool wanted = rank != NO_RANK && (rows.x | rows.y) != 0;
        uint a = used_a;
        uint b = used_b;
        uint c = used_c;
        uint d = used_d;
        do {
            const uint left = a != 0 ? a : b != 0 ? b : c != 0 ? c : d;
            const uint first = a != 0 ? first_a : b != 0 ? first_b : c != 0 ? first_c : first_d;
            const uint leaving = a != 0 ? leaving_a : b != 0 ? leaving_b : c != 0 ? leaving_c : leaving_d;
            const uint turns = a != 0 ? turns_a : b != 0 ? turns_b : c != 0 ? turns_c : turns_d;
            const uint marks = a != 0 ? marks_a : b != 0 ? marks_b : c != 0 ? marks_c : marks_d;
            const uint bit = left & (~left + 1u);
            const uint row = first + uint(findMSB(bit));
            const uint leaves = leaving & bit;
            const uint last = (marks & bit) != 0 ? 1 : 0;
            const uint number = rank == NO_RANK ? 0 : leaves != 0 ? last * turns : turns - 1 + last;
            const uvec2 added = ws_turns_shuffle(number, leaves, rank, counting.x);
            if (wanted && added.y != 0) {
                atomicAdd(WsWords(rows).word[ws_bins * row + added.x], added.y);
            }
            d &= (a | b | c) == 0 ? ~bit : 0xffffffffu;
            c &= (a | b) == 0 ? ~bit : 0xffffffffu;
            b &= a == 0 ? ~bit : 0xffffffffu;
            a &= ~bit;
        } while ((a | b | c | d) != 0);
    }
}

// LEFT TURNS. Lanes have returned out of a loop of a function, behind whose call they are together again, each with the number of turns
// that it began: in the last one it returned, all others it ended. Such loops mostly take few turns. So how many lanes ended each of the
// first ones is added up at once, in the half bytes or bytes of one word; and what fewer ended than the turn before, returned in it. Only
// of further turns each lane looks for other numbers.
#define TURN_BITS (IN_HALVES ? 4u : 8u)
#define TURN_MASK (IN_HALVES ? 0xfu : 0xffu)
#define TURN_ONES (IN_HALVES ? 0x11111111u : IN_BYTES)
#define TURNS     (IN_HALVES ? 8u : 4u)

uint ws_turns;

void ws_leave_turns(const uint turns)
{
    ws_turns = turns;
}

// Counts what lanes ran that ended a turn, and that in which they returned. As many lanes as are together take as many rows of turns at
// a time, those of one turn after those of another.
void ws_count_left_turns(const uint row_again, const uint row_end)
{
    if (HAS_ROOT) {
        const uvec2 rows = ws_rows;
        const uvec4 counting = subgroupBallot(COUNTS);
        const uint rank = rank_in(counting);
        const uint together = subgroupBallotBitCount(counting);
        const uint ended = COUNTS ? ws_turns - 1 : 0;
        const uint again = subgroupAdd(ended < TURNS ? TURN_ONES & (1u << TURN_BITS * ended) - 1u : TURN_ONES);
        const uint end = (again << TURN_BITS | together) - again;
        const bool is_counted = (rows.x | rows.y) != 0;
        const uint wanted = is_counted ? 2 * min(TURNS, 1 + uint(findMSB(again) + int(TURN_BITS)) / TURN_BITS) : 0;
        uint at = rank;
        if (at < wanted) {
            do {
                const bool is_end = (at & 1u) != 0;
                const uint lanes = (is_end ? end : again) >> TURN_BITS * (at >> 1) & TURN_MASK;
                if (lanes != 0) {
                    atomicAdd(WsWords(rows).word[ws_bins * (is_end ? row_end : row_again) + lanes - 1], 1);
                }
                at += together;
            } while (at < wanted);
        }
        if (again >> TURN_BITS * (TURNS - 1) != 0) {
            const uint further = ended - min(ended, TURNS - 1);
            uint leaves = 0;
            do {
                const uvec2 added = ws_turns_shuffle(leaves != 0 ? further : further - min(further, 1), leaves, rank, counting.x);
                if (is_counted && rank != NO_RANK && added.y != 0) {
                    atomicAdd(WsWords(rows).word[ws_bins * (leaves != 0 ? row_end : row_again) + added.x], added.y);
                }
                leaves += 1 + (rows.x & 1u);
            } while (leaves < 2);
        }
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
