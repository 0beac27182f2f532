#include "passes/instrument/copies.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/spirv/operands.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/sites.h"

/* Kinds of callers are bits of a mask: the device itself, then groups of entry points, then warps that do not count. */
#define DEVICE    1u
#define PLAIN     0x80000000u
#define KINDS_MAX 31

/* Stages whose entry points can be sampled. In task stages OpEmitMeshTasksEXT must be in the entry point's own function. */
#define SAMPLED_STAGES (WS_STAGES_ALL & ~(uint32_t)(WS_STAGE_TASK | WS_STAGE_MESH))

#define HEADER_WORDS 5

/* Instruction of NonSemantic.Shader.DebugInfo.100. A DebugFunction has one definition. */
#define DEBUG_FUNCTION_DEFINITION 101

/* Entry points that can share a function. */
struct group {
    enum ws_link_lanes lanes;
    bool per_thread;
    bool is_known;   /* their stages are */
    uint32_t helper; /* their variable of the HelperInvocation built-in; 0 = none has one */
};

/* A copy of a function. Its ids are id_base + n, where n counts the ids that the function defines: itself, then
 * its results in their order. */
struct copy {
    uint32_t kind; /* bit of its callers */
    uint32_t id_base;
};

struct work {
    const struct ws_instrument_plan *plan;
    const struct ws_module *module;
    struct ws_arena *arena;
    struct group groups[KINDS_MAX];
    uint32_t group_count;
    uint32_t *kinds;      /* per function: mask of the kinds of its callers */
    bool *is_sampled;     /* per function: that of an entry point which is sampled */
    bool *is_copied;      /* per function */
    uint32_t *copy_first; /* per function that is copied: its first copy */
    struct copy *copies;  /* function by function */
    uint32_t copy_count;
    uint32_t *owners;  /* per id: index of the copied function that defines it; WS_NONE = none does */
    uint32_t *places;  /* per id with an owner: its number among the owner's ids */
    uint32_t bound;    /* the next free id */
    uint32_t *words;   /* what is written; NULL = only counted */
    uint32_t *offsets; /* likewise */
    size_t word_count;
    uint32_t instruction_count;
};

/* ---- kinds of callers ---- */

/* The variable of the HelperInvocation built-in in an entry point's interface; 0 if none. */
static uint32_t find_helper(const struct ws_module *module, uint32_t entry_point)
{
    const struct ws_instruction *entry = &module->instructions[module->entry_points[entry_point].instruction];
    const uint32_t first = ws_link_interface_first(module, entry);
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode != SpvOpDecorate ||
            ws_operand(module, instruction, 1) != SpvDecorationBuiltIn ||
            ws_operand(module, instruction, 2) != SpvBuiltInHelperInvocation)
            continue;
        for (uint32_t operand = first; operand + 1u < entry->length; operand++)
            if (ws_operand(module, entry, operand) == ws_operand(module, instruction, 0))
                return ws_operand(module, instruction, 0);
    }
    return 0;
}

/* The group of an entry point, made when it is new; KINDS_MAX when there are too many. */
static uint32_t find_group(struct work *work, uint32_t entry_point)
{
    const struct ws_instrument_plan_entry *entry = &work->plan->entries[entry_point];
    const struct group wanted = {
        .lanes = entry->lanes,
        .per_thread = entry->per_thread,
        .is_known = entry->stage != 0,
        .helper = entry->stage == WS_STAGE_FRAGMENT ? find_helper(work->module, entry_point) : 0};
    for (uint32_t i = 0; i < work->group_count; i++) {
        struct group *group = &work->groups[i];
        if (group->lanes != wanted.lanes || group->per_thread != wanted.per_thread ||
            group->is_known != wanted.is_known ||
            (group->helper != 0 && wanted.helper != 0 && group->helper != wanted.helper))
            continue;
        group->helper = group->helper != 0 ? group->helper : wanted.helper;
        return i;
    }
    if (work->group_count == KINDS_MAX - 1)
        return KINDS_MAX;
    work->groups[work->group_count] = wanted;
    return work->group_count++;
}

