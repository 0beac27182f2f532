#include "analysis/export/gltf_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_line.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/output/json.h"

#define DEPTHS      4     /* that have a material of their own; the last has all beyond */
#define THICKNESS   0.001 /* of the box of the rays: radius of prisms, */
#define NEAR        3     /* and so many times that from near by */
#define MARK        2.5   /* radius of octahedra, in that of prisms */
#define PRISM_SIDES 4

static const char *const names[WS_LINE_COUNT] = {"rays_hit", "rays_miss", "rays_shadow", "rays_unknown"};
static const char *const kinds[WS_LINE_COUNT] = {"hit", "miss", "shadow", "unknown"};

static uint32_t class_of(const struct ws_gltf_ray *ray)
{
    return ray->kind * DEPTHS + (ray->depth < DEPTHS ? ray->depth : DEPTHS - 1);
}

static void class_name(uint32_t class, char *name, size_t size)
{
    const uint32_t depth = class % DEPTHS;
    snprintf(name, size, "%s depth %" PRIu32 "%s", names[class / DEPTHS], depth,
             depth + 1 == DEPTHS ? "+" : "");
}

/* The material of a kind and depth. The more rays there are, the more shines through them. */
static uint32_t make_material(struct ws_gltf *gltf, uint32_t class, uint32_t rays)
{
    static const float colours[WS_LINE_COUNT][3] = {
        {0.9f, 0.33f, 0}, {0, 0.35f, 0.85f}, {0.55f, 0.05f, 0.65f}, {0.3f, 0.3f, 0.3f}};
    const float pale = 0.18f * (float)(class % DEPTHS);
    const float opacity = rays > WS_GLTF_RAYS_FEW ? (float)fmin(0.8, 16 / sqrt(rays)) : 1;
    struct ws_gltf_material material = {.colour = {0, 0, 0, opacity}, .unlit = true};
    char name[64];
    class_name(class, name, sizeof(name));
    material.name = name;
    for (int i = 0; i < 3; ++i)
        material.colour[i] = colours[class / DEPTHS][i] + pale * (1 - colours[class / DEPTHS][i]);
    return ws_gltf_material(gltf, &material);
}

/* Sets both ends of a ray. False where they are not finite. */
static bool place(const struct ws_gltf_ray *ray, const float scene[6], float ends[6])
{
    return ws_scene_line(ray->origin, ray->direction, ray->end, ray->kind == WS_LINE_HIT, scene, ends);
}

/* Many rays. */

static bool draw_class(struct ws_gltf *gltf, struct ws_gltf_lines *lines, uint32_t class)
{
    const struct ws_gltf_rays *rays = lines->rays;
    float *positions = malloc(3 * (size_t)rays->count * 24 + 1);
    uint32_t count = 0;
    char name[64];
    if (positions == NULL)
        return false;
    float *threads = positions + 6 * (size_t)rays->count;
    float *numbers = threads + 6 * (size_t)rays->count;
    for (uint32_t i = 0; i < rays->count; ++i) {
        const struct ws_gltf_ray *ray = &rays->rays[i];
        if (class_of(ray) != class || !place(ray, lines->scene, positions + 6 * (size_t)count))
            continue;
        for (uint32_t j = 0; j < 6; ++j) {
            const float said[3] = {(float)ray->source.number, (float)ray->depth,
                                   isfinite(ray->end) ? ray->end : -1};
            threads[6 * (size_t)count + j] = (float)ray->source.place[j % 3];
            numbers[6 * (size_t)count + j] = said[j % 3];
        }
        count++;
    }
    cJSON *primitives = count > 0 ? ws_gltf_primitives(gltf) : NULL;
    if (primitives != NULL) {
        class_name(class, name, sizeof(name));
        const uint32_t at = ws_gltf_positions(gltf, positions, 2 * count);
        cJSON *attributes = ws_gltf_add_primitive(gltf, primitives, WS_GLTF_LINES, at, WS_NONE,
                                                  make_material(gltf, class, rays->count));
        ws_gltf_attribute(attributes, "_THREAD", ws_gltf_numbers(gltf, threads, 2 * count));
        ws_gltf_attribute(attributes, "_RAY", ws_gltf_numbers(gltf, numbers, 2 * count));
        const struct ws_gltf_node node = {
            .name = name, .content = WS_GLTF_MESH, .index = ws_gltf_mesh(gltf, name, primitives)};
        ws_gltf_add_root(gltf, ws_gltf_add_node(gltf, &node));
    }
    free(positions);
    return true;
}

