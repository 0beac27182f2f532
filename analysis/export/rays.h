/* Rays of a capture as files for other programs, in three formats, written as they are read.
 *
 * TEXT is the ray file of RayScope ("Vulkan Vision", figure 4.4): for each thread its events, each with a
 * place, joined by "," and a line end; before the first stand the thread's flat launch id (or global
 * launch id; x.y.z where it is beyond the launch size, as a dispatch from a base has it, and of other
 * stages: of fragments pixel and layer, else the work id) and its warp's index:
 *
 *     0:410:trace -0.199989 -0.500232 5.499992,
 *     chit -6.022733 3.282307 -1.041899
 *
 * Rays of a thread follow in the order of tracing. From the second launch with rays on, each begins with
 * a line "# launch N". Events, and where they are:
 *
 *   trace, trace_miss_only, query   a ray begins (with SkipClosestHitShader; by a ray query): its origin
 *   ahit                            an any-hit shader ran: at the hit
 *   ignore, terminate               how it ended, where not by accepting: the same place
 *   intersection                    reportIntersection: at the t that was reported
 *   candidate, confirm              a ray query met something, and the shader took it: at its t; a candidate
 *                                   AABB has none until the shader generates an intersection
 *   chit, query_hit                 it ended by hitting: at the hit
 *   miss, query_miss                it ended without: where its interval ends (tmax)
 *   implicit_hit, no_shader         it ended, and no shader ran (rays.h): at the last accepted hit
 *   unknown                         its end is not known
 *
 * A place is origin + t * direction; "nan nan nan" where t is not known.
 *
 * CSV and JSONL have a row or object per ray, with everything of struct ws_ray (rays.h); JSONL has its
 * candidates too. Floats are printed so that they read back as the same bits; in JSON, which has no word for
 * others than finite ones, these are null. What there is not is empty, or null. */
#ifndef WS_ANALYSIS_EXPORT_RAYS_H
#define WS_ANALYSIS_EXPORT_RAYS_H

#include "analysis/rays/rays.h"
#include "analysis/report/analysis.h"

enum ws_rays_format { WS_RAYS_TEXT, WS_RAYS_CSV, WS_RAYS_JSONL };

/* What is to be written, and what became of it. */
struct ws_rays_export {
    const char *path; /* "-" = stdout */
    enum ws_rays_format format;
    uint64_t threads; /* written */
    uint64_t rays;
    int failure; /* errno of the write that failed; 0 = none did */
};

/* Not one of the kinds of report: it writes as it reads. Its options have a struct ws_rays_export as user. */
extern const struct ws_analysis ws_analysis_rays_export;

/* Which thread of which launch a ray is of. */
struct ws_rays_export_place {
    const struct ws_catalog *catalog;
    const struct ws_launch_record *launch;
    const struct ws_ray_thread *thread;
};

/* Writes a ray of the thread as a CSV row or as a JSON line; all rays of the thread as text. */
void ws_rays_export_csv(const struct ws_rays_export_place *place, uint32_t ray, FILE *stream);
void ws_rays_export_jsonl(const struct ws_rays_export_place *place, uint32_t ray, FILE *stream);
void ws_rays_export_text(const struct ws_rays_export_place *place, FILE *stream);

#endif
