/* The rules of advice, and the run that shows them the rays of a capture. */
#include "analysis/advice/advice.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "warpscope/base/arena.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

/* A new rule is one more line here: X(name), for the struct ws_advice_rule named ws_advice_rule_<name>. */
#define RULES(X)                                                                                             \
    X(opaque)                                                                                                \
    X(no_opaque)                                                                                             \
    X(cull_mask)                                                                                             \
    X(shadow_flags)                                                                                          \
    X(aabb)                                                                                                  \
    X(sbt_unused)                                                                                            \
    X(empty_shaders)                                                                                         \
    X(short_rays)                                                                                            \
    X(heavy_threads)                                                                                         \
    X(trapped)                                                                                               \
    X(idle_lanes)                                                                                            \
    X(tmin_low)                                                                                              \
    X(tmin_high)                                                                                             \
    X(leaks)                                                                                                 \
    X(back_face)                                                                                             \
    X(into_surface)                                                                                          \
    X(duplicate)                                                                                             \
    X(barrier)                                                                                               \
    X(workgroup_size)                                                                                        \
    X(divergent_branch)                                                                                      \
    X(divergent_loop)                                                                                        \
    X(early_exit) X(late_discard) X(vertex_outputs) X(uniform_work) X(constant_branch) X(reorder)

#define DECLARE(name) extern const struct ws_advice_rule ws_advice_rule_##name;
RULES(DECLARE)
#undef DECLARE

#define ADDRESS(name) &ws_advice_rule_##name,
static const struct ws_advice_rule *const rules[] = {RULES(ADDRESS) NULL};
#undef ADDRESS

/* What an instruction of a shader that is shown to the rules costs (budget.h). */
#define WS_STEPS_SHOWN 256

#define RULE_COUNT (sizeof(rules) / sizeof(rules[0]) - 1)

_Static_assert(RULE_COUNT <= WS_MARK_RULES, "each rule has a bit in the masks of rays");

const struct ws_advice_rule *const *ws_advice_rules(void)
{
    return rules;
}

struct ws_advice_run {
    const struct ws_advice_input *input;
    struct ws_ray_paths paths; /* of the thread under way */
    struct ws_advice_marking marking;
    bool *self_hits; /* of the thread's rays, as far as they were shown */
    uint32_t self_hit_capacity;
    struct ws_ray_source
        source;     /* that was found last for a ray of the thread under way, which had this start; */
    uint32_t start; /* WS_NONE = none yet */
    struct ws_advice_tally tally;
    struct ws_advice_costs costs;
    struct ws_idle_losses losses;
    struct ws_advice_state *states[RULE_COUNT]; /* NULL = silent, or not asked for */
    bool silent[RULE_COUNT];
    uint32_t ray_rules[RULE_COUNT]; /* those that are shown rays, */
    uint32_t ray_rule_count;
    uint32_t query_rules[RULE_COUNT]; /* and those that are shown rays of queries too */
    uint32_t query_rule_count;
};

static struct ws_advice_state *create_state(struct ws_advice_run *run, uint32_t rule)
{
    struct ws_advice_state *state = calloc(1, rules[rule]->state_size);
    if (state != NULL)
        *state = (struct ws_advice_state){.input = run->input,
                                          .marking = &run->marking,
                                          .rule = rule,
                                          .evidence = {.entry_size = rules[rule]->entry_size}};
    return state;
}

const char *ws_advice_evidence_name(enum ws_advice_evidence evidence)
{
    static const char *const names[] = {"shader", "rays", "threads", "geometry"};
    return names[evidence];
}

void ws_advice_mark(const struct ws_advice_state *state, uint32_t ray, uint32_t number)
{
    const struct ws_advice_marking *marking = state->marking;
    if (marking->marks != NULL)
        ws_ray_marks_add(marking->marks, marking->launch,
                         &(struct ws_ray_mark){marking->numbers[ray], number, state->rule});
}

void ws_advice_tell(const struct ws_advice_state *state, uint32_t number)
{
    if (state->marking->marks != NULL)
        ws_ray_marks_tell(state->marking->marks, state->rule, number);
}

static void destroy_state(const struct ws_advice_rule *rule, struct ws_advice_state *state)
{
    if (state == NULL)
        return;
    if (rule->finish != NULL)
        rule->finish(state);
    ws_evidence_finish(&state->evidence);
    free(state);
}

