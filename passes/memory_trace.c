/* memory_trace: which bytes of memory each lane loads, stores and changes atomically, in what order.
 *
 * Accesses of a block that are known together are one record (warpscope/spirv/stretches.h): of each active lane the words that
 * its addresses are made of. For example, b.xs[i] = a.xs[i] + a.xs[i + 1] makes one record of one word per lane, i. An access
 * whose address the shader says by itself, such as b.count, adds no word; a stretch of such accesses shares the record of
 * its block. The end of each lane is recorded too, so that a reader can forget the warp.
 *
 * LEFT OUT, with its reason: what memory_access leaves out. Accesses to Workgroup memory are not recorded: it lies in no cache,
 * and memory_access counts its conflicts.
 *
 * COST. Per warp and stretch 8 bytes, and 4 bytes per active lane and word; a device address, and a texel of an image that has
 * layers or levels, is two words. A sample has its coordinates, which samples of several images share, the size of its image,
 * and where the shader does not say level 0 the level. */
#include "warpscope/access_opcodes.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"

static void visit(struct ws_visit *visit)
{
    if (ws_visit_place(visit) == WS_PLACE_END)
        ws_visit_record(visit, WS_TAG_MEMORY_TRACE_END);
    else if (ws_visit_access_count(visit) == 0)
        ws_visit_skip(visit, ws_access_left_out(ws_visit_opcode(visit)));
    else
        ws_visit_record_accesses(visit);
}

extern const struct ws_pass ws_pass_memory_trace;

const struct ws_pass ws_pass_memory_trace = {
    .name = WS_PASS_MEMORY_TRACE,
    .summary =
        "the address of each load, store and atomic, in order: what caches would make of it; not part of all",
    .stages = WS_STAGES_ALL,
    .stages_by_opcode = WS_STAGES_ALL,
    .places = WS_PLACE_BEFORE | WS_PLACE_END,
    .opcodes = ws_access_opcodes,
    .opcode_count = sizeof(ws_access_opcodes) / sizeof(ws_access_opcodes[0]),
    .visit = visit,
};
