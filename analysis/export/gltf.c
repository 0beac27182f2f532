#include "analysis/export/gltf.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/geometry.h"
#include "analysis/model/catalog.h"
#include "analysis/output/gltf.h"
#include "analysis/output/json.h"
#include "analysis/scene/scene_match.h"
#include "analysis/scene/scene_state.h"
#include "analysis/scene/scene_transform.h"
#include "passes/base/array.h"

/* Mixes the bits of a thread's number. Each thread gets another chance, for every step can be undone. */
static uint32_t chance_of(uint32_t thread)
{
    uint32_t chance = thread;
    chance = (chance ^ chance >> 16) * 0x7feb352du;
    chance = (chance ^ chance >> 15) * 0x846ca68bu;
    return chance ^ chance >> 16;
}

/* Drops the threads of least chance, a sixteenth of the remaining range at a time, until there are no more
 * rays than wanted. Of a single thread it drops the last rays. */
static void thin(struct ws_gltf_rays *rays)
{
    while (rays->count > rays->most) {
        const uint32_t seen = rays->count;
        uint32_t best = 0;
        for (uint32_t i = 0; i < seen; ++i)
            best = rays->lines[i].chance > best ? rays->lines[i].chance : best;
        if (rays->least_chance == best) {
            rays->count = rays->most;
        } else {
            const uint32_t raised = rays->least_chance + (UINT32_MAX - rays->least_chance) / 16 + 1;
            rays->least_chance = raised < best ? raised : best;
            rays->count = 0;
            for (uint32_t i = 0; i < seen; ++i)
                if (rays->lines[i].chance >= rays->least_chance)
                    rays->lines[rays->count++] = rays->lines[i];
        }
        rays->beyond += seen - rays->count;
    }
}

