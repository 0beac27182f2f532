#include "warpscope/model/compaction_plan.h"

#include <stdlib.h>
#include <string.h>

#include "passes/instrument/registry.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/cuts.h"

void ws_compaction_plan_module_destroy(struct ws_compaction_plan_module *plan)
{
    if (plan == NULL)
        return;
    for (uint32_t i = 0; plan->entries != NULL && i < plan->entry_count; ++i) {
        free(plan->entries[i].scopes);
        free(plan->entries[i].slots);
        free(plan->entries[i].scope_of_loop);
        free(plan->entries[i].targets);
        free(plan->entries[i].scope_slots);
    }
    free(plan->entries);
    free(plan->loops);
    free(plan->places);
    free(plan->loop_first);
    free(plan->place_first);
    free(plan->continues);
    free(plan->merges);
    free(plan->selections);
    free(plan);
}

/* The catalog's index of a block of the module, or of the block of the catalog that it is a part of: older captures
 * list blocks that were not cut (cuts.h). Both lists are in the order of the module. */
static uint32_t block_of(const struct ws_module *module, const struct ws_block_info *blocks, uint32_t count,
                         uint32_t block)
{
    if (block == WS_NONE)
        return WS_NONE;
    const uint32_t offset = module->instructions[module->blocks[block].first].offset;
    uint32_t low = 0;
    for (uint32_t high = count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (blocks[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && offset - blocks[low - 1].offset < blocks[low - 1].length ? low - 1 : WS_NONE;
}

static uint32_t *allocate_none(size_t count)
{
    uint32_t *array = malloc((count + 1) * sizeof(*array));
    for (size_t i = 0; array != NULL && i <= count; ++i)
        array[i] = WS_NONE;
    return array;
}

static bool allocate(struct ws_compaction_plan_module *plan, const struct ws_sync *sync,
                     const struct ws_module *module)
{
    plan->loops = calloc((size_t)sync->loop_count + 1, sizeof(*plan->loops));
    plan->places = calloc((size_t)sync->place_count + 1, sizeof(*plan->places));
    plan->loop_first = calloc((size_t)module->function_count + 1, sizeof(*plan->loop_first));
    plan->place_first = calloc((size_t)module->function_count + 1, sizeof(*plan->place_first));
    plan->continues = allocate_none(plan->block_count);
    plan->merges = allocate_none(plan->block_count);
    plan->selections = allocate_none(plan->block_count);
    plan->entries = calloc((size_t)plan->entry_count + 1, sizeof(*plan->entries));
    plan->function_count = module->function_count;
    return plan->loops != NULL && plan->places != NULL && plan->loop_first != NULL &&
           plan->place_first != NULL && plan->continues != NULL && plan->merges != NULL &&
           plan->selections != NULL && plan->entries != NULL;
}

static void copy_loops(struct ws_compaction_plan_module *plan, const struct ws_sync *sync,
                       const struct ws_module *module, const struct ws_block_info *blocks)
{
    plan->loop_count = sync->loop_count;
    for (uint32_t i = 0; i < sync->loop_count; ++i) {
        const struct ws_sync_loop *loop = &sync->loops[i];
        uint32_t target = block_of(module, blocks, plan->block_count, loop->continue_target);
        uint32_t merge = block_of(module, blocks, plan->block_count, loop->merge);
        plan->loops[i] = (struct ws_compaction_plan_loop){loop->function, loop->parent};
        plan->loop_first[loop->function + 1]++;
        if (target != WS_NONE)
            plan->continues[target] = i;
        if (merge != WS_NONE)
            plan->merges[merge] = i;
    }
}

static void copy_places(struct ws_compaction_plan_module *plan, const struct ws_sync *sync,
                        const struct ws_module *module, const struct ws_block_info *blocks)
{
    plan->place_count = sync->place_count;
    for (uint32_t i = 0; i < sync->place_count; ++i) {
        const struct ws_sync_place *place = &sync->places[i];
        struct ws_compaction_plan_place *copy = &plan->places[i];
        *copy = (struct ws_compaction_plan_place){
            .function = place->function,
            .block = block_of(module, blocks, plan->block_count, place->block),
            .offset = place->offset,
            .opcode = module->instructions[place->instruction].opcode,
            .callee = place->callee,
            .loop = place->loop,
            .selection = block_of(module, blocks, plan->block_count, place->selection),
            .in_continue = place->in_continue,
            .next_selection = WS_NONE,
        };
        plan->place_first[place->function + 1]++;
        if (copy->selection != WS_NONE) {
            copy->next_selection = plan->selections[copy->selection];
            plan->selections[copy->selection] = i;
        }
    }
    for (uint32_t i = 0; i < plan->function_count; ++i) {
        plan->loop_first[i + 1] += plan->loop_first[i];
        plan->place_first[i + 1] += plan->place_first[i];
    }
}

/* The tree of scopes of an entry point, while it is made. */
struct work {
    const struct ws_compaction_plan_module *plan;
    struct ws_compaction_plan_entry *entry;
    uint32_t loop_scopes; /* used of scope_of_loop, and of targets */
    uint32_t target_count;
};

/* Appends `count` free elements to an array of `used`. False when there is no memory. */
static bool extend(uint32_t **array, uint32_t used, uint32_t count)
{
    uint32_t *longer = realloc(*array, ((size_t)used + count + 1) * sizeof(*longer));
    if (longer == NULL)
        return false;
    *array = longer;
    for (uint32_t i = 0; i < count; ++i)
        longer[used + i] = WS_NONE;
    return true;
}

static uint32_t add_scope(struct ws_compaction_plan_entry *entry,
                          const struct ws_compaction_plan_scope *scope)
{
    if (entry->scope_count >= WS_PLAN_SCOPES_MAX)
        return WS_NONE;
    entry->scopes[entry->scope_count] = *scope;
    return entry->scope_count++;
}

/* The scopes of the loops of a function, outer before inner. */
static void add_loops(struct work *work, uint32_t owner)
{
    struct ws_compaction_plan_entry *entry = work->entry;
    const uint32_t function = entry->scopes[owner].function;
    const uint32_t first = work->plan->loop_first[function];
    const uint32_t count = work->plan->loop_first[function + 1] - first;
    uint32_t *scopes = entry->scope_of_loop + entry->scopes[owner].loops;
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_compaction_plan_loop *loop = &work->plan->loops[first + i];
        uint32_t parent = loop->parent == WS_NONE ? owner : scopes[loop->parent - first];
        if (parent == WS_NONE || entry->scopes[parent].depth >= WS_PLAN_DEPTH_MAX)
            continue;
        struct ws_compaction_plan_scope scope = {.parent = parent,
                                                 .function = function,
                                                 .loop = first + i,
                                                 .call = WS_NONE,
                                                 .depth = entry->scopes[parent].depth + 1,
                                                 .owner = owner};
        scopes[i] = add_scope(entry, &scope);
    }
}

/* In which of the loops around a slot the call is in the continue construct. */
static uint32_t continue_bits(const struct work *work, uint32_t scope, uint32_t place)
{
    const struct ws_compaction_plan_scope *scopes = work->entry->scopes;
    uint32_t bits = 0;
    while (place != WS_NONE) {
        if (work->plan->places[place].loop != WS_NONE && work->plan->places[place].in_continue)
            bits |= 1u << scopes[scope].depth;
        uint32_t owner = scopes[scope].owner;
        place = scopes[owner].call;
        scope = scopes[owner].parent;
    }
    return bits;
}

static bool on_the_way(const struct ws_compaction_plan_entry *entry, uint32_t scope, uint32_t function)
{
    return ws_compaction_plan_function_scope(entry, scope, function) != WS_NONE;
}

/* Adds a slot, or the scope of the function that is called. */
static uint32_t add_target(struct work *work, uint32_t owner, uint32_t index)
{
    struct ws_compaction_plan_entry *entry = work->entry;
    const struct ws_compaction_plan_place *place = &work->plan->places[index];
    const uint32_t first = work->plan->loop_first[place->function];
    uint32_t scope = place->loop == WS_NONE
                         ? owner
                         : entry->scope_of_loop[entry->scopes[owner].loops + place->loop - first];
    uint32_t target = WS_NONE;
    if (place->callee != WS_NONE && scope != WS_NONE && on_the_way(entry, scope, place->callee))
        return WS_NONE;
    if (scope != WS_NONE && place->callee != WS_NONE) {
        const struct ws_compaction_plan_scope callee = {.parent = scope,
                                                        .function = place->callee,
                                                        .loop = WS_NONE,
                                                        .call = index,
                                                        .depth = entry->scopes[scope].depth,
                                                        .owner = entry->scope_count};
        target = add_scope(entry, &callee);
    } else if (scope != WS_NONE && entry->slot_count < WS_PLAN_SLOTS_MAX) {
        entry->slots[entry->slot_count] = (struct ws_compaction_plan_slot){
            scope, index, entry->scopes[scope].depth, continue_bits(work, scope, index)};
        target = entry->slot_count++;
    }
    if (target == WS_NONE)
        entry->left_out++;
    return target;
}

/* Adds what is within the scope of one function. The scopes of functions that it calls are added at the end
 * of the list, and come in turn. */
static bool expand(struct work *work, uint32_t owner)
{
    struct ws_compaction_plan_entry *entry = work->entry;
    const struct ws_compaction_plan_module *plan = work->plan;
    const uint32_t function = entry->scopes[owner].function;
    const uint32_t loops = plan->loop_first[function + 1] - plan->loop_first[function];
    const uint32_t first = plan->place_first[function];
    const uint32_t places = plan->place_first[function + 1] - first;
    if (!extend(&entry->scope_of_loop, work->loop_scopes, loops) ||
        !extend(&entry->targets, work->target_count, places))
        return false;
    entry->scopes[owner].loops = work->loop_scopes;
    entry->scopes[owner].targets = work->target_count;
    work->loop_scopes += loops;
    work->target_count += places;
    add_loops(work, owner);
    for (uint32_t i = 0; i < places; ++i)
        entry->targets[entry->scopes[owner].targets + i] = add_target(work, owner, first + i);
    return true;
}

/* Lists the slots of each scope, with those of the scopes within it. */
static bool list_slots(struct ws_compaction_plan_entry *entry)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < entry->slot_count; ++i)
        for (uint32_t s = entry->slots[i].scope; s != WS_NONE; s = entry->scopes[s].parent)
            entry->scopes[s].slot_count++;
    for (uint32_t i = 0; i < entry->scope_count; ++i) {
        entry->scopes[i].slots = total;
        total += entry->scopes[i].slot_count;
        entry->scopes[i].slot_count = 0;
    }
    if (!extend(&entry->scope_slots, 0, total))
        return false;
    for (uint32_t i = 0; i < entry->slot_count; ++i) {
        entry->depth = entry->slots[i].depth > entry->depth ? entry->slots[i].depth : entry->depth;
        for (uint32_t s = entry->slots[i].scope; s != WS_NONE; s = entry->scopes[s].parent)
            entry->scope_slots[entry->scopes[s].slots + entry->scopes[s].slot_count++] = i;
    }
    return true;
}

