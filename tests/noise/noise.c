/* The pass that disturbs: it counts and records wherever a pass can, and gives its sites the kinds, words and tags that
 * other passes have. It is for tests only, which run it beside the others: no figure of theirs may change.
 *
 * What it does before a division and before traceRay are the two ways in which figures were wrong before sites had
 * owners: a count of places made exits per entry too many, and a record of ten words was taken for a ray. */
#include <spirv/unified1/spirv.h>

#include "warpscope/pass.h"
#include "warpscope/ray_events.h"

/* Data records of as many words as each ray event has, under the tag of another. */
static void record_data(struct ws_visit *visit)
{
    static const uint32_t counts[] = {WS_RAY_KEY_WORDS, WS_RAY_REPORT_WORDS, WS_RAY_HIT_WORDS,
                                      WS_RAY_TRACE_WORDS, WS_DATA_WORDS_MAX};
    uint32_t words[WS_DATA_WORDS_MAX];
    for (uint32_t i = 0; i < WS_DATA_WORDS_MAX; i++)
        words[i] = ws_visit_constant(visit, 0x40000000 + i);
    for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        ws_visit_record_data(visit, (enum ws_ray_event)(WS_RAY_TRACE + 3 * i), words, counts[i]);
}

static void record_as_ray(struct ws_visit *visit, enum ws_ray_event event, uint32_t count)
{
    uint32_t words[WS_DATA_WORDS_MAX];
    for (uint32_t i = 0; i < count; i++)
        words[i] = ws_visit_constant(visit, i);
    ws_visit_record_data(visit, event, words, count);
}

static void before(struct ws_visit *visit)
{
    switch ((SpvOp)ws_visit_opcode(visit)) {
    case SpvOpTraceRayKHR: record_as_ray(visit, WS_RAY_TRACE, WS_RAY_TRACE_WORDS); break;
    case SpvOpReportIntersectionKHR: record_as_ray(visit, WS_RAY_REPORT, WS_RAY_REPORT_WORDS); break;
    case SpvOpRayQueryInitializeKHR: record_as_ray(visit, WS_RAY_INITIALIZE, WS_RAY_INITIALIZE_WORDS); break;
    case SpvOpRayQueryProceedKHR: record_as_ray(visit, WS_RAY_PROCEED, WS_RAY_PROCEED_WORDS); break;
    default: break;
    }
}

static void visit(struct ws_visit *visit)
{
    ws_visit_count_place(visit, 0);
    if (ws_visit_place(visit) == WS_PLACE_RETURNED)
        return; /* nothing else is possible there */
    ws_visit_count(visit, 0);
    switch (ws_visit_place(visit)) {
    case WS_PLACE_ENTRY: record_as_ray(visit, WS_RAY_CLOSEST_HIT, WS_RAY_HIT_WORDS); break;
    case WS_PLACE_BEFORE: before(visit); break;
    case WS_PLACE_END: record_data(visit); break;
    default: break;
    }
    ws_visit_record(visit, WS_RAY_IGNORE);
    ws_visit_record(visit, 0);
}

static const uint16_t opcodes[] = {
    SpvOpFDiv,
    SpvOpUDiv,
    SpvOpUMod,
    SpvOpFAdd,
    SpvOpTraceRayKHR,
    SpvOpExecuteCallableKHR,
    SpvOpReportIntersectionKHR,
    SpvOpRayQueryInitializeKHR,
    SpvOpRayQueryProceedKHR,
    SpvOpRayQueryConfirmIntersectionKHR,
    SpvOpImageWrite,
};

extern const struct ws_pass ws_pass_noise;

const struct ws_pass ws_pass_noise = {
    .name = "noise",
    .summary = "disturbs the others, for tests",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_ENTRY | WS_PLACE_BLOCK | WS_PLACE_BEFORE | WS_PLACE_END | WS_PLACE_AFTER |
              WS_PLACE_SYNC | WS_PLACE_RETURNED,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};
