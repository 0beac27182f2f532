#include "analysis/advice/evidence.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/names.h"

#define NAME_SIZE 512

void ws_evidence_finish(struct ws_evidence *evidence)
{
    ws_id_map_finish(&evidence->first);
    free(evidence->subjects);
    free(evidence->entries);
    free(evidence->next);
    *evidence = (struct ws_evidence){.entry_size = evidence->entry_size};
}

static uint64_t hash_of(const struct ws_subject *subject)
{
    return XXH3_64bits(subject->words, sizeof(subject->words));
}

/* Where its number is among the recent ones. */
static uint32_t place_of(const struct ws_subject *subject)
{
    uint32_t sum = 0;
    for (int i = 0; i < WS_SUBJECT_WORDS; ++i)
        sum += subject->words[i] * (UINT32_C(0x9e3779b1) * (2 * (uint32_t)i + 1));
    return sum >> 28;
}

_Static_assert(WS_EVIDENCE_RECENT == 1 << (32 - 28), "the hash has a bit for each place");

/* The number of a subject; WS_NONE = it is not there. `last`: the last one added with that hash. */
static uint32_t find(const struct ws_evidence *evidence, const struct ws_subject *subject, uint64_t hash,
                     uint32_t *last)
{
    uint32_t number = WS_NONE;
    *last = WS_NONE;
    if (!ws_id_map_get(&evidence->first, hash, &number))
        return WS_NONE;
    *last = number;
    while (number != WS_NONE && memcmp(&evidence->subjects[number], subject, sizeof(*subject)) != 0)
        number = evidence->next[number];
    return number;
}

/* Makes room for one more. */
static bool grow(struct ws_evidence *evidence)
{
    const uint32_t needed = evidence->count + 1;
    struct ws_subject *subjects =
        ws_array_grow(evidence->subjects, &evidence->subject_capacity, needed, sizeof(*subjects));
    if (subjects != NULL)
        evidence->subjects = subjects;
    uint32_t *next = ws_array_grow(evidence->next, &evidence->next_capacity, needed, sizeof(*next));
    if (next != NULL)
        evidence->next = next;
    unsigned char *entries =
        ws_array_grow(evidence->entries, &evidence->entry_capacity, needed, evidence->entry_size);
    if (entries != NULL)
        evidence->entries = entries;
    return subjects != NULL && next != NULL && entries != NULL;
}

void *ws_evidence_at(const struct ws_evidence *evidence, uint32_t number)
{
    return evidence->entries + number * evidence->entry_size;
}

uint32_t ws_evidence_number(const struct ws_evidence *evidence, const void *entry)
{
    return (uint32_t)((size_t)((const unsigned char *)entry - evidence->entries) / evidence->entry_size);
}

void *ws_evidence_find(const struct ws_evidence *evidence, const struct ws_subject *subject)
{
    uint32_t last = WS_NONE;
    const uint32_t number = find(evidence, subject, hash_of(subject), &last);
    return number != WS_NONE ? ws_evidence_at(evidence, number) : NULL;
}

void *ws_evidence_add(struct ws_evidence *evidence, const struct ws_subject *subject, bool *added)
{
    uint32_t last = WS_NONE;
    uint32_t *recent = &evidence->recent[place_of(subject)];
    if (*recent < evidence->count && memcmp(&evidence->subjects[*recent], subject, sizeof(*subject)) == 0) {
        if (added != NULL)
            *added = false;
        return ws_evidence_at(evidence, *recent);
    }
    const uint64_t hash = hash_of(subject);
    const uint32_t found = find(evidence, subject, hash, &last);
    if (added != NULL)
        *added = found == WS_NONE;
    if (found != WS_NONE) {
        *recent = found;
        return ws_evidence_at(evidence, found);
    }
    if (!grow(evidence) || !ws_id_map_put(&evidence->first, hash, evidence->count))
        return NULL;
    evidence->subjects[evidence->count] = *subject;
    evidence->next[evidence->count] = last;
    *recent = evidence->count;
    return memset(ws_evidence_at(evidence, evidence->count++), 0, evidence->entry_size);
}

