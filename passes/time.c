/* time: how long every launch took on the device.
 *
 * It has no sites: the layer writes device timestamps around launches (layer/commands/timer.h), into TIME chunks. With
 * this pass alone every shader goes to the driver as the application gave it, so the times are those of the program
 * itself. Beside other passes they are times of instrumented shaders, which reports say. So `all` is every pass but
 * this one. */
#include "warpscope/pass.h"
#include "warpscope/passes.h"

extern const struct ws_pass ws_pass_time;

/* Without opcodes no entry point reaches one, so that no shader is visited. */
const struct ws_pass ws_pass_time = {
    .name = WS_PASS_TIME,
    .summary = "device time of every launch. Alone it touches no shader; not part of all",
    .stages = WS_STAGES_ALL,
    .stages_by_opcode = WS_STAGES_ALL,
};
