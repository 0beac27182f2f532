/* Writing a pass. A pass decides where code is put into a shader, and which primitive is called there.
 *
 * A pass is a constant struct of data with one callback. The runner walks the module and visits the pass at
 * every place that the pass wants. What the callback asks for in a visit is put at that place. A pass holds
 * no state, so one pass may run in several threads at once. For example, this counts every block
 * (passes/simt_efficiency.c is this whole pass):
 *
 *   static void visit(struct ws_visit *visit)
 *   {
 *       ws_visit_count(visit, 0);
 *   }
 *
 *   const struct ws_pass ws_pass_mine = {
 *       .name = "mine", .summary = "executions of blocks", .stages = WS_STAGES_ALL, .places = WS_PLACE_BLOCK,
 *       .visit = visit,
 *   };
 *
 * These are the places, in the order in which a warp comes to them. Their code stands in the same order; sync
 * stands right after block, and right after before.
 *
 *   loop end where the merge block of a loop begins; and before each instruction within the loop that leaves its
 *            function (leave), once for each loop around it, the inner one first
 *   entry    where an entry point begins
 *   function where a function begins, that of an entry point too
 *   loop begin    where control comes to a loop from outside; where that stands at the header, ws_visit_first tells
 *            whether it does
 *   iterate  where an iteration of a loop begins (passes/flow/loops.h)
 *   block    where a basic block begins; every block that control flow can reach has one. Code behind what may end
 *            lanes, such as a call of a function that discards, is a block of its own (warpscope/spirv/cuts.h)
 *   before   before each instruction with one of the pass's opcodes
 *   leave    before each instruction that leaves the function: OpReturn, OpReturnValue, and what stands under end
 *   end      before each instruction that ends the shader invocation: OpReturn of an entry point's function;
 *            in any function OpKill, OpTerminateInvocation, OpIgnoreIntersectionKHR and its NV form,
 *            OpTerminateRayKHR and its NV form, OpEmitMeshTasksEXT, OpAbortKHR and OpUnreachable. Also before
 *            OpDemoteToHelperInvocation: the lane runs on as a helper, and helpers are not counted
 *   after    after each instruction with one of the pass's opcodes
 *   sync     where a block begins that is a sync point of an instruction with one of the pass's opcodes, and
 *            before each OpFunctionCall that leads to such an instruction (the rule: warpscope/spirv/sync_points.h)
 *
 *   returned behind the function of an entry point, where lanes that returned from it are together again, by whatever
 *            OpReturn; lanes that another instruction ended never come there. The function is wrapped in another one
 *            for it (passes/instrument/wrap.c). Only ws_visit_count_place is possible there. It comes last
 *
 * Several passes are visited at one place in the order of options.passes. One line in
 * passes/instrument/registry.c makes a pass known. */
#ifndef WARPSCOPE_PASS_H
#define WARPSCOPE_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/instrument.h"

/* One place, while one pass is visited there. The runner owns it. It is valid only within the callback, and
 * only the thread that runs the callback may use it. */
struct ws_visit;

/* The kinds of places, as bits of a mask. The opening of this file explains each. */
enum ws_place {
    WS_PLACE_ENTRY = 1 << 0,
    WS_PLACE_BLOCK = 1 << 1,
    WS_PLACE_BEFORE = 1 << 2,
    WS_PLACE_END = 1 << 3,
    WS_PLACE_AFTER = 1 << 4,
    WS_PLACE_SYNC = 1 << 5,
    WS_PLACE_RETURNED = 1 << 6,
    WS_PLACE_FUNCTION = 1 << 7,
    WS_PLACE_LEAVE = 1 << 8,
    WS_PLACE_LOOP_BEGIN = 1 << 9,
    WS_PLACE_LOOP_ITERATE = 1 << 10,
    WS_PLACE_LOOP_END = 1 << 11,
};

/* A pass. Everything in it is static. */
struct ws_pass {
    const char *name;    /* as settings and reports write it */
    const char *summary; /* one line */
    uint32_t stages;     /* mask of ws_stage: shaders of other stages are not visited */
    uint32_t places;     /* mask of ws_place: where the pass is visited */
    /* Mask of ws_stage, of those above. An entry point of such a stage is visited only where it reaches an
     * instruction with one of the pass's opcodes. For example, ray_events has nothing to record in a fragment
     * shader without rays. An entry point that no pass visits stays word for word what it was. */
    uint32_t stages_by_opcode;
    /* The SPIR-V opcodes for WS_PLACE_BEFORE, _AFTER and _SYNC; NULL for none. Opcodes that open a block
     * (OpLabel, OpPhi, OpVariable) and merge instructions are not allowed. */
    const uint16_t *opcodes;
    size_t opcode_count;
    void (*visit)(struct ws_visit *visit); /* called at each place; asks for what is to be put there */
    void *data;                            /* what ws_visit_data returns: for the pass alone */
};

