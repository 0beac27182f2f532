/* What a pass asks of a place (pass.h), and what the runner puts there and lists: probes, counter rows, sites, skips. */
#include <spirv/unified1/spirv.h>

#include "passes/flow/equivalence.h"
#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"

const char *const ws_runner_site_limit = "site limit reached";
const char *const ws_runner_no_variable =
    "its entry points have different variables for a built-in that is needed";
const char *const ws_runner_no_place = "no code can stand there";

/* ---- sites and skips ---- */

static void add_site(struct ws_runner *runner, const struct ws_site_info *site)
{
    struct ws_instrumented *result = runner->result;
    struct ws_site_info *sites = ws_arena_grow(runner->module->arena, result->sites, result->site_count,
                                               &runner->site_capacity, sizeof(*sites));
    if (sites == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the sites of a module");
        return;
    }
    result->sites = sites;
    sites[result->site_count++] = *site;
}

void ws_runner_add_site(struct ws_runner *runner, enum ws_site_kind kind, uint32_t block, uint32_t offset,
                        uint32_t row)
{
    add_site(runner, &(struct ws_site_info){.pass = WS_NONE,
                                            .kind = (uint32_t)kind,
                                            .block = runner->block_infos[block],
                                            .offset = offset,
                                            .row = row});
}

/* Whether a counter site of a copy is there already: the original, or another copy, has the same site with the same
 * row. Blocks may share a row; other places have one each. A tag has 24 bits here. */
static bool is_there(const struct ws_visit *visit, uint32_t tag, enum ws_site_kind kind, uint32_t row)
{
    struct ws_runner *runner = visit->runner;
    const uint32_t place = kind == WS_SITE_BLOCK ? runner->block_infos[visit->block]
                           : row != WS_NONE      ? row | 0x80000000u
                                                 : ws_runner_visit_offset(visit) | 0x40000000u;
    const uint64_t key = (uint64_t)place << 32 | visit->pass << 24 | (tag & 0xffffff);
    uint32_t unused = 0;
    if (runner->plan->copies == NULL || runner->editor->failed)
        return false;
    if (ws_id_map_get(&runner->row_sites, key, &unused))
        return true;
    if (!ws_id_map_put(&runner->row_sites, key, 0))
        ws_editor_fail(runner->editor, "out of memory for the sites of a module");
    return false;
}

void ws_runner_add_pass_site(struct ws_visit *visit, uint32_t tag, enum ws_site_kind kind, uint32_t offset,
                             uint32_t row)
{
    visit->runner->visited[visit->function] = true;
    if ((kind == WS_SITE_BLOCK || kind == WS_SITE_COUNT || kind == WS_SITE_ACCESS) &&
        is_there(visit, tag, kind, row))
        return;
    add_site(visit->runner, &(struct ws_site_info){.pass = visit->pass,
                                                   .tag = tag,
                                                   .kind = (uint32_t)kind,
                                                   .block = visit->runner->block_infos[visit->block],
                                                   .offset = offset,
                                                   .row = row});
}

/* The skip of this pass and reason, made when it is new. WS_NONE after a failure. */
static uint32_t get_skip(struct ws_runner *runner, uint32_t pass, uint32_t offset, const char *reason)
{
    struct ws_instrumented *result = runner->result;
    struct ws_arena *arena = runner->module->arena;
    for (uint32_t i = 0; i < result->skip_count; i++)
        if (result->skips[i].pass == pass && result->skips[i].reason == reason)
            return i;
    uint32_t capacity = runner->skip_capacity;
    struct ws_skip_info *infos =
        ws_arena_grow(arena, result->skips, result->skip_count, &capacity, sizeof(*infos));
    struct ws_runner_skip *skips =
        ws_arena_grow(arena, runner->skips, result->skip_count, &runner->skip_capacity, sizeof(*skips));
    bool *entries = ws_arena_allocate(arena, runner->module->entry_point_count, sizeof(*entries));
    if (infos == NULL || skips == NULL || entries == NULL) {
        ws_editor_fail(runner->editor, "out of memory for what is skipped in a module");
        return WS_NONE;
    }
    result->skips = infos;
    runner->skips = skips;
    infos[result->skip_count] = (struct ws_skip_info){
        .pass = pass, .offset = offset, .reason = reason, .no_records = ws_runner_is_without_records(reason)};
    skips[result->skip_count] = (struct ws_runner_skip){entries, WS_NONE};
    return result->skip_count++;
}

