#include "analysis/scene/bvh/bvh_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/memory/warps/workgroups.h"
#include "analysis/scene/scene_preview.h"
#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"
#include "warpscope/passes.h"

#define USUAL_DEVICE "rtx2080ti" /* as of caches */

/* Why a ray does not fly. */
enum why { NO_STRUCTURE, NOT_FINITE, WHYS };

static const char *const whys[WHYS] = {"which structure they flew through is not known",
                                       "they are not finite"};

struct results {
    struct ws_rays *rays; /* first: ws_rays_replay_of */
    const struct ws_catalog *catalog;
    void *user; /* of the options */
    struct ws_scene_preview *preview;
    struct ws_bvh_settings settings;
    struct ws_cache_shape shape;
    struct ws_bvh_scene *bvh; /* NULL: no geometry */
    struct ws_bvh_launch launch;
    struct ws_groups *groups;    /* sums are struct ws_bvh_sums */
    struct ws_bvh_row *elements; /* of all launches */
    uint32_t element_count;
    uint32_t element_capacity;
    struct ws_id_map element_ids; /* ws_bvh_row_key -> index */
    bool is_file;
    bool recorded; /* there is a ray */
    uint64_t left_out[WHYS];
};

/* ---- rays ---- */

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct results *results = user;
    ws_bvh_launch_init(&results->launch, results->bvh, &results->shape);
    results->launch.has_rows = ws_groups_need(results->groups, 1u << WS_BVH_MODEL_BY_ELEMENT);
    return ws_scene_preview_begin(results->preview, results, results->catalog, threads->launch);
}

static bool look(void *user, const struct ws_ray_thread *thread)
{
    struct results *results = user;
    return ws_scene_preview_look(results->preview, results, thread);
}

static bool is_finite(const struct ws_ray *ray)
{
    for (int i = 0; i < 3; ++i)
        if (!isfinite(ray->origin[i]) || !isfinite(ray->direction[i]))
            return false;
    return isfinite(ray->tmin) && ray->tmin <= ray->tmax &&
           (ray->direction[0] != 0 || ray->direction[1] != 0 || ray->direction[2] != 0);
}

/* The top-level build that the ray flew through; WS_NONE = not known. */
static uint32_t build_of(const struct results *results, const struct ws_ray *ray)
{
    const struct ws_scene_call call = ws_scene_call_of(ray);
    struct ws_scene_match match;
    const bool found = results->bvh != NULL && results->preview->matcher != NULL &&
                       ws_scene_matcher_find(results->preview->matcher, &call, &match);
    return found && match.structure != WS_NONE && !match.ambiguous ? match.build : WS_NONE;
}

/* Warps of no workgroup and no tile have keys beyond those of workgroups, and below those of tiles. */
static uint64_t group_of(const struct results *results, const struct ws_ray_thread *thread,
                         const struct ws_ray *ray)
{
    const struct ws_shader_record *shader = &results->catalog->shaders[ray->shader];
    uint64_t key = 0;
    return ws_workgroup_key(shader, thread->thread->work, &key) ||
                   ws_tile_key(results->shape.tile, shader->stage, thread->thread->work, &key)
               ? key
               : UINT64_C(1) << 63 | thread->warp;
}

static bool add_thread(void *user, const struct ws_ray_thread *thread)
{
    struct results *results = user;
    for (uint32_t i = 0; i < thread->ray_count; ++i) {
        const struct ws_ray *ray = &thread->rays[i];
        const uint32_t build = build_of(results, ray);
        results->recorded = true;
        if (build == WS_NONE || !is_finite(ray)) {
            results->left_out[build == WS_NONE ? NO_STRUCTURE : NOT_FINITE]++;
            continue;
        }
        if (!ws_budget_spend(WS_STEPS_RAY) || !ws_bvh_launch_add(&results->launch, ray, thread->candidates,
                                                                 build, group_of(results, thread, ray)))
            return false;
    }
    return true;
}

