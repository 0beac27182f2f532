/* ray_events: what rays and ray queries do.
 *
 * The pass records an event before and after each instruction that traces a ray, steps a ray query or calls a
 * shader, at the entry of each shader that a ray calls, and at the ends of launched, any-hit and intersection shaders.
 * include/warpscope/ray_events.h says which events there are, where each is recorded, and what its words are.
 * The origin, the direction and the hits of a ray are known only to the shaders, so no other pass can give
 * them. For example
 *
 *   traceRay(...);      a ray that passes one any-hit shader and then hits
 *
 * makes the events TRACE, ANY_HIT, ACCEPT, CLOSEST_HIT, RETURN. With a hit object
 *
 *   hitObjectTraceRay(o, ...); reorderThread(o); hitObjectExecuteShader(o, ...);
 *
 * makes OBJECT_TRACE, ANY_HIT, ACCEPT, OBJECT_TRACED, EXECUTE, CLOSEST_HIT, RETURN. The analysis ray_events joins them into
 * rays.
 *
 * COST. Each event is a record of its own. A record has 8 or more bytes for the warp (records.h), and for
 * each of its lanes 40 bytes for TRACE, 28 for a hit and 36 for a step of a query, less 4 for each word that is a constant
 * of the module: of most traces these are tmin, flags and word 9, often tmax. A shader without rays has no records. */
#include "warpscope/ray_events.h"

#include <spirv/unified1/spirv.h>

#include "warpscope/opcodes.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"

#define COPIES_MAX 8 /* of a structure, between its descriptor and the ray; the reader follows as many */

static const char *const several_stages = "entry points of several stages share its function";
static const char *const no_query = "the ray query is no variable, parameter or element of an array of them";
static const char *const no_object =
    "the hit object is no variable, parameter or element of an array of them";
static const char *const no_attributes =
    "its hit attributes are recorded as 0: they have no numbers, or different variables";

/* Sets `words` to the ids of the `count` numbers of an operand. A number that the operand does not have stays
 * 0; then no record is put (ws_visit_record_data). */
static void take(struct ws_visit *visit, uint32_t operand, uint32_t *words, uint32_t count)
{
    ws_visit_words(visit, ws_visit_operand(visit, operand), words, count);
}

static uint32_t take_one(struct ws_visit *visit, uint32_t operand)
{
    uint32_t word = 0;
    take(visit, operand, &word, 1);
    return word;
}

/* Sets ray words 0 to 7. `operand` is the index of the origin; tmin, direction and tmax follow it. */
static void take_ray(struct ws_visit *visit, uint32_t operand, uint32_t *words)
{
    take(visit, operand, words, 3);
    take(visit, operand + 2, words + 3, 3);
    words[6] = take_one(visit, operand + 1);
    words[7] = take_one(visit, operand + 3);
}

/* The index by which a structure, a value or a pointer, is taken out of an array of descriptors; 0 where there is none, where
 * it is a constant, which the code says, or where another function took it. */
static uint32_t chosen_element(struct ws_visit *visit, uint32_t structure)
{
    uint16_t opcode = ws_visit_definition(visit, structure);
    for (uint32_t i = 0; i < COPIES_MAX && (opcode == SpvOpLoad || opcode == SpvOpCopyObject); i++) {
        structure = ws_visit_definition_operand(visit, structure, 2);
        opcode = ws_visit_definition(visit, structure);
    }
    const bool has_index = (opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain) &&
                           ws_visit_definition_operand(visit, structure, 4) == 0;
    const uint32_t index = has_index ? ws_visit_definition_operand(visit, structure, 3) : 0;
    const uint16_t index_opcode = ws_visit_definition(visit, index);
    return index_opcode != SpvOpConstant && index_opcode != SpvOpConstantNull ? index : 0;
}

/* Adds structure words where the acceleration structure, an operand, is made of an address, or is an element that the
 * shader chooses. Returns how many there are now. */
static uint32_t take_structure(struct ws_visit *visit, uint32_t operand, uint32_t *words, uint32_t count)
{
    const uint32_t structure = ws_visit_operand(visit, operand);
    if (ws_visit_definition(visit, structure) == SpvOpConvertUToAccelerationStructureKHR)
        return ws_visit_halves(visit, ws_visit_definition_operand(visit, structure, 2), words + count)
                   ? count + WS_RAY_STRUCTURE_WORDS
                   : count;
    const uint32_t element = chosen_element(visit, structure);
    if (element == 0 || ws_visit_words(visit, element, words + count, 1) != 1)
        return count;
    words[count + 1] = ws_visit_constant(visit, WS_RAY_STRUCTURE_ELEMENT);
    return count + WS_RAY_STRUCTURE_WORDS;
}

