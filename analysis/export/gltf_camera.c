#include "analysis/export/gltf_camera.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LENS_MOST   0.02 /* spread of origins, of the distance to what is hit */
#define NOISE_MOST  0.05 /* sine between directions and the camera's; of an orthographic picture's size */
#define PARALLEL    1e-3 /* distance between the ends of directions of length 1 */
#define SHIFT_LEAST 0.03 /* of the half picture: a smaller shift is noise */
#define ROUNDS      16

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    const double result[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                              a[0] * b[1] - a[1] * b[0]};
    memcpy(out, result, sizeof(result));
}

/* False where it has no length. */
static bool normalize(double vector[3])
{
    const double length = sqrt(dot(vector, vector));
    if (!(length > DBL_MIN) || !isfinite(length))
        return false;
    for (int i = 0; i < 3; ++i)
        vector[i] /= length;
    return true;
}

static bool is_primary(const struct ws_gltf_ray *ray)
{
    return ray->source.number == 0 && ray->parent == WS_NONE;
}

static bool direction_of(const struct ws_gltf_ray *ray, double direction[3])
{
    for (int i = 0; i < 3; ++i)
        direction[i] = (double)ray->direction[i];
    return normalize(direction);
}

/* The place of a ray's pixel, and 1. */
static void place_of(const struct ws_gltf_ray *ray, const uint32_t extent[2], double place[3])
{
    for (int i = 0; i < 2; ++i)
        place[i] = (2.0 * ray->source.place[i] + 1) / extent[i] - 1;
    place[2] = 1;
}

void ws_gltf_view_mean(const struct ws_gltf_rays *rays, double mean[3])
{
    memset(mean, 0, 3 * sizeof(*mean));
    for (uint32_t i = 0; i < rays->count; ++i) {
        double direction[3];
        if (is_primary(&rays->rays[i]) && direction_of(&rays->rays[i], direction))
            for (int j = 0; j < 3; ++j)
                mean[j] += direction[j];
    }
    if (!normalize(mean)) {
        mean[0] = mean[1] = 0;
        mean[2] = -1;
    }
}

/* What is common to primary rays. */
struct primaries {
    uint32_t count;
    double origin[3]; /* mean */
    double mean[3];   /* of directions */
    double spread;    /* of origins: the farthest from their mean */
    double turn;      /* of directions: the same */
    double reach;     /* mean distance to hits; 0 = nothing was hit */
    bool area;        /* pixels of more than one row and more than one column */
};

static void look_at(const struct ws_gltf_rays *rays, struct primaries *all)
{
    uint32_t low[2] = {UINT32_MAX, UINT32_MAX};
    uint32_t high[2] = {0, 0};
    uint32_t hits = 0;
    *all = (struct primaries){.count = 0};
    ws_gltf_view_mean(rays, all->mean);
    for (uint32_t i = 0; i < rays->count; ++i) {
        const struct ws_gltf_ray *ray = &rays->rays[i];
        if (!is_primary(ray))
            continue;
        double square = 0;
        for (int j = 0; j < 3; ++j) {
            all->origin[j] += (double)ray->origin[j];
            square += (double)ray->direction[j] * (double)ray->direction[j];
        }
        for (int j = 0; j < 2; ++j) {
            low[j] = ray->source.place[j] < low[j] ? ray->source.place[j] : low[j];
            high[j] = ray->source.place[j] > high[j] ? ray->source.place[j] : high[j];
        }
        if (ray->has_hit && isfinite(ray->hit.t)) {
            all->reach += (double)ray->hit.t * sqrt(square);
            hits++;
        }
        all->count++;
    }
    for (int j = 0; j < 3 && all->count > 0; ++j)
        all->origin[j] /= all->count;
    all->reach = hits > 0 ? all->reach / hits : 0;
    all->area = all->count > 0 && high[0] > low[0] && high[1] > low[1];
    for (uint32_t i = 0; i < rays->count; ++i) {
        double away[3], turned[3];
        if (!is_primary(&rays->rays[i]) || !direction_of(&rays->rays[i], turned))
            continue;
        for (int j = 0; j < 3; ++j) {
            away[j] = (double)rays->rays[i].origin[j] - all->origin[j];
            turned[j] -= all->mean[j];
        }
        all->spread = fmax(all->spread, sqrt(dot(away, away)));
        all->turn = fmax(all->turn, sqrt(dot(turned, turned)));
    }
}

