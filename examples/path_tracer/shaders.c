#include "examples/path_tracer/shaders.h"

#include "path_tracer_count_diffuse.rcall.h"
#include "path_tracer_count_glass.rcall.h"
#include "path_tracer_count_glazed.rcall.h"
#include "path_tracer_count_mesh.rchit.h"
#include "path_tracer_count_metal.rcall.h"
#include "path_tracer_count_raygen.rgen.h"
#include "path_tracer_count_screen.rahit.h"
#include "path_tracer_count_shadow.rmiss.h"
#include "path_tracer_count_sky.rmiss.h"
#include "path_tracer_count_sphere.rchit.h"
#include "path_tracer_count_sphere.rint.h"
#include "path_tracer_diffuse.rcall.h"
#include "path_tracer_find.rgen.h"
#include "path_tracer_glass.rcall.h"
#include "path_tracer_glazed.rcall.h"
#include "path_tracer_mesh.rchit.h"
#include "path_tracer_metal.rcall.h"
#include "path_tracer_patch.rcall.h"
#include "path_tracer_patchwork_mesh.rchit.h"
#include "path_tracer_patchwork_sphere.rchit.h"
#include "path_tracer_raygen.rgen.h"
#include "path_tracer_resolve.rgen.h"
#include "path_tracer_screen.rahit.h"
#include "path_tracer_seen_mesh.rchit.h"
#include "path_tracer_seen_sphere.rchit.h"
#include "path_tracer_shade.rgen.h"
#include "path_tracer_shadow.rmiss.h"
#include "path_tracer_sky.rmiss.h"
#include "path_tracer_sort.comp.h"
#include "path_tracer_sphere.rchit.h"
#include "path_tracer_sphere.rint.h"
#include "path_tracer_unseen.rmiss.h"

static const struct ws_gpu_shader plain[WS_SHADER_COUNT] = {
    [WS_SHADER_RAYGEN] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, "raygen.rgen", path_tracer_raygen_rgen,
                          sizeof(path_tracer_raygen_rgen), NULL, NULL},
    [WS_SHADER_SKY] = {VK_SHADER_STAGE_MISS_BIT_KHR, "sky.rmiss", path_tracer_sky_rmiss,
                       sizeof(path_tracer_sky_rmiss), NULL, NULL},
    [WS_SHADER_SHADOW] = {VK_SHADER_STAGE_MISS_BIT_KHR, "shadow.rmiss", path_tracer_shadow_rmiss,
                          sizeof(path_tracer_shadow_rmiss), NULL, NULL},
    [WS_SHADER_MESH] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "mesh.rchit", path_tracer_mesh_rchit,
                        sizeof(path_tracer_mesh_rchit), NULL, NULL},
    [WS_SHADER_SPHERE] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "sphere.rchit", path_tracer_sphere_rchit,
                          sizeof(path_tracer_sphere_rchit), NULL, NULL},
    [WS_SHADER_SCREEN] = {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, "screen.rahit", path_tracer_screen_rahit,
                          sizeof(path_tracer_screen_rahit), NULL, NULL},
    [WS_SHADER_INTERSECTION] = {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, "sphere.rint", path_tracer_sphere_rint,
                                sizeof(path_tracer_sphere_rint), NULL, NULL},
    [WS_SHADER_DIFFUSE] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, "diffuse.rcall", path_tracer_diffuse_rcall,
                           sizeof(path_tracer_diffuse_rcall), NULL, NULL},
    [WS_SHADER_METAL] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, "metal.rcall", path_tracer_metal_rcall,
                         sizeof(path_tracer_metal_rcall), NULL, NULL},
    [WS_SHADER_GLASS] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, "glass.rcall", path_tracer_glass_rcall,
                         sizeof(path_tracer_glass_rcall), NULL, NULL},
    [WS_SHADER_GLAZED] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, "glazed.rcall", path_tracer_glazed_rcall,
                          sizeof(path_tracer_glazed_rcall), NULL, NULL},
};