static bool build_entry(const struct ws_compaction_plan_module *plan, struct ws_compaction_plan_entry *entry,
                        uint32_t function)
{
    struct work work = {.plan = plan, .entry = entry};
    if (plan->place_first[function] == plan->place_first[function + 1])
        return true;
    entry->scopes = calloc(WS_PLAN_SCOPES_MAX, sizeof(*entry->scopes));
    entry->slots = calloc(WS_PLAN_SLOTS_MAX, sizeof(*entry->slots));
    if (entry->scopes == NULL || entry->slots == NULL)
        return false;
    add_scope(entry, &(struct ws_compaction_plan_scope){
                         .parent = WS_NONE, .function = function, .loop = WS_NONE, .call = WS_NONE});
    for (uint32_t i = 0; i < entry->scope_count; ++i)
        if (entry->scopes[i].loop == WS_NONE && !expand(&work, i))
            return false;
    struct ws_compaction_plan_scope *scopes = realloc(entry->scopes, entry->scope_count * sizeof(*scopes));
    if (scopes != NULL)
        entry->scopes = scopes;
    struct ws_compaction_plan_slot *slots = realloc(entry->slots, (entry->slot_count + 1) * sizeof(*slots));
    if (slots != NULL)
        entry->slots = slots;
    return list_slots(entry);
}

