#include "analysis/viewer/rays/ray_story.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/scene/scene.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"

#define CANDIDATES_TOLD 24
#define CHILDREN_TOLD   8
#define TEXT            512

/* Sentences that are added to a list. */
struct story {
    const struct ws_ray_subject *subject;
    const struct ws_ray *ray;
    const struct ws_ray_owner *owner;
    cJSON *list;
    cJSON *last; /* sentence of it; NULL = none */
    bool failed; /* no memory */
};

__attribute__((format(printf, 2, 3))) static void tell(struct story *story, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const bool made = vasprintf(&text, format, arguments) >= 0;
    va_end(arguments);
    story->last = made && !story->failed ? ws_json_append(story->list, cJSON_CreateObject()) : NULL;
    story->failed = story->last == NULL || cJSON_AddStringToObject(story->last, "text", text) == NULL;
    if (made)
        free(text);
}

/* The place that the last sentence speaks of, in the world. */
static void place_last(struct story *story, const double place[3])
{
    if (!story->failed && isfinite(place[0]) && isfinite(place[1]) && isfinite(place[2]))
        ws_json_add(story->last, "at", cJSON_CreateDoubleArray(place, 3));
}

static void place_last_at(struct story *story, float t)
{
    double place[3];
    ws_ray_position(story->ray, t, place);
    place_last(story, place);
}

/* The ray that it leads to. */
static void lead_to_ray(struct story *story, uint32_t ray)
{
    if (!story->failed)
        ws_json_integer(story->last, "ray", ray);
}

/* What was met there. */
static void lead_to_hit(struct story *story, const struct ws_ray_hit *hit)
{
    if (story->failed)
        return;
    ws_json_integer(story->last, "instance", hit->instance);
    ws_json_integer(story->last, "geometry", hit->geometry);
    ws_json_integer(story->last, "primitive", hit->primitive);
}

bool ws_ray_subject_instance(const struct ws_ray_subject *subject, const struct ws_ray_hit *hit,
                             struct ws_scene_instance *instance)
{
    const uint32_t call = ws_ray_store_call(subject->store, subject->number);
    const uint32_t top = call < subject->store->call_count ? subject->store->calls[call].top : WS_NONE;
    return top != WS_NONE && ws_scene_instance(subject->scene, top, hit->instance, instance) &&
           instance->custom_index == hit->custom_index;
}

bool ws_ray_structure_text(const struct ws_ray_store *store, uint32_t call, const struct ws_scene *scene,
                           char *text, size_t size)
{
    if (store->top_count < 2 || call >= store->call_count || store->calls[call].top == WS_NONE)
        return false;
    const struct ws_scene_structure *structure =
        &scene->structures[scene->builds[store->calls[call].top].structure];
    const char *quote = structure->name[0] != '\0' ? "'" : "";
    snprintf(text, size, "structure %" PRIu32 "%s%s%.200s%s", structure->id, quote[0] != '\0' ? " " : "",
             quote, structure->name, quote);
    return true;
}

uint32_t ws_ray_children(const struct ws_ray_store *store, uint32_t number, uint32_t *children, uint32_t most)
{
    const struct ws_ray_owner *owner = ws_ray_store_owner(store, number);
    uint32_t count = 0;
    for (uint32_t i = number - owner->ray_first + 1; i < owner->ray_count; ++i) {
        if (ws_ray_store_ray(store, owner->ray_first + i)->parent != number - owner->ray_first)
            continue;
        if (count < most)
            children[count] = owner->ray_first + i;
        count++;
    }
    return count;
}

/* "pixel 12,40", "thread 3,0,0". */
static void name_thread(const struct story *story, char *text, size_t size)
{
    const struct ws_launch_record *launch = story->subject->launch;
    const uint32_t *place = story->owner->place;
    if (launch->kind == WS_LAUNCH_DISPATCH || launch->size[2] > 1 || place[2] > 0)
        snprintf(text, size, "thread %" PRIu32 ",%" PRIu32 ",%" PRIu32, place[0], place[1], place[2]);
    else
        snprintf(text, size, "pixel %" PRIu32 ",%" PRIu32, place[0], place[1]);
}

static void tell_begin(struct story *story)
{
    const struct ws_catalog *catalog = story->subject->catalog;
    const struct ws_ray *ray = story->ray;
    char thread[64];
    char call[TEXT];
    name_thread(story, thread, sizeof(thread));
    ws_call_name(catalog, ray->shader, ws_site_offset(catalog, ray->shader, ray->site), call, sizeof(call));
    const bool is_first = story->subject->number == story->owner->ray_first;
    if (ray->parent == WS_NONE)
        tell(story, "%s %s of %s (lane %" PRIu32 " of warp %" PRIu32 ") is traced by %s, %s.",
             is_first ? "The first" : "A", ray->query ? "ray query" : "ray", thread, ray->lane,
             story->owner->warp, ws_shader_name(catalog, ray->shader), call);
    if (ray->parent == WS_NONE)
        return;
    tell(story,
         "A %s of depth %" PRIu32 " of %s (lane %" PRIu32 " of warp %" PRIu32
         ") is traced in a shader of ray %" PRIu32 ": %s, %s.",
         ray->query ? "ray query" : "ray", ray->depth, thread, ray->lane, story->owner->warp,
         story->owner->ray_first + ray->parent, ws_shader_name(catalog, ray->shader), call);
    lead_to_ray(story, story->owner->ray_first + ray->parent);
}