static const struct ws_gpu_shader counting_shaders[WS_SHADER_COUNT] = {
    [WS_SHADER_RAYGEN] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, "raygen.rgen", path_tracer_count_raygen_rgen,
                          sizeof(path_tracer_count_raygen_rgen), NULL, NULL},
    [WS_SHADER_SKY] = {VK_SHADER_STAGE_MISS_BIT_KHR, "sky.rmiss", path_tracer_count_sky_rmiss,
                       sizeof(path_tracer_count_sky_rmiss), NULL, NULL},
    [WS_SHADER_SHADOW] = {VK_SHADER_STAGE_MISS_BIT_KHR, "shadow.rmiss", path_tracer_count_shadow_rmiss,
                          sizeof(path_tracer_count_shadow_rmiss), NULL, NULL},
    [WS_SHADER_MESH] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "mesh.rchit", path_tracer_count_mesh_rchit,
                        sizeof(path_tracer_count_mesh_rchit), NULL, NULL},
    [WS_SHADER_SPHERE] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "sphere.rchit", path_tracer_count_sphere_rchit,
                          sizeof(path_tracer_count_sphere_rchit), NULL, NULL},
    [WS_SHADER_SCREEN] = {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, "screen.rahit", path_tracer_count_screen_rahit,
                          sizeof(path_tracer_count_screen_rahit), NULL, NULL},
    [WS_SHADER_INTERSECTION] = {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, "sphere.rint",
                                path_tracer_count_sphere_rint, sizeof(path_tracer_count_sphere_rint), NULL,
                                NULL},
    [WS_SHADER_DIFFUSE] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, "diffuse.rcall", path_tracer_count_diffuse_rcall,
                           sizeof(path_tracer_count_diffuse_rcall), NULL, NULL},
    [WS_SHADER_METAL] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, "metal.rcall", path_tracer_count_metal_rcall,
                         sizeof(path_tracer_count_metal_rcall), NULL, NULL},
    [WS_SHADER_GLASS] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, "glass.rcall", path_tracer_count_glass_rcall,
                         sizeof(path_tracer_count_glass_rcall), NULL, NULL},
    [WS_SHADER_GLAZED] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, "glazed.rcall", path_tracer_count_glazed_rcall,
                          sizeof(path_tracer_count_glazed_rcall), NULL, NULL},
};

const struct ws_gpu_shader *ws_path_tracer_shaders(bool counting)
{
    return counting ? counting_shaders : plain;
}

static const struct ws_gpu_shader further[WS_FURTHER_COUNT] = {
    [WS_FURTHER_MESH] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "mesh.rchit", path_tracer_patchwork_mesh_rchit,
                         sizeof(path_tracer_patchwork_mesh_rchit), NULL, NULL},
    [WS_FURTHER_SPHERE] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "sphere.rchit",
                           path_tracer_patchwork_sphere_rchit, sizeof(path_tracer_patchwork_sphere_rchit),
                           NULL, NULL},
    [WS_FURTHER_PATCH] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, "patch.rcall", path_tracer_patch_rcall,
                          sizeof(path_tracer_patch_rcall), NULL, NULL},
    [WS_FURTHER_FIND] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, "find.rgen", path_tracer_find_rgen,
                         sizeof(path_tracer_find_rgen), NULL, NULL},
    [WS_FURTHER_SHADE] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, "shade.rgen", path_tracer_shade_rgen,
                          sizeof(path_tracer_shade_rgen), NULL, NULL},
    [WS_FURTHER_RESOLVE] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, "resolve.rgen", path_tracer_resolve_rgen,
                            sizeof(path_tracer_resolve_rgen), NULL, NULL},
    [WS_FURTHER_SEEN_MESH] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "seen_mesh.rchit",
                              path_tracer_seen_mesh_rchit, sizeof(path_tracer_seen_mesh_rchit), NULL, NULL},
    [WS_FURTHER_SEEN_SPHERE] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "seen_sphere.rchit",
                                path_tracer_seen_sphere_rchit, sizeof(path_tracer_seen_sphere_rchit), NULL,
                                NULL},
    [WS_FURTHER_UNSEEN] = {VK_SHADER_STAGE_MISS_BIT_KHR, "unseen.rmiss", path_tracer_unseen_rmiss,
                           sizeof(path_tracer_unseen_rmiss), NULL, NULL},
    [WS_FURTHER_SORT] = {VK_SHADER_STAGE_COMPUTE_BIT, "sort.comp", path_tracer_sort_comp,
                         sizeof(path_tracer_sort_comp), NULL, NULL},
};

const struct ws_gpu_shader *ws_path_tracer_further_shaders(void)
{
    return further;
}
