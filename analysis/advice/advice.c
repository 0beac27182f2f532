/* The rules of advice, the list of what they give, and the run that shows them the rays of a capture. */
#include "analysis/advice/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "passes/base/array.h"
#include "passes/base/text.h"

/* A new rule is one more line here: X(name), for the struct ws_advice_rule named ws_advice_rule_<name>. */
#define RULES(X)                                                                                             \
    X(opaque)                                                                                                \
    X(cull_mask)                                                                                             \
    X(shadow_flags)                                                                                          \
    X(aabb)                                                                                                  \
    X(sbt_unused)                                                                                            \
    X(empty_shaders)                                                                                         \
    X(short_rays)                                                                                            \
    X(heavy_threads)                                                                                         \
    X(trapped) X(idle_lanes) X(tmin_low) X(tmin_high) X(leaks) X(back_face) X(into_surface) X(duplicate)

#define DECLARE(name) extern const struct ws_advice_rule ws_advice_rule_##name;
RULES(DECLARE)
#undef DECLARE

#define ADDRESS(name) &ws_advice_rule_##name,
static const struct ws_advice_rule *const rules[] = {RULES(ADDRESS) NULL};
#undef ADDRESS

#define RULE_COUNT (sizeof(rules) / sizeof(rules[0]) - 1)

const struct ws_advice_rule *const *ws_advice_rules(void)
{
    return rules;
}

struct ws_advice_list {
    struct ws_advice *all;
    uint32_t count;
    uint32_t capacity;
    struct ws_text_pool texts;
    bool failed;                       /* no memory for a text */
    const struct ws_advice_rule *rule; /* at work */
};

struct ws_advice_list *ws_advice_list_create(void)
{
    return calloc(1, sizeof(struct ws_advice_list));
}

void ws_advice_list_destroy(struct ws_advice_list *list)
{
    if (list == NULL)
        return;
    ws_text_pool_finish(&list->texts);
    free(list->all);
    free(list);
}

const char *ws_advice_text(struct ws_advice_list *list, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    const char *kept = length >= 0 ? ws_text_pool_add(&list->texts, text) : NULL;
    if (length >= 0)
        free(text);
    list->failed = list->failed || kept == NULL;
    return kept != NULL ? kept : "";
}

bool ws_advice_add(struct ws_advice_list *list, const struct ws_advice *advice)
{
    if (list->failed)
        return false;
    struct ws_advice *all = ws_array_grow(list->all, &list->capacity, list->count + 1, sizeof(*all));
    if (all == NULL)
        return false;
    list->all = all;
    struct ws_advice *added = &all[list->count++];
    *added = *advice;
    added->rule = list->rule;
    added->doubt = advice->doubt != NULL ? advice->doubt : "";
    return true;
}

/* 0 = runs of shaders, 1 = bytes, 2 = nothing that can be counted. */
static int kind_of_saving(const struct ws_advice *advice)
{
    if (advice->saving == 0 || advice->saves == WS_SAVES_NOTHING)
        return 2;
    return advice->saves == WS_SAVES_BYTES;
}

static int compare(const void *left, const void *right)
{
    const struct ws_advice *a = left;
    const struct ws_advice *b = right;
    if (kind_of_saving(a) != kind_of_saving(b))
        return kind_of_saving(a) - kind_of_saving(b);
    if (kind_of_saving(a) < 2 && a->saving != b->saving)
        return a->saving > b->saving ? -1 : 1;
    if (a->certainty != b->certainty)
        return a->certainty < b->certainty ? -1 : 1;
    int order = strcmp(a->rule->name, b->rule->name);
    if (order == 0)
        order = strcmp(a->subject, b->subject);
    return order != 0 ? order : strcmp(a->evidence, b->evidence);
}

void ws_advice_list_sort(struct ws_advice_list *list)
{
    if (list->count > 1)
        qsort(list->all, list->count, sizeof(*list->all), compare);
}

const struct ws_advice *ws_advice_list_all(const struct ws_advice_list *list, size_t *count)
{
    *count = list->count;
    return list->all;
}

struct ws_advice_run {
    const struct ws_advice_input *input;
    struct ws_ray_paths paths;                  /* of the thread under way */
    struct ws_advice_state *states[RULE_COUNT]; /* NULL = silent, or not asked for */
    bool silent[RULE_COUNT];
};