/* Solves matrix * x = right, with pivots; both are spent. False where it has no solution. */
static bool solve(double *matrix, double *right, int size)
{
    for (int column = 0; column < size; ++column) {
        int pivot = column;
        for (int row = column + 1; row < size; ++row)
            if (fabs(matrix[row * size + column]) > fabs(matrix[pivot * size + column]))
                pivot = row;
        if (!(fabs(matrix[pivot * size + column]) > 0))
            return false;
        for (int i = 0; i < size; ++i) {
            const double kept = matrix[column * size + i];
            matrix[column * size + i] = matrix[pivot * size + i];
            matrix[pivot * size + i] = kept;
        }
        const double kept = right[column];
        right[column] = right[pivot];
        right[pivot] = kept;
        for (int row = column + 1; row < size; ++row) {
            const double factor = matrix[row * size + column] / matrix[column * size + column];
            for (int i = column; i < size; ++i)
                matrix[row * size + i] -= factor * matrix[column * size + i];
            right[row] -= factor * right[column];
        }
    }
    for (int row = size - 1; row >= 0; --row) {
        for (int i = row + 1; i < size; ++i)
            right[row] -= matrix[row * size + i] * right[i];
        right[row] /= matrix[row * size + row];
    }
    return isfinite(right[0]);
}

/* The direction at a place, by u, v and c one behind the other. */
static void map(const double numbers[9], const double place[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = numbers[i] * place[0] + numbers[3 + i] * place[1] + numbers[6 + i] * place[2];
}

/* The numbers with the least sum of squares of |direction x map(place)|: the eigenvector of the least eigenvalue, by
 * inverse iteration. False where they cannot be found. */
static bool fit_directions(const struct ws_gltf_rays *rays, const uint32_t extent[2], double numbers[9])
{
    double matrix[81] = {0};
    double trace = 0;
    for (uint32_t i = 0; i < rays->count; ++i) {
        double d[3], place[3];
        if (!is_primary(&rays->rays[i]) || !direction_of(&rays->rays[i], d))
            continue;
        place_of(&rays->rays[i], extent, place);
        const double rows[3][3] = {{0, -d[2], d[1]}, {d[2], 0, -d[0]}, {-d[1], d[0], 0}};
        for (int row = 0; row < 3; ++row)
            for (int a = 0; a < 9; ++a)
                for (int b = 0; b < 9; ++b)
                    matrix[9 * a + b] += rows[row][a % 3] * place[a / 3] * rows[row][b % 3] * place[b / 3];
    }
    for (int i = 0; i < 9; ++i)
        trace += matrix[10 * i];
    for (int i = 0; i < 9; ++i) {
        matrix[10 * i] += 1e-13 * trace;
        numbers[i] = 1.0 / (i + 2);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        double copy[81];
        double length = 0;
        memcpy(copy, matrix, sizeof(copy));
        if (!solve(copy, numbers, 9))
            return false;
        for (int i = 0; i < 9; ++i)
            length = fmax(length, fabs(numbers[i]));
        for (int i = 0; i < 9; ++i)
            numbers[i] /= length;
    }
    return true;
}

/* The largest part of the directions' squared sines that the numbers may leave; also gives them their sign. */
static bool explains_directions(const struct ws_gltf_rays *rays, const uint32_t extent[2], double numbers[9])
{
    double squares = 0, ahead = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rays->count; ++i) {
        double direction[3], place[3], mapped[3], away[3];
        if (!is_primary(&rays->rays[i]) || !direction_of(&rays->rays[i], direction))
            continue;
        place_of(&rays->rays[i], extent, place);
        map(numbers, place, mapped);
        if (!normalize(mapped))
            return false;
        cross(direction, mapped, away);
        squares += dot(away, away);
        ahead += dot(direction, mapped) > 0 ? 1 : -1;
        count++;
    }
    for (int i = 0; i < 9 && ahead < 0; ++i)
        numbers[i] = -numbers[i];
    return count > 0 && sqrt(squares / count) <= NOISE_MOST && fabs(ahead) > 0.98 * count;
}

