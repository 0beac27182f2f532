/* Advice `sbt_unused`: groups of binding tables of which no ray ever called a shader.
 *
 * Evidence, by ray tracing pipeline and table (miss, hit), as groups and tables were captured: the records
 * that rays USE in launches with that pipeline. Of the miss table that is the record of the miss index of
 * each ray, also of those that hit: its shader would have run had they not. So it does not matter whether any ray
 * missed. Of the hit table it is the record
 * of instance offset + geometry index * stride of the ray + offset of the ray, for each any-hit run,
 * intersection run, report and closest hit run. (A ray with SkipClosestHitShader selects a record without
 * calling anything of it: it needs none.) UNUSED is a record whose group no used record has. Records of zeros
 * are no waste.
 *
 * The rule is silent about the hit table of a pipeline where some shader ran for an instance of which nothing
 * is captured, for then its record cannot be told. It is silent about callable records: which one
 * executeCallable selects is not recorded; and about ray generation, whose only record always runs. LIKELY
 * where records of that table were used at least 64 times, else POSSIBLE: so few rays may just not have met it.
 *
 * Saving: no runs.
 *
 * Example: a hit table with a group for glass, in a scene without glass. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "warpscope/base/text.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/names.h"

#define LIKELY_USES 64
#define NAMED       4 /* records named in the evidence */

enum table { MISS, HIT, TABLES };

/* A pipeline. Subject: its chunk id. */
struct entry {
    uint64_t uses[TABLES];
    uint64_t missed;       /* rays that ran a miss shader */
    uint64_t unknown;      /* runs of which the record cannot be told */
    uint8_t *used[TABLES]; /* per record */
    uint32_t count[TABLES];
    uint64_t launch[TABLES]; /* that has the most records */
};

struct unused {
    struct ws_advice_state base;
    uint64_t launch; /* of `entry` */
    bool begun;
    uint32_t entry; /* WS_NONE = no tables */
};

static void finish(void *user)
{
    const struct ws_advice_state *state = user;
    for (uint32_t i = 0; i < state->evidence.count; ++i) {
        const struct entry *entry = ws_evidence_at(&state->evidence, i);
        for (int t = 0; t < TABLES; ++t)
            free(entry->used[t]);
    }
}

static enum ws_sbt_table table_of(enum table table)
{
    return table == MISS ? WS_SBT_MISS : WS_SBT_HIT;
}

/* Makes room for the records that the launch's tables have. */
static bool grow(const struct unused *unused, struct entry *entry, uint64_t launch)
{
    for (int t = 0; t < TABLES; ++t) {
        const uint32_t count = ws_scene_sbt_count(unused->base.input->tables, launch, table_of(t));
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
    const struct ws_subject subject = {{ws_scene_sbt_pipeline(unused->base.input->tables, launch)}};
    if (subject.words[0] == WS_NONE)
        return true;
    struct entry *entry = ws_evidence_add(&unused->base.evidence, &subject, NULL);
    if (entry == NULL)
        return false;
    unused->entry = ws_evidence_number(&unused->base.evidence, entry);
    return grow(unused, entry, launch);
}

static void use(struct entry *entry, enum table table, uint64_t record)
{
    entry->uses[table]++;
    if (record < entry->count[table])
        entry->used[table][record] = 1;
}

static void use_hit(const struct unused *unused, const struct ws_advice_ray *shown,
                    const struct ws_ray_hit *hit, struct entry *entry)
{
    struct ws_target target;
    if (!ws_target_find(unused->base.input, shown->launch, shown->ray, hit, &target)) {
        entry->unknown++;
        return;
    }
    use(entry, HIT,
        (uint64_t)target.instance.sbt_offset + (uint64_t)hit->geometry * shown->ray->sbt_stride +
            shown->ray->sbt_offset);
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct unused *unused = user;
    const struct ws_ray *ray = shown->ray;
    const uint64_t launch = shown->launch->threads->launch->index;
    if (unused->base.input->tables == NULL)
        return true;
    if ((!unused->begun || unused->launch != launch) && !begin(unused, launch))
        return false;
    if (unused->entry == WS_NONE || ray->query)
        return true;
    struct entry *entry = ws_evidence_at(&unused->base.evidence, unused->entry);
    for (uint32_t c = 0; c < ray->candidate_count; ++c)
        use_hit(unused, shown, &shown->thread->candidates[ray->candidate_first + c].hit, entry);
    use(entry, MISS, ray->miss_index);
    if (ray->end == WS_RAY_MISSED)
        entry->missed++;
    else if (ray->end == WS_RAY_HIT)
        use_hit(unused, shown, &ray->hit, entry);
    return true;
}

/* Whether a record of this group calls anything. */
static bool has_shaders(const struct ws_shader_group *group)
{
    return group->general != WS_NONE || group->closest_hit != WS_NONE || group->any_hit != WS_NONE ||
           group->intersection != WS_NONE;
}

/* Adds ", 3 (leaf.rchit:main, cutout.rahit:main)" to the text. */
static void name_record(const struct ws_catalog *catalog, uint32_t record,
                        const struct ws_shader_group *group, bool first, char *text, size_t size)
{
    const uint32_t shaders[] = {group->general, group->closest_hit, group->any_hit, group->intersection};
    size_t used = strlen(text);
    const char *before = " (";
    used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32, first ? "" : ", ", record);
    for (int i = 0; i < 4 && used < size; ++i) {
        const uint32_t shader = shaders[i] != WS_NONE ? ws_catalog_shader(catalog, shaders[i]) : WS_NONE;
        if (shader == WS_NONE)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, ws_shader_name(catalog, shader));
        before = ", ";
    }
    if (used < size)
        snprintf(text + used, size - used, "%s", before[0] == ',' ? ")" : "");
    ws_text_cut(text);
}

