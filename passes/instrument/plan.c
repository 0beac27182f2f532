#include "passes/instrument/plan.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/flow/equivalence.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/cuts.h"

/* Entry points times functions that they reach, and times calls in these, in one module. Real modules stay
 * below thousands; the limits keep a hostile one, with a million of both, from making tables of that size and
 * taking the time to walk them. */
#define REACHED_MAX (1u << 22)
#define CALLS_MAX   (1u << 25)

static const char *const no_memory = "out of memory for the plan of a module";

uint32_t ws_stage_of_model(uint32_t model)
{
    switch ((SpvExecutionModel)model) {
    case SpvExecutionModelVertex: return WS_STAGE_VERTEX;
    case SpvExecutionModelTessellationControl: return WS_STAGE_TESSELLATION_CONTROL;
    case SpvExecutionModelTessellationEvaluation: return WS_STAGE_TESSELLATION_EVALUATION;
    case SpvExecutionModelGeometry: return WS_STAGE_GEOMETRY;
    case SpvExecutionModelFragment: return WS_STAGE_FRAGMENT;
    case SpvExecutionModelGLCompute: return WS_STAGE_COMPUTE;
    case SpvExecutionModelTaskNV:
    case SpvExecutionModelTaskEXT: return WS_STAGE_TASK;
    case SpvExecutionModelMeshNV:
    case SpvExecutionModelMeshEXT: return WS_STAGE_MESH;
    case SpvExecutionModelRayGenerationKHR: return WS_STAGE_RAYGEN;
    case SpvExecutionModelAnyHitKHR: return WS_STAGE_ANY_HIT;
    case SpvExecutionModelClosestHitKHR: return WS_STAGE_CLOSEST_HIT;
    case SpvExecutionModelMissKHR: return WS_STAGE_MISS;
    case SpvExecutionModelIntersectionKHR: return WS_STAGE_INTERSECTION;
    case SpvExecutionModelCallableKHR: return WS_STAGE_CALLABLE;
    default: return 0;
    }
}

/* Why nothing in the module can be instrumented, or NULL. */
static const char *refuse_module(const struct ws_module *module)
{
    if (module->entry_point_count == 0)
        return "the module has no entry point";
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t operand = ws_operand(module, instruction, 0);
        if (instruction->opcode == SpvOpCapability && operand == SpvCapabilityKernel)
            return "the module holds kernels of OpenCL";
        if (instruction->opcode == SpvOpCapability && operand == SpvCapabilityLinkage)
            return "the module is still to be linked with others";
        if (instruction->opcode == SpvOpMemoryModel) {
            const bool usable =
                operand == SpvAddressingModelLogical || operand == SpvAddressingModelPhysicalStorageBuffer64;
            return usable ? NULL : "the module's addressing model is not one of Vulkan's";
        }
    }
    return NULL;
}

/* Mask by index: the passes that have an opcode. */
static uint32_t passes_of_opcode(uint16_t opcode, const struct ws_pass *const *passes, size_t pass_count)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < pass_count; i++)
        for (size_t j = 0; j < passes[i]->opcode_count; j++)
            if (passes[i]->opcodes[j] == opcode)
                mask |= UINT32_C(1) << i;
    return mask;
}

#define FILTER_SIZE 512

/* Finds of which passes each function has an opcode, in a block that control flow can reach. Most instructions are none of
 * theirs, which the lowest bits of the opcode show. */
static void find_opcodes(struct ws_instrument_plan *plan, const struct ws_pass *const *passes,
                         size_t pass_count)
{
    const struct ws_module *module = plan->module;
    bool filter[FILTER_SIZE] = {false};
    for (size_t i = 0; i < pass_count; i++)
        for (size_t j = 0; j < passes[i]->opcode_count; j++)
            filter[passes[i]->opcodes[j] % FILTER_SIZE] = true;
    for (uint32_t b = 0; b < module->block_count; b++) {
        const struct ws_block *block = &module->blocks[b];
        const struct ws_cfg *cfg = &plan->cfgs[block->function];
        if (!cfg->opaque && cfg->position[b - module->functions[block->function].block_first] == WS_NONE)
            continue;
        for (uint32_t i = block->first; i < block->end; i++)
            if (filter[module->instructions[i].opcode % FILTER_SIZE])
                plan->functions[block->function].opcodes |=
                    passes_of_opcode(module->instructions[i].opcode, passes, pass_count);
    }
}

