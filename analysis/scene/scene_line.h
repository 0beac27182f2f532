/* Where a ray is drawn in a scene: from its origin to its hit; without a hit as far as it is traced, but no farther than a
 * little behind the scene. Thread-safe. */
#ifndef WS_ANALYSIS_SCENE_SCENE_LINE_H
#define WS_ANALYSIS_SCENE_SCENE_LINE_H

#include <stdbool.h>

/* Length of the diagonal of a box; 1 where it has none. */
double ws_scene_diagonal(const float bounds[6]);

/* Sets both ends (x, y, z, x, y, z). `end` is in units of the direction. It is where the ray ends if `hit`; else the ray
 * ends a tenth of the diagonal behind the box `scene`, if `end` is not before that. False where the ends are not finite, or
 * the direction is zero. */
bool ws_scene_line(const float origin[3], const float direction[3], float end, bool hit, const float scene[6],
                   float ends[6]);

/* Where a ray enters and leaves a box, in units of its direction and not before its origin. False where it does not meet
 * it. */
bool ws_scene_cross(const float origin[3], const float direction[3], const float bounds[6], double *enter,
                    double *leave);

#endif
