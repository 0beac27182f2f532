/* The rays of the launches that were asked for (ray_store.h), read from the capture when a launch is first asked for. The
 * launches asked for last are kept, as long as their files together are within WS_RAY_LOAD_FILES bytes. */
#ifndef WS_ANALYSIS_VIEWER_RAYS_RAY_LOAD_H
#define WS_ANALYSIS_VIEWER_RAYS_RAY_LOAD_H

#include "analysis/viewer/rays/ray_store.h"
#include "analysis/viewer/viewer.h"

#define WS_RAY_LOAD_FILES (UINT64_C(4) << 30)

/* The rays of a launch, those that the view chooses; it may have none. Valid until the next call. NULL and `error` where the
 * capture has no records of rays, or cannot be read, or there is no room. */
const struct ws_ray_store *ws_viewer_rays(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                                          const struct ws_launch_record *launch, struct ws_error *error);

#endif