/* Mask by index: the passes that want an entry point, which reaches `opcodes` (as find_opcodes has them). */
static uint32_t passes_wanting(uint32_t stage, uint32_t opcodes, const struct ws_pass *const *passes,
                               size_t pass_count, const struct ws_instrument_options *options)
{
    uint32_t mask = 0;
    if (options->stages != 0 && (options->stages & stage) == 0)
        return 0;
    for (size_t i = 0; i < pass_count; i++) {
        const bool by_opcode = (passes[i]->stages_by_opcode & stage) != 0;
        if ((passes[i]->stages & stage) != 0 && (!by_opcode || (opcodes >> i & 1) != 0))
            mask |= UINT32_C(1) << i;
    }
    return mask;
}

/* Lists the functions that an entry point reaches: those that it calls, then those that only the device calls
 * for it. `reached` has room for all functions twice; the marks are of this entry point. */
static bool list_reached(struct ws_instrument_plan *plan, uint32_t index, uint32_t *marks,
                         uint32_t *callback_marks, uint32_t *reached)
{
    const struct ws_module *module = plan->module;
    struct ws_instrument_plan_entry *entry = &plan->entries[index];
    const uint32_t mark = index + 1;
    entry->called_count =
        ws_calls_reached(&plan->calls, module->entry_points[index].function, marks, mark, reached);
    /* Counters of a function may be the sums of its callers' (visit.c), so these are walked first. */
    if (entry->called_count > 0)
        ws_calls_sort(&plan->calls, reached + 1, entry->called_count - 1);
    const uint32_t count =
        ws_calls_add_callbacks(&plan->calls, callback_marks, mark, reached, entry->called_count);
    entry->functions = ws_arena_allocate(module->arena, count, sizeof(*entry->functions));
    if (entry->functions == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (i >= entry->called_count)
            plan->functions[reached[i]].called_back = true;
        if (i < entry->called_count || marks[reached[i]] != mark)
            entry->functions[entry->function_count++] = reached[i];
    }
    return true;
}

/* Lists what every entry point reaches, and which passes want it. */
static bool plan_entries(struct ws_instrument_plan *plan, const struct ws_pass *const *passes,
                         size_t pass_count, const struct ws_instrument_options *options,
                         struct ws_error *error)
{
    const struct ws_module *module = plan->module;
    const size_t function_count = module->function_count;
    uint32_t *marks = ws_arena_allocate(module->arena, function_count, sizeof(*marks));
    uint32_t *callback_marks = ws_arena_allocate(module->arena, function_count, sizeof(*marks));
    uint32_t *reached = ws_arena_allocate(module->arena, 2 * function_count, sizeof(*reached));
    if (marks == NULL || callback_marks == NULL || reached == NULL)
        return ws_error_set(error, "%s", no_memory);
    find_opcodes(plan, passes, pass_count);
    uint32_t reached_count = 0;
    uint32_t call_count = 0;
    for (uint32_t e = 0; e < module->entry_point_count; e++) {
        struct ws_instrument_plan_entry *entry = &plan->entries[e];
        uint32_t opcodes = 0;
        if (!list_reached(plan, e, marks, callback_marks, reached))
            return ws_error_set(error, "%s", no_memory);
        reached_count += entry->function_count;
        for (uint32_t i = 0; i < entry->function_count; i++) {
            const uint32_t function = entry->functions[i];
            opcodes |= plan->functions[function].opcodes;
            call_count += plan->calls.callee_first[function + 1] - plan->calls.callee_first[function];
        }
        entry->stage = ws_stage_of_model(module->entry_points[e].model);
        entry->passes = passes_wanting(entry->stage, opcodes, passes, pass_count, options);
        entry->wanted = entry->passes != 0;
        entry->no_place = !entry->wanted && entry->stage != 0 &&
                          (options->stages == 0 || (options->stages & entry->stage) != 0);
        entry->per_thread = options->subgroup_stages != 0 && (options->subgroup_stages & entry->stage) == 0;
        entry->lanes = ws_link_lanes(module, e);
        if (reached_count > REACHED_MAX || call_count > CALLS_MAX) {
            return ws_error_set(
                error, "the module's %u entry points reach more functions and calls than can be listed",
                module->entry_point_count);
        }
    }
    return true;
}

/* Tells every function which entry points reach it. */
static bool plan_reached(struct ws_instrument_plan *plan, struct ws_error *error)
{
    const struct ws_module *module = plan->module;
    for (uint32_t e = 0; e < module->entry_point_count; e++)
        for (uint32_t i = 0; i < plan->entries[e].function_count; i++)
            plan->functions[plan->entries[e].functions[i]].entry_point_count++;
    for (uint32_t f = 0; f < module->function_count; f++) {
        struct ws_instrument_plan_function *function = &plan->functions[f];
        function->entry_points =
            ws_arena_allocate(module->arena, function->entry_point_count, sizeof(*function->entry_points));
        if (function->entry_points == NULL)
            return ws_error_set(error, "%s", no_memory);
        function->reached = function->entry_point_count != 0;
        function->entry_point_count = 0;
    }
    for (uint32_t e = 0; e < module->entry_point_count; e++) {
        const struct ws_instrument_plan_entry *entry = &plan->entries[e];
        plan->functions[entry->functions[0]].entry = true;
        for (uint32_t i = 0; i < entry->function_count; i++) {
            struct ws_instrument_plan_function *function = &plan->functions[entry->functions[i]];
            function->entry_points[function->entry_point_count++] = e;
            function->stages |= entry->wanted ? entry->stage : 0;
            function->passes |= entry->passes;
        }
    }
    return true;
}

