/* The same as one CSV table. */
#include <inttypes.h>

#include "analysis/model/work_id.h"
#include "analysis/output/csv.h"
#include "analysis/rays/rays_report.h"

#define NAME_SIZE 384

const char ws_rays_report_csv_help[] =
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

static void put_sites(const struct ws_rays_results *results, FILE *stream)
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

static void put_places(const struct ws_rays_results *results, FILE *stream)
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

bool ws_rays_report_csv(const void *pointer, FILE *stream)
{
    const struct ws_rays_results *results = pointer;
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
