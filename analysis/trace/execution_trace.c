/* The analysis `execution_trace`: its results, from the first chunk of the capture to the last. */
#include "analysis/trace/execution_trace.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_part.h"
#include "warpscope/base/array.h"
#include "warpscope/passes.h"

/* CHOOSING A WARP (--warp). A warp's index is its rank by work id (replay.h). The rank is known when the
 * launch has been read to its end, but what the warp executes must be kept from the beginning. So the capture
 * is read twice. The first reading finds the number in which the warp of that index appears in the
 * records. */

/* The state of the first reading. */
struct choice {
    struct ws_trace_results *results;
    uint64_t merged; /* index of the last launch whose warps were looked at, + 1; 0 = none yet */
};

static void *create_nothing(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return malloc(1);
}

static bool choose(struct ws_trace_results *results, uint64_t launch, uint32_t number)
{
    struct ws_trace_chosen *grown =
        ws_array_grow(results->chosen, &results->chosen_capacity, results->chosen_count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    results->chosen = grown;
    grown[results->chosen_count++] = (struct ws_trace_chosen){launch, number};
    return true;
}

/* Chooses the warps of that index: every stage of the launch has one. All parts of a launch see the same
 * threads, so only the first is looked at. */
static bool choose_in_launch(void *user, void *part, const struct ws_replay_threads *threads)
{
    struct choice *choice = user;
    struct ws_trace_results *results = choice->results;
    const struct ws_analysis_options *options = &results->options;
    uint64_t launch = threads->launch->index;
    bool chosen = true;
    (void)part;
    if (choice->merged == launch + 1)
        return true;
    choice->merged = launch + 1;
    for (uint32_t i = 0; i < threads->warp_count && chosen; ++i)
        if (threads->warp_index[i] == options->warp)
            chosen = choose(results, launch, i);
    return chosen;
}

static const struct ws_replay_operations choosing = {
    .pass = WS_PASS_EXECUTION_TRACE, .create = create_nothing, .destroy = free, .merge = choose_in_launch};

static bool read_all(struct ws_reader *reader, const struct ws_selection *selection,
                     struct ws_catalog *catalog, struct ws_replay *replay, struct ws_error *error)
{
    struct ws_selected_chunk selected = {.launch_capacity = 0};
    enum ws_read_result result = WS_READ_CHUNK;
    bool recorded = true;
    while (recorded && result == WS_READ_CHUNK) {
        result = ws_selection_next(selection, reader, &selected, error);
        if (result == WS_READ_CHUNK)
            recorded = ws_catalog_record(catalog, &selected.chunk, error) &&
                       ws_replay_record(replay, &selected.chunk, error);
    }
    ws_selected_chunk_finish(&selected);
    return recorded && result == WS_READ_END && ws_replay_end(replay, error);
}

static bool choose_warps(struct ws_trace_results *results, struct ws_error *error)
{
    struct choice choice = {results, 0};
    struct ws_catalog catalog;
    uint32_t number = 0;
    bool read = false;
    if (results->options.path == NULL)
        return ws_error_set(error, "--warp needs a capture that can be read twice: a file");
    struct ws_reader *reader = ws_reader_open(results->options.path, error);
    if (reader == NULL)
        return false;
    ws_catalog_init(&catalog);
    struct ws_replay *replay = ws_replay_create(&catalog, results->options.path, 0);
    if (replay != NULL && ws_replay_add(replay, &choosing, &choice, &number))
        read = read_all(reader, results->options.selection, &catalog, replay, error);
    else
        ws_error_set(error, "no memory to find the warp");
    ws_replay_destroy(replay);
    ws_catalog_finish(&catalog);
    ws_reader_destroy(reader);
    return read;
}

/* Where a launched shader of a part is found in the results. */
struct target {
    uint32_t launched; /* index in the open launch's */
    uint32_t stage;    /* index in the results' */
    struct ws_trace_picture *picture;
};

static struct ws_trace_launch *open_launch(struct ws_trace_results *results)
{
    return &results->launches[results->launch_count - 1];
}

static bool begin(struct ws_trace_results *results, const struct ws_replay_threads *threads)
{
    struct ws_trace_launch *grown = ws_array_grow(results->launches, &results->launch_capacity,
                                                  results->launch_count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    results->launches = grown;
    struct ws_trace_launch *launch = &grown[results->launch_count];
    /* Most launches have one launched shader, and a capture may have a hundred thousand of them. */
    *launch = (struct ws_trace_launch){.shader_capacity = 1};
    if (!ws_launch_record_keep(&launch->launch, threads->launch, &results->texts))
        return false;
    results->launch_count++;
    results->open = true;
    return true;
}

uint32_t ws_trace_stage_at(const struct ws_trace_results *results, uint32_t shader)
{
    uint32_t index = WS_NONE;
    return ws_id_map_get(&results->stages_at, shader, &index) ? index : WS_NONE;
}

static uint32_t find_stage(struct ws_trace_results *results, uint32_t shader, uint32_t stage)
{
    const uint32_t known = ws_trace_stage_at(results, shader);
    if (known != WS_NONE)
        return known;
    struct ws_trace_stage *grown =
        ws_array_grow(results->stages, &results->stage_capacity, results->stage_count + 1, sizeof(*grown));
    if (grown == NULL)
        return WS_NONE;
    results->stages = grown;
    if (!ws_id_map_put(&results->stages_at, shader, results->stage_count))
        return WS_NONE;
    memset(&grown[results->stage_count], 0, sizeof(*grown));
    grown[results->stage_count].shader = shader;
    grown[results->stage_count].stage = stage;
    return results->stage_count++;
}

/* Makes room for one more launched shader of the open launch. */
static bool add_open(struct ws_trace_results *results, uint32_t shaders)
{
    if (shaders <= results->opened_count)
        return true;
    struct ws_trace_open *opened = realloc(results->opened, shaders * sizeof(*opened));
    if (opened == NULL)
        return false;
    results->opened = opened;
    memset(&opened[shaders - 1], 0, sizeof(*opened));
    results->opened_count = shaders;
    return true;
}

static uint32_t find_shader(struct ws_trace_results *results, uint32_t shader, uint32_t stage)
{
    struct ws_trace_launch *launch = open_launch(results);
    for (uint32_t i = 0; i < launch->shader_count; ++i)
        if (launch->shaders[i].shader == shader)
            return i;
    struct ws_trace_shader *grown =
        ws_array_grow(launch->shaders, &launch->shader_capacity, launch->shader_count + 1, sizeof(*grown));
    if (grown == NULL)
        return WS_NONE;
    launch->shaders = grown;
    if (!add_open(results, launch->shader_count + 1))
        return WS_NONE;
    memset(&grown[launch->shader_count], 0, sizeof(*grown));
    grown[launch->shader_count].shader = shader;
    grown[launch->shader_count].stage = stage;
    return launch->shader_count++;
}

/* The range of work ids that the records of a launch show. A render pass has several launched shaders, whose
 * work ids mean different things: there only those of the part's shader count. */
static void find_extent(const struct ws_replay_threads *threads, const struct ws_trace_work_map *work,
                        uint32_t first[3], uint32_t last[3])
{
    memcpy(first, work->first, sizeof(work->first));
    memcpy(last, work->last, sizeof(work->last));
    if (threads->launch->kind == WS_LAUNCH_RENDER_PASS)
        return;
    for (uint32_t i = 0; i < threads->thread_count; ++i)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            uint32_t at = threads->threads[i].work[axis];
            first[axis] = at < first[axis] ? at : first[axis];
            last[axis] = at > last[axis] ? at : last[axis];
        }
}

static bool find_target(struct ws_trace_results *results, const struct ws_trace_part_shader *from,
                        const struct ws_replay_threads *threads, struct target *target)
{
    bool no_memory = false;
    uint32_t first[3];
    uint32_t last[3];
    target->stage = find_stage(results, from->shader, from->stage);
    target->launched = find_shader(results, from->shader, from->stage);
    if (target->stage == WS_NONE || target->launched == WS_NONE)
        return false;
    struct ws_trace_shader *launched = &open_launch(results)->shaders[target->launched];
    find_extent(threads, &from->work, first, last);
    target->picture = ws_trace_picture_of(results, threads->launch, launched, first, last, &no_memory);
    ws_trace_work_map_merge(&launched->work, &from->work);
    launched->regrouped += from->regrouped;
    results->stages[target->stage].regrouped += from->regrouped;
    results->stages[target->stage].called += from->called;
    return !no_memory;
}

static bool is_earlier(const struct ws_trace_place *left, const struct ws_trace_place *right)
{
    if (left->launch != right->launch)
        return left->launch < right->launch;
    for (uint32_t axis = 3; axis > 0; --axis)
        if (left->work[axis - 1] != right->work[axis - 1])
            return left->work[axis - 1] < right->work[axis - 1];
    return left->warp < right->warp;
}

/* Whether `left` comes before `right` in a list of the largest values. */
static bool is_larger(const struct ws_trace_place *left, const struct ws_trace_place *right)
{
    return left->value > right->value || (left->value == right->value && is_earlier(left, right));
}

static void remove_place(struct ws_trace_most *most, uint32_t at)
{
    most->count--;
    memmove(&most->places[at], &most->places[at + 1], (most->count - at) * sizeof(most->places[0]));
}

/* A work id is listed once. Otherwise frames that are alike would fill the list with one thread. */
static void add_most(struct ws_trace_most *most, const struct ws_trace_place *place)
{
    if (most->count == WS_TRACE_MOST && !is_larger(place, &most->places[WS_TRACE_MOST - 1]))
        return;
    for (uint32_t i = 0; i < most->count; ++i) {
        if (memcmp(most->places[i].work, place->work, sizeof(place->work)) != 0)
            continue;
        if (!is_larger(place, &most->places[i]))
            return;
        remove_place(most, i);
        break;
    }
    if (most->count == WS_TRACE_MOST)
        most->count--;
    uint32_t at = most->count++;
    for (; at > 0 && is_larger(place, &most->places[at - 1]); --at)
        most->places[at] = most->places[at - 1];
    most->places[at] = *place;
}

/* All shader executions of a thread or warp: `launches` of the launched shader, and the called ones. */
static uint64_t total_of(uint32_t launches, const uint32_t *executions)
{
    uint64_t total = launches;
    for (uint32_t i = 0; i < WS_TRACE_CALLED; ++i)
        total += executions[i];
    return total;
}

/* Counts a thread or warp: in all launches, and in the open one with `lifetimes` and `called`. */
static bool take(struct ws_trace_population *population, struct ws_trace_counts *lifetimes, uint64_t *called,
                 struct ws_trace_place *place, uint64_t blocks, uint32_t launches, const uint32_t *executions)
{
    place->value = blocks;
    add_most(&population->blocks, place);
    place->value = total_of(launches, executions);
    add_most(&population->executions, place);
    for (uint32_t i = 0; i < WS_TRACE_CALLED; ++i) {
        population->called[i] += executions[i];
        called[i] += executions[i];
    }
    return ws_trace_counts_add(lifetimes, blocks, 1);
}

static bool take_thread(struct ws_trace_results *results, const struct ws_trace_part *part,
                        const struct target *targets, const struct ws_replay_threads *threads, uint32_t index)
{
    const struct ws_trace_thread *thread = ws_page_get(&part->threads, index, sizeof(*thread));
    if (thread == NULL || thread->launched == 0 || !thread->ran)
        return true;
    const struct ws_thread *work = &threads->threads[index];
    const struct target *target = &targets[thread->launched - 1];
    struct ws_trace_place place = {
        .launch = part->launch,
        .work = {work->work[0], work->work[1], work->work[2]},
        .warp = threads->warp_index[work->warp],
    };
    const struct ws_trace_warp *warp = ws_page_get(&part->warps, work->warp, sizeof(*warp));
    if (target->picture != NULL && warp != NULL) {
        struct ws_trace_pixel pixel = {
            .work = work->work,
            .launch = part->launch,
            .warp = place.warp,
            .lane = (uint8_t)work->lane,
            .blocks = thread->blocks,
            .executions = thread->executions,
            .launches = thread->launches,
            .warp_blocks = warp->blocks,
            .warp_slots = warp->slots,
            .warp_active = warp->active,
            .warp_executions = warp->executions,
        };
        if (!ws_trace_picture_add(target->picture, &pixel))
            return false;
    }
    struct ws_trace_open *open = &results->opened[target->launched];
    return take(&results->stages[target->stage].threads, &open->threads, open->called_by_threads, &place,
                thread->blocks, thread->launches, thread->executions);
}

static bool take_warp(struct ws_trace_results *results, const struct ws_trace_part *part,
                      const struct target *targets, const struct ws_replay_threads *threads, uint32_t number)
{
    const struct ws_trace_warp *warp = ws_page_get(&part->warps, number, sizeof(*warp));
    if (warp == NULL || warp->launched == 0 || !warp->ran)
        return true;
    const uint32_t *work = threads->threads[warp->thread].work;
    const struct target *target = &targets[warp->launched - 1];
    struct ws_trace_place place = {
        .launch = part->launch,
        .work = {work[0], work[1], work[2]},
        .warp = threads->warp_index[number],
    };
    struct ws_trace_open *open = &results->opened[target->launched];
    return take(&results->stages[target->stage].warps, &open->warps, open->called_by_warps, &place,
                warp->blocks, warp->launches, warp->executions);
}

/* Takes the part's paths if they are of the launch that is shown: the first launch that has any. */
static void take_paths(struct ws_trace_results *results, struct ws_trace_part *part,
                       const struct ws_replay_threads *threads)
{
    bool shown = results->path_count == 0 || results->paths[0]->launch == part->launch;
    if (!shown && part->path_count > 0 && results->path_last != part->launch) {
        results->path_last = part->launch;
        results->path_launches++;
    }
    for (uint32_t i = 0; i < part->path_count && shown; ++i) {
        struct ws_trace_path *path = part->paths[i];
        if (results->path_count == WS_TRACE_PATHS) {
            results->paths_left_out++;
            continue;
        }
        path->warp = threads->warp_index[path->number];
        path->truncated = threads->launch->truncated;
        results->paths[results->path_count++] = path;
        part->paths[i] = NULL;
    }
    results->paths_left_out += shown ? part->paths_left_out : 0;
}

static int compare_paths(const void *left, const void *right)
{
    const struct ws_trace_path *a = *(struct ws_trace_path *const *)left;
    const struct ws_trace_path *b = *(struct ws_trace_path *const *)right;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->warp != b->warp)
        return a->warp < b->warp ? -1 : 1;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    if (a->is_warp != b->is_warp)
        return a->is_warp ? 1 : -1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Gives the report how many threads and warps of a launched shader have each lifetime. */
static bool report_lifetimes(struct ws_trace_results *results, uint64_t *keys,
                             const struct ws_trace_open *open)
{
    bool added = true;
    for (uint32_t i = 0; i < open->threads.count && added; ++i) {
        const struct ws_trace_count *count = &open->threads.counts[i];
        keys[WS_TRACE_BY_BLOCKS] = count->value;
        added = ws_groups_add(
            results->groups, keys,
            &(struct ws_trace_sums){.threads = count->count, .thread_blocks = count->value * count->count});
    }
    for (uint32_t i = 0; i < open->warps.count && added; ++i) {
        const struct ws_trace_count *count = &open->warps.counts[i];
        keys[WS_TRACE_BY_BLOCKS] = count->value;
        added = ws_groups_add(
            results->groups, keys,
            &(struct ws_trace_sums){.warps = count->count, .warp_blocks = count->value * count->count});
    }
    keys[WS_TRACE_BY_BLOCKS] = WS_KEY_NONE;
    return added;
}

/* Gives the report the figures of a launched shader of the open launch. */
static bool report_shader(struct ws_trace_results *results, const struct ws_trace_launch *launch,
                          const struct ws_trace_shader *launched, const struct ws_trace_open *open)
{
    uint64_t keys[WS_TRACE_DIMENSIONS] = {
        [WS_TRACE_LAUNCH] = launch->launch.index, [WS_TRACE_STAGE] = launched->stage,
        [WS_TRACE_SHADER] = launched->shader,     [WS_TRACE_BY_CALLED] = WS_KEY_NONE,
        [WS_TRACE_BY_BLOCKS] = WS_KEY_NONE,       [WS_TRACE_MOST_PLACE] = WS_KEY_NONE,
    };
    const struct ws_trace_sums sums = {
        .launches = 1,
        .regrouped = launched->regrouped,
        .truncated = launch->launch.truncated,
        .full = launched->work.full,
        .partial = launched->work.partial,
    };
    bool added = ws_groups_add(results->groups, keys, &sums) && report_lifetimes(results, keys, open);
    for (uint32_t i = 0; i < WS_TRACE_CALLED && added; ++i) {
        const struct ws_trace_sums called = {.called_by_threads = open->called_by_threads[i],
                                             .called_by_warps = open->called_by_warps[i]};
        keys[WS_TRACE_BY_CALLED] = i;
        added = called.called_by_warps == 0 || ws_groups_add(results->groups, keys, &called);
    }
    return added;
}

/* Closes the launch that is being merged. */
static bool merge_end(struct ws_trace_results *results)
{
    bool merged = true;
    struct ws_trace_launch *launch = open_launch(results);
    for (uint32_t i = 0; i < launch->shader_count; ++i) {
        struct ws_trace_shader *launched = &launch->shaders[i];
        struct ws_trace_open *open = &results->opened[i];
        struct ws_trace_stage *stage =
            &results->stages[find_stage(results, launched->shader, launched->stage)];
        ws_trace_counts_sort(&open->threads);
        ws_trace_counts_sort(&open->warps);
        launched->threads = ws_trace_counts_summary(&open->threads);
        launched->warps = ws_trace_counts_summary(&open->warps);
        stage->launches++;
        stage->truncated += launch->launch.truncated;
        merged = merged && ws_trace_counts_merge(&stage->threads.lifetimes, &open->threads) &&
                 ws_trace_counts_merge(&stage->warps.lifetimes, &open->warps) &&
                 report_shader(results, launch, launched, open);
        ws_trace_counts_finish(&open->threads);
        ws_trace_counts_finish(&open->warps);
        memset(open, 0, sizeof(*open));
    }
    if (results->path_count > 1)
        qsort(results->paths, results->path_count, sizeof(results->paths[0]), compare_paths);
    results->open = false;
    return merged;
}

bool ws_trace_merge(void *user, void *from, const struct ws_replay_threads *threads)
{
    struct ws_trace_results *results = user;
    struct ws_trace_part *part = from;
    ws_sought_look(&results->sought, &results->options, threads);
    if (results->open && open_launch(results)->launch.index != part->launch && !merge_end(results))
        return false;
    if (!results->open && !begin(results, threads))
        return false;
    struct target *targets = calloc((size_t)part->shader_count + 1, sizeof(*targets));
    bool taken = targets != NULL;
    for (uint32_t i = 0; i < part->shader_count && taken; ++i)
        taken = !part->shaders[i].ran || find_target(results, &part->shaders[i], threads, &targets[i]);
    for (uint32_t i = 0; i < threads->thread_count && taken; ++i)
        taken = take_thread(results, part, targets, threads, i);
    for (uint32_t i = 0; i < threads->warp_count && taken; ++i)
        taken = take_warp(results, part, targets, threads, i);
    free(targets);
    if (taken)
        take_paths(results, part, threads);
    return taken;
}

static void destroy(void *user)
{
    struct ws_trace_results *results = user;
    if (results == NULL)
        return;
    for (uint32_t i = 0; i < results->stage_count; ++i) {
        ws_trace_counts_finish(&results->stages[i].threads.lifetimes);
        ws_trace_counts_finish(&results->stages[i].warps.lifetimes);
    }
    for (uint32_t i = 0; i < results->launch_count; ++i)
        free(results->launches[i].shaders);
    for (uint32_t i = 0; i < results->opened_count; ++i) {
        ws_trace_counts_finish(&results->opened[i].threads);
        ws_trace_counts_finish(&results->opened[i].warps);
    }
    for (uint32_t i = 0; i < results->picture_count; ++i)
        ws_trace_picture_finish(&results->pictures[i]);
    for (uint32_t i = 0; i < results->path_count; ++i)
        ws_trace_path_destroy(results->paths[i]);
    ws_text_pool_finish(&results->texts);
    ws_groups_destroy(results->groups);
    free(results->listed);
    free(results->opened);
    free(results->stages);
    ws_id_map_finish(&results->stages_at);
    free(results->launches);
    free(results->chosen);
    free(results->sampled);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_trace_results *results = calloc(1, sizeof(*results));
    if (results == NULL) {
        ws_error_set(error, "no memory for the trace");
        return NULL;
    }
    results->catalog = catalog;
    results->options = *options;
    results->groups = ws_groups_create(&ws_trace_columns, catalog, results, &options->view, error);
    if (results->groups == NULL) {
        destroy(results);
        return NULL;
    }
    if (options->has_warp && !choose_warps(results, error)) {
        destroy(results);
        return NULL;
    }
    return results;
}

static void attach(void *user, uint32_t number)
{
    struct ws_trace_results *results = user;
    results->user = number;
}

/* Appends "key value" to results->sampled. */
static bool add_sampling(struct ws_trace_results *results, const struct ws_text_pair *setting)
{
    size_t before = results->sampled != NULL ? strlen(results->sampled) : 0;
    size_t size = before + strlen(setting->key) + strlen(setting->value) + 4;
    char *grown = realloc(results->sampled, size);
    if (grown == NULL)
        return false;
    results->sampled = grown;
    snprintf(grown + before, size - before, "%s%s %s", before > 0 ? ", " : "", setting->key, setting->value);
    return true;
}

static bool record(void *user, const struct ws_chunk *chunk, struct ws_error *error)
{
    static const char *const keys[] = {"threads", "pixels", "tile"};
    struct ws_trace_results *results = user;
    if (chunk->type != WS_CHUNK_INFO || results->sampled != NULL)
        return true;
    for (uint32_t i = 0; i < chunk->info.setting_count; ++i)
        for (uint32_t j = 0; j < sizeof(keys) / sizeof(keys[0]); ++j)
            if (strcmp(chunk->info.settings[i].key, keys[j]) == 0 &&
                chunk->info.settings[i].value[0] != '\0' && !add_sampling(results, &chunk->info.settings[i]))
                return ws_error_set(error, "no memory for the settings of the capture");
    return true;
}

static int compare_stages(const void *left, const void *right)
{
    const struct ws_trace_stage *a = left;
    const struct ws_trace_stage *b = right;
    return a->shader < b->shader ? -1 : a->shader > b->shader;
}

/* By shader. The rows of the report find their shaders by `stages_at`, which therefore moves with them. */
static bool sort_stages(struct ws_trace_results *results)
{
    if (results->stage_count > 1)
        qsort(results->stages, results->stage_count, sizeof(*results->stages), compare_stages);
    for (uint32_t i = 0; i < results->stage_count; ++i)
        if (!ws_id_map_put(&results->stages_at, results->stages[i].shader, i))
            return false;
    return true;
}

static int compare_shaders(const void *left, const void *right)
{
    const struct ws_trace_shader *a = left;
    const struct ws_trace_shader *b = right;
    return a->shader < b->shader ? -1 : a->shader > b->shader;
}

/* Gives the report a list of the largest values. */
static bool report_most(struct ws_trace_results *results, const struct ws_trace_stage *stage, const char *of,
                        const struct ws_trace_most *most)
{
    bool added = true;
    for (uint32_t i = 0; i < most->count && added; ++i) {
        struct ws_trace_listed *listed = ws_array_grow(results->listed, &results->listed_capacity,
                                                       results->listed_count + 1, sizeof(*listed));
        if (listed == NULL)
            return false;
        results->listed = listed;
        const uint64_t keys[WS_TRACE_DIMENSIONS] = {
            [WS_TRACE_LAUNCH] = most->places[i].launch, [WS_TRACE_STAGE] = stage->stage,
            [WS_TRACE_SHADER] = stage->shader,          [WS_TRACE_BY_CALLED] = WS_KEY_NONE,
            [WS_TRACE_BY_BLOCKS] = WS_KEY_NONE,         [WS_TRACE_MOST_PLACE] = results->listed_count,
        };
        listed[results->listed_count++] = (struct ws_trace_listed){of, stage->shader, most->places[i]};
        added = ws_groups_add(results->groups, keys, &(struct ws_trace_sums){.launches = 0});
    }
    return added;
}

static const struct ws_groups *groups_of(const void *user)
{
    const struct ws_trace_results *results = user;
    return results->groups;
}

static bool end(void *user, struct ws_error *error)
{
    struct ws_trace_results *results = user;
    if (results->open && !merge_end(results))
        return ws_error_set(error, "no memory for the lifetimes");
    if (!sort_stages(results))
        return ws_error_set(error, "no memory for the launched shaders");
    for (uint32_t i = 0; i < results->launch_count; ++i)
        if (results->launches[i].shader_count > 1)
            qsort(results->launches[i].shaders, results->launches[i].shader_count,
                  sizeof(*results->launches[i].shaders), compare_shaders);
    for (uint32_t i = 0; i < results->stage_count; ++i) {
        struct ws_trace_population *populations[] = {&results->stages[i].threads, &results->stages[i].warps};
        for (uint32_t j = 0; j < 2; ++j) {
            ws_trace_counts_sort(&populations[j]->lifetimes);
            populations[j]->summary = ws_trace_counts_summary(&populations[j]->lifetimes);
        }
        const struct ws_trace_stage *stage = &results->stages[i];
        if (!report_most(results, stage, "threads blocks", &stage->threads.blocks) ||
            !report_most(results, stage, "warps blocks", &stage->warps.blocks) ||
            !report_most(results, stage, "threads shaders", &stage->threads.executions) ||
            !report_most(results, stage, "warps shaders", &stage->warps.executions))
            return ws_error_set(error, "no memory for the largest lifetimes");
    }
    return true;
}

static bool has_chosen(const void *user, struct ws_error *error)
{
    const struct ws_trace_results *results = user;
    return results->path_count > 0 ||
           ws_sought_check(&results->sought, &results->options, results->sampled, error);
}

static const char *const passes[] = {"execution_trace", NULL};

const struct ws_analysis ws_analysis_execution_trace = {
    .name = "execution_trace",
    .summary = "lifetimes of threads and warps, the trace of one of them, and which work ids make a warp",
    .answers = "what one thread did, and which run long",
    .passes = passes,
    .columns = &ws_trace_columns,
    .words = ws_trace_words,
    .csv_help = ws_trace_csv_help,
    .chooses = true,
    .create = create,
    .destroy = destroy,
    .replay = &ws_trace_replay,
    .record = record,
    .end = end,
    .has_chosen = has_chosen,
    .attach = attach,
    .groups = groups_of,
    .findings = ws_trace_findings,
    .text = ws_trace_text,
    .notes = ws_trace_notes,
    .members = ws_trace_members,
    .json = ws_trace_json,
    .csv = ws_trace_csv,
    .plots = ws_trace_plots,
};