void ws_runner_add_skip(struct ws_runner *runner, uint32_t pass, uint32_t function, uint32_t offset,
                        uint32_t count, const char *reason)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    const uint32_t index = get_skip(runner, pass, offset, reason);
    if (index == WS_NONE)
        return;
    runner->result->skips[index].count += count;
    struct ws_runner_skip *skip = &runner->skips[index];
    if (skip->function == function)
        return;
    skip->function = function;
    for (uint32_t i = 0; i < plan->entry_point_count; i++) {
        const uint32_t entry = plan->entry_points[i];
        const uint32_t passes = runner->plan->entries[entry].passes;
        skip->entries[entry] |= pass == WS_NONE ? passes != 0 : (passes >> pass & 1) != 0;
    }
}

void ws_runner_add_entry_skip(struct ws_runner *runner, uint32_t entry, const char *reason)
{
    const uint32_t index = get_skip(runner, WS_NONE, WS_NONE, reason);
    if (index == WS_NONE)
        return;
    runner->result->skips[index].count++;
    runner->skips[index].entries[entry] = true;
}

bool ws_runner_finish_skips(struct ws_runner *runner)
{
    const uint32_t entry_count = runner->module->entry_point_count;
    for (uint32_t i = 0; i < runner->result->skip_count; i++) {
        struct ws_skip_info *skip = &runner->result->skips[i];
        uint32_t *entries = ws_arena_allocate(runner->module->arena, entry_count, sizeof(*entries));
        if (entries == NULL)
            return false;
        for (uint32_t e = 0; e < entry_count; e++)
            if (runner->skips[i].entries[e])
                entries[skip->entry_count++] = e;
        skip->entries = entries;
    }
    return true;
}

uint32_t ws_runner_offset(const struct ws_runner *runner, struct ws_cursor cursor)
{
    return ws_plan_offset(runner->plan, cursor.instruction + cursor.after);
}

uint32_t ws_runner_visit_offset(const struct ws_visit *visit)
{
    return visit->instruction != WS_NONE ? ws_plan_offset(visit->runner->plan, visit->instruction)
                                         : ws_runner_offset(visit->runner, visit->cursor);
}

/* ---- what a place is ---- */

enum ws_place ws_visit_place(const struct ws_visit *visit)
{
    return visit->place;
}

void *ws_visit_data(const struct ws_visit *visit)
{
    return visit->runner->passes[visit->pass]->data;
}

uint32_t ws_visit_loop(const struct ws_visit *visit)
{
    const struct ws_runner *runner = visit->runner;
    return visit->loop == WS_NONE ? WS_NONE
                                  : ws_plan_offset(runner->plan, runner->loops.list[visit->loop].instruction);
}

uint32_t ws_visit_stages(const struct ws_visit *visit)
{
    return visit->runner->plan->functions[visit->function].stages;
}

uint32_t ws_visit_reached(const struct ws_visit *visit)
{
    const struct ws_instrument_plan *plan = visit->runner->plan;
    const struct ws_instrument_plan_function *function = &plan->functions[visit->function];
    uint32_t stages = 0;
    for (uint32_t i = 0; i < function->entry_point_count; i++) {
        const uint32_t stage = plan->entries[function->entry_points[i]].stage;
        stages |= stage == 0 ? UINT32_C(0x80000000) : stage;
    }
    return stages;
}

bool ws_visit_can_use_report(struct ws_visit *visit)
{
    if (!visit->runner->options->without_report_results)
        return true;
    ws_visit_skip(visit, WS_NO_REPORT_RESULT);
    return false;
}

bool ws_visit_has_capability(const struct ws_visit *visit, uint32_t capability)
{
    const struct ws_module *module = visit->runner->module;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_CAPABILITY]; i++)
        if (module->instructions[i].opcode == SpvOpCapability &&
            ws_operand(module, &module->instructions[i], 0) == capability)
            return true;
    return false;
}

uint16_t ws_visit_opcode(const struct ws_visit *visit)
{
    return visit->instruction == WS_NONE ? 0 : visit->runner->module->instructions[visit->instruction].opcode;
}

