#include "everywhere.h"

#include <spirv/unified1/spirv.h>

#include "primitives.h"

static void record(struct ws_visit *visit, uint32_t primitive, uint32_t payload_count, uint32_t payload)
{
    uint32_t arguments[] = {ws_visit_constant(visit, ws_visit_site(visit)), payload};
    ws_visit_record(visit, primitive, arguments, 1 + payload_count);
}

static void visit(struct ws_visit *visit)
{
    switch (ws_visit_place(visit)) {
    case WS_PLACE_ENTRY: record(visit, WS_PRIMITIVE_PLACE, 0, 0); break;
    case WS_PLACE_BLOCK:
        ws_visit_count(visit);
        record(visit, WS_PRIMITIVE_PLACE, 0, 0);
        break;
    case WS_PLACE_BEFORE:
        if (ws_visit_opcode(visit) == SpvOpTraceRayKHR) {
            /* operand 2 is the cull mask, which the test shaders give as an unsigned integer */
            record(visit, WS_PRIMITIVE_DATA_1, 1, ws_visit_operand(visit, 2));
        }
        break;
    case WS_PLACE_END: record(visit, WS_PRIMITIVE_DATA_1, 1, ws_visit_constant(visit, 1)); break;
    case WS_PLACE_AFTER: record(visit, WS_PRIMITIVE_PLACE, 0, 0); break;
    }
}

static const uint16_t opcodes[] = {SpvOpTraceRayKHR, SpvOpStore};

const struct ws_pass everywhere = {
    .name = "everywhere",
    .summary = "records wherever a pass can, for tests",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_ENTRY | WS_PLACE_BLOCK | WS_PLACE_BEFORE | WS_PLACE_END | WS_PLACE_AFTER,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};
