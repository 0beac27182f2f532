#include "analysis/reorder/reorder.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/arena.h"
#include "warpscope/code/liveness.h"
#include "warpscope/passes.h"

static void *part_create(const void *pointer, const struct ws_launch_record *launch)
{
    const struct ws_reorder_results *results = pointer;
    struct ws_reorder_threads *part = calloc(1, sizeof(*part));
    (void)launch;
    if (part == NULL)
        return NULL;
    part->catalog = results->catalog;
    part->nests = results->nests;
    part->nest_count = results->nest_count;
    part->user = results->user;
    part->spans.catalog = results->catalog;
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
    results->slots += ((const struct ws_reorder_threads *)part)->slots;
    results->regrouping.catalog = results->catalog;
    return ws_regrouping_add(&results->regrouping, part);
}

/* A launch while it is told. */
struct telling {
    struct ws_reorder_results *results;
    const struct ws_launch_record *launch;
};

uint32_t ws_reorder_state(const struct ws_reorder_results *results, uint64_t site)
{
    uint32_t bytes = WS_NONE;
    return ws_id_map_get(&results->states, site, &bytes) ? bytes : WS_NONE;
}

/* Finds what is live over a call site, once. False when there is no memory. */
static bool find_state(struct ws_reorder_results *results, uint64_t site)
{
    const uint32_t module = results->catalog->shaders[site >> 32].module;
    const struct ws_shader_code *code = NULL;
    struct ws_live live = {0};
    uint32_t first = 0;
    uint32_t end = 0;
    uint32_t bytes = WS_NONE;
    if (ws_id_map_get(&results->states, site, &bytes))
        return true;
    if (!ws_shader_modules_find(&results->modules, module, &code))
        return false;
    if (code != NULL)
        ws_code_range(code->code, (uint32_t)site, 1, &first, &end);
    if (first < end) {
        struct ws_arena *arena = ws_arena_create();
        const bool found =
            arena != NULL && ws_live_over(&live, arena, &code->code->module, code->cfgs, first);
        ws_arena_destroy(arena);
        if (!found)
            return false;
        bytes = live.bytes + live.kept + live.globals;
    }
    return ws_id_map_put(&results->states, site, bytes);
}

/* Adds figures with the key and window of a sort to the levels that have these; to those that have one of the two, or none,
 * once. */
static bool add_sort(struct ws_reorder_results *results, uint64_t *keys, const struct ws_reorder_sort *sort,
                     const struct ws_reorder_sums *sums)
{
    const uint32_t by_key = 1u << WS_REORDER_BY_KEY;
    const uint32_t by_window = 1u << WS_REORDER_BY_WINDOW;
    const bool all = sort->window == WS_REORDER_WINDOW_ALL;
    const bool called = sort->key == WS_REORDER_CALLED;
    keys[WS_REORDER_BY_KEY] = sort->key;
    keys[WS_REORDER_BY_WINDOW] = sort->window;
    return ws_groups_add_to(results->groups, keys, sums, by_key | by_window, 0) &&
           (!all || ws_groups_add_to(results->groups, keys, sums, by_key, by_window)) &&
           (!called || ws_groups_add_to(results->groups, keys, sums, by_window, by_key)) &&
           (!called || !all || ws_groups_add_to(results->groups, keys, sums, 0, by_key | by_window));
}

/* Counts executions of a called shader, and those that are apart. */
static void add_apart(struct ws_reorder_results *results, const struct ws_regrouped *regrouped, uint32_t ran)
{
    const uint64_t executions = regrouped->before[ran].executions;
    for (uint32_t i = 0; i < WS_REORDER_SORTS; ++i) {
        const struct ws_reorder_sort *sort = &ws_reorder_sorts[i];
        const uint64_t alone = regrouped->after[(size_t)i * results->catalog->shader_count + ran].executions;
        if (sort->key != WS_REORDER_CALLED || sort->window != 0)
            continue;
        results->ran += executions;
        results->apart += executions > alone ? executions - alone : 0;
    }
}

/* Adds the figures of one shader that ran in tails of a call site. */
static bool add_ran(struct ws_reorder_results *results, uint64_t *keys, const struct ws_regrouped *regrouped,
                    uint32_t ran)
{
    const uint32_t count = results->catalog->shader_count;
    const struct ws_reorder_before *before = &regrouped->before[ran];
    struct ws_reorder_sums sums = {.executions = before->executions,
                                   .slots = before->slots,
                                   .active = before->active,
                                   .active_after = before->active_after};
    bool added = true;
    for (uint32_t key = 0; key < WS_REORDER_KEYS; ++key) {
        /* The first sorts are those of all warps, by key. */
        const struct ws_reorder_after *all = &regrouped->after[(size_t)key * count + ran];
        sums.in_key[key] = all->executions;
        sums.slots_in[key] = all->slots;
    }
    keys[WS_REORDER_BY_RAN] = ran;
    for (uint32_t i = 0; i < WS_REORDER_SORTS && added; ++i) {
        sums.executions_after = regrouped->after[(size_t)i * count + ran].executions;
        sums.slots_after = regrouped->after[(size_t)i * count + ran].slots;
        added = add_sort(results, keys, &ws_reorder_sorts[i], &sums);
    }
    return added;
}

