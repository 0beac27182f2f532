/* Advice `heavy_threads`: a few threads have far more work than the others.
 *
 * Evidence, by the shader that traced the thread's first ray: the WORK of a thread is its rays, any-hit runs,
 * intersection runs and candidates of ray queries. A thread is HEAVY where its work is more than four times
 * the median of the threads that traced, over the capture, and at least 16 more: below that one more bounce
 * or leaf is all it takes. It is said where there are 32 threads or more, for of fewer a median says little,
 * and where the heavy ones do at least a tenth of the work, for less is not worth a look.
 *
 * Saving: nothing that can be counted. What these threads do may be needed. POSSIBLE.
 *
 * Example: most pixels of a picture trace 3 rays, those of a glass ball up to 60. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"

#define TIMES         4
#define LEAST_MORE    16
#define LEAST_THREADS 32
#define LEAST_SHARE   10 /* one tenth */
#define TOP           3

struct heavy {
    uint64_t work;
    uint64_t rays;
    uint64_t any_hits;
    uint64_t intersections;
    uint32_t thread[3];
    uint64_t launch;
    float place[3];
};

/* A shader. */
struct entry {
    uint64_t threads;
    uint64_t work;
    struct ws_id_map counts; /* work -> threads */
    uint32_t shader;         /* index in the catalog */
    struct heavy top[TOP];   /* most first */
};

static void finish(void *user)
{
    const struct ws_advice_state *state = user;
    for (uint32_t i = 0; i < state->evidence.count; ++i) {
        struct entry *entry = ws_evidence_at(&state->evidence, i);
        ws_id_map_finish(&entry->counts);
    }
}

/* Puts the thread among the first, behind those with as much work. */
static void rank(struct entry *entry, const struct heavy *heavy)
{
    uint32_t at = TOP;
    while (at > 0 && entry->top[at - 1].work < heavy->work) {
        if (at < TOP)
            entry->top[at] = entry->top[at - 1];
        at--;
    }
    if (at < TOP)
        entry->top[at] = *heavy;
}

static struct heavy measure(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                            const struct ws_ray_thread *thread)
{
    struct heavy heavy = {.rays = 0};
    for (uint32_t r = 0; r < thread->ray_count; ++r) {
        const struct ws_ray *ray = &thread->rays[r];
        if (!ws_advice_is_chosen(input, launch, ray))
            continue;
        heavy.rays++;
        heavy.work++;
        heavy.any_hits += ray->any_hits;
        heavy.intersections += ray->intersections;
        heavy.work += ray->query ? ray->candidate_count : (uint64_t)ray->any_hits + ray->intersections;
    }
    memcpy(heavy.thread, thread->thread->work, sizeof(heavy.thread));
    memcpy(heavy.place, thread->rays[0].origin, sizeof(heavy.place));
    heavy.launch = launch->threads->launch->index;
    return heavy;
}

static bool add_thread(void *user, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct ws_advice_state *state = user;
    struct ws_subject subject = {{0}};
    uint32_t before = 0;
    const struct heavy measured = measure(state->input, launch, thread);
    if (measured.rays == 0)
        return true;
    ws_subject_shader(state->input->catalog, thread->rays[0].shader, &subject);
    struct entry *entry = ws_evidence_add(&state->evidence, &subject, NULL);
    if (entry == NULL)
        return false;
    entry->shader = thread->rays[0].shader;
    entry->threads++;
    entry->work += measured.work;
    rank(entry, &measured);
    if (!ws_id_map_get(&entry->counts, measured.work, &before))
        before = 0;
    return before == UINT32_MAX || ws_id_map_put(&entry->counts, measured.work, before + 1);
}

static int compare(const void *left, const void *right)
{
    const struct ws_id_slot *a = left;
    const struct ws_id_slot *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* The median of the threads' work, and how many threads are heavy with how much work. */
struct judgement {
    uint64_t median;
    uint64_t threads;
    uint64_t work;
};

/* False when there is no memory. */
static bool judge(const struct entry *entry, struct judgement *judgement)
{
    struct ws_id_slot *slots = malloc(((size_t)entry->counts.count + 1) * sizeof(*slots));
    uint32_t count = 0;
    uint64_t passed = 0;
    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < entry->counts.capacity; ++i)
        if (entry->counts.slots[i].used)
            slots[count++] = entry->counts.slots[i];
    if (count > 1)
        qsort(slots, count, sizeof(*slots), compare);
    *judgement = (struct judgement){.median = 0};
    for (uint32_t i = 0; i < count; ++i) {
        if (2 * passed < entry->threads)
            judgement->median = slots[i].key;
        passed += slots[i].value;
        if (2 * passed > entry->threads && slots[i].key > TIMES * judgement->median &&
            slots[i].key >= judgement->median + LEAST_MORE) {
            judgement->threads += slots[i].value;
            judgement->work += slots[i].value * slots[i].key;
        }
    }
    free(slots);
    return true;
}

/* " thread 3,4,0 of launch 0 (60 rays, 0 any-hit, 0 intersection runs), ..." of those with the most work. */
static void describe_top(const struct entry *entry, uint64_t threads, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < TOP && i < threads && used < size; ++i) {
        const struct heavy *top = &entry->top[i];
        used += (size_t)snprintf(text + used, size - used,
                                 "%s thread %" PRIu32 ",%" PRIu32 ",%" PRIu32 " of launch %" PRIu64
                                 " (%" PRIu64 " rays, %" PRIu64 " any-hit, %" PRIu64 " intersection runs)",
                                 i > 0 ? "," : "", top->thread[0], top->thread[1], top->thread[2],
                                 top->launch, top->rays, top->any_hits, top->intersections);
    }
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct ws_advice_state *state = user;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    const struct heavy *top = &entry->top[0];
    struct judgement judgement;
    char most[768];
    if (!judge(entry, &judgement))
        return false;
    if (judgement.work == 0 || LEAST_SHARE * judgement.work < entry->work || entry->threads < LEAST_THREADS)
        return true;
    describe_top(entry, judgement.threads, most, sizeof(most));
    struct ws_advice advice = {
        .subject = ws_advice_shader_name(list, state->input->catalog, entry->shader),
        .evidence =
            ws_advice_text(list,
                           "%" PRIu64 " of %" PRIu64
                           " threads do %.1f %% of the work (rays, any-hit and intersection runs); half "
                           "of all threads do no more than %" PRIu64 ". The heaviest:%s",
                           judgement.threads, entry->threads, ws_percent(judgement.work, entry->work),
                           judgement.median, most),
        .change = ws_advice_text(list,
                                 "look at what they do (warpscope report FILE ray_events --thread %" PRIu32
                                 ",%" PRIu32 ",%" PRIu32 " --launch %" PRIu64
                                 "), and limit bounces or samples where they add little",
                                 top->thread[0], top->thread[1], top->thread[2], top->launch),
        .certainty = WS_POSSIBLE,
        .doubt = "their work may be needed",
    };
    ws_advice_set_place(&advice, top->place);
    ws_advice_set_thread(&advice, top->launch, top->thread);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_heavy_threads;

const struct ws_advice_rule ws_advice_rule_heavy_threads = {
    .name = "heavy_threads",
    .cause = WS_CAUSE_HEAVY,
    .title = "Threads with far more work than others",
    .summary = "threads with more than four times the median of rays, any-hit and intersection runs",
    .evidence = WS_EVIDENCE_THREADS,
    .state_size = sizeof(struct ws_advice_state),
    .entry_size = sizeof(struct entry),
    .finish = finish,
    .thread = add_thread,
    .advise = advise,
};
