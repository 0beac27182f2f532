/* How ray_events is shown: its columns, from which tables, JSON and CSV come; and distributions and
 * pictures. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/rays/ray_events.h"
#include "warpscope/model/names.h"
#include "warpscope/model/trace_counts.h"
#include "warpscope/model/work_id.h"
#include "warpscope/output/json.h"
#include "warpscope/output/plot.h"
#include "warpscope/output/table.h"

static const struct ws_site_record *site_of(const struct ws_row *row)
{
    const struct ws_catalog *catalog = row->catalog;
    return &catalog->modules[catalog->shaders[row->key >> 32].module].sites[(uint32_t)row->key];
}

static void traced_by(const struct ws_row *row, struct ws_value *value)
{
    value->kind = WS_VALUE_TEXT;
    value->text = ws_shader_name(row->catalog, (uint32_t)(row->key >> 32));
}

static void site_source(const struct ws_row *row, struct ws_value *value)
{
    ws_call_place(row->catalog, (uint32_t)(row->key >> 32), site_of(row)->info.offset, value->buffer,
                  sizeof(value->buffer));
    value->kind = WS_VALUE_TEXT;
    value->text = value->buffer;
}

static void site_file(const struct ws_row *row, struct ws_value *value)
{
    if (site_of(row)->file == NULL)
        return;
    value->kind = WS_VALUE_TEXT;
    value->text = site_of(row)->file;
}

static void site_line(const struct ws_row *row, struct ws_value *value)
{
    if (site_of(row)->file != NULL)
        ws_value_count(value, site_of(row)->line);
}

static void site_offset(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, site_of(row)->info.offset);
}

static const struct ws_field site_fields[] = {
    {"traced_by", "shader of the call site", WS_TEXT, .flags = WS_TABLES, .value = traced_by},
    {"source", "where the call is in the source: file:line; where that is not known, which call it is",
     WS_TEXT, .value = site_source},
    {"file", "of the call, where known: path as the compiler was given it", WS_TEXT, .value = site_file},
    {"line", "line in that file, from 1", WS_COUNT, .value = site_line},
    {"offset", "of the call in the module, in words", WS_COUNT, .value = site_offset},
    {NULL}};

static const char *const kind_names[WS_RAY_EVENTS_KINDS] = {"pipeline", "pipeline SkipClosestHitShader",
                                                            "query"};

static void kind_name(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", kind_names[row->key]);
}

static const struct ws_field kind_fields[] = {
    {"kind", "pipeline, the same with the flag SkipClosestHitShader, or query", WS_TEXT, .value = kind_name},
    {NULL}};

static void key_value(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static const struct ws_field depth_fields[] = {
    {"depth", "how many rays led to the ray", WS_COUNT, .value = key_value}, {NULL}};

static void instance_index(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key >> 24);
}

static void instance_custom_index(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key & 0xffffff);
}

static const struct ws_field instance_fields[] = {
    {"instance", "index of the instance in the top-level structure", WS_COUNT, .value = instance_index},
    {"custom_index", "its instanceCustomIndex", WS_COUNT, .value = instance_custom_index},
    {NULL}};

static const struct ws_field geometry_fields[] = {
    {"geometry", "index of the geometry in the bottom-level structure", WS_COUNT, .value = key_value},
    {NULL}};

static void shader_id(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->catalog->shaders[row->key].id);
}

static void shader_name(const struct ws_row *row, struct ws_value *value)
{
    value->kind = WS_VALUE_TEXT;
    value->text = ws_shader_name(row->catalog, (uint32_t)row->key);
}

static void shader_stage(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", ws_stage_name(row->catalog->shaders[row->key].stage));
}

static const struct ws_field hit_shader_fields[] = {
    {"hit_shader_id", "id in the capture of the shader that ended the ray", WS_COUNT, .value = shader_id},
    {"hit_shader", "closest hit or miss shader that ended the ray", WS_TEXT, .value = shader_name},
    {"hit_stage", "its stage", WS_TEXT, .value = shader_stage},
    {NULL}};

/* Where the bin begins. */
static double bin_from(const struct ws_row *row)
{
    return row->key < WS_RAY_EVENTS_BIN_ONE ? 1 / (double)(UINT64_C(1) << (WS_RAY_EVENTS_BIN_ONE - row->key))
                                            : (double)(UINT64_C(1) << (row->key - WS_RAY_EVENTS_BIN_ONE));
}