static bool tell(void *user, const struct ws_regrouped *regrouped)
{
    const struct telling *telling = user;
    struct ws_reorder_results *results = telling->results;
    const uint32_t shader = (uint32_t)(regrouped->site >> 32);
    uint64_t keys[WS_REORDER_DIMENSIONS] = {
        [WS_REORDER_BY_LAUNCH] = telling->launch->index,
        [WS_REORDER_BY_STAGE] = ws_key_stage(results->catalog->shaders[shader].stage),
        [WS_REORDER_BY_SHADER] = shader,
        [WS_REORDER_BY_SITE] = regrouped->site,
        [WS_REORDER_BY_BOUNCE] = regrouped->bounce,
        [WS_REORDER_BY_RAN] = WS_KEY_NONE,
    };
    struct ws_reorder_sums sums = {.visits = regrouped->visits, .calls = regrouped->calls};
    if (!ws_selection_runs(results->selection, telling->launch->index, shader))
        return true;
    if (!find_state(results, regrouped->site))
        return false;
    const uint32_t state = ws_reorder_state(results, regrouped->site);
    if (state != WS_NONE)
        sums.cost = regrouped->visits * (WS_REORDER_SORT_SLOTS + 2 * (((uint64_t)state + 3) / 4));
    bool told = true;
    for (uint32_t i = 0; i < WS_REORDER_SORTS && told; ++i) {
        sums.values = i < WS_REORDER_KEYS ? regrouped->values[i] : 0;
        told = add_sort(results, keys, &ws_reorder_sorts[i], &sums);
    }
    for (uint32_t ran = 0; ran < results->catalog->shader_count && told; ++ran)
        if (regrouped->before[ran].active_after > 0 || regrouped->before[ran].executions > 0) {
            told = add_ran(results, keys, regrouped, ran);
            if (ran != shader)
                add_apart(results, regrouped, ran);
        }
    return told;
}

static bool finish(void *pointer, const struct ws_replay_threads *threads)
{
    struct ws_reorder_results *results = pointer;
    struct telling telling = {results, threads->launch};
    const struct ws_reorder_sums launched = {.truncated = threads->launch->truncated};
    uint64_t keys[WS_REORDER_DIMENSIONS];
    bool stopped = false;
    for (uint32_t i = 0; i < WS_REORDER_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    keys[WS_REORDER_BY_LAUNCH] = threads->launch->index;
    const bool told = ws_groups_add(results->groups, keys, &launched) &&
                      ws_regrouping_tell(&results->regrouping, threads, tell, &telling, &stopped);
    results->lost += results->regrouping.lost;
    results->stopped += stopped;
    ws_regrouping_finish(&results->regrouping);
    return told;
}

const struct ws_replay_operations ws_reorder_operations = {
    .pass = WS_PASS_DIVERGENCE,
    .create = part_create,
    .destroy = part_destroy,
    .enter = enter,
    .move = move,
    .place = place,
    .leave = leave,
    .close = close_context,
    .merge = merge,
    .finish = finish,
};

/* Makes the loop nest of a module whose blocks are known now. */
static bool add_nest(struct ws_reorder_results *results, uint32_t module)
{
    const struct ws_shader_code *code = NULL;
    struct ws_loop_nest *nests =
        ws_catalog_follow(results->nests, results->nest_count, results->catalog->module_count,
                          results->catalog->module_capacity, sizeof(*nests));
    if (nests == NULL)
        return false;
    results->nests = nests;
    results->nest_count = results->catalog->module_count;
    return nests[module].blocks != NULL ||
           (ws_shader_modules_find(&results->modules, module, &code) &&
            ws_loop_nest_init(&nests[module], &results->catalog->modules[module], code));
}

static bool record(void *pointer, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct ws_reorder_results *results = pointer;
    bool recorded = ws_shader_modules_record(&results->modules, results->catalog, chunk);
    if (recorded && chunk->type == WS_CHUNK_SITES) {
        const uint32_t module = ws_catalog_module(results->catalog, chunk->sites.module);
        recorded = module == WS_NONE || add_nest(results, module);
    }
    return recorded || ws_error_set(error, "no memory for the loops of shaders");
}

static void destroy(void *pointer)
{
    struct ws_reorder_results *results = pointer;
    if (results == NULL)
        return;
    for (uint32_t i = 0; i < results->nest_count; ++i)
        ws_loop_nest_finish(&results->nests[i]);
    free(results->nests);
    ws_shader_modules_finish(&results->modules);
    ws_regrouping_finish(&results->regrouping);
    ws_id_map_finish(&results->states);
    ws_groups_destroy(results->groups);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_reorder_results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->selection = options->selection;
    results->groups = ws_groups_create(&ws_reorder_columns, catalog, results, &options->view, error);
    if (results->groups != NULL)
        return results;
    free(results);
    return NULL;
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

static const char *const passes[] = {"divergence", NULL};

const struct ws_analysis ws_analysis_reorder = {
    .name = "reorder",
    .summary = "what warps would execute if threads were sorted where they trace rays and run callables",
    .answers = "what sorting threads at rays and callables would save",
    .passes = passes,
    .columns = &ws_reorder_columns,
    .words = ws_reorder_words,
    .create = create,
    .destroy = destroy,
    .replay = &ws_reorder_operations,
    .record = record,
    .attach = attach,
    .groups = groups_of,
    .findings = ws_reorder_findings,
    .nothing = ws_reorder_nothing,
    .text = ws_reorder_text,
    .notes = ws_reorder_notes,
};
