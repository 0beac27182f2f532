#include "analysis/reorder/reorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/payload_rows.h"
#include "warpscope/base/arena.h"
#include "warpscope/base/array.h"
#include "warpscope/code/liveness.h"
#include "warpscope/passes.h"

#define PLACE_SIZE 512

static void *part_create(const void *pointer, const struct ws_launch_record *launch)
{
    const struct ws_reorder_results *results = pointer;
    struct ws_reorder_threads *part = calloc(1, sizeof(*part));
    (void)launch;
    if (part == NULL)
        return NULL;
    part->catalog = results->catalog;
    part->nests = results->nests;
    part->partings = results->partings;
    part->nest_count = results->nest_count;
    part->user = results->user;
    part->hits_user = results->hits_user;
    part->payloads_user = results->payloads_user;
    part->spans.catalog = results->catalog;
    part->growing.spans = &part->spans;
    part->followed_most = results->followed_most;
    return part;
}

static void part_destroy(void *part)
{
    if (part == NULL)
        return;
    ws_reorder_threads_finish(part);
    free(part);
}

static bool enter(void *part, struct ws_context *context, const struct ws_thread *threads)
{
    (void)threads;
    return ws_reorder_threads_enter(part, context);
}

static bool move(void *part, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                 uint32_t lane)
{
    return ws_reorder_threads_move(part, from, from_lane, context, lane);
}

static bool place(void *part, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    return ws_reorder_threads_place(part, context, place, lanes);
}

static bool alike(void *part, struct ws_context *context, const struct ws_replay_turn *places, uint32_t count,
                  uint64_t turns)
{
    return ws_reorder_threads_alike(part, context, places, count, turns);
}

static bool sum(void *part, struct ws_context *context, const struct ws_replay_place *place,
                const struct ws_replay_sum *sum)
{
    return ws_reorder_threads_sum(part, context, place, sum);
}

/* Threads of shaders that trace, or part in ways that are looked at, are followed in their order. */
static bool adds_up(const void *pointer, uint32_t shader)
{
    const struct ws_reorder_results *results = pointer;
    const struct ws_shader_record *record = &results->catalog->shaders[shader];
    return (record->stage & WS_STAGES_RAY_TRACING) == 0 &&
           (record->stage != WS_STAGE_COMPUTE || record->module >= results->nest_count ||
            results->partings[record->module].count == 0);
}

static bool leave(void *part, struct ws_context *context, struct ws_lanes lanes)
{
    return ws_reorder_threads_leave(part, context, lanes);
}

static bool close_context(void *part, struct ws_context *context)
{
    return ws_reorder_threads_close(part, context);
}

static bool merge(void *pointer, void *part, const struct ws_replay_threads *threads)
{
    struct ws_reorder_results *results = pointer;
    (void)threads;
    for (struct ws_reorder_results *told = results; told != NULL; told = told->next)
        told->slots += ((const struct ws_reorder_threads *)part)->slots;
    results->regrouping.catalog = results->catalog;
    return ws_regrouping_add(&results->regrouping, part);
}

struct ws_reorder_results *ws_reorder_owner(const struct ws_reorder_results *results)
{
    return results->owner != NULL ? results->owner : (struct ws_reorder_results *)results;
}

const struct ws_parting *ws_reorder_parting(const struct ws_reorder_results *results, uint64_t site)
{
    const struct ws_reorder_results *owner = ws_reorder_owner(results);
    const struct ws_shader_record *shader =
        site >> 32 < results->catalog->shader_count ? &results->catalog->shaders[site >> 32] : NULL;
    return shader != NULL && shader->stage == WS_STAGE_COMPUTE && shader->module < owner->nest_count
               ? ws_parting_at(&owner->partings[shader->module], (uint32_t)site)
               : NULL;
}

/* A launch while it is told. */
struct telling {
    struct ws_reorder_results *results; /* the owner */
    const struct ws_launch_record *launch;
};