/* Hash of the module (2 words) and offset of a call site. */
static struct ws_subject subject_of_site(const struct ws_catalog *catalog, struct ws_call_site site)
{
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[site.shader].module];
    return (struct ws_subject){
        {(uint32_t)module->hash, (uint32_t)(module->hash >> 32),
         site.site < module->site_count ? module->sites[site.site].info.offset : WS_NONE}};
}

void *ws_evidence_add_site(struct ws_evidence *evidence, const struct ws_catalog *catalog,
                           const struct ws_ray *ray, const uint32_t more[3], bool *added)
{
    struct ws_evidence_site *known = &evidence->sites[ray->site & (WS_EVIDENCE_SITES - 1)];
    if (more == NULL && known->number > 0 && known->shader == ray->shader && known->site == ray->site &&
        known->query == ray->query) {
        if (added != NULL)
            *added = false;
        return ws_evidence_at(evidence, known->number - 1);
    }
    struct ws_subject subject = subject_of_site(catalog, (struct ws_call_site){ray->shader, ray->site});
    bool is_new = false;
    subject.words[3] = ray->query;
    if (more != NULL)
        memcpy(subject.words + 4, more, 3 * sizeof(*more));
    struct ws_call_site *entry = ws_evidence_add(evidence, &subject, &is_new);
    if (entry != NULL && is_new)
        *entry = (struct ws_call_site){ray->shader, ray->site};
    if (entry != NULL && more == NULL)
        *known = (struct ws_evidence_site){ray->shader, ray->site, ray->query,
                                           ws_evidence_number(evidence, entry) + 1};
    if (added != NULL)
        *added = is_new;
    return entry;
}

void ws_subject_shader(const struct ws_catalog *catalog, uint32_t shader, struct ws_subject *subject)
{
    const struct ws_shader_record *record = &catalog->shaders[shader];
    const uint64_t hash = catalog->modules[record->module].hash;
    subject->words[0] = (uint32_t)hash;
    subject->words[1] = (uint32_t)(hash >> 32);
    subject->words[2] = record->stage;
    subject->words[3] = (uint32_t)XXH3_64bits(record->name, strlen(record->name));
}

void ws_advice_set_topic_site(struct ws_advice *advice, const struct ws_catalog *catalog,
                              struct ws_call_site site, enum ws_topic topic)
{
    advice->topic = subject_of_site(catalog, site);
    advice->topic.words[WS_SUBJECT_WORDS - 1] = topic;
}

void ws_advice_set_topic_shader(struct ws_advice *advice, const struct ws_catalog *catalog, uint32_t shader)
{
    ws_subject_shader(catalog, shader, &advice->topic);
    advice->topic.words[WS_SUBJECT_WORDS - 1] = WS_TOPIC_SHADER;
}

void ws_advice_example_give(struct ws_advice_example *example, const float place[3],
                            const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    const uint64_t owner[2] = {launch->threads->launch->index, thread->index};
    if (example->under_way == 0 || memcmp(owner, example->owner, sizeof(owner)) != 0) {
        example->under_way = 0;
        memcpy(example->owner, owner, sizeof(owner));
        memcpy(example->first, place, sizeof(example->first));
    }
    if (++example->under_way <= example->most)
        return;
    example->given = true;
    example->most = example->under_way;
    example->launch = owner[0];
    memcpy(example->place, example->first, sizeof(example->place));
    memcpy(example->thread, thread->thread->work, sizeof(example->thread));
}

void ws_advice_set_thread(struct ws_advice *advice, uint64_t launch, const uint32_t work[3])
{
    advice->launch = launch;
    memcpy(advice->thread, work, sizeof(advice->thread));
    advice->has_thread = true;
}

