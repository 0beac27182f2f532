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
 *            before each OpFunctionCall that leads to such an instruction (passes/spirv/sync_points.h has the rule)
 *
 * Several passes at one place come in the order in which they were asked for. A pass is made known by one
 * line in passes/instrument/registry.c. */
#ifndef WARPSCOPE_PASS_H
#define WARPSCOPE_PASS_H

#include <stdbool.h>
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

/* Likewise of all entry points that reach it, instrumented or not, with 0x80000000 for a stage that is not
 * known: what is put here must be valid in all of these stages. */
uint32_t ws_visit_reached(const struct ws_visit *visit);

/* At before, end, after, and sync before an OpFunctionCall: the instruction's opcode. Else 0. */
uint16_t ws_visit_opcode(const struct ws_visit *visit);

/* Likewise: operand word `index` of the instruction, counted from 0 after the opcode word,
 * result type and result id included; 0 where it has fewer. An id may be handed to a primitive, except that
 * the result exists only at after. */
uint32_t ws_visit_operand(const struct ws_visit *visit, uint32_t index);

/* Whether the module declares a capability (SpvCapability). */
bool ws_visit_has_capability(const struct ws_visit *visit, uint32_t capability);

/* What a visit may ask for. A request that cannot be fulfilled (site limit reached, stage without subgroup
 * operations, ...) is counted as skipped, with the reason, and the visit goes on. */

/* Id of a 32-bit unsigned constant. */
uint32_t ws_visit_constant(struct ws_visit *visit, uint32_t value);

/* Says that the pass has nothing for this place, or less than it should, and why: counted as skipped.
 * `reason` is a static string, one clause. */
void ws_visit_skip(struct ws_visit *visit, const char *reason);

/* TAGS. Each request below makes a site (struct ws_site_info) with the pass and a tag, a number of the pass's own
 * choosing. The analysis of the pass finds its sites by pass and tag. A built-in pass publishes its tags as an enum in
 * passes.h; a pass that has only one kind of site may use 0 everywhere. Several passes may share a counter row or a
 * record, which costs no more than one; each has its own site for it. */

/* Counts the executions of the block that the place is in, in a histogram row (root.h). Blocks that always
 * run with the same lanes share one row, which is counted at the first of them, and so do all passes. */
void ws_visit_count(struct ws_visit *visit, uint32_t tag);

/* Counts the executions of just this place, in a histogram row of its own that all passes share: not those of
 * the block that it is in, since a warp may have been split since that began. */
void ws_visit_count_place(struct ws_visit *visit, uint32_t tag);

/* Appends a place record (records.h): which lanes are here, in which execution of which shader. An entry
 * record is put into every entry point that reaches a record; at entry the site has its number. Where there is
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
 * At an end the place record comes behind the data records of all passes: who reads it knows that its lanes have ended.
 *
 * Entry records and data records are no such places; and since the order of records is the order of what a
 * thread did, no place behind a data record has the number of one before it. */
void ws_visit_record(struct ws_visit *visit, uint32_t tag);

/* Most words per lane of a data record. */
#define WS_DATA_WORDS_MAX 16

/* Appends a data record: `arguments` are `count` ids of 32-bit unsigned integers, 1 to WS_DATA_WORDS_MAX,
 * that each lane appends. Where one is 0, for what is below could not give it, there is no record. */
void ws_visit_record_data(struct ws_visit *visit, uint32_t tag, const uint32_t *arguments, uint32_t count);

/* ---- Words for data records. What is computed for them is put at the place too. ---- */

/* Whether a record can be put here; where not, it is counted as skipped. To be asked before words are
 * computed, so that none are for nothing. */
bool ws_visit_can_record(struct ws_visit *visit);

/* A value of the module, by its id, as 32-bit unsigned integers: writes at most `capacity` ids to `words` and
 * returns how many. Composites are taken apart in order; floats give their bits, booleans 0 or 1, numbers of
 * another width are converted to 32 bits first. Ends where something has no words, such as a pointer. */
uint32_t ws_visit_words(struct ws_visit *visit, uint32_t value, uint32_t *words, uint32_t capacity);

/* Calls a primitive by its name, "hit_t" for ws_hit_t in passes/primitives, and returns the id of its result;
 * 0 where it has none, or cannot be called here: no primitive may be called that reads what does not exist in
 * one of the stages that reach the place (ws_visit_reached). */
uint32_t ws_visit_call(struct ws_visit *visit, const char *primitive, const uint32_t *arguments,
                       uint32_t count);

/* The hit attributes in any-hit and closest-hit shaders, as ws_visit_words: of the variable that the entry
 * point has for them; where it has none, the two words of a triangle's barycentrics, 0 where no triangle was
 * hit. None where entry points with different variables share the function. */
uint32_t ws_visit_hit_attributes(struct ws_visit *visit, uint32_t *words, uint32_t capacity);

/* Before or after an instruction about a ray query (OpRayQuery...KHR, its operand `operand`): the id of the
 * query's key (ray_events.h). */
uint32_t ws_visit_query_key(struct ws_visit *visit, uint32_t operand);

#define WS_QUERY_WORDS 8

/* After OpRayQueryProceedKHR: words 1 to WS_QUERY_WORDS of what PROCEED has (ray_events.h). False where a
 * function cannot be given the query: each word is left alone. */
bool ws_visit_query_words(struct ws_visit *visit, uint32_t words[WS_QUERY_WORDS]);

#endif
