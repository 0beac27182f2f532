#include "warpscope/instrument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/instrument/copies.h"
#include "passes/instrument/fragment_tests.h"
#include "passes/instrument/probes.h"
#include "passes/instrument/registry.h"
#include "passes/instrument/runner.h"
#include "passes/instrument/site_budget.h"
#include "warpscope/base/arena.h"

#define PASSES_MAX 32

/* The names of all passes, for a message. */
static void list_names(char *text, size_t size)
{
    size_t count = 0;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i == 0 ? "" : ", ", passes[i].name);
}

struct ws_instrumented *ws_instrument(const uint32_t *words, size_t word_count,
                                      const struct ws_instrument_options *options, struct ws_error *error)
{
    const struct ws_pass *passes[PASSES_MAX];
    if (options->pass_count > PASSES_MAX || options->probe_count > PASSES_MAX - options->pass_count) {
        ws_error_set(error, "%zu passes and %zu probes were asked for, at most %d in all are possible",
                     options->pass_count, options->probe_count, PASSES_MAX);
        return NULL;
    }
    for (size_t i = 0; i < options->pass_count; i++) {
        passes[i] = ws_pass_find(options->passes[i]);
        if (passes[i] == NULL) {
            char names[WS_ERROR_SIZE / 2];
            list_names(names, sizeof(names));
            ws_error_set(error, "there is no pass \"%s\"; there are: %s", options->passes[i], names);
            return NULL;
        }
    }
    if (options->probe_count == 0)
        return ws_run_passes(words, word_count, passes, options->pass_count, options, error);
    struct ws_probe_passes *probes =
        ws_probe_passes_create(options, words, word_count, passes + options->pass_count, error);
    struct ws_instrumented *result = NULL;
    if (probes != NULL)
        result = ws_run_passes(words, word_count, passes, options->pass_count + options->probe_count, options,
                               error);
    ws_probe_passes_destroy(probes);
    return result;
}

/* Lists the functions that an entry point reaches. A copy counts as the function that it is a copy of. `marks`
 * has an entry per function. */
static bool list_functions(struct ws_entry_info *info, const struct ws_instrument_plan *plan, uint32_t index,
                           uint32_t *marks)
{
    const struct ws_module *module = plan->module;
    const struct ws_instrument_plan_entry *entry = &plan->entries[index];
    uint32_t *functions = ws_arena_allocate(module->arena, entry->function_count, sizeof(*functions));
    if (functions == NULL)
        return false;
    for (uint32_t i = 0; i < entry->function_count; i++) {
        const uint32_t origin = ws_plan_origin(plan, entry->functions[i]);
        if (marks[origin] == index + 1)
            continue;
        marks[origin] = index + 1;
        functions[info->function_count++] = module->functions[origin].id;
    }
    info->functions = functions;
    return true;
}

/* Gives the functions and stage of every entry point; rows come from the walk. */
static bool list_entries(struct ws_instrumented *result, const struct ws_module *module,
                         const struct ws_instrument_plan *plan)
{
    result->entries = ws_arena_allocate(module->arena, module->entry_point_count, sizeof(*result->entries));
    uint32_t *marks = ws_arena_allocate(module->arena, module->function_count, sizeof(*marks));
    enum ws_fragment_tests *tests =
        ws_arena_allocate(module->arena, module->entry_point_count, sizeof(*tests));
    if (result->entries == NULL || marks == NULL || tests == NULL ||
        (plan->refusal == NULL && !ws_fragment_tests_find(tests, plan)))
        return false;
    result->entry_count = module->entry_point_count;
    for (uint32_t e = 0; e < module->entry_point_count; e++) {
        struct ws_entry_info *entry = &result->entries[e];
        entry->name = module->entry_points[e].name;
        entry->stage = ws_stage_of_model(module->entry_points[e].model);
        entry->function = module->functions[module->entry_points[e].function].id;
        if (plan->refusal != NULL)
            continue;
        if (!list_functions(entry, plan, e, marks))
            return false;
        entry->per_thread = plan->entries[e].per_thread;
        entry->no_place = plan->entries[e].no_place;
        entry->tests = tests[e];
    }
    return true;
}

