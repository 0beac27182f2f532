/* Advice `sbt_unused`: shaders of binding tables that no ray ever called, or named.
 *
 * By ray tracing pipeline and table (miss, hit), as groups and tables were captured: a record is called where
 * a shader of it ran in a captured launch with that pipeline: of the miss table the record of the miss
 * index of each ray, also of those that hit, since it would have run had they not; of the hit table that of
 * instance offset + geometry index * stride of the ray + offset of the ray, for each any-hit run,
 * intersection run, report and closest hit run. Unused is a record with a group that no called record has.
 * One piece of advice per pipeline and table, with the first of them. (A ray with SkipClosestHitShader selects a record
 * without calling anything of it: it needs none.)
 *
 * Silent about the hit table of a pipeline where some shader ran for an instance of which nothing is
 * captured, so that its record cannot be told. Silent about callable records: which one executeCallable
 * selects is not recorded; and about ray generation, whose only record always runs. Records of zeros are no
 * waste.
 *
 * Saves no runs. LIKELY where records of that table were called at least 64 times, else POSSIBLE: so few may
 * just not have met it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"
#include "analysis/scene/scene_sbt.h"

#define LIKELY_CALLS 64
#define NAMED        4 /* records named in the evidence */

enum table { MISS, HIT, TABLES };

/* A pipeline. Subject: its chunk id. */
struct entry {
    uint64_t calls[TABLES];
    uint64_t unknown;      /* runs of which the record cannot be told */
    uint8_t *used[TABLES]; /* per record */
    uint32_t count[TABLES];
    uint64_t launch[TABLES]; /* that has the most records */
};

struct unused {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
    uint64_t launch; /* of `entry` */
    bool begun;
    uint32_t entry; /* WS_NONE = no tables */
};

static void *create(const struct ws_advice_input *input)
{
    struct unused *unused = calloc(1, sizeof(*unused));
    if (unused != NULL)
        unused->input = input;
    return unused;
}

static void destroy(void *rule)
{
    struct unused *unused = rule;
    for (uint32_t i = 0; i < unused->subjects.count && i < unused->capacity; ++i)
        for (int t = 0; t < TABLES; ++t)
            free(unused->entries[i].used[t]);
    ws_subjects_finish(&unused->subjects);
    free(unused->entries);
    free(unused);
}

static enum ws_sbt_table table_of(enum table table)
{
    return table == MISS ? WS_SBT_MISS : WS_SBT_HIT;
}

/* Makes room for the records that the launch's tables have. */
static bool grow(const struct unused *unused, struct entry *entry, uint64_t launch)
{
    for (int t = 0; t < TABLES; ++t) {
        const uint32_t count = ws_scene_sbt_count(unused->input->tables, launch, table_of(t));
        if (count <= entry->count[t])
            continue;
        uint8_t *used = ws_catalog_follow(entry->used[t], entry->count[t], count, count, 1);
        if (used == NULL)
            return false;
        entry->used[t] = used;
        entry->count[t] = count;
        entry->launch[t] = launch;
    }
    return true;
}

/* Finds what is known of the pipeline of a launch. */
static bool begin(struct unused *unused, uint64_t launch)
{
    unused->begun = true;
    unused->launch = launch;
    unused->entry = WS_NONE;
    const struct ws_subject subject = {{ws_scene_sbt_pipeline(unused->input->tables, launch)}};
    if (subject.words[0] == WS_NONE)
        return true;
    const uint32_t index = ws_subjects_add(&unused->subjects, &subject);
    if (index == WS_NONE || !ws_subjects_follow(&unused->subjects, (void **)&unused->entries,
                                                &unused->capacity, sizeof(struct entry)))
        return false;
    unused->entry = index;
    return grow(unused, &unused->entries[index], launch);
}

static void use(struct entry *entry, enum table table, uint64_t record)
{
    if (record < entry->count[table])
        entry->used[table][record] = 1;
}

static void use_hit(const struct unused *unused, const struct ws_advice_launch *launch,
                    const struct ws_ray *ray, const struct ws_ray_hit *hit, struct entry *entry)
{
    struct ws_target target;
    if (!ws_target_find(unused->input, launch, ray, hit, &target)) {
        entry->unknown++;
        return;
    }
    entry->calls[HIT]++;
    use(entry, HIT,
        (uint64_t)target.instance.sbt_offset + (uint64_t)hit->geometry * ray->sbt_stride + ray->sbt_offset);
}

static void add_ray(const struct unused *unused, const struct ws_advice_launch *launch,
                    const struct ws_ray_thread *thread, const struct ws_ray *ray, struct entry *entry)
{
    for (uint32_t c = 0; c < ray->candidate_count; ++c)
        use_hit(unused, launch, ray, &thread->candidates[ray->candidate_first + c].hit, entry);
    use(entry, MISS, ray->miss_index);
    if (ray->end == WS_RAY_MISSED)
        entry->calls[MISS]++;
    else if (ray->end == WS_RAY_HIT)
        use_hit(unused, launch, ray, &ray->hit, entry);
}

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct unused *unused = rule;
    const uint64_t number = launch->threads->launch->index;
    if (unused->input->tables == NULL)
        return true;
    if ((!unused->begun || unused->launch != number) && !begin(unused, number))
        return false;
    for (uint32_t r = 0; r < thread->ray_count && unused->entry != WS_NONE; ++r)
        if (!thread->rays[r].query)
            add_ray(unused, launch, thread, &thread->rays[r], &unused->entries[unused->entry]);
    return true;
}