/* Adds what a call site comes to: as a whole, by part, and by depth. */
static bool merge_site(struct results *results, uint64_t launch, const struct ws_bvh_site *site)
{
    const uint32_t part = 1u << WS_BVH_MODEL_BY_PART;
    const uint32_t depth = 1u << WS_BVH_MODEL_BY_DEPTH;
    const uint32_t element = 1u << WS_BVH_MODEL_BY_ELEMENT;
    uint64_t keys[WS_BVH_MODEL_DIMENSIONS] = {
        [WS_BVH_MODEL_BY_LAUNCH] = launch,
        [WS_BVH_MODEL_BY_STAGE] = ws_key_stage(results->catalog->shaders[site->shader].stage),
        [WS_BVH_MODEL_BY_SHADER] = site->shader,
        [WS_BVH_MODEL_BY_SITE] = ws_key_in_shader(site->shader, site->site),
    };
    struct ws_bvh_sums all = site->rays;
    bool merged = true;
    for (uint32_t i = 0; merged && i < WS_BVH_PARTS; ++i) {
        struct ws_bvh_sums sums = site->rays;
        ws_bvh_sums_add(&sums, &site->parts[i]);
        ws_bvh_sums_add(&all, &site->parts[i]);
        keys[WS_BVH_MODEL_BY_PART] = i;
        merged = sums.visits == 0 || ws_groups_add_to(results->groups, keys, &sums, part, depth | element);
    }
    for (uint32_t level = 0; level < 2; ++level)
        for (uint32_t i = 0; merged && i < site->depth_counts[level]; ++i) {
            struct ws_bvh_sums sums = site->rays;
            ws_bvh_sums_add(&sums, &site->depths[level][i]);
            keys[WS_BVH_MODEL_BY_PART] = level > 0 ? WS_BVH_BOTTOM_NODE : WS_BVH_TOP_NODE;
            keys[WS_BVH_MODEL_BY_DEPTH] = i;
            merged = sums.visits == 0 || ws_groups_add_to(results->groups, keys, &sums, depth, element);
        }
    return merged && ws_groups_add_to(results->groups, keys, &all, 0, part | depth | element);
}

/* The index of an element among those of all launches. False = no memory. */
static bool find_element(struct results *results, const struct ws_bvh_row *row, uint32_t *index)
{
    const uint64_t key = ws_bvh_row_key(row->part, row->build, row->index);
    if (ws_id_map_get(&results->element_ids, key, index))
        return true;
    struct ws_bvh_row *elements = ws_array_grow(results->elements, &results->element_capacity,
                                                results->element_count + 1, sizeof(*elements));
    if (elements == NULL)
        return false;
    results->elements = elements;
    *index = results->element_count;
    if (!ws_id_map_put(&results->element_ids, key, *index))
        return false;
    elements[results->element_count] = *row;
    elements[results->element_count++].sums = (struct ws_bvh_sums){0};
    return true;
}

/* Adds what elements come to, to the levels that are by element. */
static bool merge_rows(struct results *results, uint64_t launch)
{
    for (uint32_t i = 0; i < results->launch.row_count; ++i) {
        const struct ws_bvh_row *row = &results->launch.rows[i];
        const bool is_node = row->part == WS_BVH_TOP_NODE || row->part == WS_BVH_BOTTOM_NODE;
        uint64_t keys[WS_BVH_MODEL_DIMENSIONS];
        uint32_t index = 0;
        if (!find_element(results, row, &index))
            return false;
        ws_bvh_sums_add(&results->elements[index].sums, &row->sums);
        for (uint32_t j = 0; j < WS_BVH_MODEL_DIMENSIONS; ++j)
            keys[j] = WS_KEY_NONE;
        keys[WS_BVH_MODEL_BY_LAUNCH] = launch;
        keys[WS_BVH_MODEL_BY_PART] = row->part;
        keys[WS_BVH_MODEL_BY_DEPTH] = is_node ? row->depth : WS_KEY_NONE;
        keys[WS_BVH_MODEL_BY_ELEMENT] = index;
        if (!ws_groups_add_to(results->groups, keys, &row->sums, 1u << WS_BVH_MODEL_BY_ELEMENT, 0))
            return false;
    }
    return true;
}

const struct ws_bvh_scene *ws_bvh_model_bvh(const void *pointer)
{
    const struct results *results = pointer;
    return results->bvh;
}

uint32_t ws_bvh_model_count(const void *pointer)
{
    const struct results *results = pointer;
    return results->element_count;
}

