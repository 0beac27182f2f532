#include "analysis/viewer/scene/mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_state.h"
#include "analysis/scene/scene_transform.h"
#include "analysis/viewer/scene/scene_shown.h"
#include "warpscope/capture/budget.h"

#define MAGIC        0x484d5357u /* "WSMH" */
#define HEADER_WORDS 12u
#define PART_WORDS   16u

uint32_t ws_mesh_build(const struct ws_scene *scene, uint32_t content)
{
    for (uint32_t i = 0; i < scene->build_count; ++i)
        if (scene->builds[i].content == content && !scene->builds[i].top)
            return i;
    return WS_NONE;
}

/* Whether each of the part's is the primitive of its own place. */
static bool is_in_order(const struct ws_mesh_part *part)
{
    for (uint32_t i = 0; i < part->drawn; ++i)
        if (part->numbers[i] != i)
            return false;
    return true;
}

static uint64_t bytes_of(const struct ws_mesh_part *part)
{
    const uint64_t positions =
        part->kind == WS_GEOMETRY_AABBS ? UINT64_C(24) * part->drawn : UINT64_C(12) * part->vertices;
    return positions + (part->indices != NULL ? UINT64_C(12) * part->drawn : 0) +
           (is_in_order(part) ? 0 : UINT64_C(4) * part->drawn);
}

/* The box of what is drawn. */
static void set_bounds(struct ws_mesh_part *part)
{
    const uint64_t points = part->kind == WS_GEOMETRY_AABBS ? UINT64_C(2) * part->drawn : part->vertices;
    ws_bounds_init(part->bounds);
    for (uint64_t i = 0; i < points; ++i)
        ws_bounds_add_point(part->bounds, part->positions + 3 * i);
}

/* Whether a triangle of finite corners can be drawn; sets their numbers in the part. */
static bool take_triangle(const struct ws_scene *scene, uint32_t build, uint32_t primitive,
                          struct ws_mesh_part *part, uint32_t *vertex_of)
{
    float corners[3][3];
    uint32_t indices[3];
    if (!ws_scene_triangle(scene, build, part->geometry, primitive, corners) ||
        !ws_scene_triangle_indices(scene, build, part->geometry, primitive, indices) ||
        !ws_all_finite(corners[0], 9))
        return false;
    for (int i = 0; i < 3; ++i) {
        uint32_t *vertex = &vertex_of[indices[i]];
        if (*vertex == WS_NONE) {
            *vertex = part->vertices++;
            memcpy(part->positions + 3 * (size_t)*vertex, corners[i], sizeof(corners[i]));
        }
        part->indices[3 * (size_t)part->drawn + (size_t)i] = *vertex;
    }
    return true;
}

static bool take_triangles(const struct ws_scene *scene, uint32_t build, uint32_t count,
                           struct ws_mesh_part *part)
{
    const struct ws_scene_geometry *geometry = &scene->builds[build].geometries[part->geometry];
    const size_t vertices = geometry->vertex_count;
    uint32_t *vertex_of = malloc((vertices + 1) * sizeof(*vertex_of));
    part->positions = malloc((vertices + 1) * 12);
    part->indices = malloc(((size_t)count + 1) * 12);
    part->numbers = malloc(((size_t)count + 1) * 4);
    const bool room =
        vertex_of != NULL && part->positions != NULL && part->indices != NULL && part->numbers != NULL;
    if (room)
        memset(vertex_of, 0xff, (vertices + 1) * sizeof(*vertex_of));
    for (uint32_t i = 0; i < count && room; ++i)
        if (take_triangle(scene, build, i, part, vertex_of))
            part->numbers[part->drawn++] = i;
    free(vertex_of);
    return room;
}

static bool take_boxes(const struct ws_scene *scene, uint32_t build, uint32_t count,
                       struct ws_mesh_part *part)
{
    part->positions = malloc(((size_t)count + 1) * 24);
    part->numbers = malloc(((size_t)count + 1) * 4);
    if (part->positions == NULL || part->numbers == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        float *box = part->positions + 6 * (size_t)part->drawn;
        if (ws_scene_aabb(scene, build, part->geometry, i, box) && ws_all_finite(box, 6))
            part->numbers[part->drawn++] = i;
    }
    return true;
}

