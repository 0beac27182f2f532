/* The report of rays as text, JSON, CSV and pictures. */
#include "analysis/rays/ray_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/work_id.h"
#include "analysis/output/csv.h"
#include "analysis/output/json.h"
#include "analysis/output/plot.h"
#include "analysis/output/table.h"

#define NAME_SIZE   384
#define ROWS_USUAL  20
#define LINES_USUAL 1000
#define DEPTH_MOST  40 /* of indentation */

static uint32_t rows_of(const struct ws_ray_events *results)
{
    return results->options.rows > 0 ? results->options.rows : ROWS_USUAL;
}

static bool print_table(struct ws_table *table, const char *heading, uint32_t left_out, FILE *stream)
{
    const bool printed = !table->failed;
    if (printed && table->cell_count > 0) {
        fprintf(stream, "\n%s\n", heading);
        ws_table_print(table, 2, stream);
        if (left_out > 0)
            fprintf(stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", left_out);
    }
    ws_table_finish(table);
    return printed;
}

#define COUNT_COLUMNS 11

/* Behind a first column, of what the rays are. */
static const struct ws_column count_columns[COUNT_COLUMNS] = {{"rays", true},
                                                              {"hit", true},
                                                              {"miss", true},
                                                              {"implicit\nhit", true},
                                                              {"no\nshader", true},
                                                              {"unknown", true},
                                                              {"any-hit\nruns", true},
                                                              {"ignored", true},
                                                              {"intersection\nruns", true},
                                                              {"reports\nper ray", true},
                                                              {"query\ncandidates", true}};

/* Nothing where there is nothing, so that columns of which nobody has anything are left out. */
static void add_number(struct ws_table *table, uint64_t number)
{
    if (number > 0)
        ws_table_add(table, "%" PRIu64, number);
    else
        ws_table_add(table, "%s", "");
}

static void add_count_cells(struct ws_table *table, const struct ws_rays_counts *counts)
{
    static const uint32_t ends[] = {WS_RAY_HIT, WS_RAY_MISSED, WS_RAY_IMPLICIT, WS_RAY_NO_SHADER,
                                    WS_RAY_UNKNOWN};
    ws_table_add(table, "%" PRIu64, counts->rays);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); ++i)
        add_number(table, counts->ends[ends[i]]);
    add_number(table, counts->any_hits);
    if (counts->any_hits > 0)
        ws_table_add(table, "%.1f %%", 100 * ws_rays_ratio(counts->ignored, counts->any_hits));
    else
        ws_table_add(table, "%s", "");
    add_number(table, counts->intersections);
    if (counts->reports > 0)
        ws_table_add(table, "%.2f", ws_rays_ratio(counts->reports, counts->rays));
    else
        ws_table_add(table, "%s", "");
    add_number(table, counts->candidates);
}

static void begin_counts(struct ws_table *table, struct ws_column *columns, struct ws_column first,
                         const struct ws_column *last)
{
    columns[0] = first;
    memcpy(columns + 1, count_columns, sizeof(count_columns));
    if (last != NULL)
        columns[1 + COUNT_COLUMNS] = *last;
    ws_table_init(table, columns, 1 + COUNT_COLUMNS + (last != NULL));
}

static bool print_kinds(const struct ws_ray_events *results, FILE *stream)
{
    static const char *const names[] = {"pipeline", "pipeline, miss-only", "query"};
    struct ws_column columns[2 + COUNT_COLUMNS];
    struct ws_table table;
    if (results->all.rays == 0) {
        fputs("\nRays\n  none was recorded\n", stream);
        return true;
    }
    begin_counts(&table, columns, (struct ws_column){"kind", false}, NULL);
    for (uint32_t i = 0; i < WS_RAYS_KINDS; ++i) {
        if (results->kinds[i].rays == 0)
            continue;
        ws_table_add(&table, "%s", names[i]);
        add_count_cells(&table, &results->kinds[i]);
    }
    ws_table_add(&table, "all");
    add_count_cells(&table, &results->all);
    return print_table(&table, "Rays", 0, stream);
}

