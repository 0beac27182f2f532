/* The analysis ray_events: what rays did, from the records of the pass of that name. This is the one
 * definition of its figures. What a ray, its end and its candidates are: rays.h.
 *
 * COUNTS of a set of rays: how many, by end; how often any-hit shaders ran for them, and ignored;
 * intersection shaders ran, and reported; and of ray queries, how many candidates they met and confirmed (or
 * generated in). Per ray is that divided by the rays of the same set; the ignored share is of any-hit runs.
 * Sets are: all; kinds (pipeline; pipeline with SkipClosestHitShader, which is miss-only; query); depths
 * (rays.h; the last row is of all that are deeper); call sites (shader and instruction).
 *
 * GEOMETRIES, by instance, its custom index, and geometry index: hits (rays that ended there), any-hit runs
 * and ignored ones, intersection runs, reports and accepted ones, candidates of queries and confirmed ones.
 * Beyond WS_RAYS_GEOMETRIES different ones further ones are summed as `rest`.
 *
 * SHADERS: how often a closest hit or miss shader ended a ray.
 *
 * BOUNCES of a path, as ray_paths.h defines both; the geometry is not known here. Average: the sum of bounces
 * divided by paths.
 *
 * RAYS PER THREAD, of threads that traced at least one, in one launch; and which had most.
 *
 * DISTANCES of hits that are known: t times the length of the direction, in bins: bin i is of distances from
 * 2^(i - WS_RAYS_BIN_ONE) to below twice that; the first and the last also of what lies beyond. 0, negative
 * ones and what is no number are counted apart (`odd`).
 *
 * MEMORY: that of rays.h, and tables of the sets above; of chosen threads their rays. */
#ifndef WS_ANALYSIS_RAYS_RAYS_REPORT_H
#define WS_ANALYSIS_RAYS_RAYS_REPORT_H

#include "analysis/model/trace_counts.h"
#include "analysis/rays/ray_paths.h"
#include "analysis/rays/rays.h"
#include "analysis/report/analysis.h"

#define WS_RAYS_DEPTHS     33
#define WS_RAYS_GEOMETRIES 65536
#define WS_RAYS_BINS       64
#define WS_RAYS_BIN_ONE    32 /* distances from 1 */
#define WS_RAYS_MOST       10 /* threads */
#define WS_RAYS_TREES      128
#define WS_RAYS_PICTURES   8
#define WS_RAYS_PIXELS     (UINT64_C(1) << 24)

enum ws_rays_kind { WS_RAYS_PIPELINE, WS_RAYS_MISS_ONLY, WS_RAYS_QUERY, WS_RAYS_KINDS };

struct ws_rays_counts {
    uint64_t rays;
    uint64_t ends[5]; /* by enum ws_ray_end */
    uint64_t any_hits;
    uint64_t ignored;
    uint64_t intersections;
    uint64_t reports;
    uint64_t candidates;
    uint64_t confirmed;
};

struct ws_rays_site {
    uint32_t shader;
    uint32_t site;
    struct ws_rays_counts counts;
};

struct ws_rays_geometry {
    uint32_t instance;
    uint32_t custom_index;
    uint32_t geometry;
    uint64_t hits;
    uint64_t any_hits;
    uint64_t ignored;
    uint64_t intersections;
    uint64_t reports;
    uint64_t accepted; /* reports */
    uint64_t candidates;
    uint64_t confirmed;
};

struct ws_rays_place {
    uint64_t rays;
    uint64_t launch;
    uint32_t work[3];
    uint32_t stage;
    uint32_t warp;
};

/* The rays of a chosen thread. */
struct ws_rays_tree {
    uint64_t launch;
    uint32_t work[3];
    uint32_t stage;
    uint32_t warp;
    uint32_t lane;
    bool truncated;
    struct ws_ray *rays;
    uint32_t ray_count;
    struct ws_ray_candidate *candidates;
};

/* Rays per thread of all launches of one size, as an image: by x and y, summed over z. */
struct ws_rays_picture {
    uint32_t width;
    uint32_t height;
    uint64_t *values;
};

struct ws_ray_events {
    struct ws_rays *rays; /* first: ws_rays_replay_of */
    const struct ws_catalog *catalog;
    struct ws_analysis_options options;
    const struct ws_launch_record *launch; /* whose rays come */
    uint64_t launches;                     /* with rays */
    uint64_t last;                         /* of these the last, + 1 */
    struct ws_rays_counts all;
    struct ws_rays_counts kinds[WS_RAYS_KINDS];
    struct ws_rays_counts depths[WS_RAYS_DEPTHS];
    struct ws_rays_site *sites; /* most rays first, by the end */
    uint32_t site_count;
    uint32_t site_capacity;
    struct ws_id_map site_ids;
    struct ws_rays_geometry *geometries; /* most work first, by the end */
    uint32_t geometry_count;
    uint32_t geometry_capacity;
    struct ws_id_map instance_ids;
    struct ws_id_map geometry_ids;
    uint32_t instance_count;
    struct ws_rays_geometry rest;
    uint64_t *shaders; /* by index in the catalog */
    uint32_t shader_count;
    struct ws_trace_counts bounces;
    struct ws_trace_counts threads;
    struct ws_rays_place most[WS_RAYS_MOST]; /* most first */
    uint32_t most_count;
    uint64_t distances[WS_RAYS_BINS];
    uint64_t odd;
    struct ws_rays_tree trees[WS_RAYS_TREES];
    uint32_t tree_count;
    uint64_t trees_left_out;
    struct ws_rays_picture pictures[WS_RAYS_PICTURES];
    uint32_t picture_count;
    struct ws_ray_paths paths; /* scratch: of the thread */
};

extern const struct ws_analysis ws_analysis_ray_events;

/* Work that a geometry made: what its rows are ordered by. */
uint64_t ws_rays_geometry_work(const struct ws_rays_geometry *geometry);

/* "pipeline", "miss_only", "query" */
const char *ws_rays_kind_name(uint32_t kind);

/* Where a call site is: "mesh.rchit:12", or "" where it is not known. */
void ws_rays_site_place(const struct ws_catalog *catalog, uint32_t shader, uint32_t site, char *place,
                        size_t size);

/* part / whole; 0 where there is none. */
double ws_rays_ratio(uint64_t part, uint64_t whole);

/* How it is shown; members of struct ws_analysis. ray_events_report.c */
bool ws_ray_events_text(const void *results, FILE *stream);
bool ws_ray_events_json(const void *results, cJSON *object);
bool ws_ray_events_csv(const void *results, FILE *stream);
bool ws_ray_events_plots(const void *results, struct ws_plots *plots, struct ws_error *error);
extern const char ws_ray_events_csv_help[];

#endif