/* Ray word 9 of four operands of a trace. */
static uint32_t pack(struct ws_visit *visit, const uint32_t parts[4])
{
    uint32_t values[4];
    for (uint32_t i = 0; i < 4; i++)
        if (!ws_visit_constant_value(visit, parts[i], &values[i]))
            return ws_visit_call(visit, "ray_pack", parts, 4);
    return ws_visit_constant(visit, WS_RAY_PACK(values[0], values[1], values[2], values[3]));
}

static void trace(struct ws_visit *visit, bool has_time)
{
    uint32_t words[WS_RAY_TRACE_MOTION_WORDS + WS_RAY_STRUCTURE_WORDS] = {0};
    uint32_t packed[4];
    take_ray(visit, 6, words);
    words[8] = take_one(visit, 1);
    for (uint32_t i = 0; i < 4; i++)
        packed[i] = take_one(visit, 2 + i);
    words[9] = pack(visit, packed);
    if (has_time)
        words[10] = take_one(visit, 10);
    const uint32_t count = has_time ? WS_RAY_TRACE_MOTION_WORDS : WS_RAY_TRACE_WORDS;
    ws_visit_record_data(visit, WS_RAY_TRACE, words, take_structure(visit, 0, words, count));
}

/* A ray that is traced into a hit object, which is operand 0. */
static void object_trace(struct ws_visit *visit, bool has_time)
{
    uint32_t words[WS_RAY_OBJECT_TRACE_MOTION_WORDS + WS_RAY_STRUCTURE_WORDS] = {0};
    uint32_t packed[4];
    take_ray(visit, 7, words);
    words[8] = take_one(visit, 2);
    for (uint32_t i = 0; i < 4; i++)
        packed[i] = take_one(visit, 3 + i);
    words[9] = pack(visit, packed);
    words[10] = ws_visit_query_key(visit, 0);
    if (has_time)
        words[11] = take_one(visit, 11);
    const uint32_t count = has_time ? WS_RAY_OBJECT_TRACE_MOTION_WORDS : WS_RAY_OBJECT_TRACE_WORDS;
    ws_visit_record_data(visit, WS_RAY_OBJECT_TRACE, words, take_structure(visit, 1, words, count));
}

/* Without words the trace is said to be over, and what it hit is not known. */
static void object_traced(struct ws_visit *visit)
{
    uint32_t words[WS_RAY_OBJECT_TRACED_WORDS];
    words[0] = ws_visit_query_key(visit, 0);
    if (ws_visit_hit_object_words(visit, words + 1)) {
        ws_visit_record_data(visit, WS_RAY_OBJECT_TRACED, words, WS_RAY_OBJECT_TRACED_WORDS);
        return;
    }
    ws_visit_skip(visit, no_object);
    ws_visit_record(visit, WS_RAY_RETURN);
}

static void initialize(struct ws_visit *visit)
{
    uint32_t words[WS_RAY_INITIALIZE_WORDS + WS_RAY_STRUCTURE_WORDS] = {0};
    const uint32_t zero = ws_visit_constant(visit, 0);
    const uint32_t packed[4] = {take_one(visit, 3), zero, zero, zero};
    take_ray(visit, 4, words);
    words[8] = take_one(visit, 2);
    words[9] = pack(visit, packed);
    words[10] = ws_visit_query_key(visit, 0);
    ws_visit_record_data(visit, WS_RAY_INITIALIZE, words,
                         take_structure(visit, 1, words, WS_RAY_INITIALIZE_WORDS));
}

static void proceed(struct ws_visit *visit)
{
    uint32_t words[WS_RAY_PROCEED_WORDS];
    words[0] = ws_visit_query_key(visit, 2);
    if (ws_visit_query_words(visit, words + 1))
        ws_visit_record_data(visit, WS_RAY_PROCEED, words, WS_RAY_PROCEED_WORDS);
    else
        ws_visit_skip(visit, no_query);
}

static void report(struct ws_visit *visit)
{
    uint32_t words[WS_RAY_REPORT_WORDS];
    uint32_t packed[2] = {take_one(visit, 3), 0};
    words[0] = take_one(visit, 2);
    if (ws_visit_can_use_report(visit)) {
        ws_visit_words(visit, ws_visit_operand(visit, 1), &packed[1], 1);
        words[1] = ws_visit_call(visit, "ray_report", packed, 2);
    } else {
        words[1] = ws_visit_call(visit, "ray_report_open", packed, 1);
    }
    ws_visit_record_data(visit, WS_RAY_REPORT, words, WS_RAY_REPORT_WORDS);
}

