/* Accesses to memory (pass.h, ws_visit_count_access and ws_visit_record_accesses): the code that computes their addresses, and
 * their rows and records. */
#include "warpscope/spirv/access.h"

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/instrument/shadows.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"
#include "warpscope/spirv/pointers.h"
#include "warpscope/spirv/stretches.h"

static const char *const no_ballots = "the stage has no subgroup operations";
static const char *const no_shuffles = "the device has no subgroup shuffles";
static const char *const no_index = "an index of its address is no integer";

/* Arguments of the primitives: which address, as ids. */
struct address {
    uint32_t low;
    uint32_t high;
};

static uint32_t emit(struct ws_visit *visit, SpvOp opcode, uint32_t type, uint32_t left, uint32_t right)
{
    return ws_emit(visit->runner->editor, visit->cursor, (uint16_t)opcode, type, (uint32_t[]){left, right},
                   2);
}

/* The module's unsigned 64-bit integers; 0 where it has none. */
static uint32_t find_u64(const struct ws_module *module)
{
    for (uint32_t i = 0; i < module->instruction_count && module->instructions[i].opcode != SpvOpFunction;
         i++)
        if (module->instructions[i].opcode == SpvOpTypeInt &&
            ws_operand(module, &module->instructions[i], 1) == 64 &&
            ws_operand(module, &module->instructions[i], 2) == 0)
            return ws_operand(module, &module->instructions[i], 0);
    return 0;
}

/* A device address is the pointer's bits. SPV_KHR_physical_storage_buffer lets OpBitcast make two words of it, but validators
 * refuse that of a pointer to numbers of 16 bits where the module may only load and store these. Modules that have 64-bit
 * integers take OpConvertPtrToU. */
static void put_pointer(struct ws_visit *visit, uint32_t pointer, struct address *address)
{
    struct ws_editor *editor = visit->runner->editor;
    const uint32_t u32 = ws_type_u32(editor);
    const uint32_t u64 = find_u64(visit->runner->module);
    const uint32_t pair = ws_global_find(editor, SpvOpTypeVector, 0, (uint32_t[]){u32, 2}, 2);
    if (u64 != 0)
        pointer = ws_emit(editor, visit->cursor, SpvOpConvertPtrToU, u64, &pointer, 1);
    const uint32_t bits = ws_emit(editor, visit->cursor, SpvOpBitcast, pair, &pointer, 1);
    address->low = emit(visit, SpvOpCompositeExtract, u32, bits, 0);
    address->high = emit(visit, SpvOpCompositeExtract, u32, bits, 1);
}

/* The layouts of the module are needed. False on no memory. */
static bool need_layouts(struct ws_runner *runner)
{
    if (runner->layouts == NULL)
        runner->layouts = ws_layouts_create(runner->module);
    return runner->layouts != NULL ||
           ws_editor_fail(runner->editor, "out of memory for the layouts of a module");
}

/* One half of the shadow of a pointer that is chosen while the shader runs (shadows.h); 0 after a failure. */
static uint32_t put_shadow(struct ws_visit *visit, uint32_t pointer, uint32_t half)
{
    struct ws_runner *runner = visit->runner;
    if (runner->shadows == NULL)
        runner->shadows = ws_shadows_create(runner->editor, runner->layouts);
    if (runner->shadows == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the pointers of a module");
        return 0;
    }
    const uint32_t shadow = ws_shadows_find(runner->shadows, pointer);
    return emit(visit, SpvOpCompositeExtract, ws_type_u32(runner->editor), shadow, half);
}

/* Begins an offset at a pointer that is chosen while the shader runs. Workgroup memory has one address: of each of several
 * variables another multiple of 2^24, so that banks stay what they are. */
static void put_base(struct ws_visit *visit, const struct ws_access *access, struct address *address)
{
    struct ws_editor *editor = visit->runner->editor;
    const uint32_t u32 = ws_type_u32(editor);
    address->low = emit(visit, SpvOpIAdd, u32, put_shadow(visit, access->base, 0), address->low);
    if (!access->varies)
        return;
    address->high = put_shadow(visit, access->base, 1);
    if (access->variable != 0)
        address->high =
            emit(visit, SpvOpBitwiseAnd, u32, address->high, ws_constant_u32(editor, WS_PLACE_ELEMENT_MASK));
    else if (access->memory == WS_MEMORY_WORKGROUP)
        address->low = emit(visit, SpvOpIAdd, u32, address->low, address->high);
}

