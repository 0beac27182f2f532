#include "passes/instrument/site_budget.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "passes/flow/loops.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/sites.h"

/* Functions that are inlined more often than that count as often as that: then sums do not overflow. */
#define INSTANCES_MAX (1u << 20)

/* A block in a loop is worth as much as one that has that many times its instructions. */
#define LOOP_TURNS 8
#define LOOPS_MAX  6 /* around a block; more count as that many */

const char *const ws_site_budget_reason = WS_SITES_BUDGET;
static const char *const no_memory = "out of memory for the budget of a module";

/* ---- what a module would cost ---- */

/* Adds to `instances` how often an entry point has each of the functions that it reaches: callees come behind all of their
 * callers. Functions that call themselves, which SPIR-V forbids, count as called once. `calls` and `own` have an entry per
 * function, zeroed, and `queue` has room for all. */
static void count_instances(struct ws_site_budget *budget, const struct ws_instrument_plan *plan,
                            uint32_t entry, uint32_t *calls, uint32_t *own, uint32_t *queue)
{
    const struct ws_instrument_plan_entry *info = &plan->entries[entry];
    const struct ws_calls *graph = &plan->calls;
    uint32_t head = 0;
    uint32_t tail = 0;
    for (uint32_t i = 0; i < info->function_count; i++)
        for (uint32_t c = graph->callee_first[info->functions[i]];
             c < graph->callee_first[info->functions[i] + 1]; c++)
            if (graph->callees[c] != WS_NONE)
                calls[graph->callees[c]]++;
    for (uint32_t i = 0; i < info->function_count; i++)
        if (calls[info->functions[i]] == 0 || i == 0) {
            own[info->functions[i]] = 1;
            queue[tail++] = info->functions[i];
        }
    for (; head < tail; head++) {
        const uint32_t caller = queue[head];
        for (uint32_t c = graph->callee_first[caller]; c < graph->callee_first[caller + 1]; c++) {
            const uint32_t callee = graph->callees[c];
            if (callee == WS_NONE || callee == info->functions[0])
                continue;
            const uint32_t sum = own[callee] + own[caller];
            own[callee] = sum < INSTANCES_MAX ? sum : INSTANCES_MAX;
            if (--calls[callee] == 0)
                queue[tail++] = callee;
        }
    }
    for (uint32_t i = 0; i < info->function_count; i++) {
        const uint32_t function = info->functions[i];
        const uint32_t count = own[function] != 0 ? own[function] : 1;
        budget->instances[function] =
            count > budget->instances[function] ? count : budget->instances[function];
        calls[function] = 0;
        own[function] = 0;
    }
}

/* Whether an entry point may cost more than the limit: a block has at most a counter and a record, and few other places. */
static bool may_exceed(const struct ws_site_budget *budget, const struct ws_instrument_plan *plan,
                       uint32_t index)
{
    const struct ws_instrument_plan_entry *entry = &plan->entries[index];
    uint64_t most = 0;
    for (uint32_t i = 0; i < entry->function_count; i++) {
        const uint32_t function = entry->functions[i];
        most += 2 * (uint64_t)plan->cfgs[function].block_count * budget->instances[function];
    }
    return most > budget->limits[index];
}

static bool has_barrier(const struct ws_module *module, const struct ws_function *function)
{
    for (uint32_t i = function->first; i < function->end; i++)
        if (module->instructions[i].opcode == SpvOpControlBarrier)
            return true;
    return false;
}

/* The limit that WS_SITES_BUDGET_AUTO is for an entry point. */
static uint64_t auto_limit(const struct ws_site_budget *budget, const struct ws_instrument_plan *plan,
                           const struct ws_instrument_plan_entry *entry)
{
    uint64_t blocks = 0;
    bool barriers = false;
    for (uint32_t i = 0; entry->stage == WS_STAGE_COMPUTE && i < entry->function_count; i++) {
        const uint32_t function = entry->functions[i];
        blocks += (uint64_t)plan->cfgs[function].block_count * budget->instances[function];
        barriers = barriers || has_barrier(plan->module, &plan->module->functions[function]);
    }
    return barriers && blocks > WS_AUTO_BLOCKS ? blocks / WS_AUTO_BLOCKS_PER_SITE : UINT64_MAX;
}

