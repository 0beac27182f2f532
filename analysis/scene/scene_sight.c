#include "analysis/scene/scene_sight.h"

/* VkGeometryInstanceFlagBitsKHR, VkGeometryFlagBitsKHR. */
enum {
    NO_FACING_CULL = 1,
    FLIP_FACING = 2,
    FORCE_OPAQUE = 4,
    FORCE_NO_OPAQUE = 8,
    FORCE_TWO_STATES = 16, /* of micromaps */
    DISABLE_OPACITY_MICROMAPS = 32,
};
enum { GEOMETRY_OPAQUE = 1 };

bool ws_scene_sees(const struct ws_scene *scene, const struct ws_scene_instance *instance,
                   const struct ws_ray *ray, struct ws_trace_hit *hit)
{
    const struct ws_scene_build *build = &scene->builds[instance->build];
    const uint32_t flags = ray->flags;
    hit->opaque = (build->geometries[hit->geometry].info.flags & GEOMETRY_OPAQUE) != 0;
    if ((instance->flags & FORCE_OPAQUE) != 0)
        hit->opaque = true;
    else if ((instance->flags & FORCE_NO_OPAQUE) != 0)
        hit->opaque = false;
    if ((flags & WS_RAY_FLAG_OPAQUE) != 0)
        hit->opaque = true;
    else if ((flags & WS_RAY_FLAG_NO_OPAQUE) != 0)
        hit->opaque = false;
    if ((instance->mask & ray->cull_mask & 0xff) == 0 ||
        (flags & (hit->opaque ? WS_RAY_FLAG_CULL_OPAQUE : WS_RAY_FLAG_CULL_NO_OPAQUE)) != 0 ||
        (flags & (hit->box ? WS_RAY_FLAG_SKIP_AABBS : WS_RAY_FLAG_SKIP_TRIANGLES)) != 0)
        return false;
    hit->back = !hit->box && (hit->facing > 0) != ((instance->flags & FLIP_FACING) != 0);
    return hit->box || (instance->flags & NO_FACING_CULL) != 0 ||
           (flags & (hit->back ? WS_RAY_FLAG_CULL_BACK : WS_RAY_FLAG_CULL_FRONT)) == 0;
}

bool ws_scene_may_be_transparent(const struct ws_scene *scene, const struct ws_scene_instance *instance,
                                 const struct ws_ray *ray, const struct ws_trace_hit *hit)
{
    enum ws_micromap_state state = WS_MICROMAP_NOT_KNOWN;
    uint32_t number = 0;
    if (instance->build == WS_NONE || (instance->flags & DISABLE_OPACITY_MICROMAPS) != 0 ||
        !ws_scene_micromap(scene, instance->build, hit->geometry, hit->primitive, &state, &number))
        return false;
    const bool two_states =
        (instance->flags & FORCE_TWO_STATES) != 0 || (ray->flags & WS_RAY_FLAG_FORCE_TWO_STATES) != 0;
    const bool culls = (ray->flags & WS_RAY_FLAG_CULL_OPAQUE) != 0;
    switch (state) {
    case WS_MICROMAP_OPAQUE: return culls;
    case WS_MICROMAP_UNKNOWN_OPAQUE: return two_states && culls;
    case WS_MICROMAP_UNKNOWN_TRANSPARENT: return two_states;
    default: return true;
    }
}