static void distance_log2(const struct ws_row *row, struct ws_value *value)
{
    ws_value_real(value, (double)row->key - WS_RAY_EVENTS_BIN_ONE);
}

static void distance_from(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%.4g", bin_from(row));
}

static void distance_to(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%.4g", 2 * bin_from(row));
}

static void distance_bar(const struct ws_row *row, struct ws_value *value)
{
    static const char bar[] = "########################################";
    const struct ws_ray_events *results = row->user;
    uint64_t highest = 1;
    for (uint32_t i = 0; i < WS_RAY_EVENTS_BINS; ++i)
        highest = results->distances[i] > highest ? results->distances[i] : highest;
    const double share = (double)results->distances[row->key] / (double)highest;
    ws_value_text(value, "%.*s", (int)((double)(sizeof(bar) - 1) * share + 0.5), bar);
}

static const struct ws_field distance_fields[] = {
    {"distance", "of the hit: from 2^this to twice that", WS_RATIO, .value = distance_log2},
    {"from", "the same as a number", WS_TEXT, .flags = WS_RIGHT | WS_TABLES, .value = distance_from},
    {"to", "twice that", WS_TEXT, .flags = WS_RIGHT | WS_TABLES, .value = distance_to},
    {"bar", "hits as a bar", WS_TEXT, "", .flags = WS_TABLES, .value = distance_bar},
    {NULL}};

static const struct ws_field bounces_fields[] = {{"bounces", "of a path", WS_COUNT, .value = key_value},
                                                 {NULL}};

static const struct ws_field thread_rays_fields[] = {
    {"rays_per_thread", "rays that a thread traced in a launch", WS_COUNT, .value = key_value}, {NULL}};

static const struct ws_ray_events_thread *thread_of(const struct ws_row *row)
{
    const struct ws_ray_events *results = row->user;
    return &results->most[row->key];
}

static void thread_rays(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, thread_of(row)->rays);
}

static void thread_work(const struct ws_row *row, struct ws_value *value)
{
    ws_work_text(thread_of(row)->stage, thread_of(row)->work, value->buffer, sizeof(value->buffer));
    value->kind = WS_VALUE_TEXT;
    value->text = value->buffer;
}

static void thread_warp(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, thread_of(row)->warp);
}

static void thread_launch(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, thread_of(row)->launch);
}

static const struct ws_field thread_fields[] = {
    {"thread_rays", "rays of one of the threads with most rays", WS_COUNT, .value = thread_rays},
    {"thread", "its launch id, global invocation id, pixel, or vertex and instance", WS_TEXT,
     .flags = WS_RIGHT, .value = thread_work},
    {"thread_warp", "its warp", WS_COUNT, .value = thread_warp},
    {"thread_launch", "its launch", WS_COUNT, .value = thread_launch},
    {NULL}};