static void generate(struct ws_visit *visit)
{
    const uint32_t words[WS_RAY_GENERATE_WORDS] = {ws_visit_query_key(visit, 0), take_one(visit, 1)};
    ws_visit_record_data(visit, WS_RAY_GENERATE, words, WS_RAY_GENERATE_WORDS);
}

static void record_key(struct ws_visit *visit, enum ws_ray_event event)
{
    const uint32_t key = ws_visit_query_key(visit, 0);
    ws_visit_record_data(visit, event, &key, WS_RAY_KEY_WORDS);
}

/* The geometry index; 0 in modules of SPV_NV_ray_tracing, which has no built-in for it. A module need not
 * declare RayTracingKHR itself: another capability, such as ShaderInvocationReorderNV, may imply it. */
static uint32_t geometry(struct ws_visit *visit)
{
    return ws_visit_has_capability(visit, SpvCapabilityRayTracingNV) &&
                   !ws_visit_has_capability(visit, SpvCapabilityRayTracingKHR)
               ? ws_visit_constant(visit, 0)
               : ws_visit_call(visit, "hit_geometry", NULL, 0);
}

static void enter_hit(struct ws_visit *visit)
{
    uint32_t attributes[2];
    const uint32_t count = ws_visit_hit_attributes(visit, attributes, 2);
    const uint32_t zero = ws_visit_constant(visit, 0);
    if (count == 0)
        ws_visit_skip(visit, no_attributes);
    const uint32_t words[WS_RAY_HIT_WORDS] = {
        ws_visit_call(visit, "hit_t", NULL, 0),
        ws_visit_call(visit, "hit_instance", NULL, 0),
        ws_visit_call(visit, "hit_custom_kind", NULL, 0),
        geometry(visit),
        ws_visit_call(visit, "hit_primitive", NULL, 0),
        count > 0 ? attributes[0] : zero,
        count > 1 ? attributes[1] : zero,
    };
    const bool any_hit = ws_visit_reached(visit) == WS_STAGE_ANY_HIT;
    ws_visit_record_data(visit, any_hit ? WS_RAY_ANY_HIT : WS_RAY_CLOSEST_HIT, words, WS_RAY_HIT_WORDS);
}

static void enter_intersection(struct ws_visit *visit)
{
    const uint32_t words[WS_RAY_INTERSECTION_WORDS] = {
        ws_visit_call(visit, "hit_instance", NULL, 0),
        ws_visit_call(visit, "hit_custom", NULL, 0),
        geometry(visit),
        ws_visit_call(visit, "hit_primitive", NULL, 0),
    };
    ws_visit_record_data(visit, WS_RAY_INTERSECTION, words, WS_RAY_INTERSECTION_WORDS);
}

static void enter(struct ws_visit *visit)
{
    const uint32_t hit = WS_STAGE_ANY_HIT | WS_STAGE_CLOSEST_HIT;
    const uint32_t stages = ws_visit_stages(visit);
    const uint32_t reached = ws_visit_reached(visit);
    if ((stages & (hit | WS_STAGE_INTERSECTION)) == 0) {
        if ((stages & (WS_STAGE_MISS | WS_STAGE_CALLABLE)) != 0)
            ws_visit_record(visit, (stages & WS_STAGE_MISS) != 0 ? WS_RAY_MISS : WS_RAY_CALLABLE);
    } else if ((reached & ~hit) != 0 && reached != WS_STAGE_INTERSECTION) {
        ws_visit_skip(visit, several_stages);
    } else if (ws_visit_can_record(visit)) {
        reached == WS_STAGE_INTERSECTION ? enter_intersection(visit) : enter_hit(visit);
    }
}

enum hit_object {
    NO_HIT_OBJECT,
    OBJECT_TRACE,
    OBJECT_TRACE_MOTION,
    OBJECT_TRACE_EXECUTE, /* traces and executes */
    OBJECT_TRACE_MOTION_EXECUTE,
    OBJECT_EXECUTE,
    OBJECT_RECORD,
};