/* Tells every function of which kinds its callers are. False where there are too many kinds. */
static bool find_kinds(struct work *work)
{
    const struct ws_instrument_plan *plan = work->plan;
    for (uint32_t e = 0; e < work->module->entry_point_count; e++) {
        const uint32_t group = find_group(work, e);
        if (group == KINDS_MAX)
            return false;
        for (uint32_t i = 0; i < plan->entries[e].called_count; i++)
            work->kinds[plan->entries[e].functions[i]] |= DEVICE << 1 << group;
    }
    for (uint32_t f = 0; f < work->module->function_count; f++)
        if (plan->functions[f].called_back)
            work->kinds[f] |= DEVICE;
    return true;
}

/* ---- which functions are copied ---- */

static bool is_shared(const struct work *work, uint32_t function)
{
    const uint32_t kinds = work->kinds[function];
    return (kinds & (kinds - 1)) != 0;
}

/* Whether the layout of each instruction of the function is known. `is_id` has room for the longest. */
static bool can_copy(const struct work *work, uint32_t function, bool *is_id)
{
    const struct ws_function *info = &work->module->functions[function];
    if (work->plan->cfgs[function].opaque || info->block_count == 0)
        return false;
    for (uint32_t i = info->first; i < info->end; i++)
        if (!ws_operands_find_ids(work->module, &work->module->instructions[i], is_id))
            return false;
    return true;
}

/* Whether a pass wants a place in the function. */
static bool has_place(const struct work *work, uint32_t function, const struct ws_pass *const *passes,
                      size_t pass_count)
{
    const struct ws_instrument_plan_function *plan = &work->plan->functions[function];
    const struct ws_function *info = &work->module->functions[function];
    for (size_t p = 0; p < pass_count; p++) {
        if ((plan->passes >> p & 1) == 0)
            continue;
        const uint32_t everywhere = WS_PLACE_BLOCK | WS_PLACE_FUNCTION | WS_PLACE_LEAVE |
                                    WS_PLACE_LOOP_BEGIN | WS_PLACE_LOOP_ITERATE | WS_PLACE_LOOP_END;
        if ((passes[p]->places & everywhere) != 0 || (plan->opcodes >> p & 1) != 0)
            return true;
        for (uint32_t i = info->first; i < info->end && (passes[p]->places & WS_PLACE_END) != 0; i++)
            if (ws_instruction_ends(&work->module->instructions[i], false))
                return true;
    }
    return false;
}

/* Whether warps may run two bodies at a time of what an entry point reaches. A patch's threads come to one barrier, those of
 * one pixel to one interlock: the same instruction for all. A device that is asked to put threads into other warps would
 * bring threads that count and threads that do not into one: it would have to part them again, and fewer would be counted
 * as active than are. */
static bool may_part(const struct work *work, const struct ws_instrument_plan_entry *entry)
{
    const struct ws_module *module = work->module;
    for (uint32_t i = 0; i < entry->called_count; i++) {
        const struct ws_function *info = &module->functions[entry->functions[i]];
        for (uint32_t at = info->first; at < info->end; at++) {
            const uint16_t opcode = module->instructions[at].opcode;
            if (opcode == SpvOpBeginInvocationInterlockEXT || ws_opcode_reorders(opcode) ||
                (opcode == SpvOpControlBarrier && entry->stage == WS_STAGE_TESSELLATION_CONTROL))
                return false;
        }
    }
    return true;
}

/* Whether an entry point can be sampled. */
static bool can_sample(const struct work *work, const struct ws_instrument_plan_entry *entry, bool *is_id)
{
    const uint32_t kinds = work->kinds[entry->functions[0]] & ~PLAIN;
    if (!entry->wanted || (entry->stage & SAMPLED_STAGES) == 0 || (kinds & (kinds - 1)) != 0 ||
        (kinds & DEVICE) != 0 || !may_part(work, entry))
        return false;
    for (uint32_t i = 0; i < entry->called_count; i++)
        if (!can_copy(work, entry->functions[i], is_id))
            return false;
    return true;
}

/* Has the functions of the entry points that can be sampled copied for the warps that do not count. */
static void choose_plain(struct work *work, bool *is_id)
{
    for (uint32_t e = 0; e < work->module->entry_point_count; e++) {
        const struct ws_instrument_plan_entry *entry = &work->plan->entries[e];
        if (!can_sample(work, entry, is_id))
            continue;
        for (uint32_t i = 0; i < entry->called_count; i++)
            work->kinds[entry->functions[i]] |= PLAIN;
        work->is_sampled[entry->functions[0]] = true;
    }
}

