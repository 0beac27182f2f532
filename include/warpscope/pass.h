/* Writing a pass: what decides where code is put into a shader, and which primitive is called there.
 *
 * A pass is a constant struct of data and one callback. The runner alone walks the module; it visits the
 * pass at every place that the pass asked for, and what the callback asks for in a visit is put at that
 * place. Passes hold no state: the same pass may run in several threads at once. Places, in the order in
 * which a warp meets them and in which their code stands (sync comes right after block and before):
 *
 *   entry    where an entry point begins
 *   block    where a basic block begins, every one that control flow can reach
 *   before   before each instruction with one of the pass's opcodes
 *   end      before what ends the shader invocation: OpReturn of an entry point's
 *            function; anywhere OpKill, OpTerminateInvocation, OpIgnoreIntersectionKHR and its NV form,
 *            OpTerminateRayKHR and its NV form, OpEmitMeshTasksEXT, OpUnreachable; and before
 *            OpDemoteToHelperInvocation, which ends the lane as one that counts, though its code runs on
 *   after    after each instruction with one of the pass's opcodes
 *   sync     where a block begins that is a sync point of an instruction with one of the pass's opcodes, and
 *            before each OpFunctionCall that leads to such an instruction (passes/sync.h has the rule)
 *
 * Several passes at one place come in the order in which they were asked for. A pass is made known by one
 * line in passes/registry.c. */
#ifndef WARPSCOPE_PASS_H
#define WARPSCOPE_PASS_H

#include <stddef.h>
#include <stdint.h>

#include "warpscope/instrument.h"

struct ws_visit;

enum ws_place {
    WS_PLACE_ENTRY = 1 << 0,
    WS_PLACE_BLOCK = 1 << 1,
    WS_PLACE_BEFORE = 1 << 2,
    WS_PLACE_END = 1 << 3,
    WS_PLACE_AFTER = 1 << 4,
    WS_PLACE_SYNC = 1 << 5,
};

struct ws_pass {
    const char *name;        /* as settings and reports write it */
    const char *summary;     /* one line */
    uint32_t stages;         /* mask of ws_stage in which it has something to do */
    uint32_t places;         /* mask of ws_place to be visited at */
    const uint16_t *opcodes; /* SPIR-V opcodes for WS_PLACE_BEFORE, _AFTER and _SYNC; NULL for none. Not those
                                that open a block (OpLabel, OpPhi, OpVariable) or that merge */
    size_t opcode_count;
    void (*visit)(struct ws_visit *visit);
};

/* What a visit is about. Only valid within the callback. */

enum ws_place ws_visit_place(const struct ws_visit *visit);

/* Mask of the stages whose entry points reach this place, of those that are being instrumented. */
uint32_t ws_visit_stages(const struct ws_visit *visit);

/* At before, end, after, and sync before an OpFunctionCall: the instruction's opcode. Else 0. */
uint16_t ws_visit_opcode(const struct ws_visit *visit);

/* Likewise: operand word `index` of the instruction, counted from 0 after the opcode word,
 * result type and result id included; 0 where it has fewer. An id may be handed to a primitive, except that
 * the result exists only at after. */
uint32_t ws_visit_operand(const struct ws_visit *visit, uint32_t index);

/* What a visit may ask for. A request that cannot be fulfilled (site limit reached, stage without subgroup
 * operations, ...) is counted as skipped, with the reason, and the visit goes on. */

/* Id of a 32-bit unsigned constant. */
uint32_t ws_visit_constant(struct ws_visit *visit, uint32_t value);

/* Counts the executions of the block that the place is in, in a histogram row (root.h). Blocks that always
 * run with the same lanes share one row, which is counted at the first of them, and so do all passes. */
void ws_visit_count(struct ws_visit *visit);

/* Counts the executions of just this place, in a histogram row of its own that all passes share: not those of
 * the block that it is in, since a warp may have been split since that began. */
void ws_visit_count_place(struct ws_visit *visit);

/* Appends a place record (records.h): which lanes are here, in which execution of which shader. An entry
 * record is put into every entry point that reaches a record; at entry there is only that. Where there is
 * one, the check for a continuation stands behind every instruction after which lanes may be in other warps
 * (calls.h), before what passes ask for after it. Neither counts for options.max_sites. Never recorded
 * twice is what another record shows already:
 *   - all passes that ask for it at the same place share one record;
 *   - a place that follows on another recorded place of the same block, with nothing between them that calls
 *     (OpFunctionCall, traceRay, executeCallable, reportIntersection, ...) or ends lanes, has the same lanes
 * at the same time: its site is listed with the number of that one's record;
 *   - so is the beginning of a block with one predecessor that has one successor, that no call stands in
 * after its last recorded place, and that cannot part a warp (calls.h): pieces may meet again where the block
 *     begins. Nor is it where lanes meet otherwise (equivalence.h: its mask context is another), and never
 * with options.per_block.
 *
 * Sites with one number stand in the order in which lanes come through them.
 *
 * Entry records and data records are no such places. */
void ws_visit_record(struct ws_visit *visit);

/* Most words per lane of a data record. */
#define WS_DATA_WORDS_MAX 8

/* Appends a data record: `arguments` are `count` ids of 32-bit unsigned integers, 1 to WS_DATA_WORDS_MAX,
 * that each lane appends. */
void ws_visit_record_data(struct ws_visit *visit, const uint32_t *arguments, uint32_t count);

#endif
