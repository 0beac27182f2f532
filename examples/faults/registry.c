/* Scenes with planted faults, one for each rule of advice, and some without a fault that other things are
 * tried on. A faulty scene and its repaired twin differ in nothing but the change that advice would
 * name. What the shaders count with --count says what the fault costs, and the twin does not pay:
 *
 *   opaque              solid_any_hit: any-hit runs on a statue without holes; any_hit falls by as many. The
 *                       leaves' and the crate's must stay: one ignores, the other counts (tally)
 *   opaque_switched     solid_any_hit: any-hit runs on three statues of one structure; any_hit falls to none
 *   query_opaque        solid_any_hit: candidates on a statue without holes; any_hit, of all candidates, falls by as
 *                       many
 *   no_opaque           solid_any_hit: any-hit runs on what is opaque; any_hit falls by as many
 *   cull_mask           ignored: any-hit runs of shadow rays on lamps, all ignored; any_hit falls by as many
 *   shadow_flags        shadow_hits: closest-hit runs that tell nobody; closest_hit falls by as many
 *   shadow_answers      shadow_hits: closest-hit runs that store what the payload holds already; closest_hit falls by
 *                       as many
 *   shadow_first_hit    any_hit: candidates after the first leaf that casts a shadow
 *   short_rays          short_range: occlusion rays with a tmax below 0.001 in a scene of size 1; shadow_rays
 *                       fall by as many
 *   empty_range         empty_range: shadow rays with tmax = tmin; shadow_rays and miss fall by as many
 *   tmin_low            self_hits: bounce rays that hit the triangle on which they start
 *   tmin_high           left: bounce rays that leave a closed room, past its corners
 *   leak                left: bounce rays that leave a room under its door
 *   back_face           below: bounce rays whose direction lies below the surface; what they cost besides
 *                       are the bounces after them
 *   ao_into_surface     below: occlusion rays that start into the surface; none is traced less when repaired,
 *                       they go elsewhere
 *   trapped             faint: bounce rays with less than a thousandth of their light; bounce_rays falls by
 *                       these, and by others past a path's tenth bounce
 *   divergent_warp      later_bounces: those of one thread in a warp whose other rays miss; bounce_rays falls
 *                       by as many
 *   aabb_large          unreported: intersection runs without a report; intersection falls by the difference
 *   duplicate_geometry  bottom_levels, triangles
 *   sbt_unused          table_records
 *   empty_shaders       empty_runs: of shaders that, when they do not count, have no instruction
 *
 * Shaders that count have effects that those of a plain run lack, so a capture for advice is made
 * without --count, and its counts are held against those of a run with it: both trace the same rays. */
#include "examples/faults/fault.h"

#include <string.h>

extern const struct ws_fault ws_fault_opaque;
extern const struct ws_fault ws_fault_opaque_switched;
extern const struct ws_fault ws_fault_query_opaque;
extern const struct ws_fault ws_fault_no_opaque;
extern const struct ws_fault ws_fault_cull_mask;
extern const struct ws_fault ws_fault_shadow_flags;
extern const struct ws_fault ws_fault_shadow_answers;
extern const struct ws_fault ws_fault_shadow_first_hit;
extern const struct ws_fault ws_fault_short_rays;
extern const struct ws_fault ws_fault_empty_range;
extern const struct ws_fault ws_fault_tmin_low;
extern const struct ws_fault ws_fault_tmin_high;
extern const struct ws_fault ws_fault_leak;
extern const struct ws_fault ws_fault_back_face;
extern const struct ws_fault ws_fault_ao_into_surface;
extern const struct ws_fault ws_fault_trapped;
extern const struct ws_fault ws_fault_divergent_warp;
extern const struct ws_fault ws_fault_aabb_large;
extern const struct ws_fault ws_fault_duplicate_geometry;
extern const struct ws_fault ws_fault_sbt_unused;
extern const struct ws_fault ws_fault_empty_shaders;
extern const struct ws_fault ws_fault_rays;
extern const struct ws_fault ws_fault_rebuild;
extern const struct ws_fault ws_fault_two_tlas;
extern const struct ws_fault ws_fault_two_tlas_silent;

const struct ws_fault *const ws_faults[] = {
    &ws_fault_opaque,
    &ws_fault_opaque_switched,
    &ws_fault_query_opaque,
    &ws_fault_no_opaque,
    &ws_fault_cull_mask,
    &ws_fault_shadow_flags,
    &ws_fault_shadow_answers,
    &ws_fault_shadow_first_hit,
    &ws_fault_short_rays,
    &ws_fault_empty_range,
    &ws_fault_tmin_low,
    &ws_fault_tmin_high,
    &ws_fault_leak,
    &ws_fault_back_face,
    &ws_fault_ao_into_surface,
    &ws_fault_trapped,
    &ws_fault_divergent_warp,
    &ws_fault_aabb_large,
    &ws_fault_duplicate_geometry,
    &ws_fault_sbt_unused,
    &ws_fault_empty_shaders,
    &ws_fault_rays,
    &ws_fault_rebuild,
    &ws_fault_two_tlas,
    &ws_fault_two_tlas_silent,
    NULL,
};

const struct ws_fault *ws_fault_named(const char *name)
{
    for (size_t i = 0; ws_faults[i] != NULL; i++)
        if (strcmp(ws_faults[i]->name, name) == 0)
            return ws_faults[i];
    return NULL;
}
