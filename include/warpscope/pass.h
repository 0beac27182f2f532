/* Writing a pass: what decides where code is put into a shader, and which primitive is called there.
 *
 * A pass is a constant struct of data and one callback. The runner alone walks the module; it visits the
 * pass at every place that the pass asked for, and what the callback asks for in a visit is put at that
 * place. Passes hold no state: the same pass may run in several threads at once. Places, in the order in
 * which a warp meets them and in which their code stands:
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
 * before each OpFunctionCall that leads to such an instruction (passes/sync.h has the rule)
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
    const uint16_t *opcodes; /* SPIR-V opcodes for WS_PLACE_BEFORE and WS_PLACE_AFTER; NULL for none. Not
                                those that open a block (OpLabel, OpPhi, OpVariable) or that merge */
    size_t opcode_count;
    void (*visit)(struct ws_visit *visit);
};

/* What a visit is about. Only valid within the callback. */

enum ws_place ws_visit_place(const struct ws_visit *visit);

/* Mask of the stages whose entry points reach this place, of those that are being instrumented. */
uint32_t ws_visit_stages(const struct ws_visit *visit);

/* At before, end and after: the instruction's opcode. Else 0. */
uint16_t ws_visit_opcode(const struct ws_visit *visit);

/* At before, end and after: operand word `index` of the instruction, counted from 0 after the opcode word,
 * result type and result id included; 0 where it has fewer. An id may be handed to a primitive, except that
 * the result exists only at after. */
uint32_t ws_visit_operand(const struct ws_visit *visit, uint32_t index);

/* The number that the next site of this visit gets: its index in struct ws_instrumented's sites. */
uint32_t ws_visit_site(const struct ws_visit *visit);

/* What a visit may ask for. A request that cannot be fulfilled (site limit reached, stage without subgroup
 * operations, ...) is counted as skipped, with the reason, and the visit goes on. */

/* Id of a 32-bit unsigned constant. */
uint32_t ws_visit_constant(struct ws_visit *visit, uint32_t value);

/* Counts the executions of the block that the place is in, in a histogram row (root.h). Blocks that always
 * run with the same lanes share one row, which is counted at the first of them, and so do all passes. */
void ws_visit_count(struct ws_visit *visit);

/* Calls a primitive that appends to the record stream. `primitive` is one of the generated enum ws_primitive,
 * named without its suffix for lanes; `arguments` are `count` ids of 32-bit unsigned integers. */
void ws_visit_record(struct ws_visit *visit, uint32_t primitive, const uint32_t *arguments, uint32_t count);

#endif