const struct ws_bvh_row *ws_bvh_model_find(const void *pointer, uint32_t part, uint32_t build, uint32_t index)
{
    const struct results *results = pointer;
    uint32_t found = 0;
    return ws_id_map_get(&results->element_ids, ws_bvh_row_key(part, build, index), &found)
               ? &results->elements[found]
               : NULL;
}

void *ws_bvh_model_user(const void *pointer)
{
    const struct results *results = pointer;
    return results->user;
}

static bool end_launch(void *user, const struct ws_replay_threads *threads)
{
    struct results *results = user;
    struct ws_bvh_launch *launch = &results->launch;
    const struct ws_device_record *device = &results->catalog->devices[threads->launch->device];
    bool ended = launch->flown_count == 0 || ws_bvh_launch_run(launch, device->subgroup_size);
    for (uint32_t i = 0; ended && i < launch->site_count; ++i)
        ended = merge_site(results, threads->launch->index, launch->sites[i]);
    ended = ended && merge_rows(results, threads->launch->index);
    ws_bvh_launch_finish(launch);
    return ended;
}

static const struct ws_ray_operations ray_operations = {
    .begin = begin, .look = look, .thread = add_thread, .end = end_launch};

/* ---- the order of the stream ---- */

static void *nothing_new(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return malloc(1);
}

static bool nothing_merged(void *results, void *part, const struct ws_replay_threads *threads)
{
    (void)results;
    (void)part;
    (void)threads;
    return true;
}

/* Hears nothing, but has one worker replay the launches in the order of the stream (ws_ray.call). */
static const struct ws_replay_operations in_order = {.pass = WS_PASS_RAY_EVENTS,
                                                     .create = nothing_new,
                                                     .destroy = free,
                                                     .merge = nothing_merged,
                                                     .in_order = true};

static bool hear(void *pointer, struct ws_replay *replay)
{
    uint32_t number = 0;
    return ws_replay_add(replay, &in_order, pointer, &number);
}

/* ---- how it is shown ---- */

static void site_name(const struct ws_row *row, struct ws_value *value)
{
    const uint32_t shader = (uint32_t)(row->key >> 32);
    ws_rays_name(row->catalog, shader, ws_site_offset(row->catalog, shader, (uint32_t)row->key),
                 value->buffer, sizeof(value->buffer));
    value->kind = WS_VALUE_TEXT;
    value->text = value->buffer;
}

static void part_name(const struct ws_row *row, struct ws_value *value)
{
    value->kind = WS_VALUE_TEXT;
    value->text = ws_bvh_part_name((uint32_t)row->key);
}

static void depth_value(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static const struct ws_bvh_row *element_of(const struct ws_row *row)
{
    const struct results *results = row->user;
    return &results->elements[row->key];
}

static void element_name(const struct ws_row *row, struct ws_value *value)
{
    static const char *const names[WS_BVH_PARTS] = {"node", "instance", "node", "triangle", "box"};
    const struct ws_bvh_row *element = element_of(row);
    if (element->part == WS_BVH_TRIANGLE || element->part == WS_BVH_BOX)
        ws_value_text(value, "%s %" PRIu32 ":%" PRIu32, names[element->part], element->geometry,
                      element->number);
    else
        ws_value_text(value, "%s %" PRIu32, names[element->part], element->number);
}

/* Which structure has it: its name, else its number. */
static void element_structure(const struct ws_row *row, struct ws_value *value)
{
    const struct results *results = row->user;
    const struct ws_scene *scene = results->preview->scene;
    const struct ws_scene_structure *structure =
        &scene->structures[scene->builds[element_of(row)->build].structure];
    if (structure->name != NULL && structure->name[0] != '\0')
        ws_value_text(value, "%s", structure->name);
    else
        ws_value_text(value, "structure %" PRIu32, structure->id);
}

static void element_geometry(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_bvh_row *element = element_of(row);
    if (element->part == WS_BVH_TRIANGLE || element->part == WS_BVH_BOX)
        ws_value_count(value, element->geometry);
}

static void element_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, element_of(row)->number);
}