static struct ws_advice_state *create_state(const struct ws_advice_rule *rule,
                                            const struct ws_advice_input *input)
{
    struct ws_advice_state *state = calloc(1, rule->state_size);
    if (state != NULL)
        *state = (struct ws_advice_state){.input = input, .evidence = {.entry_size = rule->entry_size}};
    return state;
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
    for (size_t i = 0; i < RULE_COUNT; ++i) {
        run->silent[i] = (rules[i]->needs_geometry && input->scene->structure_count == 0) ||
                         (rules[i]->traces_rays && input->trace == NULL);
        if (run->silent[i] || (only != NULL && strcmp(only, rules[i]->name) != 0))
            continue;
        run->states[i] = create_state(rules[i], input);
        if (run->states[i] == NULL || (rules[i]->init != NULL && !rules[i]->init(run->states[i])))
            goto error;
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
    if (run != NULL)
        ws_ray_paths_finish(&run->paths);
    free(run);
}

/* What a ray starts on is worked out once for all rules. */
static bool show_ray(struct ws_advice_run *run, const struct ws_advice_launch *launch,
                     const struct ws_ray_thread *thread, uint32_t number)
{
    struct ws_ray_source source;
    const struct ws_ray *ray = &thread->rays[number];
    const bool found =
        ws_ray_source_find(run->input, launch, thread, ray, run->paths.steps[number].start, &source);
    const struct ws_advice_ray shown = {
        .launch = launch, .thread = thread, .ray = ray, .number = number, .source = found ? &source : NULL};
    for (size_t i = 0; i < RULE_COUNT; ++i)
        if (run->states[i] != NULL && rules[i]->ray != NULL && !(ray->query && rules[i]->skips_queries) &&
            !rules[i]->ray(run->states[i], &shown))
            return false;
    return true;
}

/* What the size of the scene depends on but the ray. */
struct place {
    const struct ws_advice_input *input;
    const struct ws_advice_launch *launch;
};

static double size_of(const void *user, const struct ws_ray *ray)
{
    const struct place *place = user;
    return ws_advice_scene_size(place->input, place->launch, ray);
}

bool ws_advice_run_thread(struct ws_advice_run *run, const struct ws_advice_launch *launch,
                          const struct ws_ray_thread *thread)
{
    const struct place place = {run->input, launch};
    if (!ws_ray_paths_find(&run->paths, thread, &(struct ws_ray_scene_size){size_of, &place}))
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
    for (size_t i = 0; i < RULE_COUNT; ++i)
        if (run->states[i] != NULL && rules[i]->end_launch != NULL &&
            !rules[i]->end_launch(run->states[i], launch))
            return false;
    return true;
}

static bool judge(const struct ws_advice_rule *rule, struct ws_advice_state *state,
                  struct ws_advice_list *list)
{
    list->rule = rule;
    if (rule->end != NULL && !rule->end(state, list))
        return false;
    for (uint32_t i = 0; i < state->evidence.count && rule->advise != NULL; ++i)
        if (!rule->advise(state, i, list))
            return false;
    return true;
}

/* What is certain of a part is only likely of the whole. */
static void lower(struct ws_advice_list *list, struct ws_advice *advice, const char *partial)
{
    advice->doubt =
        ws_advice_text(list, "%s%s%s", partial, advice->doubt[0] != '\0' ? "; " : "", advice->doubt);
    if (advice->certainty == WS_CERTAIN)
        advice->certainty = WS_LIKELY;
}

bool ws_advice_run_end(struct ws_advice_run *run, const char *partial, struct ws_advice_list *list)
{
    for (size_t i = 0; i < RULE_COUNT; ++i)
        if (run->states[i] != NULL && !judge(rules[i], run->states[i], list))
            return false;
    for (uint32_t i = 0; i < list->count && partial != NULL; ++i)
        lower(list, &list->all[i], partial);
    ws_advice_list_sort(list);
    return !list->failed;
}

bool ws_advice_run_is_silent(const struct ws_advice_run *run, const struct ws_advice_rule *rule)
{
    for (size_t i = 0; i < RULE_COUNT; ++i)
        if (rules[i] == rule)
            return run->silent[i];
    return false;
}
