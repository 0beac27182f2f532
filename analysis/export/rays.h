/* Rays of a capture as files for other programs, in three formats. Each thread is written as soon as its rays
 * are known.
 *
 * TEXT is the ray file of RayScope ("Vulkan Vision", figure 4.4). Each thread has its events, which are
 * joined by "," and a line end. An event has a name and a place. Before the first event stand the thread's
 * flat id and the index of its warp:
 *
 *     0:410:trace -0.199989 -0.500232 5.499992,
 *     chit -6.022733 3.282307 -1.041899
 *
 * The flat id is that of the launch id, or of the global invocation id of a dispatch. Where it is beyond the
 * launch size, as in a dispatch from a base, it is x.y.z; so it is for other stages: pixel and layer of
 * fragments, else the work id.
 *
 * Rays of a thread follow in the order of tracing. From the second launch with rays on, each launch begins
 * with a line "# launch N". Events, and their places:
 *
 *   trace, trace_skip_closest_hit, query   a ray begins (with SkipClosestHitShader; of a ray query): its origin
 *   ahit                            an any-hit shader ran: at the hit
 *   ignore, terminate               how it ended, where it did not accept: the same place
 *   intersection                    reportIntersection: at the t that was reported
 *   candidate, confirm              a ray query met something; the shader took it: at its t; a candidate
 *                                   AABB has no t until the shader generates an intersection
 *   chit, query_hit                 the ray ended at a hit: at the hit
 *   miss, query_miss                the ray ended without a hit: at tmax
 *   implicit_hit, no_shader         the ray ended, and no shader ran (rays.h): at the last accepted hit
 *   unknown                         the end of the ray is not known
 *
 * A place is origin + t * direction; "nan nan nan" where t is not known.
 *
 * CSV and JSON LINES have a row or an object for each ray, with all of struct ws_ray (rays.h). One table of
 * fields in rays.c gives names, values and help. JSON has the candidates too. Floats are printed so that they
 * read back as the same bits; in JSON, which has only finite numbers, others are null. A value that does not
 * exist is empty, or null. PARQUET has the same columns behind frame and pipeline (data_set.h), and candidates as a table of
 * their own. */
#ifndef WS_ANALYSIS_EXPORT_RAYS_H
#define WS_ANALYSIS_EXPORT_RAYS_H

#include "analysis/output/file_kind.h"
#include "analysis/rays/rays.h"
#include "warpscope/report/analysis.h"

enum ws_rays_format { WS_RAYS_TEXT, WS_RAYS_CSV, WS_RAYS_JSONL, WS_RAYS_PARQUET };

/* What to write; and, behind the export, what was written. */
struct ws_rays_export {
    const char *path; /* "-" = stdout */
    enum ws_rays_format format;
    uint64_t threads; /* how many were written */
    uint64_t rays;
    int failure; /* errno of the write that failed; 0 = none failed */
    /* Of Parquet: */
    bool candidates; /* a row for each candidate of a ray, and not for each ray */
    uint64_t rows;
    uint64_t files;
    struct ws_error error; /* of a file that could not be written */
};

/* It is no report: it writes while the capture is read. `user` of its options is a struct ws_rays_export. */
/* Of text, CSV and JSON; of Parquet: parquet.h. */
extern const struct ws_file_kind ws_rays_kind;
extern const struct ws_analysis ws_analysis_rays_export;

/* A thread whose rays are written. */
struct ws_rays_export_place {
    const struct ws_catalog *catalog;
    const struct ws_launch_record *launch;
    const struct ws_ray_thread *thread;
};

/* Writes a ray of the thread as a CSV row or as a JSON line; all rays of the thread as text. */
void ws_rays_export_csv(const struct ws_rays_export_place *place, uint32_t ray, FILE *stream);
void ws_rays_export_jsonl(const struct ws_rays_export_place *place, uint32_t ray, FILE *stream);
void ws_rays_export_text(const struct ws_rays_export_place *place, FILE *stream);

/* Prints every field of CSV and JSON Lines with what it means, for --help. */
void ws_rays_export_help(FILE *stream);

#endif
