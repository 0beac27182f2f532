#include "analysis/export/gltf.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/geometry.h"
#include "analysis/export/gltf_camera.h"
#include "analysis/export/gltf_lines.h"
#include "analysis/export/gltf_sides.h"
#include "analysis/export/gltf_tops.h"
#include "analysis/output/gltf.h"
#include "analysis/scene/scene_state.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/model/catalog.h"
#include "warpscope/output/json.h"

/* How far the columns of a node's matrix may be from orthogonal: their dot product as a part of the longest
 * column, as the glTF validator measures it, and the cosine between them. */
#define SHEAR_MOST  1e-5
#define COSINE_MOST 1e-4

#define TINTS    6   /* of geometries, so that neighbours can be told apart */
#define LUX_KEY  2.2 /* of the light from the camera's side, */
#define LUX_FILL 0.8 /* and against it */

struct drawing {
    const struct ws_scene *scene;
    struct ws_gltf_export *export;
    struct ws_gltf gltf;
    uint32_t *meshes; /* of each content, + 1; 0 = not yet, WS_NONE = nothing to draw */
    struct ws_gltf_tops tops;
    struct ws_gltf_sides sides;
    uint32_t materials[WS_SIDE_COUNT + 1][TINTS]; /* WS_NONE = not yet; the last are of AABBs */
    float bounds[6];
    bool failed;
};

/* Positions and indices of one glTF primitive while it is built. */
struct surface {
    float *positions;
    uint32_t *indices;
    uint32_t position_count;
    uint32_t index_count;
};

static bool begin_surface(struct surface *surface, uint64_t positions, uint64_t indices)
{
    *surface = (struct surface){.positions = NULL};
    if (positions > UINT32_MAX || indices > UINT32_MAX)
        return false;
    surface->positions = malloc((size_t)positions * 12 + 1);
    surface->indices = malloc((size_t)indices * 4 + 1);
    return surface->positions != NULL && surface->indices != NULL;
}

/* `transform` NULL: there is none. */
static void add_position(struct surface *surface, const float *transform, const float position[3])
{
    float *at = surface->positions + 3 * (size_t)surface->position_count++;
    if (transform != NULL)
        ws_transform_point(transform, position, at);
    else
        memcpy(at, position, 12);
}

/* The material of a geometry that rays see so; WS_SIDE_COUNT: of AABBs. */
static uint32_t material_of(struct drawing *drawing, uint32_t side, uint32_t tint)
{
    static const float tints[TINTS][3] = {{0.75f, 0.75f, 0.72f}, {0.55f, 0.68f, 0.80f},
                                          {0.80f, 0.66f, 0.52f}, {0.60f, 0.75f, 0.58f},
                                          {0.76f, 0.60f, 0.70f}, {0.78f, 0.75f, 0.50f}};
    static const char *const sides[] = {"no hit", "one side", "one side", "both sides", "aabbs"};
    uint32_t *material = &drawing->materials[side][tint % TINTS];
    char name[64];
    if (*material != WS_NONE)
        return *material;
    snprintf(name, sizeof(name), "%s, tint %" PRIu32, sides[side], tint % TINTS);
    struct ws_gltf_material made = {.name = name, .one_sided = side == WS_SIDE_FRONT || side == WS_SIDE_BACK};
    memcpy(made.colour, tints[tint % TINTS], sizeof(tints[0]));
    made.colour[3] = side == WS_SIDE_NONE || side == WS_SIDE_COUNT ? 0.2f : 1;
    *material = ws_gltf_material(&drawing->gltf, &made);
    return *material;
}

/* The other side becomes the front. */
static void turn(struct surface *surface)
{
    for (uint32_t i = 0; i + 2 < surface->index_count; i += 3) {
        const uint32_t kept = surface->indices[i + 1];
        surface->indices[i + 1] = surface->indices[i + 2];
        surface->indices[i + 2] = kept;
    }
}