static bool print_depths(const struct ws_ray_events *results, FILE *stream)
{
    struct ws_column columns[2 + COUNT_COLUMNS];
    struct ws_table table;
    begin_counts(&table, columns, (struct ws_column){"depth", true}, NULL);
    for (uint32_t i = 0; i < WS_RAYS_DEPTHS; ++i) {
        if (results->depths[i].rays == 0)
            continue;
        ws_table_add(&table, "%" PRIu32 "%s", i, i + 1 == WS_RAYS_DEPTHS ? "+" : "");
        add_count_cells(&table, &results->depths[i]);
    }
    return print_table(&table, "By depth: how many rays led to it", 0, stream);
}

static bool print_sites(const struct ws_ray_events *results, FILE *stream)
{
    static const struct ws_column last = {"source", false};
    struct ws_column columns[2 + COUNT_COLUMNS];
    struct ws_table table;
    const uint32_t most = rows_of(results);
    begin_counts(&table, columns, (struct ws_column){"traced by", false}, &last);
    for (uint32_t i = 0; i < results->site_count && i < most; ++i) {
        const struct ws_rays_site *site = &results->sites[i];
        char text[NAME_SIZE];
        ws_catalog_shader_name(results->catalog, site->shader, text, sizeof(text));
        ws_table_add(&table, "%s", text);
        add_count_cells(&table, &site->counts);
        ws_rays_site_place(results->catalog, site->shader, site->site, text, sizeof(text));
        ws_table_add(&table, "%s", text);
    }
    return print_table(&table, "By call site", results->site_count > most ? results->site_count - most : 0,
                       stream);
}

static void add_geometry_cells(struct ws_table *table, const struct ws_rays_geometry *geometry)
{
    add_number(table, geometry->hits);
    add_number(table, geometry->any_hits);
    if (geometry->any_hits > 0)
        ws_table_add(table, "%.1f %%", 100 * ws_rays_ratio(geometry->ignored, geometry->any_hits));
    else
        ws_table_add(table, "%s", "");
    add_number(table, geometry->intersections);
    add_number(table, geometry->reports);
    add_number(table, geometry->accepted);
    add_number(table, geometry->candidates);
    add_number(table, geometry->confirmed);
}

static bool print_geometries(const struct ws_ray_events *results, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"instance", true},      {"custom\nindex", true},     {"geometry", true},           {"hits", true},
        {"any-hit\nruns", true}, {"ignored", true},           {"intersection\nruns", true}, {"reports", true},
        {"accepted", true},      {"query\ncandidates", true}, {"confirmed", true}};
    struct ws_table table;
    const uint32_t most = rows_of(results);
    ws_table_init(&table, columns, 11);
    for (uint32_t i = 0; i < results->geometry_count && i < most; ++i) {
        const struct ws_rays_geometry *geometry = &results->geometries[i];
        ws_table_add(&table, "%" PRIu32, geometry->instance);
        ws_table_add(&table, "%" PRIu32, geometry->custom_index);
        ws_table_add(&table, "%" PRIu32, geometry->geometry);
        add_geometry_cells(&table, geometry);
    }
    if (ws_rays_geometry_work(&results->rest) > 0) {
        ws_table_add(&table, "others");
        ws_table_add(&table, "%s", "");
        ws_table_add(&table, "%s", "");
        add_geometry_cells(&table, &results->rest);
    }
    return print_table(&table, "By geometry",
                       results->geometry_count > most ? results->geometry_count - most : 0, stream);
}

static bool print_shaders(const struct ws_ray_events *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"shader", false}, {"stage", false}, {"rays", true}};
    struct ws_table table;
    ws_table_init(&table, columns, 3);
    for (uint32_t i = 0; i < results->shader_count; ++i) {
        char name[NAME_SIZE];
        if (results->shaders[i] == 0)
            continue;
        ws_catalog_shader_name(results->catalog, i, name, sizeof(name));
        ws_table_add(&table, "%s", name);
        ws_table_add(&table, "%s", ws_stage_name(results->catalog->shaders[i].stage));
        ws_table_add(&table, "%" PRIu64, results->shaders[i]);
    }
    return print_table(&table, "Shaders that ended rays", 0, stream);
}

