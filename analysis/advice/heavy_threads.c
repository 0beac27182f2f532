/* Advice `heavy_threads`: threads with far more work than the others.
 *
 * WORK of a thread: its rays, any-hit runs, intersection runs and candidates of ray queries. By the shader
 * that traced the thread's first ray: the median work of the threads that traced, over the capture, and the
 * threads with the most. A thread is HEAVY where its work is more than four times the median and at least 16
 * more: below that one more bounce or leaf is all it takes. Advised where there are heavy threads among 32 or
 * more, of fewer a median says little; and where they do at least a tenth of the work: less is not worth a
 * look.
 *
 * Saves nothing that can be counted: what these threads do may be needed. POSSIBLE. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"

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

/* Subject: the shader. */
struct entry {
    uint64_t threads;
    uint64_t work;
    struct ws_id_map counts; /* work -> threads */
    uint32_t shader;
    struct heavy top[TOP]; /* most first */
};

struct heavy_threads {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
};

static void *create(const struct ws_advice_input *input)
{
    struct heavy_threads *heavy = calloc(1, sizeof(*heavy));
    if (heavy != NULL)
        heavy->input = input;
    return heavy;
}

static void destroy(void *rule)
{
    struct heavy_threads *heavy = rule;
    for (uint32_t i = 0; i < heavy->subjects.count && i < heavy->capacity; ++i)
        ws_id_map_finish(&heavy->entries[i].counts);
    ws_subjects_finish(&heavy->subjects);
    free(heavy->entries);
    free(heavy);
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

static struct heavy measure(const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct heavy heavy = {.rays = thread->ray_count, .work = thread->ray_count};
    for (uint32_t r = 0; r < thread->ray_count; ++r) {
        const struct ws_ray *ray = &thread->rays[r];
        heavy.any_hits += ray->any_hits;
        heavy.intersections += ray->intersections;
        heavy.work += ray->query ? ray->candidate_count : (uint64_t)ray->any_hits + ray->intersections;
    }
    memcpy(heavy.thread, thread->thread->work, sizeof(heavy.thread));
    memcpy(heavy.place, thread->rays[0].origin, sizeof(heavy.place));
    heavy.launch = launch->threads->launch->index;
    return heavy;
}

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct heavy_threads *heavy = rule;
    struct ws_subject subject = {{0}};
    uint32_t before = 0;
    if (thread->ray_count == 0)
        return true;
    ws_subject_shader(heavy->input->catalog, thread->rays[0].shader, &subject);
    const uint32_t index = ws_subjects_add(&heavy->subjects, &subject);
    if (index == WS_NONE || !ws_subjects_follow(&heavy->subjects, (void **)&heavy->entries, &heavy->capacity,
                                                sizeof(struct entry)))
        return false;
    struct entry *entry = &heavy->entries[index];
    const struct heavy measured = measure(launch, thread);
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

/* The median, and how many threads are heavy with how much work. False when there is no memory. */
static bool judge(const struct entry *entry, uint64_t *median, uint64_t *threads, uint64_t *work)
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
    *median = 0;
    *threads = 0;
    *work = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (2 * passed < entry->threads)
            *median = slots[i].key;
        passed += slots[i].value;
        if (2 * passed > entry->threads && slots[i].key > TIMES * *median &&
            slots[i].key >= *median + LEAST_MORE) {
            *threads += slots[i].value;
            *work += slots[i].value * slots[i].key;
        }
    }
    free(slots);
    return true;
}

static bool advise(const struct heavy_threads *heavy, const struct entry *entry, uint64_t median,
                   uint64_t threads, uint64_t work, struct ws_advice_list *list)
{
    char subject[256];
    char evidence[1024];
    char change[256];
    const struct heavy *top = &entry->top[0];
    ws_catalog_shader_name(heavy->input->catalog, entry->shader, subject, sizeof(subject));
    size_t used =
        (size_t)snprintf(evidence, sizeof(evidence),
                         "%" PRIu64 " of %" PRIu64
                         " threads do %.1f %% of the work (rays, any-hit and intersection runs); half "
                         "of all do no more than %" PRIu64 ". The most:",
                         threads, entry->threads, ws_percent(work, entry->work), median);
    for (uint32_t i = 0; i < TOP && i < threads && used < sizeof(evidence); ++i)
        used += (size_t)snprintf(evidence + used, sizeof(evidence) - used,
                                 "%s thread %" PRIu32 ",%" PRIu32 ",%" PRIu32 " of launch %" PRIu64
                                 " (%" PRIu64 " rays, %" PRIu64 " any-hit, %" PRIu64 " intersection runs)",
                                 i > 0 ? "," : "", entry->top[i].thread[0], entry->top[i].thread[1],
                                 entry->top[i].thread[2], entry->top[i].launch, entry->top[i].rays,
                                 entry->top[i].any_hits, entry->top[i].intersections);
    snprintf(change, sizeof(change),
             "look at what they do (warpscope report FILE ray_events --thread %" PRIu32 ",%" PRIu32
             ",%" PRIu32 " --launch %" PRIu64 "), and limit bounces or samples where they add little",
             top->thread[0], top->thread[1], top->thread[2], top->launch);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = change,
        .certainty = WS_POSSIBLE,
        .doubt = "their work may be needed",
    };
    ws_advice_set_place(&advice, top->place);
    ws_advice_set_thread(&advice, top->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct heavy_threads *heavy = rule;
    for (uint32_t i = 0; i < heavy->subjects.count; ++i) {
        const struct entry *entry = &heavy->entries[i];
        uint64_t median = 0;
        uint64_t threads = 0;
        uint64_t work = 0;
        if (!judge(entry, &median, &threads, &work))
            return false;
        if (work > 0 && LEAST_SHARE * work >= entry->work && entry->threads >= LEAST_THREADS &&
            !advise(heavy, entry, median, threads, work, list))
            return false;
    }
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_heavy_threads;

const struct ws_advice_rule ws_advice_rule_heavy_threads = {
    .name = "heavy_threads",
    .title = "Threads with far more work than others",
    .summary = "threads with more than four times the median of rays, any-hit and intersection runs",
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