/* ---- What a visit is about. These functions cannot fail. ---- */

/* The place: one bit of enum ws_place. */
enum ws_place ws_visit_place(const struct ws_visit *visit);

/* The pass's `data`. */
void *ws_visit_data(const struct ws_visit *visit);

/* At loop begin, iterate and loop end: the word offset of the loop's OpLoopMerge in the original module, which tells loops
 * apart. WS_NONE elsewhere. */
uint32_t ws_visit_loop(const struct ws_visit *visit);

/* Mask of stages: those of the instrumented entry points that reach this place. */
uint32_t ws_visit_stages(const struct ws_visit *visit);

/* Mask of stages: those of all entry points that reach this place, instrumented or not. Bit 0x80000000 stands
 * for a stage that is not known. Code that is put here must be valid in all of these stages. */
uint32_t ws_visit_reached(const struct ws_visit *visit);

/* The opcode of the instruction that the place is about. 0 at a place that is about none: entry, block, and
 * sync where a block begins. */
uint16_t ws_visit_opcode(const struct ws_visit *visit);

/* Operand word `index` of that instruction. Words are counted from 0 after the opcode word; result type and
 * result id count too. 0 where the instruction has fewer, or there is no instruction. An operand that is an
 * id may be passed to a primitive. The result id may be passed only at after: before, it does not exist
 * yet. */
uint32_t ws_visit_operand(const struct ws_visit *visit, uint32_t index);

/* The opcode of the instruction that defines an id of the original module; 0 where none does. With it a pass follows
 * operands to where they come from. For example, a multiplication by a constant:
 *
 *   ws_visit_opcode(visit) == SpvOpFMul && ws_visit_definition(visit, ws_visit_operand(visit, 3)) == SpvOpConstant
 *
 * A constant vector is an OpConstantComposite, what a shader is specialized by an OpSpecConstant. */
uint16_t ws_visit_definition(const struct ws_visit *visit, uint32_t id);

/* Operand word `index` of that instruction, counted as those of ws_visit_operand are: the type of a value is word 0, the bits
 * of a 32-bit OpConstant are word 2. 0 where it has fewer, or none defines the id. */
uint32_t ws_visit_definition_operand(const struct ws_visit *visit, uint32_t id, uint32_t index);

/* Whether the driver can compile a use of the result of the OpReportIntersectionKHR that is visited
 * (ws_instrument_options.without_report_results). If not, the place is counted as skipped. */
bool ws_visit_can_use_report(struct ws_visit *visit);

/* Whether the module declares a capability (SpvCapability). */
bool ws_visit_has_capability(const struct ws_visit *visit, uint32_t capability);

/* ---- What a visit may ask for. A request that cannot be met (the site limit is reached, the stage has no
 * subgroup operations, ...) is counted as skipped, with the reason, and the visit goes on. Out of memory
 * fails the whole module: every later request does nothing, and ws_instrument returns the error. ---- */

/* At loop begin: id of a boolean that tells whether control comes from outside of the loop, and not from an iteration.
 * Elsewhere the constant true. 0 when the module has failed. */
uint32_t ws_visit_first(struct ws_visit *visit);

/* Id of a constant of the type 32-bit unsigned integer; 0 when the module has failed. */
uint32_t ws_visit_constant(struct ws_visit *visit, uint32_t value);

/* Whether the id is that of a constant of the type 32-bit unsigned integer, and which. Specialization constants are none: a
 * pipeline may change them. */
bool ws_visit_constant_value(const struct ws_visit *visit, uint32_t id, uint32_t *value);

/* Counts this place as skipped: the pass has nothing for it, or less than it should. `reason` says why, as a
 * static string of one clause. For example "the ray query is no variable". */
void ws_visit_skip(struct ws_visit *visit, const char *reason);

/* TAGS. Each request below makes a site (struct ws_site_info) with the pass and a tag. The tag is a number
 * that the pass chooses. The analysis of the pass finds its sites by pass and tag. A built-in pass publishes
 * its tags as an enum in passes.h. A pass with one kind of site may use 0 everywhere. Several passes may
 * share a counter row or a record, which costs as much as one; each pass still has its own site. */

/* Counts the executions of the block that the place is in, in a histogram row (root.h). Blocks that always
 * run with the same lanes share one row (passes/flow/equivalence.h); it is counted at the first of them. All
 * passes share it too. */
