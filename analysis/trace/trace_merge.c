/* Sums what the workers found about a launch into the results. */
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_part.h"
#include "passes/base/array.h"

/* Where a part's launch is found in the results. */
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
    const struct ws_replay_launch *from = threads->launch;
    struct ws_trace_launch *grown = ws_array_grow(results->launches, &results->launch_capacity,
                                                  results->launch_count + 1, sizeof(*grown));
    const char *label = ws_text_pool_add(&results->texts, from->label != NULL ? from->label : "");
    if (grown != NULL)
        results->launches = grown;
    if (grown == NULL || label == NULL)
        return false;
    struct ws_trace_launch *launch = &grown[results->launch_count++];
    *launch = (struct ws_trace_launch){
        .index = from->index,
        .submission = from->submission,
        .kind = from->kind,
        .label = label,
        .truncated = threads->truncated,
    };
    memcpy(launch->size, from->size, sizeof(launch->size));
    results->open = true;
    return true;
}

static uint32_t find_stage(struct ws_trace_results *results, uint32_t shader, uint32_t stage)
{
    for (uint32_t i = 0; i < results->stage_count; ++i)
        if (results->stages[i].shader == shader)
            return i;
    struct ws_trace_stage *grown =
        ws_array_grow(results->stages, &results->stage_capacity, results->stage_count + 1, sizeof(*grown));
    if (grown == NULL)
        return WS_NONE;
    results->stages = grown;
    memset(&grown[results->stage_count], 0, sizeof(*grown));
    grown[results->stage_count].shader = shader;
    grown[results->stage_count].stage = stage;
    return results->stage_count++;
}

/* Room for the lifetimes of one more launch of the open launch. */
static bool add_open(struct ws_trace_results *results, uint32_t shaders)
{
    if (shaders <= results->open_count)
        return true;
    struct ws_trace_counts *threads = realloc(results->open_threads, shaders * sizeof(*threads));
    if (threads != NULL)
        results->open_threads = threads;
    struct ws_trace_counts *warps = realloc(results->open_warps, shaders * sizeof(*warps));
    if (warps != NULL)
        results->open_warps = warps;
    if (threads == NULL || warps == NULL)
        return false;
    memset(&threads[shaders - 1], 0, sizeof(*threads));
    memset(&warps[shaders - 1], 0, sizeof(*warps));
    results->open_count = shaders;
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

/* The work ids that the recorded threads of a launch have. In a launch of one launched shader those are
 * all its threads, else those of this part. */
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

/* Whether `left` stands before `right` in a list of the largest. */
static bool is_larger(const struct ws_trace_place *left, const struct ws_trace_place *right)
{
    return left->value > right->value || (left->value == right->value && is_earlier(left, right));
}

static void remove_place(struct ws_trace_most *most, uint32_t at)
{
    most->count--;
    memmove(&most->places[at], &most->places[at + 1], (most->count - at) * sizeof(most->places[0]));
}

/* The same work id is in the list once: frames that are alike would fill it with one. */
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

/* All shader executions: the launched one, and those that were called. */
static uint64_t total_of(const uint32_t *executions)
{
    uint64_t total = 1;
    for (uint32_t i = 0; i < WS_TRACE_CALLED; ++i)
        total += executions[i];
    return total;
}

static bool take(struct ws_trace_population *population, struct ws_trace_counts *lifetimes,
                 struct ws_trace_place *place, uint64_t blocks, const uint32_t *executions)
{
    place->value = blocks;
    add_most(&population->blocks, place);
    place->value = total_of(executions);
    add_most(&population->executions, place);
    for (uint32_t i = 0; i < WS_TRACE_CALLED; ++i)
        population->called[i] += executions[i];
    return ws_trace_counts_add(lifetimes, blocks, 1);
}

static bool take_thread(struct ws_trace_results *results, const struct ws_trace_part *part,
                        const struct target *targets, const struct ws_replay_threads *threads, uint32_t index)
{
    const struct ws_trace_thread *thread = ws_page_get(&part->threads, index, sizeof(*thread));
    if (thread == NULL || thread->launched == 0)
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
            .blocks = thread->blocks,
            .executions = thread->executions,
            .warp_blocks = warp->blocks,
            .warp_executions = warp->executions,
        };
        if (!ws_trace_picture_add(target->picture, &pixel))
            return false;
    }
    return take(&results->stages[target->stage].threads, &results->open_threads[target->launched], &place,
                thread->blocks, thread->executions);
}

