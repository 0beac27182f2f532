/* Rays put together from ray events (ray_events.h): for each thread the tree of its rays, with what each hit,
 * what it cost and how it ended. Everything that reports, exports or gives advice on rays is fed by this.
 *
 * A RAY is one traceRay of one thread, or one initialised ray query. Rays of a thread are numbered in the
 * order of tracing. Its PARENT is the ray in whose closest hit, miss, any-hit or callable shader (at any
 * distance) it was traced; DEPTH is 0 without a parent, else the parent's + 1.
 *
 * END of a ray (enum ws_ray_end):
 *
 *   HIT        its closest hit shader ran; a query: it committed an intersection
 *   MISSED     its miss shader ran; a query: it committed none
 *   IMPLICIT   neither ran, and it has SkipClosestHitShader (a miss-only ray, DESIGN.md): it hit something
 *   NO_SHADER  neither ran, without that flag: the shader binding table has no shader there (or an empty one
 *              that the driver left out, or one that could not be instrumented). Which of hit and miss is not
 *              known
 *   UNKNOWN    the records end before the ray does, or the query was never proceeded to its end
 *
 * Where neither shader ran, the hit is the last any-hit run or report that was accepted (`has_hit`), if there
 * was one. A ray is over where a record shows its thread behind the call: the one after the call, another
 * call of the same execution of the shader, or the end of that.
 *
 * A query's committed hit is what its last proceed, which returned false, says; where the shader did not
 * proceed to the end, the last candidate that it confirmed or generated nearer than those before (`end` is
 * then HIT if there was one, else UNKNOWN).
 *
 * CANDIDATES of a ray, in order: each any-hit run, each reportIntersection, each intersection run; of queries
 * each candidate that proceed returned. An intersection run stands where it began; a report where it
 * returned, behind the any-hit run that it called. A report does not return where that any-hit run terminated
 * the ray: it is a candidate all the same, right behind, with the any-hit run's hit. */
#ifndef WS_ANALYSIS_RAYS_RAYS_H
#define WS_ANALYSIS_RAYS_RAYS_H

#include <stdio.h>

#include "analysis/model/replay.h"
#include "warpscope/ray_events.h"

enum ws_ray_end { WS_RAY_UNKNOWN = 0, WS_RAY_HIT, WS_RAY_MISSED, WS_RAY_IMPLICIT, WS_RAY_NO_SHADER };

/* Ray flags (SPIR-V specification, Ray Flags). */
#define WS_RAY_FLAG_OPAQUE           0x001u
#define WS_RAY_FLAG_NO_OPAQUE        0x002u
#define WS_RAY_FLAG_TERMINATE_FIRST  0x004u
#define WS_RAY_FLAG_SKIP_CLOSEST_HIT 0x008u
#define WS_RAY_FLAG_CULL_BACK        0x010u
#define WS_RAY_FLAG_CULL_FRONT       0x020u
#define WS_RAY_FLAG_CULL_OPAQUE      0x040u
#define WS_RAY_FLAG_CULL_NO_OPAQUE   0x080u
#define WS_RAY_FLAG_SKIP_TRIANGLES   0x100u
#define WS_RAY_FLAG_SKIP_AABBS       0x200u

#define WS_HIT_FRONT 0xfeu /* hit kinds of triangles; others are those of intersection shaders */
#define WS_HIT_BACK  0xffu

struct ws_ray_hit {
    float t;
    uint32_t instance;     /* index in the top-level structure */
    uint32_t custom_index; /* instanceCustomIndex, 24 bits */
    uint32_t geometry;
    uint32_t primitive;
    uint32_t kind; /* 8 bits; queries: WS_HIT_FRONT, WS_HIT_BACK, or 0 for a generated intersection */
    uint32_t attributes[2]; /* words; barycentrics where it is a triangle */
};

enum ws_candidate_kind {
    WS_CANDIDATE_ANY_HIT,
    WS_CANDIDATE_REPORT,
    WS_CANDIDATE_INTERSECTION,
    WS_CANDIDATE_QUERY
};
enum ws_candidate_result {
    WS_CANDIDATE_IGNORED,    /* ignored; reported but not accepted; never confirmed */
    WS_CANDIDATE_ACCEPTED,   /* any-hit returned; report returned true; confirmed or generated */
    WS_CANDIDATE_TERMINATED, /* accepted, and the ray ended by terminateRay, rayQueryTerminate */
    WS_CANDIDATE_OPEN,       /* not known: the records end; intersection runs, which have no result */
};