/* Sets the limits of all entry points; false where none has one. */
static bool set_limits(struct ws_site_budget *budget, const struct ws_instrument_plan *plan, uint32_t limit)
{
    bool limited = false;
    for (uint32_t e = 0; e < plan->module->entry_point_count; e++) {
        budget->limits[e] = UINT64_MAX;
        if (plan->entries[e].wanted)
            budget->limits[e] =
                limit == WS_SITES_BUDGET_AUTO ? auto_limit(budget, plan, &plan->entries[e]) : limit;
        limited = limited || budget->limits[e] != UINT64_MAX;
    }
    return limited;
}

bool ws_site_budget_make(struct ws_site_budget **result, const struct ws_instrument_plan *plan,
                         size_t built_in, const struct ws_instrument_options *options, bool *measure,
                         struct ws_error *error)
{
    const struct ws_module *module = plan->module;
    struct ws_arena *arena = module->arena;
    *result = NULL;
    *measure = false;
    if (options->sites_budget == 0)
        return true;
    struct ws_site_budget *budget = ws_arena_allocate(arena, 1, sizeof(*budget));
    uint32_t *scratch = ws_arena_allocate(arena, 3 * (size_t)module->function_count, sizeof(*scratch));
    if (budget == NULL || scratch == NULL)
        return ws_error_set(error, "%s", no_memory);
    budget->limits = ws_arena_allocate(arena, module->entry_point_count, sizeof(*budget->limits));
    budget->instances = ws_arena_allocate(arena, module->function_count, sizeof(*budget->instances));
    budget->function_costs =
        ws_arena_allocate(arena, module->function_count, sizeof(*budget->function_costs));
    budget->decided = ws_arena_allocate(arena, module->function_count, sizeof(*budget->decided));
    budget->spent = ws_arena_allocate(arena, module->entry_point_count, sizeof(*budget->spent));
    budget->costs = ws_arena_allocate(arena, module->block_count, sizeof(*budget->costs));
    budget->left_out = ws_arena_allocate(arena, module->block_count, sizeof(*budget->left_out));
    if (budget->limits == NULL || budget->instances == NULL || budget->function_costs == NULL ||
        budget->decided == NULL || budget->spent == NULL || budget->costs == NULL || budget->left_out == NULL)
        return ws_error_set(error, "%s", no_memory);
    for (uint32_t e = 0; e < module->entry_point_count; e++)
        if (plan->entries[e].wanted)
            count_instances(budget, plan, e, scratch, scratch + module->function_count,
                            scratch + 2 * (size_t)module->function_count);
    if (!set_limits(budget, plan, options->sites_budget))
        return true;
    for (uint32_t e = 0; e < module->entry_point_count; e++)
        *measure = *measure || (plan->entries[e].wanted && may_exceed(budget, plan, e));
    *measure = built_in != 0 && (*measure || options->probe_count != 0);
    *result = budget;
    return true;
}

void ws_site_budget_spend(struct ws_site_budget *budget, uint32_t function, uint32_t block)
{
    if (budget == NULL || !budget->measuring)
        return;
    budget->function_costs[function]++;
    if (block != WS_NONE)
        budget->costs[block]++;
}

bool ws_site_budget_take(struct ws_site_budget *budget, const struct ws_instrument_plan *plan,
                         uint32_t function, uint32_t cost)
{
    if (budget == NULL)
        return true;
    const struct ws_instrument_plan_function *info = &plan->functions[function];
    const uint64_t all = (uint64_t)cost * budget->instances[function];
    for (uint32_t i = 0; i < info->entry_point_count; i++)
        if (plan->entries[info->entry_points[i]].wanted &&
            budget->spent[info->entry_points[i]] + all > budget->limits[info->entry_points[i]])
            return false;
    for (uint32_t i = 0; i < info->entry_point_count; i++)
        budget->spent[info->entry_points[i]] += all;
    return true;
}

/* ---- what is left out ---- */

/* A block with sites where it begins. */
struct candidate {
    uint32_t block;    /* in module->blocks */
    uint32_t function; /* in module->functions */
    bool is_head;      /* of a function or a loop */
    uint64_t weight;   /* instructions that its sites tell of, times LOOP_TURNS for each loop around it */
};

