/* Probes as passes: at each place that a rule wants, the function that fits is linked and called. */
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/base/glob.h"
#include "passes/instrument/paths.h"
#include "passes/instrument/probes.h"
#include "passes/instrument/runner_state.h"
#include "passes/probe/match.h"
#include "passes/probe/parts.h"
#include "passes/probe/source.h"
#include "passes/probe/storage.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"
#include "warpscope/base/id_map.h"

#define REASONS_MAX 32 /* different ones of one probe about types, in one module */
#define REASON_SIZE 256

static const char *const no_ballots = "the stage has no subgroup operations";
static const char *const no_unit = "the probe is not compiled for the stage";
static const char *const too_many_words = "the yields of the module need too much memory";
static const char *const too_many_sites = "more sites than a record can number";
static const char *const other_stages = "other stages, which the probe does not want, share the function";
static const char *const other_shaders = "other shaders, which the probe does not want, share the function";
static const char *const other_types = "no function takes the types there";

/* A probe as a pass, for one module. */
struct probe_pass {
    struct ws_pass pass;
    const struct ws_probe *probe;
    uint32_t index; /* in options.probes */
    uint16_t *opcodes;
    struct ws_library_unit sources[WS_PROBE_UNIT_COUNT];
    uint32_t units[WS_PROBE_UNIT_COUNT]; /* in the linker; WS_NONE = not added yet */
    struct ws_probe_layout layout;
    struct ws_id_map sites;  /* place, rule and function -> number of the site */
    struct ws_id_map shares; /* class of blocks, rule and function -> first word of the area of its call */
    struct ws_probe_source *source;
    const char *reasons[REASONS_MAX];
    uint32_t reason_count;
};

struct ws_probe_passes {
    struct probe_pass *list;
    size_t count;
    struct ws_probe_source source;
};

/* One call of a rule at a place. */
struct call {
    struct ws_visit *visit;
    struct probe_pass *probe;
    uint32_t rule;
    const struct ws_probe_function *function;
    struct ws_probe_match match;
    uint32_t site;   /* number */
    uint32_t at;     /* first word of its area; WS_NONE = none */
    uint32_t shared; /* first word of the shader's area; WS_NONE = none */
};

/* ---- filters ---- */

/* Whether the entry points that reach a function are wanted by the rule: NULL, or why not all of them; `*any` whether any
 * is. */
static const char *filter_entries(const struct ws_visit *visit, const struct ws_probe_rule *rule, bool *any)
{
    const struct ws_instrument_plan *plan = visit->runner->plan;
    const struct ws_instrument_plan_function *function = &plan->functions[visit->function];
    const char *reason = NULL;
    *any = false;
    for (uint32_t i = 0; i < function->entry_point_count; i++) {
        const uint32_t index = function->entry_points[i];
        const struct ws_instrument_plan_entry *entry = &plan->entries[index];
        if (!entry->wanted)
            continue;
        const bool by_stage = rule->stages == 0 || (rule->stages & entry->stage) != 0;
        const bool by_name =
            rule->shader[0] == '\0' || ws_glob_matches(rule->shader, plan->module->entry_points[index].name);
        *any = *any || (by_stage && by_name);
        if (!by_stage || !by_name)
            reason = by_stage ? other_shaders : other_stages;
    }
    return reason;
}

/* The name of the entry point whose function it is, NULL if it is none's. */
static const char *entry_name(const struct ws_visit *visit)
{
    const struct ws_instrument_plan *plan = visit->runner->plan;
    const struct ws_instrument_plan_function *function = &plan->functions[visit->function];
    for (uint32_t i = 0; i < function->entry_point_count; i++)
        if (plan->entries[function->entry_points[i]].functions[0] == visit->function)
            return plan->module->entry_points[function->entry_points[i]].name;
    return NULL;
}

