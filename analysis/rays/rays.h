/* Rays put together from the records of the pass ray_events (warpscope/ray_events.h): for each thread all its
 * rays, what each hit, what it cost and how it ended. Reports, exports and advice on rays come from here.
 *
 * A RAY is one traceRay of one thread, or one initialised ray query. Rays of a thread are numbered in the
 * order of tracing. Its PARENT is the ray in whose closest hit, miss or any-hit shader it was traced; a
 * callable shader counts as the shader that called it. Its DEPTH is 0 without a parent, else that of the
 * parent plus 1:
 *
 *     raygen:       traceRay          ray 0, depth 0
 *       closest hit:  traceRay        ray 1, parent 0, depth 1
 *         miss
 *     raygen:       traceRay          ray 2, depth 0
 *
 * END of a ray (enum ws_ray_end):
 *
 *   HIT        its closest hit shader ran; or the query committed an intersection; or the hit object that it was traced
 *              into held a hit
 *   MISSED     its miss shader ran; or the query committed no intersection; or the hit object held a miss
 *   IMPLICIT   neither shader ran, and the ray has SkipClosestHitShader. As
 *              its miss shader did not run, it hit something
 *   NO_SHADER  neither shader ran, and the ray does not have that flag. The shader binding table has no
 *              shader there, or an empty one that the driver left out, or one that could not be instrumented.
 *              Whether the ray hit or missed is not known
 *   UNKNOWN    the records end before the ray does; or the query was left before its last proceed; or what a hit object
 *              holds was not recorded, and it was never executed
 *
 * Where neither shader ran, the hit is the last any-hit run or report that was accepted (`has_hit`), if there
 * was one. The end of a ray is seen when a record shows its thread behind the call. That is the record after
 * the call, another call in the same execution of the shader, or the end of that execution.
 *
 * The last proceed of a query returns false and says which hit is committed. Where the shader stopped before,
 * the hit is the nearest candidate that it confirmed or generated: `end` is HIT if there is one, else
 * UNKNOWN.
 *
 * HIT OBJECTS. A trace into a hit object is a ray like others. Its closest hit or miss shader runs when the object is
 * executed, any number of times, or never. The rays that this shader traces have it as parent. Where a shader puts
 * something else into an object than a trace, that is no ray: what runs for it counts as its caller, like a callable shader.
 *
 * CANDIDATES of a ray, in order: each any-hit run, each reportIntersection and each intersection run; of a
 * query, each candidate that proceed returned. An intersection run stands where it began. A report stands
 * where it returned, which is behind the any-hit run that it called. Where that any-hit run terminated the
 * ray, the report does not return; it stands right behind that run all the same, with the same hit. */
#ifndef WS_ANALYSIS_RAYS_RAYS_H
#define WS_ANALYSIS_RAYS_RAYS_H

#include <stdio.h>

#include "warpscope/model/replay.h"
#include "warpscope/model/selection.h"
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
#define WS_RAY_FLAG_FORCE_TWO_STATES 0x400u /* of opacity micromaps */

#define WS_HIT_FRONT 0xfeu /* hit kinds of triangles; intersection shaders report others */
#define WS_HIT_BACK  0xffu

struct ws_ray_hit {
    float t;
    uint32_t instance;     /* index in the top-level structure */
    uint32_t custom_index; /* instanceCustomIndex, 24 bits */
    uint32_t geometry;
    uint32_t primitive;
    uint32_t kind;          /* 8 bits; of queries WS_HIT_FRONT, WS_HIT_BACK, or 0: a generated intersection */
    uint32_t attributes[2]; /* the first two words; of a triangle its barycentrics */
};

enum ws_candidate_kind {
    WS_CANDIDATE_ANY_HIT,
    WS_CANDIDATE_REPORT,
    WS_CANDIDATE_INTERSECTION,
    WS_CANDIDATE_QUERY
};
enum ws_candidate_result {
    WS_CANDIDATE_IGNORED,    /* ignoreIntersection; the report returned false; the query never confirmed it */
    WS_CANDIDATE_ACCEPTED,   /* any-hit returned; the report returned true; the query confirmed it */
    WS_CANDIDATE_TERMINATED, /* accepted, and terminateRay or rayQueryTerminate ended the ray */
    WS_CANDIDATE_OPEN,       /* not known: the records end; and intersection runs, which have no result */
};

struct ws_ray_candidate {
    uint32_t kind;   /* enum ws_candidate_kind */
    uint32_t result; /* enum ws_candidate_result */
    uint32_t shader; /* that ran, or that holds the query: index in the catalog */
    /* t is 0 where it is not known (ws_ray_candidate_has_t). A triangle and a generated intersection may be at t = 0 too. */
    struct ws_ray_hit hit;
};

/* How it is known through which acceleration structure a ray flew. */
enum ws_structure_source {
    WS_STRUCTURE_UNSAID = 0, /* it is not: its hits may tell (analysis/scene/scene_match.h) */
    WS_STRUCTURE_BY_DESCRIPTOR,
    WS_STRUCTURE_BY_ADDRESS,
};

struct ws_ray_structure {
    uint32_t source; /* enum ws_structure_source */
    uint32_t id;     /* in the capture, where the source says it */
};

