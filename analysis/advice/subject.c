#include "analysis/advice/subject.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analysis/scene/scene_sbt.h"
#include "passes/base/array.h"
#include "passes/base/text.h"

void ws_subjects_finish(struct ws_subjects *subjects)
{
    ws_id_map_finish(&subjects->first);
    free(subjects->subjects);
    free(subjects->next);
    *subjects = (struct ws_subjects){.count = 0};
}

static uint64_t hash_of(const struct ws_subject *subject)
{
    return XXH3_64bits(subject->words, sizeof(subject->words));
}

static uint32_t find(const struct ws_subjects *subjects, const struct ws_subject *subject, uint64_t hash,
                     uint32_t *last)
{
    uint32_t index = WS_NONE;
    *last = WS_NONE;
    if (!ws_id_map_get(&subjects->first, hash, &index))
        return WS_NONE;
    *last = index;
    while (index != WS_NONE && memcmp(&subjects->subjects[index], subject, sizeof(*subject)) != 0)
        index = subjects->next[index];
    return index;
}

uint32_t ws_subjects_find(const struct ws_subjects *subjects, const struct ws_subject *subject)
{
    uint32_t last = WS_NONE;
    return find(subjects, subject, hash_of(subject), &last);
}

uint32_t ws_subjects_add(struct ws_subjects *subjects, const struct ws_subject *subject)
{
    uint32_t last = WS_NONE;
    const uint64_t hash = hash_of(subject);
    const uint32_t found = find(subjects, subject, hash, &last);
    if (found != WS_NONE)
        return found;
    struct ws_subject *grown =
        ws_array_grow(subjects->subjects, &subjects->capacity, subjects->count + 1, sizeof(*grown));
    if (grown != NULL)
        subjects->subjects = grown;
    uint32_t *next =
        ws_array_grow(subjects->next, &subjects->next_capacity, subjects->count + 1, sizeof(*next));
    if (next != NULL)
        subjects->next = next;
    if (grown == NULL || next == NULL || !ws_id_map_put(&subjects->first, hash, subjects->count))
        return WS_NONE;
    grown[subjects->count] = *subject;
    next[subjects->count] = last;
    return subjects->count++;
}

bool ws_subjects_follow(const struct ws_subjects *subjects, void **values, uint32_t *capacity, size_t size)
{
    if (subjects->count <= *capacity)
        return true;
    void *grown = ws_catalog_follow(*values, *capacity, subjects->capacity, subjects->capacity, size);
    if (grown == NULL)
        return false;
    *values = grown;
    *capacity = subjects->capacity;
    return true;
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

void ws_subject_site(const struct ws_catalog *catalog, const struct ws_ray *ray, struct ws_subject *subject)
{
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[ray->shader].module];
    subject->words[0] = (uint32_t)module->hash;
    subject->words[1] = (uint32_t)(module->hash >> 32);
    subject->words[2] = ray->site < module->site_count ? module->sites[ray->site].info.offset : WS_NONE;
    subject->words[3] = ray->query;
}

/* The top-level build that rays of this call fly through; WS_NONE = not known. */
static uint32_t top_of(const struct ws_advice_launch *launch, const struct ws_ray *ray)
{
    struct ws_scene_match match;
    if (!ws_scene_matcher_find(launch->matcher, ray->shader, ray->site, &match) ||
        match.structure == WS_NONE || match.ambiguous)
        return WS_NONE;
    return match.build;
}

bool ws_target_find(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                    const struct ws_ray *ray, const struct ws_ray_hit *hit, struct ws_target *target)
{
    target->top = top_of(launch, ray);
    target->content = WS_NONE;
    if (target->top == WS_NONE ||
        !ws_scene_instance(input->scene, target->top, hit->instance, &target->instance) ||
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

static uint32_t mask_of(const struct ws_advice_input *input, uint32_t shader)
{
    if (shader == WS_NONE)
        return 0;
    const struct ws_shader_effects *effects = ws_effects_of(input->effects, shader);
    return effects != NULL ? effects->mask : WS_EFFECT_OTHER;
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

double ws_ray_scene_size(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                         const struct ws_ray *ray)
{
    float bounds[6];
    double size = 0;
    const uint32_t top = top_of(launch, ray);
    if (top == WS_NONE || !ws_scene_bounds(input->scene, top, bounds))
        return 0;
    for (int i = 0; i < 3; ++i)
        size += ((double)bounds[3 + i] - bounds[i]) * ((double)bounds[3 + i] - bounds[i]);
    return isfinite(size) ? sqrt(size) : 0;
}

void ws_subject_name_content(const struct ws_scene *scene, uint32_t content, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; content != WS_NONE && i < scene->build_count; ++i) {
        const struct ws_scene_build *build = &scene->builds[i];
        if (build->content != content || build->structure >= scene->structure_count)
            continue;
        const struct ws_scene_structure *structure = &scene->structures[build->structure];
        if (structure->name[0] != '\0')
            snprintf(text, size, "'%s'", structure->name);
        else
            snprintf(text, size, "bottom-level structure %" PRIu32, structure->id);
        ws_text_cut(text);
        return;
    }
}

void ws_ray_point(const struct ws_ray *ray, float t, float point[3])
{
    for (int i = 0; i < 3; ++i)
        point[i] = ray->origin[i] + t * ray->direction[i];
}

bool ws_are_finite(const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (!isfinite(values[i]))
            return false;
    return true;
}

void ws_advice_set_thread(struct ws_advice *advice, const uint32_t work[3])
{
    memcpy(advice->thread, work, sizeof(advice->thread));
    advice->has_thread = true;
}

void ws_advice_set_place(struct ws_advice *advice, const float place[3])
{
    memcpy(advice->place, place, sizeof(advice->place));
    advice->has_place = ws_are_finite(place, 3);
}

const char *ws_times(uint64_t count)
{
    return count == 1 ? "time" : "times";
}

double ws_percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}
