/* What each scene is: one file of its own, and a line in registry.c. */
#ifndef WS_EXAMPLES_FAULTS_FAULT_H
#define WS_EXAMPLES_FAULTS_FAULT_H

#include "examples/faults/scene.h"

#define NONE WS_GPU_NO_SHADER

struct ws_fault {
    const char *name;
    const char *summary; /* one line: what is wrong in it */
    const char *change;  /* one line: what its twin does otherwise; NULL = nothing is wrong, there is none */
    /* Fills an empty scene. */
    void (*build)(struct ws_fault_scene *scene, bool repaired);
};

/* All of them, ending with a NULL. */
extern const struct ws_fault *const ws_faults[];

/* NULL = there is none of that name. */
const struct ws_fault *ws_fault_named(const char *name);

#endif