uint32_t ws_visit_operand(const struct ws_visit *visit, uint32_t index)
{
    const struct ws_module *module = visit->runner->module;
    return visit->instruction == WS_NONE
               ? 0
               : ws_operand(module, &module->instructions[visit->instruction], index);
}

uint16_t ws_visit_definition(const struct ws_visit *visit, uint32_t id)
{
    const struct ws_instruction *definition = ws_module_definition(visit->runner->module, id);
    return definition != NULL ? definition->opcode : 0;
}

uint32_t ws_visit_definition_operand(const struct ws_visit *visit, uint32_t id, uint32_t index)
{
    const struct ws_instruction *definition = ws_module_definition(visit->runner->module, id);
    return definition != NULL ? ws_operand(visit->runner->module, definition, index) : 0;
}

static uint32_t constant_bool(struct ws_editor *editor, bool value)
{
    const uint32_t type = ws_global_find(editor, SpvOpTypeBool, 0, NULL, 0);
    return ws_global_find(editor, value ? SpvOpConstantTrue : SpvOpConstantFalse, type, NULL, 0);
}

/* Whether a block is in a loop of the function being walked. One that control flow cannot reach is in none. */
static bool is_in_loop(const struct ws_runner *runner, uint32_t block, uint32_t loop)
{
    const uint32_t first = runner->module->functions[runner->module->blocks[block].function].block_first;
    uint32_t inner = runner->loops.innermost[block - first];
    while (inner != WS_NONE && inner != loop)
        inner = runner->loops.list[inner].outer;
    return inner == loop;
}

/* Puts a phi at the header of a loop: true for each block from outside, false for each of the loop. It names every block
 * that branches there, also what control flow cannot reach (SPIR-V specification, OpPhi). */
static uint32_t put_phi(struct ws_visit *visit, uint32_t header)
{
    struct ws_runner *runner = visit->runner;
    struct ws_editor *editor = runner->editor;
    const struct ws_module *module = runner->module;
    const struct ws_function *function = &module->functions[visit->function];
    const struct ws_cfg *cfg = &runner->plan->cfgs[visit->function];
    struct ws_words words = {0};
    const uint32_t id = ws_editor_id(editor);
    ws_words_add(editor, &words, ws_global_find(editor, SpvOpTypeBool, 0, NULL, 0));
    ws_words_add(editor, &words, id);
    for (uint32_t b = 0; b < cfg->block_count; b++) {
        bool leads = false;
        for (uint32_t i = cfg->successor_first[b]; i < cfg->successor_first[b + 1]; i++)
            leads = leads || function->block_first + cfg->successors[i] == header;
        if (!leads)
            continue;
        const uint32_t block = function->block_first + b;
        ws_words_add(editor, &words, constant_bool(editor, !is_in_loop(runner, block, visit->loop)));
        ws_words_add(editor, &words, module->blocks[block].label);
    }
    ws_editor_insert(editor, module->blocks[header].first, true, SpvOpPhi, words.data, words.count);
    return editor->failed ? 0 : id;
}

uint32_t ws_visit_first(struct ws_visit *visit)
{
    const struct ws_loop *loop = visit->loop == WS_NONE ? NULL : &visit->runner->loops.list[visit->loop];
    const bool decides = visit->place == WS_PLACE_LOOP_BEGIN && loop->before == WS_NONE;
    if (visit->first == 0)
        visit->first = decides ? put_phi(visit, loop->header) : constant_bool(visit->runner->editor, true);
    return visit->first;
}

uint32_t ws_visit_constant(struct ws_visit *visit, uint32_t value)
{
    return ws_constant_u32(visit->runner->editor, value);
}

bool ws_visit_constant_value(const struct ws_visit *visit, uint32_t id, uint32_t *value)
{
    return ws_constant_u32_value(visit->runner->editor, id, value);
}

void ws_visit_skip(struct ws_visit *visit, const char *reason)
{
    ws_runner_add_skip(visit->runner, visit->pass, visit->function, ws_runner_visit_offset(visit), 1, reason);
}

/* ---- probes and counter rows ---- */

uint32_t ws_runner_link(struct ws_runner *runner, uint32_t function, enum ws_primitive primitive)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    const enum ws_primitive variant = ws_primitive_variant(primitive, plan->lanes);
    if (runner->primitives[variant] == 0) {
        runner->primitives[variant] =
            ws_link_primitive(runner->editor, variant, plan->entry_points, plan->entry_point_count);
    }
    return runner->primitives[variant];
}