/* Adds the primitive to a mesh, if it has indices and all its positions are finite. */
static void end_surface(struct drawing *drawing, struct surface *surface, cJSON *primitives, uint32_t mode,
                        uint32_t material)
{
    struct ws_gltf *gltf = &drawing->gltf;
    if (surface->index_count > 0 && ws_all_finite(surface->positions, 3 * surface->position_count)) {
        const uint32_t positions = ws_gltf_positions(gltf, surface->positions, surface->position_count);
        const uint32_t indices = ws_gltf_indices(gltf, surface->indices, surface->index_count);
        ws_gltf_add_primitive(gltf, primitives, mode, positions, indices, material);
    } else if (mode == WS_GLTF_TRIANGLES) {
        drawing->export->left_out += surface->index_count / 3;
    }
    free(surface->positions);
    free(surface->indices);
}

/* Whether a transform turns space inside out. */
static bool is_mirrored(const float *t)
{
    return (double)t[0] * ((double)t[5] * (double)t[10] - (double)t[6] * (double)t[9]) -
               (double)t[1] * ((double)t[4] * (double)t[10] - (double)t[6] * (double)t[8]) +
               (double)t[2] * ((double)t[4] * (double)t[9] - (double)t[5] * (double)t[8]) <
           0;
}

static bool draw_triangles(struct drawing *drawing, uint32_t build, uint32_t geometry, const float *transform,
                           cJSON *primitives)
{
    const struct ws_scene_geometry *info = &drawing->scene->builds[build].geometries[geometry];
    const uint32_t count = drawing->scene->state->build_states[build].views[geometry].primitives;
    uint32_t *numbers = malloc(((size_t)info->vertex_count + 1) * sizeof(*numbers));
    struct surface surface;
    bool drawn = begin_surface(&surface, info->vertex_count, 3 * (uint64_t)count) && numbers != NULL;
    if (numbers != NULL)
        memset(numbers, 0xff, ((size_t)info->vertex_count + 1) * sizeof(*numbers));
    drawing->export->left_out += info->info.primitive_count - count;
    for (uint32_t i = 0; i < count && drawn; ++i) {
        float vertices[3][3];
        uint32_t indices[3];
        if (!ws_scene_triangle(drawing->scene, build, geometry, i, vertices) ||
            !ws_scene_triangle_indices(drawing->scene, build, geometry, i, indices)) {
            drawing->export->left_out++;
            continue;
        }
        for (int j = 0; j < 3; ++j) {
            if (numbers[indices[j]] == WS_NONE) {
                numbers[indices[j]] = surface.position_count;
                add_position(&surface, transform, vertices[j]);
            }
            surface.indices[surface.index_count++] = numbers[indices[j]];
        }
    }
    const uint32_t content = drawing->scene->builds[build].content;
    const enum ws_gltf_side side =
        drawing->sides.total > 0 ? ws_gltf_side_of(&drawing->sides, content, geometry) : WS_SIDE_BOTH;
    if ((side == WS_SIDE_BACK) != (transform != NULL && is_mirrored(transform)))
        turn(&surface);
    end_surface(drawing, &surface, primitives, WS_GLTF_TRIANGLES,
                material_of(drawing, side, content + geometry));
    free(numbers);
    return drawn;
}

/* Boxes, by their faces or by their edges. */
static bool draw_boxes(struct drawing *drawing, uint32_t build, uint32_t geometry, const float *transform,
                       cJSON *primitives, uint32_t mode)
{
    static const uint32_t edges[24] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3,
                                       4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};
    const uint32_t per_box = mode == WS_GLTF_LINES ? 24 : 36;
    const struct ws_scene_geometry *info = &drawing->scene->builds[build].geometries[geometry];
    const uint32_t count = drawing->scene->state->build_states[build].views[geometry].primitives;
    struct surface surface;
    const bool drawn = begin_surface(&surface, 8 * (uint64_t)count, per_box * (uint64_t)count);
    uint64_t left_out = info->info.primitive_count - count;
    for (uint32_t i = 0; i < count && drawn; ++i) {
        float bounds[6], corners[8][3];
        if (!ws_scene_aabb(drawing->scene, build, geometry, i, bounds)) {
            left_out++;
            continue;
        }
        ws_box_corners(bounds, corners);
        for (uint32_t j = 0; j < per_box; ++j)
            surface.indices[surface.index_count++] =
                surface.position_count + (mode == WS_GLTF_LINES ? edges[j] : ws_box_triangles[j / 3][j % 3]);
        for (int j = 0; j < 8; ++j)
            add_position(&surface, transform, corners[j]);
    }
    drawing->export->left_out += mode == WS_GLTF_TRIANGLES ? left_out : 0;
    end_surface(drawing, &surface, primitives, mode, material_of(drawing, WS_SIDE_COUNT, 3));
    return drawn;
}

