#include "analysis/export/geometry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/staging.h"
#include "analysis/scene/scene_state.h"
#include "warpscope/base/text.h"

const uint8_t ws_box_triangles[12][3] = {
    {0, 4, 6}, {0, 6, 2}, /* x min */
    {1, 3, 7}, {1, 7, 5}, /* x max */
    {0, 1, 5}, {0, 5, 4}, /* y min */
    {2, 6, 7}, {2, 7, 3}, /* y max */
    {0, 2, 3}, {0, 3, 1}, /* z min */
    {4, 5, 7}, {4, 7, 6}, /* z max */
};

void ws_box_corners(const float bounds[6], float corners[8][3])
{
    for (int corner = 0; corner < 8; ++corner)
        for (int axis = 0; axis < 3; ++axis)
            corners[corner][axis] = bounds[(corner >> axis & 1) != 0 ? 3 + axis : axis];
}

static void print_vertex(const float vertex[3], FILE *stream)
{
    fprintf(stream, "v %.9g %.9g %.9g\n", (double)vertex[0], (double)vertex[1], (double)vertex[2]);
}

/* In geometries with opacity micromaps a material says what a triangle is by them, where that changes. */
static void print_micromap(const struct ws_scene *scene, uint32_t build, uint32_t geometry,
                           uint32_t primitive, enum ws_micromap_state *last, FILE *stream)
{
    enum ws_micromap_state state = WS_MICROMAP_STATES;
    uint32_t number = 0;
    if (!ws_scene_micromap(scene, build, geometry, primitive, &state, &number) || state == *last)
        return;
    fprintf(stream, "usemtl micromap_%s\n", ws_micromap_state_name(state));
    *last = state;
}

/* A vertex stands in the file once, before the first triangle that uses it. */
static bool print_triangles(const struct ws_scene *scene, uint32_t build, uint32_t geometry, uint64_t *next,
                            uint64_t *left_out, FILE *stream)
{
    const struct ws_scene_geometry *info = &scene->builds[build].geometries[geometry];
    uint64_t *numbers =
        calloc((size_t)info->vertex_count + 1, sizeof(*numbers)); /* in the file; 0 = not yet */
    const uint32_t count = scene->state->build_states[build].views[geometry].primitives;
    uint64_t lost = info->info.primitive_count - count;
    enum ws_micromap_state last = WS_MICROMAP_STATES;
    if (numbers == NULL)
        return false;
    fprintf(stream, "g geometry_%" PRIu32 "\n", geometry);
    for (uint32_t i = 0; i < count; ++i) {
        float vertices[3][3];
        uint32_t indices[3];
        if (!ws_scene_triangle(scene, build, geometry, i, vertices) ||
            !ws_scene_triangle_indices(scene, build, geometry, i, indices)) {
            lost++;
            continue;
        }
        for (int j = 0; j < 3; ++j)
            if (numbers[indices[j]] == 0) {
                print_vertex(vertices[j], stream);
                numbers[indices[j]] = (*next)++;
            }
        print_micromap(scene, build, geometry, i, &last, stream);
        fprintf(stream, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", numbers[indices[0]], numbers[indices[1]],
                numbers[indices[2]]);
    }
    if (lost > 0)
        fprintf(stream, "# %" PRIu64 " triangle%s left out: not finite, inactive, or not captured\n", lost,
                ws_plural(lost, "s"));
    *left_out += lost;
    free(numbers);
    return true;
}

static void print_boxes(const struct ws_scene *scene, uint32_t build, uint32_t geometry, uint64_t *next,
                        uint64_t *left_out, FILE *stream)
{
    const uint32_t count = scene->state->build_states[build].views[geometry].primitives;
    uint64_t lost = scene->builds[build].geometries[geometry].info.primitive_count - count;
    fprintf(stream, "g geometry_%" PRIu32 "_aabbs\n", geometry);
    for (uint32_t i = 0; i < count; ++i) {
        float bounds[6], corners[8][3];
        if (!ws_scene_aabb(scene, build, geometry, i, bounds)) {
            lost++;
            continue;
        }
        ws_box_corners(bounds, corners);
        for (int j = 0; j < 8; ++j)
            print_vertex(corners[j], stream);
        for (int j = 0; j < 12; ++j)
            fprintf(stream, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", *next + ws_box_triangles[j][0],
                    *next + ws_box_triangles[j][1], *next + ws_box_triangles[j][2]);
        *next += 8;
    }
    if (lost > 0)
        fprintf(stream, "# %" PRIu64 " AABB%s left out: not finite, inactive, or not captured\n", lost,
                ws_plural(lost, "s"));
    *left_out += lost;
}

bool ws_export_obj(const struct ws_scene *scene, uint32_t build, uint64_t *left_out, FILE *stream)
{
    const struct ws_scene_build *self = &scene->builds[build];
    const struct ws_scene_structure *structure = &scene->structures[self->structure];
    uint64_t next = 1;
    bool printed = true;
    fprintf(stream, "# content %" PRIu32 " of a Vulkan capture, built in structure %" PRIu32 "%s",
            self->content, structure->id, structure->name[0] != '\0' ? " " : "");
    ws_text_print(stream, structure->name);
    fprintf(stream, "\no content_%" PRIu32 "\n", self->content);
    for (uint32_t i = 0; i < self->geometry_count && printed; ++i) {
        const struct ws_build_geometry *info = &self->geometries[i].info;
        if (info->type == WS_GEOMETRY_TRIANGLES)
            printed = print_triangles(scene, build, i, &next, left_out, stream);
        else if (info->type == WS_GEOMETRY_AABBS)
            print_boxes(scene, build, i, &next, left_out, stream);
    }
    return printed;
}