static bool take_warp(struct ws_trace_results *results, const struct ws_trace_part *part,
                      const struct target *targets, const struct ws_replay_threads *threads, uint32_t number)
{
    const struct ws_trace_warp *warp = ws_page_get(&part->warps, number, sizeof(*warp));
    if (warp == NULL || warp->launched == 0)
        return true;
    const uint32_t *work = threads->threads[warp->thread].work;
    const struct target *target = &targets[warp->launched - 1];
    struct ws_trace_place place = {
        .launch = part->launch,
        .work = {work[0], work[1], work[2]},
        .warp = threads->warp_index[number],
    };
    return take(&results->stages[target->stage].warps, &results->open_warps[target->launched], &place,
                warp->blocks, warp->executions);
}

/* Takes the part's paths where they are of the launch that is shown, the first that has any. */
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
        path->truncated = threads->truncated;
        results->paths[results->path_count++] = path;
        part->paths[i] = NULL;
    }
    results->paths_left_out += shown ? part->paths_left_out : 0;
}

bool ws_trace_merge(void *user, void *from, const struct ws_replay_threads *threads)
{
    struct ws_trace_results *results = user;
    struct ws_trace_part *part = from;
    if (part->skipped)
        return true;
    if (results->open && open_launch(results)->index != part->launch && !ws_trace_merge_end(results))
        return false;
    if (!results->open && !begin(results, threads))
        return false;
    struct target *targets = calloc((size_t)part->shader_count + 1, sizeof(*targets));
    bool taken = targets != NULL;
    for (uint32_t i = 0; i < part->shader_count && taken; ++i)
        taken = find_target(results, &part->shaders[i], threads, &targets[i]);
    for (uint32_t i = 0; i < threads->thread_count && taken; ++i)
        taken = take_thread(results, part, targets, threads, i);
    for (uint32_t i = 0; i < threads->warp_count && taken; ++i)
        taken = take_warp(results, part, targets, threads, i);
    free(targets);
    if (taken)
        take_paths(results, part, threads);
    return taken;
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
    return a->number < b->number ? -1 : a->number > b->number;
}

bool ws_trace_merge_end(struct ws_trace_results *results)
{
    bool merged = true;
    struct ws_trace_launch *launch = open_launch(results);
    for (uint32_t i = 0; i < launch->shader_count; ++i) {
        struct ws_trace_shader *launched = &launch->shaders[i];
        struct ws_trace_stage *stage =
            &results->stages[find_stage(results, launched->shader, launched->stage)];
        ws_trace_counts_sort(&results->open_threads[i]);
        ws_trace_counts_sort(&results->open_warps[i]);
        launched->threads = ws_trace_counts_summary(&results->open_threads[i]);
        launched->warps = ws_trace_counts_summary(&results->open_warps[i]);
        stage->launches++;
        stage->truncated += launch->truncated;
        merged = merged && ws_trace_counts_merge(&stage->threads.lifetimes, &results->open_threads[i]) &&
                 ws_trace_counts_merge(&stage->warps.lifetimes, &results->open_warps[i]);
        ws_trace_counts_finish(&results->open_threads[i]);
        ws_trace_counts_finish(&results->open_warps[i]);
    }
    if (results->path_count > 1)
        qsort(results->paths, results->path_count, sizeof(results->paths[0]), compare_paths);
    results->open = false;
    return merged;
}