/* Decides what is copied. False if there is no memory. `*any` receives whether anything is. */
static bool choose(struct work *work, const struct ws_pass *const *passes, size_t pass_count, bool sampled,
                   bool *any)
{
    const struct ws_module *module = work->module;
    /* Per operand of an instruction: none has more words than the module. */
    const size_t longest = module->word_count < UINT16_MAX ? module->word_count : UINT16_MAX;
    bool *is_id = ws_arena_allocate(work->arena, longest, sizeof(*is_id));
    if (is_id == NULL)
        return false;
    if (sampled)
        choose_plain(work, is_id);
    for (uint32_t f = 0; f < module->function_count; f++)
        work->is_copied[f] =
            work->is_sampled[f] || (is_shared(work, f) && has_place(work, f, passes, pass_count));
    if (!ws_calls_mark_callers(module, work->plan->cfgs, work->is_copied))
        return false;
    *any = false;
    for (uint32_t f = 0; f < module->function_count; f++) {
        work->is_copied[f] = work->is_copied[f] && is_shared(work, f) && can_copy(work, f, is_id) &&
                             (work->is_sampled[f] || !work->plan->functions[f].entry);
        *any = *any || work->is_copied[f];
    }
    return true;
}

/* ---- ids ---- */

static uint32_t count_bits(uint32_t mask)
{
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1)
        count++;
    return count;
}

/* Numbers the ids that a copied function defines. Returns how many there are. */
static uint32_t number_ids(struct work *work, uint32_t function)
{
    const struct ws_function *info = &work->module->functions[function];
    uint32_t count = 0;
    for (uint32_t i = info->first; i < info->end; i++) {
        const struct ws_instruction *instruction = &work->module->instructions[i];
        bool has_type = false;
        bool has_result = false;
        ws_opcode_results(instruction->opcode, &has_type, &has_result);
        if (!has_result)
            continue;
        const uint32_t id = ws_operand(work->module, instruction, has_type);
        work->owners[id] = function;
        work->places[id] = count++;
    }
    return count;
}

/* Lists the copies and gives them ids: one for each kind of callers but the first, which keeps the original.
 * False if there is no memory or no id. */
static bool list_copies(struct work *work)
{
    const struct ws_module *module = work->module;
    uint32_t count = 0;
    for (uint32_t f = 0; f < module->function_count; f++)
        count += work->is_copied[f] ? count_bits(work->kinds[f]) - 1 : 0;
    work->copies = ws_arena_allocate(work->arena, count, sizeof(*work->copies));
    if (work->copies == NULL)
        return false;
    work->bound = module->bound;
    for (uint32_t f = 0; f < module->function_count; f++) {
        if (!work->is_copied[f])
            continue;
        const uint32_t ids = number_ids(work, f);
        work->copy_first[f] = work->copy_count;
        for (uint32_t kinds = work->kinds[f] & (work->kinds[f] - 1); kinds != 0; kinds &= kinds - 1) {
            if (ids > WS_BOUND_MAX - work->bound)
                return false;
            work->copies[work->copy_count++] = (struct copy){kinds & -kinds, work->bound};
            work->bound += ids;
        }
    }
    return true;
}

/* The id that stands for `id` in a copy of a function. */
static uint32_t map_id(const struct work *work, const struct copy *copy, uint32_t function, uint32_t id)
{
    return id < work->module->bound && work->owners[id] == function ? copy->id_base + work->places[id] : id;
}

/* The id of the body of a function that callers of a kind are to call. */
static uint32_t target(const struct work *work, uint32_t callee, uint32_t kind)
{
    const uint32_t kinds = work->kinds[callee];
    if (!work->is_copied[callee] || (kinds & kind) == 0 || (kinds & -kinds) == kind)
        return work->module->functions[callee].id;
    for (uint32_t i = work->copy_first[callee];; i++)
        if (work->copies[i].kind == kind)
            return work->copies[i].id_base;
}

/* ---- writing ---- */

/* Begins an instruction, and returns where its `length` words go; NULL when words are only counted. */
static uint32_t *begin(struct work *work, uint32_t length, uint32_t offset)
{
    uint32_t *out = work->words != NULL ? work->words + work->word_count : NULL;
    if (work->offsets != NULL)
        work->offsets[work->instruction_count] = offset;
    work->word_count += length;
    work->instruction_count++;
    return out;
}

