#include "examples/path_tracer/pipeline.h"

#include <string.h>

#include "examples/path_tracer/shaders.h"
#include "examples/path_tracer/shared.h"

#define NONE WS_GPU_NO_SHADER

/* The specialization constants of all shaders, by constant_id. A shader has some of them. */
struct constants {
    VkBool32 open;
    uint32_t number; /* of a material; of a hit group: GROUP_* */
    VkBool32 uneven;
};

/* A pipeline as it is put together. */
struct parts {
    const struct ws_pipeline_options *options;
    struct ws_gpu_shader shaders[WS_GPU_SHADERS_MAX];
    struct constants constants[WS_GPU_SHADERS_MAX];
    VkSpecializationInfo specializations[WS_GPU_SHADERS_MAX];
    uint32_t shader_count;
    struct ws_gpu_group groups[WS_GPU_SHADERS_MAX];
    uint32_t group_count;
};

static const VkSpecializationMapEntry entries[] = {
    {0, offsetof(struct constants, open), sizeof(VkBool32)},
    {1, offsetof(struct constants, number), sizeof(uint32_t)},
    {2, offsetof(struct constants, uneven), sizeof(VkBool32)},
};

/* Adds a shader. Those that have no number are specialized by the first constant alone. */
static uint32_t add_shader(struct parts *parts, const struct ws_gpu_shader *shader, uint32_t entry_count,
                           uint32_t number)
{
    const uint32_t index = parts->shader_count++;
    struct constants *constants = &parts->constants[index];

    *constants = (struct constants){parts->options->open, number, parts->options->uneven};
    parts->specializations[index] =
        (VkSpecializationInfo){entry_count, entries, sizeof(*constants), constants};
    parts->shaders[index] = *shader;
    parts->shaders[index].specialization = &parts->specializations[index];
    return index;
}

static void add_group(struct parts *parts, uint32_t general, uint32_t closest_hit, uint32_t any_hit,
                      uint32_t intersection)
{
    parts->groups[parts->group_count++] = (struct ws_gpu_group){general, closest_hit, any_hit, intersection};
}

/* The shaders that every pipeline has, and the groups of these. The hit group of the screens has a closest-hit shader of its
 * own where there are materials, glass or waves: so what is called tells what was hit. */
static void add_all(struct parts *parts)
{
    const struct ws_gpu_shader *plain = ws_path_tracer_shaders(parts->options->count);
    const struct ws_gpu_shader *further = ws_path_tracer_further_shaders();
    const bool patchwork = parts->options->waves || parts->options->materials > 0 || parts->options->glass;
    uint32_t screen = WS_SHADER_MESH;

    for (uint32_t i = 0; i < WS_SHADER_COUNT; i++) {
        const bool mesh = patchwork && i == WS_SHADER_MESH;
        const bool sphere = patchwork && i == WS_SHADER_SPHERE;
        add_shader(parts,
                   mesh     ? &further[WS_FURTHER_MESH]
                   : sphere ? &further[WS_FURTHER_SPHERE]
                            : &plain[i],
                   mesh || sphere ? 2 : 1, mesh ? GROUP_MESH : GROUP_SPHERE);
    }
    if (patchwork)
        screen = add_shader(parts, &further[WS_FURTHER_MESH], 2, GROUP_SCREEN);
    add_group(parts, WS_SHADER_RAYGEN, NONE, NONE, NONE);
    add_group(parts, WS_SHADER_SKY, NONE, NONE, NONE);
    add_group(parts, WS_SHADER_SHADOW, NONE, NONE, NONE);
    add_group(parts, NONE, WS_SHADER_MESH, NONE, NONE); /* HIT_MESH, HIT_SCREEN, HIT_SPHERE */
    add_group(parts, NONE, screen, WS_SHADER_SCREEN, NONE);
    add_group(parts, NONE, WS_SHADER_SPHERE, NONE, WS_SHADER_INTERSECTION);
    add_group(parts, WS_SHADER_DIFFUSE, NONE, NONE, NONE); /* in the order of MATERIAL_* */
    add_group(parts, WS_SHADER_METAL, NONE, NONE, NONE);
    add_group(parts, WS_SHADER_GLASS, NONE, NONE, NONE);
    add_group(parts, WS_SHADER_GLAZED, NONE, NONE, NONE);
    for (uint32_t i = 0; i < parts->options->materials; i++)
        add_group(parts, add_shader(parts, &further[WS_FURTHER_PATCH], 3, i), NONE, NONE, NONE);
}

static void add_waves(struct parts *parts)
{
    const struct ws_gpu_shader *further = ws_path_tracer_further_shaders();

    for (uint32_t i = WS_FURTHER_FIND; i <= WS_FURTHER_RESOLVE; i++)
        add_group(parts, add_shader(parts, &further[i], 1, 0), NONE, NONE, NONE);
    add_group(parts, add_shader(parts, &further[WS_FURTHER_UNSEEN], 1, 0), NONE, NONE, NONE);
    add_group(parts, NONE, add_shader(parts, &further[WS_FURTHER_SEEN_MESH], 2, GROUP_MESH), NONE, NONE);
    add_group(parts, NONE, add_shader(parts, &further[WS_FURTHER_SEEN_MESH], 2, GROUP_SCREEN),
              WS_SHADER_SCREEN, NONE);
    add_group(parts, NONE, add_shader(parts, &further[WS_FURTHER_SEEN_SPHERE], 2, GROUP_SPHERE), NONE,
              WS_SHADER_INTERSECTION);
}

bool ws_pipeline_init(struct ws_gpu *gpu, struct ws_gpu_ray_tracing *ray_tracing,
                      const struct ws_gpu_bindings *bindings, const struct ws_pipeline_options *options,
                      struct ws_error *error)
{
    struct parts parts = {.options = options};

    add_all(&parts);
    if (options->waves)
        add_waves(&parts);
    if (!ws_gpu_ray_tracing_init(gpu, ray_tracing, bindings, parts.shaders, parts.shader_count, parts.groups,
                                 parts.group_count, 2, error))
        return false;
    ws_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)ray_tracing->pipeline, "path tracer");
    return true;
}
