#include "examples/faults/shaders.h"

#include "faults_answers.rgen.h"
#include "faults_ball.rchit.h"
#include "faults_ball.rint.h"
#include "faults_blocked.rchit.h"
#include "faults_bright.rmiss.h"
#include "faults_clear.rmiss.h"
#include "faults_count_answers.rgen.h"
#include "faults_count_ball.rchit.h"
#include "faults_count_ball.rint.h"
#include "faults_count_blocked.rchit.h"
#include "faults_count_bright.rmiss.h"
#include "faults_count_clear.rmiss.h"
#include "faults_count_crate.rint.h"
#include "faults_count_cutout.rahit.h"
#include "faults_count_dark.rchit.h"
#include "faults_count_empty.rahit.h"
#include "faults_count_empty.rchit.h"
#include "faults_count_empty.rgen.h"
#include "faults_count_empty.rmiss.h"
#include "faults_count_hidden.rahit.h"
#include "faults_count_lit.rgen.h"
#include "faults_count_occlusion.rgen.h"
#include "faults_count_path.rgen.h"
#include "faults_count_queried.rgen.h"
#include "faults_count_rays.comp.h"
#include "faults_count_rays.rgen.h"
#include "faults_count_shaded.rchit.h"
#include "faults_count_sky.rmiss.h"
#include "faults_count_surface.rchit.h"
#include "faults_count_switched.rahit.h"
#include "faults_count_tally.rahit.h"
#include "faults_count_two_tlas.rgen.h"
#include "faults_count_unblocked.rmiss.h"
#include "faults_count_untold.rchit.h"
#include "faults_crate.rint.h"
#include "faults_cutout.rahit.h"
#include "faults_dark.rchit.h"
#include "faults_empty.rahit.h"
#include "faults_empty.rchit.h"
#include "faults_empty.rgen.h"
#include "faults_empty.rmiss.h"
#include "faults_hidden.rahit.h"
#include "faults_lit.rgen.h"
#include "faults_occlusion.rgen.h"
#include "faults_path.rgen.h"
#include "faults_queried.rgen.h"
#include "faults_rays.comp.h"
#include "faults_rays.rgen.h"
#include "faults_shaded.rchit.h"
#include "faults_sky.rmiss.h"
#include "faults_surface.rchit.h"
#include "faults_switched.rahit.h"
#include "faults_tally.rahit.h"
#include "faults_two_tlas.rgen.h"
#include "faults_unblocked.rmiss.h"
#include "faults_untold.rchit.h"