uint32_t ws_reorder_state(const struct ws_reorder_results *results, uint64_t site)
{
    uint32_t bytes = WS_NONE;
    return ws_id_map_get(&ws_reorder_owner(results)->states, site, &bytes) ? bytes : WS_NONE;
}

/* Finds what is live over the instruction at a word offset: `*bytes`, if it is known. False when there is no memory. */
static bool find_live(const struct ws_shader_code *code, uint32_t offset, uint32_t *bytes)
{
    struct ws_live live = {0};
    uint32_t first = 0;
    uint32_t end = 0;
    ws_code_range(code->code, offset, 1, &first, &end);
    if (first >= end)
        return true;
    struct ws_arena *arena = ws_arena_create();
    const bool found = arena != NULL && ws_live_over(&live, arena, &code->code->module, code->cfgs, first);
    ws_arena_destroy(arena);
    if (found)
        *bytes = live.bytes + live.kept + live.globals;
    return found;
}

/* Finds what is live over a call site, once: what moves with a thread. Where it goes back behind a parting, what is live there
 * is added to that. False when there is no memory. */
static bool find_state(struct ws_reorder_results *results, uint64_t site)
{
    const uint32_t module = results->catalog->shaders[site >> 32].module;
    const struct ws_shader_code *code = NULL;
    const struct ws_parting *parting = ws_reorder_parting(results, site);
    uint32_t bytes = WS_NONE;
    uint32_t behind = 0;
    if (ws_id_map_get(&results->states, site, &bytes))
        return true;
    if (!ws_shader_modules_find(&results->modules, module, &code))
        return false;
    if (code != NULL && !find_live(code, (uint32_t)site, &bytes))
        return false;
    if (code != NULL && parting != NULL && parting->back && parting->merge != WS_NONE &&
        !find_live(code, parting->merge, &behind))
        return false;
    if (bytes != WS_NONE)
        bytes += behind;
    return ws_id_map_put(&results->states, site, bytes);
}

/* Adds figures with the key and window of a sort to the levels that have these; to those that have one of the two, or none,
 * once. At partings the side is called a branch. */
static bool add_sort(struct ws_reorder_results *results, uint64_t *keys, const struct ws_reorder_sort *sort,
                     bool parts, const struct ws_reorder_sums *sums)
{
    const uint32_t by_key = 1u << WS_REORDER_BY_KEY;
    const uint32_t by_window = 1u << WS_REORDER_BY_WINDOW;
    const bool all = sort->window == WS_REORDER_WINDOW_ALL;
    const bool called = sort->key == WS_REORDER_CALLED;
    keys[WS_REORDER_BY_KEY] = parts && called ? WS_REORDER_BRANCH : sort->key;
    keys[WS_REORDER_BY_WINDOW] = sort->window;
    return ws_groups_add_to(results->groups, keys, sums, by_key | by_window, 0) &&
           (!all || ws_groups_add_to(results->groups, keys, sums, by_key, by_window)) &&
           (!called || ws_groups_add_to(results->groups, keys, sums, by_window, by_key)) &&
           (!called || !all || ws_groups_add_to(results->groups, keys, sums, 0, by_key | by_window));
}

/* Counts executions of a called shader, one of regrouped->ran, and those that are apart. */
static void add_apart(struct ws_reorder_results *results, const struct ws_regrouped *regrouped, uint32_t ran)
{
    const uint64_t executions = regrouped->before[ran].executions;
    for (uint32_t i = 0; i < WS_REORDER_SORTS; ++i) {
        const struct ws_reorder_sort *sort = &ws_reorder_sorts[i];
        const uint64_t alone = regrouped->after[(size_t)i * regrouped->shader_count + ran].executions;
        if (sort->key != WS_REORDER_CALLED || sort->window != 0)
            continue;
        results->ran += executions;
        results->apart += executions > alone ? executions - alone : 0;
    }
}

/* Whether a sort has rows of its own: its key is known. The others' columns have it as if it was sorted by shader. At a parting
 * that is the side, as `called` is. */
