/* The kind of report `retrace`: rays checked on the CPU (retrace.h), by call site, and examples of those that
 * differ, as text, JSON and CSV. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/catalog.h"
#include "analysis/output/csv.h"
#include "analysis/output/json.h"
#include "analysis/output/table.h"
#include "analysis/report/analysis.h"
#include "analysis/scene/retrace.h"
#include "analysis/scene/scene_preview.h"
#include "passes/base/array.h"

#define ROWS_USUAL 10

struct site {
    uint32_t shader;
    uint32_t site;
    uint64_t rays;
    uint64_t counts[WS_RETRACE_KINDS][WS_RETRACE_RESULTS];
    uint64_t unchecked;
};

struct example {
    uint64_t launch;
    uint32_t thread[3];
    uint32_t number; /* of the ray in its thread */
    uint32_t site;   /* index in sites */
    struct ws_ray ray;
    struct ws_retrace_check check;
};

struct retrace_report {
    struct ws_rays *rays; /* first: ws_rays_replay_of */
    const struct ws_catalog *catalog;
    struct ws_scene_preview preview;
    struct ws_scene_trace *trace;     /* NULL: no geometry */
    struct ws_scene_matcher *matcher; /* of the launch under way; NULL: none */
    uint64_t launch;
    struct ws_id_map site_of; /* shader << 32 | site -> index */
    struct site *sites;
    uint32_t site_count;
    uint32_t site_capacity;
    struct example *examples; /* the first that differ */
    uint32_t example_count;
    uint32_t example_capacity;
    uint32_t rows;
    uint64_t differ;
    uint64_t unchecked[WS_RETRACE_WHYS];
    struct ws_trace_left_out left_out; /* the most of any structure */
};

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct retrace_report *report = user;
    report->launch = threads->launch->index;
    report->matcher =
        report->trace != NULL ? ws_scene_preview_matcher(&report->preview, threads->launch->index) : NULL;
    return true;
}

/* The call site's counts, new where there were none; NULL = no memory. */
static struct site *find_site(struct retrace_report *report, const struct ws_ray *ray)
{
    const uint64_t key = (uint64_t)ray->shader << 32 | ray->site;
    uint32_t index = 0;
    if (ws_id_map_get(&report->site_of, key, &index))
        return &report->sites[index];
    struct site *sites =
        ws_array_grow(report->sites, &report->site_capacity, report->site_count + 1, sizeof(*sites));
    if (sites == NULL)
        return NULL;
    report->sites = sites;
    if (!ws_id_map_put(&report->site_of, key, report->site_count))
        return NULL;
    sites[report->site_count] = (struct site){.shader = ray->shader, .site = ray->site};
    return &sites[report->site_count++];
}

static bool keep_example(struct retrace_report *report, const struct ws_ray_thread *thread, uint32_t number,
                         uint32_t site, const struct ws_retrace_check *check)
{
    if (report->example_count >= report->rows)
        return true;
    struct example *examples = ws_array_grow(report->examples, &report->example_capacity,
                                             report->example_count + 1, sizeof(*examples));
    if (examples == NULL)
        return false;
    report->examples = examples;
    struct example *example = &examples[report->example_count++];
    *example = (struct example){.launch = report->launch,
                                .number = number,
                                .site = site,
                                .ray = thread->rays[number],
                                .check = *check};
    memcpy(example->thread, thread->thread->work, sizeof(example->thread));
    return true;
}

/* The build that rays of this call flew through, made ready; WS_NONE = not known. False = no memory. */
static bool prepare(struct retrace_report *report, const struct ws_ray *ray, uint32_t *build)
{
    struct ws_scene_match match;
    *build = WS_NONE;
    if (report->matcher == NULL || !ws_scene_matcher_find(report->matcher, ray->shader, ray->site, &match) ||
        match.structure == WS_NONE || match.ambiguous)
        return true;
    *build = match.build;
    if (!ws_scene_trace_use(report->trace, match.build))
        return false;
    const struct ws_trace_left_out left_out = ws_scene_trace_left_out(report->trace);
    if (left_out.instances > report->left_out.instances)
        report->left_out.instances = left_out.instances;
    if (left_out.primitives > report->left_out.primitives)
        report->left_out.primitives = left_out.primitives;
    return true;
}

