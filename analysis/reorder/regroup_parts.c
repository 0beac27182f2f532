/* Puts together what the workers have found out about a launch (regroup.h). */
#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/regroup.h"
#include "warpscope/base/array.h"

void ws_regrouping_finish(struct ws_regrouping *regrouping)
{
    ws_spans_finish(&regrouping->spans);
    ws_path_tree_finish(&regrouping->shaders);
    ws_id_map_finish(&regrouping->visits_at);
    free(regrouping->visits);
    free(regrouping->befores);
    free(regrouping->tails);
    memset(regrouping, 0, sizeof(*regrouping));
}

/* Adds the visits; `numbers` receives the number of each. */
static bool add_visits(struct ws_regrouping *regrouping, const struct ws_reorder_threads *part,
                       uint32_t *numbers)
{
    for (uint32_t i = 0; i < part->visit_count; ++i) {
        const struct ws_reorder_visit *visit = &part->visits[i];
        const uint64_t key = ws_walk_mix(visit->site, visit->name + visit->size);
        if (ws_id_map_get(&regrouping->visits_at, key, &numbers[i])) {
            regrouping->visits[numbers[i]].calls += visit->calls;
            regrouping->visits[numbers[i]].joined += visit->joined;
            continue;
        }
        struct ws_reorder_visit *visits = ws_array_grow(regrouping->visits, &regrouping->visit_capacity,
                                                        regrouping->visit_count + 1, sizeof(*visits));
        if (visits == NULL)
            return false;
        regrouping->visits = visits;
        numbers[i] = regrouping->visit_count;
        visits[numbers[i]] = *visit;
        if (!ws_id_map_put(&regrouping->visits_at, key, regrouping->visit_count++))
            return false;
    }
    return true;
}

/* Moves the tails of a part behind those that are there. */
static bool add_tails(struct ws_regrouping *regrouping, struct ws_reorder_threads *part)
{
    if (regrouping->tail_count == 0) {
        free(regrouping->tails);
        regrouping->tails = part->tails;
        regrouping->tail_count = part->tail_count;
        regrouping->tail_capacity = part->tail_capacity;
        part->tails = NULL;
    } else {
        if (part->tail_count > UINT32_MAX - regrouping->tail_count)
            return false;
        struct ws_reorder_tail *tails =
            ws_array_grow(regrouping->tails, &regrouping->tail_capacity,
                          regrouping->tail_count + part->tail_count, sizeof(*tails));
        if (tails == NULL)
            return false;
        regrouping->tails = tails;
        if (part->tail_count > 0)
            memcpy(tails + regrouping->tail_count, part->tails, part->tail_count * sizeof(*tails));
        regrouping->tail_count += part->tail_count;
    }
    free(part->tails);
    part->tails = NULL;
    part->tail_count = 0;
    part->tail_capacity = 0;
    return true;
}

/* Adds the befores of a part. */
static bool add_befores(struct ws_regrouping *regrouping, struct ws_befores *from)
{
    if (!ws_before_settle(from))
        return false;
    struct ws_reorder_before *befores =
        ws_array_grow(regrouping->befores, &regrouping->before_capacity,
                      regrouping->before_count + from->count, sizeof(*befores));
    if (befores == NULL)
        return false;
    regrouping->befores = befores;
    if (from->count > 0)
        memcpy(befores + regrouping->before_count, from->befores, from->count * sizeof(*befores));
    regrouping->before_count += from->count;
    return true;
}

bool ws_regrouping_add(struct ws_regrouping *regrouping, struct ws_reorder_threads *part)
{
    uint32_t *visits = malloc(((size_t)part->visit_count + 1) * sizeof(*visits));
    uint32_t *keys = ws_path_tree_translate(&regrouping->shaders, &part->shaders);
    regrouping->spans.catalog = regrouping->catalog;
    uint32_t *paths = ws_spans_translate(&regrouping->spans, &part->spans);
    bool added = visits != NULL && paths != NULL && keys != NULL && add_visits(regrouping, part, visits) &&
                 add_befores(regrouping, &part->befores);
    for (uint32_t i = 0; added && i < part->tail_count; ++i) {
        struct ws_reorder_tail *tail = &part->tails[i];
        tail->visit = visits[tail->visit];
        tail->path = paths[tail->path];
        tail->key = keys[tail->key];
    }
    added = added && add_tails(regrouping, part);
    regrouping->lost += part->lost + part->befores.lost;
    free(visits);
    free(paths);
    free(keys);
    return added;
}
