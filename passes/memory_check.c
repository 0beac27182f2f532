/* memory_check: what each load got, beside its address, and what is written: whether addresses are right.
 *
 * Memory that nothing writes has one value at each address. If two loads of one address give two values, an address is wrong:
 * a layout was read wrongly, or an index was lost. The analysis memory_check counts these, so memory_access and memory_trace,
 * which find addresses in the same way, can be tried on any program.
 *
 * Each load is a data record behind it: two words of its address (pass.h, ws_visit_access_address), then its value, as many
 * words as have room. Each store and atomic is one before it, of its address alone. Workgroup memory is left out.
 *
 * COST. Many times that of the program: it is for checks, and not part of all. */
#include "warpscope/access_opcodes.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"

#define ADDRESS_WORDS 2

/* How many words of a loaded value are those of its bytes, from the first on: of a composite other than a vector its layout
 * says where the next one lies. */
static uint32_t value_words(const struct ws_visit *visit)
{
    switch ((SpvOp)ws_visit_definition(visit, ws_visit_operand(visit, 0))) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector: return WS_DATA_WORDS_MAX - ADDRESS_WORDS;
    case SpvOpTypeMatrix: return 1;
    default: return 0;
    }
}

static void check(struct ws_visit *visit, uint32_t index)
{
    uint32_t words[WS_DATA_WORDS_MAX];
    uint32_t count = ADDRESS_WORDS;
    if (!ws_visit_can_record(visit))
        return;
    const uint32_t tag = ws_visit_access_address(visit, index, words);
    if (tag == 0)
        return;
    if (ws_visit_opcode(visit) == SpvOpLoad)
        count += ws_visit_words(visit, ws_visit_operand(visit, 1), words + count, value_words(visit));
    ws_visit_record_data(visit, tag, words, count);
}

static void visit(struct ws_visit *visit)
{
    const enum ws_place place = ws_visit_place(visit);
    const uint32_t count = ws_visit_access_count(visit);
    if (place == WS_PLACE_END) {
        ws_visit_record(visit, WS_TAG_MEMORY_CHECK_END);
        return;
    }
    if ((ws_visit_opcode(visit) == SpvOpLoad) != (place == WS_PLACE_AFTER))
        return;
    if (count == 0 && place == WS_PLACE_BEFORE)
        ws_visit_skip(visit, ws_access_left_out(ws_visit_opcode(visit)));
    for (uint32_t i = 0; i < count; i++)
        check(visit, i);
}

extern const struct ws_pass ws_pass_memory_check;

const struct ws_pass ws_pass_memory_check = {
    .name = WS_PASS_MEMORY_CHECK,
    .summary =
        "what loads got, beside their addresses: tries memory_access and memory_trace; not part of all",
    .stages = WS_STAGES_ALL,
    .stages_by_opcode = WS_STAGES_ALL,
    .places = WS_PLACE_BEFORE | WS_PLACE_AFTER | WS_PLACE_END,
    .opcodes = ws_access_opcodes,
    .opcode_count = sizeof(ws_access_opcodes) / sizeof(ws_access_opcodes[0]),
    .visit = visit,
};