/* Whether the rule wants the place, but for what its functions take. `*reason` is why it is skipped though it does. */
static bool is_wanted(const struct ws_visit *visit, struct probe_pass *probe,
                      const struct ws_probe_rule *rule, const char **reason)
{
    const struct ws_runner *runner = visit->runner;
    bool any = false;
    *reason = filter_entries(visit, rule, &any);
    if (!any)
        return false;
    if (rule->storage != 0 &&
        (rule->storage &
         ws_probe_storage_of(runner->module, &runner->module->instructions[visit->instruction])) == 0)
        return false;
    if (rule->function[0] != '\0') {
        const uint32_t origin = ws_plan_origin(runner->plan, visit->function);
        if (!ws_probe_source_names(runner->module, rule, runner->module->functions[origin].id,
                                   entry_name(visit)))
            return false;
    }
    return ws_probe_source_passes(probe->source, rule, ws_runner_visit_offset(visit));
}

/* ---- reasons ---- */

/* A text that is not static, kept as long as the module is worked on, and once for all places. */
static const char *keep_reason(struct ws_visit *visit, struct probe_pass *probe, const char *text)
{
    for (uint32_t i = 0; i < probe->reason_count; i++)
        if (strcmp(probe->reasons[i], text) == 0)
            return probe->reasons[i];
    char *kept = probe->reason_count == REASONS_MAX
                     ? NULL
                     : ws_arena_allocate(visit->runner->module->arena, strlen(text) + 1, 1);
    if (kept == NULL)
        return other_types;
    memcpy(kept, text, strlen(text) + 1);
    probe->reasons[probe->reason_count++] = kept;
    return kept;
}

/* ---- yields and sites ---- */

/* The words of an area that a function uses: from `*first` up to but not including `*end`. */
static void find_area(const struct probe_pass *probe, const struct ws_probe_function *function,
                      bool per_shader, uint32_t *first, uint32_t *end)
{
    *first = WS_NONE;
    *end = 0;
    for (uint32_t i = 0; i < probe->probe->output_count; i++) {
        const struct ws_probe_output *output = &probe->probe->outputs[i];
        const uint32_t width = ws_yield_width(&output->shape);
        if ((function->outputs >> i & 1) == 0 || output->per_shader != per_shader || width == 0)
            continue;
        const uint32_t offset = probe->layout.offsets[i];
        *first = offset < *first ? offset : *first;
        *end = offset + width > *end ? offset + width : *end;
    }
}

static uint32_t count_records(const struct ws_probe *probe)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < probe->output_count; i++)
        count += probe->outputs[i].shape.kind == WS_YIELD_RECORD;
    return count;
}

static bool makes_records(const struct ws_probe *probe, const struct ws_probe_function *function)
{
    for (uint32_t i = 0; i < probe->output_count; i++)
        if ((function->outputs >> i & 1) != 0 && probe->outputs[i].shape.kind == WS_YIELD_RECORD)
            return true;
    return false;
}

/* Takes yield words of the module. False where there are no more. */
static bool take_words(struct ws_runner *runner, uint32_t count, uint32_t *first)
{
    if (count > WS_YIELD_WORDS_MAX - runner->result->yield_count)
        return false;
    *first = runner->result->yield_count;
    runner->result->yield_count += count;
    return true;
}

/* The key of a site: one for each place, rule and function; one for all places of a loop. */
static uint64_t site_key(const struct call *call)
{
    return (uint64_t)ws_runner_visit_offset(call->visit) << 32 | (uint64_t)call->rule << 16 |
           call->match.function;
}

/* Finds the words of the shader's area, and takes them if the probe has none yet. */
static const char *find_shared(struct call *call)
{
    struct ws_runner *runner = call->visit->runner;
    uint32_t *shared = &runner->result->shared_yields[call->probe->index];
    uint32_t first = 0;
    uint32_t end = 0;
    call->shared = WS_NONE;
    find_area(call->probe, call->function, true, &first, &end);
    if (first >= end)
        return NULL;
    if (*shared == WS_NONE && !take_words(runner, call->probe->layout.shared_words, shared))
        return too_many_words;
    call->shared = *shared;
    ws_runner_use_yields(runner, call->visit->function, *shared + first, *shared + end);
    return NULL;
}

