/* The analysis ray_events: what rays did, from the records of the pass of that name. This is the one
 * definition of its figures; ray_events_report.c declares how they are shown. What a ray, its end and its
 * candidates are: rays.h.
 *
 * COUNTS of a set of rays:
 *   rays, by end; how many have a known hit
 *   any-hit runs, and how many of these ignored the intersection
 *   runs of intersection shaders; reports (reportIntersection), and how many of these were accepted
 *   candidates that ray queries met, and how many of these were confirmed, or an intersection generated in
 *   paths that begin with a ray of the set (ray_paths.h)
 * The ignored share is of any-hit runs; reports per ray are of all rays of the set.
 *
 * SETS are: all; kinds (pipeline; pipeline with SkipClosestHitShader; query); depths
 * (rays.h); call sites; geometries, by instance, its custom index, and geometry index; shaders that ended
 * rays (closest hit and miss shaders); distances. Of geometries, `rays` are those whose hit is there, and
 * runs, reports and candidates are those there, of whichever ray. WORK of a geometry: any-hit runs,
 * intersection runs, candidates of queries and hits. HIT RATE: hits divided by any-hit runs,
 * intersection runs and candidates. It has no value where hits come without them; a low one says that shaders run for
 * nothing.
 *
 * BOUNCES of a path: as ray_paths.h defines both; the geometry is not known here. Average: the sum of bounces
 * divided by paths.
 *
 * RAYS PER THREAD, of threads that traced at least one ray, in one launch; and which had most.
 *
 * DISTANCES of known hits: t times the length of the direction, in bins. Bin i has distances from
 * 2^(i - WS_RAY_EVENTS_BIN_ONE) to below twice that; the first bin and the last have also what lies beyond. A
 * distance that is 0, negative or no number is in no bin, but counted (`odd`).
 *
 * MEMORY: that of rays.h, rows of the sets above, and the rays of chosen threads. */
#ifndef WS_ANALYSIS_RAYS_RAY_EVENTS_H
#define WS_ANALYSIS_RAYS_RAY_EVENTS_H

#include "analysis/rays/ray_paths.h"
#include "analysis/rays/ray_trees.h"
#include "analysis/rays/rays.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/sought.h"

#define WS_RAY_EVENTS_BINS     64
#define WS_RAY_EVENTS_BIN_ONE  32 /* distances from 1 */
#define WS_RAY_EVENTS_MOST     10 /* threads */
#define WS_RAY_EVENTS_PICTURES 8
#define WS_RAY_EVENTS_PIXELS   (UINT64_C(1) << 24)

enum ws_ray_events_kind {
    WS_RAY_EVENTS_PIPELINE,
    WS_RAY_EVENTS_SKIP_CLOSEST_HIT,
    WS_RAY_EVENTS_QUERY,
    WS_RAY_EVENTS_KINDS
};

/* Sums of a set. */
struct ws_ray_events_counts {
    uint64_t rays;
    uint64_t ends[WS_RAY_NO_SHADER + 1]; /* by enum ws_ray_end */
    uint64_t hits;
    uint64_t any_hits;
    uint64_t ignored;
    uint64_t intersections;
    uint64_t reports;
    uint64_t accepted; /* reports */
    uint64_t candidates;
    uint64_t confirmed;
    uint64_t paths;
    uint64_t threads;
};

/* Keys of facts (columns.h). */
enum ws_ray_events_dimension {
    WS_RAY_EVENTS_LAUNCH,
    WS_RAY_EVENTS_STAGE,
    WS_RAY_EVENTS_SHADER,      /* that traced: index in the catalog */
    WS_RAY_EVENTS_SITE,        /* ws_key_in_shader(shader, index in the module's sites) */
    WS_RAY_EVENTS_KIND,        /* enum ws_ray_events_kind */
    WS_RAY_EVENTS_DEPTH,       /* of the ray */
    WS_RAY_EVENTS_INSTANCE,    /* of the hit or candidate: its index << 24 | custom index */
    WS_RAY_EVENTS_GEOMETRY,    /* of the hit or candidate: its index */
    WS_RAY_EVENTS_HIT_SHADER,  /* that ended the ray: index in the catalog */
    WS_RAY_EVENTS_DISTANCE,    /* bin */
    WS_RAY_EVENTS_BOUNCES,     /* of a path */
    WS_RAY_EVENTS_THREAD_RAYS, /* rays of a thread */
    WS_RAY_EVENTS_THREAD,      /* place among those with most rays */
    WS_RAY_EVENTS_DIMENSIONS
};

enum ws_ray_events_level {
    WS_RAY_EVENTS_BY_ALL,
    WS_RAY_EVENTS_BY_KIND,
    WS_RAY_EVENTS_BY_DEPTH,
    WS_RAY_EVENTS_BY_SITE,
    WS_RAY_EVENTS_BY_GEOMETRY,
    WS_RAY_EVENTS_BY_HIT_SHADER,
    WS_RAY_EVENTS_BY_BOUNCES,
    WS_RAY_EVENTS_BY_THREAD_RAYS,
    WS_RAY_EVENTS_BY_DISTANCE,
    WS_RAY_EVENTS_BY_THREAD
};

/* A thread with many rays. */
struct ws_ray_events_thread {
    uint64_t rays;
    uint64_t launch;
    uint32_t work[3];
    uint32_t stage;
    uint32_t warp;
};

/* Rays per thread of all launches of one size and base, as an image: by x and y, summed over z. */
struct ws_ray_events_picture {
    uint32_t width;
    uint32_t height;
    uint32_t first[2]; /* work id of its first pixel: not 0 where the launches begin at a base */
    uint64_t *values;
};

/* A launch with rays. */
struct ws_ray_events_launch {
    uint64_t index;
    uint64_t rays;
};

struct ws_ray_events {
    struct ws_rays *rays; /* first: ws_rays_replay_of */
    const struct ws_catalog *catalog;
    struct ws_analysis_options options;
    struct ws_sought sought;               /* the thread or warp that the options choose */
    const struct ws_launch_record *launch; /* whose rays come */
    struct ws_ray_events_launch *launches; /* with rays, in the order of the replay */
    uint32_t launch_count;
    uint32_t launch_capacity;
    struct ws_id_map launch_of; /* index of a launch with rays -> its place in `launches` */
    struct ws_groups *groups;
    struct ws_ray_events_thread most[WS_RAY_EVENTS_MOST]; /* most rays first */
    uint32_t most_count;
    uint64_t distances[WS_RAY_EVENTS_BINS]; /* hits */
    uint64_t odd;
    struct ws_ray_trees trees;
    struct ws_ray_events_picture pictures[WS_RAY_EVENTS_PICTURES];
    uint32_t picture_count;
    struct ws_ray_paths paths; /* scratch: of the thread */
};

extern const struct ws_analysis ws_analysis_ray_events;

/* How many rays a launch has; of no results 0. */
uint64_t ws_ray_events_of(const struct ws_ray_events *results, uint64_t launch);

/* ray_events_report.c: the declaration of columns, words for --help, and what columns do not say: members of
 * struct ws_analysis. */
extern const struct ws_columns ws_ray_events_columns;
extern const char ws_ray_events_words[];
bool ws_ray_events_findings(const void *results, struct ws_findings *findings);
const char *ws_ray_events_nothing(const void *results);
bool ws_ray_events_text(const void *results, FILE *stream);
bool ws_ray_events_json(const void *results, struct ws_json *json);
extern const struct ws_member ws_ray_events_members[]; /* of it */
bool ws_ray_events_plots(const void *results, struct ws_plots *plots, struct ws_error *error);

#endif