static bool print_most(const struct ws_ray_events *results, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"rays", true}, {"thread", true}, {"warp", true}, {"launch", true}};
    struct ws_table table;
    ws_table_init(&table, columns, 4);
    for (uint32_t i = 0; i < results->most_count; ++i) {
        const struct ws_rays_place *place = &results->most[i];
        char work[64];
        ws_work_text(place->stage, place->work, work, sizeof(work));
        ws_table_add(&table, "%" PRIu64, place->rays);
        ws_table_add(&table, "%s", work);
        ws_table_add(&table, "%" PRIu32, place->warp);
        ws_table_add(&table, "%" PRIu64, place->launch);
    }
    return print_table(&table, "Threads with most rays", 0, stream);
}

static void add_summary(struct ws_table *table, const char *what, const struct ws_trace_counts *counts)
{
    const struct ws_trace_summary summary = ws_trace_counts_summary(counts);
    if (summary.total == 0)
        return;
    ws_table_add(table, "%s", what);
    ws_table_add(table, "%" PRIu64, summary.total);
    ws_table_add(table, "%" PRIu64, summary.minimum);
    ws_table_add(table, "%" PRIu64, summary.median);
    ws_table_add(table, "%.2f", ws_rays_ratio(summary.sum, summary.total));
    ws_table_add(table, "%" PRIu64, summary.ninety);
    ws_table_add(table, "%" PRIu64, summary.maximum);
}

static bool print_summaries(const struct ws_ray_events *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"", false},      {"number", true}, {"minimum", true},
                                               {"median", true}, {"mean", true},   {"90 %", true},
                                               {"maximum", true}};
    struct ws_table table;
    ws_table_init(&table, columns, 7);
    add_summary(&table, "rays per thread that traced", &results->threads);
    add_summary(&table, "bounces per path", &results->bounces);
    return print_table(&table, "Rays per thread, bounces", 0, stream);
}

static bool print_distances(const struct ws_ray_events *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"from", true}, {"to", true}, {"hits", true}, {"", false}};
    static const char bar[] = "########################################";
    struct ws_table table;
    uint64_t highest = 0;
    ws_table_init(&table, columns, 4);
    for (uint32_t i = 0; i < WS_RAYS_BINS; ++i)
        highest = results->distances[i] > highest ? results->distances[i] : highest;
    for (uint32_t i = 0; i < WS_RAYS_BINS; ++i) {
        const double from = i < WS_RAYS_BIN_ONE ? 1 / (double)(UINT64_C(1) << (WS_RAYS_BIN_ONE - i))
                                                : (double)(UINT64_C(1) << (i - WS_RAYS_BIN_ONE));
        if (results->distances[i] == 0)
            continue;
        ws_table_add(&table, "%.4g", from);
        ws_table_add(&table, "%.4g", 2 * from);
        ws_table_add(&table, "%" PRIu64, results->distances[i]);
        ws_table_add(&table, "%.*s",
                     (int)((double)(sizeof(bar) - 1) * ws_rays_ratio(results->distances[i], highest) + 0.5),
                     bar);
    }
    const bool printed = print_table(&table, "Distances of hits", 0, stream);
    if (results->odd > 0)
        fprintf(stream, "  and %" PRIu64 " that are 0, negative or no number\n", results->odd);
    return printed;
}

static void print_hit(const struct ws_ray *ray, const struct ws_ray_hit *hit, FILE *stream)
{
    double place[3];
    ws_ray_position(ray, hit->t, place);
    fprintf(stream,
            " t %.6g at %.6g %.6g %.6g, instance %" PRIu32 " (%" PRIu32 ") geometry %" PRIu32
            " primitive %" PRIu32,
            (double)hit->t, place[0], place[1], place[2], hit->instance, hit->custom_index, hit->geometry,
            hit->primitive);
}

static void print_shader(const struct ws_ray_events *results, uint32_t shader, FILE *stream)
{
    char name[NAME_SIZE];
    ws_catalog_shader_name(results->catalog, shader, name, sizeof(name));
    fputc(' ', stream);
    ws_text_print(stream, name);
}

static int indent(const struct ws_ray *ray)
{
    return (int)(2 * (ray->depth < DEPTH_MOST ? ray->depth : DEPTH_MOST));
}