/* SHARED CALLS. Blocks of a class always run with the same lanes (passes/flow/equivalence.h, which says why, and where
 * classes end: at what ends, demotes or parts lanes, such as calls and traceRay). Barriers need not end them: the same lanes
 * come to both sides. So one call stands for a rule's calls in all blocks of a class, and the sites of these blocks have
 * one area, if the calls would have yielded the same word for word. That holds of a function when
 *   - it is called where blocks begin, so that it takes no operands; and it uses neither its site nor its line. What it
 *     knows besides is which lanes are there, and their work: the same in all of the class;
 *   - it has no state, which the call in one block might leave to the next, and reads no clock;
 *   - all that it yields to is per site. What is per shader gets the sum over all blocks, and a record is one of each.
 * Each site still has its figures: a reader finds the area by the row of the site. With options.per_block each class is one
 * block. The counters of the pass simt_efficiency are shared by the same classes (ws_visit_count). */
static bool may_share(const struct call *call)
{
    struct ws_editor *editor = call->visit->runner->editor;
    const struct probe_pass *probe = call->probe;
    const struct ws_probe_function *function = call->function;
    const uint32_t kind = (uint32_t)call->visit->runner->plan->functions[call->visit->function].lanes;
    const uint32_t unit = probe->units[kind];
    const uint32_t id = probe->probe->parts->functions[kind][call->match.function];
    if (probe->probe->rules[call->rule].place != WS_PROBE_BLOCK || !ws_link_is_stateless(editor, unit, id))
        return false;
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (function->parameters[i].binding != WS_PROBE_AT &&
            function->parameters[i].binding != WS_PROBE_FIRST && !ws_link_ignores(editor, unit, id, i))
            return false;
    for (uint32_t i = 0; i < probe->probe->output_count; i++)
        if ((function->outputs >> i & 1) != 0 &&
            (probe->probe->outputs[i].per_shader || probe->probe->outputs[i].shape.kind == WS_YIELD_RECORD))
            return false;
    return true;
}

/* The key of the class of the block. Blocks are those of the module that is walked, so that each copy of a function has calls
 * of its own. */
static uint64_t class_key(const struct call *call)
{
    const struct ws_runner *runner = call->visit->runner;
    const uint32_t function = call->visit->function;
    const uint32_t first = runner->module->functions[function].block_first;
    const uint32_t leader = first + runner->plan->functions[function].leaders[call->visit->block - first];
    return (uint64_t)leader << 32 | (uint64_t)call->rule << 16 | call->match.function;
}

/* Lists the site with the data sites behind it. */
static void add_sites(struct call *call)
{
    struct ws_visit *visit = call->visit;
    const struct ws_probe *probe = call->probe->probe;
    const uint32_t offset = ws_runner_visit_offset(visit);
    ws_runner_add_pass_site(visit, WS_PROBE_SITE_TAG(call->rule, call->match.function), WS_SITE_YIELD, offset,
                            call->at);
    for (uint32_t i = 0; i < probe->output_count && makes_records(probe, call->function); i++)
        if (probe->outputs[i].shape.kind == WS_YIELD_RECORD)
            ws_runner_add_pass_site(visit, WS_PROBE_DATA_TAG(i, call->match.function), WS_SITE_DATA, offset,
                                    probe->outputs[i].shape.field_count);
    if (!ws_id_map_put(&call->probe->sites, site_key(call), call->site))
        ws_editor_fail(visit->runner->editor, "out of memory for the sites of a probe");
}

/* Finds the site, or makes it. NULL, or why there can be none. */
static const char *find_site(struct call *call)
{
    struct ws_runner *runner = call->visit->runner;
    struct ws_instrumented *result = runner->result;
    const bool records = makes_records(call->probe->probe, call->function);
    uint32_t first = 0;
    uint32_t end = 0;
    find_area(call->probe, call->function, false, &first, &end);
    if (records)
        ws_paths_part(runner->paths, call->visit->block);
    if (ws_id_map_get(&call->probe->sites, site_key(call), &call->site)) {
        call->at = result->sites[call->site].row;
    } else {
        const uint32_t last = result->site_count + (records ? count_records(call->probe->probe) : 0);
        if (last > WS_RECORD_SITE_MAX && records)
            return too_many_sites;
        call->site = result->site_count;
        call->at = WS_NONE;
        if (first < end) {
            if (!take_words(runner, end - first, &call->at))
                return too_many_words;
            call->at -= first;
        }
        add_sites(call);
    }
    if (first < end)
        ws_runner_use_yields(runner, call->visit->function, call->at + first, call->at + end);
    runner->visited[call->visit->function] = true;
    return NULL;
}