void ws_advice_set_place(struct ws_advice *advice, const float place[3])
{
    memcpy(advice->place, place, sizeof(advice->place));
    advice->has_place = ws_all_finite(place, 3);
}

void ws_advice_set_instance(struct ws_advice *advice, uint32_t instance)
{
    advice->instance = instance;
    advice->has_instance = true;
}

void ws_advice_set_geometry(struct ws_advice *advice, uint32_t instance, uint32_t geometry)
{
    ws_advice_set_instance(advice, instance);
    advice->geometry = geometry;
    advice->has_geometry = true;
}

void ws_advice_set_example(struct ws_advice *advice, const struct ws_advice_example *example)
{
    if (!example->given)
        return;
    ws_advice_set_place(advice, example->place);
    ws_advice_set_thread(advice, example->launch, example->thread);
}

/* The top-level build that rays of this call fly through; WS_NONE = not known. */
static uint32_t top_of(const struct ws_advice_launch *launch, const struct ws_ray *ray)
{
    const struct ws_scene_call call = ws_scene_call_of(ray);
    struct ws_scene_match match;
    if (!ws_scene_matcher_find(launch->matcher, &call, &match) || match.structure == WS_NONE ||
        match.ambiguous)
        return WS_NONE;
    return match.build;
}

bool ws_target_find(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                    const struct ws_ray *ray, const struct ws_ray_hit *hit, struct ws_target *target)
{
    target->top = top_of(launch, ray);
    target->content = WS_NONE;
    if (target->top == WS_NONE ||
        !ws_scene_matcher_instance(launch->matcher, target->top, hit->instance, &target->instance) ||
        target->instance.custom_index != hit->custom_index || target->instance.build == WS_NONE)
        return false;
    target->content = input->scene->builds[target->instance.build].content;
    return true;
}

const struct ws_scene_geometry *ws_target_geometry(const struct ws_advice_input *input,
                                                   const struct ws_target *target, uint32_t geometry)
{
    if (target->content == WS_NONE)
        return NULL;
    const struct ws_scene_build *build = &input->scene->builds[target->instance.build];
    return geometry < build->geometry_count ? &build->geometries[geometry] : NULL;
}

#define DISABLE_OPACITY_MICROMAPS 32u /* VkGeometryInstanceFlagsKHR */

bool ws_target_has_micromap(const struct ws_advice_input *input, const struct ws_target *target,
                            uint32_t geometry)
{
    const struct ws_scene_geometry *found = ws_target_geometry(input, target, geometry);
    return found != NULL && (found->info.capture_flags & WS_GEOMETRY_MICROMAP) != 0 &&
           (target->instance.flags & DISABLE_OPACITY_MICROMAPS) == 0;
}

/* Whether triangles of a geometry with micromaps are in one of these states (a bit each), or parts of them are. */
static bool has_states(const struct ws_advice_input *input, const struct ws_target *target, uint32_t geometry,
                       uint32_t states)
{
    bool any = false;
    if (!ws_target_has_micromap(input, target, geometry))
        return false;
    const struct ws_micromap_counts *counts = &ws_target_geometry(input, target, geometry)->micromap_counts;
    for (uint32_t i = 0; i < WS_MICROMAP_STATES; ++i)
        any = any || ((states & 1u << i) != 0 &&
                      counts->states[i] + (i < WS_MICROMAP_VALUES ? counts->with[i] : 0) > 0);
    return any;
}

bool ws_target_has_holes(const struct ws_advice_input *input, const struct ws_target *target,
                         uint32_t geometry)
{
    return has_states(input, target, geometry,
                      1u << WS_MICROMAP_TRANSPARENT | 1u << WS_MICROMAP_UNKNOWN_TRANSPARENT |
                          1u << WS_MICROMAP_MAPPED | 1u << WS_MICROMAP_NOT_KNOWN);
}