/* Of a buffer the offset, and the element of its array. False where an index is no integer. */
static bool put_offset(struct ws_visit *visit, const struct ws_access *access, struct address *address)
{
    struct ws_editor *editor = visit->runner->editor;
    const uint32_t u32 = ws_type_u32(editor);
    address->low = ws_constant_u32(editor, (uint32_t)access->offset);
    address->high = ws_constant_u32(editor, access->descriptor);
    if (access->descriptor_id != 0 && ws_visit_words(visit, access->descriptor_id, &address->high, 1) != 1)
        return false;
    if (access->base != 0)
        put_base(visit, access, address);
    for (uint32_t i = 0; i < access->term_count; i++) {
        uint32_t index = 0;
        if (ws_visit_words(visit, access->terms[i].id, &index, 1) != 1)
            return false;
        const uint32_t scale = ws_constant_u32(editor, access->terms[i].scale);
        address->low = emit(visit, SpvOpIAdd, u32, address->low, emit(visit, SpvOpIMul, u32, index, scale));
    }
    return true;
}

static uint32_t log2_of(uint32_t unit)
{
    uint32_t log2 = 0;
    while (1u << (log2 + 1) <= unit)
        log2++;
    return log2;
}

/* Whether all lanes touch the same constant address. */
static bool is_fixed(const struct ws_access *access)
{
    return access->memory != WS_MEMORY_ADDRESS && access->base == 0 && !access->varies &&
           access->term_count == 0 && access->descriptor_id == 0;
}

static uint32_t tag_of(const struct ws_access *access)
{
    const uint32_t tag =
        WS_TAG_MEMORY_ACCESS(access->kind, access->memory, log2_of(access->unit), access->size);
    return is_fixed(access) ? tag | WS_TAG_MEMORY_ACCESS_FIXED(access->offset) : tag;
}

/* Puts the primitive of an access; its rows begin at `row`. A fixed access has none. NULL when it is done, else why not. */
static const char *put_access(struct ws_visit *visit, const struct ws_access *access, uint32_t row,
                              uint32_t *row_count)
{
    struct ws_runner *runner = visit->runner;
    const bool has_banks = access->memory == WS_MEMORY_WORKGROUP;
    const uint32_t sector_rows = ws_access_pieces(access->size, access->unit, WS_MEMORY_SECTOR);
    const uint32_t words = (access->size + WS_MEMORY_BANK - 1) / WS_MEMORY_BANK;
    struct address address = {0, 0};
    if (runner->plan->functions[visit->function].per_thread)
        return no_ballots;
    if (runner->options->without_records)
        return no_shuffles;
    if (ws_runner_is_full(runner))
        return ws_runner_site_limit;
    if (ws_site_budget_leaves_out(runner->budget, visit->block))
        return ws_site_budget_reason;
    if (is_fixed(access))
        return NULL;
    if (access->memory == WS_MEMORY_ADDRESS)
        put_pointer(visit, access->pointer, &address);
    else if (!put_offset(visit, access, &address))
        return no_index;
    const uint32_t first = ws_constant_u32(runner->editor, row);
    *row_count =
        has_banks ? words : sector_rows + ws_access_pieces(access->size, access->unit, WS_MEMORY_LINE);
    if (has_banks)
        return ws_runner_put_probe(runner, visit->function, visit->cursor, WS_PRIMITIVE_COUNT_BANKS,
                                   (uint32_t[]){first, ws_constant_u32(runner->editor, words), address.low},
                                   3);
    return ws_runner_put_probe(runner, visit->function, visit->cursor, WS_PRIMITIVE_COUNT_ACCESS,
                               (uint32_t[]){first, ws_constant_u32(runner->editor, sector_rows),
                                            ws_constant_u32(runner->editor, access->size), address.low,
                                            address.high},
                               5);
}

uint32_t ws_visit_access_count(const struct ws_visit *visit)
{
    return ws_access_count(ws_visit_opcode(visit));
}

bool ws_visit_count_access(struct ws_visit *visit, uint32_t index)
{
    struct ws_runner *runner = visit->runner;
    struct ws_access access;
    const char *reason = NULL;
    if (!need_layouts(runner))
        return false;
    const enum ws_access_result found =
        ws_access_find(runner->layouts, visit->instruction, index, &access, &reason);
    if (found == WS_ACCESS_NONE)
        return false;
    /* The accesses of one instruction are places of their own, beside those of visit.c. */
    const uint64_t place = (uint64_t)ws_runner_visit_offset(visit) << 8 | (0xf0 + index);
    const uint32_t row = ws_runner_find_rows(runner, place);
    uint32_t row_count = 0;
    if (found == WS_ACCESS_FOUND)
        reason = put_access(visit, &access, row, &row_count);
    if (reason != NULL) {
        ws_visit_skip(visit, reason);
        return false;
    }
    if (row_count == 0) {
        ws_runner_add_pass_site(visit, tag_of(&access), WS_SITE_ACCESS, ws_runner_visit_offset(visit),
                                WS_NONE);
        return true;
    }
    ws_site_budget_spend(runner->budget, visit->function, WS_NONE);
    ws_runner_take_rows(runner, visit->function, place, row, row_count);
    for (uint32_t i = 0; i < row_count; i++)
        ws_runner_add_pass_site(visit, i == 0 ? tag_of(&access) : WS_TAG_MEMORY_ACCESS_MORE, WS_SITE_ACCESS,
                                ws_runner_visit_offset(visit), row + i);
    return true;
}

