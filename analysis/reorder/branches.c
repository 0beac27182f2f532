#include "analysis/reorder/branches.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

void ws_branch_table_finish(struct ws_branch_table *table)
{
    free(table->sets);
    free(table->spans_seen);
    table->sets = NULL;
    table->spans_seen = NULL;
    table->set_capacity = 0;
}

/* What is in a set. */
static struct ws_branch_set look_at(const struct ws_branch_table *table, const struct ws_span_set *set)
{
    const struct ws_branch *branch = &table->branch;
    const struct ws_loop_nest *nest = &table->nests[table->catalog->shaders[branch->shader].module];
    const struct ws_nest_block *known = &nest->blocks[branch->block];
    const uint32_t *blocks = table->spans->blocks + set->first;
    struct ws_branch_set found = {.has = false};
    for (uint32_t i = 0; i < set->count; ++i) {
        const struct ws_nest_block *block = &nest->blocks[blocks[i]];
        found.has = found.has || blocks[i] == branch->block;
        found.turns = found.turns || (block->header && block->loop == known->loop);
    }
    for (uint32_t i = known->successor_count; i-- > 0 && !branch->turns;) {
        const uint32_t side = nest->successors[known->successor_first + i];
        uint32_t low = 0;
        for (uint32_t high = set->count; low < high;) {
            const uint32_t middle = low + (high - low) / 2;
            if (blocks[middle] < side)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == set->count || blocks[low] != side)
            continue;
        if (nest->blocks[side].loop == known->loop)
            found.near = i + 1;
        else
            found.far = i + 1;
    }
    return found;
}

bool ws_branch_table_set(struct ws_branch_table *table, const struct ws_branch *branch, const uint32_t *sets,
                         uint32_t set_count)
{
    const uint32_t all = table->spans->set_count;
    const uint32_t module = table->catalog->shaders[branch->shader].module;
    struct ws_branch_set *grown = ws_array_grow(table->sets, &table->set_capacity, all, sizeof(*grown));
    if (table->spans_seen == NULL)
        table->spans_seen = calloc((size_t)table->spans->span_count + 1, sizeof(*table->spans_seen));
    table->sets = grown != NULL ? grown : table->sets;
    if (grown == NULL || table->spans_seen == NULL)
        return false;
    table->branch = *branch;
    table->number++;
    table->elsewhere = table->nests[module].blocks[branch->block].successor_count + 1;
    for (uint32_t i = 0; i < (sets != NULL ? set_count : all); ++i) {
        const uint32_t at = sets != NULL ? sets[i] : i;
        const struct ws_span_set *set = &table->spans->sets[at];
        grown[at] = set->module == module ? look_at(table, set) : (struct ws_branch_set){.has = false};
    }
    return true;
}

/* Where a thread is while its path is looked through. */
struct looking {
    bool came; /* to the branch, or the loop */
    struct ws_walk_place place;
    uint32_t end; /* of a loop: the iteration behind the last one */
};

/* One more item. True where the value is known: `*value`. */
static bool look_on(const struct ws_branch_table *table, const struct ws_span_item *item,
                    struct looking *looking, uint32_t *value)
{
    const struct ws_span_scope *scope = &table->spans->scopes[item->scope];
    const struct ws_branch_set *set = &table->sets[item->set];
    const bool here = looking->came && scope->hash == looking->place.scope;
    if (scope->shader != table->branch.shader)
        return false;
    if (!looking->came) {
        looking->came = set->has;
        looking->place = (struct ws_walk_place){scope->hash, item->round};
        looking->end = item->round + item->rounds;
        *value = set->near > 0 ? set->near : table->elsewhere;
        return set->has && !table->branch.turns && (set->near > 0 || item->rounds > 1);
    }
    if (table->branch.turns) {
        if (here && item->round + item->rounds > looking->end)
            looking->end = item->round + item->rounds;
        return false;
    }
    *value = table->elsewhere;
    if (here && item->round == looking->place.round && set->near > 0)
        *value = set->near;
    else if (set->far > 0)
        *value = set->far;
    else
        return here && (item->round != looking->place.round || item->rounds > 1);
    return true;
}

/* Whether an item of a span says something of the branch, so that it must be looked at. */
static bool is_of(struct ws_branch_table *table, uint32_t number)
{
    const struct ws_span *span = &table->spans->spans[number];
    bool found = false;
    if (table->spans_seen[number] / 2 == table->number)
        return (table->spans_seen[number] & 1) != 0;
    for (uint32_t i = 0; i < span->count && !found; ++i) {
        const struct ws_span_item *item = ws_span_item(table->spans, span, i);
        const struct ws_branch_set *set = &table->sets[item->set];
        found = (set->has || set->turns || set->near > 0 || set->far > 0) &&
                table->spans->scopes[item->scope].shader == table->branch.shader;
    }
    table->spans_seen[number] = 2 * table->number + found;
    return found;
}

uint32_t ws_branch_value(struct ws_branch_table *table, uint32_t path, const struct ws_branch_call *call)
{
    const struct ws_spans *spans = table->spans;
    const struct ws_branch *branch = &table->branch;
    struct looking looking = {.place = call->place};
    uint32_t value = 0;
    looking.came = !branch->turns && call->shader == branch->shader && call->block == branch->block;
    for (uint32_t i = 0; i < spans->paths[path].count; ++i) {
        const uint32_t number = spans->path_spans[spans->paths[path].first + i];
        const struct ws_span *span = &spans->spans[number];
        if (!is_of(table, number))
            continue;
        for (uint32_t j = 0; j < span->count; ++j)
            if (look_on(table, ws_span_item(spans, span, j), &looking, &value))
                return value;
    }
    if (branch->turns)
        return looking.came && looking.place.round == 0 ? looking.end : 0;
    return looking.came ? table->elsewhere : 0;
}