void ws_visit_count(struct ws_visit *visit, uint32_t tag);

/* Counts the executions of just this place, in a histogram row of its own. All passes share that row. The
 * number may differ from that of the block, since a warp may split after the block has begun. */
void ws_visit_count_place(struct ws_visit *visit, uint32_t tag);

/* How many accesses to memory the instruction has (warpscope/spirv/access.h): 1 for a load, store or atomic, 2 for a copy, the
 * store first; else 0. */
uint32_t ws_visit_access_count(const struct ws_visit *visit);

/* Counts how the lanes of each warp share what access `index` of the instruction touches (warpscope/spirv/access.h): distinct
 * sectors and lines, or passes over banks, in rows and with the tag that warpscope/passes.h describes. The place must be before
 * the instruction. Returns false, and puts nothing, where the access is to no shared memory; or, and then it is counted as
 * skipped, where its address is not known or nothing can be counted. */
bool ws_visit_count_access(struct ws_visit *visit, uint32_t index);

/* Appends a place record (records.h). It says which lanes are here, and in which execution of which shader.
 *
 * The runner adds two things of its own, which belong to no pass and do not count for options.max_sites:
 *   - an entry record, in every entry point that reaches a record. At entry this request adds no record: its
 *     site has the number of the entry record;
 *   - a check for a continuation, after every instruction after which lanes may be in other warps (calls.h).
 *     It stands before what passes ask for after that instruction.
 *
 * A place that shares the lanes of an earlier record gets no record. Its site has the number of that record:
 *   - all passes that ask at one place share one record;
 *   - a place shares the record of an earlier place of its block, unless an instruction between them calls
 *     (OpFunctionCall, traceRay, executeCallable, reportIntersection, ...) or ends lanes;
 *   - the beginning of a block shares the last record of its predecessor when all of this holds: the block
 *     has one predecessor, which has one successor; no call follows that last record in the predecessor; the
 *     predecessor cannot part a warp (calls.h), or was cut at its end (cuts.h); both blocks have the same mask
 *     context (equivalence.h), so no other lanes join, or the predecessor was cut; options.per_block is false.
 * For example, in `a = x; traceRay(...); b = y;` a place before traceRay shares the record of the block; a
 * place after it has a record of its own.
 *
 * Sites with one number stand in the order in which lanes come through them.
 *
 * A data record shows the lanes of places behind it, as a place record does, but for one of a clock, which is of one lane, and
 * one at a place of a loop. The order of records is the order of what a thread did, so a place after a data record never shares
 * a record before it.
 *
 * At an end, and behind an instruction, the place stands after the data records of all passes, in whichever order they were
 * asked for. Lanes have ended with that of an end. */
void ws_visit_record(struct ws_visit *visit, uint32_t tag);

/* Most words per lane of a data record. */
#define WS_DATA_WORDS_MAX 16

/* Appends a data record (records.h). `arguments` are the ids of `count` 32-bit unsigned integers, 1 to
 * WS_DATA_WORDS_MAX; each lane appends its values, but for those that are constants (ws_visit_constant_value): these are told
 * once, with the site, and readers put them back. So ask for words by ws_visit_words, which keeps constants. If an argument
 * is 0, because a function below could not compute it, no record is put here, and the place is counted as skipped. */
void ws_visit_record_data(struct ws_visit *visit, uint32_t tag, const uint32_t *arguments, uint32_t count);

/* Records the addresses of the stretch of accesses (warpscope/spirv/stretches.h) that ends with this instruction, if one does:
 * a data record of its words, or a place record where it has none, with the tag ws_stretch_tag. The place must be before the
 * instruction. Accesses of the instruction whose address is not known are counted as skipped. */
void ws_visit_record_accesses(struct ws_visit *visit);

/* The clock that can be read (instrument.h). */
enum ws_clock ws_visit_clock(const struct ws_visit *visit);

/* Appends a data record of one lane, the lowest of those that are here, with what that clock shows: two words, the low one
 * first. Skipped where there is none. At an end the place record of ws_visit_record stands behind it. */
void ws_visit_record_clock(struct ws_visit *visit, uint32_t tag);

/* Computes where access `index` of the instruction begins: of a device address its two halves, the low one first; else the
 * bytes from the begin of the buffer, modulo 2^32, and the element of an array of descriptors. The place must be before or
 * after the instruction. Returns WS_TAG_MEMORY_ACCESS (warpscope/passes.h) of the access; 0, and puts nothing, where it is
 * to no buffer and no device address; or, and then it is counted as skipped, where its address is not known. */
uint32_t ws_visit_access_address(struct ws_visit *visit, uint32_t index, uint32_t words[2]);