/* Lists the site of a place that shares the call of another block. False where there is no such call, or the site of a copy
 * has an area of its own already. */
static bool share_call(struct call *call)
{
    const struct ws_instrumented *result = call->visit->runner->result;
    if (!ws_id_map_get(&call->probe->shares, class_key(call), &call->at))
        return false;
    if (ws_id_map_get(&call->probe->sites, site_key(call), &call->site))
        return result->sites[call->site].row == call->at;
    call->site = result->site_count;
    add_sites(call);
    return true;
}

/* ---- arguments ---- */

/* Id of a type of the module. */
static uint32_t type_id(struct ws_editor *editor, const struct ws_probe_type *type)
{
    const bool is_signed = type->base == WS_PROBE_INT;
    uint32_t id = 0;
    switch ((enum ws_probe_base)type->base) {
    case WS_PROBE_BOOL: id = ws_global_find(editor, SpvOpTypeBool, 0, NULL, 0); break;
    case WS_PROBE_INT:
    case WS_PROBE_UINT:
        id = ws_global_find(editor, SpvOpTypeInt, 0, (const uint32_t[]){type->width, is_signed}, 2);
        break;
    case WS_PROBE_FLOAT: id = ws_global_find(editor, SpvOpTypeFloat, 0, &type->width, 1); break;
    }
    if (type->rows > 1)
        id = ws_global_find(editor, SpvOpTypeVector, 0, (const uint32_t[]){id, type->rows}, 2);
    if (type->columns > 1)
        id = ws_global_find(editor, SpvOpTypeMatrix, 0, (const uint32_t[]){id, type->columns}, 2);
    return id;
}

/* Changes a value of one type to another (match.c has said that this can be). */
static uint32_t convert(struct call *call, uint32_t value, const struct ws_probe_type *from,
                        const struct ws_probe_type *to)
{
    struct ws_editor *editor = call->visit->runner->editor;
    const struct ws_cursor cursor = call->visit->cursor;
    struct ws_probe_type step = *from;
    if (from->base == WS_PROBE_FLOAT)
        return from->width == to->width
                   ? value
                   : ws_emit(editor, cursor, SpvOpFConvert, type_id(editor, to), &value, 1);
    if (from->width != to->width) {
        step.width = to->width;
        value = ws_emit(editor, cursor, from->base == WS_PROBE_INT ? SpvOpSConvert : SpvOpUConvert,
                        type_id(editor, &step), &value, 1);
    }
    return step.base == to->base ? value
                                 : ws_emit(editor, cursor, SpvOpBitcast, type_id(editor, to), &value, 1);
}

/* One component, or one column, of a value. Types of 8 and 16 bits that are for storage only may be converted, but nothing
 * may be taken out of a vector of them: so they are converted first. */
static uint32_t extract(struct call *call, const struct ws_probe_argument *argument,
                        const struct ws_probe_type *wanted, uint32_t part, struct ws_probe_type *type)
{
    struct ws_editor *editor = call->visit->runner->editor;
    const bool by_column = wanted->rows > 1;
    const bool is_small = argument->type.width == 8 || argument->type.width == 16;
    if (is_small && wanted->width == 32) {
        struct ws_probe_argument converted = *argument;
        converted.type.width = 32;
        converted.value = convert(call, argument->value, &argument->type, &converted.type);
        return extract(call, &converted, wanted, part, type);
    }
    uint32_t operands[3] = {argument->value, part, 0};
    uint32_t count = 2;
    *type = argument->type;
    if (argument->type.columns > 1 && !by_column) {
        operands[1] = part / argument->type.rows;
        operands[2] = part % argument->type.rows;
        count = 3;
    }
    type->columns = 1;
    type->rows = by_column ? argument->type.rows : 1;
    return ws_emit(editor, call->visit->cursor, SpvOpCompositeExtract, type_id(editor, type), operands,
                   count);
}