static const struct ws_dimension dimensions[] = {
    [WS_RAY_EVENTS_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_RAY_EVENTS_STAGE] = {WS_DIMENSION_STAGE},
    [WS_RAY_EVENTS_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_RAY_EVENTS_STAGE},
    [WS_RAY_EVENTS_SITE] = {"site", "call that traces: traceRay, or the initialisation of a query",
                            site_fields, .shown = "source", .same = "source",
                            .implies = 1u << WS_RAY_EVENTS_SHADER},
    [WS_RAY_EVENTS_KIND] = {"kind", "pipeline, with the flag SkipClosestHitShader, or query", kind_fields},
    [WS_RAY_EVENTS_DEPTH] = {"depth", "how many rays led to the ray", depth_fields},
    [WS_RAY_EVENTS_INSTANCE] = {"instance", "instance of the hit or candidate", instance_fields,
                                .shown = "instance custom_index"},
    [WS_RAY_EVENTS_GEOMETRY] = {"geometry", "geometry of the hit or candidate", geometry_fields},
    [WS_RAY_EVENTS_HIT_SHADER] = {"hit_shader", "shader that ended the ray", hit_shader_fields,
                                  .shown = "hit_shader hit_stage"},
    [WS_RAY_EVENTS_DISTANCE] = {"distance", "of the hit, in powers of two", distance_fields,
                                .shown = "from to"},
    [WS_RAY_EVENTS_BOUNCES] = {"bounces", "of a path", bounces_fields},
    [WS_RAY_EVENTS_THREAD_RAYS] = {"rays_per_thread", "rays of a thread", thread_rays_fields},
    [WS_RAY_EVENTS_THREAD] = {"thread", "one of the threads with most rays", thread_fields,
                              .shown = "thread_rays thread thread_warp thread_launch", .same = ""},
    [WS_RAY_EVENTS_DIMENSIONS] = {NULL},
};

