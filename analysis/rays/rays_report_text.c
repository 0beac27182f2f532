/* Rays for people. */
#include <inttypes.h>
#include <string.h>

#include "analysis/model/work_id.h"
#include "analysis/output/table.h"
#include "analysis/rays/rays_report.h"

#define NAME_SIZE  384
#define ROWS_USUAL 20

static uint32_t rows_of(const struct ws_rays_results *results)
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

static void add_counts(struct ws_table *table, const struct ws_rays_counts *counts)
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

static bool print_kinds(const struct ws_rays_results *results, FILE *stream)
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
        add_counts(&table, &results->kinds[i]);
    }
    ws_table_add(&table, "all");
    add_counts(&table, &results->all);
    return print_table(&table, "Rays", 0, stream);
}

static bool print_depths(const struct ws_rays_results *results, FILE *stream)
{
    struct ws_column columns[2 + COUNT_COLUMNS];
    struct ws_table table;
    begin_counts(&table, columns, (struct ws_column){"depth", true}, NULL);
    for (uint32_t i = 0; i < WS_RAYS_DEPTHS; ++i) {
        if (results->depths[i].rays == 0)
            continue;
        ws_table_add(&table, "%" PRIu32 "%s", i, i + 1 == WS_RAYS_DEPTHS ? "+" : "");
        add_counts(&table, &results->depths[i]);
    }
    return print_table(&table, "By depth: how many rays led to it", 0, stream);
}

static bool print_sites(const struct ws_rays_results *results, FILE *stream)
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
        add_counts(&table, &site->counts);
        ws_rays_site_place(results->catalog, site->shader, site->site, text, sizeof(text));
        ws_table_add(&table, "%s", text);
    }
    return print_table(&table, "By call site", results->site_count > most ? results->site_count - most : 0,
                       stream);
}

static void add_geometry(struct ws_table *table, const struct ws_rays_geometry *geometry)
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

static bool print_geometries(const struct ws_rays_results *results, FILE *stream)
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
        add_geometry(&table, geometry);
    }
    if (ws_rays_geometry_work(&results->rest) > 0) {
        ws_table_add(&table, "others");
        ws_table_add(&table, "%s", "");
        ws_table_add(&table, "%s", "");
        add_geometry(&table, &results->rest);
    }
    return print_table(&table, "By geometry",
                       results->geometry_count > most ? results->geometry_count - most : 0, stream);
}

static bool print_shaders(const struct ws_rays_results *results, FILE *stream)
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

static bool print_most(const struct ws_rays_results *results, FILE *stream)
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

static bool print_summaries(const struct ws_rays_results *results, FILE *stream)
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

static bool print_distances(const struct ws_rays_results *results, FILE *stream)
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

bool ws_rays_report_text(const void *pointer, FILE *stream)
{
    const struct ws_rays_results *results = pointer;
    if (results->options.has_thread || results->options.has_warp) {
        ws_rays_report_tree(results, stream);
        return true;
    }
    return print_kinds(results, stream) && print_depths(results, stream) && print_sites(results, stream) &&
           print_geometries(results, stream) && print_shaders(results, stream) &&
           print_summaries(results, stream) && print_distances(results, stream) &&
           print_most(results, stream);
}