/* Few rays. */

/* Two directions that stand on the ray and on one another. */
static void make_sides(const float ends[6], double sides[2][3])
{
    double along[3], length = 0;
    for (int i = 0; i < 3; ++i) {
        along[i] = (double)ends[3 + i] - (double)ends[i];
        length += along[i] * along[i];
    }
    length = length > 0 ? sqrt(length) : 1;
    for (int i = 0; i < 3; ++i)
        along[i] /= length;
    const int least = fabs(along[0]) <= fabs(along[1]) && fabs(along[0]) <= fabs(along[2]) ? 0
                      : fabs(along[1]) <= fabs(along[2])                                   ? 1
                                                                                           : 2;
    double other[3] = {0, 0, 0};
    other[least] = 1;
    for (int side = 0; side < 2; ++side) {
        const double *by = side == 0 ? other : sides[0];
        double square = 0;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            sides[side][i] = along[j] * by[k] - along[k] * by[j];
            square += sides[side][i] * sides[side][i];
        }
        for (int i = 0; i < 3; ++i)
            sides[side][i] /= square > 0 ? sqrt(square) : 1;
    }
}

/* A prism around a ray: its corners turn around both ends. */
static void add_prism(struct ws_gltf *gltf, cJSON *primitives, const float ends[6], double radius,
                      uint32_t material)
{
    float corners[2 * PRISM_SIDES][3];
    uint32_t indices[6 * PRISM_SIDES];
    double sides[2][3];
    make_sides(ends, sides);
    for (uint32_t i = 0; i < 2 * PRISM_SIDES; ++i) {
        const double angle = 2 * M_PI * (i / 2) / PRISM_SIDES;
        for (int j = 0; j < 3; ++j)
            corners[i][j] = ws_to_float((double)ends[3 * (i % 2) + (uint32_t)j] +
                                        radius * (cos(angle) * sides[0][j] + sin(angle) * sides[1][j]));
    }
    for (uint32_t i = 0; i < PRISM_SIDES; ++i) {
        const uint32_t next = 2 * ((i + 1) % PRISM_SIDES);
        const uint32_t turn[6] = {2 * i, next, 2 * i + 1, next, next + 1, 2 * i + 1};
        memcpy(indices + (size_t)6 * i, turn, sizeof(turn));
    }
    if (!ws_all_finite(corners[0], 6 * PRISM_SIDES))
        return;
    const uint32_t positions = ws_gltf_positions(gltf, corners[0], 2 * PRISM_SIDES);
    ws_gltf_add_primitive(gltf, primitives, WS_GLTF_TRIANGLES, positions,
                          ws_gltf_indices(gltf, indices, 6 * PRISM_SIDES), material);
}

/* An octahedron around a place. */
static void add_mark(struct ws_gltf *gltf, cJSON *primitives, const float at[3], double radius,
                     uint32_t material)
{
    static const uint32_t indices[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                         2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    float corners[6][3];
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 3; ++j)
            corners[i][j] = ws_to_float((double)at[j] + (i / 2 == j ? i % 2 == 0 ? radius : -radius : 0));
    if (!ws_all_finite(corners[0], 18))
        return;
    const uint32_t positions = ws_gltf_positions(gltf, corners[0], 6);
    ws_gltf_add_primitive(gltf, primitives, WS_GLTF_TRIANGLES, positions, ws_gltf_indices(gltf, indices, 24),
                          material);
}

static void add_floats(cJSON *object, const char *name, const float *floats)
{
    cJSON *list = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < 3; ++i)
        ws_json_append(list, cJSON_CreateNumber((double)floats[i]));
}