/* Writes an instruction of a function for callers of a kind; `copy` is NULL in the original. */
static void write_instruction(struct work *work, uint32_t index, const struct copy *copy, uint32_t function,
                              uint32_t kind, bool *is_id)
{
    const struct ws_module *module = work->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    uint32_t *out = begin(work, instruction->length, instruction->offset);
    if (out == NULL)
        return;
    memcpy(out, module->words + instruction->offset, instruction->length * sizeof(*out));
    if (copy != NULL && ws_operands_find_ids(module, instruction, is_id))
        for (uint32_t i = 0; i + 1u < instruction->length; i++)
            if (is_id[i])
                out[1 + i] = map_id(work, copy, function, out[1 + i]);
    if (instruction->opcode == SpvOpFunctionCall && kind != 0) {
        const uint32_t callee = ws_calls_callee(module, instruction);
        if (callee != WS_NONE)
            out[3] = target(work, callee, kind);
    }
}

/* The kind of callers for which the original of a function is; 0 where it is for several, or for none. */
static uint32_t kind_of_original(const struct work *work, uint32_t function)
{
    const uint32_t kinds = work->kinds[function];
    return work->is_copied[function] || !is_shared(work, function) ? kinds & -kinds : 0;
}

/* Whether it is a DebugFunctionDefinition. */
static bool is_definition(const struct ws_module *module, const struct ws_instruction *instruction)
{
    static const char name[] = "NonSemantic.Shader.DebugInfo.100";
    const struct ws_instruction *set = instruction->opcode != SpvOpExtInst
                                           ? NULL
                                           : ws_module_definition(module, ws_operand(module, instruction, 2));
    return set != NULL && set->opcode == SpvOpExtInstImport &&
           ws_operand(module, instruction, 3) == DEBUG_FUNCTION_DEFINITION &&
           strcmp((const char *)(module->words + set->offset + 2), name) == 0;
}

/* What a decoration says of an id of a copied function, it says of that id in the copies. */
static void write_decorations(struct work *work)
{
    const struct ws_module *module = work->module;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const bool is_group = instruction->opcode == SpvOpGroupDecorate;
        if (!is_group && instruction->opcode != SpvOpDecorate && instruction->opcode != SpvOpDecorateId &&
            instruction->opcode != SpvOpDecorateString)
            continue;
        for (uint32_t operand = is_group ? 1 : 0; operand + 1u < instruction->length; operand++) {
            const uint32_t id = ws_operand(module, instruction, operand);
            const uint32_t owner = id < module->bound ? work->owners[id] : WS_NONE;
            const uint32_t copies = owner == WS_NONE ? 0 : count_bits(work->kinds[owner]) - 1;
            for (uint32_t c = 0; c < copies; c++) {
                const struct copy *copy = &work->copies[work->copy_first[owner] + c];
                const uint32_t length = is_group ? 3 : instruction->length;
                uint32_t *out = begin(work, length, WS_NONE);
                if (out == NULL)
                    continue;
                memcpy(out, module->words + instruction->offset, length * sizeof(*out));
                out[0] = length << SpvWordCountShift | instruction->opcode;
                for (uint32_t o = 1; o < length && instruction->opcode == SpvOpDecorateId; o++)
                    out[o] = o == 2 ? out[o] : map_id(work, copy, owner, out[o]);
                out[is_group ? 2 : 1] = map_id(work, copy, owner, id);
            }
            if (!is_group)
                break;
        }
    }
}

static void write_copies(struct work *work, bool *is_id)
{
    const struct ws_module *module = work->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ws_function *info = &module->functions[f];
        const uint32_t copies = work->is_copied[f] ? count_bits(work->kinds[f]) - 1 : 0;
        for (uint32_t c = 0; c < copies; c++) {
            const struct copy *copy = &work->copies[work->copy_first[f] + c];
            for (uint32_t i = info->first; i < info->end; i++)
                if (!is_definition(module, &module->instructions[i]))
                    write_instruction(work, i, copy, f, copy->kind, is_id);
        }
    }
}