bool ws_runner_is_full(const struct ws_runner *runner)
{
    return runner->options->max_sites != 0 && runner->probe_count >= runner->options->max_sites;
}

const char *ws_runner_put_probe(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor,
                                enum ws_primitive primitive, const uint32_t *arguments, uint32_t count)
{
    if (ws_runner_is_full(runner))
        return ws_runner_site_limit;
    if (cursor.instruction == WS_NONE)
        return ws_runner_no_place;
    const uint32_t callee = ws_runner_link(runner, function, primitive);
    if (callee == 0)
        return ws_runner_no_variable;
    ws_link_call(runner->editor, cursor, callee, arguments, count);
    runner->probe_count++;
    return NULL;
}

struct ws_cursor ws_runner_prologue(const struct ws_module *module, uint32_t block)
{
    /* What stands after the last instruction of the head comes before what stands before the next. */
    struct ws_cursor cursor = ws_cursor_block_start(module, block);
    cursor.instruction--;
    cursor.after = true;
    return cursor;
}

/* The row of a place (a key within the original module): that of a copy, or a new one. */
static uint32_t find_row(const struct ws_runner *runner, uint64_t place)
{
    uint32_t row = runner->result->row_count;
    ws_id_map_get(&runner->place_rows, place, &row);
    return row;
}

/* Notes that code in the function counts in the row. */
static void use_row(struct ws_runner *runner, uint32_t function, uint32_t row)
{
    struct ws_runner_rows *rows = &runner->rows[function];
    rows->first = row < rows->first ? row : rows->first;
    rows->end = row + 1 > rows->end ? row + 1 : rows->end;
    if (row == runner->result->row_count)
        runner->result->row_count++;
}

/* Gives a counter its row. With copies, the row of the place is kept for the others. */
static void give_row(struct ws_runner *runner, struct ws_runner_counter *counter, uint64_t place,
                     uint32_t function, uint32_t row)
{
    counter->row = row;
    use_row(runner, function, row);
    if (runner->plan->copies != NULL && !ws_id_map_put(&runner->place_rows, place, row))
        ws_editor_fail(runner->editor, "out of memory for the counters of a module");
}

/* Puts a histogram row's primitive at a cursor, for a place; or behind the function, where the cursor is NULL. */
static void put_row(struct ws_runner *runner, struct ws_runner_counter *counter, uint64_t place,
                    uint32_t function, const struct ws_cursor *cursor)
{
    const enum ws_primitive primitive =
        runner->plan->functions[function].per_thread ? WS_PRIMITIVE_COUNT_THREAD : WS_PRIMITIVE_COUNT_WARP;
    const uint32_t row = find_row(runner, place);
    const uint32_t argument = ws_constant_u32(runner->editor, row);
    counter->decided = true;
    counter->row = WS_NONE;
    counter->reason = cursor != NULL ? ws_runner_put_probe(runner, function, *cursor, primitive, &argument, 1)
                                     : ws_runner_wrap(runner, function, primitive, argument);
    if (counter->reason == NULL)
        give_row(runner, counter, place, function, row);
}

uint32_t ws_runner_find_rows(const struct ws_runner *runner, uint64_t place)
{
    return find_row(runner, place);
}

void ws_runner_take_rows(struct ws_runner *runner, uint32_t function, uint64_t place, uint32_t first,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        use_row(runner, function, first + i);
    if (runner->plan->copies != NULL && !ws_id_map_put(&runner->place_rows, place, first))
        ws_editor_fail(runner->editor, "out of memory for the counters of a module");
}

bool ws_runner_may_join_rows(const struct ws_runner *runner)
{
    const struct ws_entry_info *entry = runner->result->entries;
    return runner->module->entry_point_count == 1 && runner->plan->copies == NULL && !entry->sampled &&
           entry->row_first + entry->row_count == runner->result->row_count;
}

uint32_t ws_runner_take_joint_rows(struct ws_runner *runner, uint32_t count)
{
    runner->joint_count += count;
    return runner->result->row_count + runner->joint_count - count;
}