/* Sets the camera's axes: it looks along `forward`, `right` is to the right. */
static void set_axes(struct ws_gltf_view *view, const double right[3], const double forward[3],
                     const double place[3])
{
    double up[3];
    cross(right, forward, up);
    for (int i = 0; i < 3; ++i) {
        view->transform[4 * i] = (float)right[i];
        view->transform[4 * i + 1] = (float)up[i];
        view->transform[4 * i + 2] = (float)-forward[i];
        view->transform[4 * i + 3] = (float)place[i];
    }
}

/* Half of the picture with its shift to one side. */
static double half_of(double half, double shift)
{
    return fabs(half) + (fabs(shift) > SHIFT_LEAST * fabs(half) ? fabs(shift) : 0);
}

static bool fit_perspective(const struct ws_gltf_rays *rays, const uint32_t extent[2],
                            const struct primaries *all, struct ws_gltf_view *view)
{
    double numbers[9], right[3], forward[3], up[3];
    const double *u = numbers, *v = numbers + 3, *c = numbers + 6;
    if (!fit_directions(rays, extent, numbers) || !explains_directions(rays, extent, numbers))
        return false;
    cross(u, v, forward);
    memcpy(right, u, sizeof(right));
    if (!normalize(forward) || !normalize(right))
        return false;
    /* Rows run down or up in the picture: forward is where the rays go. */
    const double ahead = dot(c, forward);
    for (int i = 0; i < 3 && ahead < 0; ++i)
        forward[i] = -forward[i];
    cross(right, forward, up);
    const double height = half_of(dot(v, up), dot(c, up)) / fabs(ahead);
    const double width = half_of(dot(u, right), dot(c, right)) / fabs(ahead);
    *view = (struct ws_gltf_view){.yfov = 2 * atan(height), .aspect = width / height};
    set_axes(view, right, forward, all->origin);
    return height > 1e-6 && width > 1e-6 && isfinite(view->aspect) && isfinite(view->yfov);
}

static bool fit_orthographic(const struct ws_gltf_rays *rays, const uint32_t extent[2],
                             const struct primaries *all, struct ws_gltf_view *view)
{
    double normal[9] = {0}, sums[3][3] = {{0}}, columns[3][3];
    double right[3], up[3], squares = 0;
    for (uint32_t i = 0; i < rays->count; ++i) {
        double place[3];
        if (!is_primary(&rays->rays[i]))
            continue;
        place_of(&rays->rays[i], extent, place);
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b)
                normal[3 * a + b] += place[a] * place[b];
            for (int axis = 0; axis < 3; ++axis)
                sums[axis][a] += place[a] * (double)rays->rays[i].origin[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        double copy[9];
        memcpy(copy, normal, sizeof(copy));
        if (!solve(copy, sums[axis], 3))
            return false;
        for (int i = 0; i < 3; ++i)
            columns[i][axis] = sums[axis][i];
    }
    for (uint32_t i = 0; i < rays->count; ++i) {
        double place[3];
        place_of(&rays->rays[i], extent, place);
        for (int axis = 0; axis < 3 && is_primary(&rays->rays[i]); ++axis) {
            const double fitted =
                columns[0][axis] * place[0] + columns[1][axis] * place[1] + columns[2][axis];
            squares +=
                (fitted - (double)rays->rays[i].origin[axis]) * (fitted - (double)rays->rays[i].origin[axis]);
        }
    }
    for (int i = 0; i < 3; ++i)
        right[i] = columns[0][i] - dot(columns[0], all->mean) * all->mean[i];
    if (!normalize(right))
        return false;
    cross(right, all->mean, up);
    *view = (struct ws_gltf_view){.orthographic = true,
                                  .magnify_x = fabs(dot(columns[0], right)),
                                  .magnify_y = fabs(dot(columns[1], up))};
    set_axes(view, right, all->mean, columns[2]);
    const double size = view->magnify_x + view->magnify_y;
    return view->magnify_x > 0 && view->magnify_y > 0 && sqrt(squares / all->count) <= NOISE_MOST * size;
}

