/* The rules of advice, the list of what they say, and the run that shows them every ray. */
#include "analysis/advice/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"
#include "passes/base/array.h"

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

struct ws_advice_list {
    struct ws_advice *all;
    uint32_t count;
    uint32_t capacity;
    const struct ws_advice_rule *rule; /* whose advice is added */
};

struct ws_advice_run {
    const struct ws_advice_input *input;
    struct ws_ray_paths paths;
    void *states[RULE_COUNT]; /* NULL = silent, or not asked for */
    bool silent[RULE_COUNT];
};

const struct ws_advice_rule *const *ws_advice_rules(void)
{
    return rules;
}

struct ws_advice_list *ws_advice_list_create(void)
{
    return calloc(1, sizeof(struct ws_advice_list));
}

/* The texts of a piece of advice are its own. */
static void finish_advice(struct ws_advice *advice)
{
    free((char *)advice->subject);
    free((char *)advice->evidence);
    free((char *)advice->change);
    free((char *)advice->doubt);
}

void ws_advice_list_destroy(struct ws_advice_list *list)
{
    for (uint32_t i = 0; list != NULL && i < list->count; ++i)
        finish_advice(&list->all[i]);
    if (list != NULL)
        free(list->all);
    free(list);
}

bool ws_advice_add(struct ws_advice_list *list, const struct ws_advice *advice)
{
    struct ws_advice *all = ws_array_grow(list->all, &list->capacity, list->count + 1, sizeof(*all));
    if (all == NULL)
        return false;
    list->all = all;
    struct ws_advice *added = &all[list->count];
    *added = *advice;
    added->rule = list->rule;
    added->subject = strdup(advice->subject);
    added->evidence = strdup(advice->evidence);
    added->change = strdup(advice->change);
    added->doubt = strdup(advice->doubt != NULL ? advice->doubt : "");
    if (added->subject == NULL || added->evidence == NULL || added->change == NULL || added->doubt == NULL) {
        finish_advice(added);
        return false;
    }
    list->count++;
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

struct ws_advice_run *ws_advice_run_create(const struct ws_advice_input *input, const char *only)
{
    struct ws_advice_run *run = calloc(1, sizeof(*run));
    if (run != NULL)
        run->input = input;
    for (size_t i = 0; run != NULL && i < RULE_COUNT; ++i) {
        run->silent[i] = rules[i]->needs_geometry && input->scene->structure_count == 0;
        if (run->silent[i] || (only != NULL && strcmp(only, rules[i]->name) != 0))
            continue;
        run->states[i] = rules[i]->create(input);
        if (run->states[i] == NULL) {
            ws_advice_run_destroy(run);
            run = NULL;
        }
    }
    return run;
}

void ws_advice_run_destroy(struct ws_advice_run *run)
{
    for (size_t i = 0; run != NULL && i < RULE_COUNT; ++i)
        if (run->states[i] != NULL)
            rules[i]->destroy(run->states[i]);
    if (run != NULL)
        ws_ray_paths_finish(&run->paths);
    free(run);
}

static bool show_thread(const struct ws_advice_rule *rule, void *state, const struct ws_advice_launch *launch,
                        const struct ws_ray_thread *thread)
{
    if (rule->thread != NULL)
        return rule->thread(state, launch, thread);
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!rule->ray(state, launch, thread, r))
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
    return ws_ray_scene_size(place->input, place->launch, ray);
}

bool ws_advice_run_thread(struct ws_advice_run *run, const struct ws_advice_launch *launch,
                          const struct ws_ray_thread *thread)
{
    const struct place place = {run->input, launch};
    const struct ws_ray_scene_size size = {size_of, &place};
    struct ws_advice_launch shown = *launch;
    if (!ws_ray_paths_find(&run->paths, thread, &size))
        return false;
    shown.steps = run->paths.steps;
    for (size_t i = 0; i < RULE_COUNT; ++i)
        if (run->states[i] != NULL && !show_thread(rules[i], run->states[i], &shown, thread))
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

/* What is certain of a part is only likely of the whole. */
static bool lower(struct ws_advice *advice, const char *partial)
{
    const size_t size = strlen(partial) + strlen(advice->doubt) + 3;
    char *doubt = malloc(size);
    if (doubt == NULL)
        return false;
    snprintf(doubt, size, "%s%s%s", partial, advice->doubt[0] != '\0' ? "; " : "", advice->doubt);
    free((char *)advice->doubt);
    advice->doubt = doubt;
    if (advice->certainty == WS_CERTAIN)
        advice->certainty = WS_LIKELY;
    return true;
}

bool ws_advice_run_end(struct ws_advice_run *run, const char *partial, struct ws_advice_list *list)
{
    for (size_t i = 0; i < RULE_COUNT; ++i) {
        list->rule = rules[i];
        if (run->states[i] != NULL && !rules[i]->end(run->states[i], list))
            return false;
    }
    for (uint32_t i = 0; i < list->count; ++i)
        if (partial != NULL && !lower(&list->all[i], partial))
            return false;
    ws_advice_list_sort(list);
    return true;
}

bool ws_advice_run_is_silent(const struct ws_advice_run *run, const struct ws_advice_rule *rule)
{
    for (size_t i = 0; i < RULE_COUNT; ++i)
        if (rules[i] == rule)
            return run->silent[i];
    return false;
}