static bool is_tried(const struct ws_regrouped *regrouped, uint32_t sort)
{
    const uint32_t key = ws_reorder_sort_at(sort, regrouped->parts)->key;
    return regrouped->values[key] > 0 && !(regrouped->parts && key == WS_REORDER_SHADER);
}

/* Slots of no other kind; 0 where records contradict each other. */
static uint64_t rest(uint64_t slots, uint64_t others)
{
    return slots > others ? slots - others : 0;
}

/* Adds the figures of one shader that ran in tails of a call site: one of regrouped->ran. */
static bool add_ran(struct ws_reorder_results *results, uint64_t *keys, const struct ws_regrouped *regrouped,
                    uint32_t ran)
{
    const uint32_t count = regrouped->shader_count;
    const struct ws_reorder_before *before = &regrouped->before[ran];
    struct ws_reorder_sums sums = {.executions = before->executions,
                                   .slots = before->slots,
                                   .active = before->active,
                                   .active_after = before->active_after,
                                   .partial_warp = before->partial_warp,
                                   .indirect_call = before->indirect_call,
                                   .at_calls = regrouped->parts ? 0 : 1};
    bool added = true;
    sums.control_flow = rest(sums.slots, sums.active + sums.partial_warp + sums.indirect_call);
    for (uint32_t key = 0; key < WS_REORDER_KEYS; ++key) {
        /* The first sorts are those of all warps, by key. */
        const struct ws_reorder_after *all = &regrouped->after[(size_t)key * count + ran];
        sums.in_key[key] = all->executions;
        sums.slots_in[key] = all->slots;
    }
    keys[WS_REORDER_BY_RAN] = regrouped->shader_first + ran;
    for (uint32_t i = 0; i < WS_REORDER_SORTS && added; ++i) {
        const struct ws_reorder_after *after = &regrouped->after[(size_t)i * count + ran];
        sums.executions_after = after->executions;
        sums.slots_after = after->slots;
        sums.partial_warp_after = after->partial_warp;
        sums.indirect_call_after = after->indirect_call;
        sums.control_flow_after =
            rest(after->slots, sums.active_after + after->partial_warp + after->indirect_call);
        added = !is_tried(regrouped, i) ||
                add_sort(results, keys, ws_reorder_sort_at(i, regrouped->parts), regrouped->parts, &sums);
    }
    return added;
}

/* The bounce of a row. Of partings the last ones are one: which there are is kept. False when there is no memory. */
static bool bounce_of(struct ws_reorder_results *results, const struct ws_regrouped *regrouped,
                      uint64_t *bounce)
{
    uint32_t highest = WS_REORDER_BOUNCES;
    *bounce = regrouped->bounce;
    if (!regrouped->parts || regrouped->bounce <= WS_REORDER_BOUNCES)
        return true;
    *bounce = WS_REORDER_BOUNCES;
    ws_id_map_get(&results->bounces, regrouped->site, &highest);
    return regrouped->bounce <= highest ||
           ws_id_map_put(&results->bounces, regrouped->site, regrouped->bounce);
}

