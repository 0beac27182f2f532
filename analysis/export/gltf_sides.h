/* From which side rays see the triangles of each geometry, in its own space: so walls can be drawn that do not hide what
 * is behind them from the outside.
 *
 * Each known hit of a triangle counts once, at the front where the corners turn counter-clockwise as seen against the
 * ray (glTF's front), else at the back. A geometry is seen from one side if at most a twentieth of its hits are on the
 * other. Not thread-safe. */
#ifndef WS_ANALYSIS_EXPORT_GLTF_SIDES_H
#define WS_ANALYSIS_EXPORT_GLTF_SIDES_H

#include "analysis/export/gltf_rays.h"
#include "analysis/scene/scene.h"
#include "warpscope/base/id_map.h"

enum ws_gltf_side {
    WS_SIDE_NONE, /* no hit */
    WS_SIDE_FRONT,
    WS_SIDE_BACK,
    WS_SIDE_BOTH,
    WS_SIDE_COUNT,
};

struct ws_gltf_sides {
    struct ws_id_map of; /* content and geometry -> index */
    struct ws_gltf_side_hits {
        uint64_t front;
        uint64_t back;
    } * hits;
    uint32_t count;
    uint32_t capacity;
    uint64_t total; /* hits of triangles; 0: nothing is known of any side */
};

/* Adds a hit in a top-level build. Hits of other things than known triangles are passed over. False = no memory. */
bool ws_gltf_sides_add(struct ws_gltf_sides *sides, const struct ws_scene *scene, uint32_t top_build,
                       const struct ws_gltf_ray *ray);
void ws_gltf_sides_finish(struct ws_gltf_sides *sides);

/* Of a geometry of a bottom-level content. */
enum ws_gltf_side ws_gltf_side_of(const struct ws_gltf_sides *sides, uint32_t content, uint32_t geometry);

#endif