static void element_bounds(const struct ws_row *row, struct ws_value *value)
{
    const float *bounds = element_of(row)->bounds;
    ws_value_text(value, "%.7g %.7g %.7g %.7g %.7g %.7g", (double)bounds[0], (double)bounds[1],
                  (double)bounds[2], (double)bounds[3], (double)bounds[4], (double)bounds[5]);
}

static const struct ws_field element_fields[] = {
    {"element", "node, instance, triangle geometry:primitive or AABB geometry:primitive", WS_TEXT,
     .value = element_name},
    {"structure", "that it is of; of several with equal content, the first that was used", WS_TEXT,
     .value = element_structure},
    {"geometry", "of a primitive", WS_COUNT, .value = element_geometry},
    {"number", "of a primitive in its geometry, an instance in its build, or a node in its tree", WS_COUNT,
     .value = element_number},
    {"bounds", "box: the least x, y and z, and the largest, in the space of its tree", WS_TEXT,
     .value = element_bounds},
    {NULL}};
static const struct ws_field site_fields[] = {
    {"site", "call of traceRay, or ray query", WS_TEXT, "", .value = site_name}, {NULL}};
static const struct ws_field part_fields[] = {
    {"part", "top nodes, instances, bottom nodes, triangles or boxes", WS_TEXT, .value = part_name}, {NULL}};
static const struct ws_field depth_fields[] = {
    {"depth", "of nodes in their tree; the root's is 0", WS_COUNT, .value = depth_value}, {NULL}};

static const struct ws_dimension dimensions[] = {
    [WS_BVH_MODEL_BY_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_BVH_MODEL_BY_STAGE] = {WS_DIMENSION_STAGE},
    [WS_BVH_MODEL_BY_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_BVH_MODEL_BY_STAGE},
    [WS_BVH_MODEL_BY_SITE] = {"site", "call of traceRay, or ray query", site_fields,
                              .implies = 1u << WS_BVH_MODEL_BY_SHADER},
    [WS_BVH_MODEL_BY_PART] = {"part", "part of the model BVH", part_fields},
    [WS_BVH_MODEL_BY_DEPTH] = {"depth", "depth of nodes", depth_fields},
    [WS_BVH_MODEL_BY_ELEMENT] = {"element", "one node, instance, triangle or AABB", element_fields,
                                 .shown = "structure element", .implies = 1u << WS_BVH_MODEL_BY_PART},
    [WS_BVH_MODEL_DIMENSIONS] = {NULL},
};

#define AT(member)   .at = offsetof(struct ws_bvh_sums, member)
#define OF(member)   .of = offsetof(struct ws_bvh_sums, member)
#define LESS         .better = WS_BETTER_LESS
#define MORE         .better = WS_BETTER_MORE
#define BLANK(check) AT(checks[check]), .flags = WS_BLANK_ZERO