/* What an instruction does with its hit object. */
static enum hit_object hit_object_of(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpHitObjectTraceRayNV:
    case WS_OP_HIT_OBJECT_TRACE_RAY_EXT: return OBJECT_TRACE;
    case SpvOpHitObjectTraceRayMotionNV:
    case WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT: return OBJECT_TRACE_MOTION;
    case WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT: return OBJECT_TRACE_EXECUTE;
    case WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT: return OBJECT_TRACE_MOTION_EXECUTE;
    case SpvOpHitObjectExecuteShaderNV:
    case WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT:
    case WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT: return OBJECT_EXECUTE;
    case SpvOpHitObjectRecordHitMotionNV:
    case SpvOpHitObjectRecordHitWithIndexMotionNV:
    case SpvOpHitObjectRecordMissMotionNV:
    case SpvOpHitObjectRecordEmptyNV:
    case SpvOpHitObjectRecordHitNV:
    case SpvOpHitObjectRecordHitWithIndexNV:
    case SpvOpHitObjectRecordMissNV:
    case WS_OP_HIT_OBJECT_RECORD_FROM_QUERY_EXT:
    case WS_OP_HIT_OBJECT_RECORD_MISS_EXT:
    case WS_OP_HIT_OBJECT_RECORD_MISS_MOTION_EXT:
    case WS_OP_HIT_OBJECT_RECORD_EMPTY_EXT: return OBJECT_RECORD;
    default: return NO_HIT_OBJECT;
    }
}

static void object_before(struct ws_visit *visit, enum hit_object object)
{
    if (!ws_visit_can_record(visit))
        return;
    switch (object) {
    case OBJECT_EXECUTE: record_key(visit, WS_RAY_EXECUTE); break;
    case OBJECT_RECORD: record_key(visit, WS_RAY_OBJECT_RECORD); break;
    default:
        object_trace(visit, object == OBJECT_TRACE_MOTION || object == OBJECT_TRACE_MOTION_EXECUTE);
        break;
    }
}

static void object_after(struct ws_visit *visit, enum hit_object object)
{
    if ((object == OBJECT_TRACE || object == OBJECT_TRACE_MOTION) && ws_visit_can_record(visit))
        object_traced(visit);
    else if (object == OBJECT_EXECUTE || object == OBJECT_TRACE_EXECUTE ||
             object == OBJECT_TRACE_MOTION_EXECUTE)
        ws_visit_record(visit, WS_RAY_RETURN);
}

static void visit_before(struct ws_visit *visit)
{
    const uint16_t opcode = ws_visit_opcode(visit);
    if (hit_object_of(opcode) != NO_HIT_OBJECT) {
        object_before(visit, hit_object_of(opcode));
        return;
    }
    if (opcode == SpvOpExecuteCallableKHR || opcode == SpvOpExecuteCallableNV) {
        ws_visit_record(visit, WS_RAY_CALL);
        return;
    }
    if (opcode == SpvOpReportIntersectionKHR || opcode == SpvOpRayQueryProceedKHR ||
        !ws_visit_can_record(visit))
        return;
    switch ((SpvOp)opcode) {
    case SpvOpTraceRayKHR:
    case SpvOpTraceNV: trace(visit, false); break;
    case SpvOpTraceRayMotionNV:
    case SpvOpTraceMotionNV: trace(visit, true); break;
    case SpvOpRayQueryInitializeKHR: initialize(visit); break;
    case SpvOpRayQueryGenerateIntersectionKHR: generate(visit); break;
    case SpvOpRayQueryConfirmIntersectionKHR: record_key(visit, WS_RAY_CONFIRM); break;
    default: record_key(visit, WS_RAY_TERMINATE_QUERY); break; /* OpRayQueryTerminateKHR */
    }
}

static void visit_after(struct ws_visit *visit)
{
    if (hit_object_of(ws_visit_opcode(visit)) != NO_HIT_OBJECT) {
        object_after(visit, hit_object_of(ws_visit_opcode(visit)));
        return;
    }
    switch ((SpvOp)ws_visit_opcode(visit)) {
    case SpvOpTraceRayKHR:
    case SpvOpTraceNV:
    case SpvOpTraceRayMotionNV:
    case SpvOpTraceMotionNV: ws_visit_record(visit, WS_RAY_RETURN); break;
    case SpvOpReportIntersectionKHR:
        if (ws_visit_can_record(visit))
            report(visit);
        break;
    case SpvOpRayQueryProceedKHR:
        if (ws_visit_can_record(visit))
            proceed(visit);
        break;
    default: break;
    }
}

static void visit_end(struct ws_visit *visit)
{
    const uint32_t stages = ws_visit_stages(visit);
    if ((stages & ~WS_STAGES_CALLED) != 0) {
        ws_visit_record(visit, WS_RAY_THREAD_END);
        return;
    }
    if ((stages & (WS_STAGE_ANY_HIT | WS_STAGE_INTERSECTION)) == 0)
        return;
    switch ((SpvOp)ws_visit_opcode(visit)) {
    case SpvOpReturn:
        ws_visit_record(visit, (stages & WS_STAGE_ANY_HIT) != 0 ? WS_RAY_ACCEPT : WS_RAY_INTERSECTION_END);
        break;
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpIgnoreIntersectionNV: ws_visit_record(visit, WS_RAY_IGNORE); break;
    case SpvOpTerminateRayKHR:
    case SpvOpTerminateRayNV: ws_visit_record(visit, WS_RAY_TERMINATE); break;
    default: break;
    }
}

