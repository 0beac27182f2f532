#include "tests/model/figures/compare_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A figure of a block, or of a call site. */
static bool same(const char *what, uint32_t shader, uint32_t at, uint64_t found, uint64_t expected)
{
    if (found != expected)
        printf("%s of shader %u, %u: %" PRIu64 ", expected %" PRIu64 "\n", what, shader, at, found, expected);
    return found == expected;
}

static bool same_slots(uint32_t shader, uint32_t block, const struct ws_divergence_counts *found,
                       const struct model_slots *expected)
{
    bool agrees = same("block executions", shader, block, found->executions, expected->executions);
    agrees = same("slots", shader, block, found->slots, expected->slots) && agrees;
    agrees = same("active slots", shader, block, found->active, expected->active) && agrees;
    agrees = same("early return", shader, block, found->early_return, expected->early_return) && agrees;
    agrees = same("indirect call", shader, block, found->indirect_call, expected->indirect_call) && agrees;
    agrees = same("control flow", shader, block, found->control_flow, expected->control_flow) && agrees;
    agrees = same("partial warp", shader, block, found->partial_warp + found->helper_lane,
                  expected->partial_warp) &&
             agrees;
    return same("regrouped slots", shader, block, found->apart, expected->apart) && agrees;
}

bool model_compare_divergence(const struct ws_divergence_results *results, const struct model_warps *warps,
                              const struct model_module *modules, const struct model_naive *naive)
{
    static const struct ws_divergence_counts nothing;
    bool agrees = true;
    for (uint32_t s = 0; s < warps->program->shader_count; s++) {
        for (uint32_t i = 0; i < warps->program->shaders[s].block_count * MODEL_PARTS; i++) {
            const uint32_t block = i / MODEL_PARTS, part = i % MODEL_PARTS;
            const uint32_t index = modules[s].places[block].parts[part].index;
            const struct ws_divergence_counts *found =
                index != MODEL_NONE ? ws_divergence_block(results, warps->first_shader + s, index) : NULL;
            agrees = same_slots(s, block, found != NULL ? found : &nothing, &naive->slots[s][block][part]) &&
                     agrees;
        }
    }
    return agrees;
}

static uint32_t offset_of(const struct model_module *module, const struct model_place_of *place)
{
    return module->places[place->block].action_offset[place->action];
}

/* Whether a slot of a plan is the model's: the same calls on the way to the same call site. */
static bool is_slot(const struct ws_compaction_plan_module *plan, const struct ws_compaction_plan_slot *slot,
                    uint32_t entry, const struct model_module *module, const struct model_slot *expected)
{
    const struct ws_compaction_plan_entry *self = &plan->entries[entry];
    uint32_t at = expected->way_count - 1;
    if (plan->places[slot->place].offset != offset_of(module, &expected->way[at]))
        return false;
    for (uint32_t scope = slot->scope; scope != WS_NONE; scope = self->scopes[scope].parent) {
        if (self->scopes[scope].call == WS_NONE)
            continue;
        if (at == 0 ||
            plan->places[self->scopes[scope].call].offset != offset_of(module, &expected->way[--at]))
            return false;
    }
    return at == 0;
}

/* The model's slot of a site; MODEL_NONE. */
static uint32_t find_slot(const struct ws_compaction_results *results, const struct ws_compaction_site *site,
                          const struct model_warps *warps, const struct model_module *modules,
                          const struct model_visits *visits)
{
    const uint32_t self = site->shader - warps->first_shader; /* of the program */
    const struct ws_shader_record *shader = &results->catalog->shaders[site->shader];
    const struct ws_compaction_plan_module *plan = results->catalog->modules[shader->module].compaction;
    const struct ws_compaction_plan_slot *slot = &plan->entries[shader->entry].slots[site->slot];
    for (uint32_t i = 0; i < visits->slot_count; i++)
        if (visits->slots[i].shader == self &&
            is_slot(plan, slot, shader->entry, &modules[self], &visits->slots[i]))
            return i;
    return MODEL_NONE;
}