static const struct ws_field measures[] = {
    {"rays",
     "that flew through the model; of a part or depth those of the call sites\nand launches that come to it",
     WS_COUNT, AT(rays), .flags = WS_BLANK_ZERO},
    {"calls", "executions of calls by warps", WS_COUNT, AT(calls)},
    {"nodes_per_ray", "nodes that a ray visits; each has two boxes", WS_RATIO, AT(nodes), OF(rays), LESS},
    {"instances_per_ray", "instances that a ray visits", WS_RATIO, AT(parts[WS_BVH_INSTANCE]), OF(rays),
     LESS},
    {"triangles_per_ray", "triangles that a ray is tested with", WS_RATIO, AT(parts[WS_BVH_TRIANGLE]),
     OF(rays), LESS},
    {"boxes_per_ray", "AABBs of the application that a ray is tested with", WS_RATIO, AT(parts[WS_BVH_BOX]),
     OF(rays), LESS},
    {"visits", "of rays to nodes, instances, triangles and AABBs", WS_COUNT, AT(visits), LESS},
    {"visits_per_ray", "visits / rays", WS_RATIO, AT(visits), OF(rays), LESS},
    {"requests", "steps of warps that read", WS_COUNT, AT(requests), LESS},
    {"active", "visits / (requests x lanes of a warp)", WS_SHARE, AT(visits), OF(slots), MORE},
    {"elements", "distinct ones that requests read", WS_COUNT, AT(elements), LESS},
    {"spread", "elements / requests: 1 where a warp stays together", WS_RATIO, AT(elements), OF(requests),
     LESS},
    {"bytes", "of these elements", WS_COUNT, AT(bytes), LESS},
    {"l1_sectors", "sectors that the L1 is asked for", WS_COUNT, AT(l1_sectors), LESS},
    {"l1_hits", "of them those that it has", WS_COUNT, AT(l1_hits)},
    {"l1_hit_rate", "l1_hits / l1_sectors", WS_SHARE, AT(l1_hits), OF(l1_sectors), .flags = WS_DASH, MORE},
    {"l2_sectors", "sectors that the L2 is asked for", WS_COUNT, AT(l2_sectors), LESS},
    {"l2_hits", "of them those that it has", WS_COUNT, AT(l2_hits)},
    {"l2_hit_rate", "l2_hits / l2_sectors", WS_SHARE, AT(l2_hits), OF(l2_sectors), .flags = WS_DASH, MORE},
    {"memory_bytes", "that the L2 reads from memory", WS_COUNT, AT(memory_bytes), LESS},
    {"agree", "rays for which the model finds what the capture has", WS_COUNT, BLANK(WS_BVH_AGREES)},
    {"same_place", "rays for which it finds another primitive there", WS_COUNT, BLANK(WS_BVH_SAME_PLACE)},
    {"borderline", "rays for which rounding decides, at tmin or tmax", WS_COUNT, BLANK(WS_BVH_BORDERLINE)},
    {"differ", "rays for which it finds something else", WS_COUNT, BLANK(WS_BVH_DIFFERS), LESS},
    {"not_checked", "rays of which the capture does not say what they hit", WS_COUNT, BLANK(WS_BVH_UNKNOWN)},
    {NULL},
};

#define RAYS   " rays nodes_per_ray instances_per_ray triangles_per_ray boxes_per_ray"
#define READS  " requests active spread l1_hit_rate l2_hit_rate memory_bytes"
#define CHECKS " agree same_place borderline differ not_checked"
#define DATA                                                                                                 \
    " visits visits_per_ray requests active elements spread bytes l1_sectors l1_hits l1_hit_rate "           \
    "l2_sectors "                                                                                            \
    "l2_hits l2_hit_rate memory_bytes"

static const struct ws_level levels[] = {
    {"total", .data = "calls" RAYS DATA CHECKS},
    {"launches", "Launches", .by = 1u << WS_BVH_MODEL_BY_LAUNCH, .text = "launch frame label" RAYS READS,
     .data = "launch frame submission launch_kind launch_size label subgroup_size calls" RAYS DATA CHECKS},
    {"sites", "Rays by call site", .by = 1u << WS_BVH_MODEL_BY_SITE, .text = "site" RAYS READS,
     .data = "shader_id shader stage site calls" RAYS DATA CHECKS},
    {"parts", "Parts of the trees", .by = 1u << WS_BVH_MODEL_BY_PART, .rows = UINT32_MAX,
     .text = "part visits visits_per_ray" READS, .data = "part" DATA},
    {"depths", "Levels of the trees", .by = 1u << WS_BVH_MODEL_BY_PART | 1u << WS_BVH_MODEL_BY_DEPTH,
     .text = "part depth visits visits_per_ray" READS, .data = "part depth" DATA},
    {NULL},
};

static const struct ws_columns columns = {dimensions,
                                          measures,
                                          levels,
                                          sizeof(struct ws_bvh_sums),
                                          .shown =
                                              "rays visits visits_per_ray requests active spread l1_hit_rate "
                                              "l2_hit_rate memory_bytes",
                                          .main = "l1_hit_rate l2_hit_rate memory_bytes"};

