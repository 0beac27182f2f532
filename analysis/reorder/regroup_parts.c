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
    for (uint32_t i = 0; i < regrouping->part_count; ++i) {
        ws_tails_finish(&regrouping->parts[i].tails);
        free(regrouping->parts[i].paths);
        free(regrouping->parts[i].keys);
    }
    free(regrouping->parts);
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
            regrouping->visits[numbers[i]].threads += visit->threads;
            regrouping->visits[numbers[i]].words += visit->words;
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

/* Moves the tails of a part here, with numbers of the launch for those of its visits, paths and shaders: paths and keys are
 * freed with them. False when there is no memory. */
static bool add_tails(struct ws_regrouping *regrouping, struct ws_reorder_threads *part,
                      const uint32_t *visits, uint32_t *paths, uint32_t *keys)
{
    struct ws_regrouping_tails *parts = ws_array_grow(regrouping->parts, &regrouping->part_capacity,
                                                      regrouping->part_count + 1, sizeof(*parts));
    if (parts == NULL || !ws_tails_end(&part->tails, part->visit_count)) {
        regrouping->parts = parts != NULL ? parts : regrouping->parts;
        free(paths);
        free(keys);
        return false;
    }
    regrouping->parts = parts;
    parts += regrouping->part_count++;
    *parts = (struct ws_regrouping_tails){part->tails, paths, keys};
    part->tails = (struct ws_tails){.words = NULL};
    for (uint32_t i = 0; i < parts->tails.run_count; ++i)
        parts->tails.runs[i].visit = visits[parts->tails.runs[i].visit];
    return true;
}

/* Adds the befores of a part. */
static bool add_befores(struct ws_regrouping *regrouping, const struct ws_befores *from)
{
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
    regrouping->followed += part->followed;
    regrouping->followed_most = part->followed_most;
    if (ws_regrouping_turns_end(regrouping)) {
        ws_reorder_threads_finish(part);
        return true;
    }
    uint32_t *visits = malloc(((size_t)part->visit_count + 1) * sizeof(*visits));
    uint32_t *keys = ws_path_tree_translate(&regrouping->shaders, &part->shaders);
    regrouping->spans.catalog = regrouping->catalog;
    uint32_t *paths = ws_spans_translate(&regrouping->spans, &part->spans);
    bool added = visits != NULL && paths != NULL && keys != NULL && add_visits(regrouping, part, visits) &&
                 add_befores(regrouping, &part->befores);
    regrouping->lost += part->lost + part->befores.lost;
    if (added) {
        added = add_tails(regrouping, part, visits, paths, keys);
    } else {
        free(paths);
        free(keys);
    }
    free(visits);
    ws_reorder_threads_finish(part);
    return added;
}
