/* The shaders of the faults, as the build compiled them. */
#ifndef WS_EXAMPLES_FAULTS_SHADERS_H
#define WS_EXAMPLES_FAULTS_SHADERS_H

#include "examples/base/bindings.h"

enum ws_fault_shader {
    WS_FAULT_LIT_RGEN,
    WS_FAULT_TWO_TLAS_RGEN,
    WS_FAULT_PATH_RGEN,
    WS_FAULT_OCCLUSION_RGEN,
    WS_FAULT_EMPTY_RGEN,
    WS_FAULT_RAYS_RGEN,
    WS_FAULT_ANSWERS_RGEN,
    WS_FAULT_QUERIED_RGEN,
    WS_FAULT_SURFACE_RCHIT,
    WS_FAULT_BALL_RCHIT,
    WS_FAULT_SHADED_RCHIT,
    WS_FAULT_EMPTY_RCHIT,
    WS_FAULT_UNTOLD_RCHIT,
    WS_FAULT_BLOCKED_RCHIT,
    WS_FAULT_DARK_RCHIT,
    WS_FAULT_CUTOUT_RAHIT,
    WS_FAULT_TALLY_RAHIT,
    WS_FAULT_HIDDEN_RAHIT,
    WS_FAULT_EMPTY_RAHIT,
    WS_FAULT_SWITCHED_RAHIT,
    WS_FAULT_BALL_RINT,
    WS_FAULT_CRATE_RINT,
    WS_FAULT_SKY_RMISS,
    WS_FAULT_CLEAR_RMISS,
    WS_FAULT_EMPTY_RMISS,
    WS_FAULT_UNBLOCKED_RMISS,
    WS_FAULT_BRIGHT_RMISS,
    WS_FAULT_RAYS_COMP, /* of no ray tracing pipeline */
    WS_FAULT_SHADER_COUNT,
};

/* One of them: plain, or counting its own executions. */
const struct ws_gpu_shader *ws_fault_shader(enum ws_fault_shader shader, bool counting);

#endif