static bool add_ray(struct retrace_report *report, const struct ws_ray_thread *thread, uint32_t number)
{
    const struct ws_ray *ray = &thread->rays[number];
    struct site *site = find_site(report, ray);
    uint32_t build = WS_NONE;
    if (site == NULL || !prepare(report, ray, &build))
        return false;
    const struct ws_retrace_check check =
        ws_retrace_ray(report->trace, report->preview.scene, build, ray, thread->candidates);
    site->rays++;
    if (!check.checked) {
        site->unchecked++;
        report->unchecked[check.why]++;
        return true;
    }
    site->counts[check.kind][check.result]++;
    if (check.result != WS_RETRACE_DIFFERS)
        return true;
    report->differ++;
    return keep_example(report, thread, number, (uint32_t)(site - report->sites), &check);
}

static bool add_thread(void *user, const struct ws_ray_thread *thread)
{
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (!add_ray(user, thread, i))
            return false;
    return true;
}

static const struct ws_ray_operations operations = {.begin = begin, .thread = add_thread};

static void destroy(void *user)
{
    struct retrace_report *report = user;
    if (report == NULL)
        return;
    ws_rays_destroy(report->rays);
    ws_scene_trace_destroy(report->trace);
    ws_scene_preview_finish(&report->preview);
    ws_id_map_finish(&report->site_of);
    free(report->sites);
    free(report->examples);
    free(report);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct retrace_report *report = calloc(1, sizeof(*report));
    if (report == NULL)
        return NULL;
    report->catalog = catalog;
    report->rows = options->rows > 0 ? options->rows : ROWS_USUAL;
    if (!ws_scene_preview_read(&report->preview, options->path, error))
        goto error;
    const struct ws_scene *scene = report->preview.scene;
    report->rays = ws_rays_create(catalog, &operations, report);
    if (report->rays == NULL)
        goto error;
    if (scene != NULL && scene->structure_count > 0) {
        report->trace = ws_scene_trace_create(scene);
        if (report->trace == NULL)
            goto error;
    }
    return report;
error:
    destroy(report);
    return NULL;
}

static void attach(void *user, uint32_t number)
{
    struct retrace_report *report = user;
    ws_rays_attach(report->rays, number);
}

static uint64_t sum_result(const struct site *site, uint32_t result)
{
    uint64_t sum = 0;
    for (uint32_t kind = 0; kind < WS_RETRACE_KINDS; ++kind)
        sum += site->counts[kind][result];
    return sum;
}

static uint64_t sum_kind(const struct site *site, uint32_t kind)
{
    uint64_t sum = 0;
    for (uint32_t result = 0; result < WS_RETRACE_RESULTS; ++result)
        sum += site->counts[kind][result];
    return sum;
}

/* Nothing where there is nothing, so that columns of which nobody has anything are left out. */
static void add_number(struct ws_table *table, uint64_t number)
{
    if (number > 0)
        ws_table_add(table, "%" PRIu64, number);
    else
        ws_table_add(table, "%s", "");
}

static bool print_sites(const struct retrace_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"", false},          {"rays", true},   {"hit a\ntriangle", true}, {"hit in\nAABB", true},
        {"hit", true},        {"missed", true}, {"agree", true},           {"same\nplace", true},
        {"borderline", true}, {"differ", true}, {"not\nchecked", true}};
    struct ws_table table;
    ws_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t i = 0; i < report->site_count; ++i) {
        const struct site *site = &report->sites[i];
        char name[512];
        ws_catalog_trace_name(report->catalog, site->shader, site->site, name, sizeof(name));
        ws_table_add(&table, "%s", name);
        ws_table_add(&table, "%" PRIu64, site->rays);
        for (uint32_t kind = 0; kind < WS_RETRACE_KINDS; ++kind)
            add_number(&table, sum_kind(site, kind));
        for (uint32_t result = 0; result < WS_RETRACE_RESULTS; ++result)
            add_number(&table, sum_result(site, result));
        add_number(&table, site->unchecked);
    }
    const bool printed = !table.failed;
    ws_table_print(&table, 2, stream);
    ws_table_finish(&table);
    return printed;
}

