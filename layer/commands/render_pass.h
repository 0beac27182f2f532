/* Render pass instances and dynamic renderings: one launch each, from begin to end, with all that it draws.
 * Within one no copy may be recorded (VUID-vkCmdCopyBuffer-renderpass), so what the draws use is gathered,
 * and its counter rows are copied and cleared after the end. A suspended rendering ends where it is ended
 * last, which may be in another command buffer: then the submission does it (plan.h). Not thread-safe: the application
 * synchronizes the command buffer. */
#ifndef WS_LAYER_COMMANDS_RENDER_PASS_H
#define WS_LAYER_COMMANDS_RENDER_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/commands/uses.h"

struct ws_command_buffer;

/* The one that a command buffer has open or suspended. Zero-initialise. In a secondary command buffer that
 * continues a render pass it holds what that command buffer draws, for the primary one that executes it. */
struct ws_render_pass {
    bool open;        /* between begin and end */
    bool suspends;    /* the open one will be suspended at its end */
    bool suspended;   /* it was suspended and not resumed yet: `uses` and `draws` go on when it is */
    uint32_t size[3]; /* width, height and layers of the render area */
    uint32_t draws;
    struct ws_uses uses;
    char *label; /* the labels that were open where it began; NULL = none were */
    uint32_t label_capacity;
};

/* Frees what it owns. */
void ws_render_pass_finish(struct ws_render_pass *pass);

/* Ready for a new recording. */
void ws_render_pass_clear(struct ws_render_pass *pass);

/* Adds what `secondary` draws to the render pass of `commands`, which has executed it within that pass, or in
 * which it left the rendering suspended. */
void ws_render_pass_absorb(struct ws_command_buffer *commands, const struct ws_command_buffer *secondary);

/* The rendering that `commands` suspended was resumed and ended by a secondary command buffer, whose own
 * launch has only its part: records the launch of the parts before. */
void ws_render_pass_end_suspended(struct ws_command_buffer *commands);

/* When `commands` is ended: leaves a rendering that is still suspended to the submission (struct
 * ws_recording). */
void ws_render_pass_carry(struct ws_command_buffer *commands);

#endif