/* ---- Words for data records. The code that computes them is put at the place too. ---- */

/* Whether a record can be put here. If not, the place is counted as skipped. Ask before computing words, so
 * that no code is put for a record that is not. */
bool ws_visit_can_record(struct ws_visit *visit);

/* Splits the value with id `value` into 32-bit unsigned integers. Writes at most `capacity` ids to `words`,
 * and returns how many. A composite gives its members in order, a float its bits, a boolean 0 or 1. A number
 * of another width is converted to 32 bits first. It stops at a member without words, such as a pointer. For
 * example, a vec3 gives three words. A struct or matrix with numbers of 8 or 16 bits has no words where the module may only
 * load, store and convert these (it has not the capability, such as Float16). */
uint32_t ws_visit_words(struct ws_visit *visit, uint32_t value, uint32_t *words, uint32_t capacity);

/* Splits a 64-bit integer, or two of 32 bits, into its low and its high half. False where the value is neither. */
bool ws_visit_halves(struct ws_visit *visit, uint32_t value, uint32_t words[2]);

/* Calls a primitive and returns the id of its result. `primitive` is its name in passes/primitives without
 * "ws_": "hit_t" for ws_hit_t. 0 where the primitive is unknown, has no result, takes another number of
 * arguments, or cannot be linked here. The pass must not call a primitive that reads a built-in which one of
 * the stages of ws_visit_reached does not have. Arguments and results are 32-bit unsigned integers:
 *
 *   hit_t            gl_RayTmaxEXT, the bits of the float; any hit and closest hit
 *   hit_instance     gl_InstanceID; any hit, closest hit, and intersection, as all below
 *   hit_custom       gl_InstanceCustomIndexEXT
 *   hit_custom_kind  the same, with gl_HitKindEXT in bits 24 to 31; any hit and closest hit
 *   hit_geometry     gl_GeometryIndexEXT; not in modules of SPV_NV_ray_tracing
 *   hit_primitive    gl_PrimitiveID
 *   hit_of_triangle  (word) the word where a triangle was hit, else 0; any hit and closest hit
 *   ray_pack         (cull mask, offset, stride, miss) of a trace in one word: 8, 4, 4 and 16 bits
 *   ray_report       (hit kind, accepted) in one word: 31 bits and 1 */
uint32_t ws_visit_call(struct ws_visit *visit, const char *primitive, const uint32_t *arguments,
                       uint32_t count);

/* What the instruction hands to the shaders that it runs, as words like those of ws_visit_words: writes the ids of the first
 * WS_PAYLOAD_WORDS_MAX numbers (warpscope/spirv/payloads.h), and returns how many. The place must be before the instruction.
 * Returns 0 where it has no numbers, or hands over nothing; or, and then it is counted as skipped, no variable. */
uint32_t ws_visit_payload(struct ws_visit *visit, uint32_t words[WS_DATA_WORDS_MAX]);

/* The hit attributes in any-hit and closest-hit shaders, as words like those of ws_visit_words; returns how
 * many. They come from the hit attribute variable of the entry point. If it has none, they are the two
 * barycentrics of a triangle, 0 where no triangle was hit. Returns 0 where entry points with different
 * variables share the function. */
uint32_t ws_visit_hit_attributes(struct ws_visit *visit, uint32_t *words, uint32_t capacity);

/* The id of the key (ray_events.h) of the ray query or hit object that operand `operand` of the instruction names. The
 * instruction is an OpRayQuery...KHR or OpHitObject...; the place is before or after it. */
uint32_t ws_visit_query_key(struct ws_visit *visit, uint32_t operand);

/* Query words of the event PROCEED without its key (ray_events.h). */
#define WS_QUERY_WORDS 8

/* Writes the ids of query words 1 to WS_QUERY_WORDS (ray_events.h). The place must be after
 * OpRayQueryProceedKHR. Returns false, without writing `words`, where the query cannot be passed to a
 * function. */
bool ws_visit_query_words(struct ws_visit *visit, uint32_t words[WS_QUERY_WORDS]);

/* Object words of the event OBJECT_TRACED without its key (ray_events.h). */
#define WS_HIT_OBJECT_WORDS 7

/* Writes the ids of object words 1 to WS_HIT_OBJECT_WORDS (ray_events.h). The place must be after OpHitObjectTraceRay...
 * of SPV_NV_shader_invocation_reorder or SPV_EXT_shader_invocation_reorder. Returns false, without writing `words`, where
 * the hit object cannot be passed to a function. */
bool ws_visit_hit_object_words(struct ws_visit *visit, uint32_t words[WS_HIT_OBJECT_WORDS]);

#endif
