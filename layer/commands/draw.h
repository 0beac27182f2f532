/* What every kind of draw has in common. */
#ifndef WS_LAYER_COMMANDS_DRAW_H
#define WS_LAYER_COMMANDS_DRAW_H

#include "layer/commands/command_buffer.h"

/* Notes a draw command in the render pass under way. Costs two stores unless something was bound since the
 * draw before. */
static inline void ws_draw_note(struct ws_command_buffer *commands)
{
    commands->render_pass.draws++;
    if (!commands->bindings.graphics_changed)
        return;
    commands->bindings.graphics_changed = false;
    ws_bindings_use(&commands->bindings, WS_BIND_GRAPHICS, &commands->render_pass.uses);
}

#endif