uint64_t ws_mesh_bytes(const struct ws_scene *scene, uint32_t build)
{
    const struct ws_scene_build *self = &scene->builds[build];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < self->geometry_count; ++i)
        bytes += UINT64_C(28) * scene->state->build_states[build].views[i].primitives +
                 UINT64_C(16) * self->geometries[i].vertex_count;
    return bytes;
}

static bool take_geometry(const struct ws_scene *scene, uint32_t build, uint32_t geometry,
                          struct ws_mesh_part *part)
{
    const struct ws_build_geometry *info = &scene->builds[build].geometries[geometry].info;
    const uint32_t count = scene->state->build_states[build].views[geometry].primitives;
    *part = (struct ws_mesh_part){.geometry = geometry,
                                  .kind = info->type,
                                  .flags = info->flags & 1,
                                  .primitives = info->primitive_count};
    if (!ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)count))
        return false;
    const bool taken = info->type == WS_GEOMETRY_TRIANGLES ? take_triangles(scene, build, count, part)
                                                           : take_boxes(scene, build, count, part);
    part->left_out = part->primitives > part->drawn ? part->primitives - part->drawn : 0;
    return taken;
}

/* Leaves the detail that was asked for. The cells of all parts have one size. */
static bool reduce(struct ws_mesh *mesh)
{
    double longest = 0;
    for (int i = 0; i < 3; ++i)
        longest = fmax(longest, (double)mesh->bounds[3 + i] - (double)mesh->bounds[i]);
    for (uint32_t i = 0; i < mesh->part_count && longest > 0; ++i)
        if (!ws_mesh_reduce(&mesh->parts[i], longest / mesh->detail))
            return false;
    return true;
}

static bool make_parts(struct ws_mesh *mesh, const struct ws_scene *scene, uint32_t build)
{
    const struct ws_scene_build *self = &scene->builds[build];
    mesh->parts = calloc((size_t)self->geometry_count + 1, sizeof(*mesh->parts));
    ws_bounds_init(mesh->bounds);
    for (uint32_t i = 0; i < self->geometry_count && mesh->parts != NULL; ++i) {
        struct ws_mesh_part *part = &mesh->parts[mesh->part_count];
        if (self->geometries[i].info.type > WS_GEOMETRY_AABBS)
            continue;
        mesh->part_count++;
        if (!take_geometry(scene, build, i, part))
            return false;
        set_bounds(part);
        for (int corner = 0; corner < 2 && part->drawn > 0; ++corner)
            ws_bounds_add_point(mesh->bounds, part->bounds + 3 * corner);
    }
    return mesh->parts != NULL && (mesh->detail == 0 || reduce(mesh));
}

bool ws_mesh_make(struct ws_mesh *mesh, const struct ws_scene *scene, uint32_t content, uint32_t detail,
                  struct ws_error *error)
{
    const uint32_t build = ws_mesh_build(scene, content);
    *mesh = (struct ws_mesh){.content = content, .detail = detail};
    if (build == WS_NONE)
        return ws_error_set(error,
                            "the capture has no bottom-level content %" PRIu32
                            "; `scene.json` names those that it has",
                            content);
    if (ws_mesh_bytes(scene, build) > WS_MESH_BYTES_MOST)
        return ws_error_set(
            error,
            "content %" PRIu32 " has %" PRIu64
            " MB, too many to show; write it to a file with: warpscope export FILE --geometry FOLDER",
            content, ws_mesh_bytes(scene, build) >> 20);
    if (make_parts(mesh, scene, build))
        return true;
    ws_mesh_finish(mesh);
    if (!ws_budget_spend(0))
        ws_budget_exceeded(error);
    return ws_error_set(error, "no memory for the mesh of content %" PRIu32, content);
}

void ws_mesh_finish(struct ws_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        free(mesh->parts[i].positions);
        free(mesh->parts[i].indices);
        free(mesh->parts[i].numbers);
    }
    free(mesh->parts);
    memset(mesh, 0, sizeof(*mesh));
}

/* Bounds of nothing are no numbers. */
static void write_bounds(const float bounds[6], FILE *stream)
{
    float out[6];
    for (int i = 0; i < 6; ++i)
        out[i] = bounds[0] <= bounds[3] ? bounds[i] : NAN;
    fwrite(out, 4, 6, stream);
}