/* The mesh of a bottom-level build; WS_NONE where there is nothing to draw. */
static uint32_t draw_mesh(struct drawing *drawing, uint32_t build, const float *transform)
{
    const struct ws_scene_build *self = &drawing->scene->builds[build];
    cJSON *primitives = ws_gltf_primitives(&drawing->gltf);
    char name[64];
    for (uint32_t i = 0; i < self->geometry_count && primitives != NULL; ++i) {
        bool drawn = true;
        if (self->geometries[i].info.type == WS_GEOMETRY_TRIANGLES)
            drawn = draw_triangles(drawing, build, i, transform, primitives);
        else if (self->geometries[i].info.type == WS_GEOMETRY_AABBS)
            drawn = draw_boxes(drawing, build, i, transform, primitives, WS_GLTF_TRIANGLES) &&
                    draw_boxes(drawing, build, i, transform, primitives, WS_GLTF_LINES);
        drawing->failed = drawing->failed || !drawn;
    }
    if (primitives == NULL || primitives->child == NULL) {
        cJSON_Delete(primitives);
        return WS_NONE;
    }
    snprintf(name, sizeof(name), "blas_%" PRIu32 "%s", self->content, transform != NULL ? "_placed" : "");
    return ws_gltf_mesh(&drawing->gltf, name, primitives);
}

/* The mesh that all instances of a content share. */
static uint32_t shared_mesh(struct drawing *drawing, uint32_t build)
{
    uint32_t *mesh = &drawing->meshes[drawing->scene->builds[build].content];
    if (*mesh == 0) {
        const uint32_t drawn = draw_mesh(drawing, build, NULL);
        *mesh = drawn != WS_NONE ? drawn + 1 : WS_NONE;
    }
    return *mesh != WS_NONE ? *mesh - 1 : WS_NONE;
}

/* Whether glTF allows it as a node's matrix: translation, rotation and a scale that is not 0. */
static bool is_allowed(const float transform[12])
{
    float inverse[12];
    double column[3][3], length[3], most = 0, shear = 0, cosine = 0;
    for (int i = 0; i < 9; ++i)
        column[i % 3][i / 3] = (double)transform[4 * (i / 3) + i % 3];
    for (int i = 0; i < 3; ++i) {
        const double *a = column[i];
        length[i] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        most = fmax(most, length[i]);
    }
    for (int i = 0; i < 3; ++i) {
        const double *a = column[i], *b = column[(i + 1) % 3];
        const double product = fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        shear = fmax(shear, product);
        cosine = fmax(cosine, product / (length[i] * length[(i + 1) % 3]));
    }
    return ws_transform_invert(transform, inverse) && shear <= SHEAR_MOST * most && cosine <= COSINE_MOST;
}

static bool is_identity(const float transform[12])
{
    for (int i = 0; i < 12; ++i)
        if (transform[i] != (i % 5 == 0 ? 1.0f : 0.0f))
            return false;
    return true;
}

