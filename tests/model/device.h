/* Runs random programs on the Vulkan device. */
#ifndef WS_TESTS_MODEL_DEVICE_H
#define WS_TESTS_MODEL_DEVICE_H

#include "examples/base/acceleration_structure.h"
#include "layer/commands/bindings.h"
#include "tests/model/program/program.h"

/* A device with what all programs' scenes are made of. */
struct model_device {
    struct ws_gpu gpu;
    struct ws_gpu_buffer vertices;
    struct ws_gpu_buffer indices;
    struct ws_gpu_buffer boxes;
    struct ws_gpu_acceleration_structure bottom[4]; /* triangles, opaque triangles, boxes, opaque boxes */
    struct ws_gpu_buffer log;                       /* word 0: words written, from word 4 on */
};

/* `log_words`: size of the log. As ws_gpu_init. */
enum ws_gpu_status model_device_init(struct model_device *device, const char *name, uint32_t log_words,
                                     struct ws_error *error);
void model_device_finish(struct model_device *device);

/* Runs a program once and waits for it; its log begins empty. `log`: as model_emit. The commands stand in a
 * label of the name `label`, modules are named by the numbers of their shaders. */
bool model_device_run(struct model_device *device, const struct model_program *program, bool log,
                      const char *label, struct ws_error *error);

#endif