static void visit(struct ws_visit *visit)
{
    switch (ws_visit_place(visit)) {
    case WS_PLACE_ENTRY: enter(visit); break;
    case WS_PLACE_BEFORE: visit_before(visit); break;
    case WS_PLACE_AFTER: visit_after(visit); break;
    case WS_PLACE_END: visit_end(visit); break;
    default: break;
    }
}

/* Some NV forms have the number of the KHR form, such as OpReportIntersectionNV: they need no entry. */
static const uint16_t opcodes[] = {
    SpvOpTraceRayKHR,
    SpvOpTraceNV,
    SpvOpTraceRayMotionNV,
    SpvOpTraceMotionNV,
    SpvOpReportIntersectionKHR,
    SpvOpExecuteCallableKHR,
    SpvOpExecuteCallableNV,
    SpvOpRayQueryInitializeKHR,
    SpvOpRayQueryProceedKHR,
    SpvOpRayQueryConfirmIntersectionKHR,
    SpvOpRayQueryGenerateIntersectionKHR,
    SpvOpRayQueryTerminateKHR,
    SpvOpHitObjectTraceRayNV,
    SpvOpHitObjectTraceRayMotionNV,
    SpvOpHitObjectExecuteShaderNV,
    WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT,
    WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT,
    WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT,
    WS_OP_HIT_OBJECT_TRACE_RAY_EXT,
    WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT,
    WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT,
    SpvOpHitObjectRecordHitMotionNV,
    SpvOpHitObjectRecordHitWithIndexMotionNV,
    SpvOpHitObjectRecordMissMotionNV,
    SpvOpHitObjectRecordEmptyNV,
    SpvOpHitObjectRecordHitNV,
    SpvOpHitObjectRecordHitWithIndexNV,
    SpvOpHitObjectRecordMissNV,
    WS_OP_HIT_OBJECT_RECORD_FROM_QUERY_EXT,
    WS_OP_HIT_OBJECT_RECORD_MISS_EXT,
    WS_OP_HIT_OBJECT_RECORD_MISS_MOTION_EXT,
    WS_OP_HIT_OBJECT_RECORD_EMPTY_EXT,
};

extern const struct ws_pass ws_pass_ray_events;

const struct ws_pass ws_pass_ray_events = {
    .name = WS_PASS_RAY_EVENTS,
    .summary = "every ray and ray query: where it goes, what it tests, what it hits, how it ends",
    .stages = WS_STAGES_ALL,
    .stages_by_opcode = WS_STAGES_ALL & ~WS_STAGES_CALLED,
    .places = WS_PLACE_ENTRY | WS_PLACE_BEFORE | WS_PLACE_AFTER | WS_PLACE_END,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};

const char *ws_ray_event_name(enum ws_ray_event event)
{
    static const char *const names[WS_RAY_EVENT_COUNT] = {
        [WS_RAY_NONE] = "none",
        [WS_RAY_TRACE] = "trace",
        [WS_RAY_RETURN] = "return",
        [WS_RAY_MISS] = "miss",
        [WS_RAY_CLOSEST_HIT] = "closest_hit",
        [WS_RAY_ANY_HIT] = "any_hit",
        [WS_RAY_INTERSECTION] = "intersection",
        [WS_RAY_REPORT] = "report",
        [WS_RAY_ACCEPT] = "accept",
        [WS_RAY_IGNORE] = "ignore",
        [WS_RAY_TERMINATE] = "terminate",
        [WS_RAY_INITIALIZE] = "initialize",
        [WS_RAY_PROCEED] = "proceed",
        [WS_RAY_CONFIRM] = "confirm",
        [WS_RAY_GENERATE] = "generate",
        [WS_RAY_TERMINATE_QUERY] = "terminate_query",
        [WS_RAY_CALL] = "call",
        [WS_RAY_CALLABLE] = "callable",
        [WS_RAY_INTERSECTION_END] = "intersection_end",
        [WS_RAY_THREAD_END] = "thread_end",
        [WS_RAY_OBJECT_TRACE] = "object_trace",
        [WS_RAY_OBJECT_TRACED] = "object_traced",
        [WS_RAY_OBJECT_RECORD] = "object_record",
        [WS_RAY_EXECUTE] = "execute",
    };
    return event < WS_RAY_EVENT_COUNT ? names[event] : "none";
}