bool ws_target_has_opaque_parts(const struct ws_advice_input *input, const struct ws_target *target,
                                uint32_t geometry)
{
    return has_states(input, target, geometry,
                      1u << WS_MICROMAP_OPAQUE | 1u << WS_MICROMAP_UNKNOWN_OPAQUE | 1u << WS_MICROMAP_MAPPED |
                          1u << WS_MICROMAP_NOT_KNOWN);
}

bool ws_target_lacks_opacities(const struct ws_advice_input *input, const struct ws_target *target,
                               uint32_t geometry)
{
    return has_states(input, target, geometry, 1u << WS_MICROMAP_MAPPED | 1u << WS_MICROMAP_NOT_KNOWN);
}

static uint32_t mask_of(const struct ws_advice_input *input, uint32_t shader)
{
    if (shader == WS_NONE)
        return 0;
    const struct ws_shader_effects *effects = ws_effects_of(input->effects, shader);
    return effects != NULL ? effects->mask : WS_EFFECT_OTHER;
}

const struct ws_shader_effects *ws_advice_effects(const struct ws_advice_input *input, uint32_t shader)
{
    return ws_effects_of(input->effects, input->catalog->shaders[shader].id);
}

double ws_advice_shader_cost(const struct ws_advice_input *input, uint32_t shader)
{
    return ws_advice_run_cost(input->simt, ws_advice_effects(input, shader), shader);
}

bool ws_group_effects_find(const struct ws_advice_input *input, uint64_t launch,
                           struct ws_group_effects *effects)
{
    *effects = (struct ws_group_effects){.any_hit = 0};
    const uint32_t pipeline = input->tables != NULL ? ws_scene_sbt_pipeline(input->tables, launch) : WS_NONE;
    const uint32_t count = pipeline != WS_NONE ? ws_scene_sbt_group_count(input->tables, pipeline) : 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_shader_group *group = ws_scene_sbt_group(input->tables, pipeline, i);
        effects->any_hit |= mask_of(input, group->any_hit);
        effects->closest_hit |= mask_of(input, group->closest_hit);
        effects->intersection |= mask_of(input, group->intersection);
    }
    return count > 0;
}

double ws_advice_scene_size(const struct ws_advice_launch *launch, const struct ws_ray *ray)
{
    const struct ws_scene_call call = ws_scene_call_of(ray);
    struct ws_scene_match match;
    const bool found = ws_scene_matcher_find(launch->matcher, &call, &match);
    return found && !match.ambiguous ? match.size : 0;
}

const char *ws_advice_site_name(struct ws_advice_list *list, const struct ws_catalog *catalog,
                                struct ws_call_site site)
{
    char name[NAME_SIZE];
    ws_rays_name(catalog, site.shader, ws_site_offset(catalog, site.shader, site.site), name, sizeof(name));
    return ws_advice_text(list, "%s", name);
}

const char *ws_advice_shader_name(struct ws_advice_list *list, const struct ws_catalog *catalog,
                                  uint32_t shader)
{
    return ws_advice_text(list, "%s", ws_shader_name(catalog, shader));
}

const char *ws_advice_content_name(struct ws_advice_list *list, const struct ws_scene *scene,
                                   uint32_t content)
{
    for (uint32_t i = 0; content != WS_NONE && i < scene->build_count; ++i) {
        const struct ws_scene_build *build = &scene->builds[i];
        if (build->content != content || build->structure >= scene->structure_count)
            continue;
        const struct ws_scene_structure *structure = &scene->structures[build->structure];
        return structure->name[0] != '\0'
                   ? ws_advice_text(list, "'%s'", structure->name)
                   : ws_advice_text(list, "bottom-level structure %" PRIu32, structure->id);
    }
    return "";
}

void ws_ray_point(const struct ws_ray *ray, float t, float point[3])
{
    for (int i = 0; i < 3; ++i)
        point[i] = ray->origin[i] + t * ray->direction[i];
}

const char *ws_times(uint64_t count)
{
    return count == 1 ? "time" : "times";
}

double ws_percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}
