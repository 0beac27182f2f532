/* Transforms and boxes in space. All is computed in double precision and rounded once. */
#ifndef WS_ANALYSIS_SCENE_SCENE_TRANSFORM_H
#define WS_ANALYSIS_SCENE_SCENE_TRANSFORM_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* world = transform * object, rows of 4; and back (false when it cannot be inverted). */
void ws_transform_point(const float transform[12], const float in[3], float out[3]);
void ws_transform_vector(const float transform[12], const float in[3], float out[3]);
bool ws_transform_invert(const float transform[12], float inverse[12]);

/* Infinite where a float cannot be so large. */
static inline float ws_to_float(double value)
{
    if (fabs(value) > (double)FLT_MAX)
        return value > 0 ? INFINITY : -INFINITY;
    return (float)value;
}

bool ws_all_finite(const float *values, uint32_t count);

/* The box of `bounds` moved by a transform; grows `into`. */
void ws_bounds_add_box(float into[6], const float transform[12], const float bounds[6]);
void ws_bounds_add_point(float into[6], const float point[3]);

/* A box that holds nothing yet. */
void ws_bounds_init(float bounds[6]);

double ws_vector_length(const float vector[3]);
double ws_vector_distance(const float a[3], const float b[3]);

#endif