/* Whether a record of this group calls anything. */
static bool has_shaders(const struct ws_shader_group *group)
{
    return group->general != WS_NONE || group->closest_hit != WS_NONE || group->any_hit != WS_NONE ||
           group->intersection != WS_NONE;
}

/* Adds ", 3 (leaf.rchit:main, cutout.rahit:main)" to the text. */
static void name_record(const struct unused *unused, uint32_t record, const struct ws_shader_group *group,
                        bool first, char *text, size_t size)
{
    const uint32_t shaders[] = {group->general, group->closest_hit, group->any_hit, group->intersection};
    size_t used = strlen(text);
    const char *before = " (";
    used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32, first ? "" : ", ", record);
    for (int i = 0; i < 4 && used < size; ++i) {
        char name[128];
        const uint32_t shader =
            shaders[i] != WS_NONE ? ws_catalog_shader(unused->input->catalog, shaders[i]) : WS_NONE;
        if (shader == WS_NONE)
            continue;
        ws_catalog_shader_name(unused->input->catalog, shader, name, sizeof(name));
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, name);
        before = ", ";
    }
    if (used < size)
        snprintf(text + used, size - used, "%s", before[0] == ',' ? ")" : "");
    ws_text_cut(text);
}

/* Marks the groups of records that were called; how many others with shaders there are, and the first of them
 * in `records`. False when there is no memory. */
static bool find_unused(const struct unused *unused, uint32_t index, enum table table, uint32_t *found,
                        char *records, size_t size)
{
    const struct entry *entry = &unused->entries[index];
    const uint32_t id = unused->subjects.subjects[index].words[0];
    const uint32_t group_count = ws_scene_sbt_group_count(unused->input->tables, id);
    uint8_t *called = calloc((size_t)group_count + 1, 1);
    struct ws_sbt_record record;
    if (called == NULL)
        return false;
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t r = 0; r < entry->count[table]; ++r) {
            if ((entry->used[table][r] != 0) != (pass == 0) ||
                !ws_scene_sbt_get(unused->input->tables, entry->launch[table], table_of(table), r, &record) ||
                !record.known || record.pipeline != id || called[record.group] != 0 ||
                !has_shaders(&record.info))
                continue;
            called[record.group] = 1;
            if (pass == 1 && (*found)++ < NAMED)
                name_record(unused, r, &record.info, *found == 1, records, size);
        }
    free(called);
    return true;
}

static bool advise(const struct unused *unused, uint32_t index, enum table table, struct ws_advice_list *list)
{
    const struct entry *entry = &unused->entries[index];
    const uint32_t pipeline =
        ws_catalog_pipeline(unused->input->catalog, unused->subjects.subjects[index].words[0]);
    char name[256] = "ray tracing pipeline";
    char subject[512];
    char records[640] = "";
    char evidence[1024];
    uint32_t found = 0;
    if (!find_unused(unused, index, table, &found, records, sizeof(records)))
        return false;
    if (found == 0)
        return true;
    if (pipeline != WS_NONE)
        ws_catalog_pipeline_name(unused->input->catalog, pipeline, name, sizeof(name));
    snprintf(subject, sizeof(subject), "%s table of %s", table == MISS ? "miss" : "hit", name);
    snprintf(evidence, sizeof(evidence),
             "Shaders of this table ran %" PRIu64 " times, but never those of %" PRIu32
             " group%s among its %" PRIu32 " records: %s%s.",
             entry->calls[table], found, found == 1 ? "" : "s", entry->count[table], records,
             found > NAMED ? ", ..." : "");
    const struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change =
            "leave their groups out of the pipeline (VkRayTracingPipelineCreateInfoKHR::pGroups) and "
            "fill their records with zeros: less to compile, and fewer registers where the device allots "
            "them for the largest shader",
        .certainty = entry->calls[table] >= LIKELY_CALLS ? WS_LIKELY : WS_POSSIBLE,
        .doubt = "other views may call them",
    };
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct unused *unused = rule;
    for (uint32_t i = 0; i < unused->subjects.count; ++i) {
        const struct entry *entry = &unused->entries[i];
        if ((entry->calls[MISS] > 0 && !advise(unused, i, MISS, list)) ||
            (entry->calls[HIT] > 0 && entry->unknown == 0 && !advise(unused, i, HIT, list)))
            return false;
    }
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_sbt_unused;

const struct ws_advice_rule ws_advice_rule_sbt_unused = {
    .name = "sbt_unused",
    .title = "Leave unused records out of the shader binding table",
    .summary = "groups in miss and hit tables of which no shader ever ran",
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
