/* Compute and graphics programs with planted faults, one for each rule of advice on shaders, each with its repaired
 * twin. Twins draw the same picture, but that of `nan`, whose picture is what is wrong. */
#ifndef WS_EXAMPLES_SHADER_FAULTS_FAULT_H
#define WS_EXAMPLES_SHADER_FAULTS_FAULT_H

#include "examples/base/bindings.h"

#define SHADER_FAULT_DRAWS_MAX 2

/* How the faulty program and its twin differ, besides their shaders. */
struct ws_shader_fault_way {
    const struct ws_gpu_shader *compute; /* NULL = it draws */
    uint32_t local;                      /* threads of a workgroup; 0 = 64 */
    uint32_t rows;  /* of pixels, in a workgroup of `local` columns; 0 = pixels in order */
    uint32_t times; /* so many times the workgroups that the pixels need; 0 = 1 */
    uint32_t step;  /* pixels of neighbouring threads lie so far apart; 0 = 1 */
    float turn;     /* what the matrix of the parameters has on its diagonal; 0 = 1 */
    const struct ws_gpu_shader *vertex[SHADER_FAULT_DRAWS_MAX]; /* of each draw; NULL = no draw */
    const struct ws_gpu_shader *fragment[SHADER_FAULT_DRAWS_MAX];
    uint32_t vertices[SHADER_FAULT_DRAWS_MAX];
};

struct ws_shader_fault {
    const char *name;
    const char *summary; /* one line: what is wrong in it */
    const char *change;  /* one line: what its twin does otherwise */
    struct ws_shader_fault_way faulty;
    struct ws_shader_fault_way repaired;
};

extern const struct ws_shader_fault ws_shader_faults[];
extern const uint32_t ws_shader_fault_count;

#endif