/* "TerminateOnFirstHit, SkipClosestHitShader" */
static void name_flags(uint32_t flags, char *text, size_t size)
{
    static const char *const names[] = {"Opaque",
                                        "NoOpaque",
                                        "TerminateOnFirstHit",
                                        "SkipClosestHitShader",
                                        "CullBackFacingTriangles",
                                        "CullFrontFacingTriangles",
                                        "CullOpaque",
                                        "CullNoOpaque",
                                        "SkipTriangles",
                                        "SkipAABBs",
                                        "ForceOpacityMicromap2State"};
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        if ((flags >> i & 1) != 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", names[i]);
}

static void tell_start(struct story *story)
{
    const struct ws_ray *ray = story->ray;
    char flags[256];
    tell(story, "It leaves %.6g %.6g %.6g along %.6g %.6g %.6g, for t from %.6g to %.6g.",
         (double)ray->origin[0], (double)ray->origin[1], (double)ray->origin[2], (double)ray->direction[0],
         (double)ray->direction[1], (double)ray->direction[2], (double)ray->tmin, (double)ray->tmax);
    place_last(story,
               (const double[3]){(double)ray->origin[0], (double)ray->origin[1], (double)ray->origin[2]});
    const struct ws_ray_subject *subject = story->subject;
    char structure[256];
    if (ws_ray_structure_text(subject->store, ws_ray_store_call(subject->store, subject->number),
                              subject->scene, structure, sizeof(structure)))
        tell(story, "It flies through %s.", structure);
    else if (subject->store->top_count > 1)
        tell(story, "Through which of the launch's %" PRIu32 " structures it flies is not known.",
             subject->store->top_count);
    name_flags(ray->flags, flags, sizeof(flags));
    if (flags[0] != '\0' && ray->cull_mask != 0xff)
        tell(story, "Its ray flags are %s, its cull mask is 0x%02" PRIx32 ".", flags, ray->cull_mask);
    else if (flags[0] != '\0')
        tell(story, "Its ray flags are %s.", flags);
    else if (ray->cull_mask != 0xff)
        tell(story, "Its cull mask is 0x%02" PRIx32 ".", ray->cull_mask);
}

/* "instance 3 'glass' (custom index 7), geometry 0, primitive 17" */
static void name_hit(const struct story *story, const struct ws_ray_hit *hit, char *text, size_t size)
{
    const struct ws_scene *scene = story->subject->scene;
    struct ws_scene_instance instance;
    const char *name = "";
    if (ws_ray_subject_instance(story->subject, hit, &instance) && instance.structure != WS_NONE)
        name = scene->structures[instance.structure].name;
    snprintf(text, size,
             "instance %" PRIu32 "%s%.200s%s (custom index %" PRIu32 "), geometry %" PRIu32
             ", primitive %" PRIu32,
             hit->instance, name[0] != '\0' ? " '" : "", name, name[0] != '\0' ? "'" : "", hit->custom_index,
             hit->geometry, hit->primitive);
}

static void tell_candidate(struct story *story, const struct ws_ray_candidate *candidate)
{
    static const char *const any_hit[] = {"ignores it", "accepts it",
                                          "accepts it and ends the ray (terminateRayEXT)",
                                          "has no end that was recorded"};
    static const char *const report[] = {"is not accepted", "is accepted", "is accepted",
                                         "may or may not be accepted: this was not recorded"};
    static const char *const query[] = {"does not confirm it", "confirms it",
                                        "confirms it and ends the query", "has no end that was recorded"};
    const char *shader = ws_shader_name(story->subject->catalog, candidate->shader);
    char met[TEXT];
    name_hit(story, &candidate->hit, met, sizeof(met));
    switch (candidate->kind) {
    case WS_CANDIDATE_ANY_HIT:
        tell(story, "At t %.6g it meets %s; any-hit shader %s %s.", (double)candidate->hit.t, met, shader,
             any_hit[candidate->result]);
        break;
    case WS_CANDIDATE_REPORT:
        tell(story, "%s reports a hit at t %.6g of %s, which %s.", shader, (double)candidate->hit.t, met,
             report[candidate->result]);
        break;
    case WS_CANDIDATE_INTERSECTION:
        tell(story, "It meets the box of %s; intersection shader %s runs.", met, shader);
        break;
    default:
        if (!ws_ray_candidate_has_t(candidate))
            tell(story, "The query meets the box of %s; %s %s.", met, shader, query[candidate->result]);
        else
            tell(story, "At t %.6g the query meets %s; %s %s.", (double)candidate->hit.t, met, shader,
                 query[candidate->result]);
        break;
    }
    lead_to_hit(story, &candidate->hit);
    if (ws_ray_candidate_has_t(candidate))
        place_last_at(story, candidate->hit.t);
}

static void tell_candidates(struct story *story)
{
    const struct ws_ray *ray = story->ray;
    struct ws_ray_thread thread;
    ws_ray_store_thread(story->subject->store, story->owner, &thread);
    for (uint32_t i = 0; i < ray->candidate_count && i < CANDIDATES_TOLD; ++i)
        tell_candidate(story, &thread.candidates[ray->candidate_first + i]);
    if (ray->candidate_count > CANDIDATES_TOLD)
        tell(story, "%" PRIu32 " more of these follow%s.", ray->candidate_count - CANDIDATES_TOLD,
             ray->candidate_count - CANDIDATES_TOLD == 1 ? "s" : "");
}

static void tell_hit(struct story *story)
{
    const struct ws_ray *ray = story->ray;
    const char *side = ray->hit.kind == WS_HIT_FRONT  ? " from the front"
                       : ray->hit.kind == WS_HIT_BACK ? " from the back"
                                                      : "";
    double place[3];
    char met[TEXT];
    name_hit(story, &ray->hit, met, sizeof(met));
    ws_ray_position(ray, ray->hit.t, place);
    tell(story, "It hits %s%s at t %.6g, at %.6g %.6g %.6g%s%s%s.", met, side, (double)ray->hit.t, place[0],
         place[1], place[2], ray->first_hit_shader != WS_NONE ? "; closest hit shader " : "",
         ray->first_hit_shader != WS_NONE ? ws_shader_name(story->subject->catalog, ray->first_hit_shader)
                                          : "",
         ray->first_hit_shader != WS_NONE ? " runs" : "");
    lead_to_hit(story, &ray->hit);
    place_last(story, place);
}

static void tell_end(struct story *story)
{
    const struct ws_ray *ray = story->ray;
    switch (ray->end) {
    case WS_RAY_HIT:
        if (ray->has_hit)
            tell_hit(story);
        else
            tell(story, "It hits something; where was not recorded.");
        break;
    case WS_RAY_MISSED:
        if (ray->first_hit_shader != WS_NONE)
            tell(story, "It misses everything; miss shader %s runs.",
                 ws_shader_name(story->subject->catalog, ray->first_hit_shader));
        else
            tell(story, "It misses everything.");
        break;
    case WS_RAY_IMPLICIT:
        tell(story,
             "It hits something: its miss shader did not run, and it has SkipClosestHitShader, so no closest "
             "hit shader did.");
        break;
    case WS_RAY_NO_SHADER:
        tell(story, "It ends where the binding table has no shader: whether it hit or missed is not known.");
        break;
    default:
        tell(story, ray->query ? "The query is left before its last proceed: how it ends is not known."
                               : "The records end before the ray does.");
        break;
    }
    if (!ray->has_hit || ray->end == WS_RAY_HIT)
        return;
    tell(story, "The last that it accepted was at t %.6g.", (double)ray->hit.t);
    place_last_at(story, ray->hit.t);
}

static void tell_rest(struct story *story)
{
    const struct ws_ray_store *store = story->subject->store;
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    const uint32_t bits = store->rules != NULL ? store->rules[story->subject->number] : 0;
    uint32_t children[CHILDREN_TOLD];
    const uint32_t count = ws_ray_children(store, story->subject->number, children, CHILDREN_TOLD);
    char list[256] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count && i < CHILDREN_TOLD; ++i)
        used +=
            (size_t)snprintf(list + used, sizeof(list) - used, "%s%" PRIu32, i > 0 ? ", " : "", children[i]);
    if (count > 0)
        tell(story, "Its shaders trace %" PRIu32 " more: %s %s%s.", count, count == 1 ? "ray" : "rays", list,
             count > CHILDREN_TOLD ? ", ..." : "");
    if (count == 1)
        lead_to_ray(story, children[0]);
    for (uint32_t i = 0; rules[i] != NULL && i < 32; ++i)
        if ((bits >> i & 1) != 0)
            tell(story, "It is evidence for advice: %s (%s).", rules[i]->title, rules[i]->name);
    if (story->owner->truncated)
        tell(story, "Records of its launch are missing, so there may be more to tell.");
}

cJSON *ws_ray_story(const struct ws_ray_subject *subject)
{
    struct story story = {.subject = subject,
                          .ray = ws_ray_store_ray(subject->store, subject->number),
                          .owner = ws_ray_store_owner(subject->store, subject->number),
                          .list = cJSON_CreateArray()};
    if (story.list == NULL)
        return NULL;
    tell_begin(&story);
    tell_start(&story);
    tell_candidates(&story);
    tell_end(&story);
    tell_rest(&story);
    if (!story.failed)
        return story.list;
    cJSON_Delete(story.list);
    return NULL;
}