/* All that is known of a ray. */
static cJSON *describe(const struct ws_gltf_ray *ray)
{
    cJSON *extras = cJSON_CreateObject();
    cJSON *thread = cJSON_AddArrayToObject(extras, "thread");
    for (int i = 0; i < 3; ++i)
        ws_json_append(thread, ws_json_integer_item(ray->source.place[i]));
    ws_json_integer(extras, "ray", ray->source.number);
    if (ray->parent != WS_NONE)
        ws_json_integer(extras, "parent", ray->parent);
    ws_json_integer(extras, "depth", ray->depth);
    cJSON_AddStringToObject(extras, "kind", kinds[ray->kind]);
    add_floats(extras, "origin", ray->origin);
    add_floats(extras, "direction", ray->direction);
    if (ray->has_hit) {
        cJSON_AddNumberToObject(extras, "t", (double)ray->hit.t);
        ws_json_integer(extras, "instance", ray->hit.instance);
        ws_json_integer(extras, "custom_index", ray->hit.custom_index);
        ws_json_integer(extras, "geometry", ray->hit.geometry);
        ws_json_integer(extras, "primitive", ray->hit.primitive);
    }
    return extras;
}

/* A camera stands where primary rays begin: they are thick only where it is not that one that shows them. */
static void draw_ray(struct ws_gltf *gltf, const struct ws_gltf_ray *ray, const float ends[6], double radius,
                     bool near, uint32_t *materials)
{
    const uint32_t class = class_of(ray);
    const bool primary = ray->source.number == 0;
    cJSON *primitives = ws_gltf_primitives(gltf);
    char name[128];
    if (primitives == NULL)
        return;
    if (materials[class] == WS_NONE)
        materials[class] = make_material(gltf, class, 0);
    const uint32_t line = ws_gltf_positions(gltf, ends, 2);
    ws_gltf_add_primitive(gltf, primitives, WS_GLTF_LINES, line, WS_NONE, materials[class]);
    if (near || !primary)
        add_prism(gltf, primitives, ends, radius, materials[class]);
    if (ray->has_hit)
        add_mark(gltf, primitives, ends + 3, MARK * radius, materials[class]);
    if (near && primary)
        add_mark(gltf, primitives, ends, 1.5 * MARK * radius, materials[class]);
    snprintf(name, sizeof(name),
             "ray %" PRIu32 " of thread %" PRIu32 ",%" PRIu32 ",%" PRIu32 ": %s, depth %" PRIu32,
             ray->source.number, ray->source.place[0], ray->source.place[1], ray->source.place[2],
             kinds[ray->kind], ray->depth);
    const struct ws_gltf_node node = {.name = name,
                                      .content = WS_GLTF_MESH,
                                      .index = ws_gltf_mesh(gltf, name, primitives),
                                      .extras = describe(ray)};
    ws_gltf_add_root(gltf, ws_gltf_add_node(gltf, &node));
}

static void draw_few(struct ws_gltf *gltf, const struct ws_gltf_lines *lines)
{
    const double radius = (lines->near ? NEAR : 1) * THICKNESS * ws_scene_diagonal(lines->box);
    uint32_t materials[WS_LINE_COUNT * DEPTHS];
    memset(materials, 0xff, sizeof(materials));
    for (uint32_t i = 0; i < lines->rays->count; ++i) {
        float ends[6];
        if (place(&lines->rays->rays[i], lines->scene, ends))
            draw_ray(gltf, &lines->rays->rays[i], ends, radius, lines->near, materials);
    }
}

bool ws_gltf_lines_draw(struct ws_gltf *gltf, struct ws_gltf_lines *lines)
{
    const struct ws_gltf_rays *rays = lines->rays;
    bool drawn = true;
    ws_bounds_init(lines->box);
    for (uint32_t i = 0; i < rays->count; ++i) {
        float ends[6];
        if (place(&rays->rays[i], lines->scene, ends)) {
            ws_bounds_add_point(lines->box, ends);
            ws_bounds_add_point(lines->box, ends + 3);
        } else {
            lines->left_out++;
        }
    }
    if (rays->count <= WS_GLTF_RAYS_FEW)
        draw_few(gltf, lines);
    for (uint32_t i = 0; i < WS_LINE_COUNT * DEPTHS && rays->count > WS_GLTF_RAYS_FEW && drawn; ++i)
        drawn = draw_class(gltf, lines, i);
    return drawn;
}
