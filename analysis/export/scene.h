/* What `warpscope export` does with geometry: kinds of their own that read a capture once and then write. */
#ifndef WS_ANALYSIS_EXPORT_SCENE_H
#define WS_ANALYSIS_EXPORT_SCENE_H

#include "analysis/export/geometry.h"
#include "analysis/export/gltf.h"
#include "analysis/report/analysis.h"

/* What is to be written, and what became of it: the `user` of the kinds' options. */
struct ws_scene_export {
    struct ws_geometry_export geometry; /* folder NULL = not wanted */
    struct ws_gltf_export gltf;         /* path NULL = not wanted */
    struct ws_gltf_rays rays;           /* `most` is set; ws_gltf_rays_finish frees them */
    bool has_launch;                    /* which was chosen, or found */
};

/* Without --launch: the last one. */
extern const struct ws_analysis ws_analysis_geometry_export;

/* Without --launch: the first with rays, else the last. */
extern const struct ws_analysis ws_analysis_gltf_export;

#endif
