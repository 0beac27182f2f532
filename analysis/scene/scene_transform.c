#include "analysis/scene/scene_transform.h"

void ws_transform_vector(const float transform[12], const float in[3], float out[3])
{
    const double x = (double)in[0], y = (double)in[1], z = (double)in[2];
    for (int i = 0; i < 3; ++i) {
        const float *row = transform + 4 * i;
        out[i] = ws_to_float((double)row[0] * x + (double)row[1] * y + (double)row[2] * z);
    }
}

void ws_transform_point(const float transform[12], const float in[3], float out[3])
{
    const double x = (double)in[0], y = (double)in[1], z = (double)in[2];
    for (int i = 0; i < 3; ++i) {
        const float *row = transform + 4 * i;
        out[i] = ws_to_float((double)row[0] * x + (double)row[1] * y + (double)row[2] * z + (double)row[3]);
    }
}

bool ws_transform_invert(const float transform[12], float inverse[12])
{
    double m[3][3], cofactors[3][3], determinant = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m[i][j] = (double)transform[4 * i + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            cofactors[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    for (int j = 0; j < 3; ++j)
        determinant += m[0][j] * cofactors[0][j];
    if (determinant == 0 || !isfinite(determinant))
        return false;
    for (int i = 0; i < 3; ++i) {
        double moved = 0;
        for (int j = 0; j < 3; ++j) {
            const double value = cofactors[j][i] / determinant;
            inverse[4 * i + j] = ws_to_float(value);
            moved -= value * (double)transform[4 * j + 3];
        }
        inverse[4 * i + 3] = ws_to_float(moved);
    }
    return ws_all_finite(inverse, 12);
}

bool ws_all_finite(const float *values, uint32_t count)
{
    float sum = 0; /* 0 times what is not finite is no number, and a sum with one is none */
    for (uint32_t i = 0; i < count; ++i)
        sum += 0 * values[i];
    return sum == 0;
}

void ws_bounds_init(float bounds[6])
{
    for (int i = 0; i < 3; ++i) {
        bounds[i] = INFINITY;
        bounds[3 + i] = -INFINITY;
    }
}

void ws_bounds_add_point(float into[6], const float point[3])
{
    for (int i = 0; i < 3; ++i) {
        into[i] = fminf(into[i], point[i]);
        into[3 + i] = fmaxf(into[3 + i], point[i]);
    }
}

void ws_bounds_add_box(float into[6], const float transform[12], const float bounds[6])
{
    for (int corner = 0; corner < 8; ++corner) {
        float point[3], moved[3];
        for (int i = 0; i < 3; ++i)
            point[i] = bounds[(corner >> i & 1) != 0 ? 3 + i : i];
        ws_transform_point(transform, point, moved);
        ws_bounds_add_point(into, moved);
    }
}

double ws_vector_length(const float vector[3])
{
    return ws_vector_distance(vector, (const float[3]){0, 0, 0});
}

double ws_vector_distance(const float a[3], const float b[3])
{
    double square = 0;
    for (int i = 0; i < 3; ++i)
        square += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sqrt(square);
}