/* Adds what was found out of a call site to results. */
static bool tell_one(const struct telling *telling, struct ws_reorder_results *results,
                     const struct ws_regrouped *regrouped)
{
    const uint32_t shader = (uint32_t)(regrouped->site >> 32);
    uint64_t keys[WS_REORDER_DIMENSIONS] = {
        [WS_REORDER_BY_LAUNCH] = telling->launch->index,
        [WS_REORDER_BY_STAGE] = ws_key_stage(results->catalog->shaders[shader].stage),
        [WS_REORDER_BY_SHADER] = shader,
        [WS_REORDER_BY_SITE] = regrouped->site,
        [WS_REORDER_BY_RAN] = WS_KEY_NONE,
    };
    struct ws_reorder_sums sums = {.visits = regrouped->visits,
                                   .calls = regrouped->calls,
                                   .joined = regrouped->joined,
                                   .at_calls = regrouped->parts ? 0 : 1};
    if (!ws_selection_runs(results->selection, telling->launch->index, shader))
        return true;
    if (!bounce_of(results, regrouped, &keys[WS_REORDER_BY_BOUNCE]))
        return false;
    results->called = results->called || !regrouped->parts;
    const uint32_t state = ws_reorder_state(results, regrouped->site);
    if (state != WS_NONE)
        sums.moved = regrouped->visits * 2 * state;
    if (state != WS_NONE)
        sums.cost = regrouped->visits * (WS_REORDER_SORT_SLOTS + 2 * (((uint64_t)state + 3) / 4));
    bool told = true;
    for (uint32_t i = 0; i < WS_REORDER_SORTS && told; ++i) {
        sums.values = i < WS_REORDER_KEYS ? regrouped->values[i] : 0;
        sums.launches = regrouped->launches[i];
        told = !is_tried(regrouped, i) ||
               add_sort(results, keys, ws_reorder_sort_at(i, regrouped->parts), regrouped->parts, &sums);
    }
    for (uint32_t i = 0; i < regrouped->ran_count && told; ++i) {
        const uint32_t ran = regrouped->ran[i];
        if (regrouped->before[ran].active_after > 0 || regrouped->before[ran].executions > 0) {
            told = add_ran(results, keys, regrouped, ran);
            if (regrouped->shader_first + ran != shader)
                add_apart(results, regrouped, ran);
        }
    }
    return told;
}

/* Finds the names of what is handed over at a call site, once. False when there is no memory. */
static bool find_names(struct ws_reorder_results *results, uint64_t site)
{
    const struct ws_shader_code *code = NULL;
    struct ws_payload payload;
    uint32_t first = 0;
    uint32_t end = 0;
    uint32_t at = 0;
    if (ws_id_map_get(&results->names_at, site, &at))
        return true;
    if (!ws_shader_modules_find(&results->modules, results->catalog->shaders[site >> 32].module, &code))
        return false;
    struct ws_payload_names *names =
        ws_array_grow(results->names, &results->name_capacity, results->name_count + 1, sizeof(*names));
    if (names == NULL)
        return false;
    results->names = names;
    names += results->name_count;
    names->count = 0;
    if (code != NULL)
        ws_code_range(code->code, (uint32_t)site, 1, &first, &end);
    const struct ws_module *module = code != NULL ? &code->code->module : NULL;
    if (first < end && ws_payload_find(&payload, module, &module->instructions[first]))
        for (; names->count < payload.count; ++names->count)
            ws_payload_name(module, &payload, names->count, names->names[names->count],
                            sizeof(names->names[0]));
    return ws_id_map_put(&results->names_at, site, results->name_count++);
}

static bool tell(void *user, const struct ws_regrouped *regrouped)
{
    const struct telling *telling = user;
    bool told = find_state(telling->results, regrouped->site) &&
                (regrouped->values[WS_REORDER_PAYLOAD] == 0 || find_names(telling->results, regrouped->site));
    for (struct ws_reorder_results *to = telling->results; to != NULL && told; to = to->next)
        told = tell_one(telling, to, regrouped);
    return told;
}