/* The plan of a structure that is known. */
static struct ws_compaction_plan_module *plan_of(const struct ws_sync *sync, const struct ws_module *module,
                                                 const struct ws_block_info *blocks, uint32_t block_count,
                                                 const struct ws_entry_info *entries, uint32_t entry_count)
{
    struct ws_compaction_plan_module *plan = calloc(1, sizeof(*plan));
    if (plan == NULL)
        return NULL;
    plan->block_count = block_count;
    plan->entry_count = entry_count;
    if (!allocate(plan, sync, module))
        goto error;
    copy_loops(plan, sync, module, blocks);
    copy_places(plan, sync, module, blocks);
    /* A capture is not trusted to list as many entry points as its module has. */
    for (uint32_t i = 0; i < entry_count && i < module->entry_point_count; ++i) {
        uint32_t function = module->entry_points[i].function;
        if (module->functions[function].id == entries[i].function &&
            !build_entry(plan, &plan->entries[i], function))
            goto error;
    }
    return plan;
error:
    ws_compaction_plan_module_destroy(plan);
    return NULL;
}

/* The graphs of a module that is malformed: nothing is known of any function. NULL if there is no memory. */
static struct ws_cfg *opaque_cfgs(const struct ws_module *module)
{
    struct ws_cfg *cfgs = ws_arena_allocate(module->arena, module->function_count, sizeof(*cfgs));
    for (uint32_t i = 0; cfgs != NULL && i < module->function_count; ++i)
        cfgs[i] = (struct ws_cfg){.opaque = true};
    return cfgs;
}

