// How the lanes of a warp share memory: histogram rows of distinct pieces per access. See warpscope/passes.h.
//
// Pieces are counted one after the other. The lowest lane that has one left names it; all lanes whose part of the access
// touches it strike it out; it is counted once. So it takes as many turns as there are distinct pieces, one where all lanes
// share a piece. Each lane has its pieces as bits, from the first that it touches on.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "lanes.glsl"
#include "rows.glsl"
#include "warpscope/texel_shifts.h"

#define SECTOR_SHIFT 5 /* 32 bytes */
#define LINE_SHIFT   7 /* 128 bytes */
#define BANK_SHIFT   2 /* 4 bytes */
#define BANKS        32
#define FEW_LANES    8

bool is_lowest(const uvec4 ballot)
{
    return subgroupBallotExclusiveBitCount(ballot) == 0;
}

// How many distinct pieces of 2^shift bytes the lanes touch that count: each `size` bytes from the address high:low on.
uint count_pieces(const uint low, const uint high, const uint size, const uint shift)
{
    const uint first = low >> shift | high << (32 - shift);
    const uint above = high >> shift;
    const uint more = ((low & ((1u << shift) - 1)) + size - 1) >> shift;
    uint left = mix(0u, 0xffffffffu >> (31 - more), COUNTS);
    uint distinct = 0;
    uvec4 waiting = subgroupBallot(left != 0);
    while (waiting != uvec4(0)) {
        const uint lowest = subgroupBallotFindLSB(waiting);
        const uint piece = subgroupShuffle(first + findLSB(left), lowest);
        const bool is_near = above == subgroupShuffle(above, lowest) && piece - first <= more;
        left &= ~mix(0u, 1u << (piece - first & 31u), is_near);
        distinct++;
        waiting = subgroupBallot(left != 0);
    }
    return distinct;
}

// One more access: in row `row` and `sector_rows` - 1 that follow, as one histogram of distinct sectors of 32 bytes; in the
// rows behind these, of distinct lines of 128 bytes, but only where there is more than one sector: one sector is in one line.
// `low` and `high` are the address in bytes; of a buffer the offset, and which of its array it is.
void ws_count_access(const uint row, const uint sector_rows, const uint size, const uint low, const uint high)
{
    const uvec2 rows = ws_rows;
    if ((rows.x | rows.y) != 0) {
        const uint sectors = count_pieces(low, high, size, SECTOR_SHIFT);
        const bool is_elected = COUNTS && is_lowest(subgroupBallot(COUNTS));
        if (is_elected) {
            atomicAdd(WsWords(rows).word[ws_bins * row + sectors - 1], 1);
        }
        if (sectors > 1) {
            const uint lines = count_pieces(low, high, size, LINE_SHIFT);
            if (is_elected) {
                atomicAdd(WsWords(rows).word[ws_bins * (row + sector_rows) + lines - 1], 1);
            }
        }
    }
}

// One more access to texels whose size the shader does not know. `low` is the index in tiles, `high` says what they are in
// (warpscope/spirv/texels.h). Counts per lane its shift, in the words behind `row` (warpscope/texel_shifts.h).
//
// Each lane looks at those before it, one after the other. The highest bit in which two texels differ tells the least k at
// which they share a tile, so it keeps the least difference: as many turns as a warp has lanes, without a ballot in them.
// Then all lanes add at once. Software devices make a loop over the lanes of each atomic anyhow; where warps are wider, lanes
// with one shift add together.
void ws_count_texels(const uint row, const uint low, const uint high)
{
    const uvec2 rows = ws_rows;
    if ((rows.x | rows.y) != 0) {
        const uvec4 counting = subgroupBallot(COUNTS);
        const uint lane = subgroupBallotExclusiveBitCount(uvec4(0xffffffffu)); // as many bits are below this lane's
        uint least = 0xffffffffu;
        for (uint i = 1; i < ws_bins; i++) {
            const uint other = lane - min(i, lane);
            const uint differs = low ^ subgroupShuffle(low, other);
            const bool is_same_image = high == subgroupShuffle(high, other);
            const bool is_before = subgroupBallotBitExtract(counting, other);
            least = is_same_image && is_before && other != lane ? min(least, differs) : least;
        }
        const uint shift = min(uint(findMSB(least) + 1), WS_TEXEL_SHIFTS);
        bool adds = COUNTS && shift != 0;
        uint lanes = 1;
        if (ws_bins > FEW_LANES) {
            for (uint i = 1; i <= WS_TEXEL_SHIFTS; i++) {
                const uvec4 same = subgroupBallot(adds && shift == i);
                const uint count = subgroupBallotBitCount(same);
                const bool is_first = is_lowest(same);
                lanes = shift == i ? count : lanes;
                adds = adds && (shift != i || is_first);
            }
        }
        if (adds) {
            atomicAdd(WsWords(rows).word[ws_bins * row + shift - 1], lanes);
        }
    }
}

// In how many passes memory of 32 banks serves the lanes that count, each of which wants the word with this number: the most
// distinct words of one bank.
uint count_passes(const uint word)
{
    bool is_left = COUNTS;
    bool is_first = false;
    uvec4 waiting = subgroupBallot(is_left);
    while (waiting != uvec4(0)) { // once for each distinct word: one lane of each remains
        is_first = is_first || (is_left && is_lowest(waiting));
        is_left = is_left && word != subgroupShuffle(word, subgroupBallotFindLSB(waiting));
        waiting = subgroupBallot(is_left);
    }
    uint passes = 0;
    waiting = subgroupBallot(is_first);
    while (waiting != uvec4(0)) { // once for each bank
        const bool is_same = is_first && word % BANKS == subgroupShuffle(word, subgroupBallotFindLSB(waiting)) % BANKS;
        passes = max(passes, subgroupBallotBitCount(subgroupBallot(is_same)));
        is_first = is_first && !is_same;
        waiting = subgroupBallot(is_first);
    }
    return passes;
}

// One more access to Workgroup memory: in `row` and the `words` - 1 rows that follow, as one histogram of the passes, those of
// all `words` words of each lane together. `low` is the address in bytes.
//
// BANKS neighbouring words are in as many banks: where all lanes are less than that behind the lowest one, no two of them want
// different words of one bank. One value for all lanes and one word for each are such.
void ws_count_banks(const uint row, const uint words, const uint low)
{
    const uvec2 rows = ws_rows;
    if ((rows.x | rows.y) != 0) {
        const uint word = low >> BANK_SHIFT;
        const uvec4 counting = subgroupBallot(COUNTS);
        const uint behind = word - subgroupShuffle(word, subgroupBallotFindLSB(counting));
        uint passes = words;
        if (subgroupBallot(COUNTS && behind >= BANKS) != uvec4(0)) {
            passes = 0;
            for (uint i = 0; i < words; i++) {
                passes += count_passes(word + i);
            }
        }
        if (COUNTS && is_lowest(counting)) {
            atomicAdd(WsWords(rows).word[ws_bins * row + passes - 1], 1);
        }
    }
}

void main()
{
}