static uint32_t context_argument(struct call *call, uint32_t binding)
{
    struct ws_editor *editor = call->visit->runner->editor;
    switch ((enum ws_probe_binding)binding) {
    case WS_PROBE_AT: return ws_constant_u32(editor, call->at == WS_NONE ? 0 : call->at);
    case WS_PROBE_SHARED: return ws_constant_u32(editor, call->shared == WS_NONE ? 0 : call->shared);
    case WS_PROBE_SITE: return ws_constant_u32(editor, call->site);
    case WS_PROBE_LINE:
        return ws_constant_u32(
            editor, ws_probe_source_line(call->probe->source, ws_runner_visit_offset(call->visit)));
    default: return ws_visit_first(call->visit);
    }
}

static uint32_t make_argument(struct call *call, uint32_t index, uint32_t part)
{
    struct ws_editor *editor = call->visit->runner->editor;
    const struct ws_probe_argument *argument = &call->match.arguments[index];
    const struct ws_probe_parameter *parameter = &call->function->parameters[index];
    struct ws_probe_type type = argument->type;
    uint32_t value = argument->value != 0 ? argument->value : ws_constant_u32(editor, argument->literal);
    switch (argument->passing) {
    case WS_PROBE_PASS_CONTEXT: return context_argument(call, parameter->binding);
    case WS_PROBE_PASS_ADDRESS:
        return ws_emit(editor, call->visit->cursor,
                       parameter->type.width == 64 ? SpvOpConvertPtrToU : SpvOpBitcast,
                       type_id(editor, &parameter->type), &value, 1);
    case WS_PROBE_PASS_PARTS: value = extract(call, argument, &parameter->type, part, &type); break;
    case WS_PROBE_PASS_WHOLE: break;
    }
    return convert(call, value, &type, &parameter->type);
}

/* ---- calls ---- */

/* Gives the linker the unit for the lanes of the place. NULL, or why it cannot be. */
static const char *add_unit(struct call *call)
{
    struct ws_runner *runner = call->visit->runner;
    const uint32_t kind = (uint32_t)runner->plan->functions[call->visit->function].lanes;
    if (call->probe->probe->parts->units[kind].word_count == 0)
        return no_unit;
    if (call->probe->units[kind] == WS_NONE)
        call->probe->units[kind] = ws_link_add_unit(runner->editor, &call->probe->sources[kind]);
    return call->probe->units[kind] == WS_NONE ? ws_link_failed : NULL;
}

/* Links the function, whose unit has been added. NULL, or why it cannot be. */
static const char *link_function(struct call *call, uint32_t *callee)
{
    struct ws_runner *runner = call->visit->runner;
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[call->visit->function];
    const uint32_t kind = (uint32_t)plan->lanes;
    const uint32_t loop = ws_visit_loop(call->visit);
    const uint32_t function = call->probe->probe->parts->functions[kind][call->match.function];
    const uint32_t weight = ws_link_weight(runner->editor, call->probe->units[kind], function);
    if (!ws_site_budget_take(runner->budget, runner->plan, call->visit->function, weight * call->match.parts))
        return ws_site_budget_reason;
    return ws_link_function(runner->editor, call->probe->units[kind], function, loop == WS_NONE ? 0 : loop,
                            plan->entry_points, plan->entry_point_count, callee);
}

