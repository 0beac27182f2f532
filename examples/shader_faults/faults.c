#include "examples/shader_faults/fault.h"

#include "shader_faults_barrier.comp.h"
#include "shader_faults_bounds.comp.h"
#include "shader_faults_constant_branch.comp.h"
#include "shader_faults_cover.vert.h"
#include "shader_faults_divergent_branch.comp.h"
#include "shader_faults_divergent_loop.comp.h"
#include "shader_faults_divergent_switch.comp.h"
#include "shader_faults_early_exit.comp.h"
#include "shader_faults_hidden.frag.h"
#include "shader_faults_hidden.vert.h"
#include "shader_faults_late_discard.frag.h"
#include "shader_faults_nan.comp.h"
#include "shader_faults_plain.frag.h"
#include "shader_faults_twin_barrier.comp.h"
#include "shader_faults_twin_constant_branch.comp.h"
#include "shader_faults_twin_late_discard.frag.h"
#include "shader_faults_twin_nan.comp.h"
#include "shader_faults_twin_uniform_work.comp.h"
#include "shader_faults_twin_vertex_outputs.vert.h"
#include "shader_faults_uniform.comp.h"
#include "shader_faults_uniform_work.comp.h"
#include "shader_faults_vertex_outputs.vert.h"

#define SHADER(variable, stage, file, array)                                                                 \
    static const struct ws_gpu_shader variable = {                                                           \
        stage, file, shader_faults_##array, sizeof(shader_faults_##array), NULL, NULL};

SHADER(barrier, VK_SHADER_STAGE_COMPUTE_BIT, "barrier.comp", barrier_comp)
SHADER(barrier_twin, VK_SHADER_STAGE_COMPUTE_BIT, "barrier.comp", twin_barrier_comp)
SHADER(bounds, VK_SHADER_STAGE_COMPUTE_BIT, "bounds.comp", bounds_comp)
SHADER(constant_branch, VK_SHADER_STAGE_COMPUTE_BIT, "constant_branch.comp", constant_branch_comp)
SHADER(constant_branch_twin, VK_SHADER_STAGE_COMPUTE_BIT, "constant_branch.comp", twin_constant_branch_comp)
SHADER(divergent_branch, VK_SHADER_STAGE_COMPUTE_BIT, "divergent_branch.comp", divergent_branch_comp)
SHADER(divergent_loop, VK_SHADER_STAGE_COMPUTE_BIT, "divergent_loop.comp", divergent_loop_comp)
SHADER(divergent_switch, VK_SHADER_STAGE_COMPUTE_BIT, "divergent_switch.comp", divergent_switch_comp)
SHADER(early_exit, VK_SHADER_STAGE_COMPUTE_BIT, "early_exit.comp", early_exit_comp)
SHADER(nan_birth, VK_SHADER_STAGE_COMPUTE_BIT, "nan.comp", nan_comp)
SHADER(nan_birth_twin, VK_SHADER_STAGE_COMPUTE_BIT, "nan.comp", twin_nan_comp)
SHADER(uniform, VK_SHADER_STAGE_COMPUTE_BIT, "uniform.comp", uniform_comp)
SHADER(uniform_work, VK_SHADER_STAGE_COMPUTE_BIT, "uniform_work.comp", uniform_work_comp)
SHADER(uniform_work_twin, VK_SHADER_STAGE_COMPUTE_BIT, "uniform_work.comp", twin_uniform_work_comp)
SHADER(cover, VK_SHADER_STAGE_VERTEX_BIT, "cover.vert", cover_vert)
SHADER(hidden, VK_SHADER_STAGE_VERTEX_BIT, "hidden.vert", hidden_vert)
SHADER(hidden_colour, VK_SHADER_STAGE_FRAGMENT_BIT, "hidden.frag", hidden_frag)
SHADER(late_discard, VK_SHADER_STAGE_FRAGMENT_BIT, "late_discard.frag", late_discard_frag)
SHADER(late_discard_twin, VK_SHADER_STAGE_FRAGMENT_BIT, "late_discard.frag", twin_late_discard_frag)
SHADER(plain, VK_SHADER_STAGE_FRAGMENT_BIT, "plain.frag", plain_frag)
SHADER(vertex_outputs, VK_SHADER_STAGE_VERTEX_BIT, "vertex_outputs.vert", vertex_outputs_vert)
SHADER(vertex_outputs_twin, VK_SHADER_STAGE_VERTEX_BIT, "vertex_outputs.vert", twin_vertex_outputs_vert)

#define COVER  3 /* vertices */
#define SQUARE (6 * 20 * 20)

const struct ws_shader_fault ws_shader_faults[] = {
    {"barrier",
     "a barrier that 40 of 64 threads come to",
     "all of them come",
     {.compute = &barrier},
     {.compute = &barrier_twin}},
    {"workgroup_size",
     "workgroups of 60 threads",
     "they have 64",
     {.compute = &uniform, .local = 60},
     {.compute = &uniform}},
    {"divergent_branch",
     "neighbouring threads take different sides of a branch",
     "they have pixels of one side",
     {.compute = &divergent_branch},
     {.compute = &divergent_branch, .step = 2}},
    {"divergent_loop",
     "neighbouring threads run a loop 2 to 23 times",
     "they have pixels of one length",
     {.compute = &divergent_loop},
     {.compute = &divergent_loop, .step = 8}},
    {"divergent_switch",
     "neighbouring threads have four materials by turns",
     "they have pixels of one material",
     {.compute = &divergent_switch},
     {.compute = &divergent_switch, .step = 4}},
    {"early_exit",
     "three of four threads return early",
     "those that go on are neighbours",
     {.compute = &early_exit},
     {.compute = &early_exit, .step = 4}},
    {"empty_groups",
     "eight times the workgroups that the picture needs",
     "only those that it needs",
     {.compute = &bounds, .times = 8},
     {.compute = &bounds}},
    {"uniform_work",
     "each thread multiplies the same matrices",
     "the program does",
     {.compute = &uniform_work, .turn = 0.5f},
     {.compute = &uniform_work_twin, .turn = 0.125f}},
    {"constant_branch",
     "a mode that nobody chooses is asked for in a loop",
     "it is a specialization constant",
     {.compute = &constant_branch},
     {.compute = &constant_branch_twin}},
    {"nan",
     "a triangle without area has no normal, and pixels around it are black",
     "its normal is left out of the mean",
     {.compute = &nan_birth, .local = 8, .rows = 4},
     {.compute = &nan_birth_twin, .local = 8, .rows = 4}},
    {"late_discard",
     "light is worked out, then half of the tiles are discarded",
     "they are discarded first",
     {.vertex = {&cover}, .fragment = {&late_discard}, .vertices = {COVER}},
     {.vertex = {&cover}, .fragment = {&late_discard_twin}, .vertices = {COVER}}},
    {"vertex_outputs",
     "a vertex shader makes tangents that no fragment reads",
     "it does not",
     {.vertex = {&vertex_outputs}, .fragment = {&plain}, .vertices = {SQUARE}},
     {.vertex = {&vertex_outputs_twin}, .fragment = {&plain}, .vertices = {SQUARE}}},
    {"hidden_mesh",
     "a mesh behind the camera is drawn",
     "it is left out",
     {.vertex = {&cover, &hidden}, .fragment = {&plain, &hidden_colour}, .vertices = {COVER, SQUARE}},
     {.vertex = {&cover}, .fragment = {&plain}, .vertices = {COVER}}},
};

const uint32_t ws_shader_fault_count = sizeof(ws_shader_faults) / sizeof(ws_shader_faults[0]);