bool ws_gltf_view_fit(const struct ws_gltf_rays *rays, const uint32_t extent[2], struct ws_gltf_view *view)
{
    struct primaries all;
    look_at(rays, &all);
    if (!all.area || all.count < 4 || extent[0] == 0 || extent[1] == 0)
        return false;
    double size = 0;
    for (int i = 0; i < 3; ++i)
        size = fmax(size, fabs(all.origin[i]));
    /* Where nothing is hit, only what rounding makes of one point is one. */
    const double lens = all.reach > 0 ? LENS_MOST * all.reach : 1e-5 * size;
    if (all.spread <= lens)
        return fit_perspective(rays, extent, &all, view);
    return all.turn <= PARALLEL && fit_orthographic(rays, extent, &all, view);
}

/* How far from the middle of a box one must stand to see all its corners, with a little around. Windows are at least as
 * wide as they are high. */
static double distance_to(const float bounds[6], const double right[3], const double up[3],
                          const double forward[3], double slope)
{
    double distance = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double away[3];
        for (int i = 0; i < 3; ++i)
            away[i] = ((corner >> i & 1) != 0 ? 0.5 : -0.5) * ((double)bounds[3 + i] - (double)bounds[i]);
        const double aside = fmax(fabs(dot(away, right)), fabs(dot(away, up)));
        distance = fmax(distance, 1.05 * aside / slope - dot(away, forward));
    }
    return distance > 0 && isfinite(distance) ? distance : 1;
}

void ws_gltf_view_look(const float bounds[6], const double direction[3], struct ws_gltf_view *view)
{
    double forward[3], right[3], place[3];
    double up[3] = {0, 1, 0};
    memcpy(forward, direction, sizeof(forward));
    if (!normalize(forward))
        forward[2] = -1;
    if (fabs(forward[1]) > 0.99) {
        up[1] = 0;
        up[2] = 1;
    }
    cross(forward, up, right);
    normalize(right);
    cross(right, forward, up);
    *view = (struct ws_gltf_view){.yfov = 0.7, .aspect = 1.5};
    const double distance = distance_to(bounds, right, up, forward, tan(view->yfov / 2));
    for (int i = 0; i < 3; ++i) {
        const double middle = ((double)bounds[i] + (double)bounds[3 + i]) / 2;
        place[i] = (isfinite(middle) ? middle : 0) - forward[i] * distance;
    }
    set_axes(view, right, forward, place);
}

void ws_gltf_view_turn(const double mean[3], double aside, double down, double direction[3])
{
    const double sideways[3] = {-mean[2], 0, mean[0]};
    for (int i = 0; i < 3; ++i)
        direction[i] = mean[i] + aside * sideways[i] - (i == 1 ? down : 0);
}

void ws_gltf_view_all(const float bounds[6], const double mean[3], struct ws_gltf_view *view)
{
    double direction[3];
    ws_gltf_view_turn(mean, 0.4, 0.4, direction);
    ws_gltf_view_look(bounds, direction, view);
}
