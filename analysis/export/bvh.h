/* The model BVH (analysis/scene/bvh) as glTF 2.0, coloured by how often what rays visit is in the L1 of a device.
 *
 * Of each instance three nodes: "instance N triangles", "... boxes" (AABBs, by their edges) and "... nodes" (boxes of the
 * nodes of its tree, by their edges), and one "top level" with those of its nodes and instances. All is in the world.
 * Triangles, AABBs and boxes have a COLOUR from L1 hit rate 0 (dark blue) through 0.5 (magenta) to 1 (yellow); what no ray
 * visited is grey, and of nodes it is left out. Each vertex has the attribute _RATES: L1 hit rate, L2 hit rate and visits of
 * what it is of; a rate is -1 where nothing was asked for. Figures are those of `report bvh_model --by element`: the same
 * content in several instances has one colour, of all of them.
 *
 * All top-level structures that rays flew through are drawn, each as it was built last; from the second on, nodes are named
 * "top level 1 ...".
 *
 * ACCESSES: the same triangles and AABBs by what the program's own shaders read of them (analysis/scene/bvh/hit_rates.h), of
 * all instances of the top levels that there are in a launch. Then the last number of _RATES is requests. */
#ifndef WS_ANALYSIS_EXPORT_BVH_H
#define WS_ANALYSIS_EXPORT_BVH_H

#include "analysis/scene/scene.h"
#include "warpscope/report/analysis.h"

/* What to write, and behind the export what was written: `user` of the options. */
struct ws_bvh_export {
    const char *path;   /* NULL = not wanted */
    uint64_t triangles; /* drawn, in all instances */
    uint64_t boxes;
    uint64_t nodes;
    uint64_t instances;
    uint64_t visited; /* elements that rays visited; drawn ones that shaders read */
    uint32_t others;  /* earlier builds of the same top levels, which are not drawn; of accesses 0 */
};

/* Writes what accesses come to; `results` are of ws_analysis_face_accesses. False and `error` where nothing can be drawn. */
bool ws_access_rates_write(struct ws_bvh_export *export, const struct ws_catalog *catalog,
                           const struct ws_scene *scene, const void *results, uint64_t launch,
                           struct ws_error *error);

extern const struct ws_analysis ws_analysis_bvh_export;

#endif
