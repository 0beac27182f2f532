/* The same as JSON. */
#include "analysis/model/work_id.h"
#include "analysis/output/json.h"
#include "analysis/rays/rays_report.h"

#define NAME_SIZE 384

/* A member of that name, or an element where the name is NULL; NULL when there is no memory. */
static cJSON *add_object(cJSON *to, const char *name)
{
    cJSON *object = cJSON_CreateObject();
    if (object != NULL &&
        (name != NULL ? cJSON_AddItemToObject(to, name, object) : cJSON_AddItemToArray(to, object)))
        return object;
    cJSON_Delete(object);
    return NULL;
}

static bool add_counts(cJSON *to, const struct ws_rays_counts *counts)
{
    if (to == NULL)
        return false;
    ws_json_integer(to, "rays", counts->rays);
    for (uint32_t i = 0; i <= WS_RAY_NO_SHADER; ++i)
        ws_json_integer(to, ws_ray_end_name(i), counts->ends[i]);
    ws_json_integer(to, "any_hits", counts->any_hits);
    ws_json_integer(to, "ignored", counts->ignored);
    ws_json_integer(to, "intersections", counts->intersections);
    ws_json_integer(to, "reports", counts->reports);
    ws_json_integer(to, "candidates", counts->candidates);
    ws_json_integer(to, "confirmed", counts->confirmed);
    return cJSON_AddNumberToObject(to, "ignored_share", ws_rays_ratio(counts->ignored, counts->any_hits)) !=
               NULL &&
           cJSON_AddNumberToObject(to, "reports_per_ray", ws_rays_ratio(counts->reports, counts->rays)) !=
               NULL;
}

static bool add_shader(cJSON *to, const struct ws_catalog *catalog, uint32_t shader)
{
    char name[NAME_SIZE];
    if (to == NULL)
        return false;
    ws_catalog_shader_name(catalog, shader, name, sizeof(name));
    ws_json_integer(to, "shader", catalog->shaders[shader].id);
    return cJSON_AddStringToObject(to, "name", name) != NULL;
}

static bool add_geometry(cJSON *to, const struct ws_rays_geometry *geometry)
{
    if (to == NULL)
        return false;
    ws_json_integer(to, "instance", geometry->instance);
    ws_json_integer(to, "custom_index", geometry->custom_index);
    ws_json_integer(to, "geometry", geometry->geometry);
    ws_json_integer(to, "hits", geometry->hits);
    ws_json_integer(to, "any_hits", geometry->any_hits);
    ws_json_integer(to, "ignored", geometry->ignored);
    ws_json_integer(to, "intersections", geometry->intersections);
    ws_json_integer(to, "reports", geometry->reports);
    ws_json_integer(to, "accepted", geometry->accepted);
    ws_json_integer(to, "candidates", geometry->candidates);
    ws_json_integer(to, "confirmed", geometry->confirmed);
    return true;
}

static bool add_distribution(cJSON *to, const struct ws_trace_counts *counts)
{
    if (to == NULL)
        return false;
    const struct ws_trace_summary summary = ws_trace_counts_summary(counts);
    ws_json_integer(to, "number", summary.total);
    ws_json_integer(to, "sum", summary.sum);
    ws_json_integer(to, "minimum", summary.minimum);
    ws_json_integer(to, "median", summary.median);
    ws_json_integer(to, "ninety_percent", summary.ninety);
    ws_json_integer(to, "maximum", summary.maximum);
    cJSON_AddNumberToObject(to, "mean", ws_rays_ratio(summary.sum, summary.total));
    cJSON *values = cJSON_AddArrayToObject(to, "values");
    for (uint32_t i = 0; values != NULL && i < counts->count; ++i) {
        cJSON *value = add_object(values, NULL);
        if (value == NULL)
            return false;
        ws_json_integer(value, "value", counts->counts[i].value);
        ws_json_integer(value, "count", counts->counts[i].count);
    }
    return values != NULL;
}

static bool add_sites(cJSON *to, const struct ws_rays_results *results)
{
    for (uint32_t i = 0; to != NULL && i < results->site_count; ++i) {
        const struct ws_rays_site *site = &results->sites[i];
        const struct ws_site_record *record =
            &results->catalog->modules[results->catalog->shaders[site->shader].module].sites[site->site];
        cJSON *object = add_object(to, NULL);
        if (!add_shader(object, results->catalog, site->shader))
            return false;
        if (record->file != NULL) {
            cJSON_AddStringToObject(object, "file", record->file);
            ws_json_integer(object, "line", record->line);
        }
        ws_json_integer(object, "offset", record->info.offset);
        if (!add_counts(object, &site->counts))
            return false;
    }
    return to != NULL;
}

static bool add_sets(cJSON *object, const struct ws_rays_results *results)
{
    cJSON *kinds = add_object(object, "kinds");
    for (uint32_t i = 0; i < WS_RAYS_KINDS; ++i)
        if (kinds == NULL || !add_counts(add_object(kinds, ws_rays_kind_name(i)), &results->kinds[i]))
            return false;
    cJSON *depths = cJSON_AddArrayToObject(object, "depths");
    for (uint32_t i = 0; i < WS_RAYS_DEPTHS; ++i) {
        if (depths == NULL)
            return false;
        if (results->depths[i].rays == 0)
            continue;
        cJSON *depth = add_object(depths, NULL);
        if (depth == NULL)
            return false;
        ws_json_integer(depth, "depth", i);
        if (!add_counts(depth, &results->depths[i]))
            return false;
    }
    return add_sites(cJSON_AddArrayToObject(object, "sites"), results);
}