struct ws_advice_run *ws_advice_run_create(const struct ws_advice_input *input, const char *only)
{
    struct ws_advice_run *run = calloc(1, sizeof(*run));
    if (run == NULL)
        return NULL;
    run->input = input;
    run->marking.marks = input->marks;
    for (size_t i = 0; i < RULE_COUNT; ++i) {
        run->silent[i] = (rules[i]->needs_geometry && input->scene->structure_count == 0) ||
                         (rules[i]->traces_rays && input->trace == NULL);
        if (run->silent[i] || (only != NULL && strcmp(only, rules[i]->name) != 0))
            continue;
        run->states[i] = create_state(run, (uint32_t)i);
        if (run->states[i] == NULL || (rules[i]->init != NULL && !rules[i]->init(run->states[i])))
            goto error;
        if (rules[i]->ray == NULL)
            continue;
        run->ray_rules[run->ray_rule_count++] = (uint32_t)i;
        if (!rules[i]->skips_queries)
            run->query_rules[run->query_rule_count++] = (uint32_t)i;
    }
    return run;
error:
    ws_advice_run_destroy(run);
    return NULL;
}

void ws_advice_run_destroy(struct ws_advice_run *run)
{
    for (size_t i = 0; run != NULL && i < RULE_COUNT; ++i)
        destroy_state(rules[i], run->states[i]);
    if (run != NULL) {
        ws_ray_paths_finish(&run->paths);
        ws_idle_losses_finish(&run->losses);
        free(run->self_hits);
        free(run->marking.numbers);
    }
    free(run);
}

bool ws_advice_is_chosen(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                         const struct ws_ray *ray)
{
    return ws_selection_runs(input->selection, launch->threads->launch->index, ray->shader);
}

/* What a ray starts on. Rays to lights start where the next ray of their path does: they have one source, where their calls
 * know one size of the scene. */
static bool find_source(struct ws_advice_run *run, const struct ws_advice_launch *launch,
                        const struct ws_ray_thread *thread, const struct ws_ray *ray, uint32_t start,
                        struct ws_ray_source *source)
{
    if (start != WS_NONE && start == run->start && ws_advice_scene_size(launch, ray) == run->source.size) {
        *source = run->source;
        return true;
    }
    if (!ws_ray_source_find(run->input, launch, thread, ray, start, source))
        return false;
    run->start = start;
    run->source = *source;
    return true;
}

/* What a ray starts on is worked out once for all rules. A source was hit by a ray that was shown before. */
static bool show_ray(struct ws_advice_run *run, const struct ws_advice_launch *launch,
                     const struct ws_ray_thread *thread, uint32_t number)
{
    struct ws_ray_source source;
    const struct ws_ray *ray = &thread->rays[number];
    const bool found = find_source(run, launch, thread, ray, run->paths.steps[number].start, &source);
    if (found)
        source.self = source.ray < number && run->self_hits[source.ray];
    run->self_hits[number] = found && ws_ray_source_is_self_hit(run->input, &source, ray);
    const struct ws_advice_ray shown = {.launch = launch,
                                        .thread = thread,
                                        .ray = ray,
                                        .number = number,
                                        .source = found ? &source : NULL,
                                        .self_hit = run->self_hits[number]};
    if (!ws_advice_is_chosen(run->input, launch, ray))
        return true;
    run->marking.numbers[number] = run->marking.next++;
    ws_advice_tally_add(&run->tally, ray);
    const uint32_t *chosen = ray->query ? run->query_rules : run->ray_rules;
    const uint32_t count = ray->query ? run->query_rule_count : run->ray_rule_count;
    for (uint32_t i = 0; i < count; ++i)
        if (!rules[chosen[i]]->ray(run->states[chosen[i]], &shown))
            return false;
    return true;
}

static double size_of(const void *launch, const struct ws_ray *ray)
{
    return ws_advice_scene_size(launch, ray);
}

bool ws_advice_run_thread(struct ws_advice_run *run, const struct ws_advice_launch *launch,
                          const struct ws_ray_thread *thread)
{
    bool *self_hits =
        ws_array_grow(run->self_hits, &run->self_hit_capacity, thread->ray_count, sizeof(*self_hits));
    if (self_hits == NULL && thread->ray_count > 0)
        return false;
    run->self_hits = self_hits;
    uint32_t *numbers =
        ws_array_grow(run->marking.numbers, &run->marking.capacity, thread->ray_count, sizeof(*numbers));
    if (numbers == NULL && thread->ray_count > 0)
        return false;
    run->marking.numbers = numbers;
    run->marking.launch = launch->threads->launch->index;
    run->start = WS_NONE;
    if (!ws_ray_paths_find(&run->paths, thread, &(struct ws_ray_scene_size){size_of, launch}))
        return false;
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!show_ray(run, launch, thread, r))
            return false;
    for (size_t i = 0; i < RULE_COUNT; ++i)
        if (run->states[i] != NULL && rules[i]->thread != NULL &&
            !rules[i]->thread(run->states[i], launch, thread))
            return false;
    return true;
}

