/* The list of advice: what rules have added, and its order (advice.h). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/evidence.h"
#include "analysis/advice/rule.h"
#include "warpscope/base/array.h"
#include "warpscope/base/text.h"

#define LEAST_SAVED 0.001   /* of the work, or of the bytes */
#define LEAST_WRONG 10000.0 /* one ray in so many */

struct ws_advice_list {
    struct ws_advice *all;
    uint32_t count;
    uint32_t capacity;
    struct ws_text_pool texts;
    bool failed;                       /* no memory for a text */
    const struct ws_advice_rule *rule; /* at work */
    uint32_t shader;                   /* that it is shown */
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

void ws_advice_list_begin(struct ws_advice_list *list, const struct ws_advice_rule *rule, uint32_t shader)
{
    list->rule = rule;
    list->shader = shader;
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
    added->shader = list->shader;
    added->doubt = advice->doubt != NULL ? advice->doubt : "";
    return true;
}

bool ws_advice_list_lower(struct ws_advice_list *list, const char *partial)
{
    for (uint32_t i = 0; i < list->count; ++i) {
        struct ws_advice *advice = &list->all[i];
        advice->doubt =
            ws_advice_text(list, "%s%s%s", partial, advice->doubt[0] != '\0' ? "; " : "", advice->doubt);
        if (advice->certainty == WS_CERTAIN)
            advice->certainty = WS_LIKELY;
    }
    return !list->failed;
}

/* Of the capture's work. Costs are averages: those of a part can be more than the whole. */
static double work_share(const struct ws_advice_costs *costs, double one, uint64_t count)
{
    const double cost = one * (double)count;
    return cost < costs->work ? cost / costs->work : cost > 0 && costs->work > 0;
}

static void weigh(struct ws_advice *advice, const struct ws_advice_costs *costs)
{
    const double wrong = work_share(costs, costs->of[WS_SAVES_RAYS], advice->wrong_rays);
    double saved =
        work_share(costs, advice->cost > 0 ? advice->cost : costs->of[advice->saves], advice->saving);
    if (advice->saves == WS_SAVES_BYTES)
        saved = advice->of > 0 ? (double)advice->saving / (double)advice->of : 0;
    advice->share = saved > wrong ? saved : wrong;
    advice->small =
        advice->share > 0 && saved < LEAST_SAVED &&
        (advice->wrong_rays == 0 || LEAST_WRONG * (double)advice->wrong_rays < (double)costs->rays);
}

enum place { WORK, WORK_AT_MOST, BYTES, NOTHING_COUNTED, SMALL };

static int place_of(const struct ws_advice *advice)
{
    if (advice->small || advice->share <= 0)
        return advice->small ? SMALL : NOTHING_COUNTED;
    if (advice->saves == WS_SAVES_BYTES)
        return BYTES;
    return advice->at_most && advice->wrong_rays == 0 ? WORK_AT_MOST : WORK;
}

static int compare_rank(const void *left, const void *right)
{
    const struct ws_advice *a = left;
    const struct ws_advice *b = right;
    if (place_of(a) != place_of(b))
        return place_of(a) - place_of(b);
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    if (a->certainty != b->certainty)
        return a->certainty < b->certainty ? -1 : 1;
    int order = strcmp(a->rule->name, b->rule->name);
    if (order == 0)
        order = strcmp(a->subject, b->subject);
    return order != 0 ? order : strcmp(a->evidence, b->evidence);
}

/* Pieces that are joined stand side by side, the first of them first. */
static int compare_number(const void *left, const void *right)
{
    const struct ws_advice *a = left;
    const struct ws_advice *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->joined != b->joined ? (a->joined ? 1 : -1) : compare_rank(left, right);
}

/* The first piece of a topic that pulls neither way, up and down; index + 1. */
struct topic {
    uint32_t first[WS_PULL_DOWN + 1];
};

static bool has_topic(const struct ws_advice *advice)
{
    static const struct ws_subject none;
    return memcmp(&advice->topic, &none, sizeof(none)) != 0;
}

/* The piece that a piece joins: the first of its topic that does not pull the other way; index + 1, 0 = it is
 * the first. */
static uint32_t leader_of(const struct topic *topic, enum ws_pull pull)
{
    uint32_t leader = 0;
    for (uint32_t i = 0; i <= WS_PULL_DOWN; ++i) {
        const bool opposite = i != WS_PULL_NEITHER && pull != WS_PULL_NEITHER && i != pull;
        if (!opposite && topic->first[i] > 0 && (leader == 0 || topic->first[i] < leader))
            leader = topic->first[i];
    }
    return leader;
}

/* Numbers the sorted pieces, and joins those of one topic. */
static bool join(struct ws_advice_list *list, struct ws_evidence *topics)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        struct ws_advice *advice = &list->all[i];
        struct topic *topic = has_topic(advice) ? ws_evidence_add(topics, &advice->topic, NULL) : NULL;
        const uint32_t leader = topic != NULL ? leader_of(topic, advice->pull) : 0;
        if (topic == NULL && has_topic(advice))
            return false;
        /* One that pulls neither way and has joined one that does is no leader: the next may pull against it. */
        if (topic != NULL && topic->first[advice->pull] == 0 &&
            (leader == 0 || advice->pull != WS_PULL_NEITHER))
            topic->first[advice->pull] = i + 1;
        advice->joined = leader > 0;
        advice->number = leader > 0 ? list->all[leader - 1].number : ++number;
    }
    return true;
}

/* Finds pieces that pull in opposite directions, after everything has its place. */
static bool oppose(struct ws_advice_list *list, struct ws_evidence *topics)
{
    for (uint32_t i = 0; i < list->count; ++i) {
        struct topic *topic =
            has_topic(&list->all[i]) ? ws_evidence_add(topics, &list->all[i].topic, NULL) : NULL;
        if (topic == NULL && has_topic(&list->all[i]))
            return false;
        if (topic != NULL && topic->first[list->all[i].pull] == 0)
            topic->first[list->all[i].pull] = i + 1;
    }
    for (uint32_t i = 0; i < list->count; ++i) {
        struct ws_advice *advice = &list->all[i];
        const struct topic *topic = has_topic(advice) ? ws_evidence_find(topics, &advice->topic) : NULL;
        const enum ws_pull other = advice->pull == WS_PULL_UP ? WS_PULL_DOWN : WS_PULL_UP;
        advice->against = topic != NULL && advice->pull != WS_PULL_NEITHER && topic->first[other] > 0
                              ? topic->first[other] - 1
                              : WS_NONE;
    }
    return true;
}

static void sort(struct ws_advice_list *list, int (*compare)(const void *left, const void *right))
{
    if (list->count > 1)
        qsort(list->all, list->count, sizeof(*list->all), compare);
}

bool ws_advice_list_rank(struct ws_advice_list *list, const struct ws_advice_costs *costs)
{
    struct ws_evidence topics = {.entry_size = sizeof(struct topic)};
    for (uint32_t i = 0; i < list->count; ++i)
        weigh(&list->all[i], costs);
    sort(list, compare_rank);
    bool ranked = !list->failed && join(list, &topics);
    ws_evidence_finish(&topics);
    sort(list, compare_number);
    ranked = ranked && oppose(list, &topics);
    ws_evidence_finish(&topics);
    return ranked;
}

const struct ws_advice *ws_advice_list_all(const struct ws_advice_list *list, size_t *count)
{
    *count = list->count;
    return list->all;
}