/* The plain and the counting one of the shader in file `file`, whose arrays end in `array`. */
#define BOTH(stage, file, array)                                                                             \
    {                                                                                                        \
        {stage, file, faults_##array, sizeof(faults_##array), NULL, NULL},                                   \
        {                                                                                                    \
            stage, file, faults_count_##array, sizeof(faults_count_##array), NULL, NULL                      \
        }                                                                                                    \
    }

static const struct ws_gpu_shader shaders[WS_FAULT_SHADER_COUNT][2] = {
    [WS_FAULT_LIT_RGEN] = BOTH(VK_SHADER_STAGE_RAYGEN_BIT_KHR, "lit.rgen", lit_rgen),
    [WS_FAULT_TWO_TLAS_RGEN] = BOTH(VK_SHADER_STAGE_RAYGEN_BIT_KHR, "two_tlas.rgen", two_tlas_rgen),
    [WS_FAULT_PATH_RGEN] = BOTH(VK_SHADER_STAGE_RAYGEN_BIT_KHR, "path.rgen", path_rgen),
    [WS_FAULT_OCCLUSION_RGEN] = BOTH(VK_SHADER_STAGE_RAYGEN_BIT_KHR, "occlusion.rgen", occlusion_rgen),
    [WS_FAULT_EMPTY_RGEN] = BOTH(VK_SHADER_STAGE_RAYGEN_BIT_KHR, "empty.rgen", empty_rgen),
    [WS_FAULT_RAYS_RGEN] = BOTH(VK_SHADER_STAGE_RAYGEN_BIT_KHR, "rays.rgen", rays_rgen),
    [WS_FAULT_SURFACE_RCHIT] = BOTH(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "surface.rchit", surface_rchit),
    [WS_FAULT_BALL_RCHIT] = BOTH(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "ball.rchit", ball_rchit),
    [WS_FAULT_SHADED_RCHIT] = BOTH(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "shaded.rchit", shaded_rchit),
    [WS_FAULT_EMPTY_RCHIT] = BOTH(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "empty.rchit", empty_rchit),
    [WS_FAULT_UNTOLD_RCHIT] = BOTH(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "untold.rchit", untold_rchit),
    [WS_FAULT_CUTOUT_RAHIT] = BOTH(VK_SHADER_STAGE_ANY_HIT_BIT_KHR, "cutout.rahit", cutout_rahit),
    [WS_FAULT_TALLY_RAHIT] = BOTH(VK_SHADER_STAGE_ANY_HIT_BIT_KHR, "tally.rahit", tally_rahit),
    [WS_FAULT_HIDDEN_RAHIT] = BOTH(VK_SHADER_STAGE_ANY_HIT_BIT_KHR, "hidden.rahit", hidden_rahit),
    [WS_FAULT_EMPTY_RAHIT] = BOTH(VK_SHADER_STAGE_ANY_HIT_BIT_KHR, "empty.rahit", empty_rahit),
    [WS_FAULT_BALL_RINT] = BOTH(VK_SHADER_STAGE_INTERSECTION_BIT_KHR, "ball.rint", ball_rint),
    [WS_FAULT_CRATE_RINT] = BOTH(VK_SHADER_STAGE_INTERSECTION_BIT_KHR, "crate.rint", crate_rint),
    [WS_FAULT_SKY_RMISS] = BOTH(VK_SHADER_STAGE_MISS_BIT_KHR, "sky.rmiss", sky_rmiss),
    [WS_FAULT_CLEAR_RMISS] = BOTH(VK_SHADER_STAGE_MISS_BIT_KHR, "clear.rmiss", clear_rmiss),
    [WS_FAULT_EMPTY_RMISS] = BOTH(VK_SHADER_STAGE_MISS_BIT_KHR, "empty.rmiss", empty_rmiss),
    [WS_FAULT_ANSWERS_RGEN] = BOTH(VK_SHADER_STAGE_RAYGEN_BIT_KHR, "answers.rgen", answers_rgen),
    [WS_FAULT_QUERIED_RGEN] = BOTH(VK_SHADER_STAGE_RAYGEN_BIT_KHR, "queried.rgen", queried_rgen),
    [WS_FAULT_BLOCKED_RCHIT] = BOTH(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "blocked.rchit", blocked_rchit),
    [WS_FAULT_DARK_RCHIT] = BOTH(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "dark.rchit", dark_rchit),
    [WS_FAULT_SWITCHED_RAHIT] = BOTH(VK_SHADER_STAGE_ANY_HIT_BIT_KHR, "switched.rahit", switched_rahit),
    [WS_FAULT_UNBLOCKED_RMISS] = BOTH(VK_SHADER_STAGE_MISS_BIT_KHR, "unblocked.rmiss", unblocked_rmiss),
    [WS_FAULT_BRIGHT_RMISS] = BOTH(VK_SHADER_STAGE_MISS_BIT_KHR, "bright.rmiss", bright_rmiss),
    [WS_FAULT_RAYS_COMP] = BOTH(VK_SHADER_STAGE_COMPUTE_BIT, "rays.comp", rays_comp),
};

const struct ws_gpu_shader *ws_fault_shader(enum ws_fault_shader shader, bool counting)
{
    return &shaders[shader][counting];
}