/* The one skip of a module that is refused as a whole. */
static bool list_refusal(struct ws_instrumented *result, const struct ws_instrument_plan *plan)
{
    result->skips = ws_arena_allocate(plan->module->arena, 1, sizeof(*result->skips));
    if (result->skips == NULL)
        return false;
    result->skips[result->skip_count++] =
        (struct ws_skip_info){.pass = WS_NONE, .offset = WS_NONE, .count = 1, .reason = plan->refusal};
    return true;
}

/* Puts the copies of shared functions (copies.h) into the module, and makes the plan anew, where there are any. */
static bool copy(struct ws_instrument_plan *plan, struct ws_module *module,
                 const struct ws_pass *const *passes, size_t pass_count,
                 const struct ws_instrument_options *options, struct ws_error *error)
{
    const struct ws_copies *copies = NULL;
    if (plan->refusal != NULL)
        return true;
    if (!ws_copies_make(&copies, plan, passes, pass_count, options->sample > 1, error))
        return false;
    if (copies == NULL)
        return true;
    if (!ws_module_parse(module, module->arena, copies->words, copies->word_count, error) ||
        !ws_instrument_plan_make(plan, module, passes, pass_count, options, error))
        return false;
    plan->copies = copies;
    return true;
}

/* Makes the budget of a module and decides what is left out: `*budget` is NULL where there is none. For what all sites cost
 * they are put into the module once, by an editor and for a result of which nothing is kept. */
static bool make_budget(struct ws_site_budget **budget, const struct ws_instrument_plan *plan,
                        const struct ws_instrumented *result, const struct ws_pass *const *passes,
                        size_t pass_count, const struct ws_instrument_options *options,
                        struct ws_error *error)
{
    const size_t built_in = pass_count - options->probe_count;
    bool measure = false;
    if (!ws_site_budget_make(budget, plan, built_in, options, &measure, error))
        return false;
    if (!measure)
        return true;
    struct ws_instrumented unused = *result;
    unused.entries =
        ws_arena_allocate(plan->module->arena, plan->module->entry_point_count, sizeof(*unused.entries));
    struct ws_editor *editor = ws_editor_create(plan->module);
    if (unused.entries == NULL || editor == NULL)
        return ws_error_set(error, "out of memory for the budget of a module");
    (*budget)->measuring = true;
    return ws_runner_walk(&unused, editor, plan, *budget, passes, built_in, options, error) &&
           ws_site_budget_choose(*budget, plan, error);
}

/* Everything between the parsed module and the finished one. */
static bool run(struct ws_instrumented *result, struct ws_module *module, const struct ws_pass *const *passes,
                size_t pass_count, const struct ws_instrument_options *options, struct ws_error *error)
{
    struct ws_instrument_plan plan;
    for (uint32_t i = 0; i < WS_SPEC_COUNT; i++)
        result->spec_ids[i] = WS_NONE;
    result->probe_count = (uint32_t)options->probe_count;
    result->shared_yields =
        ws_arena_allocate(module->arena, options->probe_count, sizeof(*result->shared_yields));
    if (result->shared_yields == NULL)
        return ws_error_set(error, "out of memory to instrument a module");
    for (size_t i = 0; i < options->probe_count; i++)
        result->shared_yields[i] = WS_NONE;
    if (!ws_instrument_plan_make(&plan, module, passes, pass_count, options, error) ||
        !copy(&plan, module, passes, pass_count, options, error))
        return false;
    if (!list_entries(result, module, &plan))
        return ws_error_set(error, "out of memory for the entry points of a module");
    if (plan.refusal != NULL)
        return list_refusal(result, &plan) || ws_error_set(error, "out of memory");
    struct ws_site_budget *budget = NULL;
    if (!make_budget(&budget, &plan, result, passes, pass_count, options, error))
        return false;
    struct ws_editor *editor = ws_editor_create(module);
    if (editor == NULL)
        return ws_error_set(error, "out of memory to edit a module");
    if (!ws_runner_walk(result, editor, &plan, budget, passes, pass_count, options, error))
        return false;
    if (result->site_count == 0)
        return true;
    ws_linker_finish(editor);
    if (!ws_editor_finish(editor, &result->words, &result->word_count, error))
        return false;
    for (uint32_t i = 0; i < WS_SPEC_COUNT; i++)
        result->spec_ids[i] = ws_link_spec_id(editor, i);
    return true;
}