bool ws_gltf_rays_add(struct ws_gltf_rays *rays, uint32_t thread, const struct ws_ray *ray)
{
    struct ws_gltf_line_ray line = {.end = ray->has_hit ? ray->hit.t : ray->tmax,
                                    .chance = chance_of(thread),
                                    .shader = ray->shader,
                                    .site = ray->site,
                                    .has_hit = ray->has_hit,
                                    .hit = ray->hit};
    for (int i = 0; i < 3; ++i) {
        line.origin[i] = ray->origin[i];
        line.direction[i] = ray->direction[i];
    }
    if ((ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0)
        line.kind = WS_LINE_SHADOW;
    else
        line.kind = ray->end == WS_RAY_HIT      ? WS_LINE_HIT
                    : ray->end == WS_RAY_MISSED ? WS_LINE_MISS
                                                : WS_LINE_UNKNOWN;
    if (!ws_all_finite(line.origin, 3) || !ws_all_finite(line.direction, 3) || isnan(line.end)) {
        rays->left_out++;
        return true;
    }
    if (line.chance < rays->least_chance ||
        (line.chance == rays->least_chance && rays->count >= rays->most)) {
        rays->beyond++;
        return true;
    }
    struct ws_gltf_line_ray *lines =
        ws_array_grow(rays->lines, &rays->capacity, rays->count + 1, sizeof(*lines));
    if (lines == NULL)
        return false;
    rays->lines = lines;
    lines[rays->count++] = line;
    thin(rays);
    return true;
}

void ws_gltf_rays_finish(struct ws_gltf_rays *rays)
{
    free(rays->lines);
    memset(rays, 0, sizeof(*rays));
}

static struct ws_ray ray_of(const struct ws_gltf_line_ray *line)
{
    struct ws_ray ray = {
        .shader = line->shader, .site = line->site, .has_hit = line->has_hit, .hit = line->hit};
    memcpy(ray.origin, line->origin, sizeof(ray.origin));
    memcpy(ray.direction, line->direction, sizeof(ray.direction));
    return ray;
}

/* Chooses the structures in which the hits of the rays are true. False = no memory. */
static bool choose_matched(const struct ws_scene *scene, const struct ws_gltf_rays *rays,
                           struct ws_gltf_export *export, bool *chosen)
{
    struct ws_scene_matcher *matcher = ws_scene_matcher_create(scene, rays->device, export->launch);
    bool matched = matcher != NULL;
    for (uint32_t i = 0; i < rays->count && matched; ++i) {
        const struct ws_ray ray = ray_of(&rays->lines[i]);
        matched = ws_scene_matcher_add(matcher, &ray);
    }
    for (uint32_t i = 0; i < rays->count && matched; ++i) {
        struct ws_scene_match match;
        if (ws_scene_matcher_find(matcher, rays->lines[i].shader, rays->lines[i].site, &match) &&
            match.structure != WS_NONE && !match.ambiguous)
            chosen[match.structure] = true;
        else
            export->unplaced++;
    }
    ws_scene_matcher_destroy(matcher);
    return matched;
}

/* Chooses the top-level structures to draw, and sets `live` and `unplaced`. False = no memory. */
static bool choose_tops(const struct ws_scene *scene, const struct ws_gltf_rays *rays,
                        struct ws_gltf_export *export, bool *chosen)
{
    bool *seen = calloc((size_t)scene->content_count + 1, sizeof(*seen));
    if (seen == NULL || (rays != NULL && rays->count > 0 && !choose_matched(scene, rays, export, chosen))) {
        free(seen);
        return false;
    }
    bool any = false;
    for (uint32_t i = 0; i < scene->structure_count; ++i)
        any = any || chosen[i];
    for (uint32_t i = 0; i < scene->structure_count; ++i) {
        const uint32_t build = ws_scene_build_at(scene, i, export->launch);
        if (build == WS_NONE || !scene->builds[build].top || seen[scene->builds[build].content])
            continue;
        seen[scene->builds[build].content] = true;
        export->live++;
        chosen[i] = chosen[i] || !any;
    }
    free(seen);
    return true;
}

/* How far the columns of a node's matrix may be from orthogonal: their dot product as a part of the longest
 * column, as the glTF validator measures it, and the cosine between them. */
#define SHEAR_MOST  1e-5
#define COSINE_MOST 1e-4

enum material { MATERIAL_TRIANGLES = WS_LINE_COUNT, MATERIAL_AABBS, MATERIAL_COUNT };

struct drawing {
    const struct ws_scene *scene;
    struct ws_gltf_export *export;
    struct ws_gltf gltf;
    uint32_t *meshes; /* of each content, + 1; 0 = not yet, WS_NONE = nothing to draw */
    bool *chosen;     /* of each structure: whether it is a top level to be drawn */
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

/* Adds the primitive to a mesh, if it has triangles and all its positions are finite. */
static void end_surface(struct drawing *drawing, struct surface *surface, cJSON *primitives,
                        uint32_t material)
{
    struct ws_gltf *gltf = &drawing->gltf;
    if (surface->index_count > 0 && ws_all_finite(surface->positions, 3 * surface->position_count)) {
        const uint32_t positions = ws_gltf_positions(gltf, surface->positions, surface->position_count);
        const uint32_t indices = ws_gltf_indices(gltf, surface->indices, surface->index_count);
        ws_gltf_add_primitive(gltf, primitives, WS_GLTF_TRIANGLES, positions, indices, material);
    } else {
        drawing->export->left_out += surface->index_count / 3;
    }
    free(surface->positions);
    free(surface->indices);
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
    end_surface(drawing, &surface, primitives, MATERIAL_TRIANGLES);
    free(numbers);
    return drawn;
}

static bool draw_boxes(struct drawing *drawing, uint32_t build, uint32_t geometry, const float *transform,
                       cJSON *primitives)
{
    const struct ws_scene_geometry *info = &drawing->scene->builds[build].geometries[geometry];
    const uint32_t count = drawing->scene->state->build_states[build].views[geometry].primitives;
    struct surface surface;
    const bool drawn = begin_surface(&surface, 8 * (uint64_t)count, 36 * (uint64_t)count);
    drawing->export->left_out += info->info.primitive_count - count;
    for (uint32_t i = 0; i < count && drawn; ++i) {
        float bounds[6], corners[8][3];
        if (!ws_scene_aabb(drawing->scene, build, geometry, i, bounds)) {
            drawing->export->left_out++;
            continue;
        }
        ws_box_corners(bounds, corners);
        for (int j = 0; j < 36; ++j)
            surface.indices[surface.index_count++] = surface.position_count + ws_box_triangles[j / 3][j % 3];
        for (int j = 0; j < 8; ++j)
            add_position(&surface, transform, corners[j]);
    }
    end_surface(drawing, &surface, primitives, MATERIAL_AABBS);
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
            drawn = draw_boxes(drawing, build, i, transform, primitives);
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
    const uint32_t node = ws_gltf_node(&drawing->gltf, name, mesh, placed ? instance.transform : NULL, NULL);
    cJSON_AddItemToArray(children, ws_json_integer_item(node));
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
    ws_gltf_add_root(&drawing->gltf, ws_gltf_node(&drawing->gltf, name, WS_NONE, NULL, children));
    return true;
}

/* Length of the diagonal of the box of all that is drawn; 1 where nothing is. */
static double diagonal_of(const float bounds[6])
{
    double square = 0;
    for (int i = 0; i < 3; ++i) {
        const double side = (double)bounds[3 + i] - (double)bounds[i];
        square += side * side;
    }
    return bounds[0] <= bounds[3] && square > 0 && isfinite(square) ? sqrt(square) : 1;
}

/* Sets both ends of a ray. False where they are not finite. */
static bool place_line(const struct ws_gltf_line_ray *line, double diagonal, float ends[6])
{
    double square = 0;
    for (int i = 0; i < 3; ++i)
        square += (double)line->direction[i] * (double)line->direction[i];
    const double far = diagonal / sqrt(square);
    const bool bounded = line->kind == WS_LINE_HIT || (double)line->end < far;
    const double end = bounded ? (double)line->end : far;
    for (int i = 0; i < 3; ++i) {
        ends[i] = line->origin[i];
        ends[3 + i] = ws_to_float((double)line->origin[i] + end * (double)line->direction[i]);
    }
    return square > 0 && ws_all_finite(ends, 6);
}

static bool draw_lines(struct drawing *drawing, const struct ws_gltf_rays *rays, uint32_t kind,
                       const char *name)
{
    struct ws_gltf *gltf = &drawing->gltf;
    const double diagonal = diagonal_of(drawing->bounds);
    float *positions = malloc((size_t)rays->count * 24 + 1);
    uint32_t count = 0;
    if (positions == NULL)
        return false;
    for (uint32_t i = 0; i < rays->count; ++i)
        if (rays->lines[i].kind == kind) {
            const bool placed = place_line(&rays->lines[i], diagonal, positions + 6 * (size_t)count);
            count += placed ? 1 : 0;
            drawing->export->left_out += placed ? 0 : 1;
        }
    cJSON *primitives = count > 0 ? ws_gltf_primitives(gltf) : NULL;
    if (primitives != NULL) {
        ws_gltf_add_primitive(gltf, primitives, WS_GLTF_LINES, ws_gltf_positions(gltf, positions, 2 * count),
                              WS_NONE, kind);
        ws_gltf_add_root(gltf, ws_gltf_node(gltf, name, ws_gltf_mesh(gltf, name, primitives), NULL, NULL));
    }
    free(positions);
    return true;
}

static bool draw(struct drawing *drawing, const struct ws_gltf_rays *rays)
{
    static const char *const names[] = {"rays_hit",     "rays_miss", "rays_shadow",
                                        "rays_unknown", "triangles", "aabbs"};
    static const float colours[MATERIAL_COUNT][3] = {{1, 0.55f, 0.1f},     {0.2f, 0.5f, 1},
                                                     {0.7f, 0.2f, 0.8f},   {0.5f, 0.5f, 0.5f},
                                                     {0.75f, 0.75f, 0.7f}, {0.45f, 0.75f, 0.5f}};
    const struct ws_scene *scene = drawing->scene;
    for (int i = 0; i < MATERIAL_COUNT; ++i)
        ws_gltf_material(&drawing->gltf, names[i], colours[i]);
    if (!choose_tops(scene, rays, drawing->export, drawing->chosen))
        return false;
    for (uint32_t i = 0; i < scene->structure_count && !drawing->failed; ++i)
        if (drawing->chosen[i] && !draw_top(drawing, i, ws_scene_build_at(scene, i, drawing->export->launch)))
            return false;
    for (uint32_t i = 0; i < WS_LINE_COUNT && rays != NULL; ++i)
        if (!draw_lines(drawing, rays, i, names[i]))
            return false;
    return !drawing->failed;
}

bool ws_export_gltf(const struct ws_scene *scene, const struct ws_gltf_rays *rays,
                    struct ws_gltf_export *export, struct ws_error *error)
{
    struct drawing drawing = {.scene = scene, .export = export};
    drawing.meshes = calloc((size_t)scene->content_count + 1, sizeof(*drawing.meshes));
    drawing.chosen = calloc((size_t)scene->structure_count + 1, sizeof(*drawing.chosen));
    ws_gltf_begin(&drawing.gltf);
    ws_bounds_init(drawing.bounds);
    bool written = drawing.meshes != NULL && drawing.chosen != NULL && draw(&drawing, rays);
    if (!written)
        ws_error_set(error, "no memory to write '%s'", export->path);
    written = written && ws_gltf_write(&drawing.gltf, export->path, error);
    ws_gltf_finish(&drawing.gltf);
    free(drawing.meshes);
    free(drawing.chosen);
    return written;
}