/* Marks the groups of records that were used; then how many others with shaders there are, and the first of
 * them in `records`. False when there is no memory. */
static bool find_unused(const struct ws_advice_state *state, uint32_t number, enum table table,
                        uint32_t *found, char *records, size_t size)
{
    const struct ws_scene_sbt *tables = state->input->tables;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    const uint32_t id = state->evidence.subjects[number].words[0];
    uint8_t *called = calloc((size_t)ws_scene_sbt_group_count(tables, id) + 1, 1);
    struct ws_sbt_record record;
    if (called == NULL)
        return false;
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t r = 0; r < entry->count[table]; ++r) {
            if ((entry->used[table][r] != 0) != (pass == 0) ||
                !ws_scene_sbt_get(tables, entry->launch[table], table_of(table), r, &record) ||
                !record.known || record.pipeline != id || called[record.group] != 0 ||
                !has_shaders(&record.info))
                continue;
            called[record.group] = 1;
            if (pass == 1 && (*found)++ < NAMED)
                name_record(state->input->catalog, r, &record.info, *found == 1, records, size);
        }
    free(called);
    return true;
}

static bool advise_table(const struct ws_advice_state *state, uint32_t number, enum table table,
                         struct ws_advice_list *list)
{
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    const uint32_t pipeline =
        ws_catalog_pipeline(state->input->catalog, state->evidence.subjects[number].words[0]);
    const char *name =
        pipeline != WS_NONE ? ws_pipeline_name(state->input->catalog, pipeline) : "a ray tracing pipeline";
    char records[640] = "";
    uint32_t found = 0;
    if (!find_unused(state, number, table, &found, records, sizeof(records)))
        return false;
    if (found == 0)
        return true;
    const char *used =
        table == MISS
            ? ws_advice_text(list, "%" PRIu64 " ray%s records of this table (%" PRIu64 " of them missed)",
                             entry->uses[MISS], entry->uses[MISS] == 1 ? " names" : "s name", entry->missed)
            : ws_advice_text(list, "Shaders of this table ran %" PRIu64 " time%s", entry->uses[HIT],
                             ws_plural(entry->uses[HIT], "s"));
    const struct ws_advice advice = {
        .subject = ws_advice_text(list, "%s table of %s", table == MISS ? "miss" : "hit", name),
        .evidence = ws_advice_text(
            list, "%s, but never those of %" PRIu32 " group%s among its %" PRIu32 " records: %s%s.", used,
            found, found == 1 ? "" : "s", entry->count[table], records, found > NAMED ? ", ..." : ""),
        .change = "leave their groups out of the pipeline (VkRayTracingPipelineCreateInfoKHR::pGroups) and "
                  "fill their records with zeros: there is less to compile, and fewer registers are needed "
                  "where the device allots them for the largest shader",
        .certainty = entry->uses[table] >= LIKELY_USES ? WS_LIKELY : WS_POSSIBLE,
        .doubt = "other views may call them",
    };
    return ws_advice_add(list, &advice);
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct ws_advice_state *state = user;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    return (entry->uses[MISS] == 0 || advise_table(state, number, MISS, list)) &&
           (entry->uses[HIT] == 0 || entry->unknown > 0 || advise_table(state, number, HIT, list));
}

extern const struct ws_advice_rule ws_advice_rule_sbt_unused;

const struct ws_advice_rule ws_advice_rule_sbt_unused = {
    .name = "sbt_unused",
    .title = "Leave unused records out of the shader binding table",
    .summary = "groups in miss and hit tables of which no shader ever ran",
    .of_all_rays = true,
    .state_size = sizeof(struct unused),
    .entry_size = sizeof(struct entry),
    .finish = finish,
    .ray = add_ray,
    .advise = advise,
};