void ws_runner_add_joint_part(struct ws_runner *runner, uint32_t row, uint32_t part)
{
    struct ws_row_part *parts =
        ws_arena_grow(runner->module->arena, runner->joint_parts, runner->joint_part_count,
                      &runner->joint_part_capacity, sizeof(*parts));
    if (parts == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the counters of a module");
        return;
    }
    runner->joint_parts = parts;
    parts[runner->joint_part_count++] = (struct ws_row_part){row, part};
}

void ws_runner_put_joint_parts(struct ws_runner *runner)
{
    struct ws_instrumented *result = runner->result;
    const uint32_t joint = runner->joint_part_count;
    if (joint == 0)
        return;
    struct ws_row_part *all =
        ws_arena_allocate(runner->module->arena, joint + result->part_count, sizeof(*all));
    if (all == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the counters of a module");
        return;
    }
    memcpy(all, runner->joint_parts, joint * sizeof(*all));
    if (result->part_count != 0)
        memcpy(all + joint, result->parts, result->part_count * sizeof(*all));
    result->parts = all;
    result->part_count += joint;
}

/* Keys of places: the block that begins at an offset, the sum that stands for it, and what else is counted there. */
static uint64_t block_key(const struct ws_runner *runner, uint32_t block)
{
    return (uint64_t)ws_plan_offset(runner->plan, runner->module->blocks[block].first) << 8 | 0xff;
}

static uint64_t sum_key(const struct ws_runner *runner, uint32_t block)
{
    return block_key(runner, block) - 1;
}

static uint64_t place_key(const struct ws_visit *visit)
{
    const uint32_t kind = (uint32_t)visit->place | (visit->instruction == WS_NONE ? 0 : 0x80);
    return (uint64_t)ws_runner_visit_offset(visit) << 8 | kind;
}

/* The first block of a block's class, of which all are counted there. Indices in module->blocks. */
static uint32_t leader_of(const struct ws_runner *runner, uint32_t block)
{
    const uint32_t function = runner->module->blocks[block].function;
    const uint32_t first = runner->module->functions[function].block_first;
    return first + runner->plan->functions[function].leaders[block - first];
}

/* Whether counters of a function may be sums of others, or kept in variables: each of them must be there, and small. With a
 * budget some are left out. */
static bool may_improve(const struct ws_runner *runner, uint32_t function)
{
    return runner->plan->functions[function].sums != NULL && runner->budget == NULL;
}

/* Whether the primitives that count can be linked: those of fragments need a built-in. */
static bool can_count(struct ws_runner *runner, uint32_t function)
{
    return runner->plan->functions[function].lanes == 0 ||
           ws_runner_link(runner, function, WS_PRIMITIVE_COUNT_WARP) != 0;
}

/* Counts the class of `leader`, unless that is decided. */
static void count_class(struct ws_runner *runner, uint32_t leader)
{
    struct ws_runner_counter *counter = &runner->counters[leader];
    const uint32_t function = runner->module->blocks[leader].function;
    const struct ws_cursor first = ws_cursor_block_start(runner->module, leader);
    if (!counter->decided && ws_site_budget_leaves_out(runner->budget, leader))
        *counter =
            (struct ws_runner_counter){.decided = true, .row = WS_NONE, .reason = ws_site_budget_reason};
    if (counter->decided)
        return;
    const uint32_t row = find_row(runner, block_key(runner, leader));
    if (may_improve(runner, function) && !runner->plan->functions[function].per_thread &&
        !ws_runner_is_full(runner) && can_count(runner, function)) {
        *counter = (struct ws_runner_counter){.decided = true};
        give_row(runner, counter, block_key(runner, leader), function, row);
        ws_marks_note(runner->marks, leader, row);
        runner->probe_count++;
        return;
    }
    put_row(runner, counter, block_key(runner, leader), function, &first);
    ws_site_budget_spend(runner->budget, function, leader);
}

static bool is_counted(const struct ws_runner *runner, uint32_t leader)
{
    return runner->counters[leader].decided && runner->counters[leader].row != WS_NONE;
}

/* Notes that row `row`, which is new, has a part. */
static void add_part(struct ws_runner *runner, uint32_t row, uint32_t leader)
{
    struct ws_instrumented *result = runner->result;
    struct ws_row_part *parts = ws_arena_grow(runner->module->arena, result->parts, result->part_count,
                                              &runner->part_capacity, sizeof(*parts));
    if (parts == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the counters of a module");
        return;
    }
    result->parts = parts;
    parts[result->part_count++] = (struct ws_row_part){row, runner->counters[leader].row};
}

