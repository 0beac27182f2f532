#include "analysis/scene/scene_line.h"

#include <math.h>

#include "analysis/scene/scene_transform.h"

#define BEHIND 0.1 /* of the diagonal */

double ws_scene_diagonal(const float bounds[6])
{
    double square = 0;
    for (int i = 0; i < 3; ++i) {
        const double side = (double)bounds[3 + i] - (double)bounds[i];
        square += side * side;
    }
    return bounds[0] <= bounds[3] && square > 0 && isfinite(square) ? sqrt(square) : 1;
}

bool ws_scene_cross(const float origin[3], const float direction[3], const float bounds[6], double *enter,
                    double *leave)
{
    *enter = 0;
    *leave = INFINITY;
    for (int i = 0; i < 3; ++i) {
        const double along = (double)direction[i];
        const double low = (double)bounds[i] - (double)origin[i];
        const double high = (double)bounds[3 + i] - (double)origin[i];
        if (along == 0) {
            if (low > 0 || high < 0)
                return false;
            continue;
        }
        *enter = fmax(*enter, fmin(low / along, high / along));
        *leave = fmin(*leave, fmax(low / along, high / along));
    }
    return *enter <= *leave && isfinite(*leave);
}

bool ws_scene_line(const float origin[3], const float direction[3], float end, bool hit, const float scene[6],
                   float ends[6])
{
    const double length = ws_vector_length(direction);
    double enter = 0;
    double leave = 0;
    if (!ws_scene_cross(origin, direction, scene, &enter, &leave))
        leave = 0;
    const double far = leave + BEHIND * ws_scene_diagonal(scene) / length;
    const double last = hit || (double)end < far ? (double)end : far;
    for (int i = 0; i < 3; ++i) {
        ends[i] = origin[i];
        ends[3 + i] = ws_to_float((double)origin[i] + last * (double)direction[i]);
    }
    return length > 0 && ws_all_finite(ends, 6);
}