/* What the device says of the ray. */
static void hit_text(const struct ws_ray *ray, char *text, size_t size)
{
    if (ray->end == WS_RAY_MISSED)
        snprintf(text, size, "nothing");
    else if (!ray->has_hit)
        snprintf(text, size, "something");
    else
        snprintf(text, size, "%" PRIu32 ":%" PRIu32 ":%" PRIu32 " at %.7g", ray->hit.instance,
                 ray->hit.geometry, ray->hit.primitive, (double)ray->hit.t);
}

/* What the CPU says: what it met that the device did not, or that it did not meet what the device did. */
static void found_text(const struct ws_retrace_check *check, char *text, size_t size)
{
    const struct ws_trace_hit *found = &check->found;
    if (check->has_found)
        snprintf(text, size, "%" PRIu32 ":%" PRIu32 ":%" PRIu32 " at %.7g", found->instance, found->geometry,
                 found->primitive, (double)found->t);
    else
        snprintf(text, size, "not that");
}

static bool print_examples(const struct retrace_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"launch", true},       {"thread", false},
        {"ray", true},          {"the device hit\n(instance:geometry:primitive)", false},
        {"the CPU met", false}, {"origin", false},
        {"direction", false}};
    struct ws_table table;
    if (report->example_count == 0)
        return true;
    fputs("\nRays that differ\n", stream);
    ws_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t i = 0; i < report->example_count; ++i) {
        const struct example *example = &report->examples[i];
        const struct ws_ray *ray = &example->ray;
        char text[128];
        ws_table_add(&table, "%" PRIu64, example->launch);
        ws_table_add(&table, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, example->thread[0], example->thread[1],
                     example->thread[2]);
        ws_table_add(&table, "%" PRIu32, example->number);
        hit_text(ray, text, sizeof(text));
        ws_table_add(&table, "%s", text);
        found_text(&example->check, text, sizeof(text));
        ws_table_add(&table, "%s", text);
        ws_table_add(&table, "%g,%g,%g", (double)ray->origin[0], (double)ray->origin[1],
                     (double)ray->origin[2]);
        ws_table_add(&table, "%g,%g,%g", (double)ray->direction[0], (double)ray->direction[1],
                     (double)ray->direction[2]);
    }
    const bool printed = !table.failed;
    ws_table_print(&table, 2, stream);
    ws_table_finish(&table);
    if (report->differ > report->example_count)
        fprintf(stream, "  ... and %" PRIu64 " more: --rows 0 shows all\n",
                report->differ - report->example_count);
    return printed;
}

static bool print_text(const void *user, FILE *stream)
{
    const struct retrace_report *report = user;
    fputs("\nRays traced again on the CPU\n", stream);
    if (report->trace == NULL)
        fputs("  No geometry was captured, or the capture cannot be read twice: nothing can be checked.\n",
              stream);
    if (report->site_count == 0)
        fputs("  There are no rays.\n", stream);
    else if (!print_sites(report, stream))
        return false;
    for (uint32_t why = 0; why < WS_RETRACE_WHYS; ++why)
        if (report->unchecked[why] > 0)
            fprintf(stream, "  Not checked: %" PRIu64 " rays: %s.\n", report->unchecked[why],
                    ws_retrace_why_name(why));
    if (report->left_out.instances + report->left_out.primitives > 0)
        fprintf(stream,
                "  Of the geometry %" PRIu64 " instances and %" PRIu64
                " primitives were left out (see report geometry).\n",
                report->left_out.instances, report->left_out.primitives);
    return print_examples(report, stream);
}