/* Each path of the site must have been taken by as many threads of the model. */
static bool compare_paths(const struct ws_compaction_results *results, uint32_t site, uint32_t shader,
                          uint32_t slot, const struct model_visits *visits)
{
    uint32_t count = 0;
    const struct ws_path_count *paths = ws_compaction_paths(results, site, &count);
    char *expected[MODEL_THREADS] = {NULL};
    bool agrees = true;
    uint32_t different = 0;
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        bool is_new = model_set_has(&visits->entered[shader], t);
        expected[t] = is_new ? model_visits_path(visits, slot, t) : NULL;
        for (uint32_t other = 0; other < t && is_new; other++)
            is_new = expected[other] == NULL || strcmp(expected[other], expected[t]) != 0;
        different += is_new;
    }
    agrees = same("different paths", shader, slot, count, different);
    for (uint32_t i = 0; i < count; i++) {
        char *text = ws_path_text(&results->tree, (uint32_t)paths[i].key, UINT32_MAX);
        uint64_t threads = 0;
        for (uint32_t t = 0; t < MODEL_THREADS; t++)
            threads += expected[t] != NULL && strcmp(expected[t], text) == 0;
        if (threads != paths[i].count) {
            printf("path %s of shader %u, %u: %" PRIu64 " threads, expected %" PRIu64 "\n", text, shader,
                   slot, paths[i].count, threads);
            agrees = false;
        }
        free(text);
    }
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        if (expected[t] != NULL && !agrees)
            printf("thread %u: %s\n", t, expected[t]);
        free(expected[t]);
    }
    return agrees;
}

static bool compare_site(const struct ws_compaction_results *results, uint32_t index,
                         const struct model_warps *warps, uint32_t slot, const struct model_visits *visits)
{
    const struct ws_compaction_site *site = &results->sites[index];
    const struct ws_compaction_figures *figures = &site->figures;
    const uint32_t shader = site->shader - warps->first_shader;
    uint64_t active = 0, entered = 0;
    for (uint32_t i = 0; i < visits->taken_count; i++)
        active += visits->taken[i].slot == slot;
    for (uint32_t t = 0; t < MODEL_THREADS; t++)
        entered += model_set_has(&visits->entered[shader], t);
    bool agrees = same("active threads", shader, slot, figures->active, active);
    agrees = same("threads", shader, slot, figures->threads, entered) && agrees;
    for (uint32_t w = 0; w < WS_WINDOWS; w++) {
        const uint64_t window = w == WS_WINDOW_ALL ? MODEL_THREADS : (uint64_t)1 << w;
        agrees = same("required warps", shader, slot, figures->windows.required[w],
                      model_visits_required(visits, warps, slot, window)) &&
                 agrees;
    }
    return compare_paths(results, index, shader, slot, visits) && agrees;
}

bool model_compare_compaction(const struct ws_compaction_results *results, const struct model_warps *warps,
                              const struct model_module *modules, const struct model_visits *visits)
{
    bool found[MODEL_SLOTS] = {false};
    bool agrees = true;
    for (uint32_t i = 0; i < results->site_count; i++) {
        const uint32_t slot = find_slot(results, &results->sites[i], warps, modules, visits);
        if (slot == MODEL_NONE || found[slot]) {
            printf("call site %u of shader %u is none of the program's\n", results->sites[i].slot,
                   results->sites[i].shader);
            return false;
        }
        found[slot] = true;
        agrees = compare_site(results, i, warps, slot, visits) && agrees;
    }
    for (uint32_t i = 0; i < visits->slot_count; i++) {
        const bool ran = !model_set_is_empty(&visits->entered[visits->slots[i].shader]);
        if (ran && !found[i]) {
            printf("call site %u of shader %u is missing\n", i, visits->slots[i].shader);
            agrees = false;
        }
    }
    return agrees;
}