static bool add_lists(cJSON *object, const struct ws_rays_results *results)
{
    cJSON *geometries = cJSON_AddArrayToObject(object, "geometries");
    for (uint32_t i = 0; geometries != NULL && i < results->geometry_count; ++i)
        if (!add_geometry(add_object(geometries, NULL), &results->geometries[i]))
            return false;
    cJSON *shaders = cJSON_AddArrayToObject(object, "shaders");
    for (uint32_t i = 0; shaders != NULL && i < results->shader_count; ++i) {
        if (results->shaders[i] == 0)
            continue;
        cJSON *shader = add_object(shaders, NULL);
        if (!add_shader(shader, results->catalog, i))
            return false;
        ws_json_integer(shader, "rays", results->shaders[i]);
    }
    cJSON *distances = cJSON_AddArrayToObject(object, "distances");
    for (int i = 0; distances != NULL && i < WS_RAYS_BINS; ++i) {
        if (results->distances[i] == 0)
            continue;
        cJSON *bin = add_object(distances, NULL);
        if (bin == NULL || cJSON_AddNumberToObject(bin, "log2", i - WS_RAYS_BIN_ONE) == NULL)
            return false;
        ws_json_integer(bin, "hits", results->distances[i]);
    }
    ws_json_integer(object, "odd_distances", results->odd);
    return geometries != NULL && shaders != NULL && distances != NULL;
}

static bool add_most(cJSON *to, const struct ws_rays_results *results)
{
    for (uint32_t i = 0; to != NULL && i < results->most_count; ++i) {
        const struct ws_rays_place *place = &results->most[i];
        char work[64];
        cJSON *object = add_object(to, NULL);
        ws_work_text(place->stage, place->work, work, sizeof(work));
        if (object == NULL || cJSON_AddStringToObject(object, "work", work) == NULL)
            return false;
        ws_json_integer(object, "rays", place->rays);
        ws_json_integer(object, "warp", place->warp);
        ws_json_integer(object, "launch", place->launch);
    }
    return to != NULL;
}

static bool add_vector(cJSON *to, const char *name, const float vector[3])
{
    cJSON *array = cJSON_CreateFloatArray(vector, 3);
    if (array != NULL && cJSON_AddItemToObject(to, name, array))
        return true;
    cJSON_Delete(array);
    return false;
}

static bool add_ray(cJSON *to, const struct ws_catalog *catalog, const struct ws_ray *ray, uint32_t number)
{
    if (!add_shader(to, catalog, ray->shader))
        return false;
    ws_json_integer(to, "ray", number);
    if (ray->parent != WS_NONE)
        ws_json_integer(to, "parent", ray->parent);
    ws_json_integer(to, "depth", ray->depth);
    ws_json_integer(to, "flags", ray->flags);
    if (ray->has_hit) {
        cJSON_AddNumberToObject(to, "t", (double)ray->hit.t);
        ws_json_integer(to, "instance", ray->hit.instance);
        ws_json_integer(to, "custom_index", ray->hit.custom_index);
        ws_json_integer(to, "geometry", ray->hit.geometry);
        ws_json_integer(to, "primitive", ray->hit.primitive);
    }
    ws_json_integer(to, "any_hits", ray->any_hits);
    ws_json_integer(to, "ignored", ray->ignored);
    ws_json_integer(to, "intersections", ray->intersections);
    ws_json_integer(to, "reports", ray->reports);
    return cJSON_AddBoolToObject(to, "query", ray->query) != NULL && add_vector(to, "origin", ray->origin) &&
           add_vector(to, "direction", ray->direction) &&
           cJSON_AddNumberToObject(to, "tmin", (double)ray->tmin) != NULL &&
           cJSON_AddNumberToObject(to, "tmax", (double)ray->tmax) != NULL &&
           cJSON_AddStringToObject(to, "end", ws_ray_end_name(ray->end)) != NULL;
}

/* The rays of chosen threads, without their candidates, which an export has. */
static bool add_trees(cJSON *to, const struct ws_rays_results *results)
{
    for (uint32_t i = 0; to != NULL && i < results->tree_count; ++i) {
        const struct ws_rays_tree *tree = &results->trees[i];
        char work[64];
        cJSON *object = add_object(to, NULL);
        ws_work_text(tree->stage, tree->work, work, sizeof(work));
        if (object == NULL || cJSON_AddStringToObject(object, "work", work) == NULL ||
            cJSON_AddBoolToObject(object, "truncated", tree->truncated) == NULL)
            return false;
        ws_json_integer(object, "launch", tree->launch);
        ws_json_integer(object, "warp", tree->warp);
        ws_json_integer(object, "lane", tree->lane);
        cJSON *rays = cJSON_AddArrayToObject(object, "rays");
        for (uint32_t j = 0; rays != NULL && j < tree->ray_count; ++j)
            if (!add_ray(add_object(rays, NULL), results->catalog, &tree->rays[j], j))
                return false;
        if (rays == NULL)
            return false;
    }
    return to != NULL;
}

bool ws_rays_report_json(const void *pointer, cJSON *object)
{
    const struct ws_rays_results *results = pointer;
    ws_json_integer(object, "launches", results->launches);
    ws_json_integer(object, "malformed", ws_rays_malformed(results->rays));
    if (results->trees_left_out > 0)
        ws_json_integer(object, "threads_left_out", results->trees_left_out);
    return add_counts(add_object(object, "total"), &results->all) && add_sets(object, results) &&
           add_lists(object, results) &&
           add_geometry(add_object(object, "other_geometries"), &results->rest) &&
           add_distribution(add_object(object, "bounces"), &results->bounces) &&
           add_distribution(add_object(object, "rays_per_thread"), &results->threads) &&
           add_most(cJSON_AddArrayToObject(object, "most"), results) &&
           (!(results->options.has_thread || results->options.has_warp) ||
            add_trees(cJSON_AddArrayToObject(object, "threads"), results));
}