static cJSON *site_json(const struct retrace_report *report, const struct site *site)
{
    cJSON *object = cJSON_CreateObject();
    char name[512];
    ws_catalog_trace_name(report->catalog, site->shader, site->site, name, sizeof(name));
    cJSON_AddStringToObject(object, "name", name);
    ws_json_integer(object, "rays", site->rays);
    ws_json_integer(object, "not_checked", site->unchecked);
    for (uint32_t kind = 0; kind < WS_RETRACE_KINDS; ++kind) {
        static const char *const keys[] = {"agrees", "same_place", "borderline", "differs"};
        cJSON *counts = cJSON_AddObjectToObject(object, ws_retrace_kind_name(kind));
        for (uint32_t result = 0; result < WS_RETRACE_RESULTS; ++result)
            ws_json_integer(counts, keys[result], site->counts[kind][result]);
    }
    return object;
}

static cJSON *example_json(const struct example *example)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *thread = cJSON_AddArrayToObject(object, "thread");
    for (int i = 0; i < 3; ++i)
        cJSON_AddItemToArray(thread, ws_json_integer_item(example->thread[i]));
    ws_json_integer(object, "launch", example->launch);
    ws_json_integer(object, "ray", example->number);
    ws_json_integer(object, "site", example->site);
    cJSON_AddStringToObject(object, "kind", ws_retrace_kind_name(example->check.kind));
    return object;
}

static bool add_json(const void *user, cJSON *object)
{
    const struct retrace_report *report = user;
    cJSON_AddBoolToObject(object, "geometry", report->trace != NULL);
    ws_json_integer(object, "instances_left_out", report->left_out.instances);
    ws_json_integer(object, "primitives_left_out", report->left_out.primitives);
    cJSON *sites = cJSON_AddArrayToObject(object, "sites");
    for (uint32_t i = 0; i < report->site_count; ++i)
        cJSON_AddItemToArray(sites, site_json(report, &report->sites[i]));
    cJSON *examples = cJSON_AddArrayToObject(object, "differing");
    for (uint32_t i = 0; i < report->example_count; ++i)
        cJSON_AddItemToArray(examples, example_json(&report->examples[i]));
    return true;
}

static bool write_csv(const void *user, FILE *stream)
{
    const struct retrace_report *report = user;
    fputs("site,kind,rays,agree,same_place,borderline,differ\n", stream);
    for (uint32_t i = 0; i < report->site_count; ++i) {
        const struct site *site = &report->sites[i];
        char name[512];
        ws_catalog_trace_name(report->catalog, site->shader, site->site, name, sizeof(name));
        for (uint32_t kind = 0; kind < WS_RETRACE_KINDS; ++kind) {
            ws_csv_text(stream, name);
            fprintf(stream, ",%s,%" PRIu64, ws_retrace_kind_name(kind), sum_kind(site, kind));
            for (uint32_t result = 0; result < WS_RETRACE_RESULTS; ++result)
                fprintf(stream, ",%" PRIu64, site->counts[kind][result]);
            fputc('\n', stream);
        }
        ws_csv_text(stream, name);
        fprintf(stream, ",not checked,%" PRIu64 ",,,,\n", site->unchecked);
    }
    return true;
}

static const char *const passes[] = {"ray_events", NULL};

extern const struct ws_analysis ws_analysis_retrace;

const struct ws_analysis ws_analysis_retrace = {
    .name = "retrace",
    .summary = "rays traced again on the CPU through the captured geometry: how many agree",
    .passes = passes,
    .csv_help =
        "site, kind (how the ray ended: triangle, box, something, miss, or not checked), rays, agree,\n"
        "same_place (another primitive at the same t), borderline (rounding decides), differ",
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
    .text = print_text,
    .json = add_json,
    .csv = write_csv,
};
