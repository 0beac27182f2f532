#include "warpscope/ray_events.h"

#include <spirv/unified1/spirv.h>

#include "warpscope/instrument.h"
#include "warpscope/stage.h"

static enum ws_ray_event event_after(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpTraceRayKHR:
    case SpvOpTraceNV:
    case SpvOpTraceRayMotionNV:
    case SpvOpTraceMotionNV: return WS_RAY_RETURN;
    default: return WS_RAY_NONE;
    }
}

static enum ws_ray_event event_at_end(uint32_t opcode, uint32_t stage)
{
    if (stage != WS_STAGE_ANY_HIT)
        return WS_RAY_NONE;
    switch (opcode) {
    case SpvOpReturn: return WS_RAY_ACCEPT;
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpIgnoreIntersectionNV: return WS_RAY_IGNORE;
    case SpvOpTerminateRayKHR:
    case SpvOpTerminateRayNV: return WS_RAY_TERMINATE;
    default: return WS_RAY_NONE;
    }
}

static uint32_t words_of(enum ws_ray_event event)
{
    switch (event) {
    case WS_RAY_TRACE: return WS_RAY_TRACE_WORDS;
    case WS_RAY_REPORT: return WS_RAY_REPORT_WORDS;
    case WS_RAY_INITIALIZE: return WS_RAY_INITIALIZE_WORDS;
    case WS_RAY_PROCEED: return WS_RAY_PROCEED_WORDS;
    case WS_RAY_GENERATE: return WS_RAY_GENERATE_WORDS;
    default: return WS_RAY_KEY_WORDS;
    }
}

static enum ws_ray_event event_of_instruction(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpTraceRayKHR:
    case SpvOpTraceNV: return WS_RAY_TRACE;
    case SpvOpReportIntersectionKHR: return WS_RAY_REPORT;
    case SpvOpRayQueryInitializeKHR: return WS_RAY_INITIALIZE;
    case SpvOpRayQueryProceedKHR: return WS_RAY_PROCEED;
    case SpvOpRayQueryConfirmIntersectionKHR: return WS_RAY_CONFIRM;
    case SpvOpRayQueryGenerateIntersectionKHR: return WS_RAY_GENERATE;
    case SpvOpRayQueryTerminateKHR: return WS_RAY_TERMINATE_QUERY;
    default: return WS_RAY_NONE;
    }
}

/* What a shader enters with stands before whatever instruction is its first, which may be one of those above:
 * then the number of words tells. */
static enum ws_ray_event event_with_words(uint32_t opcode, uint32_t stage, uint32_t words)
{
    const enum ws_ray_event event = event_of_instruction(opcode);
    if ((opcode == SpvOpTraceRayMotionNV || opcode == SpvOpTraceMotionNV) &&
        words == WS_RAY_TRACE_MOTION_WORDS)
        return WS_RAY_TRACE;
    if (event != WS_RAY_NONE && words == words_of(event))
        return event;
    if (stage == WS_STAGE_CLOSEST_HIT && words == WS_RAY_HIT_WORDS)
        return WS_RAY_CLOSEST_HIT;
    if (stage == WS_STAGE_ANY_HIT && words == WS_RAY_HIT_WORDS)
        return WS_RAY_ANY_HIT;
    return stage == WS_STAGE_INTERSECTION && words == WS_RAY_INTERSECTION_WORDS ? WS_RAY_INTERSECTION
                                                                                : WS_RAY_NONE;
}

enum ws_ray_event ws_ray_event_of(uint32_t kind, uint32_t opcode, uint32_t stage, uint32_t words)
{
    switch (kind) {
    case WS_SITE_ENTRY:
        return stage == WS_STAGE_MISS       ? WS_RAY_MISS
               : stage == WS_STAGE_CALLABLE ? WS_RAY_CALLABLE
                                            : WS_RAY_NONE;
    case WS_SITE_PLACE_BEFORE:
        return opcode == SpvOpExecuteCallableKHR || opcode == SpvOpExecuteCallableNV ? WS_RAY_CALL
                                                                                     : WS_RAY_NONE;
    case WS_SITE_PLACE_AFTER: return event_after(opcode);
    case WS_SITE_PLACE_END: return event_at_end(opcode, stage);
    case WS_SITE_DATA: return event_with_words(opcode, stage, words);
    default: return WS_RAY_NONE;
    }
}

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
    };
    return event < WS_RAY_EVENT_COUNT ? names[event] : "none";
}