struct ws_ray_candidate {
    uint32_t kind;   /* enum ws_candidate_kind */
    uint32_t result; /* enum ws_candidate_result */
    uint32_t shader; /* index in the catalog of the shader that ran; queries: the one that holds the query */
    struct ws_ray_hit
        hit; /* t is 0 for intersection runs and for AABB candidates of queries before generate */
};

struct ws_ray {
    uint32_t parent; /* number in the thread; WS_NONE */
    uint32_t depth;
    uint32_t warp;             /* index of the thread's launched warp (replay.h) */
    uint32_t lane;             /* in the context that traced it */
    uint32_t shader;           /* that traced it: index in the catalog */
    uint32_t site;             /* of the call: index in the module's sites */
    uint32_t first_hit_shader; /* closest hit or miss shader that ran: index in the catalog; WS_NONE */
    uint32_t end;              /* enum ws_ray_end */
    bool query;
    bool has_hit;
    bool has_time;
    float origin[3];
    float direction[3];
    float tmin;
    float tmax;
    float time;
    uint32_t flags;
    uint32_t cull_mask;
    uint32_t sbt_offset;
    uint32_t sbt_stride;
    uint32_t miss_index;
    struct ws_ray_hit hit;
    uint32_t any_hits; /* any-hit runs */
    uint32_t ignored;
    uint32_t intersections; /* intersection runs */
    uint32_t reports;
    uint32_t candidate_first; /* in the thread's candidates */
    uint32_t candidate_count;
};

/* What one thread traced, complete. Borrowed during the call. */
struct ws_ray_thread {
    uint32_t index;                 /* in the launch's threads */
    const struct ws_thread *thread; /* its work id */
    uint32_t warp;                  /* index of its warp */
    uint32_t lane;
    const struct ws_ray *rays; /* in the order of tracing */
    uint32_t ray_count;
    const struct ws_ray_candidate *candidates;
    bool truncated; /* records of its launch are missing */
};

/* Who wants rays. Called serially: for each launch begin, then every thread that traced in the order of
 * their work ids (equals in that of appearing), then end. Any but thread may be NULL. False = no memory. */
struct ws_ray_operations {
    bool (*begin)(void *user, const struct ws_replay_threads *threads);
    bool (*thread)(void *user, const struct ws_ray_thread *thread);
    bool (*end)(void *user, const struct ws_replay_threads *threads);
};

/* A consumer of the replay that hands the rays on: `results` of ws_replay_add is a struct ws_rays. MEMORY:
 * the rays of one launch, some 180 bytes for each, 60 for each candidate and for each thread. */
struct ws_rays;
struct ws_rays *ws_rays_create(const struct ws_catalog *catalog, const struct ws_ray_operations *operations,
                               void *user);
void ws_rays_destroy(struct ws_rays *rays);
void ws_rays_attach(struct ws_rays *rays, uint32_t user);
extern const struct ws_replay_operations ws_rays_replay;

/* The same where `results` is a struct whose first member is a struct ws_rays *, as that of a kind (kind.h).
 */
extern const struct ws_replay_operations ws_rays_replay_of;

/* Events that contradict each other (a hit of no ray, ...): left out and counted. Of launches that are
 * over. */
uint64_t ws_rays_malformed(const struct ws_rays *rays);

/* The line that says so at a report's foot; nothing where there are none. */
void ws_rays_print_malformed(const struct ws_rays *rays, FILE *stream);

/* "hit", "miss", "implicit_hit", "no_shader", "unknown". */
const char *ws_ray_end_name(uint32_t end);

/* "any_hit", "report", "intersection", "query"; "ignored", "accepted", "terminated", "open". */
const char *ws_candidate_kind_name(uint32_t kind);
const char *ws_candidate_result_name(uint32_t result);

/* Whether a hit is of a triangle, whose attributes are barycentrics. */
bool ws_ray_hit_is_triangle(const struct ws_ray_hit *hit);

/* Where the thread is, as x, y, z: its work id; of fragments the pixel, and the layer where it is known, else
 * 0. It has rays. */
void ws_ray_thread_place(const struct ws_catalog *catalog, const struct ws_ray_thread *thread,
                         uint32_t place[3]);

/* Where a call site is in the source: "mesh.rchit:12", or "" where that is not known. */
void ws_ray_site_place(const struct ws_catalog *catalog, uint32_t shader, uint32_t site, char *place,
                       size_t size);

/* origin + t * direction. */
void ws_ray_position(const struct ws_ray *ray, float t, double position[3]);

#endif
