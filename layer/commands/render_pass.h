/* A render pass instance or dynamic rendering under way in a command buffer. */
#ifndef WS_LAYER_COMMANDS_RENDER_PASS_H
#define WS_LAYER_COMMANDS_RENDER_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/commands/uses.h"

struct ws_command_buffer;

/* Zero-initialise. In a secondary command buffer that continues a render pass it holds what that command
 * buffer draws, for the primary one that executes it. */
struct ws_render_pass {
    bool open;        /* between begin and end */
    bool suspends;    /* the open one suspends at its end */
    bool suspended;   /* the last one was suspended and is not resumed yet: `uses` and `draws` go on */
    uint32_t size[3]; /* width, height and layers of the render area */
    uint32_t draws;
    struct ws_uses uses;
    char *label; /* open labels where it began; NULL or text */
    uint32_t label_capacity;
};

void ws_render_pass_finish(struct ws_render_pass *pass);

/* Ready for a new recording. */
void ws_render_pass_clear(struct ws_render_pass *pass);

/* What `commands` executed (`secondary`) within, or left suspended to, a render pass of `commands`. */
void ws_render_pass_absorb(struct ws_command_buffer *commands, const struct ws_command_buffer *secondary);

/* The rendering that `commands` suspended has been ended by a secondary command buffer: copies what that one
 * could not know of. */
void ws_render_pass_end_suspended(struct ws_command_buffer *commands);

/* When `commands` ends: hands a rendering that is still suspended over to the submission. */
void ws_render_pass_carry(struct ws_command_buffer *commands);

#endif