static void destroy(void *pointer)
{
    struct results *results = pointer;
    if (results == NULL)
        return;
    ws_rays_destroy(results->rays);
    ws_bvh_launch_finish(&results->launch);
    free(results->elements);
    ws_id_map_finish(&results->element_ids);
    ws_bvh_scene_destroy(results->bvh);
    ws_scene_preview_release(results->preview);
    ws_groups_destroy(results->groups);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    const char *device = options->caches != NULL ? options->caches : USUAL_DEVICE;
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->user = options->user;
    results->is_file = options->path != NULL;
    if (!ws_bvh_settings_parse(options->bvh, &results->settings, error) ||
        !ws_cache_shape_load(device, &results->shape, error))
        goto error;
    results->preview = ws_scene_preview_open(options->preview, options->path, options->selection, error);
    if (results->preview == NULL)
        goto error;
    const struct ws_scene *scene = results->preview->scene;
    results->rays = ws_rays_create(catalog, &ray_operations, results);
    results->groups = ws_groups_create(&columns, catalog, results, &options->view, error);
    if (results->rays == NULL || results->groups == NULL)
        goto error;
    ws_rays_choose(results->rays, options->selection);
    if (scene != NULL && scene->structure_count > 0) {
        results->bvh = ws_bvh_scene_create(scene, &results->settings);
        if (results->bvh == NULL)
            goto error;
    }
    return results;
error:
    destroy(results);
    return NULL;
}

static void attach(void *pointer, uint32_t number)
{
    struct results *results = pointer;
    ws_rays_attach(results->rays, number);
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct results *results = pointer;
    return results->groups;
}

static const char *nothing(const void *pointer)
{
    const struct results *results = pointer;
    if (!results->recorded)
        return "no ray was recorded";
    if (results->bvh != NULL)
        return NULL;
    return results->is_file ? "no acceleration structure was made, or none was captured"
                            : "the geometry is read first, so the capture must be a file";
}

static void print_trees(FILE *stream, const char *level, const char *of, const struct ws_bvh_totals *totals)
{
    fprintf(stream,
            "  %s: %" PRIu64 " tree%s over %" PRIu64 " %s, %" PRIu64 " nodes, %" PRIu64 " %s, %" PRIu64
            " level%s at most, %" PRIu64 " byte%s\n",
            level, totals->trees, totals->trees == 1 ? "" : "s", totals->items, of, totals->nodes,
            totals->leaves, totals->leaves == 1 ? "leaf" : "leaves", totals->depth,
            ws_plural(totals->depth, "s"), totals->bytes, ws_plural(totals->bytes, "s"));
}

static void print_check(const struct results *results, FILE *stream)
{
    static const uint64_t keys[WS_BVH_MODEL_DIMENSIONS] = {0};
    const struct ws_bvh_sums *total = ws_groups_find(results->groups, 0, keys);
    if (total == NULL || total->rays == 0)
        return;
    const uint64_t *checks = total->checks;
    fprintf(stream,
            "  of %" PRIu64 " rays that can be checked %" PRIu64 " find what the capture has, %" PRIu64
            " another primitive there;\n"
            "  of %" PRIu64 " rounding decides, and %" PRIu64 " find something else\n",
            total->rays - checks[WS_BVH_UNKNOWN], checks[WS_BVH_AGREES], checks[WS_BVH_SAME_PLACE],
            checks[WS_BVH_BORDERLINE], checks[WS_BVH_DIFFERS]);
}

static bool text(const void *pointer, FILE *stream)
{
    const struct results *results = pointer;
    char settings[WS_BVH_TEXT];
    const char *why = nothing(results);
    if (why != NULL) {
        fprintf(stream, "\nModel BVH: %s\n", why);
        return true;
    }
    ws_bvh_settings_text(&results->settings, settings);
    fprintf(stream,
            "\nModel BVH over the captured geometry, with the captured rays: a model\n"
            "  built with %s\n",
            settings);
    print_trees(stream, "top level", "instances", &results->bvh->top_totals);
    print_trees(stream, "bottom level", "primitives", &results->bvh->bottom_totals);
    fprintf(stream, "  caches as those of %s\n", results->shape.name);
    print_check(results, stream);
    return ws_groups_text_all(results->groups, stream);
}

static const struct ws_member tree_members[] = {
    {"trees", "integer", "that were made"},
    {"items", "integer", "instances, or primitives"},
    {"nodes", "integer", "each has two children"},
    {"leaves", "integer", "of items"},
    {"depth", "integer", "nodes on a way from a root, at most"},
    {"bytes", "integer", "of nodes and items"},
    {"left_out", "integer",
     "items that no ray can meet: inactive, not finite, without a structure or an inverse"},
    {NULL}};