/* A copy of a result, in an arena that is just as large as it: first with `arena` NULL, to add up the size. */
struct keeping {
    struct ws_arena *arena;
    size_t size;
    bool failed;
};

static void *keep(struct keeping *keeping, const void *data, size_t count, size_t size)
{
    const size_t bytes = count * size; /* what exists already: no overflow */
    if (data == NULL)
        return NULL;
    keeping->size += (bytes == 0 ? 1 : (bytes + WS_ARENA_STEP - 1) / WS_ARENA_STEP) * WS_ARENA_STEP;
    void *copy = keeping->arena != NULL ? ws_arena_allocate_raw(keeping->arena, count, size) : NULL;
    keeping->failed = keeping->failed || (keeping->arena != NULL && copy == NULL);
    if (copy != NULL && bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

static struct ws_instrumented *keep_result(struct keeping *keeping, const struct ws_instrumented *from)
{
    struct ws_instrumented parts = *from;
    parts.arena = keeping->arena;
    parts.words = keep(keeping, from->words, from->word_count, sizeof(*from->words));
    parts.entries = keep(keeping, from->entries, from->entry_count, sizeof(*from->entries));
    parts.blocks = keep(keeping, from->blocks, from->block_count, sizeof(*from->blocks));
    parts.sites = keep(keeping, from->sites, from->site_count, sizeof(*from->sites));
    parts.fixed = keep(keeping, from->fixed, from->fixed_count, sizeof(*from->fixed));
    parts.parts = keep(keeping, from->parts, from->part_count, sizeof(*from->parts));
    parts.shared_yields = keep(keeping, from->shared_yields, from->probe_count, sizeof(*from->shared_yields));
    parts.skips = keep(keeping, from->skips, from->skip_count, sizeof(*from->skips));
    for (uint32_t i = 0; i < from->entry_count; i++) {
        const struct ws_entry_info *entry = &from->entries[i];
        const char *name = keep(keeping, entry->name, strlen(entry->name) + 1, 1);
        const uint32_t *functions =
            keep(keeping, entry->functions, entry->function_count, sizeof(*entry->functions));
        if (parts.entries != NULL) {
            parts.entries[i].name = name;
            parts.entries[i].functions = functions;
        }
    }
    for (uint32_t i = 0; i < from->skip_count; i++) {
        const struct ws_skip_info *skip = &from->skips[i];
        const char *reason = keep(keeping, skip->reason, strlen(skip->reason) + 1, 1);
        const uint32_t *entries = keep(keeping, skip->entries, skip->entry_count, sizeof(*skip->entries));
        if (parts.skips != NULL) {
            parts.skips[i].reason = reason;
            parts.skips[i].entries = entries;
        }
    }
    return keep(keeping, &parts, 1, sizeof(parts));
}

/* Frees what was needed for the work, which is ten times as much as the result: the layer keeps results as
 * long as their shaders. Without memory the result stays as it is. */
static struct ws_instrumented *compact(struct ws_instrumented *result)
{
    struct keeping keeping = {0};
    keep_result(&keeping, result);
    keeping.arena = ws_arena_create_for(keeping.size);
    if (keeping.arena == NULL)
        return result;
    struct ws_instrumented *kept = keep_result(&keeping, result);
    if (keeping.failed) {
        ws_arena_destroy(keeping.arena);
        return result;
    }
    ws_arena_destroy(result->arena);
    return kept;
}

struct ws_instrumented *ws_run_passes(const uint32_t *words, size_t word_count,
                                      const struct ws_pass *const *passes, size_t pass_count,
                                      const struct ws_instrument_options *options, struct ws_error *error)
{
    struct ws_module module;
    struct ws_instrumented *result = NULL;
    struct ws_arena *arena = ws_arena_create();
    if (arena == NULL) {
        ws_error_set(error, "out of memory to instrument a module");
        return NULL;
    }
    if (!ws_module_parse(&module, arena, words, word_count, error))
        goto error;
    result = ws_arena_allocate(arena, 1, sizeof(*result));
    if (result == NULL) {
        ws_error_set(error, "out of memory to instrument a module");
        goto error;
    }
    result->arena = arena;
    if (!run(result, &module, passes, pass_count, options, error))
        goto error;
    return compact(result);

error:
    ws_arena_destroy(arena);
    return NULL;
}

void ws_add_row_parts(const struct ws_row_part *parts, uint32_t part_count, uint32_t row_first,
                      uint32_t row_count, uint32_t bins, uint32_t *words)
{
    for (uint32_t i = 0; i < part_count; i++) {
        const uint32_t row = parts[i].row - row_first;
        const uint32_t part = parts[i].part - row_first;
        for (uint32_t bin = 0; row < row_count && part < row_count && bin < bins; bin++)
            words[(size_t)row * bins + bin] += words[(size_t)part * bins + bin];
    }
}

/* Whether entry point `index` can have early tests, and no other before it has the same function. */
static bool wants_mode(const struct ws_instrumented *instrumented, uint32_t index)
{
    const struct ws_entry_info *entries = instrumented->entries;
    if (entries[index].tests != WS_TESTS_CAN_BE_EARLY || entries[index].row_count == 0)
        return false;
    for (uint32_t i = 0; i < index; i++)
        if (entries[i].function == entries[index].function && entries[i].tests == WS_TESTS_CAN_BE_EARLY)
            return false;
    return true;
}

bool ws_instrumented_can_be_early(const struct ws_instrumented *instrumented)
{
    for (uint32_t i = 0; i < instrumented->entry_count; i++)
        if (instrumented->words != NULL && wants_mode(instrumented, i))
            return true;
    return false;
}

uint32_t *ws_instrumented_early(const struct ws_instrumented *instrumented, size_t *word_count)
{
    const uint32_t *words = instrumented->words;
    const size_t count = instrumented->word_count;
    uint32_t *early = malloc((count + 3 * (size_t)instrumented->entry_count) * sizeof(*early));
    size_t end = 0; /* of the entry points and execution modes */
    for (size_t i = 5; i < count && (words[i] & SpvOpCodeMask) != SpvOpFunction;
         i += words[i] >> SpvWordCountShift) {
        const uint32_t opcode = words[i] & SpvOpCodeMask;
        if (opcode == SpvOpEntryPoint || opcode == SpvOpExecutionMode || opcode == SpvOpExecutionModeId)
            end = i + (words[i] >> SpvWordCountShift);
    }
    if (early == NULL)
        return NULL;
    memcpy(early, words, end * sizeof(*early));
    size_t at = end;
    for (uint32_t i = 0; i < instrumented->entry_count; i++) {
        if (!wants_mode(instrumented, i))
            continue;
        early[at++] = 3u << SpvWordCountShift | SpvOpExecutionMode;
        early[at++] = instrumented->entries[i].function;
        early[at++] = SpvExecutionModeEarlyFragmentTests;
    }
    memcpy(early + at, words + end, (count - end) * sizeof(*early));
    *word_count = at + count - end;
    return early;
}

void ws_instrumented_destroy(struct ws_instrumented *instrumented)
{
    if (instrumented != NULL)
        ws_arena_destroy(instrumented->arena); /* which holds the struct too */
}