static const struct ws_ray_events_counts *counts_of(const struct ws_row *row)
{
    return row->sums;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void ignored_share(const struct ws_row *row, struct ws_value *value)
{
    if (counts_of(row)->any_hits > 0)
        ws_value_real(value, ratio(counts_of(row)->ignored, counts_of(row)->any_hits));
}

static void reports_per_ray(const struct ws_row *row, struct ws_value *value)
{
    if (counts_of(row)->reports > 0)
        ws_value_real(value, ratio(counts_of(row)->reports, counts_of(row)->rays));
}

static void work(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_ray_events_counts *counts = counts_of(row);
    ws_value_count(value, counts->any_hits + counts->intersections + counts->candidates + counts->hits);
}

static void hit_rate(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_ray_events_counts *counts = counts_of(row);
    const uint64_t runs = counts->any_hits + counts->intersections + counts->candidates;
    if (runs > 0)
        ws_value_real(value, ratio(counts->hits, runs));
}

#define AT(member)    .at = offsetof(struct ws_ray_events_counts, member)
#define COUNT(member) WS_COUNT, AT(member), .flags = WS_BLANK_ZERO

static const struct ws_field measures[] = {
    {"rays", "traced; of geometries and distances those whose hit is there", WS_COUNT, AT(rays),
     .better = WS_BETTER_LESS},
    {"hit", "rays that ended by a hit", COUNT(ends[WS_RAY_HIT])},
    {"miss", "rays that ended by a miss", COUNT(ends[WS_RAY_MISSED])},
    {"implicit_hit", "rays with SkipClosestHitShader that did not miss", COUNT(ends[WS_RAY_IMPLICIT])},
    {"no_shader", "rays that ended where the binding table has no shader", COUNT(ends[WS_RAY_NO_SHADER])},
    {"unknown", "rays whose end is not known", COUNT(ends[WS_RAY_UNKNOWN]), .better = WS_BETTER_LESS},
    {"hits", "rays whose hit is known", COUNT(hits)},
    {"any_hits", "runs of any-hit shaders", COUNT(any_hits), .better = WS_BETTER_LESS},
    {"ignored", "of these, how many ignored the intersection", COUNT(ignored), .better = WS_BETTER_LESS},
    {"ignored_share", "share of any-hit runs that ignored the intersection", WS_SHARE,
     .value = ignored_share},
    {"intersections", "runs of intersection shaders", COUNT(intersections), .better = WS_BETTER_LESS},
    {"reports", "intersections that these reported", COUNT(reports)},
    {"reports_per_ray", "reports divided by rays", WS_RATIO, .value = reports_per_ray},
    {"accepted", "reports that were accepted", COUNT(accepted)},
    {"any_hits_per_hit", "any-hit runs divided by hits", WS_RATIO, AT(any_hits),
     .of = offsetof(struct ws_ray_events_counts, hits), .better = WS_BETTER_LESS},
    {"intersections_per_report", "intersection runs divided by reports", WS_RATIO, AT(intersections),
     .of = offsetof(struct ws_ray_events_counts, reports), .better = WS_BETTER_LESS},
    {"hit_rate", "hits divided by any-hit runs, intersection runs and candidates of queries", WS_RATIO,
     .value = hit_rate, .better = WS_BETTER_MORE},
    {"candidates", "of ray queries", COUNT(candidates), .better = WS_BETTER_LESS},
    {"confirmed", "candidates that were confirmed, or an intersection generated in", COUNT(confirmed)},
    {"paths", "that begin with such a ray", COUNT(paths)},
    {"threads", "that traced", COUNT(threads)},
    {"work", "any-hit runs, intersection runs, candidates of queries and hits", WS_COUNT, .value = work,
     .flags = WS_TABLES},
    {NULL},
};

#define CELLS                                                                                                \
    " rays hit miss implicit_hit no_shader unknown any_hits ignored_share intersections reports_per_ray "    \
    "candidates"
#define DATA                                                                                                 \
    " rays hit miss implicit_hit no_shader unknown any_hits ignored ignored_share intersections reports "    \
    "reports_per_ray candidates confirmed"
#define GEOMETRY "instance custom_index geometry hits any_hits"
#define BEHIND   " intersections reports accepted candidates confirmed"

static const struct ws_level levels[] = {
    [WS_RAY_EVENTS_BY_ALL] = {"total", .data = DATA " hits paths threads"},
    [WS_RAY_EVENTS_BY_KIND] = {"kinds", "Rays", .by = 1u << WS_RAY_EVENTS_KIND, .rows = UINT32_MAX,
                               .total = true, .text = "kind" CELLS, .data = "kind" DATA},
    [WS_RAY_EVENTS_BY_DEPTH] = {"depths", "By depth: how many rays led to it",
                                .by = 1u << WS_RAY_EVENTS_DEPTH, .rows = UINT32_MAX, .text = "depth" CELLS,
                                .data = "depth" DATA},
    [WS_RAY_EVENTS_BY_SITE] = {"sites", "By call site", .by = 1u << WS_RAY_EVENTS_SITE, .sort = "-rays",
                               .ordered = true, .text = "traced_by" CELLS " source",
                               .data = "shader_id shader stage source file line offset" DATA},
    [WS_RAY_EVENTS_BY_GEOMETRY] = {"geometries", "By geometry",
                                   .by = 1u << WS_RAY_EVENTS_INSTANCE | 1u << WS_RAY_EVENTS_GEOMETRY,
                                   .sort = "-work instance geometry custom_index", .ordered = true,
                                   .text = GEOMETRY " ignored_share" BEHIND,
                                   .data = GEOMETRY " ignored ignored_share any_hits_per_hit" BEHIND
                                                    " intersections_per_report hit_rate"},
    [WS_RAY_EVENTS_BY_HIT_SHADER] = {"hit_shaders", "Shaders that ended rays",
                                     .by = 1u << WS_RAY_EVENTS_HIT_SHADER, .rows = UINT32_MAX,
                                     .text = "hit_shader hit_stage rays",
                                     .data = "hit_shader_id hit_shader hit_stage rays"},
    [WS_RAY_EVENTS_BY_BOUNCES] = {"bounces", "Bounces per path", .by = 1u << WS_RAY_EVENTS_BOUNCES,
                                  .data = "bounces paths"},
    [WS_RAY_EVENTS_BY_THREAD_RAYS] = {"rays_per_thread", "Rays per thread",
                                      .by = 1u << WS_RAY_EVENTS_THREAD_RAYS,
                                      .data = "rays_per_thread threads"},
    [WS_RAY_EVENTS_BY_DISTANCE] = {"distances", "Distances of hits", .by = 1u << WS_RAY_EVENTS_DISTANCE,
                                   .rows = UINT32_MAX, .text = "from to hits bar", .data = "distance hits"},
    [WS_RAY_EVENTS_BY_THREAD] = {"threads", "Threads with most rays", .by = 1u << WS_RAY_EVENTS_THREAD,
                                 .text = "thread_rays thread thread_warp thread_launch",
                                 .data = "thread_rays thread thread_warp thread_launch"},
    {NULL},
};

const struct ws_columns ws_ray_events_columns = {
    dimensions,      measures,
    levels,          sizeof(struct ws_ray_events_counts),
    .shown = CELLS,  .main = "rays any_hits ignored_share intersections reports_per_ray candidates miss",
    .weight = "rays"};

const char ws_ray_events_words[] =
    "A ray is one traceRay of one thread, or one initialised ray query. It ends by a hit\n"
    "(its closest hit shader ran, or the query committed one); by a miss; by an implicit\n"
    "hit (neither shader ran, and the ray has the flag SkipClosestHitShader); or\n"
    "no shader was there to tell. Unknown: the records end before the ray does, or the\n"
    "query was left before its end.\n"
    "Depth is how many rays led to a ray: each was traced in the shaders of the one before.\n"
    "Bounces are how often a path goes on: by a ray that is traced in the shaders of the ray\n"
    "before, or by one that starts where an earlier ray of the thread hit. Visibility rays\n"
    "(TerminateOnFirstHit or SkipClosestHitShader) are no bounces. Ignored is a share of\n"
    "any-hit runs. A distance is t times the length of the direction. Rays of --thread and\n"
    "--warp are in text and JSON; warpscope export --rays has the rays of all threads.\n";

/* How many paths or threads (the measure at that offset) have each value of the level's dimension. False when
 * there is no memory. */
static bool find_distribution(const struct ws_ray_events *results, uint32_t level, uint32_t dimension,
                              size_t measure, struct ws_trace_counts *counts)
{
    const uint32_t count = ws_groups_count(results->groups, level);
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, level, i, &row);
        const uint64_t times = ((const uint64_t *)row.sums)[measure / sizeof(uint64_t)];
        if (!ws_trace_counts_add(counts, row.keys[dimension], times))
            return false;
    }
    ws_trace_counts_sort(counts);
    return true;
}