/* Gives a class a row that the device leaves at zero. Returns true where its parts are still to be noted. */
static bool begin_sum(struct ws_runner *runner, uint32_t leader, uint32_t *row)
{
    *row = find_row(runner, sum_key(runner, leader));
    const bool is_new = *row == runner->result->row_count;
    runner->counters[leader] = (struct ws_runner_counter){.decided = true};
    give_row(runner, &runner->counters[leader], sum_key(runner, leader),
             runner->module->blocks[leader].function, *row);
    return is_new;
}

/* A loop header (equivalence.h, SUMS), where the class of the block before the loop is counted. That of the other block is
 * counted for it, if it is not yet: whoever counts classes counts those of all blocks. */
static void sum_loop(struct ws_runner *runner, uint32_t leader, const struct ws_block_sum *sum)
{
    const uint32_t first = runner->module->functions[runner->module->blocks[leader].function].block_first;
    uint32_t row = 0;
    if (sum->before == WS_NONE || !is_counted(runner, leader_of(runner, first + sum->before)))
        return;
    const uint32_t again = leader_of(runner, first + sum->again);
    count_class(runner, again);
    if (!is_counted(runner, again) || !begin_sum(runner, leader, &row))
        return;
    add_part(runner, row, leader_of(runner, first + sum->before));
    add_part(runner, row, again);
}

/* The first class of a function, where all blocks that call it are counted: it runs with the lanes of each. The functions
 * that call it have been walked, unless other entry points reach them. Copies that share rows have callers of their own. */
static void sum_calls(struct ws_runner *runner, uint32_t leader)
{
    const struct ws_calls *calls = &runner->plan->calls;
    const uint32_t function = runner->module->blocks[leader].function;
    const uint32_t end = calls->caller_first[function + 1];
    uint32_t row = 0;
    if (runner->plan->functions[function].entry || calls->caller_first[function] == end ||
        (runner->plan->copies != NULL && runner->module->entry_point_count > 1))
        return;
    for (uint32_t i = calls->caller_first[function]; i < end; i++) {
        const uint32_t block = calls->caller_blocks[i];
        const bool refused = runner->plan->functions[runner->module->blocks[block].function].leaders == NULL;
        if (refused || !is_counted(runner, leader_of(runner, block)))
            return;
    }
    if (begin_sum(runner, leader, &row))
        for (uint32_t i = calls->caller_first[function]; i < end; i++)
            add_part(runner, row, leader_of(runner, calls->caller_blocks[i]));
}

/* Has the host add the counter of a class up, where that of others tells it. */
static void sum_class(struct ws_runner *runner, uint32_t leader)
{
    const uint32_t function = runner->module->blocks[leader].function;
    const uint32_t first = runner->module->functions[function].block_first;
    if (leader == first)
        sum_calls(runner, leader);
    else
        sum_loop(runner, leader, &runner->plan->functions[function].sums[leader - first]);
}

void ws_visit_count(struct ws_visit *visit, uint32_t tag)
{
    struct ws_runner *runner = visit->runner;
    const uint32_t leader = leader_of(runner, visit->block);
    const struct ws_runner_counter *counter = &runner->counters[leader];
    if (!counter->decided && may_improve(runner, visit->function))
        sum_class(runner, leader);
    count_class(runner, leader);
    const struct ws_cursor start = ws_cursor_block_start(runner->module, visit->block);
    const uint32_t offset = ws_runner_offset(runner, start);
    if (counter->reason != NULL)
        ws_runner_add_skip(runner, visit->pass, visit->function, offset, 1, counter->reason);
    else
        ws_runner_add_pass_site(visit, tag, WS_SITE_BLOCK, offset, counter->row);
}

void ws_visit_count_place(struct ws_visit *visit, uint32_t tag)
{
    struct ws_runner *runner = visit->runner;
    struct ws_runner_counter *counter = &visit->counter;
    if (!counter->decided) {
        put_row(runner, counter, place_key(visit), visit->function,
                visit->place == WS_PLACE_RETURNED ? NULL : &visit->cursor);
        ws_site_budget_spend(runner->budget, visit->function, WS_NONE);
    }
    if (counter->reason != NULL)
        ws_visit_skip(visit, counter->reason);
    else
        ws_runner_add_pass_site(visit, tag, WS_SITE_COUNT, ws_runner_visit_offset(visit), counter->row);
}