static bool is_finite(const float transform[12])
{
    for (int i = 0; i < 12; ++i)
        if (!isfinite(transform[i]))
            return false;
    return true;
}

static void print_instance(const struct ws_scene *scene, uint32_t index,
                           const struct ws_scene_instance *instance, FILE *stream)
{
    fprintf(stream,
            "instance %" PRIu32 " custom_index %" PRIu32 " mask 0x%02" PRIx32 " sbt_offset %" PRIu32
            " flags 0x%" PRIx32,
            index, instance->custom_index, instance->mask, instance->sbt_offset, instance->flags);
    if (instance->structure != WS_NONE)
        fprintf(stream, " structure %" PRIu32, scene->structures[instance->structure].id);
    else
        fputs(" structure -", stream);
    if (instance->build != WS_NONE && !scene->builds[instance->build].top)
        fprintf(stream, " obj blas_%" PRIu32 ".obj", scene->builds[instance->build].content);
    else
        fputs(" obj -", stream);
    fputs(" transform", stream);
    for (int i = 0; i < 12; ++i)
        fprintf(stream, " %.9g", (double)instance->transform[i]);
    fputc('\n', stream);
}

void ws_export_tlas(const struct ws_scene *scene, uint32_t build, uint64_t *left_out, FILE *stream)
{
    const struct ws_scene_build *self = &scene->builds[build];
    const struct ws_scene_structure *structure = &scene->structures[self->structure];
    const uint32_t count = ws_scene_instance_count(scene, build);
    fprintf(stream,
            "# a top-level acceleration structure of a Vulkan capture, content %" PRIu32
            ", built in structure %" PRIu32 "%s",
            self->content, structure->id, structure->name[0] != '\0' ? " " : "");
    ws_text_print(stream, structure->name);
    fputs("\n# an instance in each line; transform: object to world, three rows of four\n", stream);
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_scene_instance instance;
        if (!ws_scene_instance(scene, build, i, &instance))
            continue;
        if (is_finite(instance.transform)) {
            print_instance(scene, i, &instance, stream);
        } else {
            fprintf(stream, "# instance %" PRIu32 " left out: its transform is not finite\n", i);
            (*left_out)++;
        }
    }
    if (count < self->primitives) {
        fprintf(stream, "# %" PRIu64 " instance%s left out: not captured\n", self->primitives - count,
                ws_plural(self->primitives - count, "s"));
        *left_out += self->primitives - count;
    }
}

/* Writes a build into a file of the folder. */
static bool write_file(const struct ws_scene *scene, uint32_t build, struct ws_geometry_export *export,
                       const struct ws_staging *staging, const char *name, struct ws_error *error)
{
    FILE *stream = ws_staging_open_part(staging, name, error);
    if (stream == NULL)
        return false;
    bool written = true;
    if (scene->builds[build].top)
        ws_export_tlas(scene, build, &export->left_out, stream);
    else
        written = ws_export_obj(scene, build, &export->left_out, stream);
    if (!written)
        ws_error_set(error, "no memory to write '%s/%s'", export->folder, name);
    return ws_staging_close_part(staging, name, stream, written, error);
}

/* Writes each content of bottom-level structures, as the first build that has it. */
static bool write_bottoms(const struct ws_scene *scene, struct ws_geometry_export *export,
                          const struct ws_staging *staging, struct ws_error *error)
{
    bool *seen = calloc((size_t)scene->content_count + 1, sizeof(*seen));
    bool written = seen != NULL || ws_error_set(error, "no memory to write the geometry");
    for (uint32_t i = 0; i < scene->build_count && written; ++i) {
        const struct ws_scene_build *build = &scene->builds[i];
        char name[32];
        if (build->top || seen[build->content])
            continue;
        seen[build->content] = true;
        snprintf(name, sizeof(name), "blas_%" PRIu32 ".obj", build->content);
        written = write_file(scene, i, export, staging, name, error);
        export->objs += written ? 1 : 0;
    }
    free(seen);
    return written;
}

static bool write_tops(const struct ws_scene *scene, struct ws_geometry_export *export,
                       const struct ws_staging *staging, struct ws_error *error)
{
    for (uint32_t i = 0; i < scene->structure_count; ++i) {
        const uint32_t build = ws_scene_build_at(scene, i, export->launch);
        char name[32];
        if (build == WS_NONE || !scene->builds[build].top)
            continue;
        snprintf(name, sizeof(name), "tlas_%" PRIu32 ".txt", scene->structures[i].id);
        if (!write_file(scene, build, export, staging, name, error))
            return false;
        export->tops++;
    }
    return true;
}

bool ws_export_geometry(const struct ws_scene *scene, struct ws_geometry_export *export,
                        struct ws_error *error)
{
    struct ws_staging staging;
    if (!ws_staging_begin_tree(&staging, export->folder, error))
        return false;
    const bool written = write_bottoms(scene, export, &staging, error) &&
                         write_tops(scene, export, &staging, error) && ws_staging_keep(&staging, true, error);
    ws_staging_drop(&staging);
    return written;
}
