/* memory_access: how well the lanes of each warp share what they load, store and change atomically.
 *
 * Every access to memory that invocations share, or that the application wrote, has rows of its own, counted where the
 * access stands, with the lanes that are active there (passes/primitives/access.glsl):
 *
 *   buffers, device addresses,  distinct sectors of 32 bytes, and distinct lines of 128 bytes, that the warp touches
 *   texels
 *   Workgroup                   passes over 32 banks of 4 bytes: the most distinct words of one bank
 *
 * For example, a warp of 8 lanes that loads 8 neighbouring floats from a multiple of 32 on touches 1 sector; one that
 * loads every 32nd float 8 sectors, each of another line. The block's row tells how many lanes were active (pass.h,
 * ws_visit_count): all lanes of a block come to each of its accesses.
 *
 * Addresses of buffers are offsets from the begin of what is bound. They count as if that were a multiple of 128 bytes;
 * devices ask for a multiple of 16 to 256 (minStorageBufferOffsetAlignment). Of an array of descriptors each element is
 * memory of its own.
 *
 * A vector of N components in Workgroup memory is N words one after the other, as if each were loaded by itself.
 *
 * Where the address is a constant, as of most members of uniform blocks, nothing is counted: each execution of the block
 * touches the same pieces.
 *
 * Texels of images are where the model of warpscope/spirv/texels.h has them; those of texel buffers lie side by side. Where the
 * shader does not say their size, tiles of all sizes are counted (warpscope/texel_shifts.h): the format of the view that was
 * bound tells which of them are sectors and lines.
 *
 * Samples count as the one texel that they point to, as by a sampler that filters nothing and repeats: the report says of how
 * many their sampler does more, and memory_trace records what that needs.
 *
 * LEFT OUT, with its reason: cooperative matrices, of which only the device knows the place; pointers
 * that are made in ways that are not followed (warpscope/spirv/pointers.h); what has no layout; columns of row-major matrices;
 * stages without ballots and shuffles; blocks that the budget of sites leaves out.
 *
 * COST. One atomic per warp and access, two where it touches several sectors; a ballot and two shuffles for each distinct
 * sector and line. Where the size of texels is not known, a ballot, two shuffles for each lane that a warp can have, and one
 * atomic of several lanes; with more than 8 lanes, a ballot for each size of tile besides. A sample asks for the size of its
 * image before that, and for the level that derivatives give it. In Workgroup memory two ballots and a shuffle where all
 * lanes are within 32 words of the lowest one. */
#include "warpscope/access_opcodes.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"

static void visit(struct ws_visit *visit)
{
    const uint32_t count = ws_visit_access_count(visit);
    if (count == 0)
        ws_visit_skip(visit, ws_access_left_out(ws_visit_opcode(visit)));
    for (uint32_t i = 0; i < count; i++)
        if (ws_visit_count_access(visit, i))
            ws_visit_count(visit, WS_TAG_MEMORY_ACCESS_BLOCK);
}

extern const struct ws_pass ws_pass_memory_access;

const struct ws_pass ws_pass_memory_access = {
    .name = WS_PASS_MEMORY_ACCESS,
    .summary = "how warps share what they load and store: sectors and lines touched, bank conflicts; not "
               "part of all",
    .stages = WS_STAGES_ALL,
    .stages_by_opcode = WS_STAGES_ALL,
    .places = WS_PLACE_BEFORE,
    .opcodes = ws_access_opcodes,
    .opcode_count = sizeof(ws_access_opcodes) / sizeof(ws_access_opcodes[0]),
    .visit = visit,
};
