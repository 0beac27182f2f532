#include "analysis/export/gltf_seen.h"

#include <string.h>

#define SEEN_MOST 16384 /* rays */

void ws_gltf_seen_begin(struct ws_gltf_seen *seen, const struct ws_catalog *catalog,
                        const struct ws_launch_record *launch)
{
    ws_gltf_seen_finish(seen);
    seen->rays.most = SEEN_MOST;
    seen->rays.device = catalog->devices[launch->device].id;
    seen->is_raygen = launch->kind == WS_LAUNCH_TRACE_RAYS;
    memcpy(seen->size, launch->size, sizeof(seen->size));
}

bool ws_gltf_seen_add(struct ws_gltf_seen *seen, const struct ws_ray_thread *thread, const uint32_t place[3])
{
    for (int i = 0; i < 2; ++i) {
        seen->extent[i] = seen->extent[i] > place[i] ? seen->extent[i] : place[i] + 1;
        if (seen->is_raygen && seen->extent[i] < seen->size[i])
            seen->extent[i] = seen->size[i];
    }
    return ws_gltf_rays_add_thread(&seen->rays, seen->threads++, thread, place);
}

void ws_gltf_seen_finish(struct ws_gltf_seen *seen)
{
    ws_gltf_rays_finish(&seen->rays);
    memset(seen, 0, sizeof(*seen));
}