static bool find_bounces(const struct ws_ray_events *results, struct ws_trace_counts *counts)
{
    return find_distribution(results, WS_RAY_EVENTS_BY_BOUNCES, WS_RAY_EVENTS_BOUNCES,
                             offsetof(struct ws_ray_events_counts, paths), counts);
}

static bool find_thread_rays(const struct ws_ray_events *results, struct ws_trace_counts *counts)
{
    return find_distribution(results, WS_RAY_EVENTS_BY_THREAD_RAYS, WS_RAY_EVENTS_THREAD_RAYS,
                             offsetof(struct ws_ray_events_counts, threads), counts);
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
    ws_table_add(table, "%.2f", ratio(summary.sum, summary.total));
    ws_table_add(table, "%" PRIu64, summary.ninety);
    ws_table_add(table, "%" PRIu64, summary.maximum);
}

static bool print_summaries(const struct ws_ray_events *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"", false},      {"number", true}, {"minimum", true},
                                               {"median", true}, {"mean", true},   {"90 %", true},
                                               {"maximum", true}};
    struct ws_trace_counts threads = {.count = 0};
    struct ws_trace_counts bounces = {.count = 0};
    struct ws_table table;
    bool printed = find_thread_rays(results, &threads) && find_bounces(results, &bounces);
    ws_table_init(&table, columns, 7);
    if (printed) {
        add_summary(&table, "rays per thread that traced", &threads);
        add_summary(&table, "bounces per path", &bounces);
        printed = !table.failed;
    }
    if (printed && table.cell_count > 0) {
        fputs("\nRays per thread, bounces\n", stream);
        ws_table_print(&table, 2, stream);
    }
    ws_table_finish(&table);
    ws_trace_counts_finish(&threads);
    ws_trace_counts_finish(&bounces);
    return printed;
}