/* Puts the calls at the place. NULL, or why it cannot be. Whatever may fail comes before anything is put there. */
static const char *put(struct call *call)
{
    struct ws_runner *runner = call->visit->runner;
    const struct ws_probe *probe = call->probe->probe;
    uint32_t callee = 0;
    if (runner->plan->functions[call->visit->function].per_thread)
        return no_ballots;
    const char *reason = add_unit(call);
    if (reason != NULL)
        return reason;
    const bool shares = may_share(call);
    if (shares && share_call(call))
        return NULL;
    if (ws_runner_is_full(runner))
        return ws_runner_site_limit;
    if (call->visit->cursor.instruction == WS_NONE)
        return ws_runner_no_place;
    reason = link_function(call, &callee);
    if (reason == NULL && (probe->flags & WS_PROBE_WORK) != 0)
        reason = ws_runner_put_work(runner, call->visit->function);
    if (reason == NULL)
        reason = find_shared(call);
    if (reason == NULL)
        reason = find_site(call);
    if (reason != NULL)
        return reason;
    for (uint32_t part = 0; part < call->match.parts; part++) {
        uint32_t arguments[WS_PROBE_PARAMETERS_MAX];
        for (uint32_t i = 0; i < call->function->parameter_count; i++)
            arguments[i] = make_argument(call, i, part);
        ws_link_call(runner->editor, call->visit->cursor, callee, arguments, call->function->parameter_count);
    }
    runner->probe_count++;
    if (shares && !ws_id_map_put(&call->probe->shares, class_key(call), call->at))
        ws_editor_fail(runner->editor, "out of memory for the sites of a probe");
    if (makes_records(probe, call->function))
        runner->record = WS_NONE; /* a place record after this must not come before it */
    return NULL;
}

static void visit_rule(struct ws_visit *visit, struct probe_pass *probe, uint32_t index)
{
    const struct ws_runner *runner = visit->runner;
    const struct ws_probe_rule *rule = &probe->probe->rules[index];
    const bool by_opcode = rule->place == WS_PROBE_BEFORE || rule->place == WS_PROBE_AFTER;
    const struct ws_probe_place_at place = {
        .module = runner->module,
        .instruction = by_opcode ? &runner->module->instructions[visit->instruction] : NULL,
        .is_after = rule->place == WS_PROBE_AFTER};
    struct call call = {.visit = visit, .probe = probe, .rule = index};
    const char *reason = NULL;
    if ((by_opcode && !ws_probe_wants(runner->module, rule, place.instruction)) ||
        !is_wanted(visit, probe, rule, &reason))
        return;
    if (reason == NULL && !ws_probe_match(probe->probe, rule, &place, &call.match)) {
        char text[REASON_SIZE];
        ws_probe_explain(probe->probe, rule, &place, text, sizeof(text));
        reason = keep_reason(visit, probe, text);
    }
    if (reason == NULL) {
        call.function = &probe->probe->functions[call.match.function];
        /* This counts the skip itself, and may add sites. */
        if (makes_records(probe->probe, call.function) && !ws_visit_can_record(visit))
            return;
        reason = put(&call);
    }
    if (reason != NULL)
        ws_visit_skip(visit, reason);
}

/* The places of rules, and of passes. */
static const struct {
    enum ws_probe_place of_probe;
    enum ws_place of_pass;
} places[] = {
    {WS_PROBE_BEFORE, WS_PLACE_BEFORE},
    {WS_PROBE_AFTER, WS_PLACE_AFTER},
    {WS_PROBE_BLOCK, WS_PLACE_BLOCK},
    {WS_PROBE_LOOP_BEGIN, WS_PLACE_LOOP_BEGIN},
    {WS_PROBE_LOOP_ITERATE, WS_PLACE_LOOP_ITERATE},
    {WS_PROBE_LOOP_END, WS_PLACE_LOOP_END},
    {WS_PROBE_FUNCTION_BEGIN, WS_PLACE_FUNCTION},
    {WS_PROBE_FUNCTION_END, WS_PLACE_LEAVE},
    {WS_PROBE_ENTRY_BEGIN, WS_PLACE_ENTRY},
    {WS_PROBE_ENTRY_END, WS_PLACE_END},
};

static_assert(sizeof(places) / sizeof(places[0]) == WS_PROBE_PLACE_COUNT,
              "each place of probes is one of passes");