static int compare(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    if (a->is_head != b->is_head)
        return a->is_head ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static uint64_t turns_around(const struct ws_loops *loops, uint32_t block)
{
    uint64_t turns = 1;
    uint32_t depth = 0;
    for (uint32_t loop = loops->innermost[block]; loop != WS_NONE && depth < LOOPS_MAX; depth++) {
        turns *= LOOP_TURNS;
        loop = loops->list[loop].outer;
    }
    return turns;
}

/* Appends the blocks of a function that have sites. `told` has an entry per block of the module, zeroed. */
static bool add_candidates(const struct ws_site_budget *budget, const struct ws_instrument_plan *plan,
                           uint32_t function, uint64_t *told, struct candidate *candidates, uint32_t *count,
                           struct ws_error *error)
{
    const struct ws_module *module = plan->module;
    const struct ws_function *info = &module->functions[function];
    const uint32_t *leaders = plan->functions[function].leaders;
    struct ws_loops loops;
    if (leaders == NULL)
        return true;
    if (!ws_loops_find(&loops, module->arena, module, function, &plan->cfgs[function], error))
        return false;
    for (uint32_t b = 0; b < info->block_count; b++)
        if (leaders[b] != WS_NONE)
            told[info->block_first + leaders[b]] +=
                ws_block_instruction_count(module, &module->blocks[info->block_first + b]);
    for (uint32_t b = 0; b < info->block_count; b++) {
        const uint32_t block = info->block_first + b;
        if (budget->costs[block] == 0)
            continue;
        const uint64_t own = ws_block_instruction_count(module, &module->blocks[block]);
        candidates[(*count)++] = (struct candidate){
            .block = block,
            .function = function,
            .is_head = b == 0 || loops.header_of[b] != WS_NONE,
            .weight = (told[block] > own ? told[block] : own) * turns_around(&loops, b),
        };
    }
    for (uint32_t b = 0; b < info->block_count; b++)
        told[info->block_first + b] = 0;
    return true;
}

static uint64_t entry_costs(const struct ws_site_budget *budget, const struct ws_instrument_plan_entry *entry)
{
    uint64_t costs = 0;
    for (uint32_t i = 0; i < entry->function_count; i++)
        costs +=
            (uint64_t)budget->function_costs[entry->functions[i]] * budget->instances[entry->functions[i]];
    return costs;
}

/* Leaves blocks of an entry point out until the others fit. A function that several entry points share is decided for the
 * first of them that costs too much. */
static bool choose_entry(struct ws_site_budget *budget, const struct ws_instrument_plan *plan, uint32_t index,
                         struct candidate *candidates, uint64_t *told, struct ws_error *error)
{
    const struct ws_instrument_plan_entry *entry = &plan->entries[index];
    const uint64_t limit = budget->limits[index];
    uint32_t count = 0;
    uint64_t spent = entry_costs(budget, entry);
    if (spent <= limit)
        return true;
    for (uint32_t i = 0; i < entry->function_count; i++) {
        const uint32_t function = entry->functions[i];
        if (budget->decided[function])
            continue;
        budget->decided[function] = true;
        if (!add_candidates(budget, plan, function, told, candidates, &count, error))
            return false;
    }
    for (uint32_t i = 0; i < count; i++) /* what is left is never left out */
        spent -= (uint64_t)budget->costs[candidates[i].block] * budget->instances[candidates[i].function];
    qsort(candidates, count, sizeof(*candidates), compare);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t block = candidates[i].block;
        const uint32_t function = candidates[i].function;
        const uint64_t cost = (uint64_t)budget->costs[block] * budget->instances[function];
        budget->left_out[block] = spent + cost > limit;
        if (budget->left_out[block])
            budget->function_costs[function] -= budget->costs[block];
        else
            spent += cost;
    }
    return true;
}

bool ws_site_budget_choose(struct ws_site_budget *budget, const struct ws_instrument_plan *plan,
                           struct ws_error *error)
{
    const struct ws_module *module = plan->module;
    struct candidate *candidates = ws_arena_allocate(module->arena, module->block_count, sizeof(*candidates));
    uint64_t *told = ws_arena_allocate(module->arena, module->block_count, sizeof(*told));
    if (candidates == NULL || told == NULL)
        return ws_error_set(error, "%s", no_memory);
    budget->measuring = false;
    for (uint32_t e = 0; e < module->entry_point_count; e++)
        if (plan->entries[e].wanted && !choose_entry(budget, plan, e, candidates, told, error))
            return false;
    for (uint32_t e = 0; e < module->entry_point_count; e++)
        budget->spent[e] = entry_costs(budget, &plan->entries[e]);
    return true;
}