static const struct ws_member members[] = {
    {"settings", "string", "of the model, as --bvh takes them"},
    {"device", "string", "whose caches the figures are of"},
    {"has_geometry", "boolean", "the capture has geometry to build trees over"},
    {"top", "object", "trees over instances", tree_members},
    {"bottom", "object", "trees over primitives", tree_members},
    {"without_structure", "integer", "rays that do not fly, since their structure is not known"},
    {"not_finite", "integer", "rays that do not fly, since they are not finite"},
    {NULL}};

static cJSON *trees_json(const struct ws_bvh_totals *totals)
{
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "trees", totals->trees);
    ws_json_integer(object, "items", totals->items);
    ws_json_integer(object, "nodes", totals->nodes);
    ws_json_integer(object, "leaves", totals->leaves);
    ws_json_integer(object, "depth", totals->depth);
    ws_json_integer(object, "bytes", totals->bytes);
    ws_json_integer(object, "left_out", totals->left_out);
    return object;
}

static bool json(const void *pointer, struct ws_json *json)
{
    static const struct ws_bvh_totals none = {0};
    const struct results *results = pointer;
    char settings[WS_BVH_TEXT];
    ws_bvh_settings_text(&results->settings, settings);
    ws_json_member(json, "settings", cJSON_CreateString(settings));
    ws_json_member(json, "device", cJSON_CreateString(results->shape.name));
    ws_json_member(json, "has_geometry", cJSON_CreateBool(results->bvh != NULL));
    ws_json_member(json, "top", trees_json(results->bvh != NULL ? &results->bvh->top_totals : &none));
    ws_json_member(json, "bottom", trees_json(results->bvh != NULL ? &results->bvh->bottom_totals : &none));
    ws_json_member(json, "without_structure", ws_json_integer_item(results->left_out[NO_STRUCTURE]));
    ws_json_member(json, "not_finite", ws_json_integer_item(results->left_out[NOT_FINITE]));
    return !json->failed;
}

static void notes(const void *pointer, FILE *stream)
{
    const struct results *results = pointer;
    for (uint32_t why = 0; why < WHYS; ++why)
        if (results->left_out[why] > 0)
            fprintf(stream, "  bvh_model leaves %" PRIu64 " ray%s out: %s\n", results->left_out[why],
                    ws_plural(results->left_out[why], "s"), whys[why]);
    if (results->bvh != NULL && results->bvh->top_totals.left_out + results->bvh->bottom_totals.left_out > 0)
        fprintf(stream,
                "  bvh_model leaves %" PRIu64 " instance%s and %" PRIu64
                " primitive%s out, which no ray can meet (see report geometry)\n",
                results->bvh->top_totals.left_out, ws_plural(results->bvh->top_totals.left_out, "s"),
                results->bvh->bottom_totals.left_out, ws_plural(results->bvh->bottom_totals.left_out, "s"));
    ws_rays_print_malformed(results->rays, stream);
}

static const char *const passes[] = {WS_PASS_RAY_EVENTS, NULL};

const struct ws_analysis ws_analysis_bvh_model = {
    .name = "bvh_model",
    .summary = "captured rays through a model BVH: nodes, tests, coherence, caches",
    .answers = "what traversal costs in a model BVH",
    .passes = passes,
    .columns = &columns,
    .words =
        "The tree that a driver builds cannot be seen, nor how a device walks it. So this builds one over "
        "the\n"
        "captured geometry (--bvh says how), and flies the captured rays through it: those of a warp in "
        "step,\n"
        "calls in the order in which they were recorded. What shaders ignored or accepted is as captured. "
        "The\n"
        "caches are those of a device of your choice (--caches), and empty where a launch begins.\n"
        "A request is a step of a warp that reads: nodes, instances, triangles or AABBs. Spread is how many\n"
        "different ones its lanes read: 1 where they stay together.\n"
        "--by part,depth tells of each level of the trees, and --by element of each node, instance, triangle "
        "and\n"
        "AABB, with its box.\n",
    .by_name = true,
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
    .hear = hear,
    .groups = groups,
    .nothing = nothing,
    .text = text,
    .notes = notes,
    .json = json,
    .members = members,
};
