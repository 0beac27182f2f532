/* rays: rays of a launch, as many as are wanted.
 *
 * Keys: launch; those of filters (ray_filter.h); `count`, how many rays at most (20000, at most 4 million), and `first`, so
 * many of those that fit are passed over; `columns`, the names of those that are wanted, with commas (all). `shortest`: instead
 * so many (at most 4096) that hit nearest to where they start, the nearest first.
 *
 * A binary answer (binary.h) with the magic "WSRY". `matches` are the rays that fit, `total` those of the launch; they come in
 * the shuffled order of ray_store.h, so the first of them are a uniform sample. Columns:
 *
 *   line           u16 x 8   start x y z, 0, end x y z, 1: places in `box`, which is of this answer; ready for GL LINES
 *   ray            u32       its number in the launch
 *   parent         u32       number of the ray in whose shader it was traced; 0xffffffff = none
 *   thread         u32 x 3   place of its thread: launch id, global invocation id, or pixel and layer
 *   warp           u32
 *   instance, geometry, primitive    u32, that it hit; 0xffffffff = no hit is known
 *   t              f32       of the hit; NaN = no hit is known
 *   depth          u16
 *   kind           u8        enum ws_ray_kind: 0 trace, 1 trace without closest hit, 2 query
 *   end            u8        enum ws_ray_end: 0 unknown, 1 hit, 2 miss, 3 implicit hit, 4 no shader
 *   any_hits, intersections    u16, runs; they stop at 65535
 *   shader         u32       id of the shader that traced it
 *   site           u16       number of the call in the launch (rays.json)
 *   rules          u32       bit i: it is evidence for rule i of capture.json
 *
 * A line ends at the hit; without a hit where the ray ends, but no farther than a little behind the scene
 * (analysis/scene/scene_line.h). An origin that is more than FAR diagonals from the scene moves to there, so that one of them
 * does not take all precision. What is not finite is a line without length at the corner of the box. */
#ifndef WS_ANALYSIS_VIEWER_RAYS_RAYS_H
#define WS_ANALYSIS_VIEWER_RAYS_RAYS_H

#include "analysis/viewer/rays/ray_query.h"

/* Writes the answer to a question that is read already; the query says which page of it, and which columns. False and `error`
 * as answers have it (viewer.h). */
bool ws_viewer_rays_write(const struct ws_catalog *catalog, const struct ws_ray_question *question,
                          const struct ws_viewer_query *query, FILE *stream, struct ws_error *error);

#endif
