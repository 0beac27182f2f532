/* What rays show of a launch: a sample of its rays, from all of its threads, and its pixels. They tell its cameras
 * (gltf_camera.h), its top-level structures (gltf_tops.h) and the sides of geometry (gltf_sides.h). Not thread-safe. */
#ifndef WS_ANALYSIS_EXPORT_GLTF_SEEN_H
#define WS_ANALYSIS_EXPORT_GLTF_SEEN_H

#include "analysis/export/gltf_rays.h"

/* Zero-initialised it holds nothing. */
struct ws_gltf_seen {
    struct ws_gltf_rays rays;
    uint32_t extent[2]; /* its pixels: as many as it was traced for, or as its threads show */
    uint32_t threads;   /* with rays, so far */
    bool is_raygen;     /* it traces rays, for so many threads: */
    uint32_t size[2];
};

/* Begins with a launch, and forgets what was seen before. */
void ws_gltf_seen_begin(struct ws_gltf_seen *seen, const struct ws_catalog *catalog,
                        const struct ws_launch_record *launch);

/* Adds a thread that is at `place` (ws_ray_thread_place). False = no memory. */
bool ws_gltf_seen_add(struct ws_gltf_seen *seen, const struct ws_ray_thread *thread, const uint32_t place[3]);
void ws_gltf_seen_finish(struct ws_gltf_seen *seen);

#endif