const char *ws_ray_events_nothing(const void *pointer)
{
    const struct ws_ray_events *results = pointer;
    const struct ws_ray_events_counts *all = ws_groups_find(results->groups, WS_RAY_EVENTS_BY_ALL, NULL);
    const bool chosen = results->options.has_thread || results->options.has_warp;
    if (chosen || all == NULL || all->rays > 0)
        return NULL;
    return ws_selection_has_shaders(results->options.selection) ? "the chosen shaders traced none"
                                                                : "the capture holds none";
}

bool ws_ray_events_text(const void *pointer, FILE *stream)
{
    const struct ws_ray_events *results = pointer;
    const struct ws_groups *groups = results->groups;
    const struct ws_ray_events_counts *all = ws_groups_find(groups, WS_RAY_EVENTS_BY_ALL, NULL);
    if (results->options.has_thread || results->options.has_warp) {
        ws_ray_trees_text(&results->trees, stream);
        return true;
    }
    if (all->rays == 0) {
        fputs(ws_selection_has_shaders(results->options.selection)
                  ? "\nRays: the chosen shaders traced none\n"
                  : "\nRays: the capture holds none\n",
              stream);
        return true;
    }
    bool printed = true;
    for (uint32_t i = WS_RAY_EVENTS_BY_KIND; i <= WS_RAY_EVENTS_BY_HIT_SHADER && printed; ++i)
        printed = ws_groups_text(groups, i, stream);
    if (!printed || !print_summaries(results, stream) ||
        !ws_groups_text(groups, WS_RAY_EVENTS_BY_DISTANCE, stream))
        return false;
    if (results->odd > 0)
        fprintf(stream, "  and %" PRIu64 " that are 0, negative or no number\n", results->odd);
    return ws_groups_text(groups, WS_RAY_EVENTS_BY_THREAD, stream);
}

static const struct ws_member summary_members[] = {
    {"number", "integer", "paths or threads"},
    {"sum", "integer", "of their bounces or rays"},
    {"minimum", "integer", "least"},
    {"median", "integer", "the number that half of them do not exceed"},
    {"ninety_percent", "integer", "the number that 90 % of them do not exceed"},
    {"maximum", "integer", "most"},
    {"mean", "number?", "sum / number"},
    {NULL}};

const struct ws_member ws_ray_events_members[] = {
    {"traced_launches", "integer", "launches whose records were read"},
    {"malformed", "integer", "records that make no sense"},
    {"odd_distances", "integer", "hits whose distance is 0, negative or no number"},
    {"bounces_summary", "object", "bounces per path; the table `bounces` has each number", summary_members},
    {"rays_per_thread_summary", "object", "rays per thread; the table `rays_per_thread` has each number",
     summary_members},
    {"trees", "object[]?", "with --thread or --warp: its rays; null: without", ws_ray_tree_members},
    {"trees_left_out", "integer", "more threads that were chosen, which are not shown"},
    {NULL}};

static cJSON *describe_distribution(const struct ws_trace_counts *counts)
{
    const struct ws_trace_summary summary = ws_trace_counts_summary(counts);
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "number", summary.total);
    ws_json_integer(object, "sum", summary.sum);
    ws_json_integer(object, "minimum", summary.minimum);
    ws_json_integer(object, "median", summary.median);
    ws_json_integer(object, "ninety_percent", summary.ninety);
    ws_json_integer(object, "maximum", summary.maximum);
    if (summary.total > 0)
        ws_json_number(object, "mean", ratio(summary.sum, summary.total));
    else
        cJSON_AddNullToObject(object, "mean");
    return object;
}