bool ws_advice_run_end_launch(struct ws_advice_run *run, const struct ws_advice_launch *launch)
{
    run->marking.next = 0;
    for (size_t i = 0; i < RULE_COUNT; ++i)
        if (run->states[i] != NULL && rules[i]->end_launch != NULL &&
            !rules[i]->end_launch(run->states[i], launch))
            return false;
    return true;
}

/* What the shaders of the capture cost, in instruction slots. */
static uint64_t count_slots(const struct ws_simt_results *simt)
{
    uint64_t slots = 0;
    for (uint32_t i = 0; i < simt->shader_count; ++i)
        slots = ws_simt_sum(slots, ws_simt_slots(&simt->shaders[i].counts));
    return slots;
}

/* Shows a shader to the rules on shaders. */
static bool show_shader(struct ws_advice_run *run, uint32_t index, uint64_t all, struct ws_advice_list *list)
{
    const struct ws_catalog *catalog = run->input->catalog;
    struct ws_shader_run shader_run;
    struct ws_idle_slots idle = {.all = 0};
    bool known = false;
    if (!ws_shader_run_init(&shader_run, run->input->modules, run->input->simt, index, &known))
        return false;
    if (!known)
        return true;
    /* A shader is looked at once for each specialization, so this can be more than the bytes of the file. */
    if (!ws_budget_spend(WS_STEPS_SHOWN * (uint64_t)shader_run.code->code->module.instruction_count)) {
        ws_shader_run_finish(&shader_run);
        return true;
    }
    struct ws_arena *scratch = ws_arena_create();
    bool shown =
        scratch != NULL && (!shader_run.by_warps || (ws_idle_slots_find(&idle, &shader_run) &&
                                                     ws_idle_losses_add(&run->losses, &shader_run, &idle)));
    const struct ws_advice_shader shader = {
        .run = &shader_run,
        .idle = shader_run.by_warps ? &idle : NULL,
        .all = all,
        .name = ws_advice_shader_name(list, catalog, index),
        .stage = catalog->shaders[index].stage,
        .scratch = scratch,
    };
    for (size_t i = 0; i < RULE_COUNT && shown; ++i) {
        if (run->states[i] == NULL || rules[i]->shader == NULL)
            continue;
        ws_advice_list_begin(list, rules[i], index);
        shown = rules[i]->shader(run->states[i], &shader, list);
    }
    ws_arena_destroy(scratch);
    ws_idle_slots_finish(&idle);
    ws_shader_run_finish(&shader_run);
    return shown;
}

static bool show_shaders(struct ws_advice_run *run, struct ws_advice_list *list)
{
    const struct ws_simt_results *simt = run->input->simt;
    if (simt == NULL || run->input->modules == NULL)
        return true;
    const uint64_t all = count_slots(simt);
    for (uint32_t i = 0; i < simt->shader_count; ++i)
        if (simt->shaders[i].launches > 0 && !show_shader(run, i, all, list))
            return false;
    return true;
}

static bool judge(const struct ws_advice_rule *rule, struct ws_advice_state *state,
                  struct ws_advice_list *list)
{
    ws_advice_list_begin(list, rule, WS_NONE);
    if (rule->end != NULL && !rule->end(state, list))
        return false;
    for (uint32_t i = 0; i < state->evidence.count && rule->advise != NULL; ++i)
        if (!rule->advise(state, i, list))
            return false;
    return true;
}

bool ws_advice_run_end(struct ws_advice_run *run, const char *partial, struct ws_advice_list *list)
{
    const bool some = run->input->selection != NULL || run->input->unseen;
    if (!show_shaders(run, list))
        return false;
    for (size_t i = 0; i < RULE_COUNT; ++i)
        run->silent[i] = run->silent[i] || (some && rules[i]->of_all_rays);
    for (size_t i = 0; i < RULE_COUNT; ++i)
        if (run->states[i] != NULL && !run->silent[i] && !judge(rules[i], run->states[i], list))
            return false;
    ws_advice_costs_find(&run->costs, &run->tally, run->input->simt);
    return (partial == NULL || ws_advice_list_lower(list, partial)) && ws_advice_list_rank(list, &run->costs);
}

const struct ws_advice_costs *ws_advice_run_costs(const struct ws_advice_run *run)
{
    return &run->costs;
}

const struct ws_idle_losses *ws_advice_run_losses(const struct ws_advice_run *run)
{
    return &run->losses;
}

bool ws_advice_run_is_silent(const struct ws_advice_run *run, const struct ws_advice_rule *rule)
{
    for (size_t i = 0; i < RULE_COUNT; ++i)
        if (rules[i] == rule)
            return run->silent[i] || (rule->shader != NULL && run->input->simt == NULL);
    return false;
}