/* The primitive that fills the launch row of an entry point's function. Where entry points of several stages
 * share it, the one that needs no built-in of a stage. */
static enum ws_primitive launch_primitive(const struct ws_instrument_plan *plan,
                                          const struct ws_instrument_plan_function *function)
{
    const uint32_t stage = plan->entries[function->entry_points[0]].stage;
    bool same = true;
    for (uint32_t i = 1; i < function->entry_point_count; i++)
        same = same && plan->entries[function->entry_points[i]].stage == stage;
    if (same && stage == WS_STAGE_RAYGEN)
        return function->per_thread ? WS_PRIMITIVE_LAUNCH_THREAD_RAYGEN : WS_PRIMITIVE_LAUNCH_WARP_RAYGEN;
    if (same && stage == WS_STAGE_COMPUTE)
        return function->per_thread ? WS_PRIMITIVE_LAUNCH_THREAD_COMPUTE : WS_PRIMITIVE_LAUNCH_WARP_COMPUTE;
    return function->per_thread ? WS_PRIMITIVE_LAUNCH_THREAD : WS_PRIMITIVE_LAUNCH_WARP;
}

void ws_runner_put_begin(struct ws_runner *runner, uint32_t function, enum ws_primitive primitive)
{
    const uint32_t block = runner->module->functions[function].block_first;
    const uint32_t callee = ws_runner_link(runner, function, primitive);
    if (callee != 0)
        ws_link_call(runner->editor, ws_runner_prologue(runner->module, block), callee, NULL, 0);
}

void ws_runner_put_launch(struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    const uint32_t block = runner->module->functions[function].block_first;
    const struct ws_cursor cursor = ws_runner_prologue(runner->module, block);
    const uint32_t offset = ws_runner_offset(runner, cursor);
    const uint32_t callee = ws_runner_link(runner, function, launch_primitive(runner->plan, plan));
    if (callee == 0) {
        ws_runner_add_skip(runner, WS_NONE, function, offset, 1, ws_runner_no_variable);
        return;
    }
    const uint32_t row = runner->result->row_count;
    const uint32_t argument = ws_constant_u32(runner->editor, row);
    ws_link_call(runner->editor, cursor, callee, &argument, 1);
    ws_runner_add_site(runner, WS_SITE_LAUNCH, block, offset, row);
    use_row(runner, function, row);
    runner->rows[function].launch = row;
}

/* Decides on the call of an entry point's function: NULL when it has one, else why it cannot. */
static const char *decide_work(struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    const uint32_t block = runner->module->functions[function].block_first;
    struct ws_enter work;
    if (plan->refusal != NULL)
        return plan->refusal;
    if (!ws_link_work(runner->editor, plan->entry_points, plan->entry_point_count, &work))
        return "the stage has no work ids, or its function is shared by stages with different ones";
    const uint32_t callee =
        ws_link_primitive(runner->editor, work.primitive, plan->entry_points, plan->entry_point_count);
    if (callee == 0)
        return ws_runner_no_variable;
    ws_link_call(runner->editor, ws_runner_prologue(runner->module, block), callee, work.arguments,
                 work.argument_count);
    return NULL;
}

const char *ws_runner_put_work(struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    const char *reason = ws_runner_no_place;
    bool any = false;
    for (uint32_t i = 0; i < plan->entry_point_count; i++) {
        const struct ws_instrument_plan_entry *entry = &runner->plan->entries[plan->entry_points[i]];
        if (!entry->wanted)
            continue;
        struct ws_runner_works *works = &runner->works[entry->functions[0]];
        if (!works->decided)
            works->reason = decide_work(runner, entry->functions[0]);
        works->decided = true;
        reason = works->reason;
        any = any || reason == NULL;
    }
    return any ? NULL : reason;
}

void ws_runner_use_yields(struct ws_runner *runner, uint32_t function, uint32_t first, uint32_t end)
{
    struct ws_runner_rows *rows = &runner->rows[function];
    rows->yield_first = first < rows->yield_first ? first : rows->yield_first;
    rows->yield_end = end > rows->yield_end ? end : rows->yield_end;
}
