/* Rays in glTF. Each kind and depth has a material of its own, which looks the same in any light:
 *   rays_hit      ended at a hit: up to the hit
 *   rays_miss     ended at a miss
 *   rays_shadow   have SkipClosestHitShader: up to their hit, where it is known
 *   rays_unknown  all others
 * followed by the depth: "rays_hit depth 0"; "depth 3+" are all beyond. Deeper rays are paler. A ray without a hit ends
 * at tmax, or a little behind the box of the scene, whichever comes first.
 *
 * MANY rays are lines, a mesh for each material. Two attributes of each vertex say which ray it is: _THREAD is the
 * thread's place, _RAY its number in the thread, its depth, and t at its end.
 * FEW rays are a node each, named by thread and number, with all that is known in its extras. They are thin prisms, with
 * an octahedron where they hit, and lines, which are seen from far away too. A thread's first ray is a line only, unless
 * they are looked at from near by: viewers open with a camera where it begins. */
#ifndef WS_ANALYSIS_EXPORT_GLTF_LINES_H
#define WS_ANALYSIS_EXPORT_GLTF_LINES_H

#include "analysis/export/gltf_rays.h"
#include "analysis/output/gltf.h"

#define WS_GLTF_RAYS_FEW 256

struct ws_gltf_lines {
    const struct ws_gltf_rays *rays;
    bool near;      /* a camera looks at them from near by */
    float scene[6]; /* box of what is drawn besides */
    float box[6];   /* receives the box of all rays drawn */
    uint64_t left_out;
};

/* False = no memory. */
bool ws_gltf_lines_draw(struct ws_gltf *gltf, struct ws_gltf_lines *lines);

#endif