/* Writes the module with the copies, or only counts its words and instructions. */
static void write_module(struct work *work, bool *is_id)
{
    const struct ws_module *module = work->module;
    uint32_t function = 0;
    work->word_count = HEADER_WORDS;
    work->instruction_count = 0;
    if (work->words != NULL) {
        memcpy(work->words, module->words, HEADER_WORDS * sizeof(*work->words));
        work->words[3] = work->bound;
    }
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        if (i == module->section_ends[WS_SECTION_ANNOTATION])
            write_decorations(work);
        while (function < module->function_count && module->functions[function].end <= i)
            function++;
        const bool inside = function < module->function_count && module->functions[function].first <= i;
        write_instruction(work, i, NULL, function, inside ? kind_of_original(work, function) : 0, is_id);
    }
    write_copies(work, is_id);
}

/* Per function of the new module: which function of the original it is, or is a copy of. */
static const uint32_t *list_origins(const struct work *work)
{
    const uint32_t function_count = work->module->function_count;
    uint32_t *origins =
        ws_arena_allocate(work->arena, (size_t)function_count + work->copy_count, sizeof(*origins));
    uint32_t count = function_count;
    for (uint32_t f = 0; f < function_count && origins != NULL; f++) {
        origins[f] = f;
        for (uint32_t c = 1; work->is_copied[f] && c < count_bits(work->kinds[f]); c++)
            origins[count++] = f;
    }
    return origins;
}

/* Per function of the new module: the copy that warps which do not count run instead of it (struct ws_copies). It is the
 * last, since PLAIN is the last kind. */
static const uint32_t *list_plain(const struct work *work)
{
    const uint32_t function_count = work->module->function_count;
    uint32_t *plain =
        ws_arena_allocate(work->arena, (size_t)function_count + work->copy_count, sizeof(*plain));
    for (uint32_t f = 0; f < function_count && plain != NULL; f++)
        if (work->is_sampled[f])
            plain[f] = work->copies[work->copy_first[f] + count_bits(work->kinds[f]) - 2].id_base;
    return plain;
}

static bool make(struct work *work, struct ws_copies *copies)
{
    const struct ws_module *module = work->module;
    bool *is_id = ws_arena_allocate(work->arena, UINT16_MAX, sizeof(*is_id));
    work->copy_first = ws_arena_allocate(work->arena, module->function_count, sizeof(*work->copy_first));
    work->owners = ws_arena_allocate(work->arena, module->bound, sizeof(*work->owners));
    work->places = ws_arena_allocate(work->arena, module->bound, sizeof(*work->places));
    if (is_id == NULL || work->copy_first == NULL || work->owners == NULL || work->places == NULL)
        return false;
    for (uint32_t id = 0; id < module->bound; id++)
        work->owners[id] = WS_NONE;
    if (!list_copies(work))
        return false;
    write_module(work, is_id);
    work->words = ws_arena_allocate(work->arena, work->word_count, sizeof(*work->words));
    work->offsets = ws_arena_allocate(work->arena, work->instruction_count, sizeof(*work->offsets));
    if (work->words == NULL || work->offsets == NULL)
        return false;
    write_module(work, is_id);
    *copies = (struct ws_copies){work->words, work->word_count, work->offsets, list_origins(work),
                                 list_plain(work)};
    return copies->origins != NULL && copies->plain != NULL;
}

bool ws_copies_make(const struct ws_copies **copies, const struct ws_instrument_plan *plan,
                    const struct ws_pass *const *passes, size_t pass_count, bool sampled,
                    struct ws_error *error)
{
    const struct ws_module *module = plan->module;
    struct work work = {.plan = plan, .module = module, .arena = module->arena};
    bool any = false;
    *copies = NULL;
    work.kinds = ws_arena_allocate(work.arena, module->function_count, sizeof(*work.kinds));
    work.is_copied = ws_arena_allocate(work.arena, module->function_count, sizeof(*work.is_copied));
    work.is_sampled = ws_arena_allocate(work.arena, module->function_count, sizeof(*work.is_sampled));
    if (work.kinds == NULL || work.is_copied == NULL || work.is_sampled == NULL)
        return ws_error_set(error, "out of memory for copies of functions");
    if (!find_kinds(&work))
        return true; /* so many kinds that functions stay shared, and are refused */
    if (!choose(&work, passes, pass_count, sampled, &any))
        return ws_error_set(error, "out of memory for copies of functions");
    struct ws_copies *made = any ? ws_arena_allocate(work.arena, 1, sizeof(*made)) : NULL;
    if (any && (made == NULL || !make(&work, made)))
        return ws_error_set(error, "out of memory, or of ids, for copies of functions");
    *copies = made;
    return true;
}