/* Adds the node of an instance to `children`. */
static void draw_instance(struct drawing *drawing, uint32_t top_build, uint32_t index, cJSON *children)
{
    const struct ws_scene *scene = drawing->scene;
    struct ws_scene_instance instance;
    char name[96];
    if (!ws_scene_instance(scene, top_build, index, &instance) || instance.build == WS_NONE ||
        scene->builds[instance.build].top || !ws_all_finite(instance.transform, 12)) {
        drawing->export->left_out++;
        return;
    }
    const bool allowed = is_allowed(instance.transform);
    const uint32_t mesh = allowed ? shared_mesh(drawing, instance.build)
                                  : draw_mesh(drawing, instance.build, instance.transform);
    if (mesh == WS_NONE)
        return;
    snprintf(name, sizeof(name), "instance %" PRIu32 " of structure %" PRIu32 ", custom index %" PRIu32,
             index, scene->structures[instance.structure].id, instance.custom_index);
    const bool placed = allowed && !is_identity(instance.transform);
    const struct ws_gltf_node node = {.name = name,
                                      .content = WS_GLTF_MESH,
                                      .index = mesh,
                                      .transform = placed ? instance.transform : NULL};
    ws_json_append(children, ws_json_integer_item(ws_gltf_add_node(&drawing->gltf, &node)));
    drawing->export->instances++;
    drawing->export->baked += allowed ? 0 : 1;
}

static bool draw_top(struct drawing *drawing, uint32_t structure, uint32_t build)
{
    const struct ws_scene *scene = drawing->scene;
    const uint32_t count = ws_scene_instance_count(scene, build);
    cJSON *children = cJSON_CreateArray();
    char name[64];
    float bounds[6];
    if (children == NULL)
        return false;
    for (uint32_t i = 0; i < count && !drawing->failed; ++i)
        draw_instance(drawing, build, i, children);
    drawing->export->left_out += scene->builds[build].primitives - count;
    drawing->export->tops++;
    if (ws_scene_bounds(scene, build, bounds)) {
        ws_bounds_add_point(drawing->bounds, bounds);
        ws_bounds_add_point(drawing->bounds, bounds + 3);
    }
    if (children->child == NULL) {
        cJSON_Delete(children);
        return true;
    }
    snprintf(name, sizeof(name), "top-level structure %" PRIu32, scene->structures[structure].id);
    const struct ws_gltf_node node = {.name = name, .children = children};
    ws_gltf_add_root(&drawing->gltf, ws_gltf_add_node(&drawing->gltf, &node));
    return true;
}

/* `near`: what is nearer is not seen; 0 = it is, as far as depth goes. */
static void add_camera(struct drawing *drawing, const char *name, const struct ws_gltf_view *view,
                       double near)
{
    double reach = 0;
    for (int i = 0; i < 3; ++i) {
        const double place = (double)view->transform[4 * i + 3];
        const double low = (double)drawing->bounds[i], high = (double)drawing->bounds[3 + i];
        const double far = fmax(fabs(low - place), fabs(high - place));
        reach += isfinite(far) ? far * far : 0;
    }
    reach = reach > 0 && isfinite(reach) ? 1.5 * sqrt(reach) : 1000;
    const struct ws_gltf_camera camera = {.name = name,
                                          .orthographic = view->orthographic,
                                          .yfov = view->yfov,
                                          .aspect = view->aspect,
                                          .magnify_x = view->magnify_x,
                                          .magnify_y = view->magnify_y,
                                          .near = fmax(near, reach / 5000),
                                          .far = reach + 2 * near};
    const struct ws_gltf_node node = {.name = name,
                                      .content = WS_GLTF_CAMERA,
                                      .index = ws_gltf_camera(&drawing->gltf, &camera),
                                      .transform = view->transform};
    ws_gltf_add_root(&drawing->gltf, ws_gltf_add_node(&drawing->gltf, &node));
}

/* A light that shines along a direction. */
static void add_light(struct drawing *drawing, const char *name, const double direction[3], double lux)
{
    static const float unit[6] = {-1, -1, -1, 1, 1, 1};
    struct ws_gltf_view view;
    ws_gltf_view_look(unit, direction, &view);
    const struct ws_gltf_node node = {.name = name,
                                      .content = WS_GLTF_LIGHT,
                                      .index = ws_gltf_light(&drawing->gltf, name, lux),
                                      .transform = view.transform};
    ws_gltf_add_root(&drawing->gltf, ws_gltf_add_node(&drawing->gltf, &node));
}

