/* The advisers, and what is done with all of their advice alike. */
#include "analysis/advice/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/catalog.h"
#include "passes/base/array.h"

/* A new adviser is one more line here: X(name), for the struct ws_adviser named ws_adviser_<name>. */
#define ADVISERS(X)                                                                                          \
    X(opaque)                                                                                                \
    X(cull_mask)                                                                                             \
    X(shadow_flags)                                                                                          \
    X(aabb)                                                                                                  \
    X(sbt_unused)                                                                                            \
    X(empty_shaders)                                                                                         \
    X(short_rays)                                                                                            \
    X(heavy_threads)                                                                                         \
    X(trapped) X(idle_lanes) X(tmin_low) X(tmin_high) X(leaks) X(back_face) X(into_surface) X(duplicate)

#define DECLARE(name) extern const struct ws_adviser ws_adviser_##name;
ADVISERS(DECLARE)
#undef DECLARE

#define ADDRESS(name) &ws_adviser_##name,
static const struct ws_adviser *const advisers[] = {ADVISERS(ADDRESS) NULL};
#undef ADDRESS

#define ADVISER_COUNT (sizeof(advisers) / sizeof(advisers[0]) - 1)

struct ws_advice_list {
    struct ws_advice_item *items;
    uint32_t count;
    uint32_t capacity;
    const struct ws_adviser *adviser; /* whose items are added */
};

struct ws_advice_run {
    void *states[ADVISER_COUNT]; /* NULL = silent, or not asked for */
    bool silent[ADVISER_COUNT];
};

const struct ws_adviser *const *ws_adviser_list(void)
{
    return advisers;
}

struct ws_advice_list *ws_advice_list_create(void)
{
    return calloc(1, sizeof(struct ws_advice_list));
}

/* The texts of an item are its own. */
static void finish_item(struct ws_advice *advice)
{
    free((char *)advice->subject);
    free((char *)advice->evidence);
    free((char *)advice->change);
    free((char *)advice->doubt);
}

void ws_advice_list_destroy(struct ws_advice_list *list)
{
    for (uint32_t i = 0; list != NULL && i < list->count; ++i)
        finish_item(&list->items[i].advice);
    if (list != NULL)
        free(list->items);
    free(list);
}

bool ws_advice_add(struct ws_advice_list *list, const struct ws_advice *advice)
{
    struct ws_advice_item *items =
        ws_array_grow(list->items, &list->capacity, list->count + 1, sizeof(*items));
    if (items == NULL)
        return false;
    list->items = items;
    struct ws_advice_item *item = &items[list->count];
    *item = (struct ws_advice_item){list->adviser, *advice};
    item->advice.subject = strdup(advice->subject);
    item->advice.evidence = strdup(advice->evidence);
    item->advice.change = strdup(advice->change);
    item->advice.doubt = strdup(advice->doubt != NULL ? advice->doubt : "");
    if (item->advice.subject == NULL || item->advice.evidence == NULL || item->advice.change == NULL ||
        item->advice.doubt == NULL) {
        finish_item(&item->advice);
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
    const struct ws_advice_item *a = left;
    const struct ws_advice_item *b = right;
    if (kind_of_saving(&a->advice) != kind_of_saving(&b->advice))
        return kind_of_saving(&a->advice) - kind_of_saving(&b->advice);
    if (kind_of_saving(&a->advice) < 2 && a->advice.saving != b->advice.saving)
        return a->advice.saving > b->advice.saving ? -1 : 1;
    if (a->advice.certainty != b->advice.certainty)
        return a->advice.certainty < b->advice.certainty ? -1 : 1;
    int order = strcmp(a->adviser->name, b->adviser->name);
    if (order == 0)
        order = strcmp(a->advice.subject, b->advice.subject);
    return order != 0 ? order : strcmp(a->advice.evidence, b->advice.evidence);
}

void ws_advice_list_sort(struct ws_advice_list *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof(*list->items), compare);
}

const struct ws_advice_item *ws_advice_list_items(const struct ws_advice_list *list, size_t *count)
{
    *count = list->count;
    return list->items;
}

struct ws_advice_run *ws_advice_run_create(const struct ws_advice_input *input, const char *only)
{
    struct ws_advice_run *run = calloc(1, sizeof(*run));
    for (size_t i = 0; run != NULL && i < ADVISER_COUNT; ++i) {
        run->silent[i] = advisers[i]->needs_geometry && input->scene->structure_count == 0;
        if (run->silent[i] || (only != NULL && strcmp(only, advisers[i]->name) != 0))
            continue;
        run->states[i] = advisers[i]->create(input);
        if (run->states[i] == NULL) {
            ws_advice_run_destroy(run);
            run = NULL;
        }
    }
    return run;
}

void ws_advice_run_destroy(struct ws_advice_run *run)
{
    for (size_t i = 0; run != NULL && i < ADVISER_COUNT; ++i)
        if (run->states[i] != NULL)
            advisers[i]->destroy(run->states[i]);
    free(run);
}

static bool show_thread(const struct ws_adviser *adviser, void *state, const struct ws_advice_launch *launch,
                        const struct ws_ray_thread *thread)
{
    if (adviser->thread != NULL)
        return adviser->thread(state, launch, thread);
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!adviser->ray(state, launch, thread, r))
            return false;
    return true;
}

bool ws_advice_run_thread(struct ws_advice_run *run, const struct ws_advice_launch *launch,
                          const struct ws_ray_thread *thread)
{
    for (size_t i = 0; i < ADVISER_COUNT; ++i)
        if (run->states[i] != NULL && !show_thread(advisers[i], run->states[i], launch, thread))
            return false;
    return true;
}

bool ws_advice_run_end_launch(struct ws_advice_run *run, const struct ws_advice_launch *launch)
{
    for (size_t i = 0; i < ADVISER_COUNT; ++i)
        if (run->states[i] != NULL && advisers[i]->end_launch != NULL &&
            !advisers[i]->end_launch(run->states[i], launch))
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
    for (size_t i = 0; i < ADVISER_COUNT; ++i) {
        list->adviser = advisers[i];
        if (run->states[i] != NULL && !advisers[i]->end(run->states[i], list))
            return false;
    }
    for (uint32_t i = 0; i < list->count; ++i)
        if (partial != NULL && !lower(&list->items[i].advice, partial))
            return false;
    ws_advice_list_sort(list);
    return true;
}

bool ws_advice_run_is_silent(const struct ws_advice_run *run, const struct ws_adviser *adviser)
{
    for (size_t i = 0; i < ADVISER_COUNT; ++i)
        if (advisers[i] == adviser)
            return run->silent[i];
    return false;
}
