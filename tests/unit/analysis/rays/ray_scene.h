/* Captures with ray events that a test makes up, and what the rays put together from them are, line by line.
 * All functions fail the test on failure.
 *
 * Every shader is made of the same module: one block with each instruction that ray events are about, and
 * ends of three kinds. Lanes are masks of the low 64. */
#ifndef WS_TESTS_UNIT_ANALYSIS_RAYS_RAY_SCENE_H
#define WS_TESTS_UNIT_ANALYSIS_RAYS_RAY_SCENE_H

#include "analysis/rays/rays.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/stream.h"

/* Numbers of the module's records, which are indices of its sites. */
enum ray_site {
    RAY_SITE_ENTRY,
    RAY_SITE_HIT, /* hit words */
    RAY_SITE_BOX, /* intersection words */
    RAY_SITE_TRACE,
    RAY_SITE_RETURN,
    RAY_SITE_MOTION,
    RAY_SITE_MOTION_RETURN,
    RAY_SITE_REPORT,
    RAY_SITE_INITIALIZE,
    RAY_SITE_PROCEED,
    RAY_SITE_CONFIRM,
    RAY_SITE_GENERATE,
    RAY_SITE_TERMINATE_QUERY,
    RAY_SITE_CALL,
    RAY_SITE_END,       /* OpReturn */
    RAY_SITE_IGNORE,    /* OpIgnoreIntersectionKHR */
    RAY_SITE_TERMINATE, /* OpTerminateRayKHR */
    RAY_SITE_CONTINUE,
    RAY_SITE_OBJECT_TRACE,
    RAY_SITE_OBJECT_TRACED,
    RAY_SITE_OBJECT_RUN, /* a trace that also executes */
    RAY_SITE_OBJECT_RECORD,
    RAY_SITE_EXECUTE,
    RAY_SITE_EXECUTED,
    RAY_SITE_LATER, /* a trace of one word, as none is */
    RAY_SITE_COUNT
};

struct stream *ray_scene_create(uint32_t bins, uint64_t seed);

/* A shader of that stage, and for which also a constant index is set: see stream_shader. */
uint32_t ray_scene_shader(struct stream *stream, uint32_t stage);

/* A context begins; lane l has thread first + l. The hit shaders' words are not recorded yet. */
uint32_t ray_enter(struct stream *stream, uint32_t shader, uint64_t lanes, uint32_t first);

/* TRACE of lanes with origin (tag, lane, 0), direction (0, 0, 2), tmin 0.5, tmax 100, cull mask 0xff, SBT
 * offset 1, stride 2, miss index 3. */
void ray_trace(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t tag, uint32_t flags);

/* The same by OpTraceRayMotionNV, at time 0.25. */
void ray_trace_motion(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t tag, uint32_t flags);

/* Hit words: t, instance 2, custom index 20, geometry 3, this primitive, kind 0xfe, attributes 5, 6. */
void ray_hit(struct stream *stream, uint32_t context, uint64_t lanes, float t, uint32_t primitive);

/* Intersection words of the same, without t, kind and attributes. */
void ray_box(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t primitive);

/* REPORT with kind 7. */
void ray_report(struct stream *stream, uint32_t context, uint64_t lanes, float t, bool accepted);
/* Of a shader that cannot tell whether it was accepted. */
void ray_report_open(struct stream *stream, uint32_t context, uint64_t lanes, float t);

/* INITIALIZE like ray_trace, PROCEED with hit words like ray_hit (t 0 = none), and those with only a key. */
void ray_initialize(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, uint32_t tag);
void ray_proceed(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, uint32_t word_1,
                 float t, uint32_t primitive);
void ray_key(struct stream *stream, uint32_t context, uint64_t lanes, enum ray_site site, uint32_t key);
void ray_generate(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, float t);

/* OBJECT_TRACE like ray_trace, into the object of that key, which `run` also executes; OBJECT_TRACED with a hit like ray_hit,
 * without attributes (t 0 = it missed). Object events with only a key: ray_key. */
void ray_object_trace(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, uint32_t tag);
void ray_object_run(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, uint32_t tag);
void ray_object_traced(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, float t,
                       uint32_t primitive);

/* A record without words. */
void ray_place(struct stream *stream, uint32_t context, enum ray_site site, uint64_t lanes);

/* A whole capture of two launches. Launch 0 of 1x2: thread 1 has a ray with an ignored any-hit run and a closest hit, in which
 * a ray with SkipClosestHitShader is traced; thread 0 has none. Launch 1: thread 0 misses, and then hits by a query. */
struct stream *ray_scene_of_all_stages(void);

/* Ends the capture; what is told of its rays must be `expected`, with one worker and with four. Returns how
 * many events were malformed. Destroys the stream. `losses` may be NULL.
 *
 *   launch 0 threads 8 truncated
 *   thread 3,0,0 warp 0 lane 3
 *     0 trace 1 depth 0 parent - lane 3 by 0 hit by 1 t 1.5 primitive 4 kind fe
 *       any_hit by 2 ignored t 2 primitive 7 kind fe
 */
uint64_t ray_scene_expect(struct stream *stream, const char *expected, struct ws_replay_losses *losses);

/* What is told, as text; freed by the caller. */
char *ray_scene_log(const struct stream *stream, uint32_t workers, uint64_t *malformed,
                    struct ws_replay_losses *losses);

#endif