static void print_candidate(const struct ws_ray_events *results, const struct ws_ray *ray,
                            const struct ws_ray_candidate *candidate, FILE *stream)
{
    fprintf(stream, "  %*s    ", indent(ray), "");
    if (candidate->kind == WS_CANDIDATE_INTERSECTION) {
        fputs("intersection", stream);
        print_shader(results, candidate->shader, stream);
        fprintf(stream, ", instance %" PRIu32 " (%" PRIu32 ") geometry %" PRIu32 " primitive %" PRIu32 "\n",
                candidate->hit.instance, candidate->hit.custom_index, candidate->hit.geometry,
                candidate->hit.primitive);
        return;
    }
    fputs(ws_candidate_kind_name(candidate->kind), stream);
    print_shader(results, candidate->shader, stream);
    fprintf(stream, " %s", ws_candidate_result_name(candidate->result));
    print_hit(ray, &candidate->hit, stream);
    fputc('\n', stream);
}

static void print_ray(const struct ws_ray_events *results, const struct ws_rays_tree *tree, uint32_t number,
                      FILE *stream)
{
    const struct ws_ray *ray = &tree->rays[number];
    const bool miss_only = (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0;
    char place[NAME_SIZE];
    ws_rays_site_place(results->catalog, ray->shader, ray->site, place, sizeof(place));
    fprintf(stream, "  %*s%" PRIu32 " %s", indent(ray), "", number,
            ray->query  ? "query"
            : miss_only ? "trace, miss-only,"
                        : "trace");
    fprintf(stream, " from %.6g %.6g %.6g along %.6g %.6g %.6g by", (double)ray->origin[0],
            (double)ray->origin[1], (double)ray->origin[2], (double)ray->direction[0],
            (double)ray->direction[1], (double)ray->direction[2]);
    print_shader(results, ray->shader, stream);
    if (place[0] != '\0')
        fputc(' ', stream);
    ws_text_print(stream, place);
    fputc('\n', stream);
    for (uint32_t i = 0; i < ray->candidate_count; ++i)
        print_candidate(results, ray, &tree->candidates[ray->candidate_first + i], stream);
    fprintf(stream, "  %*s  > %s", indent(ray), "", ws_ray_end_name(ray->end));
    if (ray->first_hit_shader != WS_NONE)
        print_shader(results, ray->first_hit_shader, stream);
    if (ray->has_hit)
        print_hit(ray, &ray->hit, stream);
    fputc('\n', stream);
}

/* Children follow their parent: they have been traced before its shader ended, so each ray stands behind
 * those before it that are no deeper. */
static uint32_t print_rays(const struct ws_ray_events *results, const struct ws_rays_tree *tree,
                           uint32_t lines, FILE *stream)
{
    uint32_t shown = 0;
    for (; shown < tree->ray_count && shown < lines; ++shown)
        print_ray(results, tree, shown, stream);
    if (shown < tree->ray_count)
        fprintf(stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", tree->ray_count - shown);
    return shown;
}

static void print_trees(const struct ws_ray_events *results, FILE *stream)
{
    uint32_t lines = results->options.rows > 0 ? results->options.rows : LINES_USUAL;
    if (results->tree_count == 0)
        fprintf(stream, "\nNo ray was recorded of this %s%s\n", results->options.has_warp ? "warp" : "thread",
                results->options.has_launch ? " in this launch" : "");
    for (uint32_t i = 0; i < results->tree_count; ++i) {
        const struct ws_rays_tree *tree = &results->trees[i];
        char work[64];
        ws_work_text(tree->stage, tree->work, work, sizeof(work));
        fprintf(stream,
                "\nRays of %s %s, lane %" PRIu32 " of warp %" PRIu32 ", launch %" PRIu64 ": %" PRIu32 "%s\n",
                ws_work_name(tree->stage), work, tree->lane, tree->warp, tree->launch, tree->ray_count,
                tree->truncated ? ", and what did not fit" : "");
        lines -= print_rays(results, tree, lines, stream);
    }
}

bool ws_ray_events_text(const void *pointer, FILE *stream)
{
    const struct ws_ray_events *results = pointer;
    if (results->options.has_thread || results->options.has_warp) {
        print_trees(results, stream);
        return true;
    }
    return print_kinds(results, stream) && print_depths(results, stream) && print_sites(results, stream) &&
           print_geometries(results, stream) && print_shaders(results, stream) &&
           print_summaries(results, stream) && print_distances(results, stream) &&
           print_most(results, stream);
}

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

static bool add_sites(cJSON *to, const struct ws_ray_events *results)
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

static bool add_sets(cJSON *object, const struct ws_ray_events *results)
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

static bool add_lists(cJSON *object, const struct ws_ray_events *results)
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

static bool add_most(cJSON *to, const struct ws_ray_events *results)
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
static bool add_trees(cJSON *to, const struct ws_ray_events *results)
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

bool ws_ray_events_json(const void *pointer, cJSON *object)
{
    const struct ws_ray_events *results = pointer;
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

const char ws_ray_events_csv_help[] =
    "  level        all, kind, depth, site: a set of rays; geometry: what was hit; shader:\n"
    "               which ended rays; bounces, thread: how many (`rays`) paths have `value`\n"
    "               bounces, threads `value` rays; distance: hits from 2^`value` to twice\n"
    "               that; most: threads with most rays\n"
    "  name         kind, shader, or work id\n"
    "  value        depth; line of a site; bounces, rays, power of two; of most the warp\n"
    "  file         of a site\n"
    "  instance, custom_index, geometry\n"
    "  rays         in the set; of geometry and distance: hits\n"
    "  hit, miss, implicit_hit, no_shader, unknown   of these, by end\n"
    "  any_hits, ignored, intersections, reports, accepted, candidates, confirmed\n"
    "               of accepted those of reports, of geometry only\n"
    "  The rays of --thread and --warp are in the text and JSON; warpscope export has all\n";

static void put_counts(const struct ws_rays_counts *counts, FILE *stream)
{
    fprintf(stream, ",,,%" PRIu64, counts->rays);
    fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, counts->ends[WS_RAY_HIT],
            counts->ends[WS_RAY_MISSED], counts->ends[WS_RAY_IMPLICIT], counts->ends[WS_RAY_NO_SHADER],
            counts->ends[WS_RAY_UNKNOWN]);
    fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",,%" PRIu64 ",%" PRIu64 "\n",
            counts->any_hits, counts->ignored, counts->intersections, counts->reports, counts->candidates,
            counts->confirmed);
}

static void put_sites(const struct ws_ray_events *results, FILE *stream)
{
    for (uint32_t i = 0; i < results->site_count; ++i) {
        const struct ws_rays_site *site = &results->sites[i];
        const struct ws_site_record *record =
            &results->catalog->modules[results->catalog->shaders[site->shader].module].sites[site->site];
        char name[NAME_SIZE];
        ws_catalog_shader_name(results->catalog, site->shader, name, sizeof(name));
        fputs("site,", stream);
        ws_csv_text(stream, name);
        fputc(',', stream);
        if (record->file != NULL) {
            fprintf(stream, "%" PRIu32 ",", record->line);
            ws_csv_text(stream, record->file);
        } else {
            fputc(',', stream);
        }
        fputc(',', stream);
        put_counts(&site->counts, stream);
    }
}

static void put_geometry(const struct ws_rays_geometry *geometry, bool is_rest, FILE *stream)
{
    if (is_rest)
        fputs("geometry,others,,,,,", stream);
    else
        fprintf(stream, "geometry,,,,%" PRIu32 ",%" PRIu32 ",%" PRIu32, geometry->instance,
                geometry->custom_index, geometry->geometry);
    fprintf(stream, ",%" PRIu64 ",,,,,,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
            geometry->hits, geometry->any_hits, geometry->ignored, geometry->intersections, geometry->reports,
            geometry->accepted, geometry->candidates);
    fprintf(stream, ",%" PRIu64 "\n", geometry->confirmed);
}

/* The columns behind rays, of what has none of them. */
static void put_rays(uint64_t rays, FILE *stream)
{
    fprintf(stream, ",,,,,%" PRIu64 ",,,,,,,,,,,,\n", rays);
}

static void put_distribution(const char *level, const struct ws_trace_counts *counts, FILE *stream)
{
    for (uint32_t i = 0; i < counts->count; ++i) {
        fprintf(stream, "%s,,%" PRIu64, level, counts->counts[i].value);
        put_rays(counts->counts[i].count, stream);
    }
}

static void put_places(const struct ws_ray_events *results, FILE *stream)
{
    for (uint32_t i = 0; i < results->shader_count; ++i) {
        char name[NAME_SIZE];
        if (results->shaders[i] == 0)
            continue;
        ws_catalog_shader_name(results->catalog, i, name, sizeof(name));
        fputs("shader,", stream);
        ws_csv_text(stream, name);
        fputc(',', stream);
        put_rays(results->shaders[i], stream);
    }
    for (int i = 0; i < WS_RAYS_BINS; ++i)
        if (results->distances[i] > 0) {
            fprintf(stream, "distance,,%d", i - WS_RAYS_BIN_ONE);
            put_rays(results->distances[i], stream);
        }
    for (uint32_t i = 0; i < results->most_count; ++i) {
        char work[64];
        ws_work_text(results->most[i].stage, results->most[i].work, work, sizeof(work));
        fputs("most,", stream);
        ws_csv_text(stream, work);
        fprintf(stream, ",%" PRIu32, results->most[i].warp);
        put_rays(results->most[i].rays, stream);
    }
}

bool ws_ray_events_csv(const void *pointer, FILE *stream)
{
    const struct ws_ray_events *results = pointer;
    fputs("level,name,value,file,instance,custom_index,geometry,rays,hit,miss,implicit_hit,no_shader,unknown,"
          "any_hits,ignored,intersections,reports,accepted,candidates,confirmed\n",
          stream);
    fputs("all,,,,", stream);
    put_counts(&results->all, stream);
    for (uint32_t i = 0; i < WS_RAYS_KINDS; ++i) {
        fprintf(stream, "kind,%s,,,", ws_rays_kind_name(i));
        put_counts(&results->kinds[i], stream);
    }
    for (uint32_t i = 0; i < WS_RAYS_DEPTHS; ++i)
        if (results->depths[i].rays > 0) {
            fprintf(stream, "depth,,%" PRIu32 ",,", i);
            put_counts(&results->depths[i], stream);
        }
    put_sites(results, stream);
    for (uint32_t i = 0; i < results->geometry_count; ++i)
        put_geometry(&results->geometries[i], false, stream);
    if (ws_rays_geometry_work(&results->rest) > 0)
        put_geometry(&results->rest, true, stream);
    put_distribution("bounces", &results->bounces, stream);
    put_distribution("thread", &results->threads, stream);
    put_places(results, stream);
    return true;
}

static bool plot_distances(const struct ws_ray_events *results, struct ws_plots *plots,
                           struct ws_error *error)
{
    double x[WS_RAYS_BINS];
    double y[WS_RAYS_BINS];
    uint32_t first = WS_RAYS_BINS;
    uint32_t last = 0;
    for (uint32_t i = 0; i < WS_RAYS_BINS; ++i) {
        if (results->distances[i] == 0)
            continue;
        first = i < first ? i : first;
        last = i;
    }
    if (first == WS_RAYS_BINS)
        return true;
    for (uint32_t i = first; i <= last; ++i) {
        x[i - first] = (double)i - WS_RAYS_BIN_ONE;
        y[i - first] = (double)results->distances[i];
    }
    const struct ws_series series = {"hits", x, y, last - first + 1};
    const struct ws_plot plot = {.kind = WS_PLOT_BARS,
                                 .title = "Distances of hits",
                                 .x_label = "log2 of the distance, rounded down",
                                 .y_label = "hits",
                                 .series = &series,
                                 .series_count = 1};
    return ws_plots_plot(plots, "distances", &plot, error);
}

bool ws_ray_events_plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_ray_events *results = pointer;
    bool put = plot_distances(results, plots, error);
    for (uint32_t i = 0; i < results->picture_count && put; ++i) {
        const struct ws_rays_picture *picture = &results->pictures[i];
        const struct ws_image image = {.kind = WS_IMAGE_HEAT,
                                       .width = picture->width,
                                       .height = picture->height,
                                       .values = picture->values,
                                       .title = "Rays per thread",
                                       .unit = "rays"};
        char name[64];
        snprintf(name, sizeof(name), "rays-%" PRIu32 "x%" PRIu32, picture->width, picture->height);
        put = ws_plots_image(plots, name, &image, error);
    }
    return put;
}
