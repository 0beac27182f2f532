/* payloads: what threads hand over when they trace rays or call shaders.
 *
 * The pass puts a data record right before each instruction that runs other shaders with a payload, or with data of a
 * callable: the first 16 numbers of that, as it stands there (warpscope/spirv/payloads.h). With a hit object it is recorded
 * where a ray is traced into the object, and where the object is executed. The analysis reorder finds out by which bits of it
 * threads would best be sorted. For example
 *
 *   payload.depth = depth; payload.colour = vec3(0); traceRayEXT(..., 0);
 *
 * makes a record of four words per lane. What is handed over as room for an answer alone is recorded too; it may hold
 * anything then.
 *
 * COST. A record of 8 or more bytes for the warp, and up to 64 bytes for each of its lanes. It is not part of all. */
#include <spirv/unified1/spirv.h>

#include "warpscope/opcodes.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"

static void visit(struct ws_visit *visit)
{
    uint32_t words[WS_DATA_WORDS_MAX];
    if (ws_visit_place(visit) == WS_PLACE_END) {
        ws_visit_record(visit, WS_TAG_PAYLOADS_END);
        return;
    }
    if (!ws_visit_can_record(visit))
        return;
    const uint32_t count = ws_visit_payload(visit, words);
    if (count > 0)
        ws_visit_record_data(visit, WS_TAG_PAYLOADS_WORDS, words, count);
}

/* Those of which ws_payload_operand knows the payload. */
static const uint16_t opcodes[] = {
    WS_OPS_THAT_CALL_SHADERS,
};

extern const struct ws_pass ws_pass_payloads;

const struct ws_pass ws_pass_payloads = {
    .name = WS_PASS_PAYLOADS,
    .summary =
        "payloads of rays and data of callables, as they are handed over: keys for reorder; not part of all",
    .stages = WS_STAGES_ALL,
    .stages_by_opcode = WS_STAGES_ALL,
    .places = WS_PLACE_BEFORE | WS_PLACE_END,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};
