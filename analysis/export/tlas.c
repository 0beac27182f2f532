/* See export_geometry.h. */
#include <inttypes.h>
#include <math.h>

#include "analysis/export/geometry.h"
#include "passes/base/text.h"

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
        fprintf(stream, "# %" PRIu64 " instances left out: not captured\n", self->primitives - count);
        *left_out += self->primitives - count;
    }
}