static bool write_distributions(const struct ws_ray_events *results, struct ws_json *json)
{
    struct ws_trace_counts threads = {.count = 0};
    struct ws_trace_counts bounces = {.count = 0};
    const bool found = find_thread_rays(results, &threads) && find_bounces(results, &bounces);
    if (found) {
        ws_json_member(json, "bounces_summary", describe_distribution(&bounces));
        ws_json_member(json, "rays_per_thread_summary", describe_distribution(&threads));
    }
    ws_trace_counts_finish(&threads);
    ws_trace_counts_finish(&bounces);
    return found;
}

bool ws_ray_events_json(const void *pointer, struct ws_json *json)
{
    const struct ws_ray_events *results = pointer;
    ws_json_member(json, "traced_launches", ws_json_integer_item(results->launch_count));
    ws_json_member(json, "malformed", ws_json_integer_item(ws_rays_malformed(results->rays)));
    ws_json_member(json, "odd_distances", ws_json_integer_item(results->odd));
    if (!write_distributions(results, json))
        return false;
    if (results->options.has_thread || results->options.has_warp)
        ws_ray_trees_json(&results->trees, json);
    else
        ws_json_member(json, "trees", cJSON_CreateNull());
    ws_json_member(json, "trees_left_out", ws_json_integer_item(results->trees.left_out));
    return !json->failed;
}

static bool plot_distances(const struct ws_ray_events *results, struct ws_plots *plots,
                           struct ws_error *error)
{
    double x[WS_RAY_EVENTS_BINS];
    double y[WS_RAY_EVENTS_BINS];
    uint32_t first = WS_RAY_EVENTS_BINS;
    uint32_t last = 0;
    for (uint32_t i = 0; i < WS_RAY_EVENTS_BINS; ++i) {
        if (results->distances[i] == 0)
            continue;
        first = i < first ? i : first;
        last = i;
    }
    /* One bin has nothing to be compared with. */
    if (first >= last)
        return true;
    for (uint32_t i = first; i <= last; ++i) {
        x[i - first] = ldexp(1, (int)i - WS_RAY_EVENTS_BIN_ONE);
        y[i - first] = (double)results->distances[i];
    }
    const struct ws_series series = {"hits", x, y, last - first + 1};
    const struct ws_plot plot = {
        .kind = WS_PLOT_STEPS,
        .title = "Distances of hits",
        .about = "How far rays flew until they hit. Each step is twice as far as the one before.",
        .x_label = "distance from the ray's origin, in units of the scene; each step is twice the one before",
        .y_label = "hits",
        .x_logarithmic = true,
        .series = &series,
        .series_count = 1};
    return ws_plots_plot(plots, "distances", &plot, error);
}

bool ws_ray_events_plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_ray_events *results = pointer;
    bool put = plot_distances(results, plots, error);
    for (uint32_t i = 0; i < results->picture_count && put; ++i) {
        const struct ws_ray_events_picture *picture = &results->pictures[i];
        const uint32_t first[3] = {picture->first[0], picture->first[1], 0};
        const uint32_t extent[3] = {picture->width, picture->height, 1};
        const struct ws_image_grid grid = ws_image_grid_of_threads(first, extent, 1, NULL);
        char title[96];
        snprintf(title, sizeof(title), "Rays per thread, launches of %" PRIu32 " x %" PRIu32, picture->width,
                 picture->height);
        const struct ws_image image = {
            .kind = WS_IMAGE_HEAT,
            .width = picture->width,
            .height = picture->height,
            .values = picture->values,
            .title = title,
            .about = "How many rays each thread traced, at its work id. The commands below "
                     "show all rays of the hottest threads.",
            .unit = "rays",
            .grid = &grid};
        char name[96];
        snprintf(name, sizeof(name), "rays-%" PRIu32 "x%" PRIu32, picture->width, picture->height);
        if ((picture->first[0] | picture->first[1]) != 0)
            snprintf(name + strlen(name), sizeof(name) - strlen(name), "-from-%" PRIu32 "x%" PRIu32,
                     picture->first[0], picture->first[1]);
        put = ws_plots_image(plots, name, &image, error);
    }
    return put;
}