/* Cameras and lights. `rays`: the box of the rays that are drawn. */
static void draw_views(struct drawing *drawing, const struct ws_gltf_rays *seen, const float rays[6])
{
    struct ws_gltf_export *export = drawing->export;
    struct ws_gltf_view view;
    double mean[3] = {0, 0, -1}, direction[3];
    const double light[3] = {0.3, -0.5, 0.2};
    double mark = 0; /* how far the mark at the beginning of a thick ray reaches */
    if (seen != NULL)
        ws_gltf_view_mean(seen, mean);
    if (export->near && rays[0] <= rays[3]) {
        for (int i = 0; i < 3; ++i)
            mark = fmax(mark, 0.05 * ((double)rays[3 + i] - (double)rays[i]));
        ws_gltf_view_turn(mean, 1.5, 0.5, direction);
        ws_gltf_view_look(rays, direction, &view);
        add_camera(drawing, "rays", &view, 0);
    }
    export->has_view = seen != NULL && ws_gltf_view_fit(seen, export->extent, &view);
    if (export->has_view)
        add_camera(drawing, "primary rays", &view, mark);
    if (drawing->bounds[0] <= drawing->bounds[3]) {
        ws_gltf_view_all(drawing->bounds, mean, &view);
        add_camera(drawing, "all", &view, 0);
    }
    for (int i = 0; i < 3; ++i)
        direction[i] = mean[i] + light[i];
    add_light(drawing, "light from the camera's side", direction, LUX_KEY);
    for (int i = 0; i < 3; ++i)
        direction[i] = light[i] - mean[i];
    add_light(drawing, "light against it", direction, LUX_FILL);
}

static bool draw(struct drawing *drawing, const struct ws_gltf_rays *rays)
{
    const struct ws_scene *scene = drawing->scene;
    const struct ws_gltf_rays *seen = drawing->export->seen != NULL ? drawing->export->seen : rays;
    struct ws_gltf_lines lines = {.rays = rays, .near = drawing->export->near};
    memset(drawing->materials, 0xff, sizeof(drawing->materials));
    ws_bounds_init(lines.box);
    if (!ws_gltf_tops_choose(&drawing->tops, scene, drawing->export->launch, seen, &drawing->sides))
        return false;
    drawing->export->live = drawing->tops.live;
    drawing->export->unplaced = drawing->tops.unplaced;
    for (uint32_t i = 0; i < scene->structure_count && !drawing->failed; ++i)
        if (drawing->tops.chosen[i] &&
            !draw_top(drawing, i, ws_scene_build_at(scene, i, drawing->export->launch)))
            return false;
    memcpy(lines.scene, drawing->bounds, sizeof(lines.scene));
    if (rays != NULL && !ws_gltf_lines_draw(&drawing->gltf, &lines))
        return false;
    drawing->export->left_out += lines.left_out;
    if (drawing->gltf.mesh_count > 0)
        draw_views(drawing, seen, lines.box);
    return !drawing->failed;
}

bool ws_export_gltf(const struct ws_scene *scene, const struct ws_gltf_rays *rays,
                    struct ws_gltf_export *export, struct ws_error *error)
{
    struct drawing drawing = {.scene = scene, .export = export};
    drawing.meshes = calloc((size_t)scene->content_count + 1, sizeof(*drawing.meshes));
    ws_gltf_begin(&drawing.gltf);
    ws_bounds_init(drawing.bounds);
    bool written = drawing.meshes != NULL && draw(&drawing, rays);
    if (!written)
        ws_error_set(error, "no memory to write '%s'", export->path);
    written = written && ws_gltf_write(&drawing.gltf, export->path, error);
    ws_gltf_finish(&drawing.gltf);
    ws_gltf_sides_finish(&drawing.sides);
    free(drawing.meshes);
    ws_gltf_tops_finish(&drawing.tops);
    return written;
}