static void write_part(const struct ws_mesh_part *part, uint32_t offset, FILE *stream)
{
    const bool boxes = part->kind == WS_GEOMETRY_AABBS;
    const uint32_t positions = boxes ? 24 * part->drawn : 12 * part->vertices;
    const uint32_t indices = boxes ? 0 : 12 * part->drawn;
    const uint32_t words[10] = {part->geometry,
                                part->kind,
                                part->flags,
                                part->primitives,
                                part->left_out,
                                part->vertices,
                                part->drawn,
                                offset,
                                boxes ? 0 : offset + positions,
                                is_in_order(part) ? 0 : offset + positions + indices};
    fwrite(words, 4, 10, stream);
    write_bounds(part->bounds, stream);
}

void ws_mesh_write(const struct ws_mesh *mesh, FILE *stream)
{
    uint32_t offset = 4 * (HEADER_WORDS + PART_WORDS * mesh->part_count);
    uint64_t bytes = offset;
    for (uint32_t i = 0; i < mesh->part_count; ++i)
        bytes += bytes_of(&mesh->parts[i]);
    const uint32_t header[6] = {MAGIC,        WS_MESH_VERSION, mesh->content, mesh->part_count,
                                mesh->detail, (uint32_t)bytes};
    fwrite(header, 4, 6, stream);
    write_bounds(mesh->bounds, stream);
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        write_part(&mesh->parts[i], offset, stream);
        offset += (uint32_t)bytes_of(&mesh->parts[i]);
    }
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        const struct ws_mesh_part *part = &mesh->parts[i];
        if (part->kind == WS_GEOMETRY_AABBS) {
            fwrite(part->positions, 24, part->drawn, stream);
        } else {
            fwrite(part->positions, 12, part->vertices, stream);
            fwrite(part->indices, 12, part->drawn, stream);
        }
        if (!is_in_order(part))
            fwrite(part->numbers, 4, part->drawn, stream);
    }
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    uint64_t content, detail;
    struct ws_mesh mesh;
    (void)viewer;
    if (ws_viewer_query_text(query, "content") == NULL)
        return ws_error_set(error, "mesh needs content=N");
    if (!ws_viewer_query_number(query, "content", 0, UINT32_MAX, &content, error) ||
        !ws_viewer_query_number(query, "detail", 0, WS_MESH_DETAIL_MOST, &detail, error))
        return false;
    if (detail == 1)
        return ws_error_set(error, "detail=1 is one vertex; it is from 2 to %u, or 0 = all",
                            WS_MESH_DETAIL_MOST);
    const struct ws_scene *scene = ws_viewer_scene(capture, error);
    if (scene == NULL || !ws_mesh_make(&mesh, scene, (uint32_t)content, (uint32_t)detail, error))
        return false;
    ws_mesh_write(&mesh, stream);
    ws_mesh_finish(&mesh);
    return true;
}

/* Of the contents of a launch: less detail, or all of it where that is little, before all of what is much. */
static bool embed_of(const struct ws_viewer_capture *capture, const struct ws_scene_shown *shown, bool opened,
                     ws_viewer_embed *embed, void *user)
{
    const enum ws_viewer_rank less = opened ? WS_RANK_FIRST : WS_RANK_LINKED;
    const enum ws_viewer_rank all = opened ? WS_RANK_BESIDE : WS_RANK_FARTHER;
    (void)capture;
    for (uint32_t i = 0; i < shown->view->scene->content_count; ++i) {
        const struct ws_scene_shown_content *content = &shown->contents[i];
        char query[64];
        if (content->build == WS_NONE)
            continue;
        snprintf(query, sizeof(query), "mesh?content=%" PRIu32, i);
        if (!embed(user, query, content->detail > 0 ? all : less))
            return false;
        snprintf(query, sizeof(query), "mesh?content=%" PRIu32 "&detail=%" PRIu32, i, content->detail);
        if (content->detail > 0 && !embed(user, query, less))
            return false;
    }
    return true;
}

static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *embed, void *user)
{
    (void)budget;
    return ws_scenes_shown_embed(viewer, capture, embed_of, embed, user);
}

const struct ws_viewer_resource ws_viewer_resource_mesh = {
    .name = "mesh",
    .help = "triangles and boxes of a bottom-level content, whole or with less detail",
    .keys = "content detail",
    .answer = answer,
    .embed = embed,
};