/* ---- records ---- */

uint32_t ws_visit_access_address(struct ws_visit *visit, uint32_t index, uint32_t words[2])
{
    struct ws_access access;
    struct address address = {0, 0};
    const char *reason = NULL;
    if (!need_layouts(visit->runner))
        return 0;
    const enum ws_access_result found =
        ws_access_find(visit->runner->layouts, visit->instruction, index, &access, &reason);
    if (found == WS_ACCESS_NONE || access.memory == WS_MEMORY_WORKGROUP)
        return 0;
    if (found == WS_ACCESS_FOUND && access.memory == WS_MEMORY_ADDRESS)
        put_pointer(visit, access.pointer, &address);
    else if (found == WS_ACCESS_FOUND && !put_offset(visit, &access, &address))
        reason = no_index;
    if (reason != NULL) {
        ws_visit_skip(visit, reason);
        return 0;
    }
    words[0] = address.low;
    words[1] = address.high;
    return tag_of(&access);
}

static bool need_stretches(struct ws_runner *runner)
{
    if (runner->stretches != NULL)
        return true;
    if (!need_layouts(runner))
        return false;
    struct ws_stretches *stretches = ws_arena_allocate(runner->module->arena, 1, sizeof(*stretches));
    if (stretches == NULL || !ws_stretches_find(stretches, runner->module, runner->layouts))
        return ws_editor_fail(runner->editor, "out of memory for the accesses of a module");
    runner->stretches = stretches;
    return true;
}

/* Counts the accesses of the instruction that are not followed. */
static void skip_unknown(struct ws_visit *visit)
{
    const uint32_t count = ws_visit_access_count(visit);
    for (uint32_t i = 0; i < count; i++) {
        struct ws_access access;
        const char *reason = NULL;
        if (ws_access_find(visit->runner->layouts, visit->instruction, i, &access, &reason) ==
            WS_ACCESS_UNKNOWN)
            ws_visit_skip(visit, reason);
    }
}

/* Computes the words of a stretch. False where one is no integer. */
static bool put_words(struct ws_visit *visit, const struct ws_stretch *stretch, uint32_t *words)
{
    for (uint32_t i = 0; i < stretch->word_count; i++) {
        const struct ws_stretch_word *word = &stretch->words[i];
        struct address address = {0, 0};
        switch (word->part) {
        case WS_STRETCH_VALUE:
            if (ws_visit_words(visit, word->id, &words[i], 1) != 1)
                return false;
            break;
        case WS_STRETCH_OFFSET: words[i] = put_shadow(visit, word->id, 0); break;
        case WS_STRETCH_PLACE: words[i] = put_shadow(visit, word->id, 1); break;
        case WS_STRETCH_ADDRESS:
            put_pointer(visit, word->id, &address);
            words[i++] = address.low;
            words[i] = address.high;
            break;
        }
    }
    return true;
}

static void record_stretch(struct ws_visit *visit, const struct ws_stretch *stretch)
{
    struct ws_runner *runner = visit->runner;
    uint32_t words[WS_STRETCH_WORDS_MAX];
    const uint32_t tag = ws_stretch_tag(runner->stretches, stretch);
    if (ws_site_budget_leaves_out(runner->budget, visit->block))
        ws_visit_skip(visit, ws_site_budget_reason);
    else if (stretch->word_count == 0)
        ws_visit_record(visit, tag);
    else if (!ws_visit_can_record(visit))
        return;
    else if (put_words(visit, stretch, words))
        ws_visit_record_data(visit, tag, words, stretch->word_count);
    else
        ws_visit_skip(visit, no_index);
}

void ws_visit_record_accesses(struct ws_visit *visit)
{
    struct ws_runner *runner = visit->runner;
    if (!need_stretches(runner))
        return;
    skip_unknown(visit);
    const struct ws_stretches *stretches = runner->stretches;
    const struct ws_stretch *stretch = ws_stretches_at(stretches, visit->instruction);
    for (; stretch != NULL && stretch < stretches->list + stretches->count &&
           stretch->instruction == visit->instruction;
         stretch++)
        record_stretch(visit, stretch);
}
