/* What `warpscope export` does with geometry: analyses that read a capture once, and write files at the
 * end. */
#ifndef WS_ANALYSIS_EXPORT_SCENE_H
#define WS_ANALYSIS_EXPORT_SCENE_H

#include "analysis/export/geometry.h"
#include "analysis/export/gltf.h"
#include "warpscope/report/analysis.h"

/* What to write, and behind the export what was written: `user` of the options. */
struct ws_scene_export {
    struct ws_geometry_export geometry; /* folder NULL = not wanted */
    struct ws_gltf_export gltf;         /* path NULL = not wanted */
    struct ws_gltf_rays rays;           /* the caller sets `most`, and frees them by ws_gltf_rays_finish */
    bool has_launch;                    /* a launch was chosen, or found */
};

/* Of --launch; without it, of the last launch. */
extern const struct ws_analysis ws_analysis_geometry_export;

/* Of --launch; without it, of the first launch with rays, else of the last launch. With --thread only the rays of that
 * thread are drawn. */
extern const struct ws_analysis ws_analysis_gltf_export;

#endif