/* Which variants of the primitives a function must call, or why none serves all who reach it: entry points
 * that are not wanted share its code too, and must stay valid. */
static void choose_variant(const struct ws_instrument_plan *plan,
                           struct ws_instrument_plan_function *function)
{
    for (uint32_t i = 0; i < function->entry_point_count; i++) {
        const struct ws_instrument_plan_entry *entry = &plan->entries[function->entry_points[i]];
        if (entry->stage == 0) {
            function->refusal = "an entry point of a stage that is not known shares the function";
            return;
        }
        if (i != 0 && entry->lanes != function->lanes) {
            function->refusal = "fragment shaders and other stages share the function";
            return;
        }
        if (i != 0 && entry->per_thread != function->per_thread) {
            function->refusal = "stages with and without subgroup operations share the function";
            return;
        }
        function->lanes = entry->lanes;
        function->per_thread = entry->per_thread;
    }
}

/* Every block its own class. */
static uint32_t *every_block(const struct ws_cfg *cfg, struct ws_arena *arena, struct ws_error *error)
{
    uint32_t *leaders = ws_arena_allocate(arena, cfg->block_count, sizeof(*leaders));
    if (leaders == NULL) {
        ws_error_set(error, "%s", no_memory);
        return NULL;
    }
    for (uint32_t block = 0; block < cfg->block_count; block++)
        leaders[block] = cfg->position[block] == WS_NONE ? WS_NONE : block;
    return leaders;
}

static bool plan_functions(struct ws_instrument_plan *plan, const struct ws_instrument_options *options,
                           struct ws_error *error)
{
    const struct ws_module *module = plan->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        struct ws_instrument_plan_function *function = &plan->functions[f];
        if (function->stages == 0)
            continue;
        if (plan->cfgs[f].opaque)
            function->refusal = "a block of the function ends in an instruction that is not understood";
        else if (plan->cfgs[f].block_count == 0)
            function->refusal = "the function has no body";
        else if (function->called_back)
            function->refusal = "the device calls the function by itself, for a cooperative matrix";
        else
            choose_variant(plan, function);
        if (function->refusal != NULL)
            continue;
        function->leaders = options->per_block ? every_block(&plan->cfgs[f], module->arena, error)
                                               : ws_equivalence_find(module->arena, module, f, &plan->cfgs[f],
                                                                     plan->calls.block_parts, error);
        if (function->leaders != NULL && !options->per_block)
            function->sums = ws_equivalence_sums(module->arena, module, f, &plan->cfgs[f],
                                                 plan->calls.block_parts, function->leaders, error);
        if (function->leaders == NULL || (function->sums == NULL && !options->per_block))
            return false;
    }
    return true;
}

bool ws_instrument_plan_make(struct ws_instrument_plan *plan, struct ws_module *module,
                             const struct ws_pass *const *passes, size_t pass_count,
                             const struct ws_instrument_options *options, struct ws_error *error)
{
    *plan = (struct ws_instrument_plan){.module = module, .refusal = refuse_module(module)};
    if (plan->refusal != NULL)
        return true;
    struct ws_arena *arena = module->arena;
    plan->functions = ws_arena_allocate(arena, module->function_count, sizeof(*plan->functions));
    plan->entries = ws_arena_allocate(arena, module->entry_point_count, sizeof(*plan->entries));
    if (plan->functions == NULL || plan->entries == NULL)
        return ws_error_set(error, "%s", no_memory);
    plan->cfgs = ws_cuts_make(module, error);
    return plan->cfgs != NULL && ws_calls_build(&plan->calls, arena, module, plan->cfgs, error) &&
           plan_entries(plan, passes, pass_count, options, error) && plan_reached(plan, error) &&
           plan_functions(plan, options, error);
}

bool ws_plan_has_takers(const struct ws_instrument_plan *plan, uint32_t function)
{
    const struct ws_calls *calls = &plan->calls;
    if (plan->functions[function].entry || plan->functions[function].called_back)
        return false;
    for (uint32_t i = calls->caller_first[function]; i < calls->caller_first[function + 1]; i++) {
        const uint32_t caller = plan->module->blocks[calls->caller_blocks[i]].function;
        if (plan->functions[caller].refusal != NULL)
            return false;
    }
    return true;
}
