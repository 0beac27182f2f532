/* Scenes with planted faults, one for each recommendation. The faulty scene and its repaired twin differ in
 * nothing but the change that a recommendation would name. */
#include "fault.h"

#include <string.h>

extern const struct ws_fault ws_fault_opaque;
extern const struct ws_fault ws_fault_cull_mask;
extern const struct ws_fault ws_fault_shadow_flags;
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
extern const struct ws_fault ws_fault_two_tlas;

const struct ws_fault *const ws_faults[] = {
    &ws_fault_opaque,         &ws_fault_cull_mask,   &ws_fault_shadow_flags,       &ws_fault_shadow_first_hit,
    &ws_fault_short_rays,     &ws_fault_empty_range, &ws_fault_tmin_low,           &ws_fault_tmin_high,
    &ws_fault_leak,           &ws_fault_back_face,   &ws_fault_ao_into_surface,    &ws_fault_trapped,
    &ws_fault_divergent_warp, &ws_fault_aabb_large,  &ws_fault_duplicate_geometry, &ws_fault_sbt_unused,
    &ws_fault_empty_shaders,  &ws_fault_rays,        &ws_fault_two_tlas,           NULL,
};

const struct ws_fault *ws_fault_named(const char *name)
{
    for (size_t i = 0; ws_faults[i] != NULL; i++) {
        if (strcmp(ws_faults[i]->name, name) == 0) {
            return ws_faults[i];
        }
    }
    return NULL;
}