static inline bool ws_ray_structure_equals(const struct ws_ray_structure *a, const struct ws_ray_structure *b)
{
    return a->source == b->source && (a->source == WS_STRUCTURE_UNSAID || a->id == b->id);
}

struct ws_ray {
    uint32_t number; /* in the thread, whether the rays before it were chosen or not */
    uint32_t parent; /* place in the thread's rays; WS_NONE = none, or it was not chosen */
    uint32_t depth;
    uint32_t warp; /* index of the thread's launched warp (replay.h) */
    uint32_t lane; /* in the context that traced it */
    /* The record that told of it, among those of the part of the launch that one worker of the replay had: rays that a warp
     * traced together have the same. Where one worker has the launch (ws_replay_operations.in_order), they are in the order
     * of the stream. */
    uint32_t call;
    uint32_t shader;           /* that traced it: index in the catalog */
    uint32_t site;             /* of the call: index in the module's sites */
    uint32_t first_hit_shader; /* closest hit or miss shader that ran: index in the catalog; WS_NONE */
    uint32_t end;              /* enum ws_ray_end */
    bool query;
    bool object; /* it was traced into a hit object: what it hit may be read from that */
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
    struct ws_ray_structure structure;
    uint32_t candidate_first; /* in the thread's candidates */
    uint32_t candidate_count;
};

/* All that one thread traced in one launch. Valid during the call only. */
struct ws_ray_thread {
    uint64_t launch;                /* index of its launch */
    uint32_t index;                 /* in the launch's threads */
    const struct ws_thread *thread; /* with its work id */
    uint32_t warp;                  /* index of its warp */
    uint32_t lane;
    const struct ws_ray *rays; /* in the order of tracing */
    uint32_t ray_count;
    const struct ws_ray_candidate *candidates;
    bool truncated; /* records of its launch are missing */
};

/* What is called with the rays, always by one thread at a time: for each launch `begin`, then `look` for every
 * thread that traced, then `thread` for each of them, then `end`. Threads come by work id; threads of equal
 * work ids in the order in which they appeared. All but `thread` may be NULL. False = no memory. */
struct ws_ray_operations {
    bool (*begin)(void *user, const struct ws_replay_threads *threads);
    /* For what must be known of all rays of the launch before the first `thread`. It is shown every ray, chosen
     * or not. */
    bool (*look)(void *user, const struct ws_ray_thread *thread);
    bool (*thread)(void *user, const struct ws_ray_thread *thread);
    bool (*end)(void *user, const struct ws_replay_threads *threads);
};

/* Puts rays together from the replay, and calls the operations: `results` of ws_replay_add is a struct ws_rays. Several of
 * them in one replay share the work and the memory: the first tells the others, in the order in which they were added; those
 * that chose rays (ws_rays_choose) come last, and make the same choice. MEMORY: about 210
 * bytes for each ray, and 60 for each candidate, of threads that run just now; for each thread of the launch about 80. What is
 * known of those that have ended is in a temporary file (kept_rays.h). */
struct ws_rays;
struct ws_rays *ws_rays_create(const struct ws_catalog *catalog, const struct ws_ray_operations *operations,
                               void *user);
void ws_rays_destroy(struct ws_rays *rays);
void ws_rays_attach(struct ws_rays *rays, uint32_t user);

/* From now on only the rays that chosen shaders trace are handed on, and threads that have some; NULL = all. The
 * selection must outlive the rays. */
void ws_rays_choose(struct ws_rays *rays, const struct ws_selection *selection);
extern const struct ws_replay_operations ws_rays_replay;

/* The same, where `results` is a struct whose first member is a struct ws_rays *, as those of analyses
 * are. */
extern const struct ws_replay_operations ws_rays_replay_of;

/* How many events contradicted others, such as a hit without a ray. They are left out. Launches count when
 * they are over. */
uint64_t ws_rays_malformed(const struct ws_rays *rays);

/* Prints the line for the foot of a report that says so; nothing where no event was left out. */
void ws_rays_print_malformed(const struct ws_rays *rays, FILE *stream);

/* "hit", "miss", "implicit_hit", "no_shader", "unknown". */
const char *ws_ray_end_name(uint32_t end);

/* "descriptor", "address"; "" where it is not said. */
const char *ws_structure_source_name(uint32_t source);

/* "any_hit", "report", "intersection", "query"; "ignored", "accepted", "terminated", "open". */
const char *ws_candidate_kind_name(uint32_t kind);
const char *ws_candidate_result_name(uint32_t result);

/* Whether a hit is of a triangle, whose attributes are barycentrics. */
bool ws_ray_hit_is_triangle(const struct ws_ray_hit *hit);

/* Whether it is known where the candidate is: not in an intersection run, and not in an AABB candidate of a query in which no
 * intersection was generated. */
bool ws_ray_candidate_has_t(const struct ws_ray_candidate *candidate);

/* Where a thread with rays is: x, y and z of its work id; of a fragment its pixel, and its layer, or 0 where
 * the layer is not known. */
void ws_ray_thread_place(const struct ws_catalog *catalog, const struct ws_ray_thread *thread,
                         uint32_t place[3]);

/* origin + t * direction. */
void ws_ray_position(const struct ws_ray *ray, float t, double position[3]);

#endif