struct ws_compaction_plan_module *ws_compaction_plan_module_create(struct ws_module *module,
                                                                   const struct ws_block_info *blocks,
                                                                   uint32_t block_count,
                                                                   const struct ws_entry_info *entries,
                                                                   uint32_t entry_count)
{
    const struct ws_pass *pass = ws_pass_find("thread_compaction");
    struct ws_error error = {{0}};
    struct ws_sync sync = {0};
    struct ws_cfg *cfgs = ws_cuts_make(module, &error);
    if (cfgs == NULL && !ws_error_is_memory(&error))
        cfgs = opaque_cfgs(module);
    if (cfgs == NULL || !ws_sync_find(&sync, module, cfgs, pass->opcodes, pass->opcode_count, &error))
        return NULL;
    return plan_of(&sync, module, blocks, block_count, entries, entry_count);
}

uint32_t ws_compaction_plan_find(const struct ws_compaction_plan_module *plan, uint32_t offset)
{
    uint32_t low = 0;
    for (uint32_t high = plan->place_count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (plan->places[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < plan->place_count && plan->places[low].offset == offset ? low : WS_NONE;
}

uint32_t ws_compaction_plan_function_scope(const struct ws_compaction_plan_entry *entry, uint32_t scope,
                                           uint32_t function)
{
    while (scope != WS_NONE) {
        uint32_t owner = entry->scopes[scope].owner;
        if (entry->scopes[owner].function == function)
            return owner;
        scope = entry->scopes[owner].parent;
    }
    return WS_NONE;
}
