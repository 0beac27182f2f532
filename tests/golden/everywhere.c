#include "tests/golden/everywhere.h"

#include <spirv/unified1/spirv.h>

static void record_data(struct ws_visit *visit, uint32_t word)
{
    ws_visit_record_data(visit, EVERYWHERE_DATA, &word, 1);
}

static void visit(struct ws_visit *visit)
{
    switch (ws_visit_place(visit)) {
    case WS_PLACE_ENTRY: ws_visit_count_place(visit, EVERYWHERE_COUNT); break;
    case WS_PLACE_BLOCK: ws_visit_count(visit, EVERYWHERE_COUNT); break;
    case WS_PLACE_BEFORE:
        if (ws_visit_opcode(visit) == SpvOpTraceRayKHR) {
            /* operand 2 is the cull mask, which the test shaders give as an unsigned integer */
            record_data(visit, ws_visit_operand(visit, 2));
        }
        break;
    case WS_PLACE_END:
        ws_visit_count_place(visit, EVERYWHERE_COUNT);
        record_data(visit, ws_visit_constant(visit, 1));
        break;
    default: break;
    }
    ws_visit_record(visit, EVERYWHERE_PLACE + (uint32_t)ws_visit_place(visit));
}

static const uint16_t opcodes[] = {SpvOpTraceRayKHR, SpvOpStore};

const struct ws_pass everywhere = {
    .name = "everywhere",
    .summary = "records wherever a pass can, for tests",
    .stages = WS_STAGES_ALL,
    .places =
        WS_PLACE_ENTRY | WS_PLACE_BLOCK | WS_PLACE_BEFORE | WS_PLACE_END | WS_PLACE_AFTER | WS_PLACE_SYNC,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};