static bool finish(void *pointer, const struct ws_replay_threads *threads)
{
    struct ws_reorder_results *results = pointer;
    struct ws_regrouping *regrouping = &results->regrouping;
    struct telling telling = {results, threads->launch};
    const bool turns_end = ws_regrouping_turns_end(regrouping);
    const struct ws_reorder_sums launched = {.truncated = threads->launch->truncated,
                                             .not_followed = turns_end};
    uint64_t keys[WS_REORDER_DIMENSIONS];
    bool stopped = false;
    bool told = true;
    for (uint32_t i = 0; i < WS_REORDER_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    keys[WS_REORDER_BY_LAUNCH] = threads->launch->index;
    regrouping->nests = results->nests;
    regrouping->nest_count = results->nest_count;
    regrouping->choices = &results->choices;
    for (struct ws_reorder_results *to = results; to != NULL && told; to = to->next)
        told = ws_groups_add(to->groups, keys, &launched);
    told = told && (turns_end || ws_regrouping_tell(regrouping, threads, tell, &telling, &stopped));
    for (struct ws_reorder_results *to = results; to != NULL; to = to->next) {
        to->coherent += regrouping->coherent;
        to->even += regrouping->even;
        to->fewer_idle += regrouping->fewer_idle;
        to->lost += turns_end ? 0 : regrouping->lost;
        to->turning += turns_end;
        to->stopped += stopped;
    }
    ws_regrouping_finish(regrouping);
    return told;
}

static void join(void *pointer, void *other)
{
    struct ws_reorder_results *results = pointer;
    struct ws_reorder_results *joins = other;
    joins->owner = results;
    joins->next = results->next;
    results->next = joins;
}

const struct ws_replay_operations ws_reorder_operations = {
    .pass = WS_PASS_DIVERGENCE,
    .create = part_create,
    .destroy = part_destroy,
    .enter = enter,
    .move = move,
    .place = place,
    .sum = sum,
    .adds_up = adds_up,
    .leave = leave,
    .close = close_context,
    .merge = merge,
    .finish = finish,
    .join = join,
    .alike = alike,
};

/* ---- What rays hit, of the pass ray_events. ---- */

static void *hits_create(const void *pointer, const struct ws_launch_record *launch)
{
    const struct ws_reorder_results *results = pointer;
    struct ws_reorder_hits *part = calloc(1, sizeof(*part));
    (void)launch;
    if (part != NULL)
        *part = (struct ws_reorder_hits){.catalog = results->catalog, .user = results->hits_user};
    return part;
}

static void hits_destroy(void *part)
{
    if (part == NULL)
        return;
    ws_reorder_hits_finish(part);
    free(part);
}

static bool hits_data(void *part, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                      const uint32_t *words, uint32_t words_per_lane)
{
    return ws_reorder_hits_data(part, context, site, lanes, words, words_per_lane);
}

static bool hits_enter(void *part, struct ws_context *context, const struct ws_thread *threads)
{
    (void)threads;
    ws_reorder_hits_enter(part, context);
    return true;
}

static bool hits_merge(void *pointer, void *part, const struct ws_replay_threads *threads)
{
    const struct ws_reorder_hits *hits = part;
    (void)threads;
    for (struct ws_reorder_results *to = pointer; to != NULL; to = to->next) {
        to->rays = to->rays || hits->rows.count > 0;
        to->lost_rays += hits->rows.lost;
    }
    return true;
}

/* The first of several results has the rays, and what is handed over. */
static void heard_join(void *results, void *other)
{
    (void)results;
    (void)other;
}

static const struct ws_replay_operations hits_operations = {
    .pass = WS_PASS_RAY_EVENTS,
    .create = hits_create,
    .destroy = hits_destroy,
    .enter = hits_enter,
    .data = hits_data,
    .merge = hits_merge,
    .join = heard_join,
};

/* ---- What is handed over, of the pass payloads: likewise. ---- */

static void *payloads_create(const void *pointer, const struct ws_launch_record *launch)
{
    const struct ws_reorder_results *results = pointer;
    struct ws_payload_rows *part = calloc(1, sizeof(*part));
    (void)launch;
    if (part != NULL)
        *part = (struct ws_payload_rows){.catalog = results->catalog, .user = results->payloads_user};
    return part;
}

static void payloads_destroy(void *part)
{
    if (part == NULL)
        return;
    ws_payload_rows_finish(part);
    free(part);
}

static bool payloads_data(void *part, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                          const uint32_t *words, uint32_t words_per_lane)
{
    return ws_payload_rows_data(part, context, site, lanes, words, words_per_lane);
}

static bool payloads_enter(void *part, struct ws_context *context, const struct ws_thread *threads)
{
    (void)threads;
    ws_payload_rows_enter(part, context);
    return true;
}

static bool payloads_merge(void *pointer, void *part, const struct ws_replay_threads *threads)
{
    const struct ws_payload_rows *payloads = part;
    (void)threads;
    for (struct ws_reorder_results *to = pointer; to != NULL; to = to->next) {
        to->handed = to->handed || payloads->rows.count > 0;
        to->lost_payloads += payloads->rows.lost;
    }
    return true;
}

static const struct ws_replay_operations payloads_operations = {
    .pass = WS_PASS_PAYLOADS,
    .create = payloads_create,
    .destroy = payloads_destroy,
    .enter = payloads_enter,
    .data = payloads_data,
    .merge = payloads_merge,
    .join = heard_join,
};

bool ws_reorder_hear(void *pointer, struct ws_replay *replay)
{
    struct ws_reorder_results *results = pointer;
    return ws_replay_add(replay, &hits_operations, results, &results->hits_user) &&
           ws_replay_add(replay, &payloads_operations, results, &results->payloads_user);
}

/* Makes the loop nest, and finds the partings, of a module whose blocks are known now. */
static bool add_nest(struct ws_reorder_results *results, uint32_t module)
{
    const struct ws_catalog *catalog = results->catalog;
    const struct ws_module_record *record = &catalog->modules[module];
    const struct ws_shader_code *code = NULL;
    struct ws_loop_nest *nests = ws_catalog_follow(results->nests, results->nest_count, catalog->module_count,
                                                   catalog->module_capacity, sizeof(*nests));
    results->nests = nests != NULL ? nests : results->nests;
    struct ws_partings *partings =
        nests != NULL ? ws_catalog_follow(results->partings, results->nest_count, catalog->module_count,
                                          catalog->module_capacity, sizeof(*partings))
                      : NULL;
    if (partings == NULL)
        return false;
    results->partings = partings;
    results->nest_count = catalog->module_count;
    if (nests[module].blocks != NULL)
        return true;
    return ws_shader_modules_find(&results->modules, module, &code) &&
           ws_partings_init(&partings[module], record, code) &&
           ws_loop_nest_init(&nests[module], record, code);
}

bool ws_reorder_record(struct ws_reorder_results *results, const struct ws_chunk *chunk)
{
    if (results->owner != NULL)
        return true;
    bool recorded = ws_shader_modules_record(&results->modules, results->catalog, chunk);
    if (recorded && chunk->type == WS_CHUNK_SITES) {
        const uint32_t module = ws_catalog_module(results->catalog, chunk->sites.module);
        recorded = module == WS_NONE || add_nest(results, module);
    }
    return recorded;
}

static bool record(void *pointer, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_reorder_record(pointer, chunk) || ws_error_set(error, "no memory for the loops of shaders");
}

void ws_reorder_destroy(struct ws_reorder_results *results)
{
    if (results == NULL)
        return;
    for (uint32_t i = 0; i < results->nest_count; ++i) {
        ws_loop_nest_finish(&results->nests[i]);
        ws_partings_finish(&results->partings[i]);
    }
    free(results->nests);
    free(results->partings);
    ws_shader_modules_finish(&results->modules);
    ws_regrouping_finish(&results->regrouping);
    ws_id_map_finish(&results->states);
    ws_id_map_finish(&results->bounces);
    free(results->names);
    ws_id_map_finish(&results->names_at);
    ws_reorder_choices_finish(&results->choices);
    ws_groups_destroy(results->groups);
    free(results);
}

struct ws_reorder_results *ws_reorder_create(const struct ws_catalog *catalog,
                                             const struct ws_selection *selection, const struct ws_view *view,
                                             struct ws_error *error)
{
    struct ws_reorder_results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->selection = selection;
    results->hits_user = WS_CONTEXT_USERS;
    results->payloads_user = WS_CONTEXT_USERS;
    results->followed_most = WS_REORDER_TURNS_MAX;
    results->groups = ws_groups_create(&ws_reorder_columns, catalog, results, view, error);
    if (results->groups != NULL)
        return results;
    free(results);
    return NULL;
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_reorder_results *results =
        ws_reorder_create(catalog, options->selection, &options->view, error);
    if (results != NULL)
        results->worth = options->worth;
    return results;
}

static void destroy(void *results)
{
    ws_reorder_destroy(results);
}

void ws_reorder_branch_place(const struct ws_reorder_results *results, const struct ws_branch *branch,
                             char *text, size_t size)
{
    const uint32_t module = results->catalog->shaders[branch->shader].module;
    const struct ws_block_record *block = &results->catalog->modules[module].blocks[branch->block];
    const struct ws_shader_code *code = NULL;
    struct ws_shader_run run = {.catalog = results->catalog, .shader = branch->shader};
    uint32_t first = 0;
    uint32_t end = 0;
    snprintf(text, size, "word %" PRIu32, block->info.offset);
    if (!ws_shader_modules_find(&ws_reorder_owner(results)->modules, module, &code) || code == NULL)
        return;
    run.code = code;
    ws_code_range(code->code, block->info.offset, 1, &first, &end);
    const struct ws_module *parsed = &code->code->module;
    for (uint32_t i = 0; i < parsed->block_count && first < end; ++i)
        if (parsed->blocks[i].first == first)
            ws_shader_run_place(&run, branch->turns ? first : parsed->blocks[i].end - 1, text, size);
}

/* The bits that a key of them sorts by; NULL = it is no such key, or nothing was looked for. */
static const struct ws_reorder_bits *bits_of(const struct ws_reorder_results *results, uint64_t site,
                                             uint64_t key)
{
    const struct ws_reorder_choice *choice =
        ws_reorder_choice_at(&ws_reorder_owner(results)->choices, site, false);
    if (choice == NULL || (key != WS_REORDER_HIT && key != WS_REORDER_PAYLOAD))
        return NULL;
    return key == WS_REORDER_HIT ? &choice->hit : &choice->payload;
}

uint32_t ws_reorder_bits_found(const struct ws_reorder_results *results, uint64_t site, uint64_t key)
{
    const struct ws_reorder_bits *bits = bits_of(results, site, key);
    return bits != NULL ? ws_reorder_bits_count(bits) : 0;
}

void ws_reorder_by(const struct ws_reorder_results *results, uint64_t site, uint64_t key, char *text,
                   size_t size)
{
    const struct ws_reorder_results *owner = ws_reorder_owner(results);
    const struct ws_reorder_choice *choice =
        ws_reorder_choice_at(&ws_reorder_owner(results)->choices, site, false);
    const struct ws_reorder_bits *bits = bits_of(results, site, key);
    char place[PLACE_SIZE];
    uint32_t names = 0;
    text[0] = '\0';
    if (bits != NULL) {
        const bool named = ws_id_map_get(&owner->names_at, site, &names);
        ws_reorder_bits_text(bits, named ? &owner->names[names] : NULL, text, size);
    }
    if (choice == NULL || key != WS_REORDER_BRANCH || !choice->parts)
        return;
    ws_reorder_branch_place(results, &choice->branch, place, sizeof(place));
    snprintf(text, size, "%s at %s", choice->branch.turns ? "turns of the loop" : "branch", place);
}

static const struct ws_groups *groups_of(const void *pointer)
{
    const struct ws_reorder_results *results = pointer;
    return results->groups;
}

static void attach(void *pointer, uint32_t user)
{
    struct ws_reorder_results *results = pointer;
    results->user = user;
}

static const char *const passes[] = {
    "divergence", NULL}; /* of ray_events what rays hit, of payloads what is handed over, if there is that */

const struct ws_analysis ws_analysis_reorder = {
    .name = "reorder",
    .summary = "what warps would execute if threads were sorted where they trace rays, run callables or part "
               "in compute",
    .answers = "what sorting threads at rays, callables, branches and loops of compute would save",
    .passes = passes,
    .columns = &ws_reorder_columns,
    .words = ws_reorder_words,
    .create = create,
    .destroy = destroy,
    .replay = &ws_reorder_operations,
    .record = record,
    .attach = attach,
    .hear = ws_reorder_hear,
    .groups = groups_of,
    .findings = ws_reorder_findings,
    .nothing = ws_reorder_nothing,
    .text = ws_reorder_text,
    .notes = ws_reorder_notes,
};