static void visit(struct ws_visit *visit)
{
    struct probe_pass *probe = ws_visit_data(visit);
    for (uint32_t i = 0; i < probe->probe->rule_count && !visit->runner->editor->failed; i++)
        if (places[probe->probe->rules[i].place].of_pass == ws_visit_place(visit))
            visit_rule(visit, probe, i);
}

/* ---- the passes ---- */

/* Fills in what the runner asks of a pass. False if there is no memory. */
static bool fill_pass(struct probe_pass *pass)
{
    const struct ws_probe *probe = pass->probe;
    size_t opcode_count = 0;
    bool all_by_opcode = true;
    pass->pass = (struct ws_pass){.name = probe->name, .summary = "a probe", .visit = visit, .data = pass};
    for (uint32_t i = 0; i < probe->rule_count; i++) {
        const struct ws_probe_rule *rule = &probe->rules[i];
        pass->pass.stages |= rule->stages != 0 ? rule->stages : WS_STAGES_ALL;
        pass->pass.places |= places[rule->place].of_pass;
        opcode_count += rule->opcode_count;
        all_by_opcode = all_by_opcode && rule->opcode_count != 0;
    }
    pass->pass.stages_by_opcode = all_by_opcode ? WS_STAGES_ALL : 0;
    pass->opcodes = calloc(opcode_count + 1, sizeof(*pass->opcodes));
    bool *seen = calloc(UINT16_MAX + 1, sizeof(*seen));
    const bool good = pass->opcodes != NULL && seen != NULL;
    for (uint32_t i = 0; i < probe->rule_count && good; i++)
        for (uint32_t o = 0; o < probe->rules[i].opcode_count; o++) {
            const uint16_t opcode = (uint16_t)WS_PROBE_OPCODE_OF(probe->rules[i].opcodes[o]);
            if (!seen[opcode])
                pass->opcodes[pass->pass.opcode_count++] = opcode;
            seen[opcode] = true;
        }
    pass->pass.opcodes = pass->opcodes;
    free(seen);
    return good;
}

struct ws_probe_passes *ws_probe_passes_create(const struct ws_instrument_options *options,
                                               const uint32_t *words, size_t word_count,
                                               const struct ws_pass **passes, struct ws_error *error)
{
    struct ws_probe_passes *made = calloc(1, sizeof(*made));
    if (made != NULL)
        made->list = calloc(options->probe_count, sizeof(*made->list));
    if (made == NULL || made->list == NULL) {
        ws_error_set(error, "out of memory for %zu probes", options->probe_count);
        goto error;
    }
    made->source = (struct ws_probe_source){.words = words, .word_count = word_count};
    for (size_t i = 0; i < options->probe_count; i++) {
        struct probe_pass *pass = &made->list[made->count++];
        pass->probe = options->probes[i];
        pass->index = (uint32_t)i;
        pass->source = &made->source;
        if (pass->probe->parts == NULL) {
            ws_error_set(error, "probe %s has not been read from a blob", pass->probe->name);
            goto error;
        }
        pass->layout = ws_probe_layout(pass->probe->outputs, pass->probe->output_count);
        for (uint32_t kind = 0; kind < WS_PROBE_UNIT_COUNT; kind++) {
            pass->units[kind] = WS_NONE;
            pass->sources[kind] = pass->probe->parts->units[kind];
            pass->sources[kind].owner = (uint32_t)i + 1;
        }
        if (!fill_pass(pass)) {
            ws_error_set(error, "out of memory for probe %s", pass->probe->name);
            goto error;
        }
        passes[i] = &pass->pass;
    }
    return made;

error:
    ws_probe_passes_destroy(made);
    return NULL;
}

void ws_probe_passes_destroy(struct ws_probe_passes *passes)
{
    if (passes == NULL)
        return;
    for (size_t i = 0; i < passes->count; i++) {
        free(passes->list[i].opcodes);
        ws_id_map_finish(&passes->list[i].sites);
        ws_id_map_finish(&passes->list[i].shares);
    }
    ws_probe_source_finish(&passes->source);
    free(passes->list);
    free(passes);
}
